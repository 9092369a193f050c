// SPDX-License-Identifier: MIT
//
// Strategies in a replayed market. Events of the market go in, in their order; orders of the strategies meet them
// after their latencies, and their fills come out with what caused each.
//
// A strategy is any class. It has at least one of these members, and is called for those that it has, one call at
// a time. A member of such a name that cannot take its call does not compile, nor do some names that look like
// one:
//
//   void on_start(auto& desk);                          before the first event
//   void on_market(auto& desk, BookNumber book);        a subscribed book has changed: desk.view(book)
//   void on_trade(auto& desk, const MarketTrade&);      a subscribed book has traded
//   void on_answer(auto& desk, const Answer&);          the venue has answered a command
//   void on_fill(auto& desk, const OwnFill&);           an order has traded
//   void on_timer(auto& desk, std::uint64_t tag);
//
// A book is subscribed by `desk.subscribe(book)`, say in `on_start`; a strategy without one is told of no market
// and no trade, and `run(number).subscribed()` and its summary say so.
//
// At one time the market is first, and own orders come after it. Strategies of one run do not see each other: each
// gets what it would get alone. How the others in the market would have answered to us is not simulated.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/simulator/desk.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/simulator/strategy_check.hpp"
#include "llmes/simulator/tape_impact.hpp"
#include "llmes/simulator/trader.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `Impact` is what own orders do to the market: `TapeImpact` leaves it alone, `DisplaceImpact` matches again.
template <class Strategy, class Impact = TapeImpact>
class Simulator {
 public:
  using Trader = detail::Trader<Impact>;
  using DeskType = Desk<Impact>;

  /// Makes a simulator of a market without orders, or nothing, and `status` says why. The memory of the market is
  /// allocated here; that of the strategies is reserved, and grows only past `orders_max` fills.
  /// @param status InvalidBookCount, InvalidCapacity, InvalidQuantityMax (a tick or lot below 1), OutOfMemory, or
  /// Success.
  [[nodiscard]] static std::optional<Simulator> create(const SimulatorConfig& config,
                                                       std::vector<Strategy> strategies,
                                                       CreateStatus& status = NoStatus{}) {
    detail::check_strategy<Strategy, DeskType>();
    status = CreateStatus::InvalidQuantityMax;
    if (config.tick < 1 || config.lot < 1) return {};
    std::optional<MarketBooks> market = MarketBooks::create(config.market, status);
    if (!market) return {};
    Simulator simulator(config, std::move(*market), std::move(strategies));
    if (!simulator.placed_.allocated() || !detail::all_of(simulator.traders_, std::mem_fn(&Trader::is_ready))) {
      status = CreateStatus::OutOfMemory;
      return {};
    }
    return simulator;
  }

  /// Takes the next event of the market. What a strategy throws comes out before the event is applied: give it
  /// again, and nothing is lost. Refusals are counted: those of a `MarketStatus`. A refused one changes no
  /// order, but if it is the `last` one of its event, the event ends. One that is refused with TimeGoesBack,
  /// RecordOutOfOrder or AfterEnd does nothing at all.
  [[gnu::always_inline]] MarketStatus on_event(const MarketEvent& event) {
    detail::Replay& replay = *replay_;
    // One branch for all that is rare.
    if ((unsigned{event.time < replay.time} | unsigned{event.record < replay.record} |
         unsigned{due_ < event.time} | unsigned{!is_running_}) != 0) [[unlikely]] {
      if (const MarketStatus refused = prepare(event); refused != MarketStatus::Success) return count(refused);
    }
    replay.time = event.time;
    replay.record = event.record;
    ++replay.messages;
    in_event_ = !event.last;
    MarketStatus status{};
    if (!matters(event)) [[likely]] {
      NoDetails none;
      status = replay.market.apply(event, none);
    } else {
      status = apply(event);
    }
    if ((unsigned{event.last} & unsigned{has_touched_}) != 0) end_event(event);
    return status == MarketStatus::Success ? status : count(status);
  }
  /// The same for many events. Over many books it takes half of the time, as it prefetches memory for later ones.
  /// @return how many were refused.
  std::size_t on_events(std::span<const MarketEvent> events) {
    std::size_t refused = 0;
    replay_->market.for_each_ahead(
        events, [&](const MarketEvent& event)
                    __attribute__((always_inline)) { refused += on_event(event) != MarketStatus::Success; });
    return refused;
  }

