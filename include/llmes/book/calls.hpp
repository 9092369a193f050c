// SPDX-License-Identifier: MIT
//
// The calls of everything that holds orders, once: a class derives from `OrderCalls`, names the type of its
// commands, and implements one function, to which every call comes as a command:
//
//   template <CommandType type, class Sink, class Details>
//   Result execute(const CommandOf& command, Sink& sink, Details& details) noexcept;
//
// `type` is that of the command, and known when this is compiled, so nothing of the command is left in a call.
// `details` is an `OrderChange`, with nothing in it, if the caller wants to know what the call changes, and
// `NoDetails` else.
//
// What a call means and how it is rejected stands here and holds for every such class. Where orders go by ids, an
// id stands in the place of the handle, and a set takes the number of the book first in the calls that add an
// order. A call that finds several faults reports the one listed first. Two statuses come before those that the
// calls list: UnknownBook, of a set, in a call that names a book; and, by ids, DuplicateId and then NoRoomForId,
// as the calls say. Over a set, a call that moves an order may also be a PoolFull (see book_set.hpp).
//
// The cost of a call does not depend on the depth or width of the book. It grows by a constant for each trade, for
// each level emptied, and for each level that fill-or-kill inspects. The other calls are constant; by ids, as the
// index is.
#pragma once

#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/trade_sinks.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// What a book, or a set, takes as commands, and what an `IdBook` of it does.
template <class Book>
struct CommandsOf {
  using Own = Command;
  using ById = Request;
};
template <class Set>
  requires requires { typename Set::Book; }
struct CommandsOf<Set> {
  using Own = BookCommand;
  using ById = BookRequest;
};
template <class BookById>
  requires requires { typename BookById::RequestType; }
struct CommandsOf<BookById> {
  using Own = typename BookById::RequestType;
};

/// The calls that name an order, which are the same for a book and for a set.
template <class Derived, class CommandOf>
class CallsOnOrders {
  using NameArgument = typename CommandOf::NameArgument;

 public:
  /// Takes a resting order off the book.
  /// Rejections: UnknownOrder.
  [[nodiscard, gnu::always_inline]] Status cancel_order(NameArgument name) noexcept {
    return call<CommandType::Cancel>({CommandOf::cancel(name)}).status;
  }

  /// The same, and `cancelled` tells what the order was; a rejection leaves it as it is.
  [[nodiscard, gnu::always_inline]] Status cancel_order(NameArgument name, RestingOrder& cancelled) noexcept {
    OrderChange change;
    const Status status = call<CommandType::Cancel>({CommandOf::cancel(name)}, DiscardTrades{}, change).status;
    if (status == Status::Success) cancelled = change.before;
    return status;
  }

  /// Changes a resting order, whose id stays, to `price` and `quantity` open lots. At the same price and for no
  /// more lots the order keeps its place. Otherwise it leaves its level and enters again as the youngest at its
  /// price, trading first if it now crosses. Its handle stays the same as long as it rests.
  /// @return filled: lots traded; handle and remaining: the order, if it still rests; kept_place.
  /// Rejections, all of which name the order and leave it where it was: UnknownOrder, InvalidQuantity (0, or above
  /// `quantity_max`), PriceOutOfBand, QuantityOverflow.
  template <TradeSink Sink>
  Result modify_order(NameArgument name, PriceArgument price, QuantityArgument quantity, Sink&& sink) noexcept {
    return modify_order(name, price, quantity, TimeInForce::GoodTillCancel, sink);
  }

  /// The same with a time in force, which decides about this call and is not kept. Post-only is rejected where
  /// the order would trade. Immediate-or-cancel trades what it can and drops the rest, so the order leaves the
  /// book. Fill-or-kill trades completely or is rejected. With these last two no order keeps its place, and any
  /// price will do.
  /// @return as above; cancelled: what it dropped.
  /// Rejections: InvalidCommand (time in force is not an enumerator), UnknownOrder, InvalidQuantity,
  /// PriceOutOfBand, WouldCross, NotFillable, QuantityOverflow.
  template <TradeSink Sink>
  Result modify_order(NameArgument name, PriceArgument price, QuantityArgument quantity, TimeInForce time_in_force,
                      Sink&& sink) noexcept {
    return call<CommandType::Modify>({CommandOf::modify(name, price, quantity, time_in_force)}, sink);
  }

