// SPDX-License-Identifier: MIT
//
// MoldUDP64: layouts against bytes written by hand, and a feed over a network that loses, doubles, delays and
// reorders datagrams.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test {
namespace {

using namespace std::literals;
using mold::DatagramStatus;
using Sender = mold::Sender<MessageList>;

constexpr Nanoseconds second = 1'000'000'000;

std::string header(std::string_view session, std::uint64_t sequence, std::uint16_t count) {
  std::string bytes(session);
  bytes.resize(10, ' ');
  for (int i = 7; i >= 0; --i) bytes += static_cast<char>(sequence >> 8 * i);
  return bytes + static_cast<char>(count >> 8) + static_cast<char>(count);
}
std::string block(std::string_view message) {
  return std::string{static_cast<char>(message.size() >> 8), static_cast<char>(message.size())} +
         std::string(message);
}
std::string written(Sender& sender, Nanoseconds now) {
  std::vector<std::byte> room(mold::datagram_max);
  return text_of(std::span(room).first(sender.write(room, now)));
}
std::string requested(mold::Receiver& receiver, Nanoseconds now) {
  std::vector<std::byte> room(20);
  return text_of(std::span(room).first(receiver.write_request(room, now)));
}
std::string answered(const Sender& sender, const std::string& request) {
  std::vector<std::byte> room(mold::datagram_max);
  return text_of(std::span(room).first(sender.answer(bytes_of(request), room)));
}

TEST(Mold, WritesWhatTheSpecificationSays) {
  MessageList store;
  Sender sender("DAY1", store);
  EXPECT_EQ(written(sender, 0), header("DAY1", 1, 0));  // a heartbeat, so that receivers know the session
  EXPECT_EQ(written(sender, second - 1), "");
  EXPECT_EQ(written(sender, second), header("DAY1", 1, 0));
  store.add("one");
  store.add("three");
  EXPECT_EQ(written(sender, second), header("DAY1", 1, 2) + block("one") + block("three"));
  EXPECT_EQ(written(sender, second), "");
  EXPECT_EQ(sender.deadline(), 2 * second);
  EXPECT_EQ(answered(sender, header("DAY1", 2, 1)), header("DAY1", 2, 1) + block("three"));
  for (const std::uint16_t most : {std::uint16_t{9}, std::uint16_t{0xffff}})
    EXPECT_EQ(answered(sender, header("DAY1", 1, most)), header("DAY1", 1, 2) + block("one") + block("three"));
  EXPECT_EQ(written(sender, second + 1), "");
  sender.close();
  EXPECT_EQ(written(sender, second + 1), header("DAY1", 3, 0xffff));  // at once
  EXPECT_EQ(written(sender, 2 * second), "");
  EXPECT_EQ(written(sender, 2 * second + 1), header("DAY1", 3, 0xffff));
  sender.close();
  EXPECT_EQ(written(sender, 2 * second + 1), "");
}

TEST(Mold, ASenderGoesOnAfterARestart) {
  MessageList store;
  store.add("one");
  Sender sender("DAY1", store);
  sender.resume();
  EXPECT_EQ(written(sender, 0), header("DAY1", 2, 0));
  EXPECT_EQ(answered(sender, header("DAY1", 1, 1)), header("DAY1", 1, 1) + block("one"));
  store.add("two");
  EXPECT_EQ(written(sender, 0), header("DAY1", 2, 1) + block("two"));
}

TEST(Mold, ADatagramHasAsManyMessagesAsFit) {
  MessageList store;
  for (int i = 0; i < 100; ++i) store.add(std::string(98, 'x'));
  Sender sender("DAY1", store);
  EXPECT_EQ(written(sender, 0).size(), 20u + 13 * 100);
  EXPECT_EQ(answered(sender, header("DAY1", 1, 100)).size(), 20u + 13 * 100);
  int datagrams = 1;
  while (!written(sender, 0).empty()) ++datagrams;
  EXPECT_EQ(datagrams, 8);
}

TEST(Mold, RequestsForWhatThereIsNotGetNoAnswer) {
  MessageList store;
  store.add("one");
  const Sender sender("DAY1", store);
  for (const std::string& request :
       {header("DAY2", 1, 1), header("DAY1", 0, 1), header("DAY1", 2, 1), header("DAY1", 1, 0),
        header("DAY1", std::numeric_limits<std::uint64_t>::max(), 1), header("DAY1", 1, 1) + "x", ""s, "short"s}) {
    EXPECT_EQ(answered(sender, request), "");
  }
}

TEST(Mold, AGapIsAskedForUntilItIsFilled) {
  std::vector<std::string> got;
  const auto take = [&got](std::uint64_t sequence, std::span<const std::byte> message) {
    got.push_back(std::to_string(sequence) + text_of(message));
  };
  mold::Receiver receiver;
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 1, 1) + block("a")), take), DatagramStatus::Success);
  EXPECT_EQ(requested(receiver, 0), "");
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 4, 1) + block("d")), take), DatagramStatus::Gap);
  EXPECT_EQ(receiver.deadline(), 0u);
  EXPECT_EQ(requested(receiver, 5), header("DAY1", 2, 3));
  EXPECT_EQ(requested(receiver, 6), "");  // it waits for the answer
  EXPECT_EQ(receiver.deadline(), 100'000'005u);
  EXPECT_EQ(requested(receiver, 100'000'005), header("DAY1", 2, 3));
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 2, 1) + block("b")), take), DatagramStatus::Gap);
  EXPECT_EQ(requested(receiver, 100'000'006), header("DAY1", 3, 2));  // the answer was a part
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 2, 3) + block("b") + block("c") + block("d")), take),
            DatagramStatus::Success);
  EXPECT_EQ(got, (std::vector{"1a"s, "2b"s, "3c"s, "4d"s}));
  EXPECT_EQ(receiver.deadline(), std::numeric_limits<Nanoseconds>::max());
  // A heartbeat and the end of the session show gaps as well.
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 6, 0)), take), DatagramStatus::Gap);
  EXPECT_EQ(requested(receiver, 0), header("DAY1", 5, 1));
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 6, 0xffff)), take), DatagramStatus::Gap);
  EXPECT_FALSE(receiver.is_complete());
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 5, 1) + block("e")), take), DatagramStatus::Success);
  EXPECT_TRUE(receiver.is_complete());
}

