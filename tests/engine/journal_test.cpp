// SPDX-License-Identifier: MIT
//
// The journal gives back what it has acknowledged, whatever happens to the process, the machine and the disk, and
// it never gives back anything else.
#include "llmes/engine/journal/journal.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine/journal/record.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr JournalParameters parameters = [] {
  JournalParameters made("set of array books");
  (void)made.add("books", 8);
  (void)made.add("capacity", 1000);
  return made;
}();

JournalConfig small(Durability durability = Durability::Process, const std::string& directory = "disk") {
  return {.directory = directory, .parameters = parameters, .durability = durability, .segment_records = 4};
}

/// Records with the sequences from `first`, as one write.
std::vector<Record> batch(std::uint64_t first, std::size_t count) {
  std::vector<Record> records(count);
  Random random(first);
  for (Record& record : records) {
    // Times jump, also back, and enumerators are whatever they are.
    record = {.time = random.next(),
              .id = random.next(),
              .other = random.next(),
              .price = static_cast<Price>(random.next()),
              .quantity = random.next(),
              .book = static_cast<BookNumber>(random.next()),
              .type = static_cast<CommandType>(random.below(256)),
              .side = static_cast<Side>(random.below(256)),
              .time_in_force = static_cast<TimeInForce>(random.below(256))};
  }
  stamp(records, first);
  return records;
}

/// What opening a journal comes to.
template <class Files>
struct Opened {
  std::optional<JournalWriter<Files>> writer;
  std::vector<Record> records;
  JournalSummary summary;
  JournalError error;
};
template <class Files>
Opened<Files> open(const Files& files, const JournalConfig& config = small(), std::uint64_t from = 1) {
  Opened<Files> opened;
  const auto collect = [&](std::span<const Record> given) {
    opened.records.insert(opened.records.end(), given.begin(), given.end());
  };
  opened.writer = JournalWriter<Files>::create(config, from, collect, opened.summary, opened.error, files);
  EXPECT_EQ(opened.writer.has_value(), !opened.error) << to_string(opened.error);
  return opened;
}
Opened<FaultyFiles> open(FaultyDisk& disk, const JournalConfig& config = small(), std::uint64_t from = 1) {
  return open(FaultyFiles{&disk}, config, from);
}

/// Appends batches of these sizes until one fails. All that were tried go to `tried`.
/// @return how many records were acknowledged.
template <class Files>
std::size_t append(JournalWriter<Files>& writer, std::span<const std::size_t> sizes, std::vector<Record>& tried) {
  std::size_t acknowledged = tried.size();
  for (const std::size_t size : sizes) {
    const std::vector<Record> records = batch(tried.size() + 1, size);
    tried.insert(tried.end(), records.begin(), records.end());
    if (writer.append(records) != AppendStatus::Success) break;
    acknowledged = tried.size();
  }
  return acknowledged;
}
constexpr std::array<std::size_t, 6> sizes{1, 3, 2, 7, 1, 4};  // 18 records, in segments of 4

/// A disk with a journal of batches of these sizes.
std::vector<Record> fill(FaultyDisk& disk, std::span<const std::size_t> some_sizes) {
  std::vector<Record> records;
  auto opened = open(disk);
  append(*opened.writer, some_sizes, records);
  return records;
}

/// That the journal holds what was acknowledged and nothing that was not tried, and goes on.
template <class Files>
void expect_recovers(const Files& files, const JournalConfig& config, std::span<const Record> tried,
                     std::size_t acknowledged) {
  std::vector<Record> records;
  {
    auto opened = open(files, config);
    ASSERT_TRUE(opened.writer) << to_string(opened.error);
    records = opened.records;
    ASSERT_GE(records.size(), acknowledged);
    ASSERT_LE(records.size(), tried.size());
    ASSERT_TRUE(std::ranges::equal(records, tried.first(records.size())));
    append(*opened.writer, std::array<std::size_t, 2>{3, 2}, records);
  }
  const auto opened = open(files, config);
  ASSERT_TRUE(opened.writer) << to_string(opened.error);
  EXPECT_EQ(opened.records, records);
  EXPECT_EQ(opened.summary.torn_bytes, 0u);
}

/// A directory of the system.
struct Directory {
  bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_journal"};
  const std::string& path = folder.path();
};

std::vector<std::byte>& bytes_of(FaultyDisk& disk, std::uint64_t first) {
  return disk.names.find(JournalName::of_segment(first).text())->second->bytes;
}
void flip(std::vector<std::byte>& bytes, std::size_t bit) {
  bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
}

// ---- Files of the system.

TEST(Journal, GivesBackWhatWasAppended) {
  for (const Durability durability : {Durability::Process, Durability::Machine}) {
    const Directory directory;
    const JournalConfig config = small(durability, directory.path);
    std::vector<Record> written;
    for (int time = 0; time < 4; ++time) {
      auto opened = open(SystemFiles{}, config);
      ASSERT_TRUE(opened.writer) << to_string(opened.error);
      EXPECT_EQ(opened.summary.empty, time == 0);
      EXPECT_EQ(opened.records, written);
      EXPECT_EQ(opened.summary.next_sequence, written.size() + 1);
      const std::size_t acknowledged = append(*opened.writer, sizes, written);
      EXPECT_EQ(acknowledged, written.size());
      EXPECT_EQ(opened.writer->next_sequence(), written.size() + 1);
    }
  }
}

