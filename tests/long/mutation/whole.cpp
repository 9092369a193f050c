// SPDX-License-Identifier: MIT
//
// All code of the product at each height of its tree. A mutant with the same object code is the same
// book.
#include <span>
#include <tuple>

#include "llmes/llmes.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template class OrderBook<64>;
template class OrderBook<4096>;
template class OrderBook<262144>;

namespace test {

/// Somebody else's, so that no compiler knows what becomes of an answer.
void receive(const Trade& trade);
void receive(const Result& result);
void receive(const RestingOrder& order);

/// The calls that are templates themselves, and what a configuration leaves out.
template <class Book>
void call(Book& book, const Command& c, std::span<const Command> commands, std::span<Result> results) {
  book = *Book::create({.capacity = 1});
  const auto sink = [](const Trade& trade) { receive(trade); };
  receive(book.add_limit_order(c.id, c.side, c.price, c.quantity, c.time_in_force, sink));
  receive(book.add_market_order(c.id, c.side, c.quantity, sink));
  receive(book.modify_order(c.handle, c.price, c.quantity, sink));
  receive(book.modify_order(c.handle, c.price, c.quantity, c.time_in_force, sink));
  receive(book.apply(c, sink));
  book.apply(
      commands, [](const Result& result) { receive(result); }, sink);
  std::ignore = book.apply(commands, results, sink);
  book.visit_orders(c.side, [](const RestingOrder& order) { receive(order); });
}

template void call(OrderBook<64>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(OrderBook<4096>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(OrderBook<262144>&, const Command&, std::span<const Command>, std::span<Result>);

}  // namespace test
}  // namespace llmes::inline LLMES_NAMESPACE
