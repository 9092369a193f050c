// SPDX-License-Identifier: MIT
//
// Each limit at its edge: what is exactly at the limit is accepted, one more is rejected and changes no byte.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/venue.hpp"
#include "tests/support/print.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test::risk_limits_test {
namespace {

using enum RiskStatus;
using enum TimeInForce;

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

class RiskLimits : public ::testing::Test {
 protected:
  /// Tells what the stage says without the command being made; a rejection must change nothing.
  template <class CommandOf>
  RiskStatus ask(AccountNumber account, const CommandOf& command, Nanoseconds time = 0) {
    const auto before = state_of(stage);
    const RiskStatus status = stage.accept(account, command, time, book.handle_of(command.id));
    EXPECT_TRUE(status == Success || state_of(stage) == before) << status;
    return status;
  }
  CheckedResult make(AccountNumber account, const Request& request, Nanoseconds time = 0) {
    return stage.apply(book, account, request, time, DiscardTrades{});
  }
  RiskStatus buy(Price price, Quantity lots, TimeInForce tif = GoodTillCancel) {
    return ask(1, Request::add_limit(++id, Side::Buy, price, lots, tif));
  }
  RiskStatus sell(Price price, Quantity lots, TimeInForce tif = GoodTillCancel) {
    return ask(1, Request::add_limit(++id, Side::Sell, price, lots, tif));
  }
  void rest(AccountNumber account, Side side, Price price, Quantity lots) {
    const CheckedResult made = make(account, Request::add_limit(++id, side, price, lots, GoodTillCancel));
    ASSERT_EQ(made.risk, Success);
    ASSERT_TRUE(made.result.rests());
    resting = id;
  }
  void limit(const AccountLimits& limits) { ASSERT_EQ(stage.set_limits(1, limits), Success); }

  using Book = IdBook<OrderBook<4096>, HashedIds>;
  RiskStage stage =
      *RiskStage::create({.accounts = 3, .books = 2, .orders = 4, .holdings = 3, .fees = {.taker = 7}});
  Book book = *Book::create({.base_price = -2000, .capacity = 4}, {});
  OrderId id = 100;
  OrderId resting = 0;  ///< of the order that `rest` made last
};

TEST_F(RiskLimits, OfTheQuantityOfAnOrder) {
  limit({.order_quantity = 10});
  EXPECT_EQ(buy(5, 10), Success);
  EXPECT_EQ(buy(5, 11), QuantityLimit);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Sell, 10)), Success);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Sell, 11)), QuantityLimit);
  EXPECT_EQ(ask(2, Request::add_market(1, Side::Sell, 11)), Success) << "another account";
}

TEST_F(RiskLimits, OfTheNotionalOfAnOrder) {
  limit({.order_notional = 100});
  EXPECT_EQ(buy(10, 10), Success);
  EXPECT_EQ(buy(101, 1), NotionalLimit);
  EXPECT_EQ(sell(-10, 10), Success) << "its size counts";
  EXPECT_EQ(sell(-101, 1), NotionalLimit);
  EXPECT_EQ(buy(0, 1'000'000), Success);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 1)), NoReference);
  ASSERT_EQ(stage.set_reference(0, 20), Success);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 5)), Success);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 6)), NotionalLimit);
}

TEST_F(RiskLimits, OfWhatANotionalAndAPositionCanBe) {
  EXPECT_EQ(buy(1, int64_max), Success);
  EXPECT_EQ(buy(1, Quantity{int64_max} + 1), NotionalOverflow);
  EXPECT_EQ(buy(int64_max, 1), Success);
  EXPECT_EQ(buy(int64_max, 2), NotionalOverflow);
  EXPECT_EQ(sell(std::numeric_limits<Price>::min(), 1), NotionalOverflow);
  EXPECT_EQ(sell(std::numeric_limits<Price>::min(), std::numeric_limits<Quantity>::max()), NotionalOverflow);
  EXPECT_EQ(buy(0, int64_max), Success);
  EXPECT_EQ(buy(0, Quantity{int64_max} + 1), PositionOverflow);
  EXPECT_EQ(sell(0, int64_max), Success);
  EXPECT_EQ(sell(0, Quantity{int64_max} + 1), PositionOverflow);
  rest(1, Side::Buy, 0, Quantity{int64_max} - 5);
  EXPECT_EQ(buy(0, 5), Success);
  EXPECT_EQ(buy(0, 6), PositionOverflow) << "with what is open";
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 6)), PositionOverflow);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, std::numeric_limits<Quantity>::max())), PositionOverflow);
  EXPECT_EQ(ask(1, Request::modify(resting, 0, int64_max)), Success) << "in the place of what is open";
  EXPECT_EQ(ask(1, Request::modify(resting, 0, Quantity{int64_max} + 1)), PositionOverflow);
  EXPECT_EQ(sell(0, int64_max), Success) << "the other side";
}

