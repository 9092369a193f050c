// SPDX-License-Identifier: MIT
//
// A market without price levels, as the published order-book benchmark over ITCH builds it: each side is a sorted
// map of orders, by price and then by arrival, and a hash map leads from a reference to the place of its order. It
// is SequenceBook for the books of a market. Prices are not negative.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "bench/contenders/market_book.hpp"
#include "bench/contenders/parts/memory.hpp"
#include "bench/contenders/sequence_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// `Line` is a sorted map from PlaceInLine to a payload. One that allocates from a std::pmr::memory_resource has
/// its nodes in huge pages, which all books share.
template <class Line>
class SequenceMarket {
  using Order = typename Line::mapped_type;
  static constexpr bool has_huge_pages =
      std::constructible_from<typename Line::allocator_type, std::pmr::memory_resource*>;

 public:
  static std::optional<SequenceMarket> create(const MarketConfig& config) { return SequenceMarket(config); }

  [[gnu::always_inline]] Result apply(const MarketRequest& request) {
    if (2 * std::size_t{request.book} >= lines_.size() || request.side > Side::Sell)
      return {Status::InvalidCommand};
    switch (request.type) {
      case CommandType::AddResting: return add(request);
      case CommandType::Cancel: return cancel(request);
      case CommandType::Reduce: return reduce(request);
      case CommandType::ReplaceResting: return replace(request);
      default: return {Status::InvalidCommand};
    }
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Line& orders = line(book, side);
    if (orders.empty()) return std::nullopt;
    return price_of(side, orders.begin()->first.rank);
  }

  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    for (const auto& [place, order] : line(book, side)) {
      visitor(RestingOrder{{}, order.id, side, price_of(side, place.rank), order.quantity});
    }
  }

  [[nodiscard]] std::size_t size() const { return locations_.size(); }

 private:
  struct Location {
    Side side;
    PlaceInLine place;
  };

  explicit SequenceMarket(const MarketConfig& config) : locations_(config.capacity) {
    lines_.reserve(2 * config.books);
    for (std::size_t i = 0; i < 2 * config.books; ++i) {
      if constexpr (has_huge_pages) {
        lines_.emplace_back(typename Line::allocator_type(nodes_.get()));
      } else {
        lines_.emplace_back();
      }
    }
  }

  /// Its own inverse, and such that a better price is first.
  [[nodiscard]] static std::size_t rank_of(Side side, std::size_t price) {
    return side == Side::Buy ? ~price : price;
  }
  [[nodiscard]] static Price price_of(Side side, std::size_t rank) {
    return static_cast<Price>(rank_of(side, rank));
  }

  Result add(const MarketRequest& request) {
    if (request.quantity == 0) return {Status::InvalidQuantity};
    const auto [entry, is_new] = locations_.try_emplace(request.id);
    if (!is_new) return {Status::DuplicateId};
    entry->second = enter(request.book, request.side, request.price, request.id, request.quantity);
    return {Status::Success, {}, 0, request.quantity};
  }

  Result cancel(const MarketRequest& request) {
    const auto found = locations_.find(request.id);
    if (found == locations_.end()) return {Status::UnknownOrder};
    line(request.book, found->second.side).erase(found->second.place);
    locations_.erase(found);
    return {Status::Success};
  }

  Result reduce(const MarketRequest& request) {
    const auto found = locations_.find(request.id);
    if (found == locations_.end()) return {Status::UnknownOrder};
    Line& orders = line(request.book, found->second.side);
    const auto order = orders.find(found->second.place);
    Quantity& open = order->second.quantity;
    if (request.quantity == 0 || request.quantity > open) return {Status::InvalidQuantity};
    open -= request.quantity;
    if (open > 0) return {Status::Success, {}, 0, open, request.quantity};
    orders.erase(order);
    locations_.erase(found);
    return {Status::Success, {}, 0, 0, request.quantity};
  }

  Result replace(const MarketRequest& request) {
    const auto found = locations_.find(request.id);
    if (found == locations_.end()) return {Status::UnknownOrder};
    if (request.quantity == 0) return {Status::InvalidQuantity};
    if (request.new_id != request.id && locations_.contains(request.new_id)) return {Status::DuplicateId};
    const Location old = found->second;
    line(request.book, old.side).erase(old.place);
    locations_.erase(found);
    locations_.emplace(request.new_id,
                       enter(request.book, old.side, request.price, request.new_id, request.quantity));
    return {Status::Success, {}, 0, request.quantity};
  }

  /// Behind all others of its price.
  Location enter(std::uint32_t book, Side side, Price price, OrderId id, Quantity quantity) {
    const PlaceInLine place{rank_of(side, static_cast<std::size_t>(price)), ++last_arrival_};
    Order order{};
    order.id = id;
    order.quantity = quantity;
    line(book, side).emplace(place, order);
    return {side, place};
  }

  [[nodiscard]] Line& line(std::uint32_t book, Side side) {
    return lines_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const Line& line(std::uint32_t book, Side side) const {
    return lines_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }

  std::unique_ptr<HugePagePool> nodes_ = std::make_unique<HugePagePool>();
  std::vector<Line> lines_;  // the bids of book 0, its asks, the bids of book 1 ...
  absl::flat_hash_map<OrderId, Location> locations_;
  std::uint64_t last_arrival_ = 0;
};

template <class Payload>
using MapSeqMarket = SequenceMarket<std::map<PlaceInLine, Payload>>;
template <class Payload>
using MapSeqHugeMarket = SequenceMarket<std::pmr::map<PlaceInLine, Payload>>;
template <class Payload>
using BtreeSeqMarket = SequenceMarket<absl::btree_map<PlaceInLine, Payload>>;
template <class Payload>
using BtreeSeqHugeMarket =
    SequenceMarket<absl::btree_map<PlaceInLine, Payload, std::less<PlaceInLine>,
                                   std::pmr::polymorphic_allocator<std::pair<const PlaceInLine, Payload>>>>;
static_assert(MarketBook<MapSeqMarket<Payload24>> && HasBooks<MapSeqMarket<Payload24>>);

}  // namespace llmes::bench