TEST(Journal, WithoutDurabilityWritesNothing) {
  FaultyDisk disk;
  fill(disk, sizes);
  disk.calls = 0;
  std::vector<Record> written;
  {
    auto opened = open(disk, small(Durability::None));
    written = opened.records;
    EXPECT_EQ(written.size(), 18u);
    append(*opened.writer, sizes, written);
  }
  EXPECT_EQ(disk.calls, 0u);
  EXPECT_EQ(open(disk).records.size(), 18u);
}

TEST(Journal, IsLockedAgainstASecondWriter) {
  const Directory directory;
  const JournalConfig config = small(Durability::Process, directory.path);
  {
    const auto first = open(SystemFiles{}, config);
    EXPECT_TRUE(first.writer);
    EXPECT_EQ(open(SystemFiles{}, config).error.code, JournalCode::Locked);
  }
  EXPECT_TRUE(open(SystemFiles{}, config).writer);
}

TEST(Journal, GivesUpTheDirectoryOfAWriterThatIsAssignedTo) {
  const Directory directory;
  const Directory other;
  auto first = open(SystemFiles{}, small(Durability::Process, directory.path));
  auto second = open(SystemFiles{}, small(Durability::Process, other.path));
  *first.writer = std::move(*second.writer);
  EXPECT_TRUE(open(SystemFiles{}, small(Durability::Process, directory.path)).writer);
  EXPECT_EQ(open(SystemFiles{}, small(Durability::Process, other.path)).error.code, JournalCode::Locked);
}

TEST(Journal, StaysInItsDirectoryWhereverThatIsAndTheProcessWorks) {
  namespace fs = std::filesystem;
  const Directory directory;
  const fs::path here = fs::current_path();
  const fs::path before = fs::path(directory.path) / "before";
  const fs::path after = fs::path(directory.path) / "after";
  fs::create_directory(before);
  fs::current_path(before);
  auto opened = open(SystemFiles{}, small(Durability::Machine, "."));
  fs::current_path(here);
  std::vector<Record> records;
  append(*opened.writer, std::array<std::size_t, 1>{6}, records);
  fs::rename(before, after);
  append(*opened.writer, std::array<std::size_t, 1>{6}, records);
  EXPECT_EQ(records.size(), 12u);
  opened.writer.reset();
  EXPECT_EQ(open(SystemFiles{}, small(Durability::Process, after.native())).records, records);
}

TEST(Journal, AllocatesNothingOnceOpened) {
  const Directory directory;
  auto opened = open(SystemFiles{}, small(Durability::Process, directory.path));
  const std::vector<Record> records = batch(1, 100);
  const std::uint64_t before = bench::allocation_count();
  for (std::size_t i = 0; i < 100; i += 5) {
    ASSERT_EQ(opened.writer->append(std::span(records).subspan(i, 5)), AppendStatus::Success);
  }
  EXPECT_EQ(bench::allocation_count(), before);
}

TEST(Journal, SaysWhatTheSystemRefuses) {
  const auto opened = open(SystemFiles{}, small(Durability::Process, "/no/such/directory"));
  EXPECT_EQ(opened.error.code, JournalCode::SystemError);
  EXPECT_EQ(to_string(opened.error), "open failed: the directory, offset 0: No such file or directory (errno 2)");
}

/// `SystemFiles` in a process that dies at a call that writes, syncs, or makes a file.
struct DyingFiles : SystemFiles {
  int* calls_left = nullptr;

  void count() const {
    if (--*calls_left == 0) _exit(9);
  }
  FileResult open(int directory, const char* path, int flags) const {
    count();
    return SystemFiles::open(directory, path, flags);
  }
  FileResult write(int file, std::span<const std::byte> bytes, std::uint64_t offset) const {
    if (*calls_left == 1) (void)SystemFiles::write(file, bytes.first(bytes.size() * 2 / 3), offset);
    count();
    return SystemFiles::write(file, bytes, offset);
  }
  FileResult allocate(int file, std::uint64_t size) const {
    count();
    return SystemFiles::allocate(file, size);
  }
  FileResult sync_data(int file) const {
    count();
    return SystemFiles::sync_data(file);
  }
};

TEST(Journal, KeepsWhatItAcknowledgedWhenTheProcessDies) {
  bool died = true;
  for (int calls = 1; died; ++calls) {
    const Directory directory;
    const JournalConfig config = small(Durability::Process, directory.path);
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // acknowledges by the pipe, as an engine would by its events
      int calls_left = calls;
      DyingFiles files;
      files.calls_left = &calls_left;
      JournalSummary summary;
      JournalError error;
      auto writer = JournalWriter<DyingFiles>::create(
          config, 1, [](auto) {}, summary, error, files);
      if (!writer) _exit(8);
      for (const std::size_t size : sizes) {
        if (writer->append(batch(writer->next_sequence(), size)) != AppendStatus::Success) _exit(8);
        const auto acknowledged = static_cast<char>(writer->next_sequence() - 1);
        if (write(pipe_ends[1], &acknowledged, 1) != 1) _exit(8);
      }
      _exit(0);
    }
    close(pipe_ends[1]);
    char acknowledged = 0;
    while (read(pipe_ends[0], &acknowledged, 1) == 1) continue;
    close(pipe_ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 8);
    died = WEXITSTATUS(status) == 9;

    std::vector<Record> tried;
    for (const std::size_t size : sizes) {
      const std::vector<Record> records = batch(tried.size() + 1, size);
      tried.insert(tried.end(), records.begin(), records.end());
    }
    expect_recovers(SystemFiles{}, config, tried, static_cast<std::size_t>(acknowledged));
    ASSERT_FALSE(HasFatalFailure()) << "at call " << calls;
  }
}

