// SPDX-License-Identifier: MIT
//
// Call auctions: their price by each rule, and who trades with whom.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/types/auction.hpp"
#include "tests/rules/ruled_book.hpp"
#include "tests/support/auction_oracle.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

constexpr Quantity largest = std::numeric_limits<Quantity>::max();

/// Keeps what an auction tells, as text.
struct AuctionTold {
  std::vector<std::string> lines;

  void operator()(const AuctionTrade& trade) { note(trade, " x "); }
  void prevented(const PreventedAuctionTrade& match) { note(match, " not "); }
  void refilled(const RestingOrder& order) {
    lines.push_back(std::to_string(order.id) + " refilled " + std::to_string(order.quantity));
  }
  /// "buyer x seller: lots @ price", and for each what is left, with what of that and of the lots is displayed.
  void note(const AuctionMatch& match, const char* how) {
    const auto left = [](const AuctionOrder& order) {
      return ' ' + std::to_string(order.remaining) + '/' + std::to_string(order.displayed) + '/' +
             std::to_string(order.shown);
    };
    lines.push_back(std::to_string(match.buy.id) + how + std::to_string(match.sell.id) + ": " +
                    std::to_string(match.quantity) + " @ " + std::to_string(match.price) + left(match.buy) +
                    left(match.sell));
  }
  [[nodiscard]] Lines take() {
    Lines taken;
    taken.swap(lines);
    return taken;
  }
};

/// A book of 64 prices in which orders rest crossed. Buys have odd ids, sells even ones.
template <class Rules>
class AuctionBookTest : public RuledBookTest<Rules> {
 protected:
  OrderHandle rest(OrderId id, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    const Side side = id % 2 == 1 ? Side::Buy : Side::Sell;
    const Result result = this->book.add_resting_order(id, side, price, quantity, terms);
    EXPECT_EQ(result.status, Status::Success);
    return result.handle;
  }
  [[nodiscard]] std::optional<AuctionPrice> indicative(Price reference = 32) const {
    return this->book.indicative(reference);
  }
  Result uncross(Price price, SelfTrade self_trade = SelfTrade::Decrement) {
    return this->book.uncross(price, self_trade, heard);
  }

  AuctionTold heard;
};
using AuctionTest = AuctionBookTest<VenueRules<>>;
using AuctionProRata = AuctionBookTest<VenueRules<Allocation::ProRata>>;
using AuctionFirst = AuctionBookTest<VenueRules<Allocation::FirstThenProRata>>;

// ---- The price.

TEST_F(AuctionTest, NothingCrossesNoPrice) {
  EXPECT_EQ(indicative(), std::nullopt);
  rest(1, 20, 5);
  EXPECT_EQ(indicative(), std::nullopt) << "one side";
  rest(2, 21, 5);
  EXPECT_EQ(indicative(), std::nullopt) << "both, and not crossed";
  rest(4, 20, 5);
  EXPECT_EQ(indicative(), (AuctionPrice{20, 5, 0, Side::Buy})) << "locked";
}

TEST_F(AuctionTest, MostLotsComeFirst) {
  rest(1, 30, 10);
  rest(3, 25, 10);
  rest(2, 20, 8);
  rest(4, 25, 12);
  EXPECT_EQ(indicative(63), (AuctionPrice{25, 20, 0, Side::Buy}));
}

TEST_F(AuctionTest, ThenFewestLeftOver) {
  rest(1, 30, 10);
  rest(3, 25, 7);
  rest(2, 20, 10);
  EXPECT_EQ(indicative(20), (AuctionPrice{26, 10, 0, Side::Buy})) << "at 25 and below 7 would be left over";
}

TEST_F(AuctionTest, ThenThePressureOfTheMarket) {
  rest(1, 30, 15);
  rest(2, 20, 10);
  EXPECT_EQ(indicative(20), (AuctionPrice{30, 10, 5, Side::Buy}));
  rest(4, 20, 10);
  EXPECT_EQ(indicative(30), (AuctionPrice{20, 15, 5, Side::Sell}));
}

