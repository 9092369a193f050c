// SPDX-License-Identifier: MIT
//
// Any difference in the answers of a book changes their hash.
#include "tests/support/event_hash.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace llmes::test {
namespace {

template <class Event>
std::uint64_t hash_of(const Event& event) {
  EventHash hash;
  hash.add(std::uint64_t{7});
  hash.add(event);
  hash.add(std::uint64_t{9});
  return hash.value();
}

TEST(EventHash, SeesEveryBit) {
  std::set<std::uint64_t> hashes{hash_of(std::uint64_t{0})};
  for (int bit = 0; bit < 64; ++bit) hashes.insert(hash_of(std::uint64_t{1} << bit));
  EXPECT_EQ(hashes.size(), 65u);
}

TEST(EventHash, SeesEveryField) {
  const std::vector<std::function<void(Trade&)>> trade_changes{
      [](Trade& trade) { ++trade.taker_id; },
      [](Trade& trade) { ++trade.maker_id; },
      [](Trade& trade) { ++trade.maker_handle.index; },
      [](Trade& trade) { ++trade.maker_handle.generation; },
      [](Trade& trade) { ++trade.price; },
      [](Trade& trade) { ++trade.quantity; },
      [](Trade& trade) { ++trade.maker_remaining; },
      [](Trade& trade) { ++trade.taker_remaining; },
      [](Trade& trade) { trade.taker_side = Side::Sell; }};
  std::set<std::uint64_t> hashes{hash_of(Trade{})};
  for (const auto& change : trade_changes) {
    Trade trade;
    change(trade);
    hashes.insert(hash_of(trade));
  }
  EXPECT_EQ(hashes.size(), trade_changes.size() + 1);

  hashes = {hash_of(Result{}), hash_of(Result{Status::PoolFull}), hash_of(Result{Status::Success, {1, 0}, 0}),
            hash_of(Result{Status::Success, {0, 1}, 0}), hash_of(Result{Status::Success, {}, 1})};
  EXPECT_EQ(hashes.size(), 5u);
}

}  // namespace
}  // namespace llmes::test
