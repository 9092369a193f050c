// SPDX-License-Identifier: MIT
//
// Says in words where a book and its oracle disagree: about an answer, a query or all that rests. Empty if
// nowhere.
#pragma once

#include <string>
#include <vector>

#include "llmes/types/types.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

inline std::string difference_of_answers(const Oracle::Outcome& expected, const Result& result,
                                         const std::vector<Trade>& trades) {
  std::string difference;
  note_difference(difference, "status", expected.status, result.status);
  note_difference(difference, "filled", expected.filled, result.filled);
  note_difference(difference, "remaining", expected.remaining, result.remaining);
  note_difference(difference, "cancelled", expected.cancelled, result.cancelled);
  note_difference(difference, "kept its place", expected.kept_place, result.kept_place);
  note_difference(difference, "trades", expected.trades, trades);
  return difference;
}

template <class Book>
std::string difference_of_ends(const Oracle& oracle, const Book& book) {
  std::string difference;
  for (const Side side : {Side::Buy, Side::Sell}) {
    note_difference(difference, "best", oracle.best(side), book.best(side));
    note_difference(difference, "worst", oracle.worst(side), book.worst(side));
  }
  note_difference(difference, "size", oracle.size(), book.size());
  return difference;
}

template <class Book>
std::string difference_of_orders(const Oracle& oracle, const Book& book) {
  std::string difference;
  for (const Side side : {Side::Buy, Side::Sell}) {
    const std::vector<RestingOrder> orders = oracle.orders(side);
    note_difference(difference, "orders", orders, orders_of(book, side));
    for (const RestingOrder& order : orders) {
      note_difference(difference, "queue ahead", oracle.queue_ahead(order.handle), book.queue_ahead(order.handle));
    }
  }
  return difference;
}

}  // namespace llmes::test
