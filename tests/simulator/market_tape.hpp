// SPDX-License-Identifier: MIT
//
// Tapes of a made market: a stream of commands that looks at no book, matched by one, told as market events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/simulator/market_event.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// A command of the made market. An order's id is the number of its command, from 1.
struct MarketCommand {
  enum class Kind : std::uint8_t {
    Limit,
    Immediate,
    Cancel,
    Reduce,
    Modify,
    Replace,
    Trade,
    OffPrice,
    Phase,
    Clear,
    Auction  ///< all that crosses trades at one price
  };

  Kind kind = Kind::Limit;
  Nanoseconds time = 0;
  OrderId id = 0;
  OrderId other = 0;  ///< the order that it names
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;
  MarketPhase phase = MarketPhase::Continuous;
};

struct MarketSpec {
  std::uint64_t seed = 1;
  std::size_t commands = 1'000;
  BookNumber books = 1;
  bool is_odd =
      true;  ///< with hidden prints, executions off the price, phases, clears, moves of orders, equal times
  bool has_cancels = true;
  bool has_auctions = false;  ///< now and then, orders are collected for a while
  Quantity anchor = 0;  ///< lots at each price behind those of other orders, so that takers always find enough
};

inline constexpr Price market_mid = 1'000;

/// Adds, cancels and takers around a price that wanders.
inline std::vector<MarketCommand> make_market(const MarketSpec& spec) {
  using Kind = MarketCommand::Kind;
  Random random(spec.seed);
  std::vector<MarketCommand> commands;
  std::vector<Price> mids(spec.books, market_mid);
  Nanoseconds time = 1'000;
  const auto add = [&](MarketCommand command) {
    time += spec.is_odd ? random.below(4) : 10 + random.below(10);
    command.time = time;
    command.id = commands.size() + 1;
    commands.push_back(command);
  };
  if (spec.anchor != 0) {
    for (BookNumber book = 0; book < spec.books; ++book) {
      for (Price away = 8; away <= 60; ++away) {
        add({.book = book, .side = Side::Buy, .price = market_mid - away, .quantity = spec.anchor});
        add({.book = book, .side = Side::Sell, .price = market_mid + away, .quantity = spec.anchor});
      }
    }
  }
  std::vector<std::uint8_t> in_auction(spec.books);
  while (commands.size() < spec.commands) {
    const auto book = static_cast<BookNumber>(random.below(spec.books));
    Price& mid = mids[book];
    if (spec.has_auctions && random.chance(5)) {
      if (in_auction[book] != 0)
        add({.kind = Kind::Auction, .book = book, .price = mid, .quantity = 1 + random.below(60)});
      add({.kind = Kind::Phase,
           .book = book,
           .phase = in_auction[book] != 0 ? MarketPhase::Continuous : MarketPhase::Auction});
      in_auction[book] ^= 1;
    }
    if (spec.anchor == 0 && random.chance(5)) mid += static_cast<Price>(random.below(3)) - 1;
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const Price sign = side == Side::Buy ? 1 : -1;
    MarketCommand command{.book = book, .side = side, .quantity = 1 + random.below(20)};
    const std::uint64_t recent = commands.size() < 60 ? commands.size() : 60;
    command.other = recent == 0 ? 1 : commands.size() - random.below(recent);
    const std::uint64_t dice = random.below(100);
    command.price = mid - sign * static_cast<Price>(1 + random.below(6));
    if (dice < 50) {
    } else if (dice < 62) {  // takers reach far enough to find all they want in an anchored market
      command.price = mid + sign * static_cast<Price>(spec.anchor != 0 ? 50 : random.below(6));
      command.kind = spec.is_odd && random.chance(40) ? Kind::Immediate : Kind::Limit;
      command.quantity = 1 + random.below(40);
    } else if (dice < 82 || !spec.is_odd) {
      command.kind = random.chance(70) ? Kind::Cancel : Kind::Reduce;
      if (command.kind == Kind::Reduce) command.quantity = 1 + random.below(5);
    } else if (dice < 90) {
      command.kind = random.chance(50) ? Kind::Modify : Kind::Replace;
    } else if (dice < 95) {
      command.kind = Kind::Trade;
    } else if (dice < 98) {
      command.kind = Kind::OffPrice;
      command.quantity = 1 + random.below(3);
    } else if (random.chance(20)) {
      command.kind = Kind::Clear;
    } else if (random.chance(50)) {
      command.kind = Kind::Phase;
      command.phase = random.chance(70) ? MarketPhase::Continuous : static_cast<MarketPhase>(random.below(3));
    }
    if (spec.has_cancels || command.kind <= Kind::Immediate) add(command);
  }
  return commands;
}

