// SPDX-License-Identifier: MIT
//
// What a book must do, written only to be obviously right. All resting orders are in one vector in order of
// arrival, and every query walks through it. A call that matches runs on a copy, which replaces the original only
// if the whole call succeeds.
//
// It shares no code with any book, only the vocabulary of types.hpp. It does not invent handles: its driver passes
// it, with `name_newest`, the handle that the book under test gave to the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

class Oracle {
 public:
  struct Outcome {
    Status status = Status::Success;
    Quantity filled = 0;
    Quantity remaining = 0;  ///< open lots of the order, if it rests now
    Quantity cancelled = 0;  ///< lots that a cancel or a reduce took off, or that the order dropped
    bool kept_place = false;
    std::vector<Trade> trades;
  };

  Oracle(Price price_min, Price price_max, std::size_t capacity,
         Quantity quantity_max = std::numeric_limits<Quantity>::max())
      : price_min_(price_min), price_max_(price_max), capacity_(capacity), quantity_max_(quantity_max) {}

  /// For a book that shares its capacity with others: as much of it as they leave.
  void limit_to(std::size_t capacity) { capacity_ = capacity; }

  Outcome add_limit(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force) {
    if (!is_side(side) || !is_known(time_in_force)) return rejected(Status::InvalidCommand);
    if (quantity == 0 || quantity > quantity_max_) return rejected(Status::InvalidQuantity);
    if (out_of_band(price, time_in_force)) return rejected(Status::PriceOutOfBand);

    const RestingOrder order{OrderHandle{}, id, side, price, quantity};
    if (!best_for(orders_, side, price))
      return settle(orders_, Outcome{}, order, time_in_force);  // spares the copy
    std::vector<RestingOrder> after = orders_;
    const Outcome outcome = settle(after, sweep(after, id, side, price, quantity), order, time_in_force);
    if (outcome.status == Status::Success) orders_ = std::move(after);
    return outcome;
  }

  Outcome add_resting(OrderId id, Side side, Price price, Quantity quantity) {
    if (!is_side(side)) return rejected(Status::InvalidCommand);
    if (quantity == 0 || quantity > quantity_max_) return rejected(Status::InvalidQuantity);
    if (out_of_band(price, TimeInForce::GoodTillCancel)) return rejected(Status::PriceOutOfBand);
    return settle(orders_, Outcome{}, {OrderHandle{}, id, side, price, quantity}, TimeInForce::GoodTillCancel);
  }

  /// The new order takes its place among all orders directly before the neighbour.
  Outcome add_resting_before(OrderHandle neighbour, OrderId id, Quantity quantity) {
    const auto next = locate(orders_, neighbour);
    if (next == orders_.end()) return rejected(Status::UnknownOrder);
    if (quantity == 0 || quantity > quantity_max_) return rejected(Status::InvalidQuantity);
    if (orders_.size() == capacity_) return rejected(Status::PoolFull);
    if (!fits(orders_, next->side, next->price, quantity)) return rejected(Status::QuantityOverflow);
    newest_ = static_cast<std::size_t>(next - orders_.begin());
    orders_.insert(next, {OrderHandle{}, id, next->side, next->price, quantity});
    Outcome outcome;
    outcome.remaining = quantity;
    return outcome;
  }

  /// Tells the handle of the order that the last call which adds or replaces left resting.
  void name_newest(OrderHandle handle) { orders_[newest_].handle = handle; }

  Outcome add_market(OrderId id, Side side, Quantity quantity) {
    if (!is_side(side)) return rejected(Status::InvalidCommand);
    if (quantity == 0 || quantity > quantity_max_) return rejected(Status::InvalidQuantity);
    Outcome outcome = sweep(orders_, id, side, side == Side::Buy ? price_max_ : price_min_, quantity);
    outcome.cancelled = quantity - outcome.filled;
    return outcome;
  }

  Outcome cancel(OrderHandle handle) {
    const auto order = locate(orders_, handle);
    if (order == orders_.end()) return rejected(Status::UnknownOrder);
    Outcome outcome;
    outcome.cancelled = order->quantity;
    orders_.erase(order);
    return outcome;
  }

  Outcome modify(OrderHandle handle, Price price, Quantity quantity,
                 TimeInForce time_in_force = TimeInForce::GoodTillCancel, bool may_trade = true) {
    const auto order = locate(orders_, handle);
    if (order != orders_.end() && price == order->price && may_rest(time_in_force) && quantity > 0 &&
        quantity <= order->quantity) {
      order->quantity = quantity;
      Outcome outcome;
      outcome.remaining = quantity;
      outcome.kept_place = true;
      return outcome;
    }
    return enter_again(
        order, [](const RestingOrder&) {}, price, quantity, time_in_force, may_trade);
  }
  Outcome modify_resting(OrderHandle handle, Price price, Quantity quantity) {
    return modify(handle, price, quantity, TimeInForce::GoodTillCancel, false);
  }

