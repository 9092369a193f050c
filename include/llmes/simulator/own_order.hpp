// SPDX-License-Identifier: MIT
//
// Orders of a strategy under test, their fills, and what the strategy is told of them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Whether a price is that of a market order: one that no book has.
[[nodiscard]] constexpr bool is_at_any_price(Price price) noexcept {
  return price >= std::numeric_limits<Price>::max() - 1 || price <= std::numeric_limits<Price>::min() + 1;
}

/// An own order of a strategy: 0 is its first one.
using OwnOrderId = std::uint32_t;
inline constexpr OwnOrderId no_order = std::numeric_limits<OwnOrderId>::max();

/// The answer to a strategy's call. Everything but `Success` is a refusal: nothing was sent.
enum class SendStatus : std::uint8_t {
  Success,
  UnknownBook,
  UnknownOrder,     ///< the strategy has no such order
  InvalidCommand,   ///< side or time in force is not an enumerator
  InvalidQuantity,  ///< 0, above `lots_max`, or no multiple of the lot
  InvalidPrice,     ///< no multiple of the tick
  TooManyOrders,    ///< the strategy has sent `orders_max`
  AfterEnd,         ///< the simulator has finished
};

enum class OwnOrderState : std::uint8_t {
  Sent,       ///< on its way to the venue
  Resting,    ///< in the market, with `open` lots
  Filled,     ///< completely
  Cancelled,  ///< `reason` says why
  Rejected,   ///< `reason` says why
};

/// Why an order ended without being filled, or a cancel or modify was too late.
enum class OwnReason : std::uint8_t {
  None,
  Requested,      ///< by the strategy's cancel
  Immediate,      ///< immediate-or-cancel: the rest found no maker
  NotFillable,    ///< fill-or-kill: not all of it would trade
  WouldCross,     ///< post-only: some of it would trade
  OwnOrderFaces,  ///< it would trade with an own order
  Halted,         ///< the venue matches nothing
  Closed,         ///< the venue takes no more orders
  InAuction,      ///< an order that may not rest, in an auction or while the book is crossed or locked
  TooLate,        ///< of a cancel or modify: the order had ended
  NoRoom,         ///< `DisplaceImpact` has no room for another order
  SelfTrade,      ///< it met an own order, and the venue's rule took it off
};

struct OwnOrder {
  std::uint64_t tag = 0;  ///< the strategy's
  Price price = 0;        ///< as sent, or as last modified
  Quantity quantity = 0;  ///< lots as sent, or as last modified plus what was filled before
  Quantity open = 0;
  Quantity filled = 0;
  Quantity peak = 0;        ///< of a reserve: the most lots that show; 0: all do
  Nanoseconds sent = 0;     ///< when the strategy sent it
  Nanoseconds arrived = 0;  ///< when it came to the venue
  Nanoseconds ended = 0;
  std::uint64_t arrived_record = 0;  ///< the last record before it came
  std::uint64_t ended_record = 0;    ///< the one that ended it
  std::uint64_t stamp = 0;           ///< its place in time among the orders of its level
  QueuePosition at_entry{};          ///< what was ahead of it when it began to rest, where it was sent to
  QueuePosition ahead{};             ///< what is ahead of it now; kept with `TapeImpact` alone
  OwnOrderId id = no_order;
  BookNumber book = 0;
  std::uint32_t last_step = 0;  ///< the newest entry of its story, from 1; 0: none
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  OwnOrderState state = OwnOrderState::Sent;
  OwnReason reason = OwnReason::None;
  // What the strategy has been told.
  OwnOrderState known_state = OwnOrderState::Sent;
  Quantity known_open = 0;
  Price known_price = 0;
  bool has_paid = false;       ///< the fee of an order
  std::uint32_t modified = 0;  ///< how many modifies took effect
  Price sent_price = 0;
  Quantity sent_quantity = 0;
};

/// An order as its strategy knows it: what was on its way to it is not in here.
struct KnownOrder {
  OwnOrderId id = no_order;
  std::uint64_t tag = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity open = 0;
  OwnOrderState state = OwnOrderState::Sent;

