// SPDX-License-Identifier: MIT
//
// A small venue to send commands to, which keeps the reports of the last one.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llmes/venue.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {

using VC = VenueCommandType;
using VK = VenueReportKind;

inline VenueConfig small_venue() {
  return {.books = {.max_books = 2, .capacity = 32, .far_levels = 32},
          .accounts = 4,
          .holdings = 8,
          .fees = {.maker = -2, .taker = 3},
          .stops = 4,
          .lifetimes = 4,
          .links = 4,
          .matches = 8};
}

class VenueDesk {
 public:
  explicit VenueDesk(const VenueConfig& config = small_venue()) : venue(*Venue<>::create(config)) {}

  /// Sends a command at the time of the desk, and returns its Done.
  const VenueReport& send(VenueCommand command) {
    if (command.time == 0) command.time = ++time;
    return send_as_it_is(command);
  }
  const VenueReport& send_as_it_is(const VenueCommand& command) {
    reports.clear();
    ++sequence;
    venue.apply(command, sequence, [this](const VenueReport& report) { reports.push_back(report); });
    return reports.back();
  }

  const VenueReport& limit(AccountNumber account, OrderId id, Side side, Price price, Quantity quantity,
                           VenueCommand rest = {}) {
    rest.account = account;
    rest.id = id;
    rest.side = side;
    rest.price = price;
    rest.quantity = quantity;
    return send(rest);
  }
  const VenueReport& cancel(AccountNumber account, OrderId id) {
    return send({.id = id, .account = account, .type = VC::Cancel});
  }
  const VenueReport& phase(Phase to, BookNumber book = VenueCommand::all_books) {
    return send({.book = book, .type = VC::SetPhase, .phase = to});
  }

  /// The kinds of the last command's reports, with what each is about: "Executed 2x1 5@100".
  [[nodiscard]] std::string told() const {
    std::string text;
    for (const VenueReport& report : reports) {
      if (!text.empty()) text += ", ";
      text += std::string(to_string(report.kind));
      if (report.kind == VK::Done && report.status != VenueStatus::Success) {
        text += ' ' + std::string(to_string(report.status));
      }
      if (report.kind == VK::Done) continue;
      if (report.id != 0) text += ' ' + std::to_string(report.id);
      if (report.other_id != 0) text += 'x' + std::to_string(report.other_id);
      text += ' ' + std::to_string(report.quantity) + '@' + std::to_string(report.price);
      if (report.reason != DeleteReason::None) text += ' ' + std::string(to_string(report.reason));
    }
    return text;
  }
  [[nodiscard]] Quantity open(OrderId id) const {
    const auto order = venue.risk().find(venue.book().handle_of(id));
    return order ? order->quantity : 0;
  }
  [[nodiscard]] std::vector<std::byte> bytes() const { return state_of(venue); }

  Venue<> venue;
  std::vector<VenueReport> reports;
  Nanoseconds time = 0;
  std::uint64_t sequence = 0;
};

}  // namespace llmes::test
