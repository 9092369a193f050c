// SPDX-License-Identifier: MIT
//
// A command of a venue and its records: what is not set takes no room, and nothing but whole commands is made.
#include "llmes/engine/venue_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/machine_kit.hpp"
#include "tests/support/random.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test::venue_record_test {
namespace {

/// What a reader makes of the records of a command.
std::vector<VenueCommand> read(VenueCommandReader& reader, std::span<const PartRecord> records) {
  std::vector<VenueCommand> commands;
  for (const PartRecord& record : records) {
    if (const VenueCommand* const command = reader.take(record)) commands.push_back(*command);
  }
  return commands;
}

TEST(VenueRecords, KeepEachCommandAsItIs) {
  VenueCommandReader reader;
  VenuePlanner planner(1);
  std::array<int, VenueRecords::size_max + 1> sizes{};
  for (int i = 0; i < 20'000; ++i) {
    const VenueCommand command = planner.next();
    const VenueRecords records = records_of(command);
    ++sizes[records.size()];
    ASSERT_EQ(read(reader, records), std::vector{command}) << i;
  }
  for (std::size_t size = 1; size < sizes.size(); ++size) EXPECT_GT(sizes[size], 1'000) << size;
}

/// With any value in any byte of a member.
TEST(VenueRecords, KeepWrongNumbersAsTheyAre) {
  VenueCommandReader reader;
  Random random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::uint64_t, sizeof(VenueCommand) / 8> words{};
    for (std::uint64_t& word : words) word = random.chance(50) ? 0 : random.below(~std::uint64_t{0});
    auto command = std::bit_cast<VenueCommand>(words);
    for (std::uint8_t& byte : command.unused) byte = 0;
    ASSERT_EQ(read(reader, records_of(command)), std::vector{command}) << i;
  }
}

TEST(VenueRecords, TakeRoomForWhatIsSet) {
  VenueCommand order{.time = 1, .id = 2, .price = -3, .quantity = 4, .account = 5, .book = 6};
  order.side = Side::Sell;
  order.self_trade = SelfTrade::CancelBoth;
  order.lifetime = Lifetime::Day;
  EXPECT_EQ(records_of(order).size(), 1u);
  order.client_tag = 7;
  EXPECT_EQ(records_of(order).size(), 2u);
  order.peak = 1;
  EXPECT_EQ(records_of(order).size(), 2u);
  order.stop = StopTrigger::LastTrade;
  EXPECT_EQ(records_of(order).size(), 3u);
  order.client_tag = 0;
  order.peak = 0;
  EXPECT_EQ(records_of(order).size(), 2u);
  EXPECT_EQ(records_of({.type = VenueCommandType::SetPhase, .phase = Phase::Continuous}).size(), 1u);
  EXPECT_EQ(records_of({.type = VenueCommandType::SetPhase, .phase = Phase::PreOpen}).size(), 2u);
}

TEST(VenueRecords, KeepAMassQuote) {
  Random random(4);
  VenueCommandReader reader;
  std::array<PartRecord, quote_records_max> room;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, quote_entries_max}) {
    std::vector<QuoteEntry> entries(count);
    for (QuoteEntry& entry : entries) {
      entry.id = random.below(~std::uint64_t{0});
      entry.price = static_cast<Price>(random.below(~std::uint64_t{0}));
      entry.quantity = random.below(~std::uint64_t{0});
      entry.book = static_cast<BookNumber>(random.below(1 << 30));
      entry.side = static_cast<Side>(random.below(256));
    }
    const VenueCommand quote{.time = 7,
                             .account = 3,
                             .client_tag = 9,
                             .type = VenueCommandType::MassQuote,
                             .quote_mode = QuoteMode::AllOrNone};
    const std::span<const PartRecord> records = records_of(quote, entries, room);
    EXPECT_EQ(records.size(), 2 + count);
    EXPECT_EQ(read(reader, records), std::vector{quote});
    EXPECT_TRUE(std::ranges::equal(reader.entries(), entries));
    EXPECT_EQ(records_of(quote, entries, std::span(room).first(count + 1)).size(), 0u) << "there is no room";
  }
  // One entry too many is no command; the next one is.
  const std::vector<QuoteEntry> most(quote_entries_max);
  std::span<PartRecord> records =
      std::span(room).first(records_of({.type = VenueCommandType::MassQuote}, most, room).size());
  records.back().part = VenueRecords::entry;
  EXPECT_TRUE(read(reader, records).empty());
  records.back().part |= PartRecord::last;
  const auto torn = read(reader, records.last(1));
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_EQ(to_string(torn[0].type), "?");
  EXPECT_TRUE(reader.entries().empty());
}

TEST(VenueRecords, MakeAMassQuoteInAMachine) {
  CreateStatus status{};
  auto machine = *VenueMachine<>::create(Kit<VenueMachine<>>::config(), status);
  std::array<PartRecord, quote_records_max> room;
  const std::vector<QuoteEntry> entries{{.id = 1, .price = 99, .quantity = 1},
                                        {.id = 2, .price = 101, .quantity = 1, .side = Side::Sell}};
  Keep<VenueReport> target;
  const VenueCommand quote{.account = 1, .type = VenueCommandType::MassQuote};
  for (const PartRecord& record : records_of(quote, entries, room)) machine.apply({&record, 1}, target);
  EXPECT_EQ(machine.venue().book().book().size(), 2u);
  EXPECT_EQ(target.reports.size(), 5u);
  EXPECT_EQ(machine.commands(), 1u);
}

