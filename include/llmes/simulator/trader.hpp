// SPDX-License-Identifier: MIT
//
// One strategy's side of a simulation: its orders, what is on its way, what it owns, and what it has been told.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/agenda.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/replay.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a strategy would have if it closed all positions at the mid.
struct Equity {
  Nanoseconds time = 0;
  Amount value = 0;  ///< micro-units

  friend constexpr bool operator==(const Equity&, const Equity&) = default;
};

namespace detail {

template <class Impact>
class Trader {
 public:
  /// When fills are looked at once more, for adverse selection.
  static constexpr Nanoseconds mark_after = 1'000'000'000;

  explicit Trader(const Replay& replay)
      : replay_(replay),
        orders_(replay.config.orders_max, replay.config.steps_max),
        impact_(replay.market, replay.config),
        held_(replay.market.book_count()),
        known_(replay.market.book_count()),
        last_mids_(replay.market.book_count()) {
    fills_.reserve(replay.config.orders_max);
  }

  // ---- The calls of a strategy, through its desk.

  Sent add(BookNumber book, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
           std::uint64_t tag, bool at_any_price, Quantity peak = 0) {
    const SendStatus status = replay_.check(book, side, at_any_price ? 0 : price, quantity, time_in_force);
    if (status != SendStatus::Success) return {status};
    if (peak != 0 && (peak > quantity || (quantity - 1) / peak >= peaks_max || peak % replay_.config.lot != 0))
      return {SendStatus::InvalidQuantity};
    if (orders_.size() >= replay_.config.orders_max) return {SendStatus::TooManyOrders};
    OwnOrder& order = orders_.add();
    order.tag = tag;
    order.price = order.sent_price = price;
    order.quantity = order.open = order.sent_quantity = quantity;
    order.peak = peak;
    order.sent = now_;
    order.book = book;
    order.side = side;
    order.time_in_force = time_in_force;
    order.known_open = quantity;
    order.known_price = price;
    send({.kind = Item::Kind::Add, .order = order.id}, replay_.config.latencies.entry, entries_);
    return {SendStatus::Success, order.id};
  }
  SendStatus modify(OwnOrderId id, Price price, Quantity quantity) {
    if (replay_.has_ended) return SendStatus::AfterEnd;
    if (id >= orders_.size()) return SendStatus::UnknownOrder;
    const SendStatus status = replay_.check_numbers(price, quantity);
    if (status != SendStatus::Success) return status;
    send({.kind = Item::Kind::Modify, .order = id, .price = price, .quantity = quantity},
         replay_.config.latencies.modify, modifies_);
    return SendStatus::Success;
  }
  SendStatus cancel(OwnOrderId id) {
    if (replay_.has_ended) return SendStatus::AfterEnd;
    if (id >= orders_.size()) return SendStatus::UnknownOrder;
    send({.kind = Item::Kind::Cancel, .order = id}, replay_.config.latencies.cancel, cancels_);
    return SendStatus::Success;
  }
  SendStatus subscribe(BookNumber book, std::size_t levels) {
    if (replay_.has_ended) return SendStatus::AfterEnd;
    if (book >= replay_.market.book_count()) return SendStatus::UnknownBook;
    if (levels == 0 || levels > MarketView::levels_max) return SendStatus::InvalidQuantity;
    Subscription* found = subscription(book);
    if (found == nullptr) {
      const auto at = detail::lower_bound(subscriptions_, book, &Subscription::book);
      found = &*subscriptions_.insert(at, {book, levels, {}, {}});
      shown_.push_back(book);
    }
    found->levels = levels;
    found->sent = {};
    found->sent.update(*replay_.market.set().book(book), std::span(room_).first(levels), replay_.time);
    found->seen = found->sent;
    return SendStatus::Success;
  }
  void wake_at(Nanoseconds time, std::uint64_t tag) {
    agenda_.push({.time = std::max(time, now_), .kind = Item::Kind::TellTimer, .tag = tag});
  }

  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }
  [[nodiscard]] const MarketView& view(BookNumber book) const noexcept {
    static constexpr MarketView none{};
    const Subscription* const found = const_cast<Trader*>(this)->subscription(book);
    return found == nullptr ? none : found->seen;
  }
  [[nodiscard]] std::int64_t known_position(BookNumber book) const noexcept {
    return book < known_.size() ? known_[book] : 0;
  }
  [[nodiscard]] Amount known_cash() const noexcept { return known_cash_; }
  [[nodiscard]] KnownOrder known_order(OwnOrderId id) const noexcept {
    if (id >= orders_.size()) return {};
    const OwnOrder& order = orders_[id];
    return {id, order.tag, order.book, order.side, order.known_price, order.known_open, order.known_state};
  }
  /// The orders that, as the strategy knows, may still trade: `open()[i]` are their numbers.
  [[nodiscard]] std::span<const OwnOrderId> known_open() const noexcept { return known_open_; }

