// SPDX-License-Identifier: MIT
//
// The cost of a call does not depend on how many orders rest on a level, on how many levels there are, or on its
// place in the band. Cost is counted in basic blocks, for which this file is compiled, not in time. Only the words
// of the tree make a difference; a call reads at most one of them at each level of the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/adversarial_streams.hpp"
#include "tests/support/print.hpp"
#include "tests/support/step_counter.hpp"

namespace llmes::test {
namespace {

constexpr Quantity lots = 7;  // of every order
constexpr std::size_t deep = 100'000;

enum class Others { None, AtTheFarEnd, Everywhere };

/// A level, which is the best of its side, and what else is in the book.
struct Setting {
  Side side;
  std::int64_t step;  ///< ticks from the side's aggressive end of the band
  std::size_t depth;  ///< orders on the level
  Others others;      ///< at the side's other end, or one at each other price of the band

  friend std::ostream& operator<<(std::ostream& out, const Setting& setting) {
    constexpr std::array<const char*, 3> names{"none", "one at the far end", "one at every other price"};
    return out << setting.side << " at step " << setting.step << ", " << setting.depth
               << " deep, others: " << names[static_cast<std::size_t>(setting.others)];
  }
};

template <std::size_t N>
std::vector<Setting> settings(std::vector<std::size_t> depths) {
  constexpr std::int64_t last = N - 1;
  std::vector<Setting> settings;
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{31}, last / 2, last / 2 + 1, last - 1, last}) {
      for (const Others others : {Others::None, Others::AtTheFarEnd, Others::Everywhere}) {
        for (const std::size_t depth : depths) settings.push_back({side, step, depth, others});
      }
    }
  }
  return settings;
}

/// Calls as functions of their own: the compiler knows nothing of the setting and leaves no answer out.
template <class Book>
struct Calls {
  [[gnu::noinline]] static OrderHandle add(Book& book, Side side, Price price) {
    return book.add_limit_order(0, side, price, lots, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
  }
  [[gnu::noinline]] static OrderHandle add_before(Book& book, OrderHandle neighbour) {
    return book.add_resting_order_before(neighbour, 0, lots).handle;
  }
  [[gnu::noinline]] static Quantity market(Book& book, Side side, Quantity quantity) {
    return book.add_market_order(0, side, quantity, DiscardTrades{}).filled;
  }
  [[gnu::noinline]] static Quantity limit(Book& book, Side side, Price price, Quantity quantity,
                                          TimeInForce time_in_force) {
    return book.add_limit_order(0, side, price, quantity, time_in_force, DiscardTrades{}).filled;
  }
  [[gnu::noinline]] static Status modify(Book& book, OrderHandle order, Price price, Quantity quantity) {
    return book.modify_order(order, price, quantity, DiscardTrades{}).status;
  }
  [[gnu::noinline]] static Status cancel(Book& book, OrderHandle order) { return book.cancel_order(order); }
  [[gnu::noinline]] static Status replace(Book& book, OrderHandle order, Price price, Quantity quantity) {
    return book.replace_order(order, 0, price, quantity, DiscardTrades{}).status;
  }
  [[gnu::noinline]] static std::size_t clear(Book& book, Side side) { return book.clear(side); }
  [[gnu::noinline]] static std::optional<QueuePosition> queue_ahead(const Book& book, OrderHandle order) {
    return book.queue_ahead(order);
  }
  [[gnu::noinline]] static std::optional<Price> worst(const Book& book, Side side) { return book.worst(side); }
  [[gnu::noinline]] static Status reduce(Book& book, OrderHandle order, Quantity by) {
    return book.reduce_order(order, by);
  }
  [[gnu::noinline]] static std::optional<Price> best_bid(const Book& book) { return book.best_bid(); }
  [[gnu::noinline]] static std::optional<Price> best_ask(const Book& book) { return book.best_ask(); }
  [[gnu::noinline]] static DepthLevel level(const Book& book, Side side, Price price) {
    return book.level(side, price);
  }
  [[gnu::noinline]] static std::optional<RestingOrder> find(const Book& book, OrderHandle order) {
    return book.find(order);
  }
  /// What no call may be.
  [[gnu::noinline]] static std::size_t walk(const Book& book, Side side) {
    std::size_t count = 0;
    book.visit_orders(side, [&count](const RestingOrder&) { ++count; });
    return count;
  }
};

/// Steps by the name of what took them.
using Costs = std::map<std::string, std::uint64_t>;

template <class Book>
class Bench {
 public:
  explicit Bench(const Setting& setting) : setting_(setting) {
    if (setting.others == Others::AtTheFarEnd && setting.step != last) add(setting.side, ladder_.at(last));
    for (std::int64_t step = 0; setting.others == Others::Everywhere && step <= last; ++step) {
      if (step != setting.step) add(step < setting.step ? takers_ : setting.side, ladder_.at(step));
    }
    for (std::size_t i = 0; i < setting.depth; ++i) orders_.push_back(add());
  }

