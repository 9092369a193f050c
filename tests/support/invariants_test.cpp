// SPDX-License-Identifier: MIT
//
// The walk over a book's invariants finds each one that is broken, and nothing in books that are intact.
#include "tests/support/invariants.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/extremes.hpp"

namespace llmes::test {
namespace {

using Inspector = BookInspector;

template <class AnyOrderBook>
class Invariants : public ::testing::Test {
 protected:
  using Book = AnyOrderBook;
  static constexpr std::size_t n = Book::price_levels;

  /// Three bids of 1, 2 and 3 lots on the best level, one on the next, one ask, and five free slots.
  Invariants() {
    orders = {add(Side::Buy, 0, 1), add(Side::Buy, 0, 2), add(Side::Buy, 0, 3), add(Side::Buy, -1, 4),
              add(Side::Sell, 1, 5)};
    anchor = Inspector::level_of(book, orders[0]);
    free = Inspector::first_free(book);
  }

  SlotIndex add(Side side, Price price, Quantity quantity) {
    return book.add_limit_order(0, side, price, quantity, TimeInForce::GoodTillCancel, DiscardTrades{})
        .handle.index;
  }

  /// Sets a private part to `value`, expects a complaint with `expected` in it, and puts it right again.
  template <class Part>
  void expect_noticed(Part& part, Part value, const std::string& expected) {
    ASSERT_EQ(broken_invariant(book), std::nullopt);
    const Part before = std::exchange(part, value);
    ASSERT_NE(before, value);
    EXPECT_NE(broken_invariant(book).value_or("nothing").find(expected), std::string::npos)
        << expected << ", but it says: " << broken_invariant(book).value_or("nothing");
    part = before;
  }

