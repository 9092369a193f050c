// SPDX-License-Identifier: MIT
//
// `DisplaceImpact`: own orders are in a book that matches. The takers of an event are rebuilt from its executions
// and matched again, so a fill of ours is one that somebody else lacks, and what we took is gone for later ones.
//
//  - A book follows history until an own order comes to it; then it is copied, and goes its own way.
//  - A taker is matched again only where an own order, or one that history no longer has, stands before the
//    last order it executed, or where one of these is gone. Else its executions are taken as they were. So without
//    fills of ours the books are history, whatever rule the venue matches by.
//  - A rebuilt taker wants the lots of its executions, at the worst of their prices. What it misses, it drops, but
//    for lots that an order did not show in history: these it gets behind all that rests here.
//  - Whom we kept from a fill keeps the lots that history took off it for `displaced_stay`, then withdraws them.
//  - Messages about an order that we took are without effect. Nobody answers to what we did in any other way.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/rules/venue_rules.hpp"
#include "llmes/simulator/deviations.hpp"
#include "llmes/simulator/displayed_lots.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_levels.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/own_sink.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `Set` holds the books: without rules, an own order that would meet one of the other side is rejected; with
/// rules, `SimulatorConfig::self_trade` says what happens, and own orders may be reserves.
template <class Set>
class BasicDisplaceImpact {
  using Books = IdBook<Set, HashedIds>;

  using Sink = detail::OwnSink<BasicDisplaceImpact>;
  friend Sink;

  [[nodiscard]] Sink sink(OwnOrders& orders, std::uint64_t record, FillCause cause) {
    return {*this, orders, record, cause};
  }

 public:
  static constexpr bool has_rules = std::same_as<Set, RuledBookSet>;

  BasicDisplaceImpact(const MarketBooks& market, const SimulatorConfig& config)
      : market_(market),
        stay_(config.displaced_stay),
        auctions_(config.auctions),
        self_trade_(config.self_trade),
        // Orders that history no longer has may stay, so there may be twice as many.
        books_(Books::create(
            {.max_books = market.book_count(), .capacity = 2 * config.market.capacity + config.orders_max}, {})),
        is_active_(market.book_count()),
        own_(market.book_count()) {
    if (!books_) return;
    while (books_->add_book()) {
    }
  }

  [[nodiscard]] bool is_ready() const noexcept { return books_.has_value(); }
  [[nodiscard]] bool watches(BookNumber book) const noexcept { return is_active_[book] != 0; }

  /// False if there is no own order at this level.
  [[nodiscard]] bool may_have(BookNumber book, Side side, Price price) noexcept {
    return own_.in(book).may_have(side, price);
  }

  // ---- The market.

