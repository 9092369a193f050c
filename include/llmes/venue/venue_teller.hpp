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
      VenueReport report = of(order, kind, order.quantity, order.quantity, displayed);
      report.other_id = before.id;
      report.other_handle = before.handle;
      return report;
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
      VenueReport report = of(step.command, VenueReportKind::GrowthRefused, step.quantity, left);
      report.id = step.id;
      report.price = price;
      report.side = step.command.side;
      add(report, answer);
      return report;
    });
  }
  /// A stop: StopAdded, StopChanged, Triggered, or Deleted.
  void waits(VenueReportKind kind, const VenueCommand& stop, Quantity remaining,
             DeleteReason reason = DeleteReason::None) noexcept {
    (*this)([&] {
      VenueReport report = of(stop, kind, stop.quantity, remaining);
      report.price = stop.trigger;
      report.side = stop.side;
      report.reason = reason;
      return report;
    });
  }
  void traded(const RuledTrade& trade, BookNumber book, std::uint64_t match, const ClientTags& tags) noexcept {
    (*this)([&] {
      VenueReport report = of_two(VenueReportKind::Executed, trade, book, trade.maker_displayed, tags);
      report.match = match;
      report.account = trade.taker_owner;
      report.other_account = trade.maker_owner;
      return report;
    });
  }
  void prevented(const PreventedMatch& match, BookNumber book, Quantity displayed,
                 const ClientTags& tags) noexcept {
    (*this)([&] {
      VenueReport report = of_two(VenueReportKind::Prevented, match, book, displayed, tags);
      report.account = report.other_account = match.owner;
      report.detail = static_cast<std::uint8_t>(match.mode);
      return report;
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
      VenueReport report = of(command, kind, answer.result.filled, answer.result.remaining);
      report.other_id = command.new_id;
      report.handle = answer.result.handle;
      report.cancelled = answer.result.cancelled;
      report.fired = fired;
      report.detail = answer.result.kept_place;
      add(report, answer);
      return report;
    });
  }

 private:
  [[gnu::always_inline]] void lost(VenueReportKind kind, const OpenOrder& before, Quantity by, Quantity displayed,
                                   DeleteReason reason) noexcept {
    (*this)([&] {
      VenueReport report = of(before, kind, by, before.quantity - by, displayed);
      report.reason = reason;
      return report;
    });
  }

  // ---- What is said of each order, of whatever it is known by.

  [[nodiscard, gnu::always_inline]] static VenueReport of(const OpenOrder& order, VenueReportKind kind,
                                                          Quantity quantity, Quantity remaining,
                                                          Quantity displayed) noexcept {
    return {.id = order.id,
            .handle = order.handle,
            .price = order.price,
            .quantity = quantity,
            .remaining = remaining,
            .displayed = displayed,
            .account = order.account,
            .book = order.book,
            .client_tag = order.client_tag,
            .kind = kind,
            .side = order.side};
  }
  [[nodiscard, gnu::always_inline]] static VenueReport of(const VenueCommand& order, VenueReportKind kind,
                                                          Quantity quantity, Quantity remaining) noexcept {
    return {.id = order.id,
            .quantity = quantity,
            .remaining = remaining,
            .account = order.account,
            .book = order.book,
            .client_tag = order.client_tag,
            .kind = kind};
  }
  /// A taker that has met a maker.
  [[nodiscard, gnu::always_inline]] static VenueReport of_two(VenueReportKind kind, const auto& pair,
                                                              BookNumber book, Quantity displayed,
                                                              const ClientTags& tags) noexcept {
    return {.id = pair.taker_id,
            .other_id = pair.maker_id,
            .other_handle = pair.maker_handle,
            .price = pair.price,
            .quantity = pair.quantity,
            .remaining = pair.taker_remaining,
            .other_remaining = pair.maker_remaining,
            .displayed = displayed,
            .book = book,
            .client_tag = tags.own,
            .other_client_tag = tags.other,
            .kind = kind,
            .side = pair.taker_side};
  }
  [[gnu::always_inline]] static void add(VenueReport& report, const VenueAnswer& answer) noexcept {
    report.status = answer.status;
    report.risk = answer.risk;
    report.result = answer.result.status;
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
