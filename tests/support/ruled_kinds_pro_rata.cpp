// SPDX-License-Identifier: MIT
#include "tests/support/ruled_kinds.hpp"

namespace llmes::test {

std::vector<RuledKind> kinds_pro_rata() {
  return ruled_kinds<Allocation::ProRata, 2>("ProRata");
}

}  // namespace llmes::test
