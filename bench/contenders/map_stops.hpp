// SPDX-License-Identifier: MIT
//
// The stops of a book as most people would write them, and as the engines that people use have them: two multimaps
// by trigger, one a side, and a hash map from ids. They are called as `StopOrders` are, and know less: no trailing
// triggers, no best price to look at, and of one trigger on both sides not which stop came first.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "llmes/venue.hpp"

namespace llmes::bench {

class MapStops {
 public:
  VenueStatus add(const VenueCommand& stop, const TriggerPrices& /*prices*/) {
    if (by_id_.contains(stop.id)) return VenueStatus::DuplicateId;
    Place place{stop.side, {}, {}};
    if (stop.side == Side::Buy) {
      place.buy = buys_.emplace(stop.trigger, stop);
    } else {
      place.sell = sells_.emplace(stop.trigger, stop);
    }
    by_id_.emplace(stop.id, place);
    return VenueStatus::Success;
  }

  std::optional<VenueCommand> cancel(OrderId id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return {};
    const auto [side, buy, sell] = found->second;
    return side == Side::Buy ? take(buys_, buy) : take(sells_, sell);
  }

  /// The next one that fires.
  std::optional<VenueCommand> next(BookNumber /*book*/, const TriggerPrices& prices) {
    if (!prices.last) return {};
    if (!buys_.empty() && buys_.begin()->first <= *prices.last) return take(buys_, buys_.begin());
    if (!sells_.empty() && sells_.begin()->first >= *prices.last) return take(sells_, sells_.begin());
    return {};
  }

 private:
  using Buys = std::multimap<Price, VenueCommand>;
  using Sells = std::multimap<Price, VenueCommand, std::greater<>>;
  struct Place {
    Side side;
    Buys::iterator buy;
    Sells::iterator sell;
  };

  template <class Stops>
  VenueCommand take(Stops& stops, typename Stops::iterator at) {
    const VenueCommand stop = at->second;
    stops.erase(at);
    by_id_.erase(stop.id);
    return stop;
  }

  Buys buys_;
  Sells sells_;
  std::unordered_map<OrderId, Place> by_id_;
};

}  // namespace llmes::bench
