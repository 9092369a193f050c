// SPDX-License-Identifier: MIT
//
// The orders of a large set in the order of its queries, for passes over all of them. Who follows a queue waits
// for memory at each order, since only the order says which one is next. This finds the slots first, along many
// queues at once; then they can be read ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/list_walks.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// `Set` is a set of books, whose every invariant must hold.
template <class Set>
class OrderSequence {
 public:
  /// Sets smaller than this fit the caches, where the queues themselves are as fast.
  static constexpr std::size_t least_orders = 8'192;

  /// Linear. Takes four bytes an order while it exists, and less than one a slot until it is made.
  explicit OrderSequence(const Set& set) noexcept : set_(set) {
    if (set.size() < least_orders) return;
    slots_.reset(new (std::nothrow) SlotIndex[set.size()]);
    if (slots_ == nullptr) return;
    Queues queues{set.slots(), slots_.get()};
    ListWalks walks(queues, set.slots().anchor_count(), set.slots().slot_count());
    bool all = walks.walk_runs();
    queues.writes = true;
    std::size_t place = 0;
    for (BookNumber book = 0; book < set.book_count(); ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        set.visit_levels(book, side, [&](SlotIndex anchor, Price /*price*/) {
          const OrderSlot& level = set.slots()[anchor];
          all = all && walks.add_list({place, 0}, level.oldest(), anchor);
          place += level.order_count();
        });
      }
    }
    if (!all || !walks.finish() || !walks.walk_runs()) slots_.reset();
  }

  /// Whether it has the orders: there are many, and there was memory.
  [[nodiscard]] bool made() const noexcept { return slots_ != nullptr; }

  /// Calls `visit(handle, slot, price)` for each order of a side of a book. Sides and books are to be asked for in
  /// order, bids first.
  void visit_next(BookNumber book, Side side, const auto& visit) noexcept {
    set_.visit_levels(book, side, [&](SlotIndex anchor, Price price) {
      const std::size_t end = next_ + set_.slots()[anchor].order_count();
      for (; next_ < end; ++next_) {
        if (next_ + ahead < set_.size()) set_.fetch_order(slots_[next_ + ahead]);
        const SlotIndex slot = slots_[next_];
        visit(set_.slots().handle(slot), set_.slots()[slot], price);
      }
    });
  }

 private:
  static constexpr std::size_t ahead = 16;

  struct Queues {
    struct Sum {
      std::size_t place;  ///< of its first order, in the sequence
      std::size_t count;
    };
    static constexpr bool are_rings = false;

    [[nodiscard]] bool is_listed(SlotIndex slot) const noexcept { return pool[slot].generation % 2 == 1; }
    [[nodiscard]] static Sum start(SlotIndex /*slot*/, const Sum& old) noexcept { return {old.place, 0}; }
    [[nodiscard]] bool take(Sum& sum, SlotIndex at) const noexcept {
      if (writes) slots[sum.place + sum.count] = at;
      ++sum.count;
      return true;
    }
    [[nodiscard]] static bool join(Sum& sum, Sum& run) noexcept {
      run.place = sum.place + sum.count;
      sum.count += run.count;
      return true;
    }
    [[nodiscard]] static bool done(const Sum& /*sum*/, SlotIndex /*stop*/) noexcept { return true; }
    [[nodiscard]] SlotIndex next(SlotIndex slot) const noexcept { return pool[slot].next; }
    void fetch(SlotIndex slot) const noexcept { __builtin_prefetch(&pool[slot]); }

    const OrderSlots& pool;
    SlotIndex* slots;
    bool writes = false;  ///< else places are not known yet
  };

  const Set& set_;
  std::unique_ptr<SlotIndex[]> slots_;
  std::size_t next_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
