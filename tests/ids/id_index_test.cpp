// SPDX-License-Identifier: MIT
//
// What all indexes promise. What each finds: dense_ids_test.cpp and hashed_ids_test.cpp.
#include "llmes/ids/id_index.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "tests/support/checked_index.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

static_assert(IdIndex<DenseIds> && IdIndex<HashedIds>);
static_assert(!DenseIds::forgets && HashedIds::forgets);

template <class Index>
constexpr typename Index::Config config_of_5;
template <>
constexpr DenseIds::Config config_of_5<DenseIds>{.first = 0, .count = 5};

template <class Index>
class AnyIdIndex : public ::testing::Test {};
using Indexes = ::testing::Types<DenseIds, HashedIds>;
TYPED_TEST_SUITE(AnyIdIndex, Indexes);

TYPED_TEST(AnyIdIndex, HasTheOrdersOfTheOneItIsMovedFrom) {
  auto from = index_of<TypeParam>(config_of_5<TypeParam>, 5);
  from.insert(3, 8);
  TypeParam to = std::move(from);
  EXPECT_EQ(to.hint(3), 8u);
  TypeParam assigned = index_of<TypeParam>(config_of_5<TypeParam>, 5);
  assigned.insert(4, 9);
  assigned = std::move(to);
  EXPECT_EQ(assigned.hint(3), 8u);
  EXPECT_EQ(assigned.hint(4), 0u);
  for (TypeParam* empty : {&from, &to}) {
    EXPECT_EQ(empty->hint(3), 0u);
    EXPECT_EQ(empty->find(3, [](SlotIndex slot) { return slot != 0; }), 0u);
    EXPECT_EQ(empty->holds(3), (!std::is_same_v<TypeParam, DenseIds>));
    empty->fetch(3);
  }
  if constexpr (TypeParam::forgets) from.clear();
  EXPECT_EQ(from.hint(3), 0u);
  from = std::move(assigned);
  EXPECT_EQ(from.hint(3), 8u);
}

TEST(IdIndex, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  expect_out_of_memory_at_each_of(1, [](CreateStatus& status) { return DenseIds::create({0, 5}, 5, status); });
  expect_out_of_memory_at_each_of(1, [](CreateStatus& status) { return HashedIds::create({}, 5, status); });
}

#if !LLMES_TEST_SANITIZED  // a sanitizer needs more address space than that itself

template <class Index>
CreateStatus status_of(const typename Index::Config& config, std::size_t capacity) {
  CreateStatus status{};
  return Index::create(config, capacity, status).has_value() ? CreateStatus::Success : status;
}

/// The exit status of a process that asks for 4 GiB and more where there are 2.
int with_too_little_memory() {
  const rlimit limit{std::uint64_t{2} << 30, std::uint64_t{2} << 30};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  const bool refused = status_of<DenseIds>({0, std::size_t{1} << 30}, 1) == CreateStatus::OutOfMemory &&
                       status_of<HashedIds>({}, std::size_t{1} << 31) == CreateStatus::OutOfMemory;
  return refused ? 0 : 1;
}

TEST(IdIndex, TooLittleMemoryMakesNone) {
  EXPECT_EXIT(std::_Exit(with_too_little_memory()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace llmes::test
