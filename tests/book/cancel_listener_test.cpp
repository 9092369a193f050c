// SPDX-License-Identifier: MIT
//
// A receiver of a span with a member `cancelled` is told what each cancel has taken off, and nothing else: as
// single calls tell it, in a book, by id, in a set, and behind a publisher. What it is told changes no result.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/book/dynamic_book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/market_data/publisher.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t capacity = 2'000;
constexpr std::size_t span_length = 50;

/// What a receiver gets, in the order in which it gets it.
using Told = std::vector<std::variant<RestingOrder, Result>>;

struct Listener {
  Told& told;

  void cancelled(const RestingOrder& order) { told.push_back(order); }
  void operator()(const Result& result) { told.push_back(result); }
};
static_assert(CancelListener<Listener>);

/// Takes the index of a command as well.
struct IndexedListener {
  Told& told;

  void cancelled(const RestingOrder& order) const { told.push_back(order); }
  void operator()(const Result& result, std::size_t) const { told.push_back(result); }
};
static_assert(CancelListener<IndexedListener>);

struct OnlyResults {
  Told& told;

  void operator()(const Result& result) { told.push_back(result); }
};
static_assert(!CancelListener<OnlyResults>);

/// What of it a listener with fewer members would be told.
template <class Kept>
Told only(const Told& told) {
  Told kept;
  for (const auto& one : told) {
    if (std::holds_alternative<Kept>(one)) kept.push_back(one);
  }
  return kept;
}

/// A command before its book is known.
struct Draw {
  CommandType type;
  OrderId id;
  BookNumber book;
  Side side;
  Price price;
  Quantity quantity;
};

/// Adds that rest or trade, and many messages about orders that rest, have gone or never were.
std::vector<Draw> draw(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Draw> draws;
  OrderId next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto kind = random() % 10;
    const OrderId recent = next - std::min<OrderId>(next, random() % 40);
    const Side side = random() % 2 ? Side::Buy : Side::Sell;
    const Price lowest = side == Side::Buy ? 100 : 110;  // few cross
    Draw one{CommandType::AddLimit,
             recent,
             static_cast<BookNumber>(random() % 3),
             side,
             lowest + static_cast<Price>(random() % 12),
             1 + random() % 9};
    if (kind < 4) {
      one.id = ++next;
    } else if (kind == 4) {
      one = {CommandType::AddMarket, ++next, one.book, one.side, 0, one.quantity};
    } else if (kind == 5) {
      one.type = CommandType::Modify;
    } else if (kind == 6) {
      one.type = CommandType::Reduce;
    } else {
      one.type = CommandType::Cancel;
    }
    draws.push_back(one);
  }
  return draws;
}

/// What single calls tell of a draw.
template <class Call, class Cancel>
void play_single(const Draw& one, Told& told, const Call& call, const Cancel& cancel) {
  if (one.type != CommandType::Cancel) {
    told.push_back(call());
    return;
  }
  RestingOrder order{.id = 77};
  const Status status = cancel(order);
  if (status == Status::Success) told.push_back(order);
  told.push_back(Result{status, {}, 0, 0, status == Status::Success ? order.quantity : 0});
}

// ---- By handle.

template <class CommandOf>
CommandOf command_of(const Draw& one, const std::vector<OrderHandle>& handles) {
  CommandOf command{Command{{one.id, handles[one.id]}, one.price, one.quantity, one.type, one.side, {}}};
  if constexpr (requires { command.book; }) command.book = one.book;
  return command;
}

/// Notes the handles of the orders that rest. Later commands of the span get them.
template <class CommandOf, class Inner>
struct Noting : Inner {
  std::span<const Draw> draws;
  std::vector<CommandOf>& commands;
  std::vector<OrderHandle>& handles;
  std::size_t at = 0;

  void operator()(const Result& result) {
    const Draw& one = draws[at];
    if (adds(one.type) && result.rests()) handles[one.id] = result.handle;
    ++at;
    if (at < commands.size()) commands[at] = command_of<CommandOf>(draws[at], handles);
    give_result(static_cast<Inner&>(*this), result, at);
  }
};

template <class CommandOf, class Inner, class Book>
Told spans_by_handle(Book& book, const std::vector<Draw>& draws) {
  Told told;
  std::vector<OrderHandle> handles(draws.size() + 1);
  for (std::size_t begin = 0; begin < draws.size(); begin += span_length) {
    const std::span<const Draw> part =
        std::span(draws).subspan(begin, std::min(span_length, draws.size() - begin));
    std::vector<CommandOf> commands(part.size());
    commands[0] = command_of<CommandOf>(part[0], handles);
    Noting<CommandOf, Inner> receiver{{told}, part, commands, handles};
    book.apply(std::span<const CommandOf>(commands), receiver, DiscardTrades{});
  }
  return told;
}

template <class CommandOf, class Book>
Told singles_by_handle(Book& book, const std::vector<Draw>& draws) {
  Told told;
  std::vector<OrderHandle> handles(draws.size() + 1);
  for (const Draw& one : draws) {
    const CommandOf command = command_of<CommandOf>(one, handles);
    const auto call = [&] {
      const Result result = book.apply(command, DiscardTrades{});
      if (adds(one.type) && result.rests()) handles[one.id] = result.handle;
      return result;
    };
    play_single(one, told, call, [&](RestingOrder& order) { return book.cancel_order(command.handle, order); });
  }
  return told;
}

