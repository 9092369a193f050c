// SPDX-License-Identifier: MIT
//
// Reads a DBN file in place, without a copy: its header, which says what it is about and which instruments have
// which names, and its records; and what can be wrong with its bytes, in words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "llmes/dbn/records.hpp"
#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::dbn {

/// What reading some bytes came to.
enum class ReadStatus : std::uint8_t {
  Success,        ///< nothing is wrong
  Truncated,      ///< they end within the header or a record: read on with more bytes, or the file is cut off
  NotDbn,         ///< they do not begin as a DBN file
  OtherVersion,   ///< a version that is not 1, 2 or 3
  OtherSchema,    ///< the records are of a schema other than mbo
  DamagedHeader,  ///< the header contradicts itself
  DamagedRecord,  ///< a record has a length that its type does not have
};

/// The number of the schema mbo, and of a file of several schemas.
inline constexpr std::uint16_t schema_mbo = 0;
inline constexpr std::uint16_t schema_mixed = 0xffff;

/// The name of a schema by its number; "unknown" if there is none.
[[nodiscard]] constexpr std::string_view schema_name(std::uint16_t schema) noexcept {
  constexpr std::string_view names[] = {"mbo",        "mbp-1",    "mbp-10",    "tbbo",      "trades",
                                        "ohlcv-1s",   "ohlcv-1m", "ohlcv-1h",  "ohlcv-1d",  "definition",
                                        "statistics", "status",   "imbalance", "ohlcv-eod", "cmbp-1",
                                        "cbbo-1s",    "cbbo-1m",  "tcbbo",     "bbo-1s",    "bbo-1m"};
  if (schema == schema_mixed) return "mixed";
  return schema < std::size(names) ? names[schema] : "unknown";
}

/// A status, and what it is about.
struct Fault {
  ReadStatus status = ReadStatus::Success;
  std::size_t offset = 0;    ///< in the bytes, of what is wrong
  std::uint32_t number = 0;  ///< the version, the schema, or the length of the record in bytes

  friend constexpr bool operator==(const Fault&, const Fault&) = default;
};

/// In words, for a message to people, without the offset.
[[nodiscard]] inline std::string to_string(const Fault& fault) {
  const std::string number = std::to_string(fault.number);
  switch (fault.status) {
    case ReadStatus::Success: return "nothing is wrong";
    case ReadStatus::Truncated: return "the file ends within its header or a record";
    case ReadStatus::NotDbn: return "no DBN file: it does not begin with 'DBN'";
    case ReadStatus::OtherVersion: return "DBN of version " + number + "; versions 1 to 3 can be read";
    case ReadStatus::OtherSchema:
      return "DBN of the schema " + std::string(schema_name(static_cast<std::uint16_t>(fault.number))) + " (" +
             number + "); only mbo can be read";
    case ReadStatus::DamagedHeader: return "the header of the DBN file is damaged";
    case ReadStatus::DamagedRecord: return "no record of its type has " + number + " bytes";
  }
  return "unknown";
}

namespace detail {

/// The letters of a field up to its first zero byte.
[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> field) noexcept {
  const auto end = llmes::detail::find(field, std::byte{});
  return {reinterpret_cast<const char*>(field.data()), static_cast<std::size_t>(end - field.begin())};
}

/// The number that some bytes begin with.
template <class Value>
[[nodiscard]] Value number_of(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const Field<Value>*>(bytes.data())->value();
}

inline constexpr std::size_t prefix_size = 8;   ///< "DBN", the version, and the length of the rest
inline constexpr std::size_t fixed_size = 100;  ///< what every header has behind it
inline constexpr std::size_t dataset_size = 16;

/// Where the fixed part has what the versions have at different places.
struct HeaderForm {
  std::size_t codes;          ///< the codes `stype_in`, `stype_out` and `ts_out`
  std::size_t symbol_length;  ///< 0 if it is always 22
};
[[nodiscard]] constexpr HeaderForm header_form(std::uint8_t version) noexcept {
  return version == 1 ? HeaderForm{50, 0} : HeaderForm{42, 45};  // version 1 has a number of records before
}
inline constexpr std::size_t first_symbol_length = 22;  ///< of version 1
inline constexpr std::size_t symbol_length = 71;        ///< of the later ones

}  // namespace detail

/// Some names in a header, each in as many bytes.
class Names {
 public:
  Names() noexcept = default;
  Names(std::span<const std::byte> bytes, std::size_t width) noexcept : bytes_(bytes), width_(width) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / width_; }
  /// Name `index`, which is below `size()`.
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return detail::text_of(bytes_.subspan(index * width_, width_));
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t width_ = 1;
};

