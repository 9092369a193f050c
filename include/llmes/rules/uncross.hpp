// SPDX-License-Identifier: MIT
//
// How an auction finds its price, and how orders of both sides trade at one price.
//
// Who walks through both sides from their best levels on, and lets as many lots of one meet as many of the other,
// has met the most lots that any price lets trade when the next buy is below the next sell. All of them trade at
// any price from the last sell met to the last buy met, and what is left over there begins with these next two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/rules/sweep.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

[[nodiscard]] inline Quantity saturate_lots(Lots lots) noexcept {
  return static_cast<Quantity>(std::min<Lots>(lots, std::numeric_limits<Quantity>::max()));
}

/// The lots of a side, level by level.
template <class Orders>
struct LotsLeft {
  LotsLeft(const Orders& of, Side which) noexcept : orders(of), side(which), rank(of.best_rank(which)) { look(); }

  [[nodiscard]] bool any() const noexcept { return rank != Orders::rank_count; }
  [[nodiscard]] Price price() const noexcept { return orders.price_of(side, rank); }
  void pass(Quantity by) noexcept {
    lots -= by;
    if (lots != 0) return;
    rank = orders.side_book(side).best_from(orders.pool, rank + 1);
    look();
  }
  void look() noexcept {
    if (any()) lots = orders.lots_at(orders.side_book(side).anchor(orders.pool, side, rank));
  }

  const Orders& orders;
  Side side;
  std::size_t rank;
  Quantity lots = 0;  ///< of this level
};

/// Takes the best order of a side off the orders.
template <class Orders>
[[nodiscard]] AuctionOrder pop_best(Orders& orders, Side side) noexcept {
  const std::size_t rank = orders.best_rank(side);
  PriceLevel level = orders.level_at(side, rank);
  const SlotIndex index = level.front();
  const OrderSlot& slot = orders.pool[index];
  const SlotIndex second = orders.pool[slot.next].next;  // its lines arrive while the one between trades
  orders.pool.prefetch(second);
  AuctionOrder order{.id = slot.id,
                     .handle = orders.pool.handle(index),
                     .limit = orders.price_of(side, rank),
                     .remaining = slot.quantity,
                     .displayed = slot.quantity};
  if (Orders::notes_first || orders.rules().used != 0) {
    __builtin_prefetch(&orders.rules()[second], 1);
    order.remaining = orders.total_of(index);
    order.owner = orders.rules()[index].owner;
    order.display = orders.rules()[index].display();
    orders.forget(index);
  }
  level.erase(index);
  orders.pool.release(index);
  orders.side_book(side).retire_if_empty(orders.pool, level);
  return order;
}

/// The orders of the side that trades whole. Each leaves the book when its turn comes.
template <class Orders, class Sink>
struct Counterparties {
  /// Lets `lots` of an order of the other side, which is as before, meet them.
  void meet(AuctionOrder order, Quantity lots) noexcept {
    while (lots != 0) {
      if (own.remaining == 0) own = pop_best(orders, side);
      const Quantity met = std::min(lots, own.remaining);
      lots -= met;
      reduce(order, met);
      reduce(own, met);
      const AuctionMatch match =
          side == Side::Buy ? AuctionMatch{own, order, price, met} : AuctionMatch{order, own, price, met};
      if (prevents && own.owner != 0 && own.owner == order.owner) {
        prevented += met;
        tell_prevented(sink, PreventedAuctionTrade{match});
      } else {
        filled += met;
        sink(AuctionTrade{match});
      }
    }
  }
  /// What an order displays goes first.
  static void reduce(AuctionOrder& order, Quantity lots) noexcept {
    order.shown = std::min(lots, order.displayed);
    order.displayed -= order.shown;
    order.remaining -= lots;
  }

  Orders& orders;
  Sink& sink;
  Price price;
  Side side;
  bool prevents;
  AuctionOrder own{};  ///< whose turn it is
  Lots filled = 0;
  Lots prevented = 0;
};

/// The last level of the side that has lots left over trades as with a taker: here is what the others get of it.
template <class Others>
struct LastLevel {
  Others& others;

  void operator()(const RuledTrade& fill) const noexcept {
    const bool hidden = fill.maker_display == Display::Hidden;
    others.meet({.id = fill.maker_id,
                 .handle = fill.maker_handle,
                 .limit = fill.price,
                 .remaining = fill.maker_remaining + fill.quantity,
                 .displayed = hidden ? 0 : fill.maker_displayed + fill.quantity,
                 .owner = fill.maker_owner,
                 .display = fill.maker_display},
                fill.quantity);
  }
  void refilled(const RestingOrder& order) const noexcept { tell_refilled(others.sink, order); }
};

