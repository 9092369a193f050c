// SPDX-License-Identifier: MIT
//
// What a venue decides inside matching, as a parameter of every book: `OrderBook<4096, ArraySideBook,
// VenueRules<>>`, `BasicBookSet<OrderPool, VenueRules<>>`, and an `IdBook` of one of these.
//
//  - An order may have an owner, and say what happens when it meets another one of that owner (`SelfTrade`).
//  - It may show a part of itself (`Display::Reserve`) or nothing (`Display::Hidden`).
//  - An immediate-or-cancel order may demand a minimum quantity.
//  - A mass cancel takes off the orders of an owner, a side, a range of prices, or all.
//  - The lots of a taker are allocated by time or pro-rata (`Allocation`).
//  - A call auction finds its price and trades at it (auction.hpp).
//
// Commands carry the terms of an order (see terms.hpp); without them it is as in a book without rules. A book in
// which no order has terms, and that allocates by time, runs the same code after one compare.
#pragma once

#include <cstddef>

#include "llmes/book/order_book.hpp"
#include "llmes/rules/auction.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/rules/ruled_matching.hpp"
#include "llmes/rules/ruled_orders.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// All rules. `minimum_share`, at least 1, is the least number of lots that pro-rata gives an order; smaller
/// shares go to none, and what is left is traded first come, first served.
///
/// Memory: another 32 bytes for each slot of the pool, and 32 to 48 for each order of capacity.
template <Allocation allocation = Allocation::PriceTime, Quantity minimum_share = 1>
struct VenueRules {
  static_assert(minimum_share > 0, "a share of no lots is no trade");

  static constexpr bool active = true;
  using Terms = OrderTerms;
  using State = detail::RuleState;
  template <class SideBook>
  using Matching = detail::RuledMatching<detail::RuledOrders<SideBook, allocation, minimum_share>>;
  template <class Book>
  using Calls = AuctionCalls<Book>;
};

/// A book of one instrument with rules, its commands being `RuledCommand`s.
template <std::size_t PriceLevels = 4096, class Rules = VenueRules<>>
using RuledOrderBook = OrderBook<PriceLevels, ArraySideBook, Rules>;
/// The same for any price.
template <std::size_t Window = 262'144, class Rules = VenueRules<>>
using RuledAnyPriceBook = OrderBook<Window, AnyPriceSideBook, Rules>;
/// Many books with rules, its commands being `RuledBookCommand`s.
using RuledBookSet = BasicBookSet<OrderPool, VenueRules<>>;
using RuledPlacedBookSet = BasicBookSet<PlacedPool, VenueRules<>>;

}  // namespace llmes::inline LLMES_NAMESPACE
