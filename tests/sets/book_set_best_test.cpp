// SPDX-License-Identifier: MIT
//
// A sink or a receiver with a member `best_changed` is told of each book of a set what it is told of a book alone,
// and in which book it was: by handle and by id, in single calls and in spans.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr BookSetConfig config{.max_books = 3, .capacity = 40};
constexpr auto gtc = TimeInForce::GoodTillCancel;

struct Told {
  BookNumber book;
  Side side;
  DepthLevel best;

  friend bool operator==(const Told&, const Told&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Told& told) {
    return out << "book " << told.book << ": " << told.side << ' ' << told.best;
  }
};

/// What somebody hears of one call.
struct Heard {
  std::vector<Told> told;
  Result result;

  friend bool operator==(const Heard&, const Heard&) = default;
};

DepthLevel best_level(const BookSet& set, BookNumber number, Side side) {
  const auto book = set.book(number);
  const std::optional<Price> best = book->best(side);
  for (const Price none : {Price{-1}, std::numeric_limits<Price>::max()}) {
    EXPECT_EQ(set.best_or(number, side, none), best.value_or(none));
  }
  return best ? book->level(side, *best) : DepthLevel{};
}

const BookSet& set_of(const BookSet& set) {
  return set;
}
template <class Index>
const BookSet& set_of(const IdBook<BookSet, Index>& by_id) {
  return by_id.book();
}

/// As a sink, a receiver, or both. It looks into the book, which must say the same.
struct Listener {
  const BookSet& set;
  std::vector<Told> told = {};
  std::vector<Heard> heard = {};

  void operator()(const Trade&) const {}
  void operator()(const Result& result) { heard.push_back({std::exchange(told, {}), result}); }
  void best_changed(BookNumber book, Side side, const DepthLevel& best) {
    EXPECT_EQ(best_level(set, book, side), best);
    told.push_back({book, side, best});
  }
};
/// A sink that takes the index of the command as well.
struct IndexedListener {
  std::vector<Told> told = {};

  void operator()(const Trade&, std::size_t) const {}
  void best_changed(BookNumber book, Side side, const DepthLevel& best) { told.push_back({book, side, best}); }
};
/// A sink that does not ask for the number.
struct NumberlessListener {
  std::vector<DepthLevel> told = {};

  void operator()(const Trade&) const {}
  void best_changed(Side, const DepthLevel& best) { told.push_back(best); }
};

/// Random calls, by id and by handle, and what is to be heard of each: how all best levels differ afterwards.
struct Script {
  std::vector<BookRequest> requests;
  std::vector<BookCommand> commands;
  std::vector<Heard> expected;

  explicit Script(std::uint64_t seed) {
    auto set = *IdBook<BookSet, HashedIds>::create(config, {});
    for (std::size_t i = 0; i < config.max_books; ++i) EXPECT_TRUE(set.add_book().has_value());
    Random random(seed);
    for (OrderId id = 1; id <= 1'500; ++id) {
      const BookRequest r = next(random, id);
      requests.push_back(r);
      commands.push_back({{replaces(r.type) ? r.new_id : r.id, set.handle_of(r.id), r.price, r.quantity, r.type,
                           r.side, r.time_in_force},
                          r.book});
      const std::vector<DepthLevel> before = best_levels(set.book());
      const Result result = set.apply(r, DiscardTrades{});
      expected.push_back({difference(before, best_levels(set.book())), result});
    }
  }

 private:
  /// An order near a price that all books have in common, or a call for one of those that came lately. The book
  /// may be none, and where an order is named, any.
  static BookRequest next(Random& random, OrderId id) {
    Request r{id, id, 100 + static_cast<Price>(random.below(8)), 1 + random.below(9)};
    r.side = static_cast<Side>(random.below(2));
    r.time_in_force = random.chance(80) ? gtc : TimeInForce::ImmediateOrCancel;
    if (random.chance(45)) r.type = static_cast<CommandType>(random.below(9));
    if (!adds(r.type)) r.id = id - random.below(30);
    return {r, static_cast<BookNumber>(random.below(config.max_books + 1))};
  }

  static std::vector<DepthLevel> best_levels(const BookSet& set) {
    std::vector<DepthLevel> levels;
    for (BookNumber book = 0; book < config.max_books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) levels.push_back(best_level(set, book, side));
    }
    return levels;
  }
  static std::vector<Told> difference(const std::vector<DepthLevel>& before,
                                      const std::vector<DepthLevel>& after) {
    std::vector<Told> told;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (after[i] != before[i]) {
        told.push_back({static_cast<BookNumber>(i / 2), static_cast<Side>(i % 2), after[i]});
      }
    }
    return told;
  }
};

