// SPDX-License-Identifier: MIT
//
// The members of every ITCH message by name, for tests that go over all of them, and messages of random content.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "llmes/itch/messages.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// Its each() calls `take` with the name and the field of each member behind the header, in their order.
template <itch::Message M>
struct ItchMembers;

#define LLMES_MEMBER(name) take(std::string_view(#name), message.name)
#define LLMES_MEMBERS(type, ...)                            \
  template <>                                               \
  struct ItchMembers<itch::type> {                          \
    static constexpr void each(auto& message, auto& take) { \
      __VA_ARGS__;                                          \
    }                                                       \
  }
LLMES_MEMBERS(AddOrder, LLMES_MEMBER(reference), LLMES_MEMBER(side), LLMES_MEMBER(shares), LLMES_MEMBER(symbol),
              LLMES_MEMBER(price));
LLMES_MEMBERS(AddAttributedOrder, LLMES_MEMBER(reference), LLMES_MEMBER(side), LLMES_MEMBER(shares),
              LLMES_MEMBER(symbol), LLMES_MEMBER(price), LLMES_MEMBER(attribution));
LLMES_MEMBERS(OrderExecuted, LLMES_MEMBER(reference), LLMES_MEMBER(shares), LLMES_MEMBER(match));
LLMES_MEMBERS(OrderExecutedWithPrice, LLMES_MEMBER(reference), LLMES_MEMBER(shares), LLMES_MEMBER(match),
              LLMES_MEMBER(printable), LLMES_MEMBER(price));
LLMES_MEMBERS(OrderCancel, LLMES_MEMBER(reference), LLMES_MEMBER(shares));
LLMES_MEMBERS(OrderDelete, LLMES_MEMBER(reference));
LLMES_MEMBERS(OrderReplace, LLMES_MEMBER(reference), LLMES_MEMBER(new_reference), LLMES_MEMBER(shares),
              LLMES_MEMBER(price));
LLMES_MEMBERS(Trade, LLMES_MEMBER(reference), LLMES_MEMBER(side), LLMES_MEMBER(shares), LLMES_MEMBER(symbol),
              LLMES_MEMBER(price), LLMES_MEMBER(match));
LLMES_MEMBERS(CrossTrade, LLMES_MEMBER(shares), LLMES_MEMBER(symbol), LLMES_MEMBER(price), LLMES_MEMBER(match),
              LLMES_MEMBER(cross_type));
LLMES_MEMBERS(BrokenTrade, LLMES_MEMBER(match));
LLMES_MEMBERS(SystemEvent, LLMES_MEMBER(event));
LLMES_MEMBERS(StockDirectory, LLMES_MEMBER(symbol), LLMES_MEMBER(market_category), LLMES_MEMBER(financial_status),
              LLMES_MEMBER(round_lot), LLMES_MEMBER(round_lots_only), LLMES_MEMBER(issue_classification),
              LLMES_MEMBER(issue_sub_type), LLMES_MEMBER(authenticity), LLMES_MEMBER(short_sale_threshold),
              LLMES_MEMBER(ipo_flag), LLMES_MEMBER(price_tier), LLMES_MEMBER(etp_flag), LLMES_MEMBER(etp_leverage),
              LLMES_MEMBER(inverse));
LLMES_MEMBERS(TradingAction, LLMES_MEMBER(symbol), LLMES_MEMBER(state), LLMES_MEMBER(reserved),
              LLMES_MEMBER(reason));
LLMES_MEMBERS(ShortSaleRestriction, LLMES_MEMBER(symbol), LLMES_MEMBER(action));
LLMES_MEMBERS(ParticipantPosition, LLMES_MEMBER(participant), LLMES_MEMBER(symbol),
              LLMES_MEMBER(primary_market_maker), LLMES_MEMBER(mode), LLMES_MEMBER(state));
LLMES_MEMBERS(CircuitBreakerLevels, LLMES_MEMBER(level1), LLMES_MEMBER(level2), LLMES_MEMBER(level3));
LLMES_MEMBERS(CircuitBreakerStatus, LLMES_MEMBER(level));
LLMES_MEMBERS(QuotingPeriod, LLMES_MEMBER(symbol), LLMES_MEMBER(release_time), LLMES_MEMBER(qualifier),
              LLMES_MEMBER(ipo_price));
LLMES_MEMBERS(AuctionCollar, LLMES_MEMBER(symbol), LLMES_MEMBER(reference_price), LLMES_MEMBER(upper_price),
              LLMES_MEMBER(lower_price), LLMES_MEMBER(extension));
LLMES_MEMBERS(OperationalHalt, LLMES_MEMBER(symbol), LLMES_MEMBER(market), LLMES_MEMBER(action));
LLMES_MEMBERS(Imbalance, LLMES_MEMBER(paired_shares), LLMES_MEMBER(imbalance_shares), LLMES_MEMBER(direction),
              LLMES_MEMBER(symbol), LLMES_MEMBER(far_price), LLMES_MEMBER(near_price),
              LLMES_MEMBER(reference_price), LLMES_MEMBER(cross_type), LLMES_MEMBER(price_variation));
LLMES_MEMBERS(RetailInterest, LLMES_MEMBER(symbol), LLMES_MEMBER(interest));
LLMES_MEMBERS(DirectListing, LLMES_MEMBER(symbol), LLMES_MEMBER(open_eligibility), LLMES_MEMBER(minimum_price),
              LLMES_MEMBER(maximum_price), LLMES_MEMBER(near_price), LLMES_MEMBER(near_time),
              LLMES_MEMBER(lower_price), LLMES_MEMBER(upper_price));
#undef LLMES_MEMBERS
#undef LLMES_MEMBER

/// Calls `take` with the name and the field of each member, those of the header first, but not with the type.
template <class M, class Take>
constexpr void each_itch_field(M& message, Take take) {
  take(std::string_view("locate"), message.header.locate);
  take(std::string_view("tracking_number"), message.header.tracking_number);
  take(std::string_view("timestamp"), message.header.timestamp);
  ItchMembers<std::remove_const_t<M>>::each(message, take);
}

/// Calls `take` with a message of each type, of zeros and spaces.
template <class Take>
void each_itch_type(Take take) {
  std::apply([&](const auto&... messages) { (take(messages), ...); }, itch::Messages{});
}

namespace detail {
template <itch::Message M>
constexpr bool has_every_byte() {
  M message;
  std::size_t bytes = sizeof message.header.type;
  each_itch_field(message, [&](std::string_view, const auto& field) { bytes += sizeof field; });
  return bytes == sizeof message;
}
template <class... M>
constexpr bool have_every_byte(const std::tuple<M...>*) {
  return (has_every_byte<M>() && ...);
}
}  // namespace detail
static_assert(detail::have_every_byte(static_cast<const itch::Messages*>(nullptr)), "a member is missing above");

/// Reads every field, and differs if any byte that means something does.
template <itch::Message M>
[[nodiscard]] std::uint64_t itch_checksum(const M& message) {
  std::uint64_t sum = static_cast<unsigned char>(message.header.type.value());
  each_itch_field(message, [&sum]<class F>(std::string_view, const F& field) {
    if constexpr (requires { field.view(); }) {
      for (const char letter : field.view()) sum = sum * 31 + static_cast<unsigned char>(letter);
    } else if constexpr (requires { field.value().count(); }) {
      sum = sum * 31 + static_cast<std::uint64_t>(field.value().count());
    } else {
      sum = sum * 31 + static_cast<std::uint64_t>(field.value());
    }
  });
  return sum;
}

/// One letter, be it an enumerator or not.
template <class Value>
concept ItchCode = std::same_as<Value, char> || (std::is_enum_v<Value> && sizeof(Value) == 1);

/// A number of any magnitude: few bits are as likely as many.
template <class Value, std::size_t Bytes>
void randomise(itch::Field<Value, Bytes>& field, Random& random) {
  if constexpr (ItchCode<Value>) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ";
    field = static_cast<Value>(letters[random.below(letters.size())]);
  } else {
    const std::uint64_t number = random.chance(5) ? std::numeric_limits<std::uint64_t>::max() : random.next();
    field = static_cast<Value>(number >> (64 - 8 * Bytes) >> random.below(8 * Bytes));
  }
}

template <std::size_t Bytes>
void randomise(itch::Text<Bytes>& text, Random& random) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-+=";
  std::string content;
  for (std::size_t left = random.below(Bytes + 1); left > 0; --left) {
    content += letters[random.below(letters.size())];
  }
  text = std::string_view(content);
}

template <itch::Message M>
[[nodiscard]] M random_itch_message(Random& random) {
  M message;
  each_itch_field(message, [&](std::string_view, auto& field) { randomise(field, random); });
  return message;
}

}  // namespace llmes::test
