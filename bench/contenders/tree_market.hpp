// SPDX-License-Identifier: MIT
//
// A market of balanced trees: std::map of the levels of each side. The nodes of all trees come from one place, an
// order knows its level and a level its place in the tree, so that only a new order searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/contenders/containers.hpp"
#include "bench/contenders/level_market.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

template <class Containers>
class TreeSides {
 public:
  struct Level;
  using Tree = std::map<Price, Level, std::greater<>,  // by goodness
                        typename Containers::template Allocator<std::pair<const Price, Level>>>;
  struct Level {
    Queue queue;
    typename Tree::iterator place;
  };
  using Place = Level*;
  using Anchor = Level*;

  explicit TreeSides(const MarketConfig& config)
      : sides_(2 * config.books, Tree(typename Tree::allocator_type(*nodes_))) {}

  [[nodiscard]] static Queue& queue(Place place) { return place->queue; }
  [[nodiscard]] static Anchor anchor(Place place) { return place; }

  [[nodiscard]] Place open(std::uint32_t book, Side side, Price price) {
    const auto [place, is_new] = at(book, side).try_emplace(goodness(side, price));
    if (is_new) place->second.place = place;
    return &place->second;
  }
  [[nodiscard]] static Place find(std::uint32_t /*book*/, Side /*side*/, Anchor level) { return level; }
  void close(std::uint32_t book, Side side, Place place) { at(book, side).erase(place->place); }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Tree& tree = at(book, side);
    if (tree.empty()) return std::nullopt;
    return price_of_goodness(side, tree.begin()->first);
  }

  template <class Visitor>
  void visit(std::uint32_t book, Side side, Visitor visitor) const {
    for (const auto& [goodness, level] : at(book, side)) visitor(price_of_goodness(side, goodness), level.queue);
  }

 private:
  [[nodiscard]] Tree& at(std::uint32_t book, Side side) {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const Tree& at(std::uint32_t book, Side side) const {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }

  using Nodes = typename Containers::Nodes;

  std::unique_ptr<Nodes> nodes_ = std::make_unique<Nodes>();
  std::vector<Tree> sides_;  // the bids of book 0, its asks, the bids of book 1 ...
};

using TreeMarket = LevelMarket<TreeSides<PooledContainers>>;
static_assert(MarketBook<TreeMarket> && HasBooks<TreeMarket>);

}  // namespace llmes::bench
