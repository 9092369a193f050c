// SPDX-License-Identifier: MIT
//
// "Nothing changed" has two halves: nothing that shows now, and nothing that would show later. So two books get
// the same calls, one of them also gets the rejected call, and from then on both must give the same answers, down
// to the last handle. Books that do nothing would do so too, so orders must rest and trade.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {

/// A sink for calls that must not trade.
struct ExpectNoTrade {
  void operator()(const Trade& trade) const { ADD_FAILURE() << "traded: " << trade; }
};

/// Makes the same calls on both books, drains and fills both, and compares every answer.
template <class Book>
void expect_same_future(Book& book, Book& twin) {
  Profile profile = near_prices;
  profile.operation_count = 300;
  profile.capacity = book.capacity() + 4;  // the plan adds more orders than the book can hold
  profile.standing = profile.capacity;
  const BookConfig config{.base_price = book.price_min(), .capacity = profile.capacity};
  const std::vector<Operation> operations = random_stream(profile, config, stream_width<Book>, 11);
  const Tape tape = record_tape(book, operations);
  const Tape expected = record_tape(twin, operations);
  EXPECT_FALSE(tape.trades.empty()) << "nothing has traded";
  EXPECT_EQ(tape.results, expected.results);
  EXPECT_EQ(tape.trades, expected.trades);
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));

  const auto drain_and_fill = [](Book& drained) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : orders_of(drained, side)) std::ignore = drained.cancel_order(order.handle);
    }
    std::vector<OrderHandle> handles;
    for (OrderId id = 0; id <= drained.capacity(); ++id) {
      const Price price = drained.price_min() + static_cast<Price>(id % 7);
      handles.push_back(
          drained.add_limit_order(id, Side::Buy, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle);
    }
    EXPECT_EQ(drained.size(), drained.capacity());
    return handles;
  };
  EXPECT_EQ(drain_and_fill(book), drain_and_fill(twin));
}

/// Makes `call` on `book` only, which has had the same calls as `twin` so far, and expects that it leaves no
/// trace.
template <class Book, class Call>
void expect_no_trace(Book& book, Book& twin, Call call) {
  const Snapshot before = snapshot_of(twin);
  ASSERT_EQ(snapshot_of(book), before) << "the books differ from the start";
  call(book);
  EXPECT_EQ(snapshot_of(book), before);
  expect_same_future(book, twin);
}

}  // namespace llmes::test
