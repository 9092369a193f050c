// SPDX-License-Identifier: MIT
//
// The calls of everything that holds orders, written once. A class derives from `OrderCalls`, names the type of
// its commands, and implements one function, which receives every call as a command:
//
//   template <CommandType type, class Sink, class Details>
//   Result execute(const CommandOf& command, Sink& sink, Details& details) noexcept;
//
// `type` is the type of the command at compile time, so no trace of the command is left in a call. `details` is an
// empty `OrderChange` if the caller wants to know what the call changes, and `NoDetails` if not.
//
// These contracts hold for every such class; `Status` says what each status means. By id, an id replaces the
// handle. In a set, calls that add an order take the number of the book first. A call with several faults reports
// the one listed first. Two checks precede those listed: UnknownBook, in a set, if the call names a book; then, by
// id, DuplicateId and NoRoomForId, where stated. In a set, a call that moves an order may return PoolFull.
//
// The cost of a call does not depend on the depth or width of the book. It grows by a constant for each trade,
// each level emptied, and each level that fill-or-kill inspects. Other calls are constant; by id, like the index.
#pragma once

#include <concepts>

#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// The commands of a book or a set (`Own`), and of an `IdBook` over it (`ById`).
template <class Book>
struct CommandsOf {
  using Own = BasicCommand<OrderHandle, typename Book::Terms>;
  using ById = BasicCommand<OrderId, typename Book::Terms>;
};
template <class Set>
  requires requires { typename Set::Book; }
struct CommandsOf<Set> {
  using Own = BasicBookCommand<OrderHandle, typename Set::Terms>;
  using ById = BasicBookCommand<OrderId, typename Set::Terms>;
};
template <class BookById>
  requires requires { typename BookById::RequestType; }
struct CommandsOf<BookById> {
  using Own = typename BookById::RequestType;
};

/// All calls. `InBook` is the number of a book, in the calls of a set that add an order.
template <class Derived, class CommandOf, class... InBook>
class Calls {
  using NameArgument = typename CommandOf::NameArgument;
  using TradeType = typename CommandOf::TradeType;
  static constexpr bool has_rules = requires(const CommandOf& command) { command.scope(); };

 public:
  /// What its commands say of an order beside price and quantity.
  using Terms = decltype(CommandOf::terms);

  /// Adds a limit order: trades what crosses `price`, then treats the rest as `time_in_force` says. An order that
  /// fills partly or not at all is a success, except for fill-or-kill, which inspects its levels before it trades.
  /// @return filled: lots traded; handle and remaining: the order, if it rests now; cancelled: the lots dropped.
  /// Rejections: by id DuplicateId and NoRoomForId (only if the order may rest); InvalidCommand, InvalidQuantity,
  /// PriceOutOfBand (only if the order may rest), WouldCross, NotFillable, PoolFull, QuantityOverflow.
  [[gnu::always_inline]] Result add_limit_order(InBook... book, IdArgument id, Side side, PriceArgument price,
                                                QuantityArgument quantity, TimeInForce time_in_force,
                                                TradeSink<TradeType> auto&& sink) noexcept {
    return call<CommandType::AddLimit>({CommandOf::add_limit(id, side, price, quantity, time_in_force), book...},
                                       sink);
  }

  /// Adds a market order: trades at any price and drops what finds no maker. It never rests.
  /// @return filled: lots traded, 0 if the other side is empty; cancelled: the lots dropped.
  /// Rejections: by id DuplicateId; InvalidCommand, InvalidQuantity.
  Result add_market_order(InBook... book, IdArgument id, Side side, QuantityArgument quantity,
                          TradeSink<TradeType> auto&& sink) noexcept {
    return call<CommandType::AddMarket>({CommandOf::add_market(id, side, quantity), book...}, sink);
  }

  /// Adds an order that rests without trading in this call, so the book may be locked or crossed afterwards. It
  /// serves a feed, whose venue has matched, and an auction. A later order trades with it as with any other.
  /// @return handle and remaining: the order.
  /// Rejections: by id DuplicateId, NoRoomForId; InvalidCommand, InvalidQuantity, PriceOutOfBand, PoolFull,
  /// QuantityOverflow.
  [[gnu::always_inline]] Result add_resting_order(InBook... book, IdArgument id, Side side, PriceArgument price,
                                                  QuantityArgument quantity) noexcept {
    return call<CommandType::AddResting>({CommandOf::add_resting(id, side, price, quantity), book...});
  }