  /// Ends the simulation: does what is due up to the time of the last event. Orders that rest stay so in the
  /// results. Afterwards everything is refused with AfterEnd.
  void finish() {
    if (replay_->has_ended) return;
    if (in_event_) end_event({.time = replay_->time, .record = replay_->record});
    in_event_ = false;
    run_before(detail::later(replay_->time, 1));
    replay_->has_ended = true;
    is_running_ = false;
    for (Trader& trader : traders_) trader.finish();
  }

  // ---- Results.

  [[nodiscard]] std::size_t size() const noexcept { return traders_.size(); }
  [[nodiscard]] Strategy& strategy(std::size_t number) noexcept { return strategies_[number]; }
  /// The orders, fills, equity, cash and positions of a strategy, as the venue knows them (see trader.hpp).
  [[nodiscard]] const Trader& run(std::size_t number) const noexcept { return traders_[number]; }
  /// A strategy's desk, for a program that gives orders itself, as of the last event. Get it anew after each one.
  [[nodiscard]] DeskType desk(std::size_t number) noexcept {
    due_ = 0;  // so that what it sends is looked at
    traders_[number].be_at(replay_->time);
    return DeskType(traders_[number]);
  }
  /// The replayed books: history, whatever own orders do.
  [[nodiscard]] const MarketBooks& market() const noexcept { return replay_->market; }
  /// How many events were answered so.
  [[nodiscard]] std::uint64_t count_of(MarketStatus status) const noexcept {
    return status == MarketStatus::Success ? replay_->messages - refused_
                                           : statuses_[static_cast<std::size_t>(status)];
  }

 private:
  using Hears = detail::Hears<Strategy, DeskType>;

  /// What matters of a book.
  struct Watch {
    bool has_own : 1;
    bool is_shown : 1;
    bool is_touched : 1;
    bool bids_entered : 1;
    bool asks_entered : 1;
    bool is_crossed : 1;  ///< or locked, as the latest event left it; kept while there are own orders

    [[nodiscard]] bool is_active() const noexcept { return has_own || is_shown; }
  };

  Simulator(const SimulatorConfig& config, MarketBooks&& market, std::vector<Strategy>&& strategies)
      : replay_(new detail::Replay{std::move(market), config, {}, 0, 0, 0, false}),
        strategies_(std::move(strategies)),
        placed_(replay_->market.set().slot_count()),
        watches_(replay_->market.book_count()) {
    replay_->phases.resize(replay_->market.book_count());
    hidden_.reserve(16);  // of one event
    traders_.reserve(strategies_.size());
    for (std::size_t i = 0; i < strategies_.size(); ++i) traders_.emplace_back(*replay_);
  }

  [[gnu::noinline, gnu::cold]] MarketStatus count(MarketStatus status) noexcept {
    ++statuses_[static_cast<std::size_t>(status)];
    refused_ += status < MarketStatus::TimeGoesBack;
    return status;
  }

  // ---- Time.

  void set_due() noexcept {
    due_ = std::numeric_limits<Nanoseconds>::max();
    for (const Trader& trader : traders_) due_ = std::min(due_, trader.due());
  }
  /// Begins if need be, does what is due before an event, and says whether the event may come.
  [[gnu::noinline]] MarketStatus prepare(const MarketEvent& event) {
    if (replay_->has_ended) return MarketStatus::AfterEnd;
    if (event.time < replay_->time) return MarketStatus::TimeGoesBack;
    if (event.record < replay_->record) return MarketStatus::RecordOutOfOrder;
    if (!in_event_) run_before(event.time);
    return MarketStatus::Success;
  }
  /// Does what is due before a time, and starts before the first event.
  [[gnu::noinline]] void run_before(Nanoseconds time) {
    due_ = 0;  // until all is done, as a strategy may throw
    while (started_ < traders_.size()) {
      const std::size_t i = started_++;
      traders_[i].start(time);
      DeskType desk(traders_[i]);
      if constexpr (Hears::on_start) strategies_[i].on_start(desk);
    }
    is_running_ = true;
    for (std::size_t i = 0; i < traders_.size(); ++i) {
      while (traders_[i].due() < time) {
        const BookNumber book = traders_[i].step(time, [&](const detail::Item& item) { tell(i, item); });
        if (book == every_book || !traders_[i].watches(book)) continue;
        watches_[book].has_own = true;
        watches_[book].is_crossed = replay_->is_crossed(book);
      }
      watch_shown(traders_[i]);
    }
    set_due();
  }
  void watch_shown(const Trader& trader) {
    for (const BookNumber book : trader.subscribed()) watches_[book].is_shown = true;
  }

