// SPDX-License-Identifier: MIT
//
// What rests in a book: its two sides and its orders, how an order comes to rest and how it leaves. It knows
// prices by their ranks: 0 is the best of a side, the highest for bids and the lowest for asks. What a command
// means, and when orders trade, is in matching.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The orders that rest in a book, by side and rank.
template <class SideBookType>
struct RestingOrders {
  using SideBook = SideBookType;

  /// Whether the book belongs to a set, which owns its sides and its pool.
  static constexpr bool is_shared = requires { typename SideBook::Shared; };
  using Sides = std::conditional_t<is_shared, SideBook*, std::array<SideBook, 2>>;

  static constexpr std::size_t rank_count = SideBook::rank_count;
  static constexpr bool has_band = SideBook::has_band;
  /// Of a band.
  static constexpr Price base_price_max =
      std::numeric_limits<Price>::max() - static_cast<Price>(has_band ? rank_count : 0);

  explicit RestingOrders(const BookConfig& config) noexcept
      : base_price(has_band ? config.base_price : std::numeric_limits<Price>::min()),
        quantity_max(config.quantity_max),
        sides{},
        pool(SideBook::pool(config.capacity)) {}
  /// A book of a set. The set also has the state of its rules.
  template <class State>
  RestingOrders(Quantity largest, SideBook* of_set, const typename SideBook::Pool& view, State& /*rules*/) noexcept
    requires(is_shared)
      : base_price(std::numeric_limits<Price>::min()), quantity_max(largest), sides(of_set), pool(view) {}

  /// Second step of creation: false if memory runs out.
  [[nodiscard]] bool prepare(std::size_t capacity) noexcept {
    return pool.slot_count() != 0 && side_book(Side::Buy).prepare(pool, Side::Buy, capacity) &&
           side_book(Side::Sell).prepare(pool, Side::Sell, capacity);
  }

  // ---- Orders that come and go.

  /// Puts a new order on its level. There must be a free slot, and room on the level.
  [[gnu::always_inline]] OrderHandle enqueue(OrderId id, Side side, std::size_t rank, Quantity quantity) noexcept {
    const SlotIndex index = acquire_slot(id, quantity);
    side_book(side).push_back(pool, side, rank, index);
    return pool.handle(index);
  }
  /// The same if the level has room; a side without `is_at_hand` also requires that the level is near.
  /// @return whether it rests now, as `handle`; if not, nothing has changed.
  [[gnu::always_inline]] bool try_enqueue(OrderId id, Side side, std::size_t rank, Quantity quantity,
                                          OrderHandle& handle) noexcept {
    if constexpr (requires { side_book(side).is_at_hand(pool, SlotIndex{}, rank); }) {
      // One lookup serves the cell of a level and its room.
      const SlotIndex anchor = side_book(side).cell_of(side, rank);
      if (!side_book(side).is_at_hand(pool, anchor, rank)) [[unlikely]]
        return try_enqueue_elsewhere(id, side, rank, quantity, handle);
      if (!PriceLevel(pool, anchor).has_room(quantity)) [[unlikely]]
        return false;
      const SlotIndex index = acquire_slot(id, quantity);
      side_book(side).push_back_at(pool, anchor, rank, index);
      handle = pool.handle(index);
    } else {
      if (!is_near(side, rank) || !has_room(side, rank, quantity)) [[unlikely]]
        return false;
      handle = enqueue(id, side, rank, quantity);
    }
    return true;
  }
  /// The same for a level that is not at hand.
  [[gnu::noinline]] bool try_enqueue_elsewhere(OrderId id, Side side, std::size_t rank, Quantity quantity,
                                               OrderHandle& handle) noexcept {
    if (!has_room(side, rank, quantity)) return false;
    handle = enqueue(id, side, rank, quantity);
    return true;
  }
  /// Acquires a slot for an order that is on no level yet.
  [[nodiscard, gnu::always_inline]] SlotIndex acquire_slot(OrderId id, Quantity quantity) noexcept {
    const SlotIndex index = pool.acquire(id);
    OrderSlot& order = pool[index];
    order.id = id;
    order.quantity = quantity;
    return index;
  }

  /// Removes the order in slot `index` from its level; the order keeps its slot.
  [[gnu::always_inline]] void unlink(SlotIndex index) noexcept {
    PriceLevel level(pool, pool[index].level);
    level.erase(index);
    side_book(SideBook::side_of(pool, level.anchor())).retire_if_empty(pool, level);
  }

  /// What is before an order that rests in the queue of its level. Linear in the orders before it.
  [[nodiscard]] QueuePosition ahead_of(SlotIndex order) const noexcept {
    QueuePosition ahead;
    const SlotIndex anchor = pool[order].level;
    for (SlotIndex i = pool[order].previous; i != anchor; i = pool[i].previous) {
      ahead.quantity += pool[i].quantity;
      ++ahead.order_count;
    }
    return ahead;
  }

  // ---- Prices, ranks and levels.

