// SPDX-License-Identifier: MIT
//
// Kills most mutants of the product within a second: a short walk through the conformance suite without
// GoogleTest. Exits with 1 at the first disagreement with the oracle.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "tests/long/mutation/books.hpp"
#include "tests/support/adversarial_streams.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/random_streams.hpp"

namespace llmes::test {
namespace {

bool agrees(const BookType& type, const BookConfig& config, const std::vector<Operation>& operations) {
  constexpr std::size_t state_every = 16;
  const std::optional<Disagreement> found = run_conformance(type, config, operations, state_every);
  if (found) std::printf("%s, operation %zu: %s\n", type.name.c_str(), found->operation, found->what.c_str());
  return !found;
}

bool agrees(const BookType& type) {
  const std::unique_ptr<AnyBook> sample = type.create({.base_price = 0, .capacity = 1});
  if (!sample) return false;
  const auto price_levels = static_cast<std::size_t>(sample->price_max()) + 1;
  for (Profile profile : profiles) {
    profile.operation_count = 400;
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    if (!agrees(type, config, random_stream(profile, config, price_levels, 1))) return false;
  }
  for (const Side makers : {Side::Buy, Side::Sell}) {
    const BookConfig config{.base_price = -20, .capacity = 100};
    const Ladder ladder{config.base_price, price_levels, makers};
    for (const auto& make : {exact_sums, touch_equality, boundary_pairs, ends_of_band, reused_ids}) {
      if (!agrees(type, config, make(ladder))) return false;
    }
    if (!agrees(type, config, deep_level_sweep(ladder, 99))) return false;
    if (!agrees(type, config, sweep_of_every_level(ladder, 100))) return false;
  }
  return true;
}

}  // namespace
}  // namespace llmes::test

int main() {
  for (const llmes::test::BookType& type : llmes::test::mutated_books()) {
    if (!llmes::test::agrees(type)) return 1;
  }
  return 0;
}
