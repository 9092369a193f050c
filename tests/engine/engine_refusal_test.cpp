// SPDX-License-Identifier: MIT
//
// Whatever the system refuses an engine, and those that read its files, they say so: any one of their calls to the
// disk, any one of their allocations, a thread, a path.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/failing_files.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/record_plan.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

using Book = BookSet;
using Files = FailingFiles;

constexpr MatcherConfig<Book> config = SmallMatcher<Book>::config;
constexpr std::size_t segment = 40;

/// A disk in memory with files whose calls fail as planned.
struct Disk {
  MatcherConfig<Book> books = config;  ///< of the books of its journal
  FaultyDisk disk;
  Files::Plan plan;
  Files files{&disk, &plan};
};

/// The engine of a journal, whose disk waits or not.
std::unique_ptr<Engine<Book, YieldWait, Files>> make_engine(Disk& disk, EngineError& error,
                                                            Durability durability = Durability::Machine) {
  return Engine<Book, YieldWait, Files>::create(
      {.books = disk.books,
       .commands = 256,
       .reports = 1'024,
       .journal = {.directory = "d", .durability = durability, .segment_records = segment}},
      error, disk.files);
}

/// Appends these to the journal, as an engine does.
void write(Disk& disk, std::span<const Record> records) {
  JournalSummary summary;
  JournalError error;
  auto writer = JournalWriter<Files>::create(
      {.directory = "d",
       .parameters = parameters_of(disk.books),
       .durability = Durability::Process,
       .segment_records = segment},
      1, [](std::span<const Record>) {}, summary, error, disk.files);
  ASSERT_TRUE(writer) << to_string(error);
  for (const Record& record : records) ASSERT_EQ(writer->append({&record, 1}), AppendStatus::Success);
}

/// A journal of five segments with snapshots after 90 records and after 170.
void fill(Disk& disk, std::span<const Record> records) {
  RecoverySummary summary;
  write(disk, records.first(90));
  ASSERT_FALSE(make_snapshot<Book>("d", config, summary, disk.files));
  write(disk, records.subspan(90, 80));
  ASSERT_FALSE(make_snapshot<Book>("d", config, summary, disk.files));
  write(disk, records.subspan(170));
}

/// Fails each call to the disk in turn that `work` makes, which is to say so.
template <class Work>
void expect_told_of_each_call(const Work& work) {
  const std::vector<Record> records = plan_records<Book>(1, 190);
  std::uint64_t told = 0;
  for (std::uint64_t at = 1;; ++at, ++told) {
    Disk disk;
    fill(disk, records);
    disk.plan = {.at = at};
    const JournalError error = work(disk);
    if (disk.plan.calls < at) {
      EXPECT_FALSE(error) << to_string(error);
      break;
    }
    EXPECT_EQ(error.code, JournalCode::SystemError) << at;
    EXPECT_EQ(error.number, EIO) << at;
    EXPECT_FALSE(error.call.empty()) << at;
    disk.disk.revive();
    disk.plan = {};
    EngineError again;
    const auto engine = make_engine(disk, again);
    ASSERT_TRUE(engine) << to_string(again) << ", call " << at;
    EXPECT_EQ(engine->sequence(), 190u);
    if (::testing::Test::HasFailure()) FAIL() << "call " << at;
  }
  EXPECT_GT(told, 0u);
}

