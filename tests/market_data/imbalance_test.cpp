// SPDX-License-Identifier: MIT
//
// The indicator of an auction's imbalance, field by field.
#include "llmes/market_data/imbalance.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace llmes::test {
namespace {

constexpr std::uint32_t cent = 100;

TEST(Imbalance, HasWhatPairsAndWhatIsLeft) {
  const itch::Imbalance message = imbalance_of(AuctionPrice{1'010, 700, 30, Side::Sell}, 1'000, cent, 'C');
  EXPECT_EQ(message.header.type, 'I');
  EXPECT_EQ(message.paired_shares.value(), 700u);
  EXPECT_EQ(message.imbalance_shares.value(), 30u);
  EXPECT_EQ(message.direction, 'S');
  EXPECT_EQ(message.far_price, itch::Price4{101'000});
  EXPECT_EQ(message.near_price, itch::Price4{101'000});
  EXPECT_EQ(message.reference_price, itch::Price4{100'000});
  EXPECT_EQ(message.cross_type, 'C');
  EXPECT_EQ(message.price_variation, '1');
}

TEST(Imbalance, DirectionOfEachKind) {
  EXPECT_EQ(imbalance_of(AuctionPrice{10, 7, 1, Side::Buy}, 10, cent, 'O').direction, 'B');
  EXPECT_EQ(imbalance_of(AuctionPrice{10, 7, 0, Side::Buy}, 10, cent, 'O').direction, 'N');
  const itch::Imbalance none = imbalance_of(std::nullopt, 10, cent, 'H');
  EXPECT_EQ(none.direction, 'O');
  EXPECT_EQ(none.paired_shares.value(), 0u);
  EXPECT_EQ(none.imbalance_shares.value(), 0u);
  EXPECT_EQ(none.near_price, itch::Price4{0});
  EXPECT_EQ(none.far_price, itch::Price4{0});
  EXPECT_EQ(none.reference_price, itch::Price4{1'000});
  EXPECT_EQ(none.price_variation, ' ');
}

TEST(Imbalance, VariationByPercent) {
  const auto variation = [](Price price, Price reference) -> char {
    return imbalance_of(AuctionPrice{price, 1, 0, Side::Buy}, reference, 1, 'O').price_variation;
  };
  EXPECT_EQ(variation(1'000, 1'000), 'L');
  EXPECT_EQ(variation(1'009, 1'000), 'L');
  EXPECT_EQ(variation(990, 1'000), '1');
  EXPECT_EQ(variation(1'099, 1'000), '9');
  EXPECT_EQ(variation(1'100, 1'000), 'A');
  EXPECT_EQ(variation(801, 1'000), 'A');
  EXPECT_EQ(variation(800, 1'000), 'B');
  EXPECT_EQ(variation(1'299, 1'000), 'B');
  EXPECT_EQ(variation(1'300, 1'000), 'C');
  EXPECT_EQ(variation(4'000'000'000, 1), 'C');
  EXPECT_EQ(variation(1'000, 0), ' ');
}

TEST(Imbalance, APriceThatDoesNotFitIsZero) {
  const auto near = [](Price price, std::uint32_t tick_size) -> itch::Price4 {
    return imbalance_of(AuctionPrice{price, 1, 0, Side::Buy}, 5, tick_size, 'O').near_price;
  };
  EXPECT_EQ(near(-1, 1), itch::Price4{0});
  EXPECT_EQ(near(std::numeric_limits<Price>::min(), 1), itch::Price4{0});
  EXPECT_EQ(near(std::numeric_limits<Price>::max(), 1), itch::Price4{0});
  EXPECT_EQ(near(4'294'967'295, 1), itch::Price4{4'294'967'295});
  EXPECT_EQ(near(4'294'967'296, 1), itch::Price4{0});
  EXPECT_EQ(near(42'949'672, 100), itch::Price4{4'294'967'200});
  EXPECT_EQ(near(42'949'673, 100), itch::Price4{0});
  EXPECT_EQ(imbalance_of(std::nullopt, -5, 1, 'O').reference_price, itch::Price4{0});
}

}  // namespace
}  // namespace llmes::test
