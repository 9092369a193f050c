// SPDX-License-Identifier: MIT
//
// What a journal keeps: records of one size, with a sequence, a checksum, and a place in their write.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// How many bytes a disk writes whole or not at all. No record reaches from one of these sectors into the next, or
/// a torn record could look like a damaged one.
inline constexpr std::size_t bytes_of_sector = 512;

/// A command on its way through an engine, of 64, 128, 256 or 512 bytes, the same in the ring and in the journal.
/// Every bit of it is written and checked. The engine sets these three members, whoever sends it all others.
template <class R>
concept JournalRecord = std::default_initializable<R> && std::is_trivially_copyable_v<R> &&
                        std::is_standard_layout_v<R> && std::has_unique_object_representations_v<R> &&
                        sizeof(R) % 64 == 0 && bytes_of_sector % sizeof(R) == 0 && requires(R& record) {
                          { (record.sequence) } -> std::same_as<std::uint64_t&>;  // 1 for the first
                          { (record.checksum) } -> std::same_as<std::uint32_t&>;  // see `checksum_of`
                          {
                            (record.index_in_write)
                          } -> std::same_as<std::uint32_t&>;  // how many of the same write come before it
                        };

/// The CRC32C of a record whose checksum counts as 0.
template <JournalRecord R>
[[nodiscard]] inline std::uint32_t checksum_of(const R& record) noexcept {
  constexpr std::size_t place = offsetof(R, checksum);
  auto words = std::bit_cast<std::array<std::uint64_t, sizeof(R) / 8>>(record);
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

}  // namespace llmes::inline LLMES_NAMESPACE
