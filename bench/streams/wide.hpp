// SPDX-License-Identifier: MIT
//
// A price that travels: the mid is a geometric random walk over tens of thousands of ticks, and the book follows
// it. Depth has a hump 8 ticks from the mid and a power-law tail. 15 % of orders are immediate-or-cancel. 20 % are
// modified, mostly by one tick and one more lot. 95 % are cancelled after an exponential lifetime, the rest after
// ten times as long. 2 % of cancels and modifies arrive after their order is gone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "bench/streams/planner.hpp"

namespace llmes::bench {

class WideFlow {
 public:
  static constexpr Price base_price = 0;
  static constexpr std::size_t price_levels = 131'072;

  explicit WideFlow(const PlanSpec& spec)
      : standing_(spec.standing), planner_(spec, base_price, price_levels), random_(planner_.random) {}

  Planner& planner() { return planner_; }

  void seed() {
    for (std::size_t i = 0; i < std::max<std::size_t>(5000, standing_); ++i) arrive();
  }

  /// One event: the one that is due now, or else an arrival.
  void step() {
    move_mid();
    if (const std::optional<OrderNumber> stale = overtaken(); stale && random_.chance(900)) {
      cancel(*stale);
    } else if (!due_.empty() && due_.top().at <= planner_.now()) {
      const Due due = due_.top();
      due_.pop();
      act(due);
    } else {
      arrive();
    }
  }

 private:
  enum class Action : std::uint8_t { Cancel, Modify };
  struct Due {
    std::size_t at;
    OrderNumber order;
    Action action;
    friend bool operator>(const Due& a, const Due& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  /// The walk: every 50,000 events a new velocity, up to 1.6 millionths of the price an event in either direction.
  /// That is slow relative to the width of the hump and fast relative to the lifetimes: most orders that the mid
  /// reaches have rested for a while.
  void move_mid() {
    if (planner_.now() >= next_turn_) {
      next_turn_ = planner_.now() + 50'000;
      velocity_ = mid_ / 1'000'000 * random_.between(-1600, 1600) / 1000;
      if (mid() < 24'000) velocity_ = std::abs(velocity_);
      if (mid() > 107'000) velocity_ = -std::abs(velocity_);
    }
    mid_ += velocity_;
  }
  Price mid() const { return mid_ / mid_scale; }

  /// An order at a best price that the mid has passed. A taker would profit, so the owner usually cancels it in
  /// time.
  std::optional<OrderNumber> overtaken() {
    const Side side = random_.side();
    const std::optional<Price> touch = planner_.best(side);
    if (!touch || (side == Side::Buy ? *touch < mid() : *touch > mid())) return std::nullopt;
    return planner_.order_near_touch(side, 0);
  }

  void cancel(OrderNumber order) {
    ++sent_;
    planner_.cancel(order);
  }

  void arrive() {
    const Side side = random_.side();
    const Price forward = side == Side::Buy ? 1 : -1;  // towards the other side
    if (random_.chance(150)) {
      const Price touch = planner_.best(opposite(side)).value_or(mid());
      const Quantity quantity = random_.quantity();
      planner_.add(side, planner_.clamp(touch + forward * random_.between(0, 3)), quantity,
                   TimeInForce::ImmediateOrCancel);
      return;
    }
    const std::uint64_t distance = random_.chance(600) ? random_.below(9) + random_.below(9) : random_.far(500);
    const Price price = planner_.clamp(mid() - forward * static_cast<Price>(distance));
    const OrderNumber order = planner_.add(side, price, random_.quantity(), TimeInForce::GoodTillCancel);
    if (!planner_.rests(order)) return;
    // A fuller book has shorter lifetimes, which keeps it near its number of orders.
    const std::uint64_t half_life = 1 + 3 * standing_ * standing_ / (planner_.resting() + 1);
    std::uint64_t lifetime = random_.waiting_time(half_life);
    if (!random_.chance(950)) lifetime *= 10;
    due_.push({planner_.now() + lifetime, order, Action::Cancel});
    if (random_.chance(300)) due_.push({planner_.now() + random_.below(lifetime / 8 + 1), order, Action::Modify});
  }

  void act(const Due& due) {
    // A sender usually knows that its order is gone; for 2 % of messages it does not.
    if (!planner_.rests(due.order)) {
      if (late_ * 50 > sent_) return step();
      ++late_;
    }
    if (due.action == Action::Cancel) return cancel(due.order);
    ++sent_;

    const Price price = planner_.price(due.order);
    const Price moved = random_.chance(800) ? 1 : random_.between(2, 5);
    const Quantity quantity = random_.chance(800) ? planner_.quantity(due.order) + 1 : random_.quantity();
    planner_.modify(due.order, planner_.clamp(price + (random_.chance(500) ? moved : -moved)), quantity);
  }

  static constexpr std::int64_t mid_scale = 1 << 20;

  std::size_t standing_;
  Planner planner_;
  Random& random_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;  // soonest first
  std::int64_t mid_ = std::int64_t{price_levels / 2} * mid_scale;
  std::int64_t velocity_ = 0;  // in 1 / mid_scale ticks an event
  std::size_t next_turn_ = 0;
  std::uint64_t sent_ = 0;  // cancels and modifies
  std::uint64_t late_ = 0;  // of these, to orders that were gone
};

}  // namespace llmes::bench
