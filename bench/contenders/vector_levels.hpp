// SPDX-License-Identifier: MIT
//
// The plain way to hold thousands of books: for each side of each book a sorted std::vector of its levels with the
// best at the back, and queues that are linked through the orders of one shared pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/contenders/level_market.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

class VectorSides {
 public:
  struct Level {
    Price goodness;
    Queue queue;
  };
  using Place = Level*;
  using Anchor = Price;  // the goodness of its level

  explicit VectorSides(const MarketConfig& config) : sides_(2 * config.books) {}

  [[nodiscard]] static Queue& queue(Place place) { return place->queue; }
  [[nodiscard]] static Anchor anchor(Place place) { return place->goodness; }

  [[nodiscard]] Place open(std::uint32_t book, Side side, Price price) {
    Levels& levels = at(book, side);
    const Price goodness = bench::goodness(side, price);
    Place place = search(levels, goodness);
    if (place != levels.data() + levels.size() && place->goodness == goodness) return place;
    return &*levels.insert(levels.begin() + (place - levels.data()), {goodness, {}});
  }
  [[nodiscard]] Place find(std::uint32_t book, Side side, Anchor goodness) {
    return search(at(book, side), goodness);
  }
  void close(std::uint32_t book, Side side, Place place) {
    Levels& levels = at(book, side);
    levels.erase(levels.begin() + (place - levels.data()));
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Levels& levels = at(book, side);
    if (levels.empty()) return std::nullopt;
    return price_of_goodness(side, levels.back().goodness);
  }

  template <class Visitor>
  void visit(std::uint32_t book, Side side, Visitor visitor) const {
    const Levels& levels = at(book, side);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      visitor(price_of_goodness(side, level->goodness), level->queue);
    }
  }

 private:
  using Levels = std::vector<Level>;

  [[nodiscard]] Levels& at(std::uint32_t book, Side side) {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const Levels& at(std::uint32_t book, Side side) const {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }

  /// The level of this goodness, or the place where it would be. Most are near the best, and a walk from there
  /// lets the processor fetch ahead: with up to a few hundred levels a side it was no slower than a search that
  /// halves.
  [[nodiscard]] static Place search(Levels& levels, Price goodness) {
    Place place = levels.data() + levels.size();
    while (place != levels.data() && place[-1].goodness >= goodness) --place;
    return place;
  }

  std::vector<Levels> sides_;  // the bids of book 0, its asks, the bids of book 1 ...
};

using VectorLevels = LevelMarket<VectorSides>;
static_assert(MarketBook<VectorLevels> && HasBooks<VectorLevels>);

}  // namespace llmes::bench
