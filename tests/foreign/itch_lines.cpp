// SPDX-License-Identifier: MIT
//
// itch_lines write|read FILE: our codec, as a program in another language can use it. See `usage` below.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <ios>
#include <iostream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "examples/support/output.hpp"
#include "llmes/itch.hpp"
#include "tests/support/itch_fields.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr const char* usage = R"(usage: itch_lines write FILE
       itch_lines read FILE

Writes messages of every type of ITCH 5.0 to FILE, in frames, each time the same ones; or reads such a FILE. Prints a
line of JSON for each message: an object with its type and its fields. Numbers are as they stand in the message; a text
has lost the spaces at its end.
)";

/// Prints a message as an object. Its letters need no escapes.
struct Printer {
  template <itch::Message M>
  void operator()(const M& message) const {
    std::cout << R"({"type": ")" << message.header.type.value() << '"';
    each_itch_field(message, []<class F>(std::string_view name, const F& field) {
      std::cout << ", \"" << name << "\": ";
      if constexpr (requires { field.view(); }) {
        std::cout << '"' << field.view() << '"';
      } else if constexpr (ItchCode<decltype(field.value())>) {
        std::cout << '"' << static_cast<char>(field.value()) << '"';
      } else if constexpr (requires { field.value().count(); }) {
        std::cout << static_cast<std::uint64_t>(field.value().count());
      } else {
        std::cout << static_cast<std::uint64_t>(field.value());
      }
    });
    std::cout << "}\n";
  }
};

template <itch::Message M>
void write_message(const M& message, std::ostream& file) {
  std::array<std::byte, 2 + sizeof(M)> room;
  itch::FrameWriter writer(room);
  if (writer.append(message) != itch::WriteStatus::Success) file.setstate(std::ios::failbit);
  file.write(reinterpret_cast<const char*>(writer.written().data()),
             static_cast<std::streamsize>(writer.written().size()));
  Printer()(message);
}

bool write(const char* path) {
  std::ofstream file(path, std::ios::binary);
  Random random(50);
  for (int round = 0; round < 40; ++round) {
    each_itch_type([&]<itch::Message M>(const M&) {
      M message = random_itch_message<M>(random);
      // It would end the file for a reader.
      if constexpr (requires { message.event; }) message.event = itch::EventCode::StartOfMessages;
      write_message(message, file);
    });
  }
  write_message(itch::SystemEvent{.event = itch::EventCode::EndOfMessages}, file);
  file.close();
  if (!file) std::cerr << "itch_lines: cannot write '" << path << "'\n";
  return static_cast<bool>(file);
}

bool read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  itch::FrameReader reader(bytes);
  std::array<itch::MessageBytes, 64> messages;
  for (std::span<const itch::MessageBytes> found = messages; found.size() == messages.size();) {
    found = reader.read(messages);
    for (const itch::MessageBytes& message : found) {
      if (itch::decode(message, Printer()) == itch::DecodeStatus::Success) continue;
      std::cerr << "itch_lines: a message of an unknown type in '" << path << "'\n";
      return false;
    }
  }
  if (file && reader.offset() == bytes.size()) return true;
  std::cerr << "itch_lines: cannot read '" << path << "' at byte " << reader.offset() << '\n';
  return false;
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::cout << llmes::test::usage;
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "write") == 0) return llmes::test::write(argv[2]) ? 0 : 1;
  if (argc == 3 && std::strcmp(argv[1], "read") == 0) return llmes::test::read(argv[2]) ? 0 : 1;
  std::cerr << llmes::test::usage;
  return 2;
}
