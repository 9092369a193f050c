// SPDX-License-Identifier: MIT
//
// Requests by id in spans: the same answers as one by one, whatever is fetched ahead; only the last look at a
// request counts; and receivers, sinks and listeners are told what they ask for.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/id_kinds.hpp"
#include "tests/support/print.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test::id_span_test {
namespace {

constexpr auto gtc = TimeInForce::GoodTillCancel;

/// Ids from a range so large that spans fetch ahead. The other kinds are too small for that in a narrow band.
struct LargeRange {
  using Index = DenseIds;
  static constexpr DenseIds::Config config{.first = 0, .count = 300'000};
  static constexpr OrderId id(std::uint64_t number) { return number * 777; }
};

template <class Kind>
class IdSpanOf : public ::testing::Test {
 protected:
  using Book = BookOf<Kind, OrderBook<128>>;
  static constexpr std::size_t capacity = 30;

  static OrderId id(std::uint64_t number) { return Kind::id(number % 90); }
  static Book make() { return id_book<Kind, OrderBook<128>>({.base_price = 0, .capacity = capacity}); }

  /// Adds, trades, changes and cancels, many of them of orders that came just before.
  static std::vector<Request> requests(std::size_t count) {
    std::vector<Request> requests;
    for (std::size_t i = 0; requests.size() < count; ++i) {
      const Side side = i % 2 == 0 ? Side::Buy : Side::Sell;
      const Price price = (side == Side::Buy ? 58 : 62) + static_cast<Price>(i % 5) - 2;
      requests.push_back(Request::add_limit(id(i), side, price, 1 + i % 7, gtc));
      if (i % 3 == 1) requests.push_back(Request::cancel(id(i - i % 4)));
      if (i % 5 == 2) requests.push_back(Request::modify(id(i), price + 1, 4));
      if (i % 7 == 3) requests.push_back(Request::replace(id(i - 1), id(i + 40), price, 3));
      if (i % 11 == 4) requests.push_back(Request::reduce(id(i), 1));
      if (i % 13 == 5) requests.push_back(Request::add_market(id(i + 60), side, 9));
    }
    requests.resize(count);
    return requests;
  }
};

using Kinds = ::testing::Types<FromZero, LargeRange, AnyNumbers, ForAnyPrice<LargeRange>, ForAnyPrice<AnyNumbers>>;
TYPED_TEST_SUITE(IdSpanOf, Kinds);

TYPED_TEST(IdSpanOf, AnswersAsSingleCallsDo) {
  for (const std::size_t length : {0u, 1u, 5u, 6u, 12u, 13u, 48u, 49u, 61u, 300u}) {
    SCOPED_TRACE(length);
    const std::vector<Request> requests = this->requests(length);
    auto single = this->make();
    auto spanned = this->make();
    for (const Request& earlier : this->requests(40)) {
      EXPECT_EQ(single.apply(earlier, DiscardTrades{}), spanned.apply(earlier, DiscardTrades{}));
    }
    RecordTrades expected_trades;
    std::vector<Result> expected;
    for (const Request& request : requests) expected.push_back(single.apply(request, expected_trades));

    RecordTrades trades;
    std::vector<Result> results;
    spanned.apply(
        length, [&](std::size_t i) { return requests[i]; },
        [&](const Result& result) { results.push_back(result); }, trades);
    EXPECT_EQ(results, expected);
    EXPECT_EQ(trades.trades, expected_trades.trades);
    EXPECT_EQ(snapshot_of(spanned.book()), snapshot_of(single.book()));
    EXPECT_TRUE(length < 300 || trades.trades.size() > 50);
  }
}

TYPED_TEST(IdSpanOf, MayNameOrdersOfTheSameSpan) {
  auto book = this->make();
  std::vector<Request> requests;
  for (std::uint64_t number = 0; number < 30; ++number) {
    requests.push_back(Request::add_limit(this->id(number), Side::Buy, 40, 5, gtc));
    requests.push_back(Request::modify(this->id(number), 41, 5));
    requests.push_back(Request::replace(this->id(number), this->id(number + 45), 41, 5));
    requests.push_back(Request::reduce(this->id(number + 45), 1));
    requests.push_back(Request::cancel(this->id(number + 45)));
  }
  std::size_t successes = 0;
  book.apply(
      requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; },
      [&](const Result& result) { successes += result.status == Status::Success ? 1 : 0; }, DiscardTrades{});
  EXPECT_EQ(successes, requests.size());
  EXPECT_EQ(book.book().size(), 0u);
}

/// A request is looked at once more when the result before it is known, and only what it is then counts: until
/// then each is something else.
TYPED_TEST(IdSpanOf, CountsTheLastLookOnly) {
  auto book = this->make();
  constexpr std::size_t count = 200;
  std::size_t done = 0;
  std::vector<Result> results;
  const auto at = [&](std::size_t i) {
    EXPECT_LT(i, count);
    EXPECT_GE(i, done) << "nothing is looked at again";
    if (i != done)
      return Request::add_limit(this->id(i + 7), Side::Sell, std::numeric_limits<Price>::max(), 0, gtc);
    if (i % 2 == 0) return Request::add_limit(this->id(i), Side::Buy, 40, 5, gtc);
    return Request::reduce(this->id(i - 1), results.back().remaining);
  };
  book.apply(
      count, at,
      [&](const Result& result, std::size_t i) {
        EXPECT_EQ(i, done);
        results.push_back(result);
        ++done;
      },
      DiscardTrades{});
  ASSERT_EQ(done, count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(results[i], i % 2 == 0 ? rests(results[i].handle, 5) : test::done(0, 5)) << i;
  }
}

TYPED_TEST(IdSpanOf, LetsTheReceiverCallTheBook) {
  auto book = this->make();
  std::vector<Request> requests;
  for (std::uint64_t number = 0; number < 80; ++number) {
    requests.push_back(Request::add_limit(this->id(number), Side::Buy, 40, 5, gtc));
  }
  book.apply(
      requests.size(), [&](std::size_t i) { return requests[i]; },
      [&](const Result& result, std::size_t i) {
        EXPECT_EQ(book.handle_of(requests[i].id), result.handle);
        EXPECT_EQ(book.cancel_order(requests[i].id), Status::Success);
      },
      DiscardTrades{});
  EXPECT_EQ(book.book().size(), 0u);
}

TYPED_TEST(IdSpanOf, TellsReceiverAndSinkTheRequest) {
  auto book = this->make();
  std::vector<Request> requests;
  for (std::uint64_t number = 0; number < 80; number += 2) {
    requests.push_back(Request::add_limit(this->id(number), Side::Buy, 40, 5, gtc));
    requests.push_back(Request::add_limit(this->id(number + 1), Side::Sell, 40, 5, gtc));
  }
  std::vector<std::size_t> received;
  std::vector<std::size_t> traded;
  book.apply(
      requests.size(), [&](std::size_t i) { return requests[i]; },
      [&](const Result&, std::size_t i) { received.push_back(i); },
      [&](const Trade& trade, std::size_t i) {
        EXPECT_EQ(trade.taker_id, requests[i].id);
        traded.push_back(i);
      });
  ASSERT_EQ(received.size(), 80u);
  ASSERT_EQ(traded.size(), 40u);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(received[i], i);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(traded[i], 2 * i + 1);
}

TEST(IdSpan, FetchesAheadInAWideBandWhateverRequestsSay) {
  auto book = id_book<AnyNumbers, OrderBook<262'144>>({.base_price = -100, .capacity = 50});
  constexpr Price lowest = std::numeric_limits<Price>::min();
  constexpr Price highest = std::numeric_limits<Price>::max();
  std::vector<Request> requests;
  for (const Price price : {lowest, Price{-101}, Price{-100}, Price{262'043}, Price{262'044}, highest}) {
    for (int side = 0; side < 256; side += 51) {
      requests.push_back({{largest_id, 0}, price, 1, CommandType::AddLimit, static_cast<Side>(side), gtc});
      requests.push_back(Request::cancel(largest_id));
    }
  }
  std::size_t rested = 0;
  book.apply(
      requests.size(), [&](std::size_t i) { return requests[i]; },
      [&](const Result& result) { rested += result.rests() ? 1 : 0; }, DiscardTrades{});
  EXPECT_EQ(rested, 2u) << "a buy at each end of the band";
}

/// With so many orders that a span fetches them ahead: it leaves what single calls leave.
template <class Kind>
void expect_deep_spans_like_single_calls() {
  constexpr std::uint64_t count = 40'000;                        // 1.2 MiB of slots
  const BookConfig config{.base_price = 0, .capacity = 70'000};  // and 1.1 MiB of hashed ids
  auto in_spans = id_book<Kind, OrderBook<4096>>(config);
  auto one_by_one = id_book<Kind, OrderBook<4096>>(config);
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Side side = i % 2 == 0 ? Side::Buy : Side::Sell;
    const Price price =
        side == Side::Buy ? 1'000 + static_cast<Price>(i % 900) : 3'000 - static_cast<Price>(i % 900);
    requests.push_back(Request::add_limit(Kind::id(i), side, price, 1 + i % 5, gtc));
  }
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const OrderId id = Kind::id(i * 7'919 % count);
    requests.push_back(i % 3 == 0 ? Request::modify(id, 1'950, 2) : Request::cancel(id));
    if (i % 5 == 0) requests.push_back(Request::add_market(Kind::id(count + 1), Side::Buy, 3));
  }
  RecordTrades trades_in_spans;
  RecordTrades trades_one_by_one;
  std::vector<Result> results_in_spans;
  std::vector<Result> results_one_by_one;
  for (const Request& request : requests)
    results_one_by_one.push_back(one_by_one.apply(request, trades_one_by_one));
  for (const auto& [first, length] :
       {std::pair<std::size_t, std::size_t>{0, 40'000}, {40'000, requests.size() - 40'000}}) {
    in_spans.apply(
        length,
        [&, first = first, length = length](std::size_t i) -> const Request& {
          EXPECT_LT(i, length) << "a span looks at its own requests only";
          return requests[first + i];
        },
        [&](const Result& result) { results_in_spans.push_back(result); }, trades_in_spans);
  }
  EXPECT_EQ(results_in_spans, results_one_by_one);
  EXPECT_EQ(trades_in_spans.trades, trades_one_by_one.trades);
  EXPECT_EQ(snapshot_of(in_spans.book()), snapshot_of(one_by_one.book()));
}

struct ManyFromZero {
  using Index = DenseIds;
  static constexpr DenseIds::Config config{.first = 0, .count = 300'000};
  static constexpr OrderId id(std::uint64_t number) { return number; }
};

TEST(IdSpan, OfADeepBookLeavesWhatSingleCallsLeave) {
  expect_deep_spans_like_single_calls<ManyFromZero>();
  expect_deep_spans_like_single_calls<AnyNumbers>();
  expect_deep_spans_like_single_calls<ForAnyPrice<AnyNumbers>>();
}

}  // namespace
}  // namespace llmes::test::id_span_test
