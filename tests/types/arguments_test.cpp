// SPDX-License-Identifier: MIT
//
// A floating-point number, a bool, a character or an enumerator as an id, price or quantity does not compile.
// Every integer does, and one that the book's own type cannot hold is rejected.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
enum Unscoped { three = 3 };
enum class Scoped { three = 3 };

/// For each call that takes an id, a price or a quantity: whether it takes a T.
// clang-format off
template <class T>
constexpr bool takes[] = {
    requires(T value) { Command::reduce({}, value); },
    requires(Book& book, T value, DiscardTrades sink) { book.add_limit_order(value, Side::Buy, 1, 1, {}, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.add_market_order(value, Side::Buy, 1, sink); },
    requires(T value) { Command::add_limit(value, Side::Buy, 1, 1, {}); },
    requires(T value) { Command::add_market(value, Side::Buy, 1); },
    requires(Book& book, T value, DiscardTrades sink) { book.add_limit_order(1, Side::Buy, value, 1, {}, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.modify_order({}, value, 1, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.modify_order({}, value, 1, {}, sink); },
    requires(Book& book, T value) { book.level(Side::Buy, value); },
    requires(Book& book, T value) { book.recenter(value); },
    requires(T value) { Command::add_limit(1, Side::Buy, value, 1, {}); },
    requires(T value) { Command::modify({}, value, 1); },
    requires(Book& book, T value, DiscardTrades sink) { book.add_limit_order(1, Side::Buy, 1, value, {}, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.add_market_order(1, Side::Buy, value, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.modify_order({}, 1, value, sink); },
    requires(Book& book, T value, DiscardTrades sink) { book.modify_order({}, 1, value, {}, sink); },
    requires(Book& book, T value) { book.reduce_order({}, value); },
    requires(T value) { Command::add_limit(1, Side::Buy, 1, value, {}); },
    requires(T value) { Command::add_market(1, Side::Buy, value); },
    requires(T value) { Command::modify({}, 1, value); },
};
// clang-format on

template <class... T>
constexpr bool are_taken = (std::ranges::all_of(takes<T>, std::identity{}) && ...);
template <class... T>
constexpr bool are_refused = (std::ranges::none_of(takes<T>, std::identity{}) && ...);

static_assert(are_taken<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                        long long, unsigned long long, const int, std::int64_t&, const std::uint64_t&>);
static_assert(are_refused<float, double, long double, bool, char, wchar_t, char8_t, char16_t, char32_t, Unscoped,
                          Scoped, Side, OrderHandle, void*, std::nullptr_t>);

class Arguments : public SideTest {
 protected:
  template <class Q>
  Status add_lots(Q quantity) {
    return book.add_limit_order(1, makers(), at(0), quantity, TimeInForce::GoodTillCancel, DiscardTrades{}).status;
  }
  template <class P>
  Status add_at(P price) {
    return book.add_limit_order(1, makers(), price, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).status;
  }
};
LLMES_TEST_BOTH_SIDES(Arguments);

TEST_P(Arguments, ANegativeQuantityIsInvalid) {
  const OrderHandle order = rest(1, 0, 5);
  for (const int quantity : {-1, -5, std::numeric_limits<int>::min()}) {
    EXPECT_EQ(add_lots(quantity), Status::InvalidQuantity);
    EXPECT_EQ(book.add_market_order(1, takers(), quantity, DiscardTrades{}).status, Status::InvalidQuantity);
    EXPECT_EQ(book.modify_order(order, at(0), quantity, DiscardTrades{}).status, Status::InvalidQuantity);
    EXPECT_EQ(book.reduce_order(order, quantity), Status::InvalidQuantity);
    EXPECT_EQ(Command::reduce(order, quantity).quantity, 0u);
  }
  EXPECT_EQ(add_lots(std::int8_t{-1}), Status::InvalidQuantity);
  EXPECT_EQ(add_lots(std::numeric_limits<std::int64_t>::min()), Status::InvalidQuantity);
  EXPECT_EQ(level(makers(), 0).quantity, 5u);
}

TEST_P(Arguments, AnUnsignedPriceThatIsTooLargeIsInNoBand) {
  constexpr std::uint64_t too_large = std::uint64_t{1} << 63;
  const auto highest_base = std::numeric_limits<Price>::max() - static_cast<Price>(Book::price_levels);
  ASSERT_EQ(book.recenter(highest_base), Status::Success);
  EXPECT_EQ(add_at(too_large - 2), Status::Success) << "the highest price of the band";
  for (const std::uint64_t price : {too_large - 1, too_large, too_large + 5, ~std::uint64_t{0}}) {
    EXPECT_EQ(add_at(price), Status::PriceOutOfBand);
    EXPECT_EQ(book.level(makers(), price).order_count, 0u);
    EXPECT_EQ(book.recenter(price), Status::PriceOutOfBand);
  }
}

TEST_P(Arguments, AnIdIsTakenModulo) {
  const OrderHandle order =
      book.add_limit_order(-1, makers(), at(0), 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
  EXPECT_EQ(book.find(order)->id, ~OrderId{0});
}

TEST_P(Arguments, IntegersOfEverySizeMeanTheSame) {
  for (const Status status : {add_lots(std::int8_t{7}), add_lots(std::uint8_t{7}), add_lots(short{7}), add_lots(7),
                              add_lots(7u), add_lots(7L), add_lots(7UL), add_lots(7LL), add_lots(7ULL)}) {
    EXPECT_EQ(status, Status::Success);
  }
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 63, 9}));
}

}  // namespace
}  // namespace llmes::test
