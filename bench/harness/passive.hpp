// SPDX-License-Identifier: MIT
//
// The passive image of a planned stream: the book goes through the same states, and nothing ever trades. A maker
// that a taker would have used up is cancelled; one that it would have used in part is modified in place; what
// would have been left of the taker rests by itself. Commands that come too late for their order are left out.
// Where nothing crosses and nothing misses, the core can lack a part and all calls still succeed as planned.
#pragma once

#include "bench/streams/plan.hpp"

namespace llmes::bench {

/// Throws std::invalid_argument for a stream whose prices lie in no band.
[[nodiscard]] Plan passive_image(Plan plan);

}  // namespace llmes::bench
