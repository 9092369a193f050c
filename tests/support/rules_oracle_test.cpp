// SPDX-License-Identifier: MIT
//
// The oracle of books with rules on examples that were worked out by hand.
#include "tests/support/rules_oracle.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace llmes::test {
namespace {

using Texts = std::vector<std::string>;

std::string text_of(const RuledTrade& trade) {
  return std::to_string(trade.quantity) + " of " + std::to_string(trade.maker_id) + ", left " +
         std::to_string(trade.maker_remaining) + ", shown " + std::to_string(trade.maker_displayed);
}
std::string text_of(const PreventedMatch& match) {
  return std::to_string(match.quantity) + " prevented of " + std::to_string(match.maker_id) + ", left " +
         std::to_string(match.maker_remaining) + ", taker " + std::to_string(match.taker_remaining);
}
std::string text_of(const Refilled& event) {
  return std::to_string(event.order.id) + " refilled to " + std::to_string(event.order.quantity);
}
std::string text_of(const MassCancelled& event) {
  return std::to_string(event.order.id) + " cancelled, shown " + std::to_string(event.order.quantity);
}
std::string text_of(const AuctionMatch& match) {
  return std::to_string(match.quantity) + " of " + std::to_string(match.buy.id) + " and " +
         std::to_string(match.sell.id) + ", left " + std::to_string(match.buy.remaining) + " and " +
         std::to_string(match.sell.remaining);
}

constexpr OrderTerms of_owner(Owner owner, SelfTrade mode = SelfTrade::Allow) {
  return {.owner = owner, .self_trade = mode};
}
constexpr OrderTerms iceberg(Quantity peak, Owner owner = 0) {
  return {.owner = owner, .display = Display::Reserve, .peak = peak};
}
constexpr OrderTerms hidden(Owner owner = 0) {
  return {.owner = owner, .display = Display::Hidden};
}

/// The handle of an order is its id.
class RulesOracleTest : public ::testing::Test {
 protected:
  using Outcome = RulesOracle::Outcome;
  static constexpr TimeInForce gtc = TimeInForce::GoodTillCancel;

