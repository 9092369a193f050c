// SPDX-License-Identifier: MIT
//
// `create` allocates as much memory as `memory_bytes` says; no later call allocates. This program stands alone
// because it replaces the global operator new to count its calls.
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/rules.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

using bench::allocated_bytes;
using bench::allocation_count;

template <class Book>
class Allocation : public ::testing::Test {};

using Books = ::testing::Types<OrderBook<64>, OrderBook<4096>, OrderBook<262144>, WideOrderBook<64>,
                               WideOrderBook<262144>, AnyPriceBook<1024>>;
TYPED_TEST_SUITE(Allocation, Books);

#if !LLMES_TEST_SANITIZED  // a sanitizer has array forms of operator new of its own, which are not counted

/// Not inlined: a compiler may leave out an allocation of which it sees all uses.
template <class Book>
[[gnu::noinline]] std::optional<Book> create(std::size_t capacity) {
  return Book::create({.base_price = 0, .capacity = capacity});
}

template <class Book>
void expect_documented_size_of_a_book(std::uint64_t blocks) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{100}, std::size_t{12'345}}) {
    const std::uint64_t calls = allocation_count();
    const std::uint64_t bytes = allocated_bytes();
    const std::optional<Book> book = create<Book>(capacity);
    ASSERT_TRUE(book.has_value());
    EXPECT_EQ(allocation_count() - calls, blocks);
    EXPECT_EQ(Book::memory_bytes(capacity), sizeof(Book) + (allocated_bytes() - bytes));
  }
}

/// One block; in a wide book one more for each side, and in a book for any price one more for far levels and one
/// for displaced levels.
TYPED_TEST(Allocation, OfCreateIsOfTheDocumentedSize) {
  constexpr bool is_plain = std::same_as<TypeParam, OrderBook<TypeParam::price_levels>>;
  expect_documented_size_of_a_book<TypeParam>(is_plain ? 1 : 3);
}

/// Rules have three more: of orders, of owners, and for mass cancels.
TEST(AllocationOfRules, OfCreateIsOfTheDocumentedSize) {
  expect_documented_size_of_a_book<RuledOrderBook<64>>(4);
}

#endif

TYPED_TEST(Allocation, OfEveryLaterCallIsNone) {
  for (const Profile& profile : profiles) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    TypeParam recorder = *TypeParam::create(config);
    const Tape tape = record_tape(recorder, random_stream(profile, config, stream_width<TypeParam>, 5));
    std::vector<Trade> storage(config.capacity);
    std::vector<Result> results(tape.commands.size());
    std::array<DepthLevel, 8> depth;
    TypeParam book = *TypeParam::create(config);
    TypeParam span_fed = *TypeParam::create(config);
    std::uint64_t seen = 0;
    std::uint64_t trades = 0;

    const std::uint64_t before = allocation_count();
    for (const Command& command : tape.commands) {
      std::size_t count = 0;
      book.apply(command, [&](const Trade& trade) { storage[count++ % storage.size()] = trade; });
      trades += count;
      seen += book.best_bid().has_value() + book.best_ask().has_value() + book.size();
      for (const Side side : {Side::Buy, Side::Sell}) {
        seen += book.depth(side, depth) + book.level(side, command.price).order_count;
        book.visit_orders(side, [&seen](const RestingOrder& order) { seen += order.quantity; });
        book.visit_level(side, command.price, [&seen](const RestingOrder& order) { seen += order.quantity; });
        seen += book.worst(side).has_value();
      }
      seen += book.find(command.handle).has_value() + book.queue_ahead(command.handle).has_value();
    }
    EXPECT_EQ(span_fed.apply(tape.commands, results, DiscardTrades{}), tape.commands.size());
    TypeParam moved = std::move(book);
    span_fed = std::move(moved);
    seen += span_fed.clear();
    const std::uint64_t after = allocation_count();

    EXPECT_EQ(after, before) << profile.name;
    EXPECT_EQ(trades, tape.trades.size());
    EXPECT_GT(seen, 0u);
  }
}

