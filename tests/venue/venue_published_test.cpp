// SPDX-License-Identifier: MIT
//
// A venue whose books are published: the same reports, and the market hears of each order, fill and auction.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/market_data.hpp"
#include "llmes/venue.hpp"
#include "tests/support/venue_desk.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test {
namespace {

/// What the market sees of the orders: each with the lots that it displays.
struct Market {
  void added(const OrderAdded& event) { shown[event.order.handle.value()] = event.order.quantity; }
  void executed(const OrderExecuted& event) {
    ++fills;
    set(event.trade.maker_handle, event.trade.maker_remaining);
  }
  void reduced(const OrderReduced& event) { set(event.order.handle, event.order.quantity); }
  void deleted(const OrderDeleted& event) { shown.erase(event.order.handle.value()); }
  void replaced(const OrderReplaced& event) {
    shown.erase(event.old_order.handle.value());
    set(event.order.handle, event.order.quantity);
  }
  void set(OrderHandle handle, Quantity lots) {
    shown[handle.value()] = lots;
    if (lots == 0) shown.erase(handle.value());
  }

  [[nodiscard]] bool holds() const { return good; }

  std::map<std::uint64_t, Quantity> shown;
  std::size_t fills = 0;
  bool good = true;
};

TEST(VenuePublished, GivesTheSameReportsAndTellsTheMarket) {
  using Published = Publisher<VenueBook, Market&>;
  const VenueConfig config = small_venue();
  Market market;
  CreateStatus status{};
  auto books = Published::create(*VenueBook::create(config.books, config.ids), market, status);
  ASSERT_TRUE(books);
  auto venue = Venue<Published>::create(config, std::move(*books), status);
  ASSERT_TRUE(venue);
  VenueDesk desk(config);
  VenuePlanner planner(41);
  for (int i = 0; i < 4'000; ++i) {
    VenueCommand command = planner.next();
    if (collects(command.phase))
      command.phase = Phase::Continuous;  // what a feed shows of auctions is another test
    desk.send_as_it_is(command);
    std::vector<VenueReport> reports;
    venue->apply(command, desk.sequence, [&](const VenueReport& report) { reports.push_back(report); });
    ASSERT_EQ(reports, desk.reports) << "command " << i;
    std::map<std::uint64_t, Quantity> shown;
    for (BookNumber book = 0; book < 2; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        desk.venue.book().book(book)->visit_orders(side, [&](const RestingOrder& order) {
          if (order.quantity != 0) shown[order.handle.value()] = order.quantity;
        });
      }
    }
    ASSERT_EQ(market.shown, shown) << "command " << i;
  }
  EXPECT_GT(market.fills, 100u);

  EXPECT_TRUE(venue->holds());
  market.good = false;
  EXPECT_FALSE(venue->holds()) << "its sink does not";
}

}  // namespace
}  // namespace llmes::test