  /// The new order gets its handle by `name_newest`.
  Outcome replace(OrderHandle handle, OrderId new_id, Price price, Quantity quantity,
                  TimeInForce time_in_force = TimeInForce::GoodTillCancel, bool may_trade = true) {
    const auto rename = [new_id](RestingOrder& order) {
      order.id = new_id;
      order.handle = {};
    };
    return enter_again(locate(orders_, handle), rename, price, quantity, time_in_force, may_trade);
  }
  Outcome replace_resting(OrderHandle handle, OrderId new_id, Price price, Quantity quantity) {
    return replace(handle, new_id, price, quantity, TimeInForce::GoodTillCancel, false);
  }

  Outcome reduce(OrderHandle handle, Quantity by) {
    const auto order = locate(orders_, handle);
    if (order == orders_.end()) return rejected(Status::UnknownOrder);
    if (by == 0 || by > order->quantity) return rejected(Status::InvalidQuantity, *order);
    order->quantity -= by;
    Outcome outcome;
    outcome.cancelled = by;
    outcome.remaining = order->quantity;
    outcome.kept_place = order->quantity > 0;
    if (order->quantity == 0) orders_.erase(order);
    return outcome;
  }

  /// How many orders it takes off.
  std::size_t clear(Side side) {
    return std::erase_if(orders_, [side](const RestingOrder& order) { return order.side == side; });
  }

  Status recenter(Price price_min) {
    const Price width = price_max_ - price_min_;
    if (price_min >= std::numeric_limits<Price>::max() - width) return Status::PriceOutOfBand;
    for (const RestingOrder& order : orders_) {
      if (order.price < price_min || order.price > price_min + width) return Status::PriceOutOfBand;
    }
    price_min_ = price_min;
    price_max_ = price_min + width;
    return Status::Success;
  }

  Outcome apply(const Command& command) {
    switch (command.type) {
      case CommandType::AddLimit:
        return add_limit(command.id, command.side, command.price, command.quantity, command.time_in_force);
      case CommandType::AddMarket: return add_market(command.id, command.side, command.quantity);
      case CommandType::Cancel: return cancel(command.handle);
      case CommandType::Modify:
        return modify(command.handle, command.price, command.quantity, command.time_in_force);
      case CommandType::Reduce: return reduce(command.handle, command.quantity);
      case CommandType::Replace:
        return replace(command.handle, command.id, command.price, command.quantity, command.time_in_force);
      case CommandType::AddResting: return add_resting(command.id, command.side, command.price, command.quantity);
      case CommandType::ModifyResting: return modify_resting(command.handle, command.price, command.quantity);
      case CommandType::ReplaceResting:
        return replace_resting(command.handle, command.id, command.price, command.quantity);
      case CommandType::AddRestingBefore: return add_resting_before(command.handle, command.id, command.quantity);
      case CommandType::MassCancel: break;  // of books with rules
    }
    return rejected(Status::InvalidCommand);
  }

