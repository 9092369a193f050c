// SPDX-License-Identifier: MIT
//
// The trade tape of a feed book: every fill that right messages tell of, once, in their order, with the side and
// the price of the order that it hit, however the messages come.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llmes/market_data.hpp"
#include "tests/support/random.hpp"

namespace llmes::test::feed_trade_test {
namespace {

using Bytes = std::vector<std::byte>;

template <itch::Message M>
Bytes bytes(const M& message) {
  const auto all = itch::bytes_of(message);
  return {all.begin(), all.end()};
}

constexpr std::uint16_t symbols = 2;
FeedBook make_feed() {
  return *FeedBook::create({.symbols = symbols, .capacity = 100});
}

/// Keeps what a span tells: fills, and messages that change orders as their first letters.
struct Tape {
  std::vector<FeedTrade> trades;
  std::string told;

  void operator()(itch::MessageBytes message) { told += static_cast<char>(message[0]); }
  void traded(const FeedTrade& trade) {
    trades.push_back(trade);
    told += '*';
  }
};
/// Takes fills alone.
struct TapeAlone {
  std::vector<FeedTrade> trades;

  void traded(const FeedTrade& trade) { trades.push_back(trade); }
};

itch::AddOrder add(std::uint64_t reference, itch::BuySell side, std::uint32_t shares, std::uint32_t price) {
  return {.header = {.locate = itch::Locate{1}},
          .reference = itch::Reference{reference},
          .side = side,
          .shares = shares,
          .price = itch::Price4{price}};
}

TEST(FeedTrades, OfEachKindAsTheMessageSays) {
  const itch::Header<'P'> hidden_of{.locate = itch::Locate{2}};
  const std::vector<Bytes> messages{
      bytes(add(7, itch::BuySell::Sell, 10, 25'000)),
      bytes(itch::OrderExecuted{.header = {.locate = itch::Locate{1}},
                                .reference = itch::Reference{7},
                                .shares = 4u,
                                .match = itch::MatchNumber{1}}),
      bytes(itch::Trade{.header = hidden_of,
                        .side = itch::BuySell::Buy,
                        .shares = 5u,
                        .price = itch::Price4{24'900},
                        .match = itch::MatchNumber{2}}),
      bytes(itch::OrderExecutedWithPrice{.header = {.locate = itch::Locate{1}},
                                         .reference = itch::Reference{7},
                                         .shares = 6u,
                                         .match = itch::MatchNumber{3},
                                         .printable = 'N',
                                         .price = itch::Price4{25'100}}),
      bytes(itch::CrossTrade{.header = {.locate = itch::Locate{1}},
                             .shares = 6'000'000'000u,
                             .price = itch::Price4{25'100},
                             .match = itch::MatchNumber{4},
                             .cross_type = 'O'}),
      bytes(itch::BrokenTrade{.header = {.locate = itch::Locate{1}}, .match = itch::MatchNumber{1}}),
      bytes(add(8, itch::BuySell::Buy, 3, 24'000)),
      bytes(itch::OrderExecutedWithPrice{.header = {.locate = itch::Locate{1}},
                                         .reference = itch::Reference{8},
                                         .shares = 3u,
                                         .match = itch::MatchNumber{5},
                                         .printable = 'Y',
                                         .price = itch::Price4{23'900}}),
      // Faults, and a symbol that the feed has not.
      bytes(itch::OrderExecuted{
          .header = {.locate = itch::Locate{1}}, .reference = itch::Reference{7}, .shares = 1u}),
      bytes(itch::Trade{.header = {.locate = itch::Locate{3}}, .shares = 5u}),
      bytes(itch::BrokenTrade{}),
  };
  using enum FeedTradeType;
  const std::vector<FeedTrade> expected{
      {Execution, itch::Locate{1}, itch::Price4{25'000}, 4, itch::MatchNumber{1}, itch::Reference{7}, Side::Sell},
      {Hidden, itch::Locate{2}, itch::Price4{24'900}, 5, itch::MatchNumber{2}},
      {Execution, itch::Locate{1}, itch::Price4{25'100}, 6, itch::MatchNumber{3}, itch::Reference{7}, Side::Sell,
       false},
      {Cross, itch::Locate{1}, itch::Price4{25'100}, 6'000'000'000, itch::MatchNumber{4}},
      {Broken, itch::Locate{1}, {}, 0, itch::MatchNumber{1}},
      {Execution, itch::Locate{1}, itch::Price4{23'900}, 3, itch::MatchNumber{5}, itch::Reference{8}, Side::Buy},
  };
  const std::vector<itch::MessageBytes> span(messages.begin(), messages.end());
  FeedBook feed = make_feed();
  Tape tape;
  feed.apply(span, tape);
  EXPECT_EQ(tape.trades, expected);
  EXPECT_EQ(tape.told, "AE**C***AC*");
  FeedBook other = make_feed();
  TapeAlone alone;
  other.apply(span, alone);
  EXPECT_EQ(alone.trades, expected);
  EXPECT_EQ(other.size(), 0u);
}

/// Random messages: the tape of spans of any size is that of a reader who looks up each order before it is hit.
TEST(FeedTrades, OfRandomMessagesInSpansOfAnySize) {
  Random random(1);
  std::vector<Bytes> messages;
  std::vector<FeedTrade> expected;
  FeedBook single = make_feed();
  std::uint64_t match = 0;
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const std::uint64_t kind = random.below(100);
    const auto side = random.chance(50) ? itch::BuySell::Buy : itch::BuySell::Sell;
    const auto shares = static_cast<std::uint32_t>(1 + random.below(9));
    // Now and then off the grid, or of an order that is gone.
    const auto price = static_cast<std::uint32_t>(20'000 + random.below(8) * (random.chance(95) ? 100 : 50));
    const auto reference = itch::Reference{i - std::min(i, random.below(60))};
    const itch::Price4 price4{price};
    ++match;
    const std::optional<RestingOrder> order = single.find(reference);
    if (kind < 50) {
      messages.push_back(bytes(add(i + 1, side, shares, price)));
    } else if (kind < 70) {
      messages.push_back(bytes(itch::OrderExecuted{.header = {.locate = itch::Locate{1}},
                                                   .reference = reference,
                                                   .shares = shares,
                                                   .match = itch::MatchNumber{match}}));
      if (order && order->quantity >= shares) {
        expected.push_back({FeedTradeType::Execution, itch::Locate{1}, itch::Price4(order->price), shares,
                            itch::MatchNumber{match}, reference, order->side});
      }
    } else if (kind < 80) {
      messages.push_back(bytes(itch::OrderDelete{.header = {.locate = itch::Locate{1}}, .reference = reference}));
    } else if (kind < 90) {
      messages.push_back(bytes(itch::Trade{.header = {.locate = itch::Locate{2}},
                                           .shares = shares,
                                           .price = price4,
                                           .match = itch::MatchNumber{match}}));
      expected.push_back({FeedTradeType::Hidden, itch::Locate{2}, price4, shares, itch::MatchNumber{match}});
    } else {
      messages.push_back(
          bytes(itch::BrokenTrade{.header = {.locate = itch::Locate{1}}, .match = itch::MatchNumber{match / 2}}));
      expected.push_back({FeedTradeType::Broken, itch::Locate{1}, {}, 0, itch::MatchNumber{match / 2}});
    }
    single.apply(messages.back());
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{300}, messages.size()}) {
    FeedBook feed = make_feed();
    Tape tape;
    for (std::size_t at = 0; at < messages.size(); at += size) {
      const auto some = std::span(messages).subspan(at, std::min(size, messages.size() - at));
      feed.apply(std::vector<itch::MessageBytes>(some.begin(), some.end()), tape);
    }
    ASSERT_EQ(tape.trades, expected) << size;
    ASSERT_EQ(feed.size(), single.size());
  }
}

}  // namespace
}  // namespace llmes::test::feed_trade_test
