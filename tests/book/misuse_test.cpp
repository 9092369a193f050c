// SPDX-License-Identifier: MIT
//
// How a book reacts to misuse: handles of another book, and sinks and visitors that throw. Calls from inside a
// call and from two threads are in call_guard_test.cpp, books that have been moved from in moved_from_test.cpp,
// and sizes that are not valid in create_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tests/support/invariants.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

static_assert(std::is_empty_v<CallGuard> && std::is_trivially_destructible_v<CallGuard::Call>,
              "a book pays nothing for the check of preconditions that it does not have");

constexpr Price base_price = -20;

/// All handles that a book issued in the course of a random stream, and those of nothing.
template <std::size_t PriceLevels>
std::vector<OrderHandle> handles_of_another_book() {
  const BookConfig config{.base_price = base_price, .capacity = nearly_full_pool.capacity};
  auto book = *OrderBook<PriceLevels>::create(config);
  const Tape tape = record_tape(book, random_stream(nearly_full_pool, config, PriceLevels, 7));
  std::set<std::uint64_t> values;
  for (const Command& command : tape.commands) values.insert(command.handle.value());
  for (const Result& result : tape.results) values.insert(result.handle.value());
  std::vector<OrderHandle> handles;
  for (const std::uint64_t value : values) handles.push_back(OrderHandle::from_value(value));
  return handles;
}

/// Expects that a handle from elsewhere names the order that has the same one here, or none.
/// @return whether it named one.
template <class Book>
bool expect_defined_answer(Book& book, OrderHandle handle, unsigned kind) {
  const Snapshot before = snapshot_of(book);
  const std::optional<RestingOrder> order = book.find(handle);
  const Status expected = order ? Status::Success : Status::UnknownOrder;
  switch (kind % 3) {
    case 0: EXPECT_EQ(book.cancel_order(handle), expected); break;
    case 1: EXPECT_EQ(book.reduce_order(handle, order ? order->quantity : 1), expected); break;
    default: EXPECT_EQ(book.modify_order(handle, order ? order->price : 0, 1, DiscardTrades{}).status, expected);
  }
  EXPECT_EQ(broken_invariant(book), std::nullopt);
  if (!order) {
    EXPECT_EQ(snapshot_of(book), before);
  } else if (kind % 3 == 2) {
    EXPECT_EQ(book.find(handle)->quantity, 1u);
  } else {
    EXPECT_EQ(book.size(), before.size - 1);
  }
  return order.has_value();
}

/// The slots of the other book's orders are slots of orders here, too, or anchors, or beyond the last.
TEST(Misuse, HandlesOfAnotherBookAreNumbersLikeAnyOther) {
  using Book = OrderBook<128>;
  const BookConfig config{.base_price = base_price, .capacity = 64};
  Random random(1);
  std::size_t known = 0;
  std::size_t unknown = 0;
  for (const auto& handles :
       {handles_of_another_book<64>(), handles_of_another_book<128>(), handles_of_another_book<4096>()}) {
    Book book = *Book::create(config);
    record_tape(book, random_stream(near_prices, config, Book::price_levels, 8));
    ASSERT_GT(book.size(), 0u);
    for (const OrderHandle handle : handles) {
      const bool named = expect_defined_answer(book, handle, static_cast<unsigned>(random.below(3)));
      ++(named ? known : unknown);
    }
  }
  EXPECT_GT(known, 0u);
  EXPECT_GT(unknown, 100u);
}

struct ThrowingSink {
  void operator()(const Trade&) const { throw std::runtime_error("the sink is full"); }
};

struct ThrowingCallees : ::testing::Test {
  OrderBook<128> book = *OrderBook<128>::create({.base_price = 0, .capacity = 4});
  OrderHandle bid = rest(Side::Buy, 5);
  OrderHandle ask = rest(Side::Sell, 10);

  OrderHandle rest(Side side, Price price) {
    return book.add_limit_order(1, side, price, 5, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
  }
};
using ThrowingCalleesDeathTest = ThrowingCallees;

TEST_F(ThrowingCalleesDeathTest, ASinkThatThrowsEndsTheProgram) {
  constexpr const char* message = "the sink is full";
  const std::array commands{Command::add_market(2, Side::Buy, 1)};
  std::array<Result, 1> results;
  EXPECT_DEATH(book.add_limit_order(2, Side::Buy, 10, 1, TimeInForce::FillOrKill, ThrowingSink{}), message);
  EXPECT_DEATH(book.add_market_order(2, Side::Buy, 1, ThrowingSink{}), message);
  EXPECT_DEATH(book.modify_order(bid, 10, 1, ThrowingSink{}), message);
  EXPECT_DEATH(book.apply(commands[0], ThrowingSink{}), message);
  EXPECT_DEATH(std::ignore = book.apply(commands, results, ThrowingSink{}), message);
}

TEST_F(ThrowingCallees, ASinkThatWouldThrowIsHarmlessWithoutATrade) {
  EXPECT_EQ(book.modify_order(bid, 6, 1, ThrowingSink{}).status, Status::Success);
  EXPECT_EQ(book.add_limit_order(2, Side::Buy, 10, 1, TimeInForce::PostOnly, ThrowingSink{}).status,
            Status::WouldCross);
}

TEST_F(ThrowingCallees, AnExceptionOfAVisitorReachesTheCaller) {
  const Snapshot before = snapshot_of(book);
  const auto thrower = [](const RestingOrder&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(book.visit_orders(Side::Buy, thrower), std::runtime_error);
  EXPECT_EQ(snapshot_of(book), before);
  EXPECT_EQ(broken_invariant(book), std::nullopt);
}

}  // namespace
}  // namespace llmes::test
