// SPDX-License-Identifier: MIT
//
// The books around the core: no book, the core without a sink, and the core fed spans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// No book at all: the core's dispatch on the type of a command, and nothing behind it. Its time is the floor of a
/// table. How much slower another book is serves the reader's orientation only: a processor overlaps the dispatch
/// with the work of a book, and the time of this book is an upper bound on what overlaps.
template <std::size_t PriceLevels>
class NullBook {
 public:
  static std::optional<NullBook> create(const BookConfig&) { return NullBook(); }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&&) noexcept {
    if (command.type == CommandType::AddLimit) {
      use(command.price);
      return {};
    }
    if (command.type == CommandType::Cancel) {
      use(command.handle.index);
      return {};
    }
    return apply_slow(command);
  }

  [[nodiscard]] std::size_t size() const noexcept { return 0; }

 private:
  [[gnu::noinline]] static Result apply_slow(const Command& command) noexcept {
    switch (command.type) {
      case CommandType::AddMarket: use(command.quantity); return {};
      case CommandType::Modify: use(command.handle.generation); return {};
      case CommandType::Reduce: use(command.id); return {};
      default: return {Status::InvalidCommand};
    }
  }

  /// Pretends to need `value`, so that the compiler keeps the cases apart.
  template <class T>
  static void use(T value) noexcept {
    asm volatile("" : : "r"(value));
  }
};

/// The core with a sink that discards trades. The time of the core over the time of this book is what its sink
/// costs. Nothing can check its work without trades, so it has no queries for that.
template <std::size_t PriceLevels>
class SilentBook {
 public:
  static std::optional<SilentBook> create(const BookConfig& config) {
    std::optional<OrderBook<PriceLevels>> book = OrderBook<PriceLevels>::create(config);
    if (!book) return std::nullopt;
    return SilentBook(*std::move(book));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&&) noexcept {
    return book_.apply(command, DiscardTrades{});
  }

 private:
  explicit SilentBook(OrderBook<PriceLevels>&& book) : book_(std::move(book)) {}

  OrderBook<PriceLevels> book_;
};

/// A core that is fed spans of commands instead of one command at a time.
template <class Core>
class SpanFed : public Core {
 public:
  static std::optional<SpanFed> create(const BookConfig& config) {
    std::optional<Core> book = Core::create(config);
    if (!book) return std::nullopt;
    return SpanFed(*std::move(book));
  }

  void replay(std::span<const Command> commands, Digest& digest) {
    constexpr std::size_t span = 256;
    while (!commands.empty()) {
      const std::size_t count = std::min(span, commands.size());
      std::uint64_t misses = 0;
      this->apply(
          commands.first(count), [&](const Result& result) { misses += result.status != Status::Success; },
          digest);
      digest.misses += misses;
      commands = commands.subspan(count);
    }
  }

 private:
  explicit SpanFed(Core&& book) : Core(std::move(book)) {}
};

template <std::size_t PriceLevels>
using SpanFedBook = SpanFed<OrderBook<PriceLevels>>;
template <std::size_t PriceLevels>
using WideSpanFedBook = SpanFed<WideOrderBook<PriceLevels>>;

/// The book for any price is the same for any band.
template <std::size_t PriceLevels>
using BookForAnyPrice = AnyPriceBook<>;
template <std::size_t PriceLevels>
using SpanFedBookForAnyPrice = SpanFed<AnyPriceBook<>>;

}  // namespace llmes::bench
