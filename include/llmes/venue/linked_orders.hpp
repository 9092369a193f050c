// SPDX-License-Identifier: MIT
//
// Orders that are linked: pairs of which one cancels the other, and brackets, whose parent places such a pair.
// Nothing is done here: the venue tells what happened to orders, and gets the steps to do in the same command.
//
//  - A pair: what one of the two trades, the other one loses. So together they never trade more than one of them
//    may, and a partial fill of the one leaves the rest of a position guarded by both. The end of one, filled or
//    cancelled, cancels the other.
//  - A bracket: two children come first and wait, then their parent. Each fill of the parent places both children
//    with its lots, or lets them grow by these, up to their own quantities. From then on they are a pair. The end
//    of a child also cancels what is left of the parent. A parent that ends without a fill drops its children.
//  - What the book of a child does not take in its phase is held until that may have changed. Meanwhile, what the
//    other child trades is first taken off what is held; a child that loses all has ended.
//
// The steps follow when the matching of a command has ended. So a taker that reaches both of a pair may fill both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/id_slots.hpp"
#include "llmes/venue/kept_commands.hpp"
#include "llmes/venue/link_types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The links of a venue. A group has the same link and account. All calls but `mass_cancel` are O(1) on average.
class LinkedOrders {
 public:
  /// Makes room for groups, or nothing, and `status` says why. Allocates and touches some 1,040 bytes a group.
  /// @param status InvalidCapacity (0 groups, or more than 2^24), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<LinkedOrders> create(const LinkConfig& config,
                                                          CreateStatus& status) noexcept {
    if (config.groups - 1 >= std::size_t{1} << 24) {
      status = CreateStatus::InvalidCapacity;
      return {};
    }
    auto slots = IdSlots::create(3 * config.groups, status);
    if (!slots) return {};
    std::optional<LinkedOrders> links{LinkedOrders(std::move(*slots), config)};
    if (links->allocated_) return links;
    status = CreateStatus::OutOfMemory;
    return {};
  }

  /// How many orders are linked.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.memory_bytes() + members_.size_bytes() + commands_.memory_bytes() + groups_.size_bytes() +
           table_.size_bytes() + 2 * detail::RuleState::memory_bytes(slots_.slot_count(), slots_.slot_count() - 1);
  }

  /// Whether an order may enter with its link, before it does: Success also if it has none.
  /// Rejections: InvalidCommand (`link_role` is no enumerator), InvalidLink (a role without a link or the
  /// opposite, or a group that takes no such order: a pair is two, and a bracket two children, then their parent),
  /// DuplicateId (an order with this id is linked), NoRoomForLink.
  [[nodiscard]] VenueStatus check(const VenueCommand& order) const noexcept {
    if (order.link_role > LinkRole::BracketChild) return VenueStatus::InvalidCommand;
    if ((order.link_role == LinkRole::None) != (order.link == 0)) return VenueStatus::InvalidLink;
    if (order.link == 0) return VenueStatus::Success;
    const GroupNumber number = group_of(order.account, order.link);
    if (number != none && !takes(groups_[number], order.link_role)) return VenueStatus::InvalidLink;
    if (number == none && order.link_role == LinkRole::BracketParent) return VenueStatus::InvalidLink;
    if (slots_.find(order.id) != none) return VenueStatus::DuplicateId;
    if (number == none && free_ == none) return VenueStatus::NoRoomForLink;
    return VenueStatus::Success;
  }

  /// Links an order that was accepted, for which `check` gives Success; does nothing if it has no link. A child of
  /// a bracket waits here. The others have entered: tell what they have traded since, and their end if they do not
  /// rest.
  void add(const VenueCommand& order) noexcept {
    if (order.link == 0) return;
    GroupNumber number = group_of(order.account, order.link);
    if (number == none) number = open_group(order);
    Group& group = groups_[number];
    const Slot slot = slots_.insert(order.id);
    members_[slot] = {order.quantity, 0, 0, ++arrivals_, number, 0};
    const bool is_parent = order.link_role == LinkRole::BracketParent;
    group.members[is_parent ? 0 : group.members[1] == none ? 1 : 2] = slot;
    if (is_parent) group.flags |= Group::had_parent;
    if (order.link_role != LinkRole::BracketChild) return;
    VenueCommand kept = order;
    kept.link = 0;
    kept.link_role = LinkRole::None;
    commands_.put(slot, kept);
    members_[slot].waits = 1;
    list(owners_, slot, order.account);
  }

  /// The child of a bracket with this id, if it waits. To cancel it is to tell its end.
  [[nodiscard]] std::optional<VenueCommand> find_waiting(OrderId id) const noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none || members_[slot].waits == 0) return {};
    return child(slot);
  }

  /// Tells that an order, linked or not, has traded so many lots.
  void on_fill(OrderId id, Quantity lots) noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none) return;
    Group& group = groups_[members_[slot].group];
    const bool is_parent = group.members[0] == slot;
    for (std::size_t i = 1; i < group.members.size(); ++i) {
      if (group.members[i] == none || group.members[i] == slot) continue;
      Member& other = members_[group.members[i]];
      if (is_parent) {
        const Quantity by = std::min(lots, other.left);
        other.left -= by;
        other.grows += by;
      } else {
        other.shrinks += std::min(lots, std::numeric_limits<Quantity>::max() - other.shrinks);
      }
    }
    queue(members_[slot].group);
  }

  /// Tells that an order, linked or not, neither rests nor waits: cancelled, or filled after its fills were told.
  void on_end(OrderId id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot != none) end(slot);
  }

  /// Tells that an order, linked or not, was refused when it came to its book after it had waited. The other one
  /// of a pair stays as it is. A parent has ended.
  void on_refused(OrderId id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot == none) return;
    if (groups_[members_[slot].group].members[0] == slot) return end(slot);
    queue(members_[slot].group);
    leave(slot);
  }

  /// Tells that a book may take what it has not: its children whose lots are held are asked again, in the order in
  /// which they were held. Linear in these.
  void wake(BookNumber book) noexcept {
    held_.cancel_all_of(
        key_of(book), [](Slot) { return true; },
        [](Slot) {
          return detail::OrderPlace{0, 0, 0};
        },
        [&](Slot slot) {
          held_[slot] = {};
          queue(members_[slot].group);
        });
  }

  /// Gives the link of an order that was replaced to its new id, which is linked to none.
  void rename(OrderId id, OrderId new_id) noexcept {
    const Slot slot = slots_.find(id);
    if (slot != none) slots_.rename(slot, new_id);
  }

  /// Ends the children of a scope that wait, and calls `visit(const VenueCommand&)` for each when it has left: by
  /// book, buys before sells, first come first. The range is one of their prices. Linear in what waits of the
  /// owner, or without one in the room for links. What follows for the others are steps.
  template <class Visit>
  void mass_cancel(const CancelScope& scope, Visit&& visit) noexcept {
    const auto in_scope = [&](Slot slot) {
      const VenueCommand child = commands_[slot];
      return scope.book.value_or(child.book) == child.book && scope.side.value_or(child.side) == child.side &&
             scope.lowest <= child.price && child.price <= scope.highest;
    };
    const auto place_of = [&](Slot slot) {
      const VenueCommand child = commands_[slot];
      return detail::OrderPlace{2 * std::uint64_t{child.book} + static_cast<std::uint64_t>(child.side),
                                members_[slot].arrival, 0};
    };
    if (scope.owner == 0) {
      for (Slot slot = 1; slot < slots_.slot_count(); ++slot) {
        if (members_[slot].waits != 0 && in_scope(slot)) list(owners_, slot, everybody);
      }
    }
    owners_.cancel_all_of(scope.owner == 0 ? everybody : scope.owner, in_scope, place_of, [&](Slot slot) {
      const VenueCommand gone = child(slot);
      end(slot);
      visit(gone);
    });
  }

  /// Calls `visit(const VenueCommand&)` for each child, as it came, in a fixed order. Linear in the room for
  /// links.
  template <class Visit>
  void visit_children(Visit&& visit) const noexcept {
    for (Slot slot = 1; slot < slots_.slot_count(); ++slot) {
      if (!commands_.is_free(slot)) visit(child(slot));
    }
  }

  /// Whether `next` gives no step.
  [[nodiscard]] bool idle() const noexcept { return first_ == none; }
  /// The next step that follows from what was told, if any. What happens in it is told before the next call.
  /// @param ready `ready(const LinkStep&)` says of a `Place` or `Grow` whether the book of its command takes it in
  /// its phase. If not, its lots are held until `wake`.
  template <class Ready>
  [[nodiscard]] std::optional<LinkStep> next(const Ready& ready) noexcept {
    while (first_ != none) {
      if (const auto step = step_of(groups_[first_], ready)) return step;
      const GroupNumber done = first_;
      first_ = std::exchange(groups_[done].next, none);
      groups_[done].flags &= ~Group::is_queued;
      if (groups_[done].empty()) close_group(done);
    }
    return {};
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear in the memory.
  [[nodiscard]] bool holds() const noexcept {
    if (!slots_.holds() || members_[none] != Member{}) return false;
    std::size_t used = 0;
    for (std::size_t i = 0; i < table_.size_bytes() / sizeof(Entry); ++i) used += std::size_t{table_[i].used()};
    if (used >= groups_.size()) return false;  // or a search might not end
    std::size_t owned = 0;
    std::size_t held = 0;
    for (Slot slot = 1; slot < members_.size(); ++slot) {
      if (!slot_holds(slot)) return false;
      owned += std::size_t{owners_[slot].owner != 0};
      held += std::size_t{held_[slot].owner != 0};
    }
    std::size_t open = 0;
    std::size_t queued = 0;
    for (GroupNumber number = 1; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      if (group == Group{0, 0, {}, group.next, 0}) continue;
      if (!group_holds(number)) return false;
      ++open;
      queued += std::size_t{group.has(Group::is_queued)};
    }
    const auto free = list_size(free_, [&](GroupNumber number) {
      return groups_[number] == Group{0, 0, {}, groups_[number].next, 0};
    });
    const auto listed = list_size(first_, [&](GroupNumber number) {
      return groups_[number].has(Group::is_queued) && (groups_[number].next != none || number == last_);
    });
    return free && listed && *free + open + 1 == groups_.size() && *listed == queued && open == used &&
           owners_.lists_hold(1, members_.size(), owned) && held_.lists_hold(1, members_.size(), held);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.slots_, self.members_, self.commands_, self.groups_, self.table_, self.owners_, self.held_,
          self.free_, self.first_, self.last_, self.arrivals_);
  }

 private:
  using Slot = IdSlots::Slot;
  using GroupNumber = std::uint32_t;
  static constexpr std::uint32_t none = IdSlots::none;
  /// An owner for the time of a mass cancel; accounts have lower numbers.
  static constexpr Owner everybody = std::numeric_limits<Owner>::max();

  /// An order with a link.
  struct Member {
    Quantity left;          ///< of a child: lots that fills of its parent may still place
    Quantity grows;         ///< lots that the next steps add, or that are held
    Quantity shrinks;       ///< lots that they take off
    std::uint64_t arrival;  ///< grows with each order that is linked
    GroupNumber group;
    std::uint32_t waits;  ///< 1 if it is a child that waits here

    friend constexpr bool operator==(const Member&, const Member&) = default;
  };
  struct Group {
    std::uint64_t link;
    AccountNumber account;
    std::array<Slot, 3> members;  ///< the parent, then the pair
    GroupNumber next;             ///< in the list of those with steps, or of the free ones
    std::uint32_t flags;

    static constexpr std::uint32_t is_queued = 1;
    static constexpr std::uint32_t has_ended = 2;  ///< all members are to be cancelled
    static constexpr std::uint32_t is_bracket = 4;
    static constexpr std::uint32_t had_parent = 8;

    [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
    [[nodiscard]] bool empty() const noexcept { return members == std::array<Slot, 3>{}; }

    friend constexpr bool operator==(const Group&, const Group&) = default;
  };
  /// A group in the table.
  struct Entry {
    std::uint64_t link;
    AccountNumber account;
    GroupNumber group;

    [[nodiscard]] bool used() const noexcept { return group != none; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return hash_of_link(account, link); }
  };

  LinkedOrders(IdSlots&& slots, const LinkConfig& config) noexcept
      : slots_(std::move(slots)),
        members_(slots_.slot_count()),
        commands_(slots_.slot_count()),
        groups_(config.groups + 1),
        table_(config.groups) {
    const std::size_t slot_count = slots_.slot_count();
    const bool listed = owners_.prepare(slot_count, slot_count - 1) && held_.prepare(slot_count, slot_count - 1);
    allocated_ =
        listed && members_.allocated() && commands_.allocated() && groups_.allocated() && table_.allocated();
    if (!allocated_) return;
    for (GroupNumber number = 1; number < config.groups; ++number) groups_[number].next = number + 1;
    free_ = 1;
  }

  // ---- Groups.

  [[nodiscard]] static std::uint32_t hash_of_link(AccountNumber account, std::uint64_t link) noexcept {
    return static_cast<std::uint32_t>(hash_of(hash_of(link) + account) >> 32);
  }
  [[nodiscard]] std::size_t entry_of(AccountNumber account, std::uint64_t link) const noexcept {
    return table_.search(hash_of_link(account, link),
                         [&](const Entry& entry) { return entry.link == link && entry.account == account; });
  }
  [[nodiscard]] GroupNumber group_of(AccountNumber account, std::uint64_t link) const noexcept {
    return table_[entry_of(account, link)].group;
  }
  GroupNumber open_group(const VenueCommand& order) noexcept {
    const GroupNumber number = free_;
    free_ = groups_[number].next;
    groups_[number] = {order.link, order.account, {}, none, 0};
    if (order.link_role != LinkRole::OneCancelsOther) groups_[number].flags = Group::is_bracket;
    table_[entry_of(order.account, order.link)] = {order.link, order.account, number};
    return number;
  }
  void close_group(GroupNumber number) noexcept {
    table_.free(entry_of(groups_[number].account, groups_[number].link));
    groups_[number] = {0, 0, {}, free_, 0};
    free_ = number;
  }
  /// Whether a group lacks an order of this role.
  [[nodiscard]] static bool takes(const Group& group, LinkRole role) noexcept {
    const bool is_bracket = role != LinkRole::OneCancelsOther;
    if (group.has(Group::is_bracket) != is_bracket || group.has(Group::has_ended | Group::had_parent))
      return false;
    return (role == LinkRole::BracketParent) == (group.members[2] != none);
  }
  /// Notes that a group may have steps.
  void queue(GroupNumber number) noexcept {
    if (groups_[number].has(Group::is_queued)) return;
    groups_[number].flags |= Group::is_queued;
    groups_[number].next = none;
    GroupNumber& place = first_ == none ? static_cast<GroupNumber&>(first_) : groups_[last_].next;
    place = number;
    last_ = number;
  }

  // ---- Members.

  void end(Slot slot) noexcept {
    Group& group = groups_[members_[slot].group];
    const bool is_parent = group.members[0] == slot;
    queue(members_[slot].group);
    leave(slot);
    if (is_parent) {
      const Slot child = group.members[1] != none ? group.members[1] : group.members[2];
      if (child == none || members_[child].waits == 0 || members_[child].grows != 0) return;
    }
    group.flags |= Group::has_ended;
  }
  /// Takes an order out of its group.
  void leave(Slot slot) noexcept {
    for (Slot& member : groups_[members_[slot].group].members) {
      if (member == slot) member = none;
    }
    list(owners_, slot, 0);
    list(held_, slot, 0);
    commands_.forget(slot);
    members_[slot] = {};
    slots_.erase(slot);
  }
  /// Puts a child on the list of an owner alone; of 0: on none.
  static void list(detail::RuleState& lists, Slot slot, Owner owner) noexcept {
    if (lists[slot].owner != 0) lists.remove(slot);
    lists[slot] = {};
    if (owner != 0) lists.append(owner, slot);
  }
  /// The owner in `held_` that stands for a book.
  [[nodiscard]] static Owner key_of(BookNumber book) noexcept { return book + 1; }

  // ---- Steps.

  /// The next step of a group, if any. Lots are added before others leave, as an order without any would end.
  template <class Ready>
  [[nodiscard]] std::optional<LinkStep> step_of(Group& group, const Ready& ready) noexcept {
    if (group.has(Group::has_ended)) {
      for (const Slot slot : group.members) {
        if (slot != none) return take_out(slot);
      }
      return {};
    }
    for (const Slot slot : group.members) {
      if (slot == none || members_[slot].grows == 0) continue;
      if (const auto step = growth(slot, ready)) return step;
    }
    for (const Slot slot : group.members) {
      if (slot == none || members_[slot].shrinks == 0) continue;
      if (const auto step = loss(slot)) return step;
    }
    return {};
  }
  /// Takes an order of a group that has ended out of it.
  LinkStep take_out(Slot slot) noexcept {
    LinkStep step{LinkStepType::Cancel, slots_.id_at(slot), 0, {}};
    if (members_[slot].waits != 0) {
      step.type = LinkStepType::Drop;
      step.command = child(slot);
    }
    leave(slot);
    return step;
  }
  /// The lots that a child gets, unless its book does not take them: then they are held.
  template <class Ready>
  [[nodiscard]] std::optional<LinkStep> growth(Slot slot, const Ready& ready) noexcept {
    Member& member = members_[slot];
    LinkStep step{member.waits != 0 ? LinkStepType::Place : LinkStepType::Grow, slots_.id_at(slot), member.grows,
                  child(slot)};
    if (!ready(std::as_const(step))) {
      if (held_[slot].owner == 0) held_.append(key_of(step.command.book), slot);
      return {};
    }
    member.grows = 0;
    list(held_, slot, 0);
    if (member.waits == 0) return step;
    member.waits = 0;
    list(owners_, slot, 0);
    step.command.quantity = step.quantity;
    return step;
  }
  /// The lots that an order loses, of which those that are held have never reached it.
  [[nodiscard]] std::optional<LinkStep> loss(Slot slot) noexcept {
    Member& member = members_[slot];
    const Quantity by = std::min(member.grows, member.shrinks);
    member.grows -= by;
    member.shrinks -= by;
    if (member.grows == 0) list(held_, slot, 0);
    if (member.waits != 0 && member.grows == 0) {
      groups_[member.group].flags |= Group::has_ended;
      return take_out(slot);
    }
    const Quantity lots = std::exchange(member.shrinks, 0);
    if (lots == 0) return {};
    return LinkStep{LinkStepType::Reduce, slots_.id_at(slot), lots, {}};
  }
  /// A child as it came, under the id that it has now.
  [[nodiscard]] VenueCommand child(Slot slot) const noexcept {
    VenueCommand command = commands_[slot];
    command.id = slots_.id_at(slot);
    return command;
  }

  // ---- Whether an image may be used.

  [[nodiscard]] bool slot_holds(Slot slot) const noexcept {
    const Member& member = members_[slot];
    const bool is_child = !commands_.is_free(slot);
    const detail::SlotTerms& listed = owners_[slot];
    const detail::SlotTerms& held = held_[slot];
    for (const detail::SlotTerms& terms : {listed, held}) {
      if (terms != detail::SlotTerms{0, 0, terms.owner, terms.previous, terms.next, 0}) return false;
      if (!is_child && terms != detail::SlotTerms{}) return false;
    }
    if (member.waits == 0 && listed != detail::SlotTerms{}) return false;
    if (held != detail::SlotTerms{} && (held.owner != key_of(commands_[slot].book) || member.grows == 0))
      return false;
    if (!slots_.used(slot)) return member == Member{} && !is_child;
    if (!is_child && (member.waits != 0 || member.grows != 0)) return false;
    if (member.group == none || member.group >= groups_.size() || member.waits > 1) return false;
    const auto& members = groups_[member.group].members;
    return std::count(members.begin(), members.end(), slot) == 1 &&
           (member.waits == 0 || listed.owner == commands_[slot].account);
  }
  [[nodiscard]] bool group_holds(GroupNumber number) const noexcept {
    const Group& group = groups_[number];
    if (group_of(group.account, group.link) != number || group.flags >= 2 * Group::had_parent) return false;
    if (!group.has(Group::is_queued) && (group.empty() || group.has(Group::has_ended) || group.next != none)) {
      return false;
    }
    return detail::all_of(group.members, [&](Slot slot) {
      return slot == none || (slot < members_.size() && slots_.used(slot) && members_[slot].group == number);
    });
  }
  /// How many groups a list has, if none is on it twice and `belongs(number)` holds for each; else nothing.
  template <class Belongs>
  [[nodiscard]] std::optional<std::size_t> list_size(GroupNumber first, const Belongs& belongs) const noexcept {
    std::size_t size = 0;
    for (GroupNumber number = first; number != none; number = groups_[number].next) {
      if (number >= groups_.size() || !belongs(number) || ++size >= groups_.size()) return {};
    }
    return size;
  }

  IdSlots slots_;
  ZeroedArray<Member> members_;    ///< by slot
  detail::KeptCommands commands_;  ///< by slot, of children as they came
  ZeroedArray<Group> groups_;      ///< by number, from 1 on
  ProbingTable<Entry> table_;
  detail::RuleState owners_;  ///< for its lists of the children of each owner that wait
  detail::RuleState held_;    ///< for its lists of the children whose lots are held, by book
  detail::ResetOnMove<GroupNumber> free_;
  detail::ResetOnMove<GroupNumber> first_;  ///< of those that may have steps
  detail::ResetOnMove<GroupNumber> last_;
  detail::ResetOnMove<std::uint64_t> arrivals_;
  bool allocated_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE
