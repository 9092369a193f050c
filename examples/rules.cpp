// SPDX-License-Identifier: MIT
//
// What a venue decides inside matching, rule by rule: owners and self-trade prevention, an iceberg, a mass cancel,
// hidden orders, a minimum quantity, a stated place in the queue, and allocation pro-rata.
#include <iostream>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/rules.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;
using enum TimeInForce;

/// Hears of all that a book with rules tells.
struct Print {
  void operator()(const RuledTrade& trade) const {
    std::cout << "  trade: " << trade.quantity << " of order " << trade.maker_id << ", which shows "
              << trade.maker_displayed << " of " << trade.maker_remaining << '\n';
  }
  void refilled(const RestingOrder& order) const { std::cout << "  refilled: " << order << '\n'; }
  void prevented(const PreventedMatch& match) const { std::cout << "  prevented: " << match << '\n'; }
  void cancelled(const RestingOrder& order) const { std::cout << "  cancelled: " << order << '\n'; }
};

constexpr Owner alice = 1;
constexpr Owner bob = 2;

/// Adds an order, and prints its terms and what comes of it.
template <class Book>
void add(Book& book, OrderId id, Side side, Price price, Quantity quantity, const OrderTerms& terms,
         TimeInForce time_in_force = GoodTillCancel) {
  std::cout << "order " << id << ": " << terms << '\n';
  std::cout << book.add_limit_order(id, side, price, quantity, time_in_force, terms, Print{}) << '\n';
}

void show_owners_and_reserves(IdBook<RuledOrderBook<>, HashedIds>& book) {
  add(book, 1, Side::Sell, 100, 10, {.owner = alice, .display = Display::Reserve, .peak = 4});
  add(book, 2, Side::Sell, 100, 3, {.owner = bob});
  std::cout << "shown: " << book.book().level(Side::Sell, 100) << '\n';
  add(book, 3, Side::Buy, 100, 8, {.owner = bob, .self_trade = SelfTrade::CancelMaker});
  std::cout << "all of alice's:\n" << book.mass_cancel({.owner = alice}, Print{}) << '\n';
}

void show_hidden_and_minimum(IdBook<RuledOrderBook<>, HashedIds>& book) {
  std::cout << "\nhidden, and a minimum quantity:\n";
  add(book, 11, Side::Sell, 100, 5, {.display = Display::Hidden});
  add(book, 12, Side::Sell, 100, 5, {});  // it comes later, and trades first
  add(book, 13, Side::Buy, 100, 20, {.minimum = 12}, ImmediateOrCancel);
  add(book, 14, Side::Buy, 100, 20, {.minimum = 10}, ImmediateOrCancel);
}

void show_a_place_in_the_queue(IdBook<RuledOrderBook<>, HashedIds>& book) {
  std::cout << "\na stated place in the queue:\n";
  add(book, 21, Side::Sell, 100, 5, {});
  std::cout << book.add_resting_order_before(21, 22, 5) << '\n';
  add(book, 23, Side::Buy, 100, 6, {}, ImmediateOrCancel);
}

void show_pro_rata() {
  std::cout << "\npro-rata, shares of at least 2 lots:\n";
  auto book = IdBook<RuledOrderBook<4096, VenueRules<Allocation::ProRata, 2>>, HashedIds>::create(
      {.base_price = 0, .capacity = 1000}, {});
  if (!book) return;
  add(*book, 31, Side::Sell, 100, 60, {});
  add(*book, 32, Side::Sell, 100, 30, {});
  add(*book, 33, Side::Sell, 100, 10, {});
  add(*book, 34, Side::Buy, 100, 15,
      {});  // shares of 9, 4 and 1: the last is too small, and what is left goes by time
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a book with the rules of a venue")) return *status;
  auto book = IdBook<RuledOrderBook<>, HashedIds>::create({.base_price = 0, .capacity = 1000}, {});
  if (!book) return 1;
  show_owners_and_reserves(*book);
  show_hidden_and_minimum(*book);
  show_a_place_in_the_queue(*book);
  show_pro_rata();
  return 0;
}
