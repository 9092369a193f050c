// SPDX-License-Identifier: MIT
//
// What the journal of the exchange keeps: each command with what its sender said beside it. All that clients are
// told follows from these records, so a restart finds every message again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llmes/engine.hpp"
#include "llmes/venue.hpp"

namespace exchange {

using llmes::AccountNumber;
using llmes::BookNumber;
using llmes::Nanoseconds;
using llmes::OrderId;
using llmes::Price;
using llmes::Quantity;
using llmes::VenueCommand;

/// A user by its name: up to six letters and digits, as a number in base 37. 0 is nobody.
using UserId = std::uint32_t;

/// Nothing if it is no name. Case does not matter.
[[nodiscard]] constexpr std::optional<UserId> user_id(std::string_view name) noexcept {
  if (name.empty() || name.size() > 6) return {};
  UserId id = 0;
  for (const char letter : name) {
    UserId digit = 0;
    if (letter >= '0' && letter <= '9') digit = static_cast<UserId>(letter - '0') + 1;
    if (letter >= 'A' && letter <= 'Z') digit = static_cast<UserId>(letter - 'A') + 11;
    if (letter >= 'a' && letter <= 'z') digit = static_cast<UserId>(letter - 'a') + 11;
    if (digit == 0) return {};
    id = 37 * id + digit;
  }
  return id;
}
[[nodiscard]] inline std::string user_name(UserId id) {
  std::string name;
  for (; id != 0; id /= 37) name.insert(name.begin(), " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[id % 37]);
  return name;
}

/// The venue's name for an order: whose it is, and which one.
[[nodiscard]] constexpr OrderId order_id(UserId user, std::uint32_t reference) noexcept {
  return OrderId{user} << 32 | reference;
}
[[nodiscard]] constexpr UserId user_of(OrderId id) noexcept {
  return static_cast<UserId>(id >> 32);
}
[[nodiscard]] constexpr std::uint32_t reference_of(OrderId id) noexcept {
  return static_cast<std::uint32_t>(id);
}

enum class EntryType : std::uint8_t {
  Operate,  ///< a command of the exchange itself
  Enter,    ///< a new order
  Replace,
  Cancel,        ///< its quantity is what the whole order should be, executed lots included; 0: nothing is left
  Modify,        ///< the same, and another kind of sale
  MassCancel,    ///< of all orders of the user, or of those of a symbol
  DisableEntry,  ///< the user takes care of its open orders alone, today
  EnableEntry,   ///< the opposite
  Query,         ///< for the next reference
  LogOut,        ///< of a user whose orders are then cancelled
  NewDay,        ///< all orders end, references begin at 1, and the messages of each session too
};

enum class Protocol : std::uint8_t { Ouch, Fix };

/// What a text of a client has, filled up with zeros.
using ClientId = std::array<char, 24>;

/// Who sent a command, and what is told back as it came.
struct Sender {
  UserId user = 0;
  std::uint32_t reference = 0;  ///< of the new order; of Cancel and Modify: of the order that they name
  std::uint32_t original = 0;   ///< of Replace: of the order that it names
  std::uint16_t refused = 0;    ///< what is wrong with the message itself, as OUCH has the numbers; 0: nothing
  EntryType type = EntryType::Operate;
  Protocol protocol = Protocol::Ouch;
  char side = ' ';  ///< these as OUCH has the letters
  char time_in_force = ' ';
  char display = ' ';
  char capacity = ' ';
  char intermarket_sweep = ' ';
  char cross_type = ' ';
  std::uint8_t unused[2] = {};
  ClientId client_id{};
  ClientId original_client_id{};  ///< FIX alone
  std::uint64_t price4 = 0;       ///< in ten-thousandths of a dollar
  std::uint64_t symbol = 0;       ///< of MassCancel; FIX: as it was asked for
  std::uint64_t more[4] = {};     ///< 0
};
static_assert(sizeof(Sender) == 120);

/// 256 bytes. The price of a command is in ticks of its symbol. That of a SetSymbol is the tick.
struct alignas(64) EntryRecord {
  std::uint64_t sequence = 0;
  std::uint32_t checksum = 0;
  std::uint32_t index_in_write = 0;
  VenueCommand command{};
  Sender sender{};
  std::uint64_t unused = 0;
};
static_assert(sizeof(EntryRecord) == 256 && llmes::JournalRecord<EntryRecord>);

}  // namespace exchange
