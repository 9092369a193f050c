// SPDX-License-Identifier: MIT
#include "bench/programs/feed/feed_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "bench/streams/market_books.hpp"
#include "bench/streams/market_plan.hpp"

namespace llmes::bench {
namespace {

/// What must be known before the books are made.
struct Extent {
  std::size_t messages = 0;
  std::size_t books = 1;
  OrderId last_id = 0;
};

Extent extent_of(std::span<const std::byte> tape) {
  Extent extent;
  itch::FrameReader reader(tape);
  std::array<itch::MessageBytes, feed_span> room;
  for (;;) {
    const std::span<const itch::MessageBytes> messages = reader.read(room);
    if (messages.empty()) break;
    extent.messages += messages.size();
    for (const itch::MessageBytes message : messages) {
      request_of(message, [&](const MarketRequest& request) {
        extent.books = std::max<std::size_t>(extent.books, std::size_t{request.book} + 1);
        extent.last_id = std::max({extent.last_id, request.id, request.new_id});
      });
    }
  }
  if (reader.status() != itch::FramingStatus::Success) {
    throw std::runtime_error(absl::StrFormat("the tape holds no messages from byte %d on", reader.offset()));
  }
  return extent;
}

class Planner {
 public:
  explicit Planner(const Extent& extent) : books_(extent.books, extent.messages, extent.messages / 10) {}

  /// Plays messages from `tape` on.
  FeedPart play(std::span<const std::byte> tape, std::size_t count) {
    FeedPart part{.messages = count};
    itch::FrameReader reader(tape);
    std::array<itch::MessageBytes, feed_span> room;
    while (count > 0) {
      const auto messages = reader.read(std::span(room).first(std::min(count, room.size())));
      for (const itch::MessageBytes message : messages) apply(message, part);
      count -= messages.size();
    }
    part.bytes = tape.first(reader.offset());
    return part;
  }

  [[nodiscard]] const MarketBooks& books() const { return books_; }
  [[nodiscard]] const Digest& best() const { return best_; }
  [[nodiscard]] std::size_t resting_peak() const { return resting_peak_; }

 private:
  void apply(itch::MessageBytes message, FeedPart& part) {
    const FeedOperation operation = operation_of(message);
    if (operation == FeedOperation::None) return;
    ++part.operations[static_cast<std::size_t>(operation)];
    ParseFeed::fold(message, part.fields);
    bool changed = false;
    request_of(message, [&](const MarketRequest& request) { changed = apply(request); });
    if (!changed) return;
    resting_peak_ = std::max(resting_peak_, books_.resting());
    fold(part.best, book_of(message));
    fold(best_, book_of(message));
  }

  /// A request that cannot be right changes nothing. @return whether it has changed an order.
  bool apply(const MarketRequest& request) {
    if (request.type == CommandType::AddResting) {
      if (request.quantity == 0 || numbers_.contains(request.id)) return false;
      enter(request, request.side, request.id);
      return true;
    }
    const auto found = numbers_.find(request.id);
    if (found == numbers_.end()) return false;
    const OrderNumber number = found->second;
    const MarketBooks::Order order = books_.order(number);
    if (request.type == CommandType::Reduce) {
      if (request.quantity == 0 || request.quantity > order.quantity) return false;
      books_.reduce(number, request.quantity);
      if (!books_.rests(number)) numbers_.erase(found);
      return true;
    }
    if (request.type == CommandType::ReplaceResting &&
        (request.quantity == 0 || numbers_.contains(request.new_id))) {
      return false;
    }
    numbers_.erase(found);
    books_.leave(number);
    if (request.type == CommandType::ReplaceResting) enter(request, order.side, request.new_id);
    return true;
  }
  void enter(const MarketRequest& request, Side side, OrderId id) {
    numbers_.emplace(id, books_.enter(request.book, side, request.price, request.quantity, id));
  }

  void fold(Digest& digest, MarketBooks::Book book) const {
    fold_best(digest, books_.best(book, Side::Buy), books_.best(book, Side::Sell));
  }

  MarketBooks books_;
  absl::flat_hash_map<OrderId, OrderNumber> numbers_;
  Digest best_;
  std::size_t resting_peak_ = 0;
};

}  // namespace

FeedPlan make_feed_plan(std::span<const std::byte> tape, std::size_t windows) {
  // The other rows have emptied the caches. The books of a venue fill a large one again only after this many.
  constexpr std::size_t rewarm_max = 100'000;
  const Extent extent = extent_of(tape);
  const std::size_t opening = extent.messages / 10;
  const std::size_t each = (extent.messages - opening) / windows;
  if (extent.messages - opening < 10) {
    throw std::runtime_error(absl::StrFormat(
        "%d messages are too few: behind their first tenth there must be a window of ten", extent.messages));
  }
  if (each < 10) {
    throw std::runtime_error(
        absl::StrFormat("%d messages are too few for %d windows of at least ten each; "
                        "--rounds=%d fits",
                        extent.messages, windows, (extent.messages - opening) / 10));
  }

  Planner planner(extent);
  FeedPlan plan{.tape = tape, .messages = extent.messages};
  std::span<const std::byte> left = tape;
  const auto play = [&](std::size_t count) {
    FeedPart part = planner.play(left, count);
    left = left.subspan(part.bytes.size());
    return part;
  };
  plan.opening = play(opening);
  const std::size_t rewarm = std::min(rewarm_max, each / 2);
  for (std::size_t window = 0; window < windows; ++window) {
    // The last window has what the division leaves.
    const std::size_t count = window + 1 < windows ? each : extent.messages - opening - each * (windows - 1);
    FeedPart untimed = play(rewarm);
    plan.windows.push_back({std::move(untimed), play(count - rewarm)});
  }

  const MarketBooks& books = planner.books();
  plan.resting_peak = planner.resting_peak();
  plan.resting_end = books.resting();
  plan.best = planner.best();
  plan.final_queues = books.queues();
  // A replace may put its new order in before its old one leaves.
  plan.config = {extent.books, plan.resting_peak + 1, books.levels_max() + 1, extent.last_id};
  return plan;
}

}  // namespace llmes::bench
