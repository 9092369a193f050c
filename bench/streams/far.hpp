// SPDX-License-Identifier: MIT
//
// A book like those of crypto venues: old orders are not cancelled, so most orders rest beyond any band around the
// touch. 93 % lie outside of the 4,096 prices around the touch, and 61 % outside of 65,536, up to two fifths of
// the price away. Most events are near the touch: only 8 % of adds and cancels are of far orders. The price is
// about 10,000,000 ticks and moves by a few thousand.
//
// Near the touch the shares of events, clusters aside, are about those of `macro`. The owners of orders that the
// price passes cancel them, mostly in time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class FarFlow {
 public:
  explicit FarFlow(const PlanSpec& spec)
      : far_standing_(spec.standing * far_per_mille / 1000),
        near_standing_(spec.standing - far_standing_),
        planner_(spec, 0, 0),
        random_(planner_.random) {}

  AnyPricePlanner& planner() { return planner_; }

  void seed() {
    while (near_.size() < near_standing_) add_near();
    while (far_.size() < far_standing_) add_far();
  }

  /// One event.
  void step() {
    move_mid();
    if (const std::optional<OrderNumber> passed = passed_order(); passed && random_.chance(900)) {
      return planner_.cancel(*passed);
    }
    const std::uint64_t draw = random_.below(1000);
    if (draw < 75) {
      const bool heads = random_.chance(500);
      if (far_.size() < far_standing_ || (heads && far_.size() < far_standing_ + far_standing_ / 100)) {
        add_far();
      } else {
        cancel_far();
      }
    } else if (draw < 500) {
      add_near();
    } else if (draw < 930) {
      cancel_near();
    } else if (draw < 980) {
      modify_near();
    } else {
      take();
    }
  }

 private:
  static constexpr std::size_t far_per_mille = 930;
  static constexpr Price first_mid = 10'000'000;
  static constexpr Price wander = 4'000;
  static constexpr std::int64_t mid_scale = 1 << 20;

  /// A new velocity every 50,000 events, up to a tick in 25 events in either direction.
  void move_mid() {
    if (planner_.now() >= next_turn_) {
      next_turn_ = planner_.now() + 50'000;
      velocity_ = random_.between(-mid_scale / 25, mid_scale / 25);
      if (mid() < first_mid - wander) velocity_ = std::abs(velocity_);
      if (mid() > first_mid + wander) velocity_ = -std::abs(velocity_);
    }
    mid_ += velocity_;
  }
  [[nodiscard]] Price mid() const { return mid_ / mid_scale; }

  /// An order at a best price that the mid has passed.
  std::optional<OrderNumber> passed_order() {
    const Side side = random_.side();
    const std::optional<Price> touch = planner_.best(side);
    if (!touch || (side == Side::Buy ? *touch < mid() : *touch > mid())) return std::nullopt;
    return planner_.order_near_touch(side, 0);
  }

  // ---- Near the touch.

  void add_near() {
    const Side side = random_.side();
    const Quantity quantity = random_.quantity();
    near_.push_back(planner_.add(side, near_price(side), quantity, TimeInForce::GoodTillCancel));
  }

  /// It improves the touch, more likely with a wider spread, or it joins the touch or rests behind it.
  Price near_price(Side side) {
    const Price forward = side == Side::Buy ? 1 : -1;  // towards the other side
    const Price other = planner_.best(opposite(side)).value_or(mid() + forward);
    const Price own = std::clamp(planner_.best(side).value_or(mid()), mid() - nearest_far, mid() + nearest_far);
    const auto gap = static_cast<std::uint64_t>(std::max<Price>(0, (other - own) * forward - 1));
    if (random_.chance(60 + 20 * std::min<std::uint64_t>(gap, 20))) {
      return kept_apart(side, own + forward * static_cast<Price>(1 + random_.below(gap / 2 + 1)));
    }
    const std::uint64_t distance = random_.chance(600) ? random_.geometric(800, 64) : random_.far(160);
    return kept_apart(side, own - forward * static_cast<Price>(distance));
  }

  /// The price nearest to `price` that does not cross.
  [[nodiscard]] Price kept_apart(Side side, Price price) const {
    const std::optional<Price> other = planner_.best(opposite(side));
    if (!other) return price;
    return side == Side::Buy ? std::min(price, *other - 1) : std::max(price, *other + 1);
  }

  void cancel_near() {
    const std::optional<OrderNumber> order = target();
    if (!order || planner_.resting() < far_.size() + near_standing_) return add_near();
    planner_.cancel(*order);
  }

  void modify_near() {
    const std::optional<OrderNumber> order = target();
    if (!order) return add_near();
    const Price moved = random_.either_way(random_.between(1, 3));
    const Quantity quantity = random_.chance(200) ? random_.quantity() : planner_.quantity(*order);
    planner_.modify(*order, kept_apart(planner_.side(*order), planner_.price(*order) + moved), quantity);
  }

  void take() {
    const Side side = random_.side();
    Quantity quantity = random_.quantity();
    if (random_.chance(150)) {  // a whole level, or several; at most some dozen orders' worth
      const Quantity sweep = planner_.total(opposite(side), random_.chance(500) ? 1 : 2 + random_.below(3));
      quantity = std::clamp<Quantity>(sweep, 1, 200);
    }
    planner_.market(side, quantity);
  }

  /// The target of a cancel or modify: an order near the touch, or any that was near it once.
  std::optional<OrderNumber> target() {
    if (random_.chance(600)) {
      const std::uint64_t ticks = random_.geometric(700, 32);
      if (const auto order = planner_.order_near_touch(random_.side(), ticks)) return order;
    }
    const std::optional<std::size_t> place = any_of(near_);
    if (!place) return std::nullopt;
    return near_[*place];
  }

  // ---- Far from it.

  static constexpr Price nearest_far = 6'144;
  static constexpr Price outside_65536 = 65'536 / 2;

  /// A third within the 65,536 prices around the touch, and two thirds outside: as many from each distance to its
  /// double.
  void add_far() {
    const Side side = random_.side();
    const bool within = random_.chance(350);
    const Price from = within ? nearest_far << random_.below(3) : outside_65536 << random_.below(7);
    const Price to = within ? std::min(2 * from, outside_65536) : 2 * from;
    const Price away = random_.between(from, to - 1);
    const Price price = kept_apart(side, side == Side::Buy ? mid() - away : mid() + away);
    const Quantity quantity = random_.quantity();
    far_.push_back(planner_.add(side, price, quantity, TimeInForce::GoodTillCancel));
  }

  void cancel_far() {
    const std::optional<std::size_t> place = any_of(far_);
    if (!place) return;
    planner_.cancel(far_[*place]);
    take_out(far_, *place);
  }

  /// The place of any of these orders that rests. Those found on the way that do not are taken out.
  std::optional<std::size_t> any_of(std::vector<OrderNumber>& orders) {
    while (!orders.empty()) {
      const std::size_t place = random_.below(orders.size());
      if (planner_.rests(orders[place])) return place;
      take_out(orders, place);
    }
    return std::nullopt;
  }
  static void take_out(std::vector<OrderNumber>& orders, std::size_t place) {
    orders[place] = orders.back();
    orders.pop_back();
  }

  std::size_t far_standing_;
  std::size_t near_standing_;
  AnyPricePlanner planner_;
  Random& random_;
  std::vector<OrderNumber> near_;  // many of these are gone
  std::vector<OrderNumber> far_;   // hardly any of these
  std::int64_t mid_ = first_mid * mid_scale;
  std::int64_t velocity_ = 0;  // in 1 / mid_scale ticks an event
  std::size_t next_turn_ = 0;
};

}  // namespace llmes::bench
