// SPDX-License-Identifier: MIT
//
// What a venue must do, written only to be obviously right: the oracles of books with rules and of stops, and
// lists for all else. Accounts have no limits here, as the risk stage has an oracle of its own. It gives the
// reports of a command without handles, sequence and time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "llmes/venue.hpp"
#include "tests/support/link_oracle.hpp"
#include "tests/support/rules_oracle.hpp"
#include "tests/support/stop_oracle.hpp"

namespace llmes::test {

class VenueOracle {
 public:
  using Reports = std::vector<VenueReport>;

  explicit VenueOracle(const VenueConfig& config)
      : config_(config),
        books_({.price_min = std::numeric_limits<Price>::min(),
                .price_max = std::numeric_limits<Price>::max() - 1,
                .capacity = config.books.capacity,
                .quantity_max = config.books.quantity_max,
                .books = static_cast<BookNumber>(config.books.max_books)}),
        stops_(static_cast<BookNumber>(config.books.max_books), config.stops),
        links_(config.links),
        symbols_(config.books.max_books) {
    for (Market& symbol : symbols_) symbol.phase = config.first_phase;
  }

  Reports apply(const VenueCommand& command, const std::vector<QuoteEntry>& entries = {}) {
    entries_ = entries;
    told_.clear();
    fired_ = 0;
    VenueReport done;
    if (command.time < now_) {
      done.status = VenueStatus::TimeWentBack;
    } else {
      time_ = command.time;
      accepted_ = false;
      done = make(command);
      if (done.status == VenueStatus::Success || accepted_) now_ = time_;
      follow();
    }
    answer(done, VenueReportKind::Done, command);
    told_.back().fired = fired_;
    return told_;
  }

  /// All open orders, in the order in which they came to their queues.
  [[nodiscard]] const RuledOrders& resting() const { return books_.resting(); }
  [[nodiscard]] const StopOracle& stops() const { return stops_; }
  [[nodiscard]] std::size_t linked() const { return links_.size(); }
  [[nodiscard]] std::size_t lifetimes() const { return lifetimes_.size(); }
  /// Whether orders match in a book now.
  [[nodiscard]] bool trades(BookNumber book) const {
    return symbols_[book].phase == Phase::Continuous && !symbols_[book].halted;
  }
  [[nodiscard]] std::vector<OrderId> ids(BookNumber book, Side side) const {
    std::vector<OrderId> ids;
    for (const RestingOrder& order : books_.orders(book, side)) ids.push_back(order.id);
    return ids;
  }

 private:
  struct Market {
    Quantity lot = 1;
    std::map<Price, Price> ticks;
    Price lowest = std::numeric_limits<Price>::min();
    Price highest = std::numeric_limits<Price>::max();
    Phase phase{};
    bool halted = false;
    bool collected = false;
    Price reference = 0;
    std::optional<Price> last;
  };
  struct Life {
    OrderId id;
    std::optional<Nanoseconds> time;  ///< or until its book closes
    BookNumber book;
  };
  struct Traded {
    AccountNumber taker, maker;
    BookNumber book;
    Side side;
    Price price;
    Quantity quantity;
    bool busted = false;
  };

  static VenueReport refused(VenueStatus status) {
    VenueReport report;
    report.status = status;
    return report;
  }
  static VenueReport refused(RiskStatus risk) {
    VenueReport report;
    report.status = VenueStatus::RefusedByRisk;
    report.risk = risk;
    return report;
  }
  [[nodiscard]] bool has_account(AccountNumber account) const {
    return account >= 1 && account <= config_.accounts;
  }
  [[nodiscard]] bool has_book(BookNumber book) const { return book < symbols_.size(); }

  VenueReport make(const VenueCommand& c) {
    using enum VenueCommandType;
    switch (c.type) {
      case AddLimit:
      case AddMarket:
      case AddProtected: return add(c);
      case Cancel:
      case Reduce: return take_off(c);
      case Modify:
      case Replace: return move(c);
      case MassQuote: return quote(c);
      case MassCancel: return mass_cancel(c);
      case Kill:
      case Restore:
      case Disconnect: return act(c);
      case Advance: return advance();
      case Schedule:
        if (c.phase > Phase::Closed) return refused(VenueStatus::InvalidCommand);
        if (c.expiry <= time_) return refused(VenueStatus::ExpiryPassed);
        schedule_[c.phase] = c.expiry;
        return {};
      case SetPhase: {
        if (c.phase > Phase::Closed) return refused(VenueStatus::InvalidCommand);
        const bool all = c.book == VenueCommand::all_books;
        if (!all && !has_book(c.book)) return refused(VenueStatus::UnknownBook);
        for (BookNumber book = 0; book < symbols_.size(); ++book) {
          if (all || book == c.book) begin(book, c.phase);
        }
        return {};
      }
      case Halt:
      case Resume: {
        if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
        Market& market = symbols_[c.book];
        if (market.halted == (c.type == Halt)) return {};
        market.halted = c.type == Halt;
        tell_phase(c.type == Halt ? VenueReportKind::Halted : VenueReportKind::Resumed, c.book);
        if (!market.halted && !is_collecting(c.book)) uncross(c.book);
        if (!market.halted) links_.wake(c.book);
        return {};
      }
      case SetSymbol:
      case SetTick: {
        if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
        Market& market = symbols_[c.book];
        if (market.phase != Phase::Closed) return refused(VenueStatus::NotWhileOpen);
        if (c.type == SetSymbol) {
          if (c.quantity == 0) return refused(VenueStatus::InvalidValue);
          market.lot = c.quantity;
        } else if (c.quantity == 0) {
          market.ticks.erase(c.price);
        } else {
          if (market.ticks.size() == 8 && !market.ticks.contains(c.price))
            return refused(VenueStatus::NoRoomForTick);
          market.ticks[c.price] = static_cast<Price>(c.quantity);
        }
        return {};
      }
      case SetBands: return set_bands(c);
      case SetReference:
        if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
        if (!symbols_[c.book].last) symbols_[c.book].reference = c.price;
        return {};
      case SetLimits:
      case Pay: return has_account(c.account) ? VenueReport{} : refused(RiskStatus::UnknownAccount);
      case Bust: return bust(c.id);
      case ShowIndicative:
        if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
        tell_auction(VenueReportKind::Indicative, c.book, indicative(c.book));
        return {};
    }
    return refused(VenueStatus::InvalidCommand);
  }

  // ---- Orders of accounts.

