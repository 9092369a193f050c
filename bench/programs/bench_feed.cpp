// SPDX-License-Identifier: MIT
//
// How fast are the books of a whole venue built from its ITCH messages? Many feeds on one tape, a synthetic day or
// a file, interleaved window by window in one run, each compared with the base of the same round; and then the
// percentiles of single messages, by operation.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/call_times.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/programs/feed/feed_plan.hpp"
#include "bench/programs/feed/feed_replay.hpp"
#include "bench/programs/feed/registry.hpp"
#include "bench/programs/feed/workers.hpp"
#include "bench/streams/dbn_day.hpp"
#include "bench/streams/itch_day.hpp"
#include "examples/support/itch_file.hpp"

ABSL_FLAG(std::uint32_t, messages, 20'000'000, "messages of the synthetic day, or the most of a file");
ABSL_FLAG(std::uint32_t, symbols, 8'907, "symbols of the synthetic day");
ABSL_FLAG(
    bool, fine, false,
    "a third of the symbols of the synthetic day trade in half pennies, and one of a hundred in hundredths of "
    "a cent, instead of cents");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the synthetic day, and of the order in which the rows take turns");
ABSL_FLAG(std::uint32_t, rounds, 100, "the windows that the tape is cut into behind its first tenth, untimed");
ABSL_FLAG(std::vector<std::string>, rows,
          std::vector<std::string>({"feed", "feed_batch", "tree_hash", "vector_levels", "btree", "btree_huge",
                                    "map_seq", "map_seq_huge", "aggregates", "parse"}),
          "the feeds to compare; 'null' and the base are always added");
ABSL_FLAG(
    std::vector<std::string>, workers, {},
    "numbers of threads among which the symbols are spread, such as 1,2: a row feed_workers_N for each, with one "
    "more thread that reads the tape");
ABSL_FLAG(std::string, base, "tree_hash", "the row that the ratios are over");
ABSL_FLAG(std::string, file, "",
          "a file of ITCH 5.0 messages behind their lengths (a BinaryFILE), packed by gzip or not, instead of the "
          "synthetic day");
ABSL_FLAG(std::string, write, "",
          "only write the synthetic day to this file, as --file reads it; as DBN to one that ends in .dbn");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");
ABSL_FLAG(bool, list, false, "list the rows and stop");

namespace llmes::bench {
namespace {

constexpr double mebibyte = 1 << 20;

ItchDaySpec spec_of_flags() {
  return {.messages = absl::GetFlag(FLAGS_messages),
          .symbols = absl::GetFlag(FLAGS_symbols),
          .seed = absl::GetFlag(FLAGS_seed),
          .has_fine_symbols = absl::GetFlag(FLAGS_fine)};
}

/// About how many bytes it takes to make the day, or to read a file of as many messages, and to play it on so many
/// feeds.
double bytes_to_play(std::size_t messages, std::size_t symbols, std::size_t rows) {
  constexpr double bytes_a_message = 64;  // of the tape, twice, as it grows
  constexpr double bytes_an_order = 300;  // that rests, in a feed; most take less
  const double resting = std::min(216.0 * static_cast<double>(symbols), 0.1 * static_cast<double>(messages));
  const double calls = sizeof(CallTicks) + 2 * sizeof(float);
  // The makers of the day and of the plan keep books too, and a number for each order.
  return static_cast<double>(messages) * (bytes_a_message + 8 + calls * static_cast<double>(rows)) +
         bytes_an_order * resting * static_cast<double>(rows + 2);
}

// ---- The tape.

struct Tape {
  std::string source;
  std::vector<std::byte> bytes;
  std::optional<ItchDay> day{};  // without its tape
};

/// The first messages of a file, or all of it.
Tape read_tape(const std::string& path, std::size_t messages) {
  Tape tape{path, {}};
  const auto append = [&](std::span<const std::byte> bytes) {
    tape.bytes.insert(tape.bytes.end(), bytes.begin(), bytes.end());
  };
  const auto take = [&](std::span<const itch::MessageBytes> found) {
    found = found.first(std::min(found.size(), messages));
    for (const itch::MessageBytes message : found) {
      const itch::Field<std::uint16_t> size = static_cast<std::uint16_t>(message.size());
      append(std::as_bytes(std::span(&size, 1)));
      append(message);
    }
    messages -= found.size();
    return messages > 0;
  };
  if (const auto fault = read_itch_file(path, take)) throw std::runtime_error("cannot read " + *fault);
  return tape;
}

Tape make_tape(const ItchDaySpec& spec) {
  std::fprintf(stderr, "making a day of %zu messages about %zu symbols ...\n", spec.messages, spec.symbols);
  Tape tape{"synthetic", {}, make_itch_day(spec)};
  tape.bytes = std::move(tape.day->tape);
  return tape;
}

/// The plan must come to what the maker of the day knows of it.
void check_plan(const FeedPlan& plan, const Tape& tape) {
  if (!tape.day || tape.day->checkpoints.empty()) return;
  const ItchCheckpoint& last = tape.day->checkpoints.back();
  if (plan.best != last.best || plan.resting_end != last.resting || plan.final_queues != tape.day->final_queues) {
    throw std::logic_error("the plan and the day that it was made from differ");
  }
}

// ---- The race, and the times of single messages.

FeedRunner& feed_of(const Row& row) {
  return static_cast<FeedRunner&>(*row.runner);
}

std::vector<Row> enter_feeds(const std::vector<std::string>& names, const std::vector<std::size_t>& workers,
                             const FeedPlan& plan) {
  std::vector<Row> rows;
  const auto enter = [&](const std::string& label, const auto& make) {
    std::fprintf(stderr, "preparing %s ...\n", label.c_str());
    try {
      std::unique_ptr<FeedRunner> feed = make();
      feed->prove();
      feed->start();
      rows.push_back({label, std::move(feed)});
    } catch (const std::exception& error) {
      throw std::runtime_error(absl::StrFormat("%s is refused: %s", label, error.what()));
    }
  };
  const std::vector<std::string> labels = row_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) enter(labels[i], [&] { return find_feed(names[i]).enter(plan); });
  for (const std::size_t count : workers) {
    enter(absl::StrFormat("feed_workers_%d", count), [&] { return std::make_unique<WorkersReplay>(plan, count); });
  }
  return rows;
}

/// Nanoseconds of the messages of one operation, and of the probes beside them.
struct OperationTimes {
  Percentiles calls;
  Percentiles probes;
};
/// By operation, without those that the tape does not have.
using FeedTimes = std::array<std::optional<OperationTimes>, feed_operations>;

FeedTimes sorted(FeedCalls calls, const CallClock& clock) {
  FeedTimes times;
  for (std::size_t operation = 0; operation < feed_operations; ++operation) {
    if (calls[operation].empty()) continue;
    std::vector<float> call_times, probe_times;
    for (const CallTicks& ticks : calls[operation]) {
      call_times.push_back(static_cast<float>(ticks.call * clock.ns_per_tick));
      probe_times.push_back(static_cast<float>(ticks.probe * clock.ns_per_tick));
    }
    times[operation].emplace(
        OperationTimes{Percentiles(std::move(call_times)), Percentiles(std::move(probe_times))});
    calls[operation] = {};
  }
  return times;
}

/// Plays the tape once more, in turns as in the race, with stamps around every message about an order. One for
/// each row: none for those that take spans.
std::vector<std::optional<FeedTimes>> time_calls(const std::vector<Row>& rows, const FeedPlan& plan,
                                                 std::uint64_t seed, const CallClock& clock) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!feed_of(rows[row]).has_calls()) continue;
    std::fprintf(stderr, "preparing to time the messages of %s ...\n", rows[row].book.c_str());
    rows[row].runner->start();
    order.push_back(row);
  }
  std::mt19937_64 engine(seed);
  std::vector<FeedCalls> calls(rows.size());
  for (std::size_t round = 0; round < plan.windows.size(); ++round) {
    std::fprintf(stderr, "\rmessages of round %zu of %zu", round + 1, plan.windows.size());
    std::shuffle(order.begin(), order.end(), engine);
    for (const std::size_t row : order) feed_of(rows[row]).time_calls(round, clock.source, calls[row]);
  }
  std::fprintf(stderr, "\n");
  std::vector<std::optional<FeedTimes>> times(rows.size());
  for (const std::size_t row : order) times[row] = sorted(std::move(calls[row]), clock);
  return times;
}

