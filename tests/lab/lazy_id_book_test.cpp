// SPDX-License-Identifier: MIT
//
// A book that puts work off does the work of an `IdBook`: the same answers, trades and orders, whatever waits.
#include "bench/contenders/lazy_id_book.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {
namespace {

using bench::LazyIdBook;

constexpr auto gtc = TimeInForce::GoodTillCancel;

/// Requests of a market in which most orders leave at once. Some are rejected, more of them if there is an order
/// of so many lots that no other has room on its level.
std::vector<Request> fleeting(Random& random, std::size_t count) {
  std::vector<Request> requests;
  OrderId next = 1;
  while (requests.size() < count) {
    const OrderId id = random.chance(90) ? next++ : 1 + random.below(next);
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const Price price = (side == Side::Buy ? 55 : 66) + static_cast<Price>(random.below(16)) - 5;
    const auto time_in_force = random.chance(80) ? gtc : static_cast<TimeInForce>(random.below(4));
    const Quantity lots = random.below(10);
    requests.push_back(
        Request::add_limit(id, side, random.below(50) == 0 ? 1'000'000 : price, lots, time_in_force));
    if (random.chance(5)) requests.push_back(Request::add_limit(id, side, price, 1, gtc));
    if (random.chance(30)) requests.push_back(Request::modify(id, price + 1, random.below(10), time_in_force));
    if (random.chance(70)) requests.push_back(Request::cancel(id));
    if (random.chance(10)) requests.push_back(Request::add_market(next++, side, 1 + random.below(30)));
    if (random.chance(10)) requests.push_back(Request::cancel(1 + random.below(next)));
    if (random.chance(10)) requests.push_back(Request::reduce(id, 1 + random.below(5)));
    if (random.chance(5)) requests.push_back(Request::replace(id, next++, price, 3));
    if (random.chance(5)) requests.push_back(Request::add_resting(next++, side, price, lots));
  }
  return requests;
}

/// Handles are its own.
Result without_handle(Result result) {
  result.handle = {};
  return result;
}
std::vector<Trade> without_handles(std::vector<Trade> trades) {
  for (Trade& trade : trades) trade.maker_handle = {};
  return trades;
}
template <class Book>
std::vector<RestingOrder> orders_of(const Book& book) {
  std::vector<RestingOrder> orders;
  for (const Side side : {Side::Buy, Side::Sell}) {
    book.visit_orders(side, [&](RestingOrder order) {
      order.handle = {};
      orders.push_back(order);
    });
  }
  return orders;
}

template <class Book, class Index>
void expect_twins(const typename Index::Config& ids) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Request> requests = fleeting(random, 4'000);
    const BookConfig config{.base_price = 0, .capacity = 60};
    auto eager = IdBook<Book, Index>::create(config, ids).value();
    auto single = LazyIdBook<Book, Index>::create(config, ids).value();
    auto spanned = LazyIdBook<Book, Index>::create(config, ids).value();
    RecordTrades expected_trades;
    RecordTrades trades;
    RecordTrades trades_in_spans;
    std::vector<Result> expected;
    std::vector<Result> in_spans;
    std::size_t waited = 0;
    std::array<std::size_t, 12> seen{};
    for (const Request& request : requests) {
      expected.push_back(without_handle(eager.apply(request, expected_trades)));
      ASSERT_EQ(without_handle(single.apply(request, trades)), expected.back()) << request;
      waited += single.waits() ? 1 : 0;
      ++seen[static_cast<std::size_t>(expected.back().status)];
      if (random.below(10) == 0) {
        ASSERT_EQ(orders_of(single.book()), orders_of(eager.book())) << request;
      }
    }
    spanned.apply(
        requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; },
        [&](const Result& result, std::size_t) { in_spans.push_back(without_handle(result)); }, trades_in_spans);
    EXPECT_EQ(in_spans, expected);
    EXPECT_EQ(without_handles(trades.trades), without_handles(expected_trades.trades));
    EXPECT_EQ(without_handles(trades_in_spans.trades), without_handles(expected_trades.trades));
    EXPECT_EQ(orders_of(spanned.book()), orders_of(eager.book()));
    EXPECT_GT(trades.trades.size(), 200u);
    EXPECT_GT(waited, 500u);
    for (const Status status : {Status::DuplicateId, Status::InvalidQuantity, Status::UnknownOrder}) {
      EXPECT_GT(seen[static_cast<std::size_t>(status)], 0u) << status;
    }
  }
}

TEST(LazyIdBook, IsTheTwinOfABookThatPutsNothingOff) {
  expect_twins<OrderBook<128>, DenseIds>({.first = 0, .count = 1'000});
  expect_twins<OrderBook<128>, HashedIds>({});
  expect_twins<WideOrderBook<262'144>, HashedIds>({});
}

TEST(LazyIdBook, NoOrderWaitsThatItsLevelMayHaveNoRoomFor) {
  auto book = LazyIdBook<OrderBook<128>, HashedIds>::create({.base_price = 0, .capacity = 60}, {}).value();
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  EXPECT_EQ(book.apply(Request::add_limit(1, Side::Buy, 50, most, gtc), DiscardTrades{}).remaining, most);
  EXPECT_EQ(book.apply(Request::add_limit(2, Side::Buy, 50, 1, gtc), DiscardTrades{}).status,
            Status::QuantityOverflow);
}

}  // namespace
}  // namespace llmes::test
