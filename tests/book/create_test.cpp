// SPDX-License-Identifier: MIT
//
// A configuration that is not valid makes no book.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>

#include "llmes/book.hpp"
#include "llmes/market_data.hpp"
#include "llmes/rules.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/print.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
constexpr Price highest_base = highest_price - 127;

TEST(Create, NoCapacityMakesNoBook) {
  EXPECT_FALSE(Book::create({.base_price = 0, .capacity = 0}).has_value());
  EXPECT_FALSE(Book::create({}).has_value());
}

TEST(Create, AbsurdCapacityMakesNoBook) {
  EXPECT_FALSE(Book::create({.base_price = 0, .capacity = Book::capacity_max + 1}).has_value());
  EXPECT_FALSE(Book::create({.base_price = 0, .capacity = std::size_t{1} << 32}).has_value());
  EXPECT_FALSE(Book::create({.base_price = 0, .capacity = std::numeric_limits<std::size_t>::max()}).has_value());
}

template <class Book>
class CreateOfBand : public ::testing::Test {};

using CreatedBooks = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<262144>,
                                      WideOrderBook<64>, WideOrderBook<262144>>;
TYPED_TEST_SUITE(CreateOfBand, CreatedBooks);

/// A slot's index has 32 bits, and anchors take some of them; the largest one is not used.
TYPED_TEST(CreateOfBand, HasAnEndToTheCapacity) {
  constexpr std::size_t most = TypeParam::capacity_max;
  static_assert(most == std::numeric_limits<std::uint32_t>::max() - 2 * TypeParam::price_levels);
  static_assert(TypeParam::memory_bytes(most) > std::size_t{100} << 30, "does not wrap");
  for (const std::size_t capacity : {most + 1, most + 2 * TypeParam::price_levels, std::size_t{1} << 32,
                                     (std::size_t{1} << 32) + 1, (std::size_t{1} << 59) + 1, std::size_t{1} << 63,
                                     std::numeric_limits<std::size_t>::max() - 2 * TypeParam::price_levels + 1,
                                     std::numeric_limits<std::size_t>::max()}) {
    EXPECT_FALSE(TypeParam::create({.base_price = 0, .capacity = capacity}).has_value()) << capacity;
  }
}

/// 32 bytes for each order, and for the anchor of each level of either side. A wide book has as many anchors as
/// orders, if that is less, and two to four chains of 4 bytes for each.
TYPED_TEST(CreateOfBand, SaysHowMuchMemoryItTakes) {
  constexpr std::size_t levels = TypeParam::price_levels;
  if constexpr (std::same_as<TypeParam, OrderBook<levels>>) {
    EXPECT_EQ(TypeParam::memory_bytes(7), sizeof(TypeParam) + 32 * (2 * levels + 7));
  } else {
    EXPECT_EQ(TypeParam::memory_bytes(7), sizeof(TypeParam) + 32 * (2 * 7 + 7) + 2 * 4 * 16);
    EXPECT_EQ(TypeParam::memory_bytes(levels + 1), sizeof(TypeParam) + 32 * (3 * levels + 1) + 2 * 4 * 2 * levels);
  }
}

TYPED_TEST(CreateOfBand, HasAnEndToTheBasePrice) {
  constexpr Price most = highest_price - static_cast<Price>(TypeParam::price_levels - 1);
  EXPECT_TRUE(TypeParam::create({.base_price = most, .capacity = 1}).has_value());
  for (const Price base_price : {most + 1, most + 2, std::numeric_limits<Price>::max()}) {
    EXPECT_FALSE(TypeParam::create({.base_price = base_price, .capacity = 1}).has_value()) << base_price;
  }
}

TEST(Create, ABandWithTheLargestPriceMakesNoBook) {
  EXPECT_FALSE(Book::create({.base_price = highest_base + 1, .capacity = 1}).has_value());
  EXPECT_FALSE(Book::create({.base_price = std::numeric_limits<Price>::max(), .capacity = 1}).has_value());
}

TEST(Create, ABandAtEitherEndOfTheTypeMakesABook) {
  EXPECT_EQ(Book::create({.base_price = highest_base, .capacity = 1})->price_max(), highest_price);
  EXPECT_EQ(Book::create({.base_price = std::numeric_limits<Price>::min(), .capacity = 1})->price_min(),
            std::numeric_limits<Price>::min());
}

TEST(Create, SaysWhyItMadeNone) {
  const auto status_of = [](const BookConfig& config) {
    CreateStatus status{};
    const bool made = Book::create(config, status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    EXPECT_EQ(Book::create(config).has_value(), status == CreateStatus::Success);
    return status;
  };
  EXPECT_EQ(status_of({.capacity = 1}), CreateStatus::Success);
  EXPECT_EQ(status_of({.capacity = 1, .quantity_max = 1}), CreateStatus::Success);
  EXPECT_EQ(status_of({.capacity = 0}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.capacity = Book::capacity_max + 1}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.base_price = highest_base + 1, .capacity = 1}), CreateStatus::InvalidBasePrice);
  EXPECT_EQ(status_of({.capacity = 1, .quantity_max = 0}), CreateStatus::InvalidQuantityMax);
  EXPECT_EQ(status_of({.base_price = highest_base + 1, .capacity = 0, .quantity_max = 0}),
            CreateStatus::InvalidCapacity)
      << "the first of several";
}

TEST(Create, ABandBeginsAtZeroUnlessToldOtherwise) {
  EXPECT_EQ(Book::create({.capacity = 1})->price_min(), 0);
}

