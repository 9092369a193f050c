// SPDX-License-Identifier: MIT
//
// What a venue decides inside matching: an iceberg, a match of one owner's orders that is prevented, and a mass
// cancel.
#include <iostream>

#include "llmes/llmes.hpp"
#include "usage.hpp"

namespace {

/// Hears of all that a book with rules tells.
struct Print {
  void operator()(const llmes::RuledTrade& trade) const {
    std::cout << "  trade: " << trade.quantity << " of order " << trade.maker_id << ", which shows "
              << trade.maker_displayed << " of " << trade.maker_remaining << '\n';
  }
  void refilled(const llmes::RestingOrder& order) const { std::cout << "  refilled: " << order << '\n'; }
  void prevented(const llmes::PreventedMatch& match) const { std::cout << "  prevented: " << match << '\n'; }
  void cancelled(const llmes::RestingOrder& order) const { std::cout << "  cancelled: " << order << '\n'; }
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a book with the rules of a venue")) return *status;
  using namespace llmes;
  using enum TimeInForce;
  auto book = IdBook<RuledOrderBook<>, HashedIds>::create({.base_price = 0, .capacity = 1000}, {});
  if (!book) return 1;
  const Owner alice = 1;
  const Owner bob = 2;

  const auto add = [&](OrderId id, Side side, Price price, Quantity quantity, const OrderTerms& terms) {
    std::cout << "order " << id << ": " << terms << '\n';
    std::cout << book->add_limit_order(id, side, price, quantity, GoodTillCancel, terms, Print{}) << '\n';
  };
  add(1, Side::Sell, 100, 10, {.owner = alice, .display = Display::Reserve, .peak = 4});
  add(2, Side::Sell, 100, 3, {.owner = bob});
  std::cout << "shown: " << book->book().level(Side::Sell, 100) << '\n';
  add(3, Side::Buy, 100, 8, {.owner = bob, .self_trade = SelfTrade::CancelMaker});
  std::cout << "all of alice's:\n" << book->mass_cancel({.owner = alice}, Print{}) << '\n';
  return 0;
}
