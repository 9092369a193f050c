// SPDX-License-Identifier: MIT
//
// Random requests, one at a time and in spans, on every kind of index and of book, against the oracle. Now and
// then a side or the whole book is cleared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/id_kinds.hpp"
#include "tests/support/id_pair.hpp"
#include "tests/support/random.hpp"
#include "tests/support/request_streams.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test::id_conformance_test {
namespace {

/// Streams in each world, and their requests. A sanitizer needs few to see each kind of access.
constexpr std::uint64_t seeds = LLMES_TEST_SANITIZED ? 1 : 4;
constexpr std::size_t requests_of_a_stream = LLMES_TEST_SANITIZED ? 700 : 1'500;

/// An index, how many orders can rest, and the ids that requests draw from: some that it has no room for as well.
template <class Config>
struct World {
  const char* name;
  Config config;
  std::size_t capacity;
  std::vector<OrderId> ids;
};

std::vector<OrderId> every(std::uint64_t step, OrderId from, std::size_t count) {
  std::vector<OrderId> ids{0, largest_id};
  for (std::size_t i = 0; i < count; ++i) ids.push_back(from + i * step);
  return ids;
}

// All but the last of each are small, so that they are full at times and spans in a narrow band fetch nothing
// ahead. The last is so large that they do.
std::vector<World<DenseIds::Config>> worlds(DenseIds::Config) {
  return {{"a range", {1'000, 50}, 18, every(1, 998, 54)},
          {"up to the largest", {largest_id - 49, 50}, 18, every(1, largest_id - 51, 52)},
          {"a large range", {0, 300'000}, 100, every(1'777, 5, 60)}};
}
std::vector<World<HashedIds::Config>> worlds(HashedIds::Config) {
  return {{"a small table", {}, 18, every(std::uint64_t{1} << 32, 7, 50)},
          {"a large table", {}, 110'000, every(0x9e37'79b9'7f4a'7c15, 3, 60)}};
}

template <class BookAndIndex>
class IdConformance : public ::testing::Test {
 protected:
  using Book = typename BookAndIndex::Book;
  using Index = typename BookAndIndex::Index;
  using Pair = typename BookAndIndex::Pair;

  /// Plays streams of requests in each world of the index by `play(pair, requests, random)`.
  template <class Play>
  void expect_conformance(Play play) {
    for (const auto& world : worlds(typename Index::Config{})) {
      const BookConfig config{.base_price = -20, .capacity = world.capacity};
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Pair pair(config, world.config, world.ids);
        RequestPlanner planner(pair.oracle(), world.ids, pair.price_min(), pair.price_max(), seed);
        play(pair, planner.plan(requests_of_a_stream), Random(seed));
        ASSERT_EQ(pair.difference(), "") << world.name << ", seed " << seed;
      }
    }
  }

  static void clear_something(Pair& pair, Random& random) {
    switch (random.below(3)) {
      case 0: return pair.clear();
      case 1: return pair.clear(Side::Buy);
      default: return pair.clear(Side::Sell);
    }
  }
};

template <class SomeBook, class SomeIndex>
struct Combination {
  using Book = SomeBook;
  using Index = SomeIndex;
  using Pair = IdPair<Book, Index>;
};
template <class Index>
struct With {
  using Narrow = Combination<OrderBook<128>, Index>;
  using Usual = Combination<OrderBook<4096>, Index>;
  using Pooled = Combination<WideOrderBook<128>, Index>;
  using Wide = Combination<WideOrderBook<262'144>, Index>;
  using AnyPrice = Combination<AnyPriceBook<>, Index>;
};
using Combinations =
    ::testing::Types<With<DenseIds>::Narrow, With<DenseIds>::Usual, With<DenseIds>::Pooled, With<DenseIds>::Wide,
                     With<DenseIds>::AnyPrice, With<HashedIds>::Narrow, With<HashedIds>::Usual,
                     With<HashedIds>::Pooled, With<HashedIds>::Wide, With<HashedIds>::AnyPrice>;
TYPED_TEST_SUITE(IdConformance, Combinations);

TYPED_TEST(IdConformance, OfSingleCalls) {
  this->expect_conformance([](auto& pair, const std::vector<Request>& requests, Random random) {
    for (const Request& request : requests) {
      if (!pair.difference().empty()) return;
      if (random.chance(50)) {
        pair.call(request);
      } else {
        pair.call_by_name(request);
      }
      if (random.below(200) == 0) TestFixture::clear_something(pair, random);
    }
  });
}

TYPED_TEST(IdConformance, OfSpans) {
  this->expect_conformance([](auto& pair, const std::vector<Request>& requests, Random random) {
    auto take = [left = std::span(requests)](std::size_t count) mutable {
      const auto taken = left.first(std::min(count, left.size()));
      left = left.subspan(taken.size());
      return taken;
    };
    for (std::size_t round = 0; round < requests.size() && pair.difference().empty(); ++round) {
      pair.call_in_span(take(random.below(random.chance(50) ? 16 : 151)));
      if (random.below(10) == 0) TestFixture::clear_something(pair, random);
      // Single calls in between note other latest orders.
      for (const Request& request : take(5)) pair.call(request);
    }
  });
}

}  // namespace
}  // namespace llmes::test::id_conformance_test
