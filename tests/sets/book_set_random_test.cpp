// SPDX-License-Identifier: MIT
//
// A set of books against an oracle for each of them: commands of every type at any price, one at a time and in
// spans, to books that there are and to some that there are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "llmes/sets/book_set.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/call_by_name.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/oracle_difference.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

/// A set, and the oracle of each of its books. The first difference is kept.
template <class Set>
class SetBesideOracles {
 public:
  SetBesideOracles(const BookSetConfig& config, std::uint64_t seed) : set_(*Set::create(config)), random_(seed) {
    for (std::size_t i = 0; i < config.max_books; ++i) {
      static_cast<void>(set_.add_book());
      oracles_.emplace_back(set_.book(0)->price_min(), set_.book(0)->price_max(), config.capacity);
      commands_.emplace_back(seed * 1'000 + i);
    }
  }

  [[nodiscard]] const std::string& difference() const { return difference_; }
  [[nodiscard]] const Set& set() const { return set_; }

  /// A command that some book would take; it goes to the set, or with another number.
  BookCommand next() {
    const auto book = static_cast<BookNumber>(random_.below(some_books()));
    const Command command = commands_[book].next();
    const bool stray = random_.chance(5);
    return {command, stray ? static_cast<BookNumber>(random_.below(2 * oracles_.size())) : book};
  }

  /// By the call of its name, by `apply`, or by a view of the book, which may not be that of the order.
  void call(const BookCommand& command) {
    RecordTrades sink;
    const std::uint64_t way = random_.below(3);
    if (way == 0) return compare(command, set_.apply(command, sink), sink.trades, home(command));
    if (way == 1) return compare(command, call_by_name(command, sink), sink.trades, home(command));
    auto book = set_.book(command.book);
    if (!book) return;
    compare(command, book->apply(command, sink), sink.trades, command.book);
  }

  /// The receiver may give a later command the handle of an order that has just come, or cancel what one names.
  void call_in_span(std::vector<BookCommand>& commands) {
    std::vector<std::vector<Trade>> trades(commands.size());
    std::size_t done = 0;
    set_.apply(
        commands,
        [&](const Result& result, std::size_t i) {
          note_difference(difference_, "index", done++, i);
          compare(commands[i], result, trades[i], home(commands[i]));
          const std::size_t later = i + 1 + random_.below(30);
          if (later >= commands.size()) return;
          if (random_.chance(5)) call({Command::cancel(commands[later].handle), commands[later].book});
          if (result.rests()) commands[later].handle = result.handle;
        },
        [&](const Trade& trade, std::size_t i) { trades[i].push_back(trade); });
    note_difference(difference_, "results of a span", commands.size(), done);
  }

  void clear_something() {
    const auto book = static_cast<BookNumber>(random_.below(some_books()));
    const auto side = static_cast<Side>(random_.below(2));
    const bool both = random_.chance(50);
    std::size_t expected = oracles_[book].clear(side);
    if (both) expected += oracles_[book].clear(opposite(side));
    resting_ -= expected;
    note_difference(difference_, "orders cleared", expected, both ? set_.clear(book) : set_.clear(book, side));
  }

  /// All that rests, and every invariant.
  void compare_state() {
    if (difference_.empty()) difference_ = broken_invariant(set_).value_or("");
    std::size_t size = 0;
    for (BookNumber number = 0; number < oracles_.size(); ++number) {
      note(difference_of_orders(oracles_[number], *set_.book(number)), number);
      note(difference_of_ends(oracles_[number], *set_.book(number)), number);
      for (const RestingOrder& order : oracles_[number].resting()) {
        note_difference(difference_, "book of an order", std::optional<BookNumber>(number),
                        set_.book_of(order.handle));
        note_difference(difference_, "order", std::optional<RestingOrder>(order), set_.find(order.handle));
        note_difference(difference_, "handle", order.handle, set_.handle_at(order.handle.index, order.id));
      }
      size += oracles_[number].size();
    }
    note_difference(difference_, "size of all", size, set_.size());
  }

 private:
  /// Most commands are for a few books, so that they meet orders, also in a large set.
  std::size_t some_books() {
    return random_.chance(70) ? std::min<std::size_t>(oracles_.size(), 5) : oracles_.size();
  }

  /// The book that a command is for: the one that it names, or that of the order that it names. Of an order that
  /// nobody knows, any will do.
  [[nodiscard]] BookNumber home(const BookCommand& command) const {
    if (adds(command.type)) return command.book;
    for (BookNumber number = 0; number < oracles_.size(); ++number) {
      if (oracles_[number].find(command.handle)) return number;
    }
    return 0;
  }

  Result call_by_name(const BookCommand& command, RecordTrades& sink) {
    const RestingOrder before = set_.find(command.handle).value_or(RestingOrder{});
    RestingOrder details{};
    const Result result = test::call_by_name(set_, command, sink, details);
    const RestingOrder now = set_.find(command.handle).value_or(RestingOrder{});
    if (command.type == CommandType::Cancel) note_difference(difference_, "cancelled order", before, details);
    if (command.type == CommandType::Reduce && result.status == Status::Success && now.quantity > 0) {
      note_difference(difference_, "reduced order", now, details);
    }
    return with_details(command.type, command.quantity, result, details, now);
  }

  /// The oracle of `book` makes the same call, which must have had the same effect. No other book is changed.
  void compare(const BookCommand& command, const Result& result, const std::vector<Trade>& trades,
               BookNumber book) {
    if (book >= oracles_.size()) {
      note_difference(difference_, "result of an unknown book", Result{Status::UnknownBook}, result);
      note_difference(difference_, "trades in an unknown book", std::size_t{0}, trades.size());
      return;
    }
    Oracle& oracle = oracles_[book];
    const std::size_t others = resting_ - oracle.size();
    oracle.limit_to(set_.capacity() - others);
    const Oracle::Outcome expected = oracle.apply(command);
    note(difference_of_answers(expected, result, trades), book);
    if (result.status == Status::Success && result.rests() && (adds(command.type) || has_new_id(command.type))) {
      oracle.name_newest(result.handle);
      commands_[book].note(result.handle);
    }
    resting_ = others + oracle.size();
    note(difference_of_ends(oracle, *set_.book(book)), book);
    if (const auto order = oracle.find(result.handle)) {
      note_difference(difference_, "order that rests", order, set_.find(result.handle));
      note_difference(difference_, "queue ahead", oracle.queue_ahead(result.handle),
                      set_.book(book)->queue_ahead(result.handle));
    }
    note_difference(difference_, "size of all", resting_, set_.size());
    if (!difference_.empty() && culprit_.empty()) {
      std::ostringstream out;
      out << " after: " << static_cast<const Command&>(command) << ", book " << command.book;
      difference_ += culprit_ = out.str();
    }
  }

  void note(const std::string& difference, BookNumber book) {
    if (difference_.empty() && !difference.empty())
      difference_ = "book " + std::to_string(book) + ": " + difference;
  }

  Set set_;
  std::vector<Oracle> oracles_;
  std::vector<FarCommands> commands_;
  Random random_;
  std::size_t resting_ = 0;
  std::string difference_;
  std::string culprit_;
};

template <class Set>
class BookSetAtRandom : public ::testing::Test {};
using Sets = ::testing::Types<BookSet, PlacedBookSet>;
TYPED_TEST_SUITE(BookSetAtRandom, Sets);

TYPED_TEST(BookSetAtRandom, AgreesWithAnOracleForEachBook) {
  for (const std::size_t capacity : {7u, 60u, 400u}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SetBesideOracles<TypeParam> pair({.max_books = 5, .capacity = capacity}, seed + capacity);
      for (int i = 1; i <= repetitions(6'000); ++i) {
        pair.call(pair.next());
        if (i % 32 == 0) pair.compare_state();
        if (i % 700 == 0) pair.clear_something();
        ASSERT_EQ(pair.difference(), "") << "capacity " << capacity << ", seed " << seed << ", call " << i;
      }
    }
  }
}

TYPED_TEST(BookSetAtRandom, DoesTheSameInSpans) {
  Random random(5);
  for (const std::size_t capacity : {7u, 60u, 400u}) {
    SetBesideOracles<TypeParam> pair({.max_books = 5, .capacity = capacity}, capacity);
    for (int round = 0; round < 120; ++round) {
      std::vector<BookCommand> commands(random.below(random.chance(50) ? 16 : 300));
      for (BookCommand& command : commands) command = pair.next();
      pair.call_in_span(commands);
      pair.compare_state();
      ASSERT_EQ(pair.difference(), "") << "capacity " << capacity << ", round " << round;
    }
  }
}

/// With so many books that a span fetches ahead what its commands will touch.
TYPED_TEST(BookSetAtRandom, DoesTheSameInSpansOverManyBooks) {
  constexpr std::size_t books = 2'100;
  SetBesideOracles<TypeParam> pair({.max_books = books, .capacity = 700}, 3);
  ASSERT_TRUE(pair.set().has_cold_books());
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    std::vector<BookCommand> commands(1 + random.below(random.chance(30) ? 2 : 600));
    for (BookCommand& command : commands) {
      command = pair.next();
      const std::uint64_t wild = random.below(60);
      if (wild == 0) command.side = static_cast<Side>(random.below(256));
      if (wild == 1) command.type = static_cast<CommandType>(random.below(256));
      if (wild == 2) command.handle = OrderHandle::from_value(random.next());
      if (wild == 3) command.book = static_cast<BookNumber>(random.next());
    }
    pair.call_in_span(commands);
    if (round % 8 == 0) pair.compare_state();
    ASSERT_EQ(pair.difference(), "") << "round " << round;
  }
  EXPECT_GT(pair.set().size(), 300u);
}

}  // namespace
}  // namespace llmes::test
