// SPDX-License-Identifier: MIT
//
// A snapshot over the wire: one who comes late takes it, then the feed from where it says, and has the books of
// one who was there from the beginning.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "llmes/llmes.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test {
namespace {

using namespace std::literals;

/// The orders of a symbol, best first, without their handles.
auto orders_of(const FeedBook& feed) {
  std::vector<std::tuple<OrderId, Price, Quantity>> all;
  for (const Side side : {Side::Buy, Side::Sell}) {
    feed.visit_orders(itch::Locate{1}, side,
                      [&](const RestingOrder& order) { all.emplace_back(order.id, order.price, order.quantity); });
  }
  return all;
}

/// The client of a snapshot: it keeps the sequence that it ends with.
struct Taker {
  FeedBook* feed;
  std::optional<std::uint64_t> next{};

  void message(std::uint64_t, std::span<const std::byte> message) {
    next = glimpse::sequence_of(message);
    if (!next) feed->apply(message);
  }
  void unsequenced(std::span<const std::byte>) {}
};
/// Its server lets everybody in.
struct Door {
  static bool login(const soup::LoginRequest&) { return true; }
  static void message(std::span<const std::byte>) {}
};

TEST(Glimpse, ALatecomerGoesOnFromASnapshot) {
  MessageList feed;
  const auto output = [&feed](itch::MessageBytes message) { feed.add(text_of(message)); };
  CreateStatus status{};
  auto sink = ItchSink<decltype(output)>::create({.books = 1, .capacity = 1'000}, output, status);
  ASSERT_TRUE(sink);
  sink->directory(0, "ABC", 100);
  using Book = IdBook<OrderBook<64>, HashedIds>;
  auto venue =
      *Publisher<Book, decltype(*sink)>::create(*Book::create({.base_price = 0, .capacity = 1'000}, {}), *sink);
  FeedBook early = *FeedBook::create({.symbols = 1, .capacity = 1'000});
  FeedBook late = *FeedBook::create({.symbols = 1, .capacity = 1'000});
  Random random(1);
  OrderId id = 0;
  const auto trade = [&](int count) {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(venue.apply(random.chance(30)
                                        ? Request::cancel(1 + random.below(id + 1))
                                        : Request::add_limit(++id, random.chance(50) ? Side::Buy : Side::Sell,
                                                             static_cast<Price>(20 + random.below(20)),
                                                             1 + random.below(50), TimeInForce::GoodTillCancel),
                                    DiscardTrades{}));
    }
  };
  trade(300);
  glimpse::Snapshot snapshot;
  const std::uint64_t next = sink->snapshot(venue.book().book(), [&](itch::MessageBytes m) { snapshot.add(m); });
  snapshot.finish(next);
  trade(300);

  Taker taker{&late};
  Door door;
  soup::Server server("SNAPSHOT", snapshot, 0);
  soup::Client client({.user = "ann", .password = "secret", .sequence = 1}, 0);
  std::vector<std::byte> room(400);
  for (int round = 0; round < 200; ++round) {
    server.receive(std::span(room).first(client.write(room, 0)), 0, door);
    client.receive(std::span(room).first(server.write(room, 0)), 0, taker);
  }
  ASSERT_EQ(taker.next, next);
  EXPECT_EQ(client.next_sequence(), snapshot.size() + 1);
  for (std::size_t i = 0; i < feed.size(); ++i) {
    early.apply(feed[i]);
    if (i + 1 >= next) late.apply(feed[i]);
  }
  EXPECT_GT(orders_of(early).size(), 20u);
  EXPECT_EQ(orders_of(late), orders_of(early));
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

}  // namespace
}  // namespace llmes::test
