// SPDX-License-Identifier: MIT
//
// Slots by id are those of a map, with a number for each id that stays until it is erased.
#include "llmes/venue/id_slots.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

TEST(IdSlotsTest, AreThoseOfAMap) {
  constexpr std::size_t capacity = 20;
  CreateStatus status{};
  std::optional<IdSlots> slots = IdSlots::create(capacity, status);
  ASSERT_TRUE(slots.has_value());
  EXPECT_EQ(status, CreateStatus::Success);
  EXPECT_EQ(slots->slot_count(), capacity + 1);
  std::map<OrderId, IdSlots::Slot> expected;
  Random random(1);
  for (int i = 0; i < repetitions(20'000); ++i) {
    const OrderId id = random.below(40), other = random.below(40);
    const auto found = expected.find(id);
    if (found == expected.end()) {
      EXPECT_EQ(slots->find(id), IdSlots::none);
      EXPECT_EQ(slots->full(), expected.size() == capacity);
      if (!slots->full()) expected[id] = slots->insert(id);
    } else if (random.chance(50) && !expected.contains(other)) {
      slots->rename(found->second, other);
      expected[other] = found->second;
      expected.erase(id);
    } else {
      slots->erase(found->second);
      expected.erase(found);
    }
    ASSERT_EQ(slots->size(), expected.size());
    std::set<IdSlots::Slot> used;
    for (const auto& [known, slot] : expected) {
      ASSERT_EQ(slots->find(known), slot);
      ASSERT_EQ(slots->id_at(slot), known);
      ASSERT_TRUE(slots->used(slot));
      ASSERT_TRUE(slot > IdSlots::none && slot <= capacity && used.insert(slot).second);
    }
  }
  EXPECT_TRUE(slots->holds());
  const IdSlots moved = std::move(*slots);
  EXPECT_EQ(moved.size(), expected.size());
  EXPECT_TRUE(slots->full());  // NOLINT(bugprone-use-after-move): as it promises
  EXPECT_EQ(slots->size(), 0u);
}

TEST(IdSlotsTest, OfNoneAreNotMade) {
  CreateStatus status{};
  EXPECT_FALSE(IdSlots::create(0, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
}

}  // namespace
}  // namespace llmes::test
