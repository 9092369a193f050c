// SPDX-License-Identifier: MIT
//
// Random records for a matcher: commands of every type, for several books and one that is not there, near the
// touch and far from it. They are planned beside a matcher of their own, so that most of them meet an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/ids/id_book.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// Keeps all reports. It gives little room at a time.
class KeepReports final : public ReportTarget {
 public:
  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    reports.insert(reports.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  std::vector<Report> reports;

 private:
  std::array<Report, 3> room_;
};

template <class Book>
struct SmallMatcher;
template <>
struct SmallMatcher<BookSet> {
  static constexpr MatcherConfig<BookSet> config{.books = 3, .capacity = 60};
};
template <>
struct SmallMatcher<IdBook<BookSet, DenseIds>> {
  static constexpr MatcherConfig<IdBook<BookSet, DenseIds>> config{
      .books = 3, .capacity = 60, .ids = {.first = 10, .count = 90}};
};
template <>
struct SmallMatcher<IdBook<BookSet, HashedIds>> {
  static constexpr MatcherConfig<IdBook<BookSet, HashedIds>> config{.books = 3, .capacity = 60, .ids = {}};
};
template <>
struct SmallMatcher<IdBook<PlacedBookSet, PlacedIds>> {
  static constexpr MatcherConfig<IdBook<PlacedBookSet, PlacedIds>> config{.books = 3, .capacity = 60, .ids = {}};
};

/// The reports of a matcher by itself.
template <class Book>
[[nodiscard]] std::vector<Report> expected_reports(std::span<const Record> records) {
  auto matcher = *Matcher<Book>::create(SmallMatcher<Book>::config);
  KeepReports target;
  matcher.apply(records, target);
  return target.reports;
}

/// Stamped records, the first of which has sequence 1.
template <class Book>
[[nodiscard]] std::vector<Record> plan_records(std::uint64_t seed, std::size_t count) {
  const MatcherConfig<Book>& config = SmallMatcher<Book>::config;
  auto matcher = *Matcher<Book>::create(config);
  FarCommands commands(seed);
  Random random(seed);
  std::vector<Record> records;
  while (records.size() < count) {
    const Command command = commands.next();
    const auto book = static_cast<BookNumber>(random.below(random.chance(95) ? config.books : 2 * config.books));
    const std::uint64_t time = random.next();  // which may go back
    Record record = record_of(BookCommand{command, book}, time);
    if constexpr (!std::is_same_v<Book, BookSet>) {
      record.id = random.below(120);
      record.other = random.below(120);
    }
    stamp(record, records.size() + 1);
    records.push_back(record);
    KeepReports target;
    matcher.apply({&record, 1}, target);
    const Report& done = target.reports.back();
    if (done.outcome.remaining > 0 && done.status == Status::Success) commands.note(done.outcome.handle);
  }
  return records;
}

}  // namespace llmes::test
