// SPDX-License-Identifier: MIT
//
// The indexes as tests use them: each with its configuration and the ids that it is for. A test names orders by
// small numbers; `id` makes ids of them. Tests that are run for each kind show that no index is different.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/ids/id_book.hpp"
#include "tests/support/extremes.hpp"

namespace llmes::test {

struct FromZero {
  using Index = DenseIds;
  static constexpr DenseIds::Config config{.first = 0, .count = 100};
  static constexpr OrderId id(std::uint64_t number) { return number; }
};
struct UpToTheLargest {
  using Index = DenseIds;
  static constexpr DenseIds::Config config{.first = largest_id - 99, .count = 100};
  static constexpr OrderId id(std::uint64_t number) { return largest_id - number; }
};
/// 0, the largest, and multiples of 2^32.
struct AnyNumbers {
  using Index = HashedIds;
  static constexpr HashedIds::Config config{};
  static constexpr OrderId id(std::uint64_t number) { return number == 1 ? largest_id : number << 32; }
};

/// One of these with a book for any price, in the place of any other book.
template <class Kind>
struct ForAnyPrice : Kind {};

/// The book that a kind has in the place of `Book`.
template <class Kind, class Book>
struct BookOfKind {
  using Type = Book;
};
template <class Kind, class Book>
struct BookOfKind<ForAnyPrice<Kind>, Book> {
  using Type = AnyPriceBook<>;
};

template <class Kind, class Book>
using BookOf = IdBook<typename BookOfKind<Kind, Book>::Type, typename Kind::Index>;

template <class Kind, class Book>
BookOf<Kind, Book> id_book(const BookConfig& config) {
  CreateStatus status{};
  std::optional<BookOf<Kind, Book>> book = BookOf<Kind, Book>::create(config, Kind::config, status);
  return std::move(book).value();
}

}  // namespace llmes::test
