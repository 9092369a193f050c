// SPDX-License-Identifier: MIT
//
// Spans of commands with terms, and what a book with rules takes and leaves when it is moved.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/ids.hpp"
#include "tests/rules/ruled_book.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

constexpr auto gtc = TimeInForce::GoodTillCancel;

/// Notes of which command it hears what.
struct Numbered {
  std::string heard;

  void operator()(const RuledTrade&, std::size_t index) { heard += "trade " + std::to_string(index) + "; "; }
  void prevented(const PreventedMatch&, std::size_t index) {
    heard += "prevented " + std::to_string(index) + "; ";
  }
  void refilled(const RestingOrder&, std::size_t index) { heard += "refilled " + std::to_string(index) + "; "; }
  void cancelled(const RestingOrder&, std::size_t index) { heard += "cancelled " + std::to_string(index) + "; "; }
};

template <class Name>
std::vector<BasicBookCommand<Name, OrderTerms>> commands() {
  using Command = BasicBookCommand<Name, OrderTerms>;
  const OrderTerms reserve{.owner = 1, .display = Display::Reserve, .peak = 2};
  const OrderTerms cancels{.owner = 1, .self_trade = SelfTrade::CancelMaker};
  return {{Command::add_limit(1, Side::Sell, 10, 4, gtc).with(reserve), 0},
          {Command::add_limit(2, Side::Buy, 10, 2, gtc), 0},
          {Command::add_limit(3, Side::Buy, 10, 1, gtc).with(cancels), 0},
          Command::mass_cancel({.owner = 1})};
}
constexpr auto expected = "trade 1; refilled 1; prevented 2; cancelled 3; ";

TEST(RuledSpan, ASinkMayTakeTheIndex) {
  Numbered numbered;
  const auto list = commands<OrderHandle>();
  auto set = *RuledBookSet::create({.max_books = 1, .capacity = 4});
  std::ignore = set.add_book();
  set.apply(
      std::span(list), [](const Result& r) { EXPECT_EQ(r.status, Status::Success); }, numbered);
  EXPECT_EQ(numbered.heard, expected);

  numbered.heard.clear();
  const std::vector<RuledCommand> of_book(list.begin(), list.end());
  auto book = *RuledOrderBook<64>::create({.base_price = 0, .capacity = 4});
  book.apply(
      std::span(of_book), [](const Result& r) { EXPECT_EQ(r.status, Status::Success); }, numbered);
  EXPECT_EQ(numbered.heard, expected);

  numbered.heard.clear();
  const auto requests = commands<OrderId>();
  auto ids = *IdBook<RuledBookSet, DenseIds>::create({.max_books = 1, .capacity = 4}, {.first = 0, .count = 16});
  std::ignore = ids.add_book();
  ids.apply(
      requests.size(), [&](std::size_t i) -> const RuledBookRequest& { return requests[i]; },
      [](const Result& r) { EXPECT_EQ(r.status, Status::Success); }, numbered);
  EXPECT_EQ(numbered.heard, expected);
}

TEST(RuledSpan, AReceiverLearnsWhatIsDisplayed) {
  auto book = *RuledOrderBook<64>::create({.base_price = 0, .capacity = 4});
  std::vector<RuledCommand> list{commands<OrderHandle>()[0]};
  OrderChange last;
  const auto note = [&](const Result&, std::size_t, const OrderChange& change) { last = change; };
  book.apply(std::span<const RuledCommand>(list), note, DiscardTrades{});
  EXPECT_EQ(last.after.quantity, 2u);
  list = {RuledCommand::reduce(last.after.handle, 3)};
  book.apply(std::span<const RuledCommand>(list), note, DiscardTrades{});
  EXPECT_EQ(last.before.quantity, 2u);
  EXPECT_EQ(last.after.quantity, 1u);
}

TEST(RuledBookMoved, TakesItsTermsAlong) {
  auto book = *RuledOrderBook<64>::create({.base_price = 0, .capacity = 4});
  Told told;
  std::ignore = book.add_limit_order(1, Side::Sell, 10, 4, gtc, OrderTerms{.owner = 1}, told);
  auto moved = std::move(book);
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0));
  EXPECT_EQ(book.add_limit_order(2, Side::Sell, 10, 4, gtc, OrderTerms{.owner = 1}, told).status,
            Status::PoolFull);
  EXPECT_EQ(book.add_market_order(2, Side::Sell, 4, OrderTerms{.owner = 1}, told), done(0, 4));
  EXPECT_EQ(moved.mass_cancel({.owner = 1}, told), done(0, 4));
}

TEST(RuledByIdRejected, ARefusedReplaceTellsAllLots) {
  auto book = *IdBook<RuledBookSet, HashedIds>::create({.max_books = 1, .capacity = 4}, {});
  std::ignore = book.add_book();
  Told told;
  const OrderTerms reserve{.owner = 1, .display = Display::Reserve, .peak = 2};
  const Result added = book.add_limit_order(0, 1, Side::Sell, 10, 9, gtc, reserve, told);
  std::ignore = book.add_limit_order(0, 2, Side::Sell, 11, 9, gtc, told);
  EXPECT_EQ(book.replace_order(1, 2, 10, 5, gtc, reserve, told), stays(Status::DuplicateId, added.handle, 9));
}

}  // namespace
}  // namespace llmes::test
