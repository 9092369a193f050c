// SPDX-License-Identifier: MIT
//
// Slots of a fixed number, each for what has an outside id. A part of what a venue keeps, and for machines of
// programs, which keep something of each order or user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Slots 1 to a capacity, found by id; 0 is none. What belongs to an id stands in an array of `slot_count`
/// elements, at its slot. All calls are O(1) on average, and only `create` allocates. One that was moved from is
/// full, and holds nothing.
class IdSlots {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot none = 0;

  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<IdSlots> create(std::size_t capacity, CreateStatus& status) noexcept {
    auto index = HashedIds::create({}, capacity, status, capacity + 1);
    if (!index) return {};
    std::optional<IdSlots> slots{IdSlots(std::move(*index), capacity)};
    if (!slots->entries_.allocated()) {
      status = CreateStatus::OutOfMemory;
      slots.reset();
    }
    return slots;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool full() const noexcept { return free_ == none; }
  /// How many slots there are, with that of none.
  [[nodiscard]] std::size_t slot_count() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return entries_.size_bytes() + index_.memory_bytes(); }

  /// The slot with this id, or none.
  [[nodiscard]] Slot find(OrderId id) const noexcept {
    return index_.find(id, [&](Slot slot) {
      return slot < entries_.size() && entries_[slot] == Entry{id, none, 1};
    });
  }
  /// The id of a slot in use.
  [[nodiscard]] OrderId id_at(Slot slot) const noexcept { return entries_[slot].id; }
  /// Whether a slot, of `slot_count`, has an id.
  [[nodiscard]] bool used(Slot slot) const noexcept { return entries_[slot].in_use != 0; }

  /// Takes a slot for a new id; one must be free.
  Slot insert(OrderId id) noexcept {
    const Slot slot = take(id);
    enter(slot);
    return slot;
  }
  /// The same for an id that may have one. @return none if it has
  [[nodiscard]] Slot insert_if_new(OrderId id) noexcept {
    if (index_.insert_if_lacking(id, free_)) return take(id);
    return find(id) == none ? insert(id) : none;
  }
  /// Frees a slot in use.
  void erase(Slot slot) noexcept {
    index_.erase(entries_[slot].id, slot);
    entries_[slot] = {0, free_, 0};
    free_ = slot;
    --size_;
  }
  /// Gives a slot in use another id, which is new.
  void rename(Slot slot, OrderId id) noexcept {
    index_.erase(entries_[slot].id, slot);
    entries_[slot] = {id, none, 1};
    enter(slot);
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear in the capacity.
  [[nodiscard]] bool holds() const noexcept {
    for (Slot slot = 1; slot < entries_.size(); ++slot) {
      const Entry& entry = entries_[slot];
      if (entry.in_use > 1 || (entry.in_use == 1 && find(entry.id) != slot)) return false;
    }
    std::size_t free = 0;
    for (Slot slot = free_; slot != none; slot = entries_[slot].next_free) {
      if (slot >= entries_.size() || used(slot) || ++free >= entries_.size()) return false;
    }
    return !used(none) && size_ + free + 1 == entries_.size();
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp): index and size follow from it.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.entries_, self.free_);
    if constexpr (!std::is_const_v<Self>) self.make_index();
  }

 private:
  struct Entry {
    OrderId id;
    Slot next_free;
    std::uint32_t in_use;

    friend constexpr bool operator==(const Entry&, const Entry&) = default;
  };

  IdSlots(HashedIds&& index, std::size_t capacity) noexcept : index_(std::move(index)), entries_(capacity + 1) {
    if (!entries_.allocated()) return;
    for (Slot slot = 1; slot < capacity; ++slot) entries_[slot].next_free = slot + 1;
    free_ = 1;
  }
  /// The next free slot, which has this id now.
  Slot take(OrderId id) noexcept {
    const Slot slot = free_;
    free_ = entries_[slot].next_free;
    ++size_;
    entries_[slot] = {id, none, 1};
    return slot;
  }
  void make_index() noexcept {
    index_.clear();
    size_ = 0;
    for (Slot slot = 1; slot < entries_.size(); ++slot) {
      if (!used(slot)) continue;
      ++size_;
      if (find(entries_[slot].id) == none) enter(slot);  // a forged image may have one id many times
    }
  }
  void enter(Slot slot) noexcept {
    const OrderId id = entries_[slot].id;
    if (!index_.insert_if_room(id, slot)) index_.insert(id, slot, *this);
  }

  HashedIds index_;
  ZeroedArray<Entry> entries_;
  detail::ResetOnMove<Slot> free_;
  detail::ResetOnMove<std::uint64_t> size_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
