// SPDX-License-Identifier: MIT
//
// Spans of a large book fetch ahead what their commands name, and find out whether that is worth while: a span
// whose orders have just come lets the next 63 fetch nothing.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/book_inspector.hpp"

namespace llmes::test {
namespace {

class SpanFetchTest : public ::testing::Test {
 protected:
  static constexpr std::size_t large = 8'192;  // orders
  static constexpr std::size_t count = 256;    // commands of a span, of which 232 are fetched for
  static constexpr std::size_t few = 232 / 6;
  static constexpr std::size_t ahead = 12;

  void SetUp() override {
    while (handles.size() < large + 100) handles.push_back(add());
  }

  OrderHandle add() {
    return book.add_limit_order(1, Side::Buy, 60, 1, TimeInForce::GoodTillCancel, ignore).handle;
  }

  void apply(const std::vector<Command>& commands) {
    book.apply(
        commands, [](const Result&) {}, ignore);
  }
  /// A span of which so many commands name orders that rest, and the first one is number `first`.
  void apply_with(std::size_t old, std::size_t first = ahead) {
    std::vector<Command> commands(count, Command::add_limit(1, Side::Buy, 60, 1, TimeInForce::GoodTillCancel));
    for (std::size_t i = first; i < first + old; ++i) {
      commands[i] = Command::cancel(handles.back());
      handles.pop_back();
    }
    apply(commands);
  }
  [[nodiscard]] std::uint32_t to_skip() const { return BookInspector::spans_to_skip(book); }

  DiscardTrades ignore;
  OrderBook<128> book = OrderBook<128>::create({.base_price = 0, .capacity = 100'000}).value();
  std::vector<OrderHandle> handles;
};

TEST_F(SpanFetchTest, ASpanWhoseOrdersRestKeepsTheNextOnesFetching) {
  for (int i = 0; i < 3; ++i) {
    apply_with(few);
    EXPECT_EQ(to_skip(), 0u);
  }
}

TEST_F(SpanFetchTest, ASpanWhoseOrdersHaveJustComeLetsTheNextOnesFetchNothing) {
  apply_with(few - 1);
  for (std::uint32_t left = 63; left > 0; --left) {
    EXPECT_EQ(to_skip(), left);
    apply_with(few);
  }
  EXPECT_EQ(to_skip(), 0u);
  apply_with(few - 1);
  EXPECT_EQ(to_skip(), 63u) << "it looks again";
}

TEST_F(SpanFetchTest, OnlyOrdersThatAreThereTwelveCommandsBeforeCount) {
  apply_with(few, ahead - 1);
  EXPECT_EQ(to_skip(), 63u);
}

TEST_F(SpanFetchTest, HandlesThatNameNothingDoNotCount) {
  const OrderHandle stale = handles.back();
  ASSERT_EQ(book.cancel_order(stale), Status::Success);
  const OrderHandle later{handles[0].index, handles[0].generation + 2};
  apply(std::vector<Command>(count, Command::cancel(stale)));
  EXPECT_EQ(to_skip(), 63u);
  for (int i = 0; i < 63; ++i) apply({});
  EXPECT_EQ(to_skip(), 0u);
  apply(std::vector<Command>(count, Command::cancel(later)));
  EXPECT_EQ(to_skip(), 63u);
}

TEST_F(SpanFetchTest, ASmallBookNeverFetches) {
  while (book.size() > large) {
    ASSERT_EQ(book.cancel_order(handles.back()), Status::Success);
    handles.pop_back();
  }
  apply({Command::cancel(handles.back())});
  handles.pop_back();
  EXPECT_EQ(to_skip(), 0u) << "a span too short to tell";
  EXPECT_EQ(book.size(), large - 1);
  apply(std::vector<Command>(count, Command::cancel({})));
  EXPECT_EQ(to_skip(), 0u);
  add();
  apply(std::vector<Command>(count, Command::cancel({})));
  EXPECT_EQ(to_skip(), 63u);
}

}  // namespace
}  // namespace llmes::test
