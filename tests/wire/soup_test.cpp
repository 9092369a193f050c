// SPDX-License-Identifier: MIT
//
// SoupBinTCP: layouts against bytes written by hand, who may say what and when, and both sides over a network that
// cuts, delays and breaks connections.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test::soup_test {
namespace {

using namespace std::literals;
using soup::End;
using Server = soup::Server<MessageList>;

constexpr Nanoseconds second = 1'000'000'000;

/// What a side is told.
struct Desk {
  bool lets_in = true;
  std::vector<std::string> logins{};
  std::vector<std::string> messages{};
  std::vector<std::uint64_t> sequences{};

  bool login(const soup::LoginRequest& request) {
    logins.push_back(std::string(request.user.view()) + ':' + std::string(request.password.view()));
    return lets_in;
  }
  void message(std::span<const std::byte> payload) { messages.push_back(text_of(payload)); }
  void message(std::uint64_t sequence, std::span<const std::byte> payload) {
    sequences.push_back(sequence);
    messages.push_back(text_of(payload));
  }
  void unsequenced(std::span<const std::byte> payload) { messages.push_back(text_of(payload) + '?'); }
};

template <class Side>
std::string written(Side& side, Nanoseconds now, std::size_t room_size = 2'000) {
  std::vector<std::byte> room(room_size);
  return text_of(std::span(room).first(side.write(room, now)));
}

/// A packet in the words of the specification.
std::string packet(char type, std::string_view payload = {}) {
  const std::size_t length = payload.size() + 1;
  return {std::string{static_cast<char>(length >> 8), static_cast<char>(length), type} + std::string(payload)};
}

const std::string login = packet('L',
                                 "ann   "
                                 "secret    "
                                 "          "
                                 "                   1");

TEST(Soup, WritesWhatTheSpecificationSays) {
  soup::Client client({.user = "ann", .password = "secret", .sequence = 1}, 0);
  EXPECT_EQ(written(client, 0), login);
  EXPECT_EQ(login.size(), 2u + 47u);
  EXPECT_EQ(written(client, 0), "");

  MessageList store;
  store.add("first");
  store.add("second");
  Server server("DAY1", store, 0);
  Desk desk;
  server.receive(bytes_of(login), 0, desk);
  EXPECT_EQ(desk.logins, std::vector{"ann:secret"s});
  EXPECT_EQ(written(server, 0), packet('A',
                                       "DAY1      "
                                       "                   1") +
                                    packet('S', "first") + packet('S', "second"));
  EXPECT_EQ(written(server, second - 1), "");
  EXPECT_EQ(written(server, second), packet('H'));
  server.close();
  EXPECT_EQ(written(server, second), packet('Z'));
  EXPECT_EQ(server.end(), End::EndOfSession);
}

TEST(Soup, ReadsNumbersAndSessionsPaddedOnEitherSide) {
  MessageList store;
  for (const char* message : {"a", "b", "c"}) store.add(message);
  for (const std::string_view session : {"DAY1      "sv, "      DAY1"sv, "          "sv}) {
    for (const std::string_view number :
         {"3                   "sv, "                   3"sv, "00000000000000000003"sv}) {
      Server server("DAY1", store, 0);
      Desk desk;
      server.receive(bytes_of(packet('L', "ann   secret    " + std::string(session) + std::string(number))), 0,
                     desk);
      EXPECT_EQ(written(server, 0).substr(33), packet('S', "c")) << session << number;
    }
  }
}

/// Its messages are known when a user has logged in.
struct LateStore {
  const MessageList* messages = nullptr;
  std::size_t size() const { return messages == nullptr ? 0 : messages->size(); }
  std::span<const std::byte> operator[](std::size_t index) const { return (*messages)[index]; }
};
TEST(Soup, ALoginMayChooseTheStore) {
  MessageList messages;
  messages.add("one");
  messages.add("two");
  struct Choose : Desk {
    LateStore store;
    const MessageList& messages;
    explicit Choose(const MessageList& all) : messages(all) {}
    bool login(const soup::LoginRequest&) { return store.messages = &messages, true; }
  } desk(messages);
  soup::Server<LateStore> server("DAY", desk.store, 0);
  server.receive(bytes_of(login.substr(0, login.size() - 1) + '2'), 0, desk);
  EXPECT_EQ(server.end(), End::None);
  EXPECT_EQ(written(server, 0).substr(33), packet('S', "two"));
}

TEST(Soup, SequenceZeroAsksForWhatComesNext) {
  MessageList store;
  store.add("old");
  Server server("DAY1", store, 0);
  Desk desk;
  server.receive(bytes_of(packet('L',
                                 "ann   secret              "
                                 "                   0")),
                 0, desk);
  EXPECT_EQ(written(server, 0), packet('A', "DAY1                         2"));
  store.add("new");
  EXPECT_EQ(written(server, 0), packet('S', "new"));
}

TEST(Soup, RefusesLoginsAndSaysWhy) {
  struct Case {
    std::string bytes;
    bool lets_in;
    End end;
    std::string answer;
  };
  const auto login_to = [](std::string_view session, std::string_view number) {
    return packet('L', "ann   secret    " + std::string(session) + std::string(number));
  };
  const std::string one = "                   1";
  for (const Case& c :
       {Case{login, false, End::Rejected, packet('J', "A")},
        Case{login_to("DAY2      ", one), true, End::Rejected, packet('J', "S")},
        Case{login_to("          ", "                   3"), true, End::BadSequence, packet('J', "S")},
        Case{login_to("          ", "               1 2 3"), true, End::BadPacket, ""},
        Case{login_to("          ", "99999999999999999999"), true, End::BadPacket, ""},
        Case{packet('U', "order"), true, End::NoLogin, ""}, Case{packet('L', "short"), true, End::NoLogin, ""},
        Case{"\0\0"s, true, End::BadPacket, ""}, Case{"\xff\xffL"s, true, End::BadPacket, ""}}) {
    MessageList store;
    store.add("message");
    Server server("DAY1", store, 0);
    Desk desk{.lets_in = c.lets_in};
    server.receive(bytes_of(c.bytes), 0, desk);
    EXPECT_EQ(server.end(), c.end) << c.bytes;
    EXPECT_EQ(server.has_answer(), !c.answer.empty());
    EXPECT_EQ(written(server, 0), c.answer);
    server.receive(bytes_of(login), 0, desk);
    EXPECT_FALSE(server.is_logged_in());
    EXPECT_EQ(written(server, 0), "");
    EXPECT_EQ(desk.messages, std::vector<std::string>{});

    soup::Client client({.sequence = 1}, 0);
    client.receive(bytes_of(c.answer), 0, desk);
    if (!c.answer.empty()) {
      EXPECT_EQ(client.end(), End::Rejected);
      EXPECT_EQ(static_cast<char>(*client.reject_reason()), c.answer[3]);
    }
  }
}

TEST(Soup, APayloadThatIsTooLongEndsASession) {
  MessageList store;
  for (const std::size_t size : {1'024u, 1'025u}) {
    Server server("DAY1", store, 0);
    Desk desk;
    server.receive(bytes_of(login + packet('U', std::string(size, 'x'))), 0, desk);
    EXPECT_EQ(server.end(), size == 1'024 ? End::None : End::BadPacket);
    EXPECT_EQ(desk.messages.size(), size == 1'024 ? 1u : 0u);
  }
}

TEST(Soup, ALoggedInSideMaySayFewThings) {
  MessageList store;
  for (const char type : "AJSHZLX"s) {
    Server server("DAY1", store, 0);
    Desk desk;
    server.receive(bytes_of(login + packet('U', "one") + packet('R') + packet('+', "debug") + packet(type) +
                            packet('U', "two")),
                   0, desk);
    EXPECT_EQ(server.end(), End::BadPacket) << type;
    EXPECT_EQ(desk.messages, std::vector{"one"s});
  }
  for (const char type : "AJLORX"s) {
    soup::Client client({.sequence = 1}, 0);
    Desk desk;
    client.receive(bytes_of(packet('A', "DAY1                         1") + packet('S', "one") +
                            packet('U', "two") + packet('H') + packet('+', "debug") + packet(type)),
                   0, desk);
    EXPECT_EQ(client.end(), End::BadPacket) << type;
    EXPECT_EQ(desk.messages, (std::vector{"one"s, "two?"s}));
  }
}

TEST(Soup, AClientRefusesMessagesThatItDidNotAskFor) {
  for (const char* number :
       {"                   0", "                   4", "                   6", "               1 2 3"}) {
    soup::Client client({.sequence = 5}, 0);
    Desk desk;
    client.receive(bytes_of(packet('A', "DAY1      " + std::string(number)) + packet('S', "x")), 0, desk);
    EXPECT_FALSE(client.is_logged_in());
    EXPECT_NE(client.end(), End::None);
    EXPECT_EQ(desk.messages, std::vector<std::string>{});
  }
}

TEST(Soup, SilenceEndsASession) {
  MessageList store;
  Desk desk;
  Server late("DAY1", store, 0);
  EXPECT_EQ(late.deadline(), 15 * second);
  late.receive(bytes_of(packet('+', "hello")), 14 * second, desk);
  late.receive(bytes_of(packet('+', "hello")), 28 * second, desk);
  EXPECT_EQ(late.deadline(), 30 * second);
  late.advance(30 * second - 1);
  EXPECT_EQ(late.end(), End::None);
  late.advance(30 * second);
  EXPECT_EQ(late.end(), End::NoLogin);

  Server server("DAY1", store, 0);
  server.receive(bytes_of(login), 0, desk);
  EXPECT_EQ(written(server, 0).size(), 33u);
  EXPECT_EQ(server.deadline(), second);
  for (Nanoseconds now = second; now < 15 * second; now += second) {
    server.advance(now);
    EXPECT_EQ(written(server, now), packet('H'));
  }
  server.receive({}, 14 * second, desk);  // no bytes are no sign of life
  server.advance(15 * second - 1);
  EXPECT_EQ(server.end(), End::None);
  server.advance(15 * second);
  EXPECT_EQ(server.end(), End::Silence);
  EXPECT_EQ(written(server, 99 * second), "");

  soup::Client client({.sequence = 1}, 0);
  EXPECT_EQ(written(client, 0).size(), 49u);
  client.receive(bytes_of(packet('A', "DAY1                         1")), 0, desk);
  EXPECT_EQ(written(client, second), packet('R'));
  client.advance(15 * second);
  EXPECT_EQ(client.end(), End::Silence);
}

TEST(Soup, ASlowClientGetsWholePacketsAsRoomAllows) {
  MessageList store;
  for (int i = 0; i < 50; ++i) store.add(std::string(static_cast<std::size_t>(i), 'x'));
  Server server("DAY1", store, 0);
  Desk desk;
  server.receive(bytes_of(login), 0, desk);
  std::string all;
  std::string piece;
  while (!(piece = written(server, 0, 60)).empty()) {
    EXPECT_LE(piece.size(), 60u);
    all += piece;
  }
  soup::Client client({.sequence = 1}, 0);
  client.receive(bytes_of(all), 0, desk);
  EXPECT_EQ(desk.messages, store.all());
  EXPECT_EQ(server.next_sequence(), 51u);
}

TEST(Soup, ALogoutEndsBothSides) {
  MessageList store;
  Server server("DAY1", store, 0);
  Desk desk;
  server.receive(bytes_of(login), 0, desk);
  soup::Client client({.sequence = 1}, 0);
  const std::string answer = written(server, 0);
  client.receive(bytes_of(answer), 0, desk);
  std::array<std::byte, 64> room{};
  const std::string logout = text_of(std::span(room).first(client.write_logout(room)));
  EXPECT_EQ(logout, packet('O'));
  EXPECT_EQ(client.end(), End::Logout);
  EXPECT_EQ(client.write_message(bytes_of("order"), room, 0), 0u);
  server.receive(bytes_of(logout), 0, desk);
  EXPECT_EQ(server.end(), End::Logout);
}

/// Bytes on their way, one direction of one connection.
class Pipe {
 public:
  void send(std::string_view bytes) { bytes_.append(bytes); }
  /// Some of the bytes, or none yet.
  std::string take(Random& random) {
    const std::size_t size = random.chance(30) ? 0 : random.below(random.chance(50) ? 4 : 200);
    std::string taken = bytes_.substr(0, size);
    bytes_.erase(0, taken.size());
    return taken;
  }

 private:
  std::string bytes_;
};

/// A day: connections break, and each new client goes on where the last one was.
TEST(Soup, ANetworkThatBreaksLosesNoMessageOfTheSession) {
  std::uint64_t connections = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    MessageList store;
    Desk clients;
    std::vector<std::string> orders;  // what reached the venue
    std::uint64_t next = 1;
    soup::SessionName session;
    std::uint64_t sent = 0;
    Nanoseconds now = 0;
    bool done = false;
    for (int connection = 0; !done; ++connection) {
      ASSERT_LT(connection, 1'000) << "seed " << seed;
      ++connections;
      Server server("DAY1", store, now);
      soup::Client client({.user = "ann", .password = "secret", .session = session, .sequence = next}, now);
      Pipe up;
      Pipe down;
      Desk venue;
      std::uint64_t sent_here = 0;
      while (server.end() == End::None && client.end() == End::None && !random.chance(1)) {
        now += random.below(second / 4);
        if (store.size() < 300 && random.chance(40)) store.add("message " + std::to_string(store.size() + 1));
        if (store.size() == 300) server.close();
        up.send(written(client, now));
        std::array<std::byte, 64> room{};
        if (random.chance(20)) {
          const std::string order = "order " + std::to_string(sent + sent_here);
          if (const std::size_t size = client.write_message(bytes_of(order), room, now); size != 0) {
            up.send(text_of(std::span(room).first(size)));
            ++sent_here;
          }
        }
        const std::string from_client = up.take(random);
        server.receive(bytes_of(from_client), now, venue);
        down.send(written(server, now, 100));
        const std::string from_server = down.take(random);
        client.receive(bytes_of(from_server), now, clients);
        server.advance(now);
        client.advance(now);
      }
      // A venue has a prefix of what was sent over a connection, in order.
      for (std::size_t i = 0; i < venue.messages.size(); ++i)
        ASSERT_EQ(venue.messages[i], "order " + std::to_string(sent + i)) << "seed " << seed;
      ASSERT_LE(venue.messages.size(), sent_here);
      sent += sent_here;
      next = std::max(client.next_sequence(), std::uint64_t{1});
      session = client.session();
      done = client.end() == End::EndOfSession;
      for (const End bad : {End::BadPacket, End::BadSequence, End::Rejected, End::NoLogin}) {
        ASSERT_NE(server.end(), bad) << "seed " << seed;
        ASSERT_NE(client.end(), bad) << "seed " << seed;
      }
    }
    ASSERT_EQ(clients.messages, store.all()) << "seed " << seed;
    for (std::size_t i = 0; i < clients.sequences.size(); ++i) ASSERT_EQ(clients.sequences[i], i + 1);
  }
  EXPECT_GT(connections, 120u);
}

TEST(Glimpse, TheEndHasItsForm) {
  glimpse::Snapshot snapshot;
  snapshot.add(bytes_of("Sxyz"));
  snapshot.finish(1'234);
  EXPECT_EQ(snapshot.size(), 2u);
  EXPECT_EQ(text_of(snapshot[0]), "Sxyz");
  EXPECT_EQ(text_of(snapshot[1]), "G                1234");
  EXPECT_EQ(glimpse::sequence_of(snapshot[1]), 1'234u);
  for (const std::string& other :
       {""s, "G"s, "H                1234"s, "G               12x34"s, "G                1234 "s})
    EXPECT_FALSE(glimpse::sequence_of(bytes_of(other))) << other;
}

TEST(Soup, NoBytesBreakASide) {
  std::array<int, 8> ends{};
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    Random random(seed);
    MessageList store;
    store.add("message");
    Server server("DAY1", store, 0);
    soup::Client client({.sequence = 1}, 0);
    Desk desk;
    std::string bytes = random.chance(50) ? login : packet('A', "DAY1                         1");
    for (std::uint64_t i = 0; i < random.below(60); ++i)
      bytes += packet("+AJSHZLURO"[random.below(10)], std::string(random.below(40), ' '));
    for (std::uint64_t i = 0; i < random.below(4); ++i)
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    while (!bytes.empty()) {
      const std::string piece = bytes.substr(0, 1 + random.below(50));
      bytes.erase(0, piece.size());
      server.receive(bytes_of(piece), 0, desk);
      client.receive(bytes_of(piece), 0, desk);
      static_cast<void>(written(server, 0));
    }
    ++ends[static_cast<std::size_t>(server.end())];
  }
  for (const End end : {End::None, End::Logout, End::NoLogin, End::BadPacket})
    EXPECT_GT(ends[static_cast<std::size_t>(end)], 10) << static_cast<int>(end);
}

}  // namespace
}  // namespace llmes::test::soup_test
