// SPDX-License-Identifier: MIT
//
// What a risk stage must say and keep, in its simplest form: maps from texts, sums over all orders. Numbers are
// small here, so 64 bits hold all of them. It shares no code with the stage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llmes/types/types.hpp"

namespace llmes::test {

/// What the oracle reads of a command.
struct RiskQuestion {
  enum Kind { Add, Market, Move, TakeOff, Nonsense };
  Kind kind = Add;
  unsigned account = 0;
  unsigned book = 0;  ///< of an add
  std::string name;   ///< of the order that it names
  bool buys = true;   ///< of an add
  std::int64_t price = 0;
  std::int64_t lots = 0;
  bool may_rest = true;
  bool only_reduces = false;
  std::int64_t time = 0;
};

struct RiskOracleLimits {
  std::int64_t order_lots = 1'000'000'000, order_notional = 1'000'000'000, open_orders = 1'000'000'000;
  std::int64_t open_lots = 1'000'000'000, position_min = -1'000'000'000, position_max = 1'000'000'000;
  std::optional<std::int64_t> collar_low{}, collar_high{}, credit{};
  std::int64_t burst = 1, interval = 0;
  bool cancel_on_disconnect = false;
};

class RiskOracle {
 public:
  struct Order {
    unsigned account = 0, book = 0;
    bool buys = true;
    std::int64_t price = 0, lots = 0;
    int age = 0;
  };
  struct Position {
    std::int64_t lots = 0, cost = 0, realised = 0;
  };

  RiskOracle(unsigned accounts, unsigned books, std::size_t orders, std::size_t holdings, std::int64_t maker_fee,
             std::int64_t taker_fee)
      : accounts_(accounts),
        books_(books),
        orders_max_(orders),
        holdings_max_(holdings),
        maker_fee_(maker_fee),
        taker_fee_(taker_fee) {}

  std::map<unsigned, RiskOracleLimits> limits;
  std::map<unsigned, bool> killed;
  std::map<unsigned, std::int64_t> cash, fees;  ///< micro-units; of 0, the venue's
  std::map<std::string, Position> positions;
  std::map<std::string, Order> open;
  std::map<unsigned, std::int64_t> last, day;
  std::map<std::string, std::int64_t> best;

  static std::string key(unsigned account, unsigned book) {
    return std::to_string(account) + " in " + std::to_string(book);
  }

  std::string ask(const RiskQuestion& q) {
    if (q.account == 0 || q.account > accounts_) return "UnknownAccount";
    if (q.kind == RiskQuestion::Nonsense) return "InvalidCommand";
    if (q.time < now_) return "TimeWentBack";
    const bool adds = q.kind == RiskQuestion::Add || q.kind == RiskQuestion::Market;
    Order old;
    if (!adds) {
      if (open.count(q.name) == 0 || open[q.name].account != q.account) return "UnknownOrder";
      old = open[q.name];
    } else if (q.book >= books_) {
      return "UnknownBook";
    }
    if (q.kind == RiskQuestion::TakeOff) {
      now_ = q.time;
      return "Success";
    }
    const unsigned book = adds ? q.book : old.book;
    const bool buys = adds ? q.buys : old.buys;
    const RiskOracleLimits& limit = limits[q.account];
    if (killed[q.account]) return "AccountKilled";

    const std::int64_t bucket = limit.burst * limit.interval;
    if (tokens_.count(q.account) == 0) tokens_[q.account] = {bucket, 0};
    auto [tokens, since] = tokens_[q.account];
    tokens = std::min(bucket, tokens + (q.time - since));
    if (tokens < limit.interval) return "TooManyMessages";

    if (q.lots > limit.order_lots) return "QuantityLimit";
    const bool market = q.kind == RiskQuestion::Market;
    std::int64_t price = q.price;
    std::optional<std::int64_t> reference;
    const std::string other = std::to_string(book) + (buys ? " asks" : " bids");
    if (last.count(book) != 0) {
      reference = last[book];
    } else if (best.count(other) != 0) {
      reference = best[other];
    } else if (day.count(book) != 0) {
      reference = day[book];
    }
    if (market) {
      if (limit.order_notional < 1'000'000'000) {
        if (!reference) return "NoReference";
        if (std::abs(*reference * q.lots) > limit.order_notional) return "NotionalLimit";
      }
    } else {
      if (limit.collar_low) {
        if (!reference) return "NoReference";
        if (price - *reference < *limit.collar_low || price - *reference > *limit.collar_high) {
          return "OutsideCollar";
        }
      }
      if (std::abs(price * q.lots) > limit.order_notional) return "NotionalLimit";
    }

    const std::int64_t open_lots = lots_open(q.account, book, buys) - old.lots + q.lots;
    if (q.may_rest) {
      if (adds && orders_of(q.account).size() >= static_cast<std::size_t>(limit.open_orders)) {
        return "OpenOrdersLimit";
      }
      if (open_lots > limit.open_lots) return "OpenQuantityLimit";
      if (adds && open.size() == orders_max_) return "NoRoomForOrder";
    }
    const std::string holding = key(q.account, book);
    const std::int64_t now = positions.count(holding) == 0 ? 0 : positions[holding].lots;
    if (q.only_reduces && (buys ? now + open_lots > 0 : now - open_lots < 0)) return "WouldIncrease";
    if (buys ? now + open_lots > limit.position_max : now - open_lots < limit.position_min) return "PositionLimit";
    if (!is_busy(q.account, book) && busy() == holdings_max_) return "NoRoomForHolding";
    if (limit.credit) {
      if (market) return "NeedsPrice";
      const std::int64_t more = cost_of(buys, price, q.lots) - cost_of(old.buys, old.price, old.lots);
      if (more > 0 && cash[q.account] + *limit.credit * 1'000'000 < reserved(q.account) + more) return "CashLimit";
    }
    tokens_[q.account] = {tokens - limit.interval, q.time};
    now_ = q.time;
    return "Success";
  }

