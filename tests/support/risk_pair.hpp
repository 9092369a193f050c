// SPDX-License-Identifier: MIT
//
// A risk stage before a small book by id, with the naive oracle beside it. Calls go to all of them, and the first
// difference is noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/venue/risk.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/risk_oracle.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {

class RiskPair {
 public:
  static constexpr AccountNumber accounts = 2;
  static constexpr std::size_t orders = 3;

  RiskPair() {
    limit(1, {.position_min = -3, .position_max = 2, .collar_low = -1, .collar_high = 2},
          {.position_min = -3, .position_max = 2, .collar_low = -1, .collar_high = 2});
    limit(2,
          {.order_notional = 30,
           .open_orders = 2,
           .open_quantity = 3,
           .credit = 25,
           .message_burst = 4,
           .message_interval = 5,
           .cancel_on_disconnect = true},
          {.order_notional = 30,
           .open_orders = 2,
           .open_lots = 3,
           .credit = 25,
           .burst = 4,
           .interval = 5,
           .cancel_on_disconnect = true});
    note("reference", RiskStatus::Success, stage_.set_reference(0, 10));
    oracle_.day[0] = 10;
  }

  void make(AccountNumber account, const Request& request, std::int64_t time, bool only_reduces) {
    RiskQuestion q;
    q.account = account;
    q.kind = adds(request.type) ? request.type == CommandType::AddMarket ? RiskQuestion::Market : RiskQuestion::Add
             : moves(request.type) ? RiskQuestion::Move
                                   : RiskQuestion::TakeOff;
    q.name = std::to_string(request.id);
    q.buys = request.side == Side::Buy;
    q.price = request.price;
    q.lots = static_cast<std::int64_t>(request.quantity);
    q.may_rest = request.type != CommandType::AddMarket && (request.time_in_force == TimeInForce::GoodTillCancel ||
                                                            request.time_in_force == TimeInForce::PostOnly);
    q.only_reduces = only_reduces;
    q.time = time;
    const std::string expected = oracle_.ask(q);
    const auto before = state_of(stage_);
    std::vector<Trade> trades;
    const CheckedResult made = stage_.apply(
        book_, account, request, static_cast<Nanoseconds>(time),
        [&](const Trade& trade) { trades.push_back(trade); },
        only_reduces ? PositionEffect::OnlyReduce : PositionEffect::Any);
    note("risk", expected, std::string(to_string(made.risk)));
    if (made.risk != RiskStatus::Success)
      return note("the bytes of a rejection", true, before == state_of(stage_));
    const bool adds_one = adds(request.type);
    const RiskOracle::Order old = adds_one ? RiskOracle::Order{} : oracle_.open[q.name];
    const bool buys = adds_one ? q.buys : old.buys;
    for (const Trade& trade : trades) {
      oracle_.traded(account, buys, std::to_string(trade.maker_id), trade.price,
                     static_cast<std::int64_t>(trade.quantity));
    }
    const Result& result = made.result;
    if (result.status != Status::Success) return;
    if (q.kind == RiskQuestion::TakeOff) {
      oracle_.open[q.name].lots = static_cast<std::int64_t>(result.remaining);
      if (!result.rests()) oracle_.open.erase(q.name);
      return;
    }
    if (!adds_one) oracle_.open.erase(q.name);
    if (!result.rests()) return;
    const OrderId id = replaces(request.type) ? request.new_id : request.id;
    oracle_.rests(std::to_string(id),
                  {account, 0, buys, request.price, static_cast<std::int64_t>(result.remaining), 0});
  }

  void act(AccountNumber account, AccountAction action) {
    std::vector<std::string> cancelled;
    const RiskStatus status = stage_.apply(AccountCommand{account, action}, [&](const OpenOrder& order) {
      cancelled.push_back(std::to_string(order.id));
      return book_.cancel_order(order.id);
    });
    note("action", RiskStatus::Success, status);
    std::vector<std::string> expected;
    if (action == AccountAction::Kill ||
        (action == AccountAction::Disconnect && oracle_.limits[account].cancel_on_disconnect)) {
      expected = oracle_.orders_of(account);
    }
    if (action != AccountAction::Disconnect) oracle_.killed[account] = action == AccountAction::Kill;
    note("cancelled", expected == cancelled, true);
    for (const std::string& name : expected) oracle_.open.erase(name);
  }

