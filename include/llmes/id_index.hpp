// SPDX-License-Identifier: MIT
//
// Where the order with a given outside id lives: three ways to keep a slot number for each id. What they answer is
// a hint that the book confirms, as its slot holds the id, so an entry is 4 or 8 bytes and a stale one does no
// harm.
//
//  | index       | ids                          | memory                             | an order that leaves |
//  |-------------|------------------------------|------------------------------------|----------------------|
//  | `DenseIds`  | a range                      | 4 bytes for each id of the range   | costs nothing        |
//  | `HashedIds` | any numbers                  | 11 bytes for each order            | one search           |
//  | `PagedIds`  | growing numbers, with gaps   | 11 bytes for each order, and       | one entry, one count |
//  |             |                              | 16 KiB for each page of 4,096 ids  |                      |
//
// 0 and the largest `OrderId` are ids like all others. Slot 0 stands for "none": no order lives there. Once an
// index is made, nothing here allocates, locks, throws or calls the system. One that has been moved from holds no
// id.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "llmes/order_pool.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"
#include "llmes/zeroed_array.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An index from id to slot.
///
///  - `create(config, capacity, status)` makes an empty one for up to `capacity` orders at a time, or says why
///    not;
///  - `holds(id)`: whether there is room for the entry of `id` now;
///  - `insert(id, slot)` notes that the order with this id, which the index must have room for and not have,
///    lives in `slot`;
///  - `find(id, matches)`: the slot that was noted for `id`, if `matches(slot)` confirms it; else 0. It may ask
///    about any number that was noted for some id, and about 0, which `matches` must deny;
///  - `fetch(id)`: a hint to start loading the entry of any id. It may note where that is, and changes no answer;
///  - `hint(id)`: the slot that `find` would most likely confirm, without a look at slots; any number else;
///  - `memory_bytes()`: what it has allocated;
///  - `forgets`: whether it must be told, by `erase(id, slot)` or `clear()`, of each order that leaves. If not,
///    it has neither.
template <class I>
concept IdIndex = requires(I& index, const I& fixed, const typename I::Config& config, std::size_t capacity,
                           CreateStatus& status, OrderId id, SlotIndex slot, bool (*matches)(SlotIndex)) {
  { I::create(config, capacity, status) } -> std::same_as<std::optional<I>>;
  { fixed.holds(id) } -> std::same_as<bool>;
  { fixed.find(id, matches) } -> std::same_as<SlotIndex>;
  { fixed.hint(id) } -> std::same_as<SlotIndex>;
  { fixed.memory_bytes() } -> std::same_as<std::size_t>;
  index.fetch(id);
  index.insert(id, slot);
  requires !I::forgets || requires { index.erase(id, slot), index.clear(); };
};

/// For ids from a range that is known beforehand, such as sequence numbers of one day: one array. It never
/// forgets: the entry of an order that is gone stays until its id is used again, and the slot tells. Every call is
/// one access.
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
                                                      CreateStatus& status) noexcept {
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

  template <std::predicate<SlotIndex> Matches>
  [[nodiscard]] SlotIndex find(OrderId id, const Matches& matches) const noexcept {
    const SlotIndex slot = hint(id);
    return matches(slot) ? slot : OrderPool::none;
  }

  void insert(OrderId id, SlotIndex slot) noexcept { slots_[place(id)] = slot; }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept { __builtin_prefetch(&slots_[place(id)], 1); }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept { return slots_[place(id)]; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return slots_.size_bytes(); }

  /// Its state, part by part, for an image (see engine/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.slots_);
  }

 private:
  friend struct IdInspector;

  explicit DenseIds(const Config& config) noexcept : first_(config.first), slots_(config.count + 1) {}

  /// One entry more than ids: an id outside the range finds the last, which is always 0.
  [[nodiscard]] std::size_t place(OrderId id) const noexcept { return std::min(id - first_, slots_.size() - 1); }

  OrderId first_;
  ZeroedArray<SlotIndex> slots_;
};

