// SPDX-License-Identifier: MIT
//
// How orders with terms rest: how they come and leave, what they display, and what a taker may count on.
//
// The `quantity` of a slot and the `total` of a level are displayed lots; what is not displayed stands in the
// state of the rules. The queue of a level has the displayed orders, by time, then the hidden ones, by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llmes/book/matching.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The orders of a book with rules, by side and rank.
template <class SideBookType, Allocation allocation>
class RuledOrders : protected Matching<SideBookType> {
  friend struct llmes::BookInspector;

 protected:
  using Plain = Matching<SideBookType>;
  using Plain::pool_, Plain::rank_count, Plain::side_book, Plain::unlink;
  using typename Plain::SideBook;

  static constexpr bool is_shared = Plain::is_shared;
  static constexpr SlotIndex none = RuleState::none;
  /// Whether it matters which order has opened a level.
  static constexpr bool notes_first = allocation == Allocation::FirstThenProRata;

  explicit RuledOrders(const BookConfig& config) noexcept : Plain(config) {}
  /// Of a book of a set, which has the state.
  RuledOrders(Quantity quantity_max, SideBook* sides, const typename SideBook::Pool& pool,
              RuleState& state) noexcept
    requires(is_shared)
      : Plain(quantity_max, sides, pool, state), state_(&state) {}

  [[nodiscard]] bool prepare_sides(std::size_t capacity) noexcept {
    return Plain::prepare_sides(capacity) && state_.prepare(pool_.slot_count(), capacity);
  }

  [[nodiscard]] RuleState& rules() noexcept {
    if constexpr (is_shared) {
      return *state_;
    } else {
      return state_;
    }
  }
  [[nodiscard]] const RuleState& rules() const noexcept { return const_cast<RuledOrders*>(this)->rules(); }

  // ---- Orders that come, change and go.

  /// All open lots of an order.
  [[nodiscard]] Quantity total_of(SlotIndex order) const noexcept {
    return pool_[order].quantity + rules()[order].reserve;
  }

  /// Puts the order in slot `order`, which is on no level, to the end of its part of a queue. There must be room.
  void enqueue_ruled(SlotIndex order, Side side, std::size_t rank, Quantity lots,
                     const OrderTerms& terms) noexcept {
    const Quantity displayed = terms.display == Display::Whole     ? lots
                               : terms.display == Display::Reserve ? std::min(terms.peak, lots)
                                                                   : 0;
    pool_[order].quantity = displayed;
    side_book(side).push_back(pool_, side, rank, order);
    const SlotIndex anchor = pool_[order].level;
    const bool used = terms.owner != 0 || terms.display != Display::Whole;
    const bool opens = notes_first && pool_[anchor].order_count() == 1;
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
    const SlotIndex anchor = pool_[neighbour].level;
    pool_[order].quantity = lots;
    PriceLevel(pool_, anchor).insert_before(neighbour, order);
    if (owner == 0) return;
    SlotIndex next = neighbour;
    while (next != anchor && (rules()[next].owner != owner || rules()[next].hidden())) next = pool_[next].next;
    own(order, owner, next == anchor ? none : next);
  }

  /// Notes the owner of an order that has come to its level and has no other terms.
  void own(SlotIndex order, Owner owner, SlotIndex next = none) noexcept {
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
    unlink(order);
  }
  /// The same, and its slot is free.
  void remove(SlotIndex order) noexcept {
    take_off(order);
    pool_.release(order);
  }

