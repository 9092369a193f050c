// SPDX-License-Identifier: MIT
//
// A backtest over ITCH 5.0 messages. The book of a symbol is rebuilt from the feed, and the orders of a strategy
// rest in it at their true place: behind all that came before, ahead of all that comes later. When the feed
// executes an order that stands behind one of ours, ours would have been executed first, so it is filled. The same
// holds for an order that arrives and crosses ours. Messages that the book would refuse fill nothing.
//
// Our orders enter the book as messages of our own, with references that no venue uses. The strategy is the
// simplest that makes a market: it joins the best price that others have on either side, and follows it. It
// withdraws while the symbol is halted, and where there is no market.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <ostream>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"

namespace backtest {

namespace itch = llmes::itch;
using llmes::FeedBook;
using llmes::OrderId;
using llmes::Price;
using llmes::Quantity;
using llmes::QueuePosition;
using llmes::RestingOrder;
using llmes::Side;

class Backtest {
 public:
  static constexpr std::int64_t lots = 100;          ///< shares of a quote
  static constexpr std::int64_t position_max = 500;  ///< shares, long or short

  /// Prints each fill to `out`. The feed must not have begun.
  Backtest(FeedBook& feed, itch::Symbol symbol, std::ostream& out) : feed_(feed), symbol_(symbol), out_(out) {
    out_ << std::fixed << std::setprecision(4);
  }

  /// Lets the feed go on by one message.
  void operator()(itch::MessageBytes message) {
    itch::decode(message, Before{*this});
    feed_.apply(message);
    itch::decode(message, After{*this});
  }

  void print_summary() const {
    const std::int64_t value = cash_ + position_ * mid_;
    out_ << quotes_ << " quotes, " << fills_ << " fills, position " << position_ << ", earned " << dollars(value)
         << " dollars\n";
  }

 private:
  /// Our order on one side. It rests as long as the feed book has its reference.
  struct Quote {
    itch::Reference reference{std::uint64_t{1} << 63};
    itch::Price4 price{};
  };

  /// What a message of our symbol means to our orders before it is applied.
  struct Before {
    Backtest& test;

    void operator()(const itch::OrderExecuted& message) const { executed(message); }
    void operator()(const itch::OrderExecutedWithPrice& message) const { executed(message); }
    void operator()(const itch::AddOrder& message) const { added(message); }
    void operator()(const itch::AddAttributedOrder& message) const { added(message); }
    void operator()(const itch::OrderReplace& message) const {
      if (!begin(message) || !is_new(message.new_reference)) return;
      const std::optional<RestingOrder> old = test.feed_.find(message.reference);
      if (old) test.fill_crossed(old->side, message.price, message.shares);
    }

   private:
    /// Whether the message may trade with our orders. Its time is that of the fills.
    template <class Message>
    [[nodiscard]] bool begin(const Message& message) const {
      if (message.header.locate != test.locate_) return false;
      test.now_ = message.header.timestamp;
      return test.trades();
    }
    [[nodiscard]] bool is_new(itch::Reference reference) const { return !test.feed_.find(reference); }
    template <class Message>
    void executed(const Message& message) const {
      if (begin(message)) test.fill_before(message.reference, message.shares);
    }
    template <class Message>
    void added(const Message& message) const {
      if (!begin(message) || !is_new(message.reference)) return;
      if (message.side == itch::BuySell::Buy) test.fill_crossed(Side::Buy, message.price, message.shares);
      if (message.side == itch::BuySell::Sell) test.fill_crossed(Side::Sell, message.price, message.shares);
    }
  };

  /// What the strategy does when a message has been applied.
  struct After {
    Backtest& test;

    void operator()(const itch::StockDirectory& message) const {
      if (message.symbol == test.symbol_) test.locate_ = message.header.locate;
    }
    void operator()(const itch::SystemEvent& message) const {
      if (message.event == itch::EventCode::StartOfMarketHours) test.is_open_ = true;
      if (message.event == itch::EventCode::EndOfMarketHours) test.is_open_ = false;
      if (!test.trades()) test.withdraw();
    }
    void operator()(const itch::TradingAction& message) const {
      if (message.header.locate != test.locate_) return;
      test.is_halted_ = message.state != itch::TradingState::Trading;
      if (!test.trades()) test.withdraw();
    }
    template <class Message>
    void operator()(const Message& message) const {
      if (test.trades() && message.header.locate == test.locate_) test.follow_the_market();
    }
  };

  [[nodiscard]] static double dollars(std::int64_t ten_thousandths) {
    return static_cast<double>(ten_thousandths) / 10'000;
  }
  [[nodiscard]] bool trades() const { return is_open_ && !is_halted_; }
  [[nodiscard]] Quote& quote(Side side) { return quotes_by_side_[static_cast<std::size_t>(side)]; }

