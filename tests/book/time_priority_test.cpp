// SPDX-License-Identifier: MIT
//
// The best price trades first, and at each price the oldest order, whatever happened to the queue before.
#include <algorithm>
#include <array>

#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class TimePriority : public SideTest {
 protected:
  /// Rests `count` makers of one lot, with ids from 1, at one price.
  std::vector<OrderHandle> rest_queue(std::size_t count) {
    std::vector<OrderHandle> handles;
    for (OrderId id = 1; id <= count; ++id) handles.push_back(rest(id, 0, 1));
    return handles;
  }
  /// The makers whom an order meets that takes everything, in order.
  Ids makers_met() {
    market(100, 1'000);
    Ids ids;
    for (const Trade& trade : trades()) ids.push_back(trade.maker_id);
    return ids;
  }
};
LLMES_TEST_BOTH_SIDES(TimePriority);

TEST_P(TimePriority, OldestFirst) {
  rest_queue(14);
  EXPECT_EQ(makers_met(), (Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

TEST_P(TimePriority, BestPriceFirstWhenLevelsArriveOutOfOrder) {
  for (const auto& [id, step] : {std::pair{1, 4}, {2, 0}, {3, 9}, {4, 2}, {5, 0}, {6, 4}, {7, 1}}) {
    rest(static_cast<OrderId>(id), step, 1);
  }
  EXPECT_EQ(makers_met(), (Ids{2, 5, 7, 4, 1, 6, 3}));
}

TEST_P(TimePriority, SurvivesACancelAtTheHead) {
  const auto handles = rest_queue(14);
  EXPECT_EQ(book.cancel_order(handles[0]), Status::Success);
  EXPECT_EQ(makers_met(), (Ids{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

TEST_P(TimePriority, SurvivesACancelInTheMiddle) {
  const auto handles = rest_queue(14);
  EXPECT_EQ(book.cancel_order(handles[6]), Status::Success);
  EXPECT_EQ(makers_met(), (Ids{1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14}));
}

TEST_P(TimePriority, SurvivesACancelAtTheTail) {
  const auto handles = rest_queue(14);
  EXPECT_EQ(book.cancel_order(handles[13]), Status::Success);
  rest(15, 0, 1);
  EXPECT_EQ(makers_met(), (Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15}));
}

TEST_P(TimePriority, SurvivesScatteredCancelsAndNewcomers) {
  const auto handles = rest_queue(14);
  for (const std::size_t i : {8u, 0u, 13u, 1u, 7u, 4u}) EXPECT_EQ(book.cancel_order(handles[i]), Status::Success);
  rest(20, 0, 1);
  rest(21, 0, 1);
  EXPECT_EQ(makers_met(), (Ids{3, 4, 6, 7, 10, 11, 12, 13, 20, 21}));
}

TEST_P(TimePriority, APartlyFilledMakerKeepsTheHeadAcrossAggressors) {
  const OrderHandle first = rest(1, 0, 10);
  rest(2, 0, 10);
  take(3, 0, 3);
  take(4, 0, 3);
  market(5, 3);
  EXPECT_EQ(trades(), (Trades{{3, 1, first, at(0), 3, 7, 0, takers()},
                              {4, 1, first, at(0), 3, 4, 0, takers()},
                              {5, 1, first, at(0), 3, 1, 0, takers()}}));
  EXPECT_EQ(queue(makers()), (Ids{1, 2}));
}

TEST_P(TimePriority, TwoMakersAtAPriceAreTwoTrades) {
  const OrderHandle first = rest(1, 0, 2);
  const OrderHandle second = rest(2, 0, 3);
  EXPECT_EQ(take(3, 0, 4).filled, 4u);
  EXPECT_EQ(trades(), (Trades{{3, 1, first, at(0), 2, 0, 2, takers()}, {3, 2, second, at(0), 2, 1, 0, takers()}}));
}

TEST_P(TimePriority, ATakerUsedUpAtALevelsEndTouchesNoFurtherMaker) {
  const OrderHandle first = rest(1, 0, 2);
  const OrderHandle second = rest(2, 0, 3);
  rest(3, 1, 4);
  EXPECT_EQ(take(4, 1, 5).filled, 5u);
  EXPECT_EQ(trades(), (Trades{{4, 1, first, at(0), 2, 0, 3, takers()}, {4, 2, second, at(0), 3, 0, 0, takers()}}));
  EXPECT_EQ(level(makers(), 1), (DepthLevel{at(1), 4, 1}));
}

}  // namespace
}  // namespace llmes::test
