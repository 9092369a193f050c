// SPDX-License-Identifier: MIT
//
// Counts every call of the global operator new in programs that link allocation_counter.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llmes::bench {

/// Calls so far. Not for threads.
[[nodiscard]] std::uint64_t allocation_count() noexcept;
/// Bytes asked for so far. Not for threads.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

/// How much more than at first has been on the heap at a time while this lives, with what the allocator adds to
/// each block. Only one may live: adding up takes time, so nothing is added up without one.
class HeapPeak {
 public:
  HeapPeak() noexcept;
  ~HeapPeak();
  HeapPeak(const HeapPeak&) = delete;
  HeapPeak& operator=(const HeapPeak&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace llmes::bench
