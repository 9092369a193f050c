// SPDX-License-Identifier: MIT
//
// What a venue does beside orders: phases, halts, reference data, accounts, busts. A part of venue.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "llmes/types/auction.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/match_log.hpp"
#include "llmes/venue/quote.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/venue_books.hpp"
#include "llmes/venue/venue_orders.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/venue/venue_teller.hpp"
#include "llmes/venue/venue_waiting.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Book, class Reports>
class VenueOperations {
  using Books = VenueBooks<Book, Reports>;
  using Answer = VenueAnswer;
  using Kind = VenueReportKind;

 public:
  VenueOperations(VenueState<Book>& venue, Reports& reports, std::uint64_t sequence, Nanoseconds time) noexcept
      : orders_(Books(venue, reports, sequence, time)) {}

  /// Makes a command, and gives the reports of what it does itself.
  [[nodiscard]] Answer make(const VenueCommand& command, std::span<const QuoteEntry> entries) noexcept {
    using enum VenueCommandType;
    if (books().time < books().venue.now) return {VenueStatus::TimeWentBack};
    if (!entries.empty() && command.type != MassQuote) return {VenueStatus::InvalidCommand};
    switch (command.type) {
      case AddLimit:
      case AddProtected: return orders_.template add<CommandType::AddLimit>(command);
      case AddMarket: return orders_.template add<CommandType::AddMarket>(command);
      case Cancel: return orders_.template take_off<CommandType::Cancel>(command);
      case Reduce: return orders_.template take_off<CommandType::Reduce>(command);
      case Modify:
      case Replace: return orders_.move(command);
      case MassQuote: return orders_.quote(command, entries);
      case MassCancel: return orders_.mass_cancel(command);
      case Advance: return advance();
      case SetPhase: return set_phase(command);
      case Schedule: return schedule(command);
      case Halt:
      case Resume: return halt(command);
      case SetSymbol:
      case SetTick:
      case SetBands:
      case SetReference: return set_symbol(command);
      case SetLimits: return from_risk(books().venue.risk.set_limits(command.account, command.limits()));
      case Pay: return from_risk(books().venue.risk.pay(command.account, command.price));
      case Kill: return act(command, AccountAction::Kill, DeleteReason::Killed);
      case Restore: return act(command, AccountAction::Restore, DeleteReason::None);
      case Disconnect: return act(command, AccountAction::Disconnect, DeleteReason::Disconnected);
      case Bust: return bust(command.id);
      case ShowIndicative: return show_indicative(command.book);
    }
    return {VenueStatus::InvalidCommand};
  }
  /// Does what a command that was made has set off, and gives the reports of that and the last one.
  void end(const VenueCommand& command, const Answer& answer) noexcept {
    if (answer.status == VenueStatus::Success) books().venue.now = books().time;
    fired_ += orders_.follow();
    books().tell.answered(Kind::Done, command, answer, fired_);
  }

 private:
  [[nodiscard]] static Answer from_risk(RiskStatus status) noexcept {
    return {status == RiskStatus::Success ? VenueStatus::Success : VenueStatus::RefusedByRisk, status};
  }

  // ---- Accounts.

  [[nodiscard]] Answer act(const VenueCommand& command, AccountAction action, DeleteReason reason) noexcept {
    Answer answer;
    const RiskStatus risk =
        books().venue.risk.apply(AccountCommand{command.account, action}, [&](const OpenOrder& order) {
          books().take_off_book(order, reason);
          books().count(answer.result.cancelled, order.quantity);
          return Status::Success;
        });
    if (risk != RiskStatus::Success) return from_risk(risk);
    const bool cancels =
        action == AccountAction::Kill ||
        (action == AccountAction::Disconnect && books().venue.risk.cancels_on_disconnect(command.account));
    if (cancels) waiting().cancel_all_waiting({.owner = command.account}, reason, answer.result.cancelled);
    return answer;
  }

  [[nodiscard]] Answer bust(std::uint64_t number) noexcept {
    LoggedMatch* const match = books().venue.matches.find(number);
    if (match == nullptr) return {VenueStatus::UnknownMatch};
    if (match->busted != 0) return {VenueStatus::AlreadyBusted};
    const bool taker_bought = match->taker_side == Side::Buy;
    const auto taker_side = match->in_auction == 0 ? std::optional(match->taker_side) : std::nullopt;
    const RiskStage::Undone undone{.buyer = taker_bought ? match->taker : match->maker,
                                   .seller = taker_bought ? match->maker : match->taker,
                                   .book = match->book,
                                   .price = match->price,
                                   .quantity = match->quantity,
                                   .taker_side = taker_side};
    const RiskStatus status = books().venue.risk.undo(undone);
    if (status != RiskStatus::Success) return from_risk(status);
    match->busted = 1;
    books().tell([&] {
      return VenueReport{.match = number,
                         .price = match->price,
                         .quantity = match->quantity,
                         .account = match->taker,
                         .other_account = match->maker,
                         .book = match->book,
                         .kind = Kind::Busted,
                         .side = match->taker_side};
    });
    return {};
  }

