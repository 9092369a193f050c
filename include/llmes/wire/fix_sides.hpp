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
  static constexpr std::string_view taken = "DFG";
  static constexpr bool answers = true;

  template <class Handler>
  void take_logon(const Message& message, Nanoseconds now, Handler& handler) noexcept {
    if (message.type() != "A") {
      this->end_ = End::NoLogon;
      return;
    }
    this->peer_ = message.text(49);
    if (message.begin_string() != this->config_.begin_string) return refuse("Incorrect BeginString", now);
    if (const std::optional<Rejection> rejection = check(message))
      return refuse(to_string(rejection->reason), now);
    if (message.text(56) != this->config_.comp_id) return refuse("Unknown TargetCompID", now);
    if (message.begin_string() == "FIXT.1.1" && message.find(1137) == nullptr)
      return refuse("DefaultApplVerID (1137) is missing", now);
    if (!this->is_time_right(message, now)) return refuse("SendingTime accuracy problem", now);
    const std::uint64_t heartbeat = *message.number(108);
    if (heartbeat == 0 || heartbeat > this->config_.heartbeat_max)
      return refuse("HeartBtInt (108) is out of range", now);
    const std::uint64_t sequence = *message.number(34);
    const Logon logon{this->peer_, message.text(553), message.text(554), message.flag(141)};
    if (sequence == 0 || sequence >= sequence_max || (logon.resets && sequence != 1))
      return refuse("MsgSeqNum is wrong", now);
    this->store_ = handler.logon(logon);
    if (this->store_ == nullptr) return refuse("Not authorised", now);
    this->begin(logon.resets);
    if (sequence < this->expected() && !message.flag(43)) return this->too_low(sequence, now);
    this->is_logged_on_ = true;
    this->send_logon(heartbeat, logon.resets, {}, now);
    if (sequence == this->expected()) {
      this->expect(sequence + 1);
    } else if (sequence > this->expected()) {
      this->ask_for_missing(sequence, now);
    }
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
  static constexpr std::string_view taken = "89j";
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
