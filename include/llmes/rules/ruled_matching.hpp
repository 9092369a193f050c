// SPDX-License-Identifier: MIT
//
// What each command does in a book with rules. While no order has terms, and the command has none, it does what it
// does in a book without rules, by the same code. Everything else goes one way here: the faults of the command,
// its own order first; what it would trade; whether there is room for the rest; and then the changes.
//
// An order that sweeps and rests has used up or cancelled all makers in its reach: a slot is free (matching.hpp).
#pragma once

#include <cstddef>
#include <limits>

#include "llmes/book/matching.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/rules/ruled_orders.hpp"
#include "llmes/rules/sweep.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Executes commands on `RuledOrders`: as in a book without rules, or as the terms say.
template <class OrdersType>
class RuledMatching : public Matching<OrdersType> {
  using Plain = Matching<OrdersType>;

 public:
  using Orders = OrdersType;
  using Plain::orders, Plain::Plain;

  /// Executes a command.
  template <CommandType type, class Sink>
  [[gnu::always_inline]] Result run(const RuledCommand& command, Sink& sink) noexcept {
    if constexpr (type == CommandType::MassCancel) {
      return orders.cancel_scope(command.scope(), sink);  // whose sink need not hear of trades
    } else {
      if (is_plain<type>(command)) [[likely]] {
        const auto retold = retell_to(sink);
        return Plain::template run<type>(command, retold);
      }
      if constexpr (type == CommandType::Cancel) return cancel(command.handle.index);
      if constexpr (type == CommandType::Reduce) return reduce(command.handle, command.quantity);
      if constexpr (type == CommandType::AddRestingBefore) return add_before(command);
      if constexpr (adds(type)) return add(incoming(type, command), sink);
      if constexpr (moves(type)) return move(incoming(type, command), sink);
    }
  }
  /// The same for a type known only at run time, other than AddLimit and Cancel.
  [[gnu::always_inline]] Result run_any(const RuledCommand& command, auto& sink) noexcept {
    if (is_plain() && is_plain(command.terms) && command.type != CommandType::MassCancel) [[likely]] {
      const auto retold = retell_to(sink);
      return Plain::run_any(command, retold);
    }
    if (adds(command.type)) return add(incoming(command.type, command), sink);
    if (moves(command.type)) return move(incoming(command.type, command), sink);
    switch (command.type) {
      case CommandType::Reduce: return reduce(command.handle, command.quantity);
      case CommandType::AddRestingBefore: return add_before(command);
      case CommandType::MassCancel: return orders.cancel_scope(command.scope(), sink);
      default: return {Status::InvalidCommand};
    }
  }

 private:
  using SideBook = typename Orders::SideBook;
  static constexpr std::size_t rank_count = Orders::rank_count;

  /// Whether a call does what it does in a book without rules. While orders have terms, that is to cancel one that
  /// has none, and to rest without meeting anybody where all lots are displayed.
  template <CommandType type>
  [[nodiscard, gnu::always_inline]] bool is_plain(const RuledCommand& command) const noexcept {
    if constexpr (type == CommandType::Cancel) {
      return is_plain() || !orders.pool.contains(command.handle) ||
             orders.rules()[command.handle.index].flags == 0;
    } else if constexpr (type == CommandType::Reduce) {
      return is_plain();
    } else if constexpr (type == CommandType::AddLimit) {
      return is_plain(command.terms) &&
             (is_plain() || rests_plainly(command.side, command.time_in_force, orders.offset_of(command.price)));
    } else {
      return is_plain() && is_plain(command.terms);
    }
  }
  [[nodiscard, gnu::always_inline]] bool rests_plainly(Side side, TimeInForce time_in_force,
                                                       std::size_t offset) const noexcept {
    return !Orders::notes_first && orders.rules().reserves == 0 && Plain::may_rest(side, time_in_force) &&
           offset < rank_count && !orders.crosses(side, SideBook::rank(side, offset));
  }

