// SPDX-License-Identifier: MIT
//
// One word of a hash table: a tag, 8 bits that tell its key from others, for each of up to seven entries of a
// bucket. All tags are compared at once, so a search has no loop whose exit mispredicts. The bits above the tags
// count the entries that found the bucket full and went to the next one, so searches know when to follow: the
// overflow counts of F14, an open source hash table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <std::size_t Entries>
class TagWord {
  static_assert(0 < Entries && Entries < 8);

 public:
  /// The last entry, as `with` gives it.
  static constexpr std::uint64_t last = std::uint64_t{1} << (8 * Entries - 1);

  /// A tag is 1 to 255; this is that of an entry that is free.
  static constexpr std::uint64_t free = 0;

  /// The entries with this tag, as the top bits of their bytes. It may also have one whose tag differs in the last
  /// bit only, above one that has the tag.
  [[nodiscard, gnu::always_inline]] std::uint64_t with(std::uint64_t tag) const noexcept {
    const std::uint64_t different = word_ ^ tag * ones;
    return (different - ones) & ~different & ones << 7;
  }
  /// Whether an entry has this tag.
  [[nodiscard]] bool has(std::size_t entry, std::uint64_t tag) const noexcept {
    return (word_ >> 8 * entry & 0xff) == tag;
  }
  /// The number of the first of some entries.
  [[nodiscard, gnu::always_inline]] static std::size_t first(std::uint64_t found) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
  }

  /// Gives an entry that is free a tag, or frees it.
  void set(std::size_t entry, std::uint64_t tag) noexcept { word_ |= tag << 8 * entry; }
  void clear(std::size_t entry) noexcept { word_ &= ~(std::uint64_t{0xff} << 8 * entry); }

  /// Whether an entry that belongs here may be in a later bucket. A count that reaches its maximum stays there:
  /// searches then look at the next bucket without need, and still find every entry.
  [[nodiscard]] bool was_passed() const noexcept { return word_ >= one_pass; }
  void count_pass() noexcept { word_ += word_ < most_passes ? one_pass : 0; }
  void uncount_pass() noexcept { word_ -= word_ < most_passes ? one_pass : 0; }

 private:
  friend struct BookInspector;
  friend struct IdInspector;

  static constexpr std::uint64_t one_pass = std::uint64_t{1} << 8 * Entries;
  static constexpr std::uint64_t ones = 0x0101'0101'0101'0101 & (one_pass - 1);
  static constexpr std::uint64_t most_passes = ~std::uint64_t{0} << 8 * Entries;

  std::uint64_t word_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
