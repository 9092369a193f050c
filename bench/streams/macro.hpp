// SPDX-License-Identifier: MIT
//
// The primary stream: a liquid instrument around a slowly moving touch. 45 % limit adds, 48 % cancels, 5 %
// modifies, 2 % market orders. Most orders arrive near the touch and leave soon, and cancels come in clusters. The
// book stays near a given number of resting orders: below it, a departure becomes an arrival.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class MacroFlow {
 public:
  static constexpr Price base_price = 100'000;
  static constexpr std::size_t price_levels = 4096;

  explicit MacroFlow(const PlanSpec& spec)
      : standing_(spec.standing), planner_(spec, base_price, price_levels), random_(planner_.random) {}

  Planner& planner() { return planner_; }

  void seed() {
    for (std::size_t i = 0; i < std::max<std::size_t>(5000, standing_); ++i) add();
  }

  /// One draw: an event, or a cancel and the cluster that it starts.
  void step() {
    // A cluster of 2.9 more cancels on average follows 15 % of cancels. These shares of draws lead to the shares
    // of events above, before the floor turns some departures into arrivals.
    const std::uint64_t draw = random_.below(10'000);
    if (draw < 5265) {
      add();
    } else if (draw < 9180) {
      cancel();
    } else if (draw < 9766) {
      modify();
    } else {
      market();
    }
  }

 private:
  static constexpr Price centre = base_price + Price{price_levels} / 2;

  bool at_floor() const { return planner_.resting() <= standing_; }

  void add() {
    const Side side = random_.side();
    const Quantity quantity = random_.quantity();
    planner_.add(side, placement(side), quantity, TimeInForce::GoodTillCancel);
  }

  /// The price of a new order. It improves the touch, more likely with a wider spread, or it joins the touch or
  /// rests behind it. The distance is geometric for most orders and follows a power law for the rest. It never
  /// crosses.
  Price placement(Side side) {
    const Price forward = side == Side::Buy ? 1 : -1;  // towards the other side
    const Price other = planner_.best(opposite(side)).value_or(centre);
    const Price own = planner_.best(side).value_or(other - 2 * forward);
    const auto gap = static_cast<std::uint64_t>(std::max<Price>(0, (other - own) * forward - 1));
    if (random_.chance(60 + 20 * std::min<std::uint64_t>(gap, 20))) {
      return kept_apart(side, own + forward * static_cast<Price>(1 + random_.below(gap / 2 + 1)));
    }
    const std::uint64_t distance = random_.chance(600) ? random_.geometric(800, 64) : random_.far(160);
    return kept_apart(side, own - forward * static_cast<Price>(distance));
  }

  /// The price nearest to `price` that does not cross and lies in the band.
  Price kept_apart(Side side, Price price) const {
    if (const std::optional<Price> other = planner_.best(opposite(side))) {
      price = side == Side::Buy ? std::min(price, *other - 1) : std::max(price, *other + 1);
    }
    return planner_.clamp(price);
  }

  void cancel() {
    if (at_floor()) return add();
    const OrderNumber victim = target();
    const Side side = planner_.side(victim);
    planner_.cancel(victim);
    if (!random_.chance(150)) return;
    for (std::uint64_t left = random_.power_law(64); left > 0; --left) {
      if (at_floor()) {
        add();
      } else if (const std::optional<OrderNumber> next = planner_.order_near_touch(side, 3)) {
        planner_.cancel(*next);
      }
    }
  }

  void modify() {
    if (planner_.resting() == 0) return add();
    const OrderNumber order = target();
    const Price moved = random_.either_way(random_.between(1, 3));
    const Quantity quantity = random_.chance(200) ? random_.quantity() : planner_.quantity(order);
    planner_.modify(order, kept_apart(planner_.side(order), planner_.price(order) + moved), quantity);
  }

  void market() {
    if (at_floor()) return add();
    // Takers push towards the middle of the band, which keeps the touch inside of it.
    const Price excess = planner_.best(Side::Buy).value_or(centre) - centre;
    const auto buys = static_cast<std::uint64_t>(500 - std::clamp<Price>(excess, -400, 400));
    const Side side = random_.chance(buys) ? Side::Buy : Side::Sell;
    Quantity quantity = random_.quantity();
    if (random_.chance(150)) {  // a whole level, or several; at most some dozen orders' worth
      const Quantity sweep = planner_.total(opposite(side), random_.chance(500) ? 1 : 2 + random_.below(3));
      quantity = std::clamp<Quantity>(sweep, 1, 200);
    }
    planner_.market(side, quantity);
  }

  /// The target of a cancel or modify: mostly a young order or one near the touch.
  OrderNumber target() {
    const std::uint64_t draw = random_.below(100);
    if (draw < 45) {
      for (int tries = 0; tries < 8; ++tries) {
        const std::uint64_t age = random_.waiting_time(64);
        if (age >= planner_.order_count()) continue;
        const auto order = static_cast<OrderNumber>(planner_.order_count() - 1 - age);
        if (planner_.rests(order)) return order;
      }
    } else if (draw < 80) {
      const std::uint64_t ticks = random_.geometric(700, 32);
      if (const auto order = planner_.order_near_touch(random_.side(), ticks)) return *order;
    }
    return planner_.any_order();
  }

  std::size_t standing_;
  Planner planner_;
  Random& random_;
};

}  // namespace llmes::bench
