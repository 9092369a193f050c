// SPDX-License-Identifier: MIT
//
// Own orders in a replayed market, and the adapters and reports of its tapes.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/simulator/bitstamp_events.hpp"  // IWYU pragma: export
#include "llmes/simulator/dbn_events.hpp"       // IWYU pragma: export
#include "llmes/simulator/displace_impact.hpp"  // IWYU pragma: export
#include "llmes/simulator/itch_events.hpp"      // IWYU pragma: export
#include "llmes/simulator/lobster_events.hpp"   // IWYU pragma: export
#include "llmes/simulator/queue_models.hpp"     // IWYU pragma: export
#include "llmes/simulator/settings.hpp"         // IWYU pragma: export
#include "llmes/simulator/shadows.hpp"          // IWYU pragma: export
#include "llmes/simulator/simulator.hpp"        // IWYU pragma: export
#include "llmes/simulator/story.hpp"            // IWYU pragma: export
#include "llmes/simulator/summary.hpp"          // IWYU pragma: export
#include "llmes/simulator/sweep.hpp"            // IWYU pragma: export
#include "llmes/simulator/tape_reader.hpp"      // IWYU pragma: export
#include "llmes/simulator/tape_report.hpp"      // IWYU pragma: export
#endif
