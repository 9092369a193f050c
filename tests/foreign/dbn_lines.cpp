// SPDX-License-Identifier: MIT
//
// dbn_lines write|read FILE: our codec, as a program in another language can use it. See `usage` below.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/output.hpp"
#include "llmes/dbn.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr const char* usage = R"(usage: dbn_lines write1|write2|write3 FILE
       dbn_lines read FILE

Writes a DBN file of that version to FILE, with a time of sending in version 2; or reads such a FILE. Prints a line of
JSON for the header and for each record: an object with its fields, by the names of the format.
)";

void print_names(std::string_view name, const dbn::Names& names) {
  std::cout << ", \"" << name << "\": [";
  for (std::size_t i = 0; i < names.size(); ++i) std::cout << (i == 0 ? "\"" : ", \"") << names[i] << '"';
  std::cout << ']';
}

void print(const dbn::Metadata& header) {
  std::cout << "{\"version\": " << int{header.version} << ", \"dataset\": \"" << header.dataset
            << "\", \"start\": " << header.start << ", \"end\": " << header.end << ", \"limit\": " << header.limit
            << ", \"stype_in\": " << int{header.stype_in} << ", \"stype_out\": " << int{header.stype_out}
            << ", \"ts_out\": " << (header.has_sent_time ? "true" : "false");
  print_names("symbols", header.symbols);
  print_names("partial", header.partial);
  print_names("not_found", header.not_found);
  std::cout << ", \"mappings\": [";
  const char* separator = "";
  header.visit_mappings([&](const dbn::Mapping& mapping) {
    std::cout << separator << "[\"" << mapping.name << "\", " << mapping.begin << ", " << mapping.end << ", \""
              << mapping.symbol << "\"]";
    separator = ", ";
  });
  std::cout << "]}\n";
}

void print(const dbn::Mbo& record, std::uint64_t sent_time) {
  std::cout << "{\"publisher_id\": " << record.header.publisher
            << ", \"instrument_id\": " << record.header.instrument
            << ", \"ts_event\": " << record.header.event_time << ", \"order_id\": " << record.order_id
            << ", \"price\": " << record.price << ", \"size\": " << record.size
            << ", \"flags\": " << int{record.flags.value()} << ", \"channel_id\": " << int{record.channel.value()}
            << ", \"action\": \"" << static_cast<char>(record.action.value()) << "\", \"side\": \""
            << static_cast<char>(record.side.value()) << "\", \"ts_recv\": " << record.receive_time
            << ", \"ts_in_delta\": " << record.in_delta << ", \"sequence\": " << record.sequence
            << ", \"ts_out\": " << sent_time << "}\n";
}

bool read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  dbn::Metadata header;
  dbn::Fault fault = dbn::read_metadata(bytes, header);
  if (fault.status == dbn::ReadStatus::Success) {
    print(header);
    dbn::RecordReader reader(bytes.subspan(header.size), header.has_sent_time);
    while (const dbn::Mbo* record = reader.next()) print(*record, reader.sent_time());
    fault = reader.fault();
  }
  if (fault.status == dbn::ReadStatus::Success) return true;
  std::cerr << "dbn_lines: " << path << ": " << to_string(fault) << '\n';
  return false;
}

/// A number of any magnitude.
template <class Value>
Value any(Random& random) {
  return static_cast<Value>(random.next() >> random.below(64));
}

bool write(const char* path, std::uint8_t version) {
  Random random(56);
  const std::array<dbn::Mapping, 2> mappings{
      {{"ESZ6", 20'261'126, 20'261'128, "17"}, {"A.LONG.SYMBOL.OF.21.L", 20'261'126, 20'261'127, "4294967295"}}};
  const dbn::HeaderFields header{.version = version,
                                 .dataset = "GLBX.MDP3",
                                 .start = 1'795'737'600'000'000'000,
                                 .end = 1'795'824'000'000'000'000,
                                 .has_sent_time = version == 2,
                                 .mappings = mappings};
  std::vector<std::byte> room(dbn::Writer::size_of(header) + 500 * 64);
  dbn::Writer writer(room);
  bool fits = writer.append(header) == dbn::WriteStatus::Success;
  constexpr std::string_view actions = "ACMRTFN";
  constexpr std::string_view sides = "BAN";
  for (int i = 0; i < 500; ++i) {
    dbn::Mbo record;
    record.header.publisher = any<std::uint16_t>(random);
    record.header.instrument = any<std::uint32_t>(random);
    record.header.event_time = any<std::uint64_t>(random);
    record.order_id = any<std::uint64_t>(random);
    record.price = any<std::int64_t>(random);
    record.size = any<std::uint32_t>(random);
    record.flags = any<std::uint8_t>(random);
    record.channel = any<std::uint8_t>(random);
    record.action = static_cast<dbn::Action>(actions[random.below(actions.size())]);
    record.side = static_cast<dbn::BidAsk>(sides[random.below(sides.size())]);
    record.receive_time = any<std::uint64_t>(random);
    record.in_delta = any<std::int32_t>(random);
    record.sequence = any<std::uint32_t>(random);
    fits &= writer.append(record, any<std::uint64_t>(random)) == dbn::WriteStatus::Success;
  }
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(writer.written().data()),
             static_cast<std::streamsize>(writer.written().size()));
  file.close();
  if (!file || !fits) std::cerr << "dbn_lines: cannot write '" << path << "'\n";
  return file && fits && read(path);
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::cout << llmes::test::usage;
    return 0;
  }
  const std::string_view mode = argc == 3 ? argv[1] : "";
  if (mode == "read") return llmes::test::read(argv[2]) ? 0 : 1;
  if (mode == "write1" || mode == "write2" || mode == "write3") {
    return llmes::test::write(argv[2], static_cast<std::uint8_t>(mode.back() - '0')) ? 0 : 1;
  }
  std::cerr << llmes::test::usage;
  return 2;
}
