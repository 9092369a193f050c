// SPDX-License-Identifier: MIT
//
// Values that a caller can pass and every book rejects, and the largest values that it can pass.
#pragma once

#include <limits>

#include "llmes/types/types.hpp"

namespace llmes::test {

inline constexpr auto no_side = static_cast<Side>(2);
inline constexpr auto no_time_in_force = static_cast<TimeInForce>(4);
inline constexpr Price highest_price = std::numeric_limits<Price>::max() - 1;  ///< of any band
inline constexpr Quantity most = std::numeric_limits<Quantity>::max();
inline constexpr OrderId largest_id = std::numeric_limits<OrderId>::max();

}  // namespace llmes::test