  VenueReport add(const VenueCommand& c) {
    if (c.effect > PositionEffect::OnlyReduce || c.stop > StopTrigger::OppositeBest ||
        c.lifetime > Lifetime::UntilTime || c.link_role > LinkRole::BracketChild) {
      return refused(VenueStatus::InvalidCommand);
    }
    if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
    if (const VenueStatus why = not_open(c.book); why != VenueStatus::Success) return refused(why);
    if (waits(c.id)) return refused(VenueStatus::DuplicateId);
    if (const VenueStatus why = links_.check(c); why != VenueStatus::Success) return refused(why);
    return place(c, true);
  }

  /// An order comes to its book, or waits; `sent` by its account, or released after a wait.
  VenueReport place(VenueCommand c, bool sent) {
    if (c.stop == StopTrigger::None && c.link_role != LinkRole::BracketChild) {
      if (!sent) {
        c.peak = std::min(c.peak, c.quantity);
        c.minimum = std::min(c.minimum, c.quantity);
      }
      return enter(c, sent);
    }
    const bool priced = c.type == VenueCommandType::AddLimit;
    const VenueStatus odd = odd_numbers(c.book, sent ? c.quantity : 0, priced, c.price);
    if (odd != VenueStatus::Success) return refused(odd);
    if (const VenueStatus why = no_lifetime(c, !at_once(c)); why != VenueStatus::Success) return refused(why);
    if (sent) {
      if (const VenueStatus why = never_right(c); why != VenueStatus::Success) return refused(why);
      const bool is_reserve = c.display == Display::Reserve;
      if ((is_reserve && c.peak > c.quantity) || c.minimum > c.quantity)
        return refused(VenueStatus::InvalidQuantity);
    }
    if (find(c.id)) return refused(VenueStatus::DuplicateId);
    const bool is_child = c.link_role == LinkRole::BracketChild;
    if (!is_child) {
      StopOracle trial = stops_;
      const VenueStatus why = trial.add(c, prices(c.book));
      const bool room = why == VenueStatus::Success && no_lifetime(c, true) == VenueStatus::Success;
      if (!room && (why == VenueStatus::Success || why == VenueStatus::NoRoomForStop) && at_once(c)) {
        if (const RiskStatus risk = refused_waiting(c); risk != RiskStatus::Success) return refused(risk);
        accepted_ = accepted_ || sent;
        first_ = c;
        links_.add(c);
        tell_stop(VenueReportKind::StopAdded, c, c.quantity);
        VenueReport done;
        done.remaining = c.quantity;
        return done;
      }
      if (why != VenueStatus::Success) return refused(why);
    }
    if (const RiskStatus why = refused_waiting(c); why != RiskStatus::Success) return refused(why);
    accepted_ = accepted_ || sent;
    if (!is_child) (void)stops_.add(c, prices(c.book));
    const VenueCommand waiting = is_child ? c : *stops_.find(c.id);
    links_.add(c);
    begin_life(c);
    tell_stop(VenueReportKind::StopAdded, waiting, c.quantity);
    VenueReport done;
    done.remaining = c.quantity;
    return done;
  }

  /// Whether a stop needs no room: its trigger holds while its book trades, and no other such one is to fire
  /// first.
  [[nodiscard]] bool at_once(const VenueCommand& c) const {
    if (c.stop == StopTrigger::None || c.link_role == LinkRole::BracketChild || first_ || !trades(c.book))
      return false;
    if (c.trail != 0 || c.side > Side::Sell || c.stop > StopTrigger::OppositeBest) return false;
    const TriggerPrices now = prices(c.book);
    const auto price = c.stop == StopTrigger::LastTrade ? now.last
                       : c.side == Side::Buy            ? now.best_ask
                                                        : now.best_bid;
    return price && (c.side == Side::Buy ? *price >= c.trigger : *price <= c.trigger);
  }

  /// What is wrong with an order that waits, whenever it comes to its book.
  [[nodiscard]] VenueStatus never_right(const VenueCommand& c) const {
    const bool market = c.type == VenueCommandType::AddMarket;
    const bool immediate = c.time_in_force == TimeInForce::ImmediateOrCancel;
    if (c.side > Side::Sell || c.time_in_force > TimeInForce::FillOrKill || c.self_trade > SelfTrade::Decrement ||
        c.display > Display::Hidden) {
      return VenueStatus::InvalidCommand;
    }
    const bool never_rests = market || immediate || c.time_in_force == TimeInForce::FillOrKill;
    if (never_rests && c.display != Display::Whole) return VenueStatus::InvalidCommand;
    if (c.minimum != 0 && (market || !immediate)) return VenueStatus::InvalidCommand;
    if (c.stop != StopTrigger::None && c.trail < 0) return VenueStatus::InvalidTrigger;
    if (c.quantity == 0 || c.quantity > config_.books.quantity_max) return VenueStatus::InvalidQuantity;
    if (c.display != Display::Reserve) return VenueStatus::Success;
    if (c.peak == 0) return VenueStatus::InvalidQuantity;
    const Quantity peaks = c.quantity / c.peak + (c.quantity % c.peak == 0 ? 0 : 1);
    return peaks > 1'024 ? VenueStatus::InvalidQuantity : VenueStatus::Success;
  }
  /// What no account may send or have: accounts are looked at only so far here.
  static RiskStatus too_large(bool priced, Quantity quantity) {
    if (quantity <= Quantity{1} << 62) return RiskStatus::Success;
    return priced ? RiskStatus::NotionalOverflow : RiskStatus::PositionOverflow;
  }

