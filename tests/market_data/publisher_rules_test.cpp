// SPDX-License-Identifier: MIT
//
// What a publisher tells of books with rules: displayed lots alone. A reader of the events, and a feed book that
// reads the ITCH made of them, have the displayed queues of the oracle after every command.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/market_data.hpp"
#include "llmes/rules.hpp"
#include "llmes/sets.hpp"
#include "tests/support/each_event.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/ruled_streams.hpp"
#include "tests/support/rules_oracle.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

// ---- At random, beside the oracle.

/// What the world sees of a book of the oracle.
struct DisplayedBook {
  const RulesOracle& oracle;
  BookNumber book;

  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    for (const RestingOrder& order : oracle.orders(book, side)) {
      if (order.quantity != 0) visitor(order);
    }
  }
  std::size_t depth(Side side, std::span<DepthLevel> out) const {
    const std::vector<DepthLevel> levels = oracle.depth(book, side);
    const std::size_t count = std::min(out.size(), levels.size());
    std::copy_n(levels.begin(), count, out.begin());
    return count;
  }
  [[nodiscard]] std::size_t size() const { return oracle.size(); }
};

/// Hands every event to the reader of its book and to an ITCH sink, and adds up the fills.
struct Subscriber {
  std::vector<EventReader> readers;
  ItchSink<std::function<void(itch::MessageBytes)>> itch;
  Quantity executed_lots = 0;
  Quantity hidden_lots = 0;

  void added(const OrderAdded& event) { take(event); }
  void executed(const OrderExecuted& event) {
    executed_lots += event.trade.quantity;
    EXPECT_EQ(event.trade.taker_remaining, 0u);
    take(event);
  }
  void reduced(const OrderReduced& event) { take(event); }
  void deleted(const OrderDeleted& event) { take(event); }
  void replaced(const OrderReplaced& event) { take(event); }
  void hidden_executed(const HiddenExecuted& event) {
    hidden_lots += event.quantity;
    take(event);
  }
  void crossed(const OrdersCrossed& event) {
    executed_lots += event.quantity;
    take(event);
  }
  void level_changed(const LevelChanged& event) { readers.at(event.book).level_changed(event); }
  void best_changed(const BestChanged& event) { readers.at(event.book).best_changed(event); }

  template <class AnyEvent>
  void take(const AnyEvent& event) {
    give(readers.at(event.book), event);
    give(itch, event);
  }
};

template <class Books>
class PublishedRules {
  using BookPublisher = Publisher<Books, Subscriber&>;
  using Own = typename BookPublisher::CommandOf;
  static constexpr bool of_set = requires(Books& books) { books.add_book(); };
  static constexpr bool by_id = requires { typename Books::RequestType; };
  static constexpr BookNumber books = of_set ? 3 : 1;
  static constexpr Price lowest = 100;
  static constexpr Quantity quantity_max = std::numeric_limits<std::uint32_t>::max();

 public:
  PublishedRules(const RuledProfile& profile, Allocation allocation, std::uint64_t seed)
      : capacity_(profile.capacity),
        config_{.price_min = of_set ? std::numeric_limits<Price>::min() : lowest,
                .price_max = of_set ? std::numeric_limits<Price>::max() - 1 : lowest + 63,
                .capacity = profile.capacity,
                .quantity_max = quantity_max,
                .books = books,
                .allocation = allocation},
        oracle_(config_),
        random_(seed),
        operations_(RuledPlanner(profile, config_, {120, 121, 122, 123, 124}, seed).plan()) {
    for (BookNumber book = 0; book < books; ++book) {
      subscriber_.readers.emplace_back(book, allocation != Allocation::PriceTime);
      if constexpr (of_set) {
        EXPECT_EQ(publisher_.add_book(), book);
      }
    }
  }

