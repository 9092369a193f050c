// SPDX-License-Identifier: MIT
//
// A book without rules: what every book has for its rules unless it is told otherwise, and what such a parameter
// says.
#pragma once

#include <cstddef>

#include "llmes/book/matching.hpp"
#include "llmes/book/resting_orders.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {
/// What a book without rules keeps of them.
struct NoState {
  [[nodiscard]] static constexpr bool prepare(std::size_t, std::size_t) noexcept { return true; }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t, std::size_t) noexcept { return 0; }
  static void visit_state(auto& /*self*/, auto& /*visit*/) noexcept {}
};
}  // namespace detail

/// Orders trade by price and time, and nothing else. It costs nothing.
struct NoRules {
  static constexpr bool active = false;
  /// What commands say of an order beside its price and quantity.
  using Terms = NoTerms;
  /// What is kept of orders beside the pool, by a book or by the set of a book.
  using State = detail::NoState;
  /// What rests in a book, and how commands are carried out.
  template <class SideBook>
  using Matching = detail::Matching<detail::RestingOrders<SideBook>>;
  /// What they add to the calls of a book.
  template <class Book>
  struct Calls {};
};

}  // namespace llmes::inline LLMES_NAMESPACE
