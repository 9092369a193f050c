// SPDX-License-Identifier: MIT
//
// A window of consecutive ranks that slides: which of them are occupied. Like the occupancy tree (see
// occupancy_tree.hpp) it finds the best of them by a few instructions. A mark is at the distance of its rank from
// the begin of the window, so a slide moves all marks: they are few cache lines, and slides are rare.
//
// The window has groups of 64 ranks, a word each, and begins with a whole group. One more word says which groups
// have a mark: its lowest bit is the best group. A window of 64 ranks is that word alone, with groups of one rank.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many ranks the window has: 64, or a power of two from 512 to 4,096.
template <std::size_t N>
class RankWindow {
  static_assert(std::has_single_bit(N) && N >= 512 && N <= 64 * 64,
                "a window has 64 ranks, or a power of two from 512 to 4,096");

 public:
  /// How many ranks are in a group, and how many groups in a window.
  static constexpr std::size_t group = 64;
  static constexpr std::size_t groups = N / group;
  /// No rank.
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  /// The first rank of the window, a multiple of `group`.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// Whether the window has a rank.
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < N; }
  [[nodiscard]] bool empty() const noexcept { return groups_ == 0; }

  /// The lowest occupied rank, or `no_rank`.
  [[nodiscard, gnu::always_inline]] std::uint64_t first() const noexcept {
    return groups_ == 0 ? no_rank : lowest_of(groups_);
  }
  /// The highest occupied rank; there must be one.
  [[nodiscard]] std::uint64_t last() const noexcept {
    const auto place = static_cast<std::size_t>(std::bit_width(groups_)) - 1;
    return begin_ + place * group + static_cast<std::size_t>(std::bit_width(marks_[place])) - 1;
  }
  /// The lowest occupied rank that is not below `rank`, which the window has; or `no_rank`.
  [[nodiscard]] std::uint64_t first_from(std::uint64_t rank) const noexcept {
    const std::uint64_t here = marks_[place_of(rank)] >> rank % group;
    if (here != 0) return rank + lowest(here);
    const std::uint64_t later = groups_ & ~std::uint64_t{1} << place_of(rank);
    return later == 0 ? no_rank : lowest_of(later);
  }

  /// Whether a rank that the window has is occupied.
  [[nodiscard]] bool contains(std::uint64_t rank) const noexcept {
    return marks_[place_of(rank)] >> rank % group & 1;
  }
  /// Marks a rank that the window has; nothing changes if it is marked.
  void insert(std::uint64_t rank) noexcept {
    std::uint64_t& marks = marks_[place_of(rank)];
    const bool was_empty = marks == 0;
    marks |= std::uint64_t{1} << rank % group;
    if (was_empty) groups_ |= std::uint64_t{1} << place_of(rank);
  }
  /// Clears the mark of a rank if `empty`, without a branch on `empty`. A clear mark stays clear.
  /// @return whether no rank of its group is occupied now.
  bool erase_if(std::uint64_t rank, bool empty) noexcept {
    std::uint64_t& marks = marks_[place_of(rank)];
    marks &= ~(std::uint64_t{empty} << rank % group);
    if (marks != 0) return false;
    groups_ &= ~(std::uint64_t{1} << place_of(rank));
    return true;
  }

  /// Whether no rank of the first `count` groups is occupied.
  [[nodiscard]] bool none_among_first(std::size_t count) const noexcept {
    return (groups_ & ~(~std::uint64_t{0} << count)) == 0;
  }

  /// Where the group of a rank begins.
  [[nodiscard]] static std::uint64_t group_begin(std::uint64_t rank) noexcept { return rank - rank % group; }
  /// Slides the window to `begin`, where a group begins. What it no longer has must not be occupied.
  void slide_to(std::uint64_t begin) noexcept {
    // Around, not off the end: the groups that the window loses have no marks.
    std::array<std::uint64_t, groups> slid;
    std::uint64_t slid_groups = 0;
    for (std::size_t to = 0; to < groups; ++to) {
      slid[to] = marks_[(to + (begin - begin_) / group) % groups];
      slid_groups |= std::uint64_t{slid[to] != 0} << to;
    }
    marks_ = slid;
    groups_ = slid_groups;
    begin_ = begin;
  }

 private:
  friend struct BookInspector;

  /// The place of the group of a rank that the window has.
  [[nodiscard]] std::size_t place_of(std::uint64_t rank) const noexcept { return (rank - begin_) / group; }
  [[nodiscard]] static std::size_t lowest(std::uint64_t word) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(word));
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t lowest_of(std::uint64_t some_groups) const noexcept {
    const std::size_t place = lowest(some_groups);
    return begin_ + place * group + lowest(marks_[place]);
  }

  std::uint64_t begin_ = 0;
  std::uint64_t groups_ = 0;
  std::array<std::uint64_t, groups> marks_{};
};

/// The same with 64 ranks, each a group.
template <>
class RankWindow<64> {
 public:
  static constexpr std::size_t groups = 64;
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < 64; }
  [[nodiscard]] bool empty() const noexcept { return ranks_ == 0; }

  [[nodiscard, gnu::always_inline]] std::uint64_t first() const noexcept {
    return ranks_ == 0 ? no_rank : begin_ + static_cast<std::uint64_t>(std::countr_zero(ranks_));
  }
  [[nodiscard]] std::uint64_t last() const noexcept {
    return begin_ + static_cast<std::uint64_t>(std::bit_width(ranks_)) - 1;
  }
  [[nodiscard]] std::uint64_t first_from(std::uint64_t rank) const noexcept {
    const std::uint64_t later = ranks_ >> (rank - begin_);
    return later == 0 ? no_rank : rank + static_cast<std::uint64_t>(std::countr_zero(later));
  }
  /// How many occupied ranks are not below `rank`, which the window has.
  [[nodiscard]] std::size_t count_from(std::uint64_t rank) const noexcept {
    return static_cast<std::size_t>(std::popcount(ranks_ >> (rank - begin_)));
  }

  [[nodiscard]] bool contains(std::uint64_t rank) const noexcept { return ranks_ >> (rank - begin_) & 1; }
  void insert(std::uint64_t rank) noexcept { ranks_ |= std::uint64_t{1} << (rank - begin_); }
  /// @return true: unlike larger groups, one that may have run empty is not worth a branch.
  bool erase_if(std::uint64_t rank, bool empty) noexcept {
    ranks_ &= ~(std::uint64_t{empty} << (rank - begin_));
    return true;
  }

  [[nodiscard]] bool none_among_first(std::size_t count) const noexcept {
    return (ranks_ & ~(~std::uint64_t{0} << count)) == 0;
  }

  [[nodiscard]] static std::uint64_t group_begin(std::uint64_t rank) noexcept { return rank; }
  void slide_to(std::uint64_t begin) noexcept {
    ranks_ = std::rotr(ranks_, static_cast<int>((begin - begin_) % 64));  // around, as the larger windows
    begin_ = begin;
  }

 private:
  friend struct BookInspector;

  std::uint64_t begin_ = 0;
  std::uint64_t ranks_ = 0;  ///< those that are occupied, the first one of the window as the lowest bit
};

}  // namespace llmes::inline LLMES_NAMESPACE
