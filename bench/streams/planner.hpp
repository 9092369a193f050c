// SPDX-License-Identifier: MIT
//
// Plays the stream on a book while it is planned. So a workload can query the touch and the resting orders, and
// planning also makes the census and the expected digest.
//
// The prices of most workloads lie in a band. Those of others may be any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/streams/plan.hpp"
#include "bench/streams/random.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// The orders at each price of a band, and the book for such prices.
class LevelsOfBand {
 public:
  static constexpr std::size_t band_max = 262'144;
  using Book = OrderBook<band_max>;

  LevelsOfBand(Price base_price, std::size_t price_levels) : base_price_(base_price), levels_(price_levels) {}

  /// About the memory of these and of a book.
  [[nodiscard]] static double bytes(std::size_t capacity) {
    constexpr double bytes_a_slot = 32;
    return bytes_a_slot * static_cast<double>(capacity + 2 * band_max);
  }

  [[nodiscard]] Price clamp(Price price) const {
    return std::clamp(price, base_price_, base_price_ + static_cast<Price>(levels_.size()) - 1);
  }
  /// Null if no order rests there.
  [[nodiscard]] const std::vector<OrderNumber>* find(Price price) const {
    if (price != clamp(price)) return nullptr;
    const std::vector<OrderNumber>& level = levels_[index_of(price)];
    return level.empty() ? nullptr : &level;
  }
  std::vector<OrderNumber>& at(Price price) { return levels_[index_of(price)]; }
  /// The level there has lost its last order.
  void emptied(Price) {}

 private:
  [[nodiscard]] std::size_t index_of(Price price) const { return static_cast<std::size_t>(price - base_price_); }

  Price base_price_;
  std::vector<std::vector<OrderNumber>> levels_;
};

/// The same without a band.
class LevelsAnywhere {
 public:
  using Book = AnyPriceBook<>;

  LevelsAnywhere(Price, std::size_t) {}

  [[nodiscard]] static double bytes(std::size_t capacity) {
    return static_cast<double>(Book::memory_bytes(capacity));
  }

  [[nodiscard]] static Price clamp(Price price) { return price; }
  [[nodiscard]] const std::vector<OrderNumber>* find(Price price) const {
    const auto found = levels_.find(price);
    return found == levels_.end() ? nullptr : &found->second;
  }
  std::vector<OrderNumber>& at(Price price) { return levels_[price]; }
  void emptied(Price price) { levels_.erase(price); }

 private:
  std::unordered_map<Price, std::vector<OrderNumber>> levels_;  // none is empty
};

template <class Levels>
class PlannerOver {
 public:
  /// How many events a stretch can be longer than asked: those of the largest cluster of cancels.
  static constexpr std::size_t excess_max = 64;

  // ---- How much memory a plan takes.

  /// At most.
  [[nodiscard]] static double event_count(const PlanSpec& spec) {
    return seed_orders(spec) + static_cast<double>(spec.warm_up + excess_max) +
           static_cast<double>(spec.batches) * static_cast<double>(spec.rewarm + spec.batch + 2 * excess_max);
  }
  /// Every seed is an order, and about half of all other events.
  [[nodiscard]] static double order_count(const PlanSpec& spec) {
    return seed_orders(spec) + 0.6 * (event_count(spec) - seed_orders(spec));
  }
  /// Of the plan, which stays.
  [[nodiscard]] static double plan_bytes(const PlanSpec& spec) {
    return static_cast<double>(sizeof(Event)) *
           (event_count(spec) + (spec.snapshots ? static_cast<double>(spec.batches * spec.standing) : 0));
  }
  /// Of the planner, which goes when the plan is made.
  [[nodiscard]] static double transient_bytes(const PlanSpec& spec) {
    return sizeof(Order) * order_count(spec) + Levels::bytes(capacity_max(spec));
  }

