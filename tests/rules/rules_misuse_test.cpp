// SPDX-License-Identifier: MIT
//
// Bad input to a book with rules: each fault has its status, and changes nothing. Of two faults the one that is
// listed first is reported.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "llmes/rules.hpp"
#include "llmes/sets.hpp"
#include "llmes/types/text.hpp"
#include "tests/support/any_ruled_book.hpp"
#include "tests/support/results.hpp"
#include "tests/support/scarce_memory.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<64, ArraySideBook, VenueRules<>>;
using Set = BasicBookSet<OrderPool, VenueRules<>>;

constexpr Quantity largest = std::numeric_limits<Quantity>::max();
constexpr TimeInForce gtc = TimeInForce::GoodTillCancel;
constexpr TimeInForce ioc = TimeInForce::ImmediateOrCancel;
constexpr TimeInForce fok = TimeInForce::FillOrKill;

/// A bid of owner 1 with 6 of 10 lots in reserve, and an ask of owner 2.
class RulesMisuse : public ::testing::Test {
 protected:
  Book book_ = *Book::create({.capacity = 8});
  OrderHandle bid_ = book_.add_resting_order(1, Side::Buy, 10, 10, reserve(4, 1)).handle;
  OrderHandle ask_ = book_.add_resting_order(2, Side::Sell, 20, 10, OrderTerms{.owner = 2}).handle;

  static OrderTerms reserve(Quantity peak, Owner owner = 0) {
    return {.owner = owner, .display = Display::Reserve, .peak = peak};
  }

  void expect_rejected(const RuledCommand& command, Status status) {
    const Snapshot before = snapshot_of(book_);
    const std::optional<RestingTerms> terms = book_.terms_of(bid_);
    RuleRecorder sink;
    const Result result = book_.apply(command, sink);
    EXPECT_EQ(result.status, status) << command;
    const bool names_an_order = moves(command.type) || command.type == CommandType::Reduce;
    if (names_an_order && book_.find(command.handle)) {
      EXPECT_EQ(result.handle, command.handle);
      EXPECT_EQ(result.remaining, 10u);
      EXPECT_TRUE(result.kept_place);
    } else {
      EXPECT_EQ(result, Result{status});
    }
    EXPECT_TRUE(sink.events.empty());
    EXPECT_EQ(snapshot_of(book_), before);
    EXPECT_EQ(book_.terms_of(bid_), terms);
  }

  /// Every command that reads all terms, with these.
  std::vector<RuledCommand> entering(const OrderTerms& terms, TimeInForce time_in_force, Quantity quantity) const {
    return {RuledCommand::add_limit(9, Side::Buy, 15, quantity, time_in_force).with(terms),
            RuledCommand::replace(bid_, 9, 15, quantity, time_in_force).with(terms)};
  }
};

