// SPDX-License-Identifier: MIT
//
// The rows of bench_feed by name. A new one is a line in feeds.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace llmes::bench {

class FeedRunner;
struct FeedPlan;

struct FeedEntry {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<FeedRunner> (*enter)(const FeedPlan& plan);
};

/// All of them, in the order in which they are listed.
[[nodiscard]] std::span<const FeedEntry> all_feeds();

/// The row of that name. Throws std::invalid_argument if there is none.
[[nodiscard]] const FeedEntry& find_feed(std::string_view name);

}  // namespace llmes::bench
