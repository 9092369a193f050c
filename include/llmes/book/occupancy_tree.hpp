// SPDX-License-Identifier: MIT
//
// Which of N ranks are occupied, and which is the lowest: a 64-ary tree of bits. Bit b of leaf word w stands for
// rank 64 w + b; a bit of an upper word says that the word below it is not 0. Other names of this structure are
// hierarchical bitmap, and van Emde Boas tree with a fixed fan-out of 64.
//
// Invariants:
//  I1  a bit of an upper word is set exactly if the word below it is not 0;
//  I2  each height below the root ends with a stopper word whose bit 0 is always set. If no rank is occupied, the
//      search of the root leads to the stopper. It finds a stopper bit above the root's last used bit, or, if all
//      64 are used, the 64 that a search of 0 gives. So the search ends at N, one past the last rank, and never
//      tests for "empty".
//
// The height is a constant of the type, so no operation loops over it. Whether a level becomes empty is hard to
// predict, so arithmetic writes the leaf word. A branch guards the words above: in a populated book it is seldom
// taken.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <std::size_t N>
class OccupancyTree {
  static_assert(std::has_single_bit(N) && N >= 64 && N <= 64 * 64 * 64,
                "a band has 64 to 262,144 price levels, a power of two");

 public:
  static constexpr int height = N <= 64 ? 1 : N <= 64 * 64 ? 2 : 3;

  constexpr OccupancyTree() noexcept { clear(); }
  constexpr OccupancyTree(const OccupancyTree&) noexcept = default;
  constexpr OccupancyTree& operator=(const OccupancyTree&) noexcept = default;

  /// A moved-from tree is empty.
  constexpr OccupancyTree(OccupancyTree&& other) noexcept : OccupancyTree(std::as_const(other)) { other.clear(); }
  constexpr OccupancyTree& operator=(OccupancyTree&& other) noexcept {
    *this = std::as_const(other);
    if (&other != this) other.clear();
    return *this;
  }

  /// The lowest occupied rank, or N if there is none.
  [[nodiscard]] constexpr std::size_t first() const noexcept {
    if constexpr (height == 1) {
      return lowest_or_64(leaves_[0]);
    } else {
      std::size_t word = lowest_or_64(root_);
      if constexpr (height == 3) word = word * 64 + lowest(middles_[word]);
      return word * 64 + lowest(leaves_[word]);
    }
  }

  /// The highest occupied rank; there must be one.
  [[nodiscard]] constexpr std::size_t last() const noexcept {
    if constexpr (height == 1) {
      return highest(leaves_[0]);
    } else {
      std::size_t word = highest(root_ & ~stopper);
      if constexpr (height == 3) word = word * 64 + highest(middles_[word]);
      return word * 64 + highest(leaves_[word]);
    }
  }

  /// The lowest occupied rank not below `from` (at most N), or N if there is none.
  [[nodiscard]] constexpr std::size_t first_from(std::size_t from) const noexcept {
    if (from >= N) return N;
    std::size_t word = from / 64;
    const std::uint64_t here = leaves_[word] & (~std::uint64_t{0} << (from % 64));
    if (here != 0) return word * 64 + lowest(here);
    if constexpr (height == 1) {
      return N;
    } else {
      word = height == 3 ? leaf_after(word) : lowest_or_64(root_ & above(word));
      return word * 64 + lowest(leaves_[word]);
    }
  }

  [[nodiscard]] constexpr bool contains(std::size_t rank) const noexcept {
    return (leaves_[rank / 64] >> (rank % 64)) & 1;
  }

  /// Marks `rank` (below N) as occupied; a marked one stays marked.
  [[gnu::always_inline]] constexpr void insert(std::size_t rank) noexcept {
    std::uint64_t& leaf = leaves_[rank / 64];
    const bool was_empty = leaf == 0;
    leaf |= bit(rank);
    if (!was_empty) return;
    if constexpr (height == 3) middles_[rank / 64 / 64] |= bit(rank / 64);
    if constexpr (height >= 2) root_ |= bit(rank / (height == 3 ? 64 * 64 : 64));
  }

  /// Clears the mark of `rank` (below N) if `empty`, without a branch on `empty`. A clear one stays clear.
  [[gnu::always_inline]] constexpr void clear_if(std::size_t rank, bool empty) noexcept {
    std::uint64_t& leaf = leaves_[rank / 64];
    leaf &= ~(std::uint64_t{empty} << (rank % 64));
    if (leaf != 0) return;
    if constexpr (height == 3) {
      std::uint64_t& middle = middles_[rank / 64 / 64];
      middle &= ~bit(rank / 64);
      if (middle != 0) return;
    }
    if constexpr (height >= 2) root_ &= ~bit(rank / (height == 3 ? 64 * 64 : 64));
  }

  /// Clears the mark of `rank`, the lowest occupied one. Returns the next, or N if there is none. The search uses
  /// the words just computed instead of reading them back from memory.
  constexpr std::size_t pop_first(std::size_t rank) noexcept {
    std::size_t word = rank / 64;
    const std::uint64_t left = leaves_[word] &= above(rank);
    if (left != 0) return word * 64 + lowest(left);
    if constexpr (height == 1) return N;
    word = height == 3 ? pop_leaf(word) : lowest_or_64(root_ &= above(word));
    return word * 64 + lowest(leaves_[word]);
  }

