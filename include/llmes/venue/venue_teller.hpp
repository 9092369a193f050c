// SPDX-License-Identifier: MIT
//
// Gives the reports of one command. A part of venue.hpp.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "llmes/types/auction.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/link_types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Of the two orders of a report.
struct ClientTags {
  std::uint32_t own;
  std::uint32_t other;
};

template <class Reports>
class VenueTeller {
 public:
  VenueTeller(Reports& reports, std::uint64_t sequence, Nanoseconds time) noexcept
      : reports_(reports), sequence_(sequence), time_(time) {}

  /// From now on, reports are of another time.
  void set_time(Nanoseconds time) noexcept { time_ = time; }

  /// Gives a report. It is made where it goes: to copy what has just been written member by member would wait.
  template <class Make>
  [[gnu::always_inline]] void operator()(const Make& make) noexcept {
    if constexpr (requires { reports_.next(); }) {
      finish(*::new (&reports_.next()) VenueReport(make()));
    } else {
      VenueReport report = make();
      finish(report);
      reports_(std::as_const(report));
    }
  }

  /// An order as it rests now: Added, Refilled, or Replaced.
  void rests(VenueReportKind kind, const OpenOrder& order, Quantity displayed,
             const OpenOrder& before = {}) noexcept {
    (*this)([&] {
      return VenueReport{.id = order.id,
                         .other_id = before.id,
                         .handle = order.handle,
                         .other_handle = before.handle,
                         .price = order.price,
                         .quantity = order.quantity,
                         .remaining = order.quantity,
                         .displayed = displayed,
                         .account = order.account,
                         .book = order.book,
                         .client_tag = order.client_tag,
                         .kind = kind,
                         .side = order.side};
    });
  }
  /// An order that has so many lots fewer, and keeps its place.
  void reduced(const OpenOrder& before, Quantity by, Quantity displayed, DeleteReason reason) noexcept {
    lost(VenueReportKind::Reduced, before, by, displayed, reason);
  }
  void deleted(const OpenOrder& before, DeleteReason reason) noexcept {
    lost(VenueReportKind::Deleted, before, before.quantity, 0, reason);
  }
  /// What a modify or replace has ended, which was left with so many lots.
  void dropped(OpenOrder before, Quantity lots) noexcept {
    before.quantity = lots;
    deleted(before, DeleteReason::Asked);
  }
  /// A child of a bracket, which has `left` lots at a price and does not get more.
  void growth_refused(const LinkStep& step, Price price, Quantity left, const VenueAnswer& answer) noexcept {
    (*this)([&] {
      return VenueReport{.id = step.id,
                         .price = price,
                         .quantity = step.quantity,
                         .remaining = left,
                         .account = step.command.account,
                         .book = step.command.book,
                         .client_tag = step.command.client_tag,
                         .kind = VenueReportKind::GrowthRefused,
                         .side = step.command.side,
                         .status = answer.status,
                         .risk = answer.risk,
                         .result = answer.result.status};
    });
  }
  /// A stop: StopAdded, StopChanged, Triggered, or Deleted.
  void waits(VenueReportKind kind, const VenueCommand& stop, Quantity remaining,
             DeleteReason reason = DeleteReason::None) noexcept {
    (*this)([&] {
      return VenueReport{.id = stop.id,
                         .price = stop.trigger,
                         .quantity = stop.quantity,
                         .remaining = remaining,
                         .account = stop.account,
                         .book = stop.book,
                         .client_tag = stop.client_tag,
                         .kind = kind,
                         .side = stop.side,
                         .reason = reason};
    });
  }
  void traded(const RuledTrade& trade, BookNumber book, std::uint64_t match, const ClientTags& tags) noexcept {
    (*this)([&] {
      return VenueReport{.match = match,
                         .id = trade.taker_id,
                         .other_id = trade.maker_id,
                         .other_handle = trade.maker_handle,
                         .price = trade.price,
                         .quantity = trade.quantity,
                         .remaining = trade.taker_remaining,
                         .other_remaining = trade.maker_remaining,
                         .displayed = trade.maker_displayed,
                         .account = trade.taker_owner,
                         .other_account = trade.maker_owner,
                         .book = book,
                         .client_tag = tags.own,
                         .other_client_tag = tags.other,
                         .kind = VenueReportKind::Executed,
                         .side = trade.taker_side};
    });
  }
  void prevented(const PreventedMatch& match, BookNumber book, Quantity displayed,
                 const ClientTags& tags) noexcept {
    (*this)([&] {
      return VenueReport{.id = match.taker_id,
                         .other_id = match.maker_id,
                         .other_handle = match.maker_handle,
                         .price = match.price,
                         .quantity = match.quantity,
                         .remaining = match.taker_remaining,
                         .other_remaining = match.maker_remaining,
                         .displayed = displayed,
                         .account = match.owner,
                         .other_account = match.owner,
                         .book = book,
                         .client_tag = tags.own,
                         .other_client_tag = tags.other,
                         .kind = VenueReportKind::Prevented,
                         .side = match.taker_side,
                         .detail = static_cast<std::uint8_t>(match.mode)};
    });
  }
  /// Two orders that have met in an auction: Executed, or Prevented.
  void met(VenueReportKind kind, const AuctionMatch& pair, BookNumber book, std::uint64_t match,
           std::uint8_t detail, const ClientTags& tags) noexcept {
    (*this)([&] {
      return VenueReport{.match = match,
                         .id = pair.buy.id,
                         .other_id = pair.sell.id,
                         .handle = pair.buy.handle,
                         .other_handle = pair.sell.handle,
                         .price = pair.price,
                         .quantity = pair.quantity,
                         .remaining = pair.buy.remaining,
                         .other_remaining = pair.sell.remaining,
                         .displayed = pair.sell.displayed,
                         .account = pair.buy.owner,
                         .other_account = pair.sell.owner,
                         .book = book,
                         .client_tag = tags.own,
                         .other_client_tag = tags.other,
                         .kind = kind,
                         .detail = detail};
    });
  }
  /// What an auction would do, or has done: Indicative, or Uncrossed.
  void auction(VenueReportKind kind, BookNumber book, Phase phase, const AuctionPrice& price) noexcept {
    (*this)([&] {
      return VenueReport{.price = price.price,
                         .quantity = price.quantity,
                         .remaining = price.imbalance,
                         .book = book,
                         .kind = kind,
                         .side = price.side,
                         .phase = phase};
    });
  }
  void phase(VenueReportKind kind, BookNumber book, Phase phase) noexcept {
    (*this)([&] { return VenueReport{.book = book, .kind = kind, .phase = phase}; });
  }
  /// Done, or Fired: the answer to a command or to the order of a stop.
  void answered(VenueReportKind kind, const VenueCommand& command, const VenueAnswer& answer,
                std::uint32_t fired = 0) noexcept {
    (*this)([&] {
      return VenueReport{.id = command.id,
                         .other_id = command.new_id,
                         .handle = answer.result.handle,
                         .quantity = answer.result.filled,
                         .remaining = answer.result.remaining,
                         .cancelled = answer.result.cancelled,
                         .account = command.account,
                         .book = command.book,
                         .fired = fired,
                         .client_tag = command.client_tag,
                         .kind = kind,
                         .status = answer.status,
                         .risk = answer.risk,
                         .result = answer.result.status,
                         .detail = answer.result.kept_place};
    });
  }

 private:
  [[gnu::always_inline]] void lost(VenueReportKind kind, const OpenOrder& before, Quantity by, Quantity displayed,
                                   DeleteReason reason) noexcept {
    (*this)([&] {
      return VenueReport{.id = before.id,
                         .handle = before.handle,
                         .price = before.price,
                         .quantity = by,
                         .remaining = before.quantity - by,
                         .displayed = displayed,
                         .account = before.account,
                         .book = before.book,
                         .client_tag = before.client_tag,
                         .kind = kind,
                         .side = before.side,
                         .reason = reason};
    });
  }
  [[gnu::always_inline]] void finish(VenueReport& report) const noexcept {
    report.sequence = sequence_;
    report.time = time_;
  }

  Reports& reports_;
  std::uint64_t sequence_;
  Nanoseconds time_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
