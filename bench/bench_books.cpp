// SPDX-License-Identifier: MIT
//
// Which book is faster, and by how much? Many books on one planned stream, interleaved batch by batch in one run,
// each compared with the base book of the same round.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/books/registry.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/fingerprint.hpp"
#include "bench/harness/passive.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/race_flags.hpp"
#include "bench/harness/statistics.hpp"

ABSL_FLAG(std::vector<std::string>, books, std::vector<std::string>({"core", "reference"}),
          "the books to compare; 'null' and the base are always among them");
ABSL_FLAG(std::string, base, "", "the book the ratios are over; the first of --books if not given");
ABSL_FLAG(
    std::string, stream, "whole",
    "whole: the stream as planned; passive: its image without trades, which the variants of the ablation need");
ABSL_FLAG(std::uint32_t, rewarm, 10'000, "untimed events before each batch");
ABSL_FLAG(std::uint32_t, warm_up, 500'000, "untimed events before the first batch");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");
ABSL_FLAG(std::uint32_t, capacity, 0, "orders that each book has room for, if more than the stream needs");
ABSL_FLAG(bool, list, false, "name the books and stop; with --stream=passive, the variants of the ablation too");

namespace llmes::bench {
namespace {

bool is_passive() {
  return one_of(FLAGS_stream, "stream", "whole", "passive") == "passive";
}

/// A book that has no place for the stream, and why.
struct Refusal {
  std::string book;
  std::string reason;
};

std::vector<Entrant> enter_books(const std::vector<std::string>& names, const Plan& plan,
                                 std::vector<Refusal>& refusals) {
  std::vector<Entrant> entrants;
  for (const std::string& name : names) {
    std::fprintf(stderr, "learning the handles of %s ...\n", name.c_str());
    try {
      entrants.push_back({name, find_book(name)->enter(plan)});
      entrants.back().runner->start();
    } catch (const CannotHold& refusal) {
      refusals.push_back({name, refusal.what()});
    }
  }
  return entrants;
}

/// The rounds in which it was faster than the base.
std::size_t rounds_won(const Row& row) {
  return static_cast<std::size_t>(
      std::count_if(row.ratios.begin(), row.ratios.end(), [](double r) { return r < 1; }));
}

void print_table(const std::vector<Row>& rows, const std::vector<Refusal>& refusals, const std::string& base,
                 const Plan& plan) {
  const Census census = census_of(plan);
  std::printf("\n%s, standing %zu, seed %llu: %zu rounds of %zu events\n", plan.spec.workload.c_str(),
              plan.spec.standing, static_cast<unsigned long long>(plan.spec.seed), plan.batches.size(),
              plan.spec.batch);
  std::printf(
      "events: %.1f %% add (%.1f %% immediate-or-cancel), %.1f %% cancel, %.1f %% modify, %.1f %% market; "
      "%.4f fills/op; %.2f %% planned misses\n",
      100 * census.per_event(census.adds), 100 * census.per_event(census.immediate),
      100 * census.per_event(census.cancels), 100 * census.per_event(census.modifies),
      100 * census.per_event(census.markets), census.per_event(census.fills),
      100 * census.per_event(census.misses));
  std::printf(
      "book:   %.1f orders resting on average, %llu at most, on %.1f bid and %.1f ask levels; one side "
      "empty for %.1f %% of events; mean lifetime %.0f events; best prices %lld to %lld\n\n",
      census.per_event(census.resting_sum), static_cast<unsigned long long>(census.resting_peak),
      census.per_event(census.bid_levels_sum), census.per_event(census.ask_levels_sum),
      100 * census.per_event(census.one_sided),
      static_cast<double>(census.lifetime_sum) /
          static_cast<double>(std::max<std::uint64_t>(1, census.lifetime_count)),
      static_cast<long long>(census.touch_min), static_cast<long long>(census.touch_max));
  std::printf("%-16s %10s %14s   %-18s %8s %10s %12s %10s\n", "book", "ns/op", ("over " + base).c_str(),
              "95 % interval", "won", "ops", "allocations", "MiB");
  for (const Row& row : rows) {
    const MedianInterval ratio = median_interval(row.ratios);
    std::printf("%-16s %10.2f %14.3f   %-18s %5zu/%-2zu %10zu %12llu %10.2f\n", row.book.c_str(),
                median_interval(row.times).median, ratio.median,
                absl::StrFormat("[%.3f, %.3f]", ratio.low, ratio.high).c_str(), rounds_won(row), row.ratios.size(),
                row.events, static_cast<unsigned long long>(row.allocations),
                static_cast<double>(row.peak_bytes) / (1 << 20));
  }
  for (const Refusal& refusal : refusals) {
    std::printf("%-16s cannot hold this stream: it %s\n", refusal.book.c_str(), refusal.reason.c_str());
  }
}

void write_rows(const std::string& path, const std::vector<Row>& rows, const std::vector<Refusal>& refusals,
                const Plan& plan) {
#if LLMES_HAS_JSON
  const Census census = census_of(plan);
  nlohmann::ordered_json artifact;
  artifact["fingerprint"] = fingerprint();
  artifact["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const MedianInterval ratio = median_interval(row.ratios);
    nlohmann::ordered_json json = json_of(row, census, plan.spec);
    json["ratio_lo"] = ratio.low;
    json["ratio_hi"] = ratio.high;
    json["won"] = rounds_won(row);
    json["one_sided"] = census.per_event(census.one_sided);
    if (!is_passive()) json["fills_per_op"] = census.per_event(census.fills);  // `null` makes none
    json["peak_bytes"] = row.peak_bytes;
    json["capacity"] = plan.capacity;
    json["shares"] = {{"add", census.per_event(census.adds)},
                      {"immediate", census.per_event(census.immediate)},
                      {"cancel", census.per_event(census.cancels)},
                      {"modify", census.per_event(census.modifies)},
                      {"market", census.per_event(census.markets)}};
    artifact["rows"].push_back(std::move(json));
  }
  if (!is_passive()) {
    for (const Batch& batch : plan.batches) {
      artifact["windows"]["events"].push_back(batch.census.events);
      artifact["windows"]["markets"].push_back(batch.census.markets);
      artifact["windows"]["fills"].push_back(batch.census.fills);
    }
  }
  for (const Refusal& refusal : refusals) {
    artifact["rows"].push_back({{"book", refusal.book},
                                {"workload", plan.spec.workload},
                                {"standing", plan.spec.standing},
                                {"seed", plan.spec.seed},
                                {"refused", refusal.reason}});
  }
  write_artifact(path, artifact);
#else
  (void)rows, (void)refusals, (void)plan;
  throw std::runtime_error("cannot write " + path +
                           ": built without a JSON library; install nlohmann-json3-dev and build again");
#endif
}

/// Hands the measured times to Google Benchmark, which repeats nothing: its reporters and their JSON see one
/// iteration a round, with the time of its window.
class NoReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};
void report_to_google_benchmark(const std::vector<Entrant>& entrants, const Plan& plan) {
  for (const Entrant& entrant : entrants) {
    const std::string name = absl::StrFormat("%s/%s/%d", entrant.name, plan.spec.workload, plan.spec.standing);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&entrant](benchmark::State& state) {
          std::size_t round = 0;
          for (auto _ : state) state.SetIterationTime(entrant.windows[round++].seconds);
          state.SetItemsProcessed(static_cast<std::int64_t>(round * entrant.windows.front().events));
        })
        ->Iterations(static_cast<benchmark::IterationCount>(entrant.windows.size()))
        ->UseManualTime();
  }
  for (const auto& [key, value] : fingerprint()) benchmark::AddCustomContext(key, value);
  NoReporter quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);
}

