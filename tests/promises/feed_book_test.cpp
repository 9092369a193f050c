// SPDX-License-Identifier: MIT
//
// The books of a feed: random messages, right and wrong, one at a time and many at once, against an oracle. And
// the contracts of single calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/market_data/feed_book.hpp"
#include "tests/support/feed_oracle.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

using itch::BuySell;
using itch::Locate;
using itch::Price4;
using itch::Reference;

using Bytes = std::vector<std::byte>;

template <itch::Message M>
[[nodiscard]] Bytes bytes(const M& message) {
  const auto all = itch::bytes_of(message);
  return {all.begin(), all.end()};
}

[[nodiscard]] Bytes add(int locate, std::uint64_t reference, char side, std::uint32_t shares,
                        std::uint32_t price) {
  return bytes(itch::AddOrder{.header = {.locate = Locate(locate)},
                              .reference = Reference{reference},
                              .side = static_cast<BuySell>(side),
                              .shares = shares,
                              .price = Price4{price}});
}
[[nodiscard]] Bytes execute(int locate, std::uint64_t reference, std::uint32_t shares) {
  return bytes(itch::OrderExecuted{
      .header = {.locate = Locate(locate)}, .reference = Reference{reference}, .shares = shares});
}
[[nodiscard]] Bytes cancel(int locate, std::uint64_t reference, std::uint32_t shares) {
  return bytes(itch::OrderCancel{
      .header = {.locate = Locate(locate)}, .reference = Reference{reference}, .shares = shares});
}
[[nodiscard]] Bytes remove(int locate, std::uint64_t reference) {
  return bytes(itch::OrderDelete{.header = {.locate = Locate(locate)}, .reference = Reference{reference}});
}
[[nodiscard]] Bytes replace(int locate, std::uint64_t reference, std::uint64_t new_reference, std::uint32_t shares,
                            std::uint32_t price) {
  return bytes(itch::OrderReplace{.header = {.locate = Locate(locate)},
                                  .reference = Reference{reference},
                                  .new_reference = Reference{new_reference},
                                  .shares = shares,
                                  .price = Price4{price}});
}

[[nodiscard]] std::map<std::string, std::uint64_t> named(const FeedFaults& faults) {
  std::map<std::string, std::uint64_t> all;
  for (std::size_t i = 0; i < FeedFaults::kinds; ++i) {
    const auto fault = static_cast<FeedFault>(i);
    if (faults[fault] != 0) all[std::string(to_string(fault))] = faults[fault];
  }
  return all;
}

/// All that the queries say of a side is what its queue says.
void expect_side(const FeedBook& feed, std::uint16_t locate, Side side, const std::vector<RestingOrder>& queue) {
  const Locate symbol{locate};
  std::vector<RestingOrder> visited;
  feed.visit_orders(symbol, side, [&](const RestingOrder& order) { visited.push_back(order); });
  std::vector<DepthLevel> levels;
  for (RestingOrder& order : visited) {
    const auto found = feed.find(Reference{order.id});
    ASSERT_EQ(found, order);
    if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price, 0, 0});
    const auto ahead = feed.queue_ahead(Reference{order.id});
    ASSERT_TRUE(ahead && *ahead == (QueuePosition{levels.back().quantity, levels.back().order_count}));
    levels.back().quantity += order.quantity;
    ++levels.back().order_count;
    order.handle = {};
  }
  ASSERT_EQ(visited, queue);
  const auto best = feed.best(symbol, side);
  ASSERT_EQ(best.has_value(), !queue.empty());
  const FeedTouch touch = feed.touch(symbol);
  ASSERT_EQ(side == Side::Buy ? touch.bid() : touch.ask(), best);
  if (best) {
    ASSERT_EQ(static_cast<Price>(*best), queue.front().price);
  }
  for (const DepthLevel& level : levels) {
    ASSERT_EQ(feed.level(symbol, side, Price4(level.price)), level);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, levels.size() / 2, levels.size() + 1}) {
    std::vector<DepthLevel> depth(size);
    depth.resize(feed.depth(symbol, side, depth));
    ASSERT_TRUE(std::equal(depth.begin(), depth.end(), levels.begin(),
                           levels.begin() + static_cast<std::ptrdiff_t>(std::min(size, levels.size()))));
  }
  for (const std::size_t stop : {std::size_t{1}, visited.size() / 2}) {
    std::size_t count = 0;
    feed.visit_orders(symbol, side, [&](const RestingOrder&) { return ++count < stop; });
    ASSERT_EQ(count, std::min(std::max<std::size_t>(stop, 1), visited.size()));
  }
}

