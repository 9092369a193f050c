// SPDX-License-Identifier: MIT
//
// A directory has one engine and one journal, whatever people and programs do to it: who removes files, moves the
// directory away, brings back files of another journal or of another time, or puts links and pipes there, gets
// words, and nobody's books are mixed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::journal_directory_test {
namespace {

namespace fs = std::filesystem;

using Book = IdBook<BookSet, HashedIds>;
constexpr const MatcherConfig<Book>& config = SmallMatcher<Book>::config;

struct Directory : bench::TemporaryFolder {
  Directory() : TemporaryFolder(fs::temp_directory_path(), "llmes_directory") {}

  [[nodiscard]] std::string file(std::string_view name) const { return path() + "/" + std::string(name); }
  [[nodiscard]] std::string segment(std::uint64_t first) const {
    return file(JournalName::of_segment(first).text());
  }
  [[nodiscard]] std::string snapshot(std::uint64_t last) const {
    return file(JournalName::of(last, JournalName::snapshot_ending).text());
  }
};

/// The files of the system. Before each call of some kinds, it asks for something to be done.
struct HookedFiles : SystemFiles {
  static inline std::function<void()> before_lock;
  static inline std::function<void()> before_open;
  static inline std::size_t lists = 0;
  static inline std::uint64_t bytes_read = 0;