  /// The orders of one side, best price first and at each price oldest first.
  [[nodiscard]] std::vector<RestingOrder> orders(Side side) const {
    std::vector<RestingOrder> result;
    for (const RestingOrder& order : orders_) {
      if (order.side == side) result.push_back(order);
    }
    std::stable_sort(result.begin(), result.end(), [](const RestingOrder& a, const RestingOrder& b) {
      return a.side == Side::Buy ? a.price > b.price : a.price < b.price;
    });
    return result;
  }

  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    for (const RestingOrder& order : orders_) {
      if (order.handle == handle) return order;
    }
    return {};
  }

  [[nodiscard]] std::optional<Price> best(Side side) const {
    std::optional<Price> best;
    for (const RestingOrder& order : orders_) {
      if (order.side == side && (!best || better(side, order.price, *best))) best = order.price;
    }
    return best;
  }
  [[nodiscard]] std::optional<Price> worst(Side side) const {
    std::optional<Price> worst;
    for (const RestingOrder& order : orders_) {
      if (order.side == side && (!worst || better(side, *worst, order.price))) worst = order.price;
    }
    return worst;
  }

  /// What has arrived on the order's level before it.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const {
    const std::optional<RestingOrder> named = find(handle);
    if (!named) return {};
    QueuePosition ahead;
    for (const RestingOrder& order : orders_) {
      if (order.handle == handle) break;
      if (order.side != named->side || order.price != named->price) continue;
      ahead.quantity += order.quantity;
      ++ahead.order_count;
    }
    return ahead;
  }

  [[nodiscard]] std::size_t size() const { return orders_.size(); }

  /// All resting orders in order of arrival.
  [[nodiscard]] const std::vector<RestingOrder>& resting() const { return orders_; }

 private:
  static Outcome rejected(Status status) {
    Outcome outcome;
    outcome.status = status;
    return outcome;
  }
  /// A rejection of a change of an order, which rests on.
  static Outcome rejected(Status status, const RestingOrder& order) {
    Outcome outcome = rejected(status);
    outcome.remaining = order.quantity;
    outcome.kept_place = true;
    return outcome;
  }

  /// Takes an order off the book, changes it by `rename`, and lets it come back as a new order would; or finds
  /// that it cannot.
  template <class Rename>
  Outcome enter_again(std::vector<RestingOrder>::iterator order, Rename rename, Price price, Quantity quantity,
                      TimeInForce time_in_force, bool may_trade) {
    const bool known = order != orders_.end();
    if (!is_known(time_in_force)) {
      return known ? rejected(Status::InvalidCommand, *order) : rejected(Status::InvalidCommand);
    }
    if (!known) return rejected(Status::UnknownOrder);
    if (quantity == 0 || quantity > quantity_max_) return rejected(Status::InvalidQuantity, *order);
    if (out_of_band(price, time_in_force)) return rejected(Status::PriceOutOfBand, *order);

    RestingOrder moved = *order;
    moved.price = price;
    moved.quantity = quantity;
    rename(moved);
    std::vector<RestingOrder> after = orders_;
    after.erase(locate(after, order->handle));
    const Outcome swept = may_trade ? sweep(after, moved.id, moved.side, price, quantity) : Outcome{};
    const Outcome outcome = settle(after, swept, moved, time_in_force);
    if (outcome.status != Status::Success) return rejected(outcome.status, *order);
    orders_ = std::move(after);
    return outcome;
  }

  /// Whether a price is none for an order with this time in force. One that cannot rest may have any.
  [[nodiscard]] bool out_of_band(Price price, TimeInForce time_in_force) const {
    return may_rest(time_in_force) && (price < price_min_ || price > price_max_);
  }

  /// What becomes of a new order that has swept what it could: a rejection, or it rests in `orders` if it may.
  Outcome settle(std::vector<RestingOrder>& orders, Outcome swept, RestingOrder order, TimeInForce time_in_force) {
    order.quantity -= swept.filled;
    if (time_in_force == TimeInForce::PostOnly && swept.filled > 0) return rejected(Status::WouldCross);
    if (time_in_force == TimeInForce::FillOrKill && order.quantity > 0) return rejected(Status::NotFillable);
    if (order.quantity == 0 || !may_rest(time_in_force)) {
      swept.cancelled = order.quantity;
      return swept;
    }
    if (orders.size() == capacity_) return rejected(Status::PoolFull);
    if (!fits(orders, order.side, order.price, order.quantity)) return rejected(Status::QuantityOverflow);
    newest_ = orders.size();
    orders.push_back(order);
    swept.remaining = order.quantity;
    return swept;
  }

  static bool may_rest(TimeInForce time_in_force) {
    return time_in_force == TimeInForce::GoodTillCancel || time_in_force == TimeInForce::PostOnly;
  }

  static bool is_known(TimeInForce time_in_force) {
    return may_rest(time_in_force) || time_in_force == TimeInForce::ImmediateOrCancel ||
           time_in_force == TimeInForce::FillOrKill;
  }

  static bool is_side(Side side) { return side == Side::Buy || side == Side::Sell; }

  static bool better(Side side, Price a, Price b) { return side == Side::Buy ? a > b : a < b; }

  static std::vector<RestingOrder>::iterator locate(std::vector<RestingOrder>& orders, OrderHandle handle) {
    return std::find_if(orders.begin(), orders.end(),
                        [handle](const RestingOrder& order) { return order.handle == handle; });
  }

  /// Whether the lots at one price still fit a `Quantity` when `more` join them.
  static bool fits(const std::vector<RestingOrder>& orders, Side side, Price price, Quantity more) {
    Quantity room = std::numeric_limits<Quantity>::max();
    for (const RestingOrder& order : orders) {
      if (order.side == side && order.price == price) room -= order.quantity;
    }
    return more <= room;
  }

  /// The best price of the makers who meet the taker's limit.
  static std::optional<Price> best_for(const std::vector<RestingOrder>& orders, Side taker_side, Price limit) {
    std::optional<Price> best;
    for (const RestingOrder& order : orders) {
      if (order.side == taker_side || better(order.side, limit, order.price)) continue;
      if (!best || better(order.side, order.price, *best)) best = order.price;
    }
    return best;
  }

  /// Again and again, the makers at the best price that meets the taker's limit trade, oldest first, until the
  /// taker is done or nobody is left.
  static Outcome sweep(std::vector<RestingOrder>& orders, OrderId taker_id, Side taker_side, Price limit,
                       Quantity quantity) {
    Outcome outcome;
    while (outcome.filled < quantity) {
      const std::optional<Price> price = best_for(orders, taker_side, limit);
      if (!price) break;
      for (RestingOrder& maker : orders) {
        if (maker.side == taker_side || maker.price != *price || outcome.filled == quantity) continue;
        const Quantity traded = std::min(quantity - outcome.filled, maker.quantity);
        maker.quantity -= traded;
        outcome.filled += traded;
        outcome.trades.push_back({taker_id, maker.id, maker.handle, maker.price, traded, maker.quantity,
                                  quantity - outcome.filled, taker_side});
      }
      std::erase_if(orders, [](const RestingOrder& order) { return order.quantity == 0; });
    }
    return outcome;
  }

  std::vector<RestingOrder> orders_;
  std::size_t newest_ = 0;  ///< the place of the order that came last
  Price price_min_;
  Price price_max_;
  std::size_t capacity_;
  Quantity quantity_max_;
};

}  // namespace llmes::test
