// SPDX-License-Identifier: MIT
#include "tests/support/ruled_kinds.hpp"

namespace llmes::test {

std::vector<RuledKind> kinds_first_then_pro_rata() {
  return ruled_kinds<Allocation::FirstThenProRata, 1>("FirstThenProRata");
}

}  // namespace llmes::test
