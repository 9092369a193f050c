// SPDX-License-Identifier: MIT
//
// OUCH 5.0: layouts against bytes written by hand, appendages, and bytes that are no message.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test {
namespace {

using namespace std::literals;
using ouch::DecodeStatus;

std::string big_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> 8 * i);
  return text;
}
template <class M>
std::string sent(const M& message) {
  return text_of(ouch::Outgoing<M>(message).bytes());
}

TEST(Ouch, MessagesOfClientsLieAsTheSpecificationSays) {
  ouch::Outgoing<ouch::EnterOrder> order({.user_reference = 7,
                                          .side = ouch::Side::Buy,
                                          .quantity = 300,
                                          .symbol = "AAPL",
                                          .price = 1'234'500,
                                          .time_in_force = ouch::TimeInForce::Day,
                                          .display = ouch::Display::Visible,
                                          .capacity = 'P',
                                          .client_id = "mine"});
  const std::string fixed = "O" + big_endian(7, 4) + "B" + big_endian(300, 4) + "AAPL    " +
                            big_endian(1'234'500, 8) + "0YPNN" + "mine          ";
  EXPECT_EQ(text_of(order.bytes()), fixed + big_endian(0, 2));
  EXPECT_TRUE(order.append(ouch::Tag::MinimumQuantity, 100));
  EXPECT_TRUE(order.append(ouch::Tag::PostOnly, 'P'));
  EXPECT_EQ(text_of(order.bytes()), fixed + big_endian(9, 2) + "\x05\x03"s + big_endian(100, 4) + "\x02\x0cP"s);
  EXPECT_EQ(sent(ouch::ReplaceOrder{.original = 7,
                                    .user_reference = 8,
                                    .quantity = 5,
                                    .price = 6,
                                    .time_in_force = ouch::TimeInForce::ImmediateOrCancel,
                                    .display = ouch::Display::Hidden,
                                    .client_id = "x"}),
            "U" + big_endian(7, 4) + big_endian(8, 4) + big_endian(5, 4) + big_endian(6, 8) + "3NN" +
                "x             " + "\0\0"s);
  EXPECT_EQ(sent(ouch::CancelOrder{.user_reference = 7, .quantity = 0}),
            "X" + big_endian(7, 4) + big_endian(0, 4));
  EXPECT_EQ(sent(ouch::ModifyOrder{.user_reference = 7, .side = ouch::Side::Sell, .quantity = 9}),
            "M" + big_endian(7, 4) + "S" + big_endian(9, 4));
  EXPECT_EQ(sent(ouch::MassCancel{.user_reference = 7, .firm = "AB", .symbol = "MSFT"}),
            "C" + big_endian(7, 4) + "AB  MSFT    " + "\0\0"s);
  EXPECT_EQ(sent(ouch::DisableEntry{.user_reference = 7, .firm = "AB"}),
            "D" + big_endian(7, 4) + "AB  " + "\0\0"s);
  EXPECT_EQ(sent(ouch::EnableEntry{.user_reference = 7, .firm = "AB"}), "E" + big_endian(7, 4) + "AB  " + "\0\0"s);
  EXPECT_EQ(sent(ouch::AccountQuery{}), "Q");
  // An extension.
  EXPECT_EQ(sent(ouch::MassQuote{.user_reference = 7, .all_or_none = 'Y', .client_id = "id"}),
            "i" + big_endian(7, 4) + "Yid            " + "\0\0"s);
  const ouch::QuoteSide side{
      .quote = 3, .side = ouch::Side::Sell, .symbol = "MSFT", .quantity = 9, .price = 1'000'000};
  EXPECT_EQ(text_of(std::as_bytes(std::span(&side, 1))),
            big_endian(3, 4) + "SMSFT    " + big_endian(9, 4) + big_endian(1'000'000, 8));
}

