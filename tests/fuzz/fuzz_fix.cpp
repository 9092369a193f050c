// SPDX-License-Identifier: MIT
//
// Any bytes as FIX. The same messages are read wherever the bytes are cut. Lines become the bodies of messages, so
// that they reach a session, from both sides: what it answers is well formed, has the next number, and the number
// that it expects never goes back without a reset.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/wire/fix_text.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test {
namespace {

/// What the messages of some bytes come to, and where the rest begins.
struct Content {
  std::uint64_t checksum = 0;
  std::size_t offset = 0;
  friend bool operator==(const Content&, const Content&) = default;
};
void read_on(Content& content, std::span<const std::byte> bytes) {
  // As much room as bytes, so that the sanitizer sees a read beyond them.
  const std::size_t size = bytes.size() - content.offset;
  const auto room = std::make_unique<std::byte[]>(size);
  std::ranges::copy(bytes.subspan(content.offset), room.get());
  fix::FrameReader reader({room.get(), size});
  while (const std::optional<fix::Frame> frame = reader.next()) {
    const fix::Message message(*frame);
    for (const fix::Field& field : message.fields()) {
      content.checksum = content.checksum * 31 + field.tag;
      for (const char letter : field.value)
        content.checksum = content.checksum * 31 + static_cast<unsigned char>(letter);
    }
    for (const std::uint32_t count : {296u, 295u, 453u}) {
      fix::GroupReader group(message.type(), message.fields(), count);
      std::size_t entries = 0;
      for (auto entry = group.next(); !entry.empty(); entry = group.next()) entries += entry.size();
      const bool is_whole = group.rejection() || group.size() == 1 + entries;
      expect(is_whole, "a group is its count and its entries");
    }
    if (const auto rejection = fix::check(message))
      content.checksum += static_cast<std::uint64_t>(rejection->reason);
  }
  content.offset += reader.offset();
}

class Store : public MessageList {
 public:
  [[nodiscard]] const fix::Numbers& numbers() const { return numbers_; }
  void keep(const fix::Change& change) { expect(numbers_.apply(change), "a change goes with those before"); }

 private:
  fix::Numbers numbers_;
};

struct Desk {
  Store* store;
  Store* logon(const fix::Logon&) { return store; }
  static void message(const fix::Message& message, bool) {
    expect(!fix::check(message), "a message given on is right");
  }
};

constexpr fix::Nanoseconds second = 1'000'000'000;
constexpr fix::Nanoseconds begin = 1'795'807'800 * second;

/// Checks what a side says. @return how many new messages
void check_answers(std::string_view bytes, std::uint64_t& next) {
  fix::FrameReader reader(bytes_of(bytes));
  while (const std::optional<fix::Frame> frame = reader.next()) {
    const fix::Message message(*frame);
    const std::optional<fix::Rejection> rejection = fix::check(message);
    expect(!rejection, "an answer is right");
    if (message.flag(43)) continue;
    const std::uint64_t sequence = message.number(34).value_or(0);
    expect(sequence == next || message.flag(141), "an answer has the next number");
    next = sequence + 1;
  }
  expect(reader.garbled() == 0 && reader.offset() == bytes.size(), "answers are whole messages");
}

template <class Side>
void play(Side& side, Store& store, std::string_view lines, std::uint64_t next) {
  Desk desk{&store};
  fix::Nanoseconds now = begin;
  std::vector<std::byte> room(fix::body_max + fix::frame_size);
  while (!lines.empty() && side.end() == fix::End::None) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::uint64_t expected = store.numbers().next_received();
    if (line == "s") {
      store.add(fields("35=8|52=20261127-19:30:00|6=0|14=0|17=1|37=1|39=0|54=1|55=A|150=0|151=1|"));
    } else if (line == "t") {
      now += 7 * second;
    } else {
      // The number that is expected stands for #.
      std::string body(line);
      if (const std::size_t at = body.find('#'); at != body.npos) body.replace(at, 1, std::to_string(expected));
      side.receive(bytes_of(framed(body)), now, desk);
      const bool resets = body.find("141=Y") != body.npos;
      expect(resets || store.numbers().next_received() >= expected, "the expected number does not go back");
    }
    side.advance(now);
    std::string said;
    while (const std::size_t size = side.write(room, now)) said += text_of(std::span(room).first(size));
    check_answers(said, next);
  }
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes;
  using namespace llmes::test;
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  Content whole;
  read_on(whole, bytes);
  Content pieces;
  read_on(pieces, bytes.first(bytes.size() * data[0] / 255));
  read_on(pieces, bytes);
  expect(pieces == whole, "the same messages in two pieces");

  const std::string_view lines(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string head = "49=C|52=20261127-19:30:00|56=V|";
  Store venue;
  fix::Acceptor<Store> acceptor({.comp_id = "V"}, begin);
  Desk desk{&venue};
  acceptor.receive(bytes_of(framed("35=A|34=1|" + head + "98=0|108=30|")), begin, desk);
  play(acceptor, venue, lines, 1);
  Store client;
  fix::Initiator<Store> initiator({.comp_id = "V"}, "C", client, 30, {}, begin);
  play(initiator, client, lines, 1);
  return 0;
}
