// SPDX-License-Identifier: MIT
//
// A planned stream: all events, cancel targets and expected outcomes are fixed before any clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/streams/digest.hpp"
#include "bench/streams/order_ids.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

/// A planned command. It names orders by number, because the handles of a book are not known yet.
struct Event {
  Price price = 0;
  Quantity quantity = 0;
  OrderNumber order = 0;  ///< the new order's number, or the target's
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
};

/// What happened in a timed batch, and what the book held meanwhile. Sums are over its events.
struct Census {
  std::uint64_t events = 0;
  std::uint64_t adds = 0;
  std::uint64_t immediate = 0;  ///< adds that never rest (immediate-or-cancel)
  std::uint64_t cancels = 0;
  std::uint64_t modifies = 0;
  std::uint64_t markets = 0;
  std::uint64_t at_once = 0;      ///< cancels and modifies that are the next event after the add of their order
  std::uint64_t within_four = 0;  ///< these, and those that come two to four events after it
  std::uint64_t misses = 0;       ///< cancels and modifies that arrive after their order is gone, as planned
  std::uint64_t fills = 0;
  std::uint64_t resting_sum = 0;
  std::uint64_t resting_peak = 0;
  std::uint64_t bid_levels_sum = 0;
  std::uint64_t ask_levels_sum = 0;
  std::uint64_t one_sided = 0;       ///< events that found a side empty
  std::uint64_t rested = 0;          ///< adds that rested
  std::uint64_t levels_opened = 0;   ///< how often an empty level got an order
  std::uint64_t levels_emptied = 0;  ///< how often a level lost its last order
  std::uint64_t lifetime_sum = 0;    ///< events from the start of an order's rest to its cancel or last fill
  std::uint64_t lifetime_count = 0;
  Price touch_min = 0;  ///< the lowest and the highest best price seen on either side
  Price touch_max = 0;
  std::uint64_t located = 0;  ///< orders that rested at the beginning of a window, and how many of them outside of
  std::uint64_t outside_4096 = 0;   ///< the 4,096 prices around the touch
  std::uint64_t outside_65536 = 0;  ///< the 65,536 prices around it
  std::uint64_t jumps_64 = 0;       ///< how often an event moved a best price by more than 64 ticks
  std::uint64_t jumps_4096 = 0;     ///< by more than 4,096
  Price jump_max = 0;               ///< by how many ticks at most

  void add(const Census& other);
  [[nodiscard]] double per_event(std::uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(events);
  }
};

/// The place of a timed batch in the events, and what a book must have done in it.
struct Batch {
  std::size_t rewarm_begin = 0;  ///< events from here on are replayed untimed, to fill the caches
  std::size_t begin = 0;         ///< the timed window
  std::size_t end = 0;
  Census census;
  Digest expected;              ///< trades and misses of [begin, end)
  Digest expected_short;        ///< the same for the first `Plan::short_batch` events
  std::size_t resting_end = 0;  ///< orders resting after it
  /// The orders resting at `begin`, as adds in time priority, for books that are too slow to play all events
  /// before it; only if `PlanSpec::snapshots`.
  std::vector<Event> snapshot;
};

struct PlanSpec {
  std::string workload = "macro";  ///< one of `workload_names`, or "spread" (see spread.hpp)
  std::size_t standing = 5000;     ///< the number of resting orders; 0 for `classic`, which does not hold it
  std::uint64_t seed = 1;
  std::size_t batches = 20;
  std::size_t batch = 100'000;  ///< timed events in a batch
  std::size_t rewarm = 10'000;
  std::size_t warm_up = 500'000;
  bool snapshots = false;  ///< keep a snapshot for each batch, for books that scan
  /// What the ids of orders are; by default permuted for `fleeting` and `gaps`, and numbers otherwise.
  std::optional<Ids> ids{};
  std::size_t wander = 1'500;  ///< the ticks over which the price of `fleeting` wanders, from 64 to 131,072
};

inline constexpr std::string_view workload_names[] = {"macro", "wide", "classic", "fleeting", "far", "gaps"};

struct Plan {
  PlanSpec spec;
  Price base_price = 0;
  /// The band that it needs: 4,096, 16,384 or 131,072, or any for "spread"; 0 if none will do.
  std::size_t price_levels = 0;
  std::size_t capacity = 0;  ///< the most orders that ever rest
  std::size_t order_count = 0;
  OrderIds ids;
  std::size_t short_batch = 0;  ///< the number of events in a window of a book that scans
  std::vector<Event> events;
  std::vector<Batch> batches;
};

/// Plans a stream. `classic` ignores `spec.standing`. Throws std::invalid_argument for an unknown workload, a
/// batch of 0 events, and a price that wanders too little or too far.
[[nodiscard]] Plan make_plan(const PlanSpec& spec);

/// The census of all batches of a plan.
[[nodiscard]] inline Census census_of(const Plan& plan) {
  Census census;
  for (const Batch& batch : plan.batches) census.add(batch.census);
  return census;
}

}  // namespace llmes::bench
