// SPDX-License-Identifier: MIT
//
// `worst` is the price of a side that trades last, true after every call, at each height of the tree and at the
// boundaries of its words.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/support/band_offsets.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

template <class Book>
class Worst : public ::testing::Test {
 protected:
  static constexpr BookConfig config{.base_price = -20, .capacity = 100};
  Book book = *Book::create(config);
};
using BooksOfEachHeight =
    ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>, OrderBook<262144>,
                     WideOrderBook<64>, WideOrderBook<4096>, WideOrderBook<262144>, AnyPriceBook<512>>;
TYPED_TEST_SUITE(Worst, BooksOfEachHeight);

TYPED_TEST(Worst, IsNothingOnAnEmptySide) {
  for (const Side side : {Side::Buy, Side::Sell, no_side}) EXPECT_EQ(this->book.worst(side), std::nullopt);
}

TYPED_TEST(Worst, OfEachPairOfBoundaries) {
  auto& book = this->book;
  const auto add = [&](Side side, Price price) {
    return book.add_limit_order(1, side, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
  };
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const std::int64_t low : boundary_offsets(stream_width<TypeParam>)) {
      for (const std::int64_t high : boundary_offsets(stream_width<TypeParam>)) {
        if (high <= low) continue;
        const Price lower = price_at(this->config.base_price, low);
        const Price higher = price_at(this->config.base_price, high);
        const OrderHandle at_lower = add(side, lower);
        const OrderHandle at_higher = add(side, higher);
        ASSERT_EQ(book.worst(side), side == Side::Buy ? lower : higher);
        ASSERT_EQ(book.best(side), side == Side::Buy ? higher : lower);
        ASSERT_EQ(book.cancel_order(side == Side::Buy ? at_lower : at_higher), Status::Success);
        ASSERT_EQ(book.worst(side), side == Side::Buy ? higher : lower);
        ASSERT_EQ(book.clear(side), 1u);
      }
    }
  }
}

TYPED_TEST(Worst, IsThatOfTheLastOrderThroughRandomStreams) {
  for (const Profile& profile : {near_prices, wide_prices, word_boundaries}) {
    const std::vector<Operation> operations = random_stream(profile, this->config, stream_width<TypeParam>, 7);
    TypeParam book = *TypeParam::create(this->config);
    Handles handles;
    for (const Operation& operation : operations) {
      record_tape(book, {&operation, 1}, handles);
      for (const Side side : {Side::Buy, Side::Sell}) {
        const std::vector<RestingOrder> orders = orders_of(book, side);
        ASSERT_EQ(book.worst(side), orders.empty() ? std::nullopt : std::optional(orders.back().price));
        ASSERT_EQ(book.best(side), orders.empty() ? std::nullopt : std::optional(orders.front().price));
      }
    }
  }
}

}  // namespace
}  // namespace llmes::test
