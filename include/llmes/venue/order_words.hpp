// SPDX-License-Identifier: MIT
//
// What an order may say to a venue beside its terms, and what a book of a venue is doing.
#pragma once

#include <cstdint>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a stop waits for. A buy waits for a price at its trigger or above, a sell for one at it or below.
enum class StopTrigger : std::uint8_t {
  None,          ///< the order is no stop
  LastTrade,     ///< the price of the last trade
  OppositeBest,  ///< the best price of the other side
};

/// How long an order may rest or wait.
enum class Lifetime : std::uint8_t {
  UntilCancelled,
  Day,        ///< until its book closes
  UntilTime,  ///< until its expiry
};

/// What an order is to those with the same link.
enum class LinkRole : std::uint8_t {
  None,
  OneCancelsOther,  ///< a fill of one, or its end, cancels the others
  BracketParent,    ///< its fill places the children
  BracketChild,     ///< waits for its parent, and is one-cancels-other from then on
};

/// What the book of a symbol does with orders.
enum class Phase : std::uint8_t {
  PreOpen,         ///< limit orders collect, and do not match
  OpeningAuction,  ///< the same
  Continuous,      ///< orders match
  ClosingAuction,  ///< as PreOpen
  Closed,          ///< orders leave alone; those of the day have left
};

/// Whether limit orders rest without matching. The end of this uncrosses the book.
[[nodiscard]] constexpr bool collects(Phase phase) noexcept {
  return phase != Phase::Continuous && phase < Phase::Closed;
}

}  // namespace llmes::inline LLMES_NAMESPACE
