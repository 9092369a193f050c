// SPDX-License-Identifier: MIT
//
// Random streams of several accounts through a risk stage with a book behind it, beside the naive oracle. After
// each command the two agree, a rejection has changed no byte, and nothing was made or lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/sets.hpp"
#include "llmes/venue.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/risk_oracle.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {
namespace {

constexpr unsigned accounts = 4;
constexpr unsigned books = 3;
constexpr std::size_t orders = 9;
constexpr std::size_t holdings = 9;

// ---- What stands behind the stage.

struct BookByHandle {
  using Name = OrderHandle;
  using CommandOf = Command;
  using Book = OrderBook<64>;
  static constexpr unsigned count = 1;
  static Book make() { return *Book::create({.base_price = -20, .capacity = orders}); }
};
struct BookById {
  using Name = OrderId;
  using CommandOf = Request;
  using Book = IdBook<OrderBook<64>, HashedIds>;
  static constexpr unsigned count = 1;
  static Book make() { return *Book::create({.base_price = -20, .capacity = orders}, {}); }
};
struct SetByHandle {
  using Name = OrderHandle;
  using CommandOf = BookCommand;
  using Book = BookSet;
  static constexpr unsigned count = books;
  static Book make() {
    auto set = *Book::create({.max_books = books, .capacity = orders});
    for (unsigned book = 0; book < books; ++book) EXPECT_TRUE(set.add_book().has_value());
    return set;
  }
};
struct SetById {
  using Name = OrderId;
  using CommandOf = BookRequest;
  using Book = IdBook<BookSet, HashedIds>;
  static constexpr unsigned count = books;
  static Book make() {
    auto set = *Book::create({.max_books = books, .capacity = orders}, {});
    for (unsigned book = 0; book < books; ++book) EXPECT_TRUE(set.add_book().has_value());
    return set;
  }
};

std::string text_of(OrderId id) {
  return std::to_string(id);
}
std::string text_of(OrderHandle handle) {
  return std::to_string(handle.value());
}

/// A stage, its book and the oracle, and calls that go to all of them.
template <class Behind>
class Walk {
 public:
  using Name = typename Behind::Name;
  using CommandOf = typename Behind::CommandOf;

  Walk(std::uint64_t seed, Fees fees)
      : random_(seed),
        stage_(*RiskStage::create(
            {.accounts = accounts, .books = Behind::count, .orders = orders, .holdings = holdings, .fees = fees})),
        book_(Behind::make()),
        oracle_(accounts, Behind::count, orders, holdings, fees.maker, fees.taker) {
    for (AccountNumber account = 1; account <= accounts; ++account) set_limits(account);
  }

  void run(int steps) {
    for (step_ = 0; step_ < steps && !::testing::Test::HasFailure(); ++step_) {
      const std::uint64_t dice = random_.below(100);
      if (dice < 94) {
        command();
      } else if (dice < 95) {
        act();
      } else if (dice < 96) {
        set_limits(any_account());
      } else if (dice < 97) {
        pay();
      } else if (dice < 99) {
        tell();
      } else {
        leave();
      }
      compare();
    }
  }

  [[nodiscard]] std::vector<std::byte> state() const { return state_of(stage_); }
  [[nodiscard]] bool has_settled() const {
    for (AccountNumber account = 1; account <= accounts; ++account) {
      if (stage_.accounts().settled(account) != 0) return true;
    }
    return false;
  }
  std::set<std::string> reached;
  std::uint64_t trades = 0;

