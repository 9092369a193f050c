// SPDX-License-Identifier: MIT
//
// Counts the basic blocks that code compiled with -fsanitize-coverage=trace-pc executes: a measure of work that is
// the same on every run. It does not see what happens inside a block or in a library.
#pragma once

#include <cstdint>

namespace llmes::test {

[[nodiscard]] std::uint64_t steps_so_far() noexcept;

/// The steps that `work` takes.
template <class Work>
std::uint64_t steps_of(Work&& work) {
  const std::uint64_t before = steps_so_far();
  work();
  return steps_so_far() - before;
}

}  // namespace llmes::test
