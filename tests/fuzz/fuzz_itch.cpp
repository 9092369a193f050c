// SPDX-License-Identifier: MIT
//
// Any bytes as ITCH, with and without frames: each field of each message is read, nothing beyond the bytes is, and
// what is read does not depend on where the bytes are cut. The books of a feed are the same whether it takes the
// messages one at a time or all at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "llmes/itch.hpp"
#include "llmes/market_data/feed_book.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/itch_fields.hpp"

namespace llmes::test {
namespace {

using itch::FramingStatus;

/// What the messages of some bytes come to.
struct Content {
  std::uint64_t messages = 0;
  std::uint64_t decoded = 0;
  std::uint64_t checksum = 0;
  FramingStatus status{};
  std::size_t offset = 0;
  friend bool operator==(const Content&, const Content&) = default;

  void add(std::uint64_t number) { checksum = checksum * 31 + number; }

  /// A message that decode() gives on.
  template <itch::Message M>
  void operator()(const M& message) {
    ++decoded;
    add(itch_checksum(message));
  }

  void take(itch::MessageBytes message) {
    ++messages;
    const std::uint64_t before = decoded;
    const itch::DecodeStatus read = itch::decode(message, *this);
    expect(!message.empty() && (read == itch::DecodeStatus::Success || read == itch::DecodeStatus::UnknownType),
           "a reader gives on whole messages");
    expect((read == itch::DecodeStatus::Success) == (decoded == before + 1), "one message is given on");
    const itch::OrderFields order = itch::order_fields(message);
    expect(order.action == itch::OrderAction::None || read == itch::DecodeStatus::Success,
           "an order of a message");
    add(static_cast<std::uint64_t>(order.reference) ^ static_cast<std::uint64_t>(order.new_reference));
    for (const std::byte byte : message) add(std::to_integer<std::uint64_t>(byte));
  }
};

/// Reads the bytes from where `content` has come to.
template <class Reader>
void read_on(Content& content, std::span<const std::byte> bytes) {
  // As much room as bytes, so that the sanitizer sees a read beyond them.
  const std::size_t size = bytes.size() - content.offset;
  const auto room = std::make_unique<std::byte[]>(size);
  std::ranges::copy(bytes.subspan(content.offset), room.get());
  Reader reader({room.get(), size});
  std::array<itch::MessageBytes, 5> messages;
  for (std::span<const itch::MessageBytes> read = messages; read.size() == messages.size();) {
    read = reader.read(messages);
    for (const itch::MessageBytes& message : read) content.take(message);
  }
  content.status = reader.status();
  content.offset += reader.offset();
}

template <class Reader>
void check(std::span<const std::byte> bytes, std::size_t cut) {
  Content whole;
  read_on<Reader>(whole, bytes);
  Content pieces;
  read_on<Reader>(pieces, bytes.first(cut));
  if (pieces.status == FramingStatus::Success || pieces.status == FramingStatus::Truncated) {
    read_on<Reader>(pieces, bytes);
  }
  expect(pieces == whole, "the same messages in two pieces");
  expect(
      whole.offset == bytes.size() || whole.status != FramingStatus::Success || bytes.size() - whole.offset == 2,
      "only the end of a session is left without an error");
}

constexpr std::uint16_t symbols = 4;

FeedBook make_feed() {
  return *FeedBook::create({.symbols = symbols, .capacity = 20});
}

/// All orders of a feed, but for their handles.
std::vector<RestingOrder> orders_of(const FeedBook& feed) {
  std::vector<RestingOrder> all;
  for (std::uint16_t locate = 1; locate <= symbols; ++locate) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      feed.visit_orders(itch::Locate{locate}, side, [&](RestingOrder order) {
        order.handle = {};
        all.push_back(order);
      });
    }
  }
  return all;
}

/// The same feeds for all bytes, so that each begins a day.
void check_feeds(std::span<const std::byte> bytes) {
  static FeedBook single = make_feed();
  static FeedBook batched = make_feed();
  single.begin_day();
  batched.begin_day();
  std::vector<itch::MessageBytes> all(bytes.size());
  all.resize(itch::FrameReader(bytes).read(all).size());
  for (const itch::MessageBytes message : all) single.apply(message);
  std::size_t told = 0;
  batched.apply(all, [&](itch::MessageBytes, const RestingOrder& order) {
    ++told;
    expect(order.quantity > 0, "an order that a message is about has shares");
  });
  expect(told <= all.size() && batched.faults().total() == single.faults().total(), "as many faults");
  expect(orders_of(single) == orders_of(batched) && single.size() == batched.size(), "the same books");
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes;
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  const std::size_t cut = bytes.size() * data[0] / 255;
  test::check<itch::FrameReader>(bytes, cut);
  test::check<itch::MessageReader>(bytes, cut);
  test::check_feeds(bytes);
  test::Content content;
  (void)itch::decode(bytes, content);
  return 0;
}