  void on_change(const detail::MarketChange& message, OwnOrders& orders, const detail::Moment& now) {
    const MarketEvent& event = message.event;
    if (is_own(event.id) || is_own(event.new_id)) {  // no id of a market
      ++divergence_.ignored;
      return;
    }
    if (event.type == MarketEventType::Execute || event.type == MarketEventType::Fill) {
      message.visit_executions(now.messages, [&](const detail::Execution& one) { executed_.push_back(one); });
      return;
    }
    rematch(message.book, orders, now);
    const RestingOrder& before = message.change.before;
    const RestingOrder& after = message.change.after;
    const Quantity had = message.left();  // the fills of the event were taken before
    const auto ours = message.change.rested() ? books_->find(event.id) : std::nullopt;
    if (!message.change.rested()) {
      come(message.book, event.id, after.side, after.price, after.quantity, event, orders, now);
    } else if (had == 0 && message.change.rests() && !message.keeps_place()) {
      // The next part of an iceberg, and what we have kept of the part before.
      const Quantity kept = ours ? ours->quantity : 0;
      if (ours) static_cast<void>(books_->cancel_order(event.id));
      come(message.book, after.id, after.side, after.price, after.quantity + kept, event, orders, now);
    } else if (message.withdrawn() == 0) {
    } else if (!ours) {
      ++divergence_.ignored;  // we took it
    } else if (!message.change.rests()) {
      static_cast<void>(books_->cancel_order(event.id));
    } else if (message.keeps_place()) {
      static_cast<void>(books_->reduce_order(event.id, std::min(ours->quantity, message.withdrawn())));
    } else {
      // What we took of it stays gone.
      const Quantity lacks = had - std::min(had, ours->quantity);
      static_cast<void>(books_->cancel_order(event.id));
      if (after.quantity > lacks)
        come(message.book, after.id, after.side, after.price, after.quantity - lacks, event, orders, now);
    }
    compare(message.book, message.change.rested() ? before : after, now);
    if (message.change.rests() && message.change.rested()) compare(message.book, after, now);
    compare_touched(message.book, now);
  }
  void on_clear(BookNumber book, Side side, OwnOrders& orders, const detail::Moment& now) {
    rematch(book, orders, now);
    cleared_.clear();
    books_->book(book)->visit_orders(side, [&](const RestingOrder& order) {
      if (!is_own(order.id)) cleared_.push_back(order);
    });
    for (const RestingOrder& order : cleared_) {
      static_cast<void>(books_->cancel_order(order.id));
      compare(book, order, now);
    }
    // Those that we took are gone from history, too.
    cleared_.clear();
    for (const detail::Deviations::Entry& entry : deviations_.entries()) {
      if (entry.book == book && entry.side == side) cleared_.push_back({{}, entry.id, side, entry.price, 0});
    }
    for (const RestingOrder& order : cleared_) compare(book, order, now);
  }
  void decide(BookNumber book, const detail::EventEnd& end, OwnOrders& orders, const detail::Moment& now,
              detail::NewFills& fills) {
    if (end.auction != nullptr) print(book, end, orders, now);
    rematch(book, orders, now);
    if (now.phase == MarketPhase::Continuous && end.auction == nullptr) meet_hidden(book, end.hidden, orders);
    if (now.phase == MarketPhase::Continuous && end.entered[0] && end.entered[1]) uncross(book, orders, now);
    divergence_.lots_peak = std::max(divergence_.lots_peak, deviations_.lots_more() + deviations_.lots_fewer());
    hand_over(fills);
    if (!orders.keeps_steps()) return;
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const OwnOrderId id : own_.in(book).of(side)) note_place(orders[id], orders, now);
    }
  }
  [[nodiscard]] Nanoseconds due() const noexcept { return leavers_.due(); }
  /// Takes off the lots of the order that has stayed longest.
  void run() {
    const auto leaver = leavers_.pop();
    const detail::Deviations::Entry* const entry = deviations_.entry(leaver.id);
    if (entry == nullptr || entry->more <= 0 || detail::later(entry->since, stay_) != leaver.time) return;
    const detail::Deviations::Entry left = *entry;
    const Quantity lots = std::min(books_->find(left.id)->quantity, static_cast<Quantity>(left.more));
    static_cast<void>(books_->reduce_order(left.id, lots));
    compare(left.book, {{}, left.id, left.side, left.price, 0}, {.time = leaver.time});
  }

  // ---- Commands of the strategy.

  [[nodiscard]] OwnReason enter(OwnOrder& order, OwnOrders& orders, const detail::Moment& now,
                                detail::NewFills& fills) {
    if (const OwnReason refused = check(order, orders, now.phase); refused != OwnReason::None) return refused;
    activate(order.book);
    const OwnReason reason = send(order, orders, now);
    hand_over(fills);
    return reason;
  }
  void leave(OwnOrder& order) {
    static_cast<void>(books_->cancel_order(id_of(order)));
    own_.in(order.book).erase(order);
  }
  [[nodiscard]] OwnReason change(OwnOrder& order, Price price, Quantity quantity, OwnOrders& orders,
                                 const detail::Moment& now, detail::NewFills& fills) {
    if (price == order.price && quantity <= order.open) {
      if (quantity < order.open) static_cast<void>(books_->reduce_order(id_of(order), order.open - quantity));
      order.open = quantity;
      order.ahead = place_of(order);
      return OwnReason::None;
    }
    OwnOrder moved = order;
    moved.price = price;
    if (const OwnReason refused = check(moved, orders, now.phase); refused != OwnReason::None) return refused;
    const OwnOrder old = order;
    order.price = price;
    order.open = quantity;
    order.ahead = {};
    const Result result = with_terms(order, [&](const auto&... terms) {
      if (now.phase == MarketPhase::Auction) return books_->modify_resting_order(id_of(order), price, quantity);
      return books_->modify_order(id_of(order), price, quantity, order.time_in_force, terms...,
                                  sink(orders, now.record, FillCause::Took));
    });
    OwnReason reason = came_to(result, order, orders, now, &old);
    if (reason == OwnReason::SelfTrade) {
      prevented_.push_back({order.id, true});
      reason = OwnReason::None;
    }
    if (result.status != Status::Success) order = old;
    hand_over(fills);
    return reason;
  }

  /// What of the market is ahead of a resting order now. Linear in the orders ahead.
  [[nodiscard]] QueuePosition place_of(const OwnOrder& order) const noexcept {
    QueuePosition place;
    books_->book(order.book)->visit_level(order.side, order.price, [&](const RestingOrder& one) {
      if (one.id == id_of(order)) return false;
      if (!is_own(one.id)) {
        place.quantity += one.quantity;
        ++place.order_count;
      }
      return true;
    });
    return place;
  }
  /// Own orders that have met others since the last call, and whether they are gone.
  struct Prevented {
    OwnOrderId order;
    bool is_gone;
  };
  [[nodiscard]] std::vector<Prevented> take_prevented() { return std::exchange(prevented_, {}); }
  [[nodiscard]] Divergence divergence() const {
    Divergence divergence = divergence_;
    divergence.lots_more = deviations_.lots_more();
    divergence.lots_fewer = deviations_.lots_fewer();
    divergence.levels = deviations_.levels();
    return divergence;
  }
  /// The books with own orders, whose ids are `first_own_id` and more; one that never had any is empty.
  [[nodiscard]] const Books& books() const noexcept { return *books_; }
  static constexpr OrderId first_own_id = ~OrderId{0} << 32;

 private:
  [[nodiscard]] static constexpr bool is_own(OrderId id) noexcept { return id >= first_own_id; }
  [[nodiscard]] static constexpr OrderId id_of(const OwnOrder& order) noexcept { return first_own_id + order.id; }
  static constexpr OrderId taker_id = ~OrderId{0};

  /// Copies a book of history, when its first own order comes.
  void activate(BookNumber book) {
    if (is_active_[book] != 0) return;
    is_active_[book] = 1;
    for (const Side side : {Side::Buy, Side::Sell}) {
      market_.set().book(book)->visit_orders(side, [&](const RestingOrder& order) {
        if (is_own(order.id)) return;
        static_cast<void>(books_->add_resting_order(book, order.id, side, order.price, order.quantity));
      });
    }
  }

  [[nodiscard]] OwnReason check(const OwnOrder& order, const OwnOrders& orders, MarketPhase phase) {
    if (has_rules && phase == MarketPhase::Continuous) return OwnReason::None;
    return own_.check(order, orders, phase);
  }
  static constexpr Owner ourselves = 1;
  /// Calls `call` with the terms of an own order, if the books have some.
  template <class Call>
  [[nodiscard]] Result with_terms(const OwnOrder& order, const Call& call) const {
    if constexpr (has_rules) {
      return call(OrderTerms{.owner = ourselves,
                             .self_trade = self_trade_,
                             .display = order.peak == 0 ? Display::Whole : Display::Reserve,
                             .peak = order.peak});
    } else {
      return call();
    }
  }

  /// Sends an own order into its book. @return why it does not rest, if so.
  [[nodiscard]] OwnReason send(OwnOrder& order, OwnOrders& orders, const detail::Moment& now) {
    const Result result = with_terms(order, [&](const auto&... terms) {
      if (now.phase == MarketPhase::Auction)
        return books_->add_resting_order(order.book, id_of(order), order.side, order.price, order.open, terms...);
      return books_->add_limit_order(order.book, id_of(order), order.side, order.price, order.open,
                                     order.time_in_force, terms..., sink(orders, now.record, FillCause::Took));
    });
    return came_to(result, order, orders, now, nullptr);
  }
  /// What became of an own order, which stood as `old` before.
  [[nodiscard]] OwnReason came_to(const Result& result, OwnOrder& order, OwnOrders& orders,
                                  const detail::Moment& now, const OwnOrder* old) {
    compare_touched(order.book, now);
    switch (result.status) {
      case Status::Success: break;
      case Status::WouldCross: return OwnReason::WouldCross;
      case Status::NotFillable: return OwnReason::NotFillable;
      default: return OwnReason::NoRoom;
    }
    if (old != nullptr) own_.in(order.book).erase(*old);
    const bool is_prevented = std::exchange(is_prevented_, false);
    if (!result.rests()) {
      if (is_prevented) return OwnReason::SelfTrade;
      return order.open != 0 ? OwnReason::Immediate : OwnReason::None;
    }
    own_.in(order.book).insert(orders, order);
    order.stamp = now.messages;
    order.ahead = place_of(order);
    return OwnReason::None;
  }
  void hand_over(detail::NewFills& fills) {
    fills.insert(fills.end(), fills_.begin(), fills_.end());
    fills_.clear();
  }

  /// An order of the market comes: it trades with whom it meets here, unless history is crossed as well.
  void come(BookNumber book, OrderId id, Side side, Price price, Quantity quantity, const MarketEvent& event,
            OwnOrders& orders, const detail::Moment& now) {
    const Side other = opposite(side);
    const Price best = market_.best_or(book, side, detail::no_price(side));
    const Price facing = market_.best_or(book, other, detail::no_price(other));
    const bool is_crossed =
        best != detail::no_price(side) && facing != detail::no_price(other) && detail::crosses(side, best, facing);
    if (now.phase != MarketPhase::Continuous || event.snapshot || is_crossed) {
      static_cast<void>(books_->add_resting_order(book, id, side, price, quantity));
    } else {
      static_cast<void>(books_->add_limit_order(book, id, side, price, quantity, TimeInForce::GoodTillCancel,
                                                sink(orders, event.record, FillCause::Crossed)));
    }
  }

  /// Takes the executions of a book since the last other message of it.
  void rematch(BookNumber book, OwnOrders& orders, const detail::Moment& now) {
    if (executed_.empty()) return;
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (now.phase == MarketPhase::Continuous && must_match(book, side)) {
        match_again(book, side, orders, now);
      } else {
        for (const detail::Execution& one : executed_) {
          if (one.book == book && one.side == side) take_as_it_was(one, now);
        }
      }
    }
    std::erase_if(executed_, [book](const detail::Execution& one) { return one.book == book; });
  }
  /// Takes the executions of an auction as they were, and gives own orders what they get.
  void print(BookNumber book, const detail::EventEnd& end, OwnOrders& orders, const detail::Moment& now) {
    const detail::Print& print = *end.auction;
    for (const detail::Execution& one : executed_) {
      if (one.book == book) take_as_it_was(one, now);
    }
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (auctions_ == AuctionFills::None) break;
      detail::worst_first(end.executions, book, side, sorted_);
      detail::AuctionLots lots(print, side, sorted_);
      waiting_ = own_.in(book).of(side);
      for (const OwnOrderId id : waiting_) {
        OwnOrder& order = orders[id];
        if (!lots.reaches(order.price)) break;
        lots.give(order.price, order.stamp, order.open, [&](Quantity got, std::uint64_t record, OrderId other) {
          make(order, print.price, got, record, other, FillCause::Auction);
        });
      }
    }
    std::erase_if(executed_, [book](const detail::Execution& one) { return one.book == book; });
  }
  /// Own orders trade before a hidden one, if they are the first of their side.
  void meet_hidden(BookNumber book, std::span<const detail::Print> prints, OwnOrders& orders) {
    for (const detail::Print& print : prints) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        OwnOrder* first = nullptr;
        const auto find = [&] {
          first = nullptr;
          books_->book(book)->visit_orders(side, [&](const RestingOrder& order) {
            if (is_own(order.id)) first = &orders[static_cast<OwnOrderId>(order.id - first_own_id)];
            return false;
          });
          return first != nullptr && !detail::is_better(side, print.price, first->price);
        };
        for (Quantity left = print.book == book ? print.quantity : 0; left != 0 && find();) {
          const Quantity lots = std::min(first->open, left);
          left -= lots;
          make(*first, first->price, lots, print.record, 0, detail::hidden_cause(side, first->price, print));
        }
      }
    }
  }
  /// A resting own order trades beside the book.
  void make(OwnOrder& order, Price price, Quantity lots, std::uint64_t record, OrderId other, FillCause cause) {
    fills_.push_back({order.id, price, lots, record, other, cause, {}});
    static_cast<void>(books_->reduce_order(id_of(order), lots));
    order.open -= lots;
    order.filled += lots;
    if (order.open == 0) own_.in(order.book).erase(order);
  }
  /// Whether no taker can be rebuilt from it: it paid another price, or an auction made it.
  [[nodiscard]] static bool is_as_it_was(const detail::Execution& one) noexcept {
    return one.off_price || one.unprinted;
  }
  void take_as_it_was(const detail::Execution& one, const detail::Moment& now) {
    if (one.of_reserve) return;  // nobody sees it
    const auto order = books_->find(one.id);
    if (order) static_cast<void>(books_->reduce_order(one.id, std::min(order->quantity, one.lots)));
    if (!order || order->quantity < one.lots) divergence_.unfilled += one.lots - (order ? order->quantity : 0);
    compare(one.book, {{}, one.id, one.side, one.price, 0}, now);
  }
  /// Whether somebody stands before the last executed order whom history does not have there, or one is gone.
  [[nodiscard]] bool must_match(BookNumber book, Side side) const {
    std::size_t count = 0;
    std::optional<Price> reserve;  // behind all at this price
    for (const detail::Execution& one : executed_) {
      if (one.book != book || one.side != side || is_as_it_was(one)) continue;
      if (one.of_reserve) {
        if (!reserve || detail::is_better(side, *reserve, one.price)) reserve = one.price;
        continue;
      }
      const auto order = books_->find(one.id);
      if (!order || order->quantity < one.lots) return true;
      ++count;
    }
    bool is_disturbed = false;
    if (count == 0 && !reserve) return false;
    books_->book(book)->visit_orders(side, [&](const RestingOrder& order) {
      if (count == 0 && detail::is_better(side, *reserve, order.price)) return false;
      is_disturbed = is_own(order.id) || deviations_.more(order.id) > 0;
      if (is_disturbed) return false;
      count -= static_cast<std::size_t>(detail::count_if(executed_, [&](const detail::Execution& one) {
        return one.id == order.id && !is_as_it_was(one) && !one.of_reserve;
      }));
      return count != 0 || reserve.has_value();
    });
    return is_disturbed;
  }
  void match_again(BookNumber book, Side side, OwnOrders& orders, const detail::Moment& now) {
    Quantity lots = 0;
    Quantity of_reserve = 0;
    std::optional<Price> worst;
    std::uint64_t record = 0;
    for (const detail::Execution& one : executed_) {
      if (one.book != book || one.side != side) continue;
      if (is_as_it_was(one)) {
        take_as_it_was(one, now);
        continue;
      }
      lots += one.lots;
      of_reserve += one.of_reserve ? one.lots : 0;
      record = one.record;
      if (!worst || detail::is_better(side, *worst, one.price)) worst = one.price;
      touched_.push_back({{}, one.id, side, one.price, 0});
    }
    const Result result =
        books_->add_limit_order(book, taker_id, opposite(side), *worst, lots, TimeInForce::ImmediateOrCancel,
                                sink(orders, record, FillCause::Rematched));
    divergence_.unfilled += detail::left_of(result.cancelled, of_reserve);
    compare_touched(book, now);
  }
  /// When matching begins, own orders that came before trade with whom they cross.
  void uncross(BookNumber book, OwnOrders& orders, const detail::Moment& now) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      Price facing = 0;
      if (!detail::faces_arrivals(market_, book, side, facing)) continue;
      waiting_ = own_.in(book).of(side);
      for (const OwnOrderId id : waiting_) {
        OwnOrder& order = orders[id];
        if (!detail::crosses(side, order.price, facing)) break;
        leave(order);
        static_cast<void>(with_terms(order, [&](const auto&... terms) {
          return books_->add_limit_order(book, id_of(order), side, order.price, order.open,
                                         TimeInForce::GoodTillCancel, terms...,
                                         sink(orders, now.record, FillCause::Crossed));
        }));
        compare_touched(book, now);
        if (order.open != 0) own_.in(book).insert(orders, order);
      }
    }
  }

  /// Notes by how many lots an order of the market now differs from history.
  void compare(BookNumber book, const RestingOrder& order, const detail::Moment& now) {
    const auto here = books_->find(order.id);
    const auto history = market_.books().find(order.id);
    const std::int64_t more = static_cast<std::int64_t>(here ? here->quantity : 0) -
                              static_cast<std::int64_t>(history ? history->quantity : 0);
    if (deviations_.set({order.id, book, order.side, order.price, now.time, more}))
      leavers_.push({detail::later(now.time, stay_), order.id});
  }
  void compare_touched(BookNumber book, const detail::Moment& now) {
    for (const RestingOrder& order : touched_) compare(book, order, now);
    touched_.clear();
  }
  void note_place(OwnOrder& order, OwnOrders& orders, const detail::Moment& now) {
    const QueuePosition place = place_of(order);
    if (place == order.ahead) return;
    order.ahead = place;
    orders.note(order, now.time, now.record);
  }

  const MarketBooks& market_;
  Nanoseconds stay_;
  AuctionFills auctions_;
  SelfTrade self_trade_;
  std::optional<Books> books_;
  std::vector<std::uint8_t> is_active_;  ///< by book
  detail::OwnBooks own_;
  detail::Deviations deviations_;
  detail::Leavers leavers_;
  Divergence divergence_;
  std::vector<detail::Execution> executed_;
  detail::NewFills fills_;
  std::vector<RestingOrder> touched_;
  // Kept for their memory.
  std::vector<RestingOrder> cleared_;
  std::vector<OwnOrderId> waiting_;
  std::vector<detail::Execution> sorted_;
  std::vector<Prevented> prevented_;
  bool is_prevented_ = false;  ///< the order that comes has met an own one and lost lots, and traded none since
};

using DisplaceImpact = BasicDisplaceImpact<BookSet>;
/// The same with the rules of a venue for own orders.
using VenueImpact = BasicDisplaceImpact<RuledBookSet>;

}  // namespace llmes::inline LLMES_NAMESPACE
