// SPDX-License-Identifier: MIT
//
// A book moves its band with every resting order, its priority and its handle, or does not move at all.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

template <class Book>
class Recenter : public ::testing::Test {
 protected:
  static constexpr Price last = Price{Book::price_levels - 1};
  static constexpr Price price_max = highest_price;
  static constexpr Price price_min = std::numeric_limits<Price>::min();

  static Book book_at(Price base_price) { return *Book::create({.base_price = base_price, .capacity = 64}); }
  static OrderHandle add(Book& book, Side side, Price price) {
    return book.add_limit_order(1, side, price, 5, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
  }
  /// Its orders rest at 120 and 140.
  static Book book_with_two(Side side) {
    Book book = book_at(100);
    for (const Price price : {120, 140}) add(book, side, price);
    return book;
  }
};

using RecenteredBooks =
    ::testing::Types<OrderBook<64>, OrderBook<4096>, OrderBook<8192>, WideOrderBook<64>, WideOrderBook<8192>>;
TYPED_TEST_SUITE(Recenter, RecenteredBooks);

TYPED_TEST(Recenter, MovesAnEmptyBookAnywhere) {
  TypeParam book = this->book_at(0);
  for (const Price base_price : {this->price_max - this->last, this->price_min, Price{7}, Price{-7}, Price{-7}}) {
    EXPECT_EQ(book.recenter(base_price), Status::Success);
    EXPECT_EQ(book.price_min(), base_price);
    EXPECT_EQ(book.price_max(), base_price + this->last);
    this->add(book, Side::Sell, base_price + this->last);
    const OrderHandle bid = this->add(book, Side::Buy, base_price);
    EXPECT_EQ(book.best_bid(), base_price);
    EXPECT_EQ(book.best_ask(), base_price + this->last);
    EXPECT_EQ(book.cancel_order(bid), Status::Success);
    book.add_market_order(1, Side::Buy, 5, DiscardTrades{});
  }
}

TYPED_TEST(Recenter, RejectsABandWithTheLargestPrice) {
  TypeParam book = this->book_at(0);
  EXPECT_EQ(book.recenter(this->price_max - this->last + 1), Status::PriceOutOfBand);
  EXPECT_EQ(book.recenter(std::numeric_limits<Price>::max()), Status::PriceOutOfBand);
  EXPECT_EQ(book.price_min(), 0);
}

TYPED_TEST(Recenter, GoesAsFarAsTheOutermostOrdersAndNoFurther) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const Price too_far : {Price{121}, 139 - this->last, this->price_min, this->price_max - this->last}) {
      TypeParam book = this->book_with_two(side);
      TypeParam twin = this->book_with_two(side);
      expect_no_trace(book, twin, [too_far](TypeParam& moved) {
        EXPECT_EQ(moved.recenter(too_far), Status::PriceOutOfBand) << too_far;
      });
    }
    TypeParam book = this->book_with_two(side);
    const std::vector<RestingOrder> orders = orders_of(book, side);
    for (const Price far : {Price{120}, 140 - this->last}) {
      EXPECT_EQ(book.recenter(far), Status::Success);
      EXPECT_EQ(book.price_min(), far);
      EXPECT_EQ(orders_of(book, side), orders);
    }
  }
}

/// Adds, cancels, modifies and moves of the band by chance, each compared with the oracle.
TYPED_TEST(Recenter, AgreesWithTheOracle) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Random random(seed);
    TypeParam book = this->book_at(0);
    Oracle oracle(0, this->last, 64);
    std::vector<OrderHandle> handles{OrderHandle{}};
    std::size_t moves = 0;
    const auto price = [&] {
      return book.price_min() + static_cast<Price>(random.below(TypeParam::price_levels));
    };
    for (int step = 0; step < 600; ++step) {
      const OrderHandle handle = handles[random.below(handles.size())];
      const Quantity quantity = 1 + random.below(9);
      RecordTrades trades;
      switch (random.below(8)) {
        case 0:
        case 1:
        case 2: {
          const Side side = random.chance(50) ? Side::Buy : Side::Sell;
          const Price at = price();
          const Result result = book.add_limit_order(1, side, at, quantity, TimeInForce::GoodTillCancel, trades);
          const Oracle::Outcome expected = oracle.add_limit(1, side, at, quantity, TimeInForce::GoodTillCancel);
          ASSERT_EQ(result.status, expected.status);
          ASSERT_EQ(trades.trades, expected.trades);
          if (expected.remaining > 0) {
            oracle.name_newest(result.handle);
            handles.push_back(result.handle);
          }
          break;
        }
        case 3: {
          const Price at = price();
          const Result result = book.modify_order(handle, at, quantity, trades);
          const Oracle::Outcome expected = oracle.modify(handle, at, quantity);
          ASSERT_EQ(result.status, expected.status);
          ASSERT_EQ(trades.trades, expected.trades);
          break;
        }
        case 4: ASSERT_EQ(book.cancel_order(handle), oracle.cancel(handle).status); break;
        default: {
          const auto shift = static_cast<Price>(random.below(TypeParam::price_levels / 4));
          const Price to = book.price_min() + (random.chance(50) ? shift : -shift);
          const Status status = book.recenter(to);
          ASSERT_EQ(status, oracle.recenter(to));
          moves += status == Status::Success;
        }
      }
      ASSERT_EQ(orders_of(book, Side::Buy), oracle.orders(Side::Buy));
      ASSERT_EQ(orders_of(book, Side::Sell), oracle.orders(Side::Sell));
      if (step % 8 == 0) {
        ASSERT_EQ(broken_invariant(book), std::optional<std::string>{});
      }
    }
    EXPECT_GT(moves, 10u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace llmes::test