  void tell(std::size_t number, const detail::Item& item) {
    using Kind = detail::Item::Kind;
    Strategy& strategy = strategies_[number];
    Trader& trader = traders_[number];
    DeskType desk(trader);
    if constexpr (Hears::on_answer) {
      if (item.kind == Kind::TellAnswer)
        strategy.on_answer(desk, Answer{item.order, item.answer, item.reason, item.venue_time});
    }
    if constexpr (Hears::on_fill) {
      if (item.kind == Kind::TellFill) {
        OwnFill fill = trader.fills()[item.place];
        fill.has_mid = fill.has_mid_later = false;  // the strategy sees the market through the feed alone
        fill.mid2 = fill.mid2_later = 0;
        strategy.on_fill(desk, fill);
      }
    }
    if constexpr (Hears::on_market) {
      if (item.kind == Kind::TellMarket) strategy.on_market(desk, item.book);
    }
    if constexpr (Hears::on_trade) {
      if (item.kind == Kind::TellTrade)
        strategy.on_trade(desk, MarketTrade{item.venue_time, item.tag, item.price, item.quantity, item.book,
                                            item.flag, item.side});
    }
    if constexpr (Hears::on_timer) {
      if (item.kind == Kind::TellTimer) strategy.on_timer(desk, item.tag);
    }
  }

  // ---- Events.

