// SPDX-License-Identifier: MIT
//
// Sides with a sorted map: the map alone, and a ring of the best prices before it.
//
// A side of any kind offers:
//   best_within(limit) -> Level*       the best level with orders if it is no worse than `limit`, or null
//   open(tick) -> Level&               the level at `tick`, for an order to join
//   emptied_by_cancel(tick)            the level at `tick` has lost its last order to a cancel
//   emptied_by_trade(tick)             the best level, at `tick`, has lost its last order to a trade
//   find(tick) -> const Level*         the level at `tick`, or null; may return an empty level
//   visit_levels(visitor)              calls `visitor` with each level that holds orders, the best first, until it
//                                      returns false
//   can_hold(tick) -> bool             whether an order can rest at `tick`; only if that is not always so
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// A sorted map from price to level, the best first. A level lives as long as an order rests on it.
template <Side S, class Level, std::size_t N, class Map = std::map<std::size_t, Level>>
class MapSide {
 public:
  Level* best_within(Tick limit) {
    const auto best = levels_.begin();
    return best != levels_.end() && best->first <= rank_of<S, N>(limit) ? &best->second : nullptr;
  }

  Level& open(Tick tick) { return levels_.try_emplace(rank_of<S, N>(tick)).first->second; }

  void emptied_by_cancel(Tick tick) { levels_.erase(rank_of<S, N>(tick)); }
  void emptied_by_trade(Tick) { levels_.erase(levels_.begin()); }

  [[nodiscard]] const Level* find(Tick tick) const {
    const auto found = levels_.find(rank_of<S, N>(tick));
    return found == levels_.end() ? nullptr : &found->second;
  }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (const auto& [rank, level] : levels_) {
      if (!visitor(level)) return;
    }
  }

 private:
  Map levels_;
};

// ---- Where the levels of a ring live.

/// Each level in a heap node of its own.
template <class Level, std::size_t N>
class SingleLevels {
 public:
  Level* acquire() { return new Level; }
  void release(Level* level) { delete level; }
};

/// All levels in one array: N, enough for every price.
template <class Level, std::size_t N>
class PooledLevels {
 public:
  PooledLevels() {
    free_.reserve(N);
    for (std::size_t i = N; i-- > 0;) free_.push_back(&levels_[i]);
  }

  Level* acquire() {
    Level* level = free_.back();
    free_.pop_back();
    return level;
  }
  void release(Level* level) { free_.push_back(level); }

 private:
  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  std::vector<Level*> free_;  // the last one is used next
};

/// A hot ring and a cold map. The levels of `Slots` neighbouring prices, among them the best, are in a ring with a
/// bit for each that is live. All other levels, each worse than any of these, are in a sorted map. When the best
/// price leaves the ring at either end, the ring moves there.
///
/// Invariants:
///  I1  rank r of [anchor, anchor + Slots) has slot r % Slots, whose bit is set exactly if orders rest there;
///  I2  all ranks in the map are at least anchor + Slots; no level in it is empty;
///  I3  no bit is set only if the map is empty too.
template <Side S, class Level, std::size_t N, std::size_t Slots, template <class, std::size_t> class Levels>
class RingSide {
  using Bits =
      std::conditional_t<Slots == 8, std::uint8_t,
                         std::conditional_t<Slots == 16, std::uint16_t,
                                            std::conditional_t<Slots == 32, std::uint32_t, std::uint64_t>>>;
  static_assert(std::numeric_limits<Bits>::digits == Slots, "8, 16, 32 or 64 slots");

 public:
  RingSide() = default;
  RingSide(RingSide&& other) noexcept
      : anchor_(other.anchor_),
        live_(std::exchange(other.live_, Bits{0})),
        ring_(other.ring_),
        cold_(std::exchange(other.cold_, {})),
        levels_(std::move(other.levels_)) {}
  ~RingSide() {
    for (std::size_t slot = 0; slot < Slots; ++slot) {
      if (is_live(slot)) levels_.release(ring_[slot]);
    }
    for (const auto& [rank, level] : cold_) levels_.release(level);
  }

