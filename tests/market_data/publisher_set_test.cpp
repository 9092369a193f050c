// SPDX-License-Identifier: MIT
//
// A publisher of a set, or of a book by outside ids, against a reader for each book: each has its book after every
// command, from streams of its own, whichever way the commands take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/call_by_name.hpp"
#include "tests/support/each_event.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test::publisher_set_test {
namespace {

constexpr std::size_t book_count = 3;

/// What is to be published, and how it is called.
template <class Books>
struct Kind;
template <>
struct Kind<BookSet> {
  static BookSet create() { return *BookSet::create({.max_books = book_count, .capacity = 60}); }
};
template <class Index>
struct Kind<IdBook<BookSet, Index>> {
  static auto create() { return *IdBook<BookSet, Index>::create({.max_books = book_count, .capacity = 60}, {}); }
};
template <class Index>
struct Kind<IdBook<AnyPriceBook<512>, Index>> {
  static auto create() { return *IdBook<AnyPriceBook<512>, Index>::create({.capacity = 40}, {}); }
};

/// Books with a publisher around them, and a reader for each.
template <class Books>
class PublishedBooks {
 public:
  explicit PublishedBooks(std::uint64_t seed) : random_(seed), plan_(seed) {
    if constexpr (of_set) {
      for (BookNumber book = 0; book < book_count; ++book) EXPECT_EQ(publisher_.add_book(), book);
    }
    for (BookNumber book = 0; book < (of_set ? book_count : 1); ++book) readers_.emplace_back(book);
  }

  void call() {
    const CommandOf command = next();
    RecordTrades trades;
    begin(command);
    const Result result = random_.chance(50) ? publisher_.apply(command, trades) : call_by_name(command, trades);
    end(result, trades.trades);
  }

  /// The receiver changes commands that are to come, and makes calls between two of them.
  void call_in_span(std::size_t count) {
    std::vector<CommandOf> commands(count);
    for (CommandOf& command : commands) command = next();
    std::vector<Trade> trades;
    std::size_t done = 0;
    begin(commands[0]);
    const auto receive = [&](const Result& result, std::size_t i) {
      EXPECT_EQ(i, done++);
      end(result, std::exchange(trades, {}));
      if (i + 1 == count) return;
      if (random_.chance(30)) call();
      if (random_.chance(30)) commands[i + 1] = next();
      begin(commands[i + 1]);
    };
    const auto trade = [&](const Trade& one, std::size_t i) {
      EXPECT_EQ(i, done);
      trades.push_back(one);
    };
    if constexpr (by_id) {
      publisher_.apply(
          count, [&](std::size_t i) -> const CommandOf& { return commands[i]; }, receive, trade);
    } else {
      publisher_.apply(commands, receive, trade);
    }
    EXPECT_EQ(done, count);
  }

  void clear_something() {
    const auto side = static_cast<Side>(random_.below(3));
    const bool all = random_.chance(20);
    if constexpr (of_set) {
      const auto book = static_cast<BookNumber>(random_.below(book_count + 1));
      if (all) {
        publisher_.clear();
      } else {
        random_.chance(50) ? publisher_.clear(book, side) : publisher_.clear(book);
      }
    } else {
      all ? publisher_.clear() : publisher_.clear(side);
    }
    for (EventReader& reader : readers_) {
      const std::string told = reader.end_any_command();
      EXPECT_EQ(told, std::string(told.size(), 'D'));
    }
  }

  /// The fewest events of orders that a book has told.
  [[nodiscard]] std::uint64_t fewest() const {
    std::uint64_t fewest = readers_[0].positions().orders;
    for (const EventReader& reader : readers_) fewest = std::min(fewest, reader.positions().orders);
    return fewest;
  }

  void compare() {
    for (BookNumber book = 0; book < readers_.size(); ++book) {
      if constexpr (of_set) {
        readers_[book].compare(*queries().book(book));
      } else {
        readers_[book].compare(queries());
      }
      EXPECT_EQ(readers_[book].positions(), publisher_.positions(book));
      ASSERT_EQ(readers_[book].fault(), "") << book;
    }
  }

 private:
  static constexpr bool by_id = !std::is_same_v<Books, BookSet>;
  static constexpr bool of_set = requires(Books& books) { books.add_book(); };
  using CommandOf = std::conditional_t<!by_id, BookCommand, std::conditional_t<of_set, BookRequest, Request>>;

  [[nodiscard]] const auto& queries() const {
    if constexpr (by_id) {
      return publisher_.book().book();
    } else {
      return publisher_.book();
    }
  }

  CommandOf next() {
    const Command command = plan_.next();
    const auto book = static_cast<BookNumber>(random_.below(random_.chance(95) ? book_count : 2 * book_count));
    if constexpr (!by_id) {
      return {command, book};
    } else {
      const OrderId id = random_.below(120);
      const OrderId new_id = random_.below(120);
      const Request request{{id, new_id}, command.price, command.quantity,
                            command.type, command.side,  command.time_in_force};
      if constexpr (of_set) {
        return {request, book};
      } else {
        return request;
      }
    }
  }

  Result call_by_name(const CommandOf& c, RecordTrades& sink) {
    RestingOrder details;
    const Result result = test::call_by_name(publisher_, c, sink, details);
    const RestingOrder now = publisher_.book().find(c.name()).value_or(RestingOrder{});
    return with_details(c.type, c.quantity, result, details, now);
  }

