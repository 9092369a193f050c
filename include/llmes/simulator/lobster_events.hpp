// SPDX-License-Identifier: MIT
//
// Market events from the message files of LOBSTER, as text.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/market_event.hpp"
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

/// A line: time, type, order id, size, price, direction, as in "34200.004241176,1,16113575,18,5853300,1".
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

/// Seconds in nanoseconds, to which further places are rounded; less than ten days.
[[nodiscard]] inline bool read_seconds(std::string_view text, std::uint64_t& nanoseconds) noexcept {
  const std::size_t point = text.find('.');
  std::uint64_t seconds = 0;
  if (!read_number(text.substr(0, point), seconds) || seconds >= 864'000) return false;
  nanoseconds = seconds * 1'000'000'000;
  if (point == text.npos) return true;
  const std::string_view places = text.substr(point + 1);
  const std::string_view further = places.substr(std::min<std::size_t>(places.size(), 9));
  std::uint64_t fraction = 0;
  if (!read_number(places.substr(0, 9), fraction)) return false;
  if (further.find_first_not_of("0123456789") != further.npos) return false;
  for (std::size_t i = places.size(); i < 9; ++i) fraction *= 10;
  if (!further.empty() && further[0] >= '5') ++fraction;
  nanoseconds += fraction;
  return true;
}

}  // namespace detail

/// Reads a line, without its end. Any field may be in double quotes. Linear in the line.
/// @return nothing unless it is six fields, with numbers that are such and fit, a known type and direction.
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

/// What is wrong with a line that `read_lobster_line` cannot read, in words for people.
[[nodiscard]] inline std::string lobster_line_fault(std::string_view line) {
  constexpr std::string_view expected = "time, type, order id, size, price, direction";
  std::size_t count = 0;
  std::size_t whole = 0;  // numbers
  std::string_view price;
  for (std::string_view rest = line; rest.data() != nullptr; ++count) {
    const std::optional<std::string_view> field = detail::take_field(rest);
    if (!field) return "its quotes do not match";
    if (count == 4) price = *field;
    std::int64_t number = 0;
    whole += detail::read_number(*field, number);
  }
  if (whole == count && count % 4 == 0) {
    return std::to_string(count) + " whole numbers, as the orderbook file has beside it; read the message file";
  }
  if (count != 6) {
    return std::to_string(count) + (count == 1 ? " field" : " fields") + ", not 6: " + std::string(expected);
  }
  if (std::int64_t number = 0; !detail::read_number(price, number)) {
    return "the price '" + std::string(price) + "' is no whole number of ten-thousandths of a dollar";
  }
  return "its fields are not " + std::string(expected);
}

/// Makes events of the bytes of a file, which may come in pieces of any size. All events are of book 0; times are
/// since midnight; a record is a line, from 0. Lines end with LF or CRLF; empty ones say nothing.
///
///  - The executions at one time are one event. So an execution comes when the next line does.
///  - An execution says price and side, also if its order has rested since before the file.
///  - Trades of hidden orders and of auctions are a `Trade`.
///  - The file does not say which orders rest at its beginning, so events of these name unknown orders.
class LobsterEvents : public detail::EventFeed {
 public:
  /// @param tick in ten-thousandths of a dollar, at least 1; orders between two ticks are left out
  explicit LobsterEvents(Price tick = 1) noexcept : EventFeed(tick) {}

  /// Calls `take` with each event that the lines in `bytes` complete, and keeps an unfinished line. Linear.
  template <class Take>
  void read(std::span<const std::byte> bytes, Take&& take) {
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view part = rest.substr(0, end);
      if (size_ == 0 && end != rest.npos) {
        apply(part, take);
      } else {
        keep(part);
        if (end != rest.npos) apply_kept(take);
      }
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
  }
  /// Reads a last line that has no end, and gives the event that was held back. Call it at the end of the file.
  template <class Take>
  void finish(Take&& take) {
    if (size_ != 0) apply_kept(take);
    release(take);
  }

  /// The number of the first line that could not be read, if there was one.
  [[nodiscard]] std::optional<std::uint64_t> first_unreadable() const noexcept { return first_unreadable_; }

 private:
  static constexpr std::size_t line_max = 200;  ///< no line of six numbers is longer

  void keep(std::string_view part) noexcept {
    const std::size_t room = line_.size() - std::min(size_, line_.size());
    std::copy_n(part.begin(), std::min(part.size(), room), line_.end() - static_cast<std::ptrdiff_t>(room));
    size_ += part.size();
  }
  template <class Take>
  void apply_kept(Take& take) {
    const std::size_t size = std::min(size_, line_.size());
    const bool is_whole = size == size_;
    size_ = 0;
    apply(is_whole ? std::string_view(line_.data(), size) : "too long", take);
  }

  template <class Take>
  void apply(std::string_view text, Take& take) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    ++counts_.records;
    if (text.empty()) return;
    const std::optional<LobsterLine> line = text.size() < line_max ? read_lobster_line(text) : std::nullopt;
    if (!line || !make(*line, take)) {
      ++counts_.unreadable;
      if (!first_unreadable_) first_unreadable_ = counts_.records - 1;
    }
  }

  /// @return false if the line says nothing that there can be
  template <class Take>
  [[nodiscard]] bool make(const LobsterLine& line, Take& take) {
    constexpr std::array<MarketEventType, 7> types{
        MarketEventType::Add,   MarketEventType::Reduce, MarketEventType::Cancel, MarketEventType::Execute,
        MarketEventType::Trade, MarketEventType::Trade,  MarketEventType::Phase};
    MarketEvent event = this->event(types[static_cast<std::size_t>(line.type) - 1], 0, line.time);
    if (event.type == MarketEventType::Phase) {
      if (line.price < -1 || line.price > 1) return false;
      event.phase = line.price == -1  ? MarketPhase::Halted
                    : line.price == 0 ? MarketPhase::Auction
                                      : MarketPhase::Continuous;
      group(event, take);
      return true;
    }
    event.quantity = event.type == MarketEventType::Cancel ? 0 : line.size;
    if (event.type != MarketEventType::Trade) event.id = static_cast<OrderId>(line.id);
    if (event.type == MarketEventType::Add) event.side = line.side;
    event.cross = line.type == LobsterType::Cross;
    if (event.type == MarketEventType::Execute) set_order_price(event, line.price, line.side);
    const bool has_price = event.type == MarketEventType::Add || event.type == MarketEventType::Trade;
    if (!has_price || set_price(event, line.price)) group(event, take);
    return true;
  }

  std::array<char, line_max> line_{};
  std::size_t size_ = 0;  ///< of the unfinished line; above `line_max` its end was not kept
  std::optional<std::uint64_t> first_unreadable_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
