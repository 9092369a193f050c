// SPDX-License-Identifier: MIT
//
// A book by ids: what each call does and refuses, and that an id is free again as soon as its order has left,
// however it left.
#include "llmes/ids/id_book.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/extremes.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/id_kinds.hpp"
#include "tests/support/print.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test::id_book_test {
namespace {

constexpr auto gtc = TimeInForce::GoodTillCancel;
constexpr auto post_only = TimeInForce::PostOnly;
constexpr auto ioc = TimeInForce::ImmediateOrCancel;
constexpr auto fok = TimeInForce::FillOrKill;

template <class Kind>
class IdBookOf : public ::testing::Test {
 protected:
  static constexpr std::size_t capacity = 6;
  using Book = BookOf<Kind, OrderBook<128>>;

  static OrderId id(std::uint64_t number) { return Kind::id(number); }

  /// Adds an order that must come to rest untouched.
  OrderHandle rest(std::uint64_t number, Side side, Price price, Quantity quantity = 5) {
    const Result result = book.add_limit_order(id(number), side, price, quantity, gtc, sink);
    EXPECT_EQ(result, rests(result.handle, quantity)) << number;
    expect_rests(number, side, price, quantity);
    return result.handle;
  }

  void expect_rests(std::uint64_t number, Side side, Price price, Quantity quantity) const {
    const OrderHandle handle = book.handle_of(id(number));
    const RestingOrder order{handle, id(number), side, price, quantity};
    EXPECT_EQ(book.find(id(number)), std::optional(order)) << number;
    EXPECT_EQ(book.book().find(handle), std::optional(order)) << number;
  }
  /// An order that has left is unknown, and another one can have its id.
  void expect_gone(std::uint64_t number) {
    EXPECT_EQ(book.find(id(number)), std::nullopt) << number;
    EXPECT_EQ(book.handle_of(id(number)), OrderHandle{}) << number;
    EXPECT_EQ(book.cancel_order(id(number)), Status::UnknownOrder) << number;
    const Snapshot before = snapshot_of(book.book());
    const Result again = book.add_limit_order(id(number), Side::Buy, 1, 1, gtc, sink);
    if (before.size == before.capacity) {
      EXPECT_EQ(again.status, Status::PoolFull);
      return;
    }
    EXPECT_EQ(again, rests(again.handle, 1)) << number;
    expect_rests(number, Side::Buy, 1, 1);
    EXPECT_EQ(book.cancel_order(id(number)), Status::Success) << number;
    EXPECT_EQ(snapshot_of(book.book()), before);
  }

  /// Makes a call that must be rejected, and change nothing.
  template <class Call>
  void expect_rejected(Status status, Call call) {
    const Snapshot before = snapshot_of(book.book());
    const std::size_t trades = sink.trades.size();
    EXPECT_EQ(call(), Result{status});
    EXPECT_EQ(snapshot_of(book.book()), before);
    EXPECT_EQ(sink.trades.size(), trades);
  }
  /// The same of a call whose result names the order, which rests on.
  template <class Call>
  void expect_rests_on(Status status, std::uint64_t number, Call call) {
    const Snapshot before = snapshot_of(book.book());
    const RestingOrder order = book.find(id(number)).value();
    const Result expected{status, order.handle, 0, order.quantity, 0, true};
    EXPECT_EQ(call(), expected);
    EXPECT_EQ(snapshot_of(book.book()), before);
    EXPECT_EQ(book.find(id(number)), std::optional(order));
  }

