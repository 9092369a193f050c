// SPDX-License-Identifier: MIT
//
// What a venue tells of each command: records of a fixed size without padding.
//
// The reports of a command are, in this order:
//
//  - what has happened, as it happens: Executed, Prevented, Refilled; then what the command did to its own order
//    (Added, Reduced, Deleted, Replaced, StopAdded); then what follows from that, such as linked orders
//    (GrowthRefused, or Triggered to Fired of a child that is placed);
//  - of a mass quote, all of that for each entry, and Quoted with its result;
//  - for each stop that the command fires: Triggered, the same again, and Fired, with its result;
//  - one Done, with the result of the command, and how many stops have fired. It is always the last one.
//
// Whoever follows all reports knows all open orders. One that is modified so that it trades is the taker of an
// Executed or Prevented, and ends with one that leaves nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class VenueReportKind : std::uint8_t {
  Done,           ///< how the command went; its last report
  Added,          ///< an order has come to rest
  Executed,       ///< two orders have traded
  Prevented,      ///< two orders of an account have met, and did not trade
  Refilled,       ///< an order shows its next peak, at the end of its queue
  Reduced,        ///< an order has fewer lots without a fill, and keeps its place
  Deleted,        ///< an order or a stop is gone without a fill; `reason` says why
  Replaced,       ///< an order has left its place, and rests as another one, or with the same id elsewhere
  StopAdded,      ///< a stop waits, or a child of a bracket
  StopChanged,    ///< it waits with another trigger, limit or quantity
  Triggered,      ///< it has left, and runs as a command
  Fired,          ///< how that went
  PhaseChanged,   ///< of a book
  Halted,         ///< a book
  Resumed,        ///< a book
  Indicative,     ///< what an auction would do now
  Uncrossed,      ///< what an auction has done, after its Executed
  Busted,         ///< a trade is undone
  GrowthRefused,  ///< a child of a bracket does not get lots that its parent has traded
  Quoted,         ///< how an entry of a mass quote went
};

/// Why an order or a stop is gone.
enum class DeleteReason : std::uint8_t {
  None,   ///< it is not Deleted
  Asked,  ///< by the command that names it, or as what is left after a modify that may not rest
  MassCancel,
  Killed,        ///< its account is
  Disconnected,  ///< its account is
  Linked,        ///< the order that it was linked to has traded, or gone
  Expired,
  OutsideBands,  ///< of new bands
  NoRoom,        ///< it has met others, and the venue has no room to keep what is left of it
  QuoteRefused,  ///< another entry of its mass quote is refused, and it is all or none
};

/// One report, of an order unless it says otherwise. Members that a kind does not have are 0. `remaining` is all
/// lots that are left, also those that are not displayed; `displayed` is what the others see. All that are of an
/// order have its client_tag, but for Busted; Executed and Prevented have the maker's as other_client_tag, too.
///
///  - Done, Fired, Quoted: account, id, other_id (the new id) and client_tag of the command, the stop or the
///  entry; quantity (lots
///    traded), remaining, cancelled, handle, status, risk, result, kept_place; Done also fired.
///  - Added: account, id, handle, side, price, quantity, remaining, displayed.
///  - Executed: account, id and remaining of the taker, whose side is `side`; other_account, other_id,
///    other_handle, other_remaining and displayed of the maker; price, quantity, match. In an auction the buyer
///    stands as the taker, and has its handle.
///  - Prevented: as Executed, but for match; self_trade. The price is the maker's, or that of the auction.
///  - Refilled: as Added.
///  - Reduced, Deleted: as it was before, with quantity (lots that left), remaining, displayed, and reason. Of
///    a stop the price is its trigger, and there is no handle. Of an order that a modify or replace has ended, the
///    quantity is what nobody has traded: 0 where a replace has given it another id, under which all has traded.
///  - Replaced: as Added, as it rests now; other_id and other_handle as it was.
///  - StopAdded, StopChanged, Triggered: account, id, side, quantity; the price is the trigger.
///  - PhaseChanged, Halted, Resumed: of a book, with its phase.
///  - Indicative, Uncrossed: of a book, with its phase before; price; quantity, and remaining lots of one `side`:
///  the
///    imbalance. With a quantity of 0 nothing would trade, or has. The price is on a tick of the symbol, unless
///    orders rest between ticks and fewer lots would trade on one.
///  - Busted: match; account, side, other_account, price and quantity as in Executed.
///  - GrowthRefused: account, id and side of the child; quantity: lots that it does not get; remaining: lots that
///  it
///    has; status, risk, result: why. The price is its limit, or its trigger while it waits.
struct VenueReport {
  std::uint64_t sequence = 0;  ///< of the command
  Nanoseconds time = 0;        ///< of the command; of what an `Advance` sets off, when it was due
  std::uint64_t match = 0;     ///< number of a trade; the first one is 1
  OrderId id = 0;
  OrderId other_id = 0;
  OrderHandle handle{};
  OrderHandle other_handle{};
  Price price = 0;
  Quantity quantity = 0;
  Quantity remaining = 0;
  Quantity other_remaining = 0;
  Quantity displayed = 0;
  Quantity cancelled = 0;
  AccountNumber account = 0;
  AccountNumber other_account = 0;
  BookNumber book = 0;
  std::uint32_t fired = 0;             ///< stops that the command has fired
  std::uint32_t client_tag = 0;        ///< of the order with `id`, as its account has set it
  std::uint32_t other_client_tag = 0;  ///< of the one with `other_id`, where that is another account's
  VenueReportKind kind = VenueReportKind::Done;
  Side side = Side::Buy;
  VenueStatus status = VenueStatus::Success;
  RiskStatus risk = RiskStatus::Success;  ///< why, if `status` is `RefusedByRisk`
  Status result = Status::Success;        ///< why, if `status` is `RefusedByBook`
  Phase phase = Phase::Continuous;
  DeleteReason reason = DeleteReason::None;
  std::uint8_t detail = 0;  ///< what the next three say

  /// Done, Fired, Quoted: whether the order kept its place.
  [[nodiscard]] constexpr bool kept_place() const noexcept {
    return (kind == VenueReportKind::Done || kind == VenueReportKind::Fired || kind == VenueReportKind::Quoted) &&
           detail != 0;
  }
  /// Executed: whether an auction has brought them together.
  [[nodiscard]] constexpr bool in_auction() const noexcept {
    return kind == VenueReportKind::Executed && detail != 0;
  }
  [[nodiscard]] constexpr SelfTrade self_trade() const noexcept {
    return kind == VenueReportKind::Prevented ? static_cast<SelfTrade>(detail) : SelfTrade::Allow;
  }

  friend constexpr bool operator==(const VenueReport&, const VenueReport&) = default;
};
static_assert(std::is_trivially_copyable_v<VenueReport>);
static_assert(std::has_unique_object_representations_v<VenueReport>, "equal reports are equal bytes");

}  // namespace llmes::inline LLMES_NAMESPACE
