// SPDX-License-Identifier: MIT
//
// Sequences of operations that are hard on a book: very deep levels, very long sweeps, exact sums, the last tick
// that crosses and the first that does not, both ends of the band, and the word boundaries of the tree. Each
// exists for resting orders of either side.
//
// `Ladder` turns "so many ticks away from the touch" into a price, so that one description serves both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/band_offsets.hpp"
#include "tests/support/operation.hpp"

namespace llmes::test {

/// The prices of a band as the makers of one side see them: step 0 is the most aggressive price the band has for
/// them, and each step further is one tick worse.
struct Ladder {
  Price base;
  std::size_t price_levels;
  Side makers;

  [[nodiscard]] Side takers() const { return opposite(makers); }
  [[nodiscard]] Price at(std::int64_t step) const {
    return price_at(base, makers == Side::Sell ? step : static_cast<std::int64_t>(price_levels) - 1 - step);
  }
};

/// `count` makers of one lot at one price, then one order that takes them all and wants one more.
inline std::vector<Operation> deep_level_sweep(const Ladder& ladder, std::size_t count) {
  std::vector<Operation> operations;
  for (OrderId id = 1; id <= count; ++id) operations.push_back(add_limit(id, ladder.makers, ladder.at(5), 1));
  operations.push_back(add_limit(count + 1, ladder.takers(), ladder.at(5), count + 1));
  return operations;
}

/// `count` makers over eight levels, and cancels from everywhere in the queues; then a sweep that stops in the
/// middle of the last level, and one that empties it.
inline std::vector<Operation> long_sweep(const Ladder& ladder, std::size_t count) {
  std::vector<Operation> operations;
  for (OrderId id = 1; id <= count; ++id) {
    operations.push_back(add_limit(id, ladder.makers, ladder.at(static_cast<std::int64_t>(id % 8)), 2));
  }
  for (OrderId id = 1; id <= count; id += 100) operations.push_back(cancel(id));
  operations.push_back(cancel(count));
  operations.push_back(add_limit(count + 1, ladder.takers(), ladder.at(7), 2 * count - count / 8));
  operations.push_back(add_market(count + 2, ladder.takers(), 2 * count));
  return operations;
}

/// One order on each of many levels, which arrive in a scattered order of prices; then one order that takes all.
inline std::vector<Operation> sweep_of_every_level(const Ladder& ladder, std::size_t level_count_max) {
  const std::size_t stride = ladder.price_levels > level_count_max ? ladder.price_levels / level_count_max : 1;
  const std::size_t count = ladder.price_levels / stride;
  constexpr std::size_t scatter = 37;  // odd, so that a power of two of levels is visited completely
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = static_cast<std::int64_t>(i * scatter % count * stride);
    operations.push_back(add_limit(i + 1, ladder.makers, ladder.at(step), 1 + i % 3));
  }
  const auto last = static_cast<std::int64_t>(ladder.price_levels) - 1;
  operations.push_back(add_limit(count + 1, ladder.takers(), ladder.at(last), 3 * count));
  operations.push_back(cancel(count + 1));
  return operations;
}

/// Three levels of makers, swept by orders whose quantity is just below, exactly, and just above the sum of
/// one, two and three levels, with every time in force.
inline std::vector<Operation> exact_sums(const Ladder& ladder) {
  constexpr Quantity level_sums[] = {7, 16, 19};  // 3+4, 5+4, 3
  std::vector<Operation> operations;
  OrderId id = 0;
  for (const TimeInForce time_in_force : {TimeInForce::GoodTillCancel, TimeInForce::PostOnly,
                                          TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill}) {
    for (std::int64_t level = 0; level < 3; ++level) {
      for (const Quantity quantity : {level_sums[level] - 1, level_sums[level], level_sums[level] + 1}) {
        const OrderId first = id + 1;
        operations.push_back(add_limit(++id, ladder.makers, ladder.at(11), 5));
        operations.push_back(add_limit(++id, ladder.makers, ladder.at(10), 3));
        operations.push_back(add_limit(++id, ladder.makers, ladder.at(12), 3));
        operations.push_back(add_limit(++id, ladder.makers, ladder.at(10), 4));
        operations.push_back(add_limit(++id, ladder.makers, ladder.at(11), 4));
        operations.push_back(add_limit(++id, ladder.takers(), ladder.at(10 + level), quantity, time_in_force));
        for (OrderId left = first; left <= id; ++left) operations.push_back(cancel(left));
      }
    }
  }
  return operations;
}