TEST(Create, ABookStartsEmptyAndHasItsCapacity) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{1'000}}) {
    Book book = *Book::create({.base_price = -5, .capacity = capacity});
    EXPECT_EQ(book.capacity(), capacity);
    EXPECT_EQ(book.size(), 0u);
    for (std::size_t i = 0; i < capacity; ++i) {
      ASSERT_EQ(book.add_limit_order(i, Side::Buy, 0, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).status,
                Status::Success);
    }
    EXPECT_EQ(book.add_limit_order(9, Side::Buy, 0, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).status,
              Status::PoolFull);
    EXPECT_EQ(book.size(), capacity);
  }
}

/// One block; in a wide book one more for each side, and in a book for any price one for far levels and one for
/// the table of displaced ones.
TEST(Create, TooLittleMemoryForAnyOfItsBlocksMakesNoBook) {
  constexpr BookConfig config{.base_price = 0, .capacity = 5};
  expect_out_of_memory_at_each_of(1, [&](CreateStatus& status) { return Book::create(config, status); });
  expect_out_of_memory_at_each_of(3,
                                  [&](CreateStatus& status) { return WideOrderBook<>::create(config, status); });
  expect_out_of_memory_at_each_of(3, [&](CreateStatus& status) { return AnyPriceBook<>::create(config, status); });
}

/// The headers of the books, the places of their windows, the slots, and the far levels; and the tags of the slots
/// where the ids of orders say where they live.
TEST(Create, TooLittleMemoryForAnyOfItsBlocksMakesNoSet) {
  constexpr BookSetConfig config{.max_books = 3, .capacity = 5};
  expect_out_of_memory_at_each_of(5, [&](CreateStatus& status) { return BookSet::create(config, status); });
  expect_out_of_memory_at_each_of(6, [&](CreateStatus& status) { return PlacedBookSet::create(config, status); });
}

TEST(Create, ASetSaysWhyItMadeNone) {
  const auto status_of = [](const BookSetConfig& config) {
    CreateStatus status{};
    EXPECT_FALSE(PlacedBookSet::create(config, status));
    return status;
  };
  const std::size_t most = PlacedBookSet::capacity_max(3);
  EXPECT_EQ(status_of({.max_books = 0, .capacity = 1}), CreateStatus::InvalidBookCount);
  EXPECT_EQ(status_of({.max_books = 3, .capacity = 0}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.max_books = 3, .capacity = most + 1}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.max_books = 3, .capacity = 1, .quantity_max = 0}), CreateStatus::InvalidQuantityMax);
  // As many slots as an index can have.
  EXPECT_GT(PlacedBookSet::memory_bytes({.max_books = 3, .capacity = most}), std::size_t{32} << 31);
  EXPECT_LT(PlacedBookSet::memory_bytes({.max_books = 3, .capacity = most, .far_levels = 0}),
            std::size_t{32} << 32);
}

/// How far the streams of each book are; and with rules, the orders that a mass cancel takes off.
TEST(Create, TooLittleMemoryMakesNoPublisher) {
  struct Fills {
    void executed(const OrderExecuted&) {}
  };
  Book book = *Book::create({.capacity = 1});
  expect_out_of_memory_at_each_of(
      1, [&](CreateStatus& status) { return Publisher<Book&, Fills>::create(book, Fills{}, status); });
  BookSet set = *BookSet::create({.max_books = 3, .capacity = 1});
  expect_out_of_memory_at_each_of(
      1, [&](CreateStatus& status) { return Publisher<BookSet&, Fills>::create(set, Fills{}, status); });
  auto ruled = *RuledOrderBook<4096>::create({.capacity = 1});
  expect_out_of_memory_at_each_of(2, [&](CreateStatus& status) {
    return Publisher<RuledOrderBook<4096>&, Fills>::create(ruled, Fills{}, status);
  });
}

/// The references, what the books are named by and what was said of them; and, behind the books and the tags of a
/// feed, the symbols and where their other prices are.
TEST(Create, TooLittleMemoryMakesNothingThatStandsOnBooks) {
  const auto ignore = [](itch::MessageBytes) {};
  expect_out_of_memory_at_each_of(3, [&](CreateStatus& status) {
    return ItchSink<decltype(ignore)>::create({.books = 2, .capacity = 5}, ignore, status);
  });
  expect_out_of_memory_at_each_of(
      8, [](CreateStatus& status) { return FeedBook::create({.symbols = 2, .capacity = 5}, status); });
}

#if !LLMES_TEST_SANITIZED  // a sanitizer needs more address space than that itself

/// Not inlined: a compiler may leave out an allocation of which it sees all uses.
[[gnu::noinline]] std::optional<Book> create_of_capacity(std::size_t capacity, CreateStatus& status) {
  return Book::create({.base_price = 0, .capacity = capacity}, status);
}

/// The exit status of a process that asks for 32 GiB and for the most there can be where there are 2. Both are
/// asked for; one order more is not.
int with_too_little_memory() {
  const rlimit limit{std::uint64_t{2} << 30, std::uint64_t{2} << 30};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  static int refusals = 0;
  std::set_new_handler([] {
    ++refusals;
    throw std::bad_alloc();
  });
  CreateStatus status{};
  for (const std::size_t capacity : {std::size_t{1} << 30, Book::capacity_max}) {
    if (create_of_capacity(capacity, status).has_value()) return 1;
    if (status != CreateStatus::OutOfMemory) return 4;
  }
  if (create_of_capacity(Book::capacity_max + 1, status).has_value()) return 1;
  return refusals == 2 ? 0 : 3;
}

TEST(Create, TooLittleMemoryMakesNoBook) {
  EXPECT_EXIT(std::_Exit(with_too_little_memory()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace llmes::test
