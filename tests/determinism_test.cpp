// SPDX-License-Identifier: MIT
//
// The same calls give the same results, handles and trades, on every compiler, standard library and level of
// optimisation: the hash of everything that a fixed tape makes a book say is a constant. Only a deliberate change
// of what the book answers, the numbers in its handles included, may change the constants.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "tests/snapshot.hpp"
#include "tests/tape.hpp"

namespace llmes::test {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3u; }  // FNV-1a, a word at a time
  void add(OrderHandle handle) { add(handle.value()); }
  void add(std::optional<Price> price) { add(price ? static_cast<std::uint64_t>(*price) : 0x9e3779b97f4a7c15u); }
  void add(const Result& result) {
    add(static_cast<std::uint64_t>(result.status));
    add(result.handle);
    add(result.filled);
  }
  void add(const Trade& trade) {
    add(trade.taker_id);
    add(trade.maker_id);
    add(trade.maker_handle);
    add(static_cast<std::uint64_t>(trade.price));
    add(trade.quantity);
    add(trade.maker_remaining);
  }
  void add(const RestingOrder& order) {
    add(order.handle);
    add(order.id);
    add(static_cast<std::uint64_t>(order.price));
    add(order.quantity);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

template <std::size_t PriceLevels>
std::uint64_t hash_of_the_tape() {
  Hash hash;
  std::uint64_t seed = 2024;
  for (const Profile& profile : profiles) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    auto book = *OrderBook<PriceLevels>::create(config);
    const Tape tape = record_tape(book, random_stream(profile, config, PriceLevels, seed++));
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
  EXPECT_EQ(hash_of_the_tape<64>(), 3631335534062440782u);
}
TEST(Determinism, OfABandOf4096Prices) {
  EXPECT_EQ(hash_of_the_tape<4096>(), 1525184092884205712u);
}
TEST(Determinism, OfABandOf262144Prices) {
  EXPECT_EQ(hash_of_the_tape<262144>(), 15967337770516600400u);
}

}  // namespace
}  // namespace llmes::test
