// SPDX-License-Identifier: MIT
//
// A risk stage that the system refuses memory for any of its tables is not made. A program of its own: it replaces
// operator new.
#include <gtest/gtest.h>

#include "llmes/venue.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

TEST(RiskStageCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr RiskConfig config{.accounts = 2, .books = 2, .orders = 5, .holdings = 3};
  expect_out_of_memory_at_each_of(6, [&](CreateStatus& status) { return RiskStage::create(config, status); });
}

}  // namespace
}  // namespace llmes::test
