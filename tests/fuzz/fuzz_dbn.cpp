// SPDX-License-Identifier: MIT
//
// Any bytes as DBN: the header and each record are read, nothing beyond the bytes is, and what is read does not
// depend on where the bytes are cut. The books of any records are those of an oracle, in `MboBook` and in a
// simulator; and any records can be played.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "llmes/dbn.hpp"
#include "llmes/market_data/mbo_book.hpp"
#include "llmes/simulator.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/mbo_oracle.hpp"

namespace llmes::test {
namespace {

using dbn::ReadStatus;

/// What the records of some bytes come to.
struct Content {
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;
  std::size_t passed_over = 0;
  std::size_t offset = 0;
  ReadStatus status{};
  friend bool operator==(const Content&, const Content&) = default;

  void add(std::uint64_t number) { checksum = checksum * 31 + number; }
};

/// Reads the bytes from where `content` has come to, and gives each record to `take`.
template <class Take>
void read_on(Content& content, std::span<const std::byte> bytes, bool has_sent_time, Take take) {
  // As much room as bytes, so that the sanitizer sees a read beyond them.
  const std::span<const std::byte> rest = bytes.subspan(content.offset);
  const auto room = std::make_unique<std::byte[]>(rest.size());
  std::ranges::copy(rest, room.get());
  dbn::RecordReader reader({room.get(), rest.size()}, has_sent_time);
  while (const dbn::Mbo* record = reader.next()) {
    ++content.records;
    for (const std::byte byte : std::as_bytes(std::span(record, 1))) content.add(std::to_integer<unsigned>(byte));
    content.add(reader.sent_time());
    take(*record);
  }
  content.passed_over += reader.passed_over();
  content.offset += reader.offset();
  content.status = reader.fault().status;
}

void check_records(std::span<const std::byte> bytes, bool has_sent_time, std::size_t cut) {
  static MboBook books = *MboBook::create({.instruments = 4, .capacity = 12});
  books.clear();
  MboOracle oracle(4, 12);
  DbnEvents events = *DbnEvents::create(4);
  CreateStatus status{};
  MarketBooks market = *MarketBooks::create({.books = 4, .capacity = 12}, status);
  TapeReport report = *TapeReport::create({.books = 4, .capacity = 12}, status);
  Content whole;
  read_on(whole, bytes, has_sent_time, [&](const dbn::Mbo& record) {
    books.apply(record);
    oracle.apply(record);
    events.apply(record, [&](const MarketEvent& event) {
      NoDetails none;
      static_cast<void>(market.apply(event, none));
      report.take(event);
    });
  });
  report.finish();
  const TapeCounts& counts = report.counts();
  expect(counts.fills + counts.cross_fills <= counts.of(MarketEventType::Fill), "the report's fills are fills");
  expect(counts.at_head + counts.at_head_gone <= counts.fills, "those at the head are fills");
  expect(books.size() == oracle.size() && books.book_count() == oracle.books.size(), "the same books");
  std::uint64_t faults = 0;
  for (const auto& [name, count] : oracle.faults) faults += count;
  expect(books.faults().total() == faults, "as many faults");
  for (const auto& [name, book] : oracle.books) {
    const BookNumber number = *books.book_of({name.first, name.second});
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::vector<RestingOrder> orders;
      books.visit_orders(number, side, [&](RestingOrder order) {
        order.handle = {};
        orders.push_back(order);
      });
      expect(orders == MboOracle::queue(book, side), "the same queues");
      std::vector<RestingOrder> in_market;
      market.set().book(number)->visit_orders(side, [&](const RestingOrder& order) {
        in_market.push_back({{}, salted_id(number, order.id), side, order.price, order.quantity});
      });
      expect(in_market == orders, "the same queues in a simulator");
    }
  }
  Content pieces;
  const auto ignore = [](const dbn::Mbo&) {};
  read_on(pieces, bytes.first(cut), has_sent_time, ignore);
  if (pieces.status == ReadStatus::Success || pieces.status == ReadStatus::Truncated) {
    read_on(pieces, bytes, has_sent_time, ignore);
  }
  expect(pieces == whole, "the same records in two pieces");
  expect(whole.offset == bytes.size() || whole.status != ReadStatus::Success, "nothing is left without an error");
}

void check_file(std::span<const std::byte> bytes, std::size_t cut) {
  dbn::Metadata metadata;
  const dbn::Fault fault = dbn::read_metadata(bytes, metadata);
  expect(fault.offset <= bytes.size() && !to_string(fault).empty(), "a fault within the bytes, with words");
  if (fault.status != ReadStatus::Success) return;
  expect(metadata.size <= bytes.size(), "a header within the bytes");
  std::size_t letters = metadata.dataset.size();
  for (const dbn::Names* names : {&metadata.symbols, &metadata.partial, &metadata.not_found}) {
    for (std::size_t i = 0; i < names->size(); ++i) letters += (*names)[i].size();
  }
  metadata.visit_mappings(
      [&](const dbn::Mapping& mapping) { letters += mapping.name.size() + mapping.symbol.size(); });
  expect(letters <= 2 * bytes.size() * 8, "names within the bytes");
  const std::span<const std::byte> records = bytes.subspan(metadata.size);
  check_records(records, metadata.has_sent_time, std::min(cut, records.size()));
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes;
  if (size == 0) return 0;
  // A copy of just their size, so that the sanitizer sees a read beyond them.
  const auto room = std::make_unique<std::byte[]>(size - 1);
  const std::span<const std::byte> bytes(room.get(), size - 1);
  std::ranges::copy(std::as_bytes(std::span(data + 1, size - 1)), room.get());
  const std::size_t cut = bytes.size() * data[0] / 255;
  test::check_file(bytes, cut);
  test::check_records(bytes, data[0] % 2 == 1, cut);  // without a header, which few bytes are
  return 0;
}
