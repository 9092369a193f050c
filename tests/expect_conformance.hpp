// SPDX-License-Identifier: MIT
//
// The conformance check as a GoogleTest expectation: a failure prints the shortest sequence that still fails,
// as a test to paste into regression_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance.hpp"
#include "tests/shrink.hpp"

namespace llmes::test {

/// The name of a type as it is written in source.
template <class T>
std::string type_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t first = function.find("T = ") + 4;
  return std::string(function.substr(first, function.find_first_of(";]", first) - first));
}

/// A short failing sequence made from `operations`, the first `failing` of which fail.
template <bench::MatchingBook Book>
std::vector<Operation> shortest_failure(const BookConfig& config, std::vector<Operation> operations,
                                        std::size_t failing, std::size_t state_every = 1) {
  operations.resize(failing);
  return shrink(std::move(operations), [&](const std::vector<Operation>& candidate) {
    return run_conformance<Book>(config, candidate, state_every).has_value();
  });
}

template <bench::MatchingBook Book>
void expect_conformance(const BookConfig& config, const std::vector<Operation>& operations,
                        std::size_t state_every = 1) {
  const std::optional<Disagreement> found = run_conformance<Book>(config, operations, state_every);
  if (!found) return;
  const std::vector<Operation> shortest =
      shortest_failure<Book>(config, operations, found->operation + 1, state_every);
  const std::optional<Disagreement> shown = run_conformance<Book>(config, shortest);
  ADD_FAILURE() << (shown ? shown->what : found->what) << "\n\n"
                << source_of_test(type_name<Book>(), config.base_price, config.capacity, shortest);
}

}  // namespace llmes::test