  void traded(unsigned taker, bool taker_buys, const std::string& maker_name, std::int64_t price,
              std::int64_t lots) {
    Order& maker = open[maker_name];
    last[maker.book] = price;
    book_fill(maker.account, maker.book, maker.buys, price, lots, maker_fee_);
    book_fill(taker, maker.book, taker_buys, price, lots, taker_fee_);
    maker.lots -= lots;
    if (maker.lots == 0) open.erase(maker_name);
  }

  /// An order rests now under this name, as the youngest of its account.
  void rests(const std::string& name, const Order& order) {
    open[name] = order;
    open[name].age = ++age_;
  }

  /// All that it knows, limits aside: two with the same text give the same answers.
  std::string text() const {
    std::string text;
    const auto add = [&](const auto&... parts) { ((text += std::to_string(parts) + ' '), ...); };
    add(now_);
    for (const auto& [account, bucket] : tokens_) add(account, bucket.first, bucket.second);
    for (const auto& [account, is_killed] : killed) add(account, is_killed);
    for (const auto& [account, amount] : cash) add(account, amount);
    for (const auto& [account, amount] : fees) add(account, amount);
    for (const auto& [book, price] : last) add(book, price);
    for (const auto& [name, position] : positions) {
      text += name + ' ';
      add(position.lots, position.cost, position.realised);
    }
    for (unsigned account = 1; account <= accounts_; ++account) {
      for (const std::string& name : orders_of(account)) {
        const Order& order = open.at(name);
        text += name + ' ';
        add(account, order.book, order.buys, order.price, order.lots);
      }
    }
    return text;
  }

  /// The names of the open orders of an account, oldest first.
  std::vector<std::string> orders_of(unsigned account) const {
    std::vector<std::string> names;
    for (const auto& [name, order] : open) {
      if (order.account == account) names.push_back(name);
    }
    std::sort(names.begin(), names.end(),
              [&](const std::string& a, const std::string& b) { return open.at(a).age < open.at(b).age; });
    return names;
  }
  std::int64_t lots_open(unsigned account, unsigned book, bool buys) const {
    std::int64_t lots = 0;
    for (const auto& [name, order] : open) {
      if (order.account == account && order.book == book && order.buys == buys) lots += order.lots;
    }
    return lots;
  }
  /// Whether a pair needs room: it has a position or an open order.
  bool is_busy(unsigned account, unsigned book) const {
    const auto position = positions.find(key(account, book));
    return (position != positions.end() && position->second.lots != 0) || lots_open(account, book, true) != 0 ||
           lots_open(account, book, false) != 0;
  }
  std::size_t busy() const {
    std::size_t count = 0;
    for (unsigned account = 1; account <= accounts_; ++account) {
      for (unsigned book = 0; book < books_; ++book) count += is_busy(account, book) ? 1 : 0;
    }
    return count;
  }
  std::int64_t reserved(unsigned account) const {
    std::int64_t sum = 0;
    for (const auto& [name, order] : open) {
      if (order.account == account) sum += cost_of(order.buys, order.price, order.lots);
    }
    return sum;
  }

 private:
  std::int64_t cost_of(bool buys, std::int64_t price, std::int64_t lots) const {
    const std::int64_t fee = std::max(std::max(maker_fee_, taker_fee_), std::int64_t{0});
    const std::int64_t paid = buys ? price : -price;
    return (paid > 0 ? paid * 1'000'000 : 0) * lots + fee * lots;
  }
  void book_fill(unsigned account, unsigned book, bool buys, std::int64_t price, std::int64_t lots,
                 std::int64_t fee) {
    cash[account] += (buys ? -1'000'000 : 1'000'000) * price * lots - fee * lots;
    cash[0] += fee * lots;
    fees[account] += fee * lots;
    Position& position = positions[key(account, book)];
    for (std::int64_t left = lots; left > 0;) {
      const bool closes = buys ? position.lots < 0 : position.lots > 0;
      const std::int64_t part = closes ? std::min(left, std::abs(position.lots)) : left;
      if (closes) {
        const std::int64_t share = position.cost * part / std::abs(position.lots);
        position.cost -= share;
        position.realised += (buys ? -part : part) * price - share;
      } else {
        position.cost += (buys ? part : -part) * price;
      }
      position.lots += buys ? part : -part;
      left -= part;
    }
  }

  unsigned accounts_, books_;
  std::size_t orders_max_, holdings_max_;
  std::int64_t maker_fee_, taker_fee_;
  std::int64_t now_ = 0;
  std::map<unsigned, std::pair<std::int64_t, std::int64_t>> tokens_;
  int age_ = 0;
};

}  // namespace llmes::test
