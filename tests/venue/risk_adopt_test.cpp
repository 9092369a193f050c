// SPDX-License-Identifier: MIT
//
// A stage that starts beside a book with orders: it takes them in, with what accounts own, and from then on says
// what a stage says that has seen every command. One that goes on where another stopped is read from its image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "llmes/ids.hpp"
#include "llmes/venue.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/state_bytes.hpp"
#include "tests/venue/images.hpp"

namespace llmes::test {
namespace {

using enum RiskStatus;
using enum TimeInForce;

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr RiskConfig config{
    .accounts = 3, .books = 2, .orders = 6, .holdings = 3, .fees = {.maker = -1, .taker = 2}};

class RiskAdopts : public ::testing::Test {
 protected:
  template <class Call>
  void refused(RiskStatus expected, const Call& call) {
    const auto before = state_of(stage);
    EXPECT_EQ(call(), expected);
    EXPECT_TRUE(state_of(stage) == before) << expected;
  }

  RiskStage stage = *RiskStage::create(config);
  const RestingOrder order{.handle = {2, 1}, .id = 7, .side = Side::Buy, .price = 10, .quantity = 5};
};

TEST_F(RiskAdopts, AnOrderThatRestsAlready) {
  ASSERT_EQ(stage.set_limits(1, {.credit = 100}), Success);
  ASSERT_EQ(stage.adopt(1, order, 1), Success);
  EXPECT_EQ(stage.find(order.handle), (OpenOrder{order.handle, 7, 1, 1, Side::Buy, 10, 5}));
  EXPECT_EQ(stage.open_count(1), 1u);
  EXPECT_EQ(stage.accounts().holding(1, 1).open[0], 5u);
  EXPECT_EQ(to_text(stage.accounts().reserved(1)), "50000010");
  EXPECT_EQ(stage.on_cancelled(order.handle, 5), Success);
  EXPECT_EQ(to_text(stage.accounts().reserved(1)), "0");
}

TEST_F(RiskAdopts, WhateverTheLimitsSay) {
  ASSERT_EQ(stage.set_limits(1, {.order_quantity = 1, .open_orders = 1, .open_quantity = 1, .position_max = 1}),
            Success);
  EXPECT_EQ(stage.adopt(1, order), Success);
  EXPECT_EQ(stage.accept(1, Command::add_limit(9, Side::Buy, 10, 1, GoodTillCancel), 0), OpenOrdersLimit);
}

TEST_F(RiskAdopts, NothingThatCannotRest) {
  const auto adopt = [&](auto change, AccountNumber account = 1, BookNumber book = 0) {
    RestingOrder wrong = order;
    change(wrong);
    return [this, wrong, account, book] { return stage.adopt(account, wrong, book); };
  };
  const auto as_it_is = [](RestingOrder&) {};
  refused(UnknownAccount, adopt(as_it_is, 0));
  refused(UnknownAccount, adopt(as_it_is, 4));
  refused(InvalidCommand, adopt([](RestingOrder& wrong) { wrong.side = static_cast<Side>(2); }));
  refused(UnknownBook, adopt(as_it_is, 1, 2));
  refused(QuantityLimit, adopt([](RestingOrder& wrong) { wrong.quantity = 0; }));
  refused(NotionalOverflow, adopt([](RestingOrder& wrong) { wrong.price = int64_max / 4; }));
  refused(NotionalOverflow, adopt([](RestingOrder& wrong) { wrong.price = std::numeric_limits<Price>::min(); }));
  refused(PositionOverflow, adopt([](RestingOrder& wrong) { wrong.price = 0, wrong.quantity = 1ull << 63; }));
  ASSERT_EQ(stage.accept(1, Command::add_limit(9, Side::Buy, 10, 1, ImmediateOrCancel), 0), Success);
  refused(Mismatch, adopt(as_it_is));
  ASSERT_EQ(stage.on_result({}), Success);
  ASSERT_EQ(stage.adopt(1, order), Success);
  refused(Mismatch, adopt(as_it_is));
  refused(Mismatch, adopt([](RestingOrder& wrong) { wrong.handle.generation = 3; }));
  refused(PositionOverflow, adopt([](RestingOrder& wrong) {
            wrong.handle.index = 3, wrong.price = 0, wrong.quantity = Quantity{int64_max} - 4;
          }));
  const auto in_slot = [](SlotIndex slot) { return [slot](RestingOrder& other) { other.handle.index = slot; }; };
  EXPECT_EQ(adopt(in_slot(3), 2)(), Success);
  EXPECT_EQ(adopt(in_slot(4), 3)(), Success);
  refused(NoRoomForHolding, adopt(in_slot(5), 1, 1));
  for (const SlotIndex slot : {5u, 6u, 7u}) EXPECT_EQ(adopt(in_slot(slot))(), Success);
  refused(NoRoomForOrder, adopt(in_slot(8)));
}

TEST_F(RiskAdopts, WhatAccountsOwn) {
  const Holding holding{.account = 1, .book = 1, .open = {77, 77}, .position = -3, .cost = -30, .realised = 4};
  EXPECT_EQ(stage.restore(holding), Success);
  EXPECT_EQ(stage.accounts().holding(1, 1).position, -3);
  EXPECT_EQ(to_text(stage.accounts().holding(1, 1).cost), "-30");
  EXPECT_EQ(to_text(stage.accounts().holding(1, 1).realised), "4");
  EXPECT_EQ(stage.accounts().holding(1, 1).open[0], 0u) << "orders are adopted";
  EXPECT_EQ(stage.restore(2, 500, 6), Success);
  EXPECT_EQ(to_text(stage.accounts().cash(2)), "500");
  EXPECT_EQ(to_text(stage.accounts().fees(2)), "6");
  EXPECT_EQ(stage.restore(0, 8, 0), Success);
  EXPECT_EQ(to_text(stage.accounts().venue_cash()), "8");

  const auto restore = [&](AccountNumber account, BookNumber book, std::int64_t position) {
    return [this, account, book, position] { return stage.restore(Holding{account, book, {}, position, 0, 0}); };
  };
  refused(UnknownAccount, restore(0, 0, 1));
  refused(UnknownAccount, restore(4, 0, 1));
  refused(UnknownAccount, [&] { return stage.restore(4, 1, 1); });
  refused(UnknownBook, restore(1, 2, 1));
  refused(PositionOverflow, restore(1, 0, std::numeric_limits<std::int64_t>::min()));
  ASSERT_EQ(stage.adopt(1, order), Success);
  refused(PositionOverflow, restore(1, 0, int64_max - 4));
  EXPECT_EQ(restore(1, 0, int64_max - 5)(), Success);
  EXPECT_EQ(restore(2, 0, -int64_max)(), Success);
  refused(NoRoomForHolding, restore(3, 0, 1));
  ASSERT_EQ(stage.accept(1, Command::cancel(order.handle), 0), Success);
  refused(Mismatch, restore(1, 0, 1));
  RiskStage other = std::move(stage);
  EXPECT_EQ(stage.restore(0, 8, 0), UnknownAccount) << "moved from";
  EXPECT_EQ(stage.adopt(1, order), UnknownAccount);
}

TEST_F(RiskAdopts, TheLastTrade) {
  ASSERT_EQ(stage.set_limits(1, {.collar_low = -1, .collar_high = 1}), Success);
  ASSERT_EQ(stage.on_best(0, Side::Sell, 50), Success);
  ASSERT_EQ(stage.on_last(0, 20), Success);
  EXPECT_EQ(stage.accept(1, Command::add_limit(9, Side::Buy, 21, 1, ImmediateOrCancel), 0), Success);
  EXPECT_EQ(stage.accept(1, Command::add_limit(9, Side::Buy, 22, 1, ImmediateOrCancel), 0), OutsideCollar);
  refused(UnknownBook, [&] { return stage.on_last(2, 20); });
}

// ---- Beside one that lived through all of it.

using Book = IdBook<AnyPriceBook<>, HashedIds>;
struct Venue {
  RiskStage stage =
      *RiskStage::create({.accounts = 4, .orders = 40, .holdings = 4, .fees = {.maker = -3, .taker = 7}});
  Book book = *Book::create({.capacity = 40}, {});
};

/// What a command came to, without handles, which depend on the order of earlier cancels.
struct Answer {
  RiskStatus risk{};
  Status status{};
  Quantity filled = 0, remaining = 0, cancelled = 0;
  std::vector<std::tuple<OrderId, Price, Quantity>> trades;

  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer make(Venue& venue, AccountNumber account, const Request& request) {
  Answer answer;
  const CheckedResult made = venue.stage.apply(venue.book, account, request, 0, [&](const Trade& trade) {
    answer.trades.emplace_back(trade.maker_id, trade.price, trade.quantity);
  });
  answer.risk = made.risk;
  answer.status = made.result.status;
  answer.filled = made.result.filled;
  answer.remaining = made.result.remaining;
  answer.cancelled = made.result.cancelled;
  return answer;
}

std::vector<OrderId> kill(Venue& venue, AccountNumber account, AccountAction action) {
  std::vector<OrderId> cancelled;
  EXPECT_EQ(venue.stage.apply(AccountCommand{account, action},
                              [&](const OpenOrder& order) {
                                cancelled.push_back(order.id);
                                return venue.book.cancel_order(order.id);
                              }),
            Success);
  std::sort(cancelled.begin(), cancelled.end());
  return cancelled;
}

AccountLimits limits_of(AccountNumber account) {
  AccountLimits limits;
  limits.open_orders = 9;
  limits.position_min = -60;
  limits.position_max = 60;
  limits.collar_low = -9;
  limits.collar_high = 9;
  if (account == 2) limits.open_quantity = 40;
  if (account == 3) limits.credit = 3'000;
  return limits;
}
void begin(Venue& venue) {
  for (AccountNumber account = 1; account <= 4; ++account) {
    ASSERT_EQ(venue.stage.set_limits(account, limits_of(account)), Success);
  }
  ASSERT_EQ(venue.stage.set_reference(0, 20), Success);
}

/// A new stage beside the book of a venue whose stage is lost. Whose an order is, and what accounts own, is known.
void start_anew(Venue& venue, const std::map<OrderId, AccountNumber>& owners, Price last) {
  RiskStage fresh =
      *RiskStage::create({.accounts = 4, .orders = 40, .holdings = 4, .fees = {.maker = -3, .taker = 7}});
  std::swap(fresh, venue.stage);
  begin(venue);
  const Accounts& known = fresh.accounts();
  ASSERT_EQ(venue.stage.restore(0, known.venue_cash(), 0), Success);
  for (AccountNumber account = 1; account <= 4; ++account) {
    ASSERT_EQ(venue.stage.restore(account, known.cash(account), known.fees(account)), Success);
    ASSERT_EQ(venue.stage.restore(known.holding(account, 0)), Success);
    if (fresh.killed(account)) kill(venue, account, AccountAction::Kill);
  }
  for (const Side side : {Side::Buy, Side::Sell}) {
    venue.book.book().visit_orders(side, [&](const RestingOrder& order) {
      ASSERT_EQ(venue.stage.adopt(owners.at(order.id), order), Success);
    });
  }
  if (last != 0) {
    ASSERT_EQ(venue.stage.on_last(0, last), Success);
  }
}

TEST(RiskAdoption, SaysWhatAStageSaysThatHasSeenEverything) {
  std::uint64_t trades = 0, adopted = 0, rejected = 0;
  for (std::uint64_t seed = 0; seed < 60 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Venue lived, starts;
    begin(lived);
    begin(starts);
    std::map<OrderId, AccountNumber> owners;
    Price last = 0;
    OrderId next = 100;
    const std::uint64_t when = 50 + random.below(150);
    for (std::uint64_t step = 0; step < 400 && !::testing::Test::HasFailure(); ++step) {
      if (step == when) {
        adopted += starts.book.book().size();
        start_anew(starts, owners, last);
      }
      const auto account = static_cast<AccountNumber>(1 + random.below(4));
      if (random.chance(2)) {
        const AccountAction action = random.chance(40) ? AccountAction::Kill : AccountAction::Restore;
        EXPECT_EQ(kill(lived, account, action), kill(starts, account, action));
        continue;
      }
      const Side side = random.chance(50) ? Side::Buy : Side::Sell;
      const auto price = static_cast<Price>(12 + random.below(16));
      const Quantity lots = 1 + random.below(9);
      const OrderId named = next - random.below(20);
      Request request = Request::add_limit(++next, side, price, lots, static_cast<TimeInForce>(random.below(4)));
      if (const auto dice = random.below(10); dice < 2) {
        request = Request::cancel(named);
      } else if (dice < 3) {
        request = Request::modify(named, price, lots);
      } else if (dice < 4) {
        request = Request::replace(named, ++next, price, lots);
      } else if (dice < 5) {
        request = Request::reduce(named, lots);
      }
      owners.emplace(request.id, account);
      const AccountNumber sender = random.chance(90) ? owners.at(request.id) : account;
      if (replaces(request.type)) owners[request.new_id] = sender;
      const Answer answer = make(lived, sender, request);
      EXPECT_EQ(answer, make(starts, sender, request)) << "step " << step << ": " << answer.risk;
      if (!answer.trades.empty()) last = std::get<1>(answer.trades.back());
      trades += answer.trades.size();
      rejected += answer.risk != Success;
      for (AccountNumber each = 1; each <= 4; ++each) {
        const Accounts& a = lived.stage.accounts();
        const Accounts& b = starts.stage.accounts();
        const Holding x = a.holding(each, 0), y = b.holding(each, 0);
        EXPECT_TRUE(std::memcmp(&x, &y, sizeof x) == 0) << "account " << each;
        EXPECT_EQ(to_text(a.cash(each)), to_text(b.cash(each)));
        EXPECT_EQ(to_text(a.reserved(each)), to_text(b.reserved(each)));
        EXPECT_EQ(lived.stage.open_count(each), starts.stage.open_count(each));
      }
    }
  }
  EXPECT_GT(adopted, 250u);
  EXPECT_GT(trades, 2000u);
  EXPECT_GT(rejected, 2000u);
}

TEST(RiskImage, IsTheWholeStage) {
  Venue venue;
  begin(venue);
  for (OrderId id = 1; id < 60; ++id) {
    std::ignore =
        make(venue, static_cast<AccountNumber>(1 + id % 4),
             Request::add_limit(id, id % 3 == 0 ? Side::Sell : Side::Buy, 20, 1 + id % 5, GoodTillCancel));
  }
  ASSERT_GT(venue.stage.open_count(1), 0u);
  std::vector<std::byte> image;
  ASSERT_TRUE(write_image(venue.stage, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  const auto read = [&](RiskStage& stage) {
    std::size_t at = 0;
    return read_image(stage, image.size(), [&](std::span<std::byte> bytes) {
      std::memcpy(bytes.data(), image.data() + at, bytes.size());
      at += bytes.size();
      return true;
    });
  };
  RiskStage other =
      *RiskStage::create({.accounts = 4, .orders = 40, .holdings = 4, .fees = {.maker = -3, .taker = 7}});
  ASSERT_EQ(read(other), ImageStatus::Success);
  EXPECT_TRUE(state_of(other) == state_of(venue.stage));
  RiskStage larger = *RiskStage::create({.accounts = 5, .orders = 40, .holdings = 4});
  EXPECT_EQ(read(larger), ImageStatus::OtherParameters);
}

TEST(RiskImage, ThatCannotBeDoesNotHold) {
  constexpr RiskConfig whole{.accounts = 3, .books = 2, .orders = 4, .holdings = 6};
  auto stage = made<RiskStage>(whole);
  ASSERT_EQ(stage.set_limits(1, {.credit = 1'000}), Success);
  ASSERT_EQ(stage.adopt(1, {{0, 1}, 1, Side::Buy, 10, 5}, 0), Success);
  ASSERT_EQ(stage.adopt(1, {{1, 1}, 2, Side::Sell, 20, 4}, 1), Success);
  ASSERT_EQ(stage.adopt(2, {{2, 1}, 3, Side::Buy, 9, 1}, 0), Success);
  ASSERT_EQ(stage.restore(Holding{2, 1, {}, 3, 0, 0}), Success);
  for (const BookNumber idle : {0u, 1u}) ASSERT_EQ(stage.restore(Holding{3, idle, {}, 0, 0, 7}), Success);

  const auto order = [](std::size_t slot, auto change) {
    return [=](RiskStage& forged) {
      forge(forged, [&](auto& entry, std::size_t at) -> decltype(void(entry.holding), void(entry.price)) {
        if (at == slot) change(entry);
      });
    };
  };
  const auto links = [](std::size_t slot, auto change) {  // those of account 1 end at 4, of account 2 at 5
    return [=](RiskStage& forged) {
      forge(forged, [&](auto& entry, std::size_t at) -> decltype(void(entry.older)) {
        if (at == slot) change(entry);
      });
    };
  };
  const auto guard = [](auto change) {
    return [=](RiskStage& forged) {
      forge(forged, [&](auto& entry, std::size_t at) -> decltype(void(entry.backlog)) {
        if (at == 1) change(entry);
      });
    };
  };
  const auto cash = [](auto change) {
    return [=](RiskStage& forged) {
      forge(forged, [&](auto& entry, std::size_t at) -> decltype(void(entry.fees)) {
        if (at == 1) change(entry);
      });
    };
  };
  const auto holding = [](AccountNumber account, BookNumber book, auto change) {
    return [=](RiskStage& forged) {
      bool done = false;  // of those that are nobody's, to the first
      forge(forged, [&](Holding& entry, std::size_t) {
        if (!done && entry.is_of(account, book)) done = true, change(entry);
      });
    };
  };
  const auto idle = [](std::size_t place, auto change) {  // those of account 3 are at 5 and 6
    return [=](RiskStage& forged) {
      forge(forged, [&](auto& entry, std::size_t at) -> decltype(void(entry.later)) {
        if (at == place) change(entry);
      });
    };
  };
  constexpr Amount too_much = Amount{1} << 126;

  expect_none_to_hold(
      stage, whole, order(0, [](auto& o) { o.account = 4; }), order(0, [](auto& o) { o.side = 2; }),
      order(0, [](auto& o) { o.client_tag = std::uint64_t{1} << 32; }), order(0, [](auto& o) { ++o.handle; }),
      order(0, [](auto& o) { o.holding = 99; }), order(0, [](auto& o) { o.book = 9; }),
      order(0, [](auto& o) { o.book = 1; }), order(0, [](auto& o) { o.price = 11; }),
      order(2, [](auto& o) { o.quantity = 2; }),
      order(3, [](auto& o) { o.quantity = o.account = 1, o.handle = 3; }),
      links(4, [](auto& l) { l.younger = 3; }), links(4, [](auto& l) { l.younger = 2; }),
      links(0, [](auto& l) { l.younger = 9; }), links(1, [](auto& l) { l.older = 4; }),
      links(4, [](auto& l) { l.older = 0; }),
      [&](RiskStage& forged) {  // the list of account 2 has lost its order
        order(2, [](auto& o) { o.quantity = 0; })(forged);
        links(5, [](auto& l) { l.older = l.younger = 5; })(forged);
      },
      guard([](auto& g) { std::memset(&g.has_collar, 2, 1); }), guard([](auto& g) { g.holding = 99; }),
      guard([](auto& g) { ++g.open_count; }), cash([](auto& c) { ++c.reserved; }), cash([](auto& c) { ++c.open; }),
      cash([](auto& c) { c.cash = too_much; }), cash([](auto& c) { c.fees = -too_much; }),
      holding(0, 0, [](Holding& h) { h.account = 1; }), holding(0, 0, [](Holding& h) { h.book = 1; }),
      holding(0, 0, [](Holding& h) { h.position = 1; }), holding(0, 0, [](Holding& h) { h.cost = 1; }),
      holding(0, 0, [](Holding& h) { h.realised = 1; }), holding(0, 0, [](Holding& h) { h.open[1] = 1; }),
      holding(2, 1, [](Holding& h) { h.account = 3; }), holding(2, 1, [](Holding& h) { h.book = 2; }),
      holding(2, 1, [](Holding& h) { h.cost = too_much; }),
      holding(2, 1, [](Holding& h) { h.realised = too_much; }), holding(2, 1, [](Holding& h) { h.book = 0; }),
      holding(2, 1, [](Holding& h) { h.position = -int64_max - 1; }),
      holding(1, 0, [](Holding& h) { h.position = int64_max; }), holding(2, 0, [](Holding& h) { ++h.open[0]; }),
      holding(3, 0, [](Holding& h) { h.position = 1; }), idle(0, [](auto& l) { l.later = 1; }),
      idle(0, [](auto& l) { l.earlier = 1; }), idle(1, [](auto& l) { l.later = 5; }),
      idle(5, [](auto& l) { l = {}; }), idle(5, [](auto& l) { l.later = 5; }),
      idle(5, [](auto& l) { l.later = 99; }));

  // Tables of the same size, for fewer orders.
  const auto holds_with = [&](std::size_t orders, std::size_t holdings) {
    return read_from<RiskStage>(image_of(stage), RiskConfig{3, 2, orders, holdings}).holds();
  };
  EXPECT_TRUE(holds_with(3, 6));
  ASSERT_EQ(stage.adopt(2, {{3, 1}, 4, Side::Buy, 9, 1}, 1), Success);
  EXPECT_FALSE(holds_with(3, 6));
}

}  // namespace
}  // namespace llmes::test