  void run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      step(operations_[i]);
      compare();
      if (::testing::Test::HasFatalFailure()) FAIL() << "operation " << i << ": " << source_of(operations_[i]);
    }
  }

  [[nodiscard]] const Subscriber& subscriber() const { return subscriber_; }
  /// All that was told of orders, one letter each.
  [[nodiscard]] const std::string& told() const { return told_; }

 private:
  using What = RuledOperation::What;

  static Books make(std::size_t capacity) {
    if constexpr (of_set && by_id) {
      return *Books::create({.max_books = books, .capacity = capacity, .quantity_max = quantity_max}, {});
    } else if constexpr (of_set) {
      return *Books::create({.max_books = books, .capacity = capacity, .quantity_max = quantity_max});
    } else {
      return *Books::create({.base_price = lowest, .capacity = capacity, .quantity_max = quantity_max});
    }
  }

  void step(const RuledOperation& operation) {
    if (operation.what == What::MassCancel) {
      const BookNumber* const only = books == 1 ? &RulesOracle::first_book : nullptr;
      ASSERT_EQ(call(Own::mass_cancel(operation.scope)).status, oracle_.mass_cancel(operation.scope, only).status);
      return;
    }
    if (operation.what == What::Clear) {
      if constexpr (of_set) {
        publisher_.clear(operation.book, operation.call.side);
      } else {
        publisher_.clear(operation.call.side);
      }
      oracle_.clear(operation.book, operation.call.side);
    }
    if (operation.what == What::Auction) return auction(operation);
    if (operation.what != What::Call) return;
    const auto found = handles_.find(operation.call.order);
    const OrderHandle label = found == handles_.end() ? OrderHandle{} : found->second;
    const OrderHandle handle = OrderHandle::from_value(label.value() ^ operation.call.flip);
    if (takes_an_id(oracle_, operation, handle) || refills_without_end(oracle_, operation, handle)) return;
    const RuledOrder* const named = oracle_.find(handle);
    if (by_id && !adds(operation.call.type) && named == nullptr) return;

    RuledOperation expected = operation;
    expected.way = Way::Apply;
    const Result result =
        call(own_command<Own>(to_command(operation, handle), named != nullptr ? named->shown.id : 0));
    const RulesOracle::Outcome outcome = apply(oracle_, expected, handle);
    ASSERT_EQ(result.status, outcome.status);
    ASSERT_EQ(std::exchange(subscriber_.executed_lots, 0) + std::exchange(subscriber_.hidden_lots, 0),
              outcome.filled);
    placed_ |= operation.call.type == CommandType::AddRestingBefore && result.status == Status::Success;
    if (result.status == Status::Success && result.rests() && operation.call.makes_order()) {
      oracle_.name_newest(result.handle);
      handles_[operation.call.made()] = result.handle;
    }
  }

  void auction(const RuledOperation& operation) {
    const Price price = price_of_auction(oracle_, operation);
    const SelfTrade self_trade = operation.terms.self_trade;
    const auto ignore = [](const AuctionTrade&) {};
    Result result;
    if constexpr (of_set) {
      result = publisher_.uncross(operation.book, price, self_trade, ignore);
    } else {
      result = publisher_.uncross(price, self_trade, ignore);
    }
    const RulesOracle::Outcome outcome = oracle_.uncross(operation.book, price, self_trade);
    ASSERT_EQ(result.status, outcome.status);
    ASSERT_EQ(std::exchange(subscriber_.executed_lots, 0), outcome.filled);
  }

  /// By itself, or as a span, between two cancels of an order that does not rest.
  Result call(const Own& command) {
    if (random_.chance(50)) return publisher_.apply(command, DiscardTrades{});
    Own none{};
    none.type = CommandType::Cancel;
    const std::vector<Own> commands{none, command, none};
    Result result;
    const auto receive = [&](const Result& one, std::size_t i) {
      if (i == 1) result = one;
    };
    if constexpr (by_id) {
      publisher_.apply(
          commands.size(), [&](std::size_t i) -> const Own& { return commands[i]; }, receive, DiscardTrades{});
    } else {
      publisher_.apply(std::span<const Own>(commands), receive, DiscardTrades{});
    }
    return result;
  }

  void compare() {
    for (BookNumber book = 0; book < books; ++book) {
      EventReader& reader = subscriber_.readers[book];
      const DisplayedBook displayed{oracle_, book};
      told_ += reader.end_any_command();
      reader.compare(displayed);
      ASSERT_EQ(reader.fault(), "") << "book " << book;
      ASSERT_EQ(reader.positions(), publisher_.positions(book));
      for (const Side side : {Side::Buy, Side::Sell}) {
        std::vector<std::pair<Price, Quantity>> expected, fed;
        displayed.visit_orders(side, [&](const RestingOrder& order) {
          const bool fits = order.price >= 0 && order.price < 1'000'000;  // else no message has its price
          if (fits) expected.emplace_back(order.price * 100, order.quantity);
        });
        feed_.visit_orders(static_cast<itch::Locate>(book + 1), side,
                           [&](const RestingOrder& order) { fed.emplace_back(order.price, order.quantity); });
        if (placed_) {
          std::ranges::sort(expected);
          std::ranges::sort(fed);
        }
        ASSERT_EQ(fed, expected) << "of the feed, book " << book;
      }
    }
    ASSERT_EQ(feed_.faults().total(), 0u);
    ASSERT_TRUE(of_set || subscriber_.itch.left_out() == 0);
  }

  std::size_t capacity_;
  RulesOracleConfig config_;
  RulesOracle oracle_;
  Random random_;
  std::vector<RuledOperation> operations_;
  std::map<OrderId, OrderHandle> handles_;
  FeedBook feed_ = *FeedBook::create({.symbols = books, .capacity = capacity_});
  CreateStatus status_{};
  Subscriber subscriber_{{},
                         *ItchSink<std::function<void(itch::MessageBytes)>>::create(
                             {.books = books, .capacity = capacity_},
                             [this](itch::MessageBytes message) { feed_.apply(message); }, status_)};
  BookPublisher publisher_ = *BookPublisher::create(make(capacity_), subscriber_);
  std::string told_;
  bool placed_ = false;  ///< whether an order took a place in a queue, which no message of the feed can say
};

