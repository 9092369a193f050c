// SPDX-License-Identifier: MIT
//
// One side of a wide book: a level has an anchor only while orders rest on it. In a wide band nearly every level
// is empty, so the first order on a level would be a cache miss. A new level takes the anchor freed last, which is
// still in the caches. A small hash table leads from a price to its anchor; the tree tells first whether there is
// one. So memory grows with the levels in use, not with the band.
//
// Invariants:
//  I1  in the `id` of a level's anchor the lower half is the side times N plus the rank; the upper half is the
//      next anchor of its chain;
//  I2  the chain of a hash has the anchors of all levels of that hash, youngest first. The link of the last one
//      means nothing: only anchors of levels in the tree are looked up;
//  I3  the unused anchors of a side are a list, last in, first out, linked through `next`. It never runs out: a
//      level in use has an order of its own, and there are as many anchors as orders, or as prices.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/ranked_side.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <std::size_t N>
class WideSideBook : public RankedSide<N> {
 public:
  [[nodiscard]] static OrderPool pool(std::size_t capacity) noexcept {
    return {2 * anchor_count(capacity), capacity};
  }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return slots_for(capacity) * sizeof(OrderSlot) + 2 * chain_count(capacity) * sizeof(SlotIndex);
  }
  [[nodiscard]] static constexpr std::size_t slots_for(std::size_t capacity) noexcept {
    return 2 * anchor_count(capacity) + capacity;
  }
  static constexpr bool has_cold_levels = false;

  [[nodiscard]] bool prepare(OrderPool& pool, Side side, std::size_t capacity) noexcept {
    chains_ = ZeroedArray<SlotIndex>(chain_count(capacity));
    if (!chains_.allocated()) return false;
    const std::size_t count = anchor_count(capacity);
    free_ = static_cast<SlotIndex>(static_cast<std::size_t>(side) * count);
    for (std::size_t i = free_; i < free_ + count; ++i) {
      pool[static_cast<SlotIndex>(i)].next_free() = static_cast<SlotIndex>(i + 1);
    }
    return true;
  }

  /// The anchor of a level in use. Constant on average, as prices in use are near each other.
  [[nodiscard, gnu::always_inline]] SlotIndex anchor(const OrderPool& pool, Side,
                                                     std::size_t rank) const noexcept {
    SlotIndex at = chains_[chain(rank)];
    while (rank_of(pool, at) != rank) [[unlikely]]
      at = follower(pool[at]);
    return at;
  }
  [[nodiscard]] static Side side_of(const OrderPool& pool, SlotIndex anchor) noexcept {
    return static_cast<Side>(static_cast<std::uint32_t>(pool[anchor].rank()) / N);
  }
  [[nodiscard]] static std::size_t rank_of(const OrderPool& pool, SlotIndex anchor) noexcept {
    return pool[anchor].rank() % N;
  }

  [[nodiscard, gnu::always_inline]] bool has_room(OrderPool& pool, Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) const noexcept {
    return !this->occupied(pool, rank) || PriceLevel(pool, anchor(pool, side, rank)).has_room(quantity, leaving);
  }

  [[gnu::always_inline]] void push_back(OrderPool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (this->occupied(pool, rank)) return PriceLevel(pool, anchor(pool, side, rank)).push_back(index);
    const SlotIndex anchor = free_;
    free_ = pool[anchor].next_free();
    pool[anchor] = OrderSlot::empty_anchor(anchor);
    enchain(pool, side, rank, anchor);
    this->occupied_.insert(rank);
    PriceLevel(pool, anchor).push_back(index);
  }

  [[gnu::always_inline]] void retire_if_empty(OrderPool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    const std::size_t rank = rank_of(pool, level.anchor());
    this->occupied_.clear_if(rank, true);
    release_anchor(pool, rank, level.anchor());
  }
  [[gnu::always_inline]] std::size_t pop_best(OrderPool& pool, std::size_t rank, PriceLevel level) noexcept {
    release_anchor(pool, rank, level.anchor());
    return this->occupied_.pop_first_of_sparse(rank);
  }

  /// Linear in the band.
  void shift_ranks(OrderPool& pool, Side side, std::size_t shift) noexcept {
    this->shift_occupied(shift, [&](std::size_t from, std::size_t to) {
      const SlotIndex moved = anchor(pool, side, from);
      unchain(pool, from, moved);
      enchain(pool, side, to, moved);
    });
  }

 private:
  friend struct BookInspector;

  /// The number of anchors of a side.
  [[nodiscard]] static constexpr std::size_t anchor_count(std::size_t capacity) noexcept {
    return std::min(N, capacity);
  }
  /// At least twice the levels in use, so that most have a chain of their own. The hash is the lowest bits of the
  /// rank, so neighbouring prices never share a chain.
  [[nodiscard]] static constexpr std::size_t chain_count(std::size_t capacity) noexcept {
    return std::bit_ceil(2 * anchor_count(capacity));
  }

  [[nodiscard]] std::size_t chain(std::size_t rank) const noexcept { return rank & (chains_.size() - 1); }
  [[nodiscard]] static SlotIndex follower(const OrderSlot& anchor) noexcept {
    return static_cast<SlotIndex>(anchor.rank() >> 32);
  }

  [[gnu::always_inline]] void enchain(OrderPool& pool, Side side, std::size_t rank, SlotIndex anchor) noexcept {
    SlotIndex& first = chains_[chain(rank)];
    pool[anchor].rank() = std::uint64_t{first} << 32 | (static_cast<std::size_t>(side) * N + rank);
    first = anchor;
  }
  [[gnu::always_inline]] void unchain(OrderPool& pool, std::size_t rank, SlotIndex anchor) noexcept {
    SlotIndex& first = chains_[chain(rank)];
    if (first == anchor) [[likely]] {
      first = follower(pool[anchor]);
      return;
    }
    SlotIndex at = first;
    while (follower(pool[at]) != anchor) at = follower(pool[at]);
    OrderSlot& before = pool[at];
    before.rank() = std::uint64_t{follower(pool[anchor])} << 32 | static_cast<std::uint32_t>(before.rank());
  }

  [[gnu::always_inline]] void release_anchor(OrderPool& pool, std::size_t rank, SlotIndex anchor) noexcept {
    unchain(pool, rank, anchor);
    pool[anchor].next_free() = free_;
    free_ = anchor;
  }

  ZeroedArray<SlotIndex> chains_;  ///< the first anchor of each
  SlotIndex free_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