TEST_F(RulesMisuse, AnUnknownModeIsAnInvalidCommand) {
  for (const int mode : {5, 6, 127, 255}) {
    const OrderTerms terms{.owner = 1, .self_trade = static_cast<SelfTrade>(mode)};
    for (const RuledCommand& command : entering(terms, gtc, 5)) {
      expect_rejected(command, Status::InvalidCommand);
    }
    expect_rejected(RuledCommand::add_market(9, Side::Buy, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::add_resting(9, Side::Buy, 15, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::modify(bid_, 15, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::modify(bid_, 10, 5).with(terms),
                    Status::InvalidCommand);  // would keep its place
    expect_rejected(RuledCommand::modify_resting(bid_, 15, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::replace_resting(bid_, 9, 15, 5).with(terms), Status::InvalidCommand);
  }
}

TEST_F(RulesMisuse, AnUnknownDisplayIsAnInvalidCommand) {
  for (const int display : {3, 4, 255}) {
    const OrderTerms terms{.display = static_cast<Display>(display), .peak = 1};
    for (const RuledCommand& command : entering(terms, gtc, 5)) expect_rejected(command, Status::InvalidCommand);
    expect_rejected(RuledCommand::add_market(9, Side::Buy, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::add_resting(9, Side::Buy, 15, 5).with(terms), Status::InvalidCommand);
    expect_rejected(RuledCommand::replace_resting(bid_, 9, 15, 5).with(terms), Status::InvalidCommand);
  }
}

TEST_F(RulesMisuse, WhatCannotRestCannotHide) {
  for (const Display display : {Display::Reserve, Display::Hidden}) {
    const OrderTerms terms{.display = display, .peak = 1};
    for (const TimeInForce time_in_force : {ioc, fok}) {
      for (const RuledCommand& command : entering(terms, time_in_force, 5)) {
        expect_rejected(command, Status::InvalidCommand);
      }
    }
    expect_rejected(RuledCommand::add_market(9, Side::Buy, 5).with(terms), Status::InvalidCommand);
  }
}

TEST_F(RulesMisuse, AMinimumIsForImmediateOrCancelAlone) {
  const OrderTerms terms{.minimum = 1};
  for (const TimeInForce time_in_force : {gtc, TimeInForce::PostOnly, fok}) {
    for (const RuledCommand& command : entering(terms, time_in_force, 5)) {
      expect_rejected(command, Status::InvalidCommand);
    }
    expect_rejected(RuledCommand::modify(bid_, 10, 5, time_in_force).with(terms), Status::InvalidCommand);
  }
  expect_rejected(RuledCommand::add_market(9, Side::Buy, 5).with(terms), Status::InvalidCommand);
  expect_rejected(RuledCommand::add_resting(9, Side::Buy, 15, 5).with(terms), Status::InvalidCommand);
  expect_rejected(RuledCommand::modify_resting(bid_, 15, 5).with(terms), Status::InvalidCommand);
  expect_rejected(RuledCommand::replace_resting(bid_, 9, 15, 5).with(terms), Status::InvalidCommand);
}

TEST_F(RulesMisuse, AReserveHasAtMostSoManyPeaks) {
  constexpr Quantity most = 1024 * 4;  // of the peak of the bid, and of these orders
  for (const RuledCommand& command : entering(reserve(4), gtc, most + 1)) {
    expect_rejected(command, Status::InvalidQuantity);
  }
  for (const RuledCommand& command : entering(reserve(4), gtc, largest)) {
    expect_rejected(command, Status::InvalidQuantity);
  }
  expect_rejected(RuledCommand::modify(bid_, 10, most + 1), Status::InvalidQuantity);
  expect_rejected(RuledCommand::modify(bid_, 1'000, most + 1), Status::InvalidQuantity);
  EXPECT_EQ(book_.add_resting_order(3, Side::Buy, 9, most, reserve(4)).status, Status::Success);
  EXPECT_EQ(book_.modify_order(bid_, 11, most, DiscardTrades{}).status, Status::Success);
}

TEST_F(RulesMisuse, APeakIsBetweenOneAndAllLots) {
  for (const Quantity peak : {Quantity{0}, Quantity{6}, largest}) {
    for (const RuledCommand& command : entering(reserve(peak), gtc, 5)) {
      expect_rejected(command, Status::InvalidQuantity);
    }
    expect_rejected(RuledCommand::add_resting(9, Side::Buy, 15, 5).with(reserve(peak)), Status::InvalidQuantity);
    expect_rejected(RuledCommand::replace_resting(bid_, 9, 15, 5).with(reserve(peak)), Status::InvalidQuantity);
  }
  // Others do not read it.
  for (const Display display : {Display::Whole, Display::Hidden}) {
    const OrderTerms terms{.display = display, .peak = 6};
    const Result result =
        book_.apply(RuledCommand::add_limit(9, Side::Buy, 15, 5, gtc).with(terms), RuleRecorder{});
    EXPECT_EQ(result.status, Status::Success);
    EXPECT_EQ(book_.terms_of(result.handle)->peak, 0u);
  }
  const OrderTerms all_shown = reserve(5);
  EXPECT_TRUE(
      book_.apply(RuledCommand::add_limit(9, Side::Buy, 15, 5, gtc).with(all_shown), RuleRecorder{}).rests());
}

/// What does not rest needs no price in the band.
TEST_F(RulesMisuse, AnImmediateReplaceMayHaveAnyPrice) {
  RuleRecorder sink;
  expect_rejected(RuledCommand::replace(bid_, 9, 1'000, 5), Status::PriceOutOfBand);
  const Result result = book_.apply(RuledCommand::replace(bid_, 9, 1'000, 5, ioc), sink);
  EXPECT_EQ(result.status, Status::Success);
  EXPECT_EQ(result.filled, 5u);
  EXPECT_EQ(book_.size(), 1u);
}

/// What trades at once needs no level.
TEST(RulesMemory, AnOrderWithoutAFarLevelDoesNotRest) {
  auto set = *Set::create({.max_books = 1, .capacity = 8, .far_levels = 0});
  std::ignore = set.add_book();
  const auto add = [&](OrderId id, Side side, Price price, Quantity quantity) {
    return set.add_limit_order(0, id, side, price, quantity, TimeInForce::GoodTillCancel, OrderTerms{.owner = 1},
                               DiscardTrades{});
  };
  ASSERT_EQ(add(1, Side::Sell, 0, 3).status, Status::Success);
  ASSERT_EQ(add(2, Side::Buy, -5, 1).status, Status::Success);
  EXPECT_EQ(add(3, Side::Sell, 1'000'000, 1).status, Status::PoolFull);
  EXPECT_EQ(add(3, Side::Buy, 1'000'000, 4).status, Status::PoolFull) << "the bid would lie beyond the window";
  EXPECT_EQ(add(3, Side::Buy, 1'000'000, 3), done(3));
  EXPECT_EQ(set.size(), 1u);
}

TEST(RulesMemory, TooLittleForAnyPartMakesNoBook) {
  expect_out_of_memory_at_each_of(4, [](CreateStatus& status) { return Book::create({.capacity = 8}, status); });
  expect_out_of_memory_at_each_of(
      8, [](CreateStatus& status) { return Set::create({.max_books = 2, .capacity = 8}, status); });
}

TEST_F(RulesMisuse, AMinimumIsAtMostAllLots) {
  for (const Quantity minimum : {Quantity{6}, largest}) {
    const OrderTerms terms{.minimum = minimum};
    for (const RuledCommand& command : entering(terms, ioc, 5)) expect_rejected(command, Status::InvalidQuantity);
    expect_rejected(RuledCommand::modify(bid_, 20, 5, ioc).with(terms), Status::InvalidQuantity);
  }
}

TEST_F(RulesMisuse, FewerLotsThanTheMinimumAreNotFillable) {
  const auto with_minimum = [](Quantity minimum) { return OrderTerms{.minimum = minimum}; };
  expect_rejected(RuledCommand::add_limit(9, Side::Buy, 20, 15, ioc).with(with_minimum(11)), Status::NotFillable);
  expect_rejected(RuledCommand::add_limit(9, Side::Buy, 19, 15, ioc).with(with_minimum(1)), Status::NotFillable);
  expect_rejected(RuledCommand::modify(bid_, 20, 15, ioc).with(with_minimum(11)), Status::NotFillable);
  expect_rejected(RuledCommand::replace(bid_, 9, 20, 15, ioc).with(with_minimum(11)), Status::NotFillable);
  const Result enough =
      book_.apply(RuledCommand::add_limit(9, Side::Buy, 20, 15, ioc).with(with_minimum(10)), RuleRecorder{});
  EXPECT_EQ(enough, (Result{Status::Success, {}, 10, 0, 5}));
}

TEST_F(RulesMisuse, OwnLotsDoNotFillOrKill) {
  for (const SelfTrade mode :
       {SelfTrade::CancelTaker, SelfTrade::CancelMaker, SelfTrade::CancelBoth, SelfTrade::Decrement}) {
    const OrderTerms terms{.owner = 2, .self_trade = mode};
    expect_rejected(RuledCommand::add_limit(9, Side::Buy, 20, 10, fok).with(terms), Status::NotFillable);
  }
}

TEST_F(RulesMisuse, TheFaultListedFirstIsReported) {
  const OrderTerms unknown_mode{.self_trade = static_cast<SelfTrade>(9), .display = Display::Reserve, .peak = 0};
  expect_rejected(RuledCommand::add_limit(9, Side::Buy, 1'000, 0, gtc).with(unknown_mode), Status::InvalidCommand);
  expect_rejected(RuledCommand::replace({}, 9, 1'000, 0, gtc).with(unknown_mode), Status::InvalidCommand);
  expect_rejected(RuledCommand::modify({}, 1'000, 0, gtc).with(unknown_mode), Status::InvalidCommand);
  expect_rejected(RuledCommand::replace({}, 9, 1'000, 5, gtc).with(reserve(0)), Status::UnknownOrder);
  expect_rejected(RuledCommand::replace(bid_, 9, 1'000, 5, gtc).with(reserve(0)), Status::InvalidQuantity);
  expect_rejected(RuledCommand::add_limit(9, Side::Buy, 1'000, 5, gtc).with(reserve(0)), Status::InvalidQuantity);
  expect_rejected(RuledCommand::add_limit(9, Side::Buy, 1'000, 5, gtc).with(reserve(1)), Status::PriceOutOfBand);
}

// ---- Owners and mass cancel.

TEST_F(RulesMisuse, ARangeUpsideDownIsAnInvalidCommand) {
  const CancelScope scope{.owner = 1, .lowest = 11, .highest = 10};
  expect_rejected(RuledCommand::mass_cancel(scope), Status::InvalidCommand);
  RuleRecorder sink;
  EXPECT_EQ(book_.mass_cancel(scope, sink), Result{Status::InvalidCommand});
  EXPECT_EQ(book_.size(), 2u);
}

TEST_F(RulesMisuse, AMassCancelOfNoSideIsAnInvalidCommand) {
  for (const int side : {2, 3, 254, 255}) {
    const CancelScope scope{.side = static_cast<Side>(side)};
    expect_rejected(RuledCommand::mass_cancel(scope), Status::InvalidCommand);
    RuleRecorder sink;
    EXPECT_EQ(book_.mass_cancel(scope, sink), Result{Status::InvalidCommand});
  }
  EXPECT_EQ(book_.size(), 2u);
}

TEST_F(RulesMisuse, AnOwnerWithoutOrdersHasNothingToCancel) {
  const Snapshot before = snapshot_of(book_);
  RuleRecorder sink;
  for (const Owner owner : {Owner{3}, std::numeric_limits<Owner>::max()}) {
    EXPECT_EQ(book_.mass_cancel({.owner = owner}, sink), Result{});
  }
  EXPECT_EQ(book_.mass_cancel({.owner = 1, .side = Side::Sell}, sink), Result{});
  EXPECT_EQ(book_.mass_cancel({.owner = 1, .lowest = 11}, sink), Result{});
  EXPECT_TRUE(sink.events.empty());
  EXPECT_EQ(snapshot_of(book_), before);

  // One who had some.
  ASSERT_EQ(book_.cancel_order(bid_), Status::Success);
  EXPECT_EQ(book_.mass_cancel({.owner = 1}, sink), Result{});
}

TEST_F(RulesMisuse, AnOwnerIsNotChangedByHisOrder) {
  const OrderTerms other{.owner = 7};
  ASSERT_EQ(book_.apply(RuledCommand::modify(bid_, 11, 9).with(other), RuleRecorder{}).status, Status::Success);
  EXPECT_EQ(book_.terms_of(bid_)->owner, 1u);
  const Result replaced = book_.apply(RuledCommand::replace(bid_, 9, 12, 9).with(other), RuleRecorder{});
  EXPECT_EQ(book_.terms_of(replaced.handle)->owner, 1u);
}

TEST(RulesMisuseOfASet, UnknownBooksAreFoundFirst) {
  Set set = *Set::create({.max_books = 2, .capacity = 4});
  ASSERT_TRUE(set.add_book());
  static_cast<void>(set.add_resting_order(0, 1, Side::Buy, 10, 10, OrderTerms{.owner = 1}));
  const std::vector<std::byte> before = state_of(set);
  RuleRecorder sink;
  for (const BookNumber book : {BookNumber{1}, BookNumber{2}, std::numeric_limits<BookNumber>::max()}) {
    const CancelScope scope{.side = static_cast<Side>(7), .lowest = 2, .highest = 1, .book = book};
    EXPECT_EQ(set.mass_cancel(scope, sink).status, Status::UnknownBook);
    EXPECT_EQ(set.apply(RuledBookCommand::mass_cancel(scope), sink).status, Status::UnknownBook);
    const OrderTerms unknown{.self_trade = static_cast<SelfTrade>(9)};
    EXPECT_EQ(set.add_resting_order(book, 2, Side::Buy, 10, 10, unknown).status, Status::UnknownBook);
  }
  EXPECT_TRUE(sink.events.empty());
  EXPECT_EQ(state_of(set), before);
}

// ---- At the limit of 64 bits.

TEST(RulesOverflow, ReservesCountOnEveryLevelOfTheBook) {
  Book book = *Book::create({.capacity = 8});
  const OrderTerms iceberg{.display = Display::Reserve, .peak = largest / 4};
  RuleRecorder sink;
  ASSERT_TRUE(book.add_resting_order(1, Side::Buy, 10, largest, iceberg).rests());
  EXPECT_EQ(book.add_resting_order(2, Side::Buy, 10, 1).status, Status::QuantityOverflow);
  // On another level the reserve alone counts.
  const Quantity shown = largest / 4;
  EXPECT_EQ(book.add_resting_order(3, Side::Sell, 20, shown + 1).status, Status::QuantityOverflow);
  EXPECT_EQ(book.add_limit_order(3, Side::Buy, 9, shown + 1, gtc, sink).status, Status::QuantityOverflow);
  EXPECT_TRUE(book.add_resting_order(3, Side::Sell, 20, shown).rests());
  EXPECT_TRUE(book.add_resting_order(4, Side::Sell, 21, shown).rests());
  EXPECT_EQ(book.add_resting_order(5, Side::Sell, 21, 1).status, Status::QuantityOverflow);
}

TEST(RulesOverflow, HiddenLotsAreReserves) {
  Book book = *Book::create({.capacity = 8});
  const OrderTerms hidden{.display = Display::Hidden};
  ASSERT_TRUE(book.add_resting_order(1, Side::Buy, 10, largest - 5, hidden).rests());
  EXPECT_EQ(book.add_resting_order(2, Side::Buy, 10, 6).status, Status::QuantityOverflow);
  EXPECT_EQ(book.add_resting_order(2, Side::Sell, 20, 6, hidden).status, Status::QuantityOverflow);
  EXPECT_TRUE(book.add_resting_order(2, Side::Sell, 20, 5, hidden).rests());
  EXPECT_EQ(book.add_resting_order(3, Side::Sell, 30, 1).status, Status::QuantityOverflow);
}

TEST(RulesOverflow, WhatTradesNeedsNoRoom) {
  Book book = *Book::create({.capacity = 8});
  RuleRecorder sink;
  ASSERT_TRUE(book.add_resting_order(1, Side::Buy, 20, largest).rests());
  ASSERT_TRUE(book.add_resting_order(2, Side::Sell, 20, 5).rests());
  EXPECT_EQ(book.add_limit_order(3, Side::Buy, 20, 6, gtc, sink).status, Status::QuantityOverflow);
  const Result filled = book.add_limit_order(3, Side::Buy, 20, 5, gtc, sink);
  EXPECT_EQ(filled, (Result{Status::Success, {}, 5}));
}

TEST(RulesOverflow, AnOrderMakesRoomForItself) {
  Book book = *Book::create({.capacity = 8});
  const OrderTerms iceberg{.display = Display::Reserve, .peak = largest / 4};
  const OrderHandle order = book.add_resting_order(1, Side::Buy, 10, largest - 3, iceberg).handle;
  EXPECT_EQ(book.modify_resting_order(order, 10, largest).status, Status::Success);
  EXPECT_EQ(book.modify_resting_order(order, 11, largest).status, Status::Success);
  EXPECT_TRUE(book.replace_resting_order(order, 2, 12, largest, iceberg).rests());
}

TEST(RulesOverflow, ReservesCountInEveryBookOfASet) {
  Set set = *Set::create({.max_books = 2, .capacity = 8});
  ASSERT_TRUE(set.add_book() && set.add_book());
  const OrderTerms hidden{.display = Display::Hidden};
  ASSERT_TRUE(set.add_resting_order(0, 1, Side::Buy, 10, largest - 5, hidden).rests());
  EXPECT_EQ(set.add_resting_order(1, 2, Side::Sell, 10, 6).status, Status::QuantityOverflow);
  EXPECT_TRUE(set.add_resting_order(1, 2, Side::Sell, 10, 5).rests());
}

TEST(RulesOverflow, CancelledLotsSaturate) {
  Book book = *Book::create({.capacity = 8});
  RuleRecorder sink;
  ASSERT_TRUE(book.add_resting_order(1, Side::Buy, 10, largest, OrderTerms{.owner = 1}).rests());
  ASSERT_TRUE(book.add_resting_order(2, Side::Buy, 11, largest, OrderTerms{.owner = 1}).rests());
  EXPECT_EQ(book.mass_cancel({.owner = 1}, sink), (Result{Status::Success, {}, 0, 0, largest}));
  ASSERT_TRUE(book.add_resting_order(1, Side::Buy, 10, largest).rests());
  ASSERT_TRUE(book.add_resting_order(2, Side::Sell, 11, 2).rests());
  EXPECT_EQ(book.mass_cancel({}, sink), (Result{Status::Success, {}, 0, 0, largest}));
}

}  // namespace
}  // namespace llmes::test
