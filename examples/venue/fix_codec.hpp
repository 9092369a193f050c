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

  /// What no record can hold, and no answer can repeat: an id or a symbol that is too long. Nothing is cut.
  [[nodiscard]] static std::optional<fix::Rejection> check(const fix::Message& message) noexcept {
    using enum fix::RejectReason;
    for (const std::uint32_t tag : {11u, 41u, 55u}) {
      const std::string_view value = message.text(tag);
      const bool is_id = tag != 55;
      if (value.find('\0') != value.npos)
        return fix::Rejection{IncorrectFormat, tag, value, "A text has no letter 0"};
      if (value.size() > (is_id ? ClientId{}.size() : 8))
        return fix::Rejection{IncorrectValue, tag, value,
                              is_id ? "An id has more than 64 letters" : "A symbol has more than 8 letters"};
    }
    return {};
  }

  /// A record without a time, of a message that passes `check`.
  /// @param reference of the new order
  /// @param original of the order that the message names; 0: of none
  /// @param has_come whether a message with its ClOrdID has come today
  [[nodiscard]] EntryRecord read(const fix::Message& message, std::uint32_t reference, std::uint32_t original,
                                 bool has_come) noexcept {
    Sender& sender = record_.sender;
    sender.reference = reference;
    sender.original = original;
    sender.symbol = pack_symbol(message.text(55));
    sender.texts.set_client_id(message.text(11));
    if (SenderTexts::fit(message.text(11), message.text(41))) {
      sender.texts.set_original(message.text(41));
    } else {
      sender.texts.set_original_before();
    }
    const char side = message.text(54).front();
    sender.side = side == '1' ? 'B' : side == '2' ? 'S' : 'T';
    if (has_come) refuse(refused::duplicate, message, 11);
    const std::string_view account = message.text(1);
    if (!account.empty() && fix::read_number(account) != std::uint64_t{record_.command.account})
      refuse(refused::account, message, 1);
    const bool is_other = original != 0 && message.find(37) != nullptr &&
                          message.text(37) != fix::ValueText(order_id(sender.user, original)).view();
    if (is_other) refuse(refused::order_id, message, 37);
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
    for (const std::uint16_t tag : std::array<std::uint16_t, 7>{1138, 111, 110, 18, 99, 59, 40})
      name(message, tag);
    return record_;
  }
  /// The record that goes before, if there must be one.
  [[nodiscard]] std::optional<EntryRecord> before(const fix::Message& message) const noexcept {
    if (!record_.sender.texts.has_original_before()) return {};
    EntryRecord record;
    record.sender.type = EntryType::Original;
    record.sender.user = record_.sender.user;
    record.sender.protocol = Protocol::Fix;
    record.sender.texts.set_client_id(message.text(41));
    return record;
  }

 private:
  /// @param reason what is wrong with the field if it is there
  void refuse(std::uint16_t reason, const fix::Message& message, std::uint16_t tag) noexcept {
    Sender& sender = record_.sender;
    if (sender.refused != 0) return;
    sender.refused = message.find(tag) == nullptr ? refused::missing : reason;
    sender.refused_tag = tag;
    sender.texts.set_value(message.text(tag));
  }
  /// Names a field, if it is the first one.
  void name(const fix::Message& message, std::uint16_t tag) noexcept {
    Sender& sender = record_.sender;
    if (sender.refused_tag != 0 || message.find(tag) == nullptr) return;
    sender.refused_tag = tag;
    sender.texts.set_value(message.text(tag));
  }
  [[nodiscard]] static std::optional<Quantity> quantity(const fix::Message& message, std::uint32_t tag) noexcept {
    const std::optional<std::int64_t> lots = fix::read_decimal(message.text(tag), 0);
    if (!lots || *lots < 0 || *lots > std::numeric_limits<std::uint32_t>::max()) return {};
    return static_cast<Quantity>(*lots);
  }

  void read_terms(const fix::Message& message) noexcept {
    VenueCommand& command = record_.command;
    Sender& sender = record_.sender;
    command.side = sender.side == 'B' ? llmes::Side::Buy : llmes::Side::Sell;
    command.quantity = quantity(message, 38).value_or(0);
    if (command.quantity == 0) refuse(refused::quantity, message, 38);

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
        if (sender.type == EntryType::Replace) refuse(refused::unsupported, message, 59);
        if (command.expiry == 0) refuse(refused::unsupported, message, 126);
        break;
      default: refuse(refused::unsupported, message, 59);
    }
    if (message.text(18) == "6") {
      if (command.time_in_force != llmes::TimeInForce::GoodTillCancel) refuse(refused::unsupported, message, 18);
      command.time_in_force = llmes::TimeInForce::PostOnly;
    }
    if (message.find(110) != nullptr) {
      const std::optional<Quantity> minimum = quantity(message, 110);
      if (!minimum) refuse(refused::quantity, message, 110);
      const bool is_immediate = command.time_in_force == llmes::TimeInForce::ImmediateOrCancel;
      if (minimum.value_or(0) != 0 && !is_immediate) refuse(refused::unsupported, message, 110);
      command.minimum = minimum.value_or(0);
    }
    sender.display = 'Y';
    const std::uint16_t display_tag = message.find(1138) != nullptr ? 1138 : 111;
    if (message.find(display_tag) != nullptr) {
      const std::optional<Quantity> peak = quantity(message, display_tag);
      if (!peak || *peak > command.quantity) refuse(refused::quantity, message, display_tag);
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
    if (symbol == nullptr)
      return refuse(static_cast<std::uint16_t>(ouch::RejectReason::InvalidSymbol), message, 55);
    command.book = symbol->book;
    const auto price_of = [&](std::uint16_t tag) {
      const std::optional<std::int64_t> price4 = fix::read_decimal(message.text(tag), 4);
      if (!price4 || *price4 <= 0 || *price4 > std::numeric_limits<std::uint32_t>::max() ||
          static_cast<std::uint64_t>(*price4) % symbol->tick != 0) {
        refuse(static_cast<std::uint16_t>(ouch::RejectReason::InvalidPrice), message, tag);
        return std::uint64_t{0};
      }
      return static_cast<std::uint64_t>(*price4);
    };
    const char type = message.text(40).front();
    const bool is_market = type == '1' || type == '3';
    if (is_market) {
      command.type = llmes::VenueCommandType::AddMarket;
      command.lifetime = llmes::Lifetime::UntilCancelled;
      if (sender.type == EntryType::Replace) refuse(refused::unsupported, message, 40);
    } else {
      sender.price4 = price_of(44);
      command.price = static_cast<Price>(sender.price4 / symbol->tick);
    }
    if (type == '3' || type == '4') {
      command.stop = llmes::StopTrigger::LastTrade;
      command.trigger = static_cast<Price>(price_of(99) / symbol->tick);
      command.lifetime = llmes::Lifetime::UntilCancelled;
      if (sender.type == EntryType::Replace) refuse(refused::unsupported, message, 40);
    }
  }

  const Symbols& symbols_;
  EntryRecord record_;
};