constexpr std::uint16_t symbols = 4;
constexpr std::size_t capacity = 60;

/// Random messages, many of them wrong, and what they should do.
class Feed {
 public:
  Feed(std::uint64_t seed, std::size_t off_grid_symbols)
      : random_(seed), oracle_(symbols, capacity, off_grid_symbols) {}

  Bytes next() {
    const std::uint64_t kind = random_.below(100);
    const auto locate = static_cast<std::uint16_t>(random_.chance(96) ? 1 + random_.below(symbols)
                                                                      : random_.below(2) * (symbols + 1));
    const auto shares = static_cast<std::uint32_t>(random_.below(20));
    if (kind < 45) {
      const char side = random_.chance(98) ? "BS"[random_.below(2)] : '\xff';
      const FeedOracle::Order order{fresh(), locate, side, price(), shares};
      oracle_.add(order);
      if (random_.chance(50)) return add(locate, order.reference, side, shares, order.price);
      return bytes(itch::AddAttributedOrder{.header = {.locate = Locate{locate}},
                                            .reference = Reference{order.reference},
                                            .side = static_cast<BuySell>(side),
                                            .shares = shares,
                                            .price = Price4{order.price}});
    }
    const FeedOracle::Order old = some_order();
    if (kind < 60) {
      oracle_.reduce(old.reference, shares);
      if (kind < 50) return execute(old.locate, old.reference, shares);
      if (kind < 55) return cancel(locate, old.reference, shares);
      return bytes(itch::OrderExecutedWithPrice{.reference = Reference{old.reference}, .shares = shares});
    }
    if (kind < 75) {
      oracle_.remove_order(old.reference);
      return remove(locate, old.reference);
    }
    if (kind < 95) {
      const std::uint16_t where = random_.chance(90) ? old.locate : locate;
      const std::uint64_t new_reference = random_.chance(98) ? fresh() : old.reference;
      const std::uint32_t at = price();
      oracle_.replace(where, old.reference, new_reference, shares, at);
      return replace(where, old.reference, new_reference, shares, at);
    }
    return no_order();
  }

  [[nodiscard]] const FeedOracle& oracle() const { return oracle_; }

 private:
  /// A reference that grows with gaps, or now and then one that was there before.
  std::uint64_t fresh() { return random_.chance(97) ? last_ += 1 + random_.below(900) : some_order().reference; }

  FeedOracle::Order some_order() {
    if (oracle_.orders().empty() || random_.chance(3)) return {random_.next(), 1, 'B', 1, 1};
    return *std::next(oracle_.orders().begin(),
                      static_cast<std::ptrdiff_t>(random_.below(oracle_.orders().size())));
  }

