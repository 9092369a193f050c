// SPDX-License-Identifier: MIT
//
// Reports tell all that commands do: a reader that knows nothing else has the same queues. And they are a function
// of the records alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine/matcher.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_plan.hpp"

namespace llmes::test {
namespace {

/// Whether such a report has a position in the stream of orders of its book.
bool is_event(ReportKind kind) {
  return kind != ReportKind::Done && kind != ReportKind::NewId;
}

/// The queues of one book, from reports. The orders of a side are in the order in which they came.
class ReportReader {
 public:
  void read(const Report& report) {
    std::vector<RestingOrder>& orders = orders_[static_cast<std::size_t>(report.side)];
    switch (report.kind) {
      case ReportKind::Done:
      case ReportKind::NewId: return;
      case ReportKind::Added:
        follow(report.order.position);
        orders.push_back(order_of(report.order, report.side));
        return;
      case ReportKind::AddedBefore: {
        const auto& [position, id, handle, price, quantity, in_front_of] = report.placement;
        follow(position);
        const auto next = std::ranges::find(orders, in_front_of, &RestingOrder::handle);
        ASSERT_NE(next, orders.end());
        EXPECT_EQ(next->price, price);
        orders.insert(next, {handle, id, report.side, price, quantity});
        return;
      }
      case ReportKind::Executed: {
        const auto& [position, id, handle, price, quantity, left] = report.fill;
        follow(position);
        RestingOrder& maker = find(opposite(report.side), handle);
        EXPECT_EQ(maker, (RestingOrder{handle, id, opposite(report.side), price, left + quantity}));
        maker.quantity = left;
        if (left == 0) erase(maker);
        return;
      }
      case ReportKind::Reduced: {
        follow(report.order.position);
        RestingOrder& order = find(report.side, report.order.handle);
        EXPECT_EQ(order.quantity, report.order.quantity + report.order.reduced_by);
        EXPECT_GT(report.order.reduced_by, 0u);
        order = order_of(report.order, report.side);
        return;
      }
      case ReportKind::Deleted: {
        follow(report.order.position);
        RestingOrder& order = find(report.side, report.order.handle);
        EXPECT_EQ(order, order_of(report.order, report.side));
        erase(order);
        return;
      }
      case ReportKind::Replaced: {
        const auto& [position, old_handle, id, handle, price, quantity] = report.replacement;
        follow(position);
        erase(find(report.side, old_handle));
        orders.push_back({handle, id, report.side, price, quantity});
        return;
      }
    }
    ADD_FAILURE() << "no kind";
  }

  /// Best prices first; of one price, the oldest first.
  [[nodiscard]] std::vector<RestingOrder> queue(Side side) const {
    std::vector<RestingOrder> orders = orders_[static_cast<std::size_t>(side)];
    std::ranges::stable_sort(orders, [side](const RestingOrder& a, const RestingOrder& b) {
      return side == Side::Buy ? a.price > b.price : a.price < b.price;
    });
    return orders;
  }
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  static RestingOrder order_of(const Report::Order& order, Side side) {
    return {order.handle, order.id, side, order.price, order.quantity};
  }
  void follow(std::uint64_t position) { EXPECT_EQ(position, ++position_); }
  RestingOrder& find(Side side, OrderHandle handle) {
    std::vector<RestingOrder>& orders = orders_[static_cast<std::size_t>(side)];
    const auto found = std::ranges::find(orders, handle, &RestingOrder::handle);
    if (found != orders.end()) return *found;
    ADD_FAILURE() << "a report names an order that does not rest";
    static RestingOrder nobody;
    return nobody;
  }
  void erase(const RestingOrder& order) {
    std::erase_if(orders_[static_cast<std::size_t>(order.side)],
                  [handle = order.handle](const RestingOrder& one) { return one.handle == handle; });
  }