  Book book = *Book::create({.base_price = -static_cast<Price>(n / 2), .capacity = 10});
  std::vector<SlotIndex> orders;
  SlotIndex anchor;
  SlotIndex free;
};

using WalkedBooks = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>,
                                     OrderBook<262144>, WideOrderBook<64>, WideOrderBook<128>, WideOrderBook<8192>,
                                     AnyPriceBook<64>, AnyPriceBook<512>, AnyPriceBook<8192>, AnyPriceBook<>>;
TYPED_TEST_SUITE(Invariants, WalkedBooks);

TYPED_TEST(Invariants, HoldOfNewFilledDrainedAndMovedBooks) {
  EXPECT_EQ(broken_invariant(*TestFixture::Book::create({.base_price = 0, .capacity = 1})), std::nullopt);
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
  auto moved = std::move(this->book);
  EXPECT_EQ(broken_invariant(moved), std::nullopt);
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
  moved.add_market_order(9, Side::Sell, 10, DiscardTrades{});
  moved.add_market_order(9, Side::Buy, 10, DiscardTrades{});
  EXPECT_EQ(moved.size(), 0u);
  EXPECT_EQ(broken_invariant(moved), std::nullopt);
}

TYPED_TEST(Invariants, OfLinks) {
  auto& book = this->book;
  const auto& orders = this->orders;
  this->expect_noticed(Inspector::next(book, this->anchor), this->anchor, "does not link back");
  this->expect_noticed(Inspector::next(book, this->anchor), orders[1], "does not link back");
  this->expect_noticed(Inspector::previous(book, this->anchor), orders[1], "the anchor does not link back");
  this->expect_noticed(Inspector::next(book, orders[0]), orders[2], "does not link back");
  this->expect_noticed(Inspector::previous(book, orders[2]), orders[0], "does not link back");
  this->expect_noticed(Inspector::next(book, orders[2]), orders[0], "linked twice");
  this->expect_noticed(Inspector::next(book, orders[0]), SlotIndex{1}, "no order");
  this->expect_noticed(Inspector::next(book, orders[0]), Inspector::slot_count(book), "no order");
  this->expect_noticed(Inspector::level_of(book, orders[1]), this->anchor + 1, "rests on another level");
}

TYPED_TEST(Invariants, OfTotalsAndCounts) {
  auto& book = this->book;
  const auto& orders = this->orders;
  this->expect_noticed(Inspector::quantity(book, this->anchor), Quantity{7}, "the total is 7, its orders have 6");
  this->expect_noticed(Inspector::quantity(book, orders[1]), Quantity{1}, "the total is 6, its orders have 5");
  this->expect_noticed(Inspector::quantity(book, orders[1]), Quantity{0}, "has no open lots");
  this->expect_noticed(Inspector::quantity(book, orders[1]), most, "wraps");
  this->expect_noticed(Inspector::order_count(book, this->anchor), 2u, "the count is 2, it has 3");
  this->expect_noticed(Inspector::live_count(book), std::size_t{4}, "counts 4 orders, its levels have 5");
  if constexpr (TypeParam::has_band && !Inspector::pools_anchors<TypeParam>) {
    const SlotIndex empty = Inspector::anchor(book, Side::Sell, 0);
    this->expect_noticed(Inspector::quantity(book, empty), Quantity{1}, "the total is 1, its orders have 0");
    this->expect_noticed(Inspector::order_count(book, empty), 1u, "the count is 1, it has 0");
  }
}

TYPED_TEST(Invariants, OfGenerations) {
  auto& book = this->book;
  this->expect_noticed(Inspector::generation(book, this->orders[1]), 2u, "even generation of a free one");
  this->expect_noticed(Inspector::generation(book, this->free), 1u, "odd generation of a live one");
  this->expect_noticed(Inspector::generation(book, this->anchor), 1u, "the anchor has the generation 1");
}

TYPED_TEST(Invariants, OfAnchors) {
  if constexpr (Inspector::pools_anchors<TypeParam>) {
    auto& id = Inspector::id(this->book, this->anchor);
    this->expect_noticed(id, id + 1, "is no anchor of this side");
    this->expect_noticed(id, id + this->n, "the anchor has the id " + std::to_string(id + this->n));
  } else if constexpr (Inspector::has_cells<TypeParam>) {
    auto& id = Inspector::id(this->book, this->anchor);
    this->expect_noticed(id, id + 1, "is in another cell");
    this->expect_noticed(id, id + Inspector::cell_count(this->book), "tree");
    this->expect_noticed(id, FarLevels::no_rank, "of the largest price");
    this->expect_noticed(Inspector::generation(this->book, this->anchor), 2u, "the anchor has the generation 2");
  } else {
    this->expect_noticed(Inspector::id(this->book, this->anchor), OrderId{7}, "the anchor has the id 7");
  }
}

TYPED_TEST(Invariants, OfPooledAnchors) {
  if constexpr (Inspector::pools_anchors<TypeParam>) {
    auto& book = this->book;
    const std::size_t rank = this->n / 2 - 1;  // that of price 0 for bids
    const SlotIndex of_the_other_side = Inspector::anchor_count(book);
    ASSERT_EQ(Inspector::anchor(book, Side::Buy, rank), this->anchor);
    const auto chains = Inspector::chains(book, Side::Buy);
    auto& chain = chains[rank % chains.size()];
    this->expect_noticed(chain, Inspector::slot_count(book), "is no anchor of this side");
    auto& free_anchor = Inspector::first_free_anchor(book, Side::Buy);
    const SlotIndex first_free = free_anchor;
    this->expect_noticed(free_anchor, this->anchor, "is in use, or in the list twice");
    this->expect_noticed(free_anchor, of_the_other_side, "is none of this side");
    this->expect_noticed(free_anchor, Inspector::slot_count(book), "is none of this side");
    this->expect_noticed(Inspector::next(book, first_free), first_free, "is in use, or in the list twice");
    this->expect_noticed(Inspector::generation(book, first_free), 1u, "has the generation 1");
  }
}

TYPED_TEST(Invariants, OfTheFreeList) {
  auto& book = this->book;
  this->expect_noticed(Inspector::first_free(book), Inspector::next(book, this->free), "is lost");
  this->expect_noticed(Inspector::first_free(book), Inspector::no_slot, "is lost");
  this->expect_noticed(Inspector::first_free(book), this->orders[0], "is on a level");
  this->expect_noticed(Inspector::first_free(book), this->anchor + 1, "is none for orders");
  this->expect_noticed(Inspector::first_free(book), Inspector::slot_count(book), "is none for orders");
  this->expect_noticed(Inspector::next(book, this->free), this->free, "in the list twice");
  this->expect_noticed(Inspector::next(book, this->free), Inspector::no_slot, "is lost");
}

template <class AnyOrderBook>
class BandInvariants : public Invariants<AnyOrderBook> {};
using BandBooks = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>,
                                   OrderBook<262144>, WideOrderBook<64>, WideOrderBook<128>, WideOrderBook<8192>>;
TYPED_TEST_SUITE(BandInvariants, BandBooks);

/// Every bit of the words that orders, or nothing, or a stopper should have set. Pooled anchors may show it first.
TYPED_TEST(BandInvariants, OfTheTree) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (auto words : Inspector::tree(this->book, side)) {
      for (const std::size_t word : {std::size_t{0}, words.size() / 2, words.size() - 1}) {
        for (const int bit : {0, 1, 31, 63}) {
          this->expect_noticed(words[word], words[word] ^ (std::uint64_t{1} << bit),
                               Inspector::pools_anchors<TypeParam> ? ":" : "tree");
        }
      }
    }
  }
}

