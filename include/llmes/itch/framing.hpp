// SPDX-License-Identifier: MIT
//
// Splits bytes into messages, behind length prefixes as in a file of a day (BinaryFILE) or without. Writes frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "llmes/detail/algorithm.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

/// One message, type first, without its prefix, where it was received.
using MessageBytes = std::span<const std::byte>;

/// What is wrong with the bytes at a reader's offset().
enum class FramingStatus : std::uint8_t {
  Success,      ///< nothing
  Truncated,    ///< they end within a message: read on with more bytes, or the file is cut off
  TooShort,     ///< the prefix announces fewer bytes than a message of this type has
  TooLong,      ///< the prefix announces more bytes than a message of this type has
  UnknownSize,  ///< no prefix says how long this message of an unknown type is
};

/// In words, for a message to people about a file.
[[nodiscard]] constexpr std::string_view words_of(FramingStatus status) noexcept {
  switch (status) {
    case FramingStatus::Success: return "nothing is wrong";
    case FramingStatus::Truncated: return "the file ends within a message";
    case FramingStatus::TooShort: return "a message is shorter than its type";
    case FramingStatus::TooLong: return "a message is longer than its type";
    case FramingStatus::UnknownSize: return "a message of an unknown type has no length";
  }
  return "unknown";
}

namespace detail {

/// Both readers. Without prefixes, it reads as if each prefix were 0.
template <std::size_t PrefixBytes>
class MessageSplitter {
 public:
  explicit MessageSplitter(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  /// Fills `messages` with the next ones. O(1) for each; allocates nothing.
  /// @return the messages; fewer than fit only at the end or before an error, none after an error.
  [[nodiscard]] std::span<const MessageBytes> read(std::span<MessageBytes> messages) noexcept {
    for (std::size_t count = 0; count < messages.size(); ++count) {
      const std::span<const std::byte> rest = bytes_.subspan(offset_);
      if (rest.size() <= PrefixBytes) {
        // A prefix of 0 with nothing behind it ends a session.
        const bool ends = rest.size() == PrefixBytes && announced_size(rest.data()) == 0;
        status_ = rest.empty() || ends ? FramingStatus::Success : FramingStatus::Truncated;
        return messages.first(count);
      }
      const std::size_t prefix = announced_size(rest.data());
      const std::size_t known = message_size(rest[PrefixBytes]);
      const std::size_t size = prefix != 0 ? prefix : known;
      if ((size != known && known != 0) || size == 0 || size > rest.size() - PrefixBytes) [[unlikely]] {
        status_ = fault(size, known);
        return messages.first(count);
      }
      fetch_next_page(rest.data());
      messages[count] = rest.subspan(PrefixBytes, size);
      offset_ += PrefixBytes + size;
    }
    return messages;
  }

  /// Success: nothing is wrong so far.
  [[nodiscard]] FramingStatus status() const noexcept { return status_; }

  /// Where the next message begins, with its prefix, or after an error the faulty one. Those before were returned.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

 private:
  [[nodiscard]] static std::size_t announced_size(const std::byte* prefix) noexcept {
    if constexpr (PrefixBytes == 0) {
      return 0;
    } else {
      return std::to_integer<std::size_t>(prefix[0]) << 8 | std::to_integer<std::size_t>(prefix[1]);
    }
  }

  /// A hint: prefetches one page behind `address`, mapped or not. Hardware prefetchers stop at the end of a page.
  [[gnu::always_inline]] static void fetch_next_page(const std::byte* address) noexcept {
    constexpr std::uintptr_t page = 4'096;
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + page));
  }

  /// Why a message of this size cannot be read, if messages of its type have `known` bytes.
  [[nodiscard]] static FramingStatus fault(std::size_t size, std::size_t known) noexcept {
    if (size == 0) return FramingStatus::UnknownSize;
    if (known == 0 || size == known) return FramingStatus::Truncated;
    return size < known ? FramingStatus::TooShort : FramingStatus::TooLong;
  }

  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
  FramingStatus status_ = FramingStatus::Success;
};

}  // namespace detail

/// Reads frames: two bytes, big-endian, say how long the message is that follows.
///
/// A message of an unknown type is returned like any other; decode() names it UnknownType. A prefix of 0 stands
/// for the size of a known type. At the end it ends the session; offset() stays at it.
///
/// The bytes may be part of a file. After Success or Truncated, keep those from offset() on, append more of the
/// file, and begin with a new reader: the messages are the same wherever the file is cut. `frame_size_max` bytes
/// are always enough. Any other status is final. Messages read before stay valid.
using FrameReader = detail::MessageSplitter<2>;

/// Reads messages without prefixes. Their types give the lengths, so a message of an unknown type ends the
/// reading: UnknownSize. Otherwise like FrameReader.
using MessageReader = detail::MessageSplitter<0>;

/// The longest frame that there can be, in bytes.
inline constexpr std::size_t frame_size_max = 2 + 65535;

/// The outcome of writing a frame.
enum class WriteStatus : std::uint8_t {
  Success,
  Full,  ///< it does not fit: nothing was written
};

/// Writes frames into the caller's memory, as FrameReader reads them.
class FrameWriter {
 public:
  explicit FrameWriter(std::span<std::byte> room) noexcept : room_(room) {}

  /// Appends a message with its prefix. O(1); allocates nothing. Success or Full.
  template <Message M>
  [[nodiscard]] WriteStatus append(const M& message) noexcept {
    return append_frame(bytes_of(message));
  }

  /// Ends the session: a prefix of 0. Success or Full.
  [[nodiscard]] WriteStatus append_end() noexcept { return append_frame({}); }

  /// The frames so far.
  [[nodiscard]] std::span<const std::byte> written() const noexcept { return room_.first(size_); }

  /// Begins again at the start of the memory.
  void clear() noexcept { size_ = 0; }

 private:
  [[nodiscard]] WriteStatus append_frame(MessageBytes message) noexcept {
    const std::span<std::byte> rest = room_.subspan(size_);
    const Field<std::uint16_t> prefix = static_cast<std::uint16_t>(message.size());
    if (rest.size() < sizeof prefix + message.size()) return WriteStatus::Full;
    llmes::detail::copy(std::as_bytes(std::span(&prefix, 1)), rest.begin());
    llmes::detail::copy(message, rest.subspan(sizeof prefix).begin());
    size_ += sizeof prefix + message.size();
    return WriteStatus::Success;
  }

  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::itch
