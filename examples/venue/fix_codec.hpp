// SPDX-License-Identifier: MIT
//
// FIX as the exchange speaks it: what a client may send becomes a record of the journal, and an outcome becomes an
// ExecutionReport or an OrderCancelReject. Both are functions of their arguments alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "entry.hpp"
#include "llmes/wire.hpp"
#include "ouch_codec.hpp"
#include "outcome.hpp"

namespace exchange {

namespace fix = llmes::fix;

/// Why a client of FIX is refused, where OUCH has no number: OrdRejReason (103) and this bit.
inline constexpr std::uint16_t fix_refusal = 0x1000;
namespace refused {
inline constexpr std::uint16_t duplicate = fix_refusal | 6;
inline constexpr std::uint16_t unsupported = fix_refusal | 11;
inline constexpr std::uint16_t quantity = fix_refusal | 13;
inline constexpr std::uint16_t account = fix_refusal | 15;
}  // namespace refused

// ---- In.

/// Reads NewOrderSingle, OrderCancelReplaceRequest and OrderCancelRequest of one user, checked by the dictionary.
template <class Symbols>
class FixReader {
 public:
  /// @param symbols as an `OuchReader` has them
  FixReader(const Symbols& symbols, UserId user, AccountNumber account, llmes::SelfTrade self_trade) noexcept
      : symbols_(symbols) {
    record_.sender.user = user;
    record_.sender.protocol = Protocol::Fix;
    record_.command.account = account;
    record_.command.self_trade = self_trade;
  }

  /// A record without a time.
  /// @param reference of the new order
  /// @param original of the order that the message names; 0: of none
  [[nodiscard]] EntryRecord read(const fix::Message& message, std::uint32_t reference,
                                 std::uint32_t original) noexcept {
    Sender& sender = record_.sender;
    sender.reference = reference;
    sender.original = original;
    sender.symbol = pack_symbol(message.text(55));
    copy(message.text(11), sender.client_id);
    copy(message.text(41), sender.original_client_id);
    if (message.type() == "F") {
      // Reference and original are the same: the order that it names.
      sender.type = EntryType::Cancel;
      sender.reference = original;
      return record_;
    }
    sender.type = message.type() == "D" ? EntryType::Enter : EntryType::Replace;
    record_.command.type = llmes::VenueCommandType::AddLimit;
    record_.command.id = order_id(sender.user, reference);
    read_terms(message);
    read_prices(message);
    const std::string_view account = message.text(1);
    if (!account.empty() && fix::read_number(account) != std::uint64_t{record_.command.account})
      refuse(refused::account);
    return record_;
  }
  void refuse(std::uint16_t reason) noexcept {
    if (record_.sender.refused == 0) record_.sender.refused = reason;
  }

 private:
  static void copy(std::string_view text, ClientId& to) noexcept {
    std::copy_n(text.begin(), std::min(text.size(), to.size()), to.begin());
  }
  [[nodiscard]] static std::optional<Quantity> quantity(const fix::Message& message, std::uint32_t tag) noexcept {
    const std::optional<std::int64_t> lots = fix::read_decimal(message.text(tag), 0);
    if (!lots || *lots < 0 || *lots > std::numeric_limits<std::uint32_t>::max()) return {};
    return static_cast<Quantity>(*lots);
  }

  void read_terms(const fix::Message& message) noexcept {
    VenueCommand& command = record_.command;
    Sender& sender = record_.sender;
    if (message.text(11).size() > sender.client_id.size()) refuse(refused::unsupported);
    const char side = message.text(54).front();
    sender.side = side == '1' ? 'B' : side == '2' ? 'S' : 'T';
    command.side = side == '1' ? llmes::Side::Buy : llmes::Side::Sell;
    command.quantity = quantity(message, 38).value_or(0);
    if (command.quantity == 0) refuse(refused::quantity);

    const std::string_view time_in_force = message.text(59);
    sender.time_in_force = time_in_force.empty() ? '0' : time_in_force.front();
    command.lifetime = llmes::Lifetime::Day;
    switch (sender.time_in_force) {
      case '0': break;
      case '3':
      case '4':
        command.lifetime = llmes::Lifetime::UntilCancelled;
        command.time_in_force =
            sender.time_in_force == '3' ? llmes::TimeInForce::ImmediateOrCancel : llmes::TimeInForce::FillOrKill;
        break;
      case '6':
        command.lifetime = llmes::Lifetime::UntilTime;
        command.expiry = message.time(126).value_or(0);
        if (command.expiry == 0 || sender.type == EntryType::Replace) refuse(refused::unsupported);
        break;
      default: refuse(refused::unsupported);
    }
    if (message.text(18) == "6") {
      if (command.time_in_force != llmes::TimeInForce::GoodTillCancel) refuse(refused::unsupported);
      command.time_in_force = llmes::TimeInForce::PostOnly;
    }
    if (message.find(110) != nullptr) {
      const std::optional<Quantity> minimum = quantity(message, 110);
      if (!minimum) refuse(refused::quantity);
      command.minimum = minimum.value_or(0);
    }
    sender.display = 'Y';
    const std::uint32_t display_tag = message.find(1138) != nullptr ? 1138 : 111;
    if (message.find(display_tag) != nullptr) {
      const std::optional<Quantity> peak = quantity(message, display_tag);
      if (!peak || *peak > command.quantity) refuse(refused::quantity);
      if (peak == Quantity{0}) {
        command.display = llmes::Display::Hidden;
        sender.display = 'N';
      } else if (peak && *peak < command.quantity) {
        command.display = llmes::Display::Reserve;
        command.peak = *peak;
      }
    }
  }

