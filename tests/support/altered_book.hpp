// SPDX-License-Identifier: MIT
//
// Books for the exhaustive search that make their calls differently: in a moved band, or wrongly, which tests the
// search itself.
#pragma once

#include <optional>
#include <utility>

#include "llmes/book.hpp"
#include "tests/support/invariants.hpp"

namespace llmes::test {

/// An `OrderBook<128>` whose calls `Alteration::apply(book, command, sink)` makes.
template <class Alteration>
class AlteredBook : public OrderBook<128> {
 public:
  static std::optional<AlteredBook> create(const BookConfig& config) {
    return AlteredBook(*OrderBook<128>::create(config));
  }

  template <TradeSink Sink>
  Result apply(const llmes::Command& command, Sink& sink) {
    return Alteration::apply(static_cast<OrderBook<128>&>(*this), command, sink);
  }

 private:
  explicit AlteredBook(OrderBook<128>&& book) : OrderBook<128>(std::move(book)) {}
};

/// As it should be.
struct PlainCalls {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    return book.apply(command, sink);
  }
};

/// Moves the band before each call, so that the prices -1 to 1 are at its upper end if an even number of orders
/// rests, otherwise at its lower end, and back after it, by a step of one tick each time, in which levels take the
/// places of their neighbours. That must change nothing; if it does, the call returns `InvalidCommand`, which no
/// call of the search deserves.
template <class Calls = PlainCalls>
struct MovesTheBand {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    const Price home = book.price_min();
    const auto moved_to = [&book](Price base_price) { return book.recenter(base_price) == Status::Success; };
    const bool away = moved_to(home + 1) && moved_to(book.size() % 2 == 0 ? -126 : -1);
    const Result result = Calls::apply(book, command, sink);
    const bool whole = !broken_invariant(book);
    const bool back = moved_to(home - 1) && moved_to(home);
    return away && whole && back ? result : Result{Status::InvalidCommand};
  }
};

}  // namespace llmes::test
