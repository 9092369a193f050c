// SPDX-License-Identifier: MIT
//
// What the programs of the lab have in common: their flags and how they fail.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

#include "absl/flags/parse.h"
#include "absl/flags/usage.h"

namespace llmes::bench {

/// The body of a `main`: reads the flags, those of Google Benchmark too if asked to, and calls `run`. Prints what
/// it throws after the name of the program. Returns the exit status, 0 or 1.
[[nodiscard]] inline int run_program(int argc, char** argv, const char* usage, void (*run)(),
                                     bool google_benchmark = false) {
  std::string_view name = argv[0];
  name.remove_prefix(name.rfind('/') + 1);  // nothing, without a folder
  // Google Benchmark would answer --help itself, with its own flags alone.
  const bool help =
      std::any_of(argv, argv + argc, [](std::string_view flag) { return flag.starts_with("--help"); });
  if (google_benchmark && !help) benchmark::Initialize(&argc, argv);
  absl::SetProgramUsageMessage(usage);
  absl::ParseCommandLine(argc, argv);
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(name.size()), name.data(), error.what());
    return 1;
  }
  return 0;
}

}  // namespace llmes::bench
