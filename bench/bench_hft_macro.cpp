// SPDX-License-Identifier: MIT
//
// What does one operation cost? One book, one planned stream, one clock window a batch; an iteration is a batch.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/books/registry.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/fingerprint.hpp"

ABSL_FLAG(std::string, book, "core", "the book to time; bench_books --list names them");
ABSL_FLAG(std::string, workload, "macro", "macro, wide or classic");
ABSL_FLAG(std::uint32_t, standing, 5000, "resting orders to hold the book near");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::uint32_t, batches, 20, "timed batches in a repetition");
ABSL_FLAG(std::string, metric, "latency", "latency, or pmc: what the processor counts, per operation");

namespace llmes::bench {
namespace {

void report_counters(benchmark::State& state, const PerfCounters& counters, double operations) {
  for (std::size_t i = 0; i < PerfCounters::names.size(); ++i) {
    if (const auto total = counters.total(i)) {
      state.counters[std::string(PerfCounters::names[i]) + "/op"] = static_cast<double>(*total) / operations;
    }
  }
}

/// Says which counters this host lacks; the others still count.
void report_missing_counters() {
  const PerfCounters counters;
  for (std::size_t i = 0; i < PerfCounters::names.size(); ++i) {
    if (counters.total(i)) continue;
    std::fprintf(stderr, "%s: not available: %s\n", std::string(PerfCounters::names[i]).c_str(),
                 counters.why_missing(i).c_str());
  }
}

void time_book(benchmark::State& state, const Plan& plan, Contestant& contestant, bool count) {
  PerfCounters counters;
  Census census;
  double seconds = 0;
  std::uint64_t allocations = 0;
  std::size_t events = 0;  // of the windows; fewer than the census has for a book that scans
  contestant.start();
  std::size_t index = 0;
  for (auto _ : state) {
    const Window window = contestant.run(index, count ? &counters : nullptr);
    state.SetIterationTime(window.seconds);
    seconds += window.seconds;
    events += window.events;
    allocations += window.allocations;
    census.add(plan.batches[index++].census);
  }
  const auto operations = static_cast<double>(census.events);
  state.counters["ns/op"] = seconds * 1e9 / static_cast<double>(events);
  state.counters["resting"] = static_cast<double>(census.resting_sum) / operations;
  state.counters["levels"] = static_cast<double>(census.bid_levels_sum + census.ask_levels_sum) / operations;
  state.counters["fills/op"] = static_cast<double>(census.fills) / operations;
  state.counters["adds"] = static_cast<double>(census.adds) / operations;
  state.counters["cancels"] = static_cast<double>(census.cancels) / operations;
  state.counters["modifies"] = static_cast<double>(census.modifies) / operations;
  state.counters["markets"] = static_cast<double>(census.markets) / operations;
  state.counters["allocations"] = static_cast<double>(allocations);
  if (count) report_counters(state, counters, static_cast<double>(events));
}

void run() {
  const std::string name = absl::GetFlag(FLAGS_book);
  const std::string metric = absl::GetFlag(FLAGS_metric);
  const BookEntry* entry = find_book(name);
  if (entry == nullptr)
    throw std::invalid_argument("no book is called '" + name + "'; bench_books --list names them");
  if (metric != "latency" && metric != "pmc") {
    throw std::invalid_argument("--metric is latency or pmc, not '" + metric + "'");
  }
  if (absl::GetFlag(FLAGS_batches) == 0) throw std::invalid_argument("--batches must be at least 1");

  const PlanSpec spec{.workload = absl::GetFlag(FLAGS_workload),
                      .standing = absl::GetFlag(FLAGS_standing),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_batches),
                      .batch = absl::GetFlag(FLAGS_batch),
                      .snapshots = entry->scans};
  std::fprintf(stderr, "planning %s ...\n", spec.workload.c_str());
  const Plan plan = make_plan(spec);
  const std::unique_ptr<Contestant> contestant = entry->enter(plan);

  const std::string title =
      absl::StrFormat("hft_macro/%s/%s/%d/seed:%d", name, spec.workload, spec.standing, spec.seed);
  benchmark::RegisterBenchmark(
      title.c_str(), [&](benchmark::State& state) { time_book(state, plan, *contestant, metric == "pmc"); })
      ->Iterations(static_cast<benchmark::IterationCount>(spec.batches))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  for (const auto& [key, value] : fingerprint()) benchmark::AddCustomContext(key, value);
  if (metric == "pmc") report_missing_counters();
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  absl::SetProgramUsageMessage("times one order book on a planned stream");
  absl::ParseCommandLine(argc, argv);
  try {
    llmes::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_hft_macro: %s\n", error.what());
    return 1;
  }
  return 0;
}
