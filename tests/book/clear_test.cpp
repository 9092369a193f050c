// SPDX-License-Identifier: MIT
//
// `clear` takes every order off a side or off the book, and says how many they were. The book is as good as new.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/band_offsets.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

template <class Book>
class Clear : public ::testing::Test {
 protected:
  static constexpr BookConfig config{.base_price = -20, .capacity = 40};

  /// Two orders of a side at each price between which a tree of words can go wrong, as far as the side's half
  /// goes.
  Clear() {
    for (const std::int64_t offset : boundary_offsets(Book::price_levels)) {
      const Side side = offset < std::int64_t{Book::price_levels} / 2 ? Side::Buy : Side::Sell;
      for (OrderId id = 0; id < 2 && book.size() < config.capacity; ++id) {
        const Result result = book.add_limit_order(id, side, price_at(config.base_price, offset), 3,
                                                   TimeInForce::GoodTillCancel, ExpectNoTrade{});
        EXPECT_TRUE(result.rests());
        handles[static_cast<std::size_t>(side)].push_back(result.handle);
      }
    }
  }

  Book book = *Book::create(config);
  std::array<std::vector<OrderHandle>, 2> handles;  ///< by side
};
using ClearedBooks = ::testing::Types<OrderBook<64>, OrderBook<4096>, OrderBook<8192>, WideOrderBook<64>,
                                      WideOrderBook<4096>, WideOrderBook<8192>>;
TYPED_TEST_SUITE(Clear, ClearedBooks);

TYPED_TEST(Clear, TakesEveryOrderOffASide) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    auto& book = this->book;
    const std::vector<OrderHandle>& gone = this->handles[static_cast<std::size_t>(side)];
    const std::vector<RestingOrder> others = orders_of(book, opposite(side));
    ASSERT_FALSE(gone.empty());
    EXPECT_EQ(book.clear(side), gone.size());
    EXPECT_EQ(orders_of(book, side), std::vector<RestingOrder>{});
    EXPECT_EQ(book.best(side), std::nullopt);
    EXPECT_EQ(orders_of(book, opposite(side)), others);
    EXPECT_EQ(book.size(), others.size());
    for (const OrderHandle handle : gone) EXPECT_EQ(book.find(handle), std::nullopt);
    EXPECT_EQ(broken_invariant(book), std::nullopt);
    EXPECT_EQ(book.clear(side), 0u) << "nothing is left";
  }
}

TYPED_TEST(Clear, TakesEveryOrderOffTheBook) {
  const std::size_t count = this->handles[0].size() + this->handles[1].size();
  EXPECT_EQ(this->book.clear(), count);
  EXPECT_EQ(this->book.size(), 0u);
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
  EXPECT_EQ(this->book.clear(), 0u);
}

TYPED_TEST(Clear, LeavesABookOfFullUse) {
  this->book.clear();
  for (OrderId id = 0; id < this->config.capacity; ++id) {
    const auto price = this->config.base_price + static_cast<Price>(id);
    EXPECT_TRUE(this->book.add_limit_order(id, Side::Sell, price, 1, TimeInForce::GoodTillCancel, ExpectNoTrade{})
                    .rests());
  }
  EXPECT_EQ(broken_invariant(this->book), std::nullopt);
}

TYPED_TEST(Clear, OfNoSideDoesNothing) {
  const Snapshot before = snapshot_of(this->book);
  EXPECT_EQ(this->book.clear(no_side), 0u);
  EXPECT_EQ(snapshot_of(this->book), before);
}

TYPED_TEST(Clear, OfAMovedFromBookIsNothing) {
  const TypeParam taken = std::move(this->book);
  EXPECT_EQ(this->book.clear(), 0u);
  EXPECT_GT(taken.size(), 0u);
}

}  // namespace
}  // namespace llmes::test
