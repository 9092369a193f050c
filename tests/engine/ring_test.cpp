// SPDX-License-Identifier: MIT
//
// The ring between two threads: it carries everything, once, in order and unchanged, however the other side waits.
// The debug build runs this program with the thread sanitizer. Every order of its loads and stores:
// ring_model_test.cpp.
#include "llmes/engine/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>

#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"

namespace llmes::test {
namespace {

/// Fills a slot, so that a torn or a mixed-up one shows.
struct Message {
  static constexpr std::size_t words = 8;

  std::array<std::uint64_t, words> word{};

  static Message of(std::uint64_t number) {
    Message message;
    for (std::size_t i = 0; i < words; ++i) message.word[i] = number * (2 * i + 1);
    return message;
  }
  friend bool operator==(const Message&, const Message&) = default;
};

// ---- One thread.

using Numbers = Ring<std::uint64_t>;

RingStatus status_of(std::size_t capacity) {
  RingStatus status{};
  const bool made = Numbers::create(capacity, status).has_value();
  EXPECT_EQ(made, status == RingStatus::Success);
  return status;
}

TEST(Ring, IsMadeForPowersOfTwo) {
  for (const std::size_t capacity : {2u, 4u, 64u, 1u << 16}) EXPECT_EQ(status_of(capacity), RingStatus::Success);
  for (const std::size_t capacity : {0u, 1u, 3u, 6u, 63u, 65u, 1000u}) {
    EXPECT_EQ(status_of(capacity), RingStatus::InvalidCapacity) << capacity;
  }
  EXPECT_EQ(status_of(~std::size_t{0}), RingStatus::InvalidCapacity);
  // More bytes than a pointer can count, and half of the most that it can.
  for (const int bits : {63, 62, 61, 60, 59})
    EXPECT_EQ(status_of(std::size_t{1} << bits), RingStatus::OutOfMemory);
}

#if !LLMES_TEST_SANITIZED  // a sanitizer may have an operator new of its own
TEST(Ring, TooLittleMemory) {
  for (std::uint64_t allowed = 0; allowed < 3; ++allowed) {
    allocations_to_refusal = allowed;
    EXPECT_EQ(status_of(16), allowed < 2 ? RingStatus::OutOfMemory : RingStatus::Success) << allowed;
  }
  allocations_to_refusal = ~std::uint64_t{0};
}
#endif

TEST(Ring, BeginsAtACacheLineAndIsEmpty) {
  struct alignas(256) Wide {
    std::uint64_t number;
  };
  Ring<char> ring = *Ring<char>::create(2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.claim(1).data()) % 64, 0u);
  Ring<Wide> wide = *Ring<Wide>::create(2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.claim(1).data()) % 256, 0u);
  EXPECT_EQ(ring.capacity(), 2u);
  EXPECT_EQ(ring.size(), 0u);
  EXPECT_TRUE(ring.readable(2).empty());
}

TEST(Ring, GivesFewerBeforeTheWrap) {
  Numbers ring = *Numbers::create(4);
  EXPECT_EQ(ring.claim(0).size(), 0u);
  EXPECT_EQ(ring.claim(9).size(), 4u);
  ring.publish(3);
  EXPECT_EQ(ring.claim(9).size(), 1u);
  EXPECT_EQ(ring.readable(0).size(), 0u);
  EXPECT_EQ(ring.readable(2).size(), 2u);
  ring.release(2);
  ring.publish(1);
  EXPECT_EQ(ring.claim(9).size(), 2u) << "those that are free again, from the first slot on";
  EXPECT_EQ(ring.readable(9).size(), 2u) << "also what was published after the last look";
  ring.release(1);
  EXPECT_EQ(ring.readable(9).size(), 1u);
  EXPECT_EQ(ring.size(), 1u);
}

TEST(Ring, HandsOverNoMoreThanThereIs) {
  Numbers ring = *Numbers::create(4);
  ring.release(1);
  EXPECT_EQ(ring.size(), 0u);
  EXPECT_EQ(ring.claim(4).size(), 4u);
  ring.publish(5);
  EXPECT_EQ(ring.size(), 4u);
  EXPECT_TRUE(ring.claim(1).empty());
  EXPECT_EQ(ring.readable(4).size(), 4u);
  ring.release(7);
  EXPECT_EQ(ring.size(), 0u);
  EXPECT_EQ(ring.claim(9).size(), 4u);
}

