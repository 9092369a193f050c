// SPDX-License-Identifier: MIT
//
// The window of ranks against std::set, at both ends of all ranks and in between. It slides to wherever it still
// covers what is occupied.
#include "llmes/sets/rank_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>

#include "tests/support/random.hpp"

namespace llmes::test::rank_window_test {
namespace {

constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();
/// No level has a higher one.
constexpr std::uint64_t last_rank = no_rank - 1;

constexpr std::uint64_t n = RankWindow::size;
/// Where the last of all windows begins.
constexpr std::uint64_t begin_max = 0 - n;

/// A window, and beside it the truth.
class Checked {
 public:
  void insert(std::uint64_t rank) {
    window.insert(rank);
    truth.insert(rank);
  }
  void erase(std::uint64_t rank) {
    window.erase_if(rank, false);
    EXPECT_EQ(window.contains(rank), truth.contains(rank));
    truth.erase(rank);
    window.erase_if(rank, true);
    EXPECT_FALSE(window.contains(rank));
  }
  void erase_all() {
    while (!truth.empty()) erase(*truth.begin());
  }
  void slide_to(std::uint64_t begin) {
    window.slide_to(begin);
    ASSERT_EQ(window.begin(), begin);
  }

  /// The first and the last place where the window covers all that is occupied.
  [[nodiscard]] std::uint64_t lowest_begin() const {
    return truth.empty() || *truth.rbegin() < n ? 0 : *truth.rbegin() - n + 1;
  }
  [[nodiscard]] std::uint64_t highest_begin() const {
    return truth.empty() ? begin_max : std::min(begin_max, *truth.begin());
  }
  /// The last rank of the window that a level can have.
  [[nodiscard]] std::uint64_t end() const { return std::min(window.begin() + (n - 1), last_rank); }

  void expect_equal() const {
    ASSERT_EQ(window.empty(), truth.empty());
    ASSERT_EQ(window.first(), truth.empty() ? no_rank : *truth.begin());
    if (!truth.empty()) {
      ASSERT_EQ(window.last(), *truth.rbegin());
    }
    const std::uint64_t first_place = truth.empty() ? n : *truth.begin() - window.begin();
    for (std::size_t count = 0; count < n; ++count) {
      ASSERT_EQ(window.none_among_first(count), count <= first_place) << count;
    }
  }
  void expect_equal_at(std::uint64_t rank) const {
    const bool covered = rank >= window.begin() && rank - window.begin() < n;
    ASSERT_EQ(window.covers(rank), covered) << rank << " and " << window.begin();
    if (!covered) return;
    ASSERT_EQ(window.contains(rank), truth.contains(rank)) << rank;
    const auto next = truth.lower_bound(rank);
    ASSERT_EQ(window.first_from(rank), next == truth.end() ? no_rank : *next) << rank;
    ASSERT_EQ(window.count_from(rank), static_cast<std::size_t>(std::distance(next, truth.end()))) << rank;
  }
  /// At a rank and around, and where something could end.
  void expect_equal_around(std::uint64_t rank) const {
    expect_equal();
    for (const std::uint64_t at : {rank, window.begin()}) {
      for (const std::uint64_t near : {at - 1, at, at + 1, at + (n - 1), at + n}) expect_equal_at(near);
    }
    for (const std::uint64_t at : {std::uint64_t{0}, begin_max, no_rank}) expect_equal_at(at);
  }
  void expect_equal_everywhere() const {
    expect_equal();
    for (std::uint64_t place = 0; place < n; ++place) expect_equal_at(window.begin() + place);
  }

  RankWindow window;
  std::set<std::uint64_t> truth;
};

TEST(RankWindow, IsEmptyAtFirst) {
  const Checked checked;
  EXPECT_EQ(checked.window.begin(), 0u);
  checked.expect_equal_everywhere();
}

/// Few marks and many, close together and spread; it slides along with them, and far away when there are none.
TEST(RankWindow, AgreesWithASet) {
  Random random(n);
  Checked checked;
  for (int round = 0; round < 48; ++round) {
    checked.erase_all();
    const std::uint64_t begins[] = {0, begin_max, random.next(), random.below(n)};
    checked.slide_to(std::min(begins[round % 4], begin_max));
    const std::size_t most = std::size_t{1} << random.below(9);
    const std::uint64_t spread = n >> random.below(5);
    for (int step = 0; step < 150; ++step) {
      std::uint64_t rank =
          std::min(checked.window.begin() + n / 2 - spread / 2 + random.below(spread), checked.end());
      if (checked.truth.size() >= most) {
        rank = random.chance(50) ? *checked.truth.begin() : *std::prev(checked.truth.end());
        checked.erase(rank);
      } else if (random.chance(10)) {
        checked.erase(rank);  // which may have no mark
      } else {
        checked.insert(rank);
      }
      if (random.chance(30)) {
        const std::uint64_t lowest = checked.lowest_begin();
        const std::uint64_t places = checked.highest_begin() - lowest;
        const std::uint64_t choices[] = {0, places, places == 0 ? 0 : random.below(places)};
        checked.slide_to(lowest + choices[random.below(3)]);
      }
      checked.expect_equal_around(rank);
      if (::testing::Test::HasFatalFailure()) return;
    }
    checked.expect_equal_everywhere();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// A single mark is found from every place where the window may begin.
TEST(RankWindow, FindsOneMarkFromEveryPlace) {
  for (const std::uint64_t rank :
       {std::uint64_t{0}, n - 1, n + 5, std::uint64_t{1} << 63, last_rank - n, last_rank}) {
    Checked checked;
    checked.slide_to(std::min(rank, begin_max));
    checked.insert(rank);
    const std::uint64_t highest = checked.highest_begin();
    for (std::uint64_t begin = checked.lowest_begin();; ++begin) {
      checked.slide_to(begin);
      checked.expect_equal_around(rank);
      if (::testing::Test::HasFatalFailure()) return;
      if (begin == highest) break;
    }
  }
}

TEST(RankWindow, CanBeFull) {
  for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{37}, begin_max}) {
    Checked checked;
    checked.slide_to(begin);
    for (std::uint64_t rank = begin; rank - begin < n && rank != no_rank; ++rank) checked.insert(rank);
    checked.expect_equal_everywhere();
    for (std::uint64_t rank = begin; rank - begin < n && rank != no_rank; rank += 2) checked.erase(rank);
    checked.expect_equal_everywhere();
  }
}

}  // namespace
}  // namespace llmes::test::rank_window_test
