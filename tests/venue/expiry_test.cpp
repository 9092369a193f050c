// SPDX-License-Identifier: MIT
//
// Lifetimes: what is due when and in which order, alone and beside an oracle.
#include "llmes/venue/expiry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/id_of_hash.hpp"
#include "tests/support/random.hpp"
#include "tests/support/state_bytes.hpp"
#include "tests/venue/images.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test {
namespace {

using Ids = std::vector<OrderId>;

class ExpiryTest : public testing::Test {
 protected:
  Ids due() {
    Ids ids;
    while (const auto id = expiry.next_due()) ids.push_back(*id);
    return ids;
  }
  Ids due_at(Nanoseconds now) {
    EXPECT_EQ(expiry.advance(now), VenueStatus::Success);
    return due();
  }
  Ids of_day(BookNumber book) {
    Ids ids;
    while (const auto id = expiry.next_of_day(book)) ids.push_back(*id);
    return ids;
  }
  void add(OrderId id, Nanoseconds time) { EXPECT_EQ(expiry.add(id, time), VenueStatus::Success) << id; }
  void add_day(OrderId id, BookNumber book) { EXPECT_EQ(expiry.add_day(id, book), VenueStatus::Success) << id; }
  template <class Call>
  void expect_refused(VenueStatus status, const Call& call) {
    const auto before = state_of(expiry);
    EXPECT_EQ(call(), status);
    EXPECT_EQ(state_of(expiry), before);
  }

