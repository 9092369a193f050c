// SPDX-License-Identifier: MIT
//
// What the exchange tells: one value for each message of a client, and for each of the feed. Every protocol writes
// its messages from these alone, with its own letters and numbers.
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

enum class OutcomeKind : std::uint8_t {
  Done,           ///< the last one of each record: all is told
  Feed,           ///< `message` is one of ITCH; these come after what users are told
  SymbolKnown,    ///< `symbol`, book, tick, lot
  DayBegan,       ///< the day with the number `quantity`: all outcomes before are of earlier ones
  MessagesBegin,  ///< for all users: those of the day
  MessagesEnd,    ///< the same
  Accepted,
  Replaced,
  Executed,
  Canceled,
  SelfTradeCanceled,
  Modified,
  PriorityUpdate,  ///< an order shows its next peak
  Rejected,        ///< of an Enter or a Replace
  CancelRejected,  ///< of a Cancel or a Replace whose sender wants an answer
  Broken,          ///< a trade is undone
  QueryResponse,
  MassCanceled,  ///< these three: the message was taken; its firm is in `client_id`
  EntryDisabled,
  EntryEnabled,
  Quoted,      ///< what became of a side of a mass quote; its quote has the number `client_tag`
  MassQuoted,  ///< of all of it, whose sides came just before
};
inline constexpr std::size_t outcome_kinds = static_cast<std::size_t>(OutcomeKind::MassQuoted) + 1;

/// Why lots of an order are gone without a fill.
enum class CancelReason : std::uint8_t {
  None,
  Asked,         ///< by its user
  NotImmediate,  ///< what is left of an order that does not rest
  Expired,
  Killed,  ///< by who watches over its account
  OutsideBands,
  SelfTrade,
  System,
  DayEnded,
  LoggedOut,     ///< its user is gone, and wants that
  NoRoom,        ///< it has met others, and the venue cannot keep what is left of it
  QuoteRefused,  ///< another entry of its mass quote is refused, and it is all or none
};

/// What an order was in a trade.
enum class Liquidity : std::uint8_t {
  None,
  Added,
  AddedHidden,
  Removed,
  OpeningCross,  ///< these three: in an auction, which nobody takes
  ClosingCross,
  HaltCross,  ///< that ends a halt
};

/// One of them. Members that a kind does not have are 0.
struct alignas(64) Outcome {
  std::uint64_t sequence = 0;  ///< of the command
  Nanoseconds time = 0;        ///< of the command, since 1970
  OutcomeKind kind = OutcomeKind::Done;
  CancelReason cancel = CancelReason::None;  ///< Canceled, SelfTradeCanceled, Broken
  Liquidity liquidity = Liquidity::None;     ///< Executed, SelfTradeCanceled
  Reason reason = Reason::None;              ///< Rejected, CancelRejected, Quoted, MassQuoted: None: see `status`
  llmes::VenueStatus status = llmes::VenueStatus::Success;  ///< the same: why the venue refuses
  llmes::RiskStatus risk = llmes::RiskStatus::Success;      ///< the same, if `status` is RefusedByRisk
  llmes::Status result = llmes::Status::Success;            ///< the same, if `status` is RefusedByBook
  Field refused_field = Field::None;                        ///< the same, with its value in `message`
  ClientTerms terms{};
  std::uint8_t size = 0;  ///< of `message`
  std::uint8_t unused = 0;
  UserId user = 0;  ///< whose message it is
  AccountNumber account = 0;
  std::uint32_t client_tag = 0;  ///< of the order, as its client has set it
  std::uint32_t reference = 0;
  std::uint32_t original = 0;  ///< Replaced, and Rejected of a Replace
  BookNumber book = 0;
  std::uint64_t price4 = 0;  ///< of the order, or of the fill; SymbolKnown: the tick
  Quantity quantity = 0;     ///< of the order, the fill or what was taken off; Modified: what the order is now
  Quantity ordered = 0;      ///< of the whole order, executed lots included
  Quantity cumulative = 0;   ///< executed
  Quantity leaves = 0;       ///< open
  std::uint64_t value = 0;   ///< sum of price4 times lots over all fills of the order
  std::uint64_t match = 0;
  /// That of the feed; if that does not show the order, its `OrderId`, which is above.
  std::uint64_t order_reference = 0;
  std::uint64_t symbol = 0;  ///< its name: see `pack_symbol`
  Nanoseconds expiry = 0;    ///< Accepted: when the order ends by itself; 0: not by time
  ClientId client_id{};
  ClientId original_client_id{};
  std::array<std::byte, 52> message{};  ///< Feed; Rejected, CancelRejected: the value that is refused
  std::array<std::byte, 4> unused_bytes{};

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
