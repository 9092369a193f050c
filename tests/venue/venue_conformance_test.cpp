// SPDX-License-Identifier: MIT
//
// A venue of which nobody uses more than a book has answers as the plain books by id do: the same results, trades,
// handles and queues on the random streams of books by id. So it does where one of its layers is in use, but has
// nothing to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/sets.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/request_streams.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/venue_desk.hpp"

namespace llmes::test {
namespace {

/// What is in use.
enum class Layer { None, Limits, Symbols, Stops, Lifetimes, Links };

class Pair {
 public:
  static constexpr std::size_t capacity = 18;

  explicit Pair(Layer layer)
      : layer_(layer), desk_(config()), plain_(*IdBook<BookSet, HashedIds>::create(config().books, {})) {
    (void)plain_.add_book();
    for (AccountNumber account = 1; account <= 3; ++account) {
      if (layer == Layer::Limits) begin(VenueCommand::set_limits(account, limits(), 1));
      VenueCommand order{.id = account, .price = 1, .quantity = 1, .trigger = far, .account = account};
      order.stop = StopTrigger::LastTrade;
      if (layer == Layer::Stops) begin(order);
      order.stop = StopTrigger::None;
      order.link = account;
      order.link_role = LinkRole::BracketChild;
      if (layer == Layer::Links) begin(order);
    }
    if (layer != Layer::Symbols) return;
    begin({.type = VC::SetReference});
    begin({.price = -far, .trigger = far, .type = VC::SetBands});
    begin({.type = VC::SetPhase, .phase = Phase::Closed});
    begin({.price = -far, .quantity = 1, .type = VC::SetTick});
    begin({.quantity = 1, .type = VC::SetSymbol});
    begin({.type = VC::SetPhase});
    begin({.type = VC::Halt});
    begin({.type = VC::Resume});
  }

  void call(const Request& request) {
    if (!may_be_sent(request)) return;
    ++calls;
    BookRequest plain_request{request, 0};
    std::vector<Trade> trades;
    const Result plain = plain_.apply(plain_request, [&](const Trade& trade) { trades.push_back(trade); });
    VenueCommand command{.id = request.id,
                         .new_id = request.new_id,
                         .price = request.price,
                         .quantity = request.quantity,
                         .account = account_of(request),
                         .type = static_cast<VC>(request.type),
                         .side = request.side,
                         .time_in_force = request.time_in_force};
    if (layer_ == Layer::Lifetimes) {
      command.lifetime = request.id % 2 == 0 ? Lifetime::Day : Lifetime::UntilTime;
      command.expiry = std::uint64_t{1} << 62;
    }
    const VenueReport done = desk_.send(command);
    SCOPED_TRACE(to_string(request));
    ASSERT_EQ(done.status == VenueStatus::Success, plain.status == Status::Success);
    if (done.status == VenueStatus::RefusedByBook) {
      ASSERT_EQ(done.result, plain.status);
    }
    if (done.status == VenueStatus::UnknownOrder) {
      ASSERT_TRUE(plain.status == Status::UnknownOrder || plain.status == Status::InvalidCommand);
    }
    ASSERT_EQ(done.risk == RiskStatus::Success || done.risk == RiskStatus::UnknownOrder ||
                  done.risk == RiskStatus::InvalidCommand,
              true);
    if (plain.status == Status::Success) {
      ASSERT_EQ(
          (Result{Status::Success, done.handle, done.quantity, done.remaining, done.cancelled, done.kept_place()}),
          plain);
      ASSERT_EQ(trades_told(), trades);
      note_owner(request, plain);
      fills += trades.size();
    }
    for (const Side side : {Side::Buy, Side::Sell}) {
      ASSERT_EQ(orders_of(*desk_.venue.book().book(0), side), orders_of(*plain_.book(0), side));
    }
    resting = std::max(resting, plain_.book().size());
  }

  std::size_t calls = 0;
  std::size_t fills = 0;
  std::size_t resting = 0;

 private:
  static constexpr Price far = Price{1} << 62;

  static VenueConfig config() {
    return {.books = {.max_books = 1, .capacity = capacity},
            .accounts = 3,
            .holdings = 3,
            .stops = 3,
            .lifetimes = capacity + 1,
            .links = 3,
            .matches = 4};
  }
  /// Each limits something, and nothing that comes.
  static AccountLimits limits() {
    return {.order_quantity = Quantity{1} << 62,
            .open_orders = 100,
            .open_quantity = Quantity{1} << 62,
            .position_min = -far,
            .position_max = far,
            .message_burst = 1'000'000,
            .message_interval = 1,
            .cancel_on_disconnect = true};
  }
  void begin(const VenueCommand& command) { EXPECT_EQ(desk_.send(command).status, VenueStatus::Success); }

  /// Whether an account may send it: it matches, and price times quantity fits.
  static bool may_be_sent(const Request& request) {
    if (request.type > CommandType::Replace || request.price == std::numeric_limits<Price>::min()) return false;
    std::int64_t notional{};
    return !__builtin_mul_overflow(request.price, request.quantity, &notional) &&
           request.quantity < std::uint64_t{1} << 40;
  }
  [[nodiscard]] AccountNumber account_of(const Request& request) const {
    const auto owner = owners_.find(request.id);
    return adds(request.type) || owner == owners_.end() ? 1 + static_cast<AccountNumber>(request.id % 3)
                                                        : owner->second;
  }
  void note_owner(const Request& request, const Result& result) {
    const AccountNumber account = account_of(request);
    if (result.rests()) owners_[has_new_id(request.type) ? request.new_id : request.id] = account;
  }
  [[nodiscard]] std::vector<Trade> trades_told() const {
    std::vector<Trade> trades;
    for (const VenueReport& report : desk_.reports) {
      if (report.kind != VK::Executed) continue;
      trades.push_back({report.id, report.other_id, report.other_handle, report.price, report.quantity,
                        report.other_remaining, report.remaining, report.side});
    }
    return trades;
  }

  Layer layer_;
  VenueDesk desk_;
  IdBook<BookSet, HashedIds> plain_;
  std::map<OrderId, AccountNumber> owners_;
};

/// How many trades there were.
std::size_t compare(Layer layer, std::uint64_t seeds) {
  std::vector<OrderId> ids(50);
  std::iota(ids.begin(), ids.end(), OrderId{1} << 32);
  std::size_t fills = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    constexpr Price any = std::numeric_limits<Price>::max();
    RequestPlanner planner(IdOracle(Oracle(-any, any - 1, Pair::capacity), HashedIds::Config{}), ids, -20, 108,
                           seed);
    Pair pair(layer);
    for (const Request& request : planner.plan(2'000)) {
      pair.call(request);
      if (::testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "layer " << static_cast<int>(layer) << ", seed " << seed;
        return fills;
      }
    }
    EXPECT_GT(pair.calls, 1'000u);
    EXPECT_EQ(pair.resting, Pair::capacity);
    fills += pair.fills;
  }
  return fills;
}

TEST(VenueConformance, IsThatOfPlainBooksById) {
  EXPECT_GT(compare(Layer::None, 6), 1'000u);
}
TEST(VenueConformance, IsThatOfPlainBooksByIdWithEachLayerAlone) {
  for (const Layer layer : {Layer::Limits, Layer::Symbols, Layer::Stops, Layer::Lifetimes, Layer::Links}) {
    EXPECT_GT(compare(layer, 2), 300u) << static_cast<int>(layer);
  }
}

}  // namespace
}  // namespace llmes::test
