// SPDX-License-Identifier: MIT
//
// Where a table with linear probing begins to search. What it finds: itch_sink_test.cpp.
#include "llmes/detail/probing_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace llmes::test {
namespace {

struct Entry {
  std::uint32_t number;
  [[nodiscard]] bool used() const { return number != 0; }
  [[nodiscard]] std::uint32_t hash() const { return number; }
};

/// Searches begin all over the table, by the upper bits of the hash, and go around its end.
TEST(ProbingTable, SpreadsWhereSearchesBegin) {
  const ProbingTable<Entry> table(8);
  EXPECT_EQ(table.size_bytes(), 16 * sizeof(Entry));
  EXPECT_EQ(table.size_bytes(), ProbingTable<Entry>::bytes(8));
  EXPECT_EQ(table.start_of(0), 0u);
  EXPECT_EQ(table.start_of(std::uint32_t{5} << 28), 5u);
  EXPECT_EQ(table.start_of(std::numeric_limits<std::uint32_t>::max()), 15u);
  EXPECT_EQ(table.after(0), 1u);
  EXPECT_EQ(table.after(15), 0u);
}

}  // namespace
}  // namespace llmes::test
