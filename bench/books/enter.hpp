// SPDX-License-Identifier: MIT
//
// Makes a runner of a book type: what each source file that the build makes of books.inc does.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/harness/replay.hpp"

namespace llmes::bench {

/// `RunnerOf` with a `Book` over the band that the plan needs.
template <template <class> class RunnerOf, template <std::size_t> class Book, class Interface = Runner>
std::unique_ptr<Interface> enter(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<RunnerOf<Book<4096>>>(plan);
  return std::make_unique<RunnerOf<Book<131'072>>>(plan);
}

}  // namespace llmes::bench
