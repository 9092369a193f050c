// SPDX-License-Identifier: MIT
//
// The passive image of a planned stream: the book goes through the same states, and nothing trades. A maker that
// would be filled completely is cancelled; one that would be filled partly is modified in place; the rest of the
// taker is added as an order. Commands that come too late for their order are left out. As nothing crosses and
// nothing misses, parts of the core can be removed and all calls still succeed as planned.
#pragma once

#include "bench/streams/plan.hpp"

namespace llmes::bench {

/// Throws std::invalid_argument for a stream whose prices lie in no band.
[[nodiscard]] Plan passive_image(Plan plan);

}  // namespace llmes::bench
