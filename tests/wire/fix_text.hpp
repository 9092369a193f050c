// SPDX-License-Identifier: MIT
//
// Messages of FIX written by hand in tests, with `|` for the separator, and their frames counted anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace llmes::test {

/// `|` as the separator, and back.
[[nodiscard]] inline std::string fields(std::string text) {
  std::ranges::replace(text, '|', '\x01');
  return text;
}
[[nodiscard]] inline std::string readable(std::string text) {
  std::ranges::replace(text, '\x01', '|');
  return text;
}

/// A whole message around a body such as `35=0|34=2|`, with at least so many digits of its BodyLength.
[[nodiscard]] inline std::string framed(std::string_view body, std::string_view begin_string = "FIX.4.4",
                                        std::size_t length_digits = 0) {
  std::string length = std::to_string(body.size());
  if (length.size() < length_digits) length.insert(0, length_digits - length.size(), '0');
  std::string text = fields("8=" + std::string(begin_string) + "|9=" + length + "|" + std::string(body));
  unsigned sum = 0;
  for (const char letter : text) sum += static_cast<unsigned char>(letter);
  const std::string digits = std::to_string(sum % 256);
  return text + fields("10=" + std::string(3 - digits.size(), '0') + digits + "|");
}

[[nodiscard]] inline std::string padded(std::string_view body, std::size_t length_digits) {
  return framed(body, "FIX.4.4", length_digits);
}

}  // namespace llmes::test
