// SPDX-License-Identifier: MIT
//
// Names of enumerators. Those that are called as in the source have their names from the compiler.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <string_view>
#include <type_traits>
#include <utility>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// The name of an enumerator that counts from 0 to `last`; "?" for any other number. `names` are in order.
template <auto last, std::size_t count>
[[nodiscard]] constexpr std::string_view enumerator_name(decltype(last) value,
                                                         const std::string_view (&names)[count]) noexcept {
  static_assert(count == static_cast<std::size_t>(last) + 1, "each enumerator has a name");
  const auto at = static_cast<std::size_t>(value);
  return at < count ? names[at] : "?";
}

/// The name of an enumerator; "?" for a number that is none, which compilers write as a cast.
template <auto value>
[[nodiscard]] consteval auto name_of() noexcept {
  constexpr std::string_view text(__PRETTY_FUNCTION__,
                                  sizeof(__PRETTY_FUNCTION__) - 2);  // ends in "::Buy" or ")7"
  constexpr std::size_t begin = text.find_last_of(":)");
  return text[begin] == ':' ? text.substr(begin + 1) : std::string_view("?");
}

template <class Enum, std::size_t... numbers>
inline constexpr std::array<std::string_view, sizeof...(numbers)> names_of(std::index_sequence<numbers...>) {
  return {name_of<static_cast<Enum>(numbers)>()...};
}

}  // namespace detail

/// The name of an enumerator as in the source, also for streams; "?" for a number that is none, or above 39.
template <class Enum>
  requires std::is_enum_v<Enum>
[[nodiscard]] constexpr std::string_view to_string(Enum value) noexcept {
  constexpr auto names = detail::names_of<Enum>(std::make_index_sequence<40>());
  const auto at = static_cast<std::size_t>(value);
  return at < names.size() ? names[at] : "?";
}
template <class Traits, class Enum>
  requires std::is_enum_v<Enum>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Enum value) {
  return out << to_string(value);
}

}  // namespace llmes::inline LLMES_NAMESPACE
