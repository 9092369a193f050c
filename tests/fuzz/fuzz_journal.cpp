// SPDX-License-Identifier: MIT
//
// Any bytes as a segment, and a journal of which any bytes are changed, cut or sealed with a new checksum, and any
// segments moved: it is refused and left as it is, or opens, goes on, and is the same when it is opened again.
// All that with records of 64 bytes, and with longer ones.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llmes/engine/journal/journal.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/faulty_disk.hpp"

namespace llmes::test {
namespace {

struct alignas(64) LongRecord {
  std::uint64_t id = 0;
  std::array<std::uint64_t, 13> payload{};
  std::uint64_t sequence = 0;
  std::uint32_t index_in_write = 0;
  std::uint32_t checksum = 0;

  friend bool operator==(const LongRecord&, const LongRecord&) = default;
};

const JournalConfig config{.directory = "disk", .parameters = JournalParameters("fuzz"), .segment_records = 4};

template <JournalRecord Record>
struct Target {
  using Records = std::vector<Record>;
  using Writer = JournalWriter<FaultyFiles, Record>;

  static std::optional<Writer> open(FaultyDisk& disk, Records& records, JournalSummary& summary,
                                    JournalError& error) {
    const auto collect = [&](std::span<const Record> given) {
      records.insert(records.end(), given.begin(), given.end());
    };
    return Writer::create(config, 1, collect, summary, error, FaultyFiles{&disk});
  }

  static Records batch(std::uint64_t first, std::size_t count) {
    Records records(count);
    for (Record& record : records) record.id = first;
    stamp(records, first);
    return records;
  }

  /// 4, 4 and 2 records.
  static void fill(FaultyDisk& disk) {
    Records records;
    JournalSummary summary;
    JournalError error;
    auto writer = open(disk, records, summary, error);
    for (const std::size_t size : {1u, 2u, 5u, 2u}) {
      expect(writer->append(batch(writer->next_sequence(), size)) == AppendStatus::Success,
             "a journal is written");
    }
  }

  /// Puts a new checksum into the header, or the record, that begins at a place.
  static void seal(std::span<std::byte> bytes, std::size_t place) {
    if (place == 0 && bytes.size() >= sizeof(JournalHeader)) {
      JournalHeader header;
      std::memcpy(&header, bytes.data(), sizeof header);
      header.checksum = header.checksum_now();
      std::memcpy(bytes.data(), &header, sizeof header);
    } else if (place + sizeof(Record) <= bytes.size()) {
      Record record;
      std::memcpy(&record, bytes.data() + place, sizeof record);
      record.checksum = checksum_of(record);
      std::memcpy(bytes.data() + place, &record, sizeof record);
    }
  }

  /// Makes one change: 4 bytes.
  static void change(FaultyDisk& disk, std::span<const std::uint8_t> bytes) {
    const auto name = [](unsigned number) { return std::string(JournalName::of_segment(number % 16).text()); };
    const auto found = disk.names.find(name(bytes[0]));
    if (found == disk.names.end()) return;
    std::vector<std::byte>& file = found->second->bytes;
    const std::size_t place = bytes[2] + 256u * (bytes[3] % 4u);
    switch (bytes[0] / 16 % 8) {
      case 0: file.resize(place); break;
      case 1: disk.names.erase(found); break;
      case 2: disk.names[name(bytes[1])] = std::make_shared<FaultyDisk::File>(*found->second); break;
      case 3: seal(file, place / sizeof(Record) * sizeof(Record)); break;
      case 4:
        for (std::size_t i = place / 64 * 64; i < std::min(place / 64 * 64 + 64, file.size()); ++i) file[i] = {};
        break;
      default:
        if (place < file.size()) file[place] = static_cast<std::byte>(bytes[1]);
    }
  }

  /// What lies on a disk.
  static std::map<std::string, std::vector<std::byte>> content(const FaultyDisk& disk) {
    std::map<std::string, std::vector<std::byte>> content;
    for (const auto& [name, file] : disk.names) content[name] = file->bytes;
    return content;
  }

  static void check(FaultyDisk& disk) {
    Records live;
    JournalSummary summary;
    const JournalError live_error = replay<Record>(
        config.directory, 1, config.parameters,
        [&](std::span<const Record> given) { live.insert(live.end(), given.begin(), given.end()); }, summary,
        FaultyFiles{&disk});
    const auto before = content(disk);
    Records records;
    JournalError error;
    {
      auto writer = open(disk, records, summary, error);
      expect(writer.has_value() == !error, "nothing is made exactly if there is an error");
      expect(!to_string(error).empty() && !to_string(summary).empty(), "there are words");
      if (error) {
        expect(content(disk) == before || error.code == JournalCode::SystemError,
               "what is refused is left as it is");
        return;
      }
      expect(!live_error && live == records, "a reader finds what a writer finds");
      const Records more = batch(writer->next_sequence(), 5);
      expect(writer->append(more) == AppendStatus::Success, "an opened journal goes on");
      records.insert(records.end(), more.begin(), more.end());
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      expect(records[i].sequence == i + 1 && records[i].checksum == checksum_of(records[i]), "records are valid");
    }
    Records again;
    expect(open(disk, again, summary, error).has_value(), "it opens again");
    expect(again == records && summary.torn_bytes == 0, "and is the same");
  }

  static void run(std::span<const std::uint8_t> bytes) {
    FaultyDisk disk;
    if (bytes[0] == 0) {
      auto& file = disk.names[std::string(JournalName::of_segment(1).text())];
      file = std::make_shared<FaultyDisk::File>();
      for (const std::uint8_t byte : bytes.subspan(1)) file->bytes.push_back(static_cast<std::byte>(byte));
    } else {
      fill(disk);
      for (bytes = bytes.subspan(1); bytes.size() >= 4; bytes = bytes.subspan(4)) change(disk, bytes.first(4));
    }
    check(disk);
  }
};

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  llmes::test::Target<llmes::Record>::run({data, size});
  llmes::test::Target<llmes::test::LongRecord>::run({data, size});
  return 0;
}