 private:
  AccountNumber any_account() { return 1 + static_cast<AccountNumber>(random_.below(accounts)); }
  std::int64_t up_to(std::int64_t largest) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(largest) + 1));
  }

  void set_limits(AccountNumber account) {
    AccountLimits limits;
    RiskOracleLimits& kept = oracle_.limits[account];
    kept = {};
    limits.message_burst = 3;
    limits.message_interval = account % 2 == 0 ? 6 : 0;  // the same for ever: the bucket keeps what is in it
    kept.burst = 3;
    kept.interval = limits.message_interval;
    const auto sometimes = [&](unsigned percent, std::int64_t value, auto& limit, auto& of_oracle) {
      if (!random_.chance(percent)) return;
      limit = static_cast<std::remove_reference_t<decltype(limit)>>(value);
      of_oracle = value;
    };
    sometimes(30, 10 + up_to(1), limits.order_quantity, kept.order_lots);
    sometimes(30, 80 + up_to(120), limits.order_notional, kept.order_notional);
    sometimes(40, 4 + up_to(4), limits.open_orders, kept.open_orders);
    sometimes(30, 14 + up_to(20), limits.open_quantity, kept.open_lots);
    sometimes(30, 20 + up_to(50), limits.position_max, kept.position_max);
    sometimes(30, -up_to(50), limits.position_min, kept.position_min);
    sometimes(25, up_to(900), limits.credit, kept.credit);
    if (random_.chance(30)) {
      limits.collar_low = -3 - up_to(5);
      limits.collar_high = 2 + up_to(6);
      kept.collar_low = limits.collar_low;
      kept.collar_high = limits.collar_high;
    }
    kept.cancel_on_disconnect = limits.cancel_on_disconnect = random_.chance(50);
    ASSERT_EQ(stage_.set_limits(account, limits), RiskStatus::Success);
  }

  void pay() {
    const AccountNumber account = any_account();
    const std::int64_t amount = 1'000'000 * (up_to(300) - 100);
    const auto before = state();
    const std::optional<std::int64_t> credit = oracle_.limits[account].credit;
    const bool covered = amount >= 0 || !credit ||
                         oracle_.cash[account] + *credit * 1'000'000 - oracle_.reserved(account) + amount >= 0;
    EXPECT_EQ(stage_.pay(account, amount), covered ? RiskStatus::Success : RiskStatus::CashLimit);
    if (covered) {
      oracle_.cash[account] += amount;
      paid_in_[account] += amount;
    } else {
      EXPECT_TRUE(state() == before);
    }
  }

  void tell() {
    const auto book = static_cast<BookNumber>(random_.below(Behind::count));
    const bool bids = random_.chance(50);
    const std::string side = std::to_string(book) + (bids ? " bids" : " asks");
    const Price price = up_to(20);
    switch (random_.below(3)) {
      case 0:
        ASSERT_EQ(stage_.set_reference(book, price), RiskStatus::Success);
        oracle_.day[book] = price;
        break;
      case 1:
        ASSERT_EQ(stage_.on_best(book, bids ? Side::Buy : Side::Sell, price), RiskStatus::Success);
        oracle_.best[side] = price;
        break;
      default:
        ASSERT_EQ(stage_.on_best(book, bids ? Side::Buy : Side::Sell, {}), RiskStatus::Success);
        oracle_.best.erase(side);
    }
  }

  /// An order leaves, all or in part, without a command of its account.
  void leave() {
    if (oracle_.open.empty()) return;
    const std::string text = std::next(oracle_.open.begin(), up_to(std::ssize(oracle_.open) - 1))->first;
    const auto lots = static_cast<Quantity>(1 + up_to(oracle_.open[text].lots - 1));
    const OrderHandle handle = handle_of(names_.at(text));
    EXPECT_EQ(book_.reduce_order(names_.at(text), lots), Status::Success);
    EXPECT_EQ(stage_.on_cancelled(handle, lots), RiskStatus::Success);
    take_lots(text, static_cast<std::int64_t>(lots));
  }
  void take_lots(const std::string& text, std::int64_t lots) {
    oracle_.open[text].lots -= lots;
    if (oracle_.open[text].lots == 0) oracle_.open.erase(text);
  }

  void act() {
    const AccountNumber account = any_account();
    const auto action = static_cast<AccountAction>(random_.chance(50) ? 1 : random_.below(3));
    std::vector<std::string> cancelled;
    ASSERT_EQ(stage_.apply(AccountCommand{account, action},
                           [&](const OpenOrder& order) {
                             cancelled.push_back(text_of(name_of(order)));
                             return book_.cancel_order(name_of(order));
                           }),
              RiskStatus::Success);
    if (action != AccountAction::Disconnect) oracle_.killed[account] = action == AccountAction::Kill;
    const bool cancels = action == AccountAction::Kill ||
                         (action == AccountAction::Disconnect && oracle_.limits[account].cancel_on_disconnect);
    const std::vector<std::string> all = cancels ? oracle_.orders_of(account) : std::vector<std::string>{};
    EXPECT_EQ(cancelled, all);
    for (const std::string& text : all) oracle_.open.erase(text);
  }

  void command() {
    CommandOf command;
    RiskQuestion q;
    q.account = random_.chance(3) ? accounts + 1 : random_.chance(1) ? 0 : any_account();
    time_ += up_to(6);
    q.time = random_.chance(2) ? time_ - 1 - up_to(5) : time_;
    if (q.time < 0) q.time = 0;
    q.price = up_to(18) - 3;
    q.lots = up_to(12);
    q.buys = random_.chance(50);
    q.book = random_.chance(2) ? Behind::count : static_cast<unsigned>(random_.below(Behind::count));
    if constexpr (Behind::count == 1) q.book = 0;
    if (!names_.empty()) {
      q.name = std::next(names_.begin(), up_to(std::ssize(names_) - 1))->first;
      const auto own = oracle_.orders_of(q.account);
      if (!own.empty() && random_.chance(80)) q.name = own[random_.below(own.size())];
    }
    const Name name = names_.empty() ? Name{} : names_.at(q.name);
    const OrderId id = random_.chance(5) ? next_id_ - random_.below(4) : ++next_id_;
    const Side side = q.buys ? Side::Buy : Side::Sell;
    const auto tif = static_cast<TimeInForce>(random_.below(4));
    q.may_rest = tif == TimeInForce::GoodTillCancel || tif == TimeInForce::PostOnly;
    const std::uint64_t dice = random_.below(100);
    bool replaced = false;
    if (dice < 45) {
      as_command(command) = Plain::add_limit(id, side, q.price, q.lots, tif);
    } else if (dice < 50) {
      as_command(command) = Plain::add_market(id, side, q.lots);
      q.kind = RiskQuestion::Market;
      q.may_rest = false;
    } else if (dice < 53) {
      as_command(command) = Plain::add_resting(id, side, q.price, q.lots);
      q.may_rest = true;
    } else if (dice < 70) {
      as_command(command) = Plain::cancel(name);
      q.kind = RiskQuestion::TakeOff;
    } else if (dice < 77) {
      as_command(command) = Plain::reduce(name, q.lots);
      q.kind = RiskQuestion::TakeOff;
    } else if (dice < 85) {
      as_command(command) = Plain::modify(name, q.price, q.lots, tif);
      q.kind = RiskQuestion::Move;
    } else if (dice < 87) {
      as_command(command) = Plain::modify_resting(name, q.price, q.lots);
      q.kind = RiskQuestion::Move;
      q.may_rest = true;
    } else if (dice < 97) {
      as_command(command) = Plain::replace(name, id, q.price, q.lots, tif);
      q.kind = RiskQuestion::Move;
      replaced = true;
    } else {
      as_command(command) = Plain::add_limit(id, side, q.price, q.lots, tif);
      if (random_.chance(50)) {
        command.type = static_cast<CommandType>(200);
      } else {
        command.side = static_cast<Side>(2);
      }
      q.kind = RiskQuestion::Nonsense;
    }
    if constexpr (requires { command.book; }) command.book = q.book;

    const auto before = state();
    q.only_reduces = random_.chance(8);
    const std::string expected = oracle_.ask(q);
    std::vector<Trade> made;
    const CheckedResult checked = stage_.apply(
        book_, q.account, command, static_cast<Nanoseconds>(q.time),
        [&](const Trade& trade) { made.push_back(trade); },
        q.only_reduces ? PositionEffect::OnlyReduce : PositionEffect::Any);
    reached.emplace(to_string(checked.risk));
    ASSERT_EQ(to_string(checked.risk), expected) << "step " << step_;
    if (checked.risk != RiskStatus::Success) {
      EXPECT_EQ(checked.result, Result{Status::InvalidCommand});
      EXPECT_TRUE(state() == before) << "step " << step_ << ", " << expected;
      return;
    }
    const bool adds = q.kind == RiskQuestion::Add || q.kind == RiskQuestion::Market;
    RiskOracle::Order order{q.account, q.book, q.buys, q.price, 0, 0};
    if (!adds) {
      order.book = oracle_.open[q.name].book;
      order.buys = oracle_.open[q.name].buys;
    }
    for (const Trade& trade : made) {
      std::string maker;
      if constexpr (std::is_same_v<Name, OrderHandle>) maker = text_of(trade.maker_handle);
      if constexpr (std::is_same_v<Name, OrderId>) maker = text_of(trade.maker_id);
      oracle_.traded(q.account, order.buys, maker, trade.price, static_cast<std::int64_t>(trade.quantity));
    }
    trades += made.size();
    if (checked.result.status != Status::Success) return;
    if (command.type == CommandType::Cancel) oracle_.open.erase(q.name);
    if (command.type == CommandType::Reduce) take_lots(q.name, q.lots);
    if (q.kind == RiskQuestion::TakeOff) return;
    if (!adds) oracle_.open.erase(q.name);
    if (!checked.result.rests()) return;
    Name rests{};
    if constexpr (std::is_same_v<Name, OrderHandle>) rests = checked.result.handle;
    if constexpr (std::is_same_v<Name, OrderId>) rests = adds || replaced ? id : name;
    names_[text_of(rests)] = rests;
    order.lots = static_cast<std::int64_t>(checked.result.remaining);
    oracle_.rests(text_of(rests), order);
  }

  static Name name_of(const OpenOrder& order) {
    if constexpr (std::is_same_v<Name, OrderHandle>) {
      return order.handle;
    } else {
      return order.id;
    }
  }
  [[nodiscard]] OrderHandle handle_of(Name name) const {
    if constexpr (std::is_same_v<Name, OrderHandle>) {
      return name;
    } else {
      return book_.handle_of(name);
    }
  }

  using Plain = BasicCommand<Name>;
  static Plain& as_command(CommandOf& command) { return command; }

  void compare() {
    const Accounts& real = stage_.accounts();
    Amount cash = real.venue_cash();
    std::array<Amount, books> held{};
    std::int64_t paid = 0;
    EXPECT_EQ(to_text(real.venue_cash()), std::to_string(oracle_.cash[0]));
    for (AccountNumber account = 1; account <= accounts; ++account) {
      SCOPED_TRACE("account " + std::to_string(account) + ", step " + std::to_string(step_));
      Amount brought = real.settled(account);
      Amount realised = brought;
      std::int64_t known_realised = 0;
      cash += real.cash(account);
      EXPECT_EQ(to_text(real.cash(account)), std::to_string(oracle_.cash[account]));
      EXPECT_EQ(to_text(real.fees(account)), std::to_string(oracle_.fees[account]));
      const bool limited = oracle_.limits[account].credit.has_value();
      EXPECT_EQ(to_text(real.reserved(account)), std::to_string(limited ? oracle_.reserved(account) : 0));
      EXPECT_EQ(stage_.killed(account), oracle_.killed[account]);
      std::vector<std::string> open;
      stage_.visit_open(account, [&](const OpenOrder& order) {
        open.push_back(text_of(name_of(order)));
        const RiskOracle::Order& known = oracle_.open[open.back()];
        EXPECT_EQ(order,
                  (OpenOrder{order.handle, order.id, account, known.book, known.buys ? Side::Buy : Side::Sell,
                             known.price, static_cast<Quantity>(known.lots)}));
        EXPECT_EQ(stage_.find(order.handle), order);
        const std::optional<RestingOrder> rests = book_.find(name_of(order));
        ASSERT_TRUE(rests.has_value());
        EXPECT_EQ(rests->handle, order.handle);
        EXPECT_EQ(rests->id, order.id);
        EXPECT_EQ(rests->quantity, order.quantity);
        EXPECT_EQ(rests->price, order.price);
      });
      EXPECT_EQ(open, oracle_.orders_of(account));
      EXPECT_EQ(stage_.open_count(account), open.size());
      for (BookNumber book = 0; book < Behind::count; ++book) {
        const Holding holding = real.holding(account, book);
        const RiskOracle::Position& known = oracle_.positions.count(RiskOracle::key(account, book)) != 0
                                                ? oracle_.positions[RiskOracle::key(account, book)]
                                                : RiskOracle::Position{};
        EXPECT_EQ(holding.position, known.lots);
        EXPECT_EQ(to_text(holding.cost), std::to_string(known.cost));
        realised += holding.realised;
        known_realised += known.realised;
        EXPECT_EQ(holding.open[0], static_cast<Quantity>(oracle_.lots_open(account, book, true)));
        EXPECT_EQ(holding.open[1], static_cast<Quantity>(oracle_.lots_open(account, book, false)));
        held[book] += holding.position;
        brought += holding.realised - holding.cost;
      }
      // What a pair that went has realised is not lost.
      EXPECT_EQ(to_text(realised), std::to_string(known_realised));
      if (Behind::count == 1) {
        EXPECT_EQ(to_text(real.settled(account)), "0") << "there is room for all";
      }
      // Nothing is rounded off: what the trades have brought is in the results and the cost.
      EXPECT_EQ(to_text(brought * micro_units - real.fees(account) + paid_in_[account]),
                to_text(real.cash(account)));
      paid += paid_in_[account];
    }
    EXPECT_EQ(to_text(cash), std::to_string(paid)) << "cash and fees are made or lost in step " << step_;
    for (const Amount lots : held) EXPECT_EQ(to_text(lots), "0") << "bought is not sold in step " << step_;
  }
  Random random_;
  RiskStage stage_;
  typename Behind::Book book_;
  RiskOracle oracle_;
  std::map<std::string, Name> names_;
  std::int64_t time_ = 0;
  std::map<AccountNumber, std::int64_t> paid_in_;
  OrderId next_id_ = 100;
  int step_ = 0;
};

