// SPDX-License-Identifier: MIT
#include <iostream>

#include "llmes/llmes.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a book, two trades and a cancel")) return *status;
  using namespace llmes;
  using enum TimeInForce;
  auto book = OrderBook<>::create({.base_price = 0, .capacity = 1000});  // prices 0 to 4095, 1000 resting orders
  if (!book) return 1;
  const auto print = [](const Trade& trade) {
    std::cout << "order " << trade.taker_id << " buys " << trade.quantity << " at " << trade.price
              << " from order " << trade.maker_id << '\n';
  };

  book->add_limit_order(1, Side::Sell, 102, 50, GoodTillCancel, print);
  book->add_limit_order(2, Side::Sell, 101, 30, GoodTillCancel, print);
  const Result bid = book->add_limit_order(3, Side::Buy, 99, 20, GoodTillCancel, print);
  book->add_limit_order(4, Side::Buy, 102, 40, GoodTillCancel, print);
  std::cout << "best bid " << *book->best_bid() << ", best ask " << *book->best_ask() << '\n';

  std::cout << "cancel: " << book->cancel_order(bid.handle) << '\n';
  std::cout << "again: " << book->cancel_order(bid.handle) << '\n';
}
