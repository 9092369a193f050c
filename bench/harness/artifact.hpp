// SPDX-License-Identifier: MIT
//
// Results in files that other programs can read, and the machine and build that they come from.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>

#if __has_include(<nlohmann/json_fwd.hpp>)
#include <nlohmann/json_fwd.hpp>
#define LLMES_HAS_JSON 1
#else
#define LLMES_HAS_JSON 0
#endif

namespace llmes::bench {

/// The machine and the build: commit, dirty, compiler, flags, build, cpu, cores, caches, kernel, governor, pinned,
/// scheduling, counters, clock, tsc, date. An entry that the host does not reveal is "unknown".
[[nodiscard]] std::map<std::string, std::string> fingerprint();

/// Writes a file by `write(stream)`, completely or not at all. Throws std::runtime_error if it cannot.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& write);

#if LLMES_HAS_JSON
void write_artifact(const std::string& path, const nlohmann::ordered_json& artifact);
#endif

}  // namespace llmes::bench