  /// An order comes to its book, `sent` by its account or after a wait.
  VenueReport enter(const VenueCommand& c, bool sent) {
    const Market& market = symbols_[c.book];
    RuledBookCommand order = command_of(c);
    if (c.type == VenueCommandType::AddProtected) {
      if (is_collecting(c.book)) return refused(VenueStatus::NotInAuction);
      const auto best = best_of(c.book, c.side == Side::Buy ? Side::Sell : Side::Buy);
      if (!best) return refused(VenueStatus::NoOppositeBest);
      const auto points = static_cast<Price>(c.protection);
      Price limit = c.side == Side::Buy ? *best + points : *best - points;
      limit = std::max(market.lowest, std::min(market.highest, limit));
      while (!on_tick(c.book, limit)) limit += c.side == Side::Buy ? -1 : 1;
      order.type = CommandType::AddLimit;
      order.price = limit;
    }
    const bool priced = order.type == CommandType::AddLimit;
    if (is_collecting(c.book)) {
      if (!priced || c.time_in_force != TimeInForce::GoodTillCancel) return refused(VenueStatus::NotInAuction);
      order.type = CommandType::AddResting;
    }
    const VenueStatus odd = odd_numbers(c.book, sent ? c.quantity : 0, priced, order.price);
    if (odd != VenueStatus::Success) return refused(odd);
    // Who meets the other side may need no room.
    const auto facing = best_of(c.book, c.side == Side::Buy ? Side::Sell : Side::Buy);
    const Price best = facing.value_or(0);
    const bool meets = order.type == CommandType::AddMarket ||
                       (order.type == CommandType::AddLimit && c.time_in_force != TimeInForce::PostOnly &&
                        facing.has_value() && (c.side == Side::Buy ? best <= order.price : best >= order.price));
    const bool never_rests =
        c.time_in_force == TimeInForce::ImmediateOrCancel || c.time_in_force == TimeInForce::FillOrKill;
    if (const VenueStatus why = no_lifetime(c, !meets && !never_rests); why != VenueStatus::Success)
      return refused(why);
    if (!has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    if (c.side > Side::Sell) return refused(RiskStatus::InvalidCommand);
    if (killed_.contains(c.account)) return refused(RiskStatus::AccountKilled);
    if (const RiskStatus why = too_large(priced, c.quantity); why != RiskStatus::Success) return refused(why);
    accepted_ = true;
    if (find(c.id)) return by_book(Status::DuplicateId);
    tag_ = c.client_tag;
    VenueReport done = to_books(order, c.book);
    if (done.status != VenueStatus::Success) return done;
    tags_[c.id] = c.client_tag;
    links_.add(c);
    if (c.link != 0) links_.filled(c.id, done.quantity);
    if (done.remaining == 0) {
      if (c.link != 0) ended(c.id);
    } else {
      name_newest();
      tell_order(VenueReportKind::Added, *find(c.id), find(c.id)->total(), find(c.id)->total());
      const bool is_limited = c.lifetime != Lifetime::UntilCancelled;
      if (is_limited && lifetimes_.size() == config_.lifetimes) {
        cancel(c.id, DeleteReason::NoRoom);
        done.cancelled += done.remaining;
        done.remaining = 0;
        done.handle = {};
      } else {
        begin_life(c);
      }
    }
    return done;
  }

  VenueReport take_off(const VenueCommand& c) {
    const RuledOrder* const order = find(c.id);
    const auto stop = stops_.find(c.id);
    if (stop && stop->account == c.account) return take_off_stop(*stop, c);
    const auto child = links_.waiting(c.id);
    if (child && child->account == c.account && c.type == VenueCommandType::Cancel) {
      stop_gone(*child, DeleteReason::Asked);
      VenueReport done;
      done.cancelled = child->quantity;
      return done;
    }
    if (order != nullptr && order->owner == c.account && c.type == VenueCommandType::Reduce) {
      const VenueStatus odd = odd_numbers(order->book, c.quantity, false, 0);
      if (odd != VenueStatus::Success) return refused(odd);
    }
    if (!has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    if (order == nullptr || order->owner != c.account) return unknown_order();
    accepted_ = true;
    const RuledOrder before = *order;
    RuledBookCommand change = command_of(c);
    change.handle = before.shown.handle;
    const VenueReport done = to_books(change, before.book);
    if (done.status != VenueStatus::Success) return done;
    if (done.remaining != 0) {
      tell_order(VenueReportKind::Reduced, *find(c.id), done.cancelled, done.remaining, DeleteReason::Asked);
    } else {
      tell_gone(before, DeleteReason::Asked);
    }
    return done;
  }

  VenueReport take_off_stop(const VenueCommand& stop, const VenueCommand& c) {
    const bool reduces = c.type == VenueCommandType::Reduce;
    const VenueStatus odd = reduces ? odd_numbers(stop.book, c.quantity, false, 0) : VenueStatus::Success;
    if (odd != VenueStatus::Success) return refused(odd);
    if (reduces && (c.quantity == 0 || c.quantity > stop.quantity)) return refused(VenueStatus::InvalidQuantity);
    VenueReport done;
    done.cancelled = reduces ? c.quantity : stop.quantity;
    done.remaining = stop.quantity - done.cancelled;
    if (done.remaining == 0) {
      stops_.cancel(stop.id);
      stop_gone(stop, DeleteReason::Asked);
      return done;
    }
    VenueCommand less = stop;
    less.quantity = done.remaining;
    (void)stops_.modify(less);
    tell_stop(VenueReportKind::StopChanged, less, less.quantity);
    done.detail = 1;
    return done;
  }

  VenueReport move(const VenueCommand& c) {
    if (c.effect > PositionEffect::OnlyReduce) return refused(VenueStatus::InvalidCommand);
    const bool replaces = c.type == VenueCommandType::Replace;
    const RuledOrder* const order = find(c.id);
    const auto stop = stops_.find(c.id);
    if (stop && !replaces && stop->account == c.account) return modify_stop(*stop, c);
    RuledBookCommand change = command_of(c);
    if (order != nullptr && order->owner == c.account) {
      if (const VenueStatus why = not_open(order->book); why != VenueStatus::Success) return refused(why);
      if (replaces && waits(c.new_id)) return refused(VenueStatus::DuplicateId);
      if (is_collecting(order->book)) {
        if (c.time_in_force != TimeInForce::GoodTillCancel) return refused(VenueStatus::NotInAuction);
        change.type = replaces ? CommandType::ReplaceResting : CommandType::ModifyResting;
      }
      const VenueStatus odd = odd_numbers(order->book, c.quantity, true, c.price);
      if (odd != VenueStatus::Success) return refused(odd);
    }
    if (!has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    if (order == nullptr || order->owner != c.account) return unknown_order();
    if (killed_.contains(c.account)) return refused(RiskStatus::AccountKilled);
    if (const RiskStatus why = too_large(true, c.quantity); why != RiskStatus::Success) return refused(why);
    accepted_ = true;
    const RuledOrder before = *order;
    if (replaces && c.new_id != c.id && find(c.new_id)) {
      VenueReport done = by_book(Status::DuplicateId);
      done.remaining = before.total();
      done.detail = 1;
      return done;
    }
    change.handle = before.shown.handle;
    change.id = replaces ? c.new_id : c.id;
    tag_ = replaces && c.client_tag != 0 ? c.client_tag : tags_.at(c.id);
    const VenueReport done = to_books(change, before.book);
    if (done.status == VenueStatus::Success) moved(before, done, change.id, replaces);
    return done;
  }

  void moved(const RuledOrder& before, const VenueReport& done, OrderId id, bool is_new) {
    links_.filled(before.shown.id, done.quantity);
    if (done.remaining == 0) {
      // Its last trade tells the end of an order, unless that has another id.
      if (id != before.shown.id || taker_left_ != 0) {
        tell_order(VenueReportKind::Deleted, before, taker_left_, 0, DeleteReason::Asked);
      }
      return ended(before.shown.id);
    }
    if (is_new) name_newest();
    tags_[id] = tag_;
    const RuledOrder& now = *find(id);
    youngest(before.shown.id, id);
    if (done.detail == 0) {
      tell_order(VenueReportKind::Replaced, now, now.total(), now.total());
      told_.back().other_id = before.shown.id;
      for (Life& life : lifetimes_) {
        if (life.id == before.shown.id) life.id = id;
      }
      links_.rename(before.shown.id, id);
    } else if (now.total() != before.total()) {
      tell_order(VenueReportKind::Reduced, now, before.total() - now.total(), now.total(), DeleteReason::Asked);
    }
  }

  VenueReport modify_stop(const VenueCommand& stop, const VenueCommand& c) {
    if (const VenueStatus why = not_open(stop.book); why != VenueStatus::Success) return refused(why);
    const VenueStatus odd = odd_numbers(stop.book, c.quantity, stop.type == VenueCommandType::AddLimit, c.price);
    if (odd != VenueStatus::Success) return refused(odd);
    StopOracle trial = stops_;
    if (const VenueStatus why = trial.modify(c); why != VenueStatus::Success) return refused(why);
    if (const VenueStatus why = never_right(*trial.find(c.id)); why != VenueStatus::Success) return refused(why);
    if (const RiskStatus why = refused_waiting(*trial.find(c.id)); why != RiskStatus::Success) return refused(why);
    accepted_ = true;
    stops_ = trial;
    tell_stop(VenueReportKind::StopChanged, *stops_.find(c.id), c.quantity);
    VenueReport done;
    done.remaining = c.quantity;
    return done;
  }

  VenueReport quote(const VenueCommand& c) {
    const bool rests = c.time_in_force == TimeInForce::GoodTillCancel || c.time_in_force == TimeInForce::PostOnly;
    const bool words = c.effect <= PositionEffect::OnlyReduce && c.stop <= StopTrigger::OppositeBest &&
                       c.lifetime <= Lifetime::UntilTime && c.link_role <= LinkRole::BracketChild &&
                       c.self_trade <= SelfTrade::Decrement && c.quote_mode <= QuoteMode::AllOrNone;
    if (!rests || !words || entries_.size() > 200) return refused(VenueStatus::InvalidCommand);
    if (!has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    if (killed_.contains(c.account)) return refused(RiskStatus::AccountKilled);
    accepted_ = true;
    VenueReport all;
    for (const QuoteEntry& entry : entries_) {
      VenueCommand one;
      one.time = c.time;
      one.account = c.account;
      one.id = entry.id;
      one.book = entry.book;
      one.side = entry.side;
      one.price = entry.price;
      one.quantity = entry.quantity;
      one.time_in_force = c.time_in_force;
      one.self_trade = c.self_trade;
      one.effect = c.effect;
      one.lifetime = c.lifetime;
      one.expiry = c.expiry;
      one.client_tag = c.client_tag;
      const bool stopped = all.status != VenueStatus::Success;
      const VenueReport done = stopped ? refused(VenueStatus::QuoteRefused) : quote_one(one);
      answer(done, VenueReportKind::Quoted, one);
      all.quantity += done.quantity;
      all.cancelled += done.cancelled;
      if (done.status != VenueStatus::Success && c.quote_mode == QuoteMode::AllOrNone)
        all.status = VenueStatus::QuoteRefused;
    }
    if (all.status == VenueStatus::Success) return all;
    for (const QuoteEntry& entry : entries_) {
      const RuledOrder* const order = find(entry.id);
      if (order != nullptr && order->owner == c.account) cancel(entry.id, DeleteReason::QuoteRefused);
    }
    return all;
  }
  VenueReport quote_one(VenueCommand c) {
    const RuledOrder* const order = find(c.id);
    if (order != nullptr && order->owner == c.account) {
      if (order->book != c.book || order->shown.side != c.side) return refused(VenueStatus::InvalidCommand);
      c.type = c.quantity == 0 ? VenueCommandType::Cancel : VenueCommandType::Modify;
      return c.quantity == 0 ? take_off(c) : move(c);
    }
    if (c.quantity == 0) return refused(VenueStatus::UnknownOrder);
    if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
    if (const VenueStatus why = not_open(c.book); why != VenueStatus::Success) return refused(why);
    const VenueStatus odd = odd_numbers(c.book, c.quantity, false, 0);
    if (odd != VenueStatus::Success) return refused(odd);
    if (order != nullptr || waits(c.id)) return refused(VenueStatus::DuplicateId);
    return place(c, true);
  }

  VenueReport mass_cancel(const VenueCommand& c) {
    if (c.account != 0 && !has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    CancelScope scope{.owner = c.account, .lowest = c.price, .highest = c.trigger};
    if (c.side != VenueCommand::both_sides) scope.side = c.side;
    if (c.book != VenueCommand::all_books) scope.book = c.book;
    return cancel_scope(scope, DeleteReason::MassCancel, true);
  }

  VenueReport cancel_scope(const CancelScope& scope, DeleteReason reason, bool with_stops) {
    std::map<OrderId, RuledOrder> before;
    for (const RuledOrder& order : books_.resting()) before.emplace(order.shown.id, order);
    const RulesOracle::Outcome outcome = books_.mass_cancel(scope);
    if (outcome.status == Status::UnknownBook) return refused(VenueStatus::UnknownBook);
    if (outcome.status != Status::Success) return refused(VenueStatus::InvalidCommand);
    for (const RuleEvent& event : outcome.events) {
      tell_gone(before.at(std::get<MassCancelled>(event).order.id), reason);
    }
    VenueReport done;
    done.cancelled = outcome.cancelled;
    if (with_stops) {
      for (const VenueCommand& stop : stops_.mass_cancel(scope)) {
        stop_gone(stop, reason);
        done.cancelled = at_most_largest(RuledSweep::Wide{done.cancelled} + stop.quantity);
      }
      for (const VenueCommand& child : links_.waiting_in(scope)) {
        stop_gone(child, reason);
        done.cancelled = at_most_largest(RuledSweep::Wide{done.cancelled} + child.quantity);
      }
    }
    return done;
  }

  VenueReport act(const VenueCommand& c) {
    if (!has_account(c.account)) return refused(RiskStatus::UnknownAccount);
    if (c.type == VenueCommandType::Restore) killed_.erase(c.account);
    if (c.type != VenueCommandType::Kill) return {};  // nobody asks to be cancelled on disconnect here
    killed_.insert(c.account);
    VenueReport done;
    for (const OrderId id : opened_by(c.account)) {
      done.cancelled += find(id)->total();
      cancel(id, DeleteReason::Killed);
    }
    for (const VenueCommand& stop : stops_.mass_cancel({.owner = c.account})) {
      stop_gone(stop, DeleteReason::Killed);
      done.cancelled = at_most_largest(RuledSweep::Wide{done.cancelled} + stop.quantity);
    }
    for (const VenueCommand& child : links_.waiting_in({.owner = c.account})) {
      stop_gone(child, DeleteReason::Killed);
      done.cancelled = at_most_largest(RuledSweep::Wide{done.cancelled} + child.quantity);
    }
    return done;
  }

  // ---- The venue.

  /// Each time at which something is due is a step of its own, at that time.
  VenueReport advance() {
    const Nanoseconds end = time_;
    for (;;) {
      std::optional<Nanoseconds> first;
      for (const auto& [phase, at] : schedule_) first = std::min(at, first.value_or(at));
      for (const Life& life : lifetimes_) {
        if (life.time) first = std::min(*life.time, first.value_or(*life.time));
      }
      time_ = end;
      if (!first || *first > end) return {};
      now_ = time_ = std::max(now_, *first);
      const auto life = std::ranges::find(lifetimes_, first, &Life::time);
      if (life != lifetimes_.end()) {
        expire(life->id);
        follow();
        continue;
      }
      const auto due = std::ranges::find(schedule_, *first, [](const auto& one) { return one.second; });
      const Phase phase = due->first;
      schedule_.erase(due);
      for (BookNumber book = 0; book < symbols_.size(); ++book) begin(book, phase);
    }
  }

  void begin(BookNumber book, Phase phase) {
    Market& market = symbols_[book];
    if (market.phase == phase) return;
    const bool collects_now = phase != Phase::Continuous && phase != Phase::Closed;
    if (!collects_now && !market.halted) uncross(book);
    market.phase = phase;
    if (collects_now) market.collected = true;
    tell_phase(VenueReportKind::PhaseChanged, book);
    while (phase == Phase::Closed) {
      const auto life = std::find_if(lifetimes_.begin(), lifetimes_.end(),
                                     [&](const Life& l) { return !l.time && l.book == book; });
      if (life == lifetimes_.end()) break;
      expire(life->id);
    }
    links_.wake(book);
    follow();
  }

  void expire(OrderId id) {
    if (find(id) != nullptr) {
      cancel(id, DeleteReason::Expired);
    } else if (const auto stop = stops_.cancel(id)) {
      stop_gone(*stop, DeleteReason::Expired);
    } else {
      stop_gone(*links_.waiting(id), DeleteReason::Expired);
    }
  }

  [[nodiscard]] AuctionPrice indicative(BookNumber book) const {
    std::vector<Price> prices;  // more than matter, and those of them on a tick
    std::vector<Price> on_ticks;
    if (books_.resting().empty()) return {};
    const auto [lowest, highest] =
        std::ranges::minmax(books_.resting(), {}, [](const RuledOrder& order) { return order.shown.price; });
    for (Price price = lowest.shown.price - 10; price <= highest.shown.price + 10; ++price) {
      prices.push_back(price);
      if (on_tick(book, price)) on_ticks.push_back(price);
    }
    const auto of = [&](const std::vector<Price>& some) {
      return auction_price(books_.resting(), book, some, symbols_[book].reference, true).value_or(AuctionPrice{});
    };
    return of(on_ticks).quantity == of(prices).quantity ? of(on_ticks) : of(prices);
  }
  void uncross(BookNumber book) {
    Market& market = symbols_[book];
    if (!market.collected) return;
    market.collected = false;
    AuctionPrice price = indicative(book);
    if (price.quantity != 0) {
      const auto outcome = books_.uncross(book, price.price, config_.auction_self_trade);
      price.quantity = outcome.filled;
      std::map<OrderId, std::pair<AccountNumber, Quantity>> left;
      for (const RuleEvent& event : outcome.events) {
        if (const auto* const trade = std::get_if<AuctionTrade>(&event)) {
          trades_.push_back({trade->buy.owner, trade->sell.owner, book, Side::Buy, trade->price, trade->quantity});
          traded(book, trade->price);
          tell_met(VenueReportKind::Executed, *trade, book, trades_.size(), 1, left);
        } else if (const auto* const match = std::get_if<PreventedAuctionTrade>(&event)) {
          tell_met(VenueReportKind::Prevented, *match, book, 0, static_cast<std::uint8_t>(SelfTrade::Decrement),
                   left);
        } else {
          const RestingOrder& order = std::get<Refilled>(event).order;
          tell_refilled(order, book, left[order.id].first, left[order.id].second);
        }
      }
    }
    tell_auction(VenueReportKind::Uncrossed, book, price);
  }
  void tell_met(VenueReportKind kind, const AuctionMatch& pair, BookNumber book, std::uint64_t match,
                std::uint8_t detail, std::map<OrderId, std::pair<AccountNumber, Quantity>>& left) {
    VenueReport report;
    report.kind = kind;
    report.match = match;
    report.id = pair.buy.id;
    report.other_id = pair.sell.id;
    report.price = pair.price;
    report.quantity = pair.quantity;
    report.remaining = pair.buy.remaining;
    report.other_remaining = pair.sell.remaining;
    report.displayed = pair.sell.displayed;
    report.account = pair.buy.owner;
    report.other_account = pair.sell.owner;
    report.client_tag = tags_.at(pair.buy.id);
    report.other_client_tag = tags_.at(pair.sell.id);
    report.book = book;
    report.detail = detail;
    told_.push_back(report);
    for (const AuctionOrder& order : {pair.buy, pair.sell}) {
      left[order.id] = {order.owner, order.remaining};
      if (kind == VenueReportKind::Executed) links_.filled(order.id, pair.quantity);
      if (order.remaining == 0) ended(order.id);
    }
  }
  void tell_auction(VenueReportKind kind, BookNumber book, const AuctionPrice& price) {
    VenueReport report;
    report.kind = kind;
    report.price = price.price;
    report.quantity = price.quantity;
    report.remaining = price.imbalance;
    report.side = price.side;
    report.book = book;
    report.phase = symbols_[book].phase;
    told_.push_back(report);
  }
  void tell_refilled(const RestingOrder& order, BookNumber book, AccountNumber account, Quantity total) {
    VenueReport report;
    report.kind = VenueReportKind::Refilled;
    report.id = order.id;
    report.price = order.price;
    report.quantity = total;
    report.remaining = total;
    report.displayed = order.quantity;
    report.account = account;
    report.client_tag = tags_.at(order.id);
    report.book = book;
    report.side = order.side;
    told_.push_back(report);
  }

  VenueReport set_bands(const VenueCommand& c) {
    if (!has_book(c.book)) return refused(VenueStatus::UnknownBook);
    if (c.price > c.trigger) return refused(VenueStatus::InvalidValue);
    Market& market = symbols_[c.book];
    market.lowest = c.price;
    market.highest = c.trigger;
    CancelScope below{.book = c.book};
    below.highest = c.price - 1;
    CancelScope above{.book = c.book};
    above.lowest = c.trigger + 1;
    (void)cancel_scope(below, DeleteReason::OutsideBands, false);
    (void)cancel_scope(above, DeleteReason::OutsideBands, false);
    return {};
  }

  VenueReport bust(std::uint64_t number) {
    const bool kept = number >= 1 && number <= trades_.size() && trades_.size() - number < config_.matches;
    if (!kept) return refused(VenueStatus::UnknownMatch);
    Traded& trade = trades_[number - 1];
    if (trade.busted) return refused(VenueStatus::AlreadyBusted);
    trade.busted = true;
    VenueReport report;
    report.kind = VenueReportKind::Busted;
    report.match = number;
    report.price = trade.price;
    report.quantity = trade.quantity;
    report.account = trade.taker;
    report.other_account = trade.maker;
    report.book = trade.book;
    report.side = trade.side;
    told_.push_back(report);
    return {};
  }

  // ---- What a command sets off.

  void follow() {
    for (BookNumber book = 0; book < symbols_.size(); ++book) {
      if (trades(book)) stops_.follow(book, prices(book));
    }
    const auto ready = [this](const LinkStep& step) { return takes(step); };
    for (;;) {
      while (!first_) {
        const std::optional<LinkStep> step = links_.next(ready);
        if (!step) break;
        make(*step);
      }
      std::optional<VenueCommand> stop = first_;
      first_ = {};
      for (BookNumber book = 0; book < symbols_.size() && !stop; ++book) {
        if (trades(book)) stop = stops_.next(book, prices(book));
      }
      if (!stop) return;
      ++fired_;
      stop->stop = StopTrigger::None;
      stop->link = 0;
      release(*stop);
    }
  }
  /// Whether the book of a child takes it, or more lots of it, in its phase.
  [[nodiscard]] bool takes(const LinkStep& step) const {
    const VenueCommand& c = step.command;
    if (not_open(c.book) != VenueStatus::Success) return false;
    if (!is_collecting(c.book) || step.type != LinkStepType::Place || c.stop != StopTrigger::None) return true;
    return c.type == VenueCommandType::AddLimit && c.time_in_force == TimeInForce::GoodTillCancel;
  }
  /// An order trades or rests after its wait. One that is refused leaves what it was linked to.
  void release(const VenueCommand& order) {
    tell_stop(VenueReportKind::Triggered, order, order.quantity);
    std::erase_if(lifetimes_, [&](const Life& life) { return life.id == order.id; });
    const VenueStatus closed = not_open(order.book);
    const VenueReport fired = closed == VenueStatus::Success ? place(order, false) : refused(closed);
    answer(fired, VenueReportKind::Fired, order);
    links_.filled(order.id, fired.quantity);
    if (fired.status != VenueStatus::Success) {
      links_.refused(order.id);
    } else if (fired.remaining == 0) {
      ended(order.id);
    }
    if (trades(order.book)) stops_.follow(order.book, prices(order.book));
  }
  void make(const LinkStep& step) {
    const RuledOrder* const order = find(step.id);
    auto stop = stops_.find(step.id);
    if (step.type == LinkStepType::Place) {
      release(step.command);
    } else if (step.type == LinkStepType::Drop) {
      stop_gone(step.command, DeleteReason::Linked);
    } else if (step.type == LinkStepType::Cancel) {
      if (order != nullptr) {
        cancel(step.id, DeleteReason::Linked);
      } else if (stop) {
        stops_.cancel(step.id);
        stop_gone(*stop, DeleteReason::Linked);
      }
    } else if (step.type == LinkStepType::Grow) {
      if (order != nullptr || stop) grow(step);
    } else if (stop) {
      if (step.quantity >= stop->quantity) {
        stops_.cancel(step.id);
        return stop_gone(*stop, DeleteReason::Linked);
      }
      stop->quantity -= step.quantity;
      (void)stops_.modify(*stop);
      tell_stop(VenueReportKind::StopChanged, *stop, stop->quantity);
    } else if (order != nullptr) {
      const RuledOrder before = *order;
      if (step.quantity >= before.total()) return cancel(step.id, DeleteReason::Linked);
      RuledBookCommand change;
      change.handle = before.shown.handle;
      change.type = CommandType::Reduce;
      change.quantity = step.quantity;
      (void)books_.apply(change);
      const RuledOrder& now = *find(step.id);
      tell_order(VenueReportKind::Reduced, now, step.quantity, now.total(), DeleteReason::Linked);
    }
  }
  /// A child gets more lots, or it is told why not.
  void grow(const LinkStep& step) {
    const RuledOrder* const order = find(step.id);
    VenueReport why = order != nullptr ? grow_order(*order, step) : grow_stop(*stops_.find(step.id), step);
    if (why.status == VenueStatus::Success) return;
    VenueReport report;
    if (const RuledOrder* const now = find(step.id)) {
      report.price = now->shown.price;
      report.remaining = now->total();
    } else {
      report.price = stops_.find(step.id)->trigger;
      report.remaining = stops_.find(step.id)->quantity;
    }
    report.kind = VenueReportKind::GrowthRefused;
    report.id = step.id;
    report.quantity = step.quantity;
    report.account = step.command.account;
    report.client_tag = step.command.client_tag;
    report.book = step.command.book;
    report.side = step.command.side;
    report.status = why.status;
    report.risk = why.risk;
    report.result = why.result;
    told_.push_back(report);
  }
  static bool wraps(Quantity one, Quantity other) { return one > std::numeric_limits<Quantity>::max() - other; }
  VenueReport grow_stop(VenueCommand stop, const LinkStep& step) {
    if (wraps(stop.quantity, step.quantity)) return refused(VenueStatus::InvalidQuantity);
    stop.quantity += step.quantity;
    if (const VenueStatus why = never_right(stop); why != VenueStatus::Success) return refused(why);
    if (const RiskStatus why = refused_waiting(stop); why != RiskStatus::Success) return refused(why);
    (void)stops_.modify(stop);
    tell_stop(VenueReportKind::StopChanged, stop, stop.quantity);
    return {};
  }
  VenueReport grow_order(const RuledOrder& order, const LinkStep& step) {
    const RuledOrder before = order;
    if (wraps(before.total(), step.quantity)) return refused(VenueStatus::InvalidQuantity);
    RuledBookCommand change;
    change.handle = before.shown.handle;
    change.price = before.shown.price;
    change.id = step.id;
    change.quantity = before.total() + step.quantity;
    if (const RiskStatus why = too_large(true, change.quantity); why != RiskStatus::Success) return refused(why);
    // It was placed with fewer lots than its peak: now it may show more.
    const bool shows_more = before.display == Display::Reserve && step.command.display == Display::Reserve &&
                            before.peak < step.command.peak;
    if (shows_more) {
      change.type = is_collecting(before.book) ? CommandType::ReplaceResting : CommandType::Replace;
      change.terms.display = Display::Reserve;
      change.terms.peak = std::min(step.command.peak, change.quantity);
    } else {
      change.type = is_collecting(before.book) ? CommandType::ModifyResting : CommandType::Modify;
    }
    tag_ = tags_.at(step.id);
    const VenueReport done = to_books(change, before.book);
    if (done.status == VenueStatus::Success) moved(before, done, step.id, shows_more);
    return done;
  }
  /// A price at which orders have traded.
  void traded(BookNumber book, Price price) {
    symbols_[book].last = symbols_[book].reference = price;
    stops_.follow(book, {.last = price, .best_bid = {}, .best_ask = {}});
  }

  [[nodiscard]] TriggerPrices prices(BookNumber book) const {
    return {symbols_[book].last, best_of(book, Side::Buy), best_of(book, Side::Sell)};
  }

  // ---- Books.

  static RuledBookCommand command_of(const VenueCommand& c) {
    RuledBookCommand command;
    command.id = c.id;
    command.price = c.price;
    command.quantity = c.quantity;
    command.type = static_cast<CommandType>(c.type);
    command.side = c.side;
    command.time_in_force = c.time_in_force;
    command.terms = {c.account, c.self_trade, c.display, c.peak, c.minimum};
    command.book = c.book;
    return command;
  }

  VenueReport to_books(const RuledBookCommand& command, BookNumber book) {
    const RulesOracle::Outcome outcome = books_.apply(command);
    taker_left_ = command.quantity;
    std::optional<Quantity> left;  // of the maker met last
    for (const RuleEvent& event : outcome.events) {
      VenueReport report;
      report.book = book;
      if (const auto* const trade = std::get_if<RuledTrade>(&event)) {
        trades_.push_back(
            {trade->taker_owner, trade->maker_owner, book, trade->taker_side, trade->price, trade->quantity});
        traded(book, trade->price);
        taker_left_ = trade->taker_remaining;
        report.kind = VenueReportKind::Executed;
        report.match = trades_.size();
        report.id = trade->taker_id;
        report.other_id = trade->maker_id;
        report.price = trade->price;
        report.quantity = trade->quantity;
        report.remaining = trade->taker_remaining;
        report.other_remaining = trade->maker_remaining;
        report.displayed = trade->maker_displayed;
        report.account = trade->taker_owner;
        report.other_account = trade->maker_owner;
        report.client_tag = tag_;
        report.other_client_tag = tags_.at(trade->maker_id);
        report.side = trade->taker_side;
        left = trade->maker_remaining;
        links_.filled(trade->maker_id, trade->quantity);
        if (trade->maker_remaining == 0) ended(trade->maker_id);
      } else if (const auto* const match = std::get_if<PreventedMatch>(&event)) {
        taker_left_ = match->taker_remaining;
        report.kind = VenueReportKind::Prevented;
        report.id = match->taker_id;
        report.other_id = match->maker_id;
        report.price = match->price;
        report.quantity = match->quantity;
        report.remaining = match->taker_remaining;
        report.other_remaining = match->maker_remaining;
        report.displayed = std::min(match->maker_showed, match->maker_remaining);
        report.account = match->owner;
        report.other_account = match->owner;
        report.client_tag = tag_;
        report.other_client_tag = tags_.at(match->maker_id);
        report.side = match->taker_side;
        report.detail = static_cast<std::uint8_t>(match->mode);
        if (match->maker_remaining == 0) ended(match->maker_id);
      } else {
        tell_refilled(std::get<Refilled>(event).order, book, told_.back().other_account, left.value_or(0));
        continue;
      }
      told_.push_back(report);
    }
    VenueReport done = outcome.status == Status::Success ? VenueReport{} : by_book(outcome.status);
    done.quantity = outcome.filled;
    done.remaining = outcome.remaining;
    done.cancelled = outcome.cancelled;
    done.detail = outcome.kept_place;
    return done;
  }

  static VenueReport by_book(Status status) {
    VenueReport report;
    report.status = VenueStatus::RefusedByBook;
    report.result = status;
    return report;
  }
  static VenueReport unknown_order() {
    VenueReport report = refused(RiskStatus::UnknownOrder);
    report.status = VenueStatus::UnknownOrder;
    return report;
  }

  void cancel(OrderId id, DeleteReason reason) {
    const RuledOrder before = *find(id);
    RuledBookCommand command;
    command.type = CommandType::Cancel;
    command.handle = before.shown.handle;
    (void)books_.apply(command);
    tell_gone(before, reason);
  }

  [[nodiscard]] const RuledOrder* find(OrderId id) const {
    for (const RuledOrder& order : books_.resting()) {
      if (order.shown.id == id) return &order;
    }
    return nullptr;
  }
  void name_newest() { books_.name_newest({++named_, 1}); }
  /// By when they were added, modified or replaced last.
  [[nodiscard]] std::vector<OrderId> opened_by(AccountNumber account) const {
    std::vector<OrderId> ids;
    for (const OrderId id : opened_) {
      const RuledOrder* const order = find(id);
      if (order != nullptr && order->owner == account) ids.push_back(id);
    }
    return ids;
  }

  [[nodiscard]] std::optional<Price> best_of(BookNumber book, Side side) const {
    const auto depth = books_.depth(book, side);
    return depth.empty() ? std::nullopt : std::optional(depth.front().price);
  }

  // ---- What a symbol allows.

  [[nodiscard]] bool is_collecting(BookNumber book) const {
    const Phase phase = symbols_[book].phase;
    return phase == Phase::PreOpen || phase == Phase::OpeningAuction || phase == Phase::ClosingAuction;
  }
  [[nodiscard]] VenueStatus not_open(BookNumber book) const {
    if (symbols_[book].phase == Phase::Closed) return VenueStatus::Closed;
    return symbols_[book].halted ? VenueStatus::Halted : VenueStatus::Success;
  }
  [[nodiscard]] bool on_tick(BookNumber book, Price price) const {
    Price tick = 1;
    for (const auto& [from, size] : symbols_[book].ticks) {
      if (from <= price) tick = size;
    }
    return price % tick == 0;
  }
  [[nodiscard]] VenueStatus odd_numbers(BookNumber book, Quantity quantity, bool priced, Price price) const {
    const Market& market = symbols_[book];
    if (quantity % market.lot != 0) return VenueStatus::OffLot;
    if (!priced) return VenueStatus::Success;
    if (!on_tick(book, price)) return VenueStatus::OffTick;
    return price < market.lowest || price > market.highest ? VenueStatus::OutsideBands : VenueStatus::Success;
  }
  [[nodiscard]] VenueStatus no_lifetime(const VenueCommand& c, bool needs_room) const {
    if (c.lifetime == Lifetime::UntilCancelled) return VenueStatus::Success;
    if (c.lifetime == Lifetime::UntilTime && c.expiry <= time_) return VenueStatus::ExpiryPassed;
    return needs_room && lifetimes_.size() == config_.lifetimes ? VenueStatus::NoRoomForExpiry
                                                                : VenueStatus::Success;
  }
  [[nodiscard]] RiskStatus refused_waiting(const VenueCommand& c) const {
    if (!has_account(c.account)) return RiskStatus::UnknownAccount;
    const bool too_much = c.type == VenueCommandType::AddLimit && c.quantity > Quantity{1} << 62;
    if (too_much) return RiskStatus::NotionalOverflow;
    return killed_.contains(c.account) ? RiskStatus::AccountKilled : RiskStatus::Success;
  }
  void begin_life(const VenueCommand& c) {
    if (c.lifetime == Lifetime::UntilTime) lifetimes_.push_back({c.id, c.expiry, c.book});
    if (c.lifetime == Lifetime::Day) lifetimes_.push_back({c.id, {}, c.book});
  }
  void ended(OrderId id) {
    std::erase_if(lifetimes_, [id](const Life& life) { return life.id == id; });
    links_.ended(id);
  }
  [[nodiscard]] bool waits(OrderId id) const { return stops_.find(id) || links_.waiting(id); }

  // ---- Reports.

  void tell_order(VenueReportKind kind, const RuledOrder& order, Quantity quantity, Quantity remaining,
                  DeleteReason reason = DeleteReason::None) {
    VenueReport report;
    report.kind = kind;
    report.id = order.shown.id;
    report.price = order.shown.price;
    report.quantity = quantity;
    report.remaining = remaining;
    report.displayed = remaining == 0 ? 0 : order.shown.quantity;
    report.account = order.owner;
    report.client_tag = tags_.at(order.shown.id);
    report.book = order.book;
    report.side = order.shown.side;
    report.reason = reason;
    told_.push_back(report);
    if (kind == VenueReportKind::Added) youngest(order.shown.id, order.shown.id);
  }
  void youngest(OrderId old_id, OrderId id) {
    std::erase(opened_, old_id);
    std::erase(opened_, id);
    opened_.push_back(id);
  }
  void tell_gone(const RuledOrder& order, DeleteReason reason) {
    tell_order(VenueReportKind::Deleted, order, order.total(), 0, reason);
    ended(order.shown.id);
  }
  void tell_stop(VenueReportKind kind, const VenueCommand& stop, Quantity remaining,
                 DeleteReason reason = DeleteReason::None) {
    VenueReport report;
    report.kind = kind;
    report.id = stop.id;
    report.price = stop.trigger;
    report.quantity = stop.quantity;
    report.remaining = remaining;
    report.account = stop.account;
    report.client_tag = stop.client_tag;
    report.book = stop.book;
    report.side = stop.side;
    report.reason = reason;
    told_.push_back(report);
  }
  void stop_gone(const VenueCommand& stop, DeleteReason reason) {
    tell_stop(VenueReportKind::Deleted, stop, 0, reason);
    ended(stop.id);
  }
  void tell_phase(VenueReportKind kind, BookNumber book) {
    VenueReport report;
    report.kind = kind;
    report.book = book;
    report.phase = symbols_[book].phase;
    told_.push_back(report);
  }
  void answer(VenueReport report, VenueReportKind kind, const VenueCommand& c) {
    report.kind = kind;
    report.id = c.id;
    report.other_id = c.new_id;
    report.account = c.account;
    report.client_tag = c.client_tag;
    report.book = c.book;
    told_.push_back(report);
  }

  VenueConfig config_;
  std::vector<QuoteEntry> entries_;  ///< of the command
  RulesOracle books_;
  StopOracle stops_;
  std::optional<VenueCommand> first_;  ///< a stop without room, that fires next
  LinkOracle links_;
  std::vector<Market> symbols_;
  std::vector<Life> lifetimes_;  ///< by arrival
  std::vector<Traded> trades_;
  std::map<Phase, Nanoseconds> schedule_;
  std::set<AccountNumber> killed_;
  std::vector<OrderId> opened_;
  Nanoseconds now_ = 0;
  Nanoseconds time_ = 0;
  bool accepted_ = false;  ///< by the risk stage: so it counts, also if the book refuses it
  std::uint32_t named_ = 0;
  std::uint32_t fired_ = 0;
  std::map<OrderId, std::uint32_t> tags_;  ///< of orders that rest, and of some that have
  std::uint32_t tag_ = 0;                  ///< of the order that comes to its book
  Quantity taker_left_ = 0;                ///< lots of the order that trades which its last report leaves
  Reports told_;
};

}  // namespace llmes::test
