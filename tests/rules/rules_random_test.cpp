// SPDX-License-Identifier: MIT
//
// Books with rules on random streams, against the oracle: every kind of book, every allocation, all terms and the
// mistakes in them. After each call the answer, each event and the whole state are compared.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/ruled_conformance.hpp"
#include "tests/support/ruled_kinds.hpp"
#include "tests/support/ruled_streams.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

std::vector<RuledOperation> random_operations(const RuledKind& kind, const RuledProfile& profile,
                                              std::uint64_t seed) {
  const std::unique_ptr<AnyRuledBook> book = kind.create(profile.capacity);
  return RuledPlanner(profile, oracle_config(kind, *book, profile.capacity), kind.prices, seed).plan();
}

/// For a sequence that a failure prints.
[[maybe_unused]] void expect_rules(const std::string& name, std::size_t capacity,
                                   const std::vector<RuledOperation>& operations) {
  for (const RuledKind& kind : all_ruled_kinds()) {
    if (kind.name == name) {
      EXPECT_EQ(why_rules_fail(kind, capacity, operations), "");
    }
  }
}

class RulesAtRandom : public ::testing::TestWithParam<RuledKind> {};

TEST_P(RulesAtRandom, AgreeWithTheOracle) {
  const RuledKind& kind = GetParam();
  constexpr std::uint64_t seeds = repetitions(3u);
  const std::size_t state_every = LLMES_TEST_SANITIZED ? 16 : 1;  // a sanitizer looks at the calls
  for (RuledProfile profile : ruled_profiles) {
    profile.operation_count = repetitions(profile.operation_count);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::vector<RuledOperation> operations = random_operations(kind, profile, seed);
      ASSERT_EQ(why_rules_fail(kind, profile.capacity, operations, state_every), "")
          << profile.name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RulesAtRandom, ::testing::ValuesIn(all_ruled_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace

/// For the name of a failing test.
void PrintTo(const RuledKind& kind, std::ostream* out) {
  *out << kind.name;
}

}  // namespace llmes::test
