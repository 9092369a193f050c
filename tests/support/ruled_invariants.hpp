// SPDX-License-Identifier: MIT
//
// What must hold in what rules keep beside the pool, and that it agrees with the oracle: the terms of each order,
// what of each level is not displayed, the list of each owner, and zeros for all else.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/rules_oracle.hpp"

namespace llmes::test {

/// `book`: one of those that share a pool. `orders`: those of the oracle, of all books.
template <class Book, class State>
class RulesWalk {
 public:
  RulesWalk(const Book& book, const State& state, const RuledOrders& orders)
      : book_(book), state_(state), orders_(orders) {}

  /// What is broken; empty if nothing is.
  std::string broken() {
    std::vector<Terms> expected(Inspector::slot_count(book_), Terms{});
    Quantity reserves = 0;
    std::size_t used = 0;
    std::size_t hidden = 0;
    for (const RuledOrder& order : orders_) {
      const SlotIndex slot = order.shown.handle.index;
      const std::string what = broken_order(order, slot);
      if (!what.empty()) return what;
      expected[slot] = state_[slot];
      Terms& level = expected[Inspector::level_of(book_, slot)];
      level.reserve += order.reserve;
      reserves += order.reserve;
      used += order.owner != 0 || order.display != Display::Whole ? 1 : 0;
      if (!order.is_hidden()) continue;
      ++level.hidden_count();
      ++hidden;
    }
    for (SlotIndex anchor = 0; anchor < Inspector::first_order_slot(book_); ++anchor) {
      if (expected[anchor].hidden_count() > 0) expected[anchor].first_hidden() = first_hidden(anchor);
    }
    for (SlotIndex slot = 0; slot < expected.size(); ++slot) {
      if (std::memcmp(&expected[slot], &state_[slot], sizeof(Terms)) != 0)
        return "rules: the entry of slot " + std::to_string(slot) + " is wrong";
    }
    if (state_.reserves != reserves) return "rules: the sum of reserves is wrong";
    if (state_.used != used) return "rules: the count of orders with terms is wrong";
    if (state_.hidden != hidden) return "rules: the count of hidden orders is wrong";
    return broken_lists();
  }

 private:
  using Inspector = BookInspector;
  using Terms = std::remove_cvref_t<decltype(std::declval<const State&>()[0])>;

  std::string broken_order(const RuledOrder& order, SlotIndex slot) const {
    const auto wrong = [slot](const char* what) {
      return "rules: slot " + std::to_string(slot) + " has the wrong " + what;
    };
    const Terms& terms = state_[slot];
    if (terms.owner != order.owner) return wrong("owner");
    if (terms.display() != order.display) return wrong("display");
    if (terms.peak != (order.display == Display::Reserve ? order.peak : 0)) return wrong("peak");
    if (terms.reserve != order.reserve) return wrong("reserve");
    if (terms.used() != (order.owner != 0 || order.display != Display::Whole)) return wrong("count");
    const bool is_first = Inspector::notes_first<Book> && order.is_first;
    if (!order.is_hidden() && terms.opened() != is_first) return wrong("place");
    if (order.owner == 0 && (terms.previous != 0 || terms.next != 0)) return wrong("links");
    return {};
  }

  [[nodiscard]] SlotIndex first_hidden(SlotIndex anchor) const {
    SlotIndex order = Inspector::next(book_, anchor);
    while (order != anchor && !state_[order].hidden()) order = Inspector::next(book_, order);
    return order;
  }

  /// The list of each owner has his orders, those of a part of a queue in its order, and links back.
  std::string broken_lists() const {
    std::set<Owner> owners;
    for (const RuledOrder& order : orders_) {
      if (order.owner != 0) owners.insert(order.owner);
    }
    if (Inspector::owner_count(state_) != owners.size()) return "rules: the count of owners is wrong";
    std::vector<std::size_t> places(Inspector::slot_count(book_));  // in order of arrival, from 1
    std::map<Owner, std::size_t> counts;
    for (const RuledOrder& order : orders_) places[order.shown.handle.index] = ++counts[order.owner];
    struct Latest {
      Owner owner;
      std::size_t place;
    };
    std::vector<Latest> latest(2 * places.size());  // of each level: among the displayed, and the hidden
    for (const Owner owner : owners) {
      const SlotIndex first = Inspector::first_of(state_, owner);
      SlotIndex at = first;
      for (std::size_t i = 0; i < counts[owner]; ++i) {
        const SlotIndex next = state_[at].next;
        if (state_[at].owner != owner || places[at] == 0 || state_[next].previous != at)
          return "rules: the list of an owner is wrong";
        Latest& before = latest[2 * Inspector::level_of(book_, at) + (state_[at].hidden() ? 1 : 0)];
        if (before.owner == owner && before.place >= places[at])
          return "rules: the list of an owner is not in the order of a queue";
        before = {owner, places[at]};
        at = next;
      }
      if (at != first) return "rules: the list of an owner does not end";
    }
    return {};
  }

  const Book& book_;
  const State& state_;
  const RuledOrders& orders_;
};

template <std::size_t N, template <std::size_t> class SideBookOf, class Rules>
std::string broken_rules(const OrderBook<N, SideBookOf, Rules>& book, const RuledOrders& orders) {
  return RulesWalk(book, BookInspector::rules(book), orders).broken();
}
template <class Orders, class Rules>
std::string broken_rules(const BasicBookSet<Orders, Rules>& set, const RuledOrders& orders) {
  return RulesWalk(BookInspector::books(set).front(), BookInspector::rules(set), orders).broken();
}

}  // namespace llmes::test