template <class Books>
void expect_displayed_book(Allocation allocation) {
  std::string told;
  for (RuledProfile profile : ruled_profiles) {
    if (profile.huge) continue;  // their lots do not fit a message
    profile.operation_count = LLMES_TEST_SANITIZED ? 300 : profile.operation_count;
    for (std::uint64_t seed = 1; seed <= repetitions(3u); ++seed) {
      SCOPED_TRACE(std::string(profile.name) + ", seed " + std::to_string(seed));
      PublishedRules<Books> published(profile, allocation, seed);
      published.run();
      if (::testing::Test::HasFatalFailure()) return;
      told += published.told();
    }
  }
  for (const char kind : {'A', 'E', 'R', 'D', 'P', 'H', 'C'}) {
    EXPECT_NE(told.find(kind), std::string::npos) << kind;
  }
}

template <Allocation allocation = Allocation::PriceTime>
using RuledArray = RuledOrderBook<64, VenueRules<allocation>>;

TEST(PublisherOfRules, TellsTheDisplayedBook) {
  expect_displayed_book<RuledArray<>>(Allocation::PriceTime);
}
TEST(PublisherOfRules, TellsTheDisplayedBookWithProRata) {
  expect_displayed_book<RuledArray<Allocation::ProRata>>(Allocation::ProRata);
  expect_displayed_book<RuledArray<Allocation::FirstThenProRata>>(Allocation::FirstThenProRata);
}
TEST(PublisherOfRules, TellsTheDisplayedBooksOfASet) {
  expect_displayed_book<RuledBookSet>(Allocation::PriceTime);
}
TEST(PublisherOfRules, TellsTheDisplayedBooksOfASetById) {
  expect_displayed_book<IdBook<RuledBookSet, HashedIds>>(Allocation::PriceTime);
}

// ---- By hand.

/// A book of 64 prices without orders, and a publisher that is asked what it tells of a call.
class PublishingRules : public ::testing::Test {
 protected:
  using Book = RuledOrderBook<64>;
  using Sink = decltype(keep_texts(std::declval<EventTexts&>()));

  static constexpr OrderTerms reserve(Quantity peak, Owner owner = 0) {
    return {.owner = owner, .display = Display::Reserve, .peak = peak};
  }
  static constexpr OrderTerms hidden(Owner owner = 0) { return {.owner = owner, .display = Display::Hidden}; }
  static constexpr OrderTerms of(Owner owner, SelfTrade self_trade = SelfTrade::Allow) {
    return {.owner = owner, .self_trade = self_trade};
  }

