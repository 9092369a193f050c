// SPDX-License-Identifier: MIT
//
// Whether what an image gave a risk stage can be used: every count, place and link of it is looked at, since the
// image may come from a forged file. A part of risk.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "llmes/detail/hash.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/account_guard.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/limits.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

struct RiskCheck {
  const Accounts& accounts;
  const ZeroedArray<AccountGuard>& guards;
  const OpenOrders& orders;
  BookNumber books;

  using Slot = OpenOrders::Slot;

  /// Linear in the memory.
  [[nodiscard]] bool holds() const noexcept {
    std::size_t open = 0;
    for (Slot slot = 0; slot < orders.orders_.size(); ++slot) {
      if (orders[slot].quantity == 0) continue;
      ++open;
      if (!order_holds(slot)) return false;
    }
    if (open != orders.count_ || open > orders.capacity_) return false;
    std::size_t listed = 0;
    for (AccountNumber account = 0; account <= accounts.size(); ++account) {
      if (!amounts_hold(accounts.cash_[account])) return false;
      if (account != 0 && (!guard_holds(guards[account]) || !list_holds(account, listed))) return false;
    }
    return listed == open && holdings_hold();
  }

 private:
  /// Far from what sums and products of later trades could overflow.
  [[nodiscard]] static bool is_moderate(Amount amount) noexcept {
    constexpr Amount most = Amount{1} << 120;
    return -most < amount && amount < most;
  }
  [[nodiscard]] static bool amounts_hold(const Accounts::Cash& cash) noexcept {
    return is_moderate(cash.cash) && is_moderate(cash.fees) && is_moderate(cash.reserved) &&
           is_moderate(cash.open);
  }
  /// Its last bytes are four bools, and words that are 0.
  [[nodiscard]] bool guard_holds(const AccountGuard& guard) const noexcept {
    constexpr std::size_t flags = offsetof(AccountGuard, has_collar);
    const auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(AccountGuard)>>(guard);
    for (std::size_t i = flags; i < flags + 4; ++i) {
      if (bytes[i] > 1) return false;
    }
    return guard.holding < places() && guard.credit >= 0;
  }
  [[nodiscard]] bool order_holds(Slot slot) const noexcept {
    const OpenOrders::Order& order = orders[slot];
    return accounts.has(order.account) && order.book < books && order.side < 2 && order.holding < places() &&
           accounts.holdings_[order.holding].is_of(order.account, static_cast<BookNumber>(order.book)) &&
           orders.slot_of(OrderHandle::from_value(order.handle)) == slot;
  }
  /// The ring of an account has its orders alone, each once. Adds them to `listed`.
  [[nodiscard]] bool list_holds(AccountNumber account, std::size_t& listed) const noexcept {
    const Slot anchor = orders.anchor_of(account);
    std::uint32_t count = 0;
    for (Slot at = anchor;; ++count) {
      const Slot next = orders.links_[at].younger;
      if (next >= orders.links_.size() || orders.links_[next].older != at) return false;
      if (next == anchor) break;
      if (next >= orders.orders_.size() || orders[next].quantity == 0 || orders[next].account != account) {
        return false;
      }
      at = next;
    }
    listed += count;
    return guards[account].open_count == count;
  }
  /// Each is found, and its open lots are those of the orders.
  [[nodiscard]] bool holdings_hold() const noexcept {
    std::size_t used = 0;
    for (std::size_t place = 0; place < places(); ++place) used += std::size_t{accounts.holdings_[place].used()};
    if (used != accounts.holding_count_ || used > accounts.holdings_max_)
      return false;  // or a search might not end
    // Of what is open, a sum is compared in which each lot counts for its holding and its side.
    std::uint64_t in_holdings = 0, in_orders = 0;
    const auto counted = [](std::size_t place, std::size_t side, Quantity lots) {
      return lots * hash_of(2 * place + side);
    };
    for (Slot slot = 0; slot < orders.orders_.size(); ++slot) {
      const OpenOrders::Order& order = orders[slot];
      if (order.quantity != 0) in_orders += counted(order.holding, order.side, order.quantity);
    }
    for (std::size_t place = 0; place < places(); ++place) {
      const Holding& holding = accounts.holdings_[place];
      if (!holding.used()) continue;
      if (!accounts.has(holding.account) || holding.book >= books || !is_moderate(holding.cost) ||
          !is_moderate(holding.realised) || accounts.place_of(holding.account, holding.book) != place) {
        return false;
      }
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Quantity open = holding.open[static_cast<std::size_t>(side)];
        if (holding.position < -AccountLimits::unlimited ||
            !AccountGuard::position_fits(holding.position, side, open, 0)) {
          return false;
        }
        in_holdings += counted(place, static_cast<std::size_t>(side), open);
      }
    }
    return in_holdings == in_orders;
  }
  [[nodiscard]] std::size_t places() const noexcept { return accounts.holdings_.size_bytes() / sizeof(Holding); }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
