// SPDX-License-Identifier: MIT
//
// A market of price levels with queues: what is the same whichever container holds the levels of a side. All
// orders live in one pool, in 32 bytes each, a queue is linked through its orders, and an index leads from a
// reference to an order: pages, unless another is named. It trusts its feed in two things: a message
// names the book of its order, and no total overflows.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "bench/contenders/market_book.hpp"
#include "bench/contenders/parts/paged_ids.hpp"
#include "llmes/book.hpp"
#include "llmes/detail/zeroed_array.hpp"

namespace llmes::bench {

/// The orders of a level, by slots of the pool.
struct Queue {
  Quantity total = 0;
  SlotIndex first = 0;
  SlotIndex last = 0;
  std::uint32_t count = 0;
};

/// `Sides` holds the levels of all sides:
///
///  - `Sides(config)` makes them empty;
///  - `Place` is where a level is, until the next `open` or `close`, and `queue(place)` its orders;
///  - `Anchor`, 8 bytes, is what an order keeps to find its level as long as it exists: `anchor(place)`;
///  - `open(book, side, price)` finds or makes a level, `find(book, side, anchor)` finds it again and
///    `close(book, side, place)` removes it;
///  - `best(book, side)`, and `visit(book, side, visitor)` with price and queue of each level from the best
///  outward.
template <class Sides, class Ids = PagedIds>
class LevelMarket {
 public:
  static std::optional<LevelMarket> create(const MarketConfig& config) {
    CreateStatus status{};
    typename Ids::Config index{};
    if constexpr (std::same_as<Ids, PagedIds>) index = reference_index(config);
    std::optional<Ids> ids = Ids::create(index, config.capacity, status);
    if (!ids || config.capacity == 0 || config.capacity > capacity_max) return std::nullopt;
    LevelMarket market(config, *std::move(ids));
    if (!market.orders_.allocated()) return std::nullopt;
    return market;
  }

  [[gnu::always_inline]] Result apply(const MarketRequest& request) {
    if (request.book >= books_ || request.side > Side::Sell) return {Status::InvalidCommand};
    switch (request.type) {
      case CommandType::AddResting: return add(request);
      case CommandType::Cancel: return cancel(request);
      case CommandType::Reduce: return reduce(request);
      case CommandType::ReplaceResting: return replace(request);
      default: return {Status::InvalidCommand};
    }
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const { return sides_.best(book, side); }

  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    sides_.visit(book, side, [&](Price price, const Queue& queue) {
      for (SlotIndex slot = queue.first; slot != none; slot = orders_[slot].next) {
        visitor(RestingOrder{{slot, 0}, orders_[slot].id, side, price, orders_[slot].quantity});
      }
    });
  }

  template <class Visitor>
  void visit_levels(std::uint32_t book, Side side, Visitor&& visitor) const {
    sides_.visit(book, side, [&](Price price, const Queue& queue) {
      visitor(DepthLevel{price, queue.total, queue.count});
    });
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Anchor = typename Sides::Anchor;
  using Place = typename Sides::Place;
  static constexpr SlotIndex none = 0;  // the first slot has no order
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  struct alignas(32) Order {
    OrderId id;
    Quantity quantity;  // open lots; 0 in a free slot
    Anchor anchor;
    SlotIndex next;             // on its level; in a free slot: the next free one
    SlotIndex before_and_side;  // twice the slot of the order before it, and 1 for an ask

    [[nodiscard]] Side side() const { return static_cast<Side>(before_and_side & 1); }
    [[nodiscard]] SlotIndex before() const { return before_and_side >> 1; }
    void set_before(SlotIndex slot) { before_and_side = slot << 1 | (before_and_side & 1); }
  };
  static_assert(sizeof(Order) == 32);

  LevelMarket(const MarketConfig& config, Ids&& ids)
      : books_(config.books), ids_(std::move(ids)), orders_(config.capacity + 1), sides_(config) {
    if (!orders_.allocated()) return;
    for (std::size_t slot = 1; slot < config.capacity; ++slot)
      orders_[slot].next = static_cast<SlotIndex>(slot + 1);
    free_ = 1;
  }

  /// The slot of a resting order, or none.
  [[nodiscard]] SlotIndex locate(OrderId id) const {
    return ids_.find(id, [&](SlotIndex slot) {
      return slot < orders_.size() && orders_[slot].id == id && orders_[slot].quantity != 0;
    });
  }

  Result add(const MarketRequest& request) {
    if (request.quantity == 0) return {Status::InvalidQuantity};
    if (locate(request.id) != none) return {Status::DuplicateId};
    if (free_ == none) return {Status::PoolFull};
    const SlotIndex slot = std::exchange(free_, orders_[free_].next);
    ++size_;
    enter(slot, request.id, request.book, request.side, request.price, request.quantity);
    return {Status::Success, {}, 0, request.quantity};
  }

  Result cancel(const MarketRequest& request) {
    const SlotIndex slot = locate(request.id);
    if (slot == none) return {Status::UnknownOrder};
    const Quantity open = orders_[slot].quantity;
    take_off(slot, request.book);
    return {Status::Success, {}, 0, 0, open};
  }

  Result reduce(const MarketRequest& request) {
    const SlotIndex slot = locate(request.id);
    if (slot == none) return {Status::UnknownOrder};
    Order& order = orders_[slot];
    if (request.quantity == 0 || request.quantity > order.quantity) return {Status::InvalidQuantity};
    const Quantity left = order.quantity - request.quantity;
    if (left == 0) {
      take_off(slot, request.book);
    } else {
      order.quantity = left;
      sides_.queue(sides_.find(request.book, order.side(), order.anchor)).total -= request.quantity;
    }
    return {Status::Success, {}, 0, left, request.quantity};
  }

  Result replace(const MarketRequest& request) {
    const SlotIndex slot = locate(request.id);
    if (slot == none) return {Status::UnknownOrder};
    if (request.quantity == 0) return {Status::InvalidQuantity};
    if (request.new_id != request.id && locate(request.new_id) != none) return {Status::DuplicateId};
    leave(slot, request.book);
    enter(slot, request.new_id, request.book, orders_[slot].side(), request.price, request.quantity);
    return {Status::Success, {}, 0, request.quantity};
  }

  /// At the back of its level.
  void enter(SlotIndex slot, OrderId id, std::uint32_t book, Side side, Price price, Quantity quantity) {
    const Place place = sides_.open(book, side, price);
    Queue& queue = sides_.queue(place);
    orders_[slot] = {id, quantity, sides_.anchor(place), none, queue.last << 1 | static_cast<SlotIndex>(side)};
    (queue.last != none ? orders_[queue.last].next : queue.first) = slot;
    queue.last = slot;
    queue.total += quantity;
    ++queue.count;
    ids_.insert(id, slot);
  }
  void leave(SlotIndex slot, std::uint32_t book) {
    const Order& order = orders_[slot];
    const Place place = sides_.find(book, order.side(), order.anchor);
    Queue& queue = sides_.queue(place);
    const SlotIndex before = order.before();
    (before != none ? orders_[before].next : queue.first) = order.next;
    if (order.next != none) {
      orders_[order.next].set_before(before);
    } else {
      queue.last = before;
    }
    queue.total -= order.quantity;
    if (--queue.count == 0) sides_.close(book, order.side(), place);
    ids_.erase(order.id, slot);
  }
  void take_off(SlotIndex slot, std::uint32_t book) {
    leave(slot, book);
    orders_[slot].quantity = 0;
    orders_[slot].next = std::exchange(free_, slot);
    --size_;
  }

  std::size_t books_;
  std::size_t size_ = 0;
  SlotIndex free_ = none;
  Ids ids_;
  ZeroedArray<Order> orders_;
  Sides sides_;
};

/// Where a price stands among those of its side, so that a higher number is a better price.
[[nodiscard]] constexpr Price goodness(Side side, Price price) {
  return side == Side::Buy ? price : ~price;
}
/// The price of that goodness.
[[nodiscard]] constexpr Price price_of_goodness(Side side, Price goodness) {
  return side == Side::Buy ? goodness : ~goodness;
}

}  // namespace llmes::bench
