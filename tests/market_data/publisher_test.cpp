// SPDX-License-Identifier: MIT
//
// A publisher tells each stream what each kind of call does, and no more of it than its sink takes; a snapshot and
// what is told after it are the book. That readers have the book after every command:
// publisher_conformance_test.cpp. Sets and ids: publisher_set_test.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/market_data.hpp"
#include "tests/support/each_event.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/results.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

constexpr auto good_till_cancel = TimeInForce::GoodTillCancel;

/// A book with bids 1 and 2 at 8 and 3 at 7, asks 4 and 5 at 10, 6 at 11 and 7 at 13, and a publisher that is
/// asked what it tells of a call.
class Publishing : public ::testing::Test {
 protected:
  using Book = OrderBook<64>;
  using Sink = decltype(keep_texts(std::declval<EventTexts&>()));

  Publishing() {
    add(1, Side::Buy, 8, 5);
    add(2, Side::Buy, 8, 6);
    add(3, Side::Buy, 7, 2);
    add(4, Side::Sell, 10, 3);
    add(5, Side::Sell, 10, 4);
    add(6, Side::Sell, 11, 5);
    add(7, Side::Sell, 13, 9);
  }

  void add(OrderId id, Side side, Price price, Quantity quantity) {
    handles.push_back(book.add_limit_order(id, side, price, quantity, good_till_cancel, DiscardTrades{}).handle);
  }
  [[nodiscard]] OrderHandle order(OrderId id) const { return handles.at(id - 1); }
  EventTexts told() { return std::exchange(texts, {}); }

  Book book = *Book::create({.capacity = 8});
  std::vector<OrderHandle> handles;
  EventTexts texts;
  Sink sink = keep_texts(texts);
  Publisher<Book&, Sink&> publisher = *Publisher<Book&, Sink&>::create(book, sink);
  DiscardTrades none;
};

TEST_F(Publishing, OfAnAddThatRests) {
  publisher.add_limit_order(8, Side::Buy, 8, 1, good_till_cancel, none);
  EXPECT_EQ(told(), (EventTexts{"O1. added: 8 buys 1@8", "L1. bid 12/3@8", "B1. 12/3@8 - 7/2@10"}));
  ASSERT_EQ(book.size(), 8u);
  EXPECT_EQ(publisher.cancel_order(order(1)), Status::Success);
  told();
  publisher.add_resting_order(9, Side::Sell, 14, 1);
  EXPECT_EQ(told(), (EventTexts{"O3. added: 9 sells 1@14", "L3. ask 1/1@14"})) << "behind the best";
}

TEST_F(Publishing, OfAnAddInFrontOfAnotherOrder) {
  std::vector<OrderHandle> in_front_of;
  auto sink_of_places = EachEvent{[&](const auto& event) {
    if constexpr (requires { event.in_front_of; }) in_front_of.push_back(event.in_front_of);
  }};
  auto places = *Publisher<Book&, decltype(sink_of_places)&>::create(book, sink_of_places);
  const Result result = places.add_resting_order_before(order(2), 8, 1);
  EXPECT_EQ(in_front_of, (std::vector{order(2)}));
  places.modify_order(result.handle, 7, 1, none);
  EXPECT_EQ(places.cancel_order(result.handle), Status::Success);
  places.add_limit_order(8, Side::Buy, 8, 1, good_till_cancel, none);
  EXPECT_EQ(in_front_of.back(), OrderHandle{}) << "the youngest";
  EXPECT_EQ(places.cancel_order(orders_of(book, Side::Buy)[2].handle), Status::Success);

  publisher.add_resting_order_before(order(4), 9, 2);
  EXPECT_EQ(told(), (EventTexts{"O1. added: 9 sells 2@10, in front", "L1. ask 9/3@10", "B1. 11/2@8 - 9/3@10"}));
  EXPECT_EQ(book.size(), 8u);
  publisher.add_resting_order_before(order(4), 10, 2);
  EXPECT_EQ(told(), EventTexts{}) << "rejected: the pool is full";
}

