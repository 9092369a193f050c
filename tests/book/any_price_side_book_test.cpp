// SPDX-License-Identifier: MIT
//
// The side of a book for any price: where a level has its anchor, when its window moves and how far, and what is
// in the tree. What a book answers is compared with std::map, with more levels than a window moves at once.
#include "llmes/book/any_price_side_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test::any_price_side_book_test {
namespace {

constexpr std::size_t n = 512;
constexpr Price quarter = n / 4;
/// So many orders miss the window before it moves, and so many levels it takes along in one call.
constexpr std::size_t misses = 64;
constexpr std::size_t at_once = 64;

using Inspector = BookInspector;

class AnyPriceSideBookTest : public ::testing::TestWithParam<Side> {
 protected:
  const Side side = GetParam();

  ~AnyPriceSideBookTest() override { EXPECT_EQ(broken_invariant(book), std::nullopt); }

  /// An order so many ticks worse than price 0.
  OrderHandle rest(Price step) {
    const Price price = side == Side::Sell ? step : -step;
    const Result result = book.add_limit_order(1, side, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
    EXPECT_TRUE(result.rests());
    EXPECT_EQ(broken_invariant(book), std::nullopt);
    return result.handle;
  }
  void leave(OrderHandle order) {
    EXPECT_EQ(book.cancel_order(order), Status::Success);
    EXPECT_EQ(broken_invariant(book), std::nullopt);
  }
  /// How many ticks worse than price 0 the window begins.
  Price begin() {
    return static_cast<Price>(Inspector::window_begin(book, side) - (std::uint64_t{1} << 63)) + shift();
  }
  std::size_t size() { return Inspector::window_size(book, side); }
  /// The rank of price 0 is two lower for bids: they are counted from the highest price, which is one less.
  [[nodiscard]] Price shift() const { return side == Side::Sell ? 0 : 2; }
  SlotIndex anchor_of(OrderHandle order) { return Inspector::level_of(book, order.index); }
  /// How many levels are in the tree.
  std::size_t far() {
    std::size_t count = 0;
    const FarLevels& far = Inspector::far(book);
    const auto tree = Inspector::far_tree(book, side);
    for (auto level = far.first(tree); level.rank != FarLevels::no_rank;
         level = far.first_from(tree, level.rank + 1)) {
      ++count;
    }
    return count;
  }

  AnyPriceBook<n> book = *AnyPriceBook<n>::create({.capacity = 650});
};
INSTANTIATE_TEST_SUITE_P(Sides, AnyPriceSideBookTest, ::testing::Values(Side::Buy, Side::Sell));

TEST_P(AnyPriceSideBookTest, TheFirstOrderBringsTheWindow) {
  for (const Price step : {Price{0}, Price{1'000'000}, Price{-77}, Price{1} << 50}) {
    const OrderHandle order = rest(step);
    EXPECT_EQ(begin(), step - quarter);
    EXPECT_EQ(far(), 0u);
    leave(order);
  }
}

/// A quote that comes and goes far ahead is in the tree, and the window stays.
TEST_P(AnyPriceSideBookTest, AQuoteAheadMovesNothing) {
  std::vector<OrderHandle> orders;
  for (Price step = 0; step < 100; ++step) orders.push_back(rest(step));
  const SlotIndex anchor = anchor_of(orders[50]);
  for (std::size_t i = 0; i + 1 < misses; ++i) {
    const OrderHandle ahead = rest(-10'000);
    EXPECT_EQ(book.best(side), side == Side::Sell ? -10'000 : 10'000);
    EXPECT_EQ(begin(), -quarter);
    EXPECT_EQ(far(), 1u);
    leave(ahead);
    EXPECT_EQ(far(), 0u);
  }
  EXPECT_EQ(anchor_of(orders[50]), anchor);
}

/// One call takes 64 levels along, and the next 64 misses later; then the window is where the best level is.
TEST_P(AnyPriceSideBookTest, TheWindowFollowsOrdersAheadBitByBit) {
  for (Price step = 0; step < 300; ++step) rest(step);
  std::vector<OrderHandle> ahead;
  std::size_t before = 0;
  for (std::size_t calls = 1; begin() == -quarter; ++calls) {
    ahead.push_back(rest(-100'000));
    ASSERT_LE(calls, 5 * misses);
    const std::size_t levels = far() - (begin() == -quarter ? 1 : 0);  // besides the one ahead
    EXPECT_EQ(levels, begin() == -quarter ? calls / misses * at_once : 300u) << calls;
    EXPECT_LE(levels - before, at_once);
    before = levels;
  }
  EXPECT_EQ(begin(), -100'000 - quarter);
  EXPECT_EQ(size(), n);
  EXPECT_EQ(far(), 300u);
}

/// The window has gone on to levels that are more than it takes in at once; orders that miss it bring the others.
TEST_P(AnyPriceSideBookTest, TheWindowTakesInWhatItFindsBitByBit) {
  const OrderHandle best = rest(0);
  for (Price step = 0; step < 200; ++step) rest(100'000 + step);
  EXPECT_EQ(far(), 200u);
  leave(best);
  EXPECT_EQ(begin(), 100'000 - quarter);
  EXPECT_EQ(far(), 200u - at_once);
  EXPECT_EQ(size(), std::size_t(quarter) + at_once) << "it ends before the first level that it left";
  for (std::size_t calls = 1; calls <= 2 * misses; ++calls) {
    rest(100'199);
    EXPECT_EQ(far(), 200u - at_once - calls / misses * at_once);
  }
  for (std::size_t calls = 1; calls <= misses; ++calls) rest(100'199);
  EXPECT_EQ(far(), 0u);
  EXPECT_EQ(size(), n);
}

/// The best level has come to lie near the end of the window, and orders come behind it.
TEST_P(AnyPriceSideBookTest, TheWindowFollowsAMarketThatGetsWorse) {
  const OrderHandle first = rest(0);
  rest(3 * quarter - 1);
  leave(first);
  EXPECT_EQ(begin(), -quarter);
  for (std::size_t calls = 1; calls < misses; ++calls) rest(3 * quarter + 10);
  EXPECT_EQ(begin(), -quarter);
  rest(3 * quarter + 10);
  EXPECT_EQ(begin(), 3 * quarter - 1 - quarter);
  EXPECT_EQ(far(), 0u);
}

/// Orders far behind are no reason to move.
TEST_P(AnyPriceSideBookTest, OrdersFarBehindMoveNothing) {
  rest(0);
  for (std::size_t calls = 1; calls < 3 * misses; ++calls) rest(1'000'000);
  EXPECT_EQ(begin(), -quarter);
  EXPECT_EQ(far(), 1u);
}

TEST_P(AnyPriceSideBookTest, ALevelWhosePlaceIsTakenIsDisplacedAsLongAsItLives) {
  book = *AnyPriceBook<n>::create({.capacity = 16});
  const auto cells = static_cast<Price>(Inspector::cell_count(book));
  ASSERT_LT(2 * cells, 2 * quarter) << "the window has all of them";
  const OrderHandle first = rest(5);
  const OrderHandle second = rest(5 + cells);
  const OrderHandle again = rest(5 + cells);
  const SlotIndex anchor = anchor_of(first);
  const SlotIndex displaced = anchor_of(second);
  EXPECT_LT(anchor, 2 * Inspector::cell_count(book));
  EXPECT_GE(displaced, 2 * Inspector::cell_count(book));
  EXPECT_EQ(anchor_of(again), displaced);
  leave(first);
  EXPECT_EQ(anchor_of(rest(5 + cells)), displaced) << "its cell is free, but it stays";
  const OrderHandle third = rest(5 + 2 * cells);
  EXPECT_EQ(anchor_of(third), anchor);
  EXPECT_EQ(book.clear(side), 4u);
  EXPECT_EQ(anchor_of(rest(5 + cells)), anchor) << "it comes back to its cell";
}

/// It takes the anchor that was given back last, and not its cell, which would be cold.
TEST_P(AnyPriceSideBookTest, AFarLevelIsDisplaced) {
  rest(0);
  const OrderHandle far = rest(1'000'001);
  const SlotIndex anchor = anchor_of(far);
  EXPECT_GE(anchor, 2 * Inspector::cell_count(book));
  leave(far);
  EXPECT_EQ(anchor_of(rest(2'000'003)), anchor);
}

/// Both sides of a book with many levels, at steps that `choose(random, step)` names, against std::map.
template <std::size_t Window, class Choose>
void play(std::uint64_t seed, Choose choose) {
  Random random(seed);
  auto book = *AnyPriceBook<Window>::create({.capacity = 3'000});
  std::array<std::map<Price, Quantity>, 2> truth;  // by step, the best first
  std::array<std::vector<std::pair<OrderHandle, Price>>, 2> orders;
  for (int step = 0; step < repetitions(12'000); ++step) {
    const std::size_t i = random.below(2);
    const auto side = static_cast<Side>(i);
    const auto sign = side == Side::Sell ? Price{1} : Price{-1};
    if (step / 2'000 % 2 == 0 ? random.chance(75) || orders[i].empty() : random.chance(20) || orders[i].empty()) {
      if (book.size() == book.capacity()) continue;
      const Price at = choose(random, step);
      const Result result = book.add_resting_order(1, side, sign * at, 1);
      ASSERT_TRUE(result.rests());
      orders[i].emplace_back(result.handle, at);
      ++truth[i][at];
    } else {
      const std::size_t which = random.below(orders[i].size());
      const auto [order, at] = std::exchange(orders[i][which], orders[i].back());
      orders[i].pop_back();
      ASSERT_EQ(book.cancel_order(order), Status::Success);
      if (--truth[i][at] == 0) truth[i].erase(at);
    }
    const auto& levels = truth[i];
    ASSERT_EQ(book.best(side), levels.empty() ? std::optional<Price>() : sign * levels.begin()->first) << step;
    ASSERT_EQ(book.worst(side), levels.empty() ? std::optional<Price>() : sign * levels.rbegin()->first) << step;
    if (step % 500 != 0) continue;
    ASSERT_EQ(broken_invariant(book), std::nullopt) << step;
    std::vector<DepthLevel> depth(levels.size() + 1);
    ASSERT_EQ(book.depth(side, depth), levels.size()) << step;
    auto expected = levels.begin();
    for (std::size_t at = 0; at < levels.size(); ++at, ++expected) {
      ASSERT_EQ(depth[at].price, sign * expected->first) << step;
      ASSERT_EQ(depth[at].quantity, expected->second) << step;
      ASSERT_EQ(book.level(side, depth[at].price), depth[at]) << step;
    }
  }
}

TEST(AnyPriceSideBook, AgreesWithAMapInOnePlace) {
  play<64>(1, [](Random& random, int) { return static_cast<Price>(random.below(3'000)); });
  play<512>(2, [](Random& random, int) { return static_cast<Price>(random.below(3'000)); });
  play<262'144>(3, [](Random& random, int) { return static_cast<Price>(random.below(1'000'000)); });
}
TEST(AnyPriceSideBook, AgreesWithAMapOfAMarketThatMoves) {
  play<64>(
      4, [](Random& random, int step) { return Price{step % 6'000} * 7 - static_cast<Price>(random.below(900)); });
  play<512>(
      5, [](Random& random, int step) { return static_cast<Price>(random.below(900)) - Price{step % 6'000} * 7; });
}
TEST(AnyPriceSideBook, AgreesWithAMapOfAMarketThatJumps) {
  for (const Price jump : {Price{500}, Price{5'000}, Price{1} << 40}) {
    play<64>(6, [=](Random& random, int step) { return step / 70 * 7 % 5 * jump + Price(random.below(300)); });
    play<512>(7, [=](Random& random, int step) { return step / 700 * 7 % 5 * jump + Price(random.below(600)); });
    play<4096>(8,
               [=](Random& random, int step) { return step / 700 * 7 % 5 * jump + Price(random.below(1'500)); });
  }
}

}  // namespace
}  // namespace llmes::test::any_price_side_book_test
