// SPDX-License-Identifier: MIT
#include "bench/programs/feed/registry.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "absl/strings/str_format.h"
#include "bench/programs/feed/feed_replay.hpp"

namespace llmes::bench {

// Each unit of feed_entry.cpp defines one of these.
#define LLMES_FEED(name, ...) std::unique_ptr<FeedRunner> enter_feed_##name(const FeedPlan& plan);
#include "bench/programs/feed/feeds.inc"
#undef LLMES_FEED

namespace {
constexpr FeedEntry feeds[] = {
#define LLMES_FEED(name, type, what) {#name, what, enter_feed_##name},
#include "bench/programs/feed/feeds.inc"
#undef LLMES_FEED
};
}  // namespace

std::span<const FeedEntry> all_feeds() {
  return feeds;
}

const FeedEntry& find_feed(std::string_view name) {
  const auto found =
      std::find_if(std::begin(feeds), std::end(feeds), [&](const FeedEntry& entry) { return entry.name == name; });
  if (found == std::end(feeds)) {
    throw std::invalid_argument(absl::StrFormat("no row is called '%s'; bench_feed --list names them", name));
  }
  return *found;
}

}  // namespace llmes::bench
