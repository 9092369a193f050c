// SPDX-License-Identifier: MIT
//
// Market events from the market-by-order records of DBN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/dbn/records.hpp"
#include "llmes/market_data/mbo_book.hpp"
#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Makes events of records, one at a time. Books have numbers in the order in which records name their
/// instruments; times are since 1970; a record's number counts the market-by-order records of the file, from 0.
/// The id of an event is `salted_id(book, id of the record)`.
///
///  - A fill of a resting order is an `Execute` at the price that it says. The cancel that books the same lots in
///    its event makes nothing, nor does a fill on the aggressor's side: it is of an order that he has moved.
///  - A trade is a `Trade` of the lots that no fill of its event explains.
///  - A modify is a `Modify`; of an order just filled, such as an iceberg, one that is added at the back.
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

  /// Calls `take` with each event that a record makes: none, or up to three. Constant but for the fills of its
  /// event whose cancel is still to come, of which it remembers the last 1,024. It allocates only for these.
  template <class Take>
  void apply(const dbn::Mbo& record, Take&& take) {
    ++counts_.records;
    const std::optional<BookNumber> book = states_.number_for({record.header.publisher, record.header.instrument});
    if (!book) {
      ++counts_.unreadable;
      return;
    }
    if (record.has(dbn::Flag::MaybeBadBook)) ++counts_.suspect;
    Sender<Take> sender{*this, take, states_[*book], record.has(dbn::Flag::Last), std::nullopt};
    make(record, *book, sender);
    if (!sender.is_last) return sender.flush(false);
    forget_fills(*book);
    settle_trade(*book, sender);
    sender.end(*book);
    states_[*book].aggressor = dbn::BidAsk::None;
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
    bool is_open = false;  ///< it has begun and not ended
    dbn::BidAsk aggressor = dbn::BidAsk::None;
    Quantity unexplained = 0;  ///< lots of the latest trade without a fill so far
    Price trade_price = 0;
  };
  struct Fill {
    BookNumber book;
    OrderId id;
    Quantity lots;  ///< whose cancel is still to come
  };
  static constexpr std::size_t fills_max = 1'024;

  /// Gives events, the last one of a record a step later, when it is known whether it ends the event.
  template <class Take>
  struct Sender {
    DbnEvents& feed;
    Take& take;
    State& state;
    bool is_last;
    std::optional<MarketEvent> next;

    void operator()(const MarketEvent& event) {
      if (next) {
        next->last = false;
        feed.give(*next, take);
      }
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
      state.is_open = false;
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
    event.snapshot = is_snapshot;
    switch (record.action.value()) {
      case dbn::Action::Add: return add(event, record, sender);
      case dbn::Action::Cancel: return cancel(event, sender);
      case dbn::Action::Modify:
        static_cast<void>(take_fill(event, std::numeric_limits<Quantity>::max()));  // it says all that is left
        event.type = MarketEventType::Modify;
        event.same_loses_place = same_loses_place_;
        event.snapshot = false;
        if (!set_side(event, record)) return;
        set_new_price(event, record.price);
        return sender(event);
      case dbn::Action::Clear:
        event.type = MarketEventType::Clear;
        event.snapshot = false;
        return sender(plain(event));
      case dbn::Action::Trade: return trade(event, record, sender);
      case dbn::Action::Fill: return fill(event, record, sender);
      case dbn::Action::None: return;
    }
    ++counts_.unreadable;
  }

  /// Without what only events of orders have.
  [[nodiscard]] static MarketEvent plain(MarketEvent event) noexcept {
    event.id = 0;
    event.quantity = 0;
    return event;
  }
  /// @return whether the record has a side
  [[nodiscard]] bool set_side(MarketEvent& event, const dbn::Mbo& record) noexcept {
    const bool has_side = record.side == dbn::BidAsk::Bid || record.side == dbn::BidAsk::Ask;
    if (!has_side) ++counts_.unreadable;
    event.side = record.side == dbn::BidAsk::Ask ? Side::Sell : Side::Buy;
    return has_side;
  }
  template <class Take>
  void send_at_price(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    if (set_side(event, record) && set_price(event, record.price)) sender(event);
  }

  template <class Take>
  void add(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    if (record.has(dbn::Flag::TopOfBook)) {
      if (!set_side(event, record)) return;
      MarketEvent clear = plain(event);
      clear.type = MarketEventType::ClearSide;
      clear.snapshot = false;
      sender(clear);
      if (record.price == dbn::undefined_price) return;
      event.id = salted_id(event.book, MboBook::top_of_book_id(event.side));
    }
    send_at_price(event, record, sender);
  }

  template <class Take>
  void cancel(MarketEvent event, Sender<Take>& sender) {
    const Quantity filled = take_fill(event, event.quantity);
    if (filled != 0 && filled == event.quantity) return;
    event.type = MarketEventType::Reduce;
    event.quantity -= filled;
    event.snapshot = false;
    sender(event);
  }

  template <class Take>
  void fill(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    State& state = sender.state;
    if (record.side == state.aggressor && record.side != dbn::BidAsk::None) {
      ++aggressor_fills_;
      return;
    }
    state.unexplained -= std::min(state.unexplained, event.quantity);
    if (fills_.size() == fills_max) fills_.erase(fills_.begin());
    fills_.push_back({event.book, event.id, event.quantity});
    event.type = MarketEventType::Execute;
    event.snapshot = false;
    set_fill_price(event, record.price);
    sender(event);
  }

  template <class Take>
  void trade(MarketEvent event, const dbn::Mbo& record, Sender<Take>& sender) {
    settle_trade(event.book, sender);
    sender.state.aggressor = record.side;
    if (!set_price(event, record.price)) return;
    sender.state.unexplained = event.quantity;
    sender.state.trade_price = event.price;
  }
  /// Tells of the lots of the latest trade that no fill explains.
  template <class Take>
  void settle_trade(BookNumber book, Sender<Take>& sender) {
    State& state = sender.state;
    if (state.unexplained == 0) return;
    MarketEvent event = this->event(MarketEventType::Trade, book, now());
    event.quantity = std::exchange(state.unexplained, 0);
    event.price = state.trade_price;
    sender(event);
  }

  /// Takes lots of an order off what its fills still lack. @return how many, at most `most`
  [[nodiscard]] Quantity take_fill(const MarketEvent& event, Quantity most) noexcept {
    const auto found = std::find_if(fills_.begin(), fills_.end(), [&](const Fill& fill) {
      return fill.id == event.id && fill.book == event.book;
    });
    if (found == fills_.end()) return 0;
    const Quantity lots = std::min(most, found->lots);
    found->lots -= lots;
    if (found->lots == 0) fills_.erase(found);
    return lots;
  }
  void forget_fills(BookNumber book) noexcept {
    if (fills_.empty()) return;
    std::erase_if(fills_, [book](const Fill& fill) { return fill.book == book; });
  }

  MboInstruments<State> states_;
  std::vector<Fill> fills_;  ///< of events that have not ended
  std::uint64_t aggressor_fills_ = 0;
  bool same_loses_place_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
