// SPDX-License-Identifier: MIT
//
// A receiver of a span that takes what a command has changed is told the order that it names or adds, as `find`
// gives it before and after: in a book, by id, in a set, and behind a publisher. What it is told changes no
// result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/market_data/publisher.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t capacity = 2'000;
constexpr std::size_t span_length = 50;

/// What a command has done: its result and, unless it was rejected, the order before and after it.
struct Told {
  Result result;
  std::optional<RestingOrder> before{};
  std::optional<RestingOrder> after{};

  friend bool operator==(const Told&, const Told&) = default;
};

Told told_of(const Result& result, const OrderChange& change) {
  Told told{result};
  if (result.status != Status::Success) return told;
  if (change.rested()) told.before = change.before;
  if (change.rests()) told.after = change.after;
  return told;
}

// ---- What is played.

/// A command before its book is known, and how its orders are named there.
struct Draw {
  CommandType type;
  OrderId order;          ///< that it names or adds
  OrderId new_order = 0;  ///< that takes its place
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
};

/// Each type of command: orders that rest or trade, and many messages about those that rest, have gone or never
/// were.
std::vector<Draw> draw(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Draw> draws;
  OrderId next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto kind = random() % 17;
    const auto type = kind < command_types ? static_cast<CommandType>(kind)
                      : kind < 13          ? CommandType::AddLimit
                                           : CommandType::Cancel;
    Draw one{type, next - std::min<OrderId>(next, random() % 40)};
    one.book = static_cast<BookNumber>(random() % 3);
    one.side = random() % 2 ? Side::Buy : Side::Sell;
    one.price = (one.side == Side::Buy ? 100 : 110) + static_cast<Price>(random() % 12);  // few cross
    one.quantity = 1 + random() % 9;
    one.time_in_force = static_cast<TimeInForce>(random() % 8 == 0 ? random() % 4 : 0);
    if (adds(type)) one.order = ++next;
    if (has_new_id(type)) one.new_order = random() % 8 == 0 ? one.order : ++next;
    draws.push_back(one);
  }
  return draws;
}

/// Plays each draw by a call of its own, and finds what it has changed.
template <class Book, class CommandOf, class Find>
Told play_single(Book& book, const Draw& one, const CommandOf& command, const Find& find) {
  const auto before = changes(one.type) ? find(command) : std::nullopt;
  Told told{book.apply(command, DiscardTrades{})};
  if (told.result.status != Status::Success) return told;
  told.before = before;
  return told;
}

/// Whether so many commands of each kind did something that there was something to tell.
void expect_enough(const std::vector<Told>& told) {
  std::size_t added = 0, deleted = 0, changed = 0;
  for (const Told& one : told) {
    added += !one.before && one.after;
    deleted += one.before && !one.after;
    changed += one.before && one.after && one.before != one.after;
  }
  EXPECT_GT(added, 200u);
  EXPECT_GT(deleted, 100u);
  EXPECT_GT(changed, 50u);
}

std::vector<Result> results_of(const std::vector<Told>& told) {
  std::vector<Result> results;
  for (const Told& one : told) results.push_back(one.result);
  return results;
}

// ---- By handle.

/// The handles that orders have had.
using Handles = std::vector<OrderHandle>;

template <class CommandOf>
CommandOf command_of(const Draw& one, const Handles& handles) {
  CommandOf command{};
  command.id = has_new_id(one.type) ? one.new_order : one.order;
  if (!adds(one.type)) command.handle = handles[one.order];
  command.price = one.price;
  command.quantity = one.quantity;
  command.type = one.type;
  command.side = one.side;
  command.time_in_force = one.time_in_force;
  if constexpr (requires { command.book; }) command.book = one.book;
  return command;
}
void note(const Draw& one, const Result& result, Handles& handles) {
  if (result.status != Status::Success || !result.rests()) return;
  if (adds(one.type)) handles[one.order] = result.handle;
  if (has_new_id(one.type)) handles[one.new_order] = result.handle;
}

template <class CommandOf, class Book>
std::vector<Told> singles_by_handle(Book& book, const std::vector<Draw>& draws) {
  std::vector<Told> told;
  Handles handles(2 * draws.size());
  for (const Draw& one : draws) {
    const auto command = command_of<CommandOf>(one, handles);
    told.push_back(play_single(book, one, command, [&](const CommandOf& c) { return book.find(c.handle); }));
    note(one, told.back().result, handles);
    if (told.back().result.status == Status::Success && told.back().result.rests())
      told.back().after = book.find(told.back().result.handle);
  }
  return told;
}

/// Plays spans, and gives the handles of what rests to the later commands. `keep(result, index, change...)` takes
/// what the receiver is given.
template <class CommandOf, class Book, class MakeReceiver>
void spans_by_handle(Book& book, const std::vector<Draw>& draws, const MakeReceiver& make_receiver) {
  Handles handles(2 * draws.size());
  for (std::size_t begin = 0; begin < draws.size(); begin += span_length) {
    const auto part = std::span(draws).subspan(begin, std::min(span_length, draws.size() - begin));
    std::vector<CommandOf> commands(part.size());
    commands[0] = command_of<CommandOf>(part[0], handles);
    const auto go_on = [&](const Result& result, std::size_t i) {
      note(part[i], result, handles);
      if (i + 1 < part.size()) commands[i + 1] = command_of<CommandOf>(part[i + 1], handles);
    };
    book.apply(std::span<const CommandOf>(commands), make_receiver(go_on), DiscardTrades{});
  }
}

template <class CommandOf, class Book>
std::vector<Told> told_by_handle(Book& book, const std::vector<Draw>& draws) {
  std::vector<Told> told;
  spans_by_handle<CommandOf>(book, draws, [&](const auto& go_on) {
    return [&](const Result& result, std::size_t index, const OrderChange& change) {
      told.push_back(told_of(result, change));
      go_on(result, index);
    };
  });
  return told;
}

