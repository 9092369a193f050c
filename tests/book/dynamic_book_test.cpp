// SPDX-License-Identifier: MIT
//
// A book whose width is chosen at run time is, call by call, the book of that width. This program stands alone
// because it replaces the global operator new to count its calls.
#include "llmes/book/dynamic_book.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/book.hpp"
#include "tests/support/config_of.hpp"
#include "tests/support/conformance_suite.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/print.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

using Several = DynamicBook<OrderBook<4096>, OrderBook<128>, WideOrderBook<262'144>, WideOrderBook<64>>;

/// The book of `PriceLevels` prices among several, made as other books are.
template <std::size_t PriceLevels>
class OneOfSeveral : public Several {
 public:
  using Config = BookConfig;

  static std::optional<OneOfSeveral> create(const BookConfig& config) {
    std::optional<Several> book = Several::create(config_of<Several>(config, PriceLevels));
    if (!book) return {};
    return OneOfSeveral(*std::move(book));
  }

 private:
  explicit OneOfSeveral(Several&& book) : Several(std::move(book)) {}
};

/// The first and the last of them.
INSTANTIATE_TEST_SUITE_P(DynamicBook, ConformanceSuite, (bands<OneOfSeveral, 64, 4096>()), by_band);

/// The book for any price, where the band is too narrow.
struct MoreThanTheBand : DynamicBook<OrderBook<64>, AnyPriceBook<512>> {
  using Config = BookConfig;

  explicit MoreThanTheBand(DynamicBook&& book) : DynamicBook(std::move(book)) {}
  static std::optional<MoreThanTheBand> create(const BookConfig& config) {
    std::optional<DynamicBook> book = DynamicBook::create(config_of<DynamicBook>(config, 65));
    if (!book) return {};
    return MoreThanTheBand(*std::move(book));
  }
};

INSTANTIATE_TEST_SUITE_P(DynamicBookForAnyPrice, ConformanceSuite, (widths<MoreThanTheBand, 4096>()), by_band);

// ---- Creation.

template <class Book>
CreateStatus status_of(const BookConfig& config, std::size_t price_levels) {
  const DynamicBookConfig chosen = config_of<Book>(config, price_levels);
  CreateStatus status{};
  const bool made = Book::create(chosen, status).has_value();
  EXPECT_EQ(made, status == CreateStatus::Success);
  EXPECT_EQ(Book::create(chosen).has_value(), made);
  return status;
}

std::size_t width_of(std::size_t price_levels) {
  return Several::create({.price_levels = price_levels, .capacity = 1})->price_levels();
}

