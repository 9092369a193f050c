// SPDX-License-Identifier: MIT
//
// Any bytes as what two users send to the exchange of examples/exchange: whole sessions of OUCH over SoupBinTCP,
// with reconnects, days and the time. What it says are messages of the protocol, in order; its books, accounts and
// feed stay right.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/exchange/core.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "tests/fuzz/expect.hpp"

namespace exchange {
namespace {

using llmes::test::expect;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds morning = 20'000 * 86'400 * second + 32'400 * second;

User user(std::string name, AccountNumber account, bool cancels) {
  User made;
  made.name = std::move(name);
  made.id = *user_id(made.name);
  made.account = account;
  made.password = {.rounds = 1, .salt = std::vector<unsigned char>(8), .hash = {}};
  const auto hash = hash_of("A", made.password.salt, 1);
  made.password.hash.assign(hash->begin(), hash->end());
  made.cancel_on_disconnect = cancels;
  return made;
}

/// One user with its connection.
struct Line {
  void message(std::uint64_t, std::span<const std::byte> bytes) {
    const auto any = [](const auto&) {};
    expect(ouch::decode_venue(bytes, any) == ouch::DecodeStatus::Success, "the venue says a message of OUCH");
  }
  void unsequenced(std::span<const std::byte>) {}

  void connect(Gateway& gateway, std::string_view name, Nanoseconds now) {
    server.reset();
    server = std::make_unique<OuchSession>(gateway, now, 256);
    client = std::make_unique<llmes::soup::Client>(
        llmes::soup::LoginRequest{.user = name, .password = "A", .sequence = 1}, now);
    std::array<std::byte, 64> room{};
    server->receive(std::span(room).first(client->write(room, now)), now);
  }
  void hear(Nanoseconds now) {
    std::array<std::byte, 1'024> room{};
    while (const std::size_t size = server->write(room, now))
      client->receive(std::span(room).first(size), now, *this);
    expect(client->end() != llmes::soup::End::BadPacket && client->end() != llmes::soup::End::BadSequence,
           "the venue says packets, in order");
  }

  std::unique_ptr<OuchSession> server{};
  std::unique_ptr<llmes::soup::Client> client{};
};

}  // namespace
}  // namespace exchange

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace exchange;
  static const std::vector<User> users{user("A", 1, false), user("B", 2, true)};
  std::string wrong;
  const auto core = Core::create({.exchange = {.venue = {.books = {.max_books = 1, .capacity = 16},
                                                         .accounts = 2,
                                                         .holdings = 2,
                                                         .lifetimes = 16,
                                                         .matches = 16,
                                                         .first_phase = Phase::Closed},
                                               .users = 2},
                                  .journal = {.durability = llmes::Durability::None},
                                  .protocols = {ouch_protocol}},
                                 users, wrong);
  expect(core != nullptr, "an exchange is made");
  Gateway& gateway = core->gateway();
  gateway.logins_a_second = 1'000'000;
  gateway.set_time(morning);
  SymbolLine symbol;
  symbol.name = "X";
  expect(core->open({symbol}, users), "it opens");
  auto feed = *llmes::FeedBook::create({.symbols = 1, .capacity = 16});
  std::size_t read = 0;
  std::shared_ptr<MessageLog> log = gateway.feed();

  std::array<Line, 2> lines;
  Nanoseconds now = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].connect(gateway, users[i].name, now);
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto take = [&bytes](std::size_t count) {
    const auto taken = bytes.first(std::min(count, bytes.size()));
    bytes = bytes.subspan(taken.size());
    return taken;
  };
  // A byte says what happens and to whom; messages and raw bytes have their length behind it.
  while (!bytes.empty()) {
    const auto choice = std::to_integer<unsigned>(take(1)[0]);
    Line& line = lines[choice % 2];
    switch (choice / 2 % 8) {
      default: {
        const std::size_t length = bytes.empty() ? 0 : std::to_integer<std::size_t>(take(1)[0]);
        std::array<std::byte, 512> room{};
        line.server->receive(std::span(room).first(line.client->write_message(take(length), room, now)), now);
        break;
      }
      case 4: line.server->receive(take(bytes.empty() ? 0 : std::to_integer<std::size_t>(take(1)[0])), now); break;
      case 5: line.connect(gateway, users[choice % 2].name, now); break;
      case 6: now += choice / 16 * second; break;
      case 7:
        expect(core->begin_day(), "a day begins");
        for (const Line& each : lines) each.server->close();
    }
    gateway.set_time(morning + now);
    gateway.advance();
    expect(core->step(), "nothing fails");
    for (Line& each : lines) {
      each.server->advance(now);
      each.hear(now);
    }
    for (; read < log->size(); ++read) feed.apply((*log)[read]);
    if (log != gateway.feed()) read = 0;
    log = gateway.feed();
  }
  for (; read < log->size(); ++read) feed.apply((*log)[read]);
  expect(feed.faults().total() == 0, "the feed is right");
  expect(core->ask([](const Exchange& it) { return it.holds(); }), "the exchange holds");
  return 0;
}
