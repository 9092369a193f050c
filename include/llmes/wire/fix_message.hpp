// SPDX-License-Identifier: MIT
//
// Messages of FIX as tag=value, for FIX 4.4 and for FIXT.1.1 with 5.0 SP2: bytes into messages, messages into
// fields, where they were received. Bytes may hold anything.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/version.hpp"
#include "llmes/wire/fix_values.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// What stands behind each value.
inline constexpr char separator = '\x01';

/// The longest body that a reader accepts, from behind BodyLength to CheckSum.
inline constexpr std::size_t body_max = 9'900;
/// What a message that is written here has around its body at most: `8=FIXT.1.1|9=NNNN|` and `10=NNN|`.
inline constexpr std::size_t frame_size = 25;
/// The most bytes of a message that is received: a BodyLength may have any number of zeros in front, up to as many
/// digits as a body has bytes.
inline constexpr std::size_t received_max = 2 * body_max + frame_size;

/// One message where it was received; its length and its checksum are right.
struct Frame {
  std::string_view begin_string{};
  std::string_view body{};  ///< from MsgType on, the last separator before CheckSum included
};

/// Splits bytes into messages, in place, and skips what is none: a garbled message counts, and is otherwise
/// ignored, as FIX wants it. Keep the bytes from offset() on, append more, and begin with a new reader.
class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> bytes) noexcept
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  /// The next message, or nothing: what is left is the beginning of one. Linear in the message.
  [[nodiscard]] std::optional<Frame> next() noexcept {
    while (offset_ < text_.size()) {
      const std::string_view rest = text_.substr(offset_);
      Frame frame;
      std::size_t size = 0;
      switch (read(rest, frame, size)) {
        case Reading::Whole: offset_ += size; return frame;
        case Reading::Incomplete: return {};
        case Reading::Garbled: ++garbled_; skip();
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  /// How many stretches of bytes were no message.
  [[nodiscard]] std::size_t garbled() const noexcept { return garbled_; }

 private:
  enum class Reading { Whole, Incomplete, Garbled };
  static constexpr std::string_view beginning = "8=FIX";

  /// To where the next message may begin.
  void skip() noexcept {
    const std::size_t found = text_.find(beginning, offset_ + 1);
    if (found != text_.npos) {
      offset_ = found;
      return;
    }
    std::size_t kept = std::min(beginning.size() - 1, text_.size() - offset_ - 1);
    while (!beginning.starts_with(text_.substr(text_.size() - kept))) --kept;
    offset_ = text_.size() - kept;
  }

  [[nodiscard]] static Reading read(std::string_view text, Frame& frame, std::size_t& size) noexcept {
    if (!text.starts_with(beginning)) return beginning.starts_with(text) ? Reading::Incomplete : Reading::Garbled;
    constexpr std::size_t begin_max = std::string_view("8=FIXT.1.1").size();
    const std::size_t begin_end = text.substr(0, begin_max + 1).find(separator);
    if (begin_end == text.npos) return text.size() > begin_max ? Reading::Garbled : Reading::Incomplete;
    const std::string_view length_field = text.substr(begin_end + 1);
    if (!length_field.starts_with("9="))
      return std::string_view("9=").starts_with(length_field) ? Reading::Incomplete : Reading::Garbled;
    const std::string_view digits = length_field.substr(2, body_max + 1);
    const std::size_t count = std::min(digits.find_first_not_of("0123456789"), digits.size());
    if (count == digits.size()) return count > body_max ? Reading::Garbled : Reading::Incomplete;
    const std::optional<std::uint64_t> length = read_number(digits.substr(0, count));
    if (digits[count] != separator || !length || *length == 0 || *length > body_max) return Reading::Garbled;
    const std::size_t body_begin = begin_end + 1 + 2 + count + 1;
    const std::size_t body_end = body_begin + static_cast<std::size_t>(*length);
    constexpr std::size_t trailer_size = std::string_view("10=000|").size();
    size = body_end + trailer_size;
    if (text.size() < size) return Reading::Incomplete;
    const std::string_view trailer = text.substr(body_end, trailer_size);
    frame = {text.substr(2, begin_end - 2), text.substr(body_begin, body_end - body_begin)};
    if (!frame.body.starts_with("35=") || frame.body.back() != separator) return Reading::Garbled;
    if (!trailer.starts_with("10=") || trailer.back() != separator) return Reading::Garbled;
    unsigned sum = 0;
    for (const char letter : text.substr(0, body_end)) sum += static_cast<unsigned char>(letter);
    return read_number(trailer.substr(3, 3)) == std::uint64_t{sum % 256} ? Reading::Whole : Reading::Garbled;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t garbled_ = 0;
};

/// A field where it was received.
struct Field {
  std::uint32_t tag = 0;
  std::string_view value{};
};

/// The first field with a tag, or nullptr. Linear in the fields, as the one below.
[[nodiscard]] constexpr const Field* find(std::span<const Field> fields, std::uint32_t tag) noexcept {
  const auto found = llmes::detail::find(fields, tag, &Field::tag);
  return found == fields.end() ? nullptr : &*found;
}
/// Its value; empty if there is none.
[[nodiscard]] constexpr std::string_view text(std::span<const Field> fields, std::uint32_t tag) noexcept {
  const Field* const field = find(fields, tag);
  return field == nullptr ? std::string_view{} : field->value;
}

/// What is wrong with the form of a body.
enum class FaultKind : std::uint8_t {
  None,
  InvalidTag,     ///< there is no number from 1 on before a `=`
  NoValue,        ///< nothing follows the `=`
  DataLength,     ///< a field of data and its length do not stand one behind the other, or do not fit
  TooManyFields,  ///< more than `Message::fields_max`
};

/// Where a body is wrong first.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::uint32_t tag = 0;    ///< of the field, if it has one
  std::size_t offset = 0;   ///< of the field, from the beginning of the body
  std::string_view text{};  ///< its value; the whole field if its tag is the fault
};

/// The field of data that a length belongs to: it may hold separators. 0 if the tag is no such length. O(1).
[[nodiscard]] constexpr std::uint32_t data_tag(std::uint32_t length_tag) noexcept {
  struct Pair {
    std::uint16_t length;
    std::uint16_t data;
  };
  constexpr std::array<Pair, 20> pairs{{{90, 91},   {93, 89},     {95, 96},     {212, 213},   {348, 349},
                                        {350, 351}, {352, 353},   {354, 355},   {356, 357},   {358, 359},
                                        {360, 361}, {362, 363},   {364, 365},   {445, 446},   {618, 619},
                                        {621, 622}, {1184, 1185}, {1397, 1398}, {1401, 1402}, {1403, 1404}}};
  const auto* const found = llmes::detail::find(pairs, length_tag, &Pair::length);
  return found == pairs.end() ? 0 : found->data;
}

/// The fields of one body, in their order, without those of the frame: the first one is MsgType. A field may stand
/// several times; `find` gives the first, and `GroupReader` those of repeating groups. Linear to make.
class Message {
 public:
  static constexpr std::size_t fields_max = 1'024;

  explicit Message(const Frame& frame) noexcept : begin_string_(frame.begin_string) { split(frame.body); }

  [[nodiscard]] std::string_view begin_string() const noexcept { return begin_string_; }
  [[nodiscard]] std::string_view type() const noexcept { return text(35); }
  [[nodiscard]] std::span<const Field> fields() const noexcept {
    return {std::launder(reinterpret_cast<const Field*>(room_.data())), size_};
  }
  /// The first fault; fields behind it may be missing.
  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

  /// Linear in the fields, as those below.
  [[nodiscard]] const Field* find(std::uint32_t tag) const noexcept { return fix::find(fields(), tag); }
  /// Empty if there is no such field.
  [[nodiscard]] std::string_view text(std::uint32_t tag) const noexcept { return fix::text(fields(), tag); }
  /// Nothing if there is no such field, or it is no number; so below.
  [[nodiscard]] std::optional<std::uint64_t> number(std::uint32_t tag) const noexcept {
    return read_number(text(tag));
  }
  [[nodiscard]] std::optional<Nanoseconds> time(std::uint32_t tag) const noexcept { return read_time(text(tag)); }
  [[nodiscard]] bool flag(std::uint32_t tag) const noexcept { return text(tag) == "Y"; }

 private:
  void split(std::string_view body) noexcept {
    std::uint32_t awaited = 0;  // the field of data whose length stood just before
    std::size_t data_size = 0;
    std::size_t offset = 0;
    while (offset < body.size()) {
      const std::string_view rest = body.substr(offset);
      const std::size_t equals = rest.substr(0, 10).find('=');
      const std::optional<std::uint64_t> tag =
          equals == rest.npos || rest[0] == '0' ? std::nullopt : read_number(rest.substr(0, equals));
      std::size_t end = rest.find(separator);
      Field field{tag ? static_cast<std::uint32_t>(*tag) : 0, {}};
      if (!tag) {
        found(FaultKind::InvalidTag, {0, rest.substr(0, end)}, offset);
      } else {
        if (awaited != 0 && field.tag == awaited) {
          if (data_size >= rest.size() - equals - 1 || rest[equals + 1 + data_size] != separator)
            return found(FaultKind::DataLength, field, offset);
          end = equals + 1 + data_size;
        } else if (awaited != 0 || is_data(field.tag)) {
          return found(FaultKind::DataLength, field, offset);
        }
        if (end == rest.npos) return found(FaultKind::DataLength, field, offset);
        field.value = rest.substr(equals + 1, end - equals - 1);
        if (field.value.empty()) found(FaultKind::NoValue, field, offset);
        if (size_ == fields_max) return found(FaultKind::TooManyFields, field, offset);
        std::construct_at(reinterpret_cast<Field*>(room_.data()) + size_++, field);
      }
      awaited = data_tag(field.tag);
      if (awaited != 0) data_size = read_number(field.value).value_or(body.size());
      offset = end == rest.npos ? body.size() : offset + end + 1;
    }
    if (awaited != 0) found(FaultKind::DataLength, Field{awaited, {}}, offset);
  }
  void found(FaultKind kind, const Field& field, std::size_t offset) noexcept {
    if (fault_.kind == FaultKind::None) fault_ = {kind, field.tag, offset, field.value};
  }
  [[nodiscard]] static bool is_data(std::uint32_t tag) noexcept { return tag == 89 || (data_tag(tag - 1) == tag); }

  std::string_view begin_string_;
  alignas(Field) std::array<std::byte, fields_max * sizeof(Field)> room_;  // not filled: most messages are short
  std::size_t size_ = 0;
  Fault fault_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE::fix
