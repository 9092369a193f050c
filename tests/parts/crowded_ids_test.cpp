// SPDX-License-Identifier: MIT
//
// More ids in one place than a bucket of `HashedIds` can count going by. Its count then stays at its largest
// number, so that searches go on where they need not, and find what there is.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "llmes/id_index.hpp"
#include "tests/support/unmixed.hpp"

namespace llmes::test {
namespace {

TEST(CrowdedIds, AreFoundAndForgotten) {
  constexpr SlotIndex count = 65'535 + 6 + 20;
  CreateStatus status{};
  HashedIds index = std::move(HashedIds::create({}, count, status)).value();
  // All of them begin in the first bucket, with tags in turns.
  const auto id = [](SlotIndex slot) { return unmixed(std::uint64_t{slot} % 255 << 24 | slot); };
  const auto found = [&](SlotIndex slot) {
    return index.find(id(slot), [slot](SlotIndex candidate) { return candidate == slot; }) == slot;
  };
  for (SlotIndex slot = 1; slot <= count; ++slot) index.insert(id(slot), slot);
  for (SlotIndex slot = 1; slot <= count; slot += 97) EXPECT_TRUE(found(slot)) << slot;
  EXPECT_TRUE(found(count));
  EXPECT_FALSE(found(count + 1));
  // The bucket is full until half of those that went by have left, and empty from then on.
  const auto erase_down_to = [&](SlotIndex last, SlotIndex first) {
    for (SlotIndex slot = first; slot >= last; --slot) index.erase(id(slot), slot);
  };
  erase_down_to(30'000, count);
  erase_down_to(1, 6);
  erase_down_to(21, 29'999);
  for (SlotIndex slot = 7; slot <= 20; ++slot) EXPECT_TRUE(found(slot)) << slot;
  EXPECT_FALSE(found(6));
  EXPECT_FALSE(found(21));
  index.insert(id(21), 21);
  EXPECT_TRUE(found(21));
  index.clear();
  EXPECT_FALSE(found(8));
}

}  // namespace
}  // namespace llmes::test
