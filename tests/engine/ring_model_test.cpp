// SPDX-License-Identifier: MIT
//
// Every order in which the two sides of a small ring can load and store, with every value that a load may see: the
// ring's own code runs on an index that keeps all values it ever had. A load may give any of them that the thread
// has seen nothing newer than, and orders what lies before the store only if it acquires and the store releases.
// Each call of a side loads or stores at most once, so a step of the search is one call, or one touch of one slot.
// What the search finds in a ring that is broken on purpose shows that it would find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "llmes/engine/ring.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t elements_max = 6;
constexpr std::size_t capacity_max = 4;

// Numbers are kept in bytes, so that a whole state is a short string.
using Byte = std::uint8_t;

enum Thread : Byte { Producer, Consumer };

constexpr Thread other(Thread thread) {
  return thread == Producer ? Consumer : Producer;
}

/// How many stores of each thread have happened before something.
using Clock = std::array<Byte, 2>;

Clock later(const Clock& a, const Clock& b) {
  return {std::max(a[0], b[0]), std::max(a[1], b[1])};
}

/// The step under way: who makes it, what has happened before it, and which value its load is to give.
struct Step {
  Thread thread = Producer;
  Clock before{};
  std::size_t choice = 0;   ///< of the values that the load may give, from the newest on
  std::size_t choices = 1;  ///< how many there are, once it has loaded
};
Step step;

/// An index with all the values it ever had. One thread stores, the other one loads.
class ModelIndex {
 public:
  explicit ModelIndex(std::uint64_t value) { stores_.front().value = static_cast<Byte>(value); }

  void store(std::uint64_t value, std::memory_order order) {
    const bool releases = order != std::memory_order_relaxed;
    const Byte time = ++step.before[step.thread];
    Clock made{};
    made[step.thread] = time;
    stores_[count_++] = {static_cast<Byte>(value), made, releases ? step.before : Clock{}};
  }

  std::uint64_t load(std::memory_order order) const {
    // Nothing older than what the thread has seen, or than what it knows to have happened.
    while (oldest_ + 1 < count_ && later(stores_[oldest_ + 1u].made, step.before) == step.before) ++oldest_;
    step.choices = count_ - oldest_;
    oldest_ = static_cast<Byte>(count_ - 1u - step.choice);
    const Store& found = stores_[oldest_];
    if (order != std::memory_order_relaxed) step.before = later(step.before, found.released);
    return found.value;
  }

  void append_to(std::string& key) const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (const Byte byte : {stores_[i].value, stores_[i].made[0], stores_[i].made[1], stores_[i].released[0],
                              stores_[i].released[1]}) {
        key += static_cast<char>(byte);
      }
    }
    key += {static_cast<char>(count_), static_cast<char>(oldest_)};
  }

 private:
  struct Store {
    Byte value;
    Clock made;      ///< the store itself
    Clock released;  ///< what a load of it that acquires has before it
  };

  std::array<Store, elements_max + 1> stores_{};
  Byte count_ = 1;
  mutable Byte oldest_ = 0;  ///< the oldest that the loading thread may still see
};

}  // namespace
}  // namespace llmes::test

struct llmes::RingInspector {
  template <class Side>
  static void append_to(std::string& key, const Side& side) {
    key += {static_cast<char>(side.begin_), static_cast<char>(side.end_), static_cast<char>(side.reached_)};
    side.index_.append_to(key);
  }
};

namespace llmes::test {
namespace {

struct PublishesRelaxed : SpinWait {
  static constexpr std::memory_order publish_order = std::memory_order_relaxed;
};
struct ObservesRelaxed : SpinWait {
  static constexpr std::memory_order observe_order = std::memory_order_relaxed;
};

/// What is wrong with a ring.
enum class Fault {
  None,
  OutsideOfTheRing,  ///< it gives slots that do not lie one after the other in it
  Overwritten,       ///< the producer writes to a slot whose element the consumer has not read and released
  WrongElement,      ///< the consumer gets a slot without the element that is next
  Unordered,         ///< a thread touches a slot, and the other one's touch has not happened before
  Stuck,             ///< something is never received
};

/// A ring to be searched: as it is, or broken on purpose.
struct SearchedRing {
  std::size_t capacity = 2;
  std::size_t elements = 4;
  std::size_t free_at_first = capacity;  ///< how many slots the producer takes for free in an empty ring
  std::size_t full_at_first = 0;         ///< how many the consumer takes for published
  bool publishes_unwritten = false;      ///< a producer that publishes and then writes
  bool releases_unread = false;          ///< a consumer that releases and then reads
};

void PrintTo(const SearchedRing& ring, std::ostream* out) {
  *out << "capacity_" << ring.capacity << "_elements_" << ring.elements;
}

/// Both threads, and all that they share, between two steps.
template <class Wait>
class World {
 public:
  using Index = RingSide<ModelIndex, Wait>;

