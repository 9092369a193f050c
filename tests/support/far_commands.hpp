// SPDX-License-Identifier: MIT
//
// Commands of every type for a book without a band, at prices near a wandering mid, far from it, and anywhere in
// 64 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "llmes/types/command.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// Prices around a mid that wanders, and now and then jumps; as far as a window is wide; thousands of ticks away
/// from it; and anywhere.
class FarCommands {
 public:
  explicit FarCommands(std::uint64_t seed) : random_(seed) {}

  /// A command of any type. Statements of their own draw the numbers: see `StreamPlanner`.
  Command next() {
    move_mid();
    Command command{};
    command.id = ++ids_;
    command.type =
        random_.chance(30) ? CommandType::AddLimit : static_cast<CommandType>(random_.below(command_types));
    command.side = static_cast<Side>(random_.below(2));
    command.price = price(command.side);
    command.quantity = 1 + random_.below(9);
    command.handle = some_handle();
    if (random_.chance(30)) command.time_in_force = static_cast<TimeInForce>(random_.below(4));
    return command;
  }

  void note(OrderHandle handle) { handles_.push_back(handle); }

 private:
  void move_mid() {
    const std::uint64_t draw = random_.below(1'000);
    if (draw < 20) mid_ += random_.below(2'000) - 1'000;
    if (draw == 999) {
      const std::uint64_t bits = random_.below(40);
      mid_ = random_.next() >> bits;
    }
  }

  /// Modulo 2^64, so a price may come out at the other end of the type.
  Price price(Side side) {
    const std::uint64_t extreme = random_.below(200);
    if (extreme == 0) return std::numeric_limits<Price>::min();
    if (extreme == 1) return std::numeric_limits<Price>::max();
    if (extreme == 2) return highest_price - static_cast<Price>(random_.below(5));
    const std::uint64_t away = this->away();
    return static_cast<Price>(side == Side::Buy ? mid_ - away : mid_ + away);
  }

  std::uint64_t away() {
    const std::uint64_t kind = random_.below(10);
    if (kind < 4) return random_.below(20) - 4;
    if (kind < 6) return random_.below(100) - 20;  // anywhere in a narrow window, and just outside
    if (kind < 8) return random_.below(9'000);
    const std::uint64_t bits = random_.below(63);
    return random_.next() >> bits;
  }

  /// One of the last, mostly.
  OrderHandle some_handle() {
    if (handles_.empty()) return {};
    const std::size_t recent = std::min<std::size_t>(handles_.size(), 20);
    if (random_.chance(60)) return handles_[handles_.size() - 1 - random_.below(recent)];
    return handles_[random_.below(handles_.size())];
  }

  Random random_;
  std::uint64_t mid_ = 0;
  OrderId ids_ = 0;
  std::vector<OrderHandle> handles_;
};

}  // namespace llmes::test