TEST_F(AuctionTest, ThenTheReference) {
  rest(1, 30, 10);
  rest(2, 20, 10);
  EXPECT_EQ(indicative(24), (AuctionPrice{24, 10, 0, Side::Buy}));
  EXPECT_EQ(indicative(3), (AuctionPrice{20, 10, 0, Side::Buy}));
  EXPECT_EQ(indicative(std::numeric_limits<Price>::min())->price, 20);
  EXPECT_EQ(indicative(std::numeric_limits<Price>::max())->price, 30);
}

TEST_F(AuctionTest, EquallyManyOfBothSidesLeftOverAtNeighbours) {
  rest(1, 30, 10);
  rest(3, 25, 4);
  rest(2, 20, 10);
  rest(4, 26, 4);
  EXPECT_EQ(indicative(25), (AuctionPrice{25, 10, 4, Side::Buy}));
  EXPECT_EQ(indicative(0), (AuctionPrice{25, 10, 4, Side::Buy})) << "no lower: orders at 25 would be passed over";
  EXPECT_EQ(indicative(26), (AuctionPrice{26, 10, 4, Side::Sell}));
  EXPECT_EQ(indicative(63), (AuctionPrice{26, 10, 4, Side::Sell}));
  rest(6, 26, 1);
  EXPECT_EQ(indicative(63), (AuctionPrice{25, 10, 4, Side::Buy})) << "the fewer";
}

TEST_F(AuctionTest, ReservesAndHiddenOrdersCount) {
  rest(1, 30, 10, reserve(2));
  rest(3, 30, 5, hidden());
  rest(2, 20, 7, hidden());
  EXPECT_EQ(indicative(), (AuctionPrice{30, 7, 8, Side::Buy}));
}

TEST_F(AuctionTest, SumsBeyond64BitsAreTheLargest) {
  rest(1, 30, largest);
  rest(3, 29, largest);
  rest(2, 20, largest);
  rest(4, 21, largest);
  EXPECT_EQ(indicative(0), (AuctionPrice{21, largest, 0, Side::Buy}));
  rest(6, 22, largest);
  EXPECT_EQ(indicative(0), (AuctionPrice{21, largest, 0, Side::Buy})) << "the price is exact all the same";
  EXPECT_EQ(uncross(21), done(largest));
  EXPECT_EQ(heard.take(),
            (Lines{"1 x 2: 18446744073709551615 @ 21 0/0/18446744073709551615 0/0/18446744073709551615",
                   "3 x 4: 18446744073709551615 @ 21 0/0/18446744073709551615 0/0/18446744073709551615"}));
  EXPECT_EQ(book.size(), 1u);
}

// ---- Who trades.

TEST_F(AuctionTest, BetterOrdersTradeWholeAndTheRestByTime) {
  rest(1, 28, 5);
  rest(3, 30, 10);
  rest(5, 28, 5);
  rest(2, 27, 4);
  rest(4, 20, 13);
  ASSERT_EQ(indicative(), (AuctionPrice{28, 17, 3, Side::Buy}));
  EXPECT_EQ(uncross(28), done(17));
  EXPECT_EQ(heard.take(), (Lines{"3 x 4: 10 @ 28 0/0/10 3/3/10", "1 x 4: 3 @ 28 2/2/3 0/0/3",
                                 "1 x 2: 2 @ 28 0/0/2 2/2/2", "5 x 2: 2 @ 28 3/3/2 0/0/2"}));
  EXPECT_EQ(queue(Side::Buy, 28), (std::vector<OrderId>{5}));
  EXPECT_EQ(book.best_bid(), 28);
  EXPECT_EQ(book.best_ask(), std::nullopt);
  EXPECT_EQ(book.level(Side::Buy, 28), (DepthLevel{28, 3, 1}));
}

