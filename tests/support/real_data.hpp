// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace llmes::test {

/// The path of a real market-data file, in the folder that the environment names as LLMES_DATA; empty if there is
/// none. Such files are not ours to publish, so a test that wants one is skipped without it
/// (`LLMES_NEEDS_REAL_DATA`).
inline std::filesystem::path real_data(const std::string& name) {
  const char* folder = std::getenv("LLMES_DATA");
  if (folder == nullptr) return {};
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

}  // namespace llmes::test

/// Skips the test, with words, if LLMES_DATA has no such file; else defines `variable` as its path.
#define LLMES_NEEDS_REAL_DATA(variable, name)                          \
  const std::filesystem::path variable = llmes::test::real_data(name); \
  if (variable.empty())                                                \
  GTEST_SKIP() << "no file " << (name) << ": LLMES_DATA is to name the folder of real market data"
