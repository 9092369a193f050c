// SPDX-License-Identifier: MIT
//
// Contestants that take turns, batch by batch, in one process: what slows the machine down slows all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/callgrind_counters.hpp"
#include "bench/harness/contestant.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/workloads/plan.hpp"

namespace llmes::bench {

/// A contestant, and what it did in all rounds.
struct Entrant {
  std::string name;
  std::unique_ptr<Contestant> contestant;
  std::vector<Window> windows{};

  [[nodiscard]] double ns_per_op(std::size_t round) const {
    return windows[round].seconds * 1e9 / static_cast<double>(windows[round].events);
  }
};

/// Each round plays one batch on every entrant, in an order drawn anew. `counters` may be null.
inline void race(std::vector<Entrant>& entrants, std::size_t rounds, std::uint64_t seed,
                 CallgrindCounters* counters) {
  std::mt19937_64 engine(seed);
  std::vector<Entrant*> order;
  for (Entrant& entrant : entrants) order.push_back(&entrant);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::fprintf(stderr, "\rround %zu of %zu", round + 1, rounds);
    std::shuffle(order.begin(), order.end(), engine);
    for (Entrant* entrant : order) {
      try {
        entrant->windows.push_back(entrant->contestant->run(round, counters));
        if (counters != nullptr) counters->dump(entrant->name);
      } catch (const std::exception& error) {
        throw std::runtime_error(absl::StrFormat("%s, round %d: %s", entrant->name, round + 1, error.what()));
      }
    }
  }
  std::fprintf(stderr, "\n");
}

/// Nanoseconds an operation, one figure a round.
[[nodiscard]] inline std::vector<double> times_of(const Entrant& entrant) {
  std::vector<double> times;
  for (std::size_t round = 0; round < entrant.windows.size(); ++round) times.push_back(entrant.ns_per_op(round));
  return times;
}

/// The time of `entrant` over that of `base` in the same round, one figure a round.
[[nodiscard]] inline std::vector<double> ratios_of(const Entrant& entrant, const Entrant& base) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < entrant.windows.size(); ++round) {
    ratios.push_back(entrant.ns_per_op(round) / base.ns_per_op(round));
  }
  return ratios;
}

/// The census of all batches of a plan.
[[nodiscard]] inline Census census_of(const Plan& plan) {
  Census census;
  for (const Batch& batch : plan.batches) census.add(batch.census);
  return census;
}

#if LLMES_HAS_JSON
/// What an entrant did, for an artifact. `census` and `spec` are those of the stream.
[[nodiscard]] inline nlohmann::ordered_json row_of(const Entrant& entrant, const Entrant& base,
                                                   const Census& census, const PlanSpec& spec) {
  std::size_t events = 0;
  std::uint64_t fills = 0;
  std::uint64_t misses = 0;
  std::uint64_t allocations = 0;
  std::uint64_t digest = 0;
  for (const Window& window : entrant.windows) {
    events += window.events;
    fills += window.digest.fills;
    misses += window.digest.misses;
    allocations += window.allocations;
    digest = digest * 31 + window.digest.checksum;
  }
  const std::vector<double> times = times_of(entrant);
  const std::vector<double> ratios = ratios_of(entrant, base);
  const auto per_event = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(census.events);
  };
  return {{"book", entrant.name},
          {"workload", spec.workload},
          {"standing", spec.standing},
          {"seed", spec.seed},
          {"rounds", ratios.size()},
          {"batch", spec.batch},
          {"events", events},
          {"ns_per_op", median_interval(times).median},
          {"ratio", median_interval(ratios).median},
          {"ratios", ratios},
          {"times", times},
          {"resting_avg", per_event(census.resting_sum)},
          {"resting_peak", census.resting_peak},
          {"levels_avg", per_event(census.bid_levels_sum + census.ask_levels_sum)},
          {"fills_per_op", static_cast<double>(fills) / static_cast<double>(events)},
          {"misses", misses},
          {"misses_planned", census.misses},
          {"allocations", allocations},
          {"digest", absl::StrFormat("%016x", digest)}};
}
#endif

}  // namespace llmes::bench