  /// Changes a resting order as the first of these does, but never trades: the book may be locked or crossed
  /// afterwards, as after `add_resting_order`.
  /// @return handle and remaining: the order; kept_place.
  /// Rejections, all of which name the order and leave it where it was: UnknownOrder, InvalidQuantity,
  /// PriceOutOfBand, QuantityOverflow.
  Result modify_resting_order(NameArgument name, PriceArgument price, QuantityArgument quantity) noexcept {
    return call<CommandType::ModifyResting>({CommandOf::modify_resting(name, price, quantity)});
  }

  /// Replaces a resting order by a new one of the same side, with an id and a handle of its own, that is the
  /// youngest at its price: a cancel and an add in one call, which needs no free slot. The new order does what an
  /// add does. By ids, `new_id` may be that of the old order.
  /// @return as for an add; what the old order had open is not among `cancelled`.
  /// Rejections, all of which name the old order and leave it where it was: InvalidCommand (time in force is not
  /// an enumerator), UnknownOrder, InvalidQuantity (0, or above `quantity_max`), PriceOutOfBand, WouldCross,
  /// NotFillable, QuantityOverflow. By ids, first of all: UnknownOrder, DuplicateId (another order rests with the
  /// new id), NoRoomForId (the new order may rest, and the index cannot hold its id beside the old one).
  template <TradeSink Sink>
  Result replace_order(NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       TimeInForce time_in_force, Sink&& sink) noexcept {
    return call<CommandType::Replace>({CommandOf::replace(name, new_id, price, quantity, time_in_force)}, sink);
  }

  /// The same, good till cancelled.
  template <TradeSink Sink>
  Result replace_order(NameArgument name, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       Sink&& sink) noexcept {
    return replace_order(name, new_id, price, quantity, TimeInForce::GoodTillCancel, sink);
  }

  /// The same without a trade: the book may be locked or crossed afterwards, as after `add_resting_order`.
  /// @return handle and remaining: the new order.
  /// Rejections, all of which name the old order and leave it where it was: UnknownOrder, by ids DuplicateId and
  /// NoRoomForId, InvalidQuantity, PriceOutOfBand, QuantityOverflow.
  Result replace_resting_order(NameArgument name, IdArgument new_id, PriceArgument price,
                               QuantityArgument quantity) noexcept {
    return call<CommandType::ReplaceResting>({CommandOf::replace_resting(name, new_id, price, quantity)});
  }

  /// Takes `by` lots off a resting order, which keeps its place. Reducing it by all its open lots cancels it.
  /// Rejections: UnknownOrder, InvalidQuantity (0, or more than is open).
  [[nodiscard]] Status reduce_order(NameArgument name, QuantityArgument by) noexcept {
    return call<CommandType::Reduce>({CommandOf::reduce(name, by)}).status;
  }

  /// The same, and `left` tells what the order is now: its quantity is 0, and its handle stale, if nothing of it
  /// is left. A rejection leaves `left` as it is.
  [[nodiscard]] Status reduce_order(NameArgument name, QuantityArgument by, RestingOrder& left) noexcept {
    OrderChange change;
    const Status status = call<CommandType::Reduce>({CommandOf::reduce(name, by)}, DiscardTrades{}, change).status;
    if (status == Status::Success) {
      left = change.before;
      left.quantity -= by;
    }
    return status;
  }

 protected:
  template <CommandType type, class Sink = DiscardTrades, class Details = NoDetails>
  [[gnu::always_inline]] Result call(const CommandOf& command, Sink&& sink = {}, Details&& details = {}) noexcept {
    return static_cast<Derived*>(this)->template execute<type>(command, sink, details);
  }
};

}  // namespace detail

/// The calls of a class `Derived` that takes commands of the type `CommandOf`: `Command` or `Request`, or, in a
/// set, `BookCommand` or `BookRequest`.
template <class Derived, class CommandOf>
class OrderCalls;

/// Of one book.
template <class Derived, class Name>
class OrderCalls<Derived, BasicCommand<Name>> : public detail::CallsOnOrders<Derived, BasicCommand<Name>> {
  using CommandOf = BasicCommand<Name>;

