// SPDX-License-Identifier: MIT
//
// What waits in a venue: stops until the market reaches them, and orders until they expire. A part of venue.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/stop_orders.hpp"
#include "llmes/venue/venue_books.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Book, class Reports>
class VenueWaiting {
  using Books = VenueBooks<Book, Reports>;
  using Answer = VenueAnswer;
  using Kind = VenueReportKind;

 public:
  explicit VenueWaiting(const Books& made) noexcept : books(made) {}

  Books books;  ///< through which its orders go

  // ---- Lifetimes.

  /// ExpiryPassed or NoRoomForExpiry if an order cannot have its lifetime; else Success.
  /// @param needs_room whether it rests or waits for certain: another one needs room only for what is left of it
  [[nodiscard]] VenueStatus check_lifetime(const VenueCommand& order, bool needs_room) const noexcept {
    if (order.lifetime == Lifetime::UntilCancelled) return VenueStatus::Success;
    if (order.lifetime == Lifetime::UntilTime && order.expiry <= books.time) return VenueStatus::ExpiryPassed;
    return needs_room && !has_room_for_lifetime() ? VenueStatus::NoRoomForExpiry : VenueStatus::Success;
  }
  [[nodiscard]] bool has_room_for_lifetime() const noexcept {
    return books.venue.expiry.size() != books.venue.lifetimes_max;
  }
  /// Starts the lifetime of an order that rests or waits now. @return false if there is no room for it
  [[nodiscard]] bool begin_lifetime(const VenueCommand& order) noexcept {
    if (order.lifetime == Lifetime::UntilCancelled) return true;
    if (!has_room_for_lifetime()) return false;
    if (order.lifetime == Lifetime::UntilTime) (void)books.venue.expiry.add(order.id, order.expiry);
    if (order.lifetime == Lifetime::Day) (void)books.venue.expiry.add_day(order.id, order.book);
    return true;
  }
  void expire(OrderId id) noexcept {
    if (const std::optional<OpenOrder> order = books.open_order(id)) {
      books.cancel(*order, DeleteReason::Expired);
    } else {
      cancel_waiting(id, DeleteReason::Expired);
    }
  }

  // ---- Stops.

  /// An order of an account that waits.
  [[nodiscard]] std::optional<VenueCommand> stop_of(AccountNumber account, OrderId id) const noexcept {
    return of(account, stop(id));
  }
  [[nodiscard]] std::optional<VenueCommand> child_of(AccountNumber account, OrderId id) const noexcept {
    return of(account, child(id));
  }
  [[nodiscard]] bool waits(OrderId id) const noexcept { return stop(id) || child(id); }

  /// Adds an order that waits for the market, or for the parent of its bracket.
  [[nodiscard]] Answer wait(const VenueCommand& order, MessageRate rate) noexcept {
    if (rate == MessageRate::Counted) {
      if (const VenueStatus fault = fault_of(order); fault != VenueStatus::Success) return {fault};
      const bool hides = order.display == Display::Reserve;
      if ((hides && order.peak > order.quantity) || order.minimum > order.quantity) {
        return {VenueStatus::InvalidQuantity};
      }
    }
    if (books.open_order(order.id)) return {VenueStatus::DuplicateId};
    const bool is_child = order.link_role == LinkRole::BracketChild;
    const TriggerPrices prices = prices_of(order.book);
    const VenueStatus status = is_child ? VenueStatus::Success : books.venue.stops.check(order, prices);
    const bool has_room =
        status == VenueStatus::Success && (order.lifetime == Lifetime::UntilCancelled || has_room_for_lifetime());
    if (!has_room && (status == VenueStatus::Success || status == VenueStatus::NoRoomForStop) &&
        fires_at_once(order)) {
      return wait_for_nothing(order, rate);
    }
    if (status != VenueStatus::Success) return {status};
    const Answer accepted = accept_waiting(order, rate);
    if (accepted.status != VenueStatus::Success) return accepted;
    VenueCommand now = order;
    if (!is_child) {
      (void)books.venue.stops.add(order, prices);
      now = *books.venue.stops.find(order.id);
      books.touch(order.book);
    }
    books.venue.links.add(order);
    (void)begin_lifetime(order);  // there is room, as it was looked at
    books.tell.waits(Kind::StopAdded, now, now.quantity);
    return {VenueStatus::Success, RiskStatus::Success, {.remaining = now.quantity}};
  }

  /// Whether a stop fires before anything else may happen, so that it needs no room.
  [[nodiscard]] bool fires_at_once(const VenueCommand& order) const noexcept {
    return order.stop != StopTrigger::None && order.link_role != LinkRole::BracketChild && !at_once &&
           books.venue.symbols[order.book].trades() && StopOrders::holds_at_once(order, prices_of(order.book));
  }
  /// The stop that has no room and fires next, if there is one.
  std::optional<VenueCommand> at_once{};

