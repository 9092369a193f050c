// SPDX-License-Identifier: MIT
//
// `TapeImpact`: the tape stays as it is. Own orders rest beside the books; a ledger lets no lot be taken twice.
//
//  - An own order that comes takes displayed orders, best first, less what the strategy has taken of them before.
//  - A resting own order fills when an order behind it at its price is executed, when one at a worse price is,
//    or when an order comes that crosses it. All own orders together get no more than these lots, the best first.
//  - Lots that an order did not show trade behind all that rests at its price, so own orders there come before
//  them.
//  - While the market is crossed or locked, an own order that comes is collected as in an auction.
//  - When an auction prints, own orders get nothing, or their share at its price: see `AuctionLots`.
//  - A print of a hidden order takes no displayed lots. It fills own orders with nothing displayed before them.
//  - An execution off the price of its order is none at a worse price: it fills own orders of its level alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "llmes/simulator/displayed_lots.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_levels.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

class TapeImpact {
 public:
  TapeImpact(const MarketBooks& market, const SimulatorConfig& config)
      : market_(market), auctions_(config.auctions), own_(market.book_count()) {}

  /// Whether events of the book matter to own orders.
  [[nodiscard]] bool watches(BookNumber book) const noexcept { return own_.has_orders(book); }

  /// False if there is no own order at this level.
  [[nodiscard]] bool may_have(BookNumber book, Side side, Price price) noexcept {
    return own_.in(book).may_have(side, price);
  }

  // ---- The market.

