// SPDX-License-Identifier: MIT
//
// Stops in their simplest form: a list in the order of arrival, in which each price moves each trigger, and each
// question looks at all of them. It shares no code with the product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "llmes/types/terms.hpp"
#include "llmes/venue/stop_orders.hpp"

namespace llmes::test {

class StopOracle {
 public:
  StopOracle(BookNumber books, std::size_t capacity) : books_(books), capacity_(capacity) {}

  [[nodiscard]] const std::vector<VenueCommand>& stops() const { return stops_; }

  VenueStatus add(VenueCommand stop, const TriggerPrices& prices) {
    if (stop.side != Side::Buy && stop.side != Side::Sell) return VenueStatus::InvalidCommand;
    if (stop.stop != StopTrigger::LastTrade && stop.stop != StopTrigger::OppositeBest)
      return VenueStatus::InvalidCommand;
    if (stop.book >= books_) return VenueStatus::UnknownBook;
    if (stop.quantity == 0) return VenueStatus::InvalidQuantity;
    if (stop.trail < 0) return VenueStatus::InvalidTrigger;
    if (stop.trail > 0) {
      const auto price = price_for(stop, prices);
      if (!price) return VenueStatus::NoPriceToTrail;
      const auto trigger = trailing(stop.side, *price, stop.trail);
      if (!trigger) return VenueStatus::InvalidTrigger;
      stop.trigger = *trigger;
    }
    if (find(stop.id)) return VenueStatus::DuplicateId;
    if (stops_.size() == capacity_) return VenueStatus::NoRoomForStop;
    stops_.push_back(stop);
    return VenueStatus::Success;
  }

  /// Moves the triggers that trail.
  void follow(BookNumber book, const TriggerPrices& prices) {
    for (VenueCommand& stop : stops_) {
      const auto price = price_for(stop, prices);
      if (stop.book != book || !price || stop.trail == 0) continue;
      const auto moved = trailing(stop.side, *price, stop.trail);
      if (moved && (stop.side == Side::Buy ? *moved < stop.trigger : *moved > stop.trigger)) stop.trigger = *moved;
    }
  }
  std::optional<VenueCommand> next(BookNumber book, const TriggerPrices& prices) {
    follow(book, prices);
    std::optional<std::size_t> first[2];
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const VenueCommand& stop = stops_[i];
      const auto price = price_for(stop, prices);
      if (stop.book != book || !price) continue;
      const bool buys = stop.side == Side::Buy;
      if (buys ? *price < stop.trigger : *price > stop.trigger) continue;
      auto& best = first[buys ? 0 : 1];
      if (!best || (buys ? stop.trigger < stops_[*best].trigger : stop.trigger > stops_[*best].trigger)) best = i;
    }
    if (!first[0] && !first[1]) return {};
    const std::size_t fires = !first[0] ? *first[1] : !first[1] ? *first[0] : std::min(*first[0], *first[1]);
    const VenueCommand stop = stops_[fires];
    stops_.erase(stops_.begin() + static_cast<std::ptrdiff_t>(fires));
    return stop;
  }

  [[nodiscard]] std::optional<VenueCommand> find(OrderId id) const {
    for (const VenueCommand& stop : stops_) {
      if (stop.id == id) return stop;
    }
    return {};
  }
  std::optional<VenueCommand> cancel(OrderId id) {
    const auto stop = find(id);
    std::erase_if(stops_, [id](const VenueCommand& other) { return other.id == id; });
    return stop;
  }

  VenueStatus modify(const VenueCommand& change) {
    auto stop = find(change.id);
    if (!stop) return VenueStatus::UnknownOrder;
    if (change.quantity == 0) return VenueStatus::InvalidQuantity;
    if ((stop->trail == 0) != (change.trail == 0) || change.trail < 0) return VenueStatus::InvalidTrigger;
    auto trigger = std::optional(change.trigger);
    if (stop->trail != 0) {
      const Price seen = stop->side == Side::Sell ? stop->trigger + stop->trail : stop->trigger - stop->trail;
      trigger = trailing(stop->side, seen, change.trail);
    }
    if (!trigger) return VenueStatus::InvalidTrigger;
    const bool moves = *trigger != stop->trigger || change.quantity > stop->quantity;
    stop->trigger = *trigger;
    stop->trail = change.trail;
    stop->price = change.price;
    stop->quantity = change.quantity;
    for (VenueCommand& other : stops_) {
      if (other.id == change.id) other = *stop;
    }
    if (moves) {
      cancel(change.id);
      stops_.push_back(*stop);
    }
    return VenueStatus::Success;
  }

  /// Those of a scope in the order of a mass cancel, which leave.
  std::vector<VenueCommand> mass_cancel(const CancelScope& scope) {
    std::vector<VenueCommand> gone;
    for (const VenueCommand& stop : stops_) {
      if ((scope.owner == 0 || scope.owner == stop.account) && (!scope.side || *scope.side == stop.side) &&
          (!scope.book || *scope.book == stop.book) && scope.lowest <= stop.trigger &&
          stop.trigger <= scope.highest)
        gone.push_back(stop);
    }
    for (const VenueCommand& stop : gone) cancel(stop.id);
    std::stable_sort(gone.begin(), gone.end(), [](const VenueCommand& a, const VenueCommand& b) {
      return a.book != b.book ? a.book < b.book : a.side < b.side;
    });
    return gone;
  }

 private:
  static std::optional<Price> price_for(const VenueCommand& stop, const TriggerPrices& prices) {
    if (stop.stop == StopTrigger::LastTrade) return prices.last;
    return stop.side == Side::Buy ? prices.best_ask : prices.best_bid;
  }
  /// The trigger at a distance from a price, if it fits.
  static std::optional<Price> trailing(Side side, Price price, Price distance) {
    __extension__ using Wide = __int128;
    const Wide trigger = side == Side::Sell ? Wide{price} - distance : Wide{price} + distance;
    if (trigger != static_cast<Price>(trigger)) return {};
    return static_cast<Price>(trigger);
  }

  BookNumber books_;
  std::size_t capacity_;
  std::vector<VenueCommand> stops_;
};

}  // namespace llmes::test
