// SPDX-License-Identifier: MIT
//
// A planned stream: every event, every cancel target and every expected outcome, fixed before any clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/digest.hpp"
#include "llmes/types.hpp"

namespace llmes::bench {

/// The number of an order within its plan, from 0 in order of arrival; also its id.
using OrderNumber = std::uint32_t;

/// A command as planned. A book's own handles are not known yet, so it names orders by number.
struct Event {
  Price price = 0;
  Quantity quantity = 0;
  OrderNumber order = 0;  ///< the new order's number, or the target's
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
};

/// What really happened in a timed batch, and what the book held meanwhile. Sums run over its events.
struct Census {
  std::uint64_t events = 0;
  std::uint64_t adds = 0;
  std::uint64_t immediate = 0;  ///< adds that never rest (immediate-or-cancel)
  std::uint64_t cancels = 0;
  std::uint64_t modifies = 0;
  std::uint64_t markets = 0;
  std::uint64_t misses = 0;  ///< cancels and modifies planned to arrive after their order is gone
  std::uint64_t fills = 0;
  std::uint64_t resting_sum = 0;
  std::uint64_t resting_peak = 0;
  std::uint64_t bid_levels_sum = 0;
  std::uint64_t ask_levels_sum = 0;
  std::uint64_t one_sided = 0;       ///< events that found a side empty
  std::uint64_t rested = 0;          ///< adds that came to rest
  std::uint64_t levels_opened = 0;   ///< times that an empty level got an order
  std::uint64_t levels_emptied = 0;  ///< times that a level lost its last order
  std::uint64_t lifetime_sum = 0;    ///< events between coming to rest and cancel or last fill
  std::uint64_t lifetime_count = 0;
  Price touch_min = 0;  ///< the lowest and the highest best price seen on either side
  Price touch_max = 0;

  void add(const Census& other);
  [[nodiscard]] double per_event(std::uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(events);
  }
};

/// Where a timed batch lies in the events, and what a book must have done after it.
struct Batch {
  std::size_t rewarm_begin = 0;  ///< events from here on are replayed untimed, to fill the caches
  std::size_t begin = 0;         ///< the timed window
  std::size_t end = 0;
  Census census;
  Digest expected;              ///< trades and misses of [begin, end)
  Digest expected_short;        ///< the same for the first `Plan::short_batch` events
  std::size_t resting_end = 0;  ///< orders resting after it
  /// The orders resting at `begin` as adds in order of time priority, for books that are too slow to get there
  /// event by event; only if `PlanSpec::snapshots`.
  std::vector<Event> snapshot;
};

struct PlanSpec {
  std::string workload = "macro";  ///< one of `workload_names`, or "spread" (see spread.hpp)
  std::size_t standing =
      5000;  ///< the number of resting orders to hold the book near; 0 for `classic`, which holds none
  std::uint64_t seed = 1;
  std::size_t batches = 20;
  std::size_t batch = 100'000;  ///< timed events in a batch
  std::size_t rewarm = 10'000;
  std::size_t warm_up = 500'000;
  bool snapshots = false;  ///< for books that scan: keep a snapshot for each batch
};

inline constexpr std::string_view workload_names[] = {"macro", "wide", "classic"};

struct Plan {
  PlanSpec spec;
  Price base_price = 0;
  std::size_t price_levels = 0;  ///< the band it needs: 4,096 or 131,072; or the one that it is spread over
  std::size_t capacity = 0;      ///< the most orders that ever rest
  std::size_t order_count = 0;
  std::size_t short_batch = 0;  ///< how many events of each window a book that scans plays
  std::vector<Event> events;
  std::vector<Batch> batches;
};

/// Plans a stream. `spec.standing` does not matter to `classic`. Throws std::invalid_argument for a workload that
/// is none and for a batch of 0 events.
[[nodiscard]] Plan make_plan(const PlanSpec& spec);

}  // namespace llmes::bench
