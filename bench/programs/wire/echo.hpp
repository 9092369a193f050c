// SPDX-License-Identifier: MIT
#pragma once

namespace llmes::bench {

/// Prints `echo at PORT`, and answers whoever connects there. It does not return.
void run_echo(bool spins);

}  // namespace llmes::bench
