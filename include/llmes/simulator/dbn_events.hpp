// SPDX-License-Identifier: MIT
//
// Market events from the market-by-order records of DBN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/dbn/records.hpp"
#include "llmes/market_data/event_fills.hpp"
#include "llmes/market_data/mbo_book.hpp"
#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Makes events of records, one at a time, by the rules of market_data/event_fills.hpp. Books have numbers in the
/// order in which records name their instruments; times are since 1970; a record's number counts the
/// market-by-order records of the file, from 0. The id of an event is `salted_id(book, id of the record)`.
///
///  - Adds, cancels, modifies and clears are what they say, and change the books as they change those of
///  `MboBook`.
///  - A fill of a resting order is a `Fill` at the price that it says; one of the aggressor makes nothing.
///  - A trade has the lots of its record, once: the fills behind it show them, and a `Trade` shows those that no
///  fill
///    explains. Lots of fills that no trade shows are `unprinted`.
///  - A trade and fills without a side are those of an auction. Both sides of it have fills, so these are
///    `unprinted`; its `Trade` is a `cross`.
///  - An event that ends in a record without an event of its own ends by `End`.
class DbnEvents : public detail::EventFeed {
 public:
  /// Makes an adapter, or nothing if there is too little memory.
  /// @param instruments the most that the file can have, at least 1; records of more make no event
  /// @param tick in billionths, at least 1; orders between two ticks are left out
  /// @param same_loses_place whether a modify to the same price and size sends an order to the back: CME does so
  [[nodiscard]] static std::optional<DbnEvents> create(std::size_t instruments, Price tick = 1,
                                                       bool same_loses_place = false) noexcept {
    std::optional<DbnEvents> feed{DbnEvents(instruments, tick, same_loses_place)};
    if (instruments == 0 || !feed->states_.allocated()) feed.reset();
    return feed;
  }

  /// Calls `take` with each event that a record makes: none, or up to three. Constant; allocates nothing.
  template <class Take>
  void apply(const dbn::Mbo& record, Take&& take) {
    ++counts_.records;
    const std::optional<BookNumber> book = states_.number_for({record.header.publisher, record.header.instrument});
    if (!book) {
      ++counts_.unreadable;
      return;
    }
    if (record.has(dbn::Flag::MaybeBadBook)) ++counts_.suspect;
    Sender<Take> sender{*this, take, states_[*book], std::nullopt};
    make(record, *book, sender);
    if (!record.has(dbn::Flag::Last)) return sender.flush(false);
    settle_trade(*book, sender);
    sender.end(*book);
    states_[*book] = {};
  }

  /// The instruments so far, by the numbers of their books.
  [[nodiscard]] std::size_t book_count() const noexcept { return states_.size(); }
  [[nodiscard]] MboInstrument instrument(BookNumber book) const noexcept {
    return book < states_.size() ? states_.name(book) : MboInstrument{};
  }
  /// How many fills were on the aggressor's side.
  [[nodiscard]] std::uint64_t aggressor_fills() const noexcept { return aggressor_fills_; }

 private:
  /// Where a book stands in its event.
  struct State {
    bool is_open = false;     ///< it has begun and not ended
    bool has_trade = false;   ///< the latest trade has a price on a tick
    bool is_auction = false;  ///< the latest trade is of an auction
    dbn::BidAsk aggressor = dbn::BidAsk::None;
    Quantity unexplained = 0;  ///< lots of the latest trade without a fill so far
    Price trade_price = 0;
  };

  /// Gives events, the last one of a record a step later, when it is known whether it ends the event.
  template <class Take>
  struct Sender {
    DbnEvents& feed;
    Take& take;
    State& state;
    std::optional<MarketEvent> next;

    void operator()(const MarketEvent& event) {
      flush(false);
      next = event;
      state.is_open = true;
    }
    void flush(bool last) {
      if (!next) return;
      next->last = last;
      feed.give(*next, take);
      next.reset();
    }
    void end(BookNumber book) {
      if (!next && state.is_open) (*this)(feed.event(MarketEventType::End, book, feed.now()));
      flush(true);
    }
  };

  DbnEvents(std::size_t instruments, Price tick, bool same_loses_place) noexcept
      : EventFeed(tick), states_(instruments), same_loses_place_(same_loses_place) {}

