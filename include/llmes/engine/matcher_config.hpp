// SPDX-License-Identifier: MIT
//
// What a matcher is made for, and how the files of its engine call that.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/ids/dense_ids.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_lookup.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The config of the index: `Index::Config`, or nothing where handles name orders.
template <class Book>
struct MatcherIds {
  struct Config {};
};
template <class Set, class Index>
struct MatcherIds<IdBook<Set, Index>> {
  using Config = typename Index::Config;
};

/// What a matcher is made for.
template <class Book>
struct MatcherConfig {
  std::size_t books = 0;     ///< 1 to `BookSet::books_max`, all there from the start
  std::size_t capacity = 0;  ///< this and the next two: see `BookSetConfig`
  std::size_t far_levels = BookSetConfig{}.far_levels;
  Quantity quantity_max = BookSetConfig{}.quantity_max;
  [[no_unique_address]] typename MatcherIds<Book>::Config ids{};

  /// The config of the set.
  [[nodiscard]] constexpr BookSetConfig set() const noexcept {
    return {.max_books = books, .capacity = capacity, .far_levels = far_levels, .quantity_max = quantity_max};
  }
};

/// The name of such books in a journal, for all that determines handles: pool and index. Others have no journal.
template <class Book>
inline constexpr std::string_view kind_of_books{};
template <>
inline constexpr std::string_view kind_of_books<BookSet> = "books, by handle";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, DenseIds>> = "books, by dense id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, HashedIds>> = "books, by hashed id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<PlacedBookSet, PlacedIds>> = "books, by placed id";

/// The parameters that the files of these books hold.
template <class Book>
[[nodiscard]] constexpr JournalParameters parameters_of(const MatcherConfig<Book>& config) noexcept {
  static_assert(!kind_of_books<Book>.empty(), "such a set with such an index can have no journal");
  JournalParameters parameters(kind_of_books<Book>);
  (void)parameters.add("books", config.books);
  (void)parameters.add("capacity", config.capacity);
  (void)parameters.add("far levels", config.far_levels);
  (void)parameters.add("largest quantity", config.quantity_max);
  if constexpr (std::is_same_v<decltype(config.ids), DenseIds::Config>) {
    (void)parameters.add("first id", config.ids.first);
    (void)parameters.add("ids", config.ids.count);
  }
  return parameters;
}

}  // namespace llmes::inline LLMES_NAMESPACE