TEST(Journal, IsReadBesideAWriter) {
  const Directory directory;
  JournalConfig config = small(Durability::Process, directory.path);
  config.segment_records = 100;
  auto opened = open(SystemFiles{}, config);
  const std::vector<Record> records = batch(1, 2000);
  std::thread writer([&] {
    for (std::size_t i = 0; i < records.size(); i += 8) {
      ASSERT_EQ(opened.writer->append(std::span(records).subspan(i, 8)), AppendStatus::Success);
    }
  });
  std::uint64_t next = 1;
  while (next <= records.size()) {
    JournalSummary summary;
    const auto compare = [&](std::span<const Record> given) {
      ASSERT_TRUE(std::ranges::equal(given, std::span(records).subspan(next - 1, given.size())));
      next += given.size();
    };
    const JournalError error = replay(directory.path, next, parameters, compare, summary);
    if (error || next != summary.next_sequence) {
      ADD_FAILURE() << to_string(error);
      break;
    }
  }
  writer.join();
}

// ---- Damage.

TEST(Journal, NoticesEveryBitThatFlips) {
  FaultyDisk whole;
  const std::vector<Record> records = fill(whole, std::array<std::size_t, 4>{1, 3, 1, 2});  // 4 and 3, room for 1
  for (const std::uint64_t first : {1u, 5u}) {
    const std::vector<std::byte> original = bytes_of(whole, first);
    for (std::size_t bit = 0; bit < 8 * original.size(); ++bit) {
      FaultyDisk disk;
      for (const auto& [name, file] : whole.names) disk.names[name] = std::make_shared<FaultyDisk::File>(*file);
      flip(bytes_of(disk, first), bit);
      auto opened = open(disk);
      const bool in_header = bit < 8 * sizeof(JournalHeader);
      const std::uint64_t index =
          in_header ? 0 : bit / 8 / sizeof(Record) - sizeof(JournalHeader) / sizeof(Record);
      if (first + index < 7) {
        ASSERT_EQ(opened.error.code, in_header ? JournalCode::DamagedHeader : JournalCode::DamagedRecord) << bit;
        ASSERT_EQ(opened.error.file.text(), JournalName::of_segment(first).text());
        ASSERT_EQ(opened.error.sequence, first + index);
        ASSERT_EQ(opened.error.offset, in_header ? 0 : record_offset(index));
      } else {  // the last record, or where the next one goes
        ASSERT_TRUE(opened.writer) << to_string(opened.error);
        ASSERT_TRUE(std::ranges::equal(opened.records, std::span(records).first(first + index - 1)));
        ASSERT_EQ(opened.summary.torn_offset, record_offset(index));
        ASSERT_GT(opened.summary.torn_bytes, 0u);
        ASSERT_LE(opened.summary.torn_bytes, sizeof(Record));
        const auto tail = std::span(bytes_of(disk, first)).subspan(record_offset(index));
        ASSERT_TRUE(std::ranges::all_of(tail, [](std::byte byte) { return byte == std::byte{}; }));
      }
    }
  }
}

TEST(Journal, CutsWhatWasWrittenInPart) {
  FaultyDisk whole;
  const std::vector<Record> records = fill(whole, std::array<std::size_t, 3>{4, 1, 2});
  const std::vector<std::byte> original = bytes_of(whole, 5);
  for (std::size_t size = 0; size <= original.size(); ++size) {
    FaultyDisk disk;
    for (const auto& [name, file] : whole.names) disk.names[name] = std::make_shared<FaultyDisk::File>(*file);
    bytes_of(disk, 5).resize(size);
    const std::size_t left = size < sizeof(JournalHeader) ? 0 : (size - sizeof(JournalHeader)) / sizeof(Record);
    expect_recovers(FaultyFiles{&disk}, small(), records, std::min<std::size_t>(7, 4 + left));
    ASSERT_FALSE(HasFatalFailure()) << "cut to " << size;
    ASSERT_EQ(bytes_of(disk, 5).size(), record_offset(4)) << "the room is taken again";
  }
  // What is no part of a record, and what is cut from a segment that is not the last.
  for (std::size_t size = 0; size < bytes_of(whole, 1).size(); size += 31) {
    FaultyDisk disk;
    for (const auto& [name, file] : whole.names) disk.names[name] = std::make_shared<FaultyDisk::File>(*file);
    bytes_of(disk, 1).resize(size);
    const JournalError error = open(disk).error;
    EXPECT_EQ(error.code, size < sizeof(JournalHeader) ? JournalCode::DamagedHeader : JournalCode::DamagedRecord);
  }
}

TEST(Journal, SaysHowManyBytesItCutAndWhere) {
  FaultyDisk disk;
  fill(disk, std::array<std::size_t, 1>{2});
  bytes_of(disk, 1)[record_offset(2)] = std::byte{1};
  bytes_of(disk, 1)[record_offset(2) + 9] = std::byte{1};
  disk.syncs = 0;
  EXPECT_EQ(to_string(open(disk).summary),
            "2 records replayed, the next is 3; cut off 10 bytes that were written in part, from offset 640 of "
            "00000000000000000001.journal");
  EXPECT_EQ(disk.syncs, 1u) << "before anything else can be written there";
  EXPECT_EQ(open(disk).summary.torn_bytes, 0u);
}

