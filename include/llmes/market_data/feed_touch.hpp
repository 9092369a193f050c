// SPDX-License-Identifier: MIT
//
// The best prices of a symbol, of both sides at once.
#pragma once

#include <optional>

#include "llmes/itch/fields.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The best prices of the sides that have orders. It holds numbers: optionals as members would be written in parts
/// and copied whole, which stalls store forwarding.
class FeedTouch {
 public:
  [[nodiscard]] std::optional<itch::Price4> bid() const noexcept { return price(bid_); }
  [[nodiscard]] std::optional<itch::Price4> ask() const noexcept { return price(ask_); }

 private:
  friend class FeedBook;

  static constexpr Price none = -1;  ///< no price in a message is negative

  FeedTouch(Price bid, Price ask) noexcept : bid_(bid), ask_(ask) {}

  [[nodiscard]] static std::optional<itch::Price4> price(Price number) noexcept {
    if (number == none) return {};
    return static_cast<itch::Price4>(number);
  }

  Price bid_;  ///< in ten-thousandths of a dollar, or `none`
  Price ask_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