  void read_prices(const fix::Message& message) noexcept {
    VenueCommand& command = record_.command;
    Sender& sender = record_.sender;
    const ListedSymbol* const symbol = symbols_.find(message.text(55));
    if (symbol == nullptr || message.text(55).size() > 8)
      return refuse(static_cast<std::uint16_t>(ouch::RejectReason::InvalidSymbol));
    command.book = symbol->book;
    const auto price_of = [&](std::uint32_t tag) {
      const std::optional<std::int64_t> price4 = fix::read_decimal(message.text(tag), 4);
      if (!price4 || *price4 <= 0 || *price4 > std::numeric_limits<std::uint32_t>::max() ||
          static_cast<std::uint64_t>(*price4) % symbol->tick != 0) {
        refuse(static_cast<std::uint16_t>(ouch::RejectReason::InvalidPrice));
        return std::uint64_t{0};
      }
      return static_cast<std::uint64_t>(*price4);
    };
    const char type = message.text(40).front();
    const bool is_market = type == '1' || type == '3';
    if (is_market) {
      command.type = llmes::VenueCommandType::AddMarket;
      command.lifetime = llmes::Lifetime::UntilCancelled;
      if (sender.type == EntryType::Replace) refuse(refused::unsupported);
    } else {
      sender.price4 = price_of(44);
      command.price = static_cast<Price>(sender.price4 / symbol->tick);
    }
    if (type == '3' || type == '4') {
      command.stop = llmes::StopTrigger::LastTrade;
      command.trigger = static_cast<Price>(price_of(99) / symbol->tick);
      command.lifetime = llmes::Lifetime::UntilCancelled;
      if (sender.type == EntryType::Replace) refuse(refused::unsupported);
    }
  }

