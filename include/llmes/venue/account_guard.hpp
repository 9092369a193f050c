// SPDX-License-Identifier: MIT
//
// The limits of an account at work. A part of the risk stage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "llmes/types/types.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a new order is compared with: a book's last trade, else the other side's best, else the day's reference.
class Reference {
 public:
  void traded(Price price) noexcept { set(0, price); }
  /// The best price of a side has changed.
  void best(Side side, Price price) noexcept { set(1 + static_cast<unsigned>(side), price); }
  void no_best(Side side) noexcept { known_ &= ~(std::uint64_t{2} << static_cast<unsigned>(side)); }
  void of_day(Price price) noexcept { set(3, price); }

  /// Whether there is one for an order of this side; then `price` is it.
  [[nodiscard]] bool get(Side side, Price& price) const noexcept {
    const unsigned best = 1 + static_cast<unsigned>(opposite(side));
    const unsigned source = (known_ & 1) != 0 ? 0 : (known_ >> best & 1) != 0 ? best : 3;
    price = prices_[source];
    return (known_ >> source & 1) != 0;
  }

 private:
  void set(unsigned source, Price price) noexcept {
    prices_[source] = price;
    known_ |= std::uint64_t{1} << source;
  }

  Price prices_[4];      ///< last, best bid, best ask, of the day
  std::uint64_t known_;  ///< a bit for each
};

namespace detail {
/// The limits of an account as they are looked at, and what they count.
struct alignas(64) AccountGuard {
  Quantity order_quantity;
  std::int64_t order_notional;
  Quantity open_quantity;
  std::int64_t positions[2];  ///< the most lots that may be bought, and that may be sold
  Price collar_low, collar_high;
  std::int64_t credit;
  std::uint64_t backlog;       ///< at `backlog_time`: nanoseconds until all messages are regained
  std::uint64_t backlog_time;  ///< of the last message that counted
  std::uint64_t backlog_max;   ///< up to which one more message may come
  std::uint32_t message_interval;
  std::uint32_t open_orders;
  std::uint32_t open_count;  ///< open orders
  std::uint32_t holding;     ///< the place of the one that was used last
  bool has_collar;
  bool has_credit_limit;
  bool cancel_on_disconnect;
  bool killed;
  std::uint32_t unused[5];  ///< so that no byte is left to chance

  void set(const AccountLimits& limits) noexcept {
    order_quantity = limits.order_quantity;
    order_notional = limits.order_notional;
    open_quantity = limits.open_quantity;
    positions[0] = limits.position_max;
    positions[1] = -std::max(limits.position_min, -AccountLimits::unlimited);
    collar_low = limits.collar_low;
    collar_high = limits.collar_high;
    credit = limits.credit;
    backlog_max = std::uint64_t{limits.message_burst - 1} * limits.message_interval;
    message_interval = limits.message_interval;
    open_orders = limits.open_orders;
    has_collar = collar_low != AccountLimits{}.collar_low || collar_high != AccountLimits{}.collar_high;
    has_credit_limit = credit != AccountLimits::unlimited;
    cancel_on_disconnect = limits.cancel_on_disconnect;
  }
  /// Whether it may be read, if it comes from an untrusted image.
  [[nodiscard]] bool holds() const noexcept {
    for (const bool* const word : {&has_collar, &has_credit_limit, &cancel_on_disconnect, &killed}) {
      std::uint8_t byte{};
      std::memcpy(&byte, word, 1);
      if (byte > 1) return false;
    }
    return true;
  }
  /// How far a price is above another one; the largest number there is of its sign if it does not fit.
  [[nodiscard]] static Price distance(Price price, Price from) noexcept {
    Price above{};
    if (!__builtin_sub_overflow(price, from, &above)) return above;
    return price < from ? std::numeric_limits<Price>::min() : std::numeric_limits<Price>::max();
  }
  [[nodiscard]] std::uint64_t backlog_at(Nanoseconds time) const noexcept {
    return backlog - std::min(backlog, time - backlog_time);
  }

  /// Looks at the size of an order and, unless it is one at the market, at its price.
  [[nodiscard]] RiskStatus check_price(const Reference& reference, bool at_market, Side side, Price price,
                                       Quantity lots) const noexcept {
    if (lots > order_quantity) return RiskStatus::QuantityLimit;
    if (at_market && order_notional == AccountLimits::unlimited) return RiskStatus::Success;
    if (at_market || has_collar) {
      Price middle{};
      if (!reference.get(side, middle)) return RiskStatus::NoReference;
      if (at_market) {
        price = middle;
      } else if (const Price above = distance(price, middle); above < collar_low || above > collar_high) {
        return RiskStatus::OutsideCollar;
      }
    }
    const std::uint64_t size = notional(price, lots);
    if (size <= static_cast<std::uint64_t>(order_notional)) [[likely]]
      return RiskStatus::Success;
    return size == too_large ? RiskStatus::NotionalOverflow : RiskStatus::NotionalLimit;
  }

  /// Looks at the position if `open` lots and those of the order traded, all of them on this side.
  [[nodiscard]] RiskStatus check_position(std::int64_t position, Side side, Quantity open, Quantity lots,
                                          bool only_reduces) const noexcept {
    const std::int64_t held = on_side(position, side);
    const std::int64_t most = only_reduces ? 0 : positions[static_cast<unsigned>(side)];
    Quantity all{};
    const bool fits = !__builtin_add_overflow(open, lots, &all);
    if (fits && held <= most && all <= room(held, most)) [[likely]]
      return RiskStatus::Success;
    if (!position_fits(position, side, open, lots)) return RiskStatus::PositionOverflow;
    return only_reduces ? RiskStatus::WouldIncrease : RiskStatus::PositionLimit;
  }

  static constexpr std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();
  /// The size of price times quantity; `too_large` if it does not fit 64 bits with a sign.
  [[nodiscard]] static std::uint64_t notional(Price price, Quantity lots) noexcept {
    const auto number = static_cast<std::uint64_t>(price);
    std::uint64_t size{};
    const bool overflows = __builtin_mul_overflow(price < 0 ? 0 - number : number, lots, &size);
    return overflows || size > std::uint64_t{AccountLimits::unlimited} ? too_large : size;
  }
  /// Whether the position fits 64 bits with a sign if so many lots, and those of an order, traded on this side.
  [[nodiscard]] static bool position_fits(std::int64_t position, Side side, Quantity open,
                                          Quantity lots) noexcept {
    const std::uint64_t most = room(on_side(position, side), AccountLimits::unlimited);
    return open <= most && lots <= most - open;
  }

 private:
  /// A position in lots on this side, below 0 if it is on the other.
  [[nodiscard]] static std::int64_t on_side(std::int64_t position, Side side) noexcept {
    const std::int64_t sign = -static_cast<std::int64_t>(side);
    return (position ^ sign) - sign;
  }
  [[nodiscard]] static std::uint64_t room(std::int64_t held, std::int64_t most) noexcept {
    return static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(held);
  }
};
}  // namespace detail

// No byte is left to chance: the same commands leave the same bytes.
static_assert(std::has_unique_object_representations_v<Reference>);
static_assert(std::has_unique_object_representations_v<detail::AccountGuard>);

}  // namespace llmes::inline LLMES_NAMESPACE
