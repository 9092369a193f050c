// SPDX-License-Identifier: MIT
//
// A walk over the invariants of far_levels.hpp: the order of each node, that no node is too empty, and that the
// trees and the list of free nodes together are the whole storage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/book_inspector.hpp"

namespace llmes::test {

class FarWalk {
 public:
  using Level = FarLevels::Level;
  using Tree = FarLevels::Tree;

  explicit FarWalk(const FarLevels& levels) : levels_(levels), seen_(BookInspector::far_node_count(levels)) {}

  /// Walks through one tree. Returns its levels, the lowest rank first; none if something is broken.
  std::vector<Level> tree(const Tree& tree) {
    std::vector<Level> found;
    if (!tree_holds(tree, found)) found.clear();
    return found;
  }

  /// Walks through the nodes that are left once all trees have been walked through.
  void free_nodes() {
    std::uint32_t node = 0;
    do {
      if (!visit(node)) return;
      const auto entries = BookInspector::far_node(levels_, node);
      if (!std::ranges::all_of(entries, unused)) return fail("free node ", node, " has entries");
      node = entries[0].anchor;
    } while (node != 0);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) return fail("node ", i, " is lost: neither in a tree nor free");
    }
  }

  /// What is broken; empty if nothing is.
  [[nodiscard]] const std::string& broken() const { return what_; }

  /// The entries of a node that are used.
  static std::vector<Level> entries(const FarLevels& levels, std::uint32_t node) {
    const auto all = BookInspector::far_node(levels, node);
    return {all.begin(), std::ranges::find_if(all, unused)};
  }

 private:
  /// A node whose ranks are from `low` up to `high`, which is not among them.
  struct Part {
    std::uint32_t node;
    std::uint64_t low;
    std::uint64_t high;
  };

  template <class... Words>
  void fail(const Words&... words) {
    std::ostringstream out;
    ((out << "far levels: ") << ... << words);
    if (what_.empty()) what_ = out.str();
  }

  static bool unused(const Level& entry) { return entry.rank == FarLevels::no_rank; }

  /// Notes that a node is in use. It must be one, and new.
  bool visit(std::uint32_t node) {
    if (node >= seen_.size()) {
      fail("there is no node ", node);
      return false;
    }
    if (seen_[node]) {
      fail("node ", node, " is used twice");
      return false;
    }
    seen_[node] = true;
    return true;
  }

  /// From the root down, one height after the other.
  bool tree_holds(const Tree& tree, std::vector<Level>& found) {
    if (tree.height == 0) {
      if (tree.root != 0 || tree.first_leaf != 0) fail("an empty tree has a node");
      return what_.empty();
    }
    std::vector<Part> row{{tree.root, 0, FarLevels::no_rank}};
    for (std::uint32_t height = tree.height; height > 0; --height) {
      if (height == 1 && row[0].node != tree.first_leaf) fail("node ", row[0].node, " is not known as the first");
      std::vector<Part> below;
      for (const Part& part : row) {
        const std::size_t least = height < tree.height ? BookInspector::far_least : height > 1 ? 2 : 1;
        if (!visit(part.node) || !node_holds(part, height, least, below)) return false;
      }
      row = std::move(below);
    }
    for (const Part& level : row) found.push_back({level.low, level.node});
    return what_.empty();
  }

  /// One node at a height. Adds its entries to `below`: nodes, or the anchors of levels.
  bool node_holds(const Part& part, std::uint32_t height, std::size_t least, std::vector<Part>& below) {
    const auto all = BookInspector::far_node(levels_, part.node);
    const std::vector<Level> used = entries(levels_, part.node);
    if (!std::all_of(all.begin() + static_cast<std::ptrdiff_t>(used.size()), all.end(), unused)) {
      fail("node ", part.node, " has entries behind the unused ones");
    }
    if (used.size() < least) fail("node ", part.node, " has only ", used.size(), " entries");
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::uint64_t low = height > 1 && i == 0 ? part.low : used[i].rank;
      const std::uint64_t high = i + 1 < used.size() ? used[i + 1].rank : part.high;
      if (low < part.low || low >= high || high > part.high) fail("node ", part.node, " is not in order at ", i);
      below.push_back({used[i].anchor, low, high});
    }
    return what_.empty();
  }

  const FarLevels& levels_;
  std::vector<bool> seen_;
  std::string what_;
};

}  // namespace llmes::test
