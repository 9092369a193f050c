// SPDX-License-Identifier: MIT
//
// A book that has been moved from is an empty book without capacity; the book moved to continues as if nothing had
// happened.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/invariants.hpp"
#include "tests/support/results.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

template <class Book>
struct MovedFrom : ::testing::Test {
  /// A book for any price has some of its orders far from the touch.
  static Book filled_book() {
    constexpr Price step = Book::has_band ? 1 : 1'000;
    Book book = *Book::create({.base_price = -20, .capacity = 16});
    for (OrderId id = 1; id <= 12; ++id) {
      const Side side = id % 2 == 0 ? Side::Buy : Side::Sell;
      const Price price = id % 2 == 0 ? 10 - step * static_cast<Price>(id) : 20 + step * static_cast<Price>(id);
      book.add_limit_order(id, side, price, id, TimeInForce::GoodTillCancel, DiscardTrades{});
    }
    EXPECT_EQ(book.size(), 12u);
    return book;
  }

  /// Every call and every query, on a book that has nothing and can hold nothing.
  static void expect_empty_without_capacity(Book& book, OrderHandle former) {
    EXPECT_EQ(book.capacity(), 0u);
    EXPECT_EQ(book.size(), 0u);
    EXPECT_EQ(book.best_bid(), std::nullopt);
    EXPECT_EQ(book.best_ask(), std::nullopt);
    std::array<DepthLevel, 4> depth;
    for (const Side side : {Side::Buy, Side::Sell}) {
      EXPECT_EQ(book.depth(side, depth), 0u);
      EXPECT_EQ(book.level(side, 0), DepthLevel{0});
      EXPECT_TRUE(orders_of(book, side).empty());
      EXPECT_EQ(add(book, side, TimeInForce::GoodTillCancel), Result{Status::PoolFull});
      EXPECT_EQ(add(book, side, TimeInForce::PostOnly), Result{Status::PoolFull});
      EXPECT_EQ(add(book, side, TimeInForce::ImmediateOrCancel), done(0, 5));
      EXPECT_EQ(add(book, side, TimeInForce::FillOrKill), Result{Status::NotFillable});
      EXPECT_EQ(book.add_market_order(1, side, 5, ExpectNoTrade{}), done(0, 5));
      EXPECT_EQ(book.worst(side), std::nullopt);
      EXPECT_EQ(book.clear(side), 0u);
      book.visit_level(side, 0, [](const RestingOrder& order) { ADD_FAILURE() << order; });
      book.fetch_level(side, 0);
    }
    for (const OrderHandle handle : {former, OrderHandle{}, OrderHandle{1, 1}}) {
      EXPECT_EQ(book.find(handle), std::nullopt);
      EXPECT_EQ(book.cancel_order(handle), Status::UnknownOrder);
      EXPECT_EQ(book.modify_order(handle, 0, 5, ExpectNoTrade{}), Result{Status::UnknownOrder});
      EXPECT_EQ(book.reduce_order(handle, 1), Status::UnknownOrder);
      EXPECT_EQ(book.replace_order(handle, 1, 0, 5, ExpectNoTrade{}), Result{Status::UnknownOrder});
      EXPECT_EQ(book.queue_ahead(handle), std::nullopt);
      EXPECT_EQ(book.handle_at(handle.index, 1), OrderHandle{});
      book.fetch(handle.index);
      book.fetch_neighbours(handle.index);
    }
    EXPECT_EQ(book.apply(Command::cancel(former), ExpectNoTrade{}), Result{Status::UnknownOrder});
    if constexpr (Book::has_band) {
      const Price price_min = book.price_min();
      EXPECT_EQ(book.recenter(price_min + 500), Status::Success);
      EXPECT_EQ(book.price_min(), price_min + 500);
      EXPECT_EQ(book.price_max(), price_min + 500 + 127);
      EXPECT_EQ(book.recenter(price_min), Status::Success);
    }
    // So many that a book with orders would fetch some of them ahead.
    const std::vector commands(100, Command::cancel(former));
    std::vector<Result> results(commands.size());
    EXPECT_EQ(book.apply(commands, results, ExpectNoTrade{}), commands.size());
    EXPECT_EQ(results, std::vector(commands.size(), Result{Status::UnknownOrder}));
  }

