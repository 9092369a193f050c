// SPDX-License-Identifier: MIT
//
// Words of Python for enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/types/types.hpp"

namespace llmes::python {

/// Names come from a file, and Python and readers of Arrow take words for UTF-8.
inline std::string readable(std::string_view word) {
  std::string text(word);
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) >= 0x80) letter = '?';
  }
  return text;
}

inline std::invalid_argument unknown_symbol(std::string_view symbol) {
  return std::invalid_argument("the file has no symbol '" + std::string(symbol) + "'; day.symbols() lists all");
}

/// All of `words`, each between quotation marks behind a space.
template <std::size_t N>
std::string list_of(const std::array<std::string_view, N>& words) {
  std::string text;
  for (const std::string_view one : words) text += " '" + std::string(one) + '\'';
  return text;
}

/// Which of `words` this is. Throws std::invalid_argument, with all of them.
template <std::size_t N>
std::uint8_t place_of(std::string_view word, const char* what, const std::array<std::string_view, N>& words) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<std::uint8_t>(i);
  }
  throw std::invalid_argument(std::string(what) + " '" + std::string(word) + "': it is one of" + list_of(words));
}

inline constexpr std::array<std::string_view, 2> side_words{"buy", "sell"};
inline constexpr std::array<std::string_view, 4> time_in_force_words{"gtc", "post_only", "ioc", "fok"};
static_assert(static_cast<int>(Side::Sell) == 1 && static_cast<int>(TimeInForce::PostOnly) == 1 &&
                  static_cast<int>(TimeInForce::ImmediateOrCancel) == 2 &&
                  static_cast<int>(TimeInForce::FillOrKill) == 3,
              "the places of these words are the enumerators");

/// How the argument is called that has an enumerator of `E`, and its words.
template <class E>
struct WordsOf;
template <>
struct WordsOf<Side> {
  static constexpr const char* name = "side";
  static constexpr const auto& words = side_words;
};
template <>
struct WordsOf<TimeInForce> {
  static constexpr const char* name = "time_in_force";
  static constexpr const auto& words = time_in_force_words;
};

constexpr std::string_view word_of(Side side) {
  return side_words[static_cast<std::size_t>(side)];
}
constexpr std::string_view word_of(TimeInForce time_in_force) {
  return time_in_force_words[static_cast<std::size_t>(time_in_force)];
}

}  // namespace llmes::python