/// A process that ends leaves each segment with all its room. What else there is, is told, with the file.
TEST(Journal, SaysHowItsLastSegmentEnds) {
  const auto said_after = [](std::span<const std::size_t> some_sizes, auto change) {
    FaultyDisk disk;
    fill(disk, some_sizes);
    change(disk);
    const auto opened = open(disk);
    EXPECT_TRUE(opened.writer);
    return opened.summary;
  };
  constexpr std::array<std::size_t, 2> seven{4, 3}, eight{4, 4};
  const std::string last(JournalName::of_segment(5).text());
  EXPECT_TRUE(said_after(seven, [](FaultyDisk&) {}).is_whole());
  const JournalSummary cut =
      said_after(seven, [](FaultyDisk& disk) { bytes_of(disk, 5).resize(record_offset(1)); });
  EXPECT_FALSE(cut.is_whole());
  EXPECT_EQ(to_string(cut), "5 records replayed, the next is 6; " + last +
                                " was cut: it lacks 192 bytes of its room, and all records that were there are "
                                "gone: bring it back from a copy");
  for (const std::size_t left : {std::size_t{0}, std::size_t{100}, sizeof(JournalHeader)}) {
    const JournalSummary begun = said_after(seven, [&](FaultyDisk& disk) {
      bytes_of(disk, 5).resize(left);
      if (left != 100) std::ranges::fill(bytes_of(disk, 5), std::byte{});
    });
    EXPECT_FALSE(begun.is_whole());
    EXPECT_EQ(begun.begun_file.text(), last);
    EXPECT_EQ(begun.begun_bytes, left);
    EXPECT_NE(to_string(begun).find("; " + last + " has " + std::to_string(left) + " bytes and no header: "),
              std::string::npos)
        << to_string(begun);
  }
  const JournalSummary full = said_after(eight, [](FaultyDisk&) {});
  EXPECT_FALSE(full.is_whole());
  EXPECT_EQ(full.full_file.text(), last);
  const JournalSummary lost =
      said_after(seven, [&](FaultyDisk& disk) { disk.names.erase(disk.names.find(last)); });
  EXPECT_EQ(lost.full_file.text(), JournalName::of_segment(1).text());
  // A writer that is at work leaves anything.
  FaultyDisk disk;
  fill(disk, eight);
  JournalSummary summary;
  EXPECT_FALSE(replay(
      "disk", 1, parameters, [](std::span<const Record>) {}, summary, FaultyFiles{&disk}));
  EXPECT_TRUE(summary.is_whole());
}

TEST(Journal, TellsAHoleInTheLastWriteFromOneBefore) {
  for (const bool last : {false, true}) {
    FaultyDisk disk;
    const std::array<std::size_t, 2> some_sizes{last ? 1u : 2u, last ? 3u : 2u};
    const std::vector<Record> records = fill(disk, some_sizes);
    std::fill_n(bytes_of(disk, 1).begin() + static_cast<std::ptrdiff_t>(record_offset(1)), sizeof(Record),
                std::byte{});
    if (last) {
      EXPECT_EQ(open(disk).summary.torn_offset, record_offset(1));
      EXPECT_TRUE(open(disk).records == batch(1, 1));
      expect_recovers(FaultyFiles{&disk}, small(), records, 1);
    } else {
      const JournalError error = open(disk).error;
      EXPECT_EQ(error.code, JournalCode::DamagedRecord);
      EXPECT_EQ(
          to_string(error),
          "00000000000000000001.journal, offset 576: record 2 is damaged, and records were written after it: "
          "bring the segment back from a copy; nothing was changed");
    }
  }
}

TEST(Journal, TellsALostHeaderFromADamagedOne) {
  for (const bool lost : {false, true}) {
    FaultyDisk disk;
    const std::vector<Record> records = fill(disk, std::array<std::size_t, 1>{3});
    if (lost) {
      std::fill_n(bytes_of(disk, 1).begin(), sizeof(JournalHeader), std::byte{});
      expect_recovers(FaultyFiles{&disk}, small(), records, 0);
    } else {
      flip(bytes_of(disk, 1), 8 * 100);
      EXPECT_EQ(open(disk).error.code, JournalCode::DamagedHeader);
    }
  }
}

/// A write that ends too early leaves one record or a header in part, and nothing behind it.
TEST(Journal, RefusesWhatNoWriteCanHaveLeft) {
  const auto opened_after = [](auto change) {
    FaultyDisk disk;
    fill(disk, std::array<std::size_t, 3>{1, 1, 1});
    change(bytes_of(disk, 1));
    const std::vector<std::byte> before = bytes_of(disk, 1);
    const JournalError error = open(disk).error;
    EXPECT_EQ(bytes_of(disk, 1), before);
    return error;
  };
  const auto put = [](std::vector<std::byte>& bytes, std::size_t begin, std::size_t size) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, std::byte{0x5a});
  };
  const JournalError two = opened_after([](auto& bytes) {
    flip(bytes, 8 * record_offset(1));
    flip(bytes, 8 * record_offset(2));
  });
  EXPECT_EQ(two.code, JournalCode::DamagedRecord);
  EXPECT_EQ(two.sequence, 2u);
  const auto behind = [&](auto& bytes) {
    flip(bytes, 8 * record_offset(2));
    put(bytes, record_offset(3) + 63, 1);
  };
  EXPECT_EQ(opened_after(behind).sequence, 3u);
  EXPECT_EQ(opened_after([&](auto& bytes) { put(bytes, 0, bytes.size()); }).code, JournalCode::DamagedHeader);
  EXPECT_EQ(opened_after([&](auto& bytes) { put(bytes, 0, record_offset(0)); }).code, JournalCode::DamagedHeader);
  const auto other_file = [&](auto& bytes) {
    std::fill(bytes.begin(), bytes.end(), std::byte{});
    put(bytes, 0, 100);
  };
  EXPECT_EQ(opened_after(other_file).code, JournalCode::DamagedHeader);
  for (const std::size_t bit : {0u, 8u * 12, 8u * 24, 8u * 80}) {  // nothing of the header is missing
    const auto flipped = [&](auto& bytes) {
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(record_offset(0)), bytes.end(), std::byte{});
      flip(bytes, bit);
    };
    EXPECT_EQ(opened_after(flipped).code, JournalCode::DamagedHeader) << bit;
  }
}

TEST(Journal, RefusesValidRecordsThatAreNotWhereTheyBelong) {
  FaultyDisk whole;
  fill(whole, std::array<std::size_t, 1>{4});
  const auto record = [&](std::uint64_t index) {
    return std::span(bytes_of(whole, 1)).subspan(record_offset(index), sizeof(Record));
  };
  std::ranges::swap_ranges(record(1), record(2));
  EXPECT_EQ(open(whole).error.code, JournalCode::DamagedRecord);
  EXPECT_EQ(open(whole).error.sequence, 2u);
  std::ranges::swap_ranges(record(1), record(2));
  std::ranges::copy(record(2), record(3).begin());  // a record for the second time is no record
  EXPECT_EQ(open(whole).records, std::vector<Record>(batch(1, 3)));
}

TEST(Journal, RefusesSegmentsThatAreNotWhereTheyBelong) {
  const auto name = [](std::uint64_t first) { return std::string(JournalName::of_segment(first).text()); };
  const auto opened_after = [](auto change) {
    FaultyDisk disk;
    fill(disk, sizes);
    change(disk.names);
    return open(disk).error;
  };
  const JournalError missing = opened_after([&](auto& names) { names.erase(name(5)); });
  EXPECT_EQ(missing.code, JournalCode::MissingSegment);
  EXPECT_EQ(to_string(missing),
            "record 5 is in no segment, and " + name(9) + " comes after it: bring the missing segment back");
  const JournalError oldest = opened_after([&](auto& names) { names.erase(name(1)); });
  EXPECT_EQ(oldest.code, JournalCode::MissingSegment);
  EXPECT_EQ(oldest.sequence, 1u);
  const JournalError doubled = opened_after([&](auto& names) { names[name(7)] = names[name(5)]; });
  EXPECT_EQ(doubled.code, JournalCode::OverlappingSegment);
  EXPECT_EQ(doubled.file.text(), name(7));
  const JournalError swapped = opened_after([&](auto& names) { std::swap(names[name(5)], names[name(9)]); });
  EXPECT_EQ(swapped.code, JournalCode::RenamedSegment);
  EXPECT_EQ(to_string(swapped), name(5) + " holds the records from 9: give it its own name back, " + name(9));
  const JournalError copied = opened_after([&](auto& names) { names[name(9)] = names[name(13)]; });
  EXPECT_EQ(copied.code, JournalCode::RenamedSegment);
  for (const char* stray : {"1.journal", "copy.journal", "99999999999999999999.journal", ".journal",
                            "00000000000000000000.journal", "a_long_name_that_is_no_name_of_a_segment.journal"}) {
    const JournalError error = opened_after([&](auto& names) { names[stray] = names[name(5)]; });
    EXPECT_EQ(error.code, JournalCode::StrayFile) << stray;
  }
  EXPECT_FALSE(opened_after([&](auto& names) { names["00000000000000000001.snapshot"] = names[name(5)]; }));
}

TEST(Journal, RefusesOtherParametersAndVersions) {
  FaultyDisk disk;
  fill(disk, sizes);
  JournalConfig config = small();
  config.parameters.kind[0] = 'x';
  EXPECT_EQ(open(disk, config).error.code, JournalCode::OtherMachine);
  config = small();
  config.parameters.fields[1].value = 2000;
  EXPECT_EQ(
      to_string(open(disk, config).error),
      "00000000000000000001.journal was written for other books, with capacity 1000 and not 2000: use those, "
      "or an empty directory");
  config = small();
  EXPECT_TRUE(config.parameters.add("tick", 5));
  EXPECT_EQ(text_of(open(disk, config).error.name), "tick");

  JournalHeader header;
  std::memcpy(&header, bytes_of(disk, 1).data(), sizeof header);
  header.version = 1;
  header.checksum = header.checksum_now();
  std::memcpy(bytes_of(disk, 1).data(), &header, sizeof header);
  EXPECT_EQ(open(disk).error.code, JournalCode::UnknownVersion);
  header.magic[0] = 'x';
  header.checksum = header.checksum_now();
  std::memcpy(bytes_of(disk, 1).data(), &header, sizeof header);
  EXPECT_EQ(open(disk).error.code, JournalCode::DamagedHeader);
}

