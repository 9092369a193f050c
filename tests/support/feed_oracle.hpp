// SPDX-License-Identifier: MIT
//
// What a feed book must do, in the plainest way: a map of orders by reference, and a list of them in order of
// arrival. It shares no code with the feed book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "llmes/types.hpp"

namespace llmes::test {

class FeedOracle {
 public:
  struct Order {
    std::uint64_t reference;
    std::uint16_t locate;
    char side;
    std::uint32_t price;
    std::uint64_t shares;
  };

  FeedOracle(std::size_t symbols, std::size_t capacity, std::size_t off_grid_symbols)
      : symbols_(symbols), capacity_(capacity), off_grid_symbols_(off_grid_symbols) {}

  void add(const Order& order) {
    if (order.locate == 0 || order.locate > symbols_) return count("unknown symbol");
    if (order.side != 'B' && order.side != 'S') return count("invalid side");
    if (order.shares == 0) return count(find(order.reference) ? "duplicate reference" : "zero quantity");
    if (!has_room_at(order)) return count("no room");
    if (find(order.reference)) return count("duplicate reference");
    if (orders_.size() == capacity_) return count("no room");
    orders_.push_back(order);
  }

  void reduce(std::uint64_t reference, std::uint64_t shares) {
    Order* order = find(reference);
    if (order == nullptr) return count("unknown reference");
    if (shares == 0) return count("zero quantity");
    if (shares > order->shares) return count("over-execution");
    order->shares -= shares;
    if (order->shares == 0) remove(reference);
  }

  void remove_order(std::uint64_t reference) {
    if (!find(reference)) return count("unknown reference");
    remove(reference);
  }

  void replace(std::uint16_t locate, std::uint64_t reference, std::uint64_t new_reference, std::uint64_t shares,
               std::uint32_t price) {
    if (reference == new_reference) return count("duplicate reference");
    const Order* old = find(reference);
    if (old == nullptr) return count("unknown reference");
    const Order next{new_reference, old->locate, old->side, price, shares};
    if (find(new_reference)) return count("duplicate reference");
    if (shares == 0) return count("zero quantity");
    remove(reference);  // whatever becomes of the new order
    if (next.locate != locate) return count("unknown symbol");
    if (!has_room_at(next)) return count("no room");
    orders_.push_back(next);
  }

  /// The orders of a side, in priority order.
  [[nodiscard]] std::vector<RestingOrder> queue(std::uint16_t locate, Side side) const {
    std::map<std::int64_t, std::vector<RestingOrder>> levels;
    for (const Order& order : orders_) {
      if (order.locate != locate || (order.side == 'B') != (side == Side::Buy)) continue;
      const std::int64_t price = order.price;
      levels[side == Side::Buy ? -price : price].push_back({{}, order.reference, side, price, order.shares});
    }
    std::vector<RestingOrder> all;
    for (const auto& [rank, level] : levels) all.insert(all.end(), level.begin(), level.end());
    return all;
  }

  void count(const char* fault) { ++faults_[fault]; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& faults() const { return faults_; }
  [[nodiscard]] const std::list<Order>& orders() const { return orders_; }

 private:
  [[nodiscard]] static bool is_off_grid(std::uint32_t price) { return price > 10'000 && price % 100 != 0; }

  /// Whether the symbol may have an order at this price; a first one off the grid takes room for ever.
  bool has_room_at(const Order& order) {
    if (!is_off_grid(order.price) || off_grid_.contains(order.locate)) return true;
    if (off_grid_.size() == off_grid_symbols_) return false;
    off_grid_.insert(order.locate);
    return true;
  }
  Order* find(std::uint64_t reference) {
    for (Order& order : orders_) {
      if (order.reference == reference) return &order;
    }
    return nullptr;
  }
  void remove(std::uint64_t reference) {
    orders_.remove_if([&](const Order& order) { return order.reference == reference; });
  }

  std::size_t symbols_;
  std::size_t capacity_;
  std::size_t off_grid_symbols_;
  std::list<Order> orders_;
  std::set<std::uint16_t> off_grid_;
  std::map<std::string, std::uint64_t> faults_;
};

}  // namespace llmes::test
