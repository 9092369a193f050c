// SPDX-License-Identifier: MIT
//
// Where does the core's time go? The core without one of its parts takes turns with the whole core on a stream in
// which nothing trades, so that it can do without. What trading costs is seen on the stream as planned, in short
// windows that differ in their fills.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/ablation/passive.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/runner.hpp"

ABSL_FLAG(std::string, stream, "passive",
          "passive: every variant, on the stream's image without trades; whole: the full core, on it as planned");
ABSL_FLAG(std::string, workload, "macro", "the stream: macro, wide or classic");
ABSL_FLAG(std::uint32_t, standing, 5000, "the number of resting orders");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each book");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::string, metric, "latency", "latency; or instructions: run under callgrind");
ABSL_FLAG(std::uint32_t, rewarm, 10'000, "untimed events before each batch");
ABSL_FLAG(std::string, out, "ablation.json", "where to write what was measured");

namespace llmes::bench {

#define LLMES_VARIANT(name, ...) std::unique_ptr<Runner> enter_##name(const Plan& plan);
#include "bench/ablation/variants.inc"
#undef LLMES_VARIANT

namespace {

struct Variant {
  std::string_view name;
  std::unique_ptr<Runner> (*enter)(const Plan& plan);
};

constexpr Variant variants[] = {
#define LLMES_VARIANT(name, ...) {#name, enter_##name},
#include "bench/ablation/variants.inc"
#undef LLMES_VARIANT
};

constexpr std::string_view base = "full";

std::string one_of(const absl::Flag<std::string>& flag, std::string_view name, std::string_view a,
                   std::string_view b) {
  std::string value = absl::GetFlag(flag);
  if (value != a && value != b) {
    throw std::invalid_argument(absl::StrFormat("--%s is %s or %s, not '%s'", name, a, b, value));
  }
  return value;
}

void run() {
  const bool passive = one_of(FLAGS_stream, "stream", "passive", "whole") == "passive";
  std::optional<CallgrindCounters> counters;
  if (one_of(FLAGS_metric, "metric", "latency", "instructions") == "instructions") counters.emplace();
  if (absl::GetFlag(FLAGS_rounds) == 0) throw std::invalid_argument("--rounds must be at least 1");
  const PlanSpec spec{.workload = absl::GetFlag(FLAGS_workload),
                      .standing = absl::GetFlag(FLAGS_standing),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_rounds),
                      .batch = absl::GetFlag(FLAGS_batch),
                      .rewarm = absl::GetFlag(FLAGS_rewarm)};
  Plan plan = make_plan(spec);

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

  const Census census = census_of(plan);
  std::vector<Row> rows;
  for (const Variant& variant : variants) {
    if (!passive && variant.name != base) continue;
    rows.push_back({std::string(variant.name), variant.enter(plan)});
    rows.back().runner->start();
  }
  race(rows, spec.batches, spec.seed, counters ? &*counters : nullptr);
  const auto full = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.book == base; });
  for (const Row& row : rows) {
    artifact["rows"].push_back(json_of(row, *full, census, plan.spec));
  }
  write_artifact(absl::GetFlag(FLAGS_out), artifact);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv, "times the core without one of its parts", llmes::bench::run);
}
