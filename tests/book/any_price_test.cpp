// SPDX-License-Identifier: MIT
//
// A book without a band holds every price but the largest, wherever its orders are. Prices near the best one are
// in a window of 512 here; those beyond it are in a tree. No call shows which is where.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/side_test.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

constexpr Price lowest_price = std::numeric_limits<Price>::min();

class AnyPrice : public ::testing::TestWithParam<Side> {
 protected:
  using AnyBook512 = AnyPriceBook<512>;

  [[nodiscard]] static Side makers() { return GetParam(); }
  [[nodiscard]] static Side takers() { return opposite(GetParam()); }
  /// A price so many ticks worse for the makers than 0, or better.
  [[nodiscard]] static Price at(Price step) { return makers() == Side::Sell ? step : -step; }
  /// The best and the worst price that there is for the makers.
  [[nodiscard]] static Price best_end() { return makers() == Side::Sell ? lowest_price : highest_price; }
  [[nodiscard]] static Price worst_end() { return makers() == Side::Sell ? highest_price : lowest_price; }

  [[nodiscard]] static Price next_to(Price price) { return price > 0 ? price - 1 : price + 1; }

  ~AnyPrice() override { EXPECT_EQ(broken_invariant(book), std::nullopt); }

  OrderHandle rest(OrderId id, Price price, Quantity quantity = 1) {
    const Result result = book.add_limit_order(id, makers(), price, quantity, TimeInForce::GoodTillCancel, sink);
    EXPECT_EQ(result, rests(result.handle, quantity)) << price;
    EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, id, makers(), price, quantity}));
    return result.handle;
  }
  Result take(Price price, Quantity quantity, TimeInForce time_in_force = TimeInForce::ImmediateOrCancel) {
    return book.add_limit_order(99, takers(), price, quantity, time_in_force, sink);
  }
  /// What has traded since this was last asked: maker and lots.
  std::vector<std::pair<OrderId, Quantity>> traded() {
    std::vector<std::pair<OrderId, Quantity>> makers_and_lots;
    for (const Trade& trade : std::exchange(sink.trades, {})) {
      EXPECT_EQ(trade.price, prices[trade.maker_id]);
      makers_and_lots.emplace_back(trade.maker_id, trade.quantity);
    }
    return makers_and_lots;
  }
  /// Rests orders 0, 1, ... at `prices`, the worst first; each has a lot more than the one before.
  void rest_at_prices() {
    for (std::size_t i = prices.size(); i-- > 0;) handles[i] = rest(i, prices[i], i + 1);
  }

  AnyBook512 book = *AnyBook512::create({.capacity = 64});
  RecordTrades sink;
  /// From the best to the worst: some for the window, some beyond it, and the last one there is.
  std::vector<Price> prices{at(0), at(1), at(300), at(2'000), at(2'001), at(1'000'000), worst_end()};
  std::vector<OrderHandle> handles = std::vector<OrderHandle>(prices.size());
};
LLMES_TEST_BOTH_SIDES(AnyPrice);

