// SPDX-License-Identifier: MIT
//
// A ring that carries messages from one thread to another, in order, without a lock. Both threads work in the
// slots of the ring: the producer writes claimed ones, the consumer reads published ones and may change them.
//
// The protocol. Each side alone writes an index that only grows: how many slots it has handed over.
// `head` is the consumer's, `tail` the producer's.
//
//  - head <= tail <= head + capacity, in the view of both threads at any time.
//  - The slots of [head, tail) are the consumer's, all others the producer's. Only a store of an index hands over.
//  - That store releases, the other side's load acquires: what a side did to a slot happens before its other use.
//  - A cached index is never ahead of the true one, so a side may see too few slots. Only then it reloads it.
//
// tests/engine/ring_model_test.cpp tries every order of loads and stores.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/detail/huge_pages.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Bytes between what two threads write to: two cache lines, because processors fetch neighbours in pairs.
inline constexpr std::size_t bytes_apart = 128;

// ---- How a thread waits for another one: three ways, chosen at compile time by the number of cores.
//
//  - `SpinWait` keeps its core busy. For a core for each thread.
//  - `YieldWait` spins a little, then yields its core. For more threads than cores.
//  - `BlockWait` spins a little, then sleeps. For long pauses and shared cores. It alone has a cost for each
//    publish: a full barrier, a load of a line that rarely changes and, if a thread sleeps, a system call.

/// One thread waits here; any other ends its wait. Conditions are stored and loaded with these memory orders.
///
///  - `wait(condition)`, by the one waiter: returns once `condition()` is true, which it may ask often;
///  - `published()`: after each store that may make the condition true;
///  - `wake()`: after any other change, such as that of a flag to stop, stored in any order. It may cost more.
template <class W>
concept WaitStrategy = std::default_initializable<W> && requires(W& wait, bool (*condition)()) {
  { W::publish_order } -> std::convertible_to<std::memory_order>;
  { W::observe_order } -> std::convertible_to<std::memory_order>;
  wait.wait(condition);
  wait.published();
  wait.wake();
};

/// Tells the processor that a loop waits, so that it saves power and leaves more to the other thread of the core.
inline void pause_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// How often a waiter asks before it gives its core away.
inline constexpr int questions_at_once = 64;

/// Tests the condition this often before it yields: some waits are shorter than a yield.
template <std::predicate Condition>
[[nodiscard]] bool true_soon(const Condition& condition) noexcept {
  for (int i = 0; i < questions_at_once; ++i) {
    if (condition()) return true;
    pause_processor();
  }
  return false;
}

