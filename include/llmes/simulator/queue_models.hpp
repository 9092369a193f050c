// SPDX-License-Identifier: MIT
//
// What simulators of level-2 data would say: they see the lots of a level, and guess who left it. For comparison
// with `Shadows`, which know; the same orders, in the same pass over a tape.
//
//  - Lots that trade at the price leave from the front. Lots that are cancelled leave from both parts of
//    the queue, as the model guesses; what is ahead is never more than the level has.
//  - A trade at a worse price, or an order that crosses the order's price, fills all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/desk.hpp"
#include "llmes/simulator/displayed_lots.hpp"
#include "llmes/simulator/shadow_queue.hpp"
#include "llmes/simulator/simulator.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class QueueModel : std::uint8_t {
  RiskAverse,  ///< all of it leaves behind the order, while there is anything
  Power,       ///< of a part x of the queue, with the weight x^3
  Log,         ///< with the weight log(1 + x)
};
inline constexpr std::size_t queue_models = 3;

/// What each model says of an order, by `QueueModel`.
struct QueueEstimate {
  std::array<Quantity, queue_models> filled{};
  std::array<Nanoseconds, queue_models> first_fill{};  ///< of those that say that it filled

  friend constexpr bool operator==(const QueueEstimate&, const QueueEstimate&) = default;
};

namespace detail {

/// Stands for the impact of these orders, which is none.
struct ModelImpact {};

template <>
class Trader<ModelImpact> : public ShadowQueue {
 public:
  using ShadowQueue::ShadowQueue;

  void place(std::vector<ShadowOrder>&& orders) {
    estimates_.resize(orders.size());
    ahead_.resize(orders.size());
    is_resting_.resize(orders.size());
    ShadowQueue::place(std::move(orders));
  }
  [[nodiscard]] std::span<const QueueEstimate> results() const noexcept { return estimates_; }

  void start(Nanoseconds time) {
    plan(time, [](std::uint32_t, SendStatus) {});
  }
  template <class Tell>
  BookNumber step(Nanoseconds /*end*/, const Tell&) {
    const Due due = next();
    const std::uint32_t i = due.order();
    if (due.is_cancel()) {
      if (is_resting_[i] != 0) leave(i);
      is_resting_[i] = 0;
      return every_book;
    }
    arrive(i, due.time);
    return order(i).book;
  }
  void on_change(const MarketChange& message) {
    const OrderChange& change = message.change;
    if (!change.rested()) return;
    const RestingOrder& before = change.before;
    const MarketEventType type = message.event.type;
    const bool has_traded = type == MarketEventType::Execute || type == MarketEventType::Fill;
    const Quantity lots = has_traded ? message.event.quantity : message.withdrawn();
    const Quantity left = replay_.market.set().book(message.book)->level(before.side, before.price).quantity;
    visit(message.book, before.side, before.price, before.price, [&](const Level&, std::uint32_t i) {
      for (std::size_t model = 0; model < queue_models; ++model) {
        double& ahead = ahead_[i][model];
        if (has_traded) {
          ahead -= static_cast<double>(lots);
          if (ahead <= -1) fill(i, model, static_cast<Quantity>(-ahead), message.event.time);
          ahead = std::max(ahead, 0.0);
        } else {
          cancel_some(static_cast<QueueModel>(model), ahead, static_cast<double>(lots), static_cast<double>(left));
        }
      }
      return true;
    });
  }
  void decide(BookNumber book, const EventEnd& end) {
    const Moment now = replay_.moment(book, replay_.time);
    if (end.auction != nullptr || now.phase != MarketPhase::Continuous) return;
    const auto fill_all = [&](const Level&, std::uint32_t i) {
      for (std::size_t model = 0; model < queue_models; ++model) fill(i, model, order(i).quantity, now.time);
      return true;
    };
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (levels(book, side).empty()) continue;
      Price facing = 0;
      if (end.matches_arrivals(side, now.phase) && faces_arrivals(replay_.market, book, side, facing))
        visit(book, side, no_price(opposite(side)), facing, fill_all);
      for (const Execution& one : end.executions) {
        if (one.book != book || one.side != side || one.off_price) continue;
        visit(book, side, no_price(opposite(side)), side == Side::Buy ? one.price + 1 : one.price - 1, fill_all);
      }
    }
  }

 private:
  using Ahead = std::array<double, queue_models>;  ///< lots, by model

  void arrive(std::uint32_t i, Nanoseconds time) {
    const ShadowOrder& order = this->order(i);
    const MarketPhase phase = replay_.arrival(order.book, time).phase;
    static const Ledger nothing;
    if (refusal_of_phase(phase, order.time_in_force) != OwnReason::None) return;
    if (phase == MarketPhase::Continuous) {
      if (refusal_of_lots(replay_.market, nothing, order.book, order.side, order.price, order.quantity,
                          order.time_in_force) != OwnReason::None)
        return;
      Quantity taken = 0;
      for_makers(replay_.market, nothing, order.book, order.side, order.price,
                 [&](const RestingOrder&, Quantity lots) {
                   taken += std::min(lots, order.quantity - taken);
                   return taken != order.quantity;
                 });
      for (std::size_t model = 0; model < queue_models; ++model) fill(i, model, taken, time);
      if (taken == order.quantity) return;
    }
    if (order.time_in_force == TimeInForce::ImmediateOrCancel) return;
    const DepthLevel level = replay_.market.set().book(order.book)->level(order.side, order.price);
    ahead_[i].fill(static_cast<double>(level.quantity));
    is_resting_[i] = 1;
    rest(i, 0);
  }
  /// So many lots have been cancelled somewhere in the queue, which has `left` lots now.
  static void cancel_some(QueueModel model, double& ahead, double lots, double left) noexcept {
    if (model != QueueModel::RiskAverse) {
      const auto weight = [&](double part) {
        return model == QueueModel::Power ? part * part * part : std::log1p(part);
      };
      const double behind = std::max(left + lots - ahead, 0.0);
      const double sum = weight(behind) + weight(ahead);
      const double share_behind = sum > 0 ? weight(behind) / sum : 1;
      // What the part behind cannot lose leaves from the front.
      ahead -= (1 - share_behind) * lots - std::min(behind - share_behind * lots, 0.0);
    }
    ahead = std::max(std::min(ahead, left), 0.0);
  }
  void fill(std::uint32_t i, std::size_t model, Quantity lots, Nanoseconds time) noexcept {
    QueueEstimate& estimate = estimates_[i];
    const Quantity got = std::min(lots, order(i).quantity - estimate.filled[model]);
    if (got != 0 && estimate.filled[model] == 0) estimate.first_fill[model] = time;
    estimate.filled[model] += got;
  }
  template <class Visit>
  void visit(BookNumber book, Side side, Price best, Price worst, const Visit& visit) {
    for_levels(book, side, best, worst, visit, [&](std::uint32_t i) {
      const bool is_done =
          detail::all_of(estimates_[i].filled, [&](Quantity lots) { return lots == order(i).quantity; });
      if (is_done) is_resting_[i] = 0;
      return is_done;
    });
  }

  std::vector<QueueEstimate> estimates_;
  std::vector<Ahead> ahead_;
  std::vector<std::uint8_t> is_resting_;
};

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
