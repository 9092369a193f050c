// SPDX-License-Identifier: MIT
//
// One connection of a client, without its socket: bytes and time in, bytes out. `OuchSession` is order entry,
// `SnapshotSession` gives the books to a reader of the feed that comes late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway.hpp"
#include "llmes/wire.hpp"
#include "message_log.hpp"

namespace exchange {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Takes bytes of the client. `now` is of a clock that never goes back, here and below.
  virtual void receive(std::span<const std::byte> bytes, Nanoseconds now) = 0;
  /// Fills `room`, of at least 1 KiB, with what the client should get now; call it again while it fills any.
  [[nodiscard]] virtual std::size_t write(std::span<std::byte> room, Nanoseconds now) = 0;
  /// Says what time it is, several times a second.
  virtual void advance(Nanoseconds now) = 0;
  /// No more will come once the client has all that there is.
  virtual void close() = 0;
  /// Whether the connection is to be closed, once all is written; and why.
  [[nodiscard]] virtual bool is_over() const = 0;
  [[nodiscard]] virtual std::string reason() const = 0;
  /// Whose it is; nullptr before the login.
  [[nodiscard]] virtual const Client* client() const = 0;
  /// How many messages wait to be written.
  [[nodiscard]] virtual std::uint64_t behind() const = 0;

  std::function<void()> on_news{};  ///< called when `write` may have something new
};

[[nodiscard]] constexpr std::string_view reason_of(llmes::soup::End end) noexcept {
  using enum llmes::soup::End;
  switch (end) {
    case None: return "";
    case Logout: return "it has logged out";
    case Rejected:
    case BadSequence: return "its login was rejected";
    case EndOfSession: return "the session has ended";
    case NoLogin: return "it did not log in";
    case Silence: return "it was silent for too long";
    case BadPacket: return "it sent what is no packet";
  }
  return "";
}

/// What a SoupBinTCP server does for both kinds.
/// @tparam Store the messages that it sends
template <class Store>
class SoupSession : public Session {
 public:
  SoupSession(Gateway& gateway, Nanoseconds now, std::size_t longest)
      : gateway_(gateway), server_(gateway.session(), store_, now, {}, longest) {}
  ~SoupSession() override {
    if (client_ == nullptr || client_->session != this) return;
    client_->session = nullptr;
    gateway_.disconnected(*client_);
  }

