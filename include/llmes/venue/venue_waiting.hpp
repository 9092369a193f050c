// SPDX-License-Identifier: MIT
//
// What waits in a venue: stops until the market reaches them, and orders until they expire. A part of venue.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

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
class VenueWaiting : public VenueBooks<Book, Reports> {
  using Books = VenueBooks<Book, Reports>;

 public:
  using Books::Books;

 protected:
  using Books::cancel, Books::ended, Books::open_order, Books::tell_, Books::time_, Books::touch, Books::touched_,
      Books::venue_;
  using typename Books::Answer, typename Books::Kind;

  // ---- Lifetimes.

  /// ExpiryPassed or NoRoomForExpiry if an order cannot have its lifetime; else Success.
  [[nodiscard]] VenueStatus check_lifetime(const VenueCommand& order) const noexcept {
    if (order.lifetime == Lifetime::UntilCancelled) return VenueStatus::Success;
    if (order.lifetime == Lifetime::UntilTime && order.expiry <= time_) return VenueStatus::ExpiryPassed;
    return venue_.expiry.size() == venue_.lifetimes_max ? VenueStatus::NoRoomForExpiry : VenueStatus::Success;
  }
  /// Starts the lifetime of an order that rests or waits now.
  void begin_lifetime(const VenueCommand& order) noexcept {
    if (order.lifetime == Lifetime::UntilTime) (void)venue_.expiry.add(order.id, order.expiry);
    if (order.lifetime == Lifetime::Day) (void)venue_.expiry.add_day(order.id, order.book);
  }
  void forget_lifetime(OrderId id) noexcept {
    if (venue_.expiry.size() != 0) venue_.expiry.remove(id);
  }
  void expire(OrderId id) noexcept {
    if (const std::optional<OpenOrder> order = open_order(id)) {
      cancel(*order, DeleteReason::Expired);
    } else if (const std::optional<VenueCommand> stop = venue_.stops.cancel(id)) {
      stop_ended(*stop, DeleteReason::Expired);
    }
  }

  // ---- Stops.

  /// Whether an order that waits has this id.
  [[nodiscard]] bool waits(OrderId id) const noexcept { return venue_.stops.size() != 0 && venue_.stops.find(id); }

  /// Adds an order that the market is to reach, and that is right in itself.
  [[nodiscard]] Answer wait(const VenueCommand& stop) noexcept {
    if (stop.side > Side::Sell || stop.time_in_force > TimeInForce::FillOrKill ||
        stop.self_trade > SelfTrade::Decrement || stop.display > Display::Hidden) {
      return {VenueStatus::InvalidCommand};
    }
    if (open_order(stop.id)) return {VenueStatus::DuplicateId};
    const Answer accepted = accept_waiting(stop.account, stop.quantity);
    if (accepted.status != VenueStatus::Success) return accepted;
    const VenueStatus status = venue_.stops.add(stop, prices_of(stop.book));
    if (status != VenueStatus::Success) return {status};
    begin_lifetime(stop);
    tell_.waits(Kind::StopAdded, *venue_.stops.find(stop.id), stop.quantity);
    touch(stop.book);
    return {VenueStatus::Success, RiskStatus::Success, {.remaining = stop.quantity}};
  }

  /// A stop of an account, if it waits.
  [[nodiscard]] std::optional<VenueCommand> stop_of(AccountNumber account, OrderId id) const noexcept {
    if (venue_.stops.size() == 0) return {};
    std::optional<VenueCommand> stop = venue_.stops.find(id);
    if (stop && stop->account != account) stop.reset();
    return stop;
  }
  /// Cancels a stop, or reduces it.
  [[nodiscard]] Answer take_off_stop(const VenueCommand& stop, const VenueCommand& command) noexcept {
    const bool reduces = command.type == VenueCommandType::Reduce;
    if (reduces && (command.quantity == 0 || command.quantity > stop.quantity))
      return {VenueStatus::InvalidQuantity};
    if (!reduces || command.quantity == stop.quantity) {
      (void)venue_.stops.cancel(stop.id);
      stop_ended(stop, DeleteReason::Asked);
      return {VenueStatus::Success, RiskStatus::Success, {.cancelled = stop.quantity}};
    }
    VenueCommand less = stop;
    less.quantity -= command.quantity;
    (void)venue_.stops.modify(less);
    tell_.waits(Kind::StopChanged, less, less.quantity);
    return {VenueStatus::Success,
            RiskStatus::Success,
            {.remaining = less.quantity, .cancelled = command.quantity, .kept_place = true}};
  }
  /// Gives a stop another trigger, limit and quantity.
  [[nodiscard]] Answer modify_stop(const VenueCommand& stop, const VenueCommand& command) noexcept {
    const Answer accepted = accept_waiting(stop.account, command.quantity);
    if (accepted.status != VenueStatus::Success) return accepted;
    const VenueStatus status = venue_.stops.modify(command);
    if (status != VenueStatus::Success) return {status};
    tell_.waits(Kind::StopChanged, *venue_.stops.find(stop.id), command.quantity);
    touch(stop.book);
    return {VenueStatus::Success, RiskStatus::Success, {.remaining = command.quantity}};
  }
  void cancel_stops(const CancelScope& scope, DeleteReason reason, Quantity& lots) noexcept {
    if (venue_.stops.size() == 0) return;
    (void)venue_.stops.mass_cancel(scope, [&](const VenueCommand& stop) {
      lots += std::min(stop.quantity, std::numeric_limits<Quantity>::max() - lots);
      stop_ended(stop, reason);
    });
  }

  /// Takes off the next stop that fires in the books that have been touched, if there is one.
  [[nodiscard]] std::optional<VenueCommand> next_stop() noexcept {
    if (touched_ == Books::no_book || venue_.stops.size() == 0) return {};
    const bool all = touched_ == VenueCommand::all_books;
    const BookNumber end = all ? venue_.symbols.size() : touched_ + 1;
    for (BookNumber book = all ? 0 : touched_; book < end; ++book) {
      if (!venue_.symbols[book].trades()) continue;
      if (auto stop = venue_.stops.next(book, prices_of(book))) return stop;
    }
    return {};
  }

 private:
  [[nodiscard]] TriggerPrices prices_of(BookNumber number) const noexcept {
    const Symbol& symbol = venue_.symbols[number];
    const auto book = venue_.set().book(number);
    return {symbol.traded != 0 ? std::optional(symbol.last) : std::nullopt, book->best_bid(), book->best_ask()};
  }
  [[nodiscard]] Answer accept_waiting(AccountNumber account, Quantity lots) noexcept {
    const RiskStatus risk = venue_.risk.accept_waiting(account, lots, time_);
    if (risk != RiskStatus::Success) return {VenueStatus::RefusedByRisk, risk};
    venue_.now = time_;
    return {};
  }
  void stop_ended(const VenueCommand& stop, DeleteReason reason) noexcept {
    tell_.waits(Kind::Deleted, stop, 0, reason);
    ended(stop.id);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
