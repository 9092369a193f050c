// SPDX-License-Identifier: MIT
//
// The commands of books with rules as values: those without rules are as large as before, and a mass cancel keeps
// its scope.
#include "llmes/types/terms.hpp"

#include <gtest/gtest.h>

#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"

namespace llmes::test {
namespace {

static_assert(sizeof(Command) == 40 && sizeof(Request) == 40 && sizeof(BookCommand) == 40);

TEST(Terms, ACommandCarriesThem) {
  const OrderTerms terms{.owner = 7, .self_trade = SelfTrade::Decrement, .display = Display::Reserve, .peak = 3};
  const auto command = RuledCommand::add_limit(1, Side::Sell, 100, 9, TimeInForce::GoodTillCancel).with(terms);
  EXPECT_EQ(command.terms, terms);
  EXPECT_EQ(command.with({}), RuledCommand::add_limit(1, Side::Sell, 100, 9, TimeInForce::GoodTillCancel));
  EXPECT_EQ(to_string(command),
            "AddLimit id 1, Sell, 9 at 100, GoodTillCancel, owner 7, Decrement, Reserve of peak 3");
}

TEST(CancelScope, AMassCancelKeepsIt) {
  for (const std::optional<Side> side :
       {std::optional<Side>{}, std::optional(Side::Buy), std::optional(Side::Sell)}) {
    for (const std::optional<BookNumber> book : {std::optional<BookNumber>{}, std::optional<BookNumber>(3)}) {
      const CancelScope scope{.owner = 9, .side = side, .lowest = -4, .highest = 11, .book = book};
      EXPECT_EQ(RuledBookCommand::mass_cancel(scope).scope(), scope);
      EXPECT_EQ(RuledBookRequest::mass_cancel(scope).scope(), scope);
    }
  }
  EXPECT_EQ(RuledCommand::mass_cancel({}).scope(), CancelScope{});
  EXPECT_EQ(to_string(RuledBookCommand::mass_cancel({.owner = 9, .side = Side::Buy, .lowest = -4, .highest = 11})),
            "MassCancel owner 9, Buy, from -4 to 11");
}

TEST(Terms, OfWhatABookTellsAreALine) {
  const Trade trade{1, 2, {7, 3}, -5, 6, 8, 9, Side::Sell};
  const std::string fill = to_string(trade);
  EXPECT_EQ(to_string(RuledTrade{trade, 4, 5, 8}), fill + ", shows 8, owners 5 and 4");
  EXPECT_EQ(to_string(RuledTrade{trade, 4, 5, 0, Display::Hidden}), fill + ", shows 0 of Hidden, owners 5 and 4");
  EXPECT_EQ(to_string(RuledTrade{trade, 4, 5, 3, Display::Reserve}),
            fill + ", shows 3 of Reserve, owners 5 and 4");
  EXPECT_EQ(
      to_string(PreventedMatch{1, 2, {7, 3}, -5, 6, 8, 9, Side::Sell, SelfTrade::Decrement, 4, 3}),
      "6 prevented at -5 by Decrement of owner 4, taker 1 Sell left with 9, maker 2 left with 8 after showing "
      "3, handle 7:3");
}

TEST(CancelScope, ASideThatIsNoneStaysNone) {
  const std::optional<Side> side = RuledCommand::mass_cancel({.side = static_cast<Side>(0xff)}).scope().side;
  ASSERT_TRUE(side);
  EXPECT_GT(*side, Side::Sell);
  const auto last = std::numeric_limits<BookNumber>::max();
  EXPECT_TRUE(RuledBookCommand::mass_cancel({.book = last}).scope().book);
}

}  // namespace
}  // namespace llmes::test
