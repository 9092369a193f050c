// SPDX-License-Identifier: MIT
//
// An order that may not rest may name any price: beyond the far end of the band it trades like one at that end,
// and beyond the near end it meets nobody.
#include <limits>

#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

/// Makers of 3 and 4 lots at the best and the worst price of the band, and a taker's order of 5 lots between.
class BeyondBand : public SideTest {
 protected:
  static constexpr int first = -50;  // the steps of the band's ends
  static constexpr int last = 77;

  void SetUp() override {
    rest(1, first + 1, 3);
    rest(2, last, 4);
    mover_ = rest_on(takers(), 3, first, 5);
    trades();
  }
  /// Prices that reach everybody, and prices that reach nobody.
  [[nodiscard]] static std::vector<Price> beyond(bool far) {
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    const bool above = far == (takers() == Side::Buy);
    return {far ? at(last + 1) : at(first - 1), above ? highest - 1 : lowest + 1, above ? highest : lowest};
  }
  Result enter(Price price, Quantity quantity, TimeInForce time_in_force) {
    return book.add_limit_order(9, takers(), price, quantity, time_in_force, DiscardTrades{});
  }
  OrderHandle mover_;
};
LLMES_TEST_BOTH_SIDES(BeyondBand);

TEST_P(BeyondBand, ReachesEverybodyBeyondTheFarEnd) {
  for (const Price price : beyond(true)) {
    BookConfig config{.base_price = base_price, .capacity = capacity};
    book = *Book::create(config);
    SetUp();
    EXPECT_EQ(enter(price, 1, TimeInForce::FillOrKill), done(1)) << price;
    EXPECT_EQ(enter(price, 7, TimeInForce::FillOrKill), Result{Status::NotFillable}) << price;
    EXPECT_EQ(enter(price, 9, TimeInForce::ImmediateOrCancel), done(6, 3)) << price;
    EXPECT_EQ(best(makers()), std::nullopt);
  }
}

TEST_P(BeyondBand, ReachesNobodyBeyondTheNearEnd) {
  for (const Price price : beyond(false)) {
    EXPECT_EQ(enter(price, 7, TimeInForce::ImmediateOrCancel), done(0, 7)) << price;
    EXPECT_EQ(enter(price, 1, TimeInForce::FillOrKill), Result{Status::NotFillable}) << price;
  }
  EXPECT_EQ(book.size(), 3u);
}

TEST_P(BeyondBand, HoldsForAModifyAndAReplace) {
  for (const Price price : beyond(false)) {
    EXPECT_EQ(book.modify_order(mover_, price, 1, TimeInForce::FillOrKill, DiscardTrades{}),
              stays(Status::NotFillable, mover_, 5));
    EXPECT_EQ(book.replace_order(mover_, 8, price, 1, TimeInForce::FillOrKill, DiscardTrades{}),
              stays(Status::NotFillable, mover_, 5));
  }
  const Price far = beyond(true).back();
  EXPECT_EQ(book.modify_order(mover_, far, 8, TimeInForce::FillOrKill, DiscardTrades{}),
            stays(Status::NotFillable, mover_, 5));
  EXPECT_EQ(book.modify_order(mover_, far, 2, TimeInForce::ImmediateOrCancel, DiscardTrades{}), done(2));
  mover_ = rest_on(takers(), 3, first, 5);
  EXPECT_EQ(book.replace_order(mover_, 8, far, 5, TimeInForce::FillOrKill, DiscardTrades{}), done(5));
  mover_ = rest_on(takers(), 3, last, 5);
  EXPECT_EQ(book.modify_order(mover_, beyond(false).front(), 2, TimeInForce::ImmediateOrCancel, DiscardTrades{}),
            done(0, 2));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(BeyondBand, IsRefusedToAnOrderThatMayRest) {
  for (const bool far : {true, false}) {
    for (const Price price : beyond(far)) {
      for (const TimeInForce time_in_force : {TimeInForce::GoodTillCancel, TimeInForce::PostOnly}) {
        EXPECT_EQ(enter(price, 1, time_in_force), Result{Status::PriceOutOfBand});
        EXPECT_EQ(book.modify_order(mover_, price, 1, time_in_force, DiscardTrades{}),
                  stays(Status::PriceOutOfBand, mover_, 5));
        EXPECT_EQ(book.replace_order(mover_, 8, price, 1, time_in_force, DiscardTrades{}),
                  stays(Status::PriceOutOfBand, mover_, 5));
      }
    }
  }
}

}  // namespace
}  // namespace llmes::test
