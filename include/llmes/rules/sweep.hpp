// SPDX-License-Identifier: MIT
//
// How a taker sweeps the other side of a book with rules: level by level, the best first. On a level it meets its
// own owner's orders, whose match may be prevented, and trades with the others as the allocation says. The
// invariants of rule_state.hpp hold before every event.
#pragma once

#include <algorithm>
#include <cstddef>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/rules/ruled_orders.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// What trades with what rests.
struct Taker {
  OrderId id;
  Side side;
  Owner owner;
  SelfTrade mode;
  Quantity open;  ///< lots still to trade, to rest or to be dropped
  Quantity filled = 0;

  /// Whether it minds to meet its own owner.
  [[nodiscard]] bool prevents() const noexcept { return owner != 0 && mode != SelfTrade::Allow; }
};

/// A taker at work in a book of `Orders`, which are `RuledOrders`.
template <class Orders, class Sink>
struct Sweep {
  Orders& orders;
  Sink& sink;
  Taker taker;

  /// Trades with what it meets at ranks up to `reach` of the other side.
  void run(std::size_t reach) noexcept {
    const Side side = opposite(taker.side);
    for (std::size_t rank = orders.best_rank(side); taker.open > 0 && rank <= reach;
         rank = orders.best_rank(side)) {
      PriceLevel level = orders.level_at(side, rank);
      trade_on(level, orders.price_of(side, rank));
      if (level.empty()) orders.side_book(side).retire_if_empty(orders.pool, level);
    }
  }

  /// Trades with the orders of one level, which the caller retires.
  void trade_on(PriceLevel level, Price price) noexcept {
    if constexpr (Orders::allocation == Allocation::PriceTime) {
      trade_by_time(level, price);
    } else {
      trade_pro_rata(level, price);
    }
  }

 private:
  void trade_by_time(PriceLevel level, Price price) noexcept {
    while (taker.open > 0 && !level.empty()) {
      const SlotIndex maker = level.front();
      if (taker.prevents() && orders.rules()[maker].owner == taker.owner) {
        prevent(maker, level, price);
      } else {
        trade(maker, available(maker, taker.open), level, price);
      }
    }
  }

  /// The level is reached as a whole: first all matches of one owner are prevented, then lots are shared in
  /// rounds, each of which has the orders that are displayed at its beginning.
  void trade_pro_rata(PriceLevel level, Price price) noexcept {
    if (taker.prevents()) {
      SlotIndex next = level.front();
      while (taker.open > 0 && next != level.anchor()) {
        const SlotIndex maker = next;
        next = orders.pool[maker].next;
        if (orders.rules()[maker].owner == taker.owner) prevent(maker, level, price);
      }
    }
    while (taker.open > 0 && !level.empty()) {
      const SlotIndex count =
          orders.pool[level.anchor()].order_count() - orders.rules()[level.anchor()].hidden_count();
      const bool shares = level.total() > taker.open;
      if (shares) share(count, level, price);
      // What is left of the taker, or all orders of the round, first come first served.
      const SlotIndex most = count == 0 ? 1 : count;
      for (SlotIndex i = 0; taker.open > 0 && i < most; ++i) {
        const SlotIndex maker = level.front();
        trade(maker, available(maker, taker.open), level, price);
      }
    }
  }

  /// Gives each of the first `count` orders of a level, which have more than the taker, its share of the taker.
  void share(SlotIndex count, PriceLevel level, Price price) noexcept {
    Quantity total = level.total();
    if (Orders::allocation == Allocation::FirstThenProRata && orders.rules()[level.front()].opened()) {
      const Quantity displayed = orders.pool[level.front()].quantity;
      trade(level.front(), std::min(taker.open, displayed), level, price);
      total -= displayed;
      --count;
    }
    const Quantity shared = taker.open;
    if (shared == 0) return;
    SlotIndex maker = level.front();
    for (SlotIndex i = 0; i < count; ++i) {
      const SlotIndex next = orders.pool[maker].next;
      const auto lots = static_cast<Quantity>(Lots{shared} * orders.pool[maker].quantity / total);
      if (lots != 0 && lots >= Orders::minimum_share) trade(maker, lots, level, price);
      maker = next;
    }
  }

  /// What a maker trades at once with a taker of `open` lots.
  [[nodiscard]] Quantity available(SlotIndex maker, Quantity open) const noexcept {
    return std::min(open,
                    orders.rules()[maker].hidden() ? orders.rules()[maker].reserve : orders.pool[maker].quantity);
  }

  /// One fill.
  void trade(SlotIndex maker, Quantity lots, PriceLevel level, Price price) noexcept {
    const SlotTerms& terms = orders.rules()[maker];
    const Owner owner = terms.owner;
    if (terms.hidden()) {
      orders.draw(maker, lots);
    } else {
      level.reduce(maker, lots);
    }
    taker.open -= lots;
    taker.filled += lots;
    const Quantity displayed = orders.pool[maker].quantity;
    const RuledTrade event{{taker.id, orders.pool[maker].id, orders.pool.handle(maker), price, lots,
                            orders.total_of(maker), taker.open, taker.side},
                           owner,
                           taker.owner,
                           displayed,
                           terms.display()};
    const bool refills = displayed == 0 && event.maker_remaining != 0 && !terms.hidden();
    if (event.maker_remaining == 0) {
      drop(maker, level);
    } else if (refills) {
      orders.refill(maker);
    }
    sink(event);
    if (refills) tell_refilled(sink, orders.resting_order(maker));
  }

  /// A taker has met an order of its own owner, and they must not trade.
  void prevent(SlotIndex maker, PriceLevel level, Price price) noexcept {
    const Quantity total = orders.total_of(maker);
    const Quantity quantity = std::min(taker.open, total);
    const OrderId id = orders.pool[maker].id;
    const OrderHandle handle = orders.pool.handle(maker);
    const Quantity showed = orders.pool[maker].quantity;
    Quantity maker_loses = 0;
    if (taker.mode == SelfTrade::Decrement) {
      maker_loses = quantity;
      taker.open -= quantity;
    } else {
      if (taker.mode != SelfTrade::CancelTaker) maker_loses = total;
      if (taker.mode != SelfTrade::CancelMaker) taker.open = 0;
    }
    if (maker_loses == total) {
      drop(maker, level);
    } else if (maker_loses != 0) {
      orders.shrink(maker, maker_loses);
    }
    tell_prevented(sink, PreventedMatch{taker.id, id, handle, price, quantity, total - maker_loses, taker.open,
                                        taker.side, taker.mode, taker.owner, showed});
  }

  /// Takes a maker off; its level is in use until the taker leaves it.
  void drop(SlotIndex maker, PriceLevel level) noexcept {
    orders.forget(maker);
    level.erase(maker);
    orders.pool.release(maker);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
