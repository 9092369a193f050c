// SPDX-License-Identifier: MIT
//
// A tape of ITCH messages cut into windows, with what every feed must show after each of them. It comes of books
// that are no contestant's, so it serves any tape: a synthetic day or a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/programs/feed/feeds.hpp"
#include "bench/streams/digest.hpp"

namespace llmes::bench {

/// Messages that are played without a pause.
struct FeedPart {
  std::span<const std::byte> bytes{};
  std::size_t messages = 0;
  std::array<std::size_t, feed_operations> operations{};
  Digest best{};    ///< the best prices of the book of each message that changes an order, after it
  Digest fields{};  ///< the fields of all messages about orders
};

struct FeedWindow {
  FeedPart rewarm;  ///< played untimed, to fill the caches: half of the window at most
  FeedPart timed;
};

struct FeedPlan {
  std::span<const std::byte> tape;
  std::size_t messages = 0;
  FeedPart opening{};  ///< untimed: until there are books
  std::vector<FeedWindow> windows{};
  FeedConfig config{};
  std::size_t resting_peak = 0;
  std::size_t resting_end = 0;
  Digest best{};  ///< as that of a part, from the beginning of the tape to its end
  std::uint64_t final_queues = 0;
};

/// The first tenth of the messages is the opening, and the others are cut into so many windows. Throws
/// std::runtime_error, with the offset, if the tape cannot be read to its end, or if it has too few messages for a
/// window each.
[[nodiscard]] FeedPlan make_feed_plan(std::span<const std::byte> tape, std::size_t windows);

}  // namespace llmes::bench
