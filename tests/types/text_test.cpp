// SPDX-License-Identifier: MIT
#include "llmes/types/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {
namespace {

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// Each enumerator is called as in the source, and a number that is none "?".
template <class Enum, std::size_t count>
void expect_names(const std::array<std::string_view, count>& names) {
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(to_string(static_cast<Enum>(i)), names[i]);
    EXPECT_EQ(streamed(static_cast<Enum>(i)), names[i]);
  }
  EXPECT_EQ(to_string(static_cast<Enum>(count)), "?");
  EXPECT_EQ(streamed(static_cast<Enum>(200)), "?");
}

TEST(Text, OfEnumeratorsIsTheirName) {
  expect_names<Side>(std::to_array<std::string_view>({"Buy", "Sell"}));
  expect_names<TimeInForce>(
      std::to_array<std::string_view>({"GoodTillCancel", "PostOnly", "ImmediateOrCancel", "FillOrKill"}));
  expect_names<Status>(std::to_array<std::string_view>(
      {"Success", "InvalidCommand", "InvalidQuantity", "PriceOutOfBand", "WouldCross", "NotFillable", "PoolFull",
       "QuantityOverflow", "UnknownOrder", "DuplicateId", "NoRoomForId", "UnknownBook"}));
  expect_names<CreateStatus>(
      std::to_array<std::string_view>({"Success", "InvalidCapacity", "InvalidBasePrice", "InvalidQuantityMax",
                                       "InvalidBookCount", "InvalidIdRange", "OutOfMemory", "InvalidMode"}));
  expect_names<CommandType>(
      std::to_array<std::string_view>({"AddLimit", "AddMarket", "Cancel", "Modify", "Reduce", "Replace",
                                       "AddResting", "ModifyResting", "ReplaceResting", "AddRestingBefore"}));
  EXPECT_EQ(to_string(CommandType::MassCancel), "MassCancel");
  expect_names<SelfTrade>(
      std::to_array<std::string_view>({"Allow", "CancelTaker", "CancelMaker", "CancelBoth", "Decrement"}));
  expect_names<Display>(std::to_array<std::string_view>({"Whole", "Reserve", "Hidden"}));
  expect_names<Allocation>(std::to_array<std::string_view>({"PriceTime", "ProRata", "FirstThenProRata"}));
}

constexpr OrderHandle handle{7, 3};

TEST(Text, OfValuesIsALine) {
  EXPECT_EQ(streamed(handle), "handle 7:3");
  EXPECT_EQ(streamed(OrderHandle{}), "no handle");
  EXPECT_EQ(streamed(BookConfig{-5, 6, 7}), "base price -5, capacity 6, quantities up to 7");
  EXPECT_EQ(streamed(Result{Status::Success, handle, 1, 2, 3, true}),
            "Success, filled 1, remaining 2, cancelled 3, handle 7:3, kept its place");
  EXPECT_EQ(streamed(Result{Status::PoolFull}), "PoolFull, filled 0, remaining 0, cancelled 0, no handle");
  EXPECT_EQ(streamed(Trade{1, 2, handle, -5, 6, 8, 9, Side::Sell}),
            "6 at -5, taker 1 Sell left with 9, maker 2 left with 8, handle 7:3");
  EXPECT_EQ(streamed(RestingOrder{handle, 1, Side::Buy, -5, 6}), "Buy 6 at -5, id 1, handle 7:3");
  EXPECT_EQ(streamed(DepthLevel{-5, 6, 1}), "6 at -5 in 1 order");
  EXPECT_EQ(streamed(DepthLevel{-5, 6, 2}), "6 at -5 in 2 orders");
}

TEST(Text, OfAPlaceInAQueueSaysWhatIsBeforeIt) {
  EXPECT_EQ(streamed(QueuePosition{0, 0}), "0 in 0 orders before it");
  EXPECT_EQ(streamed(QueuePosition{6, 1}), "6 in 1 order before it");
  EXPECT_EQ(streamed(QueuePosition{6, 2}), "6 in 2 orders before it");
}

