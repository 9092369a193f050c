// SPDX-License-Identifier: MIT
//
// Values as text, for logs: `to_string` and `operator<<` for every enumerator and value. Each allocates memory.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>

#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

// ---- Values: one line each.

/// "handle 7:3" (slot and generation) or "no handle".
[[nodiscard]] inline std::string to_string(OrderHandle handle) {
  if (handle == OrderHandle{}) return "no handle";
  return "handle " + std::to_string(handle.index) + ':' + std::to_string(handle.generation);
}

[[nodiscard]] inline std::string to_string(const BookConfig& config) {
  return "base price " + std::to_string(config.base_price) + ", capacity " + std::to_string(config.capacity) +
         ", quantities up to " + std::to_string(config.quantity_max);
}

[[nodiscard]] inline std::string to_string(const Result& result) {
  std::string text(to_string(result.status));
  text += ", filled " + std::to_string(result.filled) + ", remaining " + std::to_string(result.remaining) +
          ", cancelled " + std::to_string(result.cancelled) + ", " + to_string(result.handle);
  if (result.kept_place) text += ", kept its place";
  return text;
}

[[nodiscard]] inline std::string to_string(const Trade& trade) {
  return std::to_string(trade.quantity) + " at " + std::to_string(trade.price) + ", taker " +
         std::to_string(trade.taker_id) + ' ' + std::string(to_string(trade.taker_side)) + " left with " +
         std::to_string(trade.taker_remaining) + ", maker " + std::to_string(trade.maker_id) + " left with " +
         std::to_string(trade.maker_remaining) + ", " + to_string(trade.maker_handle);
}

[[nodiscard]] inline std::string to_string(const RestingOrder& order) {
  return std::string(to_string(order.side)) + ' ' + std::to_string(order.quantity) + " at " +
         std::to_string(order.price) + ", id " + std::to_string(order.id) + ", " + to_string(order.handle);
}

[[nodiscard]] inline std::string to_string(const DepthLevel& level) {
  return std::to_string(level.quantity) + " at " + std::to_string(level.price) + " in " +
         std::to_string(level.order_count) + (level.order_count == 1 ? " order" : " orders");
}

[[nodiscard]] inline std::string to_string(const QueuePosition& position) {
  return std::to_string(position.quantity) + " in " + std::to_string(position.order_count) +
         (position.order_count == 1 ? " order" : " orders") + " before it";
}

// ---- What books with rules add.

[[nodiscard]] inline std::string to_string(const RuledTrade& trade) {
  return to_string(static_cast<const Trade&>(trade)) + ", shows " + std::to_string(trade.maker_displayed) +
         (trade.maker_display == Display::Whole ? "" : " of " + std::string(to_string(trade.maker_display))) +
         ", owners " + std::to_string(trade.taker_owner) + " and " + std::to_string(trade.maker_owner);
}

[[nodiscard]] inline std::string to_string(const PreventedMatch& match) {
  return std::to_string(match.quantity) + " prevented at " + std::to_string(match.price) + " by " +
         std::string(to_string(match.mode)) + " of owner " + std::to_string(match.owner) + ", taker " +
         std::to_string(match.taker_id) + ' ' + std::string(to_string(match.taker_side)) + " left with " +
         std::to_string(match.taker_remaining) + ", maker " + std::to_string(match.maker_id) + " left with " +
         std::to_string(match.maker_remaining) + " after showing " + std::to_string(match.maker_showed) + ", " +
         to_string(match.maker_handle);
}

[[nodiscard]] inline std::string to_string(const RestingTerms& terms) {
  std::string text = "owner " + std::to_string(terms.owner) + ", " + std::string(to_string(terms.display));
  if (terms.display == Display::Reserve) text += " of peak " + std::to_string(terms.peak);
  if (terms.display != Display::Whole) text += " with " + std::to_string(terms.reserve) + " more";
  return text;
}

