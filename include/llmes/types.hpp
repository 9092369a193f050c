// SPDX-License-Identifier: MIT
//
// The vocabulary: what goes into a book, what comes out, and how a call says how it went.
// Prices are ticks, quantities are lots; neither is ever a float.
#pragma once

#include <cstdint>
#include <string_view>
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Gives the tests access to private members. The tests define it; the product does not use it.
struct BookInspector;

/// A price in ticks. Negative prices are ordinary prices.
using Price = std::int64_t;

/// A quantity in lots. An order's quantity is never 0.
using Quantity = std::uint64_t;

/// The caller's own name for an order. The book stores it and reports it in trades, and does nothing else with
/// it: it need not be unique.
using OrderId = std::uint64_t;

enum class Side : std::uint8_t { Buy, Sell };

[[nodiscard]] constexpr Side opposite(Side side) noexcept {
  return side == Side::Buy ? Side::Sell : Side::Buy;
}

/// What happens to the part of a limit order that does not trade at once. FIX calls post-only an execution
/// instruction and not a time in force. It stands here because it excludes the other three.
enum class TimeInForce : std::uint8_t {
  GoodTillCancel,     ///< it rests
  PostOnly,           ///< the whole order rests; the order is rejected if any of it would trade
  ImmediateOrCancel,  ///< it is dropped
  FillOrKill,         ///< filled completely at once, or rejected
};

/// A book's name for a resting order. It stays valid as long as the order rests, through every modify.
/// Afterwards it names nothing, even when another order uses the same slot. A default-constructed handle names
/// nothing. A handle belongs to the book that issued it, also after that book has been moved. In any other
/// book, or in one made anew, the same number may name a different order. It is not a secret: whoever guesses
/// a live handle can use it. Treat the members as opaque.
struct OrderHandle {
  std::uint32_t index = 0;       ///< the order's slot in the pool
  std::uint32_t generation = 0;  ///< the use of that slot; odd while an order lives in it

  /// Both members as one number, for keeping a handle in a message or a map.
  [[nodiscard]] constexpr std::uint64_t value() const noexcept {
    return (std::uint64_t{generation} << 32) | index;
  }
  [[nodiscard]] static constexpr OrderHandle from_value(std::uint64_t value) noexcept {
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  }
  friend constexpr bool operator==(OrderHandle, OrderHandle) = default;
};

/// How a call went. Everything but `Success` is a rejection. A rejected call has changed nothing.
enum class Status : std::uint8_t {
  Success,
  InvalidCommand,    ///< the side, time in force or command type is not an enumerator
  InvalidQuantity,   ///< a quantity of 0, or a reduction by more than is open
  PriceOutOfBand,    ///< the book cannot hold this price
  WouldCross,        ///< post-only, and some of it would trade
  NotFillable,       ///< fill-or-kill, and not all of it would trade
  PoolFull,          ///< the order would rest and every slot is taken
  QuantityOverflow,  ///< the total of the price level would not fit a `Quantity`
  UnknownOrder,      ///< the handle names no resting order
};

[[nodiscard]] constexpr std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::Success: return "Success";
    case Status::InvalidCommand: return "InvalidCommand";
    case Status::InvalidQuantity: return "InvalidQuantity";
    case Status::PriceOutOfBand: return "PriceOutOfBand";
    case Status::WouldCross: return "WouldCross";
    case Status::NotFillable: return "NotFillable";
    case Status::PoolFull: return "PoolFull";
    case Status::QuantityOverflow: return "QuantityOverflow";
    case Status::UnknownOrder: return "UnknownOrder";
  }
  return "?";
}

/// What an adding or modifying call did.
struct Result {
  Status status = Status::Success;
  OrderHandle handle{};  ///< names the order if an add or a modify succeeded and the order rests; else nothing
  Quantity filled = 0;   ///< lots traded during the call

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

  friend constexpr bool operator==(const Trade&, const Trade&) = default;
};

/// The object that receives the trades of a matching call. The call reports each trade while it is still
/// matching, so the sink must not call into the book; this is checked only if LLMES_CHECK_PRECONDITIONS is
/// defined (see call_guard.hpp). An exception that leaves the sink ends the program.
template <class S>
concept TradeSink = requires(S& sink, const Trade& trade) { sink(trade); };

/// The object that receives the results of a span of commands, one after each command.
template <class R>
concept ResultReceiver = requires(R& receiver, const Result& result) { receiver(result); };

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

enum class CommandType : std::uint8_t { AddLimit, AddMarket, Cancel, Modify, Reduce };

/// One call to a book as a value. The book reads only the members that the command's factory takes.
struct Command {
  OrderId id = 0;
  OrderHandle handle{};
  Price price = 0;
  Quantity quantity = 0;
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;

  [[nodiscard]] static constexpr Command add_limit(OrderId id, Side side, Price price, Quantity quantity,
                                                   TimeInForce time_in_force) noexcept {
    return {id, {}, price, quantity, CommandType::AddLimit, side, time_in_force};
  }
  [[nodiscard]] static constexpr Command add_market(OrderId id, Side side, Quantity quantity) noexcept {
    return {id, {}, 0, quantity, CommandType::AddMarket, side, {}};
  }
  [[nodiscard]] static constexpr Command cancel(OrderHandle handle) noexcept {
    return {0, handle, 0, 0, CommandType::Cancel, {}, {}};
  }
  [[nodiscard]] static constexpr Command modify(OrderHandle handle, Price price, Quantity quantity) noexcept {
    return {0, handle, price, quantity, CommandType::Modify, {}, {}};
  }
  [[nodiscard]] static constexpr Command reduce(OrderHandle handle, Quantity by) noexcept {
    return {0, handle, 0, by, CommandType::Reduce, {}, {}};
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
