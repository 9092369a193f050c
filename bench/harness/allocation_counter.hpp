// SPDX-License-Identifier: MIT
//
// Counts every call of the global operator new in programs that link allocation_counter.cpp.
#pragma once

#include <cstdint>

namespace llmes::bench {

/// Calls so far. Not for threads.
[[nodiscard]] std::uint64_t allocation_count() noexcept;
/// Bytes asked for so far. Not for threads.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

}  // namespace llmes::bench