TEST_F(Publishing, OfAnAddThatTradesAndRests) {
  publisher.add_limit_order(8, Side::Buy, 12, 14, good_till_cancel, none);
  EXPECT_EQ(told(),
            (EventTexts{"O1 executed: 8 takes 3@10 of 4, left 0", "O2 executed: 8 takes 4@10 of 5, left 0",
                        "L1 ask 0/0@10", "O3 executed: 8 takes 5@11 of 6, left 0", "O4. added: 8 buys 2@12",
                        "L2 ask 0/0@11", "L3. bid 2/1@12", "B1. 2/1@12 - 9/1@13"}));
}

TEST_F(Publishing, OfATakerThatIsFilled) {
  publisher.add_limit_order(8, Side::Buy, 11, 8, good_till_cancel, none);
  EXPECT_EQ(told(), (EventTexts{"O1 executed: 8 takes 3@10 of 4, left 0", "O2 executed: 8 takes 4@10 of 5, left 0",
                                "L1 ask 0/0@10", "O3. executed: 8 takes 1@11 of 6, left 4", "L2. ask 4/1@11",
                                "B1. 11/2@8 - 4/1@11"}));
}

TEST_F(Publishing, OfATakerThatDropsItsRest) {
  publisher.add_market_order(8, Side::Sell, 100, none);
  EXPECT_EQ(told(), (EventTexts{"O1 executed: 8 takes 5@8 of 1, left 0", "O2 executed: 8 takes 6@8 of 2, left 0",
                                "L1 bid 0/0@8", "O3. executed: 8 takes 2@7 of 3, left 0", "L2. bid 0/0@7",
                                "B1. 0/0@0 - 7/2@10"}));
  publisher.add_market_order(8, Side::Sell, 100, none);
  publisher.add_limit_order(8, Side::Buy, 9, 1, TimeInForce::ImmediateOrCancel, none);
  EXPECT_EQ(told(), EventTexts{}) << "no maker";
}

TEST_F(Publishing, OfOrdersThatLeave) {
  EXPECT_EQ(publisher.cancel_order(order(3)), Status::Success);
  EXPECT_EQ(told(), (EventTexts{"O1. deleted: 3 buys 2@7", "L1. bid 0/0@7"}));
  RestingOrder cancelled;
  EXPECT_EQ(publisher.cancel_order(order(4), cancelled), Status::Success);
  EXPECT_EQ(cancelled, (RestingOrder{order(4), 4, Side::Sell, 10, 3}));
  EXPECT_EQ(told(), (EventTexts{"O2. deleted: 4 sells 3@10", "L2. ask 4/1@10", "B1. 11/2@8 - 4/1@10"}));
  EXPECT_EQ(publisher.reduce_order(order(5), 4), Status::Success);
  EXPECT_EQ(told(), (EventTexts{"O3. deleted: 5 sells 4@10", "L3. ask 0/0@10", "B2. 11/2@8 - 5/1@11"}));
}

TEST_F(Publishing, OfOrdersThatKeepTheirPlace) {
  RestingOrder left;
  EXPECT_EQ(publisher.reduce_order(order(1), 2, left), Status::Success);
  EXPECT_EQ(left, (RestingOrder{order(1), 1, Side::Buy, 8, 3}));
  EXPECT_EQ(told(), (EventTexts{"O1. reduced by 2: 1 buys 3@8", "L1. bid 9/2@8", "B1. 9/2@8 - 7/2@10"}));
  publisher.modify_order(order(7), 13, 8, none);
  EXPECT_EQ(told(), (EventTexts{"O2. reduced by 1: 7 sells 8@13", "L2. ask 8/1@13"}));
  EXPECT_EQ(publisher.modify_order(order(1), 8, 3, none), kept_place(order(1), 3));
  EXPECT_EQ(publisher.modify_resting_order(order(1), 8, 3), kept_place(order(1), 3));
  EXPECT_EQ(told(), EventTexts{}) << "a modify that changes nothing";
}

