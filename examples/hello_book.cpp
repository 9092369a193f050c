// SPDX-License-Identifier: MIT
#include <iostream>

#include "llmes/llmes.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a book, a trade and a cancel")) return *status;
  using namespace llmes;
  using enum TimeInForce;
  auto book = OrderBook<>::create({.base_price = 0, .capacity = 1000});  // prices 0 to 4095, 1000 resting orders
  if (!book) return 1;
  const auto print = [](const Trade& trade) {
    std::cout << trade.quantity << " traded at " << trade.price << '\n';
  };

  const Result sell = book->add_limit_order(1, Side::Sell, 101, 30, GoodTillCancel, print);
  book->add_limit_order(2, Side::Buy, 102, 20, GoodTillCancel, print);
  std::cout << "best ask: " << *book->best_ask() << '\n';
  std::cout << "cancel: " << book->cancel_order(sell.handle) << '\n';
  std::cout << "again: " << book->cancel_order(sell.handle) << '\n';
}
