// SPDX-License-Identifier: MIT
//
// The conformance suite: whatever passes it behaves like the oracle. It runs on any type that satisfies
// `llmes::bench::MatchingBook`. To put another book through it:
//
//   using Books = ::testing::Types<MyBook<128>, MyBook<4096>>;
//   INSTANTIATE_TYPED_TEST_SUITE_P(MyBook, ConformanceSuite, Books);
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tests/adversarial_streams.hpp"
#include "tests/expect_conformance.hpp"
#include "tests/random_streams.hpp"

namespace llmes::test {

template <class Book>
class ConformanceSuite : public ::testing::Test {
 protected:
  static std::size_t price_levels() {
    const Book book = *Book::create({.base_price = 0, .capacity = 1});
    return static_cast<std::size_t>(book.price_max()) + 1;
  }

  /// Base prices with the band across 0, below it, above it, and at either end of the type.
  static std::array<Price, 5> base_prices() {
    const auto levels = static_cast<Price>(price_levels());
    return {-levels / 2, -1'000'003, 1'000'000, std::numeric_limits<Price>::min(),
            std::numeric_limits<Price>::max() - (levels - 1)};
  }

  static void expect_random_streams(const Profile& profile) {
    std::uint64_t seed = 1;
    for (const Price base_price : base_prices()) {
      const BookConfig config{.base_price = base_price, .capacity = profile.capacity};
      expect_conformance<Book>(config, random_stream(profile, config, price_levels(), seed++));
      if (::testing::Test::HasFailure()) return;
    }
  }

  /// `make` builds the sequence from a `Ladder`; it is run with makers of either side.
  template <class Make>
  static void expect_on_both_sides(std::size_t capacity, Make make, std::size_t state_every = 1) {
    for (const Side makers : {Side::Buy, Side::Sell}) {
      const BookConfig config{.base_price = -20, .capacity = capacity};
      expect_conformance<Book>(config, make(Ladder{config.base_price, price_levels(), makers}), state_every);
    }
  }
};

TYPED_TEST_SUITE_P(ConformanceSuite);

TYPED_TEST_P(ConformanceSuite, NearPrices) {
  this->expect_random_streams(near_prices);
}
TYPED_TEST_P(ConformanceSuite, NearlyFullPool) {
  Profile profile = nearly_full_pool;
  for (profile.capacity = 1; profile.capacity <= 8; ++profile.capacity) this->expect_random_streams(profile);
}
TYPED_TEST_P(ConformanceSuite, DeepLevel) {
  this->expect_random_streams(deep_level);
}
TYPED_TEST_P(ConformanceSuite, WidePrices) {
  this->expect_random_streams(wide_prices);
}
TYPED_TEST_P(ConformanceSuite, RandomWordBoundaries) {
  this->expect_random_streams(word_boundaries);
}
TYPED_TEST_P(ConformanceSuite, HugeQuantities) {
  this->expect_random_streams(huge_quantities);
}

TYPED_TEST_P(ConformanceSuite, FiveThousandFillsAtOnePrice) {
  this->expect_on_both_sides(
      5'001, [](const Ladder& ladder) { return deep_level_sweep(ladder, 5'000); }, 1'000);
}
TYPED_TEST_P(ConformanceSuite, TwelveThousandOrderSweep) {
  this->expect_on_both_sides(
      12'000, [](const Ladder& ladder) { return long_sweep(ladder, 12'000); }, 3'000);
}
TYPED_TEST_P(ConformanceSuite, SweepOfEveryLevel) {
  this->expect_on_both_sides(
      4'096, [](const Ladder& ladder) { return sweep_of_every_level(ladder, 4'096); }, 500);
}
TYPED_TEST_P(ConformanceSuite, ExactSums) {
  this->expect_on_both_sides(6, exact_sums);
}
TYPED_TEST_P(ConformanceSuite, TouchEquality) {
  this->expect_on_both_sides(100, touch_equality);
}
TYPED_TEST_P(ConformanceSuite, WordBoundaryPairs) {
  this->expect_on_both_sides(100, boundary_pairs);
}
TYPED_TEST_P(ConformanceSuite, EndsOfBand) {
  this->expect_on_both_sides(12, ends_of_band);
}
TYPED_TEST_P(ConformanceSuite, IdsAreFreeAgain) {
  this->expect_on_both_sides(2, reused_ids);
}

REGISTER_TYPED_TEST_SUITE_P(ConformanceSuite, NearPrices, NearlyFullPool, DeepLevel, WidePrices,
                            RandomWordBoundaries, HugeQuantities, FiveThousandFillsAtOnePrice,
                            TwelveThousandOrderSweep, SweepOfEveryLevel, ExactSums, TouchEquality,
                            WordBoundaryPairs, EndsOfBand, IdsAreFreeAgain);

}  // namespace llmes::test