/// Ten million calls leave no trace: slots and links come back however long the book lives.
TYPED_TEST(Allocation, OfTenMillionCallsIsNone) {
  constexpr std::size_t capacity = 32;
  TypeParam book = *TypeParam::create({.base_price = 0, .capacity = capacity});
  Random random(3);
  std::array<OrderHandle, capacity> handles{};
  const std::uint64_t before = allocation_count();
  for (std::uint64_t i = 0; i < 10'000'000; ++i) {
    OrderHandle& handle = handles[random.below(capacity)];
    const std::uint64_t draw = random.next();
    const Side side = draw % 2 == 0 ? Side::Buy : Side::Sell;
    const auto price = static_cast<Price>(draw / 2 % 40);
    if (book.cancel_order(handle) == Status::Success && draw % 3 != 0) continue;
    handle = book.add_limit_order(i, side, price, 1 + draw / 128 % 4, TimeInForce::GoodTillCancel, DiscardTrades{})
                 .handle;
  }
  EXPECT_EQ(allocation_count(), before);
  book.add_market_order(0, Side::Buy, 1'000, DiscardTrades{});
  book.add_market_order(0, Side::Sell, 1'000, DiscardTrades{});
  ASSERT_EQ(book.size(), 0u);
  for (std::size_t i = 0; i < capacity; ++i) {
    ASSERT_EQ(book.add_limit_order(i, Side::Buy, 0, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).status,
              Status::Success);
  }
  EXPECT_EQ(book.add_limit_order(99, Side::Buy, 0, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).status,
            Status::PoolFull);
}

#if !LLMES_TEST_SANITIZED

/// Not inlined, as above.
template <class Set>
[[gnu::noinline]] std::optional<Set> create_set(const BookSetConfig& config) {
  return Set::create(config);
}

template <class Set>
void expect_documented_size(std::uint64_t blocks) {
  for (const BookSetConfig& config : {BookSetConfig{.max_books = 1, .capacity = 1},
                                      BookSetConfig{.max_books = 3, .capacity = 100, .far_levels = 0},
                                      BookSetConfig{.max_books = 9'000, .capacity = 12'345, .far_levels = 678},
                                      BookSetConfig{.max_books = 100, .capacity = 1'000, .far_levels = 2'000}}) {
    const std::uint64_t calls = allocation_count();
    const std::uint64_t bytes = allocated_bytes();
    const std::optional<Set> set = create_set<Set>(config);
    ASSERT_TRUE(set.has_value());
    EXPECT_EQ(allocation_count() - calls, blocks);
    EXPECT_EQ(Set::memory_bytes(config), sizeof(Set) + (allocated_bytes() - bytes));
  }
}
TEST(AllocationOfASet, OfCreateIsOfTheDocumentedSize) {
  expect_documented_size<BookSet>(5);
  expect_documented_size<PlacedBookSet>(6);
  expect_documented_size<RuledBookSet>(8);
}

#endif

/// Over 9,000 books, so that spans fetch ahead, with every type of command at any price.
template <class Set>
void expect_none_after_create() {
  constexpr std::size_t books = 9'000;
  Set set = *Set::create({.max_books = books, .capacity = 3'000, .far_levels = 1'000});
  FarCommands plan(7);
  Random random(8);
  std::vector<BookCommand> commands(60'000);
  for (BookCommand& command : commands) {
    plan.note({static_cast<std::uint32_t>(books * 128 + 1'000 + random.below(3'000)),
               static_cast<std::uint32_t>(1 + 2 * random.below(3))});
    command = {plan.next(), static_cast<BookNumber>(random.below(random.chance(50) ? 20 : books + 1))};
  }
  std::vector<Result> results(commands.size());
  std::array<DepthLevel, 8> depth;
  std::uint64_t seen = 0;
  std::uint64_t successes = 0;

  const std::uint64_t before = allocation_count();
  for (std::size_t i = 0; i < books; ++i) seen += set.add_book().has_value();
  const auto sink = [&seen](const Trade& trade) { seen += trade.quantity; };
  const std::span<const BookCommand> all(commands);
  EXPECT_EQ(set.apply(all.first(30'000), results, sink), 30'000u);
  for (const BookCommand& command : all.subspan(30'000)) {
    successes += set.apply(command, sink).status == Status::Success;
    seen += set.find(command.handle).has_value() + set.book_of(command.handle).has_value() + set.size();
    if (const auto book = set.book(command.book)) {
      seen += book->best_bid().has_value() + book->depth(command.side, depth) + book->size();
      book->visit_orders(command.side, [&seen](const RestingOrder& order) { seen += order.quantity; });
    }
  }
  Set moved = std::move(set);
  for (BookNumber book = 0; book < 30; ++book) seen += moved.clear(book);
  seen += moved.clear();
  const std::uint64_t after = allocation_count();

  EXPECT_EQ(after, before);
  EXPECT_GT(successes, 5'000u);
  EXPECT_GT(seen, books);
}
TEST(AllocationOfASet, OfEveryLaterCallIsNone) {
  expect_none_after_create<BookSet>();
  expect_none_after_create<PlacedBookSet>();
}

}  // namespace
}  // namespace llmes::test
