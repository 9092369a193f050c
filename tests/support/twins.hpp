// SPDX-License-Identifier: MIT
//
// "Nothing changed" has two halves: nothing that can be seen now, and nothing that would show later. So two books
// get the same calls, one of them gets the rejected call besides, and both must go on alike, to the last handle.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {

/// A sink for calls that must not trade.
struct ExpectNoTrade {
  void operator()(const Trade& trade) const { ADD_FAILURE() << "traded: " << trade; }
};

/// Puts both books through the same calls, until both have been filled and drained, and compares every answer.
template <class Book>
void expect_same_future(Book& book, Book& twin) {
  Profile profile = near_prices;
  profile.operation_count = 300;
  profile.capacity = book.capacity() + 4;  // the plan asks for more than there is room for
  profile.standing = profile.capacity;
  const BookConfig config{.base_price = book.price_min(), .capacity = profile.capacity};
  const std::vector<Operation> operations = random_stream(profile, config, Book::price_levels, 11);
  const Tape tape = record_tape(book, operations);
  const Tape expected = record_tape(twin, operations);
  EXPECT_EQ(tape.results, expected.results);
  EXPECT_EQ(tape.trades, expected.trades);
  EXPECT_EQ(snapshot_of(book), snapshot_of(twin));

  const auto drain_and_fill = [](Book& drained) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const RestingOrder& order : orders_of(drained, side)) drained.cancel_order(order.handle);
    }
    std::vector<OrderHandle> handles;
    for (OrderId id = 0; id <= drained.capacity(); ++id) {
      const Price price = drained.price_min() + static_cast<Price>(id % 7);
      handles.push_back(
          drained.add_limit_order(id, Side::Buy, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle);
    }
    return handles;
  };
  EXPECT_EQ(drain_and_fill(book), drain_and_fill(twin));
}

/// Makes `call` on `book` alone, which has had the same calls as `twin` so far, and expects it to leave no trace.
template <class Book, class Call>
void expect_no_trace(Book& book, Book& twin, Call call) {
  const Snapshot before = snapshot_of(twin);
  ASSERT_EQ(snapshot_of(book), before) << "the books are no twins to begin with";
  call(book);
  EXPECT_EQ(snapshot_of(book), before);
  expect_same_future(book, twin);
}

}  // namespace llmes::test
