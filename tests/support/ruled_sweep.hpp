// SPDX-License-Identifier: MIT
//
// Resting orders with terms, and what happens to a taker on its way through them: trades, refills and prevented
// matches, each an event. The first part of the oracle of books with rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <list>
#include <optional>
#include <variant>
#include <vector>

#include "llmes/types/auction.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

struct Refilled {
  RestingOrder order;
  friend bool operator==(const Refilled&, const Refilled&) = default;
};
struct MassCancelled {
  RestingOrder order;
  friend bool operator==(const MassCancelled&, const MassCancelled&) = default;
};
/// What a sink hears of, in the order in which it happens.
using RuleEvent =
    std::variant<RuledTrade, PreventedMatch, Refilled, MassCancelled, AuctionTrade, PreventedAuctionTrade>;
using RuleEvents = std::vector<RuleEvent>;

/// An order as it rests.
struct RuledOrder {
  RestingOrder shown;  ///< its quantity is what it displays
  BookNumber book = 0;
  Owner owner = 0;
  Display display = Display::Whole;
  Quantity peak = 0;
  Quantity reserve = 0;
  bool is_first = false;  ///< came when nothing rested on its level, and has kept its place

  [[nodiscard]] Quantity total() const { return shown.quantity + reserve; }
  [[nodiscard]] bool is_hidden() const { return display == Display::Hidden; }
  void show_of(Quantity total) {
    shown.quantity = is_hidden() ? 0 : display == Display::Reserve ? std::min(peak, total) : total;
    reserve = total - shown.quantity;
  }
  /// Off the reserve first.
  void take_off(Quantity lots) {
    const Quantity of_reserve = std::min(lots, reserve);
    reserve -= of_reserve;
    shown.quantity -= lots - of_reserve;
  }
};
using RuledOrders = std::list<RuledOrder>;

struct RulesOracleConfig {
  Price price_min;
  Price price_max;
  std::size_t capacity;
  Quantity quantity_max = std::numeric_limits<Quantity>::max();
  BookNumber books = 1;
  Allocation allocation = Allocation::PriceTime;
  Quantity minimum_share = 1;
};

/// One taker on its way through the makers of a book.
class RuledSweep {
 public:
  __extension__ using Wide = unsigned __int128;

  RuledSweep(const RulesOracleConfig& config, RuledOrders& orders, const RuledOrder& taker, Quantity quantity,
             SelfTrade mode)
      : config_(config), orders_(orders), taker_(taker), mode_(mode), open(quantity) {}

  /// Trades at prices up to `limit`, the best level first.
  void run(Price limit) {
    while (open > 0) {
      const std::optional<Price> price = best_within(orders_, taker_.book, taker_.shown.side, limit);
      if (!price) return;
      if (config_.allocation == Allocation::PriceTime) {
        meet(queue(orders_, taker_.book, opposite(taker_.shown.side), *price).front());
      } else {
        share_level(*price);
      }
    }
  }

  /// The best price of the makers that meet the taker's limit.
  static std::optional<Price> best_within(const RuledOrders& orders, BookNumber book, Side taker, Price limit) {
    std::optional<Price> best;
    for (const RuledOrder& order : orders) {
      const Price price = order.shown.price;
      if (order.book != book || order.shown.side == taker) continue;
      if (taker == Side::Buy ? price > limit : price < limit) continue;
      if (!best || (taker == Side::Buy ? price < *best : price > *best)) best = price;
    }
    return best;
  }

  /// The orders of a level: those that display something by time, then the hidden ones by time.
  static std::vector<RuledOrders::iterator> queue(RuledOrders& orders, BookNumber book, Side side, Price price) {
    std::vector<RuledOrders::iterator> result;
    for (const bool hidden : {false, true}) {
      for (auto order = orders.begin(); order != orders.end(); ++order) {
        const RestingOrder& shown = order->shown;
        if (order->book == book && shown.side == side && shown.price == price && order->is_hidden() == hidden) {
          result.push_back(order);
        }
      }
    }
    return result;
  }

 private:
  using Iterator = RuledOrders::iterator;

  [[nodiscard]] bool is_own(const RuledOrder& maker) const {
    return mode_ != SelfTrade::Allow && taker_.owner != 0 && maker.owner == taker_.owner;
  }