  /// Whether an order at `rank` meets neither a far level nor a window that must move. A band has neither.
  [[nodiscard, gnu::always_inline]] bool is_near(Side side, std::size_t rank) const noexcept {
    if constexpr (has_band) {
      return true;
    } else {
      return side_book(side).is_near(rank);
    }
  }
  /// Whether an order at `rank`, which `moves` there if it already rests on another level, gets a level. Only the
  /// far levels of a set may run out; an order that is near and does not move always gets one.
  [[nodiscard, gnu::always_inline]] bool has_level(Side side, std::size_t rank, bool moves) const noexcept {
    if constexpr (is_shared) {
      return side_book(side).has_level(pool, rank, moves);
    } else {
      return true;
    }
  }
  /// The level of `rank`, on which orders must rest.
  [[nodiscard]] PriceLevel level_at(Side side, std::size_t rank) noexcept {
    return {pool, side_book(side).anchor(pool, side, rank)};
  }
  [[nodiscard, gnu::always_inline]] bool has_room(Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) noexcept {
    return side_book(side).has_room(pool, side, rank, quantity, leaving);
  }
  [[nodiscard]] static constexpr bool is_side(Side side) noexcept { return side <= Side::Sell; }
  /// Whether `quantity` is neither 0 nor above the largest, in one compare.
  [[nodiscard]] bool is_valid(Quantity quantity) const noexcept { return quantity - 1 < quantity_max; }

  [[nodiscard]] SideBook& side_book(Side side) noexcept { return sides[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const SideBook& side_book(Side side) const noexcept {
    return sides[static_cast<std::size_t>(side)];
  }

  /// Ticks above the base price; above every offset if `price` is below it. Unsigned, so nothing overflows.
  [[nodiscard]] std::size_t offset_of(Price price) const noexcept {
    return static_cast<std::uint64_t>(price) - static_cast<std::uint64_t>(base_price);
  }
  [[nodiscard]] Price price_at(std::size_t offset) const noexcept {
    return static_cast<Price>(static_cast<std::uint64_t>(base_price) + offset);
  }
  [[nodiscard]] Price price_of(Side side, std::size_t rank) const noexcept {
    return price_at(SideBook::rank(side, rank));
  }

  /// The rank of the price `offset` ticks above the base price, also beyond the band. At the aggressive end that
  /// is 0, so an order reaches every maker; at the other end `rank_count`, so it reaches none.
  [[nodiscard]] std::size_t rank_of_limit(Side side, std::size_t offset) const noexcept {
    if (offset < rank_count) return SideBook::rank(side, offset);
    const bool above = price_at(offset) > base_price;
    return above == (side == Side::Buy) ? 0 : rank_count;
  }

  [[nodiscard, gnu::always_inline]] std::size_t best_rank(Side side) const noexcept {
    return side_book(side).best();
  }
  /// The worst rank of the other side that an order of this rank crosses.
  [[nodiscard]] static constexpr std::size_t reach_of(std::size_t rank) noexcept { return rank_count - 1 - rank; }
  [[nodiscard, gnu::always_inline]] bool crosses(Side side, std::size_t rank) const noexcept {
    return side_book(opposite(side)).best() <= reach_of(rank);
  }
  /// Whether the levels of a side stay in the band if `shift`, modulo 2^64, is added to their ranks.
  [[nodiscard]] bool fits_after_shift(Side side, std::size_t shift) const noexcept {
    const std::size_t best = side_book(side).best();
    if (best == rank_count) return true;
    return best + shift < rank_count && side_book(side).worst(pool) + shift < rank_count;
  }

  /// The first rank from `rank` on, one in use or none, on which something is displayed, and the worst one: with
  /// rules, some orders are not.
  [[nodiscard]] static constexpr std::size_t displayed_from(Side /*side*/, std::size_t rank) noexcept {
    return rank;
  }
  [[nodiscard]] std::size_t worst_displayed(Side side) const noexcept { return side_book(side).worst(pool); }
  [[nodiscard]] DepthLevel depth_level(Side side, std::size_t rank) const noexcept {
    const OrderSlot& anchor = pool[side_book(side).anchor(pool, side, rank)];
    return {price_of(side, rank), anchor.total(), anchor.order_count()};
  }
  [[nodiscard]] RestingOrder resting_order(SlotIndex index) const noexcept {
    const OrderSlot& order = pool[index];
    const Side side = SideBook::side_of(pool, order.level);
    return {pool.handle(index), order.id, side, price_of(side, SideBook::rank_of(pool, order.level)),
            order.quantity};
  }
  [[nodiscard, gnu::always_inline]] std::size_t offset_of_order(SlotIndex index) const noexcept {
    const SlotIndex anchor = pool[index].level;
    return SideBook::rank(SideBook::side_of(pool, anchor), SideBook::rank_of(pool, anchor));
  }

  /// Visits the orders of an occupied level. False if the visitor ended the visit.
  [[nodiscard]] bool visit_rank(Side side, std::size_t rank, auto& visitor) const {
    const SlotIndex anchor = side_book(side).anchor(pool, side, rank);
    for (SlotIndex i = pool[anchor].oldest(); i != anchor; i = pool[i].next) {
      if constexpr (std::same_as<decltype(visitor(resting_order(i))), bool>) {
        if (!visitor(resting_order(i))) return false;
      } else {
        visitor(resting_order(i));
      }
    }
    return true;
  }

  Price base_price;
  Quantity quantity_max;
  Sides sides;
  typename SideBook::Pool pool;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
