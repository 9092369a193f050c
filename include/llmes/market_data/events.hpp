// SPDX-License-Identifier: MIT
//
// The events of a book, in three streams. From each stream a reader without access to the book can build its own.
//
//  - orders (level 3): OrderAdded, OrderExecuted, OrderReduced, OrderDeleted, OrderReplaced, HiddenExecuted,
//    OrdersCrossed
//  - levels (level 2): LevelChanged
//  - best prices (level 1): BestChanged
//
// The rules of all three:
//
//  - Each stream of each book numbers its own events: 1, 2, 3 and so on. A gap shows that an event was lost.
//  - The last event of a command in a stream is marked. Only then is the reader's book correct.
//  - A command that is rejected or changes nothing makes no event.
//  - Of a book with rules they tell what is displayed, and nothing else: a quantity is displayed lots.
//
// A sink takes the events that it has members for:
//
//     void added(const OrderAdded&);          void level_changed(const LevelChanged&);
//     void executed(const OrderExecuted&);    void best_changed(const BestChanged&);
//     void reduced(const OrderReduced&);
//     void deleted(const OrderDeleted&);
//     void replaced(const OrderReplaced&);
//     void hidden_executed(const HiddenExecuted&);
//     void crossed(const OrdersCrossed&);
//
// An event without a member is not made and takes no sequence. A sink that names an event that it cannot take, or
// none, does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "llmes/detail/member_names.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What all events carry.
struct Event {
  std::uint64_t sequence = 0;  ///< its place in its stream of its book, from 1
  BookNumber book = 0;         ///< 0 for a book that is not one of a set
  bool ends_command = false;   ///< whether it is the last one of its command in its stream

  friend constexpr bool operator==(const Event&, const Event&) = default;
};

// ---- Orders. The orders of a price level stand as they came: an added order, and the new one of a replace, is
// the youngest, unless OrderAdded says in front of which it came. At most one order that rests has a given handle.

/// An order has come to rest, with what its fills have left of it.
struct OrderAdded : Event {
  RestingOrder order{};
  OrderHandle in_front_of{};  ///< the next order of its level; names nothing if it is the youngest

  friend constexpr bool operator==(const OrderAdded&, const OrderAdded&) = default;
};

/// A fill. The maker is the oldest order of the best opposite level, or with pro-rata any order of that level. It
/// keeps its place, and leaves if `maker_remaining` is 0. With rules `maker_remaining` is what it still displays;
/// a refill is an OrderAdded with the same handle; and `taker_remaining` is 0, because it may come to be a
/// reserve. The taker is a new order, or one that a modify or replace moves: then the event after the last fill
/// says what became of it, and until then it appears to rest as it was.
struct OrderExecuted : Event {
  Trade trade{};

  friend constexpr bool operator==(const OrderExecuted&, const OrderExecuted&) = default;
};

/// An order has fewer lots without a fill, and keeps its place.
struct OrderReduced : Event {
  RestingOrder order{};  ///< as it is now; something of it is left
  Quantity by = 0;       ///< lots that it lost; at least 1

  friend constexpr bool operator==(const OrderReduced&, const OrderReduced&) = default;
};

/// An order is gone: cancelled, reduced to nothing, or modified or replaced by one that does not rest.
struct OrderDeleted : Event {
  RestingOrder order{};  ///< as it was

  friend constexpr bool operator==(const OrderDeleted&, const OrderDeleted&) = default;
};

/// An order is gone, and another one of its side has come to rest. After a modify both have one handle and one id.
struct OrderReplaced : Event {
  RestingOrder old_order{};  ///< as it was
  RestingOrder order{};      ///< as it is now

  friend constexpr bool operator==(const OrderReplaced&, const OrderReplaced&) = default;
};

/// A fill of an order that displays nothing. It changes no order that a reader knows.
struct HiddenExecuted : Event {
  Side taker_side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;

  friend constexpr bool operator==(const HiddenExecuted&, const HiddenExecuted&) = default;
};

/// Two orders that rest have traded in an auction, at another price than their own. Each keeps its place, and
/// leaves if it displays nothing now.
struct OrdersCrossed : Event {
  /// One of the two. It is not told of if it displayed nothing of these lots: then `by` is 0.
  struct Part {
    RestingOrder order{};  ///< as it is now
    Quantity by = 0;       ///< displayed lots that it has traded