  /// Near one dollar, where the grid changes; far away; or between two prices of the grid.
  std::uint32_t price() {
    const auto near = static_cast<std::uint32_t>(9'990 + random_.below(20));
    const auto cents = static_cast<std::uint32_t>(100 * (98 + random_.below(6)));
    const std::uint64_t kind = random_.below(10);
    if (kind < 5) return cents;
    if (kind < 7) return near > 10'000 ? cents : near;
    if (kind < 9) return static_cast<std::uint32_t>(10'000 + random_.below(400));
    constexpr std::array<std::uint32_t, 5> far{0, 1, 1'999'999'900, 4'294'967'200, 4'294'967'295};
    return far[random_.below(far.size())];
  }

  /// A message that is not about an order, or no message at all.
  Bytes no_order() {
    switch (random_.below(4)) {
      case 0: return bytes(itch::Trade{.shares = 5u});
      case 1: oracle_.count("unknown type"); return Bytes(1 + random_.below(60), std::byte{'z'});
      case 2:
        oracle_.count("wrong size");
        return Bytes(random_.below(2) * (20 + random_.below(15)), std::byte{'A'});
      default: return bytes(itch::SystemEvent{});
    }
  }

  Random random_;
  FeedOracle oracle_;
  std::uint64_t last_ = 0;
};

class FeedBookFollows : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(OffGridSymbols, FeedBookFollows, ::testing::Values(0, 2, 4));

TEST_P(FeedBookFollows, RandomMessagesOneAtATimeAndManyAtOnce) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Feed messages(seed, GetParam());
    const FeedBookConfig config{.symbols = symbols, .capacity = capacity, .off_grid_symbols = GetParam()};
    FeedBook single = *FeedBook::create(config);
    FeedBook batched = *FeedBook::create(config);
    std::vector<Bytes> kept;
    for (int i = 0; i < 1'500; ++i) {
      const Bytes& message = kept.emplace_back(messages.next());
      const std::uint64_t allocations = bench::allocation_count();
      single.apply(message);
      ASSERT_EQ(bench::allocation_count(), allocations);
      const FeedOracle& oracle = messages.oracle();
      ASSERT_EQ(single.size(), oracle.orders().size());
      ASSERT_EQ(named(single.faults()), oracle.faults());
      if (kept.size() <= seed * 40) continue;  // more than a block, less, or of the same size
      const std::vector<itch::MessageBytes> many(kept.begin(), kept.end());
      const std::uint64_t more = bench::allocation_count();
      batched.apply(many);
      ASSERT_EQ(bench::allocation_count(), more);
      kept.clear();
      ASSERT_EQ(named(batched.faults()), oracle.faults());
      for (std::uint16_t locate = 0; locate <= symbols + 1; ++locate) {
        std::size_t size = 0;
        for (const Side side : {Side::Buy, Side::Sell}) {
          const std::vector<RestingOrder> queue = oracle.queue(locate, side);
          expect_side(single, locate, side, queue);
          expect_side(batched, locate, side, queue);
          if (HasFatalFailure()) return;
          size += queue.size();
        }
        ASSERT_EQ(single.size(Locate{locate}), size);
      }
    }
    for (const char* fault : {"unknown type", "wrong size", "unknown symbol", "invalid side", "unknown reference",
                              "duplicate reference", "zero quantity", "over-execution", "no room"}) {
      EXPECT_GT(messages.oracle().faults().count(fault), 0u) << fault;
    }
  }
}

TEST(FeedBookSymbols, HaveTheNamesOfTheirDirectory) {
  FeedBook feed = *FeedBook::create({.symbols = 3, .capacity = 10});
  EXPECT_EQ(feed.symbol_count(), 3u);
  EXPECT_EQ(feed.symbol(Locate{2}), itch::Symbol{});
  for (const int locate : {2, 3, 4, 0}) {
    const std::string name = "SYM" + std::to_string(locate);
    feed.apply(
        bytes(itch::StockDirectory{.header = {.locate = Locate(locate)}, .symbol = std::string_view(name)}));
  }
  EXPECT_EQ(feed.symbol(Locate{2}).view(), "SYM2");
  EXPECT_EQ(feed.locate_of("SYM3"), Locate{3});
  EXPECT_EQ(feed.locate_of("SYM4"), std::nullopt);
  EXPECT_EQ(feed.locate_of("SYM3    "), Locate{3});
  EXPECT_EQ(feed.locate_of("SYM3     "), std::nullopt) << "more letters than a symbol has";
  EXPECT_EQ(feed.locate_of(""), std::nullopt) << "no symbol, although nobody has named some";
  EXPECT_EQ(feed.symbol(Locate{4}), itch::Symbol{});
  EXPECT_EQ(feed.symbol(Locate{0}), itch::Symbol{});
  EXPECT_EQ(feed.faults()[FeedFault::UnknownSymbol], 2u);
}

[[nodiscard]] std::vector<RestingOrder> all_orders(const FeedBook& feed) {
  std::vector<RestingOrder> all;
  for (std::uint16_t locate = 1; locate <= symbols; ++locate) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      feed.visit_orders(Locate{locate}, side, [&](const RestingOrder& order) { all.push_back(order); });
    }
  }
  return all;
}

/// And finds the books as the message has left them.
TEST(FeedBookChanged, IsToldOfEachMessageThatChangesAnOrder) {
  Feed messages(7, 2);
  std::vector<Bytes> kept;
  for (int i = 0; i < 1'500; ++i) kept.push_back(messages.next());
  const std::vector<itch::MessageBytes> many(kept.begin(), kept.end());
  const FeedBookConfig config{.symbols = symbols, .capacity = capacity, .off_grid_symbols = 2};
  FeedBook feed = *FeedBook::create(config);
  FeedBook follower = *FeedBook::create(config);
  std::size_t next = 0;
  std::vector<RestingOrder> before;
  std::size_t calls = 0;
  const auto expect_unchanged = [&](std::size_t end) {
    for (; next < end; ++next) follower.apply(many[next]);
    ASSERT_EQ(all_orders(follower), before) << next;
  };
  feed.apply(many, [&](itch::MessageBytes message) {
    const auto told = std::find_if(many.begin(), many.end(),
                                   [&](itch::MessageBytes other) { return other.data() == message.data(); });
    expect_unchanged(static_cast<std::size_t>(told - many.begin()));
    follower.apply(many[next++]);
    const std::vector<RestingOrder> after = all_orders(follower);
    EXPECT_NE(after, before) << next;
    EXPECT_EQ(all_orders(feed), after) << next;
    before = after;
    ++calls;
  });
  expect_unchanged(many.size());
  EXPECT_GT(calls, 500u);
  EXPECT_LT(calls, many.size() - 200);
}

/// The windows of the two sides hold some levels, and nothing else does.
TEST(FeedBookQueries, OfWhatIsNotThereFindNothing) {
  FeedBook feed = *FeedBook::create({.symbols = 2, .capacity = 5, .off_grid_symbols = 1});
  for (const Locate locate : {Locate{0}, Locate{1}, Locate{9}}) {
    EXPECT_FALSE(feed.best(locate, Side::Buy));
    for (const Price4 price : {Price4{1'000'000}, Price4{1'000'001}}) {  // on the grid and off it
      const DepthLevel level = feed.level(locate, Side::Sell, price);
      EXPECT_EQ(level.quantity, 0u);
      EXPECT_EQ(level.order_count, 0u);
      EXPECT_EQ(level.price, static_cast<Price>(price));
    }
  }
  EXPECT_FALSE(feed.find(Reference{3}));
  EXPECT_FALSE(feed.queue_ahead(Reference{3}));
  EXPECT_EQ(to_string(static_cast<FeedFault>(99)), "unknown fault");
}

TEST(FeedBookRoom, ForTheNewOrderOfAReplaceMayBeMissing) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 10, .far_levels = 0, .off_grid_symbols = 0});
  feed.apply(add(1, 1, 'B', 10, 1'000'000));
  feed.apply(add(1, 2, 'B', 10, 1'000'100));
  feed.apply(replace(1, 2, 3, 10, 100));  // far away
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 1u);
  EXPECT_EQ(feed.size(), 1u);
  feed.apply(replace(1, 1, 4, 10, 1'000'050));  // off the grid
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 2u);
  EXPECT_EQ(feed.size(), 0u);
}

/// The room that the old order leaves may be what the new one needs.
TEST(FeedBookRoom, OfTheOldOrderOfAReplaceIsForTheNewOne) {
  FeedBook feed = *FeedBook::create({.symbols = 2, .capacity = 10, .far_levels = 1});
  feed.apply(add(1, 1, 'B', 10, 1'000'000));
  feed.apply(add(1, 2, 'B', 20, 100));
  EXPECT_TRUE(feed.apply(replace(1, 2, 3, 30, 200)));
  EXPECT_EQ(feed.level(Locate{1}, Side::Buy, Price4{200}).quantity, 30u);
  EXPECT_EQ(feed.size(), 2u);
  EXPECT_EQ(feed.faults().total(), 0u);
  EXPECT_TRUE(feed.apply(replace(2, 3, 4, 30, 300))) << "of another symbol";
  EXPECT_EQ(feed.faults()[FeedFault::UnknownSymbol], 1u);
  EXPECT_EQ(feed.size(), 1u);

  FeedBook lone = *FeedBook::create({.symbols = 1, .capacity = 10, .far_levels = 0});
  lone.apply(add(1, 1, 'S', 10, 1'000'000));
  EXPECT_TRUE(lone.apply(replace(1, 1, 2, 10, 2'000'000)));
  EXPECT_EQ(lone.best(Locate{1}, Side::Sell), Price4{2'000'000});
  EXPECT_EQ(lone.faults().total(), 0u);
}

