// SPDX-License-Identifier: MIT
#include "bench/harness/race_flags.hpp"

#include <cstdint>
#include <stdexcept>

#include "absl/strings/str_format.h"

ABSL_FLAG(std::string, workload, "macro", "macro, wide or classic");
ABSL_FLAG(std::uint32_t, standing, 5000, "resting orders to hold the book near");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each book");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::string, metric, "latency",
          "latency; or instructions: under callgrind, which counts each window into a file of its own");

namespace llmes::bench {

std::string one_of(const absl::Flag<std::string>& flag, std::string_view name, std::string_view a,
                   std::string_view b) {
  std::string value = absl::GetFlag(flag);
  if (value != a && value != b) {
    throw std::invalid_argument(absl::StrFormat("--%s is %s or %s, not '%s'", name, a, b, value));
  }
  return value;
}

PlanSpec spec_of_flags() {
  if (absl::GetFlag(FLAGS_rounds) == 0) throw std::invalid_argument("--rounds must be at least 1");
  return {.workload = absl::GetFlag(FLAGS_workload),
          .standing = absl::GetFlag(FLAGS_standing),
          .seed = absl::GetFlag(FLAGS_seed),
          .batches = absl::GetFlag(FLAGS_rounds),
          .batch = absl::GetFlag(FLAGS_batch)};
}

std::optional<CallgrindCounters> counters_of_flags() {
  std::optional<CallgrindCounters> counters;
  if (one_of(FLAGS_metric, "metric", "latency", "instructions") == "instructions") counters.emplace();
  return counters;
}

}  // namespace llmes::bench
