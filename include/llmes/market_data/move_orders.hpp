// SPDX-License-Identifier: MIT
//
// Moves all orders of a book of a set to other prices, and to another book of it. Queue order is kept.
#pragma once

#include <cstddef>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// How many levels a book has. `Books` is an `IdBook` of a set. Linear in the orders.
template <class Books>
[[nodiscard]] std::size_t level_count(const Books& books, BookNumber book) noexcept {
  std::size_t count = 0;
  for (const Side side : {Side::Buy, Side::Sell}) {
    std::optional<Price> last;
    books.book(book)->visit_orders(side, [&](const RestingOrder& order) {
      count += last != order.price;
      last = order.price;
    });
  }
  return count;
}

/// Moves each order of book `from`, the best first, to the price that `tick` makes of its own. Handles change.
/// Takes no more slots; needs room for the levels of the book and one more. Linear: a cancel and an add an order.
template <class Books, class Tick>
void move_orders(Books& books, BookNumber from, BookNumber to, const Tick& tick) noexcept {
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (;;) {
      std::optional<RestingOrder> first;
      books.book(from)->visit_orders(side, [&](const RestingOrder& order) {
        first = order;
        return false;
      });
      if (!first) break;
      static_cast<void>(books.cancel_order(first->id));
      static_cast<void>(books.add_resting_order(to, first->id, side, tick(first->price), first->quantity));
    }
  }
}

/// Enters the orders of a book once more at the ticks of a finer grid, through the empty book `spare`. That takes
/// no more slots than before, and at most one far level for each level and one for the level being moved. Linear.
/// @param has_all_levels whether there are as many far levels as orders, which are always enough
/// @return false if there may be too few far levels; then nothing has changed
template <class Books, class Tick>
[[nodiscard]] bool enter_again(Books& books, BookNumber book, BookNumber spare, bool has_all_levels,
                               const Tick& tick) noexcept {
  if (!has_all_levels && books.book().far_levels_left() <= level_count(books, book)) return false;
  move_orders(books, book, spare, [](Price old) { return old; });
  move_orders(books, spare, book, tick);
  return true;
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
