// SPDX-License-Identifier: MIT
//
// The imbalance before an auction as ITCH has it: the Net Order Imbalance Indicator.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "llmes/itch/messages.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// A price in a message, if it fits.
[[nodiscard]] constexpr std::optional<itch::Price4> price_in_message(Price price,
                                                                     std::uint32_t tick_size) noexcept {
  const auto ticks = static_cast<std::uint64_t>(price);  // of a negative price, too many
  if (ticks > std::numeric_limits<std::uint32_t>::max() / tick_size) return {};
  return itch::Price4{static_cast<std::uint32_t>(ticks * tick_size)};
}

/// How far a price is from its reference, in percent: L is less than 1, A from 10, B from 20, C from 30 on.
[[nodiscard]] constexpr char price_variation(itch::Price4 price, itch::Price4 reference) noexcept {
  const auto from = static_cast<std::uint64_t>(reference);
  const auto to = static_cast<std::uint64_t>(price);
  if (from == 0 || to == 0) return ' ';
  const std::uint64_t percent = (from < to ? to - from : from - to) * 100 / from;
  constexpr std::string_view letters = "L123456789ABC";
  return letters[percent < 10 ? percent : percent < 20 ? 10 : percent < 30 ? 11 : 12];
}

}  // namespace detail

/// The message of an indicative price, or of none. All orders of a book take part in its auction, so the far
/// price, of auction orders alone, is the near one. A price that does not fit the message is 0.
/// @param tick_size in ten-thousandths of a dollar; at least 1
/// @param cross_type O: opening, C: closing, H: after a halt
[[nodiscard]] constexpr itch::Imbalance imbalance_of(const std::optional<AuctionPrice>& indicative,
                                                     Price reference, std::uint32_t tick_size,
                                                     char cross_type) noexcept {
  itch::Imbalance message{
      .paired_shares = 0,
      .imbalance_shares = 0,
      .direction = 'O',  // too few orders
      .far_price = itch::Price4{},
      .near_price = itch::Price4{},
      .reference_price = detail::price_in_message(reference, tick_size).value_or(itch::Price4{}),
      .cross_type = cross_type};
  if (!indicative) return message;
  message.paired_shares = indicative->quantity;
  message.imbalance_shares = indicative->imbalance;
  message.direction = indicative->imbalance == 0 ? 'N' : indicative->side == Side::Buy ? 'B' : 'S';
  message.far_price = message.near_price =
      detail::price_in_message(indicative->price, tick_size).value_or(itch::Price4{});
  message.price_variation = detail::price_variation(message.near_price, message.reference_price);
  return message;
}

}  // namespace llmes::inline LLMES_NAMESPACE
