// SPDX-License-Identifier: MIT
//
// Messages of a feed, which names orders by ids of its own, applied as one span: no map from ids to handles, and
// no copy of the messages. The book asks for request i by `at(i)`: some way ahead, to fetch what the request will
// need, and again when it is applied. So a message may name an order that was added just before it.
#include <cstddef>
#include <iostream>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "usage.hpp"

namespace {

struct Message {
  char type;  // 'A' adds an order, 'D' deletes it
  llmes::OrderId id;
  llmes::Side side;
  llmes::Price price;
  llmes::Quantity lots;
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a span of requests that name orders by ids"))
    return *status;
  using namespace llmes;
  using enum TimeInForce;
  const std::vector<Message> messages{
      {'A', 7'000'000'001, Side::Buy, 100, 10},  //
      {'A', 3, Side::Sell, 105, 10},             //
      {'A', 3, Side::Sell, 106, 5},              // rejected: order 3 rests
      {'A', 98, Side::Buy, 105, 4},              // trades with order 3
      {'D', 98, {}, 0, 0},                       // rejected: order 98 never rested
      {'D', 3, {}, 0, 0},                        // takes off what is left of order 3
      {'A', 3, Side::Sell, 106, 5},              // so its id is free again
  };
  const auto print = [](const Trade& trade) { std::cout << trade << '\n'; };

  auto book = IdBook<OrderBook<>, HashedIds>::create({.base_price = 0, .capacity = 1000}, {});
  if (!book) return 1;
  const auto at = [&](std::size_t i) {
    const auto& [type, id, side, price, lots] = messages[i];
    return type == 'A' ? Request::add_limit(id, side, price, lots, GoodTillCancel) : Request::cancel(id);
  };
  const auto receive = [&](const Result& result, std::size_t i) {
    std::cout << "order " << messages[i].id << ": " << result << '\n';
  };
  book->apply(messages.size(), at, receive, print);

  std::cout << "order 3 again: " << *book->find(3) << '\n';
}
