// SPDX-License-Identifier: MIT
//
// Far levels against std::map, with a walk over the invariants after every few changes.
#include "llmes/book/far_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/book_inspector.hpp"
#include "tests/support/far_walk.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test::far_levels_test {
namespace {

using Level = FarLevels::Level;
using Tree = FarLevels::Tree;
using Truth = std::map<std::uint64_t, SlotIndex>;

constexpr std::uint64_t no_rank = FarLevels::no_rank;
constexpr std::size_t least = BookInspector::far_least;

static_assert(sizeof(Tree) == 8 && std::is_trivially_copyable_v<Tree>);
static_assert(std::is_nothrow_move_constructible_v<FarLevels> && std::is_nothrow_move_assignable_v<FarLevels>);
static_assert(FarLevels::bytes(200'000, 2) <= 200'000 * 35 + 2 * 384);
static_assert(FarLevels::bytes(200'000, 18'000) <= 200'000 * 35 + 18'000 * 384);

/// Trees in one storage, and beside each the truth.
class Checked {
 public:
  Checked(std::size_t levels, std::size_t trees)
      : levels(levels, trees), trees(trees), truths(trees), room_(levels) {
    EXPECT_TRUE(this->levels.allocated());
  }

  [[nodiscard]] bool full() const { return size_ == room_; }

  void insert(std::size_t tree, std::uint64_t rank) {
    const SlotIndex anchor = ++anchors_;
    levels.insert(trees[tree], rank, anchor);
    truths[tree][rank] = anchor;
    ++size_;
  }
  void erase(std::size_t tree, std::uint64_t rank) {
    levels.erase(trees[tree], rank);
    truths[tree].erase(rank);
    --size_;
  }
  void erase_all() {
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      while (!truths[tree].empty()) erase(tree, truths[tree].begin()->first);
    }
  }

  /// What the queries say about a rank.
  void expect_equal_around(std::size_t tree, std::uint64_t rank) const {
    const Truth& truth = truths[tree];
    expect_level(truth, levels.first(trees[tree]), truth.begin());
    expect_level(truth, levels.last(trees[tree]), truth.empty() ? truth.end() : std::prev(truth.end()));
    for (const std::uint64_t near : {rank - 1, rank, rank + 1, std::uint64_t{0}, no_rank - 1, no_rank}) {
      expect_level(truth, levels.find(trees[tree], near), truth.find(near));
      expect_level(truth, levels.first_from(trees[tree], near), truth.lower_bound(near));
    }
  }

  /// All levels of a tree, one after the other.
  void expect_equal_walk(std::size_t tree) const {
    std::uint64_t from = 0;
    for (auto at = truths[tree].begin(); at != truths[tree].end(); ++at) {
      expect_level(truths[tree], levels.first_from(trees[tree], from), at);
      from = at->first + 1;
    }
    expect_level(truths[tree], levels.first_from(trees[tree], from), truths[tree].end());
  }

  /// The invariants of far_levels.hpp.
  void expect_invariants() const {
    FarWalk walk(levels);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      const std::vector<Level> found = walk.tree(trees[tree]);
      ASSERT_EQ(walk.broken(), "") << "tree " << tree;
      ASSERT_TRUE(std::ranges::equal(found, truths[tree],
                                     [](const Level& level, const auto& expected) {
                                       return level.rank == expected.first && level.anchor == expected.second;
                                     }))
          << "tree " << tree;
    }
    walk.free_nodes();
    ASSERT_EQ(walk.broken(), "");
  }

  /// How many nodes no tree uses.
  [[nodiscard]] std::size_t free_nodes() const {
    std::size_t count = 0;
    for (std::uint32_t node = 0; (node = BookInspector::far_node(levels, node)[0].anchor) != 0;) ++count;
    return count;
  }

  /// Takes levels from each leaf of a tree until none has one to spare.
  void thin_out(std::size_t tree) {
    std::vector<std::uint32_t> row{trees[tree].root};
    for (std::uint32_t height = trees[tree].height; height > 1; --height) {
      std::vector<std::uint32_t> below;
      for (const std::uint32_t node : row) {
        for (const Level& entry : FarWalk::entries(levels, node)) below.push_back(entry.anchor);
      }
      row = below;
    }
    for (const std::uint32_t leaf : row) {
      for (std::vector<Level> left = FarWalk::entries(levels, leaf); left.size() > least; left.pop_back()) {
        erase(tree, left.back().rank);
      }
    }
  }

  FarLevels levels;
  std::vector<Tree> trees;
  std::vector<Truth> truths;

 private:
  static void expect_level(const Truth& truth, const Level& level, Truth::const_iterator expected) {
    ASSERT_EQ(level.rank, expected == truth.end() ? no_rank : expected->first);
    if (expected != truth.end()) {
      ASSERT_EQ(level.anchor, expected->second);
    }
  }

  std::size_t room_;
  std::size_t size_ = 0;
  SlotIndex anchors_ = 0;
};

TEST(FarLevels, HasNoLevelAtFirst) {
  Checked checked(100, 3);
  for (std::size_t tree = 0; tree < 3; ++tree) checked.expect_equal_around(tree, 7);
  checked.expect_invariants();
}