  Level* best_within(Tick limit) {
    if (live_ == 0) return nullptr;
    const std::size_t best = best_rank();
    return best <= rank_of<S, N>(limit) ? ring_[best % Slots] : nullptr;
  }

  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    return is_hot(rank) ? open_hot(rank) : open_elsewhere(rank);
  }

  void emptied_by_cancel(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (is_hot(rank)) {
      close_hot(rank);
    } else {
      close_cold(rank);
    }
  }
  void emptied_by_trade(Tick tick) { close_hot(rank_of<S, N>(tick)); }

  [[nodiscard]] const Level* find(Tick tick) const {
    const std::size_t rank = rank_of<S, N>(tick);
    return is_hot(rank) ? (is_live(rank % Slots) ? ring_[rank % Slots] : nullptr) : find_cold(rank);
  }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (std::size_t rank = anchor_; rank < anchor_ + Slots; ++rank) {
      if (is_live(rank % Slots) && !visitor(*ring_[rank % Slots])) return;
    }
    for (const auto& [rank, level] : cold_) {
      if (!visitor(*level)) return;
    }
  }

 private:
  static constexpr Bits bit(std::size_t slot) { return static_cast<Bits>(Bits{1} << slot); }

  [[nodiscard]] bool is_hot(std::size_t rank) const { return rank - anchor_ < Slots; }
  [[nodiscard]] bool is_live(std::size_t slot) const { return (live_ & bit(slot)) != 0; }

  /// The first live rank from the anchor on. There must be one.
  [[nodiscard]] std::size_t best_rank() const {
    const Bits from_anchor = std::rotr(live_, static_cast<int>(anchor_ % Slots));
    return anchor_ + static_cast<std::size_t>(std::countr_zero(from_anchor));
  }

  Level& open_hot(std::size_t rank) {
    const std::size_t slot = rank % Slots;
    if (!is_live(slot)) put(rank, levels_.acquire());
    return *ring_[slot];
  }
  void put(std::size_t rank, Level* level) {
    ring_[rank % Slots] = level;
    live_ |= bit(rank % Slots);
  }

  void close_hot(std::size_t rank) {
    levels_.release(ring_[rank % Slots]);
    live_ &= static_cast<Bits>(~bit(rank % Slots));
    if (live_ == 0 && !cold_.empty()) anchor_at_cold_best();
  }

  // All that follows is rare, so it stays out of line however the rest is inlined.

  [[gnu::noinline]] Level& open_elsewhere(std::size_t rank) {
    if (live_ == 0 || rank < anchor_) {
      anchor_at_better(rank);
      return open_hot(rank);
    }
    const auto [place, is_new] = cold_.try_emplace(rank, nullptr);
    if (is_new) place->second = levels_.acquire();
    return *place->second;
  }

  [[gnu::noinline]] void close_cold(std::size_t rank) {
    const auto found = cold_.find(rank);
    levels_.release(found->second);
    cold_.erase(found);
  }

  [[nodiscard, gnu::noinline]] const Level* find_cold(std::size_t rank) const {
    const auto found = cold_.find(rank);
    return found == cold_.end() ? nullptr : found->second;
  }

  /// `rank` becomes the best: levels that the ring cannot hold beside it go to the map.
  [[gnu::noinline]] void anchor_at_better(std::size_t rank) {
    while (live_ != 0) {
      const std::size_t worst = worst_rank();
      if (worst < rank + Slots) break;
      cold_.emplace_hint(cold_.begin(), worst, ring_[worst % Slots]);
      live_ &= static_cast<Bits>(~bit(worst % Slots));
    }
    anchor_ = rank;
  }
  [[nodiscard]] std::size_t worst_rank() const {
    const Bits from_anchor = std::rotr(live_, static_cast<int>(anchor_ % Slots));
    return anchor_ + static_cast<std::size_t>(std::bit_width(from_anchor)) - 1;
  }

  /// The ring is empty: it moves to the best level of the map and takes over the levels that it can hold.
  [[gnu::noinline]] void anchor_at_cold_best() {
    anchor_ = cold_.begin()->first;
    while (!cold_.empty() && is_hot(cold_.begin()->first)) {
      put(cold_.begin()->first, cold_.begin()->second);
      cold_.erase(cold_.begin());
    }
  }

  std::size_t anchor_ = 0;
  Bits live_ = 0;
  std::array<Level*, Slots> ring_{};
  std::map<std::size_t, Level*> cold_;
  Levels<Level, N> levels_;
};

}  // namespace llmes::bench
