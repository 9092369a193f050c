// SPDX-License-Identifier: MIT
//
// An index beside the truth: a map from id to slot, and a list of the ids that live in the slots, which confirms
// what the index answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llmes/ids/id_index.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

template <IdIndex Index>
Index index_of(const typename Index::Config& config, std::size_t capacity, std::size_t slot_count = 0) {
  CreateStatus status{};
  std::optional<Index> index = Index::create(config, capacity, status, slot_count);
  EXPECT_EQ(status, CreateStatus::Success);
  return std::move(index).value();
}

/// An index with the slots that it leads to, and beside it the truth.
template <IdIndex Index>
class Checked {
 public:
  /// Slots 1 to `capacity` are for orders.
  Checked(const typename Index::Config& config, std::size_t capacity)
      : index(index_of<Index>(config, capacity, capacity + 1)), ids_(capacity + 1) {
    for (std::size_t slot = capacity; slot > 0; --slot) free_.push_back(static_cast<SlotIndex>(slot));
  }

  [[nodiscard]] bool rests(OrderId id) const { return truth_.contains(id); }
  [[nodiscard]] std::size_t size() const { return truth_.size(); }
  [[nodiscard]] OrderId id_at(SlotIndex slot) const { return ids_[slot].value(); }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::vector<OrderId> resting() const {
    std::vector<OrderId> ids;
    for (const auto& [id, slot] : truth_) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  void insert(OrderId id) {
    const SlotIndex slot = free_.back();
    free_.pop_back();
    ids_[slot] = id;
    truth_[id] = slot;
    if constexpr (Index::forgets) {
      if (!index.insert_if_room(id, slot)) index.insert(id, slot, *this);
    } else {
      index.insert(id, slot);
    }
  }

  void erase(OrderId id) {
    const SlotIndex slot = truth_.at(id);
    if constexpr (Index::forgets) index.erase(id, slot);
    ids_[slot].reset();
    truth_.erase(id);
    free_.push_back(slot);
  }

  void clear() {
    for (const OrderId id : resting()) {
      free_.push_back(truth_.at(id));
      ids_[truth_.at(id)].reset();
      truth_.erase(id);
    }
    if constexpr (Index::forgets) index.clear();
  }

  /// 0 if nothing is found.
  [[nodiscard]] SlotIndex find(OrderId id) const {
    return index.find(id, [&](SlotIndex slot) { return slot < ids_.size() && ids_[slot] == id; });
  }
  void expect_found(OrderId id) const {
    const auto expected = truth_.find(id);
    ASSERT_EQ(find(id), expected == truth_.end() ? 0 : expected->second) << "id " << id;
  }
  void expect_all_found() const {
    for (const auto& [id, slot] : truth_) ASSERT_EQ(find(id), slot) << "id " << id;
  }

  Index index;

 private:
  std::vector<std::optional<OrderId>> ids_;  ///< by slot
  std::unordered_map<OrderId, SlotIndex> truth_;
  std::vector<SlotIndex> free_;
};

/// Inserts and erases at random ids that `pick` draws; asks for each of them and for all that rest.
template <class Index, class Pick>
void play(Checked<Index>& checked, int rounds, Random random, Pick pick) {
  std::size_t most_resting = 0;
  for (int round = 0; round < rounds; ++round) {
    const OrderId id = pick(random);
    checked.index.fetch(id);
    if (checked.rests(id)) {
      ASSERT_TRUE(checked.index.holds(id));
      checked.erase(id);
    } else if (!checked.full() && checked.index.holds(id)) {
      checked.insert(id);
    } else if (const std::vector<OrderId> resting = checked.resting(); !resting.empty()) {
      checked.erase(resting[random.below(resting.size())]);
    }
    checked.expect_found(id);
    checked.expect_found(pick(random));
    if (round % 8 == 0) checked.expect_all_found();
    if (round == rounds / 2) checked.clear();
    most_resting = std::max(most_resting, checked.resting().size());
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(most_resting, 1u);
}

}  // namespace llmes::test
