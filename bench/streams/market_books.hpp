// SPDX-License-Identifier: MIT
//
// The books of a market for its planner: all queues, and which orders rest. It is no contestant: it names orders
// by their numbers, without an index.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bench/streams/market_plan.hpp"
#include "bench/streams/order_ids.hpp"
#include "bench/streams/random.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

class MarketBooks {
 public:
  using Book = std::uint32_t;

  struct Order {
    OrderId id;
    Price price;
    Quantity quantity;
    OrderNumber number;
    Book book;
    Side side;
  };

  /// Order numbers are below this.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  MarketBooks(std::size_t books, std::size_t orders, std::size_t resting) : sides_(2 * books) {
    slots_by_number_.reserve(orders);
    slots_.reserve(resting);
    live_.reserve(resting);
  }

  // ---- Questions.

  [[nodiscard]] std::size_t resting() const { return live_.size(); }
  [[nodiscard]] std::optional<Price> best(Book book, Side side) const {
    const Levels& levels = at(book, side);
    if (levels.empty()) return std::nullopt;
    return levels.back().price;
  }
  [[nodiscard]] bool is_crossed(Book book) const {
    const std::optional<Price> bid = best(book, Side::Buy);
    const std::optional<Price> ask = best(book, Side::Sell);
    return bid && ask && *bid >= *ask;
  }
  /// The first order at the best price; there must be one.
  [[nodiscard]] OrderNumber front(Book book, Side side) const {
    return slots_[at(book, side).back().first].order.number;
  }
  /// How many orders there have been.
  [[nodiscard]] OrderNumber order_count() const { return static_cast<OrderNumber>(slots_by_number_.size()); }
  [[nodiscard]] bool rests(OrderNumber number) const { return slots_by_number_[number] != none; }
  /// It must rest.
  [[nodiscard]] const Order& order(OrderNumber number) const { return slots_[slots_by_number_[number]].order; }
  /// Any resting order, all equally likely; there must be one.
  [[nodiscard]] OrderNumber any_order(Random& random) const {
    return slots_[live_[random.below(live_.size())]].order.number;
  }
  /// A resting order whose age is equally likely to lie in any octave; there must be one.
  [[nodiscard]] OrderNumber order_by_age(Random& random) const {
    const OrderNumber count = order_count();
    for (int tries = 0; tries < 8; ++tries) {
      const auto octave = random.between(3, std::max<std::int64_t>(4, std::bit_width(count) - 1));
      const std::uint64_t least = std::uint64_t{1} << octave;
      const std::uint64_t age = least + random.below(least);
      if (age > count) continue;
      const auto number = static_cast<OrderNumber>(count - age);
      if (rests(number)) return number;
    }
    return any_order(random);
  }
  /// The occupied levels of a side of all books, of a book, and the most that all books had together.
  [[nodiscard]] std::size_t level_count(Side side) const { return level_count_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] std::size_t level_count_of(Book book) const {
    return at(book, Side::Buy).size() + at(book, Side::Sell).size();
  }
  [[nodiscard]] std::size_t levels_max() const { return levels_max_; }

  /// The checksum of all queues, with the prices that `price_of(book, price)` makes of those here.
  template <class PriceOf>
  [[nodiscard]] std::uint64_t queues(const PriceOf& price_of) const {
    QueueChecksum sum;
    for (Book book = 0; 2 * book < sides_.size(); ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Levels& levels = at(book, side);
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
          for (std::uint32_t slot = level->first; slot != none; slot = slots_[slot].next) {
            sum.add(book, side, price_of(book, level->price), slots_[slot].order.id, slots_[slot].order.quantity);
          }
        }
      }
    }
    return sum.value();
  }
  [[nodiscard]] std::uint64_t queues() const {
    return queues([](Book /*book*/, Price price) { return price; });
  }

  // ---- Changes.

  /// The order joins the end of its queue.
  OrderNumber enter(Book book, Side side, Price price, Quantity quantity, OrderId id) {
    const OrderNumber number = order_count();
    const std::uint32_t slot = free_slot();
    auto level = search(book, side, price);
    if (level == at(book, side).end() || level->price != price) {
      level = at(book, side).insert(level, {price, none, none});
      ++level_count_[static_cast<std::size_t>(side)];
      levels_max_ = std::max(levels_max_, level_count_[0] + level_count_[1]);
    }
    (level->last != none ? slots_[level->last].next : level->first) = slot;
    slots_[slot] = {{id, price, quantity, number, book, side},
                    std::exchange(level->last, slot),
                    none,
                    static_cast<std::uint32_t>(live_.size())};
    slots_by_number_.push_back(slot);
    live_.push_back(slot);
    return number;
  }

  void leave(OrderNumber number) {
    const std::uint32_t left = std::exchange(slots_by_number_[number], none);
    const Slot& slot = slots_[left];
    const auto level = search(slot.order.book, slot.order.side, slot.order.price);
    (slot.previous != none ? slots_[slot.previous].next : level->first) = slot.next;
    (slot.next != none ? slots_[slot.next].previous : level->last) = slot.previous;
    if (level->first == none) {
      at(slot.order.book, slot.order.side).erase(level);
      --level_count_[static_cast<std::size_t>(slot.order.side)];
    }
    slots_[live_.back()].place = slot.place;
    live_[slot.place] = live_.back();
    live_.pop_back();
    slots_[left].next = std::exchange(first_free_, left);
  }

  /// Reduces an order, or removes it if nothing is left.
  void reduce(OrderNumber number, Quantity by) {
    Order& order = slots_[slots_by_number_[number]].order;
    if (by == order.quantity) return leave(number);
    order.quantity -= by;
  }

 private:
  struct Slot {
    Order order;
    std::uint32_t previous;  // on its level
    std::uint32_t next;      // on its level; of a free slot, the next free one
    std::uint32_t place;     // in `live_`
  };
  struct Level {
    Price price;
    std::uint32_t first;
    std::uint32_t last;
  };
  using Levels = std::vector<Level>;  // the best at the back

  [[nodiscard]] Levels& at(Book book, Side side) { return sides_[2 * book + static_cast<std::size_t>(side)]; }
  [[nodiscard]] const Levels& at(Book book, Side side) const {
    return sides_[2 * book + static_cast<std::size_t>(side)];
  }

  /// The level at this price, or the place where it would be.
  [[nodiscard]] Levels::iterator search(Book book, Side side, Price price) {
    Levels& levels = at(book, side);
    return std::partition_point(levels.begin(), levels.end(), [&](const Level& level) {
      return side == Side::Buy ? level.price < price : level.price > price;
    });
  }

  [[nodiscard]] std::uint32_t free_slot() {
    if (first_free_ != none) return std::exchange(first_free_, slots_[first_free_].next);
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }

  std::vector<Levels> sides_;                   // the bids of book 0, its asks, the bids of book 1 ...
  std::vector<Slot> slots_;                     // an order that leaves makes room for another
  std::vector<std::uint32_t> slots_by_number_;  // none for an order that has left
  std::vector<std::uint32_t> live_;             // the slots of all resting orders, unsorted
  std::uint32_t first_free_ = none;
  std::array<std::size_t, 2> level_count_{};
  std::size_t levels_max_ = 0;
};

}  // namespace llmes::bench
