// SPDX-License-Identifier: MIT
//
// A book by ids that puts work off, beside one that does not: whatever is put off, both give the same answers, and
// lead to the same orders in the end. What it does beyond that: when an order waits, and when none does.
#include "llmes/ids/lazy_id_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

constexpr auto gtc = TimeInForce::GoodTillCancel;
constexpr auto post_only = TimeInForce::PostOnly;
constexpr auto ioc = TimeInForce::ImmediateOrCancel;

using Eager = IdBook<OrderBook<128>, HashedIds>;
using Lazy = LazyIdBook<OrderBook<128>, HashedIds>;

struct Listener {
  std::vector<OrderId> gone;
  void operator()(const Result&) const {}
  void cancelled(const RestingOrder& order) { gone.push_back(order.id); }
};

class LazyIdBookTest : public ::testing::Test {
 protected:
  static constexpr std::size_t capacity = 8;
  static constexpr BookConfig config{.base_price = 0, .capacity = capacity, .quantity_max = 1'000};

  /// Makes a call on both books.
  Result apply(const Request& request) {
    RecordTrades expected_trades;
    RecordTrades trades;
    const Result expected = eager.apply(request, expected_trades);
    const Result result = lazy.apply(request, trades);
    EXPECT_EQ(result, expected) << request;
    EXPECT_EQ(trades.trades, expected_trades.trades) << request;
    return result;
  }
  Result add(OrderId id, Side side, Price price, Quantity quantity = 5, TimeInForce time_in_force = gtc) {
    return apply(Request::add_limit(id, side, price, quantity, time_in_force));
  }

  /// Makes another call on both.
  template <class Call>
  void on_both(const Call& call) {
    EXPECT_EQ(call(lazy), call(eager));
  }

  [[nodiscard]] bool waits() const { return IdInspector::waits(lazy); }
  void expect_waiting(bool expected) const { EXPECT_EQ(waits(), expected); }

  /// Looks at the books, which settles the lazy one.
  void expect_same() {
    EXPECT_EQ(snapshot_of(lazy.book()), snapshot_of(eager.book()));
    EXPECT_EQ(IdInspector::entry_count(IdInspector::index(lazy)), lazy.book().size());
    EXPECT_FALSE(waits());
    EXPECT_EQ(IdInspector::filled_count(lazy), 0u);
  }

  Eager eager = Eager::create(config, {}).value();
  Lazy lazy = Lazy::create(config, {}).value();
};

TEST_F(LazyIdBookTest, AnOrderThatOnlyRestsWaitsUntilTheNextCall) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const TimeInForce time_in_force : {gtc, post_only}) {
      add(1, side, 64, 5, time_in_force);
      expect_waiting(true);
      apply(Request::cancel(1));
      expect_waiting(false);
      EXPECT_EQ(add(2, side, 64, 5, ioc), done(0, 5));
      expect_waiting(false);
    }
  }
  const OrderHandle first = add(1, Side::Buy, 60).handle;
  const OrderHandle second = add(2, Side::Buy, 60).handle;
  EXPECT_NE(first, second);
  apply(Request::cancel(3));
  expect_waiting(false);
  expect_same();
}

TEST_F(LazyIdBookTest, ACancelOfTheOrderThatWaitsLeavesItsHandleOut) {
  const OrderHandle first = add(1, Side::Buy, 60).handle;
  EXPECT_EQ(apply(Request::cancel(1)), done(0, 5));
  EXPECT_EQ(apply(Request::cancel(1)), Result{Status::UnknownOrder});
  EXPECT_EQ(lazy.book().find(first), std::nullopt);
  EXPECT_EQ(std::ranges::count(IdInspector::recent(lazy), first.index), 0) << "it has never come to its place";
  const OrderHandle second = add(1, Side::Buy, 60).handle;
  EXPECT_EQ(second.index, first.index);
  EXPECT_EQ(second.generation, first.generation + 2);
  expect_same();
  EXPECT_EQ(std::ranges::count(IdInspector::recent(lazy), second.index), 1);
}

