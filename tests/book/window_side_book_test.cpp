// SPDX-License-Identifier: MIT
//
// The side of a book of a set by itself, against std::map: where the window begins, which levels are in it and
// which in the tree, and that anchors come from a list of both sides and go back to it.
#include "llmes/book/window_side_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "llmes/sets/shared_pool.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::uint64_t n = RankWindow::size;
constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t last_rank = no_rank - 1;
constexpr std::uint64_t middle = std::uint64_t{1} << 63;
/// Where the last of all windows begins.
constexpr std::uint64_t begin_max = 0 - n;

using SideBook = WindowSide<SharedPool>;
static_assert(SideBook::rank_count == no_rank && !SideBook::has_band);

/// Where the window must begin when it is moved to `rank`: a quarter of it before the rank, or less at an end.
constexpr std::uint64_t begin_for(std::uint64_t rank) {
  return rank < n / 4 ? 0 : std::min(rank - n / 4, begin_max);
}

/// The pool and the sides of the only book of a set, named as the inspector expects them.
struct Parts {
  static constexpr bool is_shared = true;

  explicit Parts(std::size_t capacity)
      : levels_(capacity, 2, 2 * n, capacity), pool_(levels_, places_.data(), size_, 0) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (std::uint64_t rank = 0; rank < n; ++rank) pool_.place(side, rank) = pool_.acquire_anchor(side, rank);
    }
  }
  SideBook& side_book(Side side) { return sides_[static_cast<std::size_t>(side)]; }

  LevelPool levels_;
  std::array<SlotIndex, 2 * n> places_{};
  std::uint32_t size_ = 0;
  SharedPool pool_;
  std::array<SideBook, 2> sides_;
};

/// Both sides of a book, and beside each what it should be.
class Checked {
 public:
  using Orders = std::deque<SlotIndex>;
  struct Truth {
    std::map<std::uint64_t, Orders> levels;
    std::uint64_t begin = 0;

    [[nodiscard]] bool covers(std::uint64_t rank) const { return rank >= begin && rank - begin < n; }
  };

  explicit Checked(std::size_t capacity) : parts(capacity), capacity(capacity) {
    EXPECT_EQ(parts.pool_.capacity(), capacity);
  }

  [[nodiscard]] SideBook& book(Side side) { return parts.side_book(side); }
  [[nodiscard]] Truth& truth(Side side) { return truths_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] SharedPool& pool() { return parts.pool_; }
  [[nodiscard]] PriceLevel level(Side side, std::uint64_t rank) {
    return {pool(), book(side).anchor(pool(), side, rank)};
  }

  /// As many as places and orders.
  [[nodiscard]] std::size_t anchor_count() const { return 2 * n + capacity; }

  SlotIndex rest(Side side, std::uint64_t rank, Quantity quantity = 1) {
    const SlotIndex order = pool().acquire(0);
    pool()[order].id = 77;
    pool()[order].quantity = quantity;
    Truth& truth = this->truth(side);
    if (rank < truth.begin || (truth.levels.empty() && !truth.covers(rank))) truth.begin = begin_for(rank);
    truth.levels[rank].push_back(order);
    book(side).push_back(pool(), side, rank, order);
    return order;
  }
  void leave(SlotIndex order) {
    PriceLevel level(pool(), pool()[order].level);
    const Side side = SideBook::side_of(pool(), level.anchor());
    const std::uint64_t rank = SideBook::rank_of(pool(), level.anchor());
    Truth& truth = this->truth(side);
    Orders& orders = truth.levels.at(rank);
    orders.erase(std::ranges::find(orders, order));
    if (orders.empty()) truth.levels.erase(rank);
    const std::uint64_t best = truth.levels.empty() ? truth.begin : truth.levels.begin()->first;
    if (truth.covers(rank) && best - truth.begin >= n / 4 * 3) truth.begin = begin_for(best);
    level.erase(order);
    book(side).retire_if_empty(pool(), level);
    pool().release(order);
  }
  /// The oldest order of a level.
  void leave(Side side, std::uint64_t rank) { leave(truth(side).levels.at(rank).front()); }

  /// The ranks of the levels in the tree.
  [[nodiscard]] std::vector<std::uint64_t> far(Side side) {
    std::vector<std::uint64_t> ranks;
    const FarLevels& far = BookInspector::far(parts);
    const FarLevels::Tree tree = BookInspector::far_tree(parts, side);
    for (std::uint64_t rank = far.first(tree).rank; rank != no_rank; rank = far.first_from(tree, rank + 1).rank) {
      ranks.push_back(rank);
    }
    return ranks;
  }

