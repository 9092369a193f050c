// SPDX-License-Identifier: MIT
//
// An engine that moves to books of other sizes goes on as if it had always had them; what does not fit is refused,
// and nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/failing_files.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/hand_in.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test::grow_test {
namespace {

namespace fs = std::filesystem;

class Directory : public bench::TemporaryFolder {
 public:
  Directory() : TemporaryFolder(fs::temp_directory_path(), "llmes_grow") {}

  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(std::ranges::distance(fs::directory_iterator(path())));
  }
};

template <class Book>
[[nodiscard]] MatcherConfig<Book> resized(std::size_t books, std::size_t capacity) {
  MatcherConfig<Book> config = SmallMatcher<Book>::config;
  config.books = books;
  config.capacity = capacity;
  if constexpr (requires { config.ids.count; }) config.ids = {.first = 0, .count = capacity};
  return config;
}

/// Without the handles, which move.
[[nodiscard]] std::vector<Report> without_handles(std::vector<Report> reports) {
  for (Report& report : reports) {
    switch (report.kind) {
      case ReportKind::Done: report.outcome.handle = {}; break;
      case ReportKind::Executed: report.fill.maker_handle = {}; break;
      case ReportKind::Replaced: report.replacement.handle = report.replacement.old_handle = {}; break;
      case ReportKind::AddedBefore: report.placement.handle = report.placement.in_front_of = {}; break;
      case ReportKind::NewId: break;
      default: report.order.handle = {};
    }
  }
  return reports;
}

template <class Book>
class Grow : public ::testing::Test {
 public:
  /// Makes an engine that does some commands, and adds their reports.
  std::unique_ptr<Engine<Book>> run(const std::string& directory, const MatcherConfig<Book>& config,
                                    std::span<const Record> records) {
    EngineError error;
    auto engine = Engine<Book>::create(
        {.books = config, .commands = 1'024, .reports = 16'384, .journal = journal_in(directory)}, error);
    EXPECT_TRUE(engine) << to_string(error);
    if (!engine) return engine;
    hand_in(*engine, records);
    for (auto some = engine->reports(64); !some.empty(); some = engine->reports(64)) {
      reports.insert(reports.end(), some.begin(), some.end());
      engine->release(some.size());
    }
    return engine;
  }
  static JournalConfig journal_in(const std::string& directory) {
    return {.directory = directory, .segment_records = 300};
  }

  /// The orders of all books, in priority order, without their handles; and the positions of the streams.
  static std::vector<std::uint64_t> state_of(const Matcher<Book>& books) {
    std::vector<std::uint64_t> state;
    const auto& set = book_set_of(books);
    for (BookNumber number = 0; number < set.book_count(); ++number) {
      if (set.book(number)->size() == 0 && books.positions(number) == StreamPositions{}) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        set.book(number)->visit_orders(side, [&](const RestingOrder& order) {
          for (const std::uint64_t value : {std::uint64_t{number}, static_cast<std::uint64_t>(side), order.id,
                                            static_cast<std::uint64_t>(order.price), order.quantity})
            state.push_back(value);
        });
      }
      const StreamPositions positions = books.positions(number);
      for (const std::uint64_t value : {positions.orders, positions.levels, positions.best})
        state.push_back(value);
    }
    return state;
  }

  static constexpr bool by_id = !std::is_same_v<Book, BookSet>;
  const MatcherConfig<Book> small = resized<Book>(3, 300);
  const MatcherConfig<Book> large = resized<Book>(6, 900);
  Directory from;
  Directory to;
  std::vector<Report> reports;
};
#ifdef __SANITIZE_THREAD__  // threads do not depend on the book
using AllBooks = ::testing::Types<IdBook<PlacedBookSet, PlacedIds>>;
#else
using AllBooks = ::testing::Types<BookSet, IdBook<BookSet, DenseIds>, IdBook<BookSet, HashedIds>,
                                  IdBook<PlacedBookSet, PlacedIds>>;
