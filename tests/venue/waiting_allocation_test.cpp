// SPDX-License-Identifier: MIT
//
// What waits in a venue allocates what it says when it is made, and nothing later.
#include <gtest/gtest.h>

#include <cstdint>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/venue/expiry.hpp"
#include "llmes/venue/linked_orders.hpp"
#include "llmes/venue/stop_orders.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/venue/waiting.hpp"

#if !LLMES_TEST_SANITIZED

namespace llmes::test {
namespace {

/// Makes a part, and expects that nothing that `use` does with it allocates.
template <class Part, class Config, class Use>
void expect_no_allocation(const Config& config, const Use& use) {
  const std::uint64_t bytes = bench::allocated_bytes();
  Part part = made<Part>(config);
  EXPECT_EQ(bench::allocated_bytes() - bytes, part.memory_bytes());
  const std::uint64_t calls = bench::allocation_count();
  use(part);
  EXPECT_EQ(bench::allocation_count(), calls);
}

TEST(WaitingAllocates, NothingForStops) {
  expect_no_allocation<StopOrders>(StopConfig{.books = 3, .capacity = 40}, [](StopOrders& stops) {
    const TriggerPrices prices{.last = 100, .best_bid = 99, .best_ask = 101};
    for (OrderId id = 0; id < 100; ++id) {
      VenueCommand stop = of(static_cast<AccountNumber>(id % 5), sell_stop(id, static_cast<Price>(id % 90)));
      if (id % 3 == 0) stop = trailing(stop, static_cast<Price>(1 + id));
      (void)stops.add(stop, prices);
      (void)stops.next(0, {.last = static_cast<Price>(100 - id % 60)});
      stop.quantity = 20;
      (void)stops.modify(stop);
      if (id % 7 == 0) (void)stops.cancel(id / 2);
    }
    (void)stops.mass_cancel({.owner = 2}, [](const VenueCommand&) {});
    (void)stops.mass_cancel({}, [](const VenueCommand&) {});
  });
}

TEST(WaitingAllocates, NothingForLifetimes) {
  expect_no_allocation<Expiry>(ExpiryConfig{.books = 3, .capacity = 40}, [](Expiry& expiry) {
    for (OrderId id = 1; id < 100; ++id) {
      (void)(id % 3 == 0 ? expiry.add_day(id, 1) : expiry.add(id, id + 10));
      (void)expiry.advance(id);
      while (expiry.next_due()) {
      }
      expiry.remove(id / 2);
    }
    while (expiry.next_of_day(1)) {
    }
  });
}

TEST(WaitingAllocates, NothingForLinks) {
  expect_no_allocation<LinkedOrders>(LinkConfig{.groups = 20}, [](LinkedOrders& links) {
    for (OrderId id = 1; id < 100; ++id) {
      VenueCommand order = of(1, buy_stop(id, 100));
      order.link = 1 + id / 3;
      order.link_role = id % 3 == 2 ? LinkRole::BracketParent : LinkRole::BracketChild;
      if (links.check(order) == VenueStatus::Success) links.add(order);
      links.on_fill(id - 1, 2);
      while (links.next(always)) {
      }
      if (id % 5 == 0) links.on_end(id / 2);
    }
    links.mass_cancel({.owner = 1}, [](const VenueCommand&) {});
  });
}

}  // namespace
}  // namespace llmes::test

#endif
