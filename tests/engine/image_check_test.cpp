// SPDX-License-Identifier: MIT
//
// An image whose checksum is right and whose links lead anywhere is refused before anybody follows them. What
// passes has books whose every invariant holds.
#include "llmes/engine/snapshot/image_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/engine/snapshot/order_sequence.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_plan.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

template <class Book>
class ImageCheckOf : public ::testing::Test {
 public:
  static std::vector<std::byte> image_of(const Matcher<Book>& matcher) {
    std::vector<std::byte> image;
    EXPECT_TRUE(write_image(matcher, [&](std::span<const std::byte> bytes) {
      image.insert(image.end(), bytes.begin(), bytes.end());
      return true;
    }));
    return image;
  }
  static void restore(Matcher<Book>& matcher, const std::vector<std::byte>& image) {
    std::size_t at = 0;
    ASSERT_EQ(read_image(matcher, image.size(),
                         [&](std::span<std::byte> bytes) {
                           std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(),
                                       bytes.begin());
                           at += bytes.size();
                           return true;
                         }),
              ImageStatus::Success);
  }
};
using Books = ::testing::Types<BookSet, IdBook<BookSet, DenseIds>, IdBook<BookSet, HashedIds>,
                               IdBook<PlacedBookSet, PlacedIds>>;
TYPED_TEST_SUITE(ImageCheckOf, Books);

