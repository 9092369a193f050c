// SPDX-License-Identifier: MIT
//
// Which displayed lots an own order may take if the tape stays as it is, and what it gets of executions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The lots that a strategy has taken of displayed orders that still rest on the tape.
class Ledger {
 public:
  [[nodiscard]] Quantity taken(OrderHandle order) const noexcept {
    const auto at = find(order);
    return at != entries_.end() && at->order == order ? at->lots : 0;
  }
  /// Lots of a displayed order that nobody of the strategy has taken.
  [[nodiscard]] Quantity left(const RestingOrder& order) const noexcept {
    return order.quantity - std::min(order.quantity, taken(order.handle));
  }
  void take(OrderHandle order, Quantity lots, const MarketBooks& market) {
    if (entries_.size() >= prune_at_) prune(market);
    const auto at = find(order);
    if (at != entries_.end() && at->order == order) {
      entries_[static_cast<std::size_t>(at - entries_.begin())].lots += lots;
    } else {
      entries_.insert(at, {order, lots});
    }
  }

 private:
  struct Entry {
    OrderHandle order;
    Quantity lots;
  };
  [[nodiscard]] std::vector<Entry>::const_iterator find(OrderHandle order) const noexcept {
    return detail::lower_bound(entries_, order, &Entry::order);
  }
  void prune(const MarketBooks& market) {
    std::erase_if(entries_, [&](const Entry& entry) { return !market.set().find(entry.order); });
    prune_at_ = 64 + 2 * entries_.size();
  }

  std::vector<Entry> entries_;  ///< sorted
  std::size_t prune_at_ = 64;
};

/// Calls `visit` with each displayed order that one of `side` at `price` may trade with and what is left of it,
/// the best first, while it returns true.
template <class Visit>
void for_makers(const MarketBooks& market, const Ledger& ledger, BookNumber book, Side side, Price price,
                const Visit& visit) {
  market.set().book(book)->visit_orders(opposite(side), [&](const RestingOrder& maker) {
    if (!crosses(side, price, maker.price)) return false;
    const Quantity left = ledger.left(maker);
    return left == 0 || visit(maker, left);
  });
}

/// Why the displayed lots keep an order from coming, by its time in force.
[[nodiscard]] inline OwnReason refusal_of_lots(const MarketBooks& market, const Ledger& ledger, BookNumber book,
                                               Side side, Price price, Quantity open, TimeInForce time_in_force) {
  const auto available = [&](Quantity enough) {
    Quantity sum = 0;
    for_makers(market, ledger, book, side, price, [&](const RestingOrder&, Quantity left) {
      sum += std::min(left, enough - sum);
      return sum < enough;
    });
    return sum;
  };
  if (time_in_force == TimeInForce::FillOrKill && available(open) < open) return OwnReason::NotFillable;
  if (time_in_force == TimeInForce::PostOnly && available(1) != 0) return OwnReason::WouldCross;
  return OwnReason::None;
}

/// Puts the executions of a side of a book into `sorted`: the worst price first, of one price the youngest.
inline void worst_first(std::span<const Execution> executions, BookNumber book, Side side,
                        std::vector<Execution>& sorted) {
  sorted.clear();
  for (const Execution& execution : executions) {
    if (execution.book != book || execution.side != side) continue;
    const auto at = detail::find_if(
        sorted, [&](const Execution& other) { return !is_better(side, execution.price, other.price); });
    sorted.insert(at, execution);
  }
}

/// Why an own order trades when a hidden one did.
[[nodiscard]] constexpr FillCause hidden_cause(Side side, Price price, const Print& print) noexcept {
  return is_better(side, price, print.price) ? FillCause::Through : FillCause::Behind;
}

/// Whether own orders of `side` may trade with orders of the other side that have come, whose best price is
/// `facing` then. A market that is crossed without us tells nothing about whom they would have met.
[[nodiscard]] inline bool faces_arrivals(const MarketBooks& market, BookNumber book, Side side, Price& facing) {
  const Side other = opposite(side);
  facing = market.best_or(book, other, no_price(other));
  return facing != no_price(other) && !crosses(side, market.best_or(book, side, no_price(side)), facing);
}

/// The lots that a side of own orders may still get when an auction prints. Make one for each side and print. The
/// print stays as it was: nobody else gets less.
///
///  - An order whose price is better than that of the print is filled at the print's price.
///  - One at this price gets the lots of orders behind it that the auction executed: what is ahead was before it.
///  - All of a side together get at most the lots of the print, the best first.
class AuctionLots {
 public:
  /// @param executions of this side at the auction, of which it takes lots
  AuctionLots(const Print& print, Side side, std::span<Execution> executions) noexcept
      : print_(print), side_(side), left_(print.quantity), executions_(executions) {}

  /// Whether an order at this price may get any.
  [[nodiscard]] bool reaches(Price price) const noexcept { return !is_better(side_, print_.price, price); }

  /// Calls `fill(lots, record, id)` with what an order gets that came to its place at `stamp`: the record and the
  /// order of the execution, or the record of the print and 0.
  template <class Fill>
  void give(Price price, std::uint64_t stamp, Quantity open, const Fill& fill) {
    if (is_better(side_, price, print_.price)) {
      const Quantity lots = std::min(open, left_);
      left_ -= lots;
      if (lots != 0) fill(lots, print_.record, OrderId{0});
      return;
    }
    for (Execution& one : executions_) {
      const Quantity lots = std::min({open, left_, one.lots});
      if (one.price != print_.price || one.placed <= stamp || lots == 0) continue;
      one.lots -= lots;
      left_ -= lots;
      open -= lots;
      fill(lots, one.record, one.id);
    }
  }

 private:
  const Print& print_;
  Side side_;
  Quantity left_;
  std::span<Execution> executions_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
