// SPDX-License-Identifier: MIT
//
// A venue and its oracle, which get the same commands: their reports, and what is open, must be the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "llmes/types/text.hpp"
#include "llmes/venue.hpp"
#include "tests/support/venue_oracle.hpp"

namespace llmes::test {

inline std::string text_of(const VenueReport& r) {
  return std::string(to_string(r.kind)) + ' ' + std::string(to_string(r.status)) + ' ' +
         std::string(to_string(r.risk)) + ' ' + std::string(to_string(r.result)) + ' ' +
         std::string(to_string(r.reason)) + ", id " + std::to_string(r.id) + 'x' + std::to_string(r.other_id) +
         ", " + std::to_string(r.quantity) + '@' + std::to_string(r.price) + ", left " +
         std::to_string(r.remaining) + " and " + std::to_string(r.other_remaining) + ", cancelled " +
         std::to_string(r.cancelled) + ", fired " + std::to_string(r.fired);
}

class VenuePair {
 public:
  explicit VenuePair(const VenueConfig& config)
      : venue(*Venue<>::create(config)), oracle(config), config_(config) {}

  /// Gives both a command, and compares their reports.
  void make(const VenueCommand& command, const std::vector<QuoteEntry>& entries = {}) {
    std::vector<VenueReport> reports;
    venue.quote(command, entries, 0, [&](VenueReport report) {
      report.time = 0;
      counts[report.status] += report.kind == VenueReportKind::Quoted ? 1 : 0;
      report.handle = report.other_handle = {};
      reports.push_back(report);
    });
    const auto expected = oracle.apply(command, entries);
    if (expected == reports || !difference_.empty()) return;
    difference_ = to_string(command) + "\nexpected\n";
    for (const VenueReport& report : expected) difference_ += "  " + text_of(report) + '\n';
    difference_ += "but the venue says\n";
    for (const VenueReport& report : reports) difference_ += "  " + text_of(report) + '\n';
  }

  /// Compares what rests and waits.
  void compare() {
    for (BookNumber book = 0; book < config_.books.max_books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        std::vector<OrderId> ids;
        venue.book().book(book)->visit_orders(side, [&](const RestingOrder& order) { ids.push_back(order.id); });
        expect(ids == oracle.ids(book, side), "the orders of a side");
      }
    }
    for (const VenueCommand& stop : oracle.stops().stops()) expect(venue.stops().find(stop.id) == stop, "stops");
    expect(venue.stops().size() == oracle.stops().stops().size(), "the numbers of stops");
    expect(venue.lifetimes() == oracle.lifetimes(), "the numbers of lifetimes");
    expect(venue.links().size() == oracle.linked(), "the numbers of linked orders");
    expect(venue.holds(), "the venue and its invariants");
  }

  /// The first difference; empty if there was none.
  [[nodiscard]] const std::string& difference() const { return difference_; }

  Venue<> venue;
  VenueOracle oracle;
  std::map<VenueStatus, int> counts;  ///< of entries of mass quotes

 private:
  void expect(bool same, const char* what) {
    if (!same && difference_.empty()) difference_ = std::string(what) + " differ";
  }

  VenueConfig config_;
  std::string difference_;
};

}  // namespace llmes::test
