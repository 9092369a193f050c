// SPDX-License-Identifier: MIT
//
// What happens on a synthetic day. The day is cut into stages; each has a share of the messages and a number of
// orders that rest at its end. Each symbol has a fair price that wanders. Most orders arrive near it and are of
// the active symbols. The patient ones lie far away, over more symbols. No book crosses but that of a halted
// symbol.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/workloads/itch_day.hpp"
#include "bench/workloads/itch_tape.hpp"
#include "bench/workloads/market_books.hpp"
#include "bench/workloads/market_draws.hpp"
#include "bench/workloads/random.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/types.hpp"

namespace llmes::bench {

class ItchFlow {
 public:
  explicit ItchFlow(const ItchDaySpec& spec)
      : messages_(checked(spec).messages),
        symbol_count_(spec.symbols),
        peak_(peak_of(spec)),
        random_(spec.seed),
        tape_(messages_, symbol_count_, peak_),
        books_(tape_.books()),
        symbols_(symbol_count_ + 1) {
    for (std::size_t rank = 0; rank < symbol_count_; ++rank) {
      const std::uint64_t root = square_root((rank + 10) << 20);
      activity_.add((std::uint64_t{1} << 32) / (rank + 10));
      resting_.add((std::uint64_t{1} << 58) / (root * square_root(root << 20)));  // falls like rank^-0.75
      ranked_.push_back(static_cast<Book>(rank + 1));
    }
    for (std::size_t rank = symbol_count_; rank > 1; --rank) {
      std::swap(ranked_[rank - 1], ranked_[random_.below(rank)]);
    }
    for (std::size_t rank = 0; rank < symbol_count_; ++rank) {
      const Price fair = first_price();
      const Price trend = random_.chance(500) ? 1 : -1;
      symbols_[ranked_[rank]] = {fair, trend, rank < 1 + symbol_count_ / 500 ? 14 : 9, rank % 200 == 0};
    }
    share_out();
  }

  ItchDay play() && {
    announce();
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
      begin_stage(i);
      while (left() > 0 && gone() < stage_end_) step();
    }
    clock_at(20 * 3600);
    system_event(itch::EventCode::EndOfSystemHours);
    clock_at(20 * 3600 + 300);
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

