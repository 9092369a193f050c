// SPDX-License-Identifier: MIT
//
// What report/guide/choosing_a_book.md says of the book for each instrument. Each row of its tables is built here,
// from the book itself and from a market that drifts by 30 %, and must stand there word for word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

#include "llmes/book.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

// ---- The report.

/// With a comma before each three digits.
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > (number < 0 ? 4U : 3U);) digits.insert(at -= 3, ",");
  return digits;
}

void expect_row(const std::string& row) {
  std::ifstream file(LLMES_GUIDE);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("\n" + row + "\n"), std::string::npos) << "the report has no such row:\n" << row;
}

// ---- The market.

/// An order that the market leaves behind.
struct Forgotten {
  Side side;
  Price price;
};

constexpr std::size_t adds_a_drift = 40'000;

/// Moves the band once the market is in its outer quarter: to around the market, or as far as its orders allow.
template <class Book>
void follow(Book& book, Price mid) {
  const Price width = book.price_max() - book.price_min() + 1;
  const Price from_edge = std::min(mid - book.price_min(), book.price_max() - mid);
  if (from_edge >= width / 4) return;
  Price base = mid - width / 2;
  if (base > book.price_min()) {
    for (const std::optional<Price> lowest : {book.worst(Side::Buy), book.best(Side::Sell)}) {
      base = std::min(base, lowest.value_or(base));
    }
  } else {
    for (const std::optional<Price> highest : {book.worst(Side::Sell), book.best(Side::Buy)}) {
      base = std::max(base, highest.value_or(base + width - 1) - (width - 1));
    }
  }
  if (base != book.price_min()) {
    EXPECT_EQ(book.recenter(base), Status::Success);
  }
}

