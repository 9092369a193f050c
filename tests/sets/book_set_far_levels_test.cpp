// SPDX-License-Identifier: MIT
//
// A set with room for few levels beyond the windows of its sides: what is refused where there is none left, and
// that this changes nothing. A window has 64 prices. It begins 16 before an order that it follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/sets/book_set.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/side_test.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

class FewFarLevels : public ::testing::TestWithParam<Side> {
 protected:
  [[nodiscard]] static Side makers() { return GetParam(); }
  [[nodiscard]] static Side takers() { return opposite(GetParam()); }
  /// A price so many ticks worse for the makers than 0, or better.
  [[nodiscard]] static Price at(Price step) { return makers() == Side::Sell ? step : -step; }

  static BookSet set_with(std::size_t far_levels) {
    BookSet set = *BookSet::create({.max_books = 2, .capacity = 100, .far_levels = far_levels});
    static_cast<void>(set.add_book());
    static_cast<void>(set.add_book());
    return set;
  }

  ~FewFarLevels() override { EXPECT_EQ(broken_invariant(set), std::nullopt); }

  OrderHandle rest(Price step, Quantity quantity = 1, BookNumber book = 0) {
    const Result result = set.add_resting_order(book, 1, makers(), at(step), quantity);
    EXPECT_EQ(result, rests(result.handle, quantity)) << step;
    return result.handle;
  }
  /// Expects that `call` returns this, and changes nothing.
  template <class Call>
  void expect_no_change(const Result& expected, const Call& call) {
    const std::string before = BookInspector::image(set);
    EXPECT_EQ(call(), expected);
    EXPECT_TRUE(BookInspector::image(set) == before);
  }
  /// Each call that adds an order, or moves one there, is refused.
  void expect_full(Price step, OrderHandle moved, Quantity open) {
    const Result full{Status::PoolFull};
    const Result stays_there = stays(Status::PoolFull, moved, open);
    const Price price = at(step);
    for (const TimeInForce time_in_force : {TimeInForce::GoodTillCancel, TimeInForce::PostOnly}) {
      expect_no_change(full, [&] { return set.add_limit_order(0, 1, makers(), price, 1, time_in_force, sink); });
      expect_no_change(stays_there, [&] { return set.modify_order(moved, price, 1, time_in_force, sink); });
      expect_no_change(stays_there, [&] { return set.replace_order(moved, 9, price, 1, time_in_force, sink); });
    }
    expect_no_change(full, [&] { return set.add_resting_order(0, 1, makers(), price, 1); });
    expect_no_change(stays_there, [&] { return set.modify_resting_order(moved, price, 1); });
    expect_no_change(stays_there, [&] { return set.replace_resting_order(moved, 9, price, 1); });
    const BookCommand commands[] = {{Command::add_resting(1, makers(), price, 1), 0},
                                    {Command::modify(moved, price, 1), 0}};
    std::array<Result, 2> results;
    const std::string before = BookInspector::image(set);
    EXPECT_EQ(set.apply(commands, results, sink), 2u);
    EXPECT_EQ(results, (std::array{full, stays_there}));
    EXPECT_TRUE(BookInspector::image(set) == before);
    EXPECT_TRUE(sink.trades.empty());
  }

  BookSet set = set_with(2);
  RecordTrades sink;
};
LLMES_TEST_BOTH_SIDES(FewFarLevels);

