// SPDX-License-Identifier: MIT
//
// Files of messages: plain or packed, whole or damaged, in pieces of any size.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/itch_file.hpp"
#include "examples/support/read_ahead.hpp"
#include "llmes/itch.hpp"

namespace llmes {
namespace {

class ItchFileTest : public testing::Test {
 protected:
  ~ItchFileTest() override { std::filesystem::remove(path_); }

  /// `count` orders with the references 0, 1, ...
  static std::string orders(std::uint64_t count) {
    std::vector<std::byte> room(count * (2 + sizeof(itch::OrderDelete)));
    itch::FrameWriter writer(room);
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_EQ(writer.append(itch::OrderDelete{.reference = itch::Reference{i}}), itch::WriteStatus::Success);
    }
    return {reinterpret_cast<const char*>(room.data()), room.size()};
  }

  void write(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }

#ifdef LLMES_HAS_ZLIB
  void write_packed(const std::string& content) {
    const gzFile file = gzopen(path_.c_str(), "wb1");
    ASSERT_EQ(gzwrite(file, content.data(), static_cast<unsigned>(content.size())),
              static_cast<int>(content.size()));
    ASSERT_EQ(gzclose(file), Z_OK);
  }
#endif

  /// Counts the messages, which are the orders above.
  std::optional<std::string> read(std::size_t piece_size = 1) {
    count_ = 0;
    const auto take = [this](std::span<const itch::MessageBytes> messages) {
      for (const itch::MessageBytes& message : messages) {
        const auto check = [this](const itch::OrderDelete& order) {
          EXPECT_EQ(order.reference, itch::Reference{count_++});
        };
        EXPECT_EQ(itch::decode(message, check), itch::DecodeStatus::Success);
      }
      return count_ < last_;
    };
    return read_itch_file(path_, take, piece_size);
  }

