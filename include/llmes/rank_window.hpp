// SPDX-License-Identifier: MIT
//
// A window of consecutive ranks that slides: which of them are occupied. Like the occupancy tree (see
// occupancy_tree.hpp) it finds the best of them by a few instructions, with one difference: it is a ring. The mark
// of a rank is at the same place wherever the window begins, so a slide moves no marks.
//
// The window has 64 groups of N/64 ranks, and begins with a whole group. One word says which groups have a mark:
// rotated by the place where the window begins, its lowest bit is the best group. A window of 64 ranks is that
// word alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many ranks the window has: 64, or a power of two from 512 to 4,096.
template <std::size_t N>
class RankWindow {
  static_assert(std::has_single_bit(N) && N >= 512 && N <= 64 * 64,
                "a window has 64 ranks, or a power of two from 512 to 4,096");

 public:
  /// How many ranks are in a group.
  static constexpr std::size_t group = N / 64;
  /// No rank.
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  /// The first rank of the window, a multiple of `group`.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// Whether the window has a rank.
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < N; }
  [[nodiscard]] bool empty() const noexcept { return groups_ == 0; }

  /// The lowest occupied rank, or `no_rank`.
  [[nodiscard, gnu::always_inline]] std::uint64_t first() const noexcept {
    return groups_ == 0 ? no_rank : lowest_of(in_order());
  }
  /// The highest occupied rank; there must be one.
  [[nodiscard]] std::uint64_t last() const noexcept {
    const auto place = static_cast<std::size_t>(std::bit_width(in_order())) - 1;
    return begin_ + place * group + static_cast<std::size_t>(std::bit_width(leaf(place))) - 1;
  }
  /// The lowest occupied rank that is not below `rank`, which the window has; or `no_rank`.
  [[nodiscard]] std::uint64_t first_from(std::uint64_t rank) const noexcept {
    const auto place = static_cast<std::size_t>(rank - begin_) / group;
    const std::uint64_t here = std::uint64_t{leaf(place)} >> rank % group;
    if (here != 0) return rank + lowest(here);
    const std::uint64_t later = in_order() & ~std::uint64_t{1} << place;
    return later == 0 ? no_rank : lowest_of(later);
  }

  /// Whether a rank that the window has is occupied.
  [[nodiscard]] bool contains(std::uint64_t rank) const noexcept {
    return leaves_[place_of(rank)] >> rank % group & 1;
  }
  /// Marks a rank that the window has; nothing changes if it is marked.
  void insert(std::uint64_t rank) noexcept {
    leaves_[place_of(rank)] = static_cast<Leaf>(leaves_[place_of(rank)] | Leaf{1} << rank % group);
    groups_ |= std::uint64_t{1} << place_of(rank);
  }
  /// Clears the mark of a rank if `empty`, without a branch on `empty`. A clear mark stays clear.
  void erase_if(std::uint64_t rank, bool empty) noexcept {
    Leaf& leaf = leaves_[place_of(rank)];
    leaf = static_cast<Leaf>(leaf & ~(Leaf{empty} << rank % group));
    groups_ &= ~(std::uint64_t{leaf == 0} << place_of(rank));
  }

  /// Whether no rank of the first `count` groups is occupied.
  [[nodiscard]] bool none_among_first(int count) const noexcept {
    return (in_order() & ~(~std::uint64_t{0} << count)) == 0;
  }

  /// Where the group of a rank begins.
  [[nodiscard]] static std::uint64_t group_begin(std::uint64_t rank) noexcept { return rank - rank % group; }
  /// Slides the window to `begin`, where a group begins. What it no longer has must not be occupied.
  void slide_to(std::uint64_t begin) noexcept { begin_ = begin; }

 private:
  friend struct BookInspector;

  using Leaf =
      std::conditional_t<group == 64, std::uint64_t,
                         std::conditional_t<group == 32, std::uint32_t,
                                            std::conditional_t<group == 16, std::uint16_t, std::uint8_t>>>;

  [[nodiscard]] static std::size_t place_of(std::uint64_t rank) noexcept { return rank / group % 64; }
  [[nodiscard]] static std::size_t lowest(std::uint64_t word) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(word));
  }
  /// The groups that have a mark, that of the window's begin as the lowest bit.
  [[nodiscard]] std::uint64_t in_order() const noexcept {
    return std::rotr(groups_, static_cast<int>(place_of(begin_)));
  }
  /// A group by its number from the window's begin.
  [[nodiscard]] Leaf leaf(std::size_t place) const noexcept { return leaves_[(place_of(begin_) + place) % 64]; }
  [[nodiscard, gnu::always_inline]] std::uint64_t lowest_of(std::uint64_t groups) const noexcept {
    const std::size_t place = lowest(groups);
    return begin_ + place * group + lowest(leaf(place));
  }

  std::uint64_t begin_ = 0;
  std::uint64_t groups_ = 0;
  std::array<Leaf, 64> leaves_{};
};

/// The same with 64 ranks, each a group.
template <>
class RankWindow<64> {
 public:
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < 64; }
  [[nodiscard]] bool empty() const noexcept { return ranks_ == 0; }

  [[nodiscard, gnu::always_inline]] std::uint64_t first() const noexcept {
    return ranks_ == 0 ? no_rank : begin_ + static_cast<std::uint64_t>(std::countr_zero(in_order()));
  }
  [[nodiscard]] std::uint64_t last() const noexcept {
    return begin_ + static_cast<std::uint64_t>(std::bit_width(in_order())) - 1;
  }
  [[nodiscard]] std::uint64_t first_from(std::uint64_t rank) const noexcept {
    const std::uint64_t later = in_order() >> (rank - begin_);
    return later == 0 ? no_rank : rank + static_cast<std::uint64_t>(std::countr_zero(later));
  }
  /// How many occupied ranks are not below `rank`, which the window has.
  [[nodiscard]] std::size_t count_from(std::uint64_t rank) const noexcept {
    return static_cast<std::size_t>(std::popcount(in_order() >> (rank - begin_)));
  }

  [[nodiscard]] bool contains(std::uint64_t rank) const noexcept { return ranks_ >> rank % 64 & 1; }
  void insert(std::uint64_t rank) noexcept { ranks_ |= std::uint64_t{1} << rank % 64; }
  void erase_if(std::uint64_t rank, bool empty) noexcept { ranks_ &= ~(std::uint64_t{empty} << rank % 64); }

  [[nodiscard]] bool none_among_first(int count) const noexcept {
    return (in_order() & ~(~std::uint64_t{0} << count)) == 0;
  }

  [[nodiscard]] static std::uint64_t group_begin(std::uint64_t rank) noexcept { return rank; }
  void slide_to(std::uint64_t begin) noexcept { begin_ = begin; }

 private:
  friend struct BookInspector;

  /// The occupied ranks, the first one of the window as the lowest bit.
  [[nodiscard]] std::uint64_t in_order() const noexcept {
    return std::rotr(ranks_, static_cast<int>(begin_ % 64));
  }

  std::uint64_t begin_ = 0;
  std::uint64_t ranks_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
