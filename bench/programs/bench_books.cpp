// SPDX-License-Identifier: MIT
//
// Which book is faster, and by how much? Many books on one planned stream, interleaved batch by batch in one run,
// each compared with the base book of the same round.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/contenders/registry.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/call_times.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/passive.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/stamped_replay.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/streams/market_plan.hpp"

ABSL_FLAG(std::vector<std::string>, books, std::vector<std::string>({"core", "reference"}),
          "the books to compare; 'null' and the base are always added; a book named twice runs twice");
ABSL_FLAG(std::string, base, "", "the book that the ratios are over; by default the first of --books");
ABSL_FLAG(
    std::string, stream, "whole",
    "whole: the stream as planned; passive: its image without trades, which the variants of the ablation need");
ABSL_FLAG(std::string, workload, "macro",
          "the stream: macro, wide, classic, fleeting, far or gaps; or many, the feed of a market of many books");
ABSL_FLAG(
    std::string, ids, "",
    "the ids of orders: numbers or permuted; by default permuted for fleeting and gaps, and numbers otherwise");
ABSL_FLAG(std::uint32_t, wander, 1500, "the ticks over which the price of fleeting wanders, up to 131072");
ABSL_FLAG(std::uint32_t, standing, 5000, "the number of resting orders");
ABSL_FLAG(std::uint32_t, symbols, 8900, "the number of books of many, which hold the resting orders together");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each book");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch");
ABSL_FLAG(std::uint32_t, rewarm, 10'000, "untimed events before each batch");
ABSL_FLAG(std::uint32_t, warm_up, 500'000, "untimed events before the first batch");
ABSL_FLAG(std::uint32_t, capacity, 0, "orders that each book has room for, if more than the stream needs");
ABSL_FLAG(std::string, metric, "latency",
          "latency; or instructions: run under callgrind, which counts each window into a file of its own");
ABSL_FLAG(bool, percentiles, false,
          "also time each message alone, in further rounds, on the books whose single calls can be timed");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");
ABSL_FLAG(
    bool, list, false,
    "list the books and stop; with --stream=passive, the variants of the ablation too; with --workload=many, what "
    "holds many books");

namespace llmes::bench {
namespace {

/// The value of a flag that is one of two. Throws std::invalid_argument if it is neither.
std::string one_of(std::string_view flag, const std::string& value, std::string_view a, std::string_view b) {
  if (value == a || value == b) return value;
  throw std::invalid_argument(absl::StrFormat("--%s is %s or %s, not '%s'", flag, a, b, value));
}

bool is_passive() {
  return one_of("stream", absl::GetFlag(FLAGS_stream), "whole", "passive") == "passive";
}

bool is_market() {
  return absl::GetFlag(FLAGS_workload) == "many";
}

/// A book that cannot hold the stream, and why.
struct Refusal {
  std::string book;
  std::string reason;
};

std::unique_ptr<Runner> enter(const std::string& name, const Plan& plan) {
  const BookEntry* entry = find_book(name);
  if (entry == nullptr) throw CannotHold("holds the books of a market");
  return entry->enter(plan);
}

std::unique_ptr<Runner> enter(const std::string& name, const MarketPlan& plan) {
  const MarketEntry* entry = find_market(name);
  if (entry == nullptr) throw CannotHold("holds one instrument");
  return entry->enter(plan);
}

template <class AnyPlan>
std::vector<Row> enter_books(const std::vector<std::string>& names, const AnyPlan& plan,
                             std::vector<Refusal>& refusals) {
  const std::vector<std::string> labels = row_names(names);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::fprintf(stderr, "preparing %s ...\n", labels[i].c_str());
    try {
      rows.push_back({labels[i], enter(names[i], plan)});
      rows.back().runner->start();
    } catch (const CannotHold& refusal) {
      refusals.push_back({labels[i], refusal.what()});
    }
  }
  return rows;
}

/// A book whose messages are timed one by one.
struct CallRow {
  std::string book;
  std::unique_ptr<StampedRunner> runner;
  std::vector<float> calls{};   // nanoseconds between the stamps around each message
  std::vector<float> probes{};  // between two stamps around nothing, right before it
};

/// How many of the rows have calls that can be timed. A book that is there again is timed once.
std::size_t call_row_count(const std::vector<std::string>& names) {
  const std::set<std::string> books(names.begin(), names.end());
  return static_cast<std::size_t>(std::count_if(books.begin(), books.end(), [](const std::string& name) {
    const BookEntry* entry = find_book(name);
    return entry != nullptr && entry->enter_stamped != nullptr;
  }));
}

/// Plays all batches once more, in turns as in the race, with stamps around every message.
std::vector<CallRow> time_calls(const std::vector<Row>& rows, const Plan& plan, const CallClock& clock) {
  std::vector<CallRow> timed;
  for (const Row& row : rows) {
    const BookEntry* entry = find_book(row.book);
    if (entry == nullptr || entry->enter_stamped == nullptr) continue;
    std::fprintf(stderr, "preparing to time the calls of %s ...\n", row.book.c_str());
    timed.push_back({row.book, entry->enter_stamped(plan)});
    timed.back().runner->start();
  }
  std::mt19937_64 engine(plan.spec.seed);
  for (std::size_t round = 0; round < plan.batches.size(); ++round) {
    std::fprintf(stderr, "\rcalls of round %zu of %zu", round + 1, plan.batches.size());
    const std::vector<Scenario> scenarios(plan.batches[round].end - plan.batches[round].begin, Scenario::AnyCall);
    std::vector<CallTicks> ticks(scenarios.size());
    std::shuffle(timed.begin(), timed.end(), engine);
    for (CallRow& row : timed) {
      static_cast<void>(row.runner->time_calls(round, scenarios, clock.source, ticks));
      for (const CallTicks& pair : ticks) {
        row.calls.push_back(static_cast<float>(pair.call * clock.ns_per_tick));
        row.probes.push_back(static_cast<float>(pair.probe * clock.ns_per_tick));
      }
    }
  }
  std::fprintf(stderr, "\n");
  return timed;
}

/// What one row of calls comes to.
struct CallTimes {
  Percentiles calls;
  Percentiles probes;
};

std::map<std::string, CallTimes> sorted(std::vector<CallRow> rows) {
  std::map<std::string, CallTimes> times;
  for (CallRow& row : rows) {
    times.emplace(row.book, CallTimes{Percentiles(std::move(row.calls)), Percentiles(std::move(row.probes))});
  }
  return times;
}

void print_calls(const std::vector<Row>& rows, const std::map<std::string, CallTimes>& times,
                 const CallClock& clock) {
  std::printf("\nsingle messages: nanoseconds by %s, in steps of %.1f or less, the probe included\n\n%-24s",
              clock.name.c_str(), clock.step_ns, "book");
  for (const CallPercentile& percentile : call_percentiles) std::printf(" %9s", percentile.name.data());
  std::printf(" %9s %9s %10s\n", "probe p50", "p99.9", "count");
  for (const Row& row : rows) {
    const auto found = times.find(row.book);
    if (found == times.end()) continue;
    const auto& [calls, probes] = found->second;
    std::printf("%-24s", row.book.c_str());
    for (const CallPercentile& percentile : call_percentiles)
      std::printf(" %9.1f", calls.at(percentile.per_10000));
    std::printf(" %9.1f %9.1f %10zu\n", probes.at(5'000), probes.at(9'990), calls.count());
  }
}

/// The number of rounds in which a book was faster than the base.
std::size_t rounds_won(const std::vector<double>& ratios) {
  return static_cast<std::size_t>(std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1; }));
}

/// The heap of a row in MiB.
double mib(const Row& row) {
  return static_cast<double>(row.runner->peak_bytes()) / (1 << 20);
}

bool is_permuted(const Plan& plan) {
  return plan.spec.ids == Ids::Permuted;
}

/// Of all cancels and modifies.
double share_of_follow_ups(const Census& census, std::uint64_t part) {
  return static_cast<double>(part) /
         static_cast<double>(std::max<std::uint64_t>(1, census.cancels + census.modifies));
}

/// Of the orders that rest.
double share_outside(const Census& census, std::uint64_t part) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, census.located));
}

