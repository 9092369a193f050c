// SPDX-License-Identifier: MIT
//
// A synthetic day is the same each time, has the shares that it claims, and is valid: a replay with maps and lists
// finds nothing wrong in it, counts what the census says, and ends with the same queues.
#include "bench/streams/itch_day.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/streams/market_plan.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/types/types.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test {
namespace {

using bench::ItchCheckpoint;
using bench::ItchDay;
using bench::ItchDayCensus;
using bench::ItchDaySpec;
using itch::DecodeStatus;

/// Maps and lists, with nothing clever. Fails the test at the first message that is not valid. Orders cross only
/// in a symbol that is halted, and none is executed there.
class NaiveReplay {
 public:
  NaiveReplay(const ItchDay& day, std::size_t symbols) : day_(day), books_(symbols + 1) { run(); }

  ItchDayCensus census;
  std::vector<itch::EventCode> events;
  std::vector<std::string> names;
  std::vector<std::uint64_t> seconds;  // the messages of each second
  std::set<std::uint16_t> off_grid_symbols;
  std::uint64_t references = 0;      // the last one
  std::uint64_t behind_a_front = 0;  // executions of orders that were not the first of their book
  std::uint64_t at_other_prices = 0;
  std::uint64_t parts_of_cents = 0;                           // orders below a dollar
  std::map<std::uint16_t, std::set<Price>> execution_prices;  // by symbol

  [[nodiscard]] std::uint64_t queues() const {
    bench::QueueChecksum sum;
    for (std::uint32_t number = 0; number < books_.size(); ++number) {
      const auto add = [&](Side side, const auto& level) {
        for (const std::uint64_t id : level.second) sum.add(number, side, level.first, id, orders_.at(id).shares);
      };
      const Book& book = books_[number];
      std::for_each(book.bids.rbegin(), book.bids.rend(), [&](const auto& level) { add(Side::Buy, level); });
      std::for_each(book.asks.begin(), book.asks.end(), [&](const auto& level) { add(Side::Sell, level); });
    }
    return sum.value();
  }

 private:
  void run() {
    itch::FrameReader reader(day_.tape);
    std::array<itch::MessageBytes, 1> next;
    while (!reader.read(next).empty() && !::testing::Test::HasFailure()) {
      ASSERT_EQ(itch::decode(next[0], [this](const auto& message) { take(message); }), DecodeStatus::Success);
      check_checkpoint(reader.offset());
    }
    EXPECT_EQ(reader.status(), itch::FramingStatus::Success);
    EXPECT_EQ(next_checkpoint_, day_.checkpoints.size());
    count_messages();
  }

  using Queue = std::list<std::uint64_t>;
  struct Book {
    std::map<Price, Queue> bids;
    std::map<Price, Queue> asks;
    std::string name;
    itch::TradingState state{};
    std::uint64_t messages = 0;
    std::uint64_t in_auction = 0;  // shares executed since the last one

    std::map<Price, Queue>& side(Side side) { return side == Side::Buy ? bids : asks; }
    [[nodiscard]] std::optional<Price> bid() const {
      return bids.empty() ? std::nullopt : std::optional(bids.rbegin()->first);
    }
    [[nodiscard]] std::optional<Price> ask() const {
      return asks.empty() ? std::nullopt : std::optional(asks.begin()->first);
    }
    [[nodiscard]] bool is_crossed() const { return bid() && ask() && *bid() >= *ask(); }
  };
  struct Order {
    std::uint16_t book;
    Side side;
    Price price;
    std::uint32_t shares;
    Queue::iterator place;
  };

