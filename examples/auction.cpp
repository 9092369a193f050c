// SPDX-License-Identifier: MIT
//
// A call auction: orders collect without trading, the indicative price follows them, and the book is uncrossed.
#include <iostream>
#include <optional>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/rules.hpp"
#include "usage.hpp"

namespace {

/// Hears of all that an auction tells.
struct Print {
  void operator()(const llmes::AuctionTrade& trade) const { std::cout << "  trade: " << trade << '\n'; }
  void prevented(const llmes::PreventedAuctionTrade& match) const {
    std::cout << "  prevented: " << match << '\n';
  }
  void refilled(const llmes::RestingOrder& order) const { std::cout << "  refilled: " << order << '\n'; }
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a call auction")) return *status;
  using namespace llmes;
  auto book = IdBook<RuledOrderBook<>, HashedIds>::create({.base_price = 0, .capacity = 1000}, {});
  if (!book) return 1;
  const Price reference = 100;
  const Owner alice = 1;

  const auto rest = [&](OrderId id, Side side, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    book->add_resting_order(id, side, price, quantity, terms);
    std::cout << "order " << id << ": " << side << ' ' << quantity << " at " << price;
    const std::optional<AuctionPrice> indicative = book->book().indicative(reference);
    if (indicative) std::cout << "; indicative: " << *indicative;
    std::cout << '\n';
  };
  rest(1, Side::Buy, 105, 10, {.owner = alice});
  rest(2, Side::Sell, 98, 4, {.owner = alice});
  rest(3, Side::Sell, 101, 9, {.display = Display::Reserve, .peak = 3});
  rest(4, Side::Sell, 101, 5);
  rest(5, Side::Buy, 102, 2);

  const std::optional<AuctionPrice> found = book->book().indicative(reference);
  if (!found) return 1;
  std::cout << book->uncross(found->price, SelfTrade::Decrement, Print{}) << '\n';
  std::cout << "left: " << book->book().level(Side::Sell, 101) << '\n';
  return 0;
}
