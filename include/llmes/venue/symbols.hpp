// SPDX-License-Identifier: MIT
//
// Reference data: what a book of a venue trades, at which prices and in which lots, and whether it trades now.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// From a price on, prices are multiples of `size`.
struct TickRow {
  Price from = 0;
  Price size = 1;  ///< at least 1

  friend constexpr bool operator==(const TickRow&, const TickRow&) = default;
};

/// What is traded in a book. A symbol that nobody has set has no name, a lot of 1, each price, and no bands.
struct Symbol {
  static constexpr std::size_t ticks_max = 8;

  std::uint64_t name = 0;  ///< what the venue's operator gave: eight characters, or a number
  std::uint64_t currency = 0;
  Quantity lot = 1;  ///< quantities that accounts send are multiples of it
  Price lowest = std::numeric_limits<Price>::min();
  Price highest = std::numeric_limits<Price>::max();
  std::array<TickRow, ticks_max> ticks{};  ///< by price; below the first one, and without one, the tick is 1
  Price reference = 0;  ///< the last trade, else what the venue's operator gave: an auction is near it
  Price last = 0;       ///< the price of the last trade
  std::uint32_t tick_count = 0;
  Phase phase = Phase::Continuous;
  std::uint8_t halted = 0;     ///< 1: it is
  std::uint8_t collected = 0;  ///< 1: orders have come together without matching, and are to be uncrossed
  std::uint8_t traded = 0;     ///< 1: `last` is one

  /// Whether stops fire and orders match.
  [[nodiscard]] constexpr bool trades() const noexcept { return phase == Phase::Continuous && halted == 0; }
  /// Closed or Halted if orders may only leave; else Success.
  [[nodiscard]] constexpr VenueStatus check_trading() const noexcept {
    return phase >= Phase::Closed ? VenueStatus::Closed : halted != 0 ? VenueStatus::Halted : VenueStatus::Success;
  }
  constexpr void on_trade(Price price) noexcept {
    reference = last = price;
    traded = 1;
  }

  [[nodiscard]] constexpr Price tick_at(Price price) const noexcept {
    const std::uint32_t row = row_at(price);
    return row == 0 ? 1 : ticks[row - 1].size;
  }
  [[nodiscard]] constexpr bool is_on_tick(Price price) const noexcept { return price % tick_at(price) == 0; }
  [[nodiscard]] constexpr bool is_in_bands(Price price) const noexcept {
    return lowest <= price && price <= highest;
  }
  /// The next price on a tick at which an order of this side is no more eager than at `price`, which may be
  /// `price` itself; nothing if none fits a `Price`. Linear in the rows.
  [[nodiscard]] constexpr std::optional<Price> on_tick(Side side, Price price) const noexcept {
    for (const bool down = side == Side::Buy;;) {
      const std::uint32_t row = row_at(price);
      const Price beyond = price % tick_at(price);
      const Price by =
          beyond == 0 || (beyond > 0) == down ? beyond : beyond + (down ? tick_at(price) : -tick_at(price));
      Price on{};
      if (__builtin_sub_overflow(price, by, &on)) return {};
      if (row_at(on) == row) return on;
      price = down ? ticks[row - 1].from - 1 : ticks[row].from;  // the row ends before: look on from there
    }
  }

  /// Faults of an order's quantity and price: OffLot, OffTick, OutsideBands, or Success.
  [[nodiscard]] constexpr VenueStatus check(Quantity quantity) const noexcept {
    return quantity % lot == 0 ? VenueStatus::Success : VenueStatus::OffLot;
  }
  [[nodiscard]] constexpr VenueStatus check(Quantity quantity, Price price) const noexcept {
    if (quantity % lot != 0) return VenueStatus::OffLot;
    if (!is_on_tick(price)) return VenueStatus::OffTick;
    return is_in_bands(price) ? VenueStatus::Success : VenueStatus::OutsideBands;
  }

  /// Sets the tick from a price on; a size of 0 takes the row out, if there is one.
  /// Rejections: InvalidValue (a size that does not fit a `Price`), NoRoomForTick.
  [[nodiscard]] constexpr VenueStatus set_tick(Price from, Quantity size) noexcept {
    if (size > static_cast<Quantity>(std::numeric_limits<Price>::max())) return VenueStatus::InvalidValue;
    std::uint32_t at = 0;
    while (at < tick_count && ticks[at].from < from) ++at;
    const bool found = at < tick_count && ticks[at].from == from;
    if (size == 0) {
      if (!found) return VenueStatus::Success;
      for (--tick_count; at < tick_count; ++at) ticks[at] = ticks[at + 1];
      ticks[tick_count] = {};
      return VenueStatus::Success;
    }
    if (!found) {
      if (tick_count == ticks_max) return VenueStatus::NoRoomForTick;
      for (std::uint32_t i = tick_count++; i > at; --i) ticks[i] = ticks[i - 1];
    }
    ticks[at] = {from, static_cast<Price>(size)};
    return VenueStatus::Success;
  }

  friend constexpr bool operator==(const Symbol&, const Symbol&) = default;

 private:
  /// How many rows begin at a price or below.
  [[nodiscard]] constexpr std::uint32_t row_at(Price price) const noexcept {
    std::uint32_t row = 0;
    while (row < tick_count && ticks[row].from <= price) ++row;
    return row;
  }
};
static_assert(std::has_unique_object_representations_v<Symbol>, "the same commands leave the same bytes");

/// The symbols of all books.
class Symbols {
 public:
  /// All in this phase. Where memory is refused, there are none.
  Symbols(BookNumber books, Phase phase) noexcept
      : symbols_(new(std::nothrow) Symbol[books]), size_(symbols_ == nullptr ? 0 : books) {
    for (Symbol& symbol : std::span(symbols_.get(), size())) {
      symbol.phase = phase;
      symbol.collected = collects(phase);
    }
  }

  [[nodiscard]] BookNumber size() const noexcept { return size_; }
  [[nodiscard]] bool has(BookNumber book) const noexcept { return book < size_; }
  [[nodiscard]] Symbol& operator[](BookNumber book) noexcept { return symbols_[book]; }
  [[nodiscard]] const Symbol& operator[](BookNumber book) const noexcept { return symbols_[book]; }

  /// Whether an image of them can be used.
  [[nodiscard]] bool holds() const noexcept {
    return detail::all_of(std::span(symbols_.get(), size()), [](const Symbol& symbol) {
      return symbol.lot > 0 && symbol.tick_count <= Symbol::ticks_max && symbol.phase <= Phase::Closed &&
             symbol.halted < 2 && symbol.collected < 2 && symbol.traded < 2 && symbol.lowest <= symbol.highest &&
             detail::all_of(symbol.ticks, [](const TickRow& row) { return row.size > 0; });
    });
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept { visit(std::span(self.symbols_.get(), self.size())); }

 private:
  std::unique_ptr<Symbol[]> symbols_;
  detail::ResetOnMove<BookNumber> size_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
