// SPDX-License-Identifier: MIT
//
// A backtest over an ITCH 5.0 file. The book of a symbol is rebuilt from the feed, and the orders of a strategy
// rest in it at their true place: behind all that came before, ahead of all that comes later. When the feed
// executes an order that stands behind one of ours, ours would have been executed first, so it is filled. The same
// holds for an order that arrives and crosses ours.
//
// Our orders enter the book as messages of our own, with references that no venue uses. The strategy is the
// simplest that makes a market: it joins the best price of both sides, and follows it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "support/itch_file.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: backtest FILE SYMBOL

Makes a market in SYMBOL over a day in an ITCH 5.0 file, and prints each fill and what was earned.
)";

constexpr std::uint32_t lots = 100;
constexpr std::int64_t position_max = 500;

[[nodiscard]] double dollars(std::int64_t ten_thousandths) {
  return static_cast<double>(ten_thousandths) / 10'000;
}

class Backtest {
 public:
  Backtest(FeedBook& feed, itch::Symbol symbol) : feed_(feed), symbol_(symbol) {}

  /// Lets the feed go on by one message.
  void operator()(itch::MessageBytes message) {
    itch::decode(message, Before{*this});
    feed_.apply(message);
    itch::decode(message, After{*this});
  }

  void print_summary() const {
    const std::int64_t value = cash_ + position_ * mid_;
    std::cout << quotes_ << " quotes, " << fills_ << " fills, position " << position_ << ", earned "
              << dollars(value) << " dollars\n";
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
      const std::optional<RestingOrder> old = test.feed_.find(message.reference);
      if (old && is_ours(message)) test.fill_crossed(old->side, message.price, message.shares);
    }

   private:
    template <class Message>
    [[nodiscard]] bool is_ours(const Message& message) const {
      return test.is_open_ && message.header.locate == test.locate_;
    }
    template <class Message>
    void executed(const Message& message) const {
      if (is_ours(message)) test.fill_before(message.reference, message.shares);
    }
    template <class Message>
    void added(const Message& message) const {
      const Side side = message.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
      if (is_ours(message)) test.fill_crossed(side, message.price, message.shares);
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
      if (message.event == itch::EventCode::EndOfMarketHours) test.close();
    }
    template <class Message>
    void operator()(const Message& message) const {
      if (test.is_open_ && message.header.locate == test.locate_) test.follow_the_market(message.header.timestamp);
    }
  };

  [[nodiscard]] Quote& quote(Side side) { return quotes_by_side_[static_cast<std::size_t>(side)]; }

  /// The feed executes an order: ours of the same side that stand before it come first.
  void fill_before(itch::Reference reference, std::uint32_t shares) {
    const std::optional<RestingOrder> executed = feed_.find(reference);
    if (!executed) return;
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
    const Side side = opposite(taker);
    const itch::Price4 ours = quote(side).price;
    if (side == Side::Buy ? price <= ours : price >= ours) fill(side, shares);
  }

  void fill(Side side, std::uint32_t shares) {
    const Quote& ours = quote(side);
    const std::optional<RestingOrder> order = feed_.find(ours.reference);
    if (!order) return;
    const auto filled = static_cast<std::uint32_t>(std::min<Quantity>(shares, order->quantity));
    feed_.apply(itch::bytes_of(
        itch::OrderExecuted{.header = {.locate = locate_}, .reference = ours.reference, .shares = filled}));
    const std::int64_t bought = side == Side::Buy ? filled : -std::int64_t{filled};
    position_ += bought;
    cash_ -= bought * order->price;
    ++fills_;
    std::cout << std::setw(10) << now_.count() / 1'000'000'000
              << " s: " << (side == Side::Buy ? "bought " : "sold ") << filled << " at " << dollars(order->price)
              << ", position " << position_ << '\n';
  }

  /// Joins the best price of each side, or cancels where the position is large enough.
  void follow_the_market(itch::Timestamp now) {
    now_ = now;
    const std::optional<itch::Price4> bid = feed_.best(locate_, Side::Buy);
    const std::optional<itch::Price4> ask = feed_.best(locate_, Side::Sell);
    if (!bid || !ask || *bid >= *ask) return;
    mid_ = (static_cast<std::int64_t>(*bid) + static_cast<std::int64_t>(*ask)) / 2;
    rest(Side::Buy, *bid, position_ < position_max);
    rest(Side::Sell, *ask, position_ > -position_max);
  }

  /// Has our order of a side at a price and nowhere else, or has none.
  void rest(Side side, itch::Price4 price, bool wanted) {
    Quote& ours = quote(side);
    const bool rests = feed_.find(ours.reference).has_value();
    if (rests && (!wanted || ours.price != price)) remove(side);
    if (!wanted || (rests && ours.price == price)) return;
    ours = {itch::Reference{++last_reference_}, price};
    feed_.apply(itch::bytes_of(itch::AddOrder{.header = {.locate = locate_},
                                              .reference = ours.reference,
                                              .side = side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell,
                                              .shares = lots,
                                              .price = price}));
    ++quotes_;
  }
  void remove(Side side) {
    feed_.apply(
        itch::bytes_of(itch::OrderDelete{.header = {.locate = locate_}, .reference = quote(side).reference}));
  }

  void close() {
    is_open_ = false;
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (feed_.find(quote(side).reference)) remove(side);
    }
  }

  FeedBook& feed_;
  itch::Symbol symbol_;
  itch::Locate locate_{};
  itch::Timestamp now_{};
  bool is_open_ = false;
  std::array<Quote, 2> quotes_by_side_{};
  std::uint64_t last_reference_ = std::uint64_t{1} << 63;
  std::uint64_t quotes_ = 0;
  std::uint64_t fills_ = 0;
  std::int64_t position_ = 0;  // shares
  std::int64_t cash_ = 0;      // ten-thousandths of a dollar
  std::int64_t mid_ = 0;
};

int run(const std::string& path, std::string_view symbol) {
  auto feed = FeedBook::create({.symbols = 10'000, .capacity = 2'500'000});
  if (!feed) throw std::runtime_error("too little memory for the books");
  Backtest backtest(*feed, symbol);
  std::cout << std::fixed << std::setprecision(4);
  const auto take = [&](std::span<const itch::MessageBytes> messages) {
    for (const itch::MessageBytes message : messages) backtest(message);
    return true;
  };
  if (const auto fault = read_itch_file(path, take)) throw std::runtime_error(*fault);
  if (!feed->locate_of(symbol)) throw std::runtime_error(path + ": has no symbol '" + std::string(symbol) + "'");
  backtest.print_summary();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  if (argc != 3) {
    std::cerr << "backtest: takes a file and a symbol (see --help)\n";
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "backtest: " << error.what() << '\n';
    return 1;
  }
}