  /// Whether it exists and may still trade.
  [[nodiscard]] constexpr bool is_open() const noexcept {
    return id != no_order && state <= OwnOrderState::Resting;
  }
};

/// What a call of a strategy has sent.
struct Sent {
  SendStatus status = SendStatus::Success;
  OwnOrderId order = no_order;
};

/// Why an own order traded.
enum class FillCause : std::uint8_t {
  Took,       ///< it came, and took displayed orders
  Behind,     ///< an order behind it, at its price, was executed
  Through,    ///< an order at a worse price was executed
  Crossed,    ///< an order came that crosses it
  Rematched,  ///< a rebuilt taker met it (`DisplaceImpact`)
  Auction     ///< an auction printed at its price or a better one; `other` is the order behind it, or 0
};

struct OwnFill {
  Price price = 0;
  Quantity quantity = 0;
  Nanoseconds time = 0;
  std::uint64_t record = 0;  ///< of the event that caused it; for `Took`, the last record before
  OrderId other = 0;      ///< the order of the market that it traded with, or whose execution it took; 0: a taker
  Amount fee = 0;         ///< micro-units; negative: a rebate
  Price mid2 = 0;         ///< twice the mid at that moment; 0 and no side: see `has_mid`
  Price mid2_later = 0;   ///< twice the mid one second later
  QueuePosition ahead{};  ///< before this fill: nothing, if it traded in turn
  OwnOrderId order = no_order;
  Side side = Side::Buy;  ///< of the own order
  FillCause cause = FillCause::Took;
  bool has_mid = false;
  bool has_mid_later = false;

  [[nodiscard]] constexpr bool is_maker() const noexcept { return cause != FillCause::Took; }
  friend constexpr bool operator==(const OwnFill&, const OwnFill&) = default;
};

/// What the venue answers to a command.
enum class AnswerType : std::uint8_t { Accepted, Modified, Cancelled, Rejected, ModifyRejected, CancelRejected };
struct Answer {
  OwnOrderId order = no_order;
  AnswerType type = AnswerType::Accepted;
  OwnReason reason = OwnReason::None;
  Nanoseconds venue_time = 0;
};

/// A change of an order's story: what was ahead of it after a record.
struct Step {
  Nanoseconds time = 0;
  std::uint64_t record = 0;
  QueuePosition ahead{};
  std::uint32_t before = 0;  ///< the entry before, from 1; 0: none
  OwnOrderId order = no_order;
};

/// A modify of an own order, when it came to the venue.
struct OwnModify {
  Nanoseconds time = 0;
  std::uint64_t record = 0;  ///< the last record before it came
  Price price = 0;
  Quantity quantity = 0;           ///< lots to be open, before it took any
  QueuePosition ahead{};           ///< what was ahead of the order from then on; nothing if it did not rest
  std::uint64_t fills_before = 0;  ///< how many fills of the strategy came before it
  OwnOrderId order = no_order;
  OwnReason reason = OwnReason::None;  ///< why it was refused; None: it took effect
};

[[nodiscard]] constexpr std::string_view to_string(OwnOrderState state) noexcept {
  return detail::enumerator_name<OwnOrderState::Rejected>(
      state, {"on its way", "resting", "filled", "cancelled", "rejected"});
}
[[nodiscard]] constexpr std::string_view to_string(OwnReason reason) noexcept {
  return detail::enumerator_name<OwnReason::SelfTrade>(
      reason, {"no reason", "the strategy cancelled it", "immediate-or-cancel found no more",
               "fill-or-kill found too little", "post-only would have traded", "it would trade with an own order",
               "the market was halted", "the market was closed", "it may not rest, and nothing was matched",
               "the order had ended", "there is no room for it", "it met an own order"});
}
[[nodiscard]] constexpr std::string_view to_string(FillCause cause) noexcept {
  return detail::enumerator_name<FillCause::Auction>(
      cause, {"it took displayed lots", "an order behind it traded", "the market traded through its price",
              "an order came that crosses it", "a rebuilt taker met it", "it took part in an auction"});
}

}  // namespace llmes::inline LLMES_NAMESPACE
