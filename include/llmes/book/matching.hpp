// SPDX-License-Identifier: MIT
//
// What each command does to the orders of a book: its checks, all before the first write, and how orders trade.
//
// Only resting and cancelling are forced inline: other code, if inlined, would take their registers.
//
// The book may be locked or crossed: a feed shows what a venue has yet to match, and an auction collects orders
// that cross. So no code here assumes that the best bid is below the best ask. AddResting, ModifyResting and
// ReplaceResting never trade; all other commands match what they meet.
//
// An order that crosses and then rests has used up at least one maker, so even a full pool has a slot for it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Executes commands on the orders of a book: `RestingOrders`, or more that is known of these.
template <class OrdersType>
class Matching {
 public:
  using Orders = OrdersType;
  using SideBook = typename Orders::SideBook;

  /// Of orders that are made from these.
  template <class... From>
    requires std::constructible_from<Orders, From&...>
  explicit Matching(From&... from) noexcept : orders(from...) {}

  Orders orders;

  /// Executes a command, whose terms, if it has any, are not read.
  template <CommandType type, class Sink>
  [[gnu::always_inline]] Result run(const auto& command, Sink& sink) noexcept {
    if constexpr (type == CommandType::AddLimit) {
      return add_limit(command.id, command.side, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::Cancel) {
      return cancel(command.handle);
    } else if constexpr (type == CommandType::MassCancel) {
      return {Status::InvalidCommand};
    } else {
      const bool kept_place = modifies(type) && keeps_place(command.handle, command.price, command.quantity);
      return complete(make<type>(command, sink), command.quantity, kept_place, type == CommandType::Reduce);
    }
  }
  /// The same for a type known only at run time, other than AddLimit and Cancel.
  [[gnu::always_inline]] Result run_any(const auto& command, auto& sink) noexcept {
    const bool kept_place = modifies(command.type) && keeps_place(command.handle, command.price, command.quantity);
    return complete(make_any(command, sink), command.quantity, kept_place, command.type == CommandType::Reduce);
  }

 protected:
  // ---- What the rules of a venue also need.

  [[gnu::always_inline]] Result add_limit(IdArgument id, Side side, PriceArgument price, QuantityArgument quantity,
                                          TimeInForce time_in_force, auto& sink) noexcept {
    const std::size_t offset = orders.offset_of(price);
    const bool rests = may_rest(side, time_in_force) && orders.is_valid(quantity);
    if (rests && offset < Orders::rank_count) [[likely]] {
      const std::size_t rank = SideBook::rank(side, offset);
      if (!orders.crosses(side, rank) && !orders.pool.full()) [[likely]] {
        OrderHandle handle;
        if (orders.try_enqueue(id, side, rank, quantity, handle)) [[likely]]
          return {Status::Success, handle, 0, quantity};
      }
    }
    return complete(add_slow(id, side, offset, quantity, time_in_force, sink), quantity);
  }

  [[gnu::always_inline]] Result cancel(OrderHandle handle) noexcept {
    if (!orders.pool.contains(handle)) return {Status::UnknownOrder};
    orders.unlink(handle.index);
    orders.pool.release(handle.index);
    return {Status::Success, {}, 0, 0, orders.pool[handle.index].quantity};  // a free slot keeps the quantity
  }

  /// Whether an order with this time in force may come to rest.
  [[nodiscard]] static constexpr bool may_rest(TimeInForce time_in_force) noexcept {
    return time_in_force <= TimeInForce::PostOnly;
  }
  /// The same, and whether its side is valid: both are then 0 or 1, so one compare is enough.
  [[nodiscard, gnu::always_inline]] static constexpr bool may_rest(Side side, TimeInForce time_in_force) noexcept {
    return (static_cast<unsigned>(side) | static_cast<unsigned>(time_in_force)) <= 1;
  }

  static constexpr bool modifies(CommandType type) noexcept {
    return type == CommandType::Modify || type == CommandType::ModifyResting;
  }

 private:
  /// What an out-of-line call returns; the handle names the order if it rests now. Inlined code without side
  /// effects derives the other members of a `Result`, so a caller that does not read them does not pay for them.
  struct Outcome {
    Status status = Status::Success;
    OrderHandle handle{};
    Quantity filled = 0;
  };

  /// The result of a call that added, modified or replaced an order with `quantity` lots, or `reduces` it by them.
  [[nodiscard, gnu::always_inline]] Result complete(const Outcome& outcome, Quantity quantity,
                                                    bool kept_place = false, bool reduces = false) const noexcept {
    const auto& [status, handle, filled] = outcome;
    const bool rests = handle != OrderHandle{};
    const bool rejected = status != Status::Success;
    const bool ends = !rejected && (!rests || reduces);
    return {status,
            handle,
            filled,
            rests ? orders.pool[handle.index].quantity : 0,
            ends ? quantity - filled : 0,
            rests && (kept_place || reduces || rejected)};
  }

  /// Whether a resting order keeps its place when it is changed to `price` and `quantity`.
  [[nodiscard, gnu::always_inline]] bool keeps_place(OrderHandle handle, Price price,
                                                     Quantity quantity) const noexcept {
    return orders.pool.contains(handle) && quantity <= orders.pool[handle.index].quantity &&
           orders.offset_of(price) == orders.offset_of_order(handle.index);
  }

  Outcome reduce(OrderHandle handle, Quantity by) noexcept {
    if (!orders.pool.contains(handle)) return {Status::UnknownOrder};
    const OrderSlot& order = orders.pool[handle.index];
    if (by == 0 || by > order.quantity) return {Status::InvalidQuantity, handle};
    if (by == order.quantity) return {cancel(handle).status};
    PriceLevel(orders.pool, order.level).reduce(handle.index, by);
    return {Status::Success, handle};
  }

  Outcome add_market(OrderId id, Side side, Quantity quantity, TradeSink auto& sink) noexcept {
    if (!Orders::is_side(side)) return {Status::InvalidCommand};
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity};
    return {Status::Success, {}, match(id, side, Orders::rank_count - 1, quantity, sink)};
  }

