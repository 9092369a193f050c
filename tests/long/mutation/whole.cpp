// SPDX-License-Identifier: MIT
//
// All code of the product at each height of its tree and with each kind of side book. A mutant with the same
// object code is the same book.
#include <span>
#include <tuple>

#include "llmes/book.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template class OrderBook<64>;
template class OrderBook<4096>;
template class OrderBook<262144>;
template class OrderBook<4096, WideSideBook>;
template class OrderBook<512, AnyPriceSideBook>;

namespace test {

/// Somebody else's, so that no compiler knows what becomes of an answer.
void receive(const Trade& trade);
void receive(const Result& result);
void receive(const RestingOrder& order);
void receive(const DepthLevel& level);

/// The calls that are templates themselves, and what a configuration leaves out.
template <class Book>
void call(Book& book, const Command& c, std::span<const Command> commands, std::span<Result> results) {
  book = *Book::create({.capacity = 1});
  const auto sink = [](const Trade& trade) { receive(trade); };
  receive(book.add_limit_order(c.id, c.side, c.price, c.quantity, c.time_in_force, sink));
  receive(book.add_market_order(c.id, c.side, c.quantity, sink));
  receive(book.modify_order(c.handle, c.price, c.quantity, sink));
  receive(book.modify_order(c.handle, c.price, c.quantity, c.time_in_force, sink));
  receive(book.replace_order(c.handle, c.id, c.price, c.quantity, c.time_in_force, sink));
  receive(book.apply(c, sink));
  book.apply(
      commands, [](const Result& result) { receive(result); }, sink);
  std::ignore = book.apply(commands, results, sink);
  book.apply(
      commands, [](const Result& result, std::size_t) { receive(result); },
      [](const Trade& trade, std::size_t) { receive(trade); });
  book.visit_orders(c.side, [](const RestingOrder& order) { receive(order); });
  book.visit_level(c.side, c.price, [](const RestingOrder& order) {
    receive(order);
    return order.quantity > 1;
  });
}

template void call(OrderBook<64>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(OrderBook<4096>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(WideOrderBook<4096>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(AnyPriceBook<512>&, const Command&, std::span<const Command>, std::span<Result>);
template void call(OrderBook<262144>&, const Command&, std::span<const Command>, std::span<Result>);

}  // namespace test
}  // namespace llmes::inline LLMES_NAMESPACE
