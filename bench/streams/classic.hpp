// SPDX-License-Identifier: MIT
//
// The contract of the published benchmark with its quirks, for comparison only: it times an almost empty book.
// Rebuilt from its description: 5,000 seed adds; a clustered cancel removes orders near the touch; an empty book
// turns a cancel into an add; buys are priced relative to the best ask and never join or improve the ask side's
// touch; the reference price returns to 1000 when there are no asks; the size of a market order is a share of the
// *number* of resting orders.
//
// One difference: there, half of the modifies change the order's side. Here no order can, so such a modify is a
// cancel and an add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class ClassicFlow {
 public:
  static constexpr Price base_price = 0;
  static constexpr std::size_t price_levels = 4096;

  explicit ClassicFlow(const PlanSpec& spec)
      : planner_(spec, base_price, price_levels), random_(planner_.random) {}

  Planner& planner() { return planner_; }

  void seed() {
    for (std::size_t i = 0; i < 5000; ++i) add();
  }

  void step() {
    const std::uint64_t draw = random_.below(100);
    if (draw < 45) {
      add();
    } else if (draw < 93) {
      cancel();
    } else if (draw < 98) {
      modify();
    } else {
      market();
    }
  }

 private:
  void add() { add(random_.side()); }
  void add(Side side) {
    const Price reference = planner_.best(Side::Sell).value_or(1000);
    // A 64-bit word read 8 bits at a time runs dry, and what is left lands exactly 100 ticks away.
    const auto offset =
        random_.below(10'000) < 245 ? Price{100} : std::max<Price>(1, static_cast<Price>(geometric_161(100)));
    const Price price = side == Side::Buy ? reference - offset - 1 : reference + offset;
    planner_.add(side, planner_.clamp(price), random_.quantity(), TimeInForce::GoodTillCancel);
  }

  /// Failures before the first success, each with probability 161/256.
  std::uint64_t geometric_161(std::uint64_t limit) {
    std::uint64_t run = 0;
    while (run < limit && random_.below(256) < 161) ++run;
    return run;
  }

  void cancel() {
    if (planner_.resting() == 0) return add();
    const OrderNumber victim = planner_.any_order();
    planner_.cancel(victim);
    if (!random_.chance(150)) return;
    for (std::uint64_t left = 1 + random_.below(21); left > 0; --left) {  // 11 on average
      const std::optional<OrderNumber> next = planner_.order_near_touch(random_.side(), 3);
      if (next) planner_.cancel(*next);
    }
  }

  void modify() {
    if (planner_.resting() == 0) return add();
    const OrderNumber order = planner_.any_order();
    if (random_.chance(500)) {
      const Side other = opposite(planner_.side(order));
      planner_.cancel(order);
      return add(other);
    }
    const Price moved = random_.either_way(random_.between(1, 3));
    planner_.modify(order, planner_.clamp(planner_.price(order) + moved),
                    static_cast<Quantity>(random_.between(1, 20)));
  }

  void market() {
    const std::uint64_t draw = random_.below(100);
    const std::size_t per_mille = draw < 85 ? 250 : draw < 98 ? 500 : 800;
    planner_.market(random_.side(), std::max<Quantity>(1, planner_.resting() * per_mille / 1000));
  }

  Planner planner_;
  Random& random_;
};

}  // namespace llmes::bench