TEST(FarLevels, KeepsTheExtremeRanksApart) {
  Checked checked(4, 1);
  for (const std::uint64_t rank : {no_rank - 1, std::uint64_t{0}, std::uint64_t{1}, no_rank - 2}) {
    checked.insert(0, rank);
    checked.expect_equal_around(0, rank);
  }
  checked.expect_invariants();
  checked.expect_equal_walk(0);
  for (const std::uint64_t rank : {std::uint64_t{0}, no_rank - 1, no_rank - 2, std::uint64_t{1}}) {
    checked.erase(0, rank);
    checked.expect_equal_around(0, rank);
  }
  checked.expect_invariants();
}

constexpr bool grows(int step) {
  return step / 2'000 % 2 == 0;
}

/// Grows and shrinks by turns. Tree 0 is high enough that nodes above the leaves are split, joined and evened out.
template <class Pick>
void play(std::uint64_t seed, Pick pick) {
  Checked checked(1'400, 3);
  Random random(seed);
  std::uint32_t highest = 0;
  for (int i = 0; i < 6'000; ++i) {
    const std::size_t tree = random.chance(90) ? 0 : 1 + random.below(2);
    const std::uint64_t rank = pick(random, i);
    const bool growing = grows(i);
    const Truth& truth = checked.truths[tree];
    if (random.chance(growing ? 80 : 10)) {
      if (!truth.contains(rank) && !checked.full()) checked.insert(tree, rank);
    } else if (const auto next = truth.lower_bound(rank); next != truth.end()) {
      checked.erase(tree, next->first);
    }
    checked.expect_equal_around(tree, rank);
    if (i % 8 == 0) checked.expect_invariants();
    if (::testing::Test::HasFatalFailure()) return;
    highest = std::max(highest, checked.trees[0].height);
    if (i % 500 == 0) checked.expect_equal_walk(tree);
  }
  checked.expect_invariants();
  EXPECT_EQ(highest, 3u);
}

TEST(FarLevels, AgreeWithAMapOnSpreadRanks) {
  play(1, [](Random& random, int) { return random.next() % no_rank; });
}

TEST(FarLevels, AgreeWithAMapOnClusters) {
  play(2, [](Random& random, int) { return random.below(40) << 58 | random.below(80); });
}

TEST(FarLevels, AgreeWithAMapAtTheFront) {
  play(3, [](Random&, int step) {
    return grows(step) ? 10'000 - static_cast<std::uint64_t>(step) : std::uint64_t{0};
  });
}

TEST(FarLevels, AgreeWithAMapAtTheBack) {
  play(4, [](Random& random, int step) {
    return grows(step) ? static_cast<std::uint64_t>(step) : random.below(6'000) & ~std::uint64_t{63};
  });
}

/// The storage has hardly more nodes than levels can be made to use: in leaves without one to spare, and in trees
/// of one level.
TEST(FarLevels, FitHoweverTheyAreSpread) {
  constexpr std::size_t room = 3'000;
  for (const std::size_t trees : {1u, 2u, 100u, 1'000u, 3'000u}) {
    Checked checked(room, trees);
    for (int round = 0; round < repetitions(2); ++round) {
      for (std::size_t tree = 1; tree < trees; ++tree) checked.insert(tree, tree);
      std::uint64_t rank = 0;
      for (int pass = 0; pass < 8; ++pass) {
        checked.thin_out(0);
        while (!checked.full()) checked.insert(0, ++rank);
        checked.expect_invariants();
        if (::testing::Test::HasFatalFailure()) return;
      }
      EXPECT_LE(checked.free_nodes(), BookInspector::far_node_count(checked.levels) / 30 + 1) << trees;
      for (std::size_t tree = 0; tree < trees; ++tree) checked.expect_equal_walk(tree);
      checked.erase_all();
      checked.expect_invariants();
      EXPECT_EQ(checked.free_nodes() + 1, BookInspector::far_node_count(checked.levels));
    }
  }
}

TEST(FarLevels, ComeAlongWhenMoved) {
  FarLevels from(10, 1);
  Tree tree;
  from.insert(tree, 5, 50);
  FarLevels constructed = std::move(from);
  EXPECT_EQ(constructed.find(tree, 5).anchor, 50u);
  FarLevels assigned;
  assigned = std::move(constructed);
  EXPECT_EQ(assigned.find(tree, 5).anchor, 50u);
  EXPECT_TRUE(assigned.allocated());
  EXPECT_FALSE(from.allocated() || constructed.allocated());
}

TEST(FarLevels, HaveNoRoomWhereMemoryEnds) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_FALSE(FarLevels().allocated());
  EXPECT_TRUE(FarLevels(0, 0).allocated());
  for (const std::size_t levels : {std::size_t{1} << 33, most - 1, most}) {
    for (const std::size_t trees : {std::size_t{0}, std::size_t{2}, most - 1, most}) {
      EXPECT_FALSE(FarLevels(levels, trees).allocated()) << levels << ' ' << trees;
    }
  }
  const FarLevels none;
  for (const std::uint64_t rank : {std::uint64_t{0}, no_rank - 1, no_rank}) {
    EXPECT_EQ(none.find({}, rank).rank, no_rank);
    EXPECT_EQ(none.first_from({}, rank).rank, no_rank);
  }
  EXPECT_EQ(none.first({}).rank, no_rank);
  EXPECT_EQ(none.last({}).rank, no_rank);
}

}  // namespace
}  // namespace llmes::test::far_levels_test