/// What lies in slots that were not claimed was handed over before.
TEST(Ring, HandsOverNoMoreThanWasGiven) {
  Numbers ring = *Numbers::create(8);
  EXPECT_EQ(ring.claim(3).size(), 3u);
  ring.publish(8);
  EXPECT_EQ(ring.size(), 3u);
  ring.publish(1);
  EXPECT_EQ(ring.size(), 3u) << "nothing is claimed now";
  EXPECT_EQ(ring.claim(2).size(), 2u);
  ring.publish(1);
  ring.publish(9);
  EXPECT_EQ(ring.size(), 5u) << "in two parts";
  EXPECT_EQ(ring.readable(2).size(), 2u);
  ring.release(4);
  EXPECT_EQ(ring.size(), 3u);
  ring.release(1);
  EXPECT_EQ(ring.size(), 3u);
}

TEST(Ring, CanBeMovedWithWhatItHolds) {
  Numbers from = *Numbers::create(4);
  EXPECT_TRUE(from.try_push(7));
  Numbers ring(std::move(from));
  EXPECT_EQ(ring.readable(4).size(), 1u);
  EXPECT_EQ(ring.readable(4).front(), 7u);
  from = *Numbers::create(2);
  EXPECT_EQ(from.capacity(), 2u);
}

/// Random calls, beside a queue that holds what the ring should.
TEST(Ring, HoldsWhatAQueueHolds) {
  Random random(1);
  for (const std::size_t capacity : {2u, 4u, 8u, 64u}) {
    auto ring = *Ring<Message>::create(capacity);
    std::deque<Message> queue;
    std::uint64_t next = 0;
    std::uint64_t received = 0;
    for (int i = 0; i < 10'000; ++i) {
      if (random.chance(10)) {
        const bool fits = queue.size() < capacity;
        ASSERT_EQ(ring.try_push(Message::of(next)), fits);
        if (fits) queue.push_back(Message::of(next++));
      } else if (random.chance(50)) {
        const std::size_t most = random.below(capacity + 2);
        const std::span<Message> claimed = ring.claim(most);
        ASSERT_EQ(claimed.size(), std::min({most, capacity - queue.size(), capacity - next % capacity}));
        const std::size_t count = random.below(claimed.size() + 1);
        for (Message& slot : claimed.first(count)) queue.push_back(slot = Message::of(next++));
        ring.publish(count);
      } else {
        const std::size_t most = random.below(capacity + 2);
        const std::span<Message> found = ring.readable(most);
        ASSERT_EQ(found.size(), std::min({most, queue.size(), capacity - received % capacity}));
        ASSERT_TRUE(std::equal(found.begin(), found.end(), queue.begin()));
        if (!found.empty()) {  // what the consumer stamps is there when it looks again
          found.front() = queue.front() = Message::of(~next);
          ASSERT_EQ(ring.readable(1).front(), queue.front());
        }
        const std::size_t count = random.below(found.size() + 1);
        ring.release(count);
        queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(count));
        received += count;
      }
      ASSERT_EQ(ring.size(), queue.size());
    }
    EXPECT_GT(received, 100 * capacity / 64);
    EXPECT_EQ(received + queue.size(), next);
  }
}

// ---- Two threads.

template <class Wait>
class RingBetweenThreads : public ::testing::Test {};

using Waits = ::testing::Types<SpinWait, YieldWait, BlockWait>;
TYPED_TEST_SUITE(RingBetweenThreads, Waits);

constexpr auto never = [] { return false; };

