// SPDX-License-Identifier: MIT
//
// Compiled without the instrumentation, because otherwise it would count itself without end.
#include "tests/support/step_counter.hpp"

namespace {
std::uint64_t steps = 0;
}  // namespace

/// The compiler puts a call of this at the head of each basic block.
extern "C" void __sanitizer_cov_trace_pc() {
  ++steps;
}

namespace llmes::test {
std::uint64_t steps_so_far() noexcept {
  return steps;
}
}  // namespace llmes::test
