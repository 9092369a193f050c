// SPDX-License-Identifier: MIT
//
// Finds the records of a DBN file, in place and without a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "llmes/dbn/fault.hpp"
#include "llmes/dbn/metadata.hpp"
#include "llmes/dbn/records.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::dbn {

/// Reads the records behind a header. Records of other types, such as the symbol mappings of a live session, are
/// passed over and counted.
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
    while (true) {
      const std::span<const std::byte> rest = bytes_.subspan(offset_);
      if (rest.size() >= mbo_size_ && has_mbo(rest)) [[likely]] {
        offset_ += mbo_size_;
        return reinterpret_cast<const Mbo*>(rest.data());  // bytes and nothing else, so at any address
      }
      if (!pass_over(rest)) return nullptr;
    }
  }

  /// When the record that `next` has just given was sent, nanoseconds since 1970; 0 if the file does not say.
  [[nodiscard]] std::uint64_t sent_time() const noexcept {
    if (mbo_size_ == sizeof(Mbo) || offset_ < mbo_size_) return 0;
    return detail::number_of<std::uint64_t>(bytes_.subspan(offset_ - 8));
  }

  /// What is wrong with the bytes at `offset()`; Success if nothing is so far. Of a damaged record, how long it
  /// is.
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
