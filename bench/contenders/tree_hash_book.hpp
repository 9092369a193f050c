// SPDX-License-Identifier: MIT
//
// The engine that most people would write: a balanced tree of price levels for each side, with a queue of orders
// on each level, and a hash map from the name of an order to the order. It is made with care: orders and levels
// live in pools, a queue is linked through its orders, an order knows its level and a level its place in the tree,
// so that a cancel searches once, in the hash map. A new order searches once in each: the look that finds out
// whether its name is taken makes its entry. `Containers` are those of its trees and its hash map.
//
// `ById` names orders by the ids of their callers, which must differ. Otherwise they are named by their arrival,
// as the handles of the conformance suite are.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/contenders/containers.hpp"
#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"

namespace llmes::bench {

template <std::size_t N, bool ById, class Containers = PooledContainers>
class TreeHashBook : public RuledBook<TreeHashBook<N, ById, Containers>, N> {
  using Base = RuledBook<TreeHashBook, N>;
  friend Base;
  using Base::size_;

  struct Level;

  struct Order {
    OrderId id;
    Quantity quantity;   ///< open lots
    std::uint64_t name;  ///< its key in the hash map, and the value of its handle
    Level* level;
    Order* previous;
    Order* next;  ///< in a free order: the next free one
  };

  using Tree = std::map<std::size_t, Level, std::less<>,  // by rank, the best first
                        typename Containers::template Allocator<std::pair<const std::size_t, Level>>>;

  struct Level {
    Order* first = nullptr;
    Order* last = nullptr;
    Quantity total = 0;
    Side side{};
    Tick tick = 0;
    typename Tree::iterator place{};
  };

 public:
  TreeHashBook(TreeHashBook&&) = default;
  TreeHashBook& operator=(TreeHashBook&& other) { return make_anew(*this, std::move(other)); }
  ~TreeHashBook() = default;

  // ---- By id.

  static std::optional<TreeHashBook> create(const BookConfig& config, std::size_t /*id_count*/)
    requires ById
  {
    return Base::create(config);
  }
  using Base::create;

  template <TradeSink Sink>
  Result apply(const Request& request, Sink&& sink)
    requires ById
  {
    switch (request.type) {
      case CommandType::AddLimit: return add_by_id(request, sink);
      case CommandType::AddMarket: return take_by_id(request, sink);
      case CommandType::Cancel: return cancel_by_id(request.id);
      case CommandType::Modify: return modify_by_id(request, sink);
      default: return {Status::InvalidCommand};
    }
  }
  using Base::apply;

  // ---- Queries.

  [[nodiscard]] DepthLevel level(Side side, Price price) const {
    DepthLevel found{price};
    if (side > Side::Sell || !this->in_band(price)) return found;
    const auto at = tree(side).find(rank_of(side, this->tick_at(price)));
    if (at == tree(side).end()) return found;
    found.quantity = at->second.total;
    for (const Order* order = at->second.first; order != nullptr; order = order->next) ++found.order_count;
    return found;
  }

