// SPDX-License-Identifier: MIT
//
// Makes stops, and the parts of a venue in which orders wait.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "llmes/venue/link_types.hpp"
#include "llmes/venue/venue_command.hpp"

namespace llmes::test {

/// What `create` makes, which must succeed.
template <class Part, class Config>
Part made(const Config& config) {
  CreateStatus status{};
  std::optional<Part> part = Part::create(config, status);
  EXPECT_EQ(status, CreateStatus::Success);
  return std::move(part.value());
}

/// Of books that take whatever a child needs.
inline bool always(const LinkStep& /*step*/) {
  return true;
}

/// A market order of 10 lots in book 0 that waits for the last trade.
inline VenueCommand stop(OrderId id, Side side, Price trigger) {
  VenueCommand stop;
  stop.id = id;
  stop.side = side;
  stop.trigger = trigger;
  stop.quantity = 10;
  stop.type = VenueCommandType::AddMarket;
  stop.stop = StopTrigger::LastTrade;
  return stop;
}
inline VenueCommand buy_stop(OrderId id, Price trigger) {
  return stop(id, Side::Buy, trigger);
}
inline VenueCommand sell_stop(OrderId id, Price trigger) {
  return stop(id, Side::Sell, trigger);
}

// ---- The same with another member.

inline VenueCommand by_best(VenueCommand stop) {
  stop.stop = StopTrigger::OppositeBest;
  return stop;
}
inline VenueCommand trailing(VenueCommand stop, Price distance) {
  stop.trail = distance;
  return stop;
}
inline VenueCommand of(AccountNumber account, VenueCommand stop) {
  stop.account = account;
  return stop;
}
inline VenueCommand in(BookNumber book, VenueCommand stop) {
  stop.book = book;
  return stop;
}

}  // namespace llmes::test
