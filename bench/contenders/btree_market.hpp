// SPDX-License-Identifier: MIT
//
// A market of B-trees: absl::btree_map of the levels of each side. Levels move within the nodes of a B-tree, so an
// order that leaves searches its level by price. The nodes of all trees come from pools, one for each size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "bench/contenders/level_market.hpp"
#include "bench/contenders/node_pool.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// Nodes of up to 1,024 bytes, in pools by size.
class SizedNodes {
 public:
  [[nodiscard]] NodePool& of(std::size_t bytes) { return pools_.at(bytes / unit); }

 private:
  static constexpr std::size_t unit = 8;
  std::array<NodePool, 1'024 / unit + 1> pools_;
};

template <class T>
struct SizedAllocator {
  using value_type = T;

  explicit SizedAllocator(SizedNodes& nodes) : pools(&nodes) {}
  template <class U>
  SizedAllocator(const SizedAllocator<U>& other) : pools(other.pools) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(pools->of(count * sizeof(T)).acquire(count * sizeof(T)));
  }
  void deallocate(T* nodes, std::size_t count) { pools->of(count * sizeof(T)).release(nodes); }
  friend bool operator==(const SizedAllocator&, const SizedAllocator&) = default;

  SizedNodes* pools;
};

class BtreeSides {
 public:
  using Tree = absl::btree_map<Price, Queue, std::greater<Price>,
                               SizedAllocator<std::pair<const Price, Queue>>>;  // by goodness
  using Place = Tree::iterator;
  using Anchor = Price;  // the goodness of its level

  explicit BtreeSides(const MarketConfig& config)
      : sides_(2 * config.books, Tree(Tree::allocator_type(*nodes_))) {}

  [[nodiscard]] static Queue& queue(Place place) { return place->second; }
  [[nodiscard]] static Anchor anchor(Place place) { return place->first; }

  [[nodiscard]] Place open(std::uint32_t book, Side side, Price price) {
    return at(book, side).try_emplace(goodness(side, price)).first;
  }
  [[nodiscard]] Place find(std::uint32_t book, Side side, Anchor goodness) {
    return at(book, side).find(goodness);
  }
  void close(std::uint32_t book, Side side, Place place) { at(book, side).erase(place); }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Tree& tree = at(book, side);
    if (tree.empty()) return std::nullopt;
    return price_of_goodness(side, tree.begin()->first);
  }

  template <class Visitor>
  void visit(std::uint32_t book, Side side, Visitor visitor) const {
    for (const auto& [goodness, queue] : at(book, side)) visitor(price_of_goodness(side, goodness), queue);
  }

 private:
  [[nodiscard]] Tree& at(std::uint32_t book, Side side) {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const Tree& at(std::uint32_t book, Side side) const {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }

  std::unique_ptr<SizedNodes> nodes_ = std::make_unique<SizedNodes>();
  std::vector<Tree> sides_;  // the bids of book 0, its asks, the bids of book 1 ...
};

using BtreeMarket = LevelMarket<BtreeSides>;
static_assert(MarketBook<BtreeMarket> && HasBooks<BtreeMarket>);

}  // namespace llmes::bench