  /// Removes a resting order.
  /// Rejections: UnknownOrder.
  [[nodiscard, gnu::always_inline]] Status cancel_order(NameArgument name) noexcept {
    return call<CommandType::Cancel>({CommandOf::cancel(name)}).status;
  }

  /// The same; writes the order to `cancelled`, which a rejection leaves unchanged: with all the lots that it had
  /// open, displayed or not.
  [[nodiscard, gnu::always_inline]] Status cancel_order(NameArgument name, RestingOrder& cancelled) noexcept {
    OrderChange change;
    const Result result = call<CommandType::Cancel>({CommandOf::cancel(name)}, DiscardTrades{}, change);
    if (result.status == Status::Success) {
      cancelled = change.before;
      if constexpr (has_rules) cancelled.quantity = result.cancelled;
    }
    return result.status;
  }

  /// Changes a resting order to `price` and `quantity` open lots. Its id stays; so does its handle, while it
  /// rests. The order keeps its place in the queue if the price is unchanged and the quantity does not grow.
  /// Otherwise it leaves its level, trades what it now crosses, and rests as the youngest at its price.
  /// @return filled: lots traded; handle and remaining: the order, if it still rests; kept_place.
  /// Rejections, which leave the named order unchanged: UnknownOrder, InvalidQuantity, PriceOutOfBand,
  /// QuantityOverflow.
  Result modify_order(NameArgument name, PriceArgument price, QuantityArgument quantity,
                      TradeSink<TradeType> auto&& sink) noexcept {
    return modify_order(name, price, quantity, TimeInForce::GoodTillCancel, sink);
  }

  /// The same with a time in force, which applies to this call only. Post-only is rejected if the order would
  /// trade. Immediate-or-cancel trades what it can and drops the rest. Fill-or-kill trades completely or is
  /// rejected. After the last two the order no longer rests, so any price is allowed.
  /// @return as above; cancelled: the lots dropped.
  /// Rejections: InvalidCommand, UnknownOrder, InvalidQuantity, PriceOutOfBand, WouldCross, NotFillable,
  /// QuantityOverflow.
  Result modify_order(NameArgument name, PriceArgument price, QuantityArgument quantity, TimeInForce time_in_force,
                      TradeSink<TradeType> auto&& sink) noexcept {
    return call<CommandType::Modify>({CommandOf::modify(name, price, quantity, time_in_force)}, sink);
  }

  /// Modifies a resting order without trading: the book may be locked or crossed, as after `add_resting_order`.
  /// @return handle and remaining: the order; kept_place.
  /// Rejections, which leave the named order unchanged: UnknownOrder, InvalidQuantity, PriceOutOfBand,
  /// QuantityOverflow.
  Result modify_resting_order(NameArgument name, PriceArgument price, QuantityArgument quantity) noexcept {
    return call<CommandType::ModifyResting>({CommandOf::modify_resting(name, price, quantity)});
  }

  /// Replaces a resting order by a new one of the same side. It is a cancel and an add in one call, and needs no
  /// free slot. The new order has its own id and handle, is the youngest at its price, and is treated as in an
  /// add. By id, `new_id` may be that of the old order.
  /// @return as for an add; `cancelled` does not count the open lots of the old order.
  /// Rejections, which leave the named old order unchanged: InvalidCommand, UnknownOrder, InvalidQuantity,
  /// PriceOutOfBand, WouldCross, NotFillable, QuantityOverflow. By id, first of all: UnknownOrder, DuplicateId
  /// (another order has the new id), NoRoomForId (the order may rest, and the index cannot hold both ids).
  Result replace_order(NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       TimeInForce time_in_force, TradeSink<TradeType> auto&& sink) noexcept {
    return call<CommandType::Replace>({CommandOf::replace(name, new_id, price, quantity, time_in_force)}, sink);
  }

