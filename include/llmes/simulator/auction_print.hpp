// SPDX-License-Identifier: MIT
//
// What own orders get when an auction prints. The print stays as it was: nobody else gets less.
//
//  - An order whose price is better than that of the print is filled at the print's price.
//  - One at this price gets the lots of orders behind it that the auction executed: what is ahead was before it.
//  - All of a side together get at most the lots of the print, the best first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "llmes/simulator/own_orders.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The lots that a side of own orders may still get. Make one for each side and print.
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