  OrderHandle sell(OrderId id, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    return publisher.add_limit_order(id, Side::Sell, price, quantity, TimeInForce::GoodTillCancel, terms, none)
        .handle;
  }
  void buy(OrderId id, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    publisher.add_limit_order(id, Side::Buy, price, quantity, TimeInForce::GoodTillCancel, terms, none);
  }
  EventTexts told() { return std::exchange(texts, {}); }

  EventTexts texts;
  Sink sink = keep_texts(texts);
  DiscardTrades none;
  Publisher<Book, Sink&> publisher = *Publisher<Book, Sink&>::create(*Book::create({.capacity = 16}), sink);
};

TEST_F(PublishingRules, OfAReserveWhatItShows) {
  const OrderHandle order = sell(1, 10, 9, reserve(4));
  EXPECT_EQ(told(), (EventTexts{"O1. added: 1 sells 4@10", "L1. ask 4/1@10", "B1. 0/0@0 - 4/1@10"}));
  EXPECT_EQ(publisher.reduce_order(order, 2), Status::Success);
  EXPECT_EQ(told(), EventTexts{}) << "its reserve alone shrinks";
  EXPECT_EQ(publisher.reduce_order(order, 4), Status::Success);
  EXPECT_EQ(told(), (EventTexts{"O2. reduced by 1: 1 sells 3@10", "L2. ask 3/1@10", "B2. 0/0@0 - 3/1@10"}));
  publisher.modify_order(order, 11, 20, none);
  EXPECT_EQ(told(), (EventTexts{"O3. replaced in place of itself: 1 sells 3@10 by 1 sells 4@11", "L3 ask 0/0@10",
                                "L4. ask 4/1@11", "B3. 0/0@0 - 4/1@11"}));
  EXPECT_EQ(publisher.cancel_order(order), Status::Success);
  EXPECT_EQ(told(), (EventTexts{"O4. deleted: 1 sells 4@11", "L5. ask 0/0@11", "B4. 0/0@0 - 0/0@0"}));
}

TEST_F(PublishingRules, OfARefillANewOrder) {
  sell(1, 10, 5, reserve(3));
  sell(2, 10, 1);
  told();
  buy(3, 10, 3);
  EXPECT_EQ(told(), (EventTexts{"O3 executed: 3 takes 3@10 of 1, left 0", "O4. added: 1 sells 2@10",
                                "L3. ask 3/2@10", "B3. 0/0@0 - 3/2@10"}));
  buy(4, 10, 9, reserve(2));
  EXPECT_EQ(told(),
            (EventTexts{"O5 executed: 4 takes 1@10 of 2, left 0", "O6 executed: 4 takes 2@10 of 1, left 0",
                        "O7. added: 4 buys 2@10", "L4 ask 0/0@10", "L5. bid 2/1@10", "B4. 2/1@10 - 0/0@0"}));
}

TEST_F(PublishingRules, NothingOfAHiddenOrderButItsFills) {
  const OrderHandle order = sell(1, 10, 5, hidden());
  publisher.modify_order(order, 11, 6, none);
  EXPECT_EQ(publisher.reduce_order(order, 1), Status::Success);
  EXPECT_EQ(told(), EventTexts{});
  sell(2, 11, 1);
  told();
  buy(3, 11, 3);
  EXPECT_EQ(told(), (EventTexts{"O2 executed: 3 takes 1@11 of 2, left 0", "O3. bought 2@11 hidden",
                                "L2. ask 0/0@11", "B2. 0/0@0 - 0/0@0"}));
  publisher.replace_order(order, 4, 12, 3, TimeInForce::GoodTillCancel, {}, none);
  EXPECT_EQ(told(), (EventTexts{"O4. added: 4 sells 3@12", "L3. ask 3/1@12", "B3. 0/0@0 - 3/1@12"}))
      << "what replaces it is displayed";
  const OrderHandle shown = sell(5, 13, 2);
  told();
  publisher.replace_order(shown, 6, 13, 2, TimeInForce::GoodTillCancel, hidden(), none);
  EXPECT_EQ(told(), (EventTexts{"O6. deleted: 5 sells 2@13", "L5. ask 0/0@13"})) << "it disappears";
}

