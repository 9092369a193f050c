// SPDX-License-Identifier: MIT
//
// The fields of ITCH messages and their types: numbers, codes and texts, big-endian and at any address.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llmes/detail/byte_field.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

/// The number of a symbol for one day, from 1 on.
enum class Locate : std::uint16_t {};
/// The venue's name for an order, unique for one day.
enum class Reference : std::uint64_t {};
/// The venue's name for an execution, unique for one day.
enum class MatchNumber : std::uint64_t {};
/// A price in ten-thousandths of a dollar.
enum class Price4 : std::uint32_t {};
/// A level of an index, in hundred-millionths.
enum class Price8 : std::uint64_t {};
/// Since midnight.
using Timestamp = std::chrono::nanoseconds;

/// The side of an order.
enum class BuySell : char { Buy = 'B', Sell = 'S' };

/// A value as in a message: a big-endian number, or a code of one letter. It may hold any bytes, also a code that
/// is no enumerator. A value that needs more bytes loses the upper ones.
template <class Value, std::size_t Bytes = sizeof(Value)>
using Field = llmes::detail::ByteField<Value, Bytes, std::endian::big>;

/// Letters, left-justified and filled up with spaces, such as a symbol.
template <std::size_t Bytes>
class Text {
 public:
  /// Spaces alone.
  constexpr Text() noexcept { letters_.fill(' '); }
  /// Takes as many letters as fit.
  constexpr Text(std::string_view text) noexcept {
    letters_.fill(' ');
    std::copy_n(text.begin(), std::min(text.size(), Bytes), letters_.begin());
  }
  constexpr Text(const char* text) noexcept : Text(std::string_view(text)) {}

  /// Without the spaces at its end.
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    const std::string_view all(letters_.data(), Bytes);
    return all.substr(0, all.find_last_not_of(' ') + 1);
  }
  friend constexpr bool operator==(const Text&, const Text&) = default;

 private:
  std::array<char, Bytes> letters_;
};

using Symbol = Text<8>;
using ParticipantId = Text<4>;

}  // namespace llmes::inline LLMES_NAMESPACE::itch
