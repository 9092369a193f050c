// SPDX-License-Identifier: MIT
//
// The private parts of a book, in terms that survive a change of its layout. Nothing else reads or writes them.
// `Book` is an `OrderBook` of any band; a const book has const parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "llmes/order_book.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct BookInspector {
  // ---- Slots: anchors of levels first, then those that orders can live in.

  static constexpr SlotIndex no_slot = OrderPool::none;

  template <class Book>
  static SlotIndex slot_count(const Book& book) {
    return static_cast<SlotIndex>(book.pool_.slot_count());
  }
  template <class Book>
  static constexpr SlotIndex first_order_slot(const Book&) {
    return Book::anchor_count;
  }
  template <class Book>
  static SlotIndex anchor(const Book&, Side side, std::size_t rank) {
    return Book::SideBook::anchor(side, rank);
  }
  template <class Book>
  static Price price_of(const Book& book, Side side, std::size_t rank) {
    return book.price_of(side, rank);
  }

  template <class Book>
  static auto& id(Book& book, SlotIndex order) {
    return book.pool_[order].id;
  }
  /// An order's open lots, or a level's total.
  template <class Book>
  static auto& quantity(Book& book, SlotIndex slot) {
    return book.pool_[slot].quantity;
  }
  template <class Book>
  static auto& previous(Book& book, SlotIndex slot) {
    return book.pool_[slot].previous;
  }
  /// Of a free slot, the next free one.
  template <class Book>
  static auto& next(Book& book, SlotIndex slot) {
    return book.pool_[slot].next;
  }
  template <class Book>
  static auto& generation(Book& book, SlotIndex slot) {
    return book.pool_[slot].generation;
  }
  /// The anchor of the level on which an order rests.
  template <class Book>
  static auto& level_of(Book& book, SlotIndex order) {
    return book.pool_[order].level;
  }
  template <class Book>
  static auto& order_count(Book& book, SlotIndex anchor) {
    return book.pool_[anchor].level;
  }

  template <class Book>
  static auto& first_free(Book& book) {
    return book.pool_.free_;
  }
  template <class Book>
  static auto& live_count(Book& book) {
    return book.pool_.live_count_;
  }

  // ---- The tree of a side: its words from the leaves up to the root, stoppers included.

  template <class Book>
  static auto tree(Book& book, Side side) {
    auto& tree = book.side_book(side).occupied_;
    constexpr int height = std::remove_reference_t<decltype(tree)>::height;
    if constexpr (height == 1) {
      return std::array{std::span(tree.leaves_.data(), 1)};
    } else if constexpr (height == 2) {
      return std::array{std::span(tree.leaves_.data(), tree.leaves_.size()), std::span(&tree.root_, 1)};
    } else {
      return std::array{std::span(tree.leaves_.data(), tree.leaves_.size()),
                        std::span(tree.middles_.data(), tree.middles_.size()), std::span(&tree.root_, 1)};
    }
  }

  // ---- Changes that no call makes.

  /// Puts an order on a level without matching.
  template <class Book>
  static OrderHandle rest(Book& book, Side side, Price price, Quantity quantity) {
    return book.rest(0, side, Book::SideBook::rank(side, book.offset_of(price)), quantity);
  }

  // ---- Whole books of the same band, base price and capacity.

  template <class Book>
  static void copy(const Book& from, Book& to) {
    to.sides_ = from.sides_;
    std::copy_n(from.pool_.slots_.get(), from.pool_.slot_count_, to.pool_.slots_.get());
    to.pool_.free_ = from.pool_.free_;
    to.pool_.live_count_ = from.pool_.live_count_;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
