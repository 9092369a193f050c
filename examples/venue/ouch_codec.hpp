// SPDX-License-Identifier: MIT
//
// OUCH as the exchange speaks it: what a client may send becomes a record of the journal, and an outcome becomes a
// message. Both are functions of their arguments alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "entry.hpp"
#include "llmes/wire.hpp"
#include "outcome.hpp"

namespace exchange {

namespace ouch = llmes::ouch;

/// What is traded, as a client's message is read with it.
struct ListedSymbol {
  BookNumber book = 0;
  std::uint64_t tick = 100;  ///< in ten-thousandths of a dollar
  Quantity lot = 1;
};

/// Reads the messages of one user.
template <class Symbols>
class OuchReader {
 public:
  /// @param symbols `find(name)` gives a pointer to a `ListedSymbol`, or nullptr
  /// @param midnight before now, since 1970
  OuchReader(const Symbols& symbols, UserId user, AccountNumber account, llmes::SelfTrade self_trade,
             Nanoseconds midnight) noexcept
      : symbols_(symbols), midnight_(midnight) {
    record_.sender.user = user;
    record_.command.account = account;
    record_.command.self_trade = self_trade;
  }

  /// A record without a time; nothing if the bytes are no message of a client, which has no place in the protocol.
  [[nodiscard]] std::optional<EntryRecord> read(std::span<const std::byte> message) noexcept {
    if (ouch::decode_client(message, *this) != ouch::DecodeStatus::Success) return {};
    return record_;
  }

