// SPDX-License-Identifier: MIT
//
// Exact instruction counts on machines without counters. Callgrind runs the program, counts nothing but the
// windows, and writes what it counted to files: the program itself cannot read them.
//
// Callgrind is switched on for a window rather than told to collect there: both are exact, and all that is
// outside of the windows runs a few times faster so.
#pragma once

#include <string>

#include "bench/harness/counters.hpp"

namespace llmes::bench {

class CallgrindCounters final : public CounterSource {
 public:
  /// Throws std::runtime_error, which says what to do, where nothing would count.
  CallgrindCounters();

  void start() override;
  void stop() override;

  /// Writes what was counted since the last dump to callgrind's next file, and counts from zero again. The file
  /// has the lines "desc: Trigger: Client Request: LABEL" and "totals: COUNT".
  void dump(const std::string& label);

  /// Whether valgrind runs this program.
  [[nodiscard]] static bool running_under_callgrind();

  /// How to run this program so that its windows are counted.
  [[nodiscard]] static std::string command_line();
};

}  // namespace llmes::bench
