// SPDX-License-Identifier: MIT
//
// Market events from the messages of ITCH 5.0.
#pragma once

#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Makes events of messages. A symbol's book is its locate less one; times are since midnight; records from 0.
///
///  - The executions of one symbol at one time are one event. So an execution comes when the next message does.
///  - Executions with a price are `off_price`, those of a cross `unprinted`; the cross is a last `Trade`.
///  - A halt or pause is the phase `Halted`, quotation only `Auction`; the end of system hours closes all books.
///  - Messages that change no book and tell of no trade make no event, nor do bytes that are no message.
class ItchEvents : public detail::EventFeed {
 public:
  /// @param tick in ten-thousandths of a dollar, at least 1; orders between two ticks are left out
  explicit ItchEvents(Price tick = 1) noexcept : EventFeed(tick) {}

  /// Calls `take` with each event that a message makes or completes: at most two. Constant.
  template <class Take>
  void apply(itch::MessageBytes message, Take&& take) {
    ++counts_.records;
    const Handler<Take> handler{*this, take};
    if (itch::decode(message, handler) != itch::DecodeStatus::Success) ++counts_.unreadable;
  }
  /// Gives the event that was held back last. Call it at the end of the messages.
  template <class Take>
  void finish(Take&& take) {
    release(take);
  }

 private:
  template <class Take>
  struct Handler {
    ItchEvents& feed;
    Take& take;

    void operator()(const itch::AddOrder& message) const { add(message); }
    void operator()(const itch::AddAttributedOrder& message) const { add(message); }
    void operator()(const itch::OrderDelete& message) const {
      send(of_order(MarketEventType::Cancel, message), message);
    }
    void operator()(const itch::OrderCancel& message) const {
      send(with_shares(MarketEventType::Reduce, message), message);
    }
    void operator()(const itch::OrderReplace& message) const {
      MarketEvent event = with_shares(MarketEventType::Replace, message);
      event.new_id = static_cast<OrderId>(message.new_reference.value());
      feed.set_new_price(event, static_cast<Price>(message.price.value()));
      send(event, message);
    }
    void operator()(const itch::OrderExecuted& message) const {
      send(with_shares(MarketEventType::Execute, message), message);
    }
    void operator()(const itch::OrderExecutedWithPrice& message) const {
      MarketEvent event = with_shares(MarketEventType::Execute, message);
      event.unprinted = message.printable == 'N';
      feed.set_fill_price(event, static_cast<Price>(message.price.value()));
      send(event, message);
    }
    void operator()(const itch::Trade& message) const { trade(message, message.shares); }
    void operator()(const itch::CrossTrade& message) const {
      if (message.shares.value() != 0) trade(message, message.shares, true);
    }
    void operator()(const itch::TradingAction& message) const {
      MarketEvent event = made(MarketEventType::Phase, message);
      switch (message.state.value()) {
        case itch::TradingState::Trading: event.phase = MarketPhase::Continuous; break;
        case itch::TradingState::QuotationOnly: event.phase = MarketPhase::Auction; break;
        case itch::TradingState::Halted:
        case itch::TradingState::Paused: event.phase = MarketPhase::Halted; break;
        default: ++feed.counts_.unreadable; return;
      }
      send(event, message);
    }
    void operator()(const itch::SystemEvent& message) const {
      if (message.event != itch::EventCode::EndOfSystemHours) return;
      MarketEvent event = made(MarketEventType::Phase, message);
      event.book = every_book;
      event.phase = MarketPhase::Closed;
      feed.group(event, take);
    }

   private:
    template <class M>
    [[nodiscard]] MarketEvent made(MarketEventType type, const M& message) const {
      const auto locate = static_cast<BookNumber>(message.header.locate.value());
      return feed.event(type, locate - 1, static_cast<Nanoseconds>(message.header.timestamp.value().count()));
    }
    template <class M>
    [[nodiscard]] MarketEvent of_order(MarketEventType type, const M& message) const {
      MarketEvent event = made(type, message);
      event.id = static_cast<OrderId>(message.reference.value());
      return event;
    }
    template <class M>
    [[nodiscard]] MarketEvent with_shares(MarketEventType type, const M& message) const {
      MarketEvent event = of_order(type, message);
      event.quantity = message.shares;
      return event;
    }
    template <class M>
    void add(const M& message) const {
      MarketEvent event = with_shares(MarketEventType::Add, message);
      if (message.side != itch::BuySell::Buy && message.side != itch::BuySell::Sell) {
        ++feed.counts_.unreadable;
        return;
      }
      event.side = message.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
      send_at_price(event, message);
    }
    template <class M>
    void trade(const M& message, Quantity shares, bool is_cross = false) const {
      MarketEvent event = made(MarketEventType::Trade, message);
      event.cross = is_cross;
      event.quantity = shares;
      send_at_price(event, message);
    }
    template <class M>
    void send_at_price(MarketEvent event, const M& message) const {
      if (feed.set_price(event, static_cast<Price>(message.price.value()))) send(event, message);
    }
    /// But not of a symbol without a locate.
    template <class M>
    void send(const MarketEvent& event, const M& message) const {
      if (message.header.locate == itch::Locate{0}) {
        ++feed.counts_.unreadable;
      } else {
        feed.group(event, take);
      }
    }
  };
};

}  // namespace llmes::inline LLMES_NAMESPACE