/// What `AuctionCalls::indicative` says.
template <class Orders>
[[nodiscard]] std::optional<AuctionPrice> auction_price(const Orders& orders, Price reference) noexcept {
  LotsLeft bids(orders, Side::Buy);
  LotsLeft asks(orders, Side::Sell);
  Lots quantity = 0;
  Price lowest = 0;
  Price highest = 0;
  while (bids.any() && asks.any() && bids.rank <= orders.reach_of(asks.rank)) {
    const Quantity lots = std::min(bids.lots, asks.lots);
    quantity += lots;
    highest = bids.price();
    lowest = asks.price();
    bids.pass(lots);
    asks.pass(lots);
  }
  if (quantity == 0) return {};

  const bool buys_left = bids.any() && bids.price() >= lowest;
  const bool sells_left = asks.any() && asks.price() <= highest;
  if (buys_left) lowest = bids.price() + 1;  // nothing is left over between the two, if there is a price
  if (sells_left ? lowest < asks.price() : lowest <= highest) {
    if (sells_left) highest = asks.price() - 1;
    return AuctionPrice{std::clamp(reference, lowest, highest), saturate_lots(quantity)};
  }
  const bool buys =
      !sells_left || (buys_left && (bids.lots != asks.lots ? bids.lots < asks.lots : reference <= bids.price()));
  const LotsLeft<Orders>& left = buys ? bids : asks;
  return AuctionPrice{left.price(), saturate_lots(quantity), left.lots, left.side};
}

/// What `AuctionCalls::indicative_at` says.
template <class Orders>
[[nodiscard]] AuctionPrice auction_at(const Orders& orders, Price price) noexcept {
  using SideBook = typename Orders::SideBook;
  const std::size_t offset = orders.offset_of(price);
  if (offset >= Orders::rank_count) return {price};
  const Lots bought = orders.lots_within(Side::Buy, SideBook::rank(Side::Buy, offset), ~Lots{0});
  const Lots sold = orders.lots_within(Side::Sell, SideBook::rank(Side::Sell, offset), ~Lots{0});
  const Lots lots = std::min(bought, sold);
  return {price, saturate_lots(lots), saturate_lots(std::max(bought, sold) - lots),
          bought < sold ? Side::Sell : Side::Buy};
}

/// What `AuctionCalls::uncross` says.
template <class Orders, class Sink>
[[gnu::noinline]] Result uncross_at(Orders& orders, Price price, SelfTrade self_trade, Sink& sink) noexcept {
  using SideBook = typename Orders::SideBook;
  if (self_trade != SelfTrade::Allow && self_trade != SelfTrade::Decrement) return {Status::InvalidCommand};
  const std::size_t offset = orders.offset_of(price);
  if (offset >= Orders::rank_count) return {Status::PriceOutOfBand};
  const Lots bought = orders.lots_within(Side::Buy, SideBook::rank(Side::Buy, offset), ~Lots{0});
  const Lots sold = orders.lots_within(Side::Sell, SideBook::rank(Side::Sell, offset), bought);
  const Side side = bought <= sold ? Side::Sell : Side::Buy;  // the one that may have lots left over
  Counterparties<Orders, Sink> others{orders, sink, price, opposite(side), self_trade == SelfTrade::Decrement};
  for (Lots left = std::min(bought, sold); left != 0;) {
    const std::size_t rank = orders.best_rank(side);
    PriceLevel level = orders.level_at(side, rank);
    const Quantity lots = orders.lots_at(level.anchor());
    if (lots > left) {
      const Taker taker{0, opposite(side), 0, SelfTrade::Allow, static_cast<Quantity>(left)};
      LastLevel<Counterparties<Orders, Sink>> last{others};
      Sweep<Orders, decltype(last)>{orders, last, taker}.trade_on(level, orders.price_of(side, rank));
      break;
    }
    left -= lots;
    for (SlotIndex count = orders.pool[level.anchor()].order_count(); count != 0; --count) {
      const AuctionOrder order = pop_best(orders, side);
      others.meet(order, order.remaining);
    }
  }
  return {Status::Success, {}, saturate_lots(others.filled), 0, saturate_lots(others.prevented)};
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
