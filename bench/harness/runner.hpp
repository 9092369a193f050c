// SPDX-License-Identifier: MIT
//
// A book in a measurement, independent of its type, and the counters of its window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "bench/streams/digest.hpp"
#include "bench/streams/plan.hpp"

namespace llmes::bench {

/// Counts between `start` and `stop`. Neither may allocate: they run while allocations are counted.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

/// The book cannot hold some price of the stream, so it cannot take part.
class CannotHold : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The outcome of one timed window.
struct Window {
  double seconds = 0;
  std::size_t events = 0;
  Digest digest;
  std::uint64_t allocations = 0;  ///< calls of operator new inside the window
};

/// Plays a plan on a book.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Makes the book anew and plays the stream, untimed, up to the first batch.
  virtual void start() = 0;

  /// Plays batch `index` and times its window. Batches are played in order. `counters` may be null; they count
  /// exactly while the clock runs. Throws std::runtime_error if the book did not do the planned work.
  virtual Window run(std::size_t index, CounterSource* counters) = 0;

  /// The most heap memory, in bytes, that the book used while the stream was played untimed.
  [[nodiscard]] virtual std::size_t peak_bytes() const = 0;
};

}  // namespace llmes::bench