double mean_lifetime(const Census& census) {
  return static_cast<double>(census.lifetime_sum) /
         static_cast<double>(std::max<std::uint64_t>(1, census.lifetime_count));
}

void print_census(const Plan& plan) {
  const Census census = census_of(plan);
  std::printf("\n%s, standing %zu, %sseed %llu: %zu rounds of %zu events\n", plan.spec.workload.c_str(),
              plan.spec.standing, is_permuted(plan) ? "permuted ids, " : "",
              static_cast<unsigned long long>(plan.spec.seed), plan.batches.size(), plan.spec.batch);
  std::printf(
      "events: %.1f %% add (%.1f %% immediate-or-cancel), %.1f %% cancel, %.1f %% modify, %.1f %% market; "
      "%.4f fills/op; %.2f %% planned misses; %.1f %% of cancels and modifies right after their add, %.1f %% "
      "within "
      "four events\n",
      100 * census.per_event(census.adds), 100 * census.per_event(census.immediate),
      100 * census.per_event(census.cancels), 100 * census.per_event(census.modifies),
      100 * census.per_event(census.markets), census.per_event(census.fills),
      100 * census.per_event(census.misses), 100 * share_of_follow_ups(census, census.at_once),
      100 * share_of_follow_ups(census, census.within_four));
  std::printf(
      "book:   %.1f orders resting on average, %llu at most, on %.1f bid and %.1f ask levels; one side "
      "empty for %.1f %% of events; mean lifetime %.0f events; best prices %lld to %lld\n",
      census.per_event(census.resting_sum), static_cast<unsigned long long>(census.resting_peak),
      census.per_event(census.bid_levels_sum), census.per_event(census.ask_levels_sum),
      100 * census.per_event(census.one_sided), mean_lifetime(census), static_cast<long long>(census.touch_min),
      static_cast<long long>(census.touch_max));
  if (plan.spec.workload == "far") {
    std::printf(
        "        %.1f %% of the orders rest outside of the 4,096 prices around the touch, %.1f %% of 65,536\n",
        100 * share_outside(census, census.outside_4096), 100 * share_outside(census, census.outside_65536));
  }
  if (plan.spec.workload == "gaps") {
    std::printf(
        "        %.1f %% of the events move a best price by more than 64 ticks, %.1f %% by more than 4,096, "
        "by %lld at most\n",
        100 * census.per_event(census.jumps_64), 100 * census.per_event(census.jumps_4096),
        static_cast<long long>(census.jump_max));
  }
  std::printf("\n");
}

