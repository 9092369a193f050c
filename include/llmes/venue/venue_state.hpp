// SPDX-License-Identifier: MIT
//
// What a venue is made of. A part of venue.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "llmes/types/types.hpp"
#include "llmes/venue/expiry.hpp"
#include "llmes/venue/linked_orders.hpp"
#include "llmes/venue/match_log.hpp"
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
  Quantity quantity_max;  ///< of the books
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

  /// Whether it is a state that commands can lead to, if it comes from an untrusted image whose books hold. Asks
  /// also the sink to which the books are published, if it has a `holds()`. Linear.
  [[nodiscard]] bool holds() const noexcept {
    if (!risk.holds() || !symbols.holds() || !matches.holds() || !stops.holds() || !expiry.holds() ||
        !links.holds()) {
      return false;
    }
    if constexpr (requires { book.sink().holds(); }) {
      if (!book.sink().holds()) return false;
    }
    if (set().book_count() != symbols.size()) return false;
    bool same = true;  // what accounts have open, and what rests
    links.visit_children([&](const VenueCommand& child) { same = same && symbols.has(child.book); });
    std::size_t open = 0, resting = 0;
    for (AccountNumber account = 1; account <= risk.accounts().size(); ++account) {
      risk.visit_open(account, [&](const OpenOrder& order) {
        ++open;
        const std::optional<RestingOrder> found = set().book(order.book)->find(order.handle);
        same = same && found && found->id == order.id && found->side == order.side && found->price == order.price;
        if (!same) return;
        const RestingTerms terms = set().terms_of(order.handle).value();
        same = terms.owner == account && found->quantity + terms.reserve == order.quantity;
      });
    }
    for (BookNumber i = 0; i < set().book_count(); ++i) resting += set().book(i)->size();
    return same && open == resting;
  }

  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.book, self.risk, self.symbols, self.matches, self.stops, self.expiry, self.links, self.schedule,
          self.now);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
