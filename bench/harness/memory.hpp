// SPDX-License-Identifier: MIT
//
// Whether a run fits into memory, checked before planning. All batches are planned, and all handles learned,
// before the first clock starts: learning beside a timed book would share its heap and caches.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "bench/streams/plan.hpp"

namespace llmes::bench {

/// The same with another number of batches.
[[nodiscard]] inline PlanSpec with_batches(PlanSpec spec, std::size_t batches) {
  spec.batches = batches;
  return spec;
}

/// About how many bytes it takes to plan a stream, and then to play it on so many books.
[[nodiscard]] double bytes_to_play(const PlanSpec& spec, std::size_t books);

/// The bytes that this process may still allocate; infinite if the system does not say.
[[nodiscard]] double free_bytes();

/// Throws std::invalid_argument if `bytes(count)` is more than `available`. It names the flag that set the count,
/// and the largest count that fits.
void require_memory(std::string_view flag, std::size_t count, const std::function<double(std::size_t)>& bytes,
                    double available = free_bytes());

}  // namespace llmes::bench