/// Which symbol a name of the request stood for, from one day up to another one, which does not belong to it.
struct Mapping {
  std::string_view name{};
  std::uint32_t begin = 0;  ///< a date, as 20'261'127
  std::uint32_t end = 0;
  std::string_view symbol{};  ///< in a file by instrument ids, such an id in decimal digits
};

/// What the header says. It refers to the bytes that it was read from.
struct Metadata {
  std::uint8_t version = 0;  ///< 1 to 3
  std::string_view dataset{};
  std::uint16_t schema = schema_mbo;  ///< or `schema_mixed`
  std::uint64_t start = 0;            ///< nanoseconds since 1970
  std::uint64_t end = undefined_time;
  std::uint64_t limit = 0;     ///< the most records; 0 if there was no limit
  std::uint8_t stype_in = 0;   ///< how the request names instruments; 255 if in several ways
  std::uint8_t stype_out = 0;  ///< how `Mapping::symbol` does; 0 by instrument ids
  bool has_sent_time = false;  ///< 8 bytes more behind each record
  Names symbols{};
  Names partial{};           ///< those that some days do not have
  Names not_found{};         ///< those that no day has
  std::size_t size = 0;      ///< the bytes of the header: the first record follows them
  std::size_t mappings = 0;  ///< how many names have mappings

  /// Calls `visitor` with each mapping in turn. Linear.
  template <class Visitor>
  void visit_mappings(Visitor&& visitor) const {
    std::span<const std::byte> rest = mapping_bytes;
    const auto take = [&rest](std::size_t bytes) {
      const std::span<const std::byte> taken = rest.first(bytes);
      rest = rest.subspan(bytes);
      return taken;
    };
    for (std::size_t i = 0; i < mappings; ++i) {
      Mapping mapping{.name = detail::text_of(take(width))};
      for (auto left = detail::number_of<std::uint32_t>(take(4)); left > 0; --left) {
        mapping.begin = detail::number_of<std::uint32_t>(take(4));
        mapping.end = detail::number_of<std::uint32_t>(take(4));
        mapping.symbol = detail::text_of(take(width));
        visitor(mapping);
      }
    }
  }

  std::span<const std::byte> mapping_bytes{};  ///< what that reads: checked when the header was read
  std::size_t width = detail::symbol_length;
};

/// How long a header can be. A longer one is damaged: nobody waits for its end.
inline constexpr std::size_t header_size_max = std::size_t{1} << 28;

namespace detail {

/// Reads the lists of a header one after another. Once something is missing, it has no more bytes and is damaged.
class ListReader {
 public:
  ListReader(std::span<const std::byte> rest, std::size_t width) noexcept : rest_(rest), width_(width) {}

  [[nodiscard]] std::uint32_t number() noexcept {
    const std::span<const std::byte> bytes = take(4);
    return is_damaged_ ? 0 : number_of<std::uint32_t>(bytes);
  }
  [[nodiscard]] Names names() noexcept {
    const std::uint64_t count = number();
    return {take(count * width_), width_};
  }
  /// The bytes of all mappings of so many names.
  [[nodiscard]] std::span<const std::byte> mappings(std::uint64_t count) noexcept {
    const std::span<const std::byte> all = rest_;
    for (; count > 0 && !is_damaged_; --count) {
      static_cast<void>(take(width_));
      const std::uint64_t intervals = number();
      static_cast<void>(take(intervals * (4 + 4 + width_)));
    }
    return all.first(all.size() - rest_.size());
  }
  [[nodiscard]] bool is_damaged() const noexcept { return is_damaged_; }

 private:
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t size) noexcept {
    if (size > rest_.size()) {
      is_damaged_ = true;
      rest_ = rest_.first(0);
      return rest_;
    }
    const std::span<const std::byte> taken = rest_.first(size);
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  std::span<const std::byte> rest_;
  std::size_t width_;
  bool is_damaged_ = false;
};

}  // namespace detail

