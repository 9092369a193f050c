// SPDX-License-Identifier: MIT
#include "bench/workloads/plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/workloads/classic.hpp"
#include "bench/workloads/macro.hpp"
#include "bench/workloads/wide.hpp"

namespace llmes::bench {

void Census::add(const Census& other) {
  const bool first = events == 0;
  events += other.events;
  adds += other.adds;
  immediate += other.immediate;
  cancels += other.cancels;
  modifies += other.modifies;
  markets += other.markets;
  misses += other.misses;
  fills += other.fills;
  resting_sum += other.resting_sum;
  resting_peak = std::max(resting_peak, other.resting_peak);
  bid_levels_sum += other.bid_levels_sum;
  ask_levels_sum += other.ask_levels_sum;
  one_sided += other.one_sided;
  rested += other.rested;
  levels_opened += other.levels_opened;
  levels_emptied += other.levels_emptied;
  lifetime_sum += other.lifetime_sum;
  lifetime_count += other.lifetime_count;
  touch_min = first ? other.touch_min : std::min(touch_min, other.touch_min);
  touch_max = first ? other.touch_max : std::max(touch_max, other.touch_max);
}

namespace {

template <class Flow>
Plan plan(const PlanSpec& spec) {
  Flow flow(spec);
  Planner& planner = flow.planner();
  const auto play = [&](std::size_t events) {
    // A draw can make several events, so a stretch is played to its length and a little over.
    for (const std::size_t end = planner.now() + events; planner.now() < end;) flow.step();
  };
  flow.seed();
  play(spec.warm_up);
  for (std::size_t i = 0; i < spec.batches; ++i) {
    planner.start_batch();
    play(spec.rewarm);
    planner.start_window();
    play(spec.batch);
    planner.end_window();
  }
  return std::move(planner).finish();
}

}  // namespace

Plan make_plan(const PlanSpec& spec) {
  if (spec.batch == 0) throw std::invalid_argument("a batch needs at least one event");
  if (spec.workload == "macro") return plan<MacroFlow>(spec);
  if (spec.workload == "wide") return plan<WideFlow>(spec);
  if (spec.workload == "classic") {
    PlanSpec unheld = spec;
    unheld.standing = 0;
    return plan<ClassicFlow>(unheld);
  }
  throw std::invalid_argument("no workload is called '" + spec.workload + "'; there are macro, wide and classic");
}

}  // namespace llmes::bench