  /// The feed executes an order: ours of the same side that stand before it come first.
  void fill_before(itch::Reference reference, std::uint32_t shares) {
    const std::optional<RestingOrder> executed = feed_.find(reference);
    if (!executed || shares > executed->quantity) return;
    Quote& ours = quote(executed->side);
    const std::optional<QueuePosition> before_us = feed_.queue_ahead(ours.reference);
    if (!before_us) return;
    const auto price = static_cast<Price>(ours.price);
    const bool is_better = executed->side == Side::Buy ? price > executed->price : price < executed->price;
    const bool is_older =
        price == executed->price && before_us->order_count < feed_.queue_ahead(reference)->order_count;
    if (is_better || is_older) fill(executed->side, shares);
  }

  /// An order arrives that would have traded with ours, had ours been there.
  void fill_crossed(Side taker, itch::Price4 price, std::uint32_t shares) {
    const itch::Price4 ours = quote(opposite(taker)).price;
    if (taker == Side::Sell ? price <= ours : price >= ours) fill(opposite(taker), shares);
  }

  void fill(Side side, std::uint32_t shares) {
    const Quote& ours = quote(side);
    const std::optional<RestingOrder> order = feed_.find(ours.reference);
    if (!order || shares == 0) return;
    const auto filled = static_cast<std::uint32_t>(std::min<Quantity>(shares, order->quantity));
    feed_.apply(itch::bytes_of(
        itch::OrderExecuted{.header = {.locate = locate_}, .reference = ours.reference, .shares = filled}));
    const std::int64_t bought = side == Side::Buy ? filled : -std::int64_t{filled};
    position_ += bought;
    cash_ -= bought * order->price;
    ++fills_;
    out_ << std::setw(10) << now_.count() / 1'000'000'000 << " s: " << (side == Side::Buy ? "bought " : "sold ")
         << filled << " at " << dollars(order->price) << ", position " << position_ << '\n';
  }

  /// Joins the best price that others have on each side.
  void follow_the_market() {
    const std::optional<itch::Price4> bid = best_of_others(Side::Buy);
    const std::optional<itch::Price4> ask = best_of_others(Side::Sell);
    if (!bid || !ask || *bid >= *ask) return withdraw();
    mid_ = (static_cast<std::int64_t>(*bid) + static_cast<std::int64_t>(*ask)) / 2;
    rest(Side::Buy, *bid, position_max - position_);
    rest(Side::Sell, *ask, position_max + position_);
  }
  /// Ours would follow ourselves.
  [[nodiscard]] std::optional<itch::Price4> best_of_others(Side side) {
    std::optional<itch::Price4> best;
    const auto ours = static_cast<OrderId>(quote(side).reference);
    feed_.visit_orders(locate_, side, [&](const RestingOrder& order) {
      if (order.id != ours) best = itch::Price4(order.price);
      return order.id == ours;
    });
    return best;
  }

  /// Has our order of a side at a price and nowhere else, or none if the position has no room for it.
  void rest(Side side, itch::Price4 price, std::int64_t room) {
    Quote& ours = quote(side);
    const bool rests = feed_.find(ours.reference).has_value();
    if (rests && ours.price == price) return;
    if (rests) remove(side);
    if (room == 0) return;
    ours = {itch::Reference{++last_reference_}, price};
    feed_.apply(itch::bytes_of(itch::AddOrder{.header = {.locate = locate_},
                                              .reference = ours.reference,
                                              .side = side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell,
                                              .shares = static_cast<std::uint32_t>(std::min(room, lots)),
                                              .price = price}));
    ++quotes_;
  }
  void remove(Side side) {
    feed_.apply(
        itch::bytes_of(itch::OrderDelete{.header = {.locate = locate_}, .reference = quote(side).reference}));
  }

  void withdraw() {
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (feed_.find(quote(side).reference)) remove(side);
    }
  }

  FeedBook& feed_;
  itch::Symbol symbol_;
  std::ostream& out_;
  itch::Locate locate_{};
  itch::Timestamp now_{};
  bool is_open_ = false;
  bool is_halted_ = false;
  std::array<Quote, 2> quotes_by_side_{};
  std::uint64_t last_reference_ = std::uint64_t{1} << 63;
  std::uint64_t quotes_ = 0;
  std::uint64_t fills_ = 0;
  std::int64_t position_ = 0;  // shares
  std::int64_t cash_ = 0;      // ten-thousandths of a dollar
  std::int64_t mid_ = 0;
};

}  // namespace backtest
