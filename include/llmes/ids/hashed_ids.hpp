// SPDX-License-Identifier: MIT
//
// An index for any ids: a hash table. What an index is: id_index.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/tag_word.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For any ids: a table of what rests, in buckets of six entries. A bucket is half a cache line, and its tags (see
/// tag_word.hpp) are compared at once: the ends of linear probing mispredict, which cost more than the rest. An
/// entry that finds its bucket full goes to the next one. A search is constant on average, also for ids with a
/// pattern; linear in the capacity only for ids that were chosen to collide (see `hash_of`).
///
/// The slot of an order is kept under further bits of the hash of its id. Read for another id with the same tag,
/// it is as a rule no slot, which the caller denies without a cache miss at the order of another id.
///
/// Few orders touch few lines, whatever the capacity. There is a table for the capacity, one for an eighth of it,
/// and so on; the smallest with room is in use. When another should be, each insert moves a few entries to it, and
/// the orders say their ids for that. Meanwhile calls look in both tables: they get a full bucket that sends every
/// search the long way, so calls need not ask whether entries move.
class HashedIds {
 public:
  struct Config {};

  static constexpr bool forgets = true;

  /// Makes an empty index; all its memory is allocated and touched here: 16 bytes an order of `capacity`, a
  /// seventh of that for smaller tables, and up to 1 KiB more.
  /// @param slot_count every slot is below it. If it is 0, or above 2^26, there is one table, and no order is
  /// asked for its id.
  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<HashedIds> create(const Config& /*config*/, std::size_t capacity,
                                                       CreateStatus& status, std::size_t slot_count = 0) noexcept {
    if (capacity == 0 || capacity > OrderPool::capacity_max(1)) {
      status = CreateStatus::InvalidCapacity;
      return {};
    }
    std::optional<HashedIds> index{HashedIds(capacity, slot_count != 0 && slot_count - 1 <= slot_bits)};
    status = index->buckets_.allocated() ? CreateStatus::Success : CreateStatus::OutOfMemory;
    if (!index->buckets_.allocated()) index.reset();
    return index;
  }

