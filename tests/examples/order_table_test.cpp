// SPDX-License-Identifier: MIT
//
// The gateway's table finds what is in it and nothing else, however full it is and whatever came and went.
#include "examples/gateway/order_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using gateway::OrderKey;
using gateway::OrderNumber;
using gateway::OrderTable;

TEST(OrderTable, EqualsAMapWhateverComesAndGoes) {
  constexpr std::size_t capacity = 16;  // a power of two: the table can be half full, and no more
  constexpr int id_count = 40;
  OrderTable table(capacity);
  std::map<std::string, OrderNumber> expected;
  Random random(1);
  const auto key_of = [](const std::string& id) {
    OrderKey key(7, id);
    key.hash = key.hash % 8 + 27;  // few, and at the end of 32 entries: long runs, which wrap around
    return key;
  };
  std::size_t times_full = 0;
  for (int step = 0; step < repetitions(20'000); ++step) {
    const std::string id = "order " + std::to_string(random.below(id_count));
    const std::string other = "order " + std::to_string(random.below(id_count));
    if (!expected.contains(id)) {
      if (expected.size() < capacity) expected[id] = table.insert(key_of(id));
    } else if (!expected.contains(other) && random.chance(50)) {
      table.rename(expected[id], key_of(other));
      expected[other] = expected[id];
      expected.erase(id);
    } else if (random.chance(60)) {
      table.erase(expected[id]);
      expected.erase(id);
    }
    times_full += expected.size() == capacity;
    ASSERT_EQ(table.size(), expected.size());
    ASSERT_EQ(table.entry_count(), expected.size());
    for (int i = 0; i < id_count; ++i) {
      const std::string name = "order " + std::to_string(i);
      const auto found = table.find(key_of(name));
      ASSERT_EQ(found.has_value(), expected.contains(name)) << name << ", step " << step;
      ASSERT_EQ(found.value_or(0), found ? expected[name] : 0) << name << ", step " << step;
    }
  }
  EXPECT_GT(times_full, 100u);
}

TEST(OrderKey, HoldsIdsOf1To23Characters) {
  for (std::size_t length = 1; length <= 23; ++length) {
    const std::string id = std::string("\xff\0abcdefghijklmnopqrstu", 23).substr(0, length);
    EXPECT_TRUE(OrderKey(1, id).valid());
    EXPECT_EQ(OrderKey(1, id).text(), id);
    EXPECT_EQ(OrderKey(1, id), OrderKey(1, id));
    EXPECT_NE(OrderKey(1, id), OrderKey(2, id));
    EXPECT_NE(OrderKey(1, id), OrderKey(1, id.substr(1)));
    EXPECT_NE(OrderKey(1, id), OrderKey(1, id.substr(0, length - 1)));
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = id;
      other[i] = 'X';
      EXPECT_NE(OrderKey(1, id), OrderKey(1, other)) << length << ", " << i;
    }
  }
  EXPECT_FALSE(OrderKey(1, "").valid());
  EXPECT_FALSE(OrderKey(1, std::string(24, 'x')).valid());
  EXPECT_FALSE(OrderKey(1, std::string(1000, 'x')).valid());
}

}  // namespace
}  // namespace llmes::test
