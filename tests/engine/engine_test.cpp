// SPDX-License-Identifier: MIT
//
// The engine's threads: what it reports is what its matcher makes of the commands, however the threads meet;
// nothing is lost when a ring is full, when the reader is slow, or at the end. The debug build runs this program
// with the thread sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/engine.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::engine_test {
namespace {

using Books = IdBook<BookSet, HashedIds>;

template <class Wait>
using EngineOf = Engine<Books, Wait>;

template <class Wait = YieldWait>
std::unique_ptr<EngineOf<Wait>> make_engine(std::size_t commands, std::size_t reports,
                                            SlowReader slow_reader = SlowReader::Wait) {
  EngineError error{};
  auto engine = EngineOf<Wait>::create(
      {.books = SmallMatcher<Books>::config, .commands = commands, .reports = reports, .slow_reader = slow_reader},
      error);
  EXPECT_FALSE(error) << to_string(error);
  return engine;
}

/// Hands in all records, some at a time.
template <class AnyEngine>
void send(AnyEngine& engine, std::span<const Record> records) {
  Random random(1);
  while (!records.empty()) {
    const std::span<Record> room = engine.wait_claim(std::min<std::size_t>(records.size(), 1 + random.below(100)));
    ASSERT_FALSE(room.empty());
    std::ranges::copy(records.first(room.size()), room.begin());
    engine.publish(room.size());
    records = records.subspan(room.size());
  }
}

/// Reads until the engine ends, some at a time.
template <class AnyEngine>
std::vector<Report> read_all(AnyEngine& engine) {
  Random random(2);
  std::vector<Report> reports;
  while (true) {
    const std::span<const Report> some = engine.wait_reports(1 + random.below(100));
    if (some.empty()) return reports;
    reports.insert(reports.end(), some.begin(), some.end());
    engine.release(some.size());
  }
}

// Three threads that spin on two cores take minutes, so only one that has its sender as its reader does.
template <class Wait>
class BusyEngine : public ::testing::Test {};
using FairWaits = ::testing::Types<YieldWait, BlockWait>;
TYPED_TEST_SUITE(BusyEngine, FairWaits);

TYPED_TEST(BusyEngine, ReportsWhatItsMatcherDoes) {
  const std::vector<Record> records = plan_records<Books>(1, 5'000);
  for (const std::size_t size : {2u, 64u, 16'384u}) {
    const auto engine = make_engine<TypeParam>(size, size);
    EXPECT_EQ(engine->state(), EngineState::Ready);
    EXPECT_TRUE(engine->start());
    EXPECT_FALSE(engine->start());
    std::vector<Report> reports;
    std::thread reader([&] { reports = read_all(*engine); });
    send(*engine, records);
    engine->drain();
    engine->stop();
    reader.join();
    EXPECT_EQ(engine->state(), EngineState::Stopped);
    EXPECT_EQ(reports, expected_reports<Books>(records));
    EXPECT_EQ(engine->sequence(), records.size());
  }
}

template <class Wait>
class IdleEngine : public ::testing::Test {};
using Waits = ::testing::Types<SpinWait, YieldWait, BlockWait>;
TYPED_TEST_SUITE(IdleEngine, Waits);

TYPED_TEST(IdleEngine, ServesASenderThatReadsItsOwnReports) {
  const std::vector<Record> records = plan_records<Books>(2, 300);
  const std::vector<Report> expected = expected_reports<Books>(records);
  const auto engine = make_engine<TypeParam>(4, 1'024);
  engine->start();
  std::vector<Report> reports;
  for (const Record& record : records) {
    ASSERT_EQ(engine->submit(record), SubmitStatus::Accepted);
    do {
      const std::span<const Report> some = engine->wait_reports(1);
      ASSERT_EQ(some.size(), 1u);
      reports.push_back(some.front());
      engine->release(1);
    } while (reports.back().kind != ReportKind::Done);
    EXPECT_EQ(reports.back().sequence, &record - records.data() + 1);
  }
  EXPECT_EQ(reports, expected);
}

TEST(Engine, TakesCommandsBeforeItsStartUntilTheRingIsFull) {
  const std::vector<Record> records = plan_records<Books>(3, 5);
  const auto engine = make_engine(4, 64);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(engine->submit(records[i]), SubmitStatus::Accepted);
  EXPECT_EQ(engine->submit(records[4]), SubmitStatus::Full);
  EXPECT_TRUE(engine->claim(1).empty());
  EXPECT_TRUE(engine->reports(64).empty());
  engine->start();
  engine->drain();
  EXPECT_EQ(engine->submit(records[4]), SubmitStatus::Accepted);
  engine->stop();
  EXPECT_EQ(read_all(*engine), expected_reports<Books>(records));
}

TEST(Engine, DoesAllThatWasHandedInAndThenTakesNoMore) {
  const std::vector<Record> records = plan_records<Books>(4, 1'000);
  const auto engine = make_engine(1'024, 8'192);
  send(*engine, records);
  engine->start();
  engine->stop();
  EXPECT_EQ(engine->submit(records[0]), SubmitStatus::Stopped);
  EXPECT_TRUE(engine->claim(1).empty());
  EXPECT_TRUE(engine->wait_claim(1).empty());
  EXPECT_EQ(to_string(engine->state()), "Stopped");
  EXPECT_EQ(read_all(*engine), expected_reports<Books>(records));
  EXPECT_FALSE(engine->start());
  engine->stop();  // again, for nothing
  EXPECT_EQ(engine->state(), EngineState::Stopped);
}

/// What else lies in the ring are commands that were done before.
TEST(Engine, DoesNoMoreThanWasClaimed) {
  const std::vector<Record> records = plan_records<Books>(12, 100);
  const auto engine = make_engine(64, 8'192);
  engine->start();
  send(*engine, records);
  engine->drain();
  ASSERT_EQ(engine->claim(1).size(), 1u);
  engine->claim(1).front() = records.back();
  engine->publish(64);
  engine->publish(64);
  engine->stop();
  EXPECT_EQ(engine->sequence(), records.size() + 1);
}

/// The thread that reads may claim as well: it does not wait for itself.
TEST(Engine, GivesUpAClaimInTime) {
  const std::vector<Record> records = plan_records<Books>(13, 200);
  const std::vector<Report> expected = expected_reports<Books>(records);
  const auto engine = make_engine<BlockWait>(2, 4);
  engine->start();
  std::vector<Report> reports;
  std::size_t given_up = 0;
  const auto read = [&] {
    const std::span<const Report> some = engine->reports(4);
    reports.insert(reports.end(), some.begin(), some.end());
    engine->release(some.size());
  };
  for (const Record& record : records) {
    for (std::span<Record> room; room.empty();) {
      room = engine->wait_claim(1, std::chrono::microseconds(100));
      if (room.empty()) {
        ++given_up;
        read();
        continue;
      }
      room.front() = record;
      engine->publish(1);
    }
  }
  while (reports.size() < expected.size()) read();
  EXPECT_EQ(reports, expected);
  EXPECT_GT(given_up, 0u);
  engine->stop();
  EXPECT_TRUE(engine->wait_claim(1, std::chrono::hours(1)).empty()) << "at once";
}

/// Nobody reads, and nobody says so.
TEST(Engine, IsStoppedInTimeWhoeverReads) {
  const std::vector<Record> records = plan_records<Books>(14, 60);
  const auto engine = make_engine<BlockWait>(64, 8);
  send(*engine, records);
  engine->start();
  std::thread reader([&] { EXPECT_EQ(engine->wait_reports(1).size(), 1u); });  // and goes away
  EXPECT_FALSE(engine->stop(std::chrono::milliseconds(50)));
  reader.join();
  EXPECT_EQ(engine->state(), EngineState::Stopped);
  EXPECT_TRUE(engine->disconnected());
  EXPECT_EQ(engine->sequence(), records.size());
  EXPECT_TRUE(engine->stop(std::chrono::milliseconds(0))) << "it has ended";
}

TEST(Engine, HasAReaderThatIsInTimeGetAll) {
  const std::vector<Record> records = plan_records<Books>(15, 60);
  const auto engine = make_engine<BlockWait>(64, 8);
  send(*engine, records);
  engine->start();
  std::vector<Report> reports;
  std::thread reader([&] { reports = read_all(*engine); });
  EXPECT_TRUE(engine->stop(std::chrono::hours(1)));
  reader.join();
  EXPECT_EQ(reports, expected_reports<Books>(records));
}

TEST(Engine, MayBeStoppedBeforeItIsStarted) {
  const auto engine = make_engine(4, 4);
  engine->stop();
  EXPECT_EQ(engine->state(), EngineState::Stopped);
  EXPECT_FALSE(engine->start());
  EXPECT_TRUE(engine->wait_reports(1).empty());
}

TEST(Engine, WaitsForASlowReader) {
  const std::vector<Record> records = plan_records<Books>(5, 1'000);
  const auto engine = make_engine(64, 8);
  engine->start();
  std::size_t accepted = 0;
  while (engine->submit(records[accepted]) == SubmitStatus::Accepted || engine->state() != EngineState::Running)
    ++accepted;
  // The ring of commands is full now, or was for a moment. It is so for good while nobody reads.
  for (int quiet = 0; quiet < 100; ++quiet) {
    if (engine->submit(records[accepted]) == SubmitStatus::Accepted) {
      ++accepted;
      quiet = 0;
    }
    std::this_thread::yield();
  }
  EXPECT_LT(accepted, 64u + 8u + 1u);
  EXPECT_FALSE(engine->disconnected());
  std::thread stopper([&] { engine->stop(); });
  EXPECT_EQ(read_all(*engine), expected_reports<Books>(std::span(records).first(accepted)));
  stopper.join();
}

TEST(Engine, GoesOnWithoutASlowReader) {
  const std::vector<Record> records = plan_records<Books>(6, 1'000);
  const std::vector<Report> expected = expected_reports<Books>(records);
  const auto engine = make_engine(64, 8, SlowReader::Disconnect);
  engine->start();
  send(*engine, records);
  engine->stop();
  EXPECT_TRUE(engine->disconnected());
  EXPECT_EQ(engine->sequence(), records.size());
  const std::vector<Report> reports = read_all(*engine);
  ASSERT_EQ(reports.size(), 8u);
  EXPECT_TRUE(std::ranges::equal(reports, std::span(expected).first(8)));
}

TEST(Engine, TellsAWaitingReaderThatItIsDisconnected) {
  const std::vector<Record> records = plan_records<Books>(11, 200);
  const auto engine = make_engine<BlockWait>(256, 8, SlowReader::Disconnect);
  send(*engine, records);
  engine->start();
  engine->drain();
  std::atomic<std::size_t> read = 0;
  std::thread reader([&] { read = read_all(*engine).size(); });
  for (int i = 0; i < 60'000 && read == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(read, 8u);
  EXPECT_EQ(engine->state(), EngineState::Running);
  engine->stop();
  reader.join();
}

TEST(Engine, GoesOnWithoutAReaderThatLeaves) {
  const std::vector<Record> records = plan_records<Books>(7, 1'000);
  const auto engine = make_engine<BlockWait>(64, 8);
  engine->start();
  std::thread reader([&] {
    (void)engine->wait_reports(1);
    engine->disconnect();
  });
  send(*engine, records);
  engine->drain();
  engine->stop();
  reader.join();
  EXPECT_EQ(engine->sequence(), records.size());
}

/// The reports of commands from `first` on.
std::span<const Report> reports_from(std::span<const Report> reports, std::uint64_t first) {
  return reports.subspan(
      static_cast<std::size_t>(std::ranges::lower_bound(reports, first, {}, &Report::sequence) - reports.begin()));
}

TYPED_TEST(IdleEngine, AttachesAReaderAgainWhileNoCommandComes) {
  const std::vector<Record> records = plan_records<Books>(17, 300);
  const std::vector<Report> expected = expected_reports<Books>(records);
  const auto engine = make_engine<TypeParam>(512, 4'096);
  engine->start();
  for (const std::size_t done : {0u, 100u, 200u}) {
    engine->disconnect();
    EXPECT_TRUE(engine->disconnected());
    send(*engine, std::span(records).subspan(done, 50));
    engine->drain();
    const Attachment attachment = engine->attach();
    EXPECT_EQ(attachment.status, AttachStatus::Success);
    EXPECT_EQ(attachment.first, done + 51);
    EXPECT_FALSE(engine->disconnected());
    EXPECT_TRUE(engine->reports(1).empty()) << "what was unread of earlier commands is gone";
    send(*engine, std::span(records).subspan(done + 50, 50));
    engine->drain();
  }
  engine->stop();
  const std::vector<Report> last = read_all(*engine);
  EXPECT_TRUE(std::ranges::equal(last, reports_from(expected, 251)));
}

/// Whatever the engine does meanwhile, a reader gets all reports of each command that it was promised.
TYPED_TEST(BusyEngine, GivesAReaderThatAttachesWholeCommands) {
  const std::vector<Record> records = plan_records<Books>(18, 20'000);
  const std::vector<Report> expected = expected_reports<Books>(records);
  for (const SlowReader slow_reader : {SlowReader::Wait, SlowReader::Disconnect}) {
    const auto engine = make_engine<TypeParam>(256, 64, slow_reader);
    engine->start();
    constexpr std::size_t parts = 20;
    std::atomic<bool> sent = false;
    std::atomic<std::uint64_t> attached = 0;
    std::thread sender([&] {
      const std::size_t size = records.size() / parts;
      for (std::size_t part = 0; part < parts; ++part) {
        send(*engine, std::span(records).subspan(part * size, size));
        while (attached <= part) std::this_thread::yield();  // it attaches more than once, however slow it is
      }
      sent = true;
    });
    Random random(3);
    for (std::span<const Report> left = expected; !sent;) {
      for (std::uint64_t i = 0, most = random.below(200); i < most && !engine->disconnected(); ++i) {
        const std::span<const Report> some = engine->reports(1 + random.below(8));
        if (!std::ranges::equal(some, left.first(std::min(some.size(), left.size())))) {
          ADD_FAILURE() << "other reports after " << attached << " times";
          left = {};
          break;
        }
        left = left.subspan(some.size());
        engine->release(some.size());
      }
      if (random.chance(50)) engine->disconnect();
      const Attachment attachment = engine->attach();
      if (attachment.status != AttachStatus::Success) continue;
      ++attached;
      left = reports_from(expected, attachment.first);
    }
    engine->disconnect();
    sender.join();
    engine->stop();
    EXPECT_EQ(engine->sequence(), records.size());
  }
}

TEST(Engine, AttachesAReaderThatWasTooSlow) {
  const std::vector<Record> records = plan_records<Books>(19, 200);
  const std::vector<Report> expected = expected_reports<Books>(records);
  const auto engine = make_engine<BlockWait>(256, 64, SlowReader::Disconnect);
  engine->start();
  send(*engine, std::span(records).first(190));
  engine->drain();
  EXPECT_TRUE(engine->disconnected());
  EXPECT_TRUE(std::ranges::equal(engine->reports(64), std::span(expected).first(64))) << "the ring still has them";
  EXPECT_EQ(engine->attach().first, 191u);
  send(*engine, std::span(records).subspan(190));
  engine->stop();
  EXPECT_TRUE(std::ranges::equal(read_all(*engine), reports_from(expected, 191)));
}

TEST(Engine, AttachesNoReaderWhereOneIsOrNoReportComes) {
  const auto engine = make_engine(4, 64);
  engine->disconnect();
  EXPECT_EQ(engine->attach().status, AttachStatus::NotRunning);
  EXPECT_TRUE(engine->disconnected());
  engine->start();
  EXPECT_EQ(engine->attach().status, AttachStatus::Success);
  EXPECT_EQ(engine->attach().status, AttachStatus::AlreadyAttached);
  EXPECT_FALSE(engine->disconnected());
  engine->disconnect();
  engine->stop();
  const Attachment attachment = engine->attach();
  EXPECT_EQ(attachment.status, AttachStatus::NotRunning);
  EXPECT_EQ(attachment.first, 0u);
  EXPECT_TRUE(engine->disconnected());
}

/// Neither waits for the other forever.
TEST(Engine, EndsWhileAReaderAttaches) {
  const std::vector<Record> records = plan_records<Books>(20, 50);
  for (int turn = 0; turn < 200; ++turn) {
    const auto engine = make_engine<BlockWait>(64, 512);
    engine->start();
    send(*engine, records);
    std::thread reader([&] {
      do engine->disconnect();
      while (engine->attach().status == AttachStatus::Success);
    });
    if (turn % 2 == 0) engine->stop(std::chrono::milliseconds(0));
    engine->stop();
    reader.join();
    EXPECT_EQ(engine->sequence(), records.size()) << "no command is lost";
  }
}

/// Looks seldom, so that others can do several things before it does.
class SleepyWait : public YieldWait {
 public:
  template <std::predicate Condition>
  void wait(const Condition& condition) const noexcept {
    while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
};

/// The engine sees that it is to end before it sees the reader.
TEST(Engine, TellsAReaderThatAttachesThatItHasEnded) {
  std::size_t ended = 0;
  for (int turn = 0; turn < 500 && ended == 0; ++turn) {  // it is a race, which either may win
    const auto engine = make_engine<SleepyWait>(4, 64);
    engine->start();
    engine->disconnect();
    std::thread reader(
        [&] { ended += static_cast<std::size_t>(engine->attach().status == AttachStatus::NotRunning); });
    engine->stop();
    reader.join();
  }
  EXPECT_GT(ended, 0u);
}

/// The engine waits for a reader that goes and comes back before it looks. It does not wait until no command is
/// left.
TEST(Engine, AttachesAReaderThatComesBackAtOnce) {
  const std::vector<Record> records = plan_records<Books>(21, 500);
  const std::vector<Report> expected = expected_reports<Books>(records);
  bool unseen = false;
  for (int turn = 0; turn < 500 && !unseen; ++turn) {  // it is a race, which the engine may win
    const auto engine = make_engine<SleepyWait>(512, 64);
    send(*engine, records);
    engine->start();
    while (engine->status().unread < 64) std::this_thread::yield();
    engine->disconnect();
    const Attachment attachment = engine->attach();
    EXPECT_EQ(attachment.status, AttachStatus::Success);
    unseen = attachment.first == BookSet::block + 1;  // the block that it was in has gone by
    std::thread stopper([&] { engine->stop(); });
    EXPECT_TRUE(std::ranges::equal(read_all(*engine), reports_from(expected, attachment.first)));
    stopper.join();
  }
  EXPECT_TRUE(unseen);
}

TEST(Engine, RunsOnAThreadThatItIsGiven) {
  const std::vector<Record> records = plan_records<Books>(10, 500);
  const auto engine = make_engine(64, 4'096);
  bool ran = false;
  std::thread own([&] { ran = engine->run(); });
  send(*engine, records);
  engine->stop();
  own.join();
  EXPECT_TRUE(ran);
  EXPECT_EQ(engine->state(), EngineState::Stopped);
  EXPECT_EQ(read_all(*engine), expected_reports<Books>(records));
  EXPECT_FALSE(engine->run());
}

/// Takes its time to wake others, and knows whether it is destroyed meanwhile.
class SlowWake : public YieldWait {
 public:
  static inline std::atomic<int> waking = 0;
  static inline std::atomic<int> destroyed_while_waking = 0;

  SlowWake() = default;
  SlowWake(const SlowWake&) = delete;
  SlowWake& operator=(const SlowWake&) = delete;
  ~SlowWake() { destroyed_while_waking += waking; }
  void wake() const noexcept {
    ++waking;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --waking;
  }
};

TEST(Engine, MayBeDestroyedOnceItIsStopped) {
  auto engine = make_engine<SlowWake>(4, 64);
  std::thread own([&engine = *engine] { engine.run(); });
  while (engine->state() == EngineState::Ready) std::this_thread::yield();
  engine.reset();
  EXPECT_EQ(SlowWake::destroyed_while_waking, 0);
  own.join();
}

TEST(Engine, IsStoppedByItsDestructor) {
  const std::vector<Record> records = plan_records<Books>(8, 100);
  const auto engine = make_engine<BlockWait>(128, 2);
  send(*engine, records);
  engine->start();
}

TEST(Engine, DoesNotAllocateWhileItRuns) {
  const std::vector<Record> records = plan_records<Books>(9, 5'000);
  const auto engine = make_engine<BlockWait>(64, 64);
  engine->start();
  std::uint64_t sum = 0;
  std::thread reader([&] {
    for (auto some = engine->wait_reports(64); !some.empty(); some = engine->wait_reports(64)) {
      for (const Report& report : some) sum += report.sequence;
      engine->release(some.size());
    }
  });
  const std::uint64_t before = bench::allocation_count();
  send(*engine, records);
  engine->drain();
  EXPECT_EQ(bench::allocation_count(), before);
  engine->stop();
  reader.join();
  EXPECT_GT(sum, 0u);
}

TEST(Engine, TellsHowItDoesWhileItRuns) {
  const std::vector<Record> records = plan_records<Books>(16, 2'000);
  const auto engine = make_engine<BlockWait>(64, 16'384);
  send(*engine, std::span(records).first(5));
  EngineStatus status = engine->status();
  EXPECT_EQ(status.sequence, 0u);
  EXPECT_EQ(status.backlog, 5u);
  EXPECT_EQ(status.unread, 0u);
  engine->start();
  std::atomic<bool> over = false;
  std::thread watcher([&] {
    for (std::uint64_t last = 0; !over;) {
      const EngineStatus now = engine->status();
      EXPECT_LE(last, now.sequence);
      EXPECT_LE(now.backlog, 64u);
      last = now.sequence;
    }
  });
  send(*engine, std::span(records).subspan(5));
  engine->drain();
  over = true;
  watcher.join();
  status = engine->status();
  EXPECT_EQ(status.sequence, records.size());
  EXPECT_EQ(status.backlog, 0u);
  EXPECT_EQ(status.unread, expected_reports<Books>(records).size());
  EXPECT_EQ(status.journal_lag, 0u);
  EXPECT_FALSE(status.free_bytes);
  EXPECT_FALSE(status.room_is_short());
  EXPECT_EQ(to_string(status), "at command 2000: backlog 0, not in the journal 0, unread reports " +
                                   std::to_string(status.unread) + "; no journal");
}

TEST(Engine, SaysWhyItCannotBeMade) {
  EngineError error{};
  EXPECT_FALSE((Engine<BookSet>::create({.books = {}}, error)));
  EXPECT_EQ(error.books, CreateStatus::InvalidBookCount);
  EXPECT_EQ(make_engine(2, 2)->journal_error().code, JournalCode::Success);
  EXPECT_EQ(to_string(error), "the books cannot be made: InvalidBookCount");
  EXPECT_FALSE((EngineOf<YieldWait>::create({.books = SmallMatcher<Books>::config, .reports = 3}, error)));
  EXPECT_EQ(error.rings, RingStatus::InvalidCapacity);
  EXPECT_EQ(error.books, CreateStatus::Success);
  EXPECT_EQ(to_string(error), "the rings cannot be made: InvalidCapacity: give a power of two, at least 2");
  EXPECT_EQ(to_string(EngineError{.rings = RingStatus::OutOfMemory}), "the rings cannot be made: OutOfMemory");
}

template <class Enum>
void expect_names(std::initializer_list<std::string_view> names) {
  int value = 0;
  for (const std::string_view name : names) EXPECT_EQ(to_string(static_cast<Enum>(value++)), name);
  EXPECT_EQ(to_string(static_cast<Enum>(value)), "?");
}

TEST(EngineText, OfEnumeratorsIsTheirName) {
  expect_names<SlowReader>({"Wait", "Disconnect"});
  expect_names<SubmitStatus>({"Accepted", "Full", "Stopped"});
  expect_names<AttachStatus>({"Success", "AlreadyAttached", "NotRunning"});
  expect_names<EngineState>({"Ready", "Running", "Stopped", "JournalFailed"});
  expect_names<RingStatus>({"Success", "InvalidCapacity", "OutOfMemory"});
  expect_names<ImageStatus>({"Success", "OtherParameters", "WrongSize", "Unreadable"});
  expect_names<Durability>({"None", "Process", "Machine"});
  expect_names<AppendStatus>({"Success", "OutOfOrder", "Failed"});
  expect_names<ReportKind>(
      {"Done", "Added", "Executed", "Reduced", "Deleted", "Replaced", "NewId", "AddedBefore"});
  expect_names<JournalCode>(
      {"Success",        "InvalidConfig",  "OutOfMemory",     "Locked",         "SystemError",
       "StrayFile",      "NotAFile",       "NoSegment",       "MissingSegment", "OverlappingSegment",
       "RenamedSegment", "UnknownVersion", "OtherParameters", "OtherJournal",   "OtherHistory",
       "NoRoom",         "DamagedHeader",  "DamagedRecord",   "OtherBooks",     "MissingRecords",
       "NoDirectory",    "NotEmpty",       "TooSmall",        "RemovedRecords", "OtherMachine"});
}

}  // namespace
}  // namespace llmes::test::engine_test