TEST_F(PublishingRules, OfAPreventedMatchWhatTheMakerShowsLess) {
  sell(1, 10, 5, reserve(3, 7));
  sell(2, 10, 2, of(7));
  sell(3, 10, 2, hidden(7));
  told();
  buy(4, 10, 1, of(7, SelfTrade::CancelTaker));
  EXPECT_EQ(told(), EventTexts{}) << "the maker stays";
  buy(5, 10, 2, of(7, SelfTrade::Decrement));
  EXPECT_EQ(told(), EventTexts{}) << "its reserve alone shrinks";
  buy(6, 10, 1, of(7, SelfTrade::Decrement));
  EXPECT_EQ(told(), (EventTexts{"O3. reduced by 1: 1 sells 2@10", "L3. ask 4/2@10", "B3. 0/0@0 - 4/2@10"}));
  buy(7, 10, 1, of(7, SelfTrade::CancelMaker));
  EXPECT_EQ(told(), (EventTexts{"O4 deleted: 1 sells 2@10", "O5 deleted: 2 sells 2@10", "O6. added: 7 buys 1@10",
                                "L4 ask 0/0@10", "L5. bid 1/1@10", "B4. 1/1@10 - 0/0@0"}));
}

TEST_F(PublishingRules, OfAMassCancelEachDisplayedOrderAsOneCommand) {
  buy(1, 9, 1, of(7));
  buy(2, 9, 2, of(8));
  buy(3, 8, 3, reserve(2, 7));
  sell(4, 11, 4, hidden(7));
  sell(5, 12, 5);
  told();
  EXPECT_EQ(publisher.mass_cancel({.owner = 7}, none).cancelled, 8u);
  EXPECT_EQ(told(), (EventTexts{"O5 deleted: 1 buys 1@9", "O6. deleted: 3 buys 2@8", "L5 bid 2/1@9",
                                "L6. bid 0/0@8", "B4. 2/1@9 - 5/1@12"}));
  sell(6, 13, 1, of(7));
  told();
  publisher.mass_cancel({.owner = 7}, none);
  EXPECT_EQ(told(), (EventTexts{"O8. deleted: 6 sells 1@13", "L8. ask 0/0@13"})) << "behind the best";
  EXPECT_EQ(publisher.mass_cancel({.owner = 7}, none).status, Status::Success);
  EXPECT_EQ(told(), EventTexts{}) << "nothing is left";
  EXPECT_EQ(publisher.mass_cancel({.lowest = 1, .highest = 0}, none).status, Status::InvalidCommand);
  EXPECT_EQ(told(), EventTexts{});
}

TEST_F(PublishingRules, OfAnAuctionWhatTheOrdersDisplayed) {
  struct Caller {
    std::vector<std::string> heard;

    void operator()(const AuctionTrade& trade) { heard.push_back("trade " + std::to_string(trade.quantity)); }
    void prevented(const PreventedAuctionTrade& pair) {
      heard.push_back("prevented " + std::to_string(pair.quantity));
    }
    void refilled(const RestingOrder& order) { heard.push_back("refilled " + std::to_string(order.quantity)); }
  } caller;
  publisher.add_resting_order(1, Side::Buy, 12, 4, {.owner = 7});
  publisher.add_resting_order(2, Side::Buy, 11, 9, reserve(3));
  publisher.add_resting_order(3, Side::Sell, 9, 1, {.owner = 7});
  publisher.add_resting_order(4, Side::Sell, 10, 6, hidden());
  told();
  EXPECT_EQ(publisher.uncross(11, SelfTrade::Decrement, caller).filled, 6u);
  EXPECT_EQ(caller.heard, (std::vector<std::string>{"prevented 1", "trade 3", "trade 3", "refilled 3"}));
  EXPECT_EQ(told(), (EventTexts{"O4 reduced by 1: 1 buys 3@12", "O5 deleted: 3 sells 1@9",
                                "O6 crossed 3@11: 3 of 1 buys 0@12, nothing", "L4 bid 0/0@12",
                                "O7 crossed 3@11: 3 of 2 buys 0@11, nothing", "O8. added: 2 buys 3@11",
                                "L5 bid 3/1@11", "L6. ask 0/0@9", "B3. 3/1@11 - 0/0@0"}));
  EXPECT_EQ(publisher.uncross(11, SelfTrade::CancelTaker, caller).status, Status::InvalidCommand);
  EXPECT_EQ(publisher.uncross(11, SelfTrade::Allow, caller).filled, 0u);
  EXPECT_EQ(told(), EventTexts{});
}

