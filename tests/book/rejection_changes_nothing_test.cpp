// SPDX-License-Identifier: MIT
//
// Each bad input has its status, and a rejected call changes nothing: neither what the queries answer now nor what
// happens later.
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>

#include "tests/support/call_by_name.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/results.hpp"
#include "tests/support/twins.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
constexpr BookConfig config{.base_price = -20, .capacity = 8};
constexpr Price price_max = -20 + 127;
constexpr Price lowest = std::numeric_limits<Price>::min();
constexpr Price highest = std::numeric_limits<Price>::max();

/// A book with bids at 10 (two orders), 9 and 0, asks at 14 (two orders) and 20, and a slot or two in use before.
struct Scene {
  Book book = *Book::create(config);
  OrderHandle bid{}, lower_bid{}, ask{}, cancelled{}, filled{}, huge{};

  Scene() {
    cancelled = rest(90, Side::Buy, 3, 1);
    filled = rest(91, Side::Buy, 30, 1);
    EXPECT_EQ(book.cancel_order(cancelled), Status::Success);
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

/// A call as plain data: a command, and which of the scene's handles it uses, with some bits inverted or none.
struct Rejection {
  const char* name;
  Status status;
  Command command;
  OrderHandle Scene::*order = nullptr;
  std::uint64_t flip = 0;

  [[nodiscard]] Command command_in(const Scene& scene) const {
    Command filled_in = command;
    if (order != nullptr) filled_in.handle = OrderHandle::from_value((scene.*order).value() ^ flip);
    return filled_in;
  }
};

void PrintTo(const Rejection& rejection, std::ostream* out) {
  *out << rejection.name;
}

constexpr Rejection limit(const char* name, Status status, Side side, Price price, Quantity quantity,
                          TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {name, status, Command::add_limit(100, side, price, quantity, time_in_force)};
}
constexpr Rejection market(const char* name, Status status, Side side, Quantity quantity) {
  return {name, status, Command::add_market(100, side, quantity)};
}
constexpr Rejection cancel(const char* name, OrderHandle Scene::*order, std::uint64_t flip = 0) {
  return {name, Status::UnknownOrder, Command::cancel({}), order, flip};
}
constexpr Rejection modify(const char* name, Status status, OrderHandle Scene::*order, Price price,
                           Quantity quantity, TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {name, status, Command::modify({}, price, quantity, time_in_force), order};
}
constexpr Rejection replace(const char* name, Status status, OrderHandle Scene::*order, Price price,
                            Quantity quantity, TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {name, status, Command::replace({}, 100, price, quantity, time_in_force), order};
}
constexpr Rejection add_resting(const char* name, Status status, Side side, Price price, Quantity quantity) {
  return {name, status, Command::add_resting(100, side, price, quantity)};
}
constexpr Rejection modify_resting(const char* name, Status status, OrderHandle Scene::*order, Price price,
                                   Quantity quantity) {
  return {name, status, Command::modify_resting({}, price, quantity), order};
}
constexpr Rejection replace_resting(const char* name, Status status, OrderHandle Scene::*order, Price price,
                                    Quantity quantity) {
  return {name, status, Command::replace_resting({}, 100, price, quantity), order};
}
constexpr Rejection add_resting_before(const char* name, Status status, OrderHandle Scene::*neighbour,
                                       Quantity quantity, std::uint64_t flip = 0) {
  return {name, status, Command::add_resting_before({}, 100, quantity), neighbour, flip};
}
constexpr Rejection reduce(const char* name, Status status, OrderHandle Scene::*order, Quantity by) {
  return {name, status, Command::reduce({}, by), order};
}
constexpr Rejection of_type(const char* name, unsigned type) {
  Command command = Command::add_limit(1, Side::Buy, 5, 5, TimeInForce::GoodTillCancel);
  command.type = static_cast<CommandType>(type);
  return {name, Status::InvalidCommand, command};
}

constexpr auto wild_side = static_cast<Side>(255);
constexpr auto wild_time_in_force = static_cast<TimeInForce>(255);

constexpr Rejection rejections[] = {
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
    limit("PostOnlyOutOfBand", Status::PriceOutOfBand, Side::Buy, price_max + 1, 5, TimeInForce::PostOnly),
    limit("FillOrKillAboveTheBandBeyondTheBook", Status::NotFillable, Side::Buy, highest, 19,
          TimeInForce::FillOrKill),
    limit("FillOrKillBelowTheBand", Status::NotFillable, Side::Buy, -21, 1, TimeInForce::FillOrKill),
    modify("ModifyBelowTheBand", Status::PriceOutOfBand, &Scene::bid, -21, 5),
    modify("ModifyAboveTheBand", Status::PriceOutOfBand, &Scene::bid, price_max + 1, 5),
    modify("ModifyToTheLowestPriceOfTheType", Status::PriceOutOfBand, &Scene::ask, lowest, 5),
    modify("ModifyToTheHighestPriceOfTheType", Status::PriceOutOfBand, &Scene::bid, highest, 5),
    limit("InvalidSideLimit", Status::InvalidCommand, no_side, 5, 5),
    limit("WildSideLimit", Status::InvalidCommand, wild_side, 14, 5),
    market("InvalidSideMarket", Status::InvalidCommand, no_side, 5),
    limit("InvalidTimeInForce", Status::InvalidCommand, Side::Buy, 5, 5, no_time_in_force),
    limit("WildTimeInForceCrossing", Status::InvalidCommand, Side::Buy, 14, 5, wild_time_in_force),
    of_type("InvalidCommandType", command_types),
    of_type("WildCommandType", 255),
    limit("PostOnlyAtTheTouch", Status::WouldCross, Side::Buy, 14, 5, TimeInForce::PostOnly),
    limit("PostOnlyBeyondTheTouch", Status::WouldCross, Side::Sell, 1, 5, TimeInForce::PostOnly),
    limit("FillOrKillBeyondTheReach", Status::NotFillable, Side::Buy, 14, 12, TimeInForce::FillOrKill),
    limit("FillOrKillBeyondTheBook", Status::NotFillable, Side::Buy, price_max, 19, TimeInForce::FillOrKill),
    limit("FillOrKillWithoutACross", Status::NotFillable, Side::Sell, 11, 1, TimeInForce::FillOrKill),
    limit("LevelTotalOverflow", Status::QuantityOverflow, Side::Buy, 0, 2),
    limit("PostOnlyLevelTotalOverflow", Status::QuantityOverflow, Side::Buy, 0, most, TimeInForce::PostOnly),
    modify("ModifyToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2),
    modify("ModifyUpToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 10, most - 5),
    modify("InvalidTimeInForceModify", Status::InvalidCommand, &Scene::bid, 10, 5, no_time_in_force),
    modify("PostOnlyModifyToTheTouch", Status::WouldCross, &Scene::bid, 14, 5, TimeInForce::PostOnly),
    modify("FillOrKillModifyBeyondTheReach", Status::NotFillable, &Scene::bid, 14, 12, TimeInForce::FillOrKill),
    modify("FillOrKillModifyThatStaysAtItsPrice", Status::NotFillable, &Scene::bid, 10, 1,
           TimeInForce::FillOrKill),
    modify("PostOnlyModifyToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2,
           TimeInForce::PostOnly),
    modify("PostOnlyModifyOutOfBand", Status::PriceOutOfBand, &Scene::bid, price_max + 1, 5,
           TimeInForce::PostOnly),
    modify("FillOrKillModifyAboveTheBandBeyondTheBook", Status::NotFillable, &Scene::bid, price_max + 1, 19,
           TimeInForce::FillOrKill),
    modify("FillOrKillModifyBelowTheBand", Status::NotFillable, &Scene::bid, lowest, 1, TimeInForce::FillOrKill),
    replace("ZeroQuantityReplace", Status::InvalidQuantity, &Scene::bid, 10, 0),
    replace("ReplaceBelowTheBand", Status::PriceOutOfBand, &Scene::bid, -21, 5),
    replace("ReplaceAboveTheBand", Status::PriceOutOfBand, &Scene::ask, price_max + 1, 5),
    replace("PostOnlyReplaceOutOfBand", Status::PriceOutOfBand, &Scene::bid, highest, 5, TimeInForce::PostOnly),
    replace("InvalidTimeInForceReplace", Status::InvalidCommand, &Scene::bid, 10, 5, no_time_in_force),
    replace("WildTimeInForceReplace", Status::InvalidCommand, &Scene::ask, 10, 5, wild_time_in_force),
    replace("PostOnlyReplaceAtTheTouch", Status::WouldCross, &Scene::bid, 14, 5, TimeInForce::PostOnly),
    replace("FillOrKillReplaceBeyondTheReach", Status::NotFillable, &Scene::bid, 14, 12, TimeInForce::FillOrKill),
    replace("FillOrKillReplaceWithoutACross", Status::NotFillable, &Scene::ask, 11, 1, TimeInForce::FillOrKill),
    replace("FillOrKillReplaceBelowTheBand", Status::NotFillable, &Scene::bid, lowest, 1, TimeInForce::FillOrKill),
    replace("ReplaceToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2),
    replace("ReplaceUpToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 10, most - 5),
    replace("PostOnlyReplaceToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2,
            TimeInForce::PostOnly),
    replace("ReplaceOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 14, 5),
    replace("ReplaceOfAFilledHandleToNothing", Status::UnknownOrder, &Scene::filled, lowest, 0),
    replace("ReplaceOfTheDefaultHandle", Status::UnknownOrder, nullptr, 10, 1),
    add_resting("InvalidSideResting", Status::InvalidCommand, wild_side, 5, 5),
    add_resting("ZeroQuantityResting", Status::InvalidQuantity, Side::Buy, 14, 0),
    add_resting("RestingBelowTheBand", Status::PriceOutOfBand, Side::Sell, -21, 5),
    add_resting("RestingAtTheHighestPriceOfTheType", Status::PriceOutOfBand, Side::Buy, highest, 5),
    add_resting("RestingLevelTotalOverflow", Status::QuantityOverflow, Side::Buy, 0, 2),
    modify_resting("ZeroQuantityModifyResting", Status::InvalidQuantity, &Scene::bid, 14, 0),
    modify_resting("ModifyRestingAboveTheBand", Status::PriceOutOfBand, &Scene::bid, price_max + 1, 5),
    modify_resting("ModifyRestingToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2),
    modify_resting("ModifyRestingOfAFilledHandle", Status::UnknownOrder, &Scene::filled, 10, 1),
    replace_resting("ZeroQuantityReplaceResting", Status::InvalidQuantity, &Scene::bid, 14, 0),
    replace_resting("ReplaceRestingAboveTheBand", Status::PriceOutOfBand, &Scene::bid, price_max + 1, 5),
    replace_resting("ReplaceRestingToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, 0, 2),
    replace_resting("ReplaceRestingOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 14, 5),
    add_resting_before("ZeroQuantityBefore", Status::InvalidQuantity, &Scene::bid, 0),
    add_resting_before("BeforeToLevelTotalOverflow", Status::QuantityOverflow, &Scene::bid, most),
    add_resting_before("BeforeACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 5),
    add_resting_before("BeforeAFilledHandle", Status::UnknownOrder, &Scene::filled, 0),
    add_resting_before("BeforeTheDefaultHandle", Status::UnknownOrder, nullptr, 1),
    add_resting_before("BeforeAForgedHandle", Status::UnknownOrder, &Scene::bid, 1, std::uint64_t{1} << 32),
    cancel("CancelledHandle", &Scene::cancelled),
    cancel("FilledHandle", &Scene::filled),
    modify("ModifyOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 14, 5),
    modify("ModifyOfAFilledHandleToNothing", Status::UnknownOrder, &Scene::filled, lowest, 0),
    reduce("ReduceOfACancelledHandle", Status::UnknownOrder, &Scene::cancelled, 1),
    cancel("DefaultHandle", nullptr),
    modify("ModifyOfTheDefaultHandle", Status::UnknownOrder, nullptr, 10, 1),
    reduce("ReduceOfTheDefaultHandle", Status::UnknownOrder, nullptr, 1),
    cancel("ForgedNextGeneration", &Scene::bid, std::uint64_t{3} << 32),
    cancel("ForgedFreeGeneration", &Scene::bid, std::uint64_t{1} << 32),
    cancel("ForgedFarGeneration", &Scene::bid, std::uint64_t{1} << 63),
    cancel("ForgedIndexBeyondThePool", &Scene::bid, std::uint64_t{1} << 31),
    cancel("ForgedLargestHandle", &Scene::bid, ~std::uint64_t{0}),
};

/// With every slot taken.
constexpr Rejection rejections_of_a_full_pool[] = {
    limit("RestBehindOthers", Status::PoolFull, Side::Buy, 10, 5),
    limit("RestAsTheBest", Status::PoolFull, Side::Buy, 13, 5),
    limit("PostOnly", Status::PoolFull, Side::Sell, 15, 5, TimeInForce::PostOnly),
    limit("PostOnlyThatWouldCross", Status::WouldCross, Side::Sell, 9, 5, TimeInForce::PostOnly),
    limit("RestWhereTheTotalOverflows", Status::PoolFull, Side::Buy, 0, 2),
    limit("FillOrKill", Status::NotFillable, Side::Buy, 13, 2, TimeInForce::FillOrKill),
    add_resting("Resting", Status::PoolFull, Side::Buy, 14, 5),
    add_resting_before("Before", Status::PoolFull, &Scene::bid, 5),
    add_resting_before("BeforeWhereTheTotalOverflows", Status::PoolFull, &Scene::bid, most),
    modify("ModifyOutOfBand", Status::PriceOutOfBand, &Scene::lower_bid, -21, 2),
    replace("ReplaceOutOfBand", Status::PriceOutOfBand, &Scene::lower_bid, -21, 2),
    replace("ReplaceWhereTheTotalOverflows", Status::QuantityOverflow, &Scene::lower_bid, 0, 2),
};

class RejectionChangesNothing : public ::testing::TestWithParam<Rejection> {};
class RejectionOfAFullPoolChangesNothing : public RejectionChangesNothing {};

std::string name_of(const ::testing::TestParamInfo<Rejection>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(BadInput, RejectionChangesNothing, ::testing::ValuesIn(rejections), name_of);
INSTANTIATE_TEST_SUITE_P(BadInput, RejectionOfAFullPoolChangesNothing,
                         ::testing::ValuesIn(rejections_of_a_full_pool), name_of);

/// Nothing is filled; and if the call was to change an order that rests, the order is named, as it still is.
Result expected_of(const Book& book, const Command& command, Status status) {
  const std::optional<RestingOrder> order = book.find(command.handle);
  if (!order || !changes(command.type)) return {status};
  return stays(status, order->handle, order->quantity);
}

/// Once by the named call and once as a command.
void expect_rejection_without_trace(Scene& scene, Scene& twin, const Rejection& rejection) {
  expect_no_trace(scene.book, twin.book, [&](Book& book) {
    const Command command = rejection.command_in(scene);
    const Result expected = expected_of(book, command, rejection.status);
    EXPECT_EQ(book.apply(command, ExpectNoTrade{}), expected);
    const bool only_status = command.type == CommandType::Reduce;
    EXPECT_EQ(call_by_name(book, command, ExpectNoTrade{}), only_status ? Result{rejection.status} : expected);
  });
}

TEST_P(RejectionChangesNothing, NowOrLater) {
  Scene scene;
  Scene twin;
  expect_rejection_without_trace(scene, twin, GetParam());
}

TEST_P(RejectionOfAFullPoolChangesNothing, NowOrLater) {
  Scene scene;
  Scene twin;
  for (Scene* each : {&scene, &twin}) each->rest(8, Side::Sell, 30, 1);
  ASSERT_EQ(scene.book.size(), config.capacity);
  expect_rejection_without_trace(scene, twin, GetParam());
}

}  // namespace
}  // namespace llmes::test