TEST(EngineRefused, ACallToTheDiskWhenItStarts) {
  for (const Durability durability : {Durability::None, Durability::Process, Durability::Machine}) {
    expect_told_of_each_call([&](Disk& disk) {
      EngineError error;
      const auto engine = make_engine(disk, error, durability);
      EXPECT_EQ(engine != nullptr, !error);
      return error.journal;
    });
  }
}
TEST(EngineRefused, ACallToTheDiskByASnapshot) {
  expect_told_of_each_call([](Disk& disk) {
    RecoverySummary summary;
    return make_snapshot<Book>("d", config, summary, disk.files);
  });
}
/// Its image is written in several calls.
TEST(EngineRefused, ACallToTheDiskByALargeSnapshot) {
  const std::vector<Record> records = plan_records<Book>(1, 10);
  for (std::uint64_t at = 1;; ++at) {
    Disk disk;
    disk.books = {.books = 3, .capacity = 35'000};
    write(disk, records);
    disk.plan = {.at = at};
    RecoverySummary summary;
    const JournalError error = make_snapshot<Book>("d", disk.books, summary, disk.files);
    EXPECT_EQ(error.code, disk.plan.calls < at ? JournalCode::Success : JournalCode::SystemError) << at;
    if (disk.plan.calls < at) break;
  }
}
TEST(EngineRefused, ACallToTheDiskByWhoDeletesSegments) {
  expect_told_of_each_call([](Disk& disk) { return remove_covered("d", 2, disk.files); });
}
/// Tells reports again.
JournalError tell_again(Disk& disk, std::string_view path, std::uint64_t first) {
  JournalError error;
  const auto replay = ReportReplay<Book, Files>::create(path, config, first, error, disk.files);
  EXPECT_EQ(replay != nullptr, !error);
  KeepReports target;
  return replay ? replay->tell(target) : error;
}
TEST(EngineRefused, ACallToTheDiskByWhoReadsReportsAgain) {
  expect_told_of_each_call([](Disk& disk) { return tell_again(disk, "d", 100); });
}
TEST(EngineRefused, ACallToTheDiskByWhoReadsTheJournal) {
  expect_told_of_each_call([](Disk& disk) {
    JournalSummary summary;
    return replay(
        "d", 1, parameters_of(config), [](std::span<const Record>) {}, summary, disk.files);
  });
}

/// A file that ends while it is read has fewer records, or is an error; it never leads to anything else.
TEST(EngineRefused, TheRestOfAFile) {
  const std::vector<Record> records = plan_records<Book>(1, 190);
  for (std::uint64_t at = 1;; ++at) {
    Disk disk;
    fill(disk, records);
    disk.plan = {.at = at, .only_ends = true};
    EngineError error;
    const auto engine = make_engine(disk, error);
    if (disk.plan.calls < at) break;
    EXPECT_EQ(engine != nullptr, !error);
    if (!engine) continue;
    auto expected = *Matcher<Book>::create(config);
    NoReports nobody;
    expected.apply(std::span(records).first(engine->sequence()), nobody);
    EXPECT_EQ(logical_digest(engine->books()), logical_digest(expected)) << at;
  }
}

TEST(EngineRefused, NothingToWriteAgainWhereNothingIs) {
  FaultyDisk disk;
  JournalDirectory<FaultyFiles> directory({&disk});
  EXPECT_FALSE(directory.open("d"));
  const JournalParameters parameters = parameters_of(config);
  JournalScan<FaultyFiles> scan(directory, parameters, {});
  JournalSummary summary;
  EXPECT_FALSE(scan.run(
      {}, [](std::span<const Record>) {}, summary));
  EXPECT_FALSE(scan.write_again());
  EXPECT_EQ(disk.calls, 0u);
  EXPECT_FALSE(remove_covered("d", 2, FaultyFiles{&disk}));
}

TEST(EngineRefused, MemoryForAMatcher) {
  // Five blocks for the set, the reporter, and the positions of the streams.
  expect_out_of_memory_at_each_of(7, [](CreateStatus& status) { return Matcher<Book>::create(config, status); });
}

/// Whoever meets it goes on with the one before, and deletes no segment that this one needs.
TEST(EngineRefused, ASnapshotByTheNameOfAnother) {
  Disk disk;
  fill(disk, plan_records<Book>(1, 190));
  const auto name = [](std::uint64_t sequence) { return std::string(Snapshots<Book>::name_of(sequence).text()); };
  auto moved = disk.disk.names.extract(name(170));
  ASSERT_FALSE(moved.empty());
  moved.key() = name(171);
  disk.disk.names.insert(std::move(moved));
  const std::size_t names = disk.disk.names.size();
  EXPECT_FALSE(remove_covered("d", 2, disk.files));
  EXPECT_EQ(disk.disk.names.size(), names);
  EngineError error;
  const auto engine = make_engine(disk, error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->recovery().snapshots_damaged, 1u);
  EXPECT_EQ(engine->recovery().snapshot_sequence, 90u);
  EXPECT_EQ(engine->sequence(), 190u);
}

TEST(EngineRefused, ASnapshotWhoseHeaderIsDamaged) {
  Disk disk;
  fill(disk, plan_records<Book>(1, 190));
  const auto found = disk.disk.names.find(Snapshots<Book>::name_of(170).text());
  ASSERT_NE(found, disk.disk.names.end());
  found->second->bytes[offsetof(SnapshotHeader, digest)] ^= std::byte{1};
  EngineError error;
  const auto engine = make_engine(disk, error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->recovery().snapshots_damaged, 1u);
  EXPECT_EQ(engine->recovery().snapshot_sequence, 90u);
}

TEST(EngineRefused, MemoryToWriteASnapshotWith) {
  Disk disk;
  const auto books = *Matcher<Book>::create(config);
  JournalDirectory<Files> directory(disk.files);
  EXPECT_FALSE(directory.open("d"));
  Snapshots<Book, Files> snapshots(directory, config);
  allocations_to_refusal = 0;
  const JournalError error = snapshots.save(books, {.sequence = 1});
  allocations_to_refusal = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(error.code, JournalCode::OutOfMemory);
  EXPECT_TRUE(disk.disk.names.empty());
}

/// Refuses each allocation of `work` in turn, which is to say so.
template <class Work>
void expect_told_of_each_allocation(const Work& work) {
  const std::vector<Record> records = plan_records<Book>(1, 190);
  for (std::uint64_t refused = 0;; ++refused) {
    Disk disk;
    fill(disk, records);
    allocations_to_refusal = refused;
    const bool failed = work(disk);
    const bool reached = allocations_to_refusal > refused;  // it has wrapped
    allocations_to_refusal = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(failed, reached) << refused;
    if (!reached || ::testing::Test::HasFailure()) break;
  }
}

TEST(EngineRefused, MemoryWhenItStarts) {
  expect_told_of_each_allocation([](Disk& disk) {
    EngineError error;
    const auto engine = make_engine(disk, error);
    EXPECT_EQ(engine != nullptr, !error);
    return bool{error};
  });
}
TEST(EngineRefused, MemoryOfASnapshot) {
  expect_told_of_each_allocation([](Disk& disk) {
    RecoverySummary summary;
    return bool{make_snapshot<Book>("d", config, summary, disk.files)};
  });
}
TEST(EngineRefused, MemoryToRemoveWhatASnapshotCovers) {
  expect_told_of_each_allocation([](Disk& disk) { return bool{remove_covered("d", 2, disk.files)}; });
}
TEST(EngineRefused, MemoryToReadReportsAgain) {
  expect_told_of_each_allocation([](Disk& disk) { return bool{tell_again(disk, "d", 100)}; });
}

TEST(EngineRefused, APathThatIsNone) {
  const std::string too_long(5'000, 'd');
  for (const std::string_view path : {std::string_view(), std::string_view(too_long)}) {
    Disk disk;
    RecoverySummary summary;
    const auto ignore = [](std::span<const Record>) {};
    EXPECT_EQ(make_snapshot<Book>(path, config, summary, disk.files).code, JournalCode::InvalidConfig);
    EXPECT_EQ(remove_covered(path, 2, disk.files).code, JournalCode::InvalidConfig);
    EXPECT_EQ(remove_before(path, 5, disk.files).code, JournalCode::InvalidConfig);
    EXPECT_EQ(tell_again(disk, path, 1).code, JournalCode::InvalidConfig);
    EXPECT_EQ(replay(path, 1, parameters_of(config), ignore, summary.journal, disk.files).code,
              JournalCode::InvalidConfig);
    EXPECT_EQ(disk.plan.calls, 0u);
  }
  Disk disk;
  EngineError error;
  EXPECT_FALSE((Engine<Book, YieldWait, Files>::create({.books = config, .journal = {.directory = too_long}},
                                                       error, disk.files)));
  EXPECT_EQ(error.journal.code, JournalCode::InvalidConfig);
}

TEST(EngineRefused, ACommandBeforeTheFirst) {
  Disk disk;
  JournalSummary summary;
  const auto ignore = [](std::span<const Record>) {};
  EXPECT_EQ(tell_again(disk, "d", 0).code, JournalCode::InvalidConfig);
  EXPECT_EQ(replay("d", 0, parameters_of(config), ignore, summary, disk.files).code, JournalCode::InvalidConfig);
}

TEST(EngineRefused, ADirectoryThatIsNotThere) {
  JournalSummary summary;
  const auto ignore = [](std::span<const Record>) {};
  const JournalError error = replay("/no/such/directory", 1, parameters_of(config), ignore, summary);
  EXPECT_EQ(error.code, JournalCode::SystemError);
  EXPECT_EQ(error.number, ENOENT);
}

TEST(EngineRefused, ARingThatHoldsNoPowerOfTwo) {
  EngineError error;
  EXPECT_FALSE(Engine<Book>::create({.books = config, .commands = 3}, error));
  EXPECT_EQ(error.rings, RingStatus::InvalidCapacity);
}

/// Whoever asks for one is not given an engine that keeps nothing.
TEST(EngineRefused, DurabilityWithoutADirectory) {
  for (const Durability durability : {Durability::Process, Durability::Machine}) {
    EngineError error;
    EXPECT_FALSE(Engine<Book>::create({.books = config, .journal = {.durability = durability}}, error));
    EXPECT_EQ(error.journal.code, JournalCode::NoDirectory);
    EXPECT_EQ(to_string(error),
              "a durability without a directory for the journal: name a directory, or leave both out");
  }
  EngineError error;
  EXPECT_TRUE(Engine<Book>::create({.books = config, .journal = {.durability = Durability::None}}, error));
  EXPECT_FALSE(error) << to_string(error);
}

/// Words have the path and the reason of the system.
TEST(EngineRefused, AJournalWhoseDirectoryIsNamed) {
  EngineError error;
  EXPECT_FALSE(Engine<Book>::create({.books = config, .journal = {.directory = "/no/such/directory"}}, error));
  EXPECT_EQ(error.directory, "/no/such/directory");
  EXPECT_TRUE(to_string(error).starts_with("/no/such/directory: ")) << to_string(error);
  EXPECT_NE(to_string(error).find("No such file or directory"), std::string::npos) << to_string(error);
  EXPECT_EQ(to_string(error), to_string(error.journal, "/no/such/directory"));
}

/// Without a thread nobody waits for the commands.
TEST(EngineRefused, NobodyWaitsForAnEngineThatDoesNotRun) {
  EngineError error;
  const auto engine = Engine<Book>::create({.books = config}, error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->submit(plan_records<Book>(1, 1).front()), SubmitStatus::Accepted);
  engine->drain();
  EXPECT_EQ(engine->state(), EngineState::Ready);
}

#if !LLMES_TEST_SANITIZED  // a sanitizer needs more address space than that itself

/// The exit status of a process with no room for the stack of another thread.
int without_a_thread() {
  EngineError error;
  const auto engine = Engine<Book>::create({.books = config}, error);
  const rlimit nothing_more{1 << 20, 1 << 20};
  if (!engine || setrlimit(RLIMIT_AS, &nothing_more) != 0) return 2;
  if (engine->start()) return 1;
  return engine->state() == EngineState::Ready ? 0 : 3;
}
TEST(EngineRefused, AThread) {
  EXPECT_EXIT(std::_Exit(without_a_thread()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace llmes::test