[[nodiscard]] inline std::string to_string(const OrderTerms& terms) {
  std::string text = "owner " + std::to_string(terms.owner) + ", " + std::string(to_string(terms.self_trade)) +
                     ", " + std::string(to_string(terms.display));
  if (terms.display == Display::Reserve) text += " of peak " + std::to_string(terms.peak);
  if (terms.minimum != 0) text += ", at least " + std::to_string(terms.minimum);
  if (terms.client_tag != 0) text += ", tag " + std::to_string(terms.client_tag);
  return text;
}

[[nodiscard]] inline std::string to_string(const CancelScope& scope) {
  std::string text = scope.owner == 0 ? "everybody's" : "owner " + std::to_string(scope.owner);
  if (scope.book) text += ", book " + std::to_string(*scope.book);
  if (scope.side) text += ", " + std::string(to_string(*scope.side));
  return text + ", from " + std::to_string(scope.lowest) + " to " + std::to_string(scope.highest);
}

// ---- Call auctions.

[[nodiscard]] inline std::string to_string(const AuctionPrice& price) {
  std::string text = std::to_string(price.quantity) + " at " + std::to_string(price.price);
  if (price.imbalance == 0) return text + ", none left over";
  return text + ", " + std::string(to_string(price.side)) + ' ' + std::to_string(price.imbalance) + " left over";
}

[[nodiscard]] inline std::string to_string(const AuctionMatch& match) {
  const auto text_of = [](const AuctionOrder& order) {
    return std::to_string(order.id) + " left with " + std::to_string(order.remaining) + ", shows " +
           std::to_string(order.displayed) + ", owner " + std::to_string(order.owner);
  };
  return std::to_string(match.quantity) + " at " + std::to_string(match.price) + ", buy " + text_of(match.buy) +
         ", sell " + text_of(match.sell);
}

// ---- Commands.

/// Contains only what the call reads.
template <class Name, class Terms>
[[nodiscard]] std::string to_string(const BasicCommand<Name, Terms>& command) {
  const auto text_of_id = [](OrderId id) { return "id " + std::to_string(id); };
  std::string text(to_string(command.type));
  if constexpr (std::same_as<Terms, OrderTerms>) {
    if (command.type == CommandType::MassCancel) return text + ' ' + to_string(command.scope());
  }
  if (adds(command.type)) {
    text += ' ' + text_of_id(command.id) + ", " + std::string(to_string(command.side));
  } else if constexpr (std::same_as<Name, OrderHandle>) {
    text += ' ' + to_string(command.handle);
  } else {
    text += ' ' + text_of_id(command.id);
  }
  if (has_new_id(command.type)) {
    text += (replaces(command.type) ? " by " : ", new ") + text_of_id(command.replacing_id());
  }
  if (command.type != CommandType::Cancel) text += ", " + std::to_string(command.quantity);
  if (has_price(command.type)) text += " at " + std::to_string(command.price);
  if (has_time_in_force(command.type)) text += ", " + std::string(to_string(command.time_in_force));
  if constexpr (std::same_as<Terms, OrderTerms>) {
    if (command.terms != OrderTerms{}) text += ", " + to_string(command.terms);
  }
  return text;
}
template <class Name, class Terms>
[[nodiscard]] std::string to_string(const BasicBookCommand<Name, Terms>& command) {
  if constexpr (std::same_as<Terms, OrderTerms>) {
    if (command.type == CommandType::MassCancel) return "MassCancel " + to_string(command.scope());
  }
  return "book " + std::to_string(command.book) + ": " +
         to_string(static_cast<const BasicCommand<Name, Terms>&>(command));
}

/// Writes the text of a value of this library.
template <class Traits, OneOf<OrderHandle, BookConfig, Result, Trade, RestingOrder, DepthLevel, QueuePosition,
                              RuledTrade, PreventedMatch, RestingTerms, OrderTerms, CancelScope, AuctionPrice,
                              AuctionMatch, AuctionTrade, PreventedAuctionTrade, Command, BookCommand, Request,
                              BookRequest, RuledCommand, RuledBookCommand, RuledRequest, RuledBookRequest>
                            T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const T& value) {
  return out << to_string(value);
}

}  // namespace llmes::inline LLMES_NAMESPACE
