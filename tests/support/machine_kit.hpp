// SPDX-License-Identifier: MIT
//
// Machines for the tests of engines, each with a config and random records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/counting_machine.hpp"
#include "tests/support/record_plan.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test {

/// What the tests need of a machine: a config, records for it, and which report of a record is the last.
template <class M>
struct Kit;
template <>
struct Kit<CountingMachine<>> {
  static CountingMachine<>::Config config() { return {.counters = 10}; }
  static std::vector<CountRecord<2>> plan(std::uint64_t seed, std::size_t count) {
    return plan_counts<CountRecord<2>>(seed, count);
  }
  static bool is_last(const CountReport& report) { return report.last != 0; }
};
template <class Book>
struct Kit<Matcher<Book>> {
  static MatcherConfig<Book> config() { return SmallMatcher<Book>::config; }
  static std::vector<Record> plan(std::uint64_t seed, std::size_t count) {
    return plan_records<Book>(seed, count);
  }
  static bool is_last(const Report& report) { return report.kind == ReportKind::Done; }
};
template <>
struct Kit<VenueMachine<>> {
  /// For what `VenuePlanner` sends; some of it does not fit.
  static VenueConfig config() {
    return {.books = {.max_books = 2, .capacity = 20, .far_levels = 32},
            .accounts = 4,
            .holdings = 8,
            .fees = {.maker = -2, .taker = 3},
            .stops = 4,
            .lifetimes = 4,
            .links = 4,
            .matches = 8};
  }
  /// Some of the commands have two records or three.
  static std::vector<PartRecord> plan(std::uint64_t seed, std::size_t count) {
    std::vector<PartRecord> records;
    const auto add = [&records](const VenueCommand& command) {
      const VenueRecords all = records_of(command);
      records.insert(records.end(), all.begin(), all.end());
    };
    for (const AccountNumber account : {1u, 2u}) {
      AccountLimits limits;
      limits.cancel_on_disconnect = true;
      add(VenueCommand::set_limits(account, limits, 0));
    }
    VenuePlanner planner(seed);
    while (records.size() + VenueRecords::size_max <= count) add(planner.next());
    while (records.size() < count) add({.account = 1, .type = VenueCommandType::Restore});
    stamp(records, 1);
    return records;
  }
  static bool is_last(const VenueReport& report) { return report.kind == VenueReportKind::Done; }
};

/// Keeps all reports. It gives little room at a time.
template <class Report>
class Keep final : public BasicReportTarget<Report> {
 public:
  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    reports.insert(reports.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  std::vector<Report> reports;

 private:
  std::array<Report, 3> room_;
};

}  // namespace llmes::test
