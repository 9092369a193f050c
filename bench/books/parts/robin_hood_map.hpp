// SPDX-License-Identifier: MIT
//
// Robin Hood hashing: an entry gives its place to one that is further from home, so that no search is long; and
// erasure shifts the entries behind it back by one, so that there are no tombstones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bench/books/parts/open_table.hpp"

namespace llmes::bench {

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

}  // namespace llmes::bench