  std::array<std::vector<RestingOrder>, 2> orders_;
  std::uint64_t position_ = 0;
};

template <class Book>
class MatcherTest : public ::testing::Test {
 public:
  static Matcher<Book> make() { return *Matcher<Book>::create(SmallMatcher<Book>::config); }
  static const auto& books(const Matcher<Book>& matcher) {
    if constexpr (requires { matcher.book().book_count(); }) {
      return matcher.book();
    } else {
      return matcher.book().book();
    }
  }
};
using Books = ::testing::Types<BookSet, IdBook<BookSet, HashedIds>, IdBook<PlacedBookSet, PlacedIds>>;
TYPED_TEST_SUITE(MatcherTest, Books);

TYPED_TEST(MatcherTest, HasAReaderOfReportsFollow) {
  auto matcher = this->make();
  auto other = this->make();  // takes the same commands as calls
  std::vector<ReportReader> readers(SmallMatcher<TypeParam>::config.books);
  std::array<std::size_t, 8> kinds{};
  for (const Record& record : plan_records<TypeParam>(1, 3'000)) {
    KeepReports target;
    matcher.apply({&record, 1}, target);
    ASSERT_FALSE(target.reports.empty());
    for (const Report& report : target.reports) {
      EXPECT_EQ(report.sequence, record.sequence);
      EXPECT_EQ(report.kind == ReportKind::Done, &report == &target.reports.back());
      ++kinds[static_cast<std::size_t>(report.kind)];
      if (is_event(report.kind)) readers.at(report.book).read(report);
    }
    const Report& done = target.reports.back();
    EXPECT_EQ(done.outcome.id, record.id);
    EXPECT_EQ(done.outcome.time, record.time);
    if (done.status != Status::Success) {
      EXPECT_TRUE(std::ranges::none_of(target.reports, is_event, &Report::kind));
    }
    for (BookNumber number = 0; number < readers.size(); ++number) {
      const auto book = this->books(matcher).book(number);
      for (const Side side : {Side::Buy, Side::Sell}) {
        std::vector<RestingOrder> queue;
        book->visit_orders(side, [&](const RestingOrder& order) { queue.push_back(order); });
        ASSERT_EQ(readers[number].queue(side), queue) << to_string(done);
      }
      EXPECT_EQ(readers[number].position(), matcher.positions(number).orders);
    }
  }
  if (std::is_same_v<TypeParam, BookSet>) {  // whose commands name the old order by its handle
    EXPECT_EQ(std::exchange(kinds[static_cast<std::size_t>(ReportKind::NewId)], 21), 0u);
  }
  for (const std::size_t count : kinds) EXPECT_GT(count, 20u);
}

TYPED_TEST(MatcherTest, SaysHowEachCommandWent) {
  auto matcher = this->make();
  auto book = [] {
    const auto& config = SmallMatcher<TypeParam>::config;
    if constexpr (!std::is_same_v<TypeParam, BookSet>) {
      return *TypeParam::create(config.set(), config.ids);
    } else {
      return *TypeParam::create(config.set());
    }
  }();
  for (std::size_t i = 0; i < SmallMatcher<TypeParam>::config.books; ++i) ASSERT_TRUE(book.add_book());
  const std::vector<Record> records = plan_records<TypeParam>(2, 3'000);
  KeepReports target;
  matcher.apply(records, target);
  std::erase_if(target.reports, [](const Report& report) { return report.kind != ReportKind::Done; });
  ASSERT_EQ(target.reports.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    Result expected;
    if constexpr (std::is_same_v<TypeParam, BookSet>) {
      expected = book.apply(command_of(records[i]), DiscardTrades{});
    } else {
      expected = book.apply(request_of(records[i]), DiscardTrades{});
    }
    const Report& done = target.reports[i];
    EXPECT_EQ((Result{done.status, done.outcome.handle, done.outcome.filled, done.outcome.remaining,
                      done.outcome.cancelled, done.kept_place}),
              expected);
    EXPECT_EQ(done.sequence, i + 1);
  }
}

/// Whether a report has this id, in whatever member.
bool names(const Report& report, OrderId id) {
  switch (report.kind) {
    case ReportKind::Done: return report.outcome.id == id;
    case ReportKind::NewId: return report.ids.old_id == id || report.ids.new_id == id;
    case ReportKind::Executed: return report.fill.maker_id == id;
    case ReportKind::Replaced: return report.replacement.id == id;
    case ReportKind::AddedBefore: return report.placement.id == id;
    case ReportKind::Added:
    case ReportKind::Reduced:
    case ReportKind::Deleted: return report.order.id == id;
  }
  return false;
}

/// Also of one that is rejected, and of a replace whose order fills or is dropped at once.
TYPED_TEST(MatcherTest, NamesEveryIdOfACommand) {
  auto matcher = this->make();
  std::size_t filled = 0;
  std::size_t dropped = 0;
  std::size_t rejected = 0;
  for (const Record& record : plan_records<TypeParam>(4, 12'000)) {
    KeepReports target;
    matcher.apply({&record, 1}, target);
    const auto named = [&](OrderId id) {
      return std::ranges::any_of(target.reports, [id](const Report& report) { return names(report, id); });
    };
    const Report& done = target.reports.back();
    EXPECT_TRUE(named(record.id)) << to_string(done);
    if (std::is_same_v<TypeParam, BookSet> || !has_new_id(record.type)) continue;
    EXPECT_TRUE(named(record.other)) << to_string(request_of(record)) << ": " << to_string(done);
    const bool success = done.status == Status::Success;
    filled += static_cast<std::size_t>(success && done.outcome.filled == record.quantity);
    dropped += static_cast<std::size_t>(success && done.outcome.cancelled > 0);
    rejected += static_cast<std::size_t>(!success);
  }
  if constexpr (!std::is_same_v<TypeParam, BookSet>) {
    EXPECT_GT(filled, 5u);
    EXPECT_GT(dropped, 5u);
    EXPECT_GT(rejected, 20u);
  }
}

/// Whatever it names, a reader of reports has afterwards what the books have; and all at once is as one by one.
TYPED_TEST(MatcherTest, ClearsWhatACommandNames) {
  const std::vector<Record> records = plan_records<TypeParam>(5, 3'000);
  std::size_t deleted = 0;
  for (const Clear& what : {Clear{.id = 77}, Clear{.id = 77, .book = 1},
                            Clear{.id = 77, .book = 2, .side = Side::Sell}, Clear{.id = 77, .side = Side::Buy}}) {
    auto matcher = this->make();
    std::vector<ReportReader> readers(SmallMatcher<TypeParam>::config.books);
    std::vector<Record> all;
    KeepReports told;
    const auto apply = [&](const Record& record) {
      all.push_back(record);
      KeepReports target;
      matcher.apply({&record, 1}, target);
      for (const Report& report : target.reports) {
        if (is_event(report.kind)) readers.at(report.book).read(report);
      }
      told.reports.insert(told.reports.end(), target.reports.begin(), target.reports.end());
      return target.reports;
    };
    for (const Record& record : records) {
      apply(record);
      if (record.sequence % 300 != 0) continue;
      std::vector<std::pair<BookNumber, RestingOrder>> named;
      Quantity lots = 0;
      for (BookNumber number = 0; number < readers.size(); ++number) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          if (what.book.value_or(number) != number || what.side.value_or(side) != side) continue;
          for (const RestingOrder& order : readers[number].queue(side)) {
            named.emplace_back(number, order);
            lots += order.quantity;
          }
        }
      }
      const std::vector<Report> reports = apply(record_of(what, 5));
      ASSERT_EQ(reports.size(), named.size() + 1);
      for (std::size_t i = 0; i < named.size(); ++i) {
        EXPECT_EQ(reports[i].kind, ReportKind::Deleted);
        EXPECT_EQ(reports[i].book, named[i].first);
        EXPECT_EQ(reports[i].order.handle, named[i].second.handle);
      }
      const Report& done = reports.back();
      EXPECT_EQ(done.status, Status::Success);
      EXPECT_EQ(done.outcome.id, 77u);
      EXPECT_EQ(done.outcome.time, 5u);
      EXPECT_EQ(done.outcome.cancelled, lots);
      deleted += named.size();
      for (BookNumber number = 0; number < readers.size(); ++number) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          std::vector<RestingOrder> queue;
          this->books(matcher).book(number)->visit_orders(side,
                                                          [&](const RestingOrder& o) { queue.push_back(o); });
          EXPECT_EQ(readers[number].queue(side), queue);
        }
      }
    }
    auto other = this->make();
    KeepReports at_once;
    other.apply(all, at_once);
    EXPECT_TRUE(at_once.reports == told.reports);
  }
  EXPECT_GT(deleted, 200u);
}

TYPED_TEST(MatcherTest, ClearsNothingThatIsNotThere) {
  auto matcher = this->make();
  const Record add =
      record_of(BookCommand{Command::add_resting(20, Side::Buy, 5, std::numeric_limits<Quantity>::max()), 0}, 0);
  Record second = record_of(BookCommand{Command::add_resting(21, Side::Buy, 6, 3), 0}, 0);
  const auto done_of = [&](const Record& record) {
    KeepReports target;
    matcher.apply({&record, 1}, target);
    return target.reports.back();
  };
  const auto refused = [&](const Clear& what) { return done_of(record_of(what, 0)).status; };
  EXPECT_EQ(done_of(add).status, Status::Success);
  EXPECT_EQ(refused({.book = 3}), Status::UnknownBook);
  EXPECT_EQ(refused({.book = Clear::all_books}), Status::UnknownBook);
  EXPECT_EQ(refused({.side = static_cast<Side>(2)}), Status::InvalidCommand);
  EXPECT_EQ(refused({.book = 0, .side = Clear::both_sides}), Status::InvalidCommand);
  EXPECT_EQ(refused({.book = 3, .side = static_cast<Side>(2)}), Status::UnknownBook);
  EXPECT_EQ(this->books(matcher).size(), 1u);
  EXPECT_EQ(done_of(record_of(Clear{.book = 1}, 0)).outcome.cancelled, 0u) << "it is empty";
  EXPECT_EQ(done_of(record_of(Clear{.book = 0, .side = Side::Sell}, 0)).outcome.cancelled, 0u);
  // More lots than fit.
  second.book = 1;
  EXPECT_EQ(done_of(second).status, Status::Success);
  const Report done = done_of(record_of(Clear{}, 0));
  EXPECT_EQ(done.outcome.cancelled, std::numeric_limits<Quantity>::max());
  EXPECT_EQ(this->books(matcher).size(), 0u);
}

TYPED_TEST(MatcherTest, ReportsTheSameHoweverRecordsAreSplit) {
  const std::vector<Record> records = plan_records<TypeParam>(3, 2'000);
  auto whole = this->make();
  KeepReports expected;
  whole.apply(records, expected);
  Random random(1);
  auto split = this->make();
  KeepReports target;
  for (std::span<const Record> left = records; !left.empty();) {
    const std::size_t size = std::min<std::size_t>(left.size(), random.below(200));
    split.apply(left.first(size), target);
    left = left.subspan(size);
  }
  EXPECT_EQ(target.reports, expected.reports);
}

/// As a journal of a later version may hold them.
TYPED_TEST(MatcherTest, RejectsTypesThatAreNone) {
  auto matcher = this->make();
  for (const unsigned type : {command_types, 64u, 255u}) {
    Record record{.id = 20, .other = 21, .quantity = 1, .type = static_cast<CommandType>(type)};
    stamp(record, 1);
    KeepReports target;
    matcher.apply({&record, 1}, target);
    ASSERT_EQ(target.reports.size(), 1u);
    EXPECT_EQ(target.reports[0].status, Status::InvalidCommand) << type;
  }
}

TEST(Matcher, SaysWhyItCannotBeMade) {
  CreateStatus status{};
  EXPECT_FALSE(Matcher<BookSet>::create({.books = 0, .capacity = 10}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  using Dense = IdBook<BookSet, DenseIds>;
  EXPECT_FALSE(Matcher<Dense>::create({.books = 1, .capacity = 10, .ids = {}}, status));
  EXPECT_EQ(status, CreateStatus::InvalidIdRange);
}

}  // namespace
}  // namespace llmes::test
