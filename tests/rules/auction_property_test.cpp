// SPDX-License-Identifier: MIT
//
// What holds of every auction, whatever the oracle says: one price, nobody trades against his limit or with
// himself, lots are conserved, better orders go first, and the book is not crossed afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <variant>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/support/random.hpp"
#include "tests/support/ruled_kinds.hpp"

namespace llmes::test {
namespace {

/// An order before an auction, and what the events say is left of it.
struct Before {
  RestingOrder shown;
  RestingTerms terms;
  Quantity left;
  Quantity displayed;
};
using Orders = std::map<std::uint64_t, Before>;

Orders orders_in(const AnyRuledBook& book, BookNumber number) {
  Orders orders;
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const RestingOrder& order : book.orders(number, side)) {
      const RestingTerms terms = *book.terms_of(order.handle);
      orders[order.handle.value()] = {order, terms, order.quantity + terms.reserve, order.quantity};
    }
  }
  return orders;
}

/// What the auctions of a kind of book have had in them.
struct Seen {
  std::size_t auctions = 0, trades = 0, prevented = 0, refilled = 0, hidden = 0, left_over = 0;
};

class AuctionKeeps : public ::testing::TestWithParam<RuledKind> {
 protected:
  void fill(AnyRuledBook& book, BookNumber number) {
    const auto& prices = GetParam().prices;
    const std::size_t count = 2 + random.below(20);
    for (std::size_t i = 0; i < count; ++i) {
      const Quantity quantity = 1 + random.below(12);
      OrderTerms terms{.owner = static_cast<Owner>(random.below(4))};
      if (random.chance(40)) {
        terms.display = random.chance(60) ? Display::Reserve : Display::Hidden;
        terms.peak = 1 + random.below(std::min<Quantity>(quantity, 3));
      }
      RuledBookCommand command{RuledCommand::add_resting(++last_id, random.chance(50) ? Side::Buy : Side::Sell,
                                                         prices[random.below(prices.size())], quantity)
                                   .with(terms),
                               number};
      RuleRecorder sink;
      ASSERT_EQ(book.call(command, Way::Apply, sink).result.status, Status::Success);
      ASSERT_TRUE(sink.events.empty());
    }
  }

  /// One of both orders of a match, by the events so far.
  static void meet(Orders& orders, const AuctionOrder& order, Side side, const AuctionMatch& match) {
    Before& before = orders.at(order.handle.value());
    EXPECT_EQ(before.shown.id, order.id);
    EXPECT_EQ(before.shown.side, side);
    EXPECT_EQ(before.shown.price, order.limit);
    EXPECT_EQ(before.terms.owner, order.owner);
    EXPECT_EQ(before.terms.display, order.display);
    EXPECT_EQ(before.left, order.remaining + match.quantity);
    EXPECT_EQ(before.displayed, order.displayed + order.shown);
    EXPECT_LE(order.shown, match.quantity);
    EXPECT_LE(order.displayed, order.remaining);
    EXPECT_TRUE(side == Side::Buy ? order.limit >= match.price : order.limit <= match.price);
    before.left = order.remaining;
    before.displayed = order.displayed;
  }

  void auction(AnyRuledBook& book, BookNumber number, Price reference, SelfTrade mode) {
    Orders orders = orders_in(book, number);
    const std::optional<AuctionPrice> found = book.indicative(number, reference);
    RuleRecorder sink;
    const Price price = found ? found->price : GetParam().prices.front();
    const Result result = book.uncross(number, price, mode, sink);
    ASSERT_EQ(result.status, Status::Success);
    Quantity traded = 0;
    Quantity prevented = 0;
    const auto match = [&](const AuctionMatch& one, bool trades) {
      EXPECT_EQ(one.price, price);
      EXPECT_GT(one.quantity, 0u);
      meet(orders, one.buy, Side::Buy, one);
      meet(orders, one.sell, Side::Sell, one);
      const bool own = one.buy.owner != 0 && one.buy.owner == one.sell.owner;
      EXPECT_EQ(trades, !own || mode == SelfTrade::Allow);
      (trades ? traded : prevented) += one.quantity;
      seen.hidden += one.buy.display == Display::Hidden ? 1 : 0;
    };
    for (const RuleEvent& event : sink.events) {
      if (const auto* trade = std::get_if<AuctionTrade>(&event)) {
        match(*trade, true);
        ++seen.trades;
      } else if (const auto* never = std::get_if<PreventedAuctionTrade>(&event)) {
        match(*never, false);
        ++seen.prevented;
      } else {
        const RestingOrder& refilled = std::get<Refilled>(event).order;
        EXPECT_EQ(orders.at(refilled.handle.value()).displayed, 0u);
        orders.at(refilled.handle.value()).displayed = refilled.quantity;
        ++seen.refilled;
      }
    }
    EXPECT_EQ(result, (Result{Status::Success, {}, traded, 0, prevented}));
    EXPECT_EQ(traded + prevented, found ? found->quantity : 0);

    Quantity left_over = 0;
    for (const auto& [handle, before] : orders) {
      const auto order = book.find(OrderHandle::from_value(handle));
      EXPECT_EQ(order.has_value(), before.left != 0);
      if (!order) continue;
      EXPECT_EQ(order->quantity, before.displayed);
      EXPECT_EQ(order->quantity + book.terms_of(order->handle)->reserve, before.left);
      if (!found) continue;
      const bool buys = order->side == Side::Buy;
      EXPECT_FALSE(buys ? order->price > price : order->price < price) << "a better order is left";
      if (order->price == price && order->side == found->side) left_over += before.left;
    }
    if (found) {
      EXPECT_EQ(left_over, found->imbalance);
      ++seen.auctions;
      seen.left_over += found->imbalance != 0 ? 1 : 0;
    }
    EXPECT_EQ(book.indicative(number, reference), std::nullopt) << "crossed";
  }

  Random random{5};
  OrderId last_id = 0;
  Seen seen;
};

TEST_P(AuctionKeeps, ItsPromises) {
  const RuledKind& kind = GetParam();
  const std::unique_ptr<AnyRuledBook> book = kind.create(200);
  for (unsigned round = 0; round < 60; ++round) {
    const auto number = static_cast<BookNumber>(round % kind.books);
    fill(*book, number);
    const Price middle = kind.prices[kind.prices.size() / 2];
    const auto reference = static_cast<Price>(middle + static_cast<Price>(random.below(200)) - 100);
    auction(*book, number, reference, random.chance(50) ? SelfTrade::Decrement : SelfTrade::Allow);
    ASSERT_FALSE(HasFailure()) << "round " << round;
    if (book->size() > 100) {
      for (BookNumber one = 0; one < kind.books; ++one) book->clear(one, Side::Sell);
    }
  }
  EXPECT_GT(seen.auctions, 50u);
  EXPECT_GT(seen.trades, 200u);
  EXPECT_GT(seen.prevented, 10u);
  EXPECT_GT(seen.refilled, 10u);
  EXPECT_GT(seen.hidden, 10u);
  EXPECT_GT(seen.left_over, 20u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AuctionKeeps, ::testing::ValuesIn(all_ruled_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace llmes::test
