// SPDX-License-Identifier: MIT
//
// What each command does in a book with rules. While no order has terms, and the command has none, it does what it
// does in a book without rules, by the same code. Everything else goes one way here: the faults of the command,
// its own order first; what it would trade; whether there is room for the rest; and then the changes.
//
// An order that sweeps and rests has used up or cancelled all makers in its reach: a slot is free (matching.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/rules/uncross.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// How the commands to a book with rules are carried out.
template <class SideBookType, Allocation allocation, Quantity minimum_share>
class RuledMatching : protected Uncross<SideBookType, allocation, minimum_share> {
 protected:
  using Sweeping = Uncross<SideBookType, allocation, minimum_share>;
  using Sweeping::crosses, Sweeping::has_level, Sweeping::has_room, Sweeping::is_side, Sweeping::is_valid,
      Sweeping::lots_before, Sweeping::lots_within, Sweeping::may_rest, Sweeping::notes_first, Sweeping::offset_of,
      Sweeping::own_orders, Sweeping::enqueue_ruled, Sweeping::pool_, Sweeping::price_of, Sweeping::rank_count,
      Sweeping::rank_of, Sweeping::rank_of_limit, Sweeping::reach_of, Sweeping::remove, Sweeping::rests_here,
      Sweeping::resting_order, Sweeping::rules, Sweeping::shrink, Sweeping::side_book, Sweeping::side_of,
      Sweeping::sweep, Sweeping::take_off, Sweeping::terms_at, Sweeping::total_of;
  using Sweeping::Sweeping;
  using typename Sweeping::Lots, typename Sweeping::OwnOrders, typename Sweeping::Plain,
      typename Sweeping::SideBook, typename Sweeping::Taker;

  // What is out of line takes a copy of the command, made only there: its address would force all into memory.

  /// Makes a call.
  template <CommandType type, class Sink>
  [[gnu::always_inline]] Result run(const RuledCommand& command, Sink& sink) noexcept {
    if constexpr (type == CommandType::MassCancel) {
      return cancel_scope(command.scope(), sink);  // whose sink need not hear of trades
    } else {
      if (is_plain<type>(command)) [[likely]] {
        const auto retold = retell_to(sink);
        return Plain::template run<type>(without_terms(command), retold);
      }
      if constexpr (type == CommandType::Cancel) {
        return cancel(command.handle.index);
      } else {
        return run_ruled(copy_of(command), sink);
      }
    }
  }
  /// The same for a type known only at run time, other than AddLimit and Cancel.
  [[gnu::always_inline]] Result run_any(const RuledCommand& command, auto& sink) noexcept {
    if (is_plain() && is_plain(command.terms) && command.type != CommandType::MassCancel) [[likely]] {
      const auto retold = retell_to(sink);
      return Plain::run_any(without_terms(command), retold);
    }
    return run_ruled(copy_of(command), sink);
  }

  // ---- Mass cancel. A set does the same for all its books.

