// SPDX-License-Identifier: MIT
//
// The books by name. A new one is a line in books.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "bench/harness/runner.hpp"

namespace llmes::bench {

struct BookEntry {
  std::string_view name;
  std::string_view what;
  /// Too slow to play a whole stream: starts each batch from a snapshot and times the first part of it.
  bool scans;
  std::unique_ptr<Runner> (*enter)(const Plan& plan);
};

/// All books, in the order in which they are listed.
[[nodiscard]] std::span<const BookEntry> all_books();

/// The book of that name, or null.
[[nodiscard]] const BookEntry* find_book(std::string_view name);

}  // namespace llmes::bench
