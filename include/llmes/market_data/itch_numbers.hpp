// SPDX-License-Identifier: MIT
//
// The numbers by which ITCH names orders and fills. They are state, as the book is: whoever goes on after a
// restart goes on with them, or a reader that lived through it would take new orders for old ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/itch/fields.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// References of resting orders and match numbers of fills, both 1, 2, 3 and so on. Once made, nothing here
/// allocates, locks, throws or makes a system call. One that was moved from has room for no order.
///
/// Memory: 32 to 64 bytes for each order of capacity.
class ItchNumbers {
 public:
  /// What an order without a reference has.
  static constexpr itch::Reference none{0};

  /// Makes numbers that begin, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param capacity the largest number of orders that have a reference at a time.
  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<ItchNumbers> create(std::size_t capacity, CreateStatus& status) noexcept {
    status = CreateStatus::InvalidCapacity;
    if (capacity < 1 || capacity > OrderPool::capacity_max(1)) return {};
    std::optional<ItchNumbers> numbers{ItchNumbers(capacity)};
    status = CreateStatus::Success;
    if (!numbers->references_.allocated()) {
      status = CreateStatus::OutOfMemory;
      numbers.reset();
    }
    return numbers;
  }

  /// The reference of an order; `none` if it has none. Constant on average.
  [[nodiscard]] itch::Reference find(OrderHandle order) const noexcept {
    return itch::Reference{references_[index_of(order)].reference};
  }
  /// Gives the next reference to an order that has none. Constant on average.
  /// @return `none` if there is no room; then no reference is used up.
  itch::Reference add(OrderHandle order) noexcept {
    if (size_ == capacity_) return none;
    references_[index_of(order)] = {order.value(), ++last_reference_};
    ++size_;
    return itch::Reference{last_reference_};
  }
  /// Takes the reference of an order, if it has one; nobody gets it again. Constant on average.
  void remove(OrderHandle order) noexcept {
    const std::size_t index = index_of(order);
    if (!references_[index].used()) return;
    references_.free(index);
    --size_;
  }
  /// How many orders have a reference.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The number of a new fill.
  itch::MatchNumber next_match() noexcept { return itch::MatchNumber{++last_match_}; }
  /// The number of the last fill; 0 before the first one.
  [[nodiscard]] itch::MatchNumber last_match() const noexcept { return itch::MatchNumber{last_match_}; }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.references_, self.size_, self.last_reference_, self.last_match_);
  }
  /// Whether an image of it, which may come from anybody, is one that calls can lead to. Linear in the capacity.
  [[nodiscard]] bool holds() const noexcept {
    if (size_ > capacity_) return false;
    if (last_reference_ > std::numeric_limits<std::uint64_t>::max() / 2) return false;  // 0 would soon be the next
    const std::size_t entries = references_.size_bytes() / sizeof(Entry);
    std::size_t used = 0;
    for (std::size_t i = 0; i < entries; ++i) used += std::size_t{references_[i].used()};
    if (used != size_) return false;  // with more, a search might not end
    for (std::size_t i = 0; i < entries; ++i) {
      const Entry& entry = references_[i];
      if (!entry.used() && entry.handle != 0) return false;
      if (entry.reference > last_reference_) return false;
      if (entry.used() && index_of(OrderHandle::from_value(entry.handle)) != i) return false;
    }
    return true;
  }

 private:
  struct Entry {
    std::uint64_t handle;
    std::uint64_t reference;  // 0 in a free entry

    [[nodiscard]] bool used() const noexcept { return reference != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return short_hash(handle); }
  };
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t handle) noexcept {
    return static_cast<std::uint32_t>(hash_of(handle) >> 32);
  }

  explicit ItchNumbers(std::size_t capacity) noexcept : references_(capacity), capacity_(capacity) {}

  /// Where an order is, or would be. Without memory: that of no order.
  [[nodiscard]] std::size_t index_of(OrderHandle order) const noexcept {
    return references_.search(short_hash(order.value()),
                              [&](const Entry& entry) { return entry.handle == order.value(); });
  }

  ProbingTable<Entry> references_;  ///< by handle
  detail::ResetOnMove<std::size_t> capacity_;
  detail::ResetOnMove<std::size_t> size_;
  std::uint64_t last_reference_ = 0;
  std::uint64_t last_match_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
