// SPDX-License-Identifier: MIT
//
// One command on its way through the engine: 64 bytes, one cache line, the same in the ring and in the journal.
// The engine stamps a record in the ring and writes it to the journal from there.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A `BookRequest` or a `BookCommand`, with its time and sequence. A journal holds one of these two types.
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
static_assert(sizeof(Record) == 64 && std::is_trivially_copyable_v<Record>);
static_assert(std::has_unique_object_representations_v<Record>, "every bit of a record is written and checked");
static_assert(std::endian::native == std::endian::little, "records have their lowest byte first");

/// The CRC32C of a record whose checksum counts as 0.
[[nodiscard]] inline std::uint32_t checksum_of(const Record& record) noexcept {
  auto words = std::bit_cast<std::array<std::uint64_t, 8>>(record);
  words[6] = record.book;  // and not the checksum, which is its upper half
  return crc32c(words);
}

/// Sets a record's sequence, its index in the write, and last its checksum.
inline void stamp(Record& record, std::uint64_t sequence, std::uint32_t index_in_write = 0) noexcept {
  record.sequence = sequence;
  record.index_in_write = index_in_write;
  record.checksum = checksum_of(record);
}

/// The same for the records of one write, of which the first one gets the number `sequence`.
inline void stamp(std::span<Record> records, std::uint64_t sequence) noexcept {
  for (std::uint32_t index = 0; Record & record : records) {
    stamp(record, sequence + index, index);
    ++index;
  }
}

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

}  // namespace llmes::inline LLMES_NAMESPACE
