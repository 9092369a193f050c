// SPDX-License-Identifier: MIT
//
// The orders of `Shadows`: when each comes and goes, where it rests, and what it gets. The loop over the events is
// that of a `Simulator`, which has this in the place of a strategy's side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "llmes/simulator/auction_print.hpp"
#include "llmes/simulator/desk.hpp"
#include "llmes/simulator/displayed_lots.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/replay.hpp"
#include "llmes/simulator/trader.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A hypothetical order.
struct ShadowOrder {
  static constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

  Nanoseconds time = 0;             ///< when it is sent; before the tape begins: when it does
  Nanoseconds cancel_time = never;  ///< when its cancel is sent; before `time`: then
  Price price = 0;
  Quantity quantity = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
};

/// What became of it. Times and records are those of its fills if `filled` is not 0.
struct Shadow {
  Amount paid = 0;          ///< ticks times lots of all fills: divided by `filled`, the mean price
  Quantity filled = 0;      ///< lots
  Quantity taken = 0;       ///< of these, as taker
  Place at_entry{};         ///< what was ahead of it when it began to rest
  Nanoseconds arrived = 0;  ///< when it came to the venue
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
class Trader<ShadowImpact> {
 public:
  explicit Trader(const Replay& replay) : replay_(replay), books_(replay.market.book_count()) {}

  /// Gives it its orders, before the first event.
  void place(std::vector<ShadowOrder>&& orders) {
    orders_ = std::move(orders);
    shadows_.resize(orders_.size());
    resting_.resize(orders_.size());
    agenda_.reserve(2 * orders_.size());
  }
  [[nodiscard]] std::span<const Shadow> results() const noexcept { return shadows_; }

  // ---- What the simulator calls.

  [[nodiscard]] bool is_ready() const noexcept { return true; }
  [[nodiscard]] Nanoseconds due() const noexcept {
    return next_ < agenda_.size() ? agenda_[next_].time : ShadowOrder::never;
  }
  [[nodiscard]] bool watches(BookNumber book) const noexcept { return books_[book].resting != 0; }
  [[nodiscard]] std::span<const BookNumber> subscribed() const noexcept { return {}; }
  void be_at(Nanoseconds) noexcept {}
  void show(BookNumber, const MarketEvent&) noexcept {}
  void show_trade(BookNumber, const MarketEvent&, Price, Side) noexcept {}
  void on_change(const MarketChange&) noexcept {}
  void on_clear(BookNumber, Side, Nanoseconds) noexcept {}
  void finish() noexcept {}

  void start(Nanoseconds time) {
    for (std::uint32_t i = 0; i < orders_.size(); ++i) {
      const ShadowOrder& order = orders_[i];
      shadows_[i].sent = replay_.check(order.book, order.side, order.price, order.quantity, order.time_in_force);
      if (shadows_[i].sent != SendStatus::Success) continue;
      const Latencies& latencies = replay_.config.latencies;
      const Nanoseconds sent = std::max(order.time, time);
      const Nanoseconds arrival = later(sent, latencies.entry.of(i));
      agenda_.push_back({arrival, 2 * std::uint64_t{i}});
      if (order.cancel_time == ShadowOrder::never) continue;
      // A cancel does not overtake its order.
      const Nanoseconds cancel = later(std::max(order.cancel_time, sent), latencies.cancel.of(i));
      agenda_.push_back({std::max(arrival, cancel), 2 * std::uint64_t{i} + 1});
    }
    std::ranges::sort(agenda_);
  }
  /// @return the book to which an order has come, or `every_book`.
  template <class Tell>
  BookNumber step(const Tell&) {
    const Due due = agenda_[next_++];
    const auto i = static_cast<std::uint32_t>(due.what / 2);
    if (due.what % 2 == 1) {
      cancel(i, due.time);
      return every_book;
    }
    arrive(i, due.time);
    return orders_[i].book;
  }
  void decide(BookNumber book, const EventEnd& end) {
    const Moment now = replay_.moment(book, replay_.time);
    if (end.print == nullptr && now.phase != MarketPhase::Continuous) return;
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (levels(book, side).empty()) continue;
      if (end.print != nullptr) {
        if (replay_.config.auctions == AuctionFills::AtPrint) fill_at_print(book, side, end, now);
        continue;
      }
      fill_from_executions(book, side, end.executions, now);
      if (end.entered[static_cast<std::size_t>(opposite(side))]) fill_from_arrivals(book, side, now);
    }
  }

 private:
  static constexpr std::uint32_t none = no_order;

  struct Due {
    Nanoseconds time;
    std::uint64_t what;  ///< twice the number of the order, and one more for its cancel

    friend auto operator<=>(const Due&, const Due&) = default;
  };
  /// An order's place in its level, in which the oldest is first.
  struct Resting {
    std::uint64_t stamp = 0;  ///< how many messages there were when it came
    std::uint32_t before = none;
    std::uint32_t behind = none;
    std::uint32_t ledger = none;  ///< if it has taken lots of displayed orders
  };
  struct Level {
    Price price;
    std::uint32_t first;
    std::uint32_t last;
  };
  using Levels = std::vector<Level>;  ///< the best first
  struct Book {
    std::array<Levels, 2> sides{};
    std::size_t resting = 0;
  };

  [[nodiscard]] static Nanoseconds later(Nanoseconds time, Nanoseconds delay) noexcept {
    return delay < ShadowOrder::never - time ? time + delay : ShadowOrder::never;
  }
  [[nodiscard]] Levels& levels(BookNumber book, Side side) noexcept {
    return books_[book].sides[static_cast<std::size_t>(side)];
  }
  /// The level of a price, or where it belongs.
  [[nodiscard]] static Levels::iterator level_at(Levels& levels, Side side, Price price) noexcept {
    return std::ranges::partition_point(levels,
                                        [&](const Level& level) { return is_better(side, level.price, price); });
  }

