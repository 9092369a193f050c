// SPDX-License-Identifier: MIT
//
// The core by handles that are known beforehand, with the reports that rows by id write: what an index and its
// spans are compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "bench/harness/reports.hpp"
#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// The book for a band of N prices: a narrow one has a level for each price, a wide one only those in use.
template <std::size_t N>
using BookForBand = std::conditional_t<N <= 16'384, OrderBook<N>, WideOrderBook<N>>;

/// How many messages a span has.
inline constexpr std::size_t span_length = 256;

/// A loop of single calls.
template <std::size_t N>
class CoreIdsLoopBook : public BookForBand<N> {
 public:
  using Core = BookForBand<N>;

  static std::optional<CoreIdsLoopBook> create(const BookConfig& config) {
    std::optional<Core> book = Core::create(config);
    if (!book) return std::nullopt;
    return CoreIdsLoopBook(*std::move(book));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink& sink) noexcept {
    const Result result = Core::apply(command, sink);
    reports_.write(command, result);
    return result;
  }

  [[nodiscard]] const ReportRing& reports() const { return reports_; }

 protected:
  explicit CoreIdsLoopBook(Core&& book) : Core(std::move(book)) {}

  ReportRing reports_;
};

/// The same in spans.
template <std::size_t N>
class CoreIdsLoopSpanBook : public CoreIdsLoopBook<N> {
  using Loop = CoreIdsLoopBook<N>;

 public:
  static std::optional<CoreIdsLoopSpanBook> create(const BookConfig& config) {
    std::optional<Loop> book = Loop::create(config);
    if (!book) return std::nullopt;
    return CoreIdsLoopSpanBook(*std::move(book));
  }

  void replay(std::span<const Command> commands, Digest& digest) {
    std::uint64_t misses = 0;
    while (!commands.empty()) {
      const std::span<const Command> span = commands.first(std::min(span_length, commands.size()));
      BookForBand<N>::apply(
          span,
          [&](const Result& result, std::size_t i) {
            this->reports_.write(span[i], result);
            misses += result.status != Status::Success;
          },
          digest);
      commands = commands.subspan(span.size());
    }
    digest.misses += misses;
  }

 private:
  explicit CoreIdsLoopSpanBook(Loop&& book) : Loop(std::move(book)) {}
};

}  // namespace llmes::bench
