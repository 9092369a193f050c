// SPDX-License-Identifier: MIT
#include "bench/streams/plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/streams/classic.hpp"
#include "bench/streams/far.hpp"
#include "bench/streams/fleeting.hpp"
#include "bench/streams/gaps.hpp"
#include "bench/streams/macro.hpp"
#include "bench/streams/wide.hpp"

namespace llmes::bench {

void Census::add(const Census& other) {
  const bool first = events == 0;
  events += other.events;
  adds += other.adds;
  immediate += other.immediate;
  cancels += other.cancels;
  modifies += other.modifies;
  markets += other.markets;
  at_once += other.at_once;
  within_four += other.within_four;
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
  located += other.located;
  outside_4096 += other.outside_4096;
  outside_65536 += other.outside_65536;
  jumps_64 += other.jumps_64;
  jumps_4096 += other.jumps_4096;
  jump_max = std::max(jump_max, other.jump_max);
}

Plan make_plan(const PlanSpec& spec) {
  if (spec.workload == "macro") return plan<MacroFlow>(spec);
  if (spec.workload == "wide") return plan<WideFlow>(spec);
  if (spec.workload == "classic") {
    PlanSpec unheld = spec;
    unheld.standing = 0;
    return plan<ClassicFlow>(unheld);
  }
  if (spec.workload == "fleeting" || spec.workload == "gaps") {
    PlanSpec outside = spec;
    outside.ids = spec.ids.value_or(Ids::Permuted);
    return spec.workload == "gaps" ? plan<GapsFlow>(outside) : plan<FleetingFlow>(outside);
  }
  if (spec.workload == "far") return plan<FarFlow>(spec);
  throw std::invalid_argument(
      "no workload is called '" + spec.workload +
      "'; there are macro, wide, classic, fleeting, far and gaps, and many in bench_books");
}

}  // namespace llmes::bench
