// SPDX-License-Identifier: MIT
#include "bench/books/stamped_registry.hpp"

#include <stdexcept>

#include "absl/strings/str_format.h"

namespace llmes::bench {

#define LLMES_STAMPED_BOOK(name) std::unique_ptr<StampedRunner> enter_##name##_stamped(const Plan& plan);
#include "bench/books/stamped_books.inc"
#undef LLMES_STAMPED_BOOK

EnterStamped find_stamped_book(std::string_view name) {
  std::string names;
#define LLMES_STAMPED_BOOK(book)                    \
  if (name == #book) return enter_##book##_stamped; \
  names += " " #book;
#include "bench/books/stamped_books.inc"
#undef LLMES_STAMPED_BOOK
  throw std::invalid_argument(
      absl::StrFormat("no book whose calls can be timed one by one is called '%s'; these are:%s", name, names));
}

}  // namespace llmes::bench
