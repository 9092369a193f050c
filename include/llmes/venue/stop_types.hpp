// SPDX-License-Identifier: MIT
//
// What stops look at, and what they are kept for.
#pragma once

#include <cstddef>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
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

}  // namespace llmes::inline LLMES_NAMESPACE
