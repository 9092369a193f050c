// SPDX-License-Identifier: MIT
//
// A sink or a receiver with a member `best_changed` is told each change of a side's best level, and nothing else:
// what it hears is what a comparison of the best levels before and after each call shows.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/extremes.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

struct BestChange {
  Side side;
  DepthLevel best;

  friend bool operator==(const BestChange&, const BestChange&) = default;
};
using BestChanges = std::vector<BestChange>;

/// What somebody hears of one command.
struct Heard {
  BestChanges changes;
  Result result;

  friend bool operator==(const Heard&, const Heard&) = default;
};

template <class Book>
std::array<DepthLevel, 2> best_levels(const Book& book) {
  std::array<DepthLevel, 2> levels;
  for (const Side side : {Side::Buy, Side::Sell}) {
    const auto best = book.best(side);
    if (best) levels[static_cast<std::size_t>(side)] = book.level(side, *best);
  }
  return levels;
}

BestChanges difference(const std::array<DepthLevel, 2>& before, const std::array<DepthLevel, 2>& after) {
  BestChanges changes;
  for (const Side side : {Side::Buy, Side::Sell}) {
    const DepthLevel& now = after[static_cast<std::size_t>(side)];
    if (now != before[static_cast<std::size_t>(side)]) changes.push_back({side, now});
  }
  return changes;
}

/// Takes down what it is told, and looks into the book, which must say the same.
template <class Book>
struct BestListeningSink {
  const Book& book;
  BestChanges changes = {};

  void operator()(const Trade&) const {}
  void best_changed(Side side, const DepthLevel& best) {
    EXPECT_EQ(best_levels(book)[static_cast<std::size_t>(side)], best);
    changes.push_back({side, best});
  }
};

template <class Book>
struct BestListeningReceiver {
  const Book& book;
  std::vector<Heard> heard = {};
  BestChanges changes = {};

  void operator()(const Result& result) { heard.push_back({std::exchange(changes, {}), result}); }
  void best_changed(Side side, const DepthLevel& best) {
    EXPECT_EQ(best_levels(book)[static_cast<std::size_t>(side)], best);
    changes.push_back({side, best});
  }
};

/// Makes the named call, where there is one that takes a sink.
template <class Book, class Sink>
Result call_by_name(Book& book, const Command& c, Sink& sink) {
  switch (c.type) {
    case CommandType::AddLimit:
      return book.add_limit_order(c.id, c.side, c.price, c.quantity, c.time_in_force, sink);
    case CommandType::AddMarket: return book.add_market_order(c.id, c.side, c.quantity, sink);
    case CommandType::Modify:
      if (c.time_in_force == TimeInForce::GoodTillCancel)
        return book.modify_order(c.handle, c.price, c.quantity, sink);
      return book.modify_order(c.handle, c.price, c.quantity, c.time_in_force, sink);
    case CommandType::Replace:
      return book.replace_order(c.handle, c.id, c.price, c.quantity, c.time_in_force, sink);
    default: return book.apply(c, sink);
  }
}

/// A random stream as commands, and what is to be heard of each.
template <class Book>
struct BestScript {
  std::vector<Command> commands;
  std::vector<Heard> expected;
  std::size_t change_count = 0;

  BestScript(const Profile& profile, const BookConfig& config) {
    Book book = *Book::create(config);
    Handles handles;
    for (const Operation& operation : random_stream(profile, config, stream_width<Book>, 17)) {
      const auto before = best_levels(book);
      const Tape tape = record_tape(book, std::span(&operation, 1), handles);
      commands.push_back(tape.commands[0]);
      expected.push_back({difference(before, best_levels(book)), tape.results[0]});
      change_count += expected.back().changes.size();
    }
  }
};

template <class Book>
class BestChanged : public ::testing::Test {};
using ListenedBooks = ::testing::Types<OrderBook<64>, OrderBook<4096>, WideOrderBook<4096>, AnyPriceBook<512>>;
TYPED_TEST_SUITE(BestChanged, ListenedBooks);

