// SPDX-License-Identifier: MIT
//
// Makes the runner of one book. The build compiles this file once for each book: how much a compiler inlines
// depends on what else is in the unit, and no book should pay for its neighbours. A book whose single calls can be
// timed has a second unit for that, because the loop with stamps is a second caller. The build defines
//
//   LLMES_BOOK       the type of the book, a template over the number of prices; in LLMES_BOOK_HEADER
//   LLMES_RUNNER     the type of its runner, a template over the type of the book; in LLMES_RUNNER_HEADER
//   LLMES_INTERFACE  what the runner is to its users: Runner or StampedRunner
//   LLMES_ENTER      the name of the function below, which registry.cpp declares
#include <concepts>
#include <cstddef>
#include <memory>

#include LLMES_BOOK_HEADER
#include LLMES_RUNNER_HEADER

namespace llmes::bench {

/// Whether a book is the same for any band, or no book at all.
template <template <std::size_t> class Book>
inline constexpr bool needs_no_band = std::same_as<Book<4096>, Book<131'072>> || !HasOrders<Book<4096>>;

/// Whether the type of the core depends on the band. All other books hold the streams for 16,384 prices in their
/// larger band.
template <template <std::size_t> class Book>
inline constexpr bool suits_its_band = requires { typename Book<4096>::Core; };

/// A runner of a `Book` over the band that the plan needs. A template: written out below, its bands would be
/// instantiated in another order, and GCC would inline parts of some books differently.
template <template <class> class RunnerOf, template <std::size_t> class Book, class Interface>
std::unique_ptr<Interface> enter(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<RunnerOf<Book<4096>>>(plan);
  if constexpr (suits_its_band<Book>) {
    if (plan.price_levels == 16'384) return std::make_unique<RunnerOf<Book<16'384>>>(plan);
  }
  if (plan.price_levels == 0 && !needs_no_band<Book>) throw CannotHold("has a band, and no band holds its prices");
  return std::make_unique<RunnerOf<Book<131'072>>>(plan);
}

/// Visible, since some books are libraries of their own.
[[gnu::visibility("default")]] std::unique_ptr<LLMES_INTERFACE> LLMES_ENTER(const Plan& plan) {
  return enter<LLMES_RUNNER, LLMES_BOOK, LLMES_INTERFACE>(plan);
}

}  // namespace llmes::bench
