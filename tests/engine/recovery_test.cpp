// SPDX-License-Identifier: MIT
//
// What an engine has reported is there after its end, whatever ended it: a new one has the same books, gives the
// same handles and sequences from there on, and can tell every report again, byte for byte.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::recovery_test {
namespace {

namespace fs = std::filesystem;

/// A directory, and what lies in it.
class Directory : public bench::TemporaryFolder {
 public:
  Directory() : TemporaryFolder(fs::temp_directory_path(), "llmes_recovery") {}

  [[nodiscard]] std::vector<std::string> files(std::string_view ending) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().extension() == ending) names.push_back(entry.path());
    }
    std::ranges::sort(names);
    return names;
  }
};

[[nodiscard]] std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Writes a snapshot again with something else in its header.
template <class Change>
void change_header(const std::string& path, const Change& change) {
  std::string bytes = bytes_of(path);
  SnapshotHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  header.checksum = header.checksum_now();
  std::memcpy(bytes.data(), &header, sizeof header);
  write_file(path, bytes);
}
/// As the texts have it.
const std::string this_version = std::to_string(LLMES_VERSION_MAJOR) + '.' + std::to_string(LLMES_VERSION_MINOR);
void make_another_version(const std::string& path) {
  change_header(path, [](SnapshotHeader& header) { header.version = 2'003; });
}

/// Lists a snapshot that is gone when it is opened.
struct LateFiles : SystemFiles {
  template <class Visit>
  FileResult list(int directory, Visit&& visit) const {
    visit("00000000000000000600.snapshot");
    return SystemFiles::list(directory, visit);
  }
};

template <class Book>
class Recovery : public ::testing::Test {
 public:
  using EngineOfBook = Engine<Book>;

  std::unique_ptr<EngineOfBook> make(Durability durability = Durability::Process) {
    EngineError error;
    auto engine = EngineOfBook::create(
        {.books = config,
         .commands = 1'024,
         .reports = 16'384,
         .journal = {.directory = directory.path(), .durability = durability, .segment_records = 300}},
        error);
    EXPECT_FALSE(error) << to_string(error);
    return engine;
  }

  /// Has some commands done, and returns their reports.
  static std::vector<Report> run(EngineOfBook& engine, std::span<const Record> records) {
    hand_in(engine, records);
    EXPECT_EQ(engine.state(), EngineState::Stopped);
    const std::span<const Report> first = engine.reports(16'384);
    std::vector<Report> reports(first.begin(), first.end());
    engine.release(first.size());
    EXPECT_TRUE(engine.reports(1).empty());
    return reports;
  }

  /// Why no engine can be made.
  JournalError refused(const MatcherConfig<Book>& other = config) {
    EngineError error;
    EXPECT_FALSE(EngineOfBook::create({.books = other, .journal = {.directory = directory.path()}}, error));
    return error.journal;
  }

  RecoverySummary make_snapshot() {
    RecoverySummary summary;
    const JournalError error = llmes::make_snapshot<Book>(directory.path(), config, summary);
    EXPECT_FALSE(error) << to_string(error);
    return summary;
  }

  /// Tells the reports of all commands from `first` on again.
  JournalError tell_again(std::uint64_t first, ReportTarget& target) {
    JournalError error;
    const auto replay = ReportReplay<Book>::create(directory.path(), config, first, error);
    EXPECT_EQ(replay != nullptr, !error);
    return replay ? replay->tell(target) : error;
  }

  static constexpr const MatcherConfig<Book>& config = SmallMatcher<Book>::config;
  Directory directory;
};
#ifdef __SANITIZE_THREAD__  // threads do not depend on the book, and one compiles twice as fast
using Books = ::testing::Types<IdBook<BookSet, HashedIds>>;
#else
using Books = ::testing::Types<BookSet, IdBook<BookSet, HashedIds>>;
#endif
TYPED_TEST_SUITE(Recovery, Books);

TYPED_TEST(Recovery, GoesOnWhereTheLastEngineEnded) {
  const std::vector<Record> records = plan_records<TypeParam>(1, 2'500);
  std::vector<Report> reports;
  std::size_t done = 0;
  for (const std::size_t size : {0u, 1u, 299u, 300u, 900u, 7u, 0u, 993u}) {
    const auto engine = this->make(done < 1'000 ? Durability::Process : Durability::Machine);
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->sequence(), done);
    EXPECT_EQ(engine->recovery().journal.replayed, done);
    const auto more = this->run(*engine, std::span(records).subspan(done, size));
    reports.insert(reports.end(), more.begin(), more.end());
    done += size;
    EXPECT_EQ(engine->sequence(), done);
  }
  EXPECT_EQ(done, records.size());
  EXPECT_EQ(reports, expected_reports<TypeParam>(records));
  EXPECT_EQ(this->directory.files(".journal").size(), 9u);
}

TYPED_TEST(Recovery, BeginsAtASnapshotAndTellsAllReportsAgain) {
  const std::vector<Record> records = plan_records<TypeParam>(2, 2'400);
  const std::vector<Report> expected = expected_reports<TypeParam>(records);
  std::vector<Report> reports;
  for (std::size_t done = 0; done < records.size(); done += 400) {
    auto engine = this->make();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->recovery().snapshot_sequence, done);
    EXPECT_EQ(engine->recovery().journal.replayed, 0u);
    const auto more = this->run(*engine, std::span(records).subspan(done, 400));
    reports.insert(reports.end(), more.begin(), more.end());
    EXPECT_EQ(this->make_snapshot().journal.replayed, 400u);
    EXPECT_EQ(this->make_snapshot().journal.replayed, 0u);  // nothing new, nothing written
    const std::uint64_t digest = logical_digest(engine->books());
    engine.reset();
    EXPECT_EQ(logical_digest(this->make()->books()), digest);
  }
  EXPECT_EQ(reports, expected);
  EXPECT_EQ(this->directory.files(".snapshot").size(), 2u);

  for (const std::uint64_t first : {1u, 2u, 399u, 1'999u, 2'000u, 2'001u, 2'400u, 2'401u}) {
    KeepReports target;
    JournalError error;
    const auto replay = ReportReplay<TypeParam>::create(this->directory.path(), this->config, first, error);
    ASSERT_TRUE(replay) << to_string(error);
    EXPECT_EQ(replay->next(), first);
    error = replay->tell(target);
    EXPECT_FALSE(error) << to_string(error);
    EXPECT_EQ(replay->next(), 2'401u);
    EXPECT_EQ(replay->recovery().snapshot_sequence, first > 2'400 ? 2'400u : first > 2'000 ? 2'000u : 0u);
    const auto from = std::ranges::lower_bound(expected, first, {}, &Report::sequence);
    EXPECT_EQ(target.reports, std::vector(from, expected.end())) << first;
  }

  // What two snapshots have may go.
  EXPECT_FALSE(remove_covered(this->directory.path()));
  EXPECT_EQ(this->directory.files(".journal").size(), 2u);
  EXPECT_EQ(this->make()->sequence(), 2'400u);
}

TYPED_TEST(Recovery, ClearsAgainWhatWasCleared) {
  std::vector<Record> records = plan_records<TypeParam>(24, 1'000);
  for (const std::uint64_t at : {150u, 450u, 750u}) {
    const Clear clear{.book = at == 450 ? std::optional<BookNumber>() : 1};
    records[at] = record_of(clear, 0);
    stamp(records[at], at + 1);
  }
  const std::vector<Report> expected = expected_reports<TypeParam>(records);
  std::vector<Report> reports;
  for (std::size_t done = 0; done < records.size(); done += 200) {
    const auto more = this->run(*this->make(), std::span(records).subspan(done, 200));
    reports.insert(reports.end(), more.begin(), more.end());
  }
  EXPECT_TRUE(reports == expected);
  KeepReports target;
  EXPECT_FALSE(this->tell_again(1, target));
  EXPECT_TRUE(target.reports == expected);
}

TYPED_TEST(Recovery, MakesSnapshotsBesideTheEngine) {
  const std::vector<Record> records = plan_records<TypeParam>(3, 2'000);
  const auto engine = this->make();
  ASSERT_TRUE(engine);
  std::atomic<bool> over = false;
  std::thread beside([&] {
    do this->make_snapshot();
    while (!over);
  });
  const std::vector<Report> reports = this->run(*engine, records);
  over = true;
  beside.join();
  EXPECT_EQ(reports, expected_reports<TypeParam>(records));
  EXPECT_EQ(this->make_snapshot().journal.next_sequence, 2'001u);
  EXPECT_EQ(this->refused().code, JournalCode::Locked) << "by the engine that is there";
  Matcher<TypeParam> books = *Matcher<TypeParam>::create(this->config);
  RecoverySummary loaded;
  JournalDirectory<SystemFiles> opened({});
  EXPECT_FALSE(opened.open(this->directory.path()));
  Snapshots<TypeParam> files(opened, this->config);
  EXPECT_FALSE(files.load(files.no_limit, books, loaded));
  EXPECT_EQ(loaded.snapshot_sequence, 2'000u);
  EXPECT_EQ(logical_digest(books), logical_digest(engine->books()));
}

TYPED_TEST(Recovery, TakesAnOlderSnapshotForADamagedOne) {
  const std::vector<Record> records = plan_records<TypeParam>(4, 600);
  for (std::size_t done = 0; done < 600; done += 200) {
    this->run(*this->make(), std::span(records).subspan(done, 200));
    this->make_snapshot();
  }
  const std::uint64_t digest = logical_digest(this->make()->books());
  const std::string newest = this->directory.files(".snapshot").back();
  const std::string whole = bytes_of(newest);
  const auto load = [&](const std::string& bytes) {
    write_file(newest, bytes);
    const auto engine = this->make();
    EXPECT_EQ(engine->sequence(), 600u);
    EXPECT_EQ(logical_digest(engine->books()), digest);
    return engine->recovery();
  };
  EXPECT_EQ(load(whole).snapshot_sequence, 600u);
  for (std::size_t offset = 0; offset < whole.size(); offset += whole.size() / 40 + (offset < 600 ? 0 : 1)) {
    std::string damaged = whole;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 1 << offset % 8);
    const RecoverySummary summary = load(damaged);
    EXPECT_EQ(summary.snapshot_sequence, 400u) << offset;
    EXPECT_EQ(summary.snapshots_damaged, 1u);
    EXPECT_EQ(summary.journal.replayed, 200u);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, sizeof(SnapshotHeader), whole.size() - 1}) {
    EXPECT_EQ(load(whole.substr(0, size)).snapshot_sequence, 400u) << size;
  }
  // One whose image leads to other books, as if another version had made it.
  write_file(newest, whole);
  change_header(newest, [](SnapshotHeader& header) { ++header.digest; });
  const JournalError error = this->refused();
  EXPECT_EQ(error.code, JournalCode::OtherBooks);
  EXPECT_EQ(
      to_string(error),
      "00000000000000000600.snapshot leads to other books than it was made of: move it to another directory; "
      "an older snapshot, or the whole journal, is needed then");
  // One under the name of another.
  write_file(newest, whole);
  write_file(this->directory.path() + "/00000000000000000601.snapshot", whole);
  EXPECT_EQ(this->make()->recovery().snapshot_sequence, 600u);
  EXPECT_EQ(this->make()->recovery().snapshots_damaged, 1u);
  fs::remove(this->directory.path() + "/00000000000000000601.snapshot");
  // One that was being written when the power failed has another name.
  fs::rename(newest, this->directory.path() + "/snapshot.new");
  EXPECT_EQ(this->make()->recovery().snapshot_sequence, 400u);
  EXPECT_EQ(this->make()->recovery().snapshots_damaged, 0u);
  EXPECT_EQ(to_string(this->make()->recovery()), "snapshot at 400; 200 records replayed, the next is 601");
  // One that is deleted between being listed and being opened.
  RecoverySummary late;
  EXPECT_FALSE(llmes::make_snapshot<TypeParam>(this->directory.path(), this->config, late, LateFiles{}));
  EXPECT_EQ(late.snapshot_sequence, 400u);
  EXPECT_EQ(late.snapshots_damaged, 1u);
}

/// With the right checksums: they are no signature.
TYPED_TEST(Recovery, RefusesASnapshotWhoseLinksLeadAnywhere) {
  this->run(*this->make(), plan_records<TypeParam>(19, 200));
  this->make_snapshot();
  const std::string snapshot = this->directory.files(".snapshot").front();
  const std::string whole = bytes_of(snapshot);
  for (std::size_t offset = sizeof(SnapshotHeader) + 8; offset < sizeof(SnapshotHeader) + 208; offset += 8) {
    std::string forged = whole;
    std::memset(forged.data() + offset, 0x7f, 8);
    const auto image = std::as_bytes(std::span(forged).subspan(sizeof(SnapshotHeader)));
    write_file(snapshot, forged);
    change_header(snapshot, [&](SnapshotHeader& header) { header.image_checksum = crc32c(image); });
    EXPECT_EQ(this->refused().code, JournalCode::OtherBooks) << offset;
  }
  write_file(snapshot, whole);
  EXPECT_EQ(this->make()->recovery().snapshot_sequence, 200u);
}

/// A segment goes only if the older of two snapshots has all of its 300 commands.
TYPED_TEST(Recovery, KeepsTheSegmentsThatTheOlderSnapshotNeeds) {
  const std::vector<Record> records = plan_records<TypeParam>(13, 620);
  for (const auto& [older, oldest] :
       {std::pair{599u, "00000000000000000301.journal"}, std::pair{600u, "00000000000000000601.journal"}}) {
    fs::remove_all(this->directory.path());
    fs::create_directory(this->directory.path());
    this->run(*this->make(), std::span(records).first(older));
    this->make_snapshot();
    this->run(*this->make(), std::span(records).subspan(older));
    this->make_snapshot();
    EXPECT_FALSE(remove_covered(this->directory.path()));
    EXPECT_EQ(fs::path(this->directory.files(".journal").front()).filename(), oldest);
    fs::remove(this->directory.files(".snapshot").back());
    EXPECT_EQ(this->make()->recovery().snapshot_sequence, older);
    EXPECT_EQ(this->make()->sequence(), 620u);
  }
}

TYPED_TEST(Recovery, RefusesASnapshotWhoseSegmentsAreGone) {
  const std::vector<Record> records = plan_records<TypeParam>(6, 20);
  this->run(*this->make(), std::span(records).first(10));
  this->make_snapshot();
  this->run(*this->make(), std::span(records).subspan(10));
  for (const std::string& segment : this->directory.files(".journal")) fs::remove(segment);
  for (int i = 0; i < 2; ++i) {  // and nothing is made that would let the next one pass
    const JournalError error = this->refused();
    EXPECT_EQ(error.code, JournalCode::MissingRecords);
    EXPECT_EQ(
        to_string(error),
        "the journal ends before record 11, and the next one that it would hold is 1: ask for an earlier one, "
        "bring back what is missing, or begin in an empty directory");
  }
  RecoverySummary summary;
  EXPECT_EQ(llmes::make_snapshot<TypeParam>(this->directory.path(), this->config, summary).code,
            JournalCode::MissingRecords);
}

/// What it is called tells how far the journal reached.
TYPED_TEST(Recovery, RefusesASnapshotWhoseSegmentsAreGoneThoughItIsDamaged) {
  const std::vector<Record> records = plan_records<TypeParam>(15, 400);
  this->run(*this->make(), records);
  this->make_snapshot();
  const std::string snapshot = this->directory.files(".snapshot").front();
  const std::string whole = bytes_of(snapshot);
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  const auto expect_refused = [&] {
    for (const std::string& bytes : {flipped, std::string(), whole}) {
      write_file(snapshot, bytes);
      EXPECT_EQ(this->refused().code, JournalCode::MissingRecords);
      RecoverySummary summary;
      EXPECT_EQ(llmes::make_snapshot<TypeParam>(this->directory.path(), this->config, summary).code,
                JournalCode::MissingRecords);
    }
  };
  fs::remove(this->directory.files(".journal").back());
  expect_refused();
  fs::remove(this->directory.files(".journal").back());
  expect_refused();
}

/// A segment goes only if two snapshots that can be read have all of its commands.
TYPED_TEST(Recovery, KeepsTheSegmentsThatADamagedSnapshotCannotReplace) {
  const std::vector<Record> records = plan_records<TypeParam>(16, 1'200);
  for (std::size_t done = 0; done < 1'200; done += 300) {
    this->run(*this->make(), std::span(records).subspan(done, 300));
    if (done == 600) {
      std::string bytes = bytes_of(this->directory.files(".snapshot").back());
      bytes.back() = static_cast<char>(bytes.back() ^ 1);
      write_file(this->directory.files(".snapshot").back(), bytes);
    }
    if (done != 600) this->make_snapshot();
  }
  ASSERT_EQ(this->directory.files(".snapshot").size(), 3u) << "at 300, at 600 and damaged, and at 1,200";
  EXPECT_FALSE(remove_covered(this->directory.path()));
  EXPECT_EQ(this->directory.files(".journal").size(), 3u);
  write_file(this->directory.files(".snapshot").back(), "");
  EXPECT_EQ(this->make()->sequence(), 1'200u);
}

TYPED_TEST(Recovery, MakesNoSnapshotOfADamagedJournal) {
  this->run(*this->make(), plan_records<TypeParam>(17, 100));
  const std::string segment = this->directory.files(".journal").front();
  std::string bytes = bytes_of(segment);
  bytes[record_offset(49)] = static_cast<char>(bytes[record_offset(49)] ^ 1);
  write_file(segment, bytes);
  EXPECT_EQ(this->refused().code, JournalCode::DamagedRecord);
  RecoverySummary summary;
  const JournalError error = llmes::make_snapshot<TypeParam>(this->directory.path(), this->config, summary);
  EXPECT_EQ(error.code, JournalCode::DamagedRecord);
  EXPECT_EQ(error.sequence, 50u);
  EXPECT_TRUE(this->directory.files(".snapshot").empty());
  bytes[record_offset(49)] = static_cast<char>(bytes[record_offset(49)] ^ 1);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  write_file(segment, bytes);
  EXPECT_EQ(llmes::make_snapshot<TypeParam>(this->directory.path(), this->config, summary).code,
            JournalCode::DamagedHeader);
}

TYPED_TEST(Recovery, TellsNoReportsThatTheJournalDoesNotReach) {
  this->run(*this->make(), plan_records<TypeParam>(18, 10));
  NoReports nobody;
  EXPECT_FALSE(this->tell_again(11, nobody)) << "there may be more later";
  const JournalError late = this->tell_again(12, nobody);
  EXPECT_EQ(late.code, JournalCode::MissingRecords);
  EXPECT_EQ(late.sequence, 12u);
  EXPECT_EQ(late.other, 11u);
}

/// In parts, while the journal grows, and also over the end of a segment.
TYPED_TEST(Recovery, TellsReportsAgainUpToAnyCommand) {
  const std::vector<Record> records = plan_records<TypeParam>(20, 900);
  const std::vector<Report> expected = expected_reports<TypeParam>(records);
  this->run(*this->make(), std::span(records).first(400));
  for (const bool from_snapshot : {false, true}) {
    if (from_snapshot) this->make_snapshot();
    const std::uint64_t first = from_snapshot ? 450 : 250;
    JournalError error;
    const auto replay = ReportReplay<TypeParam>::create(this->directory.path(), this->config, first, error);
    ASSERT_TRUE(replay) << to_string(error);
    if (from_snapshot) this->run(*this->make(), std::span(records).subspan(400));
    KeepReports target;
    const std::uint64_t end = from_snapshot ? 900 : 400;
    std::uint64_t asked = first - 1;
    for (const std::uint64_t last : {std::uint64_t{0}, first - 1, first, first + 1, first, end - 70, end}) {
      error = replay->tell(target, last);
      EXPECT_FALSE(error) << to_string(error);
      EXPECT_EQ(replay->next(),
                std::max(first, (target.reports.empty() ? 0 : target.reports.back().sequence) + 1));
      asked = std::max(asked, last);
      EXPECT_EQ(replay->next(), asked + 1);
    }
    const JournalError late = replay->tell(target, end + 5);
    EXPECT_EQ(late.code, JournalCode::MissingRecords);
    EXPECT_EQ(late.sequence, end + 5);
    EXPECT_EQ(late.other, end + 1);
    EXPECT_FALSE(replay->tell(target)) << "nothing is there, and nothing is wrong";
    const auto begin = std::ranges::lower_bound(expected, first, {}, &Report::sequence);
    const auto behind = std::ranges::upper_bound(expected, end, {}, &Report::sequence);
    EXPECT_EQ(target.reports, std::vector(begin, behind));
  }
}

TYPED_TEST(Recovery, SaysFromWhereOnReportsCanBeToldAgain) {
  const std::vector<Record> records = plan_records<TypeParam>(21, 1'000);
  const std::vector<Report> expected = expected_reports<TypeParam>(records);
  for (const std::size_t done : {0u, 700u, 900u}) {
    this->run(*this->make(), std::span(records).subspan(done, done == 0 ? 700 : done == 700 ? 200 : 100));
    if (done < 900) this->make_snapshot();
  }
  EXPECT_FALSE(remove_covered(this->directory.path()));
  ASSERT_EQ(fs::path(this->directory.files(".journal").front()).filename(), "00000000000000000601.journal");
  for (const std::uint64_t first : {1u, 650u, 700u}) {
    KeepReports target;
    const JournalError error = this->tell_again(first, target);
    EXPECT_EQ(error.code, JournalCode::RemovedRecords) << first;
    EXPECT_EQ(error.sequence, first);
    EXPECT_EQ(error.other, 701u);
    EXPECT_TRUE(target.reports.empty());
  }
  EXPECT_EQ(to_string(this->tell_again(650, *std::make_unique<NoReports>())),
            "commands that lead to record 650 are deleted: begin at record 701 or later, or bring the deleted "
            "segments back");
  KeepReports target;
  EXPECT_FALSE(this->tell_again(701, target));
  EXPECT_EQ(target.reports,
            std::vector(std::ranges::lower_bound(expected, 701u, {}, &Report::sequence), expected.end()));
  // Where no snapshot replaces the segments, they are missing.
  for (const std::string& snapshot : this->directory.files(".snapshot")) fs::remove(snapshot);
  EXPECT_EQ(this->tell_again(701, target).code, JournalCode::MissingSegment);
}

/// A write that was cut short was never reported; a damaged record in the middle of others is no end.
TYPED_TEST(Recovery, TellsNoReportOfARecordThatIsNotWhole) {
  const std::vector<Record> records = plan_records<TypeParam>(22, 400);
  const std::vector<Report> expected = expected_reports<TypeParam>(records);
  this->run(*this->make(), records);
  const auto damage = [&](const std::string& segment, std::uint64_t index) {
    std::string bytes = bytes_of(segment);
    bytes[record_offset(index)] = static_cast<char>(bytes[record_offset(index)] ^ 1);
    write_file(segment, bytes);
  };
  damage(this->directory.files(".journal").back(), 49);  // record 350
  for (const std::uint64_t last : {std::uint64_t{349}, std::uint64_t{350}, sequence_max}) {
    JournalError error;
    const auto replay = ReportReplay<TypeParam>::create(this->directory.path(), this->config, 1, error);
    ASSERT_TRUE(replay) << to_string(error);
    KeepReports target;
    error = replay->tell(target, last);
    EXPECT_EQ(error.code, last == 350 ? JournalCode::MissingRecords : JournalCode::Success);
    EXPECT_EQ(error.other, last == 350 ? 350u : 0u);
    EXPECT_EQ(target.reports,
              std::vector(expected.begin(), std::ranges::upper_bound(expected, 349u, {}, &Report::sequence)));
    EXPECT_EQ(replay->next(), 350u);
  }
  damage(this->directory.files(".journal").front(), 19);  // record 20
  KeepReports target;
  const JournalError error = this->tell_again(10, target);
  EXPECT_EQ(error.code, JournalCode::DamagedRecord);
  EXPECT_EQ(error.sequence, 20u);
  EXPECT_EQ(target.reports.back().sequence, 19u);
}

/// Takes reports where a reader keeps them.
class KeepInPlace final : public ReportTarget {
 public:
  explicit KeepInPlace(std::vector<Report>& reports) : reports_(reports) {}
  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    reports_.insert(reports_.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(written));
  }

 private:
  std::vector<Report>& reports_;
  std::array<Report, 64> room_;
};

/// A reader that the engine has left behind, again and again, ends with all reports, each once.
TYPED_TEST(Recovery, CatchesUpWithARunningEngine) {
  const std::vector<Record> records = plan_records<TypeParam>(23, 6'000);
  EngineError failed;
  const auto engine =
      Engine<TypeParam>::create({.books = this->config,
                                 .commands = 1'024,
                                 .reports = 256,
                                 .slow_reader = SlowReader::Disconnect,
                                 .journal = {.directory = this->directory.path(), .segment_records = 300}},
                                failed);
  ASSERT_TRUE(engine) << to_string(failed);
  engine->start();
  std::thread sender([&] {
    for (std::span<const Record> left = records; !left.empty();) {
      const std::span<Record> room = engine->wait_claim(std::min<std::size_t>(left.size(), 50));
      std::ranges::copy(left.first(room.size()), room.begin());
      engine->publish(room.size());
      left = left.subspan(room.size());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  std::vector<Report> reports;  // of whole commands, once a command is done
  const auto next = [&] { return reports.empty() ? 1 : reports.back().sequence + 1; };
  std::size_t caught_up = 0;
  while (!engine->disconnected()) std::this_thread::yield();  // once for sure, however slow the sender is
  KeepInPlace target(reports);
  while (next() <= records.size()) {
    const std::span<const Report> some = engine->reports(64);
    reports.insert(reports.end(), some.begin(), some.end());
    engine->release(some.size());
    if (!some.empty() || !engine->disconnected()) continue;
    while (!reports.empty() && reports.back().kind != ReportKind::Done) reports.pop_back();
    JournalError error;
    const auto replay = ReportReplay<TypeParam>::create(this->directory.path(), this->config, next(), error);
    ASSERT_TRUE(replay) << to_string(error);
    error = replay->tell(target);
    ASSERT_FALSE(error) << to_string(error);
    const Attachment attachment = engine->attach();
    ASSERT_EQ(attachment.status, AttachStatus::Success);
    error = replay->tell(target, attachment.first - 1);
    ASSERT_FALSE(error) << to_string(error);
    // The journal may have been ahead of the engine.
    for (bool old = true; old && next() > attachment.first;) {
      const std::span<const Report> again = engine->wait_reports(1);
      old = !again.empty() && again.front().sequence < next();
      if (old) engine->release(1);
    }
    ++caught_up;
  }
  sender.join();
  engine->stop();
  EXPECT_EQ(reports, expected_reports<TypeParam>(records));
  EXPECT_GT(caught_up, 0u);
}

// ---- After an upgrade.

/// The checksum of the image of books that have seen some commands.
template <class Book>
std::uint32_t image_checksum() {
  auto matcher = *Matcher<Book>::create(SmallMatcher<Book>::config);
  NoReports nobody;
  matcher.apply(plan_records<Book>(10, 500), nobody);
  std::uint32_t checksum = 0;
  EXPECT_TRUE(write_image(matcher, [&](std::span<const std::byte> bytes) {
    checksum = crc32c(bytes, checksum);
    return true;
  }));
  return checksum;
}

/// What a snapshot says of its version must be true. If this fails, and the plan of the records is as it was,
/// either an image is another one now: then raise LLMES_VERSION_MINOR, unless it has been raised since the last
/// release, and note the new checksums. Or it depends on something that it must not depend on.
TEST(Snapshot, HasTheSameImageForAsLongAsTheMinorVersionIsTheSame) {
  EXPECT_EQ(image_checksum<BookSet>(), 3'138'510'120u);
  EXPECT_EQ((image_checksum<IdBook<BookSet, DenseIds>>()), 2'317'508'764u);
  EXPECT_EQ((image_checksum<IdBook<BookSet, HashedIds>>()), 1'391'362'467u);
  EXPECT_EQ((image_checksum<IdBook<PlacedBookSet, PlacedIds>>()), 2'401'746'877u);
}

TYPED_TEST(Recovery, ReplaysTheWholeJournalBesideSnapshotsOfAnotherVersion) {
  const std::vector<Record> records = plan_records<TypeParam>(7, 1'000);
  for (std::size_t done = 0; done < 600; done += 200) {
    this->run(*this->make(), std::span(records).subspan(done, 200));
    this->make_snapshot();
  }
  for (const std::string& snapshot : this->directory.files(".snapshot")) make_another_version(snapshot);
  {
    const auto engine = this->make();
    ASSERT_TRUE(engine);
    EXPECT_EQ(to_string(engine->recovery()),
              "no snapshot (2 newer: of another version, not used); 600 records replayed, the next is 601");
    EXPECT_EQ(engine->recovery().snapshots_of_other_versions, 2u);
    EXPECT_EQ(this->run(*engine, std::span(records).subspan(600, 200)).back().sequence, 800u);
  }
  // The next snapshot is one of this version; the one after that leaves none of the other.
  EXPECT_EQ(this->make_snapshot().snapshot_sequence, 0u);
  EXPECT_FALSE(remove_covered(this->directory.path()));
  EXPECT_EQ(this->directory.files(".journal").size(), 3u) << "one snapshot can be read, and the first is needed";
  this->run(*this->make(), std::span(records).subspan(800));
  EXPECT_EQ(this->make_snapshot().snapshot_sequence, 800u);
  EXPECT_EQ(this->directory.files(".snapshot").size(), 2u);
  EXPECT_FALSE(remove_covered(this->directory.path()));
  EXPECT_EQ(this->directory.files(".journal").size(), 2u);
  EXPECT_EQ(this->make()->recovery().snapshots_of_other_versions, 0u);
}

TYPED_TEST(Recovery, RefusesASnapshotOfAnotherVersionThatItNeeds) {
  const std::vector<Record> records = plan_records<TypeParam>(8, 900);
  for (std::size_t done = 0; done < 900; done += 300) {
    this->run(*this->make(), std::span(records).subspan(done, 300));
    this->make_snapshot();
  }
  EXPECT_FALSE(remove_covered(this->directory.path()));
  const std::vector<std::string> snapshots = this->directory.files(".snapshot");
  ASSERT_EQ(snapshots.size(), 2u);
  make_another_version(snapshots.back());
  EXPECT_EQ(this->make()->recovery().snapshot_sequence, 600u) << "the older one and the segments after it will do";
  make_another_version(snapshots.front());
  const JournalError error = this->refused();
  EXPECT_EQ(error.code, JournalCode::UnknownVersion);
  EXPECT_EQ(to_string(error), "00000000000000000900.snapshot is of version 2.3, this program reads those of " +
                                  this_version +
                                  ", and the first segments are gone, which could replace it: bring them back, or "
                                  "have the program that has written it carry its orders over");
  for (const std::string& segment : this->directory.files(".journal")) fs::remove(segment);
  EXPECT_EQ(this->refused().code, JournalCode::MissingRecords) << "it must not begin anew";
}

TYPED_TEST(Recovery, ComparesWhatTheJournalLeadsToWithASnapshotOfAnotherVersion) {
  const std::vector<Record> records = plan_records<TypeParam>(9, 1'200);
  this->run(*this->make(), std::span(records).first(700));
  this->make_snapshot();
  this->run(*this->make(), std::span(records).subspan(700));
  const std::string snapshot = this->directory.files(".snapshot").back();
  make_another_version(snapshot);
  EXPECT_EQ(this->make()->sequence(), 1'200u);
  change_header(snapshot, [](SnapshotHeader& header) { ++header.digest; });
  const JournalError error = this->refused();
  EXPECT_EQ(error.code, JournalCode::OtherBooks);
  EXPECT_EQ(to_string(error),
            "the commands up to record 700 make other books in version " + this_version +
                " than in version 2.3, which has made 00000000000000000700.snapshot: use the "
                "program that has written it; or, to go on with those of this one, move the file "
                "to another directory");
  RecoverySummary summary;
  const std::string& path = this->directory.path();
  EXPECT_EQ(llmes::make_snapshot<TypeParam>(path, this->config, summary).code, JournalCode::OtherBooks);
  for (const std::uint64_t first : {700u, 701u, 1'200u}) {
    KeepReports target;
    const JournalError told = this->tell_again(first, target);
    EXPECT_EQ(told.code, first == 700 ? JournalCode::Success : JournalCode::OtherBooks) << first;
  }
  // What is refused stays as it is, also a torn tail.
  const std::vector<std::string> segments = this->directory.files(".journal");
  std::string torn = bytes_of(segments.back());
  torn.resize(torn.find_last_not_of('\0'));
  write_file(segments.back(), torn);
  EXPECT_EQ(this->refused().code, JournalCode::OtherBooks);
  EXPECT_TRUE(bytes_of(segments.back()) == torn);
  // It has seen commands that the journal has no more.
  for (std::size_t i = 2; i < segments.size(); ++i) fs::remove(segments[i]);
  const JournalError lost = this->refused();
  EXPECT_EQ(lost.code, JournalCode::MissingRecords);
  EXPECT_EQ(lost.sequence, 701u);
  EXPECT_EQ(lost.other, 601u);
}

/// A child that was forked beside an engine keeps its directory locked, until it runs another program.
TYPED_TEST(Recovery, IsLockedByAForkedChildUntilItRunsAnotherProgram) {
  for (const bool executes : {false, true}) {
    auto engine = this->make();
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!executes) pause();
      execl("/bin/sleep", "sleep", "60", nullptr);
      _exit(1);
    }
    close(ends[1]);
    char nothing = 0;
    if (executes) {
      EXPECT_EQ(read(ends[0], &nothing, 1), 0) << "the child has begun to sleep";
    }
    engine.reset();
    if (executes) {
      EXPECT_TRUE(this->make());
    } else {
      EXPECT_EQ(this->refused().code, JournalCode::Locked);
    }
    kill(child, SIGKILL);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    close(ends[0]);
  }
  EXPECT_TRUE(this->make());
}

/// The orders of all books, in priority order, without their handles.
template <class Book>
std::vector<RestingOrder> orders_of(const Matcher<Book>& books) {
  std::vector<RestingOrder> orders;
  const auto& set = book_set_of(books);
  for (BookNumber number = 0; number < set.book_count(); ++number) {
    orders.push_back({.id = number, .quantity = set.book(number)->size()});
    for (const Side side : {Side::Buy, Side::Sell}) {
      set.book(number)->visit_orders(side, [&](RestingOrder order) {
        order.handle = {};
        orders.push_back(order);
      });
    }
  }
  return orders;
}

/// For another version, which cannot read the snapshots of this one and has not all segments.
TYPED_TEST(Recovery, CarriesItsOrdersOverToANewJournal) {
  auto engine = this->make();
  this->run(*engine, plan_records<TypeParam>(13, 900));
  const std::vector<RestingOrder> expected = orders_of(engine->books());
  EXPECT_GT(expected.size(), 20u);
  const Directory other;
  JournalConfig to{.directory = other.path(), .durability = Durability::None, .segment_records = 8};
  const JournalError carried = carry_over(engine->books(), this->config, to);
  ASSERT_FALSE(carried) << to_string(carried);
  to.durability = Durability::Machine;
  EngineError error;
  const auto anew = Engine<TypeParam>::create({.books = this->config, .journal = to}, error);
  ASSERT_TRUE(anew) << to_string(error);
  EXPECT_EQ(orders_of(anew->books()), expected);
  EXPECT_EQ(anew->book(0)->size(), engine->book(0)->size());
  EXPECT_FALSE(anew->book(static_cast<BookNumber>(this->config.books)));
  EXPECT_EQ(anew->sequence(), expected.size() - this->config.books);
}

TYPED_TEST(Recovery, CarriesNothingOverToWhereAJournalIs) {
  auto engine = this->make();
  this->run(*engine, plan_records<TypeParam>(14, 50));
  const auto before = this->directory.files(".journal");
  const Matcher<TypeParam> none = *Matcher<TypeParam>::create(this->config);
  const JournalConfig to{.directory = this->directory.path()};
  EXPECT_EQ(carry_over(none, this->config, to).code, JournalCode::Locked);
  engine.reset();
  EXPECT_EQ(carry_over(none, this->config, to).code, JournalCode::NotEmpty);
  EXPECT_EQ(this->directory.files(".journal"), before);
  EXPECT_EQ(this->make()->sequence(), 50u);
}

/// What an operator looks at, also after a restart.
TYPED_TEST(Recovery, TellsHowTheJournalDoes) {
  const std::vector<Record> records = plan_records<TypeParam>(12, 700);
  auto engine = this->make(Durability::Machine);
  const std::uint64_t segment = record_offset(300);
  EXPECT_EQ(engine->status().segment_left, 300u);
  EXPECT_GT(engine->status().wanted_bytes, 2 * (segment + image_bytes(engine->books())));
  EXPECT_EQ(engine->submit(records.front()), SubmitStatus::Accepted);
  EXPECT_EQ(engine->status().journal_lag, 1u);
  EXPECT_EQ(engine->status().sync_nanoseconds, 0u);
  this->run(*engine, std::span(records).subspan(1));
  for (const bool anew : {false, true}) {
    if (anew) {
      engine.reset();
      engine = this->make();
    }
    const EngineStatus status = engine->status();
    EXPECT_EQ(status.sequence, 700u);
    EXPECT_EQ(status.backlog, 0u);
    EXPECT_EQ(status.journal_lag, 0u);
    EXPECT_EQ(status.segment_left, 200u);
    EXPECT_EQ(status.sync_nanoseconds > 0, !anew) << "since this engine was made";
    ASSERT_TRUE(status.free_bytes);
    EXPECT_EQ(status.room_is_short(), *status.free_bytes < status.wanted_bytes);
    EXPECT_NE(to_string(status).find("segment has room for 200 records"), std::string::npos);
  }
}

/// A config has its own copy of the path, which is often made of parts.
TYPED_TEST(Recovery, FindsADirectoryWhosePathWasMadeInPassing) {
  const std::string& base = this->directory.path();
  ASSERT_TRUE(std::filesystem::create_directory(base + "/of_this_day"));
  typename Engine<TypeParam>::Config config{.books = this->config};
  config.journal.directory = base + "/of_this_day";
  const std::string others(200, 'x');  // takes what a dead path would have left
  EngineError error;
  EXPECT_TRUE(Engine<TypeParam>::create(config, error)) << to_string(error);
  EXPECT_TRUE(std::filesystem::exists(base + "/of_this_day/00000000000000000001.journal"))
      << "it is kept by default";
}

TYPED_TEST(Recovery, SaysWhyBooksCannotBeMade) {
  this->run(*this->make(), plan_records<TypeParam>(11, 10));
  MatcherConfig<TypeParam> config = this->config;
  config.capacity = 0;
  RecoverySummary summary;
  JournalError no_replay;
  EXPECT_FALSE(ReportReplay<TypeParam>::create(this->directory.path(), config, 1, no_replay));
  for (const JournalError& error :
       {llmes::make_snapshot<TypeParam>(this->directory.path(), config, summary), no_replay}) {
    EXPECT_EQ(error.code, JournalCode::InvalidConfig);
    EXPECT_EQ(to_string(error), "the books cannot be made: InvalidCapacity");
  }
}

TYPED_TEST(Recovery, RefusesFilesOfOtherBooks) {
  this->run(*this->make(), plan_records<TypeParam>(5, 10));
  const auto refused = [&](const auto& config) {
    const JournalError error = this->refused(config);
    EXPECT_EQ(error.code, JournalCode::OtherParameters);
    return to_string(error);
  };
  MatcherConfig<TypeParam> config = this->config;
  config.capacity = 61;
  EXPECT_EQ(refused(config),
            "00000000000000000001.journal was written for other books, with capacity 60 and not 61: "
            "use those, or an empty directory");
  this->make_snapshot();
  EXPECT_EQ(refused(config),
            "00000000000000000010.snapshot was written for other books, with capacity 60 and not "
            "61: use those, or an empty directory");
  // A snapshot of them whose header does not tell.
  const std::string snapshot = this->directory.files(".snapshot").back();
  change_header(snapshot, [&](SnapshotHeader& header) { header.parameters = parameters_of(config); });
  EXPECT_TRUE(refused(config).starts_with(
      "00000000000000000010.snapshot was written for other books, with shape of the image "));
  const JournalError error = this->refused(config);
  EXPECT_EQ(error.found, detail::ImageShape::of(*Matcher<TypeParam>::create(this->config)).digest);
  EXPECT_EQ(error.expected, detail::ImageShape::of(*Matcher<TypeParam>::create(config)).digest);
  change_header(snapshot, [&](SnapshotHeader& header) { header.parameters = parameters_of(this->config); });
  config = this->config;
  config.quantity_max = 1'000;
  EXPECT_NE(refused(config).find("largest quantity"), std::string::npos);
}

}  // namespace
}  // namespace llmes::test::recovery_test
