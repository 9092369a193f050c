// SPDX-License-Identifier: MIT
//
// Which machine, which build: what a figure is worth nothing without.
#pragma once

#include <map>
#include <string>

namespace llmes::bench {

/// commit, dirty, compiler, flags, build, cpu, cores, caches, kernel, governor, pinned, scheduling, counters,
/// clock, tsc, date. What the host does not tell is "unknown".
[[nodiscard]] std::map<std::string, std::string> fingerprint();

}  // namespace llmes::bench