  void expect_equal() {
    std::set<SlotIndex> anchors;
    for (const Side side : {Side::Buy, Side::Sell}) {
      expect_equal_levels(side, anchors);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (const Side side : {Side::Buy, Side::Sell}) {
      const auto places = BookInspector::window_anchors(parts, side);
      anchors.insert(places.begin(), places.end());
    }
    SlotIndex free = BookInspector::first_free_anchor(parts);
    while (anchors.size() < anchor_count()) {
      ASSERT_LT(free, anchor_count());
      ASSERT_TRUE(anchors.insert(free).second) << "anchor " << free << " is free, and not";
      free = pool()[free].next;
    }
  }

  /// What the queries say about a rank, and about some that are special.
  void expect_equal_around(Side side, std::uint64_t rank) {
    const Truth& truth = this->truth(side);
    const std::uint64_t begin = truth.begin;
    for (const std::uint64_t at : {rank - 1, rank, rank + 1, begin - 1, begin, begin + (n - 1), begin + n,
                                   std::uint64_t{0}, begin_max, last_rank, no_rank}) {
      const auto next = truth.levels.lower_bound(at);
      ASSERT_EQ(book(side).best_from(pool(), at), next == truth.levels.end() ? no_rank : next->first) << at;
      if (at != no_rank) {
        ASSERT_EQ(book(side).occupied(pool(), at), truth.levels.contains(at)) << at;
      }
    }
  }

  Parts parts;
  const std::size_t capacity;

 private:
  void expect_equal_levels(Side side, std::set<SlotIndex>& anchors) {
    const Truth& truth = this->truth(side);
    ASSERT_EQ(BookInspector::window_begin(parts, side), truth.begin);
    ASSERT_EQ(book(side).best(), truth.levels.empty() ? no_rank : truth.levels.begin()->first);
    std::vector<std::uint64_t> beyond;
    for (const auto& [rank, orders] : truth.levels) {
      if (!truth.covers(rank)) beyond.push_back(rank);
      const SlotIndex anchor = book(side).anchor(pool(), side, rank);
      ASSERT_LT(anchor, anchor_count());
      ASSERT_TRUE(anchors.insert(anchor).second) << "anchor " << anchor << " of two levels";
      ASSERT_TRUE(book(side).occupied(pool(), rank));
      ASSERT_EQ(SideBook::side_of(pool(), anchor), side);
      ASSERT_EQ(SideBook::rank_of(pool(), anchor), rank);
      ASSERT_EQ(pool()[anchor].level, orders.size());
      SlotIndex at = anchor;
      for (const SlotIndex order : orders) {
        at = pool()[at].next;
        ASSERT_EQ(at, order);
        ASSERT_EQ(pool()[order].level, anchor);
      }
      ASSERT_EQ(pool()[at].next, anchor);
    }
    ASSERT_EQ(far(side), beyond);
    if (!truth.levels.empty()) {
      ASSERT_TRUE(truth.covers(truth.levels.begin()->first)) << "the best level is in the tree";
      ASSERT_EQ(book(side).worst(pool()), truth.levels.rbegin()->first);
    }
  }

  std::array<Truth, 2> truths_;
};

class WindowSideBookTest : public ::testing::TestWithParam<Side> {
 protected:
  const Side side = GetParam();
};
INSTANTIATE_TEST_SUITE_P(Sides, WindowSideBookTest, ::testing::Values(Side::Buy, Side::Sell));

TEST_P(WindowSideBookTest, ARankIsThatOfOnePrice) {
  const std::array<std::uint64_t, 7> offsets{0, 1, middle - 1, middle, middle + 1, last_rank - 1, last_rank};
  for (const std::uint64_t offset : offsets) {
    EXPECT_LE(SideBook::rank(side, offset), last_rank);
    EXPECT_EQ(SideBook::rank(side, SideBook::rank(side, offset)), offset);
    for (const std::uint64_t other : offsets) {
      const bool better = side == Side::Buy ? other > offset : other < offset;
      EXPECT_EQ(SideBook::rank(side, other) < SideBook::rank(side, offset), better) << other << ' ' << offset;
    }
  }
  EXPECT_EQ(SideBook::rank(side, side == Side::Buy ? last_rank : 0), 0u);
}

TEST_P(WindowSideBookTest, TheFirstOrderBringsTheWindow) {
  const std::pair<std::uint64_t, std::uint64_t> places[] = {{0, 0},
                                                            {n - 1, 0},  // which the window has at first
                                                            {n, n * 3 / 4},
                                                            {middle, middle - n / 4},
                                                            {middle + 1, middle - n / 4 + 1},
                                                            {begin_max + n / 4 - 1, begin_max - 1},
                                                            {begin_max + n / 4, begin_max},
                                                            {last_rank, begin_max}};
  for (const auto& [rank, begin] : places) {
    Checked checked(1);
    const SlotIndex order = checked.rest(side, rank);
    EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin) << rank;
    checked.expect_equal();
    checked.expect_equal_around(side, rank);
    checked.leave(order);
    EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin) << "no level, no move";
    checked.expect_equal();
    checked.expect_equal_around(side, rank);
  }
}