  /// A moment of the day: the share of messages before it and the share of the peak that rests then.
  struct Mark {
    std::uint64_t second;
    std::uint64_t per_10000_gone;
    std::uint64_t per_mille_resting;
  };
  static constexpr std::uint64_t opening = 9 * 3600 + 1800;
  static constexpr std::uint64_t closing = 16 * 3600;
  static constexpr std::array<Mark, 19> marks{{
      {4 * 3600, 0, 0},           {7 * 3600, 150, 100},     {8 * 3600, 300, 220},     {9 * 3600, 650, 400},
      {opening - 300, 1000, 520}, {opening, 1200, 560},     {opening + 1, 1300, 575}, {opening + 60, 1550, 640},
      {opening + 300, 2000, 690}, {10 * 3600, 3000, 800},   {11 * 3600, 4300, 900},   {12 * 3600, 5200, 950},
      {13 * 3600, 5900, 980},     {14 * 3600, 6500, 1010},  {15 * 3600, 7400, 1010},  {closing - 600, 8400, 800},
      {closing, 9350, 350},       {closing + 1, 9400, 345}, {20 * 3600, 10'000, 0},
  }};
  /// The share of the messages in the stages before the two crosses, when the imbalances are sent.
  static constexpr std::uint64_t per_10000_before_crosses = 200 + 950;

  struct Symbol {
    Price fair = 0;
    Price trend = 1;
    int widest = 9;                 // octave of the distances of patient orders
    bool is_between_ticks = false;  // has some orders at half a cent
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
    const std::size_t drawn = spare - participants_ * symbol_count_;
    if (free_ == 0) return;
    per_million_trades_ = drawn * 400'000 / free_;
    per_million_imbalances_ = drawn * 600'000 / free_ * 10'000 / per_10000_before_crosses;

    // What has been added and not deleted at the end: what executions did not take.
    const std::size_t added = messages_ * (published_adds - published_deletes) / published_all;
    const std::size_t filled = messages_ * published_executes * per_mille_filled / 1'000 / published_all;
    resting_end_ =
        std::min(added - std::min(added, filled), peak_ * marks[marks.size() - 2].per_mille_resting / 1'000);
  }

  [[nodiscard]] std::size_t left() const { return messages_ - tape_.sent() - reserved_; }
  /// Of the messages that are not reserved.
  [[nodiscard]] std::size_t gone() const { return free_ - left(); }
  template <class M>
  void send_reserved(const M& message, Book book) {
    --reserved_;
    tape_.send(message, book);
  }

  // ---- The clock.

  void clock_at(std::uint64_t second) { tape_.now = std::max(tape_.now, second * 1'000'000'000); }
  /// Messages come in clusters, which catch up with the even pace of a stage.
  void tick() {
    const std::uint64_t even = stage_from_ + (gone() - stage_begin_) * stage_pace_;
    if (tape_.now >= even) return;
    tape_.now = random_.chance(200) ? even : std::min(even, tape_.now + random_.below(2'000));
  }

  void begin_stage(std::size_t i) {
    clock_at(marks[i].second);
    const auto resting_at = [&](std::size_t mark) {
      return mark + 1 == marks.size() ? resting_end_ : peak_ * marks[mark].per_mille_resting / 1'000;
    };
    if (i == 0) system_event(itch::EventCode::StartOfSystemHours);
    if (marks[i].second == opening) {
      tape_.open();
      system_event(itch::EventCode::StartOfMarketHours);
      for (std::size_t rank = 0; rank < symbol_count_; ++rank) cross_at_session(rank, 'O');
    }
    if (marks[i].second == closing) {
      if (halted_ != 0) resume();
      system_event(itch::EventCode::EndOfMarketHours);
      for (std::size_t rank = 0; rank < symbol_count_; ++rank) cross_at_session(rank, 'C');
    }
    is_before_open_ = marks[i + 1].second <= opening;
    is_before_cross_ = marks[i + 1].second == opening || marks[i + 1].second == closing;
    is_market_open_ = marks[i].second >= opening && marks[i].second < closing;
    stage_begin_ = gone();
    stage_end_ = free_ * marks[i + 1].per_10000_gone / 10'000;
    stage_from_ = marks[i].second * 1'000'000'000;
    stage_length_ = std::max<std::size_t>(1, stage_end_ > stage_begin_ ? stage_end_ - stage_begin_ : 0);
    stage_pace_ = (marks[i + 1].second - marks[i].second) * 1'000'000'000 / stage_length_;
    resting_from_ = resting_at(i);
    resting_to_ = resting_at(i + 1);
  }

  // ---- Before the day: the market and its symbols.

  void announce() {
    clock_at(3 * 3600);
    system_event(itch::EventCode::StartOfMessages);
    clock_at(3 * 3600 + 240);
    const auto for_each_symbol = [&](auto send) {
      for (Book book = 1; book <= symbol_count_; ++book) {
        tape_.now += random_.below(10'000);
        send(book);
      }
    };
    for_each_symbol([&](Book book) { list(book); });
    for_each_symbol([&](Book book) {
      --reserved_;
      set_state(book, itch::TradingState::Trading, "");
    });
    for_each_symbol([&](Book book) {
      itch::ShortSaleRestriction message;
      message.symbol = tape_.name(book);
      message.action = random_.chance(30) ? '2' : '0';
      send_reserved(message, book);
    });
    for (std::size_t number = 0; number < participants_; ++number) {
      for_each_symbol([&](Book book) {
        itch::ParticipantPosition message;
        message.participant = ItchTape::participant(number);
        message.symbol = tape_.name(book);
        message.primary_market_maker = number == 0 ? 'Y' : 'N';
        message.mode = 'N';
        message.state = 'A';
        send_reserved(message, book);
      });
    }
    itch::CircuitBreakerLevels levels;  // of an index, in hundred-millionths
    levels.level1 = itch::Price8{4'650'00000000};
    levels.level2 = itch::Price8{4'350'00000000};
    levels.level3 = itch::Price8{4'000'00000000};
    send_reserved(levels, 0);
  }
  void list(Book book) {
    constexpr std::array<char, 6> categories{'Q', 'G', 'S', 'N', 'A', 'P'};
    itch::StockDirectory message;
    message.symbol = tape_.name(book);
    message.market_category = categories[random_.below(categories.size())];
    message.financial_status = 'N';
    message.round_lot = 100;
    message.round_lots_only = 'N';
    message.issue_classification = 'C';
    message.issue_sub_type = "Z";
    message.authenticity = 'P';
    message.short_sale_threshold = 'N';
    message.ipo_flag = 'N';
    message.price_tier = random_.chance(300) ? '1' : '2';
    message.etp_flag = 'N';
    message.inverse = 'N';
    send_reserved(message, book);
  }
  void system_event(itch::EventCode code) {
    itch::SystemEvent message;
    message.event = code;
    send_reserved(message, 0);
  }
  void set_state(Book book, itch::TradingState state, const char* reason) {
    itch::TradingAction message;
    message.symbol = tape_.name(book);
    message.state = state;
    message.reason = reason;
    tape_.send(message, book);
  }

  // ---- Auctions and halts.

  /// Orders meet in the crosses of the busiest sixteenth of the symbols.
  void cross_at_session(std::size_t rank, char type) {
    tape_.now += random_.below(1'000);
    const std::size_t pairs = rank < 1 + symbol_count_ / 16 ? 1 + random_.below(3) : 0;
    --reserved_;
    cross(ranked_[rank], type, std::min(pairs, left() / 100));
  }

  /// Executes the front orders of both sides against each other, so many pairs and all that cross.
  void cross(Book book, char type, std::size_t pairs) {
    const Price price = symbols_[book].fair;
    std::uint64_t all = 0;
    while (left() >= 2 && (pairs > 0 || books_.is_crossed(book))) {
      pairs -= pairs > 0;
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
    message.price = ItchTape::price4(all > 0 ? price : 0);
    message.match = tape_.next_match();
    message.cross_type = type;
    tape_.send(message, book);
  }

  /// One halt at a time, one for 300 symbols, each in the middle of its part of the session.
  void halt_or_resume() {
    const std::size_t begin = free_ * 1'300 / 10'000;
    const std::size_t part = std::max<std::size_t>(1, free_ * 8'000 / 10'000 / (1 + symbol_count_ / 300));
    const std::size_t within = (gone() - std::min(begin, gone())) % part;
    const bool halts = is_market_open_ && gone() >= begin && within >= part / 2 && within < part / 2 + part / 8;
    if (halts && halted_ == 0 && left() > 100) {
      halted_ = ranked_[random_.below(symbol_count_)];
      tape_.count_halt();
      const bool is_pause = random_.chance(700);
      set_state(halted_, is_pause ? itch::TradingState::Paused : itch::TradingState::Halted,
                is_pause ? "LUDP" : "T1");
    } else if (!halts && halted_ != 0 && left() > 2) {
      resume();
    }
  }
  void resume() {
    const Book book = std::exchange(halted_, 0);
    if (left() < 2) return;
    set_state(book, itch::TradingState::Trading, "");
    cross(book, 'H', 0);
  }

  // ---- The flow.

  void step() {
    tick();
    halt_or_resume();
    if (left() == 0) return;
    std::uint64_t draw = random_.below(1'000'000);
    if (draw < per_million_trades_) return trade();
    if (is_before_cross_ && draw < per_million_trades_ + per_million_imbalances_) return imbalance();
    if (books_.resting() == 0) return add();
    draw = random_.below(published_of_orders);
    if (draw < published_adds + published_deletes) return is_below_target() ? add() : remove();
    draw -= published_adds + published_deletes;
    if (draw < published_replaces) return replace();
    draw - published_replaces < published_executes ? execute() : cancel();
  }

  /// The further the orders are from their planned number, the more surely.
  bool is_below_target() {
    const auto from = static_cast<std::int64_t>(resting_from_);
    const auto to = static_cast<std::int64_t>(resting_to_);
    const auto gone_by = static_cast<std::int64_t>(gone() - stage_begin_);
    const auto resting = static_cast<std::int64_t>(books_.resting());
    const std::int64_t target = from + (to - from) * gone_by / static_cast<std::int64_t>(stage_length_);
    const auto band = static_cast<std::int64_t>(1 + peak_ / 500);
    const bool wants = random_.between(-band, band - 1) < target - resting;
    return wants && books_.resting() < peak_;
  }

  void add() {
    const bool is_patient = random_.chance(is_before_open_ ? 600 : 250);
    Book book = is_patient ? ranked_[resting_.draw(random_)] : active_book();
    if (halted_ != 0 && random_.below(128) == 0) book = halted_;
    const Symbol& symbol = symbols_[book];
    const Side side = random_.side();
    const Price distance = is_patient ? far(book) : near(book);
    Price price = price_at(book, side, distance);
    if (book == halted_) {
      if (random_.chance(300)) price = symbol.fair + forward(side) * tick_of(book) * random_.between(0, 20);
      price = on_grid(price, side);
    } else if (is_patient && random_.chance(6)) {
      price = side == Side::Sell ? ItchTape::highest_price : symbol.fair > 10 * ItchTape::dollar ? 100 : 1;
    } else {
      price = kept_apart(book, side, price);
      const Price between = price - forward(side) * 50;
      if (symbol.is_between_ticks && between > ItchTape::dollar && random_.chance(2)) price = between;
    }
    const Quantity quantity = shares(random_);
    const std::uint64_t gap = next_gap();
    tape_.add(book, side, price, quantity, gap, random_.chance(14));
  }

  void remove() {
    if (random_.chance(250)) {
      const Book book = active_book();
      const std::optional<OrderNumber> order = books_.overtaken(book, symbols_[book].fair);
      if (order && book != halted_) return tape_.remove(*order);
    }
    tape_.remove(books_.order_by_age(random_));
  }

  void replace() {
    const OrderNumber number = books_.order_by_age(random_);
    const MarketBooks::Order order = books_.order(number);
    Price price = order.price;
    if (random_.chance(600)) {
      price += random_.either_way(tick_of(order.book) * random_.between(0, 3));
    } else {
      price = price_at(order.book, order.side, near(order.book));
    }
    price = order.book == halted_ ? on_grid(price, order.side) : kept_apart(order.book, order.side, price);
    const Quantity quantity = random_.chance(500) ? order.quantity : shares(random_);
    tape_.replace(number, price, quantity, next_gap());
  }

  /// As a rule at the front of a book.
  void execute() {
    for (int tries = 0; tries < 8; ++tries) {
      const Book book = active_book();
      if (book == halted_) continue;
      std::optional<OrderNumber> number = books_.overtaken(book, symbols_[book].fair);
      const Side side = random_.side();
      if (!number && books_.best(book, side)) number = books_.front(book, side);
      if (!number) continue;
      const Quantity open = books_.order(*number).quantity;
      const bool all = random_.chance(per_mille_filled) || open == 1;
      const Quantity by = all ? open : 1 + random_.below(open - 1);
      if (!random_.chance(15)) return tape_.execute(*number, by);
      const Price better = books_.order(*number).price + random_.either_way(tick_of(book));
      return tape_.execute_at(*number, by, std::max<Price>(1, better), true);
    }
    remove();
  }

  void cancel() {
    const OrderNumber number = books_.order_by_age(random_);
    const Quantity open = books_.order(number).quantity;
    if (open == 1) return tape_.remove(number);
    tape_.cancel(number, 1 + random_.below(open - 1));
  }

  /// An execution of an order that is not displayed.
  void trade() {
    const Book book = active_book();
    if (book == halted_) return imbalance();
    itch::Trade message;
    message.side = itch::BuySell::Buy;
    message.shares = static_cast<std::uint32_t>(shares(random_));
    message.symbol = tape_.name(book);
    message.price = ItchTape::price4(symbols_[book].fair);
    message.match = tape_.next_match();
    tape_.send(message, book);
  }
  void imbalance() {
    const Book book = halted_ != 0 && random_.chance(200) ? halted_ : active_book();
    const itch::Field<itch::Price4> price = ItchTape::price4(symbols_[book].fair);
    itch::Imbalance message;
    message.paired_shares = shares(random_);
    message.imbalance_shares = shares(random_);
    message.direction = random_.chance(500) ? 'B' : 'S';
    message.symbol = tape_.name(book);
    message.far_price = price;
    message.near_price = price;
    message.reference_price = price;
    message.cross_type = book == halted_ ? 'H' : is_before_open_ ? 'O' : 'C';
    message.price_variation = 'L';
    tape_.send(message, book);
  }

  // ---- Symbols and prices, in ten-thousandths of a dollar.

  Price first_price() {
    const std::uint64_t draw = random_.below(1000);
    if (draw < 40) {  // from 3 cents to 82
      const auto least = Price{1} << random_.between(8, 12);
      return std::max<Price>(300, least + random_.between(0, least - 1));
    }
    const auto octave = draw < 55 ? random_.between(10, 11) : random_.between(0, 8);
    const Price least = ItchTape::dollar << octave;
    const Price price = least + random_.between(0, least - 1);
    return price - price % 100;
  }

  /// The book of the next message, whose fair price may move, unless orders there have yet to follow.
  Book active_book() {
    const Book book = ranked_[activity_.draw(random_)];
    Symbol& symbol = symbols_[book];
    if (random_.chance(20) && book != halted_ && !books_.overtaken(book, symbol.fair)) {
      if (random_.chance(5)) symbol.trend = -symbol.trend;
      const Price moved = tick_of(book) * random_.between(1, 2);
      const Price fair = symbol.fair + (random_.chance(600) ? symbol.trend : -symbol.trend) * moved;
      symbol.fair = std::max<Price>(200, on_grid(fair, Side::Buy));
    }
    return book;
  }

  [[nodiscard]] Price tick_of(Book book) const { return ItchTape::tick_at(symbols_[book].fair); }
  /// Between the prices that most orders use: a tick, and more for an expensive symbol.
  [[nodiscard]] Price step_of(Book book) const {
    const Price tick = tick_of(book);
    return tick + symbols_[book].fair / (tick << 13) * tick;
  }

  Price near(Book book) {
    const auto steps = static_cast<Price>(random_.geometric(780, 40));
    return tick_of(book) + step_of(book) * steps;
  }
  /// The same chance for any of ten octaves.
  Price far(Book book) {
    const auto least = Price{1} << random_.between(symbols_[book].widest - 9, symbols_[book].widest);
    return tick_of(book) * (least + random_.between(0, least - 1));
  }

  static Price forward(Side side) { return side == Side::Buy ? 1 : -1; }  // towards the other side

  /// The price at this distance from the fair one; bids that would be below 0 come round to it again.
  [[nodiscard]] Price price_at(Book book, Side side, Price distance) const {
    const Price fair = symbols_[book].fair;
    return side == Side::Sell ? fair + distance : fair - 1 - (distance - 1) % (fair - 1);
  }
  /// The nearest price of a tick that is no better, as far as there is one.
  static Price on_grid(Price price, Side side) {
    price = std::clamp<Price>(price, 1, ItchTape::highest_price);
    const Price past = price % ItchTape::tick_at(price);
    return past == 0 ? price : side == Side::Buy ? price - past : price - past + 100;
  }
  /// The nearest price of a tick that does not cross.
  [[nodiscard]] Price kept_apart(Book book, Side side, Price price) const {
    const std::optional<Price> touch = books_.best(book, opposite(side));
    if (touch) price = side == Side::Buy ? std::min(price, *touch - 1) : std::max(price, *touch + 1);
    return on_grid(price, side);
  }

  std::uint64_t next_gap() { return 1 + random_.below(4); }

  std::size_t messages_;
  std::size_t symbol_count_;
  std::size_t peak_;
  Random random_;
  ItchTape tape_;
  const MarketBooks& books_;
  Weights activity_;             // by rank
  Weights resting_;              // by rank
  std::vector<Book> ranked_;     // by rank
  std::vector<Symbol> symbols_;  // by book

  std::size_t reserved_ = 0;  // messages of the market and its symbols that are still to come
  std::size_t free_ = 0;      // all messages but those
  std::size_t participants_ = 0;
  std::size_t per_million_trades_ = 0;
  std::size_t per_million_imbalances_ = 0;  // before a cross
  std::size_t resting_end_ = 0;

  bool is_before_open_ = true;
  bool is_before_cross_ = false;
  bool is_market_open_ = false;
  std::size_t stage_begin_ = 0;
  std::size_t stage_end_ = 0;
  std::size_t stage_length_ = 1;
  std::uint64_t stage_from_ = 0;
  std::uint64_t stage_pace_ = 0;
  std::size_t resting_from_ = 0;
  std::size_t resting_to_ = 0;
  Book halted_ = 0;  // 0 if none is
};

}  // namespace llmes::bench
