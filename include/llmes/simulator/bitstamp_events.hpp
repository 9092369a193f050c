// SPDX-License-Identifier: MIT
//
// Market events from files of Bitstamp's live order events, as collectors write them: a line of CSV for each
// message behind a line of names.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class BitstampAction : std::uint8_t {
  Created,
  Changed,  ///< it has this volume now
  Deleted,  ///< it had this volume when it left: 0 if all has traded
};

/// A line: id, timestamp, exchange_timestamp, price, volume, action, direction, as in
/// "2002347659919360,1777689383895,1777689383817,79116.0,1.62064586,created,bid".
struct BitstampLine {
  OrderId id = 0;
  Nanoseconds received = 0;  ///< since 1970, UTC, as the next
  Nanoseconds time = 0;      ///< at the venue
  Price price = 0;           ///< in hundred-millionths of the currency; of a taker that trades, that of the trade
  Quantity volume = 0;       ///< in hundred-millionths of a coin
  BitstampAction action{};
  Side side{};
};

/// Whether a line is the first one of such a file.
[[nodiscard]] constexpr bool is_bitstamp_header(std::string_view line) noexcept {
  return line == "id,timestamp,exchange_timestamp,price,volume,action,direction" ||
         line == "id,timestamp,exchange.timestamp,price,volume,action,direction";
}

namespace detail {

/// A decimal number that may have an exponent, as in "7.18e-06", in hundred-millionths, to which further places
/// are rounded. Nothing if it is none, below 0, or too large for a price.
[[nodiscard]] inline std::optional<std::uint64_t> read_hundred_millionths(std::string_view text) noexcept {
  int shift = 8;
  if (const std::size_t at = text.find_first_of("eE"); at != text.npos) {
    std::string_view exponent = text.substr(at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const char* const end = exponent.data() + exponent.size();
    int power = 0;
    const auto [rest, error] = std::from_chars(exponent.data(), end, power);
    if (error != std::errc{} || rest != end || power < -100 || power > 100) return {};
    shift += power;
    text = text.substr(0, at);
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Price>::max() / 10 - 1);
  std::uint64_t number = 0;
  bool has_digits = false;
  bool has_point = false;
  bool rounds_up = false;
  const auto add = [&](unsigned digit) {
    if (number > most) return false;
    number = number * 10 + digit;
    return true;
  };
  for (const char c : text) {
    if (c == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (c < '0' || c > '9') return {};
    has_digits = true;
    if (has_point && shift <= 0) {
      if (shift == 0) rounds_up = c >= '5';
      --shift;
      continue;
    }
    if (has_point) --shift;
    if (!add(static_cast<unsigned>(c - '0'))) return {};
  }
  if (!has_digits) return {};
  for (; shift > 0 && number != 0; --shift) {
    if (!add(0)) return {};
  }
  return number + rounds_up;
}

/// Milliseconds since 1970 in nanoseconds.
[[nodiscard]] inline std::optional<Nanoseconds> read_milliseconds(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > 9'000'000'000'000) return {};
  return number * 1'000'000;
}

}  // namespace detail

/// Reads a line, without its end. Linear in the line.
/// @return nothing unless it is seven fields, with numbers that are such and fit, a known action and direction.
[[nodiscard]] inline std::optional<BitstampLine> read_bitstamp_line(std::string_view line) noexcept {
  std::array<std::string_view, 7> fields;
  for (std::string_view& field : fields) {
    if (line.data() == nullptr) return {};  // there are fewer
    const std::size_t end = line.find(',');
    field = line.substr(0, end);
    line = end == line.npos ? std::string_view{} : line.substr(end + 1);
  }
  if (line.data() != nullptr) return {};
  BitstampLine read;
  const char* const end_of_id = fields[0].data() + fields[0].size();
  const auto [rest, error] = std::from_chars(fields[0].data(), end_of_id, read.id);
  const std::optional<Nanoseconds> received = detail::read_milliseconds(fields[1]);
  const std::optional<Nanoseconds> time = detail::read_milliseconds(fields[2]);
  const std::optional<std::uint64_t> price = detail::read_hundred_millionths(fields[3]);
  const std::optional<std::uint64_t> volume = detail::read_hundred_millionths(fields[4]);
  if (error != std::errc{} || rest != end_of_id || !received || !time || !price || !volume) return {};
  read.received = *received;
  read.time = *time;
  read.price = static_cast<Price>(*price);
  read.volume = *volume;
  constexpr std::array<std::string_view, 3> actions{"created", "changed", "deleted"};
  const auto* const action = std::find(actions.begin(), actions.end(), fields[5]);
  if (action == actions.end() || (fields[6] != "bid" && fields[6] != "ask")) return {};
  read.action = static_cast<BitstampAction>(action - actions.begin());
  read.side = fields[6] == "bid" ? Side::Buy : Side::Sell;
  return read;
}

/// Makes events of the bytes of a file. All events are of book 0; a record is a line, the one of names is 0. Lines
/// end with LF or CRLF; empty ones say nothing.
///
///  - A venue tells a taker as an order that is created, changes and leaves; lines of the makers stand between.
///  The
///    line of creation is held back, and what is left of the order rests when another line shows that it does. So
///    an order that is created and deleted at one time, one line behind the other, never rests.
///  - A volume that has become less has traded, as the venue has no other way to it: an `Execute` of a maker. The
///    executions at one time are one event.
///  - The orders created at the first time of the file are a snapshot.
///  - An order that leaves at another price than it came has moved there without a line: `suspect`.
///
/// It remembers each order that rests, and allocates as they become more.
class BitstampEvents : public detail::EventFeed {
 public:
  /// @param tick in hundred-millionths of the currency, at least 1; orders between two ticks are left out
  explicit BitstampEvents(Price tick = 1) noexcept : EventFeed(tick) {}