/// Reads the header that `bytes` begin with; behind it anything may follow. Linear in it; allocates nothing.
/// @param metadata what it says, which refers to `bytes`; of use only after a success
/// @return Success, or why not, and `metadata` means nothing: Truncated (read again with more bytes; they are
/// enough once there are as many as `number` says), NotDbn, OtherVersion, OtherSchema, DamagedHeader.
[[nodiscard]] inline Fault read_metadata(std::span<const std::byte> bytes, Metadata& metadata) noexcept {
  constexpr std::array<std::byte, 3> magic{std::byte{'D'}, std::byte{'B'}, std::byte{'N'}};
  const std::size_t shown = std::min(bytes.size(), magic.size());
  if (!llmes::detail::equal(bytes.first(shown), std::span(magic).first(shown))) return {ReadStatus::NotDbn, 0, 0};
  if (bytes.size() < detail::prefix_size) return {ReadStatus::Truncated, bytes.size(), detail::prefix_size};
  const auto version = std::to_integer<std::uint8_t>(bytes[3]);
  if (version == 0 || version > 3) return {ReadStatus::OtherVersion, 3, version};
  const std::size_t size = detail::prefix_size + std::size_t{detail::number_of<std::uint32_t>(bytes.subspan(4))};
  if (size < detail::prefix_size + detail::fixed_size + 4 || size > header_size_max) {
    return {ReadStatus::DamagedHeader, 4, 0};
  }
  if (bytes.size() < size) return {ReadStatus::Truncated, bytes.size(), static_cast<std::uint32_t>(size)};

  const std::span<const std::byte> fixed = bytes.subspan(detail::prefix_size, detail::fixed_size);
  const auto schema = detail::number_of<std::uint16_t>(fixed.subspan(detail::dataset_size));
  const std::size_t schema_offset = detail::prefix_size + detail::dataset_size;
  if (schema != schema_mbo && schema != schema_mixed) return {ReadStatus::OtherSchema, schema_offset, schema};
  const detail::HeaderForm form = detail::header_form(version);
  const std::size_t width = form.symbol_length == 0
                                ? detail::first_symbol_length
                                : detail::number_of<std::uint16_t>(fixed.subspan(form.symbol_length));
  const auto sends = std::to_integer<std::uint8_t>(fixed[form.codes + 2]);
  if (width == 0) return {ReadStatus::DamagedHeader, detail::prefix_size + form.symbol_length, 0};
  if (sends > 1) return {ReadStatus::DamagedHeader, detail::prefix_size + form.codes + 2, 0};

  metadata = {.version = version,
              .dataset = detail::text_of(fixed.first(detail::dataset_size)),
              .schema = schema,
              .start = detail::number_of<std::uint64_t>(fixed.subspan(18)),
              .end = detail::number_of<std::uint64_t>(fixed.subspan(26)),
              .limit = detail::number_of<std::uint64_t>(fixed.subspan(34)),
              .stype_in = std::to_integer<std::uint8_t>(fixed[form.codes]),
              .stype_out = std::to_integer<std::uint8_t>(fixed[form.codes + 1]),
              .has_sent_time = sends == 1,
              .size = size,
              .width = width};
  const std::size_t lists_offset = detail::prefix_size + detail::fixed_size;
  detail::ListReader lists(bytes.first(size).subspan(lists_offset), width);
  if (lists.number() != 0)
    return {ReadStatus::DamagedHeader, lists_offset, 0};  // the length of a schema definition
  metadata.symbols = lists.names();
  metadata.partial = lists.names();
  metadata.not_found = lists.names();
  metadata.mappings = lists.number();
  metadata.mapping_bytes = lists.mappings(metadata.mappings);
  if (lists.is_damaged()) return {ReadStatus::DamagedHeader, lists_offset, 0};
  return {};
}

/// Which symbol an instrument has, as a live session says in a record before those of the instrument.
struct SymbolMapping {
  std::uint32_t instrument = 0;
  std::string_view requested{};  ///< what the request named, for instance "ES.FUT"
  std::string_view symbol{};     ///< the instrument, for instance "ESH7"
};

/// Reads the record of a symbol mapping, of any version. It refers to the bytes.
/// @return nothing if it is another record
[[nodiscard]] inline std::optional<SymbolMapping> read_symbol_mapping(std::span<const std::byte> record) noexcept {
  constexpr std::size_t times = 16;  // from when, and until when
  constexpr std::size_t first_size = sizeof(RecordHeader) + 2 * detail::first_symbol_length + 4 + times;
  constexpr std::size_t later_size = sizeof(RecordHeader) + 2 * (1 + detail::symbol_length) + times;
  if (record.size() < sizeof(RecordHeader) || static_cast<RecordType>(record[1]) != RecordType::SymbolMapping) {
    return {};
  }
  // A time of sending may follow.
  const bool is_first = record.size() == first_size || record.size() == first_size + 8;
  const bool is_later = record.size() == later_size || record.size() == later_size + 8;
  if (!is_first && !is_later) return {};
  const std::size_t length = is_first ? detail::first_symbol_length : detail::symbol_length;
  const std::size_t code = is_first ? 0 : 1;  // how a symbol names the instrument, before it
  const std::size_t requested = sizeof(RecordHeader) + code;
  return SymbolMapping{.instrument = detail::number_of<std::uint32_t>(record.subspan(4)),
                       .requested = detail::text_of(record.subspan(requested, length)),
                       .symbol = detail::text_of(record.subspan(requested + length + code, length))};
}

/// Reads the records behind a header. Others, such as a live session's symbol mappings, are skipped and counted.
///
/// The bytes may be part of a file and hold anything. After Success or Truncated, keep those from `offset()` on,
/// append more of the file, and begin with a new reader: the records are the same wherever the file is cut.
/// `record_size_max` bytes are always enough. Any other status is final. Records read before stay valid.
class RecordReader {
 public:
  /// @param has_sent_time that of the header
  explicit RecordReader(std::span<const std::byte> bytes, bool has_sent_time = false) noexcept
      : bytes_(bytes), mbo_size_(sizeof(Mbo) + (has_sent_time ? 8 : 0)) {}

  /// The next record, where it was received; nothing at the end, before an error and after it: `fault` tells. O(1)
  /// but for records that are passed over; allocates nothing.
  [[nodiscard]] const Mbo* next() noexcept {
    return next([](std::span<const std::byte>) {});
  }
  /// The same, and calls `other` with the bytes of each record that it passes over.
  template <class Other>
  [[nodiscard]] const Mbo* next(Other&& other) {
    while (true) {
      const std::span<const std::byte> rest = bytes_.subspan(offset_);
      if (rest.size() >= mbo_size_ && has_mbo(rest)) [[likely]] {
        offset_ += mbo_size_;
        return reinterpret_cast<const Mbo*>(rest.data());  // bytes and nothing else, so at any address
      }
      if (!pass_over(rest)) return nullptr;
      other(rest.first(rest.size() - (bytes_.size() - offset_)));
    }
  }

  /// When the record that `next` has just given was sent, nanoseconds since 1970; 0 if the file does not say.
  [[nodiscard]] std::uint64_t sent_time() const noexcept {
    if (mbo_size_ == sizeof(Mbo) || offset_ < mbo_size_) return 0;
    return detail::number_of<std::uint64_t>(bytes_.subspan(offset_ - 8));
  }

  /// What is wrong with the bytes at `offset()`; Success if nothing is so far. Of a damaged record, its length.
  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

  /// Where the next record begins, or after an error the faulty one.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

  /// How many records of other types were passed over.
  [[nodiscard]] std::size_t passed_over() const noexcept { return passed_over_; }

 private:
  [[nodiscard]] bool has_mbo(std::span<const std::byte> rest) const noexcept {
    return std::to_integer<std::size_t>(rest[0]) * 4 == mbo_size_ && is_mbo(rest);
  }
  [[nodiscard]] static bool is_mbo(std::span<const std::byte> rest) noexcept {
    return static_cast<RecordType>(rest[1]) == RecordType::Mbo;
  }

  /// Goes beyond a whole record of another type. @return whether there was one; `fault_` says why not
  [[nodiscard, gnu::noinline]] bool pass_over(std::span<const std::byte> rest) noexcept {
    fault_ = {};
    if (rest.empty()) return false;
    const std::size_t size = std::to_integer<std::size_t>(rest[0]) * 4;
    const bool is_whole = rest.size() >= std::max(size, sizeof(RecordHeader));
    const bool is_damaged = size < sizeof(RecordHeader) || (rest.size() > 1 && is_mbo(rest) && size != mbo_size_);
    if (is_damaged) {
      fault_ = {ReadStatus::DamagedRecord, offset_, static_cast<std::uint32_t>(size)};
    } else if (!is_whole) {
      fault_ = {ReadStatus::Truncated, offset_, 0};
    } else {
      offset_ += size;
      ++passed_over_;
    }
    return fault_.status == ReadStatus::Success;
  }

  std::span<const std::byte> bytes_;
  std::size_t mbo_size_;
  std::size_t offset_ = 0;
  std::size_t passed_over_ = 0;
  Fault fault_;
};

/// The longest record that there can be, in bytes.
inline constexpr std::size_t record_size_max = 4 * 255;

}  // namespace llmes::inline LLMES_NAMESPACE::dbn