TEST_F(AuctionTest, AnOrderTellsOfItselfAndItsOwner) {
  const OrderHandle buy = rest(1, 30, 10, reserve(4, 7));
  const OrderHandle sell = rest(2, 20, 12, of(8));
  struct Keep {
    std::vector<AuctionTrade> trades;
    void operator()(const AuctionTrade& trade) { trades.push_back(trade); }
  } keep;
  EXPECT_EQ(book.uncross(20, SelfTrade::Allow, keep), done(10));
  ASSERT_EQ(keep.trades.size(), 1u);
  EXPECT_EQ(keep.trades[0].buy, (AuctionOrder{1, buy, 30, 0, 0, 4, 7, Display::Reserve}));
  EXPECT_EQ(keep.trades[0].sell, (AuctionOrder{2, sell, 20, 2, 2, 10, 8, Display::Whole}));
  EXPECT_EQ(book.find(buy), std::nullopt);
  EXPECT_EQ(book.find(sell)->quantity, 2u);
}

TEST_F(AuctionTest, ReservesRefillOnTheLastLevelAlone) {
  rest(1, 30, 6, reserve(2));
  rest(2, 20, 9, reserve(3));
  rest(4, 20, 2);
  rest(6, 20, 5, hidden());
  ASSERT_EQ(indicative(), (AuctionPrice{20, 6, 10, Side::Sell}));
  EXPECT_EQ(uncross(20), done(6));
  EXPECT_EQ(heard.take(), (Lines{"1 x 2: 3 @ 20 3/0/2 6/0/3", "2 refilled 3", "1 x 4: 2 @ 20 1/0/0 0/0/2",
                                 "1 x 2: 1 @ 20 0/0/0 5/2/1"}));
  EXPECT_EQ(book.level(Side::Sell, 20), (DepthLevel{20, 2, 1}));
}

TEST_F(AuctionTest, HiddenOrdersTradeLast) {
  rest(1, 25, 9);
  rest(2, 25, 4, hidden());
  rest(4, 25, 4);
  rest(6, 25, 4, hidden());
  EXPECT_EQ(uncross(25), done(9));
  EXPECT_EQ(heard.take(),
            (Lines{"1 x 4: 4 @ 25 5/5/4 0/0/4", "1 x 2: 4 @ 25 1/1/4 0/0/0", "1 x 6: 1 @ 25 0/0/1 3/0/0"}));
  EXPECT_EQ(book.best_ask(), std::nullopt) << "what is left is hidden";
}

TEST_F(AuctionProRata, TheLastLevelIsSharedOut) {
  rest(1, 30, 30);
  rest(3, 30, 10);
  rest(5, 31, 2);
  rest(2, 20, 22);
  ASSERT_EQ(indicative(), (AuctionPrice{30, 22, 20, Side::Buy}));
  EXPECT_EQ(uncross(30), done(22));
  EXPECT_EQ(heard.take(),
            (Lines{"5 x 2: 2 @ 30 0/0/2 20/20/2", "1 x 2: 15 @ 30 15/15/15 5/5/15", "3 x 2: 5 @ 30 5/5/5 0/0/5"}));
}

TEST_F(AuctionFirst, TheOrderThatOpenedTheLevelComesFirst) {
  rest(1, 30, 6);
  rest(3, 30, 8);
  rest(5, 30, 8);
  rest(2, 20, 10);
  EXPECT_EQ(uncross(30), done(10));
  EXPECT_EQ(heard.take(),
            (Lines{"1 x 2: 6 @ 30 0/0/6 4/4/6", "3 x 2: 2 @ 30 6/6/2 2/2/2", "5 x 2: 2 @ 30 6/6/2 0/0/2"}));
}

// ---- Orders of one owner.

