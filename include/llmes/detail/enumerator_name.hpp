// SPDX-License-Identifier: MIT
//
// Names of enumerators. Those that are called as in the source have their names from the compiler.
#pragma once

#include <algorithm>
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

/// Enumerators have numbers below this. Letters are below 128.
template <class Enum>
inline constexpr std::size_t enumerator_end = std::is_same_v<std::underlying_type_t<Enum>, char> ? 128 : 256;

template <class Enum, std::size_t... numbers>
[[nodiscard]] consteval auto names_of(std::index_sequence<numbers...>) noexcept {
  return std::array<std::string_view, sizeof...(numbers)>{name_of<static_cast<Enum>(numbers)>()...};
}

struct Enumerator {
  std::string_view name;
  std::size_t number = 0;
};
/// Those of an enumeration, by number.
template <class Enum>
[[nodiscard]] consteval auto find_enumerators() noexcept {
  constexpr auto names = names_of<Enum>(std::make_index_sequence<enumerator_end<Enum>>());
  constexpr auto count = static_cast<std::size_t>(
      std::count_if(names.begin(), names.end(), [](std::string_view name) { return name != "?"; }));
  std::array<Enumerator, count> all{};
  std::size_t next = 0;
  for (std::size_t number = 0; number < names.size(); ++number) {
    if (names[number] != "?") all[next++] = {names[number], number};
  }
  return all;
}
template <class Enum>
inline constexpr auto enumerators = find_enumerators<Enum>();

/// Whether a type stands in namespace llmes, which compilers write first.
template <class Type>
[[nodiscard]] consteval bool is_of_llmes() noexcept {
  constexpr std::string_view text(__PRETTY_FUNCTION__);  // "... [with Type = llmes::Side]"
  return text.substr(text.find("Type = ")).starts_with("Type = llmes::");
}

}  // namespace detail

/// An enumeration of this library whose enumerators have names. A user's own is none, nor is one that only keeps
/// numbers apart, such as `itch::Locate`.
template <class Enum>
concept NamedEnumeration =
    std::is_enum_v<Enum> && detail::is_of_llmes<Enum>() && !detail::enumerators<Enum>.empty();

/// The name of an enumerator as in the source, also for streams; "?" for a number that is none. Linear in the
/// enumerators.
template <NamedEnumeration Enum>
[[nodiscard]] constexpr std::string_view to_string(Enum value) noexcept {
  for (const auto& [name, number] : detail::enumerators<Enum>) {
    if (number == static_cast<std::size_t>(value)) return name;
  }
  return "?";
}
template <class Traits, NamedEnumeration Enum>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Enum value) {
  return out << to_string(value);
}

// A call finds the functions of the namespace of its argument, and not those around it.
namespace dbn {
using llmes::operator<<;
using llmes::to_string;
}  // namespace dbn
namespace fix {
using llmes::operator<<;
using llmes::to_string;
}  // namespace fix
namespace itch {
using llmes::operator<<;
using llmes::to_string;
}  // namespace itch
namespace mold {
using llmes::operator<<;
using llmes::to_string;
}  // namespace mold
namespace ouch {
using llmes::operator<<;
using llmes::to_string;
}  // namespace ouch
namespace soup {
using llmes::operator<<;
using llmes::to_string;
}  // namespace soup

}  // namespace llmes::inline LLMES_NAMESPACE