  /// Whether the book does what one without rules does.
  [[nodiscard, gnu::always_inline]] bool is_plain() const noexcept {
    return Orders::allocation == Allocation::PriceTime && orders.rules().used == 0;
  }
  /// Whether terms are those of an order in a book without rules.
  [[nodiscard, gnu::always_inline]] static bool is_plain(const OrderTerms& terms) noexcept {
    return is_plain(terms, terms.owner);
  }
  /// The same of terms with this owner.
  [[nodiscard, gnu::always_inline]] static bool is_plain(const OrderTerms& terms, Owner owner) noexcept {
    return (owner | static_cast<unsigned>(terms.display) | terms.minimum) == 0 &&
           terms.self_trade <= SelfTrade::Decrement;
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
    bool is_market;
    bool trades;          ///< whether the call may trade
    bool modifies;        ///< whether it is the same order as the one that leaves
    OrderHandle leaving;  ///< the order whose place it takes, if any
    OrderTerms terms;
  };
  /// What a command adds or moves. A market order may trade at any price, so from the aggressive end. It is made
  /// only where the call is not plain, and member by member: else all of the command would have to be in memory
  /// before.
  [[nodiscard, gnu::always_inline]] Incoming incoming(CommandType type,
                                                      const RuledCommand& command) const noexcept {
    const bool is_market = type == CommandType::AddMarket;
    const auto& [owner, self_trade, display, peak, minimum, tag] = command.terms;
    return {command.id,
            command.side,
            is_market ? SideBook::rank(command.side, 0) : orders.offset_of(command.price),
            command.quantity,
            is_market                 ? TimeInForce::ImmediateOrCancel
            : has_time_in_force(type) ? command.time_in_force
                                      : TimeInForce::GoodTillCancel,
            is_market,
            type < CommandType::AddResting,
            Plain::modifies(type),
            adds(type) ? OrderHandle{} : command.handle,
            {owner, self_trade, display, peak, minimum}};
  }

  [[nodiscard]] Result rejection(Status status, OrderHandle order) const noexcept {
    if (order == OrderHandle{}) return {status};
    return {status, order, 0, orders.total_of(order.index), 0, true};
  }

  // ---- Faults of the terms.

  /// Whether its modes are enumerators, and allowed for the time in force.
  [[nodiscard]] static bool is_valid(const OrderTerms& terms, TimeInForce time_in_force) noexcept {
    if (terms.self_trade > SelfTrade::Decrement || terms.display > Display::Hidden) return false;
    if (terms.display != Display::Whole && !Plain::may_rest(time_in_force)) return false;
    return terms.minimum == 0 || time_in_force == TimeInForce::ImmediateOrCancel;
  }
  /// The quantity, and those of the terms.
  [[nodiscard]] bool is_valid(Quantity quantity, const OrderTerms& terms) const noexcept {
    if (!orders.is_valid(quantity) || terms.minimum > quantity) return false;
    return terms.display != Display::Reserve ||
           (terms.peak != 0 && terms.peak <= quantity && has_few_peaks(quantity, terms.peak));
  }
  /// Whether a taker that uses up an order of `quantity` lots refills it at most `peaks_max` times.
  [[nodiscard]] static bool has_few_peaks(Quantity quantity, Quantity peak) noexcept {
    return (quantity - 1) / peak < peaks_max;
  }

  // ---- Commands.

  /// Of an order that is known: the cancel of another one is plain.
  [[nodiscard, gnu::noinline]] Result cancel(SlotIndex order) noexcept {
    if (orders.rules()[order].flags == SlotTerms::is_used) {  // an owner alone
      orders.disown(order);
      return Plain::cancel(orders.pool.handle(order));
    }
    const Quantity total = orders.total_of(order);
    orders.remove(order);
    return {Status::Success, {}, 0, 0, total};
  }

  [[nodiscard, gnu::noinline]] Result reduce(OrderHandle handle, Quantity by) noexcept {
    if (!orders.pool.contains(handle)) return {Status::UnknownOrder};
    const Quantity total = orders.total_of(handle.index);
    if (by == 0 || by > total) return rejection(Status::InvalidQuantity, handle);
    if (by == total) return cancel(handle.index);
    orders.shrink(handle.index, by);
    return {Status::Success, handle, 0, total - by, by, true};
  }

  [[nodiscard, gnu::noinline]] Result add(const Incoming& order, auto& sink) noexcept {
    if (order.trades && is_plain(order.terms, 0) && rests_plainly(order.side, order.time_in_force, order.offset)) {
      // With an owner, it meets nobody: as without rules, but that its owner's list has it.
      DiscardTrades nobody;
      const Result result = Plain::add_limit(order.id, order.side, orders.price_at(order.offset), order.quantity,
                                             order.time_in_force, nobody);
      if (result.rests()) orders.own(result.handle.index, order.terms.owner);
      return result;
    }
    if (!Orders::is_side(order.side) || order.time_in_force > TimeInForce::FillOrKill ||
        !is_valid(order.terms, order.time_in_force) || (order.is_market && order.terms.minimum != 0)) {
      return {Status::InvalidCommand};
    }
    if (!is_valid(order.quantity, order.terms)) return {Status::InvalidQuantity};
    if (order.offset >= rank_count && Plain::may_rest(order.time_in_force)) return {Status::PriceOutOfBand};
    return enter(order, sink);
  }

