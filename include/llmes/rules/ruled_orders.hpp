// SPDX-License-Identifier: MIT
//
// How orders with terms rest: how they come and leave, one by one or in a mass cancel, what they display, and what
// a taker may count on.
//
// The `quantity` of a slot and the `total` of a level are displayed lots; what is not displayed stands in the
// state of the rules. The queue of a level has the displayed orders, by time, then the hidden ones, by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/resting_orders.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/rules/sorted_orders.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

__extension__ using Lots = unsigned __int128;  ///< sums over levels, which may exceed 64 bits

/// The orders of a book with rules: what rests in any book, and the terms of it. `allocation_of_lots` and
/// `least_share` say how a taker's lots are allocated to them (see `VenueRules`).
template <class SideBookType, Allocation allocation_of_lots, Quantity least_share>
class RuledOrders : public RestingOrders<SideBookType> {
  using Resting = RestingOrders<SideBookType>;

 public:
  using SideBook = SideBookType;

  static constexpr Allocation allocation = allocation_of_lots;
  static constexpr Quantity minimum_share = least_share;
  /// Whether it matters which order has opened a level.
  static constexpr bool notes_first = allocation == Allocation::FirstThenProRata;

  explicit RuledOrders(const BookConfig& config) noexcept : Resting(config) {}
  /// Of a book of a set, which has the state.
  RuledOrders(Quantity quantity_max, SideBook* sides, const typename SideBook::Pool& pool,
              RuleState& state) noexcept
    requires(Resting::is_shared)
      : Resting(quantity_max, sides, pool, state), state_(&state) {}

  [[nodiscard]] bool prepare(std::size_t capacity) noexcept {
    return Resting::prepare(capacity) && state_.prepare(this->pool.slot_count(), capacity);
  }

  [[nodiscard]] RuleState& rules() noexcept {
    if constexpr (Resting::is_shared) {
      return *state_;
    } else {
      return state_;
    }
  }
  [[nodiscard]] const RuleState& rules() const noexcept { return const_cast<RuledOrders*>(this)->rules(); }

  // ---- Orders that come, change and go.

  /// All open lots of an order.
  [[nodiscard]] Quantity total_of(SlotIndex order) const noexcept {
    return this->pool[order].quantity + rules()[order].reserve;
  }

  /// Puts the order in slot `order`, which is on no level, to the end of its part of a queue. There must be room.
  void enqueue_ruled(SlotIndex order, Side side, std::size_t rank, Quantity lots,
                     const OrderTerms& terms) noexcept {
    const Quantity displayed = terms.display == Display::Whole     ? lots
                               : terms.display == Display::Reserve ? std::min(terms.peak, lots)
                                                                   : 0;
    this->pool[order].quantity = displayed;
    this->side_book(side).push_back(this->pool, side, rank, order);
    const SlotIndex anchor = this->pool[order].level;
    const bool used = terms.owner != 0 || terms.display != Display::Whole;
    const bool opens = notes_first && this->pool[anchor].order_count() == 1;
    if (used || opens) {
      SlotTerms& own = rules()[order];
      own.flags = static_cast<std::uint32_t>(terms.display) | (used ? SlotTerms::is_used : 0) |
                  (opens ? SlotTerms::has_opened : 0);
      if (used) note(order, anchor, lots - displayed, terms);
    }
    if (terms.display != Display::Hidden) step_ahead_of_hidden(order, anchor);
  }

  /// Puts the order in slot `order`, which shows all of itself, in front of a displayed one. There must be room.
  /// Linear in the orders behind that one, if it has an owner: his list has his orders of a level in queue order.
  void enqueue_before(SlotIndex neighbour, SlotIndex order, Quantity lots, Owner owner) noexcept {
    const SlotIndex anchor = this->pool[neighbour].level;
    this->pool[order].quantity = lots;
    PriceLevel(this->pool, anchor).insert_before(neighbour, order);
    if (owner == 0) return;
    SlotIndex next = neighbour;
    while (next != anchor && (rules()[next].owner != owner || rules()[next].hidden()))
      next = this->pool[next].next;
    own(order, owner, next == anchor ? RuleState::none : next);
  }

  /// Notes the owner of an order that has come to its level and has no other terms.
  void own(SlotIndex order, Owner owner, SlotIndex next = RuleState::none) noexcept {
    rules()[order].flags = SlotTerms::is_used;
    ++rules().used;
    rules().append(owner, order, next);
  }
  /// The opposite, for one that leaves.
  void disown(SlotIndex order) noexcept {
    rules().remove(order);
    --rules().used;
    rules()[order] = {};
  }