TEST_F(Publishing, OfOrdersThatMove) {
  publisher.modify_order(order(1), 8, 9, none);
  EXPECT_EQ(told(), (EventTexts{"O1. replaced in place of itself: 1 buys 5@8 by 1 buys 9@8", "L1. bid 15/2@8",
                                "B1. 15/2@8 - 7/2@10"}));
  publisher.modify_order(order(1), 10, 9, none);
  EXPECT_EQ(told(), (EventTexts{"O2 executed: 1 takes 3@10 of 4, left 0", "O3 executed: 1 takes 4@10 of 5, left 0",
                                "O4. replaced in place of itself: 1 buys 9@8 by 1 buys 2@10", "L2 ask 0/0@10",
                                "L3 bid 6/1@8", "L4. bid 2/1@10", "B2. 2/1@10 - 5/1@11"}));
  publisher.replace_order(order(7), 9, 12, 1, none);
  EXPECT_EQ(told(), (EventTexts{"O5. replaced: 7 sells 9@13 by 9 sells 1@12", "L5 ask 0/0@13", "L6. ask 1/1@12"}));
  publisher.replace_resting_order(order(6), 10, 11, 5);
  EXPECT_EQ(told(), (EventTexts{"O6. replaced: 6 sells 5@11 by 10 sells 5@11", "L7. ask 5/1@11"}))
      << "a level that is touched and as before";
}

TEST_F(Publishing, OfOrdersThatMoveAndDoNotRest) {
  publisher.modify_order(order(3), 10, 1, none);
  EXPECT_EQ(told(), (EventTexts{"O1 executed: 3 takes 1@10 of 4, left 2", "O2. deleted: 3 buys 2@7",
                                "L1 ask 6/2@10", "L2. bid 0/0@7", "B1. 11/2@8 - 6/2@10"}));
  publisher.replace_order(order(2), 9, 9, 4, TimeInForce::ImmediateOrCancel, none);
  EXPECT_EQ(told(), (EventTexts{"O3. deleted: 2 buys 6@8", "L3. bid 5/1@8", "B2. 5/1@8 - 6/2@10"}));
}

TEST_F(Publishing, OfAClear) {
  EXPECT_EQ(publisher.clear(static_cast<Side>(7)), 0u);
  EXPECT_EQ(told(), EventTexts{});
  EXPECT_EQ(publisher.clear(Side::Buy), 3u);
  EXPECT_EQ(told(), (EventTexts{"O1 deleted: 1 buys 5@8", "O2 deleted: 2 buys 6@8", "L1 bid 0/0@8",
                                "O3. deleted: 3 buys 2@7", "L2. bid 0/0@7", "B1. 0/0@0 - 7/2@10"}));
  publisher.add_limit_order(8, Side::Buy, 8, 1, good_till_cancel, none);
  told();
  EXPECT_EQ(publisher.clear(), 5u);
  EXPECT_EQ(told(),
            (EventTexts{"O5 deleted: 8 buys 1@8", "L4 bid 0/0@8", "O6 deleted: 4 sells 3@10",
                        "O7 deleted: 5 sells 4@10", "L5 ask 0/0@10", "O8 deleted: 6 sells 5@11", "L6 ask 0/0@11",
                        "O9. deleted: 7 sells 9@13", "L7. ask 0/0@13", "B3. 0/0@0 - 0/0@0"}));
  EXPECT_EQ(publisher.clear(), 0u);
  EXPECT_EQ(told(), EventTexts{});
}