  PlannerOver(const PlanSpec& spec, Price base_price, std::size_t price_levels)
      : random(spec.seed),
        book_(Levels::Book::create({base_price, capacity_max(spec)}).value()),
        levels_(base_price, price_levels) {
    // Growing step by step would take twice the memory for a while.
    plan_.events.reserve(static_cast<std::size_t>(event_count(spec)));
    orders_.reserve(static_cast<std::size_t>(order_count(spec)));
    plan_.spec = spec;
    plan_.base_price = base_price;
    plan_.price_levels = price_levels;
    plan_.ids = {spec.ids.value_or(Ids::Numbers), static_cast<std::size_t>(order_count(spec)), spec.seed};
    // A scan visits half of the book, so this many events make the window of a scanning book about as long as
    // others.
    plan_.short_batch = std::clamp<std::size_t>(20'000'000 / (spec.standing + 1),
                                                std::min<std::size_t>(200, spec.batch), spec.batch);
  }

  Random random;

  // ---- Questions of the workload.

  [[nodiscard]] std::size_t now() const { return plan_.events.size(); }
  [[nodiscard]] std::size_t resting() const { return book_.size(); }
  [[nodiscard]] std::optional<Price> best(Side side) const {
    return side == Side::Buy ? book_.best_bid() : book_.best_ask();
  }
  [[nodiscard]] bool rests(OrderNumber order) const { return orders_[order].resting; }
  [[nodiscard]] Side side(OrderNumber order) const { return orders_[order].side; }
  [[nodiscard]] Price price(OrderNumber order) const { return orders_[order].price; }
  /// Open lots; 0 once the order is gone.
  [[nodiscard]] Quantity quantity(OrderNumber order) const {
    const std::optional<RestingOrder> found = book_.find(orders_[order].handle);
    return found ? found->quantity : 0;
  }
  [[nodiscard]] OrderNumber order_count() const { return static_cast<OrderNumber>(orders_.size()); }
  [[nodiscard]] Price clamp(Price price) const { return levels_.clamp(price); }
  /// The total of the best `levels` levels of a side.
  [[nodiscard]] Quantity total(Side side, std::size_t levels) const {
    std::array<DepthLevel, 8> depth;
    const std::size_t count = book_.depth(side, std::span(depth).first(levels));
    Quantity sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += depth[i].quantity;
    return sum;
  }

  /// Any resting order, all equally likely; there must be one.
  OrderNumber any_order() { return live_[random.below(live_.size())]; }

  /// A resting order within `ticks` of the best price of `side`, by a level and an order drawn at random.
  std::optional<OrderNumber> order_near_touch(Side side, std::uint64_t ticks) {
    const std::optional<Price> touch = best(side);
    if (!touch) return std::nullopt;
    const auto away = static_cast<Price>(random.below(ticks + 1));
    for (Price step = away; step >= 0; --step) {  // the touch itself is never empty
      const Price price = side == Side::Buy ? *touch - step : *touch + step;
      const std::vector<OrderNumber>* level = levels_.find(price);
      if (level != nullptr) return (*level)[random.below(level->size())];
    }
    return std::nullopt;
  }

  // ---- Events. Each call adds one event and plays it.

  OrderNumber add(Side side, Price price, Quantity quantity, TimeInForce time_in_force) {
    const OrderNumber order = order_count();
    orders_.push_back({.side = side, .price = price});
    play({price, quantity, order, CommandType::AddLimit, side, time_in_force});
    return order;
  }
  void market(Side side, Quantity quantity) {
    const OrderNumber order = order_count();
    orders_.push_back({.side = side});
    play({0, quantity, order, CommandType::AddMarket, side, {}});
  }
  void cancel(OrderNumber order) { play({0, 0, order, CommandType::Cancel, {}, {}}); }
  void modify(OrderNumber order, Price price, Quantity quantity) {
    play({price, quantity, order, CommandType::Modify, {}, {}});
  }

  // ---- The frame of batches, for `plan`.

  /// Starts a batch: the events up to `start_window` are replayed untimed.
  void start_batch() {
    plan_.batches.emplace_back();
    plan_.batches.back().rewarm_begin = now();
  }
  void start_window() {
    Batch& batch = plan_.batches.back();
    batch.begin = now();
    batch.census.touch_min = std::numeric_limits<Price>::max();
    batch.census.touch_max = std::numeric_limits<Price>::min();
    if (plan_.spec.snapshots) batch.snapshot = snapshot();
    count_outside(batch.census);
    digest_ = {};
    window_ = &batch.census;
  }
  void end_window() {
    Batch& batch = plan_.batches.back();
    batch.end = now();
    batch.expected = digest_;
    batch.census.fills = digest_.fills;
    batch.resting_end = resting();
    window_ = nullptr;
  }
  Plan finish() && {
    plan_.order_count = orders_.size();
    if (plan_.order_count > plan_.ids.size()) throw std::length_error("the plan has more orders than ids");
    return std::move(plan_);
  }