  /// Takes off an order that waits, if one has this id.
  void cancel_waiting(OrderId id, DeleteReason reason) noexcept {
    if (const auto stop = books.venue.stops.cancel(id)) {
      waiting_ended(*stop, reason);
    } else if (const auto waiting = child(id)) {
      waiting_ended(*waiting, reason);
    }
  }
  /// Takes lots off a stop: all of them, or it changes.
  void reduce_stop(VenueCommand stop, Quantity by, DeleteReason reason) noexcept {
    if (by >= stop.quantity) return cancel_waiting(stop.id, reason);
    stop.quantity -= by;
    (void)books.venue.stops.modify(stop);
    books.tell.waits(Kind::StopChanged, stop, stop.quantity);
  }
  /// A stop gets more lots, if it may wait with so many.
  [[nodiscard]] Answer grow_stop(VenueCommand stop, Quantity by) noexcept {
    if (__builtin_add_overflow(stop.quantity, by, &stop.quantity)) return {VenueStatus::InvalidQuantity};
    if (const VenueStatus fault = fault_of(stop); fault != VenueStatus::Success) return {fault};
    const Answer accepted = accept_waiting(stop, MessageRate::Free);
    if (accepted.status != VenueStatus::Success) return accepted;
    (void)books.venue.stops.modify(stop);
    books.tell.waits(Kind::StopChanged, stop, stop.quantity);
    return accepted;
  }
  /// Cancel and Reduce of a stop, or Cancel of a child.
  [[nodiscard]] Answer take_off_waiting(const VenueCommand& order, const VenueCommand& command) noexcept {
    if (command.type == VenueCommandType::Cancel) {
      cancel_waiting(order.id, DeleteReason::Asked);
      return {VenueStatus::Success, RiskStatus::Success, {.cancelled = order.quantity}};
    }
    const VenueStatus status = books.venue.symbols[order.book].check(command.quantity);
    if (status != VenueStatus::Success) return {status};
    if (command.quantity == 0 || command.quantity > order.quantity) return {VenueStatus::InvalidQuantity};
    reduce_stop(order, command.quantity, DeleteReason::Asked);
    const Quantity left = order.quantity - command.quantity;
    return {VenueStatus::Success,
            RiskStatus::Success,
            {.remaining = left, .cancelled = command.quantity, .kept_place = left != 0}};
  }
  /// Gives a stop another trigger, limit and quantity.
  [[nodiscard]] Answer modify_stop(const VenueCommand& stop, const VenueCommand& command) noexcept {
    if (const VenueStatus status = books.venue.stops.check(command); status != VenueStatus::Success)
      return {status};
    VenueCommand changed = stop;
    changed.price = command.price;
    changed.quantity = command.quantity;
    if (const VenueStatus fault = fault_of(changed); fault != VenueStatus::Success) return {fault};
    const Answer accepted = accept_waiting(changed, MessageRate::Counted);
    if (accepted.status != VenueStatus::Success) return accepted;
    (void)books.venue.stops.modify(command);
    books.tell.waits(Kind::StopChanged, *books.venue.stops.find(stop.id), command.quantity);
    books.touch(stop.book);
    return {VenueStatus::Success, RiskStatus::Success, {.remaining = command.quantity}};
  }
  /// Takes off what waits in a scope, whose range is one of triggers, and of prices of children.
  void cancel_all_waiting(const CancelScope& scope, DeleteReason reason, Quantity& lots) noexcept {
    const auto tell = [&](const VenueCommand& order) {
      books.count(lots, order.quantity);
      waiting_ended(order, reason);
    };
    if (books.venue.stops.size() != 0) (void)books.venue.stops.mass_cancel(scope, tell);
    if (books.venue.links.size() != 0) books.venue.links.mass_cancel(scope, tell);
  }

  /// Whether there are stops to look at.
  [[nodiscard]] bool may_fire() const noexcept {
    return books.touched != Books::no_book && books.venue.stops.size() != 0;
  }
  /// Lets the stops of the books that have been touched follow the prices there, before these change again.
  void follow_prices() noexcept {
    if (!may_fire()) return;
    for (auto [book, end] = touched_books(); book < end; ++book) follow_prices(book);
  }
  void follow_prices(BookNumber book) noexcept {
    if (books.venue.stops.size() != 0 && books.venue.symbols[book].trades())
      books.venue.stops.follow(book, prices_of(book));
  }
  /// Takes off the next stop that fires in the books that have been touched, if there is one.
  [[nodiscard]] std::optional<VenueCommand> next_stop() noexcept {
    if (!may_fire()) return {};
    for (auto [book, end] = touched_books(); book < end; ++book) {
      if (!books.venue.symbols[book].trades()) continue;
      if (auto stop = books.venue.stops.next(book, prices_of(book))) return stop;
    }
    return {};
  }
  /// Tells the accounts the best prices of the books that have been touched: until its first trade, the collars
  /// of a book count from these.
  [[gnu::always_inline]] void tell_best_prices() noexcept {
    const bool one = books.venue.symbols.has(books.touched);
    if (one ? books.venue.symbols[books.touched].traded == 0 : books.touched != Books::no_book) [[unlikely]]
      tell_touched();
  }