TEST_F(Publishing, OfARejectionIsNothing) {
  publisher.add_limit_order(8, Side::Buy, 10, 1, TimeInForce::PostOnly, none);
  publisher.add_limit_order(8, Side::Buy, 64, 1, good_till_cancel, none);
  publisher.add_limit_order(8, Side::Buy, 13, 99, TimeInForce::FillOrKill, none);
  publisher.add_market_order(8, static_cast<Side>(7), 1, none);
  publisher.add_resting_order(8, Side::Buy, 3, 0);
  EXPECT_EQ(publisher.cancel_order({}), Status::UnknownOrder);
  EXPECT_EQ(publisher.reduce_order(order(1), 99), Status::InvalidQuantity);
  publisher.modify_order(order(1), 64, 1, none);
  publisher.modify_order(order(1), 10, 1, TimeInForce::PostOnly, none);
  publisher.modify_resting_order(order(1), 3, 0);
  publisher.replace_order({}, 9, 3, 1, none);
  publisher.replace_order(order(1), 9, 10, 1, TimeInForce::PostOnly, none);
  publisher.replace_resting_order(order(1), 9, 64, 1);
  Command invalid = Command::cancel(order(1));
  invalid.type = static_cast<CommandType>(99);
  publisher.apply(invalid, none);
  EXPECT_EQ(publisher.recenter(0), Status::Success);
  EXPECT_EQ(told(), EventTexts{});
  EXPECT_EQ(publisher.positions(), StreamPositions{});
}

TEST_F(Publishing, SaysHowFarItsStreamsAre) {
  publisher.add_limit_order(8, Side::Buy, 12, 14, good_till_cancel, none);
  EXPECT_EQ(publisher.positions(), (StreamPositions{4, 3, 1}));
  EXPECT_EQ(publisher.positions(1), StreamPositions{}) << "no such book";
  EXPECT_EQ(&publisher.book(), &book);
  EXPECT_EQ(&publisher.sink(), &sink);
}

// ---- What a sink takes.

struct Fills {
  std::vector<OrderExecuted> fills{};
  void executed(const OrderExecuted& event) { fills.push_back(event); }
};

TEST(PublisherTo, ASinkOfFillsAloneLeavesNoGapsAndEndsCommands) {
  auto publisher = *Publisher<OrderBook<64>, Fills>::create(*OrderBook<64>::create({.capacity = 8}), {});
  publisher.add_limit_order(1, Side::Buy, 3, 1, good_till_cancel, DiscardTrades{});
  publisher.add_limit_order(2, Side::Buy, 2, 1, good_till_cancel, DiscardTrades{});
  publisher.add_limit_order(3, Side::Sell, 2, 9, good_till_cancel, DiscardTrades{});
  ASSERT_EQ(publisher.sink().fills.size(), 2u);
  EXPECT_EQ(publisher.sink().fills[0].sequence, 1u);
  EXPECT_FALSE(publisher.sink().fills[0].ends_command);
  EXPECT_EQ(publisher.sink().fills[1].sequence, 2u);
  EXPECT_TRUE(publisher.sink().fills[1].ends_command) << "it is not told that the rest is added";
}

/// As fills alone, but a kind of event that may end a command is taken as well.
struct FillsAndAdds : Fills {
  std::size_t adds = 0;
  void added(const OrderAdded& event) {
    EXPECT_TRUE(event.ends_command);
    ++adds;
  }
};

TEST(PublisherTo, ASinkOfSomeEventsOfOrders) {
  auto publisher = *Publisher<OrderBook<64>, FillsAndAdds>::create(*OrderBook<64>::create({.capacity = 8}), {});
  const OrderHandle bid = publisher.add_limit_order(1, Side::Buy, 3, 4, good_till_cancel, DiscardTrades{}).handle;
  publisher.add_limit_order(2, Side::Sell, 5, 1, good_till_cancel, DiscardTrades{});
  publisher.modify_order(bid, 5, 4, DiscardTrades{});
  EXPECT_EQ(publisher.sink().adds, 2u);
  ASSERT_EQ(publisher.sink().fills.size(), 1u);
  EXPECT_EQ(publisher.sink().fills[0].sequence, 3u);
  EXPECT_TRUE(publisher.sink().fills[0].ends_command) << "a replace is not taken";
}

/// A book that can only execute commands and say what is best: all that a listener to the best prices needs.
class LittleBook {
 public:
  using Terms = NoTerms;

