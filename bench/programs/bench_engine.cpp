// SPDX-License-Identifier: MIT
//
// How long does an engine take as its user feels it? An open loop: messages are due at fixed rates, whether or not
// the engine keeps up, and the time from when a message was due is told beside the time that it took. Then what
// the engine does at most, in turns with the same work in one thread.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/programs/engine/arrivals.hpp"
#include "bench/programs/engine/engine_service.hpp"
#include "bench/programs/engine/instrument_service.hpp"
#include "bench/programs/engine/latency_table.hpp"
#include "bench/programs/engine/order_flow.hpp"
#include "bench/programs/engine/recovery.hpp"

ABSL_FLAG(std::vector<std::string>, rates,
          std::vector<std::string>({"125000", "250000", "500000", "1000000", "2000000", "4000000", "8000000",
                                    "16000000"}),
          "messages a second of the open loop");
ABSL_FLAG(std::vector<std::string>, arrivals, std::vector<std::string>({"poisson", "bursty"}),
          "how they come: poisson, or bursty, in bursts of 16 on average");
ABSL_FLAG(std::uint32_t, seconds, 2, "length of the open loop at each rate");
ABSL_FLAG(std::uint32_t, messages, 4'000'000, "the most messages of it: at high rates it is shorter");
ABSL_FLAG(
    std::string, workload, "macro",
    "the stream of each book: macro, or gaps, whose best prices jump by up to a million ticks; the instruments "
    "have a stream of their own");
