// SPDX-License-Identifier: MIT
//
// Ready-made sinks. Any callable that takes a `const Trade&` can take their place.
#pragma once

#include <cstddef>
#include <span>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Ignores every trade.
struct DiscardTrades {
  constexpr void operator()(const Trade&) const noexcept {}
};

/// Keeps trades, in order, in storage that the caller owns; `dropped()` counts those that did not fit. Without
/// rules a command trades at most once with each resting order, so room for `capacity()` trades of the book is
/// enough for one command. A span of commands may make more, and so may a reserve order or pro-rata.
class TradeCollector {
 public:
  explicit constexpr TradeCollector(std::span<Trade> storage) noexcept : storage_(storage) {}

  constexpr void operator()(const Trade& trade) noexcept {
    if (size_ < storage_.size()) {
      storage_[size_++] = trade;
    } else {
      ++dropped_;
    }
  }

  /// The trades kept since construction or the last `clear`.
  [[nodiscard]] constexpr std::span<const Trade> trades() const noexcept { return storage_.first(size_); }

  /// How many trades did not fit since construction or the last `clear`.
  [[nodiscard]] constexpr std::size_t dropped() const noexcept { return dropped_; }

  constexpr void clear() noexcept { size_ = dropped_ = 0; }

 private:
  std::span<Trade> storage_;
  std::size_t size_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