    friend constexpr bool operator==(const Part&, const Part&) = default;
  };

  Part buy{};
  Part sell{};
  Price price = 0;        ///< of the auction
  Quantity quantity = 0;  ///< all lots of the trade; at least 1

  friend constexpr bool operator==(const OrdersCrossed&, const OrdersCrossed&) = default;
};

// ---- Levels and best prices.

/// A command has touched a price level: an order came, left or changed there. A command reports each level that it
/// touches once, in its final state, which may equal the state before.
struct LevelChanged : Event {
  Side side = Side::Buy;
  DepthLevel level{};  ///< quantity and count are 0 if nothing rests there now

  friend constexpr bool operator==(const LevelChanged&, const LevelChanged&) = default;
};

/// A command has changed the best level of a side or of both: its price, its lots or its number of orders.
struct BestChanged : Event {
  DepthLevel bid{};  ///< all members are 0 if nothing rests there now
  DepthLevel ask{};

  friend constexpr bool operator==(const BestChanged&, const BestChanged&) = default;
};

/// The best levels of a book, as an event without a place. Constant.
template <class Book>
[[nodiscard]] BestChanged best_of(const Book& book) noexcept {
  const auto level = [&book](Side side) {
    const std::optional<Price> price = book.best(side);
    return price ? book.level(side, *price) : DepthLevel{};
  };
  return {{}, level(Side::Buy), level(Side::Sell)};
}

/// The last sequence of each stream of a book; 0 before the first event.
struct StreamPositions {
  std::uint64_t orders;
  std::uint64_t levels;
  std::uint64_t best;

  friend constexpr bool operator==(const StreamPositions&, const StreamPositions&) = default;
};

// ---- Gives an event to the member of a sink that is for it.

#define LLMES_FOR_EACH_EVENT(DO)      \
  DO(OrderAdded, added)               \
  DO(OrderExecuted, executed)         \
  DO(OrderReduced, reduced)           \
  DO(OrderDeleted, deleted)           \
  DO(OrderReplaced, replaced)         \
  DO(HiddenExecuted, hidden_executed) \
  DO(OrdersCrossed, crossed)          \
  DO(LevelChanged, level_changed)     \
  DO(BestChanged, best_changed)

#define LLMES_GIVE(Type, member)                                                           \
  template <class Sink>                                                                    \
  constexpr auto give(Sink& sink, const Type& event)->decltype(void(sink.member(event))) { \
    sink.member(event);                                                                    \
  }
LLMES_FOR_EACH_EVENT(LLMES_GIVE)
#undef LLMES_GIVE

template <class Sink, class AnyEvent>
concept TakesEvent = requires(Sink& sink, const AnyEvent& event) { give(sink, event); };
/// Whether a sink has a member for at least one of these events.
template <class Sink, class... Events>
concept Takes = (TakesEvent<Sink, Events> || ...);

namespace detail {
struct EventNames {
  int added, executed, reduced, deleted, replaced, hidden_executed, crossed, level_changed, best_changed;
  int on_added, on_executed, on_reduced, on_deleted, on_replaced, on_hidden_executed, on_crossed, on_level_changed,
      on_best_changed;
};

/// Rejects a sink that has a member with the name of an event, but cannot take that event; and one that has such a
/// name with `on_` before it, and not the name itself.
template <class Sink>
consteval void check_event_sink() noexcept {
  using Class = std::remove_cv_t<Sink>;
  using Names = WithNames<Class, EventNames>;
#define LLMES_CHECK(Type, member)                                                            \
  static_assert(!has_member(                                                                 \
                    requires { &Class::member; }, requires { &Names::member; }) ||           \
                    TakesEvent<Sink, Type>,                                                  \
                "llmes: the sink's member `" #member "` cannot take a const " #Type "&");    \
  static_assert(!has_member(                                                                 \
                    requires { &Class::on_##member; }, requires { &Names::on_##member; }) || \
                    TakesEvent<Sink, Type>,                                                  \
                "llmes: nobody calls the sink's member `on_" #member "`; is it `" #member "`?");
  LLMES_FOR_EACH_EVENT(LLMES_CHECK)
#undef LLMES_CHECK
}
}  // namespace detail
#undef LLMES_FOR_EACH_EVENT

}  // namespace llmes::inline LLMES_NAMESPACE
