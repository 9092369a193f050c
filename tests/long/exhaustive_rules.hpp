// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length on a book with rules: two owners, two prices, orders that show all, a
// part or nothing, each mode of self-trade prevention, fill-or-kill, minimum quantities, mass cancel, and cancel,
// reduce, modify and replace of every order that rests, in a pool of four slots. After each call the answer, each
// event in order, the whole state and the invariants are compared.
//
// The calls are fewer than in the other worlds, and the sequences longer: what rules do to each other shows only
// where several orders rest. Two states are the same if the slots of the pool are the same to the last bit, and
// the oracles are: the walk over the invariants has shown that what rules keep beside the pool agrees with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/long/search.hpp"
#include "tests/long/small_world.hpp"
#include "tests/support/any_ruled_book.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/ruled_invariants.hpp"
#include "tests/support/ruled_text.hpp"
#include "tests/support/rules_oracle.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

template <Allocation allocation>
class WorldOfRules : SmallWorld {
 public:
  using Book = OrderBook<64, ArraySideBook, VenueRules<allocation>>;

  /// A book and its oracle. A copy is made by making the same calls.
  struct State {
    std::optional<Book> book = Book::create({.base_price = base_price, .capacity = capacity});
    RulesOracle oracle{
        {.price_min = base_price, .price_max = base_price + 63, .capacity = capacity, .allocation = allocation}};
    std::size_t issued = 0;
    std::vector<RuledCommand> made;
  };

  [[nodiscard]] std::size_t call_count(const State& state) const {
    return without_handle_.size() + (state.oracle.size() + (state.issued > 0 ? 1 : 0)) * on_handle_.size();
  }

  void make(std::size_t index, State& state, std::string& difference) {
    const RuledCommand command = call(index, state);
    sink_.events.clear();
    const Result result = state.book->apply(command, sink_);
    const RulesOracle::Outcome expected = command.type == CommandType::MassCancel
                                              ? state.oracle.mass_cancel(command.scope(), &RulesOracle::first_book)
                                              : state.oracle.apply(in_book(command));
    note_difference(difference, "status", expected.status, result.status);
    note_difference(difference, "filled", expected.filled, result.filled);
    note_difference(difference, "remaining", expected.remaining, result.remaining);
    note_difference(difference, "cancelled", expected.cancelled, result.cancelled);
    note_difference(difference, "kept its place", expected.kept_place, result.kept_place);
    note_difference(difference, "events", expected.events, sink_.events);
    if (expected.remaining == 0) {
      note_difference(difference, "handle", OrderHandle{}, result.handle);
    } else if (result.status != Status::Success || !(adds(command.type) || replaces(command.type))) {
      note_difference(difference, "handle", command.handle, result.handle);
    } else {
      note_difference(difference, "an order has the new handle", false,
                      state.oracle.find(result.handle) != nullptr);
      state.oracle.name_newest(result.handle);
      ++state.issued;
    }
    state.made.push_back(command);
    overwrite_free_slots(*state.book);
  }

  static void compare(const State& state, std::string& difference) {
    const Book& book = *state.book;
    if (difference.empty()) difference = broken_invariant(book).value_or("");
    if (difference.empty()) difference = broken_rules(book, state.oracle.resting());
    for (const Side side : sides) {
      const std::vector<DepthLevel> depth = state.oracle.depth(0, side);
      note_difference(difference, "orders", state.oracle.orders(0, side), orders_of(book, side));
      note_difference(difference, "depth", depth, depth_of(book, side));
      const auto best = depth.empty() ? std::nullopt : std::optional(depth.front().price);
      const auto worst = depth.empty() ? std::nullopt : std::optional(depth.back().price);
      note_difference(difference, "best", best, book.best(side));
      note_difference(difference, "worst", worst, book.worst(side));
    }
    for (const RuledOrder& order : state.oracle.resting()) {
      note_difference(difference, "find", std::optional(order.shown), book.find(order.shown.handle));
      note_difference(difference, "terms", std::optional(terms_of(order)), book.terms_of(order.shown.handle));
    }
    note_difference(difference, "size", state.oracle.size(), book.size());
  }

  /// What a call leaves in the free slots of the pool is part of what the next one meets.
  static void copy(const State& from, State& to) {
    to.book = Book::create({.base_price = base_price, .capacity = capacity});
    for (const RuledCommand& command : from.made) {
      static_cast<void>(to.book->apply(command, RuleRecorder{}));
      overwrite_free_slots(*to.book);
    }
    to.oracle = from.oracle;
    to.issued = from.issued;
    to.made = from.made;
  }

