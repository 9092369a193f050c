// SPDX-License-Identifier: MIT
//
// What the journal of the exchange keeps: each command with what its sender said beside it. All that clients are
// told follows from these records, so a restart finds every message again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "llmes/engine.hpp"
#include "llmes/venue.hpp"

namespace exchange {

using llmes::AccountNumber;
using llmes::BookNumber;
using llmes::Nanoseconds;
using llmes::OrderId;
using llmes::Price;
using llmes::Quantity;
using llmes::QuoteEntry;
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
inline constexpr UserId users_end = 2'565'726'409;  ///< all users are below: 37^6
inline constexpr OrderId quotes_begin = order_id(users_end, 0);
inline constexpr std::uint32_t quotes_max = (1u << 30) - 1;  ///< a user numbers its quotes from 1 to this
/// The same for a side of a quote, above all orders. It stays while quotes with this number replace each other.
[[nodiscard]] constexpr OrderId quote_id(UserId user, std::uint32_t quote, llmes::Side side) noexcept {
  return quotes_begin + (OrderId{user} << 31) + 2 * quote + (side == llmes::Side::Sell ? 1 : 0);
}
[[nodiscard]] constexpr std::uint32_t quote_of(OrderId id) noexcept {
  return static_cast<std::uint32_t>(id - quotes_begin) >> 1 & quotes_max;
}
[[nodiscard]] constexpr UserId user_of(OrderId id) noexcept {
  return static_cast<UserId>(id < quotes_begin ? id >> 32 : (id - quotes_begin) >> 31);
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
  Original,   ///< what the next record calls the order that it names, where its own texts leave no room for that
  MassQuote,  ///< its first side gets the reference, and each one the next
};

// ---- The words of clients. Each protocol has letters or numbers for them.

enum class SideWord : std::uint8_t { None, Buy, Sell, SellShort, SellShortExempt };
enum class TimeWord : std::uint8_t { None, Day, ImmediateOrCancel, FillOrKill, GoodTillTime };
enum class DisplayWord : std::uint8_t { None, Visible, Attributable, Hidden };

/// What a client says of its order that is told back as it came.
struct ClientTerms {
  SideWord side;
  TimeWord time_in_force;
  DisplayWord display;
  char capacity;              ///< in which it trades; a replace keeps it; 0: not said
  std::array<char, 2> marks;  ///< letters without a meaning here: its protocol says which they are; 0: none

  friend constexpr bool operator==(const ClientTerms&, const ClientTerms&) = default;
};

/// Whether a Modify may make this side of an order that one: a sale may become one that is short exempt, and
/// either may become short.
[[nodiscard]] constexpr bool may_become(SideWord from, SideWord to) noexcept {
  using enum SideWord;
  return from == to || (from == Sell && (to == SellShortExempt || to == SellShort)) ||
         (from == SellShortExempt && to == SellShort);
}

/// What is wrong with a message, where the venue itself is not asked.
enum class Reason : std::uint8_t {
  None,
  Unsupported,  ///< it has terms that are not supported, or do not go together
  UnknownSymbol,
  InvalidPrice,  ///< no multiple of the tick, or out of range
  InvalidSide,
  InvalidQuantity,  ///< no whole number of lots, or out of range
  InvalidDisplay,
  InvalidPeak,     ///< more than the order has, or of one that is hidden
  InvalidMinimum,  ///< of an order that may rest
  InvalidTag,      ///< no number from 1 to 2^32 - 1
  MissingField,    ///< of which an order of its type has need
  NoPegs,          ///< orders that follow a price
  NoSweeps,        ///< orders that other markets have to do with
  NoRoutes,        ///< to other markets
  NoCrosses,       ///< orders of an auction alone
  OtherAccount,    ///< than that of the user
  OtherOrder,      ///< two names of an order do not go together
  OtherSymbol,     ///< than the order has that it names
  OtherSide,       ///< the same
  DuplicateName,   ///< what it calls its order was used before
  NothingLeft,     ///< of a replace: its quantity is not above what has traded
  NoReference,     ///< the user has no number for an order any more
  NoRoom,          ///< for one more user
  ExpiryPassed,    ///< the time until which it is good is not after now
  NoExpiry,        ///< a time at which it ends, of an order that does not end by time
  TwoPeaks,        ///< two fields say how many lots it shows, and not the same
  Unprintable,     ///< what it calls its order, or its firm, has control characters
  NotOfType,       ///< a field that an order of its type does not have
  EntryDisabled,   ///< its user has disabled new orders
};

/// The field of a message that is refused.
enum class Field : std::uint8_t {
  None,
  Name,
  OrderId,
  Account,
  Symbol,
  Side,
  Type,
  Quantity,
  Price,
  Trigger,
  TimeInForce,
  Expiry,
  Instruction,  ///< such as to post only
  Minimum,
  Peak,
  ShownQuantity,  ///< the same by another name
  ClientTag,
};

/// How a sender wants its messages to be taken; `Sender::rules` has a bit for each. Without any of them it is
/// silent about what does nothing.
enum class SenderRule : std::uint8_t {
  WantsAnswer = 1,          ///< a cancel or a replace that does nothing is refused, not silent
  WrongReplaceCancels = 2,  ///< a replace with wrong details cancels its order; else that stays
  NamesByText = 4,          ///< the order that it names must be the one that it calls so
  AssignsReference = 8,     ///< its new order gets the next number, if its own is not above the last
};

/// Whether a text has no byte that is a control character, which may end a field of a protocol. Linear.
[[nodiscard]] constexpr bool is_printable(std::string_view text) noexcept {
  return std::ranges::none_of(
      text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; });
}