  static void reset() {
    before_lock = before_open = {};
    lists = bytes_read = 0;
  }
  FileResult open(int directory, const char* path, int flags) const {
    if (before_open) before_open();
    return SystemFiles::open(directory, path, flags);
  }
  [[nodiscard]] FileResult lock(int file) const {
    if (before_lock) std::exchange(before_lock, {})();
    return SystemFiles::lock(file);
  }
  [[nodiscard]] FileResult read(int file, std::span<std::byte> room, std::uint64_t offset) const {
    const FileResult read = SystemFiles::read(file, room, offset);
    if (read > 0) bytes_read += static_cast<std::uint64_t>(read);
    return read;
  }
  template <class Where, class Visit>
  FileResult list(Where where, Visit&& visit) const {
    ++lists;
    return SystemFiles::list(where, visit);
  }
};

template <class Files = SystemFiles>
std::unique_ptr<Engine<Book, YieldWait, Files>> make(const std::string& path, EngineError& error,
                                                     std::uint64_t segment_records = 300) {
  return Engine<Book, YieldWait, Files>::create(
      {.books = config,
       .commands = 1'024,
       .reports = 16'384,
       .journal = {.directory = path, .segment_records = segment_records}},
      error);
}
JournalError refused(const std::string& path) {
  EngineError error;
  EXPECT_FALSE(make(path, error));
  return error.journal;
}

/// Starts an engine, has some commands done, and ends it.
std::uint64_t run(const std::string& path, std::span<const Record> records, std::uint64_t segment_records = 300) {
  EngineError error;
  const auto engine = make(path, error, segment_records);
  EXPECT_TRUE(engine) << to_string(error);
  if (!engine) return 0;
  engine->disconnect();
  hand_in(*engine, records);
  EXPECT_EQ(engine->state(), EngineState::Stopped);
  return logical_digest(engine->books());
}
std::uint64_t digest_of(const std::string& path) {
  return run(path, {});
}

JournalError snapshot_of(const std::string& path) {
  RecoverySummary summary;
  return make_snapshot<Book>(path, config, summary);
}

void expect_says(const JournalError& error, JournalCode code, std::initializer_list<std::string_view> parts) {
  EXPECT_EQ(error.code, code) << to_string(error);
  for (const std::string_view part : parts)
    EXPECT_NE(to_string(error).find(part), std::string::npos) << to_string(error);
}

// ---- One engine.

TEST(JournalDirectory, StaysLockedWhateverIsDeletedInIt) {
  const Directory directory;
  EngineError error;
  const auto first = make(directory.path(), error);
  ASSERT_TRUE(first) << to_string(error);
  fs::remove(directory.file("lock"));
  fs::remove(directory.file("snapshot.lock"));
  expect_says(refused(directory.path()), JournalCode::Locked, {"another engine"});
}

/// Who takes over reads what the engine before it has left, and not what it had when both were there.
TEST(JournalDirectory, IsTakenOverAsItIsWhenItBecomesFree) {
  const std::vector<Record> records = plan_records<Book>(1, 1'600);
  const Directory directory;
  run(directory.path(), std::span(records).first(400));
  ASSERT_FALSE(snapshot_of(directory.path()));
  std::uint64_t digest = 0;
  HookedFiles::reset();
  HookedFiles::before_lock = [&] {
    for (std::size_t done = 400; done < 1'600; done += 400) {
      digest = run(directory.path(), std::span(records).subspan(done, 400));
      EXPECT_FALSE(snapshot_of(directory.path()));
    }
    EXPECT_FALSE(remove_covered(directory.path()));
  };
  EngineError error;
  const auto engine = make<HookedFiles>(directory.path(), error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->sequence(), 1'600u);
  EXPECT_EQ(logical_digest(engine->books()), digest);
}

// ---- One journal.

/// At whichever call: the snapshot is one of the directory that was opened, wherever that is now.
TEST(JournalDirectory, IsNotMixedWithOneThatIsBegunUnderItsPath) {
  const std::vector<Record> old_records = plan_records<Book>(2, 500);
  const std::vector<Record> new_records = plan_records<Book>(3, 350);
  for (int at = 1, reached = at; reached >= at; ++at) {
    const Directory directory;
    const std::string path = directory.file("journal");
    const std::string moved = directory.file("moved");
    fs::create_directory(path);
    run(path, std::span(old_records).first(300));
    ASSERT_FALSE(snapshot_of(path));
    const std::uint64_t old_digest = run(path, std::span(old_records).subspan(300));
    std::uint64_t new_digest = 0;
    const auto begin_anew = [&] {
      fs::rename(path, moved);
      fs::create_directory(path);
      new_digest = run(path, new_records);
    };
    HookedFiles::reset();
    int opened = 0;
    HookedFiles::before_open = [&] {
      if (++opened == at) begin_anew();
    };
    RecoverySummary summary;
    EXPECT_FALSE(make_snapshot<Book>(path, config, summary, HookedFiles{}));
    reached = opened;
    HookedFiles::reset();
    if (reached < at) break;
    EXPECT_EQ(digest_of(path), new_digest) << at;
    EXPECT_EQ(digest_of(moved), old_digest) << at;
    if (::testing::Test::HasFailure()) FAIL() << "at call " << at;
  }
}

TEST(JournalDirectory, TellsFilesOfAnotherJournal) {
  const std::vector<Record> records = plan_records<Book>(4, 700);
  const Directory one;
  const Directory other;
  for (const Directory* directory : {&one, &other}) {
    run(directory->path(), records);
    ASSERT_FALSE(snapshot_of(directory->path()));
  }
  const auto over = fs::copy_options::overwrite_existing;
  fs::remove(one.snapshot(700));
  fs::copy_file(other.segment(301), one.segment(301), over);
  expect_says(refused(one.path()), JournalCode::OtherJournal, {"00000000000000000301.journal", "another journal"});
  expect_says(snapshot_of(one.path()), JournalCode::OtherJournal, {});
  fs::copy_file(other.segment(1), one.segment(1), over);
  expect_says(refused(one.path()), JournalCode::OtherJournal, {"00000000000000000601.journal"});
  fs::copy_file(other.segment(601), one.segment(601), over);
  EXPECT_EQ(digest_of(one.path()), digest_of(other.path()));
}

TEST(JournalDirectory, TellsASnapshotOfAnotherJournal) {
  const Directory one;
  const Directory other;
  run(one.path(), plan_records<Book>(5, 700));
  run(other.path(), plan_records<Book>(6, 700));
  ASSERT_FALSE(snapshot_of(other.path()));
  fs::copy_file(other.snapshot(700), one.snapshot(700));
  expect_says(refused(one.path()), JournalCode::OtherJournal, {"00000000000000000700.snapshot"});
  // It covers nothing here.
  EXPECT_FALSE(remove_covered(one.path(), 1));
  EXPECT_TRUE(fs::exists(one.segment(1)));
}

/// A copy is brought back, or started elsewhere, and then both have gone on.
TEST(JournalDirectory, TellsFilesOfAnotherHistory) {
  const std::vector<Record> common = plan_records<Book>(7, 350);
  const auto over = fs::copy_options::overwrite_existing;
  const Directory one;
  const Directory other;
  run(one.path(), common);
  fs::copy(one.path(), other.path(), fs::copy_options::recursive | over);
  run(one.path(), plan_records<Book>(8, 400));
  run(other.path(), plan_records<Book>(9, 400));
  ASSERT_FALSE(snapshot_of(other.path()));
  // The snapshot at 750, in a segment and, once there is another one at 900, at the beginning of one.
  fs::copy_file(other.snapshot(750), one.snapshot(750));
  expect_says(refused(one.path()), JournalCode::OtherHistory, {"00000000000000000750.snapshot", "copies"});
  fs::remove(one.snapshot(750));
  run(one.path(), plan_records<Book>(10, 200));
  run(other.path(), plan_records<Book>(11, 150));
  ASSERT_FALSE(snapshot_of(other.path()));
  fs::copy_file(other.snapshot(900), one.snapshot(900));
  expect_says(refused(one.path()), JournalCode::OtherHistory, {"00000000000000000900.snapshot"});
  fs::remove(one.snapshot(900));
  // A segment from before the next one was begun.
  fs::copy_file(other.segment(301), one.segment(301), over);
  expect_says(refused(one.path()), JournalCode::OtherHistory, {"00000000000000000601.journal"});
}

// ---- Regular files alone.

TEST(JournalDirectory, WritesThroughNoLink) {
  const Directory directory;
  const Directory elsewhere;
  run(directory.path(), plan_records<Book>(12, 100));
  const std::string precious = elsewhere.file("precious");
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, directory.file("snapshot.new"));
  EXPECT_FALSE(snapshot_of(directory.path()));
  EXPECT_EQ(fs::file_size(precious), 8u);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(directory.snapshot(100))));

