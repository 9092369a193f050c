// SPDX-License-Identifier: MIT
//
// Runners that take turns, batch by batch, in one process, so that a slow machine slows all of them alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/runner.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/streams/plan.hpp"

#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace llmes::bench {

/// One book in a race and what it did.
struct Row {
  std::string book;
  std::unique_ptr<Runner> runner;
  std::vector<Window> windows{};  ///< one a round

  [[nodiscard]] double ns_per_op(std::size_t round) const {
    return windows[round].seconds * 1e9 / static_cast<double>(windows[round].events);
  }
  /// Nanoseconds an operation, one figure a round.
  [[nodiscard]] std::vector<double> times() const {
    std::vector<double> times;
    for (std::size_t round = 0; round < windows.size(); ++round) times.push_back(ns_per_op(round));
    return times;
  }
  /// The time over that of `base` in the same round, one figure a round.
  [[nodiscard]] std::vector<double> ratios_over(const Row& base) const {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < windows.size(); ++round) {
      ratios.push_back(ns_per_op(round) / base.ns_per_op(round));
    }
    return ratios;
  }
  /// The windows of all rounds together. The checksum depends on the order of the rounds.
  [[nodiscard]] Window total() const {
    Window total;
    for (const Window& window : windows) {
      total.seconds += window.seconds;
      total.events += window.events;
      total.digest.fills += window.digest.fills;
      total.digest.misses += window.digest.misses;
      total.digest.checksum = total.digest.checksum * 31 + window.digest.checksum;
      total.allocations += window.allocations;
    }
    return total;
  }
};

/// The names of the rows of these books. The second row of a book is "core#2", so names are unique.
[[nodiscard]] inline std::vector<std::string> row_names(const std::vector<std::string>& books) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::string> names;
  for (const std::string& book : books) {
    const std::size_t times = ++seen[book];
    names.push_back(times == 1 ? book : absl::StrFormat("%s#%d", book, times));
  }
  return names;
}

/// Each round plays one batch on every row's runner, in an order drawn anew. `counters` may be null.
inline void race(std::vector<Row>& rows, std::size_t rounds, std::uint64_t seed, CallgrindCounters* counters) {
  std::mt19937_64 engine(seed);
  std::vector<Row*> order;
  for (Row& row : rows) order.push_back(&row);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::fprintf(stderr, "\rround %zu of %zu", round + 1, rounds);
    std::shuffle(order.begin(), order.end(), engine);
    for (Row* row : order) {
      try {
        row->windows.push_back(row->runner->run(round, counters));
        if (counters != nullptr) counters->dump(row->book);
      } catch (const std::exception& error) {
        throw std::runtime_error(absl::StrFormat("%s, round %d: %s", row->book, round + 1, error.what()));
      }
    }
  }
  std::fprintf(stderr, "\n");
}

#if LLMES_HAS_JSON
/// A row for an artifact, with its ratios over `base`. `census` and `spec` are those of its stream.
[[nodiscard]] inline nlohmann::ordered_json json_of(const Row& row, const Row& base, const Census& census,
                                                    const PlanSpec& spec) {
  const Window total = row.total();
  const std::vector<double> times = row.times();
  const std::vector<double> ratios = row.ratios_over(base);
  return {{"book", row.book},
          {"workload", spec.workload},
          {"standing", spec.standing},
          {"seed", spec.seed},
          {"rounds", row.windows.size()},
          {"batch", spec.batch},
          {"events", total.events},
          {"ns_per_op", median_interval(times).median},
          {"ratio", median_interval(ratios).median},
          {"ratios", ratios},
          {"times", times},
          {"resting_avg", census.per_event(census.resting_sum)},
          {"resting_peak", census.resting_peak},
          {"levels_avg", census.per_event(census.bid_levels_sum + census.ask_levels_sum)},
          {"fills_per_op", static_cast<double>(total.digest.fills) / static_cast<double>(total.events)},
          {"misses", total.digest.misses},
          {"misses_planned", census.misses},
          {"allocations", total.allocations},
          {"digest", absl::StrFormat("%016x", total.digest.checksum)}};
}
#endif

}  // namespace llmes::bench
