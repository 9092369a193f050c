// SPDX-License-Identifier: MIT
#include "bench/contenders/registry.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "absl/strings/str_format.h"
#include "bench/harness/id_replay.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/stamped_replay.hpp"

namespace llmes::bench {

// Each unit of entry.cpp defines one of these. The stamped one is defined only if the line of the book says
// `calls`.
#define LLMES_BOOK(name, ...)                             \
  std::unique_ptr<Runner> enter_##name(const Plan& plan); \
  std::unique_ptr<StampedRunner> enter_##name##_stamped(const Plan& plan);
#ifdef LLMES_HAS_VARIANTS
#define LLMES_VARIANT LLMES_BOOK
#endif
#include "bench/contenders/books.inc"
#undef LLMES_BOOK
#undef LLMES_VARIANT

#define LLMES_MARKET(name, ...) std::unique_ptr<Runner> enter_market_##name(const MarketPlan& plan);
#include "bench/contenders/markets.inc"
#undef LLMES_MARKET

namespace {

#define LLMES_STAMPED_batches(name) nullptr
#define LLMES_STAMPED_calls(name) enter_##name##_stamped
constexpr BookEntry books[] = {
#define LLMES_BOOK(name, runner, type, header, timed, what) \
  {#name, what, scans<runner>, {}, enter_##name, LLMES_STAMPED_##timed(name)},
#ifdef LLMES_HAS_VARIANTS
#define LLMES_VARIANT(name, without, what) {#name, what, false, without, enter_##name, nullptr},
#endif
#include "bench/contenders/books.inc"
#undef LLMES_BOOK
#undef LLMES_VARIANT
};

constexpr MarketEntry markets[] = {
#define LLMES_MARKET(name, type, header, what) {#name, what, enter_market_##name},
#include "bench/contenders/markets.inc"
#undef LLMES_MARKET
};

}  // namespace

std::span<const BookEntry> all_books() {
  return books;
}

const BookEntry* find_book(std::string_view name) {
  const auto found =
      std::find_if(std::begin(books), std::end(books), [&](const BookEntry& entry) { return entry.name == name; });
  return found == std::end(books) ? nullptr : &*found;
}

const BookEntry& find_trading_book(std::string_view name) {
  const BookEntry* entry = find_book(name);
  if (entry == nullptr && find_market(name) != nullptr) {
    throw std::invalid_argument(
        absl::StrFormat("'%s' holds the books of a market; it needs bench_books --workload=many", name));
  }
  if (entry == nullptr) {
    throw std::invalid_argument(absl::StrFormat("no book is called '%s'; bench_books --list names them", name));
  }
  if (!entry->can_trade()) {
    throw std::invalid_argument(absl::StrFormat("'%s' cannot trade; it needs bench_books --stream=passive", name));
  }
  return *entry;
}

std::span<const MarketEntry> all_markets() {
  return markets;
}

const MarketEntry* find_market(std::string_view name) {
  const auto found = std::find_if(std::begin(markets), std::end(markets),
                                  [&](const MarketEntry& entry) { return entry.name == name; });
  return found == std::end(markets) ? nullptr : &*found;
}

EnterStamped find_stamped_book(std::string_view name) {
  const BookEntry* entry = find_book(name);
  if (entry != nullptr && entry->enter_stamped != nullptr) return entry->enter_stamped;
  std::string names;
  for (const BookEntry& book : books) {
    if (book.enter_stamped != nullptr) names.append(" ").append(book.name);
  }
  throw std::invalid_argument(
      absl::StrFormat("no book whose single calls can be timed is called '%s'; these are:%s", name, names));
}

}  // namespace llmes::bench
