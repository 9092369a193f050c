// SPDX-License-Identifier: MIT
//
// Market data that outlives its process: a reader that lived through restarts, and one that begins late with a
// snapshot, have the right books after every command.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "llmes/ids.hpp"
#include "llmes/market_data.hpp"
#include "llmes/rules.hpp"
#include "llmes/sets.hpp"
#include "llmes/wire/glimpse.hpp"
#include "llmes/wire/soup_packets.hpp"
#include "llmes/wire/soup_session.hpp"
#include "tests/support/random.hpp"

namespace llmes::test::itch_restart_test {
namespace {

using Books = IdBook<RuledBookSet, HashedIds>;
using Sink = ItchSink<std::function<void(itch::MessageBytes)>>;
using Bytes = std::vector<std::byte>;

constexpr BookNumber books = 2;
constexpr std::size_t capacity = 30;

/// Requests of all kinds but one, of two owners: no message says where in its queue an order came.
class Requests {
 public:
  RuledBookRequest next() {
    const auto id = OrderId{1 + random_.below(50)};
    const OrderId new_id = 1 + random_.below(50);
    const Side side = random_.chance(50) ? Side::Buy : Side::Sell;
    const auto price = static_cast<Price>(100 + random_.below(9) + (side == Side::Sell ? 3 : 0));
    const Quantity quantity = 1 + random_.below(9);
    return {{request(id, new_id, side, price, quantity).with(terms(quantity))},
            static_cast<BookNumber>(random_.below(books))};
  }

 private:
  RuledRequest request(OrderId id, OrderId new_id, Side side, Price price, Quantity quantity) {
    const std::uint64_t kind = random_.below(100);
    if (kind < 50) return RuledRequest::add_limit(id, side, price, quantity, TimeInForce::GoodTillCancel);
    if (kind < 55) return RuledRequest::add_market(id, side, quantity);
    if (kind < 65) return RuledRequest::cancel(id);
    if (kind < 75) return RuledRequest::modify(id, price, quantity);
    if (kind < 80) return RuledRequest::reduce(id, quantity);
    if (kind < 90) return RuledRequest::replace(id, new_id, price, quantity);
    if (kind < 98) return RuledRequest::add_resting(id, side, price, quantity);
    return RuledRequest::mass_cancel({.owner = 1});
  }
  OrderTerms terms(Quantity quantity) {
    OrderTerms terms{.owner = static_cast<Owner>(random_.below(3)),
                     .self_trade = static_cast<SelfTrade>(random_.below(5))};
    if (random_.chance(15)) terms.display = Display::Hidden;
    if (random_.chance(20)) {
      terms.display = Display::Reserve;
      terms.peak = 1 + random_.below(quantity);
    }
    return terms;
  }

  Random random_{1};
};

std::vector<RuledBookRequest> some_requests(std::size_t count) {
  Requests requests;
  std::vector<RuledBookRequest> all(count);
  std::ranges::generate(all, [&] { return requests.next(); });
  return all;
}

/// Books whose changes go out as messages.
class Venue {
 public:
  explicit Venue(std::function<void(itch::MessageBytes)> output)
      : sink_(*Sink::create({.books = books, .capacity = capacity}, std::move(output), status_)),
        publisher_(*Publisher<Books, Sink&>::create(
            *Books::create({.max_books = books, .capacity = capacity}, {}, status_), sink_)) {
    for (BookNumber book = 0; book < books; ++book) (void)publisher_.add_book();
  }
  Venue(const Venue&) = delete;
  Venue& operator=(const Venue&) = delete;

  void begin_day() {
    sink_.system_event(itch::EventCode::StartOfMarketHours);
    for (BookNumber book = 0; book < books; ++book) sink_.directory(book, book == 0 ? "ONE" : "TWO");
  }
  /// A command at the next time.
  void apply(const RuledBookRequest& request) {
    sink_.set_time(itch::Timestamp{++time_});
    if (time_ % 50 == 0) sink_.trading(time_ % 100 == 0 ? 0 : 1, time_ % 150 == 0 ? halted : trading);
    (void)publisher_.apply(request, DiscardTrades{});
  }