  // ---- Time and phases.

  /// Takes what is due, in order of time: at one time orders expire before a phase begins. Each is as if the venue
  /// had advanced to its time, or to that of the last command if it is due since before.
  [[nodiscard]] Answer advance() noexcept {
    const Nanoseconds end = books().time;
    for (;;) {
      std::optional<Phase> next;
      for (Phase phase = Phase::PreOpen; phase <= Phase::Closed; phase = next_of(phase)) {
        if (begin_of(phase) != 0 && (!next || begin_of(phase) < begin_of(*next))) next = phase;
      }
      const std::optional<Nanoseconds> expires = books().venue.expiry.next_time();
      const bool phase_is_next = next && (!expires || begin_of(*next) < *expires);
      if (!phase_is_next && !expires) break;
      const Nanoseconds due = phase_is_next ? begin_of(*next) : *expires;
      if (due > end) break;
      set_time(std::max(due, books().venue.now));
      if (phase_is_next) {
        begin_of(*next) = 0;
        for (BookNumber book = 0; book < books().venue.symbols.size(); ++book) begin_phase(book, *next);
      } else if (const std::optional<OrderId> id = books().venue.expiry.next_due()) {
        waiting().expire(*id);
        fired_ += orders_.follow();
      }
    }
    set_time(end);
    return {};
  }
  void set_time(Nanoseconds time) noexcept {
    books().time = books().venue.now = time;
    books().tell.set_time(time);
    (void)books().venue.expiry.advance(time);
  }
  [[nodiscard]] Nanoseconds& begin_of(Phase phase) noexcept {
    return books().venue.schedule[static_cast<std::size_t>(phase)];
  }
  [[nodiscard]] static Phase next_of(Phase phase) noexcept {
    return static_cast<Phase>(static_cast<std::uint8_t>(phase) + 1);
  }

  [[nodiscard]] Answer schedule(const VenueCommand& command) noexcept {
    if (command.phase > Phase::Closed) return {VenueStatus::InvalidCommand};
    if (command.expiry <= books().time) return {VenueStatus::ExpiryPassed};
    begin_of(command.phase) = command.expiry;
    return {};
  }

