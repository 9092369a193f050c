// SPDX-License-Identifier: MIT
//
// Where the order with a given outside id lives: two ways to keep a slot number for each id. They give hints,
// which the slot confirms by its id. So an entry is 4 or 8 bytes, and a stale one does no harm.
//
//  | index       | ids          | memory                            | an order that leaves |
//  |-------------|--------------|-----------------------------------|----------------------|
//  | `DenseIds`  | a range      | 4 bytes for each id of the range  | costs nothing        |
//  | `HashedIds` | any numbers  | 16 to 19 bytes for each order     | one search           |
//
// Over many books a set can find orders by growing ids without an index: see placed_pool.hpp.
//
// 0 and the largest `OrderId` are ids like all others. Slot 0 stands for "none". Once an index is made, nothing
// here allocates, locks, throws or calls the system. One that was moved from holds no id.
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
///  - `create(config, capacity, status, slot_count)` makes an empty one for up to `capacity` orders, in slots
///  below
///    `slot_count`, or says why not;
///  - `holds(id)`: whether there is room for the entry of `id` now;
///  - `insert(id, slot)` notes that the order of this id lives in `slot`; there must be room, and no such entry;
///  - `find(id, matches)`: the slot that was noted for `id`, if `matches(slot)` confirms it, or else 0. It may ask
///    about any number, and `matches` must deny 0;
///  - `fetch(id)`: a hint that prefetches the entry of any id and changes no answer;
///  - `hint(id)`: the slot that `find` would most likely confirm, without a look at slots; else any, at best 0;
///  - `lacks(id)`: if true, a glance shows that `find` has nothing to confirm, as for nearly all new ids;
///  - `memory_bytes()`: what it has allocated; `bytes_in_use()`: what of it calls touch now;
///  - `forgets`: whether it needs `erase(id, slot)` or `clear()` for each order that leaves; else it has neither.
///    If so, `insert_if_room(id, slot)` may refuse what `insert(id, slot, orders)` then does.
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
