// SPDX-License-Identifier: MIT
//
// One call to a book as a value, for queues, files and spans.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/types/arguments.hpp"
#include "llmes/types/terms.hpp"
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
  AddResting,  ///< this and those after it never trade
  ModifyResting,
  ReplaceResting,
  AddRestingBefore,
  MassCancel = 32,  ///< of books with rules alone; to the others it is no type
};

/// The number of types, and the first number that is not a type.
inline constexpr unsigned command_types = static_cast<unsigned>(CommandType::AddRestingBefore) + 1;

namespace detail {
/// Whether `type` is one of `Types`. Branch-free: the types in a stream are random, so a branch would mispredict.
template <CommandType... Types>
[[nodiscard]] constexpr bool is_one_of(CommandType type) noexcept {
  constexpr std::uint64_t set = ((std::uint64_t{1} << static_cast<unsigned>(Types)) | ...);
  const auto number = static_cast<unsigned>(type);
  return static_cast<bool>(unsigned{number < 64} & static_cast<unsigned>(set >> number % 64));
}
}  // namespace detail

// ---- What a command of a type contains.

/// Whether it contains a new order, with a side, instead of naming a resting order.
[[nodiscard]] constexpr bool adds(CommandType type) noexcept {
  return detail::is_one_of<CommandType::AddLimit, CommandType::AddMarket, CommandType::AddResting>(type);
}
/// Whether it names a resting order and contains the id of its replacement.
[[nodiscard]] constexpr bool replaces(CommandType type) noexcept {
  return type == CommandType::Replace || type == CommandType::ReplaceResting;
}
/// Whether it names a resting order and contains the id of a new one, beside it or in its place.
[[nodiscard]] constexpr bool has_new_id(CommandType type) noexcept {
  return replaces(type) || type == CommandType::AddRestingBefore;
}
[[nodiscard]] constexpr bool has_time_in_force(CommandType type) noexcept {
  return type == CommandType::AddLimit || type == CommandType::Modify || type == CommandType::Replace;
}
[[nodiscard]] constexpr bool has_price(CommandType type) noexcept {
  return has_time_in_force(type) || (type >= CommandType::AddResting && type <= CommandType::ReplaceResting);
}

/// Whether it names a resting order and contains a price to move it to.
[[nodiscard]] constexpr bool moves(CommandType type) noexcept {
  return detail::is_one_of<CommandType::Modify, CommandType::Replace, CommandType::ModifyResting,
                           CommandType::ReplaceResting>(type);
}

/// Whether it names a resting order that the call changes, replaces or takes off.
[[nodiscard]] constexpr bool changes(CommandType type) noexcept {
  return moves(type) || detail::is_one_of<CommandType::Cancel, CommandType::Reduce>(type);
}

/// How a command names orders. `Name` is what names a resting order: its handle or its id.
template <class Name>
struct OrderNames;
template <>
struct OrderNames<OrderHandle> {
  using NameArgument = OrderHandle;

  OrderId id = 0;        ///< of the new order
  OrderHandle handle{};  ///< of the resting order

  /// The resting order, and the new one if the command names both.
  [[nodiscard]] static constexpr OrderNames of(OrderHandle handle, IdArgument new_id = 0) noexcept {
    return {new_id, handle};
  }
  /// The resting order.
  [[nodiscard]] constexpr OrderHandle name() const noexcept { return handle; }
  /// The id of the new order, if the command names both.
  [[nodiscard]] constexpr OrderId replacing_id() const noexcept { return id; }

  friend constexpr bool operator==(const OrderNames&, const OrderNames&) = default;
};
template <>
struct OrderNames<OrderId> {
  using NameArgument = IdArgument;

  OrderId id = 0;      ///< of the resting order, or of a new one
  OrderId new_id = 0;  ///< of the new order, if the command names both

  [[nodiscard]] static constexpr OrderNames of(IdArgument id, IdArgument new_id = 0) noexcept {
    return {id, new_id};
  }
  [[nodiscard]] constexpr OrderId name() const noexcept { return id; }
  [[nodiscard]] constexpr OrderId replacing_id() const noexcept { return new_id; }

  friend constexpr bool operator==(const OrderNames&, const OrderNames&) = default;
};

/// One call to a book as a value. Make it with a factory: it has the parameter types of the call, so the same
/// mistakes do not compile. The members are plain numbers; the book reads only those that the factory sets.
/// `Terms` is what an order says beside these: `NoTerms`, or `OrderTerms` to a book with rules.
template <class Name, class Terms = NoTerms>
struct BasicCommand : OrderNames<Name> {
  using Names = OrderNames<Name>;
  using typename Names::NameArgument;
  /// What the book reports its fills as.
  using TradeType = typename Terms::TradeType;

  Price price = 0;
  Quantity quantity = 0;
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  [[no_unique_address]] Terms terms{};

  /// The same command with other terms.
  [[nodiscard]] constexpr BasicCommand with(const Terms& other) const noexcept {
    BasicCommand command = *this;
    command.terms = other;
    return command;
  }

