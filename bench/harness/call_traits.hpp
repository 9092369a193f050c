// SPDX-License-Identifier: MIT
//
// What is known of each call of a planned stream before it is timed: its scenario, and what may explain its time.
// A reference book plays the stream untimed and is asked before each event, so the answers are of the stream, the
// same for every book; slots are those of a pool that gives out last what it got back last, as the core's does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/workloads/plan.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

/// The calls that are timed one by one: adds that rest without a trade, and cancels that find their order. All
/// others, crossing adds, market orders and modifies, are `Untimed`.
enum class Scenario : std::uint8_t { AddToLevel, AddNewLevel, Cancel, Untimed };
inline constexpr std::array<std::string_view, 3> scenario_names = {"add_to_level", "add_new_level", "cancel"};

/// How far up the words of an occupancy tree change; `None` if the level's bit stays as it is.
enum class TreePath : std::uint8_t { None, Leaf, Middle, Root };
inline constexpr std::array<std::string_view, 4> tree_path_names = {"none", "leaf", "leaf+middle", "to root"};

/// How many occupied levels stand under each word of an occupancy tree, for one side. A word below the root is 0
/// exactly if none does.
class TreeWords {
 public:
  explicit TreeWords(std::size_t price_levels);

  /// Marks the level as occupied or empty, and tells which words change.
  TreePath set(std::size_t level, bool occupied);

 private:
  std::vector<bool> occupied_;
  std::vector<std::uint32_t> in_leaf_;
  std::vector<std::uint32_t> in_middle_;  // none in a tree of height 2
};

/// An age is in events; `never` is the age of what has not been touched yet.
inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

struct CallTraits {
  Scenario scenario = Scenario::Untimed;
  TreePath path = TreePath::None;
  std::uint32_t level_age = never;  ///< since an order of its level was added, taken off or changed
  std::uint32_t slot_age = never;   ///< since an order in its slot was; that neighbours were linked does not count
  std::int32_t distance = 0;  ///< ticks behind the best price of its side, before the call; 0 if that is empty
  std::uint32_t queue = 0;    ///< orders on its level before the call
};

/// Plays a plan and tells the traits of each call. Those of untimed calls but the scenario mean nothing.
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

}  // namespace llmes::bench
