// SPDX-License-Identifier: MIT
//
// The image of a set with rules has the terms of its orders and the lists of their owners, and one that was
// tampered with is refused or safe to use.
#include "llmes/engine/snapshot/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/engine/snapshot/image_check.hpp"
#include "llmes/ids.hpp"
#include "tests/rules/ruled_book.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

using Bytes = std::vector<std::byte>;

class RuledImageTest : public ::testing::Test {
 protected:
  using Book = IdBook<RuledBookSet, HashedIds>;

  static Book make() {
    auto book = *Book::create({.max_books = 2, .capacity = 24, .far_levels = 8}, {});
    std::ignore = book.add_book();
    std::ignore = book.add_book();
    return book;
  }
  void play(Book& book, int calls) {
    for (int i = 0; i < calls; ++i) {
      const auto number = static_cast<BookNumber>(random.below(2));
      const auto side = static_cast<Side>(random.below(2));
      const auto price = static_cast<Price>(random.below(7));
      OrderTerms terms{.owner = static_cast<Owner>(random.below(4)),
                       .self_trade = static_cast<SelfTrade>(random.below(5)),
                       .display = static_cast<Display>(random.below(3)),
                       .peak = 1 + random.below(3)};
      const Quantity quantity = terms.peak + random.below(9);
      std::ignore =
          book.add_limit_order(number, next_id++, side, price, quantity, TimeInForce::GoodTillCancel, terms, told);
      std::ignore = book.cancel_order(random.below(next_id));
      std::ignore = book.modify_order(random.below(next_id), price, quantity, told);
      if (random.below(20) == 0) std::ignore = book.mass_cancel({.owner = terms.owner, .book = number}, told);
    }
  }
  static Bytes image_of(const Book& book) {
    Bytes image;
    EXPECT_TRUE(write_image(book, [&](std::span<const std::byte> bytes) {
      image.insert(image.end(), bytes.begin(), bytes.end());
      return true;
    }));
    return image;
  }
  static void restore(Book& book, const Bytes& image) {
    auto next = image.begin();
    ASSERT_EQ(read_image(book, image.size(),
                         [&](std::span<std::byte> bytes) {
                           std::copy_n(next, bytes.size(), bytes.begin());
                           next += static_cast<std::ptrdiff_t>(bytes.size());
                           return true;
                         }),
              ImageStatus::Success);
  }

  Random random{7};
  OrderId next_id = 1;
  Told told;
};

TEST_F(RuledImageTest, RestoresTermsAndLists) {
  Book book = make();
  Book copy = make();
  for (int round = 0; round < 40; ++round) {
    play(book, 10);
    ASSERT_TRUE(ImageCheck::holds(book)) << round;
    restore(copy, image_of(book));
    ASSERT_EQ(logical_digest(copy), logical_digest(book));
  }
  std::ignore = told.take();
  const Result result = book.mass_cancel({.owner = 2}, told);
  const Lines lines = told.take();
  EXPECT_FALSE(lines.empty());
  EXPECT_EQ(copy.mass_cancel({.owner = 2}, told), result);
  EXPECT_EQ(told.take(), lines);
}

TEST_F(RuledImageTest, TheDigestSeesTerms) {
  Book book = make();
  Book other = make();
  const auto add = [&](Book& to, const OrderTerms& terms) {
    std::ignore = to.add_limit_order(0, 1, Side::Buy, 5, 9, TimeInForce::GoodTillCancel, terms, told);
  };
  add(book, {.owner = 1});
  add(other, {.owner = 2});
  EXPECT_NE(logical_digest(book), logical_digest(other));
}

TEST_F(RuledImageTest, ATornImageIsRefusedOrSafe) {
  Book book = make();
  play(book, 60);
  const Bytes image = image_of(book);
  Book torn = make();
  int refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    Bytes changed = image;
    const std::size_t at = 8 + random.below(changed.size() - 8);
    changed[at] ^= static_cast<std::byte>(1u << random.below(8));
    restore(torn, changed);
    if (!ImageCheck::holds(torn)) {
      ++refused;
      continue;
    }
    Told nobody;
    const std::size_t size = torn.book().size();
    for (Owner owner = 1; owner < 4; ++owner) std::ignore = torn.mass_cancel({.owner = owner}, nobody);
    std::ignore = torn.mass_cancel({}, nobody);
    ASSERT_EQ(nobody.lines.size(), size);
    ASSERT_EQ(torn.book().size(), 0u);
  }
  EXPECT_GT(refused, 1'000);
}