/// The occupied levels of a market on average.
double levels_of(const Census& census) {
  return census.per_event(census.bid_levels_sum + census.ask_levels_sum);
}

/// Of the adds that find an order on their side.
double share_near(const MarketCensus& census) {
  return static_cast<double>(census.near) /
         static_cast<double>(std::max<std::uint64_t>(1, census.near + census.far));
}

void print_census(const MarketPlan& plan) {
  const MarketCensus census = census_of(plan);
  std::printf("\nmany, %zu books, standing %zu, seed %llu: %zu rounds of %zu events\n", plan.spec.symbols,
              plan.spec.standing, static_cast<unsigned long long>(plan.spec.seed), plan.batches.size(),
              plan.spec.batch);
  std::printf(
      "events: %.1f %% add (%.1f %% of them within 64 ticks of the best price), %.1f %% cancel, %.1f %% replace, "
      "%.1f %% reduce (%.1f %% take the order off); %.2f %% go to the busiest book, %.4f %% to the one in the "
      "middle\n",
      100 * census.per_event(census.adds), 100 * share_near(census), 100 * census.per_event(census.cancels),
      100 * census.per_event(census.replaces), 100 * census.per_event(census.reduces),
      100 * census.per_event(census.taken_off), 100 * plan.busiest, 100 * plan.median);
  std::printf(
      "books:  %.1f orders resting on average, %llu at most, on %.1f levels, %.1f a book; "
      "a book locked or crossed for %.2f %% of events; mean lifetime %.0f events\n\n",
      census.per_event(census.resting_sum), static_cast<unsigned long long>(census.resting_peak),
      levels_of(census), levels_of(census) / static_cast<double>(plan.spec.symbols),
      100 * census.per_event(census.crossed), mean_lifetime(census));
}

template <class AnyPlan>
void print_table(const std::vector<Row>& rows, const std::vector<Refusal>& refusals, const Row& base,
                 const AnyPlan& plan) {
  print_census(plan);
  std::printf("%-24s %10s %14s   %-18s %8s %10s %12s %10s\n", "book", "ns/op", ("over " + base.book).c_str(),
              "per-round int.", "won", "ops", "allocations", "MiB");
  for (const Row& row : rows) {
    const std::vector<double> ratios = row.ratios_over(base);
    const MedianInterval ratio = median_interval(ratios);
    const Window total = row.total();
    std::printf("%-24s %10.2f %14.3f   %-18s %5zu/%-2zu %10zu %12llu %10.2f\n", row.book.c_str(),
                median_interval(row.times()).median, ratio.median,
                absl::StrFormat("[%.3f, %.3f]", ratio.low, ratio.high).c_str(), rounds_won(ratios), ratios.size(),
                total.events, static_cast<unsigned long long>(total.allocations), mib(row));
  }
  for (const Refusal& refusal : refusals) {
    std::printf("%-24s cannot hold this stream: it %s\n", refusal.book.c_str(), refusal.reason.c_str());
  }
}

