// SPDX-License-Identifier: MIT
//
// The tests of the test: books with one defect each must be caught, and the failure shrunk to a few operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/expect_conformance.hpp"
#include "tests/support/random_streams.hpp"

namespace llmes::test {
namespace {

/// Makes a book of `Defective` out of a sound one.
template <class Defective>
struct Broken : OrderBook<64> {
  explicit Broken(OrderBook<64>&& book) : OrderBook<64>(std::move(book)) {}

  static std::optional<Defective> create(const BookConfig& config) {
    std::optional<OrderBook<64>> book = OrderBook<64>::create(config);
    if (!book) return {};
    return Defective(std::move(*book));
  }
};

struct LosesPriorityOnReduce : Broken<LosesPriorityOnReduce> {
  using Broken::Broken;

  Status reduce_order(OrderHandle handle, Quantity by) {
    const std::optional<RestingOrder> order = find(handle);
    if (!order || by == 0 || by >= order->quantity) return OrderBook<64>::reduce_order(handle, by);
    const Quantity left = order->quantity - by;
    modify_order(handle, order->price, order->quantity + 1, DiscardTrades{});
    modify_order(handle, order->price, left, DiscardTrades{});
    return Status::Success;
  }
};

struct ReportsTheLimitPrice : Broken<ReportsTheLimitPrice> {
  using Broken::Broken;

  template <class Sink>
  Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
                         Sink& sink) {
    const auto at_limit = [&](Trade trade) {
      trade.price = price;
      sink(trade);
    };
    return OrderBook<64>::add_limit_order(id, side, price, quantity, time_in_force, at_limit);
  }
};

struct CancelsTheYoungestInstead : Broken<CancelsTheYoungestInstead> {
  using Broken::Broken;

  Status cancel_order(OrderHandle handle) {
    const std::optional<RestingOrder> order = find(handle);
    if (!order) return Status::UnknownOrder;
    OrderHandle youngest = handle;
    visit_orders(order->side, [&](const RestingOrder& other) {
      if (other.price == order->price) youngest = other.handle;
    });
    return OrderBook<64>::cancel_order(youngest);
  }
};

struct KeepsARememberedBestAsk : Broken<KeepsARememberedBestAsk> {
  using Broken::Broken;

  mutable std::optional<Price> remembered;

  std::optional<Price> best_ask() const {
    if (const std::optional<Price> best = OrderBook<64>::best_ask()) remembered = best;
    return remembered;
  }
};

struct ForgetsAFill : Broken<ForgetsAFill> {
  using Broken::Broken;

  template <class Sink>
  Result add_market_order(OrderId id, Side side, Quantity quantity, Sink& sink) {
    Result result = OrderBook<64>::add_market_order(id, side, quantity, sink);
    if (result.filled > 5) --result.filled;
    return result;
  }
};

// One defect in each of the members that the books above leave sound.

struct WrongModify : Broken<WrongModify> {
  using Broken::Broken;
  template <class Sink>
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, Sink& sink) {
    Result result = OrderBook<64>::modify_order(handle, price, quantity, sink);
    result.handle = {};
    return result;
  }
};

struct WrongApply : Broken<WrongApply> {
  using Broken::Broken;
  template <class Sink>
  Result apply(const Command& command, Sink& sink) {
    if (command.type == CommandType::Reduce) return {cancel_order(command.handle)};
    return OrderBook<64>::apply(command, sink);
  }
};

struct WrongBestBid : Broken<WrongBestBid> {
  using Broken::Broken;
  std::optional<Price> best_bid() const { return OrderBook<64>::best_bid().value_or(price_min()); }
};

struct WrongLevel : Broken<WrongLevel> {
  using Broken::Broken;
  DepthLevel level(Side side, Price price) const {
    DepthLevel level = OrderBook<64>::level(side, price);
    level.order_count = std::min<std::uint64_t>(level.order_count, 1);
    return level;
  }
};

struct WrongDepth : Broken<WrongDepth> {
  using Broken::Broken;
  std::size_t depth(Side side, std::span<DepthLevel> out) const {
    return std::min<std::size_t>(OrderBook<64>::depth(side, out), 1);
  }
};

struct WrongVisit : Broken<WrongVisit> {
  using Broken::Broken;
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    OrderBook<64>::visit_orders(side, [&](const RestingOrder& order) {
      if (order.quantity != 1) visitor(order);
    });
  }
};

struct WrongFind : Broken<WrongFind> {
  using Broken::Broken;
  std::optional<RestingOrder> find(OrderHandle handle) const {
    std::optional<RestingOrder> order = OrderBook<64>::find(handle);
    if (order && order->side == Side::Sell) return {};
    return order;
  }
};

struct WrongSize : Broken<WrongSize> {
  using Broken::Broken;
  std::size_t size() const { return std::min<std::size_t>(OrderBook<64>::size(), 1); }
};

