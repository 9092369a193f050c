// SPDX-License-Identifier: MIT
//
// Sides with one level for each of N prices in an array, and a tree of bits that marks those that hold orders.
// map_sides.hpp says what a side offers. A tree offers:
//   insert(rank), erase(rank)
//   first() -> std::size_t             the lowest marked rank, or N
//   first_from(rank) -> std::size_t    the lowest marked rank that is `rank` or higher, or N
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

// ---- Trees: which of N ranks are marked. A bit of a word says whether the word below it is not 0. So an
// insertion ends at the first word that was not 0, and an erasure at the first that is still not 0.

/// For any N. The height is a run-time number, and every operation is a loop over it.
template <std::size_t N>
class GenericBitmap {
 public:
  GenericBitmap() {
    std::size_t size = N;
    do {
      size = (size + 63) / 64;
      heights_.emplace_back(size);
    } while (size > 1);
  }

  void insert(std::size_t rank) {
    for (Words& words : heights_) {
      std::uint64_t& word = words[rank / 64];
      if (std::exchange(word, word | std::uint64_t{1} << (rank % 64)) != 0) return;
      rank /= 64;
    }
  }

  void erase(std::size_t rank) {
    for (Words& words : heights_) {
      words[rank / 64] &= ~(std::uint64_t{1} << (rank % 64));
      rank /= 64;
      if (words[rank] != 0) return;
    }
  }

  /// The lowest marked rank that is `from` or higher, or N.
  [[nodiscard]] std::size_t first_from(std::size_t from) const {
    for (std::size_t height = 0; height < heights_.size(); ++height) {
      if (from / 64 >= heights_[height].size()) return N;
      const std::uint64_t here = heights_[height][from / 64] >> (from % 64);
      if (here != 0) return descend(height, from + lowest(here));
      from = from / 64 + 1;
    }
    return N;
  }
  /// The lowest marked rank, or N.
  [[nodiscard]] std::size_t first() const {
    const std::uint64_t root = heights_.back().front();
    return root == 0 ? N : descend(heights_.size() - 1, lowest(root));
  }

 private:
  using Words = std::vector<std::uint64_t>;

  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  [[nodiscard]] std::size_t descend(std::size_t height, std::size_t place) const {
    while (height > 0) place = place * 64 + lowest(heights_[--height][place]);
    return place;
  }

  std::vector<Words> heights_;  // the bits of the ranks first
};

/// The same words. The type fixes the height at two or three, and every loop over it is written out.
template <std::size_t N>
class FixedTree {
  static_assert(N % 64 == 0 && N <= 64 * 64 * 64);
  static constexpr bool has_middle = N > 64 * 64;

 public:
  void insert(std::size_t rank) {
    std::uint64_t& leaf = leaves_[rank / 64];
    if (std::exchange(leaf, leaf | bit(rank)) != 0) return;
    if constexpr (has_middle) {
      std::uint64_t& middle = middles_[rank / 64 / 64];
      if (std::exchange(middle, middle | bit(rank / 64)) != 0) return;
    }
    root_ |= bit(has_middle ? rank / 64 / 64 : rank / 64);
  }

  void erase(std::size_t rank) {
    if ((leaves_[rank / 64] &= ~bit(rank)) != 0) return;
    if constexpr (has_middle) {
      if ((middles_[rank / 64 / 64] &= ~bit(rank / 64)) != 0) return;
    }
    root_ &= ~bit(has_middle ? rank / 64 / 64 : rank / 64);
  }

  /// The lowest marked rank, or N.
  [[nodiscard]] std::size_t first() const {
    if (root_ == 0) return N;
    return has_middle ? below_middle(lowest(root_)) : below_leaf(lowest(root_));
  }
  /// The lowest marked rank that is `from` or higher, or N.
  [[nodiscard]] std::size_t first_from(std::size_t from) const {
    if (from >= N) return N;
    const std::uint64_t leaf = leaves_[from / 64] & ~(bit(from) - 1);
    if (leaf != 0) return from / 64 * 64 + lowest(leaf);
    from /= 64;
    if constexpr (has_middle) {
      const std::uint64_t middle = middles_[from / 64] & above(from);
      if (middle != 0) return below_leaf(from / 64 * 64 + lowest(middle));
      from /= 64;
    }
    const std::uint64_t root = root_ & above(from);
    if (root == 0) return N;
    return has_middle ? below_middle(lowest(root)) : below_leaf(lowest(root));
  }

 private:
  static constexpr std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << (place % 64); }
  /// The bits above that of `place`.
  static constexpr std::uint64_t above(std::size_t place) { return ~std::uint64_t{1} << (place % 64); }
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  [[nodiscard]] std::size_t below_middle(std::size_t word) const {
    return below_leaf(word * 64 + lowest(middles_[word]));
  }
  [[nodiscard]] std::size_t below_leaf(std::size_t word) const { return word * 64 + lowest(leaves_[word]); }

  std::uint64_t root_ = 0;
  std::array<std::uint64_t, has_middle ? (N + 4095) / 4096 : 0> middles_{};
  std::array<std::uint64_t, N / 64> leaves_{};
};

// ---- Sides: they differ in what becomes of a ghost, which is the mark of a level that a cancel has emptied.

/// What the sides share. `Tree` is one of the above.
template <Side S, class Level, std::size_t N, class Tree>
class ArraySide {
 public:
  [[nodiscard]] const Level* find(Tick tick) const { return &levels_[rank_of<S, N>(tick)]; }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (std::size_t rank = marked_.first(); rank < N; rank = marked_.first_from(rank + 1)) {
      if (!levels_[rank].empty() && !visitor(levels_[rank])) return;
    }
  }

 protected:
  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  Tree marked_;
};

/// Every search for the best level clears the empty levels before it, whether cancels or trades emptied them.
template <Side S, class Level, std::size_t N, class Tree>
class CleaningSide : public ArraySide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    std::size_t best = this->marked_.first();
    for (; best < N && this->levels_[best].empty(); best = this->marked_.first()) this->marked_.erase(best);
    return best <= rank_of<S, N>(limit) ? &this->levels_[best] : nullptr;
  }
  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    this->marked_.insert(rank);
    return this->levels_[rank];
  }
  void emptied_by_cancel(Tick) {}
  void emptied_by_trade(Tick) {}
};

/// The best marked rank is cached.
template <Side S, class Level, std::size_t N, class Tree>
class CachedBestSide : public ArraySide<S, Level, N, Tree> {
 public:
  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    this->marked_.insert(rank);
    best_ = std::min(best_, rank);
    return this->levels_[rank];
  }
  void emptied_by_trade(Tick) { clear_best(); }

 protected:
  void clear_best() {
    this->marked_.erase(best_);
    best_ = this->marked_.first();
  }

  std::size_t best_ = N;  // N: nothing is marked
};

/// A ghost stays until it is the best and a command wants to trade with it.
template <Side S, class Level, std::size_t N, class Tree>
class GhostSide : public CachedBestSide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    while (this->best_ <= rank_of<S, N>(limit)) {
      if (!this->levels_[this->best_].empty()) return &this->levels_[this->best_];
      this->clear_best();
    }
    return nullptr;
  }
  void emptied_by_cancel(Tick) {}
};

/// No ghosts: the cancel clears the mark.
template <Side S, class Level, std::size_t N, class Tree>
class EagerSide : public CachedBestSide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    return this->best_ <= rank_of<S, N>(limit) ? &this->levels_[this->best_] : nullptr;
  }
  void emptied_by_cancel(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (rank == this->best_) {
      this->clear_best();
    } else {
      this->marked_.erase(rank);
    }
  }
};

}  // namespace llmes::bench
