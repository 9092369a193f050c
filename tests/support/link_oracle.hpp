// SPDX-License-Identifier: MIT
//
// Linked orders in their simplest form: a list of groups, each with its parent and its pair. It shares no code
// with the product but the values of link_types.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/types/terms.hpp"
#include "llmes/venue/link_types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_status.hpp"

namespace llmes::test {

class LinkOracle {
 public:
  explicit LinkOracle(std::size_t groups) : groups_max_(groups) {}

  /// Linked orders.
  [[nodiscard]] std::size_t size() const {
    std::size_t size = 0;
    for (const Group& group : groups_) {
      for (const auto& member : group.members) size += member.has_value();
    }
    return size;
  }

  [[nodiscard]] VenueStatus check(const VenueCommand& c) const {
    if ((c.link == 0) != (c.link_role == LinkRole::None)) return VenueStatus::InvalidLink;
    if (c.link == 0) return VenueStatus::Success;
    const Group* const group = find(c.account, c.link);
    const bool bracket = c.link_role != LinkRole::OneCancelsOther;
    const bool parent = c.link_role == LinkRole::BracketParent;
    if (group == nullptr && parent) return VenueStatus::InvalidLink;
    if (group != nullptr) {
      const bool has_pair = group->members[2].has_value();
      if (group->bracket != bracket || group->ended || group->had_parent || has_pair != parent) {
        return VenueStatus::InvalidLink;
      }
    }
    for (const Group& other : groups_) {
      for (const auto& member : other.members) {
        if (member && member->id == c.id) return VenueStatus::DuplicateId;
      }
    }
    return group == nullptr && groups_.size() == groups_max_ ? VenueStatus::NoRoomForLink : VenueStatus::Success;
  }

  void add(const VenueCommand& c) {
    if (c.link == 0) return;
    Group* group = find(c.account, c.link);
    if (group == nullptr) {
      groups_.push_back({c.account, c.link, c.link_role != LinkRole::OneCancelsOther, {}});
      group = &groups_.back();
    }
    Member member{c.id, c.quantity, 0, 0, false, {}};
    if (c.link_role == LinkRole::BracketParent) {
      group->had_parent = true;
      group->members[0] = member;
      return;
    }
    if (c.link_role == LinkRole::BracketChild) {
      member.waits = true;
      member.child = c;
      member.child->link = 0;
      member.child->link_role = LinkRole::None;
      children_.push_back(c.id);
    }
    group->members[group->members[1] ? 2 : 1] = member;
  }

  [[nodiscard]] std::optional<VenueCommand> waiting(OrderId id) const {
    for (const Group& group : groups_) {
      for (const auto& member : group.members) {
        if (member && member->id == id && member->waits) return member->child;
      }
    }
    return {};
  }
  /// Those of a scope in the order of a mass cancel with an owner.
  [[nodiscard]] std::vector<VenueCommand> waiting_in(const CancelScope& scope) const {
    std::vector<VenueCommand> found;
    for (const OrderId id : children_) {
      const auto c = waiting(id);
      if (c && (scope.owner == 0 || scope.owner == c->account) && scope.book.value_or(c->book) == c->book &&
          scope.side.value_or(c->side) == c->side && scope.lowest <= c->price && c->price <= scope.highest) {
        found.push_back(*c);
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const VenueCommand& a, const VenueCommand& b) {
      return a.book != b.book ? a.book < b.book : a.side < b.side;
    });
    return found;
  }

  void filled(OrderId id, Quantity lots) {
    Group* const group = of(id);
    if (group == nullptr || lots == 0) return;
    const bool by_parent = group->members[0] && group->members[0]->id == id;
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      auto& other = group->members[i];
      if (!other || other->id == id) continue;
      if (by_parent) {
        const Quantity by = std::min(lots, other->left);
        other->left -= by;
        other->grows += by;
      } else {
        other->shrinks += lots;
      }
    }
    touch(*group);
  }

  void ended(OrderId id) {
    Group* const group = of(id);
    if (group == nullptr) return;
    const bool parent = group->members[0] && group->members[0]->id == id;
    remove(id);
    if (parent) {
      // What it has placed, or is about to place, goes on without it.
      const auto& child = group->members[1] ? group->members[1] : group->members[2];
      if (!child || !child->waits || child->grows != 0) return;
    }
    group->ended = true;
  }
  /// Of an order that was refused after its wait: the other of a pair stays.
  void refused(OrderId id) {
    Group* const group = of(id);
    if (group == nullptr) return;
    if (group->members[0] && group->members[0]->id == id) return ended(id);
    remove(id);
  }
  void remove(OrderId id) {
    Group* const group = of(id);
    if (group == nullptr) return;
    for (auto& member : group->members) {
      if (member && member->id == id) member.reset();
    }
    std::erase(children_, id);
    std::erase(held_, id);
    touch(*group);
  }
  void rename(OrderId id, OrderId new_id) {
    if (Group* const group = of(id)) {
      for (auto& member : group->members) {
        if (!member || member->id != id) continue;
        member->id = new_id;
        if (member->child) member->child->id = new_id;
      }
      std::ranges::replace(held_, id, new_id);
    }
  }

