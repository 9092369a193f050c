// SPDX-License-Identifier: MIT
//
// exhaustive_rules [--length=N]: the search of tests/long/exhaustive_rules.hpp as a program, with progress. N is 4
// by default. With the other allocations the sequences are a call shorter, and auctions have one order less.
#include <algorithm>
#include <cstdint>

#include "llmes/rules.hpp"
#include "tests/long/exhaustive_auctions.hpp"
#include "tests/long/exhaustive_rules.hpp"
#include "tests/long/report_search.hpp"
#include "tests/support/number_flag.hpp"

int main(int argc, char** argv) {
  using namespace llmes::test;
  using llmes::Allocation;
  const std::uint64_t length = number_flag(
      argc, argv, "Plays every sequence of N calls on books with rules and on the oracle.", "length", 4, 8);
  const std::uint64_t one_less = std::max<std::uint64_t>(length, 2) - 1;
  const bool right = search<WorldOfRules<Allocation::PriceTime>>(length, "rules by time") &&
                     search<WorldOfRules<Allocation::ProRata>>(one_less, "rules pro rata") &&
                     search<WorldOfRules<Allocation::FirstThenProRata>>(one_less, "rules first then pro rata") &&
                     EveryAuction<Allocation::PriceTime>().search(one_less, "auctions by time") &&
                     EveryAuction<Allocation::ProRata>().search(one_less, "auctions pro rata") &&
                     EveryAuction<Allocation::FirstThenProRata>().search(one_less, "auctions first then pro rata");
  return right ? 0 : 1;
}
