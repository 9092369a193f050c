// SPDX-License-Identifier: MIT
//
// What stands between a strategy and the venue: latencies, fees, and the steps of prices and quantities.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {
/// A delay after a time; never, if there is no such time.
[[nodiscard]] constexpr Nanoseconds later(Nanoseconds time, Nanoseconds delay) noexcept {
  return delay < ~Nanoseconds{} - time ? time + delay : ~Nanoseconds{};
}
}  // namespace detail

/// How long messages of one kind are on their way. The default takes no time.
class Delay {
 public:
  constexpr Delay() noexcept = default;
  /// Always the same.
  constexpr explicit Delay(Nanoseconds constant) noexcept : constant_(constant) {}
  /// Each message takes the next one of a measured series, and the first one again after the last. The series is
  /// the caller's, and must outlive the simulator. An empty one takes no time.
  constexpr explicit Delay(std::span<const Nanoseconds> series) noexcept : series_(series) {}
  /// Of the feed: receive time minus event time, or 0 for an event that was not received, or before it happened.
  [[nodiscard]] static constexpr Delay as_received() noexcept {
    Delay delay;
    delay.as_received_ = true;
    return delay;
  }

  /// The delay of message `number`, from 0; `event` is what a feed tells of.
  [[nodiscard]] constexpr Nanoseconds of(std::uint64_t number, const MarketEvent* event = nullptr) const noexcept {
    if (as_received_ && event != nullptr) return std::max(event->received, event->time) - event->time;
    return series_.empty() ? constant_ : series_[number % series_.size()];
  }

 private:
  std::span<const Nanoseconds> series_{};
  Nanoseconds constant_ = 0;
  bool as_received_ = false;
};

/// Reads the first field of each line: whole nanoseconds. The first line may be a title; empty lines are passed
/// over. Linear. @return the series for a `Delay`; nothing if the line of number `wrong_line`, from 1, has none.
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

/// Messages of one direction do not overtake each other: each arrives with the one before at the earliest.
struct Latencies {
  Delay feed{};      ///< from the venue to the strategy: the market
  Delay entry{};     ///< from the strategy to the venue: new orders
  Delay modify{};    ///< modifies
  Delay cancel{};    ///< cancels
  Delay response{};  ///< from the venue to the strategy: answers and fills
};

/// What a fill costs, in micro-units (see accounts.hpp). Negative: a rebate.
struct FeeRate {
  std::int64_t per_lot = 0;
  std::int64_t per_notional = 0;       ///< for each tick times lot: millionths of what is paid
  std::int64_t per_order = 0;          ///< once, with the first fill of an order
  std::int32_t per_notional_part = 0;  ///< beside `per_notional`, millionths of it; from -999,999 to 999,999

  /// The part of a fill is rounded to a whole micro-unit, half of one away from 0.
  [[nodiscard]] constexpr Amount of(Price price, Quantity quantity, bool is_first) const noexcept {
    const Amount lots{quantity};
    Amount fee = Amount{per_lot} * lots + Amount{per_notional} * price * lots + (is_first ? Amount{per_order} : 0);
    if (per_notional_part != 0) {
      const Amount part = Amount{per_notional_part} * price * lots;
      fee += (part + (part < 0 ? -500'000 : 500'000)) / 1'000'000;
    }
    return fee;
  }
};
struct FeeSchedule {
  FeeRate maker{};
  FeeRate taker{};
};

/// What own orders get when an auction prints.
enum class AuctionFills : std::uint8_t {
  None,     ///< nothing: the market's orders alone take part
  AtPrint,  ///< their share at the print's price, see `AuctionLots`
};

/// What is the same for all strategies of a run.
struct SimulatorConfig {
  MarketConfig market{};
  Latencies latencies{};
  FeeSchedule fees{};
  Price tick = 1;              ///< prices of own orders are multiples of it, in ticks of the tape; at least 1
  Quantity lot = 1;            ///< so are their quantities
  std::size_t orders_max = 0;  ///< the most orders a strategy sends
  std::size_t steps_max = 0;   ///< the most changes of place, and modifies, that stories of orders keep; 0: none
  AuctionFills auctions = AuctionFills::None;
  SelfTrade self_trade = SelfTrade::CancelTaker;  ///< of own orders that meet; read by `VenueImpact` alone
  Nanoseconds equity_every = 0;                ///< how often, if something happens, equity is noted; 0: at the end
  Nanoseconds displaced_stay = 1'000'000'000;  ///< of orders that we kept from a fill; read by `DisplaceImpact`
};

}  // namespace llmes::inline LLMES_NAMESPACE