/// Sends numbered messages in spans of random lengths. Both sides take their time now and then, so that each finds
/// the ring full or empty.
template <class Wait>
void pass(std::size_t capacity, std::uint64_t count, bool pauses) {
  using Passed = Ring<Message, Wait>;
  Passed ring = *Passed::create(capacity);
  std::thread producer([&ring, capacity, count, pauses] {
    Random random(2);
    for (std::uint64_t next = 0; next < count;) {
      const std::size_t most = std::min(1 + random.below(capacity), count - next);
      const std::span<Message> claimed = ring.wait_claim(most, never);
      for (Message& slot : claimed) slot = Message::of(next++);
      ring.publish(claimed.size());
      if (pauses && random.below(1000) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  Random random(3);
  std::uint64_t next = 0;
  std::uint64_t wrong = 0;
  std::size_t size_max = 0;
  while (next < count) {
    const std::span<Message> found = ring.wait_readable(1 + random.below(capacity), never);
    size_max = std::max(size_max, ring.size());
    for (Message& slot : found) {
      wrong += slot != Message::of(next++);
      slot = Message::of(~next);
    }
    ring.release(found.size());
    if (pauses && random.below(1000) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  producer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(next, count);
  EXPECT_LE(size_max, capacity);
  EXPECT_TRUE(ring.readable(capacity).empty());
}

TYPED_TEST(RingBetweenThreads, PassesEverythingOnceAndInOrder) {
  pass<TypeParam>(1024, LLMES_TEST_SANITIZED ? 50'000 : 300'000, false);
  pass<TypeParam>(64, 20'000, true);
}

/// A wake-up that is lost leaves both threads waiting for ever.
TYPED_TEST(RingBetweenThreads, LosesNoWakeUpInTheSmallestRing) {
  pass<TypeParam>(2, std::is_same_v<TypeParam, BlockWait> ? 20'000 : 100, false);
}

/// One message there and back again: both sides wait each time, and the sleeper falls asleep as the other
/// publishes.
TYPED_TEST(RingBetweenThreads, AnswersEachMessage) {
  using Passed = Ring<std::uint64_t, TypeParam>;
  constexpr std::uint64_t count = std::is_same_v<TypeParam, BlockWait> ? 20'000 : 100;
  Passed there = *Passed::create(2);
  Passed back = *Passed::create(2);
  std::thread echo([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::span<std::uint64_t> found = there.wait_readable(1, never);
      EXPECT_TRUE(back.try_push(found.front() + 1));
      there.release(1);
    }
  });
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(there.try_push(i));
    const std::span<std::uint64_t> found = back.wait_readable(1, never);
    ASSERT_EQ(found.front(), i + 1);
    back.release(1);
  }
  echo.join();
}

TYPED_TEST(RingBetweenThreads, StopsAConsumerThatWaitsAndLeavesNothing) {
  using Passed = Ring<std::uint64_t, TypeParam>;
  for (std::uint64_t count = 0; count < 200; ++count) {
    Passed ring = *Passed::create(256);
    std::atomic<bool> stop = false;
    std::uint64_t received = 0;
    std::thread consumer([&] {
      const auto stopped = [&] { return stop.load(); };
      for (;;) {
        const std::span<std::uint64_t> found = ring.wait_readable(3, stopped);
        if (found.empty()) break;
        for (const std::uint64_t number : found) received += number == received;
        ring.release(found.size());
      }
    });
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(ring.try_push(i));
    if (count % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    stop.store(true);
    ring.wake();
    consumer.join();
    ASSERT_EQ(received, count);
  }
}

TYPED_TEST(RingBetweenThreads, StopsAProducerThatWaits) {
  using Passed = Ring<std::uint64_t, TypeParam>;
  for (int i = 0; i < 100; ++i) {
    Passed ring = *Passed::create(2);
    EXPECT_EQ(ring.wait_claim(2, never).size(), 2u);
    ring.publish(2);
    std::atomic<bool> stop = false;
    std::thread producer([&] { EXPECT_TRUE(ring.wait_claim(1, [&] { return stop.load(); }).empty()); });
    if (i % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    stop.store(true, std::memory_order_relaxed);  // `wake` orders it
    ring.wake();
    producer.join();
  }
}

/// What another thread does at the worst of times, done by the question itself.
TYPED_TEST(RingBetweenThreads, FindsWhatIsPublishedBeforeTheStop) {
  auto ring = *Ring<std::uint64_t, TypeParam>::create(2);
  bool stopped = false;
  const auto stop = [&] {
    if (!stopped) stopped = ring.try_push(7);
    return stopped;
  };
  EXPECT_EQ(ring.wait_readable(2, stop).size(), 1u);
}

TYPED_TEST(RingBetweenThreads, WaitsForNothingIfNothingIsAskedFor) {
  auto ring = *Ring<std::uint64_t, TypeParam>::create(2);
  EXPECT_TRUE(ring.wait_readable(0, never).empty());
  EXPECT_TRUE(ring.wait_claim(0, never).empty());
}

/// A publish right after any one of the questions that are asked awake, the last of them after the waiter has said
/// that it sleeps.
TYPED_TEST(RingBetweenThreads, SleepsThroughNoPublish) {
  for (int publishes_after = 1; publishes_after <= questions_at_once + 1; ++publishes_after) {
    TypeParam place;
    bool published = false;
    int questions = 0;
    place.wait([&] {
      const bool answer = published;
      if (++questions == publishes_after) {
        published = true;
        place.published();
      }
      return answer;
    });
    EXPECT_EQ(questions, publishes_after + 1);
  }
}

}  // namespace
}  // namespace llmes::test
