// SPDX-License-Identifier: MIT
//
// The candidate for the side of a book for any price beside the one of the product: the same calls, the same
// answers and the same depth after each, whether levels are near, far, displaced, or cross the edges of a small
// window.
#include "bench/contenders/place_side_book.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

template <class Candidate>
void expect_same_answers(std::uint64_t seed, std::uint64_t range) {
  constexpr std::size_t capacity = 64;
  auto candidate = *Candidate::create({.base_price = 0, .capacity = capacity});
  auto book = *AnyPriceBook<>::create({.base_price = 0, .capacity = capacity});
  Random random(seed);
  std::vector<std::pair<OrderHandle, OrderHandle>> resting;
  const auto price = [&] { return static_cast<Price>(random.below(range)); };
  std::size_t trades = 0;
  for (OrderId id = 0; id < 4'000; ++id) {
    const std::uint64_t kind = random.below(10);
    Result mine;
    Result theirs;
    if (kind < 5 || resting.empty()) {
      const Side side = random.below(2) == 0 ? Side::Buy : Side::Sell;
      const Price at = price() + (side == Side::Sell ? static_cast<Price>(range / 3) : 0);
      const Quantity quantity = 1 + random.below(5);
      mine = candidate.add_limit_order(id, side, at, quantity, TimeInForce::GoodTillCancel, DiscardTrades{});
      theirs = book.add_limit_order(id, side, at, quantity, TimeInForce::GoodTillCancel, DiscardTrades{});
      if (theirs.rests()) resting.emplace_back(mine.handle, theirs.handle);
    } else {
      const std::size_t which = random.below(resting.size());
      const auto [own, other] = resting[which];
      if (kind < 9) {
        mine.status = candidate.cancel_order(own);
        theirs.status = book.cancel_order(other);
        resting[which] = resting.back();
        resting.pop_back();
      } else {
        const Price at = price();
        mine = candidate.modify_order(own, at, 3, DiscardTrades{});
        theirs = book.modify_order(other, at, 3, DiscardTrades{});
      }
    }
    ASSERT_EQ(mine.status, theirs.status) << id;
    ASSERT_EQ(mine.filled, theirs.filled) << id;
    ASSERT_EQ(mine.remaining, theirs.remaining) << id;
    trades += theirs.filled;
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::array<DepthLevel, capacity> own;
      std::array<DepthLevel, capacity> other;
      const std::size_t count = book.depth(side, other);
      ASSERT_EQ(candidate.depth(side, own), count) << id;
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(own[i], other[i]) << id;
      ASSERT_EQ(candidate.best(side), book.best(side)) << id;
      ASSERT_EQ(candidate.worst(side), book.worst(side)) << id;
    }
  }
  EXPECT_GT(trades, 100U);
}

TEST(PlaceSideBook, AnswersAsTheOneOfTheProduct) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const std::uint64_t range : {20, 200, 3'000, 40'000, 2'000'000}) {
      expect_same_answers<OrderBook<64, places::PlaceSideBook>>(seed, range);
      expect_same_answers<OrderBook<1024, places::PlaceSideBook>>(seed, range);
      expect_same_answers<OrderBook<262'144, places::PlaceSideBook>>(seed, range);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace llmes::test
