// SPDX-License-Identifier: MIT
//
// What wraps books: accounts, the stage that checks what they may do, and the commands and reports of a venue.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/venue/accounts.hpp"       // IWYU pragma: export
#include "llmes/venue/expiry.hpp"         // IWYU pragma: export
#include "llmes/venue/id_slots.hpp"       // IWYU pragma: export
#include "llmes/venue/link_types.hpp"     // IWYU pragma: export
#include "llmes/venue/linked_orders.hpp"  // IWYU pragma: export
#include "llmes/venue/match_log.hpp"      // IWYU pragma: export
#include "llmes/venue/open_orders.hpp"    // IWYU pragma: export
#include "llmes/venue/order_words.hpp"    // IWYU pragma: export
#include "llmes/venue/quote.hpp"          // IWYU pragma: export
#include "llmes/venue/risk.hpp"           // IWYU pragma: export
#include "llmes/venue/risk_types.hpp"     // IWYU pragma: export
#include "llmes/venue/stop_orders.hpp"    // IWYU pragma: export
#include "llmes/venue/stop_types.hpp"     // IWYU pragma: export
#include "llmes/venue/symbols.hpp"        // IWYU pragma: export
#include "llmes/venue/venue.hpp"          // IWYU pragma: export
#include "llmes/venue/venue_command.hpp"  // IWYU pragma: export
#include "llmes/venue/venue_report.hpp"   // IWYU pragma: export
#include "llmes/venue/venue_status.hpp"   // IWYU pragma: export
#include "llmes/venue/venue_text.hpp"     // IWYU pragma: export
#endif