  void operator()(const ouch::EnterOrder& order, std::span<const std::byte> appendage) noexcept {
    Sender& sender = record_.sender;
    sender.type = EntryType::Enter;
    record_.command.type = llmes::VenueCommandType::AddLimit;
    record_.command.id = order_id(sender.user, order.user_reference);
    sender.capacity = order.capacity;
    sender.cross_type = order.cross_type;
    terms(order, appendage);
    side(order.side.value());
    if (order.cross_type != 'N') refuse(ouch::RejectReason::InvalidCrossOrder);
    const ListedSymbol* const symbol = symbols_.find(order.symbol.view());
    if (symbol == nullptr) return refuse(ouch::RejectReason::InvalidSymbol);
    record_.command.book = symbol->book;
    if (!is_in_range(sender.price4) || sender.price4 % symbol->tick != 0)
      return refuse(ouch::RejectReason::InvalidPrice);
    record_.command.price = static_cast<Price>(sender.price4 / symbol->tick);
  }
  void operator()(const ouch::ReplaceOrder& order, std::span<const std::byte> appendage) noexcept {
    record_.sender.type = EntryType::Replace;
    record_.sender.original = order.original;
    terms(order, appendage);
    if (record_.command.lifetime == llmes::Lifetime::UntilTime || !is_in_range(record_.sender.price4)) {
      refuse(ouch::RejectReason::ProcessingError);  // the time of the original goes on
    }
  }
  void operator()(const ouch::CancelOrder& order, std::span<const std::byte> appendage) noexcept {
    record_.sender.type = EntryType::Cancel;
    record_.sender.reference = order.user_reference;
    record_.command.quantity = order.quantity;
    choose_nothing(appendage);
  }
  void operator()(const ouch::ModifyOrder& order, std::span<const std::byte> appendage) noexcept {
    record_.sender.type = EntryType::Modify;
    record_.sender.reference = order.user_reference;
    record_.command.quantity = order.quantity;
    side(order.side.value());
    choose_nothing(appendage);
  }
  void operator()(const ouch::MassCancel& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::MassCancel, message, appendage);
    record_.sender.symbol = pack_symbol(message.symbol.view());
    const bool is_known = message.symbol.view().empty() || symbols_.find(message.symbol.view()) != nullptr;
    if (!is_known) refuse(ouch::RejectReason::InvalidSymbol);
  }
  void operator()(const ouch::DisableEntry& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::DisableEntry, message, appendage);
  }
  void operator()(const ouch::EnableEntry& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::EnableEntry, message, appendage);
  }
  void operator()(const ouch::AccountQuery&) noexcept { record_.sender.type = EntryType::Query; }

 private:
  /// An element would choose some orders, or another sequence of them, which nobody does here.
  void choose_nothing(std::span<const std::byte> appendage) noexcept {
    if (!appendage.empty()) refuse(ouch::RejectReason::ProcessingError);
  }
  /// What these have in common.
  template <class M>
  void of_all_orders(EntryType type, const M& message, std::span<const std::byte> appendage) noexcept {
    record_.sender.type = type;
    record_.sender.reference = message.user_reference;
    record_.sender.texts.set_client_id(message.firm.view());
    choose_nothing(appendage);
  }
  [[nodiscard]] static constexpr bool is_in_range(std::uint64_t price4) noexcept {
    return price4 != 0 && price4 <= std::numeric_limits<std::uint32_t>::max();
  }

  void refuse(ouch::RejectReason reason) noexcept {
    if (record_.sender.refused == 0) record_.sender.refused = static_cast<std::uint16_t>(reason);
  }

  void side(ouch::Side side) noexcept {
    record_.sender.side = static_cast<char>(side);
    record_.command.side = side == ouch::Side::Buy ? llmes::Side::Buy : llmes::Side::Sell;
    const bool is_one = side == ouch::Side::Buy || side == ouch::Side::Sell || side == ouch::Side::SellShort ||
                        side == ouch::Side::SellShortExempt;
    if (!is_one) refuse(ouch::RejectReason::InvalidSide);
  }

  /// What a new order and a replace have in common.
  template <class M>
  void terms(const M& message, std::span<const std::byte> appendage) noexcept {
    Sender& sender = record_.sender;
    VenueCommand& command = record_.command;
    sender.reference = message.user_reference;
    sender.time_in_force = static_cast<char>(message.time_in_force.value());
    sender.display = static_cast<char>(message.display.value());
    sender.intermarket_sweep = message.intermarket_sweep;
    sender.price4 = message.price;
    sender.texts.set_client_id(message.client_id.view());
    command.quantity = message.quantity;
    command.lifetime = llmes::Lifetime::Day;
    switch (message.time_in_force.value()) {
      case ouch::TimeInForce::Day: break;
      case ouch::TimeInForce::ImmediateOrCancel:
        command.time_in_force = llmes::TimeInForce::ImmediateOrCancel;
        command.lifetime = llmes::Lifetime::UntilCancelled;
        break;
      case ouch::TimeInForce::GoodTillTime: command.lifetime = llmes::Lifetime::UntilTime; break;
      default: refuse(ouch::RejectReason::ProcessingError);
    }
    switch (message.display.value()) {
      case ouch::Display::Visible:
      case ouch::Display::Attributable: break;
      case ouch::Display::Hidden: command.display = llmes::Display::Hidden; break;
      default: refuse(ouch::RejectReason::InvalidDisplay);
    }
    if (message.intermarket_sweep == 'Y') refuse(ouch::RejectReason::IsoNotAllowed);
    if (!ouch::visit_elements(appendage, [this](const ouch::Element& element) { take(element); })) {
      refuse(ouch::RejectReason::ProcessingError);
    }
    const bool lacks_time = command.lifetime == llmes::Lifetime::UntilTime && command.expiry == 0;
    if (lacks_time) refuse(ouch::RejectReason::ProcessingError);
  }

  void take(const ouch::Element& element) noexcept {
    VenueCommand& command = record_.command;
    switch (element.tag) {
      case ouch::Tag::MinimumQuantity:
        command.minimum = element.number();
        if (command.minimum != 0 && command.time_in_force != llmes::TimeInForce::ImmediateOrCancel) {
          refuse(ouch::RejectReason::InvalidMinimumQuantity);
        }
        return;
      case ouch::Tag::MaxFloor:
        if (element.number() == 0) return;
        if (command.display == llmes::Display::Hidden || element.number() > command.quantity) {
          return refuse(ouch::RejectReason::InvalidMaxFloor);
        }
        if (element.number() == command.quantity) return;  // it shows all
        command.peak = element.number();
        command.display = llmes::Display::Reserve;
        return;
      case ouch::Tag::PostOnly:
        if (element.number() == 'N') return;
        if (element.number() != 'P' || command.time_in_force != llmes::TimeInForce::GoodTillCancel) {
          return refuse(ouch::RejectReason::ProcessingError);
        }
        command.time_in_force = llmes::TimeInForce::PostOnly;
        return;
      case ouch::Tag::ExpireTime: command.expiry = midnight_ + element.number() * 1'000'000'000; return;
      case ouch::Tag::PriceType:
      case ouch::Tag::PegOffset:
      case ouch::Tag::DiscretionPrice:
      case ouch::Tag::DiscretionPriceType:
      case ouch::Tag::DiscretionPegOffset: return refuse(ouch::RejectReason::InvalidPegType);
      case ouch::Tag::Route: return refuse(ouch::RejectReason::RoutingNotAllowed);
      case ouch::Tag::Firm:
      case ouch::Tag::CustomerType:
      case ouch::Tag::GroupId: return;  // they mean nothing here
      default: refuse(ouch::RejectReason::ProcessingError);
    }
  }

  const Symbols& symbols_;
  Nanoseconds midnight_;
  EntryRecord record_;
};

