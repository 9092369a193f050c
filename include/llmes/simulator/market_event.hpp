// SPDX-License-Identifier: MIT
//
// What happens in a market, in one form for every feed: adapters make it from messages, the simulator takes it.
//
// An *event* is all that one moment of the venue brings: every execution of one taker, or the records up to the
// last one of a message. It ends with the member `last`. The simulator decides about own orders there alone.
#pragma once

#include <cstdint>
#include <limits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a `MarketEvent` says, and which members it has beside `time`, `received`, `record`, `book` and `last`.
enum class MarketEventType : std::uint8_t {
  Add,     ///< order `id` rests as the youngest of its level: side, price, quantity
  Cancel,  ///< order `id` leaves
  Reduce,  ///< `quantity` lots leave order `id`, which keeps its place; all of them: the order leaves
  Modify,  ///< order `id` now has price and quantity, by the rule of `modify_resting_order`, where a `Fill` of the
           ///< same event has taken lots off what it had; an unknown one is added
  Replace,  ///< order `id` leaves, and `new_id` rests as the youngest of its level: price, quantity
  Execute,  ///< `quantity` lots of order `id` have traded, and leave it. Nothing else takes them off
  Fill,     ///< `quantity` lots of order `id` have traded, perhaps more than it showed. It stays as it is: another
            ///< message of its event takes what it showed off (see market_data/event_fills.hpp)
  Trade,    ///< `quantity` lots have traded at `price` without an order of the book: a hidden order, a cross
  Clear,    ///< all orders of the book leave
  ClearSide,  ///< all orders of one side of it leave
  Phase,      ///< the book is in `phase` now
  End,        ///< nothing; for a feed that learns too late that its last message ended an event
};

/// What a venue does with orders of a book. A book begins in `Continuous`.
enum class MarketPhase : std::uint8_t {
  Continuous,  ///< it matches them as they come
  Auction,     ///< it collects them, and matches them at once later; the book may be crossed
  Halted,      ///< it matches nothing
  Closed,      ///< it takes no more new orders
};

/// For an event of all books together, such as the end of the day.
inline constexpr BookNumber every_book = std::numeric_limits<BookNumber>::max();

/// One message of a market, 64 bytes. Prices are ticks of the book; the adapter knows what a tick is. Times are
/// nanoseconds since one moment, the same for all events of a tape.
struct MarketEvent {
  Nanoseconds time = 0;      ///< when it happened at the venue; never less than that of the event before
  Nanoseconds received = 0;  ///< when it was received; 0 if the feed does not say
  std::uint64_t record = 0;  ///< its number in its file, from 0: the answer to "why"
  OrderId id = 0;
  OrderId new_id = 0;  ///< of a `Replace`
  Price price =
      0;  ///< of an `Execute` or a `Fill`: what was paid if `off_price` or `priced`, else nobody reads it
  Quantity quantity = 0;
  BookNumber book = 0;  ///< of the order, too, for what names one: else what is ahead of own orders may be wrong
  MarketEventType type = MarketEventType::Add;
  /// Of `Add`, `ClearSide`, a `Modify` or `Fill` of an unknown order, and a `priced` `Execute`; a `Trade` has
  /// none.
  Side side = Side::Buy;
  MarketPhase phase = MarketPhase::Continuous;  ///< of a `Phase`
  bool last : 1 = true;                         ///< the event ends here
  bool snapshot : 1 = false;                    ///< an `Add` of an order that rested before the feed told of it
  bool off_price : 1 = false;  ///< an `Execute` or `Fill` whose price may be another one than that of the order
  bool same_loses_place : 1 =
      false;                   ///< a `Modify` to the price and quantity that the order has sends it to the back
  bool says_side : 1 = false;  ///< a `Modify` that is refused if `side` is not that of its order
  bool cross : 1 = false;      ///< a `Trade` that is the print of an auction, or a `Fill` that the print has, too
  bool unprinted : 1 = false;  ///< an `Execute` or `Fill` that no trade report shows; the lots trade all the same
  bool priced : 1 = false;     ///< an `Execute` with price and side of its order: it is a trade even if the order
                               ///< is unknown, having rested since before the tape

  friend constexpr bool operator==(const MarketEvent&, const MarketEvent&) = default;
};
static_assert(sizeof(MarketEvent) == 64);

}  // namespace llmes::inline LLMES_NAMESPACE