  /// The same, good till cancelled.
  Result replace_order(NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       TradeSink<TradeType> auto&& sink) noexcept {
    return replace_order(name, new_id, price, quantity, TimeInForce::GoodTillCancel, sink);
  }

  /// Replaces a resting order without trading: the book may be locked or crossed, as after `add_resting_order`.
  /// @return handle and remaining: the new order.
  /// Rejections, which leave the named old order unchanged: UnknownOrder, by id DuplicateId and NoRoomForId,
  /// InvalidQuantity, PriceOutOfBand, QuantityOverflow.
  Result replace_resting_order(NameArgument name, IdArgument new_id, PriceArgument price,
                               QuantityArgument quantity) noexcept {
    return call<CommandType::ReplaceResting>({CommandOf::replace_resting(name, new_id, price, quantity)});
  }

  /// Adds an order directly in front of `neighbour` in its queue, on the same side and at the same price, without
  /// trading: for a feed that states the place. The other orders keep their order.
  /// @return handle and remaining: the new order.
  /// Rejections, with no order named: UnknownOrder (of `neighbour`), by id DuplicateId (also for the id of
  /// `neighbour`) and NoRoomForId, InvalidQuantity, PoolFull, QuantityOverflow.
  Result add_resting_order_before(NameArgument neighbour, IdArgument id, QuantityArgument quantity) noexcept {
    return call<CommandType::AddRestingBefore>({CommandOf::add_resting_before(neighbour, id, quantity)});
  }

  /// Takes `by` lots off a resting order, which keeps its place. Taking all its open lots cancels it.
  /// Rejections: UnknownOrder, InvalidQuantity (0, or more than is open).
  [[nodiscard]] Status reduce_order(NameArgument name, QuantityArgument by) noexcept {
    return call<CommandType::Reduce>({CommandOf::reduce(name, by)}).status;
  }

  /// The same; writes what is left of the order to `left`, which a rejection leaves unchanged: all its open lots,
  /// displayed or not. If nothing is left, its quantity is 0 and its handle stale.
  [[nodiscard]] Status reduce_order(NameArgument name, QuantityArgument by, RestingOrder& left) noexcept {
    OrderChange change;
    const Result result = call<CommandType::Reduce>({CommandOf::reduce(name, by)}, DiscardTrades{}, change);
    if (result.status == Status::Success) {
      left = change.before;
      left.quantity = result.remaining;
    }
    return result.status;
  }

  // ---- Of a book with rules. Without terms, those of an order are the default ones. Modify and replace keep the
  // owner of the order; modify keeps what it displays, too. Each rejects beside what it rejects without terms:
  // InvalidCommand (a mode that is no enumerator, a display other than whole for an order that may not rest, a
  // minimum for one that is not immediate-or-cancel), InvalidQuantity (a peak of 0 or above the quantity, a
  // minimum above it), NotFillable (fewer lots than the minimum would trade at once).

