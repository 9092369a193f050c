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
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/ablation/passive.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/fingerprint.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/race_flags.hpp"
#include "bench/harness/runner.hpp"

ABSL_FLAG(std::string, stream, "passive",
          "passive: every variant, on the stream's image without trades; whole: the full core, on it as planned");
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

void run() {
  const bool passive = one_of(FLAGS_stream, "stream", "passive", "whole") == "passive";
  std::optional<CallgrindCounters> counters = counters_of_flags();
  PlanSpec spec = spec_of_flags();
  spec.rewarm = absl::GetFlag(FLAGS_rewarm);
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
