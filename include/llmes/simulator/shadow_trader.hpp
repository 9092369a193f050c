// SPDX-License-Identifier: MIT
//
// The orders of `Shadows`: when each comes and goes, where it rests, and what it gets. The loop over the events is
// that of a `Simulator`, which has this in the place of a strategy's side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "llmes/simulator/desk.hpp"
#include "llmes/simulator/displayed_lots.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/shadow_queue.hpp"
#include "llmes/simulator/trader.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What became of it. Times and records are those of its fills if `filled` is not 0.
struct Shadow {
  Amount paid = 0;           ///< ticks times lots of all fills: divided by `filled`, the mean price
  Quantity filled = 0;       ///< lots
  Quantity taken = 0;        ///< of these, as taker
  QueuePosition at_entry{};  ///< what was ahead of it when it began to rest
  Nanoseconds arrived = 0;   ///< when it came to the venue
  Nanoseconds first_fill = 0;
  Nanoseconds last_fill = 0;
  Nanoseconds ended = 0;  ///< when it was filled, cancelled or rejected
  std::uint64_t first_record = 0;
  std::uint64_t last_record = 0;
  OrderId other = 0;                      ///< of the last fill, as in `OwnFill`
  SendStatus sent = SendStatus::Success;  ///< else the order is wrong, and never came
  OwnOrderState state = OwnOrderState::Sent;
  OwnReason reason = OwnReason::None;
  FillCause first_cause = FillCause::Took;
  FillCause last_cause = FillCause::Took;

  friend constexpr bool operator==(const Shadow&, const Shadow&) = default;
};

namespace detail {

/// Stands for the impact of shadows, which is none.
struct ShadowImpact {};

template <>
class Trader<ShadowImpact> : public ShadowQueue {
 public:
  using ShadowQueue::ShadowQueue;

  /// Gives it its orders, before the first event.
  void place(std::vector<ShadowOrder>&& orders) {
    shadows_.resize(orders.size());
    ledger_numbers_.resize(orders.size(), none);
    ShadowQueue::place(std::move(orders));
  }
  [[nodiscard]] std::span<const Shadow> results() const noexcept { return shadows_; }

  // ---- What the simulator calls.

  void on_change(const MarketChange&) noexcept {}
  void start(Nanoseconds time) {
    plan(time, [&](std::uint32_t i, SendStatus status) { shadows_[i].sent = status; });
  }
  /// @return the book to which an order has come, or `every_book`.
  template <class Tell>
  BookNumber step(Nanoseconds /*end*/, const Tell&) {
    const Due due = next();
    if (due.is_cancel()) {
      cancel(due.order(), due.time);
      return every_book;
    }
    arrive(due.order(), due.time);
    return order(due.order()).book;
  }
  void decide(BookNumber book, const EventEnd& end) {
    const Moment now = replay_.moment(book, replay_.time);
    if (end.auction == nullptr && now.phase != MarketPhase::Continuous) return;
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (levels(book, side).empty()) continue;
      if (end.auction == nullptr) {
        fill_from_executions(book, side, end.executions, now);
        for (const Print& print : end.hidden) {
          if (print.book == book) fill_from_hidden(print, side, end, now);
        }
      } else if (replay_.config.auctions == AuctionFills::AtPrint) {
        fill_at_print(book, side, end, now);
      }
      if (end.matches_arrivals(side, now.phase)) fill_from_arrivals(book, side, now);
    }
  }

 private:
  // ---- Orders come and go.

  void arrive(std::uint32_t i, Nanoseconds time) {
    const ShadowOrder& order = this->order(i);
    Shadow& shadow = shadows_[i];
    const Moment now = replay_.arrival(order.book, time);
    shadow.arrived = time;
    OwnReason refused = refusal_of_phase(now.phase, order.time_in_force);
    if (refused == OwnReason::None && now.phase == MarketPhase::Continuous)
      refused = refusal_of_lots(replay_.market, nothing_, order.book, order.side, order.price, order.quantity,
                                order.time_in_force);
    if (refused != OwnReason::None) return end(shadow, OwnOrderState::Rejected, refused, time);
    shadow.state = OwnOrderState::Resting;
    if (now.phase == MarketPhase::Continuous) take(i, now, FillCause::Took);
    if (shadow.state == OwnOrderState::Filled) return;
    if (order.time_in_force == TimeInForce::ImmediateOrCancel) {
      drop_ledger(i);
      return end(shadow, OwnOrderState::Cancelled, OwnReason::Immediate, time);
    }
    const DepthLevel level = replay_.market.set().book(order.book)->level(order.side, order.price);
    shadow.at_entry = {level.quantity, level.order_count};
    rest(i, now.messages);
  }
  void cancel(std::uint32_t i, Nanoseconds time) {
    if (shadows_[i].state != OwnOrderState::Resting) return;
    leave(i);
    drop_ledger(i);
    end(shadows_[i], OwnOrderState::Cancelled, OwnReason::Requested, time);
  }
  static void end(Shadow& shadow, OwnOrderState state, OwnReason reason, Nanoseconds time) noexcept {
    shadow.state = state;
    shadow.reason = reason;
    shadow.ended = time;
  }

  // ---- Fills.