#if LLMES_HAS_JSON
nlohmann::ordered_json json_of(const CallTimes& times) {
  nlohmann::ordered_json json{{"count", times.calls.count()}};
  for (const CallPercentile& percentile : call_percentiles) {
    json[std::string(percentile.name)] = times.calls.at(percentile.per_10000);
    json[absl::StrFormat("probe_%s", percentile.name)] = times.probes.at(percentile.per_10000);
  }
  return json;
}
#endif

#if LLMES_HAS_JSON
void describe_windows(nlohmann::ordered_json& artifact, const Plan& plan) {
  if (is_passive()) return;
  for (const Batch& batch : plan.batches) {
    artifact["windows"]["events"].push_back(batch.census.events);
    artifact["windows"]["markets"].push_back(batch.census.markets);
    artifact["windows"]["fills"].push_back(batch.census.fills);
  }
}
void describe_windows(nlohmann::ordered_json& /*artifact*/, const MarketPlan& /*plan*/) {}  // nothing trades

/// What a row says of its stream.
void describe_stream(nlohmann::ordered_json& row, const Plan& plan, const Census& census) {
  row["shares"] = {{"add", census.per_event(census.adds)},
                   {"immediate", census.per_event(census.immediate)},
                   {"cancel", census.per_event(census.cancels)},
                   {"modify", census.per_event(census.modifies)},
                   {"market", census.per_event(census.markets)},
                   {"at_once", share_of_follow_ups(census, census.at_once)},
                   {"within_four", share_of_follow_ups(census, census.within_four)}};
  row["ids"] = is_permuted(plan) ? "permuted" : "numbers";
  if (plan.spec.workload == "fleeting") row["wander"] = plan.spec.wander;
  if (plan.spec.workload == "far") {
    row["outside_4096"] = share_outside(census, census.outside_4096);
    row["outside_65536"] = share_outside(census, census.outside_65536);
  }
  if (plan.spec.workload == "fleeting" || plan.spec.workload == "gaps") {
    row["jumps_64"] = census.per_event(census.jumps_64);
    row["jumps_4096"] = census.per_event(census.jumps_4096);
    row["jump_max"] = census.jump_max;
  }
}
void describe_stream(nlohmann::ordered_json& row, const MarketPlan& plan, const MarketCensus& census) {
  row["symbols"] = plan.spec.symbols;
  row["levels_peak"] = plan.levels;
  row["levels_a_book"] = levels_of(census) / static_cast<double>(plan.spec.symbols);
  row["lifetime"] = mean_lifetime(census);
  row["shares"] = {{"add", census.per_event(census.adds)},
                   {"cancel", census.per_event(census.cancels)},
                   {"replace", census.per_event(census.replaces)},
                   {"reduce", census.per_event(census.reduces)},
                   {"taken_off", census.per_event(census.taken_off)},
                   {"near", share_near(census)},
                   {"crossed", census.per_event(census.crossed)},
                   {"busiest", plan.busiest},
                   {"median", plan.median}};
}
#endif

