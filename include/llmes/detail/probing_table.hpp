// SPDX-License-Identifier: MIT
//
// A hash table of small entries.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "llmes/detail/zeroed_array.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A table with open addressing and linear probing. An entry has `used()` and a 32-bit `hash()`, whose upper bits
/// say where its search begins. An entry of zeros is free.
///
/// Invariant: all entries from the start of a search up to its entry are used; at least half are free.
template <class Entry>
class ProbingTable {
 public:
  ProbingTable() noexcept = default;
  /// Room for `capacity` entries, 1 to 2^32.
  explicit ProbingTable(std::size_t capacity) noexcept : entries_(entry_count(capacity)) {}
  /// The bytes of such a table.
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t capacity) noexcept {
    return entry_count(capacity) * sizeof(Entry);
  }

  [[nodiscard]] bool allocated() const noexcept { return entries_.allocated(); }
  /// How many entries there are, used and free.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return entries_.size_bytes(); }

  /// Where the search for this hash begins, and the index it visits next.
  [[nodiscard]] std::size_t start_of(std::uint32_t hash) const noexcept {
    return std::uint64_t{hash} * entries_.size() >> 32;
  }
  [[nodiscard]] std::size_t after(std::size_t index) const noexcept { return (index + 1) & (entries_.size() - 1); }

  [[nodiscard]] Entry& operator[](std::size_t index) noexcept { return entries_[index]; }
  [[nodiscard]] const Entry& operator[](std::size_t index) const noexcept { return entries_[index]; }

  /// The first index, from the start of `hash` on, whose entry is free or `stops` the search.
  template <class Stops>
  [[nodiscard]] std::size_t search(std::uint32_t hash, Stops stops) const noexcept {
    std::size_t index = start_of(hash);
    while (entries_[index].used() && !stops(entries_[index])) index = after(index);
    return index;
  }

  /// Frees an entry. Later entries fill the gap unless it lies before their start, so no tombstone is needed.
  void free(std::size_t index) noexcept {
    std::size_t gap = index;
    for (std::size_t i = after(gap); entries_[i].used(); i = after(i)) {
      const std::size_t mask = entries_.size() - 1;
      if (((i - start_of(entries_[i].hash())) & mask) < ((i - gap) & mask))
        continue;  // the gap lies before its start
      entries_[gap] = entries_[i];
      gap = i;
    }
    entries_[gap] = {};
  }

  /// Frees all entries.
  void clear() noexcept { entries_.clear(); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.entries_); }

 private:
  [[nodiscard]] static constexpr std::size_t entry_count(std::size_t capacity) noexcept {
    return std::bit_ceil(2 * capacity);
  }

  ZeroedArray<Entry> entries_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