  /// Takes an order off its level, with its terms; it keeps its slot.
  void take_off(SlotIndex order) noexcept {
    forget(order);
    this->unlink(order);
  }
  /// The same, and its slot is free.
  void remove(SlotIndex order) noexcept {
    take_off(order);
    this->pool.release(order);
  }

  /// Forgets the terms of an order that leaves its level.
  void forget(SlotIndex order) noexcept {
    SlotTerms& own = rules()[order];
    if (own.flags == 0) return;
    if (own.used()) {
      if (own.display() != Display::Whole) {
        SlotTerms& level = rules()[this->pool[order].level];
        if (own.hidden()) {
          const SlotIndex next = this->pool[order].next;
          if (level.first_hidden() == order)
            level.first_hidden() = next == this->pool[order].level ? RuleState::none : next;
          --level.hidden_count();
          --rules().hidden;
        }
        level.reserve -= own.reserve;
        rules().reserves -= own.reserve;
      }
      --rules().used;
      if (own.owner != 0) rules().remove(order);
    }
    own = {};
  }

  /// Takes `by` lots, fewer than are open, off an order, which keeps its place: off its reserve first.
  void shrink(SlotIndex order, Quantity by) noexcept {
    const Quantity from_reserve = std::min(by, rules()[order].reserve);
    draw(order, from_reserve);
    PriceLevel(this->pool, this->pool[order].level).reduce(order, by - from_reserve);
  }
  /// Takes lots off a reserve.
  void draw(SlotIndex order, Quantity lots) noexcept {
    if (lots == 0) return;
    rules()[order].reserve -= lots;
    rules()[this->pool[order].level].reserve -= lots;
    rules().reserves -= lots;
  }

  /// Shows more of an order whose peak has traded, at the end of the displayed part of its queue.
  void refill(SlotIndex order) noexcept {
    SlotTerms& own = rules()[order];
    PriceLevel level(this->pool, this->pool[order].level);
    const Quantity displayed = std::min(own.peak, own.reserve);
    level.erase(order);
    this->pool[order].quantity = displayed;
    level.push_back(order);
    draw(order, displayed);
    own.flags &= ~SlotTerms::has_opened;
    if (own.owner != 0) {
      const Owner owner = own.owner;
      rules().remove(order);
      rules().append(owner, order);
    }
    step_ahead_of_hidden(order, level.anchor());
  }

  // ---- What others see.

  /// Linear in the levels on which nothing is displayed, if there are hidden orders.
  [[nodiscard]] std::size_t displayed_from(Side side, std::size_t rank) const noexcept {
    if (rules().hidden == 0) return rank;
    while (rank < Resting::rank_count &&
           this->pool[this->side_book(side).anchor(this->pool, side, rank)].total() == 0) {
      rank = this->side_book(side).best_from(this->pool, rank + 1);
    }
    return rank;
  }
  [[nodiscard]] std::size_t worst_displayed(Side side) const noexcept {
    if (rules().hidden == 0) return Resting::worst_displayed(side);
    std::size_t worst = Resting::rank_count;
    for (std::size_t rank = displayed_from(side, this->side_book(side).best()); rank < Resting::rank_count;
         rank = displayed_from(side, this->side_book(side).best_from(this->pool, rank + 1))) {
      worst = rank;
    }
    return worst;
  }
  [[nodiscard]] DepthLevel depth_level(Side side, std::size_t rank) const noexcept {
    DepthLevel level = Resting::depth_level(side, rank);
    level.order_count -= rules()[this->side_book(side).anchor(this->pool, side, rank)].hidden_count();
    return level;
  }
  [[nodiscard]] RestingTerms terms_at(SlotIndex order) const noexcept {
    const SlotTerms& own = rules()[order];
    return {own.owner, own.display(), own.peak, own.reserve};
  }

  // ---- When the band moves, levels change their anchors.

  /// Forgets what is noted of levels, and notes it anew. Linear in the orders.
  void forget_levels() noexcept {
    for_each_anchor([this](SlotIndex anchor) { rules()[anchor] = {}; });
  }
  void note_levels() noexcept {
    for_each_anchor([this](SlotIndex anchor) {
      SlotTerms& level = rules()[anchor];
      for (SlotIndex i = this->pool[anchor].oldest(); i != anchor; i = this->pool[i].next) {
        level.reserve += rules()[i].reserve;
        if (!rules()[i].hidden()) continue;
        if (level.hidden_count()++ == 0) level.first_hidden() = i;
      }
    });
  }

  // ---- What a taker may count on.