/// Calls `send` with the bytes of the message that an outcome is to its user, if it is one.
template <class Send>
void write_ouch(const Outcome& outcome, Send&& send) {
  using enum OutcomeKind;
  const auto side = static_cast<ouch::Side>(outcome.side);
  const std::uint64_t time = outcome.time % 86'400'000'000'000;
  const auto quantity = static_cast<std::uint32_t>(outcome.quantity);
  const ouch::Text<14> client_id = view_of(outcome.client_id);
  const std::array<char, 8> letters = symbol_letters(outcome.symbol);
  const auto give = [&send](const auto& message) { send(std::as_bytes(std::span(&message, 1))); };
  const auto fill_order = [&](auto& message) {
    message.timestamp = time;
    message.user_reference = outcome.reference;
    message.side = side;
    message.quantity = quantity;
    message.symbol = std::string_view(letters.data(), letters.size());
    message.price = outcome.price4;
    message.time_in_force = static_cast<ouch::TimeInForce>(outcome.time_in_force);
    message.display = static_cast<ouch::Display>(outcome.display);
    message.order_reference = outcome.order_reference;
    message.capacity = outcome.capacity;
    message.intermarket_sweep = outcome.intermarket_sweep;
    message.cross_type = outcome.cross_type;
    message.state = ouch::OrderState::Live;
    message.client_id = client_id;
    give(message);
  };
  switch (outcome.kind) {
    case SystemEvent:
      return give(
          ouch::SystemEvent{.timestamp = time, .event = static_cast<ouch::SystemEventCode>(outcome.reason)});
    case Accepted: {
      ouch::Accepted message;
      return fill_order(message);
    }
    case Replaced: {
      ouch::Replaced message;
      message.original = outcome.original;
      return fill_order(message);
    }
    case Executed:
      return give(ouch::Executed{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .quantity = quantity,
                                 .price = outcome.price4,
                                 .liquidity = outcome.liquidity,
                                 .match = outcome.match});
    case Canceled:
      return give(ouch::Canceled{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .quantity = quantity,
                                 .reason = static_cast<ouch::CancelReason>(outcome.reason)});
    case SelfTradeCanceled:
      return give(ouch::SelfTradeCanceled{.timestamp = time,
                                          .user_reference = outcome.reference,
                                          .decrement = quantity,
                                          .reason = ouch::CancelReason::SelfTrade,
                                          .prevented = quantity,
                                          .price = outcome.price4,
                                          .liquidity = outcome.liquidity,
                                          .strategy = 'D'});  // both are decremented
    case Modified:
      return give(ouch::Modified{
          .timestamp = time, .user_reference = outcome.reference, .side = side, .quantity = quantity});
    case PriorityUpdate:
      return give(ouch::PriorityUpdate{.timestamp = time,
                                       .user_reference = outcome.reference,
                                       .price = outcome.price4,
                                       .display = static_cast<ouch::Display>(outcome.display),
                                       .order_reference = outcome.order_reference});
    case Rejected:
      return give(ouch::Rejected{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .reason = static_cast<ouch::RejectReason>(outcome.reject),
                                 .client_id = client_id});
    case Broken:
      return give(ouch::BrokenTrade{.timestamp = time,
                                    .user_reference = outcome.reference,
                                    .match = outcome.match,
                                    .reason = outcome.reason,
                                    .client_id = client_id});
    case MassCanceled:
      return give(ouch::MassCancelResponse{.timestamp = time,
                                           .user_reference = outcome.reference,
                                           .firm = view_of(outcome.client_id),
                                           .symbol = std::string_view(letters.data(), letters.size())});
    case EntryDisabled:
      return give(ouch::DisableEntryResponse{
          .timestamp = time, .user_reference = outcome.reference, .firm = view_of(outcome.client_id)});
    case EntryEnabled:
      return give(ouch::EnableEntryResponse{
          .timestamp = time, .user_reference = outcome.reference, .firm = view_of(outcome.client_id)});
    case QueryResponse:
      return give(ouch::QueryResponse{.timestamp = time, .next_user_reference = outcome.reference});
    case Feed:
    case SymbolKnown:
    case DayBegan:
    case CancelRejected: return;
  }
}

}  // namespace exchange