/// A bijection of 64 bits: different ids differ in some bit of it, and ids that follow each other, or are
/// multiples of a power of two, are far apart in its upper half. Clients who want to harm each other can find ids
/// that collide; who has such clients gives numbers of their own.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t id) noexcept {
  id *= 0xff51'afd7'ed55'8ccd;
  id ^= id >> 30;
  return id * 0xc4ce'b9fe'1a85'ec53;
}

/// A table with open addressing and linear probing, for layers that need one. An entry has
/// `used()` and `hash()`, 32 bits of which the upper ones say where its search begins; zeros are a free entry.
///
/// Invariant: from the place where the search for an entry begins to the entry there is no free one. At least half
/// of them are free, so that every search ends.
template <class Entry>
class ProbingTable {
 public:
  ProbingTable() noexcept = default;
  /// Room for `capacity` entries, 1 to 2^32.
  explicit ProbingTable(std::size_t capacity) noexcept : entries_(std::bit_ceil(2 * capacity)) {}

  [[nodiscard]] bool allocated() const noexcept { return entries_.allocated(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return entries_.size_bytes(); }

  /// Where the search for an entry with this hash begins, and where it goes on.
  [[nodiscard]] std::size_t home(std::uint32_t hash) const noexcept {
    return std::uint64_t{hash} * entries_.size() >> 32;
  }
  [[nodiscard]] std::size_t after(std::size_t place) const noexcept { return (place + 1) & (entries_.size() - 1); }

  [[nodiscard]] Entry& operator[](std::size_t place) noexcept { return entries_[place]; }
  [[nodiscard]] const Entry& operator[](std::size_t place) const noexcept { return entries_[place]; }

  /// The first place, from the home of `hash` on, whose entry is free or which `stops` the search.
  template <class Stops>
  [[nodiscard]] std::size_t search(std::uint32_t hash, Stops stops) const noexcept {
    std::size_t place = home(hash);
    while (entries_[place].used() && !stops(entries_[place])) place = after(place);
    return place;
  }

  /// Frees an entry. Entries behind it move up as far as their search allows, so no mark is left in its place.
  void free(std::size_t place) noexcept {
    std::size_t gap = place;
    for (std::size_t i = after(gap); entries_[i].used(); i = after(i)) {
      const std::size_t mask = entries_.size() - 1;
      if (((i - home(entries_[i].hash())) & mask) < ((i - gap) & mask)) continue;  // the gap lies before its home
      entries_[gap] = entries_[i];
      gap = i;
    }
    entries_[gap] = {};
  }

  void clear() noexcept { entries_.clear(); }

  /// Its state, part by part, for an image (see engine/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.entries_);
  }

 private:
  ZeroedArray<Entry> entries_;
};

/// For any ids: a table of what rests, in buckets of six entries. A bucket is half a cache line and has a tag, 8
/// bits of its hash, for each entry. All tags are compared at once, so a search has no loop whose end nobody can
/// predict: with plain linear probing that cost more than the rest of the index. An entry that finds its bucket
/// full goes to the next one, and the bucket counts how many have gone by, so that searches know when to follow:
/// the counts of F14, an open source hash table. A search takes constant time on average, also for ids that follow
/// a pattern; it is linear in the capacity only for ids that were chosen to collide (see `mixed`).
class HashedIds {
 public:
  struct Config {};

  static constexpr bool forgets = true;

  /// Makes an empty index; all its memory is allocated and touched here, 11 bytes for each order of `capacity`,
  /// and 32 at least.
  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<HashedIds> create(const Config& /*config*/, std::size_t capacity,
                                                       CreateStatus& status) noexcept {
    if (capacity == 0 || capacity > OrderPool::capacity_max(1)) {
      status = CreateStatus::InvalidCapacity;
      return {};
    }
    std::optional<HashedIds> index{HashedIds(capacity)};
    status = index->buckets_.allocated() ? CreateStatus::Success : CreateStatus::OutOfMemory;
    if (!index->buckets_.allocated()) index.reset();
    return index;
  }

