// SPDX-License-Identifier: MIT
//
// A visitor gets the orders of a side or of one level in priority order, and one that returns `false` gets no
// more.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Visit : public SideTest {
 protected:
  void SetUp() override {
    rest(1, 0, 1);
    rest(2, 3, 1);
    rest(3, 0, 1);
    rest(4, 3, 1);
    rest(5, 0, 1);
    rest_on(takers(), 6, -2, 1);
  }
  /// The ids that a visit of one level brings.
  [[nodiscard]] Ids ids_at(Side side, Price price) const {
    Ids ids;
    book.visit_level(side, price, [&ids](const RestingOrder& order) { ids.push_back(order.id); });
    return ids;
  }
};
LLMES_TEST_BOTH_SIDES(Visit);

TEST_P(Visit, OfALevelIsOldestFirst) {
  EXPECT_EQ(ids_at(makers(), at(0)), (Ids{1, 3, 5}));
  EXPECT_EQ(ids_at(makers(), at(3)), (Ids{2, 4}));
  EXPECT_EQ(ids_at(takers(), at(-2)), (Ids{6}));
}

TEST_P(Visit, OfALevelGivesTheWholeOrder) {
  book.visit_level(makers(), at(3),
                   [this](const RestingOrder& order) { EXPECT_EQ(book.find(order.handle), order); });
}

TEST_P(Visit, OfNoLevelBringsNothing) {
  EXPECT_EQ(ids_at(makers(), at(1)), Ids{});
  EXPECT_EQ(ids_at(takers(), at(0)), Ids{});
  EXPECT_EQ(ids_at(no_side, at(0)), Ids{});
  for (const Price price : {book.price_min() - 1, book.price_max() + 1, std::numeric_limits<Price>::min(),
                            std::numeric_limits<Price>::max()}) {
    EXPECT_EQ(ids_at(makers(), price), Ids{});
  }
}

TEST_P(Visit, EndsWhenTheVisitorReturnsFalse) {
  const Ids all{1, 3, 5, 2, 4};
  ASSERT_EQ(queue(makers()), all);
  for (std::ptrdiff_t wanted = 1; wanted <= 5; ++wanted) {
    Ids ids;
    const auto enough_at = [&ids](std::ptrdiff_t count) {
      return [&ids, count](const RestingOrder& order) {
        ids.push_back(order.id);
        return std::ssize(ids) < count;
      };
    };
    book.visit_orders(makers(), enough_at(wanted));
    EXPECT_EQ(ids, Ids(all.begin(), all.begin() + wanted));
    ids.clear();
    const std::ptrdiff_t of_the_level = std::min<std::ptrdiff_t>(wanted, 3);
    book.visit_level(makers(), at(0), enough_at(wanted));
    EXPECT_EQ(ids, Ids(all.begin(), all.begin() + of_the_level));
  }
}

}  // namespace
}  // namespace llmes::test