  /// All lots of a level: they fit, as the invariants of rule_state.hpp say.
  [[nodiscard]] Quantity lots_at(SlotIndex anchor) const noexcept {
    return this->pool[anchor].total() + rules()[anchor].reserve;
  }
  /// All lots at ranks up to `reach` of a side, or at least `enough` of them. Linear in the levels looked at.
  [[nodiscard]] Lots lots_within(Side side, std::size_t reach, Lots enough) const noexcept {
    const SideBook& book = this->side_book(side);
    Lots sum = 0;
    for (std::size_t rank = book.best(); rank <= reach && sum < enough;
         rank = book.best_from(this->pool, rank + 1)) {
      sum += lots_at(book.anchor(this->pool, side, rank));
    }
    return sum;
  }

  /// The orders of an owner within reach of a taker.
  struct OwnOrders {
    Lots lots = 0;
    std::size_t best = Resting::rank_count;  ///< the best rank of one; `Resting::rank_count` if there is none

    [[nodiscard]] bool any() const noexcept { return best != Resting::rank_count; }
  };
  /// Those at ranks up to `reach` of a side. Linear in the orders of the owner.
  [[nodiscard]] OwnOrders own_orders(Owner owner, Side side, std::size_t reach) const noexcept {
    OwnOrders own;
    rules().for_each_of(owner, [&](SlotIndex order) {
      if (!rests_here(order) || side_of(order) != side || rank_of(order) > reach) return;
      own.lots += total_of(order);
      own.best = std::min(own.best, rank_of(order));
    });
    return own;
  }
  /// What trades on its level before an order that rests: the displayed lots of the orders before it, and also
  /// their reserves if it is hidden. Linear in these orders.
  [[nodiscard]] QueuePosition ahead_of(SlotIndex order) const noexcept {
    QueuePosition displayed;
    Quantity reserves = 0;
    const SlotIndex anchor = this->pool[order].level;
    for (SlotIndex i = this->pool[order].previous; i != anchor; i = this->pool[i].previous) {
      displayed.quantity += this->pool[i].quantity;
      reserves += rules()[i].reserve;
      ++displayed.order_count;
    }
    if (rules()[order].hidden()) displayed.quantity += reserves;
    return displayed;
  }
  /// The lots of the level of `rank` that trade before the first order of an owner, who has one there. Linear in
  /// the orders before it.
  [[nodiscard]] Quantity lots_before(Owner owner, Side side, std::size_t rank) const noexcept {
    SlotIndex order = this->pool[this->side_book(side).anchor(this->pool, side, rank)].oldest();
    while (rules()[order].owner != owner) order = this->pool[order].next;
    return ahead_of(order).quantity;
  }

  /// A taker that loses lots to the orders of its own owner, as `SelfTrade::Decrement` says.
  struct Decremented {
    Owner owner;
    Quantity open;  ///< lots that it has not traded or lost
    Quantity filled = 0;

    void lose(Quantity lots) noexcept { open -= std::min(open, lots); }
    void fill(Quantity lots) noexcept {
      lots = std::min(open, lots);
      open -= lots;
      filled += lots;
    }
  };
  /// What becomes of it on a level. Own orders lose all their lots in their turn, so a refill is another owner's:
  /// once the displayed orders had their turn, the order of the reserves does not matter. Linear in the orders.
  void meet(Decremented& taker, SlotIndex anchor) const noexcept {
    const auto is_own = [&](SlotIndex order) { return rules()[order].owner == taker.owner; };
    const auto for_each = [&](const auto& visit) {
      for (SlotIndex i = this->pool[anchor].oldest(); i != anchor; i = this->pool[i].next) visit(i);
    };
    if constexpr (allocation != Allocation::PriceTime) {
      for_each([&](SlotIndex i) { taker.lose(is_own(i) ? total_of(i) : 0); });
      for_each([&](SlotIndex i) { taker.fill(is_own(i) ? 0 : total_of(i)); });
    } else {
      Quantity refills = 0;
      bool displayed = true;
      for_each([&](SlotIndex i) {
        if (displayed && rules()[i].hidden()) {
          taker.fill(refills);
          displayed = false;
        }
        if (is_own(i)) return taker.lose(total_of(i));
        taker.fill(displayed ? this->pool[i].quantity : total_of(i));
        refills += displayed ? rules()[i].reserve : 0;
      });
      if (displayed) taker.fill(refills);
    }
  }

  /// Whether an order of the owner's rests in this book, and not in another one of the set.
  [[nodiscard]] bool rests_here(SlotIndex order) const noexcept {
    if constexpr (Resting::is_shared) {
      return this->pool.contains(this->pool.handle(order));
    } else {
      return true;
    }
  }
  [[nodiscard]] Side side_of(SlotIndex order) const noexcept {
    return SideBook::side_of(this->pool, this->pool[order].level);
  }
  [[nodiscard]] std::size_t rank_of(SlotIndex order) const noexcept {
    return SideBook::rank_of(this->pool, this->pool[order].level);
  }

