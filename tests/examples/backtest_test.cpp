// SPDX-License-Identifier: MIT
//
// When the orders of a backtest rest, at which prices, and what fills them.
#include "examples/backtest/backtest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"

namespace llmes::test {
namespace {

using itch::Price4;
using itch::Reference;
using itch::TradingState;

constexpr itch::Locate our_symbol{1};
constexpr itch::Locate other_symbol{2};

/// A market in which others bid 9.90 and 10.00 and offer at 10.10 and 10.20, from a second after the open on.
class BacktestTest : public testing::Test {
 protected:
  BacktestTest() {
    send(itch::StockDirectory{.header = {.locate = our_symbol}, .symbol = "OURS"});
    send(itch::StockDirectory{.header = {.locate = other_symbol}, .symbol = "OTHER"});
    send(itch::SystemEvent{.event = itch::EventCode::StartOfMarketHours});
    pass_a_second();
    add(1, Side::Buy, 100, 10'0000);
    add(2, Side::Sell, 100, 10'1000);
    add(3, Side::Buy, 100, 9'9000);
    add(4, Side::Sell, 100, 10'2000);
    EXPECT_EQ(touch(), "10.00 x 200, 10.10 x 200") << "ours beside theirs";
  }

  template <itch::Message M>
  void send(M message) {
    message.header.timestamp = now_;
    backtest_(itch::bytes_of(message));
  }
  void pass_a_second() { now_ += std::chrono::seconds(1); }

  void add(std::uint64_t reference, Side side, std::uint32_t shares, std::uint32_t price,
           itch::Locate locate = our_symbol) {
    send(itch::AddOrder{.header = {.locate = locate},
                        .reference = Reference{reference},
                        .side = side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell,
                        .shares = shares,
                        .price = Price4{price}});
  }
  void execute(std::uint64_t reference, std::uint32_t shares) {
    send(itch::OrderExecuted{
        .header = {.locate = our_symbol}, .reference = Reference{reference}, .shares = shares});
  }
  void remove(std::uint64_t reference) {
    send(itch::OrderDelete{.header = {.locate = our_symbol}, .reference = Reference{reference}});
  }
  void replace(std::uint64_t reference, std::uint64_t new_reference, std::uint32_t shares, std::uint32_t price) {
    send(itch::OrderReplace{.header = {.locate = our_symbol},
                            .reference = Reference{reference},
                            .new_reference = Reference{new_reference},
                            .shares = shares,
                            .price = Price4{price}});
  }
  void set_state(TradingState state) {
    send(itch::TradingAction{.header = {.locate = our_symbol}, .symbol = "OURS", .state = state});
  }

  /// The best level of both sides, ours counted.
  [[nodiscard]] std::string touch() const {
    std::string text;
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::array<DepthLevel, 1> best{};
      if (feed_.depth(our_symbol, side, best) == 0) return "no market";
      std::array<char, 32> words{};
      std::snprintf(words.data(), words.size(), "%.2f x %d", static_cast<double>(best[0].price) / 10'000,
                    static_cast<int>(best[0].quantity));
      text += (text.empty() ? "" : ", ") + std::string(words.data());
    }
    return text;
  }
  /// What has been printed since the last call.
  [[nodiscard]] std::string fills() {
    std::string text = out_.str();
    out_.str({});
    return text;
  }
  [[nodiscard]] std::string summary() {
    backtest_.print_summary();
    return fills();
  }

  FeedBook feed_ = *FeedBook::create({.symbols = 2, .capacity = 100});
  std::ostringstream out_;
  backtest::Backtest backtest_{feed_, "OURS", out_};
  itch::Timestamp now_ = std::chrono::hours(9) + std::chrono::minutes(30);
};

TEST_F(BacktestTest, FollowsTheBestOfOthers) {
  add(5, Side::Buy, 30, 10'0500);
  EXPECT_EQ(touch(), "10.05 x 130, 10.10 x 200");
  remove(5);
  EXPECT_EQ(touch(), "10.00 x 200, 10.10 x 200");
  remove(1);
  EXPECT_EQ(touch(), "9.90 x 200, 10.10 x 200") << "it does not hold the old price by itself";
  remove(2);
  EXPECT_EQ(touch(), "9.90 x 200, 10.20 x 200");
  EXPECT_EQ(summary(), "6 quotes, 0 fills, position 0, earned 0.0000 dollars\n");
}

TEST_F(BacktestTest, WithdrawsWhereThereIsNoMarket) {
  remove(3);
  remove(1);
  EXPECT_EQ(feed_.size(), 2u) << "the two offers of others";
  add(5, Side::Buy, 100, 9'8000);
  EXPECT_EQ(touch(), "9.80 x 200, 10.10 x 200");
  add(6, Side::Buy, 50, 10'1000);
  EXPECT_EQ(touch(), "10.10 x 50, 10.10 x 100") << "the books of others are locked";
}

TEST_F(BacktestTest, IsFilledByWhatExecutesAnOrderBehindIt) {
  execute(1, 40);
  EXPECT_EQ(fills(), "") << "that order was there before";
  add(5, Side::Buy, 300, 10'0000);
  pass_a_second();
  execute(5, 60);
  EXPECT_EQ(fills(), "     34202 s: bought 60 at 10.0000, position 60\n");
  execute(5, 60);
  EXPECT_EQ(fills(), "     34202 s: bought 40 at 10.0000, position 100\n") << "no more than ours has";
  pass_a_second();
  execute(4, 70);
  EXPECT_EQ(fills(), "     34203 s: sold 70 at 10.1000, position 30\n") << "its price is behind ours";
  EXPECT_EQ(summary(), "3 quotes, 3 fills, position 30, earned 8.5000 dollars\n");
}

TEST_F(BacktestTest, IsFilledByWhatCrossesIt) {
  add(5, Side::Sell, 70, 9'9500);
  EXPECT_EQ(fills(), "     34201 s: bought 70 at 10.0000, position 70\n");
  remove(5);
  replace(3, 6, 50, 10'1000);
  EXPECT_EQ(fills(), "     34201 s: sold 50 at 10.1000, position 20\n");
  replace(6, 7, 50, 10'1500);
  EXPECT_EQ(fills(), "") << "what stood across ours has traded with it before";
}

TEST_F(BacktestTest, IsFilledByNothingThatTheBookRefuses) {
  add(2, Side::Sell, 70, 9'9500);
  add(5, Side::Sell, 0, 9'9500);
  add(6, Side::Sell, 70, 9'9500, other_symbol);
  send(itch::AddOrder{.header = {.locate = our_symbol},
                      .reference = Reference{7},
                      .side = static_cast<itch::BuySell>('Z'),
                      .shares = 70,
                      .price = Price4{9'9500}});
  replace(99, 8, 70, 9'9500);
  replace(4, 2, 70, 9'9500);
  add(9, Side::Buy, 30, 10'0000);
  execute(9, 31);
  execute(99, 30);
  EXPECT_EQ(fills(), "");
  EXPECT_EQ(touch(), "10.00 x 230, 10.10 x 200");
}

TEST_F(BacktestTest, RestsInMarketHoursAlone) {
  send(itch::SystemEvent{.event = itch::EventCode::EndOfMarketHours});
  EXPECT_EQ(feed_.size(), 4u);
  add(5, Side::Sell, 70, 9'9500);
  remove(5);
  EXPECT_EQ(touch(), "10.00 x 100, 10.10 x 100");
  EXPECT_EQ(fills(), "");
}

TEST_F(BacktestTest, RestsNowhereWhileTheSymbolIsHalted) {
  for (const TradingState state : {TradingState::Halted, TradingState::Paused, TradingState::QuotationOnly}) {
    set_state(state);
    EXPECT_EQ(feed_.size(), 4u);
    add(5, Side::Sell, 70, 9'9500);
    remove(5);
    EXPECT_EQ(feed_.size(), 4u);
    set_state(TradingState::Trading);
    add(5, Side::Buy, 70, 9'8500);
    EXPECT_EQ(touch(), "10.00 x 200, 10.10 x 200");
    remove(5);
  }
  EXPECT_EQ(fills(), "");
  send(itch::TradingAction{.header = {.locate = other_symbol}, .symbol = "OTHER", .state = TradingState::Halted});
  EXPECT_EQ(touch(), "10.00 x 200, 10.10 x 200");
}

TEST_F(BacktestTest, HoldsNoMoreThanItMay) {
  for (std::uint64_t reference = 10; reference < 20; ++reference) {
    add(reference, Side::Buy, 80, 10'0000);
    execute(reference, 80);
    remove(reference);
  }
  const std::string all = fills();
  EXPECT_NE(all.find("bought 20 at 10.0000, position 500\n"), std::string::npos) << all;
  EXPECT_EQ(touch(), "10.00 x 100, 10.10 x 200") << "it only sells";
  EXPECT_EQ(summary(), "6 quotes, 10 fills, position 500, earned 25.0000 dollars\n");
  add(20, Side::Buy, 30, 10'1000);
  EXPECT_EQ(fills(), "     34201 s: sold 30 at 10.1000, position 470\n");
  remove(20);
  EXPECT_EQ(touch(), "10.00 x 130, 10.10 x 200") << "as much as there is room for";
}

}  // namespace
}  // namespace llmes::test