  std::string path_ = testing::TempDir() + "itch_file_test_" + std::to_string(getpid());
  std::uint64_t count_ = 0;
  std::uint64_t last_ = std::numeric_limits<std::uint64_t>::max();
};

// More than two pieces.
constexpr std::uint64_t many = 8'000;

TEST_F(ItchFileTest, PlainInPieces) {
  write(orders(many));
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(count_, many);
  EXPECT_EQ(read(1U << 20U), std::nullopt);
  EXPECT_EQ(count_, many);
}

TEST_F(ItchFileTest, APieceThatTheFileJustFills) {
  write(orders(many));
  EXPECT_EQ(read(many * 21), std::nullopt);
  EXPECT_EQ(count_, many);
}

TEST_F(ItchFileTest, AsFarAsItIsAskedFor) {
  write(orders(many) + "no message");
  last_ = 1'000;
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(count_, 4 * 256U);  // spans end there
}

TEST_F(ItchFileTest, NothingAndTheEndOfASession) {
  write("");
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(count_, 0U);
  write(orders(3) + std::string(2, '\0'));
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(count_, 3U);
}

TEST_F(ItchFileTest, WhatIsWrongAndWhere) {
  EXPECT_EQ(read(), path_ + ": No such file or directory");
  const std::string content = orders(many);
  write(content.substr(0, content.size() - 1));
  EXPECT_EQ(read(), path_ + ": the file ends within a message, at byte " + std::to_string((many - 1) * 21));
  EXPECT_EQ(count_, many - 1);
  write(content + std::string("\0\x12"
                              "D",
                              3));
  EXPECT_EQ(read(), path_ + ": a message is shorter than its type, at byte " + std::to_string(many * 21));
  EXPECT_EQ(count_, many);
  write(content + std::string("\0\x14"
                              "D",
                              3));
  EXPECT_EQ(read(), path_ + ": a message is longer than its type, at byte " + std::to_string(many * 21));
  write(content + std::string("\0\0z", 3));
  EXPECT_EQ(read(), path_ + ": a message of an unknown type has no length, at byte " + std::to_string(many * 21));
  write(content + "any text, whose first letters make a length");
  EXPECT_EQ(read(),
            path_ + ": there is no ITCH 5.0 message behind its length, at byte " + std::to_string(many * 21));
  const std::string neither =
      ": neither ITCH 5.0 with a length before each message (BinaryFILE) nor DBN (schema mbo) nor a message file "
      "of "
      "LOBSTER nor Bitstamp's order events (CSV)";
  for (const std::string& none :
       {std::string("\0\0z", 3), std::string("any text, whose first letters make a length")}) {
    write(none);
    EXPECT_EQ(read(), path_ + neither) << none;
  }
  write("34200.1,1,7,50,10000,-1\n");
  EXPECT_EQ(read(), path_ + ": this is LOBSTER, not ITCH 5.0");
  write(std::string("DBN\3", 4));
  EXPECT_EQ(read(), path_ + ": this is DBN, not ITCH 5.0");
  EXPECT_EQ(count_, 0U);
  path_ = testing::TempDir();
  EXPECT_EQ(read(), path_ + ": Is a directory");
  path_ += "no_such_file";
}

/// Then the types say how long messages are.
TEST_F(ItchFileTest, AllLengthsMayBeZero) {
  std::string content = orders(many);
  for (std::size_t at = 0; at < content.size(); at += 21) content[at + 1] = '\0';
  write(content);
  for (const std::size_t piece_size : {std::size_t{1}, std::size_t{1} << 20U}) {
    EXPECT_EQ(read(piece_size), std::nullopt);
    EXPECT_EQ(count_, many);
  }
}

/// As many as its largest locate says, which may be any.
TEST_F(ItchFileTest, HasAsManySymbolsAsItsMessagesSay) {
  std::vector<std::byte> room(100);
  itch::FrameWriter writer(room);
  for (const auto locate : std::array<std::uint16_t, 3>{7, 65'535, 9}) {
    EXPECT_EQ(writer.append(itch::OrderDelete{.header = {.locate = itch::Locate{locate}}}),
              itch::WriteStatus::Success);
  }
  write({reinterpret_cast<const char*>(room.data()), writer.written().size()});
  std::size_t symbols = 0;
  EXPECT_EQ(count_symbols(path_, symbols), std::nullopt);
  EXPECT_EQ(symbols, 65'535U);
  write("");
  EXPECT_EQ(count_symbols(path_, symbols), std::nullopt);
  EXPECT_EQ(symbols, 1U) << "a feed book has one at least";
  path_ += "no_such_file";
  EXPECT_EQ(count_symbols(path_, symbols), path_ + ": No such file or directory");
}

#ifdef LLMES_ITCH_DEPTH
/// What a program says of a file.
std::string output_of(const std::string& program, const std::string& file, const std::string& words) {
  const std::string command = '"' + program + "\" \"" + file + "\" " + words;
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  for (std::array<char, 256> some; std::fgets(some.data(), some.size(), pipe) != nullptr;) output += some.data();
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

/// As many symbols as one day was seen to have.
TEST_F(ItchFileTest, OfADayOfElevenThousandSymbolsIsReadByThePrograms) {
  constexpr std::uint16_t last = 11'096;
  std::vector<std::byte> room(std::size_t{last} * 100);
  itch::FrameWriter writer(room);
  for (std::uint16_t locate = 1; locate <= last; ++locate) {
    const std::string symbol = "S" + std::to_string(locate);
    ASSERT_EQ(writer.append(itch::StockDirectory{.header = {.locate = itch::Locate{locate}},
                                                 .symbol = std::string_view(symbol)}),
              itch::WriteStatus::Success);
    ASSERT_EQ(writer.append(itch::AddOrder{.header = {.locate = itch::Locate{locate}},
                                           .reference = itch::Reference{locate},
                                           .side = itch::BuySell::Buy,
                                           .shares = locate,
                                           .price = itch::Price4{1'000'000}}),
              itch::WriteStatus::Success);
  }
  write({reinterpret_cast<const char*>(room.data()), writer.written().size()});
  const std::string depth = output_of(LLMES_ITCH_DEPTH, path_, "S11096");
  EXPECT_NE(depth.find("100.0000     11096 shares in 1 order\n"), std::string::npos) << depth;
  EXPECT_EQ(depth.find("wrong"), std::string::npos) << depth;
  const std::string backtest = output_of(LLMES_BACKTEST, path_, "100 S11096");
  EXPECT_NE(backtest.find("lots filled        0 as maker, 0 as taker"), std::string::npos) << backtest;
}
#endif

#ifdef LLMES_HAS_ZLIB
TEST_F(ItchFileTest, Packed) {
  write_packed(orders(many));
  EXPECT_LT(std::filesystem::file_size(path_), many * 21);
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(count_, many);
}

TEST_F(ItchFileTest, PackedAndCutOff) {
  write_packed(orders(many));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_EQ(read(1U << 20U), path_ + ": the packed file is cut off");
  EXPECT_GT(count_, many / 4) << "what came before";
  EXPECT_LT(count_, many);
}

TEST_F(ItchFileTest, PackedAndDamaged) {
  write_packed(orders(many));
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path_)) - 8);  // the checksum
  file.write("damaged!", 4);
  file.close();
  EXPECT_EQ(read(), path_ + ": the packed file is damaged");
}
#else
TEST_F(ItchFileTest, PackedIsRefusedWithWords) {
  write("\x1f\x8b\x08");
  const std::optional<std::string> why = read();
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("built without zlib"), std::string::npos) << *why;
}
#endif

