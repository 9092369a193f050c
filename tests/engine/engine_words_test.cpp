// SPDX-License-Identifier: MIT
//
// What reports, errors and summaries say to people.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "llmes/engine.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test {
namespace {

Report report_of(ReportKind kind) {
  Report report;
  report.sequence = 7;
  report.kind = kind;
  report.side = Side::Sell;
  return report;
}

TEST(EngineWords, OfAReportHaveItsNumbers) {
  Report done = report_of(ReportKind::Done);
  done.status = Status::PoolFull;
  done.outcome = {.id = 3, .handle = {4, 2}, .filled = 11, .remaining = 12, .cancelled = 13, .time = 0};
  EXPECT_EQ(to_string(done),
            "7 Done id 3, " + to_string(OrderHandle{4, 2}) + ": PoolFull, filled 11, remaining 12, cancelled 13");
  Report fill = report_of(ReportKind::Executed);
  fill.fill = {
      .position = 0, .maker_id = 3, .maker_handle = {4, 2}, .price = -5, .quantity = 6, .maker_remaining = 8};
  EXPECT_EQ(to_string(fill), "7 Executed id 3, " + to_string(OrderHandle{4, 2}) + ", Buy 6 at -5, left with 8");
  Report replaced = report_of(ReportKind::Replaced);
  replaced.replacement = {
      .position = 0, .old_handle = {4, 2}, .id = 3, .handle = {5, 9}, .price = -5, .quantity = 6};
  EXPECT_EQ(to_string(replaced), "7 Replaced id 3, " + to_string(OrderHandle{5, 9}) + ", Sell 6 at -5, was " +
                                     to_string(OrderHandle{4, 2}));
  Report ids = report_of(ReportKind::NewId);
  ids.ids = {.old_id = 3, .new_id = 4, .unused = {}};
  EXPECT_EQ(to_string(ids), "7 NewId id 4 for id 3");
  Report placed = report_of(ReportKind::AddedBefore);
  placed.placement = {.position = 0, .id = 3, .handle = {4, 2}, .price = -5, .quantity = 6, .in_front_of = {5, 9}};
  EXPECT_EQ(to_string(placed), "7 AddedBefore id 3, " + to_string(OrderHandle{4, 2}) + ", Sell 6 at -5, before " +
                                   to_string(OrderHandle{5, 9}));
  for (const ReportKind kind : {ReportKind::Added, ReportKind::Reduced, ReportKind::Deleted}) {
    Report order = report_of(kind);
    order.order = {.position = 0, .id = 3, .handle = {4, 2}, .price = -5, .quantity = 6, .reduced_by = 0};
    EXPECT_EQ(to_string(order),
              "7 " + std::string(to_string(kind)) + " id 3, " + to_string(OrderHandle{4, 2}) + ", Sell 6 at -5");
  }
  EXPECT_EQ(to_string(report_of(static_cast<ReportKind>(99))).find("7 ? id "), 0u);
}

/// Whether the words for an error have all of these.
void expect_says(const JournalError& error, std::initializer_list<std::string> parts) {
  const std::string said = to_string(error);
  for (const std::string& part : parts) EXPECT_NE(said.find(part), said.npos) << said;
}

TEST(EngineWords, OfAnErrorHaveWhatIsKnownOfIt) {
  const JournalName file = JournalName::of_segment(21);
  const std::string name(file.text());
  expect_says({.code = JournalCode::Locked, .file = JournalName("lock")}, {"another engine"});
  expect_says({.code = JournalCode::Locked, .file = JournalName("snapshot.lock")}, {"another snapshot"});
  expect_says(system_error("pread", -EIO, file, 512), {"pread", name, "512", "5"});
  expect_says(system_error("fsync", -ENOSPC), {"fsync", "the directory"});
  expect_says({.code = JournalCode::StrayFile, .file = JournalName("x.journal")}, {"x.journal"});
  expect_says({.code = JournalCode::MissingSegment, .sequence = 5, .other = 21}, {"record 5", name});
  expect_says({.code = JournalCode::OverlappingSegment, .file = file, .sequence = 21}, {name, "record 21"});
  expect_says({.code = JournalCode::RenamedSegment, .file = JournalName("a"), .other = 21}, {"a", "21", name});
  expect_says({.code = JournalCode::UnknownVersion, .file = file, .other = 77}, {name, "77"});
  expect_says({.code = JournalCode::DamagedHeader, .file = file, .sequence = 21}, {name, "record 21"});
  expect_says({.code = JournalCode::DamagedRecord, .file = file, .offset = 576, .sequence = 22},
              {name, "576", "record 22"});
  expect_says({.code = JournalCode::OtherBooks, .file = file}, {name});
  expect_says({.code = JournalCode::MissingRecords, .sequence = 9, .other = 4}, {"record 9", "4"});
  expect_says({.code = JournalCode::TooSmall, .other = 8, .name = fixed_text<24>("PoolFull"), .found = 2},
              {"id 8", "book 2", "PoolFull", "nothing was written"});
  expect_says({.code = JournalCode::TooSmall, .expected = 3, .found = 2}, {"book 2", "at least 3 books"});
  expect_says({.code = JournalCode::RemovedRecords, .sequence = 9, .other = 40}, {"record 9", "record 40"});
  expect_says({.code = JournalCode::OtherMachine, .expected = 64, .found = 256}, {"256 bytes", "some of 64"});
}

TEST(EngineWords, OfEachErrorAreOthers) {
  std::set<std::string> said;
  for (auto code = JournalCode::Success; code <= JournalCode::OtherMachine;
       code = static_cast<JournalCode>(static_cast<int>(code) + 1)) {
    EXPECT_TRUE(said.insert(to_string(JournalError{.code = code})).second) << to_string(code);
  }
  const auto none = static_cast<JournalCode>(99);
  EXPECT_EQ(to_string(JournalError{.code = none}), "?");
  EXPECT_EQ(to_string(none), "?");
  std::ostringstream out;
  out << JournalCode::Locked;
  EXPECT_EQ(out.str(), "Locked");
  EXPECT_EQ(to_string(EngineError{.journal = {.code = JournalCode::Locked}}),
            to_string(JournalError{.code = JournalCode::Locked}));
  EXPECT_NE(to_string(EngineError{.books = CreateStatus::OutOfMemory}).find("OutOfMemory"), std::string::npos);
  EXPECT_NE(to_string(EngineError{.rings = RingStatus::OutOfMemory}),
            to_string(EngineError{.rings = RingStatus::InvalidCapacity}));
}

TEST(EngineWords, OfOtherParametersNameTheFirstThatDiffers) {
  JournalParameters one("books");
  (void)one.add("pages", 5);
  JournalParameters other("books");
  (void)other.add("pages", 6);
  JournalParameters unlike("books");
  (void)unlike.add("sheets", 7);
  const JournalName file = JournalName::of_segment(1);
  const auto expect_differs = [&](const JournalParameters& found, const JournalParameters& expected,
                                  std::string_view name, std::uint64_t value_found, std::uint64_t value_expected) {
    const JournalError error = other_parameters(file, found, expected);
    EXPECT_EQ(error.code, JournalCode::OtherParameters);
    EXPECT_EQ(text_of(error.name), name);
    EXPECT_EQ(error.found, value_found);
    EXPECT_EQ(error.expected, value_expected);
  };
  expect_differs(one, other, "pages", 5, 6);
  expect_differs(one, unlike, "pages", 5, 0);
  expect_differs(JournalParameters("books"), other, "pages", 0, 6);
  expect_differs(one, JournalParameters("books"), "pages", 5, 0);
  expect_differs(one, one, "", 0, 0);
  const JournalError other_kind = other_parameters(file, JournalParameters("sets"), one);
  EXPECT_EQ(other_kind.code, JournalCode::OtherMachine);
  expect_says(other_kind, {"of another kind", "\"sets\""});
  expect_says(other_parameters(file, one, other), {"pages", "5", "6"});
}

TEST(EngineWords, OfASummaryTellWhatWasFound) {
  EXPECT_EQ(to_string(JournalSummary{.replayed = 2, .next_sequence = 3}), "2 records replayed, the next is 3");
  EXPECT_EQ(to_string(JournalSummary{.next_sequence = 1, .empty = true}),
            "0 records replayed, the next is 1; the journal is new");
  const JournalSummary torn{
      .next_sequence = 1, .torn_bytes = 40, .torn_file = JournalName::of_segment(1), .torn_offset = 512};
  const std::string said = to_string(RecoverySummary{.journal = torn});
  EXPECT_EQ(said.find("no snapshot"), 0u);
  EXPECT_NE(said.find("40 bytes"), said.npos);
  EXPECT_NE(said.find("from offset 512"), said.npos);
  const std::string damaged = to_string(RecoverySummary{.snapshot_sequence = 9, .snapshots_damaged = 2});
  EXPECT_EQ(damaged.find("snapshot at 9 (2 newer: damaged, not used)"), 0u);
  EXPECT_EQ(to_string(RecoverySummary{.snapshot_sequence = 9}).find("snapshot at 9; "), 0u);
}

/// No two kinds of books can take each other's files.
TEST(EngineParameters, AreOthersForEachKindOfBooks) {
  using Dense = IdBook<BookSet, DenseIds>;
  const MatcherConfig<Dense> dense{.books = 3, .capacity = 60, .ids = {.first = 1, .count = 9}};
  const JournalParameters all[] = {parameters_of(SmallMatcher<BookSet>::config),
                                   parameters_of(SmallMatcher<IdBook<BookSet, HashedIds>>::config),
                                   parameters_of(SmallMatcher<IdBook<PlacedBookSet, PlacedIds>>::config),
                                   parameters_of(dense)};
  for (const JournalParameters& one : all) {
    for (const JournalParameters& other : all) EXPECT_EQ(one == other, &one == &other);
  }
}

TEST(EngineWords, OfAStatusSayWhenTheDiskWillBeFull) {
  EngineStatus status{
      .sequence = 7, .sync_nanoseconds = 2'500, .segment_left = 9, .free_bytes = 99, .wanted_bytes = 100};
  EXPECT_TRUE(status.room_is_short());
  EXPECT_EQ(
      to_string(status),
      "at command 7: backlog 0, not in the journal 0, unread reports 0; last sync 2 us, segment has room for 9 "
      "records, disk has 99 bytes free: too few, make room for 100");
  status.free_bytes = 100;
  EXPECT_FALSE(status.room_is_short());
  EXPECT_TRUE(to_string(status).ends_with("disk has 100 bytes free"));
  status.free_bytes.reset();
  EXPECT_FALSE(status.room_is_short()) << "nobody knows";
}

/// Where orders live decides which handles they get, so the index alone does not name a kind.
TEST(EngineParameters, AreThereForKnownPairsOfASetAndAnIndexAlone) {
  static_assert(!kind_of_books<IdBook<BookSet, HashedIds>>.empty());
  static_assert(kind_of_books<PlacedBookSet>.empty());
  static_assert(kind_of_books<IdBook<PlacedBookSet, HashedIds>>.empty());
}

/// The checksum alone does not make a header of it.
TEST(EngineHeader, OfASegmentHasRoomForSomeRecords) {
  for (const auto& [records, whole] : {std::pair{std::uint64_t{0}, false},
                                       {1, true},
                                       {JournalHeader::segment_records_max, true},
                                       {JournalHeader::segment_records_max + 1, false}}) {
    JournalHeader header{.first_sequence = 1, .segment_records = records};
    header.checksum = header.checksum_now();
    EXPECT_EQ(header.whole(), whole) << records;
  }
}

}  // namespace
}  // namespace llmes::test