  /// Always: there is an entry for each order that can rest.
  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }

  template <std::predicate<SlotIndex> Matches>
  [[nodiscard, gnu::always_inline]] SlotIndex find(OrderId id, const Matches& matches) const noexcept {
    const Hash hash = hash_of(id);
    std::size_t at = hash.home;
    while (true) {
      const Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.with(hash.tag); found != 0; found &= found - 1) {
        const SlotIndex slot = bucket.slots[place(found)];
        if (matches(slot)) [[likely]]
          return slot;
      }
      if (!bucket.was_passed()) [[likely]]
        return OrderPool::none;
      at = after(at);
      if (at == hash.home) return OrderPool::none;
    }
  }

  [[gnu::always_inline]] void insert(OrderId id, SlotIndex slot) noexcept {
    const Hash hash = hash_of(id);
    std::size_t at = hash.home;
    while (buckets_[at].with(0) == 0) [[unlikely]] {
      buckets_[at].pass();
      at = after(at);
    }
    const std::size_t free = place(buckets_[at].with(0));
    buckets_[at].word |= hash.tag << 8 * free;
    buckets_[at].slots[free] = slot;
  }

  /// Forgets an order whose entry is there.
  [[gnu::always_inline]] void erase(OrderId id, SlotIndex slot) noexcept {
    const Hash hash = hash_of(id);
    for (std::size_t at = hash.home;; at = after(at)) {
      Bucket& bucket = buckets_[at];
      for (std::uint64_t found = bucket.with(hash.tag); found != 0; found &= found - 1) {
        const std::size_t entry = place(found);
        if (bucket.slots[entry] != slot) [[unlikely]]
          continue;
        bucket.word &= ~(std::uint64_t{0xff} << 8 * entry);
        return;
      }
      bucket.take_back_pass();
    }
  }

  void clear() noexcept { buckets_.clear(); }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
    __builtin_prefetch(&buckets_[hash_of(id).home], 1);
  }
  [[nodiscard]] SlotIndex hint(OrderId id) const noexcept {
    const Hash hash = hash_of(id);
    const Bucket& bucket = buckets_[hash.home];
    return bucket.slots[place(bucket.with(hash.tag) | Bucket::last_place)];
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size_bytes(); }

  /// Its state, part by part, for an image (see engine/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.buckets_);
  }

 private:
  friend struct IdInspector;

  struct Hash {
    std::size_t home;   ///< the bucket where a search begins
    std::uint64_t tag;  ///< 1 to 255; 0 is a free entry
  };

  /// The lower six bytes of `word` are the tags. The upper two count the entries that found the bucket full and
  /// went on. A count that reaches its largest number stays there: searches then go on in vain, and find what
  /// there is.
  struct alignas(32) Bucket {
    static constexpr std::uint64_t one_pass = std::uint64_t{1} << 48;
    static constexpr std::uint64_t most_passes = std::uint64_t{0xffff} << 48;
    static constexpr std::uint64_t last_place = std::uint64_t{1} << 47;

    std::uint64_t word;
    std::array<SlotIndex, 6> slots;

    [[nodiscard]] bool was_passed() const noexcept { return word >= one_pass; }
    void pass() noexcept { word += word < most_passes ? one_pass : 0; }
    void take_back_pass() noexcept { word -= word < most_passes ? one_pass : 0; }

    /// The entries with this tag, as the top bits of their bytes. It may also have one whose tag differs in the
    /// last bit only, above one that has the tag.
    [[nodiscard]] std::uint64_t with(std::uint64_t tag) const noexcept {
      constexpr std::uint64_t ones = 0x0000'0101'0101'0101;
      const std::uint64_t different = word ^ tag * ones;
      return (different - ones) & ~different & ones << 7;
    }
  };

  explicit HashedIds(std::size_t capacity) noexcept : buckets_(capacity / 3 + 1) {}

  [[nodiscard, gnu::always_inline]] Hash hash_of(OrderId id) const noexcept {
    const std::uint64_t mix = mixed(id);
    return {(mix >> 32) * buckets_.size() >> 32, std::max<std::uint64_t>(mix >> 24 & 0xff, 1)};
  }
  [[nodiscard]] std::size_t after(std::size_t bucket) const noexcept {
    return bucket + 1 == buckets_.size() ? 0 : bucket + 1;
  }
  /// The first of some entries of a bucket.
  [[nodiscard]] static std::size_t place(std::uint64_t found) noexcept {
    return static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
  }

  ZeroedArray<Bucket> buckets_;
};