TYPED_TEST(BestChanged, IsToldAfterEachCall) {
  for (const Profile& profile : {near_prices, deep_level, nearly_full_pool, wide_prices}) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    const BestScript<TypeParam> script(profile, config);
    EXPECT_GT(script.change_count, 100u);
    TypeParam named = *TypeParam::create(config);
    TypeParam applied = *TypeParam::create(config);
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      BestListeningSink<TypeParam> sink{named};
      const Result result = call_by_name(named, script.commands[i], sink);
      ASSERT_EQ((Heard{sink.changes, result}), script.expected[i]) << i;
      BestListeningSink<TypeParam> sink_of_apply{applied};
      const Result result_of_apply = applied.apply(script.commands[i], sink_of_apply);
      ASSERT_EQ((Heard{sink_of_apply.changes, result_of_apply}), script.expected[i]) << i;
    }
  }
}

TYPED_TEST(BestChanged, IsToldAReceiverRightBeforeTheResult) {
  for (const Profile& profile : {near_prices, deep_level}) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    const BestScript<TypeParam> script(profile, config);
    TypeParam book = *TypeParam::create(config);
    BestListeningReceiver<TypeParam> receiver{book};
    book.apply(script.commands, receiver, DiscardTrades{});
    EXPECT_EQ(receiver.heard, script.expected);
    EXPECT_TRUE(receiver.changes.empty());
  }
}

TYPED_TEST(BestChanged, IsToldTheSinkOfASpan) {
  const BookConfig config{.base_price = -20, .capacity = near_prices.capacity};
  const BestScript<TypeParam> script(near_prices, config);
  TypeParam book = *TypeParam::create(config);
  BestListeningSink<TypeParam> sink{book};
  std::vector<Heard> heard;
  book.apply(
      script.commands,
      [&](const Result& result) {
        heard.push_back({std::exchange(sink.changes, {}), result});
      },
      sink);
  EXPECT_EQ(heard, script.expected);
}

/// A sink that takes the index of the command as well.
struct IndexedListener {
  BestChanges changes = {};

  void operator()(const Trade&, std::size_t) const {}
  void best_changed(Side side, const DepthLevel& best) { changes.push_back({side, best}); }
};

TYPED_TEST(BestChanged, IsToldASinkThatTakesTheIndex) {
  const BookConfig config{.base_price = -20, .capacity = near_prices.capacity};
  const BestScript<TypeParam> script(near_prices, config);
  TypeParam book = *TypeParam::create(config);
  IndexedListener sink;
  std::vector<Heard> heard;
  book.apply(
      script.commands,
      [&](const Result& result) {
        heard.push_back({std::exchange(sink.changes, {}), result});
      },
      sink);
  EXPECT_EQ(heard, script.expected);
}

TYPED_TEST(BestChanged, OfAnEmptySideIsAllZero) {
  TypeParam book = *TypeParam::create({.base_price = 5, .capacity = 4});
  book.add_limit_order(1, Side::Sell, 7, 3, TimeInForce::GoodTillCancel, DiscardTrades{});
  BestListeningSink<TypeParam> sink{book};
  book.add_market_order(2, Side::Buy, 1, sink);
  EXPECT_EQ(std::exchange(sink.changes, {}), (BestChanges{{Side::Sell, {7, 2, 1}}}));
  book.add_market_order(2, Side::Buy, 3, sink);
  EXPECT_EQ(std::exchange(sink.changes, {}), (BestChanges{{Side::Sell, {0, 0, 0}}}));
  book.add_limit_order(1, Side::Sell, 7, 3, TimeInForce::GoodTillCancel, sink);
  sink.changes.clear();
  book.add_limit_order(2, Side::Buy, 7, 5, TimeInForce::GoodTillCancel, sink);
  EXPECT_EQ(std::exchange(sink.changes, {}), (BestChanges{{Side::Buy, {7, 2, 1}}, {Side::Sell, {0, 0, 0}}}))
      << "the buy side first";
  book.add_limit_order(3, Side::Buy, 6, 5, TimeInForce::GoodTillCancel, sink);
  EXPECT_EQ(sink.changes, BestChanges{}) << "behind the best";
}

}  // namespace
}  // namespace llmes::test