  /// The same without a branch in a tree of height 3. If occupied ranks are far apart, branches on which word has
  /// the next one mispredict, and a taker waits at each level. If they are near each other, this is slower.
  constexpr std::size_t pop_first_of_sparse(std::size_t rank) noexcept {
    if constexpr (height < 3) {
      return pop_first(rank);
    } else {
      const Word leaf{rank / 64, leaves_[rank / 64] & above(rank)};
      const Word middle{leaf.index / 64, middles_[leaf.index / 64] & above(leaf.index)};
      const std::uint64_t root = root_ & above(middle.index);
      leaves_[leaf.index] = leaf.bits;
      middles_[middle.index] = middle.bits | (bit(leaf.index) & ~all_if(leaf.bits == 0));
      root_ = root | (bit(middle.index) & ~all_if((leaf.bits | middle.bits) == 0));

      const std::size_t next_middle = lowest_or_64(root);
      const auto [in_middle, leaves] = first_not_empty(middle, {next_middle, middles_[next_middle]});
      const std::size_t next_leaf = in_middle * 64 + lowest(leaves);
      const auto [in_leaf, ranks] = first_not_empty(leaf, {next_leaf, leaves_[next_leaf]});
      return in_leaf * 64 + lowest(ranks);
    }
  }

  /// Hint: starts loading the word of `rank` (below N). Forced inline: GCC drops calls that only prefetch.
  [[gnu::always_inline]] void prefetch(std::size_t rank) const noexcept {
    __builtin_prefetch(&leaves_[rank / 64], 1);
  }

 private:
  friend struct BookInspector;

  static constexpr std::size_t leaf_count = N / 64;
  static constexpr std::size_t middle_count = height == 3 ? leaf_count / 64 : 0;

  /// The stopper bit above the root's last used bit, if it has room for one.
  static constexpr std::size_t root_bits = height == 3 ? middle_count : leaf_count;
  static constexpr std::uint64_t stopper = height >= 2 && root_bits < 64 ? std::uint64_t{1} << root_bits % 64 : 0;

  /// Clears every mark and sets the stoppers.
  constexpr void clear() noexcept {
    root_ = stopper;
    middles_.fill(0);
    leaves_.fill(0);
    if constexpr (height >= 2) leaves_[leaf_count] = 1;
    if constexpr (height == 3) middles_[middle_count] = 1;
  }

  /// The lowest bit of a word below the root: never 0, as a set bit or a stopper leads there. std::countr_zero
  /// would test for 0.
  static constexpr std::size_t lowest(std::uint64_t word) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(word));
  }
  /// The lowest bit of the root, or 64 if it is 0. Without an instruction that handles 0, compilers turn
  /// countr_zero into a branch, which mispredicts: whether a side is empty is hard to predict.
  static constexpr std::size_t lowest_or_64(std::uint64_t root) noexcept {
    return lowest(root | std::uint64_t{1} << 63) + std::size_t{root == 0};
  }
  /// The highest bit of a word that is not 0.
  static constexpr std::size_t highest(std::uint64_t word) noexcept {
    return 63 - static_cast<std::size_t>(std::countl_zero(word));
  }
  static constexpr std::uint64_t bit(std::size_t index) noexcept { return std::uint64_t{1} << (index % 64); }
  /// The bits above bit `index % 64`.
  static constexpr std::uint64_t above(std::size_t index) noexcept { return ~std::uint64_t{1} << (index % 64); }

  /// The next leaf after `leaf` that is not 0, in a tree of height 3.
  [[nodiscard]] constexpr std::size_t leaf_after(std::size_t leaf) const noexcept {
    std::size_t middle = leaf / 64;
    const std::uint64_t here = middles_[middle] & above(leaf);
    if (here != 0) return middle * 64 + lowest(here);
    middle = lowest_or_64(root_ & above(middle));
    return middle * 64 + lowest(middles_[middle]);
  }

  struct Word {
    std::size_t index;
    std::uint64_t bits;
  };
  /// `word`, or `next` if it is empty.
  static constexpr Word first_not_empty(const Word& word, const Word& next) noexcept {
    const std::uint64_t empty = all_if(word.bits == 0);
    return {word.index ^ ((word.index ^ next.index) & empty), word.bits | (next.bits & empty)};
  }
  static constexpr std::uint64_t all_if(bool condition) noexcept { return 0 - std::uint64_t{condition}; }

  /// Clears the mark of `leaf`, the lowest that was not 0, in a tree of height 3. Returns the next.
  constexpr std::size_t pop_leaf(std::size_t leaf) noexcept {
    std::size_t middle = leaf / 64;
    const std::uint64_t left = middles_[middle] &= above(leaf);
    if (left != 0) return middle * 64 + lowest(left);
    middle = lowest_or_64(root_ &= above(middle));
    return middle * 64 + lowest(middles_[middle]);
  }

  std::uint64_t root_ = 0;
  std::array<std::uint64_t, height == 3 ? middle_count + 1 : 0> middles_{};
  std::array<std::uint64_t, height == 1 ? 1 : leaf_count + 1> leaves_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
