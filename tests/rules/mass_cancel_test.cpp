// SPDX-License-Identifier: MIT
//
// Mass cancels: what they take off, and in which order.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>

#include "llmes/ids.hpp"
#include "tests/rules/ruled_book.hpp"
#include "tests/support/random.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

/// Orders of owners 1 (odd ids) and 2 on both sides.
class MassCancelTest : public RuledBookTest<> {
 protected:
  void SetUp() override {
    sell(1, 21, 1, of(1));
    sell(2, 20, 2, of(2));
    sell(3, 20, 3, of(1));
    buy(4, 9, 4, of(2));
    buy(5, 9, 5, of(1));
    buy(7, 10, 7, of(1));
    buy(9, 9, 9, of(1));
    buy(10, 8, 10);
  }
};

TEST_F(MassCancelTest, OfAnOwnerBidsFirstBestFirstOldestFirst) {
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0, 25));
  EXPECT_EQ(told.take(),
            (Lines{"7 cancelled 7", "5 cancelled 5", "9 cancelled 9", "3 cancelled 3", "1 cancelled 1"}));
  EXPECT_EQ(book.size(), 3u);
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0));
  EXPECT_TRUE(told.take().empty());
}

TEST_F(MassCancelTest, OfASideAndARange) {
  EXPECT_EQ(book.mass_cancel({.owner = 1, .side = Side::Sell}, told), done(0, 4));
  EXPECT_EQ(book.mass_cancel({.owner = 1, .lowest = 10, .highest = 10}, told), done(0, 7));
  EXPECT_EQ(told.take(), (Lines{"3 cancelled 3", "1 cancelled 1", "7 cancelled 7"}));
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0, 14)) << "the others are still on his list";
}

TEST_F(MassCancelTest, OfARangeOutsideOfTheBandIsOfNothing) {
  for (const CancelScope& scope :
       {CancelScope{.lowest = 64}, CancelScope{.highest = -1}, CancelScope{.owner = 1, .lowest = 64},
        CancelScope{.owner = 1, .highest = -1}}) {
    EXPECT_EQ(book.mass_cancel(scope, told), done(0, 0));
  }
  EXPECT_TRUE(told.take().empty());
  EXPECT_EQ(book.size(), 8u);
}

