// SPDX-License-Identifier: MIT
//
// The tree against std::set, at each height and at the sizes on both sides of each change of height.
#include "llmes/book/occupancy_tree.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <type_traits>

#include "tests/support/band_offsets.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

template <class Size>
class OccupancyTreeTest : public ::testing::Test {
 protected:
  static constexpr std::size_t n = Size::value;

  void insert(std::size_t rank) {
    tree_->insert(rank);
    expected_.insert(rank);
  }
  void erase(std::size_t rank) {
    tree_->clear_if(rank, true);
    expected_.erase(rank);
  }
  /// Erases the first rank; there must be one.
  void pop(bool sparse) {
    const std::size_t rank = *expected_.begin();
    expected_.erase(rank);
    const std::size_t next = sparse ? tree_->pop_first_of_sparse(rank) : tree_->pop_first(rank);
    ASSERT_EQ(next, expected_.empty() ? n : *expected_.begin()) << "after " << rank << (sparse ? ", sparse" : "");
  }
  /// Asks for nothing, which must change nothing.
  void erase_not(std::size_t rank) { tree_->clear_if(rank, false); }
  void expect_equal_from(std::size_t from) {
    const auto next = expected_.lower_bound(from);
    ASSERT_EQ(tree_->first_from(from), next == expected_.end() ? n : *next) << "from " << from;
  }
  void expect_equal_around(std::size_t rank) {
    ASSERT_EQ(tree_->first(), expected_.empty() ? n : *expected_.begin());
    ASSERT_EQ(tree_->contains(rank), expected_.contains(rank));
    if (!expected_.empty()) {
      ASSERT_EQ(tree_->last(), *expected_.rbegin());
    }
    for (const std::size_t from : {std::size_t{0}, rank, rank + 1, rank / 64 * 64, (rank / 64 + 1) * 64,
                                   rank / 4096 * 4096, (rank / 4096 + 1) * 4096, n - 1, n}) {
      if (from <= n) expect_equal_from(from);
    }
  }

  std::set<std::size_t> expected_;

 private:
  std::unique_ptr<OccupancyTree<n>> tree_ = std::make_unique<OccupancyTree<n>>();
};

template <std::size_t N>
using Size = std::integral_constant<std::size_t, N>;
#if LLMES_TEST_SANITIZED  // the widest takes long, and has the same height as the second widest
using Sizes = ::testing::Types<Size<64>, Size<128>, Size<2048>, Size<4096>, Size<8192>, Size<131072>>;
#else
using Sizes =
    ::testing::Types<Size<64>, Size<128>, Size<2048>, Size<4096>, Size<8192>, Size<131072>, Size<262144>>;
#endif
TYPED_TEST_SUITE(OccupancyTreeTest, Sizes);

static_assert(OccupancyTree<64>::height == 1);
static_assert(OccupancyTree<128>::height == 2 && OccupancyTree<4096>::height == 2);
static_assert(OccupancyTree<8192>::height == 3 && OccupancyTree<262144>::height == 3);

// A word for each 64 of what is below, and a stopper for each level but the root. std::array of nothing may take
// room.
static_assert(sizeof(OccupancyTree<64>) <= 8 * 3);
static_assert(sizeof(OccupancyTree<4096>) <= 8 * (1 + 64 + 1 + 1));
static_assert(sizeof(OccupancyTree<262144>) == 8 * (1 + 64 + 1 + 4096 + 1));

TYPED_TEST(OccupancyTreeTest, IsEmptyAtFirst) {
  for (const std::int64_t rank : boundary_offsets(this->n))
    this->expect_equal_around(static_cast<std::size_t>(rank));
}

