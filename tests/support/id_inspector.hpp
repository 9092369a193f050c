// SPDX-License-Identifier: MIT
//
// The private parts of a book by ids. Nothing else reads or writes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/book_inspector.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct IdInspector {
  template <class Book>
  static auto& book(Book& by_id) {
    return settled(by_id).book_;
  }
  template <class Book>
  static auto& index(Book& by_id) {
    return settled(by_id).index_;
  }
  /// By a hash of the id, where an order that came lately lives.
  template <class Book>
  static auto& recent(Book& by_id) {
    return settled(by_id).recent_;
  }
  /// Whether spans ask these.
  template <class Book>
  static bool recent_pay(Book& by_id) {
    return settled(by_id).recent_mask_ != 0;
  }
  /// Whether a book that puts work off has an order that waits, and how many filled makers it has to forget.
  template <class Book>
  static bool waits(const Book& by_id) {
    return by_id.waiting_.quantity != 0;
  }
  template <class Book>
  static std::size_t filled_count(const Book& by_id) {
    return by_id.filled_count_;
  }

  /// The makers that such a book is about to fetch.
  template <class Book>
  static auto next_makers(const Book& by_id) {
    return by_id.next_makers_;
  }

  /// All that the index knows, array by array.
  template <class Book>
  static auto index_arrays(Book& by_id) {
    auto& index = IdInspector::index(by_id);
    using Index = std::remove_cvref_t<decltype(index)>;
    if constexpr (std::is_same_v<Index, PlacedIds>) {
      return std::array<std::span<const std::byte>, 0>{};
    } else if constexpr (std::is_base_of_v<DenseIds, Index>) {
      return std::array{bytes(index.slots_)};
    } else if constexpr (std::is_base_of_v<HashedIds, Index>) {
      return std::array{bytes(index.buckets_)};
    } else {
      return std::array{bytes(index.slots_),
                        bytes(index.next_free_),
                        bytes(index.directory_),
                        bytes(index.table_.buckets_),
                        bytes_of(std::span(&index.newest_in_table_, 1)),
                        bytes_of(std::span(index.open_)),
                        bytes_of(std::span(&index.open_count_, 1))};
    }
  }

  /// Between two that were made alike.
  template <class Book>
  static void copy(const Book& from, Book& to) {
    BookInspector::copy(book(from), book(to));
    recent(to) = recent(from);
    if constexpr (requires { to.best_; }) to.best_ = from.best_;
    const auto arrays = index_arrays(from);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::ranges::copy(arrays[i], index_arrays(to)[i].begin());
    }
  }
  /// Writes the same to all entries of a `HashedIds` that are free, so that two that are the same in all else are
  /// the same to the last bit.
  template <class Book>
  static void overwrite_free_entries(Book& by_id) {
    auto& index = IdInspector::index(by_id);
    if constexpr (std::is_base_of_v<HashedIds, std::remove_cvref_t<decltype(index)>>) {
      auto& buckets = index.buckets_;
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        for (std::size_t entry = 0; entry < 6; ++entry) {
          if (buckets[i].tags.has(entry, 0)) buckets[i].slots[entry] = ~SlotIndex{0};
        }
      }
    }
  }
  /// Whether the indexes of two that were made alike are the same to the last bit.
  template <class Book>
  static bool same_index(const Book& a, const Book& b) {
    const auto same = [](const auto& x, const auto& y) { return std::memcmp(x.data(), y.data(), x.size()) == 0; };
    return std::ranges::equal(index_arrays(a), index_arrays(b), same);
  }

  /// How many pages of a `BasicPagedIds` are taken.
  template <class Index>
  static std::size_t pages_in_use(const Index& index) {
    std::size_t free = 0;
    for (std::uint32_t page = index.next_free_[0]; page != 0; page = index.next_free_[page]) ++free;
    return index.next_free_.size() - 1 - free;
  }
  /// How many of them are open.
  template <class Index>
  static std::size_t open_pages(const Index& index) {
    return index.open_count_;
  }
  template <class Index>
  static bool is_in_page(const Index& index, OrderId id) {
    return index.slots_[index.entry(id)] != 0;
  }
  /// How many orders are in its table.
  template <class Index>
  static std::size_t orders_in_table(const Index& index) {
    return entry_count(index.table_);
  }
  static std::size_t entry_count(const HashedIds& index) {
    const auto& buckets = index.buckets_;
    std::size_t orders = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      for (std::size_t entry = 0; entry < 6; ++entry) orders += buckets[i].tags.has(entry, 0) ? 0 : 1;
    }
    return orders;
  }

  /// Which of its invariants a `BasicPagedIds` breaks, in words; nothing if it breaks none.
  template <class Index>
  static std::string broken_invariant(const Index& index) {
    const auto& directory = index.directory_;
    std::vector<OrderId> open;
    std::set<std::uint32_t> pages;
    std::size_t orders = 0;
    for (std::size_t place = 0; place < directory.size_bytes() / sizeof(directory[0]); ++place) {
      const auto& range = directory[place];
      if (!range.used()) continue;
      if (!pages.insert(range.page).second) return "a page of two ranges";
      const auto first = std::size_t{range.page - 1} * Index::ids_per_page;
      std::size_t there = 0;
      for (std::size_t i = 0; i < Index::ids_per_page; ++i) there += index.slots_[first + i] == 0 ? 0 : 1;
      if (range.orders != there) return "a page with other orders than it counts";
      if (range.orders <= range.few) return "a page that should have been given back";
      if (&index.range(range.first_id()) != &range) return "a range in the place of another";
      if (range.few == 0) open.push_back(range.first_id());
      orders += there;
    }
    if (pages.size() != pages_in_use(index)) return "a page that is neither free nor in use";
    std::vector<OrderId> listed(index.open_.begin(),
                                index.open_.begin() + static_cast<std::ptrdiff_t>(index.open_count_));
    std::sort(open.begin(), open.end());
    std::sort(listed.begin(), listed.end());
    if (open != listed) return "other open pages than it lists";
    for (std::size_t i = 0; i < index.slots_.size(); ++i) orders -= index.slots_[i] == 0 ? 0 : 1;
    if (orders != 0) return "an entry in a page that is free";
    return {};
  }

 private:
  /// The book itself, or the one that puts work off for it, with nothing put off.
  template <class Book>
  static auto& settled(Book& by_id) {
    if constexpr (requires { by_id.settle(); }) {
      return by_id.settle();
    } else {
      return by_id;
    }
  }

  template <class Array>
  static auto bytes(Array& array) {
    return bytes_of(std::span(&array[0], array.size_bytes() / sizeof(array[0])));
  }
  template <class T, std::size_t extent>
  static auto bytes_of(std::span<T, extent> all) {
    if constexpr (std::is_const_v<T>) {
      return std::span<const std::byte>(std::as_bytes(all));
    } else {
      return std::span<std::byte>(std::as_writable_bytes(all));
    }
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
