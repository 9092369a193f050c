// SPDX-License-Identifier: MIT
//
// Makes the runner of one market. The build compiles this file once for each, as it does with entry.cpp, and
// defines
//
//   LLMES_MARKET_BOOK    the type of the market; in LLMES_MARKET_HEADER
//   LLMES_ENTER          the name of the function below, which registry.cpp declares
#include <memory>

#include "bench/harness/market_replay.hpp"
#include LLMES_MARKET_HEADER

namespace llmes::bench {

std::unique_ptr<Runner> LLMES_ENTER(const MarketPlan& plan) {
  return std::make_unique<MarketReplay<LLMES_MARKET_BOOK>>(plan);
}

}  // namespace llmes::bench