/// What the market of these commands tells. The order `left_out` was never sent, and what names it neither.
inline std::vector<MarketEvent> tell_market(const std::vector<MarketCommand>& commands, BookNumber book_count,
                                            OrderId left_out = 0) {
  using Kind = MarketCommand::Kind;
  auto books = IdBook<BookSet, HashedIds>::create({.max_books = book_count, .capacity = commands.size() + 1}, {});
  while (books->add_book()) {
  }
  std::vector<MarketEvent> events;
  std::vector<MarketPhase> phases(book_count);
  for (const MarketCommand& command : commands) {
    if (command.id == left_out || (command.other == left_out && left_out != 0 && command.kind >= Kind::Cancel))
      continue;
    const std::size_t first = events.size();
    MarketEvent event{.time = command.time,
                      .received = command.time + 7,
                      .id = command.other,
                      .price = command.price,
                      .quantity = command.quantity,
                      .book = command.book,
                      .side = command.side};
    const auto tell = [&](MarketEventType type) {
      event.type = type;
      events.push_back(event);
    };
    const auto trade = [&](const Trade& fill) {
      MarketEvent execution = event;
      execution.id = fill.maker_id;
      execution.quantity = fill.quantity;
      execution.price = fill.price;
      execution.type = MarketEventType::Execute;
      events.push_back(execution);
    };
    const std::optional<RestingOrder> named = books->find(command.other);
    const bool names = command.kind >= Kind::Cancel && command.kind <= Kind::Replace;
    if ((names || command.kind == Kind::OffPrice) && !named) continue;
    if (named && command.kind != Kind::Limit) event.book = *books->book().book_of(named->handle);
    switch (command.kind) {
      case Kind::Limit:
      case Kind::Immediate: {
        const auto tif =
            command.kind == Kind::Limit ? TimeInForce::GoodTillCancel : TimeInForce::ImmediateOrCancel;
        event.book = command.book;
        const Result result =
            phases[command.book] == MarketPhase::Auction
                ? books->add_resting_order(command.book, command.id, command.side, command.price, command.quantity)
                : books->add_limit_order(command.book, command.id, command.side, command.price, command.quantity,
                                         tif, trade);
        if (result.rests()) {
          event.id = command.id;
          event.quantity = result.remaining;
          tell(MarketEventType::Add);
        }
        break;
      }
      case Kind::Cancel:
        if (books->cancel_order(command.other) == Status::Success) tell(MarketEventType::Cancel);
        break;
      case Kind::Reduce:
        if (books->reduce_order(command.other, command.quantity) == Status::Success) tell(MarketEventType::Reduce);
        break;
      case Kind::Modify: {
        // A marketable modify would trade; this one may lock the book as some feeds do.
        static_cast<void>(books->modify_resting_order(command.other, command.price, command.quantity));
        event.side = named->side;
        tell(MarketEventType::Modify);
        break;
      }
      case Kind::Replace:
        event.new_id = command.id;
        static_cast<void>(
            books->replace_resting_order(command.other, command.id, command.price, command.quantity));
        tell(MarketEventType::Replace);
        break;
      case Kind::Trade: tell(MarketEventType::Trade); break;
      case Kind::OffPrice:
        if (books->reduce_order(command.other, command.quantity) == Status::Success) {
          event.off_price = true;
          event.unprinted = command.quantity == 1;
          tell(MarketEventType::Execute);
        }
        break;
      case Kind::Phase:
        event.phase = phases[command.book] = command.phase;
        tell(MarketEventType::Phase);
        break;
      case Kind::Auction: {
        event.book = command.book;
        Quantity lots = 0;
        const auto best = [&](Side side) {
          std::optional<RestingOrder> found;
          books->book(command.book)->visit_orders(side, [&](const RestingOrder& order) {
            found = order;
            return false;
          });
          return found;
        };
        const std::size_t executions = events.size();
        for (auto bid = best(Side::Buy), ask = best(Side::Sell); bid && ask && bid->price >= ask->price;
             bid = best(Side::Buy), ask = best(Side::Sell)) {
          event.price = ask->price;  // that of the last pair is good for all
          event.quantity = std::min(bid->quantity, ask->quantity);
          lots += event.quantity;
          event.off_price = event.unprinted = true;
          for (const OrderId id : {bid->id, ask->id}) {
            event.id = id;
            tell(MarketEventType::Execute);
            static_cast<void>(books->reduce_order(id, event.quantity));
          }
        }
        for (std::size_t i = executions; i < events.size(); ++i) events[i].price = event.price;
        event.id = 0;
        event.off_price = event.unprinted = false;
        event.cross = true;
        event.quantity = lots + command.quantity;
        tell(MarketEventType::Trade);
        break;
      }
      case Kind::Clear:
        books->clear(command.book);
        event.book = command.book;
        tell(MarketEventType::Clear);
        break;
    }
    for (std::size_t i = first; i < events.size(); ++i) {
      events[i].last = i + 1 == events.size();
      events[i].record = i;
    }
  }
  return events;
}

