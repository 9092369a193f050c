// SPDX-License-Identifier: MIT
//
// What books with rules must do, written only to be obviously right: owners, self-trade prevention, orders with a
// reserve and hidden ones, minimum quantities, allocation and mass cancel, in one book or in several that share
// their capacity. All resting orders are in one list in order of arrival, and every query walks through it. A call
// that matches runs on a copy, which replaces the original only if the whole call succeeds.
//
// It shares no code with any book, nor with the oracle of plain books, only the vocabulary of types/. Handles come
// from the book under test, by `name_newest`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "tests/support/auction_oracle.hpp"
#include "tests/support/ruled_sweep.hpp"

namespace llmes::test {

class RulesOracle {
 public:
  using AnyCommand = RuledBookCommand;
  struct Outcome {
    Status status = Status::Success;
    Quantity filled = 0;
    Quantity remaining = 0;  ///< all lots of the order, if it rests now
    Quantity cancelled = 0;
    bool kept_place = false;
    RuleEvents events;
  };

  explicit RulesOracle(const RulesOracleConfig& config) : config_(config) {}

  Outcome apply(const AnyCommand& c) {
    const bool immediate = !may_rest(c.time_in_force);
    switch (c.type) {
      case CommandType::AddLimit: return add(c, c.price, !immediate, true);
      case CommandType::AddResting: return add(c, c.price, true, false);
      case CommandType::AddMarket:
        return add(c, c.side == Side::Buy ? std::numeric_limits<Price>::max() : std::numeric_limits<Price>::min(),
                   false, true);
      case CommandType::Modify: return modify(c, c.time_in_force, true);
      case CommandType::ModifyResting: return modify(c, TimeInForce::GoodTillCancel, false);
      case CommandType::Replace: return replace(c, c.time_in_force, true);
      case CommandType::ReplaceResting: return replace(c, TimeInForce::GoodTillCancel, false);
      case CommandType::AddRestingBefore: return add_before(c);
      case CommandType::Cancel: return reduce(c.handle, std::nullopt);
      case CommandType::Reduce: return reduce(c.handle, c.quantity);
      default: return rejected(Status::InvalidCommand);
    }
  }

  /// Tells the handle of the order that the last call which adds or replaces left resting.
  void name_newest(OrderHandle handle) { locate(orders_, OrderHandle{})->shown.handle = handle; }

  /// The book of an oracle that has one.
  static constexpr BookNumber first_book = 0;

  /// Of a set, or, if `only` is given, of one of its books, or of a book by itself.
  Outcome mass_cancel(const CancelScope& scope, const BookNumber* only = nullptr) {
    if (only == nullptr && scope.book && *scope.book >= config_.books) return rejected(Status::UnknownBook);
    if (scope.side && !is_side(*scope.side)) return rejected(Status::InvalidCommand);
    if (scope.lowest > scope.highest) return rejected(Status::InvalidCommand);
    Outcome outcome;
    for (BookNumber book = 0; book < config_.books; ++book) {
      if (only != nullptr ? book != *only : scope.book && book != *scope.book) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        if (scope.side && side != *scope.side) continue;
        for (const RestingOrder& order : orders(book, side)) {
          const auto found = locate(orders_, order.handle);
          if (scope.owner != 0 && found->owner != scope.owner) continue;
          if (order.price < scope.lowest || order.price > scope.highest) continue;
          const Quantity room = std::numeric_limits<Quantity>::max() - outcome.cancelled;
          outcome.cancelled += std::min(room, found->total());
          outcome.events.emplace_back(MassCancelled{order});
          orders_.erase(found);
        }
      }
    }
    return outcome;
  }

  [[nodiscard]] std::optional<AuctionPrice> indicative(BookNumber book, Price reference) const {
    return auction_price(orders_, book, prices_that_matter(orders_, reference), reference);
  }
  Outcome uncross(BookNumber book, Price price, SelfTrade self_trade) {
    if (self_trade != SelfTrade::Allow && self_trade != SelfTrade::Decrement) {
      return rejected(Status::InvalidCommand);
    }
    if (out_of_band(price)) return rejected(Status::PriceOutOfBand);
    AuctionRun run(config_, orders_, book, price, self_trade == SelfTrade::Decrement);
    Outcome outcome;
    outcome.filled = at_most_largest(run.filled);
    outcome.cancelled = at_most_largest(run.prevented);
    outcome.events = std::move(run.events);
    return outcome;
  }

  /// How many orders it takes off.
  std::size_t clear(BookNumber book, Side side) {
    return std::erase_if(orders_, [&](const RuledOrder& o) { return o.book == book && o.shown.side == side; });
  }

