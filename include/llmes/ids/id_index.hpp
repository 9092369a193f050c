// SPDX-License-Identifier: MIT
//
// Where the order with a given outside id lives: two ways to keep a slot number for each id. What they answer is
// a hint that the book confirms, as its slot holds the id, so an entry is 4 or 8 bytes and a stale one does no
// harm.
//
//  | index       | ids                          | memory                             | an order that leaves |
//  |-------------|------------------------------|------------------------------------|----------------------|
//  | `DenseIds`  | a range                      | 4 bytes for each id of the range   | costs nothing        |
//  | `HashedIds` | any numbers                  | 16 to 19 bytes for each order      | one search           |
//
// Over many books a set can find orders by growing ids without an index: see placed_pool.hpp.
//
// 0 and the largest `OrderId` are ids like all others. Slot 0 stands for "none": no order lives there. Once an
// index is made, nothing here allocates, locks, throws or calls the system. One that has been moved from holds no
// id.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>

#include "llmes/ids/dense_ids.hpp"   // IWYU pragma: export
#include "llmes/ids/hashed_ids.hpp"  // IWYU pragma: export
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An index from id to slot.
///
///  - `create(config, capacity, status, slot_count)` makes an empty one for up to `capacity` orders at a time, in
///    slots below `slot_count`, or says why not;
///  - `holds(id)`: whether there is room for the entry of `id` now;
///  - `insert(id, slot)` notes that the order with this id, which the index must have room for and not have,
///    lives in `slot`;
///  - `find(id, matches)`: the slot that was noted for `id`, if `matches(slot)` confirms it; else 0. It may ask
///    about any number, and `matches` must deny 0;
///  - `fetch(id)`: a hint to start loading the entry of any id. It may note where that is, and changes no answer;
///  - `hint(id)`: the slot that `find` would most likely confirm, without a look at slots; if there is none, any
///    number, at best 0;
///  - `lacks(id)`: whether a glance shows that `find` has nothing to confirm, as it should for nearly all ids that
///    are new; false is always true enough;
///  - `memory_bytes()`: what it has allocated; `bytes_in_use()`: what of it calls come to now;
///  - `forgets`: whether it must be told, by `erase(id, slot)` or `clear()`, of each order that leaves. If not,
///    it has neither. If so, `insert_at_home(id, slot)` may deny what `insert(id, slot, orders)` then does.
template <class I>
concept IdIndex = requires(I& index, const I& fixed, const typename I::Config& config, std::size_t capacity,
                           CreateStatus& status, OrderId id, SlotIndex slot, bool (*matches)(SlotIndex)) {
  { I::create(config, capacity, status) } -> std::same_as<std::optional<I>>;
  { fixed.holds(id) } -> std::same_as<bool>;
  { fixed.find(id, matches) } -> std::same_as<SlotIndex>;
  { fixed.hint(id) } -> std::same_as<SlotIndex>;
  { fixed.lacks(id) } -> std::same_as<bool>;
  { fixed.memory_bytes() } -> std::same_as<std::size_t>;
  { fixed.bytes_in_use() } -> std::same_as<std::size_t>;
  index.fetch(id);
  index.insert(id, slot);
  requires !I::forgets || requires { index.erase(id, slot), index.clear(); };
};

}  // namespace llmes::inline LLMES_NAMESPACE
