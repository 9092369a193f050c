// SPDX-License-Identifier: MIT
//
// Every call and every query, in a program built without exceptions and without run-time type information.
#include <array>
#include <cstdio>
#include <utility>

#include "llmes/engine.hpp"
#include "llmes/llmes.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets/book_set.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  ++failures;
}

}  // namespace

int main() {
  using namespace llmes;
  auto book = *OrderBook<128>::create({.base_price = -10, .capacity = 8});
  std::array<Trade, 8> storage;
  std::size_t count = 0;
  const auto trades = [&](const Trade& trade) { storage[count++ % storage.size()] = trade; };

  const OrderHandle bid = book.add_limit_order(1, Side::Buy, 5, 10, TimeInForce::GoodTillCancel, trades).handle;
  const OrderHandle ask = book.add_limit_order(2, Side::Sell, 7, 10, TimeInForce::PostOnly, trades).handle;
  expect(book.add_market_order(3, Side::Buy, 4, trades).filled == 4, "a market order trades");
  expect(count == 1 && storage[0].price == 7, "the trade is collected");
  expect(book.modify_order(bid, 6, 3, trades).handle == bid, "a modify keeps the handle");
  expect(book.reduce_order(ask, 1) == Status::Success, "a reduce succeeds");
  expect(book.cancel_order({}) == Status::UnknownOrder, "the default handle is unknown");

  const std::array commands{Command::add_limit(4, Side::Sell, 6, 1, TimeInForce::ImmediateOrCancel),
                            Command::add_limit(5, Side::Sell, 6, 9, TimeInForce::FillOrKill),
                            Command::cancel(ask)};
  std::array<Result, 3> results;
  expect(book.apply(commands, results, trades) == 3, "a span is applied");
  expect(results[0].filled == 1 && results[1].status == Status::NotFillable, "with its results");

  std::array<DepthLevel, 2> depth;
  expect(book.depth(Side::Buy, depth) == 1 && depth[0] == DepthLevel{6, 2, 1}, "depth is told");
  int visited = 0;
  book.visit_orders(Side::Buy, [&visited](const RestingOrder&) { ++visited; });
  expect(visited == 1 && book.find(bid).has_value() && book.size() == 1, "orders are told");
  expect(book.best_bid() == 6 && book.best_ask() == std::nullopt, "best prices are told");

  auto any = *AnyPriceBook<>::create({.capacity = 8});
  const Result rests = any.add_limit_order(1, Side::Buy, 5, 10, TimeInForce::GoodTillCancel, trades);
  expect(rests.rests(), "an order rests in a book for any price");
  const AnyPriceBook<> moved = std::move(any);
  expect(moved.size() == 1 && any.cancel_order(rests.handle) == Status::UnknownOrder, "which can be moved");

  auto set = *BookSet::create({.max_books = 1, .capacity = 8});
  expect(set.add_book() == BookNumber{0} && !set.add_book().has_value(),
         "a set has as many books as it was made for");
  const Result first = set.add_limit_order(0, 1, Side::Buy, 5, 10, TimeInForce::GoodTillCancel, trades);
  expect(set.book_of(first.handle) == BookNumber{0} && set.cancel_order(first.handle) == Status::Success,
         "an order of a set needs no book to leave it");

  struct CountLevels {
    int count = 0;
    void level_changed(const LevelChanged&) { ++count; }
  } reader;
  auto publisher = *Publisher<BookSet&, CountLevels&>::create(set, reader);
  publisher.add_limit_order(0, 1, Side::Buy, 5, 10, TimeInForce::GoodTillCancel, trades);
  give_snapshot(*set.book(0), publisher.positions(0), reader);
  expect(reader.count == 2, "a level is told, and in a snapshot");

  auto ring = *Ring<Command, BlockWait>::create(2);
  const auto stop = [] { return true; };
  expect(ring.wait_claim(2, stop).size() == 2 && ring.try_push(Command::cancel(ask)), "a ring has room");
  expect(ring.wait_readable(2, stop).size() == 1 && ring.size() == 1, "a ring holds what was pushed");
  ring.release(1);
  ring.wake();

  EngineError error;
  const auto engine = Engine<BookSet>::create({.books = {.books = 1, .capacity = 8}}, error);
  expect(engine != nullptr && !error, "an engine is made");
  const BookCommand add{Command::add_limit(1, Side::Buy, 5, 10, TimeInForce::GoodTillCancel), 0};
  expect(engine->start() && engine->submit(record_of(add, 0)) == SubmitStatus::Accepted, "it takes a command");
  engine->stop();
  expect(engine->reports(9).size() == 2 && engine->sequence() == 1, "and tells what it did");
  return failures == 0 ? 0 : 1;
}
