// SPDX-License-Identifier: MIT
//
// A market maker in a replayed market: it joins both best prices, and gets what its place in the queue earns. The
// program says why an order was filled.
#include <array>
#include <iostream>
#include <vector>

#include "llmes/simulator.hpp"
#include "market_maker/made_market.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;

class MarketMaker {
 public:
  void on_start(auto& desk) { desk.subscribe(book); }
  void on_market(auto& desk, BookNumber /*book*/) {
    const MarketView& view = desk.view(book);
    if (!view.has_both()) return;
    quote(desk, Side::Buy, view.best(Side::Buy).price, desk.position(book) < position_max);
    quote(desk, Side::Sell, view.best(Side::Sell).price, desk.position(book) > -position_max);
  }
  void on_fill(auto& desk, const OwnFill& /*fill*/) { on_market(desk, book); }

 private:
  static constexpr BookNumber book = 0;
  static constexpr std::int64_t position_max = 20;  // lots

  /// Has our order of a side at a price and nowhere else, or none if it is not wanted.
  void quote(auto& desk, Side side, Price price, bool is_wanted) {
    OwnOrderId& ours = quotes_[static_cast<std::size_t>(side)];
    const KnownOrder order = desk.order(ours);
    if (order.is_open()) {
      if (is_wanted && order.price == price) return;
      desk.cancel(ours);
    }
    ours = is_wanted ? desk.add(book, side, price, 5, TimeInForce::PostOnly).order : no_order;
  }

  std::array<OwnOrderId, 2> quotes_{no_order, no_order};
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a market maker in a replayed market")) return *status;
  SimulatorConfig config;
  config.market = {.books = 1, .capacity = 100'000};
  config.latencies = {
      .feed = Delay(20'000), .entry = Delay(50'000), .cancel = Delay(50'000), .response = Delay(20'000)};
  config.fees = {.maker = {.per_lot = -200'000}, .taker = {.per_lot = 300'000}};  // micro-units
  config.orders_max = 10'000;
  config.steps_max = 100'000;

  auto simulator = Simulator<MarketMaker>::create(config, {MarketMaker()});
  if (!simulator) return 1;  // give `create` a CreateStatus, and it says why
  simulator->on_events(market_maker::MadeMarket().make(20'000));
  simulator->finish();

  const auto& run = simulator->run(0);
  std::cout << to_string(summarize(run)) << '\n' << why(run, run.fills()[2].order);
}