  [[nodiscard]] Bytes image() const {
    Bytes image;
    EXPECT_TRUE(write_image(publisher_, [&](std::span<const std::byte> bytes) {
      image.insert(image.end(), bytes.begin(), bytes.end());
      return true;
    }));
    return image;
  }
  void restore(const Bytes& image, std::int64_t time) {
    auto at = image.begin();
    EXPECT_EQ(read_image(publisher_, image.size(),
                         [&](std::span<std::byte> bytes) {
                           std::copy_n(at, bytes.size(), bytes.begin());
                           at += static_cast<std::ptrdiff_t>(bytes.size());
                           return true;
                         }),
              ImageStatus::Success);
    EXPECT_TRUE(sink_.holds());
    time_ = time;
  }

  [[nodiscard]] std::int64_t time() const { return time_; }
  [[nodiscard]] const Sink& sink() const { return sink_; }
  [[nodiscard]] const RuledBookSet& set() const { return publisher_.book().book(); }

 private:
  static constexpr itch::TradingState halted = itch::TradingState::Halted;
  static constexpr itch::TradingState trading = itch::TradingState::Trading;

  CreateStatus status_{};
  Sink sink_;
  Publisher<Books, Sink&> publisher_;
  std::int64_t time_ = 0;
};

/// All messages of a snapshot, and from which one on its reader needs the others.
std::pair<std::vector<Bytes>, std::uint64_t> snapshot_of(const Venue& venue) {
  std::vector<Bytes> messages;
  const std::uint64_t next = venue.sink().snapshot(
      venue.set(), [&](itch::MessageBytes message) { messages.emplace_back(message.begin(), message.end()); });
  return {messages, next};
}

struct Line {
  BookNumber book;
  Side side;
  Price price;
  Quantity quantity;

  friend bool operator==(const Line&, const Line&) = default;
};
/// The displayed orders by priority.
std::vector<Line> lines_of(const RuledBookSet& set) {
  std::vector<Line> lines;
  for (BookNumber book = 0; book < books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      set.book(book)->visit_orders(side, [&](const RestingOrder& order) {
        if (order.quantity != 0) lines.push_back({book, side, order.price * 100, order.quantity});
      });
    }
  }
  return lines;
}

FeedBook make_feed() {
  return *FeedBook::create({.symbols = books, .capacity = capacity});
}

/// The same, and the references.
std::vector<Line> lines_of(const FeedBook& feed, std::vector<OrderId>* references = nullptr) {
  std::vector<Line> lines;
  for (BookNumber book = 0; book < books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      feed.visit_orders(static_cast<itch::Locate>(book + 1), side, [&](const RestingOrder& order) {
        lines.push_back({book, side, order.price, order.quantity});
        if (references != nullptr) references->push_back(order.id);
      });
    }
  }
  return lines;
}
std::vector<OrderId> references_of(const FeedBook& feed) {
  std::vector<OrderId> references;
  (void)lines_of(feed, &references);
  return references;
}

/// All messages of a stream, and how many there were after each command.
struct Day {
  std::vector<RuledBookRequest> requests;
  std::vector<Bytes> messages;
  std::vector<std::size_t> ends;

  explicit Day(std::size_t count) : requests(some_requests(count)) {
    Venue venue([this](itch::MessageBytes message) { messages.emplace_back(message.begin(), message.end()); });
    venue.begin_day();
    for (const RuledBookRequest& request : requests) {
      venue.apply(request);
      ends.push_back(messages.size());
    }
    EXPECT_EQ(venue.sink().messages(), messages.size());
    EXPECT_EQ(venue.sink().left_out(), 0u);
    std::string types;
    for (const Bytes& message : messages) types += static_cast<char>(message[0]);
    for (const char type : std::string("SRHAEXDUP")) EXPECT_NE(types.find(type), std::string::npos) << type;
  }
};

