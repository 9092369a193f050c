// SPDX-License-Identifier: MIT
//
// What a call auction has for an answer, and what it tells. The calls are in rules/auction.hpp.
#pragma once

#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The price of an auction, and what would trade at it. All lots count, displayed or not.
struct AuctionPrice {
  Price price = 0;
  Quantity quantity = 0;   ///< lots that would trade: at least 1; at most the largest `Quantity`
  Quantity imbalance = 0;  ///< lots at this price or better that would be left over
  Side side = Side::Buy;   ///< of the orders left over; means nothing if `imbalance` is 0

  friend constexpr bool operator==(const AuctionPrice&, const AuctionPrice&) = default;
};

/// An order of either side in a match of an auction.
struct AuctionOrder {
  OrderId id = 0;
  OrderHandle handle{};  ///< may be stale already, as an order that trades whole leaves the book first
  Price limit = 0;
  Quantity remaining = 0;  ///< all its lots after this match; it is gone exactly if that is 0
  Quantity displayed = 0;  ///< lots that it shows after this match, before a refill
  Quantity shown = 0;      ///< lots of this match that it displayed before
  Owner owner = 0;
  Display display = Display::Whole;

  friend constexpr bool operator==(const AuctionOrder&, const AuctionOrder&) = default;
};

/// Two orders that have met in an auction.
struct AuctionMatch {
  AuctionOrder buy{};
  AuctionOrder sell{};
  Price price = 0;        ///< of the auction
  Quantity quantity = 0;  ///< at least 1

  friend constexpr bool operator==(const AuctionMatch&, const AuctionMatch&) = default;
};

/// They have traded.
struct AuctionTrade : AuctionMatch {};

/// They have one owner, and both have lost these lots without a trade.
struct PreventedAuctionTrade : AuctionMatch {};

/// Receives the trades of an auction. It may also have the members `prevented`, which takes a
/// `PreventedAuctionTrade`, and `refilled`. As with any fill, it must not call the book.
template <class S>
concept AuctionSink = requires(S& sink, const AuctionTrade& trade) { sink(trade); };

}  // namespace llmes::inline LLMES_NAMESPACE
