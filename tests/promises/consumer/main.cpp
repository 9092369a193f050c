// SPDX-License-Identifier: MIT
#include <llmes/llmes.hpp>

#include <cstdio>
#include <string>

int main() {
  const std::string version = std::to_string(LLMES_VERSION_MAJOR) + "." + std::to_string(LLMES_VERSION_MINOR) +
                              "." + std::to_string(LLMES_VERSION_PATCH);
  if (version != EXPECTED_VERSION) {
    std::fprintf(stderr, "the headers are version %s, the package is %s\n", version.c_str(), EXPECTED_VERSION);
    return 1;
  }
  auto book = llmes::OrderBook<>::create({.base_price = 0, .capacity = 10});
  if (!book) return 1;
  const llmes::DiscardTrades sink;
  book->add_limit_order(1, llmes::Side::Buy, 100, 5, llmes::TimeInForce::GoodTillCancel, sink);
  return book->add_market_order(2, llmes::Side::Sell, 5, sink).filled == 5 ? 0 : 1;
}
