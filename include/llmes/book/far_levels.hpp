// SPDX-License-Identifier: MIT
//
// The far levels of books for any price, those that index arithmetic cannot reach. A sorted map leads from the
// *rank* of a level to the slot of its anchor; of two prices of a side the better has the lower rank. Many maps
// (trees), one for each side of each book, share a storage reserved at creation. Each is the B+-tree of D. Comer,
// "The Ubiquitous B-Tree", ACM Computing Surveys 11 (1979). On the way down full nodes are split, and nodes with
// no entry to spare refilled, so no call goes up again.
//
// Invariants:
//  I1  a node has its entries in rank order, unused ones last. An entry of a leaf is a level. An entry of another
//      node names a node below it. All ranks there are lower than the next entry's. Except for the first entry,
//      none is lower than its own. All leaves of a tree have the same depth;
//  I2  a node has at least `least` entries. Only the root may have fewer: a leaf 1, another node 2;
//  I3  the leaf with the lowest ranks stays the same until the tree is empty: in a split and in a join the node
//      with the lower ranks stays;
//  I4  node 0 has no entries: it is the root and first leaf of every empty tree. Its `below[0]` begins the list of
//      free nodes, last in, first out, which ends with 0. Free nodes have no entries;
//  I5  the list never runs out. Each entry is a level or names a node that is no root. Let n levels be in t
//      non-empty trees, with m nodes that are no roots. They make n + m entries; by I2 these are at least t + m
//      `least`. Hence m is at most (n - t) / (`least` - 1). The storage has that many nodes, and one for each
//      root.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The storage of the trees.
class FarLevels {
 public:
  /// No level has this rank.
  static constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

  /// A level and the slot of its anchor. For no level, the rank is `no_rank` and the anchor means nothing.
  struct Level {
    std::uint64_t rank;
    SlotIndex anchor;
  };

  /// The levels of one side, which keeps this. Empty at first.
  struct Tree {
    std::uint32_t first_leaf = 0;
    std::uint32_t root : 28 = 0;
    std::uint32_t height : 4 = 0;  ///< at most 9
  };

  /// A storage without room; its empty trees may be queried.
  FarLevels() noexcept = default;

  /// Reserves room for `levels` levels, in any distribution over `trees` trees. All memory is allocated and
  /// touched here. There is no room if memory runs out or more than 2^28 nodes are needed.
  FarLevels(std::size_t levels, std::size_t trees) noexcept
      : nodes_(node_count(levels, trees) <= most_nodes ? node_count(levels, trees) : 0) {
    for (std::uint32_t i = 0; i + 1 < nodes_.size(); ++i) nodes_[i].below[0] = i + 1;
  }

