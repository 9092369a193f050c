// SPDX-License-Identifier: MIT
//
// The arguments of a book's calls, their results and statuses. Prices are ticks, quantities lots, never floats.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>  // also declares std::hash
#include <type_traits>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Gives the tests access to private members. The tests define it; the product does not use it.
struct BookInspector;

/// A price in ticks. Negative prices are ordinary prices.
using Price = std::int64_t;

/// A quantity in lots. An order's quantity is never 0.
using Quantity = std::uint64_t;

/// The caller's name for an order. The book only stores and reports it, so it need not be unique.
using OrderId = std::uint64_t;

/// A book of a set (see book_set.hpp): 0 is the first one.
using BookNumber = std::uint32_t;

/// Nanoseconds since any moment. They come with each call or command; nothing here reads a clock.
using Nanoseconds = std::uint64_t;

enum class Side : std::uint8_t { Buy, Sell };

[[nodiscard]] constexpr Side opposite(Side side) noexcept {
  return side == Side::Buy ? Side::Sell : Side::Buy;
}

/// What happens to the part of a limit order that does not trade at once. In FIX, post-only is an execution
/// instruction. It is a time in force here, because it excludes the other three.
enum class TimeInForce : std::uint8_t {
  GoodTillCancel,     ///< it rests
  PostOnly,           ///< the whole order rests; it is rejected if any of it would trade
  ImmediateOrCancel,  ///< it is dropped
  FillOrKill,         ///< filled completely at once, or rejected
};

/// A book's name for a resting order, valid while the order rests, through every modify. Afterwards it names
/// nothing, even if another order uses the slot. The same handle returns only after 2^31 further uses of the slot.
/// A default-constructed handle names nothing. A handle belongs to the book that issued it, also after that book
/// has been moved; in another book it may name another order. It is not a secret: anyone who guesses a live one
/// can use it. Treat the members as opaque.
struct OrderHandle {
  std::uint32_t index = 0;       ///< the order's slot in the pool
  std::uint32_t generation = 0;  ///< the use of that slot

  /// Both members as one number, to keep a handle in a message or a map.
  [[nodiscard]] constexpr std::uint64_t value() const noexcept {
    return (std::uint64_t{generation} << 32) | index;
  }
  [[nodiscard]] static constexpr OrderHandle from_value(std::uint64_t value) noexcept {
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  }
  /// The order of handles has no meaning; it serves sorting and maps.
  friend constexpr auto operator<=>(OrderHandle, OrderHandle) = default;
};

/// The outcome of a call. Everything but `Success` is a rejection, which changes nothing.
enum class Status : std::uint8_t {
  Success,
  InvalidCommand,    ///< the side, time in force or command type is not an enumerator
  InvalidQuantity,   ///< 0, negative, above `quantity_max`, or a reduction by more than is open
  PriceOutOfBand,    ///< the book cannot hold this price
  WouldCross,        ///< post-only, and some of it would trade
  NotFillable,       ///< fill-or-kill, and not all of it would trade
  PoolFull,          ///< the order would rest and no slot is free; in a set: or no far level is
  QuantityOverflow,  ///< the total of the price level would not fit a `Quantity`
  UnknownOrder,      ///< the handle, or the id, names no resting order
  DuplicateId,       ///< by id: an order with this id rests
  NoRoomForId,       ///< by id: the index cannot hold this id
  UnknownBook,       ///< in a set: no book has this number (see book_set.hpp)
};

/// The limits of a book, fixed when it is made.
struct BookConfig {
  Price base_price = 0;      ///< the lowest price of the band, if there is one, in ticks; may be negative
  std::size_t capacity = 0;  ///< the largest number of resting orders
  /// The most lots of one add or modify; at least 1. It guards against mistyped orders.
  Quantity quantity_max = std::numeric_limits<Quantity>::max();
};

/// Why a book could not be made, if it could not.
enum class CreateStatus : std::uint8_t {
  Success,
  InvalidCapacity,     ///< a capacity of 0, or above the book's `capacity_max`
  InvalidBasePrice,    ///< the band would reach the largest `Price`, which no band holds
  InvalidQuantityMax,  ///< a largest quantity of 0
  InvalidBookCount,    ///< a set for no books, or for more than `books_max` (see book_set.hpp)
  InvalidIdRange,      ///< an index for no ids, or for some beyond the largest `OrderId` (see id_index.hpp)
  OutOfMemory,         ///< the system refuses the memory
  InvalidMode,         ///< of a venue: no phase, or a mode that no auction has
};

/// Takes the status of a call that is given no place for it.
struct NoStatus {
  CreateStatus status{};

  constexpr operator CreateStatus&() noexcept { return status; }
};

