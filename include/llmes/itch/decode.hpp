// SPDX-License-Identifier: MIT
//
// Decodes messages in place, without a copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "llmes/itch/messages.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

/// What the bytes of one message are.
enum class DecodeStatus : std::uint8_t {
  Success,
  UnknownType,  ///< no message begins with this letter
  Truncated,    ///< fewer bytes than a message of this type has, or none
  TooLong,      ///< more bytes than a message of this type has
};

namespace detail {
template <class... M>
consteval std::array<std::uint8_t, 256> message_sizes(const std::tuple<M...>*) noexcept {
  std::array<std::uint8_t, 256> sizes{};
  ((sizes[static_cast<unsigned char>(type_of<M>)] = sizeof(M)), ...);
  return sizes;
}
inline constexpr std::array<std::uint8_t, 256> sizes_of_types =
    message_sizes(static_cast<const Messages*>(nullptr));
}  // namespace detail

/// How many bytes a message of this type has; 0 if there is no such type.
[[nodiscard]] constexpr std::size_t message_size(std::byte type) noexcept {
  return detail::sizes_of_types[static_cast<unsigned char>(type)];
}

/// Calls `handler` with the message in `bytes`, by reference into them, if it takes messages of this type. `bytes`
/// may hold anything; the handler only gets messages of exactly their length. O(1), and fastest for frequent
/// types. The handler must not throw. A handler that takes no type does not compile.
template <class Handler>
[[gnu::always_inline]] inline DecodeStatus decode(std::span<const std::byte> bytes, Handler&& handler) noexcept {
  if (bytes.empty()) return DecodeStatus::Truncated;
  const std::size_t size = message_size(bytes.front());
  if (size == 0) return DecodeStatus::UnknownType;
  if (bytes.size() != size) return bytes.size() < size ? DecodeStatus::Truncated : DecodeStatus::TooLong;
  const auto give = [&]<class M>(const M* message) __attribute__((always_inline)) {
    if (static_cast<char>(bytes.front()) != type_of<M>) return false;
    if constexpr (requires { handler(*message); }) handler(*message);
    return true;
  };
  // A message is bytes and nothing else, so it may be read wherever such bytes are.
  const auto give_one = [&]<class... M>(const std::tuple<M...>*) __attribute__((always_inline)) {
    static_assert(
        (std::is_invocable_v<Handler&, const M&> || ...),
        "llmes: this handler takes no message: it must be callable with a const itch::AddOrder&, or with "
        "another one of llmes/itch/messages.hpp");
    (give(reinterpret_cast<const M*>(bytes.data())) || ...);
  };
  give_one(static_cast<const Messages*>(nullptr));
  return DecodeStatus::Success;
}

/// The bytes of a message, to be sent.
template <Message M>
[[nodiscard]] std::span<const std::byte, sizeof(M)> bytes_of(const M& message) noexcept {
  return std::as_bytes(std::span<const M, 1>(&message, 1));
}

}  // namespace llmes::inline LLMES_NAMESPACE::itch
