// SPDX-License-Identifier: MIT
//
// What every book in this repository offers, so that one conformance suite and one benchmark serve them all: the
// public interface of `llmes::OrderBook`. A book that numbers its orders issues handles whose value is that
// number.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>

#include "llmes/book.hpp"

namespace llmes::bench {

template <class B>
concept MatchingBook = std::movable<B> && requires(B book, const B& const_book, const BookConfig& config,
                                                   OrderId id, Side side, Price price, Quantity quantity,
                                                   TimeInForce tif, OrderHandle handle, const Command& command,
                                                   DiscardTrades& sink, void (&visitor)(const RestingOrder&)) {
  { B::create(config) } -> std::same_as<std::optional<B>>;
  { book.add_limit_order(id, side, price, quantity, tif, sink) } -> std::same_as<Result>;
  { book.add_market_order(id, side, quantity, sink) } -> std::same_as<Result>;
  { book.cancel_order(handle) } -> std::same_as<Status>;
  { book.modify_order(handle, price, quantity, sink) } -> std::same_as<Result>;
  { book.reduce_order(handle, quantity) } -> std::same_as<Status>;
  { book.apply(command, sink) } -> std::same_as<Result>;
  { const_book.best_bid() } -> std::same_as<std::optional<Price>>;
  { const_book.best_ask() } -> std::same_as<std::optional<Price>>;
  { const_book.level(side, price) } -> std::same_as<DepthLevel>;
  { const_book.visit_orders(side, visitor) };
  { const_book.find(handle) } -> std::same_as<std::optional<RestingOrder>>;
  { const_book.size() } -> std::same_as<std::size_t>;
  { const_book.price_min() } -> std::same_as<Price>;
  { const_book.price_max() } -> std::same_as<Price>;
};

static_assert(MatchingBook<OrderBook<>>);

/// Makes the call that a command describes. Every book but the core implements `apply` with it.
template <class Book, TradeSink Sink>
[[gnu::always_inline]] inline Result dispatch(Book& book, const Command& command, Sink& sink) {
  switch (command.type) {
    case CommandType::AddLimit:
      return book.add_limit_order(command.id, command.side, command.price, command.quantity, command.time_in_force,
                                  sink);
    case CommandType::AddMarket: return book.add_market_order(command.id, command.side, command.quantity, sink);
    case CommandType::Cancel: return {book.cancel_order(command.handle)};
    case CommandType::Modify: return book.modify_order(command.handle, command.price, command.quantity, sink);
    case CommandType::Reduce: return {book.reduce_order(command.handle, command.quantity)};
    default: return {Status::InvalidCommand};  // no stream has others
  }
}

}  // namespace llmes::bench
