// SPDX-License-Identifier: MIT
//
// A slow reader of conflated levels has the levels of every book after each read; if more has changed than there
// is room for it is told so, and goes on from a snapshot.
#include "llmes/market_data/conflated_depth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/random.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {
namespace {

/// Keeps the last state of each level, and ignores what its snapshot of a book includes.
class SlowReader {
 public:
  void level_changed(const LevelChanged& event) {
    EXPECT_FALSE(std::exchange(ended_, event.ends_command)) << "something follows the end";
    if (event.sequence <= begins_[event.book]) return;
    EXPECT_TRUE(given_.insert({event.book, event.side, event.level.price}).second) << "twice";
    keep(event);
  }

  void end_read() {
    EXPECT_TRUE(ended_ || given_.empty());
    ended_ = false;
    given_.clear();
  }

  template <class Publisher>
  void take_snapshots(const Publisher& publisher) {
    levels_.clear();
    for (BookNumber book = 0; book < publisher.book().book_count(); ++book) {
      begins_[book] = publisher.positions(book).levels;
      KeepAll keep_all{*this};
      give_snapshot(*publisher.book().book(book), publisher.positions(book), keep_all, book);
    }
  }

  [[nodiscard]] std::vector<DepthLevel> depth(BookNumber book, Side side) const {
    std::vector<DepthLevel> depth;
    for (const auto& [name, level] : levels_) {
      if (std::get<0>(name) == book && std::get<1>(name) == side) depth.push_back(level);
    }
    if (side == Side::Buy) std::reverse(depth.begin(), depth.end());
    return depth;
  }

 private:
  using Name = std::tuple<BookNumber, Side, Price>;

  struct KeepAll {
    SlowReader& reader;
    void level_changed(const LevelChanged& event) { reader.keep(event); }
  };

  void keep(const LevelChanged& event) {
    const Name name{event.book, event.side, event.level.price};
    if (event.level.order_count == 0) {
      levels_.erase(name);
    } else {
      levels_[name] = event.level;
    }
  }

  std::map<Name, DepthLevel> levels_;
  std::map<BookNumber, std::uint64_t> begins_;
  std::set<Name> given_;
  bool ended_ = false;
};

/// With room for so few levels that some reads come too late.
TEST(ConflatedDepth, HasASlowReaderFollow) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto stage = *ConflatedDepth::create(16 * seed - 3);
    auto publisher =
        *Publisher<BookSet, ConflatedDepth&>::create(*BookSet::create({.max_books = 3, .capacity = 60}), stage);
    while (publisher.add_book()) continue;
    FarCommands plan(seed);
    Random random(seed);
    SlowReader reader;
    std::array<std::size_t, 2> reads{};
    for (int i = 0; i < 4'000; ++i) {
      const Result result =
          publisher.apply({plan.next(), static_cast<BookNumber>(random.below(3))}, DiscardTrades{});
      if (result.rests()) plan.note(result.handle);
      if (!random.chance(5)) continue;
      const DepthUpdate update = stage.read(reader);
      reader.end_read();
      ++reads[static_cast<std::size_t>(update)];
      EXPECT_EQ(stage.size(), 0u);
      if (update == DepthUpdate::SnapshotNeeded) {
        if (random.chance(50)) publisher.apply({plan.next(), 1}, DiscardTrades{});
        reader.take_snapshots(publisher);
        continue;  // what the stage holds now, the snapshot has as well
      }
      for (BookNumber book = 0; book < 3; ++book) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          ASSERT_EQ(reader.depth(book, side), depth_of(*publisher.book().book(book), side)) << i;
        }
      }
    }
    EXPECT_GT(reads[0], 50u);
    if (seed < 3) {
      EXPECT_GT(reads[1], 0u);
    }
  }
}

LevelChanged level(std::uint64_t sequence, Price price) {
  return {{sequence, 0, true}, Side::Buy, {price, sequence, 1}};
}

struct KeepLevels {
  std::vector<LevelChanged> levels{};
  void level_changed(const LevelChanged& event) { levels.push_back(event); }
};

TEST(ConflatedDepth, GivesTheLatestStateOfEachLevelOnce) {
  auto stage = *ConflatedDepth::create(2);
  const std::uint64_t before = bench::allocation_count();
  for (std::uint64_t i = 1; i <= 9; ++i) stage.level_changed(level(i, static_cast<Price>(i % 2)));
  EXPECT_EQ(stage.size(), stage.capacity());
  EXPECT_EQ(bench::allocation_count(), before);
  KeepLevels reader;
  EXPECT_EQ(stage.read(reader), DepthUpdate::Complete);
  LevelChanged first = level(9, 1);
  first.ends_command = false;
  EXPECT_EQ(reader.levels, (std::vector{first, level(8, 0)}));
  EXPECT_EQ(stage.read(reader), DepthUpdate::Complete);
  EXPECT_EQ(reader.levels.size(), 2u) << "nothing has changed since";
}

/// At so many prices that levels of one price, but of another side or book, meet in the table.
TEST(ConflatedDepth, TellsSidesAndBooksApart) {
  for (Price price = 0; price < 64; ++price) {
    auto stage = *ConflatedDepth::create(3);
    LevelChanged ask = level(2, price);
    ask.side = Side::Sell;
    LevelChanged other = level(3, price);
    other.book = 1;
    for (const LevelChanged& event : {level(1, price), ask, other}) stage.level_changed(event);
    EXPECT_EQ(stage.size(), 3u) << price;
  }
}

TEST(ConflatedDepth, SaysWhenItHadNoRoom) {
  auto stage = *ConflatedDepth::create(2);
  for (std::uint64_t i = 1; i <= 5; ++i) stage.level_changed(level(i, static_cast<Price>(i)));
  EXPECT_EQ(stage.size(), 0u) << "what it had is of no use any more";
  KeepLevels reader;
  EXPECT_EQ(stage.read(reader), DepthUpdate::SnapshotNeeded);
  EXPECT_EQ(reader.levels, std::vector<LevelChanged>{});
  stage.level_changed(level(6, 6));
  EXPECT_EQ(stage.read(reader), DepthUpdate::Complete);
  EXPECT_EQ(reader.levels, std::vector{level(6, 6)});
}

TEST(ConflatedDepth, TakesRoomForOneLevelUpToTheMost) {
  CreateStatus status{};
  EXPECT_FALSE(ConflatedDepth::create(0, status).has_value());
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(ConflatedDepth::create(ConflatedDepth::levels_max + 1, status).has_value());
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  const std::uint64_t before = bench::allocated_bytes();
  const auto stage = ConflatedDepth::create(1'000, status);
  EXPECT_EQ(status, CreateStatus::Success);
  EXPECT_LE(bench::allocated_bytes() - before, 72'000u);
  EXPECT_EQ(stage->capacity(), 1'000u);
}

TEST(ConflatedDepth, GoesOnWhereItIsMoved) {
  auto stage = *ConflatedDepth::create(2);
  stage.level_changed(level(1, 1));
  auto moved = std::move(stage);
  stage.level_changed(level(2, 2));
  KeepLevels reader;
  EXPECT_EQ(stage.read(reader), DepthUpdate::SnapshotNeeded) << "it has no room";
  EXPECT_EQ(moved.read(reader), DepthUpdate::Complete);
  EXPECT_EQ(reader.levels, std::vector{level(1, 1)});
  stage = std::move(moved);
  stage.level_changed(level(3, 3));
  EXPECT_EQ(stage.read(reader), DepthUpdate::Complete);
  EXPECT_EQ(reader.levels.back(), level(3, 3));
}

}  // namespace
}  // namespace llmes::test
