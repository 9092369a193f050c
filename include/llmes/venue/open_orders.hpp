// SPDX-License-Identifier: MIT
//
// The orders that rest, by name, and those of each account in a list. A part of the risk stage.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llmes/detail/mixed.hpp"
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

/// Open orders by the 64 bits of their names.
class OpenOrders {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot none = 0;
  static constexpr std::size_t capacity_max = std::size_t{1} << 31;

  struct Order {
    std::uint64_t name;
    Price price;
    Quantity quantity;
    AccountNumber account;
    BookNumber book;
    Slot older, younger;  ///< in the list of its account; `younger` links free slots, too
    std::uint64_t side;   ///< a whole word, so that no byte is left to chance
  };
  /// The orders of an account, by age.
  struct List {
    Slot oldest, youngest;
    std::uint32_t count;
  };

  OpenOrders() noexcept = default;
  /// For `capacity` orders, 1 to `capacity_max`.
  explicit OpenOrders(std::size_t capacity) noexcept : index_(capacity), orders_(capacity + 1) {}
  [[nodiscard]] bool allocated() const noexcept { return index_.allocated() && orders_.allocated(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return index_.size_bytes() + orders_.size_bytes(); }

  [[nodiscard]] bool full() const noexcept { return count_ == orders_.size() - 1; }

  [[nodiscard]] Slot find(std::uint64_t name) const noexcept {
    return static_cast<Slot>(index_[place_of(name)].slot);
  }
  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[slot]; }

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

  /// Adds the youngest order of a list. There must be room, and none of its name.
  void insert(List& list, const Order& order) noexcept {
    const Slot slot = free_ != none ? free_ : ++used_;
    Order& kept = orders_[slot];
    if (slot == free_) free_ = kept.younger;
    kept = order;
    kept.older = list.youngest;
    kept.younger = none;
    (list.count == 0 ? list.oldest : orders_[list.youngest].younger) = slot;
    list.youngest = slot;
    ++list.count;
    ++count_;
    index_[place_of(order.name)] = {order.name, slot};
  }

  void erase(List& list, Slot slot) noexcept {
    Order& order = orders_[slot];
    index_.free(place_of(order.name));
    (order.older == none ? list.oldest : orders_[order.older].younger) = order.younger;
    (order.younger == none ? list.youngest : orders_[order.younger].older) = order.older;
    --list.count;
    --count_;
    order.younger = free_;
    free_ = slot;
  }

  /// Its state, part by part, for an image.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.index_, self.orders_, self.free_, self.used_, self.count_);
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
    return static_cast<std::uint32_t>(mixed(name) >> 32);
  }
  /// Of its entry, or the free place where it belongs.
  [[nodiscard]] std::size_t place_of(std::uint64_t name) const noexcept {
    return index_.search(hash_of(name), [&](const Entry& entry) { return entry.name == name; });
  }

  ProbingTable<Entry> index_;
  ZeroedArray<Order> orders_;  ///< the first one is never used
  Slot free_ = none;
  Slot used_ = 0;  ///< slots that have ever been used
  std::size_t count_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
