// SPDX-License-Identifier: MIT
//
// A record keeps what it was made of, and its checksum is the one that the world calls CRC32C.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/record.hpp"

namespace {

using namespace llmes;

TEST(Crc32c, OfTheDigitsIsThePublishedValue) {
  constexpr std::string_view digits = "123456789";
  const auto bytes = std::as_bytes(std::span(digits));
  EXPECT_EQ(crc32c(bytes), 0xe306'9283u);
  EXPECT_EQ(crc32c_by<Crc32cByTable>(bytes), 0xe306'9283u);
}

TEST(Crc32c, IsTheSameByTableAndByInstruction) {
  std::mt19937_64 random(20);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_EQ(crc32c(std::span<const std::byte>(bytes)), crc32c_by<Crc32cByTable>(bytes)) << size;
  }
}

TEST(Crc32c, OfWordsIsThatOfTheirBytes) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 100; ++i) {
    std::array<std::uint64_t, 8> words{};
    for (std::uint64_t& word : words) word = random();
    const std::uint32_t expected = crc32c_by<Crc32cByTable>(std::as_bytes(std::span(words)));
    EXPECT_EQ(crc32c(words), expected);
    EXPECT_EQ(crc32c_by<Crc32cByTable>(words), expected);
  }
}

Record random_record(std::mt19937_64& random) {
  std::array<std::uint64_t, 8> words{};
  for (std::uint64_t& word : words) word = random();
  words[7] &= 0xff'ffff;  // neither reserved nor a place
  auto record = std::bit_cast<Record>(words);
  record.sequence = 0;
  record.checksum = 0;
  return record;
}

TEST(Record, KeepsARequestAndACommand) {
  std::mt19937_64 random(22);
  for (int i = 0; i < 1000; ++i) {
    const Record record = random_record(random);
    EXPECT_EQ(record_of(request_of(record), record.time), record);
    EXPECT_EQ(record_of(command_of(record), record.time), record);
  }
  constexpr BookRequest replace{Request::replace(7, 8, 100, 5), 3};
  static_assert(request_of(record_of(replace, 9)) == replace && request_of(record_of(replace, 9)).book == 3);
  constexpr BookCommand cancel{Command::cancel({4, 5}), 6};
  static_assert(command_of(record_of(cancel, 9)).handle == cancel.handle);
  static_assert(record_of(cancel, 9).time == 9);
}

TEST(Record, KeepsWhatIsToBeCleared) {
  for (const Clear& clear : {Clear{}, Clear{.id = 7, .book = 0}, Clear{.book = 5, .side = Side::Sell},
                             Clear{.side = Side::Buy}, Clear{.side = static_cast<Side>(9)}}) {
    const Record record = record_of(clear, 9);
    EXPECT_EQ(record.type, Clear::type);
    EXPECT_EQ(record.time, 9u);
    EXPECT_EQ(clear_of(record), clear);
  }
  EXPECT_EQ(to_string(Clear{.id = 7}), "Clear id 7, all books, both sides");
  EXPECT_EQ(to_string(Clear{.book = 3, .side = Side::Sell}), "Clear id 0, book 3, Sell");
  // What is no book or side never means all.
  const Clear forged = clear_of(record_of(Clear{.book = Clear::all_books, .side = Clear::both_sides}, 0));
  EXPECT_TRUE(forged.book && forged.side && *forged.side > Side::Sell);
}

TEST(Record, HasAChecksumOfEveryBitButItsOwn) {
  std::mt19937_64 random(23);
  Record record = random_record(random);
  stamp(record, 77);
  EXPECT_EQ(record.sequence, 77u);
  EXPECT_EQ(record.checksum, checksum_of(record));
  for (std::size_t bit = 0; bit < 8 * sizeof(Record); ++bit) {
    std::array<std::uint8_t, sizeof(Record)> bytes{};
    std::memcpy(bytes.data(), &record, sizeof record);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
    const auto flipped = std::bit_cast<Record>(bytes);
    EXPECT_NE(flipped.checksum, checksum_of(flipped)) << "bit " << bit;
  }
}

TEST(Record, OfZerosIsNotValid) {
  EXPECT_NE(checksum_of(Record{}), 0u);
}

/// Journals are read by later versions. If this fails, a journal of before would be misread: then raise
/// `JournalHeader::version_now`, unless it has been raised since the last release, and note the new checksums.
TEST(Record, AndTheHeaderBeforeItHaveTheBytesOfTheirVersion) {
  Record record{.time = 2,
                .id = 3,
                .other = 4,
                .price = 5,
                .quantity = 6,
                .book = 7,
                .type = CommandType::Modify,
                .side = Side::Sell,
                .time_in_force = TimeInForce::FillOrKill};
  stamp(record, 1, 8);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(&record, 1))), 234'287'372u);
  JournalParameters parameters("kind");
  ASSERT_TRUE(parameters.add("name", 9));
  JournalHeader header{
      .first_sequence = 1, .segment_records = 2, .parameters = parameters, .journal = {{3, 4}}, .chain = 5};
  header.checksum = header.checksum_now();
  EXPECT_EQ(crc32c(std::as_bytes(std::span(&header, 1))), 4'040'207'995u);
}

}  // namespace