template <class AnyPlan>
void write_rows(const std::string& path, const std::vector<Row>& rows, const std::vector<Refusal>& refusals,
                const Row& base, const AnyPlan& plan, const std::map<std::string, CallTimes>& calls) {
#if LLMES_HAS_JSON
  const auto census = census_of(plan);
  nlohmann::ordered_json artifact;
  artifact["fingerprint"] = fingerprint();
  describe_windows(artifact, plan);
  artifact["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const std::vector<double> ratios = row.ratios_over(base);
    const MedianInterval ratio = median_interval(ratios);
    nlohmann::ordered_json json = json_of(row, base, census, plan.spec);
    json["ratio_lo"] = ratio.low;
    json["ratio_hi"] = ratio.high;
    json["won"] = rounds_won(ratios);
    json["one_sided"] = census.per_event(census.one_sided);
    if (!is_passive()) json["fills_per_op"] = census.per_event(census.fills);  // `null` makes none
    json["peak_bytes"] = row.runner->peak_bytes();
    json["mib"] = mib(row);
    json["capacity"] = plan.capacity;
    describe_stream(json, plan, census);
    if (const auto found = calls.find(row.book); found != calls.end()) json["calls"] = json_of(found->second);
    artifact["rows"].push_back(std::move(json));
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
  (void)path, (void)rows, (void)refusals, (void)base, (void)plan, (void)calls;  // `require_artifact` has refused
#endif
}

/// Prints nothing: the file reporter of --benchmark_out does the work.
class NoReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Lets Google Benchmark write the finished measurements to the file of --benchmark_out: one iteration a round,
/// with the time of its window. Nothing is measured again.
void report_to_google_benchmark(const std::vector<Row>& rows, const PlanSpec& spec) {
  for (const Row& row : rows) {
    const std::string name = absl::StrFormat("%s/%s/%d", row.book, spec.workload, spec.standing);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&row](benchmark::State& state) {
          std::size_t round = 0;
          for (auto _ : state) state.SetIterationTime(row.windows[round++].seconds);
          state.SetItemsProcessed(static_cast<std::int64_t>(round * row.windows.front().events));
        })
        ->Iterations(static_cast<benchmark::IterationCount>(row.windows.size()))
        ->UseManualTime();
  }
  for (const auto& [key, value] : fingerprint()) benchmark::AddCustomContext(key, value);
  NoReporter quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);
}

/// The names of --books, checked, with the base and `null` added.
std::vector<std::string> book_names(const std::string& base) {
  std::vector<std::string> names = absl::GetFlag(FLAGS_books);
  for (const std::string& extra : {base, std::string("null")}) {
    if (std::find(names.begin(), names.end(), extra) == names.end()) names.insert(names.begin(), extra);
  }
  for (const std::string& name : names) {
    const BookEntry* entry = find_book(name);
    if (entry == nullptr && find_market(name) != nullptr) continue;
    if (!is_passive() || entry == nullptr) entry = &find_trading_book(name);
    if (is_passive() && entry->scans) {
      throw std::invalid_argument("'" + name +
                                  "' starts each batch from a snapshot, which a passive stream lacks");
    }
  }
  return names;
}

void list_books() {
  if (is_market()) {
    for (const MarketEntry& entry : all_markets()) {
      std::printf("%-24.*s %.*s\n", static_cast<int>(entry.name.size()), entry.name.data(),
                  static_cast<int>(entry.what.size()), entry.what.data());
    }
    return;
  }
  for (const BookEntry& entry : all_books()) {
    if (entry.without && !is_passive()) continue;
    std::printf("%-24.*s %.*s\n", static_cast<int>(entry.name.size()), entry.name.data(),
                static_cast<int>(entry.what.size()), entry.what.data());
  }
}

std::optional<CallgrindCounters> counters_of_flags() {
  std::optional<CallgrindCounters> counters;
  const std::string metric = one_of("metric", absl::GetFlag(FLAGS_metric), "latency", "instructions");
  if (metric == "instructions") counters.emplace();
  return counters;
}

std::optional<Ids> ids_of_flag() {
  const std::string ids = absl::GetFlag(FLAGS_ids);
  if (ids.empty()) return std::nullopt;
  return one_of("ids", ids, "numbers", "permuted") == "numbers" ? Ids::Numbers : Ids::Permuted;
}

PlanSpec spec_of_flags(const std::vector<std::string>& books) {
  if (absl::GetFlag(FLAGS_rounds) == 0) throw std::invalid_argument("--rounds must be at least 1");
  return {.workload = absl::GetFlag(FLAGS_workload),
          .standing = absl::GetFlag(FLAGS_standing),
          .seed = absl::GetFlag(FLAGS_seed),
          .batches = absl::GetFlag(FLAGS_rounds),
          .batch = absl::GetFlag(FLAGS_batch),
          .rewarm = absl::GetFlag(FLAGS_rewarm),
          .warm_up = absl::GetFlag(FLAGS_warm_up),
          .snapshots = std::any_of(books.begin(), books.end(),
                                   [](const auto& name) {
                                     const BookEntry* entry = find_book(name);
                                     return entry != nullptr && entry->scans;
                                   }),
          .ids = ids_of_flag(),
          .wander = absl::GetFlag(FLAGS_wander)};
}