// ---- The same calls by handle, by id, and through a publisher.

struct ByHandle {
  BookSet set = *BookSet::create(config);

  template <class Sink>
  Result apply(const Script& script, std::size_t i, Sink& sink) {
    return set.apply(script.commands[i], sink);
  }
  template <class Sink>
  Result apply_by_name(const Script& script, std::size_t i, Sink& sink) {
    const BookCommand& c = script.commands[i];
    switch (c.type) {
      case CommandType::AddLimit:
        return set.add_limit_order(c.book, c.id, c.side, c.price, c.quantity, c.time_in_force, sink);
      case CommandType::AddMarket: return set.add_market_order(c.book, c.id, c.side, c.quantity, sink);
      case CommandType::Modify:
        if (c.time_in_force == gtc) return set.modify_order(c.handle, c.price, c.quantity, sink);
        return set.modify_order(c.handle, c.price, c.quantity, c.time_in_force, sink);
      case CommandType::Replace:
        return set.replace_order(c.handle, c.id, c.price, c.quantity, c.time_in_force, sink);
      default: return set.apply(c, sink);
    }
  }
  template <class Receiver, class Sink>
  void apply_all(const Script& script, Receiver& receiver, Sink& sink) {
    set.apply(script.commands, receiver, sink);
  }
};

struct ById {
  using Set = IdBook<BookSet, HashedIds>;
  Set set = *Set::create(config, {});

  template <class Sink>
  Result apply(const Script& script, std::size_t i, Sink& sink) {
    return set.apply(script.requests[i], sink);
  }
  template <class Sink>
  Result apply_by_name(const Script& script, std::size_t i, Sink& sink) {
    const BookRequest& r = script.requests[i];
    switch (r.type) {
      case CommandType::AddLimit:
        return set.add_limit_order(r.book, r.id, r.side, r.price, r.quantity, r.time_in_force, sink);
      case CommandType::AddMarket: return set.add_market_order(r.book, r.id, r.side, r.quantity, sink);
      case CommandType::Modify:
        if (r.time_in_force == gtc) return set.modify_order(r.id, r.price, r.quantity, sink);
        return set.modify_order(r.id, r.price, r.quantity, r.time_in_force, sink);
      case CommandType::Replace:
        return set.replace_order(r.id, r.new_id, r.price, r.quantity, r.time_in_force, sink);
      default: return set.apply(r, sink);
    }
  }
  template <class Receiver, class Sink>
  void apply_all(const Script& script, Receiver& receiver, Sink& sink) {
    set.apply(
        script.requests.size(), [&](std::size_t i) -> const BookRequest& { return script.requests[i]; }, receiver,
        sink);
  }
};

/// It publishes enough to stand between the set and its sinks and receivers.
template <class Way>
struct Published : Way {
  struct Levels {
    void level_changed(const LevelChanged&) {}
  };
  Publisher<decltype(Way::set)&, Levels> publisher =
      *Publisher<decltype(Way::set)&, Levels>::create(this->set, Levels{});

  template <class Sink>
  Result apply(const Script& script, std::size_t i, Sink& sink) {
    if constexpr (std::is_same_v<Way, ById>) {
      return publisher.apply(script.requests[i], sink);
    } else {
      return publisher.apply(script.commands[i], sink);
    }
  }
  template <class Receiver, class Sink>
  void apply_all(const Script& script, Receiver& receiver, Sink& sink) {
    if constexpr (std::is_same_v<Way, ById>) {
      publisher.apply(
          script.requests.size(), [&](std::size_t i) -> const BookRequest& { return script.requests[i]; },
          receiver, sink);
    } else {
      publisher.apply(std::span<const BookCommand>(script.commands), receiver, sink);
    }
  }
};

template <class Way>
class BestOfASet : public ::testing::Test {
 protected:
  BestOfASet() {
    for (std::size_t i = 0; i < config.max_books; ++i) EXPECT_TRUE(way.set.add_book().has_value());
  }
  const BookSet& set() const { return set_of(way.set); }

  Way way;
  const Script script{7};
};
using Ways = ::testing::Types<ByHandle, ById, Published<ByHandle>, Published<ById>>;
TYPED_TEST_SUITE(BestOfASet, Ways);