  /// Always: there is an entry for each order that can rest.
  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }

  [[nodiscard, gnu::always_inline]] SlotIndex find(OrderId id,
                                                   const std::predicate<SlotIndex> auto& matches) const noexcept {
    if (!moves()) [[likely]]
      return find_in(current_, id, matches);
    const SlotIndex slot = find_in(table(state_->goal), id, matches);
    return slot != OrderPool::none ? slot : find_in(table(state_->in_use), id, matches);
  }

  /// Whether one look at its bucket shows that no order of this id rests. It does for nearly all ids that are new.
  [[nodiscard, gnu::always_inline]] bool lacks(OrderId id) const noexcept {
    const Key key = key_of(id);
    return current_->first[key.bucket].lacks(key);
  }

  /// Makes an entry where a search for it begins, if there is room.
  /// @return whether there was.
  [[nodiscard, gnu::always_inline]] bool insert_if_room(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    Bucket& first = current_->first[key.bucket];
    if (first.tags.with(Tags::free) == 0) [[unlikely]]
      return false;
    first.put(key, slot);
    return true;
  }
  /// The same where one look shows also that no order of this id rests, as it does for nearly all ids that are
  /// new.
  /// @return whether it made the entry; if not, the id may rest.
  [[nodiscard]] bool insert_if_lacking(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    Bucket& first = current_->first[key.bucket];
    if (!first.lacks(key) || first.tags.with(Tags::free) == 0) return false;
    first.put(key, slot);
    return true;
  }
  /// Makes an entry where there was no room, and moves two others at most or decides that they should move.
  /// Constant on average. Out of line, it takes no registers from the call.
  /// @param orders `size()` says how many rest, each of which but this one has an entry, and `id_at(slot)` which
  /// id the order in a slot has.
  [[gnu::noinline]] void insert(OrderId id, SlotIndex slot, const auto& orders) noexcept {
    if (moves()) {
      move_some(orders);
    } else if (state_->in_use > 0 && orders.size() > orders_of(state_->in_use)) {
      move_to(state_->in_use - 1);
    } else if (state_->in_use + 1 < tables_ && orders.size() < orders_of(state_->in_use + 1) / 2) {
      move_to(state_->in_use + 1);
    }
    put_in(table(state_->goal), id, slot);
  }
  /// The same where no other entry is to move.
  void insert(OrderId id, SlotIndex slot) noexcept {
    if (!insert_if_room(id, slot)) put_in(table(state_->goal), id, slot);
  }

  /// Forgets an order whose entry is there. The whole tag must agree, since another slot may read the same for
  /// another id. Where the tags agree too, either of the two entries serves both ids.
  [[gnu::always_inline]] void erase(OrderId id, SlotIndex slot) noexcept {
    const Key key = key_of(id);
    Bucket& first = current_->first[key.bucket];
    const std::size_t entry = Tags::first(first.tags.with(key.tag) | Tags::last);
    if (!first.has(entry, key, slot)) [[unlikely]]
      return search_and_erase(id, slot);
    first.tags.clear(entry);
  }

  void clear() noexcept {
    buckets_.clear();
    if (buckets_.allocated()) start();
  }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
    __builtin_prefetch(&current_->first[key_of(id).bucket], 1);
  }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept {
    const Key key = key_of(id);
    const Bucket& bucket = current_->first[key.bucket];
    const std::uint64_t found = bucket.tags.with(key.tag);
    // 0 if there is none: its line is warm. Without a branch, which would mispredict.
    const SlotIndex mask = SlotIndex{0} - SlotIndex{found != 0};
    return (bucket.slots[Tags::first(found | Tags::last)] ^ key.cover) & mask;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size_bytes(); }
  /// Of these, those of the table in use.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return current_->size * sizeof(Bucket); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.buckets_, self.state_);
    if constexpr (!std::is_const_v<Self>) self.choose_current();
  }

 private:
  friend struct ImageCheck;
  friend struct IdInspector;

  using Tags = TagWord<6>;

  struct Key {
    std::size_t bucket;  ///< the bucket where a search begins
    std::uint64_t tag;   ///< 1 to 255
    SlotIndex cover;     ///< what lies over the slot; none of its bits has a part in the tag
  };

  struct alignas(32) Bucket {
    Tags tags;
    std::array<SlotIndex, 6> slots;

    [[nodiscard, gnu::always_inline]] bool has(std::size_t entry, const Key& key, SlotIndex slot) const noexcept {
      return (slots[entry] ^ key.cover) == slot && tags.has(entry, key.tag);
    }
    /// Whether no entry of it or behind it has this tag.
    [[nodiscard, gnu::always_inline]] bool lacks(const Key& key) const noexcept {
      return tags.with(key.tag) == 0 && !tags.was_passed();
    }
    /// Makes an entry; one must be free.
    [[gnu::always_inline]] void put(const Key& key, SlotIndex slot) noexcept {
      const std::size_t entry = Tags::first(tags.with(Tags::free));
      tags.set(entry, key.tag);
      slots[entry] = slot ^ key.cover;
    }
    /// Makes it full for ever, of entries that are of no order, as if another one had gone on.
    void fill() noexcept {
      for (std::size_t entry = 0; entry < slots.size(); ++entry) tags.set(entry, 1);
      tags.count_pass();
    }
  };

  /// Some of the buckets.
  struct Table {
    Bucket* first = const_cast<Bucket*>(&no_bucket);  ///< never written if it is that one
    std::size_t size = 1;

    [[nodiscard]] std::size_t after(std::size_t bucket) const noexcept {
      return bucket + 1 == size ? 0 : bucket + 1;
    }
  };
  static constexpr Bucket no_bucket{};

  struct State {
    std::uint32_t in_use = 0;  ///< the table that has all entries, or from which they move
    std::uint32_t goal = 0;    ///< the table that gets new ones; another one while entries move
    std::uint64_t moved = 0;   ///< so many buckets of the table in use have none any more
  };

  /// The bits of an entry that nothing lies over if there are several tables.
  static constexpr SlotIndex slot_bits = (SlotIndex{1} << 26) - 1;
  /// A table for fewer orders fits a first-level cache anyway.
  static constexpr std::size_t least_orders = 1'024;
  /// Of each table but the smallest one bucket in so many is always full, so that now and then an insert sees
  /// whether few orders are left.
  static constexpr std::size_t full_every = 512;

  [[nodiscard]] bool moves() const noexcept { return state_->in_use != state_->goal; }
  /// Table 0 has room for all orders, each other one for an eighth of those of the one before.
  [[nodiscard]] std::size_t orders_of(std::uint32_t number) const noexcept { return capacity_ >> 3 * number; }
  /// With two orders to a bucket on average few find theirs full; with three, one search in eight goes on.
  [[nodiscard]] std::size_t size_of(std::uint32_t number) const noexcept { return orders_of(number) / 2 + 1; }
  [[nodiscard]] Table table(std::uint32_t number) const noexcept {
    std::size_t before = tables_ > 1 ? 1 : 0;
    for (std::uint32_t i = 0; i < number; ++i) before += size_of(i);
    return {const_cast<Bucket*>(&buckets_[before]), size_of(number)};
  }

  [[nodiscard, gnu::always_inline]] static SlotIndex find_in(const Table& table, OrderId id,
                                                             const auto& matches) noexcept {
    const Key key = key_in(table.size, id);
    std::size_t at = key.bucket;
    while (true) {
      const Bucket& bucket = table.first[at];
      for (std::uint64_t found = bucket.tags.with(key.tag); found != 0; found &= found - 1) {
        const SlotIndex slot = bucket.slots[Tags::first(found)] ^ key.cover;
        if (matches(slot)) [[likely]]
          return slot;
      }
      if (!bucket.tags.was_passed()) [[likely]]
        return OrderPool::none;
      at = table.after(at);
      if (at == key.bucket) return OrderPool::none;
    }
  }

  /// Makes an entry in the first bucket that has room.
  static void put_in(const Table& table, OrderId id, SlotIndex slot) noexcept {
    const Key key = key_in(table.size, id);
    std::size_t at = key.bucket;
    while (table.first[at].tags.with(Tags::free) == 0) {
      table.first[at].tags.count_pass();
      at = table.after(at);
    }
    table.first[at].put(key, slot);
  }

  /// Forgets an entry that is there.
  static void erase_in(const Table& table, OrderId id, SlotIndex slot) noexcept {
    const Key key = key_in(table.size, id);
    for (std::size_t at = key.bucket;; at = table.after(at)) {
      Bucket& bucket = table.first[at];
      for (std::uint64_t found = bucket.tags.with(key.tag); found != 0; found &= found - 1) {
        const std::size_t entry = Tags::first(found);
        if (bucket.has(entry, key, slot)) return bucket.tags.clear(entry);
      }
      bucket.tags.uncount_pass();
    }
  }
  /// Forgets an entry, whichever and wherever it is.
  [[gnu::noinline]] void search_and_erase(OrderId id, SlotIndex slot) noexcept {
    const auto is_it = [slot](SlotIndex found) { return found == slot; };
    const bool has_moved = moves() && find_in(table(state_->goal), id, is_it) == slot;
    erase_in(table(has_moved ? state_->goal : state_->in_use), id, slot);
  }

  // ---- Entries that move.

  void move_to(std::uint32_t goal) noexcept {
    state_->goal = goal;
    state_->moved = 0;
    choose_current();
  }
  /// Moves an entry, so that no call waits long, or two where the goal is smaller; or passes a few buckets without
  /// any. The goal has room for eight times the orders, or for twice as many. It has all of them before it is
  /// full: of N orders after N inserts and a quarter, or of N/2 after three eighths of N.
  void move_some(const auto& orders) noexcept {
    const Table from = table(state_->in_use);
    const Table to = table(state_->goal);
    const bool grows = state_->goal < state_->in_use;
    std::size_t buckets = grows ? 4 : 32;
    std::size_t left = grows ? 1 : 2;
    while (state_->moved < from.size) {
      const Bucket& bucket = from.first[state_->moved];
      std::size_t entry = next_entry(bucket, 0);
      for (; entry < bucket.slots.size() && left > 0; entry = next_entry(bucket, entry + 1), --left) {
        const SlotIndex slot = bucket.slots[entry] & slot_bits;
        const OrderId id = orders.id_at(slot);
        erase_in(from, id, slot);
        put_in(to, id, slot);
      }
      if (entry < bucket.slots.size()) break;
      ++state_->moved;
      if (--buckets == 0) break;
    }
    if (state_->moved == from.size) {
      state_ = State{.in_use = state_->goal, .goal = state_->goal, .moved = 0};
      choose_current();
    }
  }

  /// The first entry of an order from `entry` on, or 6.
  [[nodiscard]] static std::size_t next_entry(const Bucket& bucket, std::size_t entry) noexcept {
    if (bucket.tags.empty()) return bucket.slots.size();
    while (entry < bucket.slots.size() &&
           (bucket.tags.has(entry, Tags::free) || (bucket.slots[entry] & slot_bits) == OrderPool::none)) {
      ++entry;
    }
    return entry;
  }
  explicit HashedIds(std::size_t capacity, bool asks_orders) noexcept : capacity_(capacity) {
    while (asks_orders && orders_of(tables_) >= least_orders) ++tables_;
    std::size_t buckets = tables_ > 1 ? 1 : 0;
    for (std::uint32_t i = 0; i < tables_; ++i) buckets += size_of(i);
    buckets_ = ZeroedArray<Bucket>(buckets);
    if (buckets_.allocated()) start();
  }
  void start() noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (is_always_full(i)) buckets_[i].fill();
    }
    state_ = State{.in_use = tables_ - 1, .goal = tables_ - 1, .moved = 0};
    choose_current();
  }
  /// Bucket 0 stands for the table while entries move.
  [[nodiscard]] bool is_always_full(std::size_t bucket) const noexcept {
    return bucket % full_every == 0 && bucket + size_of(tables_ - 1) < buckets_.size();
  }
  void choose_current() noexcept {
    if (state_->goal >= tables_) return;  // an image may say anything
    current_ = moves() ? Table{&buckets_[0], 1} : table(state_->goal);
  }

  [[nodiscard, gnu::always_inline]] Key key_of(OrderId id) const noexcept { return key_in(current_->size, id); }
  /// Searches begin in one of `size` buckets.
  [[nodiscard, gnu::always_inline]] static Key key_in(std::size_t size, OrderId id) noexcept {
    const std::uint64_t hash = hash_of(id);
    return {(hash >> 32) * size >> 32, std::max<std::uint64_t>(hash >> 18 & 0xff, 1),
            static_cast<SlotIndex>(hash) & ~slot_bits};
  }

  detail::ResetOnMove<Table> current_;  ///< where searches begin
  ZeroedArray<Bucket> buckets_;
  detail::ResetOnMove<std::size_t> capacity_;
  detail::ResetOnMove<std::uint32_t> tables_ = 1;
  detail::ResetOnMove<State> state_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
