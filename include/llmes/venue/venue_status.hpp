// SPDX-License-Identifier: MIT
//
// How a command to a venue went.
#pragma once

#include <cstdint>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Everything but `Success` is a rejection. It has changed nothing, but that a command refused by the book counts
/// as a message of its account; and that a mass quote refused as a whole has taken off its quotes. A command with
/// several faults has one of them.
enum class VenueStatus : std::uint8_t {
  Success,
  InvalidCommand,   ///< a type, phase or other word is no enumerator, or does not go with the type
  TimeWentBack,     ///< the time is before that of the last command accepted
  UnknownBook,      ///< no book has this number
  UnknownOrder,     ///< the account has no order that rests or waits and has this id
  Closed,           ///< the book takes cancels and reductions alone: it is closed
  Halted,           ///< the same: it is halted
  NotInAuction,     ///< the book collects orders, and takes those alone that may rest
  InvalidQuantity,  ///< an order that waits has 0 lots, or more, or a peak or minimum, than its book takes
  OffLot,           ///< the quantity that an account sends is not a multiple of the lot
  OffTick,          ///< a price is not a multiple of the tick
  OutsideBands,     ///< the price is outside of the bands of the book
  NoOppositeBest,   ///< protection counts from the opposite best, and there is none
  DuplicateId,      ///< a stop waits that has this id
  InvalidTrigger,   ///< the trail is below 0, or does not go with the kind of stop
  NoPriceToTrail,   ///< the stop trails, and there is no price yet that it could follow
  ExpiryPassed,     ///< the time until which it is good, or at which a phase begins, is not after the command
  InvalidLink,      ///< the link and the role do not go together, or the link is full
  NoRoomForStop,    ///< as many stops wait as the venue was made for, and this one would not fire at once
  NoRoomForExpiry,  ///< as many orders have a lifetime as the venue was made for, and this one would not trade at
                    ///< once
  NoRoomForLink,    ///< as many orders are linked as the venue was made for
  NotWhileOpen,     ///< lots and ticks change while the book is closed
  InvalidValue,     ///< a lot of 0, bands upside down
  NoRoomForTick,    ///< the table of ticks has as many rows as it may
  UnknownMatch,     ///< no trade that is kept has this number
  AlreadyBusted,    ///< the trade has been undone before
  RefusedByRisk,    ///< the risk stage refuses it; `risk` says why
  RefusedByBook,    ///< the book refuses it; `result` says why
  QuoteRefused,     ///< another entry of the mass quote is refused, and it is all or none
};

}  // namespace llmes::inline LLMES_NAMESPACE
