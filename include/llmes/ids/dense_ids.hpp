// SPDX-License-Identifier: MIT
//
// An index for ids from a range: an array. What an index is: id_index.hpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For ids from a known range, such as sequence numbers of one day: one array, and one access for every call. It
/// never forgets: the entry of an order that is gone stays until its id is used again, and the slot denies it.
class DenseIds {
 public:
  struct Config {
    OrderId first = 0;      ///< the lowest id
    std::size_t count = 0;  ///< how many ids follow each other from there
  };

  static constexpr bool forgets = false;

  /// Makes an empty index; all its memory is allocated and touched here, 4 bytes for each id of the range.
  /// @param status InvalidIdRange (no ids, or some beyond the largest `OrderId`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<DenseIds> create(const Config& config, std::size_t /*capacity*/,
                                                      CreateStatus& status,
                                                      std::size_t /*slot_count*/ = 0) noexcept {
    if (config.count == 0 || config.count - 1 > std::numeric_limits<OrderId>::max() - config.first) {
      status = CreateStatus::InvalidIdRange;
      return {};
    }
    std::optional<DenseIds> index{DenseIds(config)};
    status = index->slots_.allocated() ? CreateStatus::Success : CreateStatus::OutOfMemory;
    if (!index->slots_.allocated()) index.reset();
    return index;
  }

  /// Whether `id` is in the range.
  [[nodiscard]] bool holds(OrderId id) const noexcept { return id - first_ < slots_.size() - 1; }

  [[nodiscard]] SlotIndex find(OrderId id, const std::predicate<SlotIndex> auto& matches) const noexcept {
    const SlotIndex slot = hint(id);
    return matches(slot) ? slot : OrderPool::none;
  }

  /// Whether its entry was never made, as that of nearly all ids that are new.
  [[nodiscard]] bool lacks(OrderId id) const noexcept { return hint(id) == OrderPool::none; }

  void insert(OrderId id, SlotIndex slot) noexcept { slots_[id - first_] = slot; }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept { __builtin_prefetch(&slots_[index_of(id)], 1); }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept { return slots_[index_of(id)]; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return slots_.size_bytes(); }
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return memory_bytes(); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.slots_); }

 private:
  friend struct ImageCheck;
  friend struct IdInspector;

  explicit DenseIds(const Config& config) noexcept : first_(config.first), slots_(config.count + 1) {}

  /// One entry more than ids: an id outside the range finds the last, which is always 0.
  [[nodiscard]] std::size_t index_of(OrderId id) const noexcept {
    return std::min(id - first_, slots_.size() - 1);
  }

  OrderId first_;
  ZeroedArray<SlotIndex> slots_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
