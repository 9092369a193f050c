// SPDX-License-Identifier: MIT
#include "bench/harness/callgrind_counters.hpp"

#include <cerrno>
#include <stdexcept>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define LLMES_HAS_CALLGRIND 1
#else
#define LLMES_HAS_CALLGRIND 0
#endif

namespace llmes::bench {

#if !LLMES_HAS_CALLGRIND
CallgrindCounters::CallgrindCounters() {
  throw std::runtime_error(
      "cannot count instructions: built without valgrind's headers; install valgrind and build again");
}
void CallgrindCounters::start() {}
void CallgrindCounters::stop() {}
void CallgrindCounters::dump(const std::string&) {}
bool CallgrindCounters::running_under_callgrind() {
  return false;
}
#else
CallgrindCounters::CallgrindCounters() {
  if (running_under_callgrind()) return;
  throw std::runtime_error("instructions are counted by callgrind only; run it as: " + command_line());
}
void CallgrindCounters::start() {
  CALLGRIND_START_INSTRUMENTATION;
}
void CallgrindCounters::stop() {
  CALLGRIND_STOP_INSTRUMENTATION;
}
void CallgrindCounters::dump(const std::string& label) {
  CALLGRIND_DUMP_STATS_AT(label.c_str());
}
bool CallgrindCounters::running_under_callgrind() {
  return RUNNING_ON_VALGRIND > 0;
}
#endif

std::string CallgrindCounters::command_line() {
  return std::string("valgrind --tool=callgrind --instr-atstart=no ") + program_invocation_name + " ...";
}

}  // namespace llmes::bench
