// SPDX-License-Identifier: MIT
//
// A mass quote: many quotes of an account, in many books, as one command. Nobody trades between its entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What becomes of a mass quote of which an entry is refused.
enum class QuoteMode : std::uint8_t {
  Each,       ///< the others stay, and what the refused one would have replaced
  AllOrNone,  ///< no quote that it names rests afterwards; what has traded before stands
};

/// One side of a quote. It replaces the order of its account that rests with this id, as a `Modify` does, and
/// keeps its place if that would. Without one it is a new order.
struct QuoteEntry {
  OrderId id = 0;
  Price price = 0;
  Quantity quantity = 0;  ///< 0: it takes off the order that rests with this id
  BookNumber book = 0;    ///< this and the side are those of the order that it replaces
  Side side = Side::Buy;
  std::uint8_t unused[3] = {};  ///< 0

  friend constexpr bool operator==(const QuoteEntry&, const QuoteEntry&) = default;
};
static_assert(sizeof(QuoteEntry) == 32 && std::has_unique_object_representations_v<QuoteEntry>);

/// The most entries of a mass quote: 100 quotes of two sides.
inline constexpr std::size_t quote_entries_max = 200;

}  // namespace llmes::inline LLMES_NAMESPACE