ABSL_FLAG(std::uint32_t, symbols, 256, "books");
ABSL_FLAG(std::uint32_t, standing, 500, "resting orders that each book is held near");
ABSL_FLAG(std::uint32_t, warm_up, 100'000, "untimed messages before each run");
ABSL_FLAG(std::uint64_t, seed, 1,
          "seed of the flow, of the arrivals and of the order in which the rows take turns");
ABSL_FLAG(std::string, journal, "none",
          "what an acknowledged command survives in the open loop: none, process or machine");
ABSL_FLAG(std::string, journal_folder, ".", "a folder on the disk for the journals, which are removed again");
ABSL_FLAG(std::string, wait, "yield",
          "how a thread waits for the other one: spin, yield (which spins a little first) or block");
ABSL_FLAG(std::uint32_t, rounds, 20, "rounds at saturation");
ABSL_FLAG(std::uint32_t, batch, 500'000, "messages of each round at saturation");
ABSL_FLAG(std::vector<std::string>, parts,
          std::vector<std::string>({"ladder", "saturation", "instruments", "recovery"}),
          "what to measure: ladder and saturation of the engine; instruments, which is both of the other case");
ABSL_FLAG(std::string, out, "", "write the tables as JSON to this file");
ABSL_FLAG(std::string, hgrm, "", "write the distributions to files for plotters of HDR histograms in this folder");

namespace llmes::bench {
namespace {

// ---- What was asked for.

struct Options {
  std::vector<double> rates;
  std::vector<std::string> arrivals;
  std::size_t seconds;
  std::size_t most_messages;
  std::size_t rounds;
  std::size_t batch;
  bool ladder;
  bool saturation;
  bool instruments;
  bool recovery;
  std::string out;
  std::string hgrm;
  EngineOptions engine;
  OrderFlowSpec flow;

  /// The messages of the open loop at a rate.
  [[nodiscard]] std::size_t messages_at(double rate) const {
    return std::min(most_messages, static_cast<std::size_t>(rate * static_cast<double>(seconds)));
  }
  [[nodiscard]] bool plays_due() const { return ladder || instruments; }
  [[nodiscard]] bool plays_all() const { return saturation || instruments; }
  /// One command at a time takes much longer, so there are fewer of them.
  [[nodiscard]] std::size_t single_batch() const { return std::max<std::size_t>(1, batch / 10); }
};

std::vector<double> read_rates() {
  const std::vector<std::string> texts = absl::GetFlag(FLAGS_rates);
  require_elements("rates", texts, "125000,1000000");
  std::vector<double> rates;
  for (const std::string& text : texts) {
    std::uint64_t rate = 0;
    if (!absl::SimpleAtoi(text, &rate) || rate == 0) {
      throw std::invalid_argument("--rates: '" + text + "' is no number of messages a second");
    }
    rates.push_back(static_cast<double>(rate));
  }
  return rates;
}

Durability read_durability() {
  const std::string name = absl::GetFlag(FLAGS_journal);
  if (name == "none") return Durability::None;
  if (name == "process") return Durability::Process;
  if (name == "machine") return Durability::Machine;
  throw std::invalid_argument("--journal is none, process or machine, not '" + name + "'");
}

bool is_one_of(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Options read_options() {
  const std::vector<std::string> parts = absl::GetFlag(FLAGS_parts);
  require_elements("parts", parts, "ladder,saturation");
  for (const std::string& part : parts) {
    if (!is_one_of({"ladder", "saturation", "instruments", "recovery"}, part)) {
      throw std::invalid_argument("--parts: no part is called " + part);
    }
  }
  Options options{.rates = read_rates(),
                  .arrivals = absl::GetFlag(FLAGS_arrivals),
                  .seconds = absl::GetFlag(FLAGS_seconds),
                  .most_messages = absl::GetFlag(FLAGS_messages),
                  .rounds = absl::GetFlag(FLAGS_rounds),
                  .batch = absl::GetFlag(FLAGS_batch),
                  .ladder = is_one_of(parts, "ladder"),
                  .saturation = is_one_of(parts, "saturation"),
                  .instruments = is_one_of(parts, "instruments"),
                  .recovery = is_one_of(parts, "recovery"),
                  .out = absl::GetFlag(FLAGS_out),
                  .hgrm = absl::GetFlag(FLAGS_hgrm),
                  .engine = {.wait = absl::GetFlag(FLAGS_wait),
                             .cores = TwoCores::choose(),
                             .journal = read_durability(),
                             .journal_folder = absl::GetFlag(FLAGS_journal_folder)},
                  .flow = {.workload = absl::GetFlag(FLAGS_workload),
                           .symbols = absl::GetFlag(FLAGS_symbols),
                           .standing = absl::GetFlag(FLAGS_standing),
                           .warm_up = absl::GetFlag(FLAGS_warm_up),
                           .seed = absl::GetFlag(FLAGS_seed)}};
  require_elements("arrivals", options.arrivals, "poisson,bursty");
  for (const std::string& arrivals : options.arrivals) static_cast<void>(arrival_times(arrivals, 1, 0, 1));
  if (!is_one_of({"spin", "yield", "block"}, options.engine.wait)) {
    throw std::invalid_argument("--wait is spin, yield or block, not '" + options.engine.wait + "'");
  }
  if (options.seconds == 0) throw std::invalid_argument("--seconds must be at least 1");
  if (options.most_messages == 0) throw std::invalid_argument("--messages must be at least 1");
  if (options.batch == 0) throw std::invalid_argument("--batch must be at least 1");
  if (options.rounds == 0) throw std::invalid_argument("--rounds must be at least 1");
  options.flow.messages = options.recovery ? options.most_messages : 0;
  if (options.plays_all()) options.flow.messages = std::max(options.flow.messages, options.batch);
  if (options.plays_due()) {
    for (const double rate : options.rates)
      options.flow.messages = std::max(options.flow.messages, options.messages_at(rate));
  }
  return options;
}

constexpr std::size_t recovery_rounds = 3;

/// The lengths of all that will be played.
std::vector<std::size_t> counts_of(const Options& options) {
  std::vector<std::size_t> counts;
  if (options.plays_due()) {
    for (const double rate : options.rates) counts.push_back(options.messages_at(rate));
  }
  if (options.plays_all()) counts.insert(counts.end(), {options.batch, options.single_batch()});
  return counts;
}

// ---- What is played.

/// The digest of the answers, by the number of messages.
using Expected = std::map<std::size_t, Digest>;

/// Throws std::runtime_error if it is not the work that was planned, or if anything was allocated.
void check(const Window& window, const Expected& expected) {
  if (window.digest != expected.at(window.events)) {
    throw std::runtime_error("the answers are not those of the planned work");
  }
  if (window.allocations != 0) {
    throw std::runtime_error(absl::StrFormat("%d allocations while the clock ran", window.allocations));
  }
}

/// A way to play the flow, by name.
struct Way {
  std::string name;
  std::function<std::unique_ptr<Service>()> make;
  bool singly = false;
};

struct Rung {
  std::string way;
  std::string arrivals;
  double rate;
  Window window;
  Percentiles service;
  Percentiles due_to_done;

  [[nodiscard]] double achieved() const { return static_cast<double>(window.events) / window.seconds; }
};

std::vector<Rung> climb(const Options& options, const std::vector<Way>& ways, const Expected& expected) {
  std::vector<Rung> rungs;
  for (const std::string& arrivals : options.arrivals) {
    for (const double rate : options.rates) {
      const std::vector<std::uint64_t> due =
          arrival_times(arrivals, rate, options.messages_at(rate), options.flow.seed);
      for (const Way& way : ways) {
        std::fprintf(stderr, "%s, %s at %.0f a second ...\n", way.name.c_str(), arrivals.c_str(), rate);
        const std::unique_ptr<Service> service = way.make();
        Latencies latencies;
        latencies.resize(due.size());
        const Window window = service->play_due(due, latencies);
        check(window, expected);
        rungs.push_back({way.name, arrivals, rate, window, Percentiles(std::move(latencies.service)),
                         Percentiles(std::move(latencies.due_to_done))});
      }
    }
  }
  return rungs;
}

/// Plays the same messages in every round, on books made anew: what does not play does not exist meanwhile.
class Saturated final : public Runner {
 public:
  Saturated(Way way, std::size_t messages, const Expected& expected)
      : way_(std::move(way)), messages_(messages), expected_(expected) {}

  void start() override {}
  Window run(std::size_t /*index*/, CounterSource* /*counters*/) override {
    const std::unique_ptr<Service> service = way_.make();
    const Window window = way_.singly ? service->play_singly(messages_) : service->play_all(messages_);
    check(window, expected_);
    return window;
  }
  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }

 private:
  Way way_;
  std::size_t messages_;
  const Expected& expected_;
};

std::vector<Row> saturate(const Options& options, const std::vector<Way>& ways, const Expected& expected) {
  std::vector<Row> rows;
  for (const Way& way : ways) {
    const std::size_t messages = way.singly ? options.single_batch() : options.batch;
    rows.push_back({way.name, std::make_unique<Saturated>(way, messages, expected)});
  }
  race(rows, options.rounds, options.flow.seed, nullptr);
  return rows;
}

// ---- What is told of it.

constexpr std::string_view type_names[FlowCensus::types] = {"add limit", "add market", "cancel",
                                                            "modify",    "reduce",     "replace"};

std::string threads_line(const Options& options) {
  const std::string waits = "threads wait by " + options.engine.wait;
  if (!options.engine.cores) return "not pinned: only one core is allowed; " + waits;
  return absl::StrFormat("client on core %d, the other thread on core %d; %s", options.engine.cores->client,
                         options.engine.cores->server, waits);
}

void print_flow(const Options& options, const OrderFlow& flow) {
  const FlowCensus& census = flow.census;
  std::printf(
      "\n%zu books of %s, seed %llu: %.0f orders rest on %.0f levels on average, %zu at the peak; the busiest "
      "book "
      "gets %.1f %% of the messages\n",
      flow.spec.symbols, flow.spec.workload.c_str(), static_cast<unsigned long long>(flow.spec.seed),
      census.resting, census.levels, census.resting_peak, 100 * census.busiest);
  std::printf("%.3f fills a message, %llu of %zu rejected;", census.per_message(ReportKind::Executed),
              static_cast<unsigned long long>(census.rejected), census.messages);
  for (std::size_t type = 0; type < FlowCensus::types; ++type) {
    if (census.of_type[type] == 0) continue;
    std::printf(" %.1f %% %s",
                100.0 * static_cast<double>(census.of_type[type]) / static_cast<double>(census.messages),
                type_names[type].data());
  }
  std::printf(
      "\n%.1f %% of the messages move a best price by more than 64 ticks, %.1f %% by more than 4,096, by %lld at "
      "most",
      100 * census.jumps_64, 100 * census.jumps_4096, static_cast<long long>(census.jump_max));
  std::printf("\njournal %s; %s\n", absl::GetFlag(FLAGS_journal).c_str(), threads_line(options).c_str());
}

void print_latencies(const Percentiles& percentiles, const char* name) {
  std::printf("  %-12s", name);
  for (const LatencyPercentile& percentile : latency_percentiles)
    std::printf(" %11.0f", percentiles.at(percentile.per_10000));
  std::printf("\n");
}

void print_ladder(const std::vector<Rung>& rungs) {
  std::printf("\nopen loop, nanoseconds%28s", "");
  for (const LatencyPercentile& percentile : latency_percentiles) std::printf(" %11s", percentile.name.data());
  std::printf("\n");
  for (const Rung& rung : rungs) {
    std::printf("%-18s %-8s %10.0f a second, achieved %.0f, %llu allocations\n", rung.way.c_str(),
                rung.arrivals.c_str(), rung.rate, rung.achieved(),
                static_cast<unsigned long long>(rung.window.allocations));
    print_latencies(rung.service, "service");
    print_latencies(rung.due_to_done, "due to done");
  }
}

const Row& row_of(const std::vector<Row>& rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.book == name; });
}

std::string with_interval(const MedianInterval& interval) {
  return absl::StrFormat("%.3f [%.3f, %.3f]", interval.median, interval.low, interval.high);
}

/// `base` is the row that the ratios are over.
void print_saturation(const std::vector<Row>& rows, const Row& base) {
  std::printf("\n%-20s %12s %14s   %-26s %12s\n", "at saturation", "ns/message", "a second",
              ("over " + base.book).c_str(), "allocations");
  for (const Row& row : rows) {
    const double time = median_interval(row.times()).median;
    std::printf("%-20s %12.1f %14.0f   %-26s %12llu\n", row.book.c_str(), time, 1e9 / time,
                with_interval(median_interval(row.ratios_over(base))).c_str(),
                static_cast<unsigned long long>(row.total().allocations));
  }
}

void print_targets(const std::vector<Row>& rows) {
  const Row& engine = row_of(rows, "engine");
  const auto rate_over_engine = [&](std::string_view name) {
    return with_interval(median_interval(engine.ratios_over(row_of(rows, name))));
  };
  std::printf("\ntargets\n");
  std::printf("  time of engine over one_thread        at most  1.5: %s\n",
              with_interval(median_interval(engine.ratios_over(row_of(rows, "one_thread")))).c_str());
  std::printf("  rate of engine_process over engine    at least 0.7: %s\n",
              rate_over_engine("engine_process").c_str());
  std::printf("  rate of engine_machine over engine    at least 0.5: %s\n",
              rate_over_engine("engine_machine").c_str());
}

void print_recovery(const RecoveryTimes& times) {
  std::printf("\nrecovery of %zu commands, %zu orders at the end; records %.0f MiB, snapshot %.0f MiB\n",
              times.commands, times.resting, static_cast<double>(times.journal_bytes) / 0x1p20,
              static_cast<double>(times.snapshot_bytes) / 0x1p20);
  for (const auto& [name, seconds] :
       {std::pair{"from the journal", &times.from_journal}, std::pair{"make a snapshot", &times.make_snapshot},
        std::pair{"from the snapshot", &times.from_snapshot}}) {
    std::printf("  %-18s %.3f s\n", name, median_interval(*seconds).median);
  }
}

void write_distributions(const std::string& folder, const std::vector<Rung>& rungs) {
  for (const Rung& rung : rungs) {
    for (const auto& [column, percentiles] :
         {std::pair{"service", &rung.service}, std::pair{"due_to_done", &rung.due_to_done}}) {
      const std::string name =
          absl::StrFormat("%s/%s-%s-%.0f-%s.hgrm", folder, rung.way, rung.arrivals, rung.rate, column);
      write_whole(name, [&](std::ostream& file) { write_hgrm(file, *percentiles); });
    }
  }
}

#if LLMES_HAS_JSON
nlohmann::ordered_json json_of(const Percentiles& percentiles) {
  nlohmann::ordered_json json;
  for (const LatencyPercentile& percentile : latency_percentiles)
    json[std::string(percentile.name)] = percentiles.at(percentile.per_10000);
  for (const CurvePoint& point : curve_of(percentiles))
    json["curve"].push_back(
        {static_cast<double>(point.count) / static_cast<double>(percentiles.count()), point.value});
  return json;
}

nlohmann::ordered_json json_of(const Rung& rung, const Options& options) {
  return {{"way", rung.way},
          {"arrivals", rung.arrivals},
          {"rate", rung.rate},
          {"achieved", rung.achieved()},
          {"messages", rung.window.events},
          {"journal", absl::GetFlag(FLAGS_journal)},
          {"wait", options.engine.wait},
          {"service_ns", json_of(rung.service)},
          {"due_to_done_ns", json_of(rung.due_to_done)},
          {"allocations", rung.window.allocations},
          {"digest", absl::StrFormat("%016x", rung.window.digest.checksum)}};
}

nlohmann::ordered_json json_of(const Row& row, const Row& base) {
  const double time = median_interval(row.times()).median;
  const MedianInterval ratio = median_interval(row.ratios_over(base));
  return {{"row", row.book},
          {"rounds", row.windows.size()},
          {"messages", row.windows.front().events},
          {"ns_per_message", time},
          {"rate", 1e9 / time},
          {"ratio", ratio.median},
          {"ratio_lo", ratio.low},
          {"ratio_hi", ratio.high},
          {"times", row.times()},
          {"allocations", row.total().allocations}};
}

nlohmann::ordered_json json_of(const OrderFlow& flow) {
  const FlowCensus& census = flow.census;
  nlohmann::ordered_json json{
      {"workload", flow.spec.workload}, {"symbols", flow.spec.symbols},
      {"standing", flow.spec.standing}, {"seed", flow.spec.seed},
      {"messages", census.messages},    {"warm_up", flow.warm_up},
      {"resting_avg", census.resting},  {"resting_peak", census.resting_peak},
      {"levels_avg", census.levels},    {"fills_per_message", census.per_message(ReportKind::Executed)},
      {"rejected", census.rejected},    {"busiest_share", census.busiest},
      {"jumps_64", census.jumps_64},    {"jumps_4096", census.jumps_4096},
      {"jump_max", census.jump_max}};
  for (std::size_t i = 0; i < FlowCensus::types; ++i) {
    json["commands"][std::string(type_names[i])] = census.of_type[i];
  }
  for (std::size_t i = 0; i < FlowCensus::kinds; ++i) {
    json["reports"][std::string(to_string(static_cast<ReportKind>(i)))] = census.of_report[i];
  }
  return json;
}

nlohmann::ordered_json json_of(const RecoveryTimes& times) {
  return {{"commands", times.commands},           {"resting", times.resting},
          {"journal_bytes", times.journal_bytes}, {"snapshot_bytes", times.snapshot_bytes},
          {"from_journal", times.from_journal},   {"make_snapshot", times.make_snapshot},
          {"from_snapshot", times.from_snapshot}};
}

nlohmann::ordered_json json_of(const Options& options) {
  nlohmann::ordered_json json{{"wait", options.engine.wait}, {"pinned", options.engine.cores.has_value()}};
  if (options.engine.cores) {
    json["client_core"] = options.engine.cores->client;
    json["engine_core"] = options.engine.cores->server;
  }
  return json;
}
#endif

/// What was found of one of the two cases.
struct Found {
  std::vector<Rung> rungs;
  std::vector<Row> rows;
};

#if LLMES_HAS_JSON
void add_found(nlohmann::ordered_json& json, const Found& found, std::string_view base, const Options& options) {
  json["rows"] = nlohmann::ordered_json::array();
  for (const Rung& rung : found.rungs) json["rows"].push_back(json_of(rung, options));
  for (const Row& row : found.rows) json["saturation"].push_back(json_of(row, row_of(found.rows, base)));
}
#endif

// ---- The two cases.

Found play_engine(const Options& options, const OrderFlow& flow) {
  const auto engine_with = [&](Durability journal) {
    EngineOptions engine = options.engine;
    engine.journal = journal;
    return [&flow, engine] { return make_engine_service(flow, engine); };
  };
  const Way one_thread{"one_thread", [&] { return make_one_thread_service(flow); }};
  Found found;
  if (options.ladder) {
    found.rungs = climb(options, {one_thread, {"engine", engine_with(options.engine.journal)}}, flow.expected);
    print_ladder(found.rungs);
  }
  if (options.saturation) {
    found.rows = saturate(options,
                          {one_thread,
                           {"engine", engine_with(Durability::None)},
                           {"engine_process", engine_with(Durability::Process)},
                           {"engine_machine", engine_with(Durability::Machine)},
                           {"pingpong", engine_with(Durability::None), true}},
                          flow.expected);
    print_saturation(found.rows, row_of(found.rows, "one_thread"));
    print_targets(found.rows);
  }
  return found;
}

Found play_instruments(const Options& options, const InstrumentFlow& flow) {
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, MessageForm form) {
    ways.push_back({name + "_one_thread", [&flow, form] { return make_one_thread_instruments(flow, form); }});
    ways.push_back({name, [&, form] { return make_instrument_service(flow, form, options.engine); }});
  };
  add("binary", MessageForm::Binary);
  if (has_json_parser()) {
    add("json", MessageForm::Json);
  } else {
    std::printf("\nno rows of JSON text: built without simdjson; install libsimdjson-dev and build again\n");
  }
  Found found;
  found.rungs = climb(options, ways, flow.expected);
  print_ladder(found.rungs);
  found.rows = saturate(options, ways, flow.expected);
  print_saturation(found.rows, row_of(found.rows, "binary_one_thread"));
  return found;
}

// ---- The program.

void run() {
  const Options options = read_options();
  require_artifact(options.out);
  if (!options.hgrm.empty()) std::filesystem::create_directories(options.hgrm);
  require_memory("messages", options.flow.messages, [&](std::size_t messages) {
    OrderFlowSpec spec = options.flow;
    spec.messages = messages;
    return bytes_to_play(spec);
  });
#if LLMES_HAS_JSON
  nlohmann::ordered_json artifact{
      {"fingerprint", fingerprint()}, {"threads", json_of(options)}, {"journal", absl::GetFlag(FLAGS_journal)}};
#endif
  const OnCore client(options.engine.cores ? std::optional(options.engine.cores->client) : std::nullopt);
  const auto keep = [&](const Found& found) {
    if (!options.hgrm.empty()) write_distributions(options.hgrm, found.rungs);
  };
  if (options.ladder || options.saturation || options.recovery) {
    std::fprintf(stderr, "planning ...\n");
    const OrderFlow flow = make_order_flow(options.flow, counts_of(options));
    print_flow(options, flow);
    const Found found = play_engine(options, flow);
    keep(found);
#if LLMES_HAS_JSON
    artifact["flow"] = json_of(flow);
    add_found(artifact, found, "one_thread", options);
#endif
    if (options.recovery) {
      std::fprintf(stderr, "recovering ...\n");
      const RecoveryTimes times = time_recovery(flow, options.engine.journal_folder, recovery_rounds);
      print_recovery(times);
#if LLMES_HAS_JSON
      artifact["recovery"] = json_of(times);
#endif
    }
  }
  if (options.instruments) {
    std::fprintf(stderr, "planning the messages about instruments ...\n");
    const InstrumentFlow flow = make_instrument_flow(options.flow, counts_of(options), has_json_parser());
    std::printf("\n%zu instruments: %.0f orders rest on average, on up to %zu levels; %s\n", options.flow.symbols,
                flow.resting, flow.levels_peak, threads_line(options).c_str());
    const Found found = play_instruments(options, flow);
    keep(found);
#if LLMES_HAS_JSON
    artifact["instruments"]["flow"] = {
        {"symbols", options.flow.symbols}, {"resting_avg", flow.resting}, {"levels_peak", flow.levels_peak}};
    add_found(artifact["instruments"], found, "binary_one_thread", options);
#endif
  }
#if LLMES_HAS_JSON
  if (!options.out.empty()) write_artifact(options.out, artifact);
#endif
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "measures the latency of an engine under load, and what it does at most",
       .example = "--rates=250000,1000000 --seconds=5 --out=engine.json --hgrm=distributions",
       .run = llmes::bench::run});
}
