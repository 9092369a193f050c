// SPDX-License-Identifier: MIT
//
// How a cancel finds its order, and what a handle is.
//
// An index offers:
//   Index(capacity)
//   insert(order)                      sets the handle of a new order
//   erase(order)                       forgets an order that is gone
//   reseat(order)                      the order of that handle has moved here; only if Orders::moves_with_level
//   find(handle, orders, bids, asks) -> Order*    the resting order of that handle, or null
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/contenders/parts/orders.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// No index: a handle is the number of arrival of its order, and `find` looks at every resting order.
class ScanIndex {
 public:
  explicit ScanIndex(std::size_t) {}

  void insert(Order& order) { order.handle = ++last_number_; }
  void erase(Order&) {}

  template <class Orders, class... Sides>
  [[nodiscard]] Order* find(OrderHandle handle, const Orders&, const Sides&... sides) const {
    Order* found = nullptr;
    const auto look_at = [&](const Fifo& level) {
      for (found = level.front(); found != nullptr; found = found->next) {
        if (found->handle == handle.value()) break;
      }
      return found == nullptr;
    };
    (..., (found == nullptr ? sides.visit_levels(look_at) : void()));
    return found;
  }

 private:
  std::uint64_t last_number_ = 0;
};

/// A hash map from the number of arrival to the order. The caller's ids cannot be keys: they need not be unique.
/// `Map` maps std::uint64_t to Order* and has the calls of std::unordered_map that are made here.
template <class Map>
class HashIndex {
 public:
  explicit HashIndex(std::size_t capacity) { orders_.reserve(capacity); }

  void insert(Order& order) {
    order.handle = ++last_number_;
    orders_.emplace(order.handle, &order);
  }
  void erase(Order& order) { orders_.erase(order.handle); }

  void reseat(Order& order) { orders_.find(order.handle)->second = &order; }

  template <class... Rest>
  [[nodiscard]] Order* find(OrderHandle handle, const Rest&...) const {
    const auto found = orders_.find(handle.value());
    return found == orders_.end() ? nullptr : found->second;
  }

 private:
  Map orders_;
  std::uint64_t last_number_ = 0;
};

/// What the two hand-written hash maps share: open addressing with linear probing in one array of number and
/// order, at least twice as long as there are orders. The upper bits of a multiplication are the home of a number.
/// Number 0 belongs to no order and marks an entry as free.
class OpenTable {
 public:
  struct Entry {
    std::uint64_t first = 0;
    Order* second = nullptr;
  };

  /// Makes room for `count` orders; the table must be empty.
  void reserve(std::size_t count) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * count, 8));
    entries_.assign(size, {});
    shift_ = 64 - std::countr_zero(size);
  }

  [[nodiscard]] static constexpr const Entry* end() { return nullptr; }

 protected:
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15u >> shift_; }
  [[nodiscard]] std::size_t after(std::size_t place) const { return (place + 1) & (entries_.size() - 1); }

  std::vector<Entry> entries_;

 private:
  int shift_ = 0;
};

/// An erased order leaves a tombstone: its number without an order. The next insertion that probes the entry uses
/// it again. When tombstones leave too few free entries, the table is rebuilt.
class TombstoneMap : public OpenTable {
 public:
  /// `key` must be new: no number is used twice.
  void emplace(std::uint64_t key, Order* order) {
    if (used_ >= entries_.size() / 4 * 3) rebuild();
    std::size_t place = home(key);
    while (entries_[place].second != nullptr) place = after(place);
    used_ += entries_[place].first == 0;
    entries_[place] = {key, order};
  }

  [[nodiscard]] const Entry* find(std::uint64_t key) const {
    for (std::size_t place = home(key); entries_[place].first != 0; place = after(place)) {
      if (entries_[place].first == key) return entries_[place].second != nullptr ? &entries_[place] : end();
    }
    return end();
  }

  void erase(std::uint64_t key) {
    std::size_t place = home(key);
    while (entries_[place].first != key) place = after(place);
    entries_[place].second = nullptr;
  }

 private:
  void rebuild() {
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries_.size()));
    used_ = 0;
    for (const Entry& entry : old) {
      if (entry.second != nullptr) emplace(entry.first, entry.second);
    }
  }

  std::size_t used_ = 0;  // entries that are not free
};

/// Robin Hood hashing: an entry gives way to one that is further from its home, which keeps every probe short. An
/// erasure shifts the following entries back by one, so there are no tombstones.
class RobinHoodMap : public OpenTable {
 public:
  /// `key` must not be in the map.
  void emplace(std::uint64_t key, Order* order) {
    Entry homeless{key, order};
    std::size_t distance = 0;
    std::size_t place = home(key);
    for (; entries_[place].first != 0; place = after(place), ++distance) {
      if (const std::size_t here = distance_at(place); here < distance) {
        std::swap(homeless, entries_[place]);
        distance = here;
      }
    }
    entries_[place] = homeless;
  }

  [[nodiscard]] const Entry* find(std::uint64_t key) const {
    std::size_t distance = 0;
    for (std::size_t place = home(key); entries_[place].first != 0; place = after(place), ++distance) {
      if (entries_[place].first == key) return &entries_[place];
      if (distance_at(place) < distance) break;
    }
    return end();
  }

  void erase(std::uint64_t key) {
    std::size_t hole = static_cast<std::size_t>(find(key) - entries_.data());
    std::size_t next = after(hole);
    for (; entries_[next].first != 0 && distance_at(next) > 0; next = after(next)) {
      entries_[hole] = entries_[next];
      hole = next;
    }
    entries_[hole] = {};
  }

 private:
  /// How far the entry at `place` is from home.
  [[nodiscard]] std::size_t distance_at(std::size_t place) const {
    return (place - home(entries_[place].first)) & (entries_.size() - 1);
  }
};

/// No index either: the handle names a slot of the pool and the use of that slot. The pool numbers its slots in
/// the lower half of `Order::handle`; the upper half counts the uses and is odd while the slot is in use. A caller
/// who wants to find orders by id keeps a map of its own.
class SlotIndex {
 public:
  explicit SlotIndex(std::size_t) {}

  void insert(Order& order) { order.handle += next_use; }
  void erase(Order& order) { order.handle += next_use; }

  template <class... Sides>
  [[nodiscard]] Order* find(OrderHandle handle, const PoolOrders& orders, const Sides&...) const {
    if (handle.index >= orders.slot_count() || handle.generation % 2 == 0) return nullptr;
    Order& order = orders[handle.index];
    return order.handle == handle.value() ? &order : nullptr;
  }

 private:
  static constexpr std::uint64_t next_use = std::uint64_t{1} << 32;
};

}  // namespace llmes::bench
