// SPDX-License-Identifier: MIT
//
// Small cases whose right answer is plain. The first five are those that a popular simulator gets wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simulator/scripted.hpp"

namespace llmes::test::hand_case_test {
namespace {

using enum MarketEventType;

MarketEvent add(Nanoseconds time, OrderId id, Side side, Price price, Quantity lots) {
  return {.time = time, .record = time, .id = id, .price = price, .quantity = lots, .type = Add, .side = side};
}
MarketEvent execute(Nanoseconds time, OrderId id, Quantity lots, bool last = true) {
  return {.time = time, .record = time, .id = id, .quantity = lots, .type = Execute, .last = last};
}
/// A fill whose lots another message of its event takes off the order.
MarketEvent fill(Nanoseconds time, OrderId id, Quantity lots) {
  return {.time = time, .record = time, .id = id, .quantity = lots, .type = Fill, .last = false};
}
MarketEvent modify(Nanoseconds time, OrderId id, Price price, Quantity lots) {
  return {.time = time, .record = time, .id = id, .price = price, .quantity = lots, .type = Modify};
}
MarketEvent reduce(Nanoseconds time, OrderId id, Quantity lots) {
  return {.time = time, .record = time, .id = id, .quantity = lots, .type = Reduce};
}
MarketEvent off_price(MarketEvent event, Price price) {
  event.off_price = true;
  event.price = price;
  return event;
}
MarketEvent print(Nanoseconds time, Price price, Quantity lots) {
  return {.time = time, .record = time, .price = price, .quantity = lots, .type = MarketEventType::Trade};
}
MarketEvent cross(Nanoseconds time, Price price, Quantity lots) {
  MarketEvent event = print(time, price, lots);
  event.cross = true;
  return event;
}
OwnCommand buy(Nanoseconds time, Price price, Quantity lots, TimeInForce tif = TimeInForce::GoodTillCancel) {
  return {.time = time, .side = Side::Buy, .price = price, .quantity = lots, .time_in_force = tif};
}

struct HandCase {
  std::string name;
  std::vector<MarketEvent> tape;
  Script script;
  std::vector<Quantity> filled;  // of each own order
};

std::vector<HandCase> hand_cases() {
  using enum TimeInForce;
  return {
      {"a cancel of 3 of 10 leaves 7 ahead",
       {add(1, 1, Side::Buy, 100, 10), reduce(3, 1, 3), add(4, 2, Side::Buy, 100, 5), execute(5, 1, 7, false),
        execute(5, 2, 2)},
       {buy(2, 100, 10)},
       {2}},
      {"an immediate order takes what is displayed, and no more",
       {add(1, 1, Side::Sell, 101, 10), add(2, 2, Side::Sell, 102, 10), add(9, 3, Side::Buy, 90, 1)},
       {buy(3, 102, 1'000, ImmediateOrCancel)},
       {20}},
      {"two immediate orders share one displayed order",
       {add(1, 1, Side::Sell, 101, 10), add(9, 3, Side::Buy, 90, 1)},
       {buy(3, 101, 10, ImmediateOrCancel), buy(4, 101, 10, ImmediateOrCancel)},
       {10, 0}},
      {"one lot that trades behind fills one lot",
       {add(1, 1, Side::Sell, 101, 10), add(3, 2, Side::Buy, 100, 10), execute(4, 2, 1)},
       {buy(2, 100, 100)},
       {1}},
      {"one lot that arrives at the price fills one lot",
       {add(1, 1, Side::Sell, 101, 10), add(3, 2, Side::Sell, 100, 1)},
       {buy(2, 100, 100)},
       {1}},
      {"what executes ahead fills nothing",
       {add(1, 1, Side::Buy, 100, 10), execute(3, 1, 10)},
       {buy(2, 100, 5)},
       {0}},
      {"the market trades through the price",
       {add(1, 1, Side::Buy, 99, 10), execute(3, 1, 4)},
       {buy(2, 100, 5)},
       {4}},
      {"an execution off the order's price does not trade through",
       {add(1, 1, Side::Buy, 99, 10), off_price(execute(3, 1, 4), 98)},
       {buy(2, 100, 5)},
       {0}},
      {"one that says the order's price does",
       {add(1, 1, Side::Buy, 99, 10), off_price(execute(3, 1, 4), 99)},
       {buy(2, 100, 5)},
       {4}},
      {"an execution off the price fills who is ahead at the price of the order",
       {add(1, 9, Side::Sell, 105, 1), add(3, 1, Side::Buy, 100, 10), off_price(execute(4, 1, 4), 98)},
       {buy(2, 100, 5)},
       {4}},
      {"a hidden print takes no queue, and fills nothing",
       {add(1, 1, Side::Buy, 100, 10), print(3, 100, 10), print(4, 90, 10)},
       {buy(2, 100, 5)},
       {0}},
      {"a hidden print trades behind us at our price, if nothing displayed is before us, and shares its lots",
       {add(1, 9, Side::Buy, 90, 1), print(4, 100, 7), print(5, 99, 2), print(6, 101, 9)},
       {buy(2, 100, 5), buy(3, 100, 5), buy(3, 99, 5)},
       {5, 4, 0}},
      {"two own orders share what executes behind them",
       {add(1, 9, Side::Sell, 105, 1), add(4, 1, Side::Buy, 100, 10), execute(5, 1, 6)},
       {buy(2, 100, 5), buy(3, 100, 5)},
       {5, 1}},
      {"an order that grows goes to the back",
       {add(1, 1, Side::Buy, 100, 10),
        {.time = 3, .record = 3, .id = 1, .price = 100, .quantity = 11, .type = Modify},
        execute(4, 1, 3)},
       {buy(2, 100, 5)},
       {3}},
      {"an order that is sent again as it is goes to the back, where the venue says so",
       {add(1, 1, Side::Buy, 100, 10),
        add(2, 2, Side::Buy, 100, 4),
        {.time = 4, .record = 4, .id = 1, .price = 100, .quantity = 10, .type = Modify, .same_loses_place = true},
        execute(5, 2, 4, false),
        execute(5, 1, 3)},
       {buy(3, 100, 5)},
       {3}},
      {"and keeps its place where it does not",
       {add(1, 1, Side::Buy, 100, 10),
        {.time = 4, .record = 4, .id = 1, .price = 100, .quantity = 10, .type = Modify},
        execute(5, 1, 3)},
       {buy(3, 100, 5)},
       {0}},
      {"a decision waits for the end of the event: one taker of 5 fills us, then who is behind us",
       {add(1, 9, Side::Sell, 105, 1), add(4, 1, Side::Buy, 100, 10), add(5, 2, Side::Buy, 99, 10),
        execute(6, 1, 2, false), execute(6, 2, 3)},
       {buy(2, 100, 3), buy(3, 99, 5)},
       {3, 0}},
      {"an iceberg that shows 1 lot trades 25: 24 of them are behind us",
       {add(1, 1, Side::Buy, 100, 1), fill(3, 1, 25), reduce(3, 1, 1)},
       {buy(2, 100, 5), buy(2, 100, 30)},
       {5, 19}},
      {"so are they if it shows its next part",
       {add(1, 1, Side::Buy, 100, 1), fill(3, 1, 25), modify(3, 1, 100, 1)},
       {buy(2, 100, 30)},
       {24}},
      {"all 25 are if it came after us",
       {add(1, 9, Side::Sell, 105, 1), add(3, 1, Side::Buy, 100, 1), fill(4, 1, 25), reduce(4, 1, 1)},
       {buy(2, 100, 30)},
       {25}},
      {"its next part is behind us",
       {add(1, 1, Side::Buy, 100, 4), fill(3, 1, 4), modify(3, 1, 100, 4), fill(4, 1, 3), reduce(4, 1, 3)},
       {buy(2, 100, 30)},
       {3}},
      {"an order of which a part trades keeps its place",
       {add(1, 1, Side::Buy, 100, 8), fill(3, 1, 3), fill(3, 1, 2), modify(3, 1, 100, 3), fill(4, 1, 3),
        reduce(4, 1, 3)},
       {buy(2, 100, 30)},
       {0}},
      {"an order that fills and a cancel make smaller keeps its place",
       {add(1, 1, Side::Buy, 100, 8), fill(3, 1, 3), reduce(3, 1, 4), fill(4, 1, 4), reduce(4, 1, 4)},
       {buy(2, 100, 30)},
       {0}},
      {"a crossed book takes nothing of us, and no order that may not rest",
       {add(1, 1, Side::Buy, 105, 10), add(2, 2, Side::Sell, 100, 10), add(9, 3, Side::Sell, 101, 10)},
       {buy(3, 103, 5), buy(4, 103, 5, ImmediateOrCancel), buy(5, 103, 5, FillOrKill)},
       {0, 0, 0}},
      {"nor does a locked one",
       {add(1, 1, Side::Buy, 100, 10), add(2, 2, Side::Sell, 100, 10), add(9, 3, Side::Sell, 101, 10)},
       {buy(3, 103, 5), buy(4, 103, 5, PostOnly)},
       {0, 0}},
      {"when it is crossed no more, we trade with whom we face",
       {add(1, 1, Side::Buy, 105, 10), add(2, 2, Side::Sell, 100, 10), reduce(9, 1, 10)},
       {buy(3, 103, 5), buy(4, 99, 5)},
       {5, 0}},
      {"post-only that would trade is refused",
       {add(1, 1, Side::Sell, 101, 10), add(9, 3, Side::Sell, 100, 1)},
       {buy(3, 101, 1, PostOnly), buy(4, 100, 1, PostOnly)},
       {0, 1}},
      {"fill-or-kill takes all or nothing",
       {add(1, 1, Side::Sell, 101, 10), add(9, 3, Side::Buy, 90, 1)},
       {buy(3, 101, 11, FillOrKill), buy(4, 101, 10, FillOrKill)},
       {0, 10}},
  };
}

template <class Impact>
void expect_filled(const SimulatorConfig& config, const HandCase& one) {
  const auto simulator = play<Simulator<Scripted, Impact>>(config, one.script, one.tape);
  std::vector<Quantity> filled;
  for (const OwnOrder& order : simulator.run(0).orders().all()) filled.push_back(order.filled);
  EXPECT_EQ(filled, one.filled) << one.name;
}

TEST(HandCaseTest, EachGetsWhatItShould) {
  for (const HandCase& one : hand_cases()) expect_filled<TapeImpact>(config_for(1), one);
}

/// 10 lots are bid at 100 before us and 10 behind us; the auction prints 15 lots at 100, or 35 with those at 101.
TEST(HandCaseTest, AnAuctionGivesWhatIsBetterThanItsPriceAndWhatIsBehindIt) {
  const std::vector<MarketEvent> tape{{.time = 0, .record = 0, .type = Phase, .phase = MarketPhase::Auction},
                                      add(1, 1, Side::Buy, 100, 10),
                                      add(4, 2, Side::Buy, 100, 10),
                                      add(5, 3, Side::Buy, 101, 20),
                                      add(6, 4, Side::Sell, 100, 35),
                                      off_price(execute(7, 3, 20, false), 100),
                                      off_price(execute(7, 1, 10, false), 100),
                                      off_price(execute(7, 2, 5, false), 100),
                                      off_price(execute(7, 4, 35, false), 100),
                                      cross(7, 100, 35),
                                      {.time = 8, .record = 8, .type = Phase, .phase = MarketPhase::Continuous}};
  const Script script{buy(2, 100, 3), buy(2, 100, 10), buy(2, 101, 4), buy(2, 99, 5)};
  SimulatorConfig config = config_for(1);
  expect_filled<TapeImpact>(config, {"no auctions", tape, script, {0, 0, 0, 0}});
  expect_filled<DisplaceImpact>(config, {"no auctions, displaced", tape, script, {0, 0, 0, 0}});
  config.auctions = AuctionFills::AtPrint;
  const HandCase part{"at the print", tape, script, {3, 2, 4, 0}};
  expect_filled<TapeImpact>(config, part);
  expect_filled<DisplaceImpact>(config, part);
  const TapeSimulator simulator = play(config, {buy(2, 101, 50)}, tape);
  ASSERT_EQ(simulator.run(0).fills().size(), 1u);
  EXPECT_EQ(simulator.run(0).fills()[0].quantity, 35u);  // no more than the print
  EXPECT_EQ(simulator.run(0).fills()[0].price, 100);
  EXPECT_EQ(simulator.run(0).fills()[0].cause, FillCause::Auction);
}

}  // namespace
}  // namespace llmes::test::hand_case_test
