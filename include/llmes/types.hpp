// SPDX-License-Identifier: MIT
//
// The vocabulary: what goes into a book, what comes out, and how a call says how it went.
// Prices are ticks, quantities are lots; neither is ever a float.
#pragma once

#include <cstdint>
#include <string_view>

namespace llmes {

/// Sees the private parts of the classes here, for the tests, which define it; the product has no use for it.
struct BookInspector;

/// A price in ticks. Negative prices are ordinary prices.
using Price = std::int64_t;

/// A quantity in lots. An order's quantity is never 0.
using Quantity = std::uint64_t;

/// The caller's own name for an order. The book stores it and reports it in trades, and gives it no
/// other meaning: it need not be unique.
using OrderId = std::uint64_t;

enum class Side : std::uint8_t { Buy, Sell };

[[nodiscard]] constexpr Side opposite(Side side) noexcept {
  return side == Side::Buy ? Side::Sell : Side::Buy;
}

/// What becomes of the part of a limit order that does not trade at once.
enum class TimeInForce : std::uint8_t {
  GoodTillCancel,     ///< it rests
  PostOnly,           ///< the whole order rests; it is rejected if any of it would trade
  ImmediateOrCancel,  ///< it is dropped
  FillOrKill,         ///< there is none: the order trades whole or is rejected
};

/// A book's name for a resting order. It stays valid for as long as the order rests, through every modify;
/// afterwards it names nothing, also when the memory behind it is used again. A default-constructed handle names
/// nothing. It means something to the book that issued it alone, moves included: to another book, or to one made
/// anew in its place, it is a number like any other and may name a different order. It is no capability either:
/// whoever can guess a live one can use it. Treat the members as opaque.
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

/// How a call went. Everything but `Success` is a rejection, and a call that is rejected has changed nothing.
enum class Status : std::uint8_t {
  Success,
  InvalidCommand,    ///< a side, time in force or command type that is none of its enumerators
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
  OrderHandle handle{};  ///< names the order if an add or a modify succeeded and it rests; else names nothing
  Quantity filled = 0;   ///< lots traded during the call

  friend constexpr bool operator==(const Result&, const Result&) = default;
};

/// One fill. Trades are reported in the order in which they happen, each at the maker's price.
struct Trade {
  OrderId taker_id = 0;
  OrderId maker_id = 0;
  OrderHandle maker_handle{};  ///< names the maker's order; already stale if `maker_remaining` is 0
  Price price = 0;
  Quantity quantity = 0;         ///< never 0
  Quantity maker_remaining = 0;  ///< lots of the maker still resting after this trade

  friend constexpr bool operator==(const Trade&, const Trade&) = default;
};

/// What a matching call needs of the object that receives its trades. The call reports each trade while it is
/// still matching: the sink must not call into the book, which nobody looks at unless LLMES_CHECK_PRECONDITIONS is
/// defined (see call_guard.hpp), and an exception that leaves it ends the program.
template <class S>
concept TradeSink = requires(S& sink, const Trade& trade) { sink(trade); };

/// What a span of commands needs of the object that receives their results, one after each command.
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
  std::uint64_t order_count = 0;  ///< never 0

  friend constexpr bool operator==(const DepthLevel&, const DepthLevel&) = default;
};

enum class CommandType : std::uint8_t { AddLimit, AddMarket, Cancel, Modify, Reduce };

/// One call to a book as a value, for streams of them. Only the members its factory takes are read.
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

}  // namespace llmes