  [[nodiscard]] Answer set_phase(const VenueCommand& command) noexcept {
    if (command.phase > Phase::Closed) return {VenueStatus::InvalidCommand};
    const bool all = command.book == VenueCommand::all_books;
    if (!all && !books().venue.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const BookNumber end = all ? books().venue.symbols.size() : command.book + 1;
    for (BookNumber book = all ? 0 : command.book; book < end; ++book) begin_phase(book, command.phase);
    return {};
  }

  /// The next phase of a book. Where the last one collected orders and this one does not, an auction lies between.
  void begin_phase(BookNumber book, Phase phase) noexcept {
    Symbol& symbol = books().venue.symbols[book];
    if (symbol.phase == phase) return;
    if (!collects(phase) && symbol.halted == 0) uncross(book);
    symbol.phase = phase;
    if (collects(phase)) symbol.collected = 1;
    books().tell.phase(Kind::PhaseChanged, book, phase);
    if (phase == Phase::Closed) {
      while (const std::optional<OrderId> id = books().venue.expiry.next_of_day(book)) waiting().expire(*id);
    }
    if (books().venue.links.size() != 0) books().venue.links.wake(book);
    books().touch(book);
    fired_ += orders_.follow();
  }

  [[nodiscard]] Answer halt(const VenueCommand& command) noexcept {
    if (!books().venue.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    Symbol& symbol = books().venue.symbols[command.book];
    const bool halts = command.type == VenueCommandType::Halt;
    if ((symbol.halted != 0) == halts) return {};
    symbol.halted = halts;
    books().tell.phase(halts ? Kind::Halted : Kind::Resumed, command.book, symbol.phase);
    if (halts) return {};
    if (!collects(symbol.phase)) uncross(command.book);  // what a phase has left undone meanwhile
    if (books().venue.links.size() != 0) books().venue.links.wake(command.book);
    books().touch(command.book);
    return {};
  }

  /// Trades what orders have collected, if they have.
  void uncross(BookNumber book) noexcept {
    Symbol& symbol = books().venue.symbols[book];
    if (symbol.collected == 0) return;
    symbol.collected = 0;
    AuctionPrice price = indicative(book);
    if (price.quantity != 0) {
      const Result result = books().venue.book.uncross(book, price.price, books().venue.auction_self_trade,
                                                       typename Books::Told{books(), book});
      price.quantity = result.filled;
    }
    books().tell.auction(Kind::Uncrossed, book, symbol.phase, price);
  }
  /// What an auction of a book would do now, at the best of the prices on its ticks by the rules of
  /// `AuctionCalls::indicative`; of two equally near to the reference, the lower. Nothing if its quantity is 0.
  ///
  /// It is one of the two next to the best of all prices: below that one, fewer lots are sold or more buys are
  /// left over, the farther the worse, or they are farther from the reference; above it, likewise the other way.
  ///
  /// Where fewer lots would trade at both, because orders rest between ticks since these became coarser, it is the
  /// best of all prices: fewer lots than it trades would leave the book crossed.
  [[nodiscard]] AuctionPrice indicative(BookNumber number) const noexcept {
    const Symbol& symbol = books().venue.symbols[number];
    const auto book = books().venue.set().book(number);
    const AuctionPrice best = book->indicative(symbol.reference).value_or(AuctionPrice{});
    if (best.quantity == 0 || symbol.is_on_tick(best.price)) return best;
    const auto next = [&](Side side) {
      const std::optional<Price> price = symbol.on_tick(side, best.price);
      return price ? book->indicative_at(*price) : AuctionPrice{};
    };
    const auto distance = [&](Price price) {
      const auto lower = static_cast<std::uint64_t>(std::min(price, symbol.reference));
      return static_cast<std::uint64_t>(std::max(price, symbol.reference)) - lower;
    };
    const AuctionPrice below = next(Side::Buy);
    const AuctionPrice above = next(Side::Sell);
    const AuctionPrice one = below.quantity != above.quantity ? (below.quantity > above.quantity ? below : above)
                             : below.imbalance != above.imbalance
                                 ? (below.imbalance < above.imbalance ? below : above)
                             : distance(below.price) <= distance(above.price) ? below
                                                                              : above;
    return one.quantity == best.quantity ? one : best;
  }

  [[nodiscard]] Answer show_indicative(BookNumber book) noexcept {
    if (!books().venue.symbols.has(book)) return {VenueStatus::UnknownBook};
    books().tell.auction(Kind::Indicative, book, books().venue.symbols[book].phase, indicative(book));
    return {};
  }

  // ---- Reference data.

  [[nodiscard]] Answer set_symbol(const VenueCommand& command) noexcept {
    using enum VenueCommandType;
    if (!books().venue.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    Symbol& symbol = books().venue.symbols[command.book];
    if (command.type == SetReference) {
      if (symbol.traded == 0) symbol.reference = command.price;
      return from_risk(books().venue.risk.set_reference(command.book, command.price));
    }
    if (command.type == SetBands) return set_bands(symbol, command);
    if (symbol.phase != Phase::Closed) return {VenueStatus::NotWhileOpen};
    if (command.type == SetTick) return {symbol.set_tick(command.price, command.quantity)};
    if (command.quantity == 0) return {VenueStatus::InvalidValue};
    symbol.name = command.id;
    symbol.currency = command.new_id;
    symbol.lot = command.quantity;
    return {};
  }

  /// Orders that rest outside of the new bands are cancelled: so nothing trades there.
  [[nodiscard]] Answer set_bands(Symbol& symbol, const VenueCommand& command) noexcept {
    if (command.price > command.trigger) return {VenueStatus::InvalidValue};
    symbol.lowest = command.price;
    symbol.highest = command.trigger;
    CancelScope scope{.book = command.book};
    if (symbol.lowest != std::numeric_limits<Price>::min()) {
      scope.highest = symbol.lowest - 1;
      (void)books().cancel_scope(scope, DeleteReason::OutsideBands);
    }
    if (symbol.highest != std::numeric_limits<Price>::max()) {
      scope.lowest = symbol.highest + 1;
      scope.highest = std::numeric_limits<Price>::max();
      (void)books().cancel_scope(scope, DeleteReason::OutsideBands);
    }
    return {};
  }

  [[nodiscard]] VenueWaiting<Book, Reports>& waiting() noexcept { return orders_.waiting; }
  [[nodiscard]] Books& books() noexcept { return orders_.waiting.books; }
  [[nodiscard]] const Books& books() const noexcept { return orders_.waiting.books; }

  VenueOrders<Book, Reports> orders_;
  std::uint32_t fired_ = 0;  ///< stops, so far
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
