// SPDX-License-Identifier: MIT
//
// What stands before a book: accounts, and the stage that checks what they may do.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/venue/account_guard.hpp"  // IWYU pragma: export
#include "llmes/venue/accounts.hpp"       // IWYU pragma: export
#include "llmes/venue/limits.hpp"         // IWYU pragma: export
#include "llmes/venue/open_orders.hpp"    // IWYU pragma: export
#include "llmes/venue/risk.hpp"           // IWYU pragma: export
#include "llmes/venue/risk_status.hpp"    // IWYU pragma: export
#include "llmes/venue/risk_types.hpp"     // IWYU pragma: export
#endif
