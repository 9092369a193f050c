// SPDX-License-Identifier: MIT
//
// A command of an engine that takes off all orders of a side, of a book, or of everything. It is journaled as any
// other command. To a book it is none: a book has the call `clear`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "llmes/engine/journal/record.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Which orders go. Its reports are a Deleted for each, in the order of books, bids before asks, in priority
/// order; and a Done, whose `cancelled` are their lots, at most 2^64 - 1. Linear in the orders and the books.
/// Rejections: UnknownBook, InvalidCommand (side is no enumerator).
struct Clear {
  /// The type of its record.
  static constexpr auto type = static_cast<CommandType>(33);

  OrderId id = 0;                    ///< whatever the sender likes; the Done has it
  std::optional<BookNumber> book{};  ///< all books if none
  std::optional<Side> side{};        ///< both sides if none

  friend constexpr bool operator==(const Clear&, const Clear&) = default;

  // What means all in a record. A number that is given, and equal to it, becomes another one that is no book or
  // side.
  static constexpr BookNumber all_books = std::numeric_limits<BookNumber>::max();
  static constexpr auto both_sides = static_cast<Side>(0xff);
};

[[nodiscard]] constexpr Record record_of(const Clear& clear, std::uint64_t time) noexcept {
  const BookNumber book = std::min(clear.book.value_or(0), Clear::all_books - 1);
  const Side side = clear.side == Clear::both_sides ? static_cast<Side>(0xfe) : clear.side.value_or(Side::Buy);
  return {.time = time,
          .id = clear.id,
          .book = clear.book ? book : Clear::all_books,
          .type = Clear::type,
          .side = clear.side ? side : Clear::both_sides};
}
/// What was made a record of that type.
[[nodiscard]] constexpr Clear clear_of(const Record& record) noexcept {
  Clear clear{.id = record.id};
  if (record.book != Clear::all_books) clear.book = record.book;
  if (record.side != Clear::both_sides) clear.side = record.side;
  return clear;
}

/// "Clear id 7, book 3, Sell".
[[nodiscard]] inline std::string to_string(const Clear& clear) {
  return "Clear id " + std::to_string(clear.id) + ", " +
         (clear.book ? "book " + std::to_string(*clear.book) : "all books") + ", " +
         (clear.side ? std::string(to_string(*clear.side)) : "both sides");
}

}  // namespace llmes::inline LLMES_NAMESPACE
