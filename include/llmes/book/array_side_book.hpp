// SPDX-License-Identifier: MIT
//
// One side of the book with an anchor for each price of the band: index arithmetic leads from a price to its level
// and back. Bids have their anchors in slots [0, N) of the pool, asks in [N, 2N).
//
// The other kinds of side have the members of this one and of `RankedSide`, and document only what differs.
#pragma once

#include <cstddef>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/ranked_side.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <std::size_t N>
class ArraySideBook : public RankedSide<N> {
 public:
  /// The pool of a book, and the bytes that its sides own beside themselves.
  [[nodiscard]] static OrderPool pool(std::size_t capacity) noexcept { return {2 * N, capacity}; }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return slots_for(capacity) * sizeof(OrderSlot);
  }
  [[nodiscard]] static constexpr std::size_t slots_for(std::size_t capacity) noexcept { return 2 * N + capacity; }
  /// Whether most accesses to a level are cache misses, so that prefetching it gains.
  static constexpr bool has_cold_levels = N >= 65'536;

  /// Second step of creation, once the pool exists. False if memory runs out.
  [[nodiscard]] static constexpr bool prepare(OrderPool&, Side, std::size_t /*capacity*/) noexcept { return true; }

  [[nodiscard]] static constexpr SlotIndex anchor(const OrderPool&, Side side, std::size_t rank) noexcept {
    return cell_of(side, rank);
  }
  [[nodiscard]] static constexpr Side side_of(const OrderPool&, SlotIndex anchor) noexcept {
    return static_cast<Side>(anchor / N);
  }
  [[nodiscard]] static constexpr std::size_t rank_of(const OrderPool&, SlotIndex anchor) noexcept {
    return anchor % N;
  }

  /// Whether the total of a level can grow by `quantity` once `leaving` lots of it are gone.
  [[nodiscard, gnu::always_inline]] static bool has_room(OrderPool& pool, Side side, std::size_t rank,
                                                         Quantity quantity, Quantity leaving = 0) noexcept {
    return PriceLevel(pool, anchor(pool, side, rank)).has_room(quantity, leaving);
  }

  /// Appends the order in slot `index` to the level of `rank`.
  [[gnu::always_inline]] void push_back(OrderPool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    push_back_at(pool, cell_of(side, rank), rank, index);
  }

  /// The cell of a level: here its anchor.
  [[nodiscard]] static constexpr SlotIndex cell_of(Side side, std::size_t rank) noexcept {
    return static_cast<SlotIndex>(static_cast<std::size_t>(side) * N + rank);
  }
  [[nodiscard]] static constexpr bool is_at_hand(const OrderPool&, SlotIndex, std::size_t) noexcept {
    return true;
  }
  [[gnu::always_inline]] void push_back_at(OrderPool& pool, SlotIndex anchor, std::size_t rank,
                                           SlotIndex index) noexcept {
    PriceLevel(pool, anchor).push_back(index);
    this->occupied_.insert(rank);
  }

  /// Retires `level`, whose orders may have left, if it has become empty.
  [[gnu::always_inline]] void retire_if_empty(const OrderPool& pool, PriceLevel level) noexcept {
    this->occupied_.clear_if(rank_of(pool, level.anchor()), level.empty());
  }
  /// Detaches all orders of `level`, the best one. They stay linked, up to its anchor.
  /// @return the next best rank, or `rank_count` if there is none.
  [[gnu::always_inline]] std::size_t pop_best(const OrderPool&, std::size_t rank, PriceLevel level) noexcept {
    level.clear();
    return this->occupied_.pop_first(rank);
  }

  /// Adds `shift`, modulo 2^64, to the rank of every level. All must stay in the band. Linear in band and orders.
  void shift_ranks(OrderPool& pool, Side side, std::size_t shift) noexcept {
    this->shift_occupied(shift, [&](std::size_t from, std::size_t to) {
      PriceLevel(pool, anchor(pool, side, from)).move_to(anchor(pool, side, to));
    });
  }

  /// Hint: starts loading what an order that comes to `rank` will touch.
  [[gnu::always_inline]] void prefetch(const OrderPool& pool, Side side, std::size_t rank) const noexcept {
    pool.prefetch(anchor(pool, side, rank));
    this->occupied_.prefetch(rank);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
