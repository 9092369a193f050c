// SPDX-License-Identifier: MIT
//
// Any bytes as a tape of any format: nothing beyond the bytes is read, the events do not depend on where the bytes
// are cut, what is wrong has words, and a simulator can play what is read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "llmes/simulator.hpp"
#include "tests/fuzz/expect.hpp"

namespace llmes::test {
namespace {

/// What a tape comes to.
struct Content {
  std::uint64_t events = 0;
  std::uint64_t checksum = 0;
  FeedCounts counts{};
  std::string fault;
  friend bool operator==(const Content&, const Content&) = default;
};

/// Takes lots of whatever it sees, and rests beside it.
struct Meddler {
  void on_start(auto& desk) { static_cast<void>(desk.subscribe(0, 2)); }
  void on_market(auto& desk, BookNumber book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      const DepthLevel best = desk.view(book).best(side);
      static_cast<void>(desk.add(book, side, best.price, 1));
    }
  }
};

/// Reads a tape in two pieces, and gives each event to `take`.
template <class Take>
Content read(std::span<const std::byte> bytes, std::size_t cut, Take take) {
  Content content;
  TapeReader reader(4);
  const auto count = [&](const MarketEvent& event) {
    ++content.events;
    for (const std::uint64_t number :
         {event.time, event.id, event.new_id, static_cast<std::uint64_t>(event.price), event.quantity,
          std::uint64_t{event.book}, static_cast<std::uint64_t>(event.type), std::uint64_t{event.last}})
      content.checksum = content.checksum * 31 + number;
    take(event);
  };
  std::size_t used = 0;
  for (const std::size_t end : {cut, bytes.size()}) {
    // As much room as bytes, so that the sanitizer sees a read beyond them.
    const auto room = std::make_unique<std::byte[]>(end - used);
    std::ranges::copy(bytes.first(end).subspan(used), room.get());
    used += reader.read({room.get(), end - used}, end == bytes.size(), count);
    expect(used <= end || reader.has_failed(), "no more bytes are used than there are");
    if (end == bytes.size() || reader.has_failed()) break;
  }
  content.counts = reader.counts();
  content.fault = reader.fault();
  return content;
}

void check(std::span<const std::byte> bytes, std::size_t cut) {
  SimulatorConfig config;
  config.market = {.books = 4, .capacity = 12};
  config.orders_max = 8;
  CreateStatus status{};
  auto simulator = *Simulator<Meddler>::create(config, {{}}, status);
  std::uint64_t refused = 0;
  const Content whole = read(bytes, bytes.size(), [&](const MarketEvent& event) {
    refused += simulator.on_event(event) != MarketStatus::Success;
  });
  simulator.finish();
  std::uint64_t counted = 0;
  for (std::size_t one = 1; one < TapeCounts::statuses; ++one)
    counted += simulator.count_of(static_cast<MarketStatus>(one));
  expect(counted == refused, "each refusal is counted");
  expect(whole.events == whole.counts.events, "each event is counted");
  expect(read(bytes, cut, [](const MarketEvent&) {}) == whole, "the same events in two pieces");
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  llmes::test::check(bytes, bytes.size() * data[0] / 255);
  return 0;
}