  // ---- What the simulator calls.

  [[nodiscard]] Nanoseconds due() const noexcept { return std::min({agenda_.due(), impact_.due(), mark_due()}); }
  [[nodiscard]] bool is_ready() const noexcept { return impact_.is_ready(); }
  [[nodiscard]] bool watches(BookNumber book) const noexcept { return impact_.watches(book); }
  [[nodiscard]] bool may_have(const RestingOrder& order, BookNumber book) noexcept {
    return impact_.watches(book) && impact_.may_have(book, order.side, order.price);
  }
  /// The books of which it wants to be told.
  [[nodiscard]] const std::vector<BookNumber>& subscribed() const noexcept { return shown_; }

  void be_at(Nanoseconds time) noexcept { now_ = std::max(now_, time); }
  void start(Nanoseconds time) {
    be_at(time);
    if (replay_.config.equity_every != 0) plan_equity(time, time);
  }
  /// Does the next thing that is due before an event at `end`. `tell(item)` calls the strategy.
  /// @return the book to which an own order has come, or `every_book`.
  template <class Tell>
  BookNumber step(Nanoseconds end, const Tell& tell) {
    const Nanoseconds first = due();
    if (mark_due() == first) {
      mark(fills_[marked_++]);
      return every_book;
    }
    if (impact_.due() == first) {
      impact_.run();
      return every_book;
    }
    const Item item = agenda_.pop();
    switch (item.kind) {
      case Item::Kind::Add: arrive(item); return orders_[item.order].book;
      case Item::Kind::Modify: arrive_modify(item); return orders_[item.order].book;
      case Item::Kind::Cancel: arrive_cancel(item); break;
      case Item::Kind::Equity:
        if (later(item.time, replay_.config.equity_every) >= end) note_equity(item.time);
        plan_equity(item.time, end);  // the last of the times before the event stands for all
        break;
      default:
        now_ = std::max(now_, item.time);
        learn(item);
        tell(item);
    }
    return every_book;
  }

  void on_change(const MarketChange& message) {
    impact_.on_change(message, orders_, replay_.moment(message.book, message.event.time));
  }
  void on_clear(BookNumber book, Side side, Nanoseconds time) {
    impact_.on_clear(book, side, orders_, replay_.moment(book, time));
  }
  void decide(BookNumber book, const EventEnd& end) {
    const Moment now = replay_.moment(book, replay_.time);
    impact_.decide(book, end, orders_, now, new_fills_);
    settle(now);
  }
  /// Whether a change of an order may change the levels of a subscribed book.
  [[nodiscard]] bool sees(BookNumber book, const OrderChange& change) noexcept {
    const Subscription* const one = subscription(book);
    const auto reaches = [&](const RestingOrder& order) {
      return one->sent.reaches(order.side, order.price, one->levels);
    };
    return one != nullptr &&
           ((change.rested() && reaches(change.before)) || (change.rests() && reaches(change.after)));
  }
  /// Sends the levels of a subscribed book on their way, if they have changed.
  void show(BookNumber book, const MarketEvent& event) {
    Subscription* const one = subscription(book);
    if (one == nullptr) return;
    if (!one->sent.update(*replay_.market.set().book(book), std::span(room_).first(one->levels), event.time))
      return;
    agenda_.push(
        {.time = heard_at(event), .kind = Item::Kind::TellMarket, .book = book, .place = views_.put(one->sent)});
  }
  void show_trade(BookNumber book, const MarketEvent& event, Price price, Side maker_side) {
    if (subscription(book) == nullptr) return;
    agenda_.push({.time = heard_at(event),
                  .kind = Item::Kind::TellTrade,
                  .side = maker_side,
                  .flag = event.type != MarketEventType::Trade,
                  .book = book,
                  .price = price,
                  .quantity = event.quantity,
                  .tag = event.record,
                  .venue_time = event.time});
  }
  void finish() { note_equity(replay_.time); }

