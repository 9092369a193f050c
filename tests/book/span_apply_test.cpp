// SPDX-License-Identifier: MIT
//
// The span form of `apply` does exactly what single calls do, whatever the commands and the length of the span.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/support/book_inspector.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

template <class Book>
class SpanApply : public ::testing::Test {};

using SpanBooks =
    ::testing::Types<OrderBook<64>, OrderBook<4096>, OrderBook<262144>, WideOrderBook<4096>, AnyPriceBook<512>>;
TYPED_TEST_SUITE(SpanApply, SpanBooks);

TYPED_TEST(SpanApply, EqualsSingleCallsMessageForMessage) {
  for (const Profile& profile : profiles) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    TypeParam single = *TypeParam::create(config);
    const Tape tape = record_tape(single, random_stream(profile, config, stream_width<TypeParam>, 7));
    EXPECT_FALSE(tape.trades.empty()) << profile.name;
    EXPECT_GT(single.size(), 0u) << profile.name;

    for (const std::size_t length : {std::size_t{1}, std::size_t{8}, std::size_t{17}, tape.commands.size()}) {
      SCOPED_TRACE(::testing::Message() << profile.name << ", spans of " << length);
      TypeParam book = *TypeParam::create(config);
      RecordTrades sink;
      std::vector<Result> results(tape.commands.size());
      for (std::size_t at = 0; at < results.size(); at += length) {
        const std::size_t count = std::min(length, results.size() - at);
        ASSERT_EQ(
            book.apply(std::span(tape.commands).subspan(at, count), std::span(results).subspan(at, count), sink),
            count);
      }
      EXPECT_EQ(results, tape.results);
      EXPECT_EQ(sink.trades, tape.trades);
      EXPECT_EQ(snapshot_of(book), snapshot_of(single));
    }
  }
}

/// With far more resting orders than it takes for `apply` to prefetch the orders of later commands.
TYPED_TEST(SpanApply, EqualsSingleCallsInABookThatOutgrowsTheCaches) {
  constexpr std::size_t standing = 20'000;
  const BookConfig config{.base_price = -20, .capacity = standing + 64};
  const auto make = [&config] {
    TypeParam book = *TypeParam::create(config);
    for (OrderId id = 0; id < standing; ++id) {
      const Side side = id % 2 == 0 ? Side::Buy : Side::Sell;
      const auto away = static_cast<Price>(id / 2 % 20);
      book.add_limit_order(id, side, side == Side::Buy ? 11 - away : 12 + away, 1, TimeInForce::GoodTillCancel,
                           DiscardTrades{});
    }
    return book;
  };
  TypeParam single = make();
  Tape tape = record_tape(single, random_stream(near_prices, config, stream_width<TypeParam>, 9));
  const SlotIndex slot_count = BookInspector::slot_count(single);
  for (const Command& bad : {Command::cancel({slot_count, 1}), Command::cancel({0xffffffffu, 1}),
                             Command::cancel({0, 0xffffffffu}), Command::cancel({})}) {
    tape.commands.push_back(bad);
    tape.results.push_back({Status::UnknownOrder});
  }
  TypeParam book = make();
  ASSERT_EQ(book.size(), standing);
  RecordTrades sink;
  std::vector<Result> results(tape.commands.size());
  EXPECT_EQ(book.apply(tape.commands, results, sink), results.size());
  EXPECT_EQ(results, tape.results);
  EXPECT_EQ(sink.trades, tape.trades);
  EXPECT_EQ(snapshot_of(book), snapshot_of(single));
}

TYPED_TEST(SpanApply, StopsWhereThereIsNoRoomForResults) {
  TypeParam book = *TypeParam::create({.base_price = 0, .capacity = 8});
  std::vector<Command> commands;
  for (OrderId id = 1; id <= 5; ++id) {
    commands.push_back(Command::add_limit(id, Side::Buy, 3, 1, TimeInForce::GoodTillCancel));
  }
  std::array<Result, 3> results;
  EXPECT_EQ(book.apply(commands, results, DiscardTrades{}), 3u);
  EXPECT_EQ(book.size(), 3u);
  EXPECT_EQ(book.apply(commands, std::span<Result>{}, DiscardTrades{}), 0u);
  EXPECT_EQ(book.apply(std::span<const Command>{}, results, DiscardTrades{}), 0u);
  EXPECT_EQ(book.size(), 3u);
}

TYPED_TEST(SpanApply, WritesOneResultForEachCommand) {
  TypeParam book = *TypeParam::create({.base_price = 0, .capacity = 8});
  const std::array commands{Command::add_limit(1, Side::Buy, 3, 2, TimeInForce::GoodTillCancel),
                            Command::cancel({}), Command::add_market(2, Side::Sell, 5)};
  std::array<Result, 5> results;
  results.fill({Status::NotFillable, {7, 7}, 7});
  EXPECT_EQ(book.apply(commands, results, DiscardTrades{}), 3u);
  EXPECT_EQ(results[0].status, Status::Success);
  EXPECT_EQ(results[1].status, Status::UnknownOrder);
  EXPECT_EQ(results[2], done(2, 3));
  EXPECT_EQ(results[3], (Result{Status::NotFillable, {7, 7}, 7})) << "beyond the commands nothing is written";
}