TEST(Journal, TakesNoMoreParametersThanFit) {
  JournalParameters full;
  EXPECT_FALSE(full.add("", 1));
  for (std::uint64_t i = 0; i < full.fields.size(); ++i) EXPECT_TRUE(full.add("a name that is too long", i));
  const JournalParameters before = full;
  EXPECT_FALSE(full.add("one more", 1));
  EXPECT_EQ(full, before);
  EXPECT_EQ(text_of(full.fields[0].name), "a name that is t");
}

// ---- A disk that is full or fails.

TEST(Journal, TakesNothingMoreAfterACallHasFailed) {
  for (const int number : {ENOSPC, EIO}) {
    bool failed = true;
    for (std::uint64_t at = 1; failed; ++at) {
      FaultyDisk disk;
      disk.fault = {.at = at, .error = number, .written_percent = 60};
      const JournalConfig config = small(Durability::Machine);
      std::vector<Record> tried;
      std::size_t acknowledged = 0;
      {
        auto opened = open(disk, config);
        JournalError error = opened.error;
        if (opened.writer) {
          acknowledged = append(*opened.writer, sizes, tried);
          error = opened.writer->failure();
        }
        failed = bool(error);
        if (failed) {
          EXPECT_EQ(error.code, JournalCode::SystemError);
          EXPECT_EQ(error.number, number);
        }
        if (failed && opened.writer) {
          const std::uint64_t calls = disk.calls;
          EXPECT_EQ(opened.writer->append(batch(acknowledged + 1, 1)), AppendStatus::Failed);
          EXPECT_EQ(disk.calls, calls) << "nothing is tried again";
        }
      }
      disk.revive();
      expect_recovers(FaultyFiles{&disk}, config, tried, acknowledged);
      ASSERT_FALSE(HasFatalFailure()) << "at call " << at;
      // What a failed sync had left to the memory alone is on the disk by now.
      const std::vector<Record> records = open(disk, config).records;
      Random random(at);
      disk.lose_power(random);
      EXPECT_EQ(open(disk, config).records, records) << "at call " << at;
    }
  }
}

TEST(Journal, FinishesWhatIsInterruptedOrCutShort) {
  FaultyDisk disk;
  disk.interrupts = true;
  disk.short_writes = true;
  std::vector<Record> written;
  {
    auto opened = open(disk, small(Durability::Machine));
    EXPECT_EQ(append(*opened.writer, sizes, written), 18u);
  }
  expect_recovers(FaultyFiles{&disk}, small(Durability::Machine), written, 18);
}

TEST(Journal, DoesNotWaitForADiskThatTakesNothing) {
  struct StuckFiles : SystemFiles {
    FileResult write(int, std::span<const std::byte>, std::uint64_t) const { return 0; }
    FileResult close(int) const { return 0; }
  } files;
  EXPECT_EQ(JournalFile<StuckFiles>(files, 1).write(std::array<std::byte, 3>{}, 0).number, EIO);
}

TEST(Journal, GoesWithoutRoomTakenBeforehand) {
  FaultyDisk disk;
  disk.allocates = false;
  const std::vector<Record> records = fill(disk, sizes);
  bytes_of(disk, 17).resize(record_offset(1) + 5);
  expect_recovers(FaultyFiles{&disk}, small(), records, 17);
}

TEST(Journal, SyncsOnceForEachAppend) {
  FaultyDisk disk;
  JournalConfig config = small(Durability::Machine);
  config.segment_records = 100;
  auto opened = open(disk, config);
  for (std::uint64_t first = 1; first < 100; first += 11) {
    disk.syncs = 0;
    EXPECT_EQ(opened.writer->append(batch(first, 11)), AppendStatus::Success);
    EXPECT_EQ(disk.syncs, 1u);
  }
}

// ---- Crashes.

TEST(Journal, KeepsWhatItAcknowledgedWhenItDiesAtAnyCall) {
  for (const Durability durability : {Durability::Process, Durability::Machine}) {
    for (const unsigned percent : {0u, 1u, 50u, 99u, 100u}) {
      bool died = true;
      for (std::uint64_t at = 1; died; ++at) {
        FaultyDisk disk;
        disk.fault = {.at = at, .dies = true, .written_percent = percent};
        const JournalConfig config = small(durability);
        std::vector<Record> tried;
        std::size_t acknowledged = 0;
        if (auto opened = open(disk, config); opened.writer) {
          acknowledged = append(*opened.writer, sizes, tried);
          died = bool(opened.writer->failure());
        }
        disk.revive();
        expect_recovers(FaultyFiles{&disk}, config, tried, acknowledged);
        ASSERT_FALSE(HasFatalFailure()) << "at call " << at << ", " << percent << " % written";
      }
    }
  }
}

