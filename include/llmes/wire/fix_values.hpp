// SPDX-License-Identifier: MIT
//
// Values of FIX as text: numbers, decimals and times. Whatever the text holds, reading it is safe.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// Nanoseconds since the epoch, UTC, without leap seconds. They come with each call; nothing here reads a clock.
using Nanoseconds = std::uint64_t;

/// Decimal digits alone. @return nothing if there are none, other letters, or more than 64 bits. O(1).
[[nodiscard]] inline std::optional<std::uint64_t> read_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

/// Whether a text is a decimal number: digits, at most one point among them, perhaps a minus in front.
[[nodiscard]] constexpr bool is_decimal(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  return llmes::detail::all_of(text, [](char c) { return c == '.' || (c >= '0' && c <= '9'); }) &&
         llmes::detail::count(text, '.') <= 1 && text.find_first_not_of('.') != text.npos;
}

/// A decimal number, counted in units of 10^-`decimals`.
/// @param decimals at most 18
/// @return nothing if it is no such number, lies between two units, or exceeds 63 bits. Linear in the text.
[[nodiscard]] constexpr std::optional<std::int64_t> read_decimal(std::string_view text,
                                                                 unsigned decimals) noexcept {
  if (!is_decimal(text)) return {};
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::string_view part = text.substr(std::min(text.size(), whole.size() + 1));
  part = part.substr(0, part.find_last_not_of('0') + 1);
  if (part.size() > decimals) return {};
  std::int64_t number = 0;
  const auto append = [&number](char digit) {
    const std::int64_t value = digit - '0';
    if (number > (std::numeric_limits<std::int64_t>::max() - value) / 10) return false;
    number = number * 10 + value;
    return true;
  };
  for (const char digit : whole) {
    if (!append(digit)) return {};
  }
  for (std::size_t i = 0; i < decimals; ++i) {
    if (!append(i < part.size() ? part[i] : '0')) return {};
  }
  return is_negative ? -number : number;
}

/// The first millisecond that is not before a time: what is said of it in milliseconds is never earlier. O(1).
[[nodiscard]] constexpr Nanoseconds next_millisecond(Nanoseconds time) noexcept {
  constexpr Nanoseconds millisecond = 1'000'000;
  const Nanoseconds part = time % millisecond;
  return part == 0 ? time : time - part + millisecond;
}

/// A time as `20261127-19:30:00`, or with a point and 3, 6 or 9 digits. The second 60 begins the next minute.
/// @return nothing if it is no time, or before 1970 or after 2500. O(1).
[[nodiscard]] constexpr std::optional<Nanoseconds> read_time(std::string_view text) noexcept {
  constexpr std::string_view form = "00000000-00:00:00";
  const std::size_t size = text.size();
  if (size != form.size() && size != form.size() + 4 && size != form.size() + 7 && size != form.size() + 10)
    return {};
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    const char wanted = i < form.size() ? form[i] : i == form.size() ? '.' : '0';
    if (wanted == '0' ? !is_digit : text[i] != wanted) return {};
  }
  const auto number = [text](std::size_t first, std::size_t count) {
    std::uint32_t value = 0;
    for (const char digit : text.substr(first, count))
      value = value * 10 + static_cast<std::uint32_t>(digit - '0');
    return value;
  };
  const std::uint32_t year = number(0, 4);
  const std::chrono::year_month_day day{std::chrono::year{static_cast<int>(year)},
                                        std::chrono::month{number(4, 2)}, std::chrono::day{number(6, 2)}};
  const std::uint32_t hour = number(9, 2);
  const std::uint32_t minute = number(12, 2);
  const std::uint32_t second = number(15, 2);
  if (year < 1970 || year > 2500 || !day.ok() || hour > 23 || minute > 59 || second > 60) return {};
  const auto days = static_cast<std::uint64_t>(std::chrono::sys_days(day).time_since_epoch().count());
  Nanoseconds fraction = size == form.size() ? 0 : number(form.size() + 1, size - form.size() - 1);
  for (std::size_t digits = size == form.size() ? 9 : size - form.size() - 1; digits < 9; ++digits) fraction *= 10;
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000 + fraction;
}

