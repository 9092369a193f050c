// SPDX-License-Identifier: MIT
//
// What the exchange tells: one value for each message of a client, and for each of the feed. Every protocol writes
// its messages from these alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "entry.hpp"
#include "llmes/venue.hpp"

namespace exchange {

/// Why a client of FIX is refused, where OUCH has no number: this bit, and OrdRejReason (103) in the lower byte.
inline constexpr std::uint16_t fix_refusal = 0x1000;
namespace refused {
inline constexpr std::uint16_t order_id = fix_refusal | 5;   ///< OrderID is that of another order
inline constexpr std::uint16_t duplicate = fix_refusal | 6;  ///< ClOrdID was used before
inline constexpr std::uint16_t unsupported = fix_refusal | 11;
inline constexpr std::uint16_t quantity = fix_refusal | 13;
inline constexpr std::uint16_t account = fix_refusal | 15;
inline constexpr std::uint16_t number = fix_refusal | 0x163;   ///< the user has no number for an order any more
inline constexpr std::uint16_t symbol = fix_refusal | 0x263;   ///< of a cancel or a replace: not that of the order
inline constexpr std::uint16_t side = fix_refusal | 0x363;     ///< the same
inline constexpr std::uint16_t traded = fix_refusal | 0x463;   ///< of a replace: not more than what has traded
inline constexpr std::uint16_t missing = fix_refusal | 0x563;  ///< a field that these terms need
}  // namespace refused

enum class OutcomeKind : std::uint8_t {
  Feed,         ///< `message` is one of ITCH
  SymbolKnown,  ///< `symbol`, book, tick, lot
  DayBegan,     ///< the day with the number `quantity`: all messages before are of earlier ones
  SystemEvent,  ///< for all users: `reason` S or E
  Accepted,
  Replaced,
  Executed,
  Canceled,
  SelfTradeCanceled,
  Modified,
  PriorityUpdate,  ///< an order shows its next peak
  Rejected,        ///< of an Enter or a Replace
  CancelRejected,  ///< FIX alone: OUCH says nothing
  Broken,          ///< a trade is undone
  QueryResponse,
  MassCanceled,  ///< these three: the message was taken; its firm is in `client_id`
  EntryDisabled,
  EntryEnabled,
};

/// One of them. Members that a kind does not have are 0.
struct alignas(64) Outcome {
  std::uint64_t sequence = 0;  ///< of the command
  Nanoseconds time = 0;        ///< of the command, since 1970
  OutcomeKind kind = OutcomeKind::Feed;
  Protocol protocol = Protocol::Ouch;  ///< of the command, if it is the user's own
  char side = ' ';
  char time_in_force = ' ';
  char display = ' ';
  char capacity = ' ';
  char intermarket_sweep = ' ';
  char cross_type = ' ';
  char liquidity = ' ';
  char reason = ' ';                                        ///< Canceled, SystemEvent: as OUCH has the letters
  std::uint16_t reject = 0;                                 ///< Rejected: as OUCH has the numbers
  llmes::VenueStatus status = llmes::VenueStatus::Success;  ///< Rejected, CancelRejected: why
  llmes::RiskStatus risk = llmes::RiskStatus::Success;      ///< the same, if `status` is RefusedByRisk
  llmes::Status result = llmes::Status::Success;            ///< the same, if `status` is RefusedByBook
  std::uint8_t size = 0;                                    ///< of `message`, or of the value that is refused
  UserId user = 0;                                          ///< whose message it is
  AccountNumber account = 0;
  std::uint32_t reference = 0;
  std::uint32_t original = 0;  ///< Replaced, and Rejected of a Replace
  BookNumber book = 0;
  std::uint16_t refused_tag = 0;  ///< Rejected, CancelRejected: the field of FIX that is refused; 0: see `reject`
  std::uint64_t price4 = 0;       ///< of the order, or of the fill; SymbolKnown: the tick
  Quantity quantity = 0;    ///< of the order, the fill or what was taken off; Modified: what the order is now
  Quantity ordered = 0;     ///< of the whole order, executed lots included
  Quantity cumulative = 0;  ///< executed
  Quantity leaves = 0;      ///< open
  std::uint64_t value = 0;  ///< sum of price4 times lots over all fills of the order
  std::uint64_t match = 0;
  std::uint64_t order_reference =
      0;                     ///< that of the feed; if that does not show the order, its `OrderId`, which is above
  std::uint64_t symbol = 0;  ///< its name: see `pack_symbol`
  Nanoseconds expiry = 0;    ///< Accepted: when the order ends by itself; 0: not by time
  ClientId client_id{};
  ClientId original_client_id{};
  std::array<std::byte, 52> message{};  ///< Rejected, CancelRejected: the value that is refused

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return std::span(message).first(size); }
};
static_assert(sizeof(Outcome) == 320 && llmes::MachineReport<Outcome>);

/// A symbol as a number: eight letters, the first one in the upper byte, filled up with spaces.
[[nodiscard]] constexpr std::uint64_t pack_symbol(std::string_view name) noexcept {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < 8; ++i)
    packed = packed << 8 | static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
  return packed;
}
[[nodiscard]] inline std::array<char, 8> symbol_letters(std::uint64_t packed) noexcept {
  std::array<char, 8> letters{};
  for (std::size_t i = 8; i-- > 0; packed >>= 8) letters[i] = static_cast<char>(packed & 0xff);
  return letters;
}
[[nodiscard]] inline std::string symbol_name(std::uint64_t packed) {
  const std::array<char, 8> letters = symbol_letters(packed);
  const std::string_view all(letters.data(), letters.size());
  return std::string(all.substr(0, all.find_last_not_of(' ') + 1));
}
[[nodiscard]] constexpr std::string_view view_of(const ClientId& id) noexcept {
  const std::string_view all(id.data(), id.size());
  return all.substr(0, std::min(all.find('\0'), all.size()));
}

}  // namespace exchange