TEST(Journal, KeepsWhatItAcknowledgedWhenPowerIsLostAtAnyCall) {
  JournalConfig config = small(Durability::Machine);
  config.segment_records = 24;  // of three sectors, any of which may be lost
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    bool died = true;
    for (std::uint64_t at = 1; died; ++at) {
      FaultyDisk disk;
      disk.fault = {.at = at, .dies = true, .written_percent = static_cast<unsigned>(random.below(101))};
      std::vector<Record> tried;
      std::size_t acknowledged = 0;
      if (auto opened = open(disk, config); opened.writer) {
        acknowledged = append(*opened.writer, std::array<std::size_t, 4>{1, 23, 2, 30}, tried);
        died = bool(opened.writer->failure());
      }
      disk.lose_power(random);
      // And once more, while the journal is opened and goes on.
      disk.fault = {.at = 1 + random.below(6), .dies = true};
      if (auto opened = open(disk, config); opened.writer) {
        ASSERT_GE(opened.records.size(), acknowledged);
        tried = opened.records;
        acknowledged = append(*opened.writer, sizes, tried);
      }
      disk.lose_power(random);
      expect_recovers(FaultyFiles{&disk}, config, tried, acknowledged);
      ASSERT_FALSE(HasFatalFailure()) << "at call " << at << " with seed " << seed;
    }
  }
}

TEST(Journal, MakesDurableWhatItFoundBeforeItGoesOn) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FaultyDisk disk;
    // Nothing of it synced; what comes then goes into the same segment or into a new one.
    std::vector<Record> records = fill(disk, std::array<std::size_t, 1>{seed % 2 == 0 ? 6u : 8u});
    {
      auto opened = open(disk, small(Durability::Machine));
      append(*opened.writer, std::array<std::size_t, 1>{2}, records);
    }
    Random random(seed);
    disk.lose_power(random);
    EXPECT_TRUE(open(disk).records == records) << "with seed " << seed;
  }
}

// ---- Where to begin, and what to take.

TEST(Journal, BeginsWhereItIsAskedTo) {
  FaultyDisk disk;
  const std::vector<Record> records = fill(disk, sizes);
  for (std::uint64_t from = 1; from <= 19; ++from) {
    const auto opened = open(disk, small(), from);
    EXPECT_TRUE(std::ranges::equal(opened.records, std::span(records).subspan(from - 1)));
    EXPECT_EQ(opened.summary.replayed, 19 - from);
  }
  const JournalError error = open(disk, small(), 20).error;
  EXPECT_EQ(error.code, JournalCode::MissingRecords);
  EXPECT_EQ(to_string(error),
            "the journal ends before record 20, and the next one that it would hold is 19: ask for an earlier "
            "one, bring back what is "
            "missing, or begin in an empty directory");

  FaultyDisk empty;
  EXPECT_EQ(open(empty, small(), 1000).writer->append(batch(1000, 6)), AppendStatus::Success);
  EXPECT_EQ(open(empty, small(), 1000).records, batch(1000, 6));
}

TEST(Journal, ForgetsWhatASnapshotHolds) {
  FaultyDisk disk;
  const std::vector<Record> records = fill(disk, sizes);
  const auto segments = [&] { return disk.names.size(); };
  EXPECT_EQ(segments(), 5u);
  const std::array<std::size_t, 6> left{5, 5, 4, 4, 3, 1};
  std::size_t i = 0;
  for (const std::uint64_t sequence : {0u, 4u, 5u, 8u, 12u, 1000u}) {
    EXPECT_FALSE(remove_before("disk", sequence, FaultyFiles{&disk}));
    EXPECT_EQ(segments(), left[i++]) << sequence;
    if (sequence == 8) {
      EXPECT_TRUE(std::ranges::equal(open(disk, small(), 8).records, std::span(records).subspan(7)));
    }
  }
  EXPECT_EQ(open(disk, small(), 16).error.code, JournalCode::MissingSegment);
  EXPECT_EQ(open(disk, small(), 17).records.size(), 2u);
  EXPECT_EQ(remove_before("", 1).code, JournalCode::InvalidConfig);
}

TEST(Journal, TakesRecordsInOrderAlone) {
  FaultyDisk disk;
  auto opened = open(disk);
  std::vector<Record> records = batch(1, 3);
  EXPECT_EQ(opened.writer->append(batch(2, 1)), AppendStatus::OutOfOrder);
  EXPECT_EQ(opened.writer->append(batch(0, 1)), AppendStatus::OutOfOrder);
  records[2].sequence = 4;
  EXPECT_EQ(opened.writer->append(records), AppendStatus::OutOfOrder);
  records[2].sequence = 3;
  records[1].sequence = 4;
  EXPECT_EQ(opened.writer->append(records), AppendStatus::OutOfOrder);
  EXPECT_EQ(opened.writer->append({}), AppendStatus::Success);
  EXPECT_EQ(opened.writer->append(batch(1, 3)), AppendStatus::Success);
  EXPECT_EQ(opened.writer->append(batch(1, 3)), AppendStatus::OutOfOrder);
}

TEST(Journal, RefusesSettingsThatNoneCanHave) {
  FaultyDisk disk;
  const auto refused = [&](auto change, std::uint64_t from = 1) {
    JournalConfig config = small();
    change(config);
    return open(disk, config, from).error.code == JournalCode::InvalidConfig && disk.names.empty();
  };
  EXPECT_TRUE(refused([](JournalConfig& config) { config.directory = ""; }));
  EXPECT_TRUE(refused([](JournalConfig& config) { config.directory = std::string_view("a\0b", 3); }));
  const std::string long_path(5000, 'x');
  EXPECT_TRUE(refused([&](JournalConfig& config) { config.directory = long_path; }));
  EXPECT_TRUE(refused([](JournalConfig& config) { config.segment_records = 0; }));
  EXPECT_TRUE(refused([](JournalConfig& config) { config.segment_records = (std::uint64_t{1} << 28) + 1; }));
  EXPECT_TRUE(refused([](JournalConfig&) {}, 0));
  EXPECT_TRUE(refused([](JournalConfig&) {}, std::uint64_t{1} << 63));
}

