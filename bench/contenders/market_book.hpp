// SPDX-License-Identifier: MIT
//
// What many books in one offer, so that one benchmark serves them all. Orders go by reference numbers, of which no
// two are the same in the whole market, and no message matches.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/contenders/parts/paged_ids.hpp"
#include "bench/streams/digest.hpp"
#include "bench/streams/market_plan.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// What a market is made for.
struct MarketConfig {
  std::size_t books = 0;     ///< numbered from 0 up
  std::size_t capacity = 0;  ///< the most resting orders, in all books together
  std::size_t levels = 0;    ///< the most occupied price levels, in all books together
  OrderId last_id = 0;       ///< the largest reference, where it is known
};

/// The index from references to orders, which is the same in all markets. It has fewer pages than the references
/// of old orders lie in: these are in its table.
[[nodiscard]] inline PagedIds::Config reference_index(const MarketConfig& config) {
  return {16 + config.capacity / 1024};
}

/// A market that takes many requests at once. It folds the best prices of the book of each request into the
/// digest, as they are after it and before the next one (see `fold_best`), and counts the rejections.
template <class M>
concept TakesSpans = requires(M& market, std::span<const MarketRequest> requests, Digest& digest) {
  market.replay(requests, digest);
};

/// A market that takes one request at a time.
template <class M>
concept TakesRequests = requires(M& market, const MarketRequest& request) {
  { market.apply(request) } -> std::same_as<Result>;
};

/// A market that tells the best price of a side.
template <class M>
concept HasTouch = requires(const M& market, std::uint32_t book, Side side) {
  { market.best(book, side) } -> std::same_as<std::optional<Price>>;
};

/// What a market tells of its books: the best price of a side, and the orders of a side in priority order.
template <class M>
concept HasBooks =
    HasTouch<M> && requires(const M& market, std::uint32_t book, Side side, void (&visitor)(const RestingOrder&)) {
      market.visit_orders(book, side, visitor);
      { market.size() } -> std::same_as<std::size_t>;
    };

template <class M>
concept MarketBook = std::movable<M> && (TakesRequests<M> || TakesSpans<M>)&&requires(const MarketConfig& config) {
  { M::create(config) } -> std::same_as<std::optional<M>>;
};

}  // namespace llmes::bench