  explicit World(const SearchedRing& ring)
      : ring_(ring),
        sides_{Side{Index(ring.capacity, ring.free_at_first)}, Side{Index(ring.capacity, ring.full_at_first)}} {}

  /// Whether everything has been sent and received.
  bool done() const { return sides_[Consumer].handed_over == ring_.elements; }

  /// Gives `visit` each world that one step leads to, with what is wrong with it.
  template <class Visit>
  void each_next(const Visit& visit) const {
    for (const Thread thread : {Producer, Consumer}) {
      const Side& side = sides_[thread];
      const std::size_t left = ring_.elements - side.handed_over;
      for (std::size_t most = 1; most <= std::min(ring_.capacity, left) && side.reached == 0; ++most) {
        std::size_t choice = 0;
        do {
          visit_after(thread, choice, visit, [&](World& world) { return world.reach(thread, most); });
        } while (++choice < step.choices);
      }
      if (side.touched < side.reached) {
        visit_after(thread, 0, visit, [&](World& world) { return world.touch(thread); });
      }
      const bool early = thread == Producer ? ring_.publishes_unwritten : ring_.releases_unread;
      const std::size_t ready = early ? side.reached : side.touched;
      for (std::size_t count = 1; count <= ready && !side.early; ++count) {
        visit_after(thread, 0, visit, [&](World& world) { return world.hand_over(thread, count, early); });
      }
    }
  }

  /// The whole state: worlds with the same one have the same future.
  std::string key() const {
    std::string key;
    for (const Side& side : sides_) {
      key +=
          {static_cast<char>(side.handed_over), static_cast<char>(side.first), static_cast<char>(side.reached),
           static_cast<char>(side.touched),     static_cast<char>(side.early), static_cast<char>(side.before[0]),
           static_cast<char>(side.before[1])};
      RingInspector::append_to(key, side.index);
    }
    for (std::size_t i = 0; i < ring_.capacity; ++i) {
      const Slot& slot = slots_[i];
      key += {static_cast<char>(slot.element), static_cast<char>(slot.read), static_cast<char>(slot.touched[0]),
              static_cast<char>(slot.touched[1])};
    }
    return key;
  }

 private:
  struct Side {
    Index index;
    Clock before{};  ///< what has happened before the thread's next step
    std::size_t handed_over = 0;
    std::size_t first = 0;    ///< the slots that it has got ...
    std::size_t reached = 0;  ///< ... how many they are ...
    std::size_t touched = 0;  ///< ... and how many of them it has written or read
    bool early = false;       ///< it has handed them over before that
  };
  struct Slot {
    Byte element = 0;  ///< its number, from 1; 0 before the first
    bool read = true;  ///< the consumer has read it
    Clock touched{};   ///< when each thread did last
  };

  template <class Visit, class Make>
  void visit_after(Thread thread, std::size_t choice, const Visit& visit, const Make& make) const {
    World world = *this;
    step = {thread, world.sides_[thread].before, choice};
    const Fault fault = make(world);
    world.sides_[thread].before = step.before;
    const std::size_t choices = step.choices;
    visit(world, fault);
    step.choices = choices;  // the visit may have made steps
  }

  Fault reach(Thread thread, std::size_t most) {
    Side& side = sides_[thread];
    const auto [first, count] = side.index.reach(most, sides_[other(thread)].index);
    side.first = first;
    side.reached = count;
    return count <= most && first + count <= ring_.capacity ? Fault::None : Fault::OutsideOfTheRing;
  }

  Fault touch(Thread thread) {
    Side& side = sides_[thread];
    Slot& slot = slots_[side.first + side.touched];
    const std::size_t done = side.early ? side.handed_over - side.reached : side.handed_over;
    const auto element = static_cast<Byte>(done + side.touched + 1);
    ++side.touched;
    if (side.early && side.touched == side.reached) forget(side);
    if (thread == Producer) {
      const bool published = slot.element <= sides_[Producer].handed_over;
      const bool released = slot.read && slot.element <= sides_[Consumer].handed_over;
      if (published && !released && slot.element != element) return Fault::Overwritten;
      slot.element = element;
      slot.read = false;
    } else {
      if (slot.element != element) return Fault::WrongElement;
      slot.read = true;
    }
    const Thread against = other(thread);
    if (slot.touched[against] > step.before[against]) return Fault::Unordered;
    slot.touched[thread] = static_cast<Byte>(step.before[thread] + 1);  // the thread's next store comes after it
    return Fault::None;
  }