  [[nodiscard]] static bool is_valid(const CancelScope& scope) noexcept {
    return (!scope.side || is_side(*scope.side)) && scope.lowest <= scope.highest;
  }
  /// Whether an order that rests here is in a scope.
  [[nodiscard]] bool is_in(const CancelScope& scope, SlotIndex order) const noexcept {
    const Side side = side_of(order);
    const Price price = price_of(side, rank_of(order));
    return (!scope.side || *scope.side == side) && scope.lowest <= price && price <= scope.highest;
  }
  /// Where an order that rests here stands in the order of cancels.
  [[nodiscard]] OrderPlace place_in(BookNumber book, SlotIndex order) const noexcept {
    return {std::uint64_t{book} * 2 + static_cast<std::uint64_t>(side_of(order)), rank_of(order),
            std::uint64_t{rules()[order].hidden()}};
  }
  /// Cancels one order, and adds its lots to `result`.
  void cancel_one(SlotIndex order, Result& result, auto& sink) noexcept {
    const RestingOrder cancelled = resting_order(order);
    const Quantity lots = total_of(order);
    remove(order);
    result.cancelled += std::min(lots, std::numeric_limits<Quantity>::max() - result.cancelled);
    tell_cancelled(sink, cancelled);
  }
  /// Cancels everybody's orders in a scope. Linear in these and their levels.
  void cancel_everybody(const CancelScope& scope, Result& result, auto& sink) noexcept {
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (scope.side && *scope.side != side) continue;
      const auto [begin, end] = ranks_of(scope, side);
      for (std::size_t rank = side_book(side).best_from(pool_, begin); rank < end;
           rank = side_book(side).best_from(pool_, rank + 1)) {
        const SlotIndex anchor = side_book(side).anchor(pool_, side, rank);
        for (SlotIndex i = pool_[anchor].oldest(), left = pool_[anchor].order_count(); left > 0; --left) {
          const SlotIndex next = pool_[i].next;
          cancel_one(i, result, sink);
          i = next;
        }
      }
    }
  }

 private:
  /// Whether a call does what it does in a book without rules. While orders have terms, that is to cancel one that
  /// has none, and to rest without meeting anybody where all lots are displayed.
  template <CommandType type>
  [[nodiscard, gnu::always_inline]] bool is_plain(const RuledCommand& command) const noexcept {
    if constexpr (type == CommandType::Cancel) {
      return is_plain() || !pool_.contains(command.handle) || rules()[command.handle.index].flags == 0;
    } else if constexpr (type == CommandType::Reduce) {
      return is_plain();
    } else if constexpr (type == CommandType::AddLimit) {
      return is_plain(command.terms) && (is_plain() || rests_plainly(command));
    } else {
      return is_plain() && is_plain(command.terms);
    }
  }
  [[nodiscard, gnu::always_inline]] bool rests_plainly(const RuledCommand& command) const noexcept {
    const std::size_t offset = offset_of(command.price);
    return !notes_first && rules().reserves == 0 && may_rest(command.side, command.time_in_force) &&
           offset < rank_count && !crosses(command.side, SideBook::rank(command.side, offset));
  }

  // ---- Orders with an owner alone that meet nobody: as without rules, but that their owner's list has them.

  [[nodiscard, gnu::always_inline]] bool rests_owned(const RuledCommand& command) const noexcept {
    OrderTerms others = command.terms;
    others.owner = 0;
    return is_plain(others) && rests_plainly(command);
  }
  [[nodiscard, gnu::always_inline]] Result add_owned(const RuledCommand& command) noexcept {
    DiscardTrades nobody;
    const Result result = Plain::template run<CommandType::AddLimit>(without_terms(command), nobody);
    if (result.rests()) this->own(result.handle.index, command.terms.owner);
    return result;
  }

  /// Whether the book does what one without rules does.
  [[nodiscard, gnu::always_inline]] bool is_plain() const noexcept {
    return allocation == Allocation::PriceTime && rules().used == 0;
  }
  /// Whether terms are those of an order in a book without rules.
  [[nodiscard, gnu::always_inline]] static bool is_plain(const OrderTerms& terms) noexcept {
    return (terms.owner | static_cast<unsigned>(terms.display) | terms.minimum) == 0 &&
           terms.self_trade <= SelfTrade::Decrement;
  }
  [[nodiscard, gnu::always_inline]] static Command without_terms(const RuledCommand& command) noexcept {
    return {{command.id, command.handle}, command.price, command.quantity, command.type, command.side,
            command.time_in_force};
  }

  /// Member by member: a copy as a whole would have all of the command in memory before it is known to be needed.
  [[nodiscard, gnu::always_inline]] static RuledCommand copy_of(const RuledCommand& command) noexcept {
    const auto& [owner, self_trade, display, peak, minimum, tag] = command.terms;
    return {{command.id, command.handle},
            command.price,
            command.quantity,
            command.type,
            command.side,
            command.time_in_force,
            {owner, self_trade, display, peak, minimum, tag}};
  }

  /// Tells a sink of the fills of a book without terms.
  [[nodiscard, gnu::always_inline]] static auto retell_to(auto& sink) noexcept {
    return [&sink](const Trade& trade) { sink(RuledTrade{trade, 0, 0, trade.maker_remaining}); };
  }

  /// An order that comes to the book: added, in the place of another one, or moved.
  struct Incoming {
    OrderId id;
    Side side;
    std::size_t offset;  ///< of its price
    Quantity quantity;
    TimeInForce time_in_force;
    bool trades;          ///< whether the call may trade
    OrderTerms terms;     ///< as it will have them
    OrderHandle leaving;  ///< the order whose place it takes, if any
    bool keeps_handle;    ///< whether it is the same order
  };

  [[nodiscard]] Result rejection(Status status, OrderHandle order) const noexcept {
    if (order == OrderHandle{}) return {status};
    return {status, order, 0, total_of(order.index), 0, true};
  }

  // ---- Faults of the terms.

  /// Whether its modes are enumerators, and allowed for the time in force.
  [[nodiscard]] static bool is_valid(const OrderTerms& terms, TimeInForce time_in_force) noexcept {
    if (terms.self_trade > SelfTrade::Decrement || terms.display > Display::Hidden) return false;
    if (terms.display != Display::Whole && !may_rest(time_in_force)) return false;
    return terms.minimum == 0 || time_in_force == TimeInForce::ImmediateOrCancel;
  }
  /// The quantity, and those of the terms.
  [[nodiscard]] bool is_valid(Quantity quantity, const OrderTerms& terms) const noexcept {
    if (!is_valid(quantity) || terms.minimum > quantity) return false;
    return terms.display != Display::Reserve ||
           (terms.peak != 0 && terms.peak <= quantity && has_few_peaks(quantity, terms.peak));
  }
  /// Whether a taker that uses up an order of `quantity` lots refills it at most `peaks_max` times.
  [[nodiscard]] static bool has_few_peaks(Quantity quantity, Quantity peak) noexcept {
    return (quantity - 1) / peak < peaks_max;
  }

  // ---- Commands.

  [[gnu::noinline]] Result run_ruled(const RuledCommand& command, auto& sink) noexcept {
    switch (command.type) {
      case CommandType::AddLimit: return add(command, command.time_in_force, true, sink);
      case CommandType::AddMarket: return add(command, TimeInForce::ImmediateOrCancel, true, sink);
      case CommandType::AddResting: return add(command, TimeInForce::GoodTillCancel, false, sink);
      case CommandType::Reduce: return reduce(command.handle, command.quantity);
      case CommandType::Modify:
      case CommandType::Replace: return move(command, command.time_in_force, true, sink);
      case CommandType::ModifyResting:
      case CommandType::ReplaceResting: return move(command, TimeInForce::GoodTillCancel, false, sink);
      case CommandType::AddRestingBefore: return add_before(command);
      case CommandType::MassCancel: return cancel_scope(command.scope(), sink);
      default: return {Status::InvalidCommand};  // a cancel has a way of its own
    }
  }

  /// Of an order that is known: the cancel of another one is plain.
  [[nodiscard, gnu::noinline]] Result cancel(SlotIndex order) noexcept {
    if (rules()[order].flags == SlotTerms::is_used) {  // an owner alone
      this->disown(order);
      return Plain::cancel(pool_.handle(order));
    }
    const Quantity total = total_of(order);
    remove(order);
    return {Status::Success, {}, 0, 0, total};
  }

  [[nodiscard]] Result reduce(OrderHandle handle, Quantity by) noexcept {
    if (!pool_.contains(handle)) return {Status::UnknownOrder};
    const Quantity total = total_of(handle.index);
    if (by == 0 || by > total) return rejection(Status::InvalidQuantity, handle);
    if (by == total) return cancel(handle.index);
    shrink(handle.index, by);
    return {Status::Success, handle, 0, total - by, by, true};
  }

  /// An add. A market order may trade at any price, so from the aggressive end, and asks for no minimum.
  [[nodiscard]] Result add(const RuledCommand& command, TimeInForce time_in_force, bool trades,
                           auto& sink) noexcept {
    const bool is_market = command.type == CommandType::AddMarket;
    if (trades && !is_market && rests_owned(command)) return add_owned(command);
    if (!is_side(command.side) || time_in_force > TimeInForce::FillOrKill ||
        !is_valid(command.terms, time_in_force) || (is_market && command.terms.minimum != 0)) {
      return {Status::InvalidCommand};
    }
    if (!is_valid(command.quantity, command.terms)) return {Status::InvalidQuantity};
    const std::size_t offset = is_market ? SideBook::rank(command.side, 0) : offset_of(command.price);
    if (offset >= rank_count && may_rest(time_in_force)) return {Status::PriceOutOfBand};
    return enter(
        {command.id, command.side, offset, command.quantity, time_in_force, trades, command.terms, {}, false},
        sink);
  }

  /// A displayed order in front of a displayed one: what is hidden has no place there.
  [[nodiscard]] Result add_before(const RuledCommand& command) noexcept {
    const SlotIndex neighbour = command.handle.index;
    const OrderTerms& terms = command.terms;
    if (!is_valid(terms, TimeInForce::GoodTillCancel) || terms.display != Display::Whole) {
      return {Status::InvalidCommand};
    }
    if (!pool_.contains(command.handle)) return {Status::UnknownOrder};
    if (rules()[neighbour].hidden()) return {Status::InvalidCommand};
    if (!is_valid(command.quantity)) return {Status::InvalidQuantity};
    if (pool_.full()) return {Status::PoolFull};
    const Quantity reserves = rules().reserves;
    if (command.quantity > std::numeric_limits<Quantity>::max() - reserves ||
        !PriceLevel(pool_, pool_[neighbour].level).has_room(command.quantity + reserves)) {
      return {Status::QuantityOverflow};
    }
    const SlotIndex order = pool_.acquire(command.id);
    pool_[order].id = command.id;
    this->enqueue_before(neighbour, order, command.quantity, terms.owner);
    return {Status::Success, pool_.handle(order), 0, command.quantity};
  }

  /// A modify or a replace. What comes has the owner of what leaves; one that is modified also keeps its display.
  [[nodiscard]] Result move(const RuledCommand& command, TimeInForce time_in_force, bool trades,
                            auto& sink) noexcept {
    const bool modifies = Plain::modifies(command.type);
    const bool known = pool_.contains(command.handle);
    const OrderHandle order = known ? command.handle : OrderHandle{};
    OrderTerms terms = command.terms;
    if (modifies) terms = {.owner = 0, .self_trade = terms.self_trade, .minimum = terms.minimum};
    if (time_in_force > TimeInForce::FillOrKill || !is_valid(terms, time_in_force)) {
      return rejection(Status::InvalidCommand, order);
    }
    if (!known) return {Status::UnknownOrder};
    const bool stays = modifies && may_rest(time_in_force);
    const RestingTerms kept = terms_at(order.index);
    if (!is_valid(command.quantity, terms) ||
        (stays && kept.display == Display::Reserve && !has_few_peaks(command.quantity, kept.peak))) {
      return rejection(Status::InvalidQuantity, order);
    }
    const std::size_t offset = offset_of(command.price);
    if (offset >= rank_count && may_rest(time_in_force)) return rejection(Status::PriceOutOfBand, order);

    const Quantity total = total_of(order.index);
    if (stays && command.quantity <= total && offset == this->offset_of_order(order.index)) {
      shrink(order.index, total - command.quantity);
      return {Status::Success, order, 0, command.quantity, 0, true};
    }
    terms.owner = kept.owner;
    if (modifies) {
      terms.display = kept.display;
      terms.peak = kept.peak;
    }
    return enter({modifies ? pool_[order.index].id : command.id, side_of(order.index), offset, command.quantity,
                  time_in_force, trades, terms, order, stays},
                 sink);
  }

  /// Takes an order to the book whose members are valid, or rejects it.
  [[nodiscard]] Result enter(const Incoming& order, auto& sink) noexcept {
    const std::size_t rank = rank_of_limit(order.side, order.offset);
    const bool trades = order.trades && rank < rank_count && crosses(order.side, rank);
    const bool rests = may_rest(order.time_in_force);
    if (trades && order.time_in_force == TimeInForce::PostOnly)
      return rejection(Status::WouldCross, order.leaving);
    const Quantity needed = order.time_in_force == TimeInForce::FillOrKill ? order.quantity : order.terms.minimum;
    if (needed != 0 && !(trades && can_trade(order, reach_of(rank), needed))) {
      return rejection(Status::NotFillable, order.leaving);
    }
    if (rests) {
      const Status status = check_room(order, rank, trades);
      if (status != Status::Success) return rejection(status, order.leaving);
    }

    const SlotIndex leaving = order.leaving.index;
    if (order.leaving != OrderHandle{}) {
      take_off(leaving);
      if (!order.keeps_handle) pool_.release(leaving);
    }
    Taker taker{order.id, order.side, order.terms.owner, order.terms.self_trade, order.quantity};
    if (trades) sweep(taker, reach_of(rank), sink);
    Result result{Status::Success, {}, taker.filled};
    if (rests && taker.open != 0) {
      const SlotIndex slot = order.keeps_handle ? leaving : pool_.acquire(order.id);
      pool_[slot].id = order.id;
      enqueue_ruled(slot, order.side, rank, taker.open, order.terms);
      result.handle = pool_.handle(slot);
      result.remaining = taker.open;
    } else if (order.keeps_handle) {
      pool_.release(leaving);
    }
    result.cancelled = order.quantity - result.filled - result.remaining;
    return result;
  }

  // ---- What a taker would do.

  /// What it meets of its own owner, if it minds.
  [[nodiscard]] OwnOrders own_orders(const Incoming& order, std::size_t reach) const noexcept {
    if (order.terms.owner == 0 || order.terms.self_trade == SelfTrade::Allow) return {};
    return own_orders(order.terms.owner, opposite(order.side), reach);
  }

  /// Whether at least `needed` of its lots would trade, whatever it meets of its own owner.
  [[nodiscard]] bool can_trade(const Incoming& order, std::size_t reach, Quantity needed) const noexcept {
    const Side side = opposite(order.side);
    const OwnOrders own = own_orders(order, reach);
    if (!own.any()) return lots_within(side, reach, needed) >= needed;
    if (order.terms.self_trade == SelfTrade::CancelMaker) {
      return lots_within(side, reach, own.lots + needed) >= own.lots + needed;
    }
    const Lots before = own.best == 0 ? 0 : lots_within(side, own.best - 1, needed);
    if (before >= needed) return true;
    auto lots = static_cast<Quantity>(before);
    if (order.terms.self_trade == SelfTrade::Decrement) {
      typename Sweeping::Decremented taker{order.terms.owner, order.quantity - lots};
      const SideBook& makers = side_book(side);
      for (std::size_t rank = own.best; taker.open != 0 && rank <= reach;
           rank = makers.best_from(pool_, rank + 1)) {
        this->meet(taker, makers.anchor(pool_, side, rank));
      }
      return taker.filled >= needed - lots;
    }
    if constexpr (allocation == Allocation::PriceTime) lots += lots_before(order.terms.owner, side, own.best);
    return lots >= needed;
  }

  /// The lots that would come to rest.
  [[nodiscard]] Quantity lots_to_rest(const Incoming& order, std::size_t reach) const noexcept {
    const OwnOrders own = own_orders(order, reach);
    const SelfTrade mode = own.any() ? order.terms.self_trade : SelfTrade::Allow;
    if (mode == SelfTrade::CancelTaker || mode == SelfTrade::CancelBoth) return 0;
    const Lots passed = mode == SelfTrade::CancelMaker ? own.lots : 0;  // makers that leave without a trade
    const Lots met = lots_within(opposite(order.side), reach, passed + order.quantity) - passed;
    return met >= order.quantity ? 0 : order.quantity - static_cast<Quantity>(met);
  }

  /// Whether there is room for what would come to rest: a slot, a level, and sums that fit.
  [[nodiscard]] Status check_room(const Incoming& order, std::size_t rank, bool trades) noexcept {
    const bool moves = order.leaving != OrderHandle{};
    if (!moves && !trades && pool_.full()) return Status::PoolFull;
    Quantity reserves = rules().reserves;
    Quantity leaving = 0;
    if (moves) {
      reserves -= rules()[order.leaving.index].reserve;
      if (rank == rank_of(order.leaving.index)) leaving = pool_[order.leaving.index].quantity;
    }
    const auto fits = [&](Quantity lots) {
      return lots <= std::numeric_limits<Quantity>::max() - reserves &&
             has_room(order.side, rank, lots + reserves, leaving);
    };
    const bool level = has_level(order.side, rank, moves);
    if (level && fits(order.quantity)) [[likely]]
      return Status::Success;
    const Quantity lots = trades ? lots_to_rest(order, reach_of(rank)) : order.quantity;
    if (lots == 0) return Status::Success;
    if (!level) return Status::PoolFull;
    return fits(lots) ? Status::Success : Status::QuantityOverflow;
  }

  [[nodiscard, gnu::noinline]] Result cancel_scope(const CancelScope& scope, auto& sink) noexcept {
    if (!is_valid(scope)) return {Status::InvalidCommand};
    Result result;
    if (scope.owner == 0) {
      cancel_everybody(scope, result, sink);
    } else {
      rules().cancel_all_of(
          scope.owner, [&](SlotIndex order) { return rests_here(order) && is_in(scope, order); },
          [&](SlotIndex order) { return place_in(0, order); },
          [&](SlotIndex order) { cancel_one(order, result, sink); });
    }
    return result;
  }

  struct Ranks {
    std::size_t begin;
    std::size_t end;
  };
  /// The ranks of the prices of a scope, which may lie beyond the band.
  [[nodiscard]] Ranks ranks_of(const CancelScope& scope, Side side) const noexcept {
    const Price first = price_of(Side::Sell, 0);
    const Price last = price_of(Side::Sell, rank_count - 1);
    if (scope.highest < first || scope.lowest > last) return {rank_count, rank_count};
    const std::size_t lowest = SideBook::rank(side, offset_of(std::max(scope.lowest, first)));
    const std::size_t highest = SideBook::rank(side, offset_of(std::min(scope.highest, last)));
    return {std::min(lowest, highest), std::max(lowest, highest) + 1};
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
