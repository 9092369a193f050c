// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace llmes::bench {

/// Prints `echo at PORT`, and answers whoever connects there: odd messages with the first answer, others with the
/// second. It does not return.
/// @param is_fix messages of FIX come, else packets of SoupBinTCP
void run_echo(bool spins, bool is_fix, const std::array<std::vector<std::byte>, 2>& answers);

}  // namespace llmes::bench
