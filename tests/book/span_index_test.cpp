// SPDX-License-Identifier: MIT
//
// The receiver and the sink of a span may take the index of the command they are called for.
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

/// The index of the command of each trade, by single calls.
template <class Book>
std::vector<std::size_t> indexes_of_trades(Book& book, const std::vector<Command>& commands) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    book.apply(commands[i], [&](const Trade&) { indexes.push_back(i); });
  }
  return indexes;
}

std::vector<std::size_t> up_to(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

template <class Book>
class SpanIndex : public ::testing::Test {};
using IndexedBooks = ::testing::Types<OrderBook<128>, WideOrderBook<128>>;
TYPED_TEST_SUITE(SpanIndex, IndexedBooks);

TYPED_TEST(SpanIndex, IsThatOfTheCommand) {
  constexpr std::size_t deep = 8'300;  // orders that rest before, so that the span fetches ahead
  for (const std::size_t standing : {std::size_t{0}, deep}) {
    const BookConfig config{.base_price = -20, .capacity = standing + near_prices.capacity};
    const auto filled = [&] {
      TypeParam book = *TypeParam::create(config);
      for (OrderId id = 0; id < standing; ++id) {
        book.add_limit_order(1'000'000 + id, Side::Buy, -20, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
      }
      return book;
    };
    TypeParam recorder = filled();
    TypeParam single = filled();
    TypeParam spanned = filled();
    const Tape tape = record_tape(recorder, random_stream(near_prices, config, TypeParam::price_levels, 3));

    std::vector<std::size_t> of_trades;
    std::vector<std::size_t> of_results;
    std::vector<Result> results;
    spanned.apply(
        tape.commands,
        [&](const Result& result, std::size_t index) {
          results.push_back(result);
          of_results.push_back(index);
        },
        [&](const Trade&, std::size_t index) { of_trades.push_back(index); });
    EXPECT_EQ(results, tape.results);
    EXPECT_EQ(of_results, up_to(tape.commands.size()));
    EXPECT_EQ(of_trades, indexes_of_trades(single, tape.commands));
    EXPECT_FALSE(of_trades.empty());
  }
}

/// One with both forms is called by the one without an index.
struct TakesEither {
  std::size_t without = 0;
  std::size_t with = 0;

  void operator()(const Trade&) { ++without; }
  void operator()(const Trade&, std::size_t) { ++with; }
  void operator()(const Result&) { ++without; }
  void operator()(const Result&, std::size_t) { ++with; }
};

TYPED_TEST(SpanIndex, IsNotForcedOnWhoCanDoWithout) {
  TypeParam book = *TypeParam::create({.base_price = 0, .capacity = 4});
  const std::vector<Command> commands{Command::add_limit(1, Side::Buy, 5, 1, TimeInForce::GoodTillCancel),
                                      Command::add_market(2, Side::Sell, 1)};
  TakesEither receiver;
  TakesEither sink;
  book.apply(commands, receiver, sink);
  EXPECT_EQ(receiver.without, 2u);
  EXPECT_EQ(sink.without, 1u);
  EXPECT_EQ(receiver.with + sink.with, 0u);
}

}  // namespace
}  // namespace llmes::test
