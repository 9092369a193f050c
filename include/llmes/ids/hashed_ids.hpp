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

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/tag_word.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For any ids: a table of what rests, in buckets of six entries. A bucket is half a cache line, and its tags (see
/// tag_word.hpp) are compared at once: the ends of linear probing mispredict, which cost more than the rest. An
/// entry that finds its bucket full goes to the next one. A search is constant on average, also for ids with a
/// pattern; linear in the capacity only for ids that were chosen to collide (see `hash_of`).
///
/// The slot of an order is kept under further bits of the hash of its id. Read for another id with the same tag,
/// it is as a rule no slot, which the caller denies without a cache miss at the order of another id.
class HashedIds {
 public:
  struct Config {};

  static constexpr bool forgets = true;

  /// Makes an empty index; all its memory is allocated and touched here, 16 bytes an order and up to 32 more.
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
    const Key key = key_of(id);
    std::size_t at = key.bucket;
    while (true) {
      const Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.tags.with(key.tag); found != 0; found &= found - 1) {
        const SlotIndex slot = bucket.slots[Tags::first(found)] ^ key.cover;
        if (matches(slot)) [[likely]]
          return slot;
      }
      if (!bucket.tags.was_passed()) [[likely]]
        return OrderPool::none;
      at = after(at);
      if (at == key.bucket) return OrderPool::none;
    }
  }

  /// Whether one look at its bucket shows that no order of this id rests. It does for nearly all ids that are new.
  [[nodiscard, gnu::always_inline]] bool lacks(OrderId id) const noexcept {
    const Key key = key_of(id);
    const Tags& tags = buckets_[key.bucket].tags;
    return tags.with(key.tag) == 0 && !tags.was_passed();
  }

  // More than one look at the first bucket is out of line: inline it would spill registers of the call.

  [[gnu::always_inline]] void insert(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    Bucket& first = buckets_[key.bucket];
    if (first.tags.with(Tags::free) == 0) [[unlikely]]
      return insert_later(id, slot);
    first.put(key, slot);
  }

  /// Forgets an order whose entry is there. The whole tag must agree, since another slot may read the same for
  /// another id. Where the tags agree too, either of the two entries serves both ids.
  [[gnu::always_inline]] void erase(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    Bucket& first = buckets_[key.bucket];
    const std::size_t entry = Tags::first(first.tags.with(key.tag) | Tags::last);
    if (!first.has(entry, key, slot)) [[unlikely]]
      return search_and_erase(id, slot);
    first.tags.clear(entry);
  }

  void clear() noexcept { buckets_.clear(); }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
    __builtin_prefetch(&buckets_[key_of(id).bucket], 1);
  }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept {
    const Key key = key_of(id);
    const Bucket& bucket = buckets_[key.bucket];
    const std::uint64_t found = bucket.tags.with(key.tag);
    // 0 if there is none: its line is warm. Without a branch, which would mispredict.
    const SlotIndex mask = SlotIndex{0} - SlotIndex{found != 0};
    return (bucket.slots[Tags::first(found | Tags::last)] ^ key.cover) & mask;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size_bytes(); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.buckets_);
  }

 private:
  friend struct ImageCheck;
  friend struct IdInspector;

  using Tags = TagWord<6>;

  struct Key {
    std::size_t bucket;  ///< the bucket where a search begins
    std::uint64_t tag;   ///< 1 to 255
    SlotIndex cover;     ///< what lies over the slot; none of its bits has a part in the tag
  };

  struct alignas(32) Bucket {
    Tags tags;
    std::array<SlotIndex, 6> slots;

    [[nodiscard, gnu::always_inline]] bool has(std::size_t entry, const Key& key, SlotIndex slot) const noexcept {
      return (slots[entry] ^ key.cover) == slot && tags.has(entry, key.tag);
    }
    /// Makes an entry; one must be free.
    [[gnu::always_inline]] void put(const Key& key, SlotIndex slot) noexcept {
      const std::size_t entry = Tags::first(tags.with(Tags::free));
      tags.set(entry, key.tag);
      slots[entry] = slot ^ key.cover;
    }
  };

  /// Makes an entry in the first bucket that has room.
  [[gnu::noinline]] void insert_later(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    std::size_t at = key.bucket;
    while (buckets_[at].tags.with(Tags::free) == 0) {
      buckets_[at].tags.count_pass();
      at = after(at);
    }
    buckets_[at].put(key, slot);
  }

  /// Forgets an entry, whichever and wherever it is.
  [[gnu::noinline]] void search_and_erase(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    for (std::size_t at = key.bucket;; at = after(at)) {
      Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.tags.with(key.tag); found != 0; found &= found - 1) {
        const std::size_t entry = Tags::first(found);
        if (bucket.has(entry, key, slot)) return bucket.tags.clear(entry);
      }
      bucket.tags.uncount_pass();
    }
  }

  /// With two orders to a bucket on average few find theirs full; with three, one search in eight goes on.
  explicit HashedIds(std::size_t capacity) noexcept : buckets_(capacity / 2 + 1) {}

  [[nodiscard, gnu::always_inline]] Key key_of(OrderId id) const noexcept {
    const std::uint64_t hash = hash_of(id);
    return {(hash >> 32) * buckets_.size() >> 32, std::max<std::uint64_t>(hash >> 24 & 0xff, 1),
            static_cast<SlotIndex>(hash << 8)};
  }
  [[nodiscard]] std::size_t after(std::size_t bucket) const noexcept {
    return bucket + 1 == buckets_.size() ? 0 : bucket + 1;
  }

  ZeroedArray<Bucket> buckets_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