TYPED_TEST(ImageCheckOf, HoldsForWhatCallsLeadTo) {
  const std::vector<Record> records = plan_records<TypeParam>(21, 3'000);
  auto matcher = *Matcher<TypeParam>::create(SmallMatcher<TypeParam>::config);
  EXPECT_TRUE(ImageCheck::holds(matcher.book()));
  NoReports nobody;
  for (std::size_t done = 0; done < records.size(); done += 10) {
    matcher.apply(std::span(records).subspan(done, 10), nobody);
    ASSERT_TRUE(ImageCheck::holds(matcher.book())) << done;
  }
}

/// One word at a time, to what a forger would take: a little more or less, another place, or anything.
TYPED_TEST(ImageCheckOf, RefusesLinksThatLeadAnywhere) {
  const std::vector<Record> records = plan_records<TypeParam>(22, 900);
  auto matcher = *Matcher<TypeParam>::create(SmallMatcher<TypeParam>::config);
  NoReports nobody;
  matcher.apply(std::span(records).first(600), nobody);
  const std::vector<std::byte> image = this->image_of(matcher);
  Random random(23);
  int refused = 0;
  int passed = 0;
  const std::size_t words = image.size() / 4;
  for (std::size_t i = 0; i < repetitions(4'000u); ++i) {
    // The first parts are small and full of links; an index may be large and empty.
    const std::size_t word =
        2 + (i % 4 == 0 ? random.below(words - 2) : random.below(std::min<std::size_t>(words, 9'000) - 2));
    std::uint32_t value = 0;
    std::memcpy(&value, image.data() + 4 * word, 4);
    const std::uint32_t others[] = {value + 1, value - 1, value ^ 0x8000'0000u, ~std::uint32_t{0},
                                    static_cast<std::uint32_t>(random.below(500))};
    const std::uint32_t other = others[random.below(5)];
    std::vector<std::byte> forged = image;
    std::memcpy(forged.data() + 4 * word, &other, 4);
    auto victim = *Matcher<TypeParam>::create(SmallMatcher<TypeParam>::config);
    this->restore(victim, forged);
    if (!ImageCheck::holds(victim.book())) {
      ++refused;
      continue;
    }
    ++passed;
    const auto broken = broken_invariant(book_set_of(victim));
    // A count of passes that is too high costs looks in vain and nothing else.
    if (broken && broken->find(" passes, and has ") != broken->npos) continue;
    ASSERT_FALSE(broken) << *broken << ", word " << word << " from " << value << " to " << other;
    (void)logical_digest(victim);
    victim.apply(std::span(records).subspan(600), nobody);
  }
  EXPECT_GT(refused, 400);
  EXPECT_GT(passed, 0) << "an id, a free slot's id or a position is whatever it is";
}

// ---- Books so large that their lists are walked from several places at once.

class LargeImageTest : public ::testing::Test {
 protected:
  using Books = IdBook<BookSet, HashedIds>;

  LargeImageTest() {
    EXPECT_TRUE(books.add_book());
    OrderId id = 0;
    std::vector<OrderId> resting;
    const auto add = [&] {
      const bool buys = random.chance(50);
      const Price price = random.chance(80) ? 0 : static_cast<Price>(random.below(200));
      EXPECT_TRUE(books
                      .add_limit_order(0, ++id, buys ? Side::Buy : Side::Sell, buys ? -price : 1 + price,
                                       1 + random.below(9), TimeInForce::GoodTillCancel, [](const Trade&) {})
                      .rests());
      return id;
    };
    for (int i = 0; i < 9'000; ++i) resting.push_back(add());
    for (int i = 0; i < 18'000; ++i) {
      OrderId& gone = resting[random.below(resting.size())];
      EXPECT_EQ(books.cancel_order(gone), Status::Success);
      gone = add();
    }
    EXPECT_GE(books.book().size(), detail::OrderSequence<BookSet>::least_orders);
  }
  [[nodiscard]] bool holds() const { return ImageCheck::holds(books); }
  [[nodiscard]] BookSet& set() { return IdInspector::book(books); }
  SlotIndex& next(SlotIndex slot) { return BookInspector::next(set(), slot); }
  SlotIndex& previous(SlotIndex slot) { return BookInspector::previous(set(), slot); }
  /// The order so many places behind another one, or before it.
  SlotIndex behind(SlotIndex order, int places) {
    for (int i = 0; i < places; ++i) order = next(order);
    return order;
  }
  /// One of the longest queue, with a thousand before it and as many behind it.
  SlotIndex middle() {
    SlotIndex found = 0;
    int place = 0;
    books.book().book(0)->visit_orders(Side::Buy, [&](const RestingOrder& order) {
      found = order.handle.index;
      return ++place < 1'500;
    });
    return found;
  }

  Random random{31};
  Books books = *Books::create({.max_books = 1, .capacity = 10'000, .far_levels = 500}, {});
};

TEST_F(LargeImageTest, HoldsAndHasTheDigestOfItsQueues) {
  EXPECT_TRUE(holds());
  Digest digest;
  for (const Side side : {Side::Buy, Side::Sell}) {
    std::uint64_t count = 0;
    books.book().book(0)->visit_orders(side, [&](const RestingOrder& order) {
      digest.add(order.handle.value());
      digest.add(order.id);
      digest.add(static_cast<std::uint64_t>(order.price));
      digest.add(order.quantity);
      ++count;
    });
    digest.add(count);
  }
  EXPECT_EQ(logical_digest(books), digest.value());
}

/// Each of its orders is right beside its neighbours, and no level leads to them.
TEST_F(LargeImageTest, ARingOfOrdersWithoutALevelIsRefused) {
  for (const int places : {0, 1, 2, 1'000}) {
    const SlotIndex first = middle();
    const SlotIndex last = behind(first, places);
    const SlotIndex level = BookInspector::level_of(set(), first);
    Quantity lots = 0;
    for (int i = 0; i <= places; ++i) lots += BookInspector::quantity(set(), behind(first, i));
    const SlotIndex before = std::exchange(previous(first), last);
    const SlotIndex after = std::exchange(next(last), first);
    next(before) = after;
    previous(after) = before;
    EXPECT_FALSE(holds()) << "the level counts them";
    const auto orders = static_cast<SlotIndex>(places + 1);
    auto book = *set().book(0);
    BookInspector::quantity(set(), level) -= lots;
    EXPECT_FALSE(holds()) << "the level counts them, without their lots";
    BookInspector::order_count(set(), level) -= orders;
    BookInspector::own_size(book) -= orders;
    EXPECT_FALSE(holds()) << "nobody counts them";
    BookInspector::order_count(set(), level) += orders;
    BookInspector::quantity(set(), level) += lots;
    BookInspector::own_size(book) += orders;
    next(before) = first;
    previous(first) = before;
    next(last) = after;
    previous(after) = last;
    EXPECT_TRUE(holds());
  }
}

/// The check ends, also where links do not.
TEST_F(LargeImageTest, AListThatLeadsBackIsRefused) {
  for (const int places : {1, 63, 1'000}) {
    const SlotIndex to = middle();
    const SlotIndex from = behind(to, places);
    const SlotIndex after = std::exchange(next(from), to);
    EXPECT_FALSE(holds()) << places;
    next(from) = after;
  }
  const SlotIndex first = BookInspector::first_free(set());
  for (const int places : {1, 63, 900}) {
    const SlotIndex from = behind(first, places);
    const SlotIndex after = std::exchange(next(from), first);
    EXPECT_FALSE(holds()) << places;
    next(from) = behind(after, 10);
    EXPECT_FALSE(holds()) << "ten are lost";
    next(from) = after;
  }
  EXPECT_TRUE(holds());
}

TEST_F(LargeImageTest, ALinkThatLeadsElsewhereIsRefused) {
  const SlotIndex first = BookInspector::first_order_slot(set());
  const SlotIndex end = BookInspector::slot_count(set());
  for (int i = 0; i < 300; ++i) {
    const auto slot = static_cast<SlotIndex>(first + random.below(end - first));
    const bool rests = BookInspector::generation(set(), slot) % 2 == 1;
    SlotIndex* const words[] = {&next(slot), &previous(slot), &BookInspector::level_of(set(), slot)};
    SlotIndex& word = *words[rests ? random.below(3) : 0];
    const SlotIndex others[] = {word + 1,
                                word - 1,
                                slot,
                                end,
                                static_cast<SlotIndex>(random.below(end)),
                                next(static_cast<SlotIndex>(first + random.below(end - first)))};
    const SlotIndex other = others[random.below(6)];
    const SlotIndex right = std::exchange(word, other);
    EXPECT_EQ(holds(), right == other) << slot << " from " << right << " to " << other;
    word = right;
  }
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace llmes::test
