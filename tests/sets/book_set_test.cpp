// SPDX-License-Identifier: MIT
//
// Many books in one set: how they are made and numbered, what they share, and what each has for itself. That each
// of them matches as a book of its own does, the conformance suite shows; see also book_set_far_levels_test.cpp
// and book_set_random_test.cpp.
#include "llmes/sets/book_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/book_inspector.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

constexpr auto good_till_cancel = TimeInForce::GoodTillCancel;

// ---- Creation.

TEST(BookSetCreate, SaysWhyItMadeNone) {
  constexpr std::size_t absurd = std::numeric_limits<std::size_t>::max();
  const std::pair<BookSetConfig, CreateStatus> cases[] = {
      {{}, CreateStatus::InvalidBookCount},
      {{.max_books = 0, .capacity = 1}, CreateStatus::InvalidBookCount},
      {{.max_books = BookSet::books_max + 1, .capacity = 1}, CreateStatus::InvalidBookCount},
      {{.max_books = absurd, .capacity = 0}, CreateStatus::InvalidBookCount},
      {{.max_books = 1}, CreateStatus::InvalidCapacity},
      {{.max_books = 1, .capacity = 0}, CreateStatus::InvalidCapacity},
      {{.max_books = 1, .capacity = BookSet::capacity_max(1) + 1}, CreateStatus::InvalidCapacity},
      {{.max_books = 7, .capacity = BookSet::capacity_max(7) + 1, .far_levels = 0}, CreateStatus::InvalidCapacity},
      {{.max_books = 1, .capacity = std::size_t{1} << 32}, CreateStatus::InvalidCapacity},
      {{.max_books = 1, .capacity = absurd, .quantity_max = 0}, CreateStatus::InvalidCapacity},
      {{.max_books = 1, .capacity = 1, .quantity_max = 0}, CreateStatus::InvalidQuantityMax},
      {{.max_books = BookSet::books_max, .capacity = 0}, CreateStatus::InvalidCapacity},
      {{.max_books = 9, .capacity = BookSet::capacity_max(9), .quantity_max = 0},
       CreateStatus::InvalidQuantityMax},
  };
  for (const auto& [config, expected] : cases) {
    CreateStatus status{};
    EXPECT_FALSE(BookSet::create(config, status).has_value());
    EXPECT_EQ(status, expected) << config.max_books << " books, capacity " << config.capacity;
    EXPECT_FALSE(BookSet::create(config).has_value());
  }
  CreateStatus status = CreateStatus::OutOfMemory;
  const auto set = BookSet::create({.max_books = 2, .capacity = 3}, status);
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(status, CreateStatus::Success);
  EXPECT_EQ(set->books(), 2u);
  EXPECT_EQ(set->book_count(), 0u);
  EXPECT_EQ(set->capacity(), 3u);
  EXPECT_EQ(set->size(), 0u);
  EXPECT_EQ(set->far_levels_left(), 3u) << "as many as orders are enough";
}