  /// Compares all that the stage says of accounts, and that nothing was made or lost.
  void compare() {
    const Accounts& real = stage_.accounts();
    Amount cash = real.venue_cash();
    std::int64_t held = 0;
    for (AccountNumber account = 1; account <= accounts; ++account) {
      cash += real.cash(account);
      note("cash", std::to_string(oracle_.cash[account]), to_text(real.cash(account)));
      note("fees", std::to_string(oracle_.fees[account]), to_text(real.fees(account)));
      const bool limited = oracle_.limits[account].credit.has_value();
      note("reserved", std::to_string(limited ? oracle_.reserved(account) : 0), to_text(real.reserved(account)));
      note("killed", oracle_.killed[account], stage_.killed(account));
      const Holding holding = real.holding(account, 0);
      const RiskOracle::Position& known = oracle_.positions[RiskOracle::key(account, 0)];
      held += holding.position;
      note("position", known.lots, holding.position);
      note("cost", std::to_string(known.cost), to_text(holding.cost));
      note("realised", std::to_string(known.realised), to_text(holding.realised));
      note("bids", oracle_.lots_open(account, 0, true), static_cast<std::int64_t>(holding.open[0]));
      note("asks", oracle_.lots_open(account, 0, false), static_cast<std::int64_t>(holding.open[1]));
      std::vector<std::string> open;
      stage_.visit_open(account, [&](const OpenOrder& order) {
        open.push_back(std::to_string(order.id));
        const RestingOrder resting{order.handle, order.id, order.side, order.price, order.quantity};
        note("an open order rests", true, book_.find(order.id) == resting);
      });
      note("open orders", true, open == oracle_.orders_of(account));
      note("their count", std::uint32_t(open.size()), stage_.open_count(account));
    }
    note("all cash", std::string("0"), to_text(cash));
    note("all positions", std::int64_t{0}, held);
    note("resting orders", oracle_.open.size(), book_.book().size());
  }

  [[nodiscard]] const std::string& difference() const { return difference_; }

  /// Becomes the same as another one.
  void copy_from(const RiskPair& other) {
    image_.clear();
    const bool written = write_image(other.stage_, [&](std::span<const std::byte> bytes) {
      image_.insert(image_.end(), bytes.begin(), bytes.end());
      return true;
    });
    std::size_t at = 0;
    const ImageStatus read = read_image(stage_, image_.size(), [&](std::span<std::byte> bytes) {
      std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
      at += bytes.size();
      return true;
    });
    difference_ = other.difference_;
    note("image", true, written && read == ImageStatus::Success);
    IdInspector::copy(other.book_, book_);
    oracle_ = other.oracle_;
  }

  /// All that later answers depend on. Handles have no part in it.
  [[nodiscard]] std::string key() const {
    std::string key = oracle_.text();
    for (const Side side : {Side::Buy, Side::Sell}) {
      book_.book().visit_orders(side, [&](const RestingOrder& order) { key += std::to_string(order.id) + ' '; });
    }
    return key;
  }

 private:
  using Book = IdBook<OrderBook<128>, HashedIds>;

  void limit(AccountNumber account, const AccountLimits& limits, const RiskOracleLimits& of_oracle) {
    note("limits", RiskStatus::Success, stage_.set_limits(account, limits));
    oracle_.limits[account] = of_oracle;
  }
  template <class T>
  void note(const char* what, const T& expected, const T& actual) {
    note_difference(difference_, what, expected, actual);
  }

  RiskStage stage_ = *RiskStage::create(
      {.accounts = accounts, .orders = orders, .holdings = 2, .fees = {.maker = -1, .taker = 2}});
  Book book_ = *Book::create({.base_price = 0, .capacity = orders}, {});
  RiskOracle oracle_{accounts, 1, orders, 2, -1, 2};
  std::string difference_;
  std::vector<std::byte> image_;
};

}  // namespace llmes::test