 public:
  /// Adds a limit order: trades what crosses `price`, then treats the rest as `time_in_force` says. An order
  /// that fills partly, or not at all, is a success for every time in force except fill-or-kill.
  /// @return filled: lots traded; handle and remaining: the order, if it rests now; cancelled: what it dropped.
  /// Rejections: by ids DuplicateId (an order of this id rests) and NoRoomForId (the order may rest, and the index
  /// cannot hold its id); InvalidCommand (side or time in force is not an enumerator), InvalidQuantity (0, or
  /// above `quantity_max`), PriceOutOfBand (only if the order may rest: immediate-or-cancel and fill-or-kill may
  /// name any price), WouldCross (post-only), NotFillable (fill-or-kill), PoolFull, QuantityOverflow. Fill-or-kill
  /// inspects each level that it would trade on before it trades.
  template <TradeSink Sink>
  [[gnu::always_inline]] Result add_limit_order(IdArgument id, Side side, PriceArgument price,
                                                QuantityArgument quantity, TimeInForce time_in_force,
                                                Sink&& sink) noexcept {
    return this->template call<CommandType::AddLimit>(
        CommandOf::add_limit(id, side, price, quantity, time_in_force), sink);
  }

  /// Adds a market order: trades at any price and drops what finds no maker. It never rests.
  /// @return filled: lots traded, 0 if the other side is empty; cancelled: the lots dropped.
  /// Rejections: by ids DuplicateId; InvalidCommand (side is not an enumerator), InvalidQuantity (0, or above
  /// `quantity_max`).
  template <TradeSink Sink>
  Result add_market_order(IdArgument id, Side side, QuantityArgument quantity, Sink&& sink) noexcept {
    return this->template call<CommandType::AddMarket>(CommandOf::add_market(id, side, quantity), sink);
  }

  /// Adds an order that rests and never trades in this call, at any price of the band, so that the book may be
  /// locked or crossed afterwards: for a feed, whose venue has matched, and for an auction. A later order that
  /// meets it trades with it as with any other.
  /// @return handle and remaining: the order.
  /// Rejections: by ids DuplicateId and NoRoomForId; InvalidCommand (side is not an enumerator), InvalidQuantity
  /// (0, or above `quantity_max`), PriceOutOfBand, PoolFull, QuantityOverflow.
  [[gnu::always_inline]] Result add_resting_order(IdArgument id, Side side, PriceArgument price,
                                                  QuantityArgument quantity) noexcept {
    return this->template call<CommandType::AddResting>(CommandOf::add_resting(id, side, price, quantity));
  }
};

/// Of a set: those of a book of it.
template <class Derived, class Name>
class OrderCalls<Derived, BasicBookCommand<Name>> : public detail::CallsOnOrders<Derived, BasicBookCommand<Name>> {
  using CommandOf = BasicBookCommand<Name>;

 public:
  template <TradeSink Sink>
  [[gnu::always_inline]] Result add_limit_order(BookNumber book, IdArgument id, Side side, PriceArgument price,
                                                QuantityArgument quantity, TimeInForce time_in_force,
                                                Sink&& sink) noexcept {
    return this->template call<CommandType::AddLimit>(
        CommandOf{CommandOf::add_limit(id, side, price, quantity, time_in_force), book}, sink);
  }
  template <TradeSink Sink>
  Result add_market_order(BookNumber book, IdArgument id, Side side, QuantityArgument quantity,
                          Sink&& sink) noexcept {
    return this->template call<CommandType::AddMarket>(CommandOf{CommandOf::add_market(id, side, quantity), book},
                                                       sink);
  }
  [[gnu::always_inline]] Result add_resting_order(BookNumber book, IdArgument id, Side side, PriceArgument price,
                                                  QuantityArgument quantity) noexcept {
    return this->template call<CommandType::AddResting>(
        CommandOf{CommandOf::add_resting(id, side, price, quantity), book});
  }
};

/// Makes the call of a command whose type is known only now, by `execute<type>()`.
/// @return its result; InvalidCommand if `type` is not an enumerator.
template <class Execute>
Result execute_as(CommandType type, const Execute& execute) {
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
  }
  return {Status::InvalidCommand};
}

}  // namespace llmes::inline LLMES_NAMESPACE