  void meet(Iterator maker) {
    if (is_own(*maker)) return prevent(maker);
    fill(maker, std::min(open, maker->is_hidden() ? maker->reserve : maker->shown.quantity));
  }

  void fill(Iterator maker, Quantity lots) {
    open -= lots;
    filled += lots;
    (maker->is_hidden() ? maker->reserve : maker->shown.quantity) -= lots;
    RuledTrade trade;
    trade.taker_id = taker_.shown.id;
    trade.maker_id = maker->shown.id;
    trade.maker_handle = maker->shown.handle;
    trade.price = maker->shown.price;
    trade.quantity = lots;
    trade.maker_remaining = maker->total();
    trade.taker_remaining = open;
    trade.taker_side = taker_.shown.side;
    trade.maker_owner = maker->owner;
    trade.taker_owner = taker_.owner;
    trade.maker_displayed = maker->shown.quantity;
    trade.maker_display = maker->display;
    events.emplace_back(trade);
    if (maker->total() == 0) {
      orders_.erase(maker);
    } else if (maker->shown.quantity == 0 && !maker->is_hidden()) {
      maker->show_of(maker->total());
      maker->is_first = false;
      orders_.splice(orders_.end(), orders_, maker);
      events.emplace_back(Refilled{maker->shown});
    }
  }

  void prevent(Iterator maker) {
    const Quantity lots = std::min(open, maker->total());
    const Quantity showed = maker->shown.quantity;
    if (mode_ == SelfTrade::Decrement) {
      maker->take_off(lots);
      drop(lots);
    } else {
      if (mode_ != SelfTrade::CancelTaker) maker->shown.quantity = maker->reserve = 0;
      if (mode_ != SelfTrade::CancelMaker) drop(open);
    }
    PreventedMatch event;
    event.taker_id = taker_.shown.id;
    event.maker_id = maker->shown.id;
    event.maker_handle = maker->shown.handle;
    event.price = maker->shown.price;
    event.quantity = lots;
    event.maker_remaining = maker->total();
    event.taker_remaining = open;
    event.taker_side = taker_.shown.side;
    event.mode = mode_;
    event.owner = taker_.owner;
    event.maker_showed = showed;
    events.emplace_back(event);
    if (maker->total() == 0) orders_.erase(maker);
  }
  /// Lots of the taker leave without a trade.
  void drop(Quantity lots) {
    open -= lots;
    dropped += lots;
  }

  /// Own orders first; then rounds over what is displayed, and hidden orders when nothing is.
  void share_level(Price price) {
    const auto level = [&] { return queue(orders_, taker_.book, opposite(taker_.shown.side), price); };
    for (const Iterator maker : level()) {
      if (open > 0 && is_own(*maker)) prevent(maker);
    }
    for (auto makers = level(); open > 0 && !makers.empty(); makers = level()) {
      if (makers.front()->is_hidden()) {
        meet(makers.front());
        continue;
      }
      std::erase_if(makers, [](Iterator maker) { return maker->is_hidden(); });
      Quantity displayed = 0;
      for (const Iterator maker : makers) displayed += maker->shown.quantity;
      if (open >= displayed) {
        for (const Iterator maker : makers) fill(maker, maker->shown.quantity);
        continue;
      }
      if (config_.allocation == Allocation::FirstThenProRata && makers.front()->is_first) {
        const Iterator first = makers.front();
        makers.erase(makers.begin());
        displayed -= first->shown.quantity;
        fill(first, std::min(open, first->shown.quantity));
      }
      const Quantity to_share = open;
      for (const Iterator maker : makers) {
        const auto share = static_cast<Quantity>(Wide{to_share} * maker->shown.quantity / displayed);
        if (share > 0 && share >= config_.minimum_share) fill(maker, share);
      }
      while (open > 0) meet(level().front());
    }
  }

  const RulesOracleConfig& config_;
  RuledOrders& orders_;
  const RuledOrder taker_;
  const SelfTrade mode_;

 public:
  Quantity open;
  Quantity filled = 0;
  Quantity dropped = 0;  ///< by prevention
  RuleEvents events;
};

}  // namespace llmes::test
