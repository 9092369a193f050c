// SPDX-License-Identifier: MIT
//
// Which calls are slow, and why? One book plays one planned stream, with a pair of time stamps around each add
// that rests and each cancel, and keeps a record of each. Calls that cross, market orders and modifies are not
// timed. Every other batch is played without stamps, which shows how much they distort.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/contenders/registry.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/call_times.hpp"
#include "bench/harness/call_traits.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/stamped_replay.hpp"
#include "bench/harness/statistics.hpp"

#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

ABSL_FLAG(std::string, book, "core", "the book whose calls are timed; any other name lists those that can be");
ABSL_FLAG(std::string, workload, "macro", "the stream: macro, wide, classic or fleeting");
ABSL_FLAG(std::uint32_t, standing, 5000, "the number of resting orders");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the stream");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a batch");
ABSL_FLAG(std::uint32_t, batches, 20, "batches with stamps; as many again run without");
ABSL_FLAG(std::string, out, "", "write the percentiles as JSON to this file");
ABSL_FLAG(std::string, records, "", "write a record of each timed call to this file");

namespace llmes::bench {
namespace {

struct Measured {
  std::vector<CallRecord> records{};
  double plain_ns_per_op = 0;    // in batches without stamps, all calls
  double stamped_ns_per_op = 0;  // in batches with stamps, all calls and all stamps
};

Measured measure(const Plan& plan, StampedRunner& runner, const CallClock& stamps) {
  const std::vector<CallTraits> traits = trace_calls(plan);
  Measured measured;
  Window plain, stamped;
  runner.start();
  for (std::size_t index = 0; index < plan.batches.size(); ++index) {
    std::fprintf(stderr, "\rbatch %zu of %zu", index + 1, plan.batches.size());
    const Batch& batch = plan.batches[index];
    if (index % 2 == 0) {
      const Window window = runner.run(index, nullptr);
      plain.seconds += window.seconds;
      plain.events += window.events;
      continue;
    }
    std::vector<Scenario> scenarios;
    for (std::size_t i = batch.begin; i < batch.end; ++i) scenarios.push_back(traits[i].scenario);
    std::vector<CallTicks> ticks(scenarios.size());
    const Window window = runner.time_calls(index, scenarios, stamps.source, ticks);
    stamped.seconds += window.seconds;
    stamped.events += window.events;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (scenarios[i] == Scenario::Untimed) continue;
      const CallTraits& call = traits[batch.begin + i];
      measured.records.push_back({.ns = static_cast<float>(ticks[i].call * stamps.ns_per_tick),
                                  .probe_ns = static_cast<float>(ticks[i].probe * stamps.ns_per_tick),
                                  .event = static_cast<std::uint32_t>(batch.begin + i),
                                  .level_age = call.level_age,
                                  .slot_age = call.slot_age,
                                  .distance = call.distance,
                                  .queue = call.queue,
                                  .scenario = call.scenario,
                                  .path = call.path,
                                  .batch = static_cast<std::uint16_t>(index)});
    }
  }
  std::fprintf(stderr, "\n");
  measured.plain_ns_per_op = plain.seconds * 1e9 / static_cast<double>(plain.events);
  measured.stamped_ns_per_op = stamped.seconds * 1e9 / static_cast<double>(stamped.events);
  return measured;
}

/// One of the two times of each record that `wanted` accepts.
template <class Wanted>
std::vector<float> times(const std::vector<CallRecord>& records, float CallRecord::*time, Wanted wanted) {
  std::vector<float> values;
  for (const CallRecord& record : records) {
    if (wanted(record)) values.push_back(record.*time);
  }
  return values;
}

/// The percentiles of one scenario, and of the probes beside its calls.
struct ScenarioTimes {
  Scenario scenario;
  Percentiles calls;
  Percentiles probe;
};

std::vector<ScenarioTimes> make_rows(const std::vector<CallRecord>& records) {
  std::vector<ScenarioTimes> rows;
  for (std::size_t i = 0; i < scenario_names.size(); ++i) {
    const auto scenario = static_cast<Scenario>(i);
    const auto wanted = [&](const CallRecord& record) { return record.scenario == scenario; };
    std::vector<float> calls = times(records, &CallRecord::ns, wanted);
    if (calls.empty()) continue;
    rows.push_back(
        {scenario, Percentiles(std::move(calls)), Percentiles(times(records, &CallRecord::probe_ns, wanted))});
  }
  return rows;
}

std::string_view name_of(Scenario scenario) {
  return scenario_names[static_cast<std::size_t>(scenario)];
}

void print_percentiles(std::string_view name, const Percentiles& values) {
  absl::PrintF("%-14s %9d %9.1f", name, values.count(), values.mean99());
  for (const auto& [_, per_10000] : call_percentiles) absl::PrintF(" %9.1f", values.at(per_10000));
  absl::PrintF("\n");
}

/// Prints a line for each scenario: the mean99, p99 and count of each class of calls.
template <class ClassOf>
void print_classes(const char* title, const std::vector<std::string>& names,
                   const std::vector<CallRecord>& records, ClassOf class_of) {
  absl::PrintF("\n%-14s", title);
  for (const std::string& name : names) absl::PrintF(" %22s", name);
  absl::PrintF("\n");
  for (std::size_t i = 0; i < scenario_names.size(); ++i) {
    absl::PrintF("%-14s", scenario_names[i]);
    for (std::size_t of_class = 0; of_class < names.size(); ++of_class) {
      std::vector<float> calls = times(records, &CallRecord::ns, [&](const CallRecord& record) {
        return record.scenario == static_cast<Scenario>(i) && class_of(record) == of_class;
      });
      if (calls.empty()) {
        absl::PrintF(" %22s", "-");
      } else {
        const Percentiles sorted(std::move(calls));
        absl::PrintF(" %22s",
                     absl::StrFormat("%.1f %.1f (%d)", sorted.mean99(), sorted.at(9'900), sorted.count()));
      }
    }
    absl::PrintF("\n");
  }
}

const std::vector<std::string> age_names = {"age under 10", "100", "1,000", "10,000", "100,000", "older", "never"};

std::size_t age_class(std::uint32_t age) {
  if (age == never) return age_names.size() - 1;
  std::size_t decade = 0;
  for (std::uint32_t limit = 10; age >= limit && decade < age_names.size() - 2; limit *= 10) ++decade;
  return decade;
}

void print(const std::vector<ScenarioTimes>& rows, const Measured& measured, const Plan& plan,
           const CallClock& stamps) {
  absl::PrintF("\n%s on %s, standing %d, seed %d; nanoseconds by %s, in steps of %.1f or less\n",
               absl::GetFlag(FLAGS_book), plan.spec.workload, plan.spec.standing, plan.spec.seed, stamps.name,
               stamps.step_ns);
  absl::PrintF("mean99 is the mean of the fastest 99 %%; the cost of the probe is not subtracted\n\n");
  absl::PrintF("%-14s %9s %9s", "calls", "count", "mean99");
  for (const auto& [name, _] : call_percentiles) absl::PrintF(" %9s", name);
  absl::PrintF("\n");
  for (const ScenarioTimes& row : rows) {
    print_percentiles(name_of(row.scenario), row.calls);
    print_percentiles("  its probe", row.probe);
  }
  absl::PrintF("\nall events of a batch: %.1f ns each without stamps, %.1f ns with them\n",
               measured.plain_ns_per_op, measured.stamped_ns_per_op);

  absl::PrintF("\nmean99 and p99 (count) of classes of calls\n");
  print_classes("tree path", {tree_path_names.begin(), tree_path_names.end()}, measured.records,
                [](const CallRecord& record) { return static_cast<std::size_t>(record.path); });
  print_classes("slot", age_names, measured.records,
                [](const CallRecord& record) { return age_class(record.slot_age); });
  print_classes("level", age_names, measured.records,
                [](const CallRecord& record) { return age_class(record.level_age); });
}

#if LLMES_HAS_JSON
nlohmann::ordered_json description(const Measured& measured, const Plan& plan, const CallClock& stamps) {
  return {{"fingerprint", fingerprint()},
          {"book", absl::GetFlag(FLAGS_book)},
          {"workload", plan.spec.workload},
          {"standing", plan.spec.standing},
          {"seed", plan.spec.seed},
          {"batch", plan.spec.batch},
          {"stamps", stamps.name},
          {"ns_per_tick", stamps.ns_per_tick},
          {"step_ns", stamps.step_ns},
          {"plain_ns_per_op", measured.plain_ns_per_op},
          {"stamped_ns_per_op", measured.stamped_ns_per_op}};
}

void write(const std::vector<ScenarioTimes>& rows, const Measured& measured, const Plan& plan,
           const CallClock& stamps) {
  const std::string out = absl::GetFlag(FLAGS_out);
  const std::string records = absl::GetFlag(FLAGS_records);
  if (!records.empty()) write_records(records, description(measured, plan, stamps), measured.records);
  if (out.empty()) return;
  nlohmann::ordered_json artifact = description(measured, plan, stamps);
  artifact["rows"] = nlohmann::ordered_json::array();
  for (const ScenarioTimes& row : rows) {
    nlohmann::ordered_json entry{{"scenario", name_of(row.scenario)},
                                 {"count", row.calls.count()},
                                 {"mean99", row.calls.mean99()},
                                 {"probe_mean99", row.probe.mean99()}};
    for (const auto& [name, per_10000] : call_percentiles) {
      entry[name] = row.calls.at(per_10000);
      entry[absl::StrFormat("probe_%s", name)] = row.probe.at(per_10000);
    }
    artifact["rows"].push_back(entry);
  }
  write_artifact(out, artifact);
}
#else
void write(const std::vector<ScenarioTimes>&, const Measured&, const Plan&, const Stamps&) {}
#endif

void run() {
  const EnterStamped enter = find_stamped_book(absl::GetFlag(FLAGS_book));
  const std::size_t batches = absl::GetFlag(FLAGS_batches);
  if (batches == 0 || 2 * batches > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument("--batches must be from 1 to 32767");
  }
  require_artifact(absl::GetFlag(FLAGS_out));
  require_artifact(absl::GetFlag(FLAGS_records));
  const PlanSpec spec{.workload = absl::GetFlag(FLAGS_workload),
                      .standing = absl::GetFlag(FLAGS_standing),
                      .seed = absl::GetFlag(FLAGS_seed),
                      .batches = 2 * batches,
                      .batch = absl::GetFlag(FLAGS_batch)};
  require_memory("batches", batches, [&](std::size_t stamped) {
    const double events = static_cast<double>(2 * stamped) * static_cast<double>(spec.rewarm + spec.batch);
    return bytes_to_play(with_batches(spec, 2 * stamped), 1) + (sizeof(CallTraits) + sizeof(CallRecord)) * events;
  });
  std::fprintf(stderr, "planning %s ...\n", absl::GetFlag(FLAGS_workload).c_str());
  const Plan plan = make_plan(spec);
  const CallClock stamps = choose_call_clock();
  const Measured measured = measure(plan, *enter(plan), stamps);
  const std::vector<ScenarioTimes> rows = make_rows(measured.records);
  print(rows, measured, plan, stamps);
  write(rows, measured, plan, stamps);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "times the single calls of one order book on a planned stream",
       .example = "--book=core --workload=macro --standing=200000 --records=calls.records",
       .run = llmes::bench::run});
}