  void share_out(Allocation allocation, Quantity minimum_share = 1) {
    oracle_ = RulesOracle({0, 99, 9, 1'000, 2, allocation, minimum_share});
  }

  Outcome apply(const RuledCommand& command, BookNumber book = 0) {
    Outcome outcome = oracle_.apply({command, book});
    const bool makes = adds(command.type) || replaces(command.type);
    if (makes && outcome.status == Status::Success && outcome.remaining > 0) {
      oracle_.name_newest(OrderHandle::from_value(command.id));
    }
    return outcome;
  }
  Outcome buy(OrderId id, Quantity quantity, const OrderTerms& terms = {}, TimeInForce time_in_force = gtc) {
    return apply(RuledCommand::add_limit(id, Side::Buy, 20, quantity, time_in_force).with(terms));
  }
  Outcome sell(OrderId id, Quantity quantity, const OrderTerms& terms = {}, Price price = 20) {
    return apply(RuledCommand::add_limit(id, Side::Sell, price, quantity, gtc).with(terms));
  }

  static Texts texts(const Outcome& outcome) {
    Texts texts;
    for (const RuleEvent& event : outcome.events) {
      texts.push_back(std::visit([](const auto& one) { return text_of(one); }, event));
    }
    return texts;
  }
  /// Those that rest on the level where all sell, as displayed and reserve.
  Texts asks() {
    Texts texts;
    for (const RestingOrder& order : oracle_.orders(0, Side::Sell)) {
      texts.push_back(std::to_string(order.id) + ": " + std::to_string(order.quantity) + '+' +
                      std::to_string(oracle_.find(order.handle)->reserve));
    }
    return texts;
  }

  RulesOracle oracle_{{0, 99, 9, 1'000, 2}};
};

TEST_F(RulesOracleTest, AnIcebergRefillsAtTheBackAndMayBeMetAgain) {
  sell(1, 5, iceberg(2));
  sell(2, 3);
  sell(3, 4, hidden());
  const Outcome outcome = buy(9, 8);
  EXPECT_EQ(texts(outcome), (Texts{"2 of 1, left 3, shown 0", "1 refilled to 2", "3 of 2, left 0, shown 0",
                                   "2 of 1, left 1, shown 0", "1 refilled to 1", "1 of 1, left 0, shown 0"}));
  EXPECT_EQ(outcome.filled, 8u);
  EXPECT_EQ(asks(), (Texts{"3: 0+4"}));
  EXPECT_TRUE(oracle_.depth(0, Side::Sell).empty());
}

TEST_F(RulesOracleTest, HiddenOrdersStandBehindDisplayedOnes) {
  sell(1, 4, hidden());
  sell(2, 3);
  EXPECT_EQ(texts(buy(9, 5)), (Texts{"3 of 2, left 0, shown 0", "2 of 1, left 2, shown 0"}));
}

TEST_F(RulesOracleTest, SmallerTakesOfTheReserveFirst) {
  sell(1, 10, iceberg(4));
  EXPECT_EQ(apply(RuledCommand::modify(OrderHandle::from_value(1), 20, 6)).remaining, 6u);
  EXPECT_EQ(asks(), (Texts{"1: 4+2"}));
  EXPECT_EQ(apply(RuledCommand::reduce(OrderHandle::from_value(1), 3)).remaining, 3u);
  EXPECT_EQ(asks(), (Texts{"1: 3+0"}));
  apply(RuledCommand::modify(OrderHandle::from_value(1), 20, 9));
  EXPECT_EQ(asks(), (Texts{"1: 4+5"}));
}

TEST_F(RulesOracleTest, EachModeOfSelfTradePrevention) {
  const auto run = [this](SelfTrade mode) {
    share_out(Allocation::PriceTime);
    sell(1, 2, of_owner(1));
    sell(2, 5, iceberg(2, 7));
    sell(3, 4);
    return buy(9, 6, of_owner(7, mode));
  };
  const Outcome taker = run(SelfTrade::CancelTaker);
  EXPECT_EQ(texts(taker), (Texts{"2 of 1, left 0, shown 0", "4 prevented of 2, left 5, taker 0"}));
  EXPECT_EQ(taker.cancelled, 4u);
  EXPECT_EQ(asks(), (Texts{"2: 2+3", "3: 4+0"}));
  EXPECT_EQ(texts(run(SelfTrade::CancelMaker)),
            (Texts{"2 of 1, left 0, shown 0", "4 prevented of 2, left 0, taker 4", "4 of 3, left 0, shown 0"}));
  EXPECT_EQ(asks(), Texts{});
  EXPECT_EQ(texts(run(SelfTrade::CancelBoth)),
            (Texts{"2 of 1, left 0, shown 0", "4 prevented of 2, left 0, taker 0"}));
  EXPECT_EQ(asks(), (Texts{"3: 4+0"}));
  const Outcome decremented = run(SelfTrade::Decrement);
  EXPECT_EQ(texts(decremented), (Texts{"2 of 1, left 0, shown 0", "4 prevented of 2, left 1, taker 0"}));
  EXPECT_EQ(decremented.cancelled, 4u);
  EXPECT_EQ(asks(), (Texts{"2: 1+0", "3: 4+0"}));
  EXPECT_EQ(run(SelfTrade::Allow).filled, 6u);
}

TEST_F(RulesOracleTest, OnlyLotsThatTradeCount) {
  sell(1, 2, iceberg(1));
  sell(2, 2, of_owner(7));
  sell(3, 4);
  const auto status = [this](SelfTrade mode, Quantity quantity) {
    return buy(9, quantity, of_owner(7, mode), TimeInForce::FillOrKill).status;
  };
  EXPECT_EQ(status(SelfTrade::CancelTaker, 2), Status::NotFillable);  // one is shown before it
  EXPECT_EQ(status(SelfTrade::Decrement, 2), Status::NotFillable);
  EXPECT_EQ(status(SelfTrade::CancelMaker, 7), Status::NotFillable);
  OrderTerms terms = of_owner(7, SelfTrade::Decrement);
  terms.minimum = 7;  // it trades 6, and loses 2
  EXPECT_EQ(buy(9, 8, terms, TimeInForce::ImmediateOrCancel).status, Status::NotFillable);
  EXPECT_EQ(oracle_.size(), 3u);
  EXPECT_EQ(status(SelfTrade::CancelMaker, 6), Status::Success);
}

TEST_F(RulesOracleTest, SharesAreRoundedDownAndTheRestGoesByTime) {
  share_out(Allocation::ProRata, 2);
  sell(1, 10);
  sell(2, 50);
  sell(3, 35, iceberg(35));
  sell(4, 5, hidden());
  // 19 of 95: 2, 10 and 7.
  EXPECT_EQ(texts(buy(9, 19)),
            (Texts{"2 of 1, left 8, shown 8", "10 of 2, left 40, shown 40", "7 of 3, left 28, shown 28"}));
  // 9 of 76: 0.9 is below the minimum, 4.7 and 3.3; two are left for the first.
  EXPECT_EQ(texts(buy(9, 9)),
            (Texts{"4 of 2, left 36, shown 36", "3 of 3, left 25, shown 25", "2 of 1, left 6, shown 6"}));
}

TEST_F(RulesOracleTest, WhatOpenedTheLevelIsServedFirst) {
  share_out(Allocation::FirstThenProRata);
  sell(1, 6, iceberg(4));
  sell(2, 10);
  sell(3, 20);
  // 4 of the first; of 30 that the others show, 9: 3 and 6.
  EXPECT_EQ(texts(buy(9, 13)), (Texts{"4 of 1, left 2, shown 0", "1 refilled to 2", "3 of 2, left 7, shown 7",
                                      "6 of 3, left 14, shown 14"}));
  // It has lost its place. 4 of 23: 1, 2 and 0; one is left for the first in the queue.
  EXPECT_EQ(texts(buy(9, 4)),
            (Texts{"1 of 2, left 6, shown 6", "2 of 3, left 12, shown 12", "1 of 2, left 5, shown 5"}));
}

TEST_F(RulesOracleTest, OwnOrdersOfALevelAreMetBeforeItIsShared) {
  share_out(Allocation::ProRata);
  sell(1, 10);
  sell(2, 4, of_owner(7));
  sell(3, 3, hidden(7));
  EXPECT_EQ(texts(buy(9, 10, of_owner(7, SelfTrade::Decrement))),
            (Texts{"4 prevented of 2, left 0, taker 6", "3 prevented of 3, left 0, taker 3",
                   "3 of 1, left 7, shown 7"}));
}

TEST_F(RulesOracleTest, MassCancelGoesByBookSidePriceAndQueue) {
  apply(RuledCommand::add_resting(1, Side::Buy, 10, 1).with(of_owner(7)), 1);
  sell(2, 1, of_owner(7), 31);
  sell(3, 2, hidden(7), 30);
  sell(4, 3, iceberg(1, 7), 30);
  apply(RuledCommand::add_resting(5, Side::Buy, 9, 4).with(of_owner(7)));
  apply(RuledCommand::add_resting(6, Side::Buy, 11, 5).with(of_owner(7)));
  apply(RuledCommand::add_resting(7, Side::Buy, 11, 6).with(of_owner(8)));
  const Outcome outcome = oracle_.mass_cancel({.owner = 7, .lowest = 10}, {});
  EXPECT_EQ(texts(outcome), (Texts{"6 cancelled, shown 5", "4 cancelled, shown 1", "3 cancelled, shown 0",
                                   "2 cancelled, shown 1", "1 cancelled, shown 1"}));
  EXPECT_EQ(outcome.cancelled, 12u);
  EXPECT_EQ(oracle_.size(), 2u);
}

TEST_F(RulesOracleTest, AnAuctionTradesBetterOrdersWholeAndRefillsOnTheLastLevel) {
  const auto rest = [this](OrderId id, Side side, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    apply(RuledCommand::add_resting(id, side, price, quantity).with(terms));
  };
  rest(1, Side::Sell, 20, 5, iceberg(2));
  rest(2, Side::Sell, 20, 4, of_owner(7));
  rest(3, Side::Sell, 18, 3, iceberg(1));
  rest(4, Side::Buy, 22, 5);
  rest(5, Side::Buy, 21, 4, of_owner(7));
  EXPECT_EQ(oracle_.indicative(0, 50), (AuctionPrice{20, 9, 3, Side::Sell}));
  const Outcome outcome = oracle_.uncross(0, 20, SelfTrade::Decrement);
  EXPECT_EQ(texts(outcome), (Texts{"3 of 4 and 3, left 2 and 0", "2 of 4 and 1, left 0 and 3", "1 refilled to 2",
                                   "4 of 5 and 2, left 0 and 0"}));
  EXPECT_EQ(outcome.filled, 5u);
  EXPECT_EQ(outcome.cancelled, 4u) << "of one owner";
  EXPECT_EQ(oracle_.size(), 1u);
  EXPECT_EQ(oracle_.indicative(0, 50), std::nullopt);
}

}  // namespace
}  // namespace llmes::test
