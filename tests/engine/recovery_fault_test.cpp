// SPDX-License-Identifier: MIT
//
// An engine and its snapshots on a disk that fails, dies or loses power at any call: nothing that was reported is
// lost, and a snapshot is there as a whole or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::recovery_fault_test {
namespace {

using Book = IdBook<BookSet, HashedIds>;
using FaultyEngine = Engine<Book, YieldWait, FaultyFiles>;
constexpr const MatcherConfig<Book>& config = SmallMatcher<Book>::config;

std::unique_ptr<FaultyEngine> make_engine(FaultyDisk& disk, EngineError& error,
                                          Durability durability = Durability::Machine) {
  return FaultyEngine::create({.books = config,
                               .commands = 256,
                               .reports = 4'096,
                               .journal = {.directory = "d", .durability = durability, .segment_records = 40}},
                              error, FaultyFiles{&disk});
}

/// The digest of books that have seen some commands.
std::uint64_t digest_after(std::span<const Record> records) {
  auto matcher = *Matcher<Book>::create(config);
  NoReports nobody;
  matcher.apply(records, nobody);
  return logical_digest(matcher);
}

/// Hands in records until all are done or the engine takes no more, and returns what was reported.
std::vector<Report> run(FaultyEngine& engine, std::span<const Record> records) {
  hand_in(engine, records);
  std::vector<Report> reports;
  for (auto some = engine.wait_reports(4'096); !some.empty(); some = engine.wait_reports(4'096)) {
    reports.insert(reports.end(), some.begin(), some.end());
    engine.release(some.size());
  }
  return reports;
}

/// A new engine has all that was reported, and whatever else it has was handed in.
void expect_recovered(FaultyDisk& disk, std::span<const Record> records, std::span<const Report> reported) {
  EngineError error;
  const auto engine = make_engine(disk, error);
  ASSERT_TRUE(engine) << to_string(error);
  ASSERT_LE(engine->sequence(), records.size());
  const auto known = records.first(engine->sequence());
  if (!reported.empty()) {
    EXPECT_GE(engine->sequence(), reported.back().sequence);
  }
  EXPECT_EQ(logical_digest(engine->books()), digest_after(known));
  const std::vector<Report> again = expected_reports<Book>(known);
  ASSERT_LE(reported.size(), again.size());
  EXPECT_TRUE(std::ranges::equal(reported, std::span(again).first(reported.size())));
  if (!reported.empty()) {
    EXPECT_EQ(reported.back().kind, ReportKind::Done);
  }
}

TEST(EngineOnAFaultyDisk, ReportsNothingThatIsNotInTheJournal) {
  const std::vector<Record> records = plan_records<Book>(1, 100);
  std::size_t failures = 0;
  for (const int number : {ENOSPC, EIO}) {
    for (std::uint64_t at = 1;; ++at) {
      FaultyDisk disk;
      EngineError error;
      std::vector<Report> reported;
      {
        const auto engine = make_engine(disk, error);
        ASSERT_TRUE(engine) << to_string(error);
        disk.calls = 0;
        disk.fault = {.at = at, .error = number, .written_percent = static_cast<unsigned>(at * 37 % 101)};
        reported = run(*engine, records);
        if (engine->state() == EngineState::Stopped) break;
        ++failures;
        EXPECT_EQ(engine->state(), EngineState::JournalFailed);
        EXPECT_EQ(engine->journal_error().code, JournalCode::SystemError);
        EXPECT_EQ(engine->journal_error().number, number);
        EXPECT_TRUE(to_string(engine->journal_error(), engine->journal_directory()).starts_with("d: "));
        EXPECT_EQ(engine->submit(records[0]), SubmitStatus::Stopped);
        EXPECT_TRUE(engine->claim(1).empty());
        EXPECT_LT(reported.empty() ? 0 : reported.back().sequence, records.size());
      }
      disk.revive();
      expect_recovered(disk, records, reported);
      if (HasFailure()) FAIL() << "error " << number << " at call " << at;
    }
  }
  EXPECT_GT(failures, 10u);  // how many calls there are depends on how the threads meet
}

TEST(EngineOnAFaultyDisk, HasAllThatWasReportedWhenPowerIsLost) {
  const std::vector<Record> records = plan_records<Book>(2, 200);
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    FaultyDisk disk;
    EngineError error;
    std::vector<Report> reported;
    {
      const auto engine = make_engine(disk, error);
      disk.fault = {
          .at = 5 + random.below(30), .dies = true, .written_percent = static_cast<unsigned>(random.below(101))};
      reported = run(*engine, records);
    }
    disk.lose_power(random);
    expect_recovered(disk, records, reported);
    if (HasFailure()) FAIL() << i;
  }
}

