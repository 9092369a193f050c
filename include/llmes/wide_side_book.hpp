// SPDX-License-Identifier: MIT
//
// One side of a wide book: a level has an anchor only while orders rest on it. In a band of tens of thousands of
// prices nearly every level is empty, and one that comes alive is met cold. Here it takes the anchor that was
// given back last, which is still in the caches. So the hot memory is that of the levels in use, not of the band.
// A price takes 4 bytes of a table instead of a slot.
//
// Invariants:
//  I1  for a rank in the tree, `anchors_` has the anchor of its level, whose `id` is the side times N plus the
//  rank. Of
//      any other rank the entry means nothing: it is not read before it is written;
//  I2  the anchors of a side that no level uses are a list, last in, first out, linked through `next`. It never
//  runs out:
//      a level in use has an order of its own, and there are as many anchors as orders, or as prices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "llmes/huge_pages.hpp"
#include "llmes/order_pool.hpp"
#include "llmes/price_level.hpp"
#include "llmes/ranked_side.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many prices the band has.
template <std::size_t N>
class WideSideBook : public RankedSide<N> {
  using RankedSide<N>::occupied_;

 public:
  /// How many anchors a side has, and the memory it takes beside the pool and itself.
  [[nodiscard]] static constexpr std::size_t anchor_count(std::size_t capacity) noexcept {
    return std::min(N, capacity);
  }
  static constexpr std::size_t bytes_beside_pool = N * sizeof(SlotIndex);

  /// Makes an empty side ready, once the pool is there. Returns false if there is too little memory.
  [[nodiscard]] bool prepare(OrderPool& pool, Side side, std::size_t capacity) noexcept {
    anchors_.reset(new (std::nothrow) SlotIndex[N]);
    if (anchors_ == nullptr) return false;
    prefer_huge_pages(std::span(anchors_.get(), N));
    std::fill_n(anchors_.get(), N, SlotIndex{0});  // so that no later call touches a page for the first time
    const std::size_t count = anchor_count(capacity);
    free_ = static_cast<SlotIndex>(static_cast<std::size_t>(side) * count);
    for (std::size_t i = free_; i < free_ + count; ++i) {
      pool[static_cast<SlotIndex>(i)].next = static_cast<SlotIndex>(i + 1);
    }
    return true;
  }

  /// The anchor of a level on which orders rest.
  [[nodiscard]] SlotIndex anchor(Side, std::size_t rank) const noexcept { return anchors_[rank]; }
  [[nodiscard]] static Side side_of(const OrderPool& pool, SlotIndex anchor) noexcept {
    return static_cast<Side>(pool[anchor].id / N);
  }
  [[nodiscard]] static std::size_t rank_of(const OrderPool& pool, SlotIndex anchor) noexcept {
    return pool[anchor].id % N;
  }

  /// Whether the total of a level can grow by `quantity` once `leaving` lots of it are gone.
  [[nodiscard, gnu::always_inline]] bool has_room(OrderPool& pool, Side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) const noexcept {
    return !occupied_.contains(rank) || PriceLevel(pool, anchors_[rank]).has_room(quantity, leaving);
  }

  /// Appends the order in slot `index` to the level of `rank`.
  [[gnu::always_inline]] void push_back(OrderPool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (!occupied_.contains(rank)) {
      const SlotIndex anchor = free_;
      free_ = pool[anchor].next;
      pool[anchor] = {id_of(side, rank), 0, anchor, anchor, 0, 0};
      anchors_[rank] = anchor;
      occupied_.insert(rank);
    }
    PriceLevel(pool, anchors_[rank]).push_back(index);
  }

  /// Gives back the anchor of `level`, whose orders may have left, if it has run empty.
  [[gnu::always_inline]] void retire_if_empty(OrderPool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    occupied_.clear_if(rank_of(pool, level.anchor()), true);
    pool[level.anchor()].next = free_;
    free_ = level.anchor();
  }

  /// Adds `shift`, modulo 2^64, to the rank of every level; all of them must stay in the band. Linear in the
  /// band.
  void shift_ranks(OrderPool& pool, Side side, std::size_t shift) noexcept {
    this->shift_occupied(shift, [&](std::size_t from, std::size_t to) {
      anchors_[to] = anchors_[from];
      pool[anchors_[to]].id = id_of(side, to);
    });
  }

  /// Hint: starts loading what an order that comes to `rank` will touch.
  [[gnu::always_inline]] void prefetch(const OrderPool&, Side, std::size_t rank) const noexcept {
    __builtin_prefetch(anchors_.get() + rank, 1);
    occupied_.prefetch(rank);
  }

 private:
  friend struct BookInspector;

  [[nodiscard]] static constexpr OrderId id_of(Side side, std::size_t rank) noexcept {
    return static_cast<std::size_t>(side) * N + rank;
  }

  std::unique_ptr<SlotIndex[]> anchors_;
  SlotIndex free_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