TEST_P(AnyPrice, IsNotRejectedForWhereItIs) {
  EXPECT_EQ(book.price_min(), lowest_price);
  EXPECT_EQ(book.price_max(), highest_price);
  for (const Price price : {lowest_price, lowest_price + 1, Price{-1'000'000'007}, Price{-1}, Price{0}, Price{1},
                            Price{1} << 40, highest_price - 1, highest_price}) {
    const OrderHandle handle = rest(1, price);
    EXPECT_EQ(book.modify_resting_order(handle, price, 1), kept_place(handle, 1));
    const Result moved = book.modify_order(handle, next_to(price), 2, sink);
    EXPECT_EQ(moved, rests(handle, 2)) << price;
    const Result replaced = book.replace_order(handle, 2, price, 3, sink);
    EXPECT_EQ(replaced, rests(replaced.handle, 3)) << price;
  }
  EXPECT_EQ(book.size(), 9u);
  EXPECT_EQ(depth_of(book, makers()).size(), 9u);
}

TEST_P(AnyPrice, IsNotTheLargestOne) {
  constexpr Price largest = std::numeric_limits<Price>::max();
  const OrderHandle handle = rest(1, 5);
  EXPECT_EQ(book.add_limit_order(2, makers(), largest, 1, TimeInForce::GoodTillCancel, sink),
            Result{Status::PriceOutOfBand});
  EXPECT_EQ(book.add_resting_order(2, makers(), largest, 1), Result{Status::PriceOutOfBand});
  EXPECT_EQ(book.modify_order(handle, largest, 1, sink), stays(Status::PriceOutOfBand, handle, 1));
  EXPECT_EQ(book.replace_order(handle, 2, largest, 1, sink), stays(Status::PriceOutOfBand, handle, 1));
  EXPECT_EQ(book.level(makers(), largest), DepthLevel{largest});
  EXPECT_EQ(take(largest, 1), makers() == Side::Sell ? done(1) : done(0, 1)) << "a taker may name it";
}

TEST_P(AnyPrice, HasItsPlaceInTheOrderOfPrices) {
  rest_at_prices();
  const OrderHandle second_in_line = rest(20, prices[5], 1);
  std::vector<DepthLevel> levels;
  std::vector<OrderId> ids;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    levels.push_back({prices[i], i + 1, 1});
    ids.push_back(i);
  }
  ++levels[5].quantity;
  ++levels[5].order_count;
  ids.insert(ids.begin() + 6, 20);
  EXPECT_EQ(depth_of(book, makers()), levels);
  std::vector<OrderId> visited;
  for (const RestingOrder& order : orders_of(book, makers())) visited.push_back(order.id);
  EXPECT_EQ(visited, ids);
  for (const DepthLevel& level : levels) EXPECT_EQ(book.level(makers(), level.price), level);
  EXPECT_EQ(book.best(makers()), prices.front());
  EXPECT_EQ(book.worst(makers()), prices.back());
  EXPECT_EQ(book.queue_ahead(second_in_line), (QueuePosition{6, 1}));
  std::vector<OrderHandle> on_level;
  book.visit_level(makers(), prices[5], [&](const RestingOrder& order) { on_level.push_back(order.handle); });
  EXPECT_EQ(on_level, (std::vector{handles[5], second_in_line}));
}

TEST_P(AnyPrice, IsSweptInTheOrderOfPrices) {
  rest_at_prices();
  EXPECT_EQ(take(prices[3], 5), done(5));
  EXPECT_EQ(traded(), (std::vector<std::pair<OrderId, Quantity>>{{0, 1}, {1, 2}, {2, 2}}));
  EXPECT_EQ(take(prices[4], 100), done(10, 90));
  EXPECT_EQ(traded(), (std::vector<std::pair<OrderId, Quantity>>{{2, 1}, {3, 4}, {4, 5}}));
  EXPECT_EQ(broken_invariant(book), std::nullopt);
  EXPECT_EQ(book.best(makers()), prices[5]);
  EXPECT_EQ(book.add_market_order(9, takers(), 100, sink), done(13, 87));
  EXPECT_EQ(traded(), (std::vector<std::pair<OrderId, Quantity>>{{5, 6}, {6, 7}}));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(AnyPrice, IsFilledOrKilledByAllThatIsInReach) {
  rest_at_prices();
  EXPECT_EQ(take(prices[5] - at(1), 16, TimeInForce::FillOrKill), Result{Status::NotFillable});
  EXPECT_EQ(take(prices[5], 22, TimeInForce::FillOrKill), Result{Status::NotFillable});
  EXPECT_EQ(take(worst_end(), 29, TimeInForce::FillOrKill), Result{Status::NotFillable});
  EXPECT_EQ(book.size(), prices.size());
  EXPECT_EQ(take(prices[5], 21, TimeInForce::FillOrKill), done(21));
  EXPECT_EQ(take(worst_end(), 7, TimeInForce::FillOrKill), done(7));
}

TEST_P(AnyPrice, OfALevelWhoseTotalWouldWrapIsRejected) {
  rest(1, at(0));
  const OrderHandle far = rest(2, at(1'000'000), most - 1);
  EXPECT_EQ(book.add_resting_order(3, makers(), at(1'000'000), 2), Result{Status::QuantityOverflow});
  const OrderHandle last = rest(3, at(1'000'000), 1);
  EXPECT_EQ(book.level(makers(), at(1'000'000)), (DepthLevel{at(1'000'000), most, 2}));
  EXPECT_EQ(book.modify_order(last, at(1'000'000), 2, sink), stays(Status::QuantityOverflow, last, 1));
  EXPECT_EQ(book.queue_ahead(far), (QueuePosition{0, 0}));
}

/// The window goes to each of these prices in turn, and back, and nobody notices.
TEST_P(AnyPrice, KeepsHandleAndPlaceWhereverTheTouchGoes) {
  rest_at_prices();
  const OrderHandle young = rest(20, prices[1], 5);
  const std::vector<RestingOrder> before = orders_of(book, makers());
  for (const Price better : {at(-200), at(-511), at(-512), at(-5'000), at(-1'000'000'000), best_end()}) {
    const OrderHandle away = rest(30, better);
    EXPECT_EQ(book.best(makers()), better);
    EXPECT_EQ(broken_invariant(book), std::nullopt) << better;
    EXPECT_EQ(book.queue_ahead(young), (QueuePosition{2, 1}));
    EXPECT_EQ(book.reduce_order(young, 1), Status::Success);
    EXPECT_EQ(book.modify_order(young, prices[1], 5, sink), rests(young, 5));
    EXPECT_EQ(book.cancel_order(away), Status::Success);
    EXPECT_EQ(broken_invariant(book), std::nullopt) << better;
    EXPECT_EQ(orders_of(book, makers()), before);
  }
}

/// Whether the window still covers the worse of two levels or not, and where it does so just about.
TEST_P(AnyPrice, IsKnownAtEachDistanceFromTheTouch) {
  rest(1, at(0));
  for (Price distance = 1; distance <= 600; ++distance) {
    const OrderHandle near = rest(2, at(-distance));
    ASSERT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(-distance), 1, 1}, {at(0), 1, 1}}));
    ASSERT_EQ(book.worst(makers()), at(0)) << distance;
    ASSERT_EQ(book.cancel_order(near), Status::Success);
    ASSERT_EQ(book.best(makers()), at(0)) << distance;
  }
}

