// SPDX-License-Identifier: MIT
//
// Counts every call of the global operator new in programs that link allocation_counter.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llmes::bench {

/// Calls so far, of all threads. Two simultaneous calls may count as one; a count of 0 is exact.
[[nodiscard]] std::uint64_t allocation_count() noexcept;
/// Bytes requested so far, likewise.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

/// The peak of the heap during the lifetime of this object, above its size at the start, with the overhead of each
/// block. Only one may exist at a time, in a program of one thread. Bytes are summed only while one exists,
/// because that takes time.
class HeapPeak {
 public:
  HeapPeak() noexcept;
  ~HeapPeak();
  HeapPeak(const HeapPeak&) = delete;
  HeapPeak& operator=(const HeapPeak&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace llmes::bench
