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
#include <vector>

#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/image.hpp"
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

}  // namespace
}  // namespace llmes::test
