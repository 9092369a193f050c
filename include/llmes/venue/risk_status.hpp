// SPDX-License-Identifier: MIT
//
// How a call of the risk stage went.
#pragma once

#include <cstdint>

#include "llmes/detail/enumerator_name.hpp"
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

}  // namespace llmes::inline LLMES_NAMESPACE
