// SPDX-License-Identifier: MIT
//
// What holds of every sweep, whatever the oracle says: lots are conserved.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <variant>

#include "tests/support/ruled_conformance.hpp"
#include "tests/support/ruled_kinds.hpp"
#include "tests/support/ruled_streams.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

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
  for (RuledProfile profile : ruled_profiles) {
    profile.operation_count = repetitions(profile.operation_count);
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
        const Quantity left = changes(command.type) && old != before.end() ? old->second : 0;
        EXPECT_EQ(lots - left + command.quantity - 2 * told.filled - told.prevented_of_makers - result.cancelled,
                  lots_in(*book, kind.books));
      }
      ASSERT_FALSE(HasFailure()) << profile.name << ": " << source_of(operation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RulesConserve, ::testing::ValuesIn(all_ruled_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace llmes::test
