// SPDX-License-Identifier: MIT
//
// What an order may say to a venue beside its terms, and what a book of a venue is doing.
#pragma once

#include <cstdint>

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
  Continuous,      ///< they match
  PreOpen,         ///< limit orders collect, and do not match
  OpeningAuction,  ///< the same; its end uncrosses the book
  ClosingAuction,  ///< the same
  Closed,          ///< orders leave alone
};

/// Whether limit orders rest without matching.
[[nodiscard]] constexpr bool collects(Phase phase) noexcept {
  return phase == Phase::PreOpen || phase == Phase::OpeningAuction || phase == Phase::ClosingAuction;
}

}  // namespace llmes::inline LLMES_NAMESPACE