TEST_P(FewFarLevels, AreEnoughForAllThatIsInTheWindows) {
  set = set_with(0);
  EXPECT_EQ(set.far_levels_left(), 0u);
  for (BookNumber book = 0; book < 2; ++book) {
    rest(0, 1, book);
    for (Price step = -16; step < 48; step += 3) rest(step, 1, book);
    const Result other = set.add_resting_order(book, 1, takers(), at(-5'000), 1);
    EXPECT_EQ(other.status, Status::Success) << "the other side has a window of its own";
  }
  const OrderHandle worst = rest(47);
  expect_full(48, worst, 1);
  expect_full(1'000'000, worst, 1);
  EXPECT_EQ(set.clear(0), 25u);
  rest(5'000'000);
  expect_full(5'000'048, rest(5'000'000), 1);
}

/// An order that comes to the begin of a window leaves the window where it is, also after it has traded.
TEST_P(FewFarLevels, AreNotNeededByWhatComesToTheBeginOfAWindow) {
  set = set_with(0);
  rest(0);
  rest(47);
  ASSERT_EQ(set.add_resting_order(0, 2, takers(), at(-16), 1).status, Status::Success);
  const Result crossing = set.add_limit_order(0, 3, makers(), at(-16), 3, TimeInForce::GoodTillCancel, sink);
  EXPECT_EQ(crossing, rests(crossing.handle, 2, 1));
  const Result overflow{Status::QuantityOverflow};
  expect_no_change(overflow, [&] { return set.add_resting_order(0, 4, makers(), at(-16), most); });
  expect_no_change(overflow, [&] {
    return set.add_limit_order(0, 4, makers(), at(-16), most, TimeInForce::GoodTillCancel, sink);
  });
}

TEST_P(FewFarLevels, AreTakenAndGivenBack) {
  const OrderHandle touch = rest(0, 3);
  const OrderHandle far = rest(48);
  EXPECT_EQ(set.far_levels_left(), 1u);
  const OrderHandle farther = rest(1'000);
  EXPECT_EQ(set.far_levels_left(), 0u);
  expect_full(49, touch, 3);
  expect_full(999, touch, 3);
  rest(1'000);  // joins a level
  EXPECT_EQ(set.modify_order(far, at(1'000), 1, sink).status, Status::Success);
  EXPECT_EQ(set.far_levels_left(), 1u) << "nobody is left at 48";
  rest(2'000, 1, 1);
  rest(2'000, 1, 1);
  EXPECT_EQ(set.far_levels_left(), 1u) << "a window follows into an empty side";
  rest(2'100, 1, 1);
  EXPECT_EQ(set.far_levels_left(), 0u) << "another book has taken it";
  expect_full(49, touch, 3);
  EXPECT_EQ(set.modify_order(touch, at(0), 5, sink), rests(touch, 5)) << "stays in the window";
  EXPECT_EQ(set.cancel_order(farther), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 0u) << "others are there";
  EXPECT_EQ(set.clear(1), 3u);
  rest(49);
}

/// A level ahead of the window takes room for one, and the window stays where it is, until a second order comes
/// there.
TEST_P(FewFarLevels, HoldOneLevelAheadOfTheWindow) {
  set = set_with(10);
  for (Price step = 0; step < 48; step += 5) rest(step);
  const OrderHandle quote = rest(-1'000, 2);
  EXPECT_EQ(set.far_levels_left(), 9u);
  EXPECT_EQ(set.book(0)->best(makers()), at(-1'000));
  EXPECT_EQ(set.best_or(0, makers(), 7), at(-1'000));
  EXPECT_EQ(depth_of(*set.book(0), makers()).size(), 11u);
  EXPECT_EQ(set.add_limit_order(0, 2, takers(), at(-1'000), 1, TimeInForce::ImmediateOrCancel, sink), done(1));
  expect_no_change(Result{Status::QuantityOverflow},
                   [&] { return set.add_resting_order(0, 1, makers(), at(-1'000), most); });
  EXPECT_EQ(set.cancel_order(quote), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 10u);
  EXPECT_EQ(set.book(0)->best(makers()), at(0));

  const OrderHandle first = rest(-1'000);
  const OrderHandle second = rest(-1'000);
  EXPECT_EQ(set.far_levels_left(), 9u) << "no room for the ten levels of the window";
  EXPECT_EQ(set.cancel_order(second), Status::Success);
  rest(0, 1, 1);
  EXPECT_EQ(broken_invariant(set), std::nullopt);
  EXPECT_EQ(set.cancel_order(first), Status::Success);
  EXPECT_EQ(set.clear(0, makers()), 10u);
}

TEST_P(FewFarLevels, AreTakenWhenTheWindowMovesToALevelAhead) {
  set = set_with(12);
  for (Price step = 0; step < 48; step += 5) rest(step);
  const OrderHandle first = rest(-3'000);
  for (const Price step : {-5'000, -1'000}) {
    EXPECT_EQ(set.modify_order(first, at(step), 1, sink), rests(first, 1));
    EXPECT_EQ(set.far_levels_left(), 11u) << "the window stays";
    EXPECT_EQ(broken_invariant(set), std::nullopt);
  }
  const OrderHandle second = rest(-1'000);
  EXPECT_EQ(set.far_levels_left(), 2u) << "its second order takes the window along";
  EXPECT_EQ(set.cancel_order(first), Status::Success);
  EXPECT_EQ(set.cancel_order(second), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 12u) << "the window is back";

  const OrderHandle worse = rest(-1'000);
  const OrderHandle better = rest(-2'000);
  EXPECT_EQ(set.far_levels_left(), 1u) << "the window is at the worse one, and the better one is held";
  EXPECT_EQ(set.book(0)->best(makers()), at(-2'000));
  EXPECT_EQ(set.cancel_order(better), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 2u);
  EXPECT_EQ(set.book(0)->best(makers()), at(-1'000));
  EXPECT_EQ(set.cancel_order(worse), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 12u);

  rest(-2'000);
  const OrderHandle between = rest(-1'000);
  EXPECT_EQ(set.far_levels_left(), 1u) << "the same the other way round";
  EXPECT_EQ(broken_invariant(set), std::nullopt);
  EXPECT_EQ(set.cancel_order(between), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 2u) << "an empty window takes in the level that is held";
  EXPECT_EQ(set.book(0)->best(makers()), at(-2'000));
}

/// Levels fall out of the window when it follows a better order: as many as must are found room for, or none. One
/// that is still better is held.
TEST_P(FewFarLevels, DecideHowFarTheTouchMayJump) {
  constexpr std::array<Price, 5> levels{0, 1, 20, 33, 47};
  for (Price distance = 17; distance <= 120; ++distance) {
    set = set_with(4);
    std::vector<OrderHandle> orders;
    for (const Price level : levels) orders.push_back(rest(level, 2));
    rest(-100'000);
    rest(500, 1, 1);
    const OrderHandle other = rest(900, 1, 1);  // two of the four are taken
    const Price last = -distance + 47;
    const auto beyond = std::ranges::count_if(levels, [=](Price level) { return level > last; });
    if (beyond > 2) {
      expect_full(-distance, orders[0], 2);
      EXPECT_EQ(set.cancel_order(other), Status::Success);
      if (beyond > 3) {
        expect_full(-distance, orders[2], 2);
        continue;
      }
    }
    const OrderHandle best = rest(-distance);
    EXPECT_EQ(set.book(0)->best(makers()), at(-100'000));
    ASSERT_EQ(broken_invariant(set), std::nullopt) << distance;
    EXPECT_EQ(depth_of(*set.book(0), makers()).size(), levels.size() + 2);
    EXPECT_EQ(set.cancel_order(best), Status::Success);
    ASSERT_EQ(broken_invariant(set), std::nullopt) << distance;
    EXPECT_EQ(depth_of(*set.book(0), makers()).size(), levels.size() + 1);
  }
}

/// The best order of a window goes, and those behind it come into the window: they need no room any more.
TEST_P(FewFarLevels, AreFreeAgainWhenTheWindowFollowsBack) {
  const OrderHandle touch = rest(0);
  rest(100);
  rest(120);
  EXPECT_EQ(set.far_levels_left(), 0u);
  EXPECT_EQ(set.cancel_order(touch), Status::Success);
  EXPECT_EQ(set.far_levels_left(), 2u);
  rest(200);
  rest(300);
  expect_full(400, rest(101), 1);
}

/// An order that leaves its level may need another one all the same: that its own will be free is not counted on.
TEST_P(FewFarLevels, AreNotNeededByMostMovesWithinTheWindow) {
  const OrderHandle touch = rest(0, 3);
  rest(100);
  const OrderHandle far = rest(140);
  for (const Price step : {47, 60, 40}) {
    EXPECT_EQ(set.modify_resting_order(touch, at(step), 3).status, Status::Success) << step;
    EXPECT_EQ(broken_invariant(set), std::nullopt) << step;
  }
  EXPECT_EQ(set.far_levels_left(), 1u) << "the two far ones have the window now, and the touch is held";
  rest(5'000, 1, 1);
  rest(9'000, 1, 1);
  expect_full(500, far, 1);
  expect_full(-16, touch, 3);
  EXPECT_EQ(set.modify_order(far, at(90), 2, sink), rests(far, 2));
  EXPECT_EQ(set.far_levels_left(), 0u);
}

/// An order leaves, and the window follows the one that stays, at its end; then the order comes to its begin, and
/// the window comes back without that one.
TEST_P(FewFarLevels, MayBeNeededByAnOrderThatMovesWithinTheWindow) {
  set = set_with(0);
  const OrderHandle other = rest(5'000, 9, 1);
  const OrderHandle touch = rest(0);
  const OrderHandle best = rest(-16, 2);
  rest(47);
  EXPECT_EQ(set.cancel_order(touch), Status::Success);
  for (const Price price : {at(-16), at(-15), at(-1)}) {
    const Result refused = stays(Status::PoolFull, best, 2);
    expect_no_change(refused, [&] { return set.modify_order(best, price, 3, sink); });
    expect_no_change(refused, [&] { return set.modify_resting_order(best, price, 3); });
    expect_no_change(refused, [&] { return set.replace_order(best, 9, price, 2, sink); });
    expect_no_change(refused, [&] { return set.replace_resting_order(best, 9, price, 2); });
  }
  EXPECT_EQ(set.find(other)->quantity, 9u);
  EXPECT_EQ(set.modify_order(best, at(-16), 1, sink).status, Status::Success) << "keeps its place";
  EXPECT_EQ(set.modify_order(best, at(0), 2, sink), rests(best, 2)) << "the other one stays in the window";
}

/// The anchor of a place goes away with its level, and comes to another place. It must not be taken there for what
/// it was, nor for a level at the best price of all.
TEST_P(FewFarLevels, GiveTheirAnchorsToOtherPlaces) {
  const auto add = [&](Price ticks_worse) {
    const Price price =
        makers() == Side::Sell ? std::numeric_limits<Price>::min() + ticks_worse : highest_price - ticks_worse;
    const Result result = set.add_resting_order(0, 1, makers(), price, 1);
    EXPECT_EQ(result, rests(result.handle, 1)) << ticks_worse;
    EXPECT_EQ(broken_invariant(set), std::nullopt) << ticks_worse;
    return result.handle;
  };
  const OrderHandle at_64 = add(64);
  const OrderHandle at_0 = add(0);
  EXPECT_EQ(set.cancel_order(at_64), Status::Success);
  EXPECT_EQ(set.cancel_order(at_0), Status::Success);
  const OrderHandle at_200 = add(200);
  const OrderHandle at_100 = add(100);
  EXPECT_EQ(set.cancel_order(at_200), Status::Success);
  EXPECT_EQ(set.cancel_order(at_100), Status::Success);
  add(0);
  add(8);
  add(64);
  EXPECT_EQ(set.book(0)->size(), 3u);
  EXPECT_EQ(depth_of(*set.book(0), makers()).size(), 3u);
}

/// A taker that would leave nothing needs no level; one that would is refused before it trades.
TEST_P(FewFarLevels, AreNotNeededByAnOrderThatTradesCompletely) {
  for (const Price step : {-40, -60, -70, -75}) {
    ASSERT_EQ(set.add_resting_order(0, 2, takers(), at(step), 1).status, Status::Success);
  }
  rest(0, 5);
  set.clear(1);
  rest(500, 1, 1);
  rest(700, 1, 1);
  rest(900, 1, 1);
  ASSERT_EQ(set.far_levels_left(), 0u);
  const Result resting = set.add_resting_order(0, 3, takers(), at(-50), 9);
  const OrderHandle mover = resting.handle;
  const Result full{Status::PoolFull};
  expect_no_change(
      full, [&] { return set.add_limit_order(0, 4, takers(), at(20), 6, TimeInForce::GoodTillCancel, sink); });
  expect_no_change(stays(Status::PoolFull, mover, 9), [&] { return set.modify_order(mover, at(20), 6, sink); });
  expect_no_change(stays(Status::PoolFull, mover, 9),
                   [&] { return set.replace_order(mover, 9, at(20), 6, sink); });
  expect_no_change(stays(Status::PoolFull, mover, 9), [&] { return set.modify_resting_order(mover, at(20), 1); });
  EXPECT_TRUE(sink.trades.empty());
  EXPECT_EQ(set.add_limit_order(0, 4, takers(), at(20), 1, TimeInForce::GoodTillCancel, sink), done(1));
  EXPECT_EQ(set.add_limit_order(0, 4, takers(), at(20), 1, TimeInForce::FillOrKill, sink), done(1));
  EXPECT_EQ(set.modify_order(mover, at(20), 1, sink), done(1));
  EXPECT_EQ(set.add_limit_order(0, 4, takers(), at(20), 9, TimeInForce::ImmediateOrCancel, sink), done(2, 7));
  EXPECT_EQ(sink.trades.size(), 4u);
}

/// Faults are reported in the order in which the calls list them.
TEST_P(FewFarLevels, AreAskedForLast) {
  const OrderHandle touch = rest(0, 3);
  rest(100, most);
  rest(200);
  ASSERT_EQ(set.add_resting_order(0, 2, takers(), at(-5), 1).status, Status::Success);
  const auto add = [&](Side side, Price price, Quantity quantity, TimeInForce time_in_force) {
    return set.add_limit_order(0, 1, side, price, quantity, time_in_force, sink).status;
  };
  const auto rests_too = TimeInForce::GoodTillCancel;
  EXPECT_EQ(add(makers(), at(300), 1, rests_too), Status::PoolFull);
  EXPECT_EQ(add(no_side, at(300), 1, rests_too), Status::InvalidCommand);
  EXPECT_EQ(add(makers(), at(300), 0, rests_too), Status::InvalidQuantity);
  EXPECT_EQ(add(makers(), std::numeric_limits<Price>::max(), 1, rests_too), Status::PriceOutOfBand);
  EXPECT_EQ(add(makers(), at(100), 1, rests_too), Status::QuantityOverflow) << "the level is there";
  EXPECT_EQ(add(makers(), at(-200), 1, TimeInForce::PostOnly), Status::WouldCross);
  EXPECT_EQ(add(makers(), at(-200), 5, TimeInForce::FillOrKill), Status::NotFillable);
  EXPECT_EQ(set.modify_order(touch, at(300), 0, sink).status, Status::InvalidQuantity);
  EXPECT_EQ(set.modify_order(touch, at(300), 1, no_time_in_force, sink).status, Status::InvalidCommand);
  EXPECT_EQ(set.replace_order(touch, 2, at(-200), 5, TimeInForce::FillOrKill, sink).status, Status::NotFillable);
  EXPECT_EQ(set.replace_order(touch, 2, at(100), 1, sink).status, Status::QuantityOverflow);
  EXPECT_EQ(set.replace_order({}, 2, at(300), 1, sink).status, Status::UnknownOrder);
}

// ---- At random.

/// The handle of the same order in a set whose slots for orders begin so much later.
OrderHandle later(OrderHandle handle, std::uint32_t slots) {
  return handle == OrderHandle{} ? handle : OrderHandle{handle.index + slots, handle.generation};
}
Result later(Result result, std::uint32_t slots) {
  result.handle = later(result.handle, slots);
  return result;
}
std::vector<Trade> later(std::vector<Trade> trades, std::uint32_t slots) {
  for (Trade& trade : trades) trade.maker_handle = later(trade.maker_handle, slots);
  return trades;
}
Snapshot later(Snapshot snapshot, std::uint32_t slots) {
  for (auto* orders : {&snapshot.bids, &snapshot.asks}) {
    for (RestingOrder& order : *orders) order.handle = later(order.handle, slots);
  }
  return snapshot;
}

/// Two sets get the same calls, one with few far levels and one with plenty. Whatever the first one does, it does
/// as the other; when it has no room it has changed nothing, and the other one is not asked.
TEST(FewFarLevelsAtRandom, DoAsPlentyOrNothing) {
  constexpr std::size_t books = 3;
  constexpr std::size_t capacity = 60;
  for (std::uint64_t seed = 1; seed <= repetitions(15u); ++seed) {
    const std::size_t far_levels = std::array{0u, 1u, 3u, 10u, 25u}[seed % 5];
    BookSet few = *BookSet::create({.max_books = books, .capacity = capacity, .far_levels = far_levels});
    BookSet plenty = *BookSet::create({.max_books = books, .capacity = capacity});
    BookSet tried = *BookSet::create({.max_books = books, .capacity = capacity});
    const std::uint32_t slots = BookInspector::first_order_slot(plenty) - BookInspector::first_order_slot(few);
    std::vector<FarCommands> commands;
    for (BookNumber book = 0; book < books; ++book) {
      EXPECT_EQ(few.add_book(), plenty.add_book());
      commands.emplace_back(100 * seed + book);
    }
    Random random(seed);
    std::size_t refused = 0;
    std::size_t rested = 0;
    for (int i = 0; i < 4'000; ++i) {
      const auto book = static_cast<BookNumber>(random.below(books));
      const Command command = commands[book].next();
      const std::string before = BookInspector::image(few);
      const std::size_t left = few.far_levels_left();
      RecordTrades trades_of_few;
      RecordTrades trades_of_plenty;
      const Result result = few.apply({command, book}, trades_of_few);
      if (result.status != Status::Success) {
        ASSERT_TRUE(BookInspector::image(few) == before) << command;
      }
      Command same = command;
      same.handle = later(command.handle, slots);
      if (result.status == Status::PoolFull) {
        BookInspector::copy(plenty, tried);
        if (tried.apply({same, book}, trades_of_plenty).status == Status::PoolFull) continue;
        ASSERT_LT(left, PoolView::window) << "a window cannot leave more levels behind";
        ASSERT_TRUE(trades_of_few.trades.empty());
        ++refused;
        continue;
      }
      ASSERT_EQ(plenty.apply({same, book}, trades_of_plenty), later(result, slots)) << command;
      ASSERT_EQ(trades_of_plenty.trades, later(trades_of_few.trades, slots)) << command;
      if (result.status == Status::Success && result.rests()) {
        commands[book].note(result.handle);
        ++rested;
      }
      if (i % 8 != 0) continue;
      ASSERT_EQ(broken_invariant(few), std::nullopt) << command;
      for (BookNumber number = 0; number < books; ++number) {
        ASSERT_EQ(later(snapshot_of(*few.book(number)), slots), snapshot_of(*plenty.book(number))) << command;
      }
    }
    EXPECT_GT(refused, 100u) << far_levels;
    EXPECT_GT(rested, 400u) << far_levels;
    few.clear();
    EXPECT_EQ(few.far_levels_left(), far_levels);
  }
}

}  // namespace
}  // namespace llmes::test