TEST_F(PublishingRules, OfAClearWhatWasDisplayed) {
  sell(1, 10, 5, reserve(3));
  sell(2, 10, 2, hidden());
  sell(3, 11, 2, hidden());
  told();
  EXPECT_EQ(publisher.clear(Side::Sell), 3u);
  EXPECT_EQ(told(), (EventTexts{"O2. deleted: 1 sells 3@10", "L2. ask 0/0@10", "B2. 0/0@0 - 0/0@0"}));
}

TEST_F(PublishingRules, InASnapshotWhatIsDisplayed) {
  buy(1, 9, 1, hidden());
  sell(2, 10, 5, reserve(3));
  sell(3, 10, 2, hidden());
  sell(4, 11, 2, hidden());
  sell(5, 12, 1);
  sell(6, 12, 1, hidden());
  told();
  give_snapshot(publisher.book(), publisher.positions(), sink);
  EXPECT_EQ(told(), (EventTexts{"L2 ask 3/1@10", "O2 added: 2 sells 3@10", "L2. ask 1/1@12",
                                "O2. added: 5 sells 1@12", "B1. 0/0@0 - 3/1@10"}));
}

/// In a span: the trades behind a publisher hear of rules with the index of the command.
TEST_F(PublishingRules, AsTheBookTellsThemToItsCaller) {
  struct Caller {
    std::vector<std::string> heard;

    void operator()(const RuledTrade& trade, std::size_t i) { note("trade", trade.maker_remaining, i); }
    void prevented(const PreventedMatch& match, std::size_t i) { note("prevented", match.maker_showed, i); }
    void refilled(const RestingOrder& order, std::size_t i) { note("refilled", order.quantity, i); }
    void cancelled(const RestingOrder& order, std::size_t i) { note("cancelled", order.quantity, i); }
    void note(const char* what, Quantity lots, std::size_t i) {
      heard.push_back(what + (' ' + std::to_string(lots)) + " by " + std::to_string(i));
    }
  } caller;
  constexpr auto gtc = TimeInForce::GoodTillCancel;
  const std::vector<RuledCommand> commands{
      RuledCommand::add_limit(1, Side::Sell, 10, 5, gtc).with(reserve(3, 7)),
      RuledCommand::add_limit(2, Side::Buy, 10, 3, gtc),
      RuledCommand::add_limit(3, Side::Buy, 10, 1, gtc).with(of(7, SelfTrade::CancelTaker)),
      RuledCommand::mass_cancel({}),
  };
  publisher.apply(
      std::span(commands), [](const Result&) {}, caller);
  EXPECT_EQ(caller.heard,
            (std::vector<std::string>{"trade 2 by 1", "refilled 2 by 1", "prevented 2 by 2", "cancelled 2 by 3"}));
}

TEST(PublisherOfRules, EndsAMassCancelInEachBookOfASet) {
  EventTexts texts;
  auto sink = keep_texts(texts);
  auto publisher = *Publisher<RuledBookSet, decltype(sink)&>::create(
      *RuledBookSet::create({.max_books = 3, .capacity = 8}), sink);
  for (BookNumber book = 0; book < 3; ++book) {
    EXPECT_EQ(publisher.add_book(), book);
    publisher.add_resting_order(book, 1 + book, Side::Sell, 10, 2, {.owner = book == 1 ? 8u : 7u});
  }
  texts.clear();
  publisher.mass_cancel({.owner = 7}, DiscardTrades{});
  EXPECT_EQ(texts, (EventTexts{"O2. deleted: 1 sells 2@10", "L2. ask 0/0@10", "B2. 0/0@0 - 0/0@0",
                               "book 2, O2. deleted: 3 sells 2@10", "book 2, L2. ask 0/0@10",
                               "book 2, B2. 0/0@0 - 0/0@0"}));
}

