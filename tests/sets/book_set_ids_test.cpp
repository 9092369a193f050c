// SPDX-License-Identifier: MIT
//
// A set of books whose orders go by ids of the whole set: random requests, one at a time and in spans, with each
// kind of index, against an oracle for each book. And what is different from a book by ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/call_by_name.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/id_oracle.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle_difference.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

/// What a set by ids must do. An id is looked for in all books.
template <class IndexConfig>
class SetIdOracle {
 public:
  SetIdOracle(std::size_t books, std::size_t capacity, const IndexConfig& ids)
      : oracles_(books, Oracle(std::numeric_limits<Price>::min(), highest_price, capacity)),
        capacity_(capacity),
        ids_(ids) {}

  struct Answer {
    Result result;
    std::vector<Trade> trades;
  };
  /// Takes the handle of an order that the request leaves from `given`, the result of the set.
  Answer answer(const BookRequest& request, const Result& given) {
    const bool adds_order = adds(request.type);
    if (adds_order || has_new_id(request.type)) {
      const OrderId id = adds_order ? request.id : request.new_id;
      if (!adds_order && !rests(request.id)) return {{Status::UnknownOrder}, {}};
      if (rests(id) && !(replaces(request.type) && id == request.id)) return refused(Status::DuplicateId, request);
      if (may_rest(request) && !has_room(ids_, id)) return refused(Status::NoRoomForId, request);
      if (adds_order && request.book >= oracles_.size()) return {{Status::UnknownBook}, {}};
    }
    const BookNumber book = adds_order ? request.book : home(request.id);
    in_use_.insert(book);
    Oracle& oracle = oracles_[book];
    oracle.limit_to(capacity_ - (size() - oracle.size()));
    const Oracle::Outcome outcome =
        oracle.apply({{has_new_id(request.type) ? request.new_id : request.id, handle_of(request.id)},
                      request.price,
                      request.quantity,
                      request.type,
                      request.side,
                      request.time_in_force});
    const bool left = outcome.remaining > 0;
    const bool made = left && makes_order(request) && outcome.status == Status::Success;
    if (made) oracle.name_newest(given.handle);
    const OrderHandle handle = !left ? OrderHandle{} : made ? given.handle : handle_of(request.id);
    return {{outcome.status, handle, outcome.filled, outcome.remaining, outcome.cancelled, outcome.kept_place},
            outcome.trades};
  }

  std::size_t clear(BookNumber book, Side side) {
    return book < oracles_.size() && side <= Side::Sell ? oracles_[book].clear(side) : 0;
  }

  [[nodiscard]] const std::vector<Oracle>& oracles() const { return oracles_; }
  [[nodiscard]] std::size_t size() const { return resting().size(); }
  [[nodiscard]] std::vector<RestingOrder> resting() const {
    std::vector<RestingOrder> all;
    for (const BookNumber book : in_use_) {
      const std::vector<RestingOrder>& orders = oracles_[book].resting();
      all.insert(all.end(), orders.begin(), orders.end());
    }
    return all;
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderId id) const {
    for (const BookNumber book : in_use_) {
      const auto order = std::ranges::find(oracles_[book].resting(), id, &RestingOrder::id);
      if (order != oracles_[book].resting().end()) return *order;
    }
    return {};
  }
  [[nodiscard]] bool rests(OrderId id) const { return find(id).has_value(); }
  [[nodiscard]] OrderHandle handle_of(OrderId id) const { return find(id).value_or(RestingOrder{}).handle; }

 private:
  static bool may_rest(const Request& request) {
    if (request.type == CommandType::AddMarket) return false;
    return !has_time_in_force(request.type) || request.time_in_force == TimeInForce::GoodTillCancel ||
           request.time_in_force == TimeInForce::PostOnly;
  }
  /// The book of an order that rests; of one that does not, any will do.
  [[nodiscard]] BookNumber home(OrderId id) const {
    for (const BookNumber book : in_use_) {
      if (oracles_[book].find(handle_of(id))) return book;
    }
    return 0;
  }
  [[nodiscard]] Answer refused(Status status, const Request& request) const {
    if (!changes(request.type)) return {{status}, {}};
    const RestingOrder order = *find(request.id);
    return {{status, order.handle, 0, order.quantity, 0, true}, {}};
  }

