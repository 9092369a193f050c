// SPDX-License-Identifier: MIT
//
// The generations of a slot count up to 2^32-1 and continue at 0. Before, during and after that a book answers
// like a new one; only the generations in its handles differ, all by the same number.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {
namespace {

using Book = OrderBook<128>;
using Inspector = BookInspector;

constexpr std::uint32_t last_generation = std::numeric_limits<std::uint32_t>::max();

/// An empty book whose slots have all been used until `generation`, which is even.
Book used_book(const BookConfig& config, std::uint32_t generation) {
  Book book = *Book::create(config);
  for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
    Inspector::generation(book, slot) = generation;
  }
  return book;
}

OrderHandle rest(Book& book, OrderId id) {
  return book.add_limit_order(id, Side::Buy, 0, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle;
}

void expect_unknown(Book& book, OrderHandle handle) {
  EXPECT_EQ(book.find(handle), std::nullopt) << handle;
  EXPECT_EQ(book.cancel_order(handle), Status::UnknownOrder) << handle;
  EXPECT_EQ(book.reduce_order(handle, 1), Status::UnknownOrder) << handle;
  EXPECT_EQ(book.modify_order(handle, 0, 1, DiscardTrades{}).status, Status::UnknownOrder) << handle;
}

TEST(GenerationWrap, ASlotGoesOnAcrossIt) {
  Book book = used_book({.base_price = 0, .capacity = 1}, last_generation - 3);
  std::vector<OrderHandle> dead;
  for (const std::uint32_t generation : {last_generation - 2, last_generation, 1u, 3u}) {
    const OrderHandle order = rest(book, 1);
    EXPECT_EQ(order.generation, generation);
    EXPECT_TRUE(book.find(order).has_value());
    for (const OrderHandle handle : dead) expect_unknown(book, handle);
    for (const std::uint32_t free : {last_generation - 3, last_generation - 1, 0u, 2u, 4u}) {
      expect_unknown(book, {order.index, free});
    }
    EXPECT_EQ(broken_invariant(book), std::nullopt);
    EXPECT_EQ(book.cancel_order(order), Status::Success);
    EXPECT_EQ(broken_invariant(book), std::nullopt);
    dead.push_back(order);
    for (const OrderHandle handle : dead) expect_unknown(book, handle);
  }
}

/// A free slot then has the generation of the default handle, and of anchors.
TEST(GenerationWrap, AFreeSlotOfGenerationZeroIsUnknown) {
  Book book = used_book({.base_price = 0, .capacity = 2}, last_generation - 1);
  const OrderHandle order = rest(book, 1);
  EXPECT_EQ(book.cancel_order(order), Status::Success);
  ASSERT_EQ(Inspector::generation(book, order.index), 0u);
  expect_unknown(book, {order.index, 0});
  expect_unknown(book, {});
}

/// As order_pool.hpp says: 2^31 uses of a slot later, its handles are those of long ago.
TEST(GenerationWrap, AHandleComesBackAfterAllOthersOfItsSlot) {
  const BookConfig config{.base_price = 0, .capacity = 1};
  Book young = used_book(config, 0);
  const OrderHandle first = rest(young, 1);
  Book old = used_book(config, last_generation - 1);
  EXPECT_EQ(old.cancel_order(rest(old, 1)), Status::Success);
  EXPECT_EQ(rest(old, 2), first);
  EXPECT_EQ(old.find(first)->id, 2u);
}

/// What a book does, with generations counted from `origin`.
class AgedBook {
 public:
  AgedBook(const BookConfig& config, std::uint32_t origin) : book_(used_book(config, origin)), origin_(origin) {}

  struct Answer {
    Result result;
    std::vector<Trade> trades;
    std::vector<RestingOrder> orders;
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  Answer play(const Operation& operation) {
    RecordTrades sink;
    Answer answer;
    answer.result = book_.apply(to_command(operation, handles_[operation.order]), sink);
    if (operation.makes_order() && answer.result.status == Status::Success && answer.result.rests()) {
      handles_[operation.made()] = answer.result.handle;
    }
    if (origin_ != 0) {
      EXPECT_EQ(broken_invariant(book_), std::nullopt);
    }
    for (const Side side : {Side::Buy, Side::Sell}) {
      book_.visit_orders(side, [&](const RestingOrder& order) { answer.orders.push_back(order); });
    }
    answer.trades = sink.trades;
    if (answer.result.handle != OrderHandle{}) count_from_origin(answer.result.handle);
    for (Trade& trade : answer.trades) count_from_origin(trade.maker_handle);
    for (RestingOrder& order : answer.orders) count_from_origin(order.handle);
    return answer;
  }

  /// Whether all slots have gone past the last generation.
  [[nodiscard]] bool wrapped() const {
    for (SlotIndex slot = Inspector::first_order_slot(book_); slot < Inspector::slot_count(book_); ++slot) {
      if (Inspector::generation(book_, slot) >= origin_) return false;
    }
    return true;
  }

 private:
  void count_from_origin(OrderHandle& handle) const { handle.generation -= origin_; }

  Book book_;
  std::uint32_t origin_;
  std::unordered_map<OrderId, OrderHandle> handles_;
};

TEST(GenerationWrap, ABookDoesTheSameAcrossIt) {
  Profile profile = nearly_full_pool;
  profile.operation_count = 1'000;  // enough for each slot to wrap
  for (const std::size_t capacity : {1u, 2u, 5u}) {
    const BookConfig config{.base_price = -20, .capacity = capacity};
    for (const std::uint32_t origin : {last_generation - 1, last_generation - 3, last_generation - 19}) {
      AgedBook young(config, 0);
      AgedBook old(config, origin);
      for (const Operation& operation : random_stream(profile, config, Book::price_levels, capacity)) {
        ASSERT_EQ(old.play(operation), young.play(operation)) << source_of(operation);
      }
      EXPECT_TRUE(old.wrapped()) << "from " << origin << ", capacity " << capacity;
    }
  }
}

}  // namespace
}  // namespace llmes::test
