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

namespace llmes::test::feed_book_test {
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
    const auto at = [&](Price price) {
      const auto found = std::find_if(levels.begin(), levels.end(),
                                      [&](const DepthLevel& other) { return other.price == price; });
      return found == levels.end() ? DepthLevel{price, 0, 0} : *found;
    };
    if (level.price == 4'294'967'295) continue;
    ASSERT_EQ(feed.level(symbol, side, Price4(level.price + 1)), at(level.price + 1));
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
  explicit Feed(std::uint64_t seed) : random_(seed), oracle_(symbols, capacity) {
    for (std::uint16_t locate = 0; locate <= symbols + 1; ++locate) redraw(locate);
  }

  Bytes next() {
    const std::uint64_t kind = random_.below(100);
    const auto locate = static_cast<std::uint16_t>(random_.chance(96) ? 1 + random_.below(symbols)
                                                                      : random_.below(2) * (symbols + 1));
    const auto shares = static_cast<std::uint32_t>(random_.below(20));
    if (kind < 45) {
      const char side = random_.chance(98) ? "BS"[random_.below(2)] : '\xff';
      const FeedOracle::Order order{fresh(), locate, side, price(locate), shares};
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
      const std::uint32_t at = price(old.locate);
      oracle_.replace(where, old.reference, new_reference, shares, at);
      return replace(where, old.reference, new_reference, shares, at);
    }
    return no_order();
  }

  /// Takes a symbol's orders off. It may trade at other steps from then on.
  void clear(std::uint16_t locate) {
    oracle_.clear(locate);
    redraw(locate);
  }
  /// References begin anew.
  void begin_day() {
    oracle_.begin_day();
    last_ = 0;
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

  void redraw(std::uint16_t locate) {
    constexpr std::array<std::uint32_t, 9> divisors{100, 50, 25, 20, 10, 5, 4, 2, 1};
    for (std::uint32_t& step : steps_[locate]) step = divisors[random_.below(divisors.size())];
    has_strays_[locate] = random_.chance(30);
  }

  /// Near one dollar, where grids change; far away; or at one of the two steps of its symbol. A symbol may have an
  /// order anywhere now and then.
  std::uint32_t price(std::uint16_t locate) {
    if (locate > symbols) locate = 0;
    const std::uint64_t kind = random_.below(100);
    if (kind < 15) return static_cast<std::uint32_t>(9'990 + random_.below(10));
    if (kind < 17 && has_strays_[locate]) return static_cast<std::uint32_t>(10'000 + random_.below(3'000));
    const std::uint32_t step = steps_[locate][kind % 16 == 0];
    if (kind < 90) return static_cast<std::uint32_t>(10'000 + step * random_.below(25));
    const std::array<std::uint32_t, 6> far{
        0, 1, 1'999'999'900, 4'294'967'200, 4'294'967'295U / step * step, 1'000'000 + step};
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
  std::array<std::array<std::uint32_t, 2>, symbols + 2> steps_{};
  std::array<bool, symbols + 2> has_strays_{};
};

/// All that two books of a feed say is what the oracle says.
void expect_oracle(const FeedBook& feed, const FeedOracle& oracle) {
  ASSERT_EQ(named(feed.faults()), oracle.faults());
  for (std::uint16_t locate = 0; locate <= symbols + 1; ++locate) {
    std::size_t size = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::vector<RestingOrder> queue = oracle.queue(locate, side);
      expect_side(feed, locate, side, queue);
      if (::testing::Test::HasFatalFailure()) return;
      size += queue.size();
    }
    ASSERT_EQ(feed.size(Locate{locate}), size);
  }
  for (const FeedOracle::Order& order : oracle.orders()) {
    ASSERT_EQ(feed.locate_of(Reference{order.reference}), Locate{order.locate});
  }
}

class FeedBookFollows : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FeedBookFollows, ::testing::Range(std::uint64_t{1}, std::uint64_t{13}));

/// And symbols that are cleared, and new days.
TEST_P(FeedBookFollows, RandomMessagesOneAtATimeAndManyAtOnce) {
  const std::uint64_t seed = GetParam();
  Feed messages(seed);
  Random random(seed);
  FeedBook single = *FeedBook::create({.symbols = symbols, .capacity = capacity});
  FeedBook batched = *FeedBook::create({.symbols = symbols, .capacity = capacity});
  std::map<std::string, std::uint64_t> faults;
  std::vector<Bytes> kept;
  for (int i = 0; i < 3'000; ++i) {
    const Bytes& message = kept.emplace_back(messages.next());
    const std::uint64_t allocations = bench::allocation_count();
    single.apply(message);
    ASSERT_EQ(bench::allocation_count(), allocations);
    ASSERT_EQ(single.size(), messages.oracle().orders().size());
    ASSERT_EQ(named(single.faults()), messages.oracle().faults());
    if (kept.size() <= seed * 20) continue;  // more than a block, less, or of the same size
    const std::vector<itch::MessageBytes> many(kept.begin(), kept.end());
    const std::uint64_t more = bench::allocation_count();
    batched.apply(many);
    ASSERT_EQ(bench::allocation_count(), more);
    kept.clear();
    expect_oracle(single, messages.oracle());
    expect_oracle(batched, messages.oracle());
    if (HasFatalFailure()) return;
    for (const auto& [fault, count] : messages.oracle().faults()) faults[fault] += count;
    if (random.chance(30)) {
      const auto locate = static_cast<std::uint16_t>(1 + random.below(symbols));
      const std::size_t size = single.size(Locate{locate});
      messages.clear(locate);
      EXPECT_EQ(single.clear(Locate{locate}), size);
      EXPECT_EQ(batched.clear(Locate{locate}), size);
    } else if (random.chance(10)) {
      messages.begin_day();
      single.begin_day();
      batched.begin_day();
    } else {
      continue;
    }
    expect_oracle(single, messages.oracle());
    expect_oracle(batched, messages.oracle());
    if (HasFatalFailure()) return;
  }
  for (const char* fault : {"unknown type", "wrong size", "unknown symbol", "invalid side", "unknown reference",
                            "duplicate reference", "zero quantity", "over-execution", "no room"}) {
    EXPECT_GT(faults.count(fault), 0u) << fault;
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
  Feed messages(7);
  std::vector<Bytes> kept;
  for (int i = 0; i < 1'500; ++i) kept.push_back(messages.next());
  const std::vector<itch::MessageBytes> many(kept.begin(), kept.end());
  const FeedBookConfig config{.symbols = symbols, .capacity = capacity};
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

/// With the order that the message is about, which may have left by then.
TEST(FeedBookChanged, IsToldOfTheOrderOfEachMessage) {
  Feed messages(8);
  std::vector<Bytes> kept;
  for (int i = 0; i < 1'500; ++i) kept.push_back(messages.next());
  const std::vector<itch::MessageBytes> many(kept.begin(), kept.end());
  FeedBook feed = *FeedBook::create({.symbols = symbols, .capacity = capacity});
  FeedBook follower = *FeedBook::create({.symbols = symbols, .capacity = capacity});
  std::size_t next = 0;
  std::size_t left = 0;
  feed.apply(many, [&](itch::MessageBytes message, const RestingOrder& order) {
    while (many[next].data() != message.data()) follower.apply(many[next++]);
    const itch::OrderFields fields = itch::order_fields(message);
    const bool is_new = fields.action == itch::OrderAction::Add;
    std::optional<RestingOrder> expected = follower.find(fields.reference);
    EXPECT_EQ(expected.has_value(), !is_new);
    follower.apply(many[next++]);
    if (is_new) expected = follower.find(fields.reference);
    left += !follower.find(fields.reference);
    ASSERT_TRUE(expected);
    expected->handle = order.handle;
    EXPECT_EQ(order, *expected) << next;
  });
  EXPECT_EQ(all_orders(feed).size(), feed.size());
  EXPECT_GT(left, 100u);
}

/// An execution does not say at which price: the listener is told.
TEST(FeedBookChanged, IsToldOfTheOrderThatAnExecutionFills) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 10});
  const std::vector<Bytes> messages{add(1, 7, 'S', 30, 1'000'050), execute(1, 7, 10), execute(1, 7, 20)};
  const std::vector<itch::MessageBytes> many(messages.begin(), messages.end());
  std::vector<std::pair<Price, Quantity>> told;
  feed.apply(many, [&](itch::MessageBytes, const RestingOrder& order) {
    EXPECT_EQ(order.id, 7u);
    EXPECT_EQ(order.side, Side::Sell);
    told.emplace_back(order.price, order.quantity);
  });
  EXPECT_EQ(told, (std::vector<std::pair<Price, Quantity>>{{1'000'050, 30}, {1'000'050, 30}, {1'000'050, 20}}));
  EXPECT_EQ(feed.size(), 0u);
}

TEST(FeedBookSymbols, AreClearedOneByOneOrForANewDay) {
  FeedBook feed = *FeedBook::create({.symbols = 2, .capacity = 10});
  feed.apply(bytes(itch::StockDirectory{.header = {.locate = Locate{1}}, .symbol = std::string_view("A")}));
  feed.apply(add(1, 1, 'B', 10, 20'050));
  feed.apply(add(1, 2, 'S', 10, 30'000));
  feed.apply(add(2, 3, 'S', 10, 20'001));
  feed.apply(remove(2, 99));
  EXPECT_EQ(feed.locate_of(Reference{3}), Locate{2});
  EXPECT_EQ(feed.locate_of(Reference{99}), std::nullopt);
  EXPECT_EQ(feed.clear(Locate{0}), 0u);
  EXPECT_EQ(feed.clear(Locate{3}), 0u);
  EXPECT_EQ(feed.clear(Locate{1}), 2u);
  EXPECT_EQ(feed.size(), 1u);
  EXPECT_EQ(feed.find(Reference{1}), std::nullopt);
  EXPECT_EQ(feed.symbol(Locate{1}).view(), "A");
  EXPECT_TRUE(feed.apply(add(1, 1, 'B', 10, 30'000))) << "its reference may come again";
  feed.begin_day();
  EXPECT_EQ(feed.size(), 0u);
  EXPECT_EQ(feed.faults().total(), 0u);
  EXPECT_EQ(feed.symbol(Locate{1}), itch::Symbol{});
  EXPECT_TRUE(feed.apply(add(2, 3, 'S', 10, 20'100)));
  EXPECT_EQ(feed.best(Locate{2}, Side::Sell), Price4{20'100});
}

/// The windows of the two sides hold some levels, and nothing else does.
TEST(FeedBookQueries, OfWhatIsNotThereFindNothing) {
  FeedBook feed = *FeedBook::create({.symbols = 2, .capacity = 5});
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
  EXPECT_EQ(to_string(static_cast<FeedFault>(99)), "?");
}

TEST(FeedBookRoom, ForTheNewOrderOfAReplaceMayBeMissing) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 10, .far_levels = 0});
  feed.apply(add(1, 1, 'B', 10, 1'000'000));
  feed.apply(add(1, 2, 'B', 10, 1'000'100));
  feed.apply(replace(1, 2, 3, 10, 100));  // far away
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 1u);
  EXPECT_EQ(feed.size(), 1u);
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

/// While a grid becomes finer, there must be a far level for each level of the symbol. If there may not be,
/// nothing happens but that the new order is refused.
TEST(FeedBookRoom, ForAFinerGridMayBeMissing) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 10, .far_levels = 2});
  feed.apply(add(1, 1, 'B', 10, 1'000'000));
  feed.apply(add(1, 2, 'B', 20, 1'000'100));
  feed.apply(add(1, 3, 'S', 30, 1'000'200));
  const auto expect_refused = [&](const Bytes& message, std::uint64_t count) {
    feed.apply(message);
    EXPECT_EQ(feed.faults()[FeedFault::NoRoom], count);
  };
  expect_refused(add(1, 4, 'B', 10, 1'000'050), 1);
  feed.apply(add(1, 3, 'B', 10, 1'000'050));
  EXPECT_EQ(feed.faults()[FeedFault::DuplicateReference], 1u) << "no grid changes for an order that is refused";
  EXPECT_EQ(feed.size(), 3u);
  EXPECT_EQ(feed.best(Locate{1}, Side::Buy), Price4{1'000'100});
  std::vector<itch::MessageBytes> told;
  const Bytes off_grid = replace(1, 1, 5, 10, 1'000'050);
  const std::array<itch::MessageBytes, 1> span{off_grid};
  feed.apply(span, [&](itch::MessageBytes message, const RestingOrder& old) {
    told.push_back(message);
    EXPECT_EQ(old.id, 1u);
    EXPECT_EQ(old.price, 1'000'000);
  });
  EXPECT_EQ(told.size(), 1u) << "the old order leaves";
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 2u);
  EXPECT_EQ(feed.size(), 2u);
  feed.apply(remove(1, 3));
  EXPECT_TRUE(feed.apply(add(1, 6, 'B', 10, 1'000'050))) << "now there is room";
  EXPECT_EQ(feed.faults().total(), 3u);
}

/// As many symbols as may be quoted in half pennies, and more than one grid could be found for by chance.
TEST(FeedBookPrices, OfAnyStepAreHeldOfAnyNumberOfSymbols) {
  constexpr std::uint16_t fine = 300;
  constexpr std::uint64_t each = 120;
  FeedBook feed = *FeedBook::create({.symbols = fine, .capacity = fine * each});
  std::uint64_t reference = 0;
  for (std::uint32_t i = 0; i < each; ++i) {
    for (std::uint16_t locate = 1; locate <= fine; ++locate) {
      const char side = "BS"[i % 2];
      const std::uint32_t step = locate % 100 == 0 ? 1 : 50;
      ASSERT_TRUE(feed.apply(add(locate, ++reference, side, 100, 250'000 + (side == 'B' ? -i : i) * step)));
    }
  }
  EXPECT_EQ(feed.faults().total(), 0u);
  EXPECT_EQ(feed.size(), fine * each);
  for (const auto& [locate, step] : {std::pair<int, Price>{1, 50}, {100, 1}}) {
    std::array<DepthLevel, 5> levels;
    ASSERT_EQ(feed.depth(Locate(locate), Side::Buy, levels), levels.size());
    for (Price i = 0; i < 5; ++i)
      EXPECT_EQ(levels[static_cast<std::size_t>(i)], (DepthLevel{250'000 - 2 * i * step, 100, 1}));
  }
}

/// All slots and all far levels are in use when the grid becomes finer.
TEST(FeedBookPrices, OfAFinerStepAreHeldInAFullBook) {
  FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = 200});
  for (std::uint32_t i = 1; i < 200; ++i) ASSERT_TRUE(feed.apply(add(1, i, 'S', i, 1'000'000 + i * 10'000)));
  EXPECT_TRUE(feed.apply(add(1, 200, 'S', 7, 999'999)));
  EXPECT_FALSE(feed.apply(add(1, 201, 'S', 7, 999'999)));
  EXPECT_EQ(feed.faults()[FeedFault::NoRoom], 1u);
  EXPECT_EQ(feed.best(Locate{1}, Side::Sell), Price4{999'999});
  std::uint32_t count = 0;
  feed.visit_orders(Locate{1}, Side::Sell, [&](const RestingOrder& order) {
    if (count > 0) {
      EXPECT_EQ(order.id, count);
      EXPECT_EQ(order.price, 1'000'000 + Price{count} * 10'000);
    }
    ++count;
  });
  EXPECT_EQ(count, 200u);
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

TEST(PriceGrids, NumberTheirPricesWithoutGaps) {
  for (const PriceGrid& grid : price_grids) {
    SCOPED_TRACE(grid.step());
    Price last = -1;
    for (std::uint32_t price = 0; price < 30'000; ++price) {
      const bool on_grid = price <= 10'000 || price % grid.step() == 0;
      ASSERT_EQ(grid.holds(Price4{price}), on_grid);
      if (!on_grid) continue;
      ASSERT_EQ(grid.tick(Price4{price}), ++last);
      ASSERT_EQ(grid.price(last), price);
    }
    EXPECT_EQ(grid.price(-1), -1);
    for (std::uint32_t back = 0; back < 1'000; ++back) {
      const std::uint32_t price = 4'294'967'295 - back;
      const bool on_grid = price % grid.step() == 0;
      ASSERT_EQ(grid.holds(Price4{price}), on_grid);
      if (!on_grid) continue;
      ASSERT_EQ(grid.price(grid.tick(Price4{price})), price);
    }
  }
}

TEST(PriceGrids, AreAsCoarseAsPricesAllow) {
  const auto step_with = [](std::uint32_t step, std::uint32_t price) {
    std::uint8_t number = 0;
    while (price_grids[number].step() != step) ++number;
    return price_grids[grid_with(number, Price4{price})].step();
  };
  EXPECT_EQ(step_with(100, 250'000), 100u);
  EXPECT_EQ(step_with(100, 1), 100u) << "below a dollar every price is on each grid";
  EXPECT_EQ(step_with(100, 250'050), 50u);
  EXPECT_EQ(step_with(50, 250'020), 10u);
  EXPECT_EQ(step_with(20, 250'005), 5u);
  EXPECT_EQ(step_with(100, 250'001), 1u);
  EXPECT_EQ(step_with(4, 250'002), 2u);
}

}  // namespace
}  // namespace llmes::test::feed_book_test
