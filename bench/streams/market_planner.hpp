// SPDX-License-Identifier: MIT
//
// Keeps the books of a market while its stream is planned. So a workload can query touches and resting orders, and
// planning also makes the census, the expected digests and the final queues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/streams/market_books.hpp"
#include "bench/streams/market_plan.hpp"
#include "bench/streams/order_ids.hpp"
#include "bench/streams/random.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

class MarketPlanner {
 public:
  using Book = MarketBooks::Book;

  // ---- How much memory a plan takes.

  [[nodiscard]] static std::size_t message_count(const MarketSpec& spec) {
    return spec.standing + spec.warm_up + spec.batches * (spec.rewarm + spec.batch);
  }
  /// At most: every seed is an order, and about half of all other messages.
  [[nodiscard]] static std::size_t order_count(const MarketSpec& spec) {
    return spec.standing + (message_count(spec) - spec.standing) * 3 / 5 + 1'000;
  }

  explicit MarketPlanner(const MarketSpec& spec)
      : random(spec.seed), books_(spec.symbols, order_count(spec), 2 * spec.standing) {
    if (order_count(spec) >= MarketBooks::none) {
      throw std::invalid_argument("the plan has more orders than numbers");
    }
    plan_.spec = spec;
    plan_.requests.reserve(message_count(spec));
    rested_at_.reserve(order_count(spec));
  }

  Random random;

  [[nodiscard]] std::size_t now() const { return plan_.requests.size(); }
  [[nodiscard]] const MarketBooks& books() const { return books_; }

  // ---- Messages. Each call adds one message and plays it.

  /// `gap` is how much higher the reference is than the last one.
  void add(Book book, Side side, Price price, Quantity quantity, std::uint64_t gap) {
    watch_add(book, side, price);
    const OrderId id = last_id_ += gap;
    send(Request::add_resting(id, side, price, quantity), book, [&] { enter(book, side, price, quantity, id); });
  }
  void cancel(OrderNumber number) {
    const Order& order = books_.order(number);
    if (window_ != nullptr) ++window_->cancels;
    send(Request::cancel(order.id), order.book, [&] { leave(number); });
  }
  /// Reduces an order, or removes it if nothing is left.
  void reduce(OrderNumber number, Quantity by) {
    const Order& order = books_.order(number);
    const bool all = by == order.quantity;
    if (window_ != nullptr) {
      ++window_->reduces;
      window_->taken_off += all;
    }
    send(Request::reduce(order.id, by), order.book, [&] { all ? leave(number) : books_.reduce(number, by); });
  }
  void replace(OrderNumber number, Price price, Quantity quantity, std::uint64_t gap) {
    const Order order = books_.order(number);
    if (window_ != nullptr) ++window_->replaces;
    const OrderId id = last_id_ += gap;
    send(Request::replace_resting(order.id, id, price, quantity), order.book, [&] {
      // In this order, the temporary need of a book for both levels is counted too.
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
    batch.resting_end = books_.resting();
    window_ = nullptr;
  }
  MarketPlan finish() && {
    find_activity();
    plan_.levels = books_.levels_max();
    plan_.final_queues = books_.queues();
    return std::move(plan_);
  }

 private:
  using Order = MarketBooks::Order;

  template <class Play>
  void send(const Request& request, Book book, Play play) {
    if (window_ != nullptr) observe(book);
    plan_.requests.push_back({request, book});
    play();
    plan_.capacity = std::max(plan_.capacity, books_.resting());
    fold_best(digest_, books_.best(book, Side::Buy), books_.best(book, Side::Sell));
  }

  void watch_add(Book book, Side side, Price price) {
    if (window_ == nullptr) return;
    ++window_->adds;
    const std::optional<Price> touch = books_.best(book, side);
    if (!touch) return;
    const bool is_near = price - *touch <= 64 && *touch - price <= 64;
    ++(is_near ? window_->near : window_->far);
  }
  void observe(Book book) {
    MarketCensus& census = *window_;
    ++census.events;
    census.resting_sum += books_.resting();
    census.resting_peak = std::max<std::uint64_t>(census.resting_peak, books_.resting());
    census.bid_levels_sum += books_.level_count(Side::Buy);
    census.ask_levels_sum += books_.level_count(Side::Sell);
    census.one_sided += !books_.best(book, Side::Buy) || !books_.best(book, Side::Sell);
    census.crossed += books_.is_crossed(book);
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> touch = books_.best(book, side);
      if (!touch) continue;
      census.touch_min = std::min(census.touch_min, *touch);
      census.touch_max = std::max(census.touch_max, *touch);
    }
  }

  void enter(Book book, Side side, Price price, Quantity quantity, OrderId id) {
    const std::size_t levels = books_.level_count(side);
    books_.enter(book, side, price, quantity, id);
    rested_at_.push_back(static_cast<std::uint32_t>(now()));
    if (window_ == nullptr) return;
    window_->levels_opened += books_.level_count(side) - levels;
    ++window_->rested;
  }

  void leave(OrderNumber number) {
    const Side side = books_.order(number).side;
    const std::size_t levels = books_.level_count(side);
    books_.leave(number);
    if (window_ == nullptr) return;
    window_->levels_emptied += levels - books_.level_count(side);
    window_->lifetime_sum += now() - rested_at_[number];
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

  MarketPlan plan_;
  MarketBooks books_;
  std::vector<std::uint32_t> rested_at_;  // by order: the message since which it rests
  OrderId last_id_ = 0;
  Digest digest_;
  MarketCensus* window_ = nullptr;  // the census of the open window, if any
};

}  // namespace llmes::bench
