// SPDX-License-Identifier: MIT
//
// Linked orders: which steps follow from what happens to one of them, alone and in a small world with many.
#include "llmes/venue/linked_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/state_bytes.hpp"
#include "tests/venue/images.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test {
namespace {

using Lines = std::vector<std::string>;

/// A limit order of 10 lots of account 1 with a link.
VenueCommand linked(OrderId id, LinkRole role, std::uint64_t link = 7) {
  VenueCommand order;
  order.id = id;
  order.account = 1;
  order.price = 100;
  order.quantity = 10;
  order.link = link;
  order.link_role = role;
  return order;
}
VenueCommand one(OrderId id, std::uint64_t link = 7) {
  return linked(id, LinkRole::OneCancelsOther, link);
}
VenueCommand child(OrderId id, std::uint64_t link = 7) {
  return linked(id, LinkRole::BracketChild, link);
}
VenueCommand parent(OrderId id, std::uint64_t link = 7) {
  return linked(id, LinkRole::BracketParent, link);
}

class LinkedOrdersTest : public testing::Test {
 protected:
  template <class... Orders>
  void add(const Orders&... orders) {
    for (const VenueCommand& order : {orders...}) {
      EXPECT_EQ(links.check(order), VenueStatus::Success) << order.id;
      links.add(order);
    }
  }
  Lines steps() {
    Lines lines;
    while (const auto step = links.next(ready)) {
      const std::string lots = std::to_string(step->quantity);
      const std::string id = std::to_string(step->id);
      switch (step->type) {
        case LinkStepType::Place: lines.push_back("place " + id + " " + lots); break;
        case LinkStepType::Grow: lines.push_back("grow " + id + " " + lots); break;
        case LinkStepType::Reduce: lines.push_back("reduce " + id + " " + lots); break;
        case LinkStepType::Cancel: lines.push_back("cancel " + id); break;
        case LinkStepType::Drop: lines.push_back("drop " + id); break;
      }
      const bool has_command = step->type == LinkStepType::Place || step->type == LinkStepType::Grow ||
                               step->type == LinkStepType::Drop;
      EXPECT_EQ(step->command.id, has_command ? step->id : 0);
    }
    return lines;
  }
  void expect_refused(VenueStatus status, const VenueCommand& order) {
    const auto before = state_of(links);
    EXPECT_EQ(links.check(order), status);
    EXPECT_EQ(state_of(links), before);
  }

