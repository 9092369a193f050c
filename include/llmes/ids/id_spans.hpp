// SPDX-License-Identifier: MIT
//
// How a span of requests by id prefetches. A span over warm memory is the plain loop. Over cold memory its gain is
// fewer cache misses: of the entry of an id, its slot, the neighbours of that, and in a wide band the level of a
// price. So it prefetches these in stages for later requests, each when the one before has arrived. It reads no
// more than the id, side and price of a request: a branch on its type mispredicts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "llmes/book/calls.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/ids/id_lookup.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {
template <class Book>
inline constexpr bool is_set = requires { typename Book::Book; };
}  // namespace detail

/// Of one book.
template <class Book, class Index>
class IdSpans : protected IdLookup<Book, Index> {
 protected:
  using Request = typename detail::CommandsOf<Book>::ById;
  using Lookup = IdLookup<Book, Index>;
  using Lookup::Lookup;

  void fetch_book(const Request& /*request*/) const noexcept {}

  /// Calls `apply(i, at(i), order)` for the requests of a span in turn; `order()` finds the order that the request
  /// names. Over warm memory the whole span is one block: the ends of short loops mispredict.
  [[gnu::always_inline]] void for_each_request(std::size_t count, auto& at, const auto& apply) const noexcept {
    const bool looks = count >= detail::least_to_look;
    const bool cold_index = looks && this->index_bytes() >= cached_bytes;
    const bool cold_orders = looks && this->book_.size() * sizeof(OrderSlot) >= cached_bytes;
    const bool cold_levels = looks && this->book_.has_cold_levels();
    std::array<SlotIndex, 32> slots;  // of the requests for which something is on its way
    const auto fetch = [&, count ](std::size_t from, std::size_t to, auto one) __attribute__((always_inline)) {
      for (std::size_t i = from; i < std::min(to, count); ++i) one(i, at(i));
    };
    const auto entry = [&](std::size_t, const Request& later) __attribute__((always_inline)) {
      this->fetch_entry(later.id);
    };
    const auto slot = [&](std::size_t i, const Request& later) __attribute__((always_inline)) {
      this->book_.fetch(slots[i % slots.size()] = this->likely_slot(later.id));
    };
    const auto neighbours = [&](std::size_t i, const Request&) __attribute__((always_inline)) {
      this->book_.fetch_neighbours(slots[i % slots.size()]);
    };
    const auto level = [&](std::size_t, const Request& later) __attribute__((always_inline)) {
      this->book_.fetch_level(later.side, later.price);
    };

    if (cold_index) fetch(0, entries_ahead, entry);
    if (cold_orders) fetch(0, slots_ahead, slot);
    const std::size_t step = cold_index || cold_orders || cold_levels ? block : count;
    for (std::size_t begin = 0; begin < count; begin += step) {
      const std::size_t end = begin + step;
      if (cold_index) fetch(begin + entries_ahead, end + entries_ahead, entry);
      if (cold_orders) fetch(begin + slots_ahead, end + slots_ahead, slot);
      if (cold_orders) fetch(begin + neighbours_ahead, end + neighbours_ahead, neighbours);
      if (cold_levels) fetch(begin + slots_ahead, end + slots_ahead, level);
      for (std::size_t i = begin; i < std::min(end, count); ++i) {
        const Request& request = at(i);
        apply(
            i, request, [&]() __attribute__((always_inline)) { return this->look_up(request.id); });
      }
    }
  }

 private:
  /// The requests of a block. Before each block, later requests are prefetched by so many: an entry must arrive
  /// before its slot is asked for, and a slot before its neighbours.
  static constexpr std::size_t block = 8;
  static constexpr std::size_t entries_ahead = 32;
  static constexpr std::size_t slots_ahead = 12;  // and price levels
  static constexpr std::size_t neighbours_ahead = 4;
  /// Less memory than this is near the core as a rule. With half of it, spans over 20,000 orders that leave soon
  /// took a third more time; with twice as much, spans over 100,000 a twelfth.
  static constexpr std::size_t cached_bytes = 1'024 * 1'024;
};

/// Of a set, where each book is cold too: a block is prefetched before its requests are applied.
template <class Set, class Index>
  requires(detail::is_set<Set>)
class IdSpans<Set, Index> : protected IdLookup<Set, Index> {
 protected:
  using BookRequest = typename detail::CommandsOf<Set>::ById;
  using Lookup = IdLookup<Set, Index>;
  using Lookup::Lookup;

  [[gnu::always_inline]] void fetch_book(const BookRequest& request) const noexcept {
    this->book_.fetch_book(request.book);
  }

  /// As above.
  [[gnu::always_inline]] void for_each_request(std::size_t count, auto& at, const auto& apply) const noexcept {
    std::array<SlotIndex, Set::block> slots;  // where the orders were when the block was looked at
    for (std::size_t begin = 0; begin < count; begin += Set::block) {
      const std::size_t size = std::min(Set::block, count - begin);
      const bool looks = size >= detail::least_to_look && this->book_.has_cold_books(this->index_bytes());
      if (looks) look_ahead(begin, size, at, slots);
      for (std::size_t i = 0; i < size; ++i) {
        const BookRequest& request = at(begin + i);
        apply(
            begin + i, request, [&]() __attribute__((always_inline)) {
              const OrderHandle handle = looks ? this->book_.handle_at(slots[i], request.id) : OrderHandle{};
              return handle != OrderHandle{} ? handle : this->look_up(request.id);
            });
      }
    }
  }

  /// Prefetches what a block of requests will touch, and notes where the orders are that they name. Out of line:
  /// inline it made the loop that applies the requests spill registers, a tenth slower.
  [[gnu::noinline]] void look_ahead(std::size_t begin, std::size_t size, auto& at,
                                    std::array<SlotIndex, Set::block>& slots) const noexcept {
    const auto one = [&](std::size_t i) __attribute__((always_inline))->decltype(auto) {
      return at(begin + i);
    };
    this->book_.look_ahead(size, one, Names{*this}, slots);
  }

 private:
  /// Requests name orders by their ids.
  struct Names {
    const IdSpans& ids;

    [[gnu::always_inline]] void fetch_entry(const BookRequest& later) const noexcept {
      ids.Lookup::fetch_entry(later.id);
    }
    [[gnu::always_inline]] void fetch_new_entry(const BookRequest& later) const noexcept {
      ids.Lookup::fetch_entry(later.new_id);
    }
    [[nodiscard, gnu::always_inline]] SlotIndex hint(const BookRequest& later) const noexcept {
      return ids.likely_slot(later.id);
    }
  };
};

}  // namespace llmes::inline LLMES_NAMESPACE