TEST(SnapshotOnAFaultyDisk, IsThereAsAWholeOrNotAtAll) {
  const std::vector<Record> records = plan_records<Book>(4, 300);
  const std::uint64_t digest = digest_after(records);
  Random random(5);
  for (const bool power_lost : {false, true}) {
    std::size_t old_ones = 0;
    for (std::uint64_t at = 1;; ++at) {
      FaultyDisk disk;
      RecoverySummary summary;
      EngineError error;
      run(*make_engine(disk, error), std::span(records).first(150));
      ASSERT_FALSE(make_snapshot<Book>("d", config, summary, FaultyFiles{&disk}));
      run(*make_engine(disk, error), std::span(records).subspan(150));
      disk.calls = 0;
      disk.fault = {.at = at, .dies = true, .written_percent = static_cast<unsigned>(random.below(101))};
      const JournalError failed = make_snapshot<Book>("d", config, summary, FaultyFiles{&disk});
      if (power_lost) {
        disk.lose_power(random);
      } else {
        disk.revive();
      }
      const auto engine = make_engine(disk, error);
      ASSERT_TRUE(engine) << to_string(error) << ", call " << at;
      EXPECT_EQ(engine->sequence(), 300u);
      EXPECT_EQ(logical_digest(engine->books()), digest);
      EXPECT_EQ(engine->recovery().snapshots_damaged, 0u) << at;
      const std::uint64_t snapshot = engine->recovery().snapshot_sequence;
      EXPECT_TRUE(snapshot == 150 || snapshot == 300) << snapshot;
      if (!failed) {
        EXPECT_EQ(snapshot, 300u);
        break;
      }
      EXPECT_EQ(failed.code, JournalCode::SystemError);
      old_ones += snapshot == 150;
      // What the death has left does not stop the next one.
      EXPECT_FALSE(make_snapshot<Book>("d", config, summary, FaultyFiles{&disk}));
      if (HasFailure()) FAIL() << "call " << at;
    }
    EXPECT_GT(old_ones, 3u);
  }
}

TEST(SnapshotOnAFaultyDisk, IsNotAheadOfAJournalThatTheDiskHasLost) {
  const std::vector<Record> records = plan_records<Book>(7, 100);
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    FaultyDisk disk;
    RecoverySummary summary;
    EngineError error;
    run(*make_engine(disk, error, Durability::Process), records);
    ASSERT_FALSE(make_snapshot<Book>("d", config, summary, FaultyFiles{&disk}));
    disk.lose_power(random);
    const auto engine = make_engine(disk, error);
    ASSERT_TRUE(engine) << to_string(error);
    EXPECT_EQ(engine->recovery().snapshot_sequence, 100u);
  }
}

TEST(SnapshotOnAFaultyDisk, IsNotThereBeforeTheNamesOfItsSegments) {
  const std::vector<Record> records = plan_records<Book>(9, 100);
  Random random(10);
  int found = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    FaultyDisk disk;
    RecoverySummary summary;
    EngineError error;
    run(*make_engine(disk, error, Durability::Process), records);
    disk.calls = 0;
    disk.fault = {.at = 1 + i % 24, .dies = true};
    (void)make_snapshot<Book>("d", config, summary, FaultyFiles{&disk});
    disk.lose_power(random);
    if (!disk.names.contains("00000000000000000100.snapshot")) continue;
    ++found;
    const auto engine = make_engine(disk, error);
    ASSERT_TRUE(engine) << to_string(error) << ", " << i;
    EXPECT_EQ(engine->sequence(), 100u);
  }
  EXPECT_GT(found, 80);  // there are fewer than 24 calls, so it is done at times
}

TEST(SnapshotOnAFaultyDisk, IsNotAheadOfAJournalWhoseSyncHasFailed) {
  const std::vector<Record> records = plan_records<Book>(11, 40);
  Random random(12);
  for (int i = 0; i < 40; ++i) {
    FaultyDisk disk;
    RecoverySummary summary;
    EngineError error;
    run(*make_engine(disk, error), std::span(records).first(10));
    {
      const auto engine = make_engine(disk, error);
      ASSERT_TRUE(engine);
      disk.calls = 0;
      disk.fault = {.at = 2, .error = EIO};  // the sync
      for (std::size_t k = 10; k < 30; ++k) ASSERT_EQ(engine->submit(records[k]), SubmitStatus::Accepted);
      engine->start();
      engine->stop();
      EXPECT_EQ(engine->state(), EngineState::JournalFailed);
    }
    disk.fault = {};
    ASSERT_FALSE(make_snapshot<Book>("d", config, summary, FaultyFiles{&disk}));
    disk.lose_power(random);
    const auto engine = make_engine(disk, error);
    ASSERT_TRUE(engine) << to_string(error) << ", " << i;
    EXPECT_EQ(engine->sequence(), 30u);
  }
}

TEST(SnapshotOnAFaultyDisk, SaysThatTheDiskIsFull) {
  FaultyDisk disk;
  RecoverySummary summary;
  EngineError error;
  run(*make_engine(disk, error), plan_records<Book>(6, 50));
  for (std::uint64_t at = 2;; ++at) {
    disk.calls = 0;
    disk.fault = {.at = at, .error = ENOSPC};
    const JournalError failed = make_snapshot<Book>("d", config, summary, FaultyFiles{&disk});
    if (!failed) break;
    EXPECT_EQ(failed.number, ENOSPC) << to_string(failed);
    const auto is_new = [](const auto& name) { return name.first.ends_with(".new"); };
    EXPECT_TRUE(std::ranges::none_of(disk.names, is_new)) << "the journal needs the room";
  }
  EXPECT_EQ(summary.journal.next_sequence, 51u);
  EXPECT_EQ(to_string(JournalError{.code = JournalCode::Locked, .file = JournalName("snapshot.lock")}),
            "another snapshot of this directory is being made: wait for it");
}

}  // namespace
}  // namespace llmes::test::recovery_fault_test