  // ---- Mass cancel. A set does the same for all its books.

  [[nodiscard]] static bool is_scope(const CancelScope& scope) noexcept {
    return (!scope.side || Resting::is_side(*scope.side)) && scope.lowest <= scope.highest;
  }
  /// Whether an order that rests here is in a scope.
  [[nodiscard]] bool is_in(const CancelScope& scope, SlotIndex order) const noexcept {
    const Side side = side_of(order);
    const Price price = this->price_of(side, rank_of(order));
    return (!scope.side || *scope.side == side) && scope.lowest <= price && price <= scope.highest;
  }
  /// Where an order that rests here stands in the order of cancels.
  [[nodiscard]] OrderPlace place_in(BookNumber book, SlotIndex order) const noexcept {
    return {std::uint64_t{book} * 2 + static_cast<std::uint64_t>(side_of(order)), rank_of(order),
            std::uint64_t{rules()[order].hidden()}};
  }
  /// Cancels one order, and adds its lots to `result`.
  void cancel_one(SlotIndex order, Result& result, auto& sink) noexcept {
    const RestingOrder cancelled = this->resting_order(order);
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
      for (std::size_t rank = this->side_book(side).best_from(this->pool, begin); rank < end;
           rank = this->side_book(side).best_from(this->pool, rank + 1)) {
        const SlotIndex anchor = this->side_book(side).anchor(this->pool, side, rank);
        for (SlotIndex i = this->pool[anchor].oldest(), left = this->pool[anchor].order_count(); left > 0;
             --left) {
          const SlotIndex next = this->pool[i].next;
          cancel_one(i, result, sink);
          i = next;
        }
      }
    }
  }

  /// Cancels all orders in a scope.
  [[nodiscard, gnu::noinline]] Result cancel_scope(const CancelScope& scope, auto& sink) noexcept {
    if (!is_scope(scope)) return {Status::InvalidCommand};
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

 private:
  struct Ranks {
    std::size_t begin;
    std::size_t end;
  };
  /// The ranks of the prices of a scope, which may lie beyond the band.
  [[nodiscard]] Ranks ranks_of(const CancelScope& scope, Side side) const noexcept {
    const Price first = this->price_of(Side::Sell, 0);
    const Price last = this->price_of(Side::Sell, Resting::rank_count - 1);
    if (scope.highest < first || scope.lowest > last) return {Resting::rank_count, Resting::rank_count};
    const std::size_t lowest = SideBook::rank(side, this->offset_of(std::max(scope.lowest, first)));
    const std::size_t highest = SideBook::rank(side, this->offset_of(std::min(scope.highest, last)));
    return {std::min(lowest, highest), std::max(lowest, highest) + 1};
  }

  /// Notes the terms of an order that has come to the level of `anchor`.
  void note(SlotIndex order, SlotIndex anchor, Quantity reserve, const OrderTerms& terms) noexcept {
    SlotTerms& own = rules()[order];
    SlotTerms& level = rules()[anchor];
    own.peak = terms.display == Display::Reserve ? terms.peak : 0;
    own.reserve = reserve;
    level.reserve += reserve;
    rules().reserves += reserve;
    ++rules().used;
    if (terms.display == Display::Hidden) {
      if (level.hidden_count()++ == 0) level.first_hidden() = order;
      ++rules().hidden;
    }
    if (terms.owner != 0) rules().append(terms.owner, order);
  }

  /// Moves a displayed order, the last one of its level, in front of the hidden ones. Constant.
  void step_ahead_of_hidden(SlotIndex order, SlotIndex anchor) noexcept {
    const SlotIndex hidden = rules()[anchor].first_hidden();
    if (hidden == RuleState::none) return;
    OrderSlot& moved = this->pool[order];
    this->pool[moved.previous].next = anchor;
    this->pool[anchor].youngest() = moved.previous;
    moved.previous = this->pool[hidden].previous;
    moved.next = hidden;
    this->pool[moved.previous].next = order;
    this->pool[hidden].previous = order;
  }

  void for_each_anchor(const auto& visit) noexcept {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (std::size_t rank = this->side_book(side).best(); rank < Resting::rank_count;
           rank = this->side_book(side).best_from(this->pool, rank + 1)) {
        visit(this->side_book(side).anchor(this->pool, side, rank));
      }
    }
  }

  std::conditional_t<Resting::is_shared, RuleState*, RuleState> state_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