  /// An order that waited is gone.
  void waiting_ended(const VenueCommand& order, DeleteReason reason) noexcept {
    books.tell.waits(Kind::Deleted, order, 0, reason);
    books.ended(order.id);
  }
  [[nodiscard]] std::optional<VenueCommand> stop(OrderId id) const noexcept {
    return books.venue.stops.size() == 0 ? std::nullopt : books.venue.stops.find(id);
  }

 private:
  /// Adds a stop that fires next, for which there is no room.
  [[nodiscard, gnu::noinline]] Answer wait_for_nothing(const VenueCommand& order, MessageRate rate) noexcept {
    const Answer accepted = accept_waiting(order, rate);
    if (accepted.status != VenueStatus::Success) return accepted;
    at_once = order;
    books.touch(order.book);
    books.venue.links.add(order);
    books.tell.waits(Kind::StopAdded, order, order.quantity);
    return {VenueStatus::Success, RiskStatus::Success, {.remaining = order.quantity}};
  }
  [[nodiscard]] std::optional<VenueCommand> child(OrderId id) const noexcept {
    return books.venue.links.size() == 0 ? std::nullopt : books.venue.links.find_waiting(id);
  }
  [[nodiscard]] static std::optional<VenueCommand> of(AccountNumber account,
                                                      const std::optional<VenueCommand>& order) noexcept {
    return order && order->account == account ? order : std::nullopt;
  }
  /// The books that have been touched, if one has, are from the first number up to the second.
  [[nodiscard]] std::pair<BookNumber, BookNumber> touched_books() const noexcept {
    if (books.touched == VenueCommand::all_books) return {0, books.venue.symbols.size()};
    return {books.touched, books.touched + 1};
  }
  [[gnu::noinline]] void tell_touched() noexcept {
    for (auto [book, end] = touched_books(); book < end; ++book) {
      if (books.venue.symbols[book].traded != 0) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        (void)books.venue.risk.on_best(book, side, books.venue.set().book(book)->best(side));
      }
    }
  }
  [[nodiscard]] TriggerPrices prices_of(BookNumber number) const noexcept {
    const Symbol& symbol = books.venue.symbols[number];
    const auto book = books.venue.set().book(number);
    return {symbol.traded != 0 ? std::optional(symbol.last) : std::nullopt, book->best_bid(), book->best_ask()};
  }
  /// What an order that waits says of itself that no book takes at any time. Its peak and its minimum are not
  /// looked at beside its quantity: they are at most that when it comes to its book.
  [[nodiscard]] VenueStatus fault_of(const VenueCommand& order) const noexcept {
    const bool at_market = order.type == VenueCommandType::AddMarket;
    const bool rests = !at_market && rests_later(order.time_in_force);
    if (order.side > Side::Sell || order.time_in_force > TimeInForce::FillOrKill ||
        order.self_trade > SelfTrade::Decrement || order.display > Display::Hidden) {
      return VenueStatus::InvalidCommand;
    }
    if (order.display != Display::Whole && !rests) return VenueStatus::InvalidCommand;
    if (order.minimum != 0 && (at_market || order.time_in_force != TimeInForce::ImmediateOrCancel)) {
      return VenueStatus::InvalidCommand;
    }
    if (order.stop != StopTrigger::None && order.trail < 0) return VenueStatus::InvalidTrigger;
    if (order.quantity == 0 || order.quantity > books.venue.quantity_max) return VenueStatus::InvalidQuantity;
    if (order.display == Display::Reserve && (order.peak == 0 || (order.quantity - 1) / order.peak >= peaks_max)) {
      return VenueStatus::InvalidQuantity;
    }
    const bool beyond = order.type == VenueCommandType::AddLimit && rests &&
                        order.price == std::numeric_limits<Price>::max();  // no book has it
    return beyond ? VenueStatus::OutsideBands : VenueStatus::Success;
  }
  [[nodiscard]] static bool rests_later(TimeInForce time_in_force) noexcept {
    return time_in_force == TimeInForce::GoodTillCancel || time_in_force == TimeInForce::PostOnly;
  }
  [[nodiscard]] Answer accept_waiting(const VenueCommand& order, MessageRate rate) noexcept {
    const bool at_market = order.type == VenueCommandType::AddMarket;
    const Price price = order.type == VenueCommandType::AddLimit ? order.price : 0;  // or nobody knows it yet
    RiskStatus risk =
        books.venue.risk.check_by_itself(order.account, at_market ? std::nullopt : std::optional(price),
                                         !at_market && rests_later(order.time_in_force), order.quantity);
    if (risk == RiskStatus::Success)
      risk = books.venue.risk.accept_waiting(order.account, order.quantity, books.time, rate);
    if (risk != RiskStatus::Success) return {VenueStatus::RefusedByRisk, risk};
    books.venue.now = books.time;
    return {};
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
