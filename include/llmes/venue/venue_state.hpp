// SPDX-License-Identifier: MIT
//
// What a venue is made of. A part of venue.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/venue/expiry.hpp"
#include "llmes/venue/linked_orders.hpp"
#include "llmes/venue/match_log.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk.hpp"
#include "llmes/venue/stop_orders.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// How a command went.
struct VenueAnswer {
  VenueStatus status = VenueStatus::Success;
  RiskStatus risk = RiskStatus::Success;
  Result result{};
};

template <class Book>
struct VenueState {
  Book book;
  RiskStage risk;
  Symbols symbols;
  MatchLog matches;
  StopOrders stops;
  Expiry expiry;
  LinkedOrders links;
  std::array<Nanoseconds, 5> schedule{};  ///< by phase: when it begins; 0 if that is not known
  Nanoseconds now = 0;                    ///< of the command accepted last
  std::size_t lifetimes_max;
  SelfTrade auction_self_trade;

  /// The books by id, without what publishes them.
  [[nodiscard]] const auto& ids() const noexcept {
    if constexpr (requires { book.handle_of(OrderId{}); }) {
      return book;
    } else {
      return book.book();
    }
  }
  [[nodiscard]] const auto& set() const noexcept { return ids().book(); }

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.book, self.risk, self.symbols, self.matches, self.stops, self.expiry, self.links, self.schedule,
          self.now);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
