// SPDX-License-Identifier: MIT
//
// A text as the bytes of a message, for codecs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

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
