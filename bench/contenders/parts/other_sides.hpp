// SPDX-License-Identifier: MIT
//
// Sides that other published engines chose: a binary heap of prices, a circular array and a radix tree.
// map_sides.hpp says what a side offers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <type_traits>
#include <vector>

#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// An array of levels, one for each of N prices, and a binary heap of those in use. A heap can only give up its
/// best entry, so a level that a cancel has emptied stays in it until it is the best.
template <Side S, class Level, std::size_t N>
class HeapSide {
 public:
  Level* best_within(Tick limit) {
    for (; !heap_.empty(); heap_.pop()) {
      const std::size_t best = heap_.top();
      if (!levels_[best].empty()) return best <= rank_of<S, N>(limit) ? &levels_[best] : nullptr;
      queued_[best] = false;
    }
    return nullptr;
  }

  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (!queued_[rank]) {
      queued_[rank] = true;
      heap_.push(rank);
    }
    return levels_[rank];
  }

  void emptied_by_cancel(Tick) {}
  void emptied_by_trade(Tick) {}

  [[nodiscard]] const Level* find(Tick tick) const { return &levels_[rank_of<S, N>(tick)]; }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (Heap heap = heap_; !heap.empty(); heap.pop()) {
      if (!levels_[heap.top()].empty() && !visitor(levels_[heap.top()])) return;
    }
  }

 private:
  using Heap = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;

  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  Heap heap_;                                        // lowest rank first, none twice
  std::vector<bool> queued_ = std::vector<bool>(N);  // those in the heap
};

/// A circular array of levels, indexed by price modulo its length. A slot remembers the price it last belonged to.
/// Two prices a multiple of the length apart cannot both hold orders. The next best level is found by walking.
template <Side S, class Level, std::size_t N, std::size_t Slots>
class ModuloSide {
 public:
  Level* best_within(Tick limit) {
    return live_ > 0 && best_ <= rank_of<S, N>(limit) ? &slot(best_).level : nullptr;
  }

  /// Whether the slot of that price is free, or belongs to it already.
  [[nodiscard]] bool can_hold(Tick tick) const {
    const std::size_t rank = rank_of<S, N>(tick);
    return slot(rank).rank == rank || slot(rank).level.empty();
  }

  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (slot(rank).level.empty()) {
      slot(rank).rank = rank;
      best_ = live_ == 0 ? rank : std::min(best_, rank);
      ++live_;
    }
    return slot(rank).level;
  }

  void emptied_by_cancel(Tick tick) { close(rank_of<S, N>(tick)); }
  void emptied_by_trade(Tick tick) { close(rank_of<S, N>(tick)); }

  [[nodiscard]] const Level* find(Tick tick) const {
    const std::size_t rank = rank_of<S, N>(tick);
    return slot(rank).rank == rank ? &slot(rank).level : nullptr;
  }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    std::size_t left = live_;
    for (std::size_t rank = best_; left > 0; ++rank) {
      if (!holds(rank)) continue;
      --left;
      if (!visitor(slot(rank).level)) return;
    }
  }

 private:
  struct Slot {
    std::size_t rank = N;
    Level level;
  };

  [[nodiscard]] Slot& slot(std::size_t rank) { return slots_[rank % Slots]; }
  [[nodiscard]] const Slot& slot(std::size_t rank) const { return slots_[rank % Slots]; }
  [[nodiscard]] bool holds(std::size_t rank) const { return slot(rank).rank == rank && !slot(rank).level.empty(); }

  void close(std::size_t rank) {
    --live_;
    if (rank != best_ || live_ == 0) return;
    while (!holds(best_)) ++best_;
  }

  std::unique_ptr<Slot[]> slots_ = std::make_unique<Slot[]>(Slots);
  std::size_t live_ = 0;  // levels that hold orders
  std::size_t best_ = 0;  // the lowest rank of those, if there are any
};

/// A node of RadixSide, with a word that says which of its children are in use. Children are `span` ranks apart.
template <class Level, std::size_t span>
class RadixNode {
  static constexpr bool is_leaf = span == 1;
  using Node = RadixNode<Level, is_leaf ? 1 : span / 64>;

 public:
  [[nodiscard]] bool empty() const { return used_ == 0; }

  Level& open(std::size_t rank) {
    const std::size_t digit = rank / span % 64;
    used_ |= std::uint64_t{1} << digit;
    if constexpr (is_leaf) {
      return children_[digit];
    } else {
      if (children_[digit] == nullptr) children_[digit] = std::make_unique<Node>();
      return children_[digit]->open(rank);
    }
  }

  void close(std::size_t rank) {
    const std::size_t digit = rank / span % 64;
    if constexpr (!is_leaf) {
      children_[digit]->close(rank);
      if (!children_[digit]->empty()) return;
    }
    used_ &= ~(std::uint64_t{1} << digit);
  }

  /// The lowest rank in use; there must be one. A node counts from 0.
  [[nodiscard]] std::size_t first() const {
    const auto digit = static_cast<std::size_t>(std::countr_zero(used_));
    if constexpr (is_leaf) {
      return digit;
    } else {
      return digit * span + children_[digit]->first();
    }
  }

  /// The level of a rank, or null if its node was never made.
  [[nodiscard]] const Level* find(std::size_t rank) const {
    const std::size_t digit = rank / span % 64;
    if constexpr (is_leaf) {
      return &children_[digit];
    } else {
      return children_[digit] == nullptr ? nullptr : children_[digit]->find(rank);
    }
  }

  /// Calls `visitor` with each level in use, the lowest rank first, until it returns false.
  template <class Visitor>
  bool visit(Visitor& visitor) const {
    for (std::uint64_t left = used_; left != 0; left &= left - 1) {
      const auto& child = children_[static_cast<std::size_t>(std::countr_zero(left))];
      if constexpr (is_leaf) {
        if (!visitor(child)) return false;
      } else {
        if (!child->visit(visitor)) return false;
      }
    }
    return true;
  }

 private:
  std::uint64_t used_ = 0;
  std::array<std::conditional_t<is_leaf, Level, std::unique_ptr<Node>>, 64> children_{};
};

/// A radix tree over the digits of a rank in base 64. It is the tree of bits over an array, made only where orders
/// have been, so that its memory follows the prices visited and not the width of the band.
template <Side S, class Level, std::size_t N>
class RadixSide {
  static_assert(N <= 64 * 64 * 64);

 public:
  Level* best_within(Tick limit) {
    if (root_.empty()) return nullptr;
    const std::size_t best = root_.first();
    return best <= rank_of<S, N>(limit) ? &root_.open(best) : nullptr;
  }
  Level& open(Tick tick) { return root_.open(rank_of<S, N>(tick)); }

  void emptied_by_cancel(Tick tick) { root_.close(rank_of<S, N>(tick)); }
  void emptied_by_trade(Tick tick) { root_.close(rank_of<S, N>(tick)); }

  [[nodiscard]] const Level* find(Tick tick) const { return root_.find(rank_of<S, N>(tick)); }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    root_.visit(visitor);
  }

 private:
  RadixNode<Level, N <= 64 * 64 ? 64 : 64 * 64> root_;
};

}  // namespace llmes::bench
