// SPDX-License-Identifier: MIT
//
// Until when orders are good: the ids of those that end by themselves, at a time or when their book closes. Time
// comes as an argument; what is due, the venue takes off its books.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "llmes/detail/arrival_tree.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/id_slots.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What lifetimes are kept for.
struct ExpiryConfig {
  BookNumber books = 1;      ///< they are 0 to this number less one; at most 2^30
  std::size_t capacity = 0;  ///< the most orders that end by themselves
};

/// The lifetimes of orders by id. Each call is logarithmic at most.
class Expiry {
 public:
  /// Makes room for lifetimes, or nothing, and `status` says why. All memory is allocated and touched here: some
  /// 75 bytes an order, and 4 a book.
  /// @param status InvalidCapacity (0, or more than any pool can have), InvalidBookCount (0, or more than 2^30),
  /// OutOfMemory, or Success.
  [[nodiscard]] static std::optional<Expiry> create(const ExpiryConfig& config, CreateStatus& status) noexcept {
    if (config.books - 1 >= std::uint32_t{1} << 30) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    auto slots = IdSlots::create(config.capacity, status);
    if (!slots) return {};
    std::optional<Expiry> expiry{Expiry(std::move(*slots), config)};
    if (expiry->nodes_.allocated() && expiry->roots_.allocated()) return expiry;
    status = CreateStatus::OutOfMemory;
    return {};
  }

