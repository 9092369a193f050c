// SPDX-License-Identifier: MIT
//
// The journal on disk: a directory of segments. A segment has a header of 512 bytes and room for a fixed number of
// records, then zeros. Its name is the sequence of its first record, in twenty digits. Numbers are little-endian.
//
// A journal has a random id, and a chain: a hash over all records so far. The header of each segment and snapshot
// has both, which exposes a file of another journal, or of a copy that another engine continued. Neither is a
// signature, nor is a checksum: anyone who can write to the directory can make files that pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A name in a field of fixed size, cut or filled with zeros.
template <std::size_t size>
[[nodiscard]] constexpr std::array<char, size> fixed_text(std::string_view text) noexcept {
  std::array<char, size> fixed{};
  detail::copy(text.substr(0, size), fixed.begin());
  return fixed;
}
template <std::size_t size>
[[nodiscard]] constexpr std::string_view text_of(const std::array<char, size>& fixed) noexcept {
  return {fixed.begin(), detail::find(fixed, '\0')};
}

/// The version of the library as 1000 * major + minor. A patch changes neither layout nor results.
inline constexpr std::uint32_t library_version = LLMES_VERSION_MAJOR * 1'000 + LLMES_VERSION_MINOR;

/// The parameters of a journal's machine, such as books, as numbers with names. A journal is refused if any of
/// them differs, as commands then give other results. Names keep 16 characters, the kind 24.
struct JournalParameters {
  struct Field {
    std::array<char, 16> name{};
    std::uint64_t value = 0;

    friend constexpr bool operator==(const Field&, const Field&) = default;
  };

  std::array<char, 24> kind{};  ///< of book, index and commands, as the caller calls it
  std::array<Field, 18> fields{};

  constexpr JournalParameters() noexcept = default;
  explicit constexpr JournalParameters(std::string_view of_kind) noexcept : kind(fixed_text<24>(of_kind)) {}

  /// Adds a number.
  /// @return false if the name is empty or 18 are there already; then nothing is added.
  [[nodiscard]] constexpr bool add(std::string_view name, std::uint64_t value) noexcept {
    auto* const free = detail::find(fields, Field{});
    if (name.empty() || free == fields.end()) return false;
    *free = {fixed_text<16>(name), value};
    return true;
  }

  friend constexpr bool operator==(const JournalParameters&, const JournalParameters&) = default;
};

/// Identifies one journal among all others.
struct JournalId {
  /// Set in the last number of each id, so that its last byte is not 0 and a truncated id is recognised.
  static constexpr std::uint64_t mark = std::uint64_t{1} << 63;

  std::array<std::uint64_t, 2> numbers{};  ///< 0 if it is not known

  [[nodiscard]] explicit constexpr operator bool() const noexcept { return *this != JournalId{}; }
  friend constexpr bool operator==(const JournalId&, const JournalId&) = default;
};

/// A place in a journal: behind a record.
struct JournalMark {
  std::uint64_t sequence = 0;  ///< of that record; 0 at the beginning
  JournalId journal{};         ///< if it is not known, nor is the chain
  std::uint64_t chain = 0;     ///< of all records up to there
};

/// The chain with one more record.
template <JournalRecord R>
[[nodiscard]] constexpr std::uint64_t next_chain(std::uint64_t chain, const R& record) noexcept {
  return hash_of(chain ^ record.checksum);
}

/// The largest sequence. Arithmetic on sequences never wraps.
inline constexpr std::uint64_t sequence_max = std::numeric_limits<std::uint64_t>::max() / 2;
/// Whether a record may have this number.
[[nodiscard]] constexpr bool is_sequence(std::uint64_t number) noexcept {
  return number >= 1 && number <= sequence_max;
}

