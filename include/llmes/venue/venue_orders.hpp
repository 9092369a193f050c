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

  /// An order of `type`, or one that is protected.
  template <CommandType type>
  [[nodiscard]] Answer add(const VenueCommand& command) noexcept {
    if (!are_words(command)) return {VenueStatus::InvalidCommand};
    if (!books().venue.symbols.has(command.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = books().venue.symbols[command.book];
    if (const VenueStatus status = symbol.check_trading(); status != VenueStatus::Success) return {status};
    if (waiting.waits(command.id)) return {VenueStatus::DuplicateId};
    if (command.link != 0 || command.link_role != LinkRole::None) {
      if (const VenueStatus status = books().venue.links.check(command); status != VenueStatus::Success)
        return {status};
    }
    if (waits(command)) return wait(command, symbol, MessageRate::Counted);
    return command.type == VenueCommandType::AddProtected ? enter_protected(command, symbol, MessageRate::Counted)
                                                          : enter<type>(command, symbol, MessageRate::Counted);
  }

  /// Cancel and Reduce.
  template <CommandType type>
  [[nodiscard]] Answer take_off(const VenueCommand& command) noexcept {
    const OrderHandle handle = books().venue.ids().handle_of(command.id);
    const std::optional<OpenOrder> before = books().venue.risk.find(handle);
    if (!before) {
      auto known = waiting.stop_of(command.account, command.id);
      if (!known && type == CommandType::Cancel) known = waiting.child_of(command.account, command.id);
      if (known) return waiting.take_off_waiting(*known, command);
    }
    if (type == CommandType::Reduce && is_of(before, command)) {
      const VenueStatus status = books().venue.symbols[before->book].check(command.quantity);
      if (status != VenueStatus::Success) return {status};
    }
    const Answer answer =
        books().template to_book<type>(command, before ? before->book : 0, handle, MessageRate::Free);
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
    bool collects_now = false;
    if (stop || is_of(before, command)) {
      const Symbol& symbol = books().venue.symbols[stop ? stop->book : before->book];
      if (const VenueStatus status = symbol.check_trading(); status != VenueStatus::Success) return {status};
      if (stop) {
        const VenueStatus status = stop->type == VenueCommandType::AddLimit
                                       ? symbol.check(command.quantity, command.price)
                                       : symbol.check(command.quantity);
        return status == VenueStatus::Success ? waiting.modify_stop(*stop, command) : Answer{status};
      }
      if (replaces && waiting.waits(command.new_id)) return {VenueStatus::DuplicateId};
      collects_now = collects(symbol.phase);
      const VenueStatus status =
          check<CommandType::Modify>(symbol, command.quantity, command.price, command.time_in_force);
      if (status != VenueStatus::Success) return {status};
    }
    const Answer answer = change(command, before.value_or(OpenOrder{}), collects_now, rate);
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
      return entry.quantity == 0 ? take_off<CommandType::Cancel>(entry) : move(entry, MessageRate::Free);
    }
    if (entry.quantity == 0) return {VenueStatus::UnknownOrder};
    if (!books().venue.symbols.has(entry.book)) return {VenueStatus::UnknownBook};
    const Symbol& symbol = books().venue.symbols[entry.book];
    if (const VenueStatus status = symbol.check_trading(); status != VenueStatus::Success) return {status};
    if (const VenueStatus status = symbol.check(entry.quantity); status != VenueStatus::Success) return {status};
    if (before || waiting.waits(entry.id)) return {VenueStatus::DuplicateId};
    return enter<CommandType::AddLimit>(entry, symbol, MessageRate::Free);
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
    if (symbol.check_trading() != VenueStatus::Success) return false;
    if (!collects(symbol.phase) || step.type == LinkStepType::Grow || child.stop != StopTrigger::None) return true;
    return child.type == VenueCommandType::AddLimit && child.time_in_force == TimeInForce::GoodTillCancel;
  }

  /// Runs an order that has waited, whose link, if it has one, is known. One that is refused is gone, and leaves
  /// the others as they are.
  void release(const VenueCommand& order) noexcept {
    books().tell.waits(Kind::Triggered, order, order.quantity);
    books().forget_lifetime(order.id);
    const Symbol& symbol = books().venue.symbols[order.book];
    const VenueStatus status = symbol.check_trading();
    const Answer answer = status == VenueStatus::Success ? place(order, symbol) : Answer{status};
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
    VenueCommand grown{.id = before.id,
                       .new_id = before.id,
                       .price = before.price,
                       .account = before.account,
                       .type = VenueCommandType::Modify,
                       .effect = step.command.effect};
    if (__builtin_add_overflow(before.quantity, step.quantity, &grown.quantity)) {
      return {VenueStatus::InvalidQuantity};
    }
    const RestingTerms terms = books().venue.set().terms_of(before.handle).value();
    if (terms.display == Display::Reserve && step.command.display == Display::Reserve &&
        terms.peak < step.command.peak) {
      grown.type = VenueCommandType::Replace;
      grown.display = Display::Reserve;
      grown.peak = std::min(step.command.peak, grown.quantity);
    }
    const Answer answer =
        change(grown, before, collects(books().venue.symbols[before.book].phase), MessageRate::Free);
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
  /// Modify and Replace in the book, without a match while it collects orders.
  [[nodiscard, gnu::noinline]] Answer change(const VenueCommand& command, const OpenOrder& before,
                                             bool collects_now, MessageRate rate) noexcept {
    using enum CommandType;
    const auto as = [&]<CommandType type>() {
      return books().template to_book<type>(command, before.book, before.handle, rate);
    };
    if (command.type == VenueCommandType::Replace) {
      return collects_now ? as.template operator()<ReplaceResting>() : as.template operator()<Replace>();
    }
    return collects_now ? as.template operator()<ModifyResting>() : as.template operator()<Modify>();
  }

  /// Whether an order waits before it comes to its book.
  [[nodiscard]] static bool waits(const VenueCommand& order) noexcept {
    return order.stop != StopTrigger::None || order.link_role == LinkRole::BracketChild;
  }
  /// One that has waited keeps the lots that it has, though the lot of the symbol may be another one now, or what
  /// others have traded has taken some off.
  [[nodiscard]] Answer wait(const VenueCommand& order, const Symbol& symbol, MessageRate rate) noexcept {
    const Quantity lots = rate == MessageRate::Counted ? order.quantity : 0;
    const VenueStatus status =
        order.type == VenueCommandType::AddLimit ? symbol.check(lots, order.price) : symbol.check(lots);
    if (status != VenueStatus::Success) return {status};
    const VenueStatus lifetime = waiting.check_lifetime(order, !waiting.fires_at_once(order));
    return lifetime == VenueStatus::Success ? waiting.wait(order, rate) : Answer{lifetime};
  }
  /// An order that has waited comes to its book, or waits for something else.
  [[nodiscard, gnu::noinline]] Answer place(VenueCommand order, const Symbol& symbol) noexcept {
    if (waits(order)) return wait(order, symbol, MessageRate::Free);
    order.peak = std::min(order.peak, order.quantity);
    order.minimum = std::min(order.minimum, order.quantity);
    switch (order.type) {
      case VenueCommandType::AddProtected: return enter_protected(order, symbol, MessageRate::Free);
      case VenueCommandType::AddMarket: return enter<CommandType::AddMarket>(order, symbol, MessageRate::Free);
      default: return enter<CommandType::AddLimit>(order, symbol, MessageRate::Free);
    }
  }
  /// An order at the market whose price is limited.
  [[nodiscard, gnu::noinline]] Answer enter_protected(VenueCommand order, const Symbol& symbol,
                                                      MessageRate rate) noexcept {
    if (collects(symbol.phase)) return {VenueStatus::NotInAuction};
    if (!protect(order, symbol)) return {VenueStatus::NoOppositeBest};
    return enter<CommandType::AddLimit>(order, symbol, rate);
  }
  /// An order comes to its book.
  template <CommandType type>
  [[nodiscard]] Answer enter(const VenueCommand& command, const Symbol& symbol, MessageRate rate) noexcept {
    const bool collects_now = collects(symbol.phase);
    const Quantity lots = rate == MessageRate::Counted ? command.quantity : 0;
    VenueStatus status = check<type>(symbol, lots, command.price, command.time_in_force);
    if (status != VenueStatus::Success) return {status};
    const bool rests = may_rest(type, command.time_in_force) && (collects_now || !crosses(command));
    status = waiting.check_lifetime(command, rests);
    if (status != VenueStatus::Success) return {status};
    Answer answer = type == CommandType::AddLimit && collects_now
                        ? books().template to_book<CommandType::AddResting>(command, command.book, {}, rate)
                        : books().template to_book<type>(command, command.book, {}, rate);
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
                          command.price, left, command.client_tag},
                         shown);
      if (!waiting.begin_lifetime(command)) [[unlikely]]
        drop_rest(command.id, answer.result);
    } else if (command.link != 0) {
      books().ended(command.id);
    }
    return answer;
  }

  /// Whether a limit order meets the other side at once, so that it may need no room.
  [[nodiscard]] bool crosses(const VenueCommand& order) const noexcept {
    if (order.time_in_force == TimeInForce::PostOnly || order.side > Side::Sell) return false;
    const std::optional<Price> best = books().venue.set().book(order.book)->best(opposite(order.side));
    return best && (order.side == Side::Buy ? *best <= order.price : *best >= order.price);
  }
  /// What is left of an order that has met others is dropped, as there is no room for it.
  [[gnu::noinline]] void drop_rest(OrderId id, Result& result) noexcept {
    books().cancel(*books().open_order(id), DeleteReason::NoRoom);
    result.cancelled += std::exchange(result.remaining, 0);
    result.handle = {};
  }
  /// Faults of an order that is added or moved. While the book collects orders, it must be one that rests.
  /// @param lots are to be a multiple of the lot
  template <CommandType type>
  [[nodiscard]] static VenueStatus check(const Symbol& symbol, Quantity lots, Price price,
                                         TimeInForce time_in_force) noexcept {
    if (collects(symbol.phase) &&
        (type == CommandType::AddMarket || time_in_force != TimeInForce::GoodTillCancel)) {
      return VenueStatus::NotInAuction;
    }
    return type == CommandType::AddMarket ? symbol.check(lots) : symbol.check(lots, price);
  }

  /// Sets the limit of an order at the market: so many ticks beyond the opposite best, within the bands.
  [[nodiscard]] bool protect(VenueCommand& order, const Symbol& symbol) const noexcept {
    const auto book = books().venue.set().book(order.book);
    const std::optional<Price> best = book->best(opposite(order.side));
    if (!best) return false;
    const Price lowest = book->price_min();
    const Price highest = book->price_max();
    const Price by{order.protection};
    const Price limit = order.side == Side::Buy ? (*best > highest - by ? highest : *best + by)
                                                : (*best < lowest + by ? lowest : *best - by);
    const Price within = std::clamp(limit, symbol.lowest, symbol.highest);
    order.price = symbol.on_tick(order.side, within).value_or(within);
    return true;
  }

  [[nodiscard]] Books& books() noexcept { return waiting.books; }
  [[nodiscard]] const Books& books() const noexcept { return waiting.books; }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
