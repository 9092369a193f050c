// SPDX-License-Identifier: MIT
//
// What goes into a risk stage beside commands, and what comes out: statuses, limits, actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Everything but `Success` is a rejection, and has changed nothing. Of several faults the first here is told.
enum class RiskStatus : std::uint8_t {
  Success,
  UnknownAccount,     ///< no account has this number; 0 is nobody's
  InvalidCommand,     ///< the command's type or side is not an enumerator
  TimeWentBack,       ///< the time is before that of the last command accepted
  UnknownOrder,       ///< no open order of this account has this name
  UnknownBook,        ///< no book has this number
  AccountKilled,      ///< the account may only cancel and reduce
  TooManyMessages,    ///< the account has used up its burst
  QuantityLimit,      ///< more lots than an order may have
  NoReference,        ///< a limit needs a reference price, and the book has none
  OutsideCollar,      ///< the price is too far from the reference
  NotionalOverflow,   ///< price times quantity does not fit 64 bits with a sign
  NotionalLimit,      ///< price times quantity is more than an order may have
  OpenOrdersLimit,    ///< the account has as many open orders as it may
  OpenQuantityLimit,  ///< the account would have too many open lots on this side of the book
  PositionOverflow,   ///< the position would not fit 64 bits if all that is open traded
  PositionLimit,      ///< the position would leave its range if all that is open on this side traded
  WouldIncrease,      ///< a command that may only reduce would increase the position if all that is open traded
  NoRoomForOrder,     ///< the stage holds as many open orders as it was made for
  NoRoomForHolding,   ///< the stage holds as many pairs of account and book as it was made for
  NeedsPrice,         ///< a market order of an account whose cash is limited: nobody knows what it may cost
  CashLimit,          ///< cash and credit, less what is reserved, do not cover it
  InvalidLimit,       ///< a limit of 0 or below, or too large a burst; see `AccountLimits`
  InvalidRange,       ///< a range whose lowest is above its highest
  Mismatch,           ///< a trade or result that does not fit the command accepted last, or the open orders
};

/// What a risk stage is made for.
struct RiskConfig {
  std::uint32_t accounts = 0;  ///< they are 1 to this number
  std::uint32_t books = 1;     ///< they are 0 to this number less one
  /// The most open orders: one more than the capacity of the book or set behind. So the book says when it is full,
  /// and an order that trades at once is not refused then.
  std::size_t orders = 0;
  std::size_t holdings = 0;  ///< the most pairs of an account and a book that have a position or an open order
  Fees fees{};
};

/// The limits of an account. Each is the largest that is accepted; as it is here, it limits nothing. To stop an
/// account, kill it: a limit of 0 is refused, because it is a mistake more often than it is meant.
struct AccountLimits {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  Quantity order_quantity = std::numeric_limits<Quantity>::max();  ///< lots of an order
  /// The size of price times quantity of an order, in ticks times lots. Of a market order, at the reference price.
  std::int64_t order_notional = unlimited;
  std::uint32_t open_orders = std::numeric_limits<std::uint32_t>::max();
  Quantity open_quantity = std::numeric_limits<Quantity>::max();  ///< open lots on one side of one book
  /// The range of the position in a book if all that is open on one side traded; sold lots count below 0. A
  /// `position_min` of 0 forbids to sell short.
  std::int64_t position_min = -unlimited;
  std::int64_t position_max = unlimited;
  /// How far a price may be from the reference, in ticks: at least `collar_low` above it, which may be negative,
  /// and at most `collar_high`. As they are here, no reference is needed.
  Price collar_low = std::numeric_limits<Price>::min();
  Price collar_high = std::numeric_limits<Price>::max();
  /// What the account may owe, in ticks times lots; 0 for one that pays in advance.
  std::int64_t credit = unlimited;
  /// How many messages may come at once. Each is regained after `message_interval` nanoseconds, so in the long run
  /// that is the distance of two. 0 nanoseconds: the rate is not limited.
  std::uint32_t message_burst = 1;
  std::uint32_t message_interval = 0;
  bool cancel_on_disconnect = false;
};

/// InvalidLimit if a limit other than the credit, and `position_min` or `position_max` alone, is 0, or negative;
/// InvalidRange if a lowest position or price is above the highest, or a position of 0 is left out; or Success.
[[nodiscard]] constexpr RiskStatus check(const AccountLimits& limits) noexcept {
  const bool all_positive = limits.order_quantity > 0 && limits.order_notional > 0 && limits.open_orders > 0 &&
                            limits.open_quantity > 0 && limits.message_burst > 0 && limits.credit >= 0 &&
                            (limits.position_min != 0 || limits.position_max != 0);
  if (!all_positive) return RiskStatus::InvalidLimit;
  const bool upside_down =
      limits.position_min > 0 || limits.position_max < 0 || limits.collar_low > limits.collar_high;
  return upside_down ? RiskStatus::InvalidRange : RiskStatus::Success;
}

/// What happens to an account as a whole; a value, for queues and journals.
enum class AccountAction : std::uint8_t {
  Kill,        ///< from now on it may only cancel and reduce; its open orders are cancelled
  Restore,     ///< the opposite of `Kill`; nothing comes back
  Disconnect,  ///< its open orders are cancelled if its limits say so
};
struct AccountCommand {
  AccountNumber account = 0;
  AccountAction action = AccountAction::Kill;
};

/// What a command may do to the position of its account.
enum class PositionEffect : std::uint8_t {
  Any,
  OnlyReduce,  ///< with all that is open on its side it may close the position, and go no further
};

/// Whether a command counts as a message of its account.
enum class MessageRate : std::uint8_t {
  Counted,
  Free,  ///< it was counted before: the order of a stop that has fired
};

/// How a command went: `result` is the book's, if `risk` is `Success` or `Mismatch`; else its status is
/// `InvalidCommand` and the book has not seen the command.
struct CheckedResult {
  RiskStatus risk = RiskStatus::Success;
  Result result{};
};

namespace detail {
[[nodiscard]] constexpr bool takes_off(CommandType type) noexcept {
  return type == CommandType::Cancel || type == CommandType::Reduce;
}
[[nodiscard]] constexpr bool may_rest(CommandType type, TimeInForce time_in_force) noexcept {
  return has_time_in_force(type)
             ? time_in_force != TimeInForce::ImmediateOrCancel && time_in_force != TimeInForce::FillOrKill
             : type != CommandType::AddMarket;
}
/// The command that was accepted last; of account 0 if it has had its result.
struct CommandAtWork {
  AccountNumber account;
  BookNumber book;
  Side side;
  CommandType type;
  OpenOrders::Slot slot;  ///< of the order that it names
  std::uint32_t holding;  ///< the place of the account's holding; of an account that has none, none
  Quantity left;          ///< lots that may still trade or rest
  Price price;
  OrderId new_id;  ///< of the order that it adds, or by which it replaces
  std::uint64_t client_tag;

  /// Starts one that may not trade: it has no lots left. Member by member, because what has just been written
  /// cannot be copied in larger pieces without a wait.
  void begin(AccountNumber of, CommandType what, OpenOrders::Slot named, BookNumber in, Side from) noexcept {
    account = of;
    book = in;
    side = from;
    type = what;
    slot = named;
    left = 0;
  }
};
}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
