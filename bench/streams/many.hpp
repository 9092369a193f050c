// SPDX-License-Identifier: MIT
//
// The feed of a whole market: 44 % adds, 43 % deletes, 8.5 % replaces, 4.5 % reductions, which are executions at
// the front of a book and partial cancels. The activity of the symbols follows a power law, and so, less steeply,
// do the orders that rest there when the stream begins. Most orders that leave are young, but some are old: the
// age of the next one is equally likely to lie in any octave. References grow. Between those of old orders there
// are wide gaps, left by orders that are gone.
//
// Each symbol has a scale of its own, from 8 ticks to half a million, and a fair price that wanders. Orders arrive
// near it, some far away and a few as stub quotes at the ends of the scale. Now and then the orders of a book may
// lock or cross it for a while.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/streams/market_planner.hpp"
#include "bench/streams/market_symbols.hpp"

namespace llmes::bench {

class ManyFlow {
 public:
  static constexpr std::size_t symbols_max = 65'536;

  explicit ManyFlow(const MarketSpec& spec)
      : standing_(spec.standing),
        planner_(checked(spec)),
        books_(planner_.books()),
        random_(planner_.random),
        symbols_(books_, random_, 0),
        crossing_(spec.symbols) {
    for (std::size_t rank = 0; rank < spec.symbols; ++rank) {
      const auto octave = random_.between(3, 18);
      const Price least = Price{1} << octave;
      const Price fair = least + static_cast<Price>(random_.below(static_cast<std::uint64_t>(least)));
      symbols_.add(fair, 1 + (fair >> 16), (std::uint64_t{1} << 32) / square_root((rank + 10) << 20));
    }
    symbols_.shuffle();
  }

  MarketPlanner& planner() { return planner_; }

  /// The orders that rest when the stream begins: the older, the further apart are their references.
  void seed() {
    for (std::size_t left = standing_; left > 0; --left) {
      const std::uint64_t gap_mean = 2 + 90 * left / standing_;
      const Book book = symbols_.resting();
      const Side side = random_.side();
      const std::uint64_t draw = random_.below(1000);
      const Price distance = draw < 450 ? symbols_.near(book) : draw < 800 ? any_near() : away(draw < 990);
      const Quantity quantity = draw_shares(random_);
      const std::uint64_t gap = 1 + random_.below(2 * gap_mean - 1);
      planner_.add(book, side, symbols_.kept_apart(book, side, price_at(book, side, distance)), quantity, gap);
    }
  }

  /// One message.
  void step() {
    const std::size_t margin = 1 + standing_ / 100;
    const std::uint64_t draw = random_.below(1000);
    if (books_.resting() + margin < standing_ || books_.resting() == 0) {
      draw < 870 ? add() : other(draw);
    } else if (books_.resting() > standing_ + margin) {
      draw < 870 ? cancel() : other(draw);
    } else if (draw < 440) {
      add();
    } else if (draw < 870) {
      cancel();
    } else {
      other(draw);
    }
  }

 private:
  using Book = MarketPlanner::Book;

  /// Ticks are prices.
  struct Grid {
    static constexpr Price fair_min = 4;
    static Price price(Price tick) { return tick; }
    static Price tick(Price price) { return price; }
    static Price lowest_bid(Price) { return 1; }
  };

  static const MarketSpec& checked(const MarketSpec& spec) {
    if (spec.symbols == 0 || spec.symbols > symbols_max) {
      throw std::invalid_argument("a market has 1 to 65,536 symbols");
    }
    if (spec.standing == 0) throw std::invalid_argument("there must be at least one order in the market");
    return spec;
  }

  void other(std::uint64_t draw) {
    if (books_.resting() == 0) return add();
    draw < 955 ? replace() : reduce();
  }

  void add() {
    const Book book = symbols_.active();
    int& crossing = crossing_[book];
    const Side side = random_.side();
    const std::uint64_t draw = random_.below(1000);
    const Price distance = draw < 940 ? symbols_.near(book) : away(draw < 997);
    Price price = price_at(book, side, distance);
    if (crossing == 0 && random_.below(8'000) == 0) crossing = 30;
    const std::optional<Price> touch = books_.best(book, opposite(side));
    if (crossing > 0 && touch && random_.chance(500)) {
      price = *touch + forward(side) * static_cast<Price>(random_.below(3));
    } else {
      price = symbols_.kept_apart(book, side, price);
    }
    crossing -= crossing > 0;
    const Quantity quantity = draw_shares(random_);
    planner_.add(book, side, price, quantity, gap());
  }

  void cancel() {
    if (random_.chance(250)) {
      if (const std::optional<OrderNumber> order = stale(symbols_.active())) return planner_.cancel(*order);
    }
    planner_.cancel(books_.order_by_age(random_));
  }

  void replace() {
    const OrderNumber order = books_.order_by_age(random_);
    const Book book = books_.order(order).book;
    const Side side = books_.order(order).side;
    Price price = books_.order(order).price;
    if (random_.chance(600)) {
      price += random_.either_way(symbols_.step(book) * random_.between(0, 3));
    } else {
      price = price_at(book, side, symbols_.near(book));
    }
    const Quantity quantity = random_.chance(500) ? books_.order(order).quantity : draw_shares(random_);
    planner_.replace(order, symbols_.kept_apart(book, side, price), quantity, gap());
  }

  void reduce() {
    const Book book = symbols_.active();
    const bool executes = random_.chance(600);
    std::optional<OrderNumber> front = stale(book);
    if (!front) {
      Side side = random_.side();
      if (!books_.best(book, side)) side = opposite(side);
      if (books_.best(book, side)) front = books_.front(book, side);
    }
    const OrderNumber order = executes && front ? *front : books_.order_by_age(random_);
    const Quantity open = books_.order(order).quantity;
    const bool all = open == 1 || (executes && random_.chance(400));
    planner_.reduce(order, all ? open : 1 + random_.below(open - 1));
  }

  /// An order that the fair price has passed, or one that crosses when none may: the younger one.
  [[nodiscard]] std::optional<OrderNumber> stale(Book book) const {
    const std::optional<OrderNumber> passed = symbols_.overtaken(book);
    if (passed || crossing_[book] > 0 || !books_.is_crossed(book)) return passed;
    return std::max(books_.front(book, Side::Buy), books_.front(book, Side::Sell));
  }

  Price any_near() { return random_.between(1, 64); }
  /// Far away, as a rule at a round distance, or as far as it gets.
  Price away(bool by_power_law) {
    if (!by_power_law) return stub;
    const auto steps = static_cast<Price>(random_.power_law(1'000));
    return 64 * steps + 16 * random_.between(1, 4);
  }

  [[nodiscard]] Price price_at(Book book, Side side, Price distance) const {
    return side == Side::Buy && distance == stub ? 1 : symbols_.price_at(book, side, distance);
  }

  std::uint64_t gap() { return 1 + random_.below(4); }

  /// Takes more than 32 bits.
  static constexpr Price stub = 199'999'990'000;

  std::size_t standing_;
  MarketPlanner planner_;
  const MarketBooks& books_;
  Random& random_;
  MarketSymbols<Grid> symbols_;
  std::vector<int> crossing_;  // by book: how many more orders may lock or cross it
};

}  // namespace llmes::bench