  Fault hand_over(Thread thread, std::size_t count, bool early) {
    Side& side = sides_[thread];
    side.index.hand_over(count);
    side.handed_over += count;
    if (early && side.touched < count) {
      side.reached = count;
      side.early = true;
    } else {
      forget(side);
    }
    return Fault::None;
  }

  static void forget(Side& side) {
    side.first = side.reached = side.touched = 0;
    side.early = false;
  }

  SearchedRing ring_;
  std::array<Side, 2> sides_;
  std::array<Slot, capacity_max> slots_{};
};

struct Found {
  std::set<Fault> faults;
  std::size_t states = 0;  ///< how many different ones the search has seen
  std::size_t ends = 0;    ///< how many of them lead to no other one
};

/// Goes to every state that steps without a fault lead to, or until it finds the fault that is `wanted`. No step
/// goes back, other than one that looks and finds nothing new, so a state that leads to no other one is the end.
template <class Wait = SpinWait>
Found search(const SearchedRing& ring, Fault wanted = Fault::None) {
  Found found;
  std::unordered_set<std::string> seen;
  std::vector<World<Wait>> waiting;
  const auto meet = [&](const World<Wait>& world) {
    if (seen.insert(world.key()).second) waiting.push_back(world);
  };
  meet(World<Wait>(ring));
  while (!waiting.empty() && !found.faults.contains(wanted)) {
    const World<Wait> world = waiting.back();
    waiting.pop_back();
    ++found.states;
    bool goes_on = false;
    const std::string key = world.key();
    world.each_next([&](const World<Wait>& next, Fault fault) {
      if (fault != Fault::None) {
        found.faults.insert(fault);
        goes_on = true;
      } else if (next.key() != key) {
        meet(next);
        goes_on = true;
      }
    });
    if (goes_on) continue;
    ++found.ends;
    if (!world.done()) found.faults.insert(Fault::Stuck);
  }
  return found;
}

class EveryOrder : public ::testing::TestWithParam<SearchedRing> {};

TEST_P(EveryOrder, IsRight) {
  const Found found = search(GetParam());
  EXPECT_EQ(found.faults, std::set<Fault>{});
  EXPECT_GT(found.ends, 0u);
  EXPECT_GT(found.states, 500u);
  RecordProperty("states", static_cast<int>(found.states));
}

TEST_P(EveryOrder, OfABrokenRingIsNot) {
  const auto finds = [](Fault fault, auto breaks) {
    SearchedRing ring = GetParam();
    breaks(ring);
    return search(ring, fault).faults.contains(fault);
  };
  EXPECT_TRUE(finds(Fault::Overwritten, [](SearchedRing& ring) { ++ring.free_at_first; }));
  EXPECT_TRUE(finds(Fault::WrongElement, [](SearchedRing& ring) { ++ring.full_at_first; }));
  EXPECT_TRUE(finds(Fault::Stuck, [](SearchedRing& ring) { ring.free_at_first = 0; }));
  EXPECT_TRUE(finds(Fault::WrongElement, [](SearchedRing& ring) { ring.publishes_unwritten = true; }));
  EXPECT_TRUE(finds(Fault::Overwritten, [](SearchedRing& ring) { ring.releases_unread = true; }));
}

/// Only the order of memory shows what these break: each touches the right slots at the right time.
TEST_P(EveryOrder, NeedsAReleaseAndAnAcquire) {
  EXPECT_EQ(search<PublishesRelaxed>(GetParam()).faults, std::set<Fault>{Fault::Unordered});
  EXPECT_EQ(search<ObservesRelaxed>(GetParam()).faults, std::set<Fault>{Fault::Unordered});
}

INSTANTIATE_TEST_SUITE_P(Rings, EveryOrder,
                         ::testing::Values(SearchedRing{.capacity = 2, .elements = 4},
                                           SearchedRing{.capacity = 2, .elements = 6},
                                           SearchedRing{.capacity = 4, .elements = 6}));

}  // namespace
}  // namespace llmes::test
