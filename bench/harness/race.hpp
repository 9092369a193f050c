// SPDX-License-Identifier: MIT
//
// Runners that take turns, batch by batch, in one process: what slows the machine down slows all of them.
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
#include "bench/harness/runner.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/workloads/plan.hpp"

namespace llmes::bench {

/// A runner, and what it did in all rounds.
struct Entrant {
  std::string name;
  std::unique_ptr<Runner> runner;
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
        entrant->windows.push_back(entrant->runner->run(round, counters));
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

/// What an entrant did in all rounds, beside the base.
struct Row {
  std::string book;
  std::vector<double> times;   ///< nanoseconds an operation, one figure a round
  std::vector<double> ratios;  ///< over the base, one figure a round
  std::size_t events = 0;
  std::uint64_t fills = 0;
  std::uint64_t misses = 0;
  std::uint64_t allocations = 0;
  std::uint64_t digest = 0;  ///< of what it answered
  std::size_t peak_bytes = 0;
};

[[nodiscard]] inline Row row_of(const Entrant& entrant, const Entrant& base) {
  Row row{.book = entrant.name,
          .times = times_of(entrant),
          .ratios = ratios_of(entrant, base),
          .peak_bytes = entrant.runner->peak_bytes()};
  for (const Window& window : entrant.windows) {
    row.events += window.events;
    row.fills += window.digest.fills;
    row.misses += window.digest.misses;
    row.allocations += window.allocations;
    row.digest = row.digest * 31 + window.digest.checksum;
  }
  return row;
}

#if LLMES_HAS_JSON
/// A row for an artifact. `census` and `spec` are those of the stream.
[[nodiscard]] inline nlohmann::ordered_json json_of(const Row& row, const Census& census, const PlanSpec& spec) {
  return {{"book", row.book},
          {"workload", spec.workload},
          {"standing", spec.standing},
          {"seed", spec.seed},
          {"rounds", row.ratios.size()},
          {"batch", spec.batch},
          {"events", row.events},
          {"ns_per_op", median_interval(row.times).median},
          {"ratio", median_interval(row.ratios).median},
          {"ratios", row.ratios},
          {"times", row.times},
          {"resting_avg", census.per_event(census.resting_sum)},
          {"resting_peak", census.resting_peak},
          {"levels_avg", census.per_event(census.bid_levels_sum + census.ask_levels_sum)},
          {"fills_per_op", static_cast<double>(row.fills) / static_cast<double>(row.events)},
          {"misses", row.misses},
          {"misses_planned", census.misses},
          {"allocations", row.allocations},
          {"digest", absl::StrFormat("%016x", row.digest)}};
}
#endif

}  // namespace llmes::bench
