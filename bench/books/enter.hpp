// SPDX-License-Identifier: MIT
//
// Makes a contestant of a book type: what each source file that the build makes of books.inc does.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/harness/replay.hpp"

namespace llmes::bench {

/// `Player` with a `Book` over the band that the plan needs.
template <template <class> class Player, template <std::size_t> class Book, class Interface = Contestant>
std::unique_ptr<Interface> enter(const Plan& plan) {
  if (plan.price_levels == 4096) return std::make_unique<Player<Book<4096>>>(plan);
  return std::make_unique<Player<Book<131'072>>>(plan);
}

}  // namespace llmes::bench
