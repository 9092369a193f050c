// SPDX-License-Identifier: MIT
//
// A book for any price against the oracle, with commands of every type at prices near a wandering mid, far from
// it, and anywhere in 64 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "llmes/llmes.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

/// Prices around a mid that wanders, and now and then jumps; thousands of ticks away from it; and anywhere.
class FarCommands {
 public:
  explicit FarCommands(std::uint64_t seed) : random_(seed) {}

  /// A command of any type. Statements of their own draw the numbers: see `StreamPlanner`.
  Command next() {
    move_mid();
    Command command{};
    command.id = ++ids_;
    command.type = random_.chance(30) ? CommandType::AddLimit : static_cast<CommandType>(random_.below(9));
    command.side = static_cast<Side>(random_.below(2));
    command.price = price(command.side);
    command.quantity = 1 + random_.below(9);
    command.handle = some_handle();
    if (random_.chance(30)) command.time_in_force = static_cast<TimeInForce>(random_.below(4));
    return command;
  }

  void note(OrderHandle handle) { handles_.push_back(handle); }

 private:
  void move_mid() {
    const std::uint64_t draw = random_.below(1'000);
    if (draw < 20) mid_ += random_.below(2'000) - 1'000;
    if (draw == 999) {
      const std::uint64_t bits = random_.below(40);
      mid_ = random_.next() >> bits;
    }
  }

  /// Modulo 2^64, so a price may come out at the other end of the type.
  Price price(Side side) {
    const std::uint64_t extreme = random_.below(200);
    if (extreme == 0) return std::numeric_limits<Price>::min();
    if (extreme == 1) return std::numeric_limits<Price>::max();
    if (extreme == 2) return highest_price - static_cast<Price>(random_.below(5));
    const std::uint64_t away = this->away();
    return static_cast<Price>(side == Side::Buy ? mid_ - away : mid_ + away);
  }

  std::uint64_t away() {
    const std::uint64_t kind = random_.below(10);
    if (kind < 6) return random_.below(20) - 4;
    if (kind < 8) return random_.below(9'000);
    const std::uint64_t bits = random_.below(63);
    return random_.next() >> bits;
  }

  /// One of the last, mostly.
  OrderHandle some_handle() {
    if (handles_.empty()) return {};
    const std::size_t recent = std::min<std::size_t>(handles_.size(), 20);
    if (random_.chance(60)) return handles_[handles_.size() - 1 - random_.below(recent)];
    return handles_[random_.below(handles_.size())];
  }

  Random random_;
  std::uint64_t mid_ = 0;
  OrderId ids_ = 0;
  std::vector<OrderHandle> handles_;
};

/// Makes one call on both, and says what differs; empty if nothing does.
template <class Book>
std::string difference_after(Book& book, Oracle& oracle, const Command& command, FarCommands& commands) {
  RecordTrades sink;
  const Result result = book.apply(command, sink);
  const Oracle::Outcome expected = oracle.apply(command);
  std::string difference;
  note_difference(difference, "status", expected.status, result.status);
  note_difference(difference, "filled", expected.filled, result.filled);
  note_difference(difference, "remaining", expected.remaining, result.remaining);
  note_difference(difference, "cancelled", expected.cancelled, result.cancelled);
  note_difference(difference, "kept its place", expected.kept_place, result.kept_place);
  note_difference(difference, "trades", expected.trades, sink.trades);
  if (!difference.empty()) return difference;
  if (result.status == Status::Success && result.rests() && (adds(command.type) || replaces(command.type))) {
    oracle.name_newest(result.handle);
    commands.note(result.handle);
  }
  for (const Side side : {Side::Buy, Side::Sell}) {
    note_difference(difference, "best", oracle.best(side), book.best(side));
    note_difference(difference, "worst", oracle.worst(side), book.worst(side));
  }
  note_difference(difference, "size", oracle.size(), book.size());
  return difference;
}

template <class Book>
std::string difference_of_state(const Book& book, const Oracle& oracle) {
  std::string difference = broken_invariant(book).value_or("");
  for (const Side side : {Side::Buy, Side::Sell}) {
    const std::vector<RestingOrder> orders = oracle.orders(side);
    note_difference(difference, "orders", orders, orders_of(book, side));
    for (const RestingOrder& order : orders) {
      note_difference(difference, "queue ahead", oracle.queue_ahead(order.handle), book.queue_ahead(order.handle));
    }
  }
  return difference;
}

template <class Book>
class AnyPriceAtRandom : public ::testing::Test {};
using RandomlyFedBooks = ::testing::Types<AnyPriceBook<512>, AnyPriceBook<1024>, AnyPriceBook<4096>>;
TYPED_TEST_SUITE(AnyPriceAtRandom, RandomlyFedBooks);

TYPED_TEST(AnyPriceAtRandom, AgreesWithTheOracle) {
  for (const std::size_t capacity : {5u, 40u, 400u}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      auto book = *TypeParam::create({.capacity = capacity});
      Oracle oracle(book.price_min(), book.price_max(), capacity);
      FarCommands commands(seed * 1'000 + capacity);
      for (int i = 1; i <= 3'000; ++i) {
        const Command command = commands.next();
        ASSERT_EQ(difference_after(book, oracle, command, commands), "") << i << ": " << command;
        if (i % 32 == 0) {
          ASSERT_EQ(difference_of_state(book, oracle), "") << i << ": " << command;
        }
      }
    }
  }
}

}  // namespace
}  // namespace llmes::test
