// SPDX-License-Identifier: MIT
//
// Price grids of US equities: steps of a ten-thousandth of a dollar below one dollar, and above it steps that
// divide a cent. Prices of a grid are numbered without gaps, so neighbours on it are neighbours in a book. A
// ten-thousandth is a step too, so every price is on some grid.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "llmes/itch/fields.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

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

}  // namespace llmes::inline LLMES_NAMESPACE
