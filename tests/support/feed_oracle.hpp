// SPDX-License-Identifier: MIT
//
// What a feed book must do, in the plainest way: a map of orders by reference, and a list of them in order of
// arrival. It shares no code with the feed book, and knows nothing of grids: a price is a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "llmes/types/types.hpp"

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

  FeedOracle(std::size_t symbols, std::size_t capacity) : symbols_(symbols), capacity_(capacity) {}

  void add(const Order& order) {
    if (order.locate == 0 || order.locate > symbols_) return count("unknown symbol");
    if (order.side != 'B' && order.side != 'S') return count("invalid side");
    if (find(order.reference)) return count("duplicate reference");
    if (order.shares == 0) return count("zero quantity");
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
    orders_.push_back(next);
  }

  void clear(std::uint16_t locate) {
    orders_.remove_if([&](const Order& order) { return order.locate == locate; });
  }
  void begin_day() {
    orders_.clear();
    faults_.clear();
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
  std::list<Order> orders_;
  std::map<std::string, std::uint64_t> faults_;
};

}  // namespace llmes::test