  [[nodiscard]] static constexpr BasicCommand add_limit(IdArgument id, Side side, PriceArgument price,
                                                        QuantityArgument quantity,
                                                        TimeInForce time_in_force) noexcept {
    return {Names{id}, price, quantity, CommandType::AddLimit, side, time_in_force};
  }
  [[nodiscard]] static constexpr BasicCommand add_market(IdArgument id, Side side,
                                                         QuantityArgument quantity) noexcept {
    return {Names{id}, 0, quantity, CommandType::AddMarket, side, {}};
  }
  [[nodiscard]] static constexpr BasicCommand cancel(NameArgument name) noexcept {
    return {Names::of(name), 0, 0, CommandType::Cancel, {}, {}};
  }
  [[nodiscard]] static constexpr BasicCommand modify(
      NameArgument name, PriceArgument price, QuantityArgument quantity,
      TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {Names::of(name), price, quantity, CommandType::Modify, {}, time_in_force};
  }
  [[nodiscard]] static constexpr BasicCommand reduce(NameArgument name, QuantityArgument by) noexcept {
    return {Names::of(name), 0, by, CommandType::Reduce, {}, {}};
  }
  [[nodiscard]] static constexpr BasicCommand replace(
      NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
      TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {Names::of(name, new_id), price, quantity, CommandType::Replace, {}, time_in_force};
  }
  [[nodiscard]] static constexpr BasicCommand add_resting(IdArgument id, Side side, PriceArgument price,
                                                          QuantityArgument quantity) noexcept {
    return {Names{id}, price, quantity, CommandType::AddResting, side, {}};
  }
  [[nodiscard]] static constexpr BasicCommand modify_resting(NameArgument name, PriceArgument price,
                                                             QuantityArgument quantity) noexcept {
    return {Names::of(name), price, quantity, CommandType::ModifyResting, {}, {}};
  }
  [[nodiscard]] static constexpr BasicCommand replace_resting(NameArgument name, IdArgument new_id,
                                                              PriceArgument price,
                                                              QuantityArgument quantity) noexcept {
    return {Names::of(name, new_id), price, quantity, CommandType::ReplaceResting, {}, {}};
  }
  [[nodiscard]] static constexpr BasicCommand add_resting_before(NameArgument neighbour, IdArgument id,
                                                                 QuantityArgument quantity) noexcept {
    return {Names::of(neighbour, id), 0, quantity, CommandType::AddRestingBefore, {}, {}};
  }
  /// The same command as one of `type`, which names its order by a handle.
  template <CommandType as>
  [[nodiscard, gnu::always_inline]] constexpr BasicCommand<OrderHandle, Terms> by_handle(
      OrderHandle order) const noexcept
    requires std::same_as<Name, OrderId>
  {
    return {{has_new_id(as) ? this->new_id : this->id, order}, price, quantity, as, side, time_in_force, terms};
  }

  /// The prices of the scope stand in `price` and `quantity`.
  [[nodiscard]] static constexpr BasicCommand mass_cancel(const CancelScope& scope) noexcept
    requires std::same_as<Terms, OrderTerms>
  {
    const Side side = !scope.side ? both_sides : *scope.side <= Side::Sell ? *scope.side : no_side;
    return {{}, scope.lowest, static_cast<Quantity>(scope.highest), CommandType::MassCancel, side,
            {}, {scope.owner}};
  }
  /// What a mass cancel takes off; the side is no enumerator if that of the factory was none.
  [[nodiscard]] constexpr CancelScope scope() const noexcept
    requires std::same_as<Terms, OrderTerms>
  {
    return {terms.owner, side == both_sides ? std::nullopt : std::optional(side), price,
            static_cast<Price>(quantity), std::nullopt};
  }

 private:
  static constexpr auto both_sides = static_cast<Side>(0xff);
  static constexpr auto no_side = static_cast<Side>(0xfe);

 public:
  friend constexpr bool operator==(const BasicCommand&, const BasicCommand&) = default;
};

/// A command to a set. `book` is that of a new order; of a resting one a hint for spans, which may be wrong.
template <class Name, class Terms = NoTerms>
struct BasicBookCommand : BasicCommand<Name, Terms> {
  BookNumber book = 0;

  template <CommandType as>
  [[nodiscard, gnu::always_inline]] constexpr BasicBookCommand<OrderHandle, Terms> by_handle(
      OrderHandle order) const noexcept
    requires std::same_as<Name, OrderId>
  {
    return {BasicCommand<Name, Terms>::template by_handle<as>(order), book};
  }

  [[nodiscard]] static constexpr BasicBookCommand mass_cancel(const CancelScope& scope) noexcept
    requires std::same_as<Terms, OrderTerms>
  {
    return {BasicCommand<Name, Terms>::mass_cancel(scope),
            scope.book ? std::min(*scope.book, no_book) : all_books};
  }
  [[nodiscard]] constexpr CancelScope scope() const noexcept
    requires std::same_as<Terms, OrderTerms>
  {
    CancelScope scope = BasicCommand<Name, Terms>::scope();
    if (book != all_books) scope.book = book;
    return scope;
  }

 private:
  static constexpr BookNumber all_books = std::numeric_limits<BookNumber>::max();
  static constexpr BookNumber no_book = all_books - 1;

 public:
  friend constexpr bool operator==(const BasicBookCommand&, const BasicBookCommand&) = default;
};

/// A request by id, or what says the same and has `by_handle`, whose caller knows the order: it is what
/// `handle_of` gives for the request's id. A second look-up would cost as much as the first.
template <class Request>
struct FoundOrder {
  const Request& request;
  OrderHandle order;  ///< of no meaning to a request that adds one
};

/// Commands that name orders by handle, for an `OrderBook` and a `BookSet`.
using Command = BasicCommand<OrderHandle>;
using BookCommand = BasicBookCommand<OrderHandle>;
/// Commands that name orders by id, for an `IdBook` and an engine.
using Request = BasicCommand<OrderId>;
using BookRequest = BasicBookCommand<OrderId>;
/// The same for books with rules.
using RuledCommand = BasicCommand<OrderHandle, OrderTerms>;
using RuledBookCommand = BasicBookCommand<OrderHandle, OrderTerms>;
using RuledRequest = BasicCommand<OrderId, OrderTerms>;
using RuledBookRequest = BasicBookCommand<OrderId, OrderTerms>;

}  // namespace llmes::inline LLMES_NAMESPACE
