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
#include <sstream>
#include <string>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"

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
