// SPDX-License-Identifier: MIT
//
// Names of enumerators, for `to_string`.
#pragma once

#include <cstddef>
#include <string_view>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The name of an enumerator that counts from 0 to `last`; "?" for any other number. `names` are in order.
template <auto last, std::size_t count>
[[nodiscard]] constexpr std::string_view enumerator_name(decltype(last) value,
                                                         const std::string_view (&names)[count]) noexcept {
  static_assert(count == static_cast<std::size_t>(last) + 1, "each enumerator has a name");
  const auto at = static_cast<std::size_t>(value);
  return at < count ? names[at] : "?";
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