TYPED_TEST(OccupancyTreeTest, FindsEachRankAlone) {
  for (std::size_t rank = 0; rank < this->n; rank += LLMES_TEST_SANITIZED ? 3 : 1) {
    this->insert(rank);
    this->expect_equal_around(rank);
    this->erase(rank);
    this->expect_equal_around(rank);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(OccupancyTreeTest, FindsEachPairOfBoundaries) {
  for (const std::int64_t low : boundary_offsets(this->n)) {
    for (const std::int64_t high : boundary_offsets(this->n)) {
      const auto first = static_cast<std::size_t>(low);
      const auto second = static_cast<std::size_t>(high);
      this->insert(first);
      this->insert(second);
      this->expect_equal_around(first);
      this->expect_equal_around(second);
      this->erase(first);
      this->expect_equal_around(second);
      this->erase(second);
      this->expect_equal_around(first);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(OccupancyTreeTest, PopsEachPairOfBoundaries) {
  for (const std::int64_t low : boundary_offsets(this->n)) {
    for (const std::int64_t high : boundary_offsets(this->n)) {
      for (const bool sparse : {false, true}) {
        this->insert(static_cast<std::size_t>(low));
        this->insert(static_cast<std::size_t>(high));
        while (!this->expected_.empty() && !this->HasFatalFailure()) {
          this->pop(sparse);
          this->expect_equal_around(static_cast<std::size_t>(low));
          this->expect_equal_around(static_cast<std::size_t>(high));
        }
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(OccupancyTreeTest, PopsAllRanksWhenFull) {
  for (const bool sparse : {false, true}) {
    for (std::size_t rank = 0; rank < this->n; ++rank) this->insert(rank);
    while (!this->expected_.empty() && !this->HasFatalFailure()) this->pop(sparse);
    this->expect_equal_around(0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(OccupancyTreeTest, InsertAndEraseTwiceIsOnce) {
  for (const std::size_t rank : {std::size_t{0}, std::size_t{63}, this->n - 1}) {
    this->insert(rank);
    this->insert(rank);
    this->expect_equal_around(rank);
    this->erase(rank);
    this->erase(rank);
    this->expect_equal_around(rank);
  }
}

TYPED_TEST(OccupancyTreeTest, EraseIfNotReallyChangesNothing) {
  for (const std::size_t rank : {std::size_t{0}, std::size_t{63}, this->n - 1}) {
    this->erase_not(rank);
    this->expect_equal_around(rank);
    this->insert(rank);
    this->erase_not(rank);
    this->expect_equal_around(rank);
  }
}

/// Sparse and dense by turns, uniform and clustered.
TYPED_TEST(OccupancyTreeTest, AgreesWithASetOnRandomRanks) {
  Random random(5);
  std::size_t centre = 0;
  for (int i = 0; i < (LLMES_TEST_SANITIZED ? 6'000 : 60'000); ++i) {
    if (i % 500 == 0) centre = random.below(this->n);
    const std::size_t rank = random.chance(50) ? random.below(this->n) : (centre + random.below(200)) % this->n;
    const bool filling = i / 10'000 % 2 == 0;
    if (random.chance(filling ? 70 : 20)) {
      this->insert(rank);
    } else if (!filling && !this->expected_.empty() && random.chance(80)) {
      this->pop(random.chance(50));
    } else {
      this->erase(rank);
    }
    this->erase_not(random.below(this->n));
    this->expect_equal_around(rank);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(OccupancyTreeTest, WalksAllRanksWhenFull) {
  for (std::size_t rank = 0; rank < this->n; ++rank) this->insert(rank);
  for (std::size_t rank = 0; rank < this->n; ++rank) {
    this->expect_equal_from(rank);
    if (this->HasFatalFailure()) return;
  }
  for (std::size_t rank = this->n; rank-- > 0;) this->erase(rank);
  this->expect_equal_around(0);
}

/// As a tree that nothing has been put into.
template <std::size_t N>
void expect_new(OccupancyTree<N>& tree) {
  EXPECT_EQ(tree.first(), N);
  for (const std::int64_t rank : boundary_offsets(N)) {
    EXPECT_FALSE(tree.contains(static_cast<std::size_t>(rank)));
    tree.insert(static_cast<std::size_t>(rank));
    EXPECT_EQ(tree.first(), static_cast<std::size_t>(rank));
    EXPECT_EQ(tree.last(), static_cast<std::size_t>(rank));
    tree.clear_if(static_cast<std::size_t>(rank), true);
    EXPECT_EQ(tree.first(), N);
  }
}

TYPED_TEST(OccupancyTreeTest, IsEmptyOnceMovedFrom) {
  using Tree = OccupancyTree<TypeParam::value>;
  const auto filled = std::make_unique<Tree>();
  for (const std::int64_t rank : boundary_offsets(this->n)) filled->insert(static_cast<std::size_t>(rank));
  const auto expect_filled = [this](const Tree& tree) {
    for (const std::int64_t rank : boundary_offsets(this->n)) {
      EXPECT_TRUE(tree.contains(static_cast<std::size_t>(rank)));
    }
    EXPECT_EQ(tree.first(), 0u);
    EXPECT_EQ(tree.last(), this->n - 1);
  };
  const auto constructed = std::make_unique<Tree>(std::move(*filled));
  expect_filled(*constructed);
  expect_new(*filled);
  const auto assigned = std::make_unique<Tree>();
  assigned->insert(7);
  *assigned = std::move(*constructed);
  expect_filled(*assigned);
  expect_new(*constructed);
  Tree& same = *assigned;
  *assigned = std::move(same);
  expect_filled(*assigned);
}

TEST(OccupancyTree, WorksAtCompileTime) {
  constexpr std::size_t found = [] {
    OccupancyTree<128> tree;
    tree.insert(3);
    tree.insert(100);
    tree.clear_if(3, true);
    return tree.first() + tree.last();
  }();
  static_assert(found == 200);
  // Where a search that leaves its array, or scans a word of 0, does not compile.
  static_assert(OccupancyTree<64>().first() == 64);
  static_assert(OccupancyTree<128>().first() == 128);
  static_assert(OccupancyTree<4096>().first() == 4096);
  static_assert(OccupancyTree<8192>().first() == 8192);
  static_assert(OccupancyTree<262144>().first() == 262144);
}

}  // namespace
}  // namespace llmes::test
