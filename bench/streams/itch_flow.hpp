// SPDX-License-Identifier: MIT
//
// The events of a synthetic day. Most orders arrive near the fair prices of active symbols. Patient orders rest
// far away, over more symbols. Only the book of a halted symbol may be crossed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/streams/itch_day.hpp"
#include "bench/streams/itch_listing.hpp"
#include "bench/streams/itch_notices.hpp"
#include "bench/streams/itch_session.hpp"
#include "bench/streams/itch_tape.hpp"
#include "bench/streams/market_books.hpp"
#include "bench/streams/market_symbols.hpp"
#include "bench/streams/random.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

class ItchFlow {
 public:
  explicit ItchFlow(const ItchDaySpec& spec)
      : messages_(checked(spec).messages),
        symbol_count_(spec.symbols),
        peak_(peak_of(spec)),
        random_(spec.seed),
        tape_(messages_, symbol_count_, peak_, spec.has_fine_symbols),
        books_(tape_.books()),
        symbols_(books_, random_, 1),
        widest_(symbol_count_ + 1, 9) {
    for (std::size_t rank = 0; rank < symbol_count_; ++rank) {
      const std::uint64_t root = square_root((rank + 10) << 20);
      const Price fair = first_price();
      // It falls like rank^-0.75.
      symbols_.add(fair, 1 + (fair >> 14), (std::uint64_t{1} << 58) / (root * square_root(root << 20)));
    }
    symbols_.shuffle();
    for (std::size_t rank = 0; rank < 1 + symbol_count_ / 500; ++rank) widest_[symbols_.ranked(rank)] = 14;
    share_out();
  }

  ItchDay play() && {
    clock_at(3 * 3600);
    system_event(itch::EventCode::StartOfMessages);
    announce();
    clock_at(ItchSession::start);
    system_event(itch::EventCode::StartOfSystemHours);
    while (session_.next_stage(gone())) {
      clock_at(session_.begins_at());
      if (session_.begins_at() == ItchSession::opening) open();
      if (session_.begins_at() == ItchSession::closing) close();
      give_notice();
      while (left() > 0 && gone() < session_.message_end()) step();
    }
    clock_at(ItchSession::end);
    system_event(itch::EventCode::EndOfSystemHours);
    clock_at(ItchSession::end + 300);
    system_event(itch::EventCode::EndOfMessages);
    return std::move(tape_).finish();
  }

 private:
  using Book = MarketBooks::Book;

  // ---- The published day, in hundred thousands of messages. The parts are the base of all shares; they come to
  // 267.4 million of the 268.7 million that are published.
  static constexpr std::uint64_t published_adds = 1186;
  static constexpr std::uint64_t published_deletes = 1144;
  static constexpr std::uint64_t published_replaces = 216;
  static constexpr std::uint64_t published_executes = 58;
  static constexpr std::uint64_t published_cancels = 28;
  static constexpr std::uint64_t published_others = 42;
  static constexpr std::uint64_t published_of_orders =
      published_adds + published_deletes + published_replaces + published_executes + published_cancels;
  static constexpr std::uint64_t published_all = published_of_orders + published_others;
  static constexpr std::uint64_t per_mille_filled = 620;  // of the executions; it is not published

  /// Ticks are those of cents.
  struct Grid {
    static constexpr Price fair_min = 200;
    static constexpr Price highest = ItchTape::cents.tick(itch::Price4{ItchTape::highest_price});
    static Price price(Price tick) { return ItchTape::cents.price(tick); }
    static Price tick(Price price) { return ItchTape::cents.tick(itch::Price4(price)); }
    /// A dollar, if at least a hundred prices lie between.
    static Price lowest_bid(Price fair) { return fair > PriceGrid::dollar + 100 ? PriceGrid::dollar : Price{1}; }
  };

