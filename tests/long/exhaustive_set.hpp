// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length on a set of two books, which share a pool that has room for three orders.
// Where orders live where their ids say, all ids belong in one bucket, and six orders that stand in the second
// book leave one slot there: the next order goes on to another bucket. The first book gets every call of the small
// world. The second one gets adds of some kinds: what is done with its orders once they rest are calls by handle,
// of which each book gets all. After each call the answer, the trades, the whole state of both books and the
// invariants are compared.
//
// Two states are the same if the sets are the same to the last bit, but for the shape of the trees and what no
// longer means anything (see small_world.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "llmes/sets/book_set.hpp"
#include "tests/long/search.hpp"
#include "tests/long/small_world.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

template <class Set>
class WorldOfASet : SmallWorld {
  static constexpr bool placed = std::same_as<Set, PlacedBookSet>;

 public:
  /// A set and the oracle of each of its books.
  struct State {
    State() {
      for (std::size_t i = 0; i < books; ++i) static_cast<void>(set.add_book());
      for (std::size_t i = 0; i < standing; ++i) {
        const Command add = Command::add_resting(id_number(i), Side::Buy, narrow_prices[0] - 1, 1);
        static_cast<void>(oracles[1].apply(add));
        oracles[1].name_newest(set.apply({add, 1}, DiscardTrades{}).handle);
      }
    }

    Set set = *Set::create({.max_books = books, .capacity = capacity});
    std::vector<Oracle> oracles{books, Oracle(std::numeric_limits<Price>::min(), highest_price, capacity)};
    std::vector<OrderHandle> issued;
  };

  [[nodiscard]] std::size_t call_count(const State& state) const {
    return adds_.size() + state.issued.size() * on_handle_.size();
  }

  void make(std::size_t index, State& state, std::string& difference) {
    const BookCommand command = call(index, state);
    trades_.trades.clear();
    const Result result = state.set.apply(command, trades_);
    Oracle& oracle = state.oracles[home(command, state)];
    std::size_t others = 0;
    for (const Oracle& other : state.oracles) others += &other == &oracle ? 0 : other.size();
    oracle.limit_to(capacity - others);
    const Oracle::Outcome expected = oracle.apply(command);
    compare_answer(command, expected, result, trades_.trades, oracle, state.issued, difference);
    overwrite_what_is_free(state.set);
  }

  static void compare(const State& state, std::string& difference) {
    if (difference.empty()) difference = broken_invariant(state.set).value_or("");
    for (BookNumber book = 0; book < books; ++book) {
      compare_queries(state.oracles[book], *state.set.book(book), capacity, difference);
    }
    for (const OrderHandle handle : state.issued) {
      for (BookNumber book = 0; book < books; ++book) {
        const std::optional<RestingOrder> order = state.oracles[book].find(handle);
        note_difference(difference, "find in a book", order, state.set.book(book)->find(handle));
        if (order) note_difference(difference, "find", order, state.set.find(handle));
        if (order) note_difference(difference, "book", std::optional<BookNumber>(book), state.set.book_of(handle));
      }
    }
    if constexpr (placed) {
      for (std::size_t i = 0; i < standing + state.issued.size(); ++i) {
        compare_id(state, id_number(i), difference);
      }
    }
  }

  static void copy(const State& from, State& to) {
    BookInspector::copy(from.set, to.set);
    to.oracles = from.oracles;
    to.issued = from.issued;
  }

  static std::string key(const State& state) {
    std::string key;
    const auto views = Inspector::books(state.set);
    for (SlotIndex slot = 0; slot < Inspector::slot_count(views[0]); ++slot) {
      add(key, Inspector::id(views[0], slot));
      if (slot < Inspector::first_order_slot(views[0])) continue;
      add(key, Inspector::quantity(views[0], slot));
      add(key, Inspector::previous(views[0], slot));
      add(key, Inspector::next(views[0], slot));
      add(key, Inspector::level_of(views[0], slot));
      add(key, Inspector::generation(views[0], slot));
    }
    if constexpr (placed) {
      for (const std::uint64_t word : Inspector::tags(views[0])) add(key, word);
    } else {
      add(key, Inspector::first_free(views[0]));
    }
    for (const SlotIndex anchor : free_anchors(views[0])) add(key, anchor);
    for (const auto& book : views) {
      for (const Side side : sides) {
        add(key, Inspector::window_begin(book, side));
        for (const SlotIndex anchor : Inspector::window_anchors(book, side)) add(key, anchor);
        add(key, Inspector::held_distance(book, side));
        if (Inspector::held_distance(book, side) != 0) add(key, Inspector::held_anchor(book, side));
        add_levels(key, far_levels(book, side));
      }
    }
    return key;
  }