/// At each boundary of the tree: a maker, a taker one tick short of it, a modify of that taker to the maker's
/// price; a post-only order one tick short and one at the touch.
inline std::vector<Operation> touch_equality(const Ladder& ladder) {
  std::vector<Operation> operations;
  OrderId id = 0;
  for (const std::int64_t step : boundary_offsets(ladder.price_levels)) {
    const OrderId maker = ++id;
    const OrderId taker = ++id;
    operations.push_back(add_limit(maker, ladder.makers, ladder.at(step), 2));
    operations.push_back(add_limit(taker, ladder.takers(), ladder.at(step - 1), 1));
    operations.push_back(modify(taker, ladder.at(step), 1));
    operations.push_back(add_limit(++id, ladder.takers(), ladder.at(step), 1, TimeInForce::PostOnly));
    operations.push_back(add_limit(++id, ladder.takers(), ladder.at(step - 1), 1, TimeInForce::PostOnly));
    operations.push_back(cancel(id));
    operations.push_back(add_limit(++id, ladder.takers(), ladder.at(step), 1));
  }
  return operations;
}

/// For each pair of boundaries: an order on each, so that emptying the better one makes the tree look for the
/// other, by cancel, by trade and by modify.
inline std::vector<Operation> boundary_pairs(const Ladder& ladder) {
  const std::vector<std::int64_t> steps = boundary_offsets(ladder.price_levels);
  std::vector<Operation> operations;
  OrderId id = 0;
  for (const std::int64_t better : steps) {
    for (const std::int64_t worse : steps) {
      if (worse <= better) continue;
      const OrderId first = ++id;
      const OrderId second = ++id;
      operations.push_back(add_limit(first, ladder.makers, ladder.at(worse), 2));
      operations.push_back(add_limit(second, ladder.makers, ladder.at(better), 1));
      operations.push_back(cancel(second));
      operations.push_back(add_limit(++id, ladder.makers, ladder.at(better), 1));
      operations.push_back(add_limit(++id, ladder.takers(), ladder.at(worse), 2));
      operations.push_back(modify(first, ladder.at(better), 1));
      operations.push_back(add_market(++id, ladder.takers(), 1));
    }
  }
  return operations;
}

/// Makers at the first and the last price of the band, and takers with the strictest and the widest limit.
inline std::vector<Operation> ends_of_band(const Ladder& ladder) {
  const auto last = static_cast<std::int64_t>(ladder.price_levels) - 1;
  return {
      add_limit(1, ladder.makers, ladder.at(0), 5),
      add_limit(2, ladder.makers, ladder.at(last), 5),
      add_limit(3, ladder.makers, ladder.at(-1), 5),
      add_limit(4, ladder.makers, ladder.at(last + 1), 5),
      add_limit(5, ladder.takers(), ladder.at(-1), 5),
      add_limit(6, ladder.takers(), ladder.at(last + 1), 5),
      add_limit(7, ladder.takers(), ladder.at(0), 2),
      modify(1, ladder.at(last), 3),
      modify(2, ladder.at(0), 5),
      modify(2, ladder.at(-1), 5),
      modify(2, ladder.at(last + 1), 5),
      add_limit(8, ladder.takers(), ladder.at(last), 7),
      add_limit(9, ladder.takers(), ladder.at(last), 7),
      cancel(1),
      add_limit(10, ladder.takers(), ladder.at(0), 1),
      add_limit(11, ladder.makers, ladder.at(last), 9),
      add_limit(12, ladder.makers, ladder.at(0), 9),
  };
}

/// Ids are free again after cancel, after fill and after being reduced to nothing.
inline std::vector<Operation> reused_ids(const Ladder& ladder) {
  return {
      add_limit(1, ladder.makers, ladder.at(3), 5),
      cancel(1),
      add_limit(1, ladder.makers, ladder.at(4), 6),
      add_market(2, ladder.takers(), 6),
      add_limit(1, ladder.makers, ladder.at(3), 7),
      reduce(1, 7),
      add_limit(1, ladder.takers(), ladder.at(3), 8),
      add_limit(2, ladder.makers, ladder.at(3), 8),
      add_limit(2, ladder.makers, ladder.at(3), 8),
      modify(2, ladder.at(5), 9),
      cancel(2),
      cancel(2),
  };
}

}  // namespace llmes::test
