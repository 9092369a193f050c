// SPDX-License-Identifier: MIT
//
// A venue, its risk stage, and what waits in it, are not made if the system refuses memory for any of its tables.
// A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include "llmes/venue.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

TEST(RiskStageCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr RiskConfig config{.accounts = 2, .books = 2, .orders = 5, .holdings = 3};
  expect_out_of_memory_at_each_of(10, [&](CreateStatus& status) { return RiskStage::create(config, status); });
}

TEST(StopOrdersCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr StopConfig config{.books = 2, .capacity = 5};
  expect_out_of_memory_at_each_of(8, [&](CreateStatus& status) { return StopOrders::create(config, status); });
}

TEST(ExpiryCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr ExpiryConfig config{.books = 2, .capacity = 5};
  expect_out_of_memory_at_each_of(4, [&](CreateStatus& status) { return Expiry::create(config, status); });
}

TEST(LinkedOrdersCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr LinkConfig config{.groups = 5};
  expect_out_of_memory_at_each_of(12, [&](CreateStatus& status) { return LinkedOrders::create(config, status); });
}

TEST(VenueCreate, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  constexpr VenueConfig config{.books = {.max_books = 1, .capacity = 5}, .accounts = 2, .holdings = 3};
  expect_out_of_memory_at_each_of(45, [&](CreateStatus& status) { return Venue<>::create(config, status); });
}

}  // namespace
}  // namespace llmes::test