  /// Forgets the terms of an order that leaves its level.
  void forget(SlotIndex order) noexcept {
    SlotTerms& own = rules()[order];
    if (own.flags == 0) return;
    if (own.used()) {
      if (own.display() != Display::Whole) {
        SlotTerms& level = rules()[pool_[order].level];
        if (own.hidden()) {
          const SlotIndex next = pool_[order].next;
          if (level.first_hidden() == order) level.first_hidden() = next == pool_[order].level ? none : next;
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
    PriceLevel(pool_, pool_[order].level).reduce(order, by - from_reserve);
  }
  /// Takes lots off a reserve.
  void draw(SlotIndex order, Quantity lots) noexcept {
    if (lots == 0) return;
    rules()[order].reserve -= lots;
    rules()[pool_[order].level].reserve -= lots;
    rules().reserves -= lots;
  }

  /// Shows more of an order whose peak has traded, at the end of the displayed part of its queue.
  void refill(SlotIndex order) noexcept {
    SlotTerms& own = rules()[order];
    PriceLevel level(pool_, pool_[order].level);
    const Quantity displayed = std::min(own.peak, own.reserve);
    level.erase(order);
    pool_[order].quantity = displayed;
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
    while (rank < rank_count && pool_[side_book(side).anchor(pool_, side, rank)].total() == 0) {
      rank = side_book(side).best_from(pool_, rank + 1);
    }
    return rank;
  }
  [[nodiscard]] std::size_t worst_displayed(Side side) const noexcept {
    if (rules().hidden == 0) return Plain::worst_displayed(side);
    std::size_t worst = rank_count;
    for (std::size_t rank = displayed_from(side, side_book(side).best()); rank < rank_count;
         rank = displayed_from(side, side_book(side).best_from(pool_, rank + 1))) {
      worst = rank;
    }
    return worst;
  }
  [[nodiscard]] DepthLevel depth_level(Side side, std::size_t rank) const noexcept {
    DepthLevel level = Plain::depth_level(side, rank);
    level.order_count -= rules()[side_book(side).anchor(pool_, side, rank)].hidden_count();
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
      for (SlotIndex i = pool_[anchor].oldest(); i != anchor; i = pool_[i].next) {
        level.reserve += rules()[i].reserve;
        if (!rules()[i].hidden()) continue;
        if (level.hidden_count()++ == 0) level.first_hidden() = i;
      }
    });
  }

  // ---- What a taker may count on. Sums over levels may exceed 64 bits.

  __extension__ using Lots = unsigned __int128;

  /// All lots of a level: they fit, as the invariants of rule_state.hpp say.
  [[nodiscard]] Quantity lots_at(SlotIndex anchor) const noexcept {
    return pool_[anchor].total() + rules()[anchor].reserve;
  }
  /// All lots at ranks up to `reach` of a side, or at least `enough` of them. Linear in the levels looked at.
  [[nodiscard]] Lots lots_within(Side side, std::size_t reach, Lots enough) const noexcept {
    const SideBook& book = side_book(side);
    Lots sum = 0;
    for (std::size_t rank = book.best(); rank <= reach && sum < enough; rank = book.best_from(pool_, rank + 1)) {
      sum += lots_at(book.anchor(pool_, side, rank));
    }
    return sum;
  }

  /// The orders of an owner within reach of a taker.
  struct OwnOrders {
    Lots lots = 0;
    std::size_t best = rank_count;  ///< the best rank of one; `rank_count` if there is none

    [[nodiscard]] bool any() const noexcept { return best != rank_count; }
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
    const SlotIndex anchor = pool_[order].level;
    for (SlotIndex i = pool_[order].previous; i != anchor; i = pool_[i].previous) {
      displayed.quantity += pool_[i].quantity;
      reserves += rules()[i].reserve;
      ++displayed.order_count;
    }
    if (rules()[order].hidden()) displayed.quantity += reserves;
    return displayed;
  }
  /// The lots of the level of `rank` that trade before the first order of an owner, who has one there. Linear in
  /// the orders before it.
  [[nodiscard]] Quantity lots_before(Owner owner, Side side, std::size_t rank) const noexcept {
    SlotIndex order = pool_[side_book(side).anchor(pool_, side, rank)].oldest();
    while (rules()[order].owner != owner) order = pool_[order].next;
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
      for (SlotIndex i = pool_[anchor].oldest(); i != anchor; i = pool_[i].next) visit(i);
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
        taker.fill(displayed ? pool_[i].quantity : total_of(i));
        refills += displayed ? rules()[i].reserve : 0;
      });
      if (displayed) taker.fill(refills);
    }
  }

  /// Whether an order of the owner's rests in this book, and not in another one of the set.
  [[nodiscard]] bool rests_here(SlotIndex order) const noexcept {
    if constexpr (is_shared) {
      return pool_.contains(pool_.handle(order));
    } else {
      return true;
    }
  }
  [[nodiscard]] Side side_of(SlotIndex order) const noexcept {
    return SideBook::side_of(pool_, pool_[order].level);
  }
  [[nodiscard]] std::size_t rank_of(SlotIndex order) const noexcept {
    return SideBook::rank_of(pool_, pool_[order].level);
  }

 private:
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
    if (hidden == none) return;
    OrderSlot& moved = pool_[order];
    pool_[moved.previous].next = anchor;
    pool_[anchor].youngest() = moved.previous;
    moved.previous = pool_[hidden].previous;
    moved.next = hidden;
    pool_[moved.previous].next = order;
    pool_[hidden].previous = order;
  }

  void for_each_anchor(const auto& visit) noexcept {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (std::size_t rank = side_book(side).best(); rank < rank_count;
           rank = side_book(side).best_from(pool_, rank + 1)) {
        visit(side_book(side).anchor(pool_, side, rank));
      }
    }
  }

  std::conditional_t<is_shared, RuleState*, RuleState> state_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
