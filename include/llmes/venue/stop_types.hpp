// SPDX-License-Identifier: MIT
//
// What stops look at and are kept for, and prices as they compare them.
#pragma once

#include <cstddef>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The prices of a book that stops look at; none where there is no such price.
struct TriggerPrices {
  std::optional<Price> last{};  ///< of the last trade
  std::optional<Price> best_bid{};
  std::optional<Price> best_ask{};

  /// What a stop of a side looks at.
  [[nodiscard]] constexpr const std::optional<Price>& of(StopTrigger by, Side side) const noexcept {
    return by == StopTrigger::LastTrade ? last : side == Side::Buy ? best_ask : best_bid;
  }
};

/// What stops are kept for.
struct StopConfig {
  BookNumber books = 1;      ///< they are 0 to this number less one; at most 2^30
  std::size_t capacity = 0;  ///< the most stops that wait
};

namespace detail {
[[nodiscard]] constexpr bool is_trigger(StopTrigger by) noexcept {
  return by == StopTrigger::LastTrade || by == StopTrigger::OppositeBest;
}

/// A price as a key, and back: that of a sell itself, and the complement of that of a buy, which has the opposite
/// order and, unlike the negative, always fits. So of both sides a stop fires at keys at its trigger or below.
[[nodiscard]] constexpr Price key_of(Side side, Price price) noexcept {
  return side == Side::Sell ? price : ~price;
}

/// Sets `trigger` to the key at a distance below another one; returns whether it fits.
[[nodiscard]] constexpr bool trails_at(Price key, Price distance, Price& trigger) noexcept {
  return !__builtin_sub_overflow(key, distance, &trigger);
}

/// The trigger of a stop that comes, as a key, if it fits; what it trails must have a price.
[[nodiscard]] constexpr std::optional<Price> first_trigger(const VenueCommand& stop,
                                                           const TriggerPrices& prices) noexcept {
  if (stop.trail == 0) return key_of(stop.side, stop.trigger);
  Price trigger = 0;
  if (!trails_at(key_of(stop.side, *prices.of(stop.stop, stop.side)), stop.trail, trigger)) return {};
  return trigger;
}
}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