/// Plays a market that moves from `first` by 30 %, up or down. Most orders come near it and are cancelled when
/// they are old; one is not. Returns how many adds the book rejected.
template <bool recenters, class Book>
std::size_t rejected_on_the_way(Book& book, Price first, int direction, std::optional<Forgotten> forgotten) {
  Random random(7);
  std::deque<OrderHandle> young;
  std::size_t rejected = 0;
  const auto add = [&](Side side, Price price) {
    const auto quantity = static_cast<Quantity>(1 + random.below(9));
    const Result result =
        book.add_limit_order(1, side, price, quantity, TimeInForce::GoodTillCancel, DiscardTrades{});
    rejected += result.status != Status::Success;
    EXPECT_TRUE(result.status == Status::Success || result.status == Status::PriceOutOfBand);
    return result.handle;
  };
  std::optional<OrderHandle> left_behind;
  if (forgotten) left_behind = add(forgotten->side, forgotten->price);
  const Price reach = std::max<Price>(2, first / 2'000);
  for (std::size_t i = forgotten ? 1 : 0; i < adds_a_drift; ++i) {
    const Price mid = first + direction * (first * 3 / 10 * static_cast<Price>(i) / Price{adds_a_drift});
    if constexpr (recenters) follow(book, mid);
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const auto away = static_cast<Price>(random.below(static_cast<std::uint64_t>(reach) + 1));
    young.push_back(add(side, side == Side::Buy ? mid - away : mid + away));
    if (young.size() <= 200) continue;
    static_cast<void>(book.cancel_order(young.front()));  // it may have traded, or have been rejected
    young.pop_front();
  }
  if (left_behind) {
    EXPECT_EQ(book.find(*left_behind)->price, forgotten->price);
  }
  return rejected;
}

/// Up, and then on a new book down.
template <bool recenters, class Make>
std::string rejected_both_ways(const Make& make, Price first, std::optional<Price> forgotten_away) {
  std::size_t rejected = 0;
  for (const int direction : {1, -1}) {
    std::optional<Forgotten> forgotten;
    if (forgotten_away) {
      forgotten = {direction > 0 ? Side::Buy : Side::Sell, first - direction * *forgotten_away};
    }
    auto book = make();
    rejected += rejected_on_the_way<recenters>(*book, first, direction, forgotten);
  }
  return rejected == 0 ? "none" : grouped(static_cast<std::int64_t>(rejected));
}

// ---- The rows.

/// The first and the last price, and no price beyond.
template <class Book>
void expect_band(Book& book) {
  EXPECT_EQ(book.add_resting_order(1, Side::Sell, book.price_max() + 1, 1).status, Status::PriceOutOfBand);
  for (const Price price : {book.price_min(), book.price_max()}) {
    const Result result =
        book.add_limit_order(1, Side::Buy, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{});
    EXPECT_EQ(result.status, Status::Success);
    EXPECT_EQ(book.cancel_order(result.handle), Status::Success);
    EXPECT_EQ(book.add_resting_order(1, Side::Sell, price, 1).status, Status::Success);
    EXPECT_EQ(book.clear(), 1U);
  }
}

std::string kib(std::size_t bytes) {
  return grouped(static_cast<std::int64_t>((bytes + 1023) / 1024));
}

/// A row of the first table. `first` is the price before the drift; the forgotten order rests at half of it, or at
/// one and a half times.
template <class Book>
void expect_choice(const std::string& instrument, Price first, const std::string& name, const BookConfig& config) {
  const auto make = [&] { return Book::create(config); };
  auto book = make();
  ASSERT_TRUE(book);
  expect_band(*book);
  const bool has_band = book->price_max() - first < Price{1} << 40;
  const std::string band =
      has_band ? grouped(book->price_min()) + " to " + grouped(book->price_max()) : std::string("any price");
  const std::string rejected = rejected_both_ways<false>(make, first, first / 2);
  expect_row("| " + instrument + " | " + grouped(first) + " | `" + name + "` | " + band + " | " +
             grouped(static_cast<std::int64_t>(book->capacity())) + " | " +
             kib(Book::memory_bytes(config.capacity)) + " | " + rejected + " |");
}

// From here on prices are hundredths, 64ths and quarters of a point.

TEST(ChoosingABook, ForAStock) {
  expect_choice<OrderBook<16'384>>("stock, 0.01 at 50.00", 50 * 100, "OrderBook<16384>",
                                   {.base_price = 0, .capacity = 10'000});
}

TEST(ChoosingABook, ForAnOptionInPennies) {
  expect_choice<OrderBook<512>>("option, 0.01 at 2.00", 2 * 100, "OrderBook<512>",
                                {.base_price = 0, .capacity = 1'000});
}

TEST(ChoosingABook, ForATreasuryFutureIn64ths) {
  expect_choice<OrderBook<16'384>>("Treasury future, 1/64 at 110 32/64", 110 * 64 + 32, "OrderBook<16384>",
                                   {.base_price = 0, .capacity = 10'000});
}

TEST(ChoosingABook, ForAnIndexFuture) {
  expect_choice<OrderBook<32'768>>("ES, 0.25 at 5,000", 5'000 * 4, "OrderBook<32768>",
                                   {.base_price = 0, .capacity = 10'000});
}

TEST(ChoosingABook, ForBitcoin) {
  expect_choice<AnyPriceBook<>>("BTC, 0.01 at 100,000", 100'000 * 100, "AnyPriceBook<>", {.capacity = 500'000});
}

// ---- The second table: a band that is too narrow follows the market until an order stays behind.

template <class Book>
void expect_narrow(const std::string& instrument, Price first, const std::string& name) {
  const BookConfig config{.base_price = first - Price{Book::price_levels} / 2, .capacity = 1'000};
  const auto make = [&] { return Book::create(config); };
  expect_row("| " + instrument + " | `" + name + "` | " + grouped(config.base_price) + " | " +
             rejected_both_ways<false>(make, first, {}) + " | " + rejected_both_ways<true>(make, first, {}) +
             " | " + rejected_both_ways<true>(make, first, first / 100) + " |");
}

TEST(TooNarrowABand, ForAStock) {
  expect_narrow<OrderBook<1'024>>("stock, 0.01 at 50.00", 50 * 100, "OrderBook<1024>");
}

TEST(TooNarrowABand, ForBitcoin) {
  expect_narrow<OrderBook<262'144>>("BTC, 0.01 at 100,000", 100'000 * 100, "OrderBook<262144>");
}

// ---- How prices become ticks.

TEST(PricesAsTicks, AreExactFromADoubleOnlyInFractionsOfTwo) {
  for (const int parts : {4, 64, 256}) {
    for (int i = 0; i < 200 * parts; ++i) {
      const double price = static_cast<double>(i) / parts;
      ASSERT_EQ(static_cast<Price>(price * parts), i);
    }
  }
  EXPECT_EQ(static_cast<Price>(0.29 * 100), 28) << "the nearest double is below 0.29";
  static_assert(!std::is_convertible_v<double, PriceArgument>);
}

}  // namespace
}  // namespace llmes::test
