// SPDX-License-Identifier: MIT
//
// A grid with a step of its own below one unit of the currency: venues have finer ticks there, and stub quotes far
// from the market would make all steps as fine. Prices of a grid are numbered without large gaps, so neighbours on
// it are neighbours in a book.
#pragma once

#include "llmes/market_data/tick_grid.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Two grids, one for prices whose size is below `unit`. The better price has the better number.
class SplitGrid {
 public:
  /// @param unit at least 1
  constexpr explicit SplitGrid(Price unit) noexcept : unit_(unit) { join(); }

  /// The steps so far: below a unit, and from it on; 0 if there was no price but 0.
  [[nodiscard]] constexpr Price low_step() const noexcept { return low_.step(); }
  [[nodiscard]] constexpr Price step() const noexcept { return high_.step(); }

  /// Whether the grid has this price, which is a possible one (see tick_grid.hpp).
  [[nodiscard]] constexpr bool holds(Price price) const noexcept {
    return is_low(price) ? low_.holds(price) : high_.holds(price);
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
