// SPDX-License-Identifier: MIT
//
// Values and texts as the bytes of a message, for codecs: at any address, in the order of bytes of the format.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// A number, an enumerator or a duration in `Bytes` bytes. It may hold any bytes, also a code that is no
/// enumerator. A value that needs more bytes loses the upper ones.
template <class Value, std::size_t Bytes, std::endian Order>
class ByteField {
 public:
  ByteField() = default;
  constexpr ByteField(Value value) noexcept { store(number_of(value), places); }

  [[nodiscard]] constexpr Value value() const noexcept {
    return static_cast<Value>(static_cast<Number>(load(places)));
  }
  constexpr operator Value() const noexcept { return value(); }
  friend constexpr bool operator==(const ByteField& field, const Value& value) noexcept {
    return field.value() == value;
  }
  friend constexpr bool operator==(const ByteField&, const ByteField&) noexcept = default;

 private:
  static constexpr bool is_duration = requires { typename Value::rep; };

  /// What a value is counted in.
  static consteval auto counted_in() noexcept {
    if constexpr (std::is_enum_v<Value>) {
      return std::underlying_type_t<Value>{};
    } else if constexpr (is_duration) {
      return typename Value::rep{};
    } else {
      return Value{};
    }
  }
  using Number = decltype(counted_in());

  [[nodiscard]] static constexpr std::uint64_t number_of(Value value) noexcept {
    if constexpr (is_duration) {
      return static_cast<std::uint64_t>(value.count());
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }

  /// How far the byte at a place is shifted.
  [[nodiscard]] static constexpr std::size_t shift(std::size_t place) noexcept {
    return 8 * (Order == std::endian::big ? Bytes - 1 - place : place);
  }

  // Without a loop: compilers turn this into one load or store, but not a loop.
  static constexpr std::make_index_sequence<Bytes> places{};
  template <std::size_t... I>
  constexpr void store(std::uint64_t number, std::index_sequence<I...>) noexcept {
    ((bytes_[I] = static_cast<unsigned char>(number >> shift(I))), ...);
  }
  template <std::size_t... I>
  [[nodiscard]] constexpr std::uint64_t load(std::index_sequence<I...>) const noexcept {
    return ((std::uint64_t{bytes_[I]} << shift(I)) | ...);
  }

  std::array<unsigned char, Bytes> bytes_;
};

/// Letters, left-justified and filled up with spaces.
template <std::size_t Bytes>
class TextField {
 public:
  /// Spaces alone.
  constexpr TextField() noexcept { letters_.fill(' '); }
  /// Takes as many letters as fit.
  constexpr TextField(std::string_view text) noexcept {
    letters_.fill(' ');
    std::copy_n(text.begin(), std::min(text.size(), Bytes), letters_.begin());
  }
  constexpr TextField(const char* text) noexcept : TextField(std::string_view(text)) {}

  /// Without the spaces at its end.
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    const std::string_view all(letters_.data(), Bytes);
    return all.substr(0, all.find_last_not_of(' ') + 1);
  }
  friend constexpr bool operator==(const TextField&, const TextField&) = default;

 private:
  std::array<char, Bytes> letters_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
