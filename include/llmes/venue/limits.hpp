// SPDX-License-Identifier: MIT
//
// What an account may do.
#pragma once

#include <cstdint>
#include <limits>

#include "llmes/types/types.hpp"
#include "llmes/venue/risk_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The limits of an account. Each is the largest that is accepted; as it is here, it limits nothing. To stop an
/// account, kill it: a limit of 0 is refused, because it is a mistake more often than it is meant.
struct AccountLimits {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  Quantity order_quantity = std::numeric_limits<Quantity>::max();  ///< lots of an order
  /// The size of price times quantity of an order, in ticks times lots. Of a market order, at the reference price.
  std::int64_t order_notional = unlimited;
  std::uint32_t open_orders = std::numeric_limits<std::uint32_t>::max();
  Quantity open_quantity = std::numeric_limits<Quantity>::max();  ///< open lots on one side of one book
  /// The range of the position in a book if all that is open on one side traded; sold lots count below 0. A
  /// `position_min` of 0 forbids to sell short.
  std::int64_t position_min = -unlimited;
  std::int64_t position_max = unlimited;
  /// How far a price may be from the reference, in ticks: at least `collar_low` above it, which may be negative,
  /// and at most `collar_high`. As they are here, no reference is needed.
  Price collar_low = std::numeric_limits<Price>::min();
  Price collar_high = std::numeric_limits<Price>::max();
  /// What the account may owe, in ticks times lots; 0 for one that pays in advance.
  std::int64_t credit = unlimited;
  /// How many messages may come at once. Each is regained after `message_interval` nanoseconds, so in the long run
  /// that is the distance of two. 0 nanoseconds: the rate is not limited.
  std::uint32_t message_burst = 1;
  std::uint32_t message_interval = 0;
  bool cancel_on_disconnect = false;
};

/// InvalidLimit if a limit other than the credit, and `position_min` or `position_max` alone, is 0, or negative;
/// InvalidRange if the lowest position or price is above the highest, or the range leaves out a position of 0; or
/// Success.
[[nodiscard]] constexpr RiskStatus check(const AccountLimits& limits) noexcept {
  const bool all_positive = limits.order_quantity > 0 && limits.order_notional > 0 && limits.open_orders > 0 &&
                            limits.open_quantity > 0 && limits.message_burst > 0 && limits.credit >= 0 &&
                            (limits.position_min != 0 || limits.position_max != 0);
  if (!all_positive) return RiskStatus::InvalidLimit;
  const bool upside_down =
      limits.position_min > 0 || limits.position_max < 0 || limits.collar_low > limits.collar_high;
  return upside_down ? RiskStatus::InvalidRange : RiskStatus::Success;
}

}  // namespace llmes::inline LLMES_NAMESPACE
