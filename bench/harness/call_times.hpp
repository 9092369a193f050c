// SPDX-License-Identifier: MIT
//
// Which clock times single calls on this machine, and which percentiles are reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/harness/clock.hpp"
#include "bench/harness/stamped_replay.hpp"

namespace llmes::bench {

struct CallClock {
  StampSource source;
  std::string name;
  double ns_per_tick;
  double step_ns;  ///< the smallest step of the clock, at least the time of a reading
};

[[nodiscard]] inline CallClock choose_call_clock() {
  if (const auto& tsc = tsc_facts()) return {StampSource::Tsc, "tsc", 1 / tsc->ghz, tsc->step_ns};
  const ClockFacts clock = examine_clock([] { return static_cast<std::int64_t>(SteadyStamps::begin()); });
  return {StampSource::SteadyClock, "steady_clock", 1, static_cast<double>(clock.resolution_ns)};
}

struct CallPercentile {
  std::string_view name;
  std::size_t per_10000;
};
inline constexpr CallPercentile call_percentiles[] = {{"p50", 5'000},   {"p90", 9'000},    {"p99", 9'900},
                                                      {"p99.9", 9'990}, {"p99.99", 9'999}, {"max", 10'000}};

}  // namespace llmes::bench
