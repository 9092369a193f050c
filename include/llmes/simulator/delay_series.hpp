// SPDX-License-Identifier: MIT
//
// A measured series of delays from the text of a CSV file.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Reads the first field of each line: whole nanoseconds. The first line may be a title; empty lines are passed
/// over. Linear. @return the series for a `Delay`; nothing if a line begins with no such number, and `wrong_line`
/// is its number, from 1.
[[nodiscard]] inline std::optional<std::vector<Nanoseconds>> read_delays(std::string_view text,
                                                                         std::size_t& wrong_line) {
  std::vector<Nanoseconds> series;
  for (wrong_line = 1; !text.empty(); ++wrong_line) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view field = line.substr(0, line.find_first_of(",;\r"));
    if (field.empty() && line.size() <= 1) continue;
    Nanoseconds delay = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), delay);
    if (error == std::errc{} && end == field.data() + field.size()) {
      series.push_back(delay);
    } else if (wrong_line > 1) {
      return {};
    }
  }
  return series;
}

}  // namespace llmes::inline LLMES_NAMESPACE