TEST(DynamicBook, HasTheNarrowestWidthThatHoldsThePrices) {
  EXPECT_EQ(width_of(1), 64u);
  EXPECT_EQ(width_of(64), 64u);
  EXPECT_EQ(width_of(65), 128u);
  EXPECT_EQ(width_of(128), 128u);
  EXPECT_EQ(width_of(129), 4'096u);
  EXPECT_EQ(width_of(4'096), 4'096u);
  EXPECT_EQ(width_of(4'097), 262'144u);
  EXPECT_EQ(width_of(262'144), 262'144u);
}

TEST(DynamicBook, HasTheFirstOfTwoOfTheSameWidth) {
  using Narrow = DynamicBook<WideOrderBook<128>, OrderBook<128>>;
  EXPECT_EQ(Narrow::memory_bytes(128, 1'000), sizeof(Narrow) + WideOrderBook<128>::memory_bytes(1'000));
}

TEST(DynamicBook, OfAnyWidthIsInTheLibrary) {
  for (const auto& [price_levels, width] :
       {std::pair{100, 128}, {129, 4'096}, {5'000, 65'536}, {65'537, 262'144}}) {
    const auto book = AnyWidthBook::create(
        {.base_price = -7, .price_levels = static_cast<std::size_t>(price_levels), .capacity = 3});
    ASSERT_TRUE(book.has_value());
    EXPECT_EQ(book->price_levels(), static_cast<std::size_t>(width));
    EXPECT_EQ(book->price_min(), -7);
    EXPECT_EQ(book->price_max(), width - 8);
    EXPECT_EQ(book->capacity(), 3u);
  }
  static_assert(sizeof(AnyWidthBook) == 2 * sizeof(void*));
}

TEST(DynamicBook, OfAnyWidthHoldsEveryPriceIfItMust) {
  constexpr Price lowest = std::numeric_limits<Price>::min();
  for (const std::size_t price_levels : {std::size_t{262'145}, std::numeric_limits<std::size_t>::max()}) {
    auto book = *AnyWidthBook::create({.base_price = highest_price, .price_levels = price_levels, .capacity = 3});
    EXPECT_EQ(book.price_min(), lowest);
    EXPECT_EQ(book.price_max(), highest_price);
    EXPECT_TRUE(book.add_resting_order(1, Side::Buy, lowest, 5).rests());
    EXPECT_TRUE(book.add_resting_order(2, Side::Sell, highest_price, 5).rests());
    const Snapshot before = snapshot_of(book);
    for (const Price price : {lowest, Price{0}, highest_price}) EXPECT_EQ(book.recenter(price), Status::Success);
    EXPECT_EQ(snapshot_of(book), before);
  }
  EXPECT_EQ(AnyWidthBook::memory_bytes(262'145, 3), sizeof(AnyWidthBook) + AnyPriceBook<>::memory_bytes(3));
  EXPECT_EQ(status_of<AnyWidthBook>({.capacity = 1}, 0), CreateStatus::InvalidPriceLevels);
  EXPECT_EQ(status_of<AnyWidthBook>({.capacity = 0}, 262'145), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of<AnyWidthBook>({.capacity = 1, .quantity_max = 0}, 262'145),
            CreateStatus::InvalidQuantityMax);
}

TEST(DynamicBook, SaysWhyItMadeNone) {
  EXPECT_EQ(status_of<Several>({.capacity = 1}, 1), CreateStatus::Success);
  for (const std::size_t price_levels :
       {std::size_t{0}, std::size_t{262'145}, std::size_t{1} << 32, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(status_of<Several>({.capacity = 1}, price_levels), CreateStatus::InvalidPriceLevels) << price_levels;
    EXPECT_EQ(status_of<Several>({.capacity = 0}, price_levels), CreateStatus::InvalidPriceLevels) << "the first";
  }
  for (const std::size_t price_levels : {1u, 65u, 129u, 4'097u}) {
    EXPECT_EQ(status_of<Several>({.capacity = 0}, price_levels), CreateStatus::InvalidCapacity);
    EXPECT_EQ(status_of<Several>({.base_price = highest_price, .capacity = 1}, price_levels),
              CreateStatus::InvalidBasePrice);
    EXPECT_EQ(status_of<Several>({.capacity = 1, .quantity_max = 0}, price_levels),
              CreateStatus::InvalidQuantityMax);
  }
}

TEST(DynamicBook, ReachesAsHighAsItsOwnWidthAllows) {
  EXPECT_EQ(status_of<Several>({.base_price = highest_price - 127, .capacity = 1}, 100), CreateStatus::Success);
  EXPECT_EQ(status_of<Several>({.base_price = highest_price - 126, .capacity = 1}, 100),
            CreateStatus::InvalidBasePrice);
}

TEST(DynamicBook, OfTheLargestCapacityOfAllIsRefusedByNone) {
  EXPECT_EQ(Several::capacity_max, WideOrderBook<262'144>::capacity_max);
  EXPECT_EQ((DynamicBook<OrderBook<64>, OrderBook<128>>::capacity_max), OrderBook<128>::capacity_max);
}

/// A book that finds no room on the heap.
struct NoRoom : OrderBook<64> {
  explicit NoRoom(OrderBook<64>&& book) : OrderBook<64>(std::move(book)) {}
  static std::optional<NoRoom> create(const BookConfig& config, CreateStatus& status) {
    std::optional<OrderBook<64>> book = OrderBook<64>::create(config, status);
    if (!book) return {};
    return NoRoom(*std::move(book));
  }
  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return nullptr; }
  static void operator delete(void*) noexcept {}
};

TEST(DynamicBook, TooLittleMemoryMakesNoBook) {
  EXPECT_EQ(status_of<DynamicBook<NoRoom>>({.capacity = 1}, 1), CreateStatus::OutOfMemory);
}

TEST(DynamicBook, SaysHowMuchMemoryItTakes) {
  EXPECT_EQ(Several::memory_bytes(64, 10), sizeof(Several) + WideOrderBook<64>::memory_bytes(10));
  EXPECT_EQ(Several::memory_bytes(65, 10), sizeof(Several) + OrderBook<128>::memory_bytes(10));
  EXPECT_EQ(Several::memory_bytes(4'000, 10), sizeof(Several) + OrderBook<4096>::memory_bytes(10));
  EXPECT_EQ(Several::memory_bytes(4'097, 10), sizeof(Several) + WideOrderBook<262'144>::memory_bytes(10));
  EXPECT_EQ(Several::memory_bytes(0, 10), 0u);
  EXPECT_EQ(Several::memory_bytes(262'145, 10), 0u);
}

// ---- Calls.

constexpr BookConfig config{.base_price = -20, .capacity = 12, .quantity_max = 500};

/// Orders of different prices and quantities, two of them on one level, on either side.
template <class Book>
std::vector<OrderHandle> fill(Book& book) {
  std::vector<OrderHandle> handles;
  for (OrderId id = 1; id <= 9; ++id) {
    const bool buys = id % 2 == 0;
    const auto step = static_cast<Price>(id / 4);
    handles.push_back(book.add_limit_order(id, buys ? Side::Buy : Side::Sell, buys ? 7 - step : 9 + step, 10 * id,
                                           TimeInForce::GoodTillCancel, ExpectNoTrade{})
                          .handle);
    EXPECT_NE(handles.back(), OrderHandle{});
  }
  return handles;
}

/// The book alone, beside the same book chosen at run time.
template <class Alone>
struct DynamicBookOf : ::testing::Test {
  Alone alone = *Alone::create(config);
  Several chosen = *Several::create(config_of<Several>(config, Alone::price_levels));
  std::vector<OrderHandle> handles = fill(alone);

  DynamicBookOf() { EXPECT_EQ(fill(chosen), handles); }

  /// Makes a call that changes the book. `call` returns all that it tells.
  template <class Call>
  void expect_same_change(const char* name, Call call) {
    SCOPED_TRACE(name);
    const Snapshot before = snapshot_of(alone);
    EXPECT_EQ(call(chosen), call(alone));
    EXPECT_EQ(snapshot_of(chosen), snapshot_of(alone));
    EXPECT_NE(snapshot_of(alone), before) << "the call must do something";
  }

  /// Makes a query that is answered by more than nothing.
  template <class Query>
  void expect_same_answer(const char* name, Query query) {
    SCOPED_TRACE(name);
    const auto answer = query(std::as_const(alone));
    EXPECT_EQ(query(std::as_const(chosen)), answer);
    EXPECT_NE(answer, decltype(answer){}) << "the answer must tell something";
  }
};

using Widths = ::testing::Types<WideOrderBook<64>, OrderBook<128>, OrderBook<4096>, WideOrderBook<262'144>>;
TYPED_TEST_SUITE(DynamicBookOf, Widths);

TYPED_TEST(DynamicBookOf, TakesOrders) {
  this->expect_same_change("add", [](auto& book) {
    return book.add_limit_order(21, Side::Sell, 12, 7, TimeInForce::GoodTillCancel, ExpectNoTrade{});
  });
  this->expect_same_change("add that trades", [](auto& book) {
    RecordTrades sink;
    const Result result = book.add_limit_order(22, Side::Buy, 10, 170, TimeInForce::ImmediateOrCancel, sink);
    EXPECT_FALSE(sink.trades.empty());
    return std::pair{result, sink.trades};
  });
  this->expect_same_change("market", [](auto& book) {
    RecordTrades sink;
    const Result result = book.add_market_order(23, Side::Sell, 33, sink);
    EXPECT_FALSE(sink.trades.empty());
    return std::pair{result, sink.trades};
  });
}

TYPED_TEST(DynamicBookOf, TakesOrdersOff) {
  const std::vector<OrderHandle>& handles = this->handles;
  this->expect_same_change("cancel", [&](auto& book) { return book.cancel_order(handles[2]); });
  this->expect_same_change("cancel and tell", [&](auto& book) {
    RestingOrder cancelled;
    EXPECT_EQ(book.cancel_order(handles[3], cancelled), Status::Success);
    return cancelled;
  });
  this->expect_same_change("reduce", [&](auto& book) { return book.reduce_order(handles[4], 3); });
  this->expect_same_change("reduce and tell", [&](auto& book) {
    RestingOrder left;
    EXPECT_EQ(book.reduce_order(handles[5], 4, left), Status::Success);
    return left;
  });
}

TYPED_TEST(DynamicBookOf, ClearsASide) {
  this->expect_same_change("clear", [](auto& book) { return book.clear(Side::Sell); });
}

TYPED_TEST(DynamicBookOf, Clears) {
  this->expect_same_change("clear", [](auto& book) { return book.clear(); });
}

TYPED_TEST(DynamicBookOf, ModifiesAndReplacesOrders) {
  const std::vector<OrderHandle>& handles = this->handles;
  const auto traded = [](const Result& result, const RecordTrades& sink) {
    EXPECT_FALSE(sink.trades.empty());
    return std::pair{result, sink.trades};
  };
  this->expect_same_change("modify that rests",
                           [&](auto& book) { return book.modify_order(handles[5], 3, 70, ExpectNoTrade{}); });
  this->expect_same_change("modify", [&](auto& book) {
    RecordTrades sink;
    return traded(book.modify_order(handles[5], 9, 8, sink), sink);
  });
  this->expect_same_change("modify with a time in force", [&](auto& book) {
    RecordTrades sink;
    return traded(book.modify_order(handles[3], 9, 60, TimeInForce::ImmediateOrCancel, sink), sink);
  });
  this->expect_same_change("replace", [&](auto& book) {
    RecordTrades sink;
    return traded(book.replace_order(handles[1], 31, 10, 4, sink), sink);
  });
  this->expect_same_change("replace that rests",
                           [&](auto& book) { return book.replace_order(handles[7], 32, 4, 14, ExpectNoTrade{}); });
  this->expect_same_change("replace with a time in force", [&](auto& book) {
    RecordTrades sink;
    return traded(book.replace_order(handles[6], 33, 4, 15, TimeInForce::ImmediateOrCancel, sink), sink);
  });
}

TYPED_TEST(DynamicBookOf, AppliesCommands) {
  const std::vector<OrderHandle>& handles = this->handles;
  for (const Command& command :
       {Command::add_limit(41, Side::Buy, 5, 6, TimeInForce::PostOnly), Command::modify(handles[0], 14, 3),
        Command::reduce(handles[1], 2), Command::replace(handles[3], 42, 5, 9), Command::cancel(handles[2]),
        Command::add_market(43, Side::Buy, 17)}) {
    this->expect_same_change("apply", [&](auto& book) {
      RecordTrades sink;
      const Result result = book.apply(command, sink);
      return std::pair{result, sink.trades};
    });
  }
  Command invalid;
  invalid.type = static_cast<CommandType>(99);
  EXPECT_EQ(this->chosen.apply(invalid, ExpectNoTrade{}), Result{Status::InvalidCommand});
}

std::vector<Command> span_of(const std::vector<OrderHandle>& handles) {
  std::vector<Command> commands{Command::modify(handles[1], 4, 5), Command::add_market(51, Side::Sell, 25),
                                Command::cancel({}), Command::reduce(handles[0], 1)};
  for (OrderId id = 60; id < 100; ++id) {
    commands.push_back(Command::add_limit(id, Side::Buy, 1, 1, TimeInForce::PostOnly));
  }
  return commands;
}

TYPED_TEST(DynamicBookOf, AppliesSpans) {
  const std::vector<Command> commands = span_of(this->handles);
  this->expect_same_change("span with a receiver", [&](auto& book) {
    RecordTrades sink;
    std::vector<Result> results;
    book.apply(
        commands, [&](const Result& result) { results.push_back(result); }, sink);
    EXPECT_FALSE(sink.trades.empty());
    return std::pair{results, sink.trades};
  });
}

TYPED_TEST(DynamicBookOf, AppliesSpansToReceiversOfAnIndex) {
  const std::vector<Command> commands = span_of(this->handles);
  this->expect_same_change("span with indexes", [&](auto& book) {
    std::vector<std::pair<Result, std::size_t>> results;
    std::vector<std::pair<Trade, std::size_t>> trades;
    book.apply(
        commands, [&](const Result& result, std::size_t i) { results.emplace_back(result, i); },
        [&](const Trade& trade, std::size_t i) { trades.emplace_back(trade, i); });
    EXPECT_FALSE(trades.empty());
    return std::pair{results, trades};
  });
}

TYPED_TEST(DynamicBookOf, AppliesSpansAsFarAsThereIsRoomForResults) {
  const std::vector<Command> commands = span_of(this->handles);
  for (const std::size_t room : {commands.size(), commands.size() + 1, std::size_t{3}}) {
    std::vector<Result> expected(room);
    std::vector<Result> results(room);
    const std::size_t count = this->alone.apply(commands, expected, DiscardTrades{});
    EXPECT_EQ(this->chosen.apply(commands, results, DiscardTrades{}), count);
    EXPECT_EQ(results, expected);
  }
}

TYPED_TEST(DynamicBookOf, MovesItsBand) {
  this->expect_same_change("recenter", [](auto& book) { return book.recenter(-3); });
  EXPECT_EQ(this->chosen.recenter(100), Status::PriceOutOfBand);
}

TYPED_TEST(DynamicBookOf, AnswersQueries) {
  const std::vector<OrderHandle>& handles = this->handles;
  this->expect_same_answer("best bid", [](const auto& book) { return book.best_bid(); });
  this->expect_same_answer("best ask", [](const auto& book) { return book.best_ask(); });
  for (const Side side : {Side::Buy, Side::Sell}) {
    this->expect_same_answer("best", [&](const auto& book) { return book.best(side); });
    this->expect_same_answer("worst", [&](const auto& book) { return book.worst(side); });
    this->expect_same_answer("level", [&](const auto& book) {
      return std::vector{book.level(side, 6), book.level(side, 9), book.level(side, 1'000'000)};
    });
    this->expect_same_answer("depth", [&](const auto& book) {
      std::array<DepthLevel, 2> levels;
      EXPECT_EQ(book.depth(side, levels), 2u);
      return levels;
    });
    this->expect_same_answer("orders", [&](const auto& book) { return orders_of(book, side); });
    this->expect_same_answer("orders of a level", [&](const auto& book) {
      std::vector<RestingOrder> orders;
      book.visit_level(side, side == Side::Buy ? 6 : 10,
                       [&](const RestingOrder& order) { orders.push_back(order); });
      EXPECT_EQ(orders.size(), 2u);
      return orders;
    });
    this->expect_same_answer("the first order", [&](const auto& book) {
      std::vector<RestingOrder> orders;
      book.visit_orders(side, [&](const RestingOrder& order) {
        orders.push_back(order);
        return false;
      });
      EXPECT_EQ(orders.size(), 1u);
      return orders;
    });
  }
  this->expect_same_answer("find", [&](const auto& book) { return book.find(handles[2]); });
  this->expect_same_answer("queue ahead", [&](const auto& book) { return book.queue_ahead(handles[5]); });
  this->expect_same_answer("queue ahead",
                           [&](const auto& book) { return book.queue_ahead(handles[5])->order_count; });
  this->expect_same_answer("size", [](const auto& book) { return book.size(); });
  this->expect_same_answer("capacity", [](const auto& book) { return book.capacity(); });
  this->expect_same_answer("lowest price", [](const auto& book) { return book.price_min(); });
  this->expect_same_answer("highest price", [](const auto& book) { return book.price_max(); });
  EXPECT_EQ(this->chosen.price_levels(), TypeParam::price_levels);
  EXPECT_EQ(this->chosen.has_cold_levels(), TypeParam::has_cold_levels());
}

void expect_no_trace_of_hints(const Several& book) {
  const Snapshot before = snapshot_of(book);
  for (const std::uint32_t slot : {0u, 300u, std::numeric_limits<std::uint32_t>::max()}) {
    book.fetch(slot);
    book.fetch_neighbours(slot);
    book.fetch_level(Side::Sell, slot);
  }
  EXPECT_EQ(snapshot_of(book), before);
}

TYPED_TEST(DynamicBookOf, ServesLayersThatKeepSlots) {
  const OrderHandle order = this->handles[4];
  this->expect_same_answer("handle", [&](const auto& book) { return book.handle_at(order.index, 5); });
  EXPECT_EQ(this->chosen.handle_at(order.index, 6), OrderHandle{});
  expect_no_trace_of_hints(this->chosen);
}

/// A book that counts the hints that reach it.
struct Hinted : OrderBook<64> {
  explicit Hinted(OrderBook<64>&& book) : OrderBook<64>(std::move(book)) {}
  static std::optional<Hinted> create(const BookConfig& config, CreateStatus& status) {
    return Hinted(*OrderBook<64>::create(config, status));
  }
  void fetch(std::uint32_t slot) const { slots += slot; }
  void fetch_neighbours(std::uint32_t slot) const { neighbours += slot; }
  void fetch_level(Side side, Price price) const { levels += side == Side::Sell ? price : 0; }

  static inline std::uint32_t slots = 0;
  static inline std::uint32_t neighbours = 0;
  static inline Price levels = 0;
};

TEST(DynamicBook, HandsHintsOn) {
  const auto book = *DynamicBook<Hinted, OrderBook<128>>::create({.price_levels = 64, .capacity = 1});
  book.fetch(3);
  book.fetch_neighbours(5);
  book.fetch_level(Side::Sell, 7);
  EXPECT_EQ(Hinted::slots, 3u);
  EXPECT_EQ(Hinted::neighbours, 5u);
  EXPECT_EQ(Hinted::levels, 7);
}

TYPED_TEST(DynamicBookOf, AllocatesNothingAfterCreation) {
  std::vector<Result> results(100);
  const std::vector<Command> commands = span_of(this->handles);
  const std::uint64_t before = bench::allocation_count();
  const std::size_t applied = this->chosen.apply(commands, results, DiscardTrades{});
  const Result replaced = this->chosen.replace_order(this->handles[4], 1, 7, 9, DiscardTrades{});
  Several moved = std::move(this->chosen);
  this->chosen = std::move(moved);
  const std::size_t cleared = this->chosen.clear();
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_EQ(applied, commands.size());
  EXPECT_EQ(replaced.status, Status::Success);
  EXPECT_GT(cleared, 0u);
}

// ---- Moves.

TYPED_TEST(DynamicBookOf, GoesOnWhereItIsMoved) {
  Several constructed = std::move(this->chosen);
  EXPECT_EQ(snapshot_of(constructed), snapshot_of(this->alone));
  Several assigned = *Several::create({.price_levels = 1, .capacity = 1});
  assigned = std::move(constructed);
  EXPECT_EQ(snapshot_of(assigned), snapshot_of(this->alone));
  Several& same = assigned;
  assigned = std::move(same);
  EXPECT_EQ(snapshot_of(assigned), snapshot_of(this->alone));
  std::swap(this->chosen, assigned);
  this->expect_same_change("cancel", [&](auto& book) { return book.cancel_order(this->handles[2]); });
  EXPECT_EQ(this->chosen.price_levels(), TypeParam::price_levels);
}

/// Every call and every query.
TYPED_TEST(DynamicBookOf, HasNothingOnceMovedFrom) {
  const OrderHandle order = this->handles[2];
  const Several other = std::move(this->chosen);
  Several& book = this->chosen;
  Snapshot nothing;
  nothing.price_max = -1;
  EXPECT_EQ(snapshot_of(book), nothing);
  EXPECT_EQ(book.price_levels(), 0u);
  EXPECT_FALSE(book.has_cold_levels());
  EXPECT_EQ(book.find(order), std::nullopt);
  EXPECT_EQ(book.queue_ahead(order), std::nullopt);
  EXPECT_EQ(book.handle_at(order.index, 3), OrderHandle{});
  expect_no_trace_of_hints(book);
  for (const Side side : {Side::Buy, Side::Sell}) {
    EXPECT_EQ(book.worst(side), std::nullopt);
    EXPECT_EQ(book.level(side, 9), DepthLevel{9});
    book.visit_level(side, 9, [](const RestingOrder&) { ADD_FAILURE(); });
    EXPECT_EQ(book.clear(side), 0u);
    EXPECT_EQ(book.add_limit_order(1, side, 0, 5, TimeInForce::GoodTillCancel, ExpectNoTrade{}),
              Result{Status::PoolFull});
    EXPECT_EQ(book.add_market_order(1, side, 5, ExpectNoTrade{}), Result{Status::PoolFull});
    EXPECT_EQ(book.add_resting_order(1, side, 0, 5), Result{Status::PoolFull});
  }
  RestingOrder untouched{.id = 77};
  EXPECT_EQ(book.clear(), 0u);
  EXPECT_EQ(book.cancel_order(order), Status::UnknownOrder);
  EXPECT_EQ(book.cancel_order(order, untouched), Status::UnknownOrder);
  EXPECT_EQ(book.reduce_order(order, 1), Status::UnknownOrder);
  EXPECT_EQ(book.reduce_order(order, 1, untouched), Status::UnknownOrder);
  EXPECT_EQ(untouched, RestingOrder{.id = 77});
  EXPECT_EQ(book.modify_order(order, 0, 5, ExpectNoTrade{}), Result{Status::UnknownOrder});
  EXPECT_EQ(book.modify_order(order, 0, 5, TimeInForce::PostOnly, ExpectNoTrade{}), Result{Status::UnknownOrder});
  EXPECT_EQ(book.modify_resting_order(order, 0, 5), Result{Status::UnknownOrder});
  EXPECT_EQ(book.replace_order(order, 1, 0, 5, ExpectNoTrade{}), Result{Status::UnknownOrder});
  EXPECT_EQ(book.replace_resting_order(order, 1, 0, 5), Result{Status::UnknownOrder});
  EXPECT_EQ(book.recenter(0), Status::PriceOutOfBand);

  Command invalid;
  invalid.type = static_cast<CommandType>(99);
  const std::vector commands{Command::add_limit(1, Side::Buy, 0, 5, TimeInForce::GoodTillCancel),
                             Command::add_market(1, Side::Buy, 5),
                             Command::cancel(order),
                             Command::modify(order, 0, 5),
                             Command::reduce(order, 5),
                             Command::replace(order, 1, 0, 5),
                             Command::add_resting(1, Side::Buy, 0, 5),
                             Command::modify_resting(order, 0, 5),
                             Command::replace_resting(order, 1, 0, 5),
                             invalid};
  const std::vector<Result> expected{{Status::PoolFull},      {Status::PoolFull},     {Status::UnknownOrder},
                                     {Status::UnknownOrder},  {Status::UnknownOrder}, {Status::UnknownOrder},
                                     {Status::PoolFull},      {Status::UnknownOrder}, {Status::UnknownOrder},
                                     {Status::InvalidCommand}};
  std::vector<Result> results(commands.size());
  EXPECT_EQ(book.apply(commands, results, ExpectNoTrade{}), commands.size());
  EXPECT_EQ(results, expected);
  std::size_t next = 0;
  book.apply(
      commands,
      [&](const Result& result, std::size_t i) {
        EXPECT_EQ(i, next++);
        EXPECT_EQ(result, expected[i]);
        EXPECT_EQ(book.apply(commands[i], ExpectNoTrade{}), expected[i]);
      },
      ExpectNoTrade{});
  EXPECT_EQ(next, commands.size());
  EXPECT_EQ(snapshot_of(other), snapshot_of(this->alone));
}

TYPED_TEST(DynamicBookOf, CanBeAssignedABookAgain) {
  Several other = std::move(this->chosen);
  this->chosen = std::move(other);
  EXPECT_EQ(snapshot_of(this->chosen), snapshot_of(this->alone));
  Several twice = std::move(other);
  EXPECT_EQ(twice.price_levels(), 0u);
}

}  // namespace
}  // namespace llmes::test
