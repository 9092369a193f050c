// SPDX-License-Identifier: MIT
//
// How a command to a venue went.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Everything but `Success` is a rejection, which has changed nothing. A command with several faults has the one
/// that is listed first.
enum class VenueStatus : std::uint8_t {
  Success,
  InvalidCommand,   ///< a type, side, phase or another member is not an enumerator, or does not go with the type
  TimeWentBack,     ///< the time is before that of a command before
  UnknownBook,      ///< no book has this number
  UnknownOrder,     ///< no order that rests and no stop that waits has this id and account
  DuplicateId,      ///< a stop with this id waits, or a child of a bracket
  Closed,           ///< the book takes cancels and reductions alone: it is closed
  Halted,           ///< the same: it is halted
  NotInAuction,     ///< the book collects orders, and takes those alone that may rest
  InvalidQuantity,  ///< 0 lots, of a stop
  OffLot,           ///< the quantity is not a multiple of the lot
  OffTick,          ///< a price is not a multiple of the tick
  OutsideBands,     ///< a price is outside of the bands of its book
  NoOppositeBest,   ///< protection counts from the opposite best, and there is none
  InvalidTrigger,   ///< a stop trails by less than 0, or its trigger does not fit a `Price`
  NoPriceToTrail,   ///< a stop trails, and there is no price yet that it could follow
  ExpiryPassed,     ///< the order is good until a time that is not after that of the command
  InvalidLink,      ///< the link is 0 or has other members than its role allows
  NoRoomForStop,    ///< as many stops wait as the venue was made for
  NoRoomForExpiry,  ///< as many orders have a lifetime as the venue was made for
  NoRoomForLink,    ///< as many orders are linked as the venue was made for
  NotWhileOpen,     ///< symbols and ticks change while the book is closed
  InvalidSymbol,    ///< a lot of 0, a tick below 0, a phase in the past, or bands upside down
  NoRoomForTick,    ///< the table of ticks has as many rows as it may
  UnknownMatch,     ///< no trade that is kept has this number
  AlreadyBusted,    ///< the trade has been undone before
  RefusedByRisk,    ///< the risk stage refuses it; `risk` says why
  RefusedByBook,    ///< the book refuses it; `result` says why
};

[[nodiscard]] constexpr std::string_view to_string(VenueStatus status) noexcept {
  return detail::enumerator_name<VenueStatus::RefusedByBook>(
      status,
      {"Success",       "InvalidCommand",  "TimeWentBack",   "UnknownBook",     "UnknownOrder",  "DuplicateId",
       "Closed",        "Halted",          "NotInAuction",   "InvalidQuantity", "OffLot",        "OffTick",
       "OutsideBands",  "NoOppositeBest",  "InvalidTrigger", "NoPriceToTrail",  "ExpiryPassed",  "InvalidLink",
       "NoRoomForStop", "NoRoomForExpiry", "NoRoomForLink",  "NotWhileOpen",    "InvalidSymbol", "NoRoomForTick",
       "UnknownMatch",  "AlreadyBusted",   "RefusedByRisk",  "RefusedByBook"});
}

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, VenueStatus status) {
  return out << to_string(status);
}

}  // namespace llmes::inline LLMES_NAMESPACE