TEST_F(AuctionTest, OrdersOfOneOwnerLoseWhatTheyWouldTrade) {
  rest(1, 30, 5, of(7));
  rest(3, 30, 5, of(8));
  rest(2, 20, 7, of(7));
  rest(4, 20, 1);
  ASSERT_EQ(indicative(), (AuctionPrice{30, 8, 2, Side::Buy}));
  EXPECT_EQ(uncross(30), done(3, 5));
  EXPECT_EQ(heard.take(),
            (Lines{"1 not 2: 5 @ 30 0/0/5 2/2/5", "3 x 2: 2 @ 30 3/3/2 0/0/2", "3 x 4: 1 @ 30 2/2/1 0/0/1"}));
  EXPECT_EQ(indicative(), std::nullopt);
  EXPECT_EQ(book.mass_cancel({.owner = 7}, told), done(0)) << "nothing of him is left";
}

TEST_F(AuctionTest, IfAllowedTheyTrade) {
  rest(1, 30, 5, of(7));
  rest(2, 20, 5, of(7));
  EXPECT_EQ(uncross(25, SelfTrade::Allow), done(5));
  EXPECT_EQ(heard.take(), (Lines{"1 x 2: 5 @ 25 0/0/5 0/0/5"}));
}

TEST_F(AuctionTest, NobodyIsNoOwner) {
  rest(1, 30, 5);
  rest(2, 20, 5);
  EXPECT_EQ(uncross(25), done(5));
}

// ---- Other prices, and mistakes.

TEST_F(AuctionTest, AtAnyPriceOneSideIsUsedUp) {
  rest(1, 30, 5);
  rest(3, 25, 5);
  rest(2, 20, 3);
  rest(4, 24, 4);
  EXPECT_EQ(uncross(22), done(3)) << "a collar below the price";
  EXPECT_EQ(indicative(24), (AuctionPrice{25, 4, 3, Side::Buy})) << "still crossed";
  EXPECT_EQ(book.level(Side::Buy, 30), (DepthLevel{30, 2, 1}));
  EXPECT_EQ(book.best_ask(), 24);
  EXPECT_EQ(uncross(31), done(0)) << "nobody buys there";
  EXPECT_EQ(uncross(0), done(0)) << "nobody sells there";
}

TEST_F(AuctionTest, RejectsAPriceOutOfBandAndOtherModes) {
  rest(1, 30, 5);
  rest(2, 20, 5);
  const auto rejects = [&](Price price, SelfTrade mode, Status status) {
    EXPECT_EQ(uncross(price, mode), (Result{status}));
    EXPECT_EQ(book.size(), 2u);
    EXPECT_TRUE(heard.take().empty());
  };
  for (const Price price : {Price{-1}, Price{64}, std::numeric_limits<Price>::max()}) {
    rejects(price, SelfTrade::Allow, Status::PriceOutOfBand);
    EXPECT_EQ(book.indicative_at(price).quantity, 0u);
  }
  for (const auto mode :
       {SelfTrade::CancelTaker, SelfTrade::CancelMaker, SelfTrade::CancelBoth, static_cast<SelfTrade>(5)}) {
    rejects(25, mode, Status::InvalidCommand);
    rejects(-1, mode, Status::InvalidCommand);
  }
  EXPECT_EQ(book.uncross(std::uint64_t{largest}, SelfTrade::Allow, heard).status, Status::PriceOutOfBand);
}

TEST_F(AuctionTest, OfAnEmptyBook) {
  EXPECT_EQ(uncross(25), done(0));
  RuledOrderBook<64> moved = std::move(book);
  EXPECT_EQ(book.indicative(0), std::nullopt);
  EXPECT_EQ(book.uncross(25, SelfTrade::Allow, heard), done(0)) << "moved from";
}