TEST_P(AnyPrice, FarAwayPinsNothing) {
  const OrderHandle far = rest(1, worst_end());
  const OrderHandle other_far = rest(2, at(1'000'000'000));
  for (Price step = 0; step > -100'000; step -= 333) {
    const OrderHandle near = rest(3, at(step));
    const Result other = book.add_limit_order(4, takers(), at(step - 1), 1, TimeInForce::GoodTillCancel, sink);
    EXPECT_EQ(other, rests(other.handle, 1));
    EXPECT_EQ(book.best(makers()), at(step));
    EXPECT_EQ(book.best(takers()), at(step - 1));
    ASSERT_EQ(broken_invariant(book), std::nullopt) << step;
    EXPECT_EQ(book.cancel_order(near), Status::Success);
    EXPECT_EQ(book.cancel_order(other.handle), Status::Success);
    EXPECT_EQ(book.best(makers()), at(1'000'000'000));
  }
  EXPECT_EQ(book.find(far), (RestingOrder{far, 1, makers(), worst_end(), 1}));
  EXPECT_EQ(book.cancel_order(other_far), Status::Success);
  EXPECT_EQ(take(worst_end(), 1), done(1));
}

TEST_P(AnyPrice, OfAnEmptySideIsAsGoodAsAnyOther) {
  for (const Price price : {worst_end(), best_end(), at(7), at(-100'000), at(100'000), worst_end()}) {
    const OrderHandle first = rest(1, price);
    ASSERT_EQ(broken_invariant(book), std::nullopt) << price;
    const OrderHandle second = rest(2, next_to(price));
    EXPECT_EQ(depth_of(book, makers()).size(), 2u);
    EXPECT_EQ(book.cancel_order(first), Status::Success);
    EXPECT_EQ(book.cancel_order(second), Status::Success);
    EXPECT_EQ(book.best(makers()), std::nullopt);
    ASSERT_EQ(broken_invariant(book), std::nullopt) << price;
  }
}

TEST_P(AnyPrice, IsClearedWithAllOthers) {
  rest_at_prices();
  EXPECT_EQ(book.clear(takers()), 0u);
  EXPECT_EQ(book.clear(makers()), prices.size());
  EXPECT_EQ(broken_invariant(book), std::nullopt);
  rest_at_prices();
  EXPECT_EQ(book.size(), prices.size());
}

/// As many levels on one side as orders, so all far storage and all anchors are in use; then on the other.
TEST_P(AnyPrice, HasRoomForEveryOrderOnALevelOfItsOwn) {
  for (const Side side : {makers(), takers(), makers()}) {
    for (OrderId id = 0; id < book.capacity(); ++id) {
      const auto step = static_cast<Price>(id * 37 % 64) << 50;
      const Result result = book.add_resting_order(id, side, step, 1);
      ASSERT_EQ(result, rests(result.handle, 1));
    }
    EXPECT_EQ(book.add_resting_order(99, side, 5, 1), Result{Status::PoolFull});
    EXPECT_EQ(broken_invariant(book), std::nullopt);
    EXPECT_EQ(depth_of(book, side).size(), book.capacity());
    EXPECT_EQ(book.clear(), book.capacity());
  }
}

TEST_P(AnyPrice, ComesAlongWhenTheBookMoves) {
  rest_at_prices();
  const std::vector<RestingOrder> orders = orders_of(book, makers());
  AnyBook512 moved = std::move(book);
  EXPECT_EQ(orders_of(moved, makers()), orders);
  EXPECT_EQ(book.size(), 0u);
  EXPECT_EQ(book.worst(makers()), std::nullopt);
  for (const Price price : prices) EXPECT_EQ(book.level(makers(), price), DepthLevel{price});
  EXPECT_EQ(book.add_resting_order(1, makers(), at(5'000), 1), Result{Status::PoolFull});
  book = std::move(moved);
  EXPECT_EQ(orders_of(book, makers()), orders);
  EXPECT_EQ(take(worst_end(), 28), done(28));
}

// ---- Creation.

template <class Book>
class AnyPriceCreate : public ::testing::Test {};
using AnyPriceBooks = ::testing::Types<AnyPriceBook<64>, AnyPriceBook<512>, AnyPriceBook<>>;
TYPED_TEST_SUITE(AnyPriceCreate, AnyPriceBooks);

/// An index of a slot has 32 bits. Each order has a slot and an anchor, and each place of two sides an anchor.
static_assert(AnyPriceBook<>::capacity_max == (std::numeric_limits<std::uint32_t>::max() - 2 * 16'384) / 2);

TYPED_TEST(AnyPriceCreate, HasAnEndToTheCapacity) {
  constexpr std::size_t largest = TypeParam::capacity_max;
  static_assert(TypeParam::memory_bytes(largest) > std::size_t{100} << 30, "does not wrap");
  for (const std::size_t capacity :
       {std::size_t{0}, largest + 1, std::size_t{1} << 32, std::numeric_limits<std::size_t>::max()}) {
    CreateStatus status{};
    EXPECT_FALSE(TypeParam::create({.capacity = capacity}, status).has_value()) << capacity;
    EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  }
}

/// 64 bytes for each order and its anchor, up to 35 for far levels and 32 for the table of displaced ones, and 32
/// for each place: 8 to 16 for an order, or 64 at least, up to 16,384, on each side.
TYPED_TEST(AnyPriceCreate, SaysHowMuchMemoryItTakes) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{100}, std::size_t{1'000'000}}) {
    EXPECT_GE(TypeParam::memory_bytes(capacity), sizeof(TypeParam) + 64 * capacity);
    const std::size_t places = std::clamp<std::size_t>(16 * capacity, 64, 16'384);
    EXPECT_LE(TypeParam::memory_bytes(capacity),
              sizeof(TypeParam) + (64 + 35 + 32) * capacity + 2 * (384 + places * 32));
  }
}

TYPED_TEST(AnyPriceCreate, ReadsNoBasePrice) {
  for (const Price base_price : {lowest_price, Price{0}, highest_price, std::numeric_limits<Price>::max()}) {
    CreateStatus status{};
    const auto book = TypeParam::create({.base_price = base_price, .capacity = 1}, status);
    ASSERT_EQ(status, CreateStatus::Success);
    EXPECT_EQ(book->price_min(), lowest_price);
    EXPECT_EQ(book->price_max(), highest_price);
  }
}

}  // namespace
}  // namespace llmes::test
