// SPDX-License-Identifier: MIT
//
// All code of what stands on a book: a book by ids with each index, a book of any width, a set of books, and
// the sinks. A mutant with the same object code is the same layer.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <tuple>
#include <utility>

#include "llmes/book.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace test {

struct Entry {
  std::uint32_t number;
  [[nodiscard]] bool used() const { return number != 0; }
  [[nodiscard]] std::uint32_t hash() const { return number; }
};

}  // namespace test

template class IdBook<OrderBook<262144>, DenseIds>;
template class IdBook<OrderBook<4096>, HashedIds>;
template class IdBook<WideOrderBook<4096>, HashedIds>;
template class IdBook<BookSet, HashedIds>;
template class IdBook<PlacedBookSet, PlacedIds>;
template class ProbingTable<test::Entry>;

namespace test {

/// Somebody else's, so that no compiler knows what becomes of an answer.
void receive(const Trade& trade);
void receive(const Result& result);
void receive(const RestingOrder& order);
void receive(const DepthLevel& level);
void receive(const Request& request);
void receive(const DenseIds::Config& config);
const Request& request(std::size_t i);

/// The calls that are templates themselves.
template <class Book>
void call_by_id(Book& book, const Request& r) {
  const auto sink = [](const Trade& trade) { receive(trade); };
  receive(book.add_limit_order(r.id, r.side, r.price, r.quantity, r.time_in_force, sink));
  receive(book.add_market_order(r.id, r.side, r.quantity, sink));
  receive(book.modify_order(r.id, r.price, r.quantity, sink));
  receive(book.modify_order(r.id, r.price, r.quantity, r.time_in_force, sink));
  receive(book.replace_order(r.id, r.new_id, r.price, r.quantity, sink));
  receive(book.replace_order(r.id, r.new_id, r.price, r.quantity, r.time_in_force, sink));
  receive(book.apply(r, sink));
  book.apply(
      r.quantity, request, [](const Result& result) { receive(result); }, sink);
  book.apply(
      r.quantity, request, [](const Result& result, std::size_t) { receive(result); },
      [](const Trade& trade, std::size_t) { receive(trade); });
  std::cout << r;
}

template void call_by_id(IdBook<OrderBook<262144>, DenseIds>&, const Request&);
template void call_by_id(IdBook<OrderBook<4096>, HashedIds>&, const Request&);
template void call_by_id(IdBook<WideOrderBook<4096>, HashedIds>&, const Request&);

void call(BookSet& set, const BookCommand& c, std::span<const BookCommand> commands, std::span<Result> results) {
  const auto sink = [](const Trade& trade) { receive(trade); };
  CreateStatus status{};
  set = *BookSet::create({.max_books = c.book, .capacity = c.quantity}, status);
  receive(Result{.filled = BookSet::memory_bytes({.max_books = c.book, .capacity = c.quantity})});
  receive(Result{.filled = set.add_book().value(), .remaining = set.clear()});
  receive(Result{.filled = set.book_count() + set.books(), .remaining = set.size() + set.capacity()});
  receive(Result{.filled = set.far_levels_left(), .remaining = set.book_of(c.handle).value()});
  receive(set.find(c.handle).value());
  receive(set.add_limit_order(c.book, c.id, c.side, c.price, c.quantity, c.time_in_force, sink));
  receive(set.add_market_order(c.book, c.id, c.side, c.quantity, sink));
  receive(set.add_resting_order(c.book, c.id, c.side, c.price, c.quantity));
  RestingOrder details;
  receive(Result{set.cancel_order(c.handle)});
  receive(Result{set.cancel_order(c.handle, details)});
  receive(Result{set.reduce_order(c.handle, c.quantity)});
  receive(Result{set.reduce_order(c.handle, c.quantity, details)});
  receive(details);
  receive(set.modify_order(c.handle, c.price, c.quantity, sink));
  receive(set.modify_order(c.handle, c.price, c.quantity, c.time_in_force, sink));
  receive(set.modify_resting_order(c.handle, c.price, c.quantity));
  receive(set.replace_order(c.handle, c.id, c.price, c.quantity, sink));
  receive(set.replace_order(c.handle, c.id, c.price, c.quantity, c.time_in_force, sink));
  receive(set.replace_resting_order(c.handle, c.id, c.price, c.quantity));
  receive(set.apply(c, sink));
  set.apply(
      commands, [](const Result& result) { receive(result); }, sink);
  set.apply(
      commands, [](const Result& result, std::size_t) { receive(result); },
      [](const Trade& trade, std::size_t) { receive(trade); });
  std::ignore = set.apply(commands, results, sink);
  BookSet::Book book = set.book(c.book).value();
  receive(book.apply(c, sink));
  receive(std::as_const(set).book(c.book)->find(c.handle).value());
  BookSet moved = std::move(set);
  receive(moved.apply(c, sink));
}

void call_by_id(IdBook<BookSet, HashedIds>& set, const BookRequest& r) {
  const auto request_of_set = [&](std::size_t i) { return BookRequest{request(i), r.book}; };
  const auto receiver = [](const Result& result) { receive(result); };
  const auto sink = [](const Trade& trade) { receive(trade); };
  receive(set.add_limit_order(r.book, r.id, r.side, r.price, r.quantity, r.time_in_force, sink));
  receive(set.add_market_order(r.book, r.id, r.side, r.quantity, sink));
  receive(set.modify_order(r.id, r.price, r.quantity, r.time_in_force, sink));
  receive(set.replace_order(r.id, r.new_id, r.price, r.quantity, r.time_in_force, sink));
  receive(set.apply(r, sink));
  set.apply(r.quantity, request_of_set, receiver, sink);
}

/// All that a factory or a default sets.
void make(const Request& r) {
  receive(Request{});
  receive(Request::add_limit(r.id, r.side, r.price, r.quantity, r.time_in_force));
  receive(Request::add_market(r.id, r.side, r.quantity));
  receive(Request::cancel(r.id));
  receive(Request::modify(r.id, r.price, r.quantity));
  receive(Request::reduce(r.id, r.quantity));
  receive(Request::replace(r.id, r.new_id, r.price, r.quantity));
  receive(DenseIds::Config{});
}

}  // namespace test
}  // namespace llmes::inline LLMES_NAMESPACE
