// SPDX-License-Identifier: MIT
//
// What rules know of orders beside the pool: an array by slot with the terms of each order, and a list of the
// orders of each owner. A book has one; the books of a set share that of the set. The anchors of levels have
// entries too, which say what of a level is not displayed.
//
// Invariants, after every call of the book:
//  I1  the entry of a slot is all zeros unless an order with terms lives there, one that has opened its level, or
//      lots that are not displayed rest on its level. `used` counts orders with an owner or not `Whole`;
//  I2  the list of an owner is circular and has his orders in the order in which they came to their queues. So
//      those of one level are in it in queue order, but that hidden ones rank behind;
//  I3  `reserves` sums all lots not displayed. With a level's displayed lots it fits, so no refill overflows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/list_walks.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/rules/sorted_orders.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct ImageCheck;

namespace detail {

/// The terms of an order, or what is not displayed of a level.
struct SlotTerms {
  Quantity reserve;    ///< open lots that are not displayed; of a level: of all its orders
  Quantity peak;       ///< of a `Reserve`; else 0
  Owner owner;         ///< 0 if the order is on no list
  SlotIndex previous;  ///< in the list of the owner
  SlotIndex next;
  std::uint32_t flags;

  [[nodiscard]] Display display() const noexcept { return static_cast<Display>(flags & 3); }
  [[nodiscard]] bool hidden() const noexcept { return display() == Display::Hidden; }
  /// Whether it counts as one with terms.
  [[nodiscard]] bool used() const noexcept { return (flags & is_used) != 0; }
  /// Whether it came to an empty level and has kept its place since.
  [[nodiscard]] bool opened() const noexcept { return (flags & has_opened) != 0; }

  static constexpr std::uint32_t is_used = 4;
  static constexpr std::uint32_t has_opened = 8;

  // What the same words say of a level, in the entry of its anchor.

  [[nodiscard]] SlotIndex& first_hidden() noexcept { return next; }
  [[nodiscard]] std::uint32_t& hidden_count() noexcept { return flags; }
  [[nodiscard]] std::uint32_t hidden_count() const noexcept { return flags; }

  friend constexpr bool operator==(const SlotTerms&, const SlotTerms&) = default;
};
static_assert(sizeof(SlotTerms) == 32);

class RuleState {
 public:
  static constexpr SlotIndex none = OrderSlots::none;

  /// Allocates what a pool with so many slots, for so many orders, needs. False if there is too little memory.
  [[nodiscard]] bool prepare(std::size_t slots, std::size_t capacity) noexcept {
    slots_ = ZeroedArray<SlotTerms>(slots);
    owners_ = ProbingTable<OwnerList>(capacity);
    room_ = SortedOrders::Room(SortedOrders::room_for(capacity));
    return slots_.allocated() && owners_.allocated() && room_.allocated();
  }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t slots, std::size_t capacity) noexcept {
    return slots * sizeof(SlotTerms) + ProbingTable<OwnerList>::bytes(capacity) +
           SortedOrders::room_for(capacity) * sizeof(SortedOrders::Entry);
  }

  [[nodiscard]] SlotTerms& operator[](SlotIndex slot) noexcept { return slots_[slot]; }
  [[nodiscard]] const SlotTerms& operator[](SlotIndex slot) const noexcept { return slots_[slot]; }

  // ---- Owners.

  /// Puts an order at the end of the list of its owner, who is somebody, or in front of another. O(1) on average.
  void append(Owner owner, SlotIndex order, SlotIndex next = none) noexcept {
    OwnerList& list = owners_[find(owner)];
    if (!list.used()) list = {owner, order};
    if (next == none) {
      next = list.first;
    } else if (next == list.first) {
      list.first = order;
    }
    SlotTerms& added = slots_[order];
    added.owner = owner;
    added.previous = next == order ? order : slots_[next].previous;
    slots_[added.previous].next = order;
    added.next = next;
    slots_[next].previous = order;
  }
  /// Takes an order off the list of its owner. Constant on average.
  void remove(SlotIndex order) noexcept {
    const SlotTerms& gone = slots_[order];
    const std::size_t entry = find(gone.owner);
    if (gone.next == order) return owners_.free(entry);
    slots_[gone.previous].next = gone.next;
    slots_[gone.next].previous = gone.previous;
    if (owners_[entry].first == order) owners_[entry].first = gone.next;
  }

  /// Calls `visit(order)` for each order of an owner. Linear in these.
  void for_each_of(Owner owner, const auto& visit) const noexcept {
    const SlotIndex first = owners_[find(owner)].first;
    if (first == none) return;
    SlotIndex order = first;
    do {
      visit(order);
      order = slots_[order].next;
    } while (order != first);
  }

  /// Takes those orders of an owner off his list for which `in_scope(order)` holds, and calls `cancel(order)` for
  /// each in the order of `place_of(order)`; of one place in that of the list. Linear in the owner's orders.
  void cancel_all_of(Owner owner, const auto& in_scope, const auto& place_of, const auto& cancel) noexcept {
    const std::size_t entry = find(owner);
    if (!owners_[entry].used()) return;
    SortedOrders leaving(room_, place_of(owners_[entry].first));
    detach(entry, in_scope, place_of, leaving);
    leaving.for_each(place_of, cancel);
  }