TEST(ItchAfterARestart, GoesOnFromAnImageAtEveryCommand) {
  const Day day(600);
  FeedBook feed = make_feed();
  std::vector<Bytes> told;
  const auto output = [&](itch::MessageBytes message) {
    feed.apply(message);
    told.emplace_back(message.begin(), message.end());
  };
  auto venue = std::make_unique<Venue>(output);
  venue->begin_day();
  for (std::size_t i = 0; i < day.requests.size(); ++i) {
    auto restarted = std::make_unique<Venue>(output);
    restarted->restore(venue->image(), venue->time());
    venue = std::move(restarted);
    venue->apply(day.requests[i]);
    ASSERT_EQ(lines_of(feed), lines_of(venue->set())) << i;
    ASSERT_EQ(feed.faults().total(), 0u) << i;
  }
  EXPECT_EQ(told, day.messages) << "byte for byte as without a restart";

  Venue other([](itch::MessageBytes) {});
  other.begin_day();
  for (const RuledBookRequest& request : day.requests) other.apply(request);
  EXPECT_EQ(snapshot_of(*venue), snapshot_of(other)) << "so are the snapshots";
}

TEST(ItchAfterARestart, GoesOnFromCommandsThatAreAppliedQuietly) {
  const Day day(200);
  std::size_t told = day.ends.front();
  for (std::size_t restart = 1; restart < day.requests.size(); ++restart) {
    std::vector<Bytes> messages;
    bool quiet = true;
    Venue venue([&](itch::MessageBytes message) {
      if (!quiet) messages.emplace_back(message.begin(), message.end());
    });
    venue.begin_day();
    for (std::size_t i = 0; i < restart; ++i) venue.apply(day.requests[i]);
    quiet = false;
    venue.apply(day.requests[restart]);
    ASSERT_EQ(messages.size(), day.ends[restart] - told) << restart;
    ASSERT_TRUE(std::ranges::equal(messages, std::span(day.messages).subspan(told, messages.size()))) << restart;
    told = day.ends[restart];
  }
}

/// The client of a snapshot.
struct Taker {
  FeedBook& feed;
  std::optional<std::uint64_t> next{};

  void message(std::uint64_t, std::span<const std::byte> message) {
    next = glimpse::sequence_of(message);
    if (!next) feed.apply(message);
  }
  void unsequenced(std::span<const std::byte>) {}
};
/// Its server lets everybody in.
struct Door {
  static bool login(const soup::LoginRequest&) { return true; }
  static void message(std::span<const std::byte>) {}
};

/// Gives a feed the messages of a snapshot. @return the sequence that it ends with
std::optional<std::uint64_t> take_over_the_wire(const glimpse::Snapshot& snapshot, FeedBook& feed) {
  soup::Server server("SNAPSHOT", snapshot, 0);
  soup::Client client({.user = "ann", .password = "secret", .sequence = 1}, 0);
  std::array<std::byte, 1'000> room{};
  Door door;
  Taker taker{feed};
  server.receive(std::span(room).first(client.write(room, 0)), 0, door);
  while (const std::size_t size = server.write(room, 0)) client.receive(std::span(room).first(size), 0, taker);
  return taker.next;
}

TEST(ItchSnapshot, LetsALateReaderBeginAtEveryCommand) {
  const Day day(250);
  FeedBook early = make_feed();
  for (const Bytes& message : day.messages) early.apply(message);
  const std::vector<Line> last = lines_of(early);
  const std::vector<OrderId> last_references = references_of(early);
  EXPECT_FALSE(last.empty());

  early.begin_day();
  Venue venue([&](itch::MessageBytes message) { early.apply(message); });
  venue.begin_day();
  for (std::size_t i = 0; i < day.requests.size(); ++i) {
    venue.apply(day.requests[i]);
    FeedBook late = make_feed();
    glimpse::Snapshot snapshot;
    const std::uint64_t next =
        venue.sink().snapshot(venue.set(), [&](itch::MessageBytes message) { snapshot.add(message); });
    snapshot.finish(next);
    ASSERT_EQ(next, day.ends[i] + 1) << i;
    ASSERT_EQ(take_over_the_wire(snapshot, late), next) << i;
    ASSERT_EQ(lines_of(late), lines_of(early)) << i;
    ASSERT_EQ(references_of(late), references_of(early)) << i;
    ASSERT_EQ(late.symbol(itch::Locate{2}).view(), "TWO");
    for (const Bytes& message : std::span(day.messages).subspan(next - 1)) late.apply(message);
    ASSERT_EQ(lines_of(late), last) << i;
    ASSERT_EQ(references_of(late), last_references) << i;
    ASSERT_EQ(late.faults().total(), 0u) << i;
  }
}

