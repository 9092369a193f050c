// SPDX-License-Identifier: MIT
//
// An array of zeros by itself: one that has no memory, never had or no longer, is a single zero.
#include "llmes/detail/zeroed_array.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using Array = ZeroedArray<std::uint32_t>;

void expect_single_zero(const Array& array) {
  EXPECT_FALSE(array.allocated());
  EXPECT_EQ(array.size(), 1u);
  EXPECT_EQ(array.size_bytes(), 4u);
  EXPECT_EQ(array[0], 0u);
}

TEST(ZeroedArray, OfZerosCanBeWrittenAndCleared) {
  for (const std::size_t size : {1u, 2u, 1'000u}) {
    Array array(size);
    ASSERT_TRUE(array.allocated());
    EXPECT_EQ(array.size(), size);
    EXPECT_EQ(array.size_bytes(), 4 * size);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(array[i], 0u) << i;
        array[i] = static_cast<std::uint32_t>(i + 1);
      }
      EXPECT_EQ(std::as_const(array)[size - 1], size);
      array.clear();
    }
  }
}

TEST(ZeroedArray, WithoutMemoryIsASingleZero) {
  expect_single_zero(Array());
  expect_single_zero(Array(0));
  // More bytes than a pointer can count, the most that it can, and less.
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 4;
  for (const std::size_t size : {4 * most, 2 * most, most + 1, most, most - most / 64, most / 2 + 1}) {
    expect_single_zero(Array(size));
  }
#if !LLMES_TEST_SANITIZED  // a sanitizer ends the program that asks for so much
  expect_single_zero(Array(most / 2));
#endif
  Array none;
  none.clear();
  expect_single_zero(none);
}

TEST(ZeroedArray, ThatHasMovedAwayIsASingleZero) {
  Array from(3);
  from[2] = 7;
  Array to(std::move(from));
  expect_single_zero(from);
  EXPECT_TRUE(to.allocated());
  EXPECT_EQ(to.size(), 3u);
  EXPECT_EQ(to[2], 7u);
  Array assigned(2);
  assigned = std::move(to);
  expect_single_zero(to);
  EXPECT_TRUE(assigned.allocated());
  EXPECT_EQ(assigned.size(), 3u);
  EXPECT_EQ(assigned[2], 7u);
  from = std::move(assigned);
  expect_single_zero(assigned);
  EXPECT_EQ(from[2], 7u);
}

}  // namespace
}  // namespace llmes::test