/// While orders collect, they change without trading.
TEST_F(AuctionTest, OrdersChangeWhileTheyCollect) {
  const OrderHandle buy = rest(1, 20, 10, reserve(3));
  const OrderHandle other = rest(2, 20, 5, hidden());
  EXPECT_EQ(book.modify_resting_order(buy, 30, 12), rests(buy, 12));
  EXPECT_EQ(book.replace_resting_order(other, 4, 18, 9, reserve(2)).remaining, 9u);
  EXPECT_EQ(book.reduce_order(buy, 1), Status::Success);
  EXPECT_EQ(indicative(40), (AuctionPrice{30, 9, 2, Side::Buy}));
  EXPECT_EQ(uncross(30), done(9));
  EXPECT_EQ(book.level(Side::Buy, 30), (DepthLevel{30, 2, 1}));
}

// ---- Far prices, sets and ids.

TEST(AuctionOfASet, IsThatOfOneBook) {
  auto set = IdBook<RuledBookSet, HashedIds>::create({.max_books = 2, .capacity = 16}, {});
  ASSERT_TRUE(set && set->add_book() && set->add_book());
  for (const BookNumber number : {0u, 1u}) {
    EXPECT_TRUE(set->add_resting_order(number, 10 * number + 1, Side::Buy, 1'000'000, 5).rests());
    EXPECT_TRUE(set->add_resting_order(number, 10 * number + 2, Side::Sell, -1'000'000, 3).rests());
  }
  AuctionTold heard;
  EXPECT_EQ(set->book(1)->indicative(7), (AuctionPrice{1'000'000, 3, 2, Side::Buy}));
  EXPECT_EQ(set->uncross(2, 1'000'000, SelfTrade::Allow, heard).status, Status::UnknownBook);
  EXPECT_EQ(set->uncross(1, 1'000'000, SelfTrade::Allow, heard), done(3));
  EXPECT_EQ(heard.take(), (Lines{"11 x 12: 3 @ 1000000 2/2/3 0/0/3"}));
  EXPECT_EQ(set->find(12), std::nullopt);
  EXPECT_EQ(set->find(11)->quantity, 2u);
  EXPECT_TRUE(set->find(1) && set->find(2)) << "of the other book";
  EXPECT_TRUE(set->add_resting_order(0, 12, Side::Buy, 5, 1).rests()) << "the id is free";
  EXPECT_EQ(set->uncross(1, std::numeric_limits<Price>::max(), SelfTrade::Allow, heard).status,
            Status::PriceOutOfBand);
}

TEST(AuctionById, WhatLeavesTheBookLeavesTheIndex) {
  auto book = IdBook<RuledOrderBook<64>, HashedIds>::create({.base_price = 0, .capacity = 8}, {});
  ASSERT_TRUE(book);
  const OrderTerms alice{.owner = 1};
  EXPECT_TRUE(book->add_resting_order(1, Side::Buy, 30, 5, alice).rests());
  EXPECT_TRUE(book->add_resting_order(2, Side::Sell, 20, 5, alice).rests());
  AuctionTold heard;
  EXPECT_EQ(book->uncross(25, SelfTrade::Decrement, heard), done(0, 5));
  EXPECT_EQ(heard.take(), (Lines{"1 not 2: 5 @ 25 0/0/5 0/0/5"}));
  EXPECT_EQ(book->find(1), std::nullopt);
  const auto entries = [&] { return IdInspector::entry_count(IdInspector::index(*book)); };
  EXPECT_EQ(entries(), 0u) << "of prevented orders";
  EXPECT_TRUE(book->add_resting_order(3, Side::Buy, 30, 5).rests());
  EXPECT_TRUE(book->add_resting_order(2, Side::Sell, 20, 6).rests());
  EXPECT_EQ(book->uncross(25, SelfTrade::Decrement, heard), done(5));
  EXPECT_EQ(entries(), 1u) << "of those that trade";
}

