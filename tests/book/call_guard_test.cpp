// SPDX-License-Identifier: MIT
//
// With LLMES_CHECK_PRECONDITIONS, calls that overlap end the program and all other calls work as usual. Without it
// a book contains nothing of the check: see misuse_test.cpp.
#include "llmes/detail/call_guard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
using Sink = std::function<void(const Trade&)>;

constexpr const char* message = "calls to one book overlap";

struct NamedCall {
  const char* name;
  std::function<void(Book&, Sink)> make;
};

const OrderHandle first{2 * Book::price_levels, 1};

/// Each trades, if there is an ask at price 10 to trade with.
const std::vector<NamedCall> trading_calls{
    {"add_limit_order",
     [](Book& book, Sink sink) { book.add_limit_order(9, Side::Buy, 10, 1, TimeInForce::GoodTillCancel, sink); }},
    {"add_market_order", [](Book& book, Sink sink) { book.add_market_order(9, Side::Buy, 1, sink); }},
    {"modify_order", [](Book& book, Sink sink) { book.modify_order(first, 10, 1, sink); }},
    {"modify_order with a time in force",
     [](Book& book, Sink sink) { book.modify_order(first, 10, 1, TimeInForce::ImmediateOrCancel, sink); }},
    {"replace_order", [](Book& book, Sink sink) { book.replace_order(first, 1, 10, 1, sink); }},
    {"replace_order with a time in force",
     [](Book& book, Sink sink) { book.replace_order(first, 1, 10, 1, TimeInForce::ImmediateOrCancel, sink); }},
    {"apply", [](Book& book, Sink sink) { book.apply(Command::add_market(9, Side::Buy, 1), sink); }},
    {"apply of a span",
     [](Book& book, Sink sink) {
       const std::array commands{Command::add_market(9, Side::Buy, 1)};
       std::array<Result, 1> results;
       std::ignore = book.apply(commands, results, sink);
     }},
};
/// Rejected ones among them: a call is one from its first check on.
const std::vector<NamedCall> other_changes{
    {"cancel_order", [](Book& book, const Sink&) { std::ignore = book.cancel_order(first); }},
    {"cancel_order that tells",
     [](Book& book, const Sink&) {
       RestingOrder cancelled;
       std::ignore = book.cancel_order(first, cancelled);
     }},
    {"cancel_order of none", [](Book& book, const Sink&) { std::ignore = book.cancel_order({}); }},
    {"reduce_order", [](Book& book, const Sink&) { std::ignore = book.reduce_order(first, 1); }},
    {"reduce_order by all", [](Book& book, const Sink&) { std::ignore = book.reduce_order(first, 5); }},
    {"reduce_order that tells",
     [](Book& book, const Sink&) {
       RestingOrder left;
       std::ignore = book.reduce_order(first, 1, left);
     }},
    {"clear of a side", [](Book& book, const Sink&) { book.clear(Side::Buy); }},
    {"clear of no side", [](Book& book, const Sink&) { book.clear(static_cast<Side>(2)); }},
    {"clear", [](Book& book, const Sink&) { book.clear(); }},
    {"reduce_order of none", [](Book& book, const Sink&) { std::ignore = book.reduce_order({}, 1); }},
    {"recenter", [](Book& book, const Sink&) { std::ignore = book.recenter(0); }},
    {"recenter to where it cannot", [](Book& book, const Sink&) { std::ignore = book.recenter(1'000); }},
};
const std::vector<NamedCall> queries{
    {"best_bid", [](Book& book, const Sink&) { EXPECT_EQ(book.best_bid(), 5); }},
    {"best_ask", [](Book& book, const Sink&) { EXPECT_EQ(book.best_ask(), 10); }},
    {"best", [](Book& book, const Sink&) { EXPECT_EQ(book.best(Side::Sell), 10); }},
    {"worst", [](Book& book, const Sink&) { EXPECT_EQ(book.worst(Side::Buy), 5); }},
    {"level", [](Book& book, const Sink&) { EXPECT_EQ(book.level(Side::Buy, 5).quantity, 5u); }},
    {"depth", [](Book& book, const Sink&) { EXPECT_EQ(depth_of(book, Side::Buy).size(), 1u); }},
    {"visit_orders", [](Book& book, const Sink&) { EXPECT_EQ(orders_of(book, Side::Buy).size(), 1u); }},
    {"visit_level",
     [](Book& book, const Sink&) {
       book.visit_level(Side::Buy, 5, [](const RestingOrder& order) { EXPECT_EQ(order.id, 1u); });
     }},
    {"find", [](Book& book, const Sink&) { EXPECT_TRUE(book.find(first)); }},
    {"queue_ahead", [](Book& book, const Sink&) { EXPECT_TRUE(book.queue_ahead(first)); }},
    {"handle_at", [](Book& book, const Sink&) { EXPECT_EQ(book.handle_at(first.index, 1), first); }},
    {"size", [](Book& book, const Sink&) { EXPECT_EQ(book.size(), 2u); }},
    {"capacity", [](Book& book, const Sink&) { EXPECT_EQ(book.capacity(), 4u); }},
    {"price_min", [](Book& book, const Sink&) { EXPECT_EQ(book.price_min(), 0); }},
    {"price_max", [](Book& book, const Sink&) { EXPECT_EQ(book.price_max(), 127); }},
};
/// After these there is no such book any more.
const std::vector<NamedCall> ends{
    {"move construction", [](Book& book, const Sink&) { const Book moved = std::move(book); }},
    {"move assignment of it", [](Book& book, const Sink&) { *Book::create({.capacity = 1}) = std::move(book); }},
    {"move assignment to it", [](Book& book, const Sink&) { book = *Book::create({.capacity = 1}); }},
    {"destruction", [](Book& book, const Sink&) { std::destroy_at(&book); }},
};
void ignore(const Trade&) {}

class CallGuardTest : public ::testing::Test {
 protected:
  CallGuardTest() {
    book.add_limit_order(1, Side::Buy, 5, 5, TimeInForce::GoodTillCancel, DiscardTrades{});
    book.add_limit_order(2, Side::Sell, 10, 5, TimeInForce::GoodTillCancel, DiscardTrades{});
  }
  Book book = *Book::create({.base_price = 0, .capacity = 4});
};
using CallGuardDeathTest = CallGuardTest;

TEST_F(CallGuardTest, CallsOneAfterTheOtherAreFine) {
  for (int round = 0; round < 3; ++round) {
    for (const NamedCall& call : queries) call.make(book, ignore);
  }
  int trades = 0;
  for (const NamedCall& call : trading_calls) call.make(book, [&trades](const Trade&) { ++trades; });
  EXPECT_EQ(trades, 5);
  for (const NamedCall& call : other_changes) call.make(book, ignore);
  Book moved = std::move(book);
  EXPECT_EQ(moved.size(), 0u);
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(CallGuardTest, AReductionToNothingIsOneCall) {
  EXPECT_EQ(book.reduce_order(first, 5), Status::Success);
  EXPECT_EQ(book.size(), 1u);
}

TEST_F(CallGuardTest, AVisitorMayAsk) {
  int visited = 0;
  book.visit_orders(Side::Sell, [this, &visited](const RestingOrder&) {
    for (const NamedCall& query : queries) query.make(book, ignore);
    ++visited;
  });
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(book.cancel_order(first), Status::Success);
}

TEST_F(CallGuardTest, AVisitorThatHasEnoughEndsTheCall) {
  book.visit_orders(Side::Sell, [](const RestingOrder&) { return false; });
  book.visit_level(Side::Sell, 10, [](const RestingOrder&) { return false; });
  EXPECT_EQ(book.cancel_order(first), Status::Success);
}

TEST_F(CallGuardTest, AVisitorMayThrow) {
  const auto thrower = [](const RestingOrder&) { throw std::runtime_error("enough"); };
  const Snapshot before = snapshot_of(book);
  EXPECT_THROW(book.visit_orders(Side::Sell, thrower), std::runtime_error);
  EXPECT_EQ(snapshot_of(book), before);
  EXPECT_EQ(book.cancel_order(first), Status::Success);
}

TEST_F(CallGuardTest, ASinkMayCallAnotherBook) {
  Book other = *Book::create({.base_price = 0, .capacity = 4});
  book.add_market_order(9, Side::Buy, 1, [&other](const Trade& trade) {
    other.add_limit_order(trade.maker_id, Side::Buy, 7, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
  });
  EXPECT_EQ(other.size(), 1u);
}

TEST_F(CallGuardDeathTest, NoCallFromASink) {
  for (const NamedCall& outer : trading_calls) {
    EXPECT_DEATH(outer.make(book, [this](const Trade&) { std::ignore = book.cancel_order({}); }), message)
        << outer.name;
  }
  for (const auto& calls : {trading_calls, other_changes, queries, ends}) {
    for (const NamedCall& inner : calls) {
      const auto call_back = [&](const Trade&) { inner.make(book, ignore); };
      EXPECT_DEATH(book.add_market_order(9, Side::Buy, 1, call_back), message) << inner.name;
    }
  }
}

/// Applies a span that does nothing, whose receiver calls `between`.
template <class Any, class Between>
void apply_nothing(Any&& book, const Between& between) {
  const std::array commands{Command::cancel({}), Command::cancel({})};
  book.apply(
      commands, [&](const Result&) { between(); }, DiscardTrades{});
}
void call_between_commands(Book& book, const NamedCall& call) {
  apply_nothing(book, [&] { call.make(book, ignore); });
}

TEST_F(CallGuardTest, AReceiverMayCall) {
  for (const auto& calls : {queries, trading_calls, other_changes}) {
    for (const NamedCall& call : calls) call_between_commands(book, call);
  }
  EXPECT_EQ(book.size(), 0u);  // all has been traded or cancelled
}

TEST_F(CallGuardDeathTest, NoEndFromAReceiver) {
  for (const NamedCall& end : ends) EXPECT_DEATH(call_between_commands(book, end), message) << end.name;
}

TEST_F(CallGuardDeathTest, NoChangeFromAVisitor) {
  for (const auto& calls : {trading_calls, other_changes, ends}) {
    for (const NamedCall& inner : calls) {
      const auto change = [&](const RestingOrder&) { inner.make(book, ignore); };
      EXPECT_DEATH(book.visit_orders(Side::Sell, change), message) << inner.name;
      EXPECT_DEATH(book.visit_level(Side::Sell, 10, change), message) << inner.name;
    }
  }
}

/// One thread is inside a call, by its sink, until the other has called.
TEST_F(CallGuardDeathTest, NoCallFromASecondThread) {
  const auto overlap = [this](const NamedCall& second) {
    std::latch inside(1);
    std::latch done(1);
    std::thread thread([&] {
      inside.wait();
      second.make(book, ignore);
      done.count_down();
    });
    book.add_market_order(9, Side::Buy, 1, [&](const Trade&) {
      inside.count_down();
      done.wait();
    });
    thread.join();
  };
  for (const auto& calls : {trading_calls, other_changes, queries, ends}) {
    for (const NamedCall& second : calls) EXPECT_DEATH(overlap(second), message) << second.name;
  }
}

// ---- A set: the calls of its books are its own.

constexpr BookSetConfig set_config{.max_books = 3, .capacity = 4};

struct NamedSetCall {
  const char* name;
  std::function<void(BookSet&)> make;
};

const std::vector<NamedSetCall> set_changes{
    {"add_book", [](BookSet& set) { std::ignore = set.add_book(); }},
    {"cancel_order of none", [](BookSet& set) { std::ignore = set.cancel_order({}); }},
    {"add_resting_order", [](BookSet& set) { set.add_resting_order(0, 7, Side::Buy, 3, 1); }},
    {"apply",
     [](BookSet& set) {
       set.apply({Command::add_market(8, Side::Buy, 1), 1}, DiscardTrades{});
     }},
    {"clear of a book", [](BookSet& set) { set.clear(1); }},
    {"cancel_order of a book of it", [](BookSet& set) { std::ignore = set.book(0)->cancel_order({}); }},
    {"clear of a book of it", [](BookSet& set) { set.book(1)->clear(); }},
};
const std::vector<NamedSetCall> set_queries{
    {"book_count", [](BookSet& set) { EXPECT_GE(set.book_count(), 2u); }},
    {"best_or", [](BookSet& set) { EXPECT_NE(set.best_or(0, Side::Sell, -1), 9); }},
    {"books", [](BookSet& set) { EXPECT_EQ(set.books(), 3u); }},
    {"book", [](BookSet& set) { EXPECT_TRUE(set.book(0)); }},
    {"book to ask", [](BookSet& set) { EXPECT_TRUE(std::as_const(set).book(0)); }},
    {"book_of", [](BookSet& set) { EXPECT_FALSE(set.book_of({})); }},
    {"find", [](BookSet& set) { EXPECT_FALSE(set.find({})); }},
    {"size", [](BookSet& set) { EXPECT_LE(set.size(), 4u); }},
    {"capacity", [](BookSet& set) { EXPECT_EQ(set.capacity(), 4u); }},
    {"far_levels_left", [](BookSet& set) { EXPECT_EQ(set.far_levels_left(), 4u); }},
    {"handle_at", [](BookSet& set) { EXPECT_EQ(set.handle_at(0, 1), OrderHandle{}); }},
    {"best of a book", [](BookSet& set) { EXPECT_NE(set.book(0)->best_bid(), 9); }},
};
/// After these there is no such set any more.
const std::vector<NamedSetCall> set_ends{
    {"move construction", [](BookSet& set) { const BookSet moved = std::move(set); }},
    {"move assignment to it", [](BookSet& set) { set = *BookSet::create(set_config); }},
};

class SetGuardTest : public ::testing::Test {
 protected:
  SetGuardTest() {
    for (int i = 0; i < 2; ++i) std::ignore = set.add_book();
    set.add_resting_order(0, 1, Side::Sell, 5, 4);
  }
  BookSet set = *BookSet::create(set_config);
};
using SetGuardDeathTest = SetGuardTest;

TEST_F(SetGuardTest, CallsOneAfterTheOtherAreFine) {
  for (const auto& calls : {set_queries, set_changes, set_queries}) {
    for (const NamedSetCall& call : calls) call.make(set);
  }
}

TEST_F(SetGuardTest, AVisitorMayAskAndAReceiverMayCall) {
  set.book(0)->visit_orders(Side::Sell, [this](const RestingOrder&) {
    for (const NamedSetCall& query : set_queries) query.make(set);
  });
  const std::array commands{BookCommand{Command::cancel({}), 0}};
  set.apply(
      commands,
      [this](const Result&) {
        for (const auto& calls : {set_queries, set_changes}) {
          for (const NamedSetCall& call : calls) call.make(set);
        }
      },
      DiscardTrades{});
}

void call_between_commands_to_a_book(BookSet& set, const NamedSetCall& call) {
  apply_nothing(*set.book(0), [&] { call.make(set); });
}

TEST_F(SetGuardTest, AReceiverOfABookMayCall) {
  for (const auto& calls : {set_queries, set_changes}) {
    for (const NamedSetCall& call : calls) call_between_commands_to_a_book(set, call);
  }
}

TEST_F(SetGuardDeathTest, NoEndFromAReceiverOfABook) {
  for (const NamedSetCall& end : set_ends) {
    EXPECT_DEATH(call_between_commands_to_a_book(set, end), message) << end.name;
  }
}

TEST_F(SetGuardDeathTest, NoCallFromASink) {
  for (const auto& calls : {set_changes, set_queries, set_ends}) {
    for (const NamedSetCall& inner : calls) {
      const auto call_back = [&](const Trade&) { inner.make(set); };
      EXPECT_DEATH(set.add_market_order(0, 9, Side::Buy, 1, call_back), message) << inner.name;
      EXPECT_DEATH(set.book(0)->add_market_order(9, Side::Buy, 1, call_back), message) << inner.name;
    }
  }
}

TEST_F(SetGuardDeathTest, NoChangeFromAVisitor) {
  for (const auto& calls : {set_changes, set_ends}) {
    for (const NamedSetCall& inner : calls) {
      const auto change = [&](const RestingOrder&) { inner.make(set); };
      EXPECT_DEATH(set.book(0)->visit_orders(Side::Sell, change), message) << inner.name;
    }
  }
}

// ---- By outside id.

template <class Book>
void end_in_a_span(std::optional<Book>& book) {
  const std::array<typename Book::RequestType, 2> requests{};
  std::optional<Book> other;
  book->apply(
      requests.size(), [&](std::size_t i) { return requests[i]; },
      [&](const Result&) { other.emplace(std::move(*book)); }, DiscardTrades{});
}

TEST(IdGuardDeathTest, NoEndFromAReceiver) {
  auto one = IdBook<Book, HashedIds>::create({.base_price = 0, .capacity = 4}, {});
  EXPECT_DEATH(end_in_a_span(one), message);
  auto many = IdBook<BookSet, HashedIds>::create(set_config, {});
  EXPECT_DEATH(end_in_a_span(many), message);
}

template <class ById>
void expect_that_a_receiver_may_call() {
  auto book = ById::create({.base_price = 0, .capacity = 4}, {});
  const auto at = [](std::size_t i) {
    return Request::add_limit(OrderId{i}, Side::Buy, 5, 1, TimeInForce::GoodTillCancel);
  };
  book->apply(
      3, at,
      [&](const Result&, std::size_t i) {
        EXPECT_TRUE(book->find(i));
        EXPECT_EQ(book->cancel_order(i), Status::Success);
        book->apply(
            1, [](std::size_t) { return Request::cancel(OrderId{9}); }, [](const Result&) {}, DiscardTrades{});
      },
      DiscardTrades{});
  EXPECT_EQ(book->book().size(), 0u);
}

TEST(IdGuardTest, AReceiverMayCall) {
  expect_that_a_receiver_may_call<IdBook<Book, HashedIds>>();
}

TEST(IdGuardTest, ATakerMayFillMakers) {
  auto book = IdBook<Book, HashedIds>::create({.base_price = 0, .capacity = 4}, {});
  for (OrderId id = 1; id <= 3; ++id) {
    std::ignore = book->add_limit_order(id, Side::Buy, 5, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
  }
  EXPECT_EQ(book->add_market_order(9, Side::Sell, 2, DiscardTrades{}).filled, 2u);
  EXPECT_EQ(book->cancel_order(3), Status::Success);
}

TEST(IdGuardDeathTest, NoCallFromASink) {
  auto book = IdBook<Book, HashedIds>::create({.base_price = 0, .capacity = 4}, {});
  const Request maker = Request::add_limit(OrderId{1}, Side::Buy, 5, 1, TimeInForce::GoodTillCancel);
  std::ignore = book->apply(maker, DiscardTrades{});
  const auto take_and = [&](const Request& inner) {
    std::ignore = book->apply(Request::add_market(OrderId{2}, Side::Sell, 1),
                              [&](const Trade&) { std::ignore = book->apply(inner, DiscardTrades{}); });
  };
  EXPECT_DEATH(take_and(Request::add_limit(OrderId{3}, Side::Buy, 5, 1, TimeInForce::GoodTillCancel)), message);
  EXPECT_DEATH(take_and(Request::cancel(OrderId{3})), message);
  EXPECT_DEATH(take_and(Request::add_market(OrderId{3}, Side::Buy, 1)), message);
}

}  // namespace
}  // namespace llmes::test