/// So many orders that the lists of owners are walked from several places at once.
TEST_F(RuledImageTest, ListsOfManyOrdersHoldIfEachLinkDoes) {
  auto book = *Book::create({.max_books = 1, .capacity = 9'000, .far_levels = 8}, {});
  EXPECT_TRUE(book.add_book());
  for (OrderId id = 1; id <= 16'500; ++id) {
    const OrderTerms terms{.owner = static_cast<Owner>(random.below(3)),
                           .display = static_cast<Display>(random.below(3)),
                           .peak = 1 + random.below(3)};
    EXPECT_TRUE(book.add_limit_order(0, id, Side::Buy, static_cast<Price>(random.below(3)),
                                     terms.peak + random.below(9), TimeInForce::GoodTillCancel, terms, told)
                    .rests());
    if (id > 8'300) std::ignore = book.cancel_order(id - 8'300 + random.below(50));
    if (book.book().size() == 9'000) std::ignore = book.mass_cancel({.owner = 1}, told);
  }
  const auto& set = book.book();
  ASSERT_TRUE(ImageCheck::holds(book));
  Digest digest;
  for (const Side side : {Side::Buy, Side::Sell}) {
    std::uint64_t count = 0;
    set.book(0)->visit_orders(side, [&](const RestingOrder& order) {
      const RestingTerms terms = set.terms_of(order.handle).value();
      for (const std::uint64_t number :
           {order.handle.value(), order.id, static_cast<std::uint64_t>(order.price), order.quantity,
            std::uint64_t{terms.owner}, static_cast<std::uint64_t>(terms.display), terms.peak, terms.reserve}) {
        digest.add(number);
      }
      ++count;
    });
    digest.add(count);
  }
  EXPECT_EQ(logical_digest(book), digest.value());

  auto& rules = BookInspector::rules(IdInspector::book(book));
  const SlotIndex end = BookInspector::slot_count(set);
  const SlotIndex first = BookInspector::first_order_slot(set);
  for (int i = 0; i < 200; ++i) {
    const auto slot = static_cast<SlotIndex>(first + random.below(end - first));
    std::uint32_t* const words[] = {&rules[slot].next, &rules[slot].previous, &rules[slot].owner};
    std::uint32_t& word = *words[random.below(3)];
    const std::uint32_t others[] = {word + 1,
                                    word - 1,
                                    slot,
                                    end,
                                    static_cast<std::uint32_t>(random.below(end)),
                                    rules[static_cast<SlotIndex>(first + random.below(end - first))].next};
    const std::uint32_t other = others[random.below(6)];
    const std::uint32_t right = std::exchange(word, other);
    EXPECT_EQ(ImageCheck::holds(book), right == other) << slot << " from " << right << " to " << other;
    word = right;
  }
  // A ring beside the list of its owner, whose links hold.
  for (const int places : {1, 1'000}) {
    const SlotIndex from = BookInspector::first_of(rules, 2);
    SlotIndex to = from;
    for (int i = 0; i < places; ++i) to = rules[to].next;
    const SlotIndex after = std::exchange(rules[to].next, from);
    const SlotIndex before = std::exchange(rules[from].previous, to);
    rules[before].next = after;
    rules[after].previous = before;
    EXPECT_FALSE(ImageCheck::holds(book)) << places;
    rules[to].next = after;
    rules[after].previous = to;
    EXPECT_FALSE(ImageCheck::holds(book)) << places;
    rules[before].next = from;
    rules[from].previous = before;
  }
  EXPECT_TRUE(ImageCheck::holds(book));
}

}  // namespace
}  // namespace llmes::test
