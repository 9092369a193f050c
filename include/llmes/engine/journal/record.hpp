// SPDX-License-Identifier: MIT
//
// What a journal keeps: records of one size, with a sequence, a checksum, and a place in their write. The engine
// stamps a record in the ring and writes it to the journal from there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// How many bytes a disk writes whole or not at all. No record reaches from one of these sectors into the next, or
/// a torn record could look like a damaged one.
inline constexpr std::size_t bytes_of_sector = 512;

/// A command on its way through an engine, of 64, 128, 256 or 512 bytes, the same in the ring and in the journal.
/// Every bit of it is written and checked. The engine sets three members, whoever sends it all others: `sequence`,
/// 1 for the first; `checksum`, see `checksum_of`; `index_in_write`, how many of the same write come before it.
template <class R>
concept JournalRecord = std::default_initializable<R> && std::is_trivially_copyable_v<R> &&
                        std::is_standard_layout_v<R> && std::has_unique_object_representations_v<R> &&
                        sizeof(R) % 64 == 0 && bytes_of_sector % sizeof(R) == 0 && requires(R& record) {
                          { (record.sequence) } -> std::same_as<std::uint64_t&>;
                          { (record.checksum) } -> std::same_as<std::uint32_t&>;
                          { (record.index_in_write) } -> std::same_as<std::uint32_t&>;
                        };

/// The CRC32C of a record, or of a header of a file, whose checksum counts as 0.
template <class Block>
[[nodiscard]] inline std::uint32_t checksum_of(const Block& block) noexcept {
  constexpr std::size_t place = offsetof(Block, checksum);
  auto words = std::bit_cast<std::array<std::uint64_t, sizeof(Block) / 8>>(block);
  words[place / 8] &= ~(std::uint64_t{0xffff'ffff} << (8 * (place % 8)));
  return crc32c(words);
}

/// Sets a record's sequence, its index in the write, and last its checksum.
template <JournalRecord R>
inline void stamp(R& record, std::uint64_t sequence, std::uint32_t index_in_write = 0) noexcept {
  record.sequence = sequence;
  record.index_in_write = index_in_write;
  record.checksum = checksum_of(record);
}

/// The same for the records of one write, of which the first one gets the number `sequence`.
template <std::ranges::contiguous_range Records>
  requires JournalRecord<std::ranges::range_value_t<Records>>
inline void stamp(Records&& records, std::uint64_t sequence) noexcept {
  for (std::uint32_t index = 0; auto& record : records) {
    stamp(record, sequence + index, index);
    ++index;
  }
}

/// A `BookRequest` or a `BookCommand`, with its time and sequence: one cache line. A journal holds one of the two
/// types, and `Clear`.
struct alignas(64) Record {
  std::uint64_t sequence = 0;  ///< given by the engine, 1 for the first
  std::uint64_t time = 0;      ///< in nanoseconds, stamped by the caller; the engine does not read it
  OrderId id = 0;
  std::uint64_t other = 0;  ///< the new id of a request, or the value of a command's handle
  Price price = 0;
  Quantity quantity = 0;
  BookNumber book = 0;
  std::uint32_t checksum = 0;  ///< see `checksum_of`
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  std::uint8_t reserved = 0;
  std::uint32_t index_in_write = 0;  ///< how many records of the same write to the journal come before it

  friend constexpr bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 64 && JournalRecord<Record>);
static_assert(std::endian::native == std::endian::little, "records have their lowest byte first");

/// A record of a call and the number by which it names another order. It copies an invalid enumerator as it is.
template <class Call>
[[nodiscard]] constexpr Record record_of(const Call& call, std::uint64_t other, std::uint64_t time) noexcept {
  return {.time = time,
          .id = call.id,
          .other = other,
          .price = call.price,
          .quantity = call.quantity,
          .book = call.book,
          .type = call.type,
          .side = call.side,
          .time_in_force = call.time_in_force};
}
[[nodiscard]] constexpr Record record_of(const BookRequest& request, std::uint64_t time) noexcept {
  return record_of(request, request.new_id, time);
}
[[nodiscard]] constexpr Record record_of(const BookCommand& command, std::uint64_t time) noexcept {
  return record_of(command, command.handle.value(), time);
}

/// What was made a record.
[[nodiscard]] constexpr BookRequest request_of(const Record& record) noexcept {
  return {
      {{record.id, record.other}, record.price, record.quantity, record.type, record.side, record.time_in_force},
      record.book};
}
[[nodiscard]] constexpr BookCommand command_of(const Record& record) noexcept {
  return {{{record.id, OrderHandle::from_value(record.other)},
           record.price,
           record.quantity,
           record.type,
           record.side,
           record.time_in_force},
          record.book};
}

/// A command of an engine that takes off all orders of a side, of a book, or of everything. To a book it is none:
/// a book has the call `clear`. Its reports are a Deleted for each, in the order of books, bids before asks, in
/// priority order; and a Done, whose `cancelled` are their lots, at most 2^64 - 1. Linear in the orders and the
/// books. Rejections: UnknownBook, InvalidCommand (side is no enumerator).
struct Clear {
  /// The type of its record.
  static constexpr auto type = static_cast<CommandType>(33);

  OrderId id = 0;                    ///< whatever the sender likes; the Done has it
  std::optional<BookNumber> book{};  ///< all books if none
  std::optional<Side> side{};        ///< both sides if none

  friend constexpr bool operator==(const Clear&, const Clear&) = default;

  // What means all in a record. A number that is given, and equal to it, becomes another one that is no book or
  // side.
  static constexpr BookNumber all_books = std::numeric_limits<BookNumber>::max();
  static constexpr auto both_sides = static_cast<Side>(0xff);
};

[[nodiscard]] constexpr Record record_of(const Clear& clear, std::uint64_t time) noexcept {
  const BookNumber book = std::min(clear.book.value_or(0), Clear::all_books - 1);
  const Side side = clear.side == Clear::both_sides ? static_cast<Side>(0xfe) : clear.side.value_or(Side::Buy);
  return {.time = time,
          .id = clear.id,
          .book = clear.book ? book : Clear::all_books,
          .type = Clear::type,
          .side = clear.side ? side : Clear::both_sides};
}
/// What was made a record of that type.
[[nodiscard]] constexpr Clear clear_of(const Record& record) noexcept {
  Clear clear{.id = record.id};
  if (record.book != Clear::all_books) clear.book = record.book;
  if (record.side != Clear::both_sides) clear.side = record.side;
  return clear;
}

/// "Clear id 7, book 3, Sell".
[[nodiscard]] inline std::string to_string(const Clear& clear) {
  return "Clear id " + std::to_string(clear.id) + ", " +
         (clear.book ? "book " + std::to_string(*clear.book) : "all books") + ", " +
         (clear.side ? std::string(to_string(*clear.side)) : "both sides");
}

}  // namespace llmes::inline LLMES_NAMESPACE
