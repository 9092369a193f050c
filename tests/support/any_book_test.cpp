// SPDX-License-Identifier: MIT
//
// A wrapped book answers like the bare one. shrinker_test.cpp shows that the wrapper hides no defect.
#include "tests/support/any_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "bench/contenders/matching_book.hpp"
#include "bench/contenders/reference.hpp"
#include "llmes/book.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t price_levels = 64;
constexpr BookConfig config{.base_price = -20, .capacity = 64};

template <class Book>
class WrappedBookTest : public ::testing::Test {};

using Books = ::testing::Types<OrderBook<price_levels>, bench::ReferenceBook<price_levels>>;
TYPED_TEST_SUITE(WrappedBookTest, Books);

/// Makes a call on a book, by `apply` or by the named call.
template <class Book>
Result call(Book& book, const Command& command, bool by_command, RecordTrades& sink) {
  return by_command ? book.apply(command, sink) : bench::dispatch(book, command, sink);
}

TYPED_TEST(WrappedBookTest, AnswersAsTheBareOne) {
  TypeParam bare = *TypeParam::create(config);
  const std::unique_ptr<AnyBook> wrapped = book_type<TypeParam>().create(config);
  ASSERT_NE(wrapped, nullptr);
  EXPECT_EQ(wrapped->price_min(), bare.price_min());
  EXPECT_EQ(wrapped->price_max(), bare.price_max());

  RecordTrades bare_sink;
  RecordTrades wrapped_sink;
  std::unordered_map<OrderId, OrderHandle> handles;
  for (const Operation& operation : random_stream(near_prices, config, price_levels, 3)) {
    const std::uint64_t handle = handles[operation.order].value() ^ operation.flip;
    const Command command = to_command(operation, OrderHandle::from_value(handle));
    const Result result = call(bare, command, operation.by_command, bare_sink);
    ASSERT_EQ(call(*wrapped, command, operation.by_command, wrapped_sink), result);
    ASSERT_EQ(wrapped_sink.trades, bare_sink.trades);
    if (operation.makes_order() && result.status == Status::Success && result.handle != OrderHandle{}) {
      handles[operation.made()] = result.handle;
    }

    ASSERT_EQ(wrapped->best_bid(), bare.best_bid());
    ASSERT_EQ(wrapped->best_ask(), bare.best_ask());
    ASSERT_EQ(wrapped->size(), bare.size());
    ASSERT_EQ(wrapped->find(command.handle), bare.find(command.handle));
    ASSERT_EQ(wrapped->find(result.handle), bare.find(result.handle));
    for (const Side side : {Side::Buy, Side::Sell, no_side}) {
      ASSERT_EQ(orders_of(*wrapped, side), orders_of(bare, side));
      for (Price price = bare.price_min() - 1; price <= bare.price_max() + 1; ++price) {
        ASSERT_EQ(wrapped->level(side, price), bare.level(side, price));
      }
    }
  }
  EXPECT_FALSE(bare_sink.trades.empty());
}

/// The depth of `OrderBook` is its own, that of `ReferenceBook` is made by the wrapper.
TEST(AnyBook, DepthIsTheSameWhetherTheBookHasItOrNot) {
  const std::unique_ptr<AnyBook> with = book_type<OrderBook<price_levels>>().create(config);
  const std::unique_ptr<AnyBook> without = book_type<bench::ReferenceBook<price_levels>>().create(config);
  RecordTrades sink;
  std::size_t deepest = 0;
  for (const Operation& operation : random_stream(near_prices, config, price_levels, 5)) {
    if (!operation.is_add()) continue;  // the books' handles differ
    if (operation.price < with->price_min() || operation.price > with->price_max())
      continue;  // and so do the prices
    const Command command = to_command(operation, {});
    ASSERT_EQ(with->apply(command, sink).status, without->apply(command, sink).status);
    for (const Side side : {Side::Buy, Side::Sell, no_side}) {
      const std::vector<DepthLevel> levels = depth_of(*with, side);
      ASSERT_EQ(depth_of(*without, side), levels);
      deepest = std::max(deepest, levels.size());

      std::array<DepthLevel, 2> best{};
      const std::size_t count = without->depth(side, best);
      ASSERT_EQ(count, std::min<std::size_t>(levels.size(), 2));
      ASSERT_TRUE(std::equal(best.data(), best.data() + count, levels.data()));
      ASSERT_EQ(without->depth(side, {}), 0u);
    }
  }
  EXPECT_GT(deepest, 2u);
}

TEST(AnyBook, AConfigurationThatTheBookRefusesIsSaid) {
  const BookType type = book_type<OrderBook<price_levels>>();
  EXPECT_EQ(type.create({.base_price = 0, .capacity = 0}), nullptr);
  const std::optional<Disagreement> found = run_conformance(type, {.base_price = 0, .capacity = 0}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, "create: no book of this configuration");
}

}  // namespace
}  // namespace llmes::test
