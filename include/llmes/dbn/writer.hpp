// SPDX-License-Identifier: MIT
//
// Writes DBN files of the schema mbo, of each version, into the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "llmes/dbn/reader.hpp"
#include "llmes/dbn/records.hpp"
#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::dbn {

/// The outcome of writing. After anything but Success nothing was written.
enum class WriteStatus : std::uint8_t {
  Success,
  Full,            ///< it does not fit
  UnknownVersion,  ///< not 1, 2 or 3
  NameTooLong,     ///< a dataset above 16 letters, or a name or symbol above 21 in version 1, above 70 later
};

/// What a header is to say. A file that this writes has instrument ids as symbols.
struct HeaderFields {
  std::uint8_t version = 3;
  std::string_view dataset{};
  std::uint64_t start = 0;  ///< nanoseconds since 1970
  std::uint64_t end = undefined_time;
  bool has_sent_time = false;
  std::span<const Mapping> mappings{};  ///< each of a name of its own, which is a symbol of the header as well
};

/// Writes a header and records, as `read_metadata` and `RecordReader` read them.
class Writer {
 public:
  explicit Writer(std::span<std::byte> room) noexcept : room_(room) {}

  /// How many bytes a header takes; its version is 1 to 3.
  [[nodiscard]] static constexpr std::size_t size_of(const HeaderFields& header) noexcept {
    const std::size_t width = width_of(header.version);
    const std::size_t lists = 5 * 4 + header.mappings.size() * (3 * width + 3 * 4);
    const std::size_t size = detail::prefix_size + detail::fixed_size + lists;
    return header.version < 3 ? size : (size + 7) / 8 * 8;
  }

  /// Appends a header, and remembers whether records have a time of sending. Linear in it.
  /// @return Success, UnknownVersion, NameTooLong, Full.
  [[nodiscard]] WriteStatus append(const HeaderFields& header) noexcept {
    if (header.version == 0 || header.version > 3) return WriteStatus::UnknownVersion;
    const std::size_t width = width_of(header.version);
    const auto is_too_long = [width](const Mapping& mapping) {
      return mapping.name.size() >= width || mapping.symbol.size() >= width;
    };
    if (header.dataset.size() > detail::dataset_size || llmes::detail::any_of(header.mappings, is_too_long)) {
      return WriteStatus::NameTooLong;
    }
    const std::size_t size = size_of(header);
    if (room_.size() - size_ < size) return WriteStatus::Full;
    has_sent_time_ = header.has_sent_time;
    const std::size_t end = size_ + size;
    put_text("DBN", 3);
    put(header.version);
    put(static_cast<std::uint32_t>(size - detail::prefix_size));
    put_fixed(header, width);
    put(std::uint32_t{0});  // of a schema definition
    put(static_cast<std::uint32_t>(header.mappings.size()));
    for (const Mapping& mapping : header.mappings) put_text(mapping.name, width);
    put(std::uint32_t{0});  // names that some days do not have
    put(std::uint32_t{0});  // names that no day has
    put(static_cast<std::uint32_t>(header.mappings.size()));
    for (const Mapping& mapping : header.mappings) {
      put_text(mapping.name, width);
      put(std::uint32_t{1});
      put(mapping.begin);
      put(mapping.end);
      put_text(mapping.symbol, width);
    }
    put_text({}, end - size_);
    return WriteStatus::Success;
  }

  /// Appends a record, with its length as the header asks for. O(1); allocates nothing. Success or Full.
  /// @param sent_time when it was sent, in nanoseconds since 1970; for a file that says it
  [[nodiscard]] WriteStatus append(Mbo record, std::uint64_t sent_time = 0) noexcept {
    const std::size_t size = sizeof record + (has_sent_time_ ? sizeof sent_time : 0);
    if (room_.size() - size_ < size) return WriteStatus::Full;
    record.header.length = static_cast<std::uint8_t>(size / 4);
    record.header.type = RecordType::Mbo;
    put_bytes(record);
    if (has_sent_time_) put(sent_time);
    return WriteStatus::Success;
  }

  /// All that was written.
  [[nodiscard]] std::span<const std::byte> written() const noexcept { return room_.first(size_); }

  /// Begins again at the start of the memory, with records as before.
  void clear() noexcept { size_ = 0; }

 private:
  [[nodiscard]] static constexpr std::size_t width_of(std::uint8_t version) noexcept {
    return version == 1 ? detail::first_symbol_length : detail::symbol_length;
  }

  void put_fixed(const HeaderFields& header, std::size_t width) noexcept {
    const std::size_t end = size_ + detail::fixed_size;
    put_text(header.dataset, detail::dataset_size);
    put(schema_mbo);
    put(header.start);
    put(header.end);
    put(std::uint64_t{0});                         // no limit
    if (header.version == 1) put(undefined_time);  // the number of records is not known yet
    put_text({"\1\0", 2}, 2);                      // by raw symbols in, by instrument ids out
    put(static_cast<std::uint8_t>(header.has_sent_time));
    if (header.version != 1) put(static_cast<std::uint16_t>(width));
    put_text({}, end - size_);
  }

  template <class Value>
  void put(Value value) noexcept {
    put_bytes(Field<Value>(value));
  }
  template <class Bytes>
  void put_bytes(const Bytes& bytes) noexcept {
    static_assert(alignof(Bytes) == 1 && std::is_trivially_copyable_v<Bytes>);
    llmes::detail::copy(std::as_bytes(std::span(&bytes, 1)), room_.subspan(size_).begin());
    size_ += sizeof bytes;
  }
  /// Letters, filled up with zeros.
  void put_text(std::string_view text, std::size_t width) noexcept {
    const std::span<std::byte> field = room_.subspan(size_, width);
    llmes::detail::fill(field, std::byte{});
    llmes::detail::copy(std::as_bytes(std::span<const char>(text)), field.begin());
    size_ += width;
  }

  std::span<std::byte> room_;
  std::size_t size_ = 0;
  bool has_sent_time_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE::dbn
