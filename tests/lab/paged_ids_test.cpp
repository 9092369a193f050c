// SPDX-License-Identifier: MIT
//
// A paged index beside a map, with ids as a feed gives them: they grow, with gaps, most live for a few messages
// and some for ever, and now and then one comes late. Its rows do the work of those with other indexes, as the
// benchmark checks; this shows it of ids that lie as few streams have them.
#include "bench/contenders/parts/paged_ids.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

struct Feed {
  OrderId first;
  std::uint64_t largest_gap;
  std::size_t page_count;
  std::uint64_t late_by;  ///< at most
};

template <class Index>
class Growing {
 public:
  explicit Growing(const Feed& feed, std::size_t capacity)
      : feed_(feed), capacity_(capacity), index_(*Index::create({feed.page_count}, capacity, status_)) {
    for (std::size_t slot = capacity; slot > 0; --slot) free_.push_back(static_cast<SlotIndex>(slot));
    ids_.resize(capacity + 1);
  }

  void run(std::uint64_t messages) {
    OrderId newest = feed_.first;
    for (std::uint64_t now = 0; now < messages; ++now) {
      OrderId id = newest += 1 + random_.below(feed_.largest_gap);
      if (random_.below(50) == 0) id -= random_.below(feed_.late_by);
      expect_found(id);
      if (slots_.size() < capacity_ && !slots_.contains(id)) insert(id, now);
      while (!leaving_.empty() && (leaving_.top().first <= now || slots_.size() == capacity_)) erase_next();
      expect_found(newest - random_.below(feed_.late_by));
      if (now % 4'096 == 0) expect_all();
      if (::testing::Test::HasFailure()) return;
    }
    expect_all();
    while (!leaving_.empty()) erase_next();
  }

 private:
  void insert(OrderId id, std::uint64_t now) {
    const SlotIndex slot = free_.back();
    free_.pop_back();
    ids_[slot] = id;
    slots_[id] = slot;
    index_.insert(id, slot);
    // Half of them live for up to 16 messages, a quarter for up to 256, and so on.
    std::uint64_t life = 16;
    while (random_.chance(50) && life < std::uint64_t{1} << 40) life *= 16;
    leaving_.emplace(now + random_.below(life), id);
  }
  void erase_next() {
    const OrderId id = leaving_.top().second;
    leaving_.pop();
    expect_found(id);
    index_.erase(id, slots_.at(id));
    free_.push_back(slots_.at(id));
    slots_.erase(id);
    expect_found(id);
  }

  void expect_found(OrderId id) const {
    const auto expected = slots_.find(id);
    const SlotIndex found = index_.find(id, [&](SlotIndex slot) {
      return slot != 0 && slot < ids_.size() && ids_[slot] == id && slots_.contains(id);
    });
    ASSERT_EQ(found, expected == slots_.end() ? 0 : expected->second) << "id " << id;
  }
  void expect_all() const {
    for (const auto& [id, slot] : slots_) expect_found(id);
  }

  using Leaving = std::pair<std::uint64_t, OrderId>;

  Feed feed_;
  std::size_t capacity_;
  CreateStatus status_{};
  Index index_;
  Random random_{11};
  std::unordered_map<OrderId, SlotIndex> slots_;
  std::vector<OrderId> ids_;
  std::vector<SlotIndex> free_;
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving_;
};

/// In pages and in the table, with pages enough and too few, and in pages so small that all orders move.
TEST(PagedIds, FindWhatRestsAndNothingElse) {
  Growing<bench::PagedIds>({.first = 1'000, .largest_gap = 9, .page_count = 40, .late_by = 100'000}, 10'000)
      .run(repetitions(60'000u));
  Growing<bench::PagedIds>({.first = 0 - OrderId{90'000}, .largest_gap = 3, .page_count = 5, .late_by = 9'000},
                           10'000)
      .run(repetitions(60'000u));
  Growing<bench::BasicPagedIds<8, 2, 3>>({.first = 5, .largest_gap = 4, .page_count = 12, .late_by = 100}, 300)
      .run(repetitions(60'000u));
}

}  // namespace
}  // namespace llmes::test