/// For ids that grow, with gaps, and of which most live shortly, such as reference numbers of a feed: pages of
/// `IdsPerPage` ids for those that came lately, and a table, `HashedIds`, for the few of them that live long.
///
/// An id whose range has no page gets one when its order comes to rest, if one is left and no other range has its
/// place in the directory of pages; else it goes to the table. The `OpenPages` pages that were taken last are
/// open. All others are closed, and so is the oldest open one when another is needed and none is left. A page goes
/// back when the last order in it has left, and a closed one as soon as no more than `Few` are in it: these move
/// to the table, and stay there. So an order moves once at most, and a page that old orders hold has more than
/// `Few` of them.
///
/// The table has an entry for each order that can rest, so there is room for every id, in whatever order they come
/// and however few the pages are. But an id that gets no page costs more than with `HashedIds` alone.
///
/// A call takes constant time on average. At worst, when a closed page goes back, it reads this page and moves
/// `Few` orders: for `PagedIds` some 10 microseconds, if nothing of it is in a cache. An id above all that have
/// ever been in the table is not looked for there. Once an id far above the others has been in it, each new id
/// costs that look, until the index is cleared.
template <std::size_t IdsPerPage, std::size_t Few, std::size_t OpenPages>
class BasicPagedIds {
 public:
  struct Config {
    /// The largest number of pages in use. More than `OpenPages` and one for each `Few + 1` orders of the capacity
    /// are of no use; a feed whose orders mostly live shortly needs far fewer.
    std::size_t page_count = 0;
  };

  static constexpr std::size_t ids_per_page = IdsPerPage;
  static constexpr bool forgets = true;

