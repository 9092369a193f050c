// SPDX-License-Identifier: MIT
//
// What a strategy may do and read. It knows what has reached it, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "llmes/simulator/trader.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {
template <class Impact>
class ShadowPass;
}  // namespace detail

template <class Impact>
class Desk {
 public:
  explicit Desk(detail::Trader<Impact>& trader) noexcept : trader_(trader) {}

  // ---- Commands. Each is on its way for a while; the venue's answer comes back to `on_answer`.

  /// Sends a limit order. `tag` is for the strategy. @return its number, from 0 up, if `status` is `Success`.
  /// Refusals, by which nothing is sent: AfterEnd, UnknownBook, InvalidCommand, InvalidQuantity, InvalidPrice,
  /// TooManyOrders.
  Sent add(BookNumber book, Side side, PriceArgument price, QuantityArgument quantity,
           TimeInForce time_in_force = TimeInForce::GoodTillCancel, std::uint64_t tag = 0) {
    return trader_.add(book, side, price, quantity, time_in_force, tag, false);
  }
  /// Sends a limit order of which at most `peak` lots show, from 1 to all and at least one in `peaks_max`; what
  /// has traded is refilled at the back of its level. The same refusals. For `VenueImpact` alone.
  Sent add_reserve(BookNumber book, Side side, PriceArgument price, QuantityArgument quantity,
                   QuantityArgument peak, TimeInForce time_in_force = TimeInForce::GoodTillCancel,
                   std::uint64_t tag = 0)
    requires requires { requires Impact::has_rules; }  // Clang 14 refuses a class without it if asked for it alone
  {
    if (Quantity{peak} == 0) return {SendStatus::InvalidQuantity};
    return trader_.add(book, side, price, quantity, time_in_force, tag, false, peak);
  }
  /// Sends an order that takes at any price, and never rests. The same refusals, but InvalidPrice.
  Sent add_market(BookNumber book, Side side, QuantityArgument quantity, std::uint64_t tag = 0) {
    const Price price =
        side == Side::Buy ? std::numeric_limits<Price>::max() - 1 : std::numeric_limits<Price>::min() + 1;
    return trader_.add(book, side, price, quantity, TimeInForce::ImmediateOrCancel, tag, true);
  }
  /// Asks for another price and so many open lots; as in a book, the order keeps its place if the price stays and
  /// the lots do not grow. Refusals: AfterEnd, UnknownOrder, InvalidQuantity, InvalidPrice.
  SendStatus modify(OwnOrderId order, PriceArgument price, QuantityArgument quantity) {
    return trader_.modify(order, price, quantity);
  }
  /// Asks for the end of an order; it may be filled before. Refusals: AfterEnd, UnknownOrder.
  SendStatus cancel(OwnOrderId order) { return trader_.cancel(order); }

  // ---- What wakes the strategy, beside answers and fills.

  /// From now on, `on_market` tells when one of the best levels of a book changes: of 1 to 10 each side. So
  /// does `on_trade` of each trade. Refusals: AfterEnd, UnknownBook, InvalidQuantity (of the levels).
  SendStatus subscribe(BookNumber book, std::size_t levels = 1) { return trader_.subscribe(book, levels); }
  /// Calls `on_timer` with `tag` at a time, or now if it has passed.
  void wake_at(Nanoseconds time, std::uint64_t tag = 0) { trader_.wake_at(time, tag); }

  // ---- What the strategy knows. Constant, but `view`: logarithmic in the subscriptions.

  [[nodiscard]] Nanoseconds now() const noexcept { return trader_.now(); }
  /// A subscribed book, as last seen; without levels if it is not subscribed. Valid until the next `subscribe`.
  [[nodiscard]] const MarketView& view(BookNumber book) const noexcept { return trader_.view(book); }
  /// Lots bought less lots sold.
  [[nodiscard]] std::int64_t position(BookNumber book) const noexcept { return trader_.known_position(book); }
  /// What fills and fees have brought, in micro-units (see accounts.hpp).
  [[nodiscard]] Amount cash() const noexcept { return trader_.known_cash(); }
  /// An order of the strategy; without a number if it has not sent one of this number.
  [[nodiscard]] KnownOrder order(OwnOrderId order) const noexcept { return trader_.known_order(order); }
  /// The numbers of the orders that rest, the oldest first.
  [[nodiscard]] std::span<const OwnOrderId> open_orders() const noexcept { return trader_.known_open(); }

 private:
  template <class>
  friend class detail::ShadowPass;

  detail::Trader<Impact>& trader_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
