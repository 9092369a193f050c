// SPDX-License-Identifier: MIT
#include "bench/books/registry.hpp"

#include <algorithm>
#include <iterator>

#include "bench/harness/replay.hpp"

namespace llmes::bench {

#define LLMES_BOOK(name, ...) std::unique_ptr<Runner> enter_##name(const Plan& plan);
#include "bench/books/books.inc"
#undef LLMES_BOOK

namespace {

constexpr BookEntry books[] = {
#define LLMES_BOOK(name, runner, type, header, what) {#name, what, scans<runner>, enter_##name},
#include "bench/books/books.inc"
#undef LLMES_BOOK
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
