// SPDX-License-Identifier: MIT
//
// A book whose orders are named by ids from outside, and the indexes from such an id to its order.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)
#include "llmes/ids/dense_ids.hpp"   // IWYU pragma: export
#include "llmes/ids/hashed_ids.hpp"  // IWYU pragma: export
#include "llmes/ids/id_book.hpp"     // IWYU pragma: export
#include "llmes/ids/id_index.hpp"    // IWYU pragma: export
#include "llmes/types/text.hpp"      // IWYU pragma: export
#endif
