// SPDX-License-Identifier: MIT
//
// A planned stream over the books of a whole market, built as a feed handler builds them: nothing matches, orders
// go by reference numbers, and a message that names an order says neither its side nor its price. All messages and
// expected outcomes are fixed before any clock starts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "bench/streams/digest.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/types/types.hpp"

namespace llmes::bench {

/// A message: AddResting, Cancel, Reduce or ReplaceResting, and the book that it is for.
using MarketRequest = BookRequest;

/// Adds the best prices of a message's book to the digest, after each message.
inline void fold_best(Digest& digest, std::optional<Price> bid, std::optional<Price> ask) {
  constexpr Price none = std::numeric_limits<Price>::min();  // no plan has this price
  const auto word = static_cast<std::uint64_t>(bid.value_or(none));
  digest.checksum ^= word ^ std::rotl(static_cast<std::uint64_t>(ask.value_or(none)), 32);
  digest.checksum *= 0x9e3779b97f4a7c15u;
  digest.checksum ^= digest.checksum >> 29;
}

/// A checksum of all orders of a market, which takes them book by book, first the bids and then the asks of each,
/// in order of priority.
class QueueChecksum {
 public:
  void add(std::uint32_t book, Side side, Price price, OrderId id, Quantity quantity) {
    for (const std::uint64_t word :
         {std::uint64_t{book} * 2 + static_cast<std::uint64_t>(side), static_cast<std::uint64_t>(price),
          std::uint64_t{id}, std::uint64_t{quantity}}) {
      sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15u;
      sum_ ^= sum_ >> 29;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

struct MarketSpec : PlanSpec {
  std::size_t symbols = 8'900;
};

/// What happened in a timed batch, over all books. Nothing is modified and nothing trades.
struct MarketCensus : Census {
  std::uint64_t replaces = 0;
  std::uint64_t reduces = 0;
  std::uint64_t taken_off = 0;  ///< reductions of all that was open
  std::uint64_t near = 0;       ///< adds within 64 ticks of the best price of their side, if it has one
  std::uint64_t far = 0;        ///< adds more than 64 ticks away from it
  std::uint64_t crossed = 0;    ///< messages that found their book locked or crossed

  void add(const MarketCensus& other);
};

struct MarketBatch {
  std::size_t rewarm_begin = 0;  ///< messages from here on are replayed untimed, to fill the caches
  std::size_t begin = 0;         ///< the timed window
  std::size_t end = 0;
  MarketCensus census;
  Digest expected;              ///< best prices and misses of [begin, end)
  std::size_t resting_end = 0;  ///< orders resting after it
};

struct MarketPlan {
  MarketSpec spec;
  std::size_t capacity = 0;  ///< the most orders that ever rest, in all books together
  std::size_t levels = 0;    ///< the most occupied levels, in all books together
  double busiest = 0;        ///< the share of all timed messages that the busiest book gets
  double median = 0;         ///< and that the book in the middle gets
  std::vector<MarketRequest> requests;
  std::vector<MarketBatch> batches;
  std::uint64_t final_queues = 0;  ///< the checksum of all orders after the last batch
};

/// The census of all batches of a plan.
[[nodiscard]] MarketCensus census_of(const MarketPlan& plan);

/// Plans the stream `many`. Throws std::invalid_argument for no symbols or more than 65,536, and for a batch of 0
/// messages.
[[nodiscard]] MarketPlan make_market_plan(const MarketSpec& spec);

/// About how many bytes it takes to plan it and then to play it on so many contestants.
[[nodiscard]] double bytes_to_play(const MarketSpec& spec, std::size_t books);

}  // namespace llmes::bench
