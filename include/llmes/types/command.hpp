// SPDX-License-Identifier: MIT
//
// One call to a book as a value, for queues, files and spans.
#pragma once

#include <cstdint>

#include "llmes/types/arguments.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class CommandType : std::uint8_t {
  AddLimit,
  AddMarket,
  Cancel,
  Modify,
  Reduce,
  Replace,
  AddResting,  ///< this and the next two never trade
  ModifyResting,
  ReplaceResting,
};

namespace detail {
/// Whether a type is one of some. Without a branch: nobody can predict the types of a stream.
template <CommandType... Types>
[[nodiscard]] constexpr bool is_one_of(CommandType type) noexcept {
  constexpr std::uint64_t set = ((std::uint64_t{1} << static_cast<unsigned>(Types)) | ...);
  const auto number = static_cast<unsigned>(type);
  return static_cast<bool>(unsigned{number < 64} & static_cast<unsigned>(set >> number % 64));
}
}  // namespace detail

// ---- What a call takes.

/// A new order, which has a side, and not one that rests.
[[nodiscard]] constexpr bool adds(CommandType type) noexcept {
  return detail::is_one_of<CommandType::AddLimit, CommandType::AddMarket, CommandType::AddResting>(type);
}
/// An order that rests, and the id of one that takes its place.
[[nodiscard]] constexpr bool replaces(CommandType type) noexcept {
  return type == CommandType::Replace || type == CommandType::ReplaceResting;
}
[[nodiscard]] constexpr bool has_time_in_force(CommandType type) noexcept {
  return type == CommandType::AddLimit || type == CommandType::Modify || type == CommandType::Replace;
}
[[nodiscard]] constexpr bool has_price(CommandType type) noexcept {
  return has_time_in_force(type) || type >= CommandType::AddResting;
}

/// An order that rests, and a price that it may move to.
[[nodiscard]] constexpr bool moves(CommandType type) noexcept {
  return detail::is_one_of<CommandType::Modify, CommandType::Replace, CommandType::ModifyResting,
                           CommandType::ReplaceResting>(type);
}

/// One call to a book as a value. Make it by a factory, which takes what the call takes and refuses the same
/// mistakes; the members themselves are plain numbers. The book reads only what the factory takes.
struct Command {
  OrderId id = 0;
  OrderHandle handle{};
  Price price = 0;
  Quantity quantity = 0;
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;

  [[nodiscard]] static constexpr Command add_limit(IdArgument id, Side side, PriceArgument price,
                                                   QuantityArgument quantity, TimeInForce time_in_force) noexcept {
    return {id, {}, price, quantity, CommandType::AddLimit, side, time_in_force};
  }
  [[nodiscard]] static constexpr Command add_market(IdArgument id, Side side, QuantityArgument quantity) noexcept {
    return {id, {}, 0, quantity, CommandType::AddMarket, side, {}};
  }
  [[nodiscard]] static constexpr Command cancel(OrderHandle handle) noexcept {
    return {0, handle, 0, 0, CommandType::Cancel, {}, {}};
  }
  [[nodiscard]] static constexpr Command modify(OrderHandle handle, PriceArgument price, QuantityArgument quantity,
                                                TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {0, handle, price, quantity, CommandType::Modify, {}, time_in_force};
  }
  [[nodiscard]] static constexpr Command reduce(OrderHandle handle, QuantityArgument by) noexcept {
    return {0, handle, 0, by, CommandType::Reduce, {}, {}};
  }
  [[nodiscard]] static constexpr Command replace(
      OrderHandle handle, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
      TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {new_id, handle, price, quantity, CommandType::Replace, {}, time_in_force};
  }
  [[nodiscard]] static constexpr Command add_resting(IdArgument id, Side side, PriceArgument price,
                                                     QuantityArgument quantity) noexcept {
    return {id, {}, price, quantity, CommandType::AddResting, side, {}};
  }
  [[nodiscard]] static constexpr Command modify_resting(OrderHandle handle, PriceArgument price,
                                                        QuantityArgument quantity) noexcept {
    return {0, handle, price, quantity, CommandType::ModifyResting, {}, {}};
  }
  [[nodiscard]] static constexpr Command replace_resting(OrderHandle handle, IdArgument new_id,
                                                         PriceArgument price, QuantityArgument quantity) noexcept {
    return {new_id, handle, price, quantity, CommandType::ReplaceResting, {}, {}};
  }
};

/// A command to a set of books, and the book that a new order is for. Where it names an order, its book is a hint
/// that saves time in spans and may be wrong.
struct BookCommand : Command {
  BookNumber book = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