  fs::rename(directory.segment(1), elsewhere.file("segment"));
  fs::create_symlink(elsewhere.file("segment"), directory.segment(1));
  expect_says(refused(directory.path()), JournalCode::NotAFile, {"00000000000000000001.journal", "link"});
  fs::remove(directory.segment(1));
  fs::rename(elsewhere.file("segment"), directory.segment(1));
  fs::remove(directory.file("snapshot.lock"));
  fs::create_symlink(elsewhere.file("made"), directory.file("snapshot.lock"));
  expect_says(snapshot_of(directory.path()), JournalCode::NotAFile, {"snapshot.lock"});
  EXPECT_FALSE(fs::exists(elsewhere.file("made")));
}

TEST(JournalDirectory, WaitsForNoPipe) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(13, 100));
  ASSERT_EQ(mkfifo(directory.snapshot(100).c_str(), 0600), 0);
  alarm(60);  // it would wait for ever
  expect_says(refused(directory.path()), JournalCode::NotAFile, {"00000000000000000100.snapshot", "pipe"});
  expect_says(snapshot_of(directory.path()), JournalCode::NotAFile, {});
  expect_says(remove_covered(directory.path()), JournalCode::Success, {});
  fs::remove(directory.snapshot(100));
  fs::create_directory(directory.snapshot(100));
  expect_says(refused(directory.path()), JournalCode::NotAFile, {"directory"});
  fs::remove(directory.snapshot(100));
  ASSERT_EQ(mkfifo(directory.segment(301).c_str(), 0600), 0);
  expect_says(refused(directory.path()), JournalCode::NotAFile, {"00000000000000000301.journal"});
  alarm(0);
}

// ---- What a restart reads.

TEST(JournalDirectory, IsListedAFewTimesHoweverManySegmentsThereAre) {
  const std::vector<Record> records = plan_records<Book>(14, 400);
  const Directory directory;
  run(directory.path(), records, 1);
  HookedFiles::reset();
  EngineError error;
  EXPECT_TRUE(make<HookedFiles>(directory.path(), error)) << to_string(error);
  EXPECT_LE(HookedFiles::lists, 3u);
}

TEST(JournalDirectory, IsNotReadWhereNothingWasWritten) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(15, 100), 1'000'000);
  ASSERT_GE(fs::file_size(directory.segment(1)), 64'000'000u);
  HookedFiles::reset();
  EngineError error;
  ASSERT_TRUE(make<HookedFiles>(directory.path(), error)) << to_string(error);
  EXPECT_LT(HookedFiles::bytes_read, 1'000'000u);
}

