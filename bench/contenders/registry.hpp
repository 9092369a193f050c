// SPDX-License-Identifier: MIT
//
// The books by name. A new one is a line in books.inc, or in markets.inc if it holds the many books of a market.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "bench/harness/runner.hpp"

namespace llmes::bench {

class StampedRunner;
struct MarketPlan;
using Enter = std::unique_ptr<Runner> (*)(const Plan& plan);
using EnterStamped = std::unique_ptr<StampedRunner> (*)(const Plan& plan);

struct BookEntry {
  std::string_view name;
  std::string_view what;
  /// Too slow to play a whole stream: starts each batch from a snapshot and times the first part of it.
  bool scans;
  /// Only of variants of the ablation: the parts of the core that it lacks.
  std::optional<std::string_view> without;
  Enter enter;
  EnterStamped enter_stamped;  ///< null if its single calls cannot be timed

  /// A variant that lacks a part plays only streams in which nothing trades.
  [[nodiscard]] bool can_trade() const { return !without || without->empty(); }
};

/// All books, in the order in which they are listed.
[[nodiscard]] std::span<const BookEntry> all_books();

/// The book of that name, or null.
[[nodiscard]] const BookEntry* find_book(std::string_view name);

/// The book of that name, which can trade. Throws std::invalid_argument if there is none, or if it cannot trade.
[[nodiscard]] const BookEntry& find_trading_book(std::string_view name);

/// What holds many books.
struct MarketEntry {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Runner> (*enter)(const MarketPlan& plan);
};

/// All markets, in the order in which they are listed.
[[nodiscard]] std::span<const MarketEntry> all_markets();

/// The market of that name, or null.
[[nodiscard]] const MarketEntry* find_market(std::string_view name);

/// How to enter the book of that name to time single calls. Throws std::invalid_argument, with the names of all
/// such books, if it is none of them.
[[nodiscard]] EnterStamped find_stamped_book(std::string_view name);

}  // namespace llmes::bench