  std::vector<Oracle> oracles_;
  std::set<BookNumber> in_use_;  ///< the books that calls were for: all others are empty
  std::size_t capacity_;
  IndexConfig ids_;
};

/// The set that an index is for.
template <class Index>
using ById = IdBook<std::conditional_t<std::same_as<Index, PlacedIds>, PlacedBookSet, BookSet>, Index>;

/// A set by ids beside its oracle, with requests for both. The first difference is kept.
template <class Index>
class SetByIds {
 public:
  using Config = typename Index::Config;

  SetByIds(const BookSetConfig& config, const Config& ids, std::vector<OrderId> drawn, std::uint64_t seed)
      : set_(*ById<Index>::create(config, ids)),
        oracle_(config.max_books, config.capacity, ids),
        ids_(std::move(drawn)),
        random_(seed) {
    for (std::size_t i = 0; i < config.max_books; ++i) {
      static_cast<void>(set_.add_book());
      commands_.emplace_back(seed * 1'000 + i);
    }
  }

  [[nodiscard]] const std::string& difference() const { return difference_; }
  [[nodiscard]] const auto& set() const { return set_.book(); }
  /// How many results there were with a status, and how many trades.
  [[nodiscard]] std::size_t seen(Status status) const { return seen_[static_cast<std::size_t>(status)]; }
  [[nodiscard]] std::size_t traded() const { return traded_; }

  BookRequest next() {
    const std::size_t books = random_.chance(70) ? std::min<std::size_t>(commands_.size(), 4) : commands_.size();
    auto book = static_cast<BookNumber>(random_.below(books));
    const Command command = commands_[book].next();
    BookRequest request{
        {{any_id(), any_id()}, command.price, command.quantity, command.type, command.side, command.time_in_force},
        book};
    if (adds(command.type) ? random_.chance(10) : random_.chance(40)) request.id = some_order();
    if (random_.chance(30)) request.new_id = request.id;
    const std::uint64_t wild = random_.below(120);
    if (wild == 0) request.book = static_cast<BookNumber>(random_.next());
    if (wild == 1) request.quantity = random_.chance(50) ? 0 : most;
    if (wild == 2) request.side = static_cast<Side>(random_.below(256));
    if (wild == 3) request.type = static_cast<CommandType>(random_.below(256));
    if (wild == 4) request.time_in_force = static_cast<TimeInForce>(random_.below(256));
    if (wild == 5) request.book = static_cast<BookNumber>(commands_.size());
    return request;
  }

  void call(const BookRequest& request) {
    RecordTrades sink;
    if (random_.chance(50)) return compare(request, set_.apply(request, sink), sink.trades);
    compare(request, call_by_name(request, sink), sink.trades);
  }

  /// What `at` answers ahead of time is wrong now and then.
  void call_in_span(const std::vector<BookRequest>& requests) {
    std::vector<std::vector<Trade>> trades(requests.size());
    std::size_t done = 0;
    BookRequest wrong;
    const auto at = [&](std::size_t i) -> const BookRequest& {
      if (i == done || random_.chance(70)) return requests[i];
      wrong.id = random_.next();
      wrong.new_id = random_.next();
      wrong.price = static_cast<Price>(random_.next());
      wrong.side = static_cast<Side>(random_.below(256));
      wrong.book = static_cast<BookNumber>(random_.next());
      return wrong;
    };
    const auto receive = [&](const Result& result, std::size_t i) {
      note_difference(difference_, "index", done++, i);
      compare(requests[i], result, trades[i]);
    };
    set_.apply(requests.size(), at, receive,
               [&](const Trade& trade, std::size_t i) { trades[i].push_back(trade); });
    note_difference(difference_, "results of a span", requests.size(), done);
  }

  void clear_something() {
    if (random_.chance(20)) {
      note_difference(difference_, "all orders cleared", oracle_.size(), set_.clear());
      for (BookNumber book = 0; book < oracle_.oracles().size(); ++book) clear_oracle(book);
      return;
    }
    const auto book = static_cast<BookNumber>(random_.below(oracle_.oracles().size() + 1));
    if (random_.chance(20)) {
      note_difference(difference_, "orders of a book cleared", clear_oracle(book), set_.clear(book));
      return;
    }
    const auto side = static_cast<Side>(random_.below(3));
    note_difference(difference_, "orders cleared", oracle_.clear(book, side), set_.clear(book, side));
  }

  void compare_state() {
    if (difference_.empty()) difference_ = broken_invariant(set()).value_or("");
    for (BookNumber book = 0; book < oracle_.oracles().size(); ++book) {
      const std::string found = difference_of_orders(oracle_.oracles()[book], *set().book(book));
      if (difference_.empty()) difference_ = found;
    }
    for (const OrderId id : ids_) {
      note_difference(difference_, "order of an id", oracle_.find(id), set_.find(id));
      note_difference(difference_, "handle of an id", oracle_.handle_of(id), set_.handle_of(id));
    }
    note_difference(difference_, "size", oracle_.size(), set().size());
  }

 private:
  std::size_t clear_oracle(BookNumber book) {
    return oracle_.clear(book, Side::Buy) + oracle_.clear(book, Side::Sell);
  }

  Result call_by_name(const BookRequest& request, RecordTrades& sink) {
    const RestingOrder before = set_.find(request.id).value_or(RestingOrder{});
    RestingOrder details{};
    const Result result = test::call_by_name(set_, request, sink, details);
    const RestingOrder now = set_.find(request.id).value_or(RestingOrder{});
    if (request.type == CommandType::Cancel) note_difference(difference_, "cancelled order", before, details);
    if (request.type == CommandType::Reduce && result.status == Status::Success && now.quantity > 0) {
      note_difference(difference_, "reduced order", now, details);
    }
    return with_details(request.type, request.quantity, result, details, now);
  }

  void compare(const BookRequest& request, const Result& result, const std::vector<Trade>& trades) {
    const auto expected = oracle_.answer(request, result);
    const std::string what = difference_.empty() ? to_string(request) : std::string();
    note_difference(difference_, (what + ": result").c_str(), expected.result, result);
    note_difference(difference_, (what + ": trades").c_str(), expected.trades, trades);
    ++seen_[static_cast<std::size_t>(result.status)];
    traded_ += trades.size();
  }

  OrderId any_id() { return ids_[random_.below(ids_.size())]; }
  OrderId some_order() {
    const std::vector<RestingOrder> resting = oracle_.resting();
    return resting.empty() ? any_id() : resting[random_.below(resting.size())].id;
  }

  ById<Index> set_;
  SetIdOracle<Config> oracle_;
  std::vector<OrderId> ids_;
  std::vector<FarCommands> commands_;
  Random random_;
  std::array<std::size_t, 12> seen_{};
  std::size_t traded_ = 0;
  std::string difference_;
};

constexpr OrderId last_of_ids = std::numeric_limits<OrderId>::max();

/// An index, and the ids that requests draw from: more than orders can rest, and in a range more than it has.
template <class Index>
typename Index::Config small_index();
template <>
DenseIds::Config small_index<DenseIds>() {
  return {1'000, 70};
}
template <>
HashedIds::Config small_index<HashedIds>() {
  return {};
}
template <>
PlacedIds::Config small_index<PlacedIds>() {
  return {};
}
std::vector<OrderId> drawn_ids(const DenseIds::Config&) {
  std::vector<OrderId> ids{0, last_of_ids};
  for (OrderId id = 996; id < 1'074; ++id) ids.push_back(id);
  return ids;
}
std::vector<OrderId> drawn_ids(const HashedIds::Config&) {
  std::vector<OrderId> ids{0, last_of_ids};
  for (OrderId i = 0; i < 80; ++i) ids.push_back(i << 32 | 7);
  return ids;
}
/// Half of them have a common bucket in a set of 16 orders, which has 7.
std::vector<OrderId> drawn_ids(const PlacedIds::Config&) {
  std::vector<OrderId> ids{0, last_of_ids};
  for (OrderId i = 0; i < 40; ++i) ids.push_back(i + 5'000);
  for (OrderId i = 0; i < 40; ++i) ids.push_back(28 * (i + 1'000));
  return ids;
}

template <class Index>
class SetByIdsTest : public ::testing::Test {
 protected:
  static SetByIds<Index> make(const BookSetConfig& config, std::uint64_t seed) {
    const auto ids = small_index<Index>();
    return {config, ids, drawn_ids(ids), seed};
  }
};
using Indexes = ::testing::Types<DenseIds, HashedIds, PlacedIds>;
TYPED_TEST_SUITE(SetByIdsTest, Indexes);

constexpr std::uint64_t seeds = LLMES_TEST_SANITIZED ? 1 : 4;

TYPED_TEST(SetByIdsTest, AgreesWithTheOraclesOneByOne) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto pair = this->make({.max_books = 4, .capacity = 16}, seed);
    for (int i = 1; i <= 4'000; ++i) {
      pair.call(pair.next());
      if (i % 20 == 0) pair.compare_state();
      if (i % 500 == 0) pair.clear_something();
      ASSERT_EQ(pair.difference(), "") << "seed " << seed << ", call " << i;
    }
    for (const Status status : {Status::Success, Status::InvalidCommand, Status::InvalidQuantity,
                                Status::PriceOutOfBand, Status::WouldCross, Status::NotFillable, Status::PoolFull,
                                Status::UnknownOrder, Status::DuplicateId, Status::UnknownBook}) {
      EXPECT_GT(pair.seen(status), 0u) << status;
    }
    EXPECT_EQ(pair.seen(Status::NoRoomForId) > 0, (std::same_as<TypeParam, DenseIds>));
    EXPECT_GT(pair.traded(), 300u);
  }
}

TYPED_TEST(SetByIdsTest, AgreesWithTheOraclesInSpans) {
  Random random(9);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto pair = this->make({.max_books = 4, .capacity = 16}, seed);
    for (int round = 1; round <= 40; ++round) {
      std::vector<BookRequest> requests(random.below(random.chance(50) ? 16 : 280));
      for (BookRequest& request : requests) request = pair.next();
      pair.call_in_span(requests);
      pair.compare_state();
      for (int i = 0; i < 5; ++i) pair.call(pair.next());
      if (round % 8 == 0) pair.clear_something();
      ASSERT_EQ(pair.difference(), "") << "seed " << seed << ", round " << round;
    }
  }
}

/// With so many books that a span fetches ahead what its requests will touch.
TYPED_TEST(SetByIdsTest, AgreesWithTheOraclesInSpansOverManyBooks) {
  Random random(10);
  auto pair = this->make({.max_books = 2'100, .capacity = 60}, 5);
  ASSERT_TRUE(pair.set().has_cold_books());
  for (int round = 1; round <= 15; ++round) {
    std::vector<BookRequest> requests(random.below(300));
    for (BookRequest& request : requests) request = pair.next();
    pair.call_in_span(requests);
    if (round % 5 == 0) pair.compare_state();
    ASSERT_EQ(pair.difference(), "") << "round " << round;
  }
}

/// With so large an index that a span fetches its entries ahead, however few the books are.
TYPED_TEST(SetByIdsTest, AgreesWithTheOraclesInSpansBesideALargeIndex) {
  Random random(11);
  auto pair = this->make({.max_books = 4, .capacity = 70'000}, 6);
  for (int round = 1; round <= 15; ++round) {
    std::vector<BookRequest> requests(random.below(300));
    for (BookRequest& request : requests) request = pair.next();
    pair.call_in_span(requests);
    if (round % 5 == 0) pair.compare_state();
    ASSERT_EQ(pair.difference(), "") << "round " << round;
  }
}

// ---- By hand.

TEST(SetByIdsCreate, SaysWhyItMadeNone) {
  using Dense = IdBook<BookSet, DenseIds>;
  CreateStatus status{};
  EXPECT_FALSE(Dense::create({.max_books = 0, .capacity = 1}, {0, 1}, status).has_value());
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(Dense::create({.max_books = 1, .capacity = 0}, {0, 1}, status).has_value());
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(Dense::create({.max_books = 1, .capacity = 1}, {0, 0}, status).has_value());
  EXPECT_EQ(status, CreateStatus::InvalidIdRange);
  EXPECT_TRUE(Dense::create({.max_books = 1, .capacity = 1}, {0, 1}, status).has_value());
  EXPECT_EQ(status, CreateStatus::Success);
}

template <class Index>
class OneIdOfASet : public ::testing::Test {
 protected:
  ById<Index> set = *ById<Index>::create({.max_books = 3, .capacity = 8}, small_index<Index>());
  const OrderId id = drawn_ids(small_index<Index>())[20];
  const OrderId other_id = drawn_ids(small_index<Index>())[21];
  RecordTrades sink;
};
TYPED_TEST_SUITE(OneIdOfASet, Indexes);

TYPED_TEST(OneIdOfASet, IsThatOfOneOrderInAllBooks) {
  auto& set = this->set;
  auto& sink = this->sink;
  const OrderId id = this->id;
  const OrderId other_id = this->other_id;
  EXPECT_EQ(set.add_resting_order(0, id, Side::Buy, 5, 1), Result{Status::UnknownBook});
  EXPECT_EQ(set.add_book(), 0u);
  EXPECT_EQ(set.add_book(), 1u);
  const Result first = set.add_resting_order(0, id, Side::Buy, 5, 1);
  EXPECT_EQ(first, rests(first.handle, 1));
  const Result duplicate{Status::DuplicateId};
  for (const BookNumber book : {0u, 1u, 2u, 77u}) {
    EXPECT_EQ(set.add_limit_order(book, id, Side::Buy, 5, 1, TimeInForce::GoodTillCancel, sink), duplicate);
    EXPECT_EQ(set.add_resting_order(book, id, Side::Buy, 5, 1), duplicate);
    EXPECT_EQ(set.add_market_order(book, id, Side::Sell, 1, sink), duplicate);
  }
  const Result unknown{Status::UnknownBook};
  EXPECT_EQ(set.add_limit_order(2, other_id, Side::Buy, 5, 1, TimeInForce::GoodTillCancel, sink), unknown);
  EXPECT_EQ(set.add_market_order(2, other_id, Side::Buy, 5, sink), unknown);
  EXPECT_EQ(set.apply(BookRequest{Request::add_resting(other_id, Side::Buy, 5, 1), 2}, sink), unknown);
  EXPECT_EQ(set.find(other_id), std::nullopt);
  EXPECT_EQ(set.apply(BookRequest{Request::cancel(id), 77}, sink), done(0, 1)) << "its order says which book";
  const Result again = set.add_resting_order(1, id, Side::Buy, 5, 2);
  EXPECT_EQ(set.book().book_of(again.handle), 1u);
  const Result replaced = set.replace_order(id, other_id, 6, 3, sink);
  EXPECT_EQ(set.book().book_of(replaced.handle), 1u);
  EXPECT_EQ(set.find(id), std::nullopt);
  EXPECT_EQ(set.clear(2, Side::Buy), 0u);
  EXPECT_EQ(set.clear(0, Side::Buy), 0u);
  EXPECT_EQ(set.clear(1, no_side), 0u);
  EXPECT_EQ(set.clear(1, Side::Buy), 1u);
  EXPECT_EQ(set.find(other_id), std::nullopt);
  EXPECT_EQ(set.clear(), 0u);
}

TYPED_TEST(OneIdOfASet, StaysWhenTheSetMovesAndIsGoneFromTheOther) {
  auto& set = this->set;
  auto& sink = this->sink;
  const OrderId id = this->id;
  const OrderId other_id = this->other_id;
  EXPECT_EQ(set.add_book(), 0u);
  const Result order = set.add_resting_order(0, id, Side::Buy, 5, 1);
  auto moved = std::move(set);
  EXPECT_EQ(set.find(id), std::nullopt);
  EXPECT_EQ(set.handle_of(id), OrderHandle{});
  EXPECT_EQ(set.cancel_order(id), Status::UnknownOrder);
  EXPECT_EQ(set.modify_order(id, 5, 2, sink), Result{Status::UnknownOrder});
  EXPECT_EQ(set.replace_order(id, other_id, 5, 2, sink), Result{Status::UnknownOrder});
  EXPECT_EQ(set.add_book(), std::nullopt);
  const Status added = set.add_resting_order(0, id, Side::Buy, 5, 1).status;
  EXPECT_TRUE(added == Status::UnknownBook || added == Status::NoRoomForId) << added;
  EXPECT_EQ(set.clear(0, Side::Buy), 0u);
  EXPECT_EQ(set.clear(), 0u);
  const std::vector<BookRequest> requests(300, BookRequest{Request::cancel(id), 0});
  set.apply(
      requests.size(), [&](std::size_t i) -> const BookRequest& { return requests[i]; },
      [](const Result& result) { EXPECT_EQ(result, Result{Status::UnknownOrder}); }, sink);
  EXPECT_EQ(set.apply(requests.front(), sink), Result{Status::UnknownOrder});
  EXPECT_EQ(moved.handle_of(id), order.handle);
  EXPECT_EQ(moved.cancel_order(id), Status::Success);
}

}  // namespace
}  // namespace llmes::test
