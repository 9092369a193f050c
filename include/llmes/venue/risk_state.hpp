// SPDX-License-Identifier: MIT
//
// What a risk stage keeps, and how it books what happens outside of an account's command. A part of risk.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/detail/hash.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/account_guard.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The accounts of a risk stage, their limits at work, and their open orders.
class RiskState {
 public:
  // ---- What happens outside of a command.

  /// Tells the best price of a side of a book, or that it is empty. Nobody needs it who has no collars.
  /// Rejections: InvalidCommand (side is not an enumerator), UnknownBook.
  [[nodiscard]] RiskStatus on_best(BookNumber book, Side side, std::optional<Price> price) noexcept {
    if (!is_side(side)) return RiskStatus::InvalidCommand;
    if (!has_book(book)) return RiskStatus::UnknownBook;
    price ? references_[book].best(side, *price) : references_[book].no_best(side);
    return RiskStatus::Success;
  }

  /// Tells the price of the last trade of a book, if it was not one of a command here.
  /// Rejections: UnknownBook.
  [[nodiscard]] RiskStatus on_last(BookNumber book, Price price) noexcept {
    if (!has_book(book)) return RiskStatus::UnknownBook;
    references_[book].traded(price);
    return RiskStatus::Success;
  }

  /// So many lots of an open order have left the book without a command of its account and without a trade.
  /// Rejections: UnknownOrder, QuantityLimit (0 lots, or more than are open).
  [[nodiscard]] RiskStatus on_cancelled(OrderHandle handle, Quantity lots) noexcept {
    const Slot slot = orders_.find(handle);
    if (slot == OpenOrders::none) return RiskStatus::UnknownOrder;
    if (lots == 0 || lots > orders_[slot].quantity) return RiskStatus::QuantityLimit;
    const Place place = orders_[slot].holding;
    take_off(slot, lots);
    accounts_.settle(place);
    return RiskStatus::Success;
  }

  /// Books a trade of an auction: two open orders, of which none takes, so that both pay the maker's fee.
  /// Rejections: Mismatch (no open orders of the two sides of one book, a price worse than its own, too few lots).
  [[nodiscard]] RiskStatus on_match(OrderHandle buy, OrderHandle sell, Price price, Quantity lots) noexcept {
    const Slot bid = orders_.find(buy);
    const Slot ask = orders_.find(sell);
    if (bid == OpenOrders::none || ask == OpenOrders::none) return RiskStatus::Mismatch;
    const OpenOrders::Order& buyer = orders_[bid];
    const OpenOrders::Order& seller = orders_[ask];
    const auto book = static_cast<BookNumber>(buyer.book);
    if (side_of(buyer) != Side::Buy || side_of(seller) != Side::Sell || seller.book != book ||
        price > buyer.price || price < seller.price || lots == 0 || lots > buyer.quantity ||
        lots > seller.quantity) {
      return RiskStatus::Mismatch;
    }
    const Place bought = buyer.holding, sold = seller.holding;
    accounts_.fill(take_off(bid, lots), Side::Buy, price, lots, accounts_.fees_.maker);
    accounts_.fill(take_off(ask, lots), Side::Sell, price, lots, accounts_.fees_.maker);
    accounts_.settle(bought);
    accounts_.settle(sold);
    references_[book].traded(price);
    return RiskStatus::Success;
  }

  /// A trade to be undone. In an auction nobody took.
  struct Undone {
    AccountNumber buyer = 0;
    AccountNumber seller = 0;
    BookNumber book = 0;
    Price price = 0;
    Quantity quantity = 0;
    std::optional<Side> taker_side{};
  };
  /// Undoes a trade: positions and cash, fees included, are as if it were traded back. No limit is looked at.
  /// Rejections: Mismatch (no such account or book), PositionOverflow (also with what is open), NoRoomForHolding.
  [[nodiscard]] RiskStatus undo(const Undone& trade) noexcept {
    if (!accounts_.has(trade.buyer) || !accounts_.has(trade.seller) || !has_book(trade.book)) {
      return RiskStatus::Mismatch;
    }
    Place bought = accounts_.place_of(trade.buyer, trade.book);
    Place sold = accounts_.place_of(trade.seller, trade.book);
    const Holding& buyer = accounts_.holdings_[bought];
    const Holding& seller = accounts_.holdings_[sold];
    if (!Guard::position_fits(buyer.position, Side::Sell, buyer.open[index_of(Side::Sell)], trade.quantity) ||
        !Guard::position_fits(seller.position, Side::Buy, seller.open[index_of(Side::Buy)], trade.quantity)) {
      return RiskStatus::PositionOverflow;
    }
    if (const bool same = trade.buyer == trade.seller; bought == Accounts::none || sold == Accounts::none) {
      // One of the two that is idle must not go to make room for the other.
      const std::size_t missing =
          same ? 1 : std::size_t{bought == Accounts::none} + std::size_t{sold == Accounts::none};
      const auto idle = [](const Holding& holding) { return std::size_t{holding.used() && holding.is_idle()}; };
      if (missing > accounts_.room() - idle(buyer) - idle(seller)) return RiskStatus::NoRoomForHolding;
      for (const Place place : {bought, sold}) {
        if (place != Accounts::none && accounts_.holdings_[place].is_idle()) accounts_.unlist(place);
      }
      bought = accounts_.hold(bought, trade.buyer, trade.book);
      sold = same ? bought : accounts_.hold(sold, trade.seller, trade.book);
    }
    const auto undo_side = [&](Holding& holding, Side side) {
      const std::int64_t fee = trade.taker_side == side ? accounts_.fees_.taker : accounts_.fees_.maker;
      accounts_.fill(holding, opposite(side), trade.price, trade.quantity, -fee);
    };
    undo_side(accounts_.holdings_[bought], Side::Buy);
    undo_side(accounts_.holdings_[sold], Side::Sell);
    accounts_.settle(bought);
    accounts_.settle(sold);
    return RiskStatus::Success;
  }