/// The first records of a command that never ended do nothing; those that begin in the middle are refused.
TEST(VenueRecords, MakeNoCommandOfAPart) {
  VenueCommand order{.id = 1, .new_id = 2, .price = 3, .quantity = 4, .trigger = 5, .account = 1};
  const VenueRecords records = records_of(order);
  ASSERT_EQ(records.size(), 3u);
  const std::span all(records.data(), records.size());
  const VenueCommand plain{.id = 9, .price = 100, .quantity = 1, .account = 1};
  VenueCommandReader reader;
  EXPECT_TRUE(read(reader, all.first(2)).empty());
  EXPECT_EQ(read(reader, records_of(plain)), std::vector{plain});
  const std::vector<VenueCommand> torn = read(reader, all.subspan(1));
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_EQ(to_string(torn[0].type), "?");
  EXPECT_EQ(read(reader, records_of(order)), std::vector{order});
  PartRecord unknown = all[2];
  unknown.part = PartRecord::last | (VenueRecords::entry + 1);
  EXPECT_TRUE(read(reader, all.first(2)).empty());
  EXPECT_EQ(to_string(read(reader, {&unknown, 1}).at(0).type), "?");
  EXPECT_TRUE(read(reader, all.first(2)).empty());
  EXPECT_EQ(to_string(read(reader, {&all[1], 1}).empty() ? torn[0].type : VenueCommandType::AddLimit), "?")
      << "twice the same";
}

TEST(VenueRecords, AreRefusedByTheVenueWithoutTheirFirst) {
  CreateStatus status{};
  auto machine = *VenueMachine<>::create(Kit<VenueMachine<>>::config(), status);
  const VenueRecords records = records_of({.id = 1, .price = 3, .quantity = 4, .trigger = 5, .account = 1});
  Keep<VenueReport> target;
  machine.apply(std::span(records.data() + 1, 1), target);
  ASSERT_EQ(target.reports.size(), 1u);
  EXPECT_EQ(target.reports[0].status, VenueStatus::InvalidCommand);
}

/// A snapshot may fall between the records of a command.
TEST(VenueRecords, GoOnInAnImage) {
  CreateStatus status{};
  const auto create = [&] { return *VenueMachine<>::create(Kit<VenueMachine<>>::config(), status); };
  const std::vector<PartRecord> plan = Kit<VenueMachine<>>::plan(3, 200);
  Keep<VenueReport> expected;
  auto whole = create();
  whole.apply(plan, expected);
  Keep<VenueReport> told;
  auto machine = create();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    machine.apply({&plan[i], 1}, told);
    std::vector<std::byte> image;
    ASSERT_TRUE(write_image(machine, [&](std::span<const std::byte> bytes) {
      image.insert(image.end(), bytes.begin(), bytes.end());
      return true;
    }));
    auto next = create();
    std::span<const std::byte> left = image;
    const auto source = [&left](std::span<std::byte> bytes) {
      std::ranges::copy(left.first(bytes.size()), bytes.begin());
      left = left.subspan(bytes.size());
      return true;
    };
    ASSERT_EQ(read_image(next, image.size(), source), ImageStatus::Success);
    machine = std::move(next);
  }
  EXPECT_TRUE(told.reports == expected.reports);
  EXPECT_EQ(machine.commands(), whole.commands());
}

TEST(VenueRecords, GoToAnEngineAllOrNone) {
  EngineError error;
  const auto engine = Engine<VenueMachine<>>::create(
      {.books = Kit<VenueMachine<>>::config(), .commands = 4, .reports = 64}, error);
  ASSERT_TRUE(engine) << to_string(error);
  const VenueRecords three =
      records_of({.id = 1, .new_id = 1, .price = 3, .quantity = 4, .trigger = 5, .account = 1});
  const VenueRecords one = records_of({.id = 1, .price = 3, .quantity = 4, .account = 1});
  Keep<VenueReport> target;
  for (int i = 0; i < 9; ++i) {  // over the wrap, again and again
    EXPECT_EQ(engine->submit(three), SubmitStatus::Accepted);
    EXPECT_EQ(engine->submit(three), SubmitStatus::Full);
    EXPECT_EQ(engine->submit(one), SubmitStatus::Accepted);
    EXPECT_EQ(engine->submit(one), SubmitStatus::Full);
    EXPECT_TRUE(engine->step(target));
    EXPECT_EQ(engine->books().commands(), 2 * static_cast<std::uint64_t>(i + 1));
    EXPECT_EQ(engine->sequence(), 4 * static_cast<std::uint64_t>(i + 1));
  }
  engine->stop();
  EXPECT_EQ(engine->submit(one), SubmitStatus::Stopped);
}

}  // namespace
}  // namespace llmes::test::venue_record_test