/// Writes a segment again with something else in its header.
template <class Change>
void change_header(const std::string& path, const Change& change) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::array<char, sizeof(JournalHeader)> bytes{};
  file.read(bytes.data(), bytes.size());
  auto header = std::bit_cast<JournalHeader>(bytes);
  change(header);
  header.checksum = header.checksum_now();
  bytes = std::bit_cast<std::array<char, sizeof(JournalHeader)>>(header);
  file.seekp(0);
  file.write(bytes.data(), bytes.size());
}

TEST(JournalDirectory, IsRefusedIfASegmentClaimsMoreThanAnyCanHave) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(16, 100));
  const auto size = fs::file_size(directory.segment(1));
  change_header(directory.segment(1),
                [](JournalHeader& header) { header.segment_records = std::uint64_t{1} << 31; });
  expect_says(refused(directory.path()), JournalCode::DamagedHeader, {});
  EXPECT_EQ(fs::file_size(directory.segment(1)), size);
}

// ---- Words.

TEST(JournalDirectory, NamesAFileThatOnlyHasTheNameOfALaterSegment) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(17, 100));
  for (const std::uint64_t first : {50u, 301u, 9'000u}) {
    std::ofstream(directory.segment(first)) << "notes";
    expect_says(refused(directory.path()), JournalCode::NoSegment,
                {JournalName::of_segment(first).text(), "move it to another directory"});
    fs::remove(directory.segment(first));
  }
  EXPECT_NE(digest_of(directory.path()), 0u);
}

TEST(JournalDirectory, NamesAFileWhoseNumberNoRecordCanHave) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(18, 100));
  const std::uint64_t last = ~std::uint64_t{0};
  std::ofstream(directory.segment(last)) << "notes";
  expect_says(refused(directory.path()), JournalCode::StrayFile, {"18446744073709551615.journal"});
  fs::remove(directory.segment(last));
  std::ofstream(directory.snapshot(last)) << "notes";
  EXPECT_NE(digest_of(directory.path()), 0u) << "no engine has made it";
}

TEST(JournalDirectory, SaysWhatIsGoneBeyondACut) {
  const Directory directory;
  run(directory.path(), plan_records<Book>(19, 100));
  fs::resize_file(directory.segment(1), record_offset(40) + 20);
  EngineError error;
  const auto engine = make(directory.path(), error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->recovery().journal.cut_bytes, record_offset(300) - record_offset(40) - 20);
  const std::string said = to_string(engine->recovery());
  EXPECT_NE(said.find("lacks 16620 bytes"), said.npos) << said;
  EXPECT_NE(said.find("all records that were there are gone"), said.npos) << said;
}

/// The exit status of `work` in a process that may write files of 1 MiB at most: 0 if that is what it says.
template <class Work>
int with_small_files(const Work& work) {
  const rlimit limit{1 << 20, 1 << 20};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  return work().number == EFBIG ? 0 : 3;
}

/// Not even if a signal would end the process.
TEST(JournalDirectory, GetsNoFileThatTheProcessMayNotWrite) {
  const Directory directory;
  const auto engine = [&] {
    EngineError error;
    return make(directory.path(), error, 100'000) ? JournalError{} : error.journal;
  };
  EXPECT_EXIT(std::_Exit(with_small_files(engine)), ::testing::ExitedWithCode(0), "");
  EXPECT_TRUE(fs::is_empty(directory.path()));

  const MatcherConfig<BookSet> large{.books = 1, .capacity = 60'000};
  JournalSummary summary;
  JournalError error;
  auto writer = JournalWriter<>::create(
      {.directory = directory.path(), .parameters = parameters_of(large), .segment_records = 100}, 1,
      [](std::span<const Record>) {}, summary, error);
  ASSERT_TRUE(writer) << to_string(error);
  std::vector<Record> record = plan_records<BookSet>(20, 1);
  ASSERT_EQ(writer->append(record), AppendStatus::Success);
  const auto snapshot = [&] {
    RecoverySummary recovery;
    return make_snapshot<BookSet>(directory.path(), large, recovery);
  };
  EXPECT_EXIT(std::_Exit(with_small_files(snapshot)), ::testing::ExitedWithCode(0), "");
  EXPECT_FALSE(snapshot());
}

}  // namespace
}  // namespace llmes::test::journal_directory_test
