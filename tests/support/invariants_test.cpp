// SPDX-License-Identifier: MIT
//
// The walk over a book's invariants finds each one that is broken, and nothing in books that are intact.
#include "tests/support/invariants.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/llmes.hpp"
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

using WalkedBooks =
    ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>, OrderBook<262144>,
                     WideOrderBook<64>, WideOrderBook<128>, WideOrderBook<8192>>;
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
  if constexpr (!Inspector::pools_anchors<TypeParam>) {
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

/// Every bit of the words that orders, or nothing, or a stopper should have set. Pooled anchors may show it first.
TYPED_TEST(Invariants, OfTheTree) {
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

TYPED_TEST(Invariants, OfATreeWithoutOrders) {
  auto moved = std::move(this->book);
  auto leaf = Inspector::tree(this->book, Side::Sell)[0];
  this->expect_noticed(leaf[0], leaf[0] ^ 2u, "tree");
}

}  // namespace
}  // namespace llmes::test
