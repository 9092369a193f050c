// SPDX-License-Identifier: MIT
//
// The contestants: each is made for a tape and takes its messages, one at a time or in spans.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/contenders/hash_map_ids.hpp"
#include "bench/contenders/level_market.hpp"
#include "bench/contenders/market_book.hpp"
#include "bench/contenders/sequence_market.hpp"
#include "bench/contenders/total_market.hpp"
#include "bench/contenders/tree_market.hpp"
#include "bench/contenders/vector_levels.hpp"
#include "bench/programs/feed/messages.hpp"
#include "llmes/book.hpp"
#include "llmes/market_data/feed_book.hpp"

namespace llmes::bench {

/// What a feed is made for. The books are numbered by the locates of their symbols.
using FeedConfig = MarketConfig;

/// Says of a message whether it has changed an order.
template <class F>
concept TakesMessages = requires(F& feed, itch::MessageBytes message) {
  { feed.apply(message) } -> std::same_as<bool>;
};
/// Tells of each message that has changed an order, before the next one.
template <class F>
concept TakesMessageSpans = requires(F& feed, std::span<const itch::MessageBytes> messages,
                                     void (&changed)(itch::MessageBytes)) { feed.apply(messages, changed); };
/// Puts all fields of a message into a digest, and has no books.
template <class F>
concept FoldsFields =
    requires(const F& feed, itch::MessageBytes message, Digest& digest) { feed.fold(message, digest); };
template <class F>
concept Feed = std::movable<F> &&
               (TakesMessages<F> || TakesMessageSpans<F> || FoldsFields<F>)&&requires(const FeedConfig& config) {
                 { F::create(config) } -> std::same_as<std::optional<F>>;
               };

/// Frames are found, and nothing is done with their messages.
class NullFeed {
 public:
  static std::optional<NullFeed> create(const FeedConfig& /*config*/) { return NullFeed(); }
  [[gnu::always_inline]] static bool apply(itch::MessageBytes message) {
    asm volatile("" : : "r"(message.data()));
    return false;
  }
};

/// Messages are decoded, and their fields read.
class ParseFeed {
 public:
  static std::optional<ParseFeed> create(const FeedConfig& /*config*/) { return ParseFeed(); }
  [[gnu::always_inline]] static void fold(itch::MessageBytes message, Digest& digest) {
    request_of(message, [&](const MarketRequest& request) {
      const std::uint64_t word = request.id ^ request.new_id << 32 ^
                                 static_cast<std::uint64_t>(request.price) << 8 ^ request.quantity << 24 ^
                                 std::uint64_t{request.book} << 48 ^ static_cast<std::uint64_t>(request.side);
      digest.checksum = (digest.checksum ^ word) * 0x9e3779b97f4a7c15u;
    });
  }
};

/// The feed book of the library, one message at a time.
class SingleFeed {
 public:
  static std::optional<SingleFeed> create(const FeedConfig& config) {
    std::optional<FeedBook> book = make(config);
    if (!book) return std::nullopt;
    return SingleFeed(*std::move(book));
  }

  [[gnu::always_inline]] bool apply(itch::MessageBytes message) { return book_.apply(message); }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const std::optional<itch::Price4> price = book_.best(locate(book), side);
    if (!price) return std::nullopt;
    return static_cast<Price>(*price);
  }
  [[nodiscard]] FeedTouch touch(std::uint32_t book) const { return book_.touch(locate(book)); }
  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    book_.visit_orders(locate(book), side, visitor);
  }
  [[nodiscard]] std::size_t size() const { return book_.size(); }

 protected:
  explicit SingleFeed(FeedBook&& book) : book_(std::move(book)) {}

  static std::optional<FeedBook> make(const FeedConfig& config) {
    return FeedBook::create(
        {.symbols = config.books - 1, .capacity = config.capacity, .far_levels = config.levels});
  }

  FeedBook book_;

 private:
  static itch::Locate locate(std::uint32_t book) { return static_cast<itch::Locate>(book); }
};

/// The same in spans.
class BatchFeed : private SingleFeed {
 public:
  static std::optional<BatchFeed> create(const FeedConfig& config) {
    std::optional<FeedBook> book = make(config);
    if (!book) return std::nullopt;
    return BatchFeed(*std::move(book));
  }

  template <class Changed>
  [[gnu::always_inline]] void apply(std::span<const itch::MessageBytes> messages, const Changed& changed) {
    book_.apply(messages, changed);
  }

  using SingleFeed::best;
  using SingleFeed::size;
  using SingleFeed::touch;
  using SingleFeed::visit_orders;

 private:
  using SingleFeed::SingleFeed;
  explicit BatchFeed(FeedBook&& book) : SingleFeed(std::move(book)) {}
};

/// Any market of books, with its messages decoded before it.
template <TakesRequests Market>
class MarketFeed : public Market {
 public:
  static std::optional<MarketFeed> create(const FeedConfig& config) {
    std::optional<Market> market = Market::create(config);
    if (!market) return std::nullopt;
    return MarketFeed(*std::move(market));
  }

  [[gnu::always_inline]] bool apply(itch::MessageBytes message) {
    bool changed = false;
    request_of(message,
               [&](const MarketRequest& request) { changed = Market::apply(request).status == Status::Success; });
    return changed;
  }

 private:
  explicit MarketFeed(Market&& market) : Market(std::move(market)) {}
};

template <class Containers>
using TreeHashFeedOf = MarketFeed<LevelMarket<TreeSides<Containers>, HashMapIds<Containers>>>;
using TreeHashFeed = TreeHashFeedOf<PooledContainers>;
using StandardMapsFeed = TreeHashFeedOf<StandardContainers>;
using VectorLevelsFeed = MarketFeed<VectorLevels>;
using BtreeFeed = MarketFeed<BtreeSeqMarket<Payload24>>;
using BtreeHugeFeed = MarketFeed<BtreeSeqHugeMarket<Payload24>>;
using Btree256Feed = MarketFeed<BtreeSeqMarket<Payload256>>;
using Btree256HugeFeed = MarketFeed<BtreeSeqHugeMarket<Payload256>>;
using MapSeqFeed = MarketFeed<MapSeqMarket<Payload24>>;
using MapSeqHugeFeed = MarketFeed<MapSeqHugeMarket<Payload24>>;
using MapSeq256Feed = MarketFeed<MapSeqMarket<Payload256>>;
using MapSeq256HugeFeed = MarketFeed<MapSeqHugeMarket<Payload256>>;
using AggregatesFeed = MarketFeed<TotalMarket>;

}  // namespace llmes::bench
