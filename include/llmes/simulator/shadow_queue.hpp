// SPDX-License-Identifier: MIT
//
// Hypothetical orders: when each comes and goes, and its place in its level.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/replay.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A hypothetical order.
struct ShadowOrder {
  static constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

  Nanoseconds time = 0;             ///< when it is sent; before the tape begins: when it does
  Nanoseconds cancel_time = never;  ///< when its cancel is sent; before `time`: then
  Price price = 0;
  Quantity quantity = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
};

namespace detail {

/// In the place of a strategy's side of a simulation, which calls what is public here.
class ShadowQueue {
 public:
  explicit ShadowQueue(const Replay& replay) : replay_(replay), books_(replay.market.book_count()) {}

  [[nodiscard]] bool is_ready() const noexcept { return true; }
  [[nodiscard]] Nanoseconds due() const noexcept {
    return next_ < agenda_.size() ? agenda_[next_].time : ShadowOrder::never;
  }
  [[nodiscard]] bool watches(BookNumber book) const noexcept { return books_[book].resting != 0; }
  [[nodiscard]] bool may_have(const RestingOrder&, BookNumber) const noexcept { return true; }
  [[nodiscard]] bool sees(BookNumber, const OrderChange&) const noexcept { return false; }
  [[nodiscard]] std::span<const BookNumber> subscribed() const noexcept { return {}; }
  void be_at(Nanoseconds) noexcept {}
  void show(BookNumber, const MarketEvent&) noexcept {}
  void show_trade(BookNumber, const MarketEvent&, Price, Side) noexcept {}
  void on_clear(BookNumber, Side, Nanoseconds) noexcept {}
  void finish() noexcept {}

 protected:
  static constexpr std::uint32_t none = no_order;

  struct Due {
    Nanoseconds time;
    std::uint64_t what;  ///< twice the number of the order, and one more for its cancel

    [[nodiscard]] std::uint32_t order() const noexcept { return static_cast<std::uint32_t>(what / 2); }
    [[nodiscard]] bool is_cancel() const noexcept { return what % 2 == 1; }
    friend auto operator<=>(const Due&, const Due&) = default;
  };
  struct Level {
    Price price;
    std::uint32_t first;
    std::uint32_t last;
  };
  using Levels = std::vector<Level>;  ///< the best first

  void place(std::vector<ShadowOrder>&& orders) {
    orders_ = std::move(orders);
    links_.resize(orders_.size());
    agenda_.reserve(2 * orders_.size());
  }
  [[nodiscard]] const ShadowOrder& order(std::uint32_t i) const noexcept { return orders_[i]; }
  [[nodiscard]] std::uint64_t stamp(std::uint32_t i) const noexcept { return links_[i].stamp; }

  /// Plans the pass, whose first event is at `time`. Calls `refuse(i, status)` for an order that is wrong.
  template <class Refuse>
  void plan(Nanoseconds time, const Refuse& refuse) {
    for (std::uint32_t i = 0; i < orders_.size(); ++i) {
      const ShadowOrder& order = orders_[i];
      const SendStatus status =
          replay_.check(order.book, order.side, order.price, order.quantity, order.time_in_force);
      if (status != SendStatus::Success) {
        refuse(i, status);
        continue;
      }
      const Latencies& latencies = replay_.config.latencies;
      const Nanoseconds sent = std::max(order.time, time);
      const Nanoseconds arrival = later(sent, latencies.entry.of(i));
      agenda_.push_back({arrival, 2 * std::uint64_t{i}});
      if (order.cancel_time == ShadowOrder::never) continue;
      // A cancel does not overtake its order.
      const Nanoseconds cancel = later(std::max(order.cancel_time, sent), latencies.cancel.of(i));
      agenda_.push_back({std::max(arrival, cancel), 2 * std::uint64_t{i} + 1});
    }
    detail::sort(agenda_);
  }
  [[nodiscard]] Due next() noexcept { return agenda_[next_++]; }

  [[nodiscard]] Levels& levels(BookNumber book, Side side) noexcept {
    return books_[book].sides[static_cast<std::size_t>(side)];
  }
  /// An order rests, as the youngest of its level.
  void rest(std::uint32_t i, std::uint64_t stamp) {
    const ShadowOrder& order = orders_[i];
    Levels& side = levels(order.book, order.side);
    auto level = level_at(side, order.side, order.price);
    if (level == side.end() || level->price != order.price) level = side.insert(level, {order.price, none, none});
    links_[i] = {stamp, level->last, none};
    (level->last == none ? level->first : links_[level->last].behind) = i;
    level->last = i;
    ++books_[order.book].resting;
  }
  /// A resting order leaves.
  void leave(std::uint32_t i) {
    Levels& side = levels(orders_[i].book, orders_[i].side);
    const auto level = level_at(side, orders_[i].side, orders_[i].price);
    unlink(*level, i);
    if (level->first == none) side.erase(level);
  }

  /// Calls `visit(level, i)` with the orders of the levels from `best` to `worst`, of each level the oldest first
  /// while it returns true. Those that are done then leave: `is_done(i)`.
  template <class Visit, class IsDone>
  void for_levels(BookNumber book, Side side, Price best, Price worst, const Visit& visit, const IsDone& is_done) {
    Levels& all = levels(book, side);
    bool has_empty = false;
    for (auto level = level_at(all, side, best); level != all.end(); ++level) {
      if (is_better(side, worst, level->price)) break;
      for (std::uint32_t i = level->first; i != none;) {
        const std::uint32_t behind = links_[i].behind;
        if (!visit(*level, i)) break;
        if (is_done(i)) unlink(*level, i);
        i = behind;
      }
      has_empty |= level->first == none;
    }
    if (has_empty) std::erase_if(all, [](const Level& level) { return level.first == none; });
  }

  const Replay& replay_;

 private:
  /// An order's place in its level.
  struct Links {
    std::uint64_t stamp = 0;  ///< how many messages there were when it came
    std::uint32_t before = none;
    std::uint32_t behind = none;
  };
  struct Book {
    std::array<Levels, 2> sides{};
    std::size_t resting = 0;
  };

  /// The level of a price, or where it belongs.
  [[nodiscard]] static Levels::iterator level_at(Levels& levels, Side side, Price price) noexcept {
    return detail::partition_point(levels,
                                   [&](const Level& level) { return is_better(side, level.price, price); });
  }
  /// Its level stays, if need be empty.
  void unlink(Level& level, std::uint32_t i) noexcept {
    const Links& one = links_[i];
    (one.before == none ? level.first : links_[one.before].behind) = one.behind;
    (one.behind == none ? level.last : links_[one.behind].before) = one.before;
    --books_[orders_[i].book].resting;
  }

  std::vector<ShadowOrder> orders_;
  std::vector<Links> links_;  ///< by order
  std::vector<Book> books_;
  std::vector<Due> agenda_;  ///< sorted
  std::size_t next_ = 0;
};

}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
