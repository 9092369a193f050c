// SPDX-License-Identifier: MIT
//
// Many books over one pool of orders.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/sets/book_set.hpp"  // IWYU pragma: export
#include "llmes/types/text.hpp"     // IWYU pragma: export
#endif