  explicit LittleBook(OrderBook<64>&& book) : book_(std::move(book)) {}
  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details& details) {
    return book_.execute<type>(command, sink, details);
  }
  std::size_t clear(Side side) { return book_.clear(side); }
  [[nodiscard]] std::optional<Price> best(Side side) const { return book_.best(side); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return book_.level(side, price); }

 private:
  OrderBook<64> book_;
};

struct Bests {
  std::vector<BestChanged> changes{};
  void best_changed(const BestChanged& event) { changes.push_back(event); }
};

TEST(PublisherTo, AListenerToTheBestCompilesNothingElse) {
  auto publisher = *Publisher<LittleBook, Bests>::create(LittleBook(*OrderBook<64>::create({.capacity = 8})), {});
  const OrderHandle bid = publisher.add_limit_order(1, Side::Buy, 3, 4, good_till_cancel, DiscardTrades{}).handle;
  publisher.add_limit_order(1, Side::Buy, 2, 4, good_till_cancel, DiscardTrades{});
  EXPECT_EQ(publisher.cancel_order(bid), Status::Success);
  EXPECT_EQ(publisher.clear(Side::Buy), 1u);
  EXPECT_EQ(publisher.sink().changes,
            (std::vector<BestChanged>{
                {{1, 0, true}, {3, 4, 1}, {}}, {{2, 0, true}, {2, 4, 1}, {}}, {{3, 0, true}, {}, {}}}));
}

/// A sink may ask the book when a command has ended in a stream.
TEST(PublisherTo, ASinkThatAsksTheBook) {
  OrderBook<64> book = *OrderBook<64>::create({.capacity = 8});
  std::size_t asked = 0;
  EachEvent sink{[&](const auto& event) {
    if (!event.ends_command) return;
    ++asked;
    if constexpr (requires { event.order; }) {
      EXPECT_EQ(book.find(event.order.handle).has_value(), book.size() > 0);
    } else if constexpr (requires { event.level; }) {
      EXPECT_EQ(book.level(event.side, event.level.price), event.level);
    }
  }};
  auto publisher = *Publisher<OrderBook<64>&, decltype(sink)&>::create(book, sink);
  publisher.add_limit_order(1, Side::Buy, 3, 4, good_till_cancel, DiscardTrades{});
  publisher.add_limit_order(2, Side::Sell, 2, 9, good_till_cancel, DiscardTrades{});
  EXPECT_EQ(publisher.clear(), 1u);
  EXPECT_EQ(asked, 9u);
}

// ---- Streams of commands.

template <class Book>
class PublisherOf : public ::testing::Test {
 protected:
  static Book create(const BookConfig& config) { return *Book::create(config); }
};
using PublishedBooks = ::testing::Types<OrderBook<64>, AnyPriceBook<512>>;
TYPED_TEST_SUITE(PublisherOf, PublishedBooks);

/// What is told of a tape, by whatever way the commands take.
template <class Book, class Play>
EventTexts told_of(Book&& book, const Play& play) {
  EventTexts texts;
  auto sink = keep_texts(texts);
  auto publisher = *Publisher<Book&, decltype(sink)&>::create(book, sink);
  play(publisher);
  return texts;
}

TYPED_TEST(PublisherOf, TellsOfSpansAsOfSingleCalls) {
  for (const Profile& profile : {near_prices, crossed, nearly_full_pool}) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    TypeParam recorder = this->create(config);
    const Tape tape = record_tape(recorder, random_stream(profile, config, 64, 3));
    const std::span<const Command> commands(tape.commands);
    RecordTrades trades;
    const EventTexts single = told_of(this->create(config), [&](auto& publisher) {
      for (std::size_t i = 0; i < commands.size(); ++i) {
        EXPECT_EQ(publisher.apply(commands[i], trades), tape.results[i]);
      }
    });
    EXPECT_EQ(trades.trades, tape.trades);
    EXPECT_GT(single.size(), 1'000u);

    std::vector<Result> results(commands.size());
    RecordTrades trades_of_spans;
    const EventTexts spans = told_of(this->create(config), [&](auto& publisher) {
      EXPECT_EQ(publisher.apply(commands.first(0), results, trades_of_spans), 0u);
      for (std::size_t i = 0; i < commands.size(); i += 50) {
        EXPECT_EQ(publisher.apply(commands.subspan(i, 50), std::span(results).subspan(i, 50), trades_of_spans),
                  50u);
      }
    });
    EXPECT_EQ(spans, single);
    EXPECT_EQ(results, tape.results);
    EXPECT_EQ(trades_of_spans.trades, tape.trades);
  }
}

