// SPDX-License-Identifier: MIT
//
// What the worlds of the exhaustive search have in common: what may be asked for, and a book to the last bit.
//
// Two books are the same if their slots are, generations and order of the free list included. The slots of orders
// say all of it, because the walk over the invariants has shown that anchors and trees agree with them; where
// anchors are pooled, together with the level of each and the order in which the free ones will be used. Of a book
// without a band they do not say where its windows are, and so which levels lie in them. What a free slot still
// holds of its last order or level must not matter, so it is overwritten with nonsense after each call.
//
// The oracles of two books that are the same are the same. They hold the orders of their books, as was compared;
// how orders of different levels arrived relative to each other is not the same then, but the oracle asks for the
// order of arrival within one level alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/oracle_difference.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

struct SmallWorld {
  static constexpr Price base_price = -64;
  static constexpr std::array<Price, 3> prices{-1, 0, 1};  // across a boundary between two words of the tree
  /// For a book without a band. A window has a price and the next one, but not the one after next; the lowest is
  /// far from all others. Two and two have the same cell.
  static constexpr std::array<Price, 4> spread_prices{-1'024, 0, 300, 812};
  /// For the windows of the books of a set. From where a window follows the touch, the next price is in its last
  /// quarter and the one after next beyond it, except that the lowest is far from all others.
  static constexpr std::array<Price, 4> narrow_prices{-1'000, 0, 37, 75};
  static constexpr std::array<Quantity, 2> quantities{1, 2};
  static constexpr std::array sides{Side::Buy, Side::Sell};
  static constexpr std::array times_in_force{TimeInForce::GoodTillCancel, TimeInForce::PostOnly,
                                             TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill};

  /// Prices with times in force.
  using Limits = std::vector<std::pair<Price, TimeInForce>>;

  /// Every price with every time in force.
  static Limits limits_at(std::span<const Price> prices) {
    Limits limits;
    for (const Price price : prices) {
      for (const TimeInForce time_in_force : times_in_force) limits.emplace_back(price, time_in_force);
    }
    return limits;
  }
  /// Every call on an order: to these limits, or to these prices without a trade. The handle is left out.
  static std::vector<Command> calls_on_handle(const Limits& limits, std::span<const Price> prices) {
    std::vector<Command> calls{Command::cancel({})};
    for (const Quantity quantity : quantities) {
      calls.push_back(Command::reduce({}, quantity));
      calls.push_back(Command::add_resting_before({}, 0, quantity));
      for (const auto& [price, time_in_force] : limits) {
        calls.push_back(Command::modify({}, price, quantity, time_in_force));
        calls.push_back(Command::replace({}, 0, price, quantity, time_in_force));
      }
      for (const Price price : prices) {
        calls.push_back(Command::modify_resting({}, price, quantity));
        calls.push_back(Command::replace_resting({}, 0, price, quantity));
      }
    }
    return calls;
  }

  /// Notes what `command` has done otherwise than the oracle says. If a new order rests, the oracle and `issued`
  /// are told its handle.
  static void compare_answer(const Command& command, const Oracle::Outcome& expected, const Result& result,
                             const std::vector<Trade>& trades, Oracle& oracle, std::vector<OrderHandle>& issued,
                             std::string& difference) {
    if (difference.empty()) difference = difference_of_answers(expected, result, trades);
    if (expected.remaining == 0) {
      note_difference(difference, "handle", OrderHandle{}, result.handle);
    } else if (result.status != Status::Success || !(adds(command.type) || has_new_id(command.type))) {
      note_difference(difference, "handle", command.handle, result.handle);
    } else {
      if (std::ranges::find(issued, result.handle) != issued.end()) {
        difference = "a handle is issued for the second time";
      }
      oracle.name_newest(result.handle);
      issued.push_back(result.handle);
    }
  }

  /// The prices of the orders that rest in a book.
  template <class Book>
  static constexpr auto prices_in() {
    if constexpr (Book::has_band) {
      return prices;
    } else if constexpr (Inspector::is_shared<Book>) {
      return narrow_prices;
    } else {
      return spread_prices;
    }
  }

  template <class Book>
  static void overwrite_free_slots(Book& book) {
    for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
      if (Inspector::generation(book, slot) % 2 == 0) overwrite(book, slot);
    }
    if constexpr (!Book::has_band) {
      for (const SlotIndex anchor : free_anchors(book)) overwrite(book, anchor);
      for (const Side side : sides) {
        rename_empty_places(book, side);
        if constexpr (Inspector::has_cells<Book>) Inspector::missed(book, side) = 63;  // the next miss may move it
      }
    } else if constexpr (Inspector::pools_anchors<Book>) {
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
  /// the free ones of each side in order; where there is no band also the windows, what is in them and beyond. The
  /// shape of the trees does not count: so few levels are a single leaf.
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
    if constexpr (!Book::has_band) {
      for (SlotIndex slot = 0; slot < Inspector::first_order_slot(book); ++slot)
        add(key, Inspector::id(book, slot));
      for (const SlotIndex anchor : free_anchors(book)) add(key, anchor);
      for (const Side side : sides) {
        add(key, Inspector::window_begin(book, side));
        if constexpr (Inspector::has_cells<Book>) {
          add(key, Inspector::window_size(book, side));
        } else {
          for (const SlotIndex anchor : Inspector::window_anchors(book, side)) add(key, anchor);
        }
        add_levels(key, far_levels(book, side));
      }
    } else if constexpr (Inspector::pools_anchors<Book>) {
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
    compare_queries(oracle, book, capacity, difference);
  }
  template <class Book>
  static void compare_queries(const Oracle& oracle, const Book& book, std::size_t capacity,
                              std::string& difference) {
    note_difference(difference, "state", snapshot_of<Book>(oracle, capacity), test::snapshot_of(book));
    for (const Side side : sides) {
      const std::vector<DepthLevel> levels = levels_of(oracle.orders(side));
      for (const Price price : prices_in<Book>()) {
        const auto level = std::ranges::find(levels, price, &DepthLevel::price);
        const DepthLevel expected = level == levels.end() ? DepthLevel{price} : *level;
        note_difference(difference, "level", expected, book.level(side, price));
      }
    }
  }

 protected:
  using Inspector = BookInspector;

  template <class Book>
  static void overwrite(Book& book, SlotIndex slot) {
    Inspector::id(book, slot) = std::numeric_limits<OrderId>::max();
    Inspector::quantity(book, slot) = std::numeric_limits<Quantity>::max();
    Inspector::previous(book, slot) = std::numeric_limits<SlotIndex>::max();
    Inspector::level_of(book, slot) = std::numeric_limits<SlotIndex>::max();
  }

  // ---- Of a book without a band.

  /// Levels by rank, with their anchors.
  using Levels = std::vector<std::pair<std::size_t, SlotIndex>>;

  /// The anchors of the cells where no order rests.
  template <class Book>
  static std::vector<SlotIndex> empty_places(const Book& book, Side side) {
    std::vector<SlotIndex> empty;
    if constexpr (Inspector::has_cells<Book>) {
      const SlotIndex first = side == Side::Buy ? 0 : Inspector::cell_count(book);
      for (SlotIndex at = first; at < first + Inspector::cell_count(book); ++at) {
        if (Inspector::next(book, at) == at) empty.push_back(at);
      }
    } else {
      const std::uint64_t marks = Inspector::window_marks(book, side);
      const auto anchors = Inspector::window_anchors(book, side);
      const std::uint64_t begin = Inspector::window_begin(book, side);
      for (std::size_t at = 0; at < anchors.size(); ++at) {
        if ((marks >> at & 1) == 0) empty.push_back(anchors[(begin + at) % anchors.size()]);
      }
    }
    return empty;
  }
  /// Gives these anchors another rank of their cell, if they have one.
  template <class Book>
  static void rename_empty_places(Book& book, Side side) {
    std::uint64_t window = PoolView::window;
    if constexpr (Inspector::has_cells<Book>) window = Inspector::cell_count(book);
    for (const SlotIndex anchor : empty_places(book, side)) {
      OrderId& id = Inspector::id(book, anchor);
      if (id == FarLevels::no_rank) id = anchor % window;  // of a cell that no level has had yet
      id = (std::uint64_t{1} << 62) + id % window;
    }
  }
  template <class Book>
  static Levels far_levels(const Book& book, Side side) {
    Levels levels;
    const FarLevels& far = Inspector::far(book);
    const FarLevels::Tree& tree = Inspector::far_tree(book, side);
    for (FarLevels::Level level = far.first(tree); level.rank != FarLevels::no_rank;
         level = far.first_from(tree, level.rank + 1)) {
      levels.emplace_back(level.rank, level.anchor);
    }
    return levels;
  }
  static void add_levels(std::string& key, const Levels& levels) {
    add(key, levels.size());
    for (const auto& [rank, anchor] : levels) {
      add(key, rank);
      add(key, anchor);
    }
  }
  /// The anchors that nobody has taken, the next one to be taken first.
  template <class Book>
  static std::vector<SlotIndex> free_anchors(const Book& book) {
    std::size_t count = 0;
    if constexpr (Inspector::has_cells<Book>) {
      count =
          Inspector::first_order_slot(book) - 2 * Inspector::cell_count(book) - Inspector::displaced_count(book);
    } else {
      count = Inspector::free_anchor_count(book);
    }
    std::vector<SlotIndex> anchors(count);
    SlotIndex slot = Inspector::first_free_anchor(book);
    for (SlotIndex& anchor : anchors) slot = Inspector::next(book, anchor = slot);
    return anchors;
  }

 private:
  static std::vector<DepthLevel> levels_of(const std::vector<RestingOrder>& orders) {
    std::vector<DepthLevel> levels;
    for (const RestingOrder& order : orders) {
      if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price});
      levels.back().quantity += order.quantity;
      ++levels.back().order_count;
    }
    return levels;
  }
  template <class Book>
  static Snapshot snapshot_of(const Oracle& oracle, std::size_t capacity) {
    const Price price_min = Book::has_band ? base_price : std::numeric_limits<Price>::min();
    const auto price_max = static_cast<Price>(static_cast<std::uint64_t>(price_min) + Book::price_levels - 1);
    const std::vector<RestingOrder> bids = oracle.orders(Side::Buy);
    const std::vector<RestingOrder> asks = oracle.orders(Side::Sell);
    return {
        bids,          asks,     levels_of(bids), levels_of(asks), oracle.best(Side::Buy), oracle.best(Side::Sell),
        oracle.size(), capacity, price_min,       price_max};
  }
};

}  // namespace llmes::test