/// What a message says first, in one line.
struct Text {
  std::string text;

  void operator()(const itch::SystemEvent& event) {
    add("S " + std::string(1, static_cast<char>(event.event.value())));
  }
  void operator()(const itch::StockDirectory& directory) {
    add("R " + std::string(directory.symbol.view()) + ' ' + std::to_string(directory.round_lot));
  }
  void operator()(const itch::TradingAction& action) {
    add("H " + std::string(action.symbol.view()) + ' ' + static_cast<char>(action.state.value()) + ' ' +
        std::string(action.reason.view()));
  }
  void operator()(const itch::AddOrder& order) {
    add("A " + std::string(order.symbol.view()) + ' ' +
        std::to_string(static_cast<std::uint64_t>(order.reference.value())) + ' ' +
        static_cast<char>(order.side.value()) + ' ' + std::to_string(order.shares));
  }
  void add(const std::string& line) { text += line + "; "; }
};

TEST(ItchSnapshot, HasTheLastEventTheSymbolsAndTheOrdersByPriority) {
  CreateStatus status{};
  auto sink = *Sink::create(
      {.books = 3, .capacity = 3}, [](itch::MessageBytes) {}, status);
  auto set = *BookSet::create({.max_books = 2, .capacity = 8});
  Publisher<BookSet&, Sink&> publisher = *Publisher<BookSet&, Sink&>::create(set, sink);
  const auto snapshot = [&] {
    Text text;
    const std::uint64_t next =
        sink.snapshot(set, [&](itch::MessageBytes message) { (void)itch::decode(message, text); });
    return text.text + std::to_string(next);
  };
  EXPECT_EQ(snapshot(), "1") << "nothing was said";
  EXPECT_EQ(publisher.add_book(), 0u);
  EXPECT_EQ(publisher.add_book(), 1u);
  sink.system_event(itch::EventCode::StartOfMessages);
  sink.system_event(itch::EventCode::StartOfMarketHours);
  sink.directory(0, {.symbol = "ONE", .round_lot = 100u});
  sink.directory(1, "TWO");
  sink.directory(2, "NOBOOK");
  sink.trading(1, itch::TradingState::Halted, "LUDP");
  publisher.add_resting_order(0, 1, Side::Sell, 103, 1);
  publisher.add_resting_order(0, 2, Side::Sell, 102, 2);
  const OrderHandle cancelled = publisher.add_resting_order(0, 3, Side::Buy, 100, 3).handle;
  EXPECT_EQ(publisher.cancel_order(cancelled), Status::Success);
  publisher.add_resting_order(1, 4, Side::Buy, 100, 4);
  publisher.add_resting_order(1, 5, Side::Buy, 100, 5);
  EXPECT_EQ(sink.left_out(), 1u) << "it has no room for order 5";
  EXPECT_EQ(snapshot(),
            "S Q; R ONE 100; R TWO 0; H TWO H LUDP; R NOBOOK 0; A ONE 2 S 2; A ONE 1 S 1; A TWO 4 B 4; 12");
  sink.directory(0, "ONE", 100'000'000);
  EXPECT_EQ(snapshot().find("A ONE"), std::string::npos) << "the prices do not fit any more";
}