TEST_P(WindowSideBookTest, AnOrderAheadTakesTheWindowAlong) {
  Checked checked(4);
  checked.rest(side, middle);
  const std::uint64_t begin = BookInspector::window_begin(checked.parts, side);
  checked.rest(side, begin + n - 1);
  checked.rest(side, begin);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin) << "it has both";
  EXPECT_TRUE(checked.far(side).empty());
  checked.rest(side, begin - 1);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin - n / 4 - 1);
  EXPECT_EQ(checked.far(side), std::vector{begin + n - 1});
  checked.expect_equal();
}

TEST_P(WindowSideBookTest, NoRankComesBeforeTheFirst) {
  const std::pair<std::uint64_t, std::uint64_t> places[] = {
      {0, 0}, {n / 4 - 1, 0}, {n / 4, 0}, {n / 4 + 1, 1}, {n / 2, n / 4}};
  for (const auto& [rank, begin] : places) {
    Checked checked(2);
    checked.rest(side, middle);
    checked.rest(side, rank);
    EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin) << rank;
    EXPECT_EQ(checked.far(side), std::vector{middle});
    checked.expect_equal();
  }
}

TEST_P(WindowSideBookTest, OnlyWhatIsBeyondTheWindowLeavesIt) {
  for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}}) {
    Checked checked(2);
    checked.rest(side, middle + n / 4 * 3 - 1 + step);
    checked.rest(side, middle);
    EXPECT_EQ(checked.far(side).size(), step);
    checked.expect_equal();
  }
}

TEST_P(WindowSideBookTest, TheWindowFollowsABestLevelInItsLastQuarter) {
  Checked checked(4);
  checked.rest(side, middle);
  const std::uint64_t begin = BookInspector::window_begin(checked.parts, side);
  const std::uint64_t quarter = begin + n / 4 * 3;
  checked.rest(side, quarter - 1);
  checked.rest(side, quarter);
  checked.rest(side, quarter + n / 4 * 3 - 1);
  EXPECT_EQ(checked.far(side), std::vector{quarter + n / 4 * 3 - 1});
  checked.leave(side, middle);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin);
  checked.leave(side, quarter - 1);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), quarter - n / 4);
  EXPECT_TRUE(checked.far(side).empty());
  checked.expect_equal();
  checked.leave(side, quarter);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin_for(quarter + n / 4 * 3 - 1));
  checked.expect_equal();
}

TEST_P(WindowSideBookTest, TheWindowGoesToAFarLevelThatIsTheBest) {
  Checked checked(3);
  checked.rest(side, 0);
  checked.rest(side, middle);
  checked.rest(side, last_rank);
  EXPECT_EQ(checked.far(side), (std::vector{middle, last_rank}));
  checked.leave(side, middle);
  EXPECT_EQ(checked.far(side), std::vector{last_rank});
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), 0u) << "the best level has not left";
  checked.leave(side, 0);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin_max);
  checked.expect_equal();
}

/// A window with every rank in use, an order far better, and its cancel: as much as can move at once.
TEST_P(WindowSideBookTest, NeverMovesMoreLevelsThanTheWindowHasRanks) {
  Checked checked(3 * n);
  checked.rest(side, middle);
  const std::uint64_t begin = BookInspector::window_begin(checked.parts, side);
  std::vector<std::uint64_t> ranks(2 * n);
  for (std::uint64_t i = 0; i < 2 * n; ++i) {
    ranks[i] = begin + i;
    checked.rest(side, ranks[i]);
  }
  const auto from = [&ranks](std::uint64_t first) {
    return std::vector(ranks.begin() + std::ptrdiff_t(first), ranks.end());
  };
  EXPECT_EQ(checked.far(side), from(n));
  checked.expect_equal();

  const SlotIndex better = checked.rest(side, 7);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), 0u);
  EXPECT_EQ(checked.far(side), ranks) << "it took all with it";
  checked.expect_equal();

  checked.leave(better);
  EXPECT_EQ(BookInspector::window_begin(checked.parts, side), begin - n / 4);
  EXPECT_EQ(checked.far(side), from(n / 4 * 3));
  checked.expect_equal();
}

