// SPDX-License-Identifier: MIT
//
// Turns any bytes into a book's configuration and a sequence of operations. Four to six bytes make an operation,
// and a small change of the bytes makes a small change of the sequence, which guides the fuzzer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "llmes/book/order_book.hpp"
#include "tests/support/band_offsets.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/operation.hpp"

namespace llmes::test {

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool done() const { return bytes_.empty(); }

  /// A number below `bound`; 0 when the bytes are used up.
  std::size_t below(std::size_t bound) { return byte() % bound; }

  /// For a book that will be asked for so many neighbouring prices, and some beyond.
  BookConfig config(std::size_t price_count) {
    const auto levels = static_cast<Price>(price_count);
    const std::array bases{Price{0}, -levels / 2, std::numeric_limits<Price>::min(), highest_price - (levels - 1)};
    base_ = bases[below(bases.size())];
    boundaries_ = boundary_offsets(price_count);
    last_offset_ = levels - 1;
    const std::size_t capacity = below(20);
    return {.base_price = base_, .capacity = capacity < 16 ? capacity + 1 : 100};
  }

  /// One of these, mostly near their middle or a boundary of the words of a band; sometimes none of them.
  Price price() {
    const std::uint8_t choice = byte();
    if (choice < 160) return price_at(base_, last_offset_ / 2 + choice % 16 - 8);
    if (choice < 240) return price_at(base_, boundaries_[choice % boundaries_.size()]);
    switch (choice % 4) {  // beyond them
      case 0: return price_at(base_, -1);
      case 1: return price_at(base_, last_offset_ + 1);
      case 2: return std::numeric_limits<Price>::min();
      default: return std::numeric_limits<Price>::max();
    }
  }

  std::vector<Operation> operations() {
    std::vector<Operation> operations;
    while (!done()) operations.push_back(operation());
    return operations;
  }

 private:
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  Operation operation() {
    const std::uint8_t kind = byte();
    const std::uint8_t names = byte();
    const OrderId order = names % 32;
    const Price price = this->price();
    const Quantity quantity = this->quantity();
    Operation operation = [&] {
      const Side side = kind / 8 % 2 == 0 ? Side::Buy : Side::Sell;
      const auto time_in_force = static_cast<TimeInForce>(kind / 16 % 4);
      switch (kind % 8) {
        case 0:
        case 1:
        case 2:
          if (names >= 224) return add_resting(order, side, price, quantity);
          return add_limit(order, side, price, quantity, time_in_force);
        case 3: return add_market(order, side, quantity);
        case 4: return cancel(order);
        case 5:
          if (names >= 224) return replace_resting(order, byte() % 32, price, quantity);
          if (names >= 128) return replace(order, byte() % 32, price, quantity, time_in_force);
          if (names >= 96) return modify_resting(order, price, quantity);
          return modify(order, price, quantity, time_in_force);
        case 6:
          if (names >= 224) return add_resting_before(order, byte() % 32, quantity);
          return reduce(order, quantity);
        default: return spoiled(order, price, quantity);
      }
    }();
    if (kind / 64 == 3) operation = operation.as_command();
    return operation;
  }

  /// An operation that has no business to succeed, mostly.
  Operation spoiled(OrderId order, Price price, Quantity quantity) {
    const std::uint8_t kind = byte();
    const std::uint8_t wild = byte();
    const std::uint64_t flip = std::uint64_t{1} << (wild % 64);
    switch (kind % 6) {
      case 0: return add_limit(order, static_cast<Side>(wild), price, quantity);
      case 1: return add_limit(order, Side::Buy, price, quantity, static_cast<TimeInForce>(wild));
      case 2: return add_market(order, static_cast<Side>(wild), quantity);
      case 3: return of_type(wild);
      case 4: return cancel(order).flipped(flip);
      default: return modify(order, price, quantity).flipped(flip);
    }
  }

  Quantity quantity() {
    const std::uint8_t choice = byte();
    if (choice < 224) return choice % 16;
    const Quantity anchors[] = {std::numeric_limits<Quantity>::max(), Quantity{1} << 63};
    return anchors[choice % 2] - choice / 2 % 8;
  }

  std::span<const std::uint8_t> bytes_;
  std::vector<std::int64_t> boundaries_;
  Price base_ = 0;
  std::int64_t last_offset_ = 0;
};

}  // namespace llmes::test
