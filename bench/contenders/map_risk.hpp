// SPDX-License-Identifier: MIT
//
// The checks that most people would write: a hash map of users, in each a hash map of its open orders by id, and
// sums that are brought up to date with each report. It is called as the risk stage is, and looks at the same
// limits. It checks less: numbers of 64 bits may overflow, and the book says which orders are unknown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/venue/risk.hpp"

namespace llmes::bench {

class MapRisk {
 public:
  static std::optional<MapRisk> create(const RiskConfig& config) { return MapRisk(config.fees); }

  RiskStatus set_limits(AccountNumber account, const AccountLimits& limits) {
    User& user = users_[account];
    user.account = account;
    user.limits = limits;
    return RiskStatus::Success;
  }
  RiskStatus set_reference(BookNumber /*book*/, Price price) {
    reference_ = price;
    return RiskStatus::Success;
  }

  template <class Book, TradeSink Sink>
  CheckedResult apply(Book& book, AccountNumber account, const Request& request, Nanoseconds time, Sink&& sink) {
    User& user = users_.at(account);
    const bool takes_off = request.type == CommandType::Cancel || request.type == CommandType::Reduce;
    Open named{};
    if (!adds(request.type)) {
      const auto found = user.open.find(request.id);
      if (found == user.open.end()) return {RiskStatus::UnknownOrder, {Status::InvalidCommand}};
      named = found->second;
    }
    const Side side = adds(request.type) ? request.side : named.side;
    if (!takes_off) {
      const RiskStatus status = check(user, request, side, named, time);
      if (status != RiskStatus::Success) return {status, {Status::InvalidCommand}};
    }
    const Result result = book.apply(request, [&](const Trade& trade) {
      traded(user, trade);
      sink(trade);
    });
    if (result.status == Status::Success) finish(user, request, side, named, result);
    return {RiskStatus::Success, result};
  }

 private:
  struct Open {
    Side side;
    Price price;
    Quantity quantity;
  };
  struct User {
    AccountNumber account = 0;
    AccountLimits limits;
    std::unordered_map<OrderId, Open> open;
    Quantity open_quantity[2]{};
    std::int64_t position = 0, cash = 0, fees = 0;
    std::uint64_t backlog = 0, backlog_time = 0;
  };

  explicit MapRisk(Fees fees) : fees_(fees) {}

  RiskStatus check(User& user, const Request& request, Side side, const Open& named, Nanoseconds time) const {
    const AccountLimits& limits = user.limits;
    const std::uint64_t backlog = user.backlog - std::min(user.backlog, time - user.backlog_time);
    if (backlog > std::uint64_t{limits.message_burst - 1} * limits.message_interval) {
      return RiskStatus::TooManyMessages;
    }
    if (request.quantity > limits.order_quantity) return RiskStatus::QuantityLimit;
    const bool at_market = request.type == CommandType::AddMarket;
    const Price above = request.price - reference_;
    if (!at_market && (above < limits.collar_low || above > limits.collar_high)) return RiskStatus::OutsideCollar;
    const auto lots = static_cast<std::int64_t>(request.quantity);
    if (std::abs(at_market ? reference_ : request.price) * lots > limits.order_notional) {
      return RiskStatus::NotionalLimit;
    }
    if (user.open.size() >= limits.open_orders) return RiskStatus::OpenOrdersLimit;
    const Quantity open = user.open_quantity[static_cast<int>(side)] - named.quantity + request.quantity;
    if (open > limits.open_quantity) return RiskStatus::OpenQuantityLimit;
    const auto all = static_cast<std::int64_t>(open);
    if (side == Side::Buy ? user.position + all > limits.position_max
                          : user.position - all < limits.position_min) {
      return RiskStatus::PositionLimit;
    }
    user.backlog = backlog + limits.message_interval;
    user.backlog_time = time;
    return RiskStatus::Success;
  }

  void traded(User& taker, const Trade& trade) {
    User& maker = users_.at(owners_.at(trade.maker_id));
    book_fill(taker, trade.taker_side, trade, fees_.taker);
    book_fill(maker, opposite(trade.taker_side), trade, fees_.maker);
    take_off(maker, trade.maker_id, trade.quantity);
    reference_ = trade.price;
  }
  static void book_fill(User& user, Side side, const Trade& trade, std::int64_t fee) {
    const auto lots = static_cast<std::int64_t>(trade.quantity);
    user.position += side == Side::Buy ? lots : -lots;
    user.cash -= (side == Side::Buy ? lots : -lots) * trade.price * 1'000'000 + fee * lots;
    user.fees += fee * lots;
  }

  void finish(User& user, const Request& request, Side side, const Open& named, const Result& result) {
    if (request.type == CommandType::Reduce) return take_off(user, request.id, request.quantity);
    if (!adds(request.type)) take_off(user, request.id, named.quantity);
    if (!result.rests()) return;
    const OrderId id = replaces(request.type) ? request.new_id : request.id;
    user.open[id] = {side, request.price, result.remaining};
    user.open_quantity[static_cast<int>(side)] += result.remaining;
    owners_[id] = user.account;
  }
  void take_off(User& user, OrderId id, Quantity lots) {
    const auto found = user.open.find(id);
    user.open_quantity[static_cast<int>(found->second.side)] -= lots;
    found->second.quantity -= lots;
    if (found->second.quantity > 0) return;
    user.open.erase(found);
    owners_.erase(id);
  }

  Fees fees_;
  Price reference_ = 0;
  std::unordered_map<AccountNumber, User> users_;
  std::unordered_map<OrderId, AccountNumber> owners_;
};

}  // namespace llmes::bench