  // ---- Results, as the venue knows them.

  [[nodiscard]] const OwnOrders& orders() const noexcept { return orders_; }
  [[nodiscard]] std::span<const OwnFill> fills() const noexcept { return fills_; }
  [[nodiscard]] std::span<const Equity> equity() const noexcept { return equity_; }
  [[nodiscard]] std::int64_t position(BookNumber book) const noexcept {
    return book < held_.size() ? held_[book] : 0;
  }
  [[nodiscard]] Amount cash() const noexcept { return cash_; }
  [[nodiscard]] Amount fees() const noexcept { return fees_; }
  [[nodiscard]] Divergence divergence() const { return impact_.divergence(); }
  [[nodiscard]] const Impact& impact() const noexcept { return impact_; }
  [[nodiscard]] QueuePosition place_of(OwnOrderId id) const noexcept { return impact_.place_of(orders_[id]); }

 private:
  struct Subscription {
    BookNumber book;
    std::size_t levels;
    MarketView sent;
    MarketView seen;
  };

  [[nodiscard]] Subscription* subscription(BookNumber book) noexcept {
    const auto at = detail::lower_bound(subscriptions_, book, &Subscription::book);
    return at != subscriptions_.end() && at->book == book ? &*at : nullptr;
  }

  // ---- Latencies of requests and answers.

  void send(Item item, const Delay& delay, std::uint64_t& number) {
    last_arrival_ = std::max(last_arrival_, later(now_, delay.of(number++)));
    item.time = last_arrival_;
    agenda_.push(item);
  }
  [[nodiscard]] Nanoseconds heard_at(const MarketEvent& event) {
    last_heard_ = std::max(last_heard_, later(event.time, replay_.config.latencies.feed.of(heard_++, &event)));
    return last_heard_;
  }
  void answer(Item item, Nanoseconds venue_time) {
    last_answer_ = std::max(last_answer_, later(venue_time, replay_.config.latencies.response.of(answers_++)));
    item.time = last_answer_;
    item.venue_time = venue_time;
    agenda_.push(item);
  }
  void answer(const OwnOrder& order, AnswerType type, OwnReason reason, Nanoseconds venue_time) {
    answer({.kind = Item::Kind::TellAnswer,
            .answer = type,
            .reason = reason,
            .order = order.id,
            .price = order.price,
            .quantity = order.open},
           venue_time);
  }

  // ---- Commands at the venue.