  RecordTrades sink;
  Book book = id_book<Kind, OrderBook<128>>({.base_price = 0, .capacity = capacity});
};

using Kinds = ::testing::Types<FromZero, UpToTheLargest, AnyNumbers>;
TYPED_TEST_SUITE(IdBookOf, Kinds);

TYPED_TEST(IdBookOf, FindsWhatRestsUntilItIsCancelled) {
  this->rest(0, Side::Buy, 40);
  this->rest(1, Side::Sell, 60);
  this->rest(2, Side::Buy, 40);
  EXPECT_EQ(this->book.book().size(), 3u);
  EXPECT_EQ(this->book.cancel_order(this->id(0)), Status::Success);
  this->expect_gone(0);
  this->expect_rests(1, Side::Sell, 60, 5);
  this->expect_rests(2, Side::Buy, 40, 5);
}

TYPED_TEST(IdBookOf, CancelTellsWhatTheOrderWas) {
  const OrderHandle handle = this->rest(1, Side::Sell, 60);
  RestingOrder cancelled{};
  EXPECT_EQ(this->book.cancel_order(this->id(2), cancelled), Status::UnknownOrder);
  EXPECT_EQ(cancelled, RestingOrder{});
  EXPECT_EQ(this->book.cancel_order(this->id(1), cancelled), Status::Success);
  EXPECT_EQ(cancelled, (RestingOrder{handle, this->id(1), Side::Sell, 60, 5}));
  this->expect_gone(1);
}

TYPED_TEST(IdBookOf, AddsNoSecondOrderOfAnId) {
  this->rest(1, Side::Buy, 40);
  this->rest(2, Side::Sell, 60);
  for (const TimeInForce time_in_force : {gtc, post_only, ioc, fok, no_time_in_force}) {
    for (const Side side : {Side::Buy, Side::Sell, no_side}) {
      this->expect_rejected(Status::DuplicateId, [&] {
        return this->book.add_limit_order(this->id(1), side, 60, 0, time_in_force, this->sink);
      });
      this->expect_rejected(Status::DuplicateId,
                            [&] { return this->book.add_market_order(this->id(1), side, 5, this->sink); });
    }
  }
  this->expect_rests(1, Side::Buy, 40, 5);
}

TYPED_TEST(IdBookOf, KnowsNoOrderThatNeverCame) {
  this->rest(1, Side::Buy, 40);
  const OrderId id = this->id(2);
  this->expect_rejected(Status::UnknownOrder, [&] { return this->book.modify_order(id, 41, 1, this->sink); });
  this->expect_rejected(Status::UnknownOrder, [&] { return this->book.modify_order(id, 41, 1, ioc, this->sink); });
  this->expect_rejected(Status::UnknownOrder,
                        [&] { return this->book.replace_order(id, this->id(1), 41, 1, this->sink); });
  this->expect_rejected(Status::UnknownOrder,
                        [&] { return this->book.replace_order(id, id, 41, 1, no_time_in_force, this->sink); });
  EXPECT_EQ(this->book.cancel_order(id), Status::UnknownOrder);
  EXPECT_EQ(this->book.reduce_order(id, 1), Status::UnknownOrder);
}

TYPED_TEST(IdBookOf, RefusesWhatTheBookRefuses) {
  const Price too_high = this->book.book().price_max() + 1;
  this->rest(1, Side::Sell, 60);
  const auto add = [&](Side side, Price price, Quantity quantity, TimeInForce time_in_force) {
    return [this, side, price, quantity, time_in_force] {
      return this->book.add_limit_order(this->id(2), side, price, quantity, time_in_force, this->sink);
    };
  };
  this->expect_rejected(Status::InvalidCommand, add(no_side, 40, 1, gtc));
  this->expect_rejected(Status::InvalidCommand, add(Side::Buy, 40, 1, no_time_in_force));
  this->expect_rejected(Status::InvalidQuantity, add(Side::Buy, 40, 0, gtc));
  this->expect_rejected(Status::PriceOutOfBand, add(Side::Buy, too_high, 1, gtc));
  this->expect_rejected(Status::WouldCross, add(Side::Buy, 60, 1, post_only));
  this->expect_rejected(Status::NotFillable, add(Side::Buy, 60, 6, fok));
  this->expect_rejected(Status::QuantityOverflow, add(Side::Sell, 60, most, gtc));
  this->expect_rejected(Status::InvalidQuantity,
                        [&] { return this->book.add_market_order(this->id(2), Side::Buy, 0, this->sink); });
  this->expect_rejected(Status::InvalidCommand,
                        [&] { return this->book.add_market_order(this->id(2), no_side, 1, this->sink); });
  this->expect_rests_on(Status::InvalidQuantity, 1,
                        [&] { return this->book.modify_order(this->id(1), 60, 0, this->sink); });
  this->expect_rests_on(Status::InvalidCommand, 1,
                        [&] { return this->book.modify_order(this->id(1), 60, 1, no_time_in_force, this->sink); });
  this->expect_rests_on(Status::PriceOutOfBand, 1, [&] {
    return this->book.replace_order(this->id(1), this->id(2), too_high, 1, this->sink);
  });
  EXPECT_EQ(this->book.reduce_order(this->id(1), 6), Status::InvalidQuantity);
  EXPECT_EQ(this->book.reduce_order(this->id(1), 0), Status::InvalidQuantity);
  if constexpr (requires { this->book.recenter(Price{}); }) {
    EXPECT_EQ(this->book.recenter(61), Status::PriceOutOfBand);
  }
  this->expect_rests(1, Side::Sell, 60, 5);
  this->expect_gone(2);
}

TYPED_TEST(IdBookOf, AMakerThatIsFilledFreesItsId) {
  const auto take = [&](std::uint64_t taker, auto call) {
    this->rest(1, Side::Sell, 60, 2);
    this->rest(2, Side::Sell, 61, 3);
    this->rest(3, Side::Sell, 62, 4);
    call(taker);
    this->expect_gone(1);
    this->expect_gone(2);
    this->expect_rests(3, Side::Sell, 62, 3);
    this->expect_gone(taker);
    EXPECT_EQ(this->book.cancel_order(this->id(3)), Status::Success);
  };
  for (const TimeInForce time_in_force : {gtc, ioc, fok}) {
    take(4, [&](std::uint64_t taker) {
      EXPECT_EQ(this->book.add_limit_order(this->id(taker), Side::Buy, 62, 6, time_in_force, this->sink), done(6));
    });
  }
  take(4, [&](std::uint64_t taker) {
    EXPECT_EQ(this->book.add_market_order(this->id(taker), Side::Buy, 6, this->sink), done(6));
  });
  take(4, [&](std::uint64_t taker) {
    this->rest(taker, Side::Buy, 40, 9);
    EXPECT_EQ(this->book.modify_order(this->id(taker), 62, 6, this->sink), done(6));
  });
  take(4, [&](std::uint64_t taker) {
    this->rest(5, Side::Buy, 40, 9);
    EXPECT_EQ(this->book.replace_order(this->id(5), this->id(taker), 62, 6, this->sink), done(6));
    this->expect_gone(5);
  });
  take(4, [&](std::uint64_t taker) {
    this->rest(taker, Side::Buy, 40, 9);
    EXPECT_EQ(this->book.replace_order(this->id(taker), this->id(taker), 62, 6, fok, this->sink), done(6));
  });
  EXPECT_EQ(this->sink.trades.size(), 7 * 3u);
}

TYPED_TEST(IdBookOf, AMakerThatIsFilledInPartKeepsItsId) {
  this->rest(1, Side::Sell, 60, 5);
  EXPECT_EQ(this->book.add_market_order(this->id(2), Side::Buy, 2, this->sink), done(2));
  this->expect_rests(1, Side::Sell, 60, 3);
  this->expect_rejected(Status::DuplicateId, [&] {
    return this->book.add_limit_order(this->id(1), Side::Sell, 60, 1, gtc, this->sink);
  });
}

TYPED_TEST(IdBookOf, ATakerThatRestsHasItsId) {
  this->rest(1, Side::Sell, 60, 5);
  const Result result = this->book.add_limit_order(this->id(2), Side::Buy, 60, 8, gtc, this->sink);
  EXPECT_EQ(result, rests(result.handle, 3, 5));
  this->expect_rests(2, Side::Buy, 60, 3);
  this->expect_gone(1);
}

TYPED_TEST(IdBookOf, AnOrderThatIsModifiedKeepsItsId) {
  const OrderHandle handle = this->rest(1, Side::Buy, 40);
  EXPECT_EQ(this->book.modify_order(this->id(1), 40, 3, this->sink), kept_place(handle, 3));
  EXPECT_EQ(this->book.modify_order(this->id(1), 41, 4, this->sink), rests(handle, 4));
  EXPECT_EQ(this->book.modify_order(this->id(1), 42, 4, post_only, this->sink), rests(handle, 4));
  this->expect_rests(1, Side::Buy, 42, 4);
  EXPECT_EQ(this->book.modify_order(this->id(1), 43, 4, ioc, this->sink), done(0, 4));
  this->expect_gone(1);
}

TYPED_TEST(IdBookOf, AReductionTellsWhatIsLeft) {
  const OrderHandle handle = this->rest(1, Side::Buy, 40);
  RestingOrder left{};
  EXPECT_EQ(this->book.reduce_order(this->id(1), 2, left), Status::Success);
  EXPECT_EQ(left, (RestingOrder{handle, this->id(1), Side::Buy, 40, 3}));
  EXPECT_EQ(this->book.reduce_order(this->id(1), 4, left), Status::InvalidQuantity);
  EXPECT_EQ(left.quantity, 3u);
  this->expect_rests(1, Side::Buy, 40, 3);
  EXPECT_EQ(this->book.reduce_order(this->id(1), 3, left), Status::Success);
  EXPECT_EQ(left.quantity, 0u);
  this->expect_gone(1);

  this->rest(2, Side::Buy, 40);
  EXPECT_EQ(this->book.reduce_order(this->id(2), 1), Status::Success);
  this->expect_rests(2, Side::Buy, 40, 4);
  EXPECT_EQ(this->book.reduce_order(this->id(2), 4), Status::Success);
  this->expect_gone(2);
}

TYPED_TEST(IdBookOf, AReplacementHasTheNewIdAlone) {
  const OrderHandle old = this->rest(1, Side::Buy, 40);
  this->rest(3, Side::Buy, 40);
  const Result result = this->book.replace_order(this->id(1), this->id(2), 40, 5, this->sink);
  EXPECT_EQ(result, rests(result.handle, 5));
  EXPECT_NE(result.handle, old);
  this->expect_gone(1);
  this->expect_rests(2, Side::Buy, 40, 5);
  EXPECT_EQ(orders_of(this->book.book(), Side::Buy).back().id, this->id(2)) << "the youngest";
}

TYPED_TEST(IdBookOf, AReplacementMayKeepTheId) {
  const OrderHandle old = this->rest(1, Side::Buy, 40);
  for (const Price price : {40, 41}) {
    const Result result = this->book.replace_order(this->id(1), this->id(1), price, 4, this->sink);
    EXPECT_EQ(result, rests(result.handle, 4));
    EXPECT_NE(result.handle, old);
    this->expect_rests(1, Side::Buy, price, 4);
  }
  EXPECT_EQ(this->book.cancel_order(this->id(1)), Status::Success);
  this->expect_gone(1);
}

TYPED_TEST(IdBookOf, AReplacementTakesNoIdOfAnotherOrder) {
  this->rest(1, Side::Buy, 40);
  this->rest(2, Side::Buy, 41);
  this->rest(3, Side::Sell, 60);
  for (const std::uint64_t other : {2u, 3u}) {
    for (const TimeInForce time_in_force : {gtc, post_only, ioc, fok, no_time_in_force}) {
      this->expect_rests_on(Status::DuplicateId, 1, [&] {
        return this->book.replace_order(this->id(1), this->id(other), 60, 0, time_in_force, this->sink);
      });
    }
  }
}

TYPED_TEST(IdBookOf, AReplacementTradesAndLeavesWhatDoesNotRest) {
  this->rest(1, Side::Buy, 40);
  this->rest(2, Side::Sell, 60, 2);
  EXPECT_EQ(this->book.replace_order(this->id(1), this->id(3), 60, 5, ioc, this->sink), done(2, 3));
  ASSERT_EQ(this->sink.trades.size(), 1u);
  EXPECT_EQ(this->sink.trades[0].taker_id, this->id(3));
  for (const std::uint64_t number : {1u, 2u, 3u}) this->expect_gone(number);
}

/// The slot of a maker that is filled goes to the replacement, as it was the last to be released.
TYPED_TEST(IdBookOf, AReplacementThatTradesAndRestsIsFound) {
  this->rest(1, Side::Buy, 40);
  const OrderHandle maker = this->rest(2, Side::Sell, 60, 2);
  const Result result = this->book.replace_order(this->id(1), this->id(3), 60, 5, this->sink);
  EXPECT_EQ(result, rests(result.handle, 3, 2));
  EXPECT_EQ(result.handle.index, maker.index);
  this->expect_rests(3, Side::Buy, 60, 3);
  this->expect_gone(1);
  this->expect_gone(2);
}

TYPED_TEST(IdBookOf, AnOrderInFrontOfAnotherIsFound) {
  this->rest(1, Side::Buy, 40);
  this->rest(2, Side::Buy, 40);
  const Result result = this->book.add_resting_order_before(this->id(2), this->id(3), 4);
  EXPECT_EQ(result, rests(result.handle, 4));
  this->expect_rests(3, Side::Buy, 40, 4);
  this->expect_rests(2, Side::Buy, 40, 5);
  EXPECT_EQ(orders_of(this->book.book(), Side::Buy)[1].id, this->id(3));
  EXPECT_EQ(this->book.cancel_order(this->id(3)), Status::Success);
  this->expect_gone(3);
}

TYPED_TEST(IdBookOf, AnOrderInFrontOfAnotherTakesNoIdThatRests) {
  this->rest(1, Side::Buy, 40);
  this->rest(2, Side::Sell, 60);
  for (const std::uint64_t taken : {1u, 2u}) {
    this->expect_rejected(Status::DuplicateId,
                          [&] { return this->book.add_resting_order_before(this->id(1), this->id(taken), 0); });
    this->expect_rejected(Status::UnknownOrder,
                          [&] { return this->book.add_resting_order_before(this->id(3), this->id(taken), 0); });
  }
  this->expect_rejected(Status::UnknownOrder,
                        [&] { return this->book.add_resting_order_before(this->id(3), this->id(3), 1); });
  this->expect_rejected(Status::InvalidQuantity,
                        [&] { return this->book.add_resting_order_before(this->id(1), this->id(3), 0); });
}

TYPED_TEST(IdBookOf, WorksWhenThePoolIsFull) {
  for (std::uint64_t number = 0; number < this->capacity; ++number) this->rest(number, Side::Sell, 60, 5);
  this->expect_rejected(Status::PoolFull, [&] {
    return this->book.add_limit_order(this->id(9), Side::Sell, 70, 1, gtc, this->sink);
  });
  this->expect_rejected(Status::DuplicateId, [&] {
    return this->book.add_limit_order(this->id(3), Side::Sell, 70, 1, gtc, this->sink);
  });
  const Result replaced = this->book.replace_order(this->id(2), this->id(7), 61, 5, this->sink);
  EXPECT_EQ(replaced, rests(replaced.handle, 5));
  EXPECT_EQ(this->book.find(this->id(2)), std::nullopt);
  EXPECT_EQ(this->book.add_limit_order(this->id(9), Side::Buy, 60, 4, gtc, this->sink), done(4));
  // The rest of it needs a slot, and has the one of the maker.
  const Result result = this->book.add_limit_order(this->id(9), Side::Buy, 61, 1'000, gtc, this->sink);
  EXPECT_EQ(result, rests(result.handle, 974, 26));
  EXPECT_EQ(this->book.book().size(), 1u);
  this->expect_rests(9, Side::Buy, 61, 974);
  for (const std::uint64_t number : {0u, 1u, 3u, 4u, 5u, 7u}) this->expect_gone(number);
}

TYPED_TEST(IdBookOf, ClearTakesASideOrAllOrdersOff) {
  const auto fill = [&] {
    for (const std::uint64_t number : {0u, 1u, 2u})
      this->rest(number, Side::Buy, 40 + static_cast<Price>(number % 2));
    for (const std::uint64_t number : {3u, 4u}) this->rest(number, Side::Sell, 60);
  };
  fill();
  EXPECT_EQ(this->book.clear(no_side), 0u);
  EXPECT_EQ(this->book.clear(Side::Buy), 3u);
  for (const std::uint64_t number : {0u, 1u, 2u}) this->expect_gone(number);
  for (const std::uint64_t number : {3u, 4u}) this->expect_rests(number, Side::Sell, 60, 5);
  EXPECT_EQ(this->book.clear(Side::Sell), 2u);
  fill();
  EXPECT_EQ(this->book.clear(), 5u);
  EXPECT_EQ(this->book.book().size(), 0u);
  for (std::uint64_t number = 0; number < 5; ++number) this->expect_gone(number);
  EXPECT_EQ(this->book.clear(), 0u);
  fill();
}

TYPED_TEST(IdBookOf, MovesItsBandIfItHasOne) {
  if constexpr (requires { this->book.recenter(Price{}); }) {
    this->rest(1, Side::Buy, 40);
    EXPECT_EQ(this->book.recenter(-50), Status::Success);
    EXPECT_EQ(this->book.book().price_min(), -50);
    this->expect_rests(1, Side::Buy, 40, 5);
    this->rest(2, Side::Buy, -50);
  }
}

TEST(IdBook, MovesABandOnlyIfItsBookHasOne) {
  const auto moves = []<class Book>(const std::type_identity<Book>&) {
    return requires(Book& book) { book.recenter(Price{}); };
  };
  EXPECT_TRUE(moves(std::type_identity<IdBook<OrderBook<128>, HashedIds>>()));
  EXPECT_FALSE(moves(std::type_identity<IdBook<AnyPriceBook<>, HashedIds>>()));
}

TYPED_TEST(IdBookOf, FindsAmongRecentIdsNoOrderOfAnotherId) {
  // Each slot changes hands among more ids than are remembered.
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (std::uint64_t number = 0; number < 90; ++number) {
      this->rest(number, Side::Buy, 40);
      if (number % 3 != 0) this->expect_gone((number + 45) % 90);
      EXPECT_EQ(this->book.cancel_order(this->id(number)), Status::Success);
      this->expect_gone(number);
    }
  }
}

TYPED_TEST(IdBookOf, MakesTheCallOfARequest) {
  const auto apply = [&](const Request& request) { return this->book.apply(request, this->sink); };
  const auto id = [&](std::uint64_t number) { return this->id(number); };
  const Result first = apply(Request::add_limit(id(1), Side::Buy, 40, 5, gtc));
  EXPECT_EQ(first, rests(first.handle, 5));
  EXPECT_EQ(apply(Request::add_limit(id(1), Side::Buy, 40, 5, gtc)), Result{Status::DuplicateId});
  EXPECT_EQ(apply(Request::add_market(id(1), Side::Sell, 5)), Result{Status::DuplicateId});
  EXPECT_EQ(apply(Request::add_market(id(2), Side::Sell, 1)), done(1));
  EXPECT_EQ(apply(Request::modify(id(1), 40, 3)), kept_place(first.handle, 3));
  EXPECT_EQ(apply(Request::modify(id(1), 40, 0)), (Result{Status::InvalidQuantity, first.handle, 0, 3, 0, true}));
  EXPECT_EQ(apply(Request::reduce(id(1), 1)), kept_place(first.handle, 2, 1));
  const Result second = apply(Request::replace(id(1), id(3), 41, 7));
  EXPECT_EQ(second, rests(second.handle, 7));
  this->expect_rests(3, Side::Buy, 41, 7);
  this->expect_gone(1);
  EXPECT_EQ(apply(Request::modify(id(3), 41, 7, ioc)), done(0, 7));
  EXPECT_EQ(apply(Request::cancel(id(3))), Result{Status::UnknownOrder});
  this->rest(4, Side::Buy, 40);
  EXPECT_EQ(apply(Request::reduce(id(4), 5)), done(0, 5));
  this->rest(4, Side::Buy, 40);
  EXPECT_EQ(apply(Request::replace(id(4), id(5), 41, 7, fok)).status, Status::NotFillable);
  EXPECT_EQ(apply(Request::cancel(id(4))), done(0, 5));
  Request none = Request::cancel(id(1));
  for (const unsigned type : {command_types, 255u}) {
    none.type = static_cast<CommandType>(type);
    EXPECT_EQ(apply(none), Result{Status::InvalidCommand});
  }
}

TYPED_TEST(IdBookOf, HasTheOrdersOfTheOneItIsMovedFrom) {
  using Book = typename TestFixture::Book;
  this->rest(1, Side::Buy, 40);
  Book moved = std::move(this->book);
  EXPECT_EQ(moved.find(this->id(1))->price, 40);
  Book& empty = this->book;
  EXPECT_EQ(empty.book().capacity(), 0u);
  EXPECT_EQ(empty.find(this->id(1)), std::nullopt);
  EXPECT_EQ(empty.cancel_order(this->id(1)), Status::UnknownOrder);
  const Status refused = empty.add_limit_order(this->id(1), Side::Buy, 40, 5, gtc, this->sink).status;
  EXPECT_TRUE(refused == Status::PoolFull || refused == Status::NoRoomForId) << refused;
  const bool has_band = empty.book().price_min() <= empty.book().price_max();
  EXPECT_EQ(empty.add_limit_order(this->id(1), Side::Buy, 40, 5, ioc, this->sink),
            has_band ? done(0, 5) : Result{Status::PoolFull});
  EXPECT_EQ(empty.clear(), 0u);
  const auto at = [&](std::size_t i) { return Request::cancel(this->id(i % 90)); };
  std::size_t unknown = 0;
  empty.apply(
      100, at, [&](const Result& result) { unknown += result.status == Status::UnknownOrder ? 1 : 0; },
      this->sink);
  EXPECT_EQ(unknown, 100u);
  empty = std::move(moved);
  this->expect_rests(1, Side::Buy, 40, 5);
  EXPECT_EQ(moved.book().capacity(), 0u);
}

// ---- Room.

TEST(IdBook, AnIdOutsideTheRangeMayTradeButNotRest) {
  using Book = IdBook<OrderBook<128>, DenseIds>;
  Book book = Book::create({.base_price = 0, .capacity = 6}, {.first = 10, .count = 10}).value();
  RecordTrades sink;
  for (const OrderId id : {OrderId{0}, OrderId{9}, OrderId{20}, largest_id}) {
    EXPECT_EQ(book.add_limit_order(id, Side::Buy, 40, 5, gtc, sink), Result{Status::NoRoomForId});
    EXPECT_EQ(book.add_limit_order(id, Side::Buy, 40, 5, post_only, sink), Result{Status::NoRoomForId});
    EXPECT_EQ(book.add_limit_order(id, no_side, 400, 0, gtc, sink), Result{Status::NoRoomForId})
        << "reported first";
    EXPECT_EQ(book.add_limit_order(id, Side::Buy, 40, 5, ioc, sink), done(0, 5));
    EXPECT_EQ(book.add_limit_order(id, Side::Buy, 40, 5, fok, sink), Result{Status::NotFillable});
    EXPECT_EQ(book.add_limit_order(id, Side::Buy, 40, 5, no_time_in_force, sink), Result{Status::InvalidCommand});
    EXPECT_EQ(book.add_market_order(id, Side::Buy, 5, sink), done(0, 5));
    EXPECT_EQ(book.cancel_order(id), Status::UnknownOrder);
    EXPECT_EQ(book.find(id), std::nullopt);

    const Result maker = book.add_limit_order(10, Side::Buy, 40, 5, gtc, sink);
    const Result rests_on{Status::NoRoomForId, maker.handle, 0, 5, 0, true};
    EXPECT_EQ(book.replace_order(10, id, 41, 5, sink), rests_on);
    EXPECT_EQ(book.replace_order(10, id, 41, 5, post_only, sink), rests_on);
    EXPECT_EQ(book.replace_order(10, id, 400, 0, sink), rests_on) << "reported first";
    EXPECT_EQ(book.add_resting_order_before(10, id, 0), Result{Status::NoRoomForId}) << "reported first";
    EXPECT_EQ(book.add_resting_order_before(11, id, 0), Result{Status::UnknownOrder});
    EXPECT_EQ(book.find(10)->price, 40);
    EXPECT_EQ(book.replace_order(10, id, 41, 5, ioc, sink), done(0, 5));
    EXPECT_EQ(book.book().size(), 0u);
  }
}

/// So that its table never fills with ids of orders that have left.
TEST(IdBook, AnIndexForgetsEachOrderThatLeaves) {
  using Book = IdBook<OrderBook<128>, HashedIds>;
  Book book = Book::create({.base_price = 0, .capacity = 3}, {}).value();
  RecordTrades sink;
  const auto add = [&](OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force = gtc) {
    return book.add_limit_order(id, side, price, quantity, time_in_force, sink).status;
  };
  const auto expect_free = [&] { EXPECT_EQ(IdInspector::entry_count(IdInspector::index(book)), 0u); };
  // Orders that do not rest have no entry.
  EXPECT_EQ(book.add_market_order(1, Side::Buy, 5, sink).status, Status::Success);
  EXPECT_EQ(add(1, Side::Buy, 40, 5, ioc), Status::Success);
  EXPECT_EQ(add(1, Side::Buy, 40, 5, fok), Status::NotFillable);
  EXPECT_EQ(add(1, Side::Buy, 128, 5), Status::PriceOutOfBand);
  expect_free();

  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(add(1, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(add(9, Side::Sell, 40, 2, ioc), Status::Success);
  EXPECT_EQ(book.replace_order(0, 2, 41, 5, sink).status, Status::Success);
  EXPECT_EQ(book.add_market_order(9, Side::Sell, 10, sink).filled, 10u);
  expect_free();

  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(add(1, Side::Sell, 40, 5), Status::Success) << "meets the last order, and does not rest";
  expect_free();
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(add(1, Side::Sell, 40, 6), Status::Success) << "the same, and rests";
  EXPECT_EQ(book.find(1)->quantity, 1u);
  EXPECT_EQ(book.replace_order(1, 1, 41, 6, sink).status, Status::Success);
  EXPECT_EQ(book.modify_order(1, 42, 6, ioc, sink).status, Status::Success);
  expect_free();
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(book.clear(Side::Buy), 1u);
  expect_free();
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(book.clear(), 1u);
  expect_free();
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(book.reduce_order(0, 5), Status::Success);
  expect_free();
  RestingOrder left;
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(book.reduce_order(0, 5, left), Status::Success);
  expect_free();
  EXPECT_EQ(add(0, Side::Buy, 40, 5), Status::Success);
  EXPECT_EQ(book.cancel_order(0, left), Status::Success);
  expect_free();
}

/// So many come and go that a hashed index uses each of its tables, and some are filled while entries move.
TEST(IdBook, FindsEachOrderHoweverManyRest) {
  constexpr OrderId most = 20'000;
  auto book = *IdBook<OrderBook<128>, HashedIds>::create({.base_price = 0, .capacity = most}, {});
  const auto no_trades = [](const Trade&) {};
  const auto id = [](std::uint64_t number) { return number * 0x9e37'79b9'7f4a'7c15; };
  const auto expect_from_to = [&](OrderId first, OrderId end, OrderId step) {
    for (OrderId number = first; number < end; number += step) {
      ASSERT_TRUE(book.find(id(number)).has_value()) << number;
      ASSERT_EQ(book.find(id(number))->id, id(number));
    }
  };
  for (int round = 0; round < 2; ++round) {
    for (OrderId number = 0; number < most; ++number) {
      ASSERT_TRUE(book.add_limit_order(id(number), Side::Buy, 60, 1, gtc, no_trades).rests());
      if (number % 10 == 9) {
        ASSERT_EQ(book.add_limit_order(id(number), Side::Buy, 60, 1, gtc, no_trades).status, Status::DuplicateId);
        const Result taken = book.add_market_order(id(most), Side::Sell, 1, no_trades);
        ASSERT_EQ(taken.status, Status::Success);
        ASSERT_EQ(book.find(id(number / 10)), std::nullopt);
      }
    }
    EXPECT_EQ(book.book().size(), most - most / 10);
    expect_from_to(most / 10, most, 1);
    for (OrderId number = most / 10; number < most; ++number) {
      if (number % 1'000 != 0) {
        ASSERT_EQ(book.cancel_order(id(number)), Status::Success);
      }
    }
    for (OrderId number = 0; number < most; ++number) {
      ASSERT_TRUE(book.add_limit_order(id(most + number), Side::Buy, 60, 1, gtc, no_trades).rests());
      ASSERT_EQ(book.cancel_order(id(most + number)), Status::Success);
      if (number % 100 == 0) expect_from_to(most / 10, most, 1'000);
    }
    EXPECT_EQ(book.clear(), (most - most / 10) / 1'000);
  }
}

TEST(IdBook, SaysWhyItMadeNone) {
  using Book = IdBook<OrderBook<128>, DenseIds>;
  const auto status_of = [](const BookConfig& config, const DenseIds::Config& ids) {
    CreateStatus status{};
    const bool made = Book::create(config, ids, status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    EXPECT_EQ(Book::create(config, ids).has_value(), made);
    return status;
  };
  EXPECT_EQ(status_of({.capacity = 1}, {0, 1}), CreateStatus::Success);
  EXPECT_EQ(status_of({.capacity = 0}, {0, 0}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.capacity = 1, .quantity_max = 0}, {0, 1}), CreateStatus::InvalidQuantityMax);
  EXPECT_EQ(status_of({.base_price = highest_price, .capacity = 1}, {0, 1}), CreateStatus::InvalidBasePrice);
  EXPECT_EQ(status_of({.capacity = 1}, {0, 0}), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of({.capacity = 1}, {2, largest_id}), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of({.capacity = 1}, {1, largest_id}), CreateStatus::OutOfMemory);
}

TEST(IdBook, HasTheLargestQuantityOfItsBook) {
  using Book = IdBook<OrderBook<128>, HashedIds>;
  Book book = Book::create({.base_price = 0, .capacity = 6, .quantity_max = 10}, {}).value();
  EXPECT_EQ(book.add_limit_order(1, Side::Buy, 40, 11, gtc, DiscardTrades{}).status, Status::InvalidQuantity);
  EXPECT_EQ(book.add_limit_order(1, Side::Buy, 40, 10, gtc, DiscardTrades{}).status, Status::Success);
}

TEST(IdBook, ARequestHasWhatTheCallTakesAndZerosElse) {
  const auto request = [](CommandType type, OrderId id, OrderId new_id, Price price, Quantity quantity, Side side,
                          TimeInForce time_in_force) {
    return Request{{id, new_id}, price, quantity, type, side, time_in_force};
  };
  constexpr auto buy = Side::Buy;
  constexpr auto sell = Side::Sell;
  using enum CommandType;
  EXPECT_EQ(Request{}, request(AddLimit, 0, 0, 0, 0, buy, gtc));
  EXPECT_EQ(Request::add_limit(1, sell, 40, 5, ioc), request(AddLimit, 1, 0, 40, 5, sell, ioc));
  EXPECT_EQ(Request::add_market(1, sell, 5), request(AddMarket, 1, 0, 0, 5, sell, gtc));
  EXPECT_EQ(Request::cancel(1), request(Cancel, 1, 0, 0, 0, buy, gtc));
  EXPECT_EQ(Request::modify(1, 40, 5), request(Modify, 1, 0, 40, 5, buy, gtc));
  EXPECT_EQ(Request::modify(1, 40, 5, fok), request(Modify, 1, 0, 40, 5, buy, fok));
  EXPECT_EQ(Request::reduce(1, 5), request(Reduce, 1, 0, 0, 5, buy, gtc));
  EXPECT_EQ(Request::replace(1, 2, 40, 5), request(Replace, 1, 2, 40, 5, buy, gtc));
  EXPECT_EQ(Request::replace(1, 2, 40, 5, fok), request(Replace, 1, 2, 40, 5, buy, fok));
  EXPECT_EQ(Request::add_resting_before(1, 2, 5), request(AddRestingBefore, 1, 2, 0, 5, buy, gtc));
}

TEST(IdBook, ARequestPrintsWhatTheCallReads) {
  const auto text = [](const auto& request) {
    std::ostringstream out;
    out << request;
    return out.str();
  };
  EXPECT_EQ(text(Request::add_limit(1, Side::Buy, -4, 5, gtc)), "AddLimit id 1, Buy, 5 at -4, GoodTillCancel");
  EXPECT_EQ(text(Request::add_market(1, Side::Sell, 5)), "AddMarket id 1, Sell, 5");
  EXPECT_EQ(text(Request::cancel(1)), "Cancel id 1");
  EXPECT_EQ(text(Request::modify(1, 40, 5, ioc)), "Modify id 1, 5 at 40, ImmediateOrCancel");
  EXPECT_EQ(text(Request::reduce(1, 5)), "Reduce id 1, 5");
  EXPECT_EQ(text(Request::replace(1, 2, 40, 5)), "Replace id 1 by id 2, 5 at 40, GoodTillCancel");
  EXPECT_EQ(text(Request::add_resting(1, Side::Buy, 40, 5)), "AddResting id 1, Buy, 5 at 40");
  EXPECT_EQ(text(BookRequest{Request::cancel(1), 12}), "book 12: Cancel id 1");
  EXPECT_EQ(text(Request::modify_resting(1, 40, 5)), "ModifyResting id 1, 5 at 40");
  EXPECT_EQ(text(Request::replace_resting(1, 2, 40, 5)), "ReplaceResting id 1 by id 2, 5 at 40");
  EXPECT_EQ(text(Request::add_resting_before(1, 2, 5)), "AddRestingBefore id 1, new id 2, 5");
}

}  // namespace
}  // namespace llmes::test::id_book_test
