// SPDX-License-Identifier: MIT
//
// Makes the runner of one row of bench_feed. The build compiles this file once for each, as it does with
// books/entry.cpp, and defines
//
//   LLMES_FEED_TYPE    the type of the feed, in feeds.hpp
//   LLMES_ENTER        the name of the function below, which registry.cpp declares
#include <memory>

#include "bench/programs/feed/feed_replay.hpp"

namespace llmes::bench {

std::unique_ptr<FeedRunner> LLMES_ENTER(const FeedPlan& plan) {
  return std::make_unique<FeedReplay<LLMES_FEED_TYPE>>(plan);
}

}  // namespace llmes::bench
