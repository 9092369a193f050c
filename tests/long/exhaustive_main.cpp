// SPDX-License-Identifier: MIT
//
// exhaustive [--length=N]: the searches of tests/long/exhaustive.hpp, exhaustive_set.hpp, exhaustive_ids.hpp and
// exhaustive_risk.hpp as a program, with progress. N is 5 by default, and 4 with a sanitizer, which takes as long.
// Then, a call less each, once more with pooled anchors, once with a band that moves before and after each call,
// each index, by id, and a risk stage; and two calls less without a band and in a set of two books, where a walk
// over the windows is dear. Of more than 8 calls there are more sequences than 64 bits can count.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "llmes/book.hpp"
#include "tests/long/exhaustive.hpp"
#include "tests/long/exhaustive_ids.hpp"
#include "tests/long/exhaustive_risk.hpp"
#include "tests/long/exhaustive_set.hpp"
#include "tests/long/report_search.hpp"
#include "tests/support/altered_book.hpp"
#include "tests/support/number_flag.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

template <class... Kinds>
bool search_by_id(std::size_t length) {
  return (search<WorldById<Kinds>>(length, Kinds::name) && ...);
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  using namespace llmes::test;
  const std::uint64_t length = number_flag(
      argc, argv, "Plays every sequence of N calls on the core and on the oracle, and compares their answers.",
      "length", LLMES_TEST_SANITIZED ? 4 : 5, 8);
  const std::uint64_t one_less = std::max<std::uint64_t>(length, 2) - 1;
  const std::uint64_t two_less = std::max<std::uint64_t>(one_less, 2) - 1;
  const bool right = search<WorldByHandle<llmes::OrderBook<128>>>(length, "a band that stays") &&
                     search<WorldByHandle<llmes::WideOrderBook<128>>>(one_less, "pooled anchors") &&
                     search<WorldByHandle<AlteredBook<MovesTheBand<>>>>(one_less, "a band that moves") &&
                     search<WorldByHandle<llmes::AnyPriceBook<512>>>(two_less, "any price") &&
                     search<WorldOfASet<llmes::BookSet>>(two_less, "two books of a set") &&
                     search<WorldOfASet<llmes::PlacedBookSet>>(two_less, "two books of a placed set") &&
                     search_by_id<ThreeFromZero, TheLargestTwo, OneBucket, FullBucket>(one_less) &&
                     search<WorldOfRisk>(one_less, "a risk stage");
  return right ? 0 : 1;
}