/// Of one book, and the match numbers and messages of what is no event.
TEST(ItchSinkSaysBesideEvents, CrossesBrokenTradesAndWhateverIsAboutABook) {
  std::vector<Bytes> messages;
  CreateStatus status{};
  auto sink = *Sink::create(
      {.books = 2, .capacity = 3},
      [&](itch::MessageBytes message) { messages.emplace_back(message.begin(), message.end()); }, status);
  const auto last = [&]<class M>(M kept) {
    int count = 0;
    (void)itch::decode(messages.back(), [&](const M& message) {
      kept = message;
      ++count;
    });
    EXPECT_EQ(count, 1);
    return kept;
  };
  sink.directory(1, "TWO", 50);
  sink.set_time(itch::Timestamp{77});
  const RestingOrder order{{7, 1}, 99, Side::Sell, 1'000, 500};
  sink.added({{1, 1, true}, order});

  const RestingOrder bid{{8, 1}, 98, Side::Buy, 800, 300};
  sink.added({{2, 1, true}, bid});

  OrdersCrossed trade{{3, 1, true}, {bid, 50}, {order, 100}, 900, 150};
  sink.crossed(trade);
  const auto crossed = last(itch::OrderExecutedWithPrice{});
  EXPECT_EQ(crossed.reference, itch::Reference{1});
  EXPECT_EQ(crossed.shares, 100u);
  EXPECT_EQ(crossed.match, itch::MatchNumber{1});
  EXPECT_EQ(crossed.printable, 'N');
  EXPECT_EQ(crossed.price, itch::Price4{45'000});
  const Bytes sell = messages.back();
  messages.pop_back();
  EXPECT_EQ(last(itch::OrderExecutedWithPrice{}).reference, itch::Reference{2});
  EXPECT_EQ(last(itch::OrderExecutedWithPrice{}).shares, 50u);
  EXPECT_EQ(last(itch::OrderExecutedWithPrice{}).match, itch::MatchNumber{1}) << "it is one trade";
  messages.push_back(sell);

  trade.buy = {};
  trade.sell.order.quantity = 0;
  trade.price = -1;
  sink.crossed(trade);
  EXPECT_EQ(last(itch::OrderCancel{}).shares, 100u) << "the price does not fit, but the order leaves";
  EXPECT_EQ(sink.left_out(), 1u);
  EXPECT_EQ(sink.numbers().size(), 1u);

  sink.cross(1, 900, 5'000'000'000, 'O');
  const auto cross = last(itch::CrossTrade{});
  EXPECT_EQ(cross.shares.value(), 5'000'000'000u);
  EXPECT_EQ(cross.symbol.view(), "TWO");
  EXPECT_EQ(cross.price, itch::Price4{45'000});
  EXPECT_EQ(cross.match, itch::MatchNumber{2}) << "that of the last fill";
  EXPECT_EQ(cross.cross_type, 'O');
  EXPECT_EQ(cross.header.timestamp, itch::Timestamp{77});

  sink.broken(1, itch::MatchNumber{2});
  EXPECT_EQ(last(itch::BrokenTrade{}).match, itch::MatchNumber{2});
  EXPECT_EQ(last(itch::BrokenTrade{}).header.locate, itch::Locate{2});

  sink.say(1, itch::Imbalance{.paired_shares = 7u, .direction = 'B'});
  const auto imbalance = last(itch::Imbalance{});
  EXPECT_EQ(imbalance.paired_shares.value(), 7u);
  EXPECT_EQ(imbalance.symbol.view(), "TWO");
  EXPECT_EQ(imbalance.header.locate, itch::Locate{2});
  EXPECT_EQ(imbalance.header.timestamp, itch::Timestamp{77});
  sink.say(1, itch::CircuitBreakerStatus{.level = '1'});
  EXPECT_EQ(last(itch::CircuitBreakerStatus{}).level, '1');

  const std::size_t count = messages.size();
  EXPECT_EQ(sink.messages(), count);
  sink.broken(2, itch::MatchNumber{1});
  sink.say(2, itch::Imbalance{});
  sink.trading(2, itch::TradingState::Halted);
  sink.cross(2, 900, 1, 'O');
  sink.cross(1, -1, 1, 'O');
  EXPECT_EQ(messages.size(), count) << "of no book, or of a price that does not fit";
  EXPECT_EQ(sink.left_out(), 3u);
  EXPECT_EQ(sink.numbers().last_match(), itch::MatchNumber{2});
}

/// A fill that has no message counts all the same: so a venue that counts its fills knows their match numbers.
TEST(ItchSinkSaysBesideEvents, AMatchNumberOfEveryFill) {
  CreateStatus status{};
  auto sink = *Sink::create(
      {.books = 1, .capacity = 1}, [](itch::MessageBytes) {}, status);
  sink.executed({{1, 0, true}, {.maker_handle = {7, 1}, .quantity = 1}});
  sink.hidden_executed({{2, 0, true}, Side::Buy, -1, 1});
  EXPECT_EQ(sink.messages(), 0u);
  EXPECT_EQ(sink.numbers().last_match(), itch::MatchNumber{2});
}

}  // namespace
}  // namespace llmes::test::itch_restart_test
