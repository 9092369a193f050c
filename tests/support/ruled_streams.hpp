// SPDX-License-Identifier: MIT
//
// Random sequences of calls to books with rules: few owners, few prices and small quantities, so that most calls
// meet something. They are planned with the oracle, and are the same whichever book replays them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/ruled_operation.hpp"
#include "tests/support/rules_oracle.hpp"

namespace llmes::test {

/// What a random stream of calls with terms is like.
struct RuledProfile {
  const char* name;
  std::size_t operation_count;
  std::size_t capacity;
  std::size_t standing;        ///< resting orders above which more leave than arrive
  unsigned owners;             ///< how many there are beside nobody
  unsigned with_terms;         ///< share of the orders that have terms, in percent
  unsigned without_trade = 0;  ///< share of the calls for limit orders that never trade, in percent
  std::size_t levels = 5;      ///< the most prices on both sides together
  bool huge = false;           ///< whether quantities near the limits of 64 bits are frequent
};

inline constexpr RuledProfile ruled_profiles[] = {
    {"FewOwners", 1'200, 24, 14, 2, 90},         {"ManyOwners", 1'200, 48, 30, 6, 70},
    {"AlmostPlain", 1'200, 24, 14, 2, 4},        {"FullPool", 1'000, 4, 4, 2, 90, 20},
    {"Crossed", 1'200, 24, 14, 2, 90, 40},       {"OneQueue", 1'000, 40, 30, 3, 80, 30, 2},
    {"Huge", 1'200, 20, 10, 2, 90, 30, 3, true}, {"Auctions", 600, 48, 30, 3, 80, 100},
};

/// Whether a call is for a new order with the id of another one that rests. A book by handles has no meaning for
/// it.
inline bool takes_an_id(const RulesOracle& oracle, const RuledOperation& operation, OrderHandle handle) {
  if (!operation.call.makes_order()) return false;
  const OrderId id = operation.call.made();
  const RuledOrder* const replaced = replaces(operation.call.type) ? oracle.find(handle) : nullptr;
  if (replaced != nullptr && replaced->shown.id == id) return false;
  return std::ranges::any_of(oracle.resting(), [id](const RuledOrder& order) { return order.shown.id == id; });
}

/// An order of many lots that shows few at a time refills as often as there are peaks in it: no test waits for
/// that.
inline constexpr Quantity most_refills = 64;
/// `peak`: of the order that the call names, 0 if it has none.
inline bool refills_without_end(const RuledOperation& operation, Quantity peak) {
  const CommandType type = operation.call.type;
  if (adds(type) || replaces(type)) peak = operation.terms.display == Display::Reserve ? operation.terms.peak : 0;
  return (adds(type) || moves(type)) && peak > 0 && operation.call.quantity / peak > most_refills;
}
inline bool refills_without_end(const RulesOracle& oracle, const RuledOperation& operation, OrderHandle handle) {
  const RuledOrder* const order = oracle.find(handle);
  const bool refills = order != nullptr && order->display == Display::Reserve;
  return refills_without_end(operation, refills ? order->peak : 0);
}

/// Makes a call on the oracle. The view of a book does not know the orders of others.
inline RulesOracle::Outcome apply(RulesOracle& oracle, const RuledOperation& operation, OrderHandle handle) {
  RuledBookCommand command = to_command(operation, handle);
  const RuledOrder* const named = oracle.find(handle);
  const bool elsewhere = named != nullptr && named->book != operation.book;
  const bool has_view = operation.book < oracle.books();
  if (operation.way == Way::View && has_view && elsewhere) command.handle = {};
  return oracle.apply(command);
}

/// The price at which an auction ends.
inline Price price_of_auction(const RulesOracle& oracle, const RuledOperation& operation) {
  const std::optional<AuctionPrice> found = oracle.indicative(operation.book, operation.call.price);
  return found && operation.call.quantity == 0 ? found->price : operation.call.price;
}

class RuledPlanner {
 public:
  /// `prices`: where orders rest, the lowest first.
  RuledPlanner(const RuledProfile& profile, const RulesOracleConfig& config, std::vector<Price> prices,
               std::uint64_t seed)
      : profile_(profile), config_(config), prices_(std::move(prices)), oracle_(config), random_(seed) {
    if (prices_.size() > profile.levels) prices_.resize(profile.levels);
  }

  std::vector<RuledOperation> plan() {
    std::vector<RuledOperation> operations;
    while (operations.size() < profile_.operation_count) {
      RuledOperation operation = next();
      if (operation.what == RuledOperation::What::Call) {
        if (profile_.without_trade > 0 && random_.chance(profile_.without_trade)) forbid_trades(operation);
        while (random_.chance(4)) spoil(operation);
        bound_refills(operation);
      }
      operation.way = static_cast<Way>(random_.below(ways));
      note(operation);
      operations.push_back(operation);
    }
    return operations;
  }

 private:
  using What = RuledOperation::What;

  RuledOperation next() {
    RuledOperation operation;
    operation.book = static_cast<BookNumber>(random_.below(config_.books));
    const std::uint64_t rare = random_.below(200);
    if (rare < 5) return mass_cancel(operation);
    if (rare == 5) {
      operation.what = What::Clear;
      operation.call.side = side();
      return operation;
    }
    if (rare == 6) {
      operation.what = random_.chance(60) ? What::Recenter : What::Move;
      const auto up = static_cast<Price>(random_.below(80));
      operation.call.price = has_band() ? config_.price_min + up - 40 : up;
      return operation;
    }
    if (rare < 12) return auction(operation);
    operation.terms = terms();
    operation.call = next_call(operation);
    choose_display(operation);
    return operation;
  }

  Operation next_call(RuledOperation& operation) {
    const bool crowded = oracle_.size() > profile_.standing;
    const std::uint64_t add_share = crowded ? 30 : 70;
    const std::uint64_t kind = random_.below(100);
    if (kind < add_share) {
      const OrderId order = new_order();
      const Side side = this->side();
      const Price price = this->price(side);
      const Quantity quantity = (random_.chance(15) ? 6 : 1) * this->quantity();
      return add_limit(order, side, price, quantity, time_in_force(operation));
    }
    if (kind < add_share + 4) {
      const OrderId order = new_order();
      const Side side = this->side();
      return add_market(order, side, quantity());
    }
    const RuledOrder* const target = some_order();
    const OrderId label = target != nullptr ? target->shown.id : random_.below(orders_ + 3);
    const Side side = target != nullptr ? target->shown.side : this->side();
    if (target != nullptr && random_.chance(90)) operation.book = target->book;
    const std::uint64_t leaving = random_.below(100);
    if (leaving < 25) return cancel(label);
    if (leaving < 40) return reduce(label, quantity());
    const bool same_price = target != nullptr && random_.chance(50);
    const Price price = same_price ? target->shown.price : this->price(side);
    const bool same_total = target != nullptr && random_.chance(30);
    const Quantity quantity = same_total ? target->total() : this->quantity();
    const TimeInForce kept = random_.chance(60) ? TimeInForce::GoodTillCancel : time_in_force(operation);
    if (leaving < 75) return modify(label, price, quantity, kept);
    if (leaving < 82) return add_resting_before(label, new_order(), quantity);
    return replace(label, random_.chance(20) ? label : new_order(), price, quantity, kept);
  }

  /// One in two is for an owner, and those for a part of his orders are the more frequent.
  RuledOperation mass_cancel(RuledOperation operation) {
    operation.what = What::MassCancel;
    CancelScope& scope = operation.scope;
    scope.owner = random_.chance(75) ? owner() : 0;
    if (random_.chance(50)) scope.side = side();
    if (random_.chance(50)) scope.lowest = prices_[random_.below(prices_.size())];
    if (random_.chance(50)) scope.highest = prices_[random_.below(prices_.size())];
    if (config_.books > 1 && random_.chance(60)) scope.book = operation.book;
    const std::uint64_t bad = random_.below(40);
    if (bad == 0) scope.side = static_cast<Side>(2 + random_.below(254));
    if (bad == 1 && config_.books > 1) scope.book = static_cast<BookNumber>(config_.books + random_.below(3));
    return operation;
  }

  /// Mostly at the price that it finds.
  RuledOperation auction(RuledOperation operation) {
    operation.what = What::Auction;
    operation.call.price = price(side()) + static_cast<Price>(random_.below(3)) - 1;
    operation.call.quantity = random_.chance(25) ? 1 : 0;
    operation.terms.self_trade = random_.chance(50) ? SelfTrade::Decrement : SelfTrade::Allow;
    if (random_.chance(5)) operation.terms.self_trade = static_cast<SelfTrade>(random_.below(8));
    if (random_.chance(5))
      operation.call.price = std::numeric_limits<Price>::max() - static_cast<Price>(random_.below(2));
    if (random_.chance(5)) operation.call.price = std::numeric_limits<Price>::min();
    return operation;
  }

  OrderTerms terms() {
    OrderTerms terms;
    if (!random_.chance(profile_.with_terms)) return terms;
    terms.owner = random_.chance(80) ? owner() : 0;
    if (random_.chance(70)) terms.self_trade = static_cast<SelfTrade>(random_.below(5));
    return terms;
  }
  void choose_display(RuledOperation& operation) {
    const bool may = adds(operation.call.type) || replaces(operation.call.type);
    if (!may || !random_.chance(profile_.with_terms)) return;
    const TimeInForce time_in_force = operation.call.time_in_force;
    const bool rests = operation.call.type != CommandType::AddMarket && time_in_force <= TimeInForce::PostOnly;
    if (!rests || operation.call.quantity == 0) return;
    const std::uint64_t kind = random_.below(100);
    if (kind < 30) {
      operation.terms.display = Display::Reserve;
      operation.terms.peak = 1 + random_.below(std::min<Quantity>(operation.call.quantity, 4));
    } else if (kind < 42) {
      operation.terms.display = Display::Hidden;
    }
  }
  /// Sets a minimum where it may be one.
  TimeInForce time_in_force(RuledOperation& operation) {
    const std::uint64_t kind = random_.below(100);
    if (kind < 58) return TimeInForce::GoodTillCancel;
    if (kind < 68) return TimeInForce::PostOnly;
    if (kind < 80) return TimeInForce::FillOrKill;
    if (random_.chance(50)) operation.terms.minimum = 1 + random_.below(6);
    return TimeInForce::ImmediateOrCancel;
  }

  static void forbid_trades(RuledOperation& operation) {
    Operation& call = operation.call;
    switch (call.type) {
      case CommandType::AddLimit: call.type = CommandType::AddResting; break;
      case CommandType::Modify: call.type = CommandType::ModifyResting; break;
      case CommandType::Replace: call.type = CommandType::ReplaceResting; break;
      default: return;
    }
    call.time_in_force = TimeInForce::GoodTillCancel;
    operation.terms.minimum = 0;
  }

  void spoil(RuledOperation& operation) {
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    Operation& call = operation.call;
    OrderTerms& terms = operation.terms;
    switch (random_.below(14)) {
      case 0: call.quantity = 0; break;
      case 1: call.quantity = std::numeric_limits<Quantity>::max() - random_.below(3); break;
      case 2: call.price = random_.chance(50) ? lowest : highest; break;
      case 3: call.side = static_cast<Side>(2 + random_.below(254)); break;
      case 4: call.time_in_force = static_cast<TimeInForce>(random_.below(6)); break;
      case 5: call.type = static_cast<CommandType>(33 + random_.below(223)); break;
      case 6: call.flip = std::uint64_t{1} << (32 + random_.below(32)); break;
      case 7:
        operation.book = static_cast<BookNumber>(random_.below(config_.books > 1 ? 2 * config_.books : 1));
        break;
      case 8: terms.self_trade = static_cast<SelfTrade>(random_.below(8)); break;
      case 9: terms.display = static_cast<Display>(random_.below(5)); break;
      case 10: terms.peak = random_.chance(50) ? 0 : call.quantity + 1; break;
      case 11: terms.peak = call.quantity; break;
      case 12: terms.minimum = call.quantity + random_.below(2); break;
      default: terms.minimum = 1 + random_.below(20); break;
    }
  }

  /// Lets an order of many lots show many of them.
  void bound_refills(RuledOperation& operation) {
    const Quantity quantity = operation.call.quantity;
    OrderTerms& terms = operation.terms;
    if (terms.peak == 0 || terms.peak > quantity || quantity / terms.peak <= most_refills) return;
    terms.peak = quantity - random_.below(quantity / 2);
  }

  /// Keeps the oracle, and with it the choice of orders, in step with the plan.
  void note(const RuledOperation& operation) {
    if (operation.what == What::MassCancel) {
      oracle_.mass_cancel(operation.scope, config_.books == 1 ? &RulesOracle::first_book : nullptr);
      return;
    }
    if (operation.what == What::Auction) {
      std::ignore =
          oracle_.uncross(operation.book, price_of_auction(oracle_, operation), operation.terms.self_trade);
    }
    if (operation.what == What::Clear) oracle_.clear(operation.book, operation.call.side);
    if (operation.what == What::Recenter && has_band()) std::ignore = oracle_.recenter(operation.call.price);
    if (operation.what != What::Call) return;
    const OrderHandle handle = OrderHandle::from_value(operation.call.order ^ operation.call.flip);
    if (takes_an_id(oracle_, operation, handle) || refills_without_end(oracle_, operation, handle)) return;
    const RulesOracle::Outcome outcome = apply(oracle_, operation, handle);
    if (operation.call.makes_order() && outcome.status == Status::Success && outcome.remaining > 0) {
      oracle_.name_newest(OrderHandle::from_value(operation.call.made()));
    }
  }

  /// A book without one has every price.
  [[nodiscard]] bool has_band() const { return config_.price_min != std::numeric_limits<Price>::min(); }

  /// A label for an order to add: a new one, or now and then one whose order is gone, or rests.
  OrderId new_order() {
    if (orders_ > 0 && random_.chance(6)) return 1 + random_.below(orders_);
    return ++orders_;
  }
  /// One that rests, mostly.
  const RuledOrder* some_order() {
    if (oracle_.size() == 0 || !random_.chance(92)) return nullptr;
    auto order = oracle_.resting().begin();
    std::advance(order, random_.below(oracle_.size()));
    return &*order;
  }

  Side side() { return random_.chance(50) ? Side::Buy : Side::Sell; }
  Owner owner() { return static_cast<Owner>(1 + random_.below(profile_.owners)); }

  /// Mostly on the side's own half, where orders come to rest.
  Price price(Side side) {
    const std::size_t half = prices_.size() / 2;
    const bool low = (side == Side::Buy) != random_.chance(35);
    return prices_[low ? random_.below(half) : half + random_.below(prices_.size() - half)];
  }

  Quantity quantity() {
    if (!profile_.huge || random_.chance(40)) return 1 + random_.below(10);
    const Quantity step = random_.below(3);
    switch (random_.below(4)) {
      case 0: return std::numeric_limits<Quantity>::max() - step;
      case 1: return (Quantity{1} << 63) + step;
      case 2: return (Quantity{1} << 62) + step;
      default: return (Quantity{1} << 63) - step;
    }
  }

  RuledProfile profile_;
  RulesOracleConfig config_;
  std::vector<Price> prices_;
  RulesOracle oracle_;
  Random random_;
  OrderId orders_ = 0;
};

}  // namespace llmes::test