template <class CommandOf, class Make>
void expect_told_by_handle(const Make& make) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Draw> draws = draw(seed, 2'000);
    auto single = make();
    auto listened = make();
    auto indexed = make();
    auto plain = make();
    const Told expected = singles_by_handle<CommandOf>(single, draws);
    EXPECT_GT(only<RestingOrder>(expected).size(), 200U);
    EXPECT_EQ((spans_by_handle<CommandOf, Listener>(listened, draws)), expected);
    EXPECT_EQ((spans_by_handle<CommandOf, IndexedListener>(indexed, draws)), expected);
    EXPECT_EQ((spans_by_handle<CommandOf, OnlyResults>(plain, draws)), only<Result>(expected));
  }
}

TEST(CancelListener, OfABook) {
  expect_told_by_handle<Command>([] { return *OrderBook<128>::create({.base_price = 0, .capacity = capacity}); });
  expect_told_by_handle<Command>(
      [] { return *WideOrderBook<128>::create({.base_price = 0, .capacity = capacity}); });
  expect_told_by_handle<Command>([] { return *AnyPriceBook<>::create({.capacity = capacity}); });
  expect_told_by_handle<Command>(
      [] { return *AnyWidthBook::create({.base_price = 0, .price_levels = 128, .capacity = capacity}); });
}

BookSet set_of_three() {
  BookSet set = *BookSet::create({.max_books = 3, .capacity = capacity});
  for (int i = 0; i < 3; ++i) (void)set.add_book();
  return set;
}

TEST(CancelListener, OfASet) {
  expect_told_by_handle<BookCommand>(set_of_three);
}

// ---- By id.

template <class RequestOf>
RequestOf request_of(const Draw& one) {
  RequestOf request{};
  request.id = one.id;
  request.price = one.price;
  request.quantity = one.quantity;
  request.type = one.type;
  request.side = one.side;
  if constexpr (requires { request.book; }) request.book = one.book;
  return request;
}

template <class Receiver, class Book>
Told spans_by_id(Book& book, const std::vector<Draw>& draws) {
  using RequestOf = typename std::remove_cvref_t<decltype(book.book())>::RequestType;
  Told told;
  for (std::size_t begin = 0; begin < draws.size(); begin += span_length) {
    std::vector<RequestOf> requests;
    for (const Draw& one : std::span(draws).subspan(begin, std::min(span_length, draws.size() - begin)))
      requests.push_back(request_of<RequestOf>(one));
    book.apply(
        requests.size(), [&](std::size_t i) -> const RequestOf& { return requests[i]; }, Receiver{told},
        DiscardTrades{});
  }
  return told;
}

/// Gives the book by id itself, as a publisher does.
template <class Book>
struct Bare {
  Book inner;

  const Book& book() const { return inner; }
  template <class... Arguments>
  void apply(Arguments&&... arguments) {
    inner.apply(std::forward<Arguments>(arguments)...);
  }
};

template <class Make>
void expect_told_by_id(const Make& make) {
  using Book = decltype(make());
  using RequestOf = typename Book::RequestType;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Draw> draws = draw(seed, 2'000);
    Book single = make();
    Told expected;
    for (const Draw& one : draws) {
      play_single(
          one, expected, [&] { return single.apply(request_of<RequestOf>(one), DiscardTrades{}); },
          [&](RestingOrder& order) { return single.cancel_order(one.id, order); });
    }
    EXPECT_GT(only<RestingOrder>(expected).size(), 200U);
    Bare<Book> listened{make()};
    Bare<Book> indexed{make()};
    Bare<Book> plain{make()};
    EXPECT_EQ(spans_by_id<Listener>(listened, draws), expected);
    EXPECT_EQ(spans_by_id<IndexedListener>(indexed, draws), expected);
    EXPECT_EQ(spans_by_id<OnlyResults>(plain, draws), only<Result>(expected));

    std::size_t deleted = 0;
    const auto count = [&](const OrderDeleted&) { ++deleted; };
    struct Sink {
      decltype(count)& heard;
      void deleted(const OrderDeleted& event) { heard(event); }
    };
    auto published = Publisher<Book, Sink>::create(make(), Sink{count});
    ASSERT_TRUE(published);
    EXPECT_EQ(spans_by_id<Listener>(*published, draws), expected);
    EXPECT_GE(deleted, only<RestingOrder>(expected).size());
  }
}

TEST(CancelListener, OfABookById) {
  expect_told_by_id([] {
    return *IdBook<OrderBook<128>, DenseIds>::create({0, capacity}, {.first = 0, .count = 10'000});
  });
  expect_told_by_id([] { return *IdBook<OrderBook<128>, HashedIds>::create({0, capacity}, {}); });
  expect_told_by_id([] { return *IdBook<AnyPriceBook<>, HashedIds>::create({.capacity = capacity}, {}); });
}

TEST(CancelListener, OfASetById) {
  expect_told_by_id([] {
    auto set = *IdBook<BookSet, HashedIds>::create({.max_books = 3, .capacity = capacity}, {});
    for (int i = 0; i < 3; ++i) (void)set.add_book();
    return set;
  });
  expect_told_by_id([] {
    auto set = *IdBook<PlacedBookSet, PlacedIds>::create({.max_books = 3, .capacity = capacity}, {});
    for (int i = 0; i < 3; ++i) (void)set.add_book();
    return set;
  });
}

}  // namespace
}  // namespace llmes::test
