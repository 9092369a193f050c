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
#include <span>
#include <utility>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/quote.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue_books.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/venue/venue_teller.hpp"
#include "llmes/venue/venue_waiting.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Book, class Reports>
class VenueOrders {
  using Books = VenueBooks<Book, Reports>;
  using Waiting = VenueWaiting<Book, Reports>;
  using Answer = VenueAnswer;
  using Kind = VenueReportKind;

 public:
  explicit VenueOrders(const Books& books) noexcept : waiting(books) {}

  Waiting waiting;

  [[nodiscard]] Answer add(const VenueCommand& command) noexcept {
    if (!are_words(command)) return {VenueStatus::InvalidCommand};
    if (!books().venue.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = books().venue.symbols[command.book];
    if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
    if (waiting.waits(command.id)) return {VenueStatus::DuplicateId};
    if (command.link != 0 || command.link_role != LinkRole::None) {
      if (const VenueStatus status = books().venue.links.check(command); status != VenueStatus::Success)
        return {status};
    }
    return place(command, symbol, MessageRate::Counted);
  }

  /// Cancel and Reduce.
  [[nodiscard]] Answer take_off(const VenueCommand& command) noexcept {
    const OrderHandle handle = books().venue.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = books().venue.risk.find(handle);
    if (!before) {
      auto known = waiting.stop_of(command.account, command.id);
      if (!known && command.type == VenueCommandType::Cancel)
        known = waiting.child_of(command.account, command.id);
      if (known) return waiting.take_off_waiting(*known, command);
    }
    if (is_of(before, command) && command.type == VenueCommandType::Reduce) {
      const VenueStatus status = books().venue.symbols[before->book].check(command.quantity);
      if (status != VenueStatus::Success) return {status};
    }
    RuledBookRequest request;
    request.id = command.id;
    request.quantity = command.quantity;
    request.type = static_cast<CommandType>(command.type);
    const Answer answer = books().to_book(request, before ? before->book : 0, command.account, handle,
                                          PositionEffect::Any, MessageRate::Free);
    if (answer.status != VenueStatus::Success) return answer;
    if (answer.result.rests()) {
      books().tell.reduced(*before, answer.result.cancelled, books().displayed(handle), DeleteReason::Asked);
    } else {
      books().tell.deleted(*before, DeleteReason::Asked);
      books().ended(before->id);
    }
    return answer;
  }

  /// Modify and Replace.
  [[nodiscard]] Answer move(const VenueCommand& command, MessageRate rate = MessageRate::Counted) noexcept {
    if (command.effect > PositionEffect::OnlyReduce) return {VenueStatus::InvalidCommand};
    const bool replaces = command.type == VenueCommandType::Replace;
    const OrderHandle handle = books().venue.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = books().venue.risk.find(handle);
    const auto stop = before || replaces ? std::nullopt : waiting.stop_of(command.account, command.id);
    RuledBookRequest request = request_of(command);
    request.new_id = command.new_id;
    if (stop || is_of(before, command)) {
      const Symbol& symbol = books().venue.symbols[stop ? stop->book : before->book];
      if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
      if (stop) {
        const VenueStatus status = stop->type == VenueCommandType::AddLimit
                                       ? symbol.check(command.quantity, command.price)
                                       : symbol.check(command.quantity);
        return status == VenueStatus::Success ? waiting.modify_stop(*stop, command) : Answer{status};
      }
      if (replaces && waiting.waits(command.new_id)) return {VenueStatus::DuplicateId};
      const VenueStatus status = check(request, symbol, request.quantity);
      if (status != VenueStatus::Success) return {status};
    }
    const Answer answer =
        books().to_book_seldom(request, before.value_or(OpenOrder{}), command.account, command.effect, rate);
    if (answer.status != VenueStatus::Success) return answer;
    moved(*before, answer.result, replaces ? command.new_id : command.id);
    return answer;
  }

  [[nodiscard, gnu::noinline]] Answer quote(const VenueCommand& command,
                                            std::span<const QuoteEntry> entries) noexcept {
    const bool rests =
        command.time_in_force == TimeInForce::GoodTillCancel || command.time_in_force == TimeInForce::PostOnly;
    if (!are_words(command) || !rests || command.self_trade > SelfTrade::Decrement ||
        command.quote_mode > QuoteMode::AllOrNone || entries.size() > quote_entries_max) {
      return {VenueStatus::InvalidCommand};
    }
    const RiskStatus risk =
        books().venue.risk.accept_waiting(command.account, 0, books().time, MessageRate::Counted);
    if (risk != RiskStatus::Success) return {VenueStatus::RefusedByRisk, risk};
    books().venue.now = books().time;
    Answer all;
    bool is_refused = false;
    for (const QuoteEntry& entry : entries) {
      VenueCommand one{.time = command.time,
                       .id = entry.id,
                       .price = entry.price,
                       .quantity = entry.quantity,
                       .expiry = command.expiry,
                       .account = command.account,
                       .book = entry.book,
                       .client_tag = command.client_tag,
                       .side = entry.side,
                       .time_in_force = command.time_in_force,
                       .self_trade = command.self_trade,
                       .effect = command.effect,
                       .lifetime = command.lifetime};
      const Answer answer = is_refused ? Answer{VenueStatus::QuoteRefused} : quote(one);
      books().tell.answered(Kind::Quoted, one, answer);
      books().count(all.result.filled, answer.result.filled);
      books().count(all.result.cancelled, answer.result.cancelled);
      is_refused = is_refused || (answer.status != VenueStatus::Success && command.quote_mode != QuoteMode::Each);
    }
    if (!is_refused) return all;
    for (const QuoteEntry& entry : entries) {
      const std::optional<OpenOrder> order = books().open_order(entry.id);
      if (is_of(order, command)) books().cancel(*order, DeleteReason::QuoteRefused);
    }
    all.status = VenueStatus::QuoteRefused;
    return all;
  }

  [[nodiscard]] Answer mass_cancel(const VenueCommand& command) noexcept {
    if (command.account != 0 && !books().venue.risk.accounts().has(command.account)) {
      return {VenueStatus::RefusedByRisk, RiskStatus::UnknownAccount};
    }
    CancelScope scope{.owner = command.account, .lowest = command.price, .highest = command.trigger};
    if (command.side != VenueCommand::both_sides) scope.side = command.side;
    if (command.book != VenueCommand::all_books) scope.book = command.book;
    Answer answer = books().cancel_scope(scope, DeleteReason::MassCancel);
    if (answer.status == VenueStatus::Success) {
      waiting.cancel_all_waiting(scope, DeleteReason::MassCancel, answer.result.cancelled);
    }
    return answer;
  }

  /// Does what a command has set off: first what is linked to an order that has traded or gone, then the stops
  /// whose trigger holds, each as a command of its own, until nothing follows any more.
  /// @return how many stops have fired; each has left, so there are no more than have waited.
  [[gnu::always_inline]] std::uint32_t follow() noexcept {
    waiting.tell_best_prices();
    const std::uint32_t fired =
        books().venue.links.idle() && !waiting.may_fire() && !waiting.at_once ? 0 : follow_all();
    books().touched = Books::no_book;
    return fired;
  }

 private:
  /// One entry of a mass quote, with what is said of all.
  [[nodiscard]] Answer quote(VenueCommand& entry) noexcept {
    const std::optional<OpenOrder> before = books().open_order(entry.id);
    if (is_of(before, entry)) {
      if (entry.book != before->book || entry.side != before->side) return {VenueStatus::InvalidCommand};
      entry.type = entry.quantity == 0 ? VenueCommandType::Cancel : VenueCommandType::Modify;
      return entry.quantity == 0 ? take_off(entry) : move(entry, MessageRate::Free);
    }
    if (entry.quantity == 0) return {VenueStatus::UnknownOrder};
    if (!books().venue.symbols.has(entry.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = books().venue.symbols[entry.book];
    if (const VenueStatus status = symbol.check(); status != VenueStatus::Success) return {status};
    if (const VenueStatus status = symbol.check(entry.quantity); status != VenueStatus::Success) return {status};
    if (before || waiting.waits(entry.id)) return {VenueStatus::DuplicateId};
    return place(entry, symbol, MessageRate::Free);
  }

  // ---- What follows from a command.

  [[gnu::noinline]] std::uint32_t follow_all() noexcept {
    waiting.follow_prices();
    const auto ready = [this](const LinkStep& step) { return takes(step); };
    for (std::uint32_t fired = 0;; ++fired) {
      for (std::optional<LinkStep> step; !waiting.at_once && (step = books().venue.links.next(ready));
           waiting.tell_best_prices()) {
        make(*step);
      }
      std::optional<VenueCommand> stop =
          waiting.at_once ? std::exchange(waiting.at_once, std::nullopt) : waiting.next_stop();
      if (!stop) return fired;
      stop->stop = StopTrigger::None;
      stop->link = 0;
      release(*stop);
      waiting.tell_best_prices();
    }
  }

  /// Whether the book of a child takes it, or more lots of it, in its phase.
  [[nodiscard]] bool takes(const LinkStep& step) const noexcept {
    const VenueCommand& child = step.command;
    const Symbol& symbol = books().venue.symbols[child.book];
    if (symbol.check() != VenueStatus::Success) return false;
    if (!collects(symbol.phase) || step.type == LinkStepType::Grow || child.stop != StopTrigger::None) return true;
    return child.type == VenueCommandType::AddLimit && child.time_in_force == TimeInForce::GoodTillCancel;
  }

  /// Runs an order that has waited, whose link, if it has one, is known. One that is refused is gone, and leaves
  /// the others as they are.
  void release(const VenueCommand& order) noexcept {
    books().tell.waits(Kind::Triggered, order, order.quantity);
    books().forget_lifetime(order.id);
    const Symbol& symbol = books().venue.symbols[order.book];
    const VenueStatus status = symbol.check();
    const Answer answer =
        status == VenueStatus::Success ? place(order, symbol, MessageRate::Free) : Answer{status};
    books().tell.answered(Kind::Fired, order, answer);
    books().filled(order.id, answer.result.filled);
    if (answer.status != VenueStatus::Success) {
      books().venue.links.on_refused(order.id);
    } else if (!answer.result.rests()) {
      books().ended(order.id);
    }
    waiting.follow_prices(order.book);
  }

  void make(const LinkStep& step) noexcept {
    const std::optional<OpenOrder> order = books().open_order(step.id);
    const std::optional<VenueCommand> stop = waiting.stop(step.id);
    switch (step.type) {
      case LinkStepType::Place: return release(step.command);
      case LinkStepType::Drop:
        books().forget_lifetime(step.id);
        return books().tell.waits(Kind::Deleted, step.command, 0, DeleteReason::Linked);
      case LinkStepType::Grow:
        if (order || stop) {
          const Answer answer = order ? grow(*order, step) : waiting.grow_stop(*stop, step.quantity);
          if (answer.status == VenueStatus::Success) return;
          books().tell.growth_refused(step, order ? order->price : stop->trigger,
                                      order ? order->quantity : stop->quantity, answer);
        }
        return;
      case LinkStepType::Reduce:
        if (order) return reduce(*order, step.quantity);
        if (stop) waiting.reduce_stop(*stop, step.quantity, DeleteReason::Linked);
        return;
      default:  // Cancel
        if (order) return books().cancel(*order, DeleteReason::Linked);
        return waiting.cancel_waiting(step.id, DeleteReason::Linked);
    }
  }
  /// An order has more lots; it goes to the end of its queue. One that was placed with fewer lots than its peak
  /// shows that again.
  [[nodiscard]] Answer grow(const OpenOrder& before, const LinkStep& step) noexcept {
    RuledBookRequest request;
    request.id = request.new_id = before.id;
    request.price = before.price;
    if (__builtin_add_overflow(before.quantity, step.quantity, &request.quantity)) {
      return {VenueStatus::InvalidQuantity};
    }
    const RestingTerms terms = books().venue.set().terms_of(before.handle).value();
    const bool collects_now = collects(books().venue.symbols[before.book].phase);
    if (terms.display == Display::Reserve && step.command.display == Display::Reserve &&
        terms.peak < step.command.peak) {
      request.type = collects_now ? CommandType::ReplaceResting : CommandType::Replace;
      request.terms.display = Display::Reserve;
      request.terms.peak = std::min(step.command.peak, request.quantity);
    } else {
      request.type = collects_now ? CommandType::ModifyResting : CommandType::Modify;
    }
    const Answer answer =
        books().to_book_seldom(request, before, before.account, step.command.effect, MessageRate::Free);
    if (answer.status == VenueStatus::Success) moved(before, answer.result, before.id);
    return answer;
  }
  void reduce(const OpenOrder& before, Quantity by) noexcept {
    if (by >= before.quantity) return books().cancel(before, DeleteReason::Linked);
    (void)books().venue.book.reduce_order(before.id, by);
    (void)books().venue.risk.on_cancelled(before.handle, by);
    books().tell.reduced(before, by, books().displayed(before.handle), DeleteReason::Linked);
  }

  /// Tells what a modify or replace has done to its order, which has an id now. The last trade of one that has
  /// traded in full tells its end, unless it has another id than before.
  void moved(const OpenOrder& before, const Result& result, OrderId now_id) noexcept {
    books().filled(before.id, result.filled);
    if (!result.rests()) {
      if (books().taker_left != 0 || now_id != before.id) books().tell.dropped(before, books().taker_left);
      books().ended(before.id);
    } else if (!result.kept_place) {
      const OpenOrder now = *books().venue.risk.find(result.handle);
      books().tell.rests(Kind::Replaced, now, books().displayed(now.handle), before);
      if (now.id != before.id) books().renamed(before.id, now.id);
    } else if (result.remaining != before.quantity) {
      books().tell.reduced(before, before.quantity - result.remaining, books().displayed(before.handle),
                           DeleteReason::Asked);
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
    request.terms = {command.account, command.self_trade, command.display,
                     command.peak,    command.minimum,    command.client_tag};
    request.book = command.book;
    return request;
  }

  /// An order comes to its book, or waits. One that has waited keeps the lots that it has, though the lot of the
  /// symbol may be another one now, or what others have traded has taken some off.
  [[nodiscard]] Answer place(const VenueCommand& command, const Symbol& symbol, MessageRate rate) noexcept {
    if (command.stop == StopTrigger::None && command.link_role != LinkRole::BracketChild) {
      return rate == MessageRate::Counted ? enter(command, symbol, rate) : enter_late(command, symbol);
    }
    const Quantity lots = rate == MessageRate::Counted ? command.quantity : 0;
    const VenueStatus status =
        command.type == VenueCommandType::AddLimit ? symbol.check(lots, command.price) : symbol.check(lots);
    if (status != VenueStatus::Success) return {status};
    const VenueStatus lifetime = waiting.check_lifetime(command, !waiting.fires_at_once(command));
    return lifetime == VenueStatus::Success ? waiting.wait(command, rate) : Answer{lifetime};
  }
  [[nodiscard, gnu::noinline]] Answer enter_late(VenueCommand command, const Symbol& symbol) noexcept {
    command.peak = std::min(command.peak, command.quantity);
    command.minimum = std::min(command.minimum, command.quantity);
    return enter(command, symbol, MessageRate::Free);
  }
  [[nodiscard]] Answer enter(const VenueCommand& command, const Symbol& symbol, MessageRate rate) noexcept {
    RuledBookRequest request = request_of(command);
    if (command.type == VenueCommandType::AddProtected) {
      if (collects(symbol.phase)) return {VenueStatus::NotInAuction};
      if (!protect(request, symbol, command.protection)) return {VenueStatus::NoOppositeBest};
    }
    const Quantity lots = rate == MessageRate::Counted ? request.quantity : 0;
    if (const VenueStatus status = check(request, symbol, lots); status != VenueStatus::Success) return {status};
    const VenueStatus lifetime = waiting.check_lifetime(command, may_rest(request) && !crosses(request));
    if (lifetime != VenueStatus::Success) return {lifetime};
    Answer answer = books().to_book(request, command.book, command.account, {}, command.effect, rate);
    if (answer.status != VenueStatus::Success) return answer;
    if (command.link != 0) {
      books().venue.links.add(command);
      books().filled(command.id, answer.result.filled);
    }
    if (answer.result.rests()) {
      const Quantity left = answer.result.remaining;
      const Quantity shown = command.display == Display::Whole     ? left
                             : command.display == Display::Reserve ? std::min(command.peak, left)
                                                                   : 0;
      books().tell.rests(Kind::Added,
                         {answer.result.handle, command.id, command.account, command.book, command.side,
                          request.price, left, command.client_tag},
                         shown);
      if (!waiting.begin_lifetime(command)) [[unlikely]]
        drop_rest(command.id, answer.result);
    } else if (command.link != 0) {
      books().ended(command.id);
    }
    return answer;
  }

  /// Whether an order meets the other side at once, so that it may need no room.
  [[nodiscard]] bool crosses(const RuledBookRequest& request) const noexcept {
    if (request.type != CommandType::AddLimit || request.time_in_force == TimeInForce::PostOnly ||
        request.side > Side::Sell) {
      return false;
    }
    const std::optional<Price> best = books().venue.set().book(request.book)->best(opposite(request.side));
    return best && (request.side == Side::Buy ? *best <= request.price : *best >= request.price);
  }
  /// What is left of an order that has met others is dropped, as there is no room for it.
  [[gnu::noinline]] void drop_rest(OrderId id, Result& result) noexcept {
    books().cancel(*books().open_order(id), DeleteReason::NoRoom);
    result.cancelled += std::exchange(result.remaining, 0);
    result.handle = {};
  }
  /// Faults of an order that is added or moved. While the book collects orders, it becomes one that rests. `lots`
  /// are to be a multiple of the lot.
  [[nodiscard]] static VenueStatus check(RuledBookRequest& request, const Symbol& symbol, Quantity lots) noexcept {
    if (collects(symbol.phase)) {
      if (request.type == CommandType::AddMarket || request.time_in_force != TimeInForce::GoodTillCancel) {
        return VenueStatus::NotInAuction;
      }
      request.type = request.type == CommandType::AddLimit ? CommandType::AddResting
                     : request.type == CommandType::Modify ? CommandType::ModifyResting
                                                           : CommandType::ReplaceResting;
    }
    return request.type == CommandType::AddMarket ? symbol.check(lots) : symbol.check(lots, request.price);
  }

  /// Sets the limit of an order at the market: so many ticks beyond the opposite best, within the bands.
  [[nodiscard]] bool protect(RuledBookRequest& request, const Symbol& symbol,
                             std::uint32_t points) const noexcept {
    const bool buys = request.side == Side::Buy;
    const std::optional<Price> best = books().venue.set().book(request.book)->best(opposite(request.side));
    if (!best) return false;
    const Price lowest = books().venue.set().book(request.book)->price_min();
    const Price highest = books().venue.set().book(request.book)->price_max();
    const Price by{points};
    const Price limit = buys ? (*best > highest - by ? highest : *best + by)  //
                             : (*best < lowest + by ? lowest : *best - by);
    const Price within = std::clamp(limit, symbol.lowest, symbol.highest);
    request.price = symbol.on_tick(request.side, within).value_or(within);
    return true;
  }

  [[nodiscard]] Books& books() noexcept { return waiting.books; }
  [[nodiscard]] const Books& books() const noexcept { return waiting.books; }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