  /// Makes an empty index; all its memory is allocated and touched here: what `HashedIds` take for `capacity`
  /// orders, and 4 bytes for each id of a page, and up to 132 for each page.
  /// @param status InvalidIdRange (no pages, or 2^32 or more), InvalidCapacity (0, or more than any pool can
  /// have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<BasicPagedIds> create(const Config& config, std::size_t capacity,
                                                           CreateStatus& status) noexcept {
    if (config.page_count == 0 || config.page_count > std::numeric_limits<std::uint32_t>::max()) {
      status = CreateStatus::InvalidIdRange;
      return {};
    }
    std::optional<HashedIds> table = HashedIds::create({}, capacity, status);
    if (!table) return {};
    std::optional<BasicPagedIds> index{BasicPagedIds(config.page_count, std::move(*table))};
    const bool made = index->slots_.allocated() && index->next_free_.allocated() && index->directory_.allocated();
    status = made ? CreateStatus::Success : CreateStatus::OutOfMemory;
    if (made) {
      index->free_all();
    } else {
      index.reset();
    }
    return index;
  }

  /// Always: there is an entry for each order that can rest.
  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }

  template <std::predicate<SlotIndex> Matches>
  [[nodiscard]] SlotIndex find(OrderId id, const Matches& matches) const noexcept {
    const SlotIndex slot = slots_[entry(id)];
    if (slot != OrderPool::none) return matches(slot) ? slot : OrderPool::none;
    return may_be_in_table(id) ? table_.find(id, matches) : OrderPool::none;
  }

  void insert(OrderId id, SlotIndex slot) noexcept {
    if (!has_page(id) && !take_page(id)) [[unlikely]]
      return insert_in_table(id, slot);
    ++range(id).orders;
    slots_[entry(id)] = slot;
  }

  /// Forgets an order whose entry is there.
  void erase(OrderId id, SlotIndex slot) noexcept {
    SlotIndex& there = slots_[entry(id)];
    if (there == OrderPool::none) return table_.erase(id, slot);
    there = OrderPool::none;
    Range& home = range(id);
    --home.orders;
    if (home.orders <= home.few) [[unlikely]]
      give_back(home);
  }

  void clear() noexcept {
    table_.clear();
    newest_in_table_ = 0;
    directory_.clear();
    slots_.clear();
    open_count_ = 0;
    free_all();
  }

  [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
    if (has_page(id)) {
      __builtin_prefetch(&slots_[entry(id)], 1);
    } else {
      table_.fetch(id);
    }
  }
  [[nodiscard, gnu::always_inline]] SlotIndex hint(OrderId id) const noexcept {
    const SlotIndex slot = slots_[entry(id)];
    // One condition: whether a page has an order of this id is whether a request adds it, which nobody can
    // predict. Once the largest id has been in the table, it gets no hint.
    if (id < ((newest_in_table_ + 1) & -OrderId{slot == OrderPool::none})) [[unlikely]]
      return table_.hint(id);
    return slot;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.size_bytes() + next_free_.size_bytes() + directory_.size_bytes() + table_.memory_bytes();
  }

  /// Its state, part by part, for an image (see engine/image.hpp).
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.slots_, self.next_free_, self.directory_, self.table_);
    visit(self.newest_in_table_, self.open_, self.open_count_);
  }

 private:
  friend struct IdInspector;

  static constexpr std::uint32_t no_page = 0;
  static_assert(0 < Few && Few < IdsPerPage && IdsPerPage <= std::numeric_limits<std::uint16_t>::max() &&
                OpenPages > 0);

  /// So many ids from a multiple of `IdsPerPage` on, while they have a page.
  struct Range {
    std::uint64_t number;  ///< counted from 1; 0 in a free place
    std::uint32_t page;    ///< 1 and up
    std::uint16_t orders;  ///< in the page, and always more than `few`
    std::uint16_t few;     ///< `Few` if the page is closed; 0 while it is open

    [[nodiscard]] bool used() const noexcept { return number != 0; }
    [[nodiscard]] OrderId first_id() const noexcept { return (number - 1) * IdsPerPage; }
  };
  [[nodiscard]] static constexpr std::uint64_t number_of(OrderId id) noexcept { return id / IdsPerPage + 1; }

  BasicPagedIds(std::size_t page_count, HashedIds&& table) noexcept
      : slots_(page_count * IdsPerPage + 1),
        next_free_(page_count + 1),
        directory_(std::bit_ceil(4 * page_count)),
        table_(std::move(table)) {}

  /// Where the range of an id is in the directory, if it has a page. There is one place for it, so a look has no
  /// loop whose end nobody can predict. Ranges that follow each other, four times as many as there are pages, have
  /// different places.
  [[nodiscard]] std::size_t place(OrderId id) const noexcept { return number_of(id) & (directory_.size() - 1); }
  [[nodiscard]] Range& range(OrderId id) noexcept { return directory_[place(id)]; }
  [[nodiscard]] const Range& range(OrderId id) const noexcept { return directory_[place(id)]; }
  [[nodiscard]] bool has_page(OrderId id) const noexcept { return range(id).number == number_of(id); }

  /// Where the slot of `id` is, or would be. There is one entry more than pages have: ids without a page find the
  /// last, which is always 0. Without a branch: whether an id has a page is whether its order is old.
  [[nodiscard]] std::size_t entry(OrderId id) const noexcept {
    const std::size_t page = range(id).page & -std::size_t{has_page(id)};
    return std::min(page * IdsPerPage - IdsPerPage + id % IdsPerPage, slots_.size() - 1);
  }

  // ---- The life of a page.

  /// Takes a page for the range of `id`, if its place in the directory is free and a page is left after the oldest
  /// open one has been closed. Returns whether it has.
  [[gnu::noinline]] bool take_page(OrderId id) noexcept {
    Range& home = range(id);
    if (home.used()) return false;
    if (open_count_ == OpenPages || (open_count_ > 0 && next_free_[0] == no_page)) close_oldest();
    if (next_free_[0] == no_page) return false;
    home = {number_of(id), next_free_[0], 0, 0};
    next_free_[0] = next_free_[next_free_[0]];
    open_[open_count_] = home.first_id();
    ++open_count_;
    return true;
  }

  void close_oldest() noexcept {
    Range& oldest = range(open_[0]);
    take_off_open(oldest.first_id());
    oldest.few = Few;
    if (oldest.orders <= Few) give_back(oldest);
  }

  /// Gives the page of a range back, after the orders that are still in it have been moved.
  [[gnu::noinline]] void give_back(Range& range) noexcept {
    if (range.few == 0) take_off_open(range.first_id());
    move_all(range);
    next_free_[range.page] = next_free_[0];
    next_free_[0] = range.page;
    range = {};
  }

  /// Moves what is left in a page to the table. All its entries there are asked for before the first is needed.
  void move_all(Range& range) noexcept {
    SlotIndex* const slots = &slots_[entry(range.first_id())];
    std::array<std::uint16_t, Few> found;
    std::size_t count = 0;
    for (std::size_t i = 0; count < range.orders; ++i) {
      if (slots[i] == OrderPool::none) continue;
      found[count] = static_cast<std::uint16_t>(i);
      ++count;
      table_.fetch(range.first_id() + i);
    }
    for (const std::uint16_t i : std::span(found.data(), count)) {
      insert_in_table(range.first_id() + i, slots[i]);
      slots[i] = OrderPool::none;
    }
  }

  void take_off_open(OrderId first_id) noexcept {
    OrderId* const end = open_.data() + open_count_;
    std::copy(std::find(open_.data(), end, first_id) + 1, end, std::find(open_.data(), end, first_id));
    --open_count_;
  }

  void free_all() noexcept {
    const std::size_t last = next_free_.size() - 1;
    for (std::size_t page = 0; page < last; ++page) next_free_[page] = static_cast<std::uint32_t>(page + 1);
    if (last > 0) next_free_[last] = no_page;
  }

  // ---- The table.

  void insert_in_table(OrderId id, SlotIndex slot) noexcept {
    table_.insert(id, slot);
    newest_in_table_ = std::max(newest_in_table_, id);
  }
  /// If not, `id` is not there; nor is any that comes for the first time, as a rule.
  [[nodiscard]] bool may_be_in_table(OrderId id) const noexcept { return id <= newest_in_table_; }

  ZeroedArray<SlotIndex> slots_;          ///< page by page; 0 for an id that no order of its page has
  ZeroedArray<std::uint32_t> next_free_;  ///< by page, a list; its first is in place 0, and 0 ends it
  ZeroedArray<Range> directory_;          ///< by number modulo its size
  HashedIds table_;
  OrderId newest_in_table_ = 0;            ///< the largest id that has been in the table
  std::array<OrderId, OpenPages> open_{};  ///< the first ids of ranges whose pages are open, the oldest first
  std::size_t open_count_ = 0;
};

/// Pages of 16 KiB. A closed one with 128 orders takes as much an order as 12 entries of the table.
using PagedIds = BasicPagedIds<4'096, 128, 16>;

}  // namespace llmes::inline LLMES_NAMESPACE
