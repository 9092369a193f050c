// SPDX-License-Identifier: MIT
//
// The packets of SoupBinTCP 4.00, from Nasdaq's specification of that name: how messages of another protocol, such
// as OUCH, travel over one stream of bytes. A packet is the length of the rest in two bytes, a type, a payload.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/detail/fields.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::soup {

/// What a packet is. `Unsequenced` comes from both sides.
enum class PacketType : char {
  Debug = '+',  ///< text for people, from both sides
  LoginAccepted = 'A',
  LoginRejected = 'J',
  Sequenced = 'S',  ///< a message that has the next sequence number
  ServerHeartbeat = 'H',
  EndOfSession = 'Z',  ///< there will be no more messages in this session
  LoginRequest = 'L',
  Unsequenced = 'U',
  ClientHeartbeat = 'R',
  LogoutRequest = 'O',
};

/// Why a login is rejected.
enum class RejectReason : char {
  NotAuthorised = 'A',  ///< user or password
  NoSession = 'S',      ///< the session asked for is not there
};

namespace detail {
/// A number in decimal digits. It is written at the right end; it is read from either.
class DecimalField {
 public:
  DecimalField(std::uint64_t number = 0) noexcept {
    digits_.fill(' ');
    std::array<char, 20> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    std::copy_backward(text.data(), end, digits_.end());
  }
  /// Nothing if it is no number, or too large. Spaces alone are 0.
  [[nodiscard]] std::optional<std::uint64_t> value() const noexcept {
    const auto is_digit = [](char letter) { return letter != ' '; };
    const char* const first = llmes::detail::find_if(digits_, is_digit);
    const char* const last = std::find(first, digits_.end(), ' ');
    if (std::find_if(last, digits_.end(), is_digit) != digits_.end()) return {};
    if (first == last) return 0;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(first, last, number);
    if (error != std::errc{} || end != last) return {};
    return number;
  }

 private:
  std::array<char, 20> digits_;
};
}  // namespace detail

/// Of a session: ten letters, padded with spaces on either side.
class SessionName {
 public:
  constexpr SessionName() noexcept = default;
  constexpr SessionName(std::string_view name) noexcept : text_(name) {}
  constexpr SessionName(const char* name) noexcept : text_(std::string_view(name)) {}

  /// Without spaces around it.
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    const std::string_view all = text_.view();
    return all.substr(std::min(all.find_first_not_of(' '), all.size()));
  }
  /// Two names are the same wherever their spaces are.
  friend constexpr bool operator==(const SessionName& a, const SessionName& b) noexcept {
    return a.view() == b.view();
  }

 private:
  llmes::detail::TextField<10> text_{};
};

/// The payloads of a fixed form.
struct LoginRequest {
  llmes::detail::TextField<6> user{};
  llmes::detail::TextField<10> password{};
  SessionName session{};            ///< spaces: the current one
  detail::DecimalField sequence{};  ///< of the first message wanted; 0: of the next one there will be
};
struct LoginAccepted {
  SessionName session{};
  detail::DecimalField sequence{};  ///< of the next message
};
struct LoginRejected {
  llmes::detail::ByteField<RejectReason, 1, std::endian::big> reason{};
};
static_assert(sizeof(LoginRequest) == 46 && sizeof(LoginAccepted) == 30 && sizeof(LoginRejected) == 1);

/// A packet where it was received.
struct Packet {
  PacketType type{};
  std::span<const std::byte> payload{};

  /// Its payload as one of the forms above; nothing if it has another length.
  template <class Form>
  [[nodiscard]] const Form* as() const noexcept {
    return payload.size() == sizeof(Form) ? reinterpret_cast<const Form*>(payload.data()) : nullptr;
  }
};

/// The longest payload that there can be, and what stands before each.
inline constexpr std::size_t payload_max = 65'534;
inline constexpr std::size_t header_size = 3;

/// What is wrong with the bytes at a reader's offset().
enum class ReadStatus : std::uint8_t {
  Success,     ///< nothing
  Incomplete,  ///< they end within a packet: read on with more bytes
  Empty,       ///< a packet without a type
  TooLong,     ///< a payload longer than the reader accepts
};

/// Splits bytes into packets, in place. After Success or Incomplete keep the bytes from offset() on, append more,
/// and begin with a new reader. Any other status is final.
class PacketReader {
 public:
  explicit PacketReader(std::span<const std::byte> bytes, std::size_t longest = payload_max) noexcept
      : bytes_(bytes), longest_(longest) {}

  /// The next packet, or nothing: `status` says why. O(1).
  [[nodiscard]] std::optional<Packet> next() noexcept {
    const std::span<const std::byte> rest = bytes_.subspan(offset_);
    status_ = rest.empty() ? ReadStatus::Success : ReadStatus::Incomplete;
    if (rest.size() < 2) return {};
    const std::size_t size = std::to_integer<std::size_t>(rest[0]) << 8 | std::to_integer<std::size_t>(rest[1]);
    if (size == 0) status_ = ReadStatus::Empty;
    if (size > longest_ + 1) status_ = ReadStatus::TooLong;
    if (status_ != ReadStatus::Incomplete || rest.size() < 2 + size) return {};
    offset_ += 2 + size;
    return Packet{static_cast<PacketType>(rest[2]), rest.subspan(header_size, size - 1)};
  }

  [[nodiscard]] ReadStatus status() const noexcept { return status_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t longest_;
  std::size_t offset_ = 0;
  ReadStatus status_ = ReadStatus::Success;
};

/// Writes packets into the caller's memory.
class PacketWriter {
 public:
  explicit PacketWriter(std::span<std::byte> room) noexcept : room_(room) {}

  /// Appends a packet, if it fits; else nothing is written. @return whether it did. Linear in the payload.
  [[nodiscard]] bool append(PacketType type, std::span<const std::byte> payload = {}) noexcept {
    const std::span<std::byte> rest = room_.subspan(size_);
    if (payload.size() > payload_max || rest.size() < header_size + payload.size()) return false;
    const std::size_t length = payload.size() + 1;
    rest[0] = static_cast<std::byte>(length >> 8);
    rest[1] = static_cast<std::byte>(length);
    rest[2] = static_cast<std::byte>(type);
    llmes::detail::copy(payload, rest.subspan(header_size).begin());
    size_ += header_size + payload.size();
    return true;
  }
  template <class Form>
  [[nodiscard]] bool append(PacketType type, const Form& form) noexcept
    requires(alignof(Form) == 1)
  {
    return append(type, std::as_bytes(std::span(&form, 1)));
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::soup
