// SPDX-License-Identifier: MIT
//
// Stops: orders that wait until the market reaches their trigger. What fires, the venue runs as a new command.
//
// A stop may look at the last trade or at the best price of the other side. Its trigger is a price, or trails: it
// keeps a distance from the best price that the market has had since the stop came, and never moves back. The
// venue tells every price by `follow`, also one that has passed before anything may fire.
//
// A stop fires if its trigger holds when the venue asks, so one whose price has moved back meanwhile goes on
// waiting. Of one side the nearest trigger is first; of one trigger, and of both sides, the stop that came first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "llmes/detail/arrival_tree.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/id_slots.hpp"
#include "llmes/venue/kept_commands.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/stop_types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The stops of many books.
///
/// All stops of a book, side and kind of trigger are in one tree in the order of their arrival, and each part of
/// it knows its nearest trigger and its smallest distance. A price is noted at the root alone, and handed down
/// when the tree changes there: of all that trail, the one with the smallest distance is the nearest of those that
/// it moves. So nothing is moved or sorted by a price, and the tree needs no order of triggers.
///
/// Prices are kept as keys (see stop_types.hpp): every stop waits for a key at its trigger or below, and trails
/// below the highest one, and the nearest trigger is the highest.
class StopOrders {
 public:
  using Slot = IdSlots::Slot;

  /// Makes room for stops, or nothing, and `status` says why. Allocates and touches 276 bytes a stop, 64 a book.
  /// @param status InvalidCapacity (0, or more than any pool can have), InvalidBookCount (0, or more than 2^30),
  /// OutOfMemory, or Success.
  [[nodiscard]] static std::optional<StopOrders> create(const StopConfig& config, CreateStatus& status) noexcept {
    if (config.books - 1 >= std::uint32_t{1} << 30) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    auto slots = IdSlots::create(config.capacity, status);
    if (!slots) return {};
    std::optional<StopOrders> stops{StopOrders(std::move(*slots), config)};
    if (stops->allocated_) return stops;
    status = CreateStatus::OutOfMemory;
    return {};
  }

