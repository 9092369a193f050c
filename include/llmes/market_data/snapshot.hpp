// SPDX-License-Identifier: MIT
//
// The whole book as events, for a reader that starts late or has lost an event.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "llmes/market_data/displayed.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Gives `sink` the state of a book, as the events that it has members for: an OrderAdded for each order by
/// priority, a LevelChanged for each level, the best first, bids before asks, and one BestChanged. Each has the
/// position of its stream at which the state was true; the last one of each stream ends the command. A reader
/// applies these to an empty book, and then the events of that stream with a higher sequence. An empty book has no
/// orders or levels to report; orders that display nothing are left out. A sink that takes none of these events
/// does not compile. Linear in the orders.
/// @param book one book: of an `IdBook` its `book()`, of a set that of its number.
/// @param positions those of the publisher: `publisher.positions(number)`.
/// @param sink it may ask the book, and must not change it.
/// @param number what the events call the book.
template <class Book, class Sink>
void give_snapshot(const Book& book, const StreamPositions& positions, Sink&& sink, BookNumber number = 0) {
  detail::check_event_sink<std::remove_reference_t<Sink>>();
  static_assert(Takes<Sink, OrderAdded, LevelChanged, BestChanged>,
                "llmes: this sink takes no event of a snapshot: it needs a member `added`, `level_changed` or "
                "`best_changed`; see llmes/market_data/events.hpp");
  std::size_t left = book.size();
  if constexpr (detail::has_rules<Book>) {
    left = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      book.visit_orders(side, [&](const RestingOrder& order) { left += detail::displays(order); });
    }
  }
  for (const Side side : {Side::Buy, Side::Sell}) {
    std::optional<Price> price;
    if constexpr (Takes<Sink, OrderAdded, LevelChanged>) {
      book.visit_orders(side, [&](const RestingOrder& order) {
        if constexpr (detail::has_rules<Book>) {
          if (!detail::displays(order)) return;
        }
        if constexpr (Takes<Sink, LevelChanged>) {
          if (price != order.price) {
            price = order.price;
            const DepthLevel level = book.level(side, order.price);
            give(sink, LevelChanged{{positions.levels, number, left == level.order_count}, side, level});
          }
        }
        --left;
        if constexpr (Takes<Sink, OrderAdded>)
          give(sink, OrderAdded{{positions.orders, number, left == 0}, order});
      });
    }
  }
  if constexpr (Takes<Sink, BestChanged>) {
    BestChanged best = best_of(book);
    static_cast<Event&>(best) = {positions.best, number, true};
    give(sink, best);
  }
}

}  // namespace llmes::inline LLMES_NAMESPACE
