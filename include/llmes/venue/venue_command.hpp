// SPDX-License-Identifier: MIT
//
// A command to a venue as a value: a record of a fixed size without padding, for queues and journals.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/quote.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a command to a venue is. Journals keep the numbers. Those below 64 are the numbers of `CommandType`;
/// whether an order rests without matching is for the phase of its book to say.
enum class VenueCommandType : std::uint8_t {
  AddLimit,
  AddMarket,
  Cancel,  ///< an order that rests, or a stop that waits
  Modify,
  Reduce,
  Replace,
  MassCancel = 32,    ///< the orders and stops of an account, or of all
  AddProtected = 64,  ///< at the market, at most `protection` ticks beyond the opposite best
  MassQuote,          ///< many quotes of an account: see `Venue::quote`

  // Of the venue itself.
  Advance = 96,    ///< takes what is due until `time`, each at its own: expiry and phases
  SetPhase,        ///< of a book, or of all
  Schedule,        ///< the phase of all books from `expiry` on
  Halt,            ///< a book takes cancels and reductions alone
  Resume,          ///< the opposite
  SetSymbol,       ///< name `id`, currency `new_id`, lot `quantity`; orders that rest or wait keep their lots
  SetTick,         ///< from `price` on, prices are multiples of `quantity`; 0 takes the row out
  SetBands,        ///< orders of a book from `price` to `trigger`
  SetReference,    ///< the price of reference of a book: `price`
  SetLimits,       ///< of an account; see `set_limits`
  Pay,             ///< `price` micro-units to an account, from it if below 0
  Kill,            ///< of an account, as `AccountAction`
  Restore,         ///< the same
  Disconnect,      ///< the same
  Bust,            ///< undoes the trade with the match number `id`
  ShowIndicative,  ///< reports the indicative price of the auction of a book
};

/// One command. Each type reads `time` and the members of its line, whose wrong values are answered with a status.
///
///  - AddLimit, AddMarket, AddProtected: account, book, id, side, price (AddLimit), protection (AddProtected),
///    quantity, time_in_force (not AddMarket), self_trade, display, peak, minimum, effect, stop, trigger,
///    trail, lifetime, expiry, link, link_role, client_tag.
///  - Cancel: account, id. Reduce: account, id, quantity.
///  - Modify: account, id, price, quantity, time_in_force, self_trade, minimum, effect; of a stop account, id,
///    price, quantity, trigger, trail.
///  - Replace: account, id, new_id, price, quantity, time_in_force, self_trade, display, peak, minimum, effect,
///    client_tag (0: that of the order). The lifetime and the link go on.
///  - MassQuote: account, time_in_force (GoodTillCancel or PostOnly), self_trade, effect, lifetime, expiry,
///    client_tag, quote_mode; and its entries.
///  - MassCancel: account (0: everybody's), book (or `all_books`), side (or `both_sides`), price to trigger.
///  - Advance: nothing. SetPhase: book (or `all_books`), phase. Schedule: phase, expiry.
///  - Halt, Resume, ShowIndicative: book.
///  - SetSymbol: book, id, new_id, quantity. SetTick: book, price, quantity. SetBands: book, price, trigger.
///    SetReference: book, price.
///  - SetLimits: see `set_limits`. Pay: account, price. Kill, Restore, Disconnect: account. Bust: id.
struct VenueCommand {
  static constexpr BookNumber all_books = std::numeric_limits<BookNumber>::max();
  static constexpr auto both_sides = static_cast<Side>(0xff);

  Nanoseconds time = 0;  ///< never below that of the command before
  OrderId id = 0;
  OrderId new_id = 0;
  Price price = 0;
  Quantity quantity = 0;
  Quantity peak = 0;  ///< see `OrderTerms`, as for `minimum`
  Quantity minimum = 0;
  Price trigger = 0;       ///< of a stop
  Price trail = 0;         ///< above 0: the trigger follows the market at this distance
  Nanoseconds expiry = 0;  ///< of an order that is good until a time
  std::uint64_t link = 0;  ///< orders with the same number of an account are linked; 0: with none
  AccountNumber account = 0;
  BookNumber book = 0;
  std::uint32_t protection = 0;  ///< in ticks
  std::uint32_t client_tag = 0;  ///< whatever the account likes; each report of the order repeats it
  VenueCommandType type = VenueCommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  SelfTrade self_trade = SelfTrade::Allow;
  Display display = Display::Whole;
  PositionEffect effect = PositionEffect::Any;
  StopTrigger stop = StopTrigger::None;
  Lifetime lifetime = Lifetime::UntilCancelled;
  LinkRole link_role = LinkRole::None;
  Phase phase = Phase::Continuous;
  QuoteMode quote_mode = QuoteMode::Each;
  std::uint8_t unused[5] = {};  ///< 0

  /// The command to a book with rules, as one of type `as`, which names its order by a handle.
  template <CommandType as>
  [[nodiscard, gnu::always_inline]] constexpr RuledBookCommand by_handle(OrderHandle order) const noexcept {
    return {{{has_new_id(as) ? new_id : id, order},
             price,
             quantity,
             as,
             side,
             time_in_force,
             {account, self_trade, display, peak, minimum, client_tag}},
            book};
  }

  [[nodiscard]] static constexpr VenueCommand set_limits(AccountNumber account, const AccountLimits& limits,
                                                         Nanoseconds time) noexcept {
    VenueCommand command;
    command.type = VenueCommandType::SetLimits;
    command.time = time;
    command.account = account;
    command.quantity = limits.order_quantity;
    command.price = limits.order_notional;
    command.peak = limits.open_quantity;
    command.minimum = static_cast<Quantity>(limits.credit);
    command.id = static_cast<OrderId>(limits.position_min);
    command.new_id = static_cast<OrderId>(limits.position_max);
    command.trigger = limits.collar_low;
    command.trail = limits.collar_high;
    command.expiry = std::uint64_t{limits.message_burst} << 32 | limits.message_interval;
    command.book = limits.open_orders;
    command.link = limits.cancel_on_disconnect;
    return command;
  }
  /// Those of `set_limits`.
  [[nodiscard]] constexpr AccountLimits limits() const noexcept {
    return {.order_quantity = quantity,
            .order_notional = price,
            .open_orders = book,
            .open_quantity = peak,
            .position_min = static_cast<std::int64_t>(id),
            .position_max = static_cast<std::int64_t>(new_id),
            .collar_low = trigger,
            .collar_high = trail,
            .credit = static_cast<std::int64_t>(minimum),
            .message_burst = static_cast<std::uint32_t>(expiry >> 32),
            .message_interval = static_cast<std::uint32_t>(expiry),
            .cancel_on_disconnect = link != 0};
  }

  friend constexpr bool operator==(const VenueCommand&, const VenueCommand&) = default;
};
static_assert(std::is_trivially_copyable_v<VenueCommand>);
static_assert(std::has_unique_object_representations_v<VenueCommand>, "every bit of a command is written");

}  // namespace llmes::inline LLMES_NAMESPACE