  /// Of calls on a level where other orders rest all the while.
  Costs on_the_level() {
    measure("best price", std::optional(price_), [this] { return best_(book_); });
    measure("level", setting_.depth, [this] { return Call::level(book_, setting_.side, price_).order_count; });
    const OrderHandle first = orders_.front();
    measure("find", lots, [&] { return Call::find(book_, first)->quantity; });
    const OrderHandle middle = add();
    OrderHandle placed;
    measure("add before the first", true, [&] {
      placed = Call::add_before(book_, first);
      return placed != OrderHandle{};
    });
    EXPECT_EQ(Call::cancel(book_, placed), Status::Success);
    const OrderHandle back = measure_add("add");
    measure("modify to less", Status::Success, [&] { return Call::modify(book_, middle, price_, lots - 1); });
    measure("reduce", Status::Success, [&] { return Call::reduce(book_, middle, 1); });
    measure("cancel in the middle", Status::Success, [&] { return Call::cancel(book_, middle); });
    measure("cancel at the back", Status::Success, [&] { return Call::cancel(book_, back); });
    const OrderHandle moved = add();
    orders_.push_back(add());
    const OrderHandle second = orders_[1];
    measure("modify to more", Status::Success, [&] { return Call::modify(book_, moved, price_, lots + 1); });
    const OrderHandle replaced = add();
    measure("replace", Status::Success, [&] { return Call::replace(book_, replaced, price_, lots); });
    measure("trade with part of a maker", Quantity{1}, [this] { return Call::market(book_, takers_, 1); });
    measure("trade with a maker", lots - 1, [this] { return Call::market(book_, takers_, lots - 1); });
    measure("cancel at the front", Status::Success, [&] { return Call::cancel(book_, second); });
    measure("cancel of an unknown order", Status::UnknownOrder, [&] { return Call::cancel(book_, middle); });
    return costs_;
  }

  /// Of calls that make the level, and ones that take it away. The depth is 1.
  Costs of_the_level() {
    OrderHandle order = orders_.front();
    measure("cancel of the only order", Status::Success, [&] { return Call::cancel(book_, order); });
    measure("best price behind it", price_behind(), [this] { return best_(book_); });
    order = measure_add("add of the first order");
    measure("reduce to nothing", Status::Success, [&] { return Call::reduce(book_, order, lots); });
    add();
    measure("trade with the only maker", lots, [this] { return Call::market(book_, takers_, lots); });
    if (setting_.step == last) return costs_;
    order = add();
    const Price behind = ladder_.at(setting_.step + 1);
    measure("modify to another price", Status::Success, [&] { return Call::modify(book_, order, behind, lots); });
    return costs_;
  }

  /// Of orders that trade with `makers`, all of them on the level or one on each level from it on.
  Costs of_takers(std::size_t makers) {
    const Quantity quantity = makers * lots;
    measure("market", quantity, [&] { return Call::market(book_, takers_, quantity); });
    const auto limit = [&](TimeInForce time_in_force) {
      return Call::limit(book_, takers_, ladder_.at(last), quantity, time_in_force);
    };
    measure("good-till-cancel", quantity, [&] { return limit(TimeInForce::GoodTillCancel); });
    measure("immediate-or-cancel", quantity, [&] { return limit(TimeInForce::ImmediateOrCancel); });
    measure("fill-or-kill", quantity, [&] { return limit(TimeInForce::FillOrKill); });
    return costs_;
  }

