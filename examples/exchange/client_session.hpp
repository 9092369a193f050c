// SPDX-License-Identifier: MIT
//
// The session of a client that says with its first message who it is. To check a password takes milliseconds, for
// which nobody else should wait, so bytes are kept up to the login, the gateway is asked, and the session goes on
// once it answers. What comes behind waits until it is known who sends it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gateway.hpp"
#include "session.hpp"

namespace exchange {

/// What a protocol finds in the first bytes of a connection.
struct FoundLogin {
  std::size_t end = 0;    ///< of its first message; if that is not whole yet: of what need not be kept
  bool is_whole = false;  ///< the message
  bool is_login = false;  ///< of a user by its name
  std::string user{};
  std::string password{};
  std::string why{};  ///< it is none
};

/// A protocol says where the login is, takes bytes once it is judged, and calls `claim` when it has let in its
/// client.
class ClientSession : public Session {
 public:
  ~ClientSession() override {
    if (!is_here()) return;
    client_->*place_ = nullptr;
    if (place_ == &Client::session) gateway_.disconnected(*client_);
  }

  [[nodiscard]] Nanoseconds takes_at() const override {
    if (is_checking_) return Bucket::never;
    return client_ == nullptr ? 0 : gateway_.next_message(*client_);
  }
  [[nodiscard]] const Client* client() const override { return client_; }
  void end_day() final {
    if (client_ != nullptr && !is_of_today()) close();
  }

 protected:
  using Place = Session* Client::*;

  /// @param place of a client where this session stands; there is one at a time
  ClientSession(Gateway& gateway, Nanoseconds now, Place place = &Client::session)
      : gateway_(gateway), place_(place) {
    now_ = now;
  }

  /// Looks for the first message in all that has come.
  [[nodiscard]] virtual FoundLogin find_login(std::span<const std::byte> bytes) = 0;
  /// Takes bytes, the login among them, once `verdict` is there.
  /// @return how many
  [[nodiscard]] virtual std::size_t give(std::span<const std::byte> bytes, Nanoseconds now) = 0;
  /// The client is let in.
  virtual void logged_in() {}

  /// Whose password was right; nullptr if nobody's was.
  [[nodiscard]] Client* verdict() const noexcept { return verdict_.value_or(nullptr); }
  /// The user is here once its session has not rejected the login: there may be more wrong than the password.
  void claim() {
    if (client_ != nullptr || verdict() == nullptr || !is_logged_in()) return;
    client_ = verdict();
    client_->*place_ = this;
    mailbox_ = client_->mailbox;
    logged_in();
  }
  /// Whether the day that its client has logged in to goes on.
  [[nodiscard]] bool is_of_today() const noexcept { return mailbox_ == client_->mailbox; }
  /// A second login of a user ends its first connection, which may be dead without knowing it.
  [[nodiscard]] bool is_replaced() const noexcept { return client_ != nullptr && !is_here(); }
  /// A message is taken. @param is_limited whether it counts against the limit of its account
  void count_message(bool is_limited = true) {
    claim();
    if (left_ != any_number) --left_;
    if (client_ != nullptr && is_limited) gateway_.count_message(*client_, now_);
  }
  /// When the client was heard last. While its password is checked, it waits for the venue.
  [[nodiscard]] Nanoseconds heard_at() const noexcept { return is_checking_ ? now_ : heard_at_; }
  [[nodiscard]] bool may_take() const {
    return left_ != 0 && (client_ == nullptr || gateway_.next_message(*client_) <= now_);
  }
  /// Whether more bytes came before a login than any has.
  [[nodiscard]] bool has_too_much() const noexcept { return has_too_much_; }

  [[nodiscard]] std::size_t take(std::span<const std::byte> bytes, Nanoseconds now) final {
    std::size_t taken = 0;
    if (!verdict_) {
      if (is_checking_) return 0;
      taken = ask_for_verdict(bytes);
      if (!verdict_) return taken;
    }
    if (is_over()) return bytes.size();
    taken += give(bytes.subspan(taken), now);
    claim();
    return taken;
  }

  Gateway& gateway_;
  Client* client_ = nullptr;
  std::shared_ptr<Mailbox> mailbox_;  ///< of the day that its client has logged in to
  std::string why_;                   ///< its login is rejected, if it is

 private:
  static constexpr std::size_t waiting_max = 65'536;

  [[nodiscard]] bool is_here() const noexcept { return client_ != nullptr && client_->*place_ == this; }

  /// @return how many bytes it has read
  [[nodiscard]] std::size_t ask_for_verdict(std::span<const std::byte> bytes) {
    const std::size_t before = waiting_.size();
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    FoundLogin found = find_login(waiting_);
    if (!found.is_whole) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(found.end));
      has_too_much_ = waiting_.size() > waiting_max;
      return bytes.size();
    }
    if (!found.is_login) {
      judge(nullptr, std::move(found.why));
      return bytes.size();
    }
    waiting_.resize(found.end);
    is_checking_ = true;
    gateway_.log_in(found.user, found.password, from, now_,
                    [this, alive = std::weak_ptr<void>(alive_)](Client* client, std::string why) {
                      if (alive.lock() == nullptr) return;
                      judge(client, std::move(why));
                      if (on_news) on_news();
                    });
    return found.end - before;
  }
  /// It is known who it is, or that it is nobody.
  void judge(Client* client, std::string why) {
    heard_at_ = heard_at();
    is_checking_ = false;
    verdict_ = client;
    why_ = std::move(why);
    const std::vector<std::byte> bytes = std::exchange(waiting_, {});
    static_cast<void>(give(bytes, now_));
    claim();
  }

  Place place_;
  std::vector<std::byte> waiting_;  ///< bytes that came before it is known who sends them
  std::optional<Client*> verdict_;  ///< of the password, once there is one
  bool is_checking_ = false;
  bool has_too_much_ = false;
  std::shared_ptr<void> alive_ = std::make_shared<int>();
};

}  // namespace exchange
