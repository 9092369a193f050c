// SPDX-License-Identifier: MIT
//
// Counts every call of the global operator new in programs that link allocation_counter.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llmes::bench {

/// Calls so far, of all threads. Two that call at the same time may count as one; so no call means none.
[[nodiscard]] std::uint64_t allocation_count() noexcept;
/// Bytes requested so far, likewise.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

/// The peak of the heap while this lives, beyond its size at first, including what the allocator adds to each
/// block. Only one may live at a time, in a program of one thread. Without one nothing is summed up, because that
/// takes time.
class HeapPeak {
 public:
  HeapPeak() noexcept;
  ~HeapPeak();
  HeapPeak(const HeapPeak&) = delete;
  HeapPeak& operator=(const HeapPeak&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace llmes::bench
