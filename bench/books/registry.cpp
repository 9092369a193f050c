// SPDX-License-Identifier: MIT
#include "bench/books/registry.hpp"

#include <algorithm>

#include "bench/books/null.hpp"
#include "bench/books/reference.hpp"
#include "bench/harness/replay.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {
namespace {

/// A book with the band that the plan needs.
template <template <std::size_t> class Book>
std::unique_ptr<Contestant> enter(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<Replay<Book<4096>>>(plan);
  return std::make_unique<Replay<Book<131'072>>>(plan);
}
template <template <std::size_t> class Book>
std::unique_ptr<Contestant> enter_scanning(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<SnapshotReplay<Book<4096>>>(plan);
  return std::make_unique<SnapshotReplay<Book<131'072>>>(plan);
}

constexpr BookEntry books[] = {
    {"null", "the replay loop with no book", false, enter<NullBook>},
    {"core", "llmes::OrderBook, the product", false, enter<OrderBook>},
    {"reference", "std::map of std::list, cancel by scanning", true, enter_scanning<ReferenceBook>},
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

}  // namespace llmes::bench
