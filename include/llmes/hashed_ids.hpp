// SPDX-License-Identifier: MIT
//
// An index for any ids: a hash table. What an index is: id_index.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "llmes/mixed.hpp"
#include "llmes/order_pool.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"
#include "llmes/zeroed_array.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For any ids: a table of what rests, in buckets of six entries. A bucket is half a cache line and has a tag, 8
/// bits of its hash, for each entry. All tags are compared at once, so a search has no loop whose end nobody can
/// predict: with plain linear probing that cost more than the rest of the index. An entry that finds its bucket
/// full goes to the next one, and the bucket counts how many have gone by, so that searches know when to follow:
/// the counts of F14, an open source hash table. A search takes constant time on average, also for ids that follow
/// a pattern; it is linear in the capacity only for ids that were chosen to collide (see `mixed`).
class HashedIds {
 public:
  struct Config {};

  static constexpr bool forgets = true;

  /// Makes an empty index; all its memory is allocated and touched here, 11 bytes for each order of `capacity`,
  /// and 32 at least.
  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<HashedIds> create(const Config& /*config*/, std::size_t capacity,
                                                       CreateStatus& status) noexcept {
    if (capacity == 0 || capacity > OrderPool::capacity_max(1)) {
      status = CreateStatus::InvalidCapacity;
      return {};
    }
    std::optional<HashedIds> index{HashedIds(capacity)};
    status = index->buckets_.allocated() ? CreateStatus::Success : CreateStatus::OutOfMemory;
    if (!index->buckets_.allocated()) index.reset();
    return index;
  }

  /// Always: there is an entry for each order that can rest.
  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }

  template <std::predicate<SlotIndex> Matches>
  [[nodiscard, gnu::always_inline]] SlotIndex find(OrderId id, const Matches& matches) const noexcept {
    const Hash hash = hash_of(id);
    std::size_t at = hash.home;
    while (true) {
      const Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.with(hash.tag); found != 0; found &= found - 1) {
        const SlotIndex slot = bucket.slots[place(found)];
        if (matches(slot)) [[likely]]
          return slot;
      }
      if (!bucket.was_passed()) [[likely]]
        return OrderPool::none;
      at = after(at);
      if (at == hash.home) return OrderPool::none;
    }
  }

  [[gnu::always_inline]] void insert(OrderId id, SlotIndex slot) noexcept {
    const Hash hash = hash_of(id);
    std::size_t at = hash.home;
    while (buckets_[at].with(0) == 0) [[unlikely]] {
      buckets_[at].pass();
      at = after(at);
    }
    const std::size_t free = place(buckets_[at].with(0));
    buckets_[at].word |= hash.tag << 8 * free;
    buckets_[at].slots[free] = slot;
  }

  /// Forgets an order whose entry is there.
  [[gnu::always_inline]] void erase(OrderId id, SlotIndex slot) noexcept {
    const Hash hash = hash_of(id);
    for (std::size_t at = hash.home;; at = after(at)) {
      Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.with(hash.tag); found != 0; found &= found - 1) {
        const std::size_t entry = place(found);
        if (bucket.slots[entry] != slot) [[unlikely]]
          continue;
        bucket.word &= ~(std::uint64_t{0xff} << 8 * entry);
        return;
      }
      bucket.take_back_pass();
    }
  }

  void clear() noexcept { buckets_.clear(); }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
    __builtin_prefetch(&buckets_[hash_of(id).home], 1);
  }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept {
    const Hash hash = hash_of(id);
    const Bucket& bucket = buckets_[hash.home];
    return bucket.slots[place(bucket.with(hash.tag) | Bucket::last_place)];
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size_bytes(); }

  /// Its state, part by part, for an image (see engine/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.buckets_);
  }

 private:
  friend struct IdInspector;

  struct Hash {
    std::size_t home;   ///< the bucket where a search begins
    std::uint64_t tag;  ///< 1 to 255; 0 is a free entry
  };

  /// The lower six bytes of `word` are the tags. The upper two count the entries that found the bucket full and
  /// went on. A count that reaches its largest number stays there: searches then go on in vain, and find what
  /// there is.
  struct alignas(32) Bucket {
    static constexpr std::uint64_t one_pass = std::uint64_t{1} << 48;
    static constexpr std::uint64_t most_passes = std::uint64_t{0xffff} << 48;
    static constexpr std::uint64_t last_place = std::uint64_t{1} << 47;

    std::uint64_t word;
    std::array<SlotIndex, 6> slots;

    [[nodiscard]] bool was_passed() const noexcept { return word >= one_pass; }
    void pass() noexcept { word += word < most_passes ? one_pass : 0; }
    void take_back_pass() noexcept { word -= word < most_passes ? one_pass : 0; }

    /// The entries with this tag, as the top bits of their bytes. It may also have one whose tag differs in the
    /// last bit only, above one that has the tag.
    [[nodiscard]] std::uint64_t with(std::uint64_t tag) const noexcept {
      constexpr std::uint64_t ones = 0x0000'0101'0101'0101;
      const std::uint64_t different = word ^ tag * ones;
      return (different - ones) & ~different & ones << 7;
    }
  };

  explicit HashedIds(std::size_t capacity) noexcept : buckets_(capacity / 3 + 1) {}

  [[nodiscard, gnu::always_inline]] Hash hash_of(OrderId id) const noexcept {
    const std::uint64_t mix = mixed(id);
    return {(mix >> 32) * buckets_.size() >> 32, std::max<std::uint64_t>(mix >> 24 & 0xff, 1)};
  }
  [[nodiscard]] std::size_t after(std::size_t bucket) const noexcept {
    return bucket + 1 == buckets_.size() ? 0 : bucket + 1;
  }
  /// The first of some entries of a bucket.
  [[nodiscard]] static std::size_t place(std::uint64_t found) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
  }

  ZeroedArray<Bucket> buckets_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