  [[nodiscard]] bool allocated() const noexcept { return nodes_.allocated(); }
  /// The bytes of a storage: at most 35 for each of `levels` and 384 for each of `trees`.
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t levels, std::size_t trees) noexcept {
    return node_count(levels, trees) * sizeof(Node);
  }

  /// The level with the lowest rank. Constant; all other calls visit one or two nodes of each height.
  [[nodiscard]] Level first(const Tree& tree) const noexcept { return nodes_[tree.first_leaf].level(0); }

  /// The level with the highest rank.
  [[nodiscard]] Level last(const Tree& tree) const noexcept {
    const Node& leaf = leaf_of(tree, no_rank);
    return leaf.level(leaf.covering(no_rank));
  }

  /// The level of this rank.
  [[nodiscard]] Level find(const Tree& tree, std::uint64_t rank) const noexcept {
    const Node& leaf = leaf_of(tree, rank);
    const Level level = leaf.level(leaf.covering(rank));
    return level.rank == rank ? level : Level{no_rank, {}};
  }

  /// The level with the lowest rank not below `rank`.
  [[nodiscard]] Level first_from(const Tree& tree, std::uint64_t rank) const noexcept {
    const Node* node = &nodes_[tree.root];
    std::uint64_t next_leaf = no_rank;  // where its ranks begin
    for (std::uint32_t height = tree.height; height > 1; --height) {
      const std::size_t i = node->covering(rank);
      if (node->has(i + 2)) next_leaf = node->rank(i + 1);
      node = &nodes_[node->below[i]];
    }
    const std::size_t i = node->index_of(rank);
    if (node->has(i + 1)) return node->level(i);
    return next_leaf == no_rank ? Level{no_rank, {}} : leaf_of(tree, next_leaf).level(0);
  }

  /// Hint: starts loading, early (see order_pool.hpp), the leaf of this rank. Reads the nodes above it.
  [[gnu::always_inline]] void prefetch(const Tree& tree, std::uint64_t rank) const noexcept {
    const auto* const leaf = reinterpret_cast<const char*>(&leaf_of(tree, rank));
    for (std::size_t at = 0; at < sizeof(Node); at += 64) __builtin_prefetch(leaf + at, 0, 2);
  }

  /// Adds the level of `rank`, which must be new and not `no_rank`. There must be room.
  void insert(Tree& tree, std::uint64_t rank, SlotIndex anchor) noexcept {
    if (tree.height == 0 || nodes_[tree.root].has(width)) {
      const std::uint32_t added = acquire();
      if (tree.height == 0) tree.first_leaf = added;
      if (tree.height > 0) nodes_[added].insert(0, 0, tree.root);
      tree.root = added & (most_nodes - 1);
      ++tree.height;
    }
    Node* node = &nodes_[tree.root];
    for (std::uint32_t height = tree.height; height > 1; --height) {
      std::size_t i = node->covering(rank);
      if (nodes_[node->below[i]].has(width)) [[unlikely]] {
        split(*node, i);
        i = node->covering(rank);
      }
      node = &nodes_[node->below[i]];
    }
    node->insert(node->index_of(rank), rank, anchor);
  }

  /// Removes the level of `rank`, which must exist.
  void erase(Tree& tree, std::uint64_t rank) noexcept {
    Node* node = &nodes_[tree.root];
    for (std::uint32_t height = tree.height; height > 1; --height) {
      std::size_t i = node->covering(rank);
      if (!nodes_[node->below[i]].has(least + 1)) [[unlikely]] {
        even_out(*node, i - (i > 0));
        i = node->covering(rank);
      }
      node = &nodes_[node->below[i]];
    }
    node->erase(node->covering(rank));
    const Node& root = nodes_[tree.root];
    if (root.has(tree.height > 1 ? 2 : 1)) return;
    const std::uint32_t below = root.below[0];
    release(tree.root);
    tree.root = below & (most_nodes - 1);
    --tree.height;
    if (tree.height == 0) tree = {};
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.nodes_); }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  static constexpr std::size_t width = 32;
  static constexpr std::size_t least = 12;  ///< below half, or nodes just split would soon be joined again
  static constexpr std::uint32_t most_nodes = 1U << 28;

  struct alignas(64) Node {
    std::array<std::uint64_t, width> inverse;  ///< inverted rank; 0 if unused, so zeros are an empty node
    std::array<std::uint32_t, width> below;    ///< the anchor of the level, or the node below

    [[nodiscard]] std::uint64_t rank(std::size_t i) const noexcept { return ~inverse[i]; }
    [[nodiscard]] Level level(std::size_t i) const noexcept { return {rank(i), below[i]}; }
    /// Whether there are at least `count` (1 or more) entries.
    [[nodiscard]] bool has(std::size_t count) const noexcept { return count <= width && inverse[count - 1] != 0; }
    /// The last entry whose rank is not above `rank`, or the first one. In branch-free steps of 4, then of 1.
    [[nodiscard]] std::size_t covering(std::uint64_t rank) const noexcept {
      const std::uint64_t other = std::max(~rank, std::uint64_t{1});  // no unused entry
      const auto covers = [&](std::size_t i) { return std::size_t{inverse[i] >= other}; };
      std::size_t i = 0;
      for (std::size_t j = 4; j < width; j += 4) i += covers(j) * 4;
      return i + covers(i + 1) + covers(i + 2) + covers(i + 3);
    }
    /// The number of entries with a lower rank.
    [[nodiscard]] std::size_t index_of(std::uint64_t rank) const noexcept {
      const std::size_t i = covering(rank);
      return i + (this->rank(i) < rank);
    }
    void insert(std::size_t i, std::uint64_t rank, std::uint32_t what) noexcept {
      std::copy_backward(inverse.begin() + i, inverse.end() - 1, inverse.end());
      std::copy_backward(below.begin() + i, below.end() - 1, below.end());
      inverse[i] = ~rank;
      below[i] = what;
    }
    void erase(std::size_t i) noexcept {
      std::copy(inverse.begin() + i + 1, inverse.end(), inverse.begin() + i);
      std::copy(below.begin() + i + 1, below.end(), below.begin() + i);
      inverse.back() = 0;
    }
  };

  [[nodiscard]] static constexpr std::size_t node_count(std::size_t levels, std::size_t trees) noexcept {
    const std::size_t roots = std::min(levels, trees);
    return 1 + roots + (levels - roots) / (least - 1);
  }

  /// The leaf of a level of this rank, if there is one.
  [[nodiscard]] const Node& leaf_of(const Tree& tree, std::uint64_t rank) const noexcept {
    const Node* node = &nodes_[tree.root];
    for (std::uint32_t i = tree.height; i > 1; --i) node = &nodes_[node->below[node->covering(rank)]];
    return *node;
  }

  [[nodiscard]] std::uint32_t acquire() noexcept {
    const std::uint32_t node = nodes_[0].below[0];
    nodes_[0].below[0] = nodes_[node].below[0];
    return node;
  }
  /// Frees a node, and the one entry that it may still have.
  void release(std::uint32_t node) noexcept {
    nodes_[node].inverse[0] = 0;
    nodes_[node].below[0] = nodes_[0].below[0];
    nodes_[0].below[0] = node;
  }

  /// Splits the full node of entry `i`.
  void split(Node& parent, std::size_t i) noexcept {
    const std::uint32_t added = acquire();
    share(nodes_[parent.below[i]], nodes_[added], width / 2);
    parent.insert(i + 1, nodes_[added].rank(0), added);
  }
  /// Joins the nodes of entries `i` and `i + 1`, or shares the entries equally if both keep some to spare.
  void even_out(Node& parent, std::size_t i) noexcept {
    Node& left = nodes_[parent.below[i]];
    Node& right = nodes_[parent.below[i + 1]];
    const std::size_t count = left.covering(no_rank) + right.covering(no_rank) + 2;
    const bool join = count / 2 <= least;
    share(left, right, join ? count : count / 2);
    parent.inverse[i + 1] = right.inverse[0];
    if (!join) return;
    release(parent.below[i + 1]);
    parent.erase(i + 1);
  }
  /// Moves entries between two nodes so that the left one has the first `count` of all.
  static void share(Node& left, Node& right, std::size_t count) noexcept {
    const auto share_array = [count, size = left.covering(no_rank) + 1]<class T>(std::array<T, width>& lower,
                                                                                 std::array<T, width>& upper) {
      std::array<T, 2 * width> all{};
      std::copy_n(upper.begin(), width, std::copy_n(lower.begin(), size, all.begin()));
      std::copy_n(all.begin(), width, lower.begin());
      std::copy_n(all.begin() + count, width, upper.begin());
    };
    share_array(left.inverse, right.inverse);
    share_array(left.below, right.below);
    std::fill(left.inverse.begin() + count, left.inverse.end(), 0);
  }

  ZeroedArray<Node> nodes_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
