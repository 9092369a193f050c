// SPDX-License-Identifier: MIT
//
// Own orders in a replayed market.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/simulator/displace_impact.hpp"  // IWYU pragma: export
#include "llmes/simulator/simulator.hpp"        // IWYU pragma: export
#include "llmes/simulator/story.hpp"            // IWYU pragma: export
#include "llmes/simulator/summary.hpp"          // IWYU pragma: export
#endif
