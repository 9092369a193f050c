// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length on a set of two books, which share a pool of three slots. The first book
// gets every call of the small world. The second one gets adds of some kinds: what is done with its orders once
// they rest are calls by handle, of which each book gets all. After each call the answer, the trades, the whole
// state of both books and the invariants are compared.
//
// Two states are the same if the sets are the same to the last bit, but for the shape of the trees and what no
// longer means anything (see small_world.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "llmes/book_set.hpp"
#include "tests/long/search.hpp"
#include "tests/long/small_world.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

class WorldOfASet : SmallWorld {
 public:
  /// A set and the oracle of each of its books.
  struct State {
    State() {
      for (std::size_t i = 0; i < books; ++i) static_cast<void>(set.add_book());
    }

    BookSet set = *BookSet::create({.books = books, .capacity = capacity});
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
  }

  static void copy(const State& from, State& to) {
    BookInspector::copy(from.set, to.set);
    to.oracles = from.oracles;
    to.issued = from.issued;
  }

  static std::string key(const State& state) {
    std::string key;
    const std::vector<BookSet::Book> views = Inspector::books(state.set);
    for (SlotIndex slot = 0; slot < Inspector::slot_count(views[0]); ++slot) {
      add(key, Inspector::id(views[0], slot));
      if (slot < Inspector::first_order_slot(views[0])) continue;
      add(key, Inspector::quantity(views[0], slot));
      add(key, Inspector::previous(views[0], slot));
      add(key, Inspector::next(views[0], slot));
      add(key, Inspector::level_of(views[0], slot));
      add(key, Inspector::generation(views[0], slot));
    }
    add(key, Inspector::first_free(views[0]));
    for (const SlotIndex anchor : free_anchors(views[0])) add(key, anchor);
    for (const BookSet::Book& book : views) {
      for (const Side side : sides) {
        add(key, Inspector::window_begin(book, side));
        for (const SlotIndex anchor : Inspector::window_anchors(book, side)) add(key, anchor);
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
  static constexpr std::size_t capacity = 3;

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
      command.id = state.issued.size() + 1;
    } else {
      const std::size_t rest = index - adds_.size();
      command = {on_handle_[rest % on_handle_.size()], 0};
      command.handle = state.issued[rest / on_handle_.size()];
      if (replaces(command.type)) command.id = state.issued.size() + 1;
    }
    return command;
  }
  /// The book in which a call is made. One by a handle that names nothing is made in none.
  static BookNumber home(const BookCommand& command, const State& state) {
    const bool in_second =
        adds(command.type) ? command.book == 1 : state.oracles[1].find(command.handle).has_value();
    return in_second ? 1 : 0;
  }

  static void overwrite_what_is_free(BookSet& set) {
    std::vector<BookSet::Book> views = Inspector::books(set);
    BookSet::Book& any = views[0];
    for (SlotIndex slot = Inspector::first_order_slot(any); slot < Inspector::slot_count(any); ++slot) {
      if (Inspector::generation(any, slot) % 2 == 0) overwrite(any, slot);
    }
    for (const SlotIndex anchor : free_anchors(any)) overwrite(any, anchor);
    for (BookSet::Book& book : views) {
      for (const Side side : sides) rename_empty_places(book, side);
    }
  }

  const std::vector<BookCommand> adds_ = calls_that_add();
  const std::vector<Command> on_handle_ = calls_on_handle(limits_at(narrow_prices), narrow_prices);
  RecordTrades trades_;
};

}  // namespace llmes::test