  static constexpr LinkConfig config{.groups = 2};
  LinkedOrders links = made<LinkedOrders>(config);
  std::vector<BookNumber> closed;  ///< books that take nothing
  std::function<bool(const LinkStep&)> ready = [this](const LinkStep& step) {
    return std::ranges::find(closed, step.command.book) == closed.end();
  };
};

TEST_F(LinkedOrdersTest, OfAPairWhatOneTradesTheOtherLoses) {
  add(one(1), one(2));
  links.on_fill(1, 3);
  links.on_fill(1, 2);
  EXPECT_EQ(steps(), Lines{"reduce 2 5"});
  links.on_fill(2, 4);
  EXPECT_EQ(steps(), Lines{"reduce 1 4"});
  EXPECT_EQ(steps(), Lines{});
}

TEST_F(LinkedOrdersTest, TheEndOfOneCancelsTheOther) {
  add(one(1), one(2));
  links.on_end(2);
  EXPECT_EQ(steps(), Lines{"cancel 1"});
  EXPECT_EQ(links.size(), 0u);
  add(one(1), one(2));
  links.on_fill(1, 10);
  links.on_end(1);
  EXPECT_EQ(steps(), Lines{"cancel 2"}) << "filled whole, and not first reduced";
}

TEST_F(LinkedOrdersTest, ASweepThatFillsBothEndsBoth) {
  add(one(1), one(2));
  links.on_fill(1, 10);
  links.on_end(1);
  links.on_fill(2, 10);
  links.on_end(2);
  EXPECT_EQ(steps(), Lines{});
  EXPECT_EQ(links.size(), 0u);
}

TEST_F(LinkedOrdersTest, TheFirstOfAPairMayEndAlone) {
  add(one(1));
  links.on_fill(1, 3);
  EXPECT_EQ(steps(), Lines{});
  add(one(2));
  links.on_end(1);
  EXPECT_EQ(steps(), Lines{"cancel 2"});
  add(one(3));
  links.on_end(3);
  EXPECT_EQ(steps(), Lines{});
  add(one(4), one(5));
  links.on_end(5);
  EXPECT_EQ(steps(), Lines{"cancel 4"}) << "the link is free for another pair";
}

TEST_F(LinkedOrdersTest, AFillOfTheParentPlacesTheChildren) {
  add(child(1), child(2), parent(3));
  EXPECT_TRUE(links.find_waiting(1));
  EXPECT_FALSE(links.find_waiting(3));
  EXPECT_EQ(steps(), Lines{});
  links.on_fill(3, 10);
  links.on_end(3);
  EXPECT_EQ(steps(), (Lines{"place 1 10", "place 2 10"}));
  EXPECT_FALSE(links.find_waiting(1));
  links.on_fill(2, 4);
  EXPECT_EQ(steps(), Lines{"reduce 1 4"});
  links.on_fill(1, 6);
  links.on_end(1);
  EXPECT_EQ(steps(), Lines{"cancel 2"});
  EXPECT_EQ(links.size(), 0u);
}

TEST_F(LinkedOrdersTest, PartialFillsOfTheParentLetTheChildrenGrow) {
  VenueCommand small = child(2);
  small.quantity = 6;
  add(child(1), small, parent(3));
  links.on_fill(3, 2);
  links.on_fill(3, 1);
  EXPECT_EQ(steps(), (Lines{"place 1 3", "place 2 3"}));
  links.on_fill(3, 4);
  EXPECT_EQ(steps(), (Lines{"grow 1 4", "grow 2 3"})) << "2 has its whole quantity";
  links.on_fill(3, 3);
  links.on_end(3);
  EXPECT_EQ(steps(), Lines{"grow 1 3"});
  links.on_fill(1, 1);
  EXPECT_EQ(steps(), Lines{"reduce 2 1"});
}

TEST_F(LinkedOrdersTest, WhatABookDoesNotTakeIsHeldUntilItIsWoken) {
  add(in(1, child(1)), child(2), parent(3), in(1, child(4, 8)), in(1, child(5, 8)), parent(6, 8));
  closed = {1};
  links.on_fill(6, 2);
  links.on_fill(3, 4);
  EXPECT_EQ(steps(), Lines{"place 2 4"});
  EXPECT_TRUE(links.find_waiting(1));
  links.wake(0);
  links.wake(1);
  EXPECT_EQ(steps(), Lines{}) << "the book is asked again";
  EXPECT_TRUE(links.holds());
  links.on_fill(3, 1);
  EXPECT_EQ(steps(), Lines{"grow 2 1"});
  closed = {};
  EXPECT_EQ(steps(), Lines{}) << "nobody has woken it";
  links.wake(1);
  EXPECT_EQ(steps(), (Lines{"place 4 2", "place 5 2", "place 1 5"})) << "first held, first placed";
  links.wake(1);
  EXPECT_EQ(steps(), Lines{});
  closed = {1};
  links.on_fill(3, 2);
  EXPECT_EQ(steps(), Lines{"grow 2 2"});
  links.on_fill(2, 1);
  EXPECT_EQ(steps(), Lines{}) << "taken off what is held";
  links.on_fill(2, 3);
  EXPECT_EQ(steps(), Lines{"reduce 1 2"}) << "3, of which one was held";
  links.wake(1);
  closed = {};
  EXPECT_EQ(steps(), Lines{});
  EXPECT_TRUE(links.holds());
}

TEST_F(LinkedOrdersTest, WhatIsHeldLeavesWithItsGroup) {
  add(in(1, child(1)), child(2), parent(3));
  closed = {1};
  links.on_fill(3, 4);
  EXPECT_EQ(steps(), Lines{"place 2 4"});
  links.on_fill(2, 4);
  links.on_end(2);
  EXPECT_EQ(steps(), (Lines{"cancel 3", "drop 1"}));
  add(in(1, child(1)), child(2), parent(3));
  links.on_fill(3, 4);
  links.on_end(3);
  EXPECT_EQ(steps(), Lines{"place 2 4"});
  links.on_fill(2, 4);
  EXPECT_EQ(steps(), (Lines{"drop 1", "cancel 2"})) << "it has no lots to come";
  EXPECT_EQ(links.size(), 0u);
  links.wake(1);
  EXPECT_EQ(steps(), Lines{});
  EXPECT_TRUE(links.holds());
}

TEST_F(LinkedOrdersTest, AParentThatIsRefusedDropsTheChildren) {
  add(child(1), child(2), parent(3), one(4, 8), one(5, 8));
  links.on_refused(3);
  links.on_refused(4);
  EXPECT_EQ(steps(), (Lines{"drop 1", "drop 2"}));
  EXPECT_EQ(links.size(), 1u);
}

TEST_F(LinkedOrdersTest, WhatIsPlacedIsTheChildWithoutItsLinkAndWithFewerLots) {
  VenueCommand first = child(1);
  first.display = Display::Reserve;
  first.peak = 8;
  first.minimum = 7;
  first.trigger = 95;
  add(first, child(2), parent(3));
  links.on_fill(3, 4);
  VenueCommand placed = first;
  placed.link = 0;
  placed.link_role = LinkRole::None;
  EXPECT_EQ(links.find_waiting(1), placed);
  const VenueCommand whole = placed;
  placed.quantity = 4;
  EXPECT_EQ(links.next(ready), (LinkStep{LinkStepType::Place, 1, 4, placed}));
  EXPECT_EQ(links.next(ready)->id, 2u);
  links.on_fill(3, 1);
  EXPECT_EQ(links.next(ready), (LinkStep{LinkStepType::Grow, 1, 1, whole}));
}

TEST_F(LinkedOrdersTest, LotsComeBeforeOthersGo) {
  add(child(1), child(2), parent(3));
  links.on_fill(3, 2);
  EXPECT_EQ(steps(), (Lines{"place 1 2", "place 2 2"}));
  links.on_fill(3, 5);
  links.on_fill(1, 2);
  EXPECT_EQ(steps(), (Lines{"grow 1 5", "grow 2 5", "reduce 2 2"}));
}

TEST_F(LinkedOrdersTest, AChildThatTradesAsItIsPlacedTakesLotsOffTheOther) {
  add(child(1), child(2), parent(3));
  links.on_fill(3, 10);
  EXPECT_EQ(links.next(ready)->type, LinkStepType::Place);
  links.on_fill(1, 3);
  EXPECT_EQ(steps(), (Lines{"place 2 10", "reduce 2 3"}));
}

TEST_F(LinkedOrdersTest, AChildThatEndsAsItIsPlacedDropsTheOther) {
  add(child(1), child(2), parent(3));
  links.on_fill(3, 4);
  EXPECT_EQ(links.next(ready)->id, 1u);
  links.on_fill(1, 4);
  links.on_end(1);
  EXPECT_EQ(steps(), (Lines{"cancel 3", "drop 2"}));
}

TEST_F(LinkedOrdersTest, AChildThatCouldNotBePlacedLeavesTheOther) {
  add(child(1), child(2), parent(3));
  links.on_fill(3, 10);
  EXPECT_EQ(links.next(ready)->id, 1u);
  links.on_refused(1);
  EXPECT_EQ(steps(), Lines{"place 2 10"});
  links.on_fill(2, 3);
  EXPECT_EQ(steps(), Lines{});
}

TEST_F(LinkedOrdersTest, AParentThatEndsWithoutAFillDropsTheChildren) {
  add(child(1), child(2), parent(3));
  links.on_end(3);
  EXPECT_EQ(steps(), (Lines{"drop 1", "drop 2"}));
}

TEST_F(LinkedOrdersTest, AParentThatEndsAfterAFillLeavesThem) {
  add(child(1), child(2), parent(3));
  links.on_fill(3, 1);
  EXPECT_EQ(steps(), (Lines{"place 1 1", "place 2 1"}));
  links.on_end(3);
  EXPECT_EQ(steps(), Lines{});
  EXPECT_EQ(links.size(), 2u);
}

TEST_F(LinkedOrdersTest, TheEndOfAChildEndsTheOtherAndTheRestOfTheParent) {
  add(child(1), child(2), parent(3));
  links.on_end(2);
  EXPECT_EQ(steps(), (Lines{"cancel 3", "drop 1"}));
  add(child(1), child(2), parent(3));
  links.on_fill(3, 5);
  EXPECT_EQ(steps(), (Lines{"place 1 5", "place 2 5"}));
  links.on_fill(1, 5);
  links.on_end(1);
  EXPECT_EQ(steps(), (Lines{"cancel 3", "cancel 2"}));
}

TEST_F(LinkedOrdersTest, GroupsHaveStepsInTheOrderInWhichTheyWereTouched) {
  add(one(1, 7), one(2, 7), one(3, 8), one(4, 8));
  links.on_fill(4, 1);
  links.on_fill(1, 2);
  links.on_end(4);
  EXPECT_EQ(steps(), (Lines{"cancel 3", "reduce 2 2"}));
}

TEST_F(LinkedOrdersTest, AReplacedOrderKeepsItsLink) {
  add(one(1), one(2), child(3, 8));
  links.rename(1, 5);
  links.rename(3, 6);
  links.rename(9, 10);
  EXPECT_EQ(links.find_waiting(6)->id, 6u);
  links.on_end(1);
  EXPECT_EQ(steps(), Lines{});
  links.on_fill(5, 2);
  EXPECT_EQ(steps(), Lines{"reduce 2 2"});
  links.on_fill(2, 1);
  EXPECT_EQ(steps(), Lines{"reduce 5 1"});
}

TEST_F(LinkedOrdersTest, NobodyHearsOfOrdersWithoutALink) {
  VenueCommand order = one(1);
  order.link = 0;
  order.link_role = LinkRole::None;
  add(order);
  links.on_fill(1, 3);
  links.on_end(1);
  links.on_refused(1);
  EXPECT_EQ(steps(), Lines{});
  EXPECT_EQ(links.size(), 0u);
}

TEST_F(LinkedOrdersTest, AMassCancelEndsWhatWaits) {
  VenueCommand sell = child(1);
  sell.side = Side::Sell;
  VenueCommand other = child(3, 8);
  other.account = 2;
  VenueCommand far = child(2);
  far.price = 50;
  add(sell, far, other);
  const auto gone = [&](const CancelScope& scope) {
    Lines lines;
    links.mass_cancel(scope, [&](const VenueCommand& order) { lines.push_back(std::to_string(order.id)); });
    return lines;
  };
  EXPECT_EQ(gone({.owner = 3}), Lines{});
  EXPECT_EQ(gone({.owner = 1, .book = 1}), Lines{});
  EXPECT_EQ(gone({.lowest = 101}), Lines{});
  EXPECT_EQ(gone({.owner = 1}), (Lines{"2", "1"})) << "buys before sells";
  EXPECT_EQ(steps(), Lines{});
  EXPECT_EQ(gone({}), Lines{"3"});
  EXPECT_EQ(steps(), Lines{});
  add(other, far, sell);
  links.on_end(3);
  EXPECT_EQ(steps(), Lines{});
  other.id = 4;
  add(other);
  EXPECT_EQ(gone({}), (Lines{"2", "4", "1"})) << "4 has the place that 3 had, and came later";
  EXPECT_EQ(steps(), Lines{});
  add(sell, far);
  EXPECT_EQ(gone({.owner = 1, .side = Side::Buy}), Lines{"2"});
  EXPECT_EQ(steps(), Lines{"drop 1"});
  add(child(1), child(2), parent(3));
  links.on_fill(3, 2);
  steps();
  EXPECT_EQ(gone({.owner = 1}), Lines{}) << "what was placed rests in its book";
}

TEST_F(LinkedOrdersTest, RefusesOrdersThatDoNotFitTheirGroup) {
  expect_refused(VenueStatus::InvalidCommand, linked(1, LinkRole{4}));
  expect_refused(VenueStatus::InvalidLink, linked(1, LinkRole::None));
  expect_refused(VenueStatus::InvalidLink, one(1, 0));
  expect_refused(VenueStatus::InvalidLink, parent(1));
  add(one(1));
  expect_refused(VenueStatus::InvalidLink, child(2));
  expect_refused(VenueStatus::InvalidLink, parent(2));
  expect_refused(VenueStatus::DuplicateId, one(1));
  expect_refused(VenueStatus::DuplicateId, one(1, 8));
  add(one(2));
  expect_refused(VenueStatus::InvalidLink, one(3));
  add(child(4, 8));
  expect_refused(VenueStatus::InvalidLink, one(5, 8));
  expect_refused(VenueStatus::InvalidLink, parent(5, 8));
  add(child(5, 8));
  expect_refused(VenueStatus::InvalidLink, child(6, 8));
  add(parent(6, 8));
  expect_refused(VenueStatus::InvalidLink, child(9, 8));
  expect_refused(VenueStatus::InvalidLink, parent(9, 8));
  expect_refused(VenueStatus::NoRoomForLink, one(9, 9));
  VenueCommand other = one(9, 7);
  other.account = 2;
  expect_refused(VenueStatus::NoRoomForLink, other);
  links.on_fill(6, 10);
  links.on_end(6);
  steps();
  expect_refused(VenueStatus::InvalidLink, parent(9, 8));
}

TEST_F(LinkedOrdersTest, OneThatWasMovedFromHoldsNothing) {
  add(one(1), one(2));
  links.on_fill(1, 1);
  LinkedOrders moved = std::move(links);
  EXPECT_EQ(links.size(), 0u);
  EXPECT_EQ(steps(), Lines{});
  EXPECT_EQ(links.check(one(1)), VenueStatus::NoRoomForLink);
  links = std::move(moved);
  EXPECT_EQ(steps(), Lines{"reduce 2 1"});
}

TEST(LinkedOrdersCreate, RefusesNoRoomAndTooMuch) {
  CreateStatus status{};
  EXPECT_FALSE(LinkedOrders::create({.groups = 0}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(LinkedOrders::create({.groups = (std::size_t{1} << 24) + 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
}

// ---- A small world: a venue that only knows how many lots an order has.

/// What is open of each group follows from what its orders have traded.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  void run(int commands) {
    for (int command = 0; command < commands && !testing::Test::HasFailure(); ++command) {
      SCOPED_TRACE(command);
      const std::uint64_t dice = random_.below(100);
      if (dice < 40) {
        add();
      } else if (dice < 80) {
        for (std::uint64_t fills = 1 + random_.below(2); fills > 0; --fills) fill(random_order());
      } else {
        end(random_order());
      }
      if (random_.chance(5)) closed_ = !closed_;
      if (!closed_) links_.wake(0);
      const auto ready = [&](const LinkStep&) { return !closed_; };
      for (int count = 0; const auto step = links_.next(ready); ++count) {
        ASSERT_LT(count, 100) << "steps that never end";
        take(*step);
      }
      check();
      if (command % 50 == 0) {
        EXPECT_TRUE(links_.holds());
        links_ = read_back(links_, config);
      }
    }
  }
  [[nodiscard]] std::size_t placed() const { return placed_; }
  [[nodiscard]] std::size_t reduced() const { return reduced_; }

 private:
  static constexpr LinkConfig config{.groups = 6};
  static constexpr Quantity lots = 10;

  struct Order {
    Quantity open;
    Quantity filled = 0;
    bool waits = false;
    bool gone = false;
  };
  /// By place: the parent, then the pair.
  struct Group {
    bool is_bracket;
    std::array<std::optional<Order>, 3> orders;
  };

  void add() {
    const std::uint64_t link = 1 + random_.below(8);
    const bool is_bracket = link % 2 == 0;
    const auto it = groups_.find(link);
    std::size_t place = 1;
    if (it != groups_.end()) {
      const auto& orders = it->second.orders;
      place = !orders[2] ? 2 : is_bracket && !orders[0] ? 0 : 3;
      if (place == 2 && it->second.orders[1]->filled != 0) return;  // the sums begin with both of them
    }
    const LinkRole role = !is_bracket      ? LinkRole::OneCancelsOther
                          : place % 3 == 0 ? LinkRole::BracketParent
                                           : LinkRole::BracketChild;
    const VenueCommand order = linked(4 * link + place, role, link);
    const VenueStatus expected = place == 3 ? VenueStatus::InvalidLink
                                 : it == groups_.end() && groups_.size() == config.groups
                                     ? VenueStatus::NoRoomForLink
                                     : VenueStatus::Success;
    EXPECT_EQ(links_.check(order), expected);
    if (expected != VenueStatus::Success) return;
    links_.add(order);
    Group& group = groups_[link];
    group.is_bracket = is_bracket;
    group.orders[place] =
        Order{.open = role == LinkRole::BracketChild ? 0 : lots, .waits = role == LinkRole::BracketChild};
    if (role != LinkRole::BracketChild && random_.chance(20)) fill(order.id);
  }
  [[nodiscard]] OrderId random_order() { return 4 * (1 + random_.below(8)) + random_.below(3); }
  /// The order with this id, if it is somewhere.
  Order* find(OrderId id) {
    const auto it = groups_.find(id / 4);
    if (it == groups_.end() || !it->second.orders[id % 4] || it->second.orders[id % 4]->gone) return nullptr;
    return &*it->second.orders[id % 4];
  }
  void fill(OrderId id) {
    Order* order = find(id);
    if (order == nullptr || order->waits) return;
    const Quantity by = random_.chance(30) ? order->open : 1 + random_.below(order->open);
    order->open -= by;
    order->filled += by;
    links_.on_fill(id, by);
    if (order->open == 0) end(id);
  }
  void end(OrderId id) {
    Order* order = find(id);
    if (order == nullptr) return;
    order->gone = true;
    links_.on_end(id);
  }
  void take(const LinkStep& step) {
    Order* order = find(step.id);
    ASSERT_NE(order, nullptr) << step.id;
    EXPECT_EQ(order->waits, step.type == LinkStepType::Place || step.type == LinkStepType::Drop);
    switch (step.type) {
      case LinkStepType::Place:
        ++placed_;
        order->waits = false;
        order->open = step.quantity;
        EXPECT_GT(step.quantity, 0u);
        if (random_.chance(20)) fill(step.id);
        break;
      case LinkStepType::Grow: order->open += step.quantity; break;
      case LinkStepType::Reduce:
        ++reduced_;
        if (step.quantity >= order->open) return end(step.id);
        order->open -= step.quantity;
        break;
      case LinkStepType::Cancel:
      case LinkStepType::Drop: end(step.id); break;
    }
  }
  /// What must be true between commands.
  void check() {
    std::erase_if(groups_, [](const auto& entry) {
      return std::ranges::all_of(entry.second.orders, [](const auto& order) { return !order || order->gone; });
    });
    for (const auto& [link, group] : groups_) {
      SCOPED_TRACE(link);
      const auto& [parent, first, second] = group.orders;
      ASSERT_TRUE(first);
      EXPECT_FALSE(first->gone || (second && second->gone)) << "one of a pair is gone, and another one is not";
      const Quantity traded = first->filled + (second ? second->filled : 0);
      const Quantity entered = group.is_bracket ? (parent ? parent->filled : 0) : lots;
      for (const auto& one : {first, second}) {
        if (!one) continue;
        EXPECT_LE(one->open, entered - traded) << "some may be held";
        if (closed_ && group.is_bracket) continue;
        EXPECT_EQ(one->waits, group.is_bracket && entered == 0);
        EXPECT_EQ(one->open, entered - traded);
      }
    }
  }

  Random random_;
  LinkedOrders links_ = made<LinkedOrders>(config);
  std::map<std::uint64_t, Group> groups_;
  std::size_t placed_ = 0;
  std::size_t reduced_ = 0;
  bool closed_ = false;
};

TEST(LinkedOrdersRandom, WhatIsOpenFollowsFromWhatHasTraded) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    world.run(1'000);
    EXPECT_GT(world.placed(), 10u);
    EXPECT_GT(world.reduced(), 10u);
  }
}

TEST(LinkedOrdersImage, OneThatCannotBeDoesNotHold) {
  const LinkConfig config{.groups = 4};
  auto links = made<LinkedOrders>(config);
  for (const VenueCommand& order : {one(1, 1), one(2, 1), one(3, 2), one(4, 2)}) links.add(order);
  for (OrderId id = 1; id < 4; ++id) links.on_end(id);  // of the first pair nobody is left, of the second one
  const auto not_queued = [](std::uint64_t link) {
    return [link](LinkedOrders& forged) {
      forge(forged, [&](auto& group, std::size_t) -> decltype(void(group.link), void(group.flags)) {
        if (group.link == link) group.flags &= ~1u, group.next = 0;
      });
    };
  };
  expect_none_to_hold(
      links, config, not_queued(1), not_queued(2),
      [](LinkedOrders& forged) {  // no free entry in the table, at which a search would end
        forge(forged,
              [](auto& entry, std::size_t) -> decltype(void(entry.link), void(entry.group)) { entry.group = 1; });
      },
      [](LinkedOrders& forged) {  // free groups that are on no list
        forge(forged, [](auto& group, std::size_t) -> decltype(void(group.link), void(group.flags)) {
          if (group.link == 0) group.next = 0;
        });
      });
}

TEST(LinkedOrdersImage, OneThatIsForgedIsRefusedOrCanBeUsed) {
  const LinkConfig config{.groups = 4};
  auto links = made<LinkedOrders>(config);
  for (const VenueCommand& order : {one(1, 1), one(2, 1), child(3, 2), child(4, 2), parent(5, 2), child(6, 3)}) {
    links.add(order);
  }
  links.on_fill(5, 2);
  EXPECT_FALSE(links.next([](const LinkStep&) { return false; })) << "they are held";
  links.on_fill(1, 3);
  links.on_fill(5, 2);
  expect_forged_images_hold_or_not(links, config, [](LinkedOrders& forged) {
    bool open = false;
    const auto ready = [&](const LinkStep&) { return open; };
    const auto take_steps = [&] {
      std::size_t count = 0;
      for (; forged.next(ready); ++count) {
      }
      EXPECT_LE(count, 24u);
    };
    take_steps();
    if (forged.check(one(10, 9)) == VenueStatus::Success) forged.add(one(10, 9));
    if (forged.check(child(7, 3)) == VenueStatus::Success) forged.add(child(7, 3));
    forged.on_end(2);
    forged.on_fill(4, 1);
    forged.mass_cancel({.owner = 1}, [](const VenueCommand&) {});
    take_steps();
    open = true;
    forged.wake(0);
    take_steps();
    for (OrderId id = 1; id < 8; ++id) forged.on_end(id);
    take_steps();
    forged.mass_cancel({}, [](const VenueCommand&) {});
  });
}

}  // namespace
}  // namespace llmes::test
