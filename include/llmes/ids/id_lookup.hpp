// SPDX-License-Identifier: MIT
//
// How an id leads to its order: through an index beside the book (see id_index.hpp), or through a set that finds
// ids itself. The index gives a slot, and the slot, which the call needs anyway, confirms the id.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A book, or a set, and its index.
template <class Book, class Index>
class IdLookup {
 protected:
  static_assert(IdIndex<Index>);

  IdLookup(Book&& book, Index&& index) noexcept : book_(std::move(book)), index_(std::move(index)) {}

  /// The handle of the order of this id; one that names nothing if it does not rest. Where orders leave soon, many
  /// calls name the latest one. An index that forgets is slowest for that one, so it is tried first.
  [[nodiscard, gnu::always_inline]] OrderHandle look_up(OrderId id) const noexcept {
    if constexpr (Index::forgets) {
      const OrderHandle latest = book_.handle_at(latest_, id);
      if (latest != OrderHandle{}) return latest;
    }
    const OrderHandle handle = book_.handle_at(index_.hint(id), id);
    return handle != OrderHandle{} ? handle : search(id);
  }
  /// The same result as `look_up`; it is faster if no order has this id.
  [[nodiscard, gnu::always_inline]] OrderHandle look_up_new(OrderId id) const noexcept {
    return index_.lacks(id) ? OrderHandle{} : search(id);
  }

  /// Whether the index has room for an order of this id.
  [[nodiscard, gnu::always_inline]] bool holds(OrderId id) const noexcept { return index_.holds(id); }
  /// Notes where a new order lives.
  [[gnu::always_inline]] void remember(OrderId id, SlotIndex slot) noexcept {
    if constexpr (Index::forgets) {
      if (!index_.insert_if_room(id, slot)) [[unlikely]]
        return remember_elsewhere(id, slot);
      latest_ = slot;
    } else {
      index_.insert(id, slot);
    }
  }
  /// Forgets an order that has left, or all orders.
  [[gnu::always_inline]] void forget([[maybe_unused]] OrderId id, [[maybe_unused]] SlotIndex slot) noexcept {
    if constexpr (Index::forgets) index_.erase(id, slot);
  }
  void forget_all() noexcept {
    if constexpr (Index::forgets) index_.clear();
  }

  // ---- Hints, which change nothing.

  /// Prefetches the order of an id that is looked up next, if its place follows from the id.
  void fetch_order(OrderId /*id*/) const noexcept {}
  /// Prefetches what says where the order of an id is; reads it.
  [[gnu::always_inline]] void fetch_entry(OrderId id) const noexcept { index_.fetch(id); }
  [[nodiscard, gnu::always_inline]] SlotIndex likely_slot(OrderId id) const noexcept { return index_.hint(id); }

  [[nodiscard]] std::size_t index_bytes() const noexcept { return index_.bytes_in_use(); }

  Book book_;
  [[no_unique_address]] Index index_;
  SlotIndex latest_ = OrderPool::none;  ///< a hint if the index forgets: where the order lives that came last

 private:
  /// Out of line, like the next one: inline they would spill registers of the calls, most of which need one look.
  [[gnu::noinline]] void remember_elsewhere(OrderId id, SlotIndex slot) noexcept {
    index_.insert(id, slot, book_);
    latest_ = slot;
  }
  [[nodiscard, gnu::noinline]] OrderHandle search(OrderId id) const noexcept {
    OrderHandle handle{};
    std::ignore = index_.find(
        id, [&](SlotIndex slot) __attribute__((always_inline)) {
          handle = book_.handle_at(slot, id);
          return handle != OrderHandle{};
        });
    return handle;
  }
};

/// The index of a `PlacedBookSet`, whose orders live where their ids say (see placed_pool.hpp): any id, and no
/// memory.
struct PlacedIds {
  struct Config {};

  static constexpr bool forgets = false;

  /// @param status Success.
  [[nodiscard]] static std::optional<PlacedIds> create(const Config&, std::size_t /*capacity*/,
                                                       CreateStatus& status,
                                                       std::size_t /*slot_count*/ = 0) noexcept {
    status = CreateStatus::Success;
    return PlacedIds{};
  }
  static void visit_state(auto& /*self*/, auto& /*visit*/) noexcept {}
};

/// A set that finds an order by its id alone.
template <class Set>
class IdLookup<Set, PlacedIds> {
 protected:
  static_assert(requires(const Set& set, OrderId id) { set.handle_of(id); });

  IdLookup(Set&& set, PlacedIds&& index) noexcept : book_(std::move(set)), index_(index) {}

  [[nodiscard, gnu::always_inline]] OrderHandle look_up(OrderId id) const noexcept { return book_.handle_of(id); }
  [[nodiscard, gnu::always_inline]] OrderHandle look_up_new(OrderId id) const noexcept { return look_up(id); }

  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }
  static constexpr void remember(OrderId /*id*/, SlotIndex /*slot*/) noexcept {}
  static constexpr void forget(OrderId /*id*/, SlotIndex /*slot*/) noexcept {}
  static constexpr void forget_all() noexcept {}

  [[gnu::always_inline]] void fetch_order(OrderId id) const noexcept { book_.fetch_bucket(id); }
  [[gnu::always_inline]] void fetch_entry(OrderId id) const noexcept { book_.fetch_tags(id); }
  [[nodiscard, gnu::always_inline]] SlotIndex likely_slot(OrderId id) const noexcept {
    return book_.likely_slot(id);
  }

  [[nodiscard]] static constexpr std::size_t index_bytes() noexcept { return 0; }

  Set book_;
  [[no_unique_address]] PlacedIds index_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
