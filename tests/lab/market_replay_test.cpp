// SPDX-License-Identifier: MIT
//
// Contestants over many books do the same work: after every message their best prices, and at the end all of their
// queues, are those of a market made of maps and lists. One that does other work than planned is refused.
#include "bench/harness/market_replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/contenders/btree_market.hpp"
#include "bench/contenders/registry.hpp"
#include "bench/contenders/tree_market.hpp"
#include "bench/contenders/vector_levels.hpp"
#include "bench/streams/market_plan.hpp"
#include "llmes/book.hpp"

namespace llmes::test::market_replay_test {
namespace {

using bench::Digest;
using bench::MarketBatch;
using bench::MarketConfig;
using bench::MarketPlan;
using bench::MarketRequest;
using bench::MarketSpec;

MarketPlan small_plan() {
  MarketSpec spec;
  spec.symbols = 40;
  spec.standing = 3'000;
  spec.batches = 3;
  spec.batch = 5'000;
  spec.rewarm = 500;
  spec.warm_up = 10'000;
  return bench::make_market_plan(spec);
}

MarketConfig config_of(const MarketPlan& plan) {
  return {plan.spec.symbols, plan.capacity, plan.levels};
}

using Entry = std::pair<OrderId, Quantity>;
using Levels = std::map<Price, std::list<Entry>>;
using Sides = std::array<Levels, 2>;

/// Maps of lists, with nothing clever.
class Oracle {
 public:
  explicit Oracle(std::size_t books) : books_(books) {}

  void apply(const MarketRequest& request) {
    if (request.type == CommandType::AddResting) {
      return enter(request.book, request.side, request.price, request.id, request.quantity);
    }
    const auto [side, price] = places_.at(request.id);
    Levels& levels = books_[request.book][static_cast<std::size_t>(side)];
    std::list<Entry>& queue = levels.at(price);
    const auto order =
        std::find_if(queue.begin(), queue.end(), [&](const Entry& entry) { return entry.first == request.id; });
    if (request.type == CommandType::Reduce && request.quantity < order->second) {
      order->second -= request.quantity;
      return;
    }
    queue.erase(order);
    if (queue.empty()) levels.erase(price);
    places_.erase(request.id);
    if (request.type == CommandType::ReplaceResting) {
      enter(request.book, side, request.price, request.new_id, request.quantity);
    }
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Levels& levels = books_[book][static_cast<std::size_t>(side)];
    if (levels.empty()) return std::nullopt;
    return side == Side::Buy ? levels.rbegin()->first : levels.begin()->first;
  }

  [[nodiscard]] const Sides& book(std::size_t number) const { return books_[number]; }

 private:
  void enter(std::uint32_t book, Side side, Price price, OrderId id, Quantity quantity) {
    books_[book][static_cast<std::size_t>(side)][price].emplace_back(id, quantity);
    places_[id] = {side, price};
  }

