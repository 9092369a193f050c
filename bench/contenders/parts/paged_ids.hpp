// SPDX-License-Identifier: MIT
//
// An index for ids that grow, as the markets of the lab use it: pages, and a hash table behind them.
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
#include <utility>

#include "llmes/book.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/ids/hashed_ids.hpp"

namespace llmes::bench {

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
/// costs that look.
template <std::size_t IdsPerPage, std::size_t Few, std::size_t OpenPages>
class BasicPagedIds {
 public:
  struct Config {
    /// The largest number of pages in use. More than `OpenPages` and one for each `Few + 1` orders of the capacity
    /// are of no use; a feed whose orders mostly live shortly needs far fewer.
    std::size_t page_count = 0;
  };

  static constexpr std::size_t ids_per_page = IdsPerPage;

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

 private:
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

/// Pages of 16 KiB. A closed one with 128 orders takes as much an order as 8 entries of the table.
using PagedIds = BasicPagedIds<4'096, 128, 16>;

}  // namespace llmes::bench