  static std::string key(const State& state) {
    std::string key = key_of(*state.book);
    for (const RuledOrder& order : state.oracle.resting()) {
      add(key, order.shown.handle);
      add(key, order.owner);
      add(key, order.display);
      add(key, order.peak);
      add(key, order.reserve);
      add(key, order.is_first);
    }
    return key;
  }

  /// One line for each call.
  std::string describe(const std::vector<std::uint32_t>& calls) {
    State state;
    std::string difference;
    std::string text;
    for (const std::uint32_t index : calls) {
      text += to_string(call(index, state)) + '\n';
      make(index, state, difference);
    }
    return text;
  }

 private:
  static constexpr std::size_t capacity = 4;
  static constexpr Price low = -33;
  static constexpr Price high = -32;

  static RuledBookCommand in_book(const RuledCommand& command) { return {command, 0}; }

  static std::vector<RuledCommand> calls_without_handle() {
    constexpr TimeInForce rests = TimeInForce::GoodTillCancel;
    constexpr TimeInForce immediate = TimeInForce::ImmediateOrCancel;
    constexpr TimeInForce at_once = TimeInForce::FillOrKill;
    std::vector<RuledCommand> calls;
    for (const Side side : sides) {
      for (const Price price : {low, high}) {
        const auto add = [&](Quantity quantity, TimeInForce time_in_force, const OrderTerms& terms) {
          calls.push_back(RuledCommand::add_limit(0, side, price, quantity, time_in_force).with(terms));
        };
        add(1, rests, {});
        add(1, rests, {1, SelfTrade::CancelMaker});
        add(1, rests, {2, SelfTrade::CancelTaker});
        add(2, rests, {2, SelfTrade::Decrement});
        add(2, rests, {1, SelfTrade::CancelTaker});
        add(2, rests, {1, SelfTrade::CancelBoth, Display::Hidden});
        add(2, rests, {2, SelfTrade::CancelTaker, Display::Hidden});
        add(3, rests, {1, SelfTrade::Decrement, Display::Reserve, 1});
        add(4, rests, {2, SelfTrade::CancelBoth, Display::Reserve, 2});
        add(3, TimeInForce::PostOnly, {0, SelfTrade::Allow, Display::Reserve, 2});
        add(3, at_once, {1, SelfTrade::CancelTaker});
        add(4, immediate, {2, SelfTrade::CancelMaker, Display::Whole, 0, 2});
        calls.push_back(
            RuledCommand::add_resting(0, side, price, 3).with({2, SelfTrade::Allow, Display::Reserve, 2}));
      }
      calls.push_back(RuledCommand::mass_cancel({.owner = 1, .side = side}));
    }
    calls.push_back(RuledCommand::mass_cancel({.owner = 2}));
    calls.push_back(RuledCommand::mass_cancel({.lowest = high}));
    return calls;
  }
  /// The handle is left out.
  static std::vector<RuledCommand> calls_on_handle() {
    const OrderTerms decrements{0, SelfTrade::Decrement};
    return {RuledCommand::cancel({}), RuledCommand::reduce({}, 1),
            RuledCommand::modify({}, low, 2).with(decrements),
            RuledCommand::modify({}, high, 3).with({0, SelfTrade::CancelMaker}),
            RuledCommand::replace({}, 0, high, 3).with({0, SelfTrade::CancelBoth, Display::Reserve, 2})};
  }

  /// Those on each order that rests, and on a handle of none.
  [[nodiscard]] RuledCommand call(std::size_t index, const State& state) const {
    RuledCommand command;
    if (index < without_handle_.size()) {
      command = without_handle_[index];
    } else {
      const std::size_t rest = index - without_handle_.size();
      command = on_handle_[rest % on_handle_.size()];
      std::size_t number = rest / on_handle_.size();
      for (const RuledOrder& order : state.oracle.resting()) {
        if (number-- == 0) command.handle = order.shown.handle;
      }
    }
    if (adds(command.type) || replaces(command.type)) command.id = state.issued + 1;
    return command;
  }

  static RestingTerms terms_of(const RuledOrder& order) {
    return {order.owner, order.display, order.display == Display::Reserve ? order.peak : 0, order.reserve};
  }

  const std::vector<RuledCommand> without_handle_ = calls_without_handle();
  const std::vector<RuledCommand> on_handle_ = calls_on_handle();
  RuleRecorder sink_;
};

}  // namespace llmes::test
