// SPDX-License-Identifier: MIT
//
// The traits of each call of a planned stream: its scenario, and what may explain its time. A separate book plays
// the stream untimed and is queried before each event, so the traits belong to the stream and are the same for
// every book. Slots are those of a last-in, first-out pool, like the core's.
//
// The records of timed calls combine these with the measured times, in a file for numpy.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/artifact.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// The calls that are timed one by one: adds that rest without a trade, and cancels that find their order. All
/// other calls (crossing adds, market orders, modifies) are `Untimed`. `AnyCall` serves measurements of all calls
/// together.
enum class Scenario : std::uint8_t { AddToLevel, AddNewLevel, Cancel, Untimed, AnyCall };
inline constexpr std::array<std::string_view, 3> scenario_names = {"add_to_level", "add_new_level", "cancel"};

/// The highest word of an occupancy tree that changes; `None` if the level's bit does not change.
enum class TreePath : std::uint8_t { None, Leaf, Middle, Root };
inline constexpr std::array<std::string_view, 4> tree_path_names = {"none", "leaf", "leaf+middle", "to root"};

/// The number of occupied levels under each word of an occupancy tree, for one side. A word below the root is 0 if
/// and only if there are none.
class TreeWords {
 public:
  explicit TreeWords(std::size_t price_levels);

  /// Marks the level as occupied or empty, and returns which words change.
  TreePath set(std::size_t level, bool occupied);

 private:
  std::vector<bool> occupied_;
  std::vector<std::uint32_t> in_leaf_;
  std::vector<std::uint32_t> in_middle_;  // none in a tree of height 2
};

/// Ages are in events; `never` is the age of something not touched yet.
inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

struct CallTraits {
  Scenario scenario = Scenario::Untimed;
  TreePath path = TreePath::None;
  std::uint32_t level_age = never;  ///< since an order of its level was added, removed or changed
  std::uint32_t slot_age = never;   ///< since an order in its slot was; linking a neighbour does not count
  std::int32_t distance = 0;  ///< ticks behind its side's best price, before the call; 0 if the side is empty
  std::uint32_t queue = 0;    ///< orders on its level before the call
};

/// Plays a plan and returns the traits of each call. Of an untimed call only the scenario is meaningful.
class CallTracer {
 public:
  explicit CallTracer(const Plan& plan);
  CallTraits play(const Event& event);

 private:
  static constexpr std::size_t band_max = 131'072;

  struct Place {
    Side side;
    Price price;
  };
  struct LevelChange {
    TreePath path;
    std::uint32_t age;
  };

  std::uint32_t touch(std::uint32_t& last);
  LevelChange touch_level(Place place);
  [[nodiscard]] std::int32_t behind_best(Place place) const;

  Price base_price_;
  OrderBook<band_max> book_;
  std::vector<OrderHandle> handles_;             // of each order of the plan
  std::array<TreeWords, 2> words_;               // of each side
  std::vector<std::uint32_t> level_touched_[2];  // at which event; 0: never
  std::vector<std::uint32_t> slot_touched_;
  std::vector<Price> traded_;
  std::uint32_t now_ = 0;
};

/// The traits of every event of a plan.
[[nodiscard]] std::vector<CallTraits> trace_calls(const Plan& plan);

/// A timed call.
struct CallRecord {
  float ns;             ///< between the stamps around the call, including their own cost
  float probe_ns;       ///< between two stamps around nothing, right before it
  std::uint32_t event;  ///< its number in the stream
  std::uint32_t level_age;
  std::uint32_t slot_age;
  std::int32_t distance;
  std::uint32_t queue;
  Scenario scenario;
  TreePath path;
  std::uint16_t batch;
};
static_assert(sizeof(CallRecord) == 32 && std::endian::native == std::endian::little);

#if LLMES_HAS_JSON
/// Writes one line of JSON, and then the records as they lie in memory, for numpy.fromfile. The line is `header`
/// with the names and types of the fields and the names of the enumerators.
void write_records(const std::string& path, nlohmann::ordered_json header, std::span<const CallRecord> records);
#endif

}  // namespace llmes::bench
