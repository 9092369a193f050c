// SPDX-License-Identifier: MIT
//
// FIX as bytes: values, frames, fields and the dictionary, against messages written by hand; every cut and every
// flipped bit of them; and what is written is read again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/fix_text.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test {
namespace {

using namespace std::literals;
using fix::FaultKind;
using fix::RejectReason;

TEST(FixValues, Numbers) {
  EXPECT_EQ(fix::read_number("0"), 0u);
  EXPECT_EQ(fix::read_number("0017"), 17u);
  EXPECT_EQ(fix::read_number("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const auto bad : {"", "-1", "+1", " 1", "1 ", "1.0", "18446744073709551616", "0x1"})
    EXPECT_FALSE(fix::read_number(bad)) << bad;
}

TEST(FixValues, DecimalsAreCountedInUnits) {
  struct Case {
    std::string_view text;
    unsigned decimals;
    std::optional<std::int64_t> units;
  };
  for (const Case& c : {Case{"100.25", 2, 10'025},
                        Case{"100.25", 4, 1'002'500},
                        Case{"100.2500000000000000000000", 2, 10'025},
                        Case{"-0.5", 1, -5},
                        Case{".5", 1, 5},
                        Case{"5.", 0, 5},
                        Case{"007", 0, 7},
                        Case{"0.00", 0, 0},
                        Case{"9223372036854775807", 0, std::numeric_limits<std::int64_t>::max()},
                        Case{"9223372036854775808", 0, {}},
                        Case{"922337203685477580.8", 1, {}},
                        Case{"100.255", 2, {}},
                        Case{"", 2, {}},
                        Case{"-", 2, {}},
                        Case{".", 2, {}},
                        Case{"1.2.3", 2, {}},
                        Case{"1e3", 2, {}},
                        Case{"+1", 2, {}},
                        Case{"--1", 2, {}},
                        Case{"1,5", 2, {}}})
    EXPECT_EQ(fix::read_decimal(c.text, c.decimals), c.units) << c.text;
  EXPECT_EQ(fix::ValueText::of_decimal(10'025, 2).view(), "100.25");
  EXPECT_EQ(fix::ValueText::of_decimal(-5, 2).view(), "-0.05");
  EXPECT_EQ(fix::ValueText::of_decimal(1'000, 2).view(), "10");
  EXPECT_EQ(fix::ValueText::of_decimal(std::numeric_limits<std::int64_t>::min(), 18).view(),
            "-9.223372036854775808");
}

TEST(FixValues, Times) {
  constexpr fix::Nanoseconds day = 86'400'000'000'000;
  EXPECT_EQ(fix::read_time("19700101-00:00:00"), 0u);
  EXPECT_EQ(fix::read_time("19700102-00:00:01.5"), std::nullopt);
  EXPECT_EQ(fix::read_time("19700102-00:00:01.500"), day + 1'500'000'000);
  EXPECT_EQ(fix::read_time("19700102-00:00:01.000005"), day + 1'000'005'000);
  EXPECT_EQ(fix::read_time("20000229-23:59:60"), fix::read_time("20000301-00:00:00"));
  EXPECT_EQ(fix::read_time("20261127-19:30:00.123456789"), 1'795'807'800'123'456'789u);
  EXPECT_EQ(fix::ValueText::of_time(1'795'807'800'123'456'789u, 9).view(), "20261127-19:30:00.123456789");
  EXPECT_EQ(fix::ValueText::of_time(1'795'807'800'123'456'789u, 3).view(), "20261127-19:30:00.123");
  EXPECT_EQ(fix::ValueText::of_time(1'795'807'800'123'456'789u, 0).view(), "20261127-19:30:00");
  for (const auto bad : {"", "20261127", "20261127 19:30:00", "20261327-19:30:00", "20260229-19:30:00",
                         "20261127-24:00:00", "20261127-19:60:00", "20261127-19:30:61", "19691231-23:59:59",
                         "99991231-23:59:59", "20261127-19:30:00.", "20261127-19:30:00:123"})
    EXPECT_FALSE(fix::read_time(bad)) << bad;
}

TEST(FixValues, AMillisecondIsNeverBeforeItsTime) {
  EXPECT_EQ(fix::next_millisecond(0), 0u);
  EXPECT_EQ(fix::next_millisecond(1), 1'000'000u);
  EXPECT_EQ(fix::next_millisecond(1'000'000), 1'000'000u);
  EXPECT_EQ(fix::next_millisecond(1'000'001), 2'000'000u);
}

TEST(FixValues, WhatIsWrittenIsReadAgain) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t number = random.next() >> random.below(64);
    EXPECT_EQ(fix::read_number(fix::ValueText(number).view()), number);
    const unsigned decimals = static_cast<unsigned>(random.below(19));
    const auto units = static_cast<std::int64_t>(number >> 1) * (random.chance(50) ? 1 : -1);
    EXPECT_EQ(fix::read_decimal(fix::ValueText::of_decimal(units, decimals).view(), decimals), units);
    const fix::Nanoseconds time = number % 15'000'000'000'000'000'000u;
    EXPECT_EQ(fix::read_time(fix::ValueText::of_time(time, 9).view()), time);
  }
}

const std::string order_body =
    "35=D|34=7|49=CLIENT|52=20261127-19:30:00.000|56=VENUE|11=one|55=ABC|54=1|60=20261127-19:30:00|38=100|40=2|"
    "44=10.25|";

/// What a reader gives of some bytes.
struct Read {
  std::vector<std::string> bodies{};
  std::size_t garbled = 0;
  std::size_t left = 0;  ///< bytes of a message that is not complete
};
Read read(std::string_view bytes) {
  // As much room as bytes, so that the sanitizer sees a read beyond them.
  const std::vector<char> room(bytes.begin(), bytes.end());
  fix::FrameReader reader(std::as_bytes(std::span(room)));
  Read all;
  while (const std::optional<fix::Frame> frame = reader.next())
    all.bodies.push_back(readable(std::string(frame->body)));
  all.garbled = reader.garbled();
  all.left = bytes.size() - reader.offset();
  return all;
}

TEST(FixFrames, AMessageByHand) {
  // The sample of the checksum, counted with a pocket calculator.
  const std::string text = fields("8=FIX.4.4|9=5|35=0|10=163|");
  EXPECT_EQ(framed("35=0|"), text);
  EXPECT_EQ(read(text).bodies, std::vector{"35=0|"s});
  const Read two = read(framed(order_body) + framed("35=0|34=8|", "FIXT.1.1"));
  EXPECT_EQ(two.bodies, (std::vector{order_body, "35=0|34=8|"s}));
  EXPECT_EQ(two.garbled, 0u);
  EXPECT_EQ(two.left, 0u);
}

TEST(FixFrames, ALengthMayHaveAnyNumberOfDigits) {
  for (const std::size_t digits : {2u, 5u, 6u, 20u, 1'000u, 8'192u}) {
    const std::string text = framed(order_body, "FIX.4.4", digits) + framed("35=0|34=8|");
    EXPECT_EQ(read(text).bodies, (std::vector{order_body, "35=0|34=8|"s})) << digits;
    EXPECT_EQ(read(text).garbled, 0u) << digits;
  }
  const std::string largest = "35=0|58=" + std::string(fix::body_max - 9, 'x') + "|";
  EXPECT_EQ(read(framed(largest, "FIXT.1.1", fix::body_max)).bodies, std::vector{largest});
  EXPECT_LE(framed(largest, "FIXT.1.1", fix::body_max).size(), fix::received_max);
  const Read above = read(framed(order_body, "FIX.4.4", fix::body_max + 1) + framed("35=0|34=8|"));
  EXPECT_EQ(above.bodies, std::vector{"35=0|34=8|"s});
  EXPECT_GE(above.garbled, 1u);
}

TEST(FixFrames, GarbledMessagesAreSkipped) {
  const std::string good = framed("35=0|34=8|");
  for (const std::string& bad :
       {fields("8=FIX.4.4|9=5|35=0|10=164|"), fields("8=FIX.4.4|9=6|35=0|10=164|"),
        fields("8=FIX.4.4|9=4|35=0|10=162|"), fields("9=5|8=FIX.4.4|35=0|10=163|"),
        fields("8=FIX.4.4|35=0|9=5|10=163|"), framed("34=8|35=0|"), fields("8=FIX.4.4|9=|35=0|10=163|"),
        fields("8=FIX.4.4|9=-5|35=0|10=163|"), fields("8=FIX.4.4|9=99999|35=0|"), fields("8=FIX.4.4|9=9999|35=0|"),
        fields("8=FIX.4.4567890|9=5|35=0|10=000|"), fields("8=FIX.4.4|9=0|10=000|"), "GET / HTTP/1.1\r\n\r\n"s,
        fields("8=FIX.4.4|9=5|35=0|10=1x3|"), fields("8=FIX.4.4|9=5|35=0|10=1634"), "8=FI"s, "8"s}) {
    const Read first = read(bad + good + good);
    EXPECT_EQ(first.bodies, (std::vector<std::string>(2, "35=0|34=8|"))) << readable(bad);
    EXPECT_GE(first.garbled, 1u) << readable(bad);
    EXPECT_EQ(first.left, 0u) << readable(bad);
  }
}

TEST(FixFrames, EveryCutAndEveryFlippedBit) {
  const std::string message = framed(order_body);
  for (std::size_t cut = 0; cut < message.size(); ++cut) {
    const Read first = read(message.substr(0, cut));
    ASSERT_TRUE(first.bodies.empty() && first.garbled == 0 && first.left == cut) << cut;
  }
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    std::string flipped = message + message;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const Read first = read(flipped);
    ASSERT_LE(first.bodies.size(), 1u) << bit;
    // A length that has grown waits for more bytes; each other fault leaves the second message.
    if (first.left == 0) {
      ASSERT_EQ(first.bodies, std::vector{order_body}) << bit;
    }
  }
}

fix::Message message_of(const std::string& text) {
  fix::FrameReader reader(bytes_of(text));
  const std::optional<fix::Frame> frame = reader.next();
  return fix::Message(frame ? *frame : fix::Frame{});
}

TEST(FixFields, AreFoundByTag) {
  const std::string text = framed(order_body);
  const fix::Message message = message_of(text);
  EXPECT_EQ(message.fault().kind, FaultKind::None);
  EXPECT_EQ(message.begin_string(), "FIX.4.4");
  EXPECT_EQ(message.type(), "D");
  EXPECT_EQ(message.fields().size(), 12u);
  EXPECT_EQ(message.number(34), 7u);
  EXPECT_EQ(message.text(44), "10.25");
  EXPECT_EQ(message.find(99), nullptr);
  EXPECT_FALSE(message.flag(43));
  EXPECT_TRUE(message.time(52));
}

TEST(FixFields, DataMayHoldSeparators) {
  const std::string text = framed("35=A|95=7|96=a|10=00|108=30|");
  const fix::Message message = message_of(text);
  EXPECT_EQ(message.fault().kind, FaultKind::None);
  EXPECT_EQ(readable(std::string(message.text(96))), "a|10=00");
  EXPECT_EQ(message.text(108), "30");
}

TEST(FixFields, FaultsAreTypedAndPlaced) {
  struct Case {
    std::string body;
    FaultKind kind;
    std::uint32_t tag;
    std::size_t offset;
  };
  std::string many = "35=0|";
  for (std::size_t i = 0; i < fix::Message::fields_max; ++i) many += "58=x|";
  for (const Case& c :
       {Case{"35=0|abc=1|", FaultKind::InvalidTag, 0, 5}, Case{"35=0|=1|", FaultKind::InvalidTag, 0, 5},
        Case{"35=0||", FaultKind::InvalidTag, 0, 5}, Case{"35=0|0=1|", FaultKind::InvalidTag, 0, 5},
        Case{"35=0|012=1|", FaultKind::InvalidTag, 0, 5}, Case{"35=0|-5=1|", FaultKind::InvalidTag, 0, 5},
        Case{"35=0|99999999999=1|", FaultKind::InvalidTag, 0, 5},
        Case{"35=0|58=|112=x|", FaultKind::NoValue, 58, 5}, Case{"35=0|58|", FaultKind::InvalidTag, 0, 5},
        Case{"35=0|95=3|96=abcd|", FaultKind::DataLength, 96, 10},
        Case{"35=0|95=99|96=abcd|", FaultKind::DataLength, 96, 11},
        Case{"35=0|95=x|96=abcd|", FaultKind::DataLength, 96, 10},
        Case{"35=0|96=abcd|", FaultKind::DataLength, 96, 5},
        Case{"35=0|95=4|58=abcd|", FaultKind::DataLength, 58, 10},
        Case{"35=0|95=4|", FaultKind::DataLength, 96, 10},
        Case{many, FaultKind::TooManyFields, 58, 5 + (fix::Message::fields_max - 1) * 5}}) {
    const std::string text = framed(c.body);
    const fix::Fault fault = message_of(text).fault();
    EXPECT_EQ(fault.kind, c.kind) << c.body;
    EXPECT_EQ(fault.tag, c.tag) << c.body;
    EXPECT_EQ(fault.offset, c.offset) << c.body;
  }
}

TEST(FixWriter, WritesWhatIsReadAgain) {
  std::array<std::byte, 400> fields_room{};
  fix::FieldWriter writer(fields_room);
  writer.text(11, "one").letter(54, '1').decimal(44, 1'025, 2).number(38, 100).text(58, "");
  writer.data(95, fields("a|b")).time(60, 1'795'807'800'000'000'000u, 0).flag(123, true);
  ASSERT_TRUE(writer.is_whole());
  EXPECT_EQ(readable(std::string(writer.view())),
            "11=one|54=1|44=10.25|38=100|95=3|96=a|b|60=20261127-19:30:00|123=Y|");

  const fix::Header header{.begin_string = "FIX.4.4",
                           .type = "D",
                           .sequence = 12,
                           .sender = "CLIENT",
                           .target = "VENUE",
                           .time = 1'795'807'800'123'000'000u,
                           .original_time = "20261127-19:00:00"};
  std::array<std::byte, 500> room{};
  const std::size_t size = fix::write_message(room, header, writer.view());
  const std::string text = text_of(std::span(room).first(size));
  EXPECT_EQ(text, framed("35=D|34=12|49=CLIENT|52=20261127-19:30:00.123|56=VENUE|43=Y|122=20261127-19:00:00|" +
                         readable(std::string(writer.view()))));
  // Too little room writes nothing; nothing beyond the room is written.
  for (std::size_t less = 0; less < size; ++less) {
    std::vector<std::byte> small(less);
    ASSERT_EQ(fix::write_message(small, header, writer.view()), 0u) << less;
  }
}

TEST(FixWriter, RefusesSeparatorsAndTooLongBodies) {
  std::array<std::byte, 64> room{};
  fix::FieldWriter writer(room);
  writer.text(58, fields("a|b")).text(11, "behind");
  EXPECT_FALSE(writer.is_whole());
  EXPECT_EQ(writer.view(), "");
  std::vector<std::byte> large(10'000);
  const fix::Header header{.begin_string = "FIX.4.4", .type = "0", .sequence = 1, .sender = "A", .target = "B"};
  EXPECT_EQ(fix::write_message(large, header, "58=" + std::string(fix::body_max, 'x') + fields("|")), 0u);
}

TEST(FixWriter, RandomMessagesComeBack) {
  Random random(2);
  std::string stream;
  std::vector<std::vector<std::pair<std::uint32_t, std::string>>> written;
  for (int i = 0; i < 500; ++i) {
    std::array<std::byte, 4'000> fields_room{};
    std::array<std::byte, 5'000> room{};
    fix::FieldWriter writer(fields_room);
    auto& list = written.emplace_back();
    for (std::uint64_t left = random.below(40); left > 0; --left) {
      std::string value(1 + random.below(30), 'x');
      const bool is_data = random.chance(20);
      for (char& letter : value) {
        do letter = static_cast<char>(random.next());
        while (letter == fix::separator && !is_data);
      }
      if (is_data) {
        writer.data(354, value);
        list.emplace_back(354, std::to_string(value.size()));
        list.emplace_back(355, value);
      } else {
        const auto tag = static_cast<std::uint32_t>(5'000 + random.below(100'000));
        writer.text(tag, value);
        list.emplace_back(tag, value);
      }
    }
    ASSERT_TRUE(writer.is_whole());
    stream += text_of(std::span(room).first(fix::write_message(
        room, {.begin_string = "FIXT.1.1", .type = "D", .sequence = random.next(), .sender = "A", .target = "B"},
        writer.view())));
  }
  fix::FrameReader reader(bytes_of(stream));
  for (const auto& list : written) {
    const std::optional<fix::Frame> frame = reader.next();
    ASSERT_TRUE(frame);
    const fix::Message message(*frame);
    ASSERT_EQ(message.fault().kind, FaultKind::None);
    std::vector<std::pair<std::uint32_t, std::string>> read;
    for (const fix::Field& field : message.fields().subspan(5)) read.emplace_back(field.tag, field.value);
    ASSERT_EQ(read, list);
  }
  EXPECT_EQ(reader.offset(), stream.size());
}

TEST(FixDictionary, SaysWhatIsWrongFirst) {
  EXPECT_FALSE(fix::check(message_of(framed(order_body))));
  struct Case {
    std::string change;  // fields behind the order, or instead of one
    std::optional<RejectReason> reason;
    std::uint32_t tag;
  };
  const auto changed = [](const std::string& change) {
    std::string body = order_body;
    const std::string tag = change.substr(0, change.find('=') + 1);
    if (const std::size_t at = body.find("|" + tag); at != body.npos && change[0] != '+') {
      body.erase(at + 1, body.find('|', at + 1) - at);
      return change.back() == '|' ? body + change : body;
    }
    return body + change.substr(change[0] == '+');
  };
  for (const Case& c : {Case{"58=hello|", {}, 0},
                        Case{"44=", {}, 0},
                        Case{"11=", RejectReason::RequiredTagMissing, 11},
                        Case{"55=", RejectReason::RequiredTagMissing, 55},
                        Case{"60=", RejectReason::RequiredTagMissing, 60},
                        Case{"52=", RejectReason::RequiredTagMissing, 52},
                        Case{"999=1|", RejectReason::TagNotOfMessage, 999},
                        Case{"112=x|", RejectReason::TagNotOfMessage, 112},
                        Case{"3000=x|", RejectReason::InvalidTag, 3'000},
                        Case{"5001=x|", RejectReason::UndefinedTag, 5'001},
                        Case{"x=x|", RejectReason::InvalidTag, 0},
                        Case{"58=|", RejectReason::NoValue, 58},
                        Case{"54=9|", RejectReason::IncorrectValue, 54},
                        Case{"59=7|", RejectReason::IncorrectValue, 59},
                        Case{"54=12|", RejectReason::IncorrectFormat, 54},
                        Case{"38=many|", RejectReason::IncorrectFormat, 38},
                        Case{"60=now|", RejectReason::IncorrectFormat, 60},
                        Case{"+38=100|", RejectReason::TagTwice, 38},
                        Case{"57=X|", RejectReason::TagOutOfOrder, 57},
                        Case{"43=Y|", RejectReason::TagOutOfOrder, 43},
                        Case{"93=1|89=x|", {}, 0},
                        Case{"93=1|89=x|58=x|", RejectReason::TagOutOfOrder, 58},
                        Case{"93=2|89=x|", RejectReason::SeparatorInValue, 89},
                        Case{"453=0|", {}, 0},
                        Case{"453=2|448=a|447=D|452=1|448=b|58=x|", {}, 0},
                        Case{"453=1|448=a|447=D|452=1|448=b|58=x|", RejectReason::GroupCount, 453},
                        Case{"453=2|", RejectReason::GroupCount, 453},
                        Case{"453=1|447=D|448=a|", RejectReason::GroupOutOfOrder, 447},
                        Case{"453=1|448=a|452=1|447=D|", RejectReason::GroupOutOfOrder, 447},
                        Case{"448=a|", RejectReason::GroupOutOfOrder, 448}}) {
    const std::string text = framed(changed(c.change));
    const std::optional<fix::Rejection> rejection = fix::check(message_of(text));
    ASSERT_EQ(rejection.has_value(), c.reason.has_value()) << readable(text);
    if (!rejection) continue;
    EXPECT_EQ(fix::to_string(rejection->reason), fix::to_string(*c.reason)) << readable(text);
    EXPECT_EQ(rejection->tag, c.tag) << readable(text);
    EXPECT_NE(fix::words_of(*rejection).view().find(c.tag == 0 ? "x=x"s : ": " + std::to_string(c.tag)),
              std::string_view::npos)
        << fix::words_of(*rejection).view();
  }
  EXPECT_EQ(fix::words_of({RejectReason::IncorrectValue, 54, fields("a|\n" + std::string(60, 'x'))}).view(),
            "Value is incorrect for this tag: 54=a??" + std::string(45, 'x') + "...");
  const std::string unknown = framed("35=AE|34=1|");
  EXPECT_EQ(fix::check(message_of(unknown))->reason, RejectReason::InvalidMessageType);
  EXPECT_TRUE(fix::is_message_type("AE") && fix::is_message_type("8"));
  EXPECT_FALSE(fix::is_message_type("") || fix::is_message_type("!") || fix::is_message_type("ZZ") ||
               fix::is_message_type("AAA"));
}

const std::string quote_head = "35=i|34=7|49=CLIENT|52=20261127-19:30:00.000|56=VENUE|117=q|";

TEST(FixGroups, SayWhatIsWrongFirst) {
  struct Case {
    std::string body;
    std::optional<RejectReason> reason;
    std::uint32_t tag;
  };
  const std::string entry = "299=1|55=A|132=1|133=2|134=3|135=4|";
  for (const Case& c :
       {Case{"296=0|", {}, 0}, Case{"296=1|302=a|304=0|295=0|", {}, 0},
        Case{"296=1|302=a|304=1|295=1|" + entry, {}, 0},
        Case{"296=2|302=a|304=2|295=2|" + entry + "299=2|55=B|302=b|304=1|295=1|" + entry + "5296=Y|", {}, 0},
        Case{"1=7|296=1|302=a|304=1|295=1|299=1|55=A|135=4|537=1|", {}, 0},
        // Counts.
        Case{"296=1|", RejectReason::GroupCount, 296},
        Case{"296=2|302=a|304=1|295=1|" + entry, RejectReason::GroupCount, 296},
        Case{"296=1|302=a|304=1|295=1|" + entry + "302=b|304=0|295=0|", RejectReason::GroupCount, 296},
        Case{"296=1|302=a|304=1|295=2|" + entry, RejectReason::GroupCount, 295},
        Case{"296=1|302=a|304=1|295=0|" + entry, RejectReason::GroupCount, 295},
        Case{"296=2|302=a|304=1|295=1|" + entry + entry + "302=b|304=0|295=0|", RejectReason::GroupCount, 295},
        // The order: the first tag begins an entry.
        Case{"296=1|304=1|302=a|295=1|" + entry, RejectReason::GroupOutOfOrder, 304},
        Case{"296=1|302=a|295=1|304=1|" + entry, RejectReason::GroupOutOfOrder, 304},
        Case{"296=1|302=a|304=1|" + entry + "295=1|", RejectReason::GroupOutOfOrder, 299},
        Case{"296=1|302=a|304=1|295=1|55=A|299=1|", RejectReason::GroupOutOfOrder, 55},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|133=2|132=1|", RejectReason::GroupOutOfOrder, 132},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|132=1|132=1|", RejectReason::GroupOutOfOrder, 132},
        Case{"296=1|302=a|304=1|304=1|295=1|" + entry, RejectReason::GroupOutOfOrder, 304},
        // What an entry must have, and what it may not.
        Case{"296=1|302=a|295=1|" + entry, RejectReason::RequiredTagMissing, 304},
        Case{"296=1|302=a|304=1|", RejectReason::RequiredTagMissing, 295},
        Case{"296=1|302=a|304=2|295=2|" + entry + "299=2|132=1|", RejectReason::RequiredTagMissing, 55},
        Case{"296=1|302=a|304=1|295=1|299=1|54=1|55=A|", RejectReason::RequiredTagMissing, 55},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|54=1|", RejectReason::TagNotOfMessage, 54},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|1167=0|", RejectReason::TagNotOfMessage, 1'167},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|9000=0|", RejectReason::UndefinedTag, 9'000},
        Case{"296=1|302=a|304=1|295=1|" + entry + "5296=Y|135=4|", RejectReason::GroupOutOfOrder, 135},
        Case{"299=1|296=0|", RejectReason::GroupOutOfOrder, 299},
        Case{"295=0|296=0|", RejectReason::GroupOutOfOrder, 295},
        Case{"296=0|296=0|", RejectReason::TagTwice, 296},
        // Values.
        Case{"296=1|302=a|304=1|295=x|" + entry, RejectReason::IncorrectFormat, 295},
        Case{"296=1|302=a|304=1|295=1|299=1|55=A|132=much|", RejectReason::IncorrectFormat, 132},
        Case{"296=1|302=a|304=1|295=1|299=1|55=|", RejectReason::NoValue, 55},
        Case{"453=1|448=x|447=DD|296=0|", RejectReason::IncorrectFormat, 447}}) {
    const std::string text = framed(quote_head + c.body);
    const std::optional<fix::Rejection> rejection = fix::check(message_of(text));
    ASSERT_EQ(rejection.has_value(), c.reason.has_value()) << c.body;
    if (!rejection) continue;
    EXPECT_EQ(fix::to_string(rejection->reason), fix::to_string(*c.reason)) << c.body;
    EXPECT_EQ(rejection->tag, c.tag) << c.body;
  }
}

/// What groups at random have is what the reader gives; a field more, less or elsewhere is noticed unless it is
/// one that an entry need not have.
TEST(FixGroups, GiveWhatWasWritten) {
  std::array<int, 20> reasons{};
  int right = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Random random(seed);
    std::vector<std::vector<std::string>> sets(random.below(4));
    std::vector<std::string> written{"296=" + std::to_string(sets.size()) + "|"};
    for (std::vector<std::string>& set : sets) {
      set.resize(random.below(4));
      const std::string count = std::to_string(set.size()) + "|";
      written.insert(written.end(), {"302=s|", "304=" + count, "295=" + count});
      for (std::string& entry : set) {
        for (const char* const field : {"299=1|", "55=A|", "132=1|", "133=2|", "134=3|", "135=4|"}) {
          if (entry.size() > 6 && random.chance(40)) continue;
          written.emplace_back(field);
          entry += field;
        }
      }
    }
    const auto body = [&] {
      std::string all = quote_head;
      for (const std::string& field : written) all += field;
      return framed(all + "537=1|");
    };
    const std::string text = body();
    const fix::Message message = message_of(text);
    ASSERT_FALSE(fix::check(message)) << readable(text);
    fix::GroupReader of_sets(message.type(), message.fields(), 296);
    for (const std::vector<std::string>& set : sets) {
      fix::GroupReader of_entries(message.type(), of_sets.next(), 295);
      for (const std::string& entry : set) {
        std::string read;
        for (const fix::Field& field : of_entries.next())
          read += std::to_string(field.tag) + "=" + std::string(field.value) + "|";
        ASSERT_EQ(read, entry) << readable(text);
      }
      ASSERT_TRUE(of_entries.next().empty() && !of_entries.rejection());
    }
    ASSERT_TRUE(of_sets.next().empty() && !of_sets.rejection());
    ASSERT_EQ(of_sets.size(), written.size());
    if (sets.empty()) continue;
    const std::size_t at = 1 + random.below(written.size() - 1);
    const std::string field = written[at];
    const bool is_needed =
        std::string_view("302 304 295 299 55=").find(field.substr(0, 3)) != std::string_view::npos;
    const std::uint64_t change = random.below(4);
    if (change == 0) written.erase(written.begin() + static_cast<std::ptrdiff_t>(at));
    if (change == 1) written.insert(written.begin() + static_cast<std::ptrdiff_t>(at), field);
    if (change == 2) std::swap(written[at], written[random.below(written.size())]);
    if (change == 3) written[0] = "296=9|";
    const std::string changed = body();
    const std::optional<fix::Rejection> rejection = fix::check(message_of(changed));
    if (change % 2 != 0 || (change == 0 && is_needed)) {
      ASSERT_TRUE(rejection.has_value()) << readable(changed);
    }
    ++(rejection ? reasons[static_cast<std::size_t>(rejection->reason)] : right);
  }
  EXPECT_GT(right, 50);
  for (const RejectReason reason :
       {RejectReason::RequiredTagMissing, RejectReason::GroupOutOfOrder, RejectReason::GroupCount})
    EXPECT_GT(reasons[static_cast<std::size_t>(reason)], 50) << fix::to_string(reason);
}

TEST(FixDictionary, AnyBytesGetAnAnswer) {
  std::array<int, 20> reasons{};
  int right = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    std::string body = seed % 4 != 0
                           ? order_body
                           : quote_head + "296=1|302=a|304=2|295=2|299=1|55=A|132=1|134=3|299=2|55=B|135=4|";
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
      const std::size_t at = 5 + random.below(body.size() - 5);
      switch (random.below(3)) {
        case 0: body[at] = "|=0159AZ."[random.below(9)]; break;
        case 1: body.erase(at, 1 + random.below(6)); break;
        default: body.insert(at, order_body.substr(random.below(order_body.size()), random.below(12)));
      }
      if (body.size() < 10) break;
    }
    if (body.back() != '|') body += '|';
    const std::string text = framed(body);
    const std::optional<fix::Rejection> rejection = fix::check(message_of(text));
    ++(rejection ? reasons[static_cast<std::size_t>(rejection->reason)] : right);
  }
  EXPECT_GT(right, 500);
  for (const RejectReason reason :
       {RejectReason::InvalidTag, RejectReason::RequiredTagMissing, RejectReason::TagNotOfMessage,
        RejectReason::NoValue, RejectReason::IncorrectFormat, RejectReason::TagTwice})
    EXPECT_GT(reasons[static_cast<std::size_t>(reason)], 50) << fix::to_string(reason);
}

}  // namespace
}  // namespace llmes::test