// ---- What is told of it.

struct FeedPercentile {
  std::string_view name;
  std::size_t per_10000;
};
constexpr FeedPercentile feed_percentiles[] = {
    {"p50", 5'000}, {"p95", 9'500}, {"p99", 9'900}, {"p999", 9'990}, {"max", 10'000}};
/// Of a curve, which a plot is made of.
constexpr std::size_t curve_per_10000[] = {5'000, 6'000, 7'000, 8'000, 9'000, 9'500, 9'750,
                                           9'900, 9'950, 9'980, 9'990, 9'995, 9'998, 9'999};

double mib(const Row& row) {
  return static_cast<double>(row.runner->peak_bytes()) / mebibyte;
}

std::size_t timed_messages(const FeedPlan& plan) {
  std::size_t messages = 0;
  for (const FeedWindow& window : plan.windows) messages += window.timed.messages;
  return messages;
}

void print_tape(const FeedPlan& plan, const Tape& tape) {
  std::printf("\n%s: %zu messages, %.1f MiB; up to %zu orders rest on up to %zu levels of %zu symbols\n",
              tape.source.c_str(), plan.messages, static_cast<double>(tape.bytes.size()) / mebibyte,
              plan.resting_peak, plan.config.levels - 1, plan.config.books - 1);
  std::printf("timed: %zu messages in %zu windows behind the first tenth, each behind %zu untimed ones\n\n",
              timed_messages(plan), plan.windows.size(), plan.windows.front().rewarm.messages);
  if (tape.day) std::printf("%s\n", mix_table(tape.day->census).c_str());
}

void print_table(const std::vector<Row>& rows, const Row& base) {
  std::printf("%-18s %12s %16s   %-18s %12s %10s\n", "row", "ns/message", ("over " + base.book).c_str(),
              "95 % interval", "allocations", "MiB");
  for (const Row& row : rows) {
    const MedianInterval ratio = median_interval(row.ratios_over(base));
    std::printf("%-18s %12.2f %16.3f   %-18s %12llu %10.1f\n", row.book.c_str(),
                median_interval(row.times()).median, ratio.median,
                absl::StrFormat("[%.3f, %.3f]", ratio.low, ratio.high).c_str(),
                static_cast<unsigned long long>(row.total().allocations), mib(row));
  }
}

void print_workers(const std::vector<std::size_t>& workers) {
  if (workers.empty()) return;
  const unsigned cores = std::thread::hardware_concurrency();
  std::printf("\nfeed_workers_N: N threads, and one that reads the tape; this machine has %u cores. ", cores);
  if (cores < 2) {
    std::printf("No such row has a core for each thread.\n");
  } else {
    std::printf("Only rows up to feed_workers_%u have a core for each thread.\n", cores - 1);
  }
}

void print_calls(const std::vector<Row>& rows, const std::vector<std::optional<FeedTimes>>& times,
                 const CallClock& clock) {
  std::printf("\nsingle messages: nanoseconds by %s, in steps of %.1f or less, the probe included\n\n%-18s %-8s",
              clock.name.c_str(), clock.step_ns, "row", "");
  for (const FeedPercentile& percentile : feed_percentiles) std::printf(" %10s", percentile.name.data());
  std::printf(" %10s %8s %10s\n", "probe p50", "p999", "count");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!times[row]) continue;
    for (std::size_t operation = 0; operation < feed_operations; ++operation) {
      const std::optional<OperationTimes>& found = (*times[row])[operation];
      if (!found) continue;
      std::printf("%-18s %-8s", rows[row].book.c_str(), feed_operation_names[operation].data());
      for (const FeedPercentile& percentile : feed_percentiles)
        std::printf(" %10.0f", found->calls.at(percentile.per_10000));
      std::printf(" %10.0f %8.0f %10zu\n", found->probes.at(5'000), found->probes.at(9'990), found->calls.count());
    }
  }
}

#if LLMES_HAS_JSON
nlohmann::ordered_json json_of(const Percentiles& percentiles, double scale) {
  nlohmann::ordered_json json;
  for (const FeedPercentile& percentile : feed_percentiles) {
    json[std::string(percentile.name)] = percentiles.at(percentile.per_10000) * scale;
  }
  return json;
}

nlohmann::ordered_json json_of(const OperationTimes& times, const CallClock& clock) {
  nlohmann::ordered_json json{
      {"count", times.calls.count()}, {"ns", json_of(times.calls, 1)}, {"probe_ns", json_of(times.probes, 1)}};
  // Ticks of a counter at a fixed rate, which is that of the processor's cycles or near it.
  if (clock.source == StampSource::Tsc) {
    json["cycles"] = json_of(times.calls, 1 / clock.ns_per_tick);
    json["probe_cycles"] = json_of(times.probes, 1 / clock.ns_per_tick);
  }
  for (const std::size_t per_10000 : curve_per_10000) {
    json["curve"].push_back({static_cast<double>(per_10000) / 100, times.calls.at(per_10000)});
    json["probe_curve"].push_back({static_cast<double>(per_10000) / 100, times.probes.at(per_10000)});
  }
  return json;
}

nlohmann::ordered_json json_of(const FeedPlan& plan, const Tape& tape) {
  nlohmann::ordered_json json{{"source", tape.source},
                              {"messages", plan.messages},
                              {"bytes", tape.bytes.size()},
                              {"timed", timed_messages(plan)},
                              {"rewarm", plan.windows.front().rewarm.messages},
                              {"symbols", plan.config.books - 1},
                              {"resting_peak", plan.resting_peak},
                              {"levels_peak", plan.config.levels - 1},
                              {"digest", absl::StrFormat("%016x", plan.best.checksum)}};
  if (tape.day) {
    json["seed"] = absl::GetFlag(FLAGS_seed);
    json["fine"] = absl::GetFlag(FLAGS_fine);
  }
  for (std::size_t operation = 0; operation < feed_operations; ++operation) {
    std::size_t count = 0;
    for (const FeedWindow& window : plan.windows) count += window.timed.operations[operation];
    json["operations"][std::string(feed_operation_names[operation])] = count;
  }
  return json;
}
#endif

void write_rows(const std::string& path, const std::vector<Row>& rows, const Row& base,
                const std::vector<std::optional<FeedTimes>>& times, const CallClock& clock, const FeedPlan& plan,
                const Tape& tape) {
#if LLMES_HAS_JSON
  nlohmann::ordered_json artifact{
      {"fingerprint", fingerprint()}, {"tape", json_of(plan, tape)}, {"base", base.book}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::vector<double> ratios = row.ratios_over(base);
    const MedianInterval ratio = median_interval(ratios);
    nlohmann::ordered_json json{{"row", row.book},
                                {"rounds", row.windows.size()},
                                {"ns_per_message", median_interval(row.times()).median},
                                {"ratio", ratio.median},
                                {"ratio_lo", ratio.low},
                                {"ratio_hi", ratio.high},
                                {"mib", mib(row)},
                                {"peak_bytes", row.runner->peak_bytes()},
                                {"allocations", row.total().allocations},
                                {"times", row.times()},
                                {"ratios", ratios}};
    for (std::size_t operation = 0; times[i] && operation < feed_operations; ++operation) {
      const std::optional<OperationTimes>& found = (*times[i])[operation];
      if (found) json["operations"][std::string(feed_operation_names[operation])] = json_of(*found, clock);
    }
    artifact["rows"].push_back(std::move(json));
  }
  write_artifact(path, artifact);
#else
  (void)path, (void)rows, (void)base, (void)times, (void)clock, (void)plan, (void)tape;  // `require_artifact`
#endif
}

// ---- The program.

/// The names of --rows, checked, with the base and `null` added.
std::vector<std::string> names_of_flags() {
  std::vector<std::string> names = absl::GetFlag(FLAGS_rows);
  require_elements("rows", names, "feed_batch,tree_hash; --list names the rows");
  for (const std::string& extra : {absl::GetFlag(FLAGS_base), std::string("null")}) {
    if (std::find(names.begin(), names.end(), extra) == names.end()) names.insert(names.begin(), extra);
  }
  for (const std::string& name : names) static_cast<void>(find_feed(name));
  return names;
}

std::vector<std::size_t> workers_of_flags() {
  const std::vector<std::string> texts = absl::GetFlag(FLAGS_workers);
  std::vector<std::size_t> workers;
  for (const std::string& text : texts) {
    std::size_t count = 0;
    if (!absl::SimpleAtoi(text, &count) || count == 0 || count > feed_workers_max) {
      throw std::invalid_argument(
          absl::StrFormat("--workers are numbers from 1 to %d, not '%s'", feed_workers_max, text));
    }
    if (std::find(workers.begin(), workers.end(), count) != workers.end()) {
      throw std::invalid_argument(absl::StrFormat("--workers names %d twice", count));
    }
    workers.push_back(count);
  }
  return workers;
}

void list_rows() {
  for (const FeedEntry& entry : all_feeds()) {
    std::printf("%-18.*s %.*s\n", static_cast<int>(entry.name.size()), entry.name.data(),
                static_cast<int>(entry.what.size()), entry.what.data());
  }
}

void write_tape(const std::string& path) {
  require_writable(path);
  Tape tape = make_tape(spec_of_flags());
  if (path.ends_with(".dbn")) tape.bytes = make_dbn_day(tape.bytes);
  write_whole(path, [&](std::ostream& file) {
    file.write(reinterpret_cast<const char*>(tape.bytes.data()), static_cast<std::streamsize>(tape.bytes.size()));
  });
  std::printf("%s\n", mix_table(tape.day->census).c_str());
}

void run() {
  if (absl::GetFlag(FLAGS_list)) return list_rows();
  const std::string out = absl::GetFlag(FLAGS_out);
  const std::string file = absl::GetFlag(FLAGS_file);
  const std::string write = absl::GetFlag(FLAGS_write);
  require_artifact(out);
  const std::vector<std::string> names = names_of_flags();
  const std::vector<std::size_t> workers = workers_of_flags();
  const std::size_t rounds = absl::GetFlag(FLAGS_rounds);
  if (rounds == 0) throw std::invalid_argument("--rounds must be at least 1");
  if (!file.empty() && !write.empty()) {
    throw std::invalid_argument("--write writes the synthetic day; leave out --file");
  }
  const std::size_t messages = absl::GetFlag(FLAGS_messages);
  const std::size_t symbols = file.empty() ? absl::GetFlag(FLAGS_symbols) : std::size_t{1} << 16;
  require_memory("messages", messages, [&](std::size_t count) {
    return bytes_to_play(count, symbols, write.empty() ? names.size() + workers.size() : 0);
  });
  if (!write.empty()) return write_tape(write);

  const Tape tape = file.empty() ? make_tape(spec_of_flags()) : read_tape(file, messages);
  std::fprintf(stderr, "planning ...\n");
  const FeedPlan plan = make_feed_plan(tape.bytes, rounds);
  check_plan(plan, tape);

  std::vector<Row> rows = enter_feeds(names, workers, plan);
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  race(rows, rounds, seed, nullptr);
  const CallClock clock = choose_call_clock();
  const std::vector<std::optional<FeedTimes>> times = time_calls(rows, plan, seed, clock);

  const Row& base = *std::find_if(rows.begin(), rows.end(),
                                  [](const Row& row) { return row.book == absl::GetFlag(FLAGS_base); });
  print_tape(plan, tape);
  print_table(rows, base);
  print_workers(workers);
  print_calls(rows, times, clock);
  if (!out.empty()) write_rows(out, rows, base, times, clock, plan, tape);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "compares ways to build the books of a venue from its ITCH messages",
       .example = "--rows=feed,feed_batch,btree_huge --messages=5000000 --out=feed.json",
       .run = llmes::bench::run});
}