TEST_F(RiskLimits, OfOpenOrders) {
  limit({.open_orders = 2});
  rest(1, Side::Buy, 5, 1);
  EXPECT_EQ(buy(5, 1), Success);
  rest(1, Side::Sell, 9, 1);
  EXPECT_EQ(buy(5, 1), OpenOrdersLimit);
  EXPECT_EQ(buy(5, 1, PostOnly), OpenOrdersLimit);
  EXPECT_EQ(ask(1, Request::add_resting(1, Side::Buy, 5, 1)), OpenOrdersLimit);
  EXPECT_EQ(buy(5, 1, ImmediateOrCancel), Success) << "it cannot rest";
  EXPECT_EQ(buy(5, 1, FillOrKill), Success);
  EXPECT_EQ(ask(1, Request::replace(resting, 77, 8, 1)), Success) << "it takes the place of one";
  EXPECT_EQ(ask(1, Request::modify(resting, 8, 1)), Success);
  EXPECT_EQ(make(1, Request::cancel(resting)).risk, Success);
  EXPECT_EQ(buy(5, 1), Success);
}

TEST_F(RiskLimits, OfTheOpenQuantityOnASideOfABook) {
  limit({.open_quantity = 10});
  rest(1, Side::Buy, 5, 4);
  EXPECT_EQ(buy(5, 6), Success);
  EXPECT_EQ(buy(5, 7), OpenQuantityLimit);
  EXPECT_EQ(buy(5, 7, ImmediateOrCancel), Success);
  EXPECT_EQ(sell(9, 10), Success) << "the other side";
  EXPECT_EQ(ask(1, Request::modify(resting, 5, 10)), Success) << "in the place of what is open";
  EXPECT_EQ(ask(1, Request::modify(resting, 5, 11)), OpenQuantityLimit);
  BookRequest other{Request::add_limit(1, Side::Buy, 5, 10, GoodTillCancel), 1};
  EXPECT_EQ(ask(1, other), Success) << "the other book";
  other.quantity = 11;
  EXPECT_EQ(ask(1, other), OpenQuantityLimit);
}

TEST_F(RiskLimits, OfThePositionWithWhatIsOpen) {
  limit({.position_min = 0, .position_max = 10});
  EXPECT_EQ(sell(5, 1), PositionLimit) << "nothing to sell";
  rest(1, Side::Buy, 5, 4);
  EXPECT_EQ(buy(5, 6), Success);
  EXPECT_EQ(buy(5, 7), PositionLimit);
  EXPECT_EQ(buy(5, 7, ImmediateOrCancel), PositionLimit);
  ASSERT_EQ(make(2, Request::add_market(++id, Side::Sell, 3)).result.filled, 3u);
  EXPECT_EQ(stage.accounts().holding(1, 0).position, 3);
  EXPECT_EQ(buy(5, 6), Success) << "what was open is now held";
  EXPECT_EQ(buy(5, 7), PositionLimit);
  EXPECT_EQ(sell(9, 3), Success);
  EXPECT_EQ(sell(9, 4), PositionLimit) << "short";
}

TEST_F(RiskLimits, OfACommandThatMayOnlyReduce) {
  const auto only_reduce = [&](const Request& request) {
    return stage.accept(1, request, 0, book.handle_of(request.id), PositionEffect::OnlyReduce);
  };
  const auto sell_only = [&](Quantity lots) {
    return only_reduce(Request::add_limit(++id, Side::Sell, 9, lots, GoodTillCancel));
  };
  EXPECT_EQ(sell_only(1), WouldIncrease) << "no position";
  rest(2, Side::Sell, 5, 4);
  ASSERT_EQ(make(1, Request::add_market(++id, Side::Buy, 4)).result.filled, 4u);
  EXPECT_EQ(sell_only(4), Success);
  EXPECT_EQ(sell_only(5), WouldIncrease);
  EXPECT_EQ(only_reduce(Request::add_market(++id, Side::Sell, 4)), Success);
  EXPECT_EQ(only_reduce(Request::add_market(++id, Side::Sell, 5)), WouldIncrease);
  EXPECT_EQ(only_reduce(Request::add_market(++id, Side::Buy, 1)), WouldIncrease);
  rest(1, Side::Sell, 9, 3);
  EXPECT_EQ(sell_only(1), Success);
  EXPECT_EQ(sell_only(2), WouldIncrease) << "with what is open";
  EXPECT_EQ(only_reduce(Request::modify(resting, 9, 4)), Success) << "in the place of what is open";
  EXPECT_EQ(only_reduce(Request::modify(resting, 9, 5)), WouldIncrease);
  limit({.position_max = 1});
  EXPECT_EQ(sell_only(1), Success) << "from beyond the limit";
  const CheckedResult sold = stage.apply(book, 1, Request::add_market(++id, Side::Sell, 9), 0, DiscardTrades{},
                                         PositionEffect::OnlyReduce);
  EXPECT_EQ(sold.risk, WouldIncrease);
}

