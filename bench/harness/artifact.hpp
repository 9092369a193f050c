// SPDX-License-Identifier: MIT
//
// Writes results to files that other programs can read, with the machine and build that they come from.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <stdexcept>
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

/// Throws std::runtime_error, with the system's reason, if the file could not be written. Call it before a long
/// measurement. An existing file is not changed.
void require_writable(const std::string& path);

/// The error that the file cannot be written, with the system's last reason.
[[nodiscard]] std::runtime_error cannot_write(const std::string& path);

/// A file is written under this name, which `finish` changes to its own. Throws std::runtime_error if it cannot.
[[nodiscard]] std::string unfinished(const std::string& path);
void finish(const std::string& path);

/// Writes a file by `write(stream)`, completely or not at all. Throws std::runtime_error if it cannot.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& write);

/// As `require_writable`, for `write_artifact`; there is nothing to write without a path.
void require_artifact(const std::string& path);

#if LLMES_HAS_JSON
void write_artifact(const std::string& path, const nlohmann::ordered_json& artifact);
#endif

}  // namespace llmes::bench
