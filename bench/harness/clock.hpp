// SPDX-License-Identifier: MIT
//
// The quality of the clock that times every window, measured on this machine, without need of a fixed frequency.
// An invariant time-stamp counter (TSC) is checked against it: the two must agree on the length of a second.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llmes::bench {

struct ClockFacts {
  std::int64_t resolution_ns = 0;  ///< the smallest step seen, at least the time of a call; 0: it stood still
  double overhead_ns = 0;          ///< the time of a call: the median over blocks of calls
  std::size_t steps_back = 0;      ///< must be 0
  std::size_t readings = 0;
};

/// Reads a clock, which returns nanoseconds, in one burst.
template <class Now>
[[nodiscard]] ClockFacts examine_clock(Now now) {
  constexpr std::size_t blocks = 201;
  constexpr std::size_t block = 100;  // this many calls take longer than a step of a coarse clock
  std::vector<std::int64_t> readings(blocks * block + 1);
  for (std::int64_t& reading : readings) reading = now();

  ClockFacts facts{.readings = readings.size()};
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const std::int64_t step = readings[i] - readings[i - 1];
    facts.steps_back += step < 0;
    if (step > 0 && (facts.resolution_ns == 0 || step < facts.resolution_ns)) facts.resolution_ns = step;
  }
  std::vector<std::int64_t> costs;
  for (std::size_t i = block; i < readings.size(); i += block) costs.push_back(readings[i] - readings[i - block]);
  std::nth_element(costs.begin(), costs.begin() + blocks / 2, costs.end());
  facts.overhead_ns = static_cast<double>(costs[blocks / 2]) / block;
  return facts;
}

struct TscFacts {
  double ghz = 0;      ///< ticks per nanosecond of the clock: the median of a few intervals
  double spread = 0;   ///< of the intervals, as a share of their median
  double step_ns = 0;  ///< the smallest step seen, at least the time of a reading
};

/// Counts ticks against a clock that returns nanoseconds, over about 20 ms.
template <class Ticks, class Now>
[[nodiscard]] TscFacts calibrate(Ticks ticks, Now now) {
  struct Pair {
    std::uint64_t ticks;
    std::int64_t ns;
  };
  // The attempt with the shortest time between its readings: no interrupt came in between.
  const auto read_both = [&] {
    Pair best{};
    std::uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t before = ticks();
      const std::int64_t ns = now();
      const std::uint64_t width = ticks() - before;
      if (width >= narrowest) continue;
      narrowest = width;
      best = {before + width / 2, ns};
    }
    return best;
  };
  std::vector<double> rates;
  Pair begin = read_both();
  for (int i = 0; i < 5; ++i) {
    while (now() - begin.ns < 4'000'000) {
    }
    const Pair end = read_both();
    rates.push_back(static_cast<double>(end.ticks - begin.ticks) / static_cast<double>(end.ns - begin.ns));
    begin = end;
  }
  std::sort(rates.begin(), rates.end());
  return {rates[2], (rates.back() - rates.front()) / rates[2]};
}

/// The time-stamp counter measured by std::chrono::steady_clock, if it is invariant; done once in a process.
[[nodiscard]] const std::optional<TscFacts>& tsc_facts();

/// The entries "clock" and "tsc" of the fingerprint.
[[nodiscard]] std::map<std::string, std::string> describe_clock(const ClockFacts& clock,
                                                                const std::optional<TscFacts>& tsc);

/// The same for std::chrono::steady_clock, which times every window; measured once in a process.
[[nodiscard]] const std::map<std::string, std::string>& clock_facts();

}  // namespace llmes::bench
