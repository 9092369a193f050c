// SPDX-License-Identifier: MIT
#include "bench/books/registry.hpp"

#include <algorithm>
#include <iterator>

namespace llmes::bench {
namespace {

constexpr BookEntry books[] = {
    {"null", "the replay loop with no book", false, enter_null},
    {"core", "llmes::OrderBook, the product", false, enter_core},
    {"core_span", "core, fed spans of 256 commands", false, enter_core_span},
    {"reference", "std::map of std::list, cancel by scanning", true, enter_reference},
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