 private:
  struct Order {
    OrderHandle handle{};
    Side side = Side::Buy;
    bool resting = false;
    Price price = 0;
    std::size_t rested_at = 0;       // the event since which it rests
    std::size_t queued_at = 0;       // the event that gave it its time priority
    std::size_t index_live = 0;      // its place in `live_`
    std::size_t index_at_price = 0;  // its place on its level
  };

  static double seed_orders(const PlanSpec& spec) {
    return static_cast<double>(std::max<std::size_t>(5000, spec.standing));
  }
  /// Room for all orders that a workload lets rest at once.
  static std::size_t capacity_max(const PlanSpec& spec) { return 4 * spec.standing + 100'000; }

  void play(const Event& event) {
    plan_.events.push_back(event);
    if (window_ != nullptr) observe(event);

    Order& order = orders_[event.order];
    const bool keeps_place = event.type == CommandType::Modify && order.resting && event.price == order.price &&
                             event.quantity <= quantity(event.order);
    // Here an order's number is its id.
    const auto sink = [&](Trade trade) {
      const auto maker = static_cast<OrderNumber>(trade.maker_id);
      if (trade.maker_remaining == 0) leave(maker);
      trade.maker_id = plan_.ids.id_of(maker);
      digest_(trade);
    };
    const std::array<std::optional<Price>, 2> touch{best(Side::Buy), best(Side::Sell)};
    const Result result = book_.apply(
        {{event.order, order.handle}, event.price, event.quantity, event.type, event.side, event.time_in_force},
        sink);
    digest_.count(result.status);

    const bool rests = result.handle != OrderHandle{};
    if (order.resting && result.status == Status::Success && !keeps_place) {  // cancelled or moved
      leave_level(event.order);
      if (rests) {
        order.price = event.price;
        order.queued_at = now();
        enter_level(event.order);
      } else {
        end_life(event.order);
      }
    } else if (event.type == CommandType::AddLimit && rests) {
      order.handle = result.handle;
      order.queued_at = now();
      begin_life(event.order);
      enter_level(event.order);
    }
    plan_.capacity = std::max(plan_.capacity, resting());
    if (window_ != nullptr) {
      window_->rested += event.type == CommandType::AddLimit && rests;
      count_jumps(*window_, touch);
      if (now() - plan_.batches.back().begin == plan_.short_batch) {
        plan_.batches.back().expected_short = digest_;
      }
    }
  }

  void observe(const Event& event) {
    Census& census = *window_;
    ++census.events;
    const Order& order = orders_[event.order];
    const bool follows = event.type != CommandType::AddLimit && event.type != CommandType::AddMarket;
    const std::size_t wait = now() - order.rested_at;  // since its add; of no meaning for an add
    switch (event.type) {
      case CommandType::AddLimit:
        ++census.adds;
        census.immediate += event.time_in_force == TimeInForce::ImmediateOrCancel;
        break;
      case CommandType::AddMarket: ++census.markets; break;
      case CommandType::Cancel: ++census.cancels; break;
      default: ++census.modifies; break;
    }
    census.at_once += follows && wait == 1;
    census.within_four += follows && wait <= 4;
    census.misses += follows && !order.resting;
    census.resting_sum += resting();
    census.resting_peak = std::max<std::uint64_t>(census.resting_peak, resting());
    census.bid_levels_sum += level_count_[0];
    census.ask_levels_sum += level_count_[1];
    census.one_sided += level_count_[0] == 0 || level_count_[1] == 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> touch = best(side);
      if (!touch) continue;
      census.touch_min = std::min(census.touch_min, *touch);
      census.touch_max = std::max(census.touch_max, *touch);
    }
  }

