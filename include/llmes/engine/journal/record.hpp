// SPDX-License-Identifier: MIT
//
// One command of a book on its way through the engine: 64 bytes, one cache line, the same in the ring and in the
// journal. The engine stamps a record in the ring and writes it to the journal from there.
#pragma once

#include <bit>
#include <cstdint>

#include "llmes/engine/journal/journal_record.hpp"
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

}  // namespace llmes::inline LLMES_NAMESPACE
