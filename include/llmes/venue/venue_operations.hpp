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
#include "llmes/venue/venue_orders.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Book, class Reports>
class VenueOperations : public VenueOrders<Book, Reports> {
  using Orders = VenueOrders<Book, Reports>;
  using Orders::cancel_scope, Orders::cancel_all_waiting, Orders::count, Orders::expire, Orders::follow,
      Orders::take_off_book, Orders::tell_, Orders::time_, Orders::touch, Orders::venue_;
  using typename Orders::Answer, typename Orders::Kind;

 public:
  using Orders::Orders;

  /// Makes a command, and gives its reports.
  void run(const VenueCommand& command, std::span<const QuoteEntry> entries) noexcept {
    const Answer answer = time_ < venue_.now ? Answer{VenueStatus::TimeWentBack} : make(command, entries);
    if (answer.status == VenueStatus::Success) venue_.now = time_;
    fired_ += follow();
    tell_.answered(Kind::Done, command, answer, fired_);
  }

 private:
  [[nodiscard]] Answer make(const VenueCommand& command, std::span<const QuoteEntry> entries) noexcept {
    using enum VenueCommandType;
    if (!entries.empty() && command.type != MassQuote) return {VenueStatus::InvalidCommand};
    switch (command.type) {
      case AddLimit:
      case AddMarket:
      case AddProtected: return this->add(command);
      case Cancel:
      case Reduce: return this->take_off(command);
      case Modify:
      case Replace: return this->move(command);
      case MassQuote: return this->quote(command, entries);
      case MassCancel: return this->mass_cancel(command);
      case Advance: return advance();
      case SetPhase: return set_phase(command);
      case Schedule: return schedule(command);
      case Halt:
      case Resume: return halt(command);
      case SetSymbol:
      case SetTick:
      case SetBands:
      case SetReference: return set_symbol(command);
      case SetLimits: return from_risk(venue_.risk.set_limits(command.account, command.limits()));
      case Pay: return from_risk(venue_.risk.pay(command.account, command.price));
      case Kill: return act(command, AccountAction::Kill, DeleteReason::Killed);
      case Restore: return act(command, AccountAction::Restore, DeleteReason::None);
      case Disconnect: return act(command, AccountAction::Disconnect, DeleteReason::Disconnected);
      case Bust: return bust(command.id);
      case ShowIndicative: return show_indicative(command.book);
    }
    return {VenueStatus::InvalidCommand};
  }

  [[nodiscard]] static Answer from_risk(RiskStatus status) noexcept {
    return {status == RiskStatus::Success ? VenueStatus::Success : VenueStatus::RefusedByRisk, status};
  }

  // ---- Accounts.

  [[nodiscard]] Answer act(const VenueCommand& command, AccountAction action, DeleteReason reason) noexcept {
    Answer answer;
    const RiskStatus risk =
        venue_.risk.apply(AccountCommand{command.account, action}, [&](const OpenOrder& order) {
          take_off_book(order, reason);
          count(answer.result.cancelled, order.quantity);
          return Status::Success;
        });
    if (risk != RiskStatus::Success) return from_risk(risk);
    const bool cancels = action == AccountAction::Kill || (action == AccountAction::Disconnect &&
                                                           venue_.risk.cancels_on_disconnect(command.account));
    if (cancels) cancel_all_waiting({.owner = command.account}, reason, answer.result.cancelled);
    return answer;
  }