  void arrive(const Item& item) {
    OwnOrder& order = orders_[item.order];
    const Moment now = replay_.arrival(order.book, item.time);
    order.arrived = now.time;
    order.arrived_record = now.record;
    const OwnReason reason = impact_.enter(order, orders_, now, new_fills_);
    order.at_entry = order.ahead;
    const bool is_dropped = reason == OwnReason::Immediate || reason == OwnReason::SelfTrade;
    const bool refused = reason != OwnReason::None && !is_dropped;
    if (refused) {
      end(order, OwnOrderState::Rejected, reason, now);
      return answer(order, AnswerType::Rejected, reason, now.time);
    }
    order.state = OwnOrderState::Resting;
    answer({.kind = Item::Kind::TellAnswer,
            .answer = AnswerType::Accepted,
            .order = order.id,
            .price = order.price,
            .quantity = order.open + order.filled},
           now.time);
    settle(now);
    if (is_dropped) {
      end(order, OwnOrderState::Cancelled, reason, now);
      answer(order, AnswerType::Cancelled, reason, now.time);
    }
  }
  void arrive_modify(const Item& item) {
    OwnOrder& order = orders_[item.order];
    const Moment now = replay_.arrival(order.book, item.time);
    const OwnReason reason = order.state != OwnOrderState::Resting
                                 ? OwnReason::TooLate
                                 : impact_.change(order, item.price, item.quantity, orders_, now, new_fills_);
    const bool refused = reason != OwnReason::None;
    orders_.note({.time = now.time,
                  .record = now.record,
                  .price = item.price,
                  .quantity = item.quantity,
                  .ahead = refused ? QueuePosition{} : order.ahead,
                  .fills_before = fills_.size(),
                  .order = order.id,
                  .reason = reason});
    if (refused) return answer(order, AnswerType::ModifyRejected, reason, now.time);
    ++order.modified;
    order.quantity = order.open + order.filled;
    answer({.kind = Item::Kind::TellAnswer,
            .answer = AnswerType::Modified,
            .order = order.id,
            .price = item.price,
            .quantity = item.quantity},
           now.time);
    settle(now);
  }
  void arrive_cancel(const Item& item) {
    OwnOrder& order = orders_[item.order];
    const Moment now = replay_.moment(order.book, item.time);
    if (order.state != OwnOrderState::Resting)
      return answer(order, AnswerType::CancelRejected, OwnReason::TooLate, now.time);
    impact_.leave(order);
    end(order, OwnOrderState::Cancelled, OwnReason::Requested, now);
    answer(order, AnswerType::Cancelled, OwnReason::Requested, now.time);
  }
  static void end(OwnOrder& order, OwnOrderState state, OwnReason reason, const Moment& now) noexcept {
    order.state = state;
    order.reason = reason;
    order.ended = now.time;
    order.ended_record = now.record;
  }

  /// Books the new fills.
  void settle(const Moment& now) {
    for (const NewFill& fill : new_fills_) {
      OwnOrder& order = orders_[fill.order];
      OwnFill& booked = fills_.emplace_back();
      booked = {.price = fill.price,
                .quantity = fill.quantity,
                .time = now.time,
                .record = fill.record,
                .other = fill.other,
                .ahead = fill.ahead,
                .order = order.id,
                .side = order.side,
                .cause = fill.cause};
      const FeeSchedule& fees = replay_.config.fees;
      booked.fee = (booked.is_maker() ? fees.maker : fees.taker).of(fill.price, fill.quantity, !order.has_paid);
      order.has_paid = true;
      fees_ += booked.fee;
      trade(booked, held_[order.book], cash_);
      booked.has_mid = mid2(order.book, booked.mid2);
      last_mids_[order.book] = booked.has_mid ? Amount{booked.mid2} : 2 * Amount{booked.price};
      const auto place = static_cast<std::uint32_t>(fills_.size() - 1);
      answer({.kind = Item::Kind::TellFill, .order = order.id, .place = place}, now.time);
      if (detail::find(traded_, order.book) == traded_.end()) traded_.push_back(order.book);
      if (order.open == 0 && order.state == OwnOrderState::Resting) {
        end(order, OwnOrderState::Filled, OwnReason::None, now);
        order.ended_record = fill.record;
      }
    }
    new_fills_.clear();
    if constexpr (requires { impact_.take_prevented(); }) {
      for (const auto& [id, is_gone] : impact_.take_prevented()) {
        OwnOrder& order = orders_[id];
        if (is_gone) end(order, OwnOrderState::Cancelled, OwnReason::SelfTrade, now);
        answer(order, is_gone ? AnswerType::Cancelled : AnswerType::Modified, OwnReason::SelfTrade, now.time);
      }
    }
  }
  static void trade(const OwnFill& fill, std::int64_t& position, Amount& cash) noexcept {
    const Quantity lots = fill.side == Side::Buy ? fill.quantity : 0 - fill.quantity;
    position = static_cast<std::int64_t>(static_cast<Quantity>(position) + lots);
    cash -= fill.fee + (fill.side == Side::Buy ? 1 : -1) * Amount{fill.price} * fill.quantity * micro_units;
  }

  // ---- What the strategy learns.

