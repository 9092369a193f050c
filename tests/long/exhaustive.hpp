// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length, in a world that is small enough: both sides, three prices, one or two
// lots, every time in force, a price beyond either end of the band for orders that do not rest, market orders,
// orders that rest without a trade, so that the book is locked and crossed, and cancel, modify, replace, reduce
// and an order in front of every handle ever issued, in a pool of three slots. After each call the answer, the
// trades, the whole state and the invariants are compared. The prices of a book without a band are far from each
// other, so that its windows move.
//
// No symmetry is assumed: two states are the same if the books are the same to the last bit (see small_world.hpp).
// Then the same handles have been issued, as a slot's generation says which. The id of an order is its number
// among those that came to rest, so the same handles mean the same next id.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "llmes/book.hpp"
#include "tests/long/search.hpp"
#include "tests/long/small_world.hpp"
#include "tests/support/any_book.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/operation.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

/// Calls by handle. `Book` is an `OrderBook` of 128 prices, or derived from it, or one without a band.
template <class Book>
class WorldByHandle : SmallWorld {
 public:
  /// A book and its oracle.
  struct State {
    Book book = *Book::create(config);
    Oracle oracle{book.price_min(), book.price_max(), config.capacity};
    std::vector<OrderHandle> issued;
  };

  [[nodiscard]] std::size_t call_count(const State& state) const {
    return without_handle_.size() + state.issued.size() * on_handle_.size();
  }

  void make(std::size_t index, State& state, std::string& difference) {
    const Command command = call(index, state);
    trades_.trades.clear();
    const Result result = state.book.apply(command, trades_);
    const Oracle::Outcome expected = state.oracle.apply(command);
    compare_answer(command, expected, result, trades_.trades, state.oracle, state.issued, difference);
    overwrite_free_slots(state.book);
  }

  /// Whether every query answers as the oracle does.
  static void compare(const State& state, std::string& difference) {
    SmallWorld::compare(state.oracle, state.book, config.capacity, difference);
    for (const OrderHandle handle : state.issued) {
      note_difference(difference, "find", state.oracle.find(handle), state.book.find(handle));
    }
  }

  static void copy(const State& from, State& to) {
    BookInspector::copy(from.book, to.book);
    to.oracle = from.oracle;
    to.issued = from.issued;
  }

  static std::string key(const State& state) { return key_of(state.book); }

  /// A test to paste.
  std::string describe(const std::vector<std::uint32_t>& calls) {
    State state;
    std::string difference;
    std::vector<Operation> operations;
    for (const std::uint32_t index : calls) {
      operations.push_back(operation(index, state));
      make(index, state, difference);
    }
    return source_of_test(type_name<Book>(), config.base_price, config.capacity, operations);
  }

 private:
  static constexpr BookConfig config{.base_price = base_price, .capacity = 3};
  static constexpr auto prices = prices_in<Book>();
  /// Also of a band that moves. Without a band only the largest price is beyond.
  static constexpr std::array<Price, 2> prices_beyond =
      Book::has_band ? std::array<Price, 2>{-1'000, 1'000}
                     : std::array{std::numeric_limits<Price>::min(), std::numeric_limits<Price>::max()};

  /// Every price with every time in force, and with those that do not rest the prices beyond either end of the
  /// band.
  static Limits limits() {
    Limits limits = limits_at(prices);
    for (const Price price : prices_beyond) {
      limits.emplace_back(price, TimeInForce::ImmediateOrCancel);
      limits.emplace_back(price, TimeInForce::FillOrKill);
    }
    return limits;
  }
  /// The calls in a state: those that name no order, then those on each handle.
  static std::vector<Command> calls_without_handle() {
    std::vector<Command> calls;
    for (const Side side : sides) {
      for (const Quantity quantity : quantities) {
        calls.push_back(Command::add_market(0, side, quantity));
        for (const auto& [price, time_in_force] : limits()) {
          calls.push_back(Command::add_limit(0, side, price, quantity, time_in_force));
        }
        for (const Price price : prices) calls.push_back(Command::add_resting(0, side, price, quantity));
      }
    }
    return calls;
  }
  [[nodiscard]] Command call(std::size_t index, const State& state) const {
    Command command;
    if (index < without_handle_.size()) {
      command = without_handle_[index];
      command.id = state.issued.size() + 1;
    } else {
      const std::size_t rest = index - without_handle_.size();
      command = on_handle_[rest % on_handle_.size()];
      command.handle = state.issued[rest / on_handle_.size()];
      if (has_new_id(command.type)) command.id = state.issued.size() + 1;
    }
    return command;
  }

  /// The same as a step of the sequence that a failure prints: the label of an order is its id.
  [[nodiscard]] Operation operation(std::size_t index, const State& state) const {
    const Command command = call(index, state);
    const std::size_t rest = index - without_handle_.size();
    const bool on_handle = index >= without_handle_.size();
    return Operation{command.type,
                     on_handle ? rest / on_handle_.size() + 1 : command.id,
                     command.side,
                     command.price,
                     command.quantity,
                     command.time_in_force,
                     on_handle ? command.id : 0}
        .as_command();
  }

  const std::vector<Command> without_handle_ = calls_without_handle();
  const std::vector<Command> on_handle_ = calls_on_handle(limits(), prices);
  RecordTrades trades_;
};

template <class Book>
using Exhaustive = Search<WorldByHandle<Book>>;

}  // namespace llmes::test