  /// Calls `take` with each event that the lines in `bytes` complete. Linear.
  /// @param bytes begin with those that the call before has not used
  /// @param is_last no more bytes follow, so the last line may have no end
  /// @return how many were used: whole lines
  template <class Take>
  std::size_t read(std::span<const std::byte> bytes, bool is_last, Take&& take) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::size_t used = 0;
    for (std::size_t end = 0; (end = text.find('\n', used)) != text.npos; used = end + 1)
      apply_end(text.substr(used, end - used), take);
    if (text.size() - used > line_max || (is_last && used < text.size())) {
      const std::string_view part = text.substr(used);
      used = text.size();
      if (is_last) {
        apply_end(part, take);
      } else {
        is_too_long_ = true;
      }
    }
    if (is_last) {
      rest(take);
      release(take);
    }
    return used;
  }

  /// The number of the first line that could not be read, if there was one.
  [[nodiscard]] std::optional<std::uint64_t> first_unreadable() const noexcept { return first_unreadable_; }

 private:
  static constexpr std::size_t line_max = 400;  ///< no line of seven fields is longer

  struct Resting {
    Price price = 0;
    Quantity quantity = 0;
  };
  /// An order that may be a taker.
  struct Incoming {
    BitstampLine line;  ///< `volume` is what is left
    bool snapshot = false;
  };

  template <class Take>
  void apply_end(std::string_view text, Take& take) {
    const bool is_whole = !std::exchange(is_too_long_, false) && text.size() <= line_max;
    if (text.ends_with('\r')) text.remove_suffix(1);
    ++counts_.records;
    const std::uint64_t number = counts_.records - 1;
    if (is_whole && (text.empty() || (number == 0 && is_bitstamp_header(text)))) return;
    const std::optional<BitstampLine> line = is_whole ? read_bitstamp_line(text) : std::nullopt;
    if (line) {
      apply(*line, take);
      told_ = number;
    } else {
      ++counts_.unreadable;
      if (!first_unreadable_) first_unreadable_ = number;
    }
  }

  template <class Take>
  void apply(const BitstampLine& line, Take& take) {
    if (line.action == BitstampAction::Created) {
      rest(take);
      if (!first_time_) first_time_ = line.time;
      incoming_ = Incoming{line, line.time == *first_time_};
      return;
    }
    if (incoming_ && incoming_->line.id == line.id && incoming_->line.time == line.time) {
      incoming_->line.volume = line.volume;
      if (line.action == BitstampAction::Deleted) incoming_.reset();
      return;
    }
    const auto found = orders_.find(line.id);
    const bool trades = found != orders_.end() && line.volume < found->second.quantity;
    if (!trades || (incoming_ && incoming_->line.time != line.time)) rest(take);
    if (trades) {
      execute(line, found->second.quantity - line.volume, take);
    } else if (line.action == BitstampAction::Deleted) {
      if (found != orders_.end() && found->second.price != line.price) ++counts_.suspect;
      group(event_of(MarketEventType::Cancel, line), take);
    } else {
      modify(line, take);
    }
    if (line.action == BitstampAction::Deleted || line.volume == 0) {
      orders_.erase(line.id);
    } else {
      orders_.insert_or_assign(line.id, Resting{line.price, line.volume});
    }
  }

  template <class Take>
  void execute(const BitstampLine& line, Quantity lots, Take& take) {
    MarketEvent made = event_of(MarketEventType::Execute, line);
    made.quantity = lots;
    group(made, take);
    if (line.action != BitstampAction::Deleted || line.volume == 0) return;
    group(event_of(MarketEventType::Cancel, line), take);  // what has not traded leaves as well
  }
  template <class Take>
  void modify(const BitstampLine& line, Take& take) {
    MarketEvent made = event_of(line.volume == 0 ? MarketEventType::Cancel : MarketEventType::Modify, line);
    made.side = line.side;
    if (line.volume != 0) {
      made.quantity = line.volume;
      set_new_price(made, line.price);
    }
    group(made, take);
  }

  /// Lets what is left of an order rest, if there is one of which this is not known.
  template <class Take>
  void rest(Take& take) {
    if (!incoming_) return;
    const Incoming order = *std::exchange(incoming_, std::nullopt);
    if (order.line.volume == 0) return;
    MarketEvent made = event_of(MarketEventType::Add, order.line);
    made.record = told_;  // of the last line before, as an event of a maker may have come in between
    made.side = order.line.side;
    made.quantity = order.line.volume;
    made.snapshot = order.snapshot;
    orders_.try_emplace(order.line.id, Resting{order.line.price, order.line.volume});
    if (set_price(made, order.line.price)) group(made, take);
  }

  [[nodiscard]] MarketEvent event_of(MarketEventType type, const BitstampLine& line) noexcept {
    MarketEvent made = event(type, 0, line.time);
    made.received = line.received;
    made.id = line.id;
    return made;
  }

  std::unordered_map<OrderId, Resting> orders_;
  std::optional<Incoming> incoming_;
  std::optional<Nanoseconds> first_time_;
  std::optional<std::uint64_t> first_unreadable_;
  std::uint64_t told_ = 0;  ///< the number of the last line that was read
  bool is_too_long_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE
