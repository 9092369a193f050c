// SPDX-License-Identifier: MIT
//
// The historical book: one matching loop around parts that say where orders live (parts/orders.hpp), how a cancel
// finds its order (parts/indexes.hpp), and how a side finds its levels and the best of them (parts/map_sides.hpp,
// array_sides.hpp, other_sides.hpp). The head of each of these files says what its kind has to offer. phases.hpp
// and designs.hpp name the parts of each book.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include "bench/contenders/parts/orders.hpp"
#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

template <class Parts>
class ComposedBook : public RuledBook<ComposedBook<Parts>, Parts::price_levels> {
  using Base = RuledBook<ComposedBook, Parts::price_levels>;
  friend Base;
  using Base::size_;
  using Level = typename Parts::Level;
  using Orders = typename Parts::Orders;
  using Index = typename Parts::Index;
  template <Side S>
  using SideBook = typename Parts::template SideBook<S, Level>;

 public:
  ComposedBook(ComposedBook&&) = default;
  ComposedBook& operator=(ComposedBook&& other) { return make_anew(*this, std::move(other)); }
  ~ComposedBook() = default;

  [[nodiscard]] DepthLevel level(Side side, Price price) const {
    if (side > Side::Sell || !this->in_band(price)) return {price};
    const Tick tick = this->tick_at(price);
    const Level* level = side == Side::Buy ? bids_.find(tick) : asks_.find(tick);
    DepthLevel found{price};
    if (level == nullptr || level->empty()) return found;
    found.quantity = level->total();
    for (const Order* order = level->front(); order != nullptr; order = order->next) ++found.order_count;
    return found;
  }

