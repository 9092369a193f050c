// SPDX-License-Identifier: MIT
//
// The course of a synthetic day: how many of its messages have come by a moment, and how many orders rest then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/streams/random.hpp"

namespace llmes::bench {

/// A session from 4:00 to 20:00 in stages, with `messages` in all.
class ItchSession {
 public:
  static constexpr std::uint64_t start = 4 * 3600;  // in seconds since midnight
  static constexpr std::uint64_t opening = 9 * 3600 + 1800;
  static constexpr std::uint64_t closing = 16 * 3600;
  static constexpr std::uint64_t end = 20 * 3600;

  ItchSession(std::size_t messages, std::size_t peak, std::size_t resting_at_end)
      : messages_(messages),
        peak_(peak),
        resting_at_end_(std::min(resting_at_end, peak * marks[marks.size() - 2].per_mille_resting / 1'000)) {}

  /// A share of the messages.
  [[nodiscard]] std::size_t share(std::size_t per_10000) const { return messages_ * per_10000 / 10'000; }

  /// The share of the messages in stages that lead to a cross.
  [[nodiscard]] static std::size_t per_10000_before_crosses() {
    std::size_t share = 0;
    for (std::size_t i = 1; i < marks.size(); ++i) {
      const bool leads = marks[i].second == opening || marks[i].second == closing;
      if (leads) share += marks[i].per_10000_gone - marks[i - 1].per_10000_gone;
    }
    return share;
  }

  /// Begins the next stage after this many messages; returns false if the day is over.
  bool next_stage(std::size_t gone) {
    if (++stage_ + 1 == marks.size()) return false;
    begin_ = gone;
    end_ = share(to().per_10000_gone);
    length_ = std::max(end_, begin_ + 1) - begin_;
    pace_ = (to().second - from().second) * 1'000'000'000 / length_;
    return true;
  }

  /// Of this stage.
  [[nodiscard]] std::uint64_t begins_at() const { return from().second; }
  [[nodiscard]] std::size_t message_end() const { return end_; }
  [[nodiscard]] bool is_before_opening() const { return to().second <= opening; }
  [[nodiscard]] bool is_before_closing() const { return !is_before_opening() && to().second <= closing; }
  [[nodiscard]] bool leads_to_cross() const { return to().second == opening || to().second == closing; }

  /// When the next message comes after `last`, in nanoseconds since midnight. They come in clusters, which catch
  /// up with the even pace of the stage.
  std::uint64_t time(std::size_t gone, std::uint64_t last, Random& random) const {
    const std::uint64_t even = from().second * 1'000'000'000 + (gone - begin_) * pace_;
    if (last >= even) return last;
    return random.chance(200) ? even : std::min(even, last + random.below(2'000));
  }

  /// How many orders rest by plan. In the early afternoon it is more than the peak, so that they get there.
  [[nodiscard]] std::int64_t resting(std::size_t gone) const {
    const auto at_begin = static_cast<std::int64_t>(peak_ * from().per_mille_resting / 1'000);
    const auto at_end =
        static_cast<std::int64_t>(to().second == end ? resting_at_end_ : peak_ * to().per_mille_resting / 1'000);
    return at_begin +
           (at_end - at_begin) * static_cast<std::int64_t>(gone - begin_) / static_cast<std::int64_t>(length_);
  }

 private:
  struct Mark {
    std::uint64_t second;
    std::size_t per_10000_gone;
    std::size_t per_mille_resting;  // of the peak
  };
  static constexpr std::array<Mark, 19> marks{{
      {start, 0, 0},
      {7 * 3600, 150, 100},
      {8 * 3600, 300, 220},
      {9 * 3600, 650, 400},
      {opening - 300, 1000, 520},
      {opening, 1200, 560},
      {opening + 1, 1300, 575},
      {opening + 60, 1550, 640},
      {opening + 300, 2000, 690},
      {10 * 3600, 3000, 800},
      {11 * 3600, 4300, 900},
      {12 * 3600, 5200, 950},
      {13 * 3600, 5900, 980},
      {14 * 3600, 6500, 1010},
      {15 * 3600, 7400, 1010},
      {closing - 600, 8400, 800},
      {closing, 9350, 350},
      {closing + 1, 9400, 345},
      {end, 10'000, 0},
  }};

  [[nodiscard]] const Mark& from() const { return marks[stage_]; }
  [[nodiscard]] const Mark& to() const { return marks[stage_ + 1]; }

  std::size_t messages_;
  std::size_t peak_;
  std::size_t resting_at_end_;
  std::size_t stage_ = static_cast<std::size_t>(-1);  // before the first
  std::size_t begin_ = 0;                             // messages before this stage
  std::size_t end_ = 0;
  std::size_t length_ = 1;
  std::uint64_t pace_ = 0;  // nanoseconds from message to message
};

}  // namespace llmes::bench
