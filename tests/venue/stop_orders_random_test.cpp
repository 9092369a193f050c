// SPDX-License-Identifier: MIT
//
// Stops beside their oracle: any calls, also with arguments at the limits, give the same answers; and what an
// image of them is read into goes on as they do.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "llmes/venue/stop_orders.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/stop_oracle.hpp"
#include "tests/venue/images.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test::stop_orders_random_test {
namespace {

constexpr BookNumber books = 2;

/// How a stream of calls is made.
struct Shape {
  std::size_t capacity;
  Price spread;  ///< prices are within this of `centre`
  Price centre = 0;
  unsigned trails = 50;  ///< of 100 stops
  unsigned adds = 45;    ///< of 100 calls
  Price distance = 20;   ///< the largest of those that trail
  Price step = 0;        ///< prices move by less than this; 0: to any other one
};

class Stream {
 public:
  Stream(std::uint64_t seed, const Shape& shape)
      : random_(seed),
        shape_(shape),
        stops_(made<StopOrders>(StopConfig{.books = books, .capacity = shape.capacity})),
        oracle_(books, shape.capacity) {}

  /// Makes calls until one is answered in another way, or all have been made.
  void run(int calls) {
    for (int call = 0; call < calls && !testing::Test::HasFailure(); ++call) {
      SCOPED_TRACE(call);
      step();
      EXPECT_EQ(stops_.size(), oracle_.stops().size());
      if (call % 64 == 0) {
        compare_all();
        EXPECT_TRUE(stops_.holds());
        stops_ = read_back(stops_, StopConfig{.books = books, .capacity = shape_.capacity});
      }
    }
  }
  [[nodiscard]] std::size_t fired() const { return fired_; }
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  void step() {
    const std::uint64_t dice = random_.below(100);
    if (dice < shape_.adds) {
      const VenueCommand stop = any_stop();
      EXPECT_EQ(stops_.add(stop, prices_[stop.book % books]), oracle_.add(stop, prices_[stop.book % books]));
      most_ = std::max(most_, stops_.size());
    } else if (dice < 75) {
      move_prices();
    } else if (dice < 85) {
      VenueCommand change = any_stop();
      EXPECT_EQ(stops_.modify(change), oracle_.modify(change));
    } else if (dice < 93) {
      const OrderId id = any_id();
      EXPECT_EQ(stops_.cancel(id), oracle_.cancel(id));
    } else if (dice < 97) {
      const OrderId id = any_id();
      EXPECT_EQ(stops_.find(id), oracle_.find(id));
    } else if (dice < 98) {
      mass_cancel();
    } else if (dice < 99) {
      const auto book = static_cast<BookNumber>(random_.below(books));
      const TriggerPrices passed{.last = any_price(), .best_bid = {}, .best_ask = any_price()};
      stops_.follow(book, passed);
      oracle_.follow(book, passed);
    }
  }
  void move_prices() {
    const auto book = static_cast<BookNumber>(random_.below(books));
    TriggerPrices& prices = prices_[book];
    for (std::optional<Price>* price : {&prices.last, &prices.best_bid, &prices.best_ask}) {
      if (random_.chance(60)) continue;
      if (shape_.step != 0 && *price) {
        **price +=
            static_cast<Price>(random_.below(2 * static_cast<std::uint64_t>(shape_.step) - 1)) - shape_.step + 1;
      } else {
        *price = random_.chance(10) ? std::nullopt : std::optional(any_price());
      }
    }
    // Now and then some of them wait on, as if the chain were too long.
    for (std::size_t left = random_.chance(10) ? random_.below(3) : shape_.capacity + 1; left > 0; --left) {
      const auto stop = stops_.next(book, prices);
      EXPECT_EQ(stop, oracle_.next(book, prices));
      if (!stop) break;
      ++fired_;
    }
  }
  void mass_cancel() {
    CancelScope scope;
    if (random_.chance(60)) scope.owner = static_cast<Owner>(random_.below(4));
    if (random_.chance(50)) scope.side = random_.chance(50) ? Side::Buy : Side::Sell;
    if (random_.chance(50)) scope.book = static_cast<BookNumber>(random_.below(books));
    if (random_.chance(60)) scope.lowest = any_price();
    if (random_.chance(60)) scope.highest = std::max(scope.lowest, any_price());
    std::vector<VenueCommand> gone;
    EXPECT_EQ(stops_.mass_cancel(scope, [&](const VenueCommand& stop) { gone.push_back(stop); }),
              VenueStatus::Success);
    EXPECT_EQ(gone, oracle_.mass_cancel(scope));
  }
  /// All stops, by find and by visits.
  void compare_all() {
    std::vector<VenueCommand> visited;
    for (BookNumber book = 0; book < books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        stops_.visit(book, side, [&](const VenueCommand& stop) { visited.push_back(stop); });
      }
    }
    StopOracle all = oracle_;
    EXPECT_EQ(visited, all.mass_cancel({}));
    for (const VenueCommand& stop : oracle_.stops()) EXPECT_EQ(stops_.find(stop.id), stop);
  }
  Price any_price() {
    return shape_.centre + static_cast<Price>(random_.below(static_cast<std::uint64_t>(shape_.spread)));
  }
  OrderId any_id() { return random_.below(2 * shape_.capacity); }
  VenueCommand any_stop() {
    VenueCommand stop = test::stop(any_id(), random_.chance(50) ? Side::Buy : Side::Sell, any_price());
    if (random_.chance(50)) stop = by_best(stop);
    if (random_.chance(shape_.trails))
      stop.trail = 1 + static_cast<Price>(random_.below(static_cast<std::uint64_t>(shape_.distance)));
    if (random_.chance(2)) stop.trail = random_.chance(50) ? -1 : std::numeric_limits<Price>::max();
    stop.book = static_cast<BookNumber>(random_.below(random_.chance(2) ? books + 1 : books));
    stop.account = static_cast<AccountNumber>(random_.below(4));
    stop.quantity = random_.below(random_.chance(5) ? 1 : 20);
    stop.peak = random_.below(20);
    stop.minimum = random_.below(20);
    stop.price = any_price();
    return stop;
  }

