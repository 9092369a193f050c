// SPDX-License-Identifier: MIT
//
// Messages of FIX, written into the caller's memory: first the fields of a body, then the frame around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/fix_values.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// Appends fields to memory. A field that does not fit, or whose value holds a separator, is not written, and
/// neither is any behind it: ask `is_whole` at the end. An empty value has no field.
class FieldWriter {
 public:
  explicit FieldWriter(std::span<std::byte> room) noexcept : room_(room) {}

  FieldWriter& text(std::uint32_t tag, std::string_view value) noexcept {
    if (value.find(separator) != value.npos) is_whole_ = false;
    return put(tag, value);
  }
  FieldWriter& letter(std::uint32_t tag, char value) noexcept { return text(tag, {&value, 1}); }
  FieldWriter& flag(std::uint32_t tag, bool value) noexcept { return text(tag, value ? "Y" : "N"); }
  FieldWriter& number(std::uint32_t tag, std::uint64_t value) noexcept {
    return put(tag, ValueText(value).view());
  }
  /// @param decimals at most 18: `value` counts units of 10^-`decimals`
  FieldWriter& decimal(std::uint32_t tag, std::int64_t value, unsigned decimals) noexcept {
    return put(tag, ValueText::of_decimal(value, decimals).view());
  }
  /// @param digits behind the point of the second: 0, 3, 6 or 9
  FieldWriter& time(std::uint32_t tag, Nanoseconds time, unsigned digits = 9) noexcept {
    return put(tag, ValueText::of_time(time, digits).view());
  }
  /// A field of data with its length before it; it may hold anything.
  FieldWriter& data(std::uint32_t length_tag, std::string_view value) noexcept {
    if (value.empty()) return *this;
    number(length_tag, value.size());
    return put(data_tag(length_tag), value);
  }
  /// Fields that are written already, with their separators.
  FieldWriter& raw(std::string_view fields) noexcept {
    append(fields);
    return *this;
  }

  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return room_.first(size_); }
  [[nodiscard]] std::string_view view() const noexcept {
    return {reinterpret_cast<const char*>(room_.data()), size_};
  }

 private:
  FieldWriter& put(std::uint32_t tag, std::string_view value) noexcept {
    if (value.empty()) return *this;
    const ValueText name(tag);
    if (room_.size() - size_ < name.view().size() + value.size() + 2) is_whole_ = false;
    append(name.view());
    append("=");
    append(value);
    append({&separator, 1});
    return *this;
  }
  void append(std::string_view text) noexcept {
    if (text.size() > room_.size() - size_) is_whole_ = false;
    if (!is_whole_) return;
    llmes::detail::copy(std::as_bytes(std::span<const char>(text)), room_.subspan(size_).begin());
    size_ += text.size();
  }

  std::span<std::byte> room_;
  std::size_t size_ = 0;
  bool is_whole_ = true;
};

/// What the head of each message says.
struct Header {
  std::string_view begin_string{};
  std::string_view type{};
  std::uint64_t sequence = 0;
  std::string_view sender{};
  std::string_view target{};
  Nanoseconds time = 0;  ///< written in milliseconds, which every client reads: see `next_millisecond`
  /// Of a message that is sent again: when it was sent first, as text. Empty: it is sent for the first time.
  std::string_view original_time{};
};

/// Writes a whole message: frame, header and the fields of its body.
/// @return its bytes; 0 if it does not fit, or its body exceeds `body_max`: then do not send `room`. Linear.
[[nodiscard]] inline std::size_t write_message(std::span<std::byte> room, const Header& header,
                                               std::string_view fields) noexcept {
  // The body comes first, behind room for the longest head; then head and body are joined.
  constexpr std::size_t head_max = 2 + 8 + 1 + 2 + 4 + 1;
  if (header.begin_string.size() > 8 || room.size() < head_max) return 0;
  FieldWriter body(room.subspan(head_max));
  body.text(35, header.type)
      .number(34, header.sequence)
      .text(49, header.sender)
      .time(52, next_millisecond(header.time), 3)
      .text(56, header.target);
  if (!header.original_time.empty()) body.flag(43, true).text(122, header.original_time);
  body.raw(fields);
  const std::size_t body_size = body.bytes().size();
  if (!body.is_whole() || body_size > body_max) return 0;
  FieldWriter head(room.first(head_max));
  head.text(8, header.begin_string).number(9, body_size);
  std::size_t size = head.bytes().size();
  std::memmove(room.data() + size, room.data() + head_max, body_size);
  size += body_size;
  unsigned sum = 0;
  for (const std::byte byte : room.first(size)) sum += std::to_integer<unsigned>(byte);
  sum %= 256;
  const char digits[] = {static_cast<char>('0' + sum / 100), static_cast<char>('0' + sum / 10 % 10),
                         static_cast<char>('0' + sum % 10)};
  FieldWriter trailer(room.subspan(size));
  trailer.text(10, {digits, 3});
  return trailer.is_whole() ? size + trailer.bytes().size() : 0;
}

}  // namespace llmes::inline LLMES_NAMESPACE::fix
