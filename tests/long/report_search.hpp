// SPDX-License-Identifier: MIT
//
// A search as a program runs it: with progress, and a line at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "tests/long/search.hpp"

namespace llmes::test {

/// Says what it has gone through, or what it has found.
template <class World>
bool search(std::size_t length, const char* what) {
  Search<World> exhaustive;
  const std::optional<std::string> found =
      exhaustive.run(length, [](std::size_t depth, std::size_t done, std::size_t states) {
        std::fprintf(stderr, "\rcall %zu: made in %zu of %zu states", depth, done, states);
        if (done == states) std::fprintf(stderr, "\n");
      });
  if (found) {
    std::fprintf(stderr, "\n%s", found->c_str());
    return false;
  }
  std::printf("exhaustive, %s: length %zu, %ju sequences, %ju states, no disagreement\n", what, length,
              std::uintmax_t{exhaustive.sequences()}, std::uintmax_t{exhaustive.states()});
  return true;
}

}  // namespace llmes::test
