// SPDX-License-Identifier: MIT
//
// DBN files by hand, byte after byte from the table of the format, without the codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace llmes::test {

struct DbnBytes {
  std::vector<std::byte> bytes;

  DbnBytes& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  DbnBytes& text(std::string_view text, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(i < text.size() ? text[i] : 0));
    return *this;
  }

  struct Header {
    int version = 3;
    std::string_view dataset = "XNAS.ITCH";
    int schema = 0;
    int has_sent_time = 0;
    std::vector<std::string_view> symbols{};
    std::vector<std::string_view> partial{};
    std::vector<std::string_view> not_found{};
    struct Interval {
      std::uint32_t begin;
      std::uint32_t end;
      std::string_view symbol;
    };
    struct Name {
      std::string_view name;
      std::vector<Interval> intervals;
    };
    std::vector<Name> mappings{};
  };

  DbnBytes& header(const Header& header) {
    const std::size_t width = header.version == 1 ? 22 : 71;
    text("DBN", 3).number(static_cast<std::uint64_t>(header.version), 1).number(0, 4);
    text(header.dataset, 16).number(static_cast<std::uint64_t>(header.schema), 2);
    number(1'700'000'000'000'000'000, 8).number(1'700'000'086'400'000'000, 8).number(1'000, 8);
    if (header.version == 1) number(2, 8);
    number(1, 1).number(0, 1).number(static_cast<std::uint64_t>(header.has_sent_time), 1);
    if (header.version != 1) number(width, 2);
    text("", header.version == 1 ? 47 : 53);
    number(0, 4);
    for (const auto* list : {&header.symbols, &header.partial, &header.not_found}) {
      number(list->size(), 4);
      for (const std::string_view name : *list) text(name, width);
    }
    number(header.mappings.size(), 4);
    for (const Header::Name& name : header.mappings) {
      text(name.name, width).number(name.intervals.size(), 4);
      for (const Header::Interval& interval : name.intervals) {
        number(interval.begin, 4).number(interval.end, 4).text(interval.symbol, width);
      }
    }
    while (header.version == 3 && bytes.size() % 8 != 0) number(0, 1);
    const std::uint64_t length = bytes.size() - 8;
    for (std::size_t i = 0; i < 4; ++i) bytes[4 + i] = static_cast<std::byte>(length >> (8 * i));
    return *this;
  }

  struct Record {
    std::uint16_t publisher = 2;
    std::uint32_t instrument = 1;
    std::uint64_t event_time = 0;
    std::uint64_t order_id = 0;
    std::int64_t price = 0;
    std::uint32_t size = 0;
    int flags = 128;
    int channel = 0;
    char action = 'A';
    char side = 'B';
    std::uint64_t receive_time = 0;
    std::int32_t in_delta = 0;
    std::uint32_t sequence = 0;
  };
  /// @param words the length that it says
  DbnBytes& record(const Record& record, int words = 14) {
    number(static_cast<std::uint64_t>(words), 1).number(0xa0, 1).number(record.publisher, 2);
    number(record.instrument, 4).number(record.event_time, 8).number(record.order_id, 8);
    number(static_cast<std::uint64_t>(record.price), 8).number(record.size, 4);
    number(static_cast<std::uint64_t>(record.flags), 1).number(static_cast<std::uint64_t>(record.channel), 1);
    text({&record.action, 1}, 1).text({&record.side, 1}, 1).number(record.receive_time, 8);
    return number(static_cast<std::uint32_t>(record.in_delta), 4).number(record.sequence, 4);
  }
};

}  // namespace llmes::test
