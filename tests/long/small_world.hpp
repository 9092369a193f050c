// SPDX-License-Identifier: MIT
//
// What the worlds of the exhaustive search have in common: what may be asked for, and a book to the last bit.
//
// Two books are the same if their slots are, generations and order of the free list included. The slots of orders
// say all of it, because the walk over the invariants has shown that anchors and trees agree with them; where
// anchors are pooled, together with the level of each and the order in which the free ones will be used. What a
// free slot still holds of its last order or level must not matter, so it is overwritten with nonsense after each
// call.
//
// The oracles of two books that are the same are the same. They hold the orders of their books, as was compared;
// how orders of different levels arrived relative to each other is not the same then, but the oracle asks for the
// order of arrival within one level alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "llmes/llmes.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

struct SmallWorld {
  static constexpr Price base_price = -64;
  static constexpr std::array<Price, 3> prices{-1, 0, 1};  // across a boundary between two words of the tree
  static constexpr std::array<Quantity, 2> quantities{1, 2};
  static constexpr std::array sides{Side::Buy, Side::Sell};
  static constexpr std::array times_in_force{TimeInForce::GoodTillCancel, TimeInForce::PostOnly,
                                             TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill};

  template <class Book>
  static void overwrite_free_slots(Book& book) {
    for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
      if (Inspector::generation(book, slot) % 2 == 0) overwrite(book, slot);
    }
    if constexpr (Inspector::pools_anchors<Book>) {
      for (const Side side : sides) {
        for (const SlotIndex anchor : Inspector::free_anchors(book, side)) {
          Inspector::id(book, anchor) = std::numeric_limits<OrderId>::max();
          overwrite(book, anchor);
        }
        const auto chains = Inspector::chains(book, side);
        std::vector<bool> in_use(chains.size());
        for (std::size_t rank = 0; rank < Book::price_levels; ++rank) {
          if (Inspector::occupied(book, side, rank)) in_use[rank % chains.size()] = true;
        }
        for (std::size_t i = 0; i < chains.size(); ++i) {
          if (!in_use[i]) chains[i] = std::numeric_limits<SlotIndex>::max();
        }
      }
    }
  }

  /// All slots for orders and the head of the free list; where anchors are pooled also which level each is of, and
  /// the free ones of each side in order.
  template <class Book>
  static std::string key_of(const Book& book) {
    std::string key;
    for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
      add(key, Inspector::id(book, slot));
      add(key, Inspector::quantity(book, slot));
      add(key, Inspector::previous(book, slot));
      add(key, Inspector::next(book, slot));
      add(key, Inspector::level_of(book, slot));
      add(key, Inspector::generation(book, slot));
    }
    add(key, Inspector::first_free(book));
    if constexpr (Inspector::pools_anchors<Book>) {
      for (SlotIndex slot = 0; slot < Inspector::first_order_slot(book); ++slot)
        add(key, Inspector::id(book, slot));
      for (const Side side : sides) {
        const std::vector<SlotIndex> anchors = Inspector::free_anchors(book, side);
        add(key, anchors.size());
        for (const SlotIndex anchor : anchors) add(key, anchor);
      }
    }
    return key;
  }

  template <class Number>
  static void add(std::string& key, Number number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }

  /// Notes a broken invariant, and a query that the book answers otherwise than the oracle.
  template <class Book>
  static void compare(const Oracle& oracle, const Book& book, std::size_t capacity, std::string& difference) {
    if (difference.empty()) difference = broken_invariant(book).value_or("");
    const Price price_max = base_price + static_cast<Price>(Book::price_levels) - 1;
    note_difference(difference, "state", snapshot_of(oracle, capacity, price_max), test::snapshot_of(book));
    for (const Side side : sides) {
      const std::vector<DepthLevel> levels = levels_of(oracle.orders(side));
      for (const Price price : prices) {
        const auto level = std::ranges::find(levels, price, &DepthLevel::price);
        const DepthLevel expected = level == levels.end() ? DepthLevel{price} : *level;
        note_difference(difference, "level", expected, book.level(side, price));
      }
    }
  }

 private:
  using Inspector = BookInspector;

  template <class Book>
  static void overwrite(Book& book, SlotIndex slot) {
    Inspector::id(book, slot) = std::numeric_limits<OrderId>::max();
    Inspector::quantity(book, slot) = std::numeric_limits<Quantity>::max();
    Inspector::previous(book, slot) = std::numeric_limits<SlotIndex>::max();
    Inspector::level_of(book, slot) = std::numeric_limits<SlotIndex>::max();
  }

  static std::vector<DepthLevel> levels_of(const std::vector<RestingOrder>& orders) {
    std::vector<DepthLevel> levels;
    for (const RestingOrder& order : orders) {
      if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price});
      levels.back().quantity += order.quantity;
      ++levels.back().order_count;
    }
    return levels;
  }
  static Snapshot snapshot_of(const Oracle& oracle, std::size_t capacity, Price price_max) {
    const std::vector<RestingOrder> bids = oracle.orders(Side::Buy);
    const std::vector<RestingOrder> asks = oracle.orders(Side::Sell);
    return {
        bids,          asks,     levels_of(bids), levels_of(asks), oracle.best(Side::Buy), oracle.best(Side::Sell),
        oracle.size(), capacity, base_price,      price_max};
  }
};

}  // namespace llmes::test
