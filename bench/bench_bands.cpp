// SPDX-License-Identifier: MIT
//
// What does a wide band cost? The core over bands of different widths takes turns, batch by batch, on streams in
// which every price of the band is as likely as any other, fed one command at a time and fed spans. After each
// batch the band is re-centred there and back.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/bands/band.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/fingerprint.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/workloads/spread.hpp"

ABSL_FLAG(std::uint32_t, orders, 5000, "resting orders to hold each book near");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each book");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch, and untimed ones before it");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the streams");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {

#define LLMES_BAND(price_levels)                                                       \
  extern template std::unique_ptr<Recentring> enter_single<price_levels>(const Plan&); \
  extern template std::unique_ptr<Runner> enter_spans<price_levels>(const Plan&);
#include "bench/bands/bands.inc"
#undef LLMES_BAND

namespace {

struct Width {
  std::size_t price_levels;
  std::unique_ptr<Recentring> (*enter_single)(const Plan& plan);
  std::unique_ptr<Runner> (*enter_spans)(const Plan& plan);
};

constexpr Width widths[] = {
#define LLMES_BAND(price_levels) {price_levels, enter_single<price_levels>, enter_spans<price_levels>},
#include "bench/bands/bands.inc"
#undef LLMES_BAND
};

constexpr std::size_t base_width = 4096;

/// A band in the race. Its two books are neighbours among the entrants.
struct Band {
  const Width& width;
  std::unique_ptr<const Plan> plan;
  const Recentring* single = nullptr;
};

std::vector<Band> enter_bands(const PlanSpec& spec, std::vector<Entrant>& entrants) {
  std::vector<Band> bands;
  for (const Width& width : widths) {
    std::fprintf(stderr, "planning, and learning the handles, for %zu price levels ...\n", width.price_levels);
    bands.push_back({width, std::make_unique<const Plan>(spread_plan(spec, width.price_levels))});
    std::unique_ptr<Recentring> single = width.enter_single(*bands.back().plan);
    bands.back().single = single.get();
    entrants.push_back({absl::StrFormat("core/%d", width.price_levels), std::move(single)});
    entrants.push_back(
        {absl::StrFormat("core_span/%d", width.price_levels), width.enter_spans(*bands.back().plan)});
  }
  for (Entrant& entrant : entrants) entrant.runner->start();
  return bands;
}

std::string with_interval(const MedianInterval& interval, int digits) {
  return absl::StrFormat("%.*f [%.*f, %.*f]", digits, interval.median, digits, interval.low, digits,
                         interval.high);
}

/// The entrants of band `i` and of the base, for singles or for spans.
struct Pair {
  const Entrant& entrant;
  const Entrant& base;
};
Pair pair_of(const std::vector<Entrant>& entrants, std::size_t band, bool spans) {
  const auto base = std::find_if(std::begin(widths), std::end(widths),
                                 [](const Width& width) { return width.price_levels == base_width; });
  const auto base_band = static_cast<std::size_t>(base - std::begin(widths));
  return {entrants[2 * band + spans], entrants[2 * base_band + spans]};
}

void print_table(const std::vector<Band>& bands, const std::vector<Entrant>& entrants, const PlanSpec& spec) {
  std::printf("\nspread, %zu orders, seed %llu: %zu rounds of %zu events; medians with 95 %% intervals\n\n",
              spec.standing, static_cast<unsigned long long>(spec.seed), spec.batches, spec.batch);
  std::printf("%-8s %12s %11s  %-22s %-22s %-12s %-12s %s\n", "levels", "memory, KiB", "occupied", "single, ns/op",
              "spans, ns/op", "single/4096", "spans/4096", "recenter, us");
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const Pair single = pair_of(entrants, i, false);
    const Pair spans = pair_of(entrants, i, true);
    const Census census = census_of(*bands[i].plan);
    std::printf("%-8zu %12.0f %11.0f  %-22s %-22s %-12.3f %-12.3f %s\n", bands[i].width.price_levels,
                static_cast<double>(bands[i].single->memory_bytes()) / 1024,
                census.per_event(census.bid_levels_sum + census.ask_levels_sum),
                with_interval(median_interval(times_of(single.entrant)), 2).c_str(),
                with_interval(median_interval(times_of(spans.entrant)), 2).c_str(),
                median_interval(ratios_of(single.entrant, single.base)).median,
                median_interval(ratios_of(spans.entrant, spans.base)).median,
                with_interval(median_interval(bands[i].single->microseconds()), 1).c_str());
  }
}

nlohmann::ordered_json artifact_of(const std::vector<Band>& bands, const std::vector<Entrant>& entrants) {
  nlohmann::ordered_json artifact{{"fingerprint", fingerprint()}, {"rows", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < bands.size(); ++i) {
    for (const bool spans : {false, true}) {
      const Pair pair = pair_of(entrants, i, spans);
      const Plan& plan = *bands[i].plan;
      nlohmann::ordered_json row = json_of(row_of(pair.entrant, pair.base), census_of(plan), plan.spec);
      row["price_levels"] = bands[i].width.price_levels;
      row["memory_bytes"] = bands[i].single->memory_bytes();
      if (!spans) row["recenter_us"] = bands[i].single->microseconds();
      artifact["rows"].push_back(std::move(row));
    }
  }
  return artifact;
}

void run() {
  const PlanSpec spec{.standing = absl::GetFlag(FLAGS_orders),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_rounds),
                      .batch = absl::GetFlag(FLAGS_batch),
                      // The other books' turns have emptied the caches, and a stream that visits every level alike
                      // is slow to fill them again.
                      .rewarm = absl::GetFlag(FLAGS_batch)};
  if (spec.batches == 0) throw std::invalid_argument("--rounds must be at least 1");

  std::vector<Entrant> entrants;
  const std::vector<Band> bands = enter_bands(spec, entrants);
  race(entrants, spec.batches, spec.seed, nullptr);
  print_table(bands, entrants, spec);
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty()) {
    write_artifact(path, artifact_of(bands, entrants));
  }
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("times the core over bands of different widths");
  absl::ParseCommandLine(argc, argv);
  try {
    llmes::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_bands: %s\n", error.what());
    return 1;
  }
  return 0;
}
