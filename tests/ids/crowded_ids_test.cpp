// SPDX-License-Identifier: MIT
//
// More ids in one place than a bucket of `HashedIds` can count going by. Its count then stays at its largest
// number, so that searches go on where they need not, and find what there is.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "llmes/ids/id_index.hpp"
#include "tests/support/id_of_hash.hpp"

namespace llmes::test {
namespace {

TEST(CrowdedIds, AreFoundAndForgotten) {
  constexpr SlotIndex count = 65'535 + 6 + 20;
  CreateStatus status{};
  HashedIds index = std::move(HashedIds::create({}, count, status)).value();
  // All of them begin in the first bucket, with tags in turns.
  const auto id = [](SlotIndex slot) { return id_of_hash(std::uint64_t{slot} % 255 << 24 | slot); };
  const auto found = [&](SlotIndex slot) {
    return index.find(id(slot), [slot](SlotIndex candidate) { return candidate == slot; }) == slot;
  };
  for (SlotIndex slot = 1; slot <= count; ++slot) {
    index.insert(id(slot), slot);
    ASSERT_TRUE(slot < 7 || found(7)) << "the first that went by, when " << slot << " have come";
  }
  for (SlotIndex slot = 1; slot <= count; slot += 97) EXPECT_TRUE(found(slot)) << slot;
  EXPECT_TRUE(found(count));
  EXPECT_FALSE(found(count + 1));
  // First the six that the bucket has, then as many as it can count going by: it knows no longer who is left.
  for (SlotIndex slot = 1; slot <= 6; ++slot) index.erase(id(slot), slot);
  for (SlotIndex slot = count; slot > 26; --slot) index.erase(id(slot), slot);
  for (SlotIndex slot = 7; slot <= 26; ++slot) EXPECT_TRUE(found(slot)) << slot;
  EXPECT_FALSE(found(6));
  EXPECT_FALSE(found(27));
  index.insert(id(27), 27);
  EXPECT_TRUE(found(27));
  index.clear();
  EXPECT_FALSE(found(8));
}

}  // namespace
}  // namespace llmes::test