  template <std::invocable<const RestingOrder&> Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    if (side > Side::Sell) return;
    for (const auto& [rank, level] : tree(side)) {
      for (const Order* order = level.first; order != nullptr; order = order->next) visitor(resting(*order));
    }
  }

  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    const Order* order = locate(handle);
    if (order == nullptr) return std::nullopt;
    return resting(*order);
  }

 private:
  explicit TreeHashBook(const BookConfig& config)
      : Base(config), orders_(config.capacity), names_(config.capacity) {
    for (Order& order : orders_) order.next = &order + 1;
    orders_.back().next = nullptr;
    free_ = orders_.data();
  }

  // ---- By id: the results are complete, as those of the core are.

  template <class Sink>
  Result add_by_id(const Request& request, Sink& sink) {
    const auto [entry, is_new] = names_.try_emplace(request.id, nullptr);
    if (!is_new) return {Status::DuplicateId};
    entry_ = &entry->second;  // stays where it is: until the order rests, orders only leave
    Result result = this->add_limit_order(request.id, request.side, request.price, request.quantity,
                                          request.time_in_force, sink);
    const bool rests = entry->second != nullptr;
    if (!rests) names_.erase(entry);
    if (result.status != Status::Success) return result;
    (rests ? result.remaining : result.cancelled) = request.quantity - result.filled;
    return result;
  }

  template <class Sink>
  Result take_by_id(const Request& request, Sink& sink) {
    if (names_.contains(request.id)) return {Status::DuplicateId};
    Result result = this->add_market_order(request.id, request.side, request.quantity, sink);
    if (result.status == Status::Success) result.cancelled = request.quantity - result.filled;
    return result;
  }

  Result cancel_by_id(OrderId id) {
    const auto entry = names_.find(id);
    if (entry == names_.end()) return {Status::UnknownOrder};
    Order& order = *entry->second;
    names_.erase(entry);
    const Quantity open = order.quantity;
    take_off(order);
    return {Status::Success, {}, 0, 0, open};
  }

  template <class Sink>
  Result modify_by_id(const Request& request, Sink& sink) {
    Order* order = locate(OrderHandle::from_value(request.id));
    if (order == nullptr) return {Status::UnknownOrder};
    if (request.quantity == 0) return {Status::InvalidQuantity};
    if (!this->in_band(request.price)) return {Status::PriceOutOfBand};
    const Tick tick = this->tick_at(request.price);
    if (tick == order->level->tick && request.quantity <= order->quantity) {
      reduce(order, order->quantity - request.quantity);
      return {Status::Success, handle_of(*order), 0, request.quantity, 0, true};
    }
    Result result = order->level->side == Side::Buy ? move<Side::Buy>(order, tick, request.quantity, sink)
                                                    : move<Side::Sell>(order, tick, request.quantity, sink);
    if (result.status == Status::Success) result.remaining = request.quantity - result.filled;
    return result;
  }

  // ---- What the rules ask for.

  [[nodiscard]] Order* locate(OrderHandle handle) const {
    const auto found = names_.find(handle.value());
    return found == names_.end() ? nullptr : found->second;
  }
  [[nodiscard]] static Side side_of(const Order* order) { return order->level->side; }
  [[nodiscard]] static Tick tick_of(const Order* order) { return order->level->tick; }
  [[nodiscard]] static Quantity quantity_of(const Order* order) { return order->quantity; }

  static void reduce(Order* order, Quantity by) {
    order->quantity -= by;
    order->level->total -= by;
  }

  template <Side S>
  void cancel(Order* order) {
    names_.erase(order->name);
    take_off(*order);
  }

  template <Side S, class Sink>
  Result move(Order* order, Tick tick, Quantity quantity, Sink& sink) {
    Level& old = *order->level;
    Level& level = open<S>(tick);
    const Quantity leaving = &level == &old ? order->quantity : 0;
    if (!fits(quantity, level.total - leaving)) return {Status::QuantityOverflow};
    unlink(*order);
    const Quantity filled = crosses<S>(tick) ? match<S>(order->id, tick, quantity, sink) : 0;
    order->quantity = quantity - filled;
    const bool rests = order->quantity > 0;
    if (rests) {
      push_back(level, *order);
    } else {
      names_.erase(order->name);
      release(*order);
      if (&level != &old) close_if_empty(level);
    }
    close_if_empty(old);
    return {Status::Success, rests ? handle_of(*order) : OrderHandle{}, filled};
  }

  template <Side S>
  [[nodiscard]] bool crosses(Tick tick) const {
    const Tree& makers = tree(opposite(S));
    return !makers.empty() && makers.begin()->first <= bench::rank_of<opposite(S), N>(tick);
  }

  template <Side S>
  [[nodiscard]] bool fillable(Tick limit, Quantity wanted) const {
    for (const auto& [rank, level] : tree(opposite(S))) {
      if (rank > bench::rank_of<opposite(S), N>(limit)) return false;
      if (wanted <= level.total) return true;
      wanted -= level.total;
    }
    return false;
  }

  template <Side S, class Sink>
  [[gnu::noinline]] Quantity match(OrderId taker_id, Tick limit, Quantity quantity, Sink& sink) {
    Tree& makers = tree(opposite(S));
    Quantity left = quantity;
    while (left > 0 && crosses<S>(limit)) {
      Level& level = makers.begin()->second;
      Order& maker = *level.first;
      const Quantity traded = std::min(left, maker.quantity);
      reduce(&maker, traded);
      left -= traded;
      const Trade trade{taker_id, maker.id, handle_of(maker), this->price_of(level.tick), traded, maker.quantity,
                        left,     S};
      if (maker.quantity == 0) cancel<opposite(S)>(&maker);
      sink(trade);
    }
    return quantity - left;
  }

  template <Side S>
  [[nodiscard]] static bool can_hold(Tick) {
    return true;
  }

  template <Side S>
  Result rest(OrderId id, Tick tick, Quantity quantity) {
    if (free_ == nullptr) return {Status::PoolFull};
    Level& level = open<S>(tick);
    if (!fits(quantity, level.total)) return {Status::QuantityOverflow};
    Order& order = *std::exchange(free_, free_->next);
    order.id = id;
    order.quantity = quantity;
    if constexpr (ById) {
      order.name = id;
      *entry_ = &order;
    } else {
      order.name = ++last_name_;
      names_.emplace(order.name, &order);
    }
    push_back(level, order);
    ++size_;
    return {Status::Success, handle_of(order)};
  }

  [[nodiscard]] std::optional<Tick> first_tick(Side side) const {
    if (tree(side).empty()) return std::nullopt;
    return tree(side).begin()->second.tick;
  }

  // ---- Parts.

  [[nodiscard]] static std::size_t rank_of(Side side, Tick tick) {
    return side == Side::Buy ? bench::rank_of<Side::Buy, N>(tick) : bench::rank_of<Side::Sell, N>(tick);
  }
  [[nodiscard]] Tree& tree(Side side) { return side == Side::Buy ? bids_ : asks_; }
  [[nodiscard]] const Tree& tree(Side side) const { return side == Side::Buy ? bids_ : asks_; }

  /// The level at this price, which is new if it is empty.
  template <Side S>
  [[nodiscard]] Level& open(Tick tick) {
    const auto [place, is_new] = tree(S).try_emplace(bench::rank_of<S, N>(tick));
    Level& level = place->second;
    if (is_new) {
      level.side = S;
      level.tick = tick;
      level.place = place;
    }
    return level;
  }
  void close_if_empty(Level& level) {
    if (level.first == nullptr) tree(level.side).erase(level.place);
  }

  static void push_back(Level& level, Order& order) {
    order.level = &level;
    order.previous = level.last;
    order.next = nullptr;
    (level.last != nullptr ? level.last->next : level.first) = &order;
    level.last = &order;
    level.total += order.quantity;
  }
  static void unlink(Order& order) {
    Level& level = *order.level;
    (order.previous != nullptr ? order.previous->next : level.first) = order.next;
    (order.next != nullptr ? order.next->previous : level.last) = order.previous;
    level.total -= order.quantity;
  }
  void release(Order& order) {
    order.next = free_;
    free_ = &order;
    --size_;
  }
  void take_off(Order& order) {
    unlink(order);
    close_if_empty(*order.level);
    release(order);
  }

  [[nodiscard]] static bool fits(Quantity quantity, Quantity total) {
    return quantity <= std::numeric_limits<Quantity>::max() - total;
  }
  [[nodiscard]] static OrderHandle handle_of(const Order& order) { return OrderHandle::from_value(order.name); }
  [[nodiscard]] RestingOrder resting(const Order& order) const {
    return {handle_of(order), order.id, order.level->side, this->price_of(order.level->tick), order.quantity};
  }

  using Nodes = typename Containers::Nodes;

  std::unique_ptr<Nodes> nodes_ = std::make_unique<Nodes>();
  Tree bids_{typename Tree::allocator_type(*nodes_)};
  Tree asks_{typename Tree::allocator_type(*nodes_)};
  std::vector<Order> orders_;
  Order* free_ = nullptr;
  typename Containers::template HashMap<std::uint64_t, Order*> names_;
  Order** entry_ = nullptr;  // of the order that is being added by id
  std::uint64_t last_name_ = 0;
};

/// Played by id. A tree needs no band: it is the same for any, and holds the 2^32 prices from the base price on.
template <std::size_t N>
using TreeHashById = TreeHashBook<std::size_t{1} << 32, true>;
template <std::size_t N>
using StandardMapsById = TreeHashBook<std::size_t{1} << 32, true, StandardContainers>;

}  // namespace llmes::bench
