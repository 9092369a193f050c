// SPDX-License-Identifier: MIT
//
// Fails unless a venue says here what it says elsewhere. Without GoogleTest, so that it can be compiled for
// another processor.
#include <cstdio>
#include <string>

#include "tests/support/venue_bytes.hpp"

int main() {
  const std::string said = llmes::test::checksums_of_a_venue();
  std::puts(said.c_str());
  return said == llmes::test::expected_of_a_venue ? 0 : 1;
}