  Result add_limit_order(InBook... book, IdArgument id, Side side, PriceArgument price, QuantityArgument quantity,
                         TimeInForce time_in_force, const OrderTerms& terms,
                         TradeSink<TradeType> auto&& sink) noexcept
    requires(has_rules)
  {
    return call<CommandType::AddLimit>(
        {CommandOf::add_limit(id, side, price, quantity, time_in_force).with(terms), book...}, sink);
  }
  Result add_market_order(InBook... book, IdArgument id, Side side, QuantityArgument quantity,
                          const OrderTerms& terms, TradeSink<TradeType> auto&& sink) noexcept
    requires(has_rules)
  {
    return call<CommandType::AddMarket>({CommandOf::add_market(id, side, quantity).with(terms), book...}, sink);
  }
  Result add_resting_order(InBook... book, IdArgument id, Side side, PriceArgument price,
                           QuantityArgument quantity, const OrderTerms& terms) noexcept
    requires(has_rules)
  {
    return call<CommandType::AddResting>({CommandOf::add_resting(id, side, price, quantity).with(terms), book...});
  }
  /// InvalidCommand also if the neighbour is hidden, or the display is not whole.
  Result add_resting_order_before(NameArgument neighbour, IdArgument id, QuantityArgument quantity,
                                  const OrderTerms& terms) noexcept
    requires(has_rules)
  {
    return call<CommandType::AddRestingBefore>(
        {CommandOf::add_resting_before(neighbour, id, quantity).with(terms)});
  }
  Result modify_order(NameArgument name, PriceArgument price, QuantityArgument quantity, TimeInForce time_in_force,
                      const OrderTerms& terms, TradeSink<TradeType> auto&& sink) noexcept
    requires(has_rules)
  {
    return call<CommandType::Modify>({CommandOf::modify(name, price, quantity, time_in_force).with(terms)}, sink);
  }
  Result replace_order(NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       TimeInForce time_in_force, const OrderTerms& terms,
                       TradeSink<TradeType> auto&& sink) noexcept
    requires(has_rules)
  {
    return call<CommandType::Replace>(
        {CommandOf::replace(name, new_id, price, quantity, time_in_force).with(terms)}, sink);
  }
  Result replace_resting_order(NameArgument name, IdArgument new_id, PriceArgument price,
                               QuantityArgument quantity, const OrderTerms& terms) noexcept
    requires(has_rules)
  {
    return call<CommandType::ReplaceResting>(
        {CommandOf::replace_resting(name, new_id, price, quantity).with(terms)});
  }

  /// Cancels every order in `scope`: book by book, bids before asks, best price first, in queue order. The sink
  /// hears of each by its member `cancelled`, after the order has left. Linear in the orders of the owner, and a
  /// sort of those; without an owner, in the orders in scope and in their levels.
  /// @return cancelled: the lots of these orders, displayed or not; at most the largest `Quantity`. To cancel
  /// nothing is a success. Rejections: UnknownBook (of a set); InvalidCommand (side is not an enumerator, or the
  /// lowest price above the highest).
  Result mass_cancel(const CancelScope& scope, auto&& sink) noexcept
    requires(has_rules)
  {
    return call<CommandType::MassCancel>(CommandOf::mass_cancel(scope), sink);
  }

 protected:
  template <CommandType type, class Sink = DiscardTrades, class Details = NoDetails>
  [[gnu::always_inline]] Result call(const CommandOf& command, Sink&& sink = {}, Details&& details = {}) noexcept {
    return static_cast<Derived*>(this)->template execute<type>(command, sink, details);
  }
};

}  // namespace detail

/// The calls of a class `Derived`, whose commands are of the type `CommandOf`.
template <class Derived, class CommandOf>
class OrderCalls : public detail::Calls<Derived, CommandOf> {};
template <class Derived, class Name, class Terms>
class OrderCalls<Derived, BasicBookCommand<Name, Terms>>
    : public detail::Calls<Derived, BasicBookCommand<Name, Terms>, BookNumber> {};

/// Executes a command whose type is known only at run time, by `execute<type>()`.
/// @return its result; InvalidCommand if `type` is not an enumerator.
Result execute_as(CommandType type, const auto& execute) {
  switch (type) {
    case CommandType::AddLimit: return execute.template operator()<CommandType::AddLimit>();
    case CommandType::AddMarket: return execute.template operator()<CommandType::AddMarket>();
    case CommandType::Cancel: return execute.template operator()<CommandType::Cancel>();
    case CommandType::Modify: return execute.template operator()<CommandType::Modify>();
    case CommandType::Reduce: return execute.template operator()<CommandType::Reduce>();
    case CommandType::Replace: return execute.template operator()<CommandType::Replace>();
    case CommandType::AddResting: return execute.template operator()<CommandType::AddResting>();
    case CommandType::ModifyResting: return execute.template operator()<CommandType::ModifyResting>();
    case CommandType::ReplaceResting: return execute.template operator()<CommandType::ReplaceResting>();
    case CommandType::AddRestingBefore: return execute.template operator()<CommandType::AddRestingBefore>();
    case CommandType::MassCancel: return execute.template operator()<CommandType::MassCancel>();
  }
  return {Status::InvalidCommand};
}

}  // namespace llmes::inline LLMES_NAMESPACE