TEST(FeedBookRoom, OffTheGridIsNotTakenByOrdersOfNoShares) {
  FeedBook feed = *FeedBook::create({.symbols = 3, .capacity = 10, .off_grid_symbols = 1});
  for (const std::uint16_t locate : {std::uint16_t{1}, std::uint16_t{2}})
    feed.apply(add(locate, locate, 'B', 0, 1'000'050));
  EXPECT_EQ(feed.faults()[FeedFault::ZeroQuantity], 2u);
  EXPECT_TRUE(feed.apply(add(3, 3, 'B', 10, 1'000'050)));
  EXPECT_EQ(feed.faults().total(), 2u);
}

/// Far levels are what is left of them: each order here takes one.
TEST(FeedBookRoom, OfLevelsFarFromTheMarketIsLimited) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 10, .far_levels = 1});
  feed.apply(add(1, 1, 'B', 10, 1'000'000));
  feed.apply(add(1, 2, 'B', 10, 100));
  feed.apply(add(1, 3, 'B', 10, 200));
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 1u);
  EXPECT_EQ(feed.size(), 2u);
}

TEST(FeedBookCreate, RefusesWhatCannotBe) {
  CreateStatus status{};
  EXPECT_FALSE(FeedBook::create({.symbols = 0, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(FeedBook::create({.symbols = 65'536, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(FeedBook::create({.symbols = 1, .capacity = 0}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_TRUE(FeedBook::create({.symbols = 1, .capacity = 1, .off_grid_symbols = 1'000'000'000}, status));
  EXPECT_EQ(status, CreateStatus::Success);
}

TEST(FeedBookMoved, TakesItsOrdersAlongAndLeavesNone) {
  FeedBook old = *FeedBook::create({.symbols = 2, .capacity = 10});
  old.apply(add(1, 7, 'S', 10, 20'050));
  old.apply(add(1, 8, 'S', 10, 20'100));
  FeedBook feed = std::move(old);
  EXPECT_EQ(feed.size(Locate{1}), 2u);
  EXPECT_EQ(feed.best(Locate{1}, Side::Sell), Price4{20'050});
  old.apply(add(1, 9, 'B', 10, 20'100));  // NOLINT(bugprone-use-after-move)
  old.apply(remove(1, 7));
  EXPECT_EQ(old.size(), 0u);
  EXPECT_EQ(old.best(Locate{1}, Side::Sell), std::nullopt);
  EXPECT_EQ(old.faults()[FeedFault::UnknownSymbol], 1u);
  EXPECT_EQ(old.faults()[FeedFault::UnknownReference], 1u);
  FeedBook other = *FeedBook::create({.symbols = 1, .capacity = 1});
  other = std::move(feed);
  EXPECT_EQ(other.size(), 2u);
  EXPECT_EQ(other.best(Locate{1}, Side::Sell), Price4{20'050});
  old = std::move(other);
  EXPECT_EQ(old.size(), 2u);
  EXPECT_EQ(old.faults().total(), 0u);
}

TEST(FeedBookPrices, AreThoseOfTheGridWithoutGaps) {
  Price last = -1;
  for (std::uint32_t price = 0; price < 30'000; ++price) {
    const bool on_grid = price <= 10'000 || price % 100 == 0;
    ASSERT_EQ(DollarTicks::holds(Price4{price}), on_grid);
    if (!on_grid) continue;
    ASSERT_EQ(DollarTicks::tick(Price4{price}), ++last);
    ASSERT_EQ(DollarTicks::price(last), Price4{price});
  }
}

}  // namespace
}  // namespace llmes::test