/// The row of the base, which must be there.
const Row& row_of(const std::string& base, const std::vector<Row>& rows, const std::vector<Refusal>& refusals) {
  for (const Row& row : rows) {
    if (row.book == base) return row;
  }
  for (const Refusal& refusal : refusals) {
    if (refusal.book == base) {
      throw std::runtime_error("the base, " + base + ", cannot hold this stream: it " + refusal.reason);
    }
  }
  throw std::logic_error("the base has no row");
}

/// Prints and writes what a race has shown.
template <class AnyPlan>
void report(const std::vector<Row>& rows, const std::vector<Refusal>& refusals, const Row& base,
            const AnyPlan& plan, const std::map<std::string, CallTimes>& calls,
            const std::optional<CallClock>& clock) {
  print_table(rows, refusals, base, plan);
  if (clock) print_calls(rows, calls, *clock);
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty()) {
    write_rows(path, rows, refusals, base, plan, calls);
  }
  if (!google_benchmark_flags().out.empty()) report_to_google_benchmark(rows, plan.spec);
}

void run_market(const PlanSpec& spec, const std::vector<std::string>& names, const std::string& base,
                std::optional<CallgrindCounters>& counters) {
  if (is_passive()) throw std::invalid_argument("many is passive as it is: leave out --stream");
  if (spec.ids) throw std::invalid_argument("the references of many are its own: leave out --ids");
  if (absl::GetFlag(FLAGS_percentiles))
    throw std::invalid_argument("--percentiles has no single messages of many");
  const MarketSpec market{spec, absl::GetFlag(FLAGS_symbols)};
  require_memory("rounds", spec.batches, [&](std::size_t rounds) {
    MarketSpec other = market;
    other.batches = rounds;
    return bytes_to_play(other, names.size());
  });
  std::fprintf(stderr, "planning many ...\n");
  MarketPlan plan = make_market_plan(market);
  plan.capacity = std::max<std::size_t>(plan.capacity, absl::GetFlag(FLAGS_capacity));

  std::vector<Refusal> refusals;
  std::vector<Row> rows = enter_books(names, plan, refusals);
  const Row& base_row = row_of(base, rows, refusals);
  race(rows, spec.batches, spec.seed, counters ? &*counters : nullptr);
  report(rows, refusals, base_row, plan, {}, {});
}

void run() {
  if (absl::GetFlag(FLAGS_list)) return list_books();
  require_elements("books", absl::GetFlag(FLAGS_books), "core,phase10; --list names the books");
  require_artifact(absl::GetFlag(FLAGS_out));
  const std::string base =
      absl::GetFlag(FLAGS_base).empty() ? absl::GetFlag(FLAGS_books).front() : absl::GetFlag(FLAGS_base);
  const std::vector<std::string> names = book_names(base);
  const PlanSpec spec = spec_of_flags(names);
  std::optional<CallgrindCounters> counters = counters_of_flags();
  if (is_market()) return run_market(spec, names, base, counters);
  const std::size_t call_rows = absl::GetFlag(FLAGS_percentiles) ? call_row_count(names) : 0;
  if (call_rows > 0 && counters) throw std::invalid_argument("--percentiles needs --metric=latency");
  require_memory("rounds", spec.batches, [&](std::size_t rounds) {
    const double timed_calls = static_cast<double>(call_rows * rounds) * static_cast<double>(spec.batch);
    return bytes_to_play(with_batches(spec, rounds), names.size() + call_rows) + 2 * sizeof(float) * timed_calls;
  });
  std::fprintf(stderr, "planning %s ...\n", spec.workload.c_str());
  Plan plan = make_plan(spec);
  if (is_passive()) plan = passive_image(std::move(plan));
  plan.capacity = std::max<std::size_t>(plan.capacity, absl::GetFlag(FLAGS_capacity));

  std::vector<Refusal> refusals;
  std::vector<Row> rows = enter_books(names, plan, refusals);
  const Row& base_row = row_of(base, rows, refusals);
  race(rows, spec.batches, spec.seed, counters ? &*counters : nullptr);

  std::map<std::string, CallTimes> calls;
  std::optional<CallClock> clock;
  if (call_rows > 0) {
    clock = choose_call_clock();
    calls = sorted(time_calls(rows, plan, *clock));
  }
  report(rows, refusals, base_row, plan, calls, clock);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "compares order books, interleaved on one planned stream",
       .example = "--books=core,core_span,phase10 --workload=wide --rounds=50 --out=wide.json",
       .run = llmes::bench::run,
       .google_benchmark = true});
}
