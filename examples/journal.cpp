// SPDX-License-Identifier: MIT
//
// The journal of an engine, for who runs it: is it whole, and what is in it.
#include "journal/journal.hpp"

#include <charconv>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "journal/convert.hpp"
#include "support/output.hpp"

namespace {

constexpr std::string_view usage = R"(usage: journal verify DIRECTORY
       journal dump DIRECTORY [FIRST [LAST]]
       journal convert DIRECTORY EMPTY

verify reads all records and snapshots of a journal that no engine writes, and says whether they are whole.
dump prints the records from FIRST to LAST, one a line; also beside an engine.
convert writes the journal of a venue of version 0.17 or earlier anew for this version, to an EMPTY directory.
None changes the DIRECTORY. Exit status: 0, 1 if something is wrong or cannot be read, 2 for a wrong argument.
)";

/// A number of a record, if it is one.
std::optional<std::uint64_t> sequence_of(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || read != end || number == 0) return {};
  return number;
}

int refuse(std::string_view why) {
  std::cerr << "journal: " << why << " (see --help)\n";
  return 2;
}

int run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--help") {
    std::cout << usage;
    return 0;
  }
  if (command == "verify") {
    return argc == 3 ? verify_journal(argv[2], std::cout, std::cerr) : refuse("verify takes a directory");
  }
  if (command == "convert") {
    return argc == 4 ? convert_journal(argv[2], argv[3], std::cout, std::cerr)
                     : refuse("convert takes a directory, and one for the new journal");
  }
  if (command != "dump") return refuse("say verify, dump or convert");
  if (argc < 3 || argc > 5) return refuse("dump takes a directory, and perhaps the first and the last record");
  const auto first = argc > 3 ? sequence_of(argv[3]) : 1;
  const auto last = argc > 4 ? sequence_of(argv[4]) : std::numeric_limits<std::uint64_t>::max();
  if (!first || !last) return refuse("a record is named by a number of 1 or more");
  return dump_journal(argv[2], *first, *last, std::cout, std::cerr);
}

}  // namespace

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  return run(argc, argv);
}