  template <class M>
  void take(const M& message) {
    const auto locate = static_cast<std::uint16_t>(message.header.locate.value());
    ASSERT_LT(locate, books_.size());
    const std::chrono::nanoseconds time = message.header.timestamp;
    ASSERT_GE(time, last_time_);
    last_time_ = time;
    seconds.resize(
        std::max<std::size_t>(seconds.size(), static_cast<std::size_t>(time.count() / 1'000'000'000) + 1));
    ++seconds.back();
    ++messages_;
    ++census.by_type[static_cast<std::size_t>(itch::type_of<M>)];
    if constexpr (std::is_same_v<M, itch::BrokenTrade>) {
      ASSERT_EQ(traded_[static_cast<std::uint64_t>(message.match.value())], locate) << "a trade of this symbol";
    } else if constexpr (requires { message.match; }) {
      ASSERT_GT(static_cast<std::uint64_t>(message.match.value()), last_match_);
      last_match_ = static_cast<std::uint64_t>(message.match.value());
      traded_[last_match_] = locate;
    }
    if constexpr (requires { play(message, locate); }) {
      Book& book = books_[locate];
      ++book.messages;
      census.crossed += book.is_crossed();
      ASSERT_FALSE(book.is_crossed() && book.state == itch::TradingState::Trading && message.header.type != 'C');
      play(message, locate);
      census.peak_resting = std::max(census.peak_resting, orders_.size());
      fold_best(best_, book.bid(), book.ask());
    } else {
      note(message, locate);
    }
    if constexpr (requires { message.symbol; }) {
      ASSERT_EQ(message.symbol.view(), books_[locate].name);
    }
  }

  // ---- Messages about an order.

  void play(const itch::AddOrder& add, std::uint16_t book) { play_add(add, book); }
  void play(const itch::AddAttributedOrder& add, std::uint16_t book) {
    ASSERT_EQ(add.attribution.view().size(), 4U);
    play_add(add, book);
  }
  template <class Add>
  void play_add(const Add& add, std::uint16_t book) {
    ASSERT_TRUE(add.side == itch::BuySell::Buy || add.side == itch::BuySell::Sell);
    const Side side = add.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
    enter(add.reference, book, side, static_cast<Price>(add.price.value()), add.shares);
  }
  void play(const itch::OrderExecuted& execution, std::uint16_t book) {
    ASSERT_EQ(books_[book].state, itch::TradingState::Trading);
    execution_prices[book].insert(orders_.at(id_of(execution.reference)).price);
    execute(execution, book);
  }
  void play(const itch::OrderExecutedWithPrice& execution, std::uint16_t book) {
    const Price price = static_cast<Price>(execution.price.value());
    ASSERT_GT(price, 0);
    if (execution.printable == 'N') books_[book].in_auction += execution.shares;
    at_other_prices += orders_.at(id_of(execution.reference)).price != price;
    execute(execution, book);
  }
  void play(const itch::OrderCancel& cancel, std::uint16_t book) {
    ASSERT_LT(cancel.shares, orders_.at(id_of(cancel.reference)).shares);
    reduce(cancel, book);
  }
  void play(const itch::OrderDelete& removal, std::uint16_t book) { leave(removal.reference, book); }
  void play(const itch::OrderReplace& replace, std::uint16_t book) {
    const Side side = orders_.at(id_of(replace.reference)).side;
    // In this order the most levels are those that a book may need for a while.
    enter(replace.new_reference, book, side, static_cast<Price>(replace.price.value()), replace.shares);
    leave(replace.reference, book);
  }

  // ---- Other messages.

  void note(const itch::StockDirectory& listed, std::uint16_t book) {
    ASSERT_EQ(book, names.size() + 1);
    names.emplace_back(listed.symbol.view());
    books_[book].name = names.back();
  }
  void note(const itch::TradingAction& action, std::uint16_t book) {
    const bool trades = action.state == itch::TradingState::Trading;
    if (!trades) {
      ++census.halts;
      ASSERT_EQ(books_[book].state, itch::TradingState::Trading);
    }
    books_[book].state = action.state;
  }
  void note(const itch::AuctionCollar& collar, std::uint16_t book) {
    ASSERT_EQ(books_[book].state, itch::TradingState::Paused);
    ASSERT_LT(collar.lower_price.value(), collar.reference_price.value());
    ASSERT_GT(collar.upper_price.value(), collar.reference_price.value());
  }
  void note(const itch::CrossTrade& auction, std::uint16_t book) {
    ASSERT_FALSE(books_[book].is_crossed());
    ASSERT_EQ(2 * auction.shares, std::exchange(books_[book].in_auction, 0)) << "both sides";
  }
  void note(const itch::SystemEvent& event, std::uint16_t) {
    events.push_back(event.event);
    if (event.event == itch::EventCode::StartOfMarketHours) count_levels();
  }
  template <class M>
  void note(const M&, std::uint16_t) {}

  // ---- Orders.

  static std::uint64_t id_of(itch::Reference reference) { return static_cast<std::uint64_t>(reference); }

  void enter(itch::Reference reference, std::uint16_t book, Side side, Price price, std::uint32_t shares) {
    ASSERT_GT(book, 0U);
    ASSERT_GT(shares, 0U);
    ASSERT_GT(price, 0);
    ASSERT_LE(price, 1'999'999'900);
    const std::uint64_t id = id_of(reference);
    ASSERT_GT(id, references);
    references = id;
    Queue& queue = books_[book].side(side)[price];
    levels_ += queue.empty();
    census.peak_levels = std::max(census.peak_levels, levels_);
    orders_[id] = {book, side, price, shares, queue.insert(queue.end(), id)};
    if (price >= 10'000 && price % 100 != 0) {
      ++census.off_grid;
      off_grid_symbols.insert(book);
    }
    const bool is_stub = side == Side::Buy ? price == 1 || price == 100 : price == 1'999'999'900;
    census.stubs += is_stub;
    parts_of_cents += !is_stub && price < 10'000 && price % 100 != 0;
  }
  void leave(itch::Reference reference, std::uint16_t book) {
    const auto found = orders_.find(id_of(reference));
    ASSERT_TRUE(found != orders_.end());
    const Order& order = found->second;
    ASSERT_EQ(order.book, book);
    std::map<Price, Queue>& side = books_[book].side(order.side);
    const auto level = side.find(order.price);
    level->second.erase(order.place);
    if (level->second.empty()) {
      side.erase(level);
      --levels_;
    }
    orders_.erase(found);
  }
  template <class M>
  void execute(const M& execution, std::uint16_t number) {
    const auto found = orders_.find(id_of(execution.reference));
    ASSERT_TRUE(found != orders_.end());
    Book& book = books_[number];
    const Order& order = found->second;
    const Price best = order.side == Side::Buy ? *book.bid() : *book.ask();
    behind_a_front += order.price != best || order.place != book.side(order.side)[best].begin();
    reduce(execution, number);
  }
  template <class M>
  void reduce(const M& message, std::uint16_t book) {
    const auto found = orders_.find(id_of(message.reference));
    ASSERT_TRUE(found != orders_.end());
    ASSERT_EQ(found->second.book, book);
    ASSERT_GT(message.shares, 0U);
    ASSERT_LE(message.shares, found->second.shares);
    found->second.shares -= message.shares;
    if (found->second.shares == 0) leave(message.reference, book);
  }

  // ---- Counts.

  void count_levels() {
    std::vector<std::size_t> levels;
    for (std::size_t i = 1; i < books_.size(); ++i)
      levels.push_back(books_[i].bids.size() + books_[i].asks.size());
    std::sort(levels.begin(), levels.end());
    for (const std::size_t of_book : levels) census.levels_at_open += static_cast<double>(of_book);
    census.levels_at_open /= static_cast<double>(levels.size());
    census.busiest_levels = levels.back();
    census.median_levels = levels[levels.size() / 2];
  }
  void count_messages() {
    std::vector<std::uint64_t> messages;
    double all = 0;
    for (std::size_t i = 1; i < books_.size(); ++i) messages.push_back(books_[i].messages);
    for (const std::uint64_t of_book : messages) all += static_cast<double>(of_book);
    std::sort(messages.begin(), messages.end());
    census.busiest = all > 0 ? static_cast<double>(messages.back()) / all : 0;
    census.median = all > 0 ? static_cast<double>(messages[messages.size() / 2]) / all : 0;
  }
  void check_checkpoint(std::size_t bytes) {
    ASSERT_LT(next_checkpoint_, day_.checkpoints.size());
    const ItchCheckpoint& checkpoint = day_.checkpoints[next_checkpoint_];
    ASSERT_LE(messages_, checkpoint.messages);
    if (messages_ < checkpoint.messages) return;
    ++next_checkpoint_;
    EXPECT_EQ(checkpoint.bytes, bytes);
    EXPECT_EQ(checkpoint.resting, orders_.size());
    EXPECT_EQ(checkpoint.best, best_);
  }

  const ItchDay& day_;
  std::vector<Book> books_;
  std::unordered_map<std::uint64_t, Order> orders_;
  std::chrono::nanoseconds last_time_{0};
  std::uint64_t last_match_ = 0;
  std::map<std::uint64_t, std::uint16_t> traded_;  // the symbol of each match
  bench::Digest best_;
  std::size_t levels_ = 0;
  std::size_t messages_ = 0;
  std::size_t next_checkpoint_ = 0;
};

void expect_same(const ItchDayCensus& census, const ItchDayCensus& counted) {
  EXPECT_EQ(census.by_type, counted.by_type);
  EXPECT_EQ(census.peak_resting, counted.peak_resting);
  EXPECT_EQ(census.peak_levels, counted.peak_levels);
  EXPECT_EQ(census.levels_at_open, counted.levels_at_open);
  EXPECT_EQ(census.busiest_levels, counted.busiest_levels);
  EXPECT_EQ(census.median_levels, counted.median_levels);
  EXPECT_EQ(census.off_grid, counted.off_grid);
  EXPECT_EQ(census.stubs, counted.stubs);
  EXPECT_EQ(census.crossed, counted.crossed);
  EXPECT_EQ(census.halts, counted.halts);
  EXPECT_EQ(census.busiest, counted.busiest);
  EXPECT_EQ(census.median, counted.median);
}

TEST(ItchDay, IsValidAndLikeThePublishedDay) {
  // A hundredth of the symbols and of the messages of the day that is measured.
  const ItchDaySpec spec{.messages = 200'000, .symbols = 89};
  const ItchDay day = bench::make_itch_day(spec);
  const NaiveReplay replay(day, spec.symbols);
  const ItchDayCensus& census = day.census;
  expect_same(census, replay.census);
  EXPECT_EQ(day.final_queues, replay.queues());

  EXPECT_EQ(census.messages(), spec.messages);
  EXPECT_NEAR(share(census.adds(), spec.messages), 118.6 / 267.4, 0.005);
  EXPECT_NEAR(share(census.deletes(), spec.messages), 114.4 / 267.4, 0.005);
  EXPECT_NEAR(share(census.replaces(), spec.messages), 21.6 / 267.4, 0.003);
  EXPECT_NEAR(share(census.executes(), spec.messages), 5.8 / 267.4, 0.0025);
  EXPECT_NEAR(share(census.cancels(), spec.messages), 2.8 / 267.4, 0.001);
  EXPECT_NEAR(share(census.others(), spec.messages), 4.2 / 267.4, 0.001);
  for (const char type : std::string_view("ADUEXFCPIQBSRHYLVWKJhNO")) EXPECT_GT(census.count(type), 0U) << type;
  for (const char type : {'B', 'K', 'O', 'W'}) EXPECT_EQ(census.count(type), 1U) << type;
  EXPECT_EQ(census.count('h'), 2U);
  EXPECT_LT(10 * census.count('N'), census.count('P'));

  EXPECT_EQ(census.peak_resting, 89U * 1'924'078 / 8'907);
  EXPECT_GT(census.peak_levels, census.peak_resting / 4);
  EXPECT_NEAR(census.levels_at_open, 61, 9);
  EXPECT_GT(census.busiest_levels, 3 * census.median_levels);
  EXPECT_GT(census.median_levels, 24U);
  EXPECT_LT(census.median_levels, 61U);
  EXPECT_GT(census.busiest, 4 * census.median);
  EXPECT_GT(census.halts, 0U);
  EXPECT_GT(census.crossed, 0U);

  Price lowest = std::numeric_limits<Price>::max();  // median of a symbol
  Price highest = 0;
  std::size_t most = 0;  // different prices of a symbol
  for (const auto& [symbol, prices] : replay.execution_prices) {
    const Price median = *std::next(prices.begin(), static_cast<std::ptrdiff_t>(prices.size() / 2));
    lowest = std::min(lowest, median);
    highest = std::max(highest, median);
    most = std::max(most, prices.size());
  }
  EXPECT_LT(lowest, 5'000);
  EXPECT_GT(highest, 10'000'000);
  EXPECT_GT(most, 20U) << "fair prices wander";
  EXPECT_GT(replay.parts_of_cents, 0U);
  EXPECT_GT(census.stubs, 0U);
  EXPECT_GT(census.off_grid, 0U);
  EXPECT_LT(share(census.off_grid, census.adds()), 0.0003);
  EXPECT_EQ(replay.off_grid_symbols.size(), 1U);
  EXPECT_LT(share(replay.behind_a_front, census.executes()), 0.05);
  EXPECT_GT(replay.at_other_prices, census.count('C') / 2);
  EXPECT_NEAR(share(replay.references, census.adds() + census.replaces()), 2.5, 0.05) << "dense with gaps";

  std::set<std::size_t> lengths;
  for (const std::string& name : replay.names) lengths.insert(name.size());
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2}));
  EXPECT_EQ(std::set<std::string>(replay.names.begin(), replay.names.end()).size(), spec.symbols);

  using enum itch::EventCode;
  EXPECT_EQ(replay.events, (std::vector{StartOfMessages, StartOfSystemHours, StartOfMarketHours, EndOfMarketHours,
                                        EndOfSystemHours, EndOfMessages}));
  const auto between = [&](std::size_t from, std::size_t to) {
    return share(std::accumulate(replay.seconds.begin() + static_cast<std::ptrdiff_t>(from),
                                 replay.seconds.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0}),
                 to - from);
  };
  constexpr std::size_t opening = 34'200;
  constexpr std::size_t closing = 57'600;
  const double noon = between(12 * 3600, 13 * 3600);
  EXPECT_GT(between(opening, opening + 1), 100 * noon);
  EXPECT_GT(between(closing, closing + 1), 50 * noon);
  EXPECT_GT(between(opening, opening + 300), 5 * noon);
  EXPECT_GT(between(closing - 600, closing), 3 * noon);
  EXPECT_LT(between(5 * 3600, 6 * 3600), noon / 4);
}

/// The steps that the prices of a symbol are multiples of lie closer to each other, and nothing else changes.
TEST(ItchDay, MayHaveFineSymbols) {
  ItchDaySpec spec{.messages = 200'000, .symbols = 320};
  const ItchDay usual = bench::make_itch_day(spec);
  spec.has_fine_symbols = true;
  const ItchDay day = bench::make_itch_day(spec);
  const NaiveReplay replay(day, spec.symbols);
  expect_same(day.census, replay.census);
  EXPECT_EQ(day.final_queues, replay.queues());
  ItchDayCensus census = day.census;
  census.off_grid = usual.census.off_grid;
  expect_same(census, usual.census);
  EXPECT_NEAR(share(day.census.off_grid, day.census.adds() + day.census.replaces()), 1 / 6.0, 0.05)
      << "half of the prices of a third of the symbols";
  EXPECT_NEAR(static_cast<double>(replay.off_grid_symbols.size()), 320 / 3.0, 12);
  EXPECT_TRUE(replay.off_grid_symbols.contains(2)) << "in hundredths of a cent";
}

TEST(ItchDay, IsTheSameForTheSameSeed) {
  ItchDaySpec spec{.messages = 20'000, .symbols = 30};
  const ItchDay day = bench::make_itch_day(spec);
  const ItchDay again = bench::make_itch_day(spec);
  EXPECT_TRUE(day.tape == again.tape);
  EXPECT_EQ(day.final_queues, again.final_queues);
  spec.seed = 2;
  EXPECT_NE(bench::make_itch_day(spec).final_queues, day.final_queues);
}

TEST(ItchDay, IsValidHoweverSmall) {
  for (const auto& [messages, symbols] : {std::pair{12, 1},
                                          {13, 1},
                                          {30, 1},
                                          {1'000, 1},
                                          {10'000, 1},
                                          {107, 20},
                                          {200, 20},
                                          {2'000, 300},
                                          {45'000, 8'907}}) {
    SCOPED_TRACE(messages);
    const ItchDaySpec spec{.messages = static_cast<std::size_t>(messages),
                           .symbols = static_cast<std::size_t>(symbols)};
    const ItchDay day = bench::make_itch_day(spec);
    const NaiveReplay replay(day, spec.symbols);
    EXPECT_EQ(day.census.messages(), spec.messages);
    expect_same(day.census, replay.census);
    EXPECT_EQ(day.final_queues, replay.queues());
    std::set<std::string> names(replay.names.begin(), replay.names.end());
    EXPECT_EQ(names.size(), spec.symbols);
  }
}

TEST(ItchDay, HasThePeakAskedFor) {
  const ItchDay day = bench::make_itch_day({.messages = 50'000, .symbols = 20, .peak_resting = 1'000});
  EXPECT_EQ(day.census.peak_resting, 1'000U);
}

TEST(ItchDay, IsRefusedWithNothingToWrite) {
  EXPECT_THROW((void)bench::make_itch_day({.messages = 1'000, .symbols = 0}), std::invalid_argument);
  EXPECT_THROW((void)bench::make_itch_day({.symbols = 65'536}), std::invalid_argument);
  EXPECT_THROW((void)bench::make_itch_day({.messages = 106, .symbols = 20}), std::invalid_argument);
  EXPECT_THROW((void)bench::make_itch_day({.messages = std::size_t{1} << 32}), std::invalid_argument);
  EXPECT_THROW((void)bench::make_itch_day({.messages = 1'000, .symbols = 1, .peak_resting = 0}),
               std::invalid_argument);
  EXPECT_THROW((void)bench::make_itch_day({.messages = 1'000, .symbols = 1, .peak_resting = 101}),
               std::invalid_argument);
}

TEST(ItchDay, ShowsItsMixBesideThePublishedOne) {
  ItchDayCensus census;
  census.by_type['A'] = 30;
  census.by_type['F'] = 10;
  census.by_type['D'] = 57;
  census.by_type['h'] = 2;
  census.by_type['W'] = 1;
  const std::string table = bench::mix_table(census);
  EXPECT_NE(table.find("add                  40  40.000%    44.353%\n"), std::string::npos) << table;
  EXPECT_NE(table.find("delete               57  57.000%    42.782%\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nothers by type: W 1 h 2\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace llmes::test