#endif
TYPED_TEST_SUITE(Grow, AllBooks);

/// Whatever of its journal has gone, the grown engine does what one of that size does that has seen all commands.
TYPED_TEST(Grow, GoesOnAsIfTheBooksHadAlwaysBeenLarge) {
  std::vector<Record> records = plan_records<TypeParam>(31, 2'000);
  // Only later ones are also for the new books. By handle, these are commands that name none: handles move.
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    if (i < 1'000) record.book %= 3;
    if (i >= 1'000 && !this->by_id && !adds(record.type)) record.type = CommandType::AddLimit;
  }
  auto expected = *Matcher<TypeParam>::create(this->large);
  KeepReports all;
  expected.apply(std::span(records).first(1'000), all);

  RecoverySummary summary;
  for (std::size_t done = 0; done < 1'000; done += 200) {
    this->run(this->from.path(), this->small, std::span(records).subspan(done, 200));
    EXPECT_FALSE(make_snapshot<TypeParam>(this->from.path(), this->small, summary));
    EXPECT_FALSE(remove_covered(this->from.path()));
  }
  ASSERT_FALSE(fs::exists(this->from.path() + "/00000000000000000001.journal"));
  {
    const auto old = this->run(this->from.path(), this->small, {});
    ASSERT_TRUE(without_handles(this->reports) == without_handles(all.reports))
        << "the small ones were large enough";
    EXPECT_GT(book_set_of(old->books()).size(), 20u);
    const std::size_t files = this->from.file_count();
    const JournalError error = grow(old->books(), old->sequence(), this->large, this->journal_in(this->to.path()));
    ASSERT_FALSE(error) << to_string(error);
    EXPECT_EQ(this->from.file_count(), files);
  }
  all.reports.clear();
  this->reports.clear();
  expected.apply(std::span(records).subspan(1'000), all);
  for (std::size_t done = 1'000; done < 2'000; done += 250) {
    const auto engine = this->run(this->to.path(), this->large, std::span(records).subspan(done, 250));
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->sequence(), done + 250);
    EXPECT_FALSE(make_snapshot<TypeParam>(this->to.path(), this->large, summary));
    EXPECT_FALSE(remove_covered(this->to.path()));
    if (done == 1'750) {
      EXPECT_EQ(this->state_of(engine->books()), this->state_of(expected));
    }
  }
  EXPECT_TRUE(without_handles(this->reports) == without_handles(all.reports));
}

TYPED_TEST(Grow, KeepsOrdersSequencesAndPositions) {
  const std::vector<Record> records = plan_records<TypeParam>(32, 900);
  const auto old = this->run(this->from.path(), this->small, records);
  ASSERT_FALSE(grow(old->books(), old->sequence(), this->large, this->journal_in(this->to.path())));
  const auto grown = this->run(this->to.path(), this->large, {});
  ASSERT_TRUE(grown);
  EXPECT_EQ(this->state_of(grown->books()), this->state_of(old->books()));
  EXPECT_GT(grown->books().positions(0).orders, 0u);
  EXPECT_EQ(grown->sequence(), 900u);
  EXPECT_EQ(grown->recovery().snapshot_sequence, 900u);
  EXPECT_TRUE(grown->book(5)) << "a new one";
  EXPECT_EQ(grown->books().positions(5), StreamPositions{});
}

/// Reports of later commands are told again from the new directory, those of earlier ones from the old one.
TYPED_TEST(Grow, LeavesEarlierReportsInTheOldDirectory) {
  const std::vector<Record> records = plan_records<TypeParam>(33, 600);
  auto engine = this->run(this->from.path(), this->small, std::span(records).first(400));
  ASSERT_FALSE(grow(engine->books(), engine->sequence(), this->large, this->journal_in(this->to.path())));
  const std::vector<Report> before = std::exchange(this->reports, {});
  engine = this->run(this->to.path(), this->large, std::span(records).subspan(400));
  const auto told = [&](const std::string& directory, const MatcherConfig<TypeParam>& config, std::uint64_t first,
                        KeepReports& target) {
    JournalError error;
    const auto replay = ReportReplay<TypeParam>::create(directory, config, first, error);
    return replay ? replay->tell(target) : error;
  };
  KeepReports target;
  const JournalError error = told(this->to.path(), this->large, 400, target);
  EXPECT_EQ(error.code, JournalCode::RemovedRecords);
  EXPECT_EQ(error.other, 401u);
  EXPECT_FALSE(told(this->to.path(), this->large, 401, target));
  EXPECT_TRUE(target.reports == this->reports);
  target.reports.clear();
  EXPECT_FALSE(told(this->from.path(), this->small, 1, target));
  EXPECT_TRUE(target.reports == before);
}

/// Or a command would meet another order than its sender means.
TEST(GrowByHandle, LeavesNoOldHandleThatNamesAnOrder) {
  using Book = BookSet;
  const std::vector<Record> records = plan_records<Book>(34, 3'000);
  auto old = *Matcher<Book>::create(SmallMatcher<Book>::config);
  KeepReports all;
  old.apply(records, all);
  const Directory to;
  const MatcherConfig<Book> large = resized<Book>(3, 61);
  ASSERT_FALSE(grow(old, 3'000, large, {.directory = to.path()}));
  EngineError error;
  const auto grown = Engine<Book>::create({.books = large, .journal = {.directory = to.path()}}, error);
  ASSERT_TRUE(grown) << to_string(error);
  ASSERT_GT(grown->books().book().size(), 20u);
  std::size_t handles = 0;
  for (const Report& report : all.reports) {
    if (report.kind != ReportKind::Added) continue;
    EXPECT_FALSE(grown->books().book().find(report.order.handle));
    ++handles;
  }
  EXPECT_GT(handles, 500u);
}

TYPED_TEST(Grow, RefusesBooksThatAreTooSmallAndWritesNothing) {
  const std::vector<Record> records = plan_records<TypeParam>(35, 900);
  const auto old = this->run(this->from.path(), this->small, records);
  const std::size_t size = book_set_of(old->books()).size();
  ASSERT_GT(size, 20u);
  const auto state = this->state_of(old->books());
  const auto refused = [&](MatcherConfig<TypeParam> config) {
    const JournalError error = grow(old->books(), old->sequence(), config, this->journal_in(this->to.path()));
    EXPECT_EQ(this->to.file_count(), 0u);
    EXPECT_EQ(this->state_of(old->books()), state);
    EXPECT_EQ(error.code, JournalCode::TooSmall);
    return error;
  };
  MatcherConfig<TypeParam> config = this->small;
  config.capacity = size - 1;
  EXPECT_EQ(text_of(refused(config).name), "PoolFull");
  config = this->small;
  config.books = 2;
  EXPECT_EQ(to_string(refused(config)),
            "book 2 is in use, and the new books lack it: make at least 3 books; nothing was written");
  config = this->small;
  config.quantity_max = 1;
  EXPECT_EQ(text_of(refused(config).name), "InvalidQuantity");
  config = this->small;
  config.far_levels = 0;
  EXPECT_EQ(text_of(refused(config).name), "PoolFull");
  if constexpr (requires { config.ids.count; }) {
    config = this->small;
    config.ids = {.first = 0, .count = 5};
    EXPECT_EQ(text_of(refused(config).name), "NoRoomForId");
  }
  // As many as there are fit.
  config = this->small;
  config.capacity = size;
  EXPECT_FALSE(grow(old->books(), old->sequence(), config, this->journal_in(this->to.path())));
  const auto shrunk = this->run(this->to.path(), config, {});
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(this->state_of(shrunk->books()), state);
}

/// A book without orders has told events, which a smaller number of books would begin anew.
TYPED_TEST(Grow, KeepsABookThatIsEmptyNow) {
  auto old = *Matcher<TypeParam>::create(this->small);
  std::array<Record, 2> both{
      record_of(BookCommand{Command::add_limit(1, Side::Buy, 5, 1, TimeInForce::GoodTillCancel), 2}, 0),
      record_of(BookCommand{Command::add_market(2, Side::Sell, 1), 2}, 0)};
  NoReports nobody;
  stamp(both, 1);
  old.apply(both, nobody);
  ASSERT_EQ(book_set_of(old).size(), 0u);
  MatcherConfig<TypeParam> config = this->small;
  config.books = 2;
  EXPECT_EQ(grow(old, 2, config, this->journal_in(this->to.path())).code, JournalCode::TooSmall);
  EXPECT_EQ(this->to.file_count(), 0u);
}

TYPED_TEST(Grow, RefusesADirectoryThatIsInUse) {
  const auto old = this->run(this->from.path(), this->small, plan_records<TypeParam>(37, 50));
  const auto grown = [&](const std::string& directory) {
    return grow(old->books(), old->sequence(), this->large, this->journal_in(directory)).code;
  };
  EXPECT_EQ(grown(this->from.path()), JournalCode::Locked);
  EXPECT_EQ(grown("/no/such/directory"), JournalCode::SystemError);
  EXPECT_EQ(grown(this->to.path()), JournalCode::Success);
  EXPECT_EQ(grown(this->to.path()), JournalCode::NotEmpty);
  for (const auto& entry : fs::directory_iterator(this->to.path())) {
    if (entry.path().extension() == ".journal") fs::remove(entry.path());
  }
  const std::size_t files = this->to.file_count();
  EXPECT_EQ(grown(this->to.path()), JournalCode::NotEmpty) << "the snapshot of another one";
  EXPECT_EQ(this->to.file_count(), files);
}

TYPED_TEST(Grow, SaysWhatIsWrongWithItsArguments) {
  const auto books = *Matcher<TypeParam>::create(this->small);
  MatcherConfig<TypeParam> none = this->small;
  none.capacity = 0;
  const JournalError error = grow(books, 0, none, this->journal_in(this->to.path()));
  EXPECT_EQ(to_string(error), "the books cannot be made: InvalidCapacity");
  EXPECT_EQ(grow(books, sequence_max, this->large, this->journal_in(this->to.path())).code,
            JournalCode::InvalidConfig);
  EXPECT_EQ(this->to.file_count(), 0u);
  // Of an engine that has done nothing there is nothing to keep.
  EXPECT_FALSE(grow(books, 0, this->large, this->journal_in(this->to.path())));
  EXPECT_EQ(this->run(this->to.path(), this->large, {})->sequence(), 0u);
}

/// Each call to the disk that fails is told; no engine starts from what is there then but with all orders.
TEST(GrowOnABadDisk, IsWholeOrRefused) {
  using Book = IdBook<BookSet, HashedIds>;
  const MatcherConfig<Book> large = resized<Book>(5, 90);
  auto old = *Matcher<Book>::create(SmallMatcher<Book>::config);
  NoReports nobody;
  old.apply(plan_records<Book>(38, 500), nobody);
  bool done = false;
  for (std::uint64_t at = 1; !done; ++at) {
    FaultyDisk disk;
    FailingFiles::Plan plan{.at = at};
    const FailingFiles files{&disk, &plan};
    const JournalConfig to{.directory = "d", .segment_records = 50};
    const JournalError error = grow(old, 500, large, to, files);
    done = plan.calls < at;
    EXPECT_EQ(error.code, done ? JournalCode::Success : JournalCode::SystemError) << at;
    plan = {};
    EngineError refused;
    const auto engine =
        Engine<Book, YieldWait, FailingFiles>::create({.books = large, .journal = to}, refused, files);
    EXPECT_TRUE(!engine || (engine->recovery().journal.empty && !done) || engine->sequence() == 500) << at;
  }
}

}  // namespace
}  // namespace llmes::test::grow_test
