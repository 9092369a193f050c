// SPDX-License-Identifier: MIT
//
// Makes the runner of one book. The build compiles this file once for each book: how much a compiler inlines
// depends on what else is in the unit, and no book should pay for its neighbours. A book whose single calls can be
// timed has a second unit for that, because the loop with stamps is a second caller. The build defines
//
//   LLMES_BOOK, LLMES_BOOK_HEADER      the type of the book, a template over the number of prices, and its header
//   LLMES_RUNNER, LLMES_RUNNER_HEADER  the type of its runner, a template over the type of the book, and its
//   header LLMES_INTERFACE                    what the runner is to its users: Runner or StampedRunner LLMES_ENTER
//   the name of the function below, which registry.cpp declares
#include <memory>

#include LLMES_BOOK_HEADER
#include LLMES_RUNNER_HEADER

namespace llmes::bench {

/// The runner of the book over the band that the plan needs. Visible, since some books are libraries of their own.
[[gnu::visibility("default")]] std::unique_ptr<LLMES_INTERFACE> LLMES_ENTER(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<LLMES_RUNNER<LLMES_BOOK<4096>>>(plan);
  return std::make_unique<LLMES_RUNNER<LLMES_BOOK<131'072>>>(plan);
}

}  // namespace llmes::bench