/// The receiver sees the book as the command left it, trades first, and may ask it.
TEST(SpanApplyToAReceiver, GivesEachResultBeforeTheNextCommand) {
  OrderBook<64> book = *OrderBook<64>::create({.base_price = 0, .capacity = 8});
  const std::vector<Command> commands{
      Command::add_limit(1, Side::Sell, 10, 5, TimeInForce::GoodTillCancel),
      Command::add_market(2, Side::Buy, 3),
      Command::add_limit(3, Side::Buy, 64, 1, TimeInForce::GoodTillCancel),
      Command::add_limit(4, Side::Buy, 9, 1, TimeInForce::GoodTillCancel),
  };
  RecordTrades sink;
  std::vector<Status> statuses;
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> trades;
  book.apply(
      commands,
      [&](const Result& result) {
        statuses.push_back(result.status);
        sizes.push_back(book.size());
        trades.push_back(sink.trades.size());
      },
      sink);
  EXPECT_EQ(statuses, (std::vector{Status::Success, Status::Success, Status::PriceOutOfBand, Status::Success}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 1, 1, 2}));
  EXPECT_EQ(trades, (std::vector<std::size_t>{0, 1, 1, 1}));
}

/// The receiver may put the handle of an order into the commands that follow: none is read before its turn, also
/// in a book that fetches the orders of later commands ahead.
TEST(SpanApplyToAReceiver, MayPatchLaterCommands) {
  for (const std::size_t standing : {std::size_t{0}, std::size_t{10'000}}) {
    OrderBook<64> book = *OrderBook<64>::create({.base_price = 0, .capacity = standing + 8});
    for (OrderId id = 1; id <= standing; ++id) {
      book.add_limit_order(id, Side::Buy, 3, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
    }
    std::vector<Command> commands;
    for (OrderId id = 0; id < 50; ++id) {
      commands.push_back(Command::add_limit(id, Side::Sell, 9, 2, TimeInForce::GoodTillCancel));
      commands.push_back(Command::reduce({}, 1));
      commands.push_back(Command::cancel({}));
    }
    std::size_t applied = 0;
    book.apply(
        commands,
        [&](const Result& result) {
          EXPECT_EQ(result.status, Status::Success) << "command " << applied;
          if (applied % 3 == 0) commands[applied + 1].handle = commands[applied + 2].handle = result.handle;
          ++applied;
        },
        DiscardTrades{});
    EXPECT_EQ(applied, commands.size());
    EXPECT_EQ(book.size(), standing);
  }
}

/// In a small book, and in one whose later orders have been fetched when the receiver takes them away.
TEST(SpanApplyToAReceiver, MayMakeCallsBetweenTwoCommands) {
  for (const std::size_t standing : {std::size_t{100}, std::size_t{10'000}}) {
    OrderBook<64> single = *OrderBook<64>::create({.base_price = 0, .capacity = standing});
    OrderBook<64> spanned = *OrderBook<64>::create({.base_price = 0, .capacity = standing});
    std::vector<Command> cancels;
    for (OrderId id = 1; id <= standing; ++id) {
      const Command add =
          Command::add_limit(id, Side::Buy, static_cast<Price>(id % 7), 1, TimeInForce::GoodTillCancel);
      cancels.push_back(Command::cancel(single.apply(add, DiscardTrades{}).handle));
      EXPECT_EQ(spanned.apply(add, DiscardTrades{}).handle, cancels.back().handle);
    }
    // Every third order is gone when its turn comes, and another is in its slot.
    const auto calls_after = [](OrderBook<64>& book, const std::vector<Command>& cancels, std::size_t i) {
      if (i % 3 != 0 || i + 1 == cancels.size()) return;
      EXPECT_EQ(book.cancel_order(cancels[i + 1].handle), Status::Success);
      book.add_limit_order(0, Side::Sell, 63, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
    };
    std::vector<Result> by_single;
    std::vector<Result> by_span;
    for (std::size_t i = 0; i < cancels.size(); ++i) {
      by_single.push_back(single.apply(cancels[i], DiscardTrades{}));
      calls_after(single, cancels, i);
    }
    spanned.apply(
        cancels,
        [&](const Result& result) {
          by_span.push_back(result);
          calls_after(spanned, cancels, by_span.size() - 1);
        },
        DiscardTrades{});
    EXPECT_EQ(by_span, by_single);
    EXPECT_EQ(by_span[1], Result{Status::UnknownOrder});
    EXPECT_EQ(snapshot_of(spanned), snapshot_of(single));
  }
}

TEST(SpanApplyToAReceiverDeathTest, ThatThrowsEndsTheProgram) {
  OrderBook<64> book = *OrderBook<64>::create({.base_price = 0, .capacity = 8});
  const std::array commands{Command::cancel({})};
  const auto throws = [](const Result&) { throw std::runtime_error("enough"); };
  EXPECT_DEATH(book.apply(commands, throws, DiscardTrades{}), "terminat");  // "terminate called" or "terminating"
}

}  // namespace
}  // namespace llmes::test
