// SPDX-License-Identifier: MIT
//
// One book of a set with every call and query of a book of its own, so that it can take its tests. Before each
// call its neighbours are busy: orders come, move and go at any price, but no more rest when the call is made than
// at any other time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "llmes/book.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

template <class Set>
class BusyBookOf : public OrderCalls<BusyBookOf<Set>, Command> {
 public:
  static std::optional<BusyBookOf> create(const BookConfig& config) {
    const std::size_t all = config.capacity > Set::capacity_max(books) - visitors ? 0 : config.capacity + visitors;
    std::optional<Set> set =
        Set::create({.max_books = books, .capacity = all, .quantity_max = config.quantity_max});
    if (!set) return {};
    return BusyBookOf(*std::move(set));
  }

  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details& details) {
    be_busy();
    return at_home(set_, command.handle, [&](auto& home) {
      return home.template execute<type>(BookCommand{command, mine}, sink, details);
    });
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    be_busy();
    return at_home(set_, command.handle, [&](auto& home) { return home.apply(BookCommand{command, mine}, sink); });
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book()->best_bid(); }
  [[nodiscard]] std::optional<Price> best_ask() const { return book()->best_ask(); }
  [[nodiscard]] std::optional<Price> best(Side side) const { return book()->best(side); }
  [[nodiscard]] std::optional<Price> worst(Side side) const { return book()->worst(side); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return book()->level(side, price); }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const { return book()->depth(side, out); }
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    book()->visit_orders(side, visitor);
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    return at_home(set_, handle, [&](const auto& home) { return home.find(handle); });
  }
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const {
    return book()->queue_ahead(handle);
  }
  [[nodiscard]] std::size_t size() const { return book()->size(); }
  [[nodiscard]] std::size_t capacity() const { return set_.capacity() - visitors; }
  [[nodiscard]] Price price_min() const { return book()->price_min(); }
  [[nodiscard]] Price price_max() const { return book()->price_max(); }

  [[nodiscard]] const Set& set() const { return set_; }

 private:
  static constexpr std::size_t books = 3;
  static constexpr BookNumber mine = 1;
  static constexpr std::size_t visitors = 12;

  explicit BusyBookOf(Set&& set) : set_(std::move(set)) {
    for (std::size_t i = 0; i < books; ++i) static_cast<void>(set_.add_book());
    for (OrderHandle& visitor : visitors_) visitor = add();
  }

  [[nodiscard]] std::optional<const typename Set::Book> book() const { return set_.book(mine); }

  /// Makes a call on an order: to the set, as it need not be told in which book the order rests. But a forged
  /// handle may be that of a neighbour's order, which only the book does not know.
  template <class Any, class Call>
  static auto at_home(Any& set, OrderHandle handle, const Call& call) -> decltype(call(set)) {
    if (set.book_of(handle).value_or(mine) == mine) return call(set);
    auto book = set.book(mine);
    return call(*book);
  }

  /// One of the visitors goes, and another one comes.
  void be_busy() {
    OrderHandle& visitor = visitors_[random_.below(visitors)];
    if (random_.chance(20)) {
      static_cast<void>(set_.modify_resting_order(visitor, price(), 3));
      return;
    }
    static_cast<void>(set_.cancel_order(visitor));
    visitor = add();
  }
  OrderHandle add() {
    const auto book = static_cast<BookNumber>(2 * random_.below(2));
    const auto side = static_cast<Side>(random_.below(2));
    const Price at = price();
    return set_.add_resting_order(book, 0, side, at, 1 + random_.below(5)).handle;
  }
  Price price() {
    const std::uint64_t bits = random_.below(64);
    return static_cast<Price>(random_.next() >> bits) % (highest_price + 1);
  }

  Set set_;
  Random random_{1};
  std::array<OrderHandle, visitors> visitors_;
};

/// Of a set whose orders have handles alone, and of one where their ids say where they live. Those of the
/// neighbours have one id, as many as there are.
using BusySetBook = BusyBookOf<BookSet>;
using BusyPlacedBook = BusyBookOf<PlacedBookSet>;

template <class Set>
std::optional<std::string> broken_invariant(const BusyBookOf<Set>& book) {
  return broken_invariant(book.set());
}

}  // namespace llmes::test