TYPED_TEST(BandInvariants, OfATreeWithoutOrders) {
  auto moved = std::move(this->book);
  auto leaf = Inspector::tree(this->book, Side::Sell)[0];
  this->expect_noticed(leaf[0], leaf[0] ^ 2u, "tree");
}

/// With orders so far from the touch that they are in trees of two heights, and with displaced levels.
template <class AnyOrderBook>
class CellInvariants : public ::testing::Test {
 protected:
  using Book = AnyOrderBook;

  CellInvariants() {
    for (const Price away : {0, 1, 30}) {
      bid_anchors.push_back(Inspector::level_of(book, add(Side::Buy, -away)));
      add(Side::Sell, 1 + away);
    }
    for (Price far = 1; far <= 40; ++far) {
      add(Side::Buy, far * -1'000'000);
      add(Side::Sell, far * 1'000'000);
    }
    rank = Inspector::id(book, bid_anchors[0]);
    const auto same_place = static_cast<Price>(Inspector::cell_count(book)) * 100'000;
    displaced = Inspector::level_of(book, add(Side::Buy, -same_place));
    spare = Inspector::first_free_anchor(book);
  }

  SlotIndex add(Side side, Price price) {
    return book.add_limit_order(0, side, price, 2, TimeInForce::GoodTillCancel, DiscardTrades{}).handle.index;
  }

  auto& tree() { return Inspector::far_tree(book, Side::Buy); }
  FarLevels& far() { return Inspector::far(book); }

  /// Breaks something by `change`, expects a complaint with `expected` in it, and puts everything right again.
  template <class Change>
  void expect_noticed(Change change, const std::string& expected) {
    ASSERT_EQ(broken_invariant(book), std::nullopt);
    Inspector::copy(book, intact);
    change();
    EXPECT_NE(broken_invariant(book).value_or("nothing").find(expected), std::string::npos)
        << expected << ", but it says: " << broken_invariant(book).value_or("nothing");
    Inspector::copy(intact, book);
    ASSERT_EQ(broken_invariant(book), std::nullopt);
  }

  /// Sets the rank of an entry of a far node, and whom it names.
  void set(std::uint32_t node, std::size_t i, std::uint64_t to, std::uint32_t named) {
    Inspector::set_far_entry(far(), node, i, {to, named});
  }

  Book book = *Book::create({.capacity = 100});
  Book intact = *Book::create({.capacity = 100});
  std::vector<SlotIndex> bid_anchors;
  std::uint64_t rank;   ///< of the best bid
  SlotIndex displaced;  ///< the anchor of a level at the cell of the best bid
  SlotIndex spare;      ///< an anchor that no level has
};

using PlacedBooks = ::testing::Types<AnyPriceBook<64>, AnyPriceBook<512>, AnyPriceBook<8192>, AnyPriceBook<>>;
TYPED_TEST_SUITE(CellInvariants, PlacedBooks);

TYPED_TEST(CellInvariants, HoldOfFilledAndMovedBooks) {
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
  const auto moved = std::move(this->book);
  EXPECT_EQ(broken_invariant(moved), std::nullopt);
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
}

TYPED_TEST(CellInvariants, OfTheWindow) {
  auto& begin = Inspector::window_begin(this->book, Side::Buy);
  auto& size = Inspector::window_size(this->book, Side::Buy);
  auto& ahead = Inspector::ahead(this->book, Side::Buy);
  const std::uint64_t window = size;
  this->expect_noticed([&] { begin = 1 - window; }, "it begins at");
  this->expect_noticed([&] { ++begin; }, "tree");
  this->expect_noticed([&] { size = window + 1; }, "it is too large");
  this->expect_noticed([&] { size = this->rank - begin; }, "");
  this->expect_noticed([&] { ahead = 7; }, "the best level ahead of it is another one");
  for (auto words : Inspector::tree(this->book, Side::Buy)) {
    for (const int bit : {0, 1, 31, 63}) {
      this->expect_noticed([&] { words[words.size() / 2] ^= std::uint64_t{1} << bit; }, "tree");
    }
  }
}

