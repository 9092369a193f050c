// SPDX-License-Identifier: MIT
//
// A file of any format gives the events of its adapter, wherever its bytes are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/story.hpp"
#include "llmes/simulator/tape_reader.hpp"
#include "tests/support/dbn_bytes.hpp"
#include "tests/support/real_data.hpp"

namespace llmes::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
template <class M>
void frame(Bytes& bytes, M message, std::uint64_t time) {
  message.header.locate = itch::Locate{2};
  message.header.timestamp = itch::Timestamp(time);
  const itch::MessageBytes of_message = itch::bytes_of(message);
  bytes.push_back(std::byte{});
  bytes.push_back(static_cast<std::byte>(of_message.size()));
  bytes.insert(bytes.end(), of_message.begin(), of_message.end());
}
Bytes itch_file() {
  Bytes bytes;
  itch::StockDirectory directory;
  directory.symbol = itch::Symbol("ABC");
  frame(bytes, directory, 1);
  itch::AddOrder add;
  add.reference = itch::Reference{7};
  add.side = itch::BuySell::Sell;
  add.shares = 50;
  add.price = itch::Price4{10'000};
  frame(bytes, add, 2);
  itch::OrderExecuted executed;
  executed.reference = itch::Reference{7};
  executed.shares = 20;
  frame(bytes, executed, 3);
  return bytes;
}
Bytes dbn_file() {
  DbnBytes file;
  DbnBytes::Header header;
  header.mappings = {{"ABC", {{20'260'101, 20'260'102, "17"}}}};
  file.header(header);
  file.record({.instrument = 17, .event_time = 5, .order_id = 9, .price = 1'000, .size = 4});
  return file.bytes;
}

struct Tape {
  std::vector<MarketEvent> events;
  std::string fault;
  TapeFormat format = TapeFormat::Unknown;
  std::string name;  // of the last event's book

  friend bool operator==(const Tape&, const Tape&) = default;
};
/// Reads a file in pieces of a size.
Tape read(const Bytes& file, std::size_t piece) {
  Tape tape;
  TapeReader reader(4);
  Bytes rest;
  const auto take = [&](const MarketEvent& event) { tape.events.push_back(event); };
  for (std::size_t at = 0; at < file.size(); at += piece) {
    const auto next = std::span(file).subspan(at, std::min(piece, file.size() - at));
    rest.insert(rest.end(), next.begin(), next.end());
    const std::size_t used = reader.read(rest, false, take);
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(used));
  }
  reader.read(rest, true, take);
  tape.fault = reader.fault();
  tape.format = reader.format();
  if (!tape.events.empty()) tape.name = reader.name(tape.events.back().book);
  return tape;
}

const Bytes lobster = bytes_of("34200.1,1,7,50,10000,-1\n34200.2,4,7,20,10000,-1\n");
constexpr const char* neither =
    "neither ITCH 5.0 with a length before each message (BinaryFILE) nor DBN (schema mbo) nor a message file of "
    "LOBSTER nor Bitstamp's order events (CSV)";

const Bytes bitstamp = bytes_of(
    "id,timestamp,exchange_timestamp,price,volume,action,direction\n"
    "7,1001,1000,100.5,2.0,created,bid\n"
    "8,1002,1001,100.5,0.5,created,ask\n8,1002,1001,100.5,0.0,deleted,ask\n7,1002,1001,100.5,1.5,changed,bid\n");

/// The same with all lengths 0.
Bytes without_lengths(Bytes itch) {
  for (std::size_t at = 0; at < itch.size(); at += 2 + itch::message_size(itch[at + 2]))
    itch[at + 1] = std::byte{};
  return itch;
}

TEST(TapeReaderTest, AFileThatNamesNoSymbolGivesItItsName) {
  EXPECT_EQ(file_symbol("data/AAPL_2012-06-21_34200000_57600000_message_10.csv"), "AAPL");
  EXPECT_EQ(file_symbol("lobster.csv"), "lobster");
  EXPECT_EQ(file_symbol("a_b/c.d/BTCUSD.csv.gz"), "BTCUSD");
  EXPECT_EQ(file_symbol("a_b/_x.csv"), "_x.csv");
  EXPECT_EQ(file_symbol(""), "");
  TapeReader lobster;
  const auto ignore = [](const MarketEvent&) {};
  lobster.read(bytes_of("1.5,1,7,10,1000000,1\n"), true, ignore);
  EXPECT_EQ(tape_names(lobster, 1, "x/ABC_1.csv"), std::vector<std::string>{"ABC"});
  TapeReader itch;
  const Bytes bytes = itch_file();
  itch.read(bytes, true, ignore);
  EXPECT_EQ(tape_names(itch, 2, "x/DEF_1"), (std::vector<std::string>{"", "ABC"}));
}

TEST(TapeReaderTest, AStoryHasTheWordsOfTheFile) {
  const std::vector<std::string> names{"ABC", ""};
  const TapeWords words{TapeFormat::Dbn, 5, names};
  EXPECT_EQ(words.price(-3), "-15");
  EXPECT_EQ(words.price(std::numeric_limits<Price>::max() - 1), "any price");
  EXPECT_EQ(words.book(0), "ABC");
  EXPECT_EQ(words.book(1), "book 1");
  EXPECT_EQ(words.book(2), "book 2");
  EXPECT_EQ(words.order(7, salted_id(7, 12'345)), "12345");
  EXPECT_EQ((TapeWords{TapeFormat::Itch, 1, names}.order(7, 12'345)), "12345");
}

TEST(TapeReaderTest, TimesOfAFileAreThoseOfAClock) {
  EXPECT_EQ(clock_of(TapeFormat::Itch, 34'200'000'000'001), "09:30:00.000000001");
  EXPECT_EQ(clock_of(TapeFormat::Lobster, 0), "00:00:00.000000000");
  EXPECT_EQ(clock_of(TapeFormat::Dbn, 1'782'864'000'000'000'000 + 86'399'999'999'999),
            "2026-07-01 23:59:59.999999999");
}

TEST(TapeReaderTest, EventsDoNotDependOnWhereBytesAreCut) {
  for (const auto& [file, format, name, count] :
       {std::tuple(itch_file(), TapeFormat::Itch, "ABC", std::size_t{2}),
        std::tuple(without_lengths(itch_file()), TapeFormat::Itch, "ABC", std::size_t{2}),
        std::tuple(dbn_file(), TapeFormat::Dbn, "ABC", std::size_t{1}),
        std::tuple(lobster, TapeFormat::Lobster, "", std::size_t{2}),
        std::tuple(bitstamp, TapeFormat::Bitstamp, "", std::size_t{2})}) {
    const Tape whole = read(file, file.size());
    EXPECT_EQ(whole.fault, "");
    EXPECT_EQ(whole.format, format);
    EXPECT_EQ(whole.name, name);
    EXPECT_EQ(whole.events.size(), count);
    for (std::size_t piece = 1; piece < file.size(); ++piece) EXPECT_EQ(read(file, piece), whole) << piece;
  }
}

TEST(TapeReaderTest, AFileThatEndsAnywhereGivesWhatCameBefore) {
  // It can end between two messages, or lines; every other end has words, or is a line that cannot be read.
  for (const auto& [file, inner_ends] :
       {std::pair(itch_file(), 2), std::pair(dbn_file(), 1), std::pair(lobster, -1), std::pair(bitstamp, -1)}) {
    const Tape whole = read(file, file.size());
    int silent = 0;
    for (std::size_t end = 1; end < file.size(); ++end) {
      const Tape part = read({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end)}, end);
      silent += part.fault.empty();
      ASSERT_LE(part.events.size(), whole.events.size()) << end;
      for (std::size_t i = 0; i + 1 < part.events.size(); ++i) EXPECT_EQ(part.events[i], whole.events[i]) << end;
    }
    if (inner_ends >= 0) {
      EXPECT_EQ(silent, inner_ends);
    }
  }
}

TEST(TapeReaderTest, WhatIsWrongHasWordsAndAnOffset) {
  Bytes cut = itch_file();
  const std::size_t size = cut.size();
  cut.pop_back();
  EXPECT_EQ(read(cut, 7).fault, "the file ends within a message, at byte " + std::to_string(size - 33));
  Bytes record = dbn_file();
  record.pop_back();
  EXPECT_EQ(read(record, 7).fault.substr(0, 44), "the file ends within its header or a record,");
  EXPECT_EQ(read(bytes_of("no tape"), 2).fault, neither);
  Bytes ended = itch_file();
  ended.resize(ended.size() + 2);  // a length of 0: the session has ended
  EXPECT_EQ(read(ended, 5).fault, "");
  EXPECT_EQ(read(Bytes{}, 1).fault, "it is empty");
}

TEST(TapeReaderTest, AllLengthsOfItchMayBeZero) {
  EXPECT_EQ(read(without_lengths(itch_file()), 50), read(itch_file(), 50));
  const Bytes some = without_lengths(itch_file());
  EXPECT_EQ(read(Bytes(some.begin(), some.end() - 1), 50).fault, "the file ends within a message, at byte 79");
}

TEST(TapeReaderTest, AFileOfNoFormatIsNone) {
  const std::string companion = "5859400,200,5853300,18,5859800,200,5853000,150\n";
  const std::string near = "its first line is none of LOBSTER's message files: ";
  const std::string fields = "time, type, order id, size, price, direction";
  for (const auto& [text, words] : {
           std::pair(companion,
                     near + "8 whole numbers, as the orderbook file has beside it; read the message file"),
           std::pair("\r\n" + companion,
                     near + "8 whole numbers, as the orderbook file has beside it; read the message file"),
           std::pair(std::string("34200.1,1,7,50,10000,-1,MPID\n"), near + "7 fields, not 6: " + fields),
           std::pair(std::string("34200.1,1,7,50,10000,-1,\n"), near + "7 fields, not 6: " + fields),
           std::pair(std::string("34200.1,1,7,50,100.5,-1\n"),
                     near + "the price '100.5' is no whole number of ten-thousandths of a dollar"),
           std::pair(std::string("2026-11-27,100.5\n2026-11-27,100.6\n"), near + "2 fields, not 6: " + fields),
           std::pair(std::string("1\n"), near + "1 field, not 6: " + fields),
           std::pair(std::string("34200.1;1;7;50;10000;-1"), near + "1 field, not 6: " + fields),
           std::pair(std::string("10:00,1,7,50,10000,-1"), near + "its fields are not " + fields),
           std::pair(std::string("\"34200.1,1,7,50,10000,-1"), near + "its quotes do not match"),
           std::pair(std::string(5'000, '1'), near + "1 field, not 6: " + fields),
           std::pair(
               "id,price\n" + companion,
               std::string("its first line is 'id,price', and not 'id,timestamp,exchange_timestamp,price,volume,"
                           "action,direction' as of Bitstamp's order events")),
           std::pair("price,id\n" + companion, std::string(neither)),
           std::pair(std::string(5'000, '\0'), std::string(neither)),
           std::pair(std::string("\0\x24X", 3), std::string(neither)),  // of a length that its type does not have
           std::pair(std::string("DB"), std::string(neither)),
           std::pair(std::string("\n\n"), std::string(neither)),
           std::pair(std::string("\x1f\x8b\x08\x00", 4), std::string("it is packed by gzip; unpack it first")),
           std::pair(std::string("\x28\xb5\x2f\xfd"), std::string("it is packed by zstd; unpack it first")),
           std::pair(std::string("\x5a\x2a\x4d\x18"), std::string("it is packed by zstd; unpack it first")),
           std::pair(std::string("BZh9"), std::string("it is packed by bzip2; unpack it first")),
           std::pair(std::string("\xfd"
                                 "7zXZ"),
                     std::string("it is packed by xz; unpack it first")),
           std::pair(std::string("PK\x03\x04"), std::string("it is packed by zip; unpack it first")),
       }) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
      const Tape tape = read(bytes_of(text), piece);
      EXPECT_EQ(tape.fault, words) << text.substr(0, 60);
      EXPECT_EQ(tape.format, TapeFormat::Unknown);
      EXPECT_TRUE(tape.events.empty());
    }
  }
}

TEST(TapeReaderTest, TheFormatIsKnownByTheFirstMessageOfAKnownType) {
  Bytes bytes = {std::byte{}, std::byte{3}, std::byte{'z'}, std::byte{}, std::byte{}};
  const Bytes itch = itch_file();
  EXPECT_EQ(tape_format_of(bytes, false), std::nullopt);
  bytes.insert(bytes.end(), itch.begin(), itch.end());
  EXPECT_EQ(tape_format_of(bytes, false), TapeFormat::Itch);
  EXPECT_EQ(tape_format_of(std::span(itch).first(2), false), std::nullopt);
  EXPECT_EQ(tape_format_of(std::span(lobster).first(20), false), std::nullopt);
  const Bytes ends(2);  // a session without messages
  EXPECT_EQ(tape_format_of(ends), TapeFormat::Itch);
  EXPECT_EQ(read(ends, 1).fault, "");
  EXPECT_EQ(tape_format_fault(itch, TapeFormat::Itch), "");
  EXPECT_EQ(tape_format_fault(itch, TapeFormat::Itch, TapeFormat::Itch), "");
  EXPECT_EQ(tape_format_fault(itch, TapeFormat::Itch, TapeFormat::Dbn), "this is ITCH 5.0, not DBN");
}

TEST(TapeReaderTest, TellsWhatAFileIs) {
  const auto whole = [](const Bytes& file, BookNumber book = 0) {
    TapeReader reader;
    reader.read(file, true, [](const MarketEvent&) {});
    return std::tuple(reader.format_words(), reader.name(book), reader.publisher(book), reader.counts().records,
                      reader.passed_over(), reader.aggressor_fills(), reader.first_unreadable().value_or(99));
  };
  EXPECT_EQ(whole({}), std::tuple("an unknown format", "", 0, 0u, 0u, 0u, 99u));
  EXPECT_EQ(whole(itch_file(), 1), std::tuple("ITCH 5.0", "ABC", 0, 3u, 0u, 0u, 99u));
  EXPECT_EQ(whole(itch_file(), 9), std::tuple("ITCH 5.0", "", 0, 3u, 0u, 0u, 99u));
  EXPECT_EQ(whole(lobster), std::tuple("LOBSTER", "", 0, 2u, 0u, 0u, 99u));
  EXPECT_EQ(whole(bytes_of("34200.1,1,7,50,10000,-1\n34200.1\n")), std::tuple("LOBSTER", "", 0, 2u, 0u, 0u, 1u));
  DbnBytes file;
  file.header({});
  file.record({.instrument = 18, .order_id = 9, .price = 1'000, .size = 4});
  file.record({.instrument = 18, .size = 4, .flags = 0, .action = 'T', .side = 'B'});
  file.record({.instrument = 18, .order_id = 5, .size = 4, .action = 'F', .side = 'B'});
  EXPECT_EQ(whole(file.bytes), std::tuple("DBN of version 3, XNAS.ITCH", "18", 2, 3u, 0u, 1u, 99u));
}

/// Of LOBSTER's public sample, against its companion. The rest of its lines differ by orders that rested before:
/// the companion has all our lots, and more, on its seven best levels.
TEST(TapeReaderTest, ARealFileOfLobsterGivesTheBookOfItsOrderbookFile) {
  LLMES_NEEDS_REAL_DATA(path, "AAPL_2012-06-21_34200000_57600000_message_10.csv");
  const std::filesystem::path orderbook = real_data("AAPL_2012-06-21_34200000_57600000_orderbook_10.csv");
  const auto text_of = [](const std::filesystem::path& from) {
    std::ifstream file(from, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string text = text_of(path);
  CreateStatus status{};
  auto books = MarketBooks::create({.books = 1, .capacity = 1'000}, status);
  std::istringstream expected(text_of(orderbook));
  std::size_t lines = 0;
  std::size_t same = 0;
  std::size_t executions = 0;
  std::size_t compared = 0;
  NoDetails none;
  TapeReader reader;
  reader.read(std::as_bytes(std::span(text)), true, [&](const MarketEvent& event) {
    static_cast<void>(books->apply(event, none));
    const bool is_execution = event.type == MarketEventType::Execute;
    executions += (is_execution && event.priced) || event.type == MarketEventType::Trade;
    EXPECT_TRUE(event.price > 5'000'000 || (event.type != MarketEventType::Add && !is_execution));
    const auto level = [&](Side side) {
      const std::optional<Price> best = books->set().book(0)->best(side);
      return best ? std::pair(*best, books->set().book(0)->level(side, *best).quantity)
                  : std::pair(Price{}, Quantity{});
    };
    std::string line;
    std::getline(expected, line);
    std::istringstream numbers(line);
    std::array<std::map<Price, Quantity>, 2> theirs;  // by side
    std::pair<Price, Quantity> ask;
    std::pair<Price, Quantity> bid;
    for (int i = 0; i < 7; ++i) {  // beyond the tenth level the file tells of no cancel, so old orders come back
      for (const Side side : {Side::Sell, Side::Buy}) {
        std::pair<Price, Quantity> one;
        char comma = 0;
        numbers >> one.first >> comma >> one.second >> comma;
        if (i == 0) (side == Side::Sell ? ask : bid) = one;
        theirs[static_cast<std::size_t>(side)].insert(one);
      }
    }
    ++lines;
    same += ask == level(Side::Sell) && bid == level(Side::Buy);
    for (const Side side : {Side::Sell, Side::Buy}) {
      const std::map<Price, Quantity>& levels = theirs[static_cast<std::size_t>(side)];
      std::map<Price, Quantity> ours;
      books->set().book(0)->visit_orders(side,
                                         [&](const RestingOrder& order) { ours[order.price] += order.quantity; });
      for (const auto& [price, lots] : ours) {
        if (price < levels.begin()->first || price > levels.rbegin()->first) continue;
        const auto found = levels.find(price);
        ASSERT_TRUE(found != levels.end() && found->second >= lots) << "line " << lines << ", price " << price;
        ++compared;
      }
    }
  });
  EXPECT_EQ(compared, 11'092u);
  EXPECT_EQ(reader.fault(), "");
  EXPECT_EQ(lines, 999u);
  EXPECT_EQ(same, 952u);
  EXPECT_EQ(executions, 159u);
  const std::string other = text_of(orderbook);
  TapeReader companion;
  companion.read(std::as_bytes(std::span(other)), true, [](const MarketEvent&) { ADD_FAILURE(); });
  EXPECT_NE(companion.fault().find("40 whole numbers, as the orderbook file has"), std::string::npos);
}

/// A live session's header knows no instruments; records say which symbol each has, in the form of their version.
TEST(TapeReaderTest, ALiveSessionNamesItsInstrumentsByRecords) {
  const auto mapping = [](DbnBytes& file, int version, std::uint32_t instrument, std::string_view requested,
                          std::string_view symbol) {
    const std::size_t width = version == 1 ? 22 : 71;
    file.number(version == 1 ? 20 : 44, 1).number(0x16, 1).number(2, 2).number(instrument, 4).number(0, 8);
    if (version != 1) file.number(4, 1);
    file.text(requested, width);
    if (version != 1) file.number(1, 1);
    file.text(symbol, width);
    if (version == 1) file.number(0, 4);
    file.number(0, 8).number(0, 8);
  };
  for (const int version : {1, 2, 3}) {
    DbnBytes file;
    file.header({.version = version, .schema = 0xffff});
    mapping(file, version, 18, "ES.FUT", "ESH7");
    file.record({.instrument = 18, .order_id = 9, .price = 1'000, .size = 4});
    mapping(file, version, 19, "NQH7", "19");
    file.record({.instrument = 19, .order_id = 9, .price = 1'000, .size = 4});
    file.record({.instrument = 20, .order_id = 9, .price = 1'000, .size = 4});
    mapping(file, version, 18, "ES.FUT", "ESM7");
    file.number(5, 1).number(0x16, 1).text("", 18);  // too short for a mapping
    for (std::size_t piece : {std::size_t{1}, std::size_t{50}, file.bytes.size()}) {
      TapeReader reader(4);
      Bytes rest;
      for (std::size_t at = 0; at < file.bytes.size(); at += piece) {
        const auto next = std::span(file.bytes).subspan(at, std::min(piece, file.bytes.size() - at));
        rest.insert(rest.end(), next.begin(), next.end());
        const std::size_t used = reader.read(rest, at + piece >= file.bytes.size(), [](const MarketEvent&) {});
        rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(used));
      }
      EXPECT_EQ(reader.fault(), "");
      EXPECT_EQ(reader.name(0), "ESM7") << version;
      EXPECT_EQ(reader.name(1), "NQH7") << version;
      EXPECT_EQ(reader.name(2), "20") << version;
      EXPECT_EQ(reader.passed_over(), 1u) << version;
    }
  }
}

TEST(TapeReaderTest, WhatATakerThrowsComesOut) {
  DbnBytes open;  // events that do not end
  open.header({}).record({.size = 1, .flags = 0}).record({.size = 1, .flags = 0});
  for (const Bytes& file : {itch_file(), dbn_file(), open.bytes, lobster}) {
    TapeReader reader;
    EXPECT_THROW(reader.read(file, true, [](const MarketEvent&) { throw std::runtime_error("a strategy"); }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace llmes::test