struct WrongPriceMin : Broken<WrongPriceMin> {
  using Broken::Broken;
  Price price_min() const { return OrderBook<64>::price_min() + 1; }
};

struct WrongPriceMax : Broken<WrongPriceMax> {
  using Broken::Broken;
  Price price_max() const { return OrderBook<64>::price_max() + 1; }
};

/// The shortest failing sequence found from the random streams, or nothing if the defect goes unnoticed.
template <class Book>
std::vector<Operation> shortest_sequence_that_shows() {
  for (const Profile& profile : profiles) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    const std::vector<Operation> operations = random_stream(profile, config, 64, 1);
    const std::optional<Disagreement> found = run_conformance<Book>(config, operations);
    if (found) return shortest_failure(book_type<Book>(), config, operations, found->operation + 1);
  }
  return {};
}

TEST(Shrinker, PriorityLostOnReduceShrinksToThreeOperations) {
  const std::vector<Operation> shortest = shortest_sequence_that_shows<LosesPriorityOnReduce>();
  ASSERT_EQ(shortest.size(), 3u);
  EXPECT_EQ(shortest[0].type, CommandType::AddLimit);
  EXPECT_EQ(shortest[1].type, CommandType::AddLimit);
  EXPECT_EQ(shortest[2], reduce(shortest[0].order, 1));
}

TEST(Shrinker, FillAtTheLimitPriceShrinksToTwoOperations) {
  EXPECT_EQ(shortest_sequence_that_shows<ReportsTheLimitPrice>().size(), 2u);
}

TEST(Shrinker, CancelOfANeighbourShrinksToThreeOperations) {
  EXPECT_EQ(shortest_sequence_that_shows<CancelsTheYoungestInstead>().size(), 3u);
}

TEST(Shrinker, PhantomBestPriceShrinksToTwoOperations) {
  EXPECT_EQ(shortest_sequence_that_shows<KeepsARememberedBestAsk>().size(), 2u);
}

TEST(Shrinker, MiscountedFillShrinksToTwoOperations) {
  const std::vector<Operation> shortest = shortest_sequence_that_shows<ForgetsAFill>();
  EXPECT_EQ(shortest.size(), 2u);
}

TEST(Shrinker, ADefectOfAnyMemberIsSeen) {
  EXPECT_FALSE(shortest_sequence_that_shows<WrongModify>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongApply>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongBestBid>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongLevel>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongDepth>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongVisit>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongFind>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongSize>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongPriceMin>().empty());
  EXPECT_FALSE(shortest_sequence_that_shows<WrongPriceMax>().empty());
}

TEST(Shrinker, SoundBookShowsNothing) {
  EXPECT_TRUE(shortest_sequence_that_shows<OrderBook<64>>().empty());
}

TEST(Shrinker, PrintsATestToPaste) {
  const std::vector<Operation> operations{
      add_limit(1, Side::Buy, -3, 5),
      add_limit(2, Side::Sell, std::numeric_limits<Price>::min(), std::numeric_limits<Quantity>::max(),
                TimeInForce::FillOrKill)
          .as_command(),
      add_market(3, static_cast<Side>(7), 1),
      cancel(1).flipped(std::uint64_t{1} << 32),
      modify(1, 4, 5),
      reduce(1, 2),
      of_type(10),
  };
  EXPECT_EQ(source_of_test("OrderBook<64>", -20, 8, operations),
            "TEST(Regression, ShrunkSequence) {\n"
            "  expect_conformance<OrderBook<64>>({.base_price = -20, .capacity = 8}, {\n"
            "      add_limit(1, Side::Buy, -3, 5),\n"
            "      add_limit(2, Side::Sell, std::numeric_limits<Price>::min(), 18446744073709551615u, "
            "TimeInForce::FillOrKill).as_command(),\n"
            "      add_market(3, static_cast<Side>(7), 1),\n"
            "      cancel(1).flipped(4294967296u),\n"
            "      modify(1, 4, 5),\n"
            "      reduce(1, 2),\n"
            "      of_type(10),\n"
            "  });\n"
            "}\n");
}

/// The printed test compiles and does what it says: this is one, pasted, on a book that passes it.
TEST(Shrinker, APastedTestRuns) {
  expect_conformance<OrderBook<64>>({.base_price = -20, .capacity = 64},
                                    {
                                        add_limit(1, Side::Buy, -3, 5),
                                        add_limit(2, Side::Buy, -3, 3, TimeInForce::PostOnly),
                                        reduce(1, 1).as_command(),
                                        cancel(2).flipped(4294967296u),
                                        add_market(3, static_cast<Side>(7), 1),
                                        of_type(10),
                                    });
}

TEST(Shrinker, NamesTheTypeOfTheBook) {
  EXPECT_EQ(type_name<int>(), "int");
  EXPECT_NE(type_name<OrderBook<64>>().find("OrderBook<64"), std::string::npos);
}

}  // namespace
}  // namespace llmes::test
