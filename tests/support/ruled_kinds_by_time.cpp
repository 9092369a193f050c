// SPDX-License-Identifier: MIT
#include "tests/support/ruled_kinds.hpp"

namespace llmes::test {

std::vector<RuledKind> kinds_by_time() {
  return ruled_kinds<Allocation::PriceTime, 1>("");
}

}  // namespace llmes::test
