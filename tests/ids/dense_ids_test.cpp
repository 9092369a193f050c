// SPDX-License-Identifier: MIT
//
// An array of ids finds the slot of every id that rests, and of no other, and holds its range.
#include "llmes/ids/dense_ids.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/support/checked_index.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

TEST(DenseIds, FindWhatRestsAndNothingElse) {
  for (const OrderId first : {OrderId{0}, OrderId{1'000}, largest_id - 49}) {
    Checked<DenseIds> checked({.first = first, .count = 50}, 20);
    play(checked, 3'000, Random(1), [first](Random& random) { return first - 3 + random.below(56); });
  }
}

TEST(DenseIds, HoldTheirRange) {
  const auto index = index_of<DenseIds>({.first = 1'000, .count = 50}, 5);
  for (const OrderId id : {OrderId{1'000}, OrderId{1'049}}) EXPECT_TRUE(index.holds(id)) << id;
  for (const OrderId id : {OrderId{0}, OrderId{999}, OrderId{1'050}, largest_id})
    EXPECT_FALSE(index.holds(id)) << id;
  const auto last = index_of<DenseIds>({.first = largest_id - 1, .count = 2}, 5);
  EXPECT_TRUE(last.holds(largest_id));
  EXPECT_TRUE(last.holds(largest_id - 1));
  EXPECT_FALSE(last.holds(largest_id - 2));
  EXPECT_FALSE(last.holds(0));
}

TEST(DenseIds, AnswerNoIdOutsideTheirRangeWithOneOfIt) {
  auto index = index_of<DenseIds>({.first = 10, .count = 3}, 5);
  for (const OrderId id : {OrderId{10}, OrderId{11}, OrderId{12}}) index.insert(id, 7);
  for (const OrderId id : {OrderId{0}, OrderId{9}, OrderId{13}, largest_id}) {
    EXPECT_EQ(index.hint(id), 0u) << id;
    EXPECT_EQ(index.find(id, [](SlotIndex slot) { return slot == 7; }), 0u) << id;
    index.fetch(id);
  }
}

TEST(DenseIds, TakeFourBytesForEachIdAndFourMore) {
  EXPECT_EQ(index_of<DenseIds>({.first = 7, .count = 1'000}, 5).memory_bytes(), 4'004u);
}

TEST(DenseIds, ARangeThatIsNoneMakesNoIndex) {
  const auto status_of = [](OrderId first, std::size_t count) {
    CreateStatus status{};
    const bool made = DenseIds::create({first, count}, 1, status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    return status;
  };
  EXPECT_EQ(status_of(0, 0), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id, 0), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id, 1), CreateStatus::Success);
  EXPECT_EQ(status_of(largest_id, 2), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id - 9, 10), CreateStatus::Success);
  EXPECT_EQ(status_of(largest_id - 9, 11), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(2, largest_id), CreateStatus::InvalidIdRange);
  // All ids there are, but no memory for them.
  EXPECT_EQ(status_of(1, largest_id), CreateStatus::OutOfMemory);
  EXPECT_EQ(status_of(0, std::size_t{1} << 61), CreateStatus::OutOfMemory);
}

TEST(DenseIds, HaveNoRangeUnlessTheyAreGivenOne) {
  constexpr DenseIds::Config config;
  EXPECT_EQ(config.first, 0u);
  EXPECT_EQ(config.count, 0u);
}

}  // namespace
}  // namespace llmes::test