/// Each stream is whole for a sink that takes it alone.
template <class Sink>
std::vector<bool> ends_of_refill_and_cancel(Sink sink) {
  auto publisher =
      *Publisher<RuledOrderBook<64>, Sink&>::create(*RuledOrderBook<64>::create({.capacity = 4}), sink);
  constexpr auto gtc = TimeInForce::GoodTillCancel;
  publisher.add_limit_order(1, Side::Sell, 10, 5, gtc, {.owner = 7, .display = Display::Reserve, .peak = 3},
                            DiscardTrades{});
  publisher.add_limit_order(2, Side::Buy, 10, 3, gtc, DiscardTrades{});
  publisher.mass_cancel({.owner = 7}, DiscardTrades{});
  return sink.ends;
}
TEST(PublisherOfRules, TellsASinkOfOneEventWhatItTakes) {
  struct Ends {
    std::vector<bool> ends;
    void note(const Event& event) { ends.push_back(event.ends_command); }
  };
  struct Added : Ends {
    void added(const OrderAdded& event) { note(event); }
  };
  struct Executed : Ends {
    void executed(const OrderExecuted& event) { note(event); }
  };
  struct Deleted : Ends {
    void deleted(const OrderDeleted& event) { note(event); }
  };
  struct Best : Ends {
    void best_changed(const BestChanged& event) { note(event); }
  };
  EXPECT_EQ(ends_of_refill_and_cancel(Added{}), (std::vector{true, true}));
  EXPECT_EQ(ends_of_refill_and_cancel(Executed{}), (std::vector{true}));
  EXPECT_EQ(ends_of_refill_and_cancel(Deleted{}), (std::vector{true}));
  EXPECT_EQ(ends_of_refill_and_cancel(Best{}), (std::vector{true, true, true}));
}

TEST(PublisherOfRules, TellsNothingOnceMovedFrom) {
  EventTexts texts;
  auto sink = keep_texts(texts);
  auto book = *RuledOrderBook<64>::create({.capacity = 4});
  auto from = *Publisher<RuledOrderBook<64>&, decltype(sink)&>::create(book, sink);
  auto to = std::move(from);
  from.add_resting_order(1, Side::Sell, 10, 5);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(from.mass_cancel({}, DiscardTrades{}).cancelled, 5u);
  EXPECT_EQ(texts, EventTexts{});
  to.add_resting_order(2, Side::Sell, 10, 5);
  to.mass_cancel({}, DiscardTrades{});
  EXPECT_EQ(texts.size(), 6u);
}

TEST(ItchSinkOfRules, WritesAFillOfAHiddenOrderAsATrade) {
  std::vector<itch::Trade> trades;
  const auto output = [&](itch::MessageBytes message) {
    itch::decode(message, [&](const itch::Trade& trade) { trades.push_back(trade); });
  };
  CreateStatus status{};
  auto sink = *ItchSink<decltype(output)>::create({.books = 2, .capacity = 1}, output, status);
  sink.directory(1, "ABC", 50);
  sink.hidden_executed({{1, 1, true}, Side::Sell, 1'234, 500});
  ASSERT_EQ(trades.size(), 1u);
  EXPECT_EQ(trades[0].header.locate, itch::Locate{2});
  EXPECT_EQ(trades[0].reference, itch::Reference{0});
  EXPECT_EQ(trades[0].side, itch::BuySell::Buy);
  EXPECT_EQ(trades[0].shares, 500u);
  EXPECT_EQ(trades[0].symbol.view(), "ABC");
  EXPECT_EQ(trades[0].price, itch::Price4{61'700});
  EXPECT_EQ(trades[0].match, itch::MatchNumber{1});
  sink.hidden_executed({{2, 1, true}, Side::Sell, -1, 500});
  EXPECT_EQ(trades.size(), 1u);
  EXPECT_EQ(sink.left_out(), 1u);
}

}  // namespace
}  // namespace llmes::test
