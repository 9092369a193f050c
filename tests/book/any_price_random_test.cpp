// SPDX-License-Identifier: MIT
//
// A book for any price against the oracle, with commands of every type at prices near a wandering mid, far from
// it, and anywhere in 64 bits.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "llmes/book.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/oracle_difference.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {
namespace {

/// Makes one call on both, and says what differs; empty if nothing does.
template <class Book>
std::string difference_after(Book& book, Oracle& oracle, const Command& command, FarCommands& commands) {
  RecordTrades sink;
  const Result result = book.apply(command, sink);
  const Oracle::Outcome expected = oracle.apply(command);
  const std::string difference = difference_of_answers(expected, result, sink.trades);
  if (!difference.empty()) return difference;
  if (result.status == Status::Success && result.rests() && (adds(command.type) || has_new_id(command.type))) {
    oracle.name_newest(result.handle);
    commands.note(result.handle);
  }
  return difference_of_ends(oracle, book);
}

template <class Book>
std::string difference_of_state(const Book& book, const Oracle& oracle) {
  const std::optional<std::string> broken = broken_invariant(book);
  return broken ? *broken : difference_of_orders(oracle, book);
}

template <class Book>
class AnyPriceAtRandom : public ::testing::Test {};
using RandomlyFedBooks = ::testing::Types<AnyPriceBook<64>, AnyPriceBook<512>, AnyPriceBook<4096>>;
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