  void fill(std::uint32_t i, Price price, Quantity lots, std::uint64_t record, OrderId other, FillCause cause,
            Nanoseconds time) {
    Shadow& shadow = shadows_[i];
    if (shadow.filled == 0) {
      shadow.first_fill = time;
      shadow.first_record = record;
      shadow.first_cause = cause;
    }
    shadow.last_fill = time;
    shadow.last_record = record;
    shadow.last_cause = cause;
    shadow.other = other;
    shadow.filled += lots;
    if (cause == FillCause::Took) shadow.taken += lots;
    shadow.paid += Amount{price} * lots;
    if (shadow.filled == order(i).quantity) end(shadow, OwnOrderState::Filled, OwnReason::None, time);
  }
  [[nodiscard]] Quantity open(std::uint32_t i) const noexcept { return order(i).quantity - shadows_[i].filled; }

  /// Trades an order with the displayed ones that it crosses: at their prices if it took them, else at its own.
  void take(std::uint32_t i, const Moment& now, FillCause cause) {
    const ShadowOrder& order = this->order(i);
    for_makers(replay_.market, ledger_of(i), order.book, order.side, order.price,
               [&](const RestingOrder& maker, Quantity left) {
                 const Quantity lots = std::min(left, open(i));
                 taken_.push_back({maker.handle, lots});
                 fill(i, cause == FillCause::Took ? maker.price : order.price, lots, now.record, maker.id, cause,
                      now.time);
                 return open(i) != 0;
               });
    if (open(i) != 0) {
      for (const auto& [maker, lots] : taken_) ledger_for(i).take(maker, lots, replay_.market);
    }
    taken_.clear();
  }
  /// Gives each order the lots of executions behind it and at worse prices, the worst first.
  void fill_from_executions(BookNumber book, Side side, std::span<const Execution> executions, const Moment& now) {
    if (executions.empty()) return;  // as most often
    worst_first(executions, book, side, executed_);
    if (executed_.empty()) return;
    for_levels(book, side, executed_.front().price, [&](const Level& level, std::uint32_t i) {
      Quantity left = open(i);
      bool is_touched = false;
      for (const Execution& one : executed_) {
        const bool through = !one.off_price && is_better(side, level.price, one.price);
        const bool behind = level.price == one.price && one.placed > stamp(i);
        if (!through && !behind) continue;
        is_touched = true;
        const Quantity lots = std::min(left, one.lots);
        left -= lots;
        fill(i, level.price, lots, one.record, one.id, through ? FillCause::Through : FillCause::Behind, now.time);
        if (left == 0) break;
      }
      return is_touched;  // else no younger one of the level is
    });
  }
  void fill_from_hidden(const Print& print, Side side, const EventEnd& end, const Moment& now) {
    const Price best = replay_.market.best_or(print.book, side, no_price(side));
    for_levels(print.book, side, print.price, [&](const Level& level, std::uint32_t i) {
      bool has_ahead = is_better(side, best, level.price);
      replay_.market.set().book(print.book)->visit_level(side, level.price, [&](const RestingOrder& oldest) {
        has_ahead |= (*end.placed)[oldest.handle.index] <= stamp(i);
        return false;
      });
      if (has_ahead) return true;
      fill(i, level.price, std::min(open(i), print.quantity), print.record, 0,
           hidden_cause(side, level.price, print), now.time);
      return true;
    });
  }
  void fill_at_print(BookNumber book, Side side, const EventEnd& end, const Moment& now) {
    for_levels(book, side, end.auction->price, [&](const Level& level, std::uint32_t i) {
      worst_first(end.executions, book, side, executed_);  // whole for each
      AuctionLots(*end.auction, side, executed_)
          .give(level.price, stamp(i), open(i), [&](Quantity lots, std::uint64_t record, OrderId other) {
            fill(i, end.auction->price, lots, record, other, FillCause::Auction, now.time);
          });
      return true;
    });
  }
  /// Trades orders of a side with orders that have come and cross them.
  void fill_from_arrivals(BookNumber book, Side side, const Moment& now) {
    Price facing = 0;
    if (!faces_arrivals(replay_.market, book, side, facing)) return;
    for_levels(book, side, facing, [&](const Level&, std::uint32_t i) {
      take(i, now, FillCause::Crossed);
      return true;
    });
  }
  /// As `ShadowQueue::for_levels`, of all levels that are not worse than a price. Those that are filled leave.
  template <class Visit>
  void for_levels(BookNumber book, Side side, Price worst, const Visit& visit) {
    const Price best = no_price(opposite(side));
    ShadowQueue::for_levels(book, side, best, worst, visit, [&](std::uint32_t i) {
      const bool is_filled = shadows_[i].state == OwnOrderState::Filled;
      if (is_filled) drop_ledger(i);
      return is_filled;
    });
  }

  // ---- Lots that an order which is still open has taken of displayed ones.

  [[nodiscard]] const Ledger& ledger_of(std::uint32_t i) const noexcept {
    return ledger_numbers_[i] == none ? nothing_ : ledgers_[ledger_numbers_[i]];
  }
  [[nodiscard]] Ledger& ledger_for(std::uint32_t i) {
    std::uint32_t& ledger = ledger_numbers_[i];
    if (ledger == none) ledger = ledgers_.put({});
    return ledgers_[ledger];
  }
  void drop_ledger(std::uint32_t i) {
    if (ledger_numbers_[i] != none) static_cast<void>(ledgers_.take(std::exchange(ledger_numbers_[i], none)));
  }

  std::vector<Shadow> shadows_;
  std::vector<std::uint32_t> ledger_numbers_;  ///< by order: if it has taken lots of displayed orders
  Slots<Ledger> ledgers_;
  Ledger nothing_;  ///< always empty
  // Kept for their memory.
  std::vector<Execution> executed_;
  std::vector<std::pair<OrderHandle, Quantity>> taken_;
};

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