/// What a client calls an order, filled up with zeros.
using ClientId = std::array<char, 64>;
[[nodiscard]] constexpr ClientId client_id_of(std::string_view text) noexcept {
  ClientId id{};
  std::copy_n(text.begin(), std::min(text.size(), id.size()), id.begin());
  return id;
}

/// The texts of a sender as they came: what it calls its order, what it calls the order that it names, and a value
/// that is refused. They stand one behind the other, and are set in this order.
class SenderTexts {
 public:
  /// Whether both have room; else the second one comes before, in a record of its own.
  [[nodiscard]] static constexpr bool fit(std::string_view client_id, std::string_view original) noexcept {
    return client_id.size() + original.size() <= room;
  }
  /// @param text at most as long as a `ClientId`
  constexpr void set_client_id(std::string_view text) noexcept { sizes_[0] = put(0, text); }
  constexpr void set_original(std::string_view text) noexcept { sizes_[1] = put(sizes_[0], text); }
  constexpr void set_original_before() noexcept { sizes_[1] = before; }
  /// What has no room is cut, and then ends with points.
  constexpr void set_value(std::string_view text) noexcept {
    constexpr std::string_view points = "...";
    const std::size_t at = value_begin();
    const bool is_cut = text.size() > room - at;
    if (is_cut) text = room - at < points.size() ? std::string_view{} : text.substr(0, room - at - points.size());
    sizes_[2] = put(at, text);
    if (is_cut) sizes_[2] = static_cast<std::uint8_t>(sizes_[2] + put(at + sizes_[2], points));
  }

  [[nodiscard]] constexpr std::string_view client_id() const noexcept { return part(0, sizes_[0]); }
  /// Empty if it came before.
  [[nodiscard]] constexpr std::string_view original() const noexcept {
    return part(sizes_[0], sizes_[1] == before ? 0 : sizes_[1]);
  }
  [[nodiscard]] constexpr bool has_original_before() const noexcept { return sizes_[1] == before; }
  [[nodiscard]] constexpr std::string_view value() const noexcept { return part(value_begin(), sizes_[2]); }

 private:
  static constexpr std::size_t room = 85;
  static constexpr std::uint8_t before = 0xff;

  /// @return how many of its letters have room
  constexpr std::uint8_t put(std::size_t at, std::string_view text) noexcept {
    const std::size_t size = std::min(text.size(), room - at);
    std::copy_n(text.begin(), size, letters_.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<std::uint8_t>(size);
  }
  /// Whatever a record of a journal holds, this stays within the letters.
  [[nodiscard]] constexpr std::string_view part(std::size_t at, std::size_t size) const noexcept {
    return std::string_view(letters_.data(), room).substr(std::min(at, room), size);
  }
  [[nodiscard]] constexpr std::size_t value_begin() const noexcept {
    return std::min<std::size_t>(sizes_[0] + original().size(), room);
  }

  std::array<std::uint8_t, 3> sizes_{};
  std::array<char, room> letters_{};
};

/// Who sent a command, and what is told back as it came. What its type does not use is 0.
struct Sender {
  UserId user = 0;
  std::uint32_t reference = 0;  ///< of the new order; of Cancel and Modify: of the order that they name
  std::uint32_t original = 0;   ///< of Replace, and of a Cancel with a name of its own: of the order that it names
  EntryType type = EntryType::Operate;
  Reason refused = Reason::None;  ///< what is wrong with the message itself
  /// The field that is refused. Of what is not refused: the one that the venue would refuse, if the terms do not
  /// go together. Its value is among the texts.
  Field refused_field = Field::None;
  std::uint8_t rules = 0;  ///< see `SenderRule`
  ClientTerms terms{};
  std::uint8_t unused[2] = {};
  std::uint64_t price4 = 0;  ///< in ten-thousandths of a dollar
  /// Of MassCancel: all, or this one. Of a new order: as it was asked for. Of a change: not 0 if its sender says
  /// of which symbol and side its order is, which must be so.
  std::uint64_t symbol = 0;
  SenderTexts texts{};

