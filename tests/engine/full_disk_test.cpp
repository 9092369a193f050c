// SPDX-License-Identifier: MIT
//
// A disk that is full stops an engine and traps nobody: what was reported is there, an engine starts, a snapshot
// finds the room that was kept for it, and the segments that it makes up for can go.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::full_disk_test {
namespace {

using Book = BookSet;
using FaultyEngine = Engine<Book, YieldWait, FaultyFiles>;
constexpr const MatcherConfig<Book>& config = SmallMatcher<Book>::config;
constexpr std::uint64_t segment_records = 4'000;
constexpr std::uint64_t segment_bytes = record_offset(segment_records);

std::unique_ptr<FaultyEngine> make_engine(FaultyDisk& disk, EngineError& error) {
  return FaultyEngine::create(
      {.books = config,
       .commands = 256,
       .reports = 4'096,
       .journal = {.directory = "d", .durability = Durability::Machine, .segment_records = segment_records}},
      error, FaultyFiles{&disk});
}

void run(FaultyEngine& engine, std::span<const Record> records) {
  engine.disconnect();
  hand_in(engine, records);
}

std::uint64_t room_for_a_snapshot() {
  return sizeof(SnapshotHeader) + image_bytes(*Matcher<Book>::create(config));
}

/// Whether the disk says beforehand that it has no room for a segment, or fails when that is made and keeps what
/// it has taken.
TEST(FullDisk, LetsAnEngineStartASnapshotBeMadeAndSegmentsGo) {
  const std::vector<Record> records = plan_records<Book>(1, 12'000);
  for (const bool tells : {true, false}) {
    FaultyDisk disk;
    disk.tells_room = tells;
    disk.size = 2 * segment_bytes + segment_bytes / 2 + room_for_a_snapshot();
    EngineError error;
    {
      const auto engine = make_engine(disk, error);
      ASSERT_TRUE(engine) << to_string(error);
      run(*engine, records);
      EXPECT_EQ(engine->state(), EngineState::JournalFailed);
      const JournalError failed = engine->journal_error();
      EXPECT_EQ(failed.code, tells ? JournalCode::NoRoom : JournalCode::SystemError) << to_string(failed);
      EXPECT_GE(disk.left(), segment_bytes / 2) << "also while the engine is there";
    }
    EXPECT_EQ(disk.names.size(), 2u);
    const auto engine = make_engine(disk, error);
    ASSERT_TRUE(engine) << to_string(error);
    EXPECT_EQ(engine->sequence(), 8'000u);
    RecoverySummary summary;
    const JournalError made = make_snapshot<Book>("d", config, summary, FaultyFiles{&disk});
    EXPECT_FALSE(made) << to_string(made);
    EXPECT_FALSE(remove_covered("d", 2, FaultyFiles{&disk}));
    EXPECT_EQ(disk.names.size(), 4u) << "with the lock of who makes snapshots";
    EXPECT_FALSE(remove_covered("d", 1, FaultyFiles{&disk}));
    EXPECT_EQ(disk.names.size(), 3u);
    run(*engine, std::span(records).subspan(8'000));
    EXPECT_EQ(engine->state(), EngineState::Stopped) << to_string(engine->journal_error());
    EXPECT_EQ(engine->sequence(), 12'000u);
  }
}

/// A segment that takes all but a little would leave no way out.
TEST(FullDisk, KeepsRoomForASnapshot) {
  FaultyDisk disk;
  disk.size = segment_bytes + room_for_a_snapshot();
  EngineError error;
  EXPECT_FALSE(make_engine(disk, error));
  EXPECT_EQ(error.journal.code, JournalCode::NoRoom);
  const std::string said = to_string(error);
  EXPECT_NE(said.find("the disk has " + std::to_string(disk.size) + " bytes left"), said.npos) << said;
  EXPECT_NE(said.find("segment_records"), said.npos) << said;
  EXPECT_TRUE(disk.names.empty());
  EXPECT_EQ(disk.left(), disk.size);
  disk.size += 64 * 1'024;
  EXPECT_TRUE(make_engine(disk, error)) << to_string(error);
}

TEST(FullDisk, IsNotFilledByASegmentThatLacksItsRoom) {
  FaultyDisk disk;
  EngineError error;
  run(*make_engine(disk, error), plan_records<Book>(2, 100));
  std::vector<std::byte>& bytes = disk.names.begin()->second->bytes;
  bytes.resize(record_offset(100));
  disk.size = segment_bytes / 2;
  EXPECT_FALSE(make_engine(disk, error));
  EXPECT_EQ(error.journal.code, JournalCode::NoRoom);
  EXPECT_EQ(error.journal.found, segment_bytes / 2 - record_offset(100));
  EXPECT_EQ(bytes.size(), record_offset(100));
  disk.tells_room = false;
  EXPECT_FALSE(make_engine(disk, error));
  EXPECT_EQ(error.journal.number, ENOSPC);
  EXPECT_EQ(bytes.size(), record_offset(100));
  disk.size = 3 * segment_bytes;
  const auto engine = make_engine(disk, error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->sequence(), 100u);
}

TEST(FullDisk, IsNotAskedForMoreThanASegmentCanHave) {
  FaultyDisk disk;
  JournalSummary summary;
  JournalError error;
  const auto writer = JournalWriter<FaultyFiles>::create(
      {.directory = "d", .segment_records = std::uint64_t{1} << 32}, 1, [](std::span<const Record>) {}, summary,
      error, FaultyFiles{&disk});
  EXPECT_FALSE(writer);
  EXPECT_EQ(error.code, JournalCode::InvalidConfig);
  EXPECT_NE(to_string(error).find("segments of 1 to 2^28 records"), std::string::npos);
  EXPECT_EQ(disk.calls, 0u);
  EXPECT_EQ(remove_covered("d", 0, FaultyFiles{&disk}).code, JournalCode::InvalidConfig);
}

}  // namespace
}  // namespace llmes::test::full_disk_test
