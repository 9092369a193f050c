// SPDX-License-Identifier: MIT
//
// The private parts of a book by ids. Nothing else reads or writes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "llmes/id_book.hpp"
#include "tests/support/book_inspector.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct IdInspector {
  template <class Book>
  static auto& book(Book& by_id) {
    return by_id.book_;
  }
  /// By a hash of the id, where an order that came lately lives.
  template <class Book>
  static auto& recent(Book& by_id) {
    return by_id.recent_;
  }

  /// All that the index knows, array by array.
  template <class Book>
  static auto index_arrays(Book& by_id) {
    auto& index = by_id.index_;
    using Index = std::remove_cvref_t<decltype(index)>;
    if constexpr (std::is_base_of_v<DenseIds, Index>) {
      return std::array{bytes(index.slots_)};
    } else if constexpr (std::is_base_of_v<PagedIds, Index>) {
      return std::array{bytes(index.slots_), bytes(index.next_free_), bytes(index.directory_)};
    } else {
      return std::array{bytes(index.buckets_)};
    }
  }

  /// Between two that were made alike.
  template <class Book>
  static void copy(const Book& from, Book& to) {
    BookInspector::copy(from.book_, to.book_);
    to.recent_ = from.recent_;
    const auto arrays = index_arrays(from);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::ranges::copy(arrays[i], index_arrays(to)[i].begin());
    }
  }
  /// Whether the indexes of two that were made alike are the same to the last bit.
  template <class Book>
  static bool same_index(const Book& a, const Book& b) {
    const auto same = [](const auto& x, const auto& y) { return std::memcmp(x.data(), y.data(), x.size()) == 0; };
    return std::ranges::equal(index_arrays(a), index_arrays(b), same);
  }

 private:
  template <class Array>
  static auto bytes(Array& array) {
    const std::span all(&array[0], array.size_bytes() / sizeof(array[0]));
    if constexpr (std::is_const_v<Array>) {
      return std::as_bytes(all);
    } else {
      return std::as_writable_bytes(all);
    }
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
