// SPDX-License-Identifier: MIT
//
// The lines of LOBSTER message files: time, type, order id, size, price, direction, as in
// "34200.004241176,1,16113575,18,5853300,1".
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a line says.
enum class LobsterType : std::uint8_t {
  Add = 1,
  Reduce = 2,   ///< a part of an order is cancelled
  Cancel = 3,   ///< an order is cancelled
  Execute = 4,  ///< of a visible order
  Trade = 5,    ///< of a hidden order
  Cross = 6,    ///< of an auction
  Halt = 7,     ///< its price: -1 a halt, 0 quotation resumes, 1 trading resumes
};

/// A line.
struct LobsterLine {
  std::uint64_t time = 0;  ///< nanoseconds since midnight
  LobsterType type{};
  std::int64_t id = 0;  ///< at least 0, but of a `Trade`, `Cross` or `Halt`
  Quantity size = 0;
  Price price = 0;  ///< in ten-thousandths of a dollar
  Side side{};      ///< of the resting order
};

namespace detail {

/// The first field of a line, without its quotes, which is taken off the line. Nothing if quotes do not match.
[[nodiscard]] inline std::optional<std::string_view> take_field(std::string_view& line) noexcept {
  const std::size_t end = line.find(',');
  std::string_view field = line.substr(0, end);
  line = end == line.npos ? std::string_view{} : line.substr(end + 1);
  const bool begins = field.starts_with('"');
  const bool ends = field.size() > 1 && field.ends_with('"');
  if (begins != ends || field == "\"") return {};
  if (begins) field = field.substr(1, field.size() - 2);
  return field;
}

template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& number) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Seconds with at most nine places, in nanoseconds; less than ten days.
[[nodiscard]] inline bool read_seconds(std::string_view text, std::uint64_t& nanoseconds) noexcept {
  const std::size_t point = text.find('.');
  std::uint64_t seconds = 0;
  if (!read_number(text.substr(0, point), seconds) || seconds >= 864'000) return false;
  nanoseconds = seconds * 1'000'000'000;
  if (point == text.npos) return true;
  const std::string_view places = text.substr(point + 1);
  std::uint64_t fraction = 0;
  if (places.size() > 9 || !read_number(places, fraction)) return false;
  for (std::size_t i = places.size(); i < 9; ++i) fraction *= 10;
  nanoseconds += fraction;
  return true;
}

}  // namespace detail

/// Reads a line, without its end. Any field may be in double quotes. Linear in the line.
/// @return nothing if it is no such line: other than six fields, a number that is none or too large, an unknown
/// type or direction.
[[nodiscard]] inline std::optional<LobsterLine> read_lobster_line(std::string_view line) noexcept {
  std::array<std::string_view, 6> fields;
  for (std::string_view& field : fields) {
    if (line.data() == nullptr) return {};  // there are fewer
    const std::optional<std::string_view> taken = detail::take_field(line);
    if (!taken) return {};
    field = *taken;
  }
  if (line.data() != nullptr) return {};
  LobsterLine read;
  int type = 0;
  int direction = 0;
  const bool are_numbers = detail::read_seconds(fields[0], read.time) && detail::read_number(fields[1], type) &&
                           detail::read_number(fields[2], read.id) && detail::read_number(fields[3], read.size) &&
                           detail::read_number(fields[4], read.price) && detail::read_number(fields[5], direction);
  if (!are_numbers || type < 1 || type > 7 || (direction != 1 && direction != -1)) return {};
  read.type = static_cast<LobsterType>(type);
  if (read.id < 0 && read.type <= LobsterType::Execute) return {};
  read.side = direction == 1 ? Side::Buy : Side::Sell;
  return read;
}

}  // namespace llmes::inline LLMES_NAMESPACE
