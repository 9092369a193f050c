// SPDX-License-Identifier: MIT
//
// Shared by the programs of the lab: flags, help and exit status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llmes::bench {

/// A program, as its help describes it.
struct Program {
  const char* source;   ///< __FILE__, which defines its flags
  const char* purpose;  ///< in one line
  const char* example;  ///< flags that are worth trying
  void (*run)();
  bool google_benchmark = false;  ///< whether it takes the flags of Google Benchmark too
};

/// The values of the two flags of Google Benchmark that a program needs to know; empty if they were not given.
struct GoogleBenchmarkFlags {
  std::string format;
  std::string out;
};
[[nodiscard]] const GoogleBenchmarkFlags& google_benchmark_flags();

/// The body of a `main`: answers --help, or reads the flags and runs. Prints what `run` throws after the name of
/// the program. Returns the exit status: 0, 1, or 2 for arguments that are wrong, of which `run` throws
/// std::invalid_argument. The file of --benchmark_out appears only on success. Output is checked at exit.
[[nodiscard]] int run_program(int argc, char** argv, const Program& program);

/// Throws std::invalid_argument, which shows `example`, if the list of a flag is empty or has an empty element.
void require_elements(std::string_view flag, std::span<const std::string> list, std::string_view example);

}  // namespace llmes::bench
