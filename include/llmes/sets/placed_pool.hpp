// SPDX-License-Identifier: MIT
//
// A pool that is its own index: the id of an order gives its slot. That saves a cache miss over many books.
//
// The slots are a hash table: buckets of seven, with a word of tags each (see tag_word.hpp). Four consecutive ids
// belong to one bucket, the next four to the next: the newest orders, most of which leave soon, are adjacent, and
// the hardware prefetches lines of new ones. A full pool uses four of seven slots, so few orders go further.
//
// The tag of an id tells how often ids have gone round all buckets, and which of the four it is. So tags in a
// bucket differ within 32 rounds, and the search for a new id reads no slot.
//
// Invariants:
//  I1  as in order_pool.hpp. An order keeps its slot, and a slot its id, until the order leaves;
//  I2  the tag of a slot is that of the id of the order in it, or `free` if there is none;
//  I3  an order whose bucket was full lives in the first later one that had room, and is a pass in those before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/tag_word.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For ids from one growing sequence, with gaps. A call is constant on average, and linear in the orders of a
/// bucket. These are many only if many ids are equal modulo four times the number of buckets. That number is about
/// a quarter of the capacity, odd and no multiple of 5.
class PlacedPool : public OrderSlots {
 public:
  /// The largest capacity of a pool that has `anchor_count` anchors as well.
  [[nodiscard]] static constexpr std::size_t capacity_max(std::size_t anchor_count) noexcept {
    return (std::numeric_limits<SlotIndex>::max() - anchor_count) / bucket_slots * bucket_orders - 16;
  }
  /// The memory of so many anchors and orders: 58 bytes an order.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t anchor_count,
                                                          std::size_t capacity) noexcept {
    return slots_for(anchor_count, capacity) * sizeof(OrderSlot) + bucket_count(capacity) * sizeof(Tags);
  }
  [[nodiscard]] static constexpr std::size_t slots_for(std::size_t anchor_count, std::size_t capacity) noexcept {
    return anchor_count + bucket_count(capacity) * bucket_slots;
  }

  /// A pool with no slots.
  PlacedPool() noexcept = default;

  /// Allocates what `capacity` (1 to `capacity_max`) orders and `anchor_count` anchors need.
  PlacedPool(std::size_t anchor_count, std::size_t capacity) noexcept
      : OrderSlots(anchor_count, bucket_count(capacity) * bucket_slots, capacity),
        tags_(bucket_count(capacity)),
        first_order_(static_cast<SlotIndex>(anchor_count)),
        step_(std::numeric_limits<std::uint64_t>::max() / bucket_count(capacity) + 1) {
    if (!tags_.allocated()) *this = PlacedPool();
  }

  [[nodiscard]] bool full() const noexcept { return live_count_ == capacity_; }

  /// Acquires a slot for an order of this id; the pool must not be full. The caller fills in everything but the
  /// generation. Out of line, as `release` is, to keep the loops that apply requests small.
  [[gnu::noinline]] SlotIndex acquire(OrderId id) noexcept {
    const Key key = key_of(id);
    std::size_t at = key.bucket;
    while (tags_[at].with(Tags::free) == 0) [[unlikely]] {
      tags_[at].count_pass();
      at = after(at);
    }
    const std::size_t entry = Tags::first(tags_[at].with(Tags::free));
    tags_[at].set(entry, key.tag);
    const SlotIndex index = slot(at, entry);
    ++slots_[index].generation;
    ++live_count_;
    return index;
  }

  /// Releases the slot of an order. The order's handle is stale from here on.
  [[gnu::noinline]] void release(SlotIndex index) noexcept {
    OrderSlot& order = slots_[index];
    ++order.generation;
    --live_count_;
    std::size_t at = key_of(order.id).bucket;
    while (index - slot(at, 0) >= bucket_slots) [[unlikely]] {
      tags_[at].uncount_pass();
      at = after(at);
    }
    tags_[at].clear(index - slot(at, 0));
  }

  /// The handle of an order of this id, if one rests; else one that names nothing.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_of(OrderId id) const noexcept {
    const Key key = key_of(id);
    std::size_t at = key.bucket;
    do {
      for (std::uint64_t found = tags_[at].with(key.tag); found != 0; found &= found - 1) {
        const SlotIndex index = slot(at, Tags::first(found));
        if (lives_at(index, id)) [[likely]]  // and not a comparison of handles: GCC stores one to memory in halves
          return handle(index);
      }
      if (!tags_[at].was_passed()) [[likely]]
        return {};
      at = after(at);
    } while (at != key.bucket);
    return {};
  }

  /// Hints. The first fetches what says where the order of an id is, which the others read: the slot in which it
  /// lives, as a rule; and the slot that it would take, with the next ones, as other new orders may come before.
  [[gnu::always_inline]] void prefetch_tags(OrderId id) const noexcept {
    __builtin_prefetch(&tags_[key_of(id).bucket], 1);
  }
  [[nodiscard, gnu::always_inline]] SlotIndex likely_slot(OrderId id) const noexcept {
    const Key key = key_of(id);
    return slot(key.bucket, Tags::first(tags_[key.bucket].with(key.tag) | Tags::last));
  }
  [[gnu::always_inline]] void prefetch_free(OrderId id) const noexcept {
    const std::size_t bucket = key_of(id).bucket;
    const SlotIndex first = slot(bucket, Tags::first(tags_[bucket].with(Tags::free) | Tags::last));
    for (SlotIndex entry = 0; entry < 6; entry += 2) prefetch_early(first + entry);
  }
  /// A hint that reads nothing: fetches all slots in which the order of an id most likely lives.
  [[gnu::always_inline]] void prefetch_bucket(OrderId id) const noexcept {
    const SlotIndex first = slot(key_of(id).bucket, 0);
    for (SlotIndex entry = 0; entry < bucket_slots; entry += 2) prefetch(first + entry);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.slots_, self.tags_, self.live_count_); }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  static constexpr std::size_t bucket_slots = 7;
  static constexpr std::size_t bucket_orders = 4;  ///< with a pool that is full; and so many ids have one bucket
  using Tags = TagWord<bucket_slots>;

  /// Ids often come in steps of round numbers, so the number of buckets has no factor in common with 10.
  [[nodiscard]] static constexpr std::size_t bucket_count(std::size_t capacity) noexcept {
    std::size_t count = (capacity + bucket_orders - 1) / bucket_orders;
    while (count % 2 == 0 || count % 5 == 0) ++count;
    return count;
  }

  struct Key {
    std::size_t bucket;
    std::uint64_t tag;  ///< 128 to 255
  };
  [[nodiscard, gnu::always_inline]] Key key_of(OrderId id) const noexcept {
    // A quarter of the id divided by the number of buckets: the round, and a fraction in 64 bits. That times the
    // number is the remainder, if the id is not too large.
    __extension__ using Product = unsigned __int128;
    const Product quotient = Product{id / bucket_orders} * step_;
    const auto round = static_cast<std::uint64_t>(quotient >> 64);
    const Product remainder = Product{static_cast<std::uint64_t>(quotient)} * tags_.size();
    return {static_cast<std::size_t>(remainder >> 64), 128 | (round * bucket_orders | id % bucket_orders) % 128};
  }
  [[nodiscard]] SlotIndex slot(std::size_t bucket, std::size_t entry) const noexcept {
    return first_order_ + static_cast<SlotIndex>(bucket * bucket_slots + entry);
  }
  [[nodiscard]] std::size_t after(std::size_t bucket) const noexcept {
    return bucket + 1 == tags_.size() ? 0 : bucket + 1;
  }

  ZeroedArray<Tags> tags_;  ///< by bucket
  SlotIndex first_order_ = 0;
  std::uint64_t step_ = 0;  ///< 2^64 by the number of buckets, rounded up
};

}  // namespace llmes::inline LLMES_NAMESPACE