  [[nodiscard]] Answer bust(std::uint64_t number) noexcept {
    LoggedMatch* const match = venue_.matches.find(number);
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
    const RiskStatus status = venue_.risk.undo(undone);
    if (status != RiskStatus::Success) return from_risk(status);
    match->busted = 1;
    tell_([&] {
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
    const Nanoseconds end = time_;
    for (;;) {
      std::optional<Phase> next;
      for (Phase phase = Phase::PreOpen; phase <= Phase::Closed; phase = next_of(phase)) {
        if (begin_of(phase) != 0 && (!next || begin_of(phase) < begin_of(*next))) next = phase;
      }
      const std::optional<Nanoseconds> expires = venue_.expiry.next_time();
      const bool phase_is_next = next && (!expires || begin_of(*next) < *expires);
      if (!phase_is_next && !expires) break;
      const Nanoseconds due = phase_is_next ? begin_of(*next) : *expires;
      if (due > end) break;
      set_time(std::max(due, venue_.now));
      if (phase_is_next) {
        begin_of(*next) = 0;
        for (BookNumber book = 0; book < venue_.symbols.size(); ++book) begin_phase(book, *next);
      } else if (const std::optional<OrderId> id = venue_.expiry.next_due()) {
        expire(*id);
        fired_ += follow();
      }
    }
    set_time(end);
    return {};
  }
  void set_time(Nanoseconds time) noexcept {
    time_ = venue_.now = time;
    tell_.set_time(time);
    (void)venue_.expiry.advance(time);
  }
  [[nodiscard]] Nanoseconds& begin_of(Phase phase) noexcept {
    return venue_.schedule[static_cast<std::size_t>(phase)];
  }
  [[nodiscard]] static Phase next_of(Phase phase) noexcept {
    return static_cast<Phase>(static_cast<std::uint8_t>(phase) + 1);
  }

  [[nodiscard]] Answer schedule(const VenueCommand& command) noexcept {
    if (command.phase > Phase::Closed) return {VenueStatus::InvalidCommand};
    if (command.expiry <= time_) return {VenueStatus::ExpiryPassed};
    begin_of(command.phase) = command.expiry;
    return {};
  }

  [[nodiscard]] Answer set_phase(const VenueCommand& command) noexcept {
    if (command.phase > Phase::Closed) return {VenueStatus::InvalidCommand};
    const bool all = command.book == VenueCommand::all_books;
    if (!all && !venue_.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const BookNumber end = all ? venue_.symbols.size() : command.book + 1;
    for (BookNumber book = all ? 0 : command.book; book < end; ++book) begin_phase(book, command.phase);
    return {};
  }

  /// The next phase of a book. Where the last one collected orders and this one does not, an auction lies between.
  void begin_phase(BookNumber book, Phase phase) noexcept {
    Symbol& symbol = venue_.symbols[book];
    if (symbol.phase == phase) return;
    if (!collects(phase) && symbol.halted == 0) uncross(book);
    symbol.phase = phase;
    if (collects(phase)) symbol.collected = 1;
    tell_.phase(Kind::PhaseChanged, book, phase);
    if (phase == Phase::Closed) {
      while (const std::optional<OrderId> id = venue_.expiry.next_of_day(book)) expire(*id);
    }
    if (venue_.links.size() != 0) venue_.links.wake(book);
    touch(book);
    fired_ += follow();
  }

  [[nodiscard]] Answer halt(const VenueCommand& command) noexcept {
    if (!venue_.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    Symbol& symbol = venue_.symbols[command.book];
    const bool halts = command.type == VenueCommandType::Halt;
    if ((symbol.halted != 0) == halts) return {};
    symbol.halted = halts;
    tell_.phase(halts ? Kind::Halted : Kind::Resumed, command.book, symbol.phase);
    if (halts) return {};
    if (!collects(symbol.phase)) uncross(command.book);  // what a phase has left undone meanwhile
    if (venue_.links.size() != 0) venue_.links.wake(command.book);
    touch(command.book);
    return {};
  }

  /// Trades what orders have collected, if they have.
  void uncross(BookNumber book) noexcept {
    Symbol& symbol = venue_.symbols[book];
    if (symbol.collected == 0) return;
    symbol.collected = 0;
    AuctionPrice price = indicative(book);
    if (price.quantity != 0) {
      const Result result =
          venue_.book.uncross(book, price.price, venue_.auction_self_trade, typename Orders::Told{*this, book});
      price.quantity = result.filled;
    }
    tell_.auction(Kind::Uncrossed, book, symbol.phase, price);
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
    const Symbol& symbol = venue_.symbols[number];
    const auto book = venue_.set().book(number);
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
    if (!venue_.symbols.has(book)) return {VenueStatus::UnknownBook};
    tell_.auction(Kind::Indicative, book, venue_.symbols[book].phase, indicative(book));
    return {};
  }

  // ---- Reference data.

  [[nodiscard]] Answer set_symbol(const VenueCommand& command) noexcept {
    using enum VenueCommandType;
    if (!venue_.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    Symbol& symbol = venue_.symbols[command.book];
    if (command.type == SetReference) {
      if (symbol.traded == 0) symbol.reference = command.price;
      return from_risk(venue_.risk.set_reference(command.book, command.price));
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
      (void)cancel_scope(scope, DeleteReason::OutsideBands);
    }
    if (symbol.highest != std::numeric_limits<Price>::max()) {
      scope.lowest = symbol.highest + 1;
      scope.highest = std::numeric_limits<Price>::max();
      (void)cancel_scope(scope, DeleteReason::OutsideBands);
    }
    return {};
  }

  std::uint32_t fired_ = 0;  ///< stops, so far
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