  const Symbols& symbols_;
  EntryRecord record_;
};

// ---- Out.

/// Whether a client of FIX is told of an outcome.
[[nodiscard]] constexpr bool has_fix_message(const Outcome& outcome) noexcept {
  switch (outcome.kind) {
    case OutcomeKind::Accepted:
    case OutcomeKind::Replaced:
    case OutcomeKind::Executed:
    case OutcomeKind::Canceled:
    case OutcomeKind::SelfTradeCanceled:
    case OutcomeKind::Modified:
    case OutcomeKind::Rejected:
    case OutcomeKind::CancelRejected:
    case OutcomeKind::Broken: return true;
    default: return false;
  }
}

namespace detail {

/// OrdRejReason, and words.
struct Refusal {
  std::uint16_t number = 99;
  std::string_view words{};
};
[[nodiscard]] inline Refusal refusal_of(const Outcome& outcome) noexcept {
  using llmes::VenueStatus;
  switch (outcome.reject) {
    case refused::duplicate: return {6, "ClOrdID was used before"};
    case refused::unsupported: return {11, "the order has terms that are not supported"};
    case refused::quantity: return {13, "a quantity is no whole number of lots, or out of range"};
    case refused::account: return {15, "the account is not that of the user"};
    default: break;
  }
  switch (outcome.status) {
    case VenueStatus::Success: break;
    case VenueStatus::UnknownBook: return {1, "unknown symbol"};
    case VenueStatus::Closed:
    case VenueStatus::Halted: return {2, to_string(outcome.status)};
    case VenueStatus::RefusedByRisk: return {3, to_string(outcome.risk)};
    case VenueStatus::RefusedByBook: return {99, to_string(outcome.result)};
    default: return {99, to_string(outcome.status)};
  }
  switch (static_cast<ouch::RejectReason>(outcome.reject)) {
    case ouch::RejectReason::InvalidSymbol: return {1, "unknown symbol"};
    case ouch::RejectReason::InvalidPrice: return {99, "the price is no multiple of the tick, or out of range"};
    default: return {99, "the order cannot be processed"};
  }
}

inline void write_symbol(fix::FieldWriter& fields, std::uint64_t symbol) noexcept {
  const std::string name = symbol_name(symbol);
  fields.text(55, name.empty() ? std::string_view("?") : name);
}

[[nodiscard]] inline std::span<const std::byte> write_cancel_reject(const Outcome& outcome,
                                                                    fix::FieldWriter& fields) noexcept {
  const Refusal why = refusal_of(outcome);
  const bool is_cancel = outcome.reference == outcome.original;
  const bool is_unknown = outcome.status == llmes::VenueStatus::UnknownOrder;
  fields.raw("").text(37, is_unknown ? "NONE" : fix::ValueText(order_id(outcome.user, outcome.original)).view());
  fields.text(11, view_of(outcome.client_id)).text(41, view_of(outcome.original_client_id));
  fields.letter(39, is_unknown ? '8' : '0').letter(434, is_cancel ? '1' : '2');
  fields.number(102, is_unknown ? 1 : 2).text(58, is_unknown ? "unknown order" : why.words);
  fields.time(60, outcome.time, 6);
  return fields.bytes();
}
}  // namespace detail

/// Writes what a client of FIX is told, as a store has it: one that `has_fix_message`.
/// @param number of this message in the day, from 1 on
/// @param room at least 1,000 bytes
/// @return the bytes in `room`
[[nodiscard]] inline std::span<const std::byte> write_fix(const Outcome& outcome, std::uint64_t number,
                                                          std::span<std::byte> room) noexcept {
  using Kind = OutcomeKind;
  const bool is_reject_of_change = outcome.kind == Kind::Rejected && outcome.original != 0;
  const bool is_cancel_reject = outcome.kind == Kind::CancelRejected || is_reject_of_change;
  fix::FieldWriter fields(room);
  fields.text(35, is_cancel_reject ? "9" : "8").time(52, outcome.time, 3);
  if (is_cancel_reject) return detail::write_cancel_reject(outcome, fields);

  const bool is_done = outcome.leaves == 0;
  const char open = outcome.cumulative == 0 ? '0' : '1';
  char type = 'D';  // restated
  char status = open;
  switch (outcome.kind) {
    case Kind::Accepted: type = '0'; break;
    case Kind::Replaced: type = '5'; break;
    case Kind::Executed:
      type = 'F';
      status = is_done ? '2' : '1';
      break;
    case Kind::Canceled:
    case Kind::SelfTradeCanceled:
      if (is_done) type = status = outcome.reason == 'T' || outcome.reason == 'E' ? 'C' : '4';
      break;
    case Kind::Rejected: type = status = '8'; break;
    case Kind::Broken:
      type = 'H';
      status = '1';
      break;
    default: break;
  }
  fields.number(37, order_id(outcome.user, outcome.reference)).number(17, number);
  fields.letter(150, type).letter(39, status);
  fields.text(11, view_of(outcome.client_id)).text(41, view_of(outcome.original_client_id));
  detail::write_symbol(fields, outcome.symbol);
  fields.letter(54, outcome.side == 'B' ? '1' : outcome.side == 'S' ? '2' : '5');
  const Quantity ordered = outcome.kind == Kind::Rejected ? outcome.quantity : outcome.ordered;
  if (ordered != 0) fields.number(38, ordered);
  if (outcome.kind == Kind::Executed || outcome.kind == Kind::Broken) {
    fields.number(32, outcome.quantity).decimal(31, static_cast<std::int64_t>(outcome.price4), 4);
  } else if (outcome.price4 != 0) {
    fields.decimal(44, static_cast<std::int64_t>(outcome.price4), 4);
  }
  fields.number(151, outcome.leaves).number(14, outcome.cumulative);
  const std::uint64_t lots = std::max<std::uint64_t>(outcome.cumulative, 1);
  const std::uint64_t average = outcome.value / lots * 10'000 + outcome.value % lots * 10'000 / lots;
  fields.decimal(6, static_cast<std::int64_t>(average), 8);
  if (type == 'D') fields.number(378, 5);
  if (outcome.kind == Kind::Rejected) {
    const detail::Refusal why = detail::refusal_of(outcome);
    fields.number(103, why.number).text(58, why.words);
  }
  fields.time(60, outcome.time, 6);
  return fields.bytes();
}

}  // namespace exchange