// ---- Reading beside a writer.

TEST(Journal, IsReadUpToTheLastWholeRecord) {
  FaultyDisk disk;
  const std::vector<Record> records = fill(disk, sizes);
  const auto read = [&](std::size_t expected) {
    std::vector<Record> given;
    JournalSummary summary;
    disk.calls = 0;
    const JournalError error = replay(
        "disk", 1, parameters, [&](auto some) { given.insert(given.end(), some.begin(), some.end()); }, summary,
        FaultyFiles{&disk});
    EXPECT_FALSE(error) << to_string(error);
    EXPECT_TRUE(std::ranges::equal(given, std::span(records).first(expected)));
    EXPECT_EQ(summary.next_sequence, expected + 1);
    EXPECT_EQ(summary.torn_bytes, 0u);
    EXPECT_EQ(disk.calls, 0u) << "nothing is changed";
  };
  const auto writer = open(disk);  // its lock does not matter
  read(18);
  flip(bytes_of(disk, 17), 8 * record_offset(1));
  read(17);
  flip(bytes_of(disk, 17), 8 * record_offset(0));  // not there yet, with a later one that is
  flip(bytes_of(disk, 17), 8 * record_offset(1));
  read(16);
  flip(bytes_of(disk, 17), 0);
  read(16);
}

/// A segment of which a writer finishes a part just before some read.
struct LateWriter : FaultyFiles {
  struct Plan {
    std::size_t begin = 0;
    std::vector<std::byte> bytes{};  ///< what is written there
    int at = 0;                      ///< before this read, counted from 1
    int reads = 0;
  };
  Plan* plan = nullptr;

  std::int64_t read(int file, std::span<std::byte> room, std::uint64_t offset) {
    if (++plan->reads == plan->at) {
      std::ranges::copy(plan->bytes, bytes_of(*disk, 1).begin() + static_cast<std::ptrdiff_t>(plan->begin));
    }
    return FaultyFiles::read(file, room, offset);
  }
};

/// What a scan beside a writer says of a segment whose header or second record is not there before read `at`.
template <class Files>
JournalCode code_of_a_late_part(bool header, int at) {
  const std::size_t begin = header ? 0 : record_offset(1);
  const std::size_t size = header ? sizeof(JournalHeader) : sizeof(Record);
  FaultyDisk disk;
  fill(disk, std::array<std::size_t, 3>{1, 1, 1});
  const std::span<std::byte> part = std::span(bytes_of(disk, 1)).subspan(begin, size);
  LateWriter::Plan plan{.begin = begin, .bytes = {part.begin(), part.end()}, .at = at};
  std::ranges::fill(part, std::byte{});
  Files files;
  files.disk = &disk;
  files.plan = &plan;
  JournalSummary summary;
  JournalDirectory<Files> directory(files);
  EXPECT_FALSE(directory.open("disk"));
  JournalScan<Files> scan(directory, parameters, {.live = true});
  const JournalError error = scan.run(
      {}, [](auto) {}, summary);
  EXPECT_EQ(summary.torn_bytes, 0u);
  return error.code;
}

/// What a scan beside a writer takes for damage it looks at once more.
TEST(Journal, IsNotDamagedByWhatAWriterFinishesMeanwhile) {
  for (const bool header : {false, true}) {
    std::vector<JournalCode> codes;
    for (int at = 1; at <= 6; ++at) codes.push_back(code_of_a_late_part<LateWriter>(header, at));
    std::vector<JournalCode> expected(header ? 4 : 5, JournalCode::Success);
    expected.resize(6, header ? JournalCode::DamagedHeader : JournalCode::DamagedRecord);
    EXPECT_EQ(codes, expected);
  }
}

/// The same of a file that is then cut short: the read tells of one byte less, and the next one of none.
struct CutShort : LateWriter {
  std::int64_t read(int file, std::span<std::byte> room, std::uint64_t offset) {
    const std::int64_t size = LateWriter::read(file, room, offset);
    return plan->reads < plan->at ? size : plan->reads == plan->at ? size - 1 : 0;
  }
};

TEST(Journal, IsDamagedByWhatCannotBeReadOnceMore) {
  // The second look, as the test above shows.
  EXPECT_EQ(code_of_a_late_part<CutShort>(true, 4), JournalCode::DamagedHeader);
  EXPECT_EQ(code_of_a_late_part<CutShort>(false, 5), JournalCode::DamagedRecord);
}

TEST(Journal, IsNotTornByWhatAWriterHasNotFinished) {
  FaultyDisk disk;
  fill(disk, std::array<std::size_t, 2>{1, 1});
  flip(bytes_of(disk, 1), 8 * record_offset(1));
  JournalSummary summary;
  JournalDirectory<FaultyFiles> directory({&disk});
  EXPECT_FALSE(directory.open("disk"));
  JournalScan<FaultyFiles> scan(directory, parameters, {.live = true});
  EXPECT_FALSE(scan.run(
      {}, [](auto) {}, summary));
  EXPECT_EQ(summary.next_sequence, 2u);
  EXPECT_EQ(summary.torn_bytes, 0u);
}

}  // namespace
}  // namespace llmes::test
