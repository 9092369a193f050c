// SPDX-License-Identifier: MIT
//
// One connection of a client, without its socket: bytes and time in, bytes out. `OuchSession` is order entry,
// `SnapshotSession` gives the books to a reader of the feed that comes late.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

  /// Takes bytes of the client. `now` is of a clock that never goes back, here and below.
  /// @param most messages that it may take
  /// @return how many bytes it has taken. The others wait: offer them again at `takes_at`
  std::size_t receive(std::span<const std::byte> bytes, Nanoseconds now, std::size_t most = any_number) {
    now_ = now;
    left_ = most;
    const std::size_t taken = take(bytes, now);
    is_held_ = taken < bytes.size();
    return taken;
  }
  /// When it takes more: now, if that time has passed; `Bucket::never` while a password is checked, and then it
  /// calls `on_news`.
  [[nodiscard]] virtual Nanoseconds takes_at() const = 0;
  /// Fills `room`, of at least 1 KiB, with what the client should get now; call it again while it fills any.
  [[nodiscard]] virtual std::size_t write(std::span<std::byte> room, Nanoseconds now) = 0;
  /// Says what time it is, several times a second.
  virtual void advance(Nanoseconds now) = 0;
  [[nodiscard]] virtual bool is_logged_in() const = 0;
  /// No more will come once the client has all that there is. At the end of a day that is so for those who have
  /// logged in: the others will get the next one.
  virtual void close() = 0;
  /// Whether the connection is to be closed, once all is written; and why.
  [[nodiscard]] virtual bool is_over() const = 0;
  [[nodiscard]] virtual std::string reason() const = 0;
  /// Whose it is; nullptr before the login.
  [[nodiscard]] virtual const Client* client() const = 0;
  /// How many messages wait to be written.
  [[nodiscard]] virtual std::uint64_t behind() const = 0;
  /// Whether it has taken a message that waits for what the client has on its way: call `receive` once that is
  /// done.
  [[nodiscard]] virtual bool has_kept() const noexcept { return false; }

  std::function<void()> on_news{};  ///< called when `write` may have something new, or `receive` takes more
  Address from = 0;                 ///< where the client is

 protected:
  /// As `receive`, at most `left_` messages.
  [[nodiscard]] virtual std::size_t take(std::span<const std::byte> bytes, Nanoseconds now) = 0;

  Nanoseconds now_ = 0;            ///< of the last call
  std::size_t left_ = any_number;  ///< messages that may be taken now
  bool is_held_ = false;           ///< bytes of the client wait
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
      : gateway_(gateway),
        longest_(std::max(longest, sizeof(llmes::soup::LoginRequest))),
        server_(gateway.session(), store_, now, {}, longest) {
    now_ = now;
  }

  [[nodiscard]] Nanoseconds takes_at() const override {
    if (is_checking_) return Bucket::never;
    return client_ == nullptr ? 0 : gateway_.next_message(*client_);
  }
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) override {
    if (is_replaced()) return 0;
    const std::size_t size = server_.write(room, now);
    if (size != 0 || client_ == nullptr || bad_.empty() || std::exchange(has_told_, true)) return size;
    llmes::soup::PacketWriter writer(room);  // with the last words, for whoever looks for the fault
    static_cast<void>(writer.append(llmes::soup::PacketType::Debug, std::as_bytes(std::span(bad_))));
    return writer.size();
  }
  void advance(Nanoseconds now) override {
    now_ = now;
    if (is_held_) server_.hold(now);
    server_.advance(now);
  }
  [[nodiscard]] bool is_logged_in() const override { return server_.is_logged_in(); }
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
    if (!verdict_ || *verdict_ == nullptr) return false;
    // The connection may be older than the day.
    const llmes::soup::SessionName today = gateway_.session();
    server_.set_session(today);
    choose_messages(**verdict_);
    const std::uint64_t sequence = request.sequence.value().value_or(0);
    if (request.session != today && request.session != llmes::soup::SessionName{}) {
      why_ = "session '" + printable(request.session.view()) + "', but it is " + std::string(today.view());
    } else if (sequence > store_.size() + 1) {
      why_ = "sequence " + std::to_string(sequence) + " is beyond the next, " + std::to_string(store_.size() + 1);
    }
    return true;
  }
  void message(std::span<const std::byte> bytes) {
    claim();
    if (left_ != any_number) --left_;
    gateway_.count_message(*client_, now_);
    if (bad_.empty() && !is_replaced()) enter(bytes);
  }
  [[nodiscard]] bool takes_more() const {
    return left_ != 0 && !has_kept() && (client_ == nullptr || gateway_.next_message(*client_) <= now_);
  }

 protected:
  virtual void choose_messages(Client& client) = 0;
  virtual void logged_in() = 0;
  /// A message of the client.
  virtual void enter(std::span<const std::byte> bytes) = 0;
  /// Enters the message that it has kept.
  virtual void enter_kept() {}
  /// A second login of a user ends its first connection, which may be dead without knowing it.
  [[nodiscard]] virtual bool is_replaced() const noexcept = 0;

  [[nodiscard]] std::size_t take(std::span<const std::byte> bytes, Nanoseconds now) override {
    std::size_t taken = 0;
    if (!verdict_) {
      if (is_checking_) return 0;
      taken = ask_for_verdict(bytes, now);
      if (!verdict_) return taken;
    }
    if (is_over()) return bytes.size();
    enter_kept();
    const std::span<const std::byte> rest = bytes.subspan(taken);
    taken += server_.receive(rest, now, *this);
    claim();
    return taken;
  }

  Gateway& gateway_;
  Store store_;
  Client* client_ = nullptr;
  std::string bad_;  ///< what it sent, if that ends it

 private:
  /// Reads the first packets, up to a login: a password takes milliseconds to check, for which nobody else should
  /// wait. What comes behind waits until it is known who sends it.
  /// @return how many bytes it has read
  [[nodiscard]] std::size_t ask_for_verdict(std::span<const std::byte> bytes, Nanoseconds now) {
    const std::size_t before = waiting_.size();
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    llmes::soup::PacketReader reader(waiting_, longest_);
    std::optional<llmes::soup::Packet> packet;
    std::size_t begin = 0;
    do {
      begin = reader.offset();
      packet = reader.next();
    } while (packet && packet->type == llmes::soup::PacketType::Debug);
    const bool lacks_bytes = !packet && (reader.status() == llmes::soup::ReadStatus::Incomplete ||
                                         reader.status() == llmes::soup::ReadStatus::Success);
    if (lacks_bytes) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin));
      return bytes.size();
    }
    const auto* const request = packet ? packet->as<llmes::soup::LoginRequest>() : nullptr;
    if (request == nullptr || packet->type != llmes::soup::PacketType::LoginRequest) {
      judge(nullptr, {}, now);
      return bytes.size();
    }
    const std::size_t end = reader.offset();
    const llmes::soup::LoginRequest login = *request;
    waiting_.resize(end);
    is_checking_ = true;
    gateway_.log_in(login.user.view(), login.password.view(), from, now,
                    [this, alive = std::weak_ptr<void>(alive_)](Client* client, std::string why) {
                      if (alive.lock() == nullptr) return;
                      judge(client, std::move(why), now_);
                      if (on_news) on_news();
                    });
    return end - before;
  }
  /// It is known who it is, or that it is nobody.
  void judge(Client* client, std::string why, Nanoseconds now) {
    is_checking_ = false;
    verdict_ = client;
    why_ = std::move(why);
    const std::vector<std::byte> bytes = std::exchange(waiting_, {});
    server_.receive(bytes, now, *this);
    claim();
  }
  /// The user is here once the server has not rejected its login: its session or number, too, may be wrong.
  void claim() {
    if (client_ != nullptr || !server_.is_logged_in()) return;
    client_ = *verdict_;
    logged_in();
  }

  std::size_t longest_;
  llmes::soup::Server<Store> server_;
  std::vector<std::byte> waiting_;  ///< bytes that came before it is known who sends them
  bool is_checking_ = false;
  std::optional<Client*> verdict_;  ///< of the password, once there is one
  std::string why_;                 ///< its login is rejected, if it is
  bool has_told_ = false;           ///< the client what was bad
  std::shared_ptr<void> alive_ = std::make_shared<int>();
};

