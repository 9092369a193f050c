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
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/counting_machine.hpp"
#include "tests/support/machine_kit.hpp"
#include "tests/support/record_plan.hpp"
#include "tests/support/venue_desk.hpp"

namespace llmes::test::machine_test {
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

template <class M>
M alone(std::span<const typename M::Record> records, std::vector<typename M::Report>* reports = nullptr) {
  CreateStatus status{};
  M machine = *M::create(Kit<M>::config(), status);
  Keep<typename M::Report> target;
  machine.apply(records, target);
  if (reports != nullptr) *reports = target.reports;
  return machine;
}

template <class M>
class Machines : public ::testing::Test {
 public:
  using Exchange = Engine<M>;
  using Record = typename M::Record;
  using Report = typename M::Report;
  using Reports = std::vector<Report>;

  static Reports expected(std::span<const Record> records) {
    Reports reports;
    alone<M>(records, &reports);
    return reports;
  }
  typename Exchange::Config config_for(std::size_t reports = 8'192) const {
    return {.books = Kit<M>::config(),
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
  static Reports run(Exchange& engine, std::span<const Record> records) {
    engine.start();
    for (const Record& record : records) {
      while (engine.submit(record) == SubmitStatus::Full) std::this_thread::yield();
    }
    engine.stop();
    const auto reports = engine.reports(8'192);
    return {reports.begin(), reports.end()};
  }
  RecoverySummary snapshot() const {
    RecoverySummary summary;
    const JournalError error = make_snapshot<M>(folder.path(), Kit<M>::config(), summary);
    EXPECT_FALSE(error) << to_string(error);
    return summary;
  }
  std::unique_ptr<ReportReplay<M>> replay_from(std::uint64_t first) const {
    JournalError error;
    auto replay = ReportReplay<M>::create(folder.path(), Kit<M>::config(), first, error);
    EXPECT_TRUE(replay) << to_string(error);
    return replay;
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
using AllMachines = ::testing::Types<Counters, VenueMachine<>>;
TYPED_TEST_SUITE(Machines, AllMachines);
using CountMachine = Machines<Counters>;
using CountRecords = std::vector<Counters::Record>;
using CountReports = std::vector<CountReport>;
const Counters::Config config = Kit<Counters>::config();

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TYPED_TEST(Machines, GoOnWhereTheyEndedAndTellTheirReportsAgain) {
  const auto records = Kit<TypeParam>::plan(1, 1'800);
  const auto expected = this->expected(records);
  typename TestFixture::Reports reports;
  std::uint64_t digest = 0;
  for (std::size_t done = 0; done < records.size(); done += 450) {
    const auto engine = this->make();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->sequence(), done);
    EXPECT_EQ(engine->recovery().journal.replayed, done % 900);
    EXPECT_EQ(engine->books().digest(), alone<TypeParam>(std::span(records).first(done)).digest());
    const auto more = this->run(*engine, std::span(records).subspan(done, 450));
    reports.insert(reports.end(), more.begin(), more.end());
    digest = engine->books().digest();
    if (done % 900 != 0) this->snapshot();
  }
  EXPECT_TRUE(reports == expected);
  EXPECT_EQ(this->files(".journal").size(), 6u);
  EXPECT_EQ(fs::file_size(this->files(".journal").front()), 512u + 300 * sizeof(typename TypeParam::Record));
  EXPECT_EQ(this->make()->books().digest(), digest);

  for (const std::uint64_t first : {1u, 450u, 901u, 1'800u, 1'801u}) {
    Keep<typename TypeParam::Report> target;
    EXPECT_FALSE(this->replay_from(first)->tell(target));
    const auto from = std::ranges::lower_bound(expected, first, {}, &TypeParam::Report::sequence);
    EXPECT_TRUE(std::ranges::equal(target.reports, std::span(from, expected.end()))) << first;
  }
  EXPECT_FALSE(remove_covered(this->folder.path()));
  EXPECT_EQ(this->files(".journal").size(), 3u);
  EXPECT_EQ(this->make()->sequence(), 1'800u);
}

/// Without a thread of its own: the same reports, and a journal from which another engine goes on.
TYPED_TEST(Machines, StepOnTheCallingThread) {
  const auto records = Kit<TypeParam>::plan(5, 900);
  Keep<typename TypeParam::Report> target;
  {
    const auto engine = this->make();
    EXPECT_TRUE(engine->step(target));
    for (std::size_t i = 0; i < 600; ++i) {
      EXPECT_EQ(engine->submit(records[i]), SubmitStatus::Accepted);
      if (i % 7 == 0 || i == 599) {
        EXPECT_TRUE(engine->step(target));
        EXPECT_EQ(engine->status().backlog, 0u);
      }
    }
    engine->stop();
    EXPECT_FALSE(engine->step(target)) << "it has ended";
  }
  const auto engine = this->make();
  EXPECT_EQ(engine->sequence(), 600u);
  const auto more = this->run(*engine, std::span(records).subspan(600));
  target.reports.insert(target.reports.end(), more.begin(), more.end());
  EXPECT_TRUE(target.reports == this->expected(records));
}

/// A reader that the engine has left behind, again and again, ends with all reports, each once.
TYPED_TEST(Machines, AttachAReaderAgain) {
  const auto records = Kit<TypeParam>::plan(2, 3'000);
  EngineError failed;
  auto small = this->config_for(64);
  small.slow_reader = SlowReader::Disconnect;
  const auto engine = Engine<TypeParam>::create(small, failed);
  ASSERT_TRUE(engine) << to_string(failed);
  engine->start();
  std::thread sender([&] {
    for (std::span<const typename TypeParam::Record> left = records; !left.empty();) {
      const auto room = engine->wait_claim(std::min<std::size_t>(left.size(), 50));
      std::ranges::copy(left.first(room.size()), room.begin());
      engine->publish(room.size());
      left = left.subspan(room.size());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  Keep<typename TypeParam::Report> all;
  auto& reports = all.reports;
  const auto is_last = Kit<TypeParam>::is_last;
  const auto next = [&] {
    return reports.empty() ? 1 : reports.back().sequence + std::uint64_t{is_last(reports.back())};
  };
  std::size_t caught_up = 0;
  while (!engine->disconnected()) std::this_thread::yield();  // once for sure, however slow the sender is
  while (next() <= records.size()) {
    const auto some = engine->reports(64);
    for (const auto& report : some) {
      if (report.sequence >= next()) reports.push_back(report);
    }
    engine->release(some.size());
    if (!some.empty() || !engine->disconnected()) continue;
    while (!reports.empty() && !is_last(reports.back())) reports.pop_back();
    const auto replay = this->replay_from(next());
    ASSERT_FALSE(replay->tell(all));
    const Attachment attachment = engine->attach();
    ASSERT_EQ(attachment.status, AttachStatus::Success);
    ASSERT_FALSE(replay->tell(all, attachment.first - 1));
    ++caught_up;
  }
  sender.join();
  engine->stop();
  EXPECT_TRUE(reports == this->expected(records));
  EXPECT_GT(caught_up, 0u);
}

TYPED_TEST(Machines, AreKilledAndLoseNothing) {
  const auto records = Kit<TypeParam>::plan(3, 50'000);
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& noted = *new (shared) std::atomic<std::uint64_t>;  // the last record of which all reports were read
  std::uint64_t before = 0;
  constexpr std::size_t most = 8'000;  // of a run: each has some, however late the kill comes
  for (unsigned run = 0; run < 6; ++run) {
    noted = before;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      EngineError error;
      const auto engine = Engine<TypeParam>::create(this->config_for(1'024), error);
      if (!engine) _exit(1);
      engine->start();
      for (std::size_t done = before; done < before + most;) {
        const auto room = engine->claim(std::min<std::size_t>(40, before + most - done));
        std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(done), room.size(), room.begin());
        engine->publish(room.size());
        done += room.size();
        const auto some = engine->reports(64);
        for (const auto& report : some) {
          if (Kit<TypeParam>::is_last(report)) noted = report.sequence;
        }
        engine->release(some.size());
      }
      pause();
    }
    while (noted < before + 500 + 100 * run) std::this_thread::yield();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    if (run == 3) this->snapshot();
    const auto engine = this->make();
    ASSERT_TRUE(engine);
    ASSERT_GE(engine->sequence(), noted);
    before = engine->sequence();
    EXPECT_EQ(engine->books().digest(), alone<TypeParam>(std::span(records).first(before)).digest());
  }
  Keep<typename TypeParam::Report> target;
  EXPECT_FALSE(this->replay_from(1)->tell(target));
  EXPECT_TRUE(target.reports == this->expected(std::span(records).first(before)));
  munmap(shared, 4096);
}

// ---- A venue.

using VenueInAnEngine = Machines<VenueMachine<>>;

/// Gives the bytes of an image.
struct SpanSource {
  std::span<const std::byte> left;

  bool operator()(std::span<std::byte> bytes) {
    std::ranges::copy(left.first(bytes.size()), bytes.begin());
    left = left.subspan(bytes.size());
    return true;
  }
};

/// Or the tests of all machines would show little.
TEST_F(VenueInAnEngine, DoesAllThatAVenueDoes) {
  std::set<VenueReportKind> kinds;
  std::set<DeleteReason> reasons;
  for (const VenueReport& report : expected(Kit<VenueMachine<>>::plan(1, 4'000))) {
    kinds.insert(report.kind);
    reasons.insert(report.reason);
  }
  for (auto kind = VenueReportKind::Done; kind <= VenueReportKind::Busted;
       kind = static_cast<VenueReportKind>(static_cast<int>(kind) + 1)) {
    EXPECT_TRUE(kinds.contains(kind)) << to_string(kind);
  }
  for (auto reason = DeleteReason::None; reason <= DeleteReason::OutsideBands;
       reason = static_cast<DeleteReason>(static_cast<int>(reason) + 1)) {
    EXPECT_TRUE(reasons.contains(reason)) << to_string(reason);
  }
}

/// Each command in an engine of its own, which has begun where the last one ended.
TEST_F(VenueInAnEngine, KeepsMassCancelsKillsAndDisconnects) {
  using Type = VenueCommandType;
  Reports all;
  std::uint64_t commands = 0;
  const auto told = [&](VenueCommand command) {
    command.time = commands + 1;
    VenueDesk desk;
    const auto engine = make();
    EXPECT_EQ(engine->books().commands(), commands++);
    desk.reports = run(*engine, records_of(command));
    all.insert(all.end(), desk.reports.begin(), desk.reports.end());
    if (commands % 4 == 0) snapshot();
    return desk.told();
  };
  const auto limit = [&](AccountNumber account, OrderId id, Side side, Price price) {
    return told({.id = id, .price = price, .quantity = 5, .account = account, .side = side});
  };
  AccountLimits limits;
  limits.cancel_on_disconnect = true;
  EXPECT_EQ(told(VenueCommand::set_limits(1, limits, 0)), "Done");
  EXPECT_EQ(limit(1, 11, Side::Buy, 100), "Added 11 5@100, Done");
  EXPECT_EQ(limit(1, 12, Side::Buy, 99), "Added 12 5@99, Done");
  EXPECT_EQ(limit(2, 21, Side::Sell, 105), "Added 21 5@105, Done");
  EXPECT_EQ(limit(2, 22, Side::Sell, 106), "Added 22 5@106, Done");
  EXPECT_EQ(limit(3, 31, Side::Sell, 107), "Added 31 5@107, Done");
  EXPECT_EQ(limit(3, 32, Side::Sell, 109), "Added 32 5@109, Done");

  // A replace that fills completely names both of its ids, and everybody's account.
  EXPECT_EQ(told({.id = 21, .new_id = 23, .price = 100, .quantity = 5, .account = 2, .type = Type::Replace}),
            "Executed 23x11 5@100, Deleted 21 0@105 Asked, Done");
  EXPECT_EQ(all.back().id, 21u);
  EXPECT_EQ(all.back().other_id, 23u);
  EXPECT_EQ(all[all.size() - 3].account, 2u);
  EXPECT_EQ(all[all.size() - 3].other_account, 1u);

  VenueCommand mass{.price = 108, .trigger = 110, .book = 0, .type = Type::MassCancel};
  mass.side = VenueCommand::both_sides;
  EXPECT_EQ(told(mass), "Deleted 32 5@109 MassCancel, Done");
  EXPECT_EQ(told({.account = 2, .type = Type::Kill}), "Deleted 22 5@106 Killed, Done");
  EXPECT_EQ(limit(2, 24, Side::Sell, 105), "Done RefusedByRisk") << "it is killed in the next engine too";
  EXPECT_EQ(told({.account = 1, .type = Type::Disconnect}), "Deleted 12 5@99 Disconnected, Done");
  EXPECT_EQ(told({.account = 3, .type = Type::Disconnect}), "Done") << "its orders stay";
  EXPECT_EQ(told({.account = 2, .type = Type::Restore}), "Done");
  EXPECT_EQ(limit(2, 24, Side::Sell, 105), "Added 24 5@105, Done");

  Keep<VenueReport> target;
  EXPECT_FALSE(replay_from(1)->tell(target));
  EXPECT_TRUE(target.reports == all);
  const auto engine = make();
  EXPECT_EQ(engine->books().venue().risk().open_count(2), 1u);
  EXPECT_EQ(engine->books().venue().risk().accounts().holding(1, 0).position, 5);
}

/// What no query of the books shows is in it as well. Another venue does nothing at that time.
/// A venue has no `grow`. Where the engine has deleted its first segments, copies of them do.
TEST_F(VenueInAnEngine, MovesToLargerSizesByItsWholeJournal) {
  const std::vector<PartRecord> records = Kit<VenueMachine<>>::plan(7, 1'500);
  const bench::TemporaryFolder copies(fs::temp_directory_path(), "llmes_copies");
  const auto copy_segments = [&] {
    for (const std::string& segment : files(".journal")) {
      fs::copy(segment, copies.path(), fs::copy_options::overwrite_existing);
    }
  };
  for (std::size_t done = 0; done < records.size(); done += 500) {
    run(*make(), std::span(records).subspan(done, 500));
    copy_segments();
    snapshot();
    EXPECT_FALSE(remove_covered(folder.path()));
  }
  ASSERT_FALSE(fs::exists(folder.path() + "/00000000000000000001.journal"));

  const VenueConfig small = Kit<VenueMachine<>>::config();
  VenueConfig large = small;
  large.books.max_books = 3;
  large.books.capacity = 200;
  large.accounts = 9;
  large.holdings = large.stops = large.lifetimes = large.links = large.matches = 40;
  const bench::TemporaryFolder to(fs::temp_directory_path(), "llmes_larger");
  Exchange::Config config = config_for(1 << 16);
  config.books = large;
  config.journal.directory = to.path();
  EngineError error;
  const auto engine = Exchange::create(config, error);
  ASSERT_TRUE(engine) << to_string(error);
  JournalSummary summary;
  std::vector<PartRecord> kept;
  const JournalError fault = verify<PartRecord>(
      copies.path(), 1, VenueMachine<>::parameters_of(small),
      [&](std::span<const PartRecord> some) { kept.insert(kept.end(), some.begin(), some.end()); }, summary);
  ASSERT_FALSE(fault) << to_string(fault);
  run(*engine, kept);

  CreateStatus status{};
  VenueMachine<> expected = *VenueMachine<>::create(large, status);
  Keep<VenueReport> target;
  expected.apply(records, target);
  EXPECT_EQ(engine->sequence(), records.size());
  EXPECT_EQ(engine->books().digest(), expected.digest());
}

TEST_F(VenueInAnEngine, HasADigestOfAllThatUsersSee) {
  using Type = VenueCommandType;
  CreateStatus status{};
  const auto create = [&] { return *VenueMachine<>::create(Kit<VenueMachine<>>::config(), status); };
  auto machine = create();
  std::uint64_t time = 0;
  const auto changes = [&](VenueCommand command) {
    std::vector<std::byte> image;
    EXPECT_TRUE(write_image(machine, [&](std::span<const std::byte> bytes) {
      image.insert(image.end(), bytes.begin(), bytes.end());
      return true;
    }));
    auto idle = create();
    EXPECT_EQ(read_image(idle, image.size(), SpanSource{image}), ImageStatus::Success);
    EXPECT_EQ(idle.digest(), machine.digest());
    command.time = time += 10;
    Keep<VenueReport> target;
    machine.apply(records_of(command), target);
    EXPECT_EQ(target.reports.back().status, VenueStatus::Success);
    command.type = Type::Advance;
    idle.apply(records_of(command), target);
    return machine.digest() != idle.digest();
  };
  EXPECT_FALSE(changes({.type = Type::Advance}));
  EXPECT_TRUE(changes({.price = 7, .account = 1, .type = Type::Pay}));
  EXPECT_TRUE(changes({.account = 3, .type = Type::Kill}));
  EXPECT_TRUE(changes({.price = 99, .type = Type::SetReference}));
  EXPECT_TRUE(changes({.id = 1, .price = 100, .quantity = 6, .account = 1}));
  EXPECT_TRUE(changes({.id = 2, .price = 100, .quantity = 2, .account = 2, .side = Side::Sell}));
  EXPECT_TRUE(changes({.id = 3,
                       .price = 90,
                       .quantity = 2,
                       .trigger = 95,
                       .account = 2,
                       .side = Side::Sell,
                       .stop = StopTrigger::LastTrade}));
  EXPECT_TRUE(changes({.id = 3, .price = 90, .quantity = 2, .trigger = 94, .account = 2, .type = Type::Modify}));
  EXPECT_TRUE(changes({.id = 1, .type = Type::Bust}));
  EXPECT_TRUE(changes({.account = 3, .type = Type::Restore}));
  EXPECT_TRUE(changes({.book = 1, .type = Type::Halt}));
}

/// Anyone can forge an image with the right checksums: it is refused, or a venue that can be used.
TEST_F(VenueInAnEngine, IsSafeWithAForgedState) {
  const std::vector<PartRecord> records = Kit<VenueMachine<>>::plan(9, 1'500);
  CreateStatus status{};
  const auto create = [&] { return *VenueMachine<>::create(Kit<VenueMachine<>>::config(), status); };
  std::vector<std::byte> image;
  auto machine = create();
  BasicNoReports<VenueReport> nobody;
  for (std::size_t done = 0; done < 1'000; done += 50) {
    machine.apply(std::span(records).subspan(done, 50), nobody);
    ASSERT_TRUE(machine.holds()) << done;
  }
  ASSERT_TRUE(write_image(machine, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  Random random(10);
  std::size_t refused = 0;
  constexpr std::size_t tries = 2'000;
  auto other = create();
  for (std::size_t i = 0; i < tries; ++i) {
    std::vector<std::byte> forged = image;
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
      // Most of the image is zeros, so also what lies near other numbers.
      std::size_t place = 8 + random.below(image.size() - 8);
      for (std::size_t n = 0; n < 500 && image[place] == std::byte{}; ++n)
        place = 8 + random.below(image.size() - 8);
      forged[place] = static_cast<std::byte>(random.below(random.chance(50) ? 4 : 256));
    }
    ASSERT_EQ(read_image(other, forged.size(), SpanSource{forged}), ImageStatus::Success);
    if (!other.holds()) {
      ++refused;
      continue;
    }
    (void)other.digest();
    other.apply(std::span(records).subspan(1'000, 100), nobody);
  }
  EXPECT_GT(refused, tries / 2);
  EXPECT_LT(refused, tries);
}

TEST_F(VenueInAnEngine, IsMadeOfAWholeConfig) {
  const VenueConfig whole = Kit<VenueMachine<>>::config();
  const JournalParameters parameters = VenueMachine<>::parameters_of(whole);
  const auto differs = [&](auto change) {
    VenueConfig other = whole;
    change(other);
    const JournalError error = other_parameters({}, parameters, VenueMachine<>::parameters_of(other));
    return std::string(text_of(error.name));
  };
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.books.max_books; }), "books");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.books.capacity; }), "capacity");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.books.far_levels; }), "far levels");
  EXPECT_EQ(differs([](VenueConfig& c) { --c.books.quantity_max; }), "largest quantity");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.accounts; }), "accounts");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.holdings; }), "holdings");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.fees.maker; }), "maker fee");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.fees.taker; }), "taker fee");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.stops; }), "stops");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.lifetimes; }), "lifetimes");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.links; }), "links");
  EXPECT_EQ(differs([](VenueConfig& c) { ++c.matches; }), "matches");
  EXPECT_EQ(differs([](VenueConfig& c) { c.first_phase = Phase::Closed; }), "first phase");
  EXPECT_EQ(differs([](VenueConfig& c) { c.auction_self_trade = SelfTrade::Allow; }), "auction mode");
  // Books that share out otherwise give other trades.
  using ProRata = IdBook<BasicBookSet<OrderPool, VenueRules<Allocation::ProRata>>, HashedIds>;
  using Larger = IdBook<BasicBookSet<OrderPool, VenueRules<Allocation::ProRata, 5>>, HashedIds>;
  EXPECT_NE(VenueMachine<ProRata>::parameters_of(whole).kind, parameters.kind);
  EXPECT_NE(VenueMachine<ProRata>::parameters_of(whole), VenueMachine<Larger>::parameters_of(whole));
}

// ---- Journals of others.

TEST_F(CountMachine, RefuseTheJournalOfAnotherMachine) {
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

TEST_F(CountMachine, AreRefusedAsBooksRefuseThem) {
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

TEST_F(CountMachine, CutOffARecordThatWasWrittenInPart) {
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
    ASSERT_EQ(again.size(), expected(std::span(records).last(1)).size());
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

TEST_F(CountMachine, WriteAHeaderAgainThatWasWrittenInPart) {
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

TEST_F(CountMachine, RefuseARecordThatIsDamaged) {
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
  EXPECT_FALSE(Engine<Counters>::create(config_for(), error));
  EXPECT_EQ(error.journal.code, JournalCode::DamagedRecord);
}

/// With the right checksums: they are no signature.
TEST_F(CountMachine, RefuseAForgedState) {
  run(*make(), plan_counts<Counters::Record>(7, 40));
  snapshot();
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
  EXPECT_FALSE(Engine<Counters>::create(config_for(), error));
  EXPECT_EQ(error.journal.code, JournalCode::OtherBooks);
}

}  // namespace
}  // namespace llmes::test::machine_test
