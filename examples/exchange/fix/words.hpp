// SPDX-License-Identifier: MIT
//
// What the exchange says by a number, in words for Text (58).
#pragma once

#include <string_view>

#include "examples/exchange/outcome.hpp"
#include "llmes/venue.hpp"

namespace exchange {

/// Where no client can meet a reason.
inline constexpr std::string_view no_other_words = "the order cannot be processed";

/// Why lots of an order are gone; nothing where its user has asked for that.
[[nodiscard]] constexpr std::string_view words_of(CancelReason reason) noexcept {
  switch (reason) {
    case CancelReason::None:
    case CancelReason::Asked: break;
    case CancelReason::NotImmediate: return "what is left may not rest";
    case CancelReason::Expired: return "it has expired: its time or the day has ended";
    case CancelReason::Killed: return "the operator has stopped the account";
    case CancelReason::OutsideBands: return "its price is outside the bands";
    case CancelReason::SelfTrade: return "self-trade prevention: it met an order of its own account";
    case CancelReason::System: return "the venue has taken it off";
    case CancelReason::DayEnded: return "the day has ended";
    case CancelReason::LoggedOut: return "its user has disconnected or logged out";
    case CancelReason::NoRoom: return "the venue has no room for what is left of it";
    case CancelReason::QuoteRefused: return "another entry of the mass quote is refused";
  }
  return {};
}

/// Why a venue refuses an order or a change.
[[nodiscard]] constexpr std::string_view words_of(llmes::VenueStatus status) noexcept {
  using enum llmes::VenueStatus;
  switch (status) {
    case InvalidCommand: return "these terms do not go together";
    case UnknownBook: return "unknown symbol";
    case UnknownOrder: return "the order waits for its trigger, and cannot be replaced";
    case Closed: return "the symbol is closed";
    case Halted: return "the symbol is halted";
    case NotInAuction: return "in an auction an order must be able to rest";
    case InvalidQuantity: return "the quantity, the minimum or the shown lots are out of range";
    case OffLot: return "the quantity is no multiple of the lot";
    case OffTick: return "the price is no multiple of the tick";
    case OutsideBands: return "the price is outside the bands of the symbol";
    case NoOppositeBest: return "no price stands opposite";
    case DuplicateId: return "an order of this name waits for its trigger";
    case InvalidTrigger: return "the trigger does not go with the order";
    case NoPriceToTrail: return "there is no price to follow yet";
    case ExpiryPassed: return "the time until which the order is good has passed";
    case NoRoomForStop: return "the venue has no room for another stop";
    case NoRoomForExpiry: return "the venue has no room for another order that ends by itself";
    case QuoteRefused: return "another entry of the mass quote is refused";
    case Success:
    case TimeWentBack:
    case InvalidLink:
    case NoRoomForLink:
    case NotWhileOpen:
    case InvalidValue:
    case NoRoomForTick:
    case UnknownMatch:
    case AlreadyBusted:
    case RefusedByRisk:
    case RefusedByBook: break;
  }
  return no_other_words;
}
/// Why the limits of an account refuse it.
[[nodiscard]] constexpr std::string_view words_of(llmes::RiskStatus status) noexcept {
  using enum llmes::RiskStatus;
  switch (status) {
    case AccountKilled: return "the operator has stopped the account";
    case TooManyMessages: return "the account has sent too many messages";
    case QuantityLimit: return "more lots than an order of the account may have";
    case NoReference: return "a limit of the account needs a reference price, and there is none";
    case OutsideCollar: return "the price is too far from the reference price";
    case NotionalOverflow: return "price times quantity is out of range";
    case NotionalLimit: return "price times quantity is more than an order of the account may have";
    case OpenOrdersLimit: return "the account has as many open orders as it may";
    case OpenQuantityLimit: return "the account would have more open lots than it may";
    case PositionOverflow: return "the position of the account would be out of range";
    case PositionLimit: return "the position of the account might leave its limits";
    case WouldIncrease: return "the order might increase the position of the account";
    case NoRoomForOrder: return "the venue has no room for another open order";
    case NoRoomForHolding: return "the venue has no room for another account in this symbol";
    case NeedsPrice: return "an account with limited cash needs a price";
    case CashLimit: return "the cash of the account does not cover the order";
    case UnknownAccount: return "unknown account";
    case Success:
    case InvalidCommand:
    case TimeWentBack:
    case UnknownOrder:
    case UnknownBook:
    case InvalidLimit:
    case InvalidRange:
    case Mismatch: break;
  }
  return no_other_words;
}
/// Why the book refuses it.
[[nodiscard]] constexpr std::string_view words_of(llmes::Status status) noexcept {
  using enum llmes::Status;
  switch (status) {
    case InvalidCommand: return "these terms do not go together";
    case InvalidQuantity: return "the quantity is out of range";
    case PriceOutOfBand: return "the book cannot hold the price";
    case WouldCross: return "post-only, and some of it would trade at once";
    case NotFillable: return "fill-or-kill, and not all of it would trade at once";
    case PoolFull: return "the venue has no room for another order that rests";
    case QuantityOverflow: return "the lots at this price would be out of range";
    case UnknownOrder: return "unknown order";
    case Success:
    case DuplicateId:
    case NoRoomForId:
    case UnknownBook: break;
  }
  return no_other_words;
}

}  // namespace exchange
