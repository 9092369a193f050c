// SPDX-License-Identifier: MIT
//
// Open addressing that leaves a tombstone where an order was: its number without an order. A tombstone is built
// over by the next order that passes; when they leave too few free entries, the table is written anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/books/parts/open_table.hpp"

namespace llmes::bench {

class TombstoneMap : public OpenTable {
 public:
  /// `key` must be new: a number is given out once.
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

}  // namespace llmes::bench