  static const ItchDaySpec& checked(const ItchDaySpec& spec) {
    if (spec.symbols == 0 || spec.symbols > 65'535) throw std::invalid_argument("a day has 1 to 65,535 symbols");
    if (spec.messages > 4'294'967'295u) throw std::invalid_argument("a day has at most 2^32 - 1 messages");
    if (spec.messages < 7 + 5 * spec.symbols) {
      throw std::invalid_argument("a day has at least 7 messages, and 5 for each symbol");
    }
    if (spec.peak_resting && (*spec.peak_resting == 0 || *spec.peak_resting > spec.messages / 10)) {
      throw std::invalid_argument("at the peak there rest from 1 order to a tenth of the messages");
    }
    return spec;
  }
  static std::size_t peak_of(const ItchDaySpec& spec) {
    const std::size_t by_symbols = spec.symbols * 1'924'078 / 8'907;
    return spec.peak_resting.value_or(std::clamp<std::size_t>(by_symbols, 1, 1 + spec.messages * 97 / 1'000));
  }

  /// Decides how many messages there are of each kind.
  void share_out() {
    const std::size_t fixed = 7 + 5 * symbol_count_;
    const std::size_t others = messages_ * published_others / published_all;
    const std::size_t spare = others > fixed ? others - fixed : 0;
    participants_ = std::min<std::size_t>(20, spare / 3 / symbol_count_);
    reserved_ = fixed + participants_ * symbol_count_;
    free_ = messages_ - reserved_;
    if (free_ > 0) {
      const std::size_t drawn = spare - participants_ * symbol_count_;
      per_million_trades_ = drawn * 400'000 / free_;
      per_million_imbalances_ = drawn * 600'000 / free_ * 10'000 / ItchSession::per_10000_before_crosses();
    }
    // Orders that are neither deleted nor executed rest at the end.
    const std::size_t kept = messages_ * (published_adds - published_deletes) / published_all;
    const std::size_t filled = messages_ * published_executes * per_mille_filled / 1'000 / published_all;
    session_ = ItchSession(free_, peak_, kept - std::min(kept, filled));
  }

  /// Messages that are not reserved: those to come, and those that have come.
  [[nodiscard]] std::size_t left() const { return messages_ - tape_.sent() - reserved_; }
  [[nodiscard]] std::size_t gone() const { return free_ - left(); }

  void clock_at(std::uint64_t second) { tape_.now = std::max(tape_.now, second * 1'000'000'000); }

  // ---- Reserved messages.

  void announce() {
    clock_at(3 * 3600 + 240);
    reserved_ -= 1 + (3 + participants_) * symbol_count_;
    ItchListing(tape_, random_, symbol_count_).announce(participants_);
  }
  void system_event(itch::EventCode code) {
    itch::SystemEvent message;
    message.event = code;
    --reserved_;
    tape_.send(message, 0);
  }
  /// Small days have none.
  void give_notice() {
    const Book book = symbols_.ranked(symbol_count_ / 2);
    if (left() > 100) ItchNotices(tape_).send(session_.begins_at(), book, fair4(book));
  }
  void open() {
    tape_.count_levels();
    system_event(itch::EventCode::StartOfMarketHours);
    cross_all('O');
  }
  void close() {
    if (halted_ != 0) resume();
    system_event(itch::EventCode::EndOfMarketHours);
    cross_all('C');
  }
  /// Some orders of the busiest sixteenth of the symbols meet.
  void cross_all(char type) {
    for (std::size_t rank = 0; rank < symbol_count_; ++rank) {
      tape_.now += random_.below(1'000);
      const std::size_t pairs = rank < 1 + symbol_count_ / 16 ? 1 + random_.below(3) : 0;
      --reserved_;
      cross(symbols_.ranked(rank), type, std::min(pairs, left() / 100));
    }
  }

  // ---- Auctions and halts.

  /// Executes front orders of both sides against each other: this many pairs, and all that cross.
  void cross(Book book, char type, std::size_t pairs) {
    const Price price = Grid::price(symbols_.fair(book));
    std::uint64_t all = 0;
    for (; left() >= 2 && (pairs > 0 || books_.is_crossed(book)); pairs -= pairs > 0) {
      if (!books_.best(book, Side::Buy) || !books_.best(book, Side::Sell)) break;
      const OrderNumber bid = books_.front(book, Side::Buy);
      const OrderNumber ask = books_.front(book, Side::Sell);
      const Quantity quantity = std::min(books_.order(bid).quantity, books_.order(ask).quantity);
      tape_.execute_at(bid, quantity, price, false);
      tape_.execute_at(ask, quantity, price, false);
      all += quantity;
    }
    itch::CrossTrade message;
    message.shares = all;
    message.symbol = tape_.name(book);
    message.price = tape_.price4(book, all > 0 ? price : 0);
    message.match = tape_.next_match();
    message.cross_type = type;
    tape_.send(message, book);
  }

  /// One halt at a time, and one for 300 symbols, each in the middle of its part of the session. The first
  /// is a pause.
  void halt_or_resume() {
    const std::size_t begin = session_.share(1'300);
    const std::size_t part = 1 + session_.share(8'000) / (1 + symbol_count_ / 300);
    const std::size_t within = (gone() - std::min(begin, gone())) % part;
    const bool halts = session_.is_before_closing() && within >= part / 2 && within < part / 2 + part / 8;
    if (halts && halted_ == 0 && left() > 100) {
      halted_ = symbols_.ranked(random_.below(symbol_count_));
      const bool is_pause = halts_++ == 0 || random_.chance(700);
      tape_.set_state(halted_, is_pause ? itch::TradingState::Paused : itch::TradingState::Halted,
                      is_pause ? "LUDP" : "T1");
      if (is_pause) ItchNotices(tape_).collar(halted_, fair4(halted_));
    } else if (!halts && halted_ != 0 && left() > 2) {
      resume();
    }
  }
  void resume() {
    const Book book = std::exchange(halted_, 0);
    if (left() < 2) return;
    tape_.set_state(book, itch::TradingState::Trading, "");
    cross(book, 'H', 0);
  }

  // ---- The flow.

  void step() {
    tape_.now = session_.time(gone(), tape_.now, random_);
    halt_or_resume();
    if (left() == 0) return;
    std::uint64_t draw = random_.below(1'000'000);
    if (draw < per_million_trades_) return trade();
    if (session_.leads_to_cross() && draw < per_million_trades_ + per_million_imbalances_) return imbalance();
    if (books_.resting() == 0) return add();
    draw = random_.below(published_of_orders);
    if (draw < published_adds + published_deletes) return wants_more() ? add() : remove();
    draw -= published_adds + published_deletes;
    if (draw < published_replaces) return replace();
    draw - published_replaces < published_executes ? execute() : cancel();
  }

  /// The further the number of orders is from its plan, the more likely the next message moves it there.
  bool wants_more() {
    const std::int64_t missing = session_.resting(gone()) - static_cast<std::int64_t>(books_.resting());
    const auto band = static_cast<std::int64_t>(1 + peak_ / 500);
    const bool wants = random_.between(-band, band - 1) < missing;
    return wants && books_.resting() < peak_;
  }

  void add() {
    const bool is_patient = random_.chance(session_.is_before_opening() ? 600 : 250);
    Book book = is_patient ? symbols_.resting() : symbols_.active();
    if (halted_ != 0 && random_.below(128) == 0) book = halted_;
    const Side side = random_.side();
    const Price distance = is_patient ? far(book) : symbols_.near(book);
    Price price = symbols_.price_at(book, side, distance);
    if (book == halted_) {
      if (random_.chance(300)) {
        price = Grid::price(symbols_.fair(book) + forward(side) * random_.between(0, 20));
      }
    } else if (is_patient && random_.chance(6)) {
      price = stub(book, side);
    } else {
      price = symbols_.kept_apart(book, side, price);
      if (book % 200 == 1 && random_.chance(6)) price = between_ticks(price, side);
    }
    const Quantity quantity = draw_shares(random_);
    const std::uint64_t gap = next_gap();
    tape_.add(book, side, price, quantity, gap, random_.chance(14));
  }

  void remove() {
    if (random_.chance(250)) {
      const Book book = symbols_.active();
      const std::optional<OrderNumber> order = symbols_.overtaken(book);
      if (order && book != halted_) return tape_.remove(*order);
    }
    tape_.remove(books_.order_by_age(random_));
  }

  void replace() {
    const OrderNumber number = books_.order_by_age(random_);
    const MarketBooks::Order order = books_.order(number);
    Price price = 0;
    if (random_.chance(600)) {
      const Price moved =
          Grid::tick(order.price) + random_.either_way(symbols_.step(order.book) * random_.between(0, 3));
      price = Grid::price(std::clamp(moved, Price{1}, Grid::highest));
    } else {
      price = symbols_.price_at(order.book, order.side, symbols_.near(order.book));
    }
    if (order.book != halted_) price = symbols_.kept_apart(order.book, order.side, price);
    const Quantity quantity = random_.chance(500) ? order.quantity : draw_shares(random_);
    tape_.replace(number, price, quantity, next_gap());
  }

  /// As a rule at the front of a book.
  void execute() {
    for (int tries = 0; tries < 8; ++tries) {
      const Book book = symbols_.active();
      if (book == halted_) continue;
      std::optional<OrderNumber> number = symbols_.overtaken(book);
      const Side side = random_.side();
      if (!number && books_.best(book, side)) number = books_.front(book, side);
      if (!number || ItchTape::is_stub(books_.order(*number).side, books_.order(*number).price)) continue;
      const Quantity open = books_.order(*number).quantity;
      const bool all = random_.chance(per_mille_filled) || open == 1;
      const Quantity by = all ? open : 1 + random_.below(open - 1);
      if (!random_.chance(15)) return tape_.execute(*number, by);
      const Price tick = Grid::tick(books_.order(*number).price) + random_.either_way(1);
      return tape_.execute_at(*number, by, Grid::price(std::max<Price>(1, tick)), true);
    }
    remove();
  }

  void cancel() {
    const OrderNumber number = books_.order_by_age(random_);
    const Quantity open = books_.order(number).quantity;
    if (open == 1) return tape_.remove(number);
    tape_.cancel(number, 1 + random_.below(open - 1));
  }

  /// An execution of an order that is not displayed, or that there would be a better price for private investors.
  void trade() {
    const Book book = symbols_.active();
    if (book == halted_) return imbalance();
    if (random_.chance(50)) return retail_interest(book);
    itch::Trade message;
    message.side = itch::BuySell::Buy;
    message.shares = static_cast<std::uint32_t>(draw_shares(random_));
    message.symbol = tape_.name(book);
    message.price = fair4(book);
    message.match = tape_.next_match();
    tape_.send(message, book);
  }
  void retail_interest(Book book) {
    itch::RetailInterest message;
    message.symbol = tape_.name(book);
    message.interest = random_.chance(500) ? 'B' : 'S';
    tape_.send(message, book);
  }
  void imbalance() {
    const Book book = halted_ != 0 && random_.chance(200) ? halted_ : symbols_.active();
    itch::Imbalance message;
    message.paired_shares = draw_shares(random_);
    message.imbalance_shares = draw_shares(random_);
    message.direction = random_.chance(500) ? 'B' : 'S';
    message.symbol = tape_.name(book);
    message.far_price = fair4(book);
    message.near_price = fair4(book);
    message.reference_price = fair4(book);
    message.cross_type = book == halted_ ? 'H' : session_.is_before_opening() ? 'O' : 'C';
    message.price_variation = 'L';
    tape_.send(message, book);
  }

  // ---- Prices.

  /// In ticks: most from 1 to 512 dollars, the same chance for any octave; some of cents, some of thousands.
  Price first_price() {
    const std::uint64_t draw = random_.below(1000);
    if (draw < 40) {
      const auto least = Price{1} << random_.between(8, 12);
      return std::max<Price>(300, least + random_.between(0, least - 1));
    }
    const auto octave = draw < 55 ? random_.between(10, 11) : random_.between(0, 8);
    const Price least = PriceGrid::dollar << octave;
    return Grid::tick(least + random_.between(0, least - 1));
  }
  [[nodiscard]] itch::Price4 fair4(Book book) const {
    return tape_.price4(book, Grid::price(symbols_.fair(book)));
  }

  /// A distance of patient orders: the same chance for any of ten octaves.
  Price far(Book book) {
    const auto least = Price{1} << random_.between(widest_[book] - 9, widest_[book]);
    return least + random_.between(0, least - 1);
  }
  /// A price at which nobody wants to trade.
  [[nodiscard]] Price stub(Book book, Side side) const {
    if (side == Side::Sell) return ItchTape::highest_price;
    return symbols_.fair(book) > Grid::tick(10 * PriceGrid::dollar) ? PriceGrid::cent : 1;
  }
  /// Half a cent worse, where there are whole cents.
  static Price between_ticks(Price price, Side side) {
    const Price between = price - forward(side) * PriceGrid::cent / 2;
    return between > PriceGrid::dollar ? between : price;
  }

  std::uint64_t next_gap() { return 1 + random_.below(4); }

  std::size_t messages_;
  std::size_t symbol_count_;
  std::size_t peak_;
  Random random_;
  ItchTape tape_;
  const MarketBooks& books_;
  MarketSymbols<Grid> symbols_;
  std::vector<int> widest_;  // by book: the highest octave of the distances of patient orders
  ItchSession session_{0, 0, 0};

  std::size_t reserved_ = 0;  // messages that are sure to come, such as one about the state of each symbol
  std::size_t free_ = 0;      // all messages but those
  std::size_t participants_ = 0;
  std::size_t per_million_trades_ = 0;
  std::size_t per_million_imbalances_ = 0;  // before a cross
  Book halted_ = 0;                         // 0 if none is
  std::size_t halts_ = 0;
};

}  // namespace llmes::bench
