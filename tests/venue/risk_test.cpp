// SPDX-License-Identifier: MIT
//
// The calls of a risk stage beside its limits: making one, actions on accounts, and what comes back from the book.
#include "llmes/venue/risk.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/ids.hpp"
#include "tests/support/print.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {
namespace {

using enum RiskStatus;
using enum TimeInForce;

CreateStatus why_not(const RiskConfig& config) {
  CreateStatus status{};
  const bool made = RiskStage::create(config, status).has_value();
  EXPECT_EQ(made, status == CreateStatus::Success);
  return status;
}

TEST(RiskStageCreate, SaysWhyNot) {
  EXPECT_EQ(why_not({.accounts = 1, .books = 1, .orders = 1, .holdings = 1}), CreateStatus::Success);
  EXPECT_EQ(why_not({.accounts = 0, .books = 1, .orders = 1, .holdings = 1}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(why_not({.accounts = 1, .books = 1, .orders = 0, .holdings = 1}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(why_not({.accounts = 1, .books = 1, .orders = 1, .holdings = 0}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(why_not({.accounts = 1, .books = 0, .orders = 1, .holdings = 1}), CreateStatus::InvalidBookCount);
  constexpr std::uint32_t too_many = (1u << 30) + 1;
  EXPECT_EQ(why_not({.accounts = too_many, .books = 1, .orders = 1, .holdings = 1}),
            CreateStatus::InvalidCapacity);
  EXPECT_EQ(why_not({.accounts = 1, .books = too_many, .orders = 1, .holdings = 1}),
            CreateStatus::InvalidBookCount);
  EXPECT_EQ(why_not({.accounts = 1, .books = 1, .orders = std::numeric_limits<std::size_t>::max(), .holdings = 1}),
            CreateStatus::InvalidCapacity);
}

#if !LLMES_TEST_SANITIZED

TEST(RiskStageCreate, AllocatesWhatItSaysAndNothingLater) {
  const std::uint64_t bytes = bench::allocated_bytes();
  auto stage = RiskStage::create({.accounts = 9, .books = 2, .orders = 50, .holdings = 20});
  ASSERT_TRUE(stage.has_value());
  EXPECT_EQ(bench::allocated_bytes() - bytes, stage->memory_bytes());
  auto book = IdBook<OrderBook<64>, HashedIds>::create({.base_price = 0, .capacity = 50}, {});
  const std::uint64_t calls = bench::allocation_count();
  for (OrderId id = 1; id < 200; ++id) {
    const auto account = static_cast<AccountNumber>(1 + id % 9);
    const Side side = id % 2 == 0 ? Side::Buy : Side::Sell;
    (void)stage->apply(*book, account,
                       Request::add_limit(id, side, 10 + static_cast<Price>(id % 7), 5, GoodTillCancel), id,
                       DiscardTrades{});
    (void)stage->apply(*book, account, Request::modify(id / 2, 12, 7), id, DiscardTrades{});
  }
  EXPECT_EQ(stage->apply(AccountCommand{1, AccountAction::Kill},
                         [&](const OpenOrder& order) { return book->cancel_order(order.id); }),
            Success);
  EXPECT_EQ(bench::allocation_count(), calls);
}

#endif

class RiskStageOf : public ::testing::Test {
 protected:
  using Stage = RiskStage;

  OrderHandle rest(AccountNumber account, Side side, Price price, Quantity lots) {
    const CheckedResult made = stage.apply(
        book, account, Command::add_limit(++id, side, price, lots, GoodTillCancel), 0, DiscardTrades{});
    EXPECT_EQ(made.risk, Success);
    EXPECT_TRUE(made.result.rests());
    return made.result.handle;
  }
  RiskStatus act(AccountNumber account, AccountAction action) {
    cancelled.clear();
    return stage.apply(AccountCommand{account, action}, [&](const OpenOrder& order) {
      cancelled.push_back(order);
      return book.cancel_order(order.handle);
    });
  }
  /// A call that must be refused and change nothing.
  template <class Call>
  void expect_refused(RiskStatus expected, const Call& call) {
    const auto before = state_of(stage);
    EXPECT_EQ(call(), expected);
    EXPECT_TRUE(state_of(stage) == before);
  }

  Stage stage = *Stage::create({.accounts = 3, .orders = 10, .holdings = 3});
  OrderBook<64> book = *OrderBook<64>::create({.base_price = 0, .capacity = 10});
  OrderId id = 0;
  std::vector<OpenOrder> cancelled;
};

TEST_F(RiskStageOf, KillCancelsOldestFirstAndRefusesUntilRestored) {
  const OrderHandle first = rest(1, Side::Buy, 10, 5);
  rest(2, Side::Buy, 11, 5);
  const OrderHandle second = rest(1, Side::Sell, 20, 3);
  EXPECT_EQ(act(1, AccountAction::Kill), Success);
  EXPECT_TRUE(stage.killed(1));
  EXPECT_EQ(cancelled,
            (std::vector<OpenOrder>{{first, 1, 1, 0, Side::Buy, 10, 5}, {second, 3, 1, 0, Side::Sell, 20, 3}}));
  EXPECT_EQ(book.size(), 1u);
  EXPECT_EQ(stage.open_count(1), 0u);
  EXPECT_EQ(stage.accounts().holding(1, 0).open, (std::array<Quantity, 2>{}));
  expect_refused(AccountKilled,
                 [&] { return stage.accept(1, Command::add_limit(9, Side::Buy, 10, 1, GoodTillCancel), 0); });
  EXPECT_EQ(act(1, AccountAction::Kill), Success) << "again";
  EXPECT_EQ(act(1, AccountAction::Restore), Success);
  EXPECT_FALSE(stage.killed(1));
  rest(1, Side::Buy, 10, 5);
}

/// Which no book does: it refuses a command, or tells its trades.
TEST_F(RiskStageOf, KeepsAHoldingThatHasTradedBeforeItsCommandWasRefused) {
  const OrderHandle maker = rest(1, Side::Sell, 10, 5);
  ASSERT_EQ(stage.accept(2, Command::add_limit(9, Side::Buy, 10, 5, GoodTillCancel), 0), Success);
  ASSERT_EQ(stage.on_trade({.taker_id = 9,
                            .maker_id = 1,
                            .maker_handle = maker,
                            .price = 10,
                            .quantity = 3,
                            .maker_remaining = 2,
                            .taker_side = Side::Buy}),
            Success);
  EXPECT_EQ(stage.on_result({Status::PoolFull}), Success);
  EXPECT_EQ(stage.accounts().holding(2, 0).position, 3);
}

TEST_F(RiskStageOf, DisconnectCancelsOnlyWhereTheLimitsSaySo) {
  EXPECT_FALSE(stage.cancels_on_disconnect(4)) << "no account";
  rest(1, Side::Buy, 10, 5);
  EXPECT_EQ(act(1, AccountAction::Disconnect), Success);
  EXPECT_EQ(stage.open_count(1), 1u);
  ASSERT_EQ(stage.set_limits(1, {.cancel_on_disconnect = true}), Success);
  EXPECT_EQ(act(1, AccountAction::Disconnect), Success);
  EXPECT_EQ(cancelled.size(), 1u);
  EXPECT_EQ(stage.open_count(1), 0u);
  EXPECT_FALSE(stage.killed(1));
  rest(1, Side::Buy, 10, 5);
}

TEST_F(RiskStageOf, NobodyAndNothingIsRefused) {
  rest(1, Side::Buy, 10, 5);
  for (const AccountNumber account : {0u, 4u, std::numeric_limits<AccountNumber>::max()}) {
    expect_refused(UnknownAccount, [&] { return act(account, AccountAction::Kill); });
    expect_refused(UnknownAccount, [&] { return stage.pay(account, 5); });
    expect_refused(UnknownAccount, [&] { return stage.accept(account, Command::cancel({}), 0); });
    EXPECT_EQ(stage.open_count(account), 0u);
    EXPECT_FALSE(stage.killed(account));
    stage.visit_open(account, [](const auto&) { FAIL(); });
  }
  expect_refused(InvalidCommand, [&] { return act(1, static_cast<AccountAction>(3)); });
  expect_refused(UnknownBook, [&] { return stage.set_reference(1, 5); });
  expect_refused(UnknownBook, [&] { return stage.on_best(1, Side::Buy, 5); });
  expect_refused(InvalidCommand, [&] { return stage.on_best(0, static_cast<Side>(2), 5); });
  expect_refused(UnknownOrder, [&] { return stage.accept(1, Command::cancel({}), 0); });
  expect_refused(UnknownOrder, [&] { return stage.on_cancelled({}, 1); });
  EXPECT_FALSE(stage.find(OrderHandle{}).has_value());
}

TEST_F(RiskStageOf, WhatLeavesWithoutACommandIsTold) {
  const OrderHandle order = rest(1, Side::Buy, 10, 5);
  expect_refused(QuantityLimit, [&] { return stage.on_cancelled(order, 0); });
  expect_refused(QuantityLimit, [&] { return stage.on_cancelled(order, 6); });
  EXPECT_EQ(stage.on_cancelled(order, 2), Success);
  EXPECT_EQ(stage.find(order)->quantity, 3u);
  EXPECT_EQ(stage.on_cancelled(order, 3), Success);
  EXPECT_FALSE(stage.find(order).has_value());
}

TEST_F(RiskStageOf, AMatchOfAnAuctionIsOfTwoOpenOrdersOfABook) {
  const OrderHandle sell = rest(1, Side::Sell, 20, 5);
  const OrderHandle buy = rest(2, Side::Buy, 10, 4);
  expect_refused(Mismatch, [&] { return stage.on_match(buy, sell, 15, 1); });
  const OrderHandle bid = rest(3, Side::Buy, 10, 6);
  expect_refused(Mismatch, [&] { return stage.on_match(buy, bid, 10, 1); });
  expect_refused(Mismatch, [&] { return stage.on_match({}, sell, 20, 1); });
  expect_refused(Mismatch, [&] { return stage.on_match(buy, {}, 10, 1); });
  EXPECT_EQ(stage.on_cancelled(sell, 5), Success);
  ASSERT_EQ(stage.adopt(1, {sell, 7, Side::Sell, 8, 5}), Success);
  for (const Price price : {7, 11}) expect_refused(Mismatch, [&] { return stage.on_match(buy, sell, price, 1); });
  for (const Quantity lots : {0u, 5u})
    expect_refused(Mismatch, [&] { return stage.on_match(buy, sell, 9, lots); });
  expect_refused(Mismatch, [&] { return stage.on_match(bid, sell, 9, 6); });
  expect_refused(Mismatch, [&] { return stage.on_match(sell, sell, 8, 1); });
  EXPECT_EQ(stage.on_match(buy, sell, 9, 4), Success);
  EXPECT_FALSE(stage.find(buy).has_value());
  EXPECT_EQ(stage.find(sell)->quantity, 1u);
  EXPECT_EQ(stage.accounts().holding(1, 0).position, -4);
  EXPECT_EQ(stage.accounts().cash(2), -36 * micro_units);

  stage = *Stage::create({.accounts = 3, .books = 2, .orders = 10, .holdings = 3});
  ASSERT_EQ(stage.adopt(1, {{1, 1}, 1, Side::Buy, 10, 5}, 0), Success);
  ASSERT_EQ(stage.adopt(2, {{2, 1}, 2, Side::Sell, 8, 5}, 1), Success);
  expect_refused(Mismatch, [&] { return stage.on_match({1, 1}, {2, 1}, 9, 1); });
}

TEST_F(RiskStageOf, AnUndoneTradeIsOfTwoAccountsAndABook) {
  rest(1, Side::Sell, 20, 5);
  RiskStage::Undone trade{.buyer = 2, .seller = 1, .price = 20, .quantity = 5};
  ASSERT_EQ(stage.restore(Holding{2, 0, {}, 7, 140, 0}), Success);
  for (const AccountNumber nobody : {0u, 4u}) {
    trade.seller = nobody;
    expect_refused(Mismatch, [&] { return stage.undo(trade); });
    trade.seller = 1;
    trade.buyer = nobody;
    expect_refused(Mismatch, [&] { return stage.undo(trade); });
    trade.buyer = 2;
  }
  trade.book = 1;
  expect_refused(Mismatch, [&] { return stage.undo(trade); });
  trade.book = 0;
  EXPECT_EQ(stage.undo(trade), Success);
  EXPECT_EQ(stage.accounts().holding(2, 0).position, 2);
  EXPECT_EQ(stage.accounts().cash(2), 100 * micro_units);
  ASSERT_EQ(stage.restore(Holding{2, 0, {}, -AccountLimits::unlimited, 0, 0}), Success);
  expect_refused(PositionOverflow, [&] { return stage.undo(trade); });
  ASSERT_EQ(stage.restore(Holding{2, 0, {}, 0, 0, 0}), Success);
  ASSERT_EQ(stage.restore(Holding{1, 0, {}, AccountLimits::unlimited, 0, 0}), Success);
  expect_refused(PositionOverflow, [&] { return stage.undo(trade); });
}

/// Three accounts and four books with room for three pairs.
class RiskHoldings : public ::testing::Test {
 protected:
  CheckedResult make(AccountNumber account, BookNumber in, Side side, Price price, Quantity lots,
                     TimeInForce tif = GoodTillCancel) {
    return stage.apply(books, account, BookRequest{Request::add_limit(++id, side, price, lots, tif), in}, 0,
                       DiscardTrades{});
  }
  RiskStatus cancel(AccountNumber account, OrderId order) {
    return stage.apply(books, account, BookRequest{Request::cancel(order), 0}, 0, DiscardTrades{}).risk;
  }
  void trade(AccountNumber seller, AccountNumber buyer, BookNumber in, Price price, Quantity lots) {
    ASSERT_TRUE(make(seller, in, Side::Sell, price, lots).result.rests());
    ASSERT_EQ(make(buyer, in, Side::Buy, price, lots).result.filled, lots);
  }
  [[nodiscard]] Holding holding(AccountNumber account, BookNumber in) const {
    return stage.accounts().holding(account, in);
  }

  RiskHoldings() {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(books.add_book().has_value());
  }
  RiskStage stage = *RiskStage::create({.accounts = 3, .books = 4, .orders = 10, .holdings = 3});
  IdBook<BookSet, HashedIds> books = *IdBook<BookSet, HashedIds>::create({.max_books = 4, .capacity = 10}, {});
  OrderId id = 0;
};

TEST_F(RiskHoldings, APairWithoutAPositionAndAnOrderMakesRoom) {
  for (int round = 0; round < 5; ++round) {
    for (BookNumber in = 0; in < 3; ++in) ASSERT_EQ(make(1, in, Side::Buy, 10, 1).risk, Success) << round;
    EXPECT_EQ(make(1, 3, Side::Buy, 10, 1).risk, NoRoomForHolding);
    EXPECT_EQ(make(2, 0, Side::Buy, 10, 1).risk, NoRoomForHolding);
    ASSERT_EQ(cancel(1, id - 4), Success);
    ASSERT_EQ(make(2, 3, Side::Buy, 10, 1).risk, Success);
    EXPECT_EQ(make(2, 2, Side::Buy, 10, 1).risk, NoRoomForHolding);
    for (const OrderId mine : {id - 4, id - 5}) ASSERT_EQ(cancel(1, mine), Success);
    ASSERT_EQ(cancel(2, id - 1), Success);
  }
  EXPECT_TRUE(stage.holds());
}

TEST_F(RiskHoldings, WhatGoesIsWhatHasBeenIdleLongestAndItsResultIsNotLost) {
  trade(1, 2, 0, 20, 5);
  trade(2, 1, 0, 17, 5);  // account 2 lost 15, which account 1 has won; the maker is idle first
  EXPECT_EQ(to_text(holding(1, 0).realised), "15");
  EXPECT_EQ(to_text(holding(2, 0).realised), "-15") << "it stays while there is room";
  ASSERT_TRUE(make(3, 1, Side::Buy, 10, 1).result.rests());
  EXPECT_EQ(to_text(holding(2, 0).realised), "-15");
  EXPECT_EQ(make(3, 2, Side::Buy, 10, 4, FillOrKill).result.status, Status::NotFillable);
  EXPECT_EQ(make(3, 2, Side::Buy, 10, 4, ImmediateOrCancel).result.cancelled, 4u);
  EXPECT_EQ(to_text(holding(2, 0).realised), "-15") << "what comes to nothing takes no room";
  ASSERT_TRUE(make(3, 2, Side::Buy, 10, 1).result.rests());
  EXPECT_EQ(to_text(holding(2, 0).realised), "0");
  EXPECT_EQ(to_text(stage.accounts().settled(2)), "-15");
  EXPECT_EQ(to_text(holding(1, 0).realised), "15");
  EXPECT_EQ(to_text(stage.accounts().settled(1)), "0");
  EXPECT_EQ(to_text(stage.accounts().cash(2)), "-15000000");
  EXPECT_TRUE(stage.holds());
}

TEST_F(RiskHoldings, ATradeIsUndoneThoughItsPairsHaveGone) {
  trade(1, 2, 0, 20, 5);
  trade(2, 1, 0, 17, 5);
  const RiskStage::Undone first{
      .buyer = 2, .seller = 1, .book = 0, .price = 20, .quantity = 5, .taker_side = Side::Buy};
  for (BookNumber in = 1; in < 3; ++in) ASSERT_TRUE(make(3, in, Side::Buy, 10, 1).result.rests());
  // There is one idle pair, and the other one that is needed is not there.
  const auto before = state_of(stage);
  EXPECT_EQ(stage.undo(first), NoRoomForHolding);
  EXPECT_TRUE(state_of(stage) == before);
  ASSERT_EQ(cancel(3, id), Success);
  EXPECT_EQ(stage.undo(first), Success);
  EXPECT_EQ(holding(1, 0).position, 5);
  EXPECT_EQ(holding(2, 0).position, -5);
  EXPECT_EQ(to_text(stage.accounts().cash(2) + stage.accounts().cash(1)), "0");
  EXPECT_EQ(to_text(stage.accounts().cash(2)), "85000000");
  EXPECT_TRUE(stage.holds());
}

TEST_F(RiskStageOf, AnOrderThatWaitsIsAMessage) {
  ASSERT_EQ(stage.set_limits(1, {.order_quantity = 5, .message_burst = 1, .message_interval = 10}), Success);
  EXPECT_EQ(stage.accept_waiting(1, 5, 20), Success);
  expect_refused(UnknownAccount, [&] { return stage.accept_waiting(4, 5, 20); });
  expect_refused(TimeWentBack, [&] { return stage.accept_waiting(2, 5, 19); });
  expect_refused(TooManyMessages, [&] { return stage.accept_waiting(1, 6, 29); });
  expect_refused(QuantityLimit, [&] { return stage.accept_waiting(1, 6, 30); });
  EXPECT_EQ(stage.accept_waiting(1, 5, 29, MessageRate::Free), Success);
  EXPECT_EQ(act(1, AccountAction::Kill), Success);
  expect_refused(AccountKilled, [&] { return stage.accept_waiting(1, 5, 29, MessageRate::Free); });
}

TEST_F(RiskStageOf, ATradeThatDoesNotFitIsAMismatch) {
  const OrderHandle maker = rest(1, Side::Sell, 10, 5);
  const Trade good{.taker_id = 9, .maker_handle = maker, .price = 10, .quantity = 3, .taker_side = Side::Buy};
  expect_refused(Mismatch, [&] { return stage.on_trade(good); });
  ASSERT_EQ(stage.accept(2, Command::add_limit(9, Side::Buy, 10, 4, GoodTillCancel), 0), Success);
  const auto refused = [&](auto change) {
    Trade wrong = good;
    change(wrong);
    expect_refused(Mismatch, [&] { return stage.on_trade(wrong); });
  };
  refused([](Trade& trade) { trade.maker_handle = {}; });
  refused([](Trade& trade) { trade.price = 11; });
  refused([](Trade& trade) { trade.quantity = 0; });
  refused([](Trade& trade) { trade.quantity = 5; });
  refused([](Trade& trade) { trade.taker_side = Side::Sell; });
  refused([](Trade& trade) { trade.maker_handle.generation += 2; });
  EXPECT_EQ(stage.on_trade(good), Success);
  refused([](Trade& trade) { trade.quantity = 2; });
  EXPECT_EQ(stage.find(maker)->quantity, 2u);
  EXPECT_EQ(stage.on_result({.filled = 3}), Success);
  expect_refused(Mismatch, [&] { return stage.on_trade(good); });
  ASSERT_EQ(stage.accept(2, Command::add_limit(9, Side::Sell, 10, 4, GoodTillCancel), 0), Success);
  refused([](Trade& trade) { trade.quantity = 1; });
  refused([](Trade& trade) { trade.quantity = 1, trade.taker_side = Side::Sell; });
}

TEST_F(RiskStageOf, ATradeOfMoreThanTheMakerHasOrInAnotherBookIsAMismatch) {
  const OrderHandle maker = rest(1, Side::Sell, 10, 5);
  const Trade trade{.maker_handle = maker, .price = 10, .quantity = 6, .taker_side = Side::Buy};
  ASSERT_EQ(stage.accept(2, Command::add_limit(9, Side::Buy, 10, 9, GoodTillCancel), 0), Success);
  expect_refused(Mismatch, [&] { return stage.on_trade(trade); });

  stage = *Stage::create({.accounts = 3, .books = 2, .orders = 10, .holdings = 3});
  const Command ask = Command::add_limit(1, Side::Sell, 10, 9, GoodTillCancel);
  ASSERT_EQ(stage.accept(1, BookCommand{ask, 1}, 0), Success);
  ASSERT_EQ(stage.on_result({.handle = maker, .remaining = 9}), Success);
  const Command bid = Command::add_limit(9, Side::Buy, 10, 9, GoodTillCancel);
  ASSERT_EQ(stage.accept(2, BookCommand{bid, 0}, 0), Success);
  expect_refused(Mismatch, [&] { return stage.on_trade(trade); });
  ASSERT_EQ(stage.on_result({}), Success);
  ASSERT_EQ(stage.accept(2, BookCommand{bid, 1}, 0), Success);
  EXPECT_EQ(stage.on_trade(trade), Success);
}

/// Answers every command alike.
struct BookThatIsWrong {
  Trade trade;
  Result result;

  template <class Sink>
  Result apply(const Command&, Sink&& sink) {
    if (trade.quantity != 0) sink(trade);
    return result;
  }
};

TEST_F(RiskStageOf, TellsOfABookThatIsWrong) {
  BookThatIsWrong sells_what_nobody_has{.trade = {.quantity = 1}, .result = {.filled = 1}};
  BookThatIsWrong keeps_too_much{.trade = {}, .result = {.handle = {5, 1}, .remaining = 7}};
  for (BookThatIsWrong* wrong : {&sells_what_nobody_has, &keeps_too_much}) {
    const CheckedResult made =
        stage.apply(*wrong, 1, Command::add_limit(9, Side::Buy, 10, 4, GoodTillCancel), 0, DiscardTrades{});
    EXPECT_EQ(made.risk, Mismatch);
    EXPECT_EQ(made.result, wrong->result);
    EXPECT_EQ(stage.open_count(1), 0u);
  }
}

TEST_F(RiskStageOf, AResultThatDoesNotFitIsAMismatch) {
  expect_refused(Mismatch, [&] { return stage.on_result({}); });
  const OrderHandle order = rest(1, Side::Sell, 10, 5);
  const auto after = [&](const Command& command, const Result& result) {
    EXPECT_EQ(stage.accept(1, command, 0), Success);
    expect_refused(Mismatch, [&] { return stage.on_result(result); });
    expect_refused(Mismatch, [&] { return stage.on_result(result); });
  };
  const Command add = Command::add_limit(9, Side::Buy, 9, 4, GoodTillCancel);
  after(add, {.handle = {77, 1}, .remaining = 5});
  after(add, {.handle = order, .remaining = 4});
  after(Command::reduce(order, 2), {.handle = order, .remaining = 5});
  after(Command::modify(order, 10, 2), {.handle = order, .remaining = 3});
  EXPECT_EQ(stage.accept(1, Command::cancel(order), 0), Success);
  EXPECT_EQ(stage.on_cancelled(order, 5), Success);
  EXPECT_EQ(stage.on_result({}), Mismatch) << "it had left before";
  EXPECT_EQ(stage.open_count(1), 0u);
}

TEST_F(RiskStageOf, AnOrderThatLeavesWhileItIsMovedIsNotTakenOffTwice) {
  const OrderHandle order = rest(1, Side::Sell, 10, 5);
  ASSERT_EQ(stage.accept(1, Command::modify(order, 11, 5), 0), Success);
  EXPECT_EQ(stage.on_cancelled(order, 5), Success);
  EXPECT_EQ(stage.on_result({}), Success);
  EXPECT_EQ(stage.open_count(1), 0u);
  rest(1, Side::Sell, 10, 5);
  EXPECT_EQ(stage.open_count(1), 1u);
}

TEST_F(RiskStageOf, WhatTheBookRejectsIsNotOpen) {
  const CheckedResult full =
      stage.apply(book, 1, Command::add_limit(1, Side::Buy, 999, 5, GoodTillCancel), 0, DiscardTrades{});
  EXPECT_EQ(full.risk, Success);
  EXPECT_EQ(full.result.status, Status::PriceOutOfBand);
  EXPECT_EQ(stage.open_count(1), 0u);
  const CheckedResult refused =
      stage.apply(book, 0, Command::add_limit(1, Side::Buy, 9, 5, GoodTillCancel), 0, DiscardTrades{});
  EXPECT_EQ(refused.risk, UnknownAccount);
  EXPECT_EQ(refused.result.status, Status::InvalidCommand);
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(RiskStageOf, OneThatIsMovedFromHasNoAccounts) {
  const OrderHandle order = rest(1, Side::Buy, 10, 5);
  ASSERT_EQ(stage.accept(1, Command::add_limit(9, Side::Buy, 9, 5, GoodTillCancel), 0), Success);
  Stage to = std::move(stage);
  EXPECT_EQ(to.find(order)->quantity, 5u);
  EXPECT_EQ(stage.accounts().size(), 0u);
  EXPECT_EQ(stage.accept(1, Command::add_limit(1, Side::Buy, 9, 5, GoodTillCancel), 0), UnknownAccount);
  EXPECT_EQ(stage.pay(1, 1), UnknownAccount);
  EXPECT_EQ(stage.set_reference(0, 1), UnknownBook);
  EXPECT_EQ(stage.on_cancelled(order, 1), UnknownOrder);
  EXPECT_EQ(stage.on_trade({.maker_handle = order, .quantity = 1}), Mismatch);
  EXPECT_EQ(stage.on_result({.handle = order, .remaining = 1}), Mismatch) << "also of a command at work";
  EXPECT_EQ(stage.accounts().holding(1, 0).position, 0);
  stage = std::move(to);
  EXPECT_EQ(stage.find(order)->quantity, 5u);
}

TEST(RiskStatusText, NamesEachStatus) {
  constexpr std::array<std::string_view, 25> names{
      "Success",          "UnknownAccount",   "InvalidCommand",  "TimeWentBack",    "UnknownOrder",
      "UnknownBook",      "AccountKilled",    "TooManyMessages", "QuantityLimit",   "NoReference",
      "OutsideCollar",    "NotionalOverflow", "NotionalLimit",   "OpenOrdersLimit", "OpenQuantityLimit",
      "PositionOverflow", "PositionLimit",    "WouldIncrease",   "NoRoomForOrder",  "NoRoomForHolding",
      "NeedsPrice",       "CashLimit",        "InvalidLimit",    "InvalidRange",    "Mismatch"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(to_string(static_cast<RiskStatus>(i)), names[i]);
  EXPECT_EQ(to_string(static_cast<RiskStatus>(static_cast<unsigned>(Mismatch) + 1)), "?");
  std::ostringstream out;
  out << OutsideCollar;
  EXPECT_EQ(out.str(), "OutsideCollar");
}

}  // namespace
}  // namespace llmes::test
