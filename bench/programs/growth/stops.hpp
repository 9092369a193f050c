// SPDX-License-Identifier: MIT
//
// Stops that wait, and stops that fire: in `StopOrders`, and in two multimaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/harness/runner.hpp"

namespace llmes::bench {

enum class StopsIn { Multimaps, StopOrders };

/// Each batch adds `stops` stops, untimed, and times how they fire one by one, as the last price goes past them.
[[nodiscard]] std::unique_ptr<Runner> enter_firing_stops(StopsIn kind, std::size_t stops, std::uint64_t seed);

/// As many stops wait while the last price moves `stops` times, and none fires. After each tenth move one is
/// cancelled and another added.
[[nodiscard]] std::unique_ptr<Runner> enter_waiting_stops(StopsIn kind, std::size_t stops, std::uint64_t seed);

}  // namespace llmes::bench
