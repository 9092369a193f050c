// SPDX-License-Identifier: MIT
//
// Which of the known formats a file of market data has, by its first bytes, and what is said of a file that has
// none. A new format is an enumerator, a row of `detail::tape_forms`, and a case of `TapeReader`.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/simulator/bitstamp_events.hpp"
#include "llmes/simulator/lobster_events.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class TapeFormat : std::uint8_t {
  Unknown,   ///< no byte was read yet, or none of the others
  Itch,      ///< ITCH 5.0, a length before each message (BinaryFILE), which may be 0
  Dbn,       ///< schema mbo, versions 1 to 3
  Lobster,   ///< message file
  Bitstamp,  ///< live order events as CSV, with a line of names
};

[[nodiscard]] constexpr std::string_view to_string(TapeFormat format) noexcept {
  return detail::enumerator_name<TapeFormat::Bitstamp>(
      format, {"an unknown format", "ITCH 5.0", "DBN", "LOBSTER", "Bitstamp order events"});
}

/// Whether its times count from 1970 (UTC), not from midnight.
[[nodiscard]] constexpr bool counts_from_1970(TapeFormat format) noexcept {
  return format == TapeFormat::Dbn || format == TapeFormat::Bitstamp;
}

/// A time of a file of this format as `09:30:00.000000001`, after the date where times count from 1970. O(1).
[[nodiscard]] inline std::string clock_of(TapeFormat format, Nanoseconds time) {
  constexpr Nanoseconds day = 86'400'000'000'000;
  std::array<char, 48> room{};
  std::string text;
  if (counts_from_1970(format)) {
    const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(time / day)));
    std::snprintf(room.data(), room.size(), "%04d-%02u-%02u ", int{date.year()}, unsigned{date.month()},
                  unsigned{date.day()});
    text = room.data();
    time %= day;
  }
  const auto seconds = static_cast<unsigned>(time / 1'000'000'000);
  std::snprintf(room.data(), room.size(), "%02u:%02u:%02u.%09u", seconds / 3'600, seconds / 60 % 60, seconds % 60,
                static_cast<unsigned>(time % 1'000'000'000));
  return text + room.data();
}

/// How a file is packed.
enum class Packing : std::uint8_t { None, Gzip, Zstd, Bzip2, Xz, Zip };

[[nodiscard]] constexpr std::string_view to_string(Packing packing) noexcept {
  return detail::enumerator_name<Packing::Zip>(packing, {"none", "gzip", "zstd", "bzip2", "xz", "zip"});
}

/// How many bytes at the beginning of a file say how it is packed.
inline constexpr std::size_t packing_start = 4;

/// How a file is packed, by its first bytes.
[[nodiscard]] inline Packing packing_of(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), packing_start));
  if (text.starts_with("\x1f\x8b")) return Packing::Gzip;
  const bool may_be_skipped = text.size() == 4 && (text[0] & '\xf0') == '\x50' && text.substr(1) == "\x2a\x4d\x18";
  if (text == "\x28\xb5\x2f\xfd" || may_be_skipped) return Packing::Zstd;
  if (text.starts_with("BZh")) return Packing::Bzip2;
  if (text ==
      "\xfd"
      "7zX")
    return Packing::Xz;
  return text == "PK\x03\x04" ? Packing::Zip : Packing::None;
}

/// The most bytes at the beginning of a file that say which format it has.
inline constexpr std::size_t tape_start_max = 4'096;

