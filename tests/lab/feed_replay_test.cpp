// SPDX-License-Identifier: MIT
//
// The plan of a tape is what the maker of the tape knows, and what no order comes of changes nothing in it. A feed
// that does other work than planned is refused.
#include "bench/programs/feed/feed_replay.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/programs/feed/feed_plan.hpp"
#include "bench/programs/feed/registry.hpp"
#include "bench/programs/feed/workers.hpp"
#include "bench/streams/itch_day.hpp"
#include "llmes/book.hpp"

namespace llmes::test {
namespace {

using bench::Digest;
using bench::FeedPlan;
using bench::ItchDay;
using bench::VectorLevelsFeed;

ItchDay small_day() {
  return bench::make_itch_day({.messages = 6'000, .symbols = 20, .seed = 3});
}

TEST(FeedPlan, EndsAsTheDayDoes) {
  const ItchDay day = small_day();
  const FeedPlan plan = bench::make_feed_plan(day.tape, 7);
  EXPECT_EQ(plan.messages, 6'000U);
  EXPECT_EQ(plan.best, day.checkpoints.back().best);
  EXPECT_EQ(plan.resting_end, day.checkpoints.back().resting);
  EXPECT_EQ(plan.resting_peak, day.census.peak_resting);
  EXPECT_EQ(plan.config.levels, day.census.peak_levels + 1);
  EXPECT_EQ(plan.final_queues, day.final_queues);

  // Its parts are the tape.
  std::size_t messages = plan.opening.messages;
  const std::byte* place = plan.tape.data() + plan.opening.bytes.size();
  for (const bench::FeedWindow& window : plan.windows) {
    for (const bench::FeedPart* part : {&window.rewarm, &window.timed}) {
      EXPECT_EQ(part->bytes.data(), place);
      place += part->bytes.size();
      messages += part->messages;
    }
  }
  EXPECT_EQ(plan.windows.size(), 7U);
  EXPECT_EQ(messages, plan.messages);
  EXPECT_EQ(place, plan.tape.data() + plan.tape.size());
}

/// Messages that cannot be right, about an order that rests and about none.
std::vector<std::byte> faults() {
  const auto about = [](auto message, std::uint64_t reference) {
    message.header.locate = itch::Locate{1};
    message.reference = itch::Reference{reference};
    return message;
  };
  constexpr std::uint64_t resting = 1'000'000'000, unknown = resting + 1;
  itch::AddOrder add = about(itch::AddOrder{}, resting);
  add.side = itch::BuySell::Buy;
  add.shares = 100;
  add.price = itch::Price4{10'000};
  itch::AddOrder empty = add;
  empty.reference = itch::Reference{unknown};
  empty.shares = 0;
  const auto executed = [&](std::uint64_t reference, std::uint32_t shares) {
    itch::OrderExecuted message = about(itch::OrderExecuted{}, reference);
    message.shares = shares;
    return message;
  };
  const auto replaced = [&](std::uint64_t reference, std::uint32_t shares) {
    itch::OrderReplace message = about(itch::OrderReplace{}, reference);
    message.new_reference = itch::Reference{resting + 2};
    message.shares = shares;
    message.price = itch::Price4{20'000};
    return message;
  };
  std::vector<std::byte> room(1'024);
  itch::FrameWriter writer(room);
  const auto write = [&](const auto&... messages) { (static_cast<void>(writer.append(messages)), ...); };
  write(add, add, empty, executed(resting, 101), executed(resting, 0), executed(unknown, 1),
        about(itch::OrderDelete{}, unknown), replaced(resting, 0), replaced(unknown, 1));
  room.resize(writer.written().size());
  return room;
}

TEST(FeedPlan, WhatCannotBeRightChangesNothing) {
  ItchDay day = small_day();
  const std::vector<std::byte> faulty = faults();
  day.tape.insert(day.tape.end(), faulty.begin(), faulty.end());
  const FeedPlan plan = bench::make_feed_plan(day.tape, 3);
  EXPECT_EQ(plan.messages, 6'009U);
  EXPECT_EQ(plan.resting_end, day.checkpoints.back().resting + 1);
  for (const char* name :
       {"feed", "feed_batch", "tree_hash", "standard_maps", "vector_levels", "btree_huge", "map_seq"}) {
    EXPECT_NO_THROW(bench::find_feed(name).enter(plan)->prove()) << name;
  }
}

TEST(FeedPlan, MayHaveFineSymbols) {
  const ItchDay day =
      bench::make_itch_day({.messages = 60'000, .symbols = 320, .seed = 3, .has_fine_symbols = true});
  const FeedPlan plan = bench::make_feed_plan(day.tape, 7);
  EXPECT_EQ(plan.best, day.checkpoints.back().best);
  EXPECT_EQ(plan.final_queues, day.final_queues);
  for (const char* name : {"feed", "feed_batch", "tree_hash"}) {
    EXPECT_NO_THROW(bench::find_feed(name).enter(plan)->prove()) << name;
  }
}

TEST(FeedPlan, RefusesWhatItCannotRead) {
  ItchDay day = small_day();
  EXPECT_THROW(static_cast<void>(bench::make_feed_plan(day.tape, 541)), std::runtime_error);
  EXPECT_NO_THROW(static_cast<void>(bench::make_feed_plan(day.tape, 540)));
  day.tape.pop_back();
  EXPECT_THROW(static_cast<void>(bench::make_feed_plan(day.tape, 3)), std::runtime_error);
}

/// Leaves out all messages of a type.
template <char Type>
class Without : public VectorLevelsFeed {
 public:
  static std::optional<Without> create(const bench::FeedConfig& config) {
    return Without(*VectorLevelsFeed::create(config));
  }
  bool apply(itch::MessageBytes message) {
    return static_cast<char>(message.front()) != Type && VectorLevelsFeed::apply(message);
  }

 private:
  explicit Without(VectorLevelsFeed&& feed) : VectorLevelsFeed(std::move(feed)) {}
};

/// Says of each order that it has a share more.
class Inflated : public VectorLevelsFeed {
 public:
  static std::optional<Inflated> create(const bench::FeedConfig& config) {
    return Inflated(*VectorLevelsFeed::create(config));
  }
  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    VectorLevelsFeed::visit_orders(book, side, [&](RestingOrder order) {
      ++order.quantity;
      visitor(order);
    });
  }

 private:
  explicit Inflated(VectorLevelsFeed&& feed) : VectorLevelsFeed(std::move(feed)) {}
};

template <class Feed>
std::string refusal(const FeedPlan& plan) {
  try {
    bench::FeedReplay<Feed>(plan).prove();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(FeedReplay, RefusesOtherWork) {
  const ItchDay day = small_day();
  const FeedPlan plan = bench::make_feed_plan(day.tape, 3);
  EXPECT_EQ(refusal<Without<'I'>>(plan), "none");
  EXPECT_EQ(refusal<Without<'D'>>(plan), "its best prices after the messages are not the planned ones");
  EXPECT_EQ(refusal<Inflated>(plan), "its queues of orders at the end are not the planned ones");
}

// ---- Workers.

/// All orders of a symbol, side by side, each as its values.
template <class Feed>
std::vector<std::tuple<OrderId, Price, Quantity>> orders_of(const Feed& feed, std::uint32_t book) {
  std::vector<std::tuple<OrderId, Price, Quantity>> orders;
  for (const Side side : {Side::Buy, Side::Sell}) {
    feed.visit_orders(book, side, [&](const RestingOrder& order) {
      orders.emplace_back(order.id, order.price, order.quantity);
    });
    orders.emplace_back();
  }
  return orders;
}

TEST(FeedWorkers, TogetherHaveTheBooksOfOneFeed) {
  ItchDay day = small_day();
  const std::vector<std::byte> faulty = faults();
  day.tape.insert(day.tape.end(), faulty.begin(), faulty.end());
  const FeedPlan plan = bench::make_feed_plan(day.tape, 3);
  std::optional<bench::SingleFeed> feed = bench::SingleFeed::create(plan.config);
  ASSERT_TRUE(feed);
  Digest ignored;
  bench::replay_feed(*feed, plan.tape, ignored);
  for (const std::size_t count : {1, 2, 3, 20, 33}) {
    SCOPED_TRACE(count);
    bench::FeedWorkers workers(bench::plan_workers(plan, count).configs);
    workers.replay(plan.tape);
    EXPECT_EQ(workers.size(), feed->size());
    for (std::uint32_t book = 0; book < plan.config.books; ++book) {
      EXPECT_EQ(orders_of(workers, book), orders_of(*feed, book)) << book;
    }
  }
}

TEST(FeedWorkers, AreHeldToThePlan) {
  const ItchDay day = small_day();
  FeedPlan plan = bench::make_feed_plan(day.tape, 3);
  bench::WorkersReplay replay(plan, 2);
  replay.prove();
  EXPECT_GT(replay.peak_bytes(), 0U);
  replay.start();
  for (std::size_t window = 0; window < plan.windows.size(); ++window) {
    EXPECT_EQ(replay.run(window, nullptr).events, plan.windows[window].timed.messages);
  }
  std::swap(plan.windows[1].timed.bytes, plan.windows[2].timed.bytes);
  EXPECT_THROW(replay.prove(), std::runtime_error);
  std::swap(plan.windows[1].timed.bytes, plan.windows[2].timed.bytes);
  ++plan.final_queues;
  EXPECT_THROW(replay.prove(), std::runtime_error);
  ++plan.windows[1].timed.best.checksum;
  EXPECT_THROW(static_cast<void>(bench::plan_workers(plan, 2)), std::runtime_error);
}

}  // namespace
}  // namespace llmes::test