TYPED_TEST(BestOfASet, IsToldAfterEachCallWithTheNumberOfItsBook) {
  Listener sink{this->set()};
  std::vector<std::size_t> told_of(config.max_books);
  for (std::size_t i = 0; i < this->script.requests.size(); ++i) {
    const Result result =
        i % 2 == 0 ? this->way.apply(this->script, i, sink) : this->way.apply_by_name(this->script, i, sink);
    for (const Told& told : sink.told) ++told_of[told.book];
    sink(result);
    ASSERT_EQ(sink.heard.back(), this->script.expected[i]) << i;
  }
  for (const std::size_t times : told_of) EXPECT_GT(times, 100u);
}

TYPED_TEST(BestOfASet, IsToldAReceiverRightBeforeTheResult) {
  Listener receiver{this->set()};
  const DiscardTrades sink;
  this->way.apply_all(this->script, receiver, sink);
  EXPECT_EQ(receiver.heard, this->script.expected);
  EXPECT_TRUE(receiver.told.empty());
}

TYPED_TEST(BestOfASet, IsToldTheSinkOfASpan) {
  Listener sink{this->set()};
  const auto receive = [&](const Result& result) { sink(result); };
  this->way.apply_all(this->script, receive, sink);
  EXPECT_EQ(sink.heard, this->script.expected);
}

TYPED_TEST(BestOfASet, IsToldASinkThatTakesTheIndex) {
  IndexedListener sink;
  std::vector<Heard> heard;
  const auto receive = [&](const Result& result, std::size_t i) {
    EXPECT_EQ(i, heard.size());
    heard.push_back({std::exchange(sink.told, {}), result});
  };
  this->way.apply_all(this->script, receive, sink);
  EXPECT_EQ(heard, this->script.expected);
}

TYPED_TEST(BestOfASet, IsToldWithoutTheNumberIfNobodyAsks) {
  NumberlessListener sink;
  std::vector<DepthLevel> expected;
  for (std::size_t i = 0; i < this->script.requests.size(); ++i) {
    this->way.apply(this->script, i, sink);
    for (const Told& told : this->script.expected[i].told) expected.push_back(told.best);
  }
  EXPECT_EQ(sink.told, expected);
}

TEST(BestOfABook, HasTheNumberOfTheBookInItsSet) {
  ByHandle way;
  for (std::size_t i = 0; i < config.max_books; ++i) EXPECT_TRUE(way.set.add_book().has_value());
  Listener sink{way.set};
  way.set.book(2)->add_limit_order(1, Side::Sell, 5, 7, gtc, sink);
  EXPECT_EQ(sink.told, (std::vector<Told>{{2, Side::Sell, {5, 7, 1}}}));
}

TEST(BestOfABook, HasNumberZeroInNoSet) {
  OrderBook<64> book = *OrderBook<64>::create({.capacity = 3});
  auto by_id = *IdBook<OrderBook<64>, HashedIds>::create({.capacity = 3}, {});
  IndexedListener sink;
  const auto told = [&] { return std::exchange(sink.told, {}); };
  const std::vector<Told> expected{{0, Side::Sell, {5, 7, 1}}};
  const auto ignore = [](const Result&) {};
  const std::vector commands{Command::add_limit(1, Side::Sell, 5, 7, gtc)};
  book.apply(commands, ignore, sink);
  EXPECT_EQ(told(), expected);
  by_id.apply(
      1, [](std::size_t) { return Request::add_limit(1, Side::Sell, 5, 7, gtc); }, ignore, sink);
  EXPECT_EQ(told(), expected);
}

/// A listener is told when the call is over, so that the set leads it to what the call has left.
struct Asking {
  const ById::Set& set;
  std::vector<std::optional<BookNumber>> books = {};

  void operator()(const Trade&) const {}
  void best_changed(BookNumber, Side, const DepthLevel&) { books.push_back(set.book().book_of(set.handle_of(1))); }
};

TEST(BestOfABook, IsToldWhenItsSetKnowsTheIdsThatTheCallHasLeft) {
  ById way;
  for (std::size_t i = 0; i < config.max_books; ++i) EXPECT_TRUE(way.set.add_book().has_value());
  Asking sink{way.set};
  way.set.add_limit_order(1, 1, Side::Buy, 40, 5, gtc, sink);
  way.set.replace_order(1, 2, 41, 5, sink);
  way.set.replace_order(2, 1, 42, 5, sink);
  way.set.apply({Request::cancel(1), 0}, sink);
  EXPECT_EQ(sink.books, (std::vector<std::optional<BookNumber>>{1, std::nullopt, 1, std::nullopt}));
}

}  // namespace
}  // namespace llmes::test