  /// A displayed order in front of a displayed one: what is hidden has no place there.
  [[nodiscard, gnu::noinline]] Result add_before(const RuledCommand& command) noexcept {
    const SlotIndex neighbour = command.handle.index;
    const OrderTerms& terms = command.terms;
    if (!is_valid(terms, TimeInForce::GoodTillCancel) || terms.display != Display::Whole) {
      return {Status::InvalidCommand};
    }
    if (!orders.pool.contains(command.handle)) return {Status::UnknownOrder};
    if (orders.rules()[neighbour].hidden()) return {Status::InvalidCommand};
    if (!orders.is_valid(command.quantity)) return {Status::InvalidQuantity};
    if (orders.pool.full()) return {Status::PoolFull};
    const Quantity reserves = orders.rules().reserves;
    if (command.quantity > std::numeric_limits<Quantity>::max() - reserves ||
        !PriceLevel(orders.pool, orders.pool[neighbour].level).has_room(command.quantity + reserves)) {
      return {Status::QuantityOverflow};
    }
    const SlotIndex order = orders.pool.acquire(command.id);
    orders.pool[order].id = command.id;
    orders.enqueue_before(neighbour, order, command.quantity, terms.owner);
    return {Status::Success, orders.pool.handle(order), 0, command.quantity};
  }

  /// A modify or a replace. What comes has the owner of what leaves; one that is modified also keeps its display.
  [[nodiscard, gnu::noinline]] Result move(Incoming&& order, auto& sink) noexcept {
    OrderTerms& terms = order.terms;
    const bool known = orders.pool.contains(order.leaving);
    const OrderHandle left = known ? order.leaving : OrderHandle{};
    if (order.modifies) terms = {.owner = 0, .self_trade = terms.self_trade, .minimum = terms.minimum};
    if (order.time_in_force > TimeInForce::FillOrKill || !is_valid(terms, order.time_in_force)) {
      return rejection(Status::InvalidCommand, left);
    }
    if (!known) return {Status::UnknownOrder};
    const SlotIndex slot = left.index;
    const bool stays = order.modifies && Plain::may_rest(order.time_in_force);
    const RestingTerms kept = orders.terms_at(slot);
    if (!is_valid(order.quantity, terms) ||
        (stays && kept.display == Display::Reserve && !has_few_peaks(order.quantity, kept.peak))) {
      return rejection(Status::InvalidQuantity, left);
    }
    if (order.offset >= rank_count && Plain::may_rest(order.time_in_force)) {
      return rejection(Status::PriceOutOfBand, left);
    }

    const Quantity total = orders.total_of(slot);
    if (stays && order.quantity <= total && order.offset == orders.offset_of_order(slot)) {
      orders.shrink(slot, total - order.quantity);
      return {Status::Success, left, 0, order.quantity, 0, true};
    }
    terms.owner = kept.owner;
    if (order.modifies) {
      terms.display = kept.display;
      terms.peak = kept.peak;
      order.id = orders.pool[slot].id;
    }
    order.side = orders.side_of(slot);
    return enter(order, sink);
  }

  /// Takes an order to the book whose members are valid, or rejects it.
  template <class Sink>
  [[nodiscard]] Result enter(const Incoming& order, Sink& sink) noexcept {
    const std::size_t rank = orders.rank_of_limit(order.side, order.offset);
    const bool trades = order.trades && rank < rank_count && orders.crosses(order.side, rank);
    const bool rests = Plain::may_rest(order.time_in_force);
    if (trades && order.time_in_force == TimeInForce::PostOnly)
      return rejection(Status::WouldCross, order.leaving);
    const Quantity needed = order.time_in_force == TimeInForce::FillOrKill ? order.quantity : order.terms.minimum;
    if (needed != 0 && !(trades && can_trade(order, Orders::reach_of(rank), needed))) {
      return rejection(Status::NotFillable, order.leaving);
    }
    if (rests) {
      const Status status = check_room(order, rank, trades);
      if (status != Status::Success) return rejection(status, order.leaving);
    }

    const SlotIndex leaving = order.leaving.index;
    const bool keeps_handle = order.modifies && rests;
    if (order.leaving != OrderHandle{}) {
      orders.take_off(leaving);
      if (!keeps_handle) orders.pool.release(leaving);
    }
    Sweep<Orders, Sink> sweep{
        orders, sink, {order.id, order.side, order.terms.owner, order.terms.self_trade, order.quantity}};
    if (trades) sweep.run(Orders::reach_of(rank));
    const Quantity open = sweep.taker.open;
    Result result{Status::Success, {}, sweep.taker.filled};
    if (rests && open != 0) {
      const SlotIndex slot = keeps_handle ? leaving : orders.pool.acquire(order.id);
      orders.pool[slot].id = order.id;
      orders.enqueue_ruled(slot, order.side, rank, open, order.terms);
      result.handle = orders.pool.handle(slot);
      result.remaining = open;
    } else if (keeps_handle) {
      orders.pool.release(leaving);
    }
    result.cancelled = order.quantity - result.filled - result.remaining;
    return result;
  }

