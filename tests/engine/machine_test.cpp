// SPDX-License-Identifier: MIT
//
// An engine runs any machine, with records of its own size: journal, snapshots, recovery and reports told again
// work as with books, and no journal is taken for that of another machine.
#include "llmes/engine/machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
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
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/counting_machine.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test {
namespace {

namespace fs = std::filesystem;

// ---- What is a machine.

struct WithoutRecord : CountingMachine<> {
  using Record = void;
};
struct NoChecksum {
  std::uint64_t sequence = 0, checksum = 0;
  std::uint32_t index_in_write = 0;
  std::array<std::uint32_t, 11> rest{};
};
struct Padded {
  std::uint64_t sequence = 0;
  std::uint32_t checksum = 0, index_in_write = 0;
  std::uint8_t kind = 0;
  std::array<std::uint64_t, 5> rest{};
};
static_assert(Machine<Matcher<BookSet>> && Machine<Matcher<IdBook<PlacedBookSet, PlacedIds>>>);
static_assert(Machine<CountingMachine<1>> && Machine<CountingMachine<8>>);
static_assert(!Machine<BookSet> && !Machine<WithoutRecord> && !Machine<int>);
static_assert(!Machine<CountingMachine<3>>, "a record of 192 bytes would reach from one sector into the next");
static_assert(!Machine<CountingMachine<16>>, "and so would one of 1 KiB");
static_assert(sizeof(NoChecksum) == 64 && !JournalRecord<NoChecksum>, "its checksum has 64 bits");
static_assert(sizeof(Padded) == 64 && !JournalRecord<Padded>, "it has padding, which nobody writes");

using Counters = CountingMachine<>;
using Exchange = Engine<Counters>;
using CountRecords = std::vector<Counters::Record>;
using CountReports = std::vector<CountReport>;
constexpr Counters::Config config{.counters = 10};

class Keep final : public BasicReportTarget<CountReport> {
 public:
  [[nodiscard]] std::span<CountReport> room() noexcept override { return {&one_, 1}; }
  void take(std::size_t written) noexcept override { reports.insert(reports.end(), written, one_); }

  CountReports reports;

 private:
  CountReport one_;
};

CountReports expected_counts(std::span<const Counters::Record> records) {
  CreateStatus status{};
  auto machine = *Counters::create(config, status);
  Keep target;
  machine.apply(records, target);
  return target.reports;
}

class Machines : public ::testing::Test {
 public:
  Exchange::Config config_for(std::size_t reports = 8'192) const {
    return {.books = config,
            .commands = 1'024,
            .reports = reports,
            .journal = {.directory = folder.path(), .segment_records = 300}};
  }
  std::unique_ptr<Exchange> make() const {
    EngineError error;
    auto engine = Exchange::create(config_for(), error);
    EXPECT_FALSE(error) << to_string(error);
    return engine;
  }
  /// Has some records done.
  static CountReports run(Exchange& engine, std::span<const Counters::Record> records) {
    engine.start();
    for (const auto& record : records) {
      while (engine.submit(record) == SubmitStatus::Full) std::this_thread::yield();
    }
    engine.stop();
    const auto reports = engine.reports(8'192);
    return {reports.begin(), reports.end()};
  }
  /// Why a machine is refused, in words.
  template <class T>
  std::string refused(const typename Engine<T>::Config& other,
                      JournalCode code = JournalCode::OtherMachine) const {
    EngineError error;
    EXPECT_FALSE(Engine<T>::create(other, error));
    EXPECT_EQ(error.journal.code, code);
    return to_string(error.journal);
  }
  [[nodiscard]] std::vector<std::string> files(std::string_view ending) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      if (entry.path().extension() == ending) names.push_back(entry.path());
    }
    std::ranges::sort(names);
    return names;
  }

  bench::TemporaryFolder folder{fs::temp_directory_path(), "llmes_machine"};
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST_F(Machines, GoOnWhereTheyEndedAndTellTheirReportsAgain) {
  const CountRecords records = plan_counts<Counters::Record>(1, 1'800);
  const CountReports expected = expected_counts(records);
  CountReports reports;
  std::uint64_t digest = 0;
  for (std::size_t done = 0; done < records.size(); done += 450) {
    const auto engine = make();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->sequence(), done);
    EXPECT_EQ(engine->recovery().journal.replayed, done % 900);
    const CountReports more = run(*engine, std::span(records).subspan(done, 450));
    reports.insert(reports.end(), more.begin(), more.end());
    digest = engine->books().digest();
    RecoverySummary summary;
    if (done % 900 != 0) {
      EXPECT_FALSE(make_snapshot<Counters>(folder.path(), config, summary));
    }
  }
  EXPECT_EQ(reports, expected);
  EXPECT_EQ(files(".journal").size(), 6u);
  EXPECT_EQ(fs::file_size(files(".journal").front()), 512u + 300 * 128);
  EXPECT_EQ(make()->books().digest(), digest);

  for (const std::uint64_t first : {1u, 450u, 901u, 1'800u, 1'801u}) {
    JournalError error;
    const auto replay = ReportReplay<Counters>::create(folder.path(), config, first, error);
    ASSERT_TRUE(replay) << to_string(error);
    Keep target;
    EXPECT_FALSE(replay->tell(target));
    const auto from = std::ranges::lower_bound(expected, first, {}, &CountReport::sequence);
    EXPECT_EQ(target.reports, CountReports(from, expected.end())) << first;
  }
  EXPECT_FALSE(remove_covered(folder.path()));
  EXPECT_EQ(files(".journal").size(), 3u);
  EXPECT_EQ(make()->sequence(), 1'800u);
}

TEST_F(Machines, AttachAReaderAgain) {
  const CountRecords records = plan_counts<Counters::Record>(2, 3'000);
  EngineError failed;
  Exchange::Config small = config_for(32);
  small.slow_reader = SlowReader::Disconnect;
  const auto engine = Exchange::create(small, failed);
  ASSERT_TRUE(engine) << to_string(failed);
  engine->start();
  std::thread sender([&] {
    for (std::span<const Counters::Record> left = records; !left.empty();) {
      const auto room = engine->wait_claim(std::min<std::size_t>(left.size(), 50));
      std::ranges::copy(left.first(room.size()), room.begin());
      engine->publish(room.size());
      left = left.subspan(room.size());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  Keep all;
  CountReports& reports = all.reports;
  const auto next = [&] { return reports.empty() ? 1 : reports.back().sequence + 1; };
  std::size_t caught_up = 0;
  while (next() <= records.size()) {
    const auto some = engine->reports(64);
    for (const CountReport& report : some) {
      if (report.sequence >= next() || reports.back().last == 0) reports.push_back(report);
    }
    engine->release(some.size());
    if (!some.empty() || !engine->disconnected()) continue;
    while (!reports.empty() && reports.back().last == 0) reports.pop_back();
    JournalError error;
    const auto replay = ReportReplay<Counters>::create(folder.path(), config, next(), error);
    ASSERT_TRUE(replay) << to_string(error);
    ASSERT_FALSE(replay->tell(all, engine->status().sequence));
    const Attachment attachment = engine->attach();
    ASSERT_EQ(attachment.status, AttachStatus::Success);
    ASSERT_FALSE(replay->tell(all, attachment.first - 1));
    ++caught_up;
  }
  sender.join();
  engine->stop();
  EXPECT_EQ(reports, expected_counts(records));
  EXPECT_GT(caught_up, 0u);
}

TEST_F(Machines, AreKilledAndLoseNothing) {
  const CountRecords records = plan_counts<Counters::Record>(3, 100'000);
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& noted = *new (shared) std::atomic<std::uint64_t>;  // the sequence of the last report that was read
  std::uint64_t before = 0;
  for (int run = 0; run < 6; ++run) {
    noted = before;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      EngineError error;
      const auto engine = Exchange::create(config_for(1'024), error);
      if (!engine) _exit(1);
      engine->start();
      for (std::size_t done = before; done < records.size();) {
        const auto room = engine->claim(std::min<std::size_t>(40, records.size() - done));
        std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(done), room.size(), room.begin());
        engine->publish(room.size());
        done += room.size();
        for (const CountReport& report : engine->reports(64)) {
          noted = report.sequence - std::uint64_t{report.last == 0};
          engine->release(1);
        }
      }
      pause();
    }
    while (noted < before + 500 + 100 * static_cast<unsigned>(run)) std::this_thread::yield();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto engine = make();
    ASSERT_TRUE(engine);
    ASSERT_GE(engine->sequence(), noted);
    before = engine->sequence();
    CreateStatus made{};
    auto alone = *Counters::create(config, made);
    Keep ignored;
    alone.apply(std::span(records).first(before), ignored);
    EXPECT_EQ(engine->books().digest(), alone.digest());
  }
  JournalError error;
  const auto replay = ReportReplay<Counters>::create(folder.path(), config, 1, error);
  ASSERT_TRUE(replay) << to_string(error);
  Keep target;
  EXPECT_FALSE(replay->tell(target));
  EXPECT_EQ(target.reports, expected_counts(std::span(records).first(before)));
  munmap(shared, 4096);
}

// ---- Journals of others.

TEST_F(Machines, RefuseTheJournalOfAnotherMachine) {
  const CountRecords records = plan_counts<Counters::Record>(4, 400);
  run(*make(), records);
  const auto before = bytes_of(files(".journal").front());
  EXPECT_EQ(
      refused<BookSet>({.books = SmallMatcher<BookSet>::config, .journal = {.directory = folder.path()}}),
      "00000000000000000001.journal was written for a machine of another kind, \"counters\": use that, or an "
      "empty directory");
  EXPECT_EQ(refused<CountingMachine<1>>({.books = {.counters = 10}, .journal = {.directory = folder.path()}}),
            "00000000000000000001.journal has records of 128 bytes, and this machine has some of 64: use the one "
            "that has written it, or an empty directory");
  EXPECT_EQ(refused<CountingMachine<8>>({.books = {.counters = 10}, .journal = {.directory = folder.path()}}),
            "00000000000000000001.journal has records of 128 bytes, and this machine has some of 512: use the one "
            "that has written it, or an empty directory");
  EXPECT_EQ(
      refused<Counters>({.books = {.counters = 11}, .journal = {.directory = folder.path()}},
                        JournalCode::OtherParameters),
      "00000000000000000001.journal was written for other books, with counters 10 and not 11: use those, or an "
      "empty directory");
  EXPECT_EQ(bytes_of(files(".journal").front()), before);

  // Nor with a snapshot, and nor does anything else that reads.
  RecoverySummary summary;
  ASSERT_FALSE(make_snapshot<Counters>(folder.path(), config, summary));
  EXPECT_EQ(
      refused<BookSet>({.books = SmallMatcher<BookSet>::config, .journal = {.directory = folder.path()}}),
      "00000000000000000400.snapshot was written for a machine of another kind, \"counters\": use that, or an "
      "empty directory");
  const auto code_of = [](const JournalError& error) { return error.code; };
  EXPECT_EQ(code_of(make_snapshot<CountingMachine<4>>(folder.path(), {.counters = 10}, summary)),
            JournalCode::OtherMachine);
  JournalError error;
  const auto replay = ReportReplay<CountingMachine<1>>::create(folder.path(), {.counters = 10}, 1, error);
  ASSERT_TRUE(replay);
  BasicNoReports<CountReport> nobody;
  EXPECT_EQ(code_of(replay->tell(nobody)), JournalCode::OtherMachine);
  const JournalParameters parameters = Counters::parameters_of(config);
  const auto ignore = [](auto) {};
  EXPECT_EQ(code_of(verify(folder.path(), 1, parameters, ignore, summary.journal)), JournalCode::OtherMachine);
  EXPECT_FALSE(verify<Counters::Record>(folder.path(), 1, parameters, ignore, summary.journal));
  EXPECT_EQ(summary.journal.replayed, 400u);
}

TEST_F(Machines, AreRefusedAsBooksRefuseThem) {
  EngineError error;
  auto engine = Engine<BookSet>::create(
      {.books = SmallMatcher<BookSet>::config, .journal = {.directory = folder.path()}}, error);
  ASSERT_TRUE(engine);
  engine.reset();
  EXPECT_EQ(
      refused<Counters>(config_for()),
      "00000000000000000001.journal was written for a machine of another kind, \"books, by handle\": use that, "
      "or an empty directory");
}

// ---- Longer records that are torn or damaged.

TEST_F(Machines, CutOffARecordThatWasWrittenInPart) {
  const CountRecords records = plan_counts<Counters::Record>(5, 40);
  run(*make(), records);
  const std::string path = files(".journal").front();
  const std::string whole = bytes_of(path);
  const std::size_t last = 512 + 39 * 128, end = last + 128;
  for (std::size_t size = last + 1; size < end; size += 3) {
    std::string torn = whole;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(size), torn.end(), '\0');
    if (torn == whole) continue;  // it ends with zeros
    write_file(path, torn);
    const auto engine = make();
    ASSERT_TRUE(engine);
    ASSERT_EQ(engine->sequence(), 39u) << size;
    ASSERT_EQ(engine->recovery().journal.torn_offset, last);
    // And it goes on from there.
    const CountReports again = run(*engine, std::span(records).last(1));
    ASSERT_EQ(again.back().sequence, 40u);
    ASSERT_EQ(again.size(), expected_counts(std::span(records).last(1)).size());
  }
  // The same in a file that ends there.
  for (const std::size_t size : {last, last + 1, last + 64, last + 127}) {
    write_file(path, whole.substr(0, size));
    const auto engine = make();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->sequence(), 39u);
    EXPECT_EQ(engine->recovery().journal.cut_bytes, 512 + 300 * 128 - size);
  }
}

TEST_F(Machines, WriteAHeaderAgainThatWasWrittenInPart) {
  const CountRecords records = plan_counts<Counters::Record>(8, 301);
  run(*make(), records);
  const std::string path = files(".journal").back();
  const std::string whole = bytes_of(path);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{11}, std::size_t{40}, std::size_t{511}}) {
    write_file(path, whole.substr(0, size) + std::string(whole.size() - size, '\0'));
    const auto engine = make();
    ASSERT_TRUE(engine) << size;
    EXPECT_EQ(engine->sequence(), 300u);
    EXPECT_EQ(run(*engine, std::span(records).last(1)).back().sequence, 301u);
    EXPECT_TRUE(bytes_of(path).starts_with(whole.substr(0, 512))) << size;
  }
}

TEST_F(Machines, RefuseARecordThatIsDamaged) {
  run(*make(), plan_counts<Counters::Record>(6, 40));
  const std::string path = files(".journal").front();
  const std::string whole = bytes_of(path);
  for (std::size_t bit = 0; bit < 8 * 128; bit += 7) {
    std::string damaged = whole;
    char& byte = damaged[512 + 20 * 128 + bit / 8];
    byte = static_cast<char>(byte ^ 1 << bit % 8);
    write_file(path, damaged);
    JournalSummary summary;
    const JournalError error = verify<Counters::Record>(
        folder.path(), 1, Counters::parameters_of(config), [](auto) {}, summary);
    ASSERT_EQ(error.code, JournalCode::DamagedRecord) << bit;
    ASSERT_EQ(error.sequence, 21u);
    ASSERT_EQ(error.offset, 512u + 20 * 128);
  }
  EngineError error;
  EXPECT_FALSE(Exchange::create(config_for(), error));
  EXPECT_EQ(error.journal.code, JournalCode::DamagedRecord);
}

/// With the right checksums: they are no signature.
TEST_F(Machines, RefuseAForgedState) {
  run(*make(), plan_counts<Counters::Record>(7, 40));
  RecoverySummary summary;
  ASSERT_FALSE(make_snapshot<Counters>(folder.path(), config, summary));
  const std::string path = files(".snapshot").front();
  std::string bytes = bytes_of(path);
  SnapshotHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the total, which no query shows
  header.image_checksum = crc32c(std::as_bytes(std::span(bytes)).subspan(sizeof header));
  header.checksum = header.checksum_now();
  std::memcpy(bytes.data(), &header, sizeof header);
  write_file(path, bytes);
  EngineError error;
  EXPECT_FALSE(Exchange::create(config_for(), error));
  EXPECT_EQ(error.journal.code, JournalCode::OtherBooks);
}

}  // namespace
}  // namespace llmes::test
