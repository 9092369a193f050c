// SPDX-License-Identifier: MIT
//
// The grid of prices of US equities: ten-thousandths of a dollar below one dollar, and whole cents from there on.
// Its prices are numbered without gaps, so that neighbours on the grid are neighbours in the window of a book.
#pragma once

#include <algorithm>
#include <cstdint>

#include "llmes/itch/fields.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct DollarTicks {
  static constexpr std::uint32_t dollar = 10'000;  ///< in ten-thousandths
  static constexpr std::uint32_t cent = 100;

  /// Whether the grid has this price.
  [[nodiscard]] static constexpr bool holds(itch::Price4 price) noexcept {
    const auto number = static_cast<std::uint32_t>(price);
    return static_cast<bool>(unsigned{number < dollar} | unsigned{number % cent == 0});  // without a branch
  }
  /// The number of a price of the grid. A better price has a better number.
  [[nodiscard]] static constexpr Price tick(itch::Price4 price) noexcept {
    const auto number = static_cast<std::uint32_t>(price);
    return std::min(number, number / cent + below_cents);
  }
  /// The price of that number.
  [[nodiscard]] static constexpr itch::Price4 price(Price tick) noexcept {
    return static_cast<itch::Price4>(std::max(tick, (tick - below_cents) * cent));
  }

 private:
  static constexpr std::uint32_t below_cents =
      dollar - dollar / cent;  ///< what counting in cents alone would lack
};

}  // namespace llmes::inline LLMES_NAMESPACE