namespace detail {

/// Whether a file can be of a format.
enum class Likeness : std::uint8_t { No, Yes, NeedsMore };

/// The first line that is not empty, without its end. Nothing if it may go on behind the bytes.
[[nodiscard]] inline std::optional<std::string_view> first_line(std::span<const std::byte> start,
                                                                bool is_all) noexcept {
  std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  const std::size_t end = text.find('\n');
  if (end == text.npos && !is_all) return {};
  text = text.substr(0, end);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// By the first message whose type is known. Those before have a length.
[[nodiscard]] inline Likeness likeness_of_itch(std::span<const std::byte> start, bool is_all) noexcept {
  const auto at = [start](std::size_t i) { return std::to_integer<std::size_t>(start[i]); };
  const bool is_end = start.size() == 2 && at(0) + at(1) == 0;  // of a session without messages
  if (is_all && is_end) return Likeness::Yes;
  for (std::size_t begin = 0;;) {
    if (start.size() - begin < 3) return is_all ? Likeness::No : Likeness::NeedsMore;
    const std::size_t announced = at(begin) << 8U | at(begin + 1);
    const std::size_t known = itch::message_size(start[begin + 2]);
    if (known != 0) return announced == 0 || announced == known ? Likeness::Yes : Likeness::No;
    if (announced == 0 || begin + 2 + announced > tape_start_max) return Likeness::No;
    begin += std::min(2 + announced, start.size() - begin);
  }
}

[[nodiscard]] inline Likeness likeness_of_dbn(std::span<const std::byte> start, bool is_all) noexcept {
  constexpr std::string_view mark = "DBN";
  const std::string_view text(reinterpret_cast<const char*>(start.data()), std::min(start.size(), mark.size()));
  if (!mark.starts_with(text)) return Likeness::No;
  return text == mark ? Likeness::Yes : is_all ? Likeness::No : Likeness::NeedsMore;
}

/// By its first line, which must be one.
[[nodiscard]] inline Likeness likeness_of_lobster(std::span<const std::byte> start, bool is_all) noexcept {
  constexpr std::string_view begins = "\"0123456789\r\n";
  if (!start.empty() && begins.find(static_cast<char>(start[0])) == begins.npos) return Likeness::No;
  const std::optional<std::string_view> line = first_line(start, is_all);
  if (!line) return Likeness::NeedsMore;
  return read_lobster_line(*line) ? Likeness::Yes : Likeness::No;
}
/// What keeps a file that begins with digits from being one of LOBSTER; else empty.
[[nodiscard]] inline std::string near_lobster(std::span<const std::byte> start) {
  const std::string_view line = *first_line(start, true);
  const bool begins = !line.empty() && (line[0] == '"' || line[0] == '-' || (line[0] >= '0' && line[0] <= '9'));
  return begins ? "its first line is none of LOBSTER's message files: " + lobster_line_fault(line) : std::string();
}

/// By its first line, which must be that of the names.
[[nodiscard]] inline Likeness likeness_of_bitstamp(std::span<const std::byte> start, bool is_all) noexcept {
  constexpr std::string_view begins = "id\r\n";
  if (!start.empty() && begins.find(static_cast<char>(start[0])) == begins.npos) return Likeness::No;
  const std::optional<std::string_view> line = first_line(start, is_all);
  if (!line) return Likeness::NeedsMore;
  return is_bitstamp_header(*line) ? Likeness::Yes : Likeness::No;
}
/// What keeps a file that begins with such a name from being one of Bitstamp's; else empty.
[[nodiscard]] inline std::string near_bitstamp(std::span<const std::byte> start) {
  const std::string_view line = *first_line(start, true);
  if (!line.starts_with("id,")) return {};
  return "its first line is '" + std::string(line.substr(0, 100)) +
         "', and not 'id,timestamp,exchange_timestamp,price,volume,action,direction' as of Bitstamp's order "
         "events";
}

/// How a format is known, and called.
struct TapeForm {
  TapeFormat format;
  std::string_view words;  ///< what is expected of a file
  Likeness (*likeness)(std::span<const std::byte> start, bool is_all) noexcept;
  std::string (*near_miss)(std::span<const std::byte> start);  ///< why a file that looks like it is none; or null
};
inline constexpr std::array tape_forms{
    TapeForm{TapeFormat::Itch, "ITCH 5.0 with a length before each message (BinaryFILE)", likeness_of_itch,
             nullptr},
    TapeForm{TapeFormat::Dbn, "DBN (schema mbo)", likeness_of_dbn, nullptr},
    TapeForm{TapeFormat::Lobster, "a message file of LOBSTER", likeness_of_lobster, near_lobster},
    TapeForm{TapeFormat::Bitstamp, "Bitstamp's order events (CSV)", likeness_of_bitstamp, near_bitstamp},
};

}  // namespace detail

/// Which format a file has, or `Unknown`. Constant.
/// @param bytes it begins with: more than `tape_start_max` are not looked at
/// @param is_all no more bytes follow
/// @return nothing if it takes more bytes to know
[[nodiscard]] inline std::optional<TapeFormat> tape_format_of(std::span<const std::byte> bytes,
                                                              bool is_all = true) noexcept {
  const auto start = bytes.first(std::min(bytes.size(), tape_start_max));
  if (start.empty() && is_all) return TapeFormat::Unknown;
  for (const detail::TapeForm& form : detail::tape_forms) {
    switch (form.likeness(start, is_all || start.size() == tape_start_max)) {
      case detail::Likeness::No: break;
      case detail::Likeness::Yes: return form.format;
      case detail::Likeness::NeedsMore: return {};
    }
  }
  if (start.size() < packing_start && !is_all) return {};  // what it is instead must not depend on where it is cut
  return TapeFormat::Unknown;
}

/// Why a file cannot be read as one of a format, in words for people; empty if it can.
/// @param start its first bytes, as `tape_format_of` has seen them
/// @param found what that has said
/// @param wanted the format to read; `Unknown` for any
[[nodiscard]] inline std::string tape_format_fault(std::span<const std::byte> start, TapeFormat found,
                                                   TapeFormat wanted = TapeFormat::Unknown) {
  if (found != TapeFormat::Unknown) {
    if (wanted == TapeFormat::Unknown || wanted == found) return {};
    return std::string("this is ").append(to_string(found)).append(", not ").append(to_string(wanted));
  }
  if (start.empty()) return "it is empty";
  start = start.first(std::min(start.size(), tape_start_max));
  if (const Packing packing = packing_of(start); packing != Packing::None)
    return std::string("it is packed by ").append(to_string(packing)).append("; unpack it first");
  std::string words;
  for (const detail::TapeForm& form : detail::tape_forms) {
    if (form.near_miss == nullptr) continue;
    if (words = form.near_miss(start); !words.empty()) return words;
  }
  for (const detail::TapeForm& form : detail::tape_forms)
    words.append(words.empty() ? "neither " : " nor ").append(form.words);
  return words;
}

}  // namespace llmes::inline LLMES_NAMESPACE
