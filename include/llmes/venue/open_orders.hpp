// SPDX-License-Identifier: MIT
//
// The orders that rest, by handle, and those of each account in a list. A part of the risk stage.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An open order as the risk stage shows it.
struct OpenOrder {
  OrderHandle handle{};
  OrderId id = 0;
  AccountNumber account = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;  ///< open lots
  std::uint32_t client_tag = 0;

  friend constexpr bool operator==(const OpenOrder&, const OpenOrder&) = default;
};

/// Open orders by the slots of their book's pool, which handles tell. The slots of a pool are neighbours, so with
/// as many places as a power of two holds, each has one of its own. One that is moved from has one place, which is
/// free.
class OpenOrders {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot none = std::numeric_limits<Slot>::max();
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;  ///< and of accounts

  /// A cache line: a cancel waits for no second one.
  struct alignas(64) Order {
    std::uint64_t handle;
    OrderId id;
    Price price;
    Quantity quantity;  ///< 0 in a free slot
    AccountNumber account;
    std::uint32_t holding;  ///< the place of the holding of its account in its book
    std::uint64_t book;     ///< this, the side and the tag: whole words, so that no byte is left to chance
    std::uint64_t side;
    std::uint64_t client_tag;
  };

  /// For `capacity` orders of so many accounts, each 1 to `capacity_max`.
  OpenOrders(std::size_t capacity, std::uint32_t accounts) noexcept
      : orders_(std::bit_ceil(capacity)), links_(orders_.size() + accounts), capacity_(capacity) {
    if (!allocated()) return;
    for (AccountNumber account = 1; account <= accounts; ++account) {
      links_[anchor_of(account)] = {anchor_of(account), anchor_of(account)};
    }
  }
  [[nodiscard]] bool allocated() const noexcept { return orders_.allocated() && links_.allocated(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return orders_.size_bytes() + links_.size_bytes(); }

  [[nodiscard]] bool full() const noexcept { return count_ == capacity_; }
  [[nodiscard]] Order& operator[](Slot slot) noexcept { return orders_[slot]; }
  [[nodiscard]] const Order& operator[](Slot slot) const noexcept { return orders_[slot]; }

  /// Where an order with this handle is, if it is open.
  [[nodiscard]] Slot slot_of(OrderHandle handle) const noexcept {
    return static_cast<Slot>(handle.index & (orders_.size() - 1));
  }
  /// The open order with this handle, or `none`.
  [[nodiscard]] Slot find(OrderHandle handle) const noexcept {
    const Slot slot = slot_of(handle);
    return orders_[slot].handle == handle.value() && orders_[slot].quantity != 0 ? slot : none;
  }
  /// Calls `visitor(slot)` for the orders of an account, oldest first. It may erase the one it gets.
  template <class Visitor>
  void for_each(AccountNumber account, Visitor&& visitor) const {
    const Slot anchor = anchor_of(account);
    for (Slot slot = links_[anchor].younger, next{}; slot != anchor; slot = next) {
      next = links_[slot].younger;
      visitor(slot);
    }
  }
  /// The order as the stage shows it.
  [[nodiscard]] OpenOrder shown(Slot slot) const noexcept {
    const Order& order = orders_[slot];
    return {OrderHandle::from_value(order.handle),
            order.id,
            order.account,
            static_cast<BookNumber>(order.book),
            static_cast<Side>(order.side),
            order.price,
            order.quantity,
            static_cast<std::uint32_t>(order.client_tag)};
  }
  /// Starts to load what taking the order off its list will touch.
  void fetch_neighbours(Slot slot) const noexcept {
    __builtin_prefetch(&links_[links_[slot].older], 1);
    __builtin_prefetch(&links_[links_[slot].younger], 1);
  }

  /// Adds the youngest order of an account to a free slot, and returns it for the members that are not set here.
  Order& insert(AccountNumber account, Slot slot) noexcept {
    const Slot anchor = anchor_of(account);
    const Slot youngest = links_[anchor].older;
    links_[slot] = {youngest, anchor};
    links_[youngest].younger = slot;
    links_[anchor].older = slot;
    ++count_;
    Order& order = orders_[slot];
    order.account = account;
    return order;
  }

  /// Takes an order off the list of its account, whose quantity is 0.
  [[gnu::always_inline]] void erase(Slot slot) noexcept {
    const Links links = links_[slot];
    links_[links.older].younger = links.younger;
    links_[links.younger].older = links.older;
    --count_;
  }

  /// Whether the lists of an untrusted image hold: each order is on its account's; none leads elsewhere. Linear.
  [[nodiscard]] bool lists_hold(std::uint32_t accounts) const noexcept {
    std::size_t used = 0;
    for (Slot slot = 0; slot < orders_.size(); ++slot) {
      const Order& order = orders_[slot];
      if (order.quantity == 0) continue;
      if (order.account - 1 >= accounts || order.side > 1 || order.client_tag >> 32 != 0) return false;
      if (slot_of(OrderHandle::from_value(order.handle)) != slot) return false;
      ++used;
    }
    std::size_t listed = 0;
    for (AccountNumber account = 1; account <= accounts; ++account) {
      Slot older = anchor_of(account);
      for (Slot slot = links_[older].younger; slot != anchor_of(account); slot = links_[slot].younger) {
        if (slot >= orders_.size() || orders_[slot].quantity == 0 || orders_[slot].account != account)
          return false;
        if (links_[slot].older != older) return false;  // so none comes twice, and each list ends
        older = slot;
        ++listed;
      }
      if (links_[anchor_of(account)].older != older) return false;
    }
    return listed == used && used == count_ && used <= capacity_;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.orders_, self.links_, self.count_); }

 private:
  /// The neighbours of an order in the ring of its account, which its anchor closes: so nobody asks whether an
  /// order is the first or last, which nobody can predict. They are beside the orders, since a ring links orders
  /// that nobody has named for long: eight of them share a line.
  struct Links {
    Slot older, younger;
  };

  [[nodiscard]] Slot anchor_of(AccountNumber account) const noexcept {
    return static_cast<Slot>(orders_.size()) - 1 + account;
  }

  static_assert(std::has_unique_object_representations_v<Order>);

  ZeroedArray<Order> orders_;  ///< by slot
  ZeroedArray<Links> links_;   ///< by slot, then the anchors of the accounts
  std::size_t capacity_;
  std::size_t count_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
