// SPDX-License-Identifier: MIT
//
// The passive image of a plan leads to the same books as the plan, and nothing in it trades.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/harness/passive.hpp"
#include "bench/harness/replay.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"

namespace llmes::test {
namespace {

using bench::Digest;
using bench::Plan;
using Book = OrderBook<131'072>;

/// Plays events [begin, end) of a plan, which `handles` follows.
Digest play(Book& book, const Plan& plan, std::size_t begin, std::size_t end, std::vector<OrderHandle>& handles) {
  Digest digest;
  for (std::size_t i = begin; i < end; ++i) {
    OrderHandle& handle = handles[plan.events[i].order];
    const Result result = book.apply(bench::command_for(plan.events[i], handle, plan.events[i].order), digest);
    if (result.handle != OrderHandle{}) handle = result.handle;
    digest.count(result.status);
  }
  return digest;
}

/// Every order in priority order, but for its handle.
std::vector<RestingOrder> orders(const Book& book) {
  std::vector<RestingOrder> found;
  for (const Side side : {Side::Buy, Side::Sell}) {
    book.visit_orders(side, [&](RestingOrder order) {
      order.handle = {};
      found.push_back(order);
    });
  }
  return found;
}

class PassiveImage : public testing::TestWithParam<std::string> {};

TEST_P(PassiveImage, LeadsToTheSameBooksWithoutATrade) {
  const Plan plan = bench::make_plan(
      {.workload = GetParam(), .standing = 300, .batches = 20, .batch = 500, .rewarm = 100, .warm_up = 5000});
  const Plan image = bench::passive_image(plan);
  auto book = bench::make_book<Book>(plan);
  auto imaged = bench::make_book<Book>(plan);
  std::vector<OrderHandle> handles(plan.order_count);
  std::vector<OrderHandle> imaged_handles(plan.order_count);
  std::uint64_t fills = 0;
  std::size_t at = 0;
  std::size_t imaged_at = 0;
  for (std::size_t i = 0; i < plan.batches.size(); ++i) {
    fills += play(book, plan, at, plan.batches[i].end, handles).fills;
    const Digest played = play(imaged, image, imaged_at, image.batches[i].end, imaged_handles);
    EXPECT_EQ(played, Digest{}) << "a trade, or a rejection";
    EXPECT_EQ(orders(imaged), orders(book)) << "batch " << i;
    EXPECT_EQ(image.batches[i].expected.fills, 0);
    at = plan.batches[i].end;
    imaged_at = image.batches[i].end;
  }
  EXPECT_GT(fills, 0);
}

INSTANTIATE_TEST_SUITE_P(Workloads, PassiveImage, testing::Values("macro", "classic", "wide"),
                         [](const auto& info) { return info.param; });

TEST(PassiveImageOf, AnOrderThatTradesInPart) {
  using enum CommandType;
  Plan plan;
  plan.price_levels = 4096;
  plan.capacity = 10;
  plan.order_count = 5;
  plan.events = {
      {10, 5, 0, AddLimit, Side::Sell, {}}, {12, 9, 1, AddLimit, Side::Sell, {}},
      {10, 8, 2, AddLimit, Side::Buy, {}},                                // takes order 0, and 3 lots rest
      {8, 4, 3, AddLimit, Side::Buy, {}},   {12, 20, 3, Modify, {}, {}},  // takes order 1, and 11 lots rest
      {0, 2, 4, AddMarket, Side::Sell, {}}};                              // takes 2 of the 11
  const Plan image = bench::passive_image(plan);
  auto book = bench::make_book<Book>(plan);
  auto imaged = bench::make_book<Book>(plan);
  std::vector<OrderHandle> handles(plan.order_count);
  std::vector<OrderHandle> imaged_handles(plan.order_count);
  EXPECT_EQ(play(book, plan, 0, plan.events.size(), handles).fills, 3);
  EXPECT_EQ(play(imaged, image, 0, image.events.size(), imaged_handles), Digest{});
  EXPECT_EQ(orders(imaged), orders(book));
  EXPECT_EQ(orders(book), (std::vector<RestingOrder>{{{}, 3, Side::Buy, 12, 9}, {{}, 2, Side::Buy, 10, 3}}));
}

}  // namespace
}  // namespace llmes::test
