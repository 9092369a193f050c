// SPDX-License-Identifier: MIT
//
// A book that has been moved from is an empty book without capacity; the book moved to continues as if nothing had
// happened.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/invariants.hpp"
#include "tests/support/results.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;

struct MovedFrom : ::testing::Test {
  static Book filled_book() {
    Book book = *Book::create({.base_price = -20, .capacity = 16});
    for (OrderId id = 1; id <= 12; ++id) {
      const Side side = id % 2 == 0 ? Side::Buy : Side::Sell;
      const Price price = id % 2 == 0 ? 10 - static_cast<Price>(id) : 20 + static_cast<Price>(id);
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
    }
    for (const OrderHandle handle : {former, OrderHandle{}, OrderHandle{1, 1}}) {
      EXPECT_EQ(book.find(handle), std::nullopt);
      EXPECT_EQ(book.cancel_order(handle), Status::UnknownOrder);
      EXPECT_EQ(book.modify_order(handle, 0, 5, ExpectNoTrade{}), Result{Status::UnknownOrder});
      EXPECT_EQ(book.reduce_order(handle, 1), Status::UnknownOrder);
    }
    EXPECT_EQ(book.apply(Command::cancel(former), ExpectNoTrade{}), Result{Status::UnknownOrder});
    const Price price_min = book.price_min();
    EXPECT_EQ(book.recenter(price_min + 500), Status::Success);
    EXPECT_EQ(book.price_min(), price_min + 500);
    EXPECT_EQ(book.price_max(), price_min + 500 + 127);
    EXPECT_EQ(book.recenter(price_min), Status::Success);
    // So many that a book with orders would fetch some of them ahead.
    const std::vector commands(100, Command::cancel(former));
    std::vector<Result> results(commands.size());
    EXPECT_EQ(book.apply(commands, results, ExpectNoTrade{}), commands.size());
    EXPECT_EQ(results, std::vector(commands.size(), Result{Status::UnknownOrder}));
  }

  static Result add(Book& book, Side side, TimeInForce time_in_force) {
    return book.add_limit_order(1, side, 0, 5, time_in_force, ExpectNoTrade{});
  }
};

TEST_F(MovedFrom, ByConstructionIsEmptyWithoutCapacity) {
  Book book = filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  const Book other = std::move(book);
  EXPECT_EQ(book.price_min(), -20);
  expect_empty_without_capacity(book, order);
  EXPECT_EQ(other.size(), 12u);
}

TEST_F(MovedFrom, ByAssignmentIsEmptyWithoutCapacity) {
  Book book = filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  Book other = *Book::create({.base_price = 3, .capacity = 2});
  other = std::move(book);
  expect_empty_without_capacity(book, order);
  EXPECT_EQ(other.capacity(), 16u);
}

TEST_F(MovedFrom, TheBookMovedToGoesOnAlike) {
  Book twin = filled_book();
  Book book = filled_book();
  Book constructed = std::move(book);
  EXPECT_EQ(snapshot_of(constructed), snapshot_of(twin));
  Book assigned = *Book::create({.base_price = 3, .capacity = 2});
  assigned.add_limit_order(1, Side::Buy, 5, 5, TimeInForce::GoodTillCancel, ExpectNoTrade{});
  assigned = std::move(constructed);
  EXPECT_EQ(snapshot_of(assigned), snapshot_of(twin));
  expect_same_future(assigned, twin);
}

TEST_F(MovedFrom, CanBeAssignedABookAgain) {
  Book book = filled_book();
  Book twin = filled_book();
  const Book other = std::move(book);
  book = filled_book();
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));
  expect_same_future(book, twin);
}

TEST_F(MovedFrom, CanBeMovedFromAgain) {
  Book book = filled_book();
  const OrderHandle order = orders_of(book, Side::Buy).front().handle;
  const Book other = std::move(book);
  Book nothing = std::move(book);
  expect_empty_without_capacity(book, order);
  expect_empty_without_capacity(nothing, order);
  Book lost = filled_book();
  lost = std::move(nothing);
  expect_empty_without_capacity(lost, order);
  EXPECT_EQ(other.size(), 12u);
}

TEST_F(MovedFrom, TradesPlacesBySwap) {
  Book filled = filled_book();
  Book twin = filled_book();
  Book empty = *Book::create({.base_price = 3, .capacity = 2});
  std::swap(filled, empty);
  EXPECT_EQ(filled.capacity(), 2u);
  EXPECT_EQ(filled.price_min(), 3);
  EXPECT_EQ(filled.size(), 0u);
  EXPECT_EQ(snapshot_of(empty), snapshot_of(twin));
  expect_same_future(empty, twin);
}

/// Inside, too: nothing is left of the orders in the one, nor missing in the other.
TEST_F(MovedFrom, LeavesTwoWholeBooks) {
  Book book = filled_book();
  Book constructed = std::move(book);
  EXPECT_EQ(broken_invariant(book), std::nullopt);
  EXPECT_EQ(broken_invariant(constructed), std::nullopt);
  Book assigned = filled_book();
  assigned = std::move(constructed);
  EXPECT_EQ(broken_invariant(constructed), std::nullopt);
  EXPECT_EQ(broken_invariant(assigned), std::nullopt);
}

TEST_F(MovedFrom, ToItselfStaysAsItWas) {
  Book twin = filled_book();
  Book book = filled_book();
  Book& same = book;
  book = std::move(same);
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));
  expect_same_future(book, twin);
}

}  // namespace
}  // namespace llmes::test
