// SPDX-License-Identifier: MIT
#include "llmes/types/trade_sinks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "llmes/book/order_book.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {
namespace {

static_assert(TradeSink<DiscardTrades>);
static_assert(TradeSink<const DiscardTrades>);
static_assert(TradeSink<TradeCollector>);
static_assert(TradeSink<void (&)(const Trade&)>);
static_assert(!TradeSink<int>);

Trade numbered(OrderId id) {
  return {id, id + 1, {3, 1}, -4, 5, 6};
}

TEST(TradeCollector, KeepsTradesInOrder) {
  std::array<Trade, 3> storage;
  TradeCollector collector(storage);
  EXPECT_TRUE(collector.trades().empty());
  collector(numbered(1));
  collector(numbered(2));
  ASSERT_EQ(collector.trades().size(), 2u);
  EXPECT_EQ(collector.trades()[0], numbered(1));
  EXPECT_EQ(collector.trades()[1], numbered(2));
  EXPECT_EQ(collector.trades().data(), storage.data());
  EXPECT_EQ(collector.dropped(), 0u);
}

TEST(TradeCollector, CountsWhatDoesNotFitAndKeepsTheFirst) {
  std::array<Trade, 2> storage;
  TradeCollector collector(storage);
  for (OrderId id = 1; id <= 5; ++id) collector(numbered(id));
  EXPECT_EQ(collector.dropped(), 3u);
  ASSERT_EQ(collector.trades().size(), 2u);
  EXPECT_EQ(collector.trades()[1], numbered(2));
}

TEST(TradeCollector, StartsAgainAfterClear) {
  std::array<Trade, 1> storage;
  TradeCollector collector(storage);
  collector(numbered(1));
  collector(numbered(2));
  collector.clear();
  EXPECT_TRUE(collector.trades().empty());
  EXPECT_EQ(collector.dropped(), 0u);
  collector(numbered(3));
  EXPECT_EQ(collector.trades()[0], numbered(3));
}

TEST(TradeCollector, WithoutStorageOnlyCounts) {
  TradeCollector collector({});
  collector(numbered(1));
  EXPECT_TRUE(collector.trades().empty());
  EXPECT_EQ(collector.dropped(), 1u);
}

TEST(TradeCollector, OfCapacityTradesHoldsAnyOneCall) {
  auto book = *OrderBook<64>::create({.base_price = 0, .capacity = 10});
  std::vector<Trade> storage(book.capacity());
  TradeCollector collector(storage);
  for (OrderId id = 0; id < 10; ++id) {
    book.add_limit_order(id, Side::Buy, static_cast<Price>(id), 1, TimeInForce::GoodTillCancel, collector);
  }
  book.add_market_order(99, Side::Sell, 1'000, collector);
  EXPECT_EQ(collector.trades().size(), 10u);
  EXPECT_EQ(collector.dropped(), 0u);
}

TEST(TradeCollector, OfCapacityTradesCountsWhatASpanMakesBeyond) {
  auto book = *OrderBook<64>::create({.base_price = 0, .capacity = 1});
  std::vector<Trade> storage(book.capacity());
  TradeCollector collector(storage);
  std::vector<Command> commands;
  for (OrderId id = 1; id <= 3; ++id) {
    commands.push_back(Command::add_limit(id, Side::Buy, 5, 1, TimeInForce::GoodTillCancel));
    commands.push_back(Command::add_market(99, Side::Sell, 1));
  }
  std::vector<Result> results(commands.size());
  EXPECT_EQ(book.apply(commands, results, collector), commands.size());
  EXPECT_EQ(collector.trades().size(), 1u);
  EXPECT_EQ(collector.dropped(), 2u);
}

TEST(TradeSinks, AnyCallableWillDo) {
  auto book = *OrderBook<64>::create({.base_price = 0, .capacity = 10});
  std::size_t count = 0;
  const auto counting = [&count](const Trade&) { ++count; };
  book.add_limit_order(1, Side::Buy, 5, 2, TimeInForce::GoodTillCancel, DiscardTrades{});
  book.add_market_order(2, Side::Sell, 1, counting);
  book.add_market_order(3, Side::Sell, 1, [&count](Trade) { ++count; });
  EXPECT_EQ(count, 2u);
}

}  // namespace
}  // namespace llmes::test
