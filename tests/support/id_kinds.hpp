// SPDX-License-Identifier: MIT
//
// The indexes as tests use them: each with its configuration and the ids that it is for. A test names orders by
// small numbers; `id` makes ids of them. Tests that are run for each kind show that no index is different, and no
// book whose width is chosen when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/book/dynamic_book.hpp"
#include "llmes/ids/id_book.hpp"
#include "tests/support/config_of.hpp"
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

/// A book whose width is chosen when it is made, of few books: each test has the code of all of them. The tests of
/// `DynamicBook` have more.
using FewWidths = DynamicBook<OrderBook<128>, WideOrderBook<262'144>, AnyPriceBook<>>;

/// One of these with a book of `PriceLevels` prices that is chosen at run time, in the place of any other book.
template <class Kind, std::size_t PriceLevels>
struct OfWidth : Kind {};

/// The book that a kind has in the place of `Book`, and how many prices it is asked for.
template <class Kind, class Book>
struct BookOfKind {
  using Type = Book;
  static constexpr std::size_t price_levels = Book::price_levels;
};
template <class Kind, std::size_t PriceLevels, class Book>
struct BookOfKind<OfWidth<Kind, PriceLevels>, Book> {
  using Type = FewWidths;
  static constexpr std::size_t price_levels = PriceLevels;
};

template <class Kind, class Book>
using BookOf = IdBook<typename BookOfKind<Kind, Book>::Type, typename Kind::Index>;

template <class Kind, class Book>
BookOf<Kind, Book> id_book(const BookConfig& config) {
  using Chosen = BookOfKind<Kind, Book>;
  CreateStatus status{};
  std::optional<BookOf<Kind, Book>> book = BookOf<Kind, Book>::create(
      config_of<typename Chosen::Type>(config, Chosen::price_levels), Kind::config, status);
  return std::move(book).value();
}

}  // namespace llmes::test
