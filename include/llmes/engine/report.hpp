// SPDX-License-Identifier: MIT
//
// The reports of an engine: 64 bytes for each event of a command, and 64 that end the command. They are numbers
// without padding, so equal reports are equal bytes.
//
// The reports of a command are, in this order:
//
//  - the events of the orders of its book (see events.hpp), with their positions in that stream: Executed for each
//    fill, then at most one of Added, AddedBefore, Reduced, Deleted and Replaced; none if rejected or if nothing
//    changes;
//  - one NewId, without a position, for a command by id that names a resting order and a new id (a replace, an
//    AddRestingBefore) and leaves no new order, so that the reports name each id;
//  - one Done, with the result.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class ReportKind : std::uint8_t {
  Done,         ///< how the command went
  Added,        ///< an order has come to rest
  Executed,     ///< a fill
  Reduced,      ///< an order has fewer lots without a fill, and keeps its place
  Deleted,      ///< an order is gone
  Replaced,     ///< an order is gone, and another one of its side has come to rest
  NewId,        ///< by id: the new order does not rest: filled, dropped or rejected, as Done says
  AddedBefore,  ///< an order has come to rest in front of another one of its level
};

struct alignas(64) Report {
  /// The result of a command.
  struct Outcome {
    OrderId id;          ///< as the command had it
    OrderHandle handle;  ///< names the order if it rests now; this and the next three are those of `Result`
    Quantity filled;
    Quantity remaining;
    Quantity cancelled;
    std::uint64_t time;  ///< nanoseconds, as the command had it
  };
  /// An order as it is now or, if it has been deleted, as it was.
  struct Order {
    std::uint64_t position;  ///< of this event, and of the others below, in the stream of orders of the book
    OrderId id;
    OrderHandle handle;
    Price price;
    Quantity quantity;
    Quantity reduced_by;  ///< lots that it lost if the report is Reduced; else 0
  };
  /// An order that is not the youngest of its level.
  struct Placement {
    std::uint64_t position;
    OrderId id;
    OrderHandle handle;
    Price price;
    Quantity quantity;
    OrderHandle in_front_of;  ///< the next order of the level
  };
  /// The taker is the order of the command.
  struct Fill {
    std::uint64_t position;
    OrderId maker_id;
    OrderHandle maker_handle;  ///< already stale if `maker_remaining` is 0
    Price price;
    Quantity quantity;
    Quantity maker_remaining;
  };
  /// The order that has taken the place of another one.
  struct Replacement {
    std::uint64_t position;
    OrderHandle old_handle;  ///< the same handle if a modify has moved the order
    OrderId id;
    OrderHandle handle;
    Price price;
    Quantity quantity;
  };
  /// What a command names that leaves no new order.
  struct Ids {
    OrderId old_id;  ///< of the order to replace, or of the neighbour
    OrderId new_id;
    std::array<std::uint64_t, 4> unused;  ///< 0
  };

  std::uint64_t sequence = 0;  ///< that of the command
  BookNumber book = 0;         ///< Done and NewId: as the command had it
  ReportKind kind = ReportKind::Done;
  Side side = Side::Buy;            ///< of the order, or of the taker of a fill; Done and NewId: Buy
  Status status = Status::Success;  ///< Done: how the command went; else Success
  bool kept_place = false;          ///< Done: as in `Result`; else false
  union {
    Outcome outcome;          ///< of Done
    Order order;              ///< of Added, Reduced and Deleted
    Fill fill;                ///< of Executed
    Replacement replacement;  ///< of Replaced
    Placement placement;      ///< of AddedBefore
    Ids ids;                  ///< of NewId
  };

  /// Done, with zeros.
  constexpr Report() noexcept : outcome{} {}

  /// Whether all bytes are the same.
  friend bool operator==(const Report& a, const Report& b) noexcept {
    using Bytes = std::array<std::byte, 64>;
    return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
  }
};
static_assert(sizeof(Report) == 64 && std::is_trivially_copyable_v<Report>);

/// One line.
[[nodiscard]] inline std::string to_string(const Report& report) {
  std::string text = std::to_string(report.sequence) + ' ' + std::string(to_string(report.kind));
  const auto say = [&text](OrderId id, OrderHandle handle) {
    text += " id " + std::to_string(id) + ", " + to_string(handle);
  };
  const auto say_lots = [&text](Side side, Quantity quantity, Price price) {
    text += ", " + std::string(to_string(side)) + ' ' + std::to_string(quantity) + " at " + std::to_string(price);
  };
  switch (report.kind) {
    case ReportKind::Done:
      say(report.outcome.id, report.outcome.handle);
      return text + ": " + std::string(to_string(report.status)) + ", filled " +
             std::to_string(report.outcome.filled) + ", remaining " + std::to_string(report.outcome.remaining) +
             ", cancelled " + std::to_string(report.outcome.cancelled);
    case ReportKind::Executed:
      say(report.fill.maker_id, report.fill.maker_handle);
      say_lots(opposite(report.side), report.fill.quantity, report.fill.price);
      return text + ", left with " + std::to_string(report.fill.maker_remaining);
    case ReportKind::Replaced:
      say(report.replacement.id, report.replacement.handle);
      say_lots(report.side, report.replacement.quantity, report.replacement.price);
      return text + ", was " + to_string(report.replacement.old_handle);
    case ReportKind::NewId:
      return text + " id " + std::to_string(report.ids.new_id) + " for id " + std::to_string(report.ids.old_id);
    case ReportKind::AddedBefore:
      say(report.placement.id, report.placement.handle);
      say_lots(report.side, report.placement.quantity, report.placement.price);
      return text + ", before " + to_string(report.placement.in_front_of);
    case ReportKind::Added:
    case ReportKind::Reduced:
    case ReportKind::Deleted: break;
  }
  say(report.order.id, report.order.handle);
  say_lots(report.side, report.order.quantity, report.order.price);
  return text;
}

/// Where the reports of books go, or nowhere.
using ReportTarget = BasicReportTarget<Report>;
using NoReports = BasicNoReports<Report>;

}  // namespace llmes::inline LLMES_NAMESPACE