  /// Of a fill-or-kill order for more than there is on `levels` levels.
  std::uint64_t steps_of_a_refusal(std::size_t levels) {
    const Price price = ladder_.at(setting_.step + static_cast<std::int64_t>(levels) - 1);
    measure("refusal", Quantity{0}, [&] {
      return Call::limit(book_, takers_, price, setting_.depth * levels * lots + 1, TimeInForce::FillOrKill);
    });
    return costs_["refusal"];
  }

  /// Of a clear of the side, of the queue before its last order, and of the worst price.
  Costs of_all_orders() {
    const OrderHandle last_order = orders_.back();
    measure("queue ahead", setting_.depth - 1, [&] { return Call::queue_ahead(book_, last_order)->order_count; });
    measure("worst price", std::optional(price_), [this] { return Call::worst(book_, setting_.side); });
    measure("clear", setting_.depth, [this] { return Call::clear(book_, setting_.side); });
    return costs_;
  }

  std::uint64_t steps_of_a_walk() {
    measure("walk", setting_.depth, [this] { return Call::walk(book_, setting_.side); });
    return costs_["walk"];
  }

 private:
  using Call = Calls<Book>;
  static constexpr std::size_t n = Book::price_levels;
  static constexpr std::int64_t last = n - 1;

  template <class Answer, class Call>
  void measure(const char* name, const Answer& expected, const Call& call) {
    Answer answer{};
    costs_[name] = steps_of([&] { answer = call(); });
    EXPECT_EQ(answer, expected) << name;
  }
  OrderHandle measure_add(const char* name) {
    OrderHandle order;
    costs_[name] = steps_of([&] { order = add(); });
    EXPECT_NE(order, OrderHandle{}) << name;
    return order;
  }

  OrderHandle add(Side side, Price price) { return Call::add(book_, side, price); }
  OrderHandle add() { return add(setting_.side, price_); }

  /// The price of the next level of the side.
  [[nodiscard]] std::optional<Price> price_behind() const {
    if (setting_.others == Others::None || setting_.step == last) return {};
    return ladder_.at(setting_.others == Others::Everywhere ? setting_.step + 1 : last);
  }