  /// Stands for the sink of a call that never trades.
  struct NeverTrades {};
  template <class Sink>
  static constexpr bool may_trade = !std::same_as<Sink, NeverTrades>;

  template <class Sink>
  Outcome modify(OrderHandle handle, Price price, Quantity quantity, Sink& sink) noexcept {
    if (!orders.pool.contains(handle)) return {Status::UnknownOrder};
    const SlotIndex index = handle.index;
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity, handle};
    const std::size_t offset = orders.offset_of(price);
    if (offset >= Orders::rank_count) return {Status::PriceOutOfBand, handle};

    OrderSlot& order = orders.pool[index];
    const Side side = SideBook::side_of(orders.pool, order.level);
    const std::size_t rank = SideBook::rank(side, offset);
    const bool same_price = rank == SideBook::rank_of(orders.pool, order.level);
    const Quantity open = order.quantity;
    if (same_price && quantity <= open) {
      PriceLevel(orders.pool, order.level).reduce(index, open - quantity);
      return {Status::Success, handle, 0};
    }
    if (!has_level_to_rest<Sink>(side, rank, quantity, true)) [[unlikely]]
      return {Status::PoolFull, handle};
    if (!has_room_to_rest<Sink>(side, rank, quantity, same_price ? open : 0)) [[unlikely]]
      return {Status::QuantityOverflow, handle};