/// What a call did. Check the status first. A rejected modify, reduce or replace names the order, which rests
/// unchanged. Any other rejection leaves the other members at their defaults.
struct Result {
  Status status = Status::Success;
  OrderHandle handle{};    ///< names the order if it rests now; else nothing
  Quantity filled = 0;     ///< lots traded during the call
  Quantity remaining = 0;  ///< lots of the order that rest now
  /// Lots that a cancel or reduce removed, or that were dropped because the order may not rest. A change of
  /// quantity by a modify or a replace does not count.
  Quantity cancelled = 0;
  bool kept_place = false;  ///< the order rested before and kept its place in the queue

  /// Whether the order rests now.
  [[nodiscard]] constexpr bool rests() const noexcept { return remaining != 0; }

  friend constexpr bool operator==(const Result&, const Result&) = default;
};

/// One fill. Trades are reported in the order in which they happen, each at the maker's price.
struct Trade {
  OrderId taker_id = 0;
  OrderId maker_id = 0;
  OrderHandle maker_handle{};  ///< names the maker's order; already stale if `maker_remaining` is 0
  Price price = 0;
  Quantity quantity = 0;         ///< at least 1
  Quantity maker_remaining = 0;  ///< lots of the maker still resting after this trade
  Quantity taker_remaining = 0;  ///< lots of the taker still to trade, to rest or to be dropped
  Side taker_side = Side::Buy;

  friend constexpr bool operator==(const Trade&, const Trade&) = default;
};

/// A resting order as the queries report it.
struct RestingOrder {
  OrderHandle handle{};
  OrderId id = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;  ///< open lots

  friend constexpr bool operator==(const RestingOrder&, const RestingOrder&) = default;
};

/// A price level as the depth query reports it.
struct DepthLevel {
  Price price = 0;
  Quantity quantity = 0;          ///< open lots of all its orders together
  std::uint64_t order_count = 0;  ///< at least 1, except in the answer for an empty level

  friend constexpr bool operator==(const DepthLevel&, const DepthLevel&) = default;
};

/// Receives the orders of a visit. A visitor that returns `false` ends the visit.
template <class V>
concept OrderVisitor = requires(V& visitor, const RestingOrder& order) { visitor(order); };

/// What trades before an order at its price level.
struct QueuePosition {
  Quantity quantity = 0;          ///< open lots of the orders before it
  std::uint64_t order_count = 0;  ///< how many orders are before it

  friend constexpr bool operator==(const QueuePosition&, const QueuePosition&) = default;
};

/// Receives the trades of a matching call, each while the call is still matching. So it must not call the book;
/// only builds with LLMES_CHECK_PRECONDITIONS check this (see call_guard.hpp). If it throws, the program ends.
/// With rules, a book reports a `RuledTrade` (see terms.hpp).
template <class S, class TradeType = Trade>
concept TradeSink = requires(S& sink, const TradeType& trade) { sink(trade); };

/// A sink that ignores every trade.
struct DiscardTrades {
  constexpr void operator()(const Trade&) const noexcept {}
};

/// A sink of a span of commands. It may also take the index of the command that trades.
template <class S, class TradeType = Trade>
concept SpanTradeSink = TradeSink<S, TradeType> ||
                        requires(S& sink, const TradeType& trade, std::size_t index) { sink(trade, index); };

/// What a call did to the order that it names or adds: what rested before and what rests after. If nothing rests,
/// the member has no handle and its other fields mean nothing. After a rejection neither member means anything.
struct OrderChange {
  RestingOrder before{};
  RestingOrder after{};
  OrderHandle in_front_of{};  ///< of a new order that is not the youngest of its level: names the next one

  [[nodiscard]] constexpr bool rested() const noexcept { return before.handle != OrderHandle{}; }
  [[nodiscard]] constexpr bool rests() const noexcept { return after.handle != OrderHandle{}; }
};

/// Replaces an `OrderChange` that the caller does not want.
struct NoDetails {};

template <class Details>
concept WantsDetails = std::same_as<std::remove_cvref_t<Details>, OrderChange>;

/// A receiver of a span that also takes what each command changed.
template <class R>
concept ChangeReceiver = requires(R& receiver, const Result& result, std::size_t index,
                                  const OrderChange& change) { receiver(result, index, change); };

/// Receives the results of a span, one after each command; also its index, or as a `ChangeReceiver`.
template <class R>
concept ResultReceiver =
    requires(R& receiver, const Result& result) { receiver(result); } ||
    requires(R& receiver, const Result& result, std::size_t index) { receiver(result, index); } ||
    ChangeReceiver<R>;

}  // namespace llmes::inline LLMES_NAMESPACE

template <>
struct std::hash<llmes::OrderHandle> {
  [[nodiscard]] std::size_t operator()(llmes::OrderHandle handle) const noexcept {
    return std::hash<std::uint64_t>{}(handle.value());
  }
};
