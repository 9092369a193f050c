// SPDX-License-Identifier: MIT
//
// Walks along lists that are linked by index through one array, many at a time. Each step of a walk waits for
// memory; those of other walks need not wait for it.
//
// A long list is walked from several places at once. Every 64th slot is a *cut*. First one walk goes from each cut
// to the next one that its list has, and what it found is kept as a *run*. A walk along a list then takes the
// steps up to its first cut, and run by run from there on. Memory for the runs is allocated for large arrays only,
// and until the walks end. Without it there are no cuts, and the results are the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Lists may be those of a forged image: every index is compared with the range before it is followed. That walks
/// end is up to `take` and `join`: in a list with links both ways, no slot comes twice if each says the one
/// before.
///
/// `Lists` is what to do:
///  - `Sum` is what is known of the slots that a walk has taken; `start(slot, old)` is one before the first slot
///  of
///    a run, with `old` the sum of that run the last time;
///  - `take(sum, slot)` adds a slot, and `join(sum, run)` the sum of the run that follows; false: the lists do not
///    hold;
///  - `next(slot)`; `fetch(slot)` is a hint that the slot comes next;
///  - `is_listed(slot)`: whether a slot is on a list;
///  - `done(sum, stop)`: the walk along a list has come to its end. False: it does not hold.
template <class Lists>
class ListWalks {
  using Index = std::uint32_t;
  using Sum = typename Lists::Sum;

 public:
  /// Smaller arrays have no cuts: they fit the caches.
  static constexpr std::size_t least_slots = 8'192;

  /// @param begin,end the slots that may be on lists.
  ListWalks(Lists& lists, std::size_t begin, std::size_t end) noexcept : lists_(lists), begin_(begin), end_(end) {
    if (end - begin >= least_slots) runs_.reset(new (std::nothrow) Run[(end - begin + distance - 1) / distance]());
  }

  /// Walks from all cuts. It may be repeated, and comes before any list is added.
  /// @return whether all slots on the way hold.
  [[nodiscard]] bool walk_runs() noexcept {
    if (runs_ == nullptr) return true;
    for (std::size_t cut = begin_; cut < end_; cut += distance) {
      const auto slot = static_cast<Index>(cut);
      if (!lists_.is_listed(slot)) continue;
      Run& run = run_at(slot);
      if (!add({lists_.start(slot, run.sum), slot, slot, &run})) return false;
    }
    return finish();
  }

  /// Adds the list from `first` on to `stop`, which is no slot of it.
  /// @return whether all slots that walks have come to hold, here and in `finish`.
  [[nodiscard]] bool add_list(const Sum& sum, Index first, Index stop) noexcept {
    Walk walk{sum, first, stop, nullptr};
    const Step step = arrive(walk);
    if (step == Step::Goes) return add(walk);
    return step == Step::Ends && lists_.done(walk.sum, stop);
  }
  /// The same for the ring that has `first`, any number.
  [[nodiscard]] bool add_ring(Index first) noexcept {
    if (!is_slot(first)) return false;
    Walk walk{lists_.start(first, {}), first, first, nullptr};
    if (!is_cut(first)) return add(walk);
    return go_round(walk) == Step::Ends && lists_.done(walk.sum, first);
  }

  /// Walks to the ends of all lists.
  [[nodiscard]] bool finish() noexcept {
    while (count_ != 0) {
      if (!take_turns()) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t distance = 64;
  static constexpr std::size_t most_walks = 16;

  struct Run {
    Sum sum;
    Index end;  ///< the next cut, or what is no slot
    bool walked;
  };
  struct Walk {
    Sum sum;
    Index at;    ///< not taken yet
    Index stop;  ///< behind the last slot of a list; of a ring or a run the first one
    Run* run;    ///< the one that it makes, if any
  };
  enum class Step : std::uint8_t { Goes, Ends, Fails };

  [[nodiscard]] bool is_slot(Index slot) const noexcept { return begin_ <= slot && slot < end_; }
  [[nodiscard]] bool is_cut(Index slot) const noexcept {
    return runs_ != nullptr && (slot - begin_) % distance == 0;
  }
  [[nodiscard]] Run& run_at(Index cut) noexcept { return runs_[(cut - begin_) / distance]; }

  [[nodiscard]] bool add(const Walk& walk) noexcept {
    while (count_ == most_walks) {
      if (!take_turns()) return false;
    }
    lists_.fetch(walk.at);
    walks_[count_++] = walk;
    return true;
  }
  /// One step of each walk.
  [[nodiscard]] bool take_turns() noexcept {
    for (std::size_t i = 0; i < count_;) {
      Walk& walk = walks_[i];
      if (!lists_.take(walk.sum, walk.at)) return false;
      walk.at = lists_.next(walk.at);
      const Step step = arrive(walk);
      if (step == Step::Goes) {
        ++i;
        continue;
      }
      if (step == Step::Fails) return false;
      if (walk.run != nullptr) {
        *walk.run = {walk.sum, walk.at, true};
      } else if (!lists_.done(walk.sum, walk.stop)) {
        return false;
      }
      walk = walks_[--count_];
    }
    return true;
  }
  /// Goes from cut to cut, as far as that leads.
  [[nodiscard]] Step arrive(Walk& walk) noexcept {
    while (walk.at != walk.stop) {
      if (!is_slot(walk.at)) return walk.run != nullptr ? Step::Ends : Step::Fails;
      if (!is_cut(walk.at)) {
        lists_.fetch(walk.at);
        return Step::Goes;
      }
      if (walk.run != nullptr) return Step::Ends;
      if constexpr (Lists::are_rings) return go_round(walk);
      if (!join_run(walk)) return Step::Fails;
    }
    return Step::Ends;
  }
  /// Goes round a ring from a cut on. What it has taken before is in the last run as well.
  [[nodiscard]] Step go_round(Walk& walk) noexcept {
    const Index first = walk.at;
    Sum before = walk.sum;
    Run& run = run_at(first);
    if (!run.walked || !lists_.join(before, run.sum)) return Step::Fails;
    walk.sum = run.sum;
    for (walk.at = run.end; walk.at != first;) {
      if (!is_slot(walk.at) || !join_run(walk)) return Step::Fails;
    }
    return Step::Ends;
  }
  [[nodiscard]] bool join_run(Walk& walk) noexcept {
    Run& run = run_at(walk.at);
    if (!run.walked || !lists_.join(walk.sum, run.sum)) return false;
    walk.at = run.end;
    return true;
  }

  Lists& lists_;
  std::size_t begin_;
  std::size_t end_;
  std::unique_ptr<Run[]> runs_;
  std::array<Walk, most_walks> walks_;
  std::size_t count_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
