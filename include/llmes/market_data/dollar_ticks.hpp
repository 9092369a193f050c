// SPDX-License-Identifier: MIT
//
// The grid of prices of US equities: ten-thousandths of a dollar below one dollar, and whole cents from there on.
// Its prices are numbered without gaps, so that neighbours on the grid are neighbours in the window of a book.
#pragma once

#include "llmes/itch/fields.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct DollarTicks {
  static constexpr Price dollar = 10'000;  ///< in ten-thousandths
  static constexpr Price cent = 100;

  /// Whether the grid has this price.
  [[nodiscard]] static constexpr bool holds(itch::Price4 price) noexcept {
    const auto number = static_cast<Price>(price);
    return number < dollar || number % cent == 0;
  }
  /// The number of a price of the grid. A better price has a better number.
  [[nodiscard]] static constexpr Price tick(itch::Price4 price) noexcept {
    const auto number = static_cast<Price>(price);
    return number < dollar ? number : dollar + (number - dollar) / cent;
  }
  /// The price of that number.
  [[nodiscard]] static constexpr itch::Price4 price(Price tick) noexcept {
    return static_cast<itch::Price4>(tick < dollar ? tick : dollar + (tick - dollar) * cent);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