TEST(Text, OfACommandIsWhatTheCallReads) {
  EXPECT_EQ(streamed(Command::add_limit(1, Side::Sell, -5, 6, TimeInForce::PostOnly)),
            "AddLimit id 1, Sell, 6 at -5, PostOnly");
  EXPECT_EQ(streamed(Command::add_market(1, Side::Buy, 6)), "AddMarket id 1, Buy, 6");
  EXPECT_EQ(streamed(Command::cancel(handle)), "Cancel handle 7:3");
  EXPECT_EQ(streamed(Command::modify(handle, -5, 6)), "Modify handle 7:3, 6 at -5, GoodTillCancel");
  EXPECT_EQ(streamed(Command::reduce(handle, 6)), "Reduce handle 7:3, 6");
  EXPECT_EQ(streamed(BookCommand{Command::cancel(handle), 12}), "book 12: Cancel handle 7:3");
  EXPECT_EQ(streamed(Command::replace(handle, 1, -5, 6)), "Replace handle 7:3 by id 1, 6 at -5, GoodTillCancel");
  EXPECT_EQ(streamed(Command::add_resting(1, Side::Sell, -5, 6)), "AddResting id 1, Sell, 6 at -5");
  EXPECT_EQ(streamed(Command::modify_resting(handle, -5, 6)), "ModifyResting handle 7:3, 6 at -5");
  EXPECT_EQ(streamed(Command::replace_resting(handle, 1, -5, 6)), "ReplaceResting handle 7:3 by id 1, 6 at -5");
  EXPECT_EQ(streamed(Command::add_resting_before(handle, 1, 6)), "AddRestingBefore handle 7:3, new id 1, 6");
}

TEST(Text, OfRulesIsWhatTheySay) {
  EXPECT_EQ(to_string(RestingTerms{.owner = 4, .display = Display::Reserve, .peak = 5, .reserve = 15}),
            "owner 4, Reserve of peak 5 with 15 more");
  EXPECT_EQ(to_string(RestingTerms{.owner = 4, .display = Display::Whole}), "owner 4, Whole");
  const OrderTerms terms{.owner = 4, .self_trade = SelfTrade::CancelMaker, .display = Display::Reserve, .peak = 5};
  EXPECT_EQ(to_string(terms), "owner 4, CancelMaker, Reserve of peak 5");
  EXPECT_EQ(to_string(OrderTerms{.minimum = 3}), "owner 0, Allow, Whole, at least 3");

  RuledBookCommand command{RuledBookCommand::cancel(handle), 12};
  EXPECT_EQ(to_string(command), "book 12: Cancel handle 7:3");
  command.terms = terms;
  EXPECT_EQ(to_string(command), "book 12: Cancel handle 7:3, owner 4, CancelMaker, Reserve of peak 5");

  const CancelScope scope{.owner = 4, .side = Side::Sell, .lowest = -5, .highest = 6, .book = 2};
  EXPECT_EQ(to_string(scope), "owner 4, book 2, Sell, from -5 to 6");
  EXPECT_EQ(to_string(CancelScope{.lowest = -5, .highest = 6}), "everybody's, from -5 to 6");
  EXPECT_EQ(to_string(RuledBookCommand::mass_cancel(scope)), "MassCancel owner 4, book 2, Sell, from -5 to 6");
}

TEST(Text, FillsTheWidthOfAStream) {
  std::ostringstream out;
  out.width(6);
  out << Side::Buy;
  EXPECT_EQ(out.str(), "   Buy");
}

TEST(OrderHandle, CanBeSortedAndHashed) {
  EXPECT_LT((OrderHandle{1, 9}), (OrderHandle{2, 1}));
  EXPECT_LT((OrderHandle{1, 1}), (OrderHandle{1, 3}));
  const std::unordered_set<OrderHandle> handles{{1, 1}, {1, 3}, {2, 1}, {1, 1}};
  EXPECT_EQ(handles.size(), 3u);
  EXPECT_TRUE(handles.contains({1, 3}));
  EXPECT_FALSE(handles.contains({3, 1}));
}

}  // namespace
}  // namespace llmes::test