  // ---- Queries.

  [[nodiscard]] const Accounts& accounts() const noexcept { return accounts_; }
  /// How many open orders an account has; 0 if it does not exist.
  [[nodiscard]] std::uint32_t open_count(AccountNumber account) const noexcept {
    return accounts_.has(account) ? guards_[account].open_count : 0;
  }
  /// Whether an account has been killed and not been restored.
  [[nodiscard]] bool killed(AccountNumber account) const noexcept {
    return accounts_.has(account) && guards_[account].killed;
  }
  /// Whether a disconnect cancels what an account has open.
  [[nodiscard]] bool cancels_on_disconnect(AccountNumber account) const noexcept {
    return accounts_.has(account) && guards_[account].cancel_on_disconnect;
  }
  /// What refuses an order of an account whatever the market does and whatever else is open: NotionalOverflow,
  /// NotionalLimit, OpenQuantityLimit (if it may rest), NeedsPrice; or Success. A market order has no `price`.
  [[nodiscard]] RiskStatus check_by_itself(AccountNumber account, std::optional<Price> price, bool may_rest,
                                           Quantity lots) const noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    const Guard& guard = guards_[account];
    if (price) {
      const std::uint64_t size = Guard::notional(*price, lots);
      if (size == Guard::too_large) return RiskStatus::NotionalOverflow;
      if (size > static_cast<std::uint64_t>(guard.order_notional)) return RiskStatus::NotionalLimit;
    }
    if (may_rest && lots > guard.open_quantity) return RiskStatus::OpenQuantityLimit;
    return !price && guard.has_credit_limit ? RiskStatus::NeedsPrice : RiskStatus::Success;
  }
  /// The open order with this handle, or nothing.
  [[nodiscard, gnu::always_inline]] std::optional<OpenOrder> find(OrderHandle handle) const noexcept {
    const Slot slot = orders_.find(handle);
    if (slot == OpenOrders::none) return {};
    return orders_.shown(slot);
  }
  /// Calls `visitor(order)` for each open order of an account; first the one that has been longest without a
  /// modify or replace. The visitor must not change the stage.
  template <class Visitor>
  void visit_open(AccountNumber account, Visitor&& visitor) const {
    if (!accounts_.has(account)) return;
    orders_.for_each(account, [&](Slot slot) { visitor(orders_.shown(slot)); });
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return accounts_.memory_bytes() + guards_.size_bytes() + references_.size_bytes() + orders_.memory_bytes();
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear.
  [[nodiscard]] bool holds() const noexcept {
    if (!accounts_.holds(static_cast<BookNumber>(references_.size() - 1))) return false;
    if (!orders_.lists_hold(accounts_.size())) return false;
    for (std::size_t account = 0; account < guards_.size(); ++account) {
      if (!guards_[account].holds() || guards_[account].holding >= accounts_.holdings_.size()) return false;
    }
    // What orders and holdings have open agrees if these sums do: each lot counts for the place of its holding.
    std::uint64_t in_orders = 0, in_holdings = 0;
    const auto counted = [](std::size_t place, std::size_t side, Quantity lots) {
      return lots * hash_of(2 * place + side);
    };
    for (AccountNumber account = 1; account <= accounts_.size(); ++account) {
      const Guard& guard = guards_[account];
      std::uint32_t count = 0;
      Amount reserved = 0, open = 0;
      bool all_hold = true;
      orders_.for_each(account, [&](Slot slot) {
        const OpenOrders::Order& order = orders_[slot];
        all_hold = all_hold && order.holding < accounts_.holdings_.size() && order.book < references_.size() - 1 &&
                   accounts_.holdings_[order.holding].is_of(account, static_cast<BookNumber>(order.book));
        in_orders += counted(order.holding, order.side, order.quantity);
        reserved += Accounts::to_pay(side_of(order), order.price, order.quantity);
        open += order.quantity;
        ++count;
      });
      const Accounts::Cash& cash = accounts_.cash_[account];
      if (!guard.has_credit_limit) reserved = open = 0;
      if (!all_hold || guard.open_count != count || cash.reserved != reserved || cash.open != open) return false;
    }
    for (std::size_t place = 0; place < accounts_.holdings_.size(); ++place) {
      const Holding& holding = accounts_.holdings_[place];
      if (holding.position < -AccountLimits::unlimited) return false;
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Quantity open = holding.open[index_of(side)];
        if (!Guard::position_fits(holding.position, side, open, 0)) return false;
        in_holdings += counted(place, index_of(side), open);
      }
    }
    return in_orders == in_holdings;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.accounts_, self.guards_, self.references_, self.orders_);
  }

 protected:
  using Guard = detail::AccountGuard;
  using Slot = OpenOrders::Slot;
  using Place = Accounts::Place;

  RiskState(const RiskConfig& config, IdSlots&& pairs) noexcept
      : accounts_(config.accounts, std::move(pairs), config.fees),
        guards_(std::size_t{config.accounts} + 1),
        references_(std::size_t{config.books} + 1),
        orders_(config.orders, config.accounts) {}

  [[nodiscard]] static constexpr std::size_t index_of(Side side) noexcept {
    return static_cast<std::size_t>(side);
  }
  [[nodiscard]] static constexpr Side side_of(const OpenOrders::Order& order) noexcept {
    return static_cast<Side>(order.side);
  }
  [[nodiscard]] static constexpr bool is_side(Side side) noexcept { return index_of(side) < 2; }
  [[nodiscard]] bool has_book(BookNumber book) const noexcept { return book < references_.size() - 1; }

  /// Whether cash and credit cover so much more than is reserved. What costs no more always is.
  [[nodiscard]] bool affords(AccountNumber account, Amount more) const noexcept {
    const Guard& guard = guards_[account];
    return more <= 0 || !guard.has_credit_limit ||
           accounts_.cash(account) + guard.credit * micro_units - accounts_.reserved(account) >= more;
  }

  /// Whether an order that may rest may be open with so many lots, beside others on its side of its book.
  [[nodiscard]] RiskStatus check_open(const Guard& guard, bool added, Quantity open,
                                      Quantity lots) const noexcept {
    if (added && guard.open_count >= guard.open_orders) return RiskStatus::OpenOrdersLimit;
    if (lots > guard.open_quantity || open > guard.open_quantity - lots) return RiskStatus::OpenQuantityLimit;
    return added && orders_.full() ? RiskStatus::NoRoomForOrder : RiskStatus::Success;
  }

  /// An order of a holding rests in a free slot.
  [[gnu::always_inline]] void open_order(Slot slot, const RestingOrder& resting, AccountNumber account,
                                         BookNumber book, std::uint32_t holding,
                                         std::uint64_t client_tag = 0) noexcept {
    Guard& guard = guards_[account];
    accounts_.holdings_[holding].open[index_of(resting.side)] += resting.quantity;
    if (guard.has_credit_limit) accounts_.reserve(account, resting.side, resting.price, resting.quantity);
    ++guard.open_count;
    OpenOrders::Order& order = orders_.insert(account, slot);
    order.handle = resting.handle.value();
    order.id = resting.id;
    order.price = resting.price;
    order.quantity = resting.quantity;
    order.holding = holding;
    order.book = book;
    order.side = index_of(resting.side);
    order.client_tag = client_tag;
  }

  /// So many lots of an order, at most all, are open no more. Returns the holding of its account and book, which
  /// is to be settled.
  [[gnu::always_inline]] Holding& take_off(Slot slot, Quantity lots) noexcept {
    OpenOrders::Order& order = orders_[slot];
    Holding& holding = accounts_.holdings_[order.holding];
    if (lots == 0) return holding;  // it has left before
    holding.open[order.side] -= lots;
    Guard& guard = guards_[order.account];
    if (guard.has_credit_limit) accounts_.release(order.account, side_of(order), order.price, lots);
    order.quantity -= lots;
    if (order.quantity == 0) {
      orders_.erase(slot);
      --guard.open_count;
    }
    return holding;
  }

  /// An order is open no more; its holding is to be settled. Out of line, since an order is seldom moved.
  [[gnu::noinline]] void close(Slot slot) noexcept { take_off(slot, orders_[slot].quantity); }

  Accounts accounts_;
  ZeroedArray<Guard> guards_;          ///< by account
  ZeroedArray<Reference> references_;  ///< by book; the last one is nobody's
  OpenOrders orders_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
