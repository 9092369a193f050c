// SPDX-License-Identifier: MIT
//
// One test has all random streams and another all adversarial ones, because ctest starts a process for each test.
#include "tests/support/conformance_suite.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "tests/support/adversarial_streams.hpp"
#include "tests/support/expect_conformance.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

/// Base prices with the band across 0, below it, above it, and at either end of the type.
std::array<Price, 5> base_prices(std::size_t price_levels) {
  const auto levels = static_cast<Price>(price_levels);
  return {-levels / 2, -1'000'003, 1'000'000, std::numeric_limits<Price>::min(), highest_price - (levels - 1)};
}

/// Stops at the first failure, because a defect would show in most streams. With a sanitizer they are a third
/// as long, and the state is compared less often, as the sanitizer looks at the calls.
void expect_random_streams(const Band& band, Profile profile) {
  profile.operation_count = repetitions(profile.operation_count);
  std::uint64_t seed = 1;
  for (const Price base_price : base_prices(band.price_levels)) {
    if (::testing::Test::HasFailure()) return;
    SCOPED_TRACE(::testing::Message() << profile.name << ", capacity " << profile.capacity);
    const BookConfig config{.base_price = base_price, .capacity = profile.capacity};
    expect_conformance(band.type, config, random_stream(profile, config, band.price_levels, seed++),
                       LLMES_TEST_SANITIZED ? 16 : 1);
  }
}

/// `make` builds the sequence from a `Ladder`; it is run with makers of either side.
template <class Make>
void expect_on_both_sides(const Band& band, const char* name, std::size_t capacity, Make make,
                          std::size_t state_every = 1) {
  for (const Side makers : {Side::Buy, Side::Sell}) {
    if (::testing::Test::HasFailure()) return;
    SCOPED_TRACE(name);
    const BookConfig config{.base_price = -20, .capacity = capacity};
    expect_conformance(band.type, config, make(Ladder{config.base_price, band.price_levels, makers}), state_every);
  }
}

TEST_P(ConformanceSuite, HasAllPricesOfItsBand) {
  const Band& band = GetParam();
  for (const Price base_price : base_prices(band.price_levels)) {
    const std::unique_ptr<AnyBook> book = band.type.create({.base_price = base_price, .capacity = 1});
    ASSERT_NE(book, nullptr);
    const Price last = base_price + static_cast<Price>(band.price_levels - 1);
    EXPECT_EQ(book->price_min(), band.is_all ? base_price : std::numeric_limits<Price>::min());
    EXPECT_EQ(book->price_max(), band.is_all ? last : highest_price);
  }
}

TEST_P(ConformanceSuite, RandomStreams) {
  for (const Profile& profile : profiles) expect_random_streams(GetParam(), profile);
  Profile tiny_pool = nearly_full_pool;
  for (tiny_pool.capacity = 1; tiny_pool.capacity <= 8; ++tiny_pool.capacity) {
    expect_random_streams(GetParam(), tiny_pool);
  }
}

TEST_P(ConformanceSuite, AdversarialStreams) {
  const auto expect = [](const char* name, std::size_t capacity, auto make, std::size_t state_every = 1) {
    expect_on_both_sides(GetParam(), name, capacity, make, state_every);
  };
  constexpr std::size_t orders = repetitions(std::size_t{5'000});
  const auto one_price = [](const Ladder& ladder) { return deep_level_sweep(ladder, orders); };
  const auto long_and_deep = [](const Ladder& ladder) { return long_sweep(ladder, orders); };
  const auto every_level = [](const Ladder& ladder) { return sweep_of_every_level(ladder, 4'096); };
  expect("sweep of many orders at one price", orders + 1, one_price, 1'000);
  expect("sweep of many orders at eight prices", orders, long_and_deep, 1'000);
  expect("sweep of every level", 4'096, every_level, 500);
  expect("exact sums", 6, exact_sums);
  expect("touch equality", 100, touch_equality);
  expect("pairs about word boundaries", 100, boundary_pairs);
  expect("ends of the band", 12, ends_of_band);
  expect("ids are free again", 2, reused_ids);
}

}  // namespace
}  // namespace llmes::test