/// A value as text, ready to be written.
class ValueText {
 public:
  /// A number.
  explicit ValueText(std::uint64_t number) noexcept { append(number); }
  /// A decimal number in units of 10^-`decimals`, at most 18. It has no zeros at its end.
  [[nodiscard]] static ValueText of_decimal(std::int64_t units, unsigned decimals) noexcept {
    ValueText text;
    std::uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; ++i) scale *= 10;
    const auto bits = static_cast<std::uint64_t>(units);
    const std::uint64_t size = units < 0 ? 0 - bits : bits;
    if (units < 0) text.append('-');
    text.append(size / scale);
    if (std::uint64_t part = size % scale; part != 0) {
      text.append('.');
      while (part != 0) {
        scale /= 10;
        text.append(static_cast<char>('0' + part / scale));
        part %= scale;
      }
    }
    return text;
  }
  /// A time with `digits` digits behind the point: 0, 3, 6 or 9.
  [[nodiscard]] static ValueText of_time(Nanoseconds time, unsigned digits) noexcept {
    constexpr Nanoseconds second = 1'000'000'000;
    constexpr Nanoseconds seconds_of_day = 86'400;
    ValueText text;
    const Nanoseconds seconds = time / second;
    const std::chrono::sys_days days{std::chrono::days{static_cast<int>(seconds / seconds_of_day)}};
    const std::chrono::year_month_day day{days};
    text.append_padded(static_cast<std::uint64_t>(static_cast<int>(day.year())), 4);
    text.append_padded(static_cast<unsigned>(day.month()), 2);
    text.append_padded(static_cast<unsigned>(day.day()), 2);
    text.append('-');
    text.append_padded(seconds % seconds_of_day / 3'600, 2);
    text.append(':');
    text.append_padded(seconds % 3'600 / 60, 2);
    text.append(':');
    text.append_padded(seconds % 60, 2);
    if (digits == 0) return text;
    text.append('.');
    Nanoseconds fraction = time % second;
    for (unsigned i = digits; i < 9; ++i) fraction /= 10;
    text.append_padded(fraction, digits);
    return text;
  }

  [[nodiscard]] std::string_view view() const noexcept { return {letters_.data(), size_}; }

 private:
  ValueText() noexcept = default;
  void append(char letter) noexcept { letters_[size_++] = letter; }
  void append(std::uint64_t number) noexcept {
    const auto [end, error] = std::to_chars(letters_.data() + size_, letters_.data() + letters_.size(), number);
    size_ = static_cast<std::size_t>(end - letters_.data());
  }
  void append_padded(std::uint64_t number, std::size_t digits) noexcept {
    for (std::size_t i = digits; i-- > 0; number /= 10) letters_[size_ + i] = static_cast<char>('0' + number % 10);
    size_ += digits;
  }

  std::array<char, 40> letters_{};  ///< a time has 27, a decimal 21 at most
  std::size_t size_ = 0;
};

/// Words for Text (58), at most 240 letters; what does not fit is left out. Letters that are none become `?`.
class Words {
 public:
  Words() noexcept = default;
  explicit Words(std::string_view text) noexcept { say(text); }

  Words& say(std::string_view text) noexcept {
    for (const char letter : text.substr(0, letters_.size() - size_)) {
      const bool is_printable = static_cast<unsigned char>(letter) >= 0x20 && letter != 0x7f;
      letters_[size_++] = is_printable ? letter : '?';
    }
    return *this;
  }
  Words& say(std::uint64_t number) noexcept { return say(ValueText(number).view()); }
  /// What they are about: `: 54=9`, or `: 54` without a value. One above 48 letters is shortened, and says so.
  Words& about(std::uint32_t tag, std::string_view value) noexcept {
    constexpr std::size_t shown = 48;
    say(": ").say(std::uint64_t{tag});
    if (value.empty()) return *this;
    say("=").say(value.substr(0, shown));
    return value.size() > shown ? say("...") : *this;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {letters_.data(), size_}; }

 private:
  std::array<char, 240> letters_{};
  std::size_t size_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::fix
