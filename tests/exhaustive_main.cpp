// SPDX-License-Identifier: MIT
//
// exhaustive [--length=N]: the search of tests/exhaustive.hpp as a program, with progress. N is 5 by default, and
// 4 with a sanitizer, which takes as long.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "llmes/llmes.hpp"
#include "tests/exhaustive.hpp"
#include "tests/number_flag.hpp"
#include "tests/sanitized.hpp"

int main(int argc, char** argv) {
  using namespace llmes::test;
  const std::uint64_t length = number_flag(argc, argv, "length", LLMES_TEST_SANITIZED ? 4 : 5, 10);
  Exhaustive<llmes::OrderBook<128>> exhaustive;
  const std::optional<std::string> found =
      exhaustive.run(length, [](std::size_t depth, std::size_t done, std::size_t states) {
        std::fprintf(stderr, "\rcall %zu: made in %zu of %zu states", depth, done, states);
        if (done == states) std::fprintf(stderr, "\n");
      });
  if (found) {
    std::fprintf(stderr, "\n%s", found->c_str());
    return 1;
  }
  std::printf("exhaustive: length %ju, %ju sequences, %ju states, no disagreement\n", std::uintmax_t{length},
              std::uintmax_t{exhaustive.sequences()}, std::uintmax_t{exhaustive.states()});
}
