// SPDX-License-Identifier: MIT
//
// A window of 64 consecutive ranks that slides: which of them are occupied. A mark is at the distance of its rank
// from the begin of the window, so a slide moves all marks, which are one word: its lowest bit is the best rank.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

class RankWindow {
 public:
  static constexpr std::size_t size = 64;
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  /// The first rank of the window.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// Whether the window has a rank.
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < size; }
  [[nodiscard]] bool empty() const noexcept { return ranks_ == 0; }

  /// The lowest occupied rank, or `no_rank`.
  [[nodiscard, gnu::always_inline]] std::uint64_t first() const noexcept {
    return ranks_ == 0 ? no_rank : begin_ + static_cast<std::uint64_t>(std::countr_zero(ranks_));
  }
  /// The highest occupied rank; there must be one.
  [[nodiscard]] std::uint64_t last() const noexcept {
    return begin_ + 63 - static_cast<std::uint64_t>(std::countl_zero(ranks_));
  }
  /// The lowest occupied rank from `rank` on, or `no_rank`. The window must have `rank`.
  [[nodiscard]] std::uint64_t first_from(std::uint64_t rank) const noexcept {
    const std::uint64_t later = ranks_ >> (rank - begin_);
    return later == 0 ? no_rank : rank + static_cast<std::uint64_t>(std::countr_zero(later));
  }
  /// The number of occupied ranks from `rank` on. The window must have `rank`.
  [[nodiscard]] std::size_t count_from(std::uint64_t rank) const noexcept {
    return static_cast<std::size_t>(std::popcount(ranks_ >> (rank - begin_)));
  }

  /// Whether a rank that the window has is occupied.
  [[nodiscard]] bool contains(std::uint64_t rank) const noexcept { return ranks_ >> (rank - begin_) & 1; }
  /// Marks a rank that the window has; nothing changes if it is marked.
  void insert(std::uint64_t rank) noexcept { ranks_ |= std::uint64_t{1} << (rank - begin_); }
  /// Clears the mark of a rank if `empty`, without a branch on `empty`. A clear mark stays clear.
  void erase_if(std::uint64_t rank, bool empty) noexcept { ranks_ &= ~(std::uint64_t{empty} << (rank - begin_)); }

  /// Whether none of the first `count` ranks is occupied.
  [[nodiscard]] bool none_among_first(std::size_t count) const noexcept {
    return (ranks_ & ~(~std::uint64_t{0} << count)) == 0;
  }

  /// Slides the window to `begin`. What it no longer has must not be occupied.
  void slide_to(std::uint64_t begin) noexcept {
    // Around, not off the end: the ranks that the window loses have no marks.
    ranks_ = std::rotr(ranks_, static_cast<int>((begin - begin_) % size));
    begin_ = begin;
  }

 private:
  friend struct BookInspector;

  std::uint64_t begin_ = 0;
  std::uint64_t ranks_ = 0;  ///< those that are occupied, the first one of the window as the lowest bit
};

}  // namespace llmes::inline LLMES_NAMESPACE