  /// How many orders have a lifetime here.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.memory_bytes() + nodes_.size_bytes() + roots_.size_bytes();
  }
  /// The time of the last `advance`; 0 before the first one.
  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }
  /// Whether the order with this id ends by itself.
  [[nodiscard]] bool contains(OrderId id) const noexcept { return slots_.find(id) != none; }

  /// An order is good until `time`, when it is due.
  /// Rejections: ExpiryPassed (`time` is not after `now()`), DuplicateId (it has a lifetime), NoRoomForExpiry.
  [[nodiscard]] VenueStatus add(OrderId id, Nanoseconds time) noexcept {
    if (time <= now_) return VenueStatus::ExpiryPassed;
    return add(id, time, 0);
  }
  /// An order is good until its book closes.
  /// Rejections: UnknownBook, DuplicateId, NoRoomForExpiry.
  [[nodiscard]] VenueStatus add_day(OrderId id, BookNumber book) noexcept {
    if (book >= roots_.size() - 1) return VenueStatus::UnknownBook;
    return add(id, 0, book + 1);
  }
  /// Forgets an order that has ended otherwise.
  /// @return whether it had a lifetime.
  bool remove(OrderId id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot != none) static_cast<void>(take(slot));
    return slot != none;
  }
  /// Gives the lifetime of an order, and its place among those that end together, to another id.
  /// Rejections: UnknownOrder (`id` has no lifetime), DuplicateId (`new_id` has one, unless it is the same).
  VenueStatus rename(OrderId id, OrderId new_id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none) return VenueStatus::UnknownOrder;
    if (id == new_id) return VenueStatus::Success;
    if (slots_.find(new_id) != none) return VenueStatus::DuplicateId;
    slots_.rename(slot, new_id);
    return VenueStatus::Success;
  }

  /// When the next order that is good until a time is due, if there is one. Constant.
  [[nodiscard]] std::optional<Nanoseconds> next_time() const noexcept {
    if (roots_[0] == none) return {};
    return nodes_[roots_[0]].next;
  }
  /// Sets the time. What is due then, `next_due` gives; to set the same time again changes nothing. Constant.
  /// Rejections: TimeWentBack (`now` is before that of the last call).
  [[nodiscard]] VenueStatus advance(Nanoseconds now) noexcept {
    if (now < now_) return VenueStatus::TimeWentBack;
    now_ = now;
    return VenueStatus::Success;
  }
  /// Takes off the next order that is due at `now()`: by time, then first come first. Constant if it gives none.
  [[nodiscard]] std::optional<OrderId> next_due() noexcept {
    const Slot root = roots_[0];
    if (root == none || nodes_[root].next > now_) return {};
    return take(nodes_[root].next_slot);
  }
  /// Takes off the next order that is good until this book closes, first come first; none if there is none.
  [[nodiscard]] std::optional<OrderId> next_of_day(BookNumber book) noexcept {
    if (book >= roots_.size() - 1 || roots_[book + 1] == none) return {};
    return take(nodes_[roots_[book + 1]].next_slot);
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear in the capacity.
  [[nodiscard]] bool holds() const noexcept {
    if (!slots_.holds() || nodes_[none] != Node{}) return false;
    for (Slot slot = 1; slot < nodes_.size(); ++slot) {
      const Node& node = nodes_[slot];
      if (!slots_.used(slot) && node != Node{}) return false;  // so it has no height, and is in no tree
      if (node.next_slot >= nodes_.size()) return false;
    }
    std::size_t count = 0;
    for (std::uint32_t tree = 0; tree < roots_.size(); ++tree) {
      const auto size = Tree::checked_size(*this, roots_[tree], nodes_.size(), [&](Slot slot) {
        const Node& node = nodes_[slot];
        return node.tree == tree && (tree == 0 || node.time == 0) &&
               sum_of(node, slot) == Sum{node.next, node.next_slot};
      });
      if (!size) return false;
      count += *size;
    }
    return count == slots_.size();
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.slots_, self.nodes_, self.roots_, self.now_);
  }

 private:
  friend class detail::ArrivalTree<Expiry>;
  using Slot = IdSlots::Slot;
  using Tree = detail::ArrivalTree<Expiry>;
  static constexpr Slot none = IdSlots::none;

  /// An order in its tree. What is next sums up the part of the tree below it, itself included.
  struct Node {
    detail::TreeLinks links;
    Nanoseconds time;  ///< 0 if the order is good until its book closes
    Nanoseconds next;  ///< the least time
    Slot next_slot;    ///< the first that came of those with the least time
    std::uint32_t tree;

    friend constexpr bool operator==(const Node&, const Node&) = default;
  };
  static_assert(std::has_unique_object_representations_v<Node>);

  Expiry(IdSlots&& slots, const ExpiryConfig& config) noexcept
      : slots_(std::move(slots)), nodes_(slots_.slot_count()), roots_(std::size_t{config.books} + 1) {}

  [[nodiscard]] VenueStatus add(OrderId id, Nanoseconds time, std::uint32_t tree) noexcept {
    if (slots_.full()) return slots_.find(id) != none ? VenueStatus::DuplicateId : VenueStatus::NoRoomForExpiry;
    const Slot slot = slots_.insert_if_new(id);
    if (slot == none) return VenueStatus::DuplicateId;
    nodes_[slot].time = time;
    nodes_[slot].tree = tree;
    Tree(*this, roots_[tree]).append(slot);
    return VenueStatus::Success;
  }
  OrderId take(Slot slot) noexcept {
    const OrderId id = slots_.id_at(slot);
    Tree(*this, roots_[nodes_[slot].tree]).erase(slot);
    nodes_[slot] = {};
    slots_.erase(slot);
    return id;
  }

  // ---- What a tree asks.

  [[nodiscard]] detail::TreeLinks& links(Slot slot) noexcept { return nodes_[slot].links; }
  [[nodiscard]] const detail::TreeLinks& links(Slot slot) const noexcept { return nodes_[slot].links; }
  void hand_down(Slot /*slot*/) noexcept {}
  bool sum_up(Slot slot) noexcept {
    Node& node = nodes_[slot];
    const Sum now = sum_of(node, slot);
    if (now == Sum{node.next, node.next_slot}) return false;
    node.next = now.time;
    node.next_slot = now.slot;
    return true;
  }
  /// What is next of an order and those below it.
  struct Sum {
    Nanoseconds time;
    Slot slot;

    friend constexpr bool operator==(const Sum&, const Sum&) = default;
  };
  [[nodiscard]] Sum sum_of(const Node& node, Slot slot) const noexcept {
    const Node& earlier = nodes_[node.links.child[0]];
    const Node& later = nodes_[node.links.child[1]];
    Sum sum{earlier.next, earlier.next_slot};
    if (sum.slot == none || node.time < sum.time) sum = {node.time, slot};
    if (later.next_slot != none && later.next < sum.time) sum = {later.next, later.next_slot};
    return sum;
  }

  IdSlots slots_;
  ZeroedArray<Node> nodes_;  ///< by slot
  ZeroedArray<Slot> roots_;  ///< of the tree of those with a time, then of those of the day by book
  detail::ResetOnMove<Nanoseconds> now_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