  [[nodiscard]] constexpr bool has(SenderRule rule) const noexcept {
    return (rules & static_cast<std::uint8_t>(rule)) != 0;
  }
};
static_assert(sizeof(Sender) == 128);

/// What the journal keeps of a message. The price of a command is in ticks of its symbol. That of a SetSymbol is
/// the tick.
struct Entry {
  VenueCommand command{};
  Sender sender{};
  std::vector<QuoteEntry> quotes{};  ///< of MassQuote: its sides
};

/// A side of a quote that the venue is to refuse, since its message is wrong: of a book that no venue has.
inline void refuse(QuoteEntry& side, Reason reason) noexcept {
  side.book = VenueCommand::all_books;
  side.price = static_cast<Price>(reason);
}
[[nodiscard]] inline Reason refused_of(const QuoteEntry& side) noexcept {
  return side.book == VenueCommand::all_books ? static_cast<Reason>(side.price) : Reason::None;
}

/// The records of one: those of its command, then what its sender said, piece by piece. A piece that says nothing
/// is left out.
class EntryRecords {
 public:
  using Words = std::array<std::uint64_t, sizeof(Sender) / 8>;
  static_assert(std::has_unique_object_representations_v<Sender>);

  static constexpr unsigned first_piece = llmes::VenueRecords::entry + 1;  ///< the number of its part
  static constexpr std::size_t piece = 5;                                  ///< words
  static constexpr std::size_t pieces = (std::tuple_size_v<Words> + piece - 1) / piece;

  using Room = std::array<llmes::PartRecord, llmes::quote_records_max + pieces>;

  /// @return those in `room`
  [[nodiscard]] static std::span<const llmes::PartRecord> of(const Entry& entry, Room& room) noexcept {
    const std::size_t sides = std::min(entry.quotes.size(), llmes::quote_entries_max);
    std::size_t size = llmes::records_of(entry.command, std::span(entry.quotes).first(sides), room).size();
    room[size - 1].set_last(false);
    const auto words = std::bit_cast<Words>(entry.sender);
    for (unsigned i = 0; i < pieces; ++i) {
      const auto some = std::span(words).subspan(i * piece).first(std::min(piece, words.size() - i * piece));
      if (std::ranges::all_of(some, [](std::uint64_t word) { return word == 0; })) continue;
      llmes::PartRecord& record = room[size++] = {};
      std::ranges::copy(some, record.words.begin());
      record.part = static_cast<std::uint8_t>(first_piece + i);
    }
    room[size - 1].set_last(true);
    return std::span(room).first(size);
  }
};

/// Puts them together again.
class EntryReader {
 public:
  /// @return the entry that a record completes, which stays until the next call; nullptr if more of it follow.
  /// What belongs to no entry gives one of nobody, without a type.
  [[nodiscard]] const Entry* take(const llmes::PartRecord& record) noexcept {
    const unsigned number = record.number();
    if (number < EntryRecords::first_piece) {
      if (number == 0) {
        words_ = {};
        has_begun_ = 1;
      }
      if (commands_.take(record) == nullptr) return nullptr;
    } else {
      const std::size_t first = (number - EntryRecords::first_piece) * EntryRecords::piece;
      const bool is_piece = has_begun_ != 0 && number < EntryRecords::first_piece + EntryRecords::pieces;
      for (std::size_t i = 0; is_piece && i < EntryRecords::piece && first + i < words_.size(); ++i)
        words_[first + i] = record.words[i];
      if (!is_piece) has_begun_ = 0;
      if (!record.is_last()) return nullptr;
    }
    const std::span<const QuoteEntry> quotes = commands_.entries();
    entry_.command = commands_.command();
    entry_.sender = std::bit_cast<Sender>(words_);
    entry_.quotes.assign(quotes.begin(), quotes.end());
    if (has_begun_ == 0) entry_ = {.command = {.type = llmes::VenueCommandReader::no_type}};
    has_begun_ = 0;
    return &entry_;
  }

  [[nodiscard]] bool holds() const noexcept { return commands_.holds(); }
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.commands_, self.words_, self.has_begun_);
  }

 private:
  llmes::VenueCommandReader commands_;
  EntryRecords::Words words_{};  ///< of its sender, as far as they have come
  std::uint64_t has_begun_ = 0;  ///< 1 if its first record has come
  Entry entry_;
};

}  // namespace exchange
