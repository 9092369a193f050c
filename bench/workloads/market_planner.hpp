// SPDX-License-Identifier: MIT
//
// Keeps the books of a market while its stream is planned. So a workload can ask where a touch is and which orders
// rest, and the planning itself yields the census, the expected digests and the queues at the end. It is no
// contestant: its orders go by numbers, without an index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/workloads/market_plan.hpp"
#include "bench/workloads/order_ids.hpp"
#include "bench/workloads/random.hpp"
#include "llmes/id_index.hpp"
#include "llmes/types.hpp"

namespace llmes::bench {

class MarketPlanner {
 public:
  using Book = std::uint32_t;

  // ---- How much memory a plan takes.

  [[nodiscard]] static std::size_t message_count(const MarketSpec& spec) {
    return spec.standing + spec.warm_up + spec.batches * (spec.rewarm + spec.batch);
  }
  /// At most: every seed is an order, and about half of all other messages.
  [[nodiscard]] static std::size_t order_count(const MarketSpec& spec) {
    return spec.standing + (message_count(spec) - spec.standing) * 3 / 5 + 1'000;
  }

  explicit MarketPlanner(const MarketSpec& spec) : random(spec.seed), sides_(2 * spec.symbols) {
    if (order_count(spec) >= none) throw std::invalid_argument("the plan has more orders than numbers");
    plan_.spec = spec;
    plan_.requests.reserve(message_count(spec));
    orders_.reserve(order_count(spec));
    live_.reserve(2 * spec.standing);
  }

  Random random;

  // ---- Questions of the workload.

  [[nodiscard]] std::size_t now() const { return plan_.requests.size(); }
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
  [[nodiscard]] OrderNumber front(Book book, Side side) const { return at(book, side).back().first; }
  [[nodiscard]] OrderNumber order_count() const { return static_cast<OrderNumber>(orders_.size()); }
  [[nodiscard]] bool rests(OrderNumber number) const { return orders_[number].place != none; }
  [[nodiscard]] Book book(OrderNumber number) const { return orders_[number].book; }
  [[nodiscard]] Side side(OrderNumber number) const { return orders_[number].side; }
  [[nodiscard]] Price price(OrderNumber number) const { return orders_[number].price; }
  [[nodiscard]] Quantity quantity(OrderNumber number) const { return orders_[number].quantity; }
  /// Any resting order, all equally likely; there must be one.
  [[nodiscard]] OrderNumber any_order() { return live_[random.below(live_.size())]; }

  // ---- Messages. Each call adds one message and plays it.

  /// `gap` is how much higher the reference is than the last one.
  void add(Book book, Side side, Price price, Quantity quantity, std::uint64_t gap) {
    watch_add(book, side, price);
    const OrderId id = last_id_ += gap;
    send(Request::add_resting(id, side, price, quantity), book, [&] { enter(book, side, price, quantity, id); });
  }
  void cancel(OrderNumber number) {
    const Order& order = orders_[number];
    if (window_ != nullptr) ++window_->cancels;
    send(Request::cancel(order.id), order.book, [&] { leave(number); });
  }
  /// Takes lots off, or the order if it has no more.
  void reduce(OrderNumber number, Quantity by) {
    Order& order = orders_[number];
    if (window_ != nullptr) {
      ++window_->reduces;
      window_->taken_off += by == order.quantity;
    }
    send(Request::reduce(order.id, by), order.book, [&] {
      if (by == order.quantity) return leave(number);
      order.quantity -= by;
    });
  }
  void replace(OrderNumber number, Price price, Quantity quantity, std::uint64_t gap) {
    const Order order = orders_[number];
    if (window_ != nullptr) ++window_->replaces;
    const OrderId id = last_id_ += gap;
    send(Request::replace_resting(order.id, id, price, quantity), order.book, [&] {
      // In this order what a book needs for a while is counted too: both levels.
      enter(order.book, order.side, price, quantity, id);
      leave(number);
    });
    // It never takes two places.
  }

  // ---- The frame of batches.

