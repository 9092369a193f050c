// SPDX-License-Identifier: MIT
//
// A thin book whose best prices jump, like that of an options series: a few hundred orders over 10^9 ticks. A
// quote steps ahead of the best price, by up to 10^6 ticks; most quotes are cancelled soon, and the price falls
// back. Other orders rest as far behind the best price, and one in eight anywhere in the range. So few orders
// share a level.
//
// Takers sweep up to four levels. They push the price one way until it is near an end of the range, and then the
// other way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class GapsFlow {
 public:
  static constexpr Price range = 1'000'000'000;
  static constexpr Price longest_step = 1'000'000;  ///< ticks between the best price and an order that is not far

  explicit GapsFlow(const PlanSpec& spec)
      : standing_(spec.standing), planner_(spec, 0, 0), random_(planner_.random) {}

  AnyPricePlanner& planner() { return planner_; }

  /// Orders everywhere in the range, with the price in the middle.
  void seed() {
    for (std::size_t i = 0; i < standing_; ++i) {
      const Price price = random_.between(0, range - 1);
      add_at(price < range / 2 ? Side::Buy : Side::Sell, price);
    }
  }

  /// One event.
  void step() {
    const std::uint64_t draw = random_.below(1000);
    if (draw < 20) {
      take();
    } else if (draw < 70) {
      modify();
    } else if (quote_ && planner_.rests(*quote_) && random_.chance(600)) {
      planner_.cancel(*quote_);
    } else if (planner_.resting() < standing_ || random_.chance(400)) {
      add();
    } else {
      planner_.cancel(target());
    }
  }

 private:
  /// Half of them are as likely to be any number of ticks, and half to have any number of bits.
  Price distance() {
    if (random_.chance(500)) return random_.between(1, longest_step);
    const std::uint64_t least = std::uint64_t{1} << random_.below(20);
    return std::min(longest_step, static_cast<Price>(least + random_.below(least)));
  }

  OrderNumber add_at(Side side, Price price) {
    const Quantity quantity = random_.quantity();
    return planner_.add(side, price, quantity, TimeInForce::GoodTillCancel);
  }

  /// A quote ahead of the best price, if there is room for it, or an order behind it.
  void add() {
    const Side side = random_.side();
    const Price forward = side == Side::Buy ? 1 : -1;  // towards the other side
    const Price step = distance();
    const Price own = best_or_end(side);
    if (random_.chance(500)) {
      const Price ahead = own + forward * step;
      if ((best_or_end(opposite(side)) - ahead) * forward > 0) {
        quote_ = add_at(side, ahead);
        return;
      }
    }
    // Beyond the end of the range, orders would pile up there.
    const Price room = side == Side::Buy ? own + 1 : range - own;
    const Price away = random_.chance(125) ? random_.between(0, range - 1) : step;
    add_at(side, own - forward * (away % room));
  }

  /// Moves an order either way, so that it does not cross.
  void modify() {
    const OrderNumber order = target();
    const Side side = planner_.side(order);
    const Price moved = planner_.price(order) + random_.either_way(distance());
    const Quantity quantity = random_.quantity();
    const Price lowest = side == Side::Buy ? 0 : best_or_end(Side::Buy) + 1;
    const Price highest = side == Side::Buy ? best_or_end(Side::Sell) - 1 : range - 1;
    planner_.modify(order, std::clamp(moved, lowest, highest), quantity);
  }

  /// One of two cancels and modifies is of an order at a best price.
  OrderNumber target() {
    if (random_.chance(500)) {
      if (const auto order = planner_.order_near_touch(random_.side(), 0)) return *order;
    }
    return planner_.any_order();
  }

  void take() {
    if (best_or_end(Side::Sell) > range * 7 / 8) trend_ = Side::Sell;
    if (best_or_end(Side::Buy) < range / 8) trend_ = Side::Buy;
    const Side side = random_.chance(800) ? trend_ : opposite(trend_);
    const Quantity sweep = planner_.total(opposite(side), 1 + random_.below(4));
    planner_.market(side, std::clamp<Quantity>(sweep, 1, 200));
  }

  /// The best price, or the end of the range where the side begins to fill.
  [[nodiscard]] Price best_or_end(Side side) const {
    return planner_.best(side).value_or(side == Side::Buy ? 0 : range - 1);
  }

  std::size_t standing_;
  AnyPricePlanner planner_;
  Random& random_;
  std::optional<OrderNumber> quote_;  // the latest that stepped ahead
  Side trend_ = Side::Buy;            // of most takers
};

}  // namespace llmes::bench
