// SPDX-License-Identifier: MIT
//
// The flags of the programs in which books take turns, batch by batch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/flags/flag.h"
#include "bench/harness/callgrind_counters.hpp"
#include "bench/workloads/plan.hpp"

namespace llmes::bench {

/// The value of a flag that must be one of two. Throws std::invalid_argument if it is neither.
[[nodiscard]] std::string one_of(const absl::Flag<std::string>& flag, std::string_view name, std::string_view a,
                                 std::string_view b);

/// The stream that --workload, --standing, --seed, --rounds and --batch ask for. Throws std::invalid_argument if
/// there is no round.
[[nodiscard]] PlanSpec spec_of_flags();

/// What counts in the windows, if --metric asks for it.
[[nodiscard]] std::optional<CallgrindCounters> counters_of_flags();

}  // namespace llmes::bench