TEST_F(RiskLimits, OfThePriceAroundTheReference) {
  limit({.collar_low = -5, .collar_high = 3});
  EXPECT_EQ(buy(100, 1), NoReference);
  ASSERT_EQ(stage.set_reference(0, 100), Success);
  EXPECT_EQ(buy(95, 1), Success);
  EXPECT_EQ(buy(94, 1), OutsideCollar);
  EXPECT_EQ(buy(103, 1), Success);
  EXPECT_EQ(buy(104, 1), OutsideCollar);
  ASSERT_EQ(stage.on_best(0, Side::Sell, 200), Success);
  EXPECT_EQ(buy(203, 1), Success) << "the best of the other side comes before the day's";
  EXPECT_EQ(buy(103, 1), OutsideCollar);
  EXPECT_EQ(sell(103, 1), Success) << "there is no best bid";
  ASSERT_EQ(stage.on_best(0, Side::Sell, {}), Success);
  EXPECT_EQ(buy(103, 1), Success);
  rest(2, Side::Buy, 150, 1);
  ASSERT_EQ(make(3, Request::add_market(++id, Side::Sell, 1)).result.filled, 1u);
  ASSERT_EQ(stage.on_best(0, Side::Sell, 200), Success);
  EXPECT_EQ(buy(153, 1), Success) << "the last trade comes before the best";
  EXPECT_EQ(buy(154, 1), OutsideCollar);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 1)), Success) << "it has no price";
}

TEST_F(RiskLimits, OfAPriceAtTheEndsOfAllPrices) {
  limit({.collar_low = std::numeric_limits<Price>::min(), .collar_high = 1});
  ASSERT_EQ(stage.set_reference(0, std::numeric_limits<Price>::min()), Success);
  EXPECT_EQ(buy(std::numeric_limits<Price>::min() + 1, 1), Success);
  EXPECT_EQ(buy(std::numeric_limits<Price>::max(), 1), OutsideCollar);
  ASSERT_EQ(stage.set_reference(0, std::numeric_limits<Price>::max()), Success);
  EXPECT_EQ(buy(std::numeric_limits<Price>::max(), 1), Success);
  limit({.collar_low = -1, .collar_high = std::numeric_limits<Price>::max()});
  EXPECT_EQ(buy(std::numeric_limits<Price>::max() - 1, 1), Success);
  EXPECT_EQ(buy(std::numeric_limits<Price>::max() - 2, 1), OutsideCollar);
  EXPECT_EQ(buy(-2, 1), OutsideCollar) << "it is further below than a price can say";
}

TEST_F(RiskLimits, OfTheRateOfMessages) {
  limit({.message_burst = 2, .message_interval = 10});
  const Request order = Request::add_limit(1, Side::Buy, 5, 1, GoodTillCancel);
  EXPECT_EQ(ask(1, order, 1000), Success);
  EXPECT_EQ(ask(1, order, 1000), Success);
  EXPECT_EQ(ask(1, order, 1000), TooManyMessages);
  EXPECT_EQ(ask(1, order, 1009), TooManyMessages);
  EXPECT_EQ(ask(1, order, 1010), Success) << "one is regained";
  EXPECT_EQ(ask(1, order, 1010), TooManyMessages);
  EXPECT_EQ(ask(2, order, 1010), Success) << "another account";
  EXPECT_EQ(ask(1, order, 1030), Success);
  EXPECT_EQ(ask(1, order, 1030), Success) << "the burst is no larger after a rest";
  EXPECT_EQ(ask(1, order, 1030), TooManyMessages);
  EXPECT_EQ(ask(1, order, 1029), TimeWentBack);
  EXPECT_EQ(ask(2, order, 1029), TimeWentBack) << "one time for all accounts";
  EXPECT_EQ(ask(1, order, std::numeric_limits<Nanoseconds>::max()), Success);
  EXPECT_EQ(ask(1, order, std::numeric_limits<Nanoseconds>::max()), Success);
  EXPECT_EQ(ask(1, order, std::numeric_limits<Nanoseconds>::max()), TooManyMessages);
}