  /// A message has changed an order of a watched book. O(1) unless its level has own orders.
  void on_change(const detail::MarketChange& message, OwnOrders& orders, const detail::Moment& now) {
    if (message.event.type == MarketEventType::Fill) return;  // what it shows leaves by another message
    detail::OwnLevels& levels = own_.in(message.book);
    const OrderChange& change = message.change;
    const bool kept = message.keeps_place();
    if (change.rested()) {
      const RestingOrder& before = change.before;
      const Quantity lots = before.quantity - (kept ? change.after.quantity : 0);
      levels.for_level(orders, before.side, before.price, [&](OwnOrder& order) {
        if (message.placed() > order.stamp) return;
        order.ahead.quantity -= lots;
        order.ahead.order_count -= kept ? 0 : 1;
        orders.note(order, now.time, message.event.record);
      });
    }
    if (change.rests() && !kept && message.event.snapshot) {
      levels.for_level(orders, change.after.side, change.after.price, [&](OwnOrder& order) {
        order.ahead.quantity += change.after.quantity;
        ++order.ahead.order_count;
        orders.note(order, now.time, message.event.record);
      });
    }
  }
  /// All orders of a side of the market are gone.
  void on_clear(BookNumber book, Side side, OwnOrders& orders, const detail::Moment& now) {
    for (const OwnOrderId id : own_.in(book).of(side)) {
      orders[id].ahead = {};
      orders.note(orders[id], now.time, now.record);
    }
  }
  /// An event of a watched book has ended.
  void decide(BookNumber book, const detail::EventEnd& end, OwnOrders& orders, const detail::Moment& now,
              detail::NewFills& fills) {
    if (end.auction == nullptr && now.phase != MarketPhase::Continuous) return;
    detail::OwnLevels& levels = own_.in(book);
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (levels.of(side).empty()) continue;
      if (end.auction == nullptr) {
        fill_from_executions(book, side, end.executions, orders, fills);
        for (const detail::Print& print : end.hidden) {
          if (print.book == book) fill_from_hidden(print, side, orders, fills);
        }
      } else if (auctions_ == AuctionFills::AtPrint) {
        fill_at_print(book, side, end, orders, fills);
      }
      if (end.matches_arrivals(side, now.phase)) fill_from_arrivals(book, side, orders, now, fills);
    }
  }
  /// Whether there was memory.
  [[nodiscard]] bool is_ready() const noexcept { return true; }
  /// Does what is due; `due` says when there is something.
  void run() noexcept {}
  [[nodiscard]] Nanoseconds due() const noexcept { return std::numeric_limits<Nanoseconds>::max(); }

  // ---- Commands of the strategy, which arrive at the venue.

  /// An order comes: it takes what it may, and rests if it may. @return why it did not rest, if so.
  [[nodiscard]] OwnReason enter(OwnOrder& order, OwnOrders& orders, const detail::Moment& now,
                                detail::NewFills& fills) {
    if (const OwnReason refused = check(order, orders, now); refused != OwnReason::None) return refused;
    if (now.phase == MarketPhase::Continuous) {
      take(order, orders, now.record, FillCause::Took, fills);
      if (order.open == 0) return OwnReason::None;
    }
    if (order.time_in_force == TimeInForce::ImmediateOrCancel) return OwnReason::Immediate;
    rest(order, orders, now);
    return OwnReason::None;
  }
  /// A resting order leaves.
  void leave(OwnOrder& order) noexcept { own_.in(order.book).erase(order); }
  /// A resting order gets a price and open lots. @return why not; then it is as before.
  [[nodiscard]] OwnReason change(OwnOrder& order, Price price, Quantity quantity, OwnOrders& orders,
                                 const detail::Moment& now, detail::NewFills& fills) {
    if (price == order.price && quantity <= order.open) {
      order.open = quantity;
      return OwnReason::None;
    }
    OwnOrder moved = order;
    moved.price = price;
    moved.open = quantity;
    if (const OwnReason refused = check(moved, orders, now); refused != OwnReason::None) return refused;
    leave(order);
    order.price = price;
    order.open = quantity;
    order.ahead = {};
    if (now.phase == MarketPhase::Continuous) take(order, orders, now.record, FillCause::Took, fills);
    if (order.open != 0) rest(order, orders, now);
    return OwnReason::None;
  }

  /// What is ahead of a resting order now.
  [[nodiscard]] QueuePosition place_of(const OwnOrder& order) const noexcept { return order.ahead; }
  [[nodiscard]] Divergence divergence() const noexcept { return divergence_; }

 private:
  /// Whether an order may come.
  [[nodiscard]] OwnReason check(const OwnOrder& order, const OwnOrders& orders, const detail::Moment& now) {
    const OwnReason refused = own_.check(order, orders, now.phase);
    if (refused != OwnReason::None || now.phase == MarketPhase::Auction) return refused;
    return detail::refusal_of_lots(market_, ledger_, order.book, order.side, order.price, order.open,
                                   order.time_in_force);
  }

  /// Trades an order with the displayed ones that it crosses: at their prices if it took them, else at its own.
  void take(OwnOrder& order, OwnOrders& /*orders*/, std::uint64_t record, FillCause cause,
            detail::NewFills& fills) {
    detail::for_makers(
        market_, ledger_, order.book, order.side, order.price, [&](const RestingOrder& maker, Quantity left) {
          const Quantity lots = std::min(left, order.open);
          taken_.push_back({maker.handle, lots});
          fill(order, cause == FillCause::Took ? maker.price : order.price, lots, record, maker.id, cause, fills);
          return order.open != 0;
        });
    for (const auto& [handle, lots] : taken_) {
      ledger_.take(handle, lots, market_);
      divergence_.taken += lots;
    }
    taken_.clear();
  }
  static void fill(OwnOrder& order, Price price, Quantity lots, std::uint64_t record, OrderId other,
                   FillCause cause, detail::NewFills& fills) {
    order.open -= lots;
    order.filled += lots;
    fills.push_back({order.id, price, lots, record, other, cause, order.ahead});
  }

  void rest(OwnOrder& order, OwnOrders& orders, const detail::Moment& now) {
    const DepthLevel level = market_.set().book(order.book)->level(order.side, order.price);
    order.stamp = now.messages;
    order.ahead = {level.quantity, level.order_count};
    own_.in(order.book).insert(orders, order);
  }

  /// Gives own orders of a side the lots of executions behind them and at worse prices. Who is best is first, and
  /// takes from the worst: the taker would have met them in this order.
  void fill_from_executions(BookNumber book, Side side, std::span<const detail::Execution> executions,
                            OwnOrders& orders, detail::NewFills& fills) {
    if (executions.empty()) return;  // as most often
    detail::worst_first(executions, book, side, executed_);
    if (executed_.empty()) return;
    for_own(book, side, orders, [&](OwnOrder& order) {
      if (detail::is_better(side, executed_.front().price, order.price)) return false;
      for (detail::Execution& execution : executed_) {
        const bool through = !execution.off_price && detail::is_better(side, order.price, execution.price);
        const bool behind = order.price == execution.price && execution.placed > order.stamp;
        if ((!through && !behind) || execution.lots == 0) continue;
        const Quantity lots = std::min(order.open, execution.lots);
        execution.lots -= lots;
        fill(order, order.price, lots, execution.record, execution.id,
             through ? FillCause::Through : FillCause::Behind, fills);
        if (order.open == 0) break;
      }
      return true;
    });
  }
  /// A hidden order trades behind all that is displayed at its price, and behind better prices.
  void fill_from_hidden(const detail::Print& print, Side side, OwnOrders& orders, detail::NewFills& fills) {
    const Price best = market_.best_or(print.book, side, detail::no_price(side));
    Quantity left = print.quantity;
    for_own(print.book, side, orders, [&](OwnOrder& order) {
      if (left == 0 || order.ahead.quantity != 0 || detail::is_better(side, best, order.price) ||
          detail::is_better(side, print.price, order.price))
        return false;
      const Quantity lots = std::min(order.open, left);
      left -= lots;
      fill(order, order.price, lots, print.record, 0, detail::hidden_cause(side, order.price, print), fills);
      return true;
    });
  }
  void fill_at_print(BookNumber book, Side side, const detail::EventEnd& end, OwnOrders& orders,
                     detail::NewFills& fills) {
    detail::worst_first(end.executions, book, side, executed_);
    detail::AuctionLots lots(*end.auction, side, executed_);
    for_own(book, side, orders, [&](OwnOrder& order) {
      if (!lots.reaches(order.price)) return false;
      lots.give(order.price, order.stamp, order.open, [&](Quantity got, std::uint64_t record, OrderId other) {
        fill(order, end.auction->price, got, record, other, FillCause::Auction, fills);
      });
      return true;
    });
  }
  /// Trades own orders of a side with orders that have come and cross them.
  void fill_from_arrivals(BookNumber book, Side side, OwnOrders& orders, const detail::Moment& now,
                          detail::NewFills& fills) {
    Price facing = 0;
    if (!detail::faces_arrivals(market_, book, side, facing)) return;
    for_own(book, side, orders, [&](OwnOrder& order) {
      if (!detail::crosses(side, order.price, facing)) return false;
      take(order, orders, now.record, FillCause::Crossed, fills);
      return true;
    });
  }
  /// Calls `visit` with the own orders of a side, best first, while it returns true. Those that are filled leave.
  template <class Visit>
  void for_own(BookNumber book, Side side, OwnOrders& orders, const Visit& visit) {
    detail::OwnLevels& levels = own_.in(book);
    for (std::size_t i = 0; i < levels.of(side).size();) {
      OwnOrder& order = orders[levels.of(side)[i]];
      if (!visit(order)) break;
      if (order.open == 0) {
        levels.erase(order);
      } else {
        ++i;
      }
    }
  }

  const MarketBooks& market_;
  AuctionFills auctions_;
  detail::OwnBooks own_;
  detail::Ledger ledger_;
  Divergence divergence_;
  // Kept for their memory.
  std::vector<detail::Execution> executed_;
  std::vector<std::pair<OrderHandle, Quantity>> taken_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
