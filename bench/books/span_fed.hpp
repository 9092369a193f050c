// SPDX-License-Identifier: MIT
//
// The product, fed spans of commands instead of one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "bench/harness/digest.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

template <std::size_t PriceLevels>
class SpanFedBook : public OrderBook<PriceLevels> {
 public:
  static std::optional<SpanFedBook> create(const BookConfig& config) {
    std::optional<OrderBook<PriceLevels>> book = OrderBook<PriceLevels>::create(config);
    if (!book) return std::nullopt;
    return SpanFedBook(*std::move(book));
  }

  void replay(std::span<const Command> commands, Digest& digest) {
    std::array<Result, 256> results;
    while (!commands.empty()) {
      const std::size_t count = this->apply(commands, results, digest);
      for (const Result& result : std::span(results).first(count)) digest.count(result.status);
      commands = commands.subspan(count);
    }
  }

 private:
  explicit SpanFedBook(OrderBook<PriceLevels>&& book) : OrderBook<PriceLevels>(std::move(book)) {}
};

}  // namespace llmes::bench