  void learn(const Item& item) {
    switch (item.kind) {
      case Item::Kind::TellMarket: {
        const MarketView view = views_.take(item.place);
        if (Subscription* const one = subscription(item.book)) one->seen = view;
        break;
      }
      case Item::Kind::TellFill: {
        const OwnFill& fill = fills_[item.place];
        OwnOrder& order = orders_[item.order];
        order.known_open -= fill.quantity;
        if (order.known_open == 0) know(order, OwnOrderState::Filled);
        trade(fill, known_[order.book], known_cash_);
        break;
      }
      case Item::Kind::TellAnswer: {
        OwnOrder& order = orders_[item.order];
        if (item.answer == AnswerType::Accepted || item.answer == AnswerType::Modified) {
          order.known_open = item.quantity;
          order.known_price = item.price;
          know(order, OwnOrderState::Resting);
        } else if (item.answer == AnswerType::Cancelled) {
          order.known_open = 0;
          know(order, OwnOrderState::Cancelled);
        } else if (item.answer == AnswerType::Rejected) {
          order.known_open = 0;
          know(order, OwnOrderState::Rejected);
        }
        break;
      }
      default: break;
    }
  }
  void know(OwnOrder& order, OwnOrderState state) {
    const bool was_open = order.known_state == OwnOrderState::Resting;
    const bool is_open = state == OwnOrderState::Resting;
    order.known_state = state;
    if (!was_open && is_open) known_open_.push_back(order.id);
    if (was_open && !is_open) std::erase(known_open_, order.id);
  }

  // ---- Notes for the results.

  [[nodiscard]] bool mid2(BookNumber book, Price& sum) const noexcept {
    const Price bid = replay_.market.best_or(book, Side::Buy, no_price(Side::Buy));
    const Price ask = replay_.market.best_or(book, Side::Sell, no_price(Side::Sell));
    return bid != no_price(Side::Buy) && ask != no_price(Side::Sell) && !__builtin_add_overflow(bid, ask, &sum);
  }
  /// When the next fill is looked at once more; fills are in the order of time.
  [[nodiscard]] Nanoseconds mark_due() const noexcept {
    return marked_ < fills_.size() ? later(fills_[marked_].time, mark_after)
                                   : std::numeric_limits<Nanoseconds>::max();
  }
  void mark(OwnFill& fill) noexcept { fill.has_mid_later = mid2(orders_[fill.order].book, fill.mid2_later); }
  void plan_equity(Nanoseconds time, Nanoseconds end) {
    const Nanoseconds every = replay_.config.equity_every;
    const Nanoseconds more = end > time ? (end - 1 - time) / every * every : 0;
    agenda_.push({.time = later(time, std::max(more, every)), .kind = Item::Kind::Equity});
  }
  /// Without a mid a position counts at the one noted last or of the last fill, or at the price of that fill.
  void note_equity(Nanoseconds time) {
    Amount value = cash_;
    for (const BookNumber book : traded_) {
      Price sum = 0;
      if (mid2(book, sum)) last_mids_[book] = sum;
      value += Amount{held_[book]} * last_mids_[book] * (micro_units / 2);
    }
    equity_.push_back({time, value});
  }

  const Replay& replay_;
  OwnOrders orders_;
  Impact impact_;
  Agenda agenda_;
  Slots<MarketView> views_;
  std::array<DepthLevel, MarketView::levels_max> room_;  ///< for levels that are compared
  std::vector<Subscription> subscriptions_;              ///< sorted by book
  std::vector<BookNumber> shown_;
  std::vector<OwnFill> fills_;
  std::size_t marked_ = 0;  ///< how many fills have been looked at once more
  NewFills new_fills_;
  std::vector<std::int64_t> held_;   ///< by book
  std::vector<std::int64_t> known_;  ///< the same, as the strategy knows it
  std::vector<OwnOrderId> known_open_;
  std::vector<BookNumber> traded_;
  std::vector<Amount> last_mids_;  ///< twice, by book; the price of the last fill if there was none
  std::vector<Equity> equity_;
  Amount cash_ = 0;
  Amount known_cash_ = 0;
  Amount fees_ = 0;
  Nanoseconds now_ = 0;
  Nanoseconds last_arrival_ = 0;
  Nanoseconds last_heard_ = 0;
  Nanoseconds last_answer_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t modifies_ = 0;
  std::uint64_t cancels_ = 0;
  std::uint64_t heard_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