TEST(Mold, DatagramsOfOthersAndPartsOfOnesHarmNothing) {
  const std::string whole = header("DAY1", 1, 3) + block("one") + block("") + block("three");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::string> got;
    mold::Receiver receiver("DAY1");
    const auto take = [&got](std::uint64_t, std::span<const std::byte> message) {
      got.push_back(text_of(message));
    };
    EXPECT_EQ(receiver.receive(bytes_of(whole.substr(0, size)), take), DatagramStatus::Damaged);
    EXPECT_EQ(receiver.receive(bytes_of(header("DAY2", 1, 1) + block("other")), take),
              DatagramStatus::OtherSession);
    EXPECT_EQ(receiver.receive(bytes_of(whole), take), DatagramStatus::Success);
    EXPECT_EQ(got, (std::vector{"one"s, ""s, "three"s}));
  }
  mold::Receiver receiver("DAY1");
  const auto none = [](std::uint64_t, std::span<const std::byte>) { ADD_FAILURE(); };
  EXPECT_EQ(receiver.receive(bytes_of(header("DAY1", 0, 1) + block("x")), none), DatagramStatus::Damaged);
  EXPECT_EQ(
      receiver.receive(bytes_of(header("DAY1", std::numeric_limits<std::uint64_t>::max(), 2) + block("x")), none),
      DatagramStatus::Damaged);
}

TEST(Mold, ANetworkThatLosesDatagramsLosesNoMessage) {
  std::uint64_t requests = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    MessageList store;
    Sender sender("DAY1", store, 100 + random.below(400));
    const std::uint64_t begin = 1 + random.below(3);  // where a snapshot says to go on
    mold::Receiver receiver({}, begin);
    std::vector<std::pair<Nanoseconds, std::string>> on_the_way;
    std::vector<std::string> got;
    const auto send = [&](const std::string& datagram, Nanoseconds now) {
      if (datagram.empty()) return;
      for (std::uint64_t copies = random.chance(15) ? 0 : random.chance(10) ? 2 : 1; copies > 0; --copies)
        on_the_way.emplace_back(now + random.below(second / 10), datagram);
    };
    Nanoseconds now = 0;
    for (int step = 0; !receiver.is_complete(); ++step) {
      ASSERT_LT(step, 100'000) << "seed " << seed;
      now += random.below(second / 50);
      if (store.size() < 400) {
        for (std::uint64_t i = random.below(4); i > 0; --i)
          store.add("message " + std::to_string(store.size() + 1) + std::string(random.below(50), '.'));
      } else {
        sender.close();
      }
      send(written(sender, now), now);
      if (const std::string request = requested(receiver, now); !request.empty()) {
        ++requests;
        if (!random.chance(15)) send(answered(sender, request), now);
      }
      std::vector<std::pair<Nanoseconds, std::string>> later;
      for (auto& [time, datagram] : std::exchange(on_the_way, {})) {
        if (time > now) {
          later.emplace_back(time, std::move(datagram));
          continue;
        }
        receiver.receive(bytes_of(datagram), [&](std::uint64_t sequence, std::span<const std::byte> message) {
          ASSERT_EQ(sequence, begin + got.size());
          got.push_back(text_of(message));
        });
      }
      on_the_way = std::move(later);
    }
    ASSERT_EQ(got, std::vector<std::string>(store.all().begin() + static_cast<std::ptrdiff_t>(begin - 1),
                                            store.all().end()))
        << "seed " << seed;
  }
  EXPECT_GT(requests, 500u);
}

}  // namespace
}  // namespace llmes::test