template <class CommandOf, class Make>
void expect_told_by_handle(const Make& make) {
  using Book = decltype(make());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Draw> draws = draw(seed, 2'000);
    Book single = make();
    const std::vector<Told> expected = singles_by_handle<CommandOf>(single, draws);
    expect_enough(expected);
    Book listened = make();
    EXPECT_EQ(told_by_handle<CommandOf>(listened, draws), expected);

    Book plain = make();
    std::vector<Result> results;
    spans_by_handle<CommandOf>(plain, draws, [&](const auto& go_on) {
      return [&](const Result& result, std::size_t index) {
        results.push_back(result);
        go_on(result, index);
      };
    });
    EXPECT_EQ(results, results_of(expected));
  }
}

BookSet set_of_three() {
  BookSet set = *BookSet::create({.max_books = 3, .capacity = capacity});
  for (int i = 0; i < 3; ++i) (void)set.add_book();
  return set;
}

TEST(ChangeReceiver, OfABook) {
  expect_told_by_handle<Command>([] { return *OrderBook<128>::create({.base_price = 0, .capacity = capacity}); });
  expect_told_by_handle<Command>([] { return *AnyPriceBook<>::create({.capacity = capacity}); });
}

TEST(ChangeReceiver, OfASet) {
  expect_told_by_handle<BookCommand>(set_of_three);
}

/// Counts the events that tell of an order.
struct CountEvents {
  std::size_t& count;

  void added(const OrderAdded&) { ++count; }
  void deleted(const OrderDeleted&) { ++count; }
};

TEST(ChangeReceiver, BehindAPublisher) {
  const std::vector<Draw> draws = draw(6, 2'000);
  BookSet single = set_of_three();
  std::size_t events = 0;
  auto published = *Publisher<BookSet, CountEvents>::create(set_of_three(), {events});
  EXPECT_EQ(told_by_handle<BookCommand>(published, draws), singles_by_handle<BookCommand>(single, draws));
  EXPECT_GT(events, 300u);
}

// ---- By id.

template <class RequestOf>
RequestOf request_of(const Draw& one) {
  RequestOf request{};
  request.id = one.order;
  request.new_id = one.new_order;
  request.price = one.price;
  request.quantity = one.quantity;
  request.type = one.type;
  request.side = one.side;
  request.time_in_force = one.time_in_force;
  if constexpr (requires { request.book; }) request.book = one.book;
  return request;
}

template <class Book>
std::vector<Told> singles_by_id(Book& book, const std::vector<Draw>& draws) {
  using RequestOf = typename Book::RequestType;
  std::vector<Told> told;
  for (const Draw& one : draws) {
    told.push_back(play_single(book, one, request_of<RequestOf>(one),
                               [&](const RequestOf& request) { return book.find(request.id); }));
    if (told.back().result.status == Status::Success && told.back().result.rests())
      told.back().after = book.find(has_new_id(one.type) ? one.new_order : one.order);
  }
  return told;
}

template <class RequestOf, class Book, class Receiver>
void spans_by_id(Book& book, const std::vector<Draw>& draws, const Receiver& receiver) {
  for (std::size_t begin = 0; begin < draws.size(); begin += span_length) {
    const auto at = [&](std::size_t i) { return request_of<RequestOf>(draws[begin + i]); };
    book.apply(std::min(span_length, draws.size() - begin), at, receiver, DiscardTrades{});
  }
}

template <class Make>
void expect_told_by_id(const Make& make) {
  using Book = decltype(make());
  using RequestOf = typename Book::RequestType;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Draw> draws = draw(seed, 2'000);
    Book single = make();
    const std::vector<Told> expected = singles_by_id(single, draws);
    expect_enough(expected);

    std::vector<Told> told;
    const auto keep = [&](const Result& result, std::size_t, const OrderChange& change) {
      told.push_back(told_of(result, change));
    };
    Book listened = make();
    spans_by_id<RequestOf>(listened, draws, keep);
    EXPECT_EQ(told, expected);

    told.clear();
    std::size_t events = 0;
    auto published = *Publisher<Book, CountEvents>::create(make(), {events});
    spans_by_id<RequestOf>(published, draws, keep);
    EXPECT_EQ(told, expected);
    EXPECT_GT(events, 300u);

    std::vector<Result> results;
    Book plain = make();
    spans_by_id<RequestOf>(plain, draws, [&](const Result& result) { results.push_back(result); });
    EXPECT_EQ(results, results_of(expected));
  }
}

TEST(ChangeReceiver, OfABookById) {
  expect_told_by_id([] {
    return *IdBook<OrderBook<128>, DenseIds>::create({0, capacity}, {.first = 0, .count = 10'000});
  });
  expect_told_by_id([] { return *IdBook<OrderBook<128>, HashedIds>::create({0, capacity}, {}); });
  expect_told_by_id([] { return *IdBook<AnyPriceBook<>, HashedIds>::create({.capacity = capacity}, {}); });
}

TEST(ChangeReceiver, OfASetById) {
  const auto three_books = [](auto set) {
    for (int i = 0; i < 3; ++i) (void)set.add_book();
    return set;
  };
  expect_told_by_id([&] {
    return three_books(*IdBook<BookSet, HashedIds>::create({.max_books = 3, .capacity = capacity}, {}));
  });
  expect_told_by_id([&] {
    return three_books(*IdBook<PlacedBookSet, PlacedIds>::create({.max_books = 3, .capacity = capacity}, {}));
  });
}

}  // namespace
}  // namespace llmes::test
