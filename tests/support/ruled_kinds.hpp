// SPDX-License-Identifier: MIT
//
// The kinds of books with rules that tests run over: each kind of side book, sets, and both by ids.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/any_ruled_book.hpp"

namespace llmes::test {

// One source for each way to share out a level, because they take long to compile.
std::vector<RuledKind> kinds_by_time();
std::vector<RuledKind> kinds_pro_rata();
std::vector<RuledKind> kinds_first_then_pro_rata();

inline std::vector<RuledKind> all_ruled_kinds() {
  std::vector<RuledKind> kinds = kinds_by_time();
  for (const auto more : {&kinds_pro_rata, &kinds_first_then_pro_rata}) {
    for (RuledKind& kind : more()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// One kind of book; `ids` configures its index, if it has one.
template <class Book, Allocation allocation, Quantity minimum_share, class... IdConfig>
RuledKind ruled_kind(const char* name, std::vector<Price> prices) {
  constexpr bool of_set = std::same_as<typename Book::Config, BookSetConfig>;
  return {name,
          allocation,
          minimum_share,
          of_set ? RuledBookOf<Book>::books_of_a_set : BookNumber{1},
          std::move(prices),
          [](std::size_t capacity) -> std::unique_ptr<AnyRuledBook> {
            typename Book::Config config{};
            config.capacity = capacity;
            if constexpr (of_set) config.max_books = RuledBookOf<Book>::books_of_a_set;
            if constexpr (requires { config.base_price; }) config.base_price = -32;
            std::optional<Book> book;
            if constexpr (sizeof...(IdConfig) > 0) {
              book = Book::create(config, IdConfig()()...);
            } else {
              book = Book::create(config);
            }
            if (!book) return nullptr;
            return std::make_unique<RuledBookOf<Book>>(*std::move(book));
          }};
}

struct DenseConfig {
  DenseIds::Config operator()() const { return {.first = 0, .count = 100'000}; }
};
template <class Index>
struct DefaultConfig {
  typename Index::Config operator()() const { return {}; }
};

/// Every kind of book with one allocation, and some of them by id: ids do not depend on how a level is shared out.
template <Allocation allocation, Quantity minimum_share>
std::vector<RuledKind> ruled_kinds(const std::string& suffix) {
  using Rules = VenueRules<allocation, minimum_share>;
  using Array = OrderBook<64, ArraySideBook, Rules>;
  using Wide = OrderBook<64, WideSideBook, Rules>;
  using Any = OrderBook<512, AnyPriceSideBook, Rules>;
  using Set = BasicBookSet<OrderPool, Rules>;
  using Placed = BasicBookSet<PlacedPool, Rules>;
  const std::vector<Price> near{-1, 0, 1, 2, 3};              // across a boundary between two words of the tree
  const std::vector<Price> spread{-1'024, 0, 300, 812, 813};  // some in a window, and some far from all others
  const std::vector<Price> narrow{-1'000, 0, 37, 75, 76};
  std::vector<RuledKind> kinds;
  const auto add = [&]<class Book, class... Ids>(const char* name, const std::vector<Price>& prices) {
    kinds.push_back(ruled_kind<Book, allocation, minimum_share, Ids...>(name, prices));
    kinds.back().name += suffix;
  };
  add.template operator()<Array>("Array", near);
  add.template operator()<Wide>("Wide", near);
  add.template operator()<Any>("AnyPrice", spread);
  add.template operator()<Set>("Set", narrow);
  add.template operator()<Placed>("PlacedSet", narrow);
  if constexpr (allocation == Allocation::PriceTime) {
    add.template operator()<IdBook<Array, DenseIds>, DenseConfig>("ArrayDenseIds", near);
    add.template operator()<IdBook<Any, HashedIds>, DefaultConfig<HashedIds>>("AnyPriceHashedIds", spread);
  }
  if constexpr (allocation != Allocation::FirstThenProRata) {
    add.template operator()<IdBook<Set, HashedIds>, DefaultConfig<HashedIds>>("SetHashedIds", narrow);
  }
  if constexpr (allocation != Allocation::ProRata) {
    add.template operator()<IdBook<Placed, PlacedIds>, DefaultConfig<PlacedIds>>("PlacedSetPlacedIds", narrow);
  }
  return kinds;
}

}  // namespace llmes::test