TEST(Ouch, MessagesOfVenuesLieAsTheSpecificationSays) {
  EXPECT_EQ(sent(ouch::SystemEvent{.timestamp = 1, .event = ouch::SystemEventCode::StartOfDay}),
            "S" + big_endian(1, 8) + "S");
  const std::string order = "S" + big_endian(10, 4) + "MSFT    " + big_endian(99, 8) + "6A" + big_endian(5, 8) +
                            "ANN" + "L" + "id            " + "\0\0"s;
  ouch::Accepted accepted{.timestamp = 1,
                          .user_reference = 2,
                          .side = ouch::Side::Sell,
                          .quantity = 10,
                          .symbol = "MSFT",
                          .price = 99,
                          .time_in_force = ouch::TimeInForce::GoodTillTime,
                          .display = ouch::Display::Attributable,
                          .order_reference = 5,
                          .capacity = 'A',
                          .state = ouch::OrderState::Live,
                          .client_id = "id"};
  EXPECT_EQ(sent(accepted), "A" + big_endian(1, 8) + big_endian(2, 4) + order);
  EXPECT_EQ(sent(ouch::Replaced{.timestamp = 1,
                                .original = 9,
                                .user_reference = 2,
                                .side = accepted.side,
                                .quantity = 10,
                                .symbol = "MSFT",
                                .price = 99,
                                .time_in_force = accepted.time_in_force,
                                .display = accepted.display,
                                .order_reference = 5,
                                .capacity = 'A',
                                .state = ouch::OrderState::Live,
                                .client_id = "id"}),
            "U" + big_endian(1, 8) + big_endian(9, 4) + big_endian(2, 4) + order);
  EXPECT_EQ(sent(ouch::Canceled{
                .timestamp = 1, .user_reference = 2, .quantity = 3, .reason = ouch::CancelReason::ByUser}),
            "C" + big_endian(1, 8) + big_endian(2, 4) + big_endian(3, 4) + "U");
  EXPECT_EQ(sent(ouch::SelfTradeCanceled{.timestamp = 1,
                                         .user_reference = 2,
                                         .decrement = 3,
                                         .reason = ouch::CancelReason::SelfTrade,
                                         .prevented = 4,
                                         .price = 5,
                                         .liquidity = 'R',
                                         .strategy = 'x'}),
            "D" + big_endian(1, 8) + big_endian(2, 4) + big_endian(3, 4) + "Q" + big_endian(4, 4) +
                big_endian(5, 8) + "Rx");
  EXPECT_EQ(sent(ouch::Executed{
                .timestamp = 1, .user_reference = 2, .quantity = 3, .price = 4, .liquidity = 'A', .match = 5}),
            "E" + big_endian(1, 8) + big_endian(2, 4) + big_endian(3, 4) + big_endian(4, 8) + "A" +
                big_endian(5, 8) + "\0\0"s);
  EXPECT_EQ(
      sent(ouch::BrokenTrade{.timestamp = 1, .user_reference = 2, .match = 3, .reason = 'E', .client_id = "c"}),
      "B" + big_endian(1, 8) + big_endian(2, 4) + big_endian(3, 8) + "E" + "c             ");
  EXPECT_EQ(sent(ouch::Rejected{
                .timestamp = 1, .user_reference = 2, .reason = ouch::RejectReason::Halted, .client_id = "c"}),
            "J" + big_endian(1, 8) + big_endian(2, 4) + big_endian(7, 2) + "c             ");
  EXPECT_EQ(sent(ouch::PriorityUpdate{.timestamp = 1,
                                      .user_reference = 2,
                                      .price = 3,
                                      .display = ouch::Display::Hidden,
                                      .order_reference = 4}),
            "T" + big_endian(1, 8) + big_endian(2, 4) + big_endian(3, 8) + "N" + big_endian(4, 8));
  EXPECT_EQ(sent(ouch::Restated{.timestamp = 1, .user_reference = 2, .reason = 'R'}),
            "R" + big_endian(1, 8) + big_endian(2, 4) + "R" + "\0\0"s);
  const std::string head = big_endian(1, 8) + big_endian(2, 4) + "AB  ";
  EXPECT_EQ(sent(ouch::MassCancelResponse{.timestamp = 1, .user_reference = 2, .firm = "AB", .symbol = "MSFT"}),
            "X" + head + "MSFT    " + "\0\0"s);
  EXPECT_EQ(sent(ouch::DisableEntryResponse{.timestamp = 1, .user_reference = 2, .firm = "AB"}),
            "G" + head + "\0\0"s);
  EXPECT_EQ(sent(ouch::EnableEntryResponse{.timestamp = 1, .user_reference = 2, .firm = "AB"}),
            "K" + head + "\0\0"s);
  EXPECT_EQ(sent(ouch::QueryResponse{.timestamp = 1, .next_user_reference = 2}),
            "Q" + big_endian(1, 8) + big_endian(2, 4));
  EXPECT_EQ(sent(ouch::MassQuoteResponse{
                .timestamp = 1, .user_reference = 7, .reason = ouch::RejectReason::Other, .client_id = "id"}),
            "b" + big_endian(1, 8) + big_endian(7, 4) + big_endian(15, 2) + "id            " + "\0\0"s);
  const ouch::QuoteStatus status{.quote = 3, .side = ouch::Side::Sell, .reason = ouch::RejectReason::InvalidPrice};
  EXPECT_EQ(text_of(std::as_bytes(std::span(&status, 1))), big_endian(3, 4) + "S" + big_endian(29, 2));
}

/// Says which message it got, and what is in its appendage.
struct Witness {
  std::string got{};

  template <class M>
    requires requires(const M& message) { message.type; }
  void operator()(const M& message) {
    got = message.type.value();
  }
  template <class M>
    requires requires(const M& message) { message.appendage_size; }
  void operator()(const M& message, std::span<const std::byte> appendage) {
    got = message.type.value();
    const bool whole = ouch::visit_elements(appendage, [this](const ouch::Element& element) {
      got += ' ' + std::to_string(static_cast<int>(element.tag)) + '=' + std::to_string(element.number());
    });
    if (!whole) got += '!';
  }
};