  Setting setting_;
  Book book_ = *Book::create({.base_price = 0, .capacity = n + setting_.depth + 4});
  Ladder ladder_{0, n, setting_.side};
  Side takers_ = opposite(setting_.side);
  Price price_ = ladder_.at(setting_.step);
  std::optional<Price> (*best_)(const Book&) = setting_.side == Side::Buy ? Call::best_bid : Call::best_ask;
  std::vector<OrderHandle> orders_;
  Costs costs_;
};

template <class Book>
class Complexity : public ::testing::Test {};
using MeasuredBooks = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<262144>,
                                       WideOrderBook<64>, WideOrderBook<4096>, WideOrderBook<262144>>;
TYPED_TEST_SUITE(Complexity, MeasuredBooks);

TYPED_TEST(Complexity, IsTheSameAtAnyDepthAtAnyPlaceInAnyCompany) {
  const Costs expected = Bench<TypeParam>({Side::Buy, 0, 1, Others::None}).on_the_level();
  for (const Setting& setting : settings<TypeParam::price_levels>({1, deep})) {
    const Costs costs = Bench<TypeParam>(setting).on_the_level();
    EXPECT_EQ(costs, expected) << setting;
  }
  EXPECT_EQ(expected.at("cancel in the middle"), expected.at("cancel at the front"));
  EXPECT_EQ(expected.at("cancel in the middle"), expected.at("cancel at the back"));
  for (const auto& [call, cost] : expected) EXPECT_GT(cost, 0u) << call;
}

/// Whether a level comes or goes decides how many words of the tree change, at most one for each level of it: in
/// two places if an order moves, and with blocks around it if the compiler does not inline the access. A level of
/// a wide book also takes an anchor, or has one, and in its chain it may be the first or not.
template <class Book>
constexpr std::uint64_t blocks_for_the_tree = 3 * OccupancyTree<Book::price_levels>::height + 2;

TYPED_TEST(Complexity, OfTheFirstAndTheLastOrderOnALevelVariesByTheHeightOfTheTree) {
  std::map<std::string, std::set<std::uint64_t>> costs;
  for (const Setting& setting : settings<TypeParam::price_levels>({1})) {
    for (const auto& [call, cost] : Bench<TypeParam>(setting).of_the_level()) costs[call].insert(cost);
  }
  EXPECT_EQ(costs.size(), 6u);
  constexpr bool wide = std::same_as<TypeParam, WideOrderBook<TypeParam::price_levels>>;
  for (const auto& [call, all] : costs) {
    const std::uint64_t second_anchor = wide && call == "modify to another price" ? 2 : 0;
    EXPECT_LE(*all.rbegin() - *all.begin(), blocks_for_the_tree<TypeParam> + second_anchor) << call;
  }
}

/// From the narrowest band to the widest the tree gets two levels more. No call costs more than twice as much.
TEST(ComplexityOfWidths, HardlyGrowsWithTheBand) {
  const Setting setting{Side::Sell, 31, 1, Others::None};
  const auto costs_of = [&setting]<class Book>(std::type_identity<Book>) {
    Costs costs = Bench<Book>(setting).on_the_level();
    costs.merge(Bench<Book>(setting).of_the_level());
    return costs;
  };
  const auto expect_little_growth = [](const Costs& narrow, const Costs& wide) {
    // A step for each of the two further words of the tree may be more than that.
    for (const auto& [call, cost] : wide) {
      EXPECT_LE(cost, std::max(2 * narrow.at(call), narrow.at(call) + 2)) << call;
    }
  };
  expect_little_growth(costs_of(std::type_identity<OrderBook<64>>()),
                       costs_of(std::type_identity<OrderBook<262144>>()));
  expect_little_growth(costs_of(std::type_identity<WideOrderBook<64>>()),
                       costs_of(std::type_identity<WideOrderBook<262144>>()));
}

/// A taker's cost grows by the same for each maker, however many rest there.
TYPED_TEST(Complexity, OfAFillIsTheSameForEachMaker) {
  const auto costs_with = [](std::size_t depth, std::size_t makers) {
    return Bench<TypeParam>({Side::Sell, 31, depth, Others::AtTheFarEnd}).of_takers(makers);
  };
  const Costs one = costs_with(1'000, 1);
  const Costs two = costs_with(1'000, 2);
  EXPECT_EQ(one.size(), 4u);
  for (const std::size_t depth : {std::size_t{1'000}, deep}) {
    for (const auto& [call, cost] : costs_with(depth, 200)) {
      EXPECT_GT(two.at(call), one.at(call)) << call;
      EXPECT_EQ(cost, one.at(call) + 199 * (two.at(call) - one.at(call))) << call;
    }
  }
}

TYPED_TEST(Complexity, OfALevelEmptiedIsAConstant) {
  const auto costs_with = [](std::size_t levels) {
    return Bench<TypeParam>({Side::Sell, 0, 1, Others::Everywhere}).of_takers(levels);
  };
  const Costs one = costs_with(1);
  for (const std::size_t levels : {std::size_t{2}, std::size_t{5}, std::size_t{15}}) {
    for (const auto& [call, cost] : costs_with(levels)) {
      EXPECT_LE(cost, levels * (one.at(call) + blocks_for_the_tree<TypeParam>)) << call << ' ' << levels;
    }
  }
}

TYPED_TEST(Complexity, OfAFillOrKillIsAConstantForEachLevelThatItLooksAt) {
  const auto steps_with = [](std::size_t levels) {
    return Bench<TypeParam>({Side::Sell, 0, 1, Others::Everywhere}).steps_of_a_refusal(levels);
  };
  const std::uint64_t one = steps_with(1);
  for (const std::size_t levels : {std::size_t{2}, std::size_t{5}, std::size_t{60}}) {
    EXPECT_GT(steps_with(levels), one + levels - 2) << levels;
    EXPECT_LE(steps_with(levels), levels * (one + blocks_for_the_tree<TypeParam>)) << levels;
  }
}

/// From the second order on: a compiler may lead into a loop by blocks of their own.
TYPED_TEST(Complexity, OfAClearAndOfTheQueueAheadIsTheSameForEachOrder) {
  const auto costs_with = [](std::size_t depth) {
    return Bench<TypeParam>({Side::Sell, 31, depth, Others::None}).of_all_orders();
  };
  const Costs two = costs_with(2);
  const Costs three = costs_with(3);
  const Costs many = costs_with(deep);
  for (const char* call : {"clear", "queue ahead"}) {
    EXPECT_GT(three.at(call), two.at(call)) << call;
    EXPECT_EQ(many.at(call), two.at(call) + (deep - 2) * (three.at(call) - two.at(call))) << call;
  }
  EXPECT_EQ(many.at("worst price"), costs_with(1).at("worst price"));
}

/// What would be linear is seen to be.
TYPED_TEST(Complexity, OfAWalkShows) {
  const std::uint64_t one = Bench<TypeParam>({Side::Buy, 0, 1, Others::None}).steps_of_a_walk();
  EXPECT_GE(Bench<TypeParam>({Side::Buy, 0, deep, Others::None}).steps_of_a_walk(), one + deep - 1);
}

// ---- Of a book for any price: no call's cost depends on how prices jump, nor on how many levels there are.

/// A side with `levels` levels at neighbouring prices, and quotes that come and go.
template <class Book>
class JumpingQuotes {
 public:
  JumpingQuotes(Side side, Price levels) : side_(side) {
    for (Price step = 0; step < levels; ++step) add(step);
  }

  /// Adds `burst` orders a tick apart from a step on and cancels them, in turn for each of `steps`, until it has
  /// made so many calls. Notes how many steps a call takes.
  void play(const std::vector<Price>& steps, Price burst, std::uint64_t calls) {
    std::vector<OrderHandle> orders;
    for (std::size_t i = 0; calls_ < calls; ++i) {
      for (Price at = 0; at < burst; ++at) {
        note([&] { orders.push_back(add(steps[i % steps.size()] + at)); });
      }
      for (const OrderHandle order : orders) {
        note([&] { EXPECT_EQ(Calls<Book>::cancel(book_, order), Status::Success); });
      }
      orders.clear();
    }
  }
  [[nodiscard]] std::uint64_t average() const { return all_ / calls_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  template <class Call>
  void note(Call call) {
    const std::uint64_t steps = steps_of(call);
    all_ += steps;
    most_ = std::max(most_, steps);
    ++calls_;
  }
  /// A step is a tick worse for the makers.
  OrderHandle add(Price step) { return Calls<Book>::add(book_, side_, side_ == Side::Sell ? step : -step); }

  Book book_ = *Book::create({.capacity = 12'000});
  Side side_;
  std::uint64_t calls_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t most_ = 0;
};

/// Where quotes jump to: ahead by less than a window, by more, behind the last level, and to and fro.
const std::vector<std::vector<Price>> jumps{
    {-1},      {-300},          {-3'000},       {-40'000},          {-1'000'000'000},
    {100'000}, {1'000'000'000}, {-300, -3'000}, {-40'000, 100'000}, {-1'000, -1'000'000'000, 1'000'000'000}};

/// Blocks of a call: on average a few for its work, some for the way down a tree, and its part of what a move
/// takes. At most those of 64 levels that go into the tree, and of 64 that come out of it. A debug build has more
/// blocks than others, as each checked access is one.
constexpr std::uint64_t blocks_of_a_jump = 800;
constexpr std::uint64_t blocks_of_a_move = 2 * 64 * 400;

template <class Book>
class ComplexityOfJumps : public ::testing::Test {};
using JumpingBooks = ::testing::Types<AnyPriceBook<64>, AnyPriceBook<512>, AnyPriceBook<4096>, AnyPriceBook<>>;
TYPED_TEST_SUITE(ComplexityOfJumps, JumpingBooks);

TYPED_TEST(ComplexityOfJumps, IsAConstantForEachCall) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    for (const Price levels : {0, 100, 10'000}) {
      for (const auto& steps : jumps) {
        for (const Price burst : {1, 70, 1'000}) {
          JumpingQuotes<TypeParam> quotes(side, levels);
          quotes.play(steps, burst, 6'000);
          const auto what = ::testing::Message()
                            << side << ' ' << levels << " levels, to " << steps[0] << ", " << burst;
          EXPECT_LE(quotes.average(), blocks_of_a_jump) << what;
          EXPECT_LE(quotes.most(), blocks_of_a_move) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace llmes::test
