// SPDX-License-Identifier: MIT
//
// What a matching book tells of own orders that are in it.
#pragma once

#include "llmes/simulator/own_orders.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Takes what a call tells: fills of own orders, which others it has touched, and own orders that have met.
template <class Impact>
struct OwnSink {
  Impact& impact;
  OwnOrders& orders;
  std::uint64_t record;
  FillCause cause;

  void operator()(const Trade& trade) const {
    const bool is_taker = Impact::is_own(trade.taker_id) && trade.taker_id != Impact::taker_id;
    const bool is_maker = Impact::is_own(trade.maker_id);
    if (!is_maker) impact.touched_.push_back({{}, trade.maker_id, opposite(trade.taker_side), trade.price, 0});
    if (is_taker && !is_maker) impact.divergence_.taken += trade.quantity;
    const bool is_of_us = is_maker && is_taker;
    if (is_taker) fill(trade.taker_id, trade, is_maker ? 0 : trade.maker_id, cause);
    if (is_maker)
      fill(trade.maker_id, trade, is_taker || trade.taker_id == Impact::taker_id ? 0 : trade.taker_id,
           is_of_us ? FillCause::Crossed : cause);
  }
  void fill(OrderId id, const Trade& trade, OrderId other, FillCause why) const {
    OwnOrder& order = order_of(id);
    order.open -= trade.quantity;
    order.filled += trade.quantity;
    const bool is_maker = id == trade.maker_id;
    if (!is_maker) impact.is_prevented_ = false;
    impact.fills_.push_back(
        {order.id, trade.price, trade.quantity, record, other, why, is_maker ? QueuePosition{} : order.ahead});
    if (is_maker && order.open == 0) impact.own_.in(order.book).erase(order);
  }
  void prevented(const PreventedMatch& match) const {
    OwnOrder& maker = order_of(match.maker_id);
    if (match.mode == SelfTrade::Decrement) {
      maker.open -= match.quantity;
      order_of(match.taker_id).open -= match.quantity;
    }
    impact.is_prevented_ |= match.mode != SelfTrade::CancelMaker;
    if (match.mode == SelfTrade::CancelTaker) return;
    if (match.maker_remaining == 0) impact.own_.in(maker.book).erase(maker);
    impact.prevented_.push_back({maker.id, match.maker_remaining == 0});
  }
  [[nodiscard]] OwnOrder& order_of(OrderId id) const {
    return orders[static_cast<OwnOrderId>(id - Impact::first_own_id)];
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