/// The receiver gives later commands their handles, and makes calls itself; it and the sink of trades learn of the
/// index, as those of a book do.
struct BusyReceiver {
  std::vector<Command>& commands;
  std::function<void(std::size_t)> call;

  void operator()(const Result& result, std::size_t i) {
    if (result.rests() && i + 1 < commands.size()) commands[i + 1].handle = result.handle;
    call(i);
  }
};
struct IndexedTrades {
  std::vector<std::size_t> indexes{};
  void operator()(const Trade&, std::size_t i) { indexes.push_back(i); }
};

TYPED_TEST(PublisherOf, TellsOfCallsBetweenCommandsOfASpan) {
  const auto add = Command::add_limit(1, Side::Buy, 5, 3, good_till_cancel);
  const std::vector script{
      add, Command::modify({}, 6, 3), Command::reduce({}, 1), Command::add_market(2, Side::Sell, 2),
      add, Command::cancel({})};
  const auto extra = Command::add_limit(9, Side::Sell, 6, 1, good_till_cancel);
  std::vector<Command> commands = script;
  std::vector<Command> plain_commands = script;
  IndexedTrades trades;
  IndexedTrades plain_trades;
  TypeParam plain = this->create({.capacity = 8});
  BusyReceiver plain_receiver{plain_commands, [&](std::size_t i) {
                                if (i == 0 || i == 4) plain.apply(extra, DiscardTrades{});
                              }};
  plain.apply(std::span<const Command>(plain_commands), plain_receiver, plain_trades);

  EventReader reader;
  TypeParam book = this->create({.capacity = 8});
  auto publisher = *Publisher<TypeParam&, EventReader&>::create(book, reader);
  const std::vector<std::string> expected{"A", "A", "EP", "R", "E", "A", "A", "D"};
  std::vector<std::string> told;
  BusyReceiver receiver{commands, [&](std::size_t i) {
                          told.push_back(reader.end_any_command());
                          if (i == 0 || i == 4) publisher.apply(extra, DiscardTrades{});
                          if (i == 0 || i == 4) told.push_back(reader.end_any_command());
                          reader.compare(book);
                        }};
  publisher.apply(std::span<const Command>(commands), receiver, trades);
  EXPECT_EQ(reader.fault(), "");
  EXPECT_EQ(told, expected);
  EXPECT_EQ(trades.indexes, plain_trades.indexes);
  EXPECT_EQ(snapshot_of(book), snapshot_of(plain));
}

// ---- Snapshots.

/// A reader that begins at any command with a snapshot has the book from then on; it is given all events from the
/// first one, and leaves out what the snapshot includes.
TYPED_TEST(PublisherOf, GivesSnapshotsThatIncrementsContinue) {
  for (const Profile& profile : {near_prices, crossed, nearly_full_pool}) {
    const BookConfig config{.base_price = -20, .capacity = profile.capacity};
    TypeParam recorder = this->create(config);
    Tape tape = record_tape(recorder, random_stream(profile, config, 64, 4));
    tape.commands.resize(repetitions(300u));
    TypeParam book = this->create(config);
    std::vector<std::unique_ptr<EventReader>> readers;
    std::vector<std::function<void(EventReader&)>> log;
    EachEvent sink{[&](const auto& event) {
      for (auto& reader : readers) give(*reader, event);
      log.emplace_back([event](EventReader& reader) { give(reader, event); });
    }};
    auto publisher = *Publisher<TypeParam&, decltype(sink)&>::create(book, sink);
    for (const Command& command : tape.commands) {
      publisher.apply(command, DiscardTrades{});
      readers.push_back(std::make_unique<EventReader>());
      readers.back()->load(book, publisher.positions());
      for (auto& replay : log) replay(*readers.back());
      for (std::size_t i = 0; i < readers.size(); ++i) {
        static_cast<void>(readers[i]->end_any_command());
        if (i % 16 == readers.size() % 16) readers[i]->compare(book);
        ASSERT_EQ(readers[i]->fault(), "") << i << " of " << readers.size();
      }
    }
    for (auto& reader : readers) {
      reader->compare(book);
      EXPECT_EQ(reader->fault(), "");
      EXPECT_EQ(reader->positions(), publisher.positions());
    }
  }
}

