// SPDX-License-Identifier: MIT
//
// Market events from the message files of LOBSTER, as text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "llmes/simulator/event_feed.hpp"
#include "llmes/simulator/lobster_line.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Makes events of the bytes of a file, which may come in pieces of any size. All events are of book 0; times are
/// since midnight; a record is a line, from 0. Lines end with a line feed, perhaps behind a carriage return; empty
/// lines say nothing.
///
///  - The executions at one time are one event. So an execution comes when the next line does.
///  - Trades of hidden orders and of auctions are a `Trade`.
///  - The file does not say which orders rest at its beginning, so events of these name unknown orders.
class LobsterEvents : public detail::EventFeed {
 public:
  /// @param tick in ten-thousandths of a dollar, at least 1; orders between two ticks are left out
  explicit LobsterEvents(Price tick = 1) noexcept : EventFeed(tick) {}

  /// Calls `take` with each event that the lines in `bytes` complete. Linear; keeps an unfinished line for the
  /// next call.
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
    const bool has_price = event.type == MarketEventType::Add || event.type == MarketEventType::Trade;
    if (!has_price || set_price(event, line.price)) group(event, take);
    return true;
  }

  std::array<char, line_max> line_{};
  std::size_t size_ = 0;  ///< of the unfinished line; above `line_max` its end was not kept
  std::optional<std::uint64_t> first_unreadable_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
