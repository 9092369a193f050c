// SPDX-License-Identifier: MIT
//
// A candidate for the side of a book for any price, in which nothing that holds orders moves when prices jump (see
// report/lab/18_any_price.md). The lab has it; the product has window_side_book.hpp.
//
//  - A level has its anchor at its *place*, the rank modulo the number of places, as long as no other level is
//    there; else it is *displaced*, and a small hash table leads to its anchor. It keeps this anchor for as long
//    as orders rest on it.
//  - Which levels are in use is marked in a *window* of N ranks around the touch, bit by bit. The few that lie
//    outside, before it or behind it, are *far*: a sorted tree has their ranks.
//
// Invariants, after every call of the book:
//  I1  the `id` of the anchor of a level in use is its rank; that of an empty place is a rank of this place, or
//      `no_rank`. If a place has a rank for its `id`, the level of this rank is not displaced;
//  I2  a level in use is marked if the window covers it, and in the tree if not;
//  I3  the window has a mark, unless the side is empty. `ahead_` is the best far level, if it is before the
//  window.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/occupancy_tree.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/detail/mixed.hpp"
#include "llmes/detail/probing_table.hpp"

namespace llmes::places {

/// An order pool with places, anchors of displaced levels, and the ranks of far ones. The `generation` of an
/// anchor says its side, by the highest bit.
class PlacePool : public OrderPool {
 public:
  static constexpr SlotIndex no_anchor = std::numeric_limits<SlotIndex>::max();

  PlacePool(std::size_t capacity, std::size_t places) noexcept
      : OrderPool(places + capacity, capacity),
        far_(capacity, 2),
        displaced_(capacity),
        place_count_(static_cast<SlotIndex>(places)),
        free_anchor_(place_count_) {
    if (slot_count() == 0 || !far_.allocated() || !displaced_.allocated()) {
      static_cast<OrderPool&>(*this) = OrderPool();
      return;
    }
    for (SlotIndex i = 0; i < places + capacity; ++i) {
      (*this)[i].id = FarLevels::no_rank;
      if (is_place(i)) {
        (*this)[i].generation = owner(i < places / 2 ? Side::Buy : Side::Sell);
      } else {
        (*this)[i].next = i + 1;
      }
    }
  }

  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity, std::size_t places) noexcept {
    return OrderPool::memory_bytes(places + capacity, capacity) + FarLevels::bytes(capacity, 2) +
           std::bit_ceil(2 * capacity) * sizeof(Displaced);
  }

  [[nodiscard]] FarLevels& far() noexcept { return far_; }
  [[nodiscard]] const FarLevels& far() const noexcept { return far_; }

  [[nodiscard]] bool is_place(SlotIndex anchor) const noexcept { return anchor < place_count_; }
  [[nodiscard]] Side side_of(SlotIndex anchor) const noexcept {
    return static_cast<Side>((*this)[anchor].generation >> 31);
  }
  /// The anchor of a displaced level, or `no_anchor`.
  [[nodiscard, gnu::noinline]] SlotIndex find_displaced(Side side, std::uint64_t rank) const noexcept {
    return displaced_[search({rank, 0, 0, 0, 0, owner(side)})].anchor - 1;
  }
  [[nodiscard]] SlotIndex displace(Side side, std::uint64_t rank) noexcept {
    const SlotIndex anchor = free_anchor_;
    OrderSlot& slot = (*this)[anchor];
    free_anchor_ = slot.next;
    slot = {rank, 0, anchor, anchor, 0, owner(side)};
    displaced_[search(slot)] = {anchor + 1, hash(slot)};
    return anchor;
  }
  void give_back(SlotIndex anchor) noexcept {
    OrderSlot& slot = (*this)[anchor];
    displaced_.free(search(slot));
    slot.next = free_anchor_;
    slot.id = FarLevels::no_rank;
    free_anchor_ = anchor;
  }

 private:
  struct Displaced {
    SlotIndex anchor;  ///< plus 1; 0 if the entry is free
    std::uint32_t of;  ///< the hash of its level

    [[nodiscard]] bool used() const noexcept { return anchor != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return of; }
  };

  [[nodiscard]] static constexpr std::uint32_t owner(Side side) noexcept {
    return static_cast<std::uint32_t>(side) << 31;
  }
  [[nodiscard]] static std::uint32_t hash(const OrderSlot& level) noexcept {
    return static_cast<std::uint32_t>(mixed(level.id ^ std::uint64_t{level.generation} << 32) >> 32);
  }
  [[nodiscard]] std::size_t search(const OrderSlot& level) const noexcept {
    const std::uint32_t of = hash(level);
    return displaced_.search(of, [&](const Displaced& entry) {
      const OrderSlot& other = (*this)[entry.anchor - 1];
      return entry.of == of && other.id == level.id && other.generation == level.generation;
    });
  }

  FarLevels far_;
  ProbingTable<Displaced> displaced_;
  SlotIndex place_count_;
  SlotIndex free_anchor_;
};

/// N: how many ranks the window has.
template <std::size_t N>
class PlaceSideBook {
 public:
  using Pool = PlacePool;

  static constexpr std::size_t rank_count = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t capacity_max = OrderPool::capacity_max(2 * std::size_t{16'384}) / 2;
  /// How many places a side has: for as many levels as orders, so that few are displaced; and no more than that,
  /// so that few orders touch few lines.
  [[nodiscard]] static constexpr std::size_t place_count(std::size_t capacity) noexcept {
    return std::bit_ceil(std::clamp<std::size_t>(8 * std::min<std::size_t>(capacity, 16'384), 64, 16'384));
  }
  static constexpr bool has_band = false;
  static constexpr bool has_cold_levels = false;

  [[nodiscard]] static PlacePool pool(std::size_t capacity) noexcept {
    return {capacity, 2 * place_count(capacity)};
  }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return PlacePool::memory_bytes(capacity, 2 * place_count(capacity));
  }
  [[nodiscard]] bool prepare(PlacePool&, Side side, std::size_t capacity) noexcept {
    side_ = side;
    place_mask_ = place_count(capacity) - 1;
    return true;
  }

  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    const std::size_t mask = static_cast<std::size_t>(side) - 1;
    return (offset ^ mask) + mask;
  }
  [[nodiscard, gnu::always_inline]] bool is_near(std::size_t rank) const noexcept { return covers(rank); }

  [[nodiscard, gnu::always_inline]] std::size_t best() const noexcept {
    const std::size_t found = marks_.first();
    return std::min<std::uint64_t>(ahead_, found == N ? rank_count : begin_ + found);
  }
  [[nodiscard]] std::size_t best_from(const PlacePool& pool, std::size_t rank) const noexcept {
    if (rank < begin_) {
      if (ahead_ != rank_count) {
        const std::uint64_t ahead = pool.far().first_from(far_, rank).rank;
        if (ahead < begin_) return ahead;
      }
      rank = begin_;
    }
    if (covers(rank)) {
      const std::size_t found = marks_.first_from(rank - begin_);
      if (found != N) return begin_ + found;
    }
    return pool.far().first_from(far_, rank).rank;
  }
  [[nodiscard]] std::size_t worst(const PlacePool& pool) const noexcept {
    const std::uint64_t in_window = begin_ + marks_.last();
    return far_.height == 0 ? in_window : std::max(in_window, pool.far().last(far_).rank);
  }
  [[nodiscard]] bool occupied(const PlacePool& pool, std::size_t rank) const noexcept {
    if (covers(rank)) return marks_.contains(rank - begin_);
    const SlotIndex level = anchor(pool, side_, rank);
    return level != PlacePool::no_anchor && pool[level].next != level;
  }
  /// The anchor of a level on which orders rest. Of another rank, the anchor of its place, or `no_anchor`.
  [[nodiscard, gnu::always_inline]] SlotIndex anchor(const PlacePool& pool, Side side,
                                                     std::size_t rank) const noexcept {
    const SlotIndex at = place(side, rank);
    if (pool[at].id == rank) [[likely]]
      return at;
    return pool.find_displaced(side, rank);
  }
  [[nodiscard]] static Side side_of(const PlacePool& pool, SlotIndex anchor) noexcept {
    return pool.side_of(anchor);
  }
  [[nodiscard]] static std::size_t rank_of(const PlacePool& pool, SlotIndex anchor) noexcept {
    return pool[anchor].id;
  }

  [[nodiscard, gnu::always_inline]] bool has_room(PlacePool& pool, Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) const noexcept {
    const SlotIndex at = place(side, rank);
    if (is_at_hand(pool, at, rank)) [[likely]]
      return PriceLevel(pool, at).has_room(quantity, leaving);
    return has_room_elsewhere(pool, side, rank, quantity, leaving);
  }
  [[gnu::always_inline]] void push_back(PlacePool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    const SlotIndex at = place(side, rank);
    if (!is_at_hand(pool, at, rank)) [[unlikely]]
      return push_back_elsewhere(pool, side, rank, index);
    pool[at].id = rank;
    PriceLevel(pool, at).push_back(index);
    marks_.insert(rank - begin_);
  }
  [[gnu::always_inline]] void retire_if_empty(PlacePool& pool, PriceLevel level) noexcept {
    const std::size_t rank = rank_of(pool, level.anchor());
    if (!covers(rank) || !pool.is_place(level.anchor()) || far_.height != 0) [[unlikely]]
      return retire_elsewhere(pool, level);
    marks_.clear_if(rank - begin_, level.empty());
  }
  [[gnu::always_inline]] std::size_t pop_best(PlacePool& pool, std::size_t rank, PriceLevel level) noexcept {
    const std::size_t next = best_from(pool, rank + 1);
    level.clear();
    retire_if_empty(pool, level);
    return next;
  }
  [[gnu::always_inline]] void prefetch(const PlacePool& pool, Side side, std::size_t rank) const noexcept {
    pool.prefetch(place(side, rank));
  }

 private:
  /// So many orders miss the window before it moves; it takes along as many levels at most.
  static constexpr std::size_t misses = 64;

  [[nodiscard]] SlotIndex place(Side side, std::uint64_t rank) const noexcept {
    return static_cast<SlotIndex>((side == Side::Buy ? 0 : place_mask_ + 1) + (rank & place_mask_));
  }
  [[nodiscard]] bool covers(std::uint64_t rank) const noexcept { return rank - begin_ < N; }
  [[nodiscard]] bool no_marks() const noexcept { return marks_.first() == N; }
  /// Whether the level of `rank` can be had at `at`, which is its place, with no more ado than a mark.
  [[nodiscard, gnu::always_inline]] bool is_at_hand(const PlacePool& pool, SlotIndex at,
                                                    std::uint64_t rank) const noexcept {
    if (!covers(rank)) return false;
    if (pool[at].id == rank) [[likely]]
      return true;
    return pool[at].next == at && !marks_.contains(rank - begin_);
  }

  [[nodiscard, gnu::noinline]] bool has_room_elsewhere(PlacePool& pool, Side side, std::uint64_t rank,
                                                       Quantity quantity, Quantity leaving) const noexcept {
    const SlotIndex level = anchor(pool, side, rank);
    return level == PlacePool::no_anchor || PriceLevel(pool, level).has_room(quantity, leaving);
  }
  [[gnu::noinline]] void push_back_elsewhere(PlacePool& pool, Side side, std::uint64_t rank,
                                             SlotIndex index) noexcept {
    SlotIndex level = anchor(pool, side, rank);
    if (level == PlacePool::no_anchor) {
      level = place(side, rank);
      if (pool[level].next == level) {
        pool[level].id = rank;
      } else {
        level = pool.displace(side, rank);
      }
    }
    const bool is_new = pool[level].next == level;
    PriceLevel(pool, level).push_back(index);
    if (!covers(rank)) move_if_worth_it(pool, rank);
    if (!is_new) return;
    if (covers(rank)) {
      marks_.insert(rank - begin_);
    } else {
      pool.far().insert(far_, rank, level);
      if (rank < begin_) ahead_ = std::min(ahead_, rank);
    }
  }
  [[gnu::noinline]] void retire_elsewhere(PlacePool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    const std::uint64_t rank = rank_of(pool, level.anchor());
    if (!pool.is_place(level.anchor())) pool.give_back(level.anchor());
    if (covers(rank)) {
      marks_.clear_if(rank - begin_, true);
      if (far_.height != 0 && no_marks()) move_to(pool, begin_for(pool.far().first(far_).rank));
    } else {
      pool.far().erase(far_, rank);
      find_ahead(pool);
    }
  }

  void move_if_worth_it(PlacePool& pool, std::uint64_t rank) noexcept {
    if (no_marks()) return slide_to(begin_for(rank));
    const std::uint64_t begin = begin_for(std::min<std::uint64_t>(rank, best()));
    if (rank - begin >= N || ++missed_ < misses) return;
    missed_ = 0;
    if (leaving(begin) <= misses) move_to(pool, begin);
  }
  /// How many levels the window leaves behind if it begins at `begin`, or more than it may.
  [[nodiscard]] std::size_t leaving(std::uint64_t begin) const noexcept {
    std::size_t count = 0;
    if (begin >= begin_) return 0;
    const std::uint64_t end = begin + N;
    for (std::size_t at = marks_.first_from(end > begin_ ? end - begin_ : 0); at != N && count <= misses;
         at = marks_.first_from(at + 1)) {
      ++count;
    }
    return count;
  }
  void move_to(PlacePool& pool, std::uint64_t begin) noexcept {
    while (!no_marks() && begin_ + marks_.last() - begin >= N) {
      const std::uint64_t rank = begin_ + marks_.last();
      pool.far().insert(far_, rank, anchor(pool, side_, rank));
      marks_.clear_if(rank - begin_, true);
    }
    slide_to(begin);
    for (std::uint64_t rank = pool.far().first_from(far_, begin).rank; rank != rank_count && covers(rank);
         rank = pool.far().first_from(far_, begin).rank) {
      pool.far().erase(far_, rank);
      marks_.insert(rank - begin_);
    }
    find_ahead(pool);
  }
  void slide_to(std::uint64_t begin) noexcept {
    OccupancyTree<N> slid;
    for (std::size_t at = marks_.first(); at != N; at = marks_.first_from(at + 1)) {
      slid.insert(at + begin_ - begin);
    }
    marks_ = slid;
    begin_ = begin;
  }
  void find_ahead(const PlacePool& pool) noexcept {
    const std::uint64_t first = pool.far().first(far_).rank;
    ahead_ = first < begin_ ? first : rank_count;
  }
  /// Where the window begins so that a quarter of it lies before `rank`, or less near an end of all ranks.
  [[nodiscard]] static std::uint64_t begin_for(std::uint64_t rank) noexcept {
    return std::min(rank - std::min<std::uint64_t>(rank, N / 4), 0 - std::uint64_t{N});
  }

  std::uint64_t begin_ = 0;
  OccupancyTree<N> marks_;
  std::uint64_t ahead_ = rank_count;
  FarLevels::Tree far_;
  std::size_t missed_ = 0;
  std::uint64_t place_mask_ = 0;
  Side side_ = Side::Buy;
};

}  // namespace llmes::places
