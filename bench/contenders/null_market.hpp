// SPDX-License-Identifier: MIT
//
// No books at all: the dispatch on the type of a message, and nothing behind it. Its time is the floor of a table.
#pragma once

#include <optional>

#include "bench/contenders/market_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

class NullMarket {
 public:
  static std::optional<NullMarket> create(const MarketConfig& /*config*/) { return NullMarket(); }

  [[gnu::always_inline]] Result apply(const MarketRequest& request) {
    switch (request.type) {
      case CommandType::AddResting: use(request.price); return {};
      case CommandType::Cancel: use(request.id); return {};
      case CommandType::Reduce: use(request.quantity); return {};
      case CommandType::ReplaceResting: use(request.new_id); return {};
      default: return {Status::InvalidCommand};
    }
  }

 private:
  /// Pretends to need `value`, so that the compiler keeps the cases apart.
  template <class T>
  static void use(T value) {
    asm volatile("" : : "r"(value));
  }
};
static_assert(MarketBook<NullMarket>);

}  // namespace llmes::bench
