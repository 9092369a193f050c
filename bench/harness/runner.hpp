// SPDX-License-Identifier: MIT
//
// A book in a measurement, whatever its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "bench/harness/digest.hpp"
#include "bench/workloads/plan.hpp"

namespace llmes::bench {

class CounterSource;

/// A book has no place for the prices of the stream: it is no runner.
class CannotHold : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What one timed window showed.
struct Window {
  double seconds = 0;
  std::size_t events = 0;
  Digest digest;
  std::uint64_t allocations = 0;  ///< calls of operator new inside the window
};

class Runner {
 public:
  virtual ~Runner() = default;

  /// Makes the book anew and plays the stream, untimed, up to the first batch.
  virtual void start() = 0;

  /// Plays batch `index` and times its window. Batches are played in order. `counters` may be null; they count
  /// exactly while the clock runs. Throws std::runtime_error if the book did not do the work that was planned.
  virtual Window run(std::size_t index, CounterSource* counters) = 0;

  /// The most memory, in bytes, that the book has had on the heap while the stream was played untimed.
  [[nodiscard]] virtual std::size_t peak_bytes() const = 0;
};

}  // namespace llmes::bench
