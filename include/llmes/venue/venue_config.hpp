// SPDX-License-Identifier: MIT
//
// What a venue is made for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/rules/venue_rules.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The books of a venue, unless it is made with others.
using VenueBook = IdBook<RuledBookSet, HashedIds>;

/// The sizes of a venue, which are fixed, and what it decides once.
struct VenueConfig {
  BookSetConfig books{};  ///< all are there from the start
  HashedIds::Config ids{};
  std::uint32_t accounts = 0;  ///< this and the next two: see `RiskConfig`
  std::size_t holdings = 0;
  Fees fees{};
  std::size_t stops = 1;                  ///< how many may wait; at least 1
  std::size_t lifetimes = 1;              ///< how many orders may have another one than UntilCancelled; at least 1
  std::size_t links = 1;                  ///< how many pairs and brackets there may be; at least 1
  std::size_t matches = 1;                ///< how many trades are kept, so that they can be undone; at least 1
  Phase first_phase = Phase::Continuous;  ///< of all books
  SelfTrade auction_self_trade = SelfTrade::Decrement;  ///< or `Allow`

  [[nodiscard]] constexpr bool has_modes() const noexcept {
    return first_phase <= Phase::Closed &&
           (auction_self_trade == SelfTrade::Allow || auction_self_trade == SelfTrade::Decrement);
  }
  /// One more order than the books: so that they say when they are full, and not to an order that trades at once.
  [[nodiscard]] constexpr RiskConfig risk() const noexcept {
    return {.accounts = accounts,
            .books = static_cast<std::uint32_t>(books.max_books),
            .orders = books.capacity + 1,
            .holdings = holdings,
            .fees = fees};
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
