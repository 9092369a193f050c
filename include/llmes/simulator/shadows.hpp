// SPDX-License-Identifier: MIT
//
// Hypothetical orders in a replayed market, a million in one pass: what would each have got, alone? They leave the
// tape as it is, see nothing of each other, and share no lots. So each has the fills of a simulator with
// `TapeImpact` whose strategy sends this order alone, and its cancel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/simulator/desk.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/queue_models.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/simulator/shadow_trader.hpp"
#include "llmes/simulator/simulator.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {
template <class Impact>
class ShadowPass {
 public:
  /// Makes the market and the orders, in any order, or nothing, and `status` says why. An order that is wrong is
  /// told of by its `Shadow::sent`, and stops no other one. The memory of the market and of the orders is
  /// allocated here. Of the configuration are read: market, the latencies of entry and cancel, tick, lot and
  /// auctions. Order i takes number i of a measured series.
  /// @param status those of `Simulator::create`; InvalidQuantityMax also for more orders than 2^32 - 2.
  [[nodiscard]] static std::optional<ShadowPass> create(const SimulatorConfig& config,
                                                        std::vector<ShadowOrder> orders,
                                                        CreateStatus& status = NoStatus{}) {
    status = CreateStatus::InvalidQuantityMax;
    if (orders.size() > no_order - 1) return {};
    auto simulator = Market::create(config, std::vector<NoStrategy>(1), status);
    if (!simulator) return {};
    ShadowPass shadows(std::move(*simulator));
    shadows.simulator_.desk(0).trader_.place(std::move(orders));
    return shadows;
  }

  /// Takes the next event of the market, as `Simulator::on_event` does. Linear in the orders that it fills.
  MarketStatus on_event(const MarketEvent& event) { return simulator_.on_event(event); }
  /// The same for many events. @return how many were refused.
  std::size_t on_events(std::span<const MarketEvent> events) { return simulator_.on_events(events); }
  /// Ends the pass: does what is due up to the time of the last event.
  void finish() { simulator_.finish(); }

  /// What became of each order, by its place among those that were given; so far, before the end.
  [[nodiscard]] auto results() const noexcept { return simulator_.run(0).results(); }
  [[nodiscard]] const MarketBooks& market() const noexcept { return simulator_.market(); }
  [[nodiscard]] std::uint64_t count_of(MarketStatus status) const noexcept { return simulator_.count_of(status); }

 private:
  using Market = Simulator<NoStrategy, Impact>;

  explicit ShadowPass(Market&& simulator) : simulator_(std::move(simulator)) {}

  Market simulator_;
};
}  // namespace detail

/// Its results are `Shadow`s.
using Shadows = detail::ShadowPass<detail::ShadowImpact>;
/// The same orders as simulators of level-2 data see them: its results are `QueueEstimate`s.
using QueueModels = detail::ShadowPass<detail::ModelImpact>;

/// The orders of a run as hypothetical ones, by their numbers, for a column of `QueueEstimate`s beside its fills.
/// Each comes and leaves when it did at the venue, so the pass has no latencies. One that was modified leaves
/// then, if stories are kept; one that was rejected or did not arrive never comes. Linear in orders and modifies.
template <class Impact>
[[nodiscard]] std::vector<ShadowOrder> hypothetical_orders(const detail::Trader<Impact>& run) {
  std::vector<ShadowOrder> orders;
  for (const OwnOrder& order : run.orders().all()) {
    const bool came = order.state != OwnOrderState::Sent && order.state != OwnOrderState::Rejected;
    const bool was_cancelled = order.reason == OwnReason::Requested;
    orders.push_back({.time = came ? order.arrived : ShadowOrder::never,
                      .cancel_time = was_cancelled ? order.ended : ShadowOrder::never,
                      .price = order.sent_price,
                      .quantity = order.sent_quantity,
                      .book = order.book,
                      .side = order.side,
                      .time_in_force = order.time_in_force});
  }
  for (const OwnModify& modify : run.orders().modifies()) {
    Nanoseconds& leaves = orders[modify.order].cancel_time;
    if (modify.reason == OwnReason::None) leaves = std::min(leaves, modify.time);
  }
  return orders;
}

}  // namespace llmes::inline LLMES_NAMESPACE