/// The first block of a segment.
struct JournalHeader {
  static constexpr std::array<char, 8> magic_text = fixed_text<8>("llmesjnl");
  static constexpr std::uint16_t version_now = 2;  ///< of this header and of `Record`, not of the library
  /// The most records of a segment, which has 16 GiB then if they are of 64 bytes.
  static constexpr std::uint64_t segment_records_max = std::uint64_t{1} << 28;

  std::array<char, 8> magic = magic_text;
  std::uint16_t version = version_now;
  std::uint16_t longer_by = 0;        ///< how many times 64 bytes a record has more than 64
  std::uint32_t checksum = 0;         ///< the CRC32C of this block with a checksum of 0
  std::uint64_t first_sequence = 0;   ///< of the first record
  std::uint64_t segment_records = 0;  ///< how many the segment has room for
  JournalParameters parameters{};
  JournalId journal{};
  std::uint64_t chain = 0;  ///< of all records before the first one

  /// What `longer_by` is for such records.
  template <JournalRecord R>
  static constexpr auto longer_by_of = static_cast<std::uint16_t>(sizeof(R) / 64 - 1);
  [[nodiscard]] constexpr std::uint64_t record_bytes() const noexcept {
    return 64 + 64 * std::uint64_t{longer_by};
  }

  [[nodiscard]] std::uint32_t checksum_now() const noexcept { return checksum_of(*this); }
  /// Whether the magic number, the checksum and the numbers are valid.
  [[nodiscard]] bool whole() const noexcept {
    return magic == magic_text && checksum == checksum_now() && is_sequence(first_sequence) &&
           segment_records >= 1 && segment_records <= segment_records_max;
  }
};
static_assert(sizeof(JournalHeader) == 512 && std::has_unique_object_representations_v<JournalHeader>);
static_assert(sizeof(JournalHeader) % bytes_of_sector == 0, "no record reaches from one sector into the next");

/// Where a record lies in a segment.
template <JournalRecord R = Record>
[[nodiscard]] constexpr std::uint64_t record_offset(std::uint64_t index) noexcept {
  return sizeof(JournalHeader) + index * sizeof(R);
}

/// The name of a file in the directory of a journal, with a 0 behind it.
class JournalName {
 public:
  static constexpr std::string_view segment_ending = ".journal";
  static constexpr std::string_view snapshot_ending = ".snapshot";
  static constexpr std::string_view new_ending = ".new";  // of a snapshot that is being written
  static constexpr std::size_t digits = 20;               // of the largest number

  constexpr JournalName() noexcept = default;
  explicit constexpr JournalName(std::string_view name) noexcept : text_(fixed_text<32>(name.substr(0, 31))) {}

  /// A number in twenty digits, and an ending.
  [[nodiscard]] static constexpr JournalName of(std::uint64_t number, std::string_view ending) noexcept {
    JournalName name;
    for (std::size_t i = digits; i-- > 0; number /= 10) name.text_[i] = static_cast<char>('0' + number % 10);
    detail::copy(ending.substr(0, 11), name.text_.begin() + digits);
    return name;
  }
  /// The number of such a name, if `name` is one.
  [[nodiscard]] static constexpr std::optional<std::uint64_t> number_of(std::string_view name,
                                                                        std::string_view ending) noexcept {
    std::uint64_t number = 0;
    for (const char c : name.substr(0, digits)) number = 10 * number + static_cast<std::uint64_t>(c - '0');
    // Also refuses what is no digit, too large, too short or too long.
    if (name != of(number, ending).text()) return {};
    return number;
  }

  /// Of the segment whose first record has this sequence.
  [[nodiscard]] static constexpr JournalName of_segment(std::uint64_t first_sequence) noexcept {
    return of(first_sequence, segment_ending);
  }
  /// The sequence that a segment is named by, if `name` is one of a segment.
  [[nodiscard]] static constexpr std::optional<std::uint64_t> sequence_of(std::string_view name) noexcept {
    return number_of(name, segment_ending);
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_of(text_); }

 private:
  std::array<char, 32> text_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
