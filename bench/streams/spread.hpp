// SPDX-License-Identifier: MIT
//
// The worst case for the caches: every price is equally likely, so no part of the book stays in a cache. Bids lie
// in the second quarter of the band and asks in the third; nothing crosses. An event is an add or the cancel of
// any resting order, with equal probability while the book is near its number of orders.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class SpreadFlow {
 public:
  static constexpr Price base_price = 0;

  SpreadFlow(const PlanSpec& spec, std::size_t price_levels)
      : standing_(spec.standing),
        quarter_(static_cast<Price>(price_levels / 4)),
        planner_(spec, base_price, price_levels),
        random_(planner_.random) {}

  Planner& planner() { return planner_; }

  void seed() {
    for (std::size_t i = 0; i < standing_; ++i) add();
  }

  void step() {
    const bool heads = random_.chance(500);
    if (planner_.resting() + margin() <= standing_ || (heads && planner_.resting() < standing_ + margin())) {
      add();
    } else {
      planner_.cancel(planner_.any_order());
    }
  }

 private:
  /// How far the book may get from its number of orders.
  [[nodiscard]] std::size_t margin() const { return 1 + standing_ / 50; }

  void add() {
    const Side side = random_.side();
    const Price lowest = base_price + (side == Side::Buy ? quarter_ : 2 * quarter_);
    const Price price = random_.between(lowest, lowest + quarter_ - 1);
    planner_.add(side, price, random_.quantity(), TimeInForce::GoodTillCancel);
  }

  std::size_t standing_;
  Price quarter_;
  Planner planner_;
  Random& random_;
};

/// Plans this stream for a band of `price_levels`. Throws std::invalid_argument for a band that the planner cannot
/// hold, and for 0 orders or a batch of 0 events.
[[nodiscard]] inline Plan spread_plan(PlanSpec spec, std::size_t price_levels) {
  if (price_levels < 4 || price_levels > LevelsOfBand::band_max) {
    throw std::invalid_argument("a band has from 4 to 262,144 price levels");
  }
  if (spec.standing == 0) throw std::invalid_argument("there must be at least one order to spread");
  spec.workload = "spread";
  return plan<SpreadFlow>(spec, price_levels);
}

}  // namespace llmes::bench
