// SPDX-License-Identifier: MIT
//
// The one include for users: all but the engine, which is for Linux alone.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)      // else version.hpp has said why not, and more errors would hide it
#include "llmes/book.hpp"         // IWYU pragma: export
#include "llmes/dbn.hpp"          // IWYU pragma: export
#include "llmes/ids.hpp"          // IWYU pragma: export
#include "llmes/itch.hpp"         // IWYU pragma: export
#include "llmes/market_data.hpp"  // IWYU pragma: export
#include "llmes/rules.hpp"        // IWYU pragma: export
#include "llmes/sets.hpp"         // IWYU pragma: export
#include "llmes/simulator.hpp"    // IWYU pragma: export
#include "llmes/venue.hpp"        // IWYU pragma: export
#include "llmes/wire.hpp"         // IWYU pragma: export
#endif