  template <class Take>
  void make(const dbn::Mbo& record, BookNumber book, Sender<Take>& sender) {
    const bool is_snapshot = record.has(dbn::Flag::Snapshot);
    const Nanoseconds said = record.header.event_time;
    // A snapshot tells when its orders came, which is earlier.
    const Nanoseconds time = said == dbn::undefined_time ? now() : is_snapshot ? std::max(now(), said) : said;
    MarketEvent event = this->event(MarketEventType::Add, book, time);
    if (record.receive_time != dbn::undefined_time) event.received = record.receive_time;
    event.id = salted_id(book, record.order_id);
    event.quantity = record.size.value();
    event.snapshot = is_snapshot && record.action == dbn::Action::Add;
    switch (record.action.value()) {
      case dbn::Action::Add: return add(event, record, sender);
      case dbn::Action::Cancel: event.type = MarketEventType::Reduce; return sender(event);
      case dbn::Action::Modify: return modify(event, record, sender);
      case dbn::Action::Clear: return sender(plain(event, MarketEventType::Clear));
      case dbn::Action::Trade: return trade(event, record, sender);
      case dbn::Action::Fill: return fill(event, record, sender);
      case dbn::Action::None: return;
    }
    ++counts_.unreadable;
  }

  /// Without what only events of orders have.
  [[nodiscard]] static MarketEvent plain(MarketEvent event, MarketEventType type) noexcept {
    event.type = type;
    event.id = 0;
    event.quantity = 0;
    event.snapshot = false;
    return event;
  }
  [[nodiscard]] static Side side_of(const dbn::Mbo& record) noexcept {
    return record.side == dbn::BidAsk::Ask ? Side::Sell : Side::Buy;
  }
  /// @return whether the record has a side
  [[nodiscard]] bool set_side(MarketEvent& event, const dbn::Mbo& record) noexcept {
    const bool has_side = record.side == dbn::BidAsk::Bid || record.side == dbn::BidAsk::Ask;
    if (!has_side) ++counts_.unreadable;
    event.side = side_of(record);
    return has_side;
  }

  template <class Take>
  void add(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    if (!set_side(event, record)) return;
    if (record.has(dbn::Flag::TopOfBook)) {
      const bool has_price = record.price != dbn::undefined_price;
      if (has_price && (event.quantity == 0 || !TickGrid::is_possible(record.price))) {
        ++counts_.unreadable;
        return;
      }
      sender(plain(event, MarketEventType::ClearSide));
      if (!has_price) return;
      event.id = salted_id(event.book, MboBook::top_of_book_id(event.side));
    }
    if (set_price(event, record.price)) sender(event);
  }

  template <class Take>
  void modify(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    event.type = MarketEventType::Modify;
    event.same_loses_place = same_loses_place_;
    event.says_side = true;
    if (!set_side(event, record)) return;
    if (!TickGrid::is_possible(record.price)) {
      ++counts_.off_tick;
      return;
    }
    set_new_price(event, record.price);
    sender(event);
  }

  template <class Take>
  void trade(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    settle_trade(event.book, sender);
    State& state = sender.state;
    state.aggressor = record.side;
    state.is_auction = false;
    state.unexplained = event.quantity;
    state.has_trade = set_price(event, record.price);
    state.trade_price = event.price;
  }

  template <class Take>
  void fill(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    State& state = sender.state;
    if (detail::is_of_aggressor(state.aggressor, record.side)) {
      ++aggressor_fills_;
      return;
    }
    event.type = MarketEventType::Fill;
    event.side = side_of(record);
    set_fill_price(event, record.price);
    const bool has_no_side = state.aggressor == dbn::BidAsk::None && record.side == dbn::BidAsk::None;
    state.is_auction |= has_no_side && state.unexplained != 0;
    const Quantity printed = state.is_auction ? 0 : std::min(state.unexplained, event.quantity);
    const Quantity unprinted = event.quantity - printed;
    state.unexplained -= printed;
    if (printed != 0) {
      event.quantity = printed;
      sender(event);
    }
    if (unprinted == 0) return;
    event.quantity = unprinted;
    event.unprinted = true;
    event.cross = state.is_auction;
    sender(event);
  }

  /// Tells of the lots of the latest trade that no fill explains.
  template <class Take>
  void settle_trade(BookNumber book, Sender<Take>& sender) {
    State& state = sender.state;
    const Quantity lots = std::exchange(state.unexplained, 0);
    if (lots == 0 || !state.has_trade) return;
    MarketEvent event = this->event(MarketEventType::Trade, book, now());
    event.quantity = lots;
    event.price = state.trade_price;
    event.cross = state.is_auction;
    sender(event);
  }

  MboInstruments<State> states_;
  std::uint64_t aggressor_fills_ = 0;
  bool same_loses_place_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