  std::vector<Sides> books_;
  std::unordered_map<OrderId, std::pair<Side, Price>> places_;
};

template <class Market>
class MarketOf : public ::testing::Test {
 protected:
  MarketPlan plan = small_plan();
};
using Markets = ::testing::Types<bench::VectorLevels, bench::TreeMarket, bench::BtreeMarket>;
TYPED_TEST_SUITE(MarketOf, Markets);

TYPED_TEST(MarketOf, EndsWithTheQueuesOfTheOracle) {
  const MarketPlan& plan = this->plan;
  Oracle oracle(plan.spec.symbols);
  std::optional<TypeParam> market = TypeParam::create(config_of(plan));
  ASSERT_TRUE(market);
  for (const MarketRequest& request : plan.requests) {
    oracle.apply(request);
    ASSERT_EQ(market->apply(request).status, Status::Success);
    for (const Side side : {Side::Buy, Side::Sell}) {
      ASSERT_EQ(market->best(request.book, side), oracle.best(request.book, side));
    }
  }
  std::size_t orders = 0;
  for (std::uint32_t number = 0; number < plan.spec.symbols; ++number) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::vector<std::pair<Price, Entry>> found;
      market->visit_orders(number, side, [&](const RestingOrder& order) {
        EXPECT_EQ(order.side, side);
        found.push_back({order.price, {order.id, order.quantity}});
      });
      std::vector<std::pair<Price, Entry>> wanted;
      const Levels& levels = oracle.book(number)[static_cast<std::size_t>(side)];
      const auto take = [&](const auto& level) {
        for (const Entry& entry : level.second) wanted.push_back({level.first, entry});
      };
      if (side == Side::Buy) {
        std::for_each(levels.rbegin(), levels.rend(), take);
      } else {
        std::for_each(levels.begin(), levels.end(), take);
      }
      ASSERT_EQ(found, wanted) << "book " << number;
      std::map<Price, DepthLevel> totals;
      for (const auto& [price, entry] : wanted) {
        totals[price] = {price, totals[price].quantity + entry.second, totals[price].order_count + 1};
      }
      market->visit_levels(number, side, [&](const DepthLevel& level) {
        EXPECT_EQ(level, totals[level.price]);
        totals.erase(level.price);
      });
      EXPECT_TRUE(totals.empty());
      orders += found.size();
    }
  }
  EXPECT_EQ(market->size(), orders);
  EXPECT_GT(orders, 2'500U);
  EXPECT_EQ(queues_of(*market, plan.spec.symbols), plan.final_queues);
}

TYPED_TEST(MarketOf, DoesThePlannedWork) {
  bench::MarketReplay<TypeParam> runner(this->plan);
  EXPECT_GT(runner.peak_bytes(), 0U);
  for (int times = 0; times < 2; ++times) {
    runner.start();
    for (std::size_t i = 0; i < this->plan.batches.size(); ++i) {
      const bench::Window window = runner.run(i, nullptr);
      EXPECT_EQ(window.digest, this->plan.batches[i].expected);
      EXPECT_EQ(window.events, 5'000U);
    }
  }
}

/// How many requests of the plan a market of this size rejects, and with what status first.
template <class Market>
std::pair<std::size_t, Status> rejections(const MarketPlan& plan, const MarketConfig& config) {
  std::optional<Market> market = Market::create(config);
  std::pair<std::size_t, Status> found{0, Status::Success};
  for (const MarketRequest& request : plan.requests) {
    const Status status = market->apply(request).status;
    if (status != Status::Success && found.first++ == 0) found.second = status;
  }
  return found;
}

TYPED_TEST(MarketOf, NeedsWhatThePlanSays) {
  MarketConfig config = config_of(this->plan);
  EXPECT_EQ(rejections<TypeParam>(this->plan, config).first, 0U);
  --config.capacity;
  EXPECT_EQ(rejections<TypeParam>(this->plan, config).second, Status::PoolFull);
}

TYPED_TEST(MarketOf, RejectsWhatItCannotDo) {
  std::optional<TypeParam> market = TypeParam::create({2, 10, 10});
  ASSERT_TRUE(market);
  const auto status_of = [&](const Request& request, std::uint32_t book = 0) {
    return market->apply({request, book}).status;
  };
  EXPECT_EQ(status_of(Request::add_resting(1, Side::Buy, 100, 5)), Status::Success);
  EXPECT_EQ(status_of(Request::add_resting(1, Side::Buy, 100, 5)), Status::DuplicateId);
  EXPECT_EQ(status_of(Request::add_resting(2, Side::Buy, 100, 0)), Status::InvalidQuantity);
  EXPECT_EQ(status_of(Request::add_resting(2, Side::Buy, 100, 5), 2), Status::InvalidCommand);
  EXPECT_EQ(status_of(Request::add_limit(2, Side::Buy, 100, 5, TimeInForce::GoodTillCancel)),
            Status::InvalidCommand);
  EXPECT_EQ(status_of(Request::cancel(2)), Status::UnknownOrder);
  EXPECT_EQ(status_of(Request::reduce(2, 1)), Status::UnknownOrder);
  EXPECT_EQ(status_of(Request::reduce(1, 6)), Status::InvalidQuantity);
  EXPECT_EQ(status_of(Request::replace_resting(2, 3, 100, 1)), Status::UnknownOrder);
  EXPECT_EQ(status_of(Request::replace_resting(1, 3, 100, 0)), Status::InvalidQuantity);
  EXPECT_EQ(status_of(Request::add_resting(3, Side::Sell, 101, 5)), Status::Success);
  EXPECT_EQ(status_of(Request::replace_resting(1, 3, 100, 1)), Status::DuplicateId);
  EXPECT_EQ(market->size(), 2U);
  EXPECT_EQ(status_of(Request::reduce(1, 5)), Status::Success);
  EXPECT_EQ(status_of(Request::cancel(1)), Status::UnknownOrder);
  EXPECT_EQ(market->size(), 1U);
  EXPECT_FALSE(TypeParam::create({2, 0, 10}));
}

// ---- What is refused.

/// A market that does other work than planned with one request of the last batch.
template <class Defect>
class Broken : public bench::VectorLevels {
  using Sound = bench::VectorLevels;

 public:
  static std::optional<Broken> create(const MarketConfig& config) {
    std::optional<Sound> market = Sound::create(config);
    if (!market) return std::nullopt;
    return Broken(*std::move(market));
  }

  Result apply(MarketRequest request) {
    if (request.id == target && request.type == Defect::type) return Defect::apply(*this, request);
    return Sound::apply(request);
  }

  static inline OrderId target = 0;

 private:
  explicit Broken(Sound&& market) : Sound(std::move(market)) {}
};

struct NoDefect {
  static constexpr CommandType type = CommandType::Cancel;
  static Result apply(bench::VectorLevels& market, const MarketRequest& request) { return market.apply(request); }
};
struct ForgetsACancel {
  static constexpr CommandType type = CommandType::Cancel;
  static Result apply(bench::VectorLevels&, const MarketRequest&) { return {}; }
};
struct AddsOneLotMore {
  static constexpr CommandType type = CommandType::AddResting;
  static Result apply(bench::VectorLevels& market, MarketRequest request) {
    ++request.quantity;
    return market.apply(request);
  }
};
struct AddsFarBeyondTheBest {
  static constexpr CommandType type = CommandType::AddResting;
  static Result apply(bench::VectorLevels& market, MarketRequest request) {
    request.price = request.side == Side::Buy ? 300'000'000'000 : -1;
    return market.apply(request);
  }
};
struct RejectsWhatItDoes {
  static constexpr CommandType type = CommandType::Cancel;
  static Result apply(bench::VectorLevels& market, const MarketRequest& request) {
    (void)market.apply(request);
    return {Status::UnknownOrder};
  }
};

/// What a run of the plan says of this defect in the last request of its type; "" if nothing.
template <class Defect>
std::string refusal(const MarketPlan& plan) {
  for (const MarketRequest& request : plan.requests) {
    if (request.type == Defect::type) Broken<Defect>::target = request.id;
  }
  try {
    bench::MarketReplay<Broken<Defect>> runner(plan);
    runner.start();
    for (std::size_t i = 0; i < plan.batches.size(); ++i) runner.run(i, nullptr);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(MarketReplay, OfOtherWorkThanPlannedIsRefused) {
  const MarketPlan plan = small_plan();
  EXPECT_EQ(refusal<NoDefect>(plan), "");
  EXPECT_NE(refusal<ForgetsACancel>(plan).find("the planned"), std::string::npos);
  EXPECT_EQ(refusal<AddsOneLotMore>(plan), "the books do not hold the planned queues of orders");
  EXPECT_NE(refusal<AddsFarBeyondTheBest>(plan).find("best prices"), std::string::npos);
  EXPECT_NE(refusal<RejectsWhatItDoes>(plan).find("their rejections differ"), std::string::npos);
}

TEST(MarketReplay, OfAWrongNumberOfOrdersIsRefused) {
  MarketPlan plan = small_plan();
  ++plan.batches[0].resting_end;
  bench::MarketReplay<bench::VectorLevels> runner(plan);
  runner.start();
  EXPECT_THROW(runner.run(0, nullptr), std::runtime_error);
}

TEST(Markets, AreFoundByNameAndDoThePlannedWork) {
  const MarketPlan plan = small_plan();
  EXPECT_GE(bench::all_markets().size(), 4U);
  for (const bench::MarketEntry& entry : bench::all_markets()) {
    EXPECT_EQ(bench::find_market(entry.name), &entry);
    const std::unique_ptr<bench::Runner> runner = entry.enter(plan);
    runner->start();
    for (std::size_t i = 0; i < plan.batches.size(); ++i) {
      EXPECT_EQ(runner->run(i, nullptr).digest.misses, 0U) << entry.name;
    }
  }
  EXPECT_EQ(bench::find_market("core"), nullptr);
}

TEST(Markets, AreNoBooksOfOneInstrument) {
  EXPECT_EQ(bench::find_book("vector_levels"), nullptr);
  try {
    (void)bench::find_trading_book("vector_levels");
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'vector_levels' holds the books of a market; it needs bench_books --workload=many");
  }
}

}  // namespace
}  // namespace llmes::test::market_replay_test
