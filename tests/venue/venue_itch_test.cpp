// SPDX-License-Identifier: MIT
//
// A venue that publishes in ITCH: a feed book that reads its messages has the displayed books after every command,
// over restarts of the venue from its image. Trades have the match numbers that the venue reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "llmes/market_data.hpp"
#include "llmes/venue.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_bytes.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test::venue_itch_test {
namespace {

using Sink = ItchSink<std::function<void(itch::MessageBytes)>>;
using Books = Publisher<VenueBook, Sink&>;

constexpr VenueConfig config = planned_venue;
constexpr auto books = static_cast<BookNumber>(config.books.max_books);

/// A venue and the sink that its books are published to.
struct Published {
  explicit Published(std::function<void(itch::MessageBytes)> output)
      : sink(*Sink::create({.books = books, .capacity = config.books.capacity}, std::move(output), status)),
        venue(*Venue<Books>::create(
            config, *Books::create(*VenueBook::create(config.books, config.ids, status), sink), status)) {}

  CreateStatus status{};
  Sink sink;
  Venue<Books> venue;
};

struct Line {
  BookNumber book;
  Side side;
  Price price;
  Quantity quantity;

  friend bool operator==(const Line&, const Line&) = default;
};

/// What the world sees of the books of a venue, by priority; prices in ten-thousandths of a dollar.
std::vector<Line> displayed(const Venue<Books>& venue) {
  std::vector<Line> lines;
  for (BookNumber book = 0; book < books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      venue.book().book().book(book)->visit_orders(side, [&](const RestingOrder& order) {
        if (order.quantity != 0) lines.push_back({book, side, order.price * 100, order.quantity});
      });
    }
  }
  return lines;
}
std::vector<Line> displayed(const FeedBook& feed) {
  std::vector<Line> lines;
  for (BookNumber book = 0; book < books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      feed.visit_orders(static_cast<itch::Locate>(book + 1), side, [&](const RestingOrder& order) {
        lines.push_back({book, side, order.price, order.quantity});
      });
    }
  }
  return lines;
}

/// Gives one the state of the other.
void restore(Published& to, const Published& from) {
  std::vector<std::byte> image;
  EXPECT_TRUE(write_image(from.venue, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  auto at = image.begin();
  EXPECT_EQ(read_image(to.venue, image.size(),
                       [&](std::span<std::byte> bytes) {
                         std::copy_n(at, bytes.size(), bytes.begin());
                         at += static_cast<std::ptrdiff_t>(bytes.size());
                         return true;
                       }),
            ImageStatus::Success);
}

TEST(VenueInItch, IsFollowedOverRestarts) {
  FeedBook feed = *FeedBook::create({.symbols = books, .capacity = config.books.capacity});
  std::uint64_t crossed = 0;
  const auto output = [&](itch::MessageBytes message) {
    feed.apply(message);
    crossed += std::uint64_t{message.front() == std::byte{'C'}};
  };
  auto published = std::make_unique<Published>(output);
  VenuePlanner planner(7);
  std::uint64_t trades = 0;
  for (std::uint64_t sequence = 1; sequence <= (LLMES_TEST_SANITIZED ? 4'000u : 10'000u); ++sequence) {
    if (sequence % 23 == 0) {
      auto restarted = std::make_unique<Published>(output);
      restore(*restarted, *published);
      published = std::move(restarted);
    }
    std::uint64_t last_match = 0;
    published->venue.apply(planner.next(), sequence, [&](const VenueReport& report) {
      if (report.kind == VenueReportKind::Executed) last_match = report.match;
    });
    ASSERT_EQ(displayed(feed), displayed(published->venue)) << sequence;
    ASSERT_EQ(feed.faults().total(), 0u) << sequence;
    if (last_match == 0) continue;
    ASSERT_EQ(published->sink.numbers().last_match(), itch::MatchNumber{last_match}) << sequence;
    ++trades;
  }
  EXPECT_GT(trades, 50u);
  EXPECT_GT(crossed, 2u) << "auctions trade";
  EXPECT_EQ(published->sink.left_out(), 0u);
}

TEST(VenueInItch, SaysTheSameEverywhere) {
  EXPECT_EQ(checksums_of_a_venue(), expected_of_a_venue);
}

}  // namespace
}  // namespace llmes::test::venue_itch_test