template <class Behind>
class RiskAgreesWithTheOracle : public ::testing::Test {};
using AllBehind = ::testing::Types<BookByHandle, BookById, SetByHandle, SetById>;
TYPED_TEST_SUITE(RiskAgreesWithTheOracle, AllBehind);

constexpr std::array<Fees, 3> all_fees{Fees{0, 0}, Fees{-2, 5}, Fees{30'000, 10'000}};

TYPED_TEST(RiskAgreesWithTheOracle, OnRandomStreamsThatReachEveryStatus) {
  std::set<std::string> reached;
  std::uint64_t trades = 0, settled = 0;
  for (std::uint64_t seed = 0; seed < repetitions(40u) && !this->HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk<TypeParam> walk(seed, all_fees[seed % all_fees.size()]);
    walk.run(600);
    reached.merge(walk.reached);
    trades += walk.trades;
    settled += walk.has_settled() ? 1 : 0;
  }
  if (TypeParam::count > 1) {
    EXPECT_GT(settled, 0u) << "no pair has given its room to another";
  }
  EXPECT_GT(trades, repetitions(500u));
  std::set<std::string> expected{
      "Success",           "UnknownAccount", "InvalidCommand", "TimeWentBack",  "UnknownOrder",  "AccountKilled",
      "TooManyMessages",   "QuantityLimit",  "NoReference",    "OutsideCollar", "NotionalLimit", "OpenOrdersLimit",
      "OpenQuantityLimit", "PositionLimit",  "WouldIncrease",  "NeedsPrice",    "CashLimit",     "NoRoomForOrder"};
  if (TypeParam::count > 1) expected.merge(std::set<std::string>{"UnknownBook", "NoRoomForHolding"});
  if (LLMES_TEST_SANITIZED) {  // the rarest take all seeds
    for (const char* const rare : {"NoRoomForOrder", "OpenOrdersLimit"}) expected.erase(rare);
  }
  for (const std::string& status : expected) EXPECT_TRUE(reached.contains(status)) << status;
}

TYPED_TEST(RiskAgreesWithTheOracle, AndTheSameCommandsGiveTheSameBytes) {
  Walk<TypeParam> one(3, all_fees[1]);
  Walk<TypeParam> other(3, all_fees[1]);
  one.run(400);
  other.run(400);
  EXPECT_TRUE(one.state() == other.state());
}

}  // namespace
}  // namespace llmes::test