  /// Moves the band, if all orders lie in it then.
  Status recenter(Price price_min) {
    const Price width = config_.price_max - config_.price_min;
    if (price_min >= std::numeric_limits<Price>::max() - width) return Status::PriceOutOfBand;
    for (const RuledOrder& order : orders_) {
      if (order.shown.price < price_min || order.shown.price > price_min + width) return Status::PriceOutOfBand;
    }
    config_.price_min = price_min;
    config_.price_max = price_min + width;
    return Status::Success;
  }

  // ---- Queries.

  /// The orders of one side, best price first and at each price in the order of the queue.
  [[nodiscard]] std::vector<RestingOrder> orders(BookNumber book, Side side) const {
    std::vector<RuledOrder> sorted;
    for (const RuledOrder& order : orders_) {
      if (order.book == book && order.shown.side == side) sorted.push_back(order);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const RuledOrder& a, const RuledOrder& b) {
      if (a.shown.price != b.shown.price) return (a.shown.price > b.shown.price) == (a.shown.side == Side::Buy);
      return a.is_hidden() < b.is_hidden();
    });
    std::vector<RestingOrder> result;
    for (const RuledOrder& order : sorted) result.push_back(order.shown);
    return result;
  }

  /// The levels that display something, the best first.
  [[nodiscard]] std::vector<DepthLevel> depth(BookNumber book, Side side) const {
    std::vector<DepthLevel> levels;
    for (const RestingOrder& order : orders(book, side)) {
      if (order.quantity == 0) continue;
      if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price});
      levels.back().quantity += order.quantity;
      ++levels.back().order_count;
    }
    return levels;
  }

  /// What stands in the queue before an order, hidden orders included: the lots that trade before its own.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const {
    const RuledOrder* const named = find(handle);
    if (named == nullptr) return {};
    QueuePosition ahead;
    for (const RestingOrder& order : orders(named->book, named->shown.side)) {
      if (order.handle == handle) break;
      if (order.price != named->shown.price) continue;
      ahead.quantity += named->is_hidden() ? find(order.handle)->total() : order.quantity;
      ++ahead.order_count;
    }
    return ahead;
  }

  [[nodiscard]] const RuledOrder* find(OrderHandle handle) const {
    const auto found = std::find_if(orders_.begin(), orders_.end(),
                                    [handle](const RuledOrder& order) { return order.shown.handle == handle; });
    return found == orders_.end() ? nullptr : &*found;
  }

  /// All resting orders: those of a level in the order of its queue, but for hidden ones, which are behind there.
  [[nodiscard]] const RuledOrders& resting() const { return orders_; }
  [[nodiscard]] std::size_t size() const { return orders_.size(); }
  [[nodiscard]] BookNumber books() const { return config_.books; }

 private:
  using Wide = RuledSweep::Wide;

  static Outcome rejected(Status status) {
    Outcome outcome;
    outcome.status = status;
    return outcome;
  }
  /// A rejection of a change of an order, which rests on.
  static Outcome rejected(Status status, const RuledOrder& order) {
    Outcome outcome = rejected(status);
    outcome.remaining = order.total();
    outcome.kept_place = true;
    return outcome;
  }

  Outcome add(const AnyCommand& c, Price limit, bool rests, bool trades) {
    if (c.book >= config_.books) return rejected(Status::UnknownBook);
    const bool limit_order = c.type == CommandType::AddLimit;
    const TimeInForce time_in_force = limit_order ? c.time_in_force : TimeInForce::GoodTillCancel;
    if (!is_side(c.side) || !is_known(time_in_force)) return rejected(Status::InvalidCommand);
    if (!is_known(c.terms.self_trade) || !display_is_valid(c.terms.display, rests)) {
      return rejected(Status::InvalidCommand);
    }
    if (c.terms.minimum != 0 && time_in_force != TimeInForce::ImmediateOrCancel) {
      return rejected(Status::InvalidCommand);
    }
    if (!quantity_is_valid(c) || !peak_is_valid(c)) return rejected(Status::InvalidQuantity);
    if (rests && out_of_band(limit)) return rejected(Status::PriceOutOfBand);
    const RuledOrder order{{{}, c.id, c.side, limit, 0}, c.book, c.terms.owner, c.terms.display, c.terms.peak};
    return enter(orders_, order, c, time_in_force, rests, trades);
  }

  /// A displayed order in front of a displayed one.
  Outcome add_before(const AnyCommand& c) {
    if (!is_known(c.terms.self_trade) || c.terms.display != Display::Whole || c.terms.minimum != 0) {
      return rejected(Status::InvalidCommand);
    }
    const auto neighbour = locate(orders_, c.handle);
    if (c.handle == OrderHandle{} || neighbour == orders_.end()) return rejected(Status::UnknownOrder);
    if (neighbour->is_hidden()) return rejected(Status::InvalidCommand);
    if (!quantity_is_valid(c)) return rejected(Status::InvalidQuantity);
    RuledOrder order{
        {{}, c.id, neighbour->shown.side, neighbour->shown.price, c.quantity}, neighbour->book, c.terms.owner};
    if (orders_.size() == config_.capacity) return rejected(Status::PoolFull);
    if (!fits(orders_, order, c.quantity)) return rejected(Status::QuantityOverflow);
    orders_.insert(neighbour, order);
    Outcome outcome;
    outcome.remaining = c.quantity;
    return outcome;
  }

  Outcome modify(const AnyCommand& c, TimeInForce time_in_force, bool trades) {
    const auto order = locate(orders_, c.handle);
    Status fault = fault_of_change(c, time_in_force, order);
    const bool rests = may_rest(time_in_force);
    if (fault == Status::Success || fault == Status::PriceOutOfBand) {
      const bool is_reserve = order->display == Display::Reserve;
      if (rests && is_reserve && takes_too_many_peaks(c.quantity, order->peak)) fault = Status::InvalidQuantity;
    }
    if (fault == Status::UnknownOrder || order == orders_.end()) return rejected(fault);
    if (fault != Status::Success) return rejected(fault, *order);

    if (rests && c.price == order->shown.price && c.quantity <= order->total()) {
      order->take_off(order->total() - c.quantity);
      Outcome outcome;
      outcome.remaining = c.quantity;
      outcome.kept_place = true;
      return outcome;
    }
    RuledOrder moved = *order;
    return enter_instead(order, moved, c, time_in_force, trades);
  }

  Outcome replace(const AnyCommand& c, TimeInForce time_in_force, bool trades) {
    const auto order = locate(orders_, c.handle);
    Status fault = fault_of_change(c, time_in_force, order);
    if (is_known(time_in_force) && !display_is_valid(c.terms.display, may_rest(time_in_force))) {
      fault = Status::InvalidCommand;
    }
    if (fault == Status::Success && !peak_is_valid(c)) fault = Status::InvalidQuantity;
    if (fault == Status::PriceOutOfBand && !peak_is_valid(c)) fault = Status::InvalidQuantity;
    if (fault == Status::UnknownOrder || order == orders_.end()) return rejected(fault);
    if (fault != Status::Success) return rejected(fault, *order);

    RuledOrder made = *order;
    made.shown.id = c.id;
    made.shown.handle = {};
    made.display = c.terms.display;
    made.peak = c.terms.peak;
    return enter_instead(order, made, c, time_in_force, trades);
  }

  /// What forbids a modify or a replace, but for what follows from the rest of the book.
  [[nodiscard]] Status fault_of_change(const AnyCommand& c, TimeInForce time_in_force,
                                       RuledOrders::iterator order) const {
    if (!is_known(time_in_force) || !is_known(c.terms.self_trade)) return Status::InvalidCommand;
    if (c.terms.minimum != 0 && time_in_force != TimeInForce::ImmediateOrCancel) return Status::InvalidCommand;
    if (order == orders_.end()) return Status::UnknownOrder;
    if (!quantity_is_valid(c)) return Status::InvalidQuantity;
    if (may_rest(time_in_force) && out_of_band(c.price)) return Status::PriceOutOfBand;
    return Status::Success;
  }

  /// Takes `order` off the book and lets `successor` come in its place, or finds that it cannot.
  Outcome enter_instead(RuledOrders::iterator order, RuledOrder successor, const AnyCommand& c,
                        TimeInForce time_in_force, bool trades) {
    successor.shown.price = c.price;
    RuledOrders without = orders_;
    without.erase(locate(without, order->shown.handle));
    Outcome outcome = enter(without, successor, c, time_in_force, may_rest(time_in_force), trades);
    return outcome.status == Status::Success ? outcome : rejected(outcome.status, *order);
  }

  /// Lets an order trade and rest among `before`. A success replaces the orders of the book by what comes of it.
  Outcome enter(const RuledOrders& before, RuledOrder order, const AnyCommand& c, TimeInForce time_in_force,
                bool rests, bool trades) {
    RuledOrders after = before;
    RuledSweep sweep(config_, after, order, c.quantity, c.terms.self_trade);
    if (trades) {
      const bool crosses =
          RuledSweep::best_within(before, order.book, order.shown.side, order.shown.price).has_value();
      if (time_in_force == TimeInForce::PostOnly && crosses) return rejected(Status::WouldCross);
      sweep.run(order.shown.price);
    }
    if (time_in_force == TimeInForce::FillOrKill && sweep.filled < c.quantity) {
      return rejected(Status::NotFillable);
    }
    if (sweep.filled < c.terms.minimum) return rejected(Status::NotFillable);

    Outcome outcome;
    outcome.filled = sweep.filled;
    outcome.cancelled = sweep.dropped;
    outcome.events = std::move(sweep.events);
    if (!rests) {
      outcome.cancelled += sweep.open;
    } else if (sweep.open > 0) {
      if (after.size() == config_.capacity) return rejected(Status::PoolFull);
      if (!fits(before, order, sweep.open)) return rejected(Status::QuantityOverflow);
      order.show_of(sweep.open);
      order.is_first =
          RuledSweep::queue(after, order.book, order.shown.side, order.shown.price).empty() && !order.is_hidden();
      after.push_back(order);
      outcome.remaining = sweep.open;
    }
    orders_ = std::move(after);
    return outcome;
  }

  /// Takes lots off an order that keeps its place, or all of it.
  Outcome reduce(OrderHandle handle, std::optional<Quantity> by) {
    const auto order = locate(orders_, handle);
    if (order == orders_.end()) return rejected(Status::UnknownOrder);
    const Quantity lots = by.value_or(order->total());
    if (lots == 0 || lots > order->total()) return rejected(Status::InvalidQuantity, *order);
    order->take_off(lots);
    Outcome outcome;
    outcome.cancelled = lots;
    outcome.remaining = order->total();
    outcome.kept_place = order->total() > 0;
    if (order->total() == 0) orders_.erase(order);
    return outcome;
  }

  /// Whether what its level displays, all reserves and the lots that join them fit a `Quantity`.
  static bool fits(const RuledOrders& orders, const RuledOrder& joining, Quantity lots) {
    Wide sum = lots;
    for (const RuledOrder& order : orders) {
      sum += order.reserve;
      const bool same_level = order.book == joining.book && order.shown.side == joining.shown.side &&
                              order.shown.price == joining.shown.price;
      if (same_level) sum += order.shown.quantity;
    }
    return sum <= std::numeric_limits<Quantity>::max();
  }

  // ---- What a command may say.

  [[nodiscard]] bool quantity_is_valid(const AnyCommand& c) const {
    return c.quantity > 0 && c.quantity <= config_.quantity_max && c.terms.minimum <= c.quantity;
  }
  static bool peak_is_valid(const AnyCommand& c) {
    if (c.terms.display != Display::Reserve) return true;
    return c.terms.peak > 0 && c.terms.peak <= c.quantity && !takes_too_many_peaks(c.quantity, c.terms.peak);
  }
  static bool takes_too_many_peaks(Quantity quantity, Quantity peak) {
    const Quantity whole_peaks = quantity / peak;
    return whole_peaks > 1024 || (whole_peaks == 1024 && quantity % peak != 0);
  }
  static bool display_is_valid(Display display, bool rests) {
    if (display == Display::Whole) return true;
    return rests && (display == Display::Reserve || display == Display::Hidden);
  }
  [[nodiscard]] bool out_of_band(Price price) const {
    return price < config_.price_min || price > config_.price_max;
  }
  static bool may_rest(TimeInForce time_in_force) {
    return time_in_force == TimeInForce::GoodTillCancel || time_in_force == TimeInForce::PostOnly;
  }
  static bool is_known(TimeInForce time_in_force) {
    return may_rest(time_in_force) || time_in_force == TimeInForce::ImmediateOrCancel ||
           time_in_force == TimeInForce::FillOrKill;
  }
  static bool is_known(SelfTrade mode) {
    return mode == SelfTrade::Allow || mode == SelfTrade::CancelTaker || mode == SelfTrade::CancelMaker ||
           mode == SelfTrade::CancelBoth || mode == SelfTrade::Decrement;
  }
  static bool is_side(Side side) { return side == Side::Buy || side == Side::Sell; }

  static RuledOrders::iterator locate(RuledOrders& orders, OrderHandle handle) {
    return std::find_if(orders.begin(), orders.end(),
                        [handle](const RuledOrder& order) { return order.shown.handle == handle; });
  }

  RulesOracleConfig config_;
  RuledOrders orders_;
};

}  // namespace llmes::test
