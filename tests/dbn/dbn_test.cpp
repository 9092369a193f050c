// SPDX-License-Identifier: MIT
//
// DBN: the bytes of headers and records of each version, what is made of any bytes, and where each record begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "llmes/dbn.hpp"
#include "tests/support/dbn_bytes.hpp"

namespace llmes::test {
namespace {

using Bytes = std::vector<std::byte>;
using dbn::ReadStatus;

constexpr DbnBytes::Record full_record{.publisher = 0x0102,
                                       .instrument = 0x03040506,
                                       .event_time = 0x1112131415161718,
                                       .order_id = 0x2122232425262728,
                                       .price = -0x3132333435363738,
                                       .size = 0x41424344,
                                       .flags = 0xa8,
                                       .channel = 0x51,
                                       .action = 'F',
                                       .side = 'A',
                                       .receive_time = 0x6162636465666768,
                                       .in_delta = -0x71727374,
                                       .sequence = 0x01020304};

DbnBytes::Header full_header(int version, int has_sent_time = 0) {
  return {.version = version,
          .has_sent_time = has_sent_time,
          .symbols = {"ESZ6", "NQZ6"},
          .partial = {"CLZ6"},
          .not_found = {"X", "Y", "Z"},
          .mappings = {{"ESZ6", {{20'261'126, 20'261'127, "17"}, {20'261'127, 20'261'128, "18"}}}, {"NQZ6", {}}}};
}

/// All that a header says, in one value.
std::vector<std::string> content_of(const dbn::Metadata& metadata) {
  std::vector<std::string> all{std::to_string(metadata.version),      std::string(metadata.dataset),
                               std::to_string(metadata.schema),       std::to_string(metadata.start),
                               std::to_string(metadata.end),          std::to_string(metadata.limit),
                               std::to_string(metadata.stype_in),     std::to_string(metadata.stype_out),
                               std::to_string(metadata.has_sent_time)};
  for (const dbn::Names* names : {&metadata.symbols, &metadata.partial, &metadata.not_found}) {
    all.push_back(std::to_string(names->size()) + " names");
    for (std::size_t i = 0; i < names->size(); ++i) all.emplace_back((*names)[i]);
  }
  metadata.visit_mappings([&](const dbn::Mapping& mapping) {
    all.push_back(std::string(mapping.name) + " " + std::to_string(mapping.begin) + " " +
                  std::to_string(mapping.end) + " " + std::string(mapping.symbol));
  });
  return all;
}

auto content_of(const dbn::Mbo& record) {
  return std::tuple(record.header.publisher.value(), record.header.instrument.value(),
                    record.header.event_time.value(), record.order_id.value(), record.price.value(),
                    record.size.value(), record.flags.value(), record.channel.value(), record.action.value(),
                    record.side.value(), record.receive_time.value(), record.in_delta.value(),
                    record.sequence.value());
}

/// What some bytes come to, read from a copy of just their size, so that a sanitizer sees a read beyond them.
struct Content {
  std::vector<std::string> header;
  std::vector<decltype(content_of(dbn::Mbo{}))> records;
  std::vector<std::uint64_t> sent;
  std::size_t passed_over = 0;
  dbn::Fault fault;  ///< with an offset in the file
};

Content read(std::span<const std::byte> bytes) {
  const auto room = std::make_unique<std::byte[]>(bytes.size());
  std::ranges::copy(bytes, room.get());
  const std::span<const std::byte> all(room.get(), bytes.size());
  Content content;
  dbn::Metadata metadata;
  content.fault = dbn::read_metadata(all, metadata);
  if (content.fault.status != ReadStatus::Success) return content;
  content.header = content_of(metadata);
  dbn::RecordReader reader(all.subspan(metadata.size), metadata.has_sent_time);
  while (const dbn::Mbo* record = reader.next()) {
    content.records.push_back(content_of(*record));
    content.sent.push_back(reader.sent_time());
  }
  content.passed_over = reader.passed_over();
  content.fault = reader.fault();
  content.fault.offset = metadata.size + reader.offset();
  return content;
}

/// A small file by hand.
Bytes small_file(int version, int has_sent_time = 0) {
  DbnBytes file;
  file.header(full_header(version, has_sent_time));
  const int words = has_sent_time != 0 ? 16 : 14;
  file.record(full_record, words);
  if (has_sent_time != 0) file.number(0x8182838485868788, 8);
  file.number(5, 1).number(0x17, 1).text("", 18);  // a system record
  file.record({.order_id = 7, .price = 5, .size = 1}, words);
  if (has_sent_time != 0) file.number(9, 8);
  return file.bytes;
}

TEST(Dbn, ReadsEachVersion) {
  for (const int version : {1, 2, 3}) {
    for (const int has_sent_time : {0, 1}) {
      const Content content = read(small_file(version, has_sent_time));
      EXPECT_EQ(content.fault.status, ReadStatus::Success);
      EXPECT_EQ(content.header, (std::vector<std::string>{std::to_string(version),
                                                          "XNAS.ITCH",
                                                          "0",
                                                          "1700000000000000000",
                                                          "1700000086400000000",
                                                          "1000",
                                                          "1",
                                                          "0",
                                                          std::to_string(has_sent_time),
                                                          "2 names",
                                                          "ESZ6",
                                                          "NQZ6",
                                                          "1 names",
                                                          "CLZ6",
                                                          "3 names",
                                                          "X",
                                                          "Y",
                                                          "Z",
                                                          "ESZ6 20261126 20261127 17",
                                                          "ESZ6 20261127 20261128 18"}));
      ASSERT_EQ(content.records.size(), 2u);
      EXPECT_EQ(content.records[0], std::tuple(0x0102, 0x03040506u, 0x1112131415161718u, 0x2122232425262728u,
                                               -0x3132333435363738, 0x41424344u, 0xa8, 0x51, dbn::Action::Fill,
                                               dbn::BidAsk::Ask, 0x6162636465666768u, -0x71727374, 0x01020304u));
      EXPECT_EQ(content.sent, has_sent_time != 0 ? (std::vector<std::uint64_t>{0x8182838485868788, 9})
                                                 : (std::vector<std::uint64_t>{0, 0}));
      EXPECT_EQ(content.passed_over, 1u);
    }
  }
}

TEST(Dbn, WritesEachVersion) {
  const std::vector<dbn::Mapping> mappings{{"ESZ6", 20'261'126, 20'261'127, "17"},
                                           {"NQZ6", 20'261'126, 20'261'127, "18"}};
  for (const std::uint8_t version : std::array<std::uint8_t, 3>{1, 2, 3}) {
    for (const bool has_sent_time : {false, true}) {
      const dbn::HeaderFields header{.version = version,
                                     .dataset = "XNAS.ITCH",
                                     .start = 1'700'000'000'000'000'000,
                                     .end = 1'700'000'086'400'000'000,
                                     .has_sent_time = has_sent_time,
                                     .mappings = mappings};
      Bytes room(2'000);
      dbn::Writer writer(room);
      ASSERT_EQ(writer.append(header), dbn::WriteStatus::Success);
      EXPECT_EQ(writer.written().size(), dbn::Writer::size_of(header));
      dbn::Mbo record;
      record.header.publisher = std::uint16_t{0x0102};
      record.header.instrument = 0x03040506u;
      record.header.event_time = std::uint64_t{0x1112131415161718};
      record.order_id = std::uint64_t{0x2122232425262728};
      record.price = -std::int64_t{0x3132333435363738};
      record.size = 0x41424344u;
      record.flags = std::uint8_t{0xa8};
      record.channel = std::uint8_t{0x51};
      record.action = dbn::Action::Fill;
      record.side = dbn::BidAsk::Ask;
      record.receive_time = std::uint64_t{0x6162636465666768};
      record.in_delta = -0x71727374;
      record.sequence = 0x01020304u;
      ASSERT_EQ(writer.append(record, 0x8182838485868788), dbn::WriteStatus::Success);

      DbnBytes expected;
      expected.header(
          {.version = version,
           .has_sent_time = has_sent_time ? 1 : 0,
           .symbols = {"ESZ6", "NQZ6"},
           .mappings = {{"ESZ6", {{20'261'126, 20'261'127, "17"}}}, {"NQZ6", {{20'261'126, 20'261'127, "18"}}}}});
      // No limit; and version 1 would say how many records there are, if they were counted before.
      expected.bytes[42] = expected.bytes[43] = std::byte{};
      if (version == 1) std::fill_n(expected.bytes.begin() + 50, 8, std::byte{0xff});
      expected.record(full_record, has_sent_time ? 16 : 14);
      if (has_sent_time) expected.number(0x8182838485868788, 8);
      EXPECT_TRUE(std::ranges::equal(writer.written(), expected.bytes)) << int{version};
    }
  }
}

TEST(Dbn, AWriterWritesAllOrNothing) {
  Bytes room(300);
  dbn::Writer writer(room);
  EXPECT_EQ(writer.append({.version = 0}), dbn::WriteStatus::UnknownVersion);
  EXPECT_EQ(writer.append({.version = 4}), dbn::WriteStatus::UnknownVersion);
  EXPECT_EQ(writer.append({.dataset = "SEVENTEEN.LETTERS"}), dbn::WriteStatus::NameTooLong);
  const std::string name(22, 'x');
  const std::vector<dbn::Mapping> long_name{{.name = name}};
  const std::vector<dbn::Mapping> long_symbol{{.symbol = name}};
  EXPECT_EQ(writer.append({.version = 1, .mappings = long_name}), dbn::WriteStatus::NameTooLong);
  EXPECT_EQ(writer.append({.version = 1, .mappings = long_symbol}), dbn::WriteStatus::NameTooLong);
  EXPECT_EQ(writer.append({.version = 2, .mappings = long_name}), dbn::WriteStatus::Full);
  EXPECT_EQ(writer.written().size(), 0u);
  EXPECT_EQ(writer.append(dbn::HeaderFields{.version = 2}), dbn::WriteStatus::Success);
  EXPECT_EQ(writer.written().size(), 128u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(writer.append(dbn::Mbo{}), dbn::WriteStatus::Success);
  EXPECT_EQ(writer.append(dbn::Mbo{}), dbn::WriteStatus::Full);
  EXPECT_EQ(writer.written().size(), 128u + 3 * 56);
  EXPECT_EQ(read(writer.written()).records.size(), 3u);
  writer.clear();
  EXPECT_EQ(writer.append(dbn::Mbo{}), dbn::WriteStatus::Success);
  EXPECT_EQ(writer.written().size(), 56u);
}

TEST(Dbn, EveryBeginningOfAFileIsAPartOfIt) {
  for (const int version : {1, 2, 3}) {
    const Bytes file = small_file(version, version == 2);
    const Content whole = read(file);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Content part = read(std::span(file).first(size));
      const bool is_at_record = part.fault.status == ReadStatus::Success;
      EXPECT_TRUE(is_at_record || part.fault.status == ReadStatus::Truncated) << size;
      ASSERT_LE(part.records.size(), whole.records.size());
      EXPECT_TRUE(std::equal(part.records.begin(), part.records.end(), whole.records.begin()));
      EXPECT_EQ(part.header.empty() ? whole.header : part.header, whole.header);
    }
  }
}

TEST(Dbn, TheRecordsAreTheSameWhereverTheFileIsCut) {
  const Bytes file = small_file(3, 1);
  dbn::Metadata metadata;
  ASSERT_EQ(dbn::read_metadata(file, metadata).status, ReadStatus::Success);
  const std::span<const std::byte> records = std::span(file).subspan(metadata.size);
  const Content whole = read(file);
  for (std::size_t cut = 0; cut <= records.size(); ++cut) {
    Content pieces;
    dbn::RecordReader before(records.first(cut), true);
    while (const dbn::Mbo* record = before.next()) pieces.records.push_back(content_of(*record));
    ASSERT_TRUE(before.fault().status == ReadStatus::Success || before.fault().status == ReadStatus::Truncated);
    dbn::RecordReader after(records.subspan(before.offset()), true);
    while (const dbn::Mbo* record = after.next()) pieces.records.push_back(content_of(*record));
    EXPECT_EQ(pieces.records, whole.records) << cut;
    EXPECT_EQ(before.passed_over() + after.passed_over(), 1u);
    EXPECT_EQ(after.fault().status, ReadStatus::Success);
  }
}

TEST(Dbn, EveryFlippedBitIsReadOrRefused) {
  for (const int version : {1, 2, 3}) {
    const Bytes file = small_file(version);
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      Bytes flipped = file;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      const Content content = read(flipped);
      EXPECT_LE(content.records.size(), 3u);
      EXPECT_LE(content.fault.offset, flipped.size());
      EXPECT_FALSE(to_string(content.fault).empty());
    }
  }
}

dbn::Fault fault_of(const Bytes& bytes) {
  return read(bytes).fault;
}

TEST(Dbn, SaysWhatItCannotRead) {
  const auto with = [](std::size_t offset, std::uint8_t value) {
    Bytes file = small_file(3);
    file[offset] = std::byte{value};
    return file;
  };
  EXPECT_EQ(fault_of({}), (dbn::Fault{ReadStatus::Truncated, 0, 8}));
  EXPECT_EQ(fault_of(with(0, 'X')), (dbn::Fault{ReadStatus::NotDbn, 0, 0}));
  EXPECT_EQ(fault_of({std::byte{'D'}, std::byte{'B'}, std::byte{'Z'}}), (dbn::Fault{ReadStatus::NotDbn, 0, 0}));
  EXPECT_EQ(fault_of(with(3, 4)), (dbn::Fault{ReadStatus::OtherVersion, 3, 4}));
  EXPECT_EQ(fault_of(with(3, 0)), (dbn::Fault{ReadStatus::OtherVersion, 3, 0}));
  EXPECT_EQ(fault_of(with(24, 4)), (dbn::Fault{ReadStatus::OtherSchema, 24, 4}));
  EXPECT_EQ(to_string(fault_of(with(3, 4))), "DBN of version 4; versions 1 to 3 can be read");
  EXPECT_EQ(to_string(fault_of(with(24, 4))), "DBN of the schema trades (4); only mbo can be read");
  EXPECT_EQ(to_string(fault_of(with(25, 1))), "DBN of the schema unknown (256); only mbo can be read");
  EXPECT_EQ(fault_of(with(4, 0)).status, ReadStatus::DamagedHeader);    // its length: not a whole number of lists
  EXPECT_EQ(fault_of(with(7, 255)).status, ReadStatus::DamagedHeader);  // longer than headers are
  EXPECT_EQ(fault_of(with(52, 2)).status, ReadStatus::DamagedHeader);   // neither with nor without a time
  EXPECT_EQ(fault_of(with(53, 0)).status, ReadStatus::DamagedHeader);   // symbols without letters
  EXPECT_EQ(fault_of(with(108, 1)).status, ReadStatus::DamagedHeader);  // a schema definition
  EXPECT_EQ(fault_of(with(115, 255)).status, ReadStatus::DamagedHeader);  // more symbols than there is room for
  Bytes mixed = with(24, 255);
  mixed[25] = std::byte{255};
  EXPECT_EQ(read(mixed).records.size(), 2u);
}

TEST(Dbn, ADamagedRecordEndsTheReading) {
  const Bytes file = small_file(3);
  dbn::Metadata metadata;
  ASSERT_EQ(dbn::read_metadata(file, metadata).status, ReadStatus::Success);
  for (const auto& [words, type, status] :
       {std::tuple(3, 0xa0, ReadStatus::DamagedRecord), std::tuple(0, 0x17, ReadStatus::DamagedRecord),
        std::tuple(3, 0x17, ReadStatus::DamagedRecord), std::tuple(13, 0xa0, ReadStatus::DamagedRecord),
        std::tuple(16, 0xa0, ReadStatus::DamagedRecord), std::tuple(255, 0x17, ReadStatus::Truncated),
        std::tuple(14, 0x17, ReadStatus::Success)}) {
    Bytes damaged = file;
    damaged[metadata.size] = static_cast<std::byte>(words);
    damaged[metadata.size + 1] = static_cast<std::byte>(type);
    const Content content = read(damaged);
    EXPECT_EQ(content.fault.status, status) << words;
    if (status == ReadStatus::Success) continue;
    EXPECT_EQ(content.fault.offset, metadata.size);
    EXPECT_TRUE(content.records.empty());
  }
  Bytes damaged = file;
  damaged[metadata.size] = std::byte{13};
  EXPECT_EQ(to_string(fault_of(damaged)), "no record of its type has 52 bytes");
}

}  // namespace
}  // namespace llmes::test
