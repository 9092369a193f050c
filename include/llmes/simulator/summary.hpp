// SPDX-License-Identifier: MIT
//
// A run in a few numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/trader.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Sums are exact; what is divided is for display. Prices are in half ticks where they come from a mid.
struct Summary {
  std::uint64_t orders = 0;  ///< that came to the venue and were not rejected
  std::uint64_t rejected = 0;
  std::uint64_t orders_filled = 0;  ///< completely
  Quantity lots_ordered = 0;        ///< of `orders`
  Quantity lots_made = 0;           ///< filled as maker
  Quantity lots_taken = 0;          ///< filled as taker
  Quantity lots_with_mid = 0;       ///< of maker fills for which a mid was known then and a second later
  Amount captured2 = 0;         ///< of these: lots times the distance from the price to the mid, better is more
  Amount adverse2 = 0;          ///< of these: lots times the move of the mid against us within the second
  Nanoseconds median_wait = 0;  ///< from the venue to a maker fill, over fills
  Amount fees = 0;              ///< micro-units
  Amount result = 0;            ///< micro-units: the last equity
  std::size_t subscribed = 0;   ///< books; without one neither `on_market` nor `on_trade` was called
  Divergence divergence{};

  /// The share of ordered lots that were filled.
  [[nodiscard]] double fill_rate() const noexcept {
    return lots_ordered == 0 ? 0 : static_cast<double>(lots_made + lots_taken) / static_cast<double>(lots_ordered);
  }
  /// Ticks for each lot.
  [[nodiscard]] double spread_captured() const noexcept { return ticks(captured2); }
  [[nodiscard]] double adverse_selection() const noexcept { return ticks(adverse2); }

 private:
  [[nodiscard]] double ticks(Amount sum2) const noexcept {
    return lots_with_mid == 0 ? 0 : static_cast<double>(sum2) / 2 / static_cast<double>(lots_with_mid);
  }
};

/// Linear in orders and fills, and a selection among the fills.
template <class Impact>
[[nodiscard]] Summary summarize(const detail::Trader<Impact>& run) {
  Summary summary;
  for (const OwnOrder& order : run.orders().all()) {
    if (order.state == OwnOrderState::Sent) continue;
    if (order.state == OwnOrderState::Rejected) {
      ++summary.rejected;
      continue;
    }
    ++summary.orders;
    summary.orders_filled += order.state == OwnOrderState::Filled;
    summary.lots_ordered += order.quantity;
  }
  std::vector<Nanoseconds> waits;
  for (const OwnFill& fill : run.fills()) {
    (fill.is_maker() ? summary.lots_made : summary.lots_taken) += fill.quantity;
    if (!fill.is_maker()) continue;
    waits.push_back(fill.time - run.orders()[fill.order].arrived);
    if (!fill.has_mid || !fill.has_mid_later) continue;
    const Amount lots = fill.side == Side::Buy ? Amount{fill.quantity} : -Amount{fill.quantity};
    summary.lots_with_mid += fill.quantity;
    summary.captured2 += lots * (Amount{fill.mid2} - 2 * Amount{fill.price});
    summary.adverse2 += lots * (Amount{fill.mid2} - fill.mid2_later);
  }
  if (!waits.empty()) {
    const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
    detail::nth_element(waits, middle);
    summary.median_wait = *middle;
  }
  summary.fees = run.fees();
  summary.result = run.equity().empty() ? 0 : run.equity().back().value;
  summary.subscribed = run.subscribed().size();
  summary.divergence = run.divergence();
  return summary;
}

/// Its lines, for people.
[[nodiscard]] inline std::string to_string(const Summary& summary) {
  const auto line = [](const char* name, const std::string& value) { return std::string(name) + value + "\n"; };
  const auto number = [](auto value) { return std::to_string(value); };
  const std::string hears_nothing =
      line("subscribed         ", "to no book: on_market and on_trade were not called");
  return (summary.subscribed == 0 ? hears_nothing : std::string()) +
         line("orders             ", number(summary.orders) + " accepted, " + number(summary.orders_filled) +
                                         " of them filled completely; " + number(summary.rejected) +
                                         " more rejected") +
         line("lots filled        ", number(summary.lots_made) + " as maker, " + number(summary.lots_taken) +
                                         " as taker, of " + number(summary.lots_ordered)) +
         line("fill rate          ", number(summary.fill_rate())) +
         line("spread captured    ", number(summary.spread_captured()) + " ticks a lot") +
         line("adverse selection  ", number(summary.adverse_selection()) + " ticks a lot, 1 s later") +
         line("median wait        ", number(summary.median_wait) + " ns") +
         line("fees               ", to_text(summary.fees) + " micro-units") +
         line("result             ", to_text(summary.result) + " micro-units") +
         line("left history by    ", number(summary.divergence.lots_more) + " lots more and " +
                                         number(summary.divergence.lots_fewer) + " fewer on " +
                                         number(summary.divergence.levels) + " levels, at most " +
                                         number(summary.divergence.lots_peak) + " lots; took " +
                                         number(summary.divergence.taken) + " displayed lots");
}

}  // namespace llmes::inline LLMES_NAMESPACE
