// SPDX-License-Identifier: MIT
//
// A handle names its order for as long as the order rests. Afterwards it names nothing, also when another order
// uses its slot.
#include <unordered_set>

#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class StaleHandle : public SideTest {
 protected:
  void expect_unknown(OrderHandle handle) {
    const Snapshot before = snapshot_of(book);
    EXPECT_EQ(book.find(handle), std::nullopt);
    EXPECT_EQ(book.cancel_order(handle), Status::UnknownOrder);
    EXPECT_EQ(modify(handle, 0, 1), Result{Status::UnknownOrder});
    EXPECT_EQ(modify(handle, 0, 1, TimeInForce::ImmediateOrCancel), Result{Status::UnknownOrder});
    EXPECT_EQ(book.reduce_order(handle, 1), Status::UnknownOrder);
    EXPECT_EQ(trades(), Trades{});
    EXPECT_EQ(snapshot_of(book), before);
  }
};
LLMES_TEST_BOTH_SIDES(StaleHandle);

TEST_P(StaleHandle, DefaultIsUnknown) {
  expect_unknown({});
  rest(1, 0, 5);
  expect_unknown({});
}

TEST_P(StaleHandle, DoubleCancelIsUnknown) {
  const OrderHandle order = rest(1, 0, 5);
  rest(2, 0, 5);
  EXPECT_EQ(book.cancel_order(order), Status::Success);
  expect_unknown(order);
}

TEST_P(StaleHandle, FilledIsUnknown) {
  const OrderHandle order = rest(1, 0, 5);
  rest(2, 0, 5);
  take(3, 0, 4);
  EXPECT_TRUE(book.find(order).has_value());
  take(4, 0, 1);
  trades();
  expect_unknown(order);
}

TEST_P(StaleHandle, ReducedToNothingIsUnknown) {
  const OrderHandle order = rest(1, 0, 5);
  EXPECT_EQ(book.reduce_order(order, 5), Status::Success);
  expect_unknown(order);
}

TEST_P(StaleHandle, TradedAwayByItsOwnModifyIsUnknown) {
  rest(1, 0, 5);
  const OrderHandle order = rest_on(takers(), 2, -3, 1);
  EXPECT_EQ(modify(order, 0, 5).filled, 5u);
  trades();
  expect_unknown(order);
}

TEST_P(StaleHandle, OfAReusedSlotIsUnknown) {
  std::vector<OrderHandle> dead;
  for (int use = 0; use < 20; ++use) {
    for (OrderId id = 1; id <= capacity; ++id) dead.push_back(rest(id, static_cast<int>(id), 1));
    market(100, capacity);
    trades();
  }
  for (OrderId id = 1; id <= capacity; ++id) rest(id, static_cast<int>(id), 1);
  for (const OrderHandle handle : dead) expect_unknown(handle);
}

TEST_P(StaleHandle, NeverIssuedIsUnknown) {
  std::unordered_set<std::uint64_t> live;
  for (OrderId id = 1; id <= capacity / 2; ++id) live.insert(rest(id, 0, 1).value());
  for (std::uint32_t index = 0; index < 2 * Book::price_levels + capacity + 40; ++index) {
    for (std::uint32_t generation = 0; generation < 5; ++generation) {
      const OrderHandle handle{index, generation};
      if (live.contains(handle.value())) continue;
      EXPECT_EQ(book.cancel_order(handle), Status::UnknownOrder) << handle;
    }
  }
  EXPECT_EQ(book.size(), capacity / 2);
}

TEST_P(StaleHandle, EveryBitOfAForgedHandleCounts) {
  const OrderHandle order = rest(1, 0, 5);
  for (int bit = 0; bit < 64; ++bit) {
    expect_unknown(OrderHandle::from_value(order.value() ^ (std::uint64_t{1} << bit)));
  }
  EXPECT_EQ(book.cancel_order(order), Status::Success);
}

TEST_P(StaleHandle, HandlesOfLivingOrdersDiffer) {
  std::unordered_set<std::uint64_t> seen;
  for (int use = 0; use < 100; ++use) {
    const OrderHandle order = rest(1, 0, 1);
    EXPECT_NE(order, OrderHandle{});
    EXPECT_TRUE(seen.insert(order.value()).second) << "issued before: " << order;
    EXPECT_EQ(book.cancel_order(order), Status::Success);
  }
}

TEST_P(StaleHandle, ATradeNamesTheMakerWithTheHandleItHad) {
  const OrderHandle order = rest(1, 0, 5);
  take(2, 0, 3);
  take(3, 0, 2);
  for (const Trade& trade : trades()) EXPECT_EQ(trade.maker_handle, order);
}

}  // namespace
}  // namespace llmes::test