// ---- Out.

namespace detail {

/// OrdRejReason, words, and the tag that they are about; 0: about none.
struct Refusal {
  std::uint16_t number = 99;
  std::string_view words{};
  std::uint16_t tag = 0;
};
[[nodiscard]] inline Refusal refusal_of_venue(const Outcome& outcome) noexcept {
  using llmes::RiskStatus;
  using llmes::Status;
  using llmes::VenueStatus;
  const std::string_view words = to_string(outcome.status);
  constexpr Refusal terms{11, "these terms do not go together"};
  switch (outcome.status) {
    case VenueStatus::UnknownBook: return {1, "unknown symbol", 55};
    case VenueStatus::InvalidCommand: return terms;
    case VenueStatus::Closed:
    case VenueStatus::Halted: return {2, words};
    case VenueStatus::UnknownOrder: return {5, words};
    case VenueStatus::InvalidQuantity:
    case VenueStatus::OffLot: return {13, words, 38};
    case VenueStatus::OffTick:
    case VenueStatus::OutsideBands: return {99, words, 44};
    case VenueStatus::InvalidTrigger: return {99, words, 99};
    case VenueStatus::ExpiryPassed: return {4, words, 126};
    case VenueStatus::NotInAuction: return {99, words, 59};
    case VenueStatus::RefusedByRisk:
      switch (outcome.risk) {
        case RiskStatus::QuantityLimit:
        case RiskStatus::OpenQuantityLimit:
        case RiskStatus::PositionLimit: return {3, to_string(outcome.risk), 38};
        case RiskStatus::OutsideCollar: return {3, to_string(outcome.risk), 44};
        case RiskStatus::NeedsPrice: return {3, to_string(outcome.risk), 40};
        default: return {3, to_string(outcome.risk)};
      }
    case VenueStatus::RefusedByBook:
      switch (outcome.result) {
        case Status::InvalidQuantity:
        case Status::QuantityOverflow: return {13, to_string(outcome.result), 38};
        case Status::PriceOutOfBand:
        case Status::WouldCross: return {99, to_string(outcome.result), 44};
        case Status::InvalidCommand: return terms;
        case Status::NotFillable: return {99, to_string(outcome.result), 38};
        default: return {99, to_string(outcome.result)};
      }
    default: return {99, words};
  }
}
[[nodiscard]] inline Refusal refusal_of(const Outcome& outcome) noexcept {
  switch (outcome.reject) {
    case refused::order_id: return {5, "the OrderID is not that of the order", 37};
    case refused::duplicate: return {6, "ClOrdID was used before", 11};
    case refused::unsupported: return {11, "the order has terms that are not supported"};
    case refused::quantity: return {13, "a quantity is no whole number of lots, or out of range", 38};
    case refused::account: return {15, "the account is not that of the user", 1};
    case refused::number: return {99, "the user has no number for another order today"};
    case refused::symbol: return {99, "the symbol is not that of the order", 55};
    case refused::side: return {99, "the side is not that of the order", 54};
    case refused::missing: return {99, "an order of this type needs the field"};
    case refused::traded: return {99, "the quantity is not above what has traded", 38};
    default: break;
  }
  if (outcome.status != llmes::VenueStatus::Success) return refusal_of_venue(outcome);
  switch (static_cast<ouch::RejectReason>(outcome.reject)) {
    case ouch::RejectReason::InvalidSymbol: return {1, "unknown symbol", 55};
    case ouch::RejectReason::InvalidPrice:
      return {99, "the price is no multiple of the tick, or out of range", 44};
    default: return {99, "the order cannot be processed"};
  }
}

[[nodiscard]] constexpr char side_letter(char side) noexcept {
  return side == 'B' ? '1' : side == 'S' ? '2' : '5';
}

/// For Text (58): why, the tag, and the value as it came, or as the outcome has it.
[[nodiscard]] inline fix::Words refusal_words(const Outcome& outcome, const Refusal& why) {
  fix::Words words(why.words);
  if (outcome.refused_tag != 0) {
    const std::span<const std::byte> value = outcome.bytes();
    return words.about(outcome.refused_tag, {reinterpret_cast<const char*>(value.data()), value.size()});
  }
  const auto decimal = [](std::uint64_t price4) {
    return fix::ValueText::of_decimal(static_cast<std::int64_t>(price4), 4);
  };
  switch (why.tag) {
    case 0: return words;
    case 11: return words.about(11, view_of(outcome.client_id));
    case 38: return words.about(38, fix::ValueText(outcome.quantity).view());
    case 44: return words.about(44, outcome.price4 == 0 ? std::string_view{} : decimal(outcome.price4).view());
    case 54: return words.about(54, {std::array{side_letter(outcome.side)}.data(), 1});
    case 55: return words.about(55, symbol_name(outcome.symbol));
    default: return words.about(why.tag, {});
  }
}

inline void write_symbol(fix::FieldWriter& fields, std::uint64_t symbol) noexcept {
  const std::string name = symbol_name(symbol);
  fields.text(55, name.empty() ? std::string_view("?") : name);
}

[[nodiscard]] inline std::span<const std::byte> write_cancel_reject(const Outcome& outcome,
                                                                    fix::FieldWriter& fields) noexcept {
  // What is wrong with the message itself counts first; then nothing but an order that is open has lots.
  const bool is_cancel = outcome.reference == outcome.original;
  const bool is_unknown = outcome.leaves == 0;
  const bool is_not_named = outcome.reject == 0 && outcome.status == llmes::VenueStatus::UnknownOrder;
  const Refusal why = refusal_of(outcome);
  const fix::Words words = is_not_named
                               ? fix::Words("unknown order").about(41, view_of(outcome.original_client_id))
                               : refusal_words(outcome, why);
  const unsigned reason = is_not_named ? 1 : outcome.reject == refused::duplicate ? 6 : 2;
  fields.raw("").text(37, is_unknown ? "NONE" : fix::ValueText(order_id(outcome.user, outcome.original)).view());
  fields.text(11, view_of(outcome.client_id)).text(41, view_of(outcome.original_client_id));
  fields.letter(39, is_unknown ? '8' : outcome.cumulative == 0 ? '0' : '1').letter(434, is_cancel ? '1' : '2');
  fields.number(102, reason).text(58, words.view());
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
  fields.text(35, is_cancel_reject ? "9" : "8").time(52, fix::next_millisecond(outcome.time), 3);
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
  fields.letter(54, detail::side_letter(outcome.side));
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
    fields.number(103, why.number).text(58, detail::refusal_words(outcome, why).view());
  }
  fields.time(60, outcome.time, 6);
  return fields.bytes();
}

}  // namespace exchange
