// SPDX-License-Identifier: MIT
//
// The times of the program, made of two clocks of the system: one that never steps, and the wall clock, which may
// step either way. Both are arguments, so that a test says what they are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "entry.hpp"

namespace exchange {

class Clock {
 public:
  /// What passes unseen for longer is a stall: the program did not run, and nobody could be heard.
  static constexpr Nanoseconds stall = 1'000'000'000;

  /// Begins at the time of the wall, or at `least`, if that is later: the venue's time has been there before.
  void begin(Nanoseconds monotonic, Nanoseconds wall, Nanoseconds least) noexcept {
    monotonic_ = monotonic;
    wall_ = wall;
    now_ = std::max(wall, least);
  }
  /// Takes what both clocks say now.
  void set(Nanoseconds monotonic, Nanoseconds wall) noexcept {
    const Nanoseconds passed = std::max(monotonic, monotonic_) - monotonic_;
    monotonic_ += passed;
    wall_ = wall;
    served_ += std::min(passed, stall);
    // The venue's time goes at half to one and a half of its rate until it is that of the wall again.
    now_ += passed;
    const Nanoseconds most = passed / 2;
    now_ = wall > now_ ? now_ + std::min(wall - now_, most) : now_ - std::min(now_ - wall, most);
  }
  /// The same between two looks at the wall clock, which has gone on like the other one.
  void set(Nanoseconds monotonic) noexcept {
    set(monotonic, wall_ + (std::max(monotonic, monotonic_) - monotonic_));
  }

  /// The time of the venue at which the wall will say `wall`, if it does not step before that.
  /// @param now of the venue
  /// @param skew how far that is ahead of the wall clock
  [[nodiscard]] static constexpr Nanoseconds at_wall(Nanoseconds now, std::int64_t skew,
                                                     Nanoseconds wall) noexcept {
    const auto by = static_cast<Nanoseconds>(skew);
    const Nanoseconds left = wall - std::min(wall, now - by);
    const Nanoseconds moved = std::min(left / 2, skew < 0 ? Nanoseconds{0} - by : by);
    const Nanoseconds passes = skew < 0 ? left + std::min(moved, ~Nanoseconds{0} - left) : left - moved;
    return now + std::min(passes, ~Nanoseconds{0} - now);
  }

  /// Nanoseconds since 1970, as orders and the journal have them. It never goes back, and never steps.
  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }
  /// How far it is ahead of the wall clock.
  [[nodiscard]] std::int64_t skew() const noexcept { return static_cast<std::int64_t>(now_ - wall_); }
  /// For answer times.
  [[nodiscard]] Nanoseconds monotonic() const noexcept { return monotonic_; }
  /// For sessions: how long the program has served its clients. Of a stall it counts one second, so that nobody is
  /// silent whose bytes wait to be read.
  [[nodiscard]] Nanoseconds served() const noexcept { return served_; }

 private:
  Nanoseconds monotonic_ = 0;
  Nanoseconds wall_ = 0;
  Nanoseconds now_ = 0;
  Nanoseconds served_ = 0;
};

}  // namespace exchange