TEST_P(WindowSideBookTest, AnchorsGoBackToAListOfBothSides) {
  Checked checked(4);
  checked.rest(side, 10);
  checked.rest(opposite(side), 10);
  const SlotIndex a = checked.rest(side, middle);
  const SlotIndex b = checked.rest(side, last_rank);
  const SlotIndex anchor_a = checked.level(side, middle).anchor();
  const SlotIndex anchor_b = checked.level(side, last_rank).anchor();
  checked.leave(b);
  checked.leave(a);
  checked.rest(opposite(side), middle);
  checked.rest(side, last_rank);
  EXPECT_EQ(checked.level(opposite(side), middle).anchor(), anchor_a) << "the last one first";
  EXPECT_EQ(checked.level(side, last_rank).anchor(), anchor_b);
  EXPECT_EQ(SideBook::side_of(checked.pool(), anchor_a), opposite(side));
  EXPECT_EQ(checked.pool()[anchor_a].generation % 2, 0u) << "no handle names it";
  checked.expect_equal();
}

/// The anchor of a level goes with it, and its place gets another.
TEST_P(WindowSideBookTest, ALevelKeepsItsAnchorWhereverItGoes) {
  Checked checked(2);
  checked.rest(side, middle);
  const SlotIndex anchor = checked.level(side, middle).anchor();
  const SlotIndex ahead = checked.rest(side, middle - 2 * n);
  EXPECT_EQ(checked.far(side), std::vector<std::uint64_t>{middle});
  EXPECT_EQ(checked.level(side, middle).anchor(), anchor);
  checked.expect_equal();
  checked.leave(ahead);
  EXPECT_EQ(checked.far(side), std::vector<std::uint64_t>{});
  EXPECT_EQ(checked.level(side, middle).anchor(), anchor);
  checked.expect_equal();
}

TEST_P(WindowSideBookTest, ALevelHasRoomInTheWindowAndBeyond) {
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  Checked checked(3);
  checked.rest(side, middle);
  for (const std::uint64_t rank : {middle + 1, middle + n, middle - n}) {
    const auto has_room = [&](Quantity quantity, Quantity leaving = 0) {
      return checked.book(side).has_room(checked.pool(), side, rank, quantity, leaving);
    };
    EXPECT_TRUE(has_room(most));
    const SlotIndex order = checked.rest(side, rank, 5);
    EXPECT_TRUE(has_room(most - 5));
    EXPECT_FALSE(has_room(most - 4));
    EXPECT_TRUE(has_room(most - 4, 1));
    checked.leave(order);
    EXPECT_TRUE(has_room(most));
  }
}

/// Both sides of a pool, with ranks that `choose(random, step)` names. Those that leave are the best, the oldest
/// of any level, or the worst.
template <class Choose>
void play(std::uint64_t seed, Choose choose) {
  Random random(seed);
  Checked checked(120);
  for (int step = 0; step < 1'500; ++step) {
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const auto& levels = checked.truth(side).levels;
    const bool grows = step / 250 % 2 == 0;
    std::uint64_t rank = 0;
    if (!checked.pool().full() && (levels.empty() || random.chance(grows ? 70 : 30))) {
      rank = std::min(choose(random, step), last_rank);
      checked.rest(side, rank);
    } else if (!levels.empty()) {
      auto at = random.chance(90) ? levels.begin() : std::prev(levels.end());
      if (random.chance(30)) at = std::next(levels.begin(), std::ptrdiff_t(random.below(levels.size())));
      rank = at->first;
      checked.leave(side, rank);
    }
    checked.expect_equal();
    checked.expect_equal_around(side, rank);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "step " << step;
      return;
    }
  }
}

TEST(WindowSideBook, AgreesWithAMapOnAnyRank) {
  play(1, [](Random& random, int) { return random.next(); });
}
TEST(WindowSideBook, AgreesWithAMapAboutOnePlace) {
  play(2, [](Random& random, int) { return middle + random.below(3 * n) - random.below(n); });
}
TEST(WindowSideBook, AgreesWithAMapOfAMarketThatMoves) {
  play(3, [](Random& random, int step) {
    const std::uint64_t way = static_cast<std::uint64_t>(step) % 500 * 40;
    return middle + (step / 500 % 2 == 0 ? way : 20'000 - way) + random.below(n);
  });
}
TEST(WindowSideBook, AgreesWithAMapAtTheEnds) {
  play(4, [](Random& random, int) {
    return random.chance(70) ? last_rank - random.below(2 * n) : random.below(2 * n);
  });
}
TEST(WindowSideBook, AgreesWithAMapAtTheBeginning) {
  play(5, [](Random& random, int) { return random.below(2 * n) * random.below(2); });
}

}  // namespace
}  // namespace llmes::test
