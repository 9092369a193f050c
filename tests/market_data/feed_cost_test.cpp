// SPDX-License-Identifier: MIT
//
// What a query of a feed book costs depends on what it returns, not on how many orders rest, nor on the steps that
// their prices have. Cost is counted in basic blocks, for which this file is compiled.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "llmes/book.hpp"
#include "llmes/market_data/feed_book.hpp"
#include "tests/support/step_counter.hpp"

namespace llmes::test {
namespace {

using itch::Locate;
using itch::Price4;

[[gnu::noinline]] std::size_t depth_of(const FeedBook& feed, std::span<DepthLevel> out) {
  return feed.depth(Locate{1}, Side::Sell, out);
}
[[gnu::noinline]] DepthLevel level_of(const FeedBook& feed, Price4 price) {
  return feed.level(Locate{1}, Side::Sell, price);
}

/// A symbol with so many asks, three on a level, so many ten-thousandths from each other.
FeedBook asks(std::size_t count, std::uint32_t step) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = count});
  for (std::size_t i = 0; i < count; ++i) {
    feed.apply(itch::bytes_of(itch::AddOrder{.header = {.locate = Locate{1}},
                                             .reference = itch::Reference{i + 1},
                                             .side = itch::BuySell::Sell,
                                             .shares = 1u,
                                             .price = Price4(1'000'000 + i / 3 * step)}));
  }
  EXPECT_EQ(feed.size(), count);
  return feed;
}

TEST(FeedCost, OfDepthIsThatOfItsLevels) {
  std::map<std::uint64_t, std::uint32_t> by_steps;
  for (const std::size_t count : {std::size_t{300}, std::size_t{30'000}}) {
    for (const std::uint32_t step : {100u, 50u, 10u, 1u}) {
      const FeedBook feed = asks(count, step);
      std::array<DepthLevel, 5> levels;
      by_steps[steps_of([&] { EXPECT_EQ(depth_of(feed, levels), levels.size()); })] = step;
      EXPECT_EQ(levels[4], (DepthLevel{1'000'000 + 4 * Price{step}, 3, 3}));
    }
  }
  EXPECT_LT(by_steps.rbegin()->first, by_steps.begin()->first * 5 / 4) << by_steps.rbegin()->second;
}

TEST(FeedCost, OfALevelIsALogarithm) {
  for (const std::uint32_t step : {100u, 50u, 1u}) {
    const auto cost = [&](std::size_t count) {
      const FeedBook feed = asks(count, step);
      return steps_of([&] { EXPECT_EQ(level_of(feed, Price4(1'000'000 + count / 6 * step)).order_count, 3u); });
    };
    EXPECT_LT(cost(30'000), 4 * cost(300)) << step;
  }
}

}  // namespace
}  // namespace llmes::test