  std::string describe(const std::vector<std::uint32_t>& calls) {
    State state;
    std::string difference;
    std::string text;
    for (const std::uint32_t index : calls) {
      const BookCommand command = call(index, state);
      text += "book " + std::to_string(home(command, state)) + ": " + to_string(command) + '\n';
      make(index, state, difference);
    }
    return text;
  }

 private:
  static constexpr std::size_t books = 2;
  static constexpr std::size_t standing = placed ? 6 : 0;
  static constexpr std::size_t capacity = standing + 3;

  /// The ids in their order. Those of a pool of three buckets, in which four ids after each other have one bucket,
  /// all belong in the last one.
  static constexpr OrderId id_number(std::size_t i) { return placed ? i / 4 * 12 + 8 + i % 4 : i + 1; }
  /// Of the next order that is made.
  static OrderId next_id(const State& state) { return id_number(standing + state.issued.size()); }

  /// Whether an id leads to the order that has it.
  static void compare_id(const State& state, OrderId id, std::string& difference) {
    std::optional<RestingOrder> expected;
    for (const Oracle& oracle : state.oracles) {
      for (const Side side : sides) {
        for (const RestingOrder& order : oracle.orders(side)) {
          if (order.id == id) expected = order;
        }
      }
    }
    note_difference(difference, "order of an id", expected, state.set.find(state.set.handle_of(id)));
  }

  static std::vector<BookCommand> calls_that_add() {
    std::vector<BookCommand> calls;
    for (const Side side : sides) {
      for (const Quantity quantity : quantities) {
        calls.push_back({Command::add_market(0, side, quantity), 0});
        for (const auto& [price, time_in_force] : limits_at(narrow_prices)) {
          const bool rests = time_in_force == TimeInForce::GoodTillCancel;
          const Command add = Command::add_limit(0, side, price, quantity, time_in_force);
          calls.push_back({add, 0});
          if (rests) calls.push_back({add, 1});
        }
        for (const Price price : narrow_prices) {
          calls.push_back({Command::add_resting(0, side, price, quantity), 0});
          calls.push_back({Command::add_resting(0, side, price, quantity), 1});
        }
      }
    }
    return calls;
  }
  [[nodiscard]] BookCommand call(std::size_t index, const State& state) const {
    BookCommand command;
    if (index < adds_.size()) {
      command = adds_[index];
      command.id = next_id(state);
    } else {
      const std::size_t rest = index - adds_.size();
      command = {on_handle_[rest % on_handle_.size()], 0};
      command.handle = state.issued[rest / on_handle_.size()];
      if (has_new_id(command.type)) command.id = next_id(state);
    }
    return command;
  }
  /// The book in which a call is made. One by a handle that names nothing is made in none.
  static BookNumber home(const BookCommand& command, const State& state) {
    const bool in_second =
        adds(command.type) ? command.book == 1 : state.oracles[1].find(command.handle).has_value();
    return in_second ? 1 : 0;
  }

  static void overwrite_what_is_free(Set& set) {
    auto views = Inspector::books(set);
    auto& any = views[0];
    for (SlotIndex slot = Inspector::first_order_slot(any); slot < Inspector::slot_count(any); ++slot) {
      if (Inspector::generation(any, slot) % 2 == 0) overwrite(any, slot);
    }
    for (const SlotIndex anchor : free_anchors(any)) overwrite(any, anchor);
    for (auto& book : views) {
      for (const Side side : sides) rename_empty_places(book, side);
    }
  }

  const std::vector<BookCommand> adds_ = calls_that_add();
  const std::vector<Command> on_handle_ = calls_on_handle(limits_at(narrow_prices), narrow_prices);
  RecordTrades trades_;
};

}  // namespace llmes::test
