// SPDX-License-Identifier: MIT
//
// What the program for journals says of one that is whole, torn, damaged or cut, and that it leaves all as it is.
#include "examples/journal/journal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/journal/convert.hpp"
#include "llmes/engine.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test {
namespace {

using Books = IdBook<BookSet, HashedIds>;

const std::string first_segment = "/00000000000000000001.journal";
const std::string last_segment = "/00000000000000000009.journal";
const std::string snapshot = "/00000000000000000010.snapshot";
const std::string kind = "books, by hashed id; books 2; capacity 100; far levels 100; largest quantity 1000\n";

/// A journal of ten records in segments of four, with a snapshot at its end.
class JournalProgram : public testing::Test {
 protected:
  JournalProgram() {
    Engine<Books>::Config config{.books = {.books = 2, .capacity = 100, .far_levels = 100, .quantity_max = 1'000}};
    config.journal.directory = path();
    config.journal.segment_records = 4;
    EngineError error;
    const auto engine = Engine<Books>::create(config, error);
    EXPECT_TRUE(engine) << to_string(error);
    for (OrderId id = 1; id <= 9; ++id) {
      const Request request = Request::add_limit(id, Side::Buy, 100, 7, TimeInForce::GoodTillCancel);
      EXPECT_EQ(engine->submit(record_of(BookRequest{request, 1}, 5)), SubmitStatus::Accepted);
    }
    EXPECT_EQ(engine->submit(record_of(BookRequest{Request::replace(9, 10, 101, 3), 1}, 6)),
              SubmitStatus::Accepted);
    engine->start();
    engine->stop();
    RecoverySummary summary;
    EXPECT_FALSE(make_snapshot<Books>(path(), config.books, summary));
  }

  [[nodiscard]] const std::string& path() const { return folder_.path(); }

  /// Writes these bytes at a place of a file, counted from its end if it is negative.
  void change(const std::string& file, std::streamoff place, std::string_view bytes) const {
    std::fstream stream(path() + file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(place, place < 0 ? std::ios::end : std::ios::beg);
    stream << bytes;
    EXPECT_TRUE(stream.flush());
  }
  int verify() {
    out_.str("");
    err_.str("");
    return verify_journal(path(), out_, err_);
  }
  int dump(std::uint64_t first, std::uint64_t last = std::numeric_limits<std::uint64_t>::max()) {
    out_.str("");
    err_.str("");
    return dump_journal(path(), first, last, out_, err_);
  }
  [[nodiscard]] std::string out() const { return out_.str(); }
  [[nodiscard]] std::string err() const { return err_.str(); }

 private:
  bench::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "llmes_journal"};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(JournalProgram, SaysThatAllIsWhole) {
  EXPECT_EQ(verify(), 0);
  EXPECT_EQ(out(), kind + "records 1 to 10 are whole, in 3 segments\n00000000000000000010.snapshot is whole\n");
  EXPECT_EQ(err(), "");
}

TEST_F(JournalProgram, PrintsRecords) {
  EXPECT_EQ(dump(9), 0);
  EXPECT_EQ(out(),
            "9 book 1: AddLimit id 9, Buy, 7 at 100, GoodTillCancel, time 5\n"
            "10 book 1: Replace id 9 by id 10, 3 at 101, GoodTillCancel, time 6\n");
  EXPECT_EQ(dump(2, 3), 0);
  EXPECT_EQ(out(),
            "2 book 1: AddLimit id 2, Buy, 7 at 100, GoodTillCancel, time 5\n"
            "3 book 1: AddLimit id 3, Buy, 7 at 100, GoodTillCancel, time 5\n");
  EXPECT_EQ(dump(12), 1);
  EXPECT_NE(err().find("the journal ends before record 12"), std::string::npos) << err();
}

/// As a crash leaves it: nothing is lost that anybody was told of.
TEST_F(JournalProgram, TellsATornWriteFromDamage) {
  change(last_segment, static_cast<std::streamoff>(record_offset(2)), "begun");
  EXPECT_EQ(verify(), 0);
  EXPECT_NE(out().find("records 1 to 10 are whole"), std::string::npos);
  EXPECT_NE(
      out().find("torn: the last write was cut short, at offset 640 of 00000000000000000009.journal, as by a "
                 "failure; nobody was told of it, and an engine cuts off its 5 bytes\n"),
      std::string::npos)
      << out();
}

TEST_F(JournalProgram, SaysWhichRecordIsDamaged) {
  change(first_segment, static_cast<std::streamoff>(record_offset(1)) + 20, "x");
  EXPECT_EQ(verify(), 1);
  EXPECT_EQ(err().find(path() + ": 00000000000000000001.journal, offset 576: record 2 is damaged"), 0u) << err();
  EXPECT_NE(out().find("snapshot is whole"), std::string::npos) << "what is good is said as well";
  EXPECT_EQ(dump(1), 1);
  EXPECT_EQ(out(), "1 book 1: AddLimit id 1, Buy, 7 at 100, GoodTillCancel, time 5\n") << "up to there";
}

/// At a record, where nothing else would show it.
TEST_F(JournalProgram, SaysThatTheLastSegmentWasCut) {
  std::filesystem::resize_file(path() + last_segment, record_offset(1));
  std::filesystem::remove(path() + snapshot);
  EXPECT_EQ(verify(), 1);
  EXPECT_NE(out().find("records 1 to 9 are whole"), std::string::npos) << out();
  EXPECT_EQ(err(),
            "cut: the last segment lacks 192 bytes of its room; all records that were there are gone: bring it "
            "back from a copy\n");
}

TEST_F(JournalProgram, SaysThatAHeaderOrASnapshotIsDamaged) {
  change(first_segment, 20, "xyz");
  change(snapshot, -3, "xyz");
  EXPECT_EQ(verify(), 1);
  EXPECT_EQ(out(), kind) << "from another segment";
  EXPECT_NE(err().find("00000000000000000001.journal has a damaged header"), std::string::npos) << err();
  EXPECT_NE(err().find("00000000000000000010.snapshot is damaged: move it away"), std::string::npos) << err();
}

TEST_F(JournalProgram, SaysWhatIsMissing) {
  std::filesystem::remove(path() + "/00000000000000000005.journal");
  EXPECT_EQ(verify(), 1);
  EXPECT_NE(err().find("record 5 is in no segment"), std::string::npos) << err();
}

TEST_F(JournalProgram, NeedsASnapshotForSegmentsThatAreGone) {
  std::filesystem::remove(path() + first_segment);
  EXPECT_EQ(verify(), 0) << err();
  EXPECT_NE(out().find("records 5 to 10 are whole, in 2 segments"), std::string::npos) << out();
  std::filesystem::remove(path() + snapshot);
  EXPECT_EQ(verify(), 1);
  EXPECT_EQ(err(), path() +
                       ": the records before 5 are gone, and no snapshot has them: bring their segments back "
                       "from a copy\n");
}

// ---- Of a venue.

/// A journal as version 0.17 has written it, of some commands.
void write_old_journal(const std::string& directory, std::span<const VenueCommand> commands, std::uint64_t first) {
  std::filesystem::create_directory(directory);
  JournalError error;
  JournalSummary summary;
  auto writer = JournalWriter<SystemFiles, OldVenueRecord>::create(
      {.directory = directory, .parameters = VenueMachine<>::parameters_of(planned_venue), .segment_records = 700},
      first, [](auto) {}, summary, error);
  ASSERT_TRUE(writer) << to_string(error);
  for (const VenueCommand& c : commands) {
    OldVenueRecord record{.time = c.time,
                          .id = c.id,
                          .new_id = c.new_id,
                          .price = c.price,
                          .quantity = c.quantity,
                          .peak = c.peak,
                          .minimum = c.minimum,
                          .trigger = c.trigger,
                          .trail = c.trail,
                          .expiry = c.expiry,
                          .link = c.link,
                          .account = c.account,
                          .book = c.book,
                          .protection = c.protection,
                          .type = c.type,
                          .side = c.side,
                          .time_in_force = c.time_in_force,
                          .self_trade = c.self_trade,
                          .display = c.display,
                          .effect = c.effect,
                          .stop = c.stop,
                          .lifetime = c.lifetime,
                          .link_role = c.link_role,
                          .phase = c.phase};
    stamp(record, writer->next_sequence());
    ASSERT_EQ(writer->append({&record, 1}), AppendStatus::Success);
  }
}

TEST_F(JournalProgram, ConvertsAJournalOfAnOlderVenue) {
  std::vector<VenueCommand> commands;
  VenuePlanner planner(1);
  CreateStatus status{};
  auto expected = *Venue<>::create(planned_venue, status);
  for (std::uint64_t i = 1; i <= 2'000; ++i) {
    commands.push_back(planner.next());
    commands.back().client_tag = 0;  // nobody could say one
    expected.apply(commands.back(), i, [](const VenueReport&) {});
  }
  const std::string old = path() + "/old";
  const std::string now = path() + "/now";
  write_old_journal(old, commands, 1);
  EngineError error;
  EXPECT_FALSE(Engine<VenueMachine<>>::create({.books = planned_venue, .journal = {.directory = old}}, error));
  EXPECT_EQ(error.journal.code, JournalCode::OtherMachine) << to_string(error);

  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(convert_journal(old, now, out, err), 0) << err.str();
  EXPECT_EQ(out.str().find("2000 commands are in "), 0u) << out.str();
  const auto engine =
      Engine<VenueMachine<>>::create({.books = planned_venue, .journal = {.directory = now}}, error);
  ASSERT_TRUE(engine) << to_string(error);
  EXPECT_EQ(engine->books().commands(), 2'000u);
  EXPECT_EQ(engine->books().venue().now(), expected.now());
  EXPECT_EQ(logical_digest(engine->books().venue().book()), logical_digest(expected.book()));
  engine->stop();

  EXPECT_EQ(verify_journal(now, out, err), 0) << err.str();
  out.str("");
  EXPECT_EQ(dump_journal(now, 1, 3, out, err), 0) << err.str();
  EXPECT_NE(out.str().find(to_string(commands[0])), std::string::npos) << out.str();

  EXPECT_EQ(convert_journal(old, now, out, err), 1);
  EXPECT_EQ(err.str(), now + ": is not empty\n");
  err.str("");
  EXPECT_EQ(convert_journal(now, path() + "/again", out, err), 1);
  EXPECT_NE(err.str().find("is no journal of a venue of version 0.17 or earlier"), std::string::npos) << err.str();
  err.str("");
  EXPECT_EQ(convert_journal(path(), path() + "/again", out, err), 1) << "of books";
  const std::string later = path() + "/later";
  write_old_journal(later, std::span(commands).first(2), 701);
  err.str("");
  EXPECT_EQ(convert_journal(later, path() + "/again", out, err), 1);
  EXPECT_NE(err.str().find("begins at record 701"), std::string::npos) << err.str();
  EXPECT_FALSE(std::filesystem::exists(path() + "/again"));
}

TEST_F(JournalProgram, RefusesWhatIsNoJournal) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(verify_journal(path() + "/none", out, err), 1);
  EXPECT_EQ(err.str(), path() + "/none: cannot be listed: No such file or directory\n");
  std::filesystem::create_directory(path() + "/empty");
  err.str("");
  EXPECT_EQ(dump_journal(path() + "/empty", 1, 2, out, err), 1);
  EXPECT_EQ(err.str(),
            path() + "/empty: has no segment of a journal; is it the directory that the engine was given?\n");
}

}  // namespace
}  // namespace llmes::test