    orders.unlink(index);
    Quantity filled = 0;
    if constexpr (may_trade<Sink>) {
      if (orders.crosses(side, rank)) filled = match(order.id, side, Orders::reach_of(rank), quantity, sink);
      if (filled == quantity) {
        orders.pool.release(index);
        return {Status::Success, {}, filled};
      }
    }
    order.quantity = quantity - filled;
    orders.side_book(side).push_back(orders.pool, side, rank, index);
    return {Status::Success, handle, filled};
  }

  Outcome modify(OrderHandle handle, Price price, Quantity quantity, TimeInForce time_in_force,
                 TradeSink auto& sink) noexcept {
    if (time_in_force == TimeInForce::GoodTillCancel) [[likely]]
      return modify(handle, price, quantity, sink);
    return modify_slow(handle, price, quantity, time_in_force, sink);
  }

  /// Modifies with a time in force other than good till cancelled.
  [[gnu::noinline]] Outcome modify_slow(OrderHandle handle, Price price, Quantity quantity,
                                        TimeInForce time_in_force, TradeSink auto& sink) noexcept {
    const bool known = orders.pool.contains(handle);
    if (!known || time_in_force != TimeInForce::PostOnly) {  // the old order goes, or is unknown
      return replace(handle, known ? orders.pool[handle.index].id : 0, price, quantity, time_in_force, sink);
    }
    const std::size_t offset = orders.offset_of(price);
    const Side side = SideBook::side_of(orders.pool, orders.pool[handle.index].level);
    if (orders.is_valid(quantity) && offset < Orders::rank_count &&
        orders.crosses(side, SideBook::rank(side, offset)) && !keeps_place(handle, price, quantity)) {
      return {Status::WouldCross, handle};
    }
    return modify(handle, price, quantity, sink);
  }

  /// Replaces an order. Every fault of the new order is found before anything changes.
  template <class Sink>
  [[gnu::noinline]] Outcome replace(OrderHandle handle, OrderId id, Price price, Quantity quantity,
                                    TimeInForce time_in_force, Sink& sink) noexcept {
    if (!orders.pool.contains(handle)) handle = {};
    if (time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand, handle};
    if (handle == OrderHandle{}) return {Status::UnknownOrder};
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity, handle};
    const std::size_t offset = orders.offset_of(price);
    if (offset >= Orders::rank_count && may_rest(time_in_force)) return {Status::PriceOutOfBand, handle};

    const OrderSlot& order = orders.pool[handle.index];
    const Side side = SideBook::side_of(orders.pool, order.level);
    const std::size_t rank = orders.rank_of_limit(side, offset);
    const bool trades = may_trade<Sink> && rank < Orders::rank_count && orders.crosses(side, rank);
    if (time_in_force == TimeInForce::PostOnly && trades) return {Status::WouldCross, handle};
    if (time_in_force == TimeInForce::FillOrKill &&
        !(trades && fillable(side, Orders::reach_of(rank), quantity))) {
      return {Status::NotFillable, handle};
    }
    const Quantity leaving = offset == orders.offset_of_order(handle.index) ? order.quantity : 0;
    if (may_rest(time_in_force)) {
      if (!has_level_to_rest<Sink>(side, rank, quantity, true)) [[unlikely]]
        return {Status::PoolFull, handle};
      if (!has_room_to_rest<Sink>(side, rank, quantity, leaving)) [[unlikely]]
        return {Status::QuantityOverflow, handle};
    }

    orders.unlink(handle.index);
    orders.pool.release(handle.index);
    Quantity filled = 0;
    if constexpr (may_trade<Sink>) {
      if (trades) filled = match(id, side, Orders::reach_of(rank), quantity, sink);
    }
    if (filled == quantity || !may_rest(time_in_force)) return {Status::Success, {}, filled};
    return {Status::Success, orders.enqueue(id, side, rank, quantity - filled), filled};
  }

  // ---- Without a trade.

  [[gnu::always_inline]] Outcome add_resting(OrderId id, Side side, Price price, Quantity quantity) noexcept {
    if (!Orders::is_side(side)) return {Status::InvalidCommand};
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity};
    const std::size_t offset = orders.offset_of(price);
    if (offset >= Orders::rank_count) return {Status::PriceOutOfBand};
    const std::size_t rank = SideBook::rank(side, offset);
    if (!orders.is_near(side, rank)) [[unlikely]]
      return add_far(id, side, rank, quantity);
    if (orders.pool.full()) return {Status::PoolFull};
    if (!orders.has_room(side, rank, quantity)) return {Status::QuantityOverflow};
    return {Status::Success, orders.enqueue(id, side, rank, quantity)};
  }
  /// Its level is in use, so it needs no other one. Cold, or the compiler inlines less of the other calls.
  [[nodiscard, gnu::noinline, gnu::cold]] Outcome add_resting_before(OrderHandle neighbour, OrderId id,
                                                                     Quantity quantity) noexcept {
    if (!orders.pool.contains(neighbour)) return {Status::UnknownOrder};
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity};
    if (orders.pool.full()) return {Status::PoolFull};
    PriceLevel level(orders.pool, orders.pool[neighbour.index].level);
    if (!level.has_room(quantity)) return {Status::QuantityOverflow};
    const SlotIndex index = orders.acquire_slot(id, quantity);
    level.insert_before(neighbour.index, index);
    return {Status::Success, orders.pool.handle(index)};
  }

  /// Executes a command that does more than rest or cancel.
  template <CommandType type, class Sink>
  [[gnu::always_inline]] Outcome make(const auto& command, Sink& sink) noexcept {
    const auto& [id, handle] = static_cast<const OrderNames<OrderHandle>&>(command);
    if constexpr (type == CommandType::AddMarket) {
      return add_market(id, command.side, command.quantity, sink);
    } else if constexpr (type == CommandType::Modify) {
      return modify(handle, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::Reduce) {
      return reduce(handle, command.quantity);
    } else if constexpr (type == CommandType::Replace) {
      return replace(handle, id, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::AddResting) {
      return add_resting(id, command.side, command.price, command.quantity);
    } else if constexpr (type == CommandType::ModifyResting) {
      NeverTrades none;
      return modify(handle, command.price, command.quantity, none);
    } else if constexpr (type == CommandType::ReplaceResting) {
      NeverTrades none;
      return replace(handle, id, command.price, command.quantity, TimeInForce::GoodTillCancel, none);
    } else {
      static_assert(type == CommandType::AddRestingBefore);
      return add_resting_before(handle, id, command.quantity);
    }
  }

  /// The same for a type known only at run time.
  [[gnu::noinline]] Outcome make_any(const auto& command, TradeSink auto& sink) noexcept {
    if (command.type == CommandType::Modify) return make<CommandType::Modify>(command, sink);
    if (command.type == CommandType::AddMarket) return make<CommandType::AddMarket>(command, sink);
    switch (command.type) {
      case CommandType::Reduce: return make<CommandType::Reduce>(command, sink);
      case CommandType::Replace: return make<CommandType::Replace>(command, sink);
      case CommandType::AddResting: return make<CommandType::AddResting>(command, sink);
      case CommandType::ModifyResting: return make<CommandType::ModifyResting>(command, sink);
      case CommandType::ReplaceResting: return make<CommandType::ReplaceResting>(command, sink);
      case CommandType::AddRestingBefore: return make<CommandType::AddRestingBefore>(command, sink);
      default: return {Status::InvalidCommand};
    }
  }

  /// Adds a limit order that trades, is dropped or rejected, or rests far from the touch.
  [[gnu::noinline]] Outcome add_slow(OrderId id, Side side, std::size_t offset, Quantity quantity,
                                     TimeInForce time_in_force, TradeSink auto& sink) noexcept {
    if (!Orders::is_side(side) || time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand};
    if (!orders.is_valid(quantity)) return {Status::InvalidQuantity};
    const bool in_band = offset < Orders::rank_count;
    if (!in_band && may_rest(time_in_force)) return {Status::PriceOutOfBand};

    const std::size_t rank = orders.rank_of_limit(side, offset);
    if ((in_band || rank == 0) && orders.crosses(side, rank)) {
      return add_crossing(id, side, rank, quantity, time_in_force, sink);
    }
    if (time_in_force == TimeInForce::ImmediateOrCancel) return {};
    if (time_in_force == TimeInForce::FillOrKill) return {Status::NotFillable};
    return add_far(id, side, rank, quantity);
  }

  /// Adds an order that rests, also on a far level, if there is room for it.
  [[gnu::noinline]] Outcome add_far(OrderId id, Side side, std::size_t rank, Quantity quantity) noexcept {
    if (orders.pool.full() || !orders.has_level(side, rank, false)) return {Status::PoolFull};
    if (!orders.has_room(side, rank, quantity)) return {Status::QuantityOverflow};
    return {Status::Success, orders.enqueue(id, side, rank, quantity)};
  }

  template <TradeSink Sink>
  Outcome add_crossing(OrderId id, Side side, std::size_t rank, Quantity quantity, TimeInForce time_in_force,
                       Sink& sink) noexcept {
    if (may_rest(time_in_force)) {
      if (time_in_force == TimeInForce::PostOnly) return {Status::WouldCross};
      if (!has_level_to_rest<Sink>(side, rank, quantity, false)) [[unlikely]]
        return {Status::PoolFull};
      if (!has_room_to_rest<Sink>(side, rank, quantity)) [[unlikely]]
        return {Status::QuantityOverflow};
    } else if (time_in_force == TimeInForce::FillOrKill && !fillable(side, Orders::reach_of(rank), quantity)) {
      return {Status::NotFillable};
    }
    const Quantity filled = match(id, side, Orders::reach_of(rank), quantity, sink);
    if (filled == quantity || !may_rest(time_in_force)) {
      return {Status::Success, {}, filled};
    }
    return {Status::Success, orders.enqueue(id, side, rank, quantity - filled), filled};
  }

  /// What is left of a taker of `quantity` lots after trading with all ranks up to `reach` of the other side.
  [[nodiscard]] Quantity left_after(Side taker_side, std::size_t reach, Quantity quantity) const noexcept {
    const SideBook& makers = orders.side_book(opposite(taker_side));
    for (std::size_t rank = makers.best(); rank <= reach; rank = makers.best_from(orders.pool, rank + 1)) {
      const Quantity total = orders.pool[makers.anchor(orders.pool, opposite(taker_side), rank)].total();
      if (quantity <= total) return 0;
      quantity -= total;
    }
    return quantity;
  }
  [[nodiscard]] bool fillable(Side taker_side, std::size_t reach, Quantity quantity) const noexcept {
    return left_after(taker_side, reach, quantity) == 0;
  }

  /// Whether the level has room for what an order does not trade. In a crossed book an order may trade and still
  /// rest on a level with orders. Only then, at the limit of 64 bits, does it matter how much it trades.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] bool has_room_to_rest(Side side, std::size_t rank, Quantity quantity,
                                                          Quantity leaving = 0) noexcept {
    return orders.has_room(side, rank, quantity, leaving) ||
           (may_trade<Sink> &&
            orders.has_room(side, rank, left_after(side, Orders::reach_of(rank), quantity), leaving));
  }
  /// Whether what an order does not trade gets a level.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] bool has_level_to_rest(Side side, std::size_t rank, Quantity quantity,
                                                           bool moves) const noexcept {
    return orders.has_level(side, rank, moves) ||
           (may_trade<Sink> && fillable(side, Orders::reach_of(rank), quantity));
  }

  /// Trades up to `quantity` lots of a taker against ranks up to `reach` of the other side, best and oldest first.
  /// @return the lots traded.
  ///
  /// The total of a level tells whether the taker uses it up, and what is then left of the taker. If it does, the
  /// level leaves the side at once: the search for the next one overlaps the cache misses on this one's orders.
  [[gnu::noinline]] Quantity match(OrderId taker_id, Side taker_side, std::size_t reach, Quantity quantity,
                                   TradeSink auto& sink) noexcept {
    std::size_t rank = orders.best_rank(opposite(taker_side));
    const Side side = opposite(taker_side);
    SideBook& makers = orders.side_book(side);
    Quantity left = quantity;
    while (left > 0 && rank <= reach) {
      const Price price = orders.price_of(side, rank);
      PriceLevel level = orders.level_at(side, rank);
      SlotIndex index = level.front();
      Quantity open = left;  // of the taker, after each trade
      const auto trade_with_maker = [&](Quantity traded) __attribute__((always_inline)) {
        const OrderSlot& maker = orders.pool[index];
        open -= traded;
        return Trade{taker_id, maker.id,  orders.pool.handle(index), price, traded, maker.quantity - traded,
                     open,     taker_side};
      };
      if (level.total() > left) {
        for (; open > 0; index = level.front()) {
          const Trade trade = trade_with_maker(std::min(open, orders.pool[index].quantity));
          if (trade.maker_remaining > 0) {
            level.reduce(index, trade.quantity);
          } else {
            level.erase(index);
            orders.pool.release(index);
          }
          sink(trade);
        }
        return quantity;
      }
      left -= level.total();
      rank = makers.pop_best(orders.pool, rank, level);
      while (index != level.anchor()) {
        const SlotIndex next = orders.pool[index].next;
        const Trade trade = trade_with_maker(orders.pool[index].quantity);
        orders.pool.release(index);
        sink(trade);
        index = next;
      }
    }
    return quantity - left;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
