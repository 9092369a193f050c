// SPDX-License-Identifier: MIT
//
// All answers of a book's queries in one value. If two snapshots are equal, no query distinguishes the two
// books.
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {

struct Snapshot {
  std::vector<RestingOrder> bids;  ///< in priority order
  std::vector<RestingOrder> asks;
  std::vector<DepthLevel> bid_depth;
  std::vector<DepthLevel> ask_depth;
  std::optional<Price> best_bid;
  std::optional<Price> best_ask;
  std::size_t size = 0;
  std::size_t capacity = 0;
  Price price_min = 0;
  Price price_max = 0;

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Snapshot& snapshot) {
  out << "bids: ";
  describe(out, snapshot.bids);
  out << "\n  in levels: ";
  describe(out, snapshot.bid_depth);
  out << "\n  best: ";
  describe(out, snapshot.best_bid);
  out << "\nasks: ";
  describe(out, snapshot.asks);
  out << "\n  in levels: ";
  describe(out, snapshot.ask_depth);
  out << "\n  best: ";
  describe(out, snapshot.best_ask);
  return out << "\nsize " << snapshot.size << " of " << snapshot.capacity << ", band " << snapshot.price_min
             << " to " << snapshot.price_max;
}

template <class Book>
std::vector<RestingOrder> orders_of(const Book& book, Side side) {
  std::vector<RestingOrder> orders;
  book.visit_orders(side, [&orders](const RestingOrder& order) { orders.push_back(order); });
  return orders;
}

template <class Book>
std::vector<DepthLevel> depth_of(const Book& book, Side side) {
  std::vector<DepthLevel> levels(book.size() + 1);
  levels.resize(book.depth(side, levels));
  return levels;
}

template <class Book>
Snapshot snapshot_of(const Book& book) {
  return {orders_of(book, Side::Buy),
          orders_of(book, Side::Sell),
          depth_of(book, Side::Buy),
          depth_of(book, Side::Sell),
          book.best_bid(),
          book.best_ask(),
          book.size(),
          book.capacity(),
          book.price_min(),
          book.price_max()};
}

}  // namespace llmes::test
