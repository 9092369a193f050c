// SPDX-License-Identifier: MIT
//
// Both sides of a session of FIX: the acceptor, which is the venue, and the initiator, which logs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "llmes/version.hpp"
#include "llmes/wire/fix_dictionary.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/fix_session.hpp"
#include "llmes/wire/fix_store.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// The side of a venue, for one connection.
template <SessionStore Store>
class Acceptor : public detail::Session<Acceptor<Store>, Store> {
  using Base = detail::Session<Acceptor<Store>, Store>;
  friend Base;

 public:
  Acceptor(Config config, Nanoseconds now) : Base(std::move(config), now) {}

 private:
  static constexpr std::string_view taken = "DFGi";
  static constexpr bool answers = true;

  template <class Handler>
  void take_logon(const Message& message, Nanoseconds now, Handler& handler) noexcept {
    // A longer one would not fit into an answer.
    const std::string_view sender = message.text(49);
    if (sender.size() <= comp_id_max) this->peer_ = sender;
    if (message.type() != "A")
      return this->log_out(Words("The first message must be a Logon").about(35, message.type()).view(),
                           End::NoLogon, now);
    const auto wrong = [&](std::string_view words, std::uint32_t tag) {
      refuse(Words(words).about(tag, message.text(tag)).view(), now);
    };
    if (sender.size() > comp_id_max) return wrong("SenderCompID has more than 64 letters", 49);
    if (message.begin_string() != this->config_.begin_string)
      return refuse(Words("Incorrect BeginString").about(8, message.begin_string()).view(), now);
    if (const std::optional<Rejection> rejection = check(message)) return refuse(words_of(*rejection).view(), now);
    if (message.text(56) != this->config_.comp_id) return wrong("Unknown TargetCompID", 56);
    if (message.begin_string() == "FIXT.1.1" && message.find(1137) == nullptr)
      return refuse(words_of({RejectReason::RequiredTagMissing, 1137}).view(), now);
    if (!this->is_time_right(message, now)) return refuse(this->time_problem(message, now).view(), now);
    const std::uint64_t heartbeat = *message.number(108);
    if (heartbeat == 0 || heartbeat > this->config_.heartbeat_max) return wrong("HeartBtInt is out of range", 108);
    const std::uint64_t sequence = *message.number(34);
    const Logon logon{this->peer_, message.text(553), message.text(554), message.flag(141)};
    if (sequence == 0 || sequence >= sequence_max) return wrong("MsgSeqNum is wrong", 34);
    if (logon.resets && sequence != 1) return wrong("MsgSeqNum must be 1 with ResetSeqNumFlag (141)", 34);
    this->store_ = handler.logon(logon);
    if (this->store_ == nullptr) return refuse(refusal_of(handler), now);
    // What the client expects next, if it says so: then nobody asks for what is missing.
    const std::optional<std::uint64_t> wanted = message.number(789);
    const std::uint64_t next = logon.resets ? 1 : this->store_->numbers().next_sent(this->store_->size());
    if (wanted && (*wanted == 0 || *wanted > next)) {
      Words words("The next MsgSeqNum is ");
      return refuse(words.say(next).about(789, message.text(789)).view(), now);
    }
    this->begin(logon.resets);
    if (sequence < this->expected() && !message.flag(43)) return this->too_low(sequence, now);
    this->is_logged_on_ = true;
    const bool in_order = sequence == this->expected();
    this->send_logon(heartbeat, logon.resets, {}, now, wanted ? this->expected() + (in_order ? 1 : 0) : 0);
    if (wanted && *wanted < next) this->resend(*wanted, next);
    if (in_order) {
      this->expect(sequence + 1);
    } else if (sequence > this->expected()) {
      if (wanted) return this->await_missing(sequence, now);
      this->ask_for_missing(sequence, now);
    }
  }
  template <class Handler>
  [[nodiscard]] static std::string_view refusal_of([[maybe_unused]] const Handler& handler) noexcept {
    if constexpr (requires { handler.refusal(); }) return handler.refusal();
    return "Not authorised";
  }
  void refuse(std::string_view text, Nanoseconds now) noexcept { this->log_out(text, End::Refused, now); }
};

/// The side of a client, for one connection. It logs on when it is made.
template <SessionStore Store>
class Initiator : public detail::Session<Initiator<Store>, Store> {
  using Base = detail::Session<Initiator<Store>, Store>;
  friend Base;

 public:
  /// @param peer the CompID of the venue
  /// @param heartbeat in seconds
  /// @param logon user and password if there are any, and whether both sides begin at 1
  Initiator(Config config, std::string_view peer, Store& store, std::uint64_t heartbeat, const Logon& logon,
            Nanoseconds now)
      : Base(std::move(config), now) {
    this->peer_ = peer;
    this->store_ = &store;
    this->begin(logon.resets);
    this->send_logon(heartbeat, logon.resets, logon, now);
  }

 private:
  static constexpr std::string_view taken = "89bj";
  static constexpr bool answers = false;

  template <class Handler>
  void take_logon(const Message& message, Nanoseconds now, Handler&) noexcept {
    const std::uint64_t sequence = message.number(34).value_or(0);
    if (message.type() != "A" || check(message) || sequence == 0 || sequence >= sequence_max) {
      this->end_ = message.type() == "5" ? End::Refused : End::NoLogon;
      return;
    }
    if (message.flag(141) && sequence == 1) this->expect(1);
    if (sequence < this->expected()) return this->too_low(sequence, now);
    this->is_logged_on_ = true;
    if (sequence == this->expected()) {
      this->expect(sequence + 1);
    } else {
      this->ask_for_missing(sequence, now);
    }
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::fix
