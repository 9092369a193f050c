// SPDX-License-Identifier: MIT
//
// The gateway of the examples reports what the model reports, message for message, and is exact after each
// request.
#include "examples/gateway/gateway.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "tests/examples/gateway_model.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

constexpr SymbolId symbol_count = 2;
constexpr BookConfig config{.base_price = 0, .capacity = 12, .quantity_max = 60};
constexpr std::array<TimeInForce, 4> times_in_force{TimeInForce::GoodTillCancel, TimeInForce::PostOnly,
                                                    TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill};

std::vector<OrderBook<>> make_books() {
  std::vector<OrderBook<>> books;
  for (SymbolId symbol = 0; symbol < symbol_count; ++symbol) {
    books.push_back(std::move(*OrderBook<>::create(config)));
  }
  return books;
}

/// Draws requests that often name open orders, meet at few prices and are wrong in every way.
class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(seed) {}

  /// Makes the same request to both.
  void next(Gateway<Transcript>& gateway, GatewayModel& model) {
    const auto make = [&](auto request) {
      request(gateway);
      request(model);
    };
    const auto session = static_cast<SessionId>(random_.below(3));
    const std::string id = draw_id();
    const Side side = random_.chance(50) ? Side::Buy : Side::Sell;
    const Price price = draw_price(side);
    const Quantity quantity = random_.below(10) * (random_.chance(5) ? 10 : 1);
    if (random_.chance(55)) {
      const NewOrder order{static_cast<SymbolId>(random_.below(random_.chance(2) ? 3 : symbol_count)),
                           side,
                           price,
                           quantity,
                           times_in_force[random_.chance(50) ? 0 : random_.below(4)],
                           random_.chance(5) ? OrderType::Market : OrderType::Limit};
      return make([&](auto& target) { target.add(session, id, order); });
    }
    const auto [owner, original] = draw_order(model, session);
    if (random_.chance(70)) {
      return make([&](auto& target) { target.replace(owner, original, id, price, quantity); });
    }
    make([&](auto& target) { target.cancel(owner, original); });
  }

 private:
  std::string draw_id() {
    if (random_.chance(1)) return {};
    if (random_.chance(1)) return std::string(24, 'x');
    const std::string longest(22, 'x');
    return (random_.chance(20) ? longest : "order ") + static_cast<char>('a' + random_.below(20));
  }

  /// Buys and sells meet at two prices of six.
  Price draw_price(Side side) {
    if (random_.chance(2)) return -1;
    return static_cast<Price>((side == Side::Buy ? 2000 : 2004) + random_.below(6));
  }

  std::pair<SessionId, std::string> draw_order(const GatewayModel& model, SessionId session) {
    if (model.open.empty() || random_.chance(10)) return {session, draw_id()};
    const auto& order = model.open[random_.below(model.open.size())];
    return {order.session, order.id};
  }

  Random random_;
};

TEST(Gateway, ReportsWhatTheModelReportsAndIsExactAfterEachRequest) {
  constexpr int request_count = 20'000;
  for (std::uint64_t seed = 1; seed <= repetitions(5u); ++seed) {
    Transcript transcript;
    Gateway<Transcript> gateway(make_books(), transcript);
    GatewayModel model(symbol_count, 4095, config);
    RandomRequests requests(seed);
    for (int i = 0; i < request_count; ++i) {
      requests.next(gateway, model);
      ASSERT_EQ(transcript.lines, model.sent.lines) << "seed " << seed << ", request " << i;
      ASSERT_TRUE(gateway.exact()) << "seed " << seed << ", request " << i;
      ASSERT_EQ(gateway.open_orders(), model.open.size());
      transcript.lines.clear();
      model.sent.lines.clear();
    }
    for (const char* message :
         {"New", "PartialFill", "Fill", "Cancelled", "Replaced", "top", "id is empty or too long",
          "unknown symbol", "duplicate id", "unknown id", "so much has traded already", "InvalidQuantity",
          "PriceOutOfBand", "WouldCross", "NotFillable", "PoolFull"}) {
      EXPECT_GT(model.sent.count[message], 10) << message;
    }
  }
}

struct Silent {
  void on_report(const Report&) {}
  void on_top_of_book(SymbolId, const TopOfBook&) {}
};

TEST(Gateway, AllocatesNothingOnceItIsMade) {
  Silent silent;
  Gateway<Silent> gateway(make_books(), silent);
  const std::uint64_t before = bench::allocation_count();
  for (int i = 0; i < 1'000; ++i) {
    gateway.add(1, "the first of the two", {.side = Side::Sell, .price = 2000, .quantity = 5});
    gateway.add(2, "the taker", {.side = Side::Buy, .price = 2001, .quantity = 7});
    gateway.replace(2, "the taker", "the same taker again", 2000, 9);
    gateway.cancel(2, "the same taker again");
    gateway.cancel(2, "an order that is not");
  }
  EXPECT_EQ(bench::allocation_count() - before, 0u);
}

}  // namespace
}  // namespace llmes::test
