// SPDX-License-Identifier: MIT
//
// A book without rules: what every book has for its rules unless it is told otherwise, and what such a parameter
// says.
#pragma once

#include <cstddef>

#include "llmes/book/matching.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Orders trade by price and time, and nothing else. It costs nothing.
struct NoRules {
  static constexpr bool active = false;
  /// What commands say of an order beside its price and quantity.
  using Terms = NoTerms;
  /// What is kept of orders beside the pool, by a book or by the set of a book.
  using State = detail::NoState;
  /// How commands are carried out.
  template <std::size_t PriceLevels, template <std::size_t> class SideBookOf>
  using Matching = detail::Matching<PriceLevels, SideBookOf>;
  /// What they add to the calls of a book.
  template <class Book>
  struct Calls {};
};

}  // namespace llmes::inline LLMES_NAMESPACE