  Random random_;
  Shape shape_;
  StopOrders stops_;
  StopOracle oracle_;
  TriggerPrices prices_[books];
  std::size_t fired_ = 0;
  std::size_t most_ = 0;
};

TEST(StopOrdersRandom, AnswersAsTheOracleDoes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Stream stream(seed, {.capacity = 24, .spread = 60, .adds = 55});
    stream.run(2'000);
    EXPECT_GT(stream.fired(), 200u);
    EXPECT_EQ(stream.most(), 24u) << "it was full once";
  }
}

TEST(StopOrdersRandom, AnswersAsTheOracleDoesAtTheLimitsOfAPrice) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Price centre =
        seed % 2 == 0 ? std::numeric_limits<Price>::min() : std::numeric_limits<Price>::max() - 29;
    Stream stream(seed, {.capacity = 20, .spread = 30, .centre = centre});
    stream.run(2'000);
    EXPECT_GT(stream.fired(), 50u);
  }
}

TEST(StopOrdersRandom, AnswersAsTheOracleDoesWithManyThatTrailAndWait) {
  for (std::uint64_t seed = 0; seed < repetitions(4u); ++seed) {
    SCOPED_TRACE(seed);
    Stream stream(seed, {.capacity = 400, .spread = 1'000, .trails = 95, .adds = 65, .distance = 400, .step = 20});
    stream.run(4'000);
    EXPECT_GT(stream.fired(), 100u);
    EXPECT_GT(stream.most(), 100u);
  }
}

TEST(StopOrdersImage, OneThatIsForgedIsRefusedOrCanBeUsed) {
  const StopConfig config{.books = 1, .capacity = 9};
  auto stops = made<StopOrders>(config);
  TriggerPrices prices{.last = 100, .best_bid = 90, .best_ask = 110};
  for (OrderId id = 1; id <= 9; ++id) {
    const VenueCommand stop = of(static_cast<AccountNumber>(id % 3), sell_stop(id, 80));
    EXPECT_EQ(stops.add(id % 4 == 0 ? stop : trailing(stop, static_cast<Price>(id)), prices),
              VenueStatus::Success);
  }
  EXPECT_TRUE(stops.cancel(6));
  prices.last = 101;
  EXPECT_FALSE(stops.next(0, prices)) << "some of this price is not handed down yet";
  expect_forged_images_hold_or_not(stops, config, [&](StopOrders& forged) {
    TriggerPrices moved = prices;
    static_cast<void>(forged.add(trailing(sell_stop(20, 0), 3), moved));
    static_cast<void>(forged.add(sell_stop(21, 70), moved));
    VenueCommand change = sell_stop(2, 60);
    change.trail = 8;
    static_cast<void>(forged.modify(change));
    static_cast<void>(forged.cancel(5));
    static_cast<void>(forged.mass_cancel({.owner = 1, .lowest = 50}, [](const VenueCommand&) {}));
    moved.last = 0;
    std::size_t fired = 0;
    while (forged.next(0, moved)) ++fired;
    EXPECT_LE(fired, 9u);
    static_cast<void>(forged.mass_cancel({}, [](const VenueCommand&) {}));
  });
}

TEST(StopOrdersImage, OneThatCannotBeDoesNotHold) {
  const StopConfig config{.books = 1, .capacity = 3};
  auto stops = made<StopOrders>(config);
  const TriggerPrices prices{.last = 10};
  ASSERT_EQ(stops.add(sell_stop(1, 0), prices), VenueStatus::Success);
  const auto command = [](auto change) {
    return [change](StopOrders& forged) {
      using Words = std::array<std::uint64_t, sizeof(VenueCommand) / 8>;
      forge(forged, [&](Words& words, std::size_t slot) {
        if (slot != 1) return;
        auto stop = std::bit_cast<VenueCommand>(words);
        change(stop);
        words = std::bit_cast<Words>(stop);
      });
    };
  };
  const auto node = [](auto change) {
    return [change](StopOrders& forged) {
      forge(forged, [&](auto& entry, std::size_t slot) -> decltype(void(entry.trail)) {
        if (slot == 1) change(entry);
      });
    };
  };
  expect_none_to_hold(
      stops, config, command([](VenueCommand& stop) { stop.quantity = 0; }),
      [&](StopOrders& forged) {
        command([](VenueCommand& stop) { stop.trail = -1; })(forged);
        node([](auto& entry) { entry.trail = -1; })(forged);
      },
      [&](StopOrders& forged) {
        command([](VenueCommand& stop) { stop.trail = 1; })(forged);
        node([](auto& entry) { entry.trail = 1, entry.trigger = std::numeric_limits<Price>::max(); })(forged);
      },
      [](StopOrders& forged) {
        forge(forged, [](auto& book, std::size_t) -> decltype(void(book.queues)) {
          for (auto& queue : book.queues) queue.root = 0;
        });
      },
      [](StopOrders& forged) {  // more lists of owners than a table has room for
        forge(forged, [](auto& list, std::size_t) -> decltype(void(list.first)) { list.owner = 1; });
      });
}

}  // namespace
}  // namespace llmes::test::stop_orders_random_test
