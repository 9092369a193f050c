// SPDX-License-Identifier: MIT
//
// The books by name. A new one is a file in entries/, a declaration here and a line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "bench/harness/contestant.hpp"

namespace llmes::bench {

struct BookEntry {
  std::string_view name;
  std::string_view what;
  /// Too slow to play a whole stream: starts each batch from a snapshot and times the first part of it.
  bool scans;
  std::unique_ptr<Contestant> (*enter)(const Plan& plan);
};

/// All books, in the order in which they are listed.
[[nodiscard]] std::span<const BookEntry> all_books();

/// The book of that name, or null.
[[nodiscard]] const BookEntry* find_book(std::string_view name);

std::unique_ptr<Contestant> enter_null(const Plan& plan);
std::unique_ptr<Contestant> enter_core(const Plan& plan);
std::unique_ptr<Contestant> enter_core_span(const Plan& plan);
std::unique_ptr<Contestant> enter_reference(const Plan& plan);

}  // namespace llmes::bench