  void receive(std::span<const std::byte> bytes, Nanoseconds now) override {
    if (client_ != nullptr || verdict_) return server_.receive(bytes, now, *this);
    // A password takes milliseconds to check, for which nobody else should wait.
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    if (is_checking_) {
      if (waiting_.size() > waiting_max) bad_ = "it sent too much before its password was checked";
      return;
    }
    llmes::soup::PacketReader reader(waiting_, sizeof(llmes::soup::LoginRequest));
    const std::optional<llmes::soup::Packet> packet = reader.next();
    const bool lacks_bytes = reader.status() == llmes::soup::ReadStatus::Incomplete || waiting_.empty();
    if (!packet && lacks_bytes) return;
    const auto* const request = packet ? packet->as<llmes::soup::LoginRequest>() : nullptr;
    if (request == nullptr) return judge(nullptr, {}, now);
    is_checking_ = true;
    gateway_.log_in(request->user.view(), request->password.view(),
                    [this, alive = std::weak_ptr<void>(alive_), now](Client* client, std::string why) {
                      if (alive.lock() == nullptr) return;
                      judge(client, std::move(why), now);
                      if (on_news) on_news();
                    });
  }
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) override {
    if (is_replaced()) return 0;
    const std::size_t size = server_.write(room, now);
    if (size != 0 || client_ == nullptr || bad_.empty() || std::exchange(has_told_, true)) return size;
    llmes::soup::PacketWriter writer(room);  // with the last words, for whoever looks for the fault
    static_cast<void>(writer.append(llmes::soup::PacketType::Debug, std::as_bytes(std::span(bad_))));
    return writer.size();
  }
  void advance(Nanoseconds now) override { server_.advance(now); }
  void close() override { server_.close(); }
  [[nodiscard]] bool is_over() const override {
    return (server_.end() != llmes::soup::End::None && !server_.has_answer()) || !bad_.empty() || is_replaced();
  }
  [[nodiscard]] std::string reason() const override {
    if (!bad_.empty()) return bad_;
    if (is_replaced()) return "its user has logged in again";
    const bool is_rejected =
        server_.end() == llmes::soup::End::Rejected || server_.end() == llmes::soup::End::BadSequence;
    return std::string(reason_of(server_.end())) + (is_rejected ? ": " + why_ : "");
  }
  [[nodiscard]] const Client* client() const override { return client_; }
  [[nodiscard]] std::uint64_t behind() const override { return store_.size() + 1 - server_.next_sequence(); }

  // What the server calls.
  [[nodiscard]] bool login(const llmes::soup::LoginRequest& request) {
    if (*verdict_ == nullptr) return false;
    choose_messages(**verdict_);
    // What the server rejects all the same changes nothing for the user.
    const llmes::soup::SessionName today = gateway_.session();
    const std::uint64_t sequence = request.sequence.value().value_or(0);
    if (request.session != today && request.session != llmes::soup::SessionName{}) {
      why_ = "session '" + printable(request.session.view()) + "', but it is " + std::string(today.view());
    } else if (sequence > store_.size() + 1) {
      why_ = "sequence " + std::to_string(sequence) + " is beyond the next, " + std::to_string(store_.size() + 1);
    } else {
      logged_in(**verdict_);
    }
    return true;
  }
  virtual void message(std::span<const std::byte> bytes) = 0;

 protected:
  virtual void choose_messages(Client& client) = 0;
  virtual void logged_in(Client& client) = 0;
  /// A second login of a user ends its first connection, which may be dead without knowing it.
  [[nodiscard]] bool is_replaced() const noexcept { return client_ != nullptr && client_->session != this; }

  Gateway& gateway_;
  Store store_;
  Client* client_ = nullptr;
  std::string bad_;  ///< what it sent, if that ends it

 private:
  /// What came before is read now that it is known who it is, or that it is nobody.
  void judge(Client* client, std::string why, Nanoseconds now) {
    is_checking_ = false;
    verdict_ = client;
    why_ = std::move(why);
    const std::vector<std::byte> bytes = std::exchange(waiting_, {});
    server_.receive(bytes, now, *this);
  }

  static constexpr std::size_t waiting_max = 65'536;

  llmes::soup::Server<Store> server_;
  std::vector<std::byte> waiting_;  ///< bytes that came before it is known who sends them
  bool is_checking_ = false;
  std::optional<Client*> verdict_;  ///< of the password, once there is one
  std::string why_;                 ///< its login is rejected, if it is
  bool has_told_ = false;           ///< the client what was bad
  std::shared_ptr<void> alive_ = std::make_shared<int>();
};

class OuchSession final : public SoupSession<ChosenLog> {
 public:
  using SoupSession::SoupSession;

  void message(std::span<const std::byte> bytes) override {
    // What a connection sends after its day, or after its user has logged in again, nobody would answer.
    if (!bad_.empty() || is_replaced() || mailbox_ != client_->mailbox) return;
    if (gateway_.enter(*client_, bytes)) return;
    const std::string_view type(reinterpret_cast<const char*>(bytes.data()), bytes.empty() ? 0 : 1);
    bad_ = "it sent what is no message of OUCH: type '" + printable(type) + "', length " +
           std::to_string(bytes.size());
  }

 private:
  void choose_messages(Client& client) override {
    mailbox_ = client.mailbox;
    store_.choose({mailbox_, &mailbox_->ouch});
  }
  void logged_in(Client& client) override {
    client_ = &client;
    client.session = this;
  }

  std::shared_ptr<Mailbox> mailbox_;  ///< of the day that it logged in
};

/// Its messages are those of a snapshot. Then the session ends.
class SnapshotSession final : public SoupSession<llmes::glimpse::Snapshot> {
 public:
  using SoupSession::SoupSession;

  void message(std::span<const std::byte>) override {}

 private:
  void choose_messages(Client&) override {
    store_.finish(gateway_.snapshot([this](llmes::itch::MessageBytes message) { store_.add(message); }));
  }
  void logged_in(Client&) override { close(); }
};

}  // namespace exchange