  template <std::invocable<const RestingOrder&> Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    visit_levels(side, [&](const Level& level) {
      for (const Order* order = level.front(); order != nullptr; order = order->next) visitor(resting(*order));
      return true;
    });
  }

  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    const Order* order = locate(handle);
    if (order == nullptr) return std::nullopt;
    return resting(*order);
  }

 private:
  explicit ComposedBook(const BookConfig& config)
      : Base(config), orders_(config.capacity), index_(config.capacity) {}

  template <Side S>
  [[nodiscard]] SideBook<S>& side() {
    if constexpr (S == Side::Buy) {
      return bids_;
    } else {
      return asks_;
    }
  }

  template <class Visitor>
  void visit_levels(Side side, Visitor visitor) const {
    if (side == Side::Buy) bids_.visit_levels(visitor);
    if (side == Side::Sell) asks_.visit_levels(visitor);
  }

  [[nodiscard]] Order* locate(OrderHandle handle) const { return index_.find(handle, orders_, bids_, asks_); }
  [[nodiscard]] static Side side_of(const Order* order) { return order->side; }
  [[nodiscard]] static Tick tick_of(const Order* order) { return order->tick; }
  [[nodiscard]] static Quantity quantity_of(const Order* order) { return order->quantity; }
  [[nodiscard]] static Level& level_of(const Order& order) { return static_cast<Level&>(*order.level); }

  static void reduce(Order* order, Quantity by) { level_of(*order).reduce(*order, by); }

  template <Side S>
  void cancel(Order* order) {
    const Tick tick = order->tick;
    Level& level = level_of(*order);
    level.erase(*order);
    forget(*order);
    if (level.empty()) side<S>().emptied_by_cancel(tick);
  }

  template <Side S, class Sink>
  Result move(Order* order, Tick tick, Quantity quantity, Sink& sink) {
    Level& level = level_of(*order);
    const Level* target = side<S>().find(tick);
    if (target != nullptr && !has_room(*target, quantity, target == &level ? order->quantity : 0)) {
      return {Status::QuantityOverflow};
    }

    const Tick old_tick = order->tick;
    level.erase(*order);
    Order& held = orders_.hold(*order);
    if (level.empty()) side<S>().emptied_by_cancel(old_tick);
    const Quantity filled = match<S>(held.id, tick, quantity, sink);
    if (filled == quantity) {
      forget(held);
      return {Status::Success, {}, filled};
    }
    Level& entered = side<S>().open(tick);
    Order& settled = orders_.settle(held, entered);
    if constexpr (Orders::moves_with_level) index_.reseat(settled);
    enter(settled, entered, tick, quantity - filled);
    return {Status::Success, OrderHandle::from_value(settled.handle), filled};
  }

  template <Side S>
  [[nodiscard]] bool crosses(Tick tick) {
    return side<opposite(S)>().best_within(tick) != nullptr;
  }

  template <Side S>
  [[nodiscard]] bool fillable(Tick limit, Quantity wanted) {
    side<opposite(S)>().visit_levels([&](const Level& level) {
      const Tick tick = level.front()->tick;
      if (S == Side::Buy ? tick > limit : tick < limit) return false;
      const Quantity traded = std::min(wanted, level.total());
      wanted -= traded;
      return wanted > 0;
    });
    return wanted == 0;
  }

  /// Trades up to `quantity` lots against makers no worse than `limit`. Out of line in every phase, so that the
  /// code of the loop does not depend on its callers.
  template <Side S, class Sink>
  [[gnu::noinline]] Quantity match(OrderId taker_id, Tick limit, Quantity quantity, Sink& sink) {
    auto& makers = side<opposite(S)>();
    Quantity left = quantity;
    while (left > 0) {
      Level* level = makers.best_within(limit);
      if (level == nullptr) break;
      const Tick tick = level->front()->tick;
      do {
        Order& maker = *level->front();
        const Quantity traded = std::min(left, maker.quantity);
        const Trade trade{taker_id,
                          maker.id,
                          OrderHandle::from_value(maker.handle),
                          this->price_of(tick),
                          traded,
                          maker.quantity - traded,
                          left - traded,
                          S};
        if (trade.maker_remaining > 0) {
          level->reduce(maker, traded);
        } else {
          level->erase(maker);
          forget(maker);
        }
        left -= traded;
        sink(trade);
      } while (left > 0 && !level->empty());
      if (level->empty()) makers.emptied_by_trade(tick);
    }
    return quantity - left;
  }

  /// A side that has a place for every price does not define `can_hold`.
  template <Side S>
  [[nodiscard]] bool can_hold(Tick tick) {
    if constexpr (requires { side<S>().can_hold(tick); }) return side<S>().can_hold(tick);
    return true;
  }

  template <Side S>
  Result rest(OrderId id, Tick tick, Quantity quantity) {
    if (this->is_full()) return {Status::PoolFull};
    Level& level = side<S>().open(tick);
    if (!has_room(level, quantity)) return {Status::QuantityOverflow};
    Order& order = orders_.acquire(level);
    order.id = id;
    order.side = S;
    enter(order, level, tick, quantity);
    index_.insert(order);
    ++size_;
    return {Status::Success, OrderHandle::from_value(order.handle)};
  }

  /// Whether the level can take `quantity` lots once `leaving` lots of it are gone.
  [[nodiscard]] bool has_room(const Level& level, Quantity quantity, Quantity leaving = 0) {
    return Base::template has_room<Level::keeps_total>(quantity, [&] { return level.total() - leaving; });
  }

  static void enter(Order& order, Level& level, Tick tick, Quantity quantity) {
    order.tick = tick;
    order.quantity = quantity;
    level.push_back(order);
  }

  /// An order that has left its level is gone for good.
  void forget(Order& order) {
    index_.erase(order);
    orders_.release(order);
    --size_;
  }

  [[nodiscard]] std::optional<Tick> first_tick(Side side) const {
    std::optional<Tick> first;
    visit_levels(side, [&](const Level& level) {
      first = level.front()->tick;
      return false;
    });
    return first;
  }

  [[nodiscard]] RestingOrder resting(const Order& order) const {
    return {OrderHandle::from_value(order.handle), order.id, order.side, this->price_of(order.tick),
            order.quantity};
  }

  Orders orders_;
  Index index_;
  SideBook<Side::Buy> bids_;
  SideBook<Side::Sell> asks_;
};

/// A book whose calls have their helpers inlined by force. Only what is marked noinline stays out of line: the
/// matching loop, and what a part marks as rare.
template <class Book>
class Flattened : public Book {
 public:
  static std::optional<Flattened> create(const BookConfig& config) {
    std::optional<Book> book = Book::create(config);
    if (!book) return std::nullopt;
    return Flattened(*std::move(book));
  }

  Flattened(Flattened&&) = default;
  Flattened& operator=(Flattened&& other) { return make_anew(*this, std::move(other)); }
  ~Flattened() = default;

  template <TradeSink Sink>
  [[gnu::flatten]] Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity,
                                          TimeInForce time_in_force, Sink&& sink) {
    return Book::add_limit_order(id, side, price, quantity, time_in_force, sink);
  }
  [[gnu::flatten]] Status cancel_order(OrderHandle handle) { return Book::cancel_order(handle); }
  template <TradeSink Sink>
  [[gnu::flatten]] Result apply(const Command& command, Sink&& sink) {
    return Book::apply(command, sink);
  }

 private:
  explicit Flattened(Book&& book) : Book(std::move(book)) {}
};

}  // namespace llmes::bench