TEST(Ouch, AMessageHasExactlyItsLength) {
  const auto check = [](auto decode, const std::string& bytes) {
    for (std::size_t size = 0; size <= bytes.size() + 1; ++size) {
      Witness witness;
      std::string part = bytes.substr(0, size);
      if (size > bytes.size()) part += 'x';
      EXPECT_EQ(decode(bytes_of(part), witness),
                size == bytes.size() ? DecodeStatus::Success : DecodeStatus::WrongSize);
      EXPECT_EQ(witness.got, size == bytes.size() ? bytes.substr(0, 1) : "");
    }
  };
  const auto client = [](auto bytes, Witness& witness) { return ouch::decode_client(bytes, witness); };
  const auto venue = [](auto bytes, Witness& witness) { return ouch::decode_venue(bytes, witness); };
  check(client, sent(ouch::EnterOrder{}));
  check(client, sent(ouch::ReplaceOrder{}));
  check(client, sent(ouch::CancelOrder{}));
  check(client, sent(ouch::ModifyOrder{}));
  check(client, sent(ouch::AccountQuery{}));
  check(client, sent(ouch::MassQuote{}));
  check(venue, sent(ouch::MassQuoteResponse{}));
  check(venue, sent(ouch::Accepted{}));
  check(venue, sent(ouch::Executed{}));
  check(venue, sent(ouch::Canceled{}));
  check(venue, sent(ouch::CancelPending{}));
  check(venue, sent(ouch::CancelRejected{}));
  check(venue, sent(ouch::Modified{}));
  Witness witness;
  EXPECT_EQ(ouch::decode_client(bytes_of("A"), witness), DecodeStatus::UnknownType);
  EXPECT_EQ(ouch::decode_venue(bytes_of("O"), witness), DecodeStatus::UnknownType);
}

TEST(Ouch, AnAppendageMayFollowWhatHadNone) {
  const auto check = [](const std::string& message) {
    for (const auto& [more, is_right] : {std::pair("\0\0"s, true),
                                         {"\0\3\2\x1c\1"s, true},
                                         {"\0"s, false},
                                         {"\0\1"s, false},
                                         {"\0\0\0"s, false},
                                         {"\0\2\2\x1c\1"s, false}}) {
      Witness witness;
      EXPECT_EQ(ouch::decode_client(bytes_of(message + more), witness),
                is_right ? DecodeStatus::Success : DecodeStatus::WrongSize);
      EXPECT_EQ(witness.got, is_right ? message.substr(0, 1) : "");
    }
  };
  check(sent(ouch::CancelOrder{}));
  check(sent(ouch::ModifyOrder{}));
  check(sent(ouch::AccountQuery{}));
}

TEST(Ouch, AnAppendageIsAListOfElements) {
  const auto read = [](const std::string& appendage) {
    Witness witness;
    ouch::EnterOrder order;
    order.appendage_size = static_cast<std::uint16_t>(appendage.size());
    EXPECT_EQ(ouch::decode_client(bytes_of(sent(order) + appendage), witness), DecodeStatus::Success);
    return witness.got;
  };
  EXPECT_EQ(read(""), "O");
  EXPECT_EQ(read("\x05\x05\0\0\1\0\x02\x0cP"s), "O 5=256 12=80");
  EXPECT_EQ(read("\x02\x0cP\x01"s), "O 12=80!");        // it ends within an element
  EXPECT_EQ(read("\x02\x0cP\x03\x0cPP"s), "O 12=80!");  // a value of another size
  EXPECT_EQ(read("\x02\x08P"s), "O!");                  // no such tag
  EXPECT_EQ(read("\x02\xff"
                 "P"s),
            "O!");
  EXPECT_EQ(read("\0\0"s), "O!");  // no room for a tag
  ouch::Outgoing<ouch::EnterOrder> all(ouch::EnterOrder{});
  for (int tag = 0; tag < 256; ++tag)
    EXPECT_EQ(all.append(static_cast<ouch::Tag>(tag), 1), ouch::value_size(static_cast<ouch::Tag>(tag)) != 0);
  EXPECT_TRUE(all.append(ouch::Tag::DisplayPrice, 1));
  while (all.append(ouch::Tag::DisplayPrice, 1)) {
  }
  Witness witness;
  EXPECT_EQ(ouch::decode_client(all.bytes(), witness), DecodeStatus::Success);
  EXPECT_EQ(witness.got.substr(0, 13), "O 1=1 2=1 3=1");
  EXPECT_EQ(witness.got.back(), '1');
}

TEST(Ouch, NoBytesBreakTheDecoder) {
  Random random(5);
  int successes = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = random.chance(50) ? sent(ouch::EnterOrder{}) : sent(ouch::Executed{});
    for (std::uint64_t more = random.below(20); more > 0; --more) bytes += static_cast<char>(random.below(8));
    if (random.chance(70))
      bytes[bytes.size() > 47 && bytes[0] == 'O' ? 46 : 35] = static_cast<char>(random.below(20));
    bytes.resize(random.below(bytes.size() + 1));
    Witness witness;
    successes += ouch::decode_client(bytes_of(bytes), witness) == DecodeStatus::Success;
    successes += ouch::decode_venue(bytes_of(bytes), witness) == DecodeStatus::Success;
  }
  EXPECT_GT(successes, 20);
}

}  // namespace
}  // namespace llmes::test
