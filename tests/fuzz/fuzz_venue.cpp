// SPDX-License-Identifier: MIT
//
// A small venue on commands that libFuzzer makes up, with stops, lifetimes, links, phases and mistakes, against
// the oracle. Eight bytes make a command. In one input of four they are commands byte by byte, with any value in
// any member: then only the invariants are checked.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "tests/support/venue_pair.hpp"

namespace llmes::test {
namespace {

constexpr VenueConfig config{.books = {.max_books = 2, .capacity = 8, .far_levels = 8},
                             .accounts = 3,
                             .holdings = 6,
                             .stops = 4,
                             .lifetimes = 3,
                             .links = 3,
                             .matches = 4};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

using Type = VenueCommandType;
constexpr std::array types{Type::AddLimit,     Type::AddLimit, Type::AddLimit, Type::AddLimit, Type::AddMarket,
                           Type::AddProtected, Type::Cancel,   Type::Modify,   Type::Reduce,   Type::Replace,
                           Type::MassCancel,   Type::Advance,  Type::SetPhase, Type::Schedule, Type::Halt,
                           Type::Resume,       Type::SetBands, Type::Bust,     Type::Kill,     Type::Restore};

VenueCommand decoded(std::span<const std::uint8_t, 8> bytes, Nanoseconds& time) {
  const auto [what, who, number, numbers, price, how, waits, links] =
      std::array{bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]};
  time += what / 20 % 4;
  VenueCommand command;
  command.type = types[what % types.size()];
  command.time = time;
  command.account = who % 4u;
  command.book = who / 4 % 8 == 7 ? 1 : 0;
  command.side = static_cast<Side>(who / 32 % 2);
  command.id = number % 16u;
  command.new_id = number / 16u;
  command.quantity = numbers % 8u;
  command.peak = numbers / 8 % 4u;
  command.protection = numbers / 32u;
  command.price = 100 + price % 8;
  command.trigger = 100 + price / 8 % 8;
  command.trail = price >= 192 ? price % 4 : 0;
  command.time_in_force = static_cast<TimeInForce>(how < 128 ? 0 : how % 5);
  command.self_trade = static_cast<SelfTrade>(how / 5 % 6);
  command.display = static_cast<Display>(how / 32 % 8 < 5 ? 0 : how / 4 % 4);
  command.minimum = how == 255 ? 1 : 0;
  command.stop = static_cast<StopTrigger>(waits % 8 < 4 ? 0 : waits % 4);
  command.lifetime = static_cast<Lifetime>(waits / 8 % 8 < 4 ? 0 : waits / 8 % 4);
  command.expiry = time + waits / 64 * 3u;
  command.phase = static_cast<Phase>(waits / 32 % 6);
  command.link = links % 8 < 4 ? 0 : 1 + links % 4u;
  command.link_role = static_cast<LinkRole>(links % 8 < 4 ? 0 : links / 8 % 5);
  if (command.type == Type::MassCancel) {
    if (links % 2 == 0) command.side = VenueCommand::both_sides;
    if (links / 2 % 2 == 0) command.book = VenueCommand::all_books;
  }
  return command;
}

void play(std::span<const std::uint8_t> bytes) {
  VenuePair pair(config);
  for (Nanoseconds time = 1; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    pair.make(decoded(bytes.first<8>(), time));
    if (!pair.difference().empty()) fail(pair.difference());
  }
  pair.compare();
  if (!pair.difference().empty()) fail(pair.difference());
}

void play_any(std::span<const std::uint8_t> bytes) {
  Venue<> venue = *Venue<>::create(config);
  for (; bytes.size() >= sizeof(VenueCommand); bytes = bytes.subspan(sizeof(VenueCommand))) {
    VenueCommand command;
    std::memcpy(&command, bytes.data(), sizeof(command));
    VenueReport last;
    venue.apply(command, 1, [&](const VenueReport& report) { last = report; });
    if (last.kind != VenueReportKind::Done) fail("the last report is not Done");
  }
  if (!venue.holds()) fail("the venue does not hold");
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  if (data[0] % 4 == 3) {
    llmes::test::play_any(bytes);
  } else {
    llmes::test::play(bytes);
  }
  return 0;
}