/// The names asked for, checked, with the base and `null` among them.
std::vector<std::string> book_names(const std::string& base) {
  std::vector<std::string> names = absl::GetFlag(FLAGS_books);
  for (const std::string& extra : {base, std::string("null")}) {
    if (std::find(names.begin(), names.end(), extra) == names.end()) names.insert(names.begin(), extra);
  }
  for (const std::string& name : names) {
    const BookEntry* entry = find_book(name);
    if (entry == nullptr) throw std::invalid_argument("no book is called '" + name + "'; --list names them");
    if (!is_passive() && !entry->without.value_or("").empty()) {
      throw std::invalid_argument("'" + name + "' cannot trade; it needs --stream=passive");
    }
    if (is_passive() && entry->scans) {
      throw std::invalid_argument("'" + name +
                                  "' starts each batch from a snapshot, which a passive stream lacks");
    }
  }
  return names;
}

void list() {
  for (const BookEntry& entry : all_books()) {
    if (entry.without && !is_passive()) continue;
    std::printf("%-16.*s %.*s\n", static_cast<int>(entry.name.size()), entry.name.data(),
                static_cast<int>(entry.what.size()), entry.what.data());
  }
}

void run() {
  const std::string base =
      absl::GetFlag(FLAGS_base).empty() ? absl::GetFlag(FLAGS_books).at(0) : absl::GetFlag(FLAGS_base);
  const std::vector<std::string> names = book_names(base);
  PlanSpec spec = spec_of_flags();
  std::optional<CallgrindCounters> counters = counters_of_flags();
  spec.rewarm = absl::GetFlag(FLAGS_rewarm);
  spec.warm_up = absl::GetFlag(FLAGS_warm_up);
  spec.snapshots =
      std::any_of(names.begin(), names.end(), [](const auto& name) { return find_book(name)->scans; });
  std::fprintf(stderr, "planning %s ...\n", spec.workload.c_str());
  Plan plan = make_plan(spec);
  if (is_passive()) plan = passive_image(std::move(plan));
  plan.capacity = std::max<std::size_t>(plan.capacity, absl::GetFlag(FLAGS_capacity));

  std::vector<Refusal> refusals;
  std::vector<Entrant> entrants = enter_books(names, plan, refusals);
  const auto base_entrant =
      std::find_if(entrants.begin(), entrants.end(), [&](const Entrant& entrant) { return entrant.name == base; });
  if (base_entrant == entrants.end()) throw std::runtime_error("the base, " + base + ", cannot hold this stream");
  race(entrants, spec.batches, spec.seed, counters ? &*counters : nullptr);

  std::vector<Row> rows;
  for (const Entrant& entrant : entrants) rows.push_back(row_of(entrant, *base_entrant));
  print_table(rows, refusals, base, plan);
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty()) write_rows(path, rows, refusals, plan);
  report_to_google_benchmark(entrants, plan);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  absl::SetProgramUsageMessage("compares order books, interleaved on one planned stream");
  absl::ParseCommandLine(argc, argv);
  try {
    if (absl::GetFlag(FLAGS_list)) {
      llmes::bench::list();
    } else {
      llmes::bench::run();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_books: %s\n", error.what());
    return 1;
  }
  return 0;
}