  /// Whether each of `owned` orders, in slots from `first` up to `end`, is on the list of its owner, and each list
  /// has one: then no list leads astray, also if it comes from a forged image. There must be fewer lists than half
  /// the table, or the search for one might not end.
  [[nodiscard]] bool lists_hold(SlotIndex first, std::size_t end, std::size_t owned) const noexcept {
    const std::size_t entries = owners_.size_bytes() / sizeof(OwnerList);
    std::size_t lists = 0;
    for (std::size_t i = 0; i < entries; ++i) lists += std::size_t{owners_[i].used()};
    if (lists > entries / 2) return false;
    Rings rings{*this};
    ListWalks walks(rings, first, end);
    if (!walks.walk_runs()) return false;
    for (std::size_t i = 0; i < entries; ++i) {
      const OwnerList& list = owners_[i];
      if (!list.used() && list.first != none) return false;
      if (!list.used()) continue;
      if (find(list.owner) != i || list.first < first || list.first >= end) return false;
      if (slots_[list.first].owner != list.owner || !walks.add_ring(list.first)) return false;
    }
    return walks.finish() && rings.listed == owned;
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.slots_, self.owners_, self.used, self.hidden, self.reserves);
  }

 private:
  friend struct llmes::ImageCheck;
  friend struct llmes::BookInspector;

  /// The lists of all owners, for `ListWalks`: each order with the one before it.
  struct Rings {
    struct Sum {
      Owner owner;
      SlotIndex before;  ///< what the first order says is before it
      SlotIndex last;
      std::size_t count;
    };
    static constexpr bool are_rings = true;

    [[nodiscard]] bool is_listed(SlotIndex order) const noexcept { return rules[order].owner != 0; }
    [[nodiscard]] Sum start(SlotIndex order, const Sum& /*old*/) const noexcept {
      return {rules[order].owner, rules[order].previous, rules[order].previous, 0};
    }
    [[nodiscard]] bool take(Sum& sum, SlotIndex at) const noexcept {
      if (rules[at].owner != sum.owner || rules[at].previous != sum.last) return false;
      sum.last = at;
      ++sum.count;
      return true;
    }
    [[nodiscard]] static bool join(Sum& sum, const Sum& run) noexcept {
      if (run.owner != sum.owner || run.before != sum.last) return false;
      sum.last = run.last;
      sum.count += run.count;
      return true;
    }
    [[nodiscard]] bool done(const Sum& sum, SlotIndex /*stop*/) noexcept {
      listed += sum.count;
      return sum.before == sum.last;
    }
    [[nodiscard]] SlotIndex next(SlotIndex order) const noexcept { return rules[order].next; }
    void fetch(SlotIndex order) const noexcept { __builtin_prefetch(&rules[order]); }

    const RuleState& rules;
    std::size_t listed = 0;
  };

  [[nodiscard]] static std::uint32_t hash_of_owner(Owner owner) noexcept {
    return static_cast<std::uint32_t>(hash_of(owner) >> 32);
  }
  /// The list of an owner in the table of all.
  struct OwnerList {
    Owner owner;
    SlotIndex first;

    [[nodiscard]] bool used() const noexcept { return owner != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return hash_of_owner(owner); }
  };
  /// Where the list of an owner is in the table, or would be.
  [[nodiscard]] std::size_t find(Owner owner) const noexcept {
    return owners_.search(hash_of_owner(owner), [owner](const OwnerList& list) { return list.owner == owner; });
  }

  /// Takes the orders in scope off the list of an owner, and adds them to `leaving`. They belong to nobody then.
  /// It walks from both ends at once, as each step has to wait for the one before.
  void detach(std::size_t entry, const auto& in_scope, const auto& place_of, SortedOrders& leaving) noexcept {
    SlotIndex front = owners_[entry].first;
    SlotIndex back = slots_[front].previous;
    SlotIndex first_kept = none;
    SlotIndex kept_behind = none;
    for (;;) {
      const SlotIndex next = slots_[front].next;
      const SlotIndex previous = slots_[back].previous;
      if (in_scope(front)) {
        leaving.add_front(front, place_of(front));
        unlist(front);
      } else if (first_kept == none) {
        first_kept = front;
      }
      if (front == back) break;
      if (in_scope(back)) {
        leaving.add_back(back, place_of(back));
        unlist(back);
      } else {
        kept_behind = back;
      }
      if (next == back) break;
      front = next;
      back = previous;
    }
    if (first_kept == none) first_kept = kept_behind;
    if (first_kept == none) {
      owners_.free(entry);
    } else {
      owners_[entry].first = first_kept;
    }
  }
  /// Takes an order out of its list, which may begin with it.
  void unlist(SlotIndex order) noexcept {
    SlotTerms& gone = slots_[order];
    slots_[gone.previous].next = gone.next;
    slots_[gone.next].previous = gone.previous;
    gone.owner = 0;
  }

  ZeroedArray<SlotTerms> slots_;
  ProbingTable<OwnerList> owners_;
  SortedOrders::Room room_;  ///< for a mass cancel; means nothing between calls

 public:
  ResetOnMove<std::size_t> used;    ///< how many orders have terms
  ResetOnMove<std::size_t> hidden;  ///< how many are hidden
  ResetOnMove<Quantity> reserves;   ///< lots that are not displayed
};

}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