class OuchSession final : public SoupSession<ChosenMessages<MessageLog>> {
 public:
  using SoupSession::SoupSession;
  ~OuchSession() override {
    if (client_ == nullptr || client_->session != this) return;
    client_->session = nullptr;
    gateway_.disconnected(*client_);
  }

  [[nodiscard]] bool has_kept() const noexcept override { return !kept_.empty(); }

 private:
  void enter_kept() override {
    if (has_kept()) enter(std::exchange(kept_, {}));
  }
  void enter(std::span<const std::byte> bytes) override {
    // What a connection sends after its day nobody would answer.
    if (mailbox_ != client_->mailbox || gateway_.day_ends()) return;
    const std::string_view type(reinterpret_cast<const char*>(bytes.data()), bytes.empty() ? 0 : 1);
    if (type == "C") left_ = 0;  // to cancel all may take long: others have their turn next
    if (gateway_.must_wait(*client_, bytes)) return kept_.assign(bytes.begin(), bytes.end());
    if (gateway_.enter(*client_, bytes)) return;
    bad_ = "it sent what is no message of OUCH: type '" + printable(type) + "', length " +
           std::to_string(bytes.size());
  }
  void choose_messages(Client& client) override {
    mailbox_ = client.mailbox;
    store_.choose({mailbox_, &mailbox_->ouch});
  }
  void logged_in() override { client_->session = this; }
  [[nodiscard]] bool is_replaced() const noexcept override {
    return client_ != nullptr && client_->session != this;
  }

  std::shared_ptr<Mailbox> mailbox_;  ///< of the day that it logged in
  std::vector<std::byte> kept_;       ///< a message that waits
};

/// Its messages are those of a snapshot. Then the session ends. A user reads one at a time, so that no one fills
/// the memory with them.
class SnapshotSession final : public SoupSession<ChosenMessages<llmes::glimpse::Snapshot>> {
 public:
  using SoupSession::SoupSession;
  ~SnapshotSession() override {
    if (client_ != nullptr && client_->reader == this) client_->reader = nullptr;
  }

 private:
  void enter(std::span<const std::byte>) override {}
  void choose_messages(Client&) override { store_.choose(gateway_.snapshot(now_)); }
  void logged_in() override {
    client_->reader = this;
    close();
  }
  [[nodiscard]] bool is_replaced() const noexcept override {
    return client_ != nullptr && client_->reader != this;
  }
};

}  // namespace exchange