  /// Whether an event is of a book that matters, or of all. One test for the others.
  [[nodiscard, gnu::always_inline]] bool matters(const MarketEvent& event) const noexcept {
    return event.book >= watches_.size() || watches_[event.book].is_active() ||
           event.type == MarketEventType::Phase;
  }
  [[gnu::noinline]] MarketStatus apply(const MarketEvent& event) {
    if (is_about_orders(event.type)) return apply_to_order(event);
    OrderChange none;
    const MarketStatus status = replay_->market.apply(event, none);
    if (status != MarketStatus::Success) return status;
    const auto each_book = [&](const auto& visit) {
      if (event.book != every_book) return visit(event.book);
      for (BookNumber book = 0; book < watches_.size(); ++book) visit(book);
    };
    each_book([&](BookNumber book) {
      Watch& watch = watches_[book];
      if (event.type == MarketEventType::Phase) {
        replay_->phases[book] = event.phase;
        watch.bids_entered = watch.asks_entered = true;
        if (!watch.is_active()) watch.bids_entered = watch.asks_entered = false;
      }
      if (!watch.is_active()) return;
      touch(book);
      if (event.type == MarketEventType::Trade) {
        const detail::Print print{book, event.price, event.quantity, event.record};
        if (event.cross) auction_ = print;
        if (!event.cross) hidden_.push_back(print);
        for (Trader& trader : traders_) trader.show_trade(book, event, event.price, Side::Buy);
      }
      if (event.type == MarketEventType::Clear || event.type == MarketEventType::ClearSide) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          if (event.type == MarketEventType::ClearSide && side != event.side) continue;
          for (Trader& trader : traders_) {
            if (trader.watches(book)) trader.on_clear(book, side, event.time);
          }
        }
      }
    });
    return status;
  }
  [[nodiscard]] static constexpr bool is_about_orders(MarketEventType type) noexcept {
    return type <= MarketEventType::Fill;
  }

  MarketStatus apply_to_order(const MarketEvent& event) {
    BookNumber book = event.book;
    OrderHandle handle{};
    if (event.type != MarketEventType::Add) {  // where the order rests, whatever the event says
      handle = replay_->market.books().handle_of(event.id);
      book = replay_->market.set().book_of(handle).value_or(book);
    }
    if (book >= watches_.size() || !watches_[book].is_active()) {
      NoDetails none;
      return replay_->market.apply(event, none);
    }
    Watch& watch = watches_[book];
    detail::MarketChange message{event, {}, book, placed_, replay_->market.filled(event.id)};
    const MarketStatus status = replay_->market.apply(event, message.change);
    const bool has_traded = event.type == MarketEventType::Execute || event.type == MarketEventType::Fill;
    if (status == MarketStatus::UnknownOrder && event.type == MarketEventType::Fill) {
      message.change.before.side = event.side;  // the trade is one all the same
    } else if (status != MarketStatus::Success) [[unlikely]] {
      if (status == MarketStatus::UnknownOrder && event.priced) take_unknown_execution(event);
      return status;
    }
    const OrderChange& change = message.change;
    const auto sees = [&](Trader& trader) { return trader.sees(message.book, change); };
    if (watch.has_own || has_traded || detail::any_of(traders_, sees)) touch(message.book);
    if (has_traded && watch.is_shown && !event.unprinted) {
      const Price price = event.off_price ? event.price : change.before.price;
      for (Trader& trader : traders_) trader.show_trade(message.book, event, price, change.before.side);
    }
    if (!watch.has_own || status != MarketStatus::Success) return status;
    if (has_traded) {
      message.visit_executions(replay_->messages,
                               [&](const detail::Execution& one) { executions_.push_back(one); });
    }
    for (Trader& trader : traders_) {
      if (trader.watches(message.book)) trader.on_change(message);
    }
    if (change.rests() && !message.keeps_place()) {
      const auto may_have = [&](Trader& trader) { return trader.may_have(change.after, message.book); };
      if (detail::any_of(traders_, may_have))
        placed_[change.after.handle.index] = event.snapshot ? 0 : replay_->messages;
      if (change.after.side == Side::Buy) watch.bids_entered |= !event.snapshot;
      if (change.after.side == Side::Sell) watch.asks_entered |= !event.snapshot;
    }
    return status;
  }
  /// An order that rested before the tape began has traded. It was before all own orders of its price.
  [[gnu::noinline]] void take_unknown_execution(const MarketEvent& event) {
    const Watch& watch = watches_[event.book];
    touch(event.book);
    if (watch.is_shown && !event.unprinted) {
      for (Trader& trader : traders_) trader.show_trade(event.book, event, event.price, event.side);
    }
    if (!watch.has_own) return;
    executions_.push_back(
        {event.id, event.price, event.quantity, 0, event.record, event.book, event.side, event.off_price});
  }
  void touch(BookNumber book) {
    if (watches_[book].is_touched) return;
    watches_[book].is_touched = true;
    touched_.push_back(book);
    has_touched_ = true;
  }

  [[gnu::noinline]] void end_event(const MarketEvent& event) {
    for (const BookNumber book : touched_) {
      Watch& watch = watches_[book];
      const bool was_crossed = watch.is_crossed;
      watch.is_crossed = watch.has_own && replay_->is_crossed(book);
      const bool has_uncrossed = was_crossed && !watch.is_crossed;
      const detail::EventEnd end{executions_,
                                 {watch.bids_entered || has_uncrossed, watch.asks_entered || has_uncrossed},
                                 auction_ && auction_->book == book ? &*auction_ : nullptr,
                                 hidden_,
                                 &placed_,
                                 has_uncrossed};
      bool has_own = false;
      for (Trader& trader : traders_) {
        if (trader.watches(book)) {
          trader.decide(book, end);
          has_own |= trader.watches(book);
        } else if (!watch.is_shown) {
          continue;
        }
        if (watch.is_shown) trader.show(book, event);
        due_ = std::min(due_, trader.due());
      }
      watch.has_own = has_own;
      watch.is_touched = watch.bids_entered = watch.asks_entered = false;
    }
    touched_.clear();
    has_touched_ = false;
    executions_.clear();
    auction_.reset();
    hidden_.clear();
  }

  std::unique_ptr<detail::Replay> replay_;
  std::vector<Strategy> strategies_;
  std::vector<Trader> traders_;
  /// By slot: the number of the message by which an order came to its place, if its level had own orders then. An
  /// older number may stand there; it is older than every own order too, as the level had none then. Each access
  /// is a cache miss.
  ZeroedArray<std::uint64_t> placed_;
  std::vector<Watch> watches_;  ///< by book
  std::vector<BookNumber> touched_;
  std::vector<detail::Execution> executions_;
  std::optional<detail::Print> auction_;  ///< of the event
  std::vector<detail::Print> hidden_;     ///< of the event
  std::array<std::uint64_t, static_cast<std::size_t>(MarketStatus::AfterEnd) + 1> statuses_{};
  std::uint64_t refused_ = 0;
  std::size_t started_ = 0;  ///< strategies
  Nanoseconds due_ = std::numeric_limits<Nanoseconds>::max();
  bool in_event_ = false;
  bool is_running_ = false;  ///< between the first event and the end
  bool has_touched_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE
