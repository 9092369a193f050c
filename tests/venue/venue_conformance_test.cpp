// SPDX-License-Identifier: MIT
//
// A venue of which nobody uses more than a book has passes the conformance check of books: the same results,
// trades, handles, levels and queues as the oracle, on the same streams. So it does where one of its layers is in
// use, but has nothing to say.
//
// Left out is what a venue has no command for (orders that rest without matching are for its phases), and what its
// bands and accounts refuse: a price times a quantity beyond 62 bits.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/adversarial_streams.hpp"
#include "tests/support/any_book.hpp"
#include "tests/support/book_by_id.hpp"
#include "tests/support/expect_conformance.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_desk.hpp"

namespace llmes::test::venue_conformance_test {
namespace {

constexpr Price far = Price{1} << 62;

/// What is in use.
enum class Layer { None, Limits, Symbols, Stops, Lifetimes, Links };

/// A venue with the calls of a book by handles.
class VenueAsBook : public OrderCalls<VenueAsBook, Command> {
 public:
  static std::optional<VenueAsBook> create(const BookConfig& config) { return VenueAsBook(config, Layer::None); }
  VenueAsBook(const BookConfig& config, Layer layer) : layer_(layer), desk_(own(config)) {
    for (AccountNumber account = 1; account <= accounts; ++account) {
      if (layer == Layer::Limits) begin(VenueCommand::set_limits(account, limits(), 1));
      VenueCommand order{
          .id = id_of_none - account, .price = 1, .quantity = 1, .trigger = far, .account = account};
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

  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details&) {
    return apply(command, sink);
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    const Result result = send(command);
    for (const VenueReport& report : desk_.reports) {
      if (report.kind != VK::Executed) continue;
      sink({report.id, report.other_id, report.other_handle, report.price, report.quantity, report.other_remaining,
            report.remaining, report.side});
    }
    return result;
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book()->best_bid(); }
  [[nodiscard]] std::optional<Price> best_ask() const { return book()->best_ask(); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return book()->level(side, price); }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const { return book()->depth(side, out); }
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    book()->visit_orders(side, visitor);
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const { return book()->find(handle); }
  [[nodiscard]] std::size_t size() const { return book()->size(); }
  [[nodiscard]] Price price_min() const { return book()->price_min(); }
  [[nodiscard]] Price price_max() const { return book()->price_max(); }

 private:
  static constexpr AccountNumber accounts = 3;

  static VenueConfig own(const BookConfig& config) {
    return {.books = {.max_books = 1, .capacity = config.capacity},
            .accounts = accounts,
            .holdings = accounts,
            .stops = accounts,
            .lifetimes = config.capacity + 1,
            .links = accounts,
            .matches = 4};
  }
  /// Each limits something, and nothing that comes.
  static AccountLimits limits() {
    return {.order_quantity = Quantity{1} << 62,
            .open_orders = 10'000,
            .open_quantity = Quantity{1} << 62,
            .position_min = -far,
            .position_max = far,
            .message_burst = 1'000'000,
            .message_interval = 1,
            .cancel_on_disconnect = true};
  }
  void begin(const VenueCommand& command) { EXPECT_EQ(desk_.send(command).status, VenueStatus::Success); }

  [[nodiscard]] std::optional<const RuledBookSet::Book> book() const { return desk_.venue.book().book(0); }

  /// The answer of the book.
  [[nodiscard]] Result send(const Command& command) {
    const std::optional<OpenOrder> named = desk_.venue.risk().find(command.handle);
    VenueCommand sent;
    sent.id = adds(command.type) ? command.id : named ? named->id : id_of_none;
    sent.new_id = command.id;
    sent.price = command.price;
    sent.quantity = command.quantity;
    sent.account =
        named && !adds(command.type) ? named->account : 1 + static_cast<AccountNumber>(command.id % accounts);
    sent.type = command.type > CommandType::Replace ? static_cast<VC>(255) : static_cast<VC>(command.type);
    sent.side = command.side;
    sent.time_in_force = command.time_in_force;
    if (layer_ == Layer::Lifetimes) {
      sent.lifetime = command.id % 2 == 0 ? Lifetime::Day : Lifetime::UntilTime;
      sent.expiry = std::uint64_t{1} << 62;
    }
    const VenueReport& done = desk_.send(sent);
    if (desk_.sequence % 16 == 0) {
      EXPECT_TRUE(desk_.venue.holds());
      EXPECT_EQ(broken_invariant(desk_.venue.book().book()), std::nullopt);
    }
    const Result result{Status::Success, done.handle,    done.quantity,
                        done.remaining,  done.cancelled, done.kept_place()};
    if (done.status == VenueStatus::Success) return result;
    // Of a change with two faults a venue reports first that it does not know the order.
    const bool no_enumerator = has_time_in_force(command.type) && command.time_in_force > TimeInForce::FillOrKill;
    if (done.status == VenueStatus::UnknownOrder && !no_enumerator) return {Status::UnknownOrder};
    if (done.status != VenueStatus::RefusedByBook) return {Status::InvalidCommand};
    Result refused = result;
    refused.status = done.result;
    return refused;
  }

  Layer layer_;
  VenueDesk desk_;
};

template <Layer layer>
BookType venue_with() {
  return {"VenueAsBook", [](const BookConfig& config) -> std::unique_ptr<AnyBook> {
            return std::make_unique<WrappedBook<VenueAsBook>>(VenueAsBook(config, layer));
          }};
}

bool may_be_sent(const Operation& operation) {
  std::int64_t notional{};
  return !never_trades(operation.type) && operation.quantity < std::uint64_t{1} << 40 &&
         !__builtin_mul_overflow(operation.price, operation.quantity, &notional) && -far < operation.price &&
         operation.price < far;
}

void expect_random(const BookType& type, Profile profile, Price base_price, std::uint64_t seed) {
  if (::testing::Test::HasFailure()) return;
  if (LLMES_TEST_SANITIZED) profile.operation_count /= 2;
  const BookConfig config{.base_price = base_price, .capacity = profile.capacity};
  std::vector<Operation> operations = random_stream(profile, config, 128, seed);
  std::erase_if(operations, std::not_fn(may_be_sent));
  EXPECT_GT(operations.size(), profile.operation_count / 2);
  expect_conformance(type, config, operations, 2);
}

TEST(VenueConformance, IsThatOfBooksOnRandomStreams) {
  std::uint64_t seed = 1;
  for (const Profile& profile : {near_prices, nearly_full_pool, deep_level, wide_prices, word_boundaries}) {
    SCOPED_TRACE(profile.name);
    for (const Price base_price : {-64, 1'000'000}) {
      expect_random(venue_with<Layer::None>(), profile, base_price, seed++);
    }
  }
}
TEST(VenueConformance, IsThatOfBooksOnAdversarialStreams) {
  for (const Side makers : {Side::Buy, Side::Sell}) {
    const Ladder ladder{-20, 128, makers};
    for (const std::vector<Operation>& operations :
         {deep_level_sweep(ladder, 300), long_sweep(ladder, 300), sweep_of_every_level(ladder, 128),
          touch_equality(ladder), boundary_pairs(ladder), reused_ids(ladder)}) {
      expect_conformance(venue_with<Layer::None>(), {.base_price = ladder.base, .capacity = 301}, operations, 100);
    }
  }
}
TEST(VenueConformance, IsThatOfBooksWithEachLayerAlone) {
  for (const BookType& type :
       {venue_with<Layer::Limits>(), venue_with<Layer::Symbols>(), venue_with<Layer::Stops>(),
        venue_with<Layer::Lifetimes>(), venue_with<Layer::Links>()}) {
    expect_random(type, near_prices, -64, 20);
    expect_random(type, nearly_full_pool, 1'000'000, 21);
  }
}

}  // namespace
}  // namespace llmes::test::venue_conformance_test