TEST_F(LazyIdBookTest, AChangeOfTheOrderThatWaitsIsNoted) {
  add(9, Side::Sell, 70);
  const OrderHandle handle = add(1, Side::Buy, 60, 5).handle;
  EXPECT_EQ(apply(Request::modify(1, 60, 4)), kept_place(handle, 4));
  EXPECT_EQ(apply(Request::modify(1, 60, 5)), rests(handle, 5));
  EXPECT_EQ(apply(Request::modify(1, 61, 5, post_only)), rests(handle, 5));
  expect_waiting(true);
  EXPECT_EQ(apply(Request::modify(1, 61, 5)), kept_place(handle, 5));
  EXPECT_EQ(apply(Request::cancel(1)), done(0, 5));
  add(1, Side::Buy, 60, 5);
  apply(Request::modify(1, 62, 3));
  expect_same();
}

TEST_F(LazyIdBookTest, ARequestThatDoesMorePutsItInItsPlaceFirst) {
  const std::vector<Request> requests{
      Request::modify(1, 70, 5),  // trades
      Request::modify(1, 70, 5, post_only),
      Request::modify(1, 60, 5, ioc),
      Request::modify(1, 60, 0),
      Request::modify(1, 60, 1'001),
      Request::modify(1, 128, 5),
      Request::modify(1, -1, 5),
      Request::modify(1, 60, 5, static_cast<TimeInForce>(4)),
      Request::modify_resting(1, 61, 5),
      Request::reduce(1, 2),
      Request::reduce(1, 5),
      Request::replace(1, 2, 61, 5),
      Request::replace(1, 1, 60, 5),
      Request::replace_resting(1, 2, 70, 5),
      Request::add_limit(1, Side::Buy, 60, 5, gtc),  // a duplicate
      Request::add_limit(2, Side::Buy, 60, 5, gtc),
      Request::add_limit(2, Side::Sell, 60, 3, gtc),
      Request::add_market(1, Side::Sell, 3),
      Request::add_market(2, Side::Sell, 3),
      Request::add_resting(1, Side::Buy, 60, 3),
      Request::add_resting(2, Side::Sell, 60, 3),
      Request::cancel(2),
      Request::cancel(9),
  };
  for (const Request& request : requests) {
    SCOPED_TRACE(request);
    add(9, Side::Sell, 70);
    add(8, Side::Sell, 71);
    add(1, Side::Buy, 60);
    expect_waiting(true);
    apply(request);
    EXPECT_EQ(waits(), request == Request::add_limit(2, Side::Buy, 60, 5, gtc));
    expect_same();
    EXPECT_EQ(lazy.clear(), eager.clear());
    expect_same();
  }
}

TEST_F(LazyIdBookTest, NoOrderWaitsThatIsRejected) {
  add(1, Side::Sell, 70);
  EXPECT_EQ(add(1, Side::Sell, 71), Result{Status::DuplicateId});
  expect_waiting(false);
  EXPECT_EQ(add(2, Side::Sell, 71, 0), Result{Status::InvalidQuantity});
  EXPECT_EQ(add(2, Side::Sell, 71, 1'001), Result{Status::InvalidQuantity});
  EXPECT_EQ(add(2, Side::Sell, 128), Result{Status::PriceOutOfBand});
  EXPECT_EQ(add(2, Side::Sell, -1), Result{Status::PriceOutOfBand});
  EXPECT_EQ(add(2, Side::Buy, 70, 5, post_only), Result{Status::WouldCross});
  EXPECT_EQ(add(2, static_cast<Side>(2), 60), Result{Status::InvalidCommand});
  EXPECT_EQ(add(2, Side::Buy, 60, 5, static_cast<TimeInForce>(4)), Result{Status::InvalidCommand});
  expect_waiting(false);
  for (OrderId id = 2; id <= capacity; ++id) add(id, Side::Buy, 60);
  expect_waiting(true);
  EXPECT_EQ(add(100, Side::Buy, 60), Result{Status::PoolFull});
  expect_waiting(false);
  expect_same();
}

TEST_F(LazyIdBookTest, AnIdThatItsIndexHasNoRoomForDoesNotWait) {
  using Book = LazyIdBook<OrderBook<128>, DenseIds>;
  Book book = Book::create(config, {.first = 10, .count = 10}).value();
  EXPECT_EQ(book.add_limit_order(9, Side::Buy, 60, 5, gtc, DiscardTrades{}), Result{Status::NoRoomForId});
  EXPECT_FALSE(IdInspector::waits(book));
  EXPECT_TRUE(book.add_limit_order(10, Side::Buy, 60, 5, gtc, DiscardTrades{}).rests());
  EXPECT_TRUE(IdInspector::waits(book));
}

TEST_F(LazyIdBookTest, EveryQueryFindsTheOrderThatWaits) {
  const OrderHandle handle = add(1, Side::Buy, 60).handle;
  EXPECT_EQ(lazy.book().best_bid(), 60);
  expect_waiting(false);
  std::ignore = lazy.cancel_order(1);
  EXPECT_EQ(eager.cancel_order(1), Status::Success);

  const OrderHandle again = add(1, Side::Buy, 60).handle;
  EXPECT_NE(again, handle);
  EXPECT_EQ(lazy.find(1), (RestingOrder{again, 1, Side::Buy, 60, 5}));
  expect_waiting(false);
  add(2, Side::Buy, 61);
  EXPECT_EQ(lazy.handle_of(2), eager.handle_of(2));
  expect_waiting(false);
  add(3, Side::Buy, 61);
  EXPECT_EQ(lazy.clear(Side::Sell), 0u);
  expect_waiting(false);
  add(4, Side::Buy, 61);
  EXPECT_EQ(lazy.recenter(-10), Status::Success);
  EXPECT_EQ(eager.recenter(-10), Status::Success);
  expect_waiting(false);
  add(5, Side::Buy, 61);
  EXPECT_EQ(lazy.clear(Side::Buy), 5u);
  EXPECT_EQ(eager.clear(Side::Buy), 5u);
  expect_same();
}

TEST_F(LazyIdBookTest, CallsByNameLeaveAnOrderWaitingToo) {
  EXPECT_TRUE(lazy.add_limit_order(1, Side::Buy, 60, 5, gtc, DiscardTrades{}).rests());
  expect_waiting(true);
  EXPECT_EQ(lazy.modify_order(1, 61, 5, DiscardTrades{}).remaining, 5u);
  expect_waiting(true);
  EXPECT_EQ(lazy.cancel_order(1), Status::Success);
  expect_waiting(false);

  std::ignore = lazy.add_limit_order(1, Side::Buy, 60, 5, gtc, DiscardTrades{});
  RestingOrder order{};
  EXPECT_EQ(lazy.cancel_order(1, order), Status::Success);
  EXPECT_EQ(order.price, 60);
  std::ignore = lazy.add_limit_order(1, Side::Buy, 60, 5, gtc, DiscardTrades{});
  EXPECT_EQ(lazy.reduce_order(1, 2, order), Status::Success);
  EXPECT_EQ(order.quantity, 3u);
  EXPECT_EQ(lazy.book().size(), 1u);
}

TEST_F(LazyIdBookTest, ForgetsFilledMakersWhenAnOrderIsPlacedOrDropped) {
  for (const bool dropped : {false, true}) {
    for (OrderId id = 1; id <= 3; ++id) add(id, Side::Buy, 60, 1);
    EXPECT_EQ(apply(Request::add_market(9, Side::Sell, 2)), done(2));
    EXPECT_EQ(IdInspector::filled_count(lazy), 2u);
    EXPECT_EQ(apply(Request::cancel(1)), Result{Status::UnknownOrder});
    EXPECT_TRUE(add(2, Side::Buy, 60).rests()) << "its id is free again";
    EXPECT_EQ(IdInspector::filled_count(lazy), 2u);
    apply(Request::cancel(dropped ? 2 : 1));
    EXPECT_EQ(IdInspector::filled_count(lazy), 0u);
    expect_same();
    EXPECT_EQ(lazy.clear(), eager.clear());
  }
}

TEST(LazyIdBook, HasRoomForFilledMakersHoweverSmallItIs) {
  for (std::size_t capacity = 1; capacity <= 30; ++capacity) {
    const BookConfig config{.base_price = 0, .capacity = capacity};
    Eager eager = Eager::create(config, {}).value();
    Lazy lazy = Lazy::create(config, {}).value();
    OrderId next = 1;
    const auto apply = [&](const Request& request) {
      ASSERT_EQ(lazy.apply(request, DiscardTrades{}), eager.apply(request, DiscardTrades{}));
    };
    for (int round = 0; round < 200; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) apply(Request::add_limit(next++, Side::Buy, 60, 1, gtc));
      apply(Request::add_limit(next++, Side::Sell, 60, capacity + 1, gtc));  // fills all, and rests
      apply(Request::add_market(next++, Side::Buy, 1));
    }
    EXPECT_EQ(lazy.book().size(), 0u);
    EXPECT_EQ(IdInspector::entry_count(IdInspector::index(lazy)), 0u);
  }
}

TEST(LazyIdBook, ForgetsMoreFilledMakersThanItNotes) {
  constexpr BookConfig config{.base_price = 0, .capacity = 100};
  Eager eager = Eager::create(config, {}).value();
  Lazy lazy = Lazy::create(config, {}).value();
  for (OrderId id = 1; id <= 100; ++id) {
    const Request add = Request::add_limit(id, Side::Buy, static_cast<Price>(id), 1, gtc);
    EXPECT_EQ(lazy.apply(add, DiscardTrades{}), eager.apply(add, DiscardTrades{}));
  }
  // A full pool: the taker rests in the place of a maker.
  for (const Request& request : {Request::add_limit(200, Side::Sell, 31, 90, gtc), Request::cancel(31),
                                 Request::add_market(201, Side::Sell, 100)}) {
    EXPECT_EQ(lazy.apply(request, DiscardTrades{}), eager.apply(request, DiscardTrades{}));
  }
  EXPECT_EQ(snapshot_of(lazy.book()), snapshot_of(eager.book()));
  EXPECT_EQ(IdInspector::entry_count(IdInspector::index(lazy)), lazy.book().size());
}

// ---- What an order crosses.

TEST_F(LazyIdBookTest, AnOrderWaitsWhereTheBestLevelWasBeforeItLeft) {
  RestingOrder order{};
  Listener listener;
  const std::vector<std::function<void()>> calls{
      [&] { apply(Request::cancel(1)); },
      [&] { apply(Request::add_market(9, Side::Buy, 5)); },
      [&] { add(9, Side::Buy, 70); },
      [&] { apply(Request::modify(1, 72, 5)); },
      [&] { apply(Request::reduce(1, 5)); },
      [&] { on_both([&](auto& book) { return book.reduce_order(1, 5); }); },
      [&] { on_both([&](auto& book) { return book.reduce_order(1, 5, order); }); },
      [&] { on_both([&](auto& book) { return book.cancel_order(1, order); }); },
      [&] { on_both([&](auto& book) { return book.clear(Side::Sell); }); },
      [&] { on_both([&](auto& book) { return book.clear(); }); },
      [&] { on_both([&](auto& book) { return book.apply(Request::cancel(1), DiscardTrades{}); }); },
      [&] {
        on_both([&](auto& book) {
          book.apply(
              1, [](std::size_t) { return Request::cancel(1); }, listener, DiscardTrades{});
          return true;
        });
      },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    add(1, Side::Sell, 70);
    add(2, Side::Sell, 71);
    add(3, Side::Buy, 60);
    calls[i]();
    EXPECT_TRUE(add(4, Side::Buy, 70).rests());
    expect_waiting(true);
    add(5, Side::Buy, 71);
    expect_same();
    EXPECT_EQ(lazy.clear(), eager.clear());
  }
}

TEST_F(LazyIdBookTest, AnOrderCrossesTheSameLevelsOnceTheBandHasMoved) {
  add(1, Side::Sell, 100);
  EXPECT_EQ(lazy.recenter(50), Status::Success);
  EXPECT_EQ(eager.recenter(50), Status::Success);
  EXPECT_EQ(add(2, Side::Buy, 120), done(5));
  expect_same();
}

/// Listens to cancels, and takes the order that has just come.
struct TakesWhatComes {
  Lazy& lazy;
  Result result{};

  void operator()(const Result& /*of_request*/) {
    result = lazy.add_limit_order(2, Side::Buy, 64, 5, gtc, DiscardTrades{});
  }
  void cancelled(const RestingOrder& /*order*/) const {}
};

TEST_F(LazyIdBookTest, AReceiverThatListensMeetsTheOrderThatHasJustCome) {
  const std::vector<Request> requests{Request::add_limit(1, Side::Sell, 64, 5, gtc)};
  TakesWhatComes receiver{lazy};
  lazy.apply(
      requests.size(), [&](std::size_t i) { return requests[i]; }, receiver, DiscardTrades{});
  EXPECT_EQ(receiver.result, done(5));
  EXPECT_EQ(lazy.book().size(), 0u);
}

// ---- The makers that come next.

/// A book with 600 levels of one order each and one with the same orders, which puts nothing off.
template <class Book>
struct Large {
  static constexpr BookConfig config{.base_price = 0, .capacity = 1'500};
  static constexpr Price touch = 1'000;

  IdBook<Book, HashedIds> eager = IdBook<Book, HashedIds>::create(config, {}).value();
  LazyIdBook<Book, HashedIds> lazy = LazyIdBook<Book, HashedIds>::create(config, {}).value();
  OrderId next = 1;

  Large() {
    for (Price depth = 0; depth < 600; ++depth) add(Side::Buy, touch - depth);
  }

  Result apply(const Request& request) {
    const Result expected = eager.apply(request, DiscardTrades{});
    EXPECT_EQ(lazy.apply(request, DiscardTrades{}), expected) << request;
    return expected;
  }
  void add(Side side, Price price) { apply(Request::add_limit(next++, side, price, 1, gtc)); }
  void take(Quantity quantity) { apply(Request::add_market(next++, Side::Sell, quantity)); }
  void add_and_cancel() {
    add(Side::Buy, 100);
    apply(Request::cancel(next - 1));
  }
  [[nodiscard]] auto next_makers() const { return IdInspector::next_makers(lazy); }
};

TEST(LazyIdBook, FetchesTheMakersThatComeNextInTheShortestCalls) {
  Large<OrderBook<4'096>> book;
  book.add_and_cancel();
  EXPECT_EQ(book.next_makers().left, 0u) << "before any taker";
  book.take(3);
  EXPECT_EQ(book.next_makers().side, Side::Buy);
  const std::size_t best = 4'095 - (book.touch - 3);
  for (std::uint32_t fetched = 0; fetched <= 4; ++fetched) {
    EXPECT_EQ(book.next_makers().left, 4 - fetched);
    EXPECT_EQ(book.next_makers().from, fetched == 0 ? 0 : best + fetched);
    book.add_and_cancel();
  }
  EXPECT_EQ(book.next_makers().left, 0u);

  // A market order that finds nothing, or is none.
  book.apply(Request::add_market(book.next++, Side::Buy, 1));
  book.apply(Request::add_market(book.next++, static_cast<Side>(7), 1));
  EXPECT_EQ(book.next_makers().left, 0u);

  // A book of 512 orders does so, a smaller one does not: its orders and levels are in the caches.
  book.take(book.lazy.book().size() - 512);
  EXPECT_EQ(book.next_makers().left, 4u);
  book.take(1);
  EXPECT_EQ(book.next_makers().left, 0u);
}

TEST(LazyIdBook, FetchesNoMakersInSpans) {
  Large<OrderBook<4'096>> book;
  const auto apply_span = [&](std::vector<Request> requests) {
    book.lazy.apply(
        requests.size(), [&](std::size_t i) { return requests[i]; },
        [&](const Result& result, std::size_t i) {
          EXPECT_EQ(result, book.eager.apply(requests[i], DiscardTrades{})) << requests[i];
        },
        DiscardTrades{});
  };
  apply_span({Request::add_market(9'000, Side::Sell, 3)});
  EXPECT_EQ(book.next_makers().left, 0u);
  book.take(3);
  apply_span({Request::add_limit(9'001, Side::Buy, 100, 1, gtc), Request::cancel(9'001)});
  EXPECT_EQ(book.next_makers().left, 4u);
}

TEST(LazyIdBook, FetchesNoMakersOfABookThatItWas) {
  Large<OrderBook<4'096>> book;
  Large<OrderBook<4'096>> other;
  book.take(3);
  other.take(3);
  EXPECT_EQ(book.next_makers().left, 4u);
  EXPECT_EQ(other.next_makers().left, 4u);
  book.lazy = std::move(other.lazy);
  EXPECT_EQ(book.next_makers().left, 0u);
}

template <class Book>
void expect_harmless_fetches() {
  Large<Book> book;
  for (Price depth = 0; depth < 600; ++depth) book.add(Side::Sell, book.touch + 1 + depth);
  for (int round = 0; round < 100; ++round) {
    book.take(1 + static_cast<Quantity>(round) % 9);
    for (int i = 0; i < round % 7; ++i) book.add_and_cancel();
  }
  book.take(1'000);  // all there is
  EXPECT_EQ(book.lazy.book().best_bid(), std::nullopt);
  for (int i = 0; i < 5; ++i) book.add_and_cancel();
  book.add(Side::Buy, book.touch);
  book.take(1);
  EXPECT_EQ(book.lazy.clear(), book.eager.clear());
  for (int i = 0; i < 5; ++i) book.add_and_cancel();
  EXPECT_EQ(snapshot_of(book.lazy.book()), snapshot_of(book.eager.book()));
}

TEST(LazyIdBook, FetchesNothingWhereNoMakersAre) {
  expect_harmless_fetches<OrderBook<4'096>>();
  expect_harmless_fetches<WideOrderBook<262'144>>();
  expect_harmless_fetches<AnyPriceBook<512>>();
}

// ---- The lots of a level.

TEST(LazyIdBook, NoOrderWaitsThatItsLevelMayHaveNoRoomFor) {
  constexpr std::size_t capacity = 4;
  constexpr Quantity share = std::numeric_limits<Quantity>::max() / capacity;
  const auto add = [](auto& book, OrderId id, Quantity quantity) {
    return book.add_limit_order(id, Side::Buy, 60, quantity, gtc, DiscardTrades{});
  };
  {  // Four of these fit.
    Lazy book = Lazy::create({.base_price = 0, .capacity = capacity}, {}).value();
    for (OrderId id = 1; id <= capacity; ++id) {
      EXPECT_EQ(add(book, id, share).status, Status::Success);
      EXPECT_TRUE(IdInspector::waits(book));
    }
    EXPECT_EQ(book.book().level(Side::Buy, 60).quantity, capacity * share);
  }
  {  // One lot more, and none waits from then on: neither it nor an order for which there is no room.
    Lazy book = Lazy::create({.base_price = 0, .capacity = capacity}, {}).value();
    EXPECT_EQ(add(book, 1, 5).status, Status::Success);
    EXPECT_EQ(book.modify_order(1, 60, share + 1, DiscardTrades{}).remaining, share + 1);
    EXPECT_FALSE(IdInspector::waits(book));
    for (OrderId id = 2; id <= 3; ++id) {
      EXPECT_EQ(add(book, id, share).status, Status::Success);
      EXPECT_FALSE(IdInspector::waits(book));
    }
    EXPECT_EQ(add(book, 4, share + 3), Result{Status::QuantityOverflow});
  }
  {  // As many in a request that does more than rest.
    Lazy book = Lazy::create({.base_price = 0, .capacity = capacity}, {}).value();
    std::ignore = book.add_market_order(1, Side::Buy, share, DiscardTrades{});
    std::ignore = book.modify_order(9, 60, share, DiscardTrades{});  // not too many
    EXPECT_EQ(add(book, 1, 5).status, Status::Success);
    EXPECT_TRUE(IdInspector::waits(book));
    for (const Request& request :
         {Request::add_market(2, Side::Buy, share + 1), Request::add_limit(2, Side::Sell, 90, share + 1, ioc),
          Request::modify(9, 60, share + 1, ioc), Request::reduce(9, share + 1)}) {
      std::ignore = book.apply(request, DiscardTrades{});
      EXPECT_EQ(add(book, 2, 5).status, Status::Success);
      EXPECT_TRUE(IdInspector::waits(book)) << request << ": no order of so many lots can come to rest";
      EXPECT_EQ(book.cancel_order(2), Status::Success);
    }
    Request resting = Request::add_resting(2, Side::Buy, 60, share + 1);
    resting.time_in_force = ioc;  // which nobody reads
    EXPECT_EQ(book.apply(resting, DiscardTrades{}).status, Status::Success);
    EXPECT_EQ(add(book, 3, 5).status, Status::Success);
    EXPECT_FALSE(IdInspector::waits(book));
  }
  {  // A large order that comes in another way.
    Lazy book = Lazy::create({.base_price = 0, .capacity = capacity}, {}).value();
    std::ignore = book.add_resting_order(1, Side::Buy, 60, std::numeric_limits<Quantity>::max());
    EXPECT_EQ(add(book, 2, 1), Result{Status::QuantityOverflow});
  }
  {  // One that no order may have does no harm.
    Lazy book = Lazy::create({.base_price = 0, .capacity = capacity, .quantity_max = share}, {}).value();
    EXPECT_EQ(add(book, 1, share + 1), Result{Status::InvalidQuantity});
    EXPECT_EQ(add(book, 1, share).status, Status::Success);
    EXPECT_TRUE(IdInspector::waits(book));
  }
}

// ---- Moves.

TEST_F(LazyIdBookTest, AnOrderCrossesTheLevelsOfTheBookThatItsBookWas) {
  std::ignore = lazy.add_limit_order(1, Side::Sell, 64, 5, gtc, DiscardTrades{});
  Lazy moved = std::move(lazy);
  EXPECT_TRUE(moved.add_limit_order(2, Side::Buy, 63, 5, gtc, DiscardTrades{}).rests());
  EXPECT_TRUE(IdInspector::waits(moved));

  Lazy other = Lazy::create(config, {}).value();
  other = std::move(moved);
  EXPECT_EQ(other.add_limit_order(3, Side::Buy, 64, 5, gtc, DiscardTrades{}), done(5));
}

TEST_F(LazyIdBookTest, AnOrderThatWaitsMovesWithItsBook) {
  const OrderHandle handle = add(1, Side::Buy, 60).handle;
  Lazy moved = std::move(lazy);
  EXPECT_EQ(moved.handle_of(1), handle);
  EXPECT_EQ(lazy.book().size(), 0u);
  EXPECT_EQ(lazy.cancel_order(1), Status::UnknownOrder);
  EXPECT_EQ(lazy.add_limit_order(1, Side::Buy, 60, 5, gtc, DiscardTrades{}), Result{Status::PoolFull});

  std::ignore = moved.add_limit_order(2, Side::Buy, 60, 5, gtc, DiscardTrades{});
  Lazy other = Lazy::create(config, {}).value();
  std::ignore = other.add_limit_order(3, Side::Sell, 61, 5, gtc, DiscardTrades{});
  other = std::move(moved);
  EXPECT_EQ(other.book().size(), 2u) << "what waited there is gone, and what waited here has come";
  EXPECT_EQ(other.find(3), std::nullopt);
  EXPECT_EQ(moved.book().size(), 0u);
}

TEST_F(LazyIdBookTest, AnOrderThatWaitsOutlivesAMoveOntoItself) {
  add(1, Side::Buy, 60);
  Lazy& itself = lazy;
  lazy = std::move(itself);
  expect_same();
}

TEST_F(LazyIdBookTest, ABookThatIsAssignedHasWhatTheOtherHad) {
  constexpr Quantity share = std::numeric_limits<Quantity>::max() / capacity;
  for (OrderId id = 1; id <= 3; ++id) add(id, Side::Buy, 60, 1);
  apply(Request::add_market(9, Side::Sell, 3));
  EXPECT_EQ(IdInspector::filled_count(lazy), 3u);
  lazy = Lazy::create({.base_price = 0, .capacity = capacity}, {}).value();
  EXPECT_EQ(IdInspector::filled_count(lazy), 0u) << "what it had to forget is gone with its index";
  EXPECT_TRUE(lazy.add_limit_order(1, Side::Buy, 60, share, gtc, DiscardTrades{}).rests());
  expect_waiting(true);
  std::ignore = lazy.modify_order(1, 61, share + 1, DiscardTrades{});
  EXPECT_TRUE(lazy.add_limit_order(3, Side::Buy, 60, 1, gtc, DiscardTrades{}).rests());
  expect_waiting(false);

  lazy = Lazy::create(config, {}).value();
  EXPECT_EQ(lazy.add_limit_order(1, Side::Buy, 60, share + 1, gtc, DiscardTrades{}),
            Result{Status::InvalidQuantity});
  EXPECT_TRUE(lazy.add_limit_order(1, Side::Buy, 60, 1'000, gtc, DiscardTrades{}).rests());
  expect_waiting(true);
}

// ---- Making one.

TEST(LazyIdBook, SaysWhyItMadeNone) {
  CreateStatus status{};
  EXPECT_FALSE(Lazy::create({.base_price = 0, .capacity = 0}, {}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(Lazy::create({.base_price = 0, .capacity = 1, .quantity_max = 0}, {}));
  EXPECT_TRUE(Lazy::create({.base_price = 0, .capacity = 1}, {}, status));
  EXPECT_EQ(status, CreateStatus::Success);
}

// ---- Listeners.

TEST_F(LazyIdBookTest, NoOrderWaitsOfWhichAListenerIsToBeTold) {
  Listener listener;
  std::ignore = lazy.add_limit_order(1, Side::Buy, 60, 5, gtc, DiscardTrades{});
  expect_waiting(true);
  std::ignore = lazy.add_limit_order(3, Side::Buy, 62, 5, gtc, DiscardTrades{});
  const std::vector<Request> requests{Request::cancel(3), Request::add_limit(4, Side::Buy, 61, 5, gtc)};
  lazy.apply(
      requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; }, listener, DiscardTrades{});
  EXPECT_EQ(listener.gone, std::vector<OrderId>{3});
  expect_waiting(false);
}

TEST_F(LazyIdBookTest, TheLastOrderOfASpanWaits) {
  lazy.apply(
      3, [](std::size_t i) { return Request::add_limit(OrderId{i}, Side::Buy, 60, 5, gtc); }, [](const Result&) {},
      DiscardTrades{});
  expect_waiting(true);
  EXPECT_EQ(lazy.book().size(), 3u);
}

// ---- Everything together.

/// Requests of a market in which most orders leave at once.
std::vector<Request> fleeting(Random& random, std::size_t count) {
  std::vector<Request> requests;
  OrderId next = 1;
  while (requests.size() < count) {
    const OrderId id = random.chance(90) ? next++ : 1 + random.below(next);
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const Price price = (side == Side::Buy ? 55 : 66) + static_cast<Price>(random.below(16)) - 5;
    requests.push_back(
        Request::add_limit(id, side, price, 1 + random.below(9), random.chance(80) ? gtc : post_only));
    if (random.chance(30)) requests.push_back(Request::modify(id, price + 1, 1 + random.below(9)));
    if (random.chance(70)) requests.push_back(Request::cancel(id));
    if (random.chance(10)) requests.push_back(Request::add_market(next++, side, 1 + random.below(30)));
    if (random.chance(10)) requests.push_back(Request::cancel(1 + random.below(next)));
    if (random.chance(5)) requests.push_back(Request::replace(id, next++, price, 3));
  }
  return requests;
}

template <class Book, class Index>
void expect_twins(const typename Index::Config& ids) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const std::vector<Request> requests = fleeting(random, 4'000);
    constexpr BookConfig config{.base_price = 0, .capacity = 60, .quantity_max = 1'000};
    auto eager = IdBook<Book, Index>::create(config, ids).value();
    auto single = LazyIdBook<Book, Index>::create(config, ids).value();
    auto spanned = LazyIdBook<Book, Index>::create(config, ids).value();
    RecordTrades expected_trades;
    RecordTrades trades;
    RecordTrades trades_in_spans;
    std::vector<Result> expected;
    std::vector<Result> results;
    std::size_t waited = 0;
    for (const Request& request : requests) {
      expected.push_back(eager.apply(request, expected_trades));
      const Result result = single.apply(request, trades);
      ASSERT_EQ(result, expected.back()) << request;
      waited += IdInspector::waits(single) ? 1 : 0;
    }
    spanned.apply(
        requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; },
        [&](const Result& result) { results.push_back(result); }, trades_in_spans);
    EXPECT_EQ(results, expected);
    EXPECT_EQ(trades.trades, expected_trades.trades);
    EXPECT_EQ(trades_in_spans.trades, expected_trades.trades);
    EXPECT_GT(trades.trades.size(), 300u);
    EXPECT_GT(waited, 1'000u);
    EXPECT_EQ(snapshot_of(single.book()), snapshot_of(eager.book()));
    EXPECT_EQ(snapshot_of(spanned.book()), snapshot_of(eager.book()));
    for (OrderId id = 0; id < 5'500; ++id) {
      ASSERT_EQ(single.handle_of(id), eager.handle_of(id));
      ASSERT_EQ(spanned.handle_of(id), eager.handle_of(id));
    }
    if constexpr (std::same_as<Index, HashedIds>) {
      EXPECT_EQ(IdInspector::entry_count(IdInspector::index(single)), eager.book().size());
      EXPECT_EQ(IdInspector::entry_count(IdInspector::index(spanned)), eager.book().size());
    }
  }
}

TEST(LazyIdBook, IsTheTwinOfABookThatPutsNothingOff) {
  expect_twins<OrderBook<128>, DenseIds>({.first = 0, .count = 6'000});
  expect_twins<OrderBook<128>, HashedIds>({});
  expect_twins<WideOrderBook<128>, PagedIds>({.page_count = 3});
  expect_twins<WideOrderBook<262'144>, HashedIds>({});
  expect_twins<AnyPriceBook<512>, HashedIds>({});
}

}  // namespace
}  // namespace llmes::test
