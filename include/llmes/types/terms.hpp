// SPDX-License-Identifier: MIT
//
// What a book with rules knows of an order beside its price and quantity, and what it tells beside fills. A book
// without rules has `NoTerms`, which take no room and cost nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Whom an order belongs to; 0 is nobody. An owner means nothing to the book but that two are equal.
using Owner = std::uint32_t;

/// What happens when a taker reaches a maker of its own owner. The command of the taker says so. Fills that came
/// before stand. An order of nobody never meets its own.
enum class SelfTrade : std::uint8_t {
  Allow,        ///< they trade as others do
  CancelTaker,  ///< what is left of the taker is dropped; the maker stays
  CancelMaker,  ///< the maker is cancelled; the taker goes on
  CancelBoth,   ///< both
  Decrement,    ///< both lose the lots of the smaller; what reaches 0 is gone
};

/// What the others see of a resting order.
enum class Display : std::uint8_t {
  Whole,    ///< all of it
  Reserve,  ///< its peak at most; when that has traded, it is refilled and goes to the back of its level
  Hidden,   ///< nothing; it trades after all orders of its price that are displayed
};

/// How a taker's lots are divided among the orders of one level.
enum class Allocation : std::uint8_t {
  PriceTime,         ///< first come, first served
  ProRata,           ///< by the displayed quantity, rounded down; what is left, first come, first served. Orders
                     ///< of the taker's owner, unless they may trade, are met first, wherever they stand
  FirstThenProRata,  ///< the order that opened the level, while it is at the front; then as ProRata
};

/// The most peaks that a reserve order may have.
inline constexpr Quantity peaks_max = 1'024;

struct RuledTrade;

/// What an order says beside its price and quantity, to a book with rules.
struct OrderTerms {
  using TradeType = RuledTrade;  ///< what the book reports a fill as

  Owner owner = 0;
  SelfTrade self_trade = SelfTrade::Allow;  ///< for the sweep of this command; it is not kept
  Display display = Display::Whole;
  /// The most lots that a `Reserve` shows: from 1 to the quantity, and at least one lot in `peaks_max` of it, as
  /// each refill takes time in a taker's call. The others do not read it.
  Quantity peak = 0;
  /// Of immediate-or-cancel: it is rejected if it would trade fewer lots. What self-trade prevention takes off it
  /// does not count; what trades before and after that does.
  Quantity minimum = 0;
  /// Of its owner's own, such as for a strategy. A book neither reads nor keeps it; a venue repeats it.
  std::uint32_t client_tag = 0;

  friend constexpr bool operator==(const OrderTerms&, const OrderTerms&) = default;
};

/// Those of a book without rules.
struct NoTerms {
  using TradeType = Trade;

  friend constexpr bool operator==(const NoTerms&, const NoTerms&) = default;
};

/// What a resting order in a book with rules is beside a `RestingOrder`, whose quantity is what is displayed.
struct RestingTerms {
  Owner owner = 0;
  Display display = Display::Whole;
  Quantity peak = 0;     ///< 0 unless `display` is `Reserve`
  Quantity reserve = 0;  ///< open lots that are not displayed

  friend constexpr bool operator==(const RestingTerms&, const RestingTerms&) = default;
};

/// A fill in a book with rules. `maker_remaining` is all that is left of the maker; at 0 exactly it is gone.
struct RuledTrade : Trade {
  Owner maker_owner = 0;
  Owner taker_owner = 0;
  Quantity maker_displayed = 0;  ///< lots that the maker shows after this fill, before a refill
  Display maker_display = Display::Whole;

  friend constexpr bool operator==(const RuledTrade&, const RuledTrade&) = default;
};

/// Two orders of one owner that have met and did not trade. It tells what became of them.
struct PreventedMatch {
  OrderId taker_id = 0;
  OrderId maker_id = 0;
  OrderHandle maker_handle{};  ///< names the maker; already stale if `maker_remaining` is 0
  Price price = 0;             ///< of the maker
  Quantity quantity = 0;       ///< lots that would have traded: at least 1
  Quantity maker_remaining = 0;
  Quantity taker_remaining = 0;  ///< lots of the taker still to trade, to rest or to be dropped
  Side taker_side = Side::Buy;
  SelfTrade mode = SelfTrade::Allow;
  Owner owner = 0;
  Quantity maker_showed = 0;  ///< lots that the maker displayed before; its reserve is lost first

  friend constexpr bool operator==(const PreventedMatch&, const PreventedMatch&) = default;
};

/// Which orders a mass cancel takes off.
struct CancelScope {
  Owner owner = 0;             ///< whose; 0: everybody's
  std::optional<Side> side{};  ///< both sides if none
  Price lowest = std::numeric_limits<Price>::min();
  Price highest = std::numeric_limits<Price>::max();
  std::optional<BookNumber> book{};  ///< of a set; all its books if none. A book by itself does not read it

  friend constexpr bool operator==(const CancelScope&, const CancelScope&) = default;
};

}  // namespace llmes::inline LLMES_NAMESPACE
