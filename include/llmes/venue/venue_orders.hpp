// SPDX-License-Identifier: MIT
//
// What a venue does with the orders of accounts, and with the stops that fire. A part of venue.hpp.
//
// A command is looked at here first: what the symbol of its book allows, and whether it waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/venue/venue_waiting.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Book, class Reports>
class VenueOrders : public VenueWaiting<Book, Reports> {
  using Waiting = VenueWaiting<Book, Reports>;

 public:
  using Waiting::Waiting;

 protected:
  using typename Waiting::Answer, typename Waiting::Kind;
  using Waiting::cancel, Waiting::cancel_all_waiting, Waiting::cancel_scope, Waiting::displayed, Waiting::ended,
      Waiting::filled, Waiting::forget_lifetime, Waiting::open_order, Waiting::tell_, Waiting::to_book,
      Waiting::venue_;

  [[nodiscard]] Answer add(const VenueCommand& command) noexcept {
    if (!are_words(command)) return {VenueStatus::InvalidCommand};
    if (!venue_.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = venue_.symbols[command.book];
    if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
    if (this->waits(command.id)) return {VenueStatus::DuplicateId};
    if (command.link != 0 || command.link_role != LinkRole::None) {
      if (const VenueStatus status = venue_.links.check(command); status != VenueStatus::Success) return {status};
    }
    return place(command, symbol, MessageRate::Counted);
  }

  /// Cancel and Reduce.
  [[nodiscard]] Answer take_off(const VenueCommand& command) noexcept {
    const OrderHandle handle = venue_.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = venue_.risk.find(handle);
    if (!before) {
      auto waiting = this->stop_of(command.account, command.id);
      if (!waiting && command.type == VenueCommandType::Cancel) {
        waiting = this->child_of(command.account, command.id);
      }
      if (waiting) return this->take_off_waiting(*waiting, command);
    }
    if (is_of(before, command) && command.type == VenueCommandType::Reduce) {
      const VenueStatus status = venue_.symbols[before->book].check(command.quantity);
      if (status != VenueStatus::Success) return {status};
    }
    RuledBookRequest request;
    request.id = command.id;
    request.quantity = command.quantity;
    request.type = static_cast<CommandType>(command.type);
    const Answer answer = to_book(request, before ? before->book : 0, command.account, handle, PositionEffect::Any,
                                  MessageRate::Free);
    if (answer.status != VenueStatus::Success) return answer;
    if (answer.result.rests()) {
      tell_.reduced(*before, answer.result.cancelled, displayed(handle), DeleteReason::Asked);
    } else {
      tell_.deleted(*before, DeleteReason::Asked);
      ended(before->id);
    }
    return answer;
  }

  /// Modify and Replace.
  [[nodiscard]] Answer move(const VenueCommand& command) noexcept {
    if (command.effect > PositionEffect::OnlyReduce) return {VenueStatus::InvalidCommand};
    const bool replaces = command.type == VenueCommandType::Replace;
    const OrderHandle handle = venue_.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = venue_.risk.find(handle);
    const auto stop = before || replaces ? std::nullopt : this->stop_of(command.account, command.id);
    RuledBookRequest request = request_of(command);
    request.new_id = command.new_id;
    if (stop || is_of(before, command)) {
      const Symbol& symbol = venue_.symbols[stop ? stop->book : before->book];
      if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
      if (stop) {
        const VenueStatus status = stop->type == VenueCommandType::AddLimit
                                       ? symbol.check(command.quantity, command.price)
                                       : symbol.check(command.quantity);
        return status == VenueStatus::Success ? this->modify_stop(*stop, command) : Answer{status};
      }
      if (replaces && this->waits(command.new_id)) return {VenueStatus::DuplicateId};
      if (const VenueStatus status = check(request, symbol); status != VenueStatus::Success) return {status};
    }
    const Answer answer = this->to_book_seldom(request, before.value_or(OpenOrder{}), command.account,
                                               command.effect, MessageRate::Counted);
    if (answer.status != VenueStatus::Success) return answer;
    moved(*before, answer.result);
    return answer;
  }

  [[nodiscard]] Answer mass_cancel(const VenueCommand& command) noexcept {
    if (command.account != 0 && !venue_.risk.accounts().has(command.account)) {
      return {VenueStatus::RefusedByRisk, RiskStatus::UnknownAccount};
    }
    CancelScope scope{.owner = command.account, .lowest = command.price, .highest = command.trigger};
    if (command.side != VenueCommand::both_sides) scope.side = command.side;
    if (command.book != VenueCommand::all_books) scope.book = command.book;
    Answer answer = cancel_scope(scope, DeleteReason::MassCancel);
    if (answer.status == VenueStatus::Success) {
      cancel_all_waiting(scope, DeleteReason::MassCancel, answer.result.cancelled);
    }
    return answer;
  }

  /// Does what a command has set off: first what is linked to an order that has traded or gone, then the stops
  /// whose trigger holds, each as a command of its own, until nothing follows any more.
  /// @return how many stops have fired; each has left, so there are no more than have waited.
  [[gnu::always_inline]] std::uint32_t follow() noexcept {
    this->tell_best_prices();
    const std::uint32_t fired = venue_.links.idle() && !this->may_fire() ? 0 : follow_all();
    this->touched_ = Waiting::no_book;
    return fired;
  }

 private:
  // ---- What follows from a command.

  [[gnu::noinline]] std::uint32_t follow_all() noexcept {
    for (std::uint32_t fired = 0;; ++fired) {
      for (; const std::optional<LinkStep> step = venue_.links.next(); this->tell_best_prices()) make(*step);
      std::optional<VenueCommand> stop = this->next_stop();
      if (!stop) return fired;
      stop->stop = StopTrigger::None;
      stop->link = 0;
      if (!release(*stop).result.rests()) ended(stop->id);
      this->tell_best_prices();
    }
  }

  /// Runs an order that has waited, whose link, if it has one, is known.
  Answer release(const VenueCommand& order) noexcept {
    tell_.waits(Kind::Triggered, order, order.quantity);
    forget_lifetime(order.id);
    const Symbol& symbol = venue_.symbols[order.book];
    const VenueStatus status = symbol.check();
    const Answer answer =
        status == VenueStatus::Success ? place(order, symbol, MessageRate::Free) : Answer{status};
    tell_.answered(Kind::Fired, order, answer);
    filled(order.id, answer.result.filled);
    return answer;
  }

  void make(const LinkStep& step) noexcept {
    const std::optional<OpenOrder> order = open_order(step.id);
    const std::optional<VenueCommand> stop = this->stop(step.id);
    switch (step.type) {
      case LinkStepType::Place: return place_child(step.command);
      case LinkStepType::Drop:
        forget_lifetime(step.id);
        return tell_.waits(Kind::Deleted, step.command, 0, DeleteReason::Linked);
      case LinkStepType::Grow:
        if (order) return grow(*order, step.quantity);
        if (stop) this->grow_stop(*stop, step.quantity);
        return;
      case LinkStepType::Reduce:
        if (order) return reduce(*order, step.quantity);
        if (stop) this->reduce_stop(*stop, step.quantity, DeleteReason::Linked);
        return;
      default:  // Cancel
        if (order) return cancel(*order, DeleteReason::Linked);
        return this->cancel_waiting(step.id, DeleteReason::Linked);
    }
  }
  /// A child that is refused leaves the others as they are.
  void place_child(const VenueCommand& child) noexcept {
    const Answer answer = release(child);
    if (answer.status != VenueStatus::Success) {
      venue_.links.remove(child.id);
    } else if (!answer.result.rests()) {
      ended(child.id);
    }
  }
  /// An order has more lots; it goes to the end of its queue. Where it may not, it stays as it is.
  void grow(const OpenOrder& before, Quantity by) noexcept {
    const Symbol& symbol = venue_.symbols[before.book];
    if (symbol.check() != VenueStatus::Success) return;
    RuledBookRequest request;
    request.id = before.id;
    request.price = before.price;
    request.quantity = before.quantity + by;
    request.type = collects(symbol.phase) ? CommandType::ModifyResting : CommandType::Modify;
    const Answer answer =
        this->to_book_seldom(request, before, before.account, PositionEffect::Any, MessageRate::Free);
    if (answer.status == VenueStatus::Success) moved(before, answer.result);
  }
  void reduce(const OpenOrder& before, Quantity by) noexcept {
    if (by >= before.quantity) return cancel(before, DeleteReason::Linked);
    (void)venue_.book.reduce_order(before.id, by);
    (void)venue_.risk.on_cancelled(before.handle, by);
    tell_.reduced(before, by, displayed(before.handle), DeleteReason::Linked);
  }

  /// Tells what a modify or replace has done to its order.
  void moved(const OpenOrder& before, const Result& result) noexcept {
    filled(before.id, result.filled);
    if (!result.rests()) {
      tell_.deleted(before, DeleteReason::Asked);
      ended(before.id);
    } else if (!result.kept_place) {
      const OpenOrder now = *venue_.risk.find(result.handle);
      tell_.rests(Kind::Replaced, now, displayed(now.handle), before);
      if (now.id != before.id) this->renamed(before.id, now.id);
    } else if (result.remaining != before.quantity) {
      tell_.reduced(before, before.quantity - result.remaining, displayed(before.handle), DeleteReason::Asked);
    }
  }

  // ---- What is looked at before the risk stage.

  [[nodiscard]] static bool are_words(const VenueCommand& command) noexcept {
    return command.effect <= PositionEffect::OnlyReduce && command.stop <= StopTrigger::OppositeBest &&
           command.lifetime <= Lifetime::UntilTime && command.link_role <= LinkRole::BracketChild;
  }
  [[nodiscard]] static bool is_of(const std::optional<OpenOrder>& order, const VenueCommand& command) noexcept {
    return order && order->account == command.account;
  }
  [[nodiscard]] static RuledBookRequest request_of(const VenueCommand& command) noexcept {
    RuledBookRequest request;
    request.id = command.id;
    request.price = command.price;
    request.quantity = command.quantity;
    request.type = command.type == VenueCommandType::AddProtected ? CommandType::AddLimit
                                                                  : static_cast<CommandType>(command.type);
    request.side = command.side;
    request.time_in_force = command.time_in_force;
    request.terms = {command.account, command.self_trade, command.display, command.peak, command.minimum};
    request.book = command.book;
    return request;
  }

  /// An order comes to its book, or waits.
  [[nodiscard]] Answer place(const VenueCommand& command, const Symbol& symbol, MessageRate rate) noexcept {
    if (command.stop == StopTrigger::None && command.link_role != LinkRole::BracketChild) {
      return enter(command, symbol, rate);
    }
    const VenueStatus status = command.type == VenueCommandType::AddLimit
                                   ? symbol.check(command.quantity, command.price)
                                   : symbol.check(command.quantity);
    if (status != VenueStatus::Success) return {status};
    const VenueStatus lifetime = this->check_lifetime(command);
    return lifetime == VenueStatus::Success ? this->wait(command, rate) : Answer{lifetime};
  }
  [[nodiscard]] Answer enter(const VenueCommand& command, const Symbol& symbol, MessageRate rate) noexcept {
    RuledBookRequest request = request_of(command);
    if (command.type == VenueCommandType::AddProtected) {
      if (collects(symbol.phase)) return {VenueStatus::NotInAuction};
      if (!protect(request, symbol, command.protection)) return {VenueStatus::NoOppositeBest};
    }
    if (const VenueStatus status = check(request, symbol); status != VenueStatus::Success) return {status};
    if (const VenueStatus status = this->check_lifetime(command); status != VenueStatus::Success) return {status};
    const Answer answer = to_book(request, command.book, command.account, {}, command.effect, rate);
    if (answer.status != VenueStatus::Success) return answer;
    if (command.link != 0) {
      venue_.links.add(command);
      filled(command.id, answer.result.filled);
    }
    if (answer.result.rests()) {
      const Quantity lots = answer.result.remaining;
      const Quantity shown = command.display == Display::Whole     ? lots
                             : command.display == Display::Reserve ? std::min(command.peak, lots)
                                                                   : 0;
      tell_.rests(
          Kind::Added,
          {answer.result.handle, command.id, command.account, command.book, command.side, request.price, lots},
          shown);
      this->begin_lifetime(command);
    } else if (command.link != 0) {
      ended(command.id);
    }
    return answer;
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
    const std::optional<Price> best = venue_.set().book(request.book)->best(opposite(request.side));
    if (!best) return false;
    const Price lowest = venue_.set().book(request.book)->price_min();
    const Price highest = venue_.set().book(request.book)->price_max();
    const Price by{points};
    const Price limit = buys ? (*best > highest - by ? highest : *best + by)  //
                             : (*best < lowest + by ? lowest : *best - by);
    const Price within = std::clamp(limit, symbol.lowest, symbol.highest);
    request.price = symbol.on_tick(request.side, within).value_or(within);
    return true;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
