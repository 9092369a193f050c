// SPDX-License-Identifier: MIT
//
// Books share nothing: each thread may have its own, and hand it to another. The debug build runs this program
// with the thread sanitizer.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;

constexpr BookConfig config{.base_price = -20, .capacity = near_prices.capacity};

Book empty_book() {
  return *Book::create(config);
}

std::vector<Operation> stream() {
  return random_stream(near_prices, config, Book::price_levels, 5);
}

TEST(Threads, HaveBooksOfTheirOwn) {
  Book alone = empty_book();
  const Tape expected = record_tape(alone, stream());
  EXPECT_FALSE(expected.trades.empty());
  EXPECT_GT(alone.size(), 0u);
  std::array<std::optional<Book>, 4> books;
  std::array<Tape, 4> tapes;
  std::vector<std::thread> threads;  // libc++ 16 has no std::jthread
  for (std::size_t i = 0; i < books.size(); ++i) {
    threads.emplace_back([&book = books[i], &tape = tapes[i]] {
      book = Book::create(config);
      tape = record_tape(*book, stream());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < books.size(); ++i) {
    EXPECT_EQ(tapes[i].results, expected.results);
    EXPECT_EQ(tapes[i].trades, expected.trades);
    EXPECT_EQ(snapshot_of(*books[i]), snapshot_of(alone));
  }
}

TEST(Threads, GiveABookOn) {
  Book alone = empty_book();
  record_tape(alone, stream());
  const Tape expected = record_tape(alone, stream());
  EXPECT_FALSE(expected.trades.empty());
  EXPECT_GT(alone.size(), 0u);

  Book book = empty_book();
  std::thread([&book] { record_tape(book, stream()); }).join();
  const Tape tape = record_tape(book, stream());
  EXPECT_EQ(tape.results, expected.results);
  EXPECT_EQ(tape.trades, expected.trades);
  EXPECT_EQ(snapshot_of(book), snapshot_of(alone));
}

}  // namespace
}  // namespace llmes::test