  /// The lowest price of a book that was made with this base price.
  static Price lowest(Price base_price) { return Book::has_band ? base_price : std::numeric_limits<Price>::min(); }

  static Result add(Book& book, Side side, TimeInForce time_in_force) {
    return book.add_limit_order(1, side, 0, 5, time_in_force, ExpectNoTrade{});
  }
};

using MovedBooks = ::testing::Types<OrderBook<128>, WideOrderBook<128>, AnyPriceBook<512>>;
TYPED_TEST_SUITE(MovedFrom, MovedBooks);

TYPED_TEST(MovedFrom, ByConstructionIsEmptyWithoutCapacity) {
  TypeParam book = this->filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  const TypeParam other = std::move(book);
  EXPECT_EQ(book.price_min(), this->lowest(-20));
  this->expect_empty_without_capacity(book, order);
  EXPECT_EQ(other.size(), 12u);
}

TYPED_TEST(MovedFrom, ByAssignmentIsEmptyWithoutCapacity) {
  TypeParam book = this->filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  TypeParam other = *TypeParam::create({.base_price = 3, .capacity = 2});
  other = std::move(book);
  this->expect_empty_without_capacity(book, order);
  EXPECT_EQ(other.capacity(), 16u);
}

TYPED_TEST(MovedFrom, TheBookMovedToGoesOnAlike) {
  TypeParam twin = this->filled_book();
  TypeParam book = this->filled_book();
  TypeParam constructed = std::move(book);
  EXPECT_EQ(snapshot_of(constructed), snapshot_of(twin));
  TypeParam assigned = *TypeParam::create({.base_price = 3, .capacity = 2});
  assigned.add_limit_order(1, Side::Buy, 5, 5, TimeInForce::GoodTillCancel, ExpectNoTrade{});
  assigned = std::move(constructed);
  EXPECT_EQ(snapshot_of(assigned), snapshot_of(twin));
  expect_same_future(assigned, twin);
}

TYPED_TEST(MovedFrom, CanBeAssignedABookAgain) {
  TypeParam book = this->filled_book();
  TypeParam twin = this->filled_book();
  const TypeParam other = std::move(book);
  book = this->filled_book();
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));
  expect_same_future(book, twin);
}

TYPED_TEST(MovedFrom, CanBeMovedFromAgain) {
  TypeParam book = this->filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  const TypeParam other = std::move(book);
  TypeParam nothing = std::move(book);
  this->expect_empty_without_capacity(book, order);
  this->expect_empty_without_capacity(nothing, order);
  TypeParam lost = this->filled_book();
  lost = std::move(nothing);
  this->expect_empty_without_capacity(lost, order);
  EXPECT_EQ(other.size(), 12u);
}

TYPED_TEST(MovedFrom, TradesPlacesBySwap) {
  TypeParam filled = this->filled_book();
  TypeParam twin = this->filled_book();
  TypeParam empty = *TypeParam::create({.base_price = 3, .capacity = 2});
  std::swap(filled, empty);
  EXPECT_EQ(filled.capacity(), 2u);
  EXPECT_EQ(filled.price_min(), this->lowest(3));
  EXPECT_EQ(filled.size(), 0u);
  EXPECT_EQ(snapshot_of(empty), snapshot_of(twin));
  expect_same_future(empty, twin);
}

/// Inside, too: nothing is left of the orders in the one, nor missing in the other.
TYPED_TEST(MovedFrom, LeavesTwoWholeBooks) {
  TypeParam book = this->filled_book();
  TypeParam constructed = std::move(book);
  EXPECT_EQ(broken_invariant(book), std::nullopt);
  EXPECT_EQ(broken_invariant(constructed), std::nullopt);
  TypeParam assigned = this->filled_book();
  assigned = std::move(constructed);
  EXPECT_EQ(broken_invariant(constructed), std::nullopt);
  EXPECT_EQ(broken_invariant(assigned), std::nullopt);
}

TYPED_TEST(MovedFrom, ToItselfStaysAsItWas) {
  TypeParam twin = this->filled_book();
  TypeParam book = this->filled_book();
  TypeParam& same = book;
  book = std::move(same);
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));
  expect_same_future(book, twin);
}

}  // namespace
}  // namespace llmes::test
