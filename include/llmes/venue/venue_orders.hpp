// SPDX-License-Identifier: MIT
//
// What a venue does with the orders of accounts. A part of venue.hpp.
//
// A command is looked at here first, then by the risk stage, then by the book. The book tells while it matches,
// and each trade goes to the accounts, the log of trades and the reports at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/venue/venue_teller.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// One command at work.
template <class Book, class Reports>
class VenueOrders {
 public:
  VenueOrders(VenueState<Book>& venue, Reports& reports, std::uint64_t sequence, Nanoseconds time) noexcept
      : venue_(venue), tell_(reports, sequence, time), time_(time) {}

 protected:
  using Answer = VenueAnswer;
  using Kind = VenueReportKind;

  // ---- Commands.

  [[nodiscard]] Answer add(const VenueCommand& command, MessageRate rate) noexcept {
    if (!are_words(command)) return {VenueStatus::InvalidCommand};
    if (!venue_.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = venue_.symbols[command.book];
    if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
    RuledBookRequest request;
    request.id = command.id;
    request.price = command.price;
    request.quantity = command.quantity;
    request.type = static_cast<CommandType>(command.type);
    request.side = command.side;
    request.time_in_force = command.time_in_force;
    request.terms = terms_of(command);
    request.book = command.book;
    if (command.type == VenueCommandType::AddProtected) {
      request.type = CommandType::AddLimit;
      if (!protect(request, symbol, command.protection)) return {VenueStatus::NoOppositeBest};
    }
    if (const VenueStatus status = check(request, symbol); status != VenueStatus::Success) return {status};
    const Answer answer = to_book(request, command.book, command.account, {}, command.effect, rate);
    if (answer.result.rests()) tell_rests(Kind::Added, answer.result.handle);
    return answer;
  }

  /// Cancel and Reduce.
  [[nodiscard]] Answer take_off(const VenueCommand& command) noexcept {
    const OrderHandle handle = venue_.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = venue_.risk.find(handle);
    RuledBookRequest request;
    request.id = command.id;
    request.quantity = command.quantity;
    request.type = static_cast<CommandType>(command.type);
    if (before && before->account == command.account && request.type == CommandType::Reduce) {
      const VenueStatus status = venue_.symbols[before->book].check(command.quantity);
      if (status != VenueStatus::Success) return {status};
    }
    const BookNumber book = before ? before->book : 0;
    const Answer answer = to_book(request, book, command.account, handle, PositionEffect::Any, MessageRate::Free);
    if (answer.status != VenueStatus::Success) return answer;
    if (answer.result.rests()) {
      tell_.reduced(*before, answer.result.cancelled, displayed(handle));
    } else {
      tell_.deleted(*before, DeleteReason::Asked);
    }
    return answer;
  }

  /// Modify and Replace.
  [[nodiscard]] Answer move(const VenueCommand& command) noexcept {
    if (command.effect > PositionEffect::OnlyReduce) return {VenueStatus::InvalidCommand};
    const OrderHandle handle = venue_.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = venue_.risk.find(handle);
    RuledBookRequest request;
    request.id = command.id;
    request.new_id = command.new_id;
    request.price = command.price;
    request.quantity = command.quantity;
    request.type = static_cast<CommandType>(command.type);
    request.time_in_force = command.time_in_force;
    request.terms = terms_of(command);
    if (before && before->account == command.account) {
      const Symbol& symbol = venue_.symbols[before->book];
      if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
      if (const VenueStatus status = check(request, symbol); status != VenueStatus::Success) return {status};
    }
    const BookNumber book = before ? before->book : 0;
    const Answer answer = to_book(request, book, command.account, handle, command.effect, MessageRate::Counted);
    if (answer.status != VenueStatus::Success) return answer;
    if (!answer.result.rests()) {
      tell_.deleted(*before, DeleteReason::Asked);
    } else if (!answer.result.kept_place) {
      const OpenOrder now = *venue_.risk.find(answer.result.handle);
      tell_.rests(Kind::Replaced, now, displayed(now.handle), *before);
    } else if (answer.result.remaining != before->quantity) {
      tell_.reduced(*before, before->quantity - answer.result.remaining, displayed(handle));
    }
    return answer;
  }

  [[nodiscard]] Answer mass_cancel(const VenueCommand& command) noexcept {
    if (command.account != 0 && !venue_.risk.accounts().has(command.account)) {
      return {VenueStatus::RefusedByRisk, RiskStatus::UnknownAccount};
    }
    CancelScope scope{.owner = command.account, .lowest = command.price, .highest = command.trigger};
    if (command.side != VenueCommand::both_sides) scope.side = command.side;
    if (command.book != VenueCommand::all_books) scope.book = command.book;
    return cancel_scope(scope, DeleteReason::MassCancel);
  }

  // ---- For operations of the venue.

  [[nodiscard]] Answer cancel_scope(const CancelScope& scope, DeleteReason reason) noexcept {
    const Result result =
        venue_.book.apply(RuledBookRequest::mass_cancel(scope), Told{*this, scope.book.value_or(0), reason});
    return {result.status == Status::Success ? VenueStatus::Success : VenueStatus::RefusedByBook,
            RiskStatus::Success, result};
  }

  /// Takes an open order off the book, and tells it. The accounts do not learn it here.
  Status cancel(const OpenOrder& order, DeleteReason reason) noexcept {
    const Status status = venue_.book.cancel_order(order.id);
    if (status == Status::Success) tell_.deleted(order, reason);
    return status;
  }

  VenueState<Book>& venue_;
  VenueTeller<Reports> tell_;
  Nanoseconds time_;
  RiskStatus booked_ = RiskStatus::Success;  ///< whether the accounts could book all that the book told

  /// What a book tells while it works.
  struct Told {
    VenueOrders& work;
    BookNumber book;
    DeleteReason reason = DeleteReason::None;

    void operator()(const RuledTrade& trade) const noexcept { work.traded(trade, book); }
    void prevented(const PreventedMatch& match) const noexcept { work.prevented(match, book); }
    void refilled(const RestingOrder& order) const noexcept { work.refilled(order); }
    void cancelled(const RestingOrder& order) const noexcept { work.cancelled(order, reason); }
  };

 private:
  // ---- What is looked at before the risk stage.

  [[nodiscard]] static bool are_words(const VenueCommand& command) noexcept {
    return command.effect <= PositionEffect::OnlyReduce && command.stop <= StopTrigger::OppositeBest &&
           command.lifetime <= Lifetime::UntilTime && command.link_role <= LinkRole::BracketChild;
  }
  [[nodiscard]] static OrderTerms terms_of(const VenueCommand& command) noexcept {
    return {command.account, command.self_trade, command.display, command.peak, command.minimum};
  }

  /// Faults of an order that is added or moved. While the book collects orders, it becomes one that rests.
  [[nodiscard]] static VenueStatus check(RuledBookRequest& request, const Symbol& symbol) noexcept {
    if (collects(symbol.phase)) {
      if (request.type == CommandType::AddMarket || request.time_in_force != TimeInForce::GoodTillCancel) {
        return VenueStatus::NotInAuction;
      }
      request.type = request.type == CommandType::AddLimit ? CommandType::AddResting
                     : request.type == CommandType::Modify ? CommandType::ModifyResting
                                                           : CommandType::ReplaceResting;
    }
    return request.type == CommandType::AddMarket ? symbol.check(request.quantity)
                                                  : symbol.check(request.quantity, request.price);
  }

  /// Sets the limit of an order at the market: so many ticks beyond the opposite best, within the bands.
  [[nodiscard]] bool protect(RuledBookRequest& request, const Symbol& symbol,
                             std::uint32_t points) const noexcept {
    const bool buys = request.side == Side::Buy;
    const std::optional<Price> best = opposite_best(request.book, request.side);
    if (!best) return false;
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    const Price by{points};
    const Price limit = buys ? (*best > highest - by ? highest : *best + by)  //
                             : (*best < lowest + by ? lowest : *best - by);
    request.price = symbol.on_tick(request.side, std::clamp(limit, symbol.lowest, symbol.highest));
    return true;
  }
  [[nodiscard]] std::optional<Price> opposite_best(BookNumber book, Side side) const noexcept {
    return venue_.set().book(book)->best(opposite(side));
  }

  // ---- The way of a command through the stages.

  [[nodiscard]] Answer to_book(const RuledBookRequest& request, BookNumber book, AccountNumber account,
                               OrderHandle named, PositionEffect effect, MessageRate rate) noexcept {
    const RiskStatus risk = venue_.risk.accept(account, request, time_, named, effect, rate);
    if (risk == RiskStatus::UnknownOrder) return {VenueStatus::UnknownOrder, risk};
    if (risk != RiskStatus::Success) return {VenueStatus::RefusedByRisk, risk};
    booked_ = RiskStatus::Success;
    const Result result = venue_.book.apply(request, Told{*this, book});
    note(venue_.risk.on_result(result));
    return {result.status == Status::Success ? VenueStatus::Success : VenueStatus::RefusedByBook, booked_, result};
  }
  void note(RiskStatus status) noexcept {
    if (status != RiskStatus::Success) booked_ = status;
  }

  void traded(const RuledTrade& trade, BookNumber book) noexcept {
    note(venue_.risk.on_trade(trade));
    venue_.symbols[book].on_trade(trade.price);
    const std::uint64_t match = venue_.matches.add({.price = trade.price,
                                                    .quantity = trade.quantity,
                                                    .taker = trade.taker_owner,
                                                    .maker = trade.maker_owner,
                                                    .book = book,
                                                    .taker_side = trade.taker_side});
    tell_.traded(trade, book, match);
  }
  void prevented(const PreventedMatch& match, BookNumber book) noexcept {
    const std::optional<OpenOrder> maker = venue_.risk.find(match.maker_handle);
    if (maker && maker->quantity != match.maker_remaining) {
      note(venue_.risk.on_cancelled(match.maker_handle, maker->quantity - match.maker_remaining));
    }
    tell_.prevented(match, book, std::min(match.maker_showed, match.maker_remaining));
  }
  void refilled(const RestingOrder& order) noexcept {
    tell_.rests(Kind::Refilled, *venue_.risk.find(order.handle), order.quantity);
  }
  void cancelled(const RestingOrder& order, DeleteReason reason) noexcept {
    const OpenOrder open = *venue_.risk.find(order.handle);
    note(venue_.risk.on_cancelled(order.handle, open.quantity));
    tell_.deleted(open, reason);
  }

  /// Lots that an order shows.
  [[nodiscard]] Quantity displayed(OrderHandle handle) const noexcept {
    return venue_.set().find(handle)->quantity;
  }
  void tell_rests(Kind kind, OrderHandle handle) noexcept {
    tell_.rests(kind, *venue_.risk.find(handle), displayed(handle));
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
