// SPDX-License-Identifier: MIT
//
// The product, fed spans of commands instead of one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/workloads/digest.hpp"
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
    constexpr std::size_t span = 256;
    while (!commands.empty()) {
      const std::size_t count = std::min(span, commands.size());
      std::uint64_t misses = 0;
      this->apply(
          commands.first(count), [&](const Result& result) { misses += result.status != Status::Success; },
          digest);
      digest.misses += misses;
      commands = commands.subspan(count);
    }
  }

 private:
  explicit SpanFedBook(OrderBook<PriceLevels>&& book) : OrderBook<PriceLevels>(std::move(book)) {}
};

}  // namespace llmes::bench