/// The same market told by a feed whose fills change no book: each execution is a `Fill`, and behind those of its
/// event a `Reduce` takes its lots off. With reserves, now and then an order trades more than it shows, and shows
/// its next part by a `Modify`; it leaves some events later.
inline std::vector<MarketEvent> tell_by_fills(const std::vector<MarketEvent>& events, Random& random,
                                              bool with_reserves = false) {
  std::vector<MarketEvent> told;
  std::vector<MarketEvent> booked;  // what fills have to be followed by
  std::vector<std::pair<OrderId, BookNumber>> refilled;
  const auto flush = [&](const MarketEvent& now) {
    for (MarketEvent& event : booked) {
      event.record = now.record;
      told.push_back(event);
    }
    booked.clear();
  };
  bool begins = true;
  std::map<OrderId, Quantity> open;
  for (const MarketEvent& event : events) {
    using enum MarketEventType;
    if (event.type == Add || event.type == Modify) open[event.id] = event.quantity;
    if (event.type == Replace) open[event.new_id] = event.quantity;
    if (event.type == Reduce || event.type == Execute) open[event.id] -= event.quantity;
    while (begins && !refilled.empty() && random.chance(30)) {
      told.push_back({.time = event.time,
                      .record = event.record,
                      .id = refilled.back().first,
                      .book = refilled.back().second,
                      .type = MarketEventType::Cancel});
      refilled.pop_back();
    }
    begins = event.last;
    if (event.type == MarketEventType::Execute) {
      MarketEvent fill = event;
      fill.type = MarketEventType::Fill;
      fill.last = false;
      MarketEvent reduce = event;
      reduce.type = MarketEventType::Reduce;
      reduce.last = reduce.off_price = reduce.unprinted = false;
      if (with_reserves && !event.off_price && open[event.id] == 0 && random.chance(30)) {
        fill.quantity += random.below(30);
        if (random.chance(50)) {
          reduce.type = MarketEventType::Modify;
          reduce.price = event.price;
          reduce.quantity = 1 + random.below(event.quantity + 2);
          // Of a made market's executions the side is that of the taker.
          reduce.side = event.side == Side::Buy ? Side::Sell : Side::Buy;
          refilled.emplace_back(event.id, event.book);
        }
      }
      told.push_back(fill);
      booked.push_back(reduce);
      if (event.last) flush(event);
    } else {
      flush(event);
      told.push_back(event);
    }
    told.back().last = event.last;
  }
  return told;
}

}  // namespace llmes::test