  /// A book takes orders again.
  void wake(BookNumber book) {
    for (const OrderId id : std::vector(held_)) {
      for (const Group& group : groups_) {
        for (const auto& member : group.members) {
          if (!member || member->id != id || member->child->book != book) continue;
          std::erase(held_, id);
          touch(group);
        }
      }
    }
  }

  /// `ready(step)` says whether a book takes what a child needs; what it does not is held until `wake`.
  template <class Ready>
  std::optional<LinkStep> next(const Ready& ready) {
    while (!touched_.empty()) {
      const auto [account, link] = touched_.front();
      Group& group = *find(account, link);
      if (const auto step = step_of(group, ready)) return step;
      touched_.erase(touched_.begin());
      if (std::ranges::none_of(group.members, [](const auto& member) { return member.has_value(); })) {
        groups_.remove_if([&](const Group& one) { return &one == &group; });
      }
    }
    return {};
  }

 private:
  struct Member {
    OrderId id;
    Quantity left, grows, shrinks;
    bool waits;                         ///< it is a child that has not been placed
    std::optional<VenueCommand> child;  ///< as it came
  };
  struct Group {
    AccountNumber account;
    std::uint64_t link;
    bool bracket;
    std::array<std::optional<Member>, 3> members;  ///< the parent, then the pair
    bool had_parent = false;
    bool ended = false;
  };
  struct Touched {
    AccountNumber account;
    std::uint64_t link;
    friend bool operator==(const Touched&, const Touched&) = default;
  };

  [[nodiscard]] const Group* find(AccountNumber account, std::uint64_t link) const {
    for (const Group& group : groups_) {
      if (group.account == account && group.link == link) return &group;
    }
    return nullptr;
  }
  [[nodiscard]] Group* find(AccountNumber account, std::uint64_t link) {
    return const_cast<Group*>(std::as_const(*this).find(account, link));
  }
  [[nodiscard]] Group* of(OrderId id) {
    for (Group& group : groups_) {
      for (const auto& member : group.members) {
        if (member && member->id == id) return &group;
      }
    }
    return nullptr;
  }
  void touch(const Group& group) {
    const Touched one{group.account, group.link};
    if (std::ranges::find(touched_, one) == touched_.end()) touched_.push_back(one);
  }

  template <class Ready>
  std::optional<LinkStep> step_of(Group& group, const Ready& ready) {
    for (auto& member : group.members) {
      if (group.ended && member) return gone(member);
    }
    if (group.ended) return {};
    for (auto& member : group.members) {
      if (!member || member->grows == 0) continue;
      const LinkStep step{member->waits ? LinkStepType::Place : LinkStepType::Grow, member->id, member->grows,
                          *member->child};
      if (!ready(step)) {
        if (std::ranges::find(held_, member->id) == held_.end()) held_.push_back(member->id);
        continue;
      }
      member->grows = 0;
      std::erase(held_, member->id);
      if (!std::exchange(member->waits, false)) return step;
      std::erase(children_, member->id);
      LinkStep placed = step;
      placed.command.quantity = step.quantity;
      return placed;
    }
    for (auto& member : group.members) {
      if (!member || member->shrinks == 0) continue;
      // What is held is lost first.
      const Quantity by = std::min(member->grows, member->shrinks);
      member->grows -= by;
      member->shrinks -= by;
      if (member->grows == 0) std::erase(held_, member->id);
      if (member->waits && member->grows == 0) {
        group.ended = true;
        return gone(member);
      }
      if (member->shrinks == 0) continue;
      return LinkStep{LinkStepType::Reduce, member->id, std::exchange(member->shrinks, 0), {}};
    }
    return {};
  }
  LinkStep gone(std::optional<Member>& member) {
    LinkStep step{LinkStepType::Cancel, member->id, 0, {}};
    if (member->waits) {
      step.type = LinkStepType::Drop;
      step.command = *member->child;
    }
    std::erase(children_, member->id);
    std::erase(held_, member->id);
    member.reset();
    return step;
  }

  std::size_t groups_max_;
  std::list<Group> groups_;
  std::vector<Touched> touched_;   ///< groups that may have steps, in the order in which something happened
  std::vector<OrderId> children_;  ///< that wait, in the order in which they came
  std::vector<OrderId> held_;      ///< children whose book did not take their lots, in this order
};

}  // namespace llmes::test
