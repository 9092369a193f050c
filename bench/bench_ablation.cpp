// SPDX-License-Identifier: MIT
//
// Where does the core's time go? The core without one of its parts takes turns with the whole core on a stream in
// which nothing trades, so that it can do without. What trading costs is seen on the stream as planned, in short
// windows that differ in their fills.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/ablation/passive.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/callgrind_counters.hpp"
#include "bench/harness/contestant.hpp"
#include "bench/harness/fingerprint.hpp"
#include "bench/harness/statistics.hpp"

ABSL_FLAG(std::string, stream, "passive",
          "passive: every variant, on the stream's image without trades; whole: the full core, on it as planned");
ABSL_FLAG(std::string, workload, "macro", "macro, wide or classic");
ABSL_FLAG(std::uint32_t, standing, 5000, "resting orders to hold the book near");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each variant");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::uint32_t, rewarm, 10'000, "untimed events before each batch");
ABSL_FLAG(std::string, metric, "latency",
          "latency; or instructions: under callgrind, which counts each window into a file of its own");
ABSL_FLAG(std::string, out, "ablation.json", "where to write what was measured");

namespace llmes::bench {

#define LLMES_VARIANT(name, ...) std::unique_ptr<Contestant> enter_##name(const Plan& plan);
#include "bench/ablation/variants.inc"
#undef LLMES_VARIANT

namespace {

struct Variant {
  std::string_view name;
  std::unique_ptr<Contestant> (*enter)(const Plan& plan);
};

constexpr Variant variants[] = {
#define LLMES_VARIANT(name, ...) {#name, enter_##name},
#include "bench/ablation/variants.inc"
#undef LLMES_VARIANT
};

constexpr std::string_view base = "full";

struct Entrant {
  std::string name;
  std::unique_ptr<Contestant> contestant;
  std::vector<Window> windows{};

  [[nodiscard]] double ns_per_op(std::size_t round) const {
    return windows[round].seconds * 1e9 / static_cast<double>(windows[round].events);
  }
};

/// A value that must be one of two.
std::string one_of(const absl::Flag<std::string>& flag, std::string_view name, std::string_view a,
                   std::string_view b) {
  std::string value = absl::GetFlag(flag);
  if (value != a && value != b) {
    throw std::invalid_argument(absl::StrFormat("--%s is %s or %s, not '%s'", name, a, b, value));
  }
  return value;
}

/// Each round plays one batch on every variant, in an order drawn anew.
void race(std::vector<Entrant>& entrants, std::size_t rounds, std::uint64_t seed, CallgrindCounters* counters) {
  std::mt19937_64 engine(seed);
  std::vector<Entrant*> order;
  for (Entrant& entrant : entrants) order.push_back(&entrant);
  for (std::size_t round = 0; round < rounds; ++round) {
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
}

nlohmann::ordered_json row_of(const Entrant& entrant, const Entrant& full, const Census& census,
                              const PlanSpec& spec) {
  std::vector<double> times;
  std::vector<double> ratios;
  std::size_t events = 0;
  std::uint64_t fills = 0;
  std::uint64_t misses = 0;
  std::uint64_t allocations = 0;
  std::uint64_t digest = 0;
  for (std::size_t round = 0; round < entrant.windows.size(); ++round) {
    const Window& window = entrant.windows[round];
    times.push_back(entrant.ns_per_op(round));
    ratios.push_back(entrant.ns_per_op(round) / full.ns_per_op(round));
    events += window.events;
    fills += window.digest.fills;
    misses += window.digest.misses;
    allocations += window.allocations;
    digest = digest * 31 + window.digest.checksum;
  }
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

void run() {
  const bool passive = one_of(FLAGS_stream, "stream", "passive", "whole") == "passive";
  std::optional<CallgrindCounters> counters;
  if (one_of(FLAGS_metric, "metric", "latency", "instructions") == "instructions") counters.emplace();
  const PlanSpec spec{.workload = absl::GetFlag(FLAGS_workload),
                      .standing = absl::GetFlag(FLAGS_standing),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_rounds),
                      .batch = absl::GetFlag(FLAGS_batch),
                      .rewarm = absl::GetFlag(FLAGS_rewarm)};
  if (spec.batches == 0) throw std::invalid_argument("--rounds must be at least 1");
  Plan plan = make_plan(spec);
  Census census;
  for (const Batch& batch : plan.batches) census.add(batch.census);

  nlohmann::ordered_json artifact{{"fingerprint", fingerprint()}, {"rows", nlohmann::ordered_json::array()}};
  if (passive) {
    plan = passive_image(std::move(plan));
  } else {
    for (const Batch& batch : plan.batches) {
      artifact["windows"]["events"].push_back(batch.census.events);
      artifact["windows"]["markets"].push_back(batch.census.markets);
      artifact["windows"]["fills"].push_back(batch.census.fills);
    }
  }

  std::vector<Entrant> entrants;
  for (const Variant& variant : variants) {
    if (!passive && variant.name != base) continue;
    entrants.push_back({std::string(variant.name), variant.enter(plan)});
    entrants.back().contestant->start();
  }
  race(entrants, spec.batches, spec.seed, counters ? &*counters : nullptr);
  const auto full =
      std::find_if(entrants.begin(), entrants.end(), [](const Entrant& entrant) { return entrant.name == base; });
  for (const Entrant& entrant : entrants) artifact["rows"].push_back(row_of(entrant, *full, census, plan.spec));
  write_artifact(absl::GetFlag(FLAGS_out), artifact);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("times the core without one of its parts");
  absl::ParseCommandLine(argc, argv);
  try {
    llmes::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_ablation: %s\n", error.what());
    return 1;
  }
  return 0;
}
