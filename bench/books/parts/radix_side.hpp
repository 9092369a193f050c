// SPDX-License-Identifier: MIT
//
// One side as a radix tree over the digits of a rank in base 64: a node says in a word which of its children are
// in use. As the tree of bits over an array, but made only where orders have been, so that memory follows the
// prices visited and not the width of the band.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

/// The children of a node are `span` ranks apart.
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

  /// The lowest rank in use, of which there must be one; a node counts from 0.
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
