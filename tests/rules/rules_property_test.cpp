// SPDX-License-Identifier: MIT
//
// What holds of every sweep, whatever the oracle says: lots are conserved, and a level is shared out as its
// allocation promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <variant>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/support/random.hpp"
#include "tests/support/ruled_conformance.hpp"
#include "tests/support/ruled_kinds.hpp"
#include "tests/support/ruled_streams.hpp"

namespace llmes::test {
namespace {

// ---- Conservation.

/// All lots that rest: modulo 2^64, as are the sums made of it.
Quantity lots_in(const AnyRuledBook& book, BookNumber books) {
  Quantity lots = 0;
  for (BookNumber number = 0; number < books; ++number) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : book.orders(number, side)) {
        lots += order.quantity + book.terms_of(order.handle)->reserve;
      }
    }
  }
  return lots;
}

/// What a call's events say of its taker and of its makers.
struct Told {
  Quantity filled = 0;
  Quantity prevented_of_makers = 0;  ///< lots that left with makers

  Told(const RuleEvents& events, const std::map<std::uint64_t, Quantity>& before) {
    std::map<std::uint64_t, Quantity> totals = before;
    for (const RuleEvent& event : events) {
      if (const auto* trade = std::get_if<RuledTrade>(&event)) {
        filled += trade->quantity;
        Quantity& total = totals[trade->maker_handle.value()];
        total -= trade->quantity;
        EXPECT_EQ(trade->maker_remaining, total);
        EXPECT_LE(trade->maker_displayed, trade->maker_remaining);
        EXPECT_GT(trade->quantity, 0u);
      } else if (const auto* match = std::get_if<PreventedMatch>(&event)) {
        Quantity& total = totals[match->maker_handle.value()];
        EXPECT_GT(match->quantity, 0u);
        EXPECT_LE(match->quantity, total);
        prevented_of_makers += total - match->maker_remaining;
        total = match->maker_remaining;
      }
    }
  }
};

std::map<std::uint64_t, Quantity> totals_in(const AnyRuledBook& book, BookNumber books) {
  std::map<std::uint64_t, Quantity> totals;
  for (BookNumber number = 0; number < books; ++number) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : book.orders(number, side)) {
        totals[order.handle.value()] = order.quantity + book.terms_of(order.handle)->reserve;
      }
    }
  }
  return totals;
}

class RulesConserve : public ::testing::TestWithParam<RuledKind> {};

TEST_P(RulesConserve, AllLots) {
  const RuledKind& kind = GetParam();
  for (const RuledProfile& profile : ruled_profiles) {
    const std::unique_ptr<AnyRuledBook> book = kind.create(profile.capacity);
    const RulesOracleConfig config = oracle_config(kind, *book, profile.capacity);
    std::unordered_map<OrderId, OrderHandle> handles;
    for (const RuledOperation& operation : RuledPlanner(profile, config, kind.prices, 77).plan()) {
      if (operation.what != RuledOperation::What::Call || operation.call.flip != 0) continue;
      const RuledBookCommand command = to_command(operation, handles[operation.call.order]);
      const RestingTerms terms = book->terms_of(command.handle).value_or(RestingTerms{});
      if (refills_without_end(operation, terms.peak)) continue;
      const auto before = totals_in(*book, kind.books);
      const Quantity lots = lots_in(*book, kind.books);
      RuleRecorder sink;
      const Result result = book->call(command, Way::Apply, sink).result;
      if (result.status != Status::Success) {
        EXPECT_TRUE(sink.events.empty());
        EXPECT_EQ(lots_in(*book, kind.books), lots);
        continue;
      }
      if (operation.call.makes_order() && result.rests()) handles[operation.call.made()] = result.handle;
      const Told told(sink.events, before);
      EXPECT_EQ(result.filled, told.filled);
      const bool enters = operation.call.makes_order() || (moves(command.type) && !result.kept_place);
      if (enters) {
        EXPECT_EQ(result.filled + result.remaining + result.cancelled, command.quantity);
        const auto old = before.find(command.handle.value());
        const Quantity left = adds(command.type) || old == before.end() ? 0 : old->second;
        EXPECT_EQ(lots - left + command.quantity - 2 * told.filled - told.prevented_of_makers - result.cancelled,
                  lots_in(*book, kind.books));
      }
      ASSERT_FALSE(HasFailure()) << profile.name << ": " << source_of(operation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RulesConserve, ::testing::ValuesIn(all_ruled_kinds()),
                         [](const auto& kind) { return kind.param.name; });

// ---- Allocation, on a level of orders without owners.

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
}  // namespace llmes::test
