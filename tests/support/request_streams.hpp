// SPDX-License-Identifier: MIT
//
// Random sequences of requests by id. They are planned with the oracle, so that most of them meet an order, and
// draw their ids from a few, so that each comes again and again: while its order rests, and when it has left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/id_oracle.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

template <class IndexConfig>
class RequestPlanner {
 public:
  RequestPlanner(IdOracle<IndexConfig> oracle, std::vector<OrderId> ids, Price price_min, Price price_max,
                 std::uint64_t seed)
      : oracle_(std::move(oracle)),
        ids_(std::move(ids)),
        price_min_(price_min),
        price_max_(price_max),
        mid_(std::midpoint(price_min, price_max)),
        random_(seed) {}

  std::vector<Request> plan(std::size_t count) {
    std::vector<Request> requests;
    while (requests.size() < count) {
      Request request = next();
      if (random_.chance(15)) forbid_trades(request);
      while (random_.chance(6)) spoil(request);
      const Oracle::Outcome outcome = oracle_.apply(request);
      if (makes_order(request) && outcome.status == Status::Success && outcome.remaining > 0) {
        oracle_.name_newest({++named_, 1});
      }
      requests.push_back(request);
    }
    return requests;
  }

 private:
  // Each number is drawn in a statement of its own: compilers may evaluate arguments in any order.

  Request next() {
    if (random_.chance(3)) mid_ = near(mid_, 6);
    const bool crowded = oracle_.oracle().size() > 16;
    const std::uint64_t kind = random_.below(100);
    if (kind < (crowded ? 30u : 65u)) return next_add();
    if (kind < (crowded ? 35u : 69u)) return next_market();
    const std::uint64_t leaving = random_.below(100);
    const OrderId id = some_order();
    if (leaving < 35) return Request::cancel(id);
    if (leaving < 50) return next_reduce(id);
    if (leaving < 75) return next_modify(id);
    return next_replace(id);
  }

  Request next_add() {
    const OrderId id = random_.chance(85) ? free_id() : any_id();
    const Side side = random_.chance(50) ? Side::Buy : Side::Sell;
    const Price price = this->price(side);
    const Quantity lots = quantity();
    return Request::add_limit(id, side, price, lots, time_in_force());
  }
  Request next_market() {
    const OrderId id = random_.chance(70) ? free_id() : any_id();
    const Side side = random_.chance(50) ? Side::Buy : Side::Sell;
    return Request::add_market(id, side, quantity());
  }
  Request next_reduce(OrderId id) {
    const auto order = oracle_.oracle().find(oracle_.handle_of(id));
    const Quantity lots = order && random_.chance(30) ? order->quantity : quantity();
    return Request::reduce(id, lots);
  }
  Request next_modify(OrderId id) {
    const auto order = oracle_.oracle().find(oracle_.handle_of(id));
    const Price price = order && random_.chance(40) ? order->price : this->price(side_of(id));
    const Quantity lots = quantity();
    return Request::modify(id, price, lots, time_in_force());
  }
  Request next_replace(OrderId id) {
    const std::uint64_t kind = random_.below(100);
    const OrderId new_id = kind < 25 ? id : kind < 75 ? free_id() : any_id();
    const Price price = this->price(side_of(id));
    const Quantity lots = quantity();
    return Request::replace(id, new_id, price, lots, time_in_force());
  }

  /// Makes it the same request without a trade, if there is one; an add now and then one in front of another.
  void forbid_trades(Request& request) {
    const Request r = request;
    switch (r.type) {
      case CommandType::AddLimit:
        request = random_.chance(30) ? Request::add_resting_before(some_order(), r.id, r.quantity)
                                     : Request::add_resting(r.id, r.side, r.price, r.quantity);
        break;
      case CommandType::Modify: request = Request::modify_resting(r.id, r.price, r.quantity); break;
      case CommandType::Replace: request = Request::replace_resting(r.id, r.new_id, r.price, r.quantity); break;
      default: break;
    }
  }

  void spoil(Request& request) {
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    switch (random_.below(7)) {
      case 0: request.quantity = 0; break;
      case 1: request.quantity = std::numeric_limits<Quantity>::max(); break;
      case 2: request.price = random_.chance(50) ? lowest : highest; break;
      case 3: request.price = random_.chance(50) ? std::max(price_min_, lowest + 1) - 1 : price_max_ + 1; break;
      case 4: request.side = static_cast<Side>(2 + random_.below(254)); break;
      case 5: request.time_in_force = static_cast<TimeInForce>(4 + random_.below(252)); break;
      default: request.type = static_cast<CommandType>(command_types + random_.below(256 - command_types)); break;
    }
  }

  OrderId any_id() { return ids_[random_.below(ids_.size())]; }
  OrderId free_id() {
    const OrderId id = any_id();
    return oracle_.rests(id) ? any_id() : id;
  }
  OrderId some_order() {
    const std::vector<RestingOrder>& resting = oracle_.oracle().resting();
    if (resting.empty() || random_.chance(15)) return any_id();
    return random_.chance(25) ? resting.back().id : resting[random_.below(resting.size())].id;
  }
  Side side_of(OrderId id) {
    const auto order = oracle_.oracle().find(oracle_.handle_of(id));
    return order ? order->side : Side::Buy;
  }

  Price near(Price price, std::uint64_t distance) {
    const auto step = static_cast<Price>(random_.below(2 * distance + 1)) - static_cast<Price>(distance);
    return std::clamp(price + step, price_min_, price_max_);
  }
  /// On the side's own half of the band mostly; now and then anywhere.
  Price price(Side side) {
    if (random_.chance(10)) {
      const std::uint64_t lowest = static_cast<std::uint64_t>(price_min_);  // the difference may not fit a `Price`
      return static_cast<Price>(lowest + random_.below(static_cast<std::uint64_t>(price_max_) - lowest + 1));
    }
    const Price own_half = random_.below(5) == 0 ? 0 : 3;
    return near(side == Side::Buy ? mid_ - own_half : mid_ + own_half, 3);
  }
  Quantity quantity() {
    const Quantity lots = 1 + random_.below(9);
    return random_.chance(5) ? 10 * lots : lots;
  }
  TimeInForce time_in_force() {
    const std::uint64_t kind = random_.below(100);
    if (kind < 64) return TimeInForce::GoodTillCancel;
    if (kind < 76) return TimeInForce::PostOnly;
    return kind < 88 ? TimeInForce::ImmediateOrCancel : TimeInForce::FillOrKill;
  }

  IdOracle<IndexConfig> oracle_;
  std::vector<OrderId> ids_;
  Price price_min_;
  Price price_max_;
  Price mid_;
  std::uint32_t named_ = 0;
  Random random_;
};

}  // namespace llmes::test