  /// How many stops wait.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.memory_bytes() + stops_.memory_bytes() + nodes_.size_bytes() + books_.size_bytes() +
           detail::RuleState::memory_bytes(slots_.slot_count(), slots_.slot_count() - 1);
  }

  /// Whether the trigger of a stop holds as it comes. Constant.
  [[nodiscard]] static bool holds_at_once(const VenueCommand& stop, const TriggerPrices& prices) noexcept {
    if (stop.side > Side::Sell || !detail::is_trigger(stop.stop) || stop.trail != 0) return false;
    const std::optional<Price>& price = prices.of(stop.stop, stop.side);
    return price && detail::key_of(stop.side, stop.trigger) >= detail::key_of(stop.side, *price);
  }
  /// What `add` would answer. Constant.
  [[nodiscard]] VenueStatus check(const VenueCommand& stop, const TriggerPrices& prices) const noexcept {
    if (stop.side > Side::Sell || !detail::is_trigger(stop.stop)) return VenueStatus::InvalidCommand;
    if (stop.book >= books_.size()) return VenueStatus::UnknownBook;
    if (stop.quantity == 0) return VenueStatus::InvalidQuantity;
    if (stop.trail < 0) return VenueStatus::InvalidTrigger;
    if (stop.trail > 0 && !prices.of(stop.stop, stop.side)) return VenueStatus::NoPriceToTrail;
    if (!detail::first_trigger(stop, prices)) return VenueStatus::InvalidTrigger;
    if (slots_.find(stop.id) != none) return VenueStatus::DuplicateId;
    return slots_.full() ? VenueStatus::NoRoomForStop : VenueStatus::Success;
  }
  /// Adds a stop; if its trigger holds already, the next `next` gives it. Logarithmic.
  /// @param stop its `stop` says what it looks at. If `trail` is above 0, its trigger trails at that distance, and
  /// `trigger` is not read. It becomes what its other members say, which are not checked here.
  /// @param prices of its book, now.
  /// Rejections: InvalidCommand (its side or `stop` is not one), UnknownBook, InvalidQuantity (0), InvalidTrigger
  /// (`trail` below 0, or the trigger would not fit a `Price`), NoPriceToTrail, DuplicateId (a stop with this id
  /// waits), NoRoomForStop.
  [[nodiscard]] VenueStatus add(const VenueCommand& stop, const TriggerPrices& prices) noexcept {
    if (const VenueStatus status = check(stop, prices); status != VenueStatus::Success) return status;
    const Slot slot = slots_.insert(stop.id);
    stops_.put(slot, stop);
    append(slot, *detail::first_trigger(stop, prices));
    return VenueStatus::Success;
  }

  /// Lets the stops of a book that trail follow these prices, and fires none. Call it with each price that the
  /// market has had, in order: `next` sees only those that are left. Constant.
  void follow(BookNumber book, const TriggerPrices& prices) noexcept {
    if (book >= books_.size()) return;
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const StopTrigger by : {StopTrigger::LastTrade, StopTrigger::OppositeBest}) {
        Queue& queue = queue_of(book, side, by);
        const std::optional<Price>& price = prices.of(by, side);
        if (!price || queue.trails == 0) continue;
        follow(queue.root, detail::key_of(side, *price));
        queue.nearest = nodes_[queue.root].sum.best;
      }
    }
  }
  /// Takes off the next stop of a book whose trigger holds, if there is one: first all that trail follow these
  /// prices. Call it after each command that may have changed one, until it gives none. Constant if it gives none,
  /// else logarithmic.
  [[nodiscard]] std::optional<VenueCommand> next(BookNumber book, const TriggerPrices& prices) noexcept {
    if (book >= books_.size()) return {};
    follow(book, prices);
    const Queue* first = nullptr;
    for (const Side side : {Side::Buy, Side::Sell}) {
      const Queue* of_side = nullptr;
      for (const StopTrigger by : {StopTrigger::LastTrade, StopTrigger::OppositeBest}) {
        const Queue& queue = queue_of(book, side, by);
        const std::optional<Price>& price = prices.of(by, side);
        if (!price || queue.root == none || queue.nearest < detail::key_of(side, *price)) continue;
        if (of_side == nullptr || queue.nearest > of_side->nearest ||
            (queue.nearest == of_side->nearest && is_before(queue, *of_side))) {
          of_side = &queue;
        }
      }
      if (first == nullptr || (of_side != nullptr && is_before(*of_side, *first))) first = of_side;
    }
    if (first == nullptr) return {};
    return take(nodes_[first->root].sum.best_slot);
  }

  /// The stop with this id as it is now, if it waits, with its true trigger. Logarithmic if it trails, else O(1).
  [[nodiscard]] std::optional<VenueCommand> find(OrderId id) const noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none) return {};
    return shown(slot);
  }

  /// Takes a stop off, and gives it as it was; none if no stop with this id waits. Logarithmic.
  [[nodiscard]] std::optional<VenueCommand> cancel(OrderId id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none) return {};
    return take(slot);
  }

  /// What `modify` would answer. Logarithmic if the stop trails, else constant.
  [[nodiscard]] VenueStatus check(const VenueCommand& change) const noexcept {
    const Slot slot = slots_.find(change.id);
    if (slot == none) return VenueStatus::UnknownOrder;
    if (change.quantity == 0) return VenueStatus::InvalidQuantity;
    return next_trigger(slot, change) ? VenueStatus::Success : VenueStatus::InvalidTrigger;
  }
  /// Gives a stop another limit (`price`), quantity, and trigger, or distance (`trail`) if it trails. With the
  /// same trigger or distance and no more lots it keeps its place; else it is the youngest. One that trails still
  /// counts from the best price that it has seen. Its `peak` and `minimum` stay, also above the quantity: the
  /// venue sees to them when it fires. Logarithmic. Rejections: UnknownOrder (no stop with this id waits),
  /// InvalidQuantity (0), InvalidTrigger (a distance of 0 or below for one that trails, not 0 for one that does
  /// not; or the trigger does not fit a `Price`).
  [[nodiscard]] VenueStatus modify(const VenueCommand& change) noexcept {
    if (const VenueStatus status = check(change); status != VenueStatus::Success) return status;
    const Slot slot = slots_.find(change.id);
    const Price trigger = *next_trigger(slot, change);
    VenueCommand stop = stops_[slot];
    const bool keeps_place = trigger == key_now(slot) && change.quantity <= stop.quantity;
    stop.price = change.price;
    stop.quantity = change.quantity;
    stop.trail = change.trail;
    stops_.put(slot, stop);
    if (keeps_place) return VenueStatus::Success;
    take_off(slot);
    append(slot, trigger);
    return VenueStatus::Success;
  }

  /// Takes off the stops of a scope, whose range is one of triggers, and calls `visit(const VenueCommand&)` for
  /// each when it has left: by book, buys before sells, first come first. Logarithmic for each that leaves, and
  /// linear in the stops of the owner, or without one in those of the books and sides. Rejections: UnknownBook,
  /// InvalidCommand (the side is no enumerator, or the range is upside down).
  template <class Visit>
  [[nodiscard]] VenueStatus mass_cancel(const CancelScope& scope, Visit&& visit) noexcept {
    if (scope.book && *scope.book >= books_.size()) return VenueStatus::UnknownBook;
    if (scope.side && *scope.side > Side::Sell) return VenueStatus::InvalidCommand;
    if (scope.lowest > scope.highest) return VenueStatus::InvalidCommand;
    const auto in_scope = [&](Slot slot) {
      const VenueCommand stop = shown(slot);
      return scope.book.value_or(stop.book) == stop.book && scope.side.value_or(stop.side) == stop.side &&
             scope.lowest <= stop.trigger && stop.trigger <= scope.highest;
    };
    if (scope.owner != 0) {
      const auto place_of = [&](Slot slot) { return detail::OrderPlace{queue_number(slot) / 2, 0, 0}; };
      owners_.cancel_all_of(scope.owner, in_scope, place_of, [&](Slot slot) { visit(take(slot)); });
    } else {
      const BookNumber first = scope.book.value_or(0);
      const BookNumber last = scope.book.value_or(static_cast<BookNumber>(books_.size() - 1));
      for (BookNumber book = first; book <= last; ++book) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          if (scope.side.value_or(side) != side) continue;
          for_each(book, side, [&](Slot slot) {
            if (in_scope(slot)) visit(take(slot));
          });
        }
      }
    }
    return VenueStatus::Success;
  }

  /// Calls `visit(const VenueCommand&)` for each stop of a side as it is now, first come first. Linear in these.
  template <class Visit>
  void visit(BookNumber book, Side side, Visit&& visit) const noexcept {
    if (book >= books_.size() || side > Side::Sell) return;
    for_each(book, side, [&](Slot slot) { visit(shown(slot)); });
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear in the capacity.
  [[nodiscard]] bool holds() const noexcept {
    if (!slots_.holds() || nodes_[none] != Node{}) return false;
    std::size_t owned = 0;
    for (Slot slot = 1; slot < nodes_.size(); ++slot) {
      if (!slot_holds(slot)) return false;
      owned += std::size_t{owners_[slot].owner != 0};
    }
    std::size_t count = 0;
    for (std::uint64_t number = 0; number < 4 * books_.size(); ++number) {
      const Queue& queue = books_[number / 4].queues[number % 4];
      std::uint64_t arrival = 0;
      const auto size = Tree::checked_size(*this, queue.root, nodes_.size(), [&](Slot slot) {
        const bool is_next = arrival < nodes_[slot].arrival && nodes_[slot].arrival <= arrivals_;
        arrival = nodes_[slot].arrival;
        return is_next && queue_number(slot) == number && sums_hold(slot);  // a free slot is in no tree
      });
      const Node& root = nodes_[queue.root];
      if (!size || queue.nearest != root.sum.best || queue.trails != (root.sum.closest != none ? 1 : 0))
        return false;
      count += *size;
    }
    return count == slots_.size() && owners_.lists_hold(1, nodes_.size(), owned);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.slots_, self.stops_, self.nodes_, self.books_, self.owners_, self.arrivals_);
  }

 private:
  friend class detail::ArrivalTree<StopOrders>;
  using Tree = detail::ArrivalTree<StopOrders>;
  static constexpr Slot none = IdSlots::none;
  /// A price that moves no trigger.
  static constexpr Price no_price = std::numeric_limits<Price>::min();

  /// What a part of a tree is to a price.
  struct Sum {
    Price best;      ///< the nearest trigger
    Slot best_slot;  ///< the first that came of those with the nearest trigger
    Slot closest;    ///< the first that came of those with the smallest distance; none if none trails

    friend constexpr bool operator==(const Sum&, const Sum&) = default;
  };
  /// A stop in its tree.
  struct alignas(64) Node {
    detail::TreeLinks links;
    Price trigger;          ///< as a key; one that trails may not know yet what is pending above it
    Price trail;            ///< the distance; 0 if it does not trail
    Price pending;          ///< the highest key that those below it, without itself, do not know yet
    std::uint64_t arrival;  ///< grows with each stop that comes
    Sum sum;                ///< of the part below it, itself included

    friend constexpr bool operator==(const Node&, const Node&) = default;
  };
  static_assert(sizeof(Node) == 64 && std::has_unique_object_representations_v<Node>);

  /// The stops of a book, side and kind of trigger.
  struct Queue {
    Price nearest;  ///< the nearest trigger as a key, if there is a stop
    Slot root;
    std::uint32_t trails;  ///< 1 if one of them trails
  };
  /// A cache line says whether anything fires.
  struct alignas(64) Book {
    std::array<Queue, 4> queues;
  };

  StopOrders(IdSlots&& slots, const StopConfig& config) noexcept
      : slots_(std::move(slots)), stops_(slots_.slot_count()), nodes_(slots_.slot_count()), books_(config.books) {
    const bool listed = owners_.prepare(slots_.slot_count(), config.capacity);
    allocated_ = listed && stops_.allocated() && nodes_.allocated() && books_.allocated();
  }

  // ---- Triggers as keys.

  /// That of a stop after a change, if it fits and trails as before.
  [[nodiscard]] std::optional<Price> next_trigger(Slot slot, const VenueCommand& change) const noexcept {
    const VenueCommand stop = stops_[slot];
    if (change.trail < 0 || (change.trail == 0) != (stop.trail == 0)) return {};
    if (stop.trail == 0) return detail::key_of(stop.side, change.trigger);
    Price trigger = 0;
    if (!detail::trails_at(key_now(slot) + stop.trail, change.trail, trigger)) return {};
    return trigger;
  }
  /// The trigger of a stop as it is now: those above it may know of prices that it does not.
  [[nodiscard]] Price key_now(Slot slot) const noexcept {
    const Node& stop = nodes_[slot];
    Price now = stop.trigger;
    if (stop.trail == 0) return now;
    for (Slot up = stop.links.parent; up != none; up = nodes_[up].links.parent) {
      Price moved = 0;
      if (detail::trails_at(nodes_[up].pending, stop.trail, moved)) now = std::max(now, moved);
    }
    return now;
  }
  /// The stop as others see it.
  [[nodiscard]] VenueCommand shown(Slot slot) const noexcept {
    VenueCommand stop = stops_[slot];
    stop.trigger = detail::key_of(stop.side, key_now(slot));
    return stop;
  }

  // ---- Queues.

  [[nodiscard]] static std::size_t queue_in_book(Side side, StopTrigger by) noexcept {
    return 2 * static_cast<std::size_t>(side) + (by == StopTrigger::OppositeBest ? 1 : 0);
  }
  [[nodiscard]] Queue& queue_of(BookNumber book, Side side, StopTrigger by) noexcept {
    return books_[book].queues[queue_in_book(side, by)];
  }
  [[nodiscard]] std::uint64_t queue_number(Slot slot) const noexcept {
    const VenueCommand stop = stops_[slot];
    return 4 * std::uint64_t{stop.book} + queue_in_book(stop.side, stop.stop);
  }
  /// Whether the nearest stop of a queue came before that of another one.
  [[nodiscard]] bool is_before(const Queue& queue, const Queue& other) const noexcept {
    return nodes_[nodes_[queue.root].sum.best_slot].arrival < nodes_[nodes_[other.root].sum.best_slot].arrival;
  }
  /// Calls `visit(slot)` for the stops of a side, first come first. It may take off the one that it gets.
  template <class Visit>
  void for_each(BookNumber book, Side side, Visit&& visit) const noexcept {
    const Queue* queues = &books_[book].queues[queue_in_book(side, StopTrigger::LastTrade)];
    Slot by_last = Tree::first(*this, queues[0].root);
    Slot by_best = Tree::first(*this, queues[1].root);
    while (by_last != none || by_best != none) {
      const bool is_by_last =
          by_best == none || (by_last != none && nodes_[by_last].arrival < nodes_[by_best].arrival);
      Slot& at = is_by_last ? by_last : by_best;
      const Slot slot = at;
      at = Tree::after(*this, slot);
      visit(slot);
    }
  }

  /// Makes a stop whose slot is taken the youngest.
  void append(Slot slot, Price trigger) noexcept {
    const VenueCommand stop = stops_[slot];
    Node& node = nodes_[slot];
    node.trigger = trigger;
    node.trail = stop.trail;
    node.pending = no_price;
    node.arrival = ++arrivals_;
    Queue& queue = queue_of(stop.book, stop.side, stop.stop);
    Tree(*this, queue.root).append(slot);
    sum_up(queue);
    if (stop.account != 0) owners_.append(stop.account, slot);
  }
  /// Takes a stop out of its tree and the list of its owner; it keeps its slot.
  void take_off(Slot slot) noexcept {
    const VenueCommand stop = stops_[slot];
    Queue& queue = queue_of(stop.book, stop.side, stop.stop);
    Tree(*this, queue.root).erase(slot);
    sum_up(queue);
    nodes_[slot] = {};
    if (owners_[slot].owner != 0) owners_.remove(slot);
    owners_[slot] = {};
  }
  /// Takes a stop off for good, and gives it as it was.
  VenueCommand take(Slot slot) noexcept {
    const VenueCommand stop = shown(slot);
    take_off(slot);
    stops_.forget(slot);
    slots_.erase(slot);
    return stop;
  }
  void sum_up(Queue& queue) noexcept {
    queue.nearest = nodes_[queue.root].sum.best;
    queue.trails = nodes_[queue.root].sum.closest != none ? 1 : 0;
  }

  // ---- What a tree asks.

  [[nodiscard]] detail::TreeLinks& links(Slot slot) noexcept { return nodes_[slot].links; }
  [[nodiscard]] const detail::TreeLinks& links(Slot slot) const noexcept { return nodes_[slot].links; }

  bool sum_up(Slot slot) noexcept {
    Node& node = nodes_[slot];
    const Sum now = sum_of(slot, nodes_[node.links.child[0]].sum, nodes_[node.links.child[1]].sum);
    if (now == node.sum) return false;
    node.sum = now;
    return true;
  }
  /// The sum of a stop and of what is below it.
  [[nodiscard]] Sum sum_of(Slot slot, const Sum& earlier, const Sum& later) const noexcept {
    Sum sum = earlier;
    if (sum.best_slot == none || nodes_[slot].trigger > sum.best) {
      sum.best = nodes_[slot].trigger;
      sum.best_slot = slot;
    }
    if (later.best_slot != none && later.best > sum.best) {
      sum.best = later.best;
      sum.best_slot = later.best_slot;
    }
    if (is_closer(slot, sum.closest)) sum.closest = slot;
    if (is_closer(later.closest, sum.closest)) sum.closest = later.closest;
    return sum;
  }
  /// Whether one stop trails at a smaller distance than another; what does not trail, or is none, at the largest.
  [[nodiscard]] bool is_closer(Slot slot, Slot other) const noexcept {
    return static_cast<std::uint64_t>(nodes_[slot].trail) - 1 <
           static_cast<std::uint64_t>(nodes_[other].trail) - 1;
  }

  void hand_down(Slot slot) noexcept {
    const Price pending = nodes_[slot].pending;
    if (pending == no_price) return;
    for (const Slot child : nodes_[slot].links.child) follow(child, pending);
    nodes_[slot].pending = no_price;
  }
  /// Lets all stops from `slot` down that trail follow a price.
  void follow(Slot slot, Price key) noexcept {
    Node& node = nodes_[slot];
    if (node.sum.closest == none) return;
    node.sum = followed(node.sum, key);
    node.pending = std::max(node.pending, key);
    Price moved = 0;
    if (node.trail != 0 && detail::trails_at(key, node.trail, moved)) node.trigger = std::max(node.trigger, moved);
  }
  /// The sum of a part that follows a price.
  [[nodiscard]] Sum followed(Sum sum, Price key) const noexcept {
    Price moved = 0;
    if (sum.closest == none || !detail::trails_at(key, nodes_[sum.closest].trail, moved) || moved < sum.best)
      return sum;
    if (moved > sum.best || nodes_[sum.closest].arrival < nodes_[sum.best_slot].arrival) {
      sum.best = moved;
      sum.best_slot = sum.closest;
    }
    return sum;
  }

  // ---- Whether an image may be used.

  /// Whether what a slot has itself may be read by all that follows.
  [[nodiscard]] bool slot_holds(Slot slot) const noexcept {
    const Node& node = nodes_[slot];
    const VenueCommand stop = stops_[slot];
    const detail::SlotTerms& listed = owners_[slot];
    if (listed != detail::SlotTerms{0, 0, listed.owner, listed.previous, listed.next, 0}) return false;
    if (!slots_.used(slot)) return node == Node{} && stops_.is_free(slot) && listed == detail::SlotTerms{};
    Price seen = 0;
    return stop.id == slots_.id_at(slot) && stop.account == listed.owner && stop.book < books_.size() &&
           stop.side <= Side::Sell && detail::is_trigger(stop.stop) && stop.quantity != 0 &&
           stop.trail == node.trail && node.trail >= 0 &&
           !__builtin_add_overflow(node.trigger, node.trail, &seen) && node.sum.best_slot < nodes_.size() &&
           node.sum.closest < nodes_.size();
  }
  /// Whether the sums of a stop are true, if what it has not handed down is.
  [[nodiscard]] bool sums_hold(Slot slot) const noexcept {
    const Node& node = nodes_[slot];
    const auto below = [&](Slot child) { return followed(nodes_[child].sum, node.pending); };
    return sum_of(slot, below(node.links.child[0]), below(node.links.child[1])) == node.sum;
  }

  IdSlots slots_;
  detail::KeptCommands stops_;  ///< by slot, as they came; a trigger that trails stands in its node
  ZeroedArray<Node> nodes_;     ///< by slot
  ZeroedArray<Book> books_;
  detail::RuleState owners_;  ///< for its lists of the orders of each owner
  detail::ResetOnMove<std::uint64_t> arrivals_;
  bool allocated_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE
