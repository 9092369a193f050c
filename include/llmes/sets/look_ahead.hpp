// SPDX-License-Identifier: MIT
//
// Prefetches what a block of requests to a set will touch (see book_set.hpp). These are hints, so the requests may
// hold any numbers, and nothing changes. It goes in stages: each reads what the one before has prefetched.
//
// A branch on the type of a request mispredicts, so requests are first sorted by what they do, without one. A
// request that adds an order at a far price goes down a cold tree, and costs many times as much as others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "llmes/book/order_pool.hpp"
#include "llmes/sets/pool_view.hpp"
#include "llmes/sets/set_side_book.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Some of the requests of a block, in order.
template <std::size_t Block>
class RequestList {
 public:
  /// Appends a request or not. `times` is a number, 1 or 0, since of a condition compilers make a branch.
  [[gnu::always_inline]] void add(std::size_t request, std::size_t times) noexcept {
    requests_[count_] = static_cast<std::uint8_t>(request);
    count_ += times;
  }
  [[nodiscard]] std::span<const std::uint8_t> all() const noexcept { return {requests_.data(), count_}; }

 private:
  std::array<std::uint8_t, Block> requests_;
  std::size_t count_ = 0;
};

/// A set, as a look ahead sees it. `Header` has the sides of a book, and `Levels` is the pool of all books.
template <class Header, class Levels>
class LookAhead {
  using BookPool = BasicPoolView<Levels>;
  using SideBook = SetSide<BookPool>;

 public:
  /// The most requests of a block.
  static constexpr std::size_t block = 64;

  /// `held` are the anchors of the levels that sides hold outside of their windows.
  LookAhead(const Header* headers, BookNumber book_count, const SlotIndex* held, const Levels& pool) noexcept
      : headers_(headers), held_(held), pool_(pool), book_count_(book_count) {}

  /// Looks at requests `at(0)` to `at(size - 1)`, and notes in `slots` where each order that they name may live.
  /// `names` knows where: `fetch_entry(request)` starts to load what says where the order of a request is,
  /// `fetch_new_entry(request)` the same for the order that replaces it, and `hint(request)` reads what it says.
  [[gnu::always_inline]] void fetch(std::size_t size, const auto& at, const auto& names,
                                    std::array<SlotIndex, block>& slots) const noexcept {
    RequestList<block> adding, naming, moving;
    for (std::size_t i = 0; i < size; ++i) {
      const auto& later = at(i);
      names.fetch_entry(later);
      fetch_book(later.book);
      const std::size_t is_new{adds(later.type)};
      adding.add(i, is_new);
      naming.add(i, 1 - is_new);
      moving.add(i, std::size_t{moves(later.type)});
    }
    for (const std::size_t i : moving.all()) names.fetch_new_entry(at(i));
    for (const std::size_t i : moving.all()) fetch_anchors(at(i));
    for (const std::size_t i : adding.all()) fetch_new(at(i));
    for (const std::size_t i : naming.all()) pool_.prefetch_early(slots[i] = names.hint(at(i)));
    for (const std::size_t i : adding.all()) fetch_level(at(i), at(i).side);
    for (const std::size_t i : naming.all()) fetch_linked(slots[i]);
    for (const std::size_t i : moving.all()) fetch_level(at(i), pool_[pool_.any_slot(slots[i]).level].side());
  }

  [[gnu::always_inline]] void fetch_book(BookNumber book) const noexcept {
    __builtin_prefetch(headers_ + any_book(book), 1);
  }

 private:
  /// Fetches where a new order comes to: the anchor, and in a set that finds ids the slot.
  [[gnu::always_inline]] void fetch_new(const auto& later) const noexcept {
    pool_.prefetch_early(likely_anchor(later, later.side));
    if constexpr (requires { pool_.prefetch_free(later.id); }) pool_.prefetch_free(later.id);
  }
  /// The same for an order that moves, of either side.
  [[gnu::always_inline]] void fetch_anchors(const auto& later) const noexcept {
    for (const Side side : {Side::Buy, Side::Sell}) pool_.prefetch_early(likely_anchor(later, side));
  }
  /// Then what the anchor leads to: the youngest order, or a level that lies far off.
  [[gnu::always_inline]] void fetch_level(const auto& later, Side side) const noexcept {
    const BookNumber book = any_book(later.book);
    headers_[book].sides[static_cast<std::size_t>(any_side(side))].prefetch_if_outside(
        pool_.far(), held_[2 * book], rank(later, side));
    pool_.prefetch_early(pool_.any_slot(likely_anchor(later, side)).youngest());
  }
  /// What an order leads to.
  [[gnu::always_inline]] void fetch_linked(SlotIndex slot) const noexcept {
    const OrderSlot& order = pool_.any_slot(slot);
    pool_.prefetch_early(order.previous);
    pool_.prefetch_early(order.next);
    pool_.prefetch_early(order.level);
  }

  /// The book of that number, or the first one; and that side, or some side if it is none.
  [[nodiscard]] BookNumber any_book(BookNumber book) const noexcept { return book < book_count_ ? book : 0; }
  [[nodiscard]] static Side any_side(Side side) noexcept {
    return static_cast<Side>(static_cast<std::size_t>(side) % 2);
  }
  [[nodiscard]] static std::size_t rank(const auto& later, Side side) noexcept {
    return SideBook::rank_at(any_side(side), later.price);
  }
  /// The anchor of the level of a price, as a rule.
  [[nodiscard]] SlotIndex likely_anchor(const auto& later, Side side) const noexcept {
    return BookPool::first_anchor(any_book(later.book), any_side(side), rank(later, side));
  }

  const Header* headers_;
  const SlotIndex* held_;
  const Levels& pool_;
  BookNumber book_count_;
};

/// Commands name orders by their handles.
template <class Levels>
struct NamesOfCommands {
  const Levels& pool;

  [[gnu::always_inline]] void fetch_entry([[maybe_unused]] const auto& later) const noexcept {
    if constexpr (requires { pool.prefetch_tags(later.id); }) pool.prefetch_tags(later.id);
  }
  void fetch_new_entry(const auto& /*later*/) const noexcept {}  // a command has one id
  [[nodiscard]] SlotIndex hint(const auto& later) const noexcept { return later.handle.index; }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
