// SPDX-License-Identifier: MIT
//
// Random sequences of operations. They are planned with the oracle, so that most calls meet an order, and are the
// same whichever book replays them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "llmes/book/order_book.hpp"
#include "tests/support/band_offsets.hpp"
#include "tests/support/operation.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// What a random stream is like.
struct Profile {
  enum class Prices { NearMid, OneLevelPerSide, Anywhere, Boundaries };
  enum class Quantities { Small, Huge };

  const char* name;
  std::size_t operation_count;
  std::size_t capacity;
  Prices prices;
  Quantities quantities;
  std::size_t standing;        ///< resting orders above which more leave than arrive
  unsigned without_trade = 0;  ///< share of the calls for limit orders that never trade, in percent
};

inline constexpr Profile near_prices{
    "NearPrices", 1'500, 64, Profile::Prices::NearMid, Profile::Quantities::Small, 40};
inline constexpr Profile nearly_full_pool{"NearlyFullPool",           1'500, 5, Profile::Prices::NearMid,
                                          Profile::Quantities::Small, 5};
inline constexpr Profile deep_level{
    "DeepLevel", 1'000, 400, Profile::Prices::OneLevelPerSide, Profile::Quantities::Small, 150};
inline constexpr Profile wide_prices{
    "WidePrices", 1'000, 200, Profile::Prices::Anywhere, Profile::Quantities::Small, 80};
inline constexpr Profile word_boundaries{"WordBoundaries",           1'500, 100, Profile::Prices::Boundaries,
                                         Profile::Quantities::Small, 30};
inline constexpr Profile huge_quantities{"HugeQuantities",          1'500, 64, Profile::Prices::NearMid,
                                         Profile::Quantities::Huge, 30};
inline constexpr Profile crossed{"Crossed", 1'500, 64, Profile::Prices::NearMid, Profile::Quantities::Small,
                                 40,        40};
inline constexpr Profile crossed_full_pool{"CrossedFullPool",          1'500, 5, Profile::Prices::NearMid,
                                           Profile::Quantities::Small, 5,     40};
inline constexpr Profile crossed_huge_quantities{
    "CrossedHugeQuantities", 1'500, 64, Profile::Prices::OneLevelPerSide, Profile::Quantities::Huge, 30, 40};
inline constexpr std::array profiles{near_prices, nearly_full_pool,  deep_level,
                                     wide_prices, word_boundaries,   huge_quantities,
                                     crossed,     crossed_full_pool, crossed_huge_quantities};

/// Draws one number at a time, each in a statement of its own where another follows: compilers may evaluate the
/// arguments of a call in any order, and a seed must mean the same stream on all of them.
class StreamPlanner {
 public:
  StreamPlanner(const Profile& profile, const BookConfig& config, std::size_t price_levels, std::uint64_t seed)
      : profile_(profile),
        base_(config.base_price),
        last_offset_(static_cast<std::int64_t>(price_levels) - 1),
        mid_(last_offset_ / 2),
        boundaries_(boundary_offsets(price_levels)),
        oracle_(base_, price_at(base_, last_offset_), config.capacity, config.quantity_max),
        random_(seed) {}

  std::vector<Operation> plan() {
    std::vector<Operation> operations;
    while (operations.size() < profile_.operation_count) {
      Operation operation = next_operation();
      if (profile_.without_trade > 0 && random_.chance(profile_.without_trade)) forbid_trades(operation);
      while (random_.chance(5)) spoil(operation);
      if (random_.chance(30)) operation = operation.as_command();
      note(operation);
      operations.push_back(operation);
    }
    return operations;
  }

 private:
  Operation next_operation() {
    if (random_.chance(2)) move_mid();
    const bool crowded = oracle_.size() > profile_.standing;
    const std::uint64_t add_share = crowded ? 25 : 70;
    const std::uint64_t kind = random_.below(100);
    if (kind < add_share) return next_add();
    if (kind < add_share + 3) return next_market();
    const std::uint64_t leaving = random_.below(100);
    if (leaving < 40) return cancel(some_order());
    if (leaving < 70) return next_modify();
    if (leaving < 85) return next_replace();
    return next_reduce();
  }

  Operation next_add() {
    const OrderId order = new_order();
    const Side side = this->side();
    const Price price = this->price(side);
    const Quantity sweep = random_.chance(5) ? 10 : 1;
    const Quantity quantity = sweep * this->quantity();
    return add_limit(order, side, price, quantity, time_in_force());
  }

  Operation next_market() {
    const OrderId order = new_order();
    const Side side = this->side();
    return add_market(order, side, quantity());
  }

  Operation next_reduce() {
    const OrderId order = some_order();
    return reduce(order, quantity());
  }

  /// Half of all modifies stay at the order's price, where what matters is by how much the quantity changes.
  Operation next_modify() {
    const OrderId order = some_order();
    const auto resting = oracle_.find(OrderHandle::from_value(order));
    const Quantity lots = resting && random_.chance(30) ? resting->quantity : quantity();
    const TimeInForce kind = random_.chance(60) ? TimeInForce::GoodTillCancel : time_in_force();
    if (resting && random_.chance(50)) return modify(order, resting->price, lots, kind);
    return modify(order, price(resting ? resting->side : side()), lots, kind);
  }

  /// A replace differs from a modify where the order could keep its place, so many stay at the order's price.
  Operation next_replace() {
    Operation operation = next_modify();
    operation.type = CommandType::Replace;
    operation.new_order = random_.chance(20) ? operation.order : new_order();
    return operation;
  }

  /// Makes it the same call without a trade, if there is one; an add now and then one in front of another order.
  void forbid_trades(Operation& operation) {
    switch (operation.type) {
      case CommandType::AddLimit:
        if (random_.chance(25)) {
          const OrderId order = operation.order;
          operation = add_resting_before(some_order(), order, operation.quantity);
        } else {
          operation.type = CommandType::AddResting;
        }
        break;
      case CommandType::Modify: operation.type = CommandType::ModifyResting; break;
      case CommandType::Replace: operation.type = CommandType::ReplaceResting; break;
      default: return;
    }
    operation.time_in_force = TimeInForce::GoodTillCancel;
  }

  /// Makes the operation a bad or an extreme one, or a worse one.
  void spoil(Operation& operation) {
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    switch (random_.below(10)) {
      case 0: operation.quantity = 0; break;
      case 1: operation.quantity = std::numeric_limits<Quantity>::max(); break;
      case 2: operation.price = random_.chance(50) ? lowest : highest; break;
      case 3: operation.price = price_at(base_, random_.chance(50) ? -1 : last_offset_ + 1); break;
      case 4: operation.side = static_cast<Side>(2 + random_.below(254)); break;
      case 5: operation.time_in_force = static_cast<TimeInForce>(4 + random_.below(252)); break;
      case 6: operation = of_type(static_cast<int>(command_types + random_.below(256 - command_types))); break;
      case 7: operation.flip = std::uint64_t{1} << random_.below(64); break;
      case 8: go_beyond_the_band(operation); break;
      default: operation.flip = random_.next(); break;
    }
  }

  /// Gives an order that may not rest a price beyond the band, near it or far from it.
  void go_beyond_the_band(Operation& operation) {
    operation.time_in_force = random_.chance(50) ? TimeInForce::ImmediateOrCancel : TimeInForce::FillOrKill;
    const bool above = random_.chance(50);
    const std::int64_t distance = 1 + random_offset(random_.chance(50) ? 3 : 1'000'000);
    operation.price = price_at(base_, above ? last_offset_ + distance : -distance);
  }

  /// Keeps the oracle, and with it the choice of orders, in step with the plan.
  void note(const Operation& operation) {
    const Oracle::Outcome outcome =
        oracle_.apply(to_command(operation, OrderHandle::from_value(operation.order ^ operation.flip)));
    if (operation.makes_order() && outcome.status == Status::Success && outcome.remaining > 0) {
      oracle_.name_newest(OrderHandle::from_value(operation.made()));
    }
  }

  /// A label for an order to add: a new one, or now and then one whose order is gone.
  OrderId new_order() {
    if (orders_ > 0 && random_.chance(5)) {
      const OrderId used = 1 + random_.below(orders_);
      if (!oracle_.find(OrderHandle::from_value(used))) return used;
    }
    return ++orders_;
  }

  /// An order to cancel or change: one that rests, mostly.
  OrderId some_order() {
    if (oracle_.size() > 0 && random_.chance(90)) return oracle_.resting()[random_.below(oracle_.size())].id;
    return random_.below(orders_ + 3);
  }

  Side side() { return random_.chance(50) ? Side::Buy : Side::Sell; }

  void move_mid() {
    switch (profile_.prices) {
      case Profile::Prices::NearMid:
      case Profile::Prices::OneLevelPerSide:
        mid_ = std::clamp<std::int64_t>(mid_ + random_offset(7) - 3, 0, last_offset_);
        break;
      case Profile::Prices::Anywhere: mid_ = random_offset(last_offset_ + 1); break;
      case Profile::Prices::Boundaries: mid_ = boundaries_[random_.below(boundaries_.size())]; break;
    }
  }

  /// A price on the side's own half of the band, where most orders come to rest; one in six lies on the other
  /// half.
  Price price(Side side) {
    const bool low_half = (side == Side::Buy) != (random_.below(6) == 0);
    switch (profile_.prices) {
      case Profile::Prices::NearMid: {
        const std::int64_t distance = 1 + random_offset(4);
        return price_at(base_, low_half ? mid_ - distance : mid_ + distance);
      }
      case Profile::Prices::OneLevelPerSide: return price_at(base_, low_half ? mid_ - 1 : mid_ + 1);
      case Profile::Prices::Anywhere:
        return price_at(base_, low_half ? random_offset(mid_ + 1) : mid_ + random_offset(last_offset_ - mid_ + 1));
      case Profile::Prices::Boundaries: {
        const auto middle = std::upper_bound(boundaries_.begin(), boundaries_.end(), mid_) - boundaries_.begin();
        const auto count = static_cast<std::int64_t>(boundaries_.size());
        const std::int64_t place =
            low_half ? random_offset(middle) : std::min(middle + random_offset(count - middle + 1), count - 1);
        return price_at(base_, boundaries_[static_cast<std::size_t>(place)]);
      }
    }
    return base_;
  }

  std::int64_t random_offset(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }

  Quantity quantity() {
    if (profile_.quantities == Profile::Quantities::Small || random_.chance(30)) return 1 + random_.below(10);
    const Quantity step = random_.below(3);
    switch (random_.below(3)) {
      case 0: return std::numeric_limits<Quantity>::max() - step;
      case 1: return (Quantity{1} << 63) + step;
      default: return (Quantity{1} << 63) - step;
    }
  }

  TimeInForce time_in_force() {
    const std::uint64_t kind = random_.below(100);
    if (kind < 64) return TimeInForce::GoodTillCancel;
    if (kind < 76) return TimeInForce::PostOnly;
    if (kind < 88) return TimeInForce::ImmediateOrCancel;
    return TimeInForce::FillOrKill;
  }

  Profile profile_;
  Price base_;
  std::int64_t last_offset_;
  std::int64_t mid_;
  std::vector<std::int64_t> boundaries_;
  Oracle oracle_;
  Random random_;
  OrderId orders_ = 0;
};

/// How many neighbouring prices a random stream for `Book` has: all of its band, or some that no window covers.
template <class Book>
inline constexpr std::size_t stream_width = Book::has_band ? Book::price_levels : 16'384;

/// A random stream for a band of `price_levels` prices.
inline std::vector<Operation> random_stream(const Profile& profile, const BookConfig& config,
                                            std::size_t price_levels, std::uint64_t seed) {
  return StreamPlanner(profile, config, price_levels, seed).plan();
}

}  // namespace llmes::test