/// Each order may need an anchor of its own, beside those of the windows.
TEST(BookSetCreate, HasAnEndToTheCapacity) {
  for (const std::size_t books : {std::size_t{1}, std::size_t{1'000}, BookSet::books_max}) {
    const std::size_t most = BookSet::capacity_max(books);
    EXPECT_LE(2 * most + 128 * books, std::numeric_limits<std::uint32_t>::max());
    EXPECT_GT(2 * (most + 1) + 128 * books, std::numeric_limits<std::uint32_t>::max());
    EXPECT_GT(BookSet::memory_bytes({.max_books = books, .capacity = most}), std::size_t{32} << 30)
        << "does not wrap";
  }
}

TEST(BookSetCreate, TakesAsMuchMemoryAsItSays) {
  const auto bytes = [](std::size_t books, std::size_t capacity, std::size_t far_levels) {
    return BookSet::memory_bytes({.max_books = books, .capacity = capacity, .far_levels = far_levels});
  };
  EXPECT_EQ(bytes(5, 100, 100), bytes(5, 100, 101)) << "more than orders are never needed";
  EXPECT_EQ(bytes(5, 100, 100), BookSet::memory_bytes({.max_books = 5, .capacity = 100}));
  const std::size_t orders = bytes(5, 1'000'100, 100) - bytes(5, 100, 100);
  EXPECT_EQ(orders, 32u * 1'000'000u);
  const std::size_t far_levels = bytes(5, 1'000'100, 1'000'100) - bytes(5, 1'000'100, 100);
  EXPECT_LE(far_levels, 67u * 1'000'000u + 384u);
  const std::size_t books = bytes(10'005, 100, 100) - bytes(5, 100, 100);
  EXPECT_LE(books, 5'530u * 10'000u) << "5.4 KiB";
}

// ---- Books.

class SetOfBooks : public ::testing::Test {
 protected:
  static constexpr BookSetConfig config{.max_books = 4, .capacity = 20, .quantity_max = 1'000};
  static constexpr OrderHandle none{};

  SetOfBooks() {
    for (BookNumber number = 0; number < 3; ++number) EXPECT_EQ(set.add_book(), number);
  }
  ~SetOfBooks() override { EXPECT_EQ(broken_invariant(set), std::nullopt); }

  OrderHandle rest(BookNumber book, OrderId id, Side side, Price price, Quantity quantity = 5) {
    const Result result = set.add_limit_order(book, id, side, price, quantity, good_till_cancel, sink);
    EXPECT_EQ(result, rests(result.handle, quantity));
    return result.handle;
  }
  /// What rests in a book, by id: bids, then asks.
  [[nodiscard]] std::vector<OrderId> ids(BookNumber book) const {
    std::vector<OrderId> ids;
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : orders_of(*set.book(book), side)) ids.push_back(order.id);
    }
    return ids;
  }
  /// Expects that `call` returns this, and changes nothing.
  template <class Answer, class Call>
  void expect_no_change(const Answer& expected, const Call& call) {
    const std::string before = BookInspector::image(set);
    EXPECT_EQ(call(), expected);
    EXPECT_TRUE(BookInspector::image(set) == before);
  }

  BookSet set = *BookSet::create(config);
  RecordTrades sink;
};
using Ids = std::vector<OrderId>;

TEST_F(SetOfBooks, AreNumberedFromZeroUpToTheLast) {
  EXPECT_EQ(set.book_count(), 3u);
  EXPECT_TRUE(set.book(2).has_value());
  EXPECT_FALSE(set.book(3).has_value());
  EXPECT_EQ(set.add_book(), 3u);
  EXPECT_TRUE(set.book(3).has_value());
  for (int again = 0; again < 2; ++again) expect_no_change(std::nullopt, [&] { return set.add_book(); });
  EXPECT_EQ(set.book_count(), 4u);
  EXPECT_EQ(set.books(), 4u);
  for (const BookNumber number : {4u, 5u, 1u << 24, std::numeric_limits<BookNumber>::max()}) {
    EXPECT_FALSE(set.book(number).has_value());
    EXPECT_FALSE(std::as_const(set).book(number).has_value());
    EXPECT_EQ(set.best_or(number, Side::Sell, -1), -1);
  }
}

TEST_F(SetOfBooks, OfANumberThatIsNoneAreUnknownToEachCallThatAdds) {
  rest(0, 1, Side::Buy, 5);
  const auto unknown = Result{Status::UnknownBook};
  for (const BookNumber number : {3u, 4u, 1u << 24, std::numeric_limits<BookNumber>::max()}) {
    for (const Side side : {Side::Buy, Side::Sell, no_side}) {
      expect_no_change(unknown,
                       [&] { return set.add_limit_order(number, 2, side, 5, 1, good_till_cancel, sink); });
      expect_no_change(unknown, [&] { return set.add_market_order(number, 2, side, 0, sink); });
      expect_no_change(unknown, [&] { return set.add_resting_order(number, 2, side, 5, 1); });
      const std::array commands{
          BookCommand{Command::add_limit(2, side, 5, 1, TimeInForce::ImmediateOrCancel), number},
          BookCommand{Command::add_market(2, side, 1), number},
          BookCommand{Command::add_resting(2, side, 5, 1), number}};
      for (const BookCommand& command : commands) {
        expect_no_change(unknown, [&] { return set.apply(command, sink); });
      }
      std::array<Result, 3> results;
      expect_no_change(3u, [&] { return set.apply(commands, results, sink); });
      EXPECT_EQ(results, (std::array{unknown, unknown, unknown}));
      std::vector<std::size_t> indexes;
      const auto receive = [&](const Result& result, std::size_t i) {
        EXPECT_EQ(result, unknown);
        indexes.push_back(i);
      };
      set.apply(commands, receive, sink);
      EXPECT_EQ(indexes, (std::vector<std::size_t>{0, 1, 2}));
    }
    expect_no_change(0u, [&] { return set.clear(number); });
    expect_no_change(0u, [&] { return set.clear(number, Side::Buy); });
  }
  EXPECT_TRUE(sink.trades.empty());
}

TEST_F(SetOfBooks, AreNamedByCallsThatAddOnly) {
  constexpr BookNumber nobodys = 77;
  const OrderHandle first = rest(1, 1, Side::Buy, 5);
  EXPECT_EQ(set.apply({Command::modify(first, 6, 7), nobodys}, sink), rests(first, 7));
  EXPECT_EQ(set.apply({Command::reduce(first, 3), 0}, sink), kept_place(first, 4, 3));
  const Result replaced = set.apply({Command::replace(first, 2, 6, 4), 2}, sink);
  EXPECT_EQ(replaced, rests(replaced.handle, 4));
  EXPECT_EQ(set.book_of(replaced.handle), 1u);
  EXPECT_EQ(set.apply({Command::cancel(replaced.handle), nobodys}, sink), done(0, 4));
  Command no_type;
  no_type.type = static_cast<CommandType>(command_types);
  for (const BookNumber number : {0u, nobodys}) {
    expect_no_change(Result{Status::InvalidCommand}, [&] { return set.apply({no_type, number}, sink); });
  }
}

TEST_F(SetOfBooks, HaveTheSamePricesEachForItself) {
  for (BookNumber book = 0; book < 3; ++book) {
    rest(book, 10 + book, Side::Buy, 5, 1 + book);
    rest(book, 20 + book, Side::Sell, 6, 1 + book);
  }
  EXPECT_EQ(set.add_limit_order(1, 9, Side::Buy, 6, 10, TimeInForce::ImmediateOrCancel, sink), done(2, 8));
  ASSERT_EQ(sink.trades.size(), 1u);
  EXPECT_EQ(sink.trades[0].maker_id, 21u);
  EXPECT_EQ(set.add_market_order(2, 9, Side::Sell, 10, sink), done(3, 7));
  EXPECT_EQ(ids(0), (Ids{10, 20}));
  EXPECT_EQ(ids(1), (Ids{11}));
  EXPECT_EQ(ids(2), (Ids{22}));
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.book(0)->size(), 2u);
  EXPECT_EQ(set.book(1)->size(), 1u);
  EXPECT_EQ(set.book(1)->best_ask(), std::nullopt);
  EXPECT_EQ(set.book(2)->best_bid(), std::nullopt);
  EXPECT_EQ(set.book(2)->level(Side::Sell, 6), (DepthLevel{6, 3, 1}));
}

/// Ticks are those of a book: one has its orders at one end of all prices, the next at the other.
TEST_F(SetOfBooks, HoldAnyPriceWhereverTheOthersAre) {
  const std::array prices{std::numeric_limits<Price>::min(), Price{0}, highest_price};
  std::vector<OrderHandle> handles;
  for (BookNumber book = 0; book < 3; ++book) {
    for (BookNumber i = 0; i < 3; ++i) handles.push_back(rest(book, i, Side::Buy, prices[(book + i) % 3]));
  }
  for (BookNumber book = 0; book < 3; ++book) {
    EXPECT_EQ(set.book(book)->best_bid(), highest_price);
    EXPECT_EQ(set.best_or(book, Side::Buy, 7), highest_price);
    EXPECT_EQ(set.best_or(book, Side::Sell, 7), 7) << "nothing rests there";
    EXPECT_EQ(set.book(book)->worst(Side::Buy), prices[0]);
    EXPECT_EQ(set.book(book)->price_min(), prices[0]);
    EXPECT_EQ(set.book(book)->price_max(), highest_price);
    EXPECT_EQ(ids(book), (Ids{(5 - book) % 3, (4 - book) % 3, (3 - book) % 3}));
  }
  EXPECT_EQ(set.add_resting_order(1, 9, Side::Buy, std::numeric_limits<Price>::max(), 1),
            Result{Status::PriceOutOfBand});
}

/// A sell order at the lowest price of all, and questions for a side or a book that is none.
TEST_F(SetOfBooks, HaveABestPriceOrNone) {
  const Price lowest = std::numeric_limits<Price>::min();
  for (BookNumber book = 0; book < 3; ++book) rest(book, book, Side::Sell, lowest);
  EXPECT_EQ(set.best_or(2, Side::Sell, -1), lowest);
  EXPECT_EQ(set.best_or(2, Side::Buy, -1), -1);
  for (const BookNumber unknown : {BookNumber{3}, BookNumber{1'000'000}, ~BookNumber{0}}) {
    EXPECT_EQ(set.best_or(unknown, Side::Sell, -1), -1);
  }
  for (const int no_side : {2, 3, 255}) EXPECT_EQ(set.best_or(2, static_cast<Side>(no_side), -1), -1);
}

// ---- Handles.

/// Each call by handle finds the book itself; a view of another book does not know the order.
TEST_F(SetOfBooks, KnowTheirOwnOrdersOnly) {
  const OrderHandle mine = rest(1, 1, Side::Buy, 5);
  rest(0, 2, Side::Buy, 5);
  rest(2, 3, Side::Sell, 9);
  for (const BookNumber other : {0u, 2u}) {
    BookSet::Book book = *set.book(other);
    const Result unknown{Status::UnknownOrder};
    RestingOrder untouched{none, 77};
    expect_no_change(std::nullopt, [&] { return book.find(mine); });
    expect_no_change(std::nullopt, [&] { return book.queue_ahead(mine); });
    expect_no_change(Status::UnknownOrder, [&] { return book.cancel_order(mine); });
    expect_no_change(Status::UnknownOrder, [&] { return book.cancel_order(mine, untouched); });
    expect_no_change(Status::UnknownOrder, [&] { return book.reduce_order(mine, 1); });
    expect_no_change(Status::UnknownOrder, [&] { return book.reduce_order(mine, 5, untouched); });
    expect_no_change(unknown, [&] { return book.modify_order(mine, 5, 1, sink); });
    expect_no_change(unknown, [&] { return book.modify_resting_order(mine, 6, 1); });
    expect_no_change(unknown, [&] { return book.replace_order(mine, 9, 5, 1, sink); });
    expect_no_change(unknown, [&] { return book.replace_resting_order(mine, 9, 5, 1); });
    for (const TimeInForce time_in_force :
         {TimeInForce::PostOnly, TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill}) {
      expect_no_change(unknown, [&] { return book.modify_order(mine, 5, 1, time_in_force, sink); });
      expect_no_change(unknown, [&] { return book.replace_order(mine, 9, 5, 1, time_in_force, sink); });
    }
    for (const Command& command : {Command::cancel(mine), Command::reduce(mine, 1), Command::modify(mine, 5, 1),
                                   Command::replace(mine, 9, 5, 1), Command::modify_resting(mine, 5, 1),
                                   Command::replace_resting(mine, 9, 5, 1)}) {
      expect_no_change(unknown, [&] { return book.apply(command, sink); });
      std::array<Result, 1> results;
      expect_no_change(1u, [&] { return book.apply(std::span(&command, 1), results, sink); });
      EXPECT_EQ(results[0], unknown);
    }
    EXPECT_EQ(untouched.id, 77u);
  }
  EXPECT_EQ(set.book(1)->cancel_order(mine), Status::Success);
}

TEST_F(SetOfBooks, AreFoundByTheHandleOfAnOrder) {
  RestingOrder details{};
  const OrderHandle ahead = rest(2, 1, Side::Sell, 8, 4);
  const OrderHandle order = rest(2, 2, Side::Sell, 8, 6);
  rest(1, 3, Side::Buy, 8);  // would trade in the same book
  EXPECT_EQ(set.book_of(order), 2u);
  EXPECT_EQ(set.find(order), (RestingOrder{order, 2, Side::Sell, 8, 6}));
  EXPECT_EQ(set.handle_at(order.index, 2), order);
  EXPECT_EQ(set.handle_at(order.index, 1), none) << "another id";
  EXPECT_EQ(set.reduce_order(order, 1, details), Status::Success);
  EXPECT_EQ(details, (RestingOrder{order, 2, Side::Sell, 8, 5}));
  EXPECT_EQ(set.reduce_order(order, 1), Status::Success);
  EXPECT_EQ(set.modify_order(order, 8, 3, sink), kept_place(order, 3));
  EXPECT_EQ(set.modify_order(order, 7, 3, TimeInForce::PostOnly, sink), rests(order, 3));
  EXPECT_EQ(set.modify_resting_order(order, 8, 9), rests(order, 9));
  EXPECT_EQ(set.book(2)->queue_ahead(order), (QueuePosition{4, 1}));
  const Result replaced = set.replace_order(order, 5, 8, 2, sink);
  EXPECT_EQ(set.find(replaced.handle), (RestingOrder{replaced.handle, 5, Side::Sell, 8, 2}));
  const Result again = set.replace_resting_order(replaced.handle, 6, 7, 1);
  EXPECT_EQ(set.book_of(again.handle), 2u);
  const Result third = set.replace_order(again.handle, 7, 7, 1, TimeInForce::PostOnly, sink);
  EXPECT_EQ(ids(2), (Ids{7, 1}));
  EXPECT_EQ(set.cancel_order(third.handle, details), Status::Success);
  EXPECT_EQ(details, (RestingOrder{third.handle, 7, Side::Sell, 7, 1}));
  EXPECT_EQ(set.cancel_order(ahead), Status::Success);
  EXPECT_EQ(set.size(), 1u);
}

/// Handles that have left, were never issued, or name the anchor of a level; and slots beyond the last.
TEST_F(SetOfBooks, DoNotKnowAHandleThatNamesNothing) {
  const OrderHandle live = rest(1, 1, Side::Buy, 5);
  const OrderHandle left = rest(2, 2, Side::Buy, 5);
  EXPECT_EQ(set.cancel_order(left), Status::Success);
  const OrderHandle other = rest(0, 3, Side::Buy, 5);
  EXPECT_EQ(other.index, left.index) << "the slot is used again, in another book";
  std::vector<OrderHandle> unknown{none,
                                   left,
                                   {0, 1},
                                   {live.index, live.generation + 1},
                                   {live.index, live.generation + 2},
                                   {~0u, 1},
                                   {BookInspector::slot_count(set), 1}};
  for (SlotIndex slot = 0; slot < BookInspector::first_order_slot(set); slot += 37) {
    unknown.push_back({slot, BookInspector::generation(set, slot)});
    EXPECT_EQ(set.handle_at(slot, BookInspector::id(set, slot)), none);
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    unknown.push_back(OrderHandle::from_value(live.value() ^ std::uint64_t{1} << bit));
    if (unknown.back() == other) unknown.pop_back();
  }
  const Result no_order{Status::UnknownOrder};
  RestingOrder untouched{none, 77};
  for (const OrderHandle handle : unknown) {
    EXPECT_EQ(set.book_of(handle), std::nullopt);
    EXPECT_EQ(set.find(handle), std::nullopt);
    expect_no_change(Status::UnknownOrder, [&] { return set.cancel_order(handle); });
    expect_no_change(Status::UnknownOrder, [&] { return set.cancel_order(handle, untouched); });
    expect_no_change(Status::UnknownOrder, [&] { return set.reduce_order(handle, 1); });
    expect_no_change(Status::UnknownOrder, [&] { return set.reduce_order(handle, 1, untouched); });
    expect_no_change(no_order, [&] { return set.modify_order(handle, 5, 1, sink); });
    expect_no_change(no_order, [&] { return set.modify_order(handle, 5, 1, TimeInForce::PostOnly, sink); });
    expect_no_change(no_order, [&] { return set.modify_resting_order(handle, 5, 1); });
    expect_no_change(no_order, [&] { return set.replace_order(handle, 9, 5, 1, sink); });
    expect_no_change(no_order, [&] { return set.replace_resting_order(handle, 9, 5, 1); });
    const BookCommand command{Command::modify(handle, 5, 1, no_time_in_force), 1};
    expect_no_change(Result{Status::InvalidCommand}, [&] { return set.apply(command, sink); });
    const BookCommand cancel{Command::cancel(handle), 1};
    expect_no_change(no_order, [&] { return set.apply(cancel, sink); });
  }
  EXPECT_EQ(untouched.id, 77u);
  EXPECT_EQ(set.handle_at(~0u, 0), none);
}

// ---- What the books share.

TEST_F(SetOfBooks, ShareTheCapacity) {
  std::vector<OrderHandle> handles;
  for (OrderId id = 0; id < config.capacity; ++id) {
    handles.push_back(rest(static_cast<BookNumber>(id % 2), id, Side::Buy, static_cast<Price>(id)));
  }
  EXPECT_EQ(set.size(), 20u);
  EXPECT_EQ(set.book(0)->size(), 10u);
  EXPECT_EQ(set.book(2)->size(), 0u);
  for (BookNumber book = 0; book < 3; ++book) EXPECT_EQ(set.book(book)->capacity(), config.capacity);
  const Result full{Status::PoolFull};
  for (BookNumber book = 0; book < 3; ++book) {
    expect_no_change(full, [&] { return set.add_limit_order(book, 9, Side::Buy, 5, 1, good_till_cancel, sink); });
    expect_no_change(full, [&] { return set.add_resting_order(book, 9, Side::Sell, 5, 1); });
    const BookCommand command{Command::add_limit(9, Side::Buy, 5, 1, good_till_cancel), book};
    expect_no_change(full, [&] { return set.apply(command, sink); });
  }
  const Result replaced = set.replace_order(handles[0], 9, 7, 1, sink);
  EXPECT_EQ(replaced, rests(replaced.handle, 1)) << "needs no free slot";
  EXPECT_EQ(set.cancel_order(handles[5]), Status::Success);
  rest(2, 30, Side::Sell, 5);
  expect_no_change(full, [&] { return set.add_resting_order(1, 9, Side::Sell, 5, 1); });
}

TEST_F(SetOfBooks, RefuseMoreLotsThanTheLargestQuantity) {
  const OrderHandle order = rest(1, 1, Side::Buy, 5, 1'000);
  const Result invalid{Status::InvalidQuantity};
  const Result stays_there = stays(Status::InvalidQuantity, order, 1'000);
  for (const Quantity quantity : {Quantity{0}, Quantity{1'001}, most}) {
    expect_no_change(invalid,
                     [&] { return set.add_limit_order(0, 2, Side::Buy, 5, quantity, good_till_cancel, sink); });
    expect_no_change(invalid, [&] { return set.add_market_order(0, 2, Side::Buy, quantity, sink); });
    expect_no_change(invalid, [&] { return set.add_resting_order(0, 2, Side::Buy, 5, quantity); });
    expect_no_change(stays_there, [&] { return set.modify_order(order, 5, quantity, sink); });
    expect_no_change(stays_there, [&] { return set.modify_resting_order(order, 5, quantity); });
    expect_no_change(stays_there, [&] { return set.replace_order(order, 2, 5, quantity, sink); });
    expect_no_change(stays_there, [&] { return set.replace_resting_order(order, 2, 5, quantity); });
    expect_no_change(Status::InvalidQuantity, [&] { return set.reduce_order(order, quantity); });
  }
}

TEST_F(SetOfBooks, AreClearedBySideByBookAndTogether) {
  const auto fill = [this] {
    for (BookNumber book = 0; book < 3; ++book) {
      for (OrderId id = 0; id < 6; ++id) {
        const Side side = id < 2 ? Side::Buy : Side::Sell;
        rest(book, id, side, id < 2 ? -static_cast<Price>(id * 500) : static_cast<Price>(id * 500));
      }
    }
  };
  fill();
  expect_no_change(0u, [&] { return set.clear(1, no_side); });
  EXPECT_EQ(set.clear(1, Side::Sell), 4u);
  EXPECT_EQ(ids(1), (Ids{0, 1}));
  EXPECT_EQ(set.clear(0), 6u);
  EXPECT_EQ(ids(0), Ids{});
  EXPECT_EQ(ids(2), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(broken_invariant(set), std::nullopt);
  EXPECT_EQ(set.clear(), 8u);
  EXPECT_EQ(set.size(), 0u);
  EXPECT_EQ(set.book_count(), 3u);
  EXPECT_EQ(set.far_levels_left(), config.capacity);
  fill();
  EXPECT_EQ(set.clear(), 18u);
}

// ---- Spans of many books.

TEST_F(SetOfBooks, AreMetByASpanInTurn) {
  const OrderHandle old = rest(2, 50, Side::Buy, 1);
  const std::vector<BookCommand> commands{{Command::add_limit(1, Side::Sell, 5, 3, good_till_cancel), 0},
                                          {Command::add_limit(2, Side::Sell, 5, 4, good_till_cancel), 1},
                                          {Command::add_market(3, Side::Buy, 5), 1},
                                          {Command::add_market(4, Side::Buy, 1), 9},
                                          {Command::cancel(old), 0},
                                          {Command::add_market(5, Side::Buy, 2), 0}};
  std::vector<std::pair<std::size_t, OrderId>> traded;
  std::vector<Result> results;
  set.apply(
      commands, [&](const Result& result) { results.push_back(result); },
      [&](const Trade& trade, std::size_t i) { traded.emplace_back(i, trade.maker_id); });
  ASSERT_EQ(results.size(), commands.size());
  EXPECT_EQ(results[2], done(4, 1));
  EXPECT_EQ(results[3], Result{Status::UnknownBook});
  EXPECT_EQ(results[4], done(0, 5));
  EXPECT_EQ(results[5], done(2));
  EXPECT_EQ(traded, (std::vector<std::pair<std::size_t, OrderId>>{{2, 2}, {5, 1}}));
  std::array<Result, 2> room_for_two;
  EXPECT_EQ(set.apply(commands, room_for_two, sink), 2u);
  EXPECT_EQ(set.apply(std::span<const BookCommand>{}, room_for_two, sink), 0u);
}

/// A set so full that a span looks ahead, at requests for books and sides that it has not. With sanitizers, and
/// for sets of one book, a look beyond the last book shows.
TEST(BookSetSpan, LooksAheadAtItsOwnBooksOnly) {
  BookSet set = *BookSet::create({.max_books = 1, .capacity = 40'000});
  ASSERT_EQ(set.add_book(), 0u);
  for (OrderId id = 0; id < 40'000; ++id) {
    ASSERT_EQ(set.add_resting_order(0, id, Side::Buy, static_cast<Price>(id % 300), 1).status, Status::Success);
  }
  std::vector<BookCommand> commands;
  for (const BookNumber book : {0u, 1u, 2u, 300u, ~0u}) {
    for (const Side side : {Side::Buy, Side::Sell, no_side, static_cast<Side>(255)}) {
      for (const Price price : {Price{-1'000}, Price{0}, highest_price}) {
        commands.push_back({Command::add_resting(1, side, price, 0), book});
      }
    }
  }
  std::vector<Result> results(commands.size());
  EXPECT_EQ(set.apply(commands, results, DiscardTrades{}), commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(results[i], set.apply(commands[i], DiscardTrades{})) << i;
  }
}

// ---- Moves.

/// Every call and query on a set that has nothing and can hold nothing.
void expect_no_books(BookSet& set, OrderHandle former) {
  RecordTrades sink;
  EXPECT_EQ(set.book_count(), 0u);
  EXPECT_EQ(set.books(), 0u);
  EXPECT_EQ(set.size(), 0u);
  EXPECT_EQ(set.capacity(), 0u);
  EXPECT_EQ(set.far_levels_left(), 0u);
  EXPECT_EQ(set.add_book(), std::nullopt);
  EXPECT_EQ(broken_invariant(set), std::nullopt);
  const Result unknown_book{Status::UnknownBook};
  for (const BookNumber number : {0u, 1u, 4u, ~0u}) {
    EXPECT_FALSE(set.book(number).has_value());
    EXPECT_FALSE(std::as_const(set).book(number).has_value());
    EXPECT_EQ(set.add_limit_order(number, 1, Side::Buy, 5, 1, good_till_cancel, sink), unknown_book);
    EXPECT_EQ(set.add_market_order(number, 1, Side::Buy, 1, sink), unknown_book);
    EXPECT_EQ(set.add_resting_order(number, 1, Side::Buy, 5, 1), unknown_book);
    EXPECT_EQ(set.clear(number), 0u);
    EXPECT_EQ(set.clear(number, Side::Sell), 0u);
  }
  const Result unknown{Status::UnknownOrder};
  for (const OrderHandle handle : {former, OrderHandle{}, OrderHandle{0, 1}, OrderHandle{~0u, 1}}) {
    RestingOrder details{};
    EXPECT_EQ(set.find(handle), std::nullopt);
    EXPECT_EQ(set.book_of(handle), std::nullopt);
    EXPECT_EQ(set.handle_at(handle.index, 1), OrderHandle{});
    EXPECT_EQ(set.cancel_order(handle), Status::UnknownOrder);
    EXPECT_EQ(set.cancel_order(handle, details), Status::UnknownOrder);
    EXPECT_EQ(set.reduce_order(handle, 1), Status::UnknownOrder);
    EXPECT_EQ(set.reduce_order(handle, 1, details), Status::UnknownOrder);
    EXPECT_EQ(set.modify_order(handle, 5, 1, sink), unknown);
    EXPECT_EQ(set.modify_order(handle, 5, 1, TimeInForce::FillOrKill, sink), unknown);
    EXPECT_EQ(set.modify_resting_order(handle, 5, 1), unknown);
    EXPECT_EQ(set.replace_order(handle, 2, 5, 1, sink), unknown);
    EXPECT_EQ(set.replace_resting_order(handle, 2, 5, 1), unknown);
    const std::vector commands(300, BookCommand{Command::cancel(handle), 0});
    std::vector<Result> results(commands.size());
    EXPECT_EQ(set.apply(commands, results, sink), commands.size());
    EXPECT_EQ(results, std::vector(commands.size(), unknown));
  }
  EXPECT_EQ(set.clear(), 0u);
}

TEST_F(SetOfBooks, AreNoLongerThereOnceMovedFrom) {
  const OrderHandle order = rest(1, 1, Side::Buy, 5);
  rest(1, 2, Side::Buy, -500);
  const BookSet constructed = std::move(set);
  expect_no_books(set, order);
  set = *BookSet::create(config);
  BookSet assigned = *BookSet::create({.max_books = 1, .capacity = 1});
  EXPECT_EQ(set.add_book(), 0u);
  const OrderHandle other = rest(0, 1, Side::Buy, 5);
  assigned = std::move(set);
  expect_no_books(set, other);
  BookSet nothing = std::move(set);
  expect_no_books(nothing, other);
  EXPECT_EQ(constructed.size(), 2u);
  EXPECT_EQ(assigned.book_of(other), 0u);
}

TEST_F(SetOfBooks, KeepTheirHandlesWhereTheSetGoes) {
  const OrderHandle near = rest(1, 1, Side::Buy, 5, 3);
  const OrderHandle far = rest(1, 2, Side::Buy, -500, 4);
  const std::string image = BookInspector::image(set);
  BookSet moved = std::move(set);
  EXPECT_TRUE(BookInspector::image(moved) == image);
  BookSet assigned = *BookSet::create({.max_books = 1, .capacity = 1});
  assigned = std::move(moved);
  EXPECT_TRUE(BookInspector::image(assigned) == image);
  EXPECT_EQ(assigned.find(far), (RestingOrder{far, 2, Side::Buy, -500, 4}));
  EXPECT_EQ(assigned.add_market_order(1, 9, Side::Sell, 7, sink), done(7));
  EXPECT_EQ(assigned.find(near), std::nullopt);
  EXPECT_EQ(assigned.add_book(), 3u);
  EXPECT_EQ(assigned.add_resting_order(3, 9, Side::Sell, 7, 1'001), Result{Status::InvalidQuantity});
  BookSet& same = assigned;
  assigned = std::move(same);
  EXPECT_EQ(assigned.book_count(), 4u);
  EXPECT_EQ(assigned.far_levels_left(), config.capacity);
  EXPECT_EQ(assigned.add_resting_order(3, 9, Side::Sell, 7, 1).status, Status::Success);
  EXPECT_EQ(broken_invariant(assigned), std::nullopt);
}

TEST_F(SetOfBooks, TradePlacesBySwap) {
  const OrderHandle order = rest(1, 1, Side::Buy, 5, 3);
  BookSet other = *BookSet::create({.max_books = 1, .capacity = 1});
  EXPECT_EQ(other.add_book(), 0u);
  std::swap(set, other);
  EXPECT_EQ(set.capacity(), 1u);
  EXPECT_EQ(set.book_of(order), std::nullopt);
  EXPECT_EQ(other.book_of(order), 1u);
  EXPECT_EQ(other.cancel_order(order), Status::Success);
}

/// So many that the view fetches the orders of later commands ahead of time.
TEST(BookSetView, TakesALongSpanAsSingleCalls) {
  constexpr std::size_t standing = 9'000;
  BookSet sets[] = {*BookSet::create({.max_books = 2, .capacity = standing}),
                    *BookSet::create({.max_books = 2, .capacity = standing})};
  std::vector<Command> commands;
  for (BookSet& set : sets) {
    commands.clear();
    for (int i = 0; i < 2; ++i) static_cast<void>(set.add_book());
    for (OrderId id = 0; id < standing; ++id) {
      const Result added = set.add_resting_order(1, id, Side::Buy, static_cast<Price>(id % 100), 5);
      commands.push_back(id % 2 == 0 ? Command::cancel(added.handle) : Command::reduce(added.handle, id % 8));
    }
  }
  BookSet::Book in_span = *sets[0].book(1);
  std::vector<Result> results(commands.size());
  EXPECT_EQ(in_span.apply(commands, results, DiscardTrades{}), commands.size());
  BookSet::Book alone = *sets[1].book(1);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ASSERT_EQ(results[i], alone.apply(commands[i], DiscardTrades{})) << i;
  }
  EXPECT_EQ(in_span.size(), alone.size());
  EXPECT_LT(alone.size(), standing / 2);
}

}  // namespace
}  // namespace llmes::test
