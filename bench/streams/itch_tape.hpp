// SPDX-License-Identifier: MIT
//
// Writes messages to a tape and plays them on their books, so that the generator can query touches and resting
// orders. It also makes the census and the checkpoints.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/streams/itch_day.hpp"
#include "bench/streams/market_books.hpp"
#include "bench/streams/market_plan.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

class ItchTape {
 public:
  using Book = MarketBooks::Book;  // a locate

  static constexpr Price highest_price = 1'999'999'900;  // 199,999.99 dollars
  static constexpr PriceGrid cents{PriceGrid::cent};

  ItchTape(std::size_t messages, std::size_t symbols, std::size_t peak_resting, bool has_fine_symbols)
      : has_fine_symbols_(has_fine_symbols),
        books_(symbols + 1, messages * 11 / 20, peak_resting + 1),
        messages_(symbols + 1) {
    day_.tape.reserve(messages * 31);
    for (std::size_t number = 0; number <= symbols; ++number) names_.emplace_back(name_of(number));
  }

  [[nodiscard]] const MarketBooks& books() const { return books_; }
  [[nodiscard]] std::size_t sent() const { return sent_; }
  [[nodiscard]] const itch::Symbol& name(Book book) const { return names_[book]; }

  /// When the next messages are sent, in nanoseconds since midnight.
  std::uint64_t now = 0;

  static bool is_stub(Side side, Price price) {
    return side == Side::Buy ? price == 1 || price == PriceGrid::cent : price == highest_price;
  }

  // ---- Messages about an order.

  /// `gap` is how much higher the reference is than the last one.
  void add(Book book, Side side, Price price, Quantity quantity, std::uint64_t gap, bool is_attributed) {
    const OrderId id = last_id_ += gap;
    const auto fill_in = [&](auto message) {
      message.reference = itch::Reference{id};
      message.side = side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell;
      message.shares = static_cast<std::uint32_t>(quantity);
      message.symbol = names_[book];
      message.price = price4(book, price);
      return message;
    };
    const auto enter = [&] { books_.enter(book, side, price, quantity, id); };
    count_order(book, side, price);
    if (!is_attributed) return play(book, fill_in(itch::AddOrder{}), enter);
    auto message = fill_in(itch::AddAttributedOrder{});
    message.attribution = participant(id);
    play(book, message, enter);
  }
  void remove(OrderNumber number) {
    const MarketBooks::Order order = books_.order(number);
    itch::OrderDelete message;
    message.reference = itch::Reference{order.id};
    play(order.book, message, [&] { books_.leave(number); });
  }
  /// `by` is less than what is open.
  void cancel(OrderNumber number, Quantity by) { reduce(number, by, itch::OrderCancel{}); }
  void execute(OrderNumber number, Quantity by) {
    itch::OrderExecuted message;
    message.match = next_match();
    reduce(number, by, message);
  }
  void execute_at(OrderNumber number, Quantity by, Price price, bool is_printable) {
    itch::OrderExecutedWithPrice message;
    message.match = next_match();
    message.printable = is_printable ? 'Y' : 'N';
    message.price = price4(books_.order(number).book, price);
    reduce(number, by, message);
  }
  void replace(OrderNumber number, Price price, Quantity quantity, std::uint64_t gap) {
    const MarketBooks::Order order = books_.order(number);
    const OrderId id = last_id_ += gap;
    itch::OrderReplace message;
    message.reference = itch::Reference{order.id};
    message.new_reference = itch::Reference{id};
    message.shares = static_cast<std::uint32_t>(quantity);
    message.price = price4(order.book, price);
    count_order(order.book, order.side, price);
    play(order.book, message, [&] {
      books_.enter(order.book, order.side, price, quantity, id);
      books_.leave(number);
    });
  }

  // ---- Other messages. `book` is 0 for one that is not about a symbol.

  template <itch::Message M>
  void send(M message, Book book) {
    message.header.locate = itch::Locate{static_cast<std::uint16_t>(book)};
    message.header.timestamp = std::chrono::nanoseconds(now);
    const std::size_t at = day_.tape.size();
    day_.tape.resize(at + 2 + sizeof message);
    static_cast<void>(itch::FrameWriter(std::span(day_.tape).subspan(at)).append(message));
    ++day_.census.by_type[static_cast<std::size_t>(itch::type_of<M>)];
    if constexpr (requires { message.match; }) last_trade_ = {message.match, book};
    if (++sent_ % ItchDay::checkpoint_every == 0) set_checkpoint();
  }
  void set_state(Book book, itch::TradingState state, const char* reason) {
    itch::TradingAction message;
    message.symbol = names_[book];
    message.state = state;
    message.reason = reason;
    day_.census.halts += state != itch::TradingState::Trading;
    send(message, book);
  }
  itch::MatchNumber next_match() { return itch::MatchNumber{++last_match_}; }
  struct LastTrade {
    itch::MatchNumber match{};
    Book book = 0;  ///< 0 if there was none
  };
  [[nodiscard]] const LastTrade& last_trade() const { return last_trade_; }
  /// A price as it is written, to books and tape: the maker of a day counts in cents, and so many steps of the
  /// symbol lie above a dollar then. The highest price is what it is.
  [[nodiscard]] Price written(Book book, Price price) const {
    const Price above = price - Price{PriceGrid::dollar};
    if (above < 0 || price == highest_price) return price;
    return PriceGrid::dollar + above * step(book) / PriceGrid::cent;
  }
  [[nodiscard]] itch::Price4 price4(Book book, Price price) const {
    return static_cast<itch::Price4>(written(book, price));
  }
  /// One of 26 market makers.
  static itch::ParticipantId participant(std::uint64_t number) {
    const std::array<char, 4> name{'M', 'M', static_cast<char>('A' + number % 26), 'K'};
    return std::string_view(name.data(), name.size());
  }

