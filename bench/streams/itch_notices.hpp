// SPDX-License-Identifier: MIT
//
// Rare messages, one or two a day. Here, none of them changes an order or halts a symbol.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/streams/itch_session.hpp"
#include "bench/streams/itch_tape.hpp"
#include "llmes/itch/messages.hpp"

namespace llmes::bench {

class ItchNotices {
 public:
  using Book = ItchTape::Book;

  explicit ItchNotices(ItchTape& tape) : tape_(tape) {}

  /// What is due at a time of the day, in seconds since midnight. What is about a symbol is about that of `book`,
  /// which has this fair price.
  void send(std::uint64_t second, Book book, itch::Price4 fair) {
    switch (second) {
      case ItchSession::opening - 300: return list(book, fair);
      case 11 * 3600: return bust();
      case 12 * 3600: return halt_elsewhere(book, 'H');
      case 13 * 3600: return halt_elsewhere(book, 'T');
      case ItchSession::closing - 600: return fall();
      default: return;
    }
  }

  /// At the beginning of a pause: its auction may end within a twentieth of the fair price.
  void collar(Book book, itch::Price4 fair) {
    const auto price = static_cast<std::uint32_t>(fair);
    itch::AuctionCollar message;
    message.symbol = tape_.name(book);
    message.reference_price = fair;
    message.upper_price = itch::Price4{price + price / 20};
    message.lower_price = itch::Price4{price - price / 20};
    tape_.send(message, book);
  }

 private:
  /// Two issues that are new: one is offered at the opening, and one raises capital.
  void list(Book book, itch::Price4 fair) {
    itch::QuotingPeriod offer;
    offer.symbol = tape_.name(book);
    offer.release_time = ItchSession::opening;
    offer.qualifier = 'A';
    offer.ipo_price = fair;
    tape_.send(offer, book);

    const auto price = static_cast<std::uint32_t>(fair);
    itch::DirectListing listing;
    listing.symbol = tape_.name(1);
    listing.open_eligibility = 'Y';
    listing.minimum_price = itch::Price4{price - price / 5};
    listing.maximum_price = itch::Price4{price + price / 5 * 4};
    listing.near_price = fair;
    listing.near_time = std::chrono::nanoseconds(tape_.now);
    listing.lower_price = itch::Price4{price - price / 10};
    listing.upper_price = itch::Price4{price + price / 10};
    tape_.send(listing, 1);
  }
  /// The last trade is taken back, which changes no book.
  void bust() {
    const auto& [match, book] = tape_.last_trade();
    if (book == 0) return;
    itch::BrokenTrade message;
    message.match = match;
    tape_.send(message, book);
  }
  /// Another market of the group halts a symbol, or trades it again.
  void halt_elsewhere(Book book, char action) {
    itch::OperationalHalt message;
    message.symbol = tape_.name(book);
    message.market = 'X';
    message.action = action;
    tape_.send(message, book);
  }
  /// The first level of a fall of the whole market. So late in the day it halts nothing.
  void fall() {
    itch::CircuitBreakerStatus message;
    message.level = '1';
    tape_.send(message, 0);
  }

  ItchTape& tape_;
};

}  // namespace llmes::bench