TYPED_TEST(CellInvariants, OfDisplacedLevels) {
  auto& book = this->book;
  ASSERT_NE(this->displaced, this->bid_anchors[0]);
  ASSERT_GE(this->displaced, 2 * Inspector::cell_count(book));
  auto& id = Inspector::id(book, this->displaced);
  this->expect_noticed([&] { ++id; }, "is displaced to slot");
  this->expect_noticed([&] { id = FarLevels::no_rank; }, "is in the tree with another anchor");
  this->expect_noticed([&] { Inspector::id(book, this->spare) = id; }, "is displaced to slot");
  this->expect_noticed([&] { Inspector::generation(book, this->displaced) = 1U << 31; }, "with another anchor");
  this->expect_noticed(
      [&] {
        for (auto& entry : Inspector::displaced(book)) entry = {};
      },
      "is displaced to slot");
  this->expect_noticed(
      [&] {
        for (auto& entry : Inspector::displaced(book)) {
          if (!entry.used()) {
            entry = {this->spare + 1, 0};
            break;
          }
        }
      },
      "the table has");
}

/// An order that is taken off without the care of its level.
TYPED_TEST(CellInvariants, OfALevelWithoutOrders) {
  const auto take_off = [this](SlotIndex anchor) {
    const SlotIndex order = Inspector::next(this->book, anchor);
    Inspector::next(this->book, anchor) = Inspector::previous(this->book, anchor) = anchor;
    Inspector::quantity(this->book, anchor) = Inspector::order_count(this->book, anchor) = 0;
    ++Inspector::generation(this->book, order);
    Inspector::next(this->book, order) = std::exchange(Inspector::first_free(this->book), order);
    --Inspector::live_count(this->book);
  };
  this->expect_noticed([&] { take_off(this->bid_anchors[0]); }, "tree");
  this->expect_noticed([&] { take_off(this->displaced); }, "displaced, without an order");
  const auto far_level = Inspector::far_node(this->far(), this->tree().first_leaf)[0];
  this->expect_noticed([&] { take_off(far_level.anchor); }, "displaced, without an order");
}

TYPED_TEST(CellInvariants, OfWhatLiesBeyondIt) {
  ASSERT_EQ(this->tree().height, 2u);
  const std::uint32_t leaf = this->tree().first_leaf;
  const auto [rank, anchor] = Inspector::far_node(this->far(), leaf)[0];
  this->expect_noticed([&, anchor = anchor] { this->set(leaf, 0, this->rank + 2, anchor); },
                       "not beyond the window");
  this->expect_noticed([&, anchor = anchor] { this->set(leaf, 0, 5, anchor); }, "with another anchor");
  this->expect_noticed([&, rank = rank] { this->set(leaf, 0, rank, this->bid_anchors[0]); },
                       "with another anchor");
  this->expect_noticed([&, rank = rank] { this->set(leaf, 0, rank, Inspector::first_order_slot(this->book)); },
                       "with another anchor");
}

