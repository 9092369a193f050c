// SPDX-License-Identifier: MIT
//
// The private parts of a book by ids. Nothing else reads or writes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "llmes/ids/id_book.hpp"
#include "tests/support/book_inspector.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct IdInspector {
  template <class Book>
  static auto& book(Book& by_id) {
    return by_id.book_;
  }
  template <class Book>
  static auto& index(Book& by_id) {
    return by_id.index_;
  }
  /// Where the order lives that came last.
  template <class Book>
  static auto& latest(Book& by_id) {
    return by_id.latest_;
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
    } else {
      return std::array{bytes(index.buckets_)};
    }
  }

  /// Between two that were made alike.
  template <class Book>
  static void copy(const Book& from, Book& to) {
    BookInspector::copy(book(from), book(to));
    latest(to) = latest(from);
    const auto arrays = index_arrays(from);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::ranges::copy(arrays[i], index_arrays(to)[i].begin());
    }
    if constexpr (requires { index(to).choose_current(); }) {
      const HashedIds::State& state = index(from).state_;
      index(to).state_ = HashedIds::State{state};
      index(to).choose_current();
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

  /// Which of its tables a `HashedIds` uses.
  template <class Book>
  static HashedIds::State& tables(Book& by_id) {
    return index(by_id).state_;
  }
  static std::size_t entry_count(const HashedIds& index) {
    const auto& buckets = index.buckets_;
    std::size_t orders = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (index.is_always_full(i)) continue;
      for (std::size_t entry = 0; entry < 6; ++entry) orders += buckets[i].tags.has(entry, 0) ? 0 : 1;
    }
    return orders;
  }

 private:
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
