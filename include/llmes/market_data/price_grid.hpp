// SPDX-License-Identifier: MIT
//
// Grids of prices. Prices of a grid are numbered without large gaps, so neighbours on it are neighbours in a book.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>

#include "llmes/itch/messages.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A grid of US equities: steps of a ten-thousandth of a dollar below one dollar, and above it steps that divide a
/// cent. A ten-thousandth is a step too, so every price is on some grid.
class PriceGrid {
 public:
  static constexpr std::uint32_t dollar = 10'000;  ///< in ten-thousandths
  static constexpr std::uint32_t cent = 100;

  /// `step` divides a cent.
  constexpr explicit PriceGrid(std::uint32_t step) noexcept
      : reciprocal_(((std::uint64_t{1} << 63) + step - 1) / step), step_(step), missing_(dollar - dollar / step) {}

  [[nodiscard]] constexpr std::uint32_t step() const noexcept { return step_; }

  /// Whether the grid has this price.
  [[nodiscard]] constexpr bool holds(itch::Price4 price) const noexcept {
    const auto number = static_cast<std::uint32_t>(price);
    return static_cast<bool>(unsigned{number < dollar} | unsigned{steps(number) * step_ == number});
  }
  /// The number of a price of the grid. A better price has a better number.
  [[nodiscard]] constexpr Price tick(itch::Price4 price) const noexcept {
    const auto number = static_cast<std::uint32_t>(price);
    return std::min(number, steps(number) + missing_);
  }
  /// The price of that number. Of a number below 0, which is that of no price, it is below 0.
  [[nodiscard]] constexpr Price price(Price tick) const noexcept {
    return std::max(tick, (tick - Price{missing_}) * Price{step_});
  }

 private:
  /// `number` divided by the step, by a multiplication: a division would take longer than all the rest.
  [[nodiscard]] constexpr std::uint32_t steps(std::uint32_t number) const noexcept {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint32_t>(Product{std::uint64_t{number} * 2} * reciprocal_ >> 64);
  }

  std::uint64_t reciprocal_;  ///< 2^63 by the step, rounded up
  std::uint32_t step_;
  std::uint32_t missing_;  ///< how many ten-thousandths below a dollar lack, if these counted in steps as well
};

/// Every grid, the coarsest first. A symbol stores the number of its grid in a byte, as each message reads it.
inline constexpr std::array<PriceGrid, 9> price_grids{PriceGrid(100), PriceGrid(50), PriceGrid(25),
                                                      PriceGrid(20),  PriceGrid(10), PriceGrid(5),
                                                      PriceGrid(4),   PriceGrid(2),  PriceGrid(1)};

/// The number of the coarsest grid that has a price and all prices of grid `number`.
[[nodiscard]] constexpr std::uint8_t grid_with(std::uint8_t number, itch::Price4 price) noexcept {
  if (price_grids[number].holds(price)) return number;
  const std::uint32_t step = std::gcd(price_grids[number].step(), static_cast<std::uint32_t>(price));
  while (price_grids[number].step() != step) ++number;
  return number;
}

// ---- For feeds that do not say the tick: it is found from the prices that come.

/// A grid of equal steps, multiples of one; at first of 0, so it has the price 0 alone.
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

/// Two grids, one for prices whose size is below `unit`: venues have finer ticks there, and stub quotes far from
/// the market would make all steps as fine. The better price has the better number.
class SplitGrid {
 public:
  /// @param unit at least 1
  constexpr explicit SplitGrid(Price unit) noexcept : unit_(unit) { join(); }

  /// The steps so far: below a unit, and from it on; 0 if there was no price but 0.
  [[nodiscard]] constexpr Price low_step() const noexcept { return low_.step(); }
  [[nodiscard]] constexpr Price step() const noexcept { return high_.step(); }

  /// Whether the grid has this price.
  [[nodiscard]] constexpr bool holds(Price price) const noexcept {
    return TickGrid::is_possible(price) && (is_low(price) ? low_.holds(price) : high_.holds(price));
  }
  /// The number of a price of the grid.
  [[nodiscard]] constexpr Price tick(Price price) const noexcept {
    if (is_low(price)) return low_.tick(price);
    return high_.tick(price) + (price < 0 ? -between_ : between_);
  }
  /// The price of that number.
  [[nodiscard]] constexpr Price price(Price tick) const noexcept {
    if (tick >= -last_low_ && tick <= last_low_) return low_.price(tick);
    return high_.price(tick - (tick < 0 ? -between_ : between_));
  }
  /// The coarsest such grid that has a possible price and all prices of this one.
  [[nodiscard]] constexpr SplitGrid with(Price price) const noexcept {
    SplitGrid finer = *this;
    (is_low(price) ? finer.low_ : finer.high_) = (is_low(price) ? low_ : high_).with(price);
    finer.join();
    return finer;
  }

 private:
  [[nodiscard]] constexpr bool is_low(Price price) const noexcept { return price > -unit_ && price < unit_; }
  /// Gives the first price from a unit on the number behind that of the last one below.
  constexpr void join() noexcept {
    last_low_ = low_.step() == 0 ? 0 : (unit_ - 1) / low_.step();
    const Price first_high = high_.step() == 0 ? 0 : (unit_ - 1) / high_.step() + 1;
    between_ = last_low_ + 1 - first_high;
  }

  Price unit_;
  TickGrid low_;
  TickGrid high_;
  Price last_low_ = 0;  ///< the largest number below a unit
  Price between_ = 0;   ///< what is added to the numbers from a unit on
};

}  // namespace llmes::inline LLMES_NAMESPACE
