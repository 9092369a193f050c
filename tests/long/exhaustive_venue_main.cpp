// SPDX-License-Identifier: MIT
//
// exhaustive_venue [--length=N]: the search of tests/long/exhaustive_venue.hpp as a program, with progress. N is 4
// by default.
#include <cstdint>

#include "tests/long/exhaustive_venue.hpp"
#include "tests/long/report_search.hpp"
#include "tests/support/number_flag.hpp"

int main(int argc, char** argv) {
  using namespace llmes::test;
  const std::uint64_t length =
      number_flag(argc, argv, "Plays every sequence of N commands on a venue and on the oracle.", "length", 4, 8);
  return search<WorldOfVenue>(length, "venue") ? 0 : 1;
}