#ifdef LLMES_HAS_ZSTD
std::string packed_by_zstd(const std::string& content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 1));
  return packed;
}

/// A frame that says nothing.
const std::string skippable("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);

TEST_F(ItchFileTest, PackedByZstdInSeveralFrames) {
  const std::string content = orders(many);
  const std::string first = packed_by_zstd(content.substr(0, 100'001));
  const std::string second = packed_by_zstd(content.substr(100'001));
  for (const std::string& packed : {packed_by_zstd(content), first + second,
                                    skippable + first + packed_by_zstd("") + skippable + second + skippable}) {
    write(packed);
    EXPECT_LT(packed.size(), content.size() / 2);
    EXPECT_EQ(read(), std::nullopt);
    EXPECT_EQ(count_, many);
  }
}

TEST_F(ItchFileTest, PackedByZstdAndCutOffOrDamaged) {
  std::string packed = packed_by_zstd(orders(many));
  write(packed.substr(0, packed.size() / 2));
  EXPECT_EQ(read(1U << 20U), path_ + ": the packed file is cut off");
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  packed[4] = '\xff';
  write(packed);
  EXPECT_EQ(read(), path_ + ": the packed file is damaged");
}
#else
TEST_F(ItchFileTest, PackedByZstdIsRefusedWithWords) {
  write("\x28\xb5\x2f\xfd");
  const std::optional<std::string> why = read();
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("built without libzstd"), std::string::npos) << *why;
}
#endif

// ---- On a thread of its own.

TEST_F(ItchFileTest, ReadAheadGivesAllBytesInOrder) {
  const std::string content = orders(many);
  write(content);
  for (const std::size_t piece_size : {std::size_t{1'000}, std::size_t{1} << 20U}) {
    std::string read;
    const auto take = [&](std::span<const std::byte> bytes, bool is_last) {
      const std::size_t used = is_last ? bytes.size() : bytes.size() * 2 / 3;  // the rest comes again
      read.append(reinterpret_cast<const char*>(bytes.data()), used);
      return std::optional(used);
    };
    EXPECT_EQ(read_file_ahead(path_, take, piece_size), std::nullopt);
    EXPECT_TRUE(read == content);
  }
}

TEST_F(ItchFileTest, ReadAheadEndsWhenNobodyWantsMore) {
  write(orders(many));
  int calls = 0;
  const auto take = [&](std::span<const std::byte>, bool) {
    ++calls;
    return std::optional<std::size_t>();
  };
  EXPECT_EQ(read_file_ahead(path_, take, 100), std::nullopt);
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(read_file_ahead(
                   path_, [](std::span<const std::byte>, bool) -> std::optional<std::size_t> { throw 1; }, 100),
               int);
}

TEST_F(ItchFileTest, ReadAheadSaysWhatIsWrong) {
  const auto take = [](std::span<const std::byte> bytes, bool) { return std::optional(bytes.size()); };
  EXPECT_EQ(read_file_ahead(path_, take), path_ + ": No such file or directory");
  path_ = testing::TempDir();
  EXPECT_EQ(read_file_ahead(path_, take), path_ + ": Is a directory");
  path_ += "no_such_file";
}

}  // namespace
}  // namespace llmes