TEST_F(RiskLimits, DoNotHoldBackWhatLowersTheRisk) {
  limit({.message_burst = 1, .message_interval = 1000});
  rest(1, Side::Buy, 5, 4);
  EXPECT_EQ(buy(5, 1), TooManyMessages);
  EXPECT_EQ(make(1, Request::reduce(resting, 1)).result.remaining, 3u);
  EXPECT_EQ(stage.find(book.handle_of(resting))->quantity, 3u);
  ASSERT_EQ(stage.apply(AccountCommand{1, AccountAction::Kill}, [](const auto&) { return Status::UnknownOrder; }),
            Success);
  EXPECT_EQ(stage.open_count(1), 1u) << "an order that the book does not take off stays open";
  EXPECT_EQ(buy(5, 1), AccountKilled);
  EXPECT_EQ(make(1, Request::cancel(resting)).result.status, Status::Success);
  EXPECT_EQ(stage.open_count(1), 0u);
}

TEST_F(RiskLimits, OfCashAndCredit) {
  limit({.credit = 0});
  EXPECT_EQ(buy(5, 2), CashLimit);
  ASSERT_EQ(stage.pay(1, 10'000'013), Success);
  EXPECT_EQ(buy(5, 2), CashLimit) << "the fees count, and one micro-unit is missing";
  ASSERT_EQ(stage.pay(1, 1), Success);
  EXPECT_EQ(buy(5, 2), Success);
  EXPECT_EQ(sell(-5, 2), Success) << "who sells below zero pays";
  EXPECT_EQ(sell(-5, 3), CashLimit);
  EXPECT_EQ(ask(1, Request::add_market(1, Side::Buy, 1)), NeedsPrice);
  rest(1, Side::Buy, 5, 2);
  EXPECT_EQ(to_text(stage.accounts().reserved(1)), "10000014");
  EXPECT_EQ(buy(0, 1), CashLimit) << "all is reserved, and there is a fee";
  EXPECT_EQ(ask(1, Request::modify(resting, 5, 2)), Success) << "what it costs is reserved already";
  EXPECT_EQ(ask(1, Request::modify(resting, 5, 3)), CashLimit);
  EXPECT_EQ(stage.pay(1, -1), CashLimit);
  limit({.credit = 5});
  EXPECT_EQ(ask(1, Request::modify(resting, 7, 2)), Success);
  EXPECT_EQ(ask(1, Request::modify(resting, 5, 3)), CashLimit);
  EXPECT_EQ(stage.pay(1, -5'000'001), CashLimit);
  EXPECT_EQ(stage.pay(1, -5'000'000), Success);
  EXPECT_EQ(make(1, Request::cancel(resting)).risk, Success);
  EXPECT_EQ(to_text(stage.accounts().reserved(1)), "0");
}

TEST_F(RiskLimits, OfTheRoomInTheStage) {
  const auto order_of = [&](BookNumber in) {
    return BookRequest{Request::add_limit(++id, Side::Buy, 5, 1, GoodTillCancel), in};
  };
  for (const auto& [account, in] : {std::pair<AccountNumber, BookNumber>(1, 0), {1, 1}, {2, 0}}) {
    EXPECT_EQ(ask(account, order_of(in)), Success);
    ASSERT_EQ(stage.restore(Holding{account, in, {}, 1, 5, 0}), Mismatch) << "a command is at work";
    ASSERT_EQ(stage.on_result({Status::NotFillable}), Success);
    ASSERT_EQ(stage.restore(Holding{account, in, {}, 1, 5, 0}), Success);
  }
  EXPECT_EQ(ask(2, order_of(1)), NoRoomForHolding);
  EXPECT_EQ(ask(3, order_of(0)), NoRoomForHolding);
  for (int i = 0; i < 4; ++i) rest(1, Side::Buy, 5, 1);
  EXPECT_EQ(buy(5, 1), NoRoomForOrder);
  EXPECT_EQ(buy(5, 1, ImmediateOrCancel), Success);
  EXPECT_EQ(ask(1, Request::replace(resting, 77, 5, 1)), Success);
}