  /// How far the best prices are from where they were.
  void count_jumps(Census& census, const std::array<std::optional<Price>, 2>& before) const {
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> was = before[static_cast<std::size_t>(side)];
      const std::optional<Price> is = best(side);
      if (!was || !is) continue;
      const Price jump = std::abs(*is - *was);
      census.jumps_64 += jump > 64;
      census.jumps_4096 += jump > 4096;
      census.jump_max = std::max(census.jump_max, jump);
    }
  }

  /// Counts the orders that rest outside of bands with the touch in their middle.
  void count_outside(Census& census) const {
    const std::optional<Price> bid = best(Side::Buy);
    const std::optional<Price> ask = best(Side::Sell);
    const Price mid = (bid.value_or(ask.value_or(0)) + ask.value_or(bid.value_or(0))) / 2;
    for (const OrderNumber number : live_) {
      const Price away = std::abs(price(number) - mid);
      ++census.located;
      census.outside_4096 += away > 4096 / 2;
      census.outside_65536 += away > 65'536 / 2;
    }
  }

  /// A maker is filled completely.
  void leave(OrderNumber number) {
    leave_level(number);
    end_life(number);
  }

  void begin_life(OrderNumber number) {
    Order& order = orders_[number];
    order.resting = true;
    order.rested_at = now();
    order.index_live = live_.size();
    live_.push_back(number);
  }
  void end_life(OrderNumber number) {
    Order& order = orders_[number];
    order.resting = false;
    orders_[live_.back()].index_live = order.index_live;
    remove_by_swap(live_, order.index_live);
    if (window_ == nullptr) return;
    window_->lifetime_sum += now() - order.rested_at;
    ++window_->lifetime_count;
  }

  void enter_level(OrderNumber number) {
    Order& order = orders_[number];
    std::vector<OrderNumber>& level = levels_.at(order.price);
    if (level.empty()) {
      ++level_count_[static_cast<std::size_t>(order.side)];
      if (window_ != nullptr) ++window_->levels_opened;
    }
    order.index_at_price = level.size();
    level.push_back(number);
  }
  void leave_level(OrderNumber number) {
    const Order& order = orders_[number];
    std::vector<OrderNumber>& level = levels_.at(order.price);
    orders_[level.back()].index_at_price = order.index_at_price;
    remove_by_swap(level, order.index_at_price);
    if (!level.empty()) return;
    levels_.emptied(order.price);
    --level_count_[static_cast<std::size_t>(order.side)];
    if (window_ != nullptr) ++window_->levels_emptied;
  }
  static void remove_by_swap(std::vector<OrderNumber>& numbers, std::size_t index) {
    numbers[index] = numbers.back();
    numbers.pop_back();
  }

  [[nodiscard]] std::vector<Event> snapshot() const {
    std::vector<OrderNumber> numbers = live_;
    std::sort(numbers.begin(), numbers.end(),
              [&](OrderNumber a, OrderNumber b) { return orders_[a].queued_at < orders_[b].queued_at; });
    std::vector<Event> adds;
    adds.reserve(numbers.size());
    for (const OrderNumber number : numbers) {
      const Order& order = orders_[number];
      adds.push_back({order.price, quantity(number), number, CommandType::AddLimit, order.side, {}});
    }
    return adds;
  }

  Plan plan_;
  typename Levels::Book book_;
  std::vector<Order> orders_;
  std::vector<OrderNumber> live_;  // all resting orders, unsorted
  Levels levels_;
  std::array<std::uint64_t, 2> level_count_{};  // occupied levels of each side
  Digest digest_;
  Census* window_ = nullptr;  // the census of the open window, if any
};

using Planner = PlannerOver<LevelsOfBand>;
using AnyPricePlanner = PlannerOver<LevelsAnywhere>;

/// Plans the stream of a flow: `seed` fills the book, and each `step` plays one or more events. Throws
/// std::invalid_argument for a batch of 0 events.
template <class Flow, class... Band>
[[nodiscard]] Plan plan(const PlanSpec& spec, Band... band) {
  if (spec.batch == 0) throw std::invalid_argument("a batch needs at least one event");
  Flow flow(spec, band...);
  auto& planner = flow.planner();
  const auto play = [&](std::size_t events) {
    // One step can make several events, so a stretch can be slightly longer than asked.
    for (const std::size_t end = planner.now() + events; planner.now() < end;) flow.step();
  };
  flow.seed();
  play(spec.warm_up);
  for (std::size_t i = 0; i < spec.batches; ++i) {
    planner.start_batch();
    play(spec.rewarm);
    planner.start_window();
    play(spec.batch);
    planner.end_window();
  }
  return std::move(planner).finish();
}

}  // namespace llmes::bench
