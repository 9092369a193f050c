// SPDX-License-Identifier: MIT
//
// The window of ranks against std::set, at both ends of all ranks and in between, at every size. It slides to
// wherever it still covers what is occupied.
#include "llmes/book/rank_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <type_traits>

#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();
/// No level has a higher one.
constexpr std::uint64_t last_rank = no_rank - 1;

/// A window, and beside it the truth.
template <std::size_t N>
class Checked {
 public:
  using Window = RankWindow<N>;
  static constexpr std::uint64_t group = N / Window::groups;
  /// Where the last of all windows begins.
  static constexpr std::uint64_t begin_max = 0 - std::uint64_t{N};

  void insert(std::uint64_t rank) {
    window.insert(rank);
    truth.insert(rank);
  }
  void erase(std::uint64_t rank) {
    window.erase_if(rank, false);
    EXPECT_EQ(window.contains(rank), truth.contains(rank));
    truth.erase(rank);
    const auto next = truth.lower_bound(Window::group_begin(rank));
    const bool group_is_empty = next == truth.end() || *next - Window::group_begin(rank) >= group;
    EXPECT_EQ(window.erase_if(rank, true), group_is_empty);
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
    if (truth.empty() || *truth.rbegin() < N) return 0;
    return Window::group_begin(*truth.rbegin() - N) + group;
  }
  [[nodiscard]] std::uint64_t highest_begin() const {
    return truth.empty() ? begin_max : std::min(begin_max, Window::group_begin(*truth.begin()));
  }
  /// The last rank of the window that a level can have.
  [[nodiscard]] std::uint64_t end() const { return std::min(window.begin() + (N - 1), last_rank); }

  void expect_equal() const {
    ASSERT_EQ(window.empty(), truth.empty());
    ASSERT_EQ(window.first(), truth.empty() ? no_rank : *truth.begin());
    if (!truth.empty()) {
      ASSERT_EQ(window.last(), *truth.rbegin());
    }
    const std::uint64_t first_place = truth.empty() ? Window::groups : (*truth.begin() - window.begin()) / group;
    for (std::size_t count = 0; count < Window::groups; ++count) {
      ASSERT_EQ(window.none_among_first(count), count <= first_place) << count;
    }
  }
  void expect_equal_at(std::uint64_t rank) const {
    const bool covered = rank >= window.begin() && rank - window.begin() < N;
    ASSERT_EQ(window.covers(rank), covered) << rank << " and " << window.begin();
    if (!covered) return;
    ASSERT_EQ(window.contains(rank), truth.contains(rank)) << rank;
    const auto next = truth.lower_bound(rank);
    ASSERT_EQ(window.first_from(rank), next == truth.end() ? no_rank : *next) << rank;
    if constexpr (N == 64) {
      ASSERT_EQ(window.count_from(rank), static_cast<std::size_t>(std::distance(next, truth.end()))) << rank;
    }
  }
  /// At a rank and around, and where something could end.
  void expect_equal_around(std::uint64_t rank) const {
    expect_equal();
    for (const std::uint64_t at : {rank, Window::group_begin(rank), window.begin()}) {
      for (const std::uint64_t near : {at - 1, at, at + 1, at + group - 1, at + (N - 1), at + N}) {
        expect_equal_at(near);
      }
    }
    for (const std::uint64_t at : {std::uint64_t{0}, begin_max, no_rank}) expect_equal_at(at);
  }
  void expect_equal_everywhere() const {
    expect_equal();
    for (std::uint64_t place = 0; place < N; ++place) expect_equal_at(window.begin() + place);
  }

  Window window;
  std::set<std::uint64_t> truth;
};

template <class Size>
class RankWindowTest : public ::testing::Test {
 protected:
  using Window = Checked<Size::value>;
};
template <std::size_t N>
using Size = std::integral_constant<std::size_t, N>;
using Sizes = ::testing::Types<Size<64>, Size<512>, Size<1'024>, Size<2'048>, Size<4'096>>;
TYPED_TEST_SUITE(RankWindowTest, Sizes);

TYPED_TEST(RankWindowTest, HasGroupsThatFillAWord) {
  using Window = RankWindow<TypeParam::value>;
  constexpr std::uint64_t group = TypeParam::value / Window::groups;
  EXPECT_EQ(Window::group_begin(group - 1), 0u);
  EXPECT_EQ(Window::group_begin(group), group);
  EXPECT_LE(sizeof(RankWindow<TypeParam::value>), 2 * sizeof(std::uint64_t) + TypeParam::value / 8);
}

TYPED_TEST(RankWindowTest, IsEmptyAtFirst) {
  const typename TestFixture::Window checked;
  EXPECT_EQ(checked.window.begin(), 0u);
  checked.expect_equal_everywhere();
}

/// Few marks and many, close together and spread; it slides along with them, and far away when there are none.
TYPED_TEST(RankWindowTest, AgreesWithASet) {
  constexpr std::uint64_t n = TypeParam::value;
  using Window = typename TestFixture::Window;
  Random random(n);
  Window checked;
  for (int round = 0; round < 48; ++round) {
    checked.erase_all();
    const std::uint64_t begins[] = {0, Window::begin_max, RankWindow<n>::group_begin(random.next()),
                                    random.below(n) * Window::group};
    checked.slide_to(std::min(begins[round % 4], Window::begin_max));
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
        const std::uint64_t places = (checked.highest_begin() - lowest) / Window::group;
        const std::uint64_t choices[] = {0, places, places == 0 ? 0 : random.below(places)};
        checked.slide_to(lowest + choices[random.below(3)] * Window::group);
      }
      checked.expect_equal_around(rank);
      if (::testing::Test::HasFatalFailure()) return;
    }
    checked.expect_equal_everywhere();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// A single mark is found from every place where the window may begin.
TYPED_TEST(RankWindowTest, FindsOneMarkFromEveryPlace) {
  constexpr std::uint64_t n = TypeParam::value;
  using Window = typename TestFixture::Window;
  for (const std::uint64_t rank :
       {std::uint64_t{0}, n - 1, n + 5, std::uint64_t{1} << 63, last_rank - n, last_rank}) {
    Window checked;
    checked.slide_to(std::min(RankWindow<n>::group_begin(rank), Window::begin_max));
    checked.insert(rank);
    const std::uint64_t highest = checked.highest_begin();
    for (std::uint64_t begin = checked.lowest_begin();; begin += Window::group) {
      checked.slide_to(begin);
      checked.expect_equal_around(rank);
      if (::testing::Test::HasFatalFailure()) return;
      if (begin == highest) break;
    }
  }
}

TYPED_TEST(RankWindowTest, CanBeFull) {
  constexpr std::uint64_t n = TypeParam::value;
  using Window = typename TestFixture::Window;
  for (const std::uint64_t begin : {std::uint64_t{0}, 37 * std::uint64_t{Window::group}, Window::begin_max}) {
    Window checked;
    checked.slide_to(begin);
    for (std::uint64_t rank = begin; rank - begin < n && rank != no_rank; ++rank) checked.insert(rank);
    checked.expect_equal_everywhere();
    for (std::uint64_t rank = begin; rank - begin < n && rank != no_rank; rank += 2) checked.erase(rank);
    checked.expect_equal_everywhere();
  }
}

}  // namespace
}  // namespace llmes::test