  void start_batch() {
    plan_.batches.emplace_back();
    plan_.batches.back().rewarm_begin = now();
  }
  void start_window() {
    MarketBatch& batch = plan_.batches.back();
    batch.begin = now();
    batch.census.touch_min = std::numeric_limits<Price>::max();
    batch.census.touch_max = std::numeric_limits<Price>::min();
    digest_ = {};
    window_ = &batch.census;
  }
  void end_window() {
    MarketBatch& batch = plan_.batches.back();
    batch.end = now();
    batch.expected = digest_;
    batch.resting_end = resting();
    window_ = nullptr;
  }
  MarketPlan finish() && {
    find_activity();
    plan_.final_queues = queues();
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Order {
    OrderId id;
    Price price;
    Quantity quantity;
    OrderNumber previous;  // on its level
    OrderNumber next;
    std::uint32_t rested_at;  // the message since which it rests
    std::uint32_t place;      // in `live_`; none if it has left
    Book book;
    Side side;
  };
  struct Level {
    Price price;
    OrderNumber first;
    OrderNumber last;
  };
  using Levels = std::vector<Level>;  // the best at the back

  [[nodiscard]] Levels& at(Book book, Side side) { return sides_[2 * book + static_cast<std::size_t>(side)]; }
  [[nodiscard]] const Levels& at(Book book, Side side) const {
    return sides_[2 * book + static_cast<std::size_t>(side)];
  }

  template <class Play>
  void send(const Request& request, Book book, Play play) {
    if (window_ != nullptr) observe(book);
    plan_.requests.push_back({request, book});
    play();
    plan_.capacity = std::max(plan_.capacity, resting());
    fold_best(digest_, best(book, Side::Buy), best(book, Side::Sell));
  }

  void watch_add(Book book, Side side, Price price) {
    if (window_ == nullptr) return;
    ++window_->adds;
    const std::optional<Price> touch = best(book, side);
    if (!touch) return;
    const bool is_near = price - *touch <= 64 && *touch - price <= 64;
    ++(is_near ? window_->near : window_->far);
  }
  void observe(Book book) {
    MarketCensus& census = *window_;
    ++census.events;
    census.resting_sum += resting();
    census.resting_peak = std::max<std::uint64_t>(census.resting_peak, resting());
    census.bid_levels_sum += level_count_[0];
    census.ask_levels_sum += level_count_[1];
    census.one_sided += at(book, Side::Buy).empty() || at(book, Side::Sell).empty();
    census.crossed += is_crossed(book);
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> touch = best(book, side);
      if (!touch) continue;
      census.touch_min = std::min(census.touch_min, *touch);
      census.touch_max = std::max(census.touch_max, *touch);
    }
  }

  /// The level at this price, or the place where it would be.
  [[nodiscard]] Levels::iterator search(Book book, Side side, Price price) {
    Levels& levels = at(book, side);
    return std::partition_point(levels.begin(), levels.end(), [&](const Level& level) {
      return side == Side::Buy ? level.price < price : level.price > price;
    });
  }

  void enter(Book book, Side side, Price price, Quantity quantity, OrderId id) {
    const OrderNumber number = order_count();
    auto level = search(book, side, price);
    if (level == at(book, side).end() || level->price != price) {
      level = at(book, side).insert(level, {price, none, none});
      ++level_count_[static_cast<std::size_t>(side)];
      plan_.levels = std::max<std::size_t>(plan_.levels, level_count_[0] + level_count_[1]);
      if (window_ != nullptr) ++window_->levels_opened;
    }
    (level->last != none ? orders_[level->last].next : level->first) = number;
    orders_.push_back({id, price, quantity, std::exchange(level->last, number), none,
                       static_cast<std::uint32_t>(now()), static_cast<std::uint32_t>(live_.size()), book, side});
    live_.push_back(number);
    if (window_ != nullptr) ++window_->rested;
  }

  void leave(OrderNumber number) {
    Order& order = orders_[number];
    const auto level = search(order.book, order.side, order.price);
    (order.previous != none ? orders_[order.previous].next : level->first) = order.next;
    (order.next != none ? orders_[order.next].previous : level->last) = order.previous;
    if (level->first == none) {
      at(order.book, order.side).erase(level);
      --level_count_[static_cast<std::size_t>(order.side)];
      if (window_ != nullptr) ++window_->levels_emptied;
    }
    orders_[live_.back()].place = order.place;
    live_[order.place] = live_.back();
    live_.pop_back();
    order.place = none;
    if (window_ == nullptr) return;
    window_->lifetime_sum += now() - order.rested_at;
    ++window_->lifetime_count;
  }

  void find_activity() {
    std::vector<std::uint64_t> messages(plan_.spec.symbols);
    std::uint64_t all = 0;
    for (const MarketBatch& batch : plan_.batches) {
      for (std::size_t i = batch.begin; i < batch.end; ++i) ++messages[plan_.requests[i].book];
      all += batch.end - batch.begin;
    }
    if (all == 0) return;
    std::sort(messages.begin(), messages.end());
    plan_.busiest = static_cast<double>(messages.back()) / static_cast<double>(all);
    plan_.median = static_cast<double>(messages[messages.size() / 2]) / static_cast<double>(all);
  }

  [[nodiscard]] std::uint64_t queues() const {
    QueueChecksum sum;
    for (Book book = 0; book < plan_.spec.symbols; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Levels& levels = at(book, side);
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
          for (OrderNumber number = level->first; number != none; number = orders_[number].next) {
            sum.add(book, side, level->price, orders_[number].id, orders_[number].quantity);
          }
        }
      }
    }
    return sum.value();
  }

  MarketPlan plan_;
  std::vector<Levels> sides_;  // the bids of book 0, its asks, the bids of book 1 ...
  std::vector<Order> orders_;
  std::vector<OrderNumber> live_;     // all resting orders, unsorted
  std::array<std::uint64_t, 2> level_count_{};
  OrderId last_id_ = 0;
  Digest digest_;
  MarketCensus* window_ = nullptr;  // the census of the open window, if any
};

}  // namespace llmes::bench
