// SPDX-License-Identifier: MIT
//
// A level is shared out as its allocation promises, whatever its orders are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/support/any_ruled_book.hpp"
#include "tests/support/random.hpp"

namespace llmes::test::sharing_test {
namespace {

using ByTime = OrderBook<64, ArraySideBook, VenueRules<>>;
using ProRata = OrderBook<64, ArraySideBook, VenueRules<Allocation::ProRata, 3>>;
using FirstThenProRata = OrderBook<64, ArraySideBook, VenueRules<Allocation::FirstThenProRata>>;

/// A level of some orders, and what one sweep of fewer lots than they show gives each.
struct Shared {
  std::vector<Quantity> displayed;
  Quantity taken = 0;
  std::vector<Quantity> got;                             ///< by order
  std::vector<std::pair<std::size_t, Quantity>> trades;  ///< in order

  [[nodiscard]] Quantity sum() const { return std::accumulate(displayed.begin(), displayed.end(), Quantity{0}); }
};

template <class Book>
Shared share_out(std::uint64_t seed, bool huge) {
  Random random(seed);
  Shared shared;
  Book book = *Book::create({.capacity = 20});
  const std::size_t orders = 1 + random.below(12);
  for (std::size_t i = 0; i < orders; ++i) {
    const Quantity quantity = huge ? 1 + random.below(Quantity{1} << 59) : 1 + random.below(20);
    const bool reserve = random.chance(40);
    OrderTerms terms{.owner = static_cast<Owner>(random.below(3))};
    if (reserve) {
      terms.display = Display::Reserve;
      terms.peak = quantity;
    }
    // A reserve behind what is displayed must not count.
    const Quantity total = reserve ? quantity + random.below(30) : quantity;
    EXPECT_TRUE(book.add_resting_order(i, Side::Sell, 5, total, terms).rests());
    shared.displayed.push_back(quantity);
  }
  EXPECT_TRUE(book.add_resting_order(99, Side::Sell, 5, 7, OrderTerms{.display = Display::Hidden}).rests());
  EXPECT_TRUE(book.add_resting_order(100, Side::Sell, 6, 7).rests());
  shared.got.resize(orders);
  shared.taken = random.below(shared.sum());
  if (shared.taken == 0) return shared;
  RuleRecorder sink;
  const Result result =
      book.add_limit_order(200, Side::Buy, 6, shared.taken, TimeInForce::ImmediateOrCancel, OrderTerms{}, sink);
  EXPECT_EQ(result.filled, shared.taken);
  for (const RuleEvent& event : sink.events) {
    const auto* trade = std::get_if<RuledTrade>(&event);
    if (trade == nullptr) continue;
    EXPECT_EQ(trade->price, 5);
    if (trade->maker_id >= orders) {
      ADD_FAILURE() << "a hidden order, or one of another price, has traded";
      continue;
    }
    shared.got[trade->maker_id] += trade->quantity;
    shared.trades.emplace_back(trade->maker_id, trade->quantity);
  }
  return shared;
}

/// Nobody gets more than he shows, and together they get what is taken.
void expect_shared(const Shared& shared) {
  EXPECT_EQ(std::accumulate(shared.got.begin(), shared.got.end(), Quantity{0}), shared.taken);
  for (std::size_t i = 0; i < shared.got.size(); ++i) EXPECT_LE(shared.got[i], shared.displayed[i]);
}

/// What orders get beyond `shares` goes to the first in the queue until nothing is left.
void expect_rest_by_time(const Shared& shared, const std::vector<Quantity>& shares) {
  Quantity rest = shared.taken - std::accumulate(shares.begin(), shares.end(), Quantity{0});
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Quantity more = std::min(rest, shared.displayed[i] - shares[i]);
    EXPECT_EQ(shared.got[i], shares[i] + more) << "order " << i;
    rest -= more;
  }
}

/// By a division that does not overflow: one bit after the other.
Quantity share_of(Quantity taken, Quantity displayed, Quantity sum, Quantity minimum) {
  Quantity share = 0;
  Quantity remainder = 0;
  for (int bit = 63; bit >= 0; --bit) {
    share *= 2;
    const bool carry = remainder >= sum - remainder;  // twice the remainder reaches the sum
    remainder = carry ? remainder - (sum - remainder) : 2 * remainder;
    share += carry ? 1 : 0;
    if ((taken >> bit & 1) == 0) continue;
    const bool over = remainder >= sum - displayed;
    remainder = over ? remainder - (sum - displayed) : remainder + displayed;
    share += over ? 1 : 0;
  }
  return share < minimum ? 0 : share;
}

class Sharing : public ::testing::TestWithParam<bool> {};

TEST_P(Sharing, ByTimeGivesAllToTheFirst) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Shared shared = share_out<ByTime>(seed, GetParam());
    expect_shared(shared);
    expect_rest_by_time(shared, std::vector<Quantity>(shared.got.size()));
    for (std::size_t i = 0; i < shared.trades.size(); ++i) EXPECT_EQ(shared.trades[i].first, i);
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

TEST_P(Sharing, ProRataGivesSharesAndTheRestByTime) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Shared shared = share_out<ProRata>(seed, GetParam());
    expect_shared(shared);
    std::vector<Quantity> shares;
    for (const Quantity displayed : shared.displayed) {
      shares.push_back(share_of(shared.taken, displayed, shared.sum(), 3));
    }
    expect_rest_by_time(shared, shares);
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

TEST_P(Sharing, FirstTakesAllItShowsBeforeTheOthersShare) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Shared shared = share_out<FirstThenProRata>(seed, GetParam());
    expect_shared(shared);
    std::vector<Quantity> shares{std::min(shared.taken, shared.displayed[0])};
    for (std::size_t i = 1; i < shared.displayed.size(); ++i) {
      shares.push_back(
          share_of(shared.taken - shares[0], shared.displayed[i], shared.sum() - shared.displayed[0], 1));
    }
    expect_rest_by_time(shared, shares);
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Quantities, Sharing, ::testing::Bool(),
                         [](const auto& huge) { return huge.param ? "Huge" : "Small"; });

}  // namespace
}  // namespace llmes::test::sharing_test
