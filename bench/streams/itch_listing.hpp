// SPDX-License-Identifier: MIT
//
// The first messages of a synthetic day: what is traded, and by whom.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/streams/itch_tape.hpp"
#include "bench/streams/random.hpp"
#include "llmes/itch/messages.hpp"

namespace llmes::bench {

class ItchListing {
 public:
  ItchListing(ItchTape& tape, Random& random, std::size_t symbols)
      : tape_(tape), random_(random), symbols_(symbols) {}

  /// One message, and three and one for each participant about each symbol.
  void announce(std::size_t participants) {
    for_each_symbol([&](Book book) { tape_.send(directory(book), book); });
    for_each_symbol([&](Book book) { tape_.set_state(book, itch::TradingState::Trading, ""); });
    for_each_symbol([&](Book book) {
      itch::ShortSaleRestriction message;
      message.symbol = tape_.name(book);
      message.action = random_.chance(30) ? '2' : '0';
      tape_.send(message, book);
    });
    for (std::size_t number = 0; number < participants; ++number) {
      for_each_symbol([&](Book book) { tape_.send(position(book, number), book); });
    }
    itch::CircuitBreakerLevels levels;  // of an index, in hundred-millionths
    levels.level1 = itch::Price8{4'650'00000000};
    levels.level2 = itch::Price8{4'350'00000000};
    levels.level3 = itch::Price8{4'000'00000000};
    tape_.send(levels, 0);
  }

 private:
  using Book = ItchTape::Book;

  template <class Send>
  void for_each_symbol(Send send) {
    for (Book book = 1; book <= symbols_; ++book) {
      tape_.now += random_.below(10'000);
      send(book);
    }
  }

  itch::StockDirectory directory(Book book) {
    static constexpr std::array<char, 6> categories{'Q', 'G', 'S', 'N', 'A', 'P'};
    itch::StockDirectory message;
    message.symbol = tape_.name(book);
    message.market_category = categories[random_.below(categories.size())];
    message.financial_status = 'N';
    message.round_lot = 100;
    message.round_lots_only = 'N';
    message.issue_classification = 'C';
    message.issue_sub_type = "Z";
    message.authenticity = 'P';
    message.short_sale_threshold = 'N';
    message.ipo_flag = 'N';
    message.price_tier = random_.chance(300) ? '1' : '2';
    message.etp_flag = 'N';
    message.inverse = 'N';
    return message;
  }
  itch::ParticipantPosition position(Book book, std::uint64_t number) const {
    itch::ParticipantPosition message;
    message.participant = ItchTape::participant(number);
    message.symbol = tape_.name(book);
    message.primary_market_maker = number == 0 ? 'Y' : 'N';
    message.mode = 'N';
    message.state = 'A';
    return message;
  }

  ItchTape& tape_;
  Random& random_;
  std::size_t symbols_;
};

}  // namespace llmes::bench
