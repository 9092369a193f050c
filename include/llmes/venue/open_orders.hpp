// SPDX-License-Identifier: MIT
//
// The orders that rest, by name, and those of each account in a list. A part of the risk stage.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An open order as the risk stage shows it. `Name` is what names it, its handle or its id.
template <class Name>
struct OpenOrder {
  Name name{};
  AccountNumber account = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;  ///< open lots

  friend constexpr bool operator==(const OpenOrder&, const OpenOrder&) = default;
};

namespace detail {
[[nodiscard]] constexpr std::uint64_t value_of(OrderId id) noexcept {
  return id;
}
[[nodiscard]] constexpr std::uint64_t value_of(OrderHandle handle) noexcept {
  return handle.value();
}
}  // namespace detail

/// Open orders by the slots of their book's pool, which handles tell. The slots of a pool are neighbours, so with
/// as many places as a power of two holds, each has one of its own.
class OpenOrders {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot none = 0;
  static constexpr std::size_t capacity_max = std::size_t{1} << 31;

  struct Order {
    std::uint64_t name;
    Price price;
    Quantity quantity;  ///< 0 in a free slot
    AccountNumber account;
    std::uint32_t holding;  ///< the place of the holding of its account in its book
    Slot older, younger;    ///< in the list of its account
    BookNumber book;
    std::uint32_t side;  ///< a whole word, so that no byte is left to chance
  };
  /// The orders of an account, by age.
  struct List {
    Slot oldest, youngest;
    std::uint32_t count;
  };

  /// For `capacity` orders, 1 to `capacity_max`; with an index of names if `by_id`.
  OpenOrders(std::size_t capacity, bool by_id) noexcept
      : orders_(std::bit_ceil(capacity) + 1),
        index_(by_id ? ProbingTable<Entry>(capacity) : ProbingTable<Entry>()),
        capacity_(capacity),
        indexed_(by_id) {}
  [[nodiscard]] bool allocated() const noexcept { return orders_.allocated() && index_.allocated() == indexed_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return orders_.size_bytes() + (indexed_ ? index_.size_bytes() : 0);
  }

  [[nodiscard]] bool full() const noexcept { return count_ == capacity_; }
  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[slot]; }

  /// Where an order with this handle is, if it is open.
  [[nodiscard]] Slot slot_of(OrderHandle handle) const noexcept {
    const std::size_t places = orders_.size() - 1;  // none if this has been moved from
    return places == 0 ? none : static_cast<Slot>((handle.index & (places - 1)) + 1);
  }
  /// The open order of this name, or `none`. An id is searched in the index.
  [[nodiscard]] Slot find(OrderHandle handle) const noexcept { return at(slot_of(handle), handle.value()); }
  [[nodiscard]] Slot find(OrderId id) const noexcept { return static_cast<Slot>(index_[place_of(id)].slot); }
  /// The order in a slot, if it is open and has this name; else `none`.
  [[nodiscard]] Slot at(Slot slot, std::uint64_t name) const noexcept {
    return orders_[slot].name == name && orders_[slot].quantity != 0 ? slot : none;
  }
  /// The order as the stage shows it.
  template <class Name>
  [[nodiscard]] OpenOrder<Name> shown(Slot slot) const noexcept {
    const Order& order = orders_[slot];
    OpenOrder<Name> shown{{},          order.account, order.book, static_cast<Side>(order.side),
                          order.price, order.quantity};
    if constexpr (std::same_as<Name, OrderHandle>) {
      shown.name = OrderHandle::from_value(order.name);
    } else {
      shown.name = order.name;
    }
    return shown;
  }

  /// Adds the youngest order of a list, and returns it for the members that are not set here. The slot must be
  /// free, and with ids the name.
  Order& insert(List& list, Slot slot, std::uint64_t name) noexcept {
    Order& order = orders_[slot];
    order.name = name;
    order.older = list.youngest;
    order.younger = none;
    (list.count == 0 ? list.oldest : orders_[list.youngest].younger) = slot;
    list.youngest = slot;
    ++list.count;
    ++count_;
    if (indexed_) index_[place_of(name)] = {name, slot};
    return order;
  }

  /// Takes an order off its list, whose quantity is 0.
  void erase(List& list, Slot slot) noexcept {
    const Order& order = orders_[slot];
    (order.older == none ? list.oldest : orders_[order.older].younger) = order.younger;
    (order.younger == none ? list.youngest : orders_[order.younger].older) = order.older;
    --list.count;
    --count_;
    if (indexed_) index_.free(place_of(order.name));
  }

  /// Its state, part by part, for an image.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.orders_, self.index_, self.count_);
  }

 private:
  struct Entry {
    std::uint64_t name;
    std::uint64_t slot;

    [[nodiscard]] bool used() const noexcept { return slot != none; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return hash_of(name); }
  };
  static_assert(std::has_unique_object_representations_v<Order>);
  static_assert(std::has_unique_object_representations_v<Entry>);

  [[nodiscard]] static std::uint32_t hash_of(std::uint64_t name) noexcept {
    return static_cast<std::uint32_t>(llmes::hash_of(name) >> 32);
  }
  /// Of its entry, or the free place where it belongs.
  [[nodiscard]] std::size_t place_of(std::uint64_t name) const noexcept {
    return index_.search(hash_of(name), [&](const Entry& entry) { return entry.name == name; });
  }

  ZeroedArray<Order> orders_;  ///< by slot; the first one is never used
  ProbingTable<Entry> index_;  ///< by id; empty where handles name orders
  std::size_t capacity_;
  std::size_t count_ = 0;
  bool indexed_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