  Expiry expiry = made<Expiry>(ExpiryConfig{.books = 2, .capacity = 5});
};

TEST_F(ExpiryTest, WhatIsDueComesByTimeThenFirstComeFirst) {
  add(1, 30);
  add(2, 20);
  add(3, 30);
  add(4, 10);
  add(5, 31);
  EXPECT_EQ(due(), Ids{});
  EXPECT_EQ(due_at(9), Ids{});
  EXPECT_EQ(due_at(30), (Ids{4, 2, 1, 3}));
  EXPECT_EQ(due_at(30), Ids{}) << "the same time again";
  EXPECT_EQ(due_at(std::numeric_limits<Nanoseconds>::max()), Ids{5});
}

TEST_F(ExpiryTest, AnOrderOfTheDayEndsWithItsBookFirstComeFirst) {
  add_day(1, 1);
  add_day(2, 0);
  add_day(3, 1);
  add(4, 10);
  EXPECT_EQ(due_at(9), Ids{}) << "a day has no time";
  EXPECT_EQ(of_day(1), (Ids{1, 3}));
  EXPECT_EQ(of_day(1), Ids{});
  EXPECT_EQ(of_day(2), Ids{}) << "there is no such book";
  EXPECT_EQ(of_day(0), Ids{2});
  EXPECT_EQ(due_at(10), Ids{4});
}

TEST_F(ExpiryTest, WhatEndedOtherwiseIsForgotten) {
  add(1, 10);
  add_day(2, 0);
  EXPECT_TRUE(expiry.contains(1));
  EXPECT_TRUE(expiry.remove(1));
  EXPECT_FALSE(expiry.contains(1));
  EXPECT_FALSE(expiry.remove(1));
  EXPECT_TRUE(expiry.remove(2));
  EXPECT_EQ(expiry.size(), 0u);
  EXPECT_EQ(due_at(10), Ids{});
  EXPECT_EQ(of_day(0), Ids{});
}

TEST_F(ExpiryTest, PlacesAndIdsAreFreeAgain) {
  for (OrderId id = 0; id < 10'000; ++id) {
    add(id, 10);
    EXPECT_EQ(expiry.rename(id, ~id), VenueStatus::Success);
    EXPECT_TRUE(expiry.remove(~id));
  }
  EXPECT_EQ(expiry.size(), 0u);
}

TEST_F(ExpiryTest, AnotherIdKeepsLifetimeAndPlace) {
  add(1, 10);
  add(2, 10);
  EXPECT_EQ(expiry.rename(1, 7), VenueStatus::Success);
  EXPECT_EQ(expiry.rename(7, 7), VenueStatus::Success);
  EXPECT_FALSE(expiry.contains(1));
  expect_refused(VenueStatus::UnknownOrder, [&] { return expiry.rename(1, 8); });
  expect_refused(VenueStatus::DuplicateId, [&] { return expiry.rename(7, 2); });
  EXPECT_EQ(due_at(10), (Ids{7, 2}));
}

TEST_F(ExpiryTest, RefusesWhatIsPastKnownOrTooMuch) {
  EXPECT_EQ(due_at(10), Ids{});
  expect_refused(VenueStatus::ExpiryPassed, [&] { return expiry.add(1, 10); });
  expect_refused(VenueStatus::ExpiryPassed, [&] { return expiry.add(1, 0); });
  expect_refused(VenueStatus::TimeWentBack, [&] { return expiry.advance(9); });
  expect_refused(VenueStatus::UnknownBook, [&] { return expiry.add_day(1, 2); });
  expect_refused(VenueStatus::UnknownBook,
                 [&] { return expiry.add_day(1, std::numeric_limits<BookNumber>::max()); });
  for (OrderId id = 1; id <= 5; ++id) add(id, 11);
  expect_refused(VenueStatus::DuplicateId, [&] { return expiry.add(5, 12); });
  expect_refused(VenueStatus::DuplicateId, [&] { return expiry.add_day(5, 0); });
  expect_refused(VenueStatus::NoRoomForExpiry, [&] { return expiry.add(6, 12); });
  expect_refused(VenueStatus::NoRoomForExpiry, [&] { return expiry.add_day(6, 0); });
}

TEST_F(ExpiryTest, OneThatWasMovedFromHoldsNothing) {
  add(1, 10);
  Expiry moved = std::move(expiry);
  EXPECT_EQ(expiry.size(), 0u);
  EXPECT_EQ(due_at(20), Ids{});
  EXPECT_EQ(of_day(0), Ids{});
  EXPECT_EQ(expiry.add(1, 30), VenueStatus::NoRoomForExpiry);
  EXPECT_EQ(expiry.add_day(1, 0), VenueStatus::UnknownBook);
  expiry = std::move(moved);
  EXPECT_EQ(due_at(10), Ids{1});
}

TEST(ExpiryCreate, RefusesNoRoomAndNoBooks) {
  CreateStatus status{};
  EXPECT_FALSE(Expiry::create({.books = 1, .capacity = 0}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(Expiry::create({.books = 0, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
}

/// An order with its lifetime, in the order of arrival.
struct Lifetime {
  OrderId id;
  Nanoseconds time;  ///< 0: of the day
  BookNumber book;
};

TEST(ExpiryRandom, AnswersAsAListDoes) {
  constexpr std::size_t capacity = 60;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ExpiryConfig config{.books = 2, .capacity = capacity};
    auto expiry = made<Expiry>(config);
    std::vector<Lifetime> list;
    std::size_t most = 0;
    const auto found = [&](OrderId id) { return std::ranges::find(list, id, &Lifetime::id); };
    for (int call = 0; call < 3'000 && !testing::Test::HasFailure(); ++call) {
      const OrderId id = random.below(2 * capacity);
      const std::uint64_t dice = random.below(100);
      const Nanoseconds now = expiry.now();
      if (dice < 70) {
        const bool day = random.chance(30);
        const auto book = static_cast<BookNumber>(random.below(2));
        const Nanoseconds time = now + random.below(200);
        const VenueStatus expected = !day && time == now       ? VenueStatus::ExpiryPassed
                                     : found(id) != list.end() ? VenueStatus::DuplicateId
                                     : list.size() == capacity ? VenueStatus::NoRoomForExpiry
                                                               : VenueStatus::Success;
        EXPECT_EQ(day ? expiry.add_day(id, book) : expiry.add(id, time), expected);
        if (expected == VenueStatus::Success) list.push_back({id, day ? 0 : time, book});
        most = std::max(most, list.size());
      } else if (dice < 85) {
        EXPECT_EQ(expiry.remove(id), found(id) != list.end());
        std::erase_if(list, [id](const Lifetime& other) { return other.id == id; });
      } else if (dice < 97) {
        const Nanoseconds later = now + random.below(30);
        EXPECT_EQ(expiry.advance(later), VenueStatus::Success);
        while (true) {
          auto first = list.end();
          for (auto it = list.begin(); it != list.end(); ++it) {
            if (it->time != 0 && it->time <= later && (first == list.end() || it->time < first->time)) first = it;
          }
          EXPECT_EQ(expiry.next_due(), first == list.end() ? std::nullopt : std::optional(first->id));
          if (first == list.end()) break;
          list.erase(first);
        }
      } else {
        const auto book = static_cast<BookNumber>(random.below(2));
        const auto first = std::ranges::find_if(
            list, [book](const Lifetime& other) { return other.time == 0 && other.book == book; });
        EXPECT_EQ(expiry.next_of_day(book), first == list.end() ? std::nullopt : std::optional(first->id));
        if (first != list.end()) list.erase(first);
      }
      EXPECT_EQ(expiry.size(), list.size());
      if (call % 64 == 0) {
        EXPECT_TRUE(expiry.holds());
        expiry = read_back(expiry, config);
      }
    }
    EXPECT_EQ(most, capacity) << "it was full once";
  }
}

TEST_F(ExpiryTest, OrdersWhoseIdsLookAlikeAreNotTakenForEachOther) {
  add(id_of_hash(1 << 20), 5);  // of the lowest bits of a hash the index keeps none
  EXPECT_FALSE(expiry.contains(id_of_hash((1 << 20) + 1)));
}

TEST(ExpiryImage, OneThatIsForgedIsRefusedOrCanBeUsed) {
  const ExpiryConfig config{.books = 2, .capacity = 12};
  auto expiry = made<Expiry>(config);
  for (OrderId id = 0; id < 10; ++id) {
    EXPECT_EQ(id % 3 == 0 ? expiry.add_day(id, id % 2) : expiry.add(id, 100 - id), VenueStatus::Success);
  }
  EXPECT_TRUE(expiry.remove(4));
  expect_forged_images_hold_or_not(expiry, config, [](Expiry& forged) {
    for (OrderId id = 20; id < 24; ++id) static_cast<void>(forged.add(id, 50 + id));
    static_cast<void>(forged.remove(5));
    static_cast<void>(forged.advance(std::numeric_limits<Nanoseconds>::max()));
    std::size_t taken = 0;
    while (forged.next_due()) ++taken;
    while (forged.next_of_day(0)) ++taken;
    while (forged.next_of_day(1)) ++taken;
    EXPECT_LE(taken, 12u);
  });
}

}  // namespace
}  // namespace llmes::test
