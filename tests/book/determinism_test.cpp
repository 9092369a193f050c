// SPDX-License-Identifier: MIT
//
// The same calls give the same results, handles and trades, on every compiler, standard library and level of
// optimisation: the hash of everything that a book answers to a fixed tape is a constant. Only a deliberate change
// of these answers, the numbers in handles included, may change the constants.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/event_hash.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

template <class Book>
std::uint64_t hash_of_the_tape() {
  EventHash hash;
  std::uint64_t seed = 2024;
  for (const Profile& profile : profiles) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    auto book = *Book::create(config);
    const Tape tape = record_tape(book, random_stream(profile, config, stream_width<Book>, seed++));
    for (const Result& result : tape.results) hash.add(result);
    for (const Trade& trade : tape.trades) hash.add(trade);
    hash.add(book.best_bid());
    hash.add(book.best_ask());
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : orders_of(book, side)) hash.add(order);
    }
  }
  return hash.value();
}

TEST(Determinism, OfABandOf64Prices) {
  EXPECT_EQ(hash_of_the_tape<OrderBook<64>>(), 338148251035720363u);
}
TEST(Determinism, OfABandOf4096Prices) {
  EXPECT_EQ(hash_of_the_tape<OrderBook<4096>>(), 4614214814063094577u);
}
TEST(Determinism, OfABandOf262144Prices) {
  EXPECT_EQ(hash_of_the_tape<OrderBook<262144>>(), 17808284261569177756u);
}
TEST(Determinism, OfAnyPrice) {
  EXPECT_EQ(hash_of_the_tape<AnyPriceBook<512>>(), 4104433984641687440u);
}

}  // namespace
}  // namespace llmes::test
