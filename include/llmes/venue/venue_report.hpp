// SPDX-License-Identifier: MIT
//
// What a venue tells of each command: records of a fixed size without padding.
//
// The reports of a command are, in this order:
//
//  - what has happened, as it happens: Executed, Prevented, Refilled; then what the command did to its own order
//    (Added, Reduced, Deleted, Replaced, StopAdded); then what follows from that, such as linked orders;
//  - for each stop that the command fires: Triggered, the same again, and Fired, with its result;
//  - one Done, with the result of the command, and how many stops have fired. It is always the last one.
//
// Whoever follows all reports knows all open orders.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_status.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class VenueReportKind : std::uint8_t {
  Done,          ///< how the command went; its last report
  Added,         ///< an order has come to rest
  Executed,      ///< two orders have traded
  Prevented,     ///< two orders of an account have met, and did not trade
  Refilled,      ///< an order shows its next peak, at the end of its queue
  Reduced,       ///< an order has fewer lots without a fill, and keeps its place
  Deleted,       ///< an order or a stop is gone without a fill; `reason` says why
  Replaced,      ///< an order has left its place, and rests as another one, or with the same id elsewhere
  StopAdded,     ///< a stop waits
  StopChanged,   ///< a stop waits with another trigger, limit or quantity
  Triggered,     ///< a stop has left, and its order runs as a command
  Fired,         ///< how the order of a stop went
  PhaseChanged,  ///< of a book
  Halted,        ///< a book
  Resumed,       ///< a book
  Indicative,    ///< what an auction would do now
  Uncrossed,     ///< what an auction has done, after its Executed
  Busted,        ///< a trade is undone
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
};

/// One report. Members that a kind does not name are 0. In an auction nobody takes: the buyer stands as the taker.
///
/// | kind | account, id | other_account, other_id | price | quantity | remaining | other members |
/// |---|---|---|---|---|---|---|
/// | Done, Fired | of the command, or the stop | other_id: the new id | | lots traded | lots that rest | handle,
/// status, risk, result, cancelled, kept_place; Done: fired | | Added | of the order | | of it | all its lots |
/// the same | handle, side, displayed | | Executed | taker | maker | of the trade | lots | of the taker |
/// other_remaining, other_handle, displayed: of the maker; side: of the taker; handle: of a taker that rested;
/// match | | Prevented | taker | maker | of the maker | lots that would have traded | of the taker | as Executed,
/// without match; self_trade | | Refilled | of the order | | of it | all its lots | the same | handle, side,
/// displayed | | Reduced, Deleted | of the order or stop | | of it | lots that left | lots left | handle (a stop
/// has none), side, displayed; reason | | Replaced | as it rests now | other_id: as it was | new one | all its
/// lots | the same | handle, other_handle: as it was; side, displayed | | StopAdded, StopChanged, Triggered | of
/// the stop | | its trigger | lots | the same | side | | PhaseChanged, Halted, Resumed | | | | | | phase | |
/// Indicative, Uncrossed | | | of the auction, if quantity is not 0 | lots | lots of imbalance | side: of the
/// imbalance | | Busted | taker | maker | of the trade | lots | | side: of the taker; match |
struct VenueReport {
  std::uint64_t sequence = 0;  ///< of the command
  Nanoseconds time = 0;        ///< of the command
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
  std::uint32_t fired = 0;  ///< stops that the command has fired
  VenueReportKind kind = VenueReportKind::Done;
  Side side = Side::Buy;
  VenueStatus status = VenueStatus::Success;
  RiskStatus risk = RiskStatus::Success;  ///< why, if `status` is `RefusedByRisk`
  Status result = Status::Success;        ///< why, if `status` is `RefusedByBook`
  Phase phase = Phase::Continuous;
  DeleteReason reason = DeleteReason::None;
  std::uint8_t detail = 0;  ///< Done, Fired: 1 if the order kept its place; Prevented: its `SelfTrade`

  [[nodiscard]] constexpr bool kept_place() const noexcept {
    return kind != VenueReportKind::Prevented && detail != 0;
  }
  [[nodiscard]] constexpr SelfTrade self_trade() const noexcept {
    return kind == VenueReportKind::Prevented ? static_cast<SelfTrade>(detail) : SelfTrade::Allow;
  }

  friend constexpr bool operator==(const VenueReport&, const VenueReport&) = default;
};
static_assert(sizeof(VenueReport) == 128 && std::is_trivially_copyable_v<VenueReport>);
static_assert(std::has_unique_object_representations_v<VenueReport>, "equal reports are equal bytes");

[[nodiscard]] constexpr std::string_view to_string(VenueReportKind kind) noexcept {
  return detail::enumerator_name<VenueReportKind::Busted>(
      kind, {"Done", "Added", "Executed", "Prevented", "Refilled", "Reduced", "Deleted", "Replaced", "StopAdded",
             "StopChanged", "Triggered", "Fired", "PhaseChanged", "Halted", "Resumed", "Indicative", "Uncrossed",
             "Busted"});
}
[[nodiscard]] constexpr std::string_view to_string(DeleteReason reason) noexcept {
  return detail::enumerator_name<DeleteReason::OutsideBands>(
      reason, {"None", "Asked", "MassCancel", "Killed", "Disconnected", "Linked", "Expired", "OutsideBands"});
}

}  // namespace llmes::inline LLMES_NAMESPACE
