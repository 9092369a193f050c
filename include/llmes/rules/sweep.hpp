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

/// How orders trade. `minimum_share`: with a smaller share, pro-rata gives an order none.
template <class SideBookType, Allocation allocation, Quantity minimum_share>
class Sweep : protected RuledOrders<SideBookType, allocation> {
 protected:
  using Orders = RuledOrders<SideBookType, allocation>;
  using Orders::best_rank, Orders::forget, Orders::level_at, Orders::pool_, Orders::price_of, Orders::refill,
      Orders::resting_order, Orders::rules, Orders::shrink, Orders::side_book, Orders::total_of;
  using Orders::Orders;
  using typename Orders::Lots, typename Orders::SideBook;

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

  /// Trades with what it meets at ranks up to `reach` of the other side.
  void sweep(Taker& taker, std::size_t reach, auto& sink) noexcept {
    const Side side = opposite(taker.side);
    for (std::size_t rank = best_rank(side); taker.open > 0 && rank <= reach; rank = best_rank(side)) {
      PriceLevel level = level_at(side, rank);
      trade_on(level, taker, price_of(side, rank), sink);
      if (level.empty()) side_book(side).retire_if_empty(pool_, level);
    }
  }

  /// Trades with the orders of one level, which the caller retires.
  void trade_on(PriceLevel level, Taker& taker, Price price, auto& sink) noexcept {
    if constexpr (allocation == Allocation::PriceTime) {
      trade_by_time(taker, level, price, sink);
    } else {
      trade_pro_rata(taker, level, price, sink);
    }
  }

 private:
  void trade_by_time(Taker& taker, PriceLevel level, Price price, auto& sink) noexcept {
    while (taker.open > 0 && !level.empty()) {
      const SlotIndex maker = level.front();
      if (taker.prevents() && rules()[maker].owner == taker.owner) {
        prevent(taker, maker, level, price, sink);
      } else {
        trade(taker, maker, available(maker, taker.open), level, price, sink);
      }
    }
  }

  /// The level is reached as a whole: first all matches of one owner are prevented, then lots are shared in
  /// rounds, each of which has the orders that are displayed at its beginning.
  void trade_pro_rata(Taker& taker, PriceLevel level, Price price, auto& sink) noexcept {
    if (taker.prevents()) {
      SlotIndex next = level.front();
      while (taker.open > 0 && next != level.anchor()) {
        const SlotIndex maker = next;
        next = pool_[maker].next;
        if (rules()[maker].owner == taker.owner) prevent(taker, maker, level, price, sink);
      }
    }
    while (taker.open > 0 && !level.empty()) {
      const SlotIndex count = pool_[level.anchor()].order_count() - rules()[level.anchor()].hidden_count();
      const bool shares = level.total() > taker.open;
      if (shares) share(taker, count, level, price, sink);
      // What is left of the taker, or all orders of the round, first come first served.
      const SlotIndex most = count == 0 ? 1 : count;
      for (SlotIndex i = 0; taker.open > 0 && i < most; ++i) {
        const SlotIndex maker = level.front();
        trade(taker, maker, available(maker, taker.open), level, price, sink);
      }
    }
  }

  /// Gives each of the first `count` orders of a level, which have more than the taker, its share of the taker.
  void share(Taker& taker, SlotIndex count, PriceLevel level, Price price, auto& sink) noexcept {
    Quantity total = level.total();
    if (allocation == Allocation::FirstThenProRata && rules()[level.front()].opened()) {
      const Quantity displayed = pool_[level.front()].quantity;
      trade(taker, level.front(), std::min(taker.open, displayed), level, price, sink);
      total -= displayed;
      --count;
    }
    const Quantity shared = taker.open;
    if (shared == 0) return;
    SlotIndex maker = level.front();
    for (SlotIndex i = 0; i < count; ++i) {
      const SlotIndex next = pool_[maker].next;
      const auto lots = static_cast<Quantity>(Lots{shared} * pool_[maker].quantity / total);
      if (lots != 0 && lots >= minimum_share) trade(taker, maker, lots, level, price, sink);
      maker = next;
    }
  }

  /// What a maker trades at once with a taker of `open` lots.
  [[nodiscard]] Quantity available(SlotIndex maker, Quantity open) const noexcept {
    return std::min(open, rules()[maker].hidden() ? rules()[maker].reserve : pool_[maker].quantity);
  }

  /// One fill.
  void trade(Taker& taker, SlotIndex maker, Quantity lots, PriceLevel level, Price price, auto& sink) noexcept {
    const SlotTerms& terms = rules()[maker];
    const Owner owner = terms.owner;
    if (terms.hidden()) {
      this->draw(maker, lots);
    } else {
      level.reduce(maker, lots);
    }
    taker.open -= lots;
    taker.filled += lots;
    const Quantity displayed = pool_[maker].quantity;
    const RuledTrade event{
        {taker.id, pool_[maker].id, pool_.handle(maker), price, lots, total_of(maker), taker.open, taker.side},
        owner,
        taker.owner,
        displayed,
        terms.display()};
    const bool refills = displayed == 0 && event.maker_remaining != 0 && !terms.hidden();
    if (event.maker_remaining == 0) {
      drop(maker, level);
    } else if (refills) {
      refill(maker);
    }
    sink(event);
    if (refills) tell_refilled(sink, resting_order(maker));
  }

  /// A taker has met an order of its own owner, and they must not trade.
  void prevent(Taker& taker, SlotIndex maker, PriceLevel level, Price price, auto& sink) noexcept {
    const Quantity total = total_of(maker);
    const Quantity quantity = std::min(taker.open, total);
    const OrderId id = pool_[maker].id;
    const OrderHandle handle = pool_.handle(maker);
    const Quantity showed = pool_[maker].quantity;
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
      shrink(maker, maker_loses);
    }
    tell_prevented(sink, PreventedMatch{taker.id, id, handle, price, quantity, total - maker_loses, taker.open,
                                        taker.side, taker.mode, taker.owner, showed});
  }

  /// Takes a maker off; its level is in use until the taker leaves it.
  void drop(SlotIndex maker, PriceLevel level) noexcept {
    forget(maker);
    level.erase(maker);
    pool_.release(maker);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
