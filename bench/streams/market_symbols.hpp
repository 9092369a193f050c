// SPDX-License-Identifier: MIT
//
// The symbols of a market: how many of its messages and of its resting orders each has, and its fair price, which
// wanders. Fair prices and distances from them are in ticks; a grid gives them a price.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bench/streams/market_books.hpp"
#include "bench/streams/order_ids.hpp"
#include "bench/streams/random.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

/// Numbers from 0 on that are drawn by their weights.
class Weights {
 public:
  void add(std::uint64_t weight) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight); }
  std::size_t draw(Random& random) const {
    const std::uint64_t at = random.below(sums_.back());
    return static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin());
  }

 private:
  std::vector<std::uint64_t> sums_;
};

[[nodiscard]] inline std::uint64_t square_root(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

/// The shares of an order: as a rule whole hundreds.
[[nodiscard]] inline Quantity draw_shares(Random& random) {
  const Quantity hundreds = random.quantity();
  return random.chance(850) ? 100 * hundreds : 1 + random.below(99);
}

/// A step towards the other side.
[[nodiscard]] constexpr Price forward(Side side) {
  return side == Side::Buy ? 1 : -1;
}

/// A grid has, all static: `price(tick)`; `tick(price)`, of the next lower price if it has none there; `fair_min`;
/// and `lowest_bid(fair)`.
template <class Grid>
class MarketSymbols {
 public:
  using Book = MarketBooks::Book;

  /// The books have the numbers from `first` on.
  MarketSymbols(const MarketBooks& books, Random& random, Book first)
      : books_(books), random_(random), first_(first) {}

  /// One more symbol, less active than those before. `step` lies between the prices that most of its orders use.
  void add(Price fair, Price step, std::uint64_t resting_weight) {
    const std::size_t rank = ranked_.size();
    activity_.add((std::uint64_t{1} << 32) / (rank + 10));
    resting_.add(resting_weight);
    ranked_.push_back(first_ + static_cast<Book>(rank));
    symbols_.push_back({fair, step, random_.chance(500) ? 1 : -1});
  }
  /// Gives the ranks to the books at random.
  void shuffle() {
    for (std::size_t rank = ranked_.size(); rank > 1; --rank) {
      std::swap(ranked_[rank - 1], ranked_[random_.below(rank)]);
    }
  }

  [[nodiscard]] Book ranked(std::size_t rank) const { return ranked_[rank]; }

  /// A book by the orders that rest there.
  Book resting() { return ranked_[resting_.draw(random_)]; }
  /// The book of the next message, whose fair price may move, unless the orders there have yet to follow.
  Book active() {
    const Book book = ranked_[activity_.draw(random_)];
    Symbol& symbol = at(book);
    if (random_.chance(20) && !overtaken(book)) {
      if (random_.chance(5)) symbol.trend = -symbol.trend;
      const Price moved = symbol.step * random_.between(1, 2);
      symbol.fair =
          std::max(Grid::fair_min, symbol.fair + (random_.chance(600) ? symbol.trend : -symbol.trend) * moved);
    }
    return book;
  }

  /// An order at the best price that the fair price has passed.
  [[nodiscard]] std::optional<OrderNumber> overtaken(Book book) const {
    const Price fair = Grid::price(at(book).fair);
    const std::optional<Price> bid = books_.best(book, Side::Buy);
    const std::optional<Price> ask = books_.best(book, Side::Sell);
    if (ask && *ask <= fair) return books_.front(book, Side::Sell);
    if (bid && *bid >= fair) return books_.front(book, Side::Buy);
    return std::nullopt;
  }

  // ---- Prices.

  [[nodiscard]] Price fair(Book book) const { return at(book).fair; }
  [[nodiscard]] Price step(Book book) const { return at(book).step; }
  /// A distance of most orders.
  Price near(Book book) {
    const auto steps = static_cast<Price>(random_.geometric(780, 40));
    return 1 + at(book).step * steps;
  }
  /// The price at a distance from the fair one. Bids too low come round to it again.
  [[nodiscard]] Price price_at(Book book, Side side, Price distance) const {
    const Price fair = at(book).fair;
    if (side == Side::Sell) return Grid::price(fair + distance);
    return Grid::price(fair - 1 - (distance - 1) % (fair - Grid::lowest_bid(fair)));
  }
  /// The price nearest to `price` that does not cross.
  [[nodiscard]] Price kept_apart(Book book, Side side, Price price) const {
    const std::optional<Price> touch = books_.best(book, opposite(side));
    if (!touch) return price;
    return side == Side::Buy ? std::min(price, Grid::price(Grid::tick(*touch - 1)))
                             : std::max(price, Grid::price(Grid::tick(*touch) + 1));
  }

 private:
  struct Symbol {
    Price fair;
    Price step;
    Price trend;
  };

  [[nodiscard]] Symbol& at(Book book) { return symbols_[book - first_]; }
  [[nodiscard]] const Symbol& at(Book book) const { return symbols_[book - first_]; }

  const MarketBooks& books_;
  Random& random_;
  Book first_;
  Weights activity_;             // by rank
  Weights resting_;              // by rank
  std::vector<Book> ranked_;     // by rank
  std::vector<Symbol> symbols_;  // by book
};

}  // namespace llmes::bench
