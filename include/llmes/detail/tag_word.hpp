// SPDX-License-Identifier: MIT
//
// One word of a hash table: 8-bit tags for up to seven entries of a bucket, which tell most keys apart. All tags
// are compared at once, so a search has no loop whose exit mispredicts. The bits above the tags count entries that
// found the bucket full and went to the next one. A search goes on only if there are any. The same is in F14.
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

  /// The tag of a free entry; other tags are 1 to 255.
  static constexpr std::uint64_t free = 0;

  /// The entries with this tag, as the top bits of their bytes. It may add a false positive: an entry above a
  /// match, whose tag differs in the last bit only.
  [[nodiscard, gnu::always_inline]] std::uint64_t with(std::uint64_t tag) const noexcept {
    const std::uint64_t different = word_ ^ tag * ones;
    return (different - ones) & ~different & ones << 7;
  }
  /// Whether an entry has this tag.
  [[nodiscard]] bool has(std::size_t entry, std::uint64_t tag) const noexcept {
    return (word_ >> 8 * entry & 0xff) == tag;
  }
  /// The number of the first entry in `found`.
  [[nodiscard, gnu::always_inline]] static std::size_t first(std::uint64_t found) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
  }

  /// Whether all entries are free.
  [[nodiscard]] bool empty() const noexcept { return (word_ & (one_pass - 1)) == 0; }

  /// Gives a free entry a tag; `clear` frees it.
  void set(std::size_t entry, std::uint64_t tag) noexcept { word_ |= tag << 8 * entry; }
  void clear(std::size_t entry) noexcept { word_ &= ~(std::uint64_t{0xff} << 8 * entry); }

  /// Whether an entry of this bucket may be in a later one. A count stays at its maximum once there: searches then
  /// probe the next bucket without need, and still find every entry.
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
