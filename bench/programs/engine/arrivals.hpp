// SPDX-License-Identifier: MIT
//
// When the messages of an open loop are due: they come whether or not the earlier ones are done.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/streams/random.hpp"

namespace llmes::bench {

inline constexpr std::string_view arrival_names[] = {"poisson", "bursty"};

/// The nanoseconds, from the start, at which so many messages are due at a mean rate a second. `poisson`: each by
/// itself. `bursty`: bursts come as these do, and all messages of a burst are due at once; its size is geometric,
/// with a mean of 16. Throws std::invalid_argument for another name.
[[nodiscard]] inline std::vector<std::uint64_t> arrival_times(std::string_view arrivals, double rate,
                                                              std::size_t messages, std::uint64_t seed) {
  constexpr double burst_mean = 16;
  const bool bursty = arrivals == "bursty";
  if (!bursty && arrivals != "poisson") {
    throw std::invalid_argument("no arrivals are called '" + std::string(arrivals) +
                                "'; there are poisson and bursty");
  }
  Random random(seed);
  const auto uniform = [&random] { return (static_cast<double>(random.bits() >> 11) + 1) * 0x1p-53; };  // (0, 1]
  const double mean_gap = 1e9 / rate * (bursty ? burst_mean : 1);
  std::vector<std::uint64_t> due;
  due.reserve(messages);
  for (double time = 0; due.size() < messages;) {
    time -= std::log(uniform()) * mean_gap;
    do {
      due.push_back(static_cast<std::uint64_t>(time));
    } while (bursty && due.size() < messages && uniform() > 1 / burst_mean);
  }
  return due;
}

}  // namespace llmes::bench