TEST_F(RiskLimits, AreRefusedWhereTheyAreWrong) {
  const auto set = [&](const AccountLimits& limits, AccountNumber account = 1) {
    const auto before = state_of(stage);
    const RiskStatus status = stage.set_limits(account, limits);
    EXPECT_TRUE(status == Success || state_of(stage) == before) << status;
    return status;
  };
  EXPECT_EQ(set({.order_quantity = 0}), InvalidLimit);
  EXPECT_EQ(set({.order_notional = 0}), InvalidLimit);
  EXPECT_EQ(set({.order_notional = -1}), InvalidLimit);
  EXPECT_EQ(set({.open_orders = 0}), InvalidLimit);
  EXPECT_EQ(set({.open_quantity = 0}), InvalidLimit);
  EXPECT_EQ(set({.position_min = 0, .position_max = 0}), InvalidLimit);
  EXPECT_EQ(set({.credit = -1}), InvalidLimit);
  EXPECT_EQ(set({.message_burst = 0}), InvalidLimit);
  EXPECT_EQ(set({.position_min = 1}), InvalidRange);
  EXPECT_EQ(set({.position_max = -1}), InvalidRange);
  EXPECT_EQ(set({.collar_low = 3, .collar_high = 2}), InvalidRange);
  EXPECT_EQ(set({.collar_low = 3, .collar_high = 3}), Success);
  EXPECT_EQ(set({}, 0), UnknownAccount);
  EXPECT_EQ(set({}, 4), UnknownAccount);
  EXPECT_EQ(set({}, 3), Success);
}

TEST_F(RiskLimits, ComeInAFixedOrder) {
  limit({.order_quantity = 5,
         .order_notional = 50,
         .open_orders = 1,
         .open_quantity = 4,
         .position_max = 3,
         .collar_low = -2,
         .collar_high = 2,
         .credit = 0,
         .message_burst = 1,
         .message_interval = 1000});
  BookRequest wrong{Request::add_limit(1, static_cast<Side>(7), 900, 9, GoodTillCancel), 9};
  ASSERT_EQ(stage.set_reference(0, 7), Success);
  ASSERT_EQ(stage.pay(1, 7'000'007), Success);
  rest(1, Side::Buy, 7, 1);
  ASSERT_EQ(stage.accept(3, Request::add_limit(1, Side::Buy, 7, 1, GoodTillCancel), 50, {}), Success);
  ASSERT_EQ(stage.apply(AccountCommand{1, AccountAction::Kill}, [](const auto&) { return Status::UnknownOrder; }),
            Success);
  EXPECT_EQ(ask(4, wrong), UnknownAccount);
  EXPECT_EQ(ask(1, wrong), InvalidCommand);
  EXPECT_EQ(ask(1, BookRequest{Request::add_resting_before(1, 9, 1), 0}, 50), InvalidCommand) << "no account's";
  wrong.side = Side::Buy;
  EXPECT_EQ(ask(1, wrong), TimeWentBack);
  EXPECT_EQ(ask(1, wrong, 50), UnknownBook);
  wrong.book = 0;
  EXPECT_EQ(ask(1, wrong, 50), AccountKilled);
  ASSERT_EQ(stage.apply(AccountCommand{1, AccountAction::Restore}, [](const auto&) { return Status::Success; }),
            Success);
  EXPECT_EQ(ask(1, wrong, 50), TooManyMessages);
  EXPECT_EQ(ask(1, wrong, 1000), QuantityLimit);
  wrong.quantity = 5;
  wrong.book = 1;
  EXPECT_EQ(ask(1, wrong, 1000), NoReference);
  wrong.book = 0;
  ASSERT_EQ(stage.set_reference(0, 11), Success);
  EXPECT_EQ(ask(1, wrong, 1000), OutsideCollar);
  wrong.price = 11;
  EXPECT_EQ(ask(1, wrong, 1000), NotionalLimit);
  wrong.price = 10;
  EXPECT_EQ(ask(1, wrong, 1000), OpenOrdersLimit);
  Request moved = Request::modify(resting, 10, 5);
  EXPECT_EQ(ask(1, moved, 1000), OpenQuantityLimit);
  moved.quantity = 4;
  EXPECT_EQ(ask(1, moved, 1000), PositionLimit);
  moved.quantity = 3;
  EXPECT_EQ(ask(1, moved, 1000), CashLimit);
  moved.id = 12345;
  EXPECT_EQ(ask(1, moved, 1000), UnknownOrder);
  EXPECT_EQ(ask(2, Request::cancel(resting), 1000), UnknownOrder) << "it is another account's";
}

}  // namespace
}  // namespace llmes::test::risk_limits_test
