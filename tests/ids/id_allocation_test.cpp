// SPDX-License-Identifier: MIT
//
// `create` allocates what book and index say; no later call allocates.
#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/ids/id_book.hpp"
#include "tests/support/id_kinds.hpp"
#include "tests/support/id_oracle.hpp"
#include "tests/support/request_streams.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using bench::allocated_bytes;
using bench::allocation_count;

template <class Kind>
class IdAllocation : public ::testing::Test {};
using Kinds = ::testing::Types<FromZero, AnyNumbers, ForAnyPrice<AnyNumbers>>;
TYPED_TEST_SUITE(IdAllocation, Kinds);

#if !LLMES_TEST_SANITIZED  // a sanitizer has array forms of operator new of its own, which are not counted

template <class Kind>
std::size_t bytes_allocated_by(std::size_t capacity) {
  using Book = typename BookOfKind<Kind, OrderBook<128>>::Type;
  return Book::memory_bytes(capacity) - sizeof(Book);
}

TYPED_TEST(IdAllocation, OfCreateIsWhatBookAndIndexSay) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{100}, std::size_t{12'345}}) {
    std::uint64_t bytes = allocated_bytes();
    CreateStatus status{};
    const auto index = TypeParam::Index::create(TypeParam::config, capacity, status, capacity + 1);
    ASSERT_TRUE(index.has_value());
    EXPECT_EQ(allocated_bytes() - bytes, index->memory_bytes());

    bytes = allocated_bytes();
    const auto book = id_book<TypeParam, OrderBook<128>>({.base_price = 0, .capacity = capacity});
    const std::size_t of_book = bytes_allocated_by<TypeParam>(capacity);
    EXPECT_EQ(allocated_bytes() - bytes, of_book + index->memory_bytes());
    EXPECT_EQ(book.book().capacity(), capacity);
  }
}

#endif

TYPED_TEST(IdAllocation, OfEveryLaterCallIsNone) {
  constexpr BookConfig config{.base_price = 0, .capacity = 20};
  auto single = id_book<TypeParam, OrderBook<128>>(config);
  auto spanned = id_book<TypeParam, OrderBook<128>>(config);
  std::vector<OrderId> ids;
  for (std::uint64_t number = 0; number < 50; ++number) ids.push_back(TypeParam::id(number));
  const IdOracle oracle(Oracle(0, 127, config.capacity), TypeParam::config);
  const std::vector<Request> requests = RequestPlanner(oracle, ids, 0, 127, 5).plan(5'000);
  std::uint64_t trades = 0;
  std::uint64_t rested = 0;
  const auto sink = [&](const Trade&) { ++trades; };

  const std::uint64_t before = allocation_count();
  for (const Request& request : requests) {
    rested += single.apply(request, sink).rests() ? 1 : 0;
    rested += single.find(request.id).has_value() ? 1 : 0;
    if (rested % 500 == 0) single.clear(request.side);
  }
  spanned.apply(
      requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; },
      [&](const Result& result) { rested += result.rests() ? 1 : 0; }, sink);
  auto moved = std::move(single);
  spanned = std::move(moved);
  spanned.clear();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(trades, 1'000u);
  EXPECT_GT(rested, 1'000u);
}

}  // namespace
}  // namespace llmes::test
