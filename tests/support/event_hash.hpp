// SPDX-License-Identifier: MIT
//
// A hash of the answers of a book: 64-bit FNV-1a over the bytes of each number, the lowest first, so that it is
// the same on every machine.
#pragma once

#include <cstdint>
#include <optional>

#include "llmes/types/types.hpp"

namespace llmes::test {

class EventHash {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) value_ = (value_ ^ ((number >> (8 * byte)) & 0xff)) * 0x100000001b3u;
  }
  void add(OrderHandle handle) { add(handle.value()); }
  void add(std::optional<Price> price) { add(price ? static_cast<std::uint64_t>(*price) : 0x9e3779b97f4a7c15u); }
  /// What every book says, the historical ones too.
  void add(const Result& result) {
    add(static_cast<std::uint64_t>(result.status));
    add(result.handle);
    add(result.filled);
  }
  void add(const Trade& trade) {
    add(trade.taker_id);
    add(trade.maker_id);
    add(trade.maker_handle);
    add(static_cast<std::uint64_t>(trade.price));
    add(trade.quantity);
    add(trade.maker_remaining);
    add(trade.taker_remaining);
    add(static_cast<std::uint64_t>(trade.taker_side));
  }
  void add(const RestingOrder& order) {
    add(order.handle);
    add(order.id);
    add(static_cast<std::uint64_t>(order.price));
    add(order.quantity);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace llmes::test
