// SPDX-License-Identifier: MIT
//
// What a fuzzer checks: it ends the program, so that libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace llmes::test {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

}  // namespace llmes::test