/// Tests the condition until it is true or the time has passed, with short sleeps, as nothing wakes this thread.
/// @return whether it is true.
template <std::predicate Condition>
[[nodiscard]] bool true_within(std::chrono::nanoseconds patience, const Condition& condition) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  while (!true_soon(condition)) {
    if (std::chrono::steady_clock::now() - begin >= patience) return condition();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

/// Waits that ask for themselves: nothing has to wake them.
struct PollingWait {
  static constexpr std::memory_order publish_order = std::memory_order_release;
  static constexpr std::memory_order observe_order = std::memory_order_acquire;

  void published() const noexcept {}
  void wake() const noexcept {}
};

struct SpinWait : PollingWait {
  template <std::predicate Condition>
  void wait(const Condition& condition) const noexcept {
    while (!condition()) pause_processor();
  }
};

struct YieldWait : PollingWait {
  template <std::predicate Condition>
  void wait(const Condition& condition) const noexcept {
    if (true_soon(condition)) return;
    while (!condition()) std::this_thread::yield();
  }
};

/// Sleeps in the kernel (on Linux on a futex). No wake-up is lost:
///
///  - Of `published`: the waiter writes `sleeping_` and then tests; the publisher stores and then reads it. All
///    are sequentially consistent, so one of the two sees what the other wrote.
///  - Of `wake`: every write to `sleeping_` is an exchange. Whoever comes second sees what the first has done.
///  - Between test and sleep: the waiter sleeps only while `sleeping_` is 1, and whoever sets it to 0 notifies.
class alignas(bytes_apart) BlockWait {
 public:
  static constexpr std::memory_order publish_order = std::memory_order_seq_cst;
  static constexpr std::memory_order observe_order = std::memory_order_seq_cst;

  template <std::predicate Condition>
  void wait(const Condition& condition) noexcept {
    while (!true_soon(condition)) {
      sleeping_.exchange(1);
      if (condition()) break;
      sleeping_.wait(1);
    }
    if (sleeping_.load(std::memory_order_relaxed) != 0) sleeping_.exchange(0);
  }
  void published() noexcept {
    if (sleeping_.load() != 0) wake();
  }
  void wake() noexcept {
    if (sleeping_.exchange(0) != 0) sleeping_.notify_one();
  }

 private:
  std::atomic<std::uint32_t> sleeping_ = 0;  ///< 1 while the waiter sleeps or is about to
};

// ---- The ring.

/// Gives the tests access to private members. The tests define it; the product does not use it.
struct RingInspector;

inline constexpr std::size_t bytes_of_line = 64;

/// Starts to load the cache line at `address` as its only owner. A hint.
inline void fetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // In assembly: without a target flag, compilers emit a plain prefetch. All of these processors have this one.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Why a ring could not be made, if it could not.
enum class RingStatus : std::uint8_t {
  Success,
  InvalidCapacity,  ///< not a power of two, or less than 2
  OutOfMemory,      ///< the system refuses the memory
};

/// One side of a ring: its index, and the other side's as last seen. The sides differ only in how many slots they
/// have while the ring is empty. `Atomic` is std::atomic<std::uint64_t>, or what a test puts there.
template <class Atomic, WaitStrategy Wait>
class RingSide {
 public:
  /// Slots that lie one after the other.
  struct Range {
    std::size_t first;
    std::size_t count;
  };

  /// @param when_empty how many slots the side has while the ring is empty: the producer all, the consumer none.
  RingSide(std::size_t capacity, std::size_t when_empty) noexcept
      : capacity_(capacity), when_empty_(when_empty), end_(when_empty) {}

  /// Up to `most` of the slots that this side has; fewer before the wrap.
  [[nodiscard]] Range reach(std::size_t most, const RingSide& other) noexcept {
    if (known() < most) end_ = other.index_.load(Wait::observe_order) + when_empty_;
    const std::size_t first = begin_ & (capacity_ - 1);
    const std::size_t count = std::min({most, known(), capacity_ - first});
    reached_ = std::max(reached_, count);
    return {first, count};
  }

  /// Hands over the first `count` slots; never more than this side was given and still has.
  void hand_over(std::size_t count) noexcept {
    const std::size_t handed = std::min(count, reached_);
    begin_ += handed;
    reached_ -= handed;
    index_.store(begin_, Wait::publish_order);
  }

  /// How many slots this side has handed over.
  [[nodiscard]] std::uint64_t handed_over() const noexcept { return index_.load(std::memory_order_acquire); }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  friend struct RingInspector;

  /// How many slots this side has, as far as it knows.
  [[nodiscard]] std::size_t known() const noexcept { return end_ - begin_; }

  // What only this side uses, apart from what both do.
  alignas(bytes_apart) std::size_t capacity_;
  std::size_t when_empty_;
  std::uint64_t begin_ = 0;  ///< the index itself
  std::uint64_t end_;        ///< the other side's index as last seen, and `when_empty_`
  std::size_t reached_ = 0;  ///< how many slots, from `begin_` on, `reach` has given
  alignas(bytes_apart) Atomic index_{0};
};

/// A ring for one producer thread and one consumer thread; the last calls are for any thread. All calls are
/// wait-free but `create` and those that wait, as `Wait` says. Only `create` allocates. A ring
/// is moved only while no thread uses it; one that was moved from may only be assigned to or destroyed.
///
/// Capacity: slots that fit a first-level cache are fast. Under load, on cores that share a cache, slots beyond
/// the caches of one core are faster. In between, lines come from the other core's second level: slowest.
///
/// An element is a slot's bytes: it is neither constructed nor destroyed, and a claimed slot has an old one.
template <class T, WaitStrategy Wait = SpinWait>
class Ring {
  static_assert(std::is_trivially_copyable_v<T>, "an element is copied into a slot and never destroyed");

 public:
  using value_type = T;

  /// Makes an empty ring. All its memory is allocated and touched here: `capacity` elements and less than 1 KiB.
  /// @param capacity how many elements it holds; a power of two, at least 2.
  /// @param status InvalidCapacity, OutOfMemory, or Success.
  [[nodiscard]] static std::optional<Ring> create(std::size_t capacity, RingStatus& status) noexcept {
    if (capacity < 2 || !std::has_single_bit(capacity)) {
      status = RingStatus::InvalidCapacity;
      return {};
    }
    std::optional<Ring> ring{Ring(capacity)};
    status = ring->slots_ != nullptr && ring->shared_ != nullptr ? RingStatus::Success : RingStatus::OutOfMemory;
    if (status != RingStatus::Success) ring.reset();
    return ring;
  }
  [[nodiscard]] static std::optional<Ring> create(std::size_t capacity) noexcept {
    RingStatus status{};
    return create(capacity, status);
  }

  // ---- The producer's calls.

  /// Up to `most` free slots, to be written in place; none if the ring is full, and fewer than are free only
  /// before the wrap. A second claim gives the same slots, as far as they are not published.
  [[nodiscard]] std::span<T> claim(std::size_t most) noexcept {
    const std::span<T> found = slots(shared_->producer.reach(most, shared_->consumer));
    // The line arrives while earlier stores still wait for theirs. More lines gain nothing.
    if (!found.empty()) fetch_to_write(found.data());
    return found;
  }

  /// Hands the first `count` claimed slots to the consumer. Slots that were not claimed do not count.
  void publish(std::size_t count) noexcept {
    shared_->producer.hand_over(count);
    shared_->for_elements.published();
  }

  /// Puts one element in. False, and nothing done, if the ring is full.
  [[nodiscard]] bool try_push(const T& element) noexcept {
    const std::span<T> slot = claim(1);
    if (slot.empty()) return false;
    slot.front() = element;
    publish(1);
    return true;
  }

  /// Waits until `claim(most)` gives slots. Empty only if `most` is 0, or if the ring is full and `stop()` is
  /// true. After making that true, call `wake`.
  template <std::predicate Stop>
  [[nodiscard]] std::span<T> wait_claim(std::size_t most, const Stop& stop) noexcept {
    return wait_for(
        shared_->for_room, stop, [this, most] { return claim(most); }, most);
  }

  // ---- The consumer's calls.

  /// Up to `most` published elements, oldest first; none if the ring is empty, and fewer than there are only
  /// before the wrap. Until they are released, the consumer may change them, and another call gives them again.
  [[nodiscard]] std::span<T> readable(std::size_t most) noexcept {
    const std::span<T> found = slots(shared_->consumer.reach(most, shared_->producer));
    // For writing: the producer then need not take the line from this side first.
    const std::span<const std::byte> bytes = std::as_bytes(found);
    for (std::size_t i = 0; i < bytes.size(); i += bytes_of_line) fetch_to_write(&bytes[i]);
    return found;
  }

  /// Gives the first `count` elements that `readable` has shown back to the producer.
  void release(std::size_t count) noexcept {
    shared_->consumer.hand_over(count);
    shared_->for_room.published();
  }

  /// Waits until `readable(most)` gives elements. Empty only if `most` is 0, or if `stop()` is true and all
  /// elements published before are read. After making `stop()` true, call `wake`.
  template <std::predicate Stop>
  [[nodiscard]] std::span<T> wait_readable(std::size_t most, const Stop& stop) noexcept {
    return wait_for(
        shared_->for_elements, stop, [this, most] { return readable(most); }, most);
  }

  // ---- For any thread.

  /// Makes waiting sides check again whether they are to stop.
  void wake() noexcept {
    shared_->for_elements.wake();
    shared_->for_room.wake();
  }

  /// How many elements it holds at most.
  [[nodiscard]] std::size_t capacity() const noexcept { return shared_->producer.capacity(); }

  /// How many elements have been published, or released, since the ring was made.
  [[nodiscard]] std::uint64_t published() const noexcept { return shared_->producer.handed_over(); }
  [[nodiscard]] std::uint64_t released() const noexcept { return shared_->consumer.handed_over(); }

  /// How many elements are published and not released. The producer sees at least that, the consumer at most.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t head = released();  // loaded first, so that it is not ahead of the other
    const std::uint64_t tail = published();
    return std::min(tail - head, capacity());
  }

 private:
  static constexpr std::size_t alignment = std::max(alignof(T), bytes_of_line);

  struct Free {
    void operator()(void* memory) const noexcept { ::operator delete(memory, std::align_val_t{alignment}); }
  };

  /// What both threads use, in a block of its own, so that the ring can be moved.
  struct Shared {
    using Side = RingSide<std::atomic<std::uint64_t>, Wait>;

    explicit Shared(std::size_t capacity) noexcept : producer(capacity, capacity), consumer(capacity, 0) {}

    Side producer;
    Side consumer;
    Wait for_elements;  ///< where the consumer waits
    Wait for_room;      ///< where the producer waits
  };

  explicit Ring(std::size_t capacity) noexcept {
    constexpr std::size_t capacity_max = std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / 2 / sizeof(T);
    if (capacity > capacity_max) return;
    void* const memory = ::operator new(capacity * sizeof(T), std::align_val_t{alignment}, std::nothrow);
    if (memory == nullptr) return;
    slots_.reset(static_cast<T*>(memory));
    prefer_huge_pages(std::span(slots_.get(), capacity));
    std::memset(memory, 0, capacity * sizeof(T));
    shared_ = std::unique_ptr<Shared>(new (std::nothrow) Shared(capacity));
  }

  [[nodiscard]] std::span<T> slots(typename Shared::Side::Range range) const noexcept {
    return {slots_.get() + range.first, range.count};
  }

  /// What `look()` gives as soon as it gives something, or else when `stop()` is true.
  template <class Stop, class Look>
  [[nodiscard]] static std::span<T> wait_for(Wait& waiter, const Stop& stop, const Look& look,
                                             std::size_t most) noexcept {
    std::span<T> found = look();
    if (!found.empty() || most == 0) return found;
    waiter.wait([&] {
      const bool last = stop();  // asked first: what was published before the stop is found after it
      found = look();
      return last || !found.empty();
    });
    return found;
  }

  std::unique_ptr<T, Free> slots_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
