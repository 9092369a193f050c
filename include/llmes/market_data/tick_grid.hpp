// SPDX-License-Identifier: MIT
//
// A grid of equal steps that contains 0, found from the prices that come: for feeds that do not say the tick.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Prices that are multiples of a step; at first of 0, so it has the price 0 alone.
class TickGrid {
 public:
  constexpr TickGrid() noexcept = default;
  /// A step of at most `highest`.
  constexpr explicit TickGrid(std::uint64_t step) noexcept : step_(static_cast<Price>(step)) {
    if (step == 0) return;
    std::uint64_t odd = step;
    for (; odd % 2 == 0; odd /= 2) ++twos_;
    inverse_ = odd;  // right in the lowest three bits; each turn doubles them
    for (int turn = 0; turn < 5; ++turn) inverse_ *= 2 - odd * inverse_;
    most_ = static_cast<std::uint64_t>(highest) / odd;
  }

  /// Prices from `-highest` to this one can be on a grid.
  static constexpr Price highest = std::numeric_limits<Price>::max() - 1;
  [[nodiscard]] static constexpr bool is_possible(Price price) noexcept {
    return price >= -highest && price <= highest;
  }

  [[nodiscard]] constexpr Price step() const noexcept { return step_; }

  /// Whether the grid has this price, which is a possible one.
  [[nodiscard]] constexpr bool holds(Price price) const noexcept {
    const Price number = tick(price);
    const auto back = static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(step_);
    return back == static_cast<std::uint64_t>(price) && static_cast<std::uint64_t>(number) + most_ <= 2 * most_;
  }
  /// The number of a price of the grid: the price by the step. That is a multiplication by the inverse of the odd
  /// part of the step, modulo 2^64: a division would take longer than all the rest.
  [[nodiscard]] constexpr Price tick(Price price) const noexcept {
    return static_cast<Price>(static_cast<std::uint64_t>(price >> twos_) * inverse_);
  }
  /// The price of that number.
  [[nodiscard]] constexpr Price price(Price tick) const noexcept { return tick * step_; }

  /// The coarsest grid that has a possible price and all prices of this one.
  [[nodiscard]] constexpr TickGrid with(Price price) const noexcept {
    const auto size = static_cast<std::uint64_t>(price < 0 ? -price : price);
    return TickGrid(std::gcd(static_cast<std::uint64_t>(step_), size));
  }

 private:
  Price step_ = 0;
  std::uint64_t inverse_ = 0;  ///< of the odd part of the step
  std::uint64_t most_ = 0;     ///< the largest number whose product with the odd part is a possible price
  int twos_ = 0;               ///< how often 2 divides the step
};

}  // namespace llmes::inline LLMES_NAMESPACE
