// SPDX-License-Identifier: MIT
//
// What can be counted while a window runs.
#pragma once

namespace llmes::bench {

/// Counts between `start` and `stop`, which allocate nothing: they stand inside the count of allocations.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

}  // namespace llmes::bench
