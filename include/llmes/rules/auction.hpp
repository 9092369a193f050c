// SPDX-License-Identifier: MIT
//
// The calls of a call auction, of every book with rules. While an auction collects orders, they come by
// `add_resting_order`, `modify_resting_order` and `replace_resting_order`, which never trade, so the book may be
// crossed. Reserves and hidden orders rest as at any other time.
#pragma once

#include <optional>

#include "llmes/rules/uncross.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Of one book; of a set, they are calls to `set.book(number)`. An `IdBook` has an `uncross` of its own.
template <class Book>
class AuctionCalls {
 public:
  /// The price at which an auction would end now, of all prices that the book can hold; nothing if the book is not
  /// crossed. The first of these rules that leaves one price decides:
  ///
  ///  1. the most lots trade;
  ///  2. the fewest lots at the price or better are left over;
  ///  3. where buys are left over, the highest price; where sells are, the lowest;
  ///  4. the price nearest to `reference`, which may be any.
  ///
  /// No two prices left by the third rule are equally near: there is one for each side, and they are neighbours,
  /// or they are all prices of a range and nothing is left over. Linear in the levels that would trade.
  [[nodiscard]] std::optional<AuctionPrice> indicative(PriceArgument reference) const noexcept {
    const auto& book = static_cast<const Book&>(*this);
    [[maybe_unused]] const auto call = book.guard_.query();
    return detail::auction_price(book.matching_.orders, reference);
  }

  /// What an auction at `price` would do; a quantity of 0: nothing. Linear in the levels at the price or better.
  [[nodiscard]] AuctionPrice indicative_at(PriceArgument price) const noexcept {
    const auto& book = static_cast<const Book&>(*this);
    [[maybe_unused]] const auto call = book.guard_.query();
    return detail::auction_at(book.matching_.orders, price);
  }

  /// Trades all lots that can trade at `price`, at that price: as many as either side has at it or better. The
  /// side that has fewer trades whole. So do the better levels of the other one, and what is left for its last
  /// level is allocated there as to a taker. Buys and sells meet in the order of their queues. An order that
  /// trades whole on a level that does shows no more of its reserve before; on the last level, reserves refill.
  ///
  /// At the price that `indicative` gives, every order with a better limit trades whole, and the book is no longer
  /// crossed. At any other price, one side has no order at it or better afterwards.
  ///
  /// @param self_trade Allow, or Decrement: orders of one owner that meet lose the lots that they would have
  /// traded, and do not trade them. So it changes neither who meets whom nor what rests afterwards.
  /// @return filled: lots traded; cancelled: lots that each side lost so. Either is at most the largest
  /// `Quantity`. Rejections: InvalidCommand (another mode: there is no taker), PriceOutOfBand. Linear in the
  /// orders that trade, their refills and the levels at the price or better.
  Result uncross(PriceArgument price, SelfTrade self_trade, AuctionSink auto&& sink) noexcept {
    auto& book = static_cast<Book&>(*this);
    [[maybe_unused]] const auto call = book.guard_.change();
    return detail::uncross_at(book.matching_.orders, price, self_trade, sink);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
