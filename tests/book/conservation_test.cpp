// SPDX-License-Identifier: MIT
//
// No lot appears or disappears: every submitted lot has traded (a trade counts for both orders), rests, or was
// cancelled. The total of a level is the sum of its orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;

/// Follows the lots of each order from outside, by the answers of the book alone.
class Ledger {
 public:
  explicit Ledger(const BookConfig& config) : book_(*Book::create(config)) {}

  void play(const Operation& operation) {
    const OrderHandle handle = handles_[operation.order];
    const std::optional<RestingOrder> before = book_.find(handle);
    RecordTrades sink;
    const Result result = book_.apply(to_command(operation, handle), sink);
    if (result.status != Status::Success) return;
    if (operation.makes_order() && result.handle != OrderHandle{}) handles_[operation.made()] = result.handle;

    Quantity filled = 0;
    for (const Trade& trade : sink.trades) filled += trade.quantity;
    EXPECT_EQ(filled, result.filled);
    traded_ += filled;
    const std::optional<RestingOrder> after = book_.find(result.handle);
    const Quantity left = after ? after->quantity : 0;
    EXPECT_EQ(result.remaining, left);
    EXPECT_EQ(result.rests(), after.has_value());
    if (operation.makes_order() && !moves(operation.type)) {
      submitted_ += operation.quantity;
      EXPECT_EQ(filled + left + result.cancelled, operation.quantity);
      cancelled_ += result.cancelled;
    } else if (moves(operation.type)) {
      submitted_ += operation.quantity;
      cancelled_ += before->quantity + result.cancelled;
      EXPECT_EQ(filled + left + result.cancelled, operation.quantity);
    } else {
      cancelled_ += result.cancelled;
      EXPECT_EQ(left + result.cancelled, before->quantity);
    }
  }

  void expect_balance() const {
    Quantity resting = 0;
    std::size_t count = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::map<Price, DepthLevel> levels;
      for (const RestingOrder& order : orders_of(book_, side)) {
        DepthLevel& level = levels[order.price];
        level.price = order.price;
        level.quantity += order.quantity;
        ++level.order_count;
        resting += order.quantity;
        ++count;
      }
      for (Price price = book_.price_min(); price <= book_.price_max(); ++price) {
        const auto level = levels.find(price);
        ASSERT_EQ(book_.level(side, price), level == levels.end() ? DepthLevel{price} : level->second);
      }
    }
    ASSERT_EQ(count, book_.size());
    ASSERT_EQ(submitted_, 2 * traded_ + resting + cancelled_);
  }

  [[nodiscard]] Quantity traded() const { return traded_; }

 private:
  Book book_;
  std::unordered_map<OrderId, OrderHandle> handles_;
  Quantity submitted_ = 0;
  Quantity traded_ = 0;
  Quantity cancelled_ = 0;
};

TEST(Conservation, OfLotsThroughRandomStreams) {
  for (Profile profile : {near_prices, nearly_full_pool, deep_level, wide_prices}) {
    SCOPED_TRACE(profile.name);
    profile.operation_count = 2'000;
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    Ledger ledger(config);
    for (Operation operation : random_stream(profile, config, Book::price_levels, 3)) {
      operation.quantity = std::min<Quantity>(operation.quantity, 1'000);  // so that the sums fit
      ledger.play(operation);
      ledger.expect_balance();
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(ledger.traded(), 500u);
  }
}

}  // namespace
}  // namespace llmes::test
