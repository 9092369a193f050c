// SPDX-License-Identifier: MIT
//
// Many settings of a strategy over one tape, on as many threads as are wanted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "llmes/simulator/market_event.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/simulator/simulator.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// One run of a sweep.
template <class Strategy>
struct SweepRun {
  SimulatorConfig config{};
  Strategy strategy{};
};

/// Plays the tape once for each run, in a simulator of its own, and hands it to `visit(number, simulator)` when it
/// has finished. Each is as if alone, so results do not depend on the threads; `visit` is called on several at
/// once, in any order, and with each number once. Neither it nor a strategy may throw. The memory of `threads`
/// simulators is used at a time. A program that calls this links with the threads of its system.
/// @param threads at least 1 is used, and no more than there are runs.
/// @return of each run: Success, or why its simulator could not be made; then it is not visited.
template <class Impact = TapeImpact, class Strategy, class Visit>
std::vector<CreateStatus> sweep(std::span<const MarketEvent> tape, std::span<const SweepRun<Strategy>> runs,
                                std::size_t threads, const Visit& visit) {
  std::vector<CreateStatus> statuses(runs.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      std::vector<Strategy> strategies(1, runs[i].strategy);
      auto simulator = Simulator<Strategy, Impact>::create(runs[i].config, std::move(strategies), statuses[i]);
      if (!simulator) continue;
      simulator->on_events(tape);
      simulator->finish();
      visit(i, *simulator);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(threads, runs.size()); ++i) others.emplace_back(work);
  work();
  for (std::thread& one : others) one.join();
  return statuses;
}

}  // namespace llmes::inline LLMES_NAMESPACE
