// SPDX-License-Identifier: MIT
//
// A book holds every price of its band and no other, wherever the band lies and however wide it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/band_offsets.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

template <class Book>
class Band : public ::testing::Test {
 protected:
  static constexpr Price last = Price{Book::price_levels - 1};

  static Book book_at(Price base_price) { return *Book::create({.base_price = base_price, .capacity = 64}); }
  static std::vector<Price> base_prices() {
    return {0, -7, 1'000'000, std::numeric_limits<Price>::min(), highest_price - last};
  }
  static Result add(Book& book, Side side, Price price) {
    return book.add_limit_order(1, side, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
  }
};

using Books = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>, OrderBook<262144>>;
TYPED_TEST_SUITE(Band, Books);

TYPED_TEST(Band, IsWhatTheConfigurationSays) {
  for (const Price base_price : this->base_prices()) {
    const TypeParam book = this->book_at(base_price);
    EXPECT_EQ(book.price_min(), base_price);
    EXPECT_EQ(book.price_max(), base_price + this->last);
  }
}

TYPED_TEST(Band, FirstAndLastPriceHoldOrdersOfEitherSide) {
  for (const Price base_price : this->base_prices()) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      TypeParam book = this->book_at(base_price);
      for (const Price price : {base_price, base_price + this->last}) {
        const Result result = this->add(book, side, price);
        ASSERT_EQ(result.status, Status::Success);
        EXPECT_EQ(book.find(result.handle)->price, price);
        EXPECT_EQ(book.level(side, price), (DepthLevel{price, 1, 1}));
      }
      const Price best = side == Side::Buy ? base_price + this->last : base_price;
      EXPECT_EQ(side == Side::Buy ? book.best_bid() : book.best_ask(), best);
    }
  }
}

TYPED_TEST(Band, OnePriceOutsideIsRejectedAndAnsweredAsEmpty) {
  for (const Price base_price : this->base_prices()) {
    TypeParam book = this->book_at(base_price);
    const OrderHandle order = this->add(book, Side::Buy, base_price).handle;
    const Snapshot before = snapshot_of(book);
    for (const Price price : {price_at(base_price, -1), price_at(base_price, this->last + 1),
                              std::numeric_limits<Price>::min(), std::numeric_limits<Price>::max()}) {
      if (price >= book.price_min() && price <= book.price_max()) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        EXPECT_EQ(this->add(book, side, price), Result{Status::PriceOutOfBand}) << price;
        EXPECT_EQ(book.level(side, price), DepthLevel{price});
      }
      const Quantity open = book.find(order)->quantity;
      EXPECT_EQ(book.modify_order(order, price, 5, DiscardTrades{}), stays(Status::PriceOutOfBand, order, open))
          << price;
    }
    EXPECT_EQ(snapshot_of(book), before);
  }
}

TYPED_TEST(Band, OrdersAtTheOppositeEndsMeet) {
  for (const Price base_price : this->base_prices()) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      TypeParam book = this->book_at(base_price);
      const Price tame = side == Side::Buy ? base_price : base_price + this->last;
      this->add(book, side, tame);
      const Result result =
          book.add_limit_order(2, opposite(side), tame, 1, TimeInForce::FillOrKill, DiscardTrades{});
      EXPECT_EQ(result.filled, 1u);
      this->add(book, opposite(side), side == Side::Buy ? base_price + this->last : base_price);
      EXPECT_EQ(this->add(book, side, tame).filled, 0u) << "the whole band lies between them";
      EXPECT_EQ(book.size(), 2u);
    }
  }
}

TYPED_TEST(Band, WordBoundariesAreOrdinaryPrices) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    TypeParam book = this->book_at(-7);
    std::vector<Price> prices;
    for (const std::int64_t offset : boundary_offsets(TypeParam::price_levels)) {
      prices.push_back(price_at(-7, offset));
      ASSERT_EQ(this->add(book, side, prices.back()).status, Status::Success);
    }
    if (side == Side::Buy) std::reverse(prices.begin(), prices.end());
    for (std::size_t i = 0; i < prices.size(); ++i) {
      const std::vector<DepthLevel> depth = depth_of(book, side);
      ASSERT_EQ(depth.size(), prices.size() - i);
      for (std::size_t j = 0; j < depth.size(); ++j) ASSERT_EQ(depth[j], (DepthLevel{prices[i + j], 1, 1}));
      ASSERT_EQ(side == Side::Buy ? book.best_bid() : book.best_ask(), prices[i]);
      ASSERT_EQ(book.add_market_order(9, opposite(side), 1, DiscardTrades{}).filled, 1u);
    }
    EXPECT_EQ(book.size(), 0u);
  }
}

TYPED_TEST(Band, EveryPriceHoldsAnOrder) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    TypeParam book = *TypeParam::create({.base_price = -7, .capacity = TypeParam::price_levels});
    for (Price offset = 0; offset <= this->last; ++offset) this->add(book, side, -7 + offset);
    EXPECT_EQ(book.size(), TypeParam::price_levels);
    Price expected = side == Side::Buy ? book.price_max() : book.price_min();
    const auto follow = [&](const Trade& trade) {
      EXPECT_EQ(trade.price, expected);
      expected += side == Side::Buy ? -1 : 1;
    };
    EXPECT_EQ(book.add_market_order(9, opposite(side), TypeParam::price_levels + 1, follow).filled,
              TypeParam::price_levels);
  }
}

}  // namespace
}  // namespace llmes::test
