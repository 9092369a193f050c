// SPDX-License-Identifier: MIT
#include "tests/support/expect_conformance.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/conformance.hpp"

namespace llmes::test {

void expect_conformance(const BookType& type, const BookConfig& config, const std::vector<Operation>& operations,
                        std::size_t state_every) {
  const std::optional<Disagreement> found = run_conformance(type, config, operations, state_every);
  if (!found) return;
  const std::vector<Operation> shortest =
      shortest_failure(type, config, operations, found->operation + 1, state_every);
  const std::optional<Disagreement> shown = run_conformance(type, config, shortest);
  ADD_FAILURE() << (shown ? shown->what : found->what) << "\n\n"
                << source_of_test(type.name, config.base_price, config.capacity, shortest);
}

}  // namespace llmes::test