TYPED_TEST(CellInvariants, OfTheTreeBehindIt) {
  auto& tree = this->tree();
  const auto node = [this](std::uint32_t i) { return Inspector::far_node(this->far(), i); };
  const std::uint32_t leaf = tree.first_leaf;
  const std::uint32_t last_leaf = node(tree.root)[1].anchor;
  const std::uint32_t free = node(0)[0].anchor;
  const auto swap_entries = [&] {
    const auto entries = node(leaf);
    this->set(leaf, 3, entries[4].rank, entries[4].anchor);
    this->set(leaf, 4, entries[3].rank, entries[3].anchor);
  };
  const auto name_twice = [&] { this->set(tree.root, 1, node(tree.root)[1].rank, leaf); };
  const auto name_none = [&] { this->set(tree.root, 1, node(tree.root)[1].rank, 1'000); };
  const auto narrow = [&] { this->set(tree.root, 1, node(leaf)[5].rank, last_leaf); };
  const auto cut_off = [&] { this->set(leaf, 5, FarLevels::no_rank, 0); };
  const auto thin_out = [&] {
    for (std::size_t i = 5; i < Inspector::far_width; ++i) this->set(leaf, i, FarLevels::no_rank, 0);
  };
  this->expect_noticed(swap_entries, "is not in order at 3");
  this->expect_noticed(name_twice, "is used twice");
  this->expect_noticed(name_none, "there is no node 1000");
  this->expect_noticed(narrow, "is not in order at");
  this->expect_noticed(cut_off, "has entries behind the unused ones");
  this->expect_noticed(thin_out, "has only 5 entries");
  this->expect_noticed([&] { tree.first_leaf = last_leaf; }, "is not known as the first");
  this->expect_noticed([&] { tree.height = 0; }, "an empty tree has a node");
  this->expect_noticed([&] { tree = {}; }, "it has 0 levels, beyond the window are 41");
  this->expect_noticed([&] { this->set(0, 0, FarLevels::no_rank, 0); }, "is lost");
  this->expect_noticed([&] { this->set(0, 0, FarLevels::no_rank, leaf); }, "is used twice");
  this->expect_noticed([&] { this->set(free, 0, 7, 0); }, "has entries");
}

TYPED_TEST(CellInvariants, OfFreeAnchors) {
  auto& free = Inspector::first_free_anchor(this->book);
  const SlotIndex first_free = free;
  this->expect_noticed([&] { free = this->displaced; }, "is in use, or in the list twice");
  this->expect_noticed([&] { free = this->bid_anchors[0]; }, "is none");
  this->expect_noticed([&] { free = Inspector::first_order_slot(this->book); }, "is none");
  this->expect_noticed([&] { free = Inspector::next(this->book, first_free); }, "is none");
  this->expect_noticed([&] { Inspector::next(this->book, first_free) = first_free; }, "in the list twice");
  this->expect_noticed([&] { Inspector::generation(this->book, first_free) = 1; },
                       "odd generation of a live order");
}

// ---- Of a set.

class SetInvariants : public ::testing::Test {
 protected:
  SetInvariants() {
    for (BookNumber book = 0; book < 2; ++book) {
      EXPECT_EQ(set.add_book(), book);
      for (const Price price : {0, 5, 1'000, 2'000}) {
        EXPECT_EQ(set.add_resting_order(book, 0, Side::Sell, price, 2).status, Status::Success);
      }
    }
  }

  template <class Change>
  void expect_noticed(Change change, const std::string& expected) {
    ASSERT_EQ(broken_invariant(set), std::nullopt);
    Inspector::copy(set, intact);
    change();
    EXPECT_NE(broken_invariant(set).value_or("nothing").find(expected), std::string::npos)
        << expected << ", but it says: " << broken_invariant(set).value_or("nothing");
    Inspector::copy(intact, set);
    ASSERT_EQ(broken_invariant(set), std::nullopt);
  }

  static constexpr BookSetConfig config{.max_books = 3, .capacity = 20};
  BookSet set = *BookSet::create(config);
  BookSet intact = *BookSet::create(config);
  std::vector<BookSet::Book> books = Inspector::books(set);
};

TEST_F(SetInvariants, HoldOfNewFilledAndMovedSets) {
  EXPECT_EQ(broken_invariant(*BookSet::create({.max_books = 1, .capacity = 1, .far_levels = 0})), std::nullopt);
  const BookSet moved = std::move(set);
  EXPECT_EQ(broken_invariant(moved), std::nullopt);
  EXPECT_EQ(broken_invariant(set), std::nullopt);
}

TEST_F(SetInvariants, OfWhatEachBookHas) {
  expect_noticed([&] { ++Inspector::own_size(books[1]); }, "the book says it has 5 orders, its levels have 4");
  expect_noticed([&] { ++Inspector::own_size(books[2]); }, "the book says it has 1 orders, its levels have 0");
  expect_noticed([&] { ++Inspector::live_count(books[0]); }, "the book counts 9 orders, its levels have 8");
  expect_noticed([&] { ++Inspector::free_anchor_count(books[0]); }, "free anchors: the pool counts 17");
  const auto first = Inspector::window_anchors(books[0], Side::Sell);
  const auto second = Inspector::window_anchors(books[1], Side::Sell);
  expect_noticed([&] { std::swap(first[0], second[0]); }, "the anchor has the generation");
  const auto free_a_first_anchor = [&] {
    const SlotIndex free = Inspector::first_free_anchor(books[0]);
    const SlotIndex anchor = std::exchange(first[30], free);
    Inspector::first_free_anchor(books[0]) = anchor;
    Inspector::next(books[0], anchor) = Inspector::next(books[0], free);
    Inspector::next(books[0], free) = free;
    Inspector::previous(books[0], free) = free;
    Inspector::generation(books[0], free) = Inspector::generation(books[0], anchor);
    Inspector::id(books[0], free) = std::exchange(Inspector::id(books[0], anchor), 7);
  };
  expect_noticed(free_a_first_anchor, "could be taken for that of a cell");
  expect_noticed([&] { ++Inspector::id(books[0], first[30]); },
                 "the anchor of its cell has a rank of another one");
  expect_noticed([&] { std::swap(first[30], second[30]); }, "the anchor of its cell is of another side");
  expect_noticed([&] { second[0] = first[0]; }, "is that of another level");
  expect_noticed([&] { Inspector::generation(books[1], second[0]) += 2; }, "the anchor has the generation");
  expect_noticed([&] { Inspector::far_tree(books[2], Side::Buy) = Inspector::far_tree(books[1], Side::Sell); },
                 "is used twice");
  expect_noticed(
      [&] { std::swap(Inspector::far_tree(books[0], Side::Sell), Inspector::far_tree(books[1], Side::Sell)); },
      "the anchor has the generation");
}

TEST_F(SetInvariants, OfTheWindow) {
  auto& begin = Inspector::window_begin(books[0], Side::Sell);
  auto& marks = Inspector::window_marks(books[0], Side::Sell);
  const auto cell = static_cast<std::uint64_t>(std::countr_zero(marks));
  const std::uint64_t next_rank = begin + cell + 1;
  OrderId& next_id =
      Inspector::id(books[0], Inspector::window_anchors(books[0], Side::Sell)[next_rank % PoolView::window]);
  const auto mark_the_next = [&] { marks |= std::uint64_t{2} << cell; };
  const auto begin_too_late = [&] {
    begin = 1 - std::uint64_t{PoolView::window};
    Inspector::held_distance(books[0], Side::Sell) = 0;
  };
  expect_noticed(begin_too_late, "it begins at");
  expect_noticed([&] { begin = 0 - std::uint64_t{PoolView::window}; }, "held level Sell: at the other end");
  expect_noticed([&] { ++begin; }, "the anchor has the id");
  expect_noticed([&] { marks &= marks - 1; }, "has orders, and no mark");
  expect_noticed(mark_the_next, "the anchor has the id");
  expect_noticed(
      [&] {
        mark_the_next();
        next_id = next_rank;
      },
      "in use, without an order");
}

TEST_F(SetInvariants, OfTheTreeBehindTheWindow) {
  const std::uint32_t leaf = Inspector::far_tree(books[0], Side::Sell).first_leaf;
  FarLevels& far = Inspector::far(books[0]);
  const FarLevels::Level level = Inspector::far_node(far, leaf)[0];
  const std::uint64_t begin = Inspector::window_begin(books[0], Side::Sell);
  const std::uint64_t held =
      begin + static_cast<std::uint64_t>(std::int64_t{Inspector::held_distance(books[0], Side::Sell)});
  const auto set_rank = [&](std::uint64_t rank) { Inspector::set_far_entry(far, leaf, 0, {rank, level.anchor}); };
  expect_noticed([&] { set_rank(begin); }, "is in the tree, and not behind the window");
  expect_noticed([&] { set_rank(held); }, "is held, and in the tree");
  expect_noticed([&] { set_rank(level.rank + 1); }, "the anchor has the id");
}

TEST_F(SetInvariants, OfTheLevelThatASideHolds) {
  auto& distance = Inspector::held_distance(books[0], Side::Sell);
  auto& anchor = Inspector::held_anchor(books[0], Side::Sell);
  ASSERT_NE(set.add_resting_order(0, 1, Side::Sell, 1'000'000, 1).handle, OrderHandle{});
  ASSERT_GT(distance, 0);
  expect_noticed([&] { ++distance; }, "the anchor has the id");
  expect_noticed([&] { distance = 5; }, "is held, and the window has it");
  expect_noticed([&] { distance = 0; }, "the book says it has 5 orders, its levels have 4");
  expect_noticed([&] { distance = -distance; }, "the anchor has the id");
  expect_noticed([&] { distance = std::numeric_limits<std::int32_t>::min(); }, "the anchor has the id");
  expect_noticed([&] { anchor = Inspector::slot_count(books[0]); }, "is no anchor");
  expect_noticed([&] { anchor = Inspector::window_anchors(books[0], Side::Sell)[0]; }, "the anchor has the id");
  const auto empty_the_window = [&] {
    Inspector::window_marks(books[0], Side::Sell) = 0;
    Inspector::far_tree(books[0], Side::Sell) = {};
  };
  expect_noticed(empty_the_window, "empty, and other levels are in use");
}

}  // namespace
}  // namespace llmes::test