  // ---- What becomes of it.

  /// Those that are occupied now.
  void count_levels() {
    std::vector<std::size_t> levels;
    for (Book book = 1; book < names_.size(); ++book) levels.push_back(books_.level_count_of(book));
    std::sort(levels.begin(), levels.end());
    std::size_t all = 0;
    for (const std::size_t of_book : levels) all += of_book;
    day_.census.levels_at_open = static_cast<double>(all) / static_cast<double>(levels.size());
    day_.census.busiest_levels = levels.back();
    day_.census.median_levels = levels[levels.size() / 2];
  }
  ItchDay finish() && {
    if (sent_ % ItchDay::checkpoint_every != 0) set_checkpoint();
    day_.census.peak_levels = books_.levels_max();
    day_.final_queues = books_.queues([this](Book book, Price price) { return written(book, price); });
    std::sort(messages_.begin() + 1, messages_.end());
    std::uint64_t all = 0;
    for (const std::uint64_t of_book : messages_) all += of_book;
    if (all > 0) {
      day_.census.busiest = static_cast<double>(messages_.back()) / static_cast<double>(all);
      day_.census.median = static_cast<double>(messages_[(messages_.size() + 1) / 2]) / static_cast<double>(all);
    }
    return std::move(day_);
  }

 private:
  /// A different name for each number up to 65,535: of one letter for the first ones, and of five from 8,001 on.
  static std::string name_of(std::size_t number) {
    const int letters = number <= 20 ? 1 : number <= 300 ? 2 : number <= 3'000 ? 3 : number <= 8'000 ? 4 : 5;
    std::size_t names = 1;
    for (int i = 0; i < letters; ++i) names *= 26;
    std::string name;
    std::size_t left = number * 7'919 % names;  // which has no factor of 26
    for (int i = 0; i < letters; ++i, left /= 26) name += static_cast<char>('A' + left % 26);
    return name;
  }

  /// Some symbols have orders between two cents in any case: not those.
  [[nodiscard]] Price step(Book book) const {
    if (!has_fine_symbols_ || book % 200 == 1) return PriceGrid::cent;
    if (book % 100 == 2) return 1;
    return book % 3 == 0 ? PriceGrid::cent / 2 : PriceGrid::cent;
  }

  void count_order(Book book, Side side, Price price) {
    day_.census.stubs += is_stub(side, price);
    day_.census.off_grid += !cents.holds(price4(book, price));
  }

  template <itch::Message M>
  void reduce(OrderNumber number, Quantity by, M message) {
    const MarketBooks::Order order = books_.order(number);
    message.reference = itch::Reference{order.id};
    message.shares = static_cast<std::uint32_t>(by);
    play(order.book, message, [&] { books_.reduce(number, by); });
  }

  template <itch::Message M, class Play>
  void play(Book book, const M& message, Play play) {
    day_.census.crossed += books_.is_crossed(book);
    ++messages_[book];
    play();
    day_.census.peak_resting = std::max(day_.census.peak_resting, books_.resting());
    fold_best(best_, written_best(book, Side::Buy), written_best(book, Side::Sell));
    send(message, book);
  }

  [[nodiscard]] std::optional<Price> written_best(Book book, Side side) const {
    const std::optional<Price> best = books_.best(book, side);
    return best ? std::optional(written(book, *best)) : std::nullopt;
  }

  void set_checkpoint() { day_.checkpoints.push_back({sent_, day_.tape.size(), books_.resting(), best_}); }

  ItchDay day_;
  bool has_fine_symbols_;
  MarketBooks books_;  // book 0 stays empty
  std::vector<itch::Symbol> names_;
  std::vector<std::uint64_t> messages_;  // about orders, by book
  std::size_t sent_ = 0;
  OrderId last_id_ = 0;
  std::uint64_t last_match_ = 0;
  LastTrade last_trade_;
  Digest best_;
};

}  // namespace llmes::bench
