// SPDX-License-Identifier: MIT
//
// What a venue decides inside matching: owners, self-trade prevention, mass cancel, reserves, allocation.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/rules/venue_rules.hpp"  // IWYU pragma: export
#include "llmes/types/text.hpp"         // IWYU pragma: export
#endif