TEST(AuctionPriceAtTheLimits, OfAllPrices) {
  constexpr Price lowest = std::numeric_limits<Price>::min();
  constexpr Price highest = std::numeric_limits<Price>::max() - 1;
  auto book = RuledAnyPriceBook<512>::create({.capacity = 8});
  ASSERT_TRUE(book);
  EXPECT_TRUE(book->add_resting_order(1, Side::Buy, highest, 5).rests());
  EXPECT_TRUE(book->add_resting_order(2, Side::Sell, lowest, 5).rests());
  EXPECT_EQ(book->indicative(lowest), (AuctionPrice{lowest, 5, 0, Side::Buy}));
  EXPECT_EQ(book->indicative(std::numeric_limits<Price>::max()), (AuctionPrice{highest, 5, 0, Side::Buy}));
  EXPECT_EQ(book->indicative(0), (AuctionPrice{0, 5, 0, Side::Buy}));
  EXPECT_TRUE(book->add_resting_order(3, Side::Buy, highest, 1).rests());
  EXPECT_EQ(book->indicative(lowest), (AuctionPrice{highest, 5, 1, Side::Buy}));
  EXPECT_TRUE(book->add_resting_order(4, Side::Sell, lowest, 2).rests());
  EXPECT_EQ(book->indicative(highest), (AuctionPrice{lowest, 6, 1, Side::Sell}));
  AuctionTold heard;
  EXPECT_EQ(book->uncross(lowest, SelfTrade::Allow, heard), done(6));
  EXPECT_EQ(book->size(), 1u);
}

TEST(AuctionText, SaysWhatTradesAndWhatIsLeft) {
  EXPECT_EQ(to_string(AuctionPrice{30, 8, 0, Side::Sell}), "8 at 30, none left over");
  EXPECT_EQ(to_string(AuctionPrice{-3, 8, 2, Side::Sell}), "8 at -3, Sell 2 left over");
  AuctionTrade trade;
  trade.buy = {.id = 1, .remaining = 5, .displayed = 3, .owner = 7};
  trade.sell = {.id = 2};
  trade.price = 30;
  trade.quantity = 4;
  EXPECT_EQ(to_string(trade),
            "4 at 30, buy 1 left with 5, shows 3, owner 7, sell 2 left with 0, shows 0, owner 0");
}

// ---- Every small book, against a search over all prices.

TEST(AuctionPrice, IsThatOfASearchOverAllPrices) {
  // Up to 2 lots of either side at each of 4 prices with gaps of one to three.
  constexpr Price prices[] = {3, 4, 6, 9};
  std::vector<Price> all;
  for (Price price = 0; price < 13; ++price) all.push_back(price);
  std::size_t crossed = 0;
  for (unsigned code = 0; code < 3 * 3 * 3 * 3 * 3 * 3 * 3 * 3; ++code) {
    auto book = *RuledOrderBook<64>::create({.base_price = 0, .capacity = 8});
    RuledOrders orders;
    unsigned left = code;
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const Price price : prices) {
        const Quantity lots = left % 3;
        left /= 3;
        if (lots == 0) continue;
        const OrderHandle handle = book.add_resting_order(1, side, price, lots).handle;
        orders.push_back({{handle, 1, side, price, lots}});
      }
    }
    for (Price reference = 1; reference < 12; reference += 2) {
      const std::optional<AuctionPrice> found = auction_price(orders, 0, all, reference);
      ASSERT_EQ(book.indicative(reference), found) << "book " << code << ", reference " << reference;
      if (!found) continue;
      ++crossed;
      ASSERT_GT(found->quantity, 0u) << "the rules leave two prices";
    }
    if (const auto found = book.indicative(5)) {
      AuctionTold heard;
      ASSERT_EQ(book.uncross(found->price, SelfTrade::Allow, heard), done(found->quantity));
      ASSERT_EQ(book.indicative(5), std::nullopt) << "book " << code;
      const DepthLevel over = book.level(found->side, found->price);
      ASSERT_EQ(over.quantity, found->imbalance) << "book " << code;
    }
  }
  EXPECT_GT(crossed, 10'000u);
}

}  // namespace
}  // namespace llmes::test