  // ---- Orders come and go.

  void arrive(std::uint32_t i, Nanoseconds time) {
    const ShadowOrder& order = orders_[i];
    Shadow& shadow = shadows_[i];
    const Moment now = replay_.moment(order.book, time);
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
    const ShadowOrder& order = orders_[i];
    Levels& side = levels(order.book, order.side);
    const auto level = level_at(side, order.side, order.price);
    unlink(*level, i);
    if (level->first == none) side.erase(level);
    end(shadows_[i], OwnOrderState::Cancelled, OwnReason::Requested, time);
  }
  static void end(Shadow& shadow, OwnOrderState state, OwnReason reason, Nanoseconds time) noexcept {
    shadow.state = state;
    shadow.reason = reason;
    shadow.ended = time;
  }

  /// The youngest of its level.
  void rest(std::uint32_t i, std::uint64_t stamp) {
    const ShadowOrder& order = orders_[i];
    Levels& side = levels(order.book, order.side);
    auto level = level_at(side, order.side, order.price);
    if (level == side.end() || level->price != order.price) level = side.insert(level, {order.price, none, none});
    resting_[i].stamp = stamp;
    resting_[i].before = level->last;
    resting_[i].behind = none;
    (level->last == none ? level->first : resting_[level->last].behind) = i;
    level->last = i;
    ++books_[order.book].resting;
  }
  /// Its level stays, if need be empty.
  void unlink(Level& level, std::uint32_t i) {
    const Resting& one = resting_[i];
    (one.before == none ? level.first : resting_[one.before].behind) = one.behind;
    (one.behind == none ? level.last : resting_[one.behind].before) = one.before;
    drop_ledger(i);
    --books_[orders_[i].book].resting;
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
    if (shadow.filled == orders_[i].quantity) end(shadow, OwnOrderState::Filled, OwnReason::None, time);
  }
  [[nodiscard]] Quantity open(std::uint32_t i) const noexcept { return orders_[i].quantity - shadows_[i].filled; }

  /// Trades an order with the displayed ones that it crosses: at their prices if it took them, else at its own.
  void take(std::uint32_t i, const Moment& now, FillCause cause) {
    const ShadowOrder& order = orders_[i];
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
    worst_first(executions, book, side, executed_);
    if (executed_.empty()) return;
    for_levels(book, side, executed_.front().price, [&](const Level& level, std::uint32_t i) {
      Quantity left = open(i);
      bool is_touched = false;
      for (const Execution& one : executed_) {
        const bool through = !one.off_price && is_better(side, level.price, one.price);
        const bool behind = level.price == one.price && one.placed > resting_[i].stamp;
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
  void fill_at_print(BookNumber book, Side side, const EventEnd& end, const Moment& now) {
    for_levels(book, side, end.print->price, [&](const Level& level, std::uint32_t i) {
      worst_first(end.executions, book, side, executed_);  // whole for each
      AuctionLots(*end.print, side, executed_)
          .give(level.price, resting_[i].stamp, open(i), [&](Quantity lots, std::uint64_t record, OrderId other) {
            fill(i, end.print->price, lots, record, other, FillCause::Auction, now.time);
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
  /// Calls `visit` with the orders of the levels that are not worse than a price, of each level the oldest first
  /// while it returns true. Those that have been filled leave.
  template <class Visit>
  void for_levels(BookNumber book, Side side, Price worst, const Visit& visit) {
    Levels& all = levels(book, side);
    bool has_empty = false;
    for (Level& level : all) {
      if (is_better(side, worst, level.price)) break;
      for (std::uint32_t i = level.first; i != none;) {
        const std::uint32_t behind = resting_[i].behind;
        if (!visit(level, i)) break;
        if (shadows_[i].state == OwnOrderState::Filled) unlink(level, i);
        i = behind;
      }
      has_empty |= level.first == none;
    }
    if (has_empty) std::erase_if(all, [](const Level& level) { return level.first == none; });
  }

  // ---- Lots that an order which is still open has taken of displayed ones.

  [[nodiscard]] const Ledger& ledger_of(std::uint32_t i) const noexcept {
    return resting_[i].ledger == none ? nothing_ : ledgers_[resting_[i].ledger];
  }
  [[nodiscard]] Ledger& ledger_for(std::uint32_t i) {
    std::uint32_t& ledger = resting_[i].ledger;
    if (ledger == none) ledger = ledgers_.put({});
    return ledgers_[ledger];
  }
  void drop_ledger(std::uint32_t i) {
    if (resting_[i].ledger != none) static_cast<void>(ledgers_.take(std::exchange(resting_[i].ledger, none)));
  }

  const Replay& replay_;
  std::vector<ShadowOrder> orders_;
  std::vector<Shadow> shadows_;
  std::vector<Resting> resting_;  ///< by order
  std::vector<Book> books_;
  std::vector<Due> agenda_;  ///< sorted
  std::size_t next_ = 0;
  Slots<Ledger> ledgers_;
  Ledger nothing_;  ///< always empty
  // Kept for their memory.
  std::vector<Execution> executed_;
  std::vector<std::pair<OrderHandle, Quantity>> taken_;
};

}  // namespace detail

template <>
class Desk<detail::ShadowImpact> {
 public:
  explicit Desk(detail::Trader<detail::ShadowImpact>& trader) noexcept : trader_(trader) {}
  void place(std::vector<ShadowOrder>&& orders) { trader_.place(std::move(orders)); }

 private:
  detail::Trader<detail::ShadowImpact>& trader_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
