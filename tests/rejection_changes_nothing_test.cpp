// SPDX-License-Identifier: MIT
//
// Each bad input has its status, and whatever is rejected changes nothing: not what can be seen, not what comes
// later.
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/twins.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
constexpr BookConfig config{.base_price = -20, .capacity = 8};
constexpr Price price_max = -20 + 127;
constexpr Quantity most = std::numeric_limits<Quantity>::max();
constexpr Price lowest = std::numeric_limits<Price>::min();
constexpr Price highest = std::numeric_limits<Price>::max();

/// A book with bids at 10 (two orders), 9 and 0, asks at 14 (two orders) and 20, and a slot or two in use before.
struct Scene {
  Book book = *Book::create(config);
  OrderHandle bid{}, lower_bid{}, ask{}, cancelled{}, filled{}, huge{};

  Scene() {
    cancelled = rest(90, Side::Buy, 3, 1);
    filled = rest(91, Side::Buy, 30, 1);
    book.cancel_order(cancelled);
    book.add_market_order(92, Side::Sell, 1, ExpectTrade{});
    bid = rest(1, Side::Buy, 10, 5);
    rest(2, Side::Buy, 10, 6);
    lower_bid = rest(3, Side::Buy, 9, 7);
    huge = rest(4, Side::Buy, 0, most - 1);
    ask = rest(5, Side::Sell, 14, 5);
    rest(6, Side::Sell, 14, 6);
    rest(7, Side::Sell, 20, 7);
  }

  struct ExpectTrade {
    void operator()(const Trade& trade) const { EXPECT_EQ(trade.maker_id, 91u); }
  };
  OrderHandle rest(OrderId id, Side side, Price price, Quantity quantity) {
    return book.add_limit_order(id, side, price, quantity, TimeInForce::GoodTillCancel, ExpectNoTrade{}).handle;
  }
};

struct Rejection {
  const char* name;
  Status status;
  std::function<Status(Scene&)> call;
};

void PrintTo(const Rejection& rejection, std::ostream* out) {
  *out << rejection.name;
}

Rejection limit(const char* name, Status status, Side side, Price price, Quantity quantity,
                TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {name, status, [=](Scene& scene) {
            const Result result =
                scene.book.add_limit_order(100, side, price, quantity, time_in_force, ExpectNoTrade{});
            EXPECT_EQ(result, Result{result.status}) << "a rejection gives no handle and fills nothing";
            return result.status;
          }};
}
Rejection market(const char* name, Status status, Side side, Quantity quantity) {
  return {name, status, [=](Scene& scene) {
            const Result result = scene.book.add_market_order(100, side, quantity, ExpectNoTrade{});
            EXPECT_EQ(result, Result{result.status});
            return result.status;
          }};
}
Rejection cancel(const char* name, OrderHandle Scene::*order) {
  return {name, Status::UnknownOrder, [=](Scene& scene) { return scene.book.cancel_order(scene.*order); }};
}
Rejection modify(const char* name, Status status, OrderHandle Scene::*order, Price price, Quantity quantity) {
  return {name, status, [=](Scene& scene) {
            const Result result = scene.book.modify_order(scene.*order, price, quantity, ExpectNoTrade{});
            EXPECT_EQ(result, Result{result.status});
            return result.status;
          }};
}
Rejection reduce(const char* name, Status status, OrderHandle Scene::*order, Quantity by) {
  return {name, status, [=](Scene& scene) { return scene.book.reduce_order(scene.*order, by); }};
}
Rejection forged(const char* name, std::uint64_t flip) {
  return {name, Status::UnknownOrder, [=](Scene& scene) {
            const OrderHandle handle = OrderHandle::from_value(scene.bid.value() ^ flip);
            EXPECT_EQ(scene.book.find(handle), std::nullopt);
            EXPECT_EQ(scene.book.modify_order(handle, 10, 1, ExpectNoTrade{}), Result{Status::UnknownOrder});
            EXPECT_EQ(scene.book.reduce_order(handle, 1), Status::UnknownOrder);
            return scene.book.cancel_order(handle);
          }};
}
Rejection command(const char* name, const Command& command) {
  return {name, Status::InvalidCommand,
          [=](Scene& scene) { return scene.book.apply(command, ExpectNoTrade{}).status; }};
}
Command of_type(unsigned type) {
  Command command = Command::add_limit(1, Side::Buy, 5, 5, TimeInForce::GoodTillCancel);
  command.type = static_cast<CommandType>(type);
  return command;
}
/// Fills the one slot that the scene leaves free, then makes the call.
Rejection with_full_pool(Rejection rejection) {
  return {rejection.name, rejection.status, [=](Scene& scene) {
            EXPECT_EQ(scene.book.size(), config.capacity);
            return rejection.call(scene);
          }};
}

constexpr auto no_side = static_cast<Side>(2);
constexpr auto wild_side = static_cast<Side>(255);
constexpr auto no_time_in_force = static_cast<TimeInForce>(4);
constexpr auto wild_time_in_force = static_cast<TimeInForce>(255);

const std::vector<Rejection> rejections{
    limit("ZeroQuantityLimit", Status::InvalidQuantity, Side::Buy, 5, 0),
    limit("ZeroQuantityCrossingLimit", Status::InvalidQuantity, Side::Buy, 14, 0),
    market("ZeroQuantityMarket", Status::InvalidQuantity, Side::Buy, 0),
    modify("ZeroQuantityModify", Status::InvalidQuantity, &Scene::bid, 10, 0),
    reduce("ZeroReduce", Status::InvalidQuantity, &Scene::bid, 0),
    reduce("ReduceByMoreThanOpen", Status::InvalidQuantity, &Scene::bid, 6),
    reduce("ReduceByTheLargestQuantity", Status::InvalidQuantity, &Scene::bid, most),
    limit("PriceBelowTheBand", Status::PriceOutOfBand, Side::Sell, -21, 5),
    limit("PriceAboveTheBand", Status::PriceOutOfBand, Side::Buy, price_max + 1, 5),
    limit("LowestPriceOfTheType", Status::PriceOutOfBand, Side::Sell, lowest, 5),
    limit("HighestPriceOfTheType", Status::PriceOutOfBand, Side::Buy, highest, 5),
    limit("ImmediateOrCancelOutOfBand", Status::PriceOutOfBand, Side::Buy, price_max + 1, 5,
          TimeInForce::ImmediateOrCancel),
    modify("ModifyBelowTheBand", Status::PriceOutOfBand, &Scene::bid, -21, 5),
    modify("ModifyAboveTheBand", Status::PriceOutOfBand, &Scene::bid, price_max + 1, 5),
    modify("ModifyToTheLowestPriceOfTheType", Status::PriceOutOfBand, &Scene::ask, lowest, 5),
    modify("ModifyToTheHighestPriceOfTheType", Status::PriceOutOfBand, &Scene::bid, highest, 5),
    limit("InvalidSideLimit", Status::InvalidCommand, no_side, 5, 5),
    limit("WildSideLimit", Status::InvalidCommand, wild_side, 14, 5),
    market("InvalidSideMarket", Status::InvalidCommand, no_side, 5),
    limit("InvalidTimeInForce", Status::InvalidCommand, Side::Buy, 5, 5, no_time_in_force),
    limit("WildTimeInForceCrossing", Status::InvalidCommand, Side::Buy, 14, 5, wild_time_in_force),
    command("InvalidCommandType", of_type(5)),
    command("WildCommandType", of_type(255)),
    limit("PostOnlyAtTheTouch", Status::WouldCross, Side::Buy, 14, 5, TimeInForce::PostOnly),
    limit("PostOnlyBeyondTheTouch", Status::WouldCross, Side::Sell, 1, 5, TimeInForce::PostOnly),
    limit("FillOrKillBeyondTheReach", Status::NotFillable, Side::Buy, 14, 12, TimeInForce::FillOrKill),
    limit("FillOrKillBeyondTheBook", Status::NotFillable, Side::Buy, price_max, 19, TimeInForce::FillOrKill),
    limit("FillOrKillWithoutACross", Status::NotFillable, Side::Sell, 11, 1, TimeInForce::FillOrKill),
    limit("LevelTotalOverflow", Status::QuantityOverflow, Side::Buy, 0, 2),
    limit("PostOnlyLevelTotalOverflow", Status::QuantityOverflow, Side::Buy, 0, most, TimeInForce::PostOnly),
    modify("ModifyToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2),
    modify("ModifyUpToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 10, most - 5),
    cancel("CancelledHandle", &Scene::cancelled),
    cancel("FilledHandle", &Scene::filled),
    modify("ModifyOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 14, 5),
    modify("ModifyOfAFilledHandleToNothing", Status::UnknownOrder, &Scene::filled, lowest, 0),
    reduce("ReduceOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 1),
    {"DefaultHandle", Status::UnknownOrder,
     [](Scene& scene) {
       EXPECT_EQ(scene.book.modify_order({}, 10, 1, ExpectNoTrade{}), Result{Status::UnknownOrder});
       EXPECT_EQ(scene.book.reduce_order({}, 1), Status::UnknownOrder);
       return scene.book.cancel_order({});
     }},
    forged("ForgedNextGeneration", std::uint64_t{3} << 32),
    forged("ForgedFreeGeneration", std::uint64_t{1} << 32),
    forged("ForgedFarGeneration", std::uint64_t{1} << 63),
    forged("ForgedIndexBeyondThePool", std::uint64_t{1} << 31),
    forged("ForgedLargestHandle", ~std::uint64_t{0}),
};

std::vector<Rejection> rejections_of_a_full_pool() {
  return {
      with_full_pool(limit("RestBehindOthers", Status::PoolFull, Side::Buy, 10, 5)),
      with_full_pool(limit("RestAsTheBest", Status::PoolFull, Side::Buy, 13, 5)),
      with_full_pool(limit("PostOnly", Status::PoolFull, Side::Sell, 15, 5, TimeInForce::PostOnly)),
      with_full_pool(limit("PostOnlyThatWouldCross", Status::WouldCross, Side::Sell, 9, 5, TimeInForce::PostOnly)),
      with_full_pool(limit("RestWhereTheTotalOverflows", Status::PoolFull, Side::Buy, 0, 2)),
      with_full_pool(limit("FillOrKill", Status::NotFillable, Side::Buy, 13, 2, TimeInForce::FillOrKill)),
      with_full_pool(modify("ModifyOutOfBand", Status::PriceOutOfBand, &Scene::lower_bid, -21, 2)),
  };
}

class RejectionChangesNothing : public ::testing::TestWithParam<Rejection> {};
class RejectionOfAFullPoolChangesNothing : public RejectionChangesNothing {};

std::string name_of(const ::testing::TestParamInfo<Rejection>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(BadInput, RejectionChangesNothing, ::testing::ValuesIn(rejections), name_of);
INSTANTIATE_TEST_SUITE_P(BadInput, RejectionOfAFullPoolChangesNothing,
                         ::testing::ValuesIn(rejections_of_a_full_pool()), name_of);

TEST_P(RejectionChangesNothing, NowOrLater) {
  Scene scene;
  Scene twin;
  expect_no_trace(scene.book, twin.book, [&](Book&) { EXPECT_EQ(GetParam().call(scene), GetParam().status); });
}

TEST_P(RejectionOfAFullPoolChangesNothing, NowOrLater) {
  Scene scene;
  Scene twin;
  for (Scene* each : {&scene, &twin}) each->rest(8, Side::Sell, 30, 1);
  expect_no_trace(scene.book, twin.book, [&](Book&) { EXPECT_EQ(GetParam().call(scene), GetParam().status); });
}

}  // namespace
}  // namespace llmes::test