TEST(SnapshotOf, ABookThatIsEmptyTellsTheBest) {
  EventTexts texts;
  give_snapshot(*OrderBook<64>::create({.capacity = 1}), {5, 6, 7}, keep_texts(texts), 3);
  EXPECT_EQ(texts, EventTexts{"book 3, B7. 0/0@0 - 0/0@0"});
}

TEST(SnapshotOf, ABookGivesASinkWhatItTakes) {
  OrderBook<64> book = *OrderBook<64>::create({.capacity = 4});
  book.add_limit_order(1, Side::Buy, 3, 4, good_till_cancel, DiscardTrades{});
  Bests bests;
  give_snapshot(book, {5, 6, 7}, bests);
  EXPECT_EQ(bests.changes, (std::vector<BestChanged>{{{7, 0, true}, {3, 4, 1}, {}}}));
}

// ---- Memory.

TYPED_TEST(PublisherOf, AllocatesNothingAfterCreation) {
  const BookConfig config{.base_price = -20, .capacity = crossed.capacity};
  TypeParam recorder = this->create(config);
  const Tape tape = record_tape(recorder, random_stream(crossed, config, 64, 5));
  std::uint64_t lots = 0;
  EachEvent sink{[&lots](const auto& event) { lots += event.sequence; }};
  auto publisher = *Publisher<TypeParam, decltype(sink)&>::create(this->create(config), sink);
  std::vector<Result> results(tape.commands.size());
  const std::span<const Command> commands(tape.commands);
  const std::uint64_t before = bench::allocation_count();
  for (const Command& command : commands.first(700)) publisher.apply(command, DiscardTrades{});
  const std::size_t applied = publisher.apply(commands.subspan(700), results, DiscardTrades{});
  give_snapshot(publisher.book(), publisher.positions(), sink);
  const std::size_t cleared = publisher.clear();
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_EQ(applied, commands.size() - 700);
  EXPECT_GT(cleared, 0u);
  EXPECT_GT(lots, 1'000u);
}

TEST(PublisherThatHasMoved, GoesOnWhereItIs) {
  EventTexts texts;
  auto sink = keep_texts(texts);
  OrderBook<64> book = *OrderBook<64>::create({.capacity = 4});
  auto first = *Publisher<OrderBook<64>&, decltype(sink)&>::create(book, sink);
  first.add_limit_order(1, Side::Buy, 3, 4, good_till_cancel, DiscardTrades{});
  auto second = std::move(first);
  texts.clear();
  const OrderHandle rest = first.add_limit_order(2, Side::Sell, 3, 5, good_till_cancel, DiscardTrades{}).handle;
  EXPECT_EQ(texts, EventTexts{}) << "one that has been moved from hands on its calls, and tells nothing";
  EXPECT_EQ(first.positions(), StreamPositions{});
  EXPECT_EQ(second.cancel_order(rest), Status::Success);
  EXPECT_EQ(texts, (EventTexts{"O2. deleted: 2 sells 1@3", "L2. ask 0/0@3", "B2. 0/0@0 - 0/0@0"}));
}

}  // namespace
}  // namespace llmes::test