  // ---- What a taker would do.

  /// What it meets of its own owner, if it minds.
  [[nodiscard]] typename Orders::OwnOrders own_orders(const Incoming& order, std::size_t reach) const noexcept {
    if (order.terms.owner == 0 || order.terms.self_trade == SelfTrade::Allow) return {};
    return orders.own_orders(order.terms.owner, opposite(order.side), reach);
  }

  /// Whether at least `needed` of its lots would trade, whatever it meets of its own owner.
  [[nodiscard]] bool can_trade(const Incoming& order, std::size_t reach, Quantity needed) const noexcept {
    const Side side = opposite(order.side);
    const auto own = own_orders(order, reach);
    if (!own.any()) return orders.lots_within(side, reach, needed) >= needed;
    if (order.terms.self_trade == SelfTrade::CancelMaker) {
      return orders.lots_within(side, reach, own.lots + needed) >= own.lots + needed;
    }
    const Lots before = own.best == 0 ? 0 : orders.lots_within(side, own.best - 1, needed);
    if (before >= needed) return true;
    auto lots = static_cast<Quantity>(before);
    if (order.terms.self_trade == SelfTrade::Decrement) {
      typename Orders::Decremented taker{order.terms.owner, order.quantity - lots};
      const SideBook& makers = orders.side_book(side);
      for (std::size_t rank = own.best; taker.open != 0 && rank <= reach;
           rank = makers.best_from(orders.pool, rank + 1)) {
        orders.meet(taker, makers.anchor(orders.pool, side, rank));
      }
      return taker.filled >= needed - lots;
    }
    if constexpr (Orders::allocation == Allocation::PriceTime)
      lots += orders.lots_before(order.terms.owner, side, own.best);
    return lots >= needed;
  }

  /// The lots that would come to rest.
  [[nodiscard]] Quantity lots_to_rest(const Incoming& order, std::size_t reach) const noexcept {
    const auto own = own_orders(order, reach);
    const SelfTrade mode = own.any() ? order.terms.self_trade : SelfTrade::Allow;
    if (mode == SelfTrade::CancelTaker || mode == SelfTrade::CancelBoth) return 0;
    const Lots passed = mode == SelfTrade::CancelMaker ? own.lots : 0;  // makers that leave without a trade
    const Lots met = orders.lots_within(opposite(order.side), reach, passed + order.quantity) - passed;
    return met >= order.quantity ? 0 : order.quantity - static_cast<Quantity>(met);
  }

  /// Whether there is room for what would come to rest: a slot, a level, and sums that fit.
  [[nodiscard]] Status check_room(const Incoming& order, std::size_t rank, bool trades) noexcept {
    const bool moves = order.leaving != OrderHandle{};
    if (!moves && !trades && orders.pool.full()) return Status::PoolFull;
    Quantity reserves = orders.rules().reserves;
    Quantity leaving = 0;
    if (moves) {
      reserves -= orders.rules()[order.leaving.index].reserve;
      if (rank == orders.rank_of(order.leaving.index)) leaving = orders.pool[order.leaving.index].quantity;
    }
    const auto fits = [&](Quantity lots) {
      return lots <= std::numeric_limits<Quantity>::max() - reserves &&
             orders.has_room(order.side, rank, lots + reserves, leaving);
    };
    const bool level = orders.has_level(order.side, rank, moves);
    if (level && fits(order.quantity)) [[likely]]
      return Status::Success;
    const Quantity lots = trades ? lots_to_rest(order, Orders::reach_of(rank)) : order.quantity;
    if (lots == 0) return Status::Success;
    if (!level) return Status::PoolFull;
    return fits(lots) ? Status::Success : Status::QuantityOverflow;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
