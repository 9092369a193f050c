// SPDX-License-Identifier: MIT
//
// ITCH 5.0: the bytes of each message, what is made of any bytes, and where each message begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/itch.hpp"
#include "tests/support/itch_fields.hpp"
#include "tests/support/random.hpp"

namespace llmes::itch {
namespace {

using Bytes = std::vector<std::byte>;

/// The bytes that hexadecimal digits stand for. Spaces mean nothing.
Bytes bytes_of_hex(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ' ');
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <class M>
Bytes copy_of(const M& message) {
  return {bytes_of(message).begin(), bytes_of(message).end()};
}

// ---- Messages.

void expect_bytes(const Bytes& bytes, char type, std::string_view body) {
  Bytes expected = bytes_of_hex("0102 0304 05060708090a" + std::string(body));
  expected.insert(expected.begin(), static_cast<std::byte>(type));
  EXPECT_EQ(bytes, expected) << type;
}

/// With a header of these numbers, and otherwise as given.
template <class M>
void expect_body(M message, std::string_view body) {
  message.header.locate = Locate{0x0102};
  message.header.tracking_number = std::uint16_t{0x0304};
  message.header.timestamp = Timestamp(0x0506'0708'090a);
  expect_bytes(copy_of(message), type_of<M>, body);
}

TEST(ItchMessages, HaveTheBytesOfTheSpecification) {
  constexpr Reference reference{0x1112131415161718};
  constexpr MatchNumber match{0x2122232425262728};
  constexpr std::uint32_t shares = 0x31323334;
  constexpr Price4 price{0x41424344};
  constexpr Price4 price2{0x51525354};
  constexpr Price4 price3{0x61626364};
  constexpr std::uint64_t many_shares = 0x6162636465666768;
  const Symbol symbol = "ZXYZ.A";
  expect_body(
      AddOrder{.reference = reference, .side = BuySell::Buy, .shares = shares, .symbol = symbol, .price = price},
      "1112131415161718 42 31323334 5a58595a2e412020 41424344");
  expect_body(AddAttributedOrder{.reference = reference,
                                 .side = BuySell::Sell,
                                 .shares = shares,
                                 .symbol = symbol,
                                 .price = price,
                                 .attribution = "MPID"},
              "1112131415161718 53 31323334 5a58595a2e412020 41424344 4d504944");
  expect_body(OrderExecuted{.reference = reference, .shares = shares, .match = match},
              "1112131415161718 31323334 2122232425262728");
  expect_body(
      OrderExecutedWithPrice{
          .reference = reference, .shares = shares, .match = match, .printable = 'N', .price = price},
      "1112131415161718 31323334 2122232425262728 4e 41424344");
  expect_body(OrderCancel{.reference = reference, .shares = shares}, "1112131415161718 31323334");
  expect_body(OrderDelete{.reference = reference}, "1112131415161718");
  expect_body(OrderReplace{.reference = reference,
                           .new_reference = Reference{0x5152535455565758},
                           .shares = shares,
                           .price = price},
              "1112131415161718 5152535455565758 31323334 41424344");
  expect_body(Trade{.reference = reference,
                    .side = BuySell::Buy,
                    .shares = shares,
                    .symbol = symbol,
                    .price = price,
                    .match = match},
              "1112131415161718 42 31323334 5a58595a2e412020 41424344 2122232425262728");
  expect_body(
      CrossTrade{.shares = many_shares, .symbol = symbol, .price = price, .match = match, .cross_type = 'O'},
      "6162636465666768 5a58595a2e412020 41424344 2122232425262728 4f");
  expect_body(BrokenTrade{.match = match}, "2122232425262728");
  expect_body(SystemEvent{.event = EventCode::StartOfMarketHours}, "51");
  expect_body(StockDirectory{.symbol = symbol,
                             .market_category = 'Q',
                             .financial_status = 'D',
                             .round_lot = shares,
                             .round_lots_only = 'Y',
                             .issue_classification = 'C',
                             .issue_sub_type = "EM",
                             .authenticity = 'P',
                             .short_sale_threshold = 'N',
                             .ipo_flag = 'Y',
                             .price_tier = '1',
                             .etp_flag = 'Z',
                             .etp_leverage = 0x41424344,
                             .inverse = 'I'},
              "5a58595a2e412020 51 44 31323334 59 43 454d 50 4e 59 31 5a 41424344 49");
  expect_body(TradingAction{.symbol = symbol, .state = TradingState::Paused, .reserved = 'r', .reason = "LUDP"},
              "5a58595a2e412020 50 72 4c554450");
  expect_body(ShortSaleRestriction{.symbol = symbol, .action = '1'}, "5a58595a2e412020 31");
  expect_body(
      ParticipantPosition{
          .participant = "MPID", .symbol = symbol, .primary_market_maker = 'Y', .mode = 'N', .state = 'A'},
      "4d504944 5a58595a2e412020 59 4e 41");
  expect_body(CircuitBreakerLevels{.level1 = Price8{0x1112131415161718},
                                   .level2 = Price8{0x2122232425262728},
                                   .level3 = Price8{0x3132333435363738}},
              "1112131415161718 2122232425262728 3132333435363738");
  expect_body(CircuitBreakerStatus{.level = '2'}, "32");
  expect_body(QuotingPeriod{.symbol = symbol, .release_time = shares, .qualifier = 'A', .ipo_price = price},
              "5a58595a2e412020 31323334 41 41424344");
  expect_body(AuctionCollar{.symbol = symbol,
                            .reference_price = price,
                            .upper_price = price2,
                            .lower_price = price3,
                            .extension = 7U},
              "5a58595a2e412020 41424344 51525354 61626364 00000007");
  expect_body(OperationalHalt{.symbol = symbol, .market = 'Q', .action = 'H'}, "5a58595a2e412020 51 48");
  expect_body(Imbalance{.paired_shares = many_shares,
                        .imbalance_shares = 0x7172737475767778,
                        .direction = 'B',
                        .symbol = symbol,
                        .far_price = price,
                        .near_price = price2,
                        .reference_price = price3,
                        .cross_type = 'C',
                        .price_variation = 'L'},
              "6162636465666768 7172737475767778 42 5a58595a2e412020 41424344 51525354 61626364 43 4c");
  expect_body(RetailInterest{.symbol = symbol, .interest = 'A'}, "5a58595a2e412020 41");
  expect_body(DirectListing{.symbol = symbol,
                            .open_eligibility = 'Y',
                            .minimum_price = price,
                            .maximum_price = price2,
                            .near_price = price3,
                            .near_time = Timestamp(0x7172737475767778),
                            .lower_price = Price4{0x81828384},
                            .upper_price = Price4{0x91929394}},
              "5a58595a2e412020 59 41424344 51525354 61626364 7172737475767778 81828384 91929394");
}

/// Of each type, from the tables of the specification.
const std::map<char, std::size_t> sizes = {
    {'S', 12}, {'R', 39}, {'H', 25}, {'Y', 20}, {'L', 26}, {'V', 35}, {'W', 12}, {'K', 28},
    {'J', 35}, {'h', 21}, {'A', 36}, {'F', 40}, {'E', 31}, {'C', 36}, {'X', 23}, {'D', 19},
    {'U', 35}, {'P', 44}, {'Q', 40}, {'B', 19}, {'I', 50}, {'N', 20}, {'O', 48},
};

TEST(ItchMessages, HaveOneTypeEachAndItsSize) {
  std::map<char, std::size_t> found;
  int types = 0;
  test::each_itch_type([&]<class M>(const M& message) {
    types += found.emplace(message.header.type, bytes_of(message).size()).second;
  });
  EXPECT_EQ(found, sizes);
  EXPECT_EQ(types, 23);
  for (int type = 0; type < 256; ++type) {
    const auto known = sizes.find(static_cast<char>(type));
    EXPECT_EQ(message_size(static_cast<std::byte>(type)), known == sizes.end() ? 0 : known->second) << type;
  }
}

TEST(ItchMessages, AreZerosAndSpacesUnlessNamed) {
  const TradingAction action{.symbol = "Z"};
  EXPECT_EQ(copy_of(action), bytes_of_hex("48 0000 0000 000000000000 5a20202020202020 00 20 20202020"));
}

/// Writes down what decode() gives on. One handler for all tests, as each one has code of its own for every type.
struct Recorder {
  template <class M>
  void operator()(const M& message) {
    ++calls;
    at = &message;
    size = sizeof message;
    sum = test::itch_checksum(message);
  }
  int calls = 0;
  const void* at = nullptr;
  std::size_t size = 0;
  std::uint64_t sum = 0;
};

TEST(ItchMessages, AreGivenOnWhereTheyStand) {
  test::Random random(19);
  const auto check = [](const Bytes& sent, std::uint64_t sum) {
    // At an odd address, with nothing behind it.
    const auto room = std::make_unique<std::byte[]>(1 + sent.size());
    std::ranges::copy(sent, room.get() + 1);
    Recorder received;
    EXPECT_EQ(decode({room.get() + 1, sent.size()}, received), DecodeStatus::Success);
    EXPECT_EQ(received.calls, 1);
    EXPECT_EQ(received.at, room.get() + 1);
    EXPECT_EQ(received.size, sent.size());
    EXPECT_EQ(received.sum, sum);
  };
  test::each_itch_type([&]<class M>(const M&) {
    SCOPED_TRACE(type_of<M>);
    for (int i = 0; i < 50; ++i) {
      const M sent = test::random_itch_message<M>(random);
      check(copy_of(sent), test::itch_checksum(sent));
    }
  });
}

/// Takes two types of messages.
struct Orders {
  void operator()(const AddOrder& message) { reference = message.reference; }
  void operator()(const OrderDelete&) { reference = Reference{}; }
  Reference reference{};
};

TEST(ItchMessages, AreGivenToWhoTakesTheirType) {
  Orders orders;
  EXPECT_EQ(decode(bytes_of(AddOrder{.reference = Reference{7}}), orders), DecodeStatus::Success);
  EXPECT_EQ(orders.reference, Reference{7});
  EXPECT_EQ(decode(bytes_of(OrderExecuted{.reference = Reference{7}}), orders), DecodeStatus::Success);
  EXPECT_EQ(orders.reference, Reference{7});
  EXPECT_EQ(decode(bytes_of(OrderDelete{.reference = Reference{7}}), orders), DecodeStatus::Success);
  EXPECT_EQ(orders.reference, Reference{});
}

/// Calls `take` with random bytes of each first letter and length, and with what they are as a message.
template <class Take>
void with_any_bytes(std::uint64_t seed, Take take) {
  test::Random random(seed);
  for (int type = 0; type < 256; ++type) {
    for (std::size_t size = 0; size <= 64; ++size) {
      SCOPED_TRACE(std::to_string(type) + ' ' + std::to_string(size));
      // As much room as bytes, so that a sanitizer sees a read beyond them.
      const auto room = std::make_unique<std::byte[]>(size);
      const std::span<std::byte> bytes(room.get(), size);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
      if (size > 0) bytes.front() = static_cast<std::byte>(type);
      const auto known = sizes.find(static_cast<char>(type));
      const DecodeStatus status = size == 0              ? DecodeStatus::Truncated
                                  : known == sizes.end() ? DecodeStatus::UnknownType
                                  : size < known->second ? DecodeStatus::Truncated
                                  : size > known->second ? DecodeStatus::TooLong
                                                         : DecodeStatus::Success;
      take(std::span<const std::byte>(bytes), status);
    }
  }
}

TEST(ItchMessages, AnyBytesOfAnyLengthHaveAStatus) {
  with_any_bytes(20, [](std::span<const std::byte> bytes, DecodeStatus expected) {
    Recorder received;
    ASSERT_EQ(decode(bytes, received), expected);
    ASSERT_EQ(received.calls, expected == DecodeStatus::Success);
  });
}

// ---- Messages about orders, in one form.

/// What a message of this type does to orders.
OrderAction action_of(char type) {
  switch (type) {
    case 'A':
    case 'F': return OrderAction::Add;
    case 'E':
    case 'C':
    case 'X': return OrderAction::Reduce;
    case 'D': return OrderAction::Delete;
    case 'U': return OrderAction::Replace;
    default: return OrderAction::None;
  }
}

template <class M>
void expect_fields(const M& message) {
  const OrderFields order = order_fields(bytes_of(message));
  ASSERT_EQ(order.action, action_of(type_of<M>)) << type_of<M>;
  if (order.action == OrderAction::None) {
    EXPECT_EQ(order.locate, Locate{}) << type_of<M>;
    return;
  }
  const bool has_price = order.action == OrderAction::Add || order.action == OrderAction::Replace;
  test::each_itch_field(message, [&](std::string_view name, const auto& field) {
    if constexpr (requires { field.value(); }) {
      const auto equals = [&](auto read) {
        if constexpr (std::same_as<decltype(read), decltype(field.value())>) {
          EXPECT_EQ(read, field.value()) << type_of<M> << ' ' << name;
        } else {
          ADD_FAILURE() << type_of<M> << ' ' << name << " is of another type";
        }
      };
      if (name == "locate") equals(order.locate);
      if (name == "reference") equals(order.reference);
      if (name == "new_reference") equals(order.new_reference);
      if (name == "shares") equals(order.shares);
      if (name == "side") equals(order.side);
      if (name == "price" && has_price) equals(order.price);
    }
  });
  if (!has_price) {
    EXPECT_EQ(order.price, Price4{}) << type_of<M>;
  }
}

TEST(ItchOrderFields, AreThoseOfTheMessage) {
  test::Random random(21);
  test::each_itch_type([&]<class M>(const M&) {
    for (int i = 0; i < 200; ++i) expect_fields(test::random_itch_message<M>(random));
  });
}

TEST(ItchOrderFields, OfBytesThatAreNoMessageHaveNoAction) {
  with_any_bytes(22, [](std::span<const std::byte> bytes, DecodeStatus status) {
    const bool is_message = status == DecodeStatus::Success;
    const OrderAction expected = is_message ? action_of(static_cast<char>(bytes.front())) : OrderAction::None;
    const OrderFields order = order_fields(bytes);
    ASSERT_EQ(order.action, expected);
    if (expected == OrderAction::None) {
      ASSERT_EQ(order.locate, Locate{});
    }
  });
}

TEST(ItchFields, KeepTheLowerBytesOfALargerNumber) {
  const Header<'D'> header{.timestamp = Timestamp(0x0001'ffff'ffff'ffff)};
  EXPECT_EQ(header.timestamp.value(), Timestamp(0xffff'ffff'ffff));
  EXPECT_EQ((Field<Timestamp, 8>(Timestamp::min()).value()), Timestamp::min());
}

TEST(ItchFields, ATextTakesWhatFits) {
  EXPECT_EQ(Symbol("ABCDEFGHIJ").view(), "ABCDEFGH");
  EXPECT_EQ(Symbol("A B").view(), "A B");
  EXPECT_EQ(Symbol("").view(), "");
  EXPECT_EQ(Symbol("  "), Symbol());
  EXPECT_NE(Symbol("A"), Symbol("a"));
}

// Nothing is written behind a text that is too long: a constant could not be made so.
static_assert(Symbol("ABCDEFGHIJ").view() == "ABCDEFGH");
static_assert(message_size(std::byte{'A'}) == 36 && Symbol("A").view() == "A" && AddOrder{}.price == Price4{});

// ---- Frames.

struct Split {
  std::vector<Bytes> messages;
  FramingStatus status{};
  std::size_t offset = 0;
  friend bool operator==(const Split&, const Split&) = default;
};

/// What a reader makes of bytes that come in pieces, the first of `first` bytes, the others of `piece`.
template <class Reader>
Split split(std::span<const std::byte> bytes, std::size_t first, std::size_t piece, std::size_t batch = 3) {
  Split found;
  std::vector<MessageBytes> messages(batch);
  std::size_t kept = 0;  // where the bytes begin that no message has taken
  std::size_t end = std::min(first, bytes.size());
  for (;;) {
    // As much room as bytes, so that a sanitizer sees a read beyond them.
    const auto room = std::make_unique<std::byte[]>(end - kept);
    std::ranges::copy(bytes.subspan(kept, end - kept), room.get());
    Reader reader({room.get(), end - kept});
    for (std::span<const MessageBytes> read = messages; read.size() == batch;) {
      read = reader.read(messages);
      for (const MessageBytes& message : read) found.messages.emplace_back(message.begin(), message.end());
    }
    found.status = reader.status();
    kept += reader.offset();
    found.offset = kept;
    EXPECT_TRUE(reader.read(messages).empty());
    EXPECT_EQ(reader.status(), found.status);
    const bool goes_on = found.status == FramingStatus::Success || found.status == FramingStatus::Truncated;
    if (end == bytes.size() || !goes_on) return found;
    end += std::min(piece, bytes.size() - end);
  }
}
template <class Reader>
Split split(std::span<const std::byte> bytes) {
  return split<Reader>(bytes, bytes.size(), 1);
}

void append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}
void append(Bytes& bytes, std::string_view hex) {
  append(bytes, bytes_of_hex(hex));
}

const std::string some_delete = "44 0001 0000 000000000002 0000000000000003";  // 19 bytes
const std::string some_event = "53 0000 0000 000000000001 43";                 // 12 bytes
const std::string some_unknown = "7a 0102";                                    // 3 bytes

struct Case {
  std::string_view what;
  std::string hex;
  std::size_t messages;
  FramingStatus status;
  std::size_t offset;
};

/// The same in one piece and in two.
template <class Reader>
void expect_split(std::span<const Case> cases) {
  for (const Case& item : cases) {
    SCOPED_TRACE(item.what);
    const Bytes bytes = bytes_of_hex(item.hex);
    const Split whole = split<Reader>(bytes);
    EXPECT_EQ(whole.messages.size(), item.messages);
    EXPECT_EQ(whole.status, item.status);
    EXPECT_EQ(whole.offset, item.offset);
    for (std::size_t first = 0; first <= bytes.size(); ++first) {
      EXPECT_EQ(split<Reader>(bytes, first, bytes.size()), whole) << first;
    }
  }
}

TEST(ItchFrames, WhatIsReadAndWhatIsWrong) {
  using enum FramingStatus;
  const std::string frame = "0013" + some_delete;  // 21 bytes
  const std::array cases = {
      Case{"nothing", "", 0, Success, 0},
      Case{"a message", frame, 1, Success, 21},
      Case{"half a prefix", frame + "00", 1, Truncated, 21},
      Case{"a prefix alone", frame + "0013", 1, Truncated, 21},
      Case{"half a message", frame + "0013 44 0001", 1, Truncated, 21},
      Case{"a message without its last byte", frame.substr(0, frame.size() - 2), 0, Truncated, 0},
      Case{"less than the size of the type", frame + "0012" + some_delete, 1, TooShort, 21},
      Case{"one byte", frame + "0001" + some_delete, 1, TooShort, 21},
      Case{"more than the size of the type", frame + "0014" + some_delete + "00", 1, TooLong, 21},
      Case{"that, although the bytes end", frame + "0014 44", 1, TooLong, 21},
      Case{"the largest prefix", frame + "ffff 44", 1, TooLong, 21},
      Case{"the upper byte of the prefix", frame + "0113" + some_delete, 1, TooLong, 21},
      Case{"an error, and a message behind it", "0012" + some_delete + frame, 0, TooShort, 0},
      Case{"an unknown type", "0003" + some_unknown + frame, 2, Success, 26},
      Case{"an unknown type without its last byte", "0004" + some_unknown, 0, Truncated, 0},
      Case{"a prefix of 0", frame + "0000" + some_event + frame, 3, Success, 56},
      Case{"a prefix of 0 at the end", frame + "0000", 1, Success, 21},
      Case{"a prefix of 0 before half a message", frame + "0000 53 0000", 1, Truncated, 21},
      Case{"a prefix of 0 before an unknown type", frame + "0000" + some_unknown, 1, UnknownSize, 21},
      Case{"two of them", frame + "0000 0000", 1, UnknownSize, 21},
  };
  expect_split<FrameReader>(cases);
}

TEST(ItchFrames, RawMessagesToo) {
  using enum FramingStatus;
  const std::array cases = {
      Case{"nothing", "", 0, Success, 0},
      Case{"two messages", some_event + some_delete, 2, Success, 31},
      Case{"half a message", some_event + "44 00", 1, Truncated, 12},
      Case{"a type alone", some_event + "44", 1, Truncated, 12},
      Case{"an unknown type", some_event + some_unknown + some_event, 1, UnknownSize, 12},
  };
  expect_split<MessageReader>(cases);
}

TEST(ItchFrames, AFileOfEveryTypeIsTheSameInPiecesOfAnySize) {
  test::Random random(21);
  Bytes frames;
  Bytes raw;
  std::vector<Bytes> sent;
  std::array<std::byte, 64> room;
  test::each_itch_type([&]<class M>(const M&) {
    const M message = test::random_itch_message<M>(random);
    FrameWriter writer(room);
    ASSERT_EQ(writer.append(message), WriteStatus::Success);
    if (sent.size() % 4 == 1) room[0] = room[1] = std::byte{0};  // now and then a prefix of 0
    append(frames, writer.written());
    append(raw, bytes_of(message));
    sent.push_back(copy_of(message));
    if (sent.size() % 5 == 2) {
      append(frames, "0003" + some_unknown);
      sent.push_back(bytes_of_hex(some_unknown));
    }
  });
  const Split whole{sent, FramingStatus::Success, frames.size()};
  append(frames, "0000");
  for (std::size_t size = 1; size <= frames.size(); ++size) {
    ASSERT_EQ(split<FrameReader>(frames, size, frames.size()), whole) << "cut at " << size;
  }
  for (const std::size_t size : {1U, 2U, 3U, 7U, 52U, 53U, 100U}) {
    EXPECT_EQ(split<FrameReader>(frames, size, size), whole) << "pieces of " << size;
  }
  for (const std::size_t batch : {1U, 2U, 100U}) {
    EXPECT_EQ(split<FrameReader>(frames, 200, 200, batch), whole) << "batches of " << batch;
  }

  std::erase(sent, bytes_of_hex(some_unknown));
  for (std::size_t size = 1; size <= raw.size(); ++size) {
    ASSERT_EQ(split<MessageReader>(raw, size, 50), (Split{sent, FramingStatus::Success, raw.size()})) << size;
  }
}

TEST(ItchFrames, AnUnknownMessageOfTheLargestSize) {
  Bytes bytes(frame_size_max, std::byte{'z'});
  bytes[0] = bytes[1] = std::byte{0xff};
  const Split whole = split<FrameReader>(bytes);
  EXPECT_EQ(whole.messages.size(), 1U);
  EXPECT_EQ(whole.offset, frame_size_max);
  bytes.pop_back();
  EXPECT_EQ(split<FrameReader>(bytes).status, FramingStatus::Truncated);
}

TEST(ItchFrames, NoRoomForMessagesReadsNone) {
  const Bytes bytes = bytes_of_hex("0001 44");
  FrameReader reader(bytes);
  EXPECT_TRUE(reader.read({}).empty());
  EXPECT_EQ(reader.status(), FramingStatus::Success);
}

TEST(ItchFrames, AreWrittenWholeOrNotAtAll) {
  const OrderDelete message{.header = {.locate = Locate{1}, .timestamp = Timestamp(2)}, .reference = Reference{3}};
  const Bytes expected = bytes_of_hex("0013" + some_delete + "0013" + some_delete + "0000");
  for (std::size_t size = 0; size <= expected.size(); ++size) {
    const auto room = std::make_unique<std::byte[]>(size);
    FrameWriter writer({room.get(), size});
    const auto status_if = [](bool fits) { return fits ? WriteStatus::Success : WriteStatus::Full; };
    EXPECT_EQ(writer.append(message), status_if(size >= 21));
    EXPECT_EQ(writer.append(message), status_if(size >= 42));
    EXPECT_EQ(writer.written().size(), size / 21 * 21);
    EXPECT_EQ(writer.append_end(), status_if(size % 21 >= 2));
    Bytes frames = size >= 42
                       ? Bytes(expected.begin(), expected.begin() + 42)
                       : Bytes(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(size / 21 * 21));
    if (size % 21 >= 2) append(frames, "0000");
    EXPECT_TRUE(std::ranges::equal(writer.written(), frames)) << size;
    for (std::size_t i = frames.size(); i < size; ++i)
      EXPECT_EQ(room[i], std::byte{0}) << "touched behind the frames";
    writer.clear();
    EXPECT_TRUE(writer.written().empty());
    EXPECT_EQ(writer.append(message), status_if(size >= 21));
  }
}

}  // namespace
}  // namespace llmes::itch