  void begin(const CommandOf& command) {
    before_.reset();
    home_.reset();
    if (adds(command.type)) {
      home_ = 0;
      if constexpr (of_set) home_ = command.book;
      return;
    }
    const std::optional<RestingOrder> named = publisher_.book().find(command.name());
    if (!named) return;
    if (changes(command.type)) before_ = named;
    home_ = 0;
    if constexpr (of_set) home_ = queries().book_of(named->handle);
  }

  void end(const Result& result, const std::vector<Trade>& trades) {
    if (result.rests() && result.status == Status::Success) plan_.note(result.handle);
    for (BookNumber book = 0; book < readers_.size(); ++book) {
      if (book == home_) {
        readers_[book].end_command(before_, result, trades);
      } else {
        readers_[book].end_command("");
      }
      ASSERT_EQ(readers_[book].fault(), "") << book;
    }
  }

  static auto sink_of(std::vector<EventReader>& readers) {
    return EachEvent{[&readers](const auto& event) { give(readers.at(event.book), event); }};
  }

  Random random_;
  FarCommands plan_;
  std::vector<EventReader> readers_;
  using ReadersSink = decltype(sink_of(readers_));
  Publisher<Books, ReadersSink> publisher_ =
      *Publisher<Books, ReadersSink>::create(Kind<Books>::create(), sink_of(readers_));
  std::optional<RestingOrder> before_;
  std::optional<BookNumber> home_;
};

template <class Books>
class PublisherOfBooks : public ::testing::Test {};
using KindsOfBooks = ::testing::Types<BookSet, IdBook<BookSet, HashedIds>, IdBook<AnyPriceBook<512>, HashedIds>>;
TYPED_TEST_SUITE(PublisherOfBooks, KindsOfBooks);

TYPED_TEST(PublisherOfBooks, HasAReaderOfEachBookFollow) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    PublishedBooks<TypeParam> books(seed);
    for (int i = 1; i <= 1'500; ++i) {
      books.call();
      if (i % 20 == 0) books.call_in_span(1 + static_cast<std::size_t>(i) % 90);
      if (i % 10 == 0) books.compare();
      if (i % 100 == 0) books.clear_something();
      if (this->HasFailure()) return;
    }
    books.compare();
    EXPECT_GT(books.fewest(), 100u);
  }
}

// ---- What a set alone has.

TEST(PublisherOfASet, CountsTheStreamsOfEachBookAlone) {
  EventTexts texts;
  auto sink = keep_texts(texts);
  BookSet set = *BookSet::create({.max_books = 3, .capacity = 8});
  auto publisher = *Publisher<BookSet&, decltype(sink)&>::create(set, sink);
  EXPECT_EQ(publisher.add_limit_order(0, 1, Side::Buy, 3, 4, TimeInForce::PostOnly, DiscardTrades{}).status,
            Status::UnknownBook);
  ASSERT_EQ(publisher.add_book(), BookNumber{0});
  ASSERT_EQ(publisher.add_book(), BookNumber{1});
  publisher.add_limit_order(0, 1, Side::Buy, 3, 4, TimeInForce::PostOnly, DiscardTrades{});
  const OrderHandle order =
      publisher.add_limit_order(1, 1, Side::Sell, 3, 4, TimeInForce::PostOnly, DiscardTrades{}).handle;
  texts.clear();
  // Their book is that of the order, whatever a command says.
  publisher.apply(BookCommand{Command::reduce(order, 1), 0}, DiscardTrades{});
  EXPECT_EQ(publisher.clear(), 2u);
  EXPECT_EQ(publisher.clear(2), 0u);
  EXPECT_EQ(texts, (EventTexts{"book 1, O2. reduced by 1: 1 sells 3@3", "book 1, L2. ask 3/1@3",
                               "book 1, B2. 0/0@0 - 3/1@3", "O2. deleted: 1 buys 4@3", "L2. bid 0/0@3",
                               "B2. 0/0@0 - 0/0@0", "book 1, O3. deleted: 1 sells 3@3", "book 1, L3. ask 0/0@3",
                               "book 1, B3. 0/0@0 - 0/0@0"}));
  EXPECT_EQ(publisher.positions(1), (StreamPositions{3, 3, 3}));
}

TEST(PublisherOfASet, AllocatesNothingAfterCreation) {
  std::uint64_t told = 0;
  EachEvent sink{[&told](const auto& event) { told += event.sequence; }};
  auto publisher =
      *Publisher<BookSet, decltype(sink)&>::create(*BookSet::create({.max_books = 3, .capacity = 100}), sink);
  FarCommands plan(5);
  std::vector<BookCommand> commands(2'000);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    plan.note({static_cast<std::uint32_t>(3 * 128 + 100 + i % 90), 1});
    commands[i] = {plan.next(), static_cast<BookNumber>(i % 4)};
  }
  std::vector<Result> results(commands.size());
  const std::uint64_t before = bench::allocation_count();
  while (publisher.add_book()) continue;
  const std::size_t applied = publisher.apply(commands, results, DiscardTrades{});
  for (const BookCommand& command : commands) publisher.apply(command, DiscardTrades{});
  const std::size_t cleared = publisher.clear();
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_EQ(applied, commands.size());
  EXPECT_GT(cleared, 0u);
  EXPECT_GT(told, 10'000u);
}

}  // namespace
}  // namespace llmes::test::publisher_set_test
