// SPDX-License-Identifier: MIT
//
// Orders that live for one to four messages, around a moving price. 82 % of cancels and modifies come right after
// the add of their order, and all others within four messages. About a given number of other orders rest; they
// leave only by trades, and new ones replace them.
//
// Takers push the price one way until it reaches an end of its range, and then the other way. With few orders over
// a wide range, every trade moves the price far, and almost no level was touched recently.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class FleetingFlow {
 public:
  explicit FleetingFlow(const PlanSpec& spec)
      : standing_(spec.standing),
        range_(static_cast<Price>(spec.wander)),
        lowest_(base_price + (static_cast<Price>(price_levels(spec)) - range_) / 2),
        planner_(spec, base_price, price_levels(spec)),
        random_(planner_.random) {}

  Planner& planner() { return planner_; }

  /// Orders everywhere in the range, with the price in the middle.
  void seed() {
    for (std::size_t i = 0; i < standing_; ++i) {
      const Price offset = random_.between(0, range_ - 1);
      const Side side = offset < range_ / 2 ? Side::Buy : Side::Sell;
      planner_.add(side, lowest_ + offset, random_.quantity(), TimeInForce::GoodTillCancel);
    }
  }

  /// One event: the follow-up that is due now, or else an arrival.
  void step() {
    if (const auto due = std::exchange(follow_up_at(planner_.now()), std::nullopt)) return follow(*due);
    if (planner_.resting() < standing_) {
      add(random_.side());
    } else if (random_.chance(60)) {
      take();
    } else {
      add_fleeting();
    }
  }

 private:
  static constexpr Price base_price = 100'000;
  static constexpr std::size_t longest_wait = 4;

  struct FollowUp {
    OrderNumber order;
    CommandType type;
  };

  static std::size_t price_levels(const PlanSpec& spec) {
    if (spec.wander < 64 || spec.wander > 131'072) {
      throw std::invalid_argument("a price wanders over 64 to 131,072 ticks");
    }
    return spec.wander <= 4096 ? 4096 : spec.wander <= 16'384 ? 16'384 : 131'072;
  }

  /// The follow-up that belongs at event `at`, no further ahead than the longest wait.
  std::optional<FollowUp>& follow_up_at(std::size_t at) { return follow_ups_[at % follow_ups_.size()]; }

  OrderNumber add(Side side) {
    const Price price = placement(side);
    return planner_.add(side, price, random_.quantity(), TimeInForce::GoodTillCancel);
  }

  /// The price of a new order: near the other side, or anywhere within an eighth of the range. It never crosses.
  Price placement(Side side) {
    const Price forward = side == Side::Buy ? 1 : -1;  // towards the other side
    const std::uint64_t distance =
        random_.chance(500) ? random_.geometric(800, 64) : random_.below(static_cast<std::uint64_t>(range_ / 8));
    const Price own = planner_.best(side).value_or(lowest_ + range_ / 2);
    const Price other = planner_.best(opposite(side)).value_or(own + forward);
    // Beyond the end of the range, orders would pile up there.
    const Price room = std::max<Price>(1, side == Side::Buy ? other - lowest_ : lowest_ + range_ - 1 - other);
    return kept_apart(side, other - forward * (1 + static_cast<Price>(distance) % room));
  }

  /// The price nearest to `price` in the range that does not cross.
  [[nodiscard]] Price kept_apart(Side side, Price price) const {
    if (const std::optional<Price> other = planner_.best(opposite(side))) {
      price = side == Side::Buy ? std::min(price, *other - 1) : std::max(price, *other + 1);
    }
    return std::clamp(price, lowest_, lowest_ + range_ - 1);
  }

  void add_fleeting() {
    const std::size_t added = planner_.now();
    const OrderNumber order = add(random_.side());
    // The place after the longest wait is always free, since no older order waits that long.
    const std::size_t wait = random_.chance(935) ? 1 : 2 + random_.below(longest_wait - 1);
    std::size_t at = free_from(added + wait);
    if (random_.chance(100) && at < added + longest_wait) {
      follow_up_at(at) = {order, CommandType::Modify};
      at = free_from(at + 1);
    }
    follow_up_at(at) = {order, CommandType::Cancel};
  }
  std::size_t free_from(std::size_t at) {
    while (follow_up_at(at)) ++at;
    return at;
  }

  /// The order may have traded meanwhile: then the message comes too late.
  void follow(const FollowUp& due) {
    if (due.type == CommandType::Cancel) return planner_.cancel(due.order);
    const Price moved = random_.either_way(random_.between(1, 3));
    const Quantity quantity = random_.quantity();
    planner_.modify(due.order, kept_apart(planner_.side(due.order), planner_.price(due.order) + moved), quantity);
  }

  void take() {
    const Price margin = range_ / 16;
    const Price highest = lowest_ + range_ - 1;
    if (planner_.best(Side::Sell).value_or(highest) > highest - margin) trend_ = Side::Sell;
    if (planner_.best(Side::Buy).value_or(lowest_) < lowest_ + margin) trend_ = Side::Buy;
    const Side side = random_.chance(800) ? trend_ : opposite(trend_);
    planner_.market(side, random_.quantity());
  }

  std::size_t standing_;
  Price range_;
  Price lowest_;
  Planner planner_;
  Random& random_;
  std::array<std::optional<FollowUp>, 2 * longest_wait> follow_ups_;
  Side trend_ = Side::Buy;  // of most takers
};

}  // namespace llmes::bench