TEST_F(MassCancelTest, OfEverybody) {
  EXPECT_EQ(book.mass_cancel({.lowest = 9, .highest = 20}, told), done(0, 30));
  EXPECT_EQ(told.take(), (Lines{"7 cancelled 7", "4 cancelled 4", "5 cancelled 5", "9 cancelled 9",
                                "2 cancelled 2", "3 cancelled 3"}));
  EXPECT_EQ(book.mass_cancel({.lowest = 100}, told), done(0)) << "beyond the band";
  EXPECT_EQ(book.mass_cancel({}, told), done(0, 11));
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(MassCancelTest, AModifyMovesToTheEndOfTheList) {
  OrderHandle moved;
  book.visit_orders(Side::Buy, [&](const RestingOrder& order) {
    if (order.id == 5) moved = order.handle;
  });
  std::ignore = book.modify_order(moved, 9, 6, told);
  std::ignore = book.mass_cancel({.owner = 1, .side = Side::Buy}, told);
  EXPECT_EQ(told.take(), (Lines{"7 cancelled 7", "9 cancelled 9", "5 cancelled 6"}));
}

TEST_F(MassCancelTest, RejectsAWrongSideAndARangeUpsideDown) {
  EXPECT_EQ(book.mass_cancel({.owner = 1, .side = static_cast<Side>(2)}, told).status, Status::InvalidCommand);
  EXPECT_EQ(book.mass_cancel({.owner = 1, .lowest = 9, .highest = 8}, told).status, Status::InvalidCommand);
  EXPECT_EQ(book.apply(RuledCommand::mass_cancel({.lowest = 9, .highest = 8}), told).status,
            Status::InvalidCommand);
  EXPECT_EQ(book.size(), 8u);
}

TEST_F(MassCancelTest, AsACommandOfASpan) {
  const RuledCommand commands[] = {RuledCommand::mass_cancel({.owner = 2, .side = Side::Buy}),
                                   RuledCommand::mass_cancel({.owner = 2})};
  std::vector<Quantity> cancelled;
  book.apply(
      std::span<const RuledCommand>(commands), [&](const Result& r) { cancelled.push_back(r.cancelled); }, told);
  EXPECT_EQ(cancelled, (std::vector<Quantity>{4, 2}));
}

TEST_F(MassCancelTest, LotsStopAtTheLargestQuantity) {
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  std::ignore = book.add_resting_order(20, Side::Buy, 30, most, of(3));
  std::ignore = book.add_resting_order(21, Side::Buy, 31, most, of(3));
  EXPECT_EQ(book.mass_cancel({.owner = 3}, told), done(0, most));
}

// ---- Sets and books by id.

TEST(MassCancelOfASet, GoesBookByBook) {
  auto set = *RuledBookSet::create({.max_books = 3, .capacity = 16});
  for (int i = 0; i < 3; ++i) std::ignore = set.add_book();
  Told told;
  const OrderTerms terms{.owner = 1};
  const auto add = [&](BookNumber book, OrderId id, Side side, Price price) {
    std::ignore = set.add_limit_order(book, id, side, price, id, TimeInForce::GoodTillCancel, terms, told);
  };
  add(2, 1, Side::Sell, 5);
  add(0, 2, Side::Sell, 1'000'000'000);
  add(1, 3, Side::Buy, -7);
  add(0, 4, Side::Buy, 9);
  add(1, 5, Side::Buy, -6);
  EXPECT_EQ(set.mass_cancel({.owner = 1, .book = 1}, told), done(0, 8));
  EXPECT_EQ(told.take(), (Lines{"5 cancelled 5", "3 cancelled 3"}));
  EXPECT_EQ(set.mass_cancel({.owner = 1, .book = 3}, told).status, Status::UnknownBook);
  EXPECT_EQ(set.book(0)->mass_cancel({.owner = 1, .side = Side::Buy}, told), done(0, 4));
  EXPECT_EQ(set.mass_cancel({.owner = 1}, told), done(0, 3));
  EXPECT_EQ(told.take(), (Lines{"4 cancelled 4", "2 cancelled 2", "1 cancelled 1"}));
  add(2, 6, Side::Buy, 3);
  add(1, 7, Side::Buy, 3);
  EXPECT_EQ(set.mass_cancel({}, told), done(0, 13));
  EXPECT_EQ(told.take(), (Lines{"7 cancelled 7", "6 cancelled 6"}));
  EXPECT_EQ(set.size(), 0u);
}

/// Adds orders of one owner to some books, whose prices lie `step` apart, and cancels those of some prices and
/// then the others. Which orders remain changes where his list begins.
void expect_queue_order(std::size_t count, BookNumber books, Price step) {
  auto set = *RuledBookSet::create({.max_books = books, .capacity = count});
  for (BookNumber book = 0; book < books; ++book) std::ignore = set.add_book();
  Random random(count);
  for (OrderId id = 0; id < count; ++id) {
    const auto side = static_cast<Side>(random.below(2));
    const auto price = static_cast<Price>(random.below(300)) * step;
    const auto display = random.chance(30) ? Display::Hidden : Display::Whole;
    std::ignore = set.add_resting_order(static_cast<BookNumber>(random.below(books)), id, side, price, 1,
                                        OrderTerms{.owner = 5, .display = display});
  }
  for (const CancelScope& scope : {CancelScope{.owner = 5, .highest = 99 * step}, CancelScope{.owner = 5}}) {
    Lines expected;
    for (BookNumber book = 0; book < books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        set.book(book)->visit_orders(side, [&](const RestingOrder& order) {
          if (order.price > scope.highest) return;
          expected.push_back(std::to_string(order.id) + " cancelled " + std::to_string(order.quantity));
        });
      }
    }
    Told told;
    EXPECT_EQ(set.mass_cancel(scope, told), done(0, expected.size()));
    EXPECT_EQ(told.take(), expected);
  }
  EXPECT_EQ(set.size(), 0u);
}

/// Few are sorted by other digits than many, and places near each other by shorter keys.
TEST(MassCancelOfASet, KeepsItsOrderForManyToo) {
  for (const std::size_t count : {1u, 2u, 30u, 255u, 256u, 3'000u}) {
    expect_queue_order(count, 1, 1);
    expect_queue_order(count, 3, 1);
    expect_queue_order(count, 70, 1);
    expect_queue_order(count, 3, 1'000'003);
    expect_queue_order(count, 70, 1'000'003'000'019);
  }
}

TEST(MassCancelById, TheIndexForgets) {
  auto book = *IdBook<RuledBookSet, HashedIds>::create({.max_books = 1, .capacity = 4}, {});
  std::ignore = book.add_book();
  Told told;
  for (int round = 0; round < 3; ++round) {
    for (const OrderId id : {0u, 1u, 2u, 3u}) {
      ASSERT_EQ(
          book.add_limit_order(0, id, Side::Buy, 5, 1, TimeInForce::GoodTillCancel, OrderTerms{.owner = 1}, told)
              .status,
          Status::Success);
    }
    EXPECT_EQ(book.apply(RuledBookRequest::mass_cancel({.owner = round == 0 ? 1u : 0u}), told), done(0, 4));
    EXPECT_FALSE(book.find(0));
  }
}

}  // namespace
}  // namespace llmes::test
