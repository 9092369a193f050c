// SPDX-License-Identifier: MIT
//
// What does one operation cost? One book plays one planned stream, with one timed window a batch. For Google
// Benchmark an iteration is a batch.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/contenders/registry.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"

ABSL_FLAG(std::string, book, "core", "the book to time; bench_books --list names them");
ABSL_FLAG(std::string, workload, "macro", "the stream: macro, wide, classic, fleeting, far or gaps");
ABSL_FLAG(std::uint32_t, standing, 5000, "the number of resting orders");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::uint32_t, batches, 20, "timed batches in a repetition");
ABSL_FLAG(
    std::string, metric, "latency",
    "latency; pmc: counts of the processor and the kernel, per operation; instructions: their exact number, "
    "run by scripts/local/instructions.sh; sample: where the time goes, run by scripts/local/perf_record.sh");
ABSL_FLAG(std::string, perf_control, "", "for --metric=sample: the fifo from which perf reads commands");
ABSL_FLAG(std::string, perf_ack, "", "for --metric=sample: the fifo to which perf writes its answers");

namespace llmes::bench {
namespace {

/// A table for the console. Its first figure is the time of an operation, where Google Benchmark has that of an
/// iteration; the time of the processor is left out, since it covers what is not timed.
class OperationsFirst final : public benchmark::ConsoleReporter {
 protected:
  void PrintHeader(const Run&) override {
    const std::string header =
        absl::StrFormat("%10s %-*s %12s %8s  per operation; resting and levels: means; allocations: all", "ns/op",
                        static_cast<int>(name_field_width_), "benchmark", "us/batch", "batches");
    const std::string line(header.size(), '-');
    GetOutputStream() << line << '\n' << header << '\n' << line << '\n';
  }
  void PrintRunData(const Run& run) override {
    const bool is_share = run.aggregate_unit == benchmark::kPercentage;  // of repetitions: how much they vary
    const auto number = [&](double value) {
      return is_share ? absl::StrFormat("%.2f %%", 100 * value) : absl::StrFormat("%.2f", value);
    };
    std::ostream& out = GetOutputStream();
    out << absl::StrFormat("%10s %-*s %12s %8d ", number(run.counters.at("ns/op")),
                           static_cast<int>(name_field_width_), run.benchmark_name(),
                           number(is_share ? run.real_accumulated_time : run.GetAdjustedRealTime()),
                           run.iterations);
    for (const auto& [name, counter] : run.counters) {
      if (name != "ns/op") out << absl::StrFormat(" %s=%.6g", name, counter.value);
    }
    out << '\n';
  }
};

/// Plays the batches; `counters` may be null. Returns the number of operations in their windows.
std::size_t time_book(benchmark::State& state, const Plan& plan, Runner& runner, CounterSource* counters) {
  Census census;
  double seconds = 0;
  std::uint64_t allocations = 0;
  std::size_t events = 0;  // of the windows; fewer than in the census for a book that scans
  runner.start();
  std::size_t index = 0;
  for (auto _ : state) {
    const Window window = runner.run(index, counters);
    state.SetIterationTime(window.seconds);
    seconds += window.seconds;
    events += window.events;
    allocations += window.allocations;
    census.add(plan.batches[index++].census);
  }
  state.counters["ns/op"] = seconds * 1e9 / static_cast<double>(events);
  state.counters["resting"] = census.per_event(census.resting_sum);
  state.counters["levels"] = census.per_event(census.bid_levels_sum + census.ask_levels_sum);
  state.counters["fills/op"] = census.per_event(census.fills);
  state.counters["adds"] = census.per_event(census.adds);
  state.counters["cancels"] = census.per_event(census.cancels);
  state.counters["modifies"] = census.per_event(census.modifies);
  state.counters["markets"] = census.per_event(census.markets);
  state.counters["allocations"] = static_cast<double>(allocations);
  return events;
}

/// One repetition, with what the metric counts besides time. All repetitions share `notes`.
void measure(benchmark::State& state, const Plan& plan, Runner& runner, const std::string& title,
             const std::string& metric, std::set<std::string>& notes) {
  if (metric == "pmc") {
    PerfCounters counters;
    const std::size_t operations = time_book(state, plan, runner, &counters);
    const PerfCounters::Counts counts = counters.counts();
    for (const auto& [name, value] : per_operation(counts, operations)) state.counters[name] = value;
    notes.merge(remarks(counts));
  } else if (metric == "instructions") {
    CallgrindCounters counters;
    const std::size_t operations = time_book(state, plan, runner, &counters);
    counters.dump(absl::StrFormat("%s: %d operations", title, operations));
  } else if (metric == "sample") {
    PerfControl control(absl::GetFlag(FLAGS_perf_control), absl::GetFlag(FLAGS_perf_ack));
    time_book(state, plan, runner, &control);
  } else {
    time_book(state, plan, runner, nullptr);
  }
}

void run() {
  const std::string name = absl::GetFlag(FLAGS_book);
  const std::string metric = absl::GetFlag(FLAGS_metric);
  const BookEntry& entry = find_trading_book(name);
  if (metric != "latency" && metric != "pmc" && metric != "instructions" && metric != "sample") {
    throw std::invalid_argument("--metric is latency, pmc, instructions or sample, not '" + metric + "'");
  }
  // Fail before the planning, not after it.
  if (metric == "instructions") CallgrindCounters{};
  if (metric == "sample") PerfControl(absl::GetFlag(FLAGS_perf_control), absl::GetFlag(FLAGS_perf_ack));
  if (absl::GetFlag(FLAGS_batches) == 0) throw std::invalid_argument("--batches must be at least 1");

  const PlanSpec spec{.workload = absl::GetFlag(FLAGS_workload),
                      .standing = absl::GetFlag(FLAGS_standing),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_batches),
                      .batch = absl::GetFlag(FLAGS_batch),
                      .snapshots = entry.scans};
  require_memory("batches", spec.batches,
                 [&](std::size_t batches) { return bytes_to_play(with_batches(spec, batches), 1); });
  std::fprintf(stderr, "planning %s ...\n", spec.workload.c_str());
  const Plan plan = make_plan(spec);
  const std::unique_ptr<Runner> runner = entry.enter(plan);

  const std::string title =
      absl::StrFormat("hft_macro/%s/%s/%d/seed:%d", name, spec.workload, spec.standing, spec.seed);
  std::set<std::string> notes;
  benchmark::RegisterBenchmark(
      title.c_str(), [&](benchmark::State& state) { measure(state, plan, *runner, title, metric, notes); })
      ->Iterations(static_cast<benchmark::IterationCount>(spec.batches))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  for (const auto& [key, value] : fingerprint()) benchmark::AddCustomContext(key, value);
  OperationsFirst table;
  const std::string& format = google_benchmark_flags().format;  // the library makes all but this one
  const bool is_table = format.empty() || format == "console";
  benchmark::RunSpecifiedBenchmarks(is_table ? &table : nullptr);
  for (const std::string& note : notes) std::fprintf(stderr, "%s\n", note.c_str());
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "times one order book on a planned stream",
       .example = "--book=core --workload=wide --benchmark_repetitions=5 --benchmark_out=wide.json",
       .run = llmes::bench::run,
       .google_benchmark = true});
}
